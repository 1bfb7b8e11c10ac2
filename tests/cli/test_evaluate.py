"""neardup evaluate, as it is called: reports, resuming, and what is said of input that cannot be used."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from testing.cli.processes import seen_on_a_terminal, wait_for
from testing.cli.samples import FERRY, written

ROOT = Path(__file__).parents[2]
TRUTH = "ferry\tferry-again\nferry\tferry-edited\nferry-again\tferry-edited\n"
METHODS = ("-m", "doc_q", "-m", "checksum(normal form)")


@pytest.fixture
def truth(place) -> Path:
    path = Path("truth.tsv")
    path.write_text(TRUTH, "utf-8")
    return path


def without_costs(path: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(path.read_text("utf-8"))
    for method in report["methods"]:
        del method["cost"]
    return report


def test_the_sample_is_evaluated_as_the_help_says(run):
    examples = ROOT / "examples"
    done = run(
        "evaluate", examples / "stream.jsonl", "--truth", examples / "truth.tsv", "--output", "out",
        "--method", "neardup sketch", "--method", "doc_q",
    )  # fmt: skip
    assert done.code == 1  # the sample has two lines that are no documents
    assert "302 documents; 57 pairs of copies" in done.err
    report = json.loads(Path("out/report.json").read_text("utf-8"))
    product, doc_q = report["methods"]
    for ours, theirs in zip(product["points"], doc_q["points"], strict=True):
        assert {**ours, "compared": 0} == {**theirs, "compared": 0}
        assert ours["reported"] <= ours["compared"] < theirs["compared"]  # its sketches find fewer candidates
    assert [point["f1"] for point in doc_q["points"] if point["threshold"] == 0.7] == [1.0]
    assert product["cost"]["peak_bytes"] > product["cost"]["baseline_bytes"] > 0
    assert "<!doctype html>" in Path("out/report.html").read_text("utf-8")
    assert "| doc_q(q=4) | 1.000 | 0.7 |" in Path("out/report.md").read_text("utf-8")
    assert "doc_q(q=4)" in done.out


def test_the_truth_of_the_sample_is_what_its_script_makes():
    import make_sample_truth

    pairs = sorted(make_sample_truth.truth(make_sample_truth.Remembering(42)))
    lines = (ROOT / "examples" / "truth.tsv").read_text("utf-8").splitlines()
    assert [tuple(line.split("\t")) for line in lines[2:]] == pairs


def test_the_same_again_measures_nothing_and_says_the_same(run, stream, truth):
    words = ("evaluate", stream, "--truth", truth, *METHODS, "--output", "out", "--format", "jsonl")
    first = run(*words)
    assert first.code == 0
    assert [(row["name"], row["points"][0]["f1"]) for row in first.lines] == [
        ("doc_q(q=4)", 1.0),
        ("checksum(normal form)", 0.5),
    ]
    times = {path: path.stat().st_mtime_ns for path in Path("out/results").iterdir()}
    assert len(times) == 2
    again = run(*words)
    assert again.code == 2
    assert "exists: --force replaces it, and reuses results that are already measured" in again.err
    assert run(*words, "--force").out == first.out
    assert {path: path.stat().st_mtime_ns for path in Path("out/results").iterdir()} == times
    report = without_costs(Path("out/report.json"))
    assert run(*words, "--fresh", "--force").code == 0
    assert without_costs(Path("out/report.json")) == report
    assert {path: path.stat().st_mtime_ns for path in Path("out/results").iterdir()} != times


def test_methods_that_draw_at_random_draw_the_same_from_one_seed(run, stream, truth):
    reports = {}
    for output, seed in (("a", 3), ("b", 3), ("c", 4)):
        done = run(
            "evaluate", stream, "--truth", truth, "-m", "imatch(lexicons=10)", "--seed", seed, "--output", output,
        )  # fmt: skip
        assert done.code == 0
        reports[output] = without_costs(Path(output, "report.json"))
    assert reports["a"] == reports["b"]
    assert {**reports["c"], "seed": 3} == {**reports["a"], "methods": reports["c"]["methods"]}


def test_thresholds_and_judgements_are_taken_from_the_options(run, stream):
    Path("judged.tsv").write_text("id1\tid2\tlabel\nferry\tferry-edited\tsame\nferry\tmill\tother\n", "utf-8")
    done = run(
        "evaluate", stream, "--truth", "judged.tsv", "-m", "doc_q", "--thresholds", "0.9, 0.6,0.60", "--output", "out",
        "--copy-label", "same", "--format", "jsonl",
    )  # fmt: skip
    assert "counting judged pairs only" in done.err
    (row,) = done.lines
    assert [(point["threshold"], point["reported"]) for point in row["points"]] == [(0.6, 1), (0.9, 0)]


def test_judgements_that_are_to_mean_a_copy_and_no_pair_has_are_told(run, stream, truth):
    Path("judged.tsv").write_text("ferry\tferry-edited\tsame\nferry\tmill\tSimilar\n", "utf-8")
    words = ("evaluate", stream, "-m", "checksum(text)", "--output", "out", "--force", "--truth")
    done = run(*words, "judged.tsv", "--copy-label", "Same", "--copy-label", "similiar")
    assert "; no pair is judged 'similiar' (--copy-label)" in done.err
    assert "; no pair is judged 'yes' (--copy-label)" in run(*words, truth, "--copy-label", "yes").err
    assert "(--copy-label)" not in run(*words, "judged.tsv", "--copy-label", "same").err


def test_neardup_is_measured_as_it_is_set_up(run):
    corpus = written("case.jsonl", [{"id": "a", "text": FERRY}, {"id": "b", "text": FERRY.upper()}])
    Path("pairs.tsv").write_text("a\tb\n", "utf-8")
    words = (
        "evaluate", corpus, "--truth", "pairs.tsv", "-m", "neardup sketch", "--thresholds", "0.9", "--output", "out",
    )  # fmt: skip
    found = {}
    for settings in ("", "[recipe]\nfold_case = true\n"):
        Path("neardup.toml").write_text(settings, "utf-8")
        done = run(*words, "--format", "jsonl", "--force")
        assert ("neardup itself is measured with fold_case" in done.err) == bool(settings)
        (row,) = done.lines
        found[row["name"]] = row["points"][0]["correct"]
    assert found == {"neardup sketch": 0, "neardup sketch(fold_case)": 1}
    assert len(list(Path("out/results").iterdir())) == 2


@pytest.mark.parametrize("reach", ["", "reach = 0.6\n"])
def test_neardup_finds_what_a_new_window_of_the_same_file_finds(run, reach):
    Path("neardup.toml").write_text(f"[recipe]\nfold_case = true\n{reach}", "utf-8")
    draw = random.Random(7)
    rows = []
    for pair in range(60):
        text = "".join(draw.choices("etaoinshrdlu", k=1_500))
        slips = [draw.choice("etaoin") if draw.random() < 0.17 else letter for letter in text]
        rows += [{"id": f"{pair}a", "text": text}, {"id": f"{pair}b", "text": "".join(slips)}]
    case, pairs = written("case.jsonl", rows), Path("pairs.tsv")
    pairs.write_text("".join(f"{pair}a\t{pair}b\n" for pair in range(60)), "utf-8")
    done = run(
        "evaluate", case, "--truth", pairs, "-m", "neardup sketch", "--thresholds", "0.5", "--format", "jsonl"
    )
    window = run("ingest", case, "--window", "w", "--threshold", "0.5", "--output", "-")
    assert done.lines[0]["points"][0]["reported"] == sum(one["status"] == "near" for one in window.lines)
    assert ("fold_case, reach=0.6" in done.err) == bool(reach)


def test_boilerplate_is_left_out_of_the_documents_of_its_own_source_alone(run):
    menu = "Home, news, sport and weather, and every week a letter to all who ask for it by mail."
    table = {"neardup": "boilerplate 1", "sources": {"A": {"documents": 20, "pieces": {menu: 20}}}}
    Path("table.json").write_text(json.dumps(table), "utf-8")
    Path("neardup.toml").write_text('[recipe]\nboilerplate = "table.json"\n', "utf-8")
    texts = {
        "a": "Gulls and terns flew over the old harbour all morning.",
        "b": "Whoever found a brown dog on the western quay may keep it.",
    }
    Path("pairs.tsv").write_text("a\tb\n", "utf-8")
    found = {}
    for source in "AB":
        case = [{"id": id, "source": source, "text": f"{menu}\n{text}"} for id, text in texts.items()]
        words = ("evaluate", written("case.jsonl", case), "--truth", "pairs.tsv", "-m", "neardup complete")
        done = run(*words, "--thresholds", "0.5", "--format", "jsonl", "--force")
        found[source] = done.lines[0]["points"][0]["correct"]
    assert found == {"A": 0, "B": 1}


def test_settings_that_neardup_cannot_be_measured_with_are_told_at_once(run, stream, truth):
    Path("neardup.toml").write_text('[recipe]\nlexicon = "none.lexicon"\n', "utf-8")
    done = run("evaluate", stream, "--truth", truth, "-m", "neardup sketch")
    assert done.code == 2
    assert "none.lexicon" in done.err
    assert not Path("neardup.evaluation").exists()


def test_a_first_line_taken_for_names_of_columns_is_told(run, stream, truth):
    truth.write_text(f"id1\tid2\n{TRUTH}", "utf-8")
    done = run("evaluate", stream, "--truth", truth, "-m", "checksum(text)", "--output", "out")
    assert "first line taken for names of columns: id1, id2" in done.err


def test_a_corpus_may_come_from_a_pipe_and_a_directory(run_process, stream, truth):
    texts = Path("texts")
    texts.mkdir()
    (texts / "note.txt").write_text("An unrelated note about the harbour wall and its lamps.", "utf-8")
    done = run_process(
        "evaluate", "-", texts, "--truth", truth, "-m", "doc_q", "--output", "out", stdin=stream.read_bytes()
    )
    assert done.code == 0
    assert "6 documents; 3 pairs" in done.err
    assert "\x1b[" not in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-m", "imach"), "method: there is no method 'imach'; the nearest is 'I-Match'"),
        (
            ("--thresholds", "0.5,1.5"),
            "setting thresholds is '1.5': it must be a number above 0 and at most 1",
        ),
        (("-m", ""), "the name after -m is empty"),
        (("--thresholds", ","), "give numbers such as 0.5,0.6,0.7"),
        (("--truth", "none.tsv"), "none.tsv"),
        (("--truth", "empty.tsv"), "empty.tsv: there is no pair in it"),
        (("--truth", "strange.tsv"), "line 1 names the document 'boat', which the corpus does not have"),
        (("--copy-from", "0.5"), "line 1 has no score"),
        (("--copy-from", "nan"), "nan cannot be the lowest score of a copy: give a number such as 0.7"),
        (("--copy-from", "0.5", "--copy-label", "1"), "give --copy-from, for scores, or --copy-label"),
    ],
)
def test_input_that_cannot_be_used_is_told_at_once(run, stream, truth, words, message):
    Path("empty.tsv").touch()
    Path("strange.tsv").write_text("boat\tferry\n", "utf-8")
    given = () if "--truth" in words else ("--truth", truth)
    done = run("evaluate", stream, *given, *METHODS, *words)
    assert done.code == 2
    assert message in " ".join(done.err.replace("│", " ").split())
    assert not Path("neardup.evaluation").exists()


def test_pages_are_evaluated_by_what_is_read_of_them(run):
    Path("pages").mkdir()
    for name, menu in (("a", "Home News Sport Weather"), ("b", "Start About Contact Imprint Shop")):
        page = f"<html><body><nav>{menu}</nav><article><p>{FERRY}</p><p>{FERRY[::-1]}</p></article></body></html>"
        Path(f"pages/{name}.html").write_text(page)
    Path("pairs.tsv").write_text("a.html\tb.html\n")
    words = ("--truth", "pairs.tsv", "-m", "doc_q", "--output", "out", "--format", "jsonl")
    done = run("evaluate", "pages", "--html", *words)
    assert (done.code, done.err.count("--html")) == (0, 0), done.err
    assert done.lines[0]["points"][0]["recall"] == 1


def test_two_documents_of_one_id_are_named_unless_they_are_the_same(run):
    pairs = ("--truth", "pairs.tsv", "-m", "doc_q", "--format", "jsonl")
    Path("pairs.tsv").write_text("a\tb\n")
    records = [
        {"id": "a", "text": FERRY},
        {"id": "b", "text": FERRY + " Updated."},
        {"id": "a", "text": FERRY},
    ]
    done = run("evaluate", written("same.jsonl", records), *pairs)
    said = "1 document came again with the same id and text (first: same.jsonl:3): only the first of each counts\n"
    assert (done.code, said in done.err, done.lines[0]["points"][0]["recall"]) == (0, True, 1)
    records[2]["text"] = "Snow."
    done = run("evaluate", written("other.jsonl", records), *pairs, "--output", "other")
    assert done.code == 2
    said = "two documents have the id 'a' but different texts (other.jsonl:1 and other.jsonl:3): give each its own id"
    assert said in done.err


def test_a_corpus_without_documents_is_told(run, truth):
    done = run("evaluate", written("empty.jsonl", []), "--truth", truth)
    assert done.code == 2
    assert "corpus: there is no document in it" in done.err


def test_a_method_that_fails_is_told_and_the_others_are_reported(run, stream, truth, monkeypatch):
    from neardup.evaluation.errors import MethodFailed

    def fails(corpus, pairs, methods, **_):
        yield MethodFailed(methods[0], "it cannot")

    monkeypatch.setattr("neardup.evaluation.run.evaluate", fails)
    done = run("evaluate", stream, "--truth", truth, "-m", "doc_q", "--output", "out")
    assert done.code == 3
    assert "method doc_q(q=4) failed: it cannot" in done.err
    assert json.loads(Path("out/report.json").read_text())["failed"] == {"doc_q(q=4)": "it cannot"}


def test_methods_are_listed_with_their_papers(run):
    done = run("evaluate", "--list")
    assert done.code == 0
    assert "neardup sketch" in done.out
    assert "Chowdhury" in done.out


def test_help_waits_for_nothing_heavy():
    script = (
        "import sys\n"
        "sys.argv = ['neardup', 'evaluate', '--help']\n"
        "from neardup.cli import command_line\n"
        "try: command_line()()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "heavy = {'numpy', 'neardup.kernels', 'orjson', 'xxhash', 'neardup.evaluation'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def many(count: int) -> tuple[Path, Path]:
    """Documents of random words, every tenth a copy of the one before, and the pairs."""
    rng = random.Random(7)
    texts = [" ".join(f"{rng.getrandbits(40):x}" for _ in range(40)) for _ in range(count)]
    texts[1::10] = texts[::10][: len(texts[1::10])]
    pairs = Path("pairs.tsv")
    pairs.write_text("".join(f"{at}\t{at + 1}\n" for at in range(0, count - 1, 10)), "utf-8")
    return written("many.jsonl", ({"id": f"{at}", "text": text} for at, text in enumerate(texts))), pairs


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_run_that_was_killed_goes_on_where_it_was(command, run):
    corpus, pairs = many(2_000)
    # The second compares two million pairs: it is killed while it does.
    words = [
        "evaluate", str(corpus), "--truth", str(pairs), "--output", "out",
        "-m", "checksum(text)", "-m", "SCAM", "-m", "checksum(normal form)",
    ]  # fmt: skip
    process = subprocess.Popen([*command, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    first = Path("out/results")
    wait_for(lambda: first.is_dir() and len(list(first.glob("*.json"))) == 1)
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (kept,) = first.glob("*.json")
    stamp = kept.stat().st_mtime_ns
    done = run(*words)
    assert done.code == 0
    assert kept.stat().st_mtime_ns == stamp
    assert len(list(first.glob("*.json"))) == 3
    report = json.loads(Path("out/report.json").read_text())
    assert [method["name"] for method in report["methods"]] == [
        "checksum(text)",
        "SCAM(closeness=2.5)",
        "checksum(normal form)",
    ]
    assert report["methods"][0]["points"][0]["f1"] == 1.0
    assert not list(first.glob("*.tmp"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc of Linux")
def test_the_process_that_measures_ends_with_the_one_that_asked(command):
    corpus, pairs = many(3_000)
    words = ["evaluate", str(corpus), "--truth", str(pairs), "--output", "out", "-m", "SCAM"]
    process = subprocess.Popen([*command, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: children(process.pid) or process.poll() is not None)
    (worker,) = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_for(lambda: not Path(f"/proc/{worker}").exists())


def children(parent: int) -> list[int]:
    """The processes that `parent` has started and that still live."""
    path = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(number) for number in path.read_text().split()] if path.exists() else []


def test_a_terminal_sees_bars_and_a_pipe_none(command, stream, truth):
    words = ["evaluate", str(stream), "--truth", str(truth), "--output", "out", *METHODS]
    seen = seen_on_a_terminal([*command, *words])
    assert "━".encode() in seen
    assert b"doc_q(q=4): " in seen
