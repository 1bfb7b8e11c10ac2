"""The peers as loops over texts in memory: for each text, ask for earlier duplicates, then insert it.

Every peer gets its normal form from numpy (23 us per document of 4 KB; str.translate takes 83, re.sub 120), so that
cleaning text makes no difference between contenders. A loop returns the peer's answers as positions (later, earlier).

This module imports only its own peer and numpy: `python -m benchmarks.lib.peers FILE` is also the complete process
against which durable.py measures ours.
"""

from __future__ import annotations

import gzip
import itertools
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Answers = list[tuple[int, int]]
Q = 4
PERMUTATIONS, BANDS = 128, 16
SEED = 42
FASTSKETCH_BATCH = 500
GAOYA_JACCARD = 0.538
"""doc_q 0.7 of two sets of equal size is a Jaccard of 0.7 / 1.3."""


@cache
def _kept() -> npt.NDArray[np.bool_]:
    category = unicodedata.category
    return np.fromiter((category(chr(point))[0] in "LMN" for point in range(0x10000)), np.bool_)


def _units(text: str) -> npt.NDArray[np.uint16]:
    """UTF-16 units of the normal form, without NFC and planes above the first, which English does not need."""
    units = np.frombuffer(text.encode("utf-16-le"), np.uint16)
    return units[_kept()[units]]


def _form(text: str) -> str:
    return _units(text).tobytes().decode("utf-16-le", "surrogatepass")


def rensa(texts: Iterable[str]) -> Answers:
    """RMinHash as in its README: with an iterable of str tokens, here the 4-grams."""
    return _rensa(texts, _slices)


def rensa_bytes(texts: Iterable[str]) -> Answers:
    """The same with tokens cut by numpy: the fastest way found that still names the earlier document."""
    return _rensa(texts, _byte_tokens)


def _slices(text: str) -> list[str]:
    form = _form(text)
    return [form[at : at + Q] for at in range(len(form) - Q + 1)]


def _byte_tokens(text: str) -> list[bytes]:
    units = _units(text)
    if len(units) < Q:
        return []
    tokens: list[bytes] = (
        np.lib.stride_tricks.sliding_window_view(units, Q).copy().view("V8").ravel().tolist()
    )
    return tokens


def _rensa(texts: Iterable[str], tokens: Callable[[str], Any]) -> Answers:
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(0.7, PERMUTATIONS, BANDS)
    answers: Answers = []
    for place, text in enumerate(texts):
        sketch = RMinHash(PERMUTATIONS, SEED)
        sketch.update(tokens(text))
        answers += [(place, earlier) for earlier in index.query(sketch)]
        index.insert(place, sketch)
    return answers


def rensa_flags(texts: Iterable[str]) -> Answers:
    """Rensa's pre-hashed matrix: it says *that* a document has a duplicate, but not which: (position, -1)."""
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(0.7, PERMUTATIONS, BANDS)
    answers: Answers = []
    for place, text in enumerate(texts):
        keys = _keys(_units(text).astype(np.uint64))
        bounds = np.array([0, len(keys)], np.uint64)
        row = RMinHash.digest_matrix_from_flat_token_hashes(keys, bounds, PERMUTATIONS, SEED)
        if index.insert_matrix_and_query_duplicate_flags(row, place)[0]:
            answers.append((place, -1))
    return answers


def _keys(units: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Mixed 64-bit keys of the 4-grams: rensa uses pre-hashed tokens unchanged."""
    if len(units) < Q:
        return np.empty(0, np.uint64)
    keys = (
        units[:-3] << np.uint64(48) | units[1:-2] << np.uint64(32) | units[2:-1] << np.uint64(16) | units[3:]
    )
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: npt.NDArray[np.uint64] = keys ^ (keys >> np.uint64(31))
    return mixed


def gaoya(texts: Iterable[str]) -> Answers:
    """Gaoya's MinHash over 4-grams at its best F1 on passages20k: 32 bands of 4, own filter at Jaccard 0.538.

    Its index has no call that signs once for both query and insertion; it signs twice.
    """
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32, jaccard_threshold=GAOYA_JACCARD, num_bands=32, band_size=4, analyzer="char",
        ngram_range=(Q, Q), id_container="smallvec",
    )  # fmt: skip
    answers: Answers = []
    for place, text in enumerate(texts):
        form = _form(text)
        answers += [(place, earlier) for earlier in index.query(form)]
        index.insert_document(place, form)
    return answers


def fastsketch(texts: Iterable[str]) -> Answers:
    """FastSketchLSH in its best configuration: 4-grams of 500 documents at once, pre-hashed by numpy, 16 bands."""
    from FastSketchLSH import LSH, FastSimilaritySketch

    sketch, index = FastSimilaritySketch(PERMUTATIONS, SEED), LSH(PERMUTATIONS, BANDS, num_threads=1)
    answers: Answers = []
    first = 0
    for batch in _batched(texts):
        keys = [_packed(_units(text)) for text in batch]
        bounds = np.cumsum([0, *map(len, keys)]).astype(np.uint64)
        rows = sketch.batch_csr(np.concatenate(keys), bounds, prehashed=True, num_threads=1)
        index.insert(rows)
        found, ends = index.query(rows, format="csr")
        later = np.repeat(np.arange(first, first + len(keys)), np.diff(ends.astype(np.int64)))
        earlier = found.astype(np.int64)
        answers += zip(later[earlier < later].tolist(), earlier[earlier < later].tolist(), strict=True)
        first += len(keys)
    return answers


def _batched(texts: Iterable[str]) -> Iterator[list[str]]:
    left = iter(texts)
    while batch := list(itertools.islice(left, FASTSKETCH_BATCH)):
        yield batch


def _packed(units: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint64]:
    """The 4-grams, 16 bits per letter: it takes pre-hashed tokens and hashes them itself."""
    if len(units) < Q:
        return np.empty(0, np.uint64)
    wide = units.astype(np.uint64)
    packed: npt.NDArray[np.uint64] = (
        wide[:-3] << np.uint64(48) | wide[1:-2] << np.uint64(32) | wide[2:-1] << np.uint64(16) | wide[3:]
    )
    return packed


LOOPS: dict[str, Callable[[Iterable[str]], Answers]] = {
    "rensa": rensa,
    "rensa-bytes": rensa_bytes,
    "rensa-flags": rensa_flags,
    "gaoya": gaoya,
    "fastsketch": fastsketch,
}


def texts_of(path: Path) -> Iterable[str]:
    """The texts of a gzip'd JSON Lines file, one at a time."""
    import orjson

    with gzip.open(path) as lines:
        for line in lines:
            yield orjson.loads(line)["text"]


def main(path: str, name: str = "rensa") -> None:
    """Reads `path` and runs the peer `name` over it, nothing else; prints the number of pairs in its answers."""
    print(len(LOOPS[name](texts_of(Path(path)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
