"""The files that a run reads: checks before, and reports after the reading."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Protocol

import typer

from neardup.cli.context import is_new_window, report_new_window
from neardup.cli.streams import log_line
from neardup.cli.tables import counted
from neardup.model.document import Document, Reject

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.config import Config
    from neardup.model.settings import Policy
    from neardup.sources.position import Item
    from neardup.sources.reader import Reader
    from neardup.sources.time_order import DatedReader, SortedReader


def check_any(reader: Reader) -> None:
    """Raises `typer.BadParameter` if there is no file to read, with the reason for the first."""
    if not reader.paths:
        reasons = (f"{item.source}: {item.reason}" for item in reader if isinstance(item, Reject))
        raise typer.BadParameter(next(reasons, "there is no file"), param_hint="FILE")


class Readable(Protocol):
    """A source of documents that knows in which file and line each was read."""

    def __iter__(self) -> Iterator[Item]: ...

    def position(self) -> tuple[float, float | None]:
        """(How much has been read; of how much, None if that is not known)."""
        ...

    def located(self, reject: Reject) -> Reject:
        """`reject` with the source and line of its document."""
        ...


def without_limit(location: str, config: Config, dated: DatedReader) -> Config:
    """`config`, without a limit of hours if files are read into a new window and no hours are given. Reports that a
    window is new, for a stream or in a cluster, too.

    Raises `SettingsError` if a cluster has no room for so many hours, each of which becomes an index; for a stream also
    if no window can be made.
    """
    from neardup.elastic.http.address import is_address

    if dated.is_live:
        report_new_window(location, config, config.settings.window_hours)
        return config
    in_cluster = is_address(location)
    if config.hours:
        if in_cluster:
            report_new_window(location, config, config.settings.window_hours)
        return config
    if not is_new_window(location, config, hours=lambda: dated.hour_order().hours):
        return config
    if in_cluster:
        log_line(f"{location} is a new window")
    log_line(
        "no limit of hours: all documents of the files are compared (--window-hours 24 for a rolling window)"
    )
    return config.with_options(window_hours=0)


def needs_no_window(location: str, config: Config, dated: DatedReader) -> bool:
    """Whether files would make a new window and put nothing into it, which is then reported: an empty window would
    impose its recipe and hours on the next attempt.

    Raises `SettingsError` if no window can be made.
    """
    from neardup.window.usable_documents import usable

    def is_usable(document: Document) -> bool:
        return any(True for _ in usable([document], config.settings, lambda _: None))

    if not dated.has_only_rejects(is_usable) or not is_new_window(location, config, hours=lambda: 0):
        return False
    log_line("no window is made: nothing that was read can be used")
    return True


def in_time_order(target: Window, dated: DatedReader) -> DatedReader | SortedReader:
    """The documents of files, in order of time if the window has a limit of hours."""
    from neardup.sources.time_order import SortedReader

    if dated.is_live or not target.settings.kept_hours or dated.hour_order().in_order:
        return dated
    hours = counted(target.settings.kept_hours, "hour")
    log_line(
        "the files are not in order of time: their documents are sorted by time first, because this window keeps "
        f"{hours}"
    )
    return SortedReader(dated)


def named_fields(config: Config, *, id: str | None = None, time: str | None = None) -> set[str]:
    """Which of the fields "id" and "time" the user has named, by an option or in the configuration."""
    from neardup.sources.fields import Fields

    own, usual = config.fields, Fields()
    is_named = {"id": id or own.id != usual.id, "time": time or own.time != usual.time}
    return {what for what, named in is_named.items() if named}


def fields_to_show(config: Config) -> list[str]:
    """The fields that --show names, without those that the id, the text and the time are taken from."""
    own = config.fields.id, config.fields.text, *config.fields.time
    return [name for name in config.settings.show if name not in own] if "show" in config.options else []


def report_passed_over(reader: Reader) -> None:
    """Reports the files below directories that will not be read."""
    for remark in reader.passed_over:
        log_line(remark)


def report_read(reader: Reader, named: Collection[str]) -> bool:
    """Reports how `reader` understood its files, once read; returns whether no record has one of the fields `named`."""
    for remark in reader.remarks():
        log_line(remark)
    is_wrong = False
    for remark, having in reader.missing_fields(sorted(named)):
        log_line(remark)
        is_wrong = is_wrong or not having
    return is_wrong


def report_earlier_copies(count: int, location: str, *, policy: Policy) -> None:
    """Reports how many copies are earlier than the documents that they are marked as copies of."""
    if count:
        earlier = counted(
            count, "copy is earlier than its original", "copies are earlier than their originals"
        )
        remedy = f"neardup reconcile --window {location} marks all as if they had arrived in order of time"
        if policy == "drop":
            remedy = "the policy drop has not stored them; neardup dedup --keep earliest keeps the earliest"
        log_line(f"{earlier}, which arrived first: {remedy}")
