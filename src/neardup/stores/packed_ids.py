"""Ids of many documents as UTF-8, one after another: a list of strings takes eight times the memory."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from neardup.kernels.ranges import gathered
from neardup.signing.signature import concatenated, joined, part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

_AT_ONCE: Final = 1 << 16
"""How many ids are converted to strings at once."""


class PackedIds:
    """Ids: number i is `names[starts[i]:starts[i + 1]]`, as UTF-8."""

    __slots__ = ("names", "starts")

    def __init__(self, names: NDArray[np.uint8], starts: NDArray[np.int64]) -> None:
        self.names, self.starts = names, starts

    @classmethod
    def of(cls, ids: Sequence[bytes]) -> PackedIds:
        """Packs `ids`, which are UTF-8."""
        return cls(*concatenated(ids))

    @classmethod
    def among(cls, data: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> PackedIds:
        """Packs copies of `data[starts[i]:starts[i] + sizes[i]]`."""
        return cls(*gathered(data, starts, sizes))

    @classmethod
    def joined(cls, parts: Sequence[PackedIds]) -> PackedIds:
        """The ids of all parts, one after another."""
        return cls(*joined([(part.names, part.starts) for part in parts])) if parts else cls.of([])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, at: int) -> bytes:
        """Id number `at`, as UTF-8."""
        return self.names[self.starts[at] : self.starts[at + 1]].tobytes()

    def first(self, count: int) -> PackedIds:
        """The first `count` ids; shares memory."""
        return PackedIds(*part_of(self.names, self.starts, 0, count))

    def chosen(self, which: NDArray[Any]) -> PackedIds:
        """Copies of the ids chosen by `which`, an array of numbers or booleans."""
        starts = self.starts[:-1][which]
        return PackedIds.among(self.names, starts, self.starts[1:][which] - starts)

    def texts(self) -> Iterator[str]:
        """The ids as strings, about 0.1 µs each."""
        for first in range(0, len(self), _AT_ONCE):
            names, starts = part_of(self.names, self.starts, first, min(first + _AT_ONCE, len(self)))
            data, positions = names.tobytes(), starts.tolist()
            text = data.decode()
            if len(text) == len(data):
                yield from map(text.__getitem__, map(slice, positions, positions[1:]))
            else:
                yield from [data[begin:end].decode() for begin, end in pairwise(positions)]
