"""Restoring a window's memory from documents that are stored already: table and posting lists from rows and keys."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.index.bulk_postings import BulkPostings
from neardup.index.query_batch import posted, with_fingerprints
from neardup.kernels.bitmap_filter import WORDS as BITMAP_WORDS
from neardup.kernels.ranges import gathered
from neardup.kernels.sketch import UNCOUNTED
from neardup.model.counted import counted
from neardup.stores.base import by_part
from neardup.stores.records import (
    KEY_COUNTS,
    are_set_aside,
    are_too_short,
    are_without_words,
    fingerprints_of,
    hours_of,
    key_counts,
    key_starts,
    prefix_sizes,
    qgram_counts,
    rows_at,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.signing.signature import Keys, Offsets
    from neardup.stores.base import Records
    from neardup.stores.records import Rows
    from neardup.window.state import State

log = logging.getLogger("neardup")

_REBUILD_BATCH: Final = 256
_FILL_BATCH: Final = 65_536
_BULK_FROM: Final = 1 << 18
_BULK_LEAST: Final = 1 << 23
_BULK_SHARE: Final = 8
"""From 2^18 postings of sketches on, they are packed 2^23 at once, or an eighth of all if that is more, because each
time all postings packed before are moved.
"""
_SKETCH, _BITMAP, _PREFIX, _SENTENCES, _BANDS = range(len(KEY_COUNTS))


def add_stored(state: State, stored: Records) -> None:
    """Adds stored documents by their last rows; all came later than those in the table.

    Costs 2 to 4 µs a document. One that was stored without the keys that this state searches by costs more: its text is
    read and signed again.
    """
    table, rows = state.table, stored.rows
    hours = hours_of(rows)
    first = table.extend(rows, hours, None)
    table.ids.extend(stored.ids)
    table.ids.let_find_all(np.arange(first, first + len(stored.ids)), stored.ids.texts())
    table.alive[first : table.size] = ~are_set_aside(rows)
    table.chain_same_texts(first)
    table.join_groups(first)
    table.account(first, table.size)
    state.resume()
    state.search.leave_out(stored.common_words)
    _warn_of_lacking(state, first)
    bulk = _bulk_of(state, rows) if state.settings.retrieval == "sketch" else None
    for own, keys in zip(by_part(stored.part_of, len(stored.keys)), stored.keys, strict=True):
        docs = first + own
        for at in range(0, len(docs), _FILL_BATCH):
            _fill(state, docs[at : at + _FILL_BATCH], keys, bulk)
    if bulk is not None:
        bulk.pack()


def _bulk_of(state: State, rows: Rows) -> BulkPostings | None:
    """The packer for the sketches of `rows`; None if they are too few to be packed in bulk."""
    total = int(key_counts(rows)[_SKETCH].sum())
    if total < _BULK_FROM:
        return None
    return BulkPostings(state.search.lists, min(total, max(_BULK_LEAST, total // _BULK_SHARE)))


def _warn_of_lacking(state: State, first: int) -> None:
    """Logs which keys documents from `first` on were stored without; once a window, however often it is added to."""
    table = state.table
    rows = table.rows[first : table.size]
    unread = np.count_nonzero(are_without_words(rows))
    if state.search.reads_words and unread and "words" not in state.warned:
        state.warned.add("words")
        ways = [f"by the route {route}" for route in state.search.routes]
        ways += ["as partial copies"] if state.search.sentences is not None else []
        log.warning(
            "at least %s stored without their sentences and simhashes, so %s they are found only in a new window",
            counted(int(unread), "document was", "documents were"), " and ".join(ways),
        )  # fmt: skip
    posted = table.first_of[first : table.size] == np.arange(first, table.size)
    lacking = np.count_nonzero(posted & _lacks_prefix(state, rows))
    # A store that holds whole documents (a cluster) never stores prefixes: no warning there.
    if lacking and state.store.keeps_text is not None and "prefixes" not in state.warned:
        state.warned.add("prefixes")
        log.warning(
            "at least %s stored for another retrieval or threshold: their texts are signed again",
            counted(int(lacking), "document was", "documents were"),
        )


def _lacks_prefix(state: State, rows: Rows) -> NDArray[np.bool_]:
    """Which documents were stored without the prefix that this opening searches by."""
    if state.settings.retrieval == "sketch":
        return np.zeros(len(rows), np.bool_)
    counts = qgram_counts(rows).astype(np.int64)
    needed = state.search.prefix_lengths(np.maximum(counts, 0))
    lacking: NDArray[np.bool_] = (counts == UNCOUNTED) | (prefix_sizes(rows) < needed)
    return lacking


class _StoredKeys:
    """The stored `keys` of the documents of `rows`, by kind."""

    def __init__(self, rows: Rows, keys: NDArray[np.uint64]) -> None:
        self.keys, self.counts = keys, key_counts(rows)
        self.starts = key_starts(rows, self.counts)

    def of(self, kind: int, chosen: NDArray[np.bool_] | slice = slice(None)) -> tuple[Keys, Offsets]:
        """The keys of one kind of all documents or the `chosen` ones, one document after another, and n + 1 offsets."""
        return gathered(self.keys, self.starts[kind][chosen], self.counts[kind][chosen])


def _fill(state: State, docs: NDArray[np.int64], keys: NDArray[np.uint64], bulk: BulkPostings | None) -> None:
    """Restores documents `docs` of one hour from that hour's stored keys; their postings by `bulk`, if there is one."""
    search, rows = state.search, rows_at(state.table.rows, docs)
    stored = _StoredKeys(rows, keys)
    with_bitmap = stored.counts[_BITMAP] > 0
    bitmaps, _ = stored.of(_BITMAP, with_bitmap)
    state.table.set_bitmaps(docs[with_bitmap], bitmaps.reshape(-1, BITMAP_WORDS))
    _post(state, docs, rows, stored, bulk)
    if search.sentences is not None:
        hours = state.table.hours[docs[are_without_words(rows)]]
        search.sentences.add(*stored.of(_SENTENCES), docs, hours)
    for kind, route in ((_SENTENCES, "sentences"), (_BANDS, "simhash")):
        if route in search.routes:
            search.routes[route].add(*stored.of(kind), docs, np.empty(0, np.int32))


def _post(
    state: State, docs: NDArray[np.int64], rows: Rows, stored: _StoredKeys, bulk: BulkPostings | None
) -> None:
    """Posts the first document of each text by the keys that this opening searches by; the shortest by fingerprints."""
    kind, chosen = _SKETCH, state.table.first_of[docs] == docs
    if state.settings.retrieval == "complete":
        lacking = chosen & _lacks_prefix(state, rows)
        if lacking.any():
            _post_texts(state, docs[lacking])
        kind, chosen = _PREFIX, chosen & ~lacking
    short, fingerprints = chosen & are_too_short(rows), fingerprints_of(rows)[:, 0]
    if bulk is not None:
        bulk.add(stored.keys, stored.starts[kind][chosen], stored.counts[kind][chosen], docs[chosen])
        one = np.ones(np.count_nonzero(short), np.int64)
        bulk.add(fingerprints[short], np.arange(len(one)), one, docs[short])
        return
    own, offsets = stored.of(kind, chosen)
    own = own if kind == _PREFIX else posted(own)
    state.search.lists.add(
        *with_fingerprints(own, offsets, short[chosen], fingerprints[chosen]), docs[chosen]
    )


def _post_texts(state: State, docs: NDArray[np.int64]) -> None:
    """Posts documents that were stored without the prefix that this opening searches by: signs their texts again."""
    for at in range(0, len(docs), _REBUILD_BATCH):
        part = docs[at : at + _REBUILD_BATCH]
        batch = state.search.query_batch(state.texts(part.tolist()), normal=True)
        state.table.count(part, batch.signed.counts)
        state.search.lists.add(*state.search.posting_keys(batch), part)
