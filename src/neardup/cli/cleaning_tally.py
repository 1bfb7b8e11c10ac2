"""The figures of a run of `neardup dedup`: how many records stay, how many are removed, and of which kinds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from neardup.cleaning.kept_kinds import KEEPABLE
from neardup.cleaning.records import Entry
from neardup.cli.tables import counted
from neardup.cli.tally import Tally
from neardup.sources.position import ATTACHMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from neardup.cleaning.kept_kinds import KindSample
    from neardup.cleaning.records import OnReject, Outcome
    from neardup.cli.sinks import Rejects
    from neardup.cli.tally import Position
    from neardup.model.document import Flush, Reject


class CleaningTally(Tally):
    """How many records stay and are removed, and why."""

    def __init__(self, sample: KindSample | None, position: Position) -> None:
        super().__init__()
        self.write_lines("read", lambda: self.read, position)
        self._sample = sample
        self._kept_kinds: Counter[str] = Counter()
        self._with_attachments = 0
        self._against = 0
        self._pending = 0

    def noted(self, entries: Iterable[Entry | Flush]) -> Iterator[Entry | Flush]:
        """The `entries`, each recorded as read before it is counted or rejected."""
        for entry in entries:
            self._pending += isinstance(entry, Entry)
            if self._pending % self.every == 0:
                self.update()
            yield entry

    @property
    def read(self) -> int:
        """How many records were read and not rejected so far."""
        return self.count + self._pending

    def rejecting(self, reject: OnReject) -> OnReject:
        """`reject` for records that have been recorded as read."""

        def rejected(entry: Reject) -> None:
            self._pending -= 1
            reject(entry)

        return rejected

    def count_outcome(self, entry: Entry, outcome: Outcome) -> None:
        """Counts the outcome of one record."""
        self._pending -= 1
        is_mail = entry.record.is_made and ATTACHMENTS in entry.record.values
        self._with_attachments += is_mail and outcome.where is not None
        self._against += outcome.against
        self.statuses[outcome.status] += 1
        if outcome.kind is not None:
            (self._kept_kinds if outcome.where is None else self.kinds)[outcome.kind] += 1
        self.count_one(is_incomplete=outcome.truncated)

    def summary(self, rejects: Rejects) -> str:
        """The summary of the run."""
        records = rejects.count - rejects.files
        rejected = f"; {records:,} rejected" if records else ""
        rejected += f"; {counted(rejects.files, 'file')} could not be read" if rejects.files else ""
        removed = self.duplicates
        exact, near = self.statuses["exact"], self.statuses["near"]
        stay = [f"{self.statuses['empty']:,} without a letter or digit"] if self.statuses["empty"] else []
        if self._kept_kinds:
            stay.append(f"{self._kept_kinds.total():,} for their kind: {_named(self._kept_kinds)}")
        why = f" ({'; '.join(stay)})" if stay else ""
        kinds = f"; {_named(self.kinds)}" if self.kinds else ""
        against = f"; {self._against:,} of them copies of records of --against" if self._against else ""
        cut = f"; {self.incomplete:,} not compared with all others" if self.incomplete else ""
        cut += (
            f"; the run ended before the remaining {self._pending:,} were compared" if self._pending else ""
        )
        read = self.read + records
        return (
            f"{read:,} read: {self.count - removed:,} kept{why}, {removed:,} removed "
            f"({exact:,} exact, {near:,} near{kinds}{against}){cut}{rejected}; {self.seconds:.1f} s"
        )

    def advice(self) -> str:
        """Lines of advice about the removed records; empty if there are none."""
        return "\n".join(filter(None, (self._of_attachments(), self._of_kinds())))

    def _of_attachments(self) -> str:
        """A sentence with how many removed mails have attachments, which are not compared; empty if none has."""
        if not self._with_attachments:
            return ""
        have = "has" if self._with_attachments == 1 else "have"
        return (
            f"{self._with_attachments:,} of the {self.duplicates:,} removed {have} attachments or forwarded mails, "
            f"which are not compared: --removed names them ({ATTACHMENTS})"
        )

    def _of_kinds(self) -> str:
        """A sentence: how many of the removed near copies are not plain copies, by a sample, and how to keep them."""
        if self._sample is None:
            return ""
        near, looked_at, kinds = self._sample.looked()
        others = Counter[str]({kind: kinds[kind] for kind in KEEPABLE if kinds[kind]})
        # A run ended by a signal has looked at more copies than it counts.
        if not others or near != self.statuses["near"]:
            return ""
        of = (
            f"of the {near:,} near"
            if looked_at == near
            else f"of {looked_at:,} of the {near:,} near, drawn at random,"
        )
        is_are = "is no plain copy" if others.total() == 1 else "are no plain copies"
        return (
            f"{of} {others.total():,} {is_are} ({_named(others)}): --keep-kinds {','.join(others)} keeps them, --kinds "
            "marks them in --removed"
        )


def _named(kinds: Counter[str]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
