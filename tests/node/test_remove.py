"""`neardup remove`: a window goes as a whole, and nothing that is not its own goes with it."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from typing import Any
from unittest import mock

import pytest
from testing.cli.invocation import invoke
from testing.node.clients import in_order, made, put, stream, watched
from testing.node.killing import stored
from testing.node.prefix import fresh_prefix, remove_windows
from testing.node.servers import chosen, only_elasticsearch

from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.http.address import Address
from neardup.elastic.http.bulk import Action, bulk, bulk_done
from neardup.elastic.watch import mark_removal
from neardup.elastic.watch.in_place import prepare
from neardup.elastic.watch.leadership import leadership
from neardup.elastic.watch.watcher import Watcher
from neardup.elastic.watch.window_removal import plan_removal, remove
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.state_document import RemovalBegun, StateDocument, read_state, scoring_lease
from neardup.errors import ClusterConflict, NotSetUp, SettingsError, WindowLocked
from neardup.model.settings import Recipe, Settings
from neardup.sources.fields import Fields

FIELDS = Fields(text="body", time=("published",))
MAPPING = {
    "properties": {
        "published": {"type": "date"},
        "body": {"type": "text"},
        "huge": {"type": "keyword"},
        "deep": {"type": "object", "enabled": False},
    }
}
PLAIN = "2001.01.01-00"


def run(cluster, *words):
    done = invoke("remove", "--window", str(cluster.address), *words)
    return done.exit_code, done.stdout.splitlines(), done.stderr


def all_of(cluster):
    """The names of everything in the cluster that may be a window's."""
    indices = cluster.request("GET", "/_resolve/index/*?expand_wildcards=all")["indices"]
    templates = cluster.request("GET", "/_index_template")["index_templates"]
    components = cluster.request("GET", "/_component_template")["component_templates"]
    pipelines = cluster.request("GET", "/_ingest/pipeline", missing_ok=True) or {}
    return {
        *(f"index {each['name']}" for each in indices),
        *(f"index template {each['name']}" for each in templates),
        *(f"component template {each['name']}" for each in components if each["name"].startswith("neardup-")),
        *(f"ingest pipeline {name}" for name in pipelines),
    }


def forget_others(cluster):
    """Deletes the windows that earlier tests have left on the node."""
    left = {name.rpartition("neardup-state-")[2] for name in all_of(cluster) if "neardup-state-" in name}
    remove_windows(cluster, [Address(cluster.url, prefix) for prefix in left], "*")


def of_window(cluster):
    """What `remove` deletes of a window, but for its hours."""
    own, is_opensearch = cluster.address, chosen().product == "opensearch"
    templates = [own.template, own.copies_template, own.state_template]
    templates += [] if is_opensearch else [own.alias_template]
    return {
        f"index {own.state}",
        *(f"index template {name}" for name in templates),
        f"ingest pipeline {own.pipeline}",
    }


def ingested(cluster, count=40, **settings):
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials, **settings) as window:
        assert len(list(window.ingest(stream(count)))) == count


@pytest.fixture
def beside(new_cluster):
    """A window of the same cluster, which stays."""
    window = new_cluster()
    ingested(window, 30)
    return window


class TestHours:
    @pytest.fixture
    def window(self, cluster):
        ingested(cluster, policy="route")
        return cluster

    def test_a_window_goes_as_a_whole_and_the_one_beside_it_stays_whole(self, window, beside):
        own = window.address
        component = {"template": {"settings": {"index.codec": "default"}}}
        window.request("PUT", f"/_component_template/{own.custom}", body=component)
        window.request("PUT", f"/{own.prefix}-backup/_doc/1?refresh=true", body={"kept": True})
        documents, everything = stored(beside), all_of(window)
        goes = of_window(window) - {f"ingest pipeline {own.pipeline}"}  # the backup was made by our template
        hours = {name for name in everything if name.startswith(f"index {own.prefix}-2")}
        copies = {name for name in everything if name.startswith(f"index {own.prefix}-copies-")}
        assert hours
        assert copies
        code, lines, told = run(window)
        assert (code, all_of(window)) == (2, everything)
        assert {line.partition(" (")[0] for line in lines} == {
            f"would delete {name}" for name in hours | copies | goes
        }
        assert sum(int(line.split("(")[1].split()[0]) for line in lines if "(" in line) == 40
        assert "nothing was changed: --force does it" in told
        assert f"component template {own.custom} is yours: it stays" in told
        assert f"they stay: {own.prefix}-backup" in told
        assert "other windows use them" in told
        assert f"{own.pipeline} stays: {own.prefix}-backup could not be written to" in told
        rest = told.replace("neardup: nothing was changed: --force does it\n", "")
        assert run(window, "--dry-run") == (0, lines, rest)
        assert run(window, "--dry-run", "--force")[0] == 0
        assert all_of(window) == everything
        code, lines, told = run(window, "--force")
        assert (code, told) == (0, rest)
        assert set(lines) == {f"deleted {name}" for name in hours | copies | goes}
        assert everything - all_of(window) == hours | copies | goes
        assert stored(beside) == documents
        ingested(beside, 31)
        assert window.request("GET", f"/{own.prefix}-backup/_doc/1")["_source"] == {"kept": True}
        code, lines, told = run(window, "--force")
        assert (code, lines) == (3, [])
        assert f"{own}: there is nothing to remove, because no window is set up here" in told

    def test_what_is_left_of_a_window_goes_and_what_is_only_called_so_stays(self, window, beside):
        own = window.address
        window.request("DELETE", f"/{own.state}")
        for template in of_window(window):
            if template.startswith("index template"):
                window.request("DELETE", f"/_index_template/{template.split()[-1]}")
        plain = f"{own.prefix}-{PLAIN}"
        window.request("PUT", f"/{plain}/_doc/1?refresh=true", body={"log": "an hour of somebody else"})
        foreign, hour = f"{own.prefix}-x", f"{own.prefix}-2001.01.01-01"
        window.request("PUT", f"/{foreign}", body={"aliases": {hour: {}}})
        documents = stored(beside)
        code, lines, told = run(window)
        assert code == 2
        assert f"index {plain} was not made for this window: it stays" in told
        assert f"{hour} is an alias or a data stream ({foreign}): it stays" in told
        assert not [line for line in lines if plain in line or hour in line]
        assert run(window, "--force")[0] == 0
        left = {name for name in all_of(window) if own.prefix in name}
        assert left == {f"index {plain}", f"index {foreign}"}
        assert run(window, "--force")[0] == 3
        assert window.request("GET", f"/{plain}/_doc/1")["found"]
        assert stored(beside) == documents

    def test_the_pipeline_stays_while_an_index_elsewhere_has_its_documents_signed_by_it(self, window):
        own = window.address
        name = f"signed-by-{own.prefix}"
        window.request("PUT", f"/{name}", body={"settings": {"index.default_pipeline": own.pipeline}})
        lines, told = run(window)[1:]
        assert f"would delete ingest pipeline {own.pipeline}" not in lines
        assert f"{own.pipeline} stays: {name} could not be written to" in told
        assert run(window, "--force")[0] == 0
        window.request("PUT", f"/{name}/_doc/1", body={"text": "A text."})
        window.request("DELETE", f"/{name}")
        assert f"deleted ingest pipeline {own.pipeline}" in run(window, "--force")[1]

    def test_a_window_without_hours_goes_too_and_templates_that_others_made_stay(self, cluster):
        made(cluster)
        own = cluster.address
        body: dict[str, Any] = {"processors": []}
        cluster.request("PUT", f"/_ingest/pipeline/{own.pipeline}", body=body)
        code, lines, told = run(cluster, "--force")
        assert code == 0
        assert f"ingest pipeline {own.pipeline} was not made by neardup: it stays" in told
        assert f"deleted index {own.state}" in lines
        assert {name for name in all_of(cluster) if own.prefix in name} == {f"ingest pipeline {own.pipeline}"}

    def test_the_components_go_with_the_last_window(self, own_node):
        with fresh_prefix(own_node.url, patience=60) as one, fresh_prefix(own_node.url, patience=60) as other:
            forget_others(one)
            made(one)
            made(other)
            components = {"component template neardup-fields", "component template neardup-hourly"}
            assert len(list(remove(one))) == len(of_window(one))
            assert components <= all_of(one)
            done = {step.done for step in remove(other)}
            assert {f"deleted {name}" for name in components} <= done
            assert not components & all_of(one)

    def test_closed_hours_go_too(self, window):
        hour = min(name for name in all_of(window) if name.startswith(f"index {window.address.prefix}-2"))
        window.request("POST", f"/{hour.split()[-1]}/_close")
        assert f"would delete {hour}" in run(window)[1]
        assert run(window, "--force")[0] == 0
        assert hour not in all_of(window)

    def test_it_is_refused_beside_a_scorer_and_goes_on_after_its_death(self, window):
        everything = all_of(window)
        lease = scoring_lease(window)
        lease.acquire()
        with pytest.raises(WindowLocked, match="or end it"):
            list(remove(window))
        refused = "--force is refused while another process is at work here"
        assert refused in run(window, "--dry-run")[2]
        lease.release()
        assert refused not in run(window, "--dry-run")[2]
        watch = leadership(window)
        assert watch.try_acquire()
        assert refused in run(window, "--dry-run")[2]
        code, lines, told = run(window, "--force")
        assert (code, lines) == (3, [])
        assert "is being written by another process" in told
        assert all_of(window) == everything
        watch.abandon()
        lease.acquire()
        lease.abandon()
        assert run(window, "--force")[0] == 0
        assert not {name for name in all_of(window) if window.address.prefix in name}

    def test_a_scorer_between_two_batches_is_noticed_by_its_epochs(self, window):
        everything = all_of(window)
        plan = plan_removal(window)
        lease = scoring_lease(window)
        lease.commit(lease.acquire())
        with (
            mock.patch("neardup.elastic.watch.window_removal.plan_removal", return_value=plan),
            pytest.raises(WindowLocked),
        ):
            list(remove(window))
        assert all_of(window) == everything
        state = read_state(window)
        assert state is not None
        assert state.holder is None

    def test_what_is_made_again_meanwhile_is_told(self, window, caplog):
        hour = window.address.hourly(498_000)
        for step in remove(window):
            if step.what.startswith("index neardup-state-"):
                window.request("PUT", f"/{hour}/_doc/1", body={"text": "late"})
        assert f"{hour}: made again meanwhile" in caplog.text
        assert f"deleted index {hour}" in run(window, "--force")[1]
        assert not {name for name in all_of(window) if window.address.prefix in name}

    def test_one_that_is_interrupted_leaves_a_window_that_can_be_used_or_removed(self, window):
        steps = remove(window)
        assert next(steps).what.startswith("index ")
        steps.close()
        state = read_state(window)
        assert state is not None
        assert state.holder is None
        assert run(window, "--force")[0] == 0
        assert not {name for name in all_of(window) if window.address.prefix in name}


def raw(cluster, name):
    """Each document of an index as it is stored, with its version and routing."""
    cluster.request("POST", f"/{name}/_refresh")
    body = {"size": 1000, "version": True, "query": {"match_all": {}}}
    hits = cluster.request("POST", f"/{name}/_search", body=body)["hits"]["hits"]
    return {hit["_id"]: (hit["_source"], hit["_version"], hit.get("_routing")) for hit in hits}


def without(source):
    return {name: value for name, value in source.items() if name != "neardup"}


def score(cluster, archive, fields=FIELDS):
    """The verdicts on an index that is scored in place."""
    layout = prepare(cluster, archive, Settings(), fields)

    def opened():
        return open_elastic_window(
            str(cluster.address), credentials=cluster.credentials, archive=archive, window_hours=0
        )

    return list(Watcher(opened, cluster, layout, once=True).verdicts(on_reject=lambda _: None))


class TestInPlace:
    @pytest.fixture
    def archive(self, cluster):
        """The name of an index with documents of all kinds, before anybody scores it."""
        name = f"{cluster.address.prefix}-archive"
        body = {"mappings": MAPPING, "settings": {"number_of_shards": 2, "number_of_replicas": 0}}
        cluster.request("PUT", f"/{name}", body=body)
        documents = {
            each["id"]: {
                "published": "2026-11-21T09:00:00Z", "body": each["text"], "huge": 12345678901234567890123,
                "deep": {"list": [1, None, 1.5, {"a": "é"}], "neardup": "mine"},
            }
            for each in stream(60)
        }  # fmt: skip
        actions = [Action("index", name, id, source) for id, source in documents.items()]
        actions.append(Action("index", name, "routed", {"body": "A routed text of its own."}, routing="r"))
        actions.append(Action("index", name, "textless", {"title": "no body"}))
        assert all(outcome.ok for outcome in bulk(cluster, actions, refresh="true"))
        return name

    @pytest.fixture
    def window(self, cluster, archive):
        score(cluster, archive)
        return cluster

    def test_only_the_marks_go(self, cluster, archive, beside):
        before = raw(cluster, archive)
        score(cluster, archive)
        unscored = {"body": "A text that came later.", "published": "2026-11-21T09:00:00Z"}
        cluster.request("PUT", f"/{archive}/_doc/later?refresh=true", body=unscored)
        marked = raw(cluster, archive)
        assert all("neardup" in source for id, (source, *_) in marked.items() if id != "later")
        code, lines, told = run(cluster)
        assert code == 2
        assert f"would remove the object neardup from {len(before)} documents of {archive}" in lines
        assert f"would delete index {cluster.address.state}" in lines
        assert not [line for line in lines if line.startswith(f"would delete index {archive}")]
        assert "the mapping of neardup" in told
        assert raw(cluster, archive) == marked
        others = stored(beside)
        code, lines, told = run(cluster, "--force")
        assert code == 0
        assert "the mapping of neardup" in told
        assert f"removed the object neardup from {len(before)} documents of {archive}" in lines
        after = raw(cluster, archive)
        assert after.pop("later") == marked.pop("later")
        assert {id: (source, routing) for id, (source, _, routing) in after.items()} == {
            id: (source, routing) for id, (source, _, routing) in before.items()
        }
        assert all(after[id][1] == marked[id][1] + 1 for id in before)
        assert {name for name in all_of(cluster) if cluster.address.prefix in name} == {f"index {archive}"}
        assert stored(beside) == others
        code, lines, told = run(cluster, "--force")
        assert (code, lines) == (3, [])
        assert f"{cluster.address}: there is nothing to remove" in told
        assert "neardup setup" not in told
        assert raw(cluster, archive) == after | {"later": marked_later(cluster, archive)}
        # And the index can be scored again.
        assert len(score(cluster, archive)) == 61

    @only_elasticsearch("fields of type dense_vector")
    def test_vectors_that_elasticsearch_leaves_out_of_its_answers_stay(self, cluster):
        name = f"{cluster.address.prefix}-vectors"
        fields = {**MAPPING["properties"], "vector": {"type": "dense_vector", "dims": 2}}
        cluster.request("PUT", f"/{name}", body={"mappings": {"properties": fields}})
        document = {"body": "A text with a vector.", "published": "2026-11-21T09:00:00Z", "vector": [1, 2]}
        cluster.request("PUT", f"/{name}/_doc/1?refresh=true", body=document)
        assert len(score(cluster, name)) == 1
        assert run(cluster, "--force")[0] == 0
        assert "neardup" not in raw(cluster, name)["1"][0]
        body = {"query": {"exists": {"field": "vector"}}}
        assert len(cluster.request("POST", f"/{name}/_search", body=body)["hits"]["hits"]) == 1

    def test_the_pipeline_of_the_user_does_not_run_again(self, cluster, archive, window):
        name = f"{cluster.address.pipeline}-own"
        cluster.request(
            "PUT", f"/_ingest/pipeline/{name}", body={"processors": [{"neardup": {"field": "body"}}]}
        )
        cluster.request("PUT", f"/{archive}/_settings", body={"index.default_pipeline": name})
        cluster.request("PUT", f"/{archive}/_doc/signed", body={"body": "A text that a pipeline signs."})
        assert run(cluster, "--force")[0] == 0
        signed = {id for id, (source, *_) in raw(cluster, archive).items() if "neardup" in source}
        assert signed == {"signed"}
        cluster.request("PUT", f"/{archive}/_settings", body={"index.default_pipeline": None})
        cluster.request("DELETE", f"/_ingest/pipeline/{name}")

    @pytest.mark.parametrize(
        ("setting", "words"),
        [
            ({"index.blocks.write": True}, "that takes writes"),
            ({"index.blocks.read_only_allow_delete": True}, "that takes writes"),
            ({"index.final_pipeline": "any"}, "without a final pipeline"),
        ],
    )
    def test_an_index_that_takes_no_writes_as_they_are_is_named(
        self, cluster, archive, window, setting, words
    ):
        before, everything = raw(cluster, archive), all_of(cluster)
        cluster.request("PUT", f"/{archive}/_settings", body=setting)
        code, lines, told = run(cluster, "--force")
        assert run(cluster, "--dry-run") == (code, lines, told)
        assert (code, lines) == (2, [])
        assert words in told
        assert archive in told
        assert (raw(cluster, archive), all_of(cluster)) == (before, everything)
        cluster.request("PUT", f"/{archive}/_settings", body=dict.fromkeys(setting))
        assert run(cluster, "--force")[0] == 0

    def test_a_closed_index_is_named(self, cluster, archive, window):
        everything = all_of(cluster)
        cluster.request("POST", f"/{archive}/_close")
        code, lines, told = run(cluster, "--force")
        assert (code, lines) == (2, [])
        assert f"POST {archive}/_open" in told
        assert all_of(cluster) == everything
        cluster.request("POST", f"/{archive}/_open")
        assert run(cluster, "--force")[0] == 0

    def test_an_interrupted_run_goes_on(self, cluster, archive, window):
        count, before = itertools.count(), raw(cluster, archive)

        def interrupted(*words: Any, **options: Any) -> Any:
            if next(count):
                raise KeyboardInterrupt
            return bulk_done(*words, **options)

        with (
            mock.patch.object(mark_removal, "bulk_done", interrupted),
            mock.patch.object(mark_removal, "_AT_ONCE", 7),
            pytest.raises(KeyboardInterrupt),
        ):
            list(remove(cluster))
        left = raw(cluster, archive)
        assert sum("neardup" in source for source, *_ in left.values()) == len(before) - 7
        state = read_state(cluster)
        assert state is not None
        assert (state.holder, state.is_being_removed) == (None, True)
        with pytest.raises(RemovalBegun):
            score(cluster, archive)
        assert raw(cluster, archive) == left
        assert sum(plan_removal(cluster).marks.values()) == len(before) - 7
        assert run(cluster, "--force")[0] == 0
        after = raw(cluster, archive)
        assert {id: source for id, (source, *_) in after.items()} == {
            id: without(source) for id, (source, *_) in before.items()
        }
        assert {after[id][1] - before[id][1] for id in before} == {1}

    def test_a_document_that_is_written_meanwhile_is_tried_again(self, cluster, archive, window):
        written: list[str] = []

        def late(*words: Any, **options: Any) -> Any:
            if not written:
                written.append(words[1][0].id)
                part = [Action("update", archive, written[0], {"added": True}, routing=words[1][0].routing)]
                assert all(outcome.ok for outcome in bulk(cluster, part))
                written.append(words[1][1].id)
                part = [Action("index", archive, written[1], {"new": 1}, routing=words[1][1].routing)]
                assert all(outcome.ok for outcome in bulk(cluster, part))
            return bulk_done(*words, **options)

        before = raw(cluster, archive)
        with mock.patch.object(mark_removal, "bulk_done", late):
            list(remove(cluster))
        after = {id: source for id, (source, *_) in raw(cluster, archive).items()}
        assert after.pop(written[0]) == {**without(before.pop(written[0])[0]), "added": True}
        assert (after.pop(written[1]), before.pop(written[1])[2]) == ({"new": 1}, None)
        assert after == {id: without(source) for id, (source, *_) in before.items()}

    def test_one_that_is_always_written_is_an_error_and_the_state_stays(self, cluster, archive, window):
        def always(*words: Any, **options: Any) -> Any:
            part = [Action("update", archive, words[1][0].id, {"n": 1}, routing=words[1][0].routing)]
            assert all(outcome.ok for outcome in bulk(cluster, part))
            return bulk_done(*words, **options)

        with (
            mock.patch.object(mark_removal, "bulk_done", always),
            pytest.raises(ClusterConflict, match="1 document changed in each"),
        ):
            list(remove(cluster))
        assert read_state(cluster) is not None
        assert run(cluster, "--force")[0] == 0

    def test_verdicts_of_others_and_what_users_keep_in_our_object_stay(self, cluster, archive, window):
        state = read_state(cluster)
        assert state is not None
        foreign = {"body": "x", "neardup": {"status": "unique", "order": state.commit.next_order}}
        own = {"body": "y", "neardup": {"status": "unscored", "of_user": 1}}
        for id, source in (("foreign", foreign), ("own", own)):
            cluster.request("PUT", f"/{archive}/_doc/{id}?refresh=true", body=source)
        code, lines, told = run(cluster)
        assert code == 2
        assert f"would remove the object neardup from 63 documents of {archive}" in lines
        assert f"verdicts in {archive} that no scorer of this window gave stay (1 document)" in told
        assert run(cluster, "--force")[0] == 0
        after = raw(cluster, archive)
        assert after["foreign"][:2] == (foreign, 1)
        assert after["own"][0] == {"body": "y", "neardup": {"of_user": 1}}

    def test_one_that_another_window_scores_too_is_refused(self, cluster, archive, window, new_cluster):
        other = new_cluster()
        with mock.patch("neardup.elastic.watch.in_place._check_unshared"):
            prepare(other, archive, Settings(), FIELDS)
        with open_elastic_window(
            str(other.address), credentials=other.credentials, archive=archive, window_hours=0
        ):
            pass
        cluster.request("POST", f"/{other.address.state}/_refresh")
        before = raw(cluster, archive)
        with pytest.raises(SettingsError, match=f"{other.address} does"):
            list(remove(cluster))
        assert raw(cluster, archive) == before

    def test_an_index_with_the_name_of_an_hour_is_never_deleted_for_its_window(self, cluster, new_cluster):
        own = cluster.address
        name = own.hourly(0)
        cluster.request("PUT", f"/{name}/_doc/1?refresh=true", body={"body": "A text.", "published": 1})
        prepare(new_cluster(), name, Settings(), FIELDS)  # another prefix: it maps neardup there
        with pytest.raises(NotSetUp):
            list(remove(cluster))
        assert raw(cluster, name)["1"][0] == {"body": "A text.", "published": 1}

    def test_changes_of_a_scorer_that_died_are_undone_first(self, cluster, archive, window):
        before = raw(cluster, archive)
        code = (
            "import sys, os; from neardup.elastic.window.opening import open_elastic_window\n"
            "from neardup.elastic.window import pending_writes\n"
            "from neardup.elastic.window.lease import Lease\n"
            "Lease.commit = lambda *_: os._exit(9)\n"
            f"window = open_elastic_window({str(cluster.address)!r})\n"
            f"window.delete_many({sorted(before)[:5]!r})\n"
        )
        done = subprocess.run([sys.executable, "-c", code], env=os.environ, check=False)
        assert done.returncode == 9
        assert len(raw(cluster, archive)) == len(before) - 5
        assert run(cluster, "--force")[0] == 0
        after = raw(cluster, archive)
        assert {id: source for id, (source, *_) in after.items()} == {
            id: without(source) for id, (source, *_) in before.items()
        }

    def test_an_index_that_is_called_as_an_hour_of_its_own_window_is_refused(self, cluster):
        name = cluster.address.hourly(0)
        cluster.request("PUT", f"/{name}/_doc/1?refresh=true", body={"body": "A text.", "published": 1})
        prepared = StateDocument(WindowConfig(Recipe(), "x").about(), {}, archive=name)
        cluster.request("PUT", f"/{cluster.address.state}/_doc/window", body=prepared.source())
        with pytest.raises(SettingsError, match="the next run could delete it"):
            list(remove(cluster))
        assert raw(cluster, name)["1"][0] == {"body": "A text.", "published": 1}

    def test_a_window_whose_index_was_deleted_goes(self, cluster, archive, window):
        cluster.request("DELETE", f"/{archive}")
        assert f"{archive}, which this window scores in place, does not exist" in run(cluster)[2]
        assert run(cluster, "--force")[0] == 0
        assert not {name for name in all_of(cluster) if cluster.address.prefix in name}


def marked_later(cluster, archive):
    return raw(cluster, archive)["later"]


def test_the_marks_in_a_data_stream_go(own_node):
    # A node of its own: this distribution can make a data stream, but not delete one.
    with fresh_prefix(own_node.url, patience=60) as window:
        name, documents = f"stream-{window.address.prefix}", in_order(stream(30))
        template = {"index_patterns": [name], "data_stream": {}, "priority": 900}
        window.request("PUT", f"/_index_template/{name}", body=template)
        for part in (documents[:15], documents[15:]):
            for each in part:
                source = {"@timestamp": "2026-11-21T09:00:00Z", "body": each["text"]}
                window.request("PUT", f"/{name}/_create/{each['id']}", body=source)
            window.request("POST", f"/{name}/_rollover")
        before = raw(window, name)
        score(window, name, Fields(text="body", time=("@timestamp",)))
        assert all("neardup" in source for source, *_ in raw(window, name).values())
        assert sum(step.verb == "remove" for step in remove(window)) == 2
        assert {id: source for id, (source, *_) in raw(window, name).items()} == {
            id: source for id, (source, *_) in before.items()
        }


def test_documents_that_wait_go_with_their_hours(cluster):
    made(cluster)
    put(cluster, in_order(stream(20))[:10])
    assert len(watched(cluster)) == 10
    put(cluster, in_order(stream(20))[10:])
    assert run(cluster, "--force")[0] == 0
    assert not {name for name in all_of(cluster) if cluster.address.prefix in name}
