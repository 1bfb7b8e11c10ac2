"""Every other command: parse, one call, print."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from testing.cli.samples import FERRY, MILL, STREAM, written
from testing.window.old_window import as_format_1

from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for
from neardup.tables.lexicon import Lexicon
from neardup.version import VERSION


class TestQuery:
    def test_by_text(self, run, window):
        (verdict,) = run("query", "--window", window, "--text", FERRY).lines
        assert verdict["status"] == "exact"
        assert [match["id"] for match in verdict["matches"]] == ["ferry", "ferry-again", "ferry-edited"]

    def test_by_file(self, run, window):
        Path("page.txt").write_text("\ufeff" + FERRY, "utf-8")
        (verdict,) = run("query", "--window", window, "--file", "page.txt", "--matches", "1").lines
        assert [match["id"] for match in verdict["matches"]] == ["ferry"]

    def test_by_a_mail_whose_name_says_nothing(self, run, window):
        Path("00001.7c53").write_text(f"Subject: {'Mail ' * 20}\nMessage-ID: <1>\n\n{FERRY}")
        (verdict,) = run("query", "--window", window, "--file", "00001.7c53", "--input", "mail").lines
        assert verdict["status"] == "exact"

    def test_by_id_leaves_itself_out(self, run, window):
        (verdict,) = run("query", "--window", window, "--id", "ferry").lines
        assert [match["id"] for match in verdict["matches"]] == ["ferry-again", "ferry-edited"]

    def test_standard_input(self, run_process, window):
        done = run_process("query", "--window", window, "--file", "-", stdin=FERRY.encode())
        assert json.loads(done.out)["duplicate_of"] == "ferry"

    def test_a_threshold_of_its_own(self, run, window):
        half = FERRY[: len(FERRY) // 2]
        assert run("query", "--window", window, "--text", half).lines[0]["matches"] == []
        assert (
            len(run("query", "--window", window, "--text", half, "--threshold", "0.3").lines[0]["matches"])
            == 3
        )

    def test_a_table(self, run, window):
        done = run("query", "--window", window, "--text", FERRY, "--format", "table")
        assert "ferry-again" in done.out
        assert "exact: 3 matches" in done.out
        assert "--matches all" not in done.out
        done = run("query", "--window", window, "--text", FERRY, "--format", "table", "--matches", "1")
        assert "exact: 3 matches of 3 candidates (2 more: --matches all)\n" in done.out

    def test_a_pasted_headline_is_told_where_to_look(self, run, window):
        pointer = (
            "(a headline or a passage is no copy of a whole text: --partial looks for passages; "
            "a window in a directory must have been made with it)"
        )
        done = run("query", "--window", window, "--text", FERRY[:40], "--format", "table")
        assert done.out.splitlines()[-2:] == ["unique: 0 matches of 0 candidates", pointer]
        assert pointer not in run("query", "--window", window, "--text", FERRY, "--format", "table").out

    def test_partial_copies(self, run):
        written("both.jsonl", [{"id": "both", "text": f"{FERRY} {MILL}"}])
        asked = ("query", "--window", "w", "--text", FERRY)
        assert run("ingest", "both.jsonl", "--window", "w", "--partial", "--delta", "0").code == 0
        (verdict,) = run(*asked).lines
        assert (verdict["status"], verdict["partial"][0]["id"]) == ("partial", "both")
        assert (verdict["partial"][0]["containment"], verdict["duplicate_of"]) == (1.0, None)
        done = run(*asked, "--delta", "9", "--containment", "1")
        assert (done.lines[0]["status"], done.err) == ("partial", "")
        assert "partial" not in run(*asked, "--no-partial").lines[0]
        done = run(*asked, "--format", "table")
        assert "containment" in done.out
        assert "both" in done.out

    def test_partial_copies_in_a_window_that_keeps_no_sentences(self, run, window, caplog):
        done = run("query", "--window", window, "--text", FERRY, "--partial")
        assert (done.lines[0]["partial"], done.lines[0]["truncated"]) == ([], True)
        assert "without their sentences" in caplog.text

    def test_a_route_into_a_window_that_keeps_no_words(self, run, window, caplog):
        run(
            "ingest",
            written("more.jsonl", [{"id": "more", "text": MILL}]),
            "--window",
            window,
            "--route",
            "simhash",
        )
        assert (
            "stored without their sentences and simhashes, so by the route simhash they are found only in a new"
            in caplog.text
        )

    def test_options_for_partial_copies_where_none_are_looked_for(self, run, window, monkeypatch):
        """In a window that was made with --partial they count (test_partial_copies)."""
        told = "neardup: --containment and --delta have no effect: this run does not look for partial copies"
        idle = ("--delta", "9", "--containment", "0.5")
        text = written("text.jsonl", [{"id": "a", "text": MILL}])
        assert told in run("query", "--window", window, "--text", FERRY, *idle).err
        assert told in run("check", text, "--against", window, *idle).err
        assert told in run("check", text, "--against", text, *idle).err
        assert told in run("ingest", text, "--window", "w", *idle).err
        done = run("query", "--window", window, "--text", FERRY, "--partial", "--delta", "9")
        assert "no effect" not in done.err
        monkeypatch.setenv("NEARDUP_DELTA", "9")  # which is for other commands, too
        assert "no effect" not in run("query", "--window", window, "--text", FERRY).err

    def test_nothing_is_stored(self, run, window):
        run("query", "--window", window, "--text", "A text of its own, which nobody has written before.")
        assert json.loads(run("stats", "--window", window, "--format", "jsonl").out)["documents"] == len(
            STREAM
        )

    @pytest.mark.parametrize("words", [[], ["--text", "a", "--id", "b"], ["--file", "none.txt"]])
    def test_exactly_one_must_be_asked(self, run, window, words):
        assert run("query", "--window", window, *words).code == 2

    def test_an_unknown_id(self, run, window):
        done = run("query", "--window", window, "--id", "nobody")
        assert (done.code, done.out) == (2, "")
        assert "no document 'nobody'" in done.err

    def test_a_file_that_is_no_text(self, run, window):
        Path("page.txt").write_bytes(b"caf\xe9")
        done = run("query", "--window", window, "--file", "page.txt")
        assert done.code == 1
        assert "not UTF-8" in done.err


class TestGroups:
    def test_json_lines(self, run, window):
        (group,) = run("groups", "--window", window).lines
        assert group["head"] == "ferry"
        assert [member["id"] for member in group["members"]] == ["ferry-again", "ferry-edited"]
        assert list(group["members"][0]) == [
            "id",
            "time",
            "score",
            "shared",
            "duplicate_of",
            "duplicate_score",
        ]

    def test_a_table(self, run, window):
        done = run("groups", "--window", window, "--format", "table")
        assert done.out.splitlines()[0].split() == [
            "n", "first", "seen", "(UTC)", "for", "kind", "origins", "doc_q", "head", "text",
        ]  # fmt: skip
        assert "0.898 to 1.000  ferry " in done.out
        assert "1 group" in done.out

    def test_the_largest_first_and_so_many(self, run, window):
        more = [{"id": "mill-again", "time": "2026-11-19T06:00:00Z", "text": MILL}]
        more += [{"id": f"ferry-{i}", "time": "2026-11-19T09:00:00Z", "text": FERRY} for i in range(3)]
        run("ingest", written("more.jsonl", more), "--window", window, "--format", "quiet")
        heads = [group["head"] for group in run("groups", "--window", window).lines]
        assert heads == ["ferry", "mill"]
        run("delete", "ferry-again", "ferry-edited", "ferry-0", "ferry-1", "--window", window)
        assert [group["head"] for group in run("groups", "--window", window).lines] == ["ferry", "mill"]
        more = [{"id": f"mill-{i}", "time": "2026-11-19T09:00:00Z", "text": MILL} for i in range(3)]
        run("ingest", written("more.jsonl", more), "--window", window, "--format", "quiet")
        by_size = [group["head"] for group in run("groups", "--window", window, "--sort", "size").lines]
        assert by_size == ["mill", "ferry"]
        assert len(run("groups", "--window", window, "--limit", "1").lines) == 1
        assert len(run("groups", "--window", window, "--limit", "0").lines) == 2
        table = run("groups", "--window", window, "--format", "table", "--limit", "1").out
        assert "(1 group left out: --limit 0 lists all, --sort size the largest first)" in table
        assert "2 groups" in run("groups", "--window", window, "--format", "table", "--limit", "0").out

    def test_none(self, run, stream):
        run("ingest", written("one.jsonl", STREAM[:2]), "--format", "quiet")
        assert run("groups").out == ""


class TestDelete:
    def test_it_is_gone(self, run, window):
        assert run("delete", "ferry", "mill", "--window", window).code == 0
        assert run("query", "--window", window, "--id", "ferry").code == 2

    def test_one_that_is_not_there(self, run, window):
        done = run("delete", "ferry", "nobody", "--window", window)
        assert done.code == 1
        assert "no document 'nobody'" in done.err
        assert done.out == "1 deleted\n"

    def test_many_ids_from_a_file(self, run, window):
        Path("ids.txt").write_bytes(b"\xef\xbb\xbfferry\r\n\r\nmill\nferry\nnobody ")
        done = run("delete", "ferry-again", "--ids-from", "ids.txt", "--window", window)
        assert (done.code, done.out) == (1, "3 deleted\n")
        assert "no document 'nobody ' in this window" in done.err

    def test_ids_from_standard_input(self, run_process, window):
        done = run_process("delete", "--ids-from", "-", "--window", window, stdin=b"ferry\nmill\n")
        assert (done.code, done.out) == (0, "2 deleted\n")
        done = run_process("delete", "--ids-from", "-", "--window", window, stdin=b"")
        assert (done.code, done.out) == (0, "0 deleted\n")

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"ferry\nm\xfcll\n", "ids.txt:2 is not UTF-8: byte 0xfc"),
            (b'{"id": "ferry"}\n', "ids.txt:1 is a record"),
        ],
    )
    def test_a_file_that_has_no_ids_deletes_nothing(self, run, window, content, message):
        Path("ids.txt").write_bytes(content)
        done = run("delete", "mill", "--ids-from", "ids.txt", "--window", window)
        assert done.code == 2
        assert message in done.err
        assert run("get", "ferry", "mill", "--window", window).code == 0

    def test_no_id_and_no_file(self, run, window):
        done = run("delete", "--window", window)
        assert done.code == 2
        assert "--ids-from" in done.err


class TestExpire:
    def test_hours_older_than_the_window_are_named(self, run, window):
        hours = ("--window", window, "--window-hours", "24", "--now", "2026-11-20T07:30:00Z")
        tried = run("expire", *hours, "--dry-run")
        assert (tried.out.split(), tried.err) == (
            ["2026.11.19-06"],
            "neardup: 2 documents in 1 hour would be dropped\n",
        )
        refused = run("expire", *hours)
        assert (refused.code, refused.out) == (2, "")
        assert (
            "Invalid value for --window-hours: 24 is too few: the window keeps 2 documents in 1 hour (2026.11.19-06 to "
            "2026.11.19-06) that would be dropped; --force drops them"
        ) in " ".join(word for word in refused.err.split() if word != "│")
        done = run("expire", *hours, "--force")
        assert done.err == "neardup: 2 documents in 1 hour dropped\n"
        assert done.out.split() == ["2026.11.19-06"]

    @pytest.mark.parametrize("option", ["--window-hours 1", "--keep-hours 1", "--now 2026-11-20T07:30:00Z"])
    def test_hours_beside_a_newest_hour_are_refused(self, run, window, option):
        done = run("expire", "--window", window, "--newest", "last", *option.split())
        assert done.code == 2
        assert f"{option.split()[0]}: --newest drops nothing: give one or the other" in done.err

    def test_a_time_that_is_none(self, run, window):
        done = run("expire", "--window", window, "--now", "soon")
        assert done.code == 2
        assert "soon" in done.err


class TestReconcile:
    def test_what_changed_is_printed(self, run, window):
        run("delete", "ferry", "--window", window)
        done = run("reconcile", "--window", window)
        changed = {verdict["id"]: verdict for verdict in done.lines}
        assert changed["ferry-edited"]["duplicate_of"] == "ferry-again"
        assert " s: 2 verdicts changed: 1 unique, 1 near\n" in done.err
        assert done.err.startswith("4 documents in ")
        run("delete", "ferry-again", "--window", window)
        table = run("reconcile", "--window", window, "--format", "table").out.splitlines()
        assert table[0].split()[:4] == ["time", "(UTC)", "id", "status"]
        assert table[1].partition("unique")[2].split()[0] == "ARNMOUTH"  # how its own text begins

    def test_nothing_is_printed_if_so_wanted(self, run, window):
        run("delete", "ferry", "--window", window)
        done = run("reconcile", "--window", window, "--format", "quiet")
        assert done.out == ""
        assert "changed: " in done.err

    def test_nothing_is_said_to_be_unique_now_that_was_before(self, run, window):
        words = ("reconcile", "--window", window, "--format", "quiet")
        assert "verdicts changed: " not in run(*words).err
        run("ingest", written("more.jsonl", [{"id": "more", "text": MILL}]), "--window", window, "--partial")
        said = run(*words).err
        assert "unique" in said
        assert "now unique" not in said

    def test_nothing_changed(self, run, window):
        done = run("reconcile", "--window", window)
        assert (done.code, done.out) == (0, "")

    def test_what_an_interrupt_leaves_is_told_and_the_same_command_ends_it(self, run, window, monkeypatch):
        words = ("reconcile", "--window", window, "--threshold", "0.99")
        with monkeypatch.context() as patch:
            patch.setattr(
                "neardup.window.reconcile.decided_again", lambda *_: signal.raise_signal(signal.SIGINT)
            )
            done = run(*words)
        told = "the verdicts were not all made again: the same command makes them"
        assert (done.code, done.out, done.err) == (130, "", f"neardup: {told}\nneardup: interrupted\n")
        assert "all verdicts were made with one threshold" not in run("stats", "--window", window).out
        assert run(*words).code == 0
        assert "all verdicts were made with one threshold" in run("stats", "--window", window).out


class TestStats:
    def test_for_people(self, run, window):
        assert "documents      5" in run("stats", "--window", window).out

    def test_for_programs(self, run, window):
        (stats,) = run("stats", "--window", window, "--format", "jsonl").lines
        assert (stats["documents"], stats["groups"]) == (5, 1)
        assert stats["hours"] == {"2026.11.19-06": 2, "2026.11.19-07": 1, "2026.11.19-08": 2}


class TestShow:
    def test_it_is_the_signature(self, run):
        (shown,) = run("show", "--text", FERRY, "--format", "jsonl").lines
        assert shown == signer_for(Recipe()).signature(FERRY).to_dict()

    def test_for_people(self, run):
        Path("page.txt").write_text(FERRY)
        done = run("show", "--file", "page.txt", "--q", "3", "--fold-case")
        assert "fingerprint" in done.out
        assert ":q3:fold:" in done.out

    def test_a_text_is_needed(self, run):
        assert run("show").code == 2

    def test_a_mail_that_is_html_is_read_as_the_message_says(self, run):
        Path("mail.eml").write_text("Content-Type: text/html\n\n<p>Rain.</p>\n")
        assert "--html" in run("show", "--file", "mail.eml").err
        (shown,) = run("show", "--file", "mail.eml", "--html", "--format", "jsonl").lines
        assert shown["qgrams"] == ["Rain"]


class TestLexicon:
    def test_build_and_show(self, run, stream):
        done = run("lexicon", "build", stream, "--output", "own.lexicon")
        assert done.code == 0
        assert "of 5 documents" in done.out
        (shown,) = run("lexicon", "show", "own.lexicon", "--format", "jsonl").lines
        assert (shown["name"], shown["documents"], shown["q"]) == ("own", 5, 4)

    def test_a_window_can_use_it(self, run, stream):
        run("lexicon", "build", stream, "--output", "own.lexicon")
        own = Lexicon.load("own.lexicon")
        assert run("ingest", stream, "--lexicon", "own.lexicon").code == 0
        assert f"lex-{own.id}" in run("stats").out

    def test_rejected_documents_are_told(self, run):
        Path("bad.jsonl").write_text('{"text": "Rain."}\n{\n')
        done = run("lexicon", "build", "bad.jsonl", "--output", "own.lexicon")
        assert done.code == 1
        assert "rejected bad.jsonl:2" in done.err

    def test_what_a_rejection_names_reads_the_file(self, run):
        Path("mail.eml").write_text("Content-Type: text/html\n\n<p>Rain is due in the north.</p>\n")
        Path("odd.csv").write_text("id~text\n1~Rain is due in the south.\n")
        build = ["lexicon", "build", "mail.eml", "odd.csv", "--output", "own.lexicon"]
        for option in ("--html", "--delimiter"):
            assert option in run(*build).err
        done = run(*build, "--html", "--delimiter", "~")
        assert (done.code, done.err) == (0, "")
        assert "of 2 documents" in done.out

    def test_no_option_is_named_that_is_not_there(self, run):
        Path("bad.jsonl").write_text('{"text": "Rain."}\n{\n{\n')
        done = run("lexicon", "build", "bad.jsonl", "--output", "own.lexicon")
        assert "1 more was rejected for the same reason as bad.jsonl:2" in done.err
        assert "--rejects" not in done.err

    @pytest.mark.parametrize("content", ["", '{"body": "Rain."}\n{\n'])
    def test_a_good_one_stays_where_there_is_no_document(self, run, stream, content):
        run("lexicon", "build", stream, "--output", "own.lexicon")
        before = Path("own.lexicon").read_bytes()
        Path("bad.jsonl").write_text(content)
        done = run("lexicon", "build", "bad.jsonl", "--output", "own.lexicon", "--force")
        assert (done.code, done.out) == (2, "")
        assert "lexicon own: there is no document to build it from" in done.err
        assert Path("own.lexicon").read_bytes() == before

    def test_a_directory_that_is_not_there_is_named_before_anything_is_read(self, run):
        Path("bad.jsonl").write_text("{\n")
        done = run("lexicon", "build", "bad.jsonl", "--output", "nodir/own.lexicon")
        assert done.code == 2
        assert done.err == "neardup: nodir: there is no such directory for own.lexicon: make it first\n"

    def test_a_directory_is_no_lexicon_to_write(self, run, stream):
        Path("place").mkdir()
        done = run("lexicon", "build", stream, "--output", "place")
        assert done.code == 2
        assert "is a directory" in " ".join(done.err.split())

    def test_the_default_one(self, run):
        (shown,) = run("lexicon", "show", "--format", "jsonl").lines
        assert shown["id"] == Lexicon.default().id

    def test_a_file_that_is_none(self, run):
        Path("page.txt").write_text(MILL)
        done = run("lexicon", "show", "page.txt")
        assert done.code == 3
        assert "page.txt: found" in done.err


class TestDoctor:
    def test_all_is_well(self, run, window):
        done = run("doctor", "--window", window, "--format", "jsonl")
        assert done.code == 0
        found = {check["what"]: check for check in done.lines}
        assert "5 documents in 3 hours" in found["window w"]["found"]
        assert {"Python", "kernels", "Unicode tables", "default lexicon", "disk"} <= set(found)

    def test_a_damaged_window_is_a_finding(self, run):
        Path("w").mkdir()
        Path("w/window.json").write_text("{")
        done = run("doctor", "--window", "w")
        assert done.code == 3
        assert "bad" in done.out

    def test_damage_that_no_query_has_met_is_found(self, run, window):
        self.damage("text.bin")
        assert run("stats", "--window", window).code == 0
        done = run("doctor", "--window", window)
        assert done.code == 3
        assert "neardup doctor --repair --window w" in " ".join(done.out.split())

    def test_a_repair_says_what_it_would_do(self, run, window):
        self.damage("text.bin")
        done = run("doctor", "--window", window, "--repair")
        assert done.code == 3
        assert "2026.11.19-06 1 1 0 ferry" in " ".join(done.out.split())
        assert "--force does it" in done.err
        assert run("doctor", "--window", window).code == 3

    def test_a_repair_keeps_what_is_whole(self, run, window):
        self.damage("text.bin")
        done = run("doctor", "--window", window, "--repair", "--force", "--format", "jsonl")
        assert done.code == 0
        assert done.lines == [
            {
                "hour": "2026.11.19-06",
                "kept": 1,
                "lost": 1,
                "unreadable": 0,
                "unreadable_at": [],
                "ids": ["ferry"],
            }
        ]
        assert "the files of damaged hours are moved to w/damaged" in done.err
        assert run("query", "--window", window, "--id", "mill").code == 0
        done = run("doctor", "--window", window, "--repair")
        assert (done.code, done.out) == (0, "")
        assert "nothing to repair" in done.err

    def test_a_lost_hour_is_named(self, run, window):
        shutil.rmtree("w/hours/2026.11.19-07")
        done = run("doctor", "--window", window, "--repair", "--format", "jsonl")
        assert done.lines == [
            {
                "hour": "2026.11.19-07",
                "kept": 0,
                "lost": None,
                "unreadable": None,
                "unreadable_at": [],
                "ids": [],
            }
        ]
        assert "1 committed version of documents cannot be read" in done.err

    def test_a_description_is_restored(self, run, window):
        Path("w/window.json").write_bytes(b"")
        done = run("doctor", "--window", window, "--repair", "--force")
        assert "window.json is damaged: window.json.copy replaces it" in done.err
        assert "5 documents" in run("doctor", "--window", window).out

    def test_without_a_copy_there_is_no_repair(self, run, window):
        for name in ("window.json", "window.json.copy"):
            Path("w", name).write_bytes(b"")
        done = run("doctor", "--window", window, "--repair", "--force")
        assert done.code == 3
        assert (
            "restore it from a backup, or take that of a new window made with exactly the same options"
            in done.err
        )

    def test_the_description_of_a_window_of_the_same_options_will_do(self, run, window):
        for name in ("window.json", "window.json.copy"):
            Path("w", name).unlink()
        Path("empty.jsonl").touch()
        assert run("ingest", "empty.jsonl", "--window", "same").code == 0
        shutil.copy("same/window.json", "w/window.json")
        assert run("doctor", "--window", window, "--repair", "--force").code == 0
        assert "5 documents" in run("doctor", "--window", window).out

    def test_a_window_is_signed_again(self, run, window):
        as_format_1(Path("w"))
        done = run("stats", "--window", window)
        assert done.code == 3
        assert "neardup resign --window w" in done.err
        done = run("resign", "--window", window)
        assert (done.code, done.out) == (0, "")
        assert "5 documents in 3 hours, signed by neardup-1:" in done.err
        assert "nothing was changed: --force does it" in done.err
        done = run("resign", "--window", window, "--force")
        assert done.code == 0
        assert "the old files are in w/old-1" in done.err
        assert "5 documents" in run("doctor", "--window", window).out
        assert "nothing to do" in run("resign", "--window", window, "--force").err

    def test_a_lost_salt_is_put_back(self, run, window):
        Path("pepper").write_bytes(b"a pinch")
        run("resign", "--window", window, "--salt", "pepper", "--force")
        salt, copy = Path("w/window.salt"), Path("w/window.salt.copy")
        salt.unlink()
        assert "neardup doctor --repair" in run("stats", "--window", window).err
        done = run("doctor", "--window", window, "--repair")
        assert done.code == 3
        assert "window.salt is damaged: window.salt.copy replaces it" in done.err
        assert run("doctor", "--window", window, "--repair", "--force").code == 0
        assert salt.read_bytes() == b"a pinch"
        salt.unlink()
        copy.unlink()
        assert run("doctor", "--window", window, "--repair", "--force").code == 3
        done = run("resign", "--window", window, "--salt", "pepper")
        assert "window.salt and window.salt.copy are lost: --force puts the secret back" in done.err
        assert not salt.exists()
        done = run("resign", "--window", window, "--salt", "pepper", "--force")
        assert "the secret is back in window.salt and window.salt.copy" in done.err
        assert salt.read_bytes() == copy.read_bytes() == b"a pinch"
        assert "5 documents" in run("doctor", "--window", window).out

    def test_no_window_and_no_directory_is_repaired(self, run):
        assert run("doctor", "--window", "nothing", "--repair").code == 3
        done = run("doctor", "--window", "http://localhost:1/x", "--repair")
        assert done.code == 2
        assert "is repaired by Elasticsearch" in done.err

    @staticmethod
    def damage(name):
        file = Path("w/hours/2026.11.19-06", name)
        file.write_bytes(b"?" + file.read_bytes()[1:])

    def test_no_window_is_no_fault(self, run):
        done = run("doctor")
        assert done.code == 0
        assert "none yet" in done.out

    def test_a_missing_library_is_a_finding(self, run, monkeypatch):
        from neardup.cli import installation as doctor

        monkeypatch.setattr(doctor, "LIBRARIES", ("no-such-library",))
        done = run("doctor")
        assert done.code == 3
        assert "pip install no-such-library" in done.out


class TestVersion:
    @pytest.mark.parametrize("word", ["version", "--version"])
    def test_it_is_printed(self, run, word):
        assert run(word).out == f"neardup {VERSION}\n"


@pytest.mark.parametrize("command", ["query --text x", "groups", "delete x", "expire", "reconcile", "stats"])
def test_a_window_that_is_not_there_is_not_made(run, command):
    done = run(*command.split(), "--window", "none")
    assert done.code == 3
    assert "none: there is no window here" in done.err
    assert not Path("none").exists()


def test_a_variable_that_is_no_setting_is_told(run_process, stream):
    environment = os.environ | {"NEARDUP_THRESOLD": "0.3"}
    done = run_process("ingest", stream, "--format", "quiet", env=environment)
    assert done.code == 0
    assert (
        "neardup: NEARDUP_THRESOLD is no setting, and is ignored; the nearest is NEARDUP_THRESHOLD"
        in done.err
    )


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://localhost:9200", "a URL with a prefix as its path, such as https://localhost:9200/news"),
        ("https://me:secret@localhost:9200/news", "NEARDUP_USERNAME and NEARDUP_PASSWORD"),
        ("ftp://localhost/news", "a URL such as https://localhost:9200/news"),
    ],
)
@pytest.mark.parametrize("command", ["query --text x", "groups", "delete x", "expire", "reconcile", "stats"])
def test_a_url_that_names_no_window_is_told_before_anybody_is_asked(run, command, url, message):
    done = run(*command.split(), "--window", url)
    assert done.code == 2
    assert message in done.err
    assert "secret" not in done.err


def test_a_cluster_where_nobody_answers_is_told(run, monkeypatch):
    monkeypatch.setattr("neardup.cli.cluster.FIRST_PATIENCE", 0.0)
    done = run("stats", "--window", "http://127.0.0.1:1/news")
    assert done.code == 3
    assert "Elasticsearch at http://127.0.0.1:1 cannot be used" in done.err


def test_long_ids_leave_texts_their_width(run):
    long = [{"id": f"archive/2026/11/21/harbour-letters/{n:06}-x", "text": FERRY} for n in range(3)]
    table = run("ingest", written("l.jsonl", long), "--window", "long", "--format", "table").out
    assert FERRY[:15] in table


def test_bytes_that_are_no_text_get_no_advice_on_encodings(run):
    Path("random.txt").write_bytes(bytes(range(256)) * 4)
    Path("latin.txt").write_bytes("Grüße aus dem Hafen".encode("latin-1"))
    err = run("dedup", "random.txt", "latin.txt").err
    assert "random.txt: not text: control byte 0x00 at offset 0" in err
    assert "latin.txt: not UTF-8: byte 0xfc at offset 2: --encoding names another, such as latin-1" in err


@pytest.mark.parametrize(
    ("words", "meant"), [("watch --batch 5", "--batch-documents"), ("lexicon build x --outp y", "--output")]
)
def test_an_option_that_there_is_not_names_those_that_begin_so(run, words, meant):
    Path("x").touch()
    done = run(*words.split())
    assert (done.code, f"(Possible options: {meant})" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check x --window w", "(Possible options: --against)"),
        ("check x -w w", "(Possible options: --against)"),
        ("query --against w", "(Possible options: --window)"),
        ("reconcile --output x", "`neardup reconcile ... > FILE` writes what it prints to a file"),
        ("stats -o x", "`neardup stats ... > FILE` writes what it prints to a file"),
    ],
)
def test_what_another_command_calls_so_is_named(run, words, said):
    Path("x").touch()
    done = run(*words.split())
    assert (done.code, said in " ".join(done.err.replace("│", " ").split())) == (2, True)


@pytest.mark.parametrize("words", ["query --output x", "show --output x"])
def test_beside_what_writes_to_a_file_no_option_of_another_use_is_named(run, words):
    done = run(*words.split())
    assert (done.code, "> FILE` writes what it" in done.err, "Possible options" in done.err) == (
        2,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("words", "is_name"), [("explain -:4 a", True), ("get -ab", True), ("stats -x", False)]
)
def test_a_name_that_begins_as_an_option_is_told_its_place(run, words, is_name):
    done = run(*words.split())
    said = f"put a name that begins with - after --: `neardup {words.split()[0]} -- NAME`"
    assert (done.code, said in " ".join(done.err.replace("│", " ").split())) == (2, is_name)


def test_bytes_of_a_value_that_cannot_be_are_shown_as_elsewhere(run, monkeypatch):
    done = run("groups", "--sort", "x\udcff")
    assert (done.code, r"'x\xff' is not one of" in done.err) == (2, True)
    written = run("groups", "--sort", r"\udcff")
    assert r"'\\udcff' is not one of" in written.err
    monkeypatch.setenv("NEARDUP_THRESHOLD", "\udcff")
    assert r"neardup: setting NEARDUP_THRESHOLD is '\xff': it must be" in run("stats").err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("stats", "here"), "here has no option before it: did you mean --window here?"),
        (
            ("query", "http://a:1/news"),
            "http://a:1/news has no option before it: did you mean --window http://a:1/news?",
        ),
        (("query", "page.txt"), "page.txt has no option before it: did you mean --file page.txt?"),
        (("query", "-"), "- has no option before it: did you mean --file -?"),
        (
            ("query", "the ferry", "aground"),
            "the ferry aground has no option before it: did you mean --text 'the ferry aground'?",
        ),
        (("stats", "page.txt"), "unexpected extra argument(s) (page.txt)"),
        (("stats", "nowhere"), "unexpected extra argument(s) (nowhere)"),
        (("stats", "x" * 300), "unexpected extra argument"),
    ],
)
def test_what_stands_alone_is_told_its_option(run, words, said):
    Path("here").mkdir()
    Path("page.txt").write_text("x")
    done = run(*words)
    assert done.code == 2
    assert said in " ".join(done.err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("option", "value"), [("--window-hours", "1d"), ("--threads", "two"), ("--policy", "skip")]
)
def test_a_value_that_an_option_cannot_have_is_named(run, stream, option, value):
    done = run("ingest", stream, option, value)
    assert (done.code, f"{value!r}" in done.err, "Value error" in done.err) == (2, True, False)


@pytest.mark.parametrize(
    ("words", "code"),
    [("groups --window w --limit 99999999999999999999", 0), ("calibrate --window w --seed -1", 2),
     ("ingest stream.jsonl --window new --keep-hours 99999999999999999999", 2)],
)  # fmt: skip
def test_a_number_that_is_too_large_or_negative_is_told_before_anything_is_made(run, window, words, code):
    assert run(*words.split()).code == code
    assert not Path("new").exists()
