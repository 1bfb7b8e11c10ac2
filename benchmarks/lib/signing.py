"""The cost of a signature, without any search: the part for the decision, all fields, and all fields as strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from benchmarks.lib.harness import Clock
from neardup import sign
from neardup.model.settings import LARGE_BATCH, Recipe
from neardup.signing.signer import Signer, signer_for

if TYPE_CHECKING:
    from benchmarks.lib.corpora import Corpus

WARM_UP = 200


def decision(texts: Sequence[str]) -> None:
    """The parts that a verdict needs: normal form, key set, sketch, fingerprint; in batches, as in `ingest`."""
    chosen = signer_for(Recipe())
    for batch in _batches(texts):
        chosen.sign(batch)


def fields(texts: Sequence[str]) -> None:
    """The same, and sentence fingerprints and simhash: every field's value, as arrays."""
    chosen: Signer = signer_for(Recipe())
    for batch in _batches(texts):
        chosen.sign(batch)
        chosen.word_features(batch)


def strings(texts: Sequence[str]) -> None:
    """`neardup.sign`, one text at a time: every field as strings, the thousands of q-grams too."""
    for text in texts:
        sign(text)


LOOPS: dict[str, Callable[[Sequence[str]], None]] = {
    "sign-decision": decision,
    "sign-fields": fields,
    "sign": strings,
}


def run(name: str, corpus: Corpus) -> dict[str, float]:
    """Seconds that one of the loops takes over the corpus."""
    loop = LOOPS[name]
    loop(corpus.texts[:WARM_UP])
    clock = Clock()
    loop(corpus.texts)
    seconds, cpu_seconds = clock.took()
    return {"seconds": seconds, "cpu_seconds": cpu_seconds}


def _batches(texts: Sequence[str]) -> list[list[bytes]]:
    size = LARGE_BATCH
    return [[text.encode() for text in texts[at : at + size]] for at in range(0, len(texts), size)]
