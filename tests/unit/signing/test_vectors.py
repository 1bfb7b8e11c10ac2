"""The test vectors: what the files hold is what the oracle says, and they hold what they should."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from neardup.oracle import definitions as oracle

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
KINDS = sorted(path.stem for path in VECTORS.glob("*.jsonl"))
SETTINGS = ("q", "fold_case", "simhash_variants", "reach")


def expanded(value: Any) -> Any:
    """`value` with every {"repeat": [unit, times]} written out."""
    if isinstance(value, dict):
        unit, times = value["repeat"]
        return unit * times
    return [expanded(item) for item in value] if isinstance(value, list) else value


def vectors(kind: str) -> list[dict[str, Any]]:
    lines = (VECTORS / f"{kind}.jsonl").read_text(encoding="ascii").splitlines()
    return [{key: expanded(value) for key, value in json.loads(line).items()} for line in lines]


def test_there_are_vectors_of_every_kind():
    assert {
        "short",
        "symbols",
        "scripts",
        "normalization",
        "lowercase",
        "sentences",
        "passages",
        "settings",
        "sketches",
    } <= set(KINDS)
    assert all(vectors(kind) for kind in KINDS)
    assert sum(len(vectors(kind)) for kind in KINDS) > 100


@pytest.mark.parametrize("kind", KINDS)
def test_the_oracle_makes_each_vector_again(kind):
    for vector in vectors(kind):
        settings = {name: vector[name] for name in SETTINGS}
        salt = None if vector["salt"] is None else vector["salt"].encode()
        signature = oracle.sign(vector["text"], size=vector["sketch_size"], salt=salt, **settings)
        assert {field: vector[field] for field in signature} == signature, vector["name"]
        form = oracle.normal_form(vector["text"], fold_case=vector["fold_case"])
        assert vector["normal_form"] == form, vector["name"]
        assert vector["keys"] == [f"{oracle.key(gram):016x}" for gram in signature["qgrams"]], vector["name"]
        assert vector["words"] == oracle.words(vector["text"]), vector["name"]


def test_the_files_are_what_the_script_writes(tmp_path):
    script = runpy.run_path(str(VECTORS.parents[1] / "scripts" / "make_vectors.py"))
    script["write"](tmp_path)
    assert sorted(path.stem for path in tmp_path.iterdir()) == KINDS
    for kind in KINDS:
        made, kept = ((folder / f"{kind}.jsonl").read_bytes() for folder in (tmp_path, VECTORS))
        assert made == kept, f"{kind}.jsonl is stale: run scripts/make_vectors.py and look at the difference"


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_unique(kind):
    names = [vector["name"] for vector in vectors(kind)]
    assert len(names) == len(set(names))


def test_every_setting_occurs():
    every = [vector for kind in KINDS for vector in vectors(kind)]
    assert {vector["q"] for vector in every} == set(range(1, 17))
    assert {vector["fold_case"] for vector in every} == {True, False}
    assert {vector["simhash_variants"] for vector in every} == set(range(1, 11))


def test_they_stay_small():
    assert sum(path.stat().st_size for path in VECTORS.iterdir()) < 1_500_000
