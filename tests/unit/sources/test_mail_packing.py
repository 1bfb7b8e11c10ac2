"""The text of a mail is unpacked as far as it can be; what is packed is never compared as the text."""

from __future__ import annotations

import base64
import binascii
import quopri

import pytest
from testing.source_files import read, written

TEXT = "The ferry ran aground off Lowland, and was towed to Arnmouth by noon. Fähre auf Grund.\n" * 3
FOOTER = b"_______________________\nnews mailing list\nnews@arnmouth.example\n"


def text_of(tmp_path, packing, body):
    head = f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {packing}\n\n"
    (mail,) = read(written(tmp_path / "a.eml", head.encode() + body))
    return mail.text


@pytest.mark.parametrize("cut", range(1, 9))
def test_base64_that_was_cut_is_read_as_far_as_it_goes(tmp_path, cut):
    text = text_of(tmp_path, "base64", base64.b64encode(TEXT.encode())[:-cut])
    assert len(text) >= len(TEXT) - 6
    assert TEXT.startswith(text)


@pytest.mark.parametrize("size", range(180, 188))
@pytest.mark.parametrize("padding", [b"=\n", b"\n"])
def test_a_plain_footer_behind_base64_is_no_part_of_it(tmp_path, size, padding):
    packed = base64.encodebytes(TEXT.encode()[:size]).rstrip(padding) + b"\n"
    assert text_of(tmp_path, "base64", packed + FOOTER).encode() == TEXT.encode()[:size]


@pytest.mark.parametrize("cut", range(3))
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_base64_packed_in_several_pieces_is_read_to_its_end(tmp_path, cut, end):
    piece = TEXT.encode()[: len(TEXT) - len(TEXT) % 3 - cut]
    body = (base64.encodebytes(piece) * 3).replace(b"\n", end)
    assert text_of(tmp_path, "base64", body) == piece.decode() * 3
    if cut:  # the padding says that it ends there
        assert text_of(tmp_path, "base64", body + b"Regards" + end) == piece.decode() * 3


def test_damaged_base64_is_read_without_what_is_none(tmp_path):
    first, *others = base64.encodebytes(TEXT.encode()).splitlines(keepends=True)
    assert text_of(tmp_path, "base64", first + b"!\n" + b"".join(others)) == TEXT
    assert text_of(tmp_path, "base64", b"!" + base64.b64encode(b"Rain.")) == "Rain."


def test_a_text_that_says_it_is_base64_and_is_none_is_read_as_it_is(tmp_path):
    assert text_of(tmp_path, "base64", TEXT.encode()) == TEXT


@pytest.mark.parametrize(
    ("text", "rest"), [("Паром сел на мель", 1), ("黎明前", 2), ("黎明前", 1), ("été 😀", 1)]
)
def test_a_text_that_was_cut_within_a_character_is_in_its_encoding_all_the_same(tmp_path, text, rest):
    assert text_of(tmp_path, "8bit", text.encode()[:-rest]) == text[:-1]


def test_a_letter_at_the_end_of_ascii_is_no_half_character(tmp_path):
    assert text_of(tmp_path, "8bit", "Café".encode("cp1252")) == "Café"


@pytest.mark.parametrize(
    "named", ["quoted printable", "Quoted_Printable", "quotedprintable", "quoted-printable (x)"]
)
def test_quoted_printable_is_known_however_it_is_spelt(tmp_path, named):
    assert text_of(tmp_path, named, quopri.encodestring(TEXT.encode())) == TEXT


@pytest.mark.parametrize("named", ["base 64", "base-64", "Base64, 8bit"])
def test_base64_is_known_however_it_is_spelt(tmp_path, named):
    assert text_of(tmp_path, named, base64.encodebytes(TEXT.encode())) == TEXT


def test_uuencode(tmp_path):
    lines = [binascii.b2a_uu(TEXT.encode()[at : at + 45]) for at in range(0, len(TEXT.encode()), 45)]
    packed = b"begin 644 a.txt\n" + b"".join(lines) + b"`\nend\n"
    assert text_of(tmp_path, "uuencode", packed) == TEXT


@pytest.mark.parametrize(
    "named", ["", "8 bit", "7bits", "none", "UTF-8", "iso-8859-1", "text/plain", "binary"]
)
def test_what_is_not_packed_is_read_as_it_is(tmp_path, named):
    assert text_of(tmp_path, named, TEXT.encode()) == TEXT


def test_a_text_packed_by_what_nobody_knows_is_rejected_with_its_name(tmp_path):
    head = b"Message-ID: <1@x>\nContent-Transfer-Encoding: x-secret\n\n"
    (reject,) = read(written(tmp_path / "a.eml", head + TEXT.encode()))
    assert (reject.id, "'x-secret'" in reject.reason) == ("1@x", True)


def test_beside_another_text_it_is_an_attachment(tmp_path):
    head = "Message-ID: <1@x>\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\nRain.\n--B\n"
    part = "Content-Type: text/plain\nContent-Transfer-Encoding: x-secret\n\nxyz\n--B--\n"
    (mail,) = read(written(tmp_path / "a.eml", head + part))
    assert (mail.text, mail.fields) == ("Rain.", {"attachments": "text/plain"})


def test_what_stands_around_the_parts_does_not_count_nor_is_a_quotation_mark_taken_away(tmp_path):
    head = "From a Mon Nov 16 08:00:00 2026\nContent-Type: multipart/mixed; boundary=B\n\nBefore.\n--B\n\n"
    (mail,) = read(written(tmp_path / "a.mbox", head + "Rain.\n>From now on.\n--B--\nBehind.\n"))
    assert mail.text == "Rain.\n>From now on."
