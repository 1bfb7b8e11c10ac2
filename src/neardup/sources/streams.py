"""A file, a pipe or standard input as a stream of decompressed chunks.

The first bytes decide the compression, never the name: a gzip'd file called `news.jsonl` is read all the same.
"""

from __future__ import annotations

import os
import re
import select
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

try:
    from isal import isal_zlib as gzip_codec  # takes half of the time
except ImportError:  # there are no wheels of it for this machine
    import zlib as gzip_codec  # type: ignore[no-redef]

from neardup.sources import optional_readers
from neardup.sources.encoding import bare_encoding, marked_encoding, transcoded

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK: Final = 256 * 1024
"""Bytes read at once: large enough that the calls cost nothing, small enough to stay in the cache."""

CHUNK: Final = 1024 * 1024
"""The most bytes taken out of a gzip stream at once, however far a block expands."""

ZSTD_SLICE: Final = 64
"""Bytes put into a zstd stream at once. Its decoder has no limit on what comes out, so we limit what goes in: 4 bytes
are a block of up to 128 KiB at most, so 64 make 2 MiB. Larger slices are hardly faster.
"""

GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = (b"\x28\xb5\x2f\xfd", *(bytes((kind, 0x2A, 0x4D, 0x18)) for kind in range(0x50, 0x60)))
"""Of frames and of skippable ones (RFC 8878, 3.1): pzstd's files begin with such a one, seekable files end with one."""
_LARGE_WINDOW: Final = "too much memory"
"""The decoder's own words for a frame with a window above its limit."""
PARQUET: Final = "Parquet"
_UNPACK: Final = "unpack it first"
_UNPACK_OR_CONVERT: Final = "unpack the archive, or convert the document to UTF-8 text, first"
_FOREIGN: Final = (
    (re.compile(rb"PK\x03\x04"), "a zip archive, or a document of an office program", _UNPACK_OR_CONVERT),
    (
        re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "a mail of Outlook, or a document of an office program",
        "convert the mail to .eml, or the document to UTF-8 text, first",
    ),
    (re.compile(rb"(?s)BZh[1-9](?:1AY&SY|.{0,5}[\x00-\x08\x0e-\x1f])"), "bzip2", _UNPACK),
    (re.compile(rb"\xfd7zXZ"), "xz", _UNPACK),
    (re.compile(rb"%PDF-\d"), "PDF", "convert it to UTF-8 text first"),
    (
        re.compile(rb"PAR1[\x00-\x08\x0e-\x1f]"), PARQUET,
        f"--input parquet reads it from a file{optional_readers.ARROW.if_missing}",
    ),
)  # fmt: skip
"""How files of other kinds begin, and what to do with them. A text may begin with the same letters, so the bytes after
these decide: in bzip2 the mark of a block or, if there is no block, a control byte, as in Parquet.
"""
_HEAD: Final = 10
"""How many first bytes suffice to recognise all of these."""

_UTF_8: Final = (None, "utf-8", "utf-8-sig")
"""Names of encodings that read UTF-8; None is the default."""

Chunk = bytes | None
"""Some bytes; None: nothing more is available now, and the next chunk may take any time."""


class StreamError(Exception):
    """The stream cannot be read any further, for the reason given; the chunks before that are good."""


def chunks(
    descriptor: int,
    *,
    on_read: Callable[[int], object] = lambda _: None,
    on_other: Callable[[str], object] = lambda _: None,
    encoding: str | None = None,
    is_mail: bool = False,
) -> Iterator[Chunk]:
    """The content of an open file, decompressed, in chunks of at most a few megabytes.

    From a pipe, a socket or a terminal every chunk is passed on as soon as it arrives, and None is yielded before any
    wait, so that a caller that forms batches can finish one. `on_read` gets the number of bytes read from the file.
    Text in another `encoding` comes as UTF-8; `is_mail`: the content names its encodings itself. A byte order mark
    counts for more than `encoding`, and so does content whose first chunk beyond ASCII is UTF-8: `on_other` gets the
    name of the encoding that is used instead.

    Raises `StreamError` if the content ends too early, is damaged or is of a kind that neardup does not read.
    """
    content = _decompressed(_blocks(descriptor, on_read))
    return _of_mail(content) if is_mail else _as_utf8(content, encoding, on_other)


def _of_mail(content: Iterator[Chunk]) -> Iterator[Chunk]:
    head = _head(content)
    marked = marked_encoding(head)
    wide = marked[: len("utf-16")] if marked else bare_encoding(head)
    if wide not in _UTF_8:
        how = f"convert it to UTF-8 first (iconv -f {wide} -t utf-8)"
        raise StreamError(f"this is {wide.upper()} text: {how}")
    yield from after_head(head, content)


def _as_utf8(
    content: Iterator[Chunk], encoding: str | None, on_other: Callable[[str], object]
) -> Iterator[Chunk]:
    head = _head(content)
    content, marked = after_head(head, content), marked_encoding(head)
    if marked is None and encoding is None and (bare := bare_encoding(head)):
        raise StreamError(f"this is {bare.upper()} text: --encoding {bare} reads it")
    if marked and not (encoding or "utf-8").startswith(marked[: len("utf-16")]):
        on_other(marked)
    encoding = marked or encoding
    if encoding is None or encoding in _UTF_8:
        yield from content
        return
    try:
        yield from transcoded(content, encoding, lambda: on_other("utf-8"))
    except UnicodeError as error:  # the stream as a whole lacks the byte order mark that it should begin with
        raise StreamError(f"not {encoding}, as --encoding says: {error}") from error


def _decompressed(blocks: Iterator[Chunk]) -> Iterator[Chunk]:
    head = _head(blocks)
    whole = after_head(head, blocks)
    if head.startswith(GZIP_MAGIC):
        return _gunzipped(whole)
    if head.startswith(ZSTD_MAGIC):
        return _unzstd(whole)
    for beginning, name, remedy in _FOREIGN:
        if beginning.match(head):
            unread = "" if name == PARQUET else ", which neardup does not read"
            raise StreamError(f"this is {name}{unread}: {remedy}")
    return whole


def is_live(mode: int) -> bool:
    """Whether the content of a file of this `st_mode` may arrive later, as that of a pipe, a socket or a terminal."""
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)


def _blocks(descriptor: int, on_read: Callable[[int], object]) -> Iterator[Chunk]:
    live = is_live(os.fstat(descriptor).st_mode)
    while True:
        if live and not _ready(descriptor):
            yield None
        block = os.read(descriptor, BLOCK)
        if not block:
            return
        on_read(len(block))
        yield block


def _ready(descriptor: int) -> bool:
    """Whether a read would return at once."""
    return bool(select.select([descriptor], [], [], 0)[0])


def _head(blocks: Iterator[Chunk]) -> bytes:
    """The first bytes, enough of them to know the kind: a pipe may deliver them one by one."""
    head = b""
    for block in blocks:
        head += block or b""
        if len(head) >= _HEAD:
            break
    return head


def after_head(head: bytes, rest: Iterator[Chunk]) -> Iterator[Chunk]:
    """All chunks of a stream whose `head` was read already."""
    if head:
        yield head
    yield from rest


def peeked(chunks: Iterator[Chunk]) -> tuple[bytes, Iterator[Chunk]]:
    """(the first chunk that is not empty; all chunks)."""
    for chunk in chunks:
        if chunk:
            return chunk, after_head(chunk, chunks)
    return b"", iter(())


def _gunzipped(blocks: Iterator[Chunk]) -> Iterator[Chunk]:
    """The members of a gzip file one after the other; zero bytes after a member are padding, as in gzip(1)."""
    inflater, is_first = None, True
    for block in blocks:
        if block is None:
            yield None
            continue
        rest = block if inflater else block.lstrip(b"\0")
        while rest:
            if not (inflater or is_first or GZIP_MAGIC.startswith(rest[: len(GZIP_MAGIC)])):
                yield b"\n"  # the content before is whole, and so is its last line
                raise StreamError(
                    "other bytes follow the gzip stream: compress it again without them (zcat FILE | gzip)"
                )
            is_first = False
            inflater = inflater or gzip_codec.decompressobj(wbits=31)
            try:
                yield from _inflated(inflater, rest)
            except gzip_codec.error as cause:  # type: ignore[misc] # the stubs of isal have it otherwise
                raise StreamError(f"the gzip stream is damaged ({cause})") from cause
            if not inflater.eof:
                break
            rest, inflater = inflater.unused_data.lstrip(b"\0"), None
    if inflater:
        raise StreamError("the gzip stream ends in the middle: the file was cut short")


def _inflated(inflater: Any, block: bytes) -> Iterator[bytes]:
    """What `block` expands to, `CHUNK` bytes at a time, until the block or the member ends."""
    while True:
        chunk = inflater.decompress(block, CHUNK)
        yield chunk
        block = inflater.unconsumed_tail
        # A full chunk may leave bytes inside the inflater even where its input is used up.
        if inflater.eof or (not block and len(chunk) < CHUNK):
            return


def _unzstd(blocks: Iterator[Chunk]) -> Iterator[Chunk]:
    """The frames of a zstd file one after the other."""
    import zstandard  # noqa: PLC0415 - only those who read zstd wait for it

    frame = None
    for block in blocks:
        if block is None:
            yield None
            continue
        ready: list[bytes] = []  # small pieces are joined: cutting each into lines would cost time
        size = 0
        for start in range(0, len(block), ZSTD_SLICE):
            rest = block[start : start + ZSTD_SLICE]
            while rest:
                begins = frame is None
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                try:
                    ready.append(frame.decompress(rest))
                except zstandard.ZstdError as cause:
                    # The content before an invalid frame is whole, and so is its last line.
                    yield b"".join(ready) + (b"\n" if begins else b"")
                    raise StreamError(_why_no_zstd(str(cause))) from cause
                size += len(ready[-1])
                if size >= BLOCK:
                    yield b"".join(ready)
                    ready, size = [], 0
                rest, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
        yield b"".join(ready)
    if frame:
        raise StreamError("the zstd stream ends in the middle: the file was cut short")


def _why_no_zstd(cause: str) -> str:
    """Why a zstd stream cannot be read on, and what to do, by the decoder's `cause`."""
    if _LARGE_WINDOW in cause:
        how = "unpack it first (zstd -d --long=31)"
        return f"the zstd stream has a window above 128 MiB, as zstd --long=28 and more make it: {how}"
    return f"the zstd stream is damaged ({cause})"
