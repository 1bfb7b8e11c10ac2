"""Every method by its name: what `neardup evaluate` lists and runs.

A method's module is imported when the method is made: naming them needs neither kernels nor optional libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from neardup.baselines import set_classes, word_classes

if TYPE_CHECKING:
    from neardup.baselines.base import Method
    from neardup.baselines.by_kind import ByKind
    from neardup.baselines.cops import Cops
    from neardup.baselines.doc_q import DocQ
    from neardup.baselines.sentence_lengths import SentenceLengths
    from neardup.baselines.shingling import Shingling
    from neardup.baselines.simhash import Simhash

Factory = Callable[[], "Method[Any]"]
SeededFactory = Callable[[int], "Method[Any]"]


def _by_kind() -> ByKind:
    return set_classes.by_kind()()


def _cops() -> Cops:
    return set_classes.cops()()


def _containment() -> Shingling:
    from neardup.baselines.sets import Measure  # noqa: PLC0415 - as the classes

    return set_classes.shingling()(measure=Measure.SMALLER)


def _unweighted_simhash(seed: int) -> Simhash:
    from neardup.baselines.simhash import unweighted  # noqa: PLC0415 - as the classes

    return word_classes.simhash()(k=1, weigh=unweighted, seed=seed)


def _doc_q_of(q: int) -> DocQ:
    return set_classes.doc_q()(q)


def _simhash_of(k: int, lexicons: int, bits: int, seed: int) -> Simhash:
    return word_classes.simhash()(k, lexicons, bits, seed=seed)


def _sentence_lengths_of(ws: int, sw: int, t: int, dynamic: bool) -> SentenceLengths:
    return word_classes.sentence_lengths()(ws, sw, t, dynamic=dynamic)


def _retsim() -> Method[Any]:
    return set_classes.retsim()()


def _spot_sigs() -> Method[Any]:
    return word_classes.spot_program()[0]()


def _spot_imatch() -> Method[Any]:
    return word_classes.spot_program()[2]()


def _sif() -> Method[Any]:
    return set_classes.sif()()


def _spot_lsh(seed: int) -> Method[Any]:
    return word_classes.spot_program()[1](seed=seed)


_SIMHASHES = sorted({(k, 1) for k in range(1, 6)} | {(2, lexicons) for lexicons in range(1, 11)})
_SENTENCE_JUMPS = {8: (1, 2), 16: (1, 2, 4), 32: (1, 4, 8), 64: (1, 8, 16)}
_SENTENCE_WINDOWS = (
    *((ws, sw, 1, False) for ws, jumps in _SENTENCE_JUMPS.items() for sw in jumps),
    *((ws, 1, 1, True) for ws in _SENTENCE_JUMPS),
    *((8, 1, t, False) for t in (3, 5, 9)),
)
"""The windows, jumps and thresholds of the paper's tables; the last says whether jumps are dynamic."""

_SEEDED: dict[str, SeededFactory] = {
    "I-Match(idf=0.2..0.85, lexicons=10)": lambda seed: word_classes.imatch()(lexicons=10, seed=seed),
    "LSH(program, tables=32, rows=6, idf=0.2..0.85)": _spot_lsh,
    "megashingles(w=5, 6 x 14)": lambda seed: set_classes.megashingles()(seed=seed),
    "MinHash LSH(q=4, permutations=128)": lambda seed: set_classes.minhash_lsh()(q=4, seed=seed),
    "MinHash LSH(w=5, permutations=128)": lambda seed: set_classes.minhash_lsh()(width=5, seed=seed),
    "simhash(k=1, lexicons=1, bits=64, unweighted)": _unweighted_simhash,
    **{
        f"simhash(k={k}, lexicons={lexicons}, bits={bits}, idf)": partial(_simhash_of, k, lexicons, bits)
        for bits in (32, 64)
        for k, lexicons in _SIMHASHES
    },
}
"""Those that draw at random take a seed."""

METHODS: dict[str, Factory] = {
    "checksum(text)": lambda: set_classes.checksum()(normal=False),
    "checksum(normal form)": lambda: set_classes.checksum()(normal=True),
    **{f"doc_q(q={q})": partial(_doc_q_of, q) for q in range(1, 9)},
    "copies by kind": _by_kind,
    "DDEBIT(light=0.5, q=4)": lambda: set_classes.ddebit()(light=0.5),
    "DDEBIT(light=0.8, q=4)": lambda: set_classes.ddebit()(light=0.8),
    "clipped doc_q(q=4, least=2, most=1.0)": lambda: set_classes.clipping()(least=2, most=1.0),
    "clipped doc_q(q=4, least=1, most=0.1)": lambda: set_classes.clipping()(least=1, most=0.1),
    "clipped doc_q(q=4, least=2, most=0.1)": lambda: set_classes.clipping()(least=2, most=0.1),
    "I-Match(idf=0.2..0.85)": lambda: word_classes.imatch()(low=0.2, high=0.85),
    "I-Match(idf=0.2..1.0)": lambda: word_classes.imatch()(low=0.2, high=1.0),
    "I-Match(idf=0.0..0.5)": lambda: word_classes.imatch()(low=0.0, high=0.5),
    "I-Match(idf=0.4..0.5)": lambda: word_classes.imatch()(low=0.4, high=0.5),
    "I-Match(idf=0.5..0.6)": lambda: word_classes.imatch()(low=0.5, high=0.6),
    "I-Match(program, idf=0.2..0.85)": _spot_imatch,
    "shingling(w=10, resemblance)": lambda: set_classes.shingling()(width=10),
    "shingling(w=4, resemblance)": lambda: set_classes.shingling()(width=4),
    "shingling(w=10, containment)": _containment,
    "shingling(w=10, resemblance, every=25, most=1000)": lambda: set_classes.shingling()(
        every=25, most_documents=1_000
    ),
    "DSC-SS(w=10, length=5, every=1)": lambda: set_classes.super_shingles()(every=1),
    "DSC-SS(w=10, length=5, every=25)": lambda: set_classes.super_shingles()(every=25),
    "sif(length=50, every=16)": _sif,
    "COPS": _cops,
    "SCAM(closeness=2.5)": lambda: word_classes.scam()(closeness=2.5),
    "cosine": lambda: word_classes.cosine()(frequent=None),
    "cosine(frequent=0.05)": lambda: word_classes.cosine()(frequent=0.05),
    "SpotSigs(distance=1, chain=2)": lambda: word_classes.spotsigs()(distance=1, chain=2),
    "SpotSigs(distance=2, chain=3)": lambda: word_classes.spotsigs()(distance=2, chain=3),
    "SpotSigs(program, idf=0.2..0.85)": _spot_sigs,
    "RETSim": _retsim,
    **{name: partial(factory, 0) for name, factory in _SEEDED.items()},
    **{
        f"sentence lengths(ws={ws}, sw={sw}, t={t}{', dynamic' if dynamic else ''})": partial(
            _sentence_lengths_of, ws, sw, t, dynamic
        )
        for ws, sw, t, dynamic in _SENTENCE_WINDOWS
    },
    "sentence fingerprints(cutoff=0.1, delta=3)": lambda: word_classes.sentence_fingerprints()(
        cutoff=0.1, delta=3
    ),
    "sentence fingerprints(cutoff=0.6, delta=3)": lambda: word_classes.sentence_fingerprints()(
        cutoff=0.6, delta=3
    ),
    "segment fingerprints(delta=3)": lambda: word_classes.segment_fingerprints()(delta=3),
}
"""A factory for each method, by the method's own name."""


def make(name: str, *, seed: int = 0) -> Method[Any]:
    """The method of this name; `seed` for what it draws at random, if it draws.

    Raises `KeyError` for a name that is none of `METHODS`.
    """
    if name not in METHODS:
        raise KeyError(f"{name!r} is no method: use one of {', '.join(METHODS)}")
    return _SEEDED[name](seed) if name in _SEEDED else METHODS[name]()
