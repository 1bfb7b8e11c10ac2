"""Fuzz targets for the readers: files of every form, and folders of them."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import orjson
import zstandard
from testing.fuzz.target import Target, checked, pieces

from neardup.errors import SettingsError
from neardup.model.document import FLUSH
from neardup.sources import csv_rows, json_lines
from neardup.sources.encoding import checked_encoding, transcoded
from neardup.sources.fields import Fields, FieldUse
from neardup.sources.lines import BOM, lines
from neardup.sources.position import Position
from neardup.sources.reader import Reader
from neardup.sources.streams import StreamError, _decompressed

LONGEST = 4_096
ENCODINGS = (
    None,
    None,
    "utf-8",
    "latin-1",
    "cp1252",
    "utf-16",
    "utf-16-le",
    "utf-32",
    "utf-7",
    "gb18030",
    "shift_jis",
    "iso2022_jp",
    "euc_kr",
    "cp437",
    "unicode_escape",
    "utf-8-sig",
)
ROWS: list[dict[str, Any]] = [
    {
        "id": "a",
        "text": "The ferry ran aground off the western spit at dawn.",
        "time": "2026-11-21T06:00:00Z",
    },
    {"id": 7, "text": 'Zażółć "gęślą" jaźń\n𠮷', "time": 1_795_251_600, "lang": {"name": "pl"}},
    {"text": "", "timestamp": "Sat, 21 Nov 2026 10:00:00 +0100"},
    {"id": None, "text": None},
]
MAIL = (
    b"Message-ID: <1@x>\r\nDate: Sat, 21 Nov 2026 10:00:00 +0100\r\nSubject: =?utf-8?q?caf=C3=A9?=\r\nFrom: a@x\r\n"
    b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; "
    b"charset=latin-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\ncaf=E9 =\r\nau lait\r\n--b\r\n"
    b"Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+SGVsbG88L3A+\r\n--b--\r\n"
)
PAGE = (
    b"<!DOCTYPE html><html><head><title>Ferry</title><meta charset=utf-8></head><body><article><h1>Ferry</h1><p>The "
    b"ferry ran aground off the western spit at dawn.</p><script>x()</script></article></body></html>"
)


@cache
def room() -> Path:
    """A directory for this process; the process that starts this one chooses the place (TMPDIR), and removes it."""
    return Path(tempfile.mkdtemp(prefix="neardup-fuzz-"))


def read(data: bytes, name: str, **options: Any) -> list[Any]:
    """Everything that is read from a file with this content, each item checked."""
    file = room() / name
    file.write_bytes(data)
    reader = Reader([file], longest=LONGEST, **options)
    # Compressed data may expand a thousandfold.
    found = checked(reader, 2_000 * len(data) + 10)
    reader.located(found[-1]) if found and not hasattr(found[-1], "text") else None
    list(reader.remarks())
    list(reader.missing_fields(("id", "time")))
    return found


def _options(control: int) -> dict[str, Any]:
    options: dict[str, Any] = {"encoding": ENCODINGS[control % 16], "keep": bool(control & 16)}
    if control & 32:
        options["fields"] = Fields("_id", "_source.text", ("_source.time", "@timestamp"))
    return options


def _of_form(name: str, data: bytes, **options: Any) -> None:
    control, data = (data[0], data[1:]) if data else (0, data)
    read(data, name, **_options(control), **options)


def _in_pieces(documents: Callable[..., Iterator[Any]], data: bytes) -> None:
    """The same documents are read however the bytes of a stream arrive."""
    sizes, data = data[1 : 1 + data[0] % 8], data[1 + data[0] % 8 :] if data else data

    def items(chunks: Iterator[bytes | None]) -> list[Any]:
        position = Position(source="x", stem="x")
        found = documents(chunks, FieldUse(Fields(), position), position, LONGEST)
        return [(item, position.line, position.record) for item in found if item is not FLUSH]

    assert items(iter([data])) == items(pieces(data, sizes)), "what is read depends on how it arrives"


def _json_lines(data: bytes) -> None:
    _of_form("x.jsonl", data)
    if data:
        _in_pieces(json_lines.documents, data)


def _json_array(data: bytes) -> None:
    """A valid JSON array gives as many documents and rejects as it has values."""
    found = read(data, "x.json")
    try:
        whole = orjson.loads(data)
    except ValueError:
        return
    if isinstance(whole, list) and len(data) < LONGEST and data.lstrip(b" \t\r\n").startswith(b"["):
        assert len(found) == len(whole), (len(found), len(whole))


def _csv(data: bytes) -> None:
    if not data:
        return
    delimiter = (None, ",", ";", "\t", "|", "text")[data[0] % 6]
    try:
        read(data[1:], "x.csv", delimiter=delimiter)
    except SettingsError:
        assert delimiter == "text"
    _in_pieces(csv_rows.documents, data)


def _compressed(data: bytes) -> None:
    """Bytes that claim to be compressed; data compressed and then damaged is read as it was, or as an error."""
    control, data = (data[0], data[1:]) if data else (0, data)
    if control % 4 == 0:
        read(data, "x.jsonl", form="text")
        return
    packed = bytearray(
        gzip.compress(data) if control & 1 else zstandard.ZstdCompressor(write_checksum=True).compress(data)
    )
    whole = bytes(packed)
    if control & 8 and len(packed) > 12:
        packed[control % len(packed)] ^= 1 << (control >> 4 & 7)
    try:
        out = b"".join(chunk or b"" for chunk in _decompressed(pieces(bytes(packed), data[:5])))
    except StreamError:
        assert bytes(packed) != whole, "what is whole was refused"
    else:
        # Some bits of a header do not affect the content.
        assert out == data or packed[:12] != whole[:12], "damage was not noticed"


def _lines(data: bytes) -> None:
    sizes, data = data[:6], data[6:]
    found = [line for batch in lines(pieces(data, sizes), 50) for line in batch or ()]
    wanted = data.removeprefix(BOM).split(b"\n")
    wanted = wanted[:-1] if wanted[-1] == b"" else wanted
    assert len(found) == len(wanted)
    # The beginning of a first line that is too long keeps its byte order mark; nobody reads more of the line.
    pairs = zip(found, wanted, strict=True)
    assert all(other.startswith(line) or (BOM + other).startswith(line) for line, other in pairs)


def _encoding(data: bytes) -> None:
    name, _, rest = data.partition(b"\n")
    try:
        encoding = checked_encoding(name.decode("utf-8", "surrogateescape"))
    except SettingsError:
        return
    read(rest, "x.txt", encoding=encoding)
    whole = _decoded(iter([rest]), encoding)
    assert whole == _decoded(pieces(rest, name), encoding)


def _decoded(chunks: Iterator[bytes | None], encoding: str) -> bytes | None:
    try:
        return b"".join(chunk or b"" for chunk in transcoded(chunks, encoding))
    except UnicodeError:
        return None


def _folder(data: bytes) -> None:
    """A folder of files with arbitrary names and contents."""
    folder = room() / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for part in data.split(b"\n\n", 8)[:8]:
        name, _, content = part.partition(b"\n")
        path = Path(os.fsdecode(name[:60].replace(b"\0", b"")).lstrip("/"))
        if not path.name or ".." in path.parts:
            continue
        try:
            (folder / path.parent).mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        except OSError:
            continue
    reader = Reader([folder], longest=LONGEST, html=len(data) % 2 == 0)
    for line in reader.passed_over:
        line.encode()
    checked(reader, len(data) + 10)
    for line in reader.remarks():
        line.encode()


def _table(name: str, data: bytes) -> None:
    read(data, name)


def _arrow_seeds(form: str) -> list[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {"id": ["a", None], "text": ["The ferry ran aground.", "x"], "time": [1, None], "more": [[1], [2, 3]]}
    )
    if form == "parquet":
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="none")
        return [sink.getvalue()]
    seeds = []
    for new in (pa.ipc.new_file, pa.ipc.new_stream):
        sink = io.BytesIO()
        with new(sink, table.schema) as writer:
            writer.write_table(table)
        seeds.append(sink.getvalue())
    return seeds


def _json_seeds() -> list[bytes]:
    plain = b"\n".join(map(orjson.dumps, ROWS))
    dumped = [
        {"_index": "news", "_id": str(i), "_source": {**row, "@timestamp": "2026-11-21T06:00:00Z"}}
        for i, row in enumerate(ROWS)
    ]
    return [
        b"\0" + plain,
        b"\x30" + b"\n".join(map(orjson.dumps, dumped)),
        b'\x03{"text": "\\ud800"}\n{"id":1,"id":2}\n[]\n',
    ]


def _array_seeds() -> list[bytes]:
    return [
        orjson.dumps(ROWS),
        orjson.dumps(ROWS, option=orjson.OPT_INDENT_2),
        b'{\n"text": "a"\n}\n{\n"text": "]}"\n}',
        b'[1, "\\"", [], {}]',
    ]


CSV = b'id,text,time\na,"The ferry ""ran"" aground,\nat dawn",2026-11-21\nb,x\n"c",y,\n'

TARGETS = [
    Target("json_lines", _json_lines, _json_seeds),
    Target("json_array", _json_array, _array_seeds),
    Target(
        "csv",
        _csv,
        lambda: [b"\0" + CSV, b"\x02" + CSV.replace(b",", b";"), b"\x03" + CSV.replace(b",", b"\t")],
    ),
    Target("lines", _lines, lambda: [b"\1\2\3\4\5\6\xef\xbb\xbfa\nb\r\n" + b"x" * 60 + b"\n\n"]),
    Target(
        "text",
        partial(_of_form, "x.txt"),
        lambda: [b"\0The ferry ran aground.", b"\3caf\xe9", b"\5\xff\xfea\0b\0"],
    ),
    Target(
        "compressed",
        _compressed,
        lambda: [
            b"\0" + gzip.compress(CSV),
            b"\0" + zstandard.compress(CSV),
            b"\1" + CSV,
            b"\2" + CSV,
            b"\x29" + CSV,
            b"\x2a" + CSV,
        ],
    ),
    Target("mail", partial(_of_form, "x.eml"), lambda: [b"\0" + MAIL]),
    Target(
        "mail_html",
        partial(_of_form, "x.eml", html=True),
        lambda: [b"\0" + MAIL.replace(b"text/plain", b"text/html")],
    ),
    Target(
        "mbox",
        partial(_of_form, "x.mbox"),
        lambda: [
            b"\0From a Sat Nov 21 10:00:00 2026\n" + MAIL + b"\nFrom b Sat Nov 21 11:00:00 2026\n" + MAIL
        ],
    ),
    Target("html", partial(_of_form, "x.html", html=True), lambda: [b"\0" + PAGE]),
    Target("parquet", partial(_table, "x.parquet"), lambda: _arrow_seeds("parquet")),
    Target("arrow", partial(_table, "x.arrow"), lambda: _arrow_seeds("arrow")),
    Target(
        "encodings",
        _encoding,
        lambda: [
            b"latin-1\ncaf\xe9",
            b"utf-16\n\xff\xfea\0",
            b"utf-7\n+2D0-",
            b"cp932\n\x82\xa0",
            b"rot13\nx",
        ],
    ),
    Target(
        "folders",
        _folder,
        lambda: [
            b"a.txt\nThe ferry\n\ncur/1\n" + MAIL[:60] + b"\n\nnew/x\n\n\ntmp/y\n",
            b'sub/b.jsonl\n{"text":"x"}\n\nc.xml\n<rss>\n\n.d.txt\nx\n\nwindow.json\n{}',
        ],
    ),
]
