"""All methods of an evaluation: kept results, processes of their own, and methods that fail."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from neardup.evaluation import methods, results
from neardup.evaluation.corpus import Corpus
from neardup.evaluation.errors import EvaluationError, MethodFailed
from neardup.evaluation.evaluated_settings import EvaluatedSettings
from neardup.evaluation.results import Cost, Point, Result, ResultCache, code_digest, deciding, key_of
from neardup.evaluation.run import RESULTS, Evaluation, evaluate
from neardup.evaluation.subprocess_runner import measure_in_subprocess
from neardup.evaluation.truth import Truth
from neardup.evaluation.worker import Job
from neardup.model.settings import Recipe, Settings
from neardup.signing.lexicon_sample import lexicon_of
from neardup.tables.lexicon import Lexicon

if TYPE_CHECKING:
    from neardup.evaluation.measure import Progress

PACKAGE = Path(methods.__file__).parents[1]
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
    """Stands in for the measurement, and remembers the methods that it was to measure."""

    def __init__(self) -> None:
        self.methods: list[str] = []

    def __call__(self, job: Job, _: object) -> Result:
        self.methods.append(job.method)
        return replace(RESULT, method=job.method)


@pytest.fixture
def measured() -> Measured:
    return Measured()


def test_a_kept_result_is_not_measured_again(tmp_path, measured):
    for _ in range(2):
        outcomes = list(evaluate(CORPUS, TRUTH, ["x", "y"], directory=tmp_path, runner=measured))
        assert [outcome.method for outcome in outcomes] == ["x", "y"]
    assert measured.methods == ["x", "y"]
    list(evaluate(CORPUS, TRUTH, ["x"], directory=tmp_path, runner=measured, fresh=True))
    assert measured.methods == ["x", "y", "x"]


@pytest.mark.parametrize(
    "change",
    [
        {"corpus": Corpus(CORPUS.ids, ("Rain at noon.", "Rain at noon", "Snow."))},
        {"truth": Truth(frozenset({(0, 2)}))},
        {"truth": Truth(TRUTH.copies, judged_only=True)},
        {"thresholds": (0.5,)},
        {"seed": 1},
        {"methods": ["neardup sketch"], "settings": EvaluatedSettings(Recipe(fold_case=True))},
        {"methods": ["neardup sketch"], "settings": EvaluatedSettings(max_length=99)},
        {"methods": ["neardup sketch"], "settings": EvaluatedSettings(max_candidates=9)},
        {"methods": ["neardup sketch"], "settings": EvaluatedSettings(routes=("simhash",))},
        {"methods": ["neardup sketch"], "settings": EvaluatedSettings(min_shared=1)},
        {"methods": ["neardup sketch"], "settings": EvaluatedSettings(gives_reach=True)},
    ],
)
def test_it_is_measured_again_when_what_it_depends_on_has_changed(tmp_path, measured, change):
    names = change.get("methods", ["x"])
    before: dict[str, Any] = {
        "corpus": CORPUS, "truth": TRUTH, "methods": names, "thresholds": None, "seed": 0,
        "settings": EvaluatedSettings(),
    }  # fmt: skip
    for values in (before, before | change, before):
        list(evaluate(directory=tmp_path, runner=measured, **values))
    assert measured.methods == names * 2


def test_whose_documents_are_matters_to_neardup_where_boilerplate_is_left_out(tmp_path, measured):
    table = tmp_path / "table.json"
    table.write_text('{"neardup": "boilerplate 1", "sources": {}}')
    methods, other = ["x", "neardup sketch"], replace(CORPUS, sources=("A", "A", "B"))
    assert other.digest == CORPUS.digest
    for settings in (EvaluatedSettings(), EvaluatedSettings(Recipe(boilerplate=table))):
        for corpus in (CORPUS, other):
            list(evaluate(corpus, TRUTH, methods, directory=tmp_path, runner=measured, settings=settings))
    assert measured.methods == [*methods, *2 * ["neardup sketch"]]


def test_methods_of_others_are_not_measured_again_when_neardup_is_set_up_otherwise(tmp_path, measured):
    for settings in (EvaluatedSettings(), EvaluatedSettings(Recipe(q=5))):
        list(evaluate(CORPUS, TRUTH, ["x"], directory=tmp_path, runner=measured, settings=settings))
    assert measured.methods == ["x"]


def test_a_lexicon_counts_by_what_is_in_it(tmp_path):
    path = tmp_path / "own.lexicon"
    lexicon_of(CORPUS.texts, name="own").save(path)
    before = EvaluatedSettings(Recipe(lexicon=path)).key
    lexicon_of(CORPUS.texts, name="own").save(path.with_name("same.lexicon"))
    assert (
        EvaluatedSettings(Recipe(lexicon=path.with_name("same.lexicon"))).key
        == before
        != EvaluatedSettings().key
    )
    lexicon_of(CORPUS.texts[:2], name="own").save(path)
    changed = EvaluatedSettings(Recipe(lexicon=path))
    assert changed.key != before
    assert str(changed) == f"lexicon={Lexicon.load(path).id}"


@pytest.mark.parametrize("name", ["_code", "_libraries"])
def test_a_change_of_the_code_makes_another_key(monkeypatch, name):
    before = key_of("x", 1)
    monkeypatch.setattr(f"neardup.evaluation.results.{name}", lambda: "another")
    assert key_of("x", 1) != before


def test_the_libraries_of_a_key_are_those_that_are_installed(monkeypatch):
    monkeypatch.setattr(results, "LIBRARIES", ("numpy", "no-such-library"))
    results._libraries.cache_clear()
    try:
        assert dict(results._libraries())["numpy"] == np.__version__
        assert dict(results._libraries())["no-such-library"] is None
    finally:
        results._libraries.cache_clear()


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """A copy of the package's files."""
    copy: Path = tmp_path_factory.mktemp("copy") / "neardup"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.mark.parametrize(
    "name",
    [
        "model/decision.py", "index/posting_lists.py", "model/verdict.py", "model/document.py", "model/hours.py",
        "tables/unicode.py", "kernels/sketch.py", "tables/container.py", "tables/lexicon.py", "data/default.lexicon",
        "data/unicode16.bin", "baselines/cops.py", "window/engine.py", "stores/base.py",
        "index/candidates.py", "kernels/text.py", "evaluation/neardup_method.py",
    ],
)  # fmt: skip
def test_a_change_of_a_file_that_decides_changes_the_digest_of_the_code(package, name):
    before, content = code_digest(package), (package / name).read_bytes()
    (package / name).write_bytes(content + b"#")
    assert code_digest(package) != before
    (package / name).write_bytes(content)
    assert code_digest(package) == before


@pytest.mark.parametrize(
    "name",
    [
        "evaluation/report.py",
        "evaluation/report_tables.py",
        "evaluation/page.py",
        "evaluation/page.html",
        "cli/evaluate.py",
    ],
)
def test_a_change_of_what_only_shows_results_does_not(package, name):
    before = code_digest(package)
    with (package / name).open("ab") as file:
        file.write(b"#")
    assert code_digest(package) == before


def test_every_module_that_a_measurement_loads_is_in_the_digest():
    script = (
        "import sys\n"
        "from neardup.evaluation.corpus import Corpus\n"
        "from neardup.evaluation.truth import Truth\n"
        "from neardup.evaluation.worker import Job, measure_in_process\n"
        "for method in ('neardup sketch', 'neardup complete', 'doc_q(q=4)'):\n"
        "    corpus, truth = Corpus(('a', 'b'), ('Rain at noon.', 'Rain at noon.')), Truth(frozenset({(0, 1)}))\n"
        "    measure_in_process(Job(method, corpus, truth, (0.5,)), lambda _: None)\n"
        "own = [module for name, module in sys.modules.items() if name.partition('.')[0] == 'neardup']\n"
        "print(*(module.__file__ for module in own), sep='\\n')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {Path(line).relative_to(PACKAGE) for line in done.stdout.splitlines()}
    assert len(loaded) > 30
    of_addresses = {Path(f"elastic/{name}.py") for name in ("__init__", "http/__init__", "http/address")}
    # Nothing is measured at an address.
    assert loaded - of_addresses <= {path.relative_to(PACKAGE) for path in deciding(PACKAGE)}


@pytest.mark.parametrize("damage", [b"", b"{", b"{}", b'{"key": "k", "result": {}}', b"\xff"])
def test_a_damaged_result_is_as_good_as_none(tmp_path, damage):
    kept = ResultCache(tmp_path)
    kept.keep(RESULT, "k")
    assert kept.find(RESULT.method, "k") == RESULT
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage)
    assert kept.find(RESULT.method, "k") is None
    assert kept.find(RESULT.method, "other") is None


def test_a_method_that_fails_leaves_the_others_alone(tmp_path):
    def fails(job: Job, _: object) -> Result:
        if job.method == "x":
            raise MethodFailed(job.method, "it cannot")
        return replace(RESULT, method=job.method)

    evaluation = Evaluation(CORPUS.facts(), TRUTH.facts(), 0)
    for outcome in evaluate(CORPUS, TRUTH, ["x", "y"], directory=tmp_path, runner=fails):
        evaluation.add(outcome)
    assert [result.method for result in evaluation.results] == ["y"]
    assert evaluation.to_dict()["failed"] == {"x": "it cannot"}
    assert len(list((tmp_path / RESULTS).iterdir())) == 1


def test_a_process_measures_and_reports_its_progress():
    reports: list[Progress] = []
    result = measure_in_subprocess(Job("checksum(text)", CORPUS, TRUTH), reports.append)
    assert (result.points, result.index_bytes) == ((Point(1.0, 1, 1, 1, 1),), 60)
    assert {one.stage.split(" at")[0] for one in reports} == {"sign", "compare"}  # it learns nothing
    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_a_process_measures_neardup_as_it_is_set_up():
    corpus = Corpus(("a", "b"), ("Rain at noon.", "RAIN AT NOON."))
    correct = {}
    for settings in (EvaluatedSettings(), EvaluatedSettings(Recipe(fold_case=True), routes=("simhash",))):
        job = Job("neardup sketch", corpus, TRUTH, thresholds=(0.7,), settings=settings)
        result = measure_in_subprocess(job, lambda _: None)
        correct[result.name] = result.points[0].correct
    assert correct == {"neardup sketch": 0, "neardup sketch(fold_case, routes=simhash)": 1}


@pytest.mark.parametrize("place", [0, 2])
def test_a_document_that_neardup_itself_rejects_is_told(place):
    texts = ["Rain.", "Rain.", "Snow."]
    texts[place] = "Rain at noon."
    corpus = Corpus(CORPUS.ids, tuple(texts))
    reason = rf"the engine rejects the document '{corpus.ids[place]}': text has 13 characters, .* is 5"
    with pytest.raises(MethodFailed, match=reason):
        measure_in_subprocess(
            Job("neardup sketch", corpus, TRUTH, settings=EvaluatedSettings(max_length=5)), lambda _: None
        )


def test_every_setting_is_taken_over_or_left_out_on_purpose():
    varied = {"threshold", "retrieval"}
    forgets = {
        "window_hours",
        "keep_hours",
        "ahead_hours",
        "advance",
        "max_documents",
        "max_memory",
        "policy",
    }
    partial = {"partial", "containment", "delta"}
    same_verdicts = {
        "matches",
        "batch_documents",
        "threads",
        "fsync",
        "keep_text",
        "show",
        "kinds",
        "candidates",
    }
    taken = {field.name for field in fields(EvaluatedSettings)} - {"gives_reach"}
    assert {field.name for field in fields(Settings)} == taken | varied | forgets | partial | same_verdicts


def test_evaluated_settings_are_those_of_the_settings_wherever_they_go():
    settings = Settings(
        recipe=Recipe(q=5, fold_case=True, lexicon=Path("own.lexicon")), max_length=20_000_000, max_candidates=7,
        routes=("simhash", "sentences"), min_shared=3, window_hours=3, policy="drop",
    )  # fmt: skip
    evaluated = EvaluatedSettings.of(settings)
    again = EvaluatedSettings.from_dict(json.loads(json.dumps(evaluated.to_dict())))
    for one in (evaluated, again):
        made = one.settings("complete", 0.6)
        assert (made.threshold, made.retrieval, made.window_hours, made.policy) == (
            0.6,
            "complete",
            0,
            "mark",
        )
        assert (made.max_length, made.max_candidates, made.min_shared) == (20_000_000, 7, 3)
        assert (made.routes, made.matches) == (("sentences", "simhash"), None)
        assert made.recipe is not None
        assert (made.recipe.q, made.recipe.fold_case, str(made.recipe.lexicon)) == (5, True, "own.lexicon")
    assert EvaluatedSettings.of(Settings()) == EvaluatedSettings()


@pytest.mark.parametrize(
    ("recipe", "gives_reach", "reaches"),
    [
        (Recipe(), False, [0.5, 0.6]),
        (Recipe(fold_case=True), False, [0.5, 0.6]),
        (Recipe(), True, [0.6, 0.6]),
        (Recipe(reach=0.5), True, [0.5, 0.5]),
    ],
)
def test_sketches_reach_as_far_as_those_of_a_new_window(recipe, gives_reach, reaches):
    evaluated = EvaluatedSettings.of(Settings(recipe=recipe), gives_reach=gives_reach)
    made = [evaluated.settings("sketch", threshold).recipe for threshold in (0.5, 0.6)]
    assert [one and one.reach for one in made] == reaches
    assert ("reach=" in str(evaluated)) == gives_reach


def test_the_memory_of_a_process_is_its_own_however_large_the_one_that_starts_it():
    ballast = bytearray(b"x") * 400_000_000
    result = measure_in_subprocess(Job("checksum(text)", CORPUS, TRUTH), lambda _: None)
    assert len(ballast) == 400_000_000
    if result.cost.peak_bytes is not None and sys.platform == "linux":
        assert result.cost.peak_bytes < 400_000_000
        assert (result.cost.own_bytes or 0) < 50_000_000


def test_what_a_method_raises_is_told():
    with pytest.raises(
        MethodFailed, match=r"method no such one failed: KeyError: .*\(registry.py, line \d+\)"
    ):
        measure_in_subprocess(Job("no such one", CORPUS, TRUTH), lambda _: None)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by signal 9 (out of memory?)"),
        ("import sys; sys.exit('no such library')", "no such library"),
        ("import sys; sys.exit(3)", "ended with exit code 3 and no message"),
    ],
)
def test_a_process_that_dies_is_a_method_that_failed(monkeypatch, tmp_path, program, reason):
    script = tmp_path / "dies"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{program}"\n')
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    large = Corpus(tuple(map(str, range(300))), ("x" * 10_000,) * 300)  # more than a pipe holds
    with pytest.raises(MethodFailed) as raised:
        measure_in_subprocess(Job("x", large, TRUTH), lambda _: None)
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


@pytest.mark.parametrize("asked", ["", "(", "?", "winnowing"])
def test_no_method_is_named_where_none_is_near(asked):
    with pytest.raises(EvaluationError) as raised:
        methods.chosen([asked])
    assert str(raised.value) == f"method: there is no method {asked!r}; neardup evaluate --list shows all"


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
    ResultCache(tmp_path).keep(RESULT, "k")
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]
    assert str(os.getpid()) not in next(tmp_path.iterdir()).name
