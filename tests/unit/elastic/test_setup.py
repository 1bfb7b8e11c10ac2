"""Planning and applying a set-up, against a cluster in memory that has what the test node lacks (ILM)."""

from __future__ import annotations

import re
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import orjson
import pytest
from testing.cluster_stand_in import Answer, error, standing_in

from neardup.elastic.admin import setup
from neardup.elastic.admin.cluster_snapshot import ClusterSnapshot, NodeFacts, OtherTemplate, take_snapshot
from neardup.elastic.admin.hourly_indices import HourlyIndex, Indices
from neardup.elastic.admin.managed_objects import (
    POLICY,
    TEMPLATE,
    WindowConfig,
    wanted_objects,
    window_config,
)
from neardup.elastic.admin.node_files import node_files
from neardup.elastic.admin.setup import Sign, plan, set_up, signer_of
from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.errors import ClusterRejected, RecipeMismatch, SettingsError, SetupRefused, WindowDamaged
from neardup.model.settings import Recipe, Settings
from neardup.tables.lexicon import Lexicon
from neardup.version import VERSION

NEWS = Address("http://localhost:9200", "news")
DEFAULT = WindowConfig(Recipe(), Recipe().text(Lexicon.default().id))
NODE = NodeFacts("node-1", "9.2.0", True, "127.0.0.1:9200")
EMPTY = ClusterSnapshot([NODE], True, {}, [], Indices([], []), False, None)


def complete(config=DEFAULT, *, lifecycle=True):
    objects = {entry.path: entry for entry in wanted_objects(NEWS, config, lifecycle=lifecycle)}
    return EMPTY._replace(objects=objects, has_state=True, lifecycle=lifecycle)


def an_hour(config=DEFAULT, hour=498681, **settings):
    settings = {"final_pipeline": "neardup-news", "lifecycle": {"name": "neardup-news"}} | settings
    settings = {key: value for key, value in settings.items() if value is not None}
    aliases = {"news": {"is_write_index": False}}
    return HourlyIndex(NEWS.hourly(hour), hour, False, config.about(), settings, aliases, {})


def words(made):
    return [change.words for change in made.changes]


def test_an_empty_cluster_gets_everything_in_an_order_that_works():
    assert words(plan(NEWS, DEFAULT, EMPTY)) == [
        "make component template neardup-fields",
        "make component template neardup-hourly",
        "make lifecycle policy neardup-news",
        "make ingest pipeline neardup-news",
        "make index template neardup-news",
        "make index template neardup-news-copies",
        "make index template neardup-news-alias",
        "make index template neardup-state-news",
        "make index neardup-state-news",
    ]


def test_what_is_as_wanted_is_left_alone():
    made = plan(NEWS, DEFAULT, complete()._replace(indices=Indices([an_hour()], [])))
    assert (made.changes, made.notes) == ([], [])


def test_a_change_says_every_value():
    changed = replace(DEFAULT, window_hours=48, text_field="body")
    made = plan(NEWS, changed, complete())
    template = [
        '    template.mappings._meta.neardup.text_field: "text" -> "body"',
        "    template.mappings._meta.neardup.window_hours: 24 -> 48",
    ]
    assert [str(change).splitlines() for change in made.changes] == [
        ["change lifecycle policy neardup-news", '    policy.phases.delete.min_age: "49h" -> "73h"'],
        ["change ingest pipeline neardup-news", '    processors[0].neardup.field: "text" -> "body"'],
        ["change index template neardup-news", *template],
        ["change index template neardup-news-copies", *template],
    ]


def test_hours_that_are_there_follow_who_signs_and_who_deletes():
    hours = [an_hour(), an_hour(hour=498682, final_pipeline=None, lifecycle=None)]
    snapshot = complete()._replace(indices=Indices(hours, []))
    made = plan(NEWS, DEFAULT, snapshot)
    assert [(change.path, change.body) for change in made.changes] == [
        (
            "/news-2026.11.21-10/_settings",
            {"index.final_pipeline": "neardup-news", "index.lifecycle.name": "neardup-news"},
        )
    ]
    client = replace(DEFAULT, signed_by="client", window_hours=0)
    bodies = {change.path: change.body for change in plan(NEWS, client, snapshot).changes}
    assert bodies["/news-2026.11.21-09/_settings"] == {
        "index.final_pipeline": None,
        "index.lifecycle.name": None,
    }
    assert "/news-2026.11.21-10/_settings" not in bodies


def test_a_pipeline_and_a_policy_of_the_users_own_stay_where_ours_are_not_needed():
    """`news@custom` gave them to every new hour, and `setup` took them off the others: an archive lost its policy."""
    hour = an_hour(final_pipeline="mine", lifecycle={"name": "to-the-cold"})
    snapshot = complete()._replace(indices=Indices([hour], []))
    path = f"/{hour.name}/_settings"
    client = replace(DEFAULT, signed_by="client", keep_hours=0)
    assert path not in {change.path for change in plan(NEWS, client, snapshot).changes}
    bodies = {change.path: change.body for change in plan(NEWS, DEFAULT, snapshot).changes}
    assert bodies[path] == {"index.final_pipeline": "neardup-news", "index.lifecycle.name": "neardup-news"}


def test_an_hour_that_searches_by_the_alias_pass_over_is_put_into_it():
    lacking = an_hour()._replace(aliases={})
    copies = lacking._replace(name=NEWS.copies(498681), copies=True)  # in no alias
    made = plan(NEWS, DEFAULT, complete()._replace(indices=Indices([lacking, copies], [])))
    assert [(str(change), change.path, change.body) for change in made.changes] == [
        (
            "put index news-2026.11.21-09 into alias news",
            "/news-2026.11.21-09/_alias/news",
            {"is_write_index": False},
        )
    ]


@pytest.mark.parametrize("signer", ["plugin", "client"])
def test_an_hour_that_another_client_took_its_description_from_is_described_again(signer):
    """A `PUT /INDEX/_mapping` with `_meta` replaces it whole: setup called the hour unsigned, and advised to delete it,
    with documents that counted.
    """
    config = replace(DEFAULT, signed_by=signer)
    pipeline = "neardup-news" if signer == "plugin" else None
    lacking = an_hour(config, final_pipeline=pipeline)._replace(
        about=None, meta={"owner": "us"}, is_mapped=True
    )
    snapshot = complete(config)._replace(indices=Indices([lacking], []))
    assert plan(NEWS, config, snapshot).changes == [
        (
            "restore the description (_meta) of index news-2026.11.21-09",
            (),
            "/news-2026.11.21-09/_mapping",
            {"_meta": {"owner": "us", "neardup": config.about()}},
            True,
        )
    ]
    for other in (lacking._replace(is_mapped=False), lacking._replace(settings={"final_pipeline": "mine"})):
        if other.is_mapped and signer == "client":
            continue
        with pytest.raises(SetupRefused, match="not signed; if it was made while"):
            plan(NEWS, config, snapshot._replace(indices=Indices([other], [])))


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"recipe": Recipe(q=5), "recipe_text": Recipe(q=5).text(Lexicon.default().id)}, RecipeMismatch),
        ({"lossless": False}, SetupRefused),
        ({"text_field": "body"}, SetupRefused),
        ({"terms": True}, None),
        ({"signed_by": "plugin"}, None),
    ],
)
def test_an_hour_without_its_description_is_as_the_window_was_set_up(change, refusal):
    """It was described as what was given: documents of two recipes, or of two fields, lay in one window."""
    present = replace(DEFAULT, signed_by="client") if "signed_by" in change else DEFAULT
    lacking = an_hour(present, final_pipeline=None if "signed_by" in change else "neardup-news")
    hours = Indices([lacking._replace(about=None, is_mapped=True)], [])
    snapshot, config = complete(present)._replace(indices=hours), replace(present, **change)
    if refusal is not None:
        with pytest.raises(refusal, match=lacking.name):
            plan(NEWS, config, snapshot)
        return
    (put,) = [each for each in plan(NEWS, config, snapshot).changes if each.path.endswith("_mapping")]
    assert put.body == {"_meta": {"neardup": present.about()}}


def test_hours_are_told_of_no_policy_where_the_setting_is_unknown():
    snapshot = complete(lifecycle=False)._replace(indices=Indices([an_hour(lifecycle=None)], []))
    assert plan(NEWS, DEFAULT, snapshot).changes == []


def test_documents_of_another_recipe_are_refused():
    snapshot = complete()._replace(indices=Indices([an_hour(replace(DEFAULT, recipe_text="another"))], []))
    with pytest.raises(RecipeMismatch, match=r"index news-2026\.11\.21-09 was signed by recipe another"):
        plan(NEWS, DEFAULT, snapshot)


REFUSALS = [
    (
        {"indices": Indices([an_hour(replace(DEFAULT, text_field="body"))], [])},
        ["news-2026.11.21-09", "'body'", "'text'"],
    ),
    (
        {"indices": Indices([an_hour()._replace(about=None)], [])},
        ["news-2026.11.21-09", "not signed", "--from-index news-2026.11.21-09"],
    ),
    ({"prefix_is": "index"}, ["an index news", "another prefix"]),
    ({"prefix_is": "data stream"}, ["a data stream news", "--from-index news --in-place"]),
    (
        {"other_templates": [OtherTemplate("neardup-news-de", ("news-de-*",), 500, True)]},
        ["window news-de", "neardup-news-de", "choose another prefix: neither"],
    ),
    (
        {"other_templates": [OtherTemplate("neardup-news-de-alias", ("news-de",), 500, True)]},
        ["neardup-news-de-alias"],
    ),
    (
        {"other_templates": [OtherTemplate("mine", ("news-*",), 500, False)]},
        ["index template mine", "priority 500", "change its priority"],
    ),
]


@pytest.mark.parametrize(("snapshot", "named"), REFUSALS)
def test_what_is_in_the_way_is_named_with_a_remedy(snapshot, named):
    with pytest.raises(SetupRefused) as caught:
        plan(NEWS, DEFAULT, EMPTY._replace(**snapshot))
    for text in named:
        assert text in str(caught.value)


def test_that_a_client_has_made_an_index_of_the_name_of_the_alias_is_told_with_the_way_out():
    """Another prefix was all that was advised, for a window that was set up, and for documents that were there."""
    with pytest.raises(SetupRefused) as caught:
        plan(NEWS, DEFAULT, complete()._replace(prefix_is="index"))
    assert "most likely a client wrote to this name before the window had its first hour" in str(caught.value)
    assert '(POST _reindex {"source": {"index": "news"}, "dest": {"index": "news_kept"}})' in str(
        caught.value
    )
    assert f"`neardup ingest --from-index news_kept --window {NEWS}`" in str(caught.value)


def test_an_hour_that_was_made_while_the_templates_were_not_is_to_be_deleted():
    snapshot = complete()._replace(objects={}, indices=Indices([an_hour()._replace(about=None)], []))
    with pytest.raises(SetupRefused, match=r"if it was made while the templates were missing, delete it"):
        plan(NEWS, DEFAULT, snapshot)


def test_what_somebody_else_made_under_our_name_is_not_overwritten():
    snapshot = complete()
    own = next(entry for entry in snapshot.objects.values() if entry.kind is TEMPLATE)
    foreign = own._replace(body={"index_patterns": ["x"]})
    with pytest.raises(SetupRefused, match="an index template neardup-news that neardup did not make"):
        plan(NEWS, DEFAULT, snapshot._replace(objects={**snapshot.objects, own.path: foreign}))


@pytest.mark.parametrize(("there", "new"), [("news", "state-news"), ("state-news", "news")])
def test_a_template_of_another_window_is_not_taken_for_its_own(there, new):
    """Of `state-news` the template of the hours is called as that of the state of `news`."""
    address = Address(NEWS.url, there)
    objects = {entry.path: entry for entry in wanted_objects(address, DEFAULT, lifecycle=True)}
    with pytest.raises(SetupRefused, match="index template neardup-state-news is of another window"):
        plan(Address(NEWS.url, new), DEFAULT, EMPTY._replace(objects=objects))


def test_what_a_newer_neardup_made_is_not_set_back():
    snapshot = complete()
    own = next(iter(snapshot.objects.values()))
    newer = own._replace(body={**own.body, "version": 99})
    with pytest.raises(SetupRefused, match="version 99, of a newer neardup"):
        plan(NEWS, DEFAULT, snapshot._replace(objects={**snapshot.objects, own.path: newer}))


def test_windows_beside_each_other_are_no_trouble():
    others = [
        OtherTemplate("neardup-mail", ("mail-*",), 500, True),
        OtherTemplate("neardup-news2", ("news2-*",), 500, True),
        OtherTemplate("neardup-new-alias", ("new",), 500, True),
        OtherTemplate("logs", ("logs-*-*",), 100, False),
        OtherTemplate("everything", ("*",), 0, False),
    ]
    assert plan(NEWS, DEFAULT, complete()._replace(other_templates=others)).notes == []


@pytest.mark.parametrize("pattern", ["news-2*", "news-2027.01.*", "news-*-07", "news-2031.12.31-23"])
def test_what_would_win_over_our_template_at_any_hour_is_warned_of(pattern):
    others = [OtherTemplate("mine", (pattern, "other", "news-b*", "new-*"), 900, False)]
    (note,) = plan(NEWS, DEFAULT, complete()._replace(other_templates=others)).notes
    assert f"mine matches {pattern} with" in note
    assert "900" in note
    assert "below 500" in note


def test_other_indices_that_the_pattern_takes_in_are_named():
    snapshot = complete()._replace(indices=Indices([], ["news-a", "news-b", "news-c", "news-d", "news-e"]))
    (note,) = plan(NEWS, DEFAULT, snapshot).notes
    assert note.startswith("news-a, news-b, news-c and 2 more also match news-*")


def test_a_cluster_without_lifecycle_management_is_told_what_does_its_work():
    (note,) = plan(NEWS, DEFAULT, complete(lifecycle=False)).notes
    assert "neardup rollover" in note
    assert "neardup expire" in note
    # Nothing is deleted of a window without an end, nor, where it scores an index in place, rolled over.
    endless = replace(DEFAULT, window_hours=0)
    assert plan(NEWS, endless, complete(endless, lifecycle=False)).notes == []


def test_opensearch_gets_what_it_knows():
    snapshot = EMPTY._replace(product="opensearch", lifecycle=False)
    made = plan(NEWS, DEFAULT, snapshot)
    assert words(made) == [
        "make component template neardup-fields",
        "make component template neardup-hourly",
        "make ingest pipeline neardup-news",
        "make index template neardup-news",
        "make index template neardup-news-copies",
        "make index template neardup-state-news",
        "make index neardup-state-news",
    ]
    unknown = {"ignore_missing_component_templates", "allow_auto_create"}
    bodies = {change.path: change.body for change in made.changes}
    assert not any(unknown & body.keys() for body in bodies.values())
    assert "_meta" not in bodies["/_ingest/pipeline/neardup-news"]
    assert bodies["/_index_template/neardup-news"]["composed_of"] == ["neardup-hourly", "neardup-fields"]


@pytest.mark.parametrize(
    ("name", "fields", "is_told"),
    [
        ("@timestamp", {"@timestamp": {"type": "date", "format": "epoch_second"}}, True),
        ("meta.at", {"meta.at": {"type": "date_nanos"}}, True),
        ("meta.at", {"meta": {"properties": {"at": {"type": "date_nanos"}}}}, True),
        ("@timestamp", {"@timestamp": {"type": "date"}, "body": {"type": "keyword"}}, False),
    ],
)
def test_a_mapping_of_the_time_that_has_no_effect_is_told(name, fields, is_told):
    """Seconds were read as milliseconds."""
    config = replace(DEFAULT, time_field=name)
    custom = {"template": {"mappings": {"properties": fields}}}
    notes = plan(NEWS, config, complete(config)._replace(custom=custom)).notes
    assert [f"maps the time, {name}, which has no effect" in note for note in notes] == [True] * is_told


@pytest.mark.parametrize(
    ("mapping", "told"),
    [
        ({"_routing": {"required": True}}, "(mappings._routing.required)"),
        ({"_routing": {"required": "true"}}, "(mappings._routing.required)"),
        ({"_routing": {"required": False}, "dynamic": "false"}, None),
        ({"dynamic": "strict"}, "(mappings.dynamic)"),
        ({"dynamic": "strict", "properties": {"page": {"properties": {"text": {}}}}}, "(mappings.dynamic)"),
        ({"dynamic": "strict", "properties": {"page": {"properties": {"body": {"type": "text"}}}}}, None),
    ],
)
def test_a_mapping_by_which_every_document_is_refused_is_told(mapping, told):
    """`neardup setup` and the doctor called it well."""
    config = replace(DEFAULT, text_field="page.body")
    custom = {"template": {"mappings": mapping}}
    notes = plan(NEWS, config, complete(config)._replace(custom=custom)).notes
    assert [str(told) in note for note in notes] == [True] * (told is not None)


def of_ours(name, **field):
    return {"mappings": {"properties": {"neardup": {"properties": {name: field}}}}}


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ({"mappings": {"properties": {"text": {"type": "long"}}}}, "maps the text, text, as long"),
        ({"mappings": {"properties": {"text": {"properties": {}}}}}, "maps the text, text, as object"),
        (
            {"mappings": {"properties": {"text": {"type": "alias", "path": "body"}}}},
            "maps the text, text, as alias",
        ),
        ({"mappings": {"properties": {"text": {"type": "keyword"}}}}, None),
        ({"mappings": {"properties": {"text": {"type": "object", "enabled": "false"}}}}, None),
        ({"mappings": {"properties": {"text": {"type": "long", "ignore_malformed": True}}}}, None),
        ({"mappings": {"properties": {"text": {"type": "binary"}}}}, None),
        ({"mappings": {"properties": {"text": {"type": "binary", "doc_values": True}}}}, "text, as binary"),
        (of_ours("fingerprint", type="keyword", index="false", doc_values=False), "maps neardup.fingerprint"),
        (of_ours("status", type="text"), "maps neardup.status differently"),
        ({"mappings": {"properties": {"neardup.group": {"type": "text"}}}}, "maps neardup.group differently"),
        (of_ours("group", type="keyword", eager_global_ordinals=True), None),
        (of_ours("group", type="keyword", ignore_above="256"), "maps neardup.group differently"),
        (of_ours("group", type="keyword", ignore_above=8191), None),
        (of_ours("status", type="keyword", ignore_above=256), None),
        (of_ours("identity", type="keyword", normalizer="lowercase"), "maps neardup.identity differently"),
        (of_ours("matches", type="object", enabled=False), None),
        (of_ours("fingerprint", type="keyword", doc_values=False), None),
        ({"mappings": {"_source": {"enabled": "false"}}}, "leaves text and neardup out of _source"),
        ({"mappings": {"enabled": "false"}}, "indexes nothing (mappings.enabled)"),
        ({"mappings": {"_source": {"excludes": ["text"]}}}, "leaves text out of _source"),
        ({"settings": {"index": {"blocks": {"write": "true"}}}}, "(index.blocks.write)"),
        ({"settings": {"index": {"mapping": {"source": {"mode": "synthetic"}}}}}, "makes _source synthetic"),
        ({"settings": {"index": {"blocks": {"metadata": "true"}}}}, None),
    ],
)
def test_a_template_by_which_hours_cannot_be_used_is_told_before_there_are_any(template, told):
    """`neardup setup` and the doctor called it well."""
    notes = plan(NEWS, DEFAULT, complete(DEFAULT)._replace(custom={"template": template})).notes
    assert [str(told) in note for note in notes] == [True] * (told is not None)


@pytest.mark.parametrize("has_custom", [False, True])
def test_in_opensearch_what_is_as_wanted_is_left_alone(has_custom):
    wanted = wanted_objects(NEWS, DEFAULT, lifecycle=False, product="opensearch", has_custom=has_custom)
    snapshot = complete(lifecycle=False)._replace(
        product="opensearch",
        custom={} if has_custom else None,
        objects={entry.path: entry for entry in wanted},
    )
    assert plan(NEWS, DEFAULT, snapshot).changes == []
    other = snapshot._replace(custom=None if has_custom else {})
    assert words(plan(NEWS, DEFAULT, other)) == [
        "change index template neardup-news",
        "change index template neardup-news-copies",
    ]


@pytest.mark.parametrize(
    ("product", "version", "wanted"),
    [
        ("elasticsearch", "9.5.3", f"neardup-{VERSION}-es9.5.3.zip (make plugin VERSION=9.5.3)"),
        (
            "opensearch",
            "3.6.0",
            f"neardup-{VERSION}-opensearch3.6.0.zip (make plugin VERSION=opensearch-3.6.0)",
        ),
    ],
)
def test_a_node_without_the_plugin_is_named_with_the_zip_that_it_wants(product, version, wanted):
    bare = NodeFacts("node-2", version, False, None)
    snapshot = EMPTY._replace(nodes=[NODE, bare], product=product)
    with pytest.raises(SetupRefused, match=re.escape(f"not on node-2; install {wanted} on every node")):
        signer_of(NEWS, snapshot, "plugin")


def test_who_signs():
    bare = NODE._replace(name="node-2", signs=False)
    every, none, some = (EMPTY._replace(nodes=nodes) for nodes in ([NODE], [bare], [NODE, bare]))
    assert signer_of(NEWS, every, "auto") == signer_of(NEWS, every, "plugin") == "plugin"
    assert signer_of(NEWS, none, "auto") == signer_of(NEWS, every, "client") == "client"
    cases: list[tuple[ClusterSnapshot, Sign]] = [(some, "auto"), (some, "plugin"), (none, "plugin")]
    for snapshot, sign in cases:
        with pytest.raises(SetupRefused, match="not on node-2"):
            signer_of(NEWS, snapshot, sign)


def test_a_layout_is_read_back_from_what_is_said_of_it():
    config = WindowConfig(Recipe(q=5, reach=0.5), "r", "de", "pepper", "page.body", "when", 0, 5, "plugin")
    assert window_config(config.about()) == config
    about = config.about()
    for name in set(about) - {"keep_hours", "words", "terms"}:
        with pytest.raises(WindowDamaged, match=name):
            window_config({key: value for key, value in about.items() if key != name})


def test_a_description_says_of_words_that_nothing_is_made_of_them():
    assert "words" not in DEFAULT.about()
    config = replace(DEFAULT, words=False)
    assert window_config(config.about()) == config


@pytest.mark.parametrize("lossless", [True, False])
def test_a_description_from_before_there_was_another_way_has_terms(lossless):
    about = replace(DEFAULT, lossless=lossless).about()
    del about["terms"]
    assert window_config(about) == replace(DEFAULT, lossless=lossless, terms=True)


def of_version_1(about):
    """What `neardup setup` wrote while the recipe had version 1."""
    recipe = {
        "recipe": about["recipe"].replace("neardup-2", "neardup-1").replace("-0.6:", "-1.5:"),
        "alpha": 1.5,
    }
    return {name: value for name, value in about.items() if name not in {"reach", "salt"}} | recipe


def test_a_description_of_version_1_has_no_reach_and_no_salt():
    about = of_version_1(DEFAULT.about())
    assert window_config(about) == replace(DEFAULT, recipe_text=about["recipe"])


@pytest.mark.parametrize("kind", ["lexicon", "salt"])
@pytest.mark.parametrize(
    ("file", "name"),
    [(None, None), ("/tmp/news.KIND", "news"), ("news", "news"), ("a/de_1.2-x", "de_1.2-x")],
)
def test_a_file_has_a_name_on_the_nodes(kind, file, name):
    files = node_files(replace(Recipe(), **{kind: file and file.replace("KIND", kind)}))
    assert getattr(files, kind) == name


@pytest.mark.parametrize("recipe", [Recipe(lexicon="/tmp/my news"), Recipe(salt="/tmp/my news")])
def test_a_file_whose_name_nodes_would_not_take_is_refused(recipe):
    with pytest.raises(SettingsError, match="my news"):
        node_files(recipe)


LISTED = {
    "_component_template": ("component_templates", "component_template"),
    "_index_template": ("index_templates", "index_template"),
}


class MemoryCluster:
    """Templates, pipelines, policies and indices, in the shapes of the reference, with lifecycle management."""

    def __init__(self, *, signs: bool = True) -> None:
        self.kept: dict[str, dict[str, Any]] = {}
        self.signs = signs
        self.changes = 0
        self.state: dict[str, Any] | None = None
        self.settings: dict[str, Any] = {}

    def __call__(self, request) -> Answer:
        path, _, _ = request.path.partition("?")
        parts = path.strip("/").split("/")
        if request.method == "PUT":
            self.changes += 1
        if parts[0] == "_nodes":
            processors = [{"type": "neardup"}] if self.signs else []
            node = {"name": "n", "version": "9.2.0", "ingest": {"processors": processors}}
            return Answer(200, {"nodes": {"id": node}})
        if path == "/_cluster/settings":
            return Answer(200, {"persistent": self.settings})
        if path == "/_ilm/status":
            return Answer(200, {"operation_mode": "RUNNING"})
        if path == "/_ingest/pipeline/_simulate":
            (step,) = orjson.loads(request.body)["pipeline"]["processors"]
            kind = "lexicon" if step["neardup"]["salt"] is None else "salt"
            return error(
                400, "parse_exception", f"[{kind}] is as it is, but node [n] has no file of that name"
            )
        if parts[0].startswith("_"):
            name = parts[-1] if len(parts) > 1 and parts[-1] not in ("policy", "pipeline") else None
            kind = path.strip("/").removesuffix(f"/{name}") if name else path.strip("/")
            return self.object(request, kind, name)
        return self.index(request, parts[0])

    def object(self, request, kind, name) -> Answer:
        kept = self.kept.setdefault(kind, {})
        if request.method == "PUT":
            kept[name] = orjson.loads(request.body)
            return Answer(200, {"acknowledged": True})
        chosen = kept if name is None else {name: kept[name]} if name in kept else None
        if chosen is None:
            return Answer(404, {"error": {"type": "resource_not_found_exception", "reason": "no"}})
        if kind in LISTED:
            listed, inner = LISTED[kind]
            return Answer(
                200,
                {listed: [{"name": n, inner: {**b, "created_date_millis": 1}} for n, b in chosen.items()]},
            )
        extra = {"version": 3, "modified_date": "2026-11-21"} if kind == "_ilm/policy" else {}
        return Answer(200, {n: {**b, **extra} for n, b in chosen.items()})

    def index(self, request, name) -> Answer:
        indices = self.kept.setdefault("index", {})
        if request.method == "PUT":
            if name in indices:
                return error(400, "resource_already_exists_exception", "already exists")
            indices[name] = {}
            return Answer(200, {"acknowledged": True})
        if "*" in name:
            return Answer(200, {n: each for n, each in indices.items() if fnmatchcase(n, name)})
        if request.path.endswith("/_doc/window"):
            found = self.state is not None
            return Answer(200, {"found": found, "_source": self.state, "_seq_no": 1, "_primary_term": 1})
        if name in indices:
            return Answer(200, {name: {"settings": {"index": {"uuid": "x"}}}})
        return Answer(404, {"error": {"type": "index_not_found_exception"}})


@pytest.fixture
def memory():
    kept = MemoryCluster()
    with standing_in(kept) as server, Cluster(Address(server.url, "news"), patience=0) as cluster:
        yield kept, cluster


def test_setting_up_twice_changes_nothing(memory):
    kept, cluster = memory
    assert len(set_up(cluster).changes) == 9
    changes = kept.changes
    assert set_up(cluster).changes == []
    assert kept.changes == changes
    assert kept.kept["_ilm/policy"]["neardup-news"]["policy"]["phases"]["delete"]["min_age"] == "49h"
    settings = kept.kept["_index_template"]["neardup-news"]["template"]["settings"]
    assert settings["index"]["lifecycle"] == {"name": "neardup-news"}


def test_a_dry_run_changes_nothing(memory):
    kept, cluster = memory
    assert len(set_up(cluster, dry_run=True).changes) == 9
    assert kept.changes == 0


def test_what_is_not_given_stays_as_it_is(memory):
    _, cluster = memory
    recipe = Recipe(q=5, fold_case=True)
    set_up(
        cluster,
        recipe=recipe,
        window_hours=48,
        text_field="body",
        time_field="when",
        max_length=9_999,
        sign="client",
    )
    assert set_up(cluster).changes == []
    config = set_up(cluster, time_field="then").config
    assert config == WindowConfig(
        recipe,
        recipe.text(Lexicon.default().id),
        None,
        None,
        "body",
        "then",
        48,
        9_999,
        "client",
        terms=True,
    )


@pytest.mark.parametrize("state", ["whole", "damaged", None])
def test_a_window_whose_templates_were_deleted_is_set_up_as_it_was(memory, state):
    """By the defaults its policy was made for 24 hours, and deleted an archive that was to be kept for ever."""
    kept, cluster = memory
    config = set_up(cluster, keep_hours=0, window_hours=48, max_length=5_000).config
    about = {"whole": config.about(), "damaged": {"recipe": 5}, None: config.about()}[state]
    kept.state = None if state is None else {"about": about}
    settings = {"uuid": "x", "final_pipeline": "neardup-news"}
    described = {"settings": {"index": settings}, "mappings": {"_meta": {"neardup": config.about()}}}
    if state != "whole":
        kept.kept["index"]["news-2026.11.21-09"] = described
    kept.kept["_index_template"].clear()
    assert set_up(cluster).config == config
    assert not kept.kept.get(POLICY.path)


def test_settings_give_recipe_and_hours(memory):
    _, cluster = memory
    config = set_up(cluster, settings=Settings(window_hours=0, recipe=Recipe(q=3))).config
    assert (config.recipe.q, config.window_hours) == (3, 0)
    assert POLICY not in {entry.kind for entry in take_snapshot(cluster).objects.values()}


def test_an_end_that_is_taken_away_takes_the_policy_from_the_template(memory):
    kept, cluster = memory
    set_up(cluster)
    set_up(cluster, window_hours=0)
    assert "lifecycle" not in kept.kept["_index_template"]["neardup-news"]["template"]["settings"]["index"]
    assert set_up(cluster).changes == []


def test_an_index_that_another_process_made_meanwhile_is_as_good(memory):
    _, cluster = memory
    made = set_up(cluster, dry_run=True)
    setup.apply(cluster, made)
    setup.apply(cluster, made)


def test_other_errors_are_not_swallowed():
    with (
        standing_in([error(400, "invalid_index_template_exception", "no")]) as server,
        Cluster(Address(server.url, "news"), patience=0) as cluster,
        pytest.raises(ClusterRejected, match="invalid_index_template_exception"),
    ):
        setup.apply(cluster, plan(NEWS, DEFAULT, EMPTY))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"text_field": "neardup.text"}, "text_field"),
        ({"text_field": "a..b"}, "text_field"),
        ({"text_field": "_source"}, "text_field is '_source'.*metadata"),
        ({"text_field": "_id.text"}, "text_field is '_id.text'.*metadata"),
        ({"time_field": "_routing"}, "time_field is '_routing'.*metadata"),
        ({"text_field": "@timestamp"}, "time_field"),
        ({"text_field": "page.body", "time_field": "page.body"}, "time_field"),
        ({"text_field": "page", "time_field": "page.when"}, "time_field"),
        ({"text_field": "page.body", "time_field": "page"}, "time_field"),
        ({"time_field": ""}, "time_field"),
        ({"max_length": 0}, "max_length"),
        ({"window_hours": -1}, "window_hours"),
        ({"sign": "me"}, "sign"),
        ({"recipe": Recipe(lexicon="unknown")}, "lexicon is 'unknown'.* node .n. has no file"),
        ({"recipe": Recipe(salt="unknown")}, "salt is 'unknown'.* node .n. has no file"),
        ({"recipe": Recipe(lexicon="some", salt="unknown")}, "salt is 'unknown'.* node .n. has no file"),
    ],
)
def test_a_setting_that_cannot_be_used_changes_nothing(memory, options, named):
    kept, cluster = memory
    with pytest.raises(SettingsError, match=named):
        set_up(cluster, **options)
    assert kept.changes == 0


def test_a_salt_is_in_the_recipe_by_its_mark_and_in_the_cluster_by_its_name(memory, tmp_path):
    kept, cluster = memory
    file = tmp_path / "pepper.salt"
    file.write_bytes(b"a pinch")
    config = set_up(cluster, recipe=Recipe(salt=file)).config
    assert config.salt == "pepper"
    assert config.recipe_text.endswith(":simhash-1:salt-075060e5")
    assert kept.kept["_ingest/pipeline"]["neardup-news"]["processors"][0]["neardup"]["salt"] == "pepper"
    assert b"pinch" not in orjson.dumps(kept.kept)
    assert str(tmp_path).encode() not in orjson.dumps(kept.kept)
    assert set_up(cluster).changes == []
    assert set_up(cluster).config.salt == "pepper"


def test_templates_of_version_1_are_brought_up_to_date_where_no_document_is(memory):
    kept, cluster = memory
    set_up(cluster, recipe=Recipe(q=5), text_field="body")
    for template in kept.kept["_index_template"].values():
        meta = template.get("template", {}).get("mappings", {}).get("_meta")
        if meta:
            meta["neardup"] = of_version_1(meta["neardup"])
    changed = set_up(cluster)
    assert (changed.config.recipe, changed.config.text_field) == (Recipe(q=5), "body")
    assert changed.config.recipe_text == Recipe(q=5).text(Lexicon.default().id)
    assert any("neardup-2" in line for change in changed.changes for line in change.details)
    assert set_up(cluster).changes == []


def test_an_hour_of_version_1_is_in_the_way():
    hour = an_hour()._replace(about=of_version_1(DEFAULT.about()))
    snapshot = complete()._replace(indices=Indices([hour], []))
    with pytest.raises(
        RecipeMismatch, match=r"neardup-1:.* neardup-2:.*: sign it again \(`neardup resign --window http"
    ):
        plan(NEWS, DEFAULT, snapshot)


DELETED = (
    "`neardup ingest` and `neardup watch` delete hours {0} h behind the newest document, `neardup expire` hours {0} h "
    "behind the clock (--keep-hours)"
)
"""`neardup expire` deletes a whole archive that ended long ago; setup said it kept the last hours."""


@pytest.mark.parametrize(("hours", "lifecycle", "age", "words"), [
    ({}, True, "49h",
     f"compares 24 h; {DELETED.format(24)}, and a policy deletes remaining ones 49 h after they were made"),
    ({"keep_hours": 720}, True, "745h",
     f"compares 24 h; {DELETED.format(720)}, and a policy deletes remaining ones 745 h after they were made"),
    ({"window_hours": 48}, True, "73h",
     f"compares 48 h; {DELETED.format(48)}, and a policy deletes remaining ones 73 h after they were made"),
    ({"keep_hours": 0}, True, None, "compares 24 h; deletes nothing (--keep-hours)"),
    ({"window_hours": 0}, True, None, "compares all hours; deletes nothing (--keep-hours)"),
    ({"keep_hours": 720}, False, None, f"compares 24 h; {DELETED.format(720)}"),
])  # fmt: skip
def test_it_is_said_what_is_compared_and_when_it_is_deleted(hours, lifecycle, age, words):
    snapshot = complete()._replace(objects={}, lifecycle=lifecycle)
    made = plan(NEWS, replace(DEFAULT, **hours), snapshot)
    assert made.hours == words
    policies = [change.body for change in made.changes if "_ilm/policy" in change.path]
    ages = [body["policy"]["phases"]["delete"]["min_age"] for body in policies]
    assert ages == ([age] if age else [])


def test_a_description_of_before_keep_hours_is_read():
    about = DEFAULT.about()
    assert "keep_hours" not in about
    assert window_config(about) == DEFAULT
    kept = replace(DEFAULT, keep_hours=720)
    assert window_config(kept.about()) == kept


@pytest.mark.parametrize(
    ("setting", "remedy"),
    [
        ("true", None), ("news-*", None), ("-logs-*,+*", None), ("+n*,-*", None), (["b*", "*"], None),
        ("false", "news-*"), ("logs-*", "news-*,logs-*"), (["-news-*", "+*"], "news-*,-news-*,+*"),
    ],
)  # fmt: skip
def test_a_cluster_in_which_writes_make_no_hours_is_told_of(memory, setting, remedy):
    """Setup and doctor were content, and whatever was written to a new hour was refused."""
    kept, cluster = memory
    kept.settings["action.auto_create_index"] = setting
    notes = set_up(cluster).notes
    assert len(notes) == (remedy is not None)
    for note in notes:
        assert "writes make no hours in this cluster" in note
        assert note.endswith(f'{{"action.auto_create_index": "{remedy}"}}}}')


@pytest.mark.parametrize("setting", ["default_pipeline", "final_pipeline"])
def test_a_pipeline_of_ones_own_that_is_not_there_is_told_when_the_window_is_set_up(memory, setting):
    """Every document was refused later."""
    kept, cluster = memory
    template = {"template": {"settings": {"index": {setting: "mine"}}}}
    kept.kept["_component_template"] = {"news@custom": template}
    notes = set_up(cluster, sign="client").notes
    (note,) = [note for note in notes if note.startswith("component template news@custom: ")]
    assert f"there is no pipeline mine (index.{setting}), so nothing can be written; make it again" in note
    kept.kept["_ingest/pipeline"] = {"mine": {"processors": []}}
    assert set_up(cluster).notes == [note for note in notes if "mine" not in note]


@pytest.mark.parametrize(("sign", "notes"), [("plugin", 0), ("client", 1)])
def test_a_final_pipeline_that_setup_replaces_is_not_told_as_missing(memory, sign, notes):
    """It was noted that nothing can be written to the hour, by the run that let documents be written to it."""
    kept, cluster = memory
    config = set_up(cluster, sign=sign).config
    hour = {"settings": {"index": {"uuid": "x", "final_pipeline": "mine"}}}
    kept.kept["index"]["news-2026.11.21-09"] = hour | {"mappings": {"_meta": {"neardup": config.about()}}}
    made = set_up(cluster, dry_run=True)
    assert any('final_pipeline: "mine" -> "neardup-news"' in str(each) for each in made.changes) == (
        not notes
    )
    assert sum("there is no pipeline mine" in note for note in made.notes) == notes
