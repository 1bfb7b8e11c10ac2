"""What commands read: one text, or the files of a run, and what there is to report of them in the end."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Protocol

import typer

from neardup.cli.context import is_new_window, report_new_window
from neardup.cli.streams import log_line
from neardup.cli.tables import counted
from neardup.errors import DocumentError
from neardup.model.document import AssumedTime, Document, Reject, format_time, parse_time

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.config import Config
    from neardup.model.settings import Policy
    from neardup.sources.files import Form
    from neardup.sources.position import Item
    from neardup.sources.reader import Reader
    from neardup.sources.time_order import DatedReader, SortedReader

GENERATION: Final = 500_000
"""Ids are looked for among at least so many before them, at most twice as many: a live stream has no end."""
_UNDATED: Final[dict[type, str]] = {
    AssumedTime: "that of the one before, or the first",
    NoneType: "that of arrival",
}
"""What the time is of documents that have none, by what `DatedReader` gives them."""
_MOST_SHOWN: Final = 40
"""Characters of a text that a message about it shows."""


# ---- one text ----


def one_text(
    text: str | None,
    file: Path | None,
    *,
    otherwise: str | None = None,
    otherwise_option: str = "",
    encoding: str | None = None,
    html: bool = False,
    form: Form | None = None,
) -> str | None:
    """The text that is meant, None if `otherwise` (the value of `otherwise_option`) is given in its place.

    Of a page it is the markup, too, unless `html` is so. `form`: what the file is, whatever its name. Raises
    `typer.BadParameter` unless exactly one of the three is given, and for a file of records, `DocumentError` for a file
    that is no text.
    """
    given = [value for value in (text, file, otherwise) if value is not None]
    if len(given) != 1:
        names = " or ".join(name for name in ("--text", "--file", otherwise_option) if name)
        raise typer.BadParameter(f"give exactly one of {names}")
    return _content(file, encoding, html=html, form=form) if file else from_command_line(text, "--text")


def is_file(name: str) -> bool:
    """Whether `name` is a file that is there, or standard input."""
    from neardup.sources import files

    return name == files.STDIN or files.is_file(name)


def is_record_of_file(name: str) -> bool:
    """Whether `name` is that of a record, as messages and `dedup` name it: of a file that is there, and its line."""
    file, _, line = name.rpartition(":")
    return line.isdecimal() and is_file(file)


def record_of_file(name: str, config: Config, **reading: Any) -> Document:
    """The document of the record that `is_record_of_file`; its file is read up to there, as `Config.reader` says.

    Raises `DocumentError` for one that cannot be used, or that is not there.
    """
    file, _, line = name.rpartition(":")
    reader = config.reader([file], **reading)
    item = None
    for item in reader:
        if isinstance(item, Document) and reader.where == (file, int(line)):
            return item
        if isinstance(item, Reject) and reader.located(item).line in (None, int(line)):
            raise DocumentError(name, item.reason)
    why = f"no record of {file} is at line {line}"
    if isinstance(item, Reject):
        why += f"; before it {file}:{reader.located(item).line} is rejected: {item.reason}"
    raise DocumentError(name, why)


def from_command_line(text: str | None, option: str) -> str | None:
    """`text` as it was meant: what the locale could not decode is UTF-8, or no text.

    Raises `DocumentError`, naming the `option` and how the text begins, for the latter.
    """
    from neardup.sources import files

    if text is None or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    data = os.fsencode(text)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        shown = files.escaped(text)
        shown = f"{shown[:_MOST_SHOWN]}…" if len(shown) > _MOST_SHOWN else shown
        reason = f"{shown} is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise DocumentError(option, reason) from None


def time_of(document: Document) -> str:
    """The time that a record has itself; "" where it has none that can be read."""
    try:
        return "" if document.time is None else format_time(parse_time(document.time))
    except ValueError:
        return ""


def _content(file: Path, encoding: str | None, *, html: bool, form: Form | None) -> str:
    from neardup.sources.files import STDIN, form_of, is_delivered
    from neardup.sources.reader import Reader

    own = None if str(file) == STDIN else "mail" if is_delivered(file) else form_of(file.name)
    _check_not_records(file, form or own)
    form = form or (own if own == "mail" or (own == "html" and html) else "text")
    reader = Reader([file], form=form, encoding=encoding, html=html)
    for item in reader:
        if isinstance(item, Document):
            _report_kind(file, item.text, reader)
            return item.text
        if isinstance(item, Reject):
            raise DocumentError(str(file), item.reason)
    raise DocumentError(str(file), "there is nothing to read")


def _check_not_records(file: Path, form: Form | None) -> None:
    if form not in ("text", "html", "mail", None):
        raise typer.BadParameter(
            f"{file} holds records, not one text: give the text of one by --text, or all of them to `neardup ingest`; "
            f"--file - < {file} takes the whole of it for one text",
            param_hint="--file",
        )


def _report_kind(file: Path, text: str, reader: Reader) -> None:
    """A message about a text that looks like something else, which is compared with whatever makes it that."""
    if is_record(text):
        name = "standard input" if str(file) == "-" else str(file)
        log_line(
            f"{name} looks like a record, and is compared with its braces and names; --text takes the text alone"
        )
        return
    for remark in reader.remarks():
        log_line(remark)


def is_record(text: str) -> bool:
    """Whether the first line of `text`, or the whole of it, is an object of JSON."""
    import orjson

    for part in (text.partition("\n")[0], text):
        try:
            if part.lstrip().startswith("{") and isinstance(orjson.loads(part), dict):
                return True
        except orjson.JSONDecodeError:
            continue
    return False


# ---- the files of a run ----


def check_any(reader: Reader) -> None:
    """Raises `typer.BadParameter` if there is no file to read, with the reason for the first."""
    if not reader.paths:
        reasons = (f"{item.source}: {item.reason}" for item in reader if isinstance(item, Reject))
        raise typer.BadParameter(next(reasons, "there is no file"), param_hint="FILE")


class Readable(Protocol):
    """A source of documents that knows where each was read."""

    def __iter__(self) -> Iterator[Item]: ...

    def position(self) -> tuple[float, float | None]:
        """How much is behind us, and of how much."""
        ...

    def located(self, reject: Reject) -> Reject:
        """`reject` with the source and line of its document."""
        ...


def without_limit(location: str, config: Config, dated: DatedReader) -> Config:
    """`config` without a limit of hours for a new window that files are read into, unless hours are given. That
    one is new is told, for a stream too.

    Raises `SettingsError` if so many hours do not fit into a cluster, where each becomes an index; for a stream also
    where no window can be made.
    """
    if dated.is_live:
        report_new_window(location, config.settings.window_hours)
        return config
    if config.hours:
        return config
    if not is_new_window(location, config, hours=lambda: dated.hour_order().hours):
        return config
    log_line("files are compared whole: no limit of hours (--window-hours 24 for a rolling window)")
    return config.with_options(window_hours=0)


def in_time_order(target: Window, dated: DatedReader) -> DatedReader | SortedReader:
    """The documents of files as a window with a limit of hours needs them: in order of time."""
    from neardup.sources.time_order import SortedReader

    if dated.is_live or not target.settings.kept_hours or dated.hour_order().in_order:
        return dated
    hours = counted(target.settings.kept_hours, "hour")
    log_line(f"the files are not in order of time: read in that order, because this window keeps {hours}")
    return SortedReader(dated)


def named_fields(config: Config, *, id: str | None = None, time: str | None = None) -> set[str]:
    """Which of the fields of the id and the time a person has named, by an option or in the configuration."""
    from neardup.sources.fields import Fields

    own, usual = config.fields, Fields()
    is_named = {"id": id or own.id != usual.id, "time": time or own.time != usual.time}
    return {what for what, named in is_named.items() if named}


def report_passed_over(reader: Reader) -> None:
    """Messages about the files below directories that will not be read."""
    for remark in reader.passed_over:
        log_line(remark)


def report_read(reader: Reader, named: Collection[str]) -> bool:
    """Messages about what `reader` has read, all of it; whether no record has one of the fields `named`."""
    for remark in reader.remarks():
        log_line(remark)
    is_wrong = False
    for remark, having in reader.missing_fields(sorted(named)):
        log_line(remark)
        is_wrong = is_wrong or not having
    return is_wrong


def report_earlier_copies(count: int, location: str, *, policy: Policy) -> None:
    """A message about copies that are earlier than what they are marked as copies of."""
    if count:
        earlier = counted(
            count, "copy is earlier than its original", "copies are earlier than their originals"
        )
        remedy = f"neardup reconcile --window {location} marks all as if they had come in order of time"
        if policy == "drop":
            remedy = "the policy drop has not stored them; neardup dedup --keep earliest keeps the earliest"
        log_line(f"{earlier}, which came first here: {remedy}")


class IdCheckingReader:
    """What `items` yield, the documents of `reader` in whatever order; it counts the ids that come again, and the
    documents without a time.

    `named` as `named_fields` says.
    """

    def __init__(self, items: DatedReader | SortedReader, reader: Reader, named: Collection[str]) -> None:
        self._items, self._reader, self._named = items, reader, named
        self._ids = RepeatedIds()
        self._last: Document | None = None
        self._undated: dict[type, int] = dict.fromkeys(_UNDATED, 0)
        self._first_undated = ""

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            if type(item) is Document:
                self._last = item
                if self._ids.is_first_other_text(item):
                    self._ids.example = f"{item.id!r} at {self._where(item)}"
                if (kind := type(item.time)) in self._undated:
                    self._undated[kind] += 1
                    self._first_undated = self._first_undated or self._where(item)
            yield item

    def _where(self, document: Document) -> str:
        where = self._items.located(Reject(document.id, ""))
        return f"{where.source}:{where.line}" if where.line else f"{where.source}"

    def position(self) -> tuple[float, float | None]:
        """How much is behind us, and of how much."""
        return self._items.position()

    def located(self, reject: Reject) -> Reject:
        """`reject` with the source and line of its document, which counts no longer if it was the last."""
        if self._last is not None and self._last.id == reject.id:
            if (kind := type(self._last.time)) in self._undated:
                self._undated[kind] -= 1
                self._first_undated = self._first_undated if any(self._undated.values()) else ""
            self._last = None
            self._ids.forget_last(reject.id)
        return self._items.located(reject)

    def report_undated(self) -> None:
        """Messages about the times that documents without one were given."""
        for kind, time in _UNDATED.items():
            if count := self._undated[kind]:
                have = counted(count, "document without a time has", "documents without a time have")
                log_line(f"{have} {time} (first: {self._first_undated})")

    def report(self, target: Window) -> bool:
        """Messages about what was read into `target`; whether it cannot be what was meant: most documents gone, or a
        field nowhere.
        """
        replaced, settings = target.replaced, target.settings
        loses = (
            settings.policy == "drop" or settings.kept_hours or settings.max_documents or settings.max_memory
        )
        ids = self._ids
        other = min(ids.other, replaced)
        rest = ids.other - other  # where nothing is lost, they differ by white space and punctuation alone
        same = ids.same if loses else ids.same + rest
        if (stored := target.unchanged - same) > 0:
            were = counted(stored, "document was", "documents were")
            log_line(f"{were} there from earlier runs, with the same text: nothing of that has changed")
        if earlier := replaced - other:
            log_line(
                f"{counted(earlier, 'document')} stored by earlier runs gave way to another text of the same id: "
                "--id-field names the field that tells documents apart (without one, a record is called by its file's "
                "name), --window another window"
            )
        if same:
            log_line(
                f"{counted(same, 'document')} came again with the same id and text: counted above, and not stored twice"
            )
        if other:
            log_line(
                f"{counted(other, 'document')} had an id that came before in this run with another text, and took "
                f"its place (first: {ids.example}): --id-field names the field that tells documents apart"
            )
        if rest and loses:
            log_line(
                f"{counted(rest, 'document')} had an id that came before in this run with another text, which was no "
                "longer stored, or differs by white space and punctuation alone"
            )
        is_wrong = report_read(self._reader, self._named)
        return is_wrong or 2 * other > ids.count


class RepeatedIds:
    """Counts documents with an id of before, and the `same` text or an`other` one; `example` is the first of these.

    Remembered are hashes of 8 bytes, so that one in millions of millions may be wrong.
    """

    def __init__(self, generation: int = GENERATION) -> None:
        self._generation = generation
        self._now: dict[int, int] = {}
        self._before: dict[int, int] = {}
        self.count, self.same, self.other = 0, 0, 0
        self.example = ""
        self._last: tuple[str, int | None] | None = None

    def is_first_other_text(self, document: Document) -> bool:
        """Count `document`; whether it is the first whose id was another text's."""
        id, text = hash(document.id), hash(document.text)
        known = self._now.get(id, self._before.get(id))
        self.count += 1
        if len(self._now) >= self._generation:
            self._before, self._now = self._now, {}
        self._now[id] = text
        self._last = document.id, known
        if known is None:
            return False
        if known == text:
            self.same += 1
            return False
        self.other += 1
        return self.other == 1

    def forget_last(self, rejected: str | None) -> None:
        """Count the last document no longer, if it is the one of the id `rejected`."""
        if self._last is None or self._last[0] != rejected:
            return
        id, known = hash(rejected), self._last[1]
        text, self._last = self._now.pop(id), None
        self.count -= 1
        if known is not None:
            self._now[id] = known
            self.same -= known == text
            self.other -= known != text
