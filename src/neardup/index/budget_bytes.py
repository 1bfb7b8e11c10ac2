"""What a document is counted as towards `max_memory`: an estimate, the same on every machine and in every batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.stores.records import key_counts, text_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.stores.records import Rows

DOCUMENT_BYTES = 320
"""Memory of a document apart from its postings, for `max_memory`: row 128, bitmap 64, columns 32, its id and slots, its
share of groups, and spare room.
"""
SKETCH_POSTING_BYTES = 8
"""Memory of a posting of a sketch, packed, with its share of the table that is not yet; measured at 1 M documents,
benchmarks/README.md.
"""
POSTING_BYTES = 16
"""Memory of any other posting with its share of table and spare room."""
HELD_BYTES = 400
"""Memory of a document in a store that ends with its process, apart from its text: its blob, two objects, two slots."""


def budget_bytes_of(rows: Rows, held_texts: int) -> NDArray[np.int64]:
    """Bytes of memory that each document is counted as.

    `held_texts`: 0 where its text and blob lie on a disk or in a cluster, 1 where they are in memory, 2 where what is
    to be shown is there as well, which is taken for as long as the text: it is that, compressed, and what a normal form
    leaves out.
    """
    sketches, _, prefixes, sentences, bands = key_counts(rows)
    own = np.maximum(SKETCH_POSTING_BYTES * sketches, POSTING_BYTES * prefixes)
    size: NDArray[np.int64] = DOCUMENT_BYTES + own + POSTING_BYTES * (sentences + bands)
    return size + HELD_BYTES + held_texts * text_sizes(rows).astype(np.int64) if held_texts else size
