"""Memory and work of the readers are linear in what is read, whatever it expands to or leaves open."""

from __future__ import annotations

import csv
import gzip
import os
import time
import tracemalloc

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from neardup.model.document import Document, Reject
from neardup.sources import csv_rows as table
from neardup.sources.encoding import declared_encoding
from neardup.sources.lines import lines
from neardup.sources.other_formats import HTML, format_of_beginning
from neardup.sources.reader import Reader
from neardup.sources.streams import BLOCK, CHUNK, chunks

MIB = 1 << 20


def batches_of(text, waits=()):
    """The lines of `text` as they come from a file; before those whose numbers are in `waits` there is a wait."""
    found = text.encode().split(b"\n")
    if not found[-1]:
        found.pop()
    for number, line in enumerate(found):
        if number in waits:
            yield None
            yield None
        yield [line]


def rows_of(text, waits=(), longest=10_000):
    source = table._LineSource(batches_of(text, waits), longest)
    return [str(row) if isinstance(row, csv.Error) else row for row in table._rows(source, "text", ",")
            if row is not None]  # fmt: skip


def slow_rows_of(text):
    """What they should be: every row by a parser of its own, which reads as far as there are lines."""
    found = [line + "\n" for line in text.removesuffix("\n").split("\n")] if text else []
    at = 0
    while at < len(found):
        parser = csv.reader(found[at:], strict=True)
        try:
            row = next(parser)
            at += parser.line_num
            if row:
                yield row
        except csv.Error as error:
            yield str(error)
            at += 1


def test_the_encoding_that_a_page_declares_is_looked_for_in_a_moment():
    """A page, or each part of a mail in HTML, with such a head took 8 seconds."""
    start = time.process_time()
    assert declared_encoding(b"<meta " * 100 + b"charset=" + b" " * 3_300 + b"<p>Rain.") is None
    assert time.process_time() - start < 1


class TestRows:
    @given(st.text('ab,"\n', max_size=60), st.sets(st.integers(0, 20)))
    @example('a,"b\nc\n"d\n"\n', {1, 2, 3})
    @example('a,"b\n\n\n","c\nd"\n', {1, 2, 3, 4})
    def test_a_quote_is_followed_as_if_every_row_were_read_from_its_beginning(self, text, waits):
        assert rows_of(text, waits) == list(slow_rows_of(text))

    @pytest.mark.parametrize(
        "line", ['a",",b', '"', 'a,"b', '""",a', 'a,"b""'], ids=["chain", "quote", "open", "doubled", "even"]
    )
    @pytest.mark.parametrize("live", [False, True], ids=["file", "pipe"])
    def test_lines_are_read_three_times_at_most(self, monkeypatch, line, live):
        given_out = 0
        take = table._LineSource.__next__

        def counted(source):
            nonlocal given_out
            given_out += 1
            return take(source)

        monkeypatch.setattr(table._LineSource, "__next__", counted)
        count = 2_000
        rows_of(f"{line}\n" * count, range(count) if live else ())
        assert given_out <= (5 if live else 3) * count + 10

    def test_a_quote_is_followed_no_further_than_allowed(self, tmp_path):
        broken = 'id,text\n1,"a\n' + "2,bbbbbbbb\n" * 40
        (tmp_path / "a.csv").write_text(broken)
        first, *others = Reader([tmp_path / "a.csv"], longest=200)
        reason = "not CSV: a quote that is open here is not closed within 200 bytes or 1,000,000 lines"
        assert isinstance(first, Reject)
        assert (first.reason, first.line) == (reason, 2)
        assert others == [Document("2", "bbbbbbbb")] * 40

    def test_a_quote_is_followed_through_no_more_lines_than_allowed(self, monkeypatch):
        monkeypatch.setattr(table, "MOST_LINES", 3)
        assert (
            rows_of('a,"\n\n\n\n"\n')[0]
            == "a quote that is open here is not closed within 10,000 bytes or 3 lines"
        )
        assert rows_of('a,"\n\n"\n') == [["a", "\n\n"]]

    def test_an_open_quote_in_a_pipe_delays_no_one_and_the_row_is_whole(self):
        read, write = os.pipe()
        for piece in (b'id,text\n1,"one\n', b"two, ", b'three\n""four""', b'\n"\n'):
            os.write(write, piece)
        os.close(write)
        source = table._LineSource(lines(chunks(read), 10_000), 10_000)
        rows = [row for row in table._rows(source, "text", None) if row is not None]
        os.close(read)
        assert rows == [["id", "text"], ["1", 'one\ntwo, three\n"four"\n']]


def peak_of(work):
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def compressed_frames(data):
    """zstd in its densest form: a block of 128 KiB is 4 bytes."""
    return zstandard.ZstdCompressor(level=19).compress(data)


@pytest.mark.parametrize("compress", [gzip.compress, compressed_frames], ids=["gzip", "zstd"])
@pytest.mark.parametrize("byte", [b"\n", b" "], ids=["line feeds", "spaces"])
def test_a_bomb_takes_little_memory(tmp_path, compress, byte):
    path = tmp_path / "bomb"
    path.write_bytes(compress(byte * (128 * MIB)))
    assert path.stat().st_size < MIB
    total = longest = 0

    def work():
        nonlocal total, longest
        descriptor = os.open(path, os.O_RDONLY)
        for chunk in chunks(descriptor):
            total += len(chunk or b"")
            longest = max(longest, len(chunk or b""))
        os.close(descriptor)

    peak = peak_of(work)
    assert total == 128 * MIB
    assert longest <= BLOCK + 2 * MIB
    assert peak < 12 * MIB


@pytest.mark.parametrize(("name", "most"), [("a.parquet", 64 * MIB), ("a.arrow", 32 * MIB)])
def test_a_text_that_a_table_holds_once_for_many_rows_takes_little_memory(tmp_path, name, most):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 200, pa.int32()), pa.array(["x" * MIB]))
    if name == "a.parquet":
        pq.write_table(
            pa.table({"text": texts.cast(pa.string())}), tmp_path / name, dictionary_pagesize_limit=8 * MIB
        )
        assert (tmp_path / name).stat().st_size < MIB
    else:
        with pa.ipc.new_file(tmp_path / name, pa.schema([("text", texts.type)])) as file:
            file.write_table(pa.table({"text": texts}))
    del texts
    held = [0]
    before = pa.total_allocated_bytes()

    def work():
        held.extend(pa.total_allocated_bytes() - before for _ in Reader([tmp_path / name]))

    peak = peak_of(work)
    assert len(held) == 201
    assert max(peak, *held) < most


def test_a_bomb_of_lines_is_cut_into_few_at_a_time(tmp_path):
    (tmp_path / "bomb").write_bytes(compressed_frames(b"\n" * (8 * MIB)))
    descriptor = os.open(tmp_path / "bomb", os.O_RDONLY)
    sizes = [len(batch or ()) for batch in lines(chunks(descriptor), MIB)]
    os.close(descriptor)
    assert sum(sizes) == 8 * MIB
    assert max(sizes) <= BLOCK + 2 * MIB


def test_empty_lines_are_counted(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(compressed_frames(b"\n" * 1_000) + compressed_frames(b"{"))
    (reject,) = Reader([tmp_path / "a.jsonl"])
    assert isinstance(reject, Reject)
    assert reject.line == 1_001


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt"])
def test_one_line_without_end_takes_what_is_allowed_and_is_told(tmp_path, name):
    head = b"id,text\n" if name == "a.csv" else b""
    (tmp_path / name).write_bytes(zstandard.compress(head + b"x" * (64 * MIB)))
    found: list[object] = []
    peak = peak_of(lambda: found.extend(Reader([tmp_path / name], longest=4 * MIB)))
    what = "file" if name == "a.txt" else "line"
    (reject,) = found
    assert isinstance(reject, Reject)
    assert reject.reason == f"the {what} is longer than 4,194,304 bytes"
    assert peak < 8 * 4 * MIB + 4 * CHUNK


@pytest.mark.parametrize(("end", "kind"), [("<html>", HTML), ("<p>Rain", None)])
def test_what_begins_with_many_comments_is_told_at_once(end, kind):
    """A search that tries every division of them into comments comes to no end."""
    assert format_of_beginning(("<!---->\n" * 1_000 + end).encode()) is kind
