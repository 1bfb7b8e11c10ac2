"""Filling a state with documents that are stored already: table and posting lists from their rows and keys."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.index.query_batch import with_fingerprints
from neardup.kernels.bitmap_filter import WORDS as SIEVE_WORDS
from neardup.model.hours import FIRST_HOUR
from neardup.stores.base import KEY_COUNTS, ROUTED, key_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from neardup.stores.base import Rows
    from neardup.window.state import State

log = logging.getLogger("neardup")

_REBUILD_BATCH: Final = 256
_FILL_BATCH: Final = 65_536
_SKETCH, _SIEVE, _PREFIX, _SENTENCES, _BANDS = range(len(KEY_COUNTS))


def add_stored(
    state: State,
    rows: Rows,
    ids: list[str],
    places: NDArray[np.int64],
    keys: Sequence[NDArray[np.uint64]],
) -> None:
    """Adds documents by their last rows, in order of arrival, all later than those in the table.

    `keys[places[i]]` holds the keys of row i from its `keys_start` on. Costs about 3 µs a document, unless its keys
    are not those that this state searches by: then its text is read and signed again.
    """
    table = state.table
    first = table.extend(rows, None)
    table.name(ids, [identity.encode() for identity in ids])
    table.number_of.update((identity, number) for number, identity in enumerate(ids, first))
    table.alive[first : table.size] = (rows["flags"] & ROUTED) == 0
    table.chain_same_texts(first)
    members = np.flatnonzero(rows["group_order"] != rows["order"])
    heads = table.numbers_of_orders(rows["group_order"][members]).tolist()
    for number, head in zip((first + members).tolist(), heads, strict=True):
        living = head >= 0 and table.lives(head, FIRST_HOUR)
        table.join(number, int(table.rows["group_order"][number]), head if living else None)
    table.account(first, table.size)
    state.resume()
    _tell_of_lacking(state, first)
    for place, part in enumerate(keys):
        numbers = first + np.flatnonzero(places == place)
        for at in range(0, len(numbers), _FILL_BATCH):
            _fill(state, numbers[at : at + _FILL_BATCH], part)


def _tell_of_lacking(state: State, first: int) -> None:
    """Says, once a window however often it is added to, what documents from `first` on were not stored with."""
    table = state.table
    rows = table.rows[first : table.size]
    unread = np.count_nonzero(_unread(rows))
    if state.search.sentences is not None and unread and "sentences" not in state.told:
        state.told.add("sentences")
        log.warning(
            "%d documents or more were stored without their sentences: as partial copies only a new window finds them",
            unread,
        )
    posted = table.first_of[first : table.size] == np.arange(first, table.size)
    lacking = np.count_nonzero(posted & _lacks_prefix(state, rows))
    if lacking and "prefixes" not in state.told:
        state.told.add("prefixes")
        log.warning(
            "%d documents or more were stored for another retrieval or threshold: their texts are signed again",
            lacking,
        )


def _lacks_prefix(state: State, rows: Rows) -> NDArray[np.bool_]:
    """Which documents were stored without the prefix that this opening searches by."""
    if state.settings.retrieval == "sketch":
        return np.zeros(len(rows), np.bool_)
    lacking: NDArray[np.bool_] = rows["n_prefix"] < state.search.prefix_lengths(rows["count"])
    return lacking


def _fill(state: State, numbers: NDArray[np.int64], keys: NDArray[np.uint64]) -> None:
    """Adds documents `numbers` of one hour to the posting lists, from that hour's stored keys."""
    rows = state.table.rows[numbers]
    counts = key_counts(rows)
    starts = rows["keys_start"] + np.cumsum(counts, axis=0) - counts
    sieved = counts[_SIEVE] > 0
    state.table.sieves[numbers[sieved]] = keys[starts[_SIEVE][sieved][:, None] + np.arange(SIEVE_WORDS)]
    search = state.search
    posted = state.table.first_of[numbers] == numbers
    kind = _SKETCH
    if state.settings.retrieval == "complete":
        lacking = posted & _lacks_prefix(state, rows)
        if lacking.any():
            _fill_from_texts(state, numbers[lacking])
        kind, posted = _PREFIX, posted & ~lacking
    gathered = _gathered(keys, starts[kind][posted], counts[kind][posted])
    search.lists.add(*_with_short(gathered, rows[posted]), numbers[posted])
    if search.sentences is not None:
        hours = np.unique(state.table.hours[numbers[_unread(rows)]])
        search.sentences.add(*_gathered(keys, starts[_SENTENCES], counts[_SENTENCES]), numbers, hours)
    for place, route in ((_SENTENCES, "sentences"), (_BANDS, "simhash")):
        if route in search.routes:
            search.routes[route].add(*_gathered(keys, starts[place], counts[place]), numbers)


def _unread(rows: Rows) -> NDArray[np.bool_]:
    """Which documents were stored when nobody asked for their sentences."""
    unread: NDArray[np.bool_] = (rows["words"] == 0) & (rows["text_bytes"] > 0)
    return unread


def _fill_from_texts(state: State, numbers: NDArray[np.int64]) -> None:
    """Posts documents that were stored without the prefix that this opening searches by: signs their texts again."""
    for at in range(0, len(numbers), _REBUILD_BATCH):
        part = numbers[at : at + _REBUILD_BATCH]
        features = state.search.features(state.texts(part.tolist()), normal=True)
        state.search.lists.add(*state.search.posting_keys(features), part)


def _gathered(
    keys: NDArray[np.uint64], starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """`keys[starts[i]:starts[i] + counts[i]]` one after another, and n + 1 offsets."""
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return keys[np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])], offsets


def _with_short(
    gathered: tuple[NDArray[np.uint64], NDArray[np.int64]], rows: Rows
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    short = (rows["count"] == 0) & (rows["text_bytes"] > 0)
    return with_fingerprints(*gathered, short, rows["fingerprint"][:, 0])
