"""What kinds know about code points."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.tables.signs import DIGIT, KEEP, UNSEEN, classes


def test_digits_are_those_of_every_script_and_fractions():
    ucd = pytest.importorskip("unicodedata2")
    if ucd.unidata_version != "16.0.0":
        pytest.skip(f"unicodedata2 holds Unicode {ucd.unidata_version}")
    points = range(len(classes()))
    digits = {point for point in points if ucd.category(chr(point)) == "Nd"}
    fractions = {ord(sign) for sign in "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞↉"}
    assert set(np.flatnonzero(classes() & DIGIT).tolist()) == digits | fractions


def test_unseen_are_the_ignorable_format_characters_that_a_normal_form_leaves_out():
    ucd = pytest.importorskip("unicodedata2")
    if ucd.unidata_version != "16.0.0":
        pytest.skip(f"unicodedata2 holds Unicode {ucd.unidata_version}")
    points = range(len(classes()))
    seen = {
        *range(0x600, 0x606),
        0x6DD,
        0x70F,
        0x890,
        0x891,
        0x8E2,
        0x110BD,
        0x110CD,
        *range(0x13430, 0x13440),
    }
    annotations = range(0xFFF9, 0xFFFC)
    formats = {point for point in points if ucd.category(chr(point)) == "Cf"}
    unseen = np.flatnonzero(classes() & UNSEEN).tolist()
    assert set(unseen) == formats - seen - {*annotations}
    assert not (classes()[unseen] & KEEP).any()
