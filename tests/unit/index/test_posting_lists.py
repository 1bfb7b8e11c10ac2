"""Posting lists against a dictionary of lists: all in the table, or packed after so many keys."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup.errors import WindowError
from neardup.index import posting_lists
from neardup.index.bulk_postings import BulkPostings
from neardup.index.posting_lists import PostingLists, Query
from neardup.index.reused_array import ReusedArray
from neardup.kernels import posting_lists as kernel
from neardup.kernels.batch_search import Documents
from neardup.kernels.counters import Counters
from neardup.kernels.packed_lists import KEY_BITS, shape_of

SPREADING = 0x9E3779B97F4A7C15  # what the table multiplies keys by
UNSPREADING = pow(SPREADING, -1, 2**64)


def colliding(count, slot=5):
    """Keys that all want the same slot of a table of any size up to 2^20."""
    return [((slot << 32) + i + (i << 52)) * UNSPREADING % 2**64 for i in range(count)]


def columns_of(hours, counts, alive):
    """Columns of documents that have different texts, each posted by itself."""
    size = len(hours)
    fingerprints = np.arange(2 * size, dtype=np.uint64).reshape(size, 2)
    chains = np.arange(size, dtype=np.int32), np.full(size, -1, np.int32)
    columns = hours.astype(np.int32), counts.astype(np.int32), alive.astype(np.uint8)
    return Documents(*columns, fingerprints[:, 0].copy(), fingerprints, *chains)


@pytest.fixture(params=[None, 1, 30, 700], scope="module", autouse=True)
def packed_after(request):
    """After how many keys the table is packed, None: never."""
    Slow.packed_after = request.param


@dataclass
class Slow:
    """What posting lists are, in plain Python, beside the real ones; `search_and_add` checks that they agree."""

    packed_after: ClassVar[int | None] = None
    size: int
    most: int = 4
    postings: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self):
        packed = self.packed_after is not None
        self.lists = PostingLists(slots=16, pool=4, packs=packed, table_keys=self.packed_after or 0)
        self.counters = Counters.of(self.size, self.most)
        self.columns = columns_of(
            np.zeros(self.size, np.int32), np.full(self.size, 10, np.int32), np.ones(self.size, np.uint8)
        )

    def posted(self, documents):
        """The documents with the keys that they are posted by: packed ones are short."""
        if self.packed_after is None:
            return documents
        return [(number, list(dict.fromkeys(key % 2**KEY_BITS for key in own))) for number, own in documents]

    def add(self, documents):
        documents = self.posted(documents)
        keys = [key for _, own in documents for key in own]
        packed_keys, offsets = np.array(keys, np.uint64), offsets_of(documents)
        docs = np.array([number for number, _ in documents], np.int64)
        half = len(docs) // 2 if self.packed_after else 0
        bulk = BulkPostings(self.lists, self.packed_after or 0)
        for some in np.array_split(np.arange(half), 3):
            bulk.add(packed_keys, offsets[some], np.diff(offsets)[some], docs[some])
        bulk.pack()
        self.lists.add(packed_keys, offsets[half:], docs[half:])
        self.remember(documents)

    def remember(self, documents):
        for number, own in documents:
            for key in own:
                if number >= 0:
                    self.postings[key].append(number)

    def search_and_add(
        self, documents, min_shared, *, low=0, high=0, count=10, threshold=Fraction(1, 100), limit=0
    ):
        """Candidates of each document as the dictionary has them; asserts that the lists find the same."""
        documents = self.posted(documents)
        query = Query(
            np.array([number for number, _ in documents], np.int64),
            np.full(len(documents), count),
            np.full(len(documents), low),
            np.full(len(documents), high),
            threshold.as_integer_ratio(),
        )
        keys = np.array([key for _, own in documents for key in own], np.uint64)
        found = self.lists.search_and_add(
            keys,
            offsets_of(documents),
            np.array(min_shared, np.int64),
            query,
            self.columns,
            self.counters,
            limit,
        )
        expected = []
        for (number, own), minimum in zip(documents, min_shared, strict=True):
            expected.append(self.candidates(own, minimum, low, high, count, threshold, limit))
            self.remember([(number, own)])
        for i, (candidates, skipped) in enumerate(expected):
            part = found.docs[found.offsets[i] : found.offsets[i + 1]].tolist()
            assert sorted(part) == candidates, i
            assert found.left_out[i] == skipped
        assert self.lists.keys == len(self.postings)
        return [candidates for candidates, _ in expected]

    def candidates(self, keys, minimum, low, high, count, threshold, limit):
        hours, counts, alive = self.columns[:3]
        held, skipped = Counter[int](), 0
        for key in keys:
            docs = self.postings.get(key, [])
            if limit and sum(bool(alive[d]) and low <= hours[d] <= high for d in docs) > limit:
                skipped += 1
            else:
                held.update(docs)
        return sorted(
            d
            for d, times in held.items()
            if times >= minimum and alive[d] and low <= hours[d] <= high
            and min(count, counts[d]) >= threshold * max(count, counts[d])
        ), skipped  # fmt: skip

    def renumbered(self, numbers):
        self.lists = self.lists.renumbered(np.array(numbers))
        kept = {key: [numbers[d] for d in docs if numbers[d] >= 0] for key, docs in self.postings.items()}
        self.postings = defaultdict(list, {key: docs for key, docs in kept.items() if docs})
        living = np.argsort(numbers)[numbers.count(-1) :]
        self.columns = columns_of(*(column[living] for column in self.columns[:3]))
        self.size = len(self.columns.hours)
        self.counters = Counters.of(self.size, self.most)


def offsets_of(documents):
    return np.cumsum([0, *(len(own) for _, own in documents)])


KEYS = st.lists(
    st.sampled_from([0, 1, 2, 2**64 - 1, 2**63, *colliding(6), *range(100, 112)]), max_size=14, unique=True
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(KEYS, st.integers(1, 6), st.booleans()), min_size=1, max_size=40),
    st.integers(1, 9),
    st.sampled_from((6, 100)),
)
def test_any_stream_finds_what_a_dictionary_finds(stream, batch, most):
    slow = Slow(len(stream), most)
    for first in range(0, len(stream), batch):
        part = stream[first : first + batch]
        documents = [(first + i if stored else -1, own) for i, (own, _, stored) in enumerate(part)]
        slow.search_and_add(documents, [minimum for _, minimum, _ in part])


def random_documents(count, keys, seed, first=0):
    numbers = np.random.default_rng(seed)
    return [
        (first + i, numbers.choice(keys, size=int(numbers.integers(1, 30)), replace=False).tolist())
        for i in range(count)
    ]


@pytest.mark.parametrize("keys", [
    list(range(40)), list(range(0, 2**40, 2**34)), colliding(200), [2**63 + i for i in range(500)],
])  # fmt: skip
def test_table_and_pool_grow_and_nothing_is_lost(keys):
    slow = Slow(600)
    many = [*keys, *(int(k) for k in np.random.default_rng(1).integers(0, 2**63, 3_000))]
    slow.add(random_documents(300, many, 2))
    for first in range(300, 600, 60):
        slow.search_and_add(random_documents(60, keys, first, first), [2] * 60)
    if Slow.packed_after is None:
        assert slow.lists.memory >= 16 * slow.lists.keys


def test_only_what_is_plausible_is_a_candidate():
    slow = Slow(60)
    hours, counts, alive = slow.columns[:3]
    hours[:] = np.arange(60) // 5
    counts[:] = np.arange(60) % 20 + 1
    alive[::7] = 0
    slow.add([(number, [1, 2, 3]) for number in range(50)])
    for threshold in (Fraction(7, 10), Fraction(1), Fraction(1, 3)):
        for count in (1, 10, 20):
            found = slow.search_and_add(
                [(-1, [1, 3, 9])], [2], low=2, high=6, count=count, threshold=threshold
            )
            assert all(10 <= number < 35 for number in found[0])
    assert slow.search_and_add([(-1, [1, 9])], [2], high=99) == [[]]


def test_runs_of_too_many_living_documents_are_left_out():
    slow = Slow(100)
    slow.add([(number, [1, 2] if number % 3 else [1]) for number in range(90)])
    assert slow.search_and_add([(-1, [1, 2])], [1], limit=60)[0] == [n for n in range(90) if n % 3]
    slow.columns.alive[:30] = 0
    assert len(slow.search_and_add([(-1, [1, 2])], [1], limit=60)[0]) == 60
    assert slow.search_and_add([(-1, [1])], [1], limit=59) == [[]]
    slow.columns.hours[40:] = 7
    assert len(slow.search_and_add([(-1, [1])], [1], limit=59, high=6)[0]) == 10


@pytest.mark.parametrize("most", [4, 6, 7, 100])
def test_counts_of_one_search_never_run_into_the_next(most):
    # Counters are reused without being cleared, for 31 or 511 searches: here are more.
    slow = Slow(40, most)
    slow.add([(number, list(range(number + 1))) for number in range(40)])
    for i in range(600):
        minimum = 1 + i % most
        [found] = slow.search_and_add([(-1, list(range(40)))], [minimum])
        assert found == list(range(minimum - 1, 40))


def test_renumbering_keeps_the_living_in_order():
    slow = Slow(300)
    documents = random_documents(200, list(range(60)), 3)
    slow.add(documents)
    numbers = np.random.default_rng(4)
    for _ in range(4):
        keep = numbers.random(slow.size) < 0.6
        slow.renumbered(np.where(keep, np.cumsum(keep) - 1, -1).tolist())
        first = max((max(docs) for docs in slow.postings.values()), default=-1) + 1
        more = [
            (number, own)
            for number, own in random_documents(20, list(range(70)), 5, first)
            if number < slow.size
        ]
        slow.search_and_add(more, [2] * len(more))
    slow.renumbered([-1] * slow.size)
    assert slow.lists.keys == 0


def test_packed_lists_take_less_than_five_bytes_a_posting():
    lists = PostingLists(packs=True, table_keys=1 << 15)
    numbers = np.random.default_rng(2)
    keys = numbers.integers(0, 1 << KEY_BITS, 32 * 20_000, dtype=np.uint64)
    for first in range(0, 20_000, 1_000):
        own = keys[32 * first : 32 * (first + 1_000)]
        lists.add(own, np.arange(0, len(own) + 1, 32), np.arange(first, first + 1_000))
    table = PostingLists(slots=1 << 17).memory
    assert lists.memory - table < 5 * len(keys)
    assert lists.keys == len(np.unique(keys))


def test_more_postings_than_can_be_packed_are_refused(monkeypatch):
    monkeypatch.setattr(posting_lists, "_MOST_PACKED", 1_999)
    lists = PostingLists(packs=True, table_keys=1_000)
    keys = np.arange(2_000, dtype=np.uint64)
    lists.add(keys[:1_000], np.array([0, 1_000]), np.array([0]))
    with pytest.raises(WindowError, match=r"more postings than one window can hold \(1,999\)"):
        lists.add(keys[1_000:], np.array([0, 1_000]), np.array([1]))


def test_more_postings_than_places_have_numbers_are_refused(monkeypatch):
    """Where a list lies has 32 bits: beyond them it would be read where another one lies."""
    monkeypatch.setattr(posting_lists, "_MOST_POOLED", 1 << 15)
    lists, keys = PostingLists(), np.tile(np.arange(1_000, dtype=np.uint64), 40)
    with pytest.raises(WindowError, match=r"more postings than one window can hold \(32,768\)"):
        lists.add(keys, np.arange(0, 40_001, 1_000), np.arange(40))
    assert len(lists._lists.pool) == 1 << 15


def test_a_list_that_is_as_long_as_its_length_can_be_told_takes_no_more():
    """One of the next size would have a length whose highest bit changes the size that it is said to have."""
    slots = np.zeros((2, 2), np.uint64)
    slots[5 * SPREADING % 2**64 >> 32 & 1] = 5, 26 << 27 | 1 << 26
    lists = kernel.Lists(slots, np.empty(3 << 26, np.uint32), np.zeros(kernel.USAGE_SIZE, np.int64))
    lists.usage[1] = 1 << 26
    before = lists.entries.copy()
    added = np.array([5], np.uint64), np.array([0, 1]), np.array([1 << 26]), np.zeros(2, np.int64)
    assert kernel.add_all(lists, *added) == kernel.POOL_FULL
    assert (lists.entries == before).all()


@pytest.mark.parametrize("postings", [0, 1, 8, 100, 32_000, 320_000_000, 2**32 - 1])
@pytest.mark.parametrize("docs", [0, 1, 1_000, 10_000_000, 2**32 - 1])
def test_every_doc_and_what_is_left_of_a_key_fit_a_posting(postings, docs):
    high_bits, doc_bits = shape_of(postings, docs)
    assert 0 <= high_bits <= KEY_BITS
    assert docs <= 2**doc_bits
    assert doc_bits + KEY_BITS - high_bits == 32


def test_an_empty_batch_and_a_document_without_keys():
    slow = Slow(4)
    slow.add([])
    slow.add([(0, [])])
    assert slow.search_and_add([], []) == []
    assert slow.search_and_add([(1, []), (2, [7]), (3, [7])], [1, 1, 1]) == [[], [], [2]]


def test_lists_of_thousands_are_answered_like_any_other():
    """Answered from bitsets (native/bitset_cache.h): filled, caught up with, and made anew when renumbered."""
    numbers = np.random.default_rng(6)
    size = 12_000
    slow = Slow(size)
    shares = {1: 0.9, 2: 0.7, 3: 0.5, 4: 0.45, **dict.fromkeys(range(10, 30), 0.05)}

    def some(first, count):
        return [
            (first + i, [key for key, share in shares.items() if numbers.random() < share])
            for i in range(count)
        ]

    slow.add(some(0, 7_000))
    slow.columns.alive[:100] = 0
    for first in (7_000, 7_040, 7_080):
        for minimum in (1, 2, 3, 4):
            queries = [(-1, list(shares)), (-1, [1, 2, 10, 11, 12]), (-1, [1, 2, 3]), (-1, [4, 13, 14])]
            slow.search_and_add(queries, [minimum] * len(queries))
        slow.search_and_add(some(first, 40), [4] * 40)
    # The two longest of each query; with m = 3 those of [1, 2, 3] are longer than the rest, all of which is looked up.
    assert slow.lists._bitsets.used[0] == 4
    slow.add(some(7_200, 800))
    slow.search_and_add([(-1, [1, 2, 3, 4, 10]), (-1, [1, 10, 11, 12])], [4, 3])
    keep = np.arange(size) % 5 > 0
    slow.renumbered(np.where(keep, np.cumsum(keep) - 1, -1).tolist())
    slow.search_and_add([(-1, [1, 2, 3, 4, 10]), (-1, [1, 10, 11, 12])], [4, 3])


def test_long_lists_are_counted_by_their_bitsets_as_others_are():
    numbers = np.random.default_rng(4)
    crowd = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    slow = Slow(6_000, 6)
    documents = [
        (i, [key for key in crowd if numbers.random() < 0.8] + [int(k) for k in numbers.integers(20, 60, 3)])
        for i in range(5_900)
    ]
    slow.add(documents)
    alive = slow.columns.alive
    alive[numbers.random(6_000) < 0.1] = 0
    for minimum in (1, 2, 3, 5, 6):
        slow.search_and_add([(-1, [*crowd, 21, 22, 23, 24, 999])], [minimum])
        slow.search_and_add([(5_900 + minimum, [*crowd[:5], 21, 22, 1_000 + minimum])], [minimum])


def test_docs_that_were_added_in_no_order_are_found_all_the_same():
    numbers = np.random.default_rng(9)
    slow = Slow(1_000)
    documents = random_documents(900, list(range(50)), 6)
    slow.add([documents[at] for at in numbers.permutation(900)])
    slow.search_and_add([(-1, list(range(at, at + 20))) for at in range(30)], [4] * 30)


def test_docs_are_found_also_where_a_later_one_has_taken_the_place_of_an_earlier():
    numbers = np.random.default_rng(8)
    slow = Slow(2_000)
    slow.add(random_documents(1_600, list(range(80)), 6))
    slow.search_and_add(random_documents(40, list(range(80)), 6, 1_600), [3] * 40)
    slow.renumbered([int(number) for number in numbers.permutation(2_000)])
    slow.search_and_add([(-1, list(range(at, at + 20))) for at in range(60)], [4] * 60)


def test_searches_of_few_postings_among_many_docs_count_anew_each_time():
    """Their counters are cleared one by one, and those of searches between them all at once, when stamps run out."""
    slow = Slow(100_000)
    slow.add(random_documents(300, list(range(60)), 6))
    for at in range(80):
        keys = [at % 60, (at + 1) % 60, (at + 2) % 60] if at % 3 else list(range(60))
        slow.search_and_add([(-1, keys)], [2])


@pytest.mark.parametrize("minimum", [1, 3, 20, 60])
def test_many_lists_are_counted_by_a_counter_of_every_doc_as_others_are(minimum):
    """More lists than a sketch has, of many postings in all; and of one doc, which lies in the table itself."""
    numbers = random.Random(minimum)
    slow = Slow(size=460, most=126)
    for first in range(0, 360, 60):
        documents = [
            (
                first + i,
                [*numbers.sample(range(400), numbers.randint(60, 200)), 10_000 + first + i, *range(500, 504)],
            )
            for i in range(60)
        ]
        slow.search_and_add(documents, [minimum] * 60)


@pytest.mark.parametrize("texts", [[7] * 9, [1, 2, 1, 3, 2, 2, 1, 4, 1], list(range(9))])
def test_documents_of_one_text_are_one_posting_and_all_found(texts):
    size = len(texts)
    lists, hits, columns = (
        PostingLists(),
        Counters.of(size, 4),
        columns_of(*(np.ones(size, np.int32) for _ in range(3))),
    )
    columns.fingerprints[:] = np.array(texts, np.uint64)[:, None]
    columns.halves[:] = columns.fingerprints[:, 0]
    found = []
    for i, text in enumerate(texts):
        one = np.ones(1, np.int64)
        query = Query(i * one, one, one, one, (7, 10), columns.fingerprints[i : i + 1].copy())
        keys = np.array([text, 100 + text], np.uint64)
        answer = lists.search_and_add(keys, np.array([0, 2]), one, query, columns, hits)
        found.append(answer.docs.tolist())
    assert found == [[j for j in range(i) if texts[j] == texts[i]] for i in range(size)]
    assert lists.keys == 2 * len(set(texts))
    assert [int(first) for first in columns.first_of] == [texts.index(text) for text in texts]


def test_one_document_stands_in_for_all_of_a_repeated_text():
    """The one that is posted, or the newest that lives and lies in the hours; who has many is told until it is."""
    size = 8
    lists, hits, columns = (
        PostingLists(),
        Counters.of(size, 4),
        columns_of(*(np.ones(size, np.int32) for _ in range(3))),
    )
    one, keys = np.ones(1, np.int64), np.array([5, 6], np.uint64)

    def found(doc, repeated=()):
        query = Query(
            doc * one, one, one, one, (7, 10), columns.fingerprints[:1].copy(), many=3,
            repeated=np.array(repeated, np.int32),
        )  # fmt: skip
        answer = lists.search_and_add(keys, np.array([0, 2]), one, query, columns, hits)
        stand_ins = answer.stand_ins[: answer.stand_in_offsets[1]]
        return answer.docs.tolist(), stand_ins.tolist(), answer.met.tolist()

    told = [found(doc)[2] for doc in range(6)]
    assert told == [[], [], [], [], [0], [0]]
    assert found(-1) == ([0, 1, 2, 3, 4, 5], [], [0])
    assert found(6, [0]) == ([], [0], [])
    columns.alive[0] = columns.alive[6] = 0
    columns.hours[5] = 2
    assert found(-1, [0]) == ([], [4], [])
    assert found(-1, [1, 7]) == ([1, 2, 3, 4], [], [0])
    columns.alive[:] = 0
    assert found(-1, [0]) == ([], [], [])
    assert lists.keys == 2


def test_documents_of_very_many_candidates_are_searched_and_added_in_parts():
    size = 40
    one = np.ones(size, np.int64)
    columns = columns_of(*(np.ones(size, np.int32) for _ in range(3)))
    found: list[list[int]] = []
    sizes = []
    lists, hits, keys = PostingLists(), Counters.of(size, 4), np.full(size, 7, np.uint64)
    lists._reused = ReusedArray(8)
    while len(found) < size:
        first = len(found)
        query = Query(np.arange(first, size), one[first:], one[first:], one[first:], (7, 10))
        part = lists.search_and_add(
            keys[first:], np.arange(size - first + 1), one[first:], query, columns, hits, at_once=8
        )
        sizes.append(part.searched)
        found += [part.docs[a:b].tolist() for a, b in pairwise(part.offsets.tolist())]
    assert [sorted(docs) for docs in found] == [list(range(doc)) for doc in range(size)]
    assert len(sizes) > 4


def test_room_is_used_again_unless_somebody_still_has_a_part_of_it():
    reused = ReusedArray(10)
    first = reused.of()
    part = first[2:5]
    part[:] = 7
    assert reused.of() is not first
    assert part.tolist() == [7, 7, 7]
    second = reused.of(5)
    second[:] = 3
    del second
    assert reused.of(10).tolist() == [3] * 10
    assert len(reused.of(11)) == len(reused.of(4)) == 11
