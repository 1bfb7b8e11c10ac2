"""What is taken for a window, and what is said of one that is not meant."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from testing.cli.samples import FERRY, MILL, written

import neardup
from neardup.elastic.http.address import Credentials
from neardup.errors import SettingsError, WindowMissing
from neardup.model.settings import Recipe

READING = ["query --text x", "groups", "delete x", "expire", "reconcile", "stats"]
NO_URLS = [
    ("localhost:9200/news", "http://localhost:9200/news"),
    ("search.example.org:9200/x", "http://search.example.org:9200/x"),
    ("[::1]:9200/x", "http://[::1]:9200/x"),
    ("host:9200", "http://host:9200"),
    ("http:/x", "http://x"),
    ("https:host/x", "https://host/x"),
    ("HTTP:host:9200/x", "http://host:9200/x"),
]


@pytest.mark.parametrize(("name", "meant"), NO_URLS)
@pytest.mark.parametrize("command", ["ingest stream.jsonl", "doctor", *READING])
def test_half_a_url_is_no_directory(run, stream, command, name, meant):
    done = run(*command.split(), "--window", name)
    assert done.code == 2
    assert f"did you mean {meant} (the directory is ./{name})?" in done.err
    assert [path.name for path in Path.cwd().iterdir()] == ["stream.jsonl"]


@pytest.mark.parametrize(
    "name",
    [
        "me:secret@host:9200/x",
        "http:me:secret@host/x",
        "me:secret@host/x",
        "me:a/secret@host:9200/x",
        "http//me:secret@host/x",
        "http;//me:secret@host/x",
        "http:\\\\me:secret@host/x",
        " http:/me:secret@host/x",
    ],
)
def test_a_password_in_half_a_url_is_not_repeated(run, stream, name):
    done = run("ingest", stream, "--window", name)
    assert (done.code, "secret" in done.err) == (2, False)
    assert "did you mean http://host" in done.err


@pytest.mark.parametrize(
    "name", [" http://host:9200/x", "'http://me:secret@host:9200/x'", '"http://host:9200/x']
)
def test_a_url_within_white_space_or_quotes_is_no_directory(run, stream, name):
    done = run("ingest", stream, "--window", name)
    assert (done.code, "secret" in done.err) == (2, False)
    assert "http://host:9200/x': it must be a URL, without white space or quotes around it" in done.err
    assert [path.name for path in Path.cwd().iterdir()] == ["stream.jsonl"]


@pytest.mark.parametrize(("name", "meant"), NO_URLS)
def test_half_a_url_is_no_directory_in_python(place, name, meant):
    with pytest.raises(SettingsError, match="did you mean") as caught:
        neardup.open(name)
    assert meant in str(caught.value)


@pytest.mark.parametrize(
    "name", ["file:///tmp/news.window", "es://me:secret@host:9200/news", "S3://bucket/news"]
)
def test_a_url_of_another_kind_is_no_directory(run, stream, name):
    done = run("ingest", stream, "--window", name)
    assert (done.code, "secret" in done.err) == (2, False)
    assert "a directory, by its path, or a URL such as https://" in done.err
    with pytest.raises(SettingsError, match="by its path, or a URL such as https://") as caught:
        neardup.open(name)
    assert "secret" not in str(caught.value)
    assert [path.name for path in Path.cwd().iterdir()] == ["stream.jsonl"]


@pytest.mark.parametrize("command", ["ingest stream.jsonl", "doctor", *READING])
def test_a_tilde_that_no_shell_has_replaced_is_no_directory(run, stream, command):
    done = run(*command.split(), "--window=~/news.window")
    assert done.code == 2
    assert (
        "a path without ~, which only a shell expands (the directory of that name is ./~/news.window)"
        in done.err
    )
    with pytest.raises(SettingsError, match="a path without ~"):
        neardup.open("~/news.window")
    with pytest.raises(SettingsError, match="a path without ~"):
        neardup.open(Path("~/news.window"))
    assert [path.name for path in Path.cwd().iterdir()] == ["stream.jsonl"]


def test_a_setting_that_is_refused_leaves_nothing_behind(place):
    for refused in ({"threshold": 70}, {"recipe": Recipe(salt="none.salt")}):
        with pytest.raises(SettingsError):
            neardup.open("made/news.window", **refused)
    assert not list(place.iterdir())


@pytest.mark.parametrize("path", [None, "news.window"])
def test_what_is_for_a_cluster_is_refused_elsewhere(place, path):
    """Who gives it means a cluster, and would look for the documents there."""
    given: dict[str, Any] = {"credentials": Credentials(api_key="secret"), "patience": 3.0, "archive": "old"}
    for name, value in given.items():
        with pytest.raises(SettingsError, match=f"{name} .*for a window in a cluster") as caught:
            neardup.open(path, **{name: value})
        assert "secret" not in str(caught.value)
    assert not list(place.iterdir())


def test_a_directory_that_may_not_be_looked_into_is_named(place, stream):
    """And not a file in it that few windows have."""
    prefix = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if prefix and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("permissions do not bind the superuser, and setpriv is not there to take its powers")
    Path("closed").mkdir(mode=0)
    user = pwd.getpwuid(os.geteuid()).pw_name
    whose = f"{Path('closed').resolve()} belongs to {user} (mode 000), and neardup runs as {user}"
    for command in ("stats", "ingest stream.jsonl"):
        words = [*prefix, sys.executable, "-m", "neardup", *command.split(), "--window", "closed"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (3, f"neardup: closed: Permission denied: {whose}\n")


def test_of_a_window_that_is_another_users_it_is_told_whose(place, stream):
    prefix = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if prefix and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("permissions do not bind the superuser, and setpriv is not there to take its powers")
    with neardup.open("w") as window:
        list(window.ingest([("a", "Rain.")]))
    Path("w/window.json").chmod(0)
    words = [*prefix, sys.executable, "-m", "neardup", "doctor", "--window", "w", "--format", "jsonl"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = {finding["what"]: finding["found"] for finding in map(json.loads, done.stdout.splitlines())}
    file = Path("w/window.json")
    assert found["window w"].startswith(f"{file}: Permission denied: {file.resolve()} belongs to ")


@pytest.mark.parametrize("closed", ["hours", "hours/2020.09.13-12"])
def test_of_what_may_not_be_deleted_it_is_told_whose_its_directory_is(place, closed):
    """And never whose something is that may be used: neither the hour nor where this is run is denied."""
    prefix = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if prefix and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("permissions do not bind the superuser, and setpriv is not there to take its powers")
    with neardup.open("w", window_hours=24) as window:
        list(window.ingest([("a", "Rain.", 1_600_000_000)]))
    denied = Path("w", closed)
    denied.chmod(0o555)
    words = [*prefix, sys.executable, "-m", "neardup", "expire", "--window", "w"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    denied.chmod(0o755)
    assert (done.returncode, "Permission denied" in done.stderr) == (3, True)
    whose = f"{denied.resolve()} belongs to {pwd.getpwuid(os.geteuid()).pw_name} (mode 555)"
    assert whose in done.stderr or (closed != "hours" and " belongs to " not in done.stderr)


def test_no_name_at_all_is_no_window_in_python(place):
    with pytest.raises(SettingsError, match="and not empty"):
        neardup.open("")
    assert not list(place.iterdir())


@pytest.mark.parametrize(
    "name", ["./localhost:9200/news", "./10:30", "./~/x", "~x", "news:today/x", "httpx", "a:b"]
)
def test_directories_may_have_such_names_all_the_same(run, stream, name):
    assert run("ingest", stream, "--window", name, "--format", "quiet").code == 0
    assert Path(name, "window.json").exists()


def test_a_directory_of_other_files_is_no_window(run, stream):
    Path("home").mkdir()
    for name in ("a.txt", "b.txt", "c.txt", "d.txt"):
        Path("home", name).touch()
    done = run("ingest", stream, "--window", "home")
    assert done.code == 2
    assert (
        "this one holds other files (a.txt, b.txt, c.txt and 1 more); home/news.window would do" in done.err
    )
    assert len(list(Path("home").iterdir())) == 4
    with pytest.raises(SettingsError, match="holds other files"):
        neardup.open("home")
    (finding,) = (
        check
        for check in run("doctor", "--window", "home", "--format", "jsonl").lines
        if "home" in check["what"]
    )
    assert (finding["state"], "holds other files" in finding["found"]) == ("bad", True)


@pytest.mark.parametrize("within", ["sub", "hours/2026.11.19-06/sub", "link"])
def test_no_window_is_made_within_another_which_would_delete_it_with_an_hour(run, stream, within):
    outer = Path("news.window").resolve()
    assert run("ingest", stream, "--window", "news.window", "--format", "quiet").code == 0
    Path("link").symlink_to("news.window")
    within = "link/sub" if within == "link" else f"news.window/{within}"
    done = run("ingest", stream, "--window", within)
    assert done.code == 2
    which = f"outside of the window {outer}, which deletes its hours with everything in them"
    assert f"it must be {which}: a directory beside it would do" in done.err
    assert not Path(within).exists()
    with pytest.raises(SettingsError, match="outside of the window"):
        neardup.open(within)


class TestDocumentsThatAreCalledAsPartsOfAWindow:
    @pytest.fixture(autouse=True)
    def documents(self, place):
        Path("docs/hours/2026.11.21-09").mkdir(parents=True)
        written("docs/window.json", [{"id": "ferry", "text": FERRY}])
        written("docs/window.json.copy", [{"id": "copy", "text": FERRY}])
        Path("docs/hours/2026.11.21-09/mill.txt").write_text(MILL)
        Path("docs/pictures/hours/2026").mkdir(parents=True)
        Path("docs/pictures/hours/2026/sun.bin").touch()
        Path("docs/pictures/commit").touch()
        os.mkfifo("docs/pictures/window.json")

    def test_they_are_read(self, run):
        done = run("ingest", "docs", "--window", "w")
        assert {verdict["id"] for verdict in done.lines} == {"ferry", "hours/2026.11.21-09/mill.txt"}
        assert "a window" not in done.err
        assert run("dedup", "docs", "--output", "out.jsonl", "--removed", "no.jsonl").code == 0
        assert len(Path("out.jsonl").read_text().splitlines()) == 2

    def test_they_are_compared_with_as_files(self, run):
        done = run("check", written("new.jsonl", [{"id": "new", "text": FERRY}]), "--against", "docs")
        assert [verdict["duplicate_of"] for verdict in done.lines] == ["ferry"]

    def test_there_is_no_window(self, run):
        assert "docs: there is no window here" in run("stats", "--window", "docs").err
        assert (
            "this one holds other files (hours, pictures, window.json"
            in run("doctor", "--window", "docs").out
        )
        done = run("ingest", "docs/window.json", "--window", "docs")
        assert (done.code, "this one holds other files" in done.err) == (2, True)

    @pytest.mark.parametrize("lost", ["window.json", "commit", "hours"])
    def test_what_is_left_of_a_window_is_none_of_documents(self, run, lost):
        """However little: here there is another file, or none, in the place of its description."""
        assert run("ingest", "docs", "--window", "docs/w", "--format", "quiet").code == 0
        for name in ("window.json", "window.json.copy"):
            if lost == name:
                Path("docs/w", name).unlink()
            else:
                Path("docs/w", name).write_text("[]")
        if lost == "commit":
            Path("docs/w/commit").unlink()
        if lost == "hours":
            shutil.rmtree("docs/w/hours")
        done = run("ingest", "docs", "--window", "w")
        assert "a window 1 (first: w)" in done.err
        assert "is damaged" in run("stats", "--window", "docs/w").err


def test_an_empty_directory_becomes_a_window(run, stream):
    Path("w").mkdir()
    assert run("ingest", stream, "--window", "w", "--format", "quiet").code == 0
    assert run("stats", "--window", "w").code == 0


@pytest.mark.parametrize("left", ["lock", "commit.new", "window.json.new", "lost+found"])
def test_a_window_that_was_only_begun_is_made(run, stream, left):
    Path("w").mkdir()
    Path("w", left).touch()
    assert run("ingest", stream, "--window", "w", "--format", "quiet").code == 0


@pytest.mark.parametrize("command", READING)
def test_an_empty_directory_holds_no_window(run, command):
    Path("w").mkdir()
    done = run(*command.split(), "--window", "w")
    assert done.code == 3
    assert done.err == "neardup: w: there is no window here; `neardup ingest FILE --window w` makes one\n"
    assert list(Path("w").iterdir()) == []


def test_a_directory_of_other_files_is_no_window_and_becomes_none(run, stream):
    for name in ("cur", "new", "tmp"):
        Path("mail", name).mkdir(parents=True)
    done = run("groups", "--window", "mail")
    advised = "neardup ingest FILE --window mail/news.window"
    told = f"there is no window here, but other files (cur, new, tmp); `{advised}` makes one"
    assert (done.code, done.err) == (3, f"neardup: mail: {told}\n")
    assert run(*advised.replace("FILE", str(stream)).split()[1:], "--format", "quiet").code == 0


def test_an_empty_directory_is_no_fault_to_the_doctor(run):
    Path("w").mkdir()
    done = run("doctor", "--window", "w")
    assert (done.code, "none yet" in done.out) == (0, True)


@pytest.mark.parametrize("made", [False, True])
def test_reading_makes_nothing_in_python(place, made):
    if made:
        Path("typo").mkdir()
    with pytest.raises(
        WindowMissing, match="typo/dir: there is no window here" if not made else "typo: there"
    ):
        neardup.open("typo" if made else "typo/dir", readonly=True)
    assert not Path("typo/dir").exists()


def test_a_window_by_default_is_named(run, stream):
    first = run("ingest", stream, "--format", "quiet")
    assert "neardup: the window is made in neardup.window (--window DIR for another place)" in first.err
    second = run("ingest", stream, "--format", "quiet")
    assert (
        "documents are compared with those that neardup.window holds already (--window DIR for another"
        in second.err
    )
    assert "neardup.window" not in run("ingest", stream, "--format", "quiet", "--window", "w").err
    Path("neardup.toml").write_text('window = "w"\n')
    assert "compared with those" not in run("ingest", stream, "--format", "quiet").err


# -- clusters --


@pytest.mark.parametrize(
    "command",
    ["setup", "setup --dry-run", "remove --force", "rollover", "watch", "stats", "expire", "resign"],
)
def test_nobody_is_waited_for_long_where_nobody_answers(run, monkeypatch, caplog, command):
    waited: list[float] = []
    monkeypatch.setattr("neardup.elastic.http.client.time.sleep", waited.append)
    patience = 0.5  # of seconds that pass: no more than a first attempt takes on a busy machine
    monkeypatch.setattr("neardup.cli.cluster.FIRST_PATIENCE", patience)
    done = run(*command.split(), "--window", "http://127.0.0.1:1/news")
    assert done.code == 3
    assert "Elasticsearch at http://127.0.0.1:1 cannot be used" in done.err
    assert sum(waited) <= patience * (len(waited) + 1)
    assert caplog.text.count("trying again") == 1


def test_a_window_in_a_directory_is_never_removed(run, stream):
    run("ingest", stream, "--format", "quiet", "--window", "my w")
    before = sorted(Path("my w").rglob("*"))
    for more in ([], ["--force"], ["--dry-run"]):
        done = run("remove", "--window", "my w", *more)
        assert (done.code, done.out) == (2, "")
        assert "a directory is removed by `rm -r 'my w'`" in done.err
    assert sorted(Path("my w").rglob("*")) == before
    Path("other").mkdir()
    done = run("remove", "--window", "other", "--force")
    assert done.code == 3
    assert "rm -r" not in done.err


def test_a_first_answer_is_waited_for_ten_seconds():
    from neardup.cli import cluster

    assert cluster.FIRST_PATIENCE == 10


# -- settings that cannot be --


@pytest.mark.parametrize("hours", [10**20, 2**63 - 1, 10**6 + 1])
def test_more_hours_than_anybody_has_are_told(run, stream, hours):
    done = run("ingest", stream, "--window", "w", "--window-hours", hours)
    assert done.code == 2
    assert f"setting window_hours is {hours}: it must be a whole number from 0 to 1000000" in done.err
    assert not Path("w").exists()


def test_another_retrieval_is_told_once_not_once_an_hour(run_process, window):
    done = run_process("query", "--window", window, "--text", FERRY, "--retrieval", "complete")
    note = "neardup: at least 3 documents were stored for another retrieval or threshold: their texts are signed again"
    assert [line for line in done.err.splitlines() if "signed again" in line] == [note]
    assert json.loads(done.out)["duplicate_of"] == "ferry"


# -- settings other than those that the window was written with --


def test_another_threshold_is_told_and_reconcile_brings_the_window_to_it(run_process, window):
    """`ferry-edited` is a copy at 0.7, and none at 0.99."""
    more = written(
        "more.jsonl", [{"id": "late", "time": "2026-11-19T09:00:00Z", "text": MILL + " Nobody objected."}]
    )
    done = run_process("ingest", more, "--window", window, "-t", "0.99", "--format", "quiet")
    assert (
        "neardup: this window was written with threshold 0.7, and now is with threshold 0.99: stored verdicts "
        "stay as they are; `neardup reconcile --threshold 0.99` applies the new settings to them\n"
    ) in done.err
    stats = run_process("stats", "--window", window, "--format", "jsonl").lines[0]
    assert (stats["threshold"], stats["mixed"]) == ("0.99", {"threshold": ["0.7"]})
    table = run_process("stats", "--window", window).out
    assert (
        "some verdicts were made with threshold 0.7 (`neardup reconcile` applies the settings above)" in table
    )
    changed = run_process("reconcile", "--window", window, "--threshold", "0.99")
    assert [verdict["id"] for verdict in changed.lines] == ["ferry-edited"]
    assert (changed.lines[0]["status"], "stay as they are" in changed.err) == ("unique", False)
    stats = run_process("stats", "--window", window, "--format", "jsonl").lines[0]
    assert (stats["threshold"], stats["mixed"], stats["copies"]) == ("0.99", {}, 1)
    alike = "no: all verdicts were made with one threshold, retrieval, policy and partial"
    assert alike in run_process("stats", "--window", window).out
    again = run_process("reconcile", "--window", window, "--threshold", "0.7")
    assert {verdict["id"]: verdict["status"] for verdict in again.lines} == {
        "ferry-edited": "near",
        "late": "near",
    }


def test_the_same_settings_in_other_words_are_no_change(run_process, window, stream):
    done = run_process(
        "ingest", stream, "--window", window, "-t", "0.70", "--policy", "mark", "--format", "quiet"
    )
    assert (done.code, "written with" in done.err) == (0, False)
    assert run_process("stats", "--window", window, "--format", "jsonl").lines[0]["mixed"] == {}


@pytest.mark.parametrize(
    ("words", "was", "now"),
    [(["--policy", "drop"], "policy mark", "policy drop"), (["--partial"], "partial no", "partial yes"),
     (["--retrieval", "complete"], "retrieval sketch", "retrieval complete"),
     (["--retrieval", "complete", "-t", "0.8"], "threshold 0.7, retrieval sketch",
      "threshold 0.8, retrieval complete")],
)  # fmt: skip
def test_other_settings_are_told_too(run_process, window, stream, words, was, now):
    done = run_process("ingest", stream, "--window", window, *words, "--format", "quiet")
    warning = [line for line in done.err.splitlines() if "written with" in line]
    assert len(warning) == 1
    assert f"this window was written with {was}, and now is with {now}: stored verdicts stay" in warning[0]
    mixed = run_process("stats", "--window", window, "--format", "jsonl").lines[0]["mixed"]
    assert "; ".join(f"{name} {values[0]}" for name, values in mixed.items()) == was.replace(", ", "; ")


def test_files_of_which_nothing_can_be_used_make_no_window(run, tmp_path):
    (tmp_path / "bad.jsonl").write_text('not json\n{"body": "The ferry ran aground."}\n')
    done = run("ingest", tmp_path / "bad.jsonl", "--window", "w", "--window-hours", "24")
    assert (done.code, Path("w").exists()) == (1, False)
    assert "neardup: no window is made: nothing that was read can be used\n" in done.err
    assert "0 documents in" in done.err
    assert "; 2 rejected" in done.err
    # So who tries again with another recipe, and without a limit of hours, is not held to those.
    done = run(
        "ingest",
        tmp_path / "bad.jsonl",
        "--window",
        "w",
        "--fold-case",
        "--text-field",
        "body",
        "-f",
        "quiet",
    )
    assert (done.code, Path("w").is_dir(), "no window is made" in done.err) == (1, True, False)
    assert "1 document in" in done.err


@pytest.mark.parametrize(
    ("record", "options"),
    [
        ({"time": "the day before yesterday"}, ()),
        ({"time": "2999-01-01T00:00:00Z"}, ()),
        ({"id": "long"}, ("--max-length", "10")),
        ({"id": "i" * 513}, ()),
    ],
)
def test_nor_do_files_of_which_no_window_can_use_anything(run, record, options):
    Path("bad.jsonl").write_text(json.dumps({"text": "The ferry ran aground.", **record}) + "\n")
    done = run("ingest", "bad.jsonl", "--window", "w", "--window-hours", "24", *options)
    assert (done.code, Path("w").exists()) == (1, False)
    assert "neardup: no window is made: nothing that was read can be used\n" in done.err
    assert "neardup: rejected bad.jsonl:1: " in done.err


def test_an_empty_file_makes_a_window(run, tmp_path):
    (tmp_path / "none.jsonl").touch()
    assert run("ingest", tmp_path / "none.jsonl", "--window", "w").code == 0
    assert run("stats", "--window", "w").code == 0


def test_a_setting_of_the_moment_is_not_what_stats_show(run, window, monkeypatch):
    monkeypatch.setenv("NEARDUP_THRESHOLD", "0.99")
    stats = run("stats", "--window", window, "--format", "jsonl").lines[0]
    assert (stats["threshold"], stats["mixed"]) == ("0.7", {})


class TestServingThatIngests:
    """The window remembers its settings, and lets nothing go by them unasked, as with `neardup ingest`."""

    @pytest.fixture
    def serve(self, run, window, monkeypatch):
        def taking(target, *_arguments, **_named):
            list(
                target.ingest(
                    [("late", "Sleet was forecast for the whole of the week.", "2026-11-19T09:00Z")]
                )
            )

        monkeypatch.setattr("neardup.cli.serving.listen", taking)
        return lambda: run("serve", "--ingest", "--window", window)

    def test_no_documents_go_unasked(self, run, window, serve, monkeypatch):
        monkeypatch.setenv("NEARDUP_WINDOW_HOURS", "1")
        done = serve()
        assert done.code == 2
        assert "that would be dropped; --window-hours 1 --force" in done.err
        assert "both are options of `neardup ingest`, `watch` and `setup`" in done.err  # `serve` has neither
        monkeypatch.delenv("NEARDUP_WINDOW_HOURS")
        assert run("get", "ferry", "--window", window).code == 0

    def test_names_of_fields_that_have_no_effect_are_reported(self, serve):
        told = "documents that are posted must have them in the fields id, text and time"
        Path("neardup.toml").write_text('[fields]\nshow = ["lang"]\n', "utf-8")
        assert told not in serve().err
        Path("neardup.toml").write_text('[fields]\ntext = "body"\n', "utf-8")
        assert f"[fields] of neardup.toml names id, text and time in records of files: {told}" in serve().err

    def test_its_settings_are_what_stats_show(self, run, window, serve, monkeypatch):
        monkeypatch.setenv("NEARDUP_THRESHOLD", "0.99")
        assert serve().code == 0
        stats = run("stats", "--window", window, "--format", "jsonl").lines[0]
        assert (stats["threshold"], stats["mixed"]) == ("0.99", {"threshold": ["0.7"]})


def test_stats_show_the_hours_that_the_window_remembers_and_not_those_of_the_file(run, stream):
    """As they show its threshold; those of the file may be refused by whoever writes to it next."""
    made = run("ingest", stream, "--window", "w", "--window-hours", "48", "--keep-hours", "50")
    assert made.code == 0
    shown = run("stats", "--window", "w", "--format", "jsonl").lines
    Path("neardup.toml").write_text('window_hours = 1\nkeep_hours = 2\nthreshold = "0.9"\n')
    assert run("stats", "--window", "w", "--format", "jsonl").lines == shown
    assert (shown[0]["window_hours"], shown[0]["keep_hours"]) == (48, 50)
