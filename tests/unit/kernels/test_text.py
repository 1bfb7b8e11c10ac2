"""UTF-8 and normal forms inside kernels against Python's codec and the oracle, over all of Unicode."""

from __future__ import annotations

from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup.kernels.text import MAX_GROWTH, MAX_POINTS, decode, encode_one, is_ascii
from neardup.model.settings import Recipe
from neardup.oracle import definitions as oracle
from neardup.signing.signer import signer_for

EDGES = (
    0,
    0x7F,
    0x80,
    0x7FF,
    0x800,
    0xFFF,
    0x1000,
    0xD7FF,
    0xE000,
    0xFFFD,
    0xFFFF,
    0x10000,
    0xFFFFF,
    0x10FFFF,
)
POINTS = sorted({*EDGES, *range(0x3000), *range(0x3000, 0x110000, 251)} - set(range(0xD800, 0xE000)))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def array(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def test_one_code_point_is_decoded_and_encoded_as_python_does():
    out, points = np.zeros(4, np.uint8), np.zeros(2, np.uint32)
    for point in POINTS:
        data = chr(point).encode()
        assert decode(np.frombuffer(data + b"?", np.uint8), 0, len(data), points) == (1, point > 0xFFFF)
        assert points[0] == point
        assert encode_one(point, out, 0) == len(data)
        assert out[: len(data)].tobytes() == data


@given(TEXTS)
def test_a_text_is_decoded_as_python_does(text):
    data, points = array("«" + text), np.zeros(100, np.uint32)
    n, astral = decode(data, 2, len(data), points)
    assert [chr(point) for point in points[:n]] == list(text)
    assert bool(astral) == any(ord(char) > 0xFFFF for char in text)
    assert bool(is_ascii(data, 2, len(data))) == text.isascii()


def folded(text: str, fold_case: bool) -> str:
    return signer_for(Recipe(fold_case=fold_case)).sign([text.encode()]).text(0).decode()


@pytest.mark.parametrize("fold_case", [False, True])
def test_normal_form_of_every_kind_of_code_point_is_the_oracles(fold_case):
    # Between letters, so that marks have something to compose with.
    for at in range(0, len(POINTS), 400):
        text = "a".join(map(chr, POINTS[at : at + 400]))
        assert folded(text, fold_case) == oracle.normal_form(text, fold_case=fold_case), hex(POINTS[at])


@settings(max_examples=300)
@given(TEXTS, st.booleans())
def test_normal_form_of_any_text_is_the_oracles(text, fold_case):
    assert folded(text, fold_case) == oracle.normal_form(text, fold_case=fold_case)


@given(TEXTS)
def test_folding_is_the_oracles_lower_case_of_the_normal_form(text):
    assert folded(text, True) == oracle.lower(folded(text, False))


@pytest.mark.parametrize(
    "text", [chr(point) * 50 for point in (0x1D160, 0x23A, 0xFB2C, 0x344, 0xAC01, 0x1F82, 0x2F9D4)]
)
def test_no_text_grows_more_than_it_may(text):
    for fold_case in (False, True):
        assert len(folded(text, fold_case).encode()) <= MAX_GROWTH * len(text.encode())


def test_no_code_point_is_taken_apart_into_more_than_there_is_room_for():
    assert max(len(normalize("NFD", chr(point))) / len(chr(point).encode()) for point in POINTS) <= MAX_POINTS
