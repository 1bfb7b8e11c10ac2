"""Iterable in, iterator out: order, laziness, rejects, arguments."""

from __future__ import annotations

import logging
import re
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import pytest
from testing.window.backends import START, document, engines_only, grams, summaries

from neardup.errors import NeardupError, SettingsError
from neardup.model.document import FLUSH, Document, Reject

if TYPE_CHECKING:
    from neardup import Window

A = grams(0, 10)


def test_one_verdict_a_document_in_order(place):
    settings = {"batch_documents": 7} if place.is_engine else {}
    window = place.open(**settings)
    stream = [document(str(i), grams(i % 5 * 30, i % 5 * 30 + 9), i % 3) for i in range(50)]
    assert [verdict.id for verdict in window.ingest(iter(stream))] == [str(i) for i in range(50)]
    assert list(window.ingest([])) == []
    assert list(window.ingest([FLUSH, FLUSH])) == []


def test_documents_are_read_a_batch_ahead_at_most(place):
    read = []

    def stream():
        for i in range(20):
            read.append(i)
            yield document(str(i), A)

    verdicts = place.open(batch_documents=4).ingest(stream())
    assert read == []
    for _ in range(5):
        next(verdicts)
    assert len(read) <= 8
    assert len(list(verdicts)) == 15


def test_flush_yields_what_is_waiting(place):
    read = []

    def stream():
        for item in (document("a", A), FLUSH, document("b", A), document("c", A), FLUSH):
            read.append(item)
            yield item

    verdicts = place.open(batch_documents=100).ingest(stream())
    assert next(verdicts).id == "a"
    assert len(read) <= 2
    assert [verdict.id for verdict in verdicts] == ["b", "c"]


def test_mappings_and_whole_number_ids_are_documents(place):
    stream = [{"id": 7, "text": A, "time": START, "more": 1}, {"id": "b", "text": A}, Document(8, A, START)]  # type: ignore[arg-type]
    verdicts = list(place.open(window_hours=0).ingest(stream))
    assert summaries(verdicts) == [
        ("7", "unique", None, "7"),
        ("b", "exact", "7", "7"),
        ("8", "exact", "7", "7"),
    ]


def test_type_checkers_take_what_is_taken(place):
    """`make check` reads the types of these."""
    window: Window = place.open(window_hours=0)
    day = date(2020, 9, 13)
    assert len(list(window.ingest([("1", A), (2, A, START), (3, A, day)]))) == 3
    assert len(list(window.ingest([Document("4", A, day)]))) == 1


class Link(NamedTuple):
    """A row of a frame that has other columns."""

    text: str
    url: str


BAD = [
    ({"text": A}, None, "id is None"),
    ({"id": "", "text": A}, None, "id is ''"),
    ({"id": True, "text": A}, None, "id is True"),
    ({"id": 1.5, "text": A}, None, "id is 1.5"),
    ({"id": "x", "text": None}, "x", "text is NoneType"),
    ({"id": "x"}, "x", r"there is no field 'text' \(fields: 'id'\)"),
    ({"id": "x", "text": b"abc"}, "x", "text is bytes"),
    ({"id": "x", "text": "a\ud800b"}, "x", r"unpaired surrogate U\+D800 at position 1"),
    ({"id": "x\udfff", "text": "ab"}, "x\udfff", r"surrogate U\+DFFF"),
    ({"id": "x", "text": "y" * 101}, "x", "101 characters"),
    ({"id": "é" * 257, "text": "ab"}, "é" * 257, "512 bytes"),
    ({"id": "x", "text": A, "time": "yesterday"}, "x", "'yesterday' is not ISO 8601"),
    ({"id": "x", "text": A, "time": True}, "x", "True"),
    ({"id": "x", "text": A, "time": float("nan")}, "x", "nan"),
    ({"id": "x", "text": A, "time": float("inf")}, "x", "inf"),
    ({"id": "x", "text": A, "time": 10**30}, "x", "years 1 to 9999"),
    ({"id": "x", "text": A, "time": [1]}, "x", r"\[1\]"),
    (("x",), None, r"^\('x',\) \(tuple\) is no document: it must be a mapping with id and text, or a tuple"),
    (("x", A, 0, None, None), None, r"\(tuple\) is no document"),
    (None, None, "^NoneType is no document"),
    (5, None, r"^5 \(int\) is no document"),
    ([10**5_000], None, "^list is no document"),
    ("str", None, r"^'str' \(str\) is no document"),
    (b"0123456789" * 9, None, "^b'01234567890123456789012345678901234567… \\(bytes\\) is no document"),
    (object(), None, "^object is no document"),
    (Link("Rain.", A), None, r"which must include id and text \(they are 'text', 'url'\): rename them"),
]


def test_bad_documents_are_rejects_and_the_stream_goes_on(place):
    window, rejects = place.open(max_length=100), list[Reject]()
    stream = [document("a", A), *(item for item, _, _ in BAD), document("b", A)]
    assert summaries(window.ingest(stream, on_reject=rejects.append)) == [
        ("a", "unique", None, "a"), ("b", "exact", "a", "a")
    ]  # fmt: skip
    assert [reject.id for reject in rejects] == [id for _, id, _ in BAD]
    for reject, (_, _, reason) in zip(rejects, BAD, strict=True):
        assert re.search(reason, reject.reason)
    assert window.stats().documents == 2


@pytest.mark.parametrize("item", [("x", A), ["x", A], ("x", A, 0), ["x", A, 0, {"n": 1}]])
def test_a_plain_tuple_or_list_is_a_document(place, item):
    assert summaries(place.open().ingest([item])) == [("x", "unique", None, "x")]


class Row(NamedTuple):
    """As `DataFrame.itertuples` gives them."""

    text: str
    n: int
    time: int
    index: int  # type: ignore[assignment]
    id: str


def test_a_named_tuple_is_read_by_its_names(place):
    items = [Row(A, 1, START, 7, "x"), Document("y", "Something else.", START)]
    assert summaries(place.open().ingest(items)) == [("x", "unique", None, "x"), ("y", "unique", None, "y")]


def test_an_id_is_written_out_in_the_log_where_it_would_make_a_line_of_its_own_and_cut_where_it_is_long(
    place, caplog
):
    list(
        place.open().ingest(
            [{"id": "a\nWARNING b", "text": None}, {"id": "\ud800", "text": A}, ("i" * 900, A)]
        )
    )
    assert caplog.messages == [
        "document a\\x0aWARNING b rejected: text is NoneType, not a string",
        "document \\ud800 rejected: id has the unpaired surrogate U+D800 at position 0",
        f"document {'i' * 512} rejected: id is longer than 512 bytes",
    ]


class Frame:
    """What is iterated by column."""

    columns = ("id", "text")

    def __iter__(self):
        return iter(self.columns)


class LazyFrame:
    """What has rows only once it is collected; its columns, too, cost something."""

    @property
    def columns(self):
        raise AssertionError("asked for columns")

    def collect(self):
        raise AssertionError("asked for rows")

    def collect_schema(self):
        raise AssertionError("asked for columns")


class PolarsFrame(Frame):
    """What is there already, and has a schema to be asked for nevertheless."""

    def collect_schema(self):
        raise AssertionError("asked for columns")


async def later():
    yield document("a", A)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ({"id": "x", "text": A}, r"not dict: put a single one into a list: \[document\]"),
        ({"train": [], "test": []}, r"not dict: .*; choose one of several splits, data\['train'\]"),
        (Document("x", A), r"not Document\(id='x', .*… \(Document\): put a single one into a list"),
        (("x", A, "2026-11-21"), r"not \('x', .* \(tuple\): put a single one into a list"),
        ((7, A), r"not \(7, .* \(tuple\): put a single one into a list"),
        ("news.jsonl", r"not 'news.jsonl' \(str\): the documents of a file are read by `neardup ingest`"),
        (b"news", r"not b'news' \(bytes\): the documents"),
        (Frame(), r"not Frame: iterating over a frame gives columns: pass frame.to_dict\('records'\)"),
        (
            PolarsFrame(),
            r"not PolarsFrame: iterating over a frame gives columns: .*, frame.iter_rows\(named=True\) for polars",
        ),
        (LazyFrame(), r"not LazyFrame: collect\(\) it first, and pass frame.iter_rows\(named=True\)"),
        (later(), r"not async_generator: collect a batch of it, \[document async for document in ...\]"),
        (5, r"not 5 \(int\): such as a list"),
        (None, "not NoneType: such as a list"),
    ],
)
def test_what_is_no_iterable_of_documents_is_refused(place, documents, message):
    window = place.open()
    with pytest.raises(TypeError, match="ingest takes an iterable of documents, " + message):
        list(window.ingest(documents))
    assert summaries(window.ingest([document("a", A)])) == [("a", "unique", None, "a")]


@engines_only
@pytest.mark.parametrize("receiver", [[], "x", 5])
def test_what_takes_no_rejects_is_refused_before_there_are_any(place, receiver):
    window = place.open()
    with pytest.raises(
        TypeError, match=r"on_reject is of type \w+, not a function: for a list, pass rejects.append"
    ):
        list(window.ingest([document("a", A)], on_reject=receiver))
    assert len(window) == 0


def test_without_a_receiver_rejects_are_logged(place, caplog):
    with caplog.at_level(logging.WARNING, "neardup"):
        assert list(place.open().ingest([{"id": "bad", "text": None}])) == []
    assert [record.getMessage() for record in caplog.records] == [
        "document bad rejected: text is NoneType, not a string"
    ]


def test_a_consumer_that_stops_early_leaves_the_window_usable(place):
    window = place.open(batch_documents=3)
    verdicts = window.ingest(document(str(i), grams(40 * i, 40 * i + 9)) for i in range(10))
    assert next(verdicts).id == "0"
    verdicts.close()
    window = place.reopened(window)
    assert "0" in [match.id for match in window.query(grams(0, 9)).matches]
    assert len(list(window.ingest(document(str(i), grams(40 * i, 40 * i + 9)) for i in range(10)))) == 10
    assert window.stats().documents == 10


def test_an_error_of_the_stream_itself_reaches_the_caller_and_loses_nothing_acknowledged(place):
    window = place.open(batch_documents=2)

    def stream():
        for i in range(5):
            yield document(str(i), grams(40 * i, 40 * i + 9))
        raise OSError("the line went dead")

    told_so_far: list[str] = []
    with pytest.raises(OSError, match="line went dead"):
        told_so_far.extend(verdict.id for verdict in window.ingest(stream()))
    window = place.reopened(window)
    assert all(window.query(id=id).id == id for id in told_so_far)
    [verdict] = window.ingest([document("9", A)])
    assert verdict.duplicate_of in ("0", None)


@pytest.mark.parametrize(("name", "value"), [
    ("threshold", 0), ("threshold", 1.1), ("threshold", "x"), ("threshold", None), ("threshold", "1e-7"),
    ("threshold", float("nan")), ("retrieval", "fast"), ("policy", "keep"), ("matches", -1), ("matches", 1.5),
    ("window_hours", -1), ("routes", "sentences"), ("routes", ("words",)), ("max_documents", -1),
    ("max_memory", -1), ("max_candidates", -1), ("max_length", 0), ("batch_documents", 0), ("threads", 0),
    ("fsync", 1), ("min_shared", 0), ("min_shared", 65),
])  # fmt: skip
def test_settings_that_cannot_be_used_are_named(place, name, value):
    with pytest.raises(SettingsError) as caught:
        place.open(**{name: value})
    assert caught.value.name == name
    assert name in str(caught.value)
    assert repr(value).strip("(),") in str(caught.value)


@engines_only
def test_what_is_no_recipe_is_named(place):
    with pytest.raises(SettingsError, match=r"setting recipe is 'x': it must be a neardup\.Recipe"):
        place.open(recipe="x")


@engines_only
def test_a_closed_window_says_so(place):
    window = place.open()
    list(window.ingest([document("a", A)]))
    pending = window.ingest([document("b", grams(30, 40))])
    window.close()
    window.close()
    calls = [
        lambda: list(pending),
        lambda: list(window.ingest([document("c", A)])),
        lambda: window.query(A),
        window.groups,
        window.stats,
        lambda: window.delete("a"),
        window.expire,
        window.set_newest,
        window.reconcile,
    ]
    for call in calls:
        with pytest.raises(NeardupError, match="this window is closed: open it again"):
            call()
    assert window.settings.policy == "mark"


@engines_only
@pytest.mark.parametrize("threads", [1, 2])
def test_a_window_that_is_closed_under_a_stream_says_so_to_its_reader(place, threads):
    window = place.open(threads=threads, batch_documents=2)
    verdicts = window.ingest(document(f"d{i}", grams(30 * i, 30 * i + 10)) for i in range(40))
    assert next(verdicts).id == "d0"
    window.close()
    with pytest.raises(NeardupError, match="this window is closed: open it again"):
        list(verdicts)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_came_before_an_error_of_the_stream_is_decided_and_kept(place, threads):
    def stream():
        yield document("a", A, 0)
        yield document("b", A, 0)
        raise LookupError("the queue is gone")

    window = place.open(**({"threads": threads} if place.is_engine else {}))
    verdicts = []
    with pytest.raises(LookupError, match="the queue is gone"):
        verdicts.extend(window.ingest(stream()))
    window = place.reopened(window)
    assert window.stats().documents == 2
    list(window.ingest([document("c", A, 1)]))


@engines_only
def test_what_a_reject_handler_raises_does_not_close_the_window(place):
    window = place.open(window_hours=24)
    stream = [document(str(i), grams(i * 30, i * 30 + 9), 0) for i in range(5)]
    far = [document("far", grams(400, 420), 500), document("back", grams(500, 520), 0)]

    def refuse(reject: Reject) -> None:
        raise LookupError(reject.id)

    with pytest.raises(LookupError, match="far"):
        list(window.ingest([*stream, *far], on_reject=refuse))
    assert window.stats().documents == 6
    assert [verdict.status for verdict in window.ingest([document("again", grams(0, 9), 1)])] == ["exact"]


@engines_only
def test_to_delete_what_is_no_id_does_not_close_the_window(place):
    window = place.open()
    with pytest.raises(TypeError):
        window.delete([])
    assert [verdict.id for verdict in window.ingest([document("a", A, 0)])] == ["a"]


@engines_only
def test_no_field_ends_the_stream(place):
    deep: list[object] = []
    deep.append(deep)
    odd = {"text": A, "time": START, "source": deep, "title": {"\ud800": 1}}
    documents = [{"id": "a", **odd}, {"id": "b", **odd}, {"id": "c", "text": A, "time": START}]
    rejects: list[Reject] = []
    verdicts = list(place.open().ingest(documents, on_reject=rejects.append))
    # A cluster stores fields as they are, and can have none that are no JSON.
    assert [verdict.id for verdict in verdicts] == (["c"] if rejects else ["a", "b", "c"])
    assert [reject.id for reject in rejects] in ([], ["a", "b"])


@engines_only
def test_a_number_that_was_an_id_finds_its_document(place):
    window = place.open()
    list(window.ingest([{"id": 5, "text": A, "time": START}]))
    assert (5 in window, "5" in window, 6 in window, None in window) == (True, True, False, False)
    assert window.get(5).id == window.query(id=5).id == "5"
    assert [found is None for found in window.read([5, 6])] == [False, True]
    assert (window.delete(5), window.delete(5)) == (True, False)


@engines_only
def test_a_query_by_what_is_no_text_is_told(place):
    window = place.open()
    list(window.ingest([document("a", A, 0)]))
    with pytest.raises(TypeError, match="text is bytes, not a text"):
        window.query(b"Rain.")
