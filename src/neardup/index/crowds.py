"""Crowds: documents of one template, whose exact overlaps with another document are computed all at once.

Warnings, alerts, form letters, campaigns: each document matches all earlier ones, and reading all their texts for each
of them takes time that grows with the square of their number. Crowds and their members never change a verdict, only how
|A ∩ B| is computed (kernels/crowd.py has the formula). Crowds are made when comparisons find them, are kept only in
memory, and are made anew after an opening or a compaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.index.member_lists import MemberLists
from neardup.index.reused_array import ReusedArray
from neardup.kernels.crowd import (
    Differences,
    Tallied,
    core_table,
    count_crowds,
    differences,
    differences_of_texts,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.signing.signature import Keys, Offsets, SignedBatch
    from neardup.signing.signer import Signer

FEWEST: Final = 32
"""From this many documents on that had to be read for one comparison, they make a crowd: fewer are read as fast."""
SAMPLE: Final = 9
"""How many texts a core is made from: it consists of the keys that more than half of them have."""
_NONE, _LONER = -1, -2
_NOBODY: Final = np.zeros(0, np.int32)
NO_CROWD: Final = Tallied(-3, 0, _NOBODY, _NOBODY, np.zeros(0, np.uint16), _NOBODY)
"""The tally of a set against no crowd."""
_PROBED: Final = 128
"""How many candidates are sampled for their crowds before a comparison: any large crowd is among them."""
_BITSETS: Final = 16_384
"""The most keys counted by bitset, which bounds their memory to 2 KB a member. Lists of other keys are read."""
_FIRST_MEMBERS: Final = 64


class _Crowd:
    """One crowd: its core, and how each member differs from it.

    Keys beyond the core and lacking keys of the core are posted in one set of lists, because no key can be both.
    Postings are member numbers, not docs, so that a list with most members is dense, even in a window of many other
    documents.
    """

    def __init__(self, keys: Keys) -> None:
        self._core = core_table(keys)
        self._lists = MemberLists(_BITSETS)
        self._lacking, self._sizes, self._docs = (np.full(_FIRST_MEMBERS, _NONE, np.int32) for _ in range(3))
        self.size = 0

    @property
    def memory(self) -> int:
        """Bytes of core, columns and posting lists."""
        arrays = (*self._core, self._lacking, self._sizes, self._docs)
        return self._lists.memory + sum(array.nbytes for array in arrays)

    def differences(self, keys: Keys, offsets: Offsets) -> Differences:
        """The differences of the sets `keys[offsets[i]:offsets[i + 1]]` from the core."""
        out = self._memory_for(len(offsets) - 1, len(keys))
        differences(keys, offsets, self._core, out)
        return out._replace(keys=out.keys[: out.offsets[-1]])

    def differences_of(self, batch: SignedBatch, which: NDArray[np.int64], signer: Signer) -> Differences:
        """The differences of the documents `which` of a signed batch from the core; sets their |A| in the batch."""
        sizes = np.diff(batch.text_offsets)[which]
        out = self._memory_for(len(which), int(sizes.sum()) + 1)
        differences_of_texts(
            batch.texts, batch.text_offsets, which, signer.recipe.q, signer.scratch(int(sizes.max())),
            self._core, batch.counts, out,
        )  # fmt: skip
        return out._replace(keys=out.keys[: out.offsets[-1]])

    def _memory_for(self, sets: int, keys: int) -> Differences:
        """Memory for the differences of `sets` sets, with `keys` keys together."""
        return Differences(
            np.empty(keys + sets * len(self._core.slots), np.uint64),
            np.empty(sets + 1, np.int64),
            np.empty(sets, np.int64),
        )

    def tallied(self, crowd: int, difference: Differences, reused: ReusedArray) -> list[Tallied]:
        """The tally of each set in `difference` against all present members; the memory is that of `reused`."""
        counts = self._lists.tally(difference.keys, difference.offsets, self.size, reused)
        columns, docs = (self._lacking[: self.size], self._sizes[: self.size]), self._docs[: self.size]
        bases = (len(self._core.slots) - difference.lacking).tolist()
        return [
            Tallied(crowd, base, *columns, row[: self.size], docs)
            for base, row in zip(bases, counts, strict=True)
        ]

    def add(
        self, counts: Offsets, difference: Differences, new: NDArray[np.bool_], docs: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Adds the sets that are `new`, with sizes `counts`, as members for `docs`; returns their member numbers."""
        members = np.where(new, self.size + np.cumsum(new) - 1, -1)
        before, size = self.size, self.size + int(new.sum())
        if size > len(self._sizes):
            more = np.full(max(len(self._sizes), size), _NONE, np.int32)
            held = self._sizes, self._lacking, self._docs
            self._sizes, self._lacking, self._docs = (np.append(each, more) for each in held)
        self._sizes[before:size] = counts[new]
        self._lacking[before:size] = difference.lacking[new]
        self.size = size  # before posting, which may fail half-way: tallies must have room for all members
        self._lists.add_members(difference.keys, difference.offsets, members)
        self._docs[before:size] = docs[new]  # last: members that are only posted in part belong to no doc
        return members[new]


class Sizes(NamedTuple):
    """About how many of some docs are in each crowd (`by_crowd`; the smallest may be 0), the crowd that has the most
    (`main`, None if there is none), and how many that has (`largest`).
    """

    by_crowd: NDArray[np.int64]
    main: int | None
    largest: int


class Crowds:
    """The crowds of a window; their members are posted docs (`Documents.first_of`).

    Memory: 8 bytes a document of the window, about 6 bytes for every q-gram in which a member differs from its core,
    and as much again for bitsets; a document that differs in more than half of its q-grams is in no crowd.
    """

    def __init__(self) -> None:
        self._crowds: list[_Crowd] = []
        self._reused = ReusedArray()
        self.members = np.full((0, 2), _NONE, np.int32)

    @property
    def memory(self) -> int:
        """Bytes of crowds and columns."""
        return int(self.members.nbytes) + sum(crowd.memory for crowd in self._crowds)

    def sizes(self, docs: NDArray[np.int32], first_of: NDArray[np.int32]) -> Sizes:
        """An estimate of how many of `docs` are in each crowd."""
        more = len(first_of) - len(self.members)
        if more > 0:
            self.members = np.concatenate([self.members, np.full((more, 2), _NONE, np.int32)])
        sizes = np.zeros(len(self._crowds), np.int64)
        main = count_crowds(docs, first_of, self.members, max(len(docs) // _PROBED, 1), sizes)
        return Sizes(sizes, None if main < 0 else main, int(sizes[main]) if main >= 0 else 0)

    def size(self, crowd: int) -> int:
        """How many members a crowd has."""
        return self._crowds[crowd].size

    def tallied(
        self,
        crowd: int,
        batch: SignedBatch,
        which: NDArray[np.int64],
        docs: NDArray[np.int64],
        signer: Signer,
    ) -> list[Tallied]:
        """The tallies of the documents `which` of a signed batch against the crowd. The documents become members as
        `docs`, as with `add_members`.

        Afterwards their |A| are counted. Costs reading the posting lists of their differences (`MemberLists`).
        """
        difference = self._crowds[crowd].differences_of(batch, which, signer)
        self._add(crowd, batch.counts[which], difference, docs)
        return self._crowds[crowd].tallied(crowd, difference, self._reused)

    def add_crowd(self, keys: Keys, offsets: Offsets) -> int:
        """Makes a crowd, without members yet, whose core is the keys that more than half of some of these sets have.
        Returns its number.
        """
        chosen = range(0, len(offsets) - 1, max((len(offsets) - 1) // SAMPLE, 1))
        sets = [keys[offsets[i] : offsets[i + 1]] for i in chosen]
        core, counts = np.unique(np.concatenate(sets), return_counts=True)
        self._crowds.append(_Crowd(core[(2 * counts > len(sets)) & (core != 0)]))
        return len(self._crowds) - 1

    def add_members(
        self, crowd: int, keys: Keys, offsets: Offsets, docs: NDArray[np.int64], *, last: bool = False
    ) -> NDArray[np.bool_]:
        """Adds to a crowd those of the posted `docs`, each once, whose key sets are near its core.

        Returns which sets are near. A doc of -1 does not become a member. If this is the `last` chance, the other docs
        stay in no crowd for good.
        """
        difference = self._crowds[crowd].differences(keys, offsets)
        near = self._add(crowd, np.diff(offsets), difference, docs)
        if last:
            self.members[docs[~near], 0] = _LONER
        return near

    def _add(
        self, crowd: int, counts: Offsets, difference: Differences, docs: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Adds the sets near the core. Docs that are members already are not added again: their keys would be counted
        twice.
        """
        near: NDArray[np.bool_] = 2 * np.diff(difference.offsets) <= counts
        new = near & (docs >= 0) & (self.members[docs, 0] < 0)
        if new.any():
            added = docs[new]
            self.members[added, 1] = self._crowds[crowd].add(counts, difference, new, docs)
            self.members[added, 0] = crowd
        return near

    def is_free(self, docs: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of these posted docs are in no crowd and may still become members of one."""
        free: NDArray[np.bool_] = self.members[docs, 0] == _NONE
        return free
