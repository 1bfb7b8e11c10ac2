"""Every experiment of benchmarks/ runs at its tiny size, so none of them rots; and their own tools are right."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import pytest
from benchmarks.lib import bruteforce, corpora, edits, stream, wordmodel
from benchmarks.speed import flood_texts

from neardup.oracle import definitions as oracle

ROOT = Path(__file__).resolve().parents[3]
NEEDS = {"speed.throughput": ("rensa", "gaoya"), "speed.durable": ("rensa",), "speed.log_lines": ("rensa",)}
RESULTS = {
    "quality.boilerplate": ["boilerplate.json"],
    "quality.generated_kinds": ["generated_kinds.json"],
    "quality.calibrate": ["calibrate.json"],
    "quality.exactness": ["exactness.json", "exactness-edits.json"],
    "quality.generator_check": ["generator-check.json"],
    "quality.judged": ["judged.json"],
    "quality.kinds": ["kinds.json"],
    "speed.durable": ["durable.json"],
    "speed.floods": ["floods-directory.json"],
    "speed.log_lines": ["log-lines.json"],
    "speed.posting_lists": ["posting-lists.json"],
    "speed.scale": ["scale.json"],
    "speed.startup": ["startup.json"],
    "speed.throughput": ["throughput.json"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(RESULTS))
def test_experiment_runs_at_its_tiny_size(name, tmp_path):
    missing = [peer for peer in NEEDS.get(name, ()) if find_spec(peer) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: pip install '.[bench]'")
    command = [sys.executable, "-m", f"benchmarks.{name}", "--tiny", "--results", str(tmp_path)]
    nowhere = os.environ | {"NEARDUP_DATA": str(tmp_path / "no-corpora")}
    done = subprocess.run(command, cwd=ROOT, env=nowhere, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    assert "| --- |" in done.stdout
    for file in RESULTS[name]:
        written = json.loads((tmp_path / file).read_text())
        assert written["figures"]
        assert written["origin"].keys() >= {"commit", "machine", "versions"}
        assert str(tmp_path) not in json.dumps(written)


@pytest.mark.parametrize("kind", flood_texts.KINDS)
def test_copies_of_a_flood_are_seeded_and_near_each_other(kind):
    texts = list(islice(flood_texts.ordinary(ROOT, 1_000, tiny=True), 4))
    assert all(900 < len(text) <= 1_000 for text in texts)
    flood = flood_texts.Flood(kind, texts[:3] if kind == "campaigns" else texts[:1])
    made = [flood.text(number) for number in range(12)]
    assert made == [flood.text(number) for number in range(12)]
    assert len(set(made)) == (1 if kind == "copies" else 12)
    step = 3 if kind == "campaigns" else 1
    for number in range(step, 12, step):
        shared, larger = bruteforce.text_overlap(made[0], made[number])
        assert shared / larger >= 0.7
    assert 0.7 <= flood.lowest(12) <= 1
    assert kind == "copies" or flood.lowest(12) < 0.9
    shared, larger = bruteforce.text_overlap(made[0], texts[3])
    assert shared / larger < 0.5


def test_brute_force_counts_as_the_oracle_does():
    corpus = corpora.generated("oracle", 40)
    texts = [
        *corpus.texts,
        "",
        "ab",
        "ab",
        "abc \U0001f600",
        "Ａ\u0301 über",
        "Ａ\u0301 uber",
        "𝒜𝒷𝒸𝒹𝑒",
        "𝒜𝒷𝒸𝒹 f",
    ]
    named = [(str(place), text) for place, text in enumerate(texts)]
    wanted = {(int(pair.first), int(pair.second)): pair for pair in oracle.brute_force_pairs(named, "0.5")}
    pairs = bruteforce.all_pairs(bruteforce.gram_sets(texts), "0.5")
    assert pairs.keys() == wanted.keys()
    counted = {pair: (one.shared, one.larger) for pair, one in wanted.items() if one.larger}
    assert {pair: pairs[pair] for pair in counted} == counted
    assert len(counted) > 5


@pytest.mark.parametrize("threshold", ["0.5", "0.7", "0.9"])
def test_threshold_is_compared_in_integers(threshold):
    assert bruteforce.reaches(int(10 * float(threshold)), 10, threshold)
    assert not bruteforce.reaches(10 * int(10 * float(threshold)) - 1, 100, threshold)


@pytest.mark.parametrize("kind", edits.KINDS)
def test_edits_are_seeded_and_change_about_their_share(kind):
    texts = corpora.generated("edits", 30).originals()
    for share in edits.KINDS[kind][1]:
        made = list(edits.copies(texts, kind, share, 5))
        assert made == list(edits.copies(texts, kind, share, 5))
        assert sorted(copy.original for copy in made) == list(range(len(texts)))
        for copy in made:
            shared, larger = bruteforce.text_overlap(texts[copy.original], copy.text)
            assert 0.2 < shared / larger < 1


def test_generated_stream_is_the_same_in_any_part():
    model = wordmodel.build(corpora.generated("model", 120).originals(), least_kept=3)
    made = stream.Stream(model, 9)
    whole = made.part(0, 300)
    texts = whole.texts()
    assert made.texts(140, 160) == texts[140:160]
    assert len(set(texts)) > 290
    originals = whole.originals.tolist()
    copies = [(place, original) for place, original in enumerate(originals) if original >= 0]
    assert 15 <= len(copies) <= 50
    for place, original in copies:
        assert original < place
        assert originals[original] == -1
        shared, larger = bruteforce.text_overlap(texts[original], texts[place])
        assert shared / larger > 0.3
