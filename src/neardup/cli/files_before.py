"""Files whose copies a run of `neardup dedup` removes, without writing the files themselves."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from neardup.cleaning.records import Before, Entry, entries, from_first_usable
from neardup.cli import inputs
from neardup.cli.against import check_files, report_compared
from neardup.cli.rejects_there import RejectsThere, reporting
from neardup.sources.files import bytes_escaped

if TYPE_CHECKING:
    from neardup.cli.config import Config
    from neardup.model.document import Flush, Reject
    from neardup.sources.reader import Reader


class FilesBefore:
    """The files of `names`, perhaps none, read with the options `reading`; `is_whole`: as for `Against`, after reading.

    Raises `typer.BadParameter` for a window, for a file that does not exist, and for a file that is cleaned itself.
    """

    def __init__(
        self, names: list[str], config: Config, reading: Mapping[str, Any], *, apart_from: Reader
    ) -> None:
        check_files(names, "--against", "dedup compares with files only, `neardup check` with a window")
        self.names, self._reader = names, config.reader(names, **reading)
        self._rejects = RejectsThere()
        self._records: Iterator[Entry | Flush] = entries(self._reader, self._rejects.add)
        self._count, self.is_whole = 0, not names
        cleaned = set(map(os.path.realpath, apart_from.paths))
        for path in self._reader.paths:
            if os.path.realpath(path) in cleaned:
                why = f"{bytes_escaped(path)} is also to be cleaned: all of it would be removed as a copy of itself"
                raise typer.BadParameter(why, param_hint="--against")

    def check_any_usable(self, max_length: int) -> None:
        """Raises `OutputRefused` if the files have records, and none of their texts can be used. Reads up to the
        first that can: to be called before anything is written.
        """
        inputs.report_passed_over(self._reader)
        usable = from_first_usable(self._records, max_length, self._rejects.add)
        self._records = usable or iter(())
        if usable is None and self._rejects.count:
            with self._rejects:
                self._rejects.check_any_usable(0, self.names)

    @contextmanager
    def opened(self) -> Iterator[Before]:
        """A context with the records of the files; its end reports how many there were, and how many were unusable."""
        with self._rejects as rejects:

            def reject(unusable: Reject) -> None:
                self._count -= 1
                rejects.add(unusable)

            yield Before(self._counted(reporting(self._records, self._reader)), reject)
        if self.names:
            self.is_whole = report_compared(self._reader, self.names, self._count, rejects)

    def _counted(self, records: Iterator[Entry | Flush]) -> Iterator[Entry | Flush]:
        for each in records:
            self._count += isinstance(each, Entry)
            yield each
