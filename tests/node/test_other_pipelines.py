"""Pipelines of other clients before ours: what they change of a document, and what is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from testing.node.clients import expected, made, marks, needs_processors, watched
from testing.node.killing import stored
from testing.window.backends import START, document

from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.window.opening import open_elastic_window

if TYPE_CHECKING:
    from neardup.model.document import Reject

A = "The ferry ran aground off the western spit at dawn, and forty passengers were taken ashore in small boats."


@pytest.fixture
def stripping(cluster):
    """The connection to a cluster in which every hour has a pipeline that takes tags out of texts."""
    needs_processors(cluster, "html_strip")
    own = cluster.address
    tags = {"processors": [{"html_strip": {"field": "text"}}]}
    template = {"settings": {"index.default_pipeline": f"{own.prefix}-tags"}}
    cluster.request("PUT", f"/_component_template/{own.custom}", body={"template": template})
    cluster.request("PUT", f"/_ingest/pipeline/{own.prefix}-tags", body=tags)
    yield cluster
    cluster.request("DELETE", f"/_ingest/pipeline/{own.prefix}-tags")


@pytest.mark.parametrize("sign", ["plugin", "client"])
def test_a_text_that_a_pipeline_changes_after_it_was_compared_is_a_reject_and_waits_for_the_watcher(
    stripping, sign
):
    made(stripping, sign=sign)
    documents = [{"id": "bold", "text": f"<b class='bold'>{A}</b>", "time": START}]
    documents += [{"id": "plain", "text": A, "time": START + 60}]
    rejects: list[Reject] = []
    with open_elastic_window(str(stripping.address), credentials=stripping.credentials) as window:
        verdicts = list(window.ingest(documents, on_reject=rejects.append))
    assert [(verdict.id, verdict.status) for verdict in verdicts] == [("plain", "unique")]
    (reject,) = rejects
    assert f"the pipeline {stripping.address.prefix}-tags (index.default_pipeline of " in reject.reason
    assert [bool(mark) for mark in marks(stripping).values()] == [False, True]
    (late,) = watched(stripping)
    assert (late.id, late.status, late.duplicate_of) == ("bold", "exact", "plain")
    assert late.score == expected([{**each, "text": A} for each in documents])[1].score


def test_what_is_stored_goes_through_no_default_pipeline_again(cluster):
    """Moved or put back by `reconcile`, documents were changed or dropped by one that was set since: here it refuses
    all, for it is not there.
    """
    own = cluster.address
    hour, copies = own.hourly(START // 3_600), own.copies(START // 3_600)
    with open_elastic_window(str(own), credentials=cluster.credentials) as window:
        list(window.ingest([document(id, A) for id in "abc"]))
    assert bulk(cluster, [Action("create", copies, "b", {"text": "another"})])[0].ok
    settings = {"index.default_pipeline": f"{own.prefix}-absent"}
    cluster.request("PUT", f"/{hour},{copies}/_settings", body=settings)
    with open_elastic_window(str(own), credentials=cluster.credentials, policy="route") as window:
        list(window.reconcile())
    places = {id: at for at, id, source in stored(cluster) if source["text"] == A}
    assert places == {"a": hour, "b": hour, "c": copies}


def test_a_document_that_a_pipeline_fails_is_a_reject_and_the_stream_goes_on(cluster):
    needs_processors(cluster, "fail")
    made(cluster)
    own = cluster.address
    pipeline = f"{own.prefix}-none"
    cluster.request(
        "PUT", f"/_ingest/pipeline/{pipeline}", body={"processors": [{"fail": {"message": "no"}}]}
    )
    rejects: list[Reject] = []
    with open_elastic_window(str(own), credentials=cluster.credentials) as window:
        list(window.ingest([document("a", A)]))
        settings = f"/{own.hourly(START // 3_600)}/_settings"
        cluster.request("PUT", settings, body={"index.default_pipeline": pipeline})
        both = [document("b", A), document("c", A, 1)]
        verdicts = list(window.ingest(both, on_reject=rejects.append))
        cluster.request("PUT", settings, body={"index.default_pipeline": None})
    cluster.request("DELETE", f"/_ingest/pipeline/{pipeline}")
    assert [(verdict.id, verdict.status) for verdict in verdicts] == [("c", "exact")]
    assert [(each.id, each.reason.split(": ", 1)[1]) for each in rejects] == [
        ("b", "fail_processor_exception: no")
    ]
