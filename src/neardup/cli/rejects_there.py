"""The rejected documents of --against, and the end of a run that can compare with none of its files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from neardup.cli.sinks import Rejects
from neardup.cli.tables import some_of
from neardup.errors import OutputRefused
from neardup.sources.files import bytes_escaped

if TYPE_CHECKING:
    from neardup.model.document import Reject

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
        self._first = self._first or reject
        super().add(reject)

    def check_any_usable(self, count: int, names: Iterable[str]) -> None:
        """Raises `OutputRefused` if there are rejects, and the files `names` have only `count` = 0 documents that can
        be used: every document would be no copy, as if it had been compared.
        """
        if count or self._first is None:
            return
        of = some_of([bytes_escaped(name) for name in names])
        why = f"{self._first.where}: {self._first.reason}"
        cause = f"because no document of --against {of} can be used, so no copy can be found: {why}"
        raise OutputRefused("output", "", f"is not written, {cause}")
