"""`neardup ingest --from-index`: an existing index, of whatever mapping, is read by (time, id), or scored in place."""

from __future__ import annotations

import contextlib
import functools
import itertools
import random
import re
from typing import Any
from unittest import mock

import orjson
import pytest
from testing.cli.invocation import invoke
from testing.node.clients import expected, in_order, made, stream, unwanted
from testing.node.killing import VERDICT, stored
from testing.node.prefix import fresh_prefix
from testing.node.servers import only_elasticsearch
from testing.window.backends import START

from neardup.elastic.admin.checks import examine
from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.admin_api import mappings
from neardup.elastic.http.api import POINT_IN_TIME
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.client import Cluster
from neardup.elastic.http.scan import Entry, read, time_field
from neardup.elastic.http.scan import in_order as scanned
from neardup.elastic.reindex.capacity import check_fits
from neardup.elastic.reindex.index_reader import OWN_ID, IndexReader, Source
from neardup.elastic.watch import watcher
from neardup.elastic.watch.backlog import layout_at
from neardup.elastic.watch.document_checks import examine_documents
from neardup.elastic.watch.in_place import prepare
from neardup.elastic.watch.watcher import Watcher
from neardup.elastic.window.cluster_resign import resign_cluster
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.setup_changes import before_first_write
from neardup.elastic.window.state_document import read_state
from neardup.errors import ClusterRejected, SettingsError, SetupRefused
from neardup.model.document import FLUSH, Reject
from neardup.model.settings import Recipe, Settings
from neardup.model.times import format_time, parse_time
from neardup.signing.signer import signer_for
from neardup.sources.fields import Fields

FIELDS = Fields("_id", "page.body", ("published",))
MAPPING = {
    "properties": {
        "published": {"type": "date"},
        "nr": {"type": "keyword"},
        "page": {"properties": {"body": {"type": "text"}, "title": {"type": "keyword"}}},
    }
}


@pytest.fixture
def archive(cluster):
    """The name of an index that is not there yet and goes with the cluster's prefix."""
    return f"{cluster.address.prefix}-archive"


def archived(document):
    """A document as it lies in an archive of other fields."""
    return {
        "nr": f"nr-{document['id']}",
        "page": {"title": document["title"], "body": document["text"]},
        "published": format_time(parse_time(document["time"])),
    }


def fill(cluster, name, sources, mapping=MAPPING, **settings):
    if not cluster.request("GET", f"/{name}", missing_ok=True):
        aliases = settings.pop("aliases", {})
        body = {
            "mappings": mapping, "aliases": aliases, "settings": {"number_of_replicas": 0, **settings},
        }  # fmt: skip
        cluster.request("PUT", f"/{name}", body=body)
    outcomes = bulk(
        cluster, [Action("index", name, id, source) for id, source in sources.items()], refresh="true"
    )
    assert all(outcome.ok for outcome in outcomes), outcomes


def copy(cluster, source, **options):
    """The verdicts of a copy, as `neardup ingest --from-index` makes them, and what was rejected."""
    rejects: list[Reject] = []
    reader = IndexReader(source, **options)
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials, window_hours=0) as window:
        stream = usable(reader, rejects)
        return list(window.ingest(stream, on_reject=rejects.append)), rejects


def usable(reader, rejects):
    """What is no reject."""
    for item in reader:
        if isinstance(item, Reject):
            rejects.append(item)
        else:
            yield item


def in_place(cluster, name, fields=FIELDS, **options):
    rejects: list[Reject] = []
    layout = prepare(cluster, name, Settings(), fields)
    watch = Watcher(
        lambda: open_elastic_window(
            str(cluster.address), credentials=cluster.credentials, archive=name, window_hours=0
        ),
        cluster,
        layout,
        once=True,
        **options,
    )
    return list(watch.verdicts(on_reject=rejects.append)), rejects


def watched(cluster):
    """What a watch started anew scores of the archive."""
    layout = layout_at(cluster)
    watch = Watcher(
        lambda: open_elastic_window(str(cluster.address), archive=layout.archive), cluster, layout, once=True
    )
    return list(watch.verdicts(on_reject=print))


@pytest.fixture(scope="module")
def indices(elasticsearch_url, credentials):
    """Three indices of two shards under one prefix, and what is in them."""
    with fresh_prefix(elasticsearch_url, credentials, patience=60) as cluster:
        yield cluster, filled(cluster)


def filled(cluster):
    """Fills them: fields of several types, of which some are missing."""
    numbers = random.Random(1)
    documents: dict[str, dict[str, Any]] = {}
    kinds = itertools.cycle([("date", "long"), ("date_nanos", "double")])
    for place in range(3):
        date, number = next(kinds)
        properties = {"date": {"type": date}, "number": {"type": number}, "word": {"type": "keyword"}}
        sources = {}
        for _ in range(50):
            source = {
                "date": (START + 3_600 * numbers.randrange(6)) * 1_000,
                "word": f"2026-11-{numbers.randint(10, 20)}",
                "number": numbers.randrange(8),
            }
            for name in list(source):
                if numbers.random() < 0.1:
                    del source[name]
            sources[f"d{numbers.getrandbits(30)}"] = source
        sources[f"e{place}"] = {"date": START * 1_000, "word": "_last", "number": 1}
        fill(
            cluster,
            f"{cluster.address.prefix}-{place}",
            sources,
            {"properties": properties},
            number_of_shards=2,
        )
        documents |= sources
    return documents


class TestScan:
    FIELDS = ("date", "word", "number", "nowhere")

    @pytest.mark.parametrize("name", FIELDS)
    @pytest.mark.parametrize("page", [7, 1_000])
    @pytest.mark.parametrize("missing", ["_first", "_last"])
    def test_documents_come_by_time_and_id_whatever_a_page_holds(self, indices, name, page, missing):
        cluster, documents = indices
        by = time_field(cluster, cluster.address.pattern, ["unknown", name] if name != "nowhere" else [name])
        found = list(
            scanned(cluster, cluster.address.pattern, by, {"match_all": {}}, missing=missing, page=page)
        )

        def wanted(item):
            value = item[1].get(name)
            absent = value is None
            return (absent if missing == "_last" else not absent, "" if absent else value, item[0])

        dated = [item for item in documents.items() if name in item[1]]
        bare = [item for item in documents.items() if name not in item[1]]
        parts = [sorted(dated, key=wanted), sorted(bare, key=wanted)]
        ordered = parts[0] + parts[1] if missing == "_last" else parts[1] + parts[0]
        assert [(entry.id, entry.time) for entry in found] == [
            (id, source.get(name)) for id, source in ordered
        ]

    def test_a_node_that_forgets_where_a_scan_stood_loses_and_doubles_nothing(self, indices):
        cluster, documents = indices
        by = time_field(cluster, cluster.address.pattern, ["date"])
        undisturbed = list(scanned(cluster, cluster.address.pattern, by, {"match_all": {}}))
        request, searches = cluster.request, itertools.count(1)
        where, named = POINT_IN_TIME[cluster.product]

        def forgetful(method, path, **rest):
            if path == "/_search" and next(searches) % 3 == 0:
                request("DELETE", f"/{where}", body={named: rest["body"]["pit"]["id"]})
            return request(method, path, **rest)

        with mock.patch.object(cluster, "request", forgetful):
            found = list(scanned(cluster, cluster.address.pattern, by, {"match_all": {}}, page=30))
        assert found == undisturbed
        assert len(found) == len(documents)

    def test_what_is_gone_is_left_out_and_all_others_are_read(self, indices):
        cluster, documents = indices
        prefix, ids = cluster.address.prefix, sorted(documents)
        entries = [Entry(0, id, f"{prefix}-{place}", None) for id in ids for place in (0, 1, 2, "none")]
        found = [item for part in read(cluster, iter(entries), most=100) for item in part]
        assert [entry.id for entry, _ in found] == ids
        assert all(document.source == documents[entry.id] for entry, document in found)

    def test_a_field_that_tells_no_time_is_refused(self, cluster, archive):
        fill(cluster, archive, {}, {"properties": {"when": {"type": "text"}}})
        with pytest.raises(SettingsError, match=r"when \(text\)"):
            time_field(cluster, archive, ["when"])


class TestReader:
    def items(self, cluster, name, fields=FIELDS, **options):
        return [item for item in IndexReader(Source(cluster, name, fields), **options) if item is not FLUSH]

    def test_other_fields_come_along(self, cluster, archive):
        fill(cluster, archive, {"a": archived({"id": "a", "title": "T", "text": "Rain.", "time": START})})
        (document,) = self.items(cluster, archive)
        assert document == ("a", "Rain.", "2020-09-13T12:00:00Z", {"nr": "nr-a", "page": {"title": "T"}})

    def test_the_id_may_be_a_field(self, cluster, archive):
        fill(cluster, archive, {"a": archived({"id": "a", "title": "T", "text": "Rain.", "time": START})})
        (document,) = self.items(cluster, archive, Fields("nr", "page.body", ("published",)))
        assert (document.id, document.fields) == ("nr-a", {"page": {"title": "T"}})

    def test_where_a_name_stands_for_several_indices_ids_bear_theirs(self, cluster, archive):
        source = {"page": {"body": "Rain."}, "published": format_time(START * 1_000)}
        for place in (1, 2):
            fill(cluster, f"{archive}{place}", {"a": source})
        found = self.items(cluster, f"{archive}*")
        assert [document.id for document in found] == [f"{archive}1/a", f"{archive}2/a"]

    def test_an_index_among_them_that_has_no_mapping_yet_has_no_documents(self, cluster, archive):
        """OpenSearch refused to sort by the index there, of which it said that it is not mapped."""
        fill(cluster, f"{archive}-1", {"1": {"published": 0, "page": {"body": "a"}}})
        cluster.request("PUT", f"/{archive}-2")
        assert [document.text for document in self.items(cluster, f"{archive}-*")] == ["a"]

    def test_what_makes_no_document_is_a_reject_with_its_place(self, cluster, archive):
        time = format_time(START * 1_000)
        sources = {"fine": {"page": {"body": "Rain."}, "published": time}}
        sources |= {"no-text": {"published": time}, "no-time": {"page": {"body": "Snow."}}}
        fill(cluster, archive, sources)
        rejects = [item for item in self.items(cluster, archive) if isinstance(item, Reject)]
        assert [(reject.id, reject.source) for reject in rejects] == [
            ("no-text", f"{archive}/no-text"),
            ("no-time", f"{archive}/no-time"),
        ]
        assert ["no field 'page.body'" in rejects[0].reason, "no field 'published'" in rejects[1].reason] == [
            True
        ] * 2

    def test_reading_goes_on_from_a_time_with_all_documents_of_it(self, cluster, archive):
        documents = stream(40)
        fill(cluster, archive, {each["id"]: archived(each) for each in documents})
        whole = self.items(cluster, archive)
        since = parse_time(whole[25].time)
        rest = self.items(cluster, archive, since=since)
        assert rest == [document for document in whole if parse_time(document.time) >= since]
        assert rest[-15:] == whole[25:]

    @pytest.mark.parametrize(
        ("mapping", "message"),
        [
            ({"_source": {"enabled": False}}, "keeps _source"),
            ({"properties": {"published": {"type": "boolean"}}}, r"published \(boolean\)"),
        ],
    )
    def test_an_index_that_cannot_be_read_is_refused(self, cluster, archive, mapping, message):
        fill(cluster, archive, {}, mapping)
        with pytest.raises(SettingsError, match=message):
            Source(cluster, archive, FIELDS)

    @pytest.mark.parametrize("name", ["none-of-that-name", "_all", "a/b", ""])
    def test_a_name_that_is_none_is_refused(self, cluster, name):
        with pytest.raises(SettingsError, match="from_index"):
            Source(cluster, name, FIELDS)

    def test_an_index_of_another_cluster_is_refused_with_what_to_do(self, cluster):
        with pytest.raises(
            SettingsError, match=r"of another cluster \(cluster:index\), first copy it here by POST _reindex"
        ):
            Source(cluster, "remote:news", FIELDS)

    def test_a_window_is_not_read_into_itself(self, cluster):
        own = cluster.address.hourly(START // 3_600)
        fill(cluster, own, {}, {})
        with pytest.raises(SettingsError, match="which belongs to this window"):
            Source(cluster, own, FIELDS)

    def test_a_window_is_read_into_another_that_signs_otherwise(self, new_cluster):
        old, new = new_cluster(), new_cluster()
        known = {"credentials": old.credentials, "window_hours": 0}
        with open_elastic_window(str(old.address), **known) as window:
            verdicts = list(window.ingest(in_order(stream(60))))
        old.request("POST", f"/{old.address.prefix}/_refresh")
        source = Source(new, old.address.prefix, Fields(id=OWN_ID))
        with open_elastic_window(str(new.address), recipe=Recipe(reach=0.5), **known) as window:
            rejects: list[Reject] = []
            again = list(window.ingest(usable(IndexReader(source), rejects), on_reject=rejects.append))
            assert rejects == []
            assert ":sketch-32-0.5:" in window.stats().recipe
        own = [each.rpartition("/")[2] for verdict in again for each in (verdict.id, verdict.group)]
        assert own == [each for verdict in verdicts for each in (verdict.id, verdict.group)]
        assert [verdict.status for verdict in again] == [verdict.status for verdict in verdicts]

    def test_an_index_without_times_cannot_be_copied(self, cluster, archive):
        fill(cluster, archive, {}, {})
        with pytest.raises(SettingsError, match="published"):
            Source(cluster, archive, FIELDS).check_time()


@contextlib.contextmanager
def crowded(cluster, *, free):
    """`cluster` with room for so many more indices."""
    health = cluster.request("GET", "/_cluster/health")
    used = health["number_of_data_nodes"] * 1_000 - free
    full = {**health, "active_shards": used, "unassigned_shards": 0}
    request = cluster.request

    def answer(method, path, **rest):
        return full if path == "/_cluster/health" else request(method, path, **rest)

    with mock.patch.object(cluster, "request", answer):
        yield


class TestFitting:
    @pytest.fixture
    def source(self, cluster, archive):
        """Two documents, thirty hours apart."""
        documents = [
            {"id": f"{n}", "title": "T", "text": "Rain.", "time": START + 108_000 * n} for n in range(2)
        ]
        fill(cluster, archive, {each["id"]: archived(each) for each in documents})
        return Source(cluster, archive, FIELDS)

    def test_an_archive_longer_than_the_window_must_be_meant(self, source, caplog):
        with pytest.raises(SettingsError, match=r"13-12 to 2020\.09\.14-18.*--window-hours 0"):
            check_fits(source, 24, chosen=False)
        check_fits(source, 24, chosen=True)
        assert "leaves only its last 25 hours" in caplog.text

    @pytest.mark.parametrize("hours", [0, 30, 48])
    def test_one_that_fits_is_taken(self, source, hours, caplog):
        check_fits(source, hours, chosen=False)
        assert caplog.text == ""

    def test_very_many_hours_are_told_before_they_become_indices(self, cluster, archive, caplog):
        """2,000 documents became 723 indices, and nothing said so."""
        sources = {
            f"{n}": {"page": {"body": "Rain."}, "published": (START + 3_600 * n) * 1_000} for n in range(200)
        }
        fill(cluster, archive, sources)
        for hours, chosen in ((0, False), (300, False), (24, True)):
            caplog.clear()
            check_fits(Source(cluster, archive, FIELDS), hours, chosen=chosen)
            assert (
                f"{archive}: each hour with documents becomes an index, and there are up to 200 new"
                in caplog.text
            )

    def test_hours_are_counted_where_documents_are(self, source):
        span = source.span()
        assert (span.last - span.first, source.count_hours(span)) == (30, 2)

    def test_more_hours_than_the_cluster_has_room_for_are_refused(self, source):
        with crowded(source.cluster, free=1), pytest.raises(SettingsError, match=r"1 new hours .* not 2"):
            check_fits(source, 0, chosen=True)

    def test_hours_that_are_there_need_no_room(self, cluster, archive, source):
        made(cluster, window_hours=0)
        copy(cluster, source)
        with crowded(cluster, free=0):
            check_fits(source, 0, chosen=True)
        later = archived({"id": "2", "title": "T", "text": "Rain.", "time": START + 216_000})
        fill(cluster, archive, {"2": later})
        with crowded(cluster, free=0), pytest.raises(SettingsError, match=r"0 new hours .* not 1"):
            check_fits(source, 0, chosen=True)
        with crowded(cluster, free=1):
            check_fits(source, 0, chosen=True)

    def test_so_it_is_of_hours_that_cannot_be_counted(self, cluster, archive):
        mapping = {"properties": {**MAPPING["properties"], "published": {"type": "keyword"}}}
        documents = [
            {"id": f"{n}", "title": "T", "text": "Rain.", "time": START + 3_600 * n} for n in range(3)
        ]
        fill(cluster, archive, {each["id"]: archived(each) for each in documents}, mapping)
        source = Source(cluster, archive, FIELDS)
        with crowded(cluster, free=2), pytest.raises(SettingsError, match="not 3"):
            check_fits(source, 0, chosen=True)
        made(cluster, window_hours=0)
        copy(cluster, source)
        with crowded(cluster, free=0):
            check_fits(source, 0, chosen=True)


class TestCopying:
    def test_the_copy_has_the_verdicts_of_the_embedded_engine_and_all_fields(self, cluster, archive):
        documents = stream(120)
        fill(cluster, archive, {each["id"]: archived(each) for each in documents})
        made(cluster, window_hours=0)
        verdicts, rejects = copy(cluster, Source(cluster, archive, FIELDS))
        assert (verdicts, rejects) == (expected(documents, window_hours=0), [])
        copies = {id: source for index, id, source in stored(cluster) if index != archive}
        for document in documents:
            source = copies[document["id"]]
            assert source["nr"] == f"nr-{document['id']}"
            assert (source["page"], source["text"]) == ({"title": document["title"]}, document["text"])
            assert source["@timestamp"] == format_time(parse_time(document["time"]))

    def test_doing_it_again_changes_nothing(self, cluster, archive):
        fill(cluster, archive, {each["id"]: archived(each) for each in stream(30)})
        made(cluster, window_hours=0)
        source = Source(cluster, archive, FIELDS)
        first, _ = copy(cluster, source)
        before = stored(cluster)
        assert copy(cluster, source) == (first, [])
        assert stored(cluster) == before

    @only_elasticsearch("fields of type dense_vector")
    def test_vectors_that_elasticsearch_leaves_out_of_its_answers_are_copied(self, cluster, archive):
        (document,) = stream(1)
        fields = {**MAPPING["properties"], "vector": {"type": "dense_vector", "dims": 2}}
        fill(cluster, archive, {"1": archived(document) | {"vector": [1, 2]}}, {"properties": fields})
        made(cluster, window_hours=0)
        copy(cluster, Source(cluster, archive, FIELDS))
        copies = [source for index, _, source in stored(cluster) if index != archive]
        assert [source["vector"] for source in copies] == [[1, 2]]

    def test_the_checkpoint_is_told_when_a_part_is_done(self, cluster, archive):
        documents = in_order(stream(70))
        fill(cluster, archive, {each["id"]: archived(each) for each in documents})
        made(cluster, window_hours=0)
        done = []

        def on_done(time):
            with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
                done.append((time, window.stats().documents))

        copy(cluster, Source(cluster, archive, FIELDS), on_done=on_done)
        assert done == [(parse_time(documents[count - 1]["time"]), count) for count in (8, 40, 70)]

    def test_a_checkpoint_is_that_of_its_own_reading(self, cluster, archive):
        fill(cluster, archive, {})
        made(cluster)
        source = Source(cluster, archive, FIELDS)
        checkpoint = source.checkpoint()
        assert checkpoint.time() is None
        checkpoint.note(START)
        assert source.checkpoint().time() == START
        other = Source(cluster, archive, Fields("nr", "page.body", ("published",)))
        assert other.checkpoint().time() is None
        checkpoint.clear()
        checkpoint.clear()
        assert checkpoint.time() is None


class TestInPlace:
    @pytest.fixture
    def window(self, elasticsearch_url, credentials):
        """A window beside the archive."""
        with fresh_prefix(elasticsearch_url, credentials, patience=60) as cluster:
            yield cluster

    def marked(self, cluster, name):
        return {id: source for index, id, source in stored(cluster) if index == name}

    def test_documents_are_scored_where_they_are(self, cluster, window, archive):
        documents = stream(80)
        fill(cluster, archive, {each["id"]: archived(each) for each in documents}, number_of_shards=2)
        verdicts, rejects = in_place(window, archive)
        assert (verdicts, rejects) == (expected(documents, window_hours=0), [])
        found = self.marked(cluster, archive)
        by_id = {verdict.id: verdict.to_dict() for verdict in verdicts}
        for document in documents:
            ours = found[document["id"]].pop("neardup")
            assert found[document["id"]] == archived(document)
            assert {name: ours.get(name) or None for name in VERDICT} == {
                name: by_id[document["id"]][name] or None for name in VERDICT
            }
        assert in_place(window, archive) == ([], [])

    def test_it_is_signed_again_where_it_is(self, cluster, window, archive):
        documents = in_order(stream(80))
        sources = {each["id"]: archived(each) for each in documents}
        fill(cluster, archive, dict(itertools.islice(sources.items(), 50)), number_of_shards=2)
        in_place(window, archive)
        made = resign_cluster(str(window.address), Recipe(reach=0.5), {}, dry_run=False)
        assert made.documents == 50
        fill(cluster, archive, dict(itertools.islice(sources.items(), 50, None)))
        assert watched(window) == expected(documents, window_hours=0)[50:]
        signer = signer_for(Recipe(reach=0.5))
        for id, source in self.marked(cluster, archive).items():
            signature = signer.signature(source["page"]["body"]).to_dict()
            assert signature.items() <= source["neardup"].items(), id

    def test_each_index_that_it_stands_for_is_told_when_it_is_signed_again(self, cluster, window, archive):
        documents, told = in_order(stream(30)), []
        for i in (0, 1):
            sources = {each["id"]: archived(each) for each in documents[i::2]}
            fill(cluster, f"{archive}-{i}", sources, aliases={archive: {}})
        in_place(window, archive)
        made = resign_cluster(
            str(window.address), Recipe(reach=0.5), {}, dry_run=False, on_index=lambda *one: told.append(one)
        )
        assert (made.documents, made.indices) == (30, 2)
        assert told == [(f"{archive}-0", 15), (f"{archive}-1", 15)]

    def test_it_is_not_begun_to_be_signed_where_it_takes_no_writes(self, cluster, window, archive):
        """It was changed all but for these documents, and nobody could open the window."""
        fill(cluster, archive, {each["id"]: archived(each) for each in stream(10)})
        in_place(window, archive)
        cluster.request("PUT", f"/{archive}/_settings", body={"index.blocks.write": True})
        for dry_run in (True, False):
            with pytest.raises(SetupRefused, match=rf'{archive} is read-only.*"index.blocks.write": null'):
                resign_cluster(str(window.address), Recipe(reach=0.5), {}, dry_run=dry_run)
        with open_elastic_window(str(window.address), readonly=True) as opened:
            assert opened.stats().documents == 10

    def test_the_marks_can_be_searched_for(self, cluster, window, archive):
        fill(
            cluster,
            archive,
            {each["id"]: archived(each) for each in stream(40)},
            {**MAPPING, "dynamic": "strict"},
        )
        verdicts, _ = in_place(window, archive)
        copies = {verdict.id for verdict in verdicts if verdict.is_copy}
        cluster.request("POST", f"/{archive}/_refresh")
        query = {"query": {"terms": {"neardup.status": ["near", "exact"]}}, "size": 100}
        found = cluster.request("POST", f"/{archive}/_search", body=query)["hits"]["hits"]
        assert {hit["_id"] for hit in found} == copies != set()

    def test_a_data_stream_is_marked_through_a_rollover(self, own_node):
        # A node of its own: this distribution can make a data stream, but not delete one.
        with fresh_prefix(own_node.url, patience=60) as window:
            name, documents = f"stream-{window.address.prefix}", in_order(stream(60))
            template = {"index_patterns": [name], "data_stream": {}, "priority": 900}
            window.request("PUT", f"/_index_template/{name}", body=template)
            fields = Fields(text="page.body", time=("@timestamp",))
            verdicts: list[Any] = []
            for part in (documents[:30], documents[30:]):
                for each in part:
                    source = archived(each) | {"@timestamp": archived(each)["published"]}
                    window.request("PUT", f"/{name}/_create/{each['id']}", body=source)
                window.request("POST", f"/{name}/_refresh")
                if verdicts:
                    verdicts += watched(window)
                else:
                    verdicts += in_place(window, name, fields)[0]
                window.request("POST", f"/{name}/_rollover")
            assert verdicts == expected(documents, window_hours=0)
            with open_elastic_window(str(window.address), readonly=True) as opened:
                assert opened.stats().documents == len(documents)
            (archive,) = examine_documents(window.address, Credentials())
            assert (archive.state, archive.found) == ("ok", "3 indices, 1 not looked at yet (neardup watch)")
            own = Address(own_node.url, name)
            with Cluster(own) as cluster, pytest.raises(SetupRefused, match=f"a data stream {name}"):
                set_up(cluster)
            told = [finding.found for finding in examine(own, Credentials()) if finding.state == "bad"]
            assert [f"--from-index {name} --in-place" in each for each in told] == [True]

    @pytest.mark.parametrize("left_out", [{"excludes": ["secret"]}, {"includes": ["text", "@timestamp"]}])
    def test_an_index_whose_source_leaves_fields_out_is_refused(self, window, cluster, archive, left_out):
        """An update would delete them from the index."""
        cluster.request("PUT", f"/{archive}", body={"mappings": {"_source": left_out}})
        with pytest.raises(SettingsError, match="leaves no field out"):
            prepare(window, archive, Settings(), FIELDS)

    @only_elasticsearch("synthetic _source")
    def test_an_index_that_rebuilds_what_it_was_given_is_refused(self, window, cluster, archive):
        cluster.request("PUT", f"/{archive}", body={"settings": {"index.mapping.source.mode": "synthetic"}})
        with pytest.raises(SettingsError, match="not a synthetic one"):
            prepare(window, archive, Settings(), FIELDS)

    @only_elasticsearch("synthetic _source")
    def test_an_index_that_rebuilds_what_it_was_given_is_told_when_it_comes(self, window, cluster, archive):
        """A stream that rolls over to one was marked there, too."""
        documents = in_order(stream(20))
        sources = {each["id"]: archived(each) for each in documents[:10]}
        fill(cluster, f"{archive}-1", sources, aliases={archive: {}})
        assert len(in_place(window, archive)[0]) == 10
        later = {each["id"]: archived(each) for each in documents[10:]}
        synthetic = {"index.mapping.source.mode": "synthetic"}
        fill(cluster, f"{archive}-2", later, aliases={archive: {}}, **synthetic)
        with pytest.raises(SettingsError, match=rf"{archive}-2.*not a synthetic one.*roll over"):
            watched(window)
        finding, *_ = examine_documents(window.address, window.credentials)
        assert (finding.state, f"{archive}-2 cannot bear marks" in finding.found) == ("bad", True)

    def test_an_index_that_maps_nothing_is_refused(self, window, cluster, archive):
        cluster.request("PUT", f"/{archive}", body={"mappings": {"enabled": False}})
        with pytest.raises(SettingsError, match="whose mapping is enabled"):
            prepare(window, archive, Settings(), FIELDS)

    @pytest.mark.parametrize("mapping", [MAPPING, {"dynamic": False}])
    def test_a_name_that_no_document_has_is_refused_before_any_is_marked(
        self, cluster, window, archive, mapping
    ):
        """Every document was marked that it gets no verdict, and another prefix found none to score."""
        documents = in_order(stream(10))
        fill(cluster, archive, {each["id"]: archived(each) for each in documents}, mapping)
        for text, named in (
            ("text", "nr, page.body, page.title, published"),
            ("page", "page.body, page.title"),
        ):
            with pytest.raises(SettingsError, match=rf"'{text}'.*fields: {named}\).*--text-field"):
                prepare(window, archive, Settings(), Fields("_id", text, ("published",)))
        with pytest.raises(SettingsError, match=r"'publishd'.*which has no publishd"):
            prepare(window, archive, Settings(), Fields("_id", "page.body", ("publishd",)))
        there = cluster.request("GET", f"/{archive}/_mapping")[archive]["mappings"]
        assert "neardup" not in there.get("properties", {})

    def test_an_index_whose_time_is_in_another_field_is_refused_with_its_dates(
        self, cluster, window, archive
    ):
        """Every document counted as of the year 1, and ids decided which copy was the original, in silence."""
        fill(cluster, archive, {each["id"]: archived(each) for each in stream(10)})
        with pytest.raises(
            SettingsError, match=r"no time or timestamp or @timestamp.*date are published; --time-field"
        ):
            prepare(window, archive, Settings(), Fields("_id", "page.body"))
        there = cluster.request("GET", f"/{archive}/_mapping")[archive]["mappings"]
        assert "neardup" not in there["properties"]
        assert read_state(window) is None

    def test_an_index_without_dates_is_scored_with_a_warning(self, cluster, window, archive, caplog):
        documents = in_order(stream(10))
        fill(cluster, archive, {each["id"]: archived(each) for each in documents}, {"dynamic": False})
        verdicts, rejects = in_place(window, archive, Fields("_id", "page.body"))
        assert (len(verdicts), rejects) == (len(documents), [])
        assert f"{archive} has no field of type date: its documents have no time" in caplog.text
        (finding,) = examine_documents(window.address, window.credentials)
        assert finding.state == "ok"

    def test_the_doctor_does_not_call_it_a_fault_that_the_client_signs(self, cluster, window, archive):
        """It warned that the plugin is not used, which cannot sign what is in an index of another client."""
        fill(cluster, archive, {each["id"]: archived(each) for each in stream(3)})
        in_place(window, archive)
        own = window.address, window.credentials
        assert any("but not used" in each.found for each in examine(*own))
        assert not any("but not used" in each.found for each in examine(*own, is_in_place=True))
        done = invoke("doctor", "--window", window.address, "--format", "jsonl")
        assert (done.exit_code, "but not used" in done.stdout) == (0, False)

    def test_documents_that_were_given_up_for_a_budget_are_named_with_a_remedy(
        self, cluster, window, archive, monkeypatch
    ):
        """As an earlier version left them; now a budget is refused."""
        documents = {each["id"]: archived(each) for each in stream(10)}
        fill(cluster, archive, documents)
        layout = prepare(window, archive, Settings(), FIELDS)

        def scored():
            opened = functools.partial(
                open_elastic_window, str(window.address), credentials=window.credentials, archive=archive,
                window_hours=0, max_documents=3,
            )  # fmt: skip
            return list(Watcher(opened, window, layout, once=True).verdicts(on_reject=print))

        with pytest.raises(SettingsError, match="max_documents is 3"):
            scored()
        monkeypatch.setattr(watcher, "check_no_budget_of_archive", lambda _: None)
        count = len(scored())
        with open_elastic_window(str(window.address), credentials=window.credentials, readonly=True) as left:
            lost = count - left.stats().documents
        assert lost
        told = [each.found for each in examine_documents(window.address, window.credentials)]
        assert [text for text in told if text.startswith(f"{lost} documents were given up for max_documents")]

    def test_the_doctor_says_nothing_of_hours_that_such_a_window_does_not_have(
        self, cluster, window, archive
    ):
        """It said that there are 0 hours, and that the alias writes to none; and that another index under the prefix
        has a time that is no date, as if its documents were the window's.
        """
        fill(cluster, archive, {each["id"]: archived(each) for each in stream(3)})
        in_place(window, archive)
        mapping = {"mappings": {"properties": {"published": {"type": "keyword"}}}}
        window.request("PUT", f"/{window.address.prefix}-other", body=mapping)
        done = invoke("doctor", "--window", window.address, "--format", "jsonl")
        findings = [orjson.loads(line) for line in done.stdout.splitlines()]
        assert done.exit_code == 0
        assert {each["what"] for each in findings} >= {f"archive {archive}"}
        assert not [each for each in findings if re.match("hours|alias|index", each["what"])]

    def test_that_some_documents_have_no_time_is_said_with_what_comes_of_it(
        self, cluster, window, archive, caplog
    ):
        """An undated copy became the original of the dated document, in silence."""
        documents = {each["id"]: archived(each) for each in stream(10)}
        dated = next(iter(documents))
        undated = {"page": documents[dated]["page"]}
        fill(cluster, archive, {**documents, "undated": undated})
        verdicts, _ = in_place(window, archive)
        assert (verdicts[0].id, verdicts[0].status) == ("undated", "unique")
        assert next(each for each in verdicts if each.id == dated).duplicate_of == "undated"
        assert f"{archive}/undated has no time in the field 'published': such documents count" in caplog.text
        _, finding = examine_documents(window.address, window.credentials)
        assert (finding.what, finding.state) == (f"documents of {window.address.prefix}", "warning")
        assert f"1 of {len(documents) + 1} have no time in the field 'published'" in finding.found

    def test_a_window_whose_documents_have_their_time_in_another_field_is_told(
        self, cluster, window, archive
    ):
        """An index that had no date yet when the window was made, or a window of an earlier version."""
        fill(cluster, archive, {}, {"properties": {}})
        in_place(window, archive, Fields("_id", "page.body"))
        fill(cluster, archive, {"a": {"page": {"body": "Rain on the quay."}, "published": "2020-01-01"}})
        assert len(watched(window)) == 1
        _, finding = examine_documents(window.address, window.credentials)
        assert (finding.what, finding.state) == (f"documents of {window.address.prefix}", "warning")
        assert "none has a time in the field 'time': all count as of the year 1" in finding.found
        assert "fields of type date are published;" in finding.found
        assert f"`neardup remove --window {window.address} --force`" in finding.found

    def test_what_another_window_scores_in_place_is_refused(
        self, cluster, window, archive, elasticsearch_url, credentials
    ):
        """Each took the marks of the other for its own, or for none, and missed copies of what the other had marked."""
        documents = in_order(stream(20))
        sources = {each["id"]: archived(each) for each in documents}
        fill(cluster, f"{archive}-1", sources, aliases={archive: {}})
        in_place(window, archive)
        with fresh_prefix(elasticsearch_url, credentials, patience=60) as other:
            for name in (archive, f"{archive}-1"):
                with pytest.raises(
                    SettingsError, match=rf"no other window scores in place, but {window.address} does"
                ):
                    prepare(other, name, Settings(), FIELDS)
            cluster.request("DELETE", f"/{window.address.state}")
            assert in_place(other, archive) == ([], [])
        assert in_place(window, archive) == ([], []), "its state is made anew"

    def test_an_alias_takes_no_new_documents(self, cluster, window, archive):
        """They were rejected as sent elsewhere by a pipeline, and stored, and counted when the window was read anew."""
        documents = in_order(stream(20))
        sources = {each["id"]: archived(each) for each in documents[:10]}
        fill(cluster, f"{archive}-1", sources, aliases={archive: {}})
        assert len(in_place(window, archive)[0]) == 10
        with open_elastic_window(str(window.address), credentials=window.credentials) as opened:
            with pytest.raises(
                SettingsError, match=rf"{archive} in place, which stands for {archive}-1; write"
            ):
                list(opened.ingest(documents[10:]))
            assert opened.stats().documents == 10
        fill(cluster, f"{archive}-1", {each["id"]: archived(each) for each in documents[10:]})
        assert len(watched(window)) == 10

    def test_the_window_can_be_asked_without_naming_the_archive_again(self, cluster, window, archive):
        documents = in_order(stream(40))
        fill(cluster, archive, {each["id"]: archived(each) for each in documents})
        verdicts, _ = in_place(window, archive)
        assert before_first_write(window) is None, "its documents are written to the archive"
        copy = next(verdict for verdict in verdicts if verdict.is_copy)
        with open_elastic_window(
            str(window.address), credentials=window.credentials, readonly=True
        ) as opened:
            assert opened.query(id=copy.id).duplicate_of == copy.duplicate_of
            assert opened.stats().documents == len(documents)

    def test_later_documents_are_scored_by_watching_it(self, cluster, window, archive):
        documents = in_order(stream(60))
        fill(cluster, archive, {each["id"]: archived(each) for each in documents[:40]})
        first, _ = in_place(window, archive)
        fill(cluster, archive, {each["id"]: archived(each) for each in documents[40:]})
        layout = layout_at(window)
        assert layout.archive == archive
        watch = Watcher(
            lambda: open_elastic_window(str(window.address), credentials=window.credentials),
            window,
            layout,
            once=True,
        )
        assert first + list(watch.verdicts(on_reject=unwanted)) == expected(documents, window_hours=0)

    def test_a_document_without_a_time_is_older_than_all_others(self, cluster, window, archive):
        text = "The ferry ran aground off the western spit at dawn."
        sources = {
            "dated": {"page": {"body": text}, "published": "1960-01-01"},
            "undated": {"page": {"body": text}},
        }
        fill(cluster, archive, sources)
        verdicts, _ = in_place(window, archive)
        assert [(verdict.id, verdict.duplicate_of) for verdict in verdicts] == [
            ("undated", None),
            ("dated", "undated"),
        ]

    def test_one_with_a_routing_is_told_and_left_alone(self, cluster, window, archive):
        fill(cluster, archive, {"a": {"page": {"body": "Rain on the quay."}}})
        path = f"/{archive}/_doc/b"
        cluster.request(
            "PUT", path, params={"routing": "x", "refresh": "true"}, body={"page": {"body": "Snow."}}
        )
        verdicts, rejects = in_place(window, archive)
        assert [verdict.id for verdict in verdicts] == ["a"]
        assert [(reject.id, "routing" in reject.reason) for reject in rejects] == [("b", True)]

    def test_fields_of_the_window_hold(self, cluster, window, archive):
        fill(cluster, archive, {})
        in_place(window, archive)
        assert prepare(window, archive, Settings(), Fields()).text_field == "page.body"
        with pytest.raises(SettingsError, match=rf"`neardup remove --window {window.address} --force`"):
            prepare(window, archive, Settings(), Fields(text="other"), given=["text_field"])

    def test_a_window_of_hours_is_kept_in_hours(self, cluster, window, archive):
        made(window)
        fill(cluster, archive, {}, {"properties": {"@timestamp": {"type": "date"}}})
        with pytest.raises(SettingsError, match="archive"):
            in_place(window, archive, Fields())
        assert "neardup" not in mappings(cluster, archive)[archive]["properties"]

    def test_an_object_of_this_name_that_is_not_ours_is_in_the_way(self, cluster, window, archive):
        fill(cluster, archive, {}, {"properties": {"neardup": {"type": "keyword"}}})
        with pytest.raises(ClusterRejected, match="neardup"):
            prepare(window, archive, Settings(), FIELDS)


def test_a_source_may_be_asked_for_through_another_connection(
    cluster, archive, elasticsearch_url, credentials
):
    fill(cluster, archive, {"a": {"published": "2020-01-01"}})
    with Cluster(Address(elasticsearch_url, "elsewhere"), credentials) as other:
        assert Source(other, archive, FIELDS).count({"match_all": {}}) == 1
