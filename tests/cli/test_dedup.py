"""neardup dedup: what stays is the same to the byte, what goes says why, whatever it was read from."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from testing.cli.samples import FERRY, MILL, STREAM, written

import neardup
from neardup.cleaning.kept_kinds import KindSample

ROOT = Path(__file__).parents[2]
EDITED = FERRY.replace("Friday", "Saturday")


def lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def test_what_stays_is_the_same_to_the_byte_and_in_order(run):
    kept = [
        b'{"id": 1, "text": "%s", "n": 1.50, "b": "\\u00e9", "a": {"x":  []}}' % FERRY.encode(),
        b' {"text":"Rain is due.","id":"r"} \r',
        b'{"id":"m","text":"%s"}' % MILL.encode(),
    ]
    copy = b'{"id":"copy","text":"%s"}' % EDITED.encode()
    Path("in.jsonl").write_bytes(b"\xef\xbb\xbf" + b"\n".join([kept[0], b"", kept[1], copy, kept[2]]))
    done = run("dedup", "in.jsonl", "-o", "clean.jsonl", "--removed", "removed.jsonl")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("4 read: 3 kept, 1 removed (0 exact, 1 near); ")
    assert Path("clean.jsonl").read_bytes() == b"\n".join([*kept, b""])
    (removed,) = lines("removed.jsonl")
    assert removed["text"] == EDITED
    assert removed["neardup"].items() >= {
        "id": "copy", "status": "near", "duplicate_of": "1", "where": "in.jsonl:4", "duplicate_of_where": "in.jsonl:1",
    }.items()  # fmt: skip
    assert 0.7 <= removed["neardup"]["score"] < 1
    assert Path("removed.jsonl").read_bytes().startswith(copy[:-1])


def test_standard_output_and_input(run_process, stream):
    done = run_process("dedup", "-", stdin=stream.read_bytes())
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["ferry", "mill", "blank"]
    assert "5 read: 3 kept (1 without a letter or digit), 2 removed (1 exact, 1 near); " in done.err


def test_standard_input_that_is_no_json_is_told_with_the_way_out(run_process):
    said = (
        "neardup: standard input was read as JSON Lines, but has none: name its format by --input (text: all of it is "
        "one document; jq -Rc '{text: .}' makes a record of each line)\n"
    )
    rows = b"text\nRain is due.\n"
    for command in (("dedup",), ("ingest", "--window", "w")):
        done = run_process(*command, "-", stdin=rows)
        assert (done.code, said in done.err) == (1, True)
        done = run_process(*command, "-", "--input", "csv", stdin=rows)
        assert (done.code, said in done.err) == (0, False)
    assert said not in run_process("dedup", "-", stdin=b'{"id": "a"}\n').err
    assert said not in run_process("dedup", "-", stdin=b"").err


@pytest.mark.parametrize(
    ("keep", "ids"),
    [
        ("first", ["ferry", "mill", "blank"]),
        ("last", ["mill", "ferry-edited", "blank"]),
        ("longest", ["mill", "ferry-edited", "blank"]),
        ("source:c,b", ["mill", "ferry-again", "blank"]),
    ],
)
def test_which_one_stays(run, keep, ids):
    names = dict(zip((record["id"] for record in STREAM), "aabc", strict=False)) | {"ferry-again": "c"}
    written("s.jsonl", [{**record, "source": names.get(record["id"])} for record in STREAM])
    assert [record["id"] for record in run("dedup", "s.jsonl", "--keep", keep).lines] == ids


def test_files_are_sources_too_and_a_misspelt_one_is_told(run, caplog):
    written("blog.jsonl", STREAM[:2])
    written("reuters.jsonl", STREAM[2:3])
    assert [
        record["id"]
        for record in run("dedup", "blog.jsonl", "reuters.jsonl", "--keep", "source:reuters").lines
    ] == [
        "mill",
        "ferry-again",
    ]
    Path("wires").mkdir()
    written("wires/1.jsonl", STREAM[3:4])
    kept = run("dedup", "blog.jsonl", "reuters.jsonl", "wires", "--keep", "source:wires").lines
    assert [record["id"] for record in kept] == ["mill", "ferry-edited"]
    run("dedup", "blog.jsonl", "reuters.jsonl", "--keep", "source:reuter,blog.jsonl")
    assert "no record has the source 'reuter'" in caplog.text
    done = run("dedup", "blog.jsonl", "--keep", "best")
    assert done.code == 2
    assert "setting keep is 'best': it must be first, last, longest, earliest, or source:a,b,c" in done.err


def test_a_time_that_is_a_boolean_is_no_number_of_seconds(run):
    path = written("a.jsonl", [{"id": "a", "text": "Rain in the north.", "time": True}])
    assert "1973" not in run("dedup", path, "--keep", "earliest").err


def test_a_time_that_no_record_has_is_told_where_the_earliest_stays(run, caplog):
    written(
        "a.jsonl", [{"id": id, "text": FERRY, "made": made} for id, made in (("a", 99), ("b", "3/11/26"))]
    )
    unread = "records have no time that can be read, and count as later than all others"
    assert run("dedup", "a.jsonl", "--keep", "earliest").code == 0
    assert f"2 of 2 {unread} (first: a.jsonl:1): it has none; --time-field names the field" in caplog.text
    assert run("dedup", "a.jsonl", "--keep", "earliest", "--time-field", "made").code == 0
    assert f"1 of 2 {unread} (first: a.jsonl:2): time '3/11/26' is not ISO 8601" in caplog.text
    done = run("dedup", "a.jsonl", "--keep", "earliest", "--time-field", "makd")
    assert (done.code, "no record has a time in the field 'makd' (fields: id, made, text)" in done.err) == (
        1,
        True,
    )
    assert run("dedup", "a.jsonl", "--time-field", "makd").code == 0


def test_of_a_mail_without_a_date_no_field_of_a_time_is_advised(run, caplog):
    Path("a.eml").write_text(f"From: a@b\nSubject: Ferry\n\n{FERRY}\n")
    assert run("dedup", "a.eml", "--keep", "earliest").code == 0
    assert "(first: a.eml): it has none; texts and mails without a Date have none" in caplog.text
    assert "--time-field" not in caplog.text


def test_a_field_of_the_id_that_no_record_has_is_told_wherever_it_was_named(run, stream):
    Path("neardup.toml").write_text('[fields]\nid = "nr"\n')
    for words in (("dedup", stream), ("check", stream, "--against", stream)):
        done = run(*words)
        assert (done.code, "no record has an id in the field 'nr'" in done.err) == (1, True)


def test_ids_that_repeat_lose_nothing(run):
    written("a.jsonl", [{"id": "x", "text": text} for text in (FERRY, MILL, "Rain is due.", FERRY)])
    assert len(run("dedup", "a.jsonl").lines) == 3


@pytest.mark.parametrize("keep", ["first", "earliest"])
def test_no_record_is_lost_for_its_id_or_time(run, caplog, keep):
    others: list[dict[str, object]] = [
        {"id": 1.0},
        {"id": {"$oid": "x"}, "time": {"at": 1}},
        {"id": None, "time": True},
    ]
    texts = (FERRY, MILL, FERRY)
    written("a.jsonl", [{**other, "text": text} for other, text in zip(others, texts, strict=True)])
    done = run("dedup", "a.jsonl", "--keep", keep, "--removed", "removed.jsonl")
    assert (done.code, [record["id"] for record in done.lines]) == (0, [1.0, {"$oid": "x"}])
    why = lines("removed.jsonl")[0]["neardup"]
    assert (why["id"], why["duplicate_of"]) == ("a.jsonl:3", "a.jsonl:1")
    assert keep == "first" or "3 of 3 records have no time that can be read" in caplog.text


@pytest.mark.parametrize("command", [["dedup"], ["check", "--against", "stream.jsonl"]])
@pytest.mark.parametrize("option", [["--fold-case"], ["--q", "5"], []])
def test_sketches_reach_a_low_threshold_whatever_the_recipe(run, stream, caplog, command, option):
    assert run(*command, stream, "--threshold", "0.5", *option).code == 0
    assert "and miss copies at" not in caplog.text


def test_what_cannot_be_used_is_in_neither_file(run):
    records = [*STREAM[:2], {"id": "n"}, {"id": "long", "text": "x" * 3000}, {"id": "s", "text": "\ud800"}]
    Path("a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records) + "no json\n")
    words = ("--rejects", "rejects.jsonl", "--max-length", 2000)
    for keep in ("first", "last"):
        done = run("dedup", "a.jsonl", "--keep", keep, "--force", *words)
        assert done.code == 1
        assert [record["id"] for record in done.lines] == ["ferry", "mill"]
        assert "6 read: 2 kept, 0 removed (0 exact, 0 near); 4 rejected" in done.err
        assert {(reject["id"], reject["line"]) for reject in lines("rejects.jsonl")} == {
            ("n", 3), ("long", 4), (None, 5), (None, 6),
        }  # fmt: skip


def test_mails_that_go_with_what_is_attached_to_them_are_counted_and_name_it(run):
    for number, attached in enumerate(["", "Content-Disposition: attachment; filename=plan.pdf\n"]):
        head = f"From: a@example.org\nMessage-ID: <{number}@x>\nContent-Type: multipart/mixed; boundary=b\n\n"
        pdf = f"--b\nContent-Type: application/pdf\n{attached}\n%PDF\n" if attached else ""
        Path(f"{number}.eml").write_text(f"{head}--b\nContent-Type: text/plain\n\n{FERRY}\n{pdf}--b--\n")
    done = run("dedup", "0.eml", "1.eml", "--output", "clean.jsonl", "--removed", "removed.jsonl")
    assert "1 of the 1 removed has attachments or forwarded mails, which are not compared" in done.err
    assert json.loads(Path("removed.jsonl").read_text())["attachments"] == "plan.pdf"
    done = run("dedup", "1.eml", "0.eml", "--output", "clean.jsonl", "--force")
    assert "attachments" not in done.err


def test_what_the_page_shows_is_what_comes_out(run):
    page = (ROOT / "docs" / "dedup.md").read_text("utf-8")
    done = run("dedup", ROOT / "examples" / "stream.jsonl", "-o", "clean.jsonl", "--removed", "removed.jsonl")
    for line in done.err.splitlines():
        assert line.replace(f"{ROOT}/", "").rpartition("; ")[0] in page
    why = json.dumps(lines("removed.jsonl")[0]["neardup"], separators=(",", ":")).replace(f"{ROOT}/", "")
    assert why in page.replace("\n ", "")


@pytest.mark.skipif(shutil.which("jq") is None, reason="there is no jq")
def test_what_the_page_says_of_every_night_keeps_what_no_night_had(run):
    page = (ROOT / "docs" / "dedup.md").read_text("utf-8")
    first, second = re.findall(
        r"^    (.*(?:\n        .*)?)$", page.partition("## Every night\n")[2], re.MULTILINE
    )[:2]
    sample = (ROOT / "examples" / "stream.jsonl").read_bytes().splitlines(keepends=True)
    for night, part in (
        ("2026-11-21", sample[:150]),
        ("2026-11-22", [*sample[150:], b'{"id": 7, "text": "Gale"}\n']),
    ):
        Path(f"{night}.jsonl").write_bytes(b"".join(part))
        done = run(*first.replace("2026-11-21", night).split()[1:])
        assert done.code == 1, "each has one that is rejected"
        subprocess.run(second.replace("2026-11-21", night), shell=True, check=True)
    kept = [record["id"] for night in ("21", "22") for record in lines(f"2026-11-{night}.clean.jsonl")]
    run("ingest", ROOT / "examples" / "stream.jsonl", "--window", "w", "-o", "all.jsonl", "--policy", "drop")
    unique = {verdict["id"] for verdict in lines("all.jsonl") if not verdict["duplicate_of"]}
    assert (len(kept), set(kept)) == (len(unique) + 1, unique | {7})


# ---- against ----


@pytest.mark.parametrize("keep", ["first", "last", "longest", "earliest", "source:b"])
def test_copies_of_what_is_there_go_whatever_is_preferred(run, keep):
    written("there.jsonl", [STREAM[0], {"id": "no text"}])
    written("new.jsonl", [*STREAM[3:], {"id": "rain", "text": MILL + " Rain."}, {**STREAM[1], "source": "b"}])
    done = run("dedup", "new.jsonl", "--against", "there.jsonl", "--keep", keep, "--removed", "removed.jsonl")
    stays = "rain" if keep in ("first", "longest") else "mill"
    assert [record["id"] for record in done.lines if record["id"] != "blank"] == [stays]
    why = {each["neardup"]["id"]: each["neardup"] for each in lines("removed.jsonl")}
    assert why.keys() == {"ferry-edited", {"rain": "mill", "mill": "rain"}[stays]}
    edited = why["ferry-edited"]
    assert (edited["duplicate_of"], edited["duplicate_of_where"]) == ("ferry", "there.jsonl:1")
    told = "neardup: compared with 1 document of there.jsonl; 1 could not be used\n4 read: 2 kept"
    assert (done.code, told in done.err) == (1, True)


@pytest.mark.parametrize("command", ["dedup", "check"])
def test_the_field_of_the_text_may_have_another_name_there(run, command):
    written("there.jsonl", [{"id": "a", "question": FERRY}, {"id": "c", "text": "Rain is due."}])
    written("new.jsonl", [{"id": "copy", "text": FERRY}, {"id": "b", "body": MILL}])
    words = (command, "new.jsonl", "--against", "there.jsonl")
    done = run(*words)
    no_field = "no text: there is no field 'text' (fields: "
    assert f"there.jsonl:1: {no_field}id, question): --against-text-field names another\n" in done.err
    assert f"new.jsonl:2: {no_field}body, id): --text-field names another\n" in done.err
    assert "1 exact" not in done.err
    done = run(*words, "--against-text-field", "question")
    assert "1 exact" in done.err
    assert "there is no field 'question' (fields: id, text): --against-text-field names another\n" in done.err
    new = written("other.jsonl", [{"id": "copy", "body": FERRY, "text": MILL}])
    done = run(
        command, new, "--against", "there.jsonl", "--text-field", "body", "--against-text-field", "question"
    )
    assert "1 exact" in done.err


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["dedup", "new.jsonl"], "--against-text-field: name the files that have it by --against"),
        (["check", "new.jsonl", "--against", "w"], "--against-text-field: w is a window: it holds documents"),
    ],
)
def test_the_field_of_the_text_there_is_refused_where_there_are_no_files(run, command, reason):
    written("new.jsonl", STREAM[:1])
    run("ingest", "new.jsonl", "--window", "w")
    done = run(*command, "--against-text-field", "question")
    assert (done.code, done.out) == (2, "")
    assert reason in " ".join(done.err.replace("\u2502", " ").split())


def test_what_is_there_is_rejected_as_such(run):
    written("there.jsonl", [{"id": "long", "text": FERRY * 3}, STREAM[1]])
    written("new.jsonl", [{"id": "copy", "text": MILL}, *STREAM[3:]])
    done = run(
        "dedup", "new.jsonl", "--against", "there.jsonl", "--max-length", 300, "--rejects", "rejects.jsonl"
    )
    assert [record["id"] for record in done.lines] == ["ferry-edited", "blank"]
    assert (
        "neardup: rejected there.jsonl:1: text has 636 characters, the limit (max_length) is 300" in done.err
    )
    assert "neardup: compared with 1 document of there.jsonl; 1 could not be used" in done.err
    of_them = "1 removed (1 exact, 0 near; 1 of them copies of records of --against)"
    assert f"3 read: 2 kept (1 without a letter or digit), {of_them}; 0." in done.err
    assert (done.code, Path("rejects.jsonl").read_text()) == (1, "")


@pytest.mark.parametrize("command", ["dedup", "check"])
def test_against_an_empty_folder_all_stay(run, command):
    """As on the first night, when nothing has been kept yet."""
    Path("kept").mkdir()
    written("new.jsonl", [{"text": FERRY}, {"text": MILL}])
    done = run(command, "new.jsonl", "--against", "kept", "--output", "out.jsonl")
    assert done.code == 1
    assert len(lines("out.jsonl")) == 2
    Path("kept", "page.xyz").write_text(FERRY)
    assert run(command, "new.jsonl", "--against", "kept", "--output", "other.jsonl").code == 2
    assert not Path("other.jsonl").exists()


def test_what_stays_against_files_is_what_stays_against_texts(run):
    words = [f"w{number:02}" for number in range(40)]
    random = Random(11)
    base = [" ".join(random.choices(words, k=30)) for _ in range(8)]
    texts = []
    for _ in range(200):
        parts = random.choice(base).split()
        parts[random.randrange(30)] = random.choice(words)
        texts.append(" ".join([*parts, *random.choices(words, k=random.randrange(12))]))
    there, new = texts[:80], texts[80:]
    written("there.jsonl", ({"id": f"t{at}", "text": text} for at, text in enumerate(there)))
    written("new.jsonl", ({"id": at, "text": text} for at, text in enumerate(new)))
    for keep in ("first", "longest"):
        done = run("dedup", "new.jsonl", "--against", "there.jsonl", "--threshold", 0.8, "--keep", keep)
        expected = neardup.dedup(new, against=there, threshold=0.8, keep=keep).kept
        assert 0 < len(expected) < len(neardup.dedup(new, threshold=0.8, keep=keep).kept)
        assert (done.code, [record["id"] for record in done.lines]) == (0, expected)


def test_kinds_and_boilerplate_look_at_both_sides(run):
    written("there.jsonl", [{"id": "form", "text": FORMS[0]}])
    written("new.jsonl", [{"id": "filled", "text": FORMS[1]}])
    words = ("dedup", "new.jsonl", "--against", "there.jsonl", "--threshold", 0.5)
    assert "of the 1 near 1 is no plain copy (1 form)" in run(*words).err
    assert len(run(*words, "--keep-kinds", "form").lines) == 1
    footer = "Subscribe to our newsletter and read the terms of use before you comment."
    for name, numbers in (("there.jsonl", range(8)), ("new.jsonl", range(8, 16))):
        texts = (f"{Random(number).randbytes(99).hex()}\n{footer}" for number in numbers)
        written(name, ({"text": text, "source": "s"} for text in texts))
    nothing = "no line or sentence recurs"
    assert nothing in run("dedup", "new.jsonl", "--strip-boilerplate").err
    assert nothing not in run(*words, "--strip-boilerplate").err
    written("there.jsonl", ({**record, "question": record.pop("text")} for record in lines("there.jsonl")))
    assert nothing not in run(*words, "--against-text-field", "question", "--strip-boilerplate").err


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["w"], "w is a window: dedup compares with files only, `neardup check` with a window"),
        (["nowhere"], "nowhere does not exist"),
        (["a.jsonl", "."], "a.jsonl is also to be cleaned"),
    ],
)
def test_what_cannot_be_compared_with_is_refused_before_anything_is_written(run, names, reason):
    written("a.jsonl", STREAM[:1])
    run("ingest", "a.jsonl", "--window", "w")
    others = [word for name in names for word in ("--against", name)]
    done = run("dedup", "a.jsonl", *others, "--output", "clean.jsonl")
    assert (done.code, Path("clean.jsonl").exists()) == (2, False)
    assert reason in " ".join(done.err.replace("\u2502", " ").split())


# ---- kinds ----

FORM = "Report of the hall: {} crates of cod, {} of haddock, {} of plaice; cod {} a crate, haddock {}. Closed {}."
FORMS = [FORM.format(*(137 * (n + 3) * (at + 2) % 9973 for at in range(6))) for n in (1, 2, 3)]


def test_the_summary_says_what_is_no_plain_copy_and_options_mark_or_keep_it(run, monkeypatch):
    texts = [*FORMS, FORMS[1], FORMS[2].replace("plaice;", "fine plaice;"), FERRY]
    written("f.jsonl", [{"id": f"{at}", "text": text} for at, text in enumerate(texts)])
    words = (
        "dedup",
        "f.jsonl",
        "-o",
        "clean.jsonl",
        "--removed",
        "removed.jsonl",
        "--threshold",
        "0.5",
        "--force",
    )
    done = run(*words)
    assert "6 read: 2 kept, 4 removed (0 exact, 4 near); " in done.err
    advice = "of the 4 near 4 are no plain copies (4 form): --keep-kinds form keeps them, --kinds marks them"
    assert done.err.splitlines()[-1] == f"{advice} in --removed"
    assert "kind" not in lines("removed.jsonl")[0]["neardup"]
    monkeypatch.setitem(KindSample.__init__.__kwdefaults__, "most", 3)
    advice = "of 3 of the 4 near, drawn at random, 3 are no plain copies (3 form)"
    assert advice in run(*words).err

    done = run(*words, "--kinds")
    assert "6 read: 2 kept, 4 removed (0 exact, 4 near; 4 form); " in done.err
    assert "--keep-kinds" not in done.err
    assert {each["neardup"]["kind"] for each in lines("removed.jsonl")} == {"form"}

    for keep in ("first", "last"):
        done = run(*words, "--keep-kinds", "form", "--keep", keep)
        assert "6 read: 4 kept (2 for their kind: 2 form), 2 removed (1 exact, 1 near; 2 copy); " in done.err
        ids = {"first": ["0", "1", "2", "5"], "last": ["0", "3", "4", "5"]}
        assert [each["id"] for each in lines("clean.jsonl")] == ids[keep]


def test_with_kinds_that_stay_a_copy_is_exact_only_if_it_is_equal_to_the_text_that_stays_for_it(run):
    # All three have the same q-grams: of the second and the first, the own words are not alike.
    alphabet = "abcdefghijklmnopqrstuvwxy"
    texts = [alphabet * 2, alphabet[::-1] * 2, f"{alphabet[::-1]}, {alphabet[::-1]}"]
    written("a.jsonl", ({"id": str(nr), "text": text} for nr, text in enumerate(texts)))
    done = run("dedup", "a.jsonl", "--q", 1, "--keep-kinds", "other", "--removed", "removed.jsonl")
    assert "3 read: 2 kept (1 for their kind: 1 other), 1 removed (1 exact, 0 near; 1 copy); " in done.err
    why = lines("removed.jsonl")[0]["neardup"]
    assert (why["id"], why["duplicate_of"], why["status"]) == ("2", "1", "exact")


def test_a_kind_that_cannot_stay_is_refused(run, stream):
    done = run("dedup", stream, "--keep-kinds", "copy")
    assert done.code == 2
    assert "keep_kinds is 'copy': it must be some of form, quote, frame, other" in done.err


def test_kinds_in_the_settings_count(run, stream):
    Path("neardup.toml").write_text("kinds = true\n")
    assert "2 copy" in run("dedup", stream, "--config", "neardup.toml").err


# ---- forms ----


def test_csv_of_one_header_is_the_same_to_the_byte(run):
    rows = [f'1;"{FERRY}";', f'2;"{MILL}\nand ""more""";x\r', f"3;{FERRY};y"]
    Path("a.csv").write_text("nr;body;note\r\n" + "\n".join(rows) + "\n", newline="")
    words = ("--text-field", "body", "--id-field", "nr")
    expected = "nr;body;note\r\n" + "\n".join(rows[:2]) + "\n"
    assert run("dedup", "a.csv", *words, "-o", "b.csv", "--removed", "r.csv").code == 0
    assert Path("b.csv").read_bytes().decode() == expected
    assert run("dedup", "a.csv", *words).out.replace("\r\n", "\n") == expected.replace("\r\n", "\n")
    (removed,) = csv.DictReader(io.StringIO(Path("r.csv").read_text()), delimiter=";")
    assert (removed["nr"], removed["note"], removed["neardup_duplicate_of"]) == ("3", "y", "1")
    assert removed["neardup_score"] == "1.0"


@pytest.mark.parametrize("delimiter", ["\t", ";", "^"])
def test_csv_has_the_delimiter_that_was_read(run, delimiter):
    def columns(*cells):
        return delimiter.join(cells) + "\n"

    table = [columns("id", "text", "n"), columns("1", f'"{FERRY}"', "x"), columns("2", MILL, "y")]
    Path("a.csv").write_text("".join(table) + columns("3", FERRY, "z"))
    Path("b.csv").write_text(columns("id", "note", "text") + columns("4", "n", "Rain is due."))
    given = ("--delimiter", delimiter) if delimiter == "^" else ()
    assert run("dedup", "a.csv", *given, "-o", "kept.csv", "--removed", "gone.csv").code == 0
    assert Path("kept.csv").read_text() == run("dedup", "a.csv", *given).out == "".join(table)
    assert Path("gone.csv").read_text().startswith(columns("id", "text", "n", "neardup_id")[:-1])
    assert run("dedup", "a.csv", "b.csv", *given, "-o", "both.csv").code == 0
    assert Path("both.csv").read_text().startswith(columns("id", "text", "n", "note"))
    assert run("dedup", "a.csv", *given, "-o", "kept.tsv").code == 0
    assert Path("kept.tsv").read_text().startswith("id\ttext\tn\n")


def test_csv_made_of_a_tsv_or_of_several_delimiters_has_commas(run):
    Path("a.tsv").write_text(f"id\ttext\n1\t{FERRY}\n")
    Path("b.csv").write_text("id;text\n2;Rain is due.\n")
    assert run("dedup", "a.tsv").out.startswith("id\ttext\n")
    for names in (["a.tsv"], ["a.tsv", "b.csv"]):
        assert run("dedup", *names, "-o", "c.csv", "--force").code == 0
        assert Path("c.csv").read_text().startswith("id,text\n")


def test_one_column_is_quoted_where_it_holds_the_delimiter_that_is_written(run):
    """A row that was written as it stood had two columns for whoever read it again."""
    Path("a.tsv").write_text("text\nRain, and snow\n")
    assert run("dedup", "a.tsv", "--delimiter", "tab", "-o", "a-clean.csv").code == 0
    assert Path("a-clean.csv").read_text() == 'text\n"Rain, and snow"\n'
    Path("b.csv").write_text("text\nThe mill\tis closed\n")
    assert run("dedup", "b.csv", "-o", "b-clean.tsv").code == 0
    assert Path("b-clean.tsv").read_text() == 'text\n"The mill\tis closed"\n'


def test_standard_output_gets_csv_where_files_were_read_as_that_whatever_their_names(run, run_process):
    table = f"id;text\n1;{MILL}\n"
    Path("export.dat").write_text(table)
    assert run("dedup", "export.dat", "--input", "csv").out == table
    line = '{"id": "a",  "text": "Rain is due."}\n'
    Path("a.csv").write_text(line)
    assert run("dedup", "a.csv", "--input", "jsonl").out == line
    (piped,) = run_process("dedup", "-", "--input", "csv", stdin=table.encode()).out.splitlines()
    assert json.loads(piped) == {"id": "1", "text": MILL}


def test_csv_with_a_byte_order_mark_is_written_with_one(run):
    """Excel reads no UTF-8 without it."""
    mark = "\ufeff"
    Path("a.csv").write_text(f"{mark}id,text\n1,Fähre\n2,Fähre\n")
    Path("b.csv").write_text("id,text,note\n3,Mühle,x\n")
    assert run("dedup", "a.csv", "-o", "c.csv", "--removed", "r.csv").code == 0
    assert Path("c.csv").read_text() == run("dedup", "a.csv").out == f"{mark}id,text\n1,Fähre\n"
    assert Path("r.csv").read_text().startswith(f"{mark}id,text,neardup_id")
    run("dedup", "a.csv", "b.csv", "-o", "d.csv")
    assert Path("d.csv").read_text() == f"{mark}id,text,note\n1,Fähre,\n3,Mühle,x\n"
    Path("w.csv").write_text(f"{mark}id,text\n1,Fähre\n2,Fähre\n", "utf-16le")
    assert run("dedup", "w.csv").out == f"{mark}id,text\n1,Fähre\n"
    Path("p.csv").write_text("id,text\n4,Rain is due.\n")
    for files in (["a.csv", "p.csv"], ["p.csv", "a.csv"]):
        assert run("dedup", *files, "-o", "f.csv", "--force").code == 0
        assert Path("f.csv").read_text().startswith(f"{mark}id,text\n")
    run("dedup", "b.csv", "-o", "e.csv")
    assert Path("e.csv").read_bytes() == Path("b.csv").read_bytes()


def test_csv_of_several_headers_has_all_columns(run):
    Path("a.csv").write_text(f"id,text\n1,{MILL.replace(',', '')}\n")
    Path("b.csv").write_text(f"text\tlang\n{FERRY}\ten\n")
    written("c.jsonl", [{"id": "c", "text": "Rain is due.", "tags": ["a", "b"]}])
    assert run("dedup", "a.csv", "b.csv", "c.jsonl", "-o", "out.tsv").code == 0
    rows = list(csv.DictReader(io.StringIO(Path("out.tsv").read_text()), delimiter="\t"))
    assert [row["id"] for row in rows] == ["1", "", "c"]
    assert (rows[1]["lang"], rows[2]["tags"]) == ("en", '["a","b"]')


def test_integers_beyond_64_bits_are_the_same_in_every_form(run):
    big = 2**70 + 1
    record = f'{{"id": "a", "text": "{FERRY}", "n": {big}, "deep": {{"n": [-{big}]}}, "neardup": {big}}}'
    Path("a.jsonl").write_text(f"{record}\n{record}\n")
    assert run("dedup", "a.jsonl", "-o", "b.csv", "--removed", "r.jsonl").code == 0
    (row,) = csv.DictReader(io.StringIO(Path("b.csv").read_text()))
    assert (row["n"], row["deep"], row["neardup"]) == (str(big), f'{{"n":[-{big}]}}', str(big))
    assert (lines("r.jsonl")[0]["n"], lines("r.jsonl")[0]["deep"]) == (big, {"n": [-big]})
    done = run("dedup", "a.jsonl", "-o", "b.parquet")
    assert done.code == 3
    assert "write JSON Lines" in done.err


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_csv_made_of_other_records_is_read_again(run, ending):
    """Whatever a text holds: a carriage return alone, which ends no line here, but does in other programs."""
    texts = [f"{FERRY}\r{MILL}", "a\rb\r", "\r", "c\r\nd", 'e "f"\tg, h\n', " \v\x1e\u2028\x85\0"]
    records = [{"id": str(n), "text": text, "note": f"{n}\r"} for n, text in enumerate(texts)]
    assert run("dedup", written("a.jsonl", records), "-o", f"b.{ending}").code == 0
    assert run("dedup", f"b.{ending}", "-o", "c.jsonl").code == 0
    assert [json.loads(line) for line in Path("c.jsonl").read_bytes().splitlines()] == records


def test_an_array_of_json_and_objects_over_several_lines(run):
    Path("a.json").write_text(json.dumps(STREAM[:3], indent=2))
    run("dedup", "a.json", "-o", "b.jsonl")
    assert lines("b.jsonl") == STREAM[:2]
    run("dedup", "a.json", "-o", "b.json", "--removed", "r.json")
    assert json.loads(Path("b.json").read_text()) == STREAM[:2]
    assert [record["id"] for record in json.loads(Path("r.json").read_text())] == ["ferry-again"]
    run("dedup", "b.json", "-o", "c.json", "--removed", "none.json")
    assert json.loads(Path("none.json").read_text()) == []


def test_compressed_files(run, stream):
    import zstandard

    run("dedup", stream, "-o", "c.jsonl.gz", "--removed", "r.jsonl.zst")
    run("dedup", stream, "-o", "C.JSONL.GZ")
    assert gzip.decompress(Path("C.JSONL.GZ").read_bytes()) == gzip.decompress(
        Path("c.jsonl.gz").read_bytes()
    )
    assert gzip.decompress(Path("c.jsonl.gz").read_bytes()).splitlines() == [
        line for line in stream.read_bytes().splitlines() if b"ferry-" not in line
    ]
    removed = zstandard.ZstdDecompressor().stream_reader(Path("r.jsonl.zst").read_bytes()).read()
    assert len(removed.splitlines()) == 2


def test_parquet_in_and_out_keeps_its_types(run):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    schema = arrow.schema(
        [("id", arrow.int32()), ("text", arrow.string()), ("day", arrow.date32()), ("none", arrow.int8())]
    )
    rows = [
        {"id": n, "text": text, "day": None, "none": None} for n, text in enumerate((FERRY, MILL, EDITED))
    ]
    pyarrow.parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), "a.parquet")
    assert run("dedup", "a.parquet", "-o", "b.parquet", "--removed", "r.parquet").code == 0
    kept = pyarrow.parquet.read_table("b.parquet")
    assert kept.schema == schema
    assert kept.to_pylist() == rows[:2]
    (removed,) = pyarrow.parquet.read_table("r.parquet").to_pylist()
    assert (removed["id"], removed["neardup_duplicate_of"]) == (2, "0")
    assert run("dedup", "b.parquet", "-o", "c.arrow").code == 0
    assert len(run("dedup", "c.arrow").lines) == 2
    written("d.jsonl", [{"text": FERRY, "n": 1}, {"text": MILL, "n": "one"}])
    done = run("dedup", "d.jsonl", "-o", "d.parquet")
    assert done.code == 3
    assert "the records do not fit into columns of one type each" in done.err
    assert "d.parquet was not written\n" in done.err  # not that the same command would
    assert run("dedup", "--force", written("e.jsonl", []), "-o", "e.parquet").code == 0


@pytest.mark.parametrize("kept", ["kept.jsonl", "kept.jsonl.gz"])
def test_what_stays_is_whole_where_no_table_can_be_made_of_what_goes(run, kept):
    pytest.importorskip("pyarrow")
    written("a.jsonl", [{"text": FERRY}, {"text": FERRY, "n": 1}, {"text": FERRY, "n": {"of": 1}}])
    done = run("dedup", "a.jsonl", "-o", kept, "--removed", "gone.parquet")
    assert done.code == 3
    assert "gone.parquet was not written\n" in done.err
    assert kept not in done.err
    assert [record["text"] for record in run("dedup", kept).lines] == [FERRY]


def test_parquet_files_of_several_schemas_keep_the_types_of_both(run):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    first = arrow.schema(
        [("id", arrow.int32()), ("text", arrow.string()), ("embedding", arrow.list_(arrow.float32())),
         ("language", arrow.dictionary(arrow.int32(), arrow.string())), ("price", arrow.decimal128(12, 2))]
    )  # fmt: skip
    second = arrow.schema(
        [("id", arrow.int32()), ("text", arrow.string()), ("language", arrow.null()),
         ("size", arrow.uint8())]
    )  # fmt: skip
    row = {"id": 1, "text": FERRY, "embedding": [0.1], "language": "en", "price": Decimal("1.10")}
    pyarrow.parquet.write_table(arrow.Table.from_pylist([row], schema=first), "a.parquet")
    rows = [{"id": 2, "text": FERRY, "size": 7}, {"id": 3, "text": "Another text.", "size": 8}]
    pyarrow.parquet.write_table(arrow.Table.from_pylist(rows, schema=second), "b.parquet")
    assert run("dedup", "a.parquet", "b.parquet", "-o", "c.parquet").code == 0
    kept = pyarrow.parquet.read_table("c.parquet")
    assert kept.schema.equals(arrow.schema([*first, second.field("size")]))
    assert kept.column("id").to_pylist() == [1, 3]
    # No type holds the values of both: the columns get the types of their values.
    other = arrow.table({"id": ["four"], "text": ["A third text."]})
    pyarrow.parquet.write_table(other, "d.parquet")
    done = run("dedup", "a.parquet", "d.parquet", "-o", "e.parquet")
    assert (done.code, "field 'id'" in done.err) == (3, True)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_what_goes_has_the_types_that_it_was_read_with(run, ending):
    """Those, too, that its values do not tell: numbers of 64 bits, parts of a microsecond, mappings."""
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    write = pyarrow.parquet.write_table if ending == "parquet" else pyarrow.feather.write_feather
    read = pyarrow.parquet.read_table if ending == "parquet" else pyarrow.feather.read_table
    table = arrow.table(
        {
            "id": arrow.array([1, 2], arrow.int32()),
            "text": arrow.array([FERRY, FERRY], arrow.large_string()),
            "hash": arrow.array([0, 2**64 - 1], arrow.uint64()),
            "price": arrow.array([None, "1.10"], arrow.string()).cast(arrow.decimal128(10, 2)),
            "at": arrow.array([0, 1000], arrow.timestamp("ns", "UTC")),
            "tags": arrow.array([None, [("a", 1)]], arrow.map_(arrow.string(), arrow.int64())),
        }
    )
    write(table, f"a.{ending}")
    assert run("dedup", f"a.{ending}", "-o", f"b.{ending}", "--removed", f"c.{ending}").code == 0
    kept, removed = read(f"b.{ending}"), read(f"c.{ending}")
    assert kept.equals(table[:1])
    assert removed.select(table.column_names).equals(table[1:])
    assert removed["neardup_duplicate_of"].to_pylist() == ["1"]


def test_what_is_said_of_a_record_has_the_types_of_now(run):
    """Also where it was read under the same name, from a file of what went, as others have written it."""
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    own = {"neardup_score": arrow.array([1, 1]), "neardup_where": arrow.nulls(2)}
    table = arrow.table({"id": ["1", "2"], "text": [FERRY, FERRY[:-3]], **own})
    pyarrow.parquet.write_table(table, "a.parquet")
    assert run("dedup", "a.parquet", "-o", "b.parquet", "--removed", "c.parquet").code == 0
    assert pyarrow.parquet.read_table("b.parquet").equals(table[:1])
    (removed,) = pyarrow.parquet.read_table("c.parquet").to_pylist()
    assert 0.8 < removed["neardup_score"] < 1
    assert removed["neardup_where"] == "a.parquet:2"


def test_an_interval_of_arrow_stays(run):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.feather

    spans = arrow.array([(1, 2, 3), None], arrow.month_day_nano_interval())
    table = arrow.table({"id": ["a", "b"], "text": [FERRY, MILL], "span": spans, "spans": [[spans[0]], []]})
    pyarrow.feather.write_feather(table, "a.arrow")
    for keep in ("first", "last"):
        assert run("dedup", "a.arrow", "--keep", keep, "-o", f"{keep}.arrow").code == 0
        assert pyarrow.feather.read_table(f"{keep}.arrow").equals(table)


def test_a_table_of_no_rows_has_its_columns(run):
    """Of which nothing stays or goes, or that was empty: with the header as it was read, of one that goes with why."""
    Path("a.csv").write_text(f"nr;text;note\r\n1;{FERRY};x\r\n2;{MILL};\r\n")
    Path("b.csv").write_text("nr\ttext\n")
    assert run("dedup", "a.csv", "--max-length", 5, "-o", "none.csv").code == 1
    assert Path("none.csv").read_bytes() == b"nr;text;note\r\n"
    assert run("dedup", "b.csv", "a.csv", "--max-length", 5, "-o", "both.csv").code == 1
    assert Path("both.csv").read_text() == "nr,text,note\n"
    assert run("dedup", "b.csv").out == "nr\ttext\n"
    for kinds in ([], ["--kinds"]):
        run("dedup", "a.csv", "--removed", "none.tsv", "--force", *kinds)
        Path("two.csv").write_text(f"nr;text;note\n1;{MILL};\n2;{MILL};\n")
        run("dedup", "two.csv", "--removed", "one.tsv", "--force", *kinds)
        columns = Path("none.tsv").read_text()
        assert columns == Path("one.tsv").read_text().splitlines(keepends=True)[0]
        assert columns.startswith("nr\ttext\tnote\tneardup_id\t")


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_table_of_no_rows_has_its_schema(run, ending):
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    write = pyarrow.parquet.write_table if ending == "parquet" else pyarrow.feather.write_feather
    read = pyarrow.parquet.read_table if ending == "parquet" else pyarrow.feather.read_table
    schema = arrow.schema([("id", arrow.int32()), ("text", arrow.string()), ("day", arrow.date32())])
    for name, texts in (("none", []), ("one", [MILL]), ("two", [MILL, MILL])):
        rows = [{"id": n, "text": text, "day": None} for n, text in enumerate(texts)]
        write(arrow.Table.from_pylist(rows, schema=schema), f"{name}.{ending}")
    assert run("dedup", f"none.{ending}", "-o", f"a.{ending}").code == 0
    assert run("dedup", f"one.{ending}", "--max-length", 5, "-o", f"b.{ending}").code == 1
    for name in "ab":
        assert (read(f"{name}.{ending}").schema, read(f"{name}.{ending}").num_rows) == (schema, 0)
    run("dedup", f"one.{ending}", "--removed", f"c.{ending}")
    run("dedup", f"two.{ending}", "--removed", f"d.{ending}")
    none, one = read(f"c.{ending}"), read(f"d.{ending}")
    assert (none.num_rows, one.num_rows) == (0, 1)
    own = [each for each in one.schema if each.name.startswith("neardup_")]
    assert list(none.schema) == [*schema, *own]
    Path("a.csv").write_text(f"id,text\n1,{MILL}\n")
    run("dedup", "a.csv", "--max-length", 5, "-o", f"e.{ending}")
    assert read(f"e.{ending}").schema == arrow.schema([("id", arrow.string()), ("text", arrow.string())])
    # Another type of the same column: what differs is text, as in CSV, and no error.
    run(
        "dedup",
        f"one.{ending}",
        f"e.{ending}",
        "a.csv",
        "-o",
        "kept.csv",
        "--removed",
        f"f.{ending}",
        "--max-length",
        999,
    )
    assert read(f"f.{ending}").schema.field("id").type == arrow.string()


def test_a_folder_of_mails_pages_and_texts(run):
    pytest.importorskip("trafilatura")
    Path("d/cur").mkdir(parents=True)
    Path("d/new").mkdir()
    Path("d/tmp").mkdir()
    head = "Message-ID: <{}@x>\nDate: Sat, 21 Nov 2026 09:00:00 +0000\nSubject: Ferry\n\n"
    Path("d/cur/1").write_text(head.format(1) + FERRY)
    Path("d/new/2").write_text(head.format(2) + EDITED)
    Path("d/page.html").write_text(f"<html><head><title>T</title></head><body><p>{FERRY}</p></body></html>")
    Path("d/t.txt").write_text(MILL)
    done = run("dedup", "d", "--html", "--removed", "r.jsonl")
    assert done.lines == [
        {"id": "1@x", "time": "2026-11-21T09:00:00Z", "subject": "Ferry", "text": FERRY},
        {"id": "t.txt", "text": MILL},
    ]
    removed = {record["id"]: record["neardup"]["duplicate_of"] for record in lines("r.jsonl")}
    assert removed == {"2@x": "1@x", "page.html": "1@x"}


def test_a_directory_of_nothing_is_refused_and_leaves_no_file(run):
    Path("empty").mkdir()
    done = run("dedup", "empty", "--output", "out.jsonl")
    assert done.code == 2
    assert "no file of a known ending" in " ".join(done.err.replace("│", " ").split())
    assert not Path("out.jsonl").exists()


def test_a_dash_is_standard_output(run, stream):
    assert run("dedup", stream, "--output", "-").out == run("dedup", stream).out != ""


# ---- files ----


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "s.jsonl"], "--output s.jsonl is s.jsonl, which is an input"),
        (["-o", "o.jsonl", "--removed", "o.jsonl"], "is also the file of --output"),
        (["--removed", "there.jsonl"], "--removed there.jsonl exists: --force replaces it"),
        (
            ["-o", "clean.txt"],
            "setting --output is 'clean.txt': it must be a file whose name says what it is to hold",
        ),
        (["--removed", "clean"], "setting --removed is 'clean'"),
        (
            ["-o", "/dev/null"],
            ".feather; to write to something that is not a regular file, leave --output out: > /dev/",
        ),
        (
            ["-o", "o.parquet.GZ"],
            "setting --output is 'o.parquet.GZ': it must be a name without its last ending",
        ),
        (
            ["--removed", "o.feather.zst"],
            "Parquet and Arrow are not read if the whole file is compressed",
        ),
        (["-t", "70"], "threshold"),
    ],
)
def test_what_may_not_be_written_is_refused_before_anything_is(run, words, message):
    written("s.jsonl", STREAM)
    Path("there.jsonl").write_text("{}\n")
    done = run("dedup", "s.jsonl", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert Path("there.jsonl").read_text() == "{}\n"
    assert not Path("o.jsonl").exists()


def test_records_that_make_no_table_leave_the_earlier_one(run, stream):
    pytest.importorskip("pyarrow")
    assert run("dedup", stream, "-o", "o.parquet").code == 0
    before = Path("o.parquet").read_bytes()
    written("d.jsonl", [{"text": FERRY, "n": 1}, {"text": MILL, "n": "one"}])
    done = run("dedup", "d.jsonl", "-o", "o.parquet", "--force")
    assert (done.code, "do not fit into columns of one type each" in done.err) == (3, True)
    assert Path("o.parquet").read_bytes() == before
    assert {path.name for path in Path().iterdir()} == {"stream.jsonl", "d.jsonl", "o.parquet"}


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (
            ["2026-11-19", None, 1732143000],
            "field 'day' is a string in some records and a number in others, first at d.jsonl:3",
        ),
        (
            [{"of": 1}, {"of": [1]}],
            "field 'day.of' is a number in some records and a list in others, first at d.jsonl:2",
        ),
    ],
)
def test_the_field_that_fits_no_column_is_named_with_its_place(run, values, reason):
    pytest.importorskip("pyarrow")
    texts = (FERRY, MILL, "Rain is due in the hills tonight.")
    written("d.jsonl", [{"text": text, "day": day} for text, day in zip(texts, values, strict=False)])
    done = run("dedup", "d.jsonl", "-o", "o.parquet")
    assert done.code == 3
    assert f"columns of one type each ({reason}): write JSON Lines\n" in done.err


DEEP = json.loads("[" * 60 + "]" * 60)


@pytest.mark.parametrize(
    "value", [{}, 2**64 - 1, DEEP], ids=["an empty object", "a number of 64 bits", "60 lists in one another"]
)
def test_what_parquet_cannot_hold_is_told(run, value):
    pytest.importorskip("pyarrow")
    written("a.jsonl", [{"text": FERRY, "n": value}])
    done = run("dedup", "a.jsonl", "-o", "a.parquet")
    assert (done.code, "do not fit into columns of one type each" in done.err) == (3, True)
    assert "write JSON Lines" in done.err


@pytest.mark.parametrize("output", ["clean.jsonl", "clean.csv"])
def test_a_record_nested_too_deep_is_rejected_and_ends_no_run(run, output):
    def nested(id: str, levels: int) -> str:
        return f'{{"id":"{id}","text":"{FERRY} {id}","neardup":0,"a":{"[" * levels + "]" * levels}}}\n'

    Path("in.jsonl").write_text(
        "".join(nested(id, levels) for id, levels in [("a", 99), ("b", 99), ("c", 100), ("d", 900)])
    )
    for keep in ("first", "last"):
        done = run("dedup", "in.jsonl", "-o", output, "--removed", "removed.jsonl", "--keep", keep, "--force")
        assert (done.code, "2 rejected" in done.err) == (1, True)
        assert "in.jsonl:3: its fields are nested deeper than 100 levels" in done.err
        (removed,) = lines("removed.jsonl")
        assert removed["id"] == ("b" if keep == "first" else "a")


def test_settings_of_hours_and_budgets_mean_nothing_here(run, monkeypatch):
    written("s.jsonl", [{"id": n, "text": FERRY, "time": f"20{n:02}-01-01T00:00:00Z"} for n in range(30)])
    monkeypatch.setenv("NEARDUP_WINDOW_HOURS", "1")
    monkeypatch.setenv("NEARDUP_MAX_DOCUMENTS", "2")
    assert len(run("dedup", "s.jsonl").lines) == 1
    monkeypatch.setenv("NEARDUP_THRESHOLD", "1.5")
    assert run("dedup", "s.jsonl").code == 2


def test_a_live_stream_is_written_as_it_comes(command):
    import os
    import subprocess

    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    words = [*command, "dedup", "-", "--removed", "removed.jsonl"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": environment}
    with subprocess.Popen(words, bufsize=0, **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for text in (FERRY, MILL):
            process.stdin.write(json.dumps({"text": text}).encode() + b"\n")
            assert json.loads(process.stdout.readline())["text"] == text
        process.stdin.close()
        assert process.wait() == 0


def test_a_column_of_attachments_in_a_table_is_no_mail(run):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"text": [FERRY, FERRY], "attachments": ["plan.pdf", None]}), "mails.parquet")
    done = run("dedup", "mails.parquet", "--output", "clean.jsonl")
    assert "1 removed" in done.err
    assert "which are not compared" not in done.err
