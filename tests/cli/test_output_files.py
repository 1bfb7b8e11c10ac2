"""Files that commands write: never one that is read, and nothing that is there is lost unasked."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from testing.cli.samples import FERRY, STREAM, written
from testing.memory import MEMORY

from neardup.cleaning import records, writers
from neardup.cleaning.compared import compared
from neardup.cli import cleaning_run
from neardup.cli.output_files import check_outputs, opened_output, told_if_cut_short
from neardup.cli.sinks import Verdicts
from neardup.cli.streams import NamedFile

TRUTH = "ferry\tferry-again\nferry\tferry-edited\n"


@pytest.fixture
def folder(stream):
    """The stream once more in a directory, and by other names."""
    Path("d").mkdir()
    Path("d/a.jsonl").write_bytes(stream.read_bytes())
    Path("soft.jsonl").symlink_to(stream)
    Path("hard.jsonl").hardlink_to(stream)
    return Path("d")


READ = [
    ("ingest stream.jsonl --output {here}/stream.jsonl", "--output {here}/stream.jsonl is stream.jsonl"),
    ("ingest {here}/stream.jsonl --output stream.jsonl", "--output stream.jsonl is {here}/stream.jsonl"),
    ("ingest stream.jsonl --output soft.jsonl", "--output soft.jsonl is stream.jsonl"),
    ("ingest soft.jsonl --rejects d/../stream.jsonl", "--rejects d/../stream.jsonl is soft.jsonl"),
    ("ingest stream.jsonl --rejects hard.jsonl", "--rejects hard.jsonl is stream.jsonl"),
    ("ingest d --output d/a.jsonl", "--output d/a.jsonl is d/a.jsonl"),
    (
        "ingest stream.jsonl --config neardup.toml --output neardup.toml",
        "--output neardup.toml is neardup.toml",
    ),
    ("lexicon build stream.jsonl --output soft.jsonl", "--output soft.jsonl is stream.jsonl"),
    ("lexicon build d --output d/a.jsonl", "--output d/a.jsonl is d/a.jsonl"),
    (
        "evaluate out/report.json --truth truth.tsv --output out",
        "--output out: out/report.json is out/report.json",
    ),
    (
        "evaluate stream.jsonl --truth out/report.md --output out",
        "--output out: out/report.md is out/report.md",
    ),
]


@pytest.mark.parametrize(("words", "message"), READ)
@pytest.mark.parametrize("option", [[], ["--force"], ["--append"]])
def test_what_is_read_is_never_written(run, place, stream, folder, words, message, option):
    if option == ["--append"] and not words.startswith("ingest"):
        return
    Path("neardup.toml").touch()
    Path("truth.tsv").write_text(TRUTH)
    Path("out").mkdir()
    for name in ("out/report.json", "out/report.md"):
        Path(name).write_bytes(stream.read_bytes())
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    done = run(*words.format(here=place).split(), *option)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"neardup: {message.format(here=place)}, which is an input: write to another file\n"
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_a_file_that_standard_input_comes_from_is_not_written(command, stream):
    before = stream.read_bytes()
    with stream.open("rb") as source:
        done = subprocess.run(
            [*command, "ingest", "-", "--output", str(stream), "--force"],
            stdin=source, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "neardup: --output stream.jsonl is standard input, which is an input: write to another file\n"
    )
    assert stream.read_bytes() == before


def test_standard_output_into_the_file_that_is_read_is_refused(command, stream):
    before = stream.read_bytes()
    with stream.open("ab") as out:
        done = subprocess.run(
            [*command, "ingest", str(stream)], stdout=out, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert "standard output is stream.jsonl, which is an input: write to another file" in done.stderr
    assert stream.read_bytes() == before


OTHERWISE = [
    ("ingest d --output d/v.jsonl", "--output d/v.jsonl lies in the input directory d: the next run would read"),
    ("ingest stream.jsonl --output r --rejects ./r", "--rejects r is also the file of --output r: give each option"),
    ("ingest stream.jsonl --window w --output w/v.jsonl", "--output w/v.jsonl lies in the window w: write it"),
    ("ingest stream.jsonl --window w --rejects w/commit", "--rejects w/commit lies in the window w: write it"),
    ("ingest stream.jsonl --output old", "--output old exists: --append adds to it, --force replaces it"),
    ("ingest stream.jsonl --rejects old", "--rejects old exists: --append adds to it, --force replaces it"),
    ("lexicon build stream.jsonl --output old", "--output old exists: --force replaces it"),
    ("evaluate stream.jsonl --truth truth.tsv --output out", "--output out: out/report.md exists: --force replaces it"),
    ("lexicon build stream.jsonl --output /dev/null --force", "--output /dev/null is not a regular file"),
    ("ingest stream.jsonl --window fresh --output out", "--output out is a directory: name a file in it"),
    ("report --window w --output out --force", "--output out is a directory: name a file in it"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), OTHERWISE)
def test_what_must_not_be_written_is_refused_before_anything_is_made(run, place, folder, words, message):
    Path("old").write_text("kept\n")
    Path("truth.tsv").write_text(TRUTH)
    Path("out").mkdir()
    Path("out/report.md").write_text("# My own\n")
    before = set(place.rglob("*"))
    done = run(*words.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"neardup: {message}")
    assert Path("old").read_text() == "kept\n"
    assert set(place.rglob("*")) == before


def test_a_watcher_that_is_started_again_is_told_before_anybody_is_asked(run):
    Path("v.jsonl").write_text("kept\n")
    done = run("watch", "--window", "http://127.0.0.1:1/news", "--output", "v.jsonl")
    assert done.code == 2
    assert done.err == "neardup: --output v.jsonl exists: --append adds to it, --force replaces it\n"


def test_append_adds_and_force_replaces(run, stream):
    words = ("ingest", stream, "--output", "v.jsonl", "--rejects", "r.jsonl")
    run(*words)
    first = Path("v.jsonl").read_bytes()
    assert run(*words, "--append").code == 0
    assert Path("v.jsonl").read_bytes() == 2 * first
    assert run(*words, "--force").code == 0
    assert Path("v.jsonl").read_bytes() == first


def test_append_and_force_exclude_each_other(run, stream):
    done = run("ingest", stream, "--output", "v.jsonl", "--append", "--force")
    assert done.code == 2
    assert "give --append or --force, not both" in " ".join(done.err.split())


@pytest.mark.parametrize("words", [["ingest", "--window", "w"], ["check", "--against", "w"]])
def test_append_needs_a_file_to_add_to(run, stream, words):
    assert run("ingest", stream, "--window", "w").code == 0
    done = run(*words, stream, "--append")
    assert done.code == 2
    assert "--append: name the file to add to by --output or --rejects" in " ".join(done.err.split())
    assert run(*words, stream, "--append", "--rejects", "r.jsonl").code in (0, 1)


def test_append_makes_a_file_that_is_not_there_and_an_empty_one_has_nothing_to_lose(run, stream):
    assert run("ingest", stream, "--output", "new.jsonl", "--append").code == 0
    Path("empty.jsonl").touch()
    assert run("ingest", stream, "--output", "empty.jsonl").code == 0
    assert Path("new.jsonl").read_bytes() == Path("empty.jsonl").read_bytes() != b""


def test_a_last_line_that_was_cut_off_is_ended_before_lines_are_added(run, stream):
    Path("v.jsonl").write_text('{"id":"a","sta')
    done = run("ingest", stream, "--output", "v.jsonl", "--append")
    assert (
        "neardup: v.jsonl: the last line was cut off; it is ended with a line feed, and new lines are added below\n"
        in done.err
    )
    cut, *rest = Path("v.jsonl").read_text().splitlines()
    assert (cut, [json.loads(line)["id"] for line in rest]) == (
        '{"id":"a","sta',
        [record["id"] for record in STREAM],
    )


@pytest.mark.parametrize("option", ["--append", "--force"])
@pytest.mark.parametrize("before", [None, "", "{}\n"])
def test_a_file_that_is_emptied_while_it_is_written_goes_on_from_its_beginning(tmp_path, option, before):
    path = tmp_path / "o.jsonl"
    if before is not None:
        path.write_text(before)
    with opened_output(path, force=option == "--force") as file:
        for line in (b"first\n", b"second\n"):
            os.truncate(path, 0)  # what logrotate does by copytruncate
            file.write(line)
            file.flush()
    assert path.read_bytes() == b"second\n"


def test_a_link_to_nothing_is_written_through(run, stream):
    Path("link.jsonl").symlink_to("there.jsonl")
    assert run("ingest", stream, "--output", "link.jsonl").code == 0
    assert len(Path("there.jsonl").read_text().splitlines()) == len(STREAM)


def test_a_lexicon_behind_a_link_is_replaced_there(run, stream):
    Path("there.lexicon").write_text("old")
    Path("link.lexicon").symlink_to("there.lexicon")
    assert run("lexicon", "build", stream, "--output", "link.lexicon", "--force").code == 0
    assert Path("link.lexicon").is_symlink()
    assert Path("there.lexicon").read_bytes().startswith(b"NDUP")


def test_devices_and_pipes_are_written_as_they_are(run, run_process, stream):
    assert run("ingest", stream, "--output", os.devnull, "--rejects", os.devnull).code == 0
    done = run_process("ingest", stream, "--output", "/dev/stdout")
    assert [verdict["id"] for verdict in done.lines] == [record["id"] for record in STREAM]
    os.mkfifo("pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()))
    reader.start()
    assert run("ingest", stream, "--output", "pipe").code == 0
    reader.join()
    assert len(read[0].splitlines()) == len(STREAM)


def test_standard_output_by_name_adds_to_where_it_goes(command, stream):
    Path("v.jsonl").write_text("before\n")
    with Path("v.jsonl").open("ab") as out:
        subprocess.run(
            [*command, "ingest", str(stream), "-o", "/dev/stdout"],
            stdout=out,
            stderr=subprocess.DEVNULL,
            check=True,
        )
    assert Path("v.jsonl").read_text().splitlines()[0] == "before"
    assert len(Path("v.jsonl").read_text().splitlines()) == 1 + len(STREAM)


def test_a_restarted_live_stream_appends(command, run_process, place):
    for record in STREAM[:2]:
        done = run_process(
            "ingest", "-", "--output", "v.jsonl", "--append", stdin=json.dumps(record).encode() + b"\n"
        )
        assert done.code == 0
    ids = [json.loads(line)["id"] for line in Path("v.jsonl").read_text().splitlines()]
    assert ids == [record["id"] for record in STREAM[:2]]


def test_an_evaluation_makes_its_own_reports_anew_by_force(run, stream):
    Path("truth.tsv").write_text(TRUTH)
    words = ("evaluate", stream, "--truth", "truth.tsv", "-m", "checksum", "--output", "out")
    assert [run(*words).code, run(*words).code, run(*words, "--force").code] == [0, 2, 0]
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "report.html",
        "report.json",
        "report.md",
        "results",
    ]


def test_a_window_that_cannot_be_opened_costs_no_output(run):
    path = written("s.jsonl", [{"id": "a", "text": FERRY}])
    Path("v.jsonl").write_text("kept\n")
    Path("w").write_text("no directory")
    assert run("ingest", path, "--window", "w", "--output", "v.jsonl", "--force").code in (2, 3)
    assert Path("v.jsonl").read_text() == "kept\n"


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no device that is always full")
@pytest.mark.parametrize("count", [3, 2_000])
@pytest.mark.parametrize(
    "words",
    [
        ["dedup", "a.jsonl", "--output", "o.csv"],
        ["dedup", "a.jsonl", "--keep", "last", "--output", "o.jsonl"],
        ["ingest", "a.jsonl", "--window", "w", "--window-hours", "24"],
    ],
)
def test_a_full_directory_of_temporary_files_is_named(run, monkeypatch, words, count):
    """Whether what is written, what is read again, or closing the file finds it out."""
    written("a.jsonl", [{"text": f"Notice {n}: rain.", "time": 10**9 - 10_000 * n} for n in range(count)])
    full = lambda **_: Path("/dev/full").open("w+b")  # noqa: E731, SIM115 - what is tested closes it
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    done = run(*words)
    assert done.code == 3
    assert (
        f"neardup: {tempfile.gettempdir()}: No space left on device: make room, and give the same command again\n"
        in done.err
    )


@pytest.mark.parametrize(
    "words",
    [
        "ingest stream.jsonl --window new --output o.jsonl.gz",
        "ingest stream.jsonl --window new --rejects o.ZST",
        "check stream.jsonl --against stream.jsonl --output o.parquet",
        "export --output o.gz",
        "export --output o.tgz",
        "groups --format csv --output o.csv.gz",
        "ingest stream.jsonl --window new --output o.csv",
        "ingest stream.jsonl --window new --rejects o.tsv",
        "export --output o.csv",
        "dedup stream.jsonl --rejects o.gz",
        "dedup stream.jsonl --rejects o.csv",
    ],
)
def test_text_is_not_written_under_the_name_of_another_form(run, stream, window, monkeypatch, words):
    monkeypatch.setenv("NEARDUP_WINDOW", window)
    done = run(*words.split())
    text = "text" if "groups" in words else "JSON Lines"
    assert (done.code, f"would hold {text}, not what its ending ." in done.err) == (2, True)
    assert not [*Path().glob("o.*"), *Path().glob("new")]


@pytest.mark.parametrize("words", [("report", "--output"), ("ingest", "{stream}", "--rejects")])
def test_a_hyphen_where_it_does_not_stand_for_standard_output_is_told_without_false_advice(
    run, stream, window, words
):
    done = run(*(word.format(stream=stream) for word in words), "-", "--window", window)
    assert (done.code, done.err) == (
        2,
        f"neardup: {words[-1]} - is not the name of a file: name one (./- is a file called -)\n",
    )


def test_groups_are_not_written_as_json_lines_into_a_file_called_csv(run, window):
    done = run("groups", "--window", window, "--output", "o.csv")
    assert (done.code, "give --format csv, too" in done.err, Path("o.csv").exists()) == (2, True, False)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no device that is always full")
@pytest.mark.parametrize("option", ["--output", "--rejects"])
def test_a_full_disk_is_told_with_the_file(run, option):
    Path("s.jsonl").write_text('{"id": "a", "text": "Rain."}\nbroken\n')
    done = run("ingest", "s.jsonl", option, "/dev/full")
    assert done.code == 3
    assert (
        "neardup: /dev/full: No space left on device: make room, and give the same command again\n"
        in done.err
    )


@pytest.mark.parametrize("room", [0, 3_000])
@pytest.mark.parametrize("batch", ["1", "4096"])
def test_what_is_said_of_an_output_on_a_full_disk_is_true(run, monkeypatch, room, batch):
    """The table said that the file had all verdicts, and one of two messages of what to do that it is to be done
    without --force, which is refused where the file holds something.
    """
    path = written("a.jsonl", ({"id": f"{i}", "text": f"Boat {i * i:032} came."} for i in range(60)))
    write = NamedFile.write

    def within(file, data):
        data = bytes(data[: max(0, room - Path(file.name).stat().st_size)])
        if data:
            return write(file, data)
        raise OSError(errno.ENOSPC, "No space left on device", file.name)

    words = ["ingest", path, "--window", "w", "--output", "o", "--batch-documents", batch]
    with monkeypatch.context() as patch:
        patch.setattr(NamedFile, "write", within)
        done = run(*words, "--format", "table")
    force = ["--force"] if room else []
    way = f"the same command{' with --force' * bool(room)} writes all of it"
    assert (done.code, "all verdicts are in" in done.out) == (3, False)
    again = "" if room else ", and give the same command again"
    told = [
        f"neardup: o was not written to its end: {way}",
        f"neardup: o: No space left on device: make room{again}",
    ]
    assert [line for line in done.err.splitlines() if line.startswith("neardup: o")] == told
    assert run(*words, *force).code == 0
    assert len(Path("o").read_text().splitlines()) == 60


def test_what_could_not_be_added_to_an_output_is_not_told_to_be_unread(run, monkeypatch, stream):
    Path("o").write_text("{}\n")
    words = ["ingest", stream, "--window", "w", "--output", "o", "--append"]
    with monkeypatch.context() as patch:
        patch.setattr(NamedFile, "write", _refused)
        done = run(*words)
    way = "the same command writes the rest, and if an id occurs twice, its first line counts"
    assert (done.code, f"o was not written to its end: {way}\n" in done.err) == (3, True)
    assert run(*words).code == 0
    assert len(Path("o").read_text().splitlines()) == 6


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("dedup stream.jsonl --keep last", "o.csv"),
        ("dedup stream.jsonl", "o.json"),
        ("dedup stream.jsonl", "o.csv.gz"),
        ("groups --format csv", "o.csv"),
        ("report", "o.html"),
        ("explain ferry ferry-edited", "o.txt"),
    ],
)
def test_what_is_of_use_only_whole_leaves_what_is_there_until_it_is_whole(
    run, stream, window, monkeypatch, words, name
):
    monkeypatch.setenv("NEARDUP_WINDOW", window)
    Path("there").write_text("before\n")
    Path("there").chmod(0o640)
    Path(name).symlink_to("there")
    before = set(Path().iterdir())
    words = [*words.split(), "--output", name, "--force"]
    with monkeypatch.context() as patch:
        patch.setattr(NamedFile, "write", _refused)
        assert run(*words).code == 3
    assert Path("there").read_text() == "before\n"
    assert run(*words).code == 0
    assert Path("there").read_text("latin-1") not in ("before\n", "")
    assert Path(name).is_symlink()
    assert Path("there").stat().st_mode & 0o777 == 0o640
    assert set(Path().iterdir()) == before


@pytest.mark.parametrize("name", ["o.csv", "o.json", "o.parquet"])
def test_what_is_of_use_only_whole_is_not_there_after_an_error_and_the_next_try_makes_it(
    run, monkeypatch, name
):
    words = [
        "dedup",
        written("a.jsonl", ({"id": f"{i}", "text": "x" * i} for i in range(300))),
        "--output",
        name,
    ]
    before = set(Path().iterdir())
    write = NamedFile.write

    def half(file, data):
        write(file, bytes(data[:100]))
        raise OSError(errno.ENOSPC, "No space left on device", file.name)

    with monkeypatch.context() as patch:
        patch.setattr(NamedFile, "write", half)
        assert run(*words).code == 3
    assert set(Path().iterdir()) == before
    assert run(*words).code == 0
    assert Path(name).stat().st_mode & 0o777 == Path("a.jsonl").stat().st_mode & 0o777


@pytest.mark.parametrize(("name", "is_whole"), [("o.csv", True), ("o.json", True), ("o.jsonl", False)])
def test_a_run_over_files_that_a_signal_ends_replaces_no_table(run, monkeypatch, name, is_whole):
    path = written("a.jsonl", ({"id": f"{i}", "text": f"{i} {i * i:032}"} for i in range(600)))
    decided = records.cleaned

    def signalled(*words):
        for at, each in enumerate(decided(*words)):
            if at == 3:
                signal.raise_signal(signal.SIGTERM)
            yield each

    monkeypatch.setattr(cleaning_run, "cleaned", signalled)
    Path(name).write_text("before\n")
    done = run("dedup", path, "--threshold", "1", "--output", name, "--force")
    assert (done.code, Path(name).read_text() == "before\n") == (143, is_whole)
    assert {each.name for each in Path().iterdir()} == {"a.jsonl", name}


def test_a_run_that_ends_before_it_counts_says_nothing_of_kinds(run, monkeypatch):
    text = "On {0} May {0} boats came with {0} tons of herring, and {0} left the harbour empty."
    path = written("a.jsonl", ({"id": f"{i}", "text": text.format(i)} for i in range(100, 700)))

    def signalled(*words, **options):
        for at, each in enumerate(compared(*words, **options)):
            if at == 500:
                signal.raise_signal(signal.SIGTERM)
            yield each

    words = ("dedup", path, "--keep", "longest", "--output", "o.jsonl")
    assert "are no plain copies" in run(*words).err
    monkeypatch.setattr(records, "compared", signalled)
    done = run(*words, "--force")
    assert (done.code, "0 read: 0 kept" in done.err, "plain copies" in done.err) == (143, True, False)


def test_what_a_killed_process_of_the_same_number_left_is_in_nobodys_way(run, stream):
    """In a container each run has the same."""
    left = Path(f"o.csv.{os.getpid()}.tmp")
    left.write_text("half")
    assert run("dedup", stream, "--output", "o.csv").code == 0
    assert not left.exists()
    assert "half" not in Path("o.csv").read_text()


def test_what_killed_processes_left_is_named_by_the_next_run(run, stream):
    for name in ("o.csv.1.tmp", "o.csv.22.tmp", "o.csv.x.tmp", "o_csv.1.tmp"):
        Path(name).write_text("half")
    done = run("dedup", stream, "--output", "o.csv")
    (said,) = (line for line in done.err.splitlines() if ".tmp" in line)
    assert "o.csv.1.tmp" in said
    assert "o.csv.22.tmp, which can be removed unless" in said
    assert "o.csv.x" not in said
    assert "o_csv" not in said
    assert Path("o.csv.1.tmp").exists()


def test_what_another_program_makes_meanwhile_is_not_replaced(run, stream, monkeypatch):
    finish = writers._Table.finish
    monkeypatch.setattr(
        writers._Table, "finish", lambda table: (Path("o.csv").write_text("theirs\n"), finish(table))
    )
    done = run("dedup", stream, "--output", "o.csv")
    assert (done.code, "neardup: o.csv: File exists\n" in done.err) == (3, True)
    assert Path("o.csv").read_text() == "theirs\n"


def _refused(file, data):
    raise OSError(errno.ENOSPC, "No space left on device", file.name)


def test_a_file_of_two_names_is_replaced_under_both(run, stream):
    Path("old.csv").write_text("old\n")
    os.link("old.csv", "other.csv")
    assert run("dedup", stream, "--output", "old.csv", "--force").code == 0
    assert Path("other.csv").read_text() == Path("old.csv").read_text() != "old\n"


@pytest.mark.parametrize(
    "words",
    [
        "ingest stream.jsonl --output no/such/v.jsonl",
        "ingest stream.jsonl --rejects no/such/v.jsonl",
        "check stream.jsonl --against stream.jsonl --output no/such/v.jsonl",
        "dedup stream.jsonl --output no/such/v.jsonl",
    ],
)
def test_a_folder_that_is_not_there_is_named_before_anything_is_read(run, stream, words):
    done = run(*words.split())
    assert done.code == 2
    assert (
        "no/such/v.jsonl cannot be made: there is no directory no/such (mkdir -p no/such makes it)"
        in done.err
    )
    assert not Path("neardup.window").exists()


@pytest.mark.skipif(not MEMORY.is_dir(), reason="no shared memory here")
def test_a_file_in_shared_memory_is_a_file(run, stream):
    """/dev/shm lies among devices, which are written as they are."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as room:
        out = Path(room, "v.jsonl")
        assert run("ingest", stream, "--output", out, "--window", "one").code == 0
        first = out.read_bytes()
        assert run("ingest", stream, "--output", out, "--window", "two").code == 2
        assert run("ingest", stream, "--output", out, "--window", "three", "--force").code == 0
        assert out.read_bytes() == first


@pytest.mark.parametrize(
    "words",
    [
        "check stream.jsonl --against w --output w/commit",
        "report --output w/commit",
        "explain ferry mill --output w/hours.list",
        "ingest stream.jsonl --window other --output w/commit",
    ],
)
def test_nothing_is_written_into_a_window_whoever_names_it(run, window, monkeypatch, words):
    monkeypatch.setenv("NEARDUP_WINDOW", window)
    before = Path("w/commit").read_bytes()
    done = run(*words.split(), "--force")
    assert (done.code, "lies in the window" in done.err) == (2, True)
    assert Path("w/commit").read_bytes() == before


def test_what_goes_to_standard_output_has_a_file_of_its_own(command, stream):
    with Path("both.jsonl").open("ab") as out:
        words = [*command, "ingest", str(stream), "--rejects", "both.jsonl"]
        done = subprocess.run(words, stdout=out, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, b"is standard output" in done.stderr) == (2, True)


def test_a_lexicon_that_is_none_costs_no_earlier_result(run, stream):
    Path("kept.jsonl").write_text("before\n")
    assert run("dedup", stream, "-o", "kept.jsonl", "--lexicon", stream, "--force").code == 3
    assert Path("kept.jsonl").read_text() == "before\n"


@pytest.mark.parametrize(
    ("words", "behind"),
    [
        (["ingest", ""], "ingest"),
        (["ingest", "stream.jsonl", ""], "stream.jsonl"),
        (["ingest", "stream.jsonl", "--window", ""], "--window"),
        (["ingest", "stream.jsonl", "--window="], "--window"),
        (["ingest", "stream.jsonl", "-o", ""], "-o"),
        (["ingest", "stream.jsonl", "--lexicon", ""], "--lexicon"),
        (["ingest", "stream.jsonl", "--id-field", ""], "--id-field"),
        (["check", "--", ""], "--"),
        (["lexicon", "build", "stream.jsonl", "--output", ""], "--output"),
    ],
)
def test_an_empty_name_is_refused_and_not_taken_for_the_working_directory(run, place, stream, words, behind):
    before = set(place.rglob("*"))
    done = run(*words)
    assert (done.code, done.out) == (2, "")
    assert f"the name after {behind} is empty: is a shell variable not set?" in done.err
    assert set(place.rglob("*")) == before


def test_a_text_may_be_empty_and_look_like_an_option(run, stream, window):
    assert run("query", "--window", window, "--text", "").lines[0]["status"] == "empty"
    assert run("query", "--window", window, "--text=").lines[0]["status"] == "empty"
    assert run("query", "--window", window, "--text", "--a=").lines[0]["status"] == "unique"
    assert run("dedup", stream, "--keep-kinds", "").code == 0
    assert "no document '--a='" in run("delete", "--window", window, "--", "--a=").err


@pytest.mark.parametrize("name", ["circle", "circle/v.jsonl"])
def test_links_that_lead_in_a_circle_are_no_file_to_write(run, stream, name):
    Path("circle").symlink_to("circle")
    for words in (["ingest", stream, "--output"], ["ingest", stream, "--rejects"]):
        assert run(*words, name).code in (2, 3)
    assert run("lexicon", "build", stream, "--output", name).code == (0 if name == "circle" else 2)


@pytest.mark.parametrize("command", ["serve", "calibrate"])
def test_judgements_go_into_no_window(run, stream, monkeypatch, command):
    pytest.importorskip("fastapi", reason="neardup serve is not installed (pip install 'neardup[serve]')")
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    assert run("ingest", stream, "--window", "w", "--format", "quiet").code == 0
    done = run(command, "--window", "w", "--judged", "w/judged.tsv")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err
        == f"neardup: --judged w/judged.tsv lies in the window {Path('w').resolve()}: write it elsewhere\n"
    )


@pytest.mark.parametrize("command", ["serve", "calibrate"])
def test_judgements_of_two_windows_go_into_two_files(run, stream, monkeypatch, command):
    pytest.importorskip("fastapi", reason="neardup serve is not installed (pip install 'neardup[serve]')")
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    Path("judged.tsv").write_text("id1\tid2\tlabel\nx\ty\tcopy\n", "utf-8")
    for window in ("a.window", "b", "b"):
        assert run("ingest", stream, "--window", window, "--format", "quiet").code == 0
        file = Path(f"{window[0]}.judged.tsv")
        is_new = not file.exists()
        done = run(command, "--window", window)
        old = f"judged.tsv is not used: judgements are kept by window. If those in it are of {window}, rename it to"
        assert (old in done.err) is is_new
        file.write_text(f"no pairs of {window}", "utf-8")
        again = run(command, "--window", window)
        assert (again.code, str(file) in again.err) == (2, True)


def test_a_file_that_nobody_may_ask_about_does_not_end_the_run(tmp_path, monkeypatch):
    barred, stat = tmp_path / "d/a.jsonl", Path.stat

    def refused(path, **options):
        if path == barred:
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", refused)
    check_outputs([("--output", tmp_path / "o.jsonl")], [barred])


def test_an_output_that_may_not_be_written_is_refused_before_a_window_is_made(run, stream, monkeypatch):
    """A window was left that held who tried again to its recipe and its hours."""
    Path("closed").mkdir()
    Path("closed/there.jsonl").touch()
    is_open = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "closed" and is_open(path, mode))
    for option in ("--output", "--rejects"):
        done = run("ingest", stream, "--window", "w", option, "closed/a.jsonl")
        assert (done.code, Path("w").exists()) == (2, False)
        assert f"{Path('closed').resolve()} is not writable" in done.err
    assert run("ingest", stream, "--window", "w", "--output", "closed/there.jsonl").code == 0


@pytest.mark.parametrize("whole", [False, True])
def test_of_a_file_that_cannot_be_written_nothing_is_said_but_the_error(tmp_path, capsys, whole):
    with (
        pytest.raises(PermissionError),
        told_if_cut_short(tmp_path / "d/a.jsonl", force=False, whole=whole),
    ):
        raise PermissionError
    assert capsys.readouterr().err == ""


def test_what_is_only_put_in_place_whole_is_told_to_be_missing(tmp_path, capsys):
    with pytest.raises(KeyboardInterrupt), told_if_cut_short(tmp_path / "a.csv", force=False, whole=True):
        raise KeyboardInterrupt
    words = "a.csv was not written, because its content is not complete: the same command writes it"
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["dedup"],
        ["dedup", "--keep", "last"],
        ["check", "--against", "old.jsonl"],
        ["ingest", "--window", "w"],
    ],
)
@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_force_replaces_nothing_if_nothing_that_was_read_can_be_used(run, command, form):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    record = {"id": "a", "question": FERRY}
    written("new.jsonl", [record])
    Path("new.csv").write_text(f'id,question\na,"{FERRY}"\n')
    parquet.write_table(pa.Table.from_pylist([record]), "new.parquet")
    written("old.jsonl", [{"id": "o", "text": FERRY, "question": FERRY}])
    Path("out.jsonl").write_text("earlier\n")
    done = run(*command, f"new.{form}", "--output", "out.jsonl", "--force")
    assert (done.code, Path("out.jsonl").read_text()) == (2, "earlier\n")
    assert done.err.endswith(
        "neardup: --output out.jsonl is left as it was, because no document that was read can be used\n"
    )
    assert "was not written" not in done.err
    if command[0] == "dedup":
        of_rows = "1 read: 0 kept, 0 removed (0 exact, 0 near); 1 rejected; "
        of_files = "0 read: 0 kept, 0 removed (0 exact, 0 near); 1 file could not be read; "
        assert (of_rows if form == "jsonl" else of_files) in done.err
    done = run(*command, f"new.{form}", "--output", "out.jsonl", "--text-field", "question", "--force")
    assert "earlier" not in Path("out.jsonl").read_text()


@pytest.mark.parametrize(
    "command", [["dedup"], ["check", "--against", "old.jsonl"], ["ingest", "--window", "w"]]
)
def test_force_replaces_a_file_by_an_empty_one_if_there_was_nothing_to_read(run, command):
    written("old.jsonl", STREAM[:1])
    Path("new.jsonl").write_text("")
    Path("out.jsonl").write_text("earlier\n")
    assert run(*command, "new.jsonl", "--output", "out.jsonl", "--force").code == 0
    assert Path("out.jsonl").read_text() == ""


def test_an_output_that_may_not_be_written_is_refused_before_documents_are_stored(run, stream, monkeypatch):
    """Their verdicts would be in no output."""
    Path("v.jsonl").write_text("old\n")
    opened = Path.open

    def refusing(path, mode="r", *rest, **more):
        if path == Path("v.jsonl") and mode != "r":
            raise PermissionError(errno.EACCES, "Permission denied", "v.jsonl")
        return opened(path, mode, *rest, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", refusing)
        done = run("ingest", stream, "--window", "w", "--output", "v.jsonl", "--force")
    assert done.code == 3
    assert "Permission denied" in done.err
    assert Path("v.jsonl").read_text() == "old\n"
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 0


def test_a_run_that_was_stopped_before_its_first_verdict_leaves_the_old_ones(tmp_path):
    path = tmp_path / "v.jsonl"
    for stopped, content in ((True, "old\n"), (False, "")):
        path.write_text("old\n")
        with Verdicts("jsonl", path, force=True) as verdicts:
            verdicts.is_stopped = stopped
        assert path.read_text() == content
