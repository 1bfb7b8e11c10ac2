"""Crowds: documents of one template, whose exact overlaps with another document are worked out all at once.

Warnings, alerts, form letters, campaigns: each matches all that came before, and reading all their texts for each of
them takes a time that grows with the square of their number. What makes a crowd and who is in it never changes a
verdict, only how |A ∩ B| is come by (kernels/crowd.py has the formula). Crowds are made as they are met, are held in
memory alone, and are made anew after an opening or a compaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.index.posting_lists import PostingLists
from neardup.kernels.crowd import compare_in_crowd, core_table, count_crowds, differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from neardup.kernels.posting_lists import Documents
    from neardup.signing.signature import Keys

FEWEST: Final = 32
"""So many documents that had to be read for one comparison make a crowd: fewer are read as fast."""
SAMPLE: Final = 9
"""Texts that a core is made of: what more than half of them hold."""
_LOOKED_AT: Final = 256
"""Candidates that are asked for their crowd before it is compared: of a crowd that matters some are among them."""
_BITSETS: Final = 8_192
"""Keys that are counted by bitset at most: as many as two texts of 4 KB of a template have differences."""
_NONE, _LONER = -1, -2
_SALT: Final = 0x9E3779B97F4A7C15
_MASK: Final = 0xFFFFFFFFFFFFFFFF


class Core(NamedTuple):
    """What most documents of a crowd hold: a table of `size` keys. `salt` keeps the keys of crowds apart."""

    table: Keys
    size: int
    salt: np.uint64


class Subject(NamedTuple):
    """The document that is compared: its set A and the two halves of its fingerprint."""

    keys: Keys
    fingerprint: Keys


class Difference(NamedTuple):
    r"""A \ C and C \ A of a set and the core of a crowd."""

    beyond: Keys
    lacked: Keys


class Crowds:
    """The crowds of a window, over the document numbers that are posted (`Documents.first_of`).

    Memory: 12 bytes a document of the window, about 6 bytes for every q-gram in which a member differs from its core; a
    document that differs in more than half of its q-grams is in no crowd.
    """

    def __init__(self) -> None:
        self._cores: list[Core] = []
        self._beyond, self._lacked = (PostingLists(bitsets=_BITSETS) for _ in range(2))
        self._of = np.full(0, _NONE, np.int32)
        self._lacking = np.zeros(0, np.int32)
        self._tallied = np.zeros(0, np.int32)

    @property
    def memory(self) -> int:
        """Bytes of posting lists, cores and columns."""
        cores = sum(core.table.nbytes for core in self._cores)
        columns = self._of.nbytes + self._lacking.nbytes + self._tallied.nbytes
        return self._beyond.memory + self._lacked.memory + cores + columns

    def sizes(self, numbers: NDArray[np.int64], table: Documents) -> NDArray[np.int64]:
        """About how many of `numbers` are of each crowd: of the smallest there may be none."""
        self._resize(len(table.alive))
        sizes = np.zeros(len(self._cores), np.int64)
        if len(sizes):
            count_crowds(numbers, table.first_of, self._of, max(len(numbers) // _LOOKED_AT, 1), sizes)
        return sizes

    def compare(
        self,
        crowd: int,
        subject: Subject,
        numbers: NDArray[np.int64],
        table: Documents,
        threshold: tuple[int, int],
        shared: NDArray[np.int64],
        state: NDArray[np.uint8],
    ) -> Difference:
        """Fills in `shared` and `state` (kernels/crowd.py) of those of `numbers` that are of `crowd`.

        Costs the runs of the keys in which the subject differs from the core, and a few additions a member. Returns
        those keys.
        """
        core = self._cores[crowd]
        difference = _difference(subject.keys, core)
        base = core.size - len(difference.lacked)
        read = self._tally(difference, core.salt, 1)
        compare_in_crowd(
            numbers, table.first_of, table.counts, table.fingerprints, self._of, crowd, self._lacking, self._tallied,
            base, len(subject.keys), subject.fingerprint, *threshold, shared, state,
        )  # fmt: skip
        if 8 * read > len(self._tallied):
            self._tallied[:] = 0
        else:
            self._tally(difference, core.salt, -1)
        return difference

    def _tally(self, difference: Difference, salt: np.uint64, step: int) -> int:
        """Counts, for every member of a crowd, what it has in common with a difference; postings read."""
        read = 0
        for lists, keys in ((self._beyond, difference.beyond), (self._lacked, difference.lacked)):
            if len(keys):
                read += lists.tally(keys, salt, step, self._tallied)
        return read

    def found(self, sets: Sequence[Keys]) -> int:
        """A new crowd whose core is what more than half of these key sets hold."""
        keys, counts = np.unique(np.concatenate(sets), return_counts=True)
        keys = keys[(2 * counts > len(sets)) & (keys != 0)]
        salt = np.uint64(_SALT * (len(self._cores) + 1) & _MASK)
        self._cores.append(Core(core_table(keys), len(keys), salt))
        return len(self._cores) - 1

    def take_in(
        self, crowd: int, numbers: Sequence[int], sets: Sequence[Keys], *, last: bool = False
    ) -> list[int]:
        """Makes members of a crowd of those of the posted documents `numbers` whose key sets are near its core.

        Returns the places in `numbers` of the others; where this is their `last` chance, they are left alone for good.
        """
        core = self._cores[crowd]
        others = [
            place
            for place, (number, keys) in enumerate(zip(numbers, sets, strict=True))
            if not self.join(crowd, number, len(keys), _difference(keys, core))
        ]
        if last and others:
            self._of[[numbers[place] for place in others]] = _LONER
        return others

    def join(self, crowd: int, number: int, count: int, difference: Difference) -> bool:
        """Makes the posted document `number`, of `count` q-grams, a member of a crowd; whether it is near its core.

        What is a member already stays one: posted twice, it would be counted twice.
        """
        if self._of[number] >= 0:
            return True
        if 2 * (len(difference.beyond) + len(difference.lacked)) > count:
            return False
        self._of[number] = crowd
        self._lacking[number] = len(difference.lacked)
        one, salt = np.array([number]), self._cores[crowd].salt
        for lists, keys in ((self._beyond, difference.beyond), (self._lacked, difference.lacked)):
            if len(keys):
                lists.add(keys ^ salt, np.array([0, len(keys)]), one)
        return True

    def is_free(self, numbers: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of these posted documents are in no crowd and may be taken into one."""
        free: NDArray[np.bool_] = self._of[numbers] == _NONE
        return free

    def _resize(self, size: int) -> None:
        if size > len(self._of):
            more = size - len(self._of)
            self._of = np.concatenate([self._of, np.full(more, _NONE, np.int32)])
            self._lacking = np.concatenate([self._lacking, np.zeros(more, np.int32)])
            self._tallied = np.zeros(size, np.int32)


def _difference(keys: Keys, core: Core) -> Difference:
    out = np.empty(len(keys) + core.size, np.uint64)
    beyond, lacking = differences(keys, core.table, out)
    return Difference(out[:beyond], out[beyond : beyond + lacking])
