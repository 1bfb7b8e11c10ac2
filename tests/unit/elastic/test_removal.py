"""What goes with a window, and what stays, whatever else the cluster has under its prefix."""

from __future__ import annotations

import re
from typing import Any

import pytest
from testing.cluster_stand_in import Answer, error, standing_in

from neardup.elastic.admin.cluster_snapshot import ClusterSnapshot, OtherTemplate
from neardup.elastic.admin.hourly_indices import HourlyIndex, Indices, own_fields
from neardup.elastic.admin.managed_objects import (
    COMPONENT,
    PIPELINE,
    TEMPLATE,
    WindowConfig,
    wanted_objects,
)
from neardup.elastic.admin.removal import delete_entry, removal_of
from neardup.elastic.http.address import Address
from neardup.elastic.http.api import StoredDocument, Version
from neardup.elastic.http.client import Cluster
from neardup.elastic.http.permission_errors import permission_error
from neardup.elastic.http.scan import Entry
from neardup.elastic.watch.claims import CLAIM_SECONDS
from neardup.elastic.watch.leadership import LEADER_SECONDS, scorer_at_work
from neardup.elastic.watch.mark_removal import _write_back, check_takes_writes, without_marks
from neardup.elastic.window.codec import SCORER_FIELDS
from neardup.errors import ClusterRefused, ClusterRejected, SettingsError
from neardup.model.clock import now_ms
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for

OWN = Address("http://127.0.0.1:1", "news")
SIGNER = signer_for(Recipe())
CONFIG = WindowConfig(Recipe(), SIGNER.text)
OBJECTS = {each.path: each for each in wanted_objects(OWN, CONFIG, lifecycle=True)}


def hour(name: str, about: dict[str, Any] | None = None, **settings: str) -> HourlyIndex:
    known = OWN.hour_of_index(name)
    assert known is not None
    return HourlyIndex(name, *known, about, settings, {}, {})


def snapshot_of(*hours: HourlyIndex, **others: Any) -> ClusterSnapshot:
    first = ClusterSnapshot([], True, OBJECTS, [], Indices([*hours], []), True, None)
    return first._replace(**others)


def test_hours_go_and_copies_and_an_hour_whose_description_was_lost():
    about = CONFIG.about()
    hours = [
        hour("news-2026.11.21-09", about),
        hour("news-copies-2026.11.21-09", about),
        hour("news-2026.11.21-10", final_pipeline="neardup-news"),
    ]
    removal = removal_of(OWN, snapshot_of(*hours), archive=None)
    assert removal.hours == [each.name for each in hours]
    assert removal.kept == []
    kinds = [each.kind for each in removal.objects]
    assert kinds.index(PIPELINE) > max(i for i, kind in enumerate(kinds) if kind is TEMPLATE)
    assert kinds[-2:] == [COMPONENT, COMPONENT]
    assert {each.path for each in removal.objects} == {*OBJECTS}


def test_an_index_that_is_only_called_as_hours_are_stays():
    plain = hour("news-2026.11.21-09", final_pipeline="another")
    indices = Indices([plain], ["news-backup"], {"news-2026.11.21-10": ["alias-of"]})
    removal = removal_of(OWN, snapshot_of(indices=indices), archive=None)
    assert removal.hours == []
    assert removal.kept == [
        "index news-2026.11.21-09 was not made for this window: it stays",
        "news-2026.11.21-10 is an alias or a data stream (alias-of): it stays",
        "no hours of this window, so they stay: news-backup",
    ]


def test_an_hour_cloned_from_another_window_stays():
    clone = hour("news-2026.11.21-09", CONFIG.about(), final_pipeline="neardup-other")
    removal = removal_of(OWN, snapshot_of(clone), archive=None)
    assert removal.hours == []
    assert removal.kept == ["index news-2026.11.21-09 was not made for this window: it stays"]


def test_no_index_goes_with_a_window_that_scores_one_in_place():
    """That index may be called as hours are, and may have been one."""
    removal = removal_of(
        OWN, snapshot_of(hour("news-2026.11.21-09", CONFIG.about())), archive="news-2026.11.21-09"
    )
    assert removal.hours == []
    assert "it stays" in removal.kept[0]


def test_objects_that_neardup_did_not_make_stay():
    foreign = {path: each._replace(body={"processors": []}) for path, each in OBJECTS.items()}
    removal = removal_of(OWN, snapshot_of(objects=foreign, has_state=False, custom={}), archive=None)
    assert removal.objects == []
    assert removal.is_empty
    assert len(removal.kept) == len(foreign) + 1


@pytest.mark.parametrize(
    ("others", "states"),
    [([OtherTemplate("neardup-mail", ("mail-*",), 500, True)], []), ([], ["neardup-state-mail"])],
)
def test_what_windows_share_stays_while_there_is_another(others, states):
    removal = removal_of(OWN, snapshot_of(other_templates=others), archive=None, other_states=states)
    assert COMPONENT not in {each.kind for each in removal.objects}
    assert "other windows use them" in removal.kept[0]
    theirs = [OtherTemplate("logs", ("logs-*",), 1, False)]
    removal = removal_of(OWN, snapshot_of(other_templates=theirs), archive=None)
    assert COMPONENT in {each.kind for each in removal.objects}


def test_components_alone_are_no_window():
    components = {path: each for path, each in OBJECTS.items() if each.kind is COMPONENT}
    removal = removal_of(OWN, snapshot_of(objects=components, has_state=False), archive=None)
    assert removal.is_empty


@pytest.mark.parametrize(
    ("prefix", "template", "pattern"),
    [
        ("state-news", "neardup-state-news", "neardup-state-news"),
        ("news-alias", "neardup-news-alias", "news"),
    ],
)
def test_a_template_of_another_window_stays_if_it_has_the_name_of_one_of_this_window(
    prefix, template, pattern
):
    own = Address(OWN.url, prefix)
    theirs = {path: each for path, each in OBJECTS.items() if each.kind is COMPONENT or each.name == template}
    removal = removal_of(own, snapshot_of(objects=theirs, has_state=False), archive=None)
    assert (removal.objects, removal.is_empty) == ([], True)
    assert f"index template {template} is of another window, for {pattern}: it stays" in removal.kept
    mine = {each.path: each for each in wanted_objects(own, CONFIG, lifecycle=False)}
    removal = removal_of(own, snapshot_of(objects={**mine, **theirs}), archive=None)
    assert {each.path for each in removal.objects} == {
        path for path, each in mine.items() if each.kind is not COMPONENT and each.name != template
    } | {each.path for each in mine.values() if each.kind is PIPELINE}


def test_the_pipeline_stays_while_an_index_that_stays_names_it():
    mine = hour("news-2026.11.21-09", CONFIG.about())
    removal = removal_of(OWN, snapshot_of(mine), archive=None, piped=[mine.name, "news-backup"])
    assert PIPELINE not in {each.kind for each in removal.objects}
    assert removal.kept == [
        "ingest pipeline neardup-news stays: news-backup could not be written to without it"
    ]
    removal = removal_of(OWN, snapshot_of(mine), archive=None, piped=[mine.name])
    assert PIPELINE in {each.kind for each in removal.objects}


def test_an_object_that_something_else_names_stays_and_a_template_that_cannot_go_is_an_error():
    entries = {each.kind: each for each in OBJECTS.values()}
    with (
        standing_in([error(400, "illegal_argument_exception", "in use by [logs]")]) as server,
        Cluster(Address(server.url, "news"), patience=0) as cluster,
    ):
        assert "in use by [logs]" in str(delete_entry(cluster, entries[COMPONENT]))
        with pytest.raises(ClusterRejected, match="in use by"):
            delete_entry(cluster, entries[TEMPLATE])
    assert [each.method for each in server.requests] == ["DELETE", "DELETE"]


# ---- marks ----


def test_all_that_a_scorer_writes_is_known_as_ours():
    assert {*SCORER_FIELDS, "unsigned"} <= own_fields().keys()
    assert SIGNER.signature("A rose is a rose.").to_dict().keys() <= own_fields().keys()


MARK = {"status": "unique", "order": 4, "sketch": "ab"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"a": 1, "neardup": MARK, "b": None}, {"a": 1, "b": None}),
        ({"neardup": {"status": "unscored", "unsigned": "no text"}}, {}),
        ({"neardup": {**MARK, "mine": 1}, "b": 2}, {"neardup": {"mine": 1}, "b": 2}),
        ({"neardup": {**MARK, "order": 5}}, None),
        ({"a": 1}, None),
        ({"a": 1, "neardup": None}, None),
        ({"a": 1, "neardup": [MARK]}, None),
        ({"a": 1, "neardup.status": "near"}, None),
        ({"a": 1, "neardup": {"mine": 1}}, None),
    ],
)
def test_only_our_object_goes_and_only_from_a_document_with_a_mark(source, expected):
    before = repr(source)
    assert without_marks(source, 5) == expected
    assert repr(source) == before


def test_the_order_of_the_fields_stays():
    source = {"z": 1, "neardup": {**MARK, "mine": 1}, "a": 2}
    assert list(without_marks(source, 5) or ()) == ["z", "neardup", "a"]


def test_an_index_that_was_deleted_meanwhile_is_not_made_again_by_a_write():
    part = [
        (Entry(None, id, index, "r"), StoredDocument({"a": 1, "neardup": MARK}, Version(3, 1)))
        for id, index in (("x", "logs-1"), ("y", "logs-2"))
    ]

    def script(request):
        if request.path.startswith("/_bulk"):
            return Answer(
                200, {"items": [{"index": {"_index": "logs-2", "_id": "y", "status": 409, "error": "x"}}]}
            )
        return Answer(200, {"logs-2": {"settings": {"index": {"uuid": "u"}}}})

    with (
        standing_in(script) as server,
        Cluster(Address(server.url, "news"), patience=0) as cluster,
    ):
        assert _write_back(cluster, "logs", part, 5, lambda: None) == 1
    head, source = server.requests[-1].lines
    assert head == {
        "index": {
            "_index": "logs-2",
            "_id": "y",
            "if_seq_no": 3,
            "if_primary_term": 1,
            "routing": "r",
            "pipeline": "_none",
        }
    }
    assert source == {"a": 1}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"verified_before_close": "true"}, "POST logs/_open"),
        ({"blocks": {"write": "true"}}, "PUT logs/_settings"),
        ({"blocks": {"read": "true"}}, "PUT logs/_settings"),
        ({"final_pipeline": "p"}, "set p again"),
        ({"mode": "logsdb"}, "keeps _source as written"),
        ({"mapping": {"source": {"mode": "synthetic"}}}, "keeps _source as written"),
    ],
)
def test_an_index_whose_documents_cannot_be_written_back_as_they_are_is_named(settings, words):
    there = {"logs": {"settings": {"index": settings}}}
    with (
        standing_in([Answer(200, there)]) as server,
        Cluster(Address(server.url, "news"), patience=0) as cluster,
    ):
        with pytest.raises(SettingsError, match=re.escape(words)):
            check_takes_writes(cluster, "logs", {"logs": 1})
        if "verified_before_close" not in settings:
            check_takes_writes(cluster, "logs", {"others": 1})


@pytest.mark.parametrize(
    "settings", [{}, {"blocks": {"metadata": "true"}}, {"final_pipeline": "_none"}, {"default_pipeline": "p"}]
)
def test_an_index_that_takes_them_is_none_of_those(settings):
    there = {"logs": {"settings": {"index": settings} if settings else {}}}
    with (
        standing_in([Answer(200, there)]) as server,
        Cluster(Address(server.url, "news"), patience=0) as cluster,
    ):
        check_takes_writes(cluster, "logs", {"logs": 1})


# ---- beside others ----


def _stored(source: dict[str, Any] | None) -> Answer:
    if source is None:
        return Answer(404, {"found": False})
    return Answer(200, {"found": True, "_source": source, "_seq_no": 1, "_primary_term": 1})


@pytest.mark.parametrize(
    ("leads", "claims", "expected"),
    [
        (None, None, None),
        ({"holder": None, "until": 0}, None, None),
        ({"holder": "other:1:a", "until": 0}, None, "other:1:a"),
        ({"holder": "other:1:a", "until": -1_000 * LEADER_SECONDS - 5_000}, None, None),
        ({"holder": None, "until": 0}, ("other:2:b", 0), "other:2:b"),
        ({"holder": "other:1:a", "until": -99_000}, ("other:2:b", 0), "other:2:b"),
        (None, ("other:2:b", -1_000 * CLAIM_SECONDS - 5_000), None),
    ],
)
def test_a_scorer_at_work_is_seen_between_two_batches_until_its_time_is_over(leads, claims, expected):
    now = now_ms()
    leads = None if leads is None else {**leads, "until": now + leads["until"]}
    claim = (
        None
        if claims is None
        else {"ticket": 0, "holder": claims[0], "until": now + claims[1], "entries": []}
    )
    queue = None if claim is None else {"tickets": 1, "upto": None, "claims": [claim]}

    def script(request):
        return _stored(leads if request.path.startswith("/neardup-state-news/_doc/watch") else queue)

    with (
        standing_in(script) as server,
        Cluster(Address(server.url, "news"), patience=0) as cluster,
    ):
        assert scorer_at_work(cluster) == expected


def test_no_role_may_delete_the_state():
    reason = "action [indices:admin/delete] is unauthorized for user [u] on indices [{}]"
    for index, words in (
        ("neardup-state-news", "no role of neardup"),
        ("news-2026.11.21-09", "the role scorer"),
    ):
        refused = permission_error(OWN, "DELETE /x", 403, "security_exception", reason.format(index))
        assert isinstance(refused, ClusterRefused)
        assert words in str(refused)


def test_what_is_ours_is_what_our_files_make():
    assert all(each.ours for each in OBJECTS.values())
