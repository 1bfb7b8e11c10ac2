"""Setting up a window on a real node, and what it does for clients that know nothing of neardup."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import orjson
import pytest
from testing.cli.invocation import invoke
from testing.node.library import stored_signature
from testing.node.servers import only_elasticsearch

from neardup import sign
from neardup.elastic.admin.checks import examine
from neardup.elastic.admin.cluster_snapshot import take_snapshot
from neardup.elastic.admin.hourly_indices import read_indices
from neardup.elastic.admin.rollover import roll_over
from neardup.elastic.admin.setup import apply, plan, set_up
from neardup.elastic.http.address import Address
from neardup.elastic.http.admin_api import put_object
from neardup.elastic.http.api import delete_doc, put_doc
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.compact import short_names
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.state_document import read_state
from neardup.elastic.window.state_recovery import describe
from neardup.errors import (
    ClusterRejected,
    NotSetUp,
    RecipeMismatch,
    SettingsError,
    SetupRefused,
    WindowDamaged,
)
from neardup.model.document import Document
from neardup.model.hours import LAST_NAMED
from neardup.model.settings import HOUR_MS, Recipe, Settings
from neardup.signing.signer import signer_for
from neardup.tables.lexicon import LexiconBuilder

HOUR = 498681
TEXTS = [
    "A rose is a rose is a rose.",
    "Die Fähre legte spät ab.",
    "東京は今日も晴れ。",
    "🌧️ rain 🌧️",
    "abc",
    "",
]
ROSE = {"neardup": {"like": {"text": TEXTS[0]}}}
"""What finds the first of them by its q-grams."""


def run(*words):
    done = invoke(*words)
    return done.exit_code, done.stdout.splitlines(), done.stderr


def everything(cluster):
    """All that setting up could change, as the cluster tells it."""
    found = take_snapshot(cluster)
    return found._replace(nodes=[], other_templates=[])


def get(cluster, index, id):
    return cluster.request("GET", f"/{index}/_doc/{id}")["_source"]


def count(cluster, index, query):
    return cluster.request("POST", f"/{index}/_count", body={"query": query})["count"]


def test_setting_up_twice_changes_nothing(cluster):
    made = set_up(cluster)
    assert made.config.signed_by == "plugin"
    assert f"make index template {cluster.address.template}" in [change.words for change in made.changes]
    before = everything(cluster)
    assert set_up(cluster).changes == []
    assert everything(cluster) == before


def test_a_dry_run_changes_nothing(cluster):
    before = everything(cluster)
    assert set_up(cluster, dry_run=True).changes
    assert everything(cluster) == before


def test_the_command_makes_a_damaged_state_anew(cluster, monkeypatch, tmp_path):
    """It ended with an error that said to run it."""
    monkeypatch.chdir(tmp_path)
    url = cluster.address
    run("setup", "--window", url)
    put_doc(cluster, url.state, "window", {"format": 1})
    assert run("stats", "--window", url)[0] == 3
    assert run("setup", "--window", url)[0] == 0
    assert run("stats", "--window", url)[0] == 0


@pytest.mark.parametrize("lost", ["state", "settings"])
def test_stats_do_not_claim_one_threshold_after_the_settings_were_lost(cluster, caplog, lost):
    """The verdicts by 0.9 stayed, the window had 0.7, and all were said to have been made with one threshold."""
    url, texts = cluster.address, [f"{TEXTS[0]} {'The ferry ran aground at dawn. ' * 3}", TEXTS[1]]
    documents = [Document(str(i), text, HOUR * HOUR_MS) for i, text in enumerate(texts)]
    with open_elastic_window(str(url), threshold="0.9", window_hours=0) as window:
        list(window.ingest(documents[:1]))
    if lost == "state":
        delete_doc(cluster, url.state, "window")
    else:
        state = read_state(cluster)
        assert state is not None
        put_doc(cluster, url.state, "window", state.source() | {"settings": {"threshold": "x"}})
    assert run("setup", "--window", url)[0] == 0
    assert "are not known; from now on it has threshold 0.7, retrieval sketch, policy mark" in caplog.text
    unknown = {name: ["unknown"] for name in ("threshold", "retrieval", "policy", "partial")}
    with open_elastic_window(str(url)) as window:
        assert (window.stats().threshold, window.stats().mixed) == ("0.7", unknown)
        list(window.ingest(documents[1:]))
        assert window.stats().mixed == unknown
    assert "some verdicts were made with threshold unknown" in "".join(run("stats", "--window", url)[1])
    assert run("reconcile", "--window", url, "--threshold", "0.9")[0] == 0
    with open_elastic_window(str(url), readonly=True) as window:
        assert (window.stats().threshold, window.stats().mixed) == ("0.9", {})
    assert run("setup", "--window", url)[:2] == (0, ["nothing to do"])


def test_the_command_says_that_it_makes_a_lost_state(cluster, monkeypatch, tmp_path):
    """It said that there was nothing to do, and made one."""
    monkeypatch.chdir(tmp_path)
    url, document = cluster.address, f"{cluster.address.state}/window"
    run("setup", "--window", url)
    assert run("setup", "--window", url, "--dry-run")[1] == ["nothing to do"]
    delete_doc(cluster, url.state, "window")
    assert run("setup", "--window", url, "--dry-run")[1] == [f"would make state document {document}"]
    put_doc(cluster, url.state, "window", {"format": 1})
    assert run("setup", "--window", url)[1] == [f"make state document {document}"]
    assert run("setup", "--window", url)[1] == ["nothing to do"]


@pytest.mark.parametrize("damage", ["all", "settings"])
@pytest.mark.parametrize("has_templates", [True, False])
def test_the_command_makes_a_damaged_state_anew_with_other_hours(
    cluster, monkeypatch, tmp_path, damage, has_templates
):
    """It ended with an error that said to run it; with hours in neardup.toml there was no way out."""
    monkeypatch.chdir(tmp_path)
    url = cluster.address
    run("setup", "--window", url, "--window-hours", "24")
    state = read_state(cluster)
    assert state is not None
    settings = {"threshold": "x"}
    put_doc(
        cluster, url.state, "window",
        {"format": 1} if damage == "all" else replace(state, settings=settings).source(),
    )  # fmt: skip
    if not has_templates:
        for name in (url.template, url.copies_template):
            cluster.request("DELETE", f"/_index_template/{name}")
    (tmp_path / "neardup.toml").write_text("keep_hours = 30\n")
    assert run("stats", "--window", url)[0] == 3
    assert run("setup", "--window", url)[0] == 0
    code, (out, *_), _ = run("stats", "--window", url, "--format", "jsonl")
    assert (code, orjson.loads(out)["keep_hours"]) == (0, 30)


def test_the_command_says_what_it_does(cluster, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    url = cluster.address
    code, lines, _ = run("setup", "--window", url, "--dry-run")
    assert code == 0
    assert f"would make index template neardup-{url.prefix}" in lines
    code, lines, messages = run("setup", "--window", url)
    assert (code, lines[-1]) == (0, f"make index {url.state}")
    assert "neardup rollover" in messages  # the test node has no lifecycle management
    first = (
        f"there is no index yet: before clients write to the name {url.prefix}, start `neardup watch` or run"
    )
    assert first in messages.splitlines()[-1]
    _, lines, messages = run("setup", "--window", url)
    assert (lines, first in messages) == (["nothing to do"], True)
    code, lines, _ = run("setup", "--window", url, "--window-hours", 48)
    assert "    template.mappings._meta.neardup.window_hours: 24 -> 48" in lines
    code, lines, _ = run("rollover", "--window", url, "--now", "2026-11-21T09:30:00Z")
    assert (code, lines) == (
        0,
        [
            f"made index {url.prefix}-2026.11.21-09",
            f"made index {url.prefix}-2026.11.21-10",
            f"alias {url.prefix} writes to {url.prefix}-2026.11.21-09",
        ],
    )
    assert run("rollover", "--window", url, "--now", "2026-11-21T09:59:59Z")[1] == ["nothing to do"]
    assert "there is no index yet" not in run("setup", "--window", url)[2]
    code, _, messages = run("setup", "--window", url, "--q", 5)
    assert code == 3
    assert f"index {url.prefix}-2026.11.21-09 was signed by recipe" in messages


def test_a_run_that_fails_half_way_says_what_it_has_made(cluster):
    """Nothing was said of what was there then."""
    whole = run("setup", "--window", str(cluster.address), "--dry-run")[1]

    def failing(cluster, path, body):
        if path.startswith("/_index_template"):
            raise ClusterRejected(cluster.url, f"PUT {path}", 400, "policy_exception", "not here")
        return put_object(cluster, path, body)

    with mock.patch("neardup.elastic.admin.setup.put_object", failing):
        code, made, error = run("setup", "--window", str(cluster.address))
    assert (code, "not here" in error) == (3, True)
    assert any(line.startswith("make ingest pipeline") for line in made)
    assert [f"would {line}" for line in made] == whole[: len(made)]
    assert run("setup", "--window", str(cluster.address))[1] == [
        line.removeprefix("would ") for line in whole[len(made) :]
    ]


def test_reading_sets_up_nothing(cluster):
    with pytest.raises(NotSetUp, match="no window is set up here; `neardup setup --window"):
        open_elastic_window(str(cluster.address), credentials=cluster.credentials, readonly=True)


def test_it_remembers_hours_and_lets_documents_go_only_by_force(cluster, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    url, credentials = cluster.address, cluster.credentials
    messages = run("setup", "--window", url, "--keep-hours", 720)[2]
    assert (
        "compares 24 h; `neardup ingest` and `neardup watch` delete hours 720 h behind the newest document, "
        "`neardup expire` hours 720 h behind the clock (--keep-hours)" in messages
    )
    documents = [
        Document(f"{hour}", f"Rain in hour {hour}.", HOUR * 3_600 + hour * 3_600) for hour in range(3)
    ]
    with open_elastic_window(str(url), credentials=credentials) as window:
        assert window.settings.keep_hours == 720
        list(window.ingest(documents))
    cluster.request("POST", f"/{url.pattern}/_refresh")
    words = ("setup", "--window", url, "--window-hours", 1, "--keep-hours", 1)
    code, _, messages = run(*words)
    assert (code, "keeps 1 document in 1 hour" in messages) == (2, True)
    assert run(*words, "--force")[0] == 0
    with open_elastic_window(str(url), credentials=credentials) as window:
        assert (window.settings.window_hours, window.settings.keep_hours) == (1, 1)


def test_a_policy_that_deletes_too_early_is_told(cluster, caplog):
    set_up(cluster, window_hours=24)
    open_elastic_window(str(cluster.address), credentials=cluster.credentials, keep_hours=720).close()
    assert "deletes indices 49 h after they were made, although 720 hours are to be kept" in caplog.text
    assert "neardup setup --keep-hours 720 changes it" in caplog.text


def test_bare_documents_of_other_clients_are_signed_as_python_signs(cluster):
    set_up(cluster)
    own = cluster.address
    roll_over(cluster, HOUR * HOUR_MS)
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(TEXTS):
        name = own.alias if number % 2 else own.hourly(HOUR + 5)
        lines += [
            {"create": {"_index": name, "_id": str(number)}},
            {"text": text, "@timestamp": "2026-11-21T09:30:00Z"},
        ]
    answer = cluster.request("POST", "/_bulk", params={"refresh": "true"}, body=lines)
    assert not answer["errors"]
    for number, text in enumerate(TEXTS):
        name = own.hourly(HOUR) if number % 2 else own.hourly(HOUR + 5)
        found = get(cluster, name, number)
        assert found["neardup"] == stored_signature(text)
        assert found["text"] == text
    assert count(cluster, own.alias, ROSE) == 1


def test_the_settings_shape_the_signatures(cluster):
    recipe = Recipe(q=3, fold_case=True, simhash_variants=2, sketch_size=16, reach=0.5)
    set_up(cluster, recipe=recipe, text_field="page.body", time_field="when", max_length=100)
    name = cluster.address.hourly(HOUR)
    source = {"page": {"body": TEXTS[0], "title": "Rose"}, "when": "2026-11-21"}
    sources: dict[str, dict[str, Any]] = {"a": source, "b": {"page": {"body": "x" * 101}}, "c": {"n": 1}}
    bulk(cluster, [Action("create", name, id, source) for id, source in sources.items()])
    assert get(cluster, name, "a")["neardup"] == stored_signature(TEXTS[0], recipe)
    assert get(cluster, name, "b")["neardup"] == {"recipe": signer_for(recipe).text, "unsigned": "too_long"}
    assert get(cluster, name, "c") == {"n": 1}


def test_fields_of_the_users_are_mapped_as_they_wish(cluster):
    """Their own component template comes after ours; without it their fields are mapped as anywhere."""
    own = cluster.address
    custom = {"template": {"mappings": {"properties": {"text": {"type": "text", "analyzer": "simple"}}}}}
    cluster.request("PUT", f"/_component_template/{own.prefix}@custom", body=custom)
    set_up(cluster)
    name = own.hourly(HOUR)
    source = {"text": "Rain.", "source": "wire", "words": 1, "neardup": {"foreign": {"deep": 1}}}
    bulk(cluster, [Action("create", name, "a", source)])
    mapped = cluster.request("GET", f"/{name}/_mapping")[name]["mappings"]["properties"]
    assert mapped["text"] == {"type": "text", "analyzer": "simple"}
    assert mapped["source"]["type"] == "text"
    assert mapped["words"] == {"type": "long"}
    assert "foreign" not in mapped["neardup"]["properties"]
    assert set_up(cluster).changes == []


@only_elasticsearch("index.mapping.ignore_above")
def test_ids_are_found_where_an_index_leaves_out_long_keywords(cluster):
    custom = {"template": {"settings": {"index.mapping.ignore_above": 20}}}
    cluster.request("PUT", f"/_component_template/{cluster.address.custom}", body=custom)
    first, copy = (f"https://news.example/{'a' * 40}/{n}" for n in range(2))
    documents = [Document(id, text, HOUR * 3_600) for id, text in ((first, "abc"), (copy, "a, b: c!"))]
    at, options = str(cluster.address), {"credentials": cluster.credentials, "candidates": "search"}
    with open_elastic_window(at, **options) as window:
        assert [verdict.duplicate_of for verdict in window.ingest(documents[:1])] == [None]
    with open_elastic_window(at, **options) as window:
        assert [verdict.duplicate_of for verdict in window.ingest(documents)] == [None, first]
    cluster.request("POST", f"/{cluster.address.pattern}/_refresh")
    for field, values in (("identity", [first, copy]), ("group", [first, first]), ("duplicate_of", [first])):
        for value in set(values):
            query = {"term": {f"neardup.{field}": {"value": value}}}
            assert count(cluster, cluster.address.pattern, query) == values.count(value)


@pytest.mark.parametrize(
    "mapped", [{"type": "keyword"}, {"type": "nested"}], ids=lambda mapped: mapped["type"]
)
def test_a_component_template_that_maps_neardup_otherwise_is_told_with_what_to_do(cluster, mapped):
    if cluster.product == "elasticsearch":
        pytest.skip("the mapping of the window wins there")
    custom = {"template": {"mappings": {"properties": {"neardup": mapped}}}}
    cluster.request("PUT", f"/_component_template/{cluster.address.custom}", body=custom)
    with pytest.raises(ClusterRejected, match=r"; the component template PREFIX@custom .* remove it there"):
        set_up(cluster)


def test_qgrams_and_marks_survive_updates_of_other_clients(cluster):
    set_up(cluster)
    name = cluster.address.hourly(HOUR)
    bulk(cluster, [Action("create", name, "a", {"text": TEXTS[0]})])
    bulk(cluster, [Action("update", name, "a", {"neardup": {"status": "unique"}})])
    bulk(cluster, [Action("update", name, "a", {"views": 7})], refresh="true")
    assert get(cluster, name, "a")["neardup"] == {**stored_signature(TEXTS[0]), "status": "unique"}
    for query in (ROSE, {"term": {"neardup.status": {"value": "unique"}}}):
        assert count(cluster, name, query) == 1


def test_every_part_of_a_signature_is_found_by_its_terms(cluster):
    set_up(cluster, terms=True)
    name = cluster.address.hourly(HOUR)
    bulk(cluster, [Action("create", name, "a", {"text": TEXTS[0]})], refresh="true")
    signature = sign(TEXTS[0])
    terms = {
        "fingerprint": signature.fingerprint,
        "simhash": signature.simhash[0],
        "simhash_bands": signature.simhash_bands[3],
        "sentences": signature.sentences[0],
        "sketch": short_names([int(signature.sketch[-1], 16)])[0],
    }
    for field, value in terms.items():
        assert count(cluster, name, {"term": {f"neardup.{field}": {"value": value}}}) == 1, field
    assert [count(cluster, name, {"term": {"neardup.qgrams": gram}}) for gram in signature.qgrams] == [
        1 for _ in signature.qgrams
    ]


def test_without_lossless_no_qgrams_are_kept_and_who_asks_for_them_is_told(cluster):
    set_up(cluster, sign="plugin", lossless=False)
    assert set_up(cluster).changes == []
    name = cluster.address.hourly(HOUR)
    bulk(cluster, [Action("create", name, "a", {"text": TEXTS[0]})], refresh="true")
    wanted = stored_signature(TEXTS[0])
    del wanted["qgrams"], wanted["qgram_bitmap"]
    assert get(cluster, name, "a")["neardup"] == wanted
    with pytest.raises(SetupRefused, match="--no-lossless"):
        set_up(cluster, lossless=True)
    query = {"query": {"neardup": {"like": {"text": TEXTS[0]}}}}
    with pytest.raises(ClusterRejected, match=r"\(without --no-lossless\).* only the command neardup query"):
        cluster.request("POST", f"/{name}/_search", body=query)
    with open_elastic_window(str(cluster.address), window_hours=0) as window:
        (verdict,) = window.ingest([Document("b", TEXTS[0], HOUR * 3_600_000)])
        assert verdict.status == "unique"  # nobody has scored the other one
        assert [match.id for match in window.query(TEXTS[0]).matches] == ["b"]
    with (
        open_elastic_window(str(cluster.address), readonly=True, retrieval="complete") as window,
        pytest.raises(SettingsError, match="neardup setup --no-lossless"),
    ):
        window.query(TEXTS[0])


@pytest.mark.parametrize("sign", ["plugin", "client"])
def test_without_qgrams_candidates_are_not_searched_for_by_them(cluster, sign):
    set_up(cluster, sign=sign, lossless=False)
    documents = [Document(id, TEXTS[0], HOUR * 3_600_000) for id in "ab"]
    searching = Settings(candidates="search", window_hours=0)
    for _ in range(2):  # new, and then not
        with pytest.raises(SettingsError, match="neardup setup --no-lossless"):
            open_elastic_window(str(cluster.address), settings=searching, retrieval="complete")
        with open_elastic_window(str(cluster.address), settings=searching) as window:
            assert [verdict.status for verdict in window.ingest(documents)] == ["unique", "exact"]


def test_without_words_copies_are_marked_and_who_asks_for_what_is_made_of_them_is_told(cluster):
    set_up(cluster, sign="plugin", words=False)
    assert set_up(cluster).changes == []
    name = cluster.address.hourly(HOUR)
    bulk(cluster, [Action("create", name, "a", {"text": TEXTS[0]})], refresh="true")
    wanted = stored_signature(TEXTS[0])
    of_words = [wanted.pop(field) for field in ("sentences", "simhash", "simhash_bands")]
    assert get(cluster, name, "a")["neardup"] == wanted
    with pytest.raises(SetupRefused, match="--no-words"):
        set_up(cluster, words=True)
    with pytest.raises(ClusterRejected, match=r"neardup\.simhash"):
        count(cluster, name, {"term": {"neardup.simhash": of_words[1]}})
    with open_elastic_window(str(cluster.address), window_hours=0) as window:
        documents = [Document(id, TEXTS[0], HOUR * 3_600_000) for id in "bc"]
        assert [verdict.status for verdict in window.ingest(documents)] == ["unique", "exact"]
        with pytest.raises(SettingsError, match="neardup setup --no-words"):
            window.query(TEXTS[0], partial=True)
    assert get(cluster, name, "b")["neardup"].keys().isdisjoint({"sentences", "simhash", "simhash_bands"})
    with open_elastic_window(str(cluster.address), readonly=True) as window:
        assert [match.id for match in window.query(TEXTS[0]).matches] == ["b", "c"]
    for asked in ({"partial": True}, {"routes": ("simhash",)}):
        with pytest.raises(SettingsError, match="neardup setup --no-words"):
            open_elastic_window(str(cluster.address), **asked)


def test_new_hours_can_have_qgrams_in_another_form_and_the_query_searches_all(cluster):
    set_up(cluster, sign="plugin", terms=True)
    hours = [cluster.address.hourly(hour) for hour in range(HOUR, HOUR + 4)]
    bulk(cluster, [Action("create", hours[0], "a", {"text": TEXTS[0]})])
    assert set_up(cluster).config.terms  # a window with documents keeps what it has
    set_up(cluster, terms=False)
    bulk(cluster, [Action("create", hours[at], f"b{at}", {"text": TEXTS[0]}) for at in (0, 1)])
    assert get(cluster, hours[1], "b1")["neardup"] == stored_signature(TEXTS[0])
    notes = set_up(cluster, sign="client").notes
    assert any(f"the signatures in {hours[1]} are not indexed as terms" in note for note in notes)
    with open_elastic_window(str(cluster.address), window_hours=0) as window:
        list(window.ingest([Document(f"c{at}", TEXTS[0], (HOUR + at) * 3_600_000) for at in (0, 1, 2)]))
    set_up(cluster, sign="plugin", terms=False)
    bulk(
        cluster,
        [Action("create", hours[at], f"d{at}", {"text": TEXTS[0]}) for at in range(4)],
        refresh="true",
    )
    query = {"query": {"neardup": {"like": {"_index": hours[0], "_id": "a"}}}, "size": 20}
    hits = cluster.request("POST", f"/{cluster.address.pattern}/_search", body=query)["hits"]["hits"]
    assert {hit["_score"] for hit in hits} == {1.0}
    assert {hit["_id"] for hit in hits} == {"b0", "b1", "c0", "c1", "c2", "d0", "d1", "d2", "d3"}
    with open_elastic_window(str(cluster.address), readonly=True, retrieval="complete") as window:
        assert {match.id for match in window.query(TEXTS[0]).matches} == {"c0", "c1", "c2"}  # those scored
        with (
            mock.patch("neardup.elastic.window.query_dsl.copies_of", return_value={"no_such_query": {}}),
            pytest.raises(ClusterRejected, match=r"Cannot search on field \[neardup.qgrams\]"),
        ):
            window.query(TEXTS[0])


@pytest.mark.parametrize("later", [{"terms": True}, {"sign": "client"}], ids=str)
def test_a_mark_leaves_no_bitmap_of_another_text(cluster, later):
    """Other clients change a text by an update, which no pipeline sees, and its scorer writes no bitmaps any more."""
    set_up(cluster, sign="plugin")
    name = cluster.address.hourly(HOUR)
    texts = [
        "The ferry ran aground at dawn, and nobody was hurt.",
        "Rain fell on the hills for all of nine days.",
    ]
    bulk(cluster, [Action("create", name, str(at), {"text": text}) for at, text in enumerate(texts)])
    bulk(cluster, [Action("update", name, "0", {"text": texts[1]})])
    set_up(cluster, **later)
    describe(str(cluster.address), credentials=cluster.credentials)
    assert run("watch", "--window", cluster.address, "--once", "--window-hours", 0)[0] == 0
    query = {"query": {"neardup": {"like": {"text": texts[1]}}}}
    cluster.request("POST", f"/{name}/_refresh")
    hits = cluster.request("POST", f"/{name}/_search", body=query)["hits"]["hits"]
    assert {hit["_id"] for hit in hits} == {"0", "1"}


def test_qgrams_are_terms_where_the_client_signs(cluster):
    with pytest.raises(SettingsError, match="terms"):
        set_up(cluster, sign="client", terms=False)
    assert set_up(cluster, sign="client").config.terms
    assert set_up(cluster, sign="plugin").config.terms  # what is not given stays, though there is no document
    assert not set_up(cluster, terms=False).config.terms
    assert not set_up(cluster).config.terms


def test_a_window_made_before_compact_fields_goes_on_with_lists(cluster):
    config = set_up(cluster, sign="plugin", dry_run=True).config
    config = replace(config, compact=False, terms=True)
    apply(cluster, plan(cluster.address, config, take_snapshot(cluster)))
    name = cluster.address.hourly(HOUR)
    documents = [Document(str(i), text, HOUR * 3_600_000) for i, text in enumerate([*TEXTS, *TEXTS])]
    with open_elastic_window(str(cluster.address), window_hours=0) as window:
        first = list(window.ingest(documents[: len(TEXTS)]))
    assert get(cluster, name, "0")["neardup"]["qgrams"] == list(sign(TEXTS[0]).qgrams)
    assert not any(
        "index" in change.words or "template" in change.words for change in set_up(cluster).changes
    )
    with open_elastic_window(str(cluster.address)) as window:
        second = list(window.ingest(documents[len(TEXTS) :]))
        assert [verdict.duplicate_of for verdict in second] == [
            verdict.id if verdict.status == "unique" else None for verdict in first
        ]
        assert [match.id for match in window.query(TEXTS[0]).matches] == ["0", str(len(TEXTS))]
    cluster.request("POST", f"/{name}/_refresh")
    query = {"neardup": {"like": {"_index": name, "_id": "0"}}}
    assert count(cluster, name, query) == 1


def test_an_hour_is_made_as_wanted_whoever_makes_it(cluster):
    set_up(cluster)
    own = cluster.address
    roll_over(cluster, HOUR * HOUR_MS)
    bulk(
        cluster,
        [Action("create", own.hourly(HOUR + 9), "a", {}), Action("create", own.copies(HOUR), "a", {})],
    )
    hours = read_indices(cluster).hourly
    assert [(index.hour - HOUR, index.copies) for index in hours] == [
        (0, False),
        (0, True),
        (1, False),
        (9, False),
    ]
    for index in hours:
        assert index.settings["refresh_interval"] == "1s"
        assert index.settings["final_pipeline"] == own.pipeline
        assert index.about == set_up(cluster, dry_run=True).config.about()
        assert set(index.aliases) == (set() if index.copies else {own.alias})


def test_the_alias_writes_to_the_hour_that_has_begun(cluster):
    set_up(cluster)
    own = cluster.address
    for hour in (HOUR, HOUR, HOUR + 1, HOUR + 5):
        changed = roll_over(cluster, hour * HOUR_MS + 59 * 60_000)
        assert roll_over(cluster, hour * HOUR_MS) == []
        bulk(cluster, [Action("index", own.alias, f"at-{hour}", {"text": "Rain."})])
        assert get(cluster, own.hourly(hour), f"at-{hour}")
        assert changed == [] or changed[-1] == f"alias {own.alias} writes to {own.hourly(hour)}"
    writing = [
        index.name for index in read_indices(cluster).hourly if index.aliases[own.alias].get("is_write_index")
    ]
    assert writing == [own.hourly(HOUR + 5)]


def test_after_the_last_hour_that_has_a_name_no_other_is_made(cluster):
    set_up(cluster)
    last = cluster.address.hourly(LAST_NAMED)
    assert roll_over(cluster, LAST_NAMED * HOUR_MS)[0] == f"made index {last}"
    assert [index.name for index in read_indices(cluster).hourly] == [last]


@only_elasticsearch("a name that cannot become an index")
def test_before_the_first_hour_nothing_is_written_to_an_index_of_the_alias_name(cluster):
    set_up(cluster)
    own = cluster.address
    (outcome,) = bulk(cluster, [Action("index", own.alias, "a", {"text": "Rain."})])
    assert outcome.status == 404
    assert cluster.request("GET", f"/{own.alias}", missing_ok=True) is None


def test_rolling_over_what_nobody_has_set_up_is_refused(cluster):
    with pytest.raises(NotSetUp, match="neardup setup --window http"):
        roll_over(cluster, HOUR * HOUR_MS)
    assert read_indices(cluster).hourly == []


def test_documents_of_another_recipe_are_refused_and_nothing_is_changed(cluster):
    set_up(cluster)
    roll_over(cluster, HOUR * HOUR_MS)
    before = everything(cluster)
    with pytest.raises(RecipeMismatch, match=cluster.address.hourly(HOUR)):
        set_up(cluster, recipe=Recipe(fold_case=True), window_hours=99)
    with pytest.raises(SetupRefused, match="text_field"):
        set_up(cluster, text_field="body")
    assert everything(cluster) == before


def test_indices_that_were_there_before_are_refused(cluster):
    name = cluster.address.hourly(HOUR)
    cluster.request("PUT", f"/{name}")
    with pytest.raises(SetupRefused, match=f"neardup ingest --from-index {name}"):
        set_up(cluster)


def test_an_index_where_the_alias_belongs_is_refused(cluster):
    own = cluster.address
    cluster.request("PUT", f"/{own.prefix}")
    try:
        with pytest.raises(SetupRefused, match=f"there is an index {own.prefix}"):
            set_up(cluster)
    finally:
        cluster.request("DELETE", f"/{own.prefix}")


def test_an_index_of_others_in_the_alias_is_told(cluster):
    own, other = cluster.address, f"old-{cluster.address.prefix}"
    note = f"the alias {own.alias} also has {other}: searches by the alias see those too"
    cluster.request("PUT", f"/{other}", body={"aliases": {own.alias: {}}})
    try:
        set_up(cluster)
        roll_over(cluster, HOUR_MS)
        assert note in set_up(cluster).notes
        assert ("setup", "warning", note) in list(examine(own, cluster.credentials))
    finally:
        cluster.request("DELETE", f"/{other}")
    assert note not in set_up(cluster).notes


@pytest.mark.parametrize("narrowing", [{"filter": {"term": {"source": "a"}}}, {"routing": "x"}])
def test_a_filter_on_an_hour_in_the_alias_is_told(cluster, narrowing):
    """Searches by the name of the window passed over documents, and nothing told."""
    own, index = cluster.address, cluster.address.hourly(HOUR)
    set_up(cluster)
    roll_over(cluster, HOUR * HOUR_MS)
    assert not [note for note in set_up(cluster).notes if "a filter or a routing" in note]
    cluster.request("PUT", f"/{index}/_alias/{own.alias}", body={**narrowing, "is_write_index": True})
    (note,) = [note for note in set_up(cluster).notes if "a filter or a routing" in note]
    assert f"the alias {own.alias} has a filter or a routing on {index}: searches by the alias miss" in note
    assert ("setup", "warning", note) in list(examine(own, cluster.credentials))
    path, body = note.rpartition(": PUT ")[2].split(" ", maxsplit=1)
    cluster.request("PUT", f"/{path}", body=orjson.loads(body))
    assert not [note for note in set_up(cluster).notes if "a filter or a routing" in note]
    assert read_indices(cluster).hourly[0].aliases[own.alias] == {"is_write_index": True}


def test_an_hour_whose_meta_another_client_wrote_is_kept_with_its_documents(cluster):
    """`_meta` of a mapping is replaced whole: the hour was called unsigned, and was to be deleted."""
    own, index = cluster.address, cluster.address.hourly(HOUR)
    with open_elastic_window(str(own)) as window:
        list(window.ingest([Document("a", "It rained all night in the old harbour.", HOUR * HOUR_MS)]))
        about = read_indices(cluster).hourly[0].about
        assert about is not None
        cluster.request("PUT", f"/{index}/_mapping", body={"_meta": {"owner": "us"}})
    with (
        open_elastic_window(str(own)) as window,
        pytest.raises(WindowDamaged, match=r"_meta.*`neardup setup"),
    ):
        list(window.ingest([Document("b", "It rained all night in the old harbour!", HOUR * HOUR_MS)]))
    assert [change.words for change in set_up(cluster).changes] == [
        f"restore the description (_meta) of index {index}"
    ]
    assert set_up(cluster).changes == []
    assert cluster.request("GET", f"/{index}/_mapping")[index]["mappings"]["_meta"] == {
        "owner": "us",
        "neardup": about,
    }
    with open_elastic_window(str(own)) as window:
        (verdict,) = window.ingest([Document("b", "It rained all night in the old harbour!", HOUR * HOUR_MS)])
    assert (verdict.status, verdict.duplicate_of) == ("exact", "a")


def test_an_hour_that_maps_our_object_without_its_fields_is_not_described_as_ours(cluster):
    """As a template of others makes it, so that nothing of verdicts is mapped: by none would a document be found."""
    own, index = cluster.address, cluster.address.hourly(HOUR)
    set_up(cluster, sign="client")
    cluster.request("DELETE", f"/_index_template/{own.template}")
    mapping = {"properties": {"neardup": {"type": "object", "dynamic": False}}}
    cluster.request("PUT", f"/{index}", body={"mappings": mapping})
    with pytest.raises(SetupRefused, match=f"{index} was not made for neardup"):
        set_up(cluster)


def test_a_prefix_within_another_is_refused(cluster):
    set_up(cluster)
    inner = Address(cluster.url, f"{cluster.address.prefix}-de")
    with (
        Cluster(inner, cluster.credentials) as other,
        pytest.raises(SetupRefused, match=cluster.address.template),
    ):
        set_up(other)


def test_who_signs_can_be_changed_later(cluster):
    set_up(cluster, sign="client")
    own = cluster.address
    roll_over(cluster, HOUR * HOUR_MS)
    bulk(cluster, [Action("create", own.alias, "a", {"text": "Rain."})])
    assert "neardup" not in get(cluster, own.hourly(HOUR), "a")
    assert set_up(cluster).changes == []  # it stays so until somebody says otherwise
    set_up(cluster, sign="plugin")
    bulk(cluster, [Action("create", own.alias, "b", {"text": "Rain."})])
    kept = stored_signature("Rain.", terms=True)  # as the hour has them that was there
    assert get(cluster, own.hourly(HOUR), "b")["neardup"] == kept
    assert set_up(cluster).changes == []


def test_a_lexicon_of_ones_own(own_node, tmp_path):
    builder = LexiconBuilder(q=4, fold_case=False, name="mine")
    for _ in range(3):
        builder.add(np.array([1 << 42], np.uint64), np.array([5 << 44], np.uint64))
    file = tmp_path / "mine.lexicon"
    builder.build().save(file)
    recipe = Recipe(lexicon=file)
    with Cluster(Address(own_node.url, "mine")) as cluster:
        with pytest.raises(ClusterRejected, match=r"no file .*mine\.lexicon"):
            set_up(cluster, recipe=recipe)
        own_node.give("neardup/mine.lexicon", file.read_bytes())
        assert set_up(cluster, recipe=recipe).config.lexicon == "mine"
        assert set_up(cluster, recipe=Recipe(lexicon="mine")).changes == []  # by the name that the nodes know
        assert set_up(cluster).changes == []
        bulk(cluster, [Action("create", cluster.address.hourly(HOUR), "a", {"text": TEXTS[0]})])
        assert get(cluster, cluster.address.hourly(HOUR), "a")["neardup"] == stored_signature(
            TEXTS[0], recipe
        )


def test_a_salt_of_ones_own(own_node, tmp_path):
    file = tmp_path / "pepper.salt"
    file.write_bytes(b" a pinch\n")
    recipe = Recipe(salt=file)
    with Cluster(Address(own_node.url, "salted")) as cluster:
        with pytest.raises(ClusterRejected, match=r"no file .*pepper\.salt"):
            set_up(cluster, recipe=recipe)
        with pytest.raises(SettingsError, match=r"salt is 'pepper': .* no file .*pepper\.salt"):
            set_up(cluster, recipe=Recipe(salt="pepper"))
        own_node.give("neardup/pepper.salt", b"another")
        with pytest.raises(
            ClusterRejected, match=r"signs by .* give every node the same plugin, lexicon and salt"
        ):
            set_up(cluster, recipe=recipe)
        own_node.give("neardup/pepper.salt", file.read_bytes())
        assert set_up(cluster, recipe=recipe).config.salt == "pepper"
        assert set_up(cluster, recipe=Recipe(salt="pepper")).changes == []  # by the name that the nodes know
        assert set_up(cluster).changes == []
        bulk(cluster, [Action("create", cluster.address.hourly(HOUR), "a", {"text": TEXTS[0]})])
        signed = get(cluster, cluster.address.hourly(HOUR), "a")["neardup"]
        assert signed == stored_signature(TEXTS[0], recipe)
        with pytest.raises(SettingsError, match="the file of the salt 'pepper'"):
            open_elastic_window(str(cluster.address))
        open_elastic_window(str(cluster.address), recipe=recipe).close()


def test_without_the_plugin_the_client_signs(bare_node):
    with Cluster(Address(bare_node.url, "bare")) as cluster:
        made = set_up(cluster)
        assert made.config.signed_by == "client"
        assert "the plugin neardup is not on every node" in made.notes[0]
        assert set_up(cluster).changes == []
        with pytest.raises(SetupRefused, match="not on node-1"):
            set_up(cluster, sign="plugin")
        name = cluster.address.hourly(HOUR)
        signed = {"text": TEXTS[0], "neardup": sign(TEXTS[0]).to_dict()}
        bulk(cluster, [Action("create", name, "a", orjson.dumps(signed))], refresh="true")
        assert count(cluster, name, {"term": {"neardup.qgrams": {"value": "Aros"}}}) == 1
