"""Every number that shapes a signature (`Recipe`) or a decision (`Settings`): one home, validated once.

A recipe is stored with every window; signatures of different recipes are never compared. Settings may change from
one opening of a window to the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, SupportsFloat

from neardup.errors import SettingsError
from neardup.model.plain_values import make_numbers_plain, plain
from neardup.model.recipe_files import boilerplate_mark, check_path, file_bytes, salt_mark

MAX_Q: Final = 16
MAX_SIMHASH_VARIANTS: Final = 10
WORDS_KEPT_BELOW: Final = 0xAAAAAAAAAAAAAAAA
"""A random lexicon keeps the words whose hash is below this: two of three (Kołcz et al. 2004 drop about a third)."""
MAX_SKETCH_SIZE: Final = 64
WIDE_ABOVE: Final = 512
"""Larger sets are sampled by their widest grams."""
HOUR_MS: Final = 3_600_000

DEFAULT_Q: Final = 4  # Montanari & Puglisi, section 4: the best value on their news
DEFAULT_SKETCH_SIZE: Final = 32
DEFAULT_REACH: Final = 0.6
DEFAULT_THRESHOLD: Final = 0.7
DEFAULT_MATCHES: Final = 10
DEFAULT_WINDOW_HOURS: Final = 24
MAX_WINDOW_HOURS: Final = 1_000_000
"""More than a hundred years; 0 means no limit."""
DEFAULT_AHEAD_HOURS: Final = 24
"""A wrong time zone shifts a time by less than a day."""
DEFAULT_MAX_LENGTH: Final = 10_000_000
DEFAULT_MAX_CANDIDATES: Final = 0
DEFAULT_CONTAINMENT: Final = 0.8
DEFAULT_DELTA: Final = 1
DEFAULT_SHOW: Final = ("title", "subject", "source", "url")
"""Common names of the fields by which people recognise a document."""
LARGE_BATCH: Final = 1_024
"""Enough to spread what a batch costs whatever its size: 2 ms, and in a cluster two disk flushes and a search."""
SMALL_BATCH: Final = 256
"""Where each document may have very many matches to list, or is a search of its own."""
BATCH_BYTES: Final = 4_000_000
DEFAULT_POLL_SECONDS: Final = 2.0  # how long `watch` waits between two looks at the backlog
COMPLETE_SHARED: Final = 100
"""k of the complete search: prefixes of |A| - ceil(t|A|) + k q-grams share at least k. The best of 20 to 200."""
MAX_SENTENCE_DOCUMENTS: Final = 300
"""A sentence in more documents than this finds no candidates (Yoon et al. 2012, section 2: 300 occurrences)."""
MAX_BAND_DOCUMENTS: Final = 10_000

ROUTES: Final = ("sentences", "simhash")
RETRIEVALS: Final = ("sketch", "complete")
CANDIDATES_FROM: Final = ("memory", "search")
POLICIES: Final = ("mark", "drop", "route")

Retrieval = Literal["sketch", "complete"]
CandidatesFrom = Literal["memory", "search"]
Policy = Literal["mark", "drop", "route"]
Threshold = str | SupportsFloat  # as `exact_threshold` reads it

_MOST_DIGITS: Final = 20
"""Digits before or after the point of a threshold: far more than six decimals."""
OR_ALL: Final = ", or all (None in Python)"


def check_whole(name: str, value: Any, low: int, high: int | None = None, other: str = "") -> int:
    """`value`, perhaps of numpy, as an int. `SettingsError`, ending with `other`, unless whole, `low` to `high`."""
    known = plain(value)
    good = isinstance(known, int) and not isinstance(known, bool) and known >= low
    if not good or (high is not None and known > high):
        bound = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise SettingsError(name, known, f"a whole number {bound}{other}")
    return int(known)


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise SettingsError(name, value, " or ".join(repr(word) for word in allowed))


def check_boolean(name: str, value: Any) -> bool:
    """`value`, perhaps of numpy, as a bool. Raises `SettingsError` for any other value: "no" would count as true."""
    known = plain(value)
    if not isinstance(known, bool):
        raise SettingsError(name, value, "true or false")
    return known


def _names(name: str, value: Any, expected: str, least: int = 0) -> tuple[str, ...]:
    """A list of names of at least `least` letters, each once; a bare string is refused (its letters would be names)."""
    listed = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    names: list[Any] = list(value) if listed else [None]
    if not all(isinstance(each, str) and len(each) >= least for each in names):
        raise SettingsError(name, value, expected)
    return tuple(dict.fromkeys(names))


def _decimal_or_ratio(text: str) -> Fraction:
    """The value of "0.7" or "2/3": a window stores its threshold as text, and not every fraction is a decimal."""
    if "/" in text:
        return Fraction(text)
    decimal = Decimal(text)
    # 1e-999999999 as a fraction would take minutes and gigabytes.
    return Fraction(decimal) if abs(decimal.adjusted()) < _MOST_DIGITS else Fraction(0)


def exact_threshold(value: Any, name: str = "threshold") -> Fraction:
    """`value`, in (0, 1], as the decimal fraction that it prints as: 0.7 is 7/10, not the nearest float.

    >>> exact_threshold(0.7)
    Fraction(7, 10)
    """
    try:
        fraction = value if isinstance(value, Fraction) else _decimal_or_ratio(str(value))
    except (InvalidOperation, ValueError, OverflowError, ZeroDivisionError):
        fraction = Fraction(0)
    if not 0 < fraction <= 1:
        raise SettingsError(name, value, "a number above 0 and at most 1, such as 0.7")
    if fraction.denominator > 1_000_000:
        raise SettingsError(name, value, "a number of at most six decimals")  # kernels multiply it in 64 bits
    return fraction


class SketchLimits(NamedTuple):
    """The limits that follow from the reach of a sketch (docs/definitions.md, Sketch).

    lowest   the lowest threshold that the sketch is made for
    whole    a set of at most this many q-grams is its own sketch
    close    whether grams are short, as a low threshold demands
    """

    lowest: Fraction
    whole: int
    close: bool

    def largest_copy_of(self, size: int) -> int:
        """The largest size of a set that may be a copy of one of `size`, and so is sampled as that one is, too."""
        return int(size / self.lowest)


SKETCH_LIMITS: Final = {  # by reach
    0.6: SketchLimits(Fraction(6, 10), 24, close=False),
    0.5: SketchLimits(Fraction(5, 10), 32, close=True),
}
REACHES: Final = tuple(SKETCH_LIMITS)  # the lowest thresholds that a sketch can be made for


@dataclass(frozen=True)
class Recipe:
    """The parameters of a signature. Two documents can be compared only if their recipes are equal.

    sketch_size   M: how many grams a sketch samples
    reach         the lowest threshold that a sketch is made for: 0.6, or 0.5, which costs more
    lexicon       the path of a lexicon file; None: the default one
    salt          the path of a file whose bytes are a secret: without it nobody can tell which grams a sketch takes.
                  None: there is no secret
    boilerplate   the path of a table of the pieces that recur in each source (`neardup boilerplate learn`), which are
                  left out of texts before signing. None: texts are signed whole
    """

    q: int = DEFAULT_Q
    fold_case: bool = False
    simhash_variants: int = 1
    sketch_size: int = DEFAULT_SKETCH_SIZE
    reach: float = DEFAULT_REACH
    lexicon: str | Path | None = None
    salt: str | Path | None = None
    boilerplate: str | Path | None = None

    def __post_init__(self) -> None:
        make_numbers_plain(self)
        check_whole("q", self.q, 1, MAX_Q)
        check_whole("simhash_variants", self.simhash_variants, 1, MAX_SIMHASH_VARIANTS)
        check_whole("sketch_size", self.sketch_size, 1, MAX_SKETCH_SIZE)
        check_boolean("fold_case", self.fold_case)
        reaches = [each for each in REACHES if self.reach in (each, str(each), exact_threshold(each))]
        if not reaches:
            raise SettingsError("reach", self.reach, " or ".join(str(reach) for reach in REACHES))
        object.__setattr__(self, "reach", reaches[0])  # "0.5" and Fraction(1, 2) are one recipe
        for name in ("lexicon", "salt", "boilerplate"):
            check_path(name, getattr(self, name))

    def reaching(self, threshold: Fraction) -> Recipe:
        """This recipe; with the lowest reach if `threshold` is below its own."""
        return self if threshold >= exact_threshold(self.reach) else replace(self, reach=min(REACHES))

    @property
    def sketch_limits(self) -> SketchLimits:
        """The sizes and widths that the reach stands for."""
        return SKETCH_LIMITS[self.reach]

    @property
    def salt_seed(self) -> int:
        """64 bits derived from the salt; 0 without one. Reads its file; raises `SettingsError` if it is unusable."""
        secret = self.secret
        return 0 if secret is None else int.from_bytes(hashlib.sha256(secret).digest()[:8], "big")

    @property
    def boilerplate_mark(self) -> str:
        """The mark of its boilerplate table, "" without one. Reads its file; `SettingsError` if that cannot be read."""
        path = self.boilerplate
        return "" if path is None else boilerplate_mark(file_bytes("boilerplate", path))

    @property
    def secret(self) -> bytes | None:
        """The bytes of the salt's file, None without one; `SettingsError` if it is empty or cannot be read."""
        if self.salt is None:
            return None
        secret = file_bytes("salt", self.salt)
        if not secret:
            raise SettingsError("salt", str(self.salt), "a file that is not empty: its bytes are the secret")
        return secret

    def text(self, lexicon_id: str) -> str:
        """The recipe string, which is stored with every window and signature and compared first.

        >>> Recipe().text("0123abcd")
        'neardup-2:q4:case:u16:lex-0123abcd:sketch-32-0.6:simhash-1'
        """
        case = "fold" if self.fold_case else "case"
        sketch = f"sketch-{self.sketch_size}-{self.reach}:simhash-{self.simhash_variants}"
        text = f"neardup-2:q{self.q}:{case}:u16:lex-{lexicon_id}:{sketch}"
        table, secret = self.boilerplate_mark, self.secret
        text += f":strip-{table}" if table else ""
        return text if secret is None else f"{text}:salt-{salt_mark(secret)}"


REMEMBERED: Final = ("threshold", "retrieval", "policy", "window_hours", "routes", "min_shared")
"""Settings taken over from the window's last writer if they are not given when it is opened."""
REMEMBERED_IF_PARTIAL: Final = ("partial", "containment", "delta")
"""Settings taken over in the same way if the last writer looked for partial copies."""
REMEMBERED_IF_GIVEN: Final = ("keep_hours", "keep_text", "kinds", *REMEMBERED_IF_PARTIAL)
"""Settings that a window records only if they differ from the default."""


class PartialRule(NamedTuple):
    """The rule for partial copies: the two documents have more than `delta` sentences in common, or at least one
    sentence and |A ∩ B| / min(|A|, |B|) >= `containment`.
    """

    containment: Fraction
    delta: int


@dataclass(frozen=True)
class Settings:
    """How documents are compared and kept.

    threshold         t: doc_q >= t makes a duplicate; taken as a decimal fraction
    retrieval         "sketch" (fast, recall about 1) or "complete" (lossless by proof)
    policy            "mark": keep all; "drop": do not store copies; "route": set them aside, unsearched
    matches           how many matches, and how many partial copies, a verdict lists, best first; None = all. Their
                      total numbers are always given
    window_hours      how many hours before its own a document is compared with; 0 = no limit
    keep_hours        how many hours before the newest one stay in the window, at least `window_hours`; None = as many
                      as `window_hours`, 0 = all
    ahead_hours       a document whose time is further ahead of the clock than this is rejected
    advance           whether the time of a document that would make most of a window expire is always believed;
                      otherwise only if the clock or the next document confirms it (`neardup.model.hours.Leap`)
    routes            further ways to find candidates: "sentences", "simhash"
    max_documents, max_memory (bytes)   budgets; a window beyond one drops its oldest hours; 0 = none
    max_length        longer texts (in characters) are rejected
    max_candidates    if there are more candidates, only some are verified, and the verdict is `truncated`; 0 = no limit
    batch_documents   how many documents are processed at once; None = see `documents_at_once`. Never changes a verdict
    candidates        "memory": found in a window held in memory; "search": by the cluster; never changes a verdict
    threads           one decides, the others sign the next documents and help to compare; never changes a verdict
    fsync             whether a batch survives a power cut too, not only a killed process; costs one disk flush a batch
    min_shared        m of the sketch search: how many keys a candidate shares; None = by threshold
    partial           whether to look for partial copies too (`PartialRule`), by the sentences in common; no policy
                      applies to them
    containment, delta   a document below the threshold is a partial copy from this share of the smaller text on, or
                      with more than so many sentences in common
    recipe            how documents are signed; None = the recipe of the window, or the default for a new one
    keep_text         whether texts are kept as they come, to be shown; None = in a directory yes, in memory no. In a
                      cluster whole documents are stored in any case
    show              fields of a document that are kept to be shown beside its text
    kinds             whether verdicts say the kind of a copy (docs/definitions.md, Kinds); texts are then kept as
                      they come, in memory too. Never changes anything else in a verdict
    """

    threshold: Any = DEFAULT_THRESHOLD
    retrieval: Retrieval = "sketch"
    policy: Policy = "mark"
    matches: int | None = DEFAULT_MATCHES
    window_hours: int = DEFAULT_WINDOW_HOURS
    keep_hours: int | None = None
    ahead_hours: int = DEFAULT_AHEAD_HOURS
    advance: bool = False
    routes: tuple[str, ...] | list[str] = ()
    max_documents: int = 0
    max_memory: int = 0
    max_length: int = DEFAULT_MAX_LENGTH
    max_candidates: int = DEFAULT_MAX_CANDIDATES
    batch_documents: int | None = None
    threads: int = 1
    candidates: CandidatesFrom = "memory"
    fsync: bool = False
    min_shared: int | None = None
    recipe: Recipe | None = None
    partial: bool = False
    containment: Any = DEFAULT_CONTAINMENT
    delta: int = DEFAULT_DELTA
    keep_text: bool | None = None
    show: tuple[str, ...] | list[str] = DEFAULT_SHOW
    kinds: bool = False

    def __post_init__(self) -> None:
        make_numbers_plain(self)
        exact_threshold(self.threshold)
        exact_threshold(self.containment, "containment")
        words = {"retrieval": RETRIEVALS, "policy": POLICIES, "candidates": CANDIDATES_FROM}
        for name, allowed in words.items():
            _one_of(name, getattr(self, name), allowed)
        object.__setattr__(self, "routes", tuple(sorted(_names("routes", self.routes, "a list of names"))))
        for route in self.routes:
            _one_of("routes", route, ROUTES)
        check_whole("window_hours", self.window_hours, 0, MAX_WINDOW_HOURS)
        check_whole("max_memory", self.max_memory, 0, other=" bytes, such as 1_500_000_000 for 1.5 GB")
        for name in ("ahead_hours", "max_documents", "max_candidates", "delta"):
            check_whole(name, getattr(self, name), 0)
        for name in ("max_length", "threads"):
            check_whole(name, getattr(self, name), 1)
        if not isinstance(self.recipe, Recipe | None):
            raise SettingsError("recipe", self.recipe, "a neardup.Recipe")
        optional: tuple[Any, ...] = (
            ("batch_documents", 1), ("matches", 0, None, OR_ALL), ("min_shared", 1, MAX_SKETCH_SIZE),
        )  # fmt: skip
        for name, *bounds in optional:
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), *bounds)
        for name in ("fsync", "partial", "advance", "kinds"):
            check_boolean(name, getattr(self, name))
        if self.keep_text not in (True, False, None):
            raise SettingsError("keep_text", self.keep_text, "true or false")
        if self.kinds and self.keep_text is False:
            raise SettingsError("kinds", True, "false where texts are not kept (keep_text = false)")
        object.__setattr__(self, "show", _names("show", self.show, "a list of names of fields", least=1))
        self._check_keep_hours()

    def _check_keep_hours(self) -> None:
        keep, compared = self.keep_hours, self.window_hours
        if keep is None:
            return
        check_whole("keep_hours", keep, 0, MAX_WINDOW_HOURS**2)  # hours are computed in 64 bits
        if keep and not 0 < compared <= keep:
            expected = (
                f"at least the {compared} hours that are compared: to keep fewer, lower window_hours, too"
                if compared
                else "0, because all hours are compared (window_hours = 0)"
            )
            raise SettingsError("keep_hours", keep, f"{expected}; 0 keeps all")

    @property
    def kept_hours(self) -> int:
        """How many hours before the newest one stay in the window; 0 = all."""
        return self.window_hours if self.keep_hours is None else self.keep_hours

    @property
    def documents_at_once(self) -> int:
        """How many documents are processed at once, at most."""
        is_small = self.matches is None or (self.candidates == "search" and self.retrieval == "complete")
        return self.batch_documents or (SMALL_BATCH if is_small else LARGE_BATCH)

    @property
    def threshold_fraction(self) -> Fraction:
        """The threshold as an exact fraction."""
        return exact_threshold(self.threshold)

    @property
    def partial_rule(self) -> PartialRule | None:
        """The rule for partial copies; None if they are not looked for."""
        if not self.partial:
            return None
        return PartialRule(exact_threshold(self.containment, "containment"), self.delta)

    @property
    def remembered(self) -> dict[str, Any]:
        """The settings that a window stores (`REMEMBERED`, and the others where they apply), as plain values."""
        values = {name: getattr(self, name) for name in REMEMBERED}
        values |= {"threshold": str(self.threshold), "routes": list(self.routes)}
        if self.keep_hours is not None:
            values["keep_hours"] = self.keep_hours
        if self.keep_text is not None:
            values["keep_text"] = self.keep_text
        if self.kinds:
            values["kinds"] = True
        if self.partial:
            values |= {"partial": True, "containment": str(self.containment), "delta": self.delta}
        return values

    def with_changes(self, **changes: Any) -> Settings:
        """A copy with some fields changed, validated again; without changes, the same object."""
        return replace(self, **changes) if changes else self
