"""All methods of an evaluation: kept results, processes of their own, and methods that fail."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from neardup.evaluation import methods
from neardup.evaluation.corpus import Corpus
from neardup.evaluation.errors import EvaluationError, MethodFailed
from neardup.evaluation.process import measure_apart
from neardup.evaluation.results import Cost, Kept, Point, Result, key_of
from neardup.evaluation.run import RESULTS, Evaluation, evaluate
from neardup.evaluation.truth import Truth

if TYPE_CHECKING:
    from neardup.evaluation.measure import Progress

CORPUS = Corpus(("a", "b", "c"), ("Rain at noon.", "Rain at noon.", "Snow."))
TRUTH = Truth(frozenset({(0, 1)}))
RESULT = Result(
    "checksum(text)",
    "checksum(text)",
    "none",
    (Point(1.0, 1, 1, 1, 1),),
    60,
    Cost(0, 0.1, 3, (0.2,), 900, 500),
)


class Measured:
    """Stands in for the measurement, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, method: str, *_: object, **__: object) -> Result:
        self.asked.append(method)
        return replace(RESULT, method=method)


@pytest.fixture
def measured() -> Measured:
    return Measured()


def test_a_kept_result_is_not_measured_again(tmp_path, measured):
    for _ in range(2):
        outcomes = list(evaluate(CORPUS, TRUTH, ["x", "y"], place=tmp_path, measured=measured))
        assert [outcome.method for outcome in outcomes] == ["x", "y"]
    assert measured.asked == ["x", "y"]
    list(evaluate(CORPUS, TRUTH, ["x"], place=tmp_path, measured=measured, fresh=True))
    assert measured.asked == ["x", "y", "x"]


@pytest.mark.parametrize(
    "change",
    [
        {"corpus": Corpus(CORPUS.ids, ("Rain at noon.", "Rain at noon", "Snow."))},
        {"truth": Truth(frozenset({(0, 2)}))},
        {"truth": Truth(TRUTH.copies, judged_only=True)},
        {"thresholds": (0.5,)},
        {"seed": 1},
    ],
)
def test_it_is_measured_again_when_what_it_depends_on_has_changed(tmp_path, measured, change):
    asked = {"corpus": CORPUS, "truth": TRUTH, "thresholds": None, "seed": 0}
    for values in (asked, asked | change, asked):
        list(evaluate(methods=["x"], place=tmp_path, measured=measured, **values))
    assert measured.asked == ["x", "x"]


def test_a_change_of_the_code_makes_another_key(monkeypatch):
    before = key_of("x", 1)
    monkeypatch.setattr("neardup.evaluation.results._code", lambda: "another")
    assert key_of("x", 1) != before


@pytest.mark.parametrize("damage", [b"", b"{", b"{}", b'{"key": "k", "result": {}}', b"\xff"])
def test_a_damaged_result_is_as_good_as_none(tmp_path, damage):
    kept = Kept(tmp_path)
    kept.keep(RESULT, "k")
    assert kept.find(RESULT.method, "k") == RESULT
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage)
    assert kept.find(RESULT.method, "k") is None
    assert kept.find(RESULT.method, "other") is None


def test_a_method_that_fails_leaves_the_others_alone(tmp_path):
    def fails(method: str, *_: object, **__: object) -> Result:
        if method == "x":
            raise MethodFailed(method, "it cannot")
        return replace(RESULT, method=method)

    evaluation = Evaluation(CORPUS.facts(), TRUTH.facts(), 0)
    for outcome in evaluate(CORPUS, TRUTH, ["x", "y"], place=tmp_path, measured=fails):
        evaluation.add(outcome)
    assert [result.method for result in evaluation.results] == ["y"]
    assert evaluation.to_dict()["failed"] == {"x": "it cannot"}
    assert len(list((tmp_path / RESULTS).iterdir())) == 1


def test_a_process_measures_and_tells_its_progress():
    said: list[Progress] = []
    result = measure_apart("checksum(text)", CORPUS, TRUTH, thresholds=None, seed=0, on_progress=said.append)
    assert (result.points, result.index_bytes) == ((Point(1.0, 1, 1, 1, 1),), 60)
    assert {one.stage.split(" at")[0] for one in said} == {"sign", "compare"}  # it learns nothing
    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_the_memory_of_a_process_is_its_own_however_large_the_one_that_starts_it():
    ballast = bytearray(b"x") * 400_000_000
    result = measure_apart(
        "checksum(text)", CORPUS, TRUTH, thresholds=None, seed=0, on_progress=lambda _: None
    )
    assert len(ballast) == 400_000_000
    if result.cost.peak_bytes is not None and sys.platform == "linux":
        assert result.cost.peak_bytes < 400_000_000
        assert (result.cost.own_bytes or 0) < 50_000_000


def test_what_a_method_raises_is_told():
    with pytest.raises(
        MethodFailed, match=r"method no such one failed: KeyError: .*\(registry.py, line \d+\)"
    ):
        measure_apart("no such one", CORPUS, TRUTH, thresholds=None, seed=0, on_progress=lambda _: None)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by signal 9 (out of memory?)"),
        ("import sys; sys.exit('no such library')", "no such library"),
        ("import sys; sys.exit(3)", "ended with exit code 3 and said nothing"),
    ],
)
def test_a_process_that_dies_is_a_method_that_failed(monkeypatch, tmp_path, program, reason):
    script = tmp_path / "dies"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{program}"\n')
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    large = Corpus(tuple(map(str, range(300))), ("x" * 10_000,) * 300)  # more than a pipe holds
    with pytest.raises(MethodFailed) as raised:
        measure_apart("x", large, TRUTH, thresholds=None, seed=0, on_progress=lambda _: None)
    assert reason in raised.value.reason


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["imatch"], ["I-Match(idf=0.2..0.85)"]),
        (["I-MATCH (lexicons = 10)"], ["I-Match(idf=0.2..0.85, lexicons=10)"]),
        (["doc_q", "doc-q(q=4)", "DOC Q(q=2)"], ["doc_q(q=4)", "doc_q(q=2)"]),
        (["neardup-sketch", "neardup_complete"], ["neardup sketch", "neardup complete"]),
        (["simhash"], ["simhash(k=2, lexicons=1, bits=64, idf)"]),
        (["simhash(bits=32, k=3)"], ["simhash(k=3, lexicons=1, bits=32, idf)"]),
        (["simhash(k=1)"], ["simhash(k=1, lexicons=1, bits=64, idf)"]),
        (["simhash(k=1, unweighted)"], ["simhash(k=1, lexicons=1, bits=64, unweighted)"]),
        (["simhash(bits=32)"], ["simhash(k=2, lexicons=1, bits=32, idf)"]),
        (["sentence fingerprints"], ["sentence fingerprints(cutoff=0.6, delta=3)"]),
        (["sentence fingerprints(cutoff=0.1)"], ["sentence fingerprints(cutoff=0.1, delta=3)"]),
        (["all", "cosine"], methods.names()),
    ],
)
def test_methods_are_known_by_what_people_call_them(asked, found):
    assert methods.chosen(asked) == found


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("imach", "I-Match"),
        ("doc_q(q=44)", "doc_q(q=4)"),
        ("minhash", "MinHash LSH"),
        ("neardup scetch", "neardup sketch"),
    ],
)
def test_an_unknown_method_is_told_with_the_nearest(asked, nearest):
    with pytest.raises(EvaluationError, match="there is no method") as raised:
        methods.chosen([asked])
    assert f"the nearest is '{nearest}'" in str(raised.value)


def test_every_usual_and_compared_method_is_one():
    assert set(methods.USUAL) <= set(methods.names())
    assert len(methods.chosen(methods.COMPARISON)) == len(methods.COMPARISON)


def test_a_method_whose_library_is_missing_can_be_left_out(monkeypatch):
    def make(name: str, **_: object) -> object:
        if name.startswith("MinHash"):
            raise ImportError("datasketch is not installed")
        return object()

    monkeypatch.setattr(methods, "make", make)
    found, missing = methods.usable(["neardup sketch", "MinHash LSH", "COPS"])
    assert found == ["neardup sketch", "COPS"]
    assert missing == {"MinHash LSH(q=4, permutations=128)": "datasketch is not installed"}


def test_keeping_leaves_no_unfinished_file(tmp_path):
    Kept(tmp_path).keep(RESULT, "k")
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]
    assert str(os.getpid()) not in next(tmp_path.iterdir()).name
