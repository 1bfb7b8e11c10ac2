"""The experiment of Montanari & Puglisi runs at its tiny size, and its day of news is what its header says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import Namespace
from itertools import combinations
from pathlib import Path

import pytest
from benchmarks.lib import harness
from benchmarks.papers import (
    montanari_imatch,
    montanari_puglisi,
    montanari_puglisi_data,
    montanari_puglisi_tables,
    newsday,
)

from neardup.baselines.imatch import IMatch
from neardup.evaluation.methods import PRODUCTS, chosen
from neardup.evaluation.truth import Truth

ROOT = Path(__file__).resolve().parents[3]
NOWHERE = Path("no-corpora")


def test_the_day_is_the_same_whenever_it_is_made():
    first, second = (newsday.make(NOWHERE, tiny=True) for _ in range(2))
    assert (first.corpus.texts, first.copies) == (second.corpus.texts, second.copies)
    assert len(first.corpus) == newsday.TINY_DOCUMENTS
    assert len(set(first.corpus.ids)) == len(first.corpus)


def test_the_families_of_the_day_make_the_pairs_of_the_paper():
    assert sum(count * (count + 1) // 2 for count in newsday.FAMILIES) == 111
    assert 0.10 < sum(newsday.FAMILIES) / newsday.DOCUMENTS < 0.15
    assert sum(newsday.MANNERS.values()) == 100


def test_pairs_of_the_day_are_whole_families():
    copies = newsday.make(NOWHERE, tiny=True).copies
    assert len(copies) == sum(count * (count + 1) // 2 for count in newsday.TINY_FAMILIES)
    members: dict[int, set[int]] = {}
    for i, j in sorted(copies):
        assert i < j
        members.setdefault(i, {i}).add(j)
    for family in members.values():
        assert set(combinations(sorted(family), 2)) <= copies


@pytest.mark.parametrize("manner", newsday.MANNERS)
def test_a_manner_of_copying_changes_no_more_than_it_says(manner):
    import random

    words = " ".join(f"word{number}" for number in range(400))
    other = " ".join(f"other{number}" for number in range(400))
    rng = random.Random(5)
    shares = []
    for _ in range(20):
        kept = set(manner(words, rng, other).split()) & set(words.split())
        shares.append(len(kept) / 400)
    least = {newsday.rewritten: 0.5, newsday.trimmed: 0.66, newsday.revised: 0.88}.get(manner, 0.98)
    assert least <= min(shares) <= 1.0


def test_every_method_of_the_experiment_is_known_once():
    assert (
        montanari_puglisi.METHODS.keys()
        == montanari_puglisi_data.CASES.keys()
        == set(montanari_puglisi.CORPORA)
    )
    for asked in montanari_puglisi.METHODS.values():
        given = [
            method for method in asked if method != "doc_q"
        ]  # doc_q(q=4) is among the sizes of q as well
        assert len(chosen(given)) == len(given)
        assert set(chosen(montanari_puglisi.FIGURE_5)) <= set(chosen(asked))
    assert chosen(montanari_puglisi.FIGURE_5)[:4] == list(montanari_puglisi_tables.PAPER)
    assert chosen(montanari_puglisi_tables.QS) == list(montanari_puglisi_tables.QS)


def test_the_product_is_measured_wherever_doc_q_is():
    thresholds = montanari_puglisi.thresholds_of("doc_q(q=4)")
    assert thresholds == (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    for product in PRODUCTS:
        assert montanari_puglisi.thresholds_of(product) == thresholds


def test_a_method_of_parts_is_the_one_of_its_paper():
    [method] = [one for one in chosen(montanari_puglisi.OTHERS) if one.startswith("sentence fingerprints")]
    assert method == chosen(["sentence fingerprints"])[0]


def test_what_is_measured_of_doc_q_beside_the_papers_thresholds_is_kept():
    """The text speaks of these points too."""
    figures = harness.figures_of(harness.RESULTS / "montanari-puglisi.json")["evaluations"]
    for evaluation in figures.values():
        for one in evaluation["methods"]:
            if one["method"] in ("doc_q(q=4)", *PRODUCTS):
                thresholds = tuple(point["threshold"] for point in one["points"])
                assert thresholds == montanari_puglisi.thresholds_of("doc_q(q=4)")
    [lowest] = [
        point
        for one in figures["articles"]["methods"] if one["method"] == "doc_q(q=4)"
        for point in one["points"] if point["threshold"] == 0.3
    ]  # fmt: skip
    page = (ROOT / "docs" / "experiments" / "montanari_puglisi.md").read_text("utf-8")
    assert f"begin to meet (precision {lowest['precision']:.3f})" in page


def test_the_papers_own_figures_are_consistent():
    for rows in montanari_puglisi_tables.PAPER.values():
        assert tuple(rows) == montanari_puglisi_tables.THRESHOLDS
        for reported, correct, recall, precision, f1 in rows.values():
            assert recall == pytest.approx(correct / 111, abs=0.001)
            assert precision == pytest.approx(correct / reported, abs=0.001)
            assert f1 == pytest.approx(2 * correct / (reported + 111), abs=0.0015)


def test_the_truth_of_the_versions_leaves_out_what_a_reader_may_call_either(tmp_path, monkeypatch):
    from benchmarks.lib import corpora

    corpus = corpora.Corpus("wikiversions", ["x@0", "x@1", "x@2", "y@0"], ["a", "b", "c", "d"])
    monkeypatch.setattr(corpora, "load", lambda *_, **__: corpus)
    rows = [
        ("id1", "id2", "jaccard8", "containment8", "relation"), ("x@0", "x@1", "0.5", "1", "truth"),
        ("x@2", "x@0", "0.2", "1", "cluster"), ("x@1", "x@2", "0.1", "1", "truth"),
        ("x@0", "y@0", "0.3", "1", "none"), ("x@1", "y@0", "0.1", "1", "none"),
    ]  # fmt: skip
    (tmp_path / "wikiversions.overlap.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    args = Namespace(data=tmp_path, tiny=False)
    assert montanari_puglisi_data.articles(args).truth.copies == {(0, 1), (0, 2), (1, 2)}
    truth = montanari_puglisi_data.versions(args).truth
    assert truth.copies == {(0, 1)}
    assert truth.uncounted == {(0, 2), (0, 3)}
    assert not truth.judged_only


@pytest.mark.slow
def test_the_experiment_runs_at_its_tiny_size(tmp_path):
    command = [
        sys.executable,
        "-m",
        "benchmarks.papers.montanari_puglisi",
        "--tiny",
        "--results",
        str(tmp_path),
    ]
    nowhere = os.environ | {"NEARDUP_DATA": str(tmp_path / "no-corpora")}
    words = ["--corpora", "day", "spamassassin", "--html", str(tmp_path / "pages")]
    done = subprocess.run(
        [*command, *words], cwd=ROOT, env=nowhere, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    assert "| --- |" in done.stdout
    written = json.loads((tmp_path / "montanari-puglisi.json").read_text())
    assert written["figures"]["evaluations"].keys() == {"day", "spamassassin"}
    assert str(tmp_path) not in json.dumps(written)
    assert (tmp_path / "pages" / "day" / "report.html").exists()
    again = subprocess.run(
        [*command, *words], cwd=ROOT, env=nowhere, capture_output=True, text=True, check=False
    )
    assert again.stdout == done.stdout


def test_whole_groups_of_copies_are_in_one_half_and_ranges_are_judged_by_half():
    truth = Truth(frozenset({(0, 2), (2, 5), (1, 4), (3, 6)}))
    second = montanari_imatch.halves_of(truth, 8)
    assert second == [False, True, False, False, True, False, False, True]
    found = {(0, 2), (1, 4), (1, 7), (3, 6)}
    assert montanari_imatch.judged(truth, found, second, True) == (0.5, 1.0, 2 / 3)
    assert montanari_imatch.judged(truth, found, second, False) == (1.0, 2 / 3, 0.8)
    assert montanari_imatch.judged(truth, found, second, None) == (0.75, 0.75, 0.75)


def test_a_range_has_the_digests_of_the_method():
    texts = ["the rose is a flower", "the rose is a flower!", "the wolf is a beast", "a wolf of the sea"]
    by_range = dict(montanari_imatch.digests_by_range(texts))
    method = IMatch(0.2, 0.8)
    method.learn(texts)
    assert by_range[0.2, 0.8] == [method.sign(text)[0] for text in texts]
    assert montanari_imatch.pairs_of(by_range[0.2, 0.8]) == {(0, 1)}
