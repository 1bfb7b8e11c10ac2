"""The container of data files: what was written comes back, and nothing else is taken for it."""

import struct
import zlib

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from neardup.errors import DataFileError, LexiconError
from neardup.tables import container

PAYLOAD = b"seventeen bytes. " * 40


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "x.bin"
    container.write(target, b"TEST", 3, PAYLOAD)
    return target


def test_what_was_written_comes_back(path):
    assert container.read(path, b"TEST", 3) == PAYLOAD


def test_the_header_is_as_documented(path):
    data = path.read_bytes()
    assert data[:8] == b"NDUPTEST"
    assert struct.unpack("<IIQ", data[8:24]) == (3, len(PAYLOAD), xxhash.xxh64_intdigest(PAYLOAD, seed=0))
    assert zlib.decompress(data[24:]) == PAYLOAD


def test_writing_leaves_nothing_else_behind(path):
    assert [entry.name for entry in path.parent.iterdir()] == ["x.bin"]


def test_a_directory_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such directory for x\.bin: make it first") as caught:
        container.write(tmp_path / "none" / "x.bin", b"TEST", 1, PAYLOAD)
    assert caught.value.filename == str(tmp_path / "none")


def test_an_empty_payload_is_one(tmp_path):
    container.write(tmp_path / "e", b"TEST", 1, b"")
    assert container.read(tmp_path / "e", b"TEST", 1) == b""


def header(kind: bytes = b"TEST", version: int = 3) -> bytes:
    checksum = xxhash.xxh64_intdigest(PAYLOAD, seed=0)
    return struct.pack("<4s4sIIQ", b"NDUP", kind, version, len(PAYLOAD), checksum)


BODY = zlib.compress(PAYLOAD)

DAMAGED = {
    "nothing": (b"", "found 0 bytes, expected a header of 24 bytes"),
    "a short header": (header()[:23], "found 23 bytes, expected a header of 24 bytes"),
    "text": (b"Some text that is no data file.", "found magic b'Some', expected magic b'NDUP'"),
    "another kind": (header(kind=b"ELSE") + BODY, "found a file of kind b'ELSE', expected kind b'TEST'"),
    "a later version": (header(version=4) + BODY, "found format version 4, expected format version 3"),
    "no payload": (header(), "found a payload of 0 bytes, expected 680 bytes"),
    "no zlib stream": (header() + PAYLOAD, "a broken zlib stream"),
    "a longer payload": (header() + zlib.compress(PAYLOAD * 9), "a payload of at least 681 bytes"),
    "a shorter payload": (header() + zlib.compress(PAYLOAD[:-1]), "found a payload of 679 bytes"),
    "another payload": (header() + zlib.compress(PAYLOAD[::-1]), "a payload of checksum"),
    "no end": (header() + BODY[:-1], "found a zlib stream without its end"),
    "bytes afterwards": (header() + BODY + b"x", "found 1 bytes after the payload"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_or_foreign_file_is_refused_with_what_was_found(tmp_path, damage):
    data, message = DAMAGED[damage]
    path = tmp_path / "damaged.bin"
    path.write_bytes(data)
    with pytest.raises(DataFileError, match=r"damaged\.bin: found .*, expected ") as caught:
        container.read(path, b"TEST", 3)
    assert message in str(caught.value)


@given(position=st.integers(0, 24 + len(BODY) - 1), bit=st.integers(0, 7))
def test_no_single_flipped_bit_goes_unnoticed(tmp_path_factory, position, bit):
    data = bytearray(header() + BODY)
    data[position] ^= 1 << bit
    path = tmp_path_factory.mktemp("flipped") / "x.bin"
    path.write_bytes(data)
    try:
        payload = container.read(path, b"TEST", 3)
    except DataFileError:
        return
    # A bit of the zlib stream may be without meaning; then the payload is whole all the same.
    assert payload == PAYLOAD


def test_the_caller_names_the_exception(tmp_path):
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(LexiconError):
        container.read(tmp_path / "x", b"TEST", 3, LexiconError)


def test_a_missing_file_is_no_damaged_one(tmp_path):
    with pytest.raises(FileNotFoundError):
        container.read(tmp_path / "none", b"TEST", 3)
