"""The table of judged pairs: sets are read, and F1 is that of a hand's count."""

import gzip

import numpy as np
import orjson
import pytest
from benchmarks.lib import harness
from benchmarks.lib.pages import filled
from benchmarks.papers import experiments
from benchmarks.quality import judged

from neardup.baselines.registry import METHODS

TEXTS = {"a": "The ferry ran aground.", "b": "The ferry ran aground!", "c": "Snow fell on the hills."}
RESULTS = harness.RESULTS / "judged.json"


def the_set(copies, name="set"):
    return judged.JudgedSet(name, ("x",), [(0, 0)] * len(copies), np.array(copies, bool))


def test_files_of_documents_and_pairs_are_a_set(tmp_path):
    lines = b"\n".join(orjson.dumps({"id": id, "text": text}) for id, text in TEXTS.items())
    (tmp_path / "texts.jsonl.gz").write_bytes(gzip.compress(lines))
    (tmp_path / "pairs.tsv").write_text("id1\tid2\tlabel\na\tb\tsame\na\tc\tno\n")
    one = judged.from_files("mail", tmp_path / "texts.jsonl.gz", tmp_path / "pairs.tsv", ["same"])
    assert (one.texts, one.pairs, one.copies.tolist()) == (
        tuple(TEXTS.values()),
        [(0, 1), (0, 2)],
        [True, False],
    )
    assert judged.scored("doc_q(q=4)", one).tolist() == [1.0, 0.0]


def test_folders_of_pairs_are_a_set(tmp_path):
    for pair, label in (("a_vs_b", "2"), ("a_vs_c", "0")):
        (tmp_path / pair).mkdir()
        for id in pair.split("_vs_"):
            (tmp_path / pair / f"full-text-{id}").write_text(TEXTS[id])
        (tmp_path / pair / "label").write_text(f"{label}\n")
    one = judged.from_folder("web", tmp_path)
    assert (len(one.texts), one.pairs, one.copies.tolist()) == (3, [(0, 1), (0, 2)], [True, False])


def test_a_folder_without_pairs_is_told(tmp_path):
    with pytest.raises(SystemExit, match="there is no folder A_vs_B in it"):
        judged.from_folder("web", tmp_path)


def test_f1_at_the_best_threshold_of_a_set_and_at_one_for_all():
    sets = [the_set([1, 1, 0, 0], "one"), the_set([1, 0], "two")]
    scores = [np.array([0.9, 0.5, 0.6, 0.1]), np.array([0.4, 0.3])]
    found = judged.figures(sets, scores, seed=1)
    assert found["best"] == {"one": pytest.approx(0.8), "two": 1.0}
    assert found["threshold"] == pytest.approx(0.32)
    assert found["f1"] == {"one": pytest.approx(0.8), "two": 1.0}
    assert found["mean"] == pytest.approx(0.9)
    assert found["interval"][0] <= 0.9 <= found["interval"][1]


def test_the_table_is_that_of_the_results():
    figures = harness.figures_of(RESULTS)
    assert set(judged.EVERY) <= set(figures["methods"]) <= set(METHODS)
    page = experiments.INDEX.read_text("utf-8")
    assert filled(page, judged.tables(figures["methods"])) == page
