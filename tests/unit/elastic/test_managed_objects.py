"""The files of `mappings/` and `ingest/` against the code that lives by them."""

from __future__ import annotations

from dataclasses import fields, replace

import orjson
import pytest

from neardup.elastic.admin import managed_objects as objects
from neardup.elastic.admin import resources
from neardup.elastic.admin.managed_objects import (
    COMPONENT,
    PIPELINE,
    POLICY,
    TEMPLATE,
    WindowConfig,
    differences,
    object_in,
    wanted_objects,
)
from neardup.elastic.http.address import Address
from neardup.elastic.window.codec import BOOKKEEPING, VERDICT
from neardup.errors import DataFileError
from neardup.model.settings import DEFAULT_WINDOW_HOURS, Recipe
from neardup.signing.signature import Signature
from neardup.tables.lexicon import Lexicon

NEWS = Address("http://localhost:9200", "news")
DEFAULT = WindowConfig(Recipe(), Recipe().text(Lexicon.default().id))
FILES = {
    (folder, path.name): orjson.loads(path.read_bytes())
    for folder in ("mappings", "ingest")
    for path in resources.folder(folder).iterdir()
}


ANALYSIS = {
    "analyzer": {"neardup_qgrams": {"type": "custom", "tokenizer": "neardup_qgrams"}},
    "tokenizer": {"neardup_qgrams": {"type": "ngram", "min_gram": "4", "max_gram": "4"}},
}
COMPACT = FILES["mappings", "neardup-PREFIX.json"]["template"]["mappings"]["properties"]["neardup"]


def body(name, config=DEFAULT, kind=TEMPLATE, **options):
    options.setdefault("lifecycle", True)
    return next(
        entry.body
        for entry in wanted_objects(NEWS, config, **options)
        if (entry.kind, entry.name) == (kind, name)
    )


def test_every_field_of_a_signature_and_of_a_verdict_is_mapped_and_nothing_else():
    mapped = FILES["mappings", "neardup-fields.json"]["template"]["mappings"]["properties"]["neardup"]
    signature = {field.name for field in fields(Signature)}
    assert set(mapped["properties"]) == signature | {"unsigned"} | set(VERDICT) | set(BOOKKEEPING)
    assert mapped["dynamic"] == "false"


def test_qgrams_cost_no_more_than_their_postings():
    mapped = FILES["mappings", "neardup-fields.json"]["template"]["mappings"]["properties"]["neardup"][
        "properties"
    ]
    assert mapped["qgrams"] == {
        "type": "keyword",
        "index_options": "docs",
        "norms": False,
        "doc_values": False,
    }
    assert "_source" not in FILES["mappings", "neardup-fields.json"]["template"]["mappings"]


def test_with_the_default_settings_every_file_is_put_as_it_is():
    """But for the prefix: whoever reads the files reads what the cluster gets."""
    put = {(entry.kind, entry.name): entry.body for entry in wanted_objects(NEWS, DEFAULT, lifecycle=True)}
    files = {}
    for (folder, file), content in FILES.items():
        kind = PIPELINE if folder == "ingest" else POLICY if ".policy." in file else TEMPLATE
        kind = COMPONENT if file in {"neardup-fields.json", "neardup-hourly.json"} else kind
        name = file.removesuffix(".json").removesuffix(".policy").replace("PREFIX", "news")
        files[kind, name] = orjson.loads(orjson.dumps(content).replace(b"PREFIX", b"news"))
    assert put == files


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(DataFileError, match=r"nothing\.json"):
        resources.load("mappings", "nothing.json", "news")


def test_the_settings_reach_template_and_pipeline():
    recipe = Recipe(
        q=5,
        fold_case=True,
        simhash_variants=3,
        sketch_size=48,
        reach=0.5,
        lexicon="/tmp/de.lexicon",
        salt="/secret/de.salt",
    )
    config = WindowConfig(recipe, "the recipe", "de", "pepper", "page.body", "published", 48, 5_000, "plugin")
    for name in ("neardup-news", "neardup-news-copies"):
        mappings = body(name, config)["template"]["mappings"]
        assert mappings == {
            "_meta": {
                "neardup": {
                    "recipe": "the recipe", "q": 5, "fold_case": True, "simhash_variants": 3, "sketch_size": 48,
                    "reach": 0.5, "lexicon": "de", "salt": "pepper", "text_field": "page.body",
                    "time_field": "published", "window_hours": 48, "max_length": 5_000, "signed_by": "plugin",
                    "compact": True, "lossless": True, "terms": False,
                }
            },
            "properties": {"published": {"type": "date"}, "neardup": COMPACT},
        }  # fmt: skip
    (step,) = body("neardup-news", config, PIPELINE)["processors"]
    assert step == {
        "neardup": {
            "field": "page.body", "target_field": "neardup", "q": 5, "fold_case": True, "simhash_variants": 3,
            "sketch_size": 48, "reach": 0.5, "ignore_missing": True, "max_length": 5_000, "on_too_long": "mark",
            "compact": True, "scanned": True, "recipe": "the recipe", "lexicon": "de", "salt": "pepper",
        }
    }  # fmt: skip
    assert body("neardup-news", config, POLICY)["policy"]["phases"]["delete"]["min_age"] == "73h"


def test_an_hour_is_deleted_well_after_it_has_left_the_window():
    age = FILES["mappings", "neardup-PREFIX.policy.json"]["policy"]["phases"]["delete"]["min_age"]
    assert age == f"{DEFAULT_WINDOW_HOURS + objects.MARGIN_HOURS}h"
    assert objects.MARGIN_HOURS > 1


def test_the_policy_does_nothing_but_delete():
    """Any other action moves, merges or blocks an index that verdicts are still written to."""
    phases = FILES["mappings", "neardup-PREFIX.policy.json"]["policy"]["phases"]
    assert {name: set(phase["actions"]) for name, phase in phases.items()} == {
        "hot": set(),
        "delete": {"delete"},
    }


@pytest.mark.parametrize(
    ("config", "lifecycle"),
    [(DEFAULT, False), (WindowConfig(Recipe(), "r", window_hours=0), True)],
    ids=["no lifecycle management", "no end of the window"],
)
def test_without_an_end_that_can_be_set_there_is_no_policy(config, lifecycle):
    assert POLICY not in {entry.kind for entry in wanted_objects(NEWS, config, lifecycle=lifecycle)}
    settings = body("neardup-news", config, lifecycle=lifecycle)["template"]["settings"]
    assert settings == {"index": {"final_pipeline": "neardup-news"}}


def test_where_the_client_signs_there_is_no_pipeline():
    config = WindowConfig(Recipe(), "r", signed_by="client", terms=True)
    assert PIPELINE not in {entry.kind for entry in wanted_objects(NEWS, config, lifecycle=True)}
    assert body("neardup-news", config)["template"]["settings"] == {
        "index": {"lifecycle": {"name": "neardup-news"}, "analysis": ANALYSIS}
    }


def test_a_window_made_before_compact_fields_keeps_its_lists():
    config = replace(DEFAULT, compact=False, signed_by="client", terms=True)
    template = body("neardup-news", config, lifecycle=False)["template"]
    assert "settings" not in template
    assert set(template["mappings"]["properties"]) == {"@timestamp"}
    (step,) = body("neardup-news", replace(config, signed_by="plugin"), PIPELINE)["processors"]
    assert not {"compact", "scanned"} & step["neardup"].keys()


def test_without_lossless_no_qgrams_are_made_and_none_can_be_searched_for():
    config = replace(DEFAULT, lossless=False)
    template = body("neardup-news", config)["template"]
    assert "analysis" not in template["settings"]["index"]
    fields = template["mappings"]["properties"]["neardup"]["properties"]
    qgrams = {"type": "keyword", "index": False, "doc_values": False}
    assert fields | {"qgram_bitmap": None} == COMPACT["properties"] | {"qgrams": qgrams, "qgram_bitmap": None}
    (step,) = body("neardup-news", config, PIPELINE)["processors"]
    assert (step["neardup"]["compact"], step["neardup"]["qgrams"]) == (True, False)
    assert step["neardup"]["scanned"]
    terms = body("neardup-news", replace(config, terms=True))["template"]
    assert "analysis" not in terms["settings"]["index"]
    assert terms["mappings"]["properties"]["neardup"]["properties"]["qgrams"] == qgrams


def test_without_words_nothing_is_made_of_them_and_a_search_for_it_is_an_error():
    config = replace(DEFAULT, words=False)
    fields = body("neardup-news", config)["template"]["mappings"]["properties"]["neardup"]["properties"]
    unsearched = {"type": "keyword", "index": False, "doc_values": False}
    assert fields == COMPACT["properties"] | dict.fromkeys(
        ("sentences", "simhash", "simhash_bands"), unsearched
    )
    (step,) = body("neardup-news", config, PIPELINE)["processors"]
    assert step["neardup"]["words"] is False
    (step,) = body("neardup-news", kind=PIPELINE)["processors"]
    assert "words" not in step["neardup"]


def test_signatures_are_terms_or_what_is_scanned():
    terms = body("neardup-news", replace(DEFAULT, terms=True))["template"]["mappings"]["properties"]
    fields = terms["neardup"]["properties"]
    assert not {"qgram_bitmap", "packed_sketch"} & fields.keys()
    cut = {"type": "text", "index_options": "docs", "norms": False}
    assert fields["qgrams"] == cut | {"analyzer": "neardup_qgrams"}
    assert fields["sketch"] == cut | {"analyzer": "whitespace"}
    (step,) = body("neardup-news", replace(DEFAULT, terms=True), PIPELINE)["processors"]
    assert "scanned" not in step["neardup"]
    template = body("neardup-news")["template"]
    assert "analysis" not in template["settings"]["index"]
    bitmaps = template["mappings"]["properties"]["neardup"]["properties"]
    assert bitmaps["qgram_bitmap"] == {"type": "binary", "doc_values": True}
    assert bitmaps["packed_sketch"] == {"type": "binary", "doc_values": True}
    assert bitmaps["sketch"] == {"type": "keyword", "index": False, "doc_values": False}
    assert (bitmaps["qgrams"]["index"], bitmaps["qgrams"]["store"]) == (False, True)


def test_qgrams_are_cut_by_what_the_nodes_have():
    config = replace(DEFAULT, recipe=Recipe(q=6), terms=True)
    template = body("neardup-news", config, tokenizer="neardup_qgrams")["template"]
    analysis = template["settings"]["index"]["analysis"]
    cut = {"type": "neardup_qgrams", "min_gram": "6", "max_gram": "6"}
    assert analysis == ANALYSIS | {"tokenizer": {"neardup_qgrams": cut}}


def test_hours_are_refreshed_even_when_nobody_searches():
    settings = FILES["mappings", "neardup-hourly.json"]["template"]["settings"]["index"]
    assert settings["refresh_interval"] == "1s"


def test_copies_are_in_no_alias_and_have_a_template_of_their_own():
    hours, copies = body("neardup-news"), body("neardup-news-copies")
    assert "aliases" in hours["template"]
    assert "aliases" not in copies["template"]
    assert copies["priority"] > hours["priority"]


def test_pipelines_and_queries_need_no_scripting():
    for content in FILES.values():
        text = orjson.dumps(content)
        assert b'"script' not in text
        assert b'"if"' not in text


def test_what_elasticsearch_adds_is_no_difference():
    fields_file = FILES["mappings", "neardup-fields.json"]
    listed = {
        "component_templates": [
            {"name": "other", "component_template": {}},
            {"name": "neardup-fields", "component_template": {**fields_file, "created_date_millis": 1}},
        ]
    }
    there = object_in(COMPONENT, "neardup-fields", listed)
    assert there is not None
    assert there.body == fields_file
    policy = FILES["mappings", "neardup-PREFIX.policy.json"]
    there = object_in(
        POLICY, "p", {"p": {**policy, "version": 7, "modified_date": "x", "in_use_by": {"indices": []}}}
    )
    assert there is not None
    assert there.body == policy
    assert there.ours


@pytest.mark.parametrize("answer", [None, {}, {"component_templates": []}])
def test_what_is_not_there_is_none(answer):
    assert object_in(COMPONENT, "neardup-fields", answer) is None
    assert object_in(PIPELINE, "neardup-news", None) is None


def test_differences_name_every_value():
    there = {"a": {"b": [1, 2], "c": [{"d": 1}], "same": 0}, "gone": True, "x": None}
    here = {"a": {"b": [2], "c": [{"d": 2}], "same": 0}, "new": {"n": "ü"}, "x": 1}
    assert list(differences(there, here, "index")) == [
        "index.a.b: [1,2] -> [2]",
        "index.a.c[0].d: 1 -> 2",
        "index.gone: true -> nothing",
        'index.new: nothing -> {"n":"ü"}',
        "index.x: nothing -> 1",
    ]
