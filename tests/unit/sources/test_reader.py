"""Reading: every form, every compression, and everything that can be wrong with a file."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import os
import re
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from testing.source_files import read

from neardup.model.document import FLUSH, Document, Reject
from neardup.model.shown_fields import shown_fields
from neardup.model.times import parse_time
from neardup.sources.fields import Fields
from neardup.sources.lines import Overlong, excerpt, lines
from neardup.sources.reader import Reader
from neardup.sources.streams import CHUNK

STORIES = [
    Document(f"n{i}", f"Story {i}.\nSecond line, “quoted”, ünïcode.", f"2026-11-21T{i:02}:00:00Z")
    for i in range(5)
]
AS_JSON = "".join(json.dumps(story._asdict(), ensure_ascii=False) + "\n" for story in STORIES).encode()


def written(tmp_path: Path, name: str, data: bytes | str) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def csv_of(stories: list[Document], delimiter: str = ",") -> bytes:
    sheet = io.StringIO()
    writer = csv.writer(sheet, delimiter=delimiter)
    writer.writerow(Document._fields)
    writer.writerows(stories)
    return sheet.getvalue().encode()


def skipped(data: bytes, kind: int = 0) -> bytes:
    """A frame that readers of zstd skip: pzstd begins with one, and seekable files end with one."""
    return struct.pack("<II", 0x184D2A50 + kind, len(data)) + data


# ---- what is read ----

COMPRESSIONS = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip in members": lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]) + b"\0" * 512,
    "zstd": zstandard.compress,
    "zstd in frames": lambda data: zstandard.compress(data[:100]) + zstandard.compress(data[100:]),
    "zstd in frames, some skipped": lambda data: b"".join(
        (skipped(b""), skipped(b"size", 15), zstandard.compress(data[:100]), skipped(b"x" * 300_000),
         zstandard.compress(data[100:]), skipped(b"a table of where frames begin", 14))
    ),
}  # fmt: skip


@pytest.mark.parametrize("compress", COMPRESSIONS.values(), ids=COMPRESSIONS.keys())
@pytest.mark.parametrize(("name", "data"), [("news.jsonl", AS_JSON), ("news.csv", csv_of(STORIES))])
def test_compression_is_told_from_the_bytes_not_the_name(tmp_path, compress, name, data):
    assert read(written(tmp_path, name, compress(data))) == STORIES


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "a.JSONL.gz", "a.jsonl.zst"])
def test_json_lines_by_name(tmp_path, name):
    assert read(written(tmp_path, name, AS_JSON)) == STORIES


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_fits_the_header(tmp_path, delimiter):
    assert read(written(tmp_path, "a.csv", csv_of(STORIES, delimiter))) == STORIES


@pytest.mark.parametrize("first", ["sep=;", "sep=,", '"sep=;"', "SEP=\t", "sep=|"])
@pytest.mark.parametrize("delimiter", [None, ";"])
def test_the_line_that_tells_excel_the_delimiter_is_to_be_deleted(tmp_path, first, delimiter):
    path = written(tmp_path, "a.csv", f"{first}\r\nid;text\r\n1;a\r\n")
    (reject,) = read(path, delimiter=delimiter)
    reason = "the first line tells Excel the delimiter and is no header, so no row is read: delete it"
    assert reject.reason == reason  # by no command: it would not do of what is compressed, or in UTF-16
    rest = written(tmp_path, "b.csv", path.read_bytes().partition(b"\n")[2])
    assert read(rest, delimiter=delimiter) == [Document("1", "a")]  # as it was advised


def test_the_form_may_be_said_where_the_name_does_not_tell_it(tmp_path):
    path = written(tmp_path, "news", AS_JSON)
    reason = read(path)[0].reason
    assert reason.startswith(
        "the name does not show the format (known: .jsonl, .ndjson, .json, .csv, .tsv, .txt, "
    )
    assert reason.endswith("): name it by --input: jsonl, csv, text, mail, mbox, html, parquet, arrow")
    assert read(path, form="jsonl") == STORIES


def test_files_with_byte_order_marks_may_be_put_one_behind_the_other(tmp_path):
    assert read(written(tmp_path, "a.jsonl", 2 * (2_000 * b"\xef\xbb\xbf" + AS_JSON))) == 2 * read(
        written(tmp_path, "b.jsonl", AS_JSON)
    )


def test_a_byte_order_mark_and_windows_line_ends_are_no_trouble(tmp_path):
    data = b"\xef\xbb\xbf" + AS_JSON.replace(b"\n", b"\r\n")
    assert read(written(tmp_path, "a.jsonl", data)) == STORIES
    assert read(written(tmp_path, "a.csv", b"\xef\xbb\xbfid,text\r\n1,a\r\n")) == [Document("1", "a")]


def test_lines_that_end_in_carriage_returns_alone_are_told_as_such(tmp_path):
    reject, other = read(written(tmp_path, "a.jsonl", AS_JSON.replace(b"\n", b"\r") + b"\n{bad}\r\n"))
    assert reject.reason.endswith("; a line ends in a line feed, not in a carriage return alone")
    assert "carriage" not in other.reason


def test_the_last_line_needs_no_line_feed_and_blank_lines_are_skipped(tmp_path):
    data = b'\n{"id": "a", "text": "x"}\n  \n\n{"text": "y"}'
    assert read(written(tmp_path, "a.jsonl", data)) == [Document("a", "x"), Document("a.jsonl:5", "y")]


def test_a_text_file_is_one_document_named_by_the_file(tmp_path):
    assert read(written(tmp_path, "page.txt", "Rain.\n\nSnow.\n")) == [
        Document("page.txt", "Rain.\n\nSnow.\n")
    ]


def test_files_follow_one_another_in_the_order_given(tmp_path):
    paths = [written(tmp_path, f"{name}.txt", name) for name in "zab"]
    assert [document.text for document in read(*paths)] == ["z", "a", "b"]


def test_bytes_read_reach_the_total(tmp_path):
    reader = Reader(
        [written(tmp_path, "a.jsonl.gz", gzip.compress(AS_JSON)), written(tmp_path, "b.txt", "b")]
    )
    assert reader.bytes_read == 0
    list(reader)
    assert reader.bytes_total
    assert reader.bytes_read == reader.bytes_total


# ---- fields ----


def test_fields_are_selectable(tmp_path):
    data = '{"guid": 7, "body": "x", "when": 1795251600, "id": "no", "text": "no"}\n'
    fields = Fields(id="guid", text="body", time=("published", "when"))
    assert read(written(tmp_path, "a.jsonl", data), fields=fields) == [Document("7", "x", 1795251600)]


@pytest.mark.parametrize(
    "number", [2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**64, -(2**63) - 1, 12345678901234567890123, -1e300]
)
def test_an_integer_of_any_size_is_kept_as_from_python(tmp_path, number):
    record = {"id": "a", "text": "x", "title": number, "source": [{"n": number}], "lang": number}
    path = written(tmp_path, "a.jsonl", json.dumps(record))
    (document,) = read(path)
    assert document.fields == shown_fields(record, ("title", "source"))
    assert document.fields["title"] == (
        number if isinstance(number, float) or abs(number) < 2**63 else str(number)
    )
    (whole,) = read(path, keep=True)
    assert whole.fields == {name: record[name] for name in ("title", "source", "lang")}


@pytest.mark.parametrize("name", ["time", "timestamp", "@timestamp"])
def test_the_usual_time_fields_are_known(tmp_path, name):
    data = json.dumps({"id": "a", "text": "x", name: "2026-11-21"})
    assert read(written(tmp_path, "a.jsonl", data)) == [Document("a", "x", "2026-11-21")]


def test_a_missing_null_or_empty_id_is_named_by_file_and_line(tmp_path):
    data = '{"text": "a"}\n{"id": null, "text": "b"}\n{"id": "", "text": "c"}\n'
    ids = [document.id for document in read(written(tmp_path, "a.jsonl", data))]
    assert ids == ["a.jsonl:1", "a.jsonl:2", "a.jsonl:3"]


def test_files_of_one_name_do_not_share_ids(tmp_path):
    paths = [written(tmp_path, f"{day}/news.jsonl", '{"text": "a"}\n') for day in ("mon", "tue")]
    first, second = read(*paths)
    assert first.id != second.id


def test_times_in_csv_are_those_of_json(tmp_path):
    data = "text,time\na,1795251600\nb,1795251600.5\nc,20261121\nd,\n"
    times = [document.time for document in read(written(tmp_path, "a.csv", data))]
    assert times == ["1795251600", "1795251600.5", "20261121", None]
    assert [parse_time(time) for time in times[:3]] == [1795251600000, 1795251600500, 1795219200000]


# ---- what is rejected ----

BAD_JSON = {
    b"{bad}": "not JSON",
    b'{"text": "cut off': "not JSON",
    b'{"text": "\\ud800 x"}': "unpaired surrogate (U+D800)",
    b'{"text": "caf\xe9"}': "not UTF-8: byte 0xe9 at offset 13",
    b'{"text": NaN}': "not JSON: NaN near column 10, which JSON does not have: write null instead (in Python",
    b'{"text": "a", "n": [-Infinity]}': "not JSON: -Infinity near column 2",
    b'{"text": "a", "n": [NaN}': "not JSON: unexpected character",
    b"[1, 2]": "not a JSON object",
    b'"text"': "not a JSON object",
    b'{"id": "a"}': "no text: there is no field 'text' (fields: id)",
    b'{"a":1,"b":1,"body":"x","c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}': "b, body, c, d, e, f, g and 2 more)",
    b'{"text": null}': "field 'text' is null",
    b'{"text": 7}': "field 'text' is an integer, not a string",
    b'{"text": ["a"]}': "field 'text' is a list, not a string",
    b'{"id": 1.5, "text": "a"}': "field 'id' is a number, not a string or an integer of 64 bits: --id-field names",
    b'{"id": 12345678901234567890123, "text": "a"}': "not a string or an integer of 64 bits: --id-field names another",
    b'{"id": true, "text": "a"}': "field 'id' is a boolean",
    b'{"text": "a", "time": {}}': "field 'time' is an object, not a time: --time-field names another",
    b'{"text": "a", "time": false}': "field 'time' is a boolean, not a time",
    b"[" * 100_000: "not JSON",
}


@pytest.mark.parametrize(
    ("line", "reason"), BAD_JSON.items(), ids=[f"{reason}" for reason in BAD_JSON.values()]
)
def test_a_bad_line_is_rejected_with_file_line_and_reason_and_the_stream_goes_on(tmp_path, line, reason):
    path = written(
        tmp_path, "a.jsonl", b'{"id": "1", "text": "a"}\n' + line + b'\n{"id": "2", "text": "b"}\n'
    )
    first, reject, last = read(path)
    assert (first.id, last.id) == ("1", "2")
    assert reason in reject.reason
    assert (reject.source, reject.line, reject.raw) == (str(path), 2, excerpt(line))
    json.dumps(reject).encode("utf-8")


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("body.txt", "no text: there is no field 'body.txt' (fields: body.text, body.title)"),
        ("body.title.text", "no text: there is no field 'body.title.text' (fields: body.title.short)"),
        ("body", "field 'body' is an object, not a string (fields: body.text, body.title)"),
        ("page.text", "no text: there is no field 'page.text' (fields: body, id)"),
    ],
)
def test_where_an_object_has_not_the_text_its_fields_are_named(tmp_path, field, reason):
    record = {"id": "1", "body": {"text": "a", "title": {"short": "b"}}}
    path = written(tmp_path, "a.jsonl", json.dumps(record).encode())
    (reject,) = read(path, fields=Fields(text=field))
    assert reject.reason == f"{reason}: --text-field names another"


BAD_ROWS = {
    "2,caf\xe9,": "not UTF-8: byte 0xe9",
    "2,b": "2 columns, the header has 3",
    "2,b,,,": "5 columns, the header has 3",
    '2,"b" c,': "not CSV",
    '2,"never closed,': "not CSV",
    r'2,"a \"b\" c",': "',' expected after '\"'; a backslash is no escape in CSV: a quote within",
    "2,a\rb,": "a cell without quotes has a carriage return in it: quote the cell, or",
}


@pytest.mark.parametrize(("row", "reason"), BAD_ROWS.items(), ids=list(BAD_ROWS.values()))
def test_a_bad_row_costs_one_row(tmp_path, row, reason):
    path = written(tmp_path, "a.csv", f'id,text,time\n1,"a\nb",\n{row}\n3,c,\n4,d,\n'.encode("latin-1"))
    first, reject, *rest = read(path)
    assert first == Document("1", "a\nb")
    assert reason in reject.reason
    assert (reject.source, reject.line) == (str(path), 4)
    assert rest == [Document("3", "c"), Document("4", "d")]


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_whose_lines_end_in_carriage_returns_alone_is_told_how_to_be_read(tmp_path, delimiter, quote):
    lines = [delimiter.join(f"{quote}{cell}{quote}" for cell in row) for row in (("id", "text"), ("1", "a"))]
    (reject,) = read(written(tmp_path, "a.csv", "".join(f"{line}\r" for line in lines)))
    assert "turn these into line feeds (tr '\\r' '\\n')" in reject.reason


def test_a_backslash_before_a_quote_is_told_of_whatever_line_of_the_row_has_it(tmp_path):
    rows = 'id,text\n1,"The first line\nand \\"another\\" one"\n2,b\n'
    first, _, last = read(written(tmp_path, "a.csv", rows))
    assert "expected after '\"'; a backslash is no escape in CSV" in first.reason
    assert (first.line, first.raw, last) == (2, '1,"The first line', Document("2", "b"))


def test_a_table_without_the_text_column_is_one_reject(tmp_path):
    (reject,) = read(written(tmp_path, "a.csv", "id,body\n1,a\n2,b\n"))
    assert reject.reason == (
        "no column 'text' (columns: id, body), so no row is read: --text-field names another"
    )


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_stream_cut_short_gives_what_it_has_and_one_reject_and_the_next_file_follows(tmp_path, compress):
    random = os.urandom(20_000).hex()
    data = compress("".join(json.dumps({"id": str(i), "text": random}) + "\n" for i in range(50)).encode())
    cut, whole = written(tmp_path, "cut.jsonl", data[: len(data) - 20]), written(tmp_path, "b.txt", "b")
    *documents, reject, last = read(cut, whole)
    assert isinstance(reject, Reject)
    assert "cut short" in reject.reason
    assert reject.source == str(cut)
    assert [document.id for document in documents] == [str(i) for i in range(len(documents))]
    assert last == Document("b.txt", "b")


@pytest.mark.parametrize(
    ("compress", "at"), [(gzip.compress, 30), (zstandard.compress, 12)], ids=["gzip", "zstd"]
)
def test_a_damaged_stream_is_one_reject(tmp_path, compress, at):
    data = bytearray(compress(AS_JSON * 10))
    data[at : at + 8] = b"\xff" * 8
    *_, reject = read(written(tmp_path, "a.jsonl", bytes(data)))
    assert "damaged" in reject.reason or "cut short" in reject.reason or "not JSON" in reject.reason


@pytest.mark.parametrize("foreign", [b"\n", b"not gzip, and long enough to be taken for a head"])
def test_bytes_behind_a_gzip_stream_are_told_as_that(tmp_path, foreign):
    *documents, reject = read(written(tmp_path, "a.jsonl", gzip.compress(AS_JSON) * 2 + foreign))
    assert len(documents) == 2 * AS_JSON.count(b"\n")
    assert (
        reject.reason
        == "other bytes follow the gzip stream: compress it again without them (zcat FILE | gzip)"
    )


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_the_last_line_before_foreign_bytes_is_read_with_or_without_its_line_feed(tmp_path, compress, end):
    data = compress(b'{"id": "a", "text": "Rain."}\n{"id": "b", "text": "Snow."}' + end)
    *documents, reject = read(written(tmp_path, "a.jsonl", data + b"foreign bytes"))
    assert documents == [Document("a", "Rain."), Document("b", "Snow.")]
    assert isinstance(reject, Reject)


def test_a_zstd_stream_that_would_take_much_memory_is_told_with_the_way_out(tmp_path):
    large = zstandard.ZstdCompressionParameters(window_log=28)
    packer = zstandard.ZstdCompressor(compression_params=large).compressobj()
    data = zstandard.compress(b"id,text\n1,a\n") + packer.compress(b"2,b\n") + packer.flush()
    document, reject = read(written(tmp_path, "a.csv", data))
    assert document == Document("1", "a")
    assert reject.reason == (
        "the zstd stream has a window above 128 MiB, as zstd --long=28 and more make it: "
        "unpack it first (zstd -d --long=31)"
    )


@pytest.mark.parametrize(
    ("magic", "name", "remedy"),
    [
        (
            b"PK\x03\x04",
            "a zip archive, or a document of an office program, which neardup does not read",
            "unpack the archive, or convert the document to UTF-8 text, first",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "a mail of Outlook, or a document of an office program, which neardup does not read",
            "convert the mail to .eml, or the document to UTF-8 text, first",
        ),
        (b"BZh9", "bzip2, which neardup does not read", "unpack it first"),
        (bz2.compress(b""), "bzip2, which neardup does not read", "unpack it first"),
        (bz2.compress(b"Rain."), "bzip2, which neardup does not read", "unpack it first"),
        (bz2.compress(b"Rain.")[:10], "bzip2, which neardup does not read", "unpack it first"),
        (b"\xfd7zXZ\0", "xz, which neardup does not read", "unpack it first"),
        (b"PAR1", "Parquet", "--input parquet reads it from a file"),
        (b"%PDF-1.7\n%\xe2\xe3", "PDF, which neardup does not read", "convert it to UTF-8 text first"),
    ],
)
def test_a_foreign_file_is_named_with_what_to_do(tmp_path, magic, name, remedy):
    (reject,) = read(written(tmp_path, "a.jsonl", magic + b"\0" * 100))
    assert reject.reason == f"this is {name}: {remedy}"


@pytest.mark.parametrize(
    "text",
    [
        "BZh",
        "BZh is how bzip2 begins",
        "BZh9\tand more",
        "BZh9ąę",
        "%PDF",
        "%PDF is",
        "%PDF-files",
        "PAR1 is",
        "PAR1",
    ],
)
def test_a_text_may_begin_as_files_of_other_kinds_do(tmp_path, text):
    assert read(written(tmp_path, "a.txt", text)) == [Document("a.txt", text)]


def test_a_file_that_cannot_be_opened_is_one_reject(tmp_path):
    none, there = tmp_path / "none.jsonl", written(tmp_path, "b.txt", "b")
    reject, document = read(none, there)
    assert (reject.source, reject.reason) == (str(none), "cannot be read: No such file or directory")
    assert document.id == "b.txt"


def test_text_that_is_no_utf8_is_rejected_whole(tmp_path):
    (reject,) = read(written(tmp_path, "a.txt", b"caf\xe9"))
    assert (reject.id, reject.reason) == (
        "a.txt",
        "not UTF-8: byte 0xe9 at offset 3: --encoding names another, such as latin-1",
    )


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_line_over_the_limit_is_rejected_without_being_held(tmp_path, name):
    head = "id,text,time\n" if name == "a.csv" else ""
    long = "1," + "x" * 5_000 if name == "a.csv" else json.dumps({"id": "1", "text": "x" * 5_000})
    short = "2,b," if name == "a.csv" else '{"id": "2", "text": "b"}'
    rejected, document = read(written(tmp_path, name, f"{head}{long}\n{short}\n"), longest=1_000)
    assert rejected.reason == "the line is longer than 1,000 bytes"
    assert document == Document("2", "b")


def test_a_text_file_over_the_limit_is_rejected(tmp_path):
    (reject,) = read(written(tmp_path, "a.txt", "x" * 2_000), longest=1_000)
    assert reject.reason == "the file is longer than 1,000 bytes"


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_what_expands_without_end_stays_in_bounds(tmp_path, compress):
    bomb = compress(b" " * 64 * CHUNK)
    assert (
        read(written(tmp_path, "a.jsonl", bomb), longest=1_000)[0].reason
        == "the line is longer than 1,000 bytes"
    )


def test_an_engine_s_reject_is_located_by_its_id(tmp_path):
    reader = Reader([written(tmp_path, "a.jsonl", AS_JSON)])
    list(reader)
    located = reader.located(Reject("n3", "time is odd"))
    assert (located.source, located.line) == (str(tmp_path / "a.jsonl"), 4)
    assert reader.located(Reject("stranger", "x")) == Reject("stranger", "x")


# ---- live input ----


def test_standard_input_delivers_what_is_there_and_says_that_it_waits():
    script = (
        "import sys\n"
        "from neardup.sources.reader import Reader\n"
        "for item in Reader(['-']): print(getattr(item, 'id', 'FLUSH'), flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    with process:
        assert process.stdin
        assert process.stdout
        out = io.TextIOWrapper(process.stdout)
        process.stdin.write(b'{"id": "a", "text": "x"}\n{"id": "b", "text"')
        while (line := out.readline().strip()) == "FLUSH":
            pass
        assert (line, out.readline().strip()) == ("a", "FLUSH")
        process.stdin.write(b': "y"}\n')
        assert [out.readline().strip(), out.readline().strip()] == ["b", "FLUSH"]
        process.stdin.close()
        assert out.read() == ""
    assert process.returncode == 0


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_named_pipe_is_live_and_no_row_is_torn(tmp_path, form):
    pipe = tmp_path / f"pipe.{form}"
    os.mkfifo(pipe)
    data = AS_JSON if form == "jsonl" else csv_of(STORIES)
    reader = Reader([pipe])
    assert reader.bytes_total is None

    def write() -> None:
        with pipe.open("wb", buffering=0) as sink:
            for start in range(0, len(data), 37):
                sink.write(data[start : start + 37])
                time.sleep(0.001)

    thread = threading.Thread(target=write)
    thread.start()
    items = list(reader)
    thread.join()
    assert [item for item in items if item is not FLUSH] == STORIES
    assert FLUSH in items


# ---- laws ----


@given(
    st.lists(st.sampled_from([b"\n", b"a", b"bcdefg", b"\xef\xbb\xbf"])).map(b"".join),
    st.integers(1, 20),
    st.integers(1, 9),
)
def test_lines_are_those_of_split_however_the_chunks_fall(data, step, longest):
    chunks = (data[start : start + step] for start in range(0, len(data), step))
    found = [line for batch in lines(chunks, longest) if batch for line in batch]
    expected = (
        re.sub(rb"\A(?:\xef\xbb\xbf)+", b"", data).split(b"\n")
        if len(data.split(b"\n")[0]) <= longest
        else data.split(b"\n")
    )
    if not expected[-1]:
        expected.pop()
    assert len(found) == len(expected)
    for line, whole in zip(found, expected, strict=True):
        assert isinstance(line, Overlong) == (len(whole) > longest)
        assert whole.startswith(line)


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=5), st.sampled_from(["jsonl", "csv"])
)
def test_any_text_comes_back_as_it_went_in(tmp_path_factory, texts, form):
    stories = [Document(f"n{i}", text) for i, text in enumerate(texts)]
    # A carriage return within a cell is a line end to csv, as to every spreadsheet; a NUL ends nothing but is refused.
    if form == "csv" and any("\r" in text or "\0" in text for text in texts):
        return
    as_json = "".join(json.dumps(story._asdict()) + "\n" for story in stories).encode()
    path = written(
        tmp_path_factory.mktemp("law"), f"a.{form}", as_json if form == "jsonl" else csv_of(stories)
    )
    assert read(path) == stories


@given(st.binary(max_size=400))
def test_no_bytes_stop_a_reader(tmp_path_factory, data):
    directory = tmp_path_factory.mktemp("law")
    for name in ("a.jsonl", "a.csv", "a.txt"):
        for item in read(written(directory, name, data)):
            assert isinstance(item, Document | Reject)


def test_two_columns_of_one_name_are_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,text,text\n1,Rain.,\n")
    (reject,) = list(Reader([path]))
    assert isinstance(reject, Reject)
    assert reject.reason.startswith(
        "more than one column 'text' (columns: id, text, text), so no row is read"
    )
    path.write_text("id,text,,\n1,Rain.,,\n")
    assert [item.text for item in Reader([path]) if isinstance(item, Document)] == ["Rain."]
