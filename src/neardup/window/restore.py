"""Restoring a window's memory from documents that are stored already: table and posting lists from rows and keys."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.index.query_batch import posted, with_fingerprints
from neardup.kernels.bitmap_filter import WORDS as BITMAP_WORDS
from neardup.kernels.sketch import UNCOUNTED
from neardup.stores.records import (
    KEY_COUNTS,
    are_set_aside,
    are_too_short,
    are_without_words,
    chosen_rows,
    fingerprints_of,
    hours_of,
    key_counts,
    key_starts,
    prefix_sizes,
    qgram_counts,
)
from neardup.window.signed_rows import gathered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.stores.base import Records
    from neardup.stores.records import Rows
    from neardup.window.state import State

log = logging.getLogger("neardup")

_REBUILD_BATCH: Final = 256
_FILL_BATCH: Final = 262_144
_FILL_SHARE: Final = 8
"""Sketches are posted 262,144 at once, or an eighth of all: all packed lists are moved each time. Those of a complete
search, 25 times as long, are not packed, and need not be held together for it.
"""
_SKETCH, _BITMAP, _PREFIX, _SENTENCES, _BANDS = range(len(KEY_COUNTS))


def add_stored(state: State, stored: Records) -> None:
    """Adds documents by their last rows, all later than those in the table.

    Costs 2 to 4 µs a document, unless its keys are not those that this state searches by: then its text is read and
    signed again.
    """
    table, rows = state.table, stored.rows
    hours = hours_of(rows)
    first = table.extend(rows, hours, None)
    table.ids.extend([id.encode() for id in stored.ids])
    table.ids.let_find_all(np.arange(first, first + len(stored.ids)), stored.ids)
    table.alive[first : table.size] = ~are_set_aside(rows)
    table.chain_same_texts(first)
    table.join_groups(first)
    table.account(first, table.size)
    state.resume()
    if state.search.sentences is not None:
        state.search.sentences.common |= stored.common_sentences
    _warn_of_lacking(state, first)
    postings: list[_Postings] = []
    packs = state.settings.retrieval == "sketch"
    at_once = max(_FILL_BATCH, table.size // _FILL_SHARE) if packs else 0
    for part, keys in enumerate(stored.keys):
        docs = first + np.flatnonzero(stored.part_of == part)
        for at in range(0, len(docs), _FILL_BATCH):
            postings.append(_fill(state, docs[at : at + _FILL_BATCH], keys))
            if sum(len(some.docs) for some in postings) >= at_once:
                _post(state, postings)
    _post(state, postings)


def _warn_of_lacking(state: State, first: int) -> None:
    """Logs, once a window however often it is added to, what documents from `first` on were not stored with."""
    table = state.table
    rows = table.rows[first : table.size]
    unread = np.count_nonzero(are_without_words(rows))
    if state.search.sentences is not None and unread and "sentences" not in state.warned:
        state.warned.add("sentences")
        log.warning(
            "%d documents or more were stored without their sentences: as partial copies only a new window finds them",
            unread,
        )
    posted = table.first_of[first : table.size] == np.arange(first, table.size)
    lacking = np.count_nonzero(posted & _lacks_prefix(state, rows))
    if lacking and "prefixes" not in state.warned:
        state.warned.add("prefixes")
        log.warning(
            "%d documents or more were stored for another retrieval or threshold: their texts are signed again",
            lacking,
        )


def _lacks_prefix(state: State, rows: Rows) -> NDArray[np.bool_]:
    """Which documents were stored without the prefix that this opening searches by."""
    if state.settings.retrieval == "sketch":
        return np.zeros(len(rows), np.bool_)
    counts = qgram_counts(rows).astype(np.int64)
    needed = state.search.prefix_lengths(np.maximum(counts, 0))
    lacking: NDArray[np.bool_] = (counts == UNCOUNTED) | (prefix_sizes(rows) < needed)
    return lacking


class _Postings(NamedTuple):
    """`keys[offsets[i]:offsets[i + 1]]` are those of `docs[i]`."""

    keys: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    docs: NDArray[np.int64]


def _post(state: State, postings: list[_Postings]) -> None:
    """Adds `postings` to the posting lists at once, which are written anew each time, and empties the list."""
    if postings:
        sizes = np.concatenate([np.diff(some.offsets) for some in postings])
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        keys = np.concatenate([some.keys for some in postings])
        docs = np.concatenate([some.docs for some in postings])
        postings.clear()
        state.search.lists.add(keys, offsets, docs)


def _fill(state: State, docs: NDArray[np.int64], keys: NDArray[np.uint64]) -> _Postings:
    """Restores documents `docs` of one hour from that hour's stored keys, but for the postings, which are returned."""
    rows = chosen_rows(state.table.rows, docs)
    counts = key_counts(rows)
    starts = key_starts(rows)
    with_bitmap = counts[_BITMAP] > 0
    words = starts[_BITMAP][with_bitmap][:, None] + np.arange(BITMAP_WORDS)
    state.table.set_bitmaps(docs[with_bitmap], keys[words])
    search = state.search
    first = state.table.first_of[docs] == docs
    kind = _SKETCH
    if state.settings.retrieval == "complete":
        lacking = first & _lacks_prefix(state, rows)
        if lacking.any():
            _fill_from_texts(state, docs[lacking])
        kind, first = _PREFIX, first & ~lacking
    own, offsets = gathered(keys, starts[kind][first], counts[kind][first])
    own = own if kind == _PREFIX else posted(own)
    postings = _Postings(*_with_short((own, offsets), rows[first]), docs[first])
    if search.sentences is not None:
        hours = np.unique(state.table.hours[docs[are_without_words(rows)]])
        search.sentences.add(*gathered(keys, starts[_SENTENCES], counts[_SENTENCES]), docs, hours)
    for kind, route in ((_SENTENCES, "sentences"), (_BANDS, "simhash")):
        if route in search.routes:
            search.routes[route].add(*gathered(keys, starts[kind], counts[kind]), docs)
    return postings


def _fill_from_texts(state: State, docs: NDArray[np.int64]) -> None:
    """Posts documents that were stored without the prefix that this opening searches by: signs their texts again."""
    for at in range(0, len(docs), _REBUILD_BATCH):
        part = docs[at : at + _REBUILD_BATCH]
        batch = state.search.query_batch(state.texts(part.tolist()), normal=True)
        state.table.count(part, batch.signed.counts)
        state.search.lists.add(*state.search.posting_keys(batch), part)


def _with_short(
    posted: tuple[NDArray[np.uint64], NDArray[np.int64]], rows: Rows
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    return with_fingerprints(*posted, are_too_short(rows), fingerprints_of(rows)[:, 0])
