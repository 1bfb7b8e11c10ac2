"""What is told once a run of what was read: files passed over, fields that no record has, ids that came again."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from neardup.cli.exit_codes import say
from neardup.cli.tables import counted
from neardup.model.document import Document, Reject

if TYPE_CHECKING:
    from neardup.cli.pipeline import Readable
    from neardup.config import Config
    from neardup.sources.position import Item
    from neardup.sources.reader import Reader

GENERATION: Final = 500_000
"""Ids are looked for among at least so many before them, at most twice as many: a live stream has no end."""


def named_fields(config: Config, *, id: str | None = None, time: str | None = None) -> set[str]:
    """Which of the fields of the id and the time a person has named, by an option or in the configuration."""
    from neardup.sources.fields import Fields

    own, usual = config.fields, Fields()
    is_named = {"id": id or own.id != usual.id, "time": time or own.time != usual.time}
    return {what for what, named in is_named.items() if named}


def tell_of_reading(reader: Reader, named: Collection[str]) -> bool:
    """Tells what `reader` has to say after it has read all; whether no record has one of the fields `named`."""
    for remark in reader.remarks():
        say(remark)
    is_wrong = False
    for remark, having in reader.missing_fields(sorted(named)):
        say(remark)
        is_wrong = is_wrong or not having
    return is_wrong


def tell_passed_over(reader: Reader) -> None:
    """Tells of the files below directories that will not be read."""
    for remark in reader.passed_over:
        say(remark)


class Observed:
    """What `items` yield, the documents of `reader` in whatever order, and in the end what there is to tell of them.

    `named` as `named_fields` says.
    """

    def __init__(self, items: Readable, reader: Reader, named: Collection[str]) -> None:
        self._items, self._reader, self._named = items, reader, named
        self._ids = Ids()

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            if type(item) is Document and self._ids.is_first_other_text(item):
                where = self._items.located(Reject(item.id, ""))
                self._ids.example = f"{item.id!r} at {where.source}" + (
                    f":{where.line}" if where.line else ""
                )
            yield item

    def position(self) -> tuple[float, float | None]:
        """How much is behind us, and of how much."""
        return self._items.position()

    def located(self, reject: Reject) -> Reject:
        """`reject` with the place of its document."""
        return self._items.located(reject)

    def tell(self, replaced: int = 0) -> bool:
        """Tells it; whether the run cannot have been what was meant: most documents gone, or a field nowhere.

        `replaced`: how many stored documents had to go for others of their id, in this run or from before.
        """
        ids = self._ids
        earlier = max(replaced - ids.other, 0)
        if earlier:
            say(
                f"{counted(earlier, 'document')} stored by earlier runs gave way to another text of the same id: "
                "--id-field names the field that tells documents apart, --window another window"
            )
        if ids.same:
            say(
                f"{counted(ids.same, 'document')} came again with the same id and text, and counted once each"
            )
        if ids.other:
            say(
                f"{counted(ids.other, 'document')} had an id that came before in this run with another text, and took "
                f"its place (first: {ids.example}): --id-field names the field that tells documents apart"
            )
        is_wrong = tell_of_reading(self._reader, self._named)
        return is_wrong or 2 * ids.other > ids.count


class Ids:
    """Counts documents with an id of before, and the `same` text or an`other` one; `example` is the first of these.

    Remembered are hashes of 8 bytes, so that one in millions of millions may be wrong.
    """

    def __init__(self, generation: int = GENERATION) -> None:
        self._generation = generation
        self._now: dict[int, int] = {}
        self._before: dict[int, int] = {}
        self.count, self.same, self.other = 0, 0, 0
        self.example = ""

    def is_first_other_text(self, document: Document) -> bool:
        """Count `document`; whether it is the first whose id was another text's."""
        id, text = hash(document.id), hash(document.text)
        known = self._now.get(id, self._before.get(id))
        self.count += 1
        if len(self._now) >= self._generation:
            self._before, self._now = self._now, {}
        self._now[id] = text
        if known is None:
            return False
        if known == text:
            self.same += 1
            return False
        self.other += 1
        return self.other == 1
