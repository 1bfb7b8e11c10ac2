"""HTML pages and tables of Parquet and Arrow as documents; what reads them is an extra, and loaded when needed."""

from __future__ import annotations

import datetime as dt
import gzip
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from testing.source_files import read, written

from neardup.errors import SettingsError
from neardup.model.document import Document
from neardup.model.times import parse_time
from neardup.sources import arrow_tables, html_page
from neardup.sources.reader import Reader

PAGE = """<!doctype html><html><head><title>Ferry aground</title>
<meta property="article:published_time" content="2026-11-21T06:00:00Z"><style>p {color: red}</style></head>
<body><nav>Home | News</nav><script>var hidden = 1</script><article><h1>Ferry aground</h1>
<p>The ferry ran aground off the <b>western</b> spit at dawn, the harbour office said, and nobody was hurt.</p>
<p>A second vessel came to help at six, and the forty passengers were taken off one by one &amp; in good order.</p>
</article><footer>Copyright</footer></body></html>"""


ADDRESS = '<link rel="canonical" href="https://example.org/2020/11/24/ferry">'


def test_a_page_is_its_main_text_with_title_and_date(tmp_path):
    pytest.importorskip("trafilatura")
    (page,) = read(written(tmp_path / "a.html", PAGE), html=True)
    assert isinstance(page, Document)
    assert (page.id, page.time, page.fields) == ("a.html", "2026-11-21T06:00:00Z", {"title": "Ferry aground"})
    assert page.text.splitlines()[1].startswith("The ferry ran aground off the western spit at dawn")
    assert "one by one & in good order." in page.text
    for markup in ("<", "hidden", "color", "Copyright", "Home |"):
        assert markup not in page.text


@pytest.mark.parametrize(
    ("named", "source"),
    [
        (
            '<meta property="og:site_name" content="Harbour Press"><link rel="canonical" href="{}">',
            "Harbour Press",
        ),
        ('<link rel="canonical" href="{}">', "harbour.example.org"),
        ('<meta property="og:url" content="{}">', "harbour.example.org"),
    ],
    ids=["name", "canonical", "og:url"],
)
def test_the_source_of_a_page_is_its_site(tmp_path, named, source):
    pytest.importorskip("trafilatura")
    head = named.format("https://www.harbour.example.org/ferry")
    (page,) = read(written(tmp_path / "a.html", PAGE.replace("</head>", f"{head}</head>")), html=True)
    assert page.fields == {"title": "Ferry aground", "source": source}


def test_the_date_of_a_page_is_when_it_was_published_and_not_when_it_was_changed(tmp_path):
    pytest.importorskip("trafilatura")
    changed = '<meta property="article:modified_time" content="2026-11-23T06:00:00Z"></head>'
    (page,) = read(written(tmp_path / "a.html", PAGE.replace("</head>", changed)), html=True)
    assert page.time == "2026-11-21T06:00:00Z"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_a_page_may_be_of_any_encoding(tmp_path, encoding):
    pytest.importorskip("trafilatura")
    (page,) = read(written(tmp_path / "a.html", PAGE.replace("hurt", "blessé").encode(encoding)), html=True)
    assert "nobody was blessé" in page.text


POLISH = 80 * (
    "Prom osiadł na mieliźnie o świcie u zachodniej mierzei. Nikt nie został ranny, podała straż przybrzeżna. "
    "Łódź źle żółć. "
)


@pytest.mark.parametrize(
    ("found", "time"),
    [
        ('<meta property="article:published_time" content="2020-11-24T08:15:00Z">', "2020-11-24T08:15:00Z"),
        (
            '<meta itemprop="datePublished" content="2020-11-24T01:15:00+02:00">',
            "2020-11-24T01:15:00+02:00",
        ),
        (
            '<script type="application/ld+json">{"datePublished": "2020-11-24T08:15:00-05:00"}</script>',
            "2020-11-24T08:15:00-05:00",
        ),
        ('<meta name="date" content="2020-11-24T08:15:00">', "2020-11-24T08:15:00"),
        ('<meta name="date" content="2020-11-24">', "2020-11-24"),
        (f"{ADDRESS}", "2020-11-24"),
        (f'{ADDRESS}<meta name="date" content="2020-11-24T08:15:00Z">', "2020-11-24T08:15:00Z"),
        (f'{ADDRESS}<meta name="date" content="2020-11-25T08:15:00Z">', "2020-11-24"),
        ('<script type="application/ld+json">{"datePublished": "2020-11-24T08:15:00+25:00"}</script>', "2020-11-24"),
        (f'{ADDRESS}<meta name="date" content="2020-11-24T08:15:00+25:00">', "2020-11-24"),
    ],
    ids=[
        "meta", "itemprop", "JSON-LD", "no zone", "a day", "address", "address and fields", "another day",
        "a zone that no clock has", "address and such a zone",
    ],
)  # fmt: skip
def test_the_time_of_a_page_has_its_time_of_day_and_its_zone(tmp_path, found, time):
    pytest.importorskip("trafilatura")
    page = re.sub("<meta[^>]*>", "", PAGE).replace("</head>", f"{found}</head>")
    (document,) = read(written(tmp_path / "a.html", page), html=True)
    assert (document.time, document.fields["title"]) == (time, "Ferry aground")


@pytest.mark.parametrize(
    ("charset", "encoding", "text"),
    [
        ("ISO-8859-2", "iso-8859-2", POLISH.strip()),
        ("iso-8859-1", "cp1252", " ".join(80 * ["Fähre “lief” auf"])), ("EUC-JP", "euc-jp", "フェリーが座礁した。"),
        ("Shift_JIS", "cp932", "フェリー①が座礁した。"), ("gb2312", "gbk", "黎明前镕喆渡轮搁浅"),
        ("ISO-2022-JP", "iso2022_jp", "フェリーが座礁した。"), ("iso-2022-jp", "utf-8", "Fähre"),
        ("utf-8", "utf-8", "Fähre"), ("iso-8859-1", "utf-8", "Fähre"), ("utf-16", "utf-8", "Fähre"),
        ("idna", "utf-8", "Fähre"), ("unicode_escape", "cp1252", "Rain"), ("nope", "cp1252", "Rain"),
    ],
)  # fmt: skip
def test_a_page_is_in_the_encoding_that_it_says_where_that_fits(tmp_path, charset, encoding, text):
    """As against UTF-8, which hardly anything else is by chance."""
    pytest.importorskip("trafilatura")
    page = (
        f'<html><head><meta http-equiv="Content-Type" content="text/html; charset={charset}"></head><p>{text}'
    )
    (document,) = read(written(tmp_path / "a.html", page.encode(encoding)), html=True)
    assert document.text == text


@pytest.mark.parametrize(
    ("charset", "encoding", "text"),
    [
        ("EUC-JP", "euc-jp", "フェリーが座礁した。"), ("euc-kr", "cp949", "나룻배는 매일 운행합니다."),
        ("gb2312", "gbk", "黎明前镕喆渡轮搁浅"), ("utf-8", "utf-8", "Grüße von der Fähre über den Fluß"),
        ("", "utf-8", "Grüße von der Fähre über den Fluß"),
        ("iso-8859-1", "utf-8", "“Grüße”, sagte sie, “von der Fähre”"),
    ],
)  # fmt: skip
def test_a_byte_that_is_no_text_does_not_change_how_the_others_are_read(tmp_path, charset, encoding, text):
    """A page or a mail: it was read as Thai, Polish, or Windows-1252."""
    pytest.importorskip("trafilatura")
    data = text.encode(encoding) + b"\xff " + text.encode(encoding)
    declared = f"; charset={charset}" if charset else ""
    page = f'<html><head><meta http-equiv="Content-Type" content="text/html{declared}"></head><p>'.encode()
    mail = f"Message-ID: <1@x>\nContent-Type: text/plain{declared}\n\n".encode()
    for name, beginning in (("page", page), ("mail", mail)):
        path = written(tmp_path / f"a.{'html' if name == 'page' else 'eml'}", beginning + data)
        reader = Reader([path], html=True)
        (document,) = reader
        assert isinstance(document, Document)
        assert document.text == f"{text}\N{REPLACEMENT CHARACTER} {text}"
        said = "bytes that are no text in the encoding of the rest: U+FFFD is in their place"
        assert [*reader.remarks()] == [f"1 {name} has {said} (first: {path})"]


@pytest.mark.parametrize("charset", ["", "; charset=us-ascii", "; charset=utf-8"])
def test_iso_2022_is_known_by_its_escapes_where_no_other_encoding_is_named(tmp_path, charset):
    """All of it is ASCII, and so valid UTF-8."""
    pytest.importorskip("trafilatura")
    text = "フェリーが座礁した。"
    data = text.encode("iso2022_jp")
    page = written(tmp_path / "a.html", b"<html><p>" + data)
    head = f"Message-ID: <1@x>\nContent-Type: text/plain{charset}\n\n".encode()
    mail = written(tmp_path / "b.eml", head + data)
    assert [document.text for document in read(page, mail, html=True)] == [text, text]


def test_an_encoding_that_is_not_named_is_guessed_and_said(tmp_path):
    """A few bytes that are no text are no reason to take a page for UTF-8."""
    pytest.importorskip("trafilatura")
    page = written(tmp_path / "a.html", PAGE.replace("hurt", "bless\xe9").encode("cp1252"))
    mail = written(tmp_path / "a.eml", b"Message-ID: <1@x>\n\nCaf\xe9 and t\xeate")
    reader = Reader([page, mail], html=True)
    texts = [document.text for document in reader if isinstance(document, Document)]
    assert "nobody was bless\xe9" in texts[0]
    assert texts[1] == "Caf\xe9 and t\xeate"
    assert {*reader.remarks()} == {
        f"1 page has an encoding that was guessed: it is not UTF-8, and names none that fits (first: {page})",
        (
            "1 mail has a text that is not UTF-8 and names no encoding that fits: Windows-1252 was assumed "
            f"(first: {mail})"
        ),
    }
    nothing = written(tmp_path / "b.html", "<p>渡し船は毎日運航しています。</p>".encode("euc-jp") + b"\xff")
    (reject,) = read(nothing, html=True)
    assert "--encoding names it" in reject.reason


@pytest.mark.parametrize("encoding", [None, "cp1251"])
def test_a_page_is_read_by_its_byte_order_mark(tmp_path, encoding):
    pytest.importorskip("trafilatura")
    page = PAGE.replace("<head>", '<head><meta charset="utf-16">').replace("hurt", "blessé")
    for name in ("utf-16", "utf-8-sig"):
        (document,) = read(written(tmp_path / "a.html", page.encode(name)), html=True, encoding=encoding)
        assert "nobody was blessé" in document.text


def test_a_page_that_is_no_text_of_the_encoding_it_is_said_to_be_in_is_rejected(tmp_path):
    pytest.importorskip("trafilatura")
    path = written(tmp_path / "a.html", PAGE.encode() + b"<p>Caf\x81")
    reject, page = read(path, written(tmp_path / "b.html", PAGE), html=True, encoding="cp1252")
    assert (reject.id, reject.reason.partition(", after")[0]) == ("a.html", "not cp1252, as --encoding says")
    assert page.id == "b.html"


def test_a_page_that_is_no_text_is_rejected_and_one_with_a_stray_control_byte_is_not(tmp_path):
    pytest.importorskip("trafilatura")
    binary = written(tmp_path / "a.html", random.Random(5).randbytes(3_000))
    stray = written(tmp_path / "b.html", PAGE.replace("hurt", "bless\xe9\x02").encode("cp1252"))
    reject, page = read(binary, stray, html=True)
    assert re.match("not text: control byte 0x.. at offset .*, and not UTF-8: ", reject.reason)
    assert (reject.id, page.id) == ("a.html", "b.html")
    assert "nobody was blessé" in page.text


def test_a_page_without_a_main_text_is_taken_whole_and_one_without_any_rejected(tmp_path):
    pytest.importorskip("trafilatura")
    small = written(
        tmp_path / "a.html", "<html><body><table><tr><td>Rain</td><td>due</td></tr></table></body></html>"
    )
    part = written(tmp_path / "b.html", "<p>Rain is due")
    none = written(tmp_path / "c.html", "<html><script>x()</script></html>")
    empty = written(tmp_path / "d.html", "")
    first, second, third, fourth = read(small, part, none, empty, html=True)
    assert first.text.replace("|", "").split() == ["Rain", "due"]
    assert second.text == "Rain is due"
    assert third.reason == fourth.reason == "the page has no text"


@pytest.mark.parametrize(
    "between",
    ["<div>" * 300, "<div>" * 1_500, f"<img src='data:{'x' * 11_000_000}'>"],
    ids=["300 elements in one another", "1,500", "a large picture"],
)
def test_a_page_is_read_to_its_end_as_is_a_mail_in_html(tmp_path, between):
    pytest.importorskip("trafilatura")
    page = PAGE.replace("<p>A second", f"{between}<p>A second")
    mail = written(tmp_path / "b.eml", f"Subject: Ferry\nContent-Type: text/html\n\n{page}")
    for document in read(written(tmp_path / "a.html", page), mail, html=True):
        assert "the ferry ran aground" in document.text.lower()
        assert "forty passengers" in document.text


def test_a_page_that_cannot_be_read_to_its_end_is_rejected_as_is_a_mail_in_html(tmp_path):
    pytest.importorskip("trafilatura")
    page = PAGE.replace("<p>A second", f"{'<div>' * 3_000}<p>A second")
    mail = written(tmp_path / "b.eml", f"Subject: Ferry\nContent-Type: text/html\n\n{page}")
    for reject in read(written(tmp_path / "a.html", page), mail, html=True):
        assert reject.reason == "the page cannot be read to its end: Excessive depth in document: 2048"


def test_a_mail_with_a_page_that_cannot_be_read_behind_plain_text_says_how_that_is_read(tmp_path):
    pytest.importorskip("trafilatura")
    parts = f"--X\n\nRain.\n--X\nContent-Type: text/html\n\n{'<div>' * 3_000}Snow.\n--X--\n"
    mail = written(tmp_path / "b.eml", f"Subject: S\nContent-Type: multipart/mixed; boundary=X\n\n{parts}")
    (reject,) = read(mail, html=True)
    assert reject.reason.endswith("document: 2048; without --html only the plain text before it is read")
    assert [document.text for document in read(mail)] == ["Rain."]


@pytest.mark.parametrize("name", ["a.parquet", "a.csv"])
def test_the_fields_of_a_table_are_its_columns(tmp_path, name):
    path = tmp_path / name
    if name == "a.csv":
        written(path, "id,text,day\n1,Rain.,\n")
    else:
        pa = pytest.importorskip("pyarrow")
        saved(pa.table({"id": ["1"], "text": ["Rain."], "day": pa.array([None], pa.string())}), path)
    reader = Reader([path])
    assert len(list(reader)) == 1
    assert "(fields: day, id, text)" in (reader.without_any_time() or "")


def test_pages_are_read_where_they_are_asked_for(tmp_path):
    pytest.importorskip("trafilatura")
    page = written(tmp_path / "d/a.html", PAGE)
    assert read(page)[0].reason.startswith("this is HTML: --html reads its text; ")
    reader = Reader([tmp_path / "d"])
    assert reader.passed_over[0].endswith(
        "1 passed over: .html 1 (first: a.html); --input says what they are; --html reads pages"
    )
    assert len(read(tmp_path / "d", html=True)) == len(read(page, form="html")) == 1


def test_a_missing_extractor_is_told(monkeypatch):
    html_page._extractor.cache_clear()
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(SettingsError, match=r"html is True: it must be installed .*pip install trafilatura"):
        Reader([], html=True)
    html_page._extractor.cache_clear()


# ---- tables ----


@pytest.fixture
def table():
    arrow = pytest.importorskip("pyarrow")
    return arrow.table(
        {
            "id": ["a", None, "c", "d"],
            "body": ["Rain is due.", "Snow.", None, "Hail."],
            "time": [dt.datetime(2026, 11, 21, 9, tzinfo=dt.UTC), None, None, None],
            "page": [{"n": 1}, {"n": 2}, {"n": 3}, None],
        }
    )


def saved(table, path: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet

    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    elif path.suffix == ".arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    return path


def test_parquet_is_read_in_parts_that_are_not_too_small(tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    parts: list[int] = []
    rows_of = arrow_tables._rows

    def counted(batch):
        parts.append(batch.num_rows)
        return rows_of(batch)

    monkeypatch.setattr(arrow_tables, "_rows", counted)
    table = pa.table({"text": [f"text {at}" for at in range(1_000)]})
    assert len(read(saved(table, tmp_path / "a.parquet"))) == sum(parts) == 1_000
    assert len(parts) <= 20  # each takes some microseconds for every column


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather"])
def test_a_row_is_a_document(tmp_path, table, name):
    from neardup.sources.fields import Fields

    reader = Reader([saved(table, tmp_path / name)], fields=Fields(text="body"))
    items: list[Any] = list(reader)
    first, second, third, fourth = items
    assert first == Document("a", "Rain is due.", dt.datetime(2026, 11, 21, 9, tzinfo=dt.UTC))
    assert (second.id, fourth) == (f"{name}:2", Document("d", "Hail."))
    assert (third.line, third.reason) == (3, "no text: field 'body' is null")
    assert reader.record is not None
    assert reader.record.values["page"] is None
    (deeper,) = read(saved(table.slice(0, 1), tmp_path / name), fields=Fields(text="page.n"))
    assert deeper.reason == "field 'page.n' is an integer, not a string"


def test_a_binary_column_is_told_with_what_makes_texts_of_it(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"text": pyarrow.array([b"Rain."])})
    (item,) = read(saved(table, tmp_path / "a.parquet"))
    assert (
        item.reason == "field 'text' is bytes, not a string: cast the column, text.cast('string') of pyarrow"
    )


def test_a_column_that_is_not_there_and_a_damaged_file_are_told(tmp_path, table):
    (reject,) = read(saved(table, tmp_path / "a.parquet"))
    assert reject.reason == (
        "no column 'text' (columns: id, body, time, page), so no row is read: --text-field names another"
    )
    for name in ("b.parquet", "b.arrow"):
        (reject,) = read(written(tmp_path / name, b"PAR1 is not all"))
        assert reject.reason.startswith(("not Parquet, or damaged: ", "not Arrow, or damaged: "))
    (reject,) = read(tmp_path / "none.parquet")
    assert reject.reason == "cannot be read: No such file or directory"
    (reject,) = read(written(tmp_path / "c.parquet.gz", gzip.compress(b"PAR1")))
    assert (
        reject.reason == "compressed Parquet is not read: unpack it first; Parquet compresses its own content"
    )
    (reject,) = read("-", form="arrow")
    assert reject.reason == "Arrow is read from files only: write it to a file first"


@pytest.mark.parametrize("name", ["a.arrow", "a.feather"])
def test_a_table_that_is_cut_off_while_it_is_read_is_told(tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({"text": [f"{n} " * 10_000 for n in range(100)]})
    path = saved(pa.Table.from_batches([batch] * 20), tmp_path / name)
    items: Any = iter(Reader([path]))
    assert next(items).id == f"{name}:1"
    os.truncate(path, path.stat().st_size // 2 + 1_000)
    *documents, reject = items
    assert 100 < len(documents) < 1_100
    assert reject.reason.startswith("not Arrow, or damaged: ")


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather"])
def test_a_table_with_two_columns_of_one_name_is_refused(tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    twice = pa.table([["a"], ["Rain."], ["Snow."]], names=["id", "text", "text"])
    (reject,) = read(saved(twice, tmp_path / name))
    assert reject.reason == (
        "more than one column 'text' (columns: id, text, text), so no row is read: "
        "give each column a name of its own"
    )


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather"])
def test_a_value_that_python_cannot_hold_costs_its_row_only(tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    texts = pa.array([b"Rain.", b"\xff\xfe", b"Hail.", b"Sun."]).view(pa.string())
    times = pa.array([0, 0, 2**62, None], pa.int64()).view(pa.timestamp("us"))
    items = read(saved(pa.table({"text": texts, "time": times}), tmp_path / name))
    assert [getattr(item, "text", None) for item in items] == ["Rain.", None, None, "Sun."]
    assert [item.id for item in items] == [f"{name}:{line}" for line in (1, 2, 3, 4)]
    assert items[1].line == 2
    assert items[1].reason.startswith("the value of column 'text' cannot be read: Invalid UTF8 sequence")
    assert items[2].reason.startswith("the value of column 'time' cannot be read: ")


def test_a_table_in_a_file_of_another_name_is_told(tmp_path, table):
    path = saved(table, tmp_path / "a.parquet").rename(tmp_path / "a.jsonl")
    (reject,) = read(path)
    assert reject.reason == "this is Parquet: --input parquet reads it from a file"
    from neardup.sources.fields import Fields

    assert len(read(path, form="parquet", fields=Fields(text="body"))) == 4


def test_a_missing_library_is_told(tmp_path, table, monkeypatch):
    path = saved(table, tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (reject,) = read(path)
    assert reject.reason == "this is Parquet: reading it needs pyarrow: pip install pyarrow"


WITHOUT_PANDAS = """
import sys

class NoPandas:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError("there is no pandas here", name=name)

sys.meta_path.insert(0, NoPandas())
from neardup.__main__ import main
main()
"""


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_nanoseconds_need_no_pandas_and_are_kept_from_parquet_to_parquet(tmp_path, zone):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    instants = [1_700_000_000_000_000_789, 1_600_000_000_000_000_789, None]
    times = arrow.array(instants, arrow.timestamp("ns", zone))
    took = arrow.array([1, 2, None], arrow.duration("ns"))
    table = arrow.table(
        {"id": ["a", "b", "c"], "text": ["Rain.", "Rain!", "Snow."], "time": times, "took": took}
    )
    path = saved(table, tmp_path / "a.parquet")
    command = [sys.executable, "-c", WITHOUT_PANDAS, "dedup", str(path), "--keep", "earliest"]
    for name in ("b.parquet", "b.jsonl"):
        done = subprocess.run(
            [*command, "--output", str(tmp_path / name)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, "3 read: 2 kept" in done.stderr) == (0, True), done.stderr
    kept = parquet.read_table(tmp_path / "b.parquet")
    assert kept == table.slice(1)
    assert (
        '"time":"2020-09-13T12:26:40.000000789","took":"2 nanoseconds"' in (tmp_path / "b.jsonl").read_text()
    )


def test_times_of_day_in_nanoseconds_are_kept(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    at = [3_723_000_000_789, 3_723_000_001_000, None]
    columns = {"id": ["a", "b", "c"], "text": ["Rain.", "Fog.", "Snow."]}
    fine = arrow.table({**columns, "at": arrow.array(at, arrow.time64("ns"))})
    path = saved(fine, tmp_path / "a.parquet")
    coarse = arrow.table(
        {"more": ["d"], "text": ["Hail on the hills."], "at": arrow.array([5], arrow.time64("us"))}
    )
    other = saved(coarse, tmp_path / "d.parquet")
    command = [sys.executable, "-m", "neardup", "dedup", str(path)]
    for name, *more in (("b.parquet",), ("b.arrow",), ("b.jsonl",), ("b.csv",), ("c.parquet", str(other))):
        words = [*command, *more, "--output", str(tmp_path / name)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert parquet.read_table(tmp_path / "b.parquet") == fine
    assert arrow.ipc.open_file(tmp_path / "b.arrow").read_all() == fine
    assert '"at":"01:02:03.000000789"}' in (tmp_path / "b.jsonl").read_text()
    assert '"at":"01:02:03.000001"}' in (tmp_path / "b.jsonl").read_text()
    assert "a,Rain.,01:02:03.000000789\n" in (tmp_path / "b.csv").read_text()
    assert parquet.read_table(tmp_path / "c.parquet")["at"].cast("int64").to_pylist() == [*at, 5_000]


@pytest.mark.parametrize(("kind", "value"), [
    ("a time of day", lambda arrow: arrow.scalar(789, arrow.time64("ns"))),
    ("a time of day", lambda arrow: arrow.scalar(789, arrow.time64("us"))),
    ("a date", lambda arrow: arrow.scalar(1, arrow.date32())),
    ("a date and time", lambda arrow: arrow.scalar(1, arrow.timestamp("ms"))),
    ("a date and time", lambda arrow: arrow.scalar(1, arrow.timestamp("ns"))),
    ("a duration", lambda arrow: arrow.scalar(1, arrow.duration("ns"))),
])  # fmt: skip
def test_a_value_of_a_table_that_is_no_text_is_named_in_words(tmp_path, kind, value):
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"text": arrow.array([value(arrow)])})
    (reject,) = read(saved(table, tmp_path / "a.arrow"))
    assert reject.reason == f"field 'text' is {kind}, not a string"


def test_neither_is_loaded_for_other_files():
    script = (
        "import sys; from neardup.sources.reader import Reader; list(Reader(['examples/stream.jsonl']))\n"
    )
    check = "assert not {'pyarrow', 'trafilatura', 'pandas', 'numpy'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", script + check], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_moments_in_a_time_zone_that_nobody_knows_are_read_in_utc(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    times = arrow.array([1_700_000_000], arrow.timestamp("s", "Mars/Base"))
    (document,) = read(saved(arrow.table({"text": ["Rain."], "time": times}), tmp_path / "a.arrow"))
    assert parse_time(document.time) == 1_700_000_000_000
