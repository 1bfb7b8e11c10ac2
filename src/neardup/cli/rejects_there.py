"""The documents of --against: progress and rejects of reading them; the end of a run that can compare with none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from neardup.cli.sinks import Rejects
from neardup.cli.tables import some_of
from neardup.cli.tally import Lines
from neardup.errors import OutputRefused
from neardup.model.document import Flush
from neardup.sources.files import bytes_escaped

if TYPE_CHECKING:
    from neardup.model.document import Reject
    from neardup.sources.reader import Reader

Each = TypeVar("Each")

_ANOTHER: Final = "--text-field names another"
_ANOTHER_THERE: Final = "--against-text-field names another"


class RejectsThere(Rejects):
    """The rejected documents of --against. Another option names the field of their text."""

    def __init__(self) -> None:
        super().__init__(None, has_option=False)
        self._first: Reject | None = None

    def add(self, reject: Reject) -> None:
        """Shows a reject if it is the first of its kind."""
        if reject.reason.endswith(_ANOTHER):
            reject = reject._replace(reason=reject.reason.removesuffix(_ANOTHER) + _ANOTHER_THERE)
        if not _is_empty_folder(reject):
            self._first = self._first or reject
        super().add(reject)

    def check_any_usable(self, count: int, names: Iterable[str]) -> None:
        """Raises `OutputRefused` if there are rejects, and the files `names` have only `count` = 0 documents that can
        be used: every document would be no copy, as if it had been compared. An empty folder has no document.
        """
        if count or self._first is None:
            return
        of = some_of([bytes_escaped(name) for name in names])
        why = f"{self._first.where}: {self._first.reason}"
        cause = f"because no document of --against {of} can be used, so no copy can be found: {why}"
        raise OutputRefused("output", "", f"is not written, {cause}")


def _is_empty_folder(reject: Reject) -> bool:
    folder = Path(reject.source or "")
    return reject.source is not None and folder.is_dir() and not any(folder.iterdir())


def reporting(items: Iterable[Each], reader: Reader) -> Iterator[Each]:
    """The `items` of the files of --against. Lines on standard error say from time to time how many have been read."""
    count = 0
    report = Lines("of --against read", lambda: count, reader.position)
    for item in items:
        count += not isinstance(item, Flush)
        report()
        yield item
