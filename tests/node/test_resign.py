"""A window in a cluster is signed again by another recipe, while other clients write to it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

import orjson
import pytest
from testing.cli.invocation import invoke
from testing.node.clients import (
    check_marked,
    expected,
    in_order,
    made,
    marks,
    put,
    stream,
    unwanted,
    watched,
    watching,
)
from testing.node.killing import stored
from testing.node.prefix import fresh_prefix

from neardup.elastic.admin.hourly_indices import read_indices
from neardup.elastic.admin.managed_objects import window_config
from neardup.elastic.admin.setup import set_up
from neardup.elastic.watch.backlog import layout_at
from neardup.elastic.window import cluster_resign
from neardup.elastic.window.cluster_resign import resign_cluster
from neardup.elastic.window.codec import packed_bitmap
from neardup.elastic.window.composer import Composer
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.resigning_state import close_window
from neardup.elastic.window.signed_otherwise import SignedOtherwise
from neardup.elastic.window.state_document import read_state
from neardup.errors import ClusterRejected, SettingsError, SetupRefused, WindowResigning
from neardup.model.settings import Recipe
from neardup.signing.lexicon_sample import lexicon_of
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from neardup.model.verdict import Verdict

NEW = Recipe(reach=0.5)
TEXT = signer_for(NEW).text


def resigned(cluster, recipe=NEW, *, dry_run=False, **changes):
    return resign_cluster(
        str(cluster.address), recipe, changes, dry_run=dry_run, credentials=cluster.credentials
    )


def check_signed(cluster, recipe=NEW):
    """Every document has the signature that a client would give it now, and what a scorer keeps of it; all say so."""
    signer, state = signer_for(recipe), read_state(cluster)
    assert state is not None
    composer = Composer(Layout.of(cluster.address, window_config(state.about), None), signer)
    for _, id, source in stored(cluster):
        ours, batch = source["neardup"], signer.sign([source["text"].encode()])
        assert composer.signature(source["text"].encode()).items() <= ours.items(), id
        bitmap = packed_bitmap(batch.bitmaps[0, 1])
        assert (ours["sieve"], ours["normal_bytes"]) == (bitmap, len(batch.text(0))), id
    assert {(index.about or {}).get("recipe") for index in read_indices(cluster).hourly} == {signer.text}
    assert state.resigned_from is None


@pytest.fixture(params=["plugin", "client"])
def window(cluster, request):
    return made(cluster, sign=request.param)


def test_verdicts_stay_and_later_ones_are_as_if_it_had_always_been_signed_so(window):
    documents = in_order(stream(160))
    put(window, documents[:90])
    watched(window)
    before = marks(window)
    put(window, documents[90:100])  # signed, and not yet scored
    again = resigned(window)
    assert (again.indices, again.is_needed, again.is_begun) == (2, True, False)
    assert {id: mark for id, mark in marks(window).items() if mark} == before
    put(window, documents[100:])
    verdicts = watched(window)
    everything = expected(documents)
    assert verdicts == everything[90:]
    check_marked(window, documents, everything)
    check_signed(window)
    assert not resigned(window).is_needed
    assert set_up(window).changes == []


def test_a_window_that_scorers_search_is_found_by_its_new_sketches(window):
    documents = in_order(stream(160))
    put(window, documents[:100])
    watched(window)
    resigned(window)
    put(window, documents[100:])
    verdicts = watched(window, settings={"candidates": "search", "threshold": 0.5})
    before = expected(documents[:100])
    assert [verdict.id for verdict in verdicts] == [each["id"] for each in documents[100:]]
    with open_elastic_window(str(window.address), readonly=True) as opened:
        for verdict in before:
            assert verdict.status == "unique" or opened.query(id=verdict.id).is_copy


def test_hours_of_both_forms_are_found_by_their_new_sketches(cluster):
    """Half of each form; then scorers find in each what they would have found, had it always been signed so."""
    documents = in_order(stream(120, hours=4))
    for terms, part in ((True, documents[:30]), (False, documents[30:70])):
        made(cluster, sign="plugin", terms=terms)
        put(cluster, part)
        watched(cluster)
    described = {index.name: (index.about or {})["terms"] for index in read_indices(cluster).hourly}
    assert set(described.values()) == {True, False}
    resigned(cluster)
    after = {index.name: (index.about or {})["terms"] for index in read_indices(cluster).hourly}
    assert after == described
    check_signed(cluster)
    put(cluster, documents[70:])
    assert watched(cluster, settings={"candidates": "search"}) == expected(documents)[70:]
    for terms in described.values():
        hour = next(name for name, has_terms in described.items() if has_terms == terms)
        query = {"query": {"neardup_sketch": {"sketches": ["AQAAAA=="], "at_least": [1]}}}
        hits = cluster.request("POST", f"/{hour}/_search", body=query)["hits"]["hits"]
        assert hits == [], "nobody is without a sketch of the form of the hour"


def test_what_the_cluster_ingests_is_signed_again_too(cluster):
    documents = in_order(stream(120))
    with open_elastic_window(str(cluster.address)) as opened:
        first = list(opened.ingest(documents[:80]))
        resigned(cluster)
        with pytest.raises(WindowResigning, match=r"was signed again by recipe .* open it again"):
            list(opened.ingest(documents[80:]))
    check_signed(cluster)
    with open_elastic_window(str(cluster.address)) as opened:
        assert first + list(opened.ingest(documents[80:])) == expected(documents)


def test_an_hour_that_is_deleted_meanwhile_is_passed_over(window):
    """As a lifecycle policy deletes one: the run ended, and let neither scorers nor readers on."""
    put(window, in_order(stream(60)))
    watched(window)
    first, *others = sorted(index.name for index in read_indices(window).hourly)
    assert others

    def deleting(*arguments):
        close_window(*arguments)
        window.request("DELETE", f"/{first}")

    with mock.patch.object(cluster_resign, "close_window", deleting):
        resigned(window)
    check_signed(window)


def test_a_run_that_ended_half_way_closes_the_window_and_is_gone_on_with(window, caplog):
    documents = in_order(stream(120))
    put(window, documents[:80])
    watched(window)
    whole = SignedOtherwise.sign
    targets: list[str] = []

    def one_index(self, target):
        if targets:
            raise KeyboardInterrupt
        targets.append(target)
        return whole(self, target)

    with mock.patch.object(SignedOtherwise, "sign", one_index), pytest.raises(KeyboardInterrupt):
        resigned(window)
    told = f"{window.address} stays closed to scorers and readers until it is signed: run the same command to go on"
    assert told in caplog.messages
    put(window, documents[80:])  # other clients write on
    for readonly in (False, True):
        with pytest.raises(WindowResigning, match=r"neardup resign --window http.* --force` continues it"):
            open_elastic_window(str(window.address), readonly=readonly)
    again = resigned(window, None)  # the recipe that it was begun with
    assert (again.is_begun, again.recipe) == (True, TEXT)
    assert watched(window) == expected(documents)[80:]
    check_signed(window)


def test_the_doctor_says_of_a_run_that_ended_half_way_only_that(window):
    """Of hours that wait for the new recipe it said that they cannot be opened, and told to ingest them anew."""
    put(window, in_order(stream(60)))
    watched(window)
    hours = len(read_indices(window).hourly)
    with (
        mock.patch.object(SignedOtherwise, "sign", side_effect=[1, KeyboardInterrupt]),
        pytest.raises(KeyboardInterrupt),
    ):
        resigned(window)
    told = invoke("doctor", "--window", window.address, "--format", "jsonl")
    (finding,) = [each for each in map(orjson.loads, told.stdout.splitlines()) if each["state"] == "bad"]
    assert finding["what"] == f"state of {window.address.prefix}"
    assert f"; {hours - 1} of {hours} indices of hours are not signed yet" in finding["found"]
    assert f"`neardup resign --window {window.address} --force` continues it" in finding["found"]
    assert "neardup setup" not in told.stdout


def test_setup_of_a_run_that_ended_half_way_is_refused_with_the_way_on(window):
    """It said that hours were signed by another recipe, and to sign them again or to leave out options."""
    put(window, in_order(stream(60)))
    watched(window)
    with (
        mock.patch.object(SignedOtherwise, "sign", side_effect=[1, KeyboardInterrupt]),
        pytest.raises(KeyboardInterrupt),
    ):
        resigned(window)
    for options in ([], ["--dry-run"], ["--reach", "0.5"]):
        told = invoke("setup", "--window", window.address, *options)
        assert told.exit_code != 0
        assert f"is being signed again by recipe {TEXT}" in told.stderr


@pytest.mark.parametrize("ended", [False, True], ids=["whole", "half-way"])
def test_an_hour_whose_meta_another_client_wrote_is_described_when_it_is_signed(window, ended):
    """resign sent to setup, which sent back to resign where a run had ended half-way: there was no way on."""
    put(window, in_order(stream(60)))
    watched(window)
    before = {index.name: index.about for index in read_indices(window).hourly}
    if ended:
        with (
            mock.patch.object(SignedOtherwise, "sign", side_effect=[1, KeyboardInterrupt]),
            pytest.raises(KeyboardInterrupt),
        ):
            resigned(window)
    window.request("PUT", f"/{window.address.pattern}/_mapping", body={"_meta": {"owner": "us"}})
    resigned(window, None if ended else NEW)
    check_signed(window)
    for index in read_indices(window).hourly:
        assert index.about == {**(before[index.name] or {}), "recipe": TEXT, "reach": NEW.reach}
        assert index.meta["owner"] == "us"
    assert set_up(window).changes == []


def test_an_hour_that_is_made_before_the_templates_change_is_signed_too(window):
    documents = in_order(stream(60))
    put(window, documents[:20])
    watched(window)
    hours = len(read_indices(window).hourly)

    def closing(*arguments):
        put(window, documents[20:])
        close_window(*arguments)

    with mock.patch.object(cluster_resign, "close_window", closing):
        resigned(window)
    assert len(read_indices(window).hourly) > hours
    assert watched(window) == expected(documents)[20:]
    check_signed(window)


def test_a_document_that_only_its_routing_reaches_is_signed_too(cluster):
    made(cluster, sign="plugin")
    index = cluster.address.hourly(498_681)
    cluster.request("PUT", f"/{index}", body={"settings": {"number_of_shards": 3}})
    for i in range(6):
        fields = {"text": f"Rain at noon, said {i}.", "@timestamp": "2026-11-21T09:00:00Z"}
        cluster.request("PUT", f"/{index}/_doc/{i}", params={"routing": f"r{i}"}, body=fields)
    otherwise = SignedOtherwise(cluster, layout_at(cluster), signer_for(NEW))
    assert otherwise.sign(index) == 6
    assert otherwise.count() == 0


def test_a_watcher_waits_and_goes_on_by_the_new_recipe(window):
    documents = in_order(stream(100))
    put(window, documents[:60])
    seen: list[Verdict] = []

    def sleep(_):
        """Signs the window again when all has been scored; the watcher finds that out by itself."""
        if len(seen) == 60 and not resigns:
            resigns.append(resigned(window))
            put(window, documents[60:])

    resigns: list[object] = []
    watcher = watching(window, once=False, poll=0.01)
    for verdict in watcher.verdicts(on_reject=unwanted, stopped=lambda: len(seen) == 100, sleep=sleep):
        seen.append(verdict)  # noqa: PERF402 - it is looked at meanwhile
    assert seen == expected(documents)
    check_signed(window)


def test_what_cannot_be_is_refused_and_nothing_is_changed(window):
    put(window, stream(20))
    watched(window)
    before, state = stored(window), read_state(window)
    with pytest.raises(SettingsError, match=r"q .*copy the documents"):
        resigned(window, Recipe(q=5))
    with pytest.raises(SettingsError, match="a file on this machine"):
        resigned(window, None, salt="no such file")
    assert resigned(window, dry_run=True).documents == 20
    name = read_indices(window).hourly[0].name
    window.request("PUT", f"/{name}/_settings", body={"index.blocks.write": True})
    for dry_run in (True, False):
        with pytest.raises(SetupRefused, match=f"index {name} is read-only"):
            resigned(window, dry_run=dry_run)
    assert (stored(window), read_state(window)) == (before, state)
    assert set_up(window).changes == []


def test_a_dry_run_says_that_nodes_lack_a_file(window, tmp_path):
    """It said what would be signed by it, and the run with --force ended."""
    put(window, stream(5))
    watched(window)
    own = tmp_path / "nowhere.lexicon"
    lexicon_of(["Rain at noon."], name="nowhere").save(own)
    if layout_at(window).client_signs:
        assert resigned(window, None, lexicon=str(own), dry_run=True).documents == 5
        return
    with pytest.raises(ClusterRejected, match=r"nowhere\.lexicon: copy the lexicon there"):
        resigned(window, None, lexicon=str(own), dry_run=True)


def test_the_command_says_what_it_would_do_and_does_it(window, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    put(window, stream(30))
    watched(window)

    def run(*words):
        done = invoke("resign", "--window", window.address, *words)
        assert done.exit_code == 0, done.output
        return done.stderr

    assert "nothing to do" in run()
    said = run("--reach", "0.5")
    assert "30 documents in 2 indices to be signed again" in said
    assert "would take about 0 s with 4 KB a document, and longer with longer ones; scorers" in said
    assert "nothing was changed: --force does it" in said
    said = run("--reach", "0.5", "--force")
    assert "signed again by neardup-2:" in said
    assert "documents signed" in said
    check_signed(window)
    assert "nothing to do" in run("--reach", "0.5")


def test_without_a_plugin_on_the_nodes_all_is_the_same(bare_node):
    with fresh_prefix(bare_node.url, patience=60) as cluster:
        window, documents = made(cluster), in_order(stream(60))
        put(window, documents[:40])
        watched(window)
        resigned(window)
        put(window, documents[40:])
        assert watched(window) == expected(documents)[40:]
        check_signed(window)
