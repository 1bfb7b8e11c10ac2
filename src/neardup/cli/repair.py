"""neardup doctor --repair: reports which parts of a damaged window in a directory are whole and which are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from neardup.cli.exit_codes import DONE, UNUSABLE
from neardup.cli.streams import log_line
from neardup.cli.tables import check_output, counted, print_lines, print_table
from neardup.model.hours import hour_name
from neardup.stores.hour_files import NAMES, ROWS
from neardup.stores.repair import ASIDE, repair
from neardup.stores.window_directory import HOURS, check_window
from neardup.window.signing_again import signing_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from neardup.cli.options import Printed
    from neardup.stores.survey import HourSurvey, Survey

_NAMED: Final = 5


def repair_window(path: Path, format: Printed, *, force: bool) -> int:
    """Repairs the window at `path`, or without `force` reports what that would do; prints the losses by hour.

    Returns the exit code, that of an unusable window as long as there is something to repair.
    """
    check_output()
    check_window(path)
    survey = repair(path, signing_of, dry_run=not force)
    if survey.is_whole:
        log_line(f"nothing to repair: {path} is not damaged")
        return DONE
    losses = list(_losses(survey))
    if format == "jsonl":
        print_lines(losses)
    elif losses:
        print_table(("hour", "kept", "lost", "unreadable", "lost ids"), map(_cells, losses))
    for line in _in_words(survey, path):
        log_line(line)
    if not force:
        log_line("nothing was changed: --force does it")
        return UNUSABLE
    log_line(f"repaired: {path} can be opened")
    return DONE


def _losses(survey: Survey) -> Iterator[dict[str, Any]]:
    """For each damaged hour the numbers kept and lost; null where a number cannot be known."""
    for hour in survey.hours:
        if hour.is_damaged:
            yield {
                "hour": hour_name(hour.hour),
                "kept": len(hour.kept),
                "lost": len(hour.lost),
                "unreadable": hour.unreadable,
                "unreadable_at": hour.unreadable_at,
                "ids": hour.lost,
            }
    for lost in survey.lost_hours:
        yield {
            "hour": hour_name(lost),
            "kept": 0,
            "lost": None,
            "unreadable": None,
            "unreadable_at": [],
            "ids": [],
        }


def _cells(loss: dict[str, Any]) -> list[Any]:
    ids = loss["ids"]
    more = f" and {len(ids) - _NAMED:,} more (--format jsonl names all)" if ids[_NAMED:] else ""
    known = ["?" if loss[name] is None else loss[name] for name in ("hour", "kept", "lost", "unreadable")]
    return [*known, " ".join(ids[:_NAMED]) + more]


def _in_words(survey: Survey, path: Path) -> Iterator[str]:
    for hour in survey.hours:
        if hour.is_damaged and hour.unreadable_at:
            yield _where_unreadable(hour)
    for name, source in survey.restorable.items():
        yield f"{name} is damaged: {source} replaces it"
    if survey.missing is None:
        yield "the commit is damaged: all intact documents are kept, and it is not known how many there were"
    elif survey.missing:
        yield (
            f"{counted(survey.missing, 'committed version')} of documents cannot be read: unless its hour is lost, an "
            "earlier version of such a document may be kept, even if the document was deleted later"
        )
    unsigned = sum(int((~hour.signed).sum()) for hour in survey.hours)
    if unsigned:
        yield (
            f"of {counted(unsigned, 'document')}, only the search keys are damaged: they are computed again from the "
            "texts, except sentences (--partial) and simhashes"
        )
    if any(hour.is_damaged for hour in survey.hours):
        yield f"the files of damaged hours are moved to {path / ASIDE}: delete them when they are no longer needed"


def _where_unreadable(hour: HourSurvey) -> str:
    """The places of rows of which not even the id can be read."""
    file = f"{HOURS}/{hour_name(hour.hour)}/{NAMES[ROWS]}"
    starts = ", ".join(f"{start:,}" for start, _ in hour.unreadable_at[:_NAMED])
    more = hour.unreadable - len(hour.unreadable_at[:_NAMED])
    rest = f" and {more:,} more" if more > 0 else ""
    length = hour.unreadable_at[0][1]
    rows = counted(hour.unreadable, "row")
    return (
        f"{file}: {rows} of {length} bytes cannot be read, so the ids are not known: from byte {starts}{rest}"
    )
