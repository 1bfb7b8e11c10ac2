"""Crowds: documents of one template, whose exact overlaps with another document are worked out all at once.

Warnings, alerts, form letters, campaigns: each matches all that came before, and reading all their texts for each of
them takes a time that grows with the square of their number. What makes a crowd and who is in it never changes a
verdict, only how |A ∩ B| is worked out (kernels/crowd.py has the formula). Crowds are made as they are met, are held in
memory alone, and are made anew after an opening or a compaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.index.posting_lists import PostingLists
from neardup.kernels.crowd import Members, compare_in_crowd, core_table, count_crowds, differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from neardup.kernels.batch_search import Documents
    from neardup.signing.signature import Keys

FEWEST: Final = 32
"""So many documents that had to be read for one comparison make a crowd: fewer are read as fast."""
SAMPLE: Final = 9
"""Texts that a core is made of: what more than half of them hold."""
_PROBED: Final = 256
"""Candidates whose crowd is looked up before it is compared: of a crowd that matters some are among them."""
_BITSETS: Final = 8_192
"""Keys that are counted by bitset at most: as many as two texts of 4 KB of a template have differences."""
_NONE, _LONER = -1, -2
_SALT: Final = 0x9E3779B97F4A7C15
_MASK: Final = 0xFFFFFFFFFFFFFFFF


class Core(NamedTuple):
    """What most documents of a crowd hold: a table of `size` keys.

    `salt`: differences from the core are posted under their keys xor this, so that no two crowds share a posting list.
    """

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
    """The crowds of a window, over the docs that are posted (`Documents.first_of`).

    Memory: 12 bytes a document of the window, about 6 bytes for every q-gram in which a member differs from its core; a
    document that differs in more than half of its q-grams is in no crowd.
    """

    def __init__(self) -> None:
        self._cores: list[Core] = []
        self._beyond, self._lacked = (PostingLists(bitsets=_BITSETS) for _ in range(2))
        self._members = Members(np.full(0, _NONE, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32))

    @property
    def memory(self) -> int:
        """Bytes of posting lists, cores and columns."""
        cores = sum(core.table.nbytes for core in self._cores)
        columns = sum(column.nbytes for column in self._members)
        return self._beyond.memory + self._lacked.memory + cores + columns

    def sizes(self, docs: NDArray[np.int64], documents: Documents) -> NDArray[np.int64]:
        """About how many of `docs` are of each crowd: 0 for some of the smallest."""
        self._resize(len(documents.alive))
        sizes = np.zeros(len(self._cores), np.int64)
        if len(sizes):
            step = max(len(docs) // _PROBED, 1)
            count_crowds(docs, documents.first_of, self._members.crowd_of, step, sizes)
        return sizes

    def compare(
        self,
        crowd: int,
        subject: Subject,
        docs: NDArray[np.int64],
        documents: Documents,
        threshold: tuple[int, int],
        shared: NDArray[np.int64],
        state: NDArray[np.uint8],
    ) -> Difference:
        """Fills in `shared` and `state` (kernels/crowd.py) of those of `docs` that are of `crowd`.

        Returns the keys in which the subject differs from the core. Costs reading their posting lists, and a few
        additions a member.
        """
        core = self._cores[crowd]
        difference = _difference(subject.keys, core)
        base = core.size - len(difference.lacked)
        read = self._tally(difference, core.salt, 1)
        compare_in_crowd(
            docs, documents, self._members, crowd, base, len(subject.keys), subject.fingerprint, *threshold,
            shared, state,
        )  # fmt: skip
        if 8 * read > len(self._members.tallied):
            self._members.tallied[:] = 0
        else:
            self._tally(difference, core.salt, -1)
        return difference

    def _tally(self, difference: Difference, salt: np.uint64, step: int) -> int:
        """Adds to `tallied` what every member of a crowd has in common with a difference; returns postings read."""
        read = 0
        for lists, keys in ((self._beyond, difference.beyond), (self._lacked, difference.lacked)):
            if len(keys):
                read += lists.tally(keys, salt, step, self._members.tallied)
        return read

    def add_crowd(self, sets: Sequence[Keys]) -> int:
        """Makes a crowd whose core is what more than half of these key sets hold; returns it. It has no member yet."""
        keys, counts = np.unique(np.concatenate(sets), return_counts=True)
        keys = keys[(2 * counts > len(sets)) & (keys != 0)]
        salt = np.uint64(_SALT * (len(self._cores) + 1) & _MASK)
        self._cores.append(Core(core_table(keys), len(keys), salt))
        return len(self._cores) - 1

    def add_members(
        self, crowd: int, docs: Sequence[int], sets: Sequence[Keys], *, last: bool = False
    ) -> list[int]:
        """Makes members of a crowd of those of the posted `docs` whose key sets are near its core.

        Returns the positions in `docs` of the others; where this is their `last` chance, they stay in no crowd for
        good.
        """
        core = self._cores[crowd]
        others = [
            i
            for i, (doc, keys) in enumerate(zip(docs, sets, strict=True))
            if not self.add_member(crowd, doc, len(keys), _difference(keys, core))
        ]
        if last and others:
            self._members.crowd_of[[docs[i] for i in others]] = _LONER
        return others

    def add_member(self, crowd: int, doc: int, count: int, difference: Difference) -> bool:
        """Makes the posted `doc`, of `count` q-grams, a member of a crowd if it is near its core; whether it is.

        What is a member already stays one: posted twice, it would be counted twice.
        """
        if self._members.crowd_of[doc] >= 0:
            return True
        if 2 * (len(difference.beyond) + len(difference.lacked)) > count:
            return False
        self._members.crowd_of[doc] = crowd
        self._members.lacking[doc] = len(difference.lacked)
        one, salt = np.array([doc]), self._cores[crowd].salt
        for lists, keys in ((self._beyond, difference.beyond), (self._lacked, difference.lacked)):
            if len(keys):
                lists.add(keys ^ salt, np.array([0, len(keys)]), one)
        return True

    def is_free(self, docs: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of these posted docs are in no crowd and may become members of one."""
        free: NDArray[np.bool_] = self._members.crowd_of[docs] == _NONE
        return free

    def _resize(self, size: int) -> None:
        crowd_of, lacking, _ = self._members
        more = size - len(crowd_of)
        if more > 0:
            self._members = Members(
                np.concatenate([crowd_of, np.full(more, _NONE, np.int32)]),
                np.concatenate([lacking, np.zeros(more, np.int32)]),
                np.zeros(size, np.int32),
            )


def _difference(keys: Keys, core: Core) -> Difference:
    out = np.empty(len(keys) + core.size, np.uint64)
    beyond, lacking = differences(keys, core.table, out)
    return Difference(out[:beyond], out[beyond : beyond + lacking])
