"""The container of every binary data file: header, checksum, compressed payload.

One format for all of them, read by Python here and by Java in the plugin. All numbers are little-endian.

    offset  bytes  what
         0      4  magic, ASCII "NDUP"
         4      4  kind, four ASCII letters: "UNIC" (unicode16.bin), "LEXI" (a lexicon)
         8      4  uint32, version of the payload's format
        12      4  uint32, n: length of the payload in bytes
        16      8  uint64, xxh64 (seed 0) of the payload
        24      -  the payload as one zlib stream (RFC 1950), which ends where the file ends

The checksum is taken of the payload before compression: files of equal content have equal checksums, whichever zlib
wrote them.
"""

from __future__ import annotations

import errno
import os
import struct
import zlib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Final, TypeVar

import xxhash

from neardup.errors import DataFileError
from neardup.tables.atomic_write import write_whole

MAGIC: Final = b"NDUP"
HEADER: Final = struct.Struct("<4s4sIIQ")

Table = TypeVar("Table")


def write(path: str | os.PathLike[str], kind: bytes, version: int, payload: bytes) -> int:
    """Write `payload` to `path`, and return its checksum.

    The file appears whole or not at all. Raises `FileNotFoundError` naming the directory if it does not exist.
    """
    check_directory(path)
    checksum = xxhash.xxh64_intdigest(payload, seed=0)
    header = HEADER.pack(MAGIC, kind, version, len(payload), checksum)
    write_whole(path, header + zlib.compress(payload, 9))
    return checksum


def check_directory(path: str | os.PathLike[str]) -> None:
    """Raises `FileNotFoundError`, which names the directory of `path`, if this directory does not exist."""
    directory = Path(path).parent
    if not directory.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, f"there is no such directory for {Path(path).name}: make it first", str(directory)
        )


def read(
    path: str | os.PathLike[str], kind: bytes, version: int, error: type[DataFileError] = DataFileError
) -> bytes:
    """The payload of the file at `path`.

    Raises `error`, which says what was found and what was expected, if the file is of another kind or version, cut
    short, longer than its header says, or differs in one bit from what was written. Raises `OSError` if the file cannot
    be read at all.
    """
    data = Path(path).read_bytes()
    if len(data) < HEADER.size:
        raise error(path, f"{len(data)} bytes", f"a header of {HEADER.size} bytes")
    magic, found_kind, found_version, length, checksum = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise error(path, f"magic {magic!r}", f"magic {MAGIC!r}")
    if found_kind != kind:
        raise error(path, f"a file of kind {found_kind!r}", f"kind {kind!r}")
    if found_version != version:
        raise error(path, f"format version {found_version}", f"format version {version}")
    payload = _inflated(path, data[HEADER.size :], length, error)
    actual = xxhash.xxh64_intdigest(payload, seed=0)
    if actual != checksum:
        raise error(path, f"a payload of checksum {actual:016x}", f"checksum {checksum:016x}")
    return payload


def shipped(name: str, read_file: Callable[[Path], Table]) -> Table:
    """The result of `read_file` on the data file `name` that ships with the package; raises what `read_file` raises."""
    with resources.as_file(resources.files("neardup") / "data" / name) as path:
        return read_file(path)


def _inflated(path: str | os.PathLike[str], stream: bytes, length: int, error: type[DataFileError]) -> bytes:
    inflater = zlib.decompressobj()
    try:
        # One byte more than promised is enough to see that there is more; a hostile file cannot fill the
        # memory.
        payload = inflater.decompress(stream, length + 1)
    except zlib.error as cause:
        raise error(path, f"a broken zlib stream ({cause})", "a whole one") from cause
    if len(payload) != length:
        more = "at least " if len(payload) > length else ""
        raise error(path, f"a payload of {more}{len(payload)} bytes", f"{length} bytes")
    if not inflater.eof:
        raise error(path, "a zlib stream without its end", "a whole one")
    if inflater.unused_data:
        raise error(path, f"{len(inflater.unused_data)} bytes after the payload", "the end of the file")
    return payload
