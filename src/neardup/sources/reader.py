"""Files of every kind that neardup reads, as one stream of documents."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from neardup.model.document import Document
from neardup.sources import csv_rows, form_readers, html_page
from neardup.sources.encoding import checked_encoding
from neardup.sources.fields import Fields, FieldsKeepingRest, FieldsOfTexts, FieldUse
from neardup.sources.files import (
    STDIN,
    bytes_escaped,
    changed_at,
    form_of,
    is_stream,
    listed,
    opened,
    total_bytes,
)
from neardup.sources.key_search import may_have_key
from neardup.sources.kind_counts import KindCounts
from neardup.sources.other_formats import reason_by_name, taken_for_text
from neardup.sources.position import Position
from neardup.sources.streams import StreamError, chunks, is_live

if TYPE_CHECKING:
    from neardup.model.document import Reject
    from neardup.sources.files import File, Form
    from neardup.sources.position import Item, Record

LONGEST: Final = 128 * 1024 * 1024
"""The most bytes of a line or text file: 10 million characters take at most 120 million in JSON's longest escapes."""
_OTHER: Final = "the encoding {}, not {} as --encoding says"


class Reader:
    """The documents of `paths` in order: JSON Lines, JSON, CSV, text, mail, mailboxes, Parquet and Arrow, with `html`
    also pages, and directories of all those; "-" is standard input.

    Iterating yields a `Document` for every record, a `Reject` in place of a document that cannot be made, and `FLUSH`
    whenever a pipe or standard input has nothing more to give now. No content of a file ends the iteration: a file that
    is cut short or cannot be opened gives one `Reject`, and the next file follows. Gzip and zstd are recognised by
    their first bytes, the form by the name, unless `form` sets it for all files; text is UTF-8, or in the `encoding`
    named, unless the file begins with UTF-8 or a byte order mark. Below a directory all files of known endings are
    read, sorted by path; `passed_over` has a line about the others.

    A record without an id gets the id `<file name>:<line>`; a text file its name, below a directory its path from
    there. From a pipe or standard input, the id is made of the content, so that reading the same again gives the same
    ids. With `keep`, the other fields of a record become `Document.fields`; with `only_texts`, no record is rejected
    for its id or time (`FieldsOfTexts`).

    `bytes_read` of `bytes_total` (None if a pipe is among the paths) have been read, counted as stored on the disk;
    `paths` are the files that are read, `forms` the forms that they are read as.

    >>> list(Reader(["examples/none.jsonl"]))[0].reason
    'cannot be read: No such file or directory'
    """

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        fields: Fields | None = None,
        form: Form | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        longest: int = LONGEST,
        keep: bool = False,
        only_texts: bool = False,
        html: bool = False,
    ) -> None:
        chosen = fields or Fields()
        self._encoding = None if encoding is None else checked_encoding(encoding)
        self._position = Position(encoding=self._encoding)
        kept = FieldsOfTexts.of(chosen) if only_texts else chosen
        self._fields = FieldsKeepingRest.of(chosen) if keep else kept
        self._use = FieldUse(self._fields, self._position)
        self._form = form
        self._delimiter = csv_rows.checked_delimiter(delimiter)
        self._longest = longest
        self._html = html or form == "html"
        if self._html:
            html_page.check_extractor()
        self._files, self.passed_over = listed([os.fspath(path) for path in paths], form, html=self._html)
        self._as_text = KindCounts()
        self._stdin_has_none = False
        self._file: File | None = None
        self.paths = [file.name for file in self._files if file.problem is None and self._form_of(file)]
        self.forms = {form for file in self._files if file.problem is None and (form := self._form_of(file))}
        self.bytes_read = 0
        self.bytes_total = total_bytes(self.paths)
        self._stdin_at = _stdin_position()

    def __iter__(self) -> Iterator[Item]:
        self._use, self._as_text = FieldUse(self._fields, self._position), KindCounts()
        self._position.notices = KindCounts()
        remember = self._position.remember
        for file in self._files:
            self._file = file
            self._position.enter(file.name, bytes_escaped(file.stem))
            before, records = self.bytes_read, self._use.records
            for item in self._items(file):
                if type(item) is Document:
                    remember(item.id)
                yield item
            if file.name == STDIN:
                self._stdin_has_none = self.bytes_read > before and self._use.records == records

    def rewind(self) -> None:
        """Makes the next iteration, of this reader or of another, begin at the beginning again: standard input, too, if
        that is a file.
        """
        self.bytes_read = 0
        if self._stdin_at is not None:
            os.lseek(sys.stdin.fileno(), self._stdin_at, os.SEEK_SET)

    def position(self) -> tuple[int, int | None]:
        """(How many bytes have been read; of how many, None if that is not known)."""
        return self.bytes_read, self.bytes_total

    @property
    def record(self) -> Record | None:
        """The record of the document that was yielded last."""
        return self._position.record

    @property
    def tables(self) -> Collection[Record]:
        """For each header among the tables read, a record without values that stands for the rows below it."""
        return self._position.tables.values()

    @property
    def where(self) -> tuple[str, int | None]:
        """The file, as messages name it, and the line that was read last."""
        return self._position.source, self._position.line or None

    def located(self, reject: Reject) -> Reject:
        """`reject` with the file and line of its document added, if it names none: an engine knows only ids."""
        return self._position.located(reject)

    def file_time(self) -> int | None:
        """When the file of the document that was yielded last was changed last, in milliseconds since 1970. None if the
        document is not a file of its own, but a record or a mail among others, or came from a stream.
        """
        if self._file is None or self._form_of(self._file) not in form_readers.OF_ONE_DOCUMENT:
            return None
        return changed_at(self._file.name)

    def remarks(self) -> Iterator[str]:
        """Messages for the end of a run about how input was understood, such as files taken for text."""
        for kind in self._as_text:
            files = "1 file is" if kind.count == 1 else f"{kind.count:,} files are"
            yield f"{files} {taken_for_text(kind.name)} (first: {kind.first})"
        yield from self._position.noticed()
        if self._form is None and self._stdin_has_none:
            yield (
                "standard input was read as JSON Lines, but has none: name its format by --input (text: all of it is "
                "one document; jq -Rc '{text: .}' makes a record of each line)"
            )
        if self._delimiter is not None and "csv" not in self.forms:
            yield "the delimiter has no effect, because no file was read as CSV: --input csv reads all files as CSV"
        yield from self._use.odd_times()

    def missing_fields(self, named: Collection[str]) -> Iterator[tuple[str, int]]:
        """See `FieldUse.missing`."""
        return self._use.missing(named)

    def without_any_time(self) -> str | None:
        """See `FieldUse.without_any_time`."""
        return self._use.without_any_time()

    def may_have_times(self) -> bool:
        """Whether any record may have a time; False only if none has. Searches JSON, without parsing it, up to the
        first key that may be a time's; files of other forms are taken to have times.
        """
        return any(self._may_have_times(file) for file in self._files if file.problem is None)

    def _form_of(self, file: File) -> Form | None:
        return self._form or file.form or form_of(file.name)

    def _may_have_times(self, file: File) -> bool:
        if self._form_of(file) != "jsonl" or self._encoding is not None:
            return True
        try:
            with opened(file.name) as descriptor:
                return may_have_key(chunks(descriptor), self._fields.time)
        except (StreamError, OSError):
            return True

    def _items(self, file: File) -> Iterator[Item]:
        if file.problem is not None:
            yield self._position.reject(file.problem)
            return
        form = self._form_of(file)
        if form is None:
            yield self._position.reject(reason_by_name(file.name))
            return
        if form in form_readers.OF_TABLES:
            yield from form_readers.rows(form, file.name, self._use, self._position)
            self._count(total_bytes([file.name]) or 0)
            return
        try:
            with opened(file.name) as descriptor:
                self._name_by_content(file, descriptor)
                yield from self._content(form, descriptor)
        except StreamError as error:
            yield self._position.reject(str(error))
        except OSError as error:
            yield self._position.reject(f"cannot be read: {error.strerror or error}")

    def _name_by_content(self, file: File, descriptor: int) -> None:
        """Sets ids to be made of content if this is a stream: two streams read in turn both have a line 1."""
        is_unnamed = file.name == STDIN or is_stream(file.name)
        if is_unnamed or is_live(os.fstat(descriptor).st_mode):
            stem = "stdin" if is_unnamed else bytes_escaped(file.stem)
            self._position.enter(file.name, stem, by_content=True)

    def _content(self, form: Form, descriptor: int) -> Iterator[Item]:
        """The items of the open file. A mail names the encodings of its parts itself."""
        is_mail = form in form_readers.OF_MAIL
        self._position.encoding = self._encoding
        content = chunks(
            descriptor, on_read=self._count, on_other=self._note_other,
            encoding=None if is_mail else self._encoding, is_mail=is_mail,
        )  # fmt: skip
        reading = form_readers.Reading(
            self._use, self._position, self._longest, self._delimiter, html=self._html
        )
        yield from form_readers.items(form, content, reading, self._as_text)

    def _note_other(self, encoding: str) -> None:
        """Notes that the file is in this encoding; if another one is named, that is noticed."""
        self._position.encoding = None if encoding == "utf-8" else encoding
        if self._encoding is not None:
            self._position.notice(f"file has {_OTHER.format(encoding.upper(), self._encoding)}")

    def _count(self, read: int) -> None:
        self.bytes_read += read


def _stdin_position() -> int | None:
    """The present position in standard input, if that is a file that can be read twice; else None."""
    with suppress(OSError, ValueError, AttributeError):
        return os.lseek(sys.stdin.fileno(), 0, os.SEEK_CUR)
    return None
