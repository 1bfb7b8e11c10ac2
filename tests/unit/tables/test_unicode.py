"""The frozen Unicode table against other tables of Unicode, and its file."""

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup.errors import DataFileError
from neardup.oracle.nfc import nfc
from neardup.tables import container
from neardup.tables import unicode as unicode_table
from neardup.tables.unicode import (
    ALONE,
    BREAK,
    CODE_POINTS,
    END,
    END_BEFORE_SPACE,
    KEEP,
    LOWER,
    NFC_CHECK,
    SPACE,
    UnicodeTable,
)

SURROGATES = range(0xD800, 0xE000)
RUNNING = tuple(int(part) for part in unicodedata.unidata_version.split("."))


@pytest.fixture(scope="module")
def table():
    return unicode_table.load()


def with_bit(table: UnicodeTable, bit: int) -> set[int]:
    return set(np.flatnonzero(table.classes & bit).tolist())


def assigned_to_both() -> list[int]:
    """The code points that the running Python knows, if its Unicode is not younger than the table's."""
    if RUNNING > (16, 0, 0):
        pytest.skip(f"this Python has Unicode {unicodedata.unidata_version}")
    return [cp for cp in range(CODE_POINTS) if unicodedata.category(chr(cp)) != "Cn"]


def test_categories_are_those_of_the_running_python(table):
    kept = with_bit(table, KEEP)
    for cp in assigned_to_both():
        assert (cp in kept) == (unicodedata.category(chr(cp))[0] in "LMN"), hex(cp)


def test_combining_classes_are_those_of_the_running_python(table):
    for cp in assigned_to_both():
        assert table.ccc[cp] == unicodedata.combining(chr(cp)), hex(cp)


def test_nfc_of_each_code_point_is_that_of_the_running_python():
    for cp in assigned_to_both():
        if cp not in SURROGATES:
            assert nfc(chr(cp)) == unicodedata.normalize("NFC", chr(cp)), hex(cp)


def test_lower_case_is_that_of_the_running_python_but_for_one(table):
    lower = table.lower.tolist()
    # The full mapping, which Python has, is two code points for U+0130 only; and younger pairs are unknown to it.
    differing = [cp for cp in assigned_to_both() if chr(lower[cp]) != chr(cp).lower()]
    assert 0x130 in differing
    younger = set(differing) - {0x130}
    assert all(unicodedata.category(chr(lower[cp])) == "Cn" or RUNNING < (16, 0, 0) for cp in younger)
    assert len(younger) <= 2  # U+0264 and U+019B got capitals late, but are no capitals themselves


def test_everything_is_that_of_unicodedata2(table):
    ucd = pytest.importorskip("unicodedata2")
    if not ucd.unidata_version.startswith("16.0"):
        pytest.skip(f"unicodedata2 holds Unicode {ucd.unidata_version}")
    for cp in range(CODE_POINTS):
        char = chr(cp)
        assert bool(table.classes[cp] & KEEP) == (ucd.category(char)[0] in "LMN"), hex(cp)
        assert table.ccc[cp] == ucd.combining(char), hex(cp)
        if cp not in SURROGATES:
            assert nfc(char) == ucd.normalize("NFC", char), hex(cp)


@given(
    text=st.text(
        st.sampled_from(
            "aeou가각각が\u0300\u0301\u0302\u0323\u0327\u031b\u0338\u0345\u3099\u0f71\u0f72\u09c7\u09be"
            "\u1025\u102e\u05d0\u05b7\u05bc\u0958\u093c\u212b\u1e69\u01b0ῶᾳ"
        )
    )
)
def test_nfc_of_marks_in_any_order_is_that_of_the_running_python(text):
    assert nfc(text) == unicodedata.normalize("NFC", text)


@given(text=st.text())
def test_nfc_is_idempotent(text):
    assert nfc(nfc(text)) == nfc(text)


def test_what_needs_no_check_is_in_nfc_and_stays_apart(table):
    unchecked = np.flatnonzero((table.classes & NFC_CHECK) == 0)
    assert not table.ccc[unchecked].any()
    seconds = set((table.compose_keys & np.uint64(0xFFFFFFFF)).tolist())
    assert not seconds & set(unchecked.tolist())
    for cp in set(table.decomp_keys.tolist()) & set(unchecked.tolist()):
        assert nfc(chr(cp)) == chr(cp)


def test_jamo_that_compose_need_a_check(table):
    checked = with_bit(table, NFC_CHECK)
    assert set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3)) <= checked
    assert not set(range(0xAC00, 0xAC00 + 11172)) & checked


def test_white_space_is_the_property(table):
    expected = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029}
    assert with_bit(table, SPACE) == expected | {0x202F, 0x205F, 0x3000}


def test_sentence_marks_and_line_breaks(table):
    assert {chr(cp) for cp in with_bit(table, END_BEFORE_SPACE)} == set(".!?…")
    assert {chr(cp) for cp in with_bit(table, END)} == set("。！？．｡؟۔।॥።")
    assert with_bit(table, BREAK) == {0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029}


@pytest.mark.parametrize("char", "一々〇﨑𠀀𲎯あゝ𛀁アヲｱㇰกะ์๑ກ໑កា៌១ကျ၁ꩠ")
def test_code_points_of_scripts_without_spaces_stand_alone(table, char):
    assert table.classes[ord(char)] & (ALONE | KEEP) == ALONE | KEEP


# ー is of no single script, Hangul has spaces, 。 and ฿ are no letters; U+3099 goes with what stands before it.
@pytest.mark.parametrize("char", "aя가ᄀー。฿၊\u3099ｰ１")
def test_other_code_points_do_not_stand_alone(table, char):
    assert not table.classes[ord(char)] & ALONE


def test_only_kept_code_points_stand_alone(table):
    assert with_bit(table, ALONE) <= with_bit(table, KEEP)


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        (0x130, 0x69),  # the simple mapping; the full one adds U+0307
        (0x1C5, 0x1C6),
        (0x1E9E, 0xDF),
        (0x3A3, 0x3C3),
        (0x1F88, 0x1F80),
        (0x2167, 0x2177),
        (0x13A0, 0xAB70),
        (0x10400, 0x10428),
        (0x1C89, 0x1C8A),  # Unicode 16
        (0xA7CB, 0x264),  # Unicode 16
        (0xA7DC, 0x19B),  # Unicode 16
        (0x10D50, 0x10D70),  # Unicode 16
    ],
)
def test_simple_lower_case_mappings(table, upper, lower):
    assert table.lower[upper] == lower
    assert table.classes[upper] & LOWER


def test_the_lower_bit_says_where_the_mapping_is_another(table):
    assert with_bit(table, LOWER) == set(np.flatnonzero(table.lower != np.arange(CODE_POINTS)).tolist())


def test_lower_case_is_idempotent_and_kept(table):
    assert (table.lower[table.lower] == table.lower).all()
    letters = (table.classes & LOWER).astype(bool) & (table.classes & KEEP).astype(bool)
    assert (table.classes[table.lower[letters]] & KEEP).all()


def test_decompositions_are_full_and_ordered(table):
    assert (np.diff(table.decomp_keys.astype(np.int64)) > 0).all()
    assert (np.diff(table.decomp_start) > 0).all()
    assert table.decomp_start[0] == 0
    assert table.decomp_start[-1] == len(table.decomp_values)
    assert not set(table.decomp_values.tolist()) & set(table.decomp_keys.tolist())


def test_compositions_ascend_and_leave_exclusions_out(table):
    assert (table.compose_keys[1:] > table.compose_keys[:-1]).all()
    pairs = dict(zip(table.compose_keys.tolist(), table.compose_values.tolist(), strict=True))
    assert pairs[0x41 << 32 | 0x300] == 0xC0
    assert 0x915 << 32 | 0x93C not in pairs  # U+0958 is excluded
    assert pairs[0x16D67 << 32 | 0x16D67] == 0x16D68  # Unicode 16
    assert len(pairs) == 961


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e\u0301", "\u00e9"),
        ("q\u0307\u0323", "q\u0323\u0307"),
        ("a\u0334\u0301", "\u00e1\u0334"),
        ("a\u0301\u0327", "\u00e1\u0327"),
        ("\u1112\u1161\u11ab", "\ud55c"),
        ("\uac00\u11a8", "\uac01"),
        ("\uac00\u0301\u11a8", "\uac00\u0301\u11a8"),
        ("\u0958", "\u0915\u093c"),
        ("\u212b", "\u00c5"),
        ("\u0344", "\u0308\u0301"),
        ("\U000113c2\U000113c5", "\U000113c5\U000113c2"),  # Unicode 16: a Maybe that is no second of a pair
        ("\U00016d67\U00016d67\U00016d67", "\U00016d68\U00016d67"),
        ("", ""),
    ],
)
def test_nfc_of_known_cases(text, expected):
    assert nfc(text) == expected
    assert nfc(expected) == expected


def test_arrays_are_read_only_and_native(table):
    for name in unicode_table.UnicodeTable._fields:
        array = getattr(table, name)
        assert not array.flags.writeable
        assert array.flags.aligned
        assert array.dtype.isnative
    assert table is unicode_table.load()


def test_a_table_of_other_sections_is_refused(tmp_path):
    path = tmp_path / "unicode16.bin"
    container.write(path, unicode_table.KIND, unicode_table.VERSION, bytes(3 * CODE_POINTS))
    with pytest.raises(DataFileError, match="expected the sections of a Unicode table"):
        unicode_table.read(path)
    container.write(path, unicode_table.KIND, unicode_table.VERSION, b"short")
    with pytest.raises(DataFileError, match="found a payload of 5 bytes"):
        unicode_table.read(path)


def test_every_code_point_has_an_entry(table):
    assert len(table.classes) == len(table.lower) == len(table.ccc) == CODE_POINTS == sys.maxunicode + 1
