"""Every method by its name: neardup itself, and those of the papers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from neardup.baselines import registry
from neardup.evaluation.errors import EvaluationError
from neardup.evaluation.evaluated_settings import DEFAULTS, EvaluatedSettings

if TYPE_CHECKING:
    from neardup.baselines.base import Method
    from neardup.evaluation.neardup_method import Product

PRODUCTS: Final = ("neardup sketch", "neardup complete")
COMPARISON: Final = ("neardup sketch", "doc_q", "SpotSigs", "MinHash LSH", "I-Match")
"""The methods measured by default: neardup, and the methods of Montanari & Puglisi's Fig. 5."""
USUAL: Final = (
    "doc_q(q=4)",
    "simhash(k=2, lexicons=1, bits=64, idf)",
    "simhash(k=1, lexicons=1, bits=64, idf)",
    "simhash(k=2, lexicons=1, bits=32, idf)",
    "sentence fingerprints(cutoff=0.6, delta=3)",
)
"""The methods meant by the name of a family without all parameters, where it is not the first: the papers' best."""
ALL: Final = "all"
LIKENESS: Final = 0.5
"""How similar (`difflib`) a name must be to an unknown one to be proposed."""


def names() -> list[str]:
    """The names of all methods, neardup first."""
    return [*PRODUCTS, *registry.METHODS]


def chosen(wanted: Sequence[str]) -> list[str]:
    """The names of the methods meant by `wanted`, each once; "all" means all of them.

    A name without parameters, or with some of them, means the usual method of that family with these parameters. Only
    letters, digits and parameters count: `imatch` is `I-Match(idf=0.2..0.85)`. Raises `EvaluationError` for any other
    name, with the most similar one if there is any.

    >>> chosen(["imatch", "doc_q", "Doc-Q (q=3)"])
    ['I-Match(idf=0.2..0.85)', 'doc_q(q=4)', 'doc_q(q=3)']
    """
    methods: dict[str, None] = {}
    for name in wanted:
        methods |= dict.fromkeys(names() if _plain(name) == ALL else [_meant(name)])
    return list(methods)


def usable(wanted: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """(The `wanted` methods that can be made; for each of the others the reason: a library is not installed)."""
    installed, missing = [], {}
    for name in chosen(wanted):
        try:
            if name not in PRODUCTS:
                make(name)
            installed.append(name)
        except ImportError as error:
            missing[name] = str(error)
    return installed, missing


def product(name: str, settings: EvaluatedSettings = DEFAULTS) -> Product:
    """The engine of neardup as a method, with the retrieval in its `name`, and with `settings`."""
    from neardup.evaluation.neardup_method import Product  # noqa: PLC0415 - kernels, which naming the methods does not need

    return Product("complete" if name.endswith("complete") else "sketch", settings)


def make(name: str, *, seed: int = 0) -> Method[Any]:
    """The method of a paper with exactly this `name`; `seed` is for its random numbers."""
    return registry.make(name, seed=seed)


def _meant(name: str) -> str:
    family, parameters = _parts(name)
    known = {one: _parts(one) for one in (*USUAL, *names())}
    for one, (other, others) in known.items():
        if family == other and parameters <= others and one in names():
            return one
    plain = {_plain(one): one for one in [*(one.partition("(")[0] for one in names()), *names()]}
    near = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=LIKENESS)
    proposal = f"the nearest is {plain[near[0]]!r} (neardup evaluate --list shows all)" if near else ""
    raise EvaluationError(
        "method",
        f"there is no method {name!r}; {proposal or 'neardup evaluate --list shows all'}",
        name,
    )


def _parts(name: str) -> tuple[str, frozenset[str]]:
    """The family of a method, and its parameters, in no order."""
    family, _, rest = name.partition("(")
    parameters = (re.sub(r"\s+", "", part).lower() for part in rest.rstrip(") ").split(","))
    return _plain(family), frozenset(part for part in parameters if part)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower())
