"""`neardup.dedup`: the texts of a list, a frame or a table without their copies, in memory."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from neardup.cleaning.compared import compared, settings_for
from neardup.cleaning.frames import problem, rows_of, values
from neardup.cleaning.kept_kinds import by_kind, parse_kinds
from neardup.cleaning.preference import doubts, parse_keep, preferred, rank, time_rank
from neardup.cleaning.result import Deduped
from neardup.cleaning.star import Pairs
from neardup.errors import SettingsError
from neardup.model.settings import (
    DEFAULT_MAX_LENGTH,
    DEFAULT_THRESHOLD,
    Recipe,
    Retrieval,
    Settings,
    check_boolean,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.cleaning.compared import Compared
    from neardup.cleaning.preference import Keep
    from neardup.model.verdict import KindName

log = logging.getLogger("neardup")

MANY_PAIRS: Final = 1_000_000
"""From this many pairs on, the log has a warning, and another for each ten times as many."""


def dedup(
    data: Any,
    *,
    text: str = "text",
    threshold: Any = DEFAULT_THRESHOLD,
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
    or polars, a table of Arrow, a data set of `datasets` (the column `text`); or one column of these.

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
    rule, kinds, rows = parse_keep(keep), parse_kinds(keep_kinds), rows_of(data)
    pairs = check_boolean("pairs", pairs)
    settings = Settings(
        threshold=threshold, retrieval=retrieval, recipe=recipe, max_length=max_length, threads=threads
    )
    own = values(rows, text)
    before = [] if against is None else _texts_before(against, text)
    ranks = _ranks(rule, rows, source=source, time=time)
    lengths = [len(value) if isinstance(value, str) else 0 for value in own]
    order = preferred(rule, lengths, ranks)
    run = _Run(text)
    ordered = [own[position] for position in order]
    chosen = settings_for(settings, every_pair=pairs, by_kind=bool(kinds))
    run.compare(before, ordered, chosen, frozenset() if pairs else kinds)
    rejected = sorted((order[at - len(before)], why) for at, why in run.rejected if at >= len(before))
    _log_rejected(rejected, len(own), "texts")
    of_before = sorted(each for each in run.rejected if each[0] < len(before))
    _log_rejected(of_before, len(before), "texts of `against`")
    return Deduped(
        rows,
        text,
        settings.threshold_fraction,
        tuple(rejected),
        run.truncated,
        order,
        len(before),
        run.pairs,
        pairs,
        by_kind(kinds, [*before, *ordered], recipe or Recipe()) if kinds and pairs else None,
    )


class _Run:
    """Texts in order of preference, compared each with those before it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.pairs = Pairs()
        self.rejected: list[tuple[int, str]] = []
        self.truncated = 0
        self._numbers: list[int] = []  # of the texts that were passed on, among all texts

    def compare(
        self, before: Sequence[Any], texts: Sequence[Any], settings: Settings, kept_kinds: frozenset[KindName]
    ) -> None:
        """Finds the pairs of `texts` with those before them, and with `before`, which come first and all stay; with
        `kept_kinds`, only the pairs for which a text is removed.
        """
        log_at = MANY_PAIRS
        usable = self._usable(texts, len(before))
        for each in compared(usable, settings, self._reject, self._usable(before, 0), kept_kinds):
            self._add(each)
            if len(self.pairs) >= log_at:
                log.warning(
                    "%s pairs so far: dedup(..., pairs=False) finds only the pairs that it needs",
                    f"{log_at:,}",
                )
                log_at *= 10

    def _usable(self, texts: Sequence[Any], first: int) -> Iterator[str]:
        for at, value in enumerate(texts, first):
            why = problem(value, self._name)
            if why is None:
                self._numbers.append(at)
                yield str.__str__(value)  # the text, not what a subclass prints
            else:
                self.rejected.append((at, why))

    def _reject(self, number: int, reason: str) -> None:
        self.rejected.append((self._numbers[number], reason))

    def _add(self, each: Compared) -> None:
        at = self._numbers[each.at]
        self.truncated += each.truncated
        for match in each.matches:
            self.pairs.add(at, self._numbers[match.at], match.score)


def _texts_before(against: Any, text: str) -> list[Any]:
    try:
        return values(rows_of(against), text)
    except SettingsError as error:
        remedy = "in `against`, too; if its texts have another name, pass them alone, such as against=frame['body']"
        raise SettingsError("text", text, f"{error.expected}, {remedy}") from None


def _ranks(rule: Keep, rows: Any, *, source: str, time: str) -> list[int]:
    ranks: list[int] = []
    times: Sequence[Any] = ()
    if rule.rule == "earliest":
        times = values(rows, time, "time")
        ranks = [time_rank(value) for value in times]
    elif rule.rule == "source":
        ranks = [rank(rule, name) for name in values(rows, source, "source")]
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
