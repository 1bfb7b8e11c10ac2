"""`neardup.dedup`: the texts of a list, a frame or a table without their copies, in memory."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from neardup.cleaning.compared import Sourced, compared, settings_for
from neardup.cleaning.frames import held, problem, rows_of, values
from neardup.cleaning.kept_kinds import by_kind, parse_kinds
from neardup.cleaning.preference import doubts, parse_keep, preferred, rank
from neardup.cleaning.result import Deduped
from neardup.cleaning.star import Pairs
from neardup.errors import SettingsError
from neardup.model.settings import (
    DEFAULT_MAX_LENGTH,
    DEFAULT_THRESHOLD,
    Recipe,
    Retrieval,
    Settings,
    Threshold,
    check_boolean,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.cleaning.preference import Keep
    from neardup.model.verdict import KindName

log = logging.getLogger("neardup")

MANY_PAIRS: Final = 1_000_000
"""From this many pairs on, the log has a warning, and another for each ten times as many."""


def dedup(
    data: Any,
    *,
    text: str = "text",
    threshold: Threshold = DEFAULT_THRESHOLD,
    keep: str = "first",
    source: str = "source",
    time: str = "time",
    keep_kinds: str | Iterable[str] = (),
    against: Any = None,
    retrieval: Retrieval = "sketch",
    pairs: bool = True,
    recipe: Recipe | None = None,
    max_length: int = DEFAULT_MAX_LENGTH,
    threads: int = 1,
) -> Deduped:
    """Finds which of many texts stay, and which are removed as their copies: in memory, without a window, hours or a
    clock.

    `data` is an iterable of texts, of records (the field `text`, perhaps dotted) or of `Document`s; a frame of pandas
    or polars, a table of Arrow, a data set of `datasets` (the column `text`, or a field within a column, also dotted);
    or one column of these.

    Of several copies, the one that `keep` prefers stays: "first", "last", "longest" (in characters), "earliest" by the
    field `time` (a text without a time comes last), or "source:a,b,c" by the field `source`. `against` takes the same
    forms of data: texts that you have already. Their copies are removed, and they themselves are compared with nothing.

    A copy stays as well if its kind is one of `keep_kinds` ("form", "quote", "frame", "other") with each of the kept
    texts most like it (up to 20): about 0.1 ms a copy, and 2 ms a text that stays for its kind.

    With `pairs`, every pair is found, for `Deduped.pairs` and `at`: 16 bytes a pair, and n copies of one text make
    n(n-1)/2 pairs. Without, each text is compared only with those that stay, and with `against`: copies cost little,
    however many there are, and the same texts stay. A text of 4 KB takes about 30 µs, and 1 to 2 KB beside itself.

    A text that cannot be used (missing, not a string, longer than `max_length`) is in `Deduped.rejected` and in the
    log; one of `against` is only in the log, and no text can be its copy.

    Raises `TypeError` if `data` holds no texts, `SettingsError` for a missing column or another unusable setting.

    >>> texts = ["The cat sat on the mat.", "Rain.", "The cat sat on a mat."]
    >>> result = dedup(texts, threshold=0.5)
    >>> result.kept, result.removed, result.copies[0].duplicate_of
    ([0, 1], [2], 0)
    >>> result.at(0.8).kept
    [0, 1, 2]
    """
    rule, kinds, rows = parse_keep(keep), parse_kinds(keep_kinds), held(rows_of(data))
    pairs = check_boolean("pairs", pairs)
    settings = Settings(
        threshold=threshold, retrieval=retrieval, recipe=recipe, max_length=max_length, threads=threads
    )
    own = values(rows, text)
    rows_before = [] if against is None else rows_of(against)
    before = _texts_before(rows_before, text)
    order = preferred(_ranks(rule, own, rows, source=source, time=time))
    ordered = [own[position] for position in order]
    chosen = settings_for(settings, every_pair=pairs, by_kind=bool(kinds))
    run = _Run([*before, *ordered], len(before))
    run.compare(chosen, frozenset() if pairs else kinds)
    unusable = ((order[at - len(before)], why) for at, why in run.rejected if at >= len(before))
    rejected = _rejected(unusable, own, rows, text)
    _log_rejected(rejected, len(own), "texts")
    of_before = _rejected((each for each in run.rejected if each[0] < len(before)), before, rows_before, text)
    _log_rejected(of_before, len(before), "texts of `against`")
    return Deduped(
        rows,
        text,
        settings.threshold_fraction,
        tuple(rejected),
        run.truncated,
        order,
        len(before),
        against is not None,
        run.pairs,
        pairs,
        by_kind(kinds, run.texts, recipe or Recipe()) if kinds and pairs else None,
    )


class _Run:
    """Texts in order of preference, compared each with those before it. The first `kept` all stay."""

    def __init__(self, texts: Sequence[Any], kept: int) -> None:
        self.texts, self._kept = texts, kept
        self.pairs = Pairs()
        self.rejected: list[tuple[int, str]] = []
        self.truncated = 0

    def compare(self, settings: Settings, kept_kinds: frozenset[KindName]) -> None:
        """Finds the pairs; with `kept_kinds`, only those for which a text is removed."""
        log_at = MANY_PAIRS
        before, texts = map(Sourced, self.texts[: self._kept]), map(Sourced, self.texts[self._kept :])
        for each in compared(texts, settings, self._reject, before, kept_kinds):
            self.truncated += each.truncated
            for match in each.matches:
                self.pairs.add(each.at, match.at, match.score)
            if len(self.pairs) >= log_at:
                log.warning(
                    "%s pairs so far: dedup(..., pairs=False) finds only the pairs that it needs",
                    f"{log_at:,}",
                )
                log_at *= 10

    def _reject(self, number: int, reason: str) -> None:
        self.rejected.append((number, reason))


def _rejected(
    unusable: Iterable[tuple[int, str]], texts: Sequence[Any], rows: Any, field: str
) -> list[tuple[int, str]]:
    """The positions of texts that cannot be used, in order, with the reasons for people."""
    return [(at, problem(rows, at, field, texts[at]) or why) for at, why in sorted(unusable)]


def _texts_before(rows: Any, text: str) -> list[Any]:
    try:
        return values(rows, text)
    except SettingsError as error:
        remedy = "in `against`, too; if its texts have another name, pass them alone, such as against=frame['body']"
        raise SettingsError("text", text, f"{error.expected}, {remedy}") from None


def _ranks(rule: Keep, texts: Sequence[Any], rows: Any, *, source: str, time: str) -> list[int]:
    times = values(rows, time, "time") if rule.rule == "earliest" else [None] * len(texts)
    names = values(rows, source, "source") if rule.rule == "source" else [None] * len(texts)
    lengths = [len(text) if isinstance(text, str) else 0 for text in texts]
    about = enumerate(zip(lengths, times, names, strict=True))
    ranks = [rank(rule, at, length, moment, (name,)) for at, (length, moment, name) in about]
    for doubt in doubts(
        rule, ranks, "text", lambda at: (f"position {at}", times[at], "`time` names the field of a record")
    ):
        log.warning(doubt)
    return ranks


def _log_rejected(rejected: list[tuple[int, str]], count: int, what: str) -> None:
    if rejected:
        position, reason = rejected[0]
        log.warning(
            "%d of %d %s rejected, the first at position %d: %s", len(rejected), count, what, position, reason
        )
