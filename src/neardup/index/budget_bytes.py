"""What documents count towards `max_documents` and `max_memory`. Their memory is an estimate, equal on all machines and
in all batches.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from neardup.stores.records import key_counts, text_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.stores.records import Rows

DOCUMENT_BYTES = 320
"""Memory of a document without its postings: row 128, bitmap 64, columns 32, its id and slots, its share of groups, and
spare room.
"""
SKETCH_POSTING_BYTES = 8
"""Memory of a packed posting of a sketch, with its share of the table that is not packed yet; measured at 1 M
documents, benchmarks/README.md.
"""
POSTING_BYTES = 16
"""Memory of any other posting, with its share of the table and spare room."""
HELD_BYTES = 400
"""Memory of a document in a store in memory, without its text: its blob, two objects, two slots."""


class HourCounts:
    """How many `documents`, and `bytes` of memory, count towards the budgets, by hour. Documents that are not in memory
    may count, without bytes, where candidates are searched for in the store.
    """

    def __init__(self) -> None:
        self.documents = Counter[int]()
        self.bytes = Counter[int]()

    def add(self, hours: NDArray[np.int32], sizes: NDArray[np.int64]) -> None:
        """Counts documents of these hours and sizes."""
        own, which = np.unique(hours, return_inverse=True)
        documents, memory = np.bincount(which), np.bincount(which, sizes).astype(np.int64)
        for hour, count, size in zip(own.tolist(), documents.tolist(), memory.tolist(), strict=True):
            self.documents[hour] += count
            self.bytes[hour] += size

    def take_out(self, hour: int, size: int) -> None:
        """Counts one document of `hour`, and of this size, no longer."""
        self.documents[hour] -= 1
        self.bytes[hour] -= size
        if not self.documents[hour]:
            del self.documents[hour], self.bytes[hour]

    def forget_before(self, hour: int) -> dict[int, int]:
        """Counts the hours before `hour` no longer; returns how many documents each of them had, in order."""
        going = sorted(old for old in self.documents if old < hour)
        for old in going:
            del self.bytes[old]
        return {old: self.documents.pop(old) for old in going}


def budget_bytes_of(rows: Rows, held_texts: int) -> NDArray[np.int64]:
    """The bytes of memory that each document counts.

    `held_texts`: 0 if text and blob are on disk or in a cluster; 1 if they are in memory; 2 if the original text and
    fields to be shown are in memory too. These are estimated to be as long as the normal form: they are compressed, but
    have characters that the normal form leaves out.
    """
    sketches, _, prefixes, sentences, bands = key_counts(rows)
    own = np.maximum(SKETCH_POSTING_BYTES * sketches, POSTING_BYTES * prefixes)
    size: NDArray[np.int64] = DOCUMENT_BYTES + own + POSTING_BYTES * (sentences + bands)
    return size + HELD_BYTES + held_texts * text_sizes(rows).astype(np.int64) if held_texts else size
