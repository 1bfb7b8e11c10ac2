"""Directories, files that are of no known form, tables without their column, and text that is no UTF-8."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from testing.source_files import read
from tests.unit.sources.test_reader import AS_JSON, STORIES, csv_of, written

from neardup.errors import SettingsError
from neardup.model.document import Document, Reject
from neardup.sources.fields import Fields
from neardup.sources.reader import Reader
from neardup.sources.streams import BLOCK

# ---- directories and names ----


def test_a_directory_is_every_file_of_a_known_ending_below_it(tmp_path):
    written(tmp_path, "d/b.txt", "b")
    written(tmp_path, "d/sub/a.txt.gz", gzip.compress(b"a"))
    written(tmp_path, "d/sub/n.jsonl", AS_JSON)
    written(tmp_path, "d/a.csv", csv_of(STORIES[:1]))
    written(tmp_path, "d/one.json", json.dumps({"text": "x"}, indent=2))
    written(tmp_path, "d/notes.md", "not read")
    written(tmp_path, "d/sub/x.md", "not read")
    written(tmp_path, "d/sub/LICENSE", "not read")
    written(tmp_path, "d/.hidden/a.txt", "not read")
    written(tmp_path, "d/w/window.json", '{"format": 2, "recipe": "r"}')
    written(tmp_path, "d/w/other.json", "{}")
    reader = Reader([tmp_path / "d"])
    assert list(reader) == [
        STORIES[0], Document("b.txt", "b"), Document("one.json:1", "x"), Document("sub/a.txt.gz", "a"), *STORIES,
    ]  # fmt: skip
    (line,) = reader.passed_over
    assert line.startswith(f"{tmp_path}/d: 5 passed over: .md 2 (first: notes.md), ")
    assert {"no ending 1 (first: sub/LICENSE)", "hidden 1 (first: .hidden)", "a window 1 (first: w)"} <= {
        part.partition(";")[0] for part in line.partition("passed over: ")[2].split(", ")
    }
    assert line.endswith("; --input says what they are")


def test_below_a_directory_a_form_that_was_said_leaves_out_other_known_ones(tmp_path):
    for name in ("a.txt", "b.md", "c", "d.jsonl"):
        written(tmp_path, f"d/{name}", "x")
    reader = Reader([tmp_path / "d"], form="text")
    assert [item.id for item in reader if isinstance(item, Document)] == ["a.txt", "b.md", "c"]
    assert reader.passed_over == [f"{tmp_path}/d: 1 passed over: .jsonl 1 (first: d.jsonl)"]


def test_a_directory_without_known_files_is_told(tmp_path):
    written(tmp_path, "d/notes.md", "x")
    (reject,) = read(tmp_path / "d")
    assert reject.reason.startswith(
        "the directory holds no file of a known ending (.jsonl, .ndjson, .json, .csv, .tsv, .txt, .eml, "
    )
    assert "; --input mail or --input text reads those of other endings, or of none" in reject.reason
    written(tmp_path, "e/a.jsonl", "{}")
    (reject,) = read(tmp_path / "e", form="mail")
    assert reject.reason == (
        "the directory holds no file that --input mail reads: those of other known endings are passed over"
    )


def test_of_many_endings_the_most_frequent_are_told(tmp_path):
    for at in range(40):  # as mails are called, by number and checksum
        written(tmp_path, f"d/{at:05}.{at:06x}", "x")
    written(tmp_path, "d/b.md", "x")
    written(tmp_path, "d/a.md", "x")
    told = Reader([tmp_path / "d"]).passed_over[0].partition("passed over: ")[2]
    assert told.startswith(".md 2 (first: ")
    assert told.endswith(", others 36; --input says what they are")
    assert told.count("first: ") == 5


def test_a_window_that_is_given_as_a_file_is_told(tmp_path):
    written(tmp_path, "w/window.json", '{"format": 2, "recipe": "r"}')
    (reject,) = read(tmp_path / "w")
    assert reject.reason == "this is a window, not a directory of files: give the files that it was made from"
    assert Reader([tmp_path / "w"]).passed_over == []


def test_what_is_never_read_is_not_asked_to_be_named(tmp_path):
    for name in ("a.pdf", "b.xlsx", "c.pptx", ".hidden"):
        written(tmp_path, f"d/{name}", "x")
    (line,) = Reader([tmp_path / "d"]).passed_over
    assert (line.startswith(f"{tmp_path}/d: 4 passed over: "), "--input" in line) == (True, False)
    assert [
        reject.reason for path in ("d/a.pdf", "d/b.xlsx", "d/c.pptx") for reject in read(tmp_path / path)
    ] == [
        "this is PDF, which neardup does not read: convert it to UTF-8 text first",
        "this is a spreadsheet, which neardup does not read: convert it to CSV first",
        "this is a presentation, which neardup does not read: convert it to UTF-8 text first",
    ]


def test_mails_of_programs_that_keep_them_in_their_own_way_are_told_with_what_to_convert_them_to(tmp_path):
    reasons = [read(written(tmp_path, name, "x"))[0].reason for name in ("a.emlx", "b.pst", "c.msg")]
    assert reasons == [
        "this is a mail of Apple Mail, which neardup does not read: convert it to .eml first",
        "this is a mailbox of Outlook, which neardup does not read: convert it to .mbox first",
        (
            "this is a mail of Outlook, which neardup does not read: convert it to .eml first"
            "; --input mail reads it if it is a plain mail"
        ),
    ]


def test_what_is_to_be_unpacked_is_told_so(tmp_path):
    for name in ("a.jsonl.bz2", "b.jsonl.xz", "c.zip", "d.tar.gz", "e.tgz"):
        written(tmp_path, f"d/{name}", "x")
    (line,) = Reader([tmp_path / "d"]).passed_over
    assert "--input" not in line
    kinds = ["bzip2", "xz", "a zip archive", "a tar archive", "a tar archive"]
    assert [reject.reason for path in sorted((tmp_path / "d").iterdir()) for reject in read(path)] == [
        f"this is {kind}, which neardup does not read: unpack it first" for kind in kinds
    ]


def test_a_directory_of_what_no_form_reads_is_not_said_to_need_a_form(tmp_path):
    for name in ("c.zip", "d.tar.gz", "e.msg"):
        written(tmp_path, f"d/{name}", "x")
    (reject,) = read(tmp_path / "d")
    assert "--input" not in reject.reason
    assert reject.reason.endswith(
        "unpack its archives, and convert its documents to UTF-8 text and its mails to .eml, first"
    )


@pytest.mark.parametrize("form", ["jsonl", "csv", "text", "mail", "html"])
def test_a_tar_archive_is_known_whatever_it_is_called(tmp_path, form):
    sheet = io.BytesIO()
    with tarfile.open(fileobj=sheet, mode="w:gz") as archive:
        archive.add(written(tmp_path, "b.jsonl", AS_JSON), "b.jsonl")
    (reject,) = read(written(tmp_path, "a.jsonl.gz", sheet.getvalue()), form=form)
    assert reject.reason == "this is a tar archive: unpack it first (tar -xf)"


@pytest.mark.parametrize("field", ["text", "articles.text"])
def test_records_within_a_list_are_told_with_what_takes_them_out(tmp_path, field):
    path = written(tmp_path, "a.json", '{"count": 1, "articles": [{"text": "Rain."}]}')
    (reject,) = read(path, fields=Fields(text=field))
    assert (
        reject.reason
        == "no text: the records are in the list 'articles': `jq -c '.articles[]' FILE` takes them out"
    )
    written(tmp_path, "a.json", '{"tags": [{"name": "Rain."}]}')
    (reject,) = read(path, fields=Fields(text=field))
    assert reject.reason.endswith("(fields: tags): --text-field names another")


@pytest.mark.parametrize("columns", ["text", "id text"])
def test_an_object_of_columns_is_told_how_it_becomes_records(tmp_path, columns):
    table = {name: {"0": "Rain.", "1": "Snow."} for name in columns.split()}
    (reject,) = read(written(tmp_path, "a.json", json.dumps(table)))
    assert reject.reason.endswith("to_json(orient='records') writes records")
    (reject,) = read(written(tmp_path, "b.json", json.dumps({**table, "text": {"0": "Rain."}, "n": 1})))
    assert reject.reason.startswith("field ")


@pytest.mark.parametrize("value", ["1", '[{"text": "Rain."}]'])
def test_a_long_name_of_a_field_is_cut_in_a_message(tmp_path, value):
    (reject,) = read(written(tmp_path, "a.json", '{"' + "a" * 1_000 + f'": {value}}}'))
    assert f"(fields: {'a' * 100}…): --text-field" in reject.reason


def test_plain_text_in_a_file_that_is_called_as_those_of_word_processors_is_told_how_it_is_read(tmp_path):
    path = written(tmp_path, "manual.doc", "Plain text.")
    (reject,) = read(path)
    assert reject.reason.endswith("convert it to UTF-8 text first; --input text reads it if it is plain text")


def test_a_directory_that_cannot_be_looked_into_is_a_reject(tmp_path, monkeypatch):
    written(tmp_path, "d/a.txt", "a")

    def walk(top, onerror):
        onerror(PermissionError(13, "Permission denied", str(top / "locked")))
        yield from [(str(top), [], ["a.txt"])]

    monkeypatch.setattr("neardup.sources.files.os.walk", walk)
    document, reject = read(tmp_path / "d")
    assert (document.id, reject.source) == ("a.txt", str(tmp_path / "d/locked"))
    assert reject.reason == "cannot be read: Permission denied"


def test_a_file_that_nobody_may_ask_about_is_a_reject(tmp_path, monkeypatch):
    """As in a directory without the right to search it, whose names can be read all the same."""
    barred = written(tmp_path, "d/a.txt", "a")
    stat, opened = Path.stat, os.open

    def refused(of, path, *rest, **options):
        if Path(path) == barred:
            raise PermissionError(13, "Permission denied", str(path))
        return of(path, *rest, **options)

    monkeypatch.setattr(Path, "stat", lambda *args, **options: refused(stat, *args, **options))
    monkeypatch.setattr(os, "open", lambda *args, **options: refused(opened, *args, **options))
    assert Reader([tmp_path / "d"]).passed_over == []
    (reject,) = read(tmp_path / "d")
    assert (reject.source, reject.reason) == (str(barred), "cannot be read: Permission denied")


def test_directories_with_files_of_one_name_do_not_share_ids(tmp_path):
    for day in ("mon", "tue"):
        written(tmp_path, f"{day}/page.txt", day)
    ids = [document.id for document in read(tmp_path / "mon", tmp_path / "tue")]
    assert ids == [f"{tmp_path}/mon/page.txt", f"{tmp_path}/tue/page.txt"]


def test_a_file_that_is_named_twice_or_linked_to_is_read_once(tmp_path):
    path = written(tmp_path, "d/a.txt", "a")
    (tmp_path / "d/b.txt").symlink_to("a.txt")
    reader = Reader([tmp_path / "d", path, written(tmp_path, "c.txt", "c")])
    assert [record.id for record in reader if isinstance(record, Document)] == ["a.txt", "c.txt"]
    assert reader.passed_over == [
        f"{tmp_path}/d/b.txt, {path}: named more than once, or reached by a link, and read once",
    ]
    assert Reader([path, path]).passed_over == [
        f"{path}: named more than once, or reached by a link, and read once"
    ]
    (tmp_path / "hard.txt").hardlink_to(path)
    assert Reader([path, tmp_path / "hard.txt"]).passed_over == []


def test_a_name_that_is_no_utf8_is_escaped_in_ids(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")
    Path(path).write_text("a")
    assert read(path) == [Document(r"caf\xe9.txt", "a")]
    Path(path).rename(path.removesuffix("txt") + "md")
    assert r"(first: caf\xe9.md)" in Reader([tmp_path]).passed_over[0]


def test_a_reader_may_be_read_again_and_tells_of_the_last_time(tmp_path):
    paths = [
        written(tmp_path, name, text) for name, text in (("a.jsonl", '{"text": "x"}\n'), ("b.txt", "<html>"))
    ]
    reader = Reader(paths)
    next(iter(reader))
    assert list(reader) == list(reader)
    ((line, having),) = reader.missing_fields(["id"])
    assert line.startswith("no record has an id in the field 'id' (fields: text), so their ids were made up")
    assert having == 0
    assert list(reader.remarks()) == [
        f"1 file is HTML, taken for text with its tags: --input html reads its text (first: {paths[1]})"
    ]


# ---- tables ----


def test_a_table_of_one_column_asks_for_the_delimiter(tmp_path):
    path = written(tmp_path, "a.csv", "id^text\n1^a\n2^b\n")
    (reject,) = read(path)
    assert reject.reason == (
        "no column 'text' (columns: id^text), so no row is read: --delimiter says what separates columns, "
        "--text-field names another"
    )
    assert read(path, delimiter="^") == [Document("1", "a"), Document("2", "b")]


@pytest.mark.parametrize("delimiter", ",;\t|")
def test_a_table_without_the_text_field_names_each_of_its_columns(tmp_path, delimiter):
    path = written(tmp_path, "a.csv", "Nr;Title;Text\n1;a;b\n".replace(";", delimiter))
    (reject,) = read(path)
    columns = "(columns: Nr, Title, Text), so no row is read: --text-field names another"
    assert reject.reason == f"no column 'text' {columns}"


def test_columns_without_end_are_not_all_named(tmp_path):
    header = ",".join(["x" * 40, *map(str, range(40))])
    (reject,) = read(written(tmp_path, "a.csv", f"{header}\n1\n"))
    assert f"(columns: {'x' * 30}…, 0, 1, 2, " in reject.reason
    assert ", 28 and 11 more), so no row is read" in reject.reason


def test_only_one_column_without_a_name_may_have_a_value(tmp_path):
    rows = "1,a, , \n2,b,x, \n3,c,,y\n4,d,x,y\n"
    *documents, reject = read(written(tmp_path, "a.csv", f"id,text,,\n{rows}"), keep=True)
    assert [(document.id, document.fields) for document in documents] == [
        ("1", None), ("2", {"": "x"}), ("3", {"": "y"}),
    ]  # fmt: skip
    assert reject.reason == "more than one column without a name has a value: give each a name of its own"


@pytest.mark.parametrize("delimiter", ["^^", "", '"', "\n"])
def test_a_delimiter_is_one_character(tmp_path, delimiter):
    with pytest.raises(SettingsError, match=r"setting delimiter is .*: it must be one character"):
        read(written(tmp_path, "a.csv", "id,text\n"), delimiter=delimiter)


def test_a_tab_may_be_written_as_on_a_command_line(tmp_path):
    assert read(written(tmp_path, "a.csv", "id\ttext\n1\ta\n"), delimiter="\\t") == [Document("1", "a")]


# ---- what is of no known form ----

MBOX = "From a@b.c Sat Nov 21 09:00:00 2026\nSubject: Rain\n\nRain.\n"
FOREIGN = {
    "page.html": (
        "<p>x",
        "this is HTML: --html reads its text; --input text comp",
    ),
    "feed.rss": ("<x>", "this is XML (RSS, Atom): convert it to JSON Lines, one item a line; --input text "),
    "in.mbox": (
        "x",
        "not a mailbox (mbox): it does not begin with a line 'From sender time'; --input says",
    ),
    "one.eml": (
        "x",
        "not a mail: it begins with no header; --input says what it is",
    ),
    "a.log.gz": (
        "x",
        "this is a log: --input jsonl reads lines of JSON; convert other logs to that, one entry a line (jq -Rc",
    ),
    "a.warc.gz": (
        "x",
        "this is an archive of pages (WARC): convert it to JSON Lines, one page a line; --input text ",
    ),
    "a.md": ("x", "this is Markdown: convert it to text; --input text compares it with its marks"),
    "a.jsonl": ("<!DOCTYPE html>\n<p>Rain\n", "this is HTML: --input html reads its text; "),
    "b.jsonl": ('<?xml version="1.0"?>\n<rss>\n', "this is XML (RSS, Atom): "),
    "c.csv": (MBOX, "this is a mailbox (mbox): --input mbox reads its messages; --input text"),
    "d.json": ("Received: from x\nSubject: y\n", "this is a mail: --input mail reads its text; "),
}


@pytest.mark.parametrize(("name", "content", "reason"), [(name, *rest) for name, rest in FOREIGN.items()])
def test_what_neardup_does_not_take_apart_is_one_reject_with_what_to_do(tmp_path, name, content, reason):
    (reject,) = read(written(tmp_path, name, content))
    assert reject.reason.startswith(reason)


def test_records_are_no_mail(tmp_path):
    """Their first line begins as a header does: `{"id":` has nothing but signs that a header's name may have."""
    path = written(tmp_path, "a.jsonl", '{"id":"1","text":"Rain."}\n{"id":"2","text":"Snow."}\n')
    (reject,) = read(path, form="mail")
    assert reject.reason.startswith("this is JSON: --input jsonl reads its records; ")


@pytest.mark.parametrize("form", ["jsonl", "html", "mail"])
def test_an_archive_of_pages_is_no_page_and_no_mail(tmp_path, form):
    path = written(
        tmp_path, "a.warc", "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 5\r\n\r\nRain.\r\n\r\n"
    )
    (reject,) = read(path, form=form)
    assert reject.reason.startswith(
        "this is an archive of pages (WARC): convert it to JSON Lines, one page a line; "
    )


def test_what_is_taken_for_text_and_is_none_is_told_once(tmp_path):
    contents = {"a": MBOX, "b.html": "<html><p>Rain", "c.txt": "  <html>\n<p>Snow", "d": "Rain."}
    reader = Reader([written(tmp_path, name, text) for name, text in contents.items()], form="text")
    assert [item.text for item in reader if isinstance(item, Document)] == list(contents.values())
    assert list(reader.remarks()) == [
        f"2 files are HTML, taken for text with its tags: --input html reads its text (first: {tmp_path}/b.html)",
        (
            "1 file is a mailbox (mbox), taken for text as one document: --input mbox reads its messages "
            f"(first: {tmp_path}/a)"
        ),
    ]


def test_records_that_are_taken_for_text_or_a_table_are_told(tmp_path):
    contents = {"a.txt": '{"text": "Rain."}\n{"text": "Snow."}\n', "b.txt": '[\n {"id": 7, "text": "Rain."}]'}
    contents |= {"c.txt": '{"Rain," she said.}', "d.jsonl": contents["a.txt"], "e.csv": contents["a.txt"]}
    reader = Reader([written(tmp_path, name, text) for name, text in contents.items()])
    *documents, reject = reader
    assert len(documents) == 5
    assert isinstance(reject, Reject)
    assert reject.reason.startswith("this is JSON: --input jsonl reads its records; ")
    (remark,) = reader.remarks()
    assert remark == (
        "2 files are JSON, taken for text with its braces and names, as one document: --input jsonl reads its records "
        f"(first: {tmp_path}/a.txt)"
    )


# ---- other encodings ----


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "utf-32", "utf-32-be"]
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt"])
def test_text_in_another_encoding_is_read(tmp_path, encoding, name):
    contents = {"a.jsonl": '{"id": "1", "text": "café\\n"}\n', "a.csv": "id,text\n1,café\n", "a.txt": "café"}
    path = written(tmp_path, name, gzip.compress(contents[name].encode(encoding)))
    (document,) = read(path, encoding=encoding)
    assert document.text.strip() == "café"


@pytest.mark.parametrize(
    ("encoding", "codec", "text"),
    [
        ("windows-874", "cp874", "เรือ“”"),
        ("Windows-31J", "cp932", "①髙"),
        ("windows-949", "cp949", "똠방각하"),
    ],
)
def test_an_encoding_may_have_the_name_that_browsers_and_databases_know(tmp_path, encoding, codec, text):
    assert read(written(tmp_path, "a.txt", text.encode(codec)), encoding=encoding) == [
        Document("a.txt", text)
    ]


def test_what_is_no_text_of_the_encoding_costs_one_line(tmp_path):
    path = written(
        tmp_path, "a.jsonl", b'{"id":"1","text":"caf\xe9"}\n{"id":"2","text":"\x81"}\n{"id":"3","text":"b"}\n'
    )
    first, reject, last = read(path, encoding="cp1252")
    assert [first, last] == [Document("1", "café"), Document("3", "b")]
    assert (reject.line, reject.reason) == (2, "not cp1252, as --encoding says, after 18 characters")


def test_half_a_character_at_the_end_is_a_reject(tmp_path):
    (reject,) = read(written(tmp_path, "a.txt", "渡轮b".encode("utf-16-le")[:5]), encoding="utf-16-le")
    assert reject.reason == "not utf-16-le, as --encoding says, after 2 characters"


@pytest.mark.parametrize(
    ("name", "content"), [("a.csv", "id,text\n1,Rain.\n"), ("a.jsonl", '{"id": "1", "text": "Rain."}\n')]
)
def test_two_byte_order_marks_are_as_good_as_one(tmp_path, name, content):
    assert read(written(tmp_path, name, f"\ufeff\ufeff{content}")) == [Document("1", "Rain.")]


def test_what_lacks_the_mark_of_its_encoding_is_a_reject(tmp_path):
    paths = written(tmp_path, "a.txt", "Rain."), written(tmp_path, "b.txt", "\ufeffA".encode("utf-16-le"))
    reject, document = read(*paths, encoding="utf-16")
    assert reject.reason.startswith("not utf-16, as --encoding says: ")
    assert reject.reason.endswith("tream does not start with BOM")
    assert document.text == "A"


@pytest.mark.parametrize("encoding", ["utf-16le", "utf-16be", "utf-32le", "utf-32be"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt"])
def test_wide_text_without_a_byte_order_mark_is_named_with_the_option_that_reads_it(tmp_path, name, encoding):
    text = "Паром сел на мель у западной косы на рассвете. 😀"
    contents = {
        "a.jsonl": f'{{"id": "1", "text": "{text}"}}\n',
        "a.csv": f"id,text\n1,{text}\n",
        "a.txt": text,
    }
    path = written(tmp_path, name, contents[name].encode(encoding))
    (reject,) = read(path)
    assert reject.reason == f"this is {encoding.upper()} text: --encoding {encoding} reads it"
    (document,) = read(path, encoding=encoding)
    assert document.text == text


@pytest.mark.parametrize("encoding", ["iso2022_jp", "cp932"])
def test_csv_in_another_encoding_is_told_as_that_and_not_as_broken(tmp_path, encoding):
    """ISO 2022 has quotes and commas in its characters, and no header is what it seems."""
    why = {
        "iso2022_jp": "this is text in ISO 2022, with escapes: --encoding iso2022_jp_ext",
        "cp932": "not UTF-8: byte",
    }
    rows = 'id,text\n1,"八月の雨が降り、船は朝に出る。"\n2,""\n'
    for content in (rows, rows.replace("text", "本文")):
        first, *_ = read(written(tmp_path, "a.csv", content.encode(encoding)))
        assert first.reason.startswith(why[encoding])
    broken, _ = read(written(tmp_path, "a.csv", b'text\n"a"b\nRain\n'))
    assert broken.reason == "not CSV: ',' expected after '\"'"


@pytest.mark.parametrize("name", ["text.txt", "text.jsonl", "text.csv", "text.txt.gz"])
def test_a_file_in_utf_8_is_read_as_that_whatever_encoding_is_named(tmp_path, name):
    """No text in KOI8-R is UTF-8, too, unless it is short. Only ASCII is the same in both."""
    contents = {"text.jsonl": '{"text": "Паром ходит"}\n', "text.csv": "text\nПаром ходит\n"}
    data = contents.get(name, "Паром ходит\n").encode()
    own = written(tmp_path, name, gzip.compress(data) if name.endswith("gz") else data)
    short = written(tmp_path, "c.txt", "é")
    paths = [
        written(tmp_path, "a.txt", "Ferry"),
        written(tmp_path, "b.txt", "Паром".encode("koi8-r")),
        own,
        short,
    ]
    reader = Reader(paths, encoding="koi8-r")
    for _ in range(2):
        texts: list[Any] = list(reader)
        assert [each.text.strip() for each in texts] == ["Ferry", "Паром", "Паром ходит", "ц╘"]
        said = "1 file has the encoding UTF-8, not koi8-r as --encoding says"
        assert list(reader.remarks()) == [f"{said} (first: {own})"]


def test_a_file_that_begins_with_ascii_and_goes_on_in_utf_8_is_read_as_that(tmp_path):
    """Of 256 KB of ASCII nobody knows what follows. `--against` found no copies in what followed."""
    lines = b'{"text": "Ferry"}\n' * (BLOCK // 8) + '{"text": "Паром ходит"}\n'.encode()
    path = written(tmp_path, "a.jsonl", lines)
    for encoding in ("koi8-r", "gb18030"):
        reader = Reader([path], encoding=encoding)
        items: list[Any] = list(reader)
        assert (len(items), items[-1].text) == (BLOCK // 8 + 1, "Паром ходит")
        (said,) = reader.remarks()
        assert said.startswith(
            f"1 file has the encoding UTF-8, not {encoding} as --encoding says (first: {path}:"
        )


def test_a_file_that_only_begins_with_utf_8_is_rejected_as_that_and_the_next_one_is_read(tmp_path):
    later = b'{"text": "%s\xcf"}\n' % (b"a" * BLOCK)
    paths = [written(tmp_path, "c.jsonl", '{"text": "Паром ходит"}\n'.encode() + later)]
    paths += [written(tmp_path, "d.txt", "Паром".encode("koi8-r"))]
    items: list[Any] = list(Reader(paths, encoding="koi8-r"))
    first, reject, last = items
    assert [first.text, last.text] == ["Паром ходит", "Паром"]
    assert reject.reason.startswith("not UTF-8: byte 0xcf at offset")


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_utf_8_with_its_mark_is_not_read_in_another_encoding(tmp_path, encoding):
    """The mark became a part of the first column's name, which had been the id."""
    path = written(tmp_path, "a.csv", b"\xef\xbb\xbfid,text\n1,Caf\xc3\xa9\n2,\xe9\n")
    reader = Reader([path], encoding=encoding)
    document, reject = reader
    assert document == Document("1", "Café")
    assert isinstance(reject, Reject)
    assert reject.reason.startswith("not UTF-8: byte 0xe9 at offset 2: ")
    assert list(reader.remarks()) == [
        (f"1 file has the encoding UTF-8, not {encoding} as --encoding says (first: {path})")
    ]
    for right in (None, "utf-8", "utf-8-sig"):
        reader = Reader([path], encoding=right)
        assert next(iter(reader)) == document
        assert not list(reader.remarks())


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_what_is_compressed_is_known_by_its_first_bytes_when_it_is_unpacked(tmp_path, pack):
    """By --encoding cp1252 the ids of a column behind a mark were lost; UTF-16 without a mark was taken for UTF-8."""
    path = written(tmp_path, "a.csv.gz", pack(b"\xef\xbb\xbfid,text\n1,Caf\xc3\xa9\n"))
    for option in (None, "cp1252"):
        assert read(path, encoding=option) == [Document("1", "Café")]
    text = "The ferry ran aground."
    assert read(written(tmp_path, "a.txt.gz", pack(text.encode("utf-16")))) == [Document("a.txt.gz", text)]
    for encoding in ("utf-16le", "utf-32be"):
        path = written(tmp_path, "a.txt.gz", pack(text.encode(encoding)))
        (reject,) = read(path)
        assert reject.reason == f"this is {encoding.upper()} text: --encoding {encoding} reads it"
        (document,) = read(path, encoding=encoding)
        assert document.text == text


@pytest.mark.parametrize("encoding", ["utf-16le", "utf-16be"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_records_of_long_texts_that_have_hardly_a_zero_byte_are_named_with_it_too(tmp_path, name, encoding):
    text = "渡轮清晨在西部沙嘴搁浅，无人受伤。" * 50
    content = {"a.jsonl": f'{{"id": "1", "text": "{text}"}}\n', "a.csv": f"id,text\n1,{text}\n"}[name]
    path = written(tmp_path, name, content.encode(encoding))
    (reject,) = read(path)
    assert reject.reason == f"this is {encoding.upper()} text: --encoding {encoding} reads it"
    (document,) = read(path, encoding=encoding)
    assert document.text == text


def test_what_is_no_text_or_in_an_unknown_encoding_is_told_both(tmp_path):
    text = "渡轮清晨在西部沙嘴搁浅，无人受伤。"
    path = written(tmp_path, "a.txt", text.encode("utf-16le"))
    (reject,) = read(path)
    assert reject.reason == (
        "not text: control byte 0x05 at offset 4, and not UTF-8: if it is text, name its encoding by --encoding, such "
        "as utf-16le"
    )
    (document,) = read(path, encoding="utf-16le")
    assert document.text == text


@pytest.mark.parametrize("text", ["a\0b", "\0" * 64, "Rain.\0Snow.\0\0", "x" * 64 + "\0" + "y" * 63 + "\0"])
def test_text_with_some_zeros_is_text(tmp_path, text):
    (document,) = read(written(tmp_path, "a.txt", text))
    assert document.text == text


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize(("width", "other"), [("16", "32"), ("32", "16")])
def test_text_is_read_by_its_byte_order_mark_whatever_encoding_is_named(tmp_path, order, width, other):
    """In one order the mark of UTF-32 begins as that of UTF-16. A folder with such files beside others in one encoding
    could not be read in one run.
    """
    path = written(tmp_path, "a.txt", "\ufeffRain.".encode(f"utf-{width}-{order}"))
    for right in (None, f"utf-{width}", f"utf-{width}-{order}"):
        reader = Reader([path], encoding=right)
        assert [*reader, *reader.remarks()] == [Document("a.txt", "Rain.")]
    for encoding in ("iso8859-1", f"utf-{other}"):
        reader = Reader([path], encoding=encoding)
        assert [*reader, *reader.remarks()] == [
            Document("a.txt", "Rain."),
            (
                f"1 file has the encoding UTF-{width}{order.upper()}, not {encoding} as --encoding says (first: {path})"
            ),
        ]
    beside = written(tmp_path, "b.txt", b"caf\xe9")
    assert read(path, beside, encoding="latin-1") == [Document("a.txt", "Rain."), Document("b.txt", "café")]
    bad = "\ufeffid,text\n3,Reg\ud800en\n4,渡轮\n".encode(f"utf-{width}-{order}", "surrogatepass")
    reject, last = read(written(tmp_path, "b.csv", bad))
    assert reject.reason == f"not utf-{width}{order}, as its byte order mark says, after 5 characters"
    (reject,) = read(beside, encoding="utf-8")
    assert reject.reason == "not utf-8, as --encoding says, after 3 characters"
    assert last == Document("4", "渡轮")
    for name, content in (("a.jsonl", '{"id": "1", "text": "Rain."}\n'), ("a.csv", "id,text\n1,Rain.\n")):
        path = written(tmp_path, name, f"\ufeff{content}".encode(f"utf-{width}-{order}"))
        assert read(path) == [Document("1", "Rain.")]


def test_text_in_iso_2022_is_named_with_the_option_that_reads_it_and_coloured_text_is_text(tmp_path):
    """All of it is ASCII; read as UTF-8, it was no copy of anything."""
    for encoding, text in (
        ("iso2022_jp_ext", "渡し船は毎日運航しています。"),
        ("iso2022_kr", "나룻배는 매일 운행합니다."),
    ):
        path = written(tmp_path, "a.txt", text.encode(encoding))
        (reject,) = read(path)
        assert reject.reason == f"this is text in ISO 2022, with escapes: --encoding {encoding} reads it"
        assert read(path, encoding=encoding) == [Document("a.txt", text)]
    coloured = "\x1b[31mERROR\x1b(B\x1b[m The ferry ran aground."
    for other in (coloured, "An escape, \x1b$B, beside what is not ASCII: é"):
        assert read(written(tmp_path, "a.txt", other)) == [Document("a.txt", other)]


@pytest.mark.parametrize("encoding", ["latin-99", "base64", "", "a\0b"])
def test_an_encoding_that_is_none_is_refused_by_name(encoding):
    with pytest.raises(SettingsError, match=r"setting encoding is .*such as latin-1, cp1252 or utf-16"):
        Reader([], encoding=encoding)


def test_a_thousand_folders_in_one_another_are_read(tmp_path):
    folder = tmp_path
    for _ in range(1_100):
        folder /= "d"
        folder.mkdir()
    story = folder / "a.txt"
    story.write_text("A story.")
    try:
        (document,) = read(tmp_path / "d")
    finally:  # what removes all of it at the end of a run goes no deeper
        story.unlink()
        os.removedirs(folder)
    assert document.text == "A story."


def test_a_folder_whose_path_is_too_long_to_be_opened_is_told(tmp_path):
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=folder)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    written(tmp_path, "a.txt", "A story.")
    document, reject = read(tmp_path)
    assert (document.text, reject.reason) == ("A story.", "cannot be read: File name too long")


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_a_name_that_is_too_long_for_a_file_is_a_reject(tmp_path, ending):
    path = written(tmp_path, "a.txt", b"A story.")
    reject, document = read(tmp_path / ("a" * 300 + ending), path)
    assert (reject.reason, document.text) == ("cannot be read: File name too long", "A story.")
