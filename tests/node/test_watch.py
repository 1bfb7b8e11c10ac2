"""`neardup watch`: what other clients write through a plain bulk request is scored in its place, once."""

from __future__ import annotations

import functools
import itertools
import threading
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from testing.node.clients import (
    bare,
    check_marked,
    expected,
    in_order,
    index_of,
    made,
    marks,
    put,
    stream,
    unwanted,
    update,
    watched,
    watching,
)
from testing.node.killing import stored
from testing.node.prefix import fresh_prefix
from testing.window.backends import START, grams

from neardup.elastic.admin.rollover import Rollover
from neardup.elastic.http import scan
from neardup.elastic.http.admin_api import alias, index_names
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.watch import backlog
from neardup.elastic.watch.leadership import leadership
from neardup.elastic.window.lease import Lease
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.state_document import scoring_lease
from neardup.elastic.window.store import ClusterStore
from neardup.errors import ClusterRejected, NotSetUp, SettingsError, WindowDamaged
from neardup.model.clock import now_ms
from neardup.model.hours import hour_of
from neardup.model.times import format_time

if TYPE_CHECKING:
    from neardup.model.document import Reject
    from neardup.model.verdict import Verdict


@pytest.fixture
def window(cluster):
    return made(cluster)


def one(id, text, hour=0.0, **fields):
    return {"id": id, "text": text, "time": START + int(hour * 3_600), **fields}


A = "The ferry ran aground off the western spit at dawn, and forty passengers were taken ashore in small boats."
B = "Sixty neighbours have raised the money to save the mill above the weir; the council signed the deed."
A_EDITED = A.replace("forty", "fifty")


def test_without_the_plugin_all_is_the_same_but_the_query(bare_node):
    with fresh_prefix(bare_node.url, patience=60) as cluster:
        window, documents = made(cluster), stream(120)
        put(window, documents[:60])
        verdicts = watched(window)
        assert verdicts == expected(documents[:60])
        check_marked(window, documents[:60], verdicts)
        with open_elastic_window(str(cluster.address)) as opened:
            verdicts = list(opened.ingest(in_order(documents[60:])))
            copy = next(verdict for verdict in verdicts if verdict.is_copy)
            assert opened.query(id=copy.id).duplicate_of == copy.duplicate_of
            heads = {group.head for group in opened.groups()}
        assert watched(window) == []
        body = {"collapse": {"field": "neardup.group"}, "size": 200}
        hits = cluster.request("POST", f"/{cluster.address.pattern}/_search", body=body)["hits"]["hits"]
        stories = [hit["fields"]["neardup.group"][0] for hit in hits]
        assert heads <= set(stories)
        assert len(stories) == len(set(stories)) < len(documents)


class TestScoring:
    def test_bare_documents_get_the_verdicts_of_the_embedded_engine(self, window):
        documents = stream(200)
        put(window, documents)
        verdicts = watched(window)
        assert verdicts == expected(documents)
        check_marked(window, documents, verdicts)
        assert watched(window) == []

    def test_what_the_pipeline_signed_is_left_as_it_is(self, window):
        put(window, [one("a", A), one("b", A_EDITED)])
        before = {id: source["neardup"] for _, id, source in stored(window)}
        watched(window)
        after = {id: source["neardup"] for _, id, source in stored(window)}
        assert all(before[id].items() <= after[id].items() for id in before)
        assert set(before["a"]) >= {"fingerprint", "packed_sketch", "qgrams", "recipe"}

    def test_a_watcher_reads_what_comes_by_the_fields_that_setup_has_named_since_it_began(self, window):
        """It marked each such document that it has no text, and none was looked at again."""
        watch = watching(window)
        made(window, text_field="body")
        documents = [{"body": each.pop("text"), **each} for each in (one("a", A), one("b", A_EDITED))]
        put(window, documents)
        verdicts = list(watch.verdicts(on_reject=unwanted))
        assert [(each.id, each.duplicate_of) for each in verdicts] == [("a", None), ("b", "a")]

    def test_where_no_plugin_signs_the_client_does(self, cluster):
        made(cluster, sign="client")
        documents = stream(40)
        put(cluster, documents)
        verdicts = watched(cluster)
        assert verdicts == expected(documents)
        check_marked(cluster, documents, verdicts)
        assert all("qgrams" in source["neardup"] for _, _, source in stored(cluster))

    def test_documents_of_one_time_are_taken_by_id_over_all_pages(self, window):
        documents = [{**each, "time": START + 3_600 * (i % 2)} for i, each in enumerate(stream(60))]
        put(window, documents)
        with small_pages(7):
            verdicts = watched(window)
        assert [verdict.id for verdict in verdicts] == [each["id"] for each in in_order(documents)]
        assert verdicts == expected(documents)

    def test_documents_that_were_copied_with_their_verdicts_are_both_named_with_what_to_do(self, window):
        """Only the later one was named, though it may be the one that was there, to be written again as it is."""
        put(window, [one("a", A, 1), one("b", B, 1)])
        watched(window)
        (there, earlier) = (index_of(window, one("a", A, hour)) for hour in (1, 0))
        scored = {id: source for _, id, source in stored(window)}
        copies = [Action("index", earlier, id, source) for id, source in scored.items()]
        assert all(outcome.ok for outcome in bulk(window, copies, refresh="true"))
        both = f"neardup of {earlier}/a and {there}/a"
        names = f"{both} is damaged: found the same arrival in both, expected one for each"
        with (
            pytest.raises(WindowDamaged, match=f"{names}.* again without the object neardup"),
            open_elastic_window(str(window.address), credentials=window.credentials) as opened,
        ):
            opened.stats()
        bare = [Action("index", earlier, id, {**source, "neardup": None}) for id, source in scored.items()]
        assert all(outcome.ok for outcome in bulk(window, bare, refresh="true"))
        assert [(each.status, each.duplicate_of) for each in watched(window)] == [
            ("exact", "a"),
            ("exact", "b"),
        ]

    def test_an_index_that_has_no_mapping_yet_hides_nothing(self, window):
        """As a template of others makes an hour; no search could be sorted by the index."""
        documents = in_order(stream(40))
        put(window, documents[:20])
        body = {"index_patterns": [f"{window.address.prefix}-2099*"], "priority": 900}
        name = f"{window.address.prefix}-bare"
        window.request("PUT", f"/_index_template/{name}", body=body)
        try:
            window.request("PUT", f"/{window.address.prefix}-2099.01.01-00")
            first = watched(window)
            put(window, documents[20:])
            assert first + watched(window) == expected(documents)
        finally:
            window.request("DELETE", f"/_index_template/{name}")

    def test_a_second_look_goes_on_with_what_came_meanwhile(self, window):
        documents = in_order(stream(120))
        put(window, documents[:70])
        first = watched(window)
        put(window, documents[70:])
        assert first + watched(window) == expected(documents)

    def test_a_watch_that_is_stopped_ends_after_the_batch_at_hand(self, window):
        documents = in_order(stream(40))
        put(window, documents)
        watch, asked = watching(window, once=False, batch=8), itertools.count()
        # Asked before the window is opened, before the first pass, and then after every batch.
        seen = list(watch.verdicts(on_reject=unwanted, stopped=lambda: next(asked) >= 2))
        assert seen == expected(documents)[:8]
        assert seen + watched(window) == expected(documents)

    def test_hours_that_expire_on_the_way_are_no_trouble(self, cluster):
        window = made(cluster, window_hours=1)
        documents = [{**each, "time": START + 360 * i} for i, each in enumerate(stream(50))]
        put(window, documents)
        with small_pages(9):
            verdicts = watched(window, batch=8)
        assert verdicts == expected(documents, window_hours=1)
        assert {index for index, _, _ in stored(window)} == {
            index_of(window, each) for each in documents[-20:]
        }

    def test_what_was_written_to_an_old_hour_is_counted_before_it_goes_with_it(self, cluster, caplog):
        """As by an alias that nobody moved: "nothing to drop" was said of it, and then it was gone."""
        window = made(cluster, window_hours=2)
        old = window.address.hourly(START // 3_600)
        later = [{**one(f"d{i}", f"{A} {i}"), "time": START + 3_600} for i in range(3)]
        actions = [
            Action("index", old, each["id"], {"text": each["text"], "@timestamp": each["time"] * 1_000})
            for each in later
        ]
        bulk(window, actions, refresh="true")
        assert len(watched(window)) == 3
        bulk(window, [Action("index", old, "waits", {"text": B})], refresh="true")
        with open_elastic_window(str(window.address), credentials=window.credentials) as opened:
            now = (START + 3 * 3_600) * 1_000
            tried, going = opened.expire(now, dry_run=True), opened.expire(now)
        assert tried == going == ["2020.09.13-12"]
        assert (tried.documents, going.documents) == (4, 4)
        assert f"{old} was deleted, and with it documents of later hours (3)" in caplog.text

    def test_an_hour_that_leaves_with_what_others_wrote_to_it_is_told(self, cluster, caplog):
        """A document of thirty hours ago was deleted without a word."""
        window = made(cluster, window_hours=1)
        put(window, [one("a", A, 0), one("b", B, 2)])
        watched(window, settings={"advance": True})
        put(window, [one("late", A_EDITED, 0)])
        watched(window, settings={"advance": True})
        put(window, [one("c", B, 4), one("d", B, 4.1)])
        watched(window, settings={"advance": True})
        first, second = (index_of(window, one("", "", hour)) for hour in (0, 2))
        assert [message for message in caplog.messages if "left the window" in message] == [
            f"{name} has left the window, and was deleted with its documents (1)"
            for name in (first, first, second)
        ]

    def test_an_old_hour_that_a_late_document_has_made_again_stays_until_the_next_hour_or_an_expire(
        self, cluster
    ):
        """As docs/elasticsearch.md says; the README said that it goes at once."""
        window = made(cluster, window_hours=1)
        put(window, [one("a", A, 0), one("b", B, 2)])
        watched(window, settings={"advance": True})
        put(window, [one("late", A_EDITED, 0)])
        late = index_of(window, one("", "", 0))
        for _ in range(2):
            watched(window, settings={"advance": True})
            assert {index for index, _, _ in stored(window)} == {late, index_of(window, one("", "", 2))}
        with open_elastic_window(str(window.address), credentials=window.credentials) as opened:
            assert opened.expire((START + 2 * 3_600) * 1_000) == ["2020.09.13-12"]
        assert {index for index, _, _ in stored(window)} == {index_of(window, one("", "", 2))}

    def test_one_document_far_ahead_expires_nothing_and_is_marked(self, cluster):
        window = made(cluster, window_hours=2)
        documents = [{**each, "time": START + 60 * i} for i, each in enumerate(stream(20))]
        far = {**one("far", A), "time": START + 40 * 3_600}
        put(window, [*documents, far])
        rejects: list[Reject] = []
        with small_pages(9):
            verdicts = list(watching(window, batch=7).verdicts(on_reject=rejects.append))
        assert verdicts == expected(documents, window_hours=2)
        [reject] = rejects
        assert reject.source is not None
        assert reject.source.endswith("/far")
        assert "would move the window on from hour" in reject.reason
        assert "expire all 20 documents in it" in reject.reason
        [mark] = [source["neardup"] for _, id, source in stored(window) if id == "far"]
        assert (mark["status"], mark["unsigned"]) == ("unscored", reject.reason)
        assert watched(window) == []
        window.request("POST", f"/{window.address.pattern}/_refresh")
        with open_elastic_window(
            str(window.address), credentials=window.credentials, readonly=True
        ) as opened:
            stats = opened.stats()
        assert (stats.documents, stats.unscored) == (20, 1)

    def test_two_far_ahead_are_a_stream_that_paused(self, cluster):
        window = made(cluster, window_hours=2)
        documents = [{**each, "time": START + 60 * i} for i, each in enumerate(stream(20))]
        later = [{**one(f"far{i}", A), "time": START + 40 * 3_600 + i} for i in range(2)]
        put(window, [*documents, *later])
        # The first of them is the last of its batch: the next one decides.
        assert [verdict.id for verdict in watched(window, batch=7)][-2:] == ["far0", "far1"]

    def test_only_a_window_that_marks_is_watched(self, window):
        put(window, [one("a", A)])
        with pytest.raises(SettingsError, match="neither deletes nor moves"):
            watched(window, settings={"policy": "drop"})
        assert marks(window) == {f"{index_of(window, one('a', A))}/a": {}}

    def test_a_window_that_is_not_there_is_not_made(self, cluster):
        with pytest.raises(NotSetUp):
            watched(cluster)

    def test_indices_of_others_are_left_alone(self, window):
        foreign = f"{window.address.prefix}-other-2026.11.21-09"
        window.request(
            "PUT", f"/{foreign}/_doc/x?refresh=true", body={"text": A, "@timestamp": "2026-11-21T09:00:00Z"}
        )
        assert watched(window) == []
        assert window.request("GET", f"/{foreign}/_doc/x")["_source"].get("neardup", {}).get("status") is None

    @pytest.mark.parametrize("candidates", ["memory", "search"])
    def test_hours_that_a_template_hides_are_hours(self, cluster, candidates):
        """None of their documents was scored, found or counted, and nothing said so."""
        hidden = {"template": {"settings": {"index.hidden": True}}}
        cluster.request("PUT", f"/_component_template/{cluster.address.prefix}@custom", body=hidden)
        window, documents = made(cluster), in_order(stream(60))
        put(window, documents[:40])
        watching_by = {"settings": {"candidates": candidates}}
        verdicts = watched(window, **watching_by)
        put(window, documents[40:])
        verdicts += watched(window, **watching_by)
        told = [verdict._replace(candidates=0) for verdict in verdicts]
        assert told == [verdict._replace(candidates=0) for verdict in expected(documents)]
        with open_elastic_window(str(window.address), credentials=window.credentials) as opened:
            assert opened.stats().documents == len(list(opened)) == 60
            copy = next(verdict for verdict in verdicts if verdict.is_copy)
            assert opened.query(id=copy.id).duplicate_of == copy.duplicate_of


class TestNames:
    def test_an_id_that_is_known_elsewhere_gets_the_name_of_its_index_before_it(self, window):
        early, late = one("a", A), one("a", A_EDITED, 1)
        put(window, [early, late])
        first, second = watched(window)
        assert (first.id, second.id) == ("a", f"{index_of(window, late)}/a")
        assert (second.status, second.duplicate_of) == ("near", "a")

    def test_a_name_once_given_stays(self, window):
        early, late = one("a", A), one("a", A_EDITED, 1)
        put(window, [early, late])
        verdicts = watched(window)
        before = marks(window)
        put(window, [late, early])
        assert watched(window) == verdicts
        assert marks(window) == before

    def test_a_document_that_ingest_stored_keeps_its_id(self, window):
        with open_elastic_window(str(window.address), credentials=window.credentials) as target:
            list(target.ingest([one("a", A)]))
        late = one("a", A_EDITED, 1)
        put(window, [late])
        (verdict,) = watched(window)
        assert (verdict.id, verdict.duplicate_of) == (f"{index_of(window, late)}/a", "a")


class TestTimes:
    def test_a_document_without_a_time_is_of_its_index_s_hour(self, window):
        index = index_of(window, one("a", A, 2))
        bulk(window, [Action("index", index, "a", {"text": A})])
        put(window, [one("b", A_EDITED, 2.5)])
        verdicts = {verdict.id: verdict for verdict in watched(window)}
        assert verdicts["a"].time == format_time((START + 7_200) * 1_000)
        assert verdicts["a"].duplicate_of == "b", "what has a time comes first"

    def test_one_that_comes_later_than_the_window_is_long_is_marked_as_such(self, window):
        put(window, [one("new", B, 100)])
        watched(window)
        put(window, [one("late", A)])
        (verdict,) = watched(window)
        assert (verdict.status, verdict.truncated) == ("unscored", True)
        assert watched(window) == []


class TestUnscorable:
    def refused(self, window, documents, **options):
        index = index_of(window, one("", A))
        outcomes = bulk(window, [Action("index", index, id, source) for id, source in documents.items()])
        assert all(outcome.ok for outcome in outcomes)
        rejects: list[Reject] = []
        verdicts = list(watching(window, **options).verdicts(on_reject=rejects.append))
        assert watched(window) == [], "they do not come again"
        ours = {id: source["neardup"] for _, id, source in stored(window)}
        return verdicts, {reject.id: reject.reason for reject in rejects}, ours

    def test_it_is_told_and_marked_with_the_reason_and_the_others_are_scored(self, cluster):
        window = made(cluster, sign="client")
        time = format_time(START * 1_000)
        verdicts, told, ours = self.refused(
            window,
            {
                "fine": {"text": A, "@timestamp": time},
                "no-text": {"title": "T", "@timestamp": time},
                "list": {"text": [A, B], "@timestamp": time},
                "long": {"text": A * 20, "@timestamp": time},
                "year": {"text": A, "@timestamp": 317_281_568_400_000},
                "x" * 500: {"text": A, "@timestamp": time},
            },
            settings={"max_length": 1_000},
        )
        assert [verdict.id for verdict in verdicts] == ["fine"]
        lacking = (
            "no text: there is no field 'text' (fields: @timestamp, title); if another field has the text: "
        )
        assert told["no-text"].startswith(lacking)
        assert told == {
            "no-text": told["no-text"],
            "list": "field 'text' is list, not a string",
            "long": "text has 2,120 characters, the limit (max_length) is 1,000",
            "year": (
                "time 317281568400000 is outside the years 1 to 9999 in UTC: a cluster reads numbers as milliseconds"
            ),
            "x" * 500: "its id with the name of its index is longer than 512 bytes: index it by a shorter id",
        }
        for id, reason in told.items():
            assert (ours[id]["status"], ours[id]["unsigned"]) == ("unscored", reason)

    def test_what_the_pipeline_left_unsigned_stays_so(self, cluster):
        window = made(cluster, max_length=100)
        document = {"text": A, "@timestamp": format_time(START * 1_000)}
        verdicts, told, ours = self.refused(window, {"long": document, "short": {**document, "text": A[:90]}})
        assert [verdict.id for verdict in verdicts] == ["short"]
        reason = f"text has {len(A)} characters, and the nodes sign at most 100 (max_length of this window): "
        assert told == {"long": f"{reason}`neardup setup --max-length` raises that"}
        assert (ours["long"]["status"], ours["long"]["unsigned"]) == ("unscored", "too_long")

    def test_a_leap_in_time_is_not_believed(self, window):
        put(window, [one("a", A)])
        ahead = one("b", B)
        bulk(
            window,
            [
                Action(
                    "index", index_of(window, ahead), "b", {"text": B, "@timestamp": "2990-01-01T00:00:00Z"}
                )
            ],
        )
        rejects: list[Reject] = []
        verdicts = list(watching(window).verdicts(on_reject=rejects.append))
        assert [verdict.id for verdict in verdicts] == ["a"]
        assert ["ahead of the clock" in reject.reason for reject in rejects] == [True]
        assert watched(window) == []

    def test_written_anew_with_a_text_it_is_scored(self, cluster):
        window = made(cluster, sign="client")
        put(window, [one("a", [A, B])])
        rejects: list[Reject] = []
        assert list(watching(window).verdicts(on_reject=rejects.append)) == []
        put(window, [one("a", A)])
        (verdict,) = watched(window)
        assert verdict.status == "unique"


class TestOtherClients:
    def test_a_partial_update_takes_neither_mark_nor_q_grams(self, window):
        document, copy = one("a", A), one("b", A_EDITED, 1)
        put(window, [document])
        watched(window)
        (before,) = [source["neardup"] for _, _, source in stored(window)]
        update(window, document, {"title": "Changed", "tags": ["seen"]})
        ((_, _, source),) = stored(window)
        assert (source["neardup"], source["title"]) == (before, "Changed")
        put(window, [copy])
        assert watched(window)[0].duplicate_of == "a"
        query = {"query": {"neardup": {"like": {"text": A}, "threshold": 1}}}
        found = window.request("POST", f"/{index_of(window, document)}/_search", body=query)
        assert [hit["_id"] for hit in found["hits"]["hits"]] == ["a"]

    def test_written_again_with_the_same_text_it_gets_its_verdict_again(self, window):
        documents = [one("a", A), one("b", A_EDITED, 1), one("c", B, 1)]
        put(window, documents)
        verdicts = watched(window)
        put(window, [{**documents[1], "title": "Again"}])
        assert watched(window) == [verdicts[1]]
        check_marked(window, [documents[0], {**documents[1], "title": "Again"}, documents[2]], verdicts)
        with open_elastic_window(str(window.address), credentials=window.credentials) as opened:
            assert opened.stats().documents == 3

    def test_written_again_with_another_text_it_is_scored_anew(self, window):
        documents = [one("a", A), one("b", A_EDITED, 1)]
        put(window, documents)
        watched(window)
        changed = {**documents[1], "text": B}
        put(window, [changed, one("c", B, 2)])
        anew, copy = watched(window)
        assert (anew.id, anew.status) == ("b", "unique")
        assert (copy.id, copy.duplicate_of) == ("c", "b")
        with open_elastic_window(str(window.address), credentials=window.credentials) as opened:
            assert opened.stats().documents == 3

    @pytest.mark.parametrize("candidates", ["memory", "search"])
    def test_an_original_that_is_written_again_is_no_copy_of_its_own_copies(self, window, candidates):
        """Where no scorer runs meanwhile, the next one knows the earlier document from its copies alone."""
        documents = [one("a", A), one("b", A, 1), one("c", A_EDITED, 1)]
        put(window, documents)
        settings = {"candidates": candidates}
        watched(window, settings=settings)
        for text in (A, A_EDITED, A):
            put(window, [{**documents[0], "text": text}])
            (anew,) = watched(window, settings=settings)
            assert (anew.id, anew.status, anew.group) == ("a", "unique", "a")
        put(window, [one("d", A, 2), {**documents[1], "text": A_EDITED}])
        assert [(v.id, v.duplicate_of, v.group) for v in watched(window, settings=settings)] == [
            ("b", "c", "c"), ("d", "a", "a"),
        ]  # fmt: skip
        with open_elastic_window(str(window.address), credentials=window.credentials) as opened:
            assert [match.id for match in opened.query(id="a").matches] == ["d", "b", "c"]

    @pytest.mark.parametrize("candidates", ["memory", "search"])
    def test_an_original_that_is_written_again_is_no_copy_of_a_copy_of_its_copy(self, window, candidates):
        """Of three texts the third is like the second, but not like the first."""
        texts = [grams(at, at + 10) for at in (0, 2, 4)]
        documents = [one(id, text, hour) for hour, (id, text) in enumerate(zip("xyz", texts, strict=True))]
        settings = {"candidates": candidates}
        put(window, documents)
        verdicts = watched(window, settings=settings)
        assert [(v.id, v.duplicate_of, v.group) for v in verdicts] == [
            ("x", None, "x"), ("y", "x", "x"), ("z", "y", "z"),
        ]  # fmt: skip
        for at in (5, 0, 4):
            put(window, [{**documents[0], "text": grams(at, at + 10)}])
            (anew,) = watched(window, settings=settings)
            assert (anew.id, anew.status) == ("x", "unique")

    def test_written_again_before_it_is_reconciled_it_is_scored_anew(self, window):
        """A verdict on what it was had left it waiting no more: it was `empty` for ever."""
        put(window, [one("a", A), one("b", A_EDITED, 0.1), one("c", B, 0.2)])
        watched(window)
        with open_elastic_window(str(window.address), credentials=window.credentials) as opened:
            assert opened.stats().documents == 3
            put(window, [one("b", B, 0.1)])
            list(opened.reconcile())
        (anew,) = watched(window)
        assert (anew.id, anew.duplicate_of) == ("b", "c")

    @pytest.mark.filterwarnings("ignore:.*ingest pipelines for update")  # OpenSearch means to end this
    def test_a_request_that_updates_one_text_signs_it_and_has_it_scored_anew_and_a_bulk_does_not(
        self, cluster
    ):
        made(cluster, sign="plugin")
        documents = [one("a", A), one("b", A_EDITED, 1), one("c", A_EDITED, 2)]
        put(cluster, documents)
        watched(cluster)
        index = index_of(cluster, documents[1])
        cluster.request("POST", f"/{index}/_update/b", body={"doc": {"title": "Again"}})
        assert watched(cluster) == []
        cluster.request("POST", f"/{index}/_update/b", body={"doc": {"text": B}})
        update(cluster, documents[2], {"text": B})
        (anew,) = watched(cluster)
        assert (anew.id, anew.status) == ("b", "unique")

    @pytest.mark.parametrize("sign", ["plugin", "client"])
    def test_a_bulk_update_that_takes_our_object_away_has_the_new_text_signed_and_scored(self, cluster, sign):
        made(cluster, sign=sign)
        documents = [one("a", A), one("b", A_EDITED, 1), one("c", B, 2)]
        put(cluster, documents)
        watched(cluster)
        update(cluster, documents[1], {"text": B, "neardup": None})
        (anew,) = watched(cluster)
        assert (anew.id, anew.status, anew.duplicate_of) == ("b", "exact", "c")
        put(cluster, [one("d", A_EDITED, 3), one("e", B, 3)])
        assert [(each.id, each.duplicate_of) for each in watched(cluster)] == [("d", "a"), ("e", "b")]
        with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as opened:
            assert [match.id for match in opened.query(B).matches] == ["b", "c", "e"]

    @pytest.mark.parametrize("sign", ["plugin", "client"])
    def test_changed_while_it_is_scored_it_is_scored_by_what_it_says_now(self, cluster, sign):
        made(cluster, sign=sign)
        document, other = one("a", A), one("b", B, 1)
        put(cluster, [document, other])
        with just_before_the_commit(lambda: put(cluster, [{**document, "text": B}])):
            verdicts = watched(cluster)
        assert [(verdict.id, verdict.status) for verdict in verdicts if verdict.id == "a"][-1] == (
            "a",
            "exact",
        )
        (mark,) = [each for name, each in marks(cluster).items() if name.endswith("/a")]
        assert (mark["status"], mark["duplicate_of"]) == ("exact", "b")

    def test_deleted_while_it_is_scored_it_stays_deleted(self, window):
        document = one("a", A)
        put(window, [document, one("b", B)])
        gone = Action("delete", index_of(window, document), "a")
        with just_before_the_commit(lambda: bulk(window, [gone])):
            assert [verdict.id for verdict in watched(window)] == ["a", "b"]
        assert [id for _, id, _ in stored(window)] == ["b"]

    def test_given_another_field_while_it_is_scored_it_gets_its_mark(self, window):
        document = one("a", A)
        put(window, [document])
        with just_before_the_commit(lambda: update(window, document, {"title": "Changed"})):
            verdicts = watched(window)
        check_marked(window, [{**document, "title": "Changed"}], verdicts)


class TestReadOnly:
    @pytest.fixture
    def closed(self, window):
        """Two hours, the first of which takes no marks."""
        documents = [one("a", A), one("b", A_EDITED, 1)]
        put(window, documents)
        self.block(window, documents[0], True)
        return documents

    def block(self, window, document, closed):
        body = {"index.blocks.write": closed}
        window.request("PUT", f"/{index_of(window, document)}/_settings", body=body)

    def test_its_documents_wait_and_others_go_on(self, window, closed, caplog):
        watch = watching(window)
        assert [verdict.id for verdict in watch.verdicts(on_reject=unwanted)] == ["b"]
        assert (watch.backlog.waiting, watch.backlog.blocked) == (0, 1)
        name = index_of(window, closed[0])
        assert [*watch.backlog.readonly] == [name]
        freed = f'PUT {name}/_settings {{"index.blocks.write": null}}'
        assert [record for record in caplog.messages if "read-only" in record] == [
            f"{name} is read-only: its documents wait until it takes marks again ({freed})"
        ]

    def test_when_it_is_open_again_they_are_scored(self, window, closed):
        watched(window)
        self.block(window, closed[0], None)
        (verdict,) = watched(window)
        assert (verdict.id, verdict.status) == ("a", "near")

    def test_one_that_closes_while_its_documents_are_scored_costs_no_other_a_verdict(self, window):
        documents = [one("a", A), one("b", A_EDITED, 1)]
        put(window, documents)
        with just_before_the_commit(lambda: self.block(window, documents[0], True)):
            verdicts = watched(window, poll=0.01)
        assert [(verdict.id, verdict.status) for verdict in verdicts] == [("b", "unique")]
        self.block(window, documents[0], None)
        assert [verdict.duplicate_of for verdict in watched(window)] == ["b"]


class TestSeveral:
    def test_while_one_works_the_other_stands_by(self, window, caplog):
        put(window, [one("a", A)])
        first, second = leadership(window), leadership(window)
        assert first.try_acquire()
        assert not second.try_acquire()
        first.release()
        assert second.try_acquire()
        assert not first.try_acquire()

    def test_a_stand_by_that_works_once_ends_when_nothing_waits(self, window):
        leader = leadership(window)
        assert leader.try_acquire()
        assert watched(window, poll=0.05) == []

    def test_two_that_both_work_give_every_document_one_and_the_same_verdict(self, window):
        documents = stream(160)
        put(window, documents)
        found: dict[int, list[Verdict]] = {1: [], 2: []}

        def work(number):
            found[number] += watched(window, batch=16)

        with mock.patch.object(Lease, "try_acquire", return_value=True):
            threads = [threading.Thread(target=work, args=(number,)) for number in found]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        wanted = expected(documents)
        by_id = {verdict.id: verdict for verdict in wanted}
        assert all(verdict == by_id[verdict.id] for verdicts in found.values() for verdict in verdicts)
        check_marked(window, documents, wanted)
        orders = [source["neardup"]["order"] for _, _, source in stored(window)]
        assert len(set(orders)) == len(documents)


class TestLoop:
    def test_a_current_hour_that_is_deleted_is_there_again_at_the_next_look(self, window):
        put(window, [one("a", A), one("b", B)])
        own, name = window.address, window.address.hourly(hour_of(now_ms()))
        pauses: list[float] = []

        def delete(pause):
            pauses.append(pause)
            if len(pauses) == 1:
                window.request("DELETE", f"/{name}")

        watch = watching(window, once=False, roll_over=Rollover(window))
        list(watch.verdicts(on_reject=unwanted, stopped=lambda: len(pauses) == 2, sleep=delete))
        assert alias(window, own.alias)[name] == {"is_write_index": True}

    def test_lag_counts_what_waits_and_since_when(self, window):
        put(window, [one("a", A, 1), one("b", B, 2)])
        backlogs: list[backlog.Backlog] = []
        list(watching(window).verdicts(on_reject=unwanted, on_backlog=backlogs.append))
        assert [(each.waiting, each.oldest) for each in backlogs] == [(2, (START + 3_600) * 1_000), (0, None)]

    def test_what_cannot_be_helped_by_waiting_ends_it_and_leaves_no_search_open(self, window):
        put(window, [one("a", A), one("b", B, 0.1), one("c", B, 0.2)])
        error = ClusterRejected(window.url, "update", 400, "made_up", "no")
        with (
            just_before_the_commit(mock.Mock(side_effect=error)),
            pytest.raises(ClusterRejected, match="made_up") as caught,
        ):
            watched(window, batch=1)
        stats = window.request("GET", f"/{window.address.pattern}/_stats/search")
        assert stats["_all"]["total"]["search"]["open_contexts"] == 0
        del caught  # what failed, and all it held, lived until here

    def test_without_an_end_it_goes_on_after_such_an_error(self, window):
        documents = [one("a", A), one("b", A_EDITED)]
        put(window, documents)
        error = ClusterRejected(window.url, "update", 500, "made_up", "no")
        verdicts = watching(window, once=False, poll=0.01).verdicts(on_reject=unwanted)
        with just_before_the_commit(mock.Mock(side_effect=error)):
            found = list(itertools.islice(verdicts, 2))
        del verdicts
        assert found == expected(documents)


class TestLateWrites:
    def test_marks_of_a_dead_scorer_that_come_once_its_other_ones_are_undone_put_nothing_out_of_order(
        self, window
    ):
        documents = [one("a", A), one("b", A_EDITED, 0.5)]
        put(window, documents)
        lease = scoring_lease(window)
        state = lease.acquire()
        lease.abandon()
        late = {"status": "unique", "order": state.commit.next_order, "written_by": "watch"}
        with just_before_it_looks(lambda: update(window, documents[0], {"neardup": late})):
            assert watched(window) == expected(documents)

    def test_such_a_document_of_ingest_is_not_scored(self, window):
        documents = [one("a", A), one("b", A_EDITED, 0.5)]
        put(window, documents[1:])
        lease = scoring_lease(window)
        state = lease.acquire()
        lease.abandon()
        late = {"status": "unique", "order": state.commit.next_order, "written_by": "ingest"}

        def comes():
            put(window, documents[:1])
            update(window, documents[0], {"neardup": late})

        with just_before_it_looks(comes):
            assert watched(window) == expected(documents[1:])


def small_pages(size):
    """Scans read few documents at a time."""
    return mock.patch.object(backlog, "in_order", functools.partial(scan.in_order, page=size))


def just_before_the_commit(happens):
    """`happens` once, when a batch is decided and nothing of it is written yet."""
    commit, waiting_to_happen = ClusterStore.commit, [happens]

    def late(store, *arguments):
        if waiting_to_happen:
            waiting_to_happen.pop()()
        return commit(store, *arguments)

    return mock.patch.object(ClusterStore, "commit", late)


@pytest.mark.parametrize("candidates", ["memory", "search"])
def test_an_hour_that_is_deleted_while_its_documents_are_scored_is_not_made_anew(window, candidates, caplog):
    """The mark of a document that had gone with it made it again, empty."""
    put(window, [one("a", A, 1), one("b", B, 2)])
    first, second = (index_of(window, one("", "", hour)) for hour in (1, 2))
    with just_before_the_commit(lambda: window.request("DELETE", f"/{first}")):
        verdicts = watched(window, settings={"candidates": candidates})
    assert [verdict.id for verdict in verdicts] == ["a", "b"]
    assert index_names(window, window.address.pattern, expand="all") == [second]
    assert marks(window)[f"{second}/b"]["status"] == "unique"
    assert (
        f"{first}: deleted, but not by neardup; the verdicts on documents in it (1) are not kept"
        in caplog.messages
    )


@pytest.mark.parametrize("candidates", ["memory", "search"])
def test_a_threshold_that_another_process_sets_is_followed_by_who_was_given_none(window, candidates, caplog):
    """The next batch set the threshold back, for documents that had just been brought to another one."""
    put(window, [one("a", A, 1), one("b", A_EDITED, 2)])
    pauses = list[float]()

    def set_higher(pause):
        pauses.append(pause)
        if len(pauses) == 1:
            with open_elastic_window(str(window.address), threshold=0.99) as other:
                assert [verdict.status for verdict in other.reconcile()] == ["unique"]
            put(window, [one("c", A_EDITED.replace("boats", "goats"), 3), one("d", None, 3)])

    watch = watching(window, once=False, settings={"candidates": candidates})
    rejects: list[Reject] = []
    verdicts = list(
        watch.verdicts(on_reject=rejects.append, stopped=lambda: len(pauses) == 2, sleep=set_higher)
    )
    assert [(verdict.id, verdict.status) for verdict in verdicts] == [
        ("a", "unique"), ("b", "near"), ("c", "unique"),
    ]  # fmt: skip
    with open_elastic_window(str(window.address), readonly=True) as reader:
        stats = reader.stats()
    assert (stats.threshold, stats.mixed) == ("0.99", {})
    assert [message for message in caplog.messages if "threshold" in message] == [
        "another process has set threshold 0.99 for this window: opening it again with that"
    ]
    assert watch.handled == 4
    assert len(rejects) == 1


def test_what_another_client_has_deleted_is_forgotten_once_it_is_to_be_deleted(window):
    """Copies named it for as long as the watcher ran, and nothing but `neardup reconcile` helped."""
    put(window, [one("a", A, 1)])
    pauses = list[float]()

    def delete(pause):
        pauses.append(pause)
        if len(pauses) == 1:
            (outcome,) = bulk(window, [Action("delete", index_of(window, one("a", A, 1)), "a")])
            assert outcome.ok
            with open_elastic_window(str(window.address), remember=False) as other:
                assert other.delete_many(["a"]) == ["a"]
            put(window, [one("b", A_EDITED, 2), one("c", A, 3)])

    watch = watching(window, once=False)
    verdicts = list(watch.verdicts(on_reject=unwanted, stopped=lambda: len(pauses) == 2, sleep=delete))
    assert [(verdict.id, verdict.duplicate_of) for verdict in verdicts] == [
        ("a", None),
        ("b", None),
        ("c", "b"),
    ]


def test_documents_that_come_again_too_late_are_marked_at_once(cluster, caplog):
    """All but the first of a batch were "written anew by another client", and scored a second time."""
    window = made(cluster, window_hours=2)
    put(window, [one("a", A, 4), one("b", B, 5)])
    pauses = list[float]()

    def again(pause):
        pauses.append(pause)
        if len(pauses) == 1:
            index = index_of(window, one("a", A, 4))
            late = [one("c", f"{A} Later.", 0), one("a", A_EDITED, 0.5)]
            actions = [Action("index", index, each["id"], bare(each)) for each in late]
            assert all(outcome.ok for outcome in bulk(window, actions))

    watch = watching(window, once=False)
    verdicts = list(watch.verdicts(on_reject=unwanted, stopped=lambda: len(pauses) == 2, sleep=again))
    assert [(verdict.id, verdict.status) for verdict in verdicts] == [
        ("a", "unique"), ("b", "unique"), ("c", "unscored"), ("a", "unscored"),
    ]  # fmt: skip
    assert "written anew" not in caplog.text


def just_before_it_looks(happens):
    """`happens` once, when what dead scorers left is undone and the backlog is about to be looked at."""
    look, waiting_to_happen = backlog.BacklogReader.refresh, [happens]

    def late(reader):
        if waiting_to_happen:
            waiting_to_happen.pop()()
        look(reader)

    return mock.patch.object(backlog.BacklogReader, "refresh", late)
