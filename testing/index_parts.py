"""Documents in a table and in posting lists, without a window around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from neardup.index.document_table import DocumentTable
from neardup.index.search import Search
from neardup.model.settings import HOUR_MS, Recipe, Settings
from neardup.signing.signer import signer_for
from neardup.stores.records import ROW

if TYPE_CHECKING:
    from neardup.signing.signature import SignedBatch


def line(first: int, last: int) -> str:
    """A normal form of the q-grams (q = 4) numbered `first` to `last` (excluded) in an endless sequence."""
    return "".join(chr(0x10000 + point) for point in range(first, last + 3))


def signed(texts: Sequence[str], recipe: Recipe | None = None, *, counted: bool = False) -> SignedBatch:
    """Normal forms, signed; `counted`: with |A| of all of them."""
    encoded = [text.encode() for text in texts]
    return signer_for(recipe or Recipe()).sign(encoded, normal=True, counted=counted)


def search_of(recipe: Recipe | None = None, **settings: object) -> Search:
    """An empty search."""
    return Search(signer_for(recipe or Recipe()), Settings().with_changes(**settings))


def table_of(batch: SignedBatch, search: Search) -> DocumentTable:
    """A table that holds the batch, all in hour 1, numbered and named from 0 on."""
    table = DocumentTable(search.most_shared)
    rows = np.zeros(len(batch.counts), ROW)
    rows["count"], rows["time"], rows["fingerprint"] = batch.counts, HOUR_MS, batch.fingerprints
    rows["text_bytes"] = np.diff(batch.text_offsets)
    table.extend(rows, np.ones(len(rows), np.int64), batch.bitmaps[:, 1])
    ids = [b"%d" % i for i in range(len(batch.counts))]
    table.ids.extend(ids)
    return table
