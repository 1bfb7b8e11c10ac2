"""What others may have done to the hours and the state of a window: closed, made without our template, lost."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import orjson
import pytest
from testing.cli.invocation import invoke
from testing.cluster_stand_in import Answer, error, standing_in

from neardup.elastic.admin import checks
from neardup.elastic.admin.checks import PATIENCE, TIMEOUT, examine_state_index
from neardup.elastic.admin.hourly_indices import Indices, read_indices
from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.admin.rollover import Rollover, roll_over
from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.api import BY_INDEX, Hit
from neardup.elastic.http.client import Cluster
from neardup.elastic.watch import document_checks
from neardup.elastic.watch.archive import check_text
from neardup.elastic.watch.document_checks import examine_documents
from neardup.elastic.window import epoch, holders, loader, state_recovery
from neardup.elastic.window.batch_candidates import BatchCandidates
from neardup.elastic.window.batch_writes import BatchWrites
from neardup.elastic.window.candidate_query import CandidateQueries
from neardup.elastic.window.codec import text_of
from neardup.elastic.window.composer import Composer
from neardup.elastic.window.index_layout import ElasticContext, Layout
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.scored_documents import (
    check_unscored,
    checked_unused,
    recovered,
    scored_documents,
)
from neardup.elastic.window.setup_changes import check_archive, check_not_resigning, remember_hours
from neardup.elastic.window.signed_otherwise import SignedOtherwise
from neardup.elastic.window.state_document import RemovalBegun, SettingsToLeave, StateDocument, scoring_lease
from neardup.elastic.window.state_recovery import lost_state
from neardup.errors import ClusterRejected, RecipeMismatch, SettingsError, WindowDamaged, WindowResigning
from neardup.model.clock import now_ms
from neardup.model.document import Origin, Prepared
from neardup.model.hours import FIRST_HOUR, LAST_NAMED, hour_of
from neardup.model.settings import HOUR_MS, MAX_SENTENCE_DOCUMENTS, Recipe, Settings
from neardup.model.times import format_time
from neardup.signing.signer import signer_for
from neardup.stores.base import Commit
from neardup.stores.records import ROW
from neardup.stores.remembered_settings import earlier, merged

HOUR = 444_444
NAME = Address("http://127.0.0.1:1", "news").hourly(HOUR)
CLOSED = error(400, "index_closed_exception", "closed")
SIGNER = signer_for(Recipe())
ABOUT = WindowConfig(Recipe(), SIGNER.text).about()
FLAT_AND_NOT = {"settings": {"index.uuid": "u", "index": {"uuid": "u"}}}
"""The settings of an hour, for requests with `flat_settings` and without."""


def cluster_of(server):
    return Cluster(Address(server.url, "news"), patience=0)


def with_closed_hours(request):
    """A cluster in which the hour is closed."""
    if "_refresh" in request.path and "expand_wildcards=all" in request.path:
        return CLOSED
    if "_settings" in request.path:
        return Answer(200, {NAME: FLAT_AND_NOT})
    return Answer(200, {"_shards": {"failed": 0}})


def test_an_hour_that_is_closed_is_named_and_not_passed_over():
    with (
        standing_in(with_closed_hours) as server,
        cluster_of(server) as cluster,
        pytest.raises(ClusterRejected, match=rf"{re.escape(NAME)} with 400 .*open that index"),
    ):
        Layout(cluster.address).refresh(cluster, HOUR)


def test_a_closed_hour_below_the_floor_is_none_of_the_windows():
    with standing_in(with_closed_hours) as server, cluster_of(server) as cluster:
        Layout(cluster.address).refresh(cluster, HOUR + 1)
    assert server.requests[-1].path == "/news-*/_refresh?allow_no_indices=true&expand_wildcards=open,hidden"


def test_of_the_many_indices_that_an_archive_stands_for_it_is_said_how_many_are_not_named():
    parts = {f"logs-{i}": {"settings": {"index": {"uuid": "u"}}} for i in range(5)}
    with (
        standing_in(lambda _: Answer(200, parts)) as server,
        cluster_of(server) as cluster,
        pytest.raises(SettingsError, match="stands for logs-0, logs-1, logs-2 and 2 more; write to these"),
    ):
        Layout(cluster.address, archive="logs").check_takes_new(cluster)


@pytest.mark.parametrize(("floor", "found"), [(HOUR, [(f"index {NAME}", "bad")]), (HOUR + 1, [])])
def test_a_doctor_finds_an_hour_that_is_closed_and_is_of_the_windows(floor, found):
    state = StateDocument(ABOUT, {}, Commit(floor_hour=floor), epoch=1)
    there = {"found": True, "_source": state.source(), "_seq_no": 1, "_primary_term": 1}

    def script(request):
        return Answer(200, there) if "/_doc/" in request.path else with_closed_hours(request)

    with standing_in(script) as server:
        findings = list(examine_documents(Address(server.url, "news"), Credentials()))
    unread = "verdicts in news", "documents of news"  # no search is answered here
    own = [each for each in findings if each.what not in unread]
    assert [(each.what, each.state) for each in own] == found
    assert all(f"POST {NAME}/_open" in each.found for each in own)


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ({"blocks": {"write": "true"}}, ["blocked (write): nothing can be scored", '"index.blocks.write": null']),
        ({"blocks": {"read": "true"}}, ["blocked (read): the window cannot be read"]),
        ({"verified_before_close": "true"}, ["closed: the window cannot be read", "POST neardup-state-news/_open"]),
    ],
)  # fmt: skip
def test_a_doctor_finds_a_state_index_that_is_closed_or_blocked(there, words):
    """It had no finding about a blocked one, and of a closed one a warning whose remedy was to delete it."""
    state = {
        "found": True,
        "_source": StateDocument(ABOUT, {}, epoch=1).source(),
        "_seq_no": 1,
        "_primary_term": 1,
    }
    refused = {"error": {"type": "index_closed_exception", "reason": "closed"}, "status": 400}

    def script(request):
        if "/neardup-state-news/_settings/" in request.path:
            return Answer(200, {"neardup-state-news": {"settings": {"index": there}}})
        if "/_doc/" in request.path:
            return Answer(200, state) if "write" in there.get("blocks", {}) else Answer(400, refused)
        return Answer(200, {})

    with standing_in(script) as server:
        findings = list(examine_documents(Address(server.url, "news"), Credentials()))
    (found,) = [each for each in findings if each.what != "verdicts in news"]  # no search is answered here
    assert (found.what, found.state) == ("index neardup-state-news", "bad")
    assert all(each in found.found for each in words)
    assert "delete" not in found.found


@pytest.mark.parametrize("source", [None, StateDocument(ABOUT, {}).source()])
def test_a_doctor_finds_an_hour_that_is_closed_of_a_window_that_nobody_has_scored(source):
    """It called the hours ok, and whoever opened the window got an error."""
    state = Answer(404, {"found": False})
    if source is not None:
        state = Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})
    template = {
        "index_templates": [{"index_template": {"template": {"mappings": {"_meta": {"neardup": ABOUT}}}}}]
    }

    def script(request):
        if "/_doc/" in request.path:
            return state
        return Answer(200, template) if "/_index_template/" in request.path else with_closed_hours(request)

    with standing_in(script) as server:
        (finding,) = examine_documents(Address(server.url, "news"), Credentials())
    assert (finding.what, finding.state) == (f"index {NAME}", "bad")
    assert f"POST {NAME}/_open" in finding.found


@pytest.mark.parametrize(
    ("settings", "state", "words"),
    [
        ({"verified_before_close": "true"}, "bad", "closed: .*POST letters/_open"),
        ({"blocks": {"write": "true"}}, "warning", "blocked .write.: .*PUT letters/_settings"),
        ({"blocks": {"read": "true"}}, "bad", "blocked .read.: the window cannot be read"),
        (
            {"blocks": {"metadata": "true", "write": "true"}},
            "warning",
            r"blocked \(write\): .*index.blocks.write",
        ),
        (
            {"blocks": {"read_only": "true", "write": "true"}},
            "warning",
            r'\(read_only, write\): .*{"index.blocks.read_only": null, "index.blocks.write": null}',
        ),
        ({"blocks": {"metadata": "true"}}, None, ""),
        ({"blocks": {"write": "false"}}, None, ""),
    ],
)
def test_a_doctor_finds_an_archive_that_is_closed_or_takes_no_marks(settings, state, words):
    """Of one that was closed it found nothing, and every other command ended with an error."""
    document = StateDocument(ABOUT, {}, Commit(next_order=1), epoch=1, archive="letters")
    there = {"found": True, "_source": document.source(), "_seq_no": 1, "_primary_term": 1}

    def script(request):
        if "/_doc/" in request.path:
            return Answer(200, there)
        whole = {"mappings": {}, "settings": {"index": {"uuid": "u"}}}
        part = {"settings": {"index": settings}} if "/_settings/" in request.path else whole
        return Answer(200, {"letters": part})

    with standing_in(script) as server:
        first, *others = examine_documents(Address(server.url, "news"), Credentials())
    assert (first.what, first.state) == ("archive letters", "ok")
    unread = "verdicts in news", "documents of news"  # no search is answered here
    others = [each for each in others if each.what not in unread]
    assert [(each.what, each.state) for each in others] == ([("index letters", state)] if state else [])
    assert all(re.search(words, each.found) for each in others)


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (error(400, "search_phase_execution_exception", "too many buckets"), "too many buckets"),
        (
            error(403, "security_exception", "action [indices:data/read/search] is unauthorized"),
            "role reader",
        ),
    ],
)
def test_a_doctor_says_what_of_the_documents_it_could_not_see_and_why(limit, words):
    """With a `search.max_buckets` of its own a cluster had no copied hours, as far as was said."""
    document = StateDocument(ABOUT, {}, Commit(next_order=1), epoch=1)
    there = {"found": True, "_source": document.source(), "_seq_no": 1, "_primary_term": 1}

    def script(request):
        if "/_doc/" in request.path:
            return Answer(200, there)
        if "/_search" in request.path:
            return limit
        is_closed = "expand_wildcards=closed" in request.path
        return Answer(200, {} if is_closed else {NAME: FLAT_AND_NOT})

    with standing_in(script) as server:
        findings = list(examine_documents(Address(server.url, "news"), Credentials()))
    fields, waiting, *findings = findings
    assert {(each.what, each.state) for each in (fields, waiting)} == {("documents of news", "warning")}
    assert re.search(f"could not be seen whether they have text and time: .*{words}", fields.found)
    assert re.search(f"could not be seen whether any wait for a verdict: .*{words}", waiting.found)
    assert [(each.what, each.state) for each in findings] == 2 * [("verdicts in news", "warning")]
    others, copied = (each.found for each in findings)
    assert re.search(f"could not be seen whether others have given some: .*{words}", others)
    assert re.search(f"could not be seen whether documents were copied .*: .*{words}", copied)


@pytest.mark.parametrize(
    ("holder", "until", "is_told"),
    [
        (holders.new_holder(), 2**53, True),
        ("another.machine:1:abcdef01", 1, True),
        ("another.machine:1:abcdef01", 2**53, False),
        (None, 0, False),
    ],
    ids=["ended here", "out of time", "elsewhere", "nobody"],
)
def test_a_doctor_says_that_a_scorer_died_whose_changes_nobody_has_undone(holder, until, is_told):
    """Half of what a reconcile that was killed had changed was read, and nothing told of it."""
    document = StateDocument(ABOUT, {}, Commit(next_order=1), epoch=1, holder=holder, until=until)
    there = {"found": True, "_source": document.source(), "_seq_no": 1, "_primary_term": 1}

    def script(request):
        return Answer(200, there if "/_doc/" in request.path else {})

    with standing_in(script) as server:
        findings = list(examine_documents(Address(server.url, "news"), Credentials()))
    told = [each.found for each in findings if each.what == "state of news"]
    assert len(told) == is_told
    assert all(
        re.search(r"in the middle of a batch: .*`neardup watch --once --window", text) for text in told
    )


@pytest.mark.parametrize(
    ("hours", "ahead", "is_told"), [(24, 20, True), (24, -1, False), (0, 20, False), (24, None, False)]
)
def test_a_doctor_says_that_the_newest_hour_is_ahead_of_the_clock(hours, ahead, is_told):
    """As of a window in a directory: it said ok."""
    commit = Commit(next_order=1) if ahead is None else Commit(next_order=1, newest=hour_of(now_ms()) + ahead)
    document = StateDocument(ABOUT, Settings(window_hours=hours).remembered, commit, epoch=1)
    there = {"found": True, "_source": document.source(), "_seq_no": 1, "_primary_term": 1}

    def script(request):
        return Answer(200, there if "/_doc/" in request.path else {})

    with standing_in(script) as server:
        findings = list(examine_documents(Address(server.url, "news"), Credentials()))
    told = [each for each in findings if each.what == "newest hour"]
    assert [each.state for each in told] == ["warning"] * is_told
    assert all("`neardup expire --newest TIME` sets it back" in each.found for each in told)


@pytest.mark.parametrize(
    ("archive", "floor", "is_told"),
    [("mails", HOUR, True), ("mails", FIRST_HOUR, False), (None, HOUR, False)],
    ids=["given up", "nothing given up", "hours"],
)
def test_a_doctor_says_that_documents_scored_in_place_were_given_up_for_a_budget(archive, floor, is_told):
    """It said that all is well of a window in which nothing was compared with 13,202 documents."""
    commit = Commit(next_order=13_202, newest=HOUR, floor_hour=floor, budget_hour=floor)
    settings = Settings(window_hours=0).remembered
    document = StateDocument(ABOUT, settings, commit, epoch=1, archive=archive)
    there = {"found": True, "_source": document.source(), "_seq_no": 1, "_primary_term": 1}

    def script(request):
        if "/_count" in request.path:
            return Answer(200, {"count": 13_202, "_shards": {"failed": 0}})
        return Answer(200, there if "/_doc/" in request.path else {"mails": {"mappings": {}, **FLAT_AND_NOT}})

    with standing_in(script) as server:
        findings = list(examine_documents(Address(server.url, "news"), Credentials()))
    told = [each for each in findings if "given up for max" in each.found]
    assert [(each.what, each.state) for each in told] == [("documents of news", "warning")] * is_told
    assert all(
        re.search(r"^13,202 documents .*`neardup remove --window .* --force`, then score mails", each.found)
        for each in told
    )


@pytest.mark.parametrize(
    ("has_died", "changed_in", "is_told"),
    [(True, 3, True), (True, 2, True), (True, None, False), (False, None, False)],
)
def test_who_reads_is_told_that_a_scorer_died_whose_changes_nobody_has_undone(
    has_died, changed_in, is_told, caplog
):
    """Of a reconcile that was killed half of the copies were counted, and nothing told of it."""
    document = StateDocument(
        ABOUT,
        Settings(window_hours=0).remembered,
        Commit(next_order=1),
        epoch=3,
        holder=holders.new_holder() if has_died else None,
        undo=(2,) if has_died else (),
    )
    there = {"found": True, "_source": document.source(), "_seq_no": 1, "_primary_term": 1}
    names = {"window", f"undo-{changed_in}-0"}

    def script(request):
        is_there = request.path.partition("?")[0].rpartition("/")[2] in names
        answer = there if is_there else {"found": False}
        return Answer(200, answer if "/_doc/" in request.path else {"docs": [], "fields": {}})

    with standing_in(script) as server:
        open_elastic_window(f"{server.url}/news", readonly=True).close()
    assert ("in the middle of a batch" in caplog.text) == is_told


def test_a_doctor_says_that_it_may_not_read_the_state():
    refused = error(403, "security_exception", "action [indices:data/read/get] is unauthorized")
    with standing_in([refused]) as server:
        (finding,) = examine_documents(Address(server.url, "news"), Credentials())
    assert (finding.what, finding.state) == ("state of news", "warning")
    assert re.search("could not be seen whether the window can be opened: .*role reader", finding.found)


@pytest.mark.parametrize(
    ("archive", "words"),
    [(None, "is kept in indices of hours, .* without --in-place"), ("mails", "scores mails in place")],
)
def test_an_index_that_a_window_does_not_score_in_place_is_refused_by_the_name_of_the_option(archive, words):
    """It was the setting `archive`, which no option and no file has."""
    with pytest.raises(SettingsError, match=f"setting in_place is 'letters': .*{words}; use another prefix"):
        StateDocument(ABOUT, {}, archive=archive).check_kept_in("letters")
    if archive is not None:
        StateDocument(ABOUT, {}, archive=archive).check_kept_in(archive)


@pytest.mark.parametrize(
    ("named", "fields"),
    [
        ("body", "body.html.raw, body.text"),
        ("body.txt", "body.html.raw, body.text"),
        ("body.text.x", "body.html.raw, body.text"),
        ("text", "body.html.raw, body.text, title"),
    ],
)
def test_a_field_that_holds_no_text_is_refused_with_the_whole_names_of_those_there_are(named, fields):
    """Of an object `body` it said that there is no field of this name, and that there is a field `body`."""
    source = {"title": "A", "body": {"text": "B", "html": {"raw": "C"}}, "neardup": {"status": "near"}}
    hit = {"_index": "mails", "_id": "1", "_source": source}

    def script(request):
        types: dict[str, Any] = {named: {"object": {}}} if named == "body" else {}
        return Answer(200, {"fields": types} if "_field_caps" in request.path else {"hits": {"hits": [hit]}})

    refused = pytest.raises(SettingsError, match=rf"'{named}'.*\(fields: {fields}\): name it by --text-field")
    with standing_in(script) as server, cluster_of(server) as cluster, refused:
        check_text(cluster, "mails", named)


def test_a_doctor_waits_no_longer_for_the_state_than_for_anything(monkeypatch):
    """Of a host that takes connections and is silent it was told after two minutes; and a state that cannot be read was
    waited for once for each thing that it says of the window.
    """
    asked = []

    def noted(*own, **waits):
        asked.append(waits)
        return Cluster(*own, **waits)

    monkeypatch.setattr(document_checks, "Cluster", noted)
    assert invoke("doctor", "--window", "http://127.0.0.1:1/news").exit_code == 3
    assert asked == 2 * [{"patience": PATIENCE, "timeout": TIMEOUT}]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            {**StateDocument(ABOUT, {}).source(), "resigned_from": "old"},
            r"neardup resign --window .* --force` continues it",
        ),
        (
            {**StateDocument(ABOUT, {}, archive="mails").source(), "is_being_removed": True},
            "the removal of .* has begun, .*`neardup remove --window http.*/news --force` completes it",
        ),
        ({"format": 1}, "is damaged: .*`neardup setup --window"),
        (
            StateDocument(ABOUT, {"threshold": "x"}).source(),
            "is damaged: .*threshold is 'x'.*`neardup setup` with the same --window",
        ),
    ],
)
def test_a_doctor_finds_a_state_by_which_nobody_can_open_the_window(source, words):
    there = {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1}

    def script(request):
        return Answer(200, there if "/_doc/" in request.path else {})

    with standing_in(script) as server:
        (finding,) = examine_documents(Address(server.url, "news"), Credentials())
    assert (finding.what, finding.state) == ("state of news", "bad")
    assert re.search(words, finding.found)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({}, None, ""),
        ({"max_length": 5_000}, None, ""),
        ({"window_hours": 24}, SettingsError, "0 for an archive"),
        ({"signed_by": "plugin"}, SettingsError, "client for an archive"),
        ({"text_field": "body"}, SettingsError, "'text', as this window was set up"),
        ({"time_field": "ts"}, SettingsError, "'@timestamp', as this window was set up"),
        ({"lossless": False}, SettingsError, "True, as this window was set up"),
        ({"recipe_text": signer_for(Recipe(reach=0.5)).text}, RecipeMismatch, "archive old .*neardup resign"),
    ],
)
def test_no_setup_changes_what_is_scored_in_place(changes, error, words):
    config = WindowConfig(Recipe(), SIGNER.text, window_hours=0, signed_by="client")
    state = StateDocument(config.about(), {}, archive="old")
    wanted = replace(config, **changes)
    for document in (state, replace(state, archive=None)):
        there = {"found": True, "_source": document.source(), "_seq_no": 1, "_primary_term": 1}
        refused = pytest.raises(error, match=words) if error and document.archive else nullcontext()
        answers = [Answer(200, there)]
        with standing_in(answers) as server, cluster_of(server) as cluster, refused:
            check_archive(cluster, wanted)


@pytest.mark.parametrize("is_blocked", [True, False])
def test_other_hours_are_told_once_they_are_stored(is_blocked, caplog):
    """Where nothing can be written it said that they hold from now on."""
    there = {"found": True, "_source": StateDocument(ABOUT, {}).source(), "_seq_no": 1, "_primary_term": 1}
    stored = Answer(200, {"_seq_no": 2, "_primary_term": 1})
    written = error(403, "cluster_block_exception", "read-only") if is_blocked else stored

    def script(request):
        if "/_doc/" not in request.path:
            return Answer(200, {})
        return Answer(200, there) if request.method == "GET" else written

    with standing_in(script) as server, pytest.raises(ClusterRejected) if is_blocked else nullcontext():
        remember_hours(f"{server.url}/news", {"keep_hours": 40})
    assert ("keeps 40 h from now on" in caplog.text) == (not is_blocked)


def test_nobody_scores_or_reads_what_a_removal_was_interrupted_in():
    """`watch` gave the documents that had lost their marks new ones, and said nothing."""
    source = StateDocument(ABOUT, {}, epoch=1, archive="mails", is_being_removed=True).source()
    assert StateDocument.read(source).is_being_removed
    assert not StateDocument.read(StateDocument(ABOUT, {}).source()).is_being_removed
    earlier = {name: value for name, value in source.items() if name != "is_being_removed"}
    assert not StateDocument.read(earlier).is_being_removed
    there = Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})
    for readonly in (False, True):
        with standing_in(lambda _: there) as server, pytest.raises(RemovalBegun, match="neardup remove"):
            open_elastic_window(f"{server.url}/news", readonly=readonly)


def test_no_setup_turns_back_what_is_being_signed_again():
    config = WindowConfig(Recipe(), SIGNER.text)
    source = StateDocument(config.about(), {}, resigned_from="old").source()
    answers = [Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})]
    with (
        standing_in(answers) as server,
        cluster_of(server) as cluster,
        pytest.raises(WindowResigning, match=r"neardup resign --window .* --force` continues it"),
    ):
        check_not_resigning(cluster)


@pytest.mark.parametrize("changes", [{"archive": "old"}, {"resigned_from": "old"}])
@pytest.mark.parametrize("lacking", ["recipe", "text_field"])
def test_a_description_that_is_damaged_is_written_anew_by_setup(lacking, changes):
    config = WindowConfig(Recipe(), SIGNER.text, window_hours=0, signed_by="client")
    about = {name: value for name, value in config.about().items() if name != lacking}
    source = StateDocument(about, {}, **changes).source()
    answers = 2 * [Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})]
    with standing_in(answers) as server, cluster_of(server) as cluster:
        check_not_resigning(cluster)
        check_archive(cluster, config)


@pytest.mark.parametrize("archive", [None, "old"])
def test_a_damaged_state_of_an_archive_is_not_made_anew_by_setup(archive):
    """It became that of a window of hours without documents, which refused to score the archive."""
    source = StateDocument(ABOUT, {}, archive=archive).source() | {"commit": "x"}
    answers = 2 * [Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})]
    refused = pytest.raises(WindowDamaged, match=r"DELETE .*--in-place") if archive else nullcontext()
    with standing_in(answers) as server, cluster_of(server) as cluster, refused:
        check_not_resigning(cluster)


@pytest.mark.parametrize(
    ("order", "remapped"),
    [
        ({"type": "long"}, ()),
        ({"type": "long", "doc_values": False}, ("order",)),
        ({"type": "keyword"}, ("order",)),
    ],
)
def test_a_doctor_finds_an_hour_that_maps_a_field_differently(order, remapped):
    """Every command failed without a remedy; the doctor called the hour ok and said that something was not seen."""
    mapping = {"properties": {"neardup": {"dynamic": "false", "properties": {"order": order}}}}
    with standing_in([Answer(200, {NAME: {"mappings": mapping}})]) as server, cluster_of(server) as cluster:
        indices = read_indices(cluster)
    assert indices.hourly[0].remapped == remapped
    snapshot = mock.Mock(indices=indices)
    findings = list(checks._indices(WindowConfig(Recipe(), SIGNER.text), snapshot, 1))
    told = [f for f in findings if "maps neardup.order differently from neardup" in f.found]
    assert [f.state for f in told] == ["bad"] * len(remapped)


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ({"dynamic": "false"}, None),
        ({"dynamic": False}, None),
        ({}, r'is dynamic.*; PUT neardup-state-news/_mapping {"dynamic": false}$'),
        ({"dynamic": "strict"}, "is strict"),
        ({"properties": {"entries": {"properties": {}}}}, "DELETE neardup-state-news, then `neardup setup"),
    ],
)
def test_a_doctor_finds_a_state_index_that_was_not_made_by_its_template(mapping, words):
    """All was called ok, and a document was not deleted whose fields did not fit those of another in the undo log."""
    index = {"settings": {"index": {"uuid": "u"}}, "mappings": mapping}
    with standing_in([Answer(200, {"neardup-state-news": index})]) as server, cluster_of(server) as cluster:
        findings = list(examine_state_index(cluster))
    assert [(each.what, each.state) for each in findings] == (
        [("index neardup-state-news", "warning")] if words else []
    )
    assert all(re.search(words, each.found) for each in findings)


@pytest.mark.parametrize("hours", [[NAME], []])
def test_a_state_that_does_not_say_whether_it_is_of_an_archive_is_made_anew_only_from_hours(hours):
    """That of an archive became that of a window of hours without documents: nothing else says which it was."""
    source = StateDocument(ABOUT, {}, archive="old").source()
    del source["archive"]
    there = Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})
    made = Answer(200, {name: {"settings": {"index.uuid": "u"}} for name in hours})
    lacking = (
        r"no key archive, .* no hours.*DELETE neardup-state-news/_doc/window; then, .*--in-place .*setup"
    )
    refused = nullcontext() if hours else pytest.raises(WindowDamaged, match=lacking)
    with (
        standing_in(lambda request: there if "/_doc/" in request.path else made) as server,
        cluster_of(server) as cluster,
        refused,
    ):
        check_not_resigning(cluster)


@pytest.mark.parametrize("newest", [10**12, -(10**9), LAST_NAMED + 1])
def test_a_doctor_finds_a_state_whose_newest_hour_is_beyond_any_calendar(newest):
    """It ended with a traceback."""
    source = StateDocument(ABOUT, {}, Commit(newest=newest), epoch=1).source()
    there = Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})
    with standing_in(lambda _: there) as server:
        (finding,) = examine_documents(Address(server.url, "news"), Credentials())
    assert (finding.what, finding.state) == ("state of news", "bad")
    assert f"the newest hour {newest}, which no document can have" in finding.found
    assert "`neardup setup --window" in finding.found


@pytest.mark.parametrize(
    ("changes", "change"),
    [
        ({}, None),
        ({"commit": "x"}, "make state document"),
        ({"settings": {"threshold": "x"}}, "change state document"),
    ],
)
def test_setup_says_what_it_makes_anew_of_a_state(changes, change, monkeypatch):
    """Of damaged settings it said that there was nothing to do, and did it; with --dry-run, too."""
    monkeypatch.setattr(state_recovery, "config_of_template", lambda cluster: ABOUT)
    source = StateDocument(ABOUT, Settings().remembered).source() | changes
    answers = [Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})]
    with standing_in(answers) as server, cluster_of(server) as cluster:
        made = [str(each).partition(" neardup-state-news/window")[0] for each in lost_state(cluster)]
    assert made == ([change] if change else [])


def scored(request):
    """A cluster with scored documents in an hour, and in an index that is no hour."""
    if "_search" in request.path:
        buckets = [
            {"key": NAME, "doc_count": 3, "last": {"value": 17.0}},
            {"key": "news-stray", "doc_count": 9, "last": {"value": 99.0}},
        ]
        return Answer(200, {"hits": {"hits": []}, "aggregations": {"indices": {"buckets": buckets}}})
    if "_settings" in request.path:
        return Answer(200, {NAME: FLAT_AND_NOT})
    return Answer(200, {"_shards": {"failed": 0}})


def test_a_window_without_state_is_no_new_one_if_documents_have_been_scored():
    with standing_in(scored) as server, cluster_of(server) as cluster:
        there = scored_documents(cluster, Layout(cluster.address))
        assert there == (3, 17, HOUR)
        with pytest.raises(
            WindowDamaged, match=r"3 scored documents in news-\*.*neardup setup --window http"
        ):
            check_unscored(cluster, ABOUT, has_state=False)


def test_a_state_that_nobody_has_used_is_not_believed_over_scored_documents():
    unused = StateDocument(ABOUT, {})
    cluster_says = {"state": unused}

    def script(request):
        if "_doc/window" not in request.path:
            return scored(request)
        source = cluster_says["state"].source()
        return Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})

    with standing_in(script) as server, cluster_of(server) as cluster:
        with pytest.raises(WindowDamaged, match="nobody has scored in, but 3 scored documents") as raised:
            checked_unused(cluster, scoring_lease(cluster), unused)
        assert "copied from another window" in str(raised.value)
        cluster_says["state"] = unused.next_epoch(lost=False)
        assert checked_unused(cluster, scoring_lease(cluster), unused) == cluster_says["state"]
    assert unused.is_unused
    assert not unused.next_epoch(lost=False).is_unused


def test_a_state_that_is_made_anew_counts_every_document_and_none_that_is_on_its_way():
    with standing_in(scored) as server, cluster_of(server) as cluster:
        state = recovered(cluster, ABOUT, {}, None)
    assert state.counts(0)
    assert state.counts(17)
    assert not state.counts(18)
    assert (state.commit.newest, state.aborted[0][0], state.undo, state.holder) == (HOUR, 18, (), None)
    assert state.commit.next_order == state.aborted[0][1]


def test_of_a_state_that_is_made_anew_nobody_claims_that_all_verdicts_are_by_its_threshold(caplog):
    """Those by 0.9 stayed, the window had 0.7, and its figures said that all were made with one threshold."""
    with standing_in(scored) as server, cluster_of(server) as cluster:
        state = recovered(cluster, ABOUT, Settings().remembered, None)
    assert "by which its verdicts were made are not known; from now on it has threshold 0.7, " in caplog.text
    assert "policy mark" in caplog.text
    assert "`neardup reconcile --threshold T`" in caplog.text
    unknown = {name: ["unknown"] for name in ("threshold", "retrieval", "policy", "partial")}
    assert earlier(state.settings) == unknown
    # Whatever later scorers set, it may have been any value before.
    later = merged(state.settings, Settings(threshold="0.9", policy="route").remembered)
    assert earlier(merged(later, Settings(threshold="0.8").remembered)) == unknown
    assert earlier(SettingsToLeave(None, state.settings).at_commit(state)) == unknown


def test_a_window_without_hours_is_a_new_one():
    with standing_in([Answer(200, {})]) as server, cluster_of(server) as cluster:
        check_unscored(cluster, ABOUT, has_state=False)
    assert len(server.requests) == 1


def made(recipe, pipeline, dynamic="true", field="order", **more):
    about = {"_meta": {"neardup": {"recipe": recipe}}} if recipe else {}
    ours = {"dynamic": dynamic, "properties": {field: {"type": "long"}}}
    return Answer(
        200,
        {
            NAME: {
                "mappings": {"properties": {"neardup": ours}, **about, **more},
                "settings": {"index": {"final_pipeline": pipeline}},
            }
        },
    )


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (made("r", "neardup-news"), None),
        (made(None, "neardup-news"), f"delete it .*`neardup ingest --from-index {NAME}` copies them"),
        (made(None, "neardup-news", "false"), "found no _meta.neardup, .*replaces all of it; "),
        (made(None, "_none", "false"), "delete it"),
        (made(None, "neardup-news", "false", "of_others"), "delete it"),
        (made("other", "neardup-news"), "signed by other"),
        (made("r", "_none"), "final pipeline _none"),
        (made("r", "neardup-news", enabled=False), "indexes nothing .*remove that from news@custom"),
        (Answer(200, {NAME: {"settings": {"index": {"uuid": "u"}}}}), "delete it"),
        (Answer(200, {}), None),
    ],
)
def test_an_hour_in_which_nobody_signs_is_told_before_its_documents_count(answer, words):
    with standing_in([answer]) as server, cluster_of(server) as cluster:
        layout = Layout(cluster.address)
        if words is None:
            layout.check_made(cluster, NAME, "r")
            return
        with pytest.raises(WindowDamaged, match=rf"{re.escape(NAME)} .*{words}.*`neardup setup") as caught:
            layout.check_made(cluster, NAME, "r")
    assert "run again" in str(caught.value)


def document(**fields):
    return Prepared("a", b"Some text.", HOUR * 3_600_000, HOUR, fields=fields)


def test_fields_by_the_name_of_ours_are_left_out():
    layout = Layout(Address("http://127.0.0.1:1", "news"))
    source = Composer(layout, SIGNER).source(
        document(**{"neardup": 1, "neardup.order": 2, "neardupes": 3}), {"order": 4}
    )
    assert source.keys() == {"neardupes", "text", "@timestamp", "neardup"}
    assert source["neardup"] == {"order": 4}


def test_a_field_where_the_window_has_text_or_time_is_replaced_and_told_once(caplog):
    composer = Composer(Layout(Address("http://127.0.0.1:1", "news"), time_field="page.at"), SIGNER)
    time = format_time(HOUR * 3_600_000)
    for fields in ({"text": "Some text.", "page": {"at": ""}}, {"page": {"at": "a"}}, {"page": {"at": "b"}}):
        source = composer.source(document(**fields), {})
        assert (source["text"], source["page"]) == ("Some text.", {"at": time})
    (told,) = caplog.messages
    assert told.startswith("document a: its field 'page.at' is replaced by its time, ")


@pytest.mark.parametrize(
    "fields",
    [
        {"page.body": "other"},
        {"page.body": None},
        {"page.body": "other", "page": {"body": "another", "at": 1}},
        {"page": {"body.html": "other"}},
        {"page": {"body.html": "other", "body": {"html": "another", "at": 1}}, "page.body.html": ""},
    ],
)
def test_text_is_in_objects_where_nodes_look_for_it_and_nowhere_else(fields):
    name = "page.body.html" if "html" in str(fields) else "page.body"
    layout = Layout(Address("http://127.0.0.1:1", "news"), text_field=name)
    source = Composer(layout, SIGNER).source(document(**fields), {})
    found: Any = source
    for step in name.split("."):
        found = found[step]
    assert found == "Some text."
    assert not any("." in key for each in (source, source["page"]) for key in each)


@pytest.mark.parametrize("page", ["a page", [{"number": 1}], 7])
def test_a_field_where_the_window_has_an_object_is_replaced_and_told_once(page, caplog):
    layout = Layout(Address("http://127.0.0.1:1", "news"), text_field="page.body", time_field="page.at.time")
    composer = Composer(layout, SIGNER)
    for fields in ({"page": None}, {"page": {"at": None}}, {"page": page}, {"page": page}):
        source = composer.source(document(**fields), {})
        assert source["page"].keys() == {"body", "at"}
    (told,) = caplog.messages
    assert told.startswith("document a: its field 'page' is replaced by its text, ")
    composer.source(document(page={"at": page}), {})
    assert "its field 'page.at' is replaced by its time" in caplog.messages[-1]


def test_a_document_that_is_shown_anew_keeps_its_time_as_it_was_written(caplog):
    """Another client may have written it more precisely, or in a form that is the only one its mapping takes."""
    layout = Layout(Address("http://127.0.0.1:1", "news"), text_field="page.body", time_field="page.at")
    given = document(title="Rain", page={"at": format_time(HOUR * 3_600_000)})
    assert Composer(layout, SIGNER).shown(given) == {"title": "Rain", "page": {"body": "Some text."}}
    assert not caplog.messages


@pytest.mark.parametrize(
    ("archive", "own", "copies"), [(None, NAME, NAME.replace("-", "-copies-", 1)), (*["news-old"] * 3,)]
)
def test_documents_of_a_batch_go_to_their_hour_or_its_copies_and_stay_where_another_client_wrote_them(
    archive, own, copies
):
    layout = Layout(Address("http://127.0.0.1:1", "news"), archive=archive)
    foreign = document()._replace(origin=Origin("news-elsewhere", "x", 1, 1, None))
    documents, aside = [document(), document()._replace(id="b"), foreign], [False, True, True]
    assert layout.refs_for(documents, HOUR, aside) == [(own, "a"), (copies, "b"), ("news-elsewhere", "x")]


@pytest.mark.parametrize("value", [{1: 2}, {"a"}, "\ud800", b"x"])
def test_a_document_that_cannot_be_sent_is_refused_and_nothing_is_sent(value, monkeypatch):
    monkeypatch.setattr("neardup.elastic.window.batch_writes.verdict_fields", lambda *_: [{"order": 7}])
    monkeypatch.setattr("neardup.elastic.window.batch_writes.first_fields", lambda *_: [{}])
    with standing_in([Answer(200, {})]) as server, cluster_of(server) as cluster:
        layout = Layout(cluster.address)
        context = ElasticContext(cluster, layout, scoring_lease(cluster), SIGNER, Settings())
        writes = BatchWrites(context)
        for odd in (document(odd=value), document(fine=1)):
            refs = layout.refs_for([odd], HOUR, [False])
            writes.add(refs, [odd], np.zeros(1, ROW), [b""], [np.empty(0, np.uint64)])
        assert writes.send(1).keys() == {"a"}
        assert server.requests == []
        assert writes.send(2) == {}


@pytest.mark.parametrize(
    ("source", "fault"), [({}, "no key commit"), ({"until": "soon"}, "a value that cannot be read: ")]
)
def test_what_is_wrong_with_a_state_document_is_said_in_words(source, fault):
    """It was `KeyError 'commit'`."""
    stored = StateDocument(ABOUT, {}).source() | source if source else {"format": 1}
    answers = [Answer(200, {"found": True, "_source": stored, "_seq_no": 1, "_primary_term": 1})]
    refused = pytest.raises(WindowDamaged, match=f"a document with {fault}")
    with standing_in(answers) as server, cluster_of(server) as cluster, refused:
        scoring_lease(cluster).read()


def test_what_others_have_written_over_a_verdict_is_named():
    hit = {"_index": NAME, "_id": "x", "sort": [1, NAME], "_source": {"neardup": {"order": 1}}}
    answers = [Answer(200, {"hits": {"hits": [hit]}, "_shards": {"failed": 0}})]
    with standing_in(answers) as server, cluster_of(server) as cluster:
        layout = Layout(cluster.address)
        context = ElasticContext(cluster, layout, scoring_lease(cluster), SIGNER, Settings())
        with pytest.raises(WindowDamaged, match=rf"neardup of {re.escape(NAME)}/x .*no signature") as raised:
            list(loader.stored_parts(context, StateDocument({}, {}), 0))
        assert "if `neardup doctor` finds that _source lacks neardup" in str(raised.value)
    assert orjson.loads(server.requests[-1].body)["sort"]


@pytest.mark.parametrize("source", [{}, {"neardup": {"qgram_count": 3}}])
def test_what_a_mapping_leaves_out_of_source_is_named(source):
    layout = Layout(Address("http://localhost:9200", "news"))
    hits = [Hit(NAME, "x", source, [], None, None)]
    for read in (loader.by_arrival, loader.stored_part):
        with pytest.raises(
            WindowDamaged, match=rf"neardup of {re.escape(NAME)}/x .* leave neardup out of _source"
        ):
            read(layout, hits)


@pytest.mark.parametrize("name", ["identity", "group_order", "time"])
def test_a_document_without_what_others_are_found_by_is_named(name):
    layout = Layout(Address("http://localhost:9200", "news"))
    ours = {"identity": "x", "order": 1, "group_order": 1, "time": 0, "qgram_count": 3}
    assert loader.by_arrival(layout, [Hit(NAME, "x", {"neardup": ours}, [], None, None)]).keys() == {1}
    with pytest.raises(WindowDamaged, match=rf"neardup of {re.escape(NAME)}/x is damaged"):
        loader.by_arrival(layout, [Hit(NAME, "x", {"neardup": {**ours, name: None}}, [], None, None)])


@pytest.mark.parametrize("text", [None, 7, True, ["Rain."], {"a": 1}])
def test_what_others_have_put_in_the_place_of_a_text_is_none(text):
    assert text_of({"text": text}, "text") is None


def with_a_backup(request):
    """A cluster that has five documents of a window, and copies of four of them in an index that is not its own."""
    backup = [(f"news-{name}", arrival) for name in ("backup", "zzz") for arrival in range(1, 5)]
    body = orjson.loads(request.body)
    hits: list[dict[str, Any]] = [
        {"_index": index, "_id": str(arrival), "_source": {"neardup": {"order": arrival}},
         "sort": [index if "_index" in clause else arrival for clause in body["sort"]]}
        for index, arrival in [*backup, *((NAME, arrival) for arrival in range(5))]
    ]  # fmt: skip
    behind = [
        hit for hit in sorted(hits, key=lambda hit: hit["sort"]) if hit["sort"] > body.get("search_after", [])
    ]
    return Answer(200, {"hits": {"hits": behind[: body["size"]]}, "_shards": {"failed": 0}})


@pytest.mark.parametrize("size", range(1, 7))
def test_copies_in_an_index_that_is_not_the_window_s_hide_none_of_its_documents(size):
    with standing_in(with_a_backup) as server, cluster_of(server) as cluster:
        layout = Layout(cluster.address)
        context = ElasticContext(cluster, layout, scoring_lease(cluster), SIGNER, Settings())
        queries = CandidateQueries(context, StateDocument({}, {}))
        for body in (queries.with_values("identity", ["x"]), queries.successor(3)):
            found = [hit for page in loader.pages(cluster, layout, body, size=size) for hit in page]
            assert [hit.ref for hit in found] == [(NAME, str(arrival)) for arrival in range(5)]


def left_out(query):
    """The indices that a query leaves out."""
    others = query.get("bool", {}).get("must_not", [])
    return {name for each in others for name in each.get("terms", {}).get("_index", [])}


@pytest.mark.parametrize("ask", ["unscored", "aborted", "sentences", "hours", "signed"])
def test_copies_in_an_index_that_is_not_the_window_s_are_not_counted(ask):
    """A backup of a dead scorer's documents had `neardup watch` take them back at every look, for ever; one of others
    made sentences common, so that partial copies were missed, and hours twice as large.
    """
    counted = ("s",) if ask == "sentences" else ("waiting", "unscored")
    documents = {NAME: 0 if ask == "aborted" else MAX_SENTENCE_DOCUMENTS, "news-backup": 5}

    def script(request):
        if "_settings" in request.path:
            return Answer(200, {name: {"settings": {"index.uuid": name}} for name in documents})
        body = orjson.loads(request.body) if request.body else {}
        count = sum(documents[name] for name in documents.keys() - left_out(body.get("query", {})))
        aggregated = {
            "each": {"buckets": {name: {"doc_count": count} for name in counted}},
            "hours": {"buckets": [{"key": 0, "doc_count": count}]},
        }  # fmt: skip
        return Answer(
            200, {"count": count, "hits": {"hits": []}, "aggregations": aggregated, "_shards": {"failed": 0}}
        )

    with standing_in(script) as server, cluster_of(server) as cluster:
        layout, state = Layout(cluster.address), StateDocument({}, {}).next_epoch(lost=True)
        context = ElasticContext(cluster, layout, mock.Mock(), SIGNER, Settings())
        lookup = loader.DocumentLookup(cluster, layout, CandidateQueries(context, state))
        answers = {
            "unscored": lambda: (
                loader.count_undecided(cluster, layout) == (MAX_SENTENCE_DOCUMENTS, MAX_SENTENCE_DOCUMENTS)
            ),
            "aborted": lambda: not loader.has_aborted(cluster, layout, state),
            "sentences": lambda: (
                not list(lookup.common({"s": {"match_all": {}}}, {"match_all": {}}, MAX_SENTENCE_DOCUMENTS))
            ),
            "hours": lambda: (
                BatchCandidates(context, state)._documents_by_hour() == {0: MAX_SENTENCE_DOCUMENTS}
            ),
            "signed": lambda: SignedOtherwise(cluster, layout, SIGNER).count() == MAX_SENTENCE_DOCUMENTS,
        }
        assert answers[ask]()


def test_what_too_many_documents_have_in_common_is_not_searched_for():
    """Of a footer every document that has it was read for a query, a million if there were as many."""
    settings = Settings(routes=("sentences", "simhash"), partial=True)
    context = ElasticContext(
        mock.Mock(), Layout(Address("http://127.0.0.1:1", "news")), mock.Mock(), SIGNER, settings
    )
    queries = CandidateQueries(context, StateDocument({}, {}))
    batch = queries.query_batch("The grey heron stalked slowly across the frozen marsh at sunrise.")
    words = queries.searched_words(batch)

    def searched(common: frozenset[int]) -> str:
        return str(queries.alike(batch, settings.threshold_fraction, None, {"match_none": {}}, common))

    for field, names in words.items():
        assert all(name in searched(frozenset()) for name in names.values())
        assert f"neardup.{field}" not in searched(frozenset(names))


def rolled_back(outcome):
    """How many documents are rolled back of one that the cluster does with what the `outcome` says."""
    source = {"neardup": {"order": 0, "written_by": "ingest"}}
    hit = {"_index": NAME, "_id": "x", "sort": [0, NAME], "_source": source, "_seq_no": 1, "_primary_term": 1}
    pages = iter([[hit], []])

    def script(request):
        if request.path.startswith("/_bulk"):
            return Answer(200, {"items": [{"delete": outcome}]})
        if "_search" in request.path:
            return Answer(200, {"hits": {"hits": next(pages)}, "_shards": {"failed": 0}})
        return Answer(200, {"_shards": {"failed": 0}})

    with standing_in(script) as server, cluster_of(server) as cluster:
        layout = Layout(cluster.address)
        context = ElasticContext(cluster, layout, mock.Mock(), SIGNER, Settings())
        return epoch.roll_back(context, StateDocument({}, {}).next_epoch(lost=True))


def test_what_cannot_be_rolled_back_is_named():
    changed = {"type": "version_conflict_engine_exception", "reason": "changed"}
    assert rolled_back({"status": 200, "result": "deleted"}) == 1
    assert rolled_back({"status": 409, "error": changed}) == 0
    closed = {"type": "index_closed_exception", "reason": "closed"}
    with pytest.raises(ClusterRejected, match=f"delete {re.escape(NAME)}/x.*open that index"):
        rolled_back({"status": 400, "error": closed})


def test_copies_elsewhere_are_neither_read_nor_undone(monkeypatch):
    """By the searches of the loader itself, which need an order in which no two documents are at one place."""
    bodies = []

    def nothing(_cluster, _layout, body):
        bodies.append(body)
        return iter(())

    for module in (epoch, loader):
        monkeypatch.setattr(module, "pages", nothing)
    with standing_in([Answer(200, {"_shards": {"failed": 0}})]) as server, cluster_of(server) as cluster:
        layout = Layout(cluster.address)
        context = ElasticContext(cluster, layout, scoring_lease(cluster), SIGNER, Settings())
        state = StateDocument({}, {}).next_epoch(lost=True)
        list(loader.stored_parts(context, state, 0))
        epoch.roll_back(context, state)
    assert [body["sort"][-1] for body in bodies] == [BY_INDEX, BY_INDEX]


def rolling_over(described):
    """A cluster that knows the hour as `described` says."""

    def script(request):
        if request.path.startswith(f"/{NAME}?"):
            return Answer(200, described)
        return Answer(200, {})

    return script


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"uuid": "u"}, None),
        ({"uuid": "u", "blocks": {"write": "false", "metadata": "true"}}, None),
        ({"verified_before_close": "true"}, rf"{NAME} is closed.*POST {NAME}/_open"),
        (
            {"blocks": {"write": "true", "read_only": "true"}},
            rf'{NAME} is blocked \(read_only, write\).*read_only": null, "index.blocks.write": null}}',
        ),
    ],
)
def test_rollover_to_an_hour_that_takes_no_writes_is_told(settings, words, caplog):
    """It moved the alias there without a word, and whoever wrote by it was refused."""
    there = {NAME: {"settings": {"index": settings}}}
    with standing_in(rolling_over(there)) as server, cluster_of(server) as cluster:
        done = roll_over(cluster, HOUR * HOUR_MS)
    assert done[-1] == f"alias news writes to {NAME}"
    assert re.search(words, caplog.text) if words else not caplog.text


@pytest.mark.parametrize(("ahead", "is_told"), [(-1, False), (48, True)])
def test_an_alias_that_goes_back_to_an_earlier_hour_is_told(ahead, is_told, caplog):
    """It was moved without a word, and what was written by it was deleted with that hour, two days too early."""
    was = Address("http://localhost:1", "news").hourly(HOUR + ahead)
    alias = Answer(200, {was: {"aliases": {"news": {"is_write_index": True}}}})
    others = rolling_over({NAME: {"settings": {"index": {"uuid": "u"}}}})
    script = lambda request: alias if request.path.startswith("/_alias/") else others(request)  # noqa: E731
    with standing_in(script) as server, cluster_of(server) as cluster:
        assert roll_over(cluster, HOUR * HOUR_MS)[-1] == f"alias news writes to {NAME}"
    assert (f"wrote to {was}, later than {NAME}: check the clocks" in caplog.text) == is_told


def test_an_alias_that_is_called_as_the_coming_hour_is_told_before_that_begins(caplog):
    """It was told when the hour had begun, and was no hour any more to write to."""
    there = {"others": {"settings": {"index": {"uuid": "u"}}}}
    with standing_in(rolling_over(there)) as server, cluster_of(server) as cluster:
        done = roll_over(cluster, (HOUR - 1) * HOUR_MS)
    assert done[-1] == f"alias news writes to {Address(server.url, 'news').hourly(HOUR - 1)}"
    assert re.search(rf"an alias of others.*DELETE others/_alias/{NAME}", caplog.text)


@pytest.mark.parametrize("generation", ["2026.11.21-000001", "000001"])
def test_a_data_stream_that_is_called_as_an_hour_is_told_with_what_takes_it_away(generation):
    """It was called an alias, which no request takes away, and the doctor did not find it."""
    there = {f".ds-{NAME}-{generation}": {"settings": {"index": {"uuid": "u"}}}}
    words = f"DELETE _data_stream/{NAME}, .*no template of yours"
    with standing_in([Answer(200, there)]) as server, cluster_of(server) as cluster:
        assert read_indices(cluster) == Indices([], [], {NAME: list(there)})
        with pytest.raises(WindowDamaged, match=f"found a data stream.*{words}"):
            Layout(cluster.address).check_made(cluster, NAME, "r")


def test_a_current_hour_that_somebody_deletes_is_made_again(caplog):
    """The alias wrote to no hour then, and refused every write until the next hour began."""
    members: dict[str, dict[str, bool]] = {}

    def script(request):
        if request.path.startswith("/_alias/"):
            return Answer(200, {name: {"aliases": {"news": member}} for name, member in members.items()})
        if request.path == "/_aliases":
            members[NAME] = {"is_write_index": True}
        return Answer(200, {})

    with standing_in(script) as server, cluster_of(server) as cluster:
        rollover = Rollover(cluster)
        rollover(HOUR * HOUR_MS)
        before = len(server.requests)
        rollover((HOUR + 1) * HOUR_MS - 1)
        assert [request.path for request in server.requests[before:]] == ["/_alias/news"]
        assert not caplog.messages
        del members[NAME]
        members[cluster.address.hourly(HOUR + 1)] = {}
        rollover((HOUR + 1) * HOUR_MS - 1)
    assert members[NAME] == {"is_write_index": True}
    assert [message.split(": ")[0] for message in caplog.messages] == ["alias news wrote to no hour any more"]
    assert f"made index {NAME}" in caplog.text


def test_rollover_asks_of_each_hour_once():
    with standing_in(lambda _: Answer(200, {})) as server, cluster_of(server) as cluster:
        roll_over(cluster, HOUR * HOUR_MS)
    asked = [request.path.partition("?")[0] for request in server.requests if request.method == "GET"]
    assert sorted(path for path in asked if path.startswith("/news-")) == [
        f"/{NAME}",
        f"/{Address(server.url, 'news').hourly(HOUR + 1)}",
    ]


def test_rollover_to_an_alias_that_is_called_as_an_hour_changes_nothing():
    """It ended with the server's own words, when it had made the next hour."""
    there = {"others": {"settings": {"index": {"uuid": "u"}}}}
    with standing_in(rolling_over(there)) as server, cluster_of(server) as cluster:
        with pytest.raises(WindowDamaged, match=rf"an alias of others.*DELETE others/_alias/{NAME}"):
            roll_over(cluster, HOUR * HOUR_MS)
        with pytest.raises(WindowDamaged, match=rf"an alias of others.*DELETE others/_alias/{NAME}"):
            Layout(cluster.address).check_made(cluster, NAME, "r")
    assert {request.method for request in server.requests} == {"GET"}
