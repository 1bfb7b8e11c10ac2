"""Every method by its name: what `neardup evaluate` lists and runs.

A method's file is imported when the method is made: naming them needs neither kernels nor optional libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neardup.baselines.base import Method

Factory = Callable[[], "Method[Any]"]


def _new(place: str, **settings: Any) -> Method[Any]:
    """An instance of the class at `place`: "module.Class" of this package; "@module.name" in a setting is that name."""
    for name, value in settings.items():
        if isinstance(value, str) and value.startswith("@"):
            settings[name] = _at(value[1:])
    method: Method[Any] = _at(place)(**settings)
    return method


def _at(place: str) -> Any:
    module, _, names = place.partition(".")
    value: Any = import_module(f"neardup.baselines.{module}")
    for name in names.split("."):
        value = getattr(value, name)
    return value


_SIMHASHES = sorted({(k, 1) for k in range(1, 6)} | {(2, lexicons) for lexicons in range(1, 11)})
_SENTENCE_WINDOWS = ((8, 1), (8, 2), (16, 1), (16, 4), (32, 1), (32, 8))

_SEEDED: dict[str, Callable[..., Method[Any]]] = {
    "I-Match(idf=0.2..0.85, lexicons=10)": partial(_new, "imatch.IMatch", lexicons=10),
    "MinHash LSH(q=4, permutations=128)": partial(_new, "minhash_lsh.MinHashLsh"),
    "MinHash LSH(w=5, permutations=128)": partial(_new, "minhash_lsh.MinHashLsh", width=5),
    "simhash(k=1, lexicons=1, bits=64, unweighted)": partial(
        _new, "simhash.Simhash", k=1, weigh="@simhash.unweighted"
    ),
} | {
    f"simhash(k={k}, lexicons={lexicons}, bits={bits}, idf)": partial(
        _new, "simhash.Simhash", k=k, lexicons=lexicons, bits=bits
    )
    for bits in (32, 64)
    for k, lexicons in _SIMHASHES
}
"""Those that draw at random take a seed."""

METHODS: dict[str, Factory] = (
    {
        "checksum(text)": partial(_new, "checksum.Checksum"),
        "checksum(normal form)": partial(_new, "checksum.Checksum", normal=True),
    }
    | {f"doc_q(q={q})": partial(_new, "doc_q.DocQ", q=q) for q in range(1, 9)}
    | {
        "DDEBIT(light=0.5, q=4)": partial(_new, "ddebit.Ddebit"),
        "DDEBIT(light=0.8, q=4)": partial(_new, "ddebit.Ddebit", light=0.8),
        "clipped doc_q(q=4, least=2, most=1.0)": partial(_new, "clipping.Clipping", least=2),
        "clipped doc_q(q=4, least=1, most=0.1)": partial(_new, "clipping.Clipping", most=0.1),
        "clipped doc_q(q=4, least=2, most=0.1)": partial(_new, "clipping.Clipping", least=2, most=0.1),
        "I-Match(idf=0.2..0.85)": partial(_new, "imatch.IMatch"),
        "I-Match(idf=0.2..1.0)": partial(_new, "imatch.IMatch", high=1.0),
        "I-Match(idf=0.0..0.5)": partial(_new, "imatch.IMatch", low=0.0, high=0.5),
        "shingling(w=10, resemblance)": partial(_new, "shingling.Shingling"),
        "shingling(w=4, resemblance)": partial(_new, "shingling.Shingling", width=4),
        "shingling(w=10, containment)": partial(_new, "shingling.Shingling", measure="@sets.Measure.SMALLER"),
        "shingling(w=10, resemblance, every=25, most=1000)": partial(
            _new, "shingling.Shingling", every=25, most_documents=1_000
        ),
        "DSC-SS(w=10, length=5, every=1)": partial(_new, "super_shingles.SuperShingles"),
        "DSC-SS(w=10, length=5, every=25)": partial(_new, "super_shingles.SuperShingles", every=25),
        "COPS": partial(_new, "cops.Cops"),
        "SCAM(closeness=2.5)": partial(_new, "scam.Scam"),
        "cosine": partial(_new, "cosine.Cosine"),
        "cosine(frequent=0.05)": partial(_new, "cosine.Cosine", frequent=0.05),
        "SpotSigs(distance=1, chain=2)": partial(_new, "spotsigs.SpotSigs"),
        "SpotSigs(distance=2, chain=3)": partial(_new, "spotsigs.SpotSigs", distance=2, chain=3),
    }
    | _SEEDED
    | {
        f"sentence lengths(ws={ws}, sw={sw}, t=1)": partial(
            _new, "sentence_lengths.SentenceLengths", ws=ws, sw=sw
        )
        for ws, sw in _SENTENCE_WINDOWS
    }
    | {
        "sentence lengths(ws=8, sw=1, t=1, dynamic)": partial(
            _new, "sentence_lengths.SentenceLengths", dynamic=True
        ),
        "sentence fingerprints(cutoff=0.1, delta=3)": partial(
            _new, "sentence_fingerprints.SentenceFingerprints", cutoff=0.1, delta=3
        ),
        "sentence fingerprints(cutoff=0.6, delta=3)": partial(
            _new, "sentence_fingerprints.SentenceFingerprints", cutoff=0.6, delta=3
        ),
        "segment fingerprints(delta=3)": partial(_new, "segments.SegmentFingerprints", delta=3),
    }
)
"""A factory for each method, by the method's own name."""


def make(name: str, *, seed: int = 0) -> Method[Any]:
    """The method of this name; `seed` for what it draws at random, if it draws.

    Raises `KeyError` for a name that is none of `METHODS`.
    """
    if name not in METHODS:
        raise KeyError(f"{name!r} is no method: use one of {', '.join(METHODS)}")
    return _SEEDED[name](seed=seed) if name in _SEEDED else METHODS[name]()
