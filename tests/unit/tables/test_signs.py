"""What kinds know about code points."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.tables.signs import DIGIT, classes


def test_digits_are_those_of_every_script_and_fractions():
    ucd = pytest.importorskip("unicodedata2")
    if ucd.unidata_version != "16.0.0":
        pytest.skip(f"unicodedata2 holds Unicode {ucd.unidata_version}")
    points = range(len(classes()))
    digits = {point for point in points if ucd.category(chr(point)) == "Nd"}
    fractions = {ord(sign) for sign in "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞↉"}
    assert set(np.flatnonzero(classes() & DIGIT).tolist()) == digits | fractions
