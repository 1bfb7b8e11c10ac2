"""The doctor of a window in a cluster: finds what is wrong, on every node, and says what to do."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from testing.cli.invocation import invoke
from testing.node.servers import only_elasticsearch
from testing.window.backends import grams

from neardup.elastic.admin import checks
from neardup.elastic.admin.checks import examine
from neardup.elastic.admin.cluster_snapshot import take_snapshot
from neardup.elastic.admin.rollover import roll_over
from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.admin_api import delete_index
from neardup.elastic.http.api import delete_doc, put_doc
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.client import Cluster
from neardup.elastic.watch.document_checks import examine_documents
from neardup.elastic.watch.leadership import leadership
from neardup.elastic.window import scored_documents
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.state_document import StateDocument, read_state
from neardup.errors import SetupRefused, WindowDamaged
from neardup.model.clock import now_ms
from neardup.model.document import Document
from neardup.model.hours import hour_of
from neardup.model.settings import HOUR_MS, Recipe, Settings
from neardup.model.times import format_time
from neardup.tables.lexicon import LexiconBuilder

if TYPE_CHECKING:
    from neardup.model.finding import Finding

HOUR = 498681


def findings(cluster, state=None):
    found: dict[str, list[Finding]] = {}
    for finding in examine(cluster.address, cluster.credentials):
        if state in (None, finding.state):
            found.setdefault(finding.what, []).append(finding)
    return found


def states_of(cluster, what):
    return [(finding.state, finding.found) for finding in findings(cluster)[what]]


def settings(cluster, index, **values):
    cluster.request(
        "PUT", f"/{index}/_settings", body={f"index.{key}": value for key, value in values.items()}
    )


def test_a_window_that_is_as_it_should_be(cluster):
    set_up(cluster)
    roll_over(cluster, HOUR * HOUR_MS)
    assert findings(cluster, "bad") == {}
    assert states_of(cluster, "templates and pipeline") == [("ok", "as `neardup setup` makes them")]
    ((state, text),) = states_of(cluster, "hours")
    assert (state, text.split(";")[0]) == ("ok", "2, 2026.11.21-09 to 2026.11.21-10")
    signing = [what for what in findings(cluster, "ok") if what.startswith("signing on")]
    assert signing


def test_a_state_that_knows_nothing_of_scored_documents_is_found(cluster):
    """As one who may not look at documents leaves it, who sets up a window whose state was lost."""
    with open_elastic_window(str(cluster.address)) as window:
        list(window.ingest([Document("a", grams(0, 20), "2020-09-13T12:00:00Z")]))
    state = read_state(cluster)
    assert state is not None
    own = cluster.address
    assert list(examine_documents(own, cluster.credentials)) == []
    put_doc(cluster, own.state, "window", StateDocument(state.about, {}).source())
    (finding,) = examine_documents(own, cluster.credentials)
    assert (finding.what, finding.state) == (f"state of {own.prefix}", "bad")
    assert "but 1 scored documents" in finding.found
    assert f"`neardup setup --window {own}` makes it anew" in finding.found


def test_verdicts_that_another_window_gave_are_told_with_a_way_to_have_them_scored_here(cluster, new_cluster):
    """As `_reindex` copies them, or a bulk an export: they were marked, so nobody scored them, and nothing told."""
    there = new_cluster()
    for own, ids in ((there.address, "abc"), (cluster.address, "d")):
        with open_elastic_window(str(own)) as window:
            list(window.ingest([Document(id, grams(0, 20), HOUR * HOUR_MS) for id in ids]))
    index, other = (each.address.hourly(HOUR) for each in (cluster, there))
    copied = there.request("GET", f"/{other}/_doc/c")["_source"]
    for ours in (copied["neardup"], {"status": "unique", "group": "c"}):
        put_doc(cluster, index, "c", {**copied, "neardup": ours})
        (finding,) = examine_documents(cluster.address, cluster.credentials)
        assert (finding.what, finding.state) == (f"verdicts in {cluster.address.prefix}", "warning")
        assert f"are in 1 of its documents, such as {index}/c: they do not count" in finding.found
        assert "index them again without the object neardup" in finding.found
    del copied["neardup"]
    put_doc(cluster, index, "c", copied)
    (finding,) = examine_documents(cluster.address, cluster.credentials)
    assert finding.found.startswith("1 document without a verdict, ")
    assert invoke("watch", "--window", cluster.address, "--once").exit_code == 0
    with open_elastic_window(str(cluster.address), readonly=True) as window:
        assert window.query(id="c").status == "exact"


def test_the_verdict_of_a_scorer_on_a_document_that_came_too_late_is_not_called_that_of_another(cluster):
    """It was told to have been copied by `_reindex` or an export, in every run, and named no document."""
    own = cluster.address
    index = own.hourly(HOUR)
    assert invoke("setup", "--window", own, "--window-hours", 2).exit_code == 0
    late = (("a", HOUR, "unique"), ("late", HOUR - 3, "unique"), ("older", HOUR - 9, "unscored"))
    for id, hour, status in late:
        put_doc(cluster, index, id, {"text": grams(0, 20), "@timestamp": hour * HOUR_MS})
        invoke("watch", "--window", own, "--once")
        ours = cluster.request("GET", f"/{index}/_doc/{id}")["_source"]["neardup"]
        assert (ours["status"], ours.get("order") is None) == (status, id != "a")
    assert ours["truncated"]
    assert list(examine_documents(own, cluster.credentials)) == []


def test_documents_that_wait_while_no_scorer_is_at_work_are_told(cluster):
    """A watcher that had died, or had never been started, was in no finding and no figure."""
    own = cluster.address
    assert invoke("setup", "--window", own).exit_code == 0
    now = now_ms()
    old, young = (
        {"text": f"{what} rain", "@timestamp": now - ms} for what, ms in (("Old", 720_000), ("New", 0))
    )
    put_doc(cluster, own.hourly(hour_of(now)), "young", young)
    (finding,) = examine_documents(own, cluster.credentials)
    assert (finding.what, finding.state) == (f"documents of {own.prefix}", "ok")
    assert finding.found.startswith("1 document without a verdict, the oldest of ")
    put_doc(cluster, own.hourly(hour_of(now - 720_000)), "old", old)
    (finding,) = examine_documents(own, cluster.credentials)
    assert finding.state == "warning"
    assert finding.found.startswith("2 documents without a verdict, the oldest of ")
    assert finding.found.endswith(f"no scorer is at work; run neardup watch --window {own}")
    stats = json.loads(invoke("stats", "--window", own, "--format", "jsonl").stdout)
    assert (stats["documents"], stats["waiting"]) == (0, 2)
    lease = leadership(cluster)
    assert lease.try_acquire()
    (finding,) = examine_documents(own, cluster.credentials)
    assert (finding.state, "scores them" in finding.found) == ("ok", True)
    lease.release()
    lease.abandon()
    assert invoke("watch", "--window", own, "--once").exit_code == 0
    assert list(examine_documents(own, cluster.credentials)) == []
    assert json.loads(invoke("stats", "--window", own, "--format", "jsonl").stdout)["waiting"] == 0


def test_fields_that_documents_do_not_have_are_told(cluster):
    """All documents were unscored, and the doctor found all as it should be."""
    own, index = cluster.address, cluster.address.hourly(HOUR)
    invoke("setup", "--window", own, "--text-field", "boddy", "--time-field", "publishd", "--sign", "client")
    source = {"body": grams(0, 20), "published": "2026-11-21T09:00:00Z"}
    bulk(cluster, [Action("index", index, id, source) for id in "abc"])
    done = invoke("watch", "--window", own, "--once")
    assert (
        "no text: there is no field 'boddy' (fields: body, published); if another field has the"
        in done.stderr
    )
    cluster.request("POST", f"/{index}/_refresh")
    text, time = examine_documents(own, cluster.credentials)
    assert {(each.what, each.state) for each in (text, time)} == {(f"documents of {own.prefix}", "warning")}
    assert "3 of 3 get no verdict, because they have no text in the field 'boddy'; if another" in text.found
    assert "none has a time in the field 'publishd'" in time.found
    assert "fields of type date are published; if another field has the time" in time.found
    with pytest.raises(SetupRefused, match="delete all hours of this window first"):
        set_up(cluster, text_field="body", time_field="published")
    for name in Layout(own).existing_hours(cluster):
        delete_index(cluster, name)
    invoke("setup", "--window", own, "--text-field", "body", "--time-field", "published")
    bulk(cluster, [Action("index", index, id, source) for id in "abc"])
    assert invoke("watch", "--window", own, "--once").exit_code == 0
    assert list(examine_documents(own, cluster.credentials)) == []


def test_an_hour_that_indexes_nothing_is_told_and_not_called_one_without_times(cluster):
    """Once the template was mended, the doctor only advised to have the time in another field."""
    own, index = cluster.address, cluster.address.hourly(HOUR)
    invoke("setup", "--window", own)
    cluster.request("PUT", f"/{index}", body={"mappings": {"enabled": False}})
    put_doc(cluster, index, "a", {"text": grams(0, 20), "@timestamp": HOUR * HOUR_MS})
    cluster.request("POST", f"/{index}/_refresh")
    assert "indexes nothing" in invoke("watch", "--window", own, "--once").stderr
    found = [each for each in examine_documents(own, cluster.credentials) if each.state == "bad"]
    assert [each.what for each in found] == [f"index {index}"]
    assert (
        f"indexes nothing (enabled: false), so nothing can be scored in it; remove that from {own.custom}"
        in (found[0].found)
    )
    assert not any("has a time" in each.found for each in examine_documents(own, cluster.credentials))


@pytest.mark.parametrize("way", ["clone", "bulk"])
def test_copies_of_documents_with_their_verdicts_within_a_window_are_told(cluster, way):
    """An hour cloned, or copied by `_reindex`, into another: nothing could be scored any more, and the doctor found all
    as it should be.
    """
    own, there, copy = cluster.address, cluster.address.hourly(HOUR), cluster.address.hourly(HOUR + 1)
    with open_elastic_window(str(own)) as window:
        list(window.ingest([Document(id, grams(0, 20), HOUR * HOUR_MS) for id in "abc"]))
    assert list(examine_documents(own, cluster.credentials)) == []
    if way == "clone":
        settings(cluster, there, **{"blocks.write": True})
        cluster.request("POST", f"/{there}/_clone/{copy}", body={"settings": {"index.blocks.write": None}})
        settings(cluster, there, **{"blocks.write": None})
        cluster.request("GET", f"/_cluster/health/{copy}?wait_for_status=yellow&timeout=30s")
    else:
        put_doc(cluster, copy, "c", cluster.request("GET", f"/{there}/_doc/c")["_source"])
    cluster.request("POST", f"/{copy}/_refresh")
    (finding,) = examine_documents(own, cluster.credentials)
    assert (finding.what, finding.state) == (f"verdicts in {own.prefix}", "bad")
    assert re.search(
        rf"{there}/\w and {copy}/\w have the same arrival.*without the object neardup", finding.found
    )
    with (
        open_elastic_window(str(own)) as window,
        pytest.raises(WindowDamaged, match="the same arrival in both"),
    ):
        window.stats()
    for id in "abc":
        delete_doc(cluster, copy, id)
    cluster.request("POST", f"/{copy}/_refresh")
    assert list(examine_documents(own, cluster.credentials)) == []


def test_copies_within_a_window_are_told_beside_a_large_backup_of_it(cluster, monkeypatch):
    """Most of the sample was of the backup, which is none of the window's."""
    own, copy = cluster.address, cluster.address.hourly(HOUR + 1)
    with open_elastic_window(str(own)) as window:
        list(window.ingest([Document(id, grams(0, 20), HOUR * HOUR_MS) for id in "abc"]))
    cluster.request("POST", f"/{own.pattern}/_refresh")
    hits = cluster.request("POST", f"/{own.hourly(HOUR)}/_search")["hits"]["hits"]
    backup = [
        Action("index", f"{own.prefix}-backup", f"{hit['_id']}{i}", hit["_source"])
        for hit in hits
        for i in range(200)
    ]
    bulk(cluster, [*backup, *(Action("index", copy, hit["_id"], hit["_source"]) for hit in hits)])
    monkeypatch.setattr(scored_documents, "PAGE", 2)
    (finding,) = examine_documents(own, cluster.credentials)
    assert finding.state == "bad"
    assert re.search(rf"{own.hourly(HOUR)}/\w and {copy}/\w have the same arrival", finding.found)


def test_an_archive_whose_state_is_lost_is_told_how_it_is_made_anew(cluster):
    """`neardup setup`, which was all that was advised, makes a window of hours, in which none of it counts."""
    own = cluster.address
    assert invoke("setup", "--window", own, "--sign", "client").exit_code == 0
    assert list(examine_documents(own, cluster.credentials)) == []
    delete_doc(cluster, own.state, "window")
    for _ in range(2):
        (finding,) = examine_documents(own, cluster.credentials)
        assert (finding.what, finding.state) == (f"state of {own.prefix}", "warning")
        assert f"`neardup ingest --from-index INDEX --in-place --window {own}` makes it anew" in finding.found
        delete_index(cluster, own.state)


def test_a_state_index_that_was_not_made_by_its_template_is_told(cluster):
    """All was called ok, and some documents could not be deleted."""
    own = cluster.address
    set_up(cluster)
    cluster.request("DELETE", f"/_index_template/{own.state_template}")
    delete_index(cluster, own.state)
    put_doc(cluster, own.state, "window", {"format": 1})
    set_up(cluster)
    ((state, text),) = states_of(cluster, f"index {own.state}")
    assert (state, text.partition(",")[0]) == ("warning", "its mapping is dynamic")
    cluster.request("PUT", f"/{own.state}/_mapping", body={"dynamic": False})
    assert f"index {own.state}" not in findings(cluster)


@pytest.mark.parametrize(("hours", "compared"), [(24, "the document's and 24 before"), (0, "all")])
def test_it_says_which_hours_are_compared(cluster, hours, compared):
    set_up(cluster, window_hours=hours)
    ((_, text),) = states_of(cluster, "hours")
    assert text.endswith(f"; compared: {compared}")


@pytest.mark.parametrize("block", ["cluster.blocks.read_only", "cluster.blocks.read_only_allow_delete"])
def test_a_block_on_the_whole_cluster_is_found(cluster, block):
    set_up(cluster)
    cluster.request("PUT", "/_cluster/settings", body={"persistent": {block: True}})
    try:
        ((state, text),) = states_of(cluster, f"block {block}")
    finally:
        cluster.request("PUT", "/_cluster/settings", body={"persistent": {block: None}})
    assert state == "bad"
    assert f'PUT _cluster/settings {{"persistent": {{"{block}": null}}}}, or "transient" if it is so' in text
    assert findings(cluster, "bad") == {}


def test_the_command_ends_with_3_where_something_is_bad(cluster, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    done = invoke("doctor", "--window", cluster.address, "--format", "jsonl")
    assert done.exit_code == 3
    assert f"not set up: neardup setup --window {cluster.address}" in done.stdout
    set_up(cluster)
    assert invoke("doctor", "--window", cluster.address).exit_code == 0


def test_an_index_of_the_prefix_is_told_as_setup_tells_it(cluster):
    cluster.request("PUT", f"/{cluster.address.prefix}")
    ((state, text),) = states_of(cluster, f"window {cluster.address.prefix}")
    with pytest.raises(SetupRefused) as refused:
        set_up(cluster)
    assert (state, text) == ("bad", str(refused.value))


def test_the_way_out_of_an_index_of_the_name_of_the_alias_leads_out(cluster, caplog):
    """As a client makes it in OpenSearch that writes to the alias before there is an hour."""
    own = cluster.address
    assert invoke("setup", "--window", own).exit_code == 0
    # OpenSearch has none.
    cluster.request("DELETE", f"/_index_template/{own.alias_template}", missing_ok=True)
    now = now_ms()
    put_doc(cluster, own.prefix, "a", {"text": "Rain on the quay.", "@timestamp": format_time(now)})
    invoke("watch", "--window", own, "--once")
    assert "an index has the name of the window's alias: `neardup doctor` says how to free it" in caplog.text
    ((state, text),) = states_of(cluster, "templates and pipeline")
    assert (state, f"{own.prefix}_kept" in text) == ("bad", True)
    # As `_reindex` does, which the smallest distributions lack.
    put_doc(cluster, f"{own.prefix}_kept", "a", cluster.request("GET", f"/{own.prefix}/_doc/a")["_source"])
    cluster.request("POST", f"/{own.prefix}_kept/_refresh")
    delete_index(cluster, own.prefix)
    assert invoke("rollover", "--window", own).exit_code == 0
    put_doc(cluster, own.alias, "b", {"text": "Rain on the quay.", "@timestamp": now + 1})
    done = invoke("ingest", "--from-index", f"{own.prefix}_kept", "--window", own)
    assert (done.exit_code, json.loads(done.stdout)["id"]) == (0, "a")
    assert json.loads(invoke("watch", "--window", own, "--once").stdout)["duplicate_of"] == "a"
    delete_index(cluster, f"{own.prefix}_kept")


def test_nobody_at_home_is_one_finding():
    (finding,) = examine(Address("http://127.0.0.1:9", "news"), Credentials())
    assert finding.state == "bad"
    assert "refused" in finding.found


@pytest.mark.parametrize(
    ("values", "state", "named"),
    [
        ({"refresh_interval": "-1"}, "bad", ["refresh_interval is -1", '{"index.refresh_interval": "1s"}']),
        ({"refresh_interval": None}, "warning", ["no refresh_interval"]),
        ({"max_terms_count": 1024}, "bad", ["max_terms_count is 1024", '{"index.max_terms_count": 65536}']),
        (
            {"max_result_window": 500},
            "bad",
            ["max_result_window is 500", '{"index.max_result_window": 5000}'],
        ),
        (
            {"blocks.read": True},
            "bad",
            ["blocked (read): the window cannot be read", '{"index.blocks.read": null}'],
        ),
        (
            {"blocks.write": True},
            "bad",
            ["blocked (write): verdicts cannot be written", '{"index.blocks.write": null}'],
        ),
        (
            {"auto_expand_replicas": False, "number_of_replicas": 6, "write.wait_for_active_shards": "all"},
            "bad",
            ["wait_for_active_shards is all", "fewer than 7", '{"index.write.wait_for_active_shards": null}'],
        ),
        ({"blocks.read_only_allow_delete": True}, "bad", ["blocked (read_only_allow_delete)", "disk"]),
        (
            {"blocks.read": True, "blocks.write": True},
            "bad",
            ["blocked (read, write)", '{"index.blocks.read": null, "index.blocks.write": null}'],
        ),
    ],
)
def test_a_setting_that_would_make_the_scorer_miss_copies(cluster, values, state, named):
    set_up(cluster)
    roll_over(cluster, HOUR * HOUR_MS)
    name = cluster.address.hourly(HOUR)
    settings(cluster, name, **values)
    ((found, text),) = states_of(cluster, f"index {name}")
    assert found == state
    assert all(words in text for words in [*named, f"PUT {name}/_settings"])


def test_a_node_that_holds_no_data_holds_no_copy_to_wait_for(cluster, monkeypatch):
    """One that only takes requests, say."""
    set_up(cluster)
    roll_over(cluster, HOUR * HOUR_MS)
    two = {"auto_expand_replicas": False, "number_of_replicas": 1, "write.wait_for_active_shards": "2"}
    settings(cluster, cluster.address.hourly(HOUR), **two)
    snapshot = take_snapshot(cluster)
    (node,) = snapshot.nodes
    wider = snapshot._replace(nodes=[node, node._replace(name="takes-requests")])
    monkeypatch.setattr(checks, "take_snapshot", lambda _: wider)
    ((state, text),) = states_of(cluster, f"index {cluster.address.hourly(HOUR)}")
    assert (state, "fewer than 2 data nodes" in text) == ("bad", True)


@only_elasticsearch("synthetic _source")
def test_a_synthetic_source_is_told(cluster):
    own = cluster.address
    custom = {"template": {"settings": {"index.mapping.source.mode": "synthetic"}}}
    cluster.request("PUT", f"/_component_template/{own.prefix}@custom", body=custom)
    set_up(cluster)
    roll_over(cluster, HOUR * HOUR_MS)
    ((state, text),) = states_of(cluster, f"index {own.hourly(HOUR)}")
    assert (state, "_source is synthetic" in text) == ("bad", True)


@pytest.mark.parametrize(
    ("source", "lacking"),
    [
        ({"enabled": False}, "text and neardup"),
        ({"excludes": ["te*", "page"]}, "text"),
        ({"excludes": ["neardup.sketch"]}, "neardup"),
        ({"excludes": ["*.order"]}, "neardup"),
        ({"includes": ["text", "@timestamp"]}, "neardup"),
        ({"includes": ["text", "neardup.*"], "excludes": ["page"]}, None),
    ],
)
def test_a_source_that_lacks_what_neardup_reads_is_told(cluster, source, lacking):
    """The hours were called ok."""
    own = cluster.address
    custom = {"template": {"mappings": {"_source": source}}}
    cluster.request("PUT", f"/_component_template/{own.prefix}@custom", body=custom)
    set_up(cluster)
    roll_over(cluster, HOUR * HOUR_MS)
    if lacking is None:
        assert findings(cluster)["hours"][0].state == "ok"
        return
    ((state, text),) = states_of(cluster, f"index {own.hourly(HOUR)}")
    assert (state, text.split(":")[0]) == ("bad", f"_source lacks {lacking}")


@pytest.mark.parametrize(
    ("setting", "sign"),
    [("default_pipeline", "plugin"), ("default_pipeline", "client"), ("final_pipeline", "client")],
)
def test_a_pipeline_of_others_that_is_not_there_is_told(cluster, setting, sign):
    """All was called ok, and nothing could be written."""
    own = cluster.address
    mine = f"mine-{own.prefix}"
    custom = {"template": {"settings": {f"index.{setting}": mine}}}
    cluster.request("PUT", f"/_component_template/{own.prefix}@custom", body=custom)
    set_up(cluster, sign=sign)
    roll_over(cluster, HOUR * HOUR_MS)
    for what in (f"component template {own.prefix}@custom", f"index {own.hourly(HOUR)}"):
        ((state, text),) = states_of(cluster, what)
        assert (state, text.split(",")[0]) == ("bad", f"there is no pipeline {mine} (index.{setting})")
    cluster.request("PUT", f"/_ingest/pipeline/{mine}", body={"processors": []})
    assert findings(cluster, "bad") == {}


def test_a_final_pipeline_of_others_that_ours_stands_before_is_no_finding(cluster):
    """It was called bad, and that nothing could be written, while every hour had ours."""
    own = cluster.address
    custom = {"template": {"settings": {"index.final_pipeline": f"mine-{own.prefix}"}}}
    cluster.request("PUT", f"/_component_template/{own.prefix}@custom", body=custom)
    set_up(cluster, sign="plugin")
    roll_over(cluster, HOUR * HOUR_MS)
    put_doc(cluster, own.hourly(HOUR), "a", {"text": grams(0, 20), "@timestamp": HOUR * HOUR_MS})
    assert findings(cluster, "bad") == {}


def test_an_hour_at_which_scorers_end_is_bad(cluster):
    """It was a warning that `neardup setup` had something to do."""
    set_up(cluster, sign="plugin")
    index = cluster.address.hourly(HOUR)
    roll_over(cluster, HOUR * HOUR_MS)
    settings(cluster, index, final_pipeline="_none")
    (found,) = findings(cluster, "bad")["templates and pipeline"]
    assert f"change index {index}" in found.found
    set_up(cluster)
    cluster.request("PUT", f"/{index}/_mapping", body={"_meta": {"owner": "us"}})
    (found,) = findings(cluster, "bad")["templates and pipeline"]
    assert f"restore the description (_meta) of index {index}" in found.found
    set_up(cluster)
    assert findings(cluster, "bad") == {}


def test_an_hour_whose_time_is_no_date_is_told(cluster):
    """All was called ok, and `neardup watch` ended at that hour."""
    own = cluster.address
    set_up(cluster)
    roll_over(cluster, HOUR * HOUR_MS)
    name = own.hourly(HOUR - 1)
    assert f"index {name}" not in findings(cluster)
    mapping = {"properties": {"@timestamp": {"type": "keyword"}}}
    cluster.request("PUT", f"/{name}", body={"mappings": mapping})
    ((state, text),) = states_of(cluster, f"index {name}")
    assert (state, "the time, @timestamp, is keyword there" in text) == ("bad", True)


def test_an_hour_that_is_an_alias_is_told_and_made_anew_as_advised(cluster):
    """As a lifecycle leaves an hour that it has shrunk: the doctor found nothing but a name that does not match."""
    set_up(cluster)
    name, other = cluster.address.hourly(HOUR), f"shrink-{cluster.address.hourly(HOUR)}"
    roll_over(cluster, HOUR * HOUR_MS)
    settings(cluster, name, **{"blocks.write": True})
    cluster.request("POST", f"/{name}/_clone/{other}")
    try:
        cluster.request("DELETE", f"/{name}")
        cluster.request("PUT", f"/{other}/_alias/{name}")
        ((state, text),) = states_of(cluster, f"index {name}")
        assert (state, text.split(":")[0]) == ("bad", f"an alias of {other}")
        assert other not in "".join(finding.found for finding in findings(cluster).get("setup", ()))
        ((delete, clone),) = re.findall(r"\(DELETE (\S+)\).*POST (\S+),", text)
        cluster.request("DELETE", f"/{delete}")
        cluster.request("POST", f"/{clone}")
        settings(cluster, name, **{"blocks.write": None})
        assert findings(cluster)["hours"][0].state == "ok"
        # A clone has no aliases: searches by the window's name passed over it.
        ((state, text),) = states_of(cluster, "templates and pipeline")
        assert (state, f"put index {name} into alias" in text) == ("warning", True)
        set_up(cluster)
        assert name in cluster.request("GET", f"/_alias/{cluster.address.alias}")
        assert states_of(cluster, "templates and pipeline")[0][0] == "ok"
    finally:
        cluster.request("DELETE", f"/{other}")


def test_what_setup_would_do_is_told(cluster):
    set_up(cluster)
    cluster.request("DELETE", f"/_index_template/{cluster.address.state_template}")
    pipeline = cluster.request("GET", f"/_ingest/pipeline/{cluster.address.pipeline}")[
        cluster.address.pipeline
    ]
    for added in ("created_date_millis", "modified_date_millis", "created_date", "modified_date"):
        pipeline.pop(added, None)
    pipeline["processors"][0]["neardup"]["max_length"] = 5
    cluster.request("PUT", f"/_ingest/pipeline/{cluster.address.pipeline}", body=pipeline)
    found = states_of(cluster, "templates and pipeline")
    assert [state for state, _ in found] == ["warning", "bad"]
    assert "processors[0].neardup.max_length: 5 -> 1000000" in found[0][1]
    assert all(f"neardup setup --window {cluster.address}" in text for _, text in found)


def test_an_hour_of_another_recipe_is_found(cluster):
    set_up(cluster, recipe=Recipe(q=5))
    roll_over(cluster, HOUR * HOUR_MS)
    template = cluster.request("GET", f"/_index_template/{cluster.address.template}")
    body = template["index_templates"][0]["index_template"]
    body["template"]["mappings"]["_meta"]["neardup"]["recipe"] = "another"
    for added in ("created_date_millis", "modified_date_millis", "created_date", "modified_date"):
        body.pop(added, None)
    cluster.request("PUT", f"/_index_template/{cluster.address.template}", body=body)
    ((state, text),) = states_of(cluster, "templates and pipeline")
    assert state == "bad"
    assert f"index {cluster.address.hourly(HOUR)} was signed by recipe" in text
    (signing,) = [found for what, (found,) in findings(cluster).items() if what.startswith("signing on")]
    assert signing.state == "bad"
    assert "the window's is another: give every node the same plugin" in signing.found


def test_an_hour_of_which_copies_are_set_aside_is_one_hour(cluster):
    with open_elastic_window(str(cluster.address), settings=Settings(policy="route")) as window:
        list(window.ingest([Document(id, grams(0, 20), HOUR * HOUR_MS) for id in "ab"]))
    ((_, text),) = states_of(cluster, "hours")
    assert text.split(";")[0] == "1, 2026.11.21-09 to 2026.11.21-09"


def test_an_alias_that_nobody_moves_is_found(cluster):
    set_up(cluster)
    roll_over(cluster, 400_000 * HOUR_MS)
    ((state, text),) = states_of(cluster, f"alias {cluster.address.alias}")
    assert state == "warning"
    assert f"neardup rollover --window {cluster.address}" in text


def test_an_alias_that_was_moved_to_an_hour_far_ahead_is_found(cluster):
    """All was called ok, and what clients wrote stayed for thousands of years."""
    own = cluster.address
    set_up(cluster)
    roll_over(cluster, now_ms() + 2 * HOUR_MS)
    ((state, text),) = states_of(cluster, f"alias {own.alias}")
    assert (state, "an hour of the future" in text) == ("warning", True)
    assert f"neardup rollover --window {own}" in text
    roll_over(cluster, now_ms() + HOUR_MS)
    assert states_of(cluster, f"alias {own.alias}")[0][0] == "ok"


def test_an_alias_that_writes_to_no_hour_since_that_was_deleted_is_found(cluster):
    """All was called ok, while every write to it was refused."""
    own, now = cluster.address, now_ms()
    set_up(cluster)
    with open_elastic_window(str(own)) as window:
        list(window.ingest([Document(str(i), grams(0, 20), now - i * HOUR_MS) for i in (2, 3)]))
    assert states_of(cluster, f"alias {own.alias}")[0][0] == "ok"
    roll_over(cluster, now)
    cluster.request("DELETE", f"/{own.hourly(hour_of(now))}")
    ((state, text),) = states_of(cluster, f"alias {own.alias}")
    assert state == "warning"
    assert text == (
        "writes to no hour any more, so clients that write to it are refused: "
        f"neardup rollover --window {own}"
    )


@pytest.mark.parametrize("alias", [{}, {"is_write_index": True}], ids=["alone", "as the one written to"])
def test_an_alias_by_which_documents_go_to_an_index_of_others_is_found(cluster, alias):
    """It was said to write to no hour, and to be all right; nobody scored what was written there."""
    set_up(cluster)
    own, other = cluster.address, f"other-{cluster.address.prefix}"
    cluster.request("PUT", f"/{other}", body={"aliases": {own.alias: alias}})
    try:
        ((state, text),) = states_of(cluster, f"alias {own.alias}")
        assert state == "warning"
        assert f"writes to {other}, no hour of this window" in text
        assert f"neardup rollover --window {own}" in text
        roll_over(cluster, now_ms())
        assert states_of(cluster, f"alias {own.alias}")[0][0] == "ok"
    finally:
        cluster.request("DELETE", f"/{other}")


def test_a_cluster_that_is_nearly_full_is_found(own_node):
    with Cluster(Address(own_node.url, "full")) as cluster:
        set_up(cluster)
        cluster.request("PUT", "/_cluster/settings", body={"persistent": {"cluster.max_shards_per_node": 1}})
        ((state, text),) = states_of(cluster, "shards")
        cluster.request(
            "PUT", "/_cluster/settings", body={"persistent": {"cluster.max_shards_per_node": None}}
        )
    assert state == "warning"
    assert " of 1: " in text  # how many there are depends on which tests came before


def test_a_missing_plugin_is_found(bare_node):
    with Cluster(Address(bare_node.url, "bare")) as cluster:
        set_up(cluster)
        found = findings(cluster)
    assert found["plugin on node-1"][0].state == "warning"
    assert "make plugin VERSION=" in found["plugin on node-1"][0].found
    assert "signed by the client" in found["window bare"][0].found


def test_a_node_with_another_lexicon_is_found(two_nodes, tmp_path):
    """Each node is asked at its own address; the recipe in the pipeline makes the odd one out refuse to sign."""
    first, second = two_nodes
    for number, node in enumerate(two_nodes):
        builder = LexiconBuilder(q=4, fold_case=False, name="mine")
        file = tmp_path / f"{number}.lexicon"
        builder.build().save(file)
        node.give("neardup/mine.lexicon", file.read_bytes())
    file = tmp_path / "0.lexicon"
    (tmp_path / "mine.lexicon").write_bytes(file.read_bytes())
    with Cluster(Address(first.url, "mine")) as cluster:
        set_up(cluster, recipe=Recipe(lexicon=tmp_path / "mine.lexicon"))
        found = findings(cluster)
        assert [found[f"signing on node-{number}"][0].state for number in (1, 2)] == ["ok", "ok"]
        other = LexiconBuilder(q=4, fold_case=False, name="another")
        other.build().save(tmp_path / "other.lexicon")
        second.give("neardup/mine.lexicon", (tmp_path / "other.lexicon").read_bytes())
        found = findings(cluster)  # it signs by what it has read, until it starts again
        assert [found[f"signing on node-{number}"][0].state for number in (1, 2)] == ["ok", "warning"]
        assert "after its next restart" in found["signing on node-2"][0].found
        assert "lexicon" in found["signing on node-2"][0].found
        second.stop()
        second.start()
        found = findings(cluster)
    assert found["signing on node-1"][0].state == "ok"
    assert found["signing on node-2"][0].state == "bad"
    assert "lexicon" in found["signing on node-2"][0].found


def test_a_node_that_cannot_be_reached_from_here_is_told(two_nodes, monkeypatch):
    from neardup.elastic.admin import signing_checks

    first, second = two_nodes
    reach = signing_checks._url_of
    monkeypatch.setattr(
        signing_checks,
        "_url_of",
        lambda cluster, node: "http://127.0.0.1:9" if node.name == "node-2" else reach(cluster, node),
    )
    with Cluster(Address(first.url, "reach")) as cluster:
        set_up(cluster)
        ((state, text),) = states_of(cluster, "signing on node-2")
    assert state == "warning"
    assert "http://127.0.0.1:9 cannot be asked from here" in text
    assert second.running
