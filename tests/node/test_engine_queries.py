"""Ad hoc queries by a window that has loaded nothing: the cluster's searches find what the index in memory finds."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from testing.effort import LONG
from testing.window.backends import START, without_candidates
from tests.contract.test_retrieval import stream

from neardup.elastic.admin.setup import set_up
from neardup.elastic.window.ad_hoc_query import AdHocQuery
from neardup.elastic.window.batch_query import BatchQueries
from neardup.elastic.window.opening import open_elastic_window
from neardup.errors import ClusterRejected, UnknownDocument
from neardup.model.document import Document
from neardup.model.settings import Recipe, Settings
from neardup.opening import open_window

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

HOURS = 4
TEXTS = [item._replace(time=START + 3_600 * (HOURS * i // 90)) for i, item in enumerate(stream(0))]
"""Up to 500 words; half of them are edited copies of earlier ones."""

UNKNOWN_QUERY: dict[str, Any] = {"no_such_query": {}}
"""What the query of the plugin is to a cluster without it."""


def asked(window, **question: Any) -> Any:
    with contextlib.suppress(UnknownDocument):
        return without_candidates([window.query(**question)])
    return "unknown"


@pytest.mark.parametrize("settings", [
    {"retrieval": "complete"}, {"retrieval": "sketch"},
    {"retrieval": "complete", "policy": "route", "threshold": "0.5"},
    {"routes": ("sentences", "simhash"), "threshold": "0.4", "recipe": Recipe(simhash_variants=3)},
    {"retrieval": "complete", "recipe": Recipe(q=2, fold_case=True), "policy": "drop"},
], ids=str)  # fmt: skip
def test_an_unloaded_window_answers_as_one_in_memory(cluster, settings, caplog):
    """By the query of the plugin and, where it is refused and q-grams are terms, by those of Elasticsearch."""
    caplog.set_level(logging.INFO, "neardup")
    set_up(cluster, settings=Settings(**settings), terms=True)
    memory = open_window(None, **settings)
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials, **settings) as writer:
        assert list(writer.ingest(TEXTS)) == list(memory.ingest(TEXTS))
        for id in ("003", "017"):
            assert writer.delete(id) == memory.delete(id)
    with (
        open_elastic_window(str(cluster.address), credentials=cluster.credentials, readonly=True) as reader,
        mock.patch(
            "neardup.elastic.window.loader.stored_parts",
            side_effect=AssertionError("a query needs no loading"),
        ),
    ):
        found = refused = 0
        for item in TEXTS[:: 6 if LONG else 12]:
            questions: list[dict[str, Any]] = [
                {"text": item.text}, {"id": item.id}, {"text": item.text.upper(), "threshold": "0.3"},
                {"id": item.id, "threshold": "0.95"}, {"text": item.text, "time": START - 22 * 3_600, "matches": 1},
            ]  # fmt: skip
            for question in questions:
                expected = asked(memory, **question)
                assert asked(reader, **question) == expected, question
                assert "refuses the query neardup" not in caplog.text
                with mock.patch("neardup.elastic.window.query_dsl.copies_of", return_value=UNKNOWN_QUERY):
                    assert asked(reader, **question) == expected, question
                refused += "refuses the query neardup" in caplog.text
                caplog.clear()
                found += expected != "unknown" and expected[0].is_copy
        assert found > 10
        assert (refused > 10) == (settings.get("retrieval") == "complete")


@pytest.mark.parametrize("routes", [("sentences",), ("simhash",)], ids=str)
def test_what_too_many_have_in_common_finds_nothing_in_an_unloaded_window_either(cluster, routes):
    """A footer was searched for: all documents that have it were read, and some of them named."""
    footer = "This message and whatever is attached to it is meant for the reader alone, whoever that may be."
    texts = [f"{footer} {i * 7_919} went {'abcdefghi'[i] * 9} home by the {i * 961} road." for i in range(9)]
    settings: dict[str, Any] = {"routes": routes, "threshold": "0.5", "min_shared": 32}
    few = dict.fromkeys(("sentences", "simhash", "simhash_bands"), 5)
    url = str(cluster.address)
    with (
        mock.patch.dict("neardup.index.search._LIMITS", few),
        mock.patch.dict("neardup.elastic.window.candidate_query.MOST_HOLDERS", few),
        open_window(None, **settings) as memory,
        open_elastic_window(url, credentials=cluster.credentials, **settings) as writer,
    ):
        for count in (4, 8):  # few, and too many
            stored = [Document(str(i), text, START + i) for i, text in enumerate(texts[:count])]
            assert list(writer.ingest(stored)) == list(memory.ingest(stored))
            with open_elastic_window(url, credentials=cluster.credentials, readonly=True) as reader:
                answer, by_id = reader.query(texts[8]), reader.query(id="1")
            assert without_candidates([answer]) == asked(memory, text=texts[8])
            assert without_candidates([by_id]) == asked(memory, id="1")
            if routes == ("sentences",):
                assert (answer.is_copy, answer.truncated, by_id.truncated) == (count == 4, *[count == 8] * 2)


@pytest.mark.parametrize(("settings", "setup"), [
    ({}, {}), ({"policy": "drop", "window_hours": 2}, {"sign": "client"}),
    ({"retrieval": "complete", "kinds": True}, {}), ({"retrieval": "complete"}, {"sign": "client"}),
    ({"retrieval": "complete", "policy": "route", "threshold": "0.5"}, {"terms": True}),
], ids=str)  # fmt: skip
def test_many_texts_are_searched_for_together(cluster, settings, setup):
    """Whatever signs and however it is searched: the answers of a query each, and of a window in memory."""
    set_up(cluster, settings=Settings(**settings), **setup)
    memory = open_window(None, **settings)
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials, **settings) as writer:
        assert list(writer.ingest(TEXTS)) == list(memory.ingest(TEXTS))
        for id in ("003", "017"):
            assert writer.delete(id) == memory.delete(id)
    # A query each, with which they are compared, is a second of the cluster's time for a few.
    texts = [
        "",
        "ab",
        *(item.text for item in TEXTS[1 :: 4 if LONG else 8]),
        TEXTS[5].text.upper(),
        TEXTS[9].text * 40,
    ]
    expected = without_candidates(memory.check(texts))
    assert sum(verdict.is_copy for verdict in expected) > 5
    assert many_at_once(cluster, texts) == expected
    # A query of candidates that were searched for has no need of a limit.
    many_at_once(cluster, texts, threshold="0.3", max_candidates=1)


def many_at_once(cluster: Cluster, texts: list[str], **settings: Any) -> list[Any]:
    """What an unloaded window says of `texts`: in one batch, in several, and one by one."""
    with open_elastic_window(
        str(cluster.address), credentials=cluster.credentials, readonly=True, **settings
    ) as reader:
        each = without_candidates(reader.query(text, matches=reader.settings.matches) for text in texts)
        with mock.patch.object(AdHocQuery, "candidates_for", side_effect=AssertionError("a query each")):
            assert without_candidates(reader.check(texts)) == each
            with mock.patch.object(Settings, "documents_at_once", 7):
                assert without_candidates(reader.check(reversed(texts))) == each[::-1]
    return each


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
def test_what_the_cluster_refuses_of_many_texts_is_asked_one_by_one(cluster, retrieval, caplog):
    set_up(cluster, settings=Settings(retrieval=retrieval), terms=True)
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as writer:
        list(writer.ingest(TEXTS))
    texts = [item.text for item in TEXTS[::6]]
    caplog.set_level(logging.INFO, "neardup")
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials, readonly=True) as reader:
        told = without_candidates(reader.check(texts))
        assert "one by one" not in caplog.text
        with mock.patch.object(BatchQueries, "alike_any", return_value=[UNKNOWN_QUERY]):
            assert without_candidates(reader.check(texts)) == told
        assert "refuses a query for 15 texts at once" in caplog.text


def test_without_terms_only_the_query_of_the_plugin_is_complete(cluster):
    memory = open_window(None, retrieval="complete")
    with open_elastic_window(
        str(cluster.address), credentials=cluster.credentials, retrieval="complete"
    ) as writer:
        assert list(writer.ingest(TEXTS)) == list(memory.ingest(TEXTS))
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials, readonly=True) as reader:
        for item in TEXTS[::6]:
            for threshold in ("0.3", "0.7"):
                question = {"text": item.text, "threshold": threshold}
                assert asked(reader, **question) == asked(memory, **question), question
        with (
            mock.patch("neardup.elastic.window.query_dsl.copies_of", return_value=UNKNOWN_QUERY),
            pytest.raises(ClusterRejected, match="parse"),
        ):
            reader.query(TEXTS[0].text)
