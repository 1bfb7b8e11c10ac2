"""Marks: the normal form is that of a signature, and each mark is where it should be."""

import itertools
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup import sign
from neardup.oracle import definitions
from neardup.oracle.kind_marks import mark
from neardup.oracle.quoting import origins


def cut(text, name):
    marked = mark(text)
    return [marked.form[start:end] for start, end in getattr(marked, name)]


@settings(deadline=None)
@given(st.text(alphabet="aB1.,-:/@>| \n\r\u00e9e\u0301\u1100\u1161一½٣_", max_size=80))
def test_the_normal_form_is_that_of_the_definitions(text):
    marked = mark(text)
    assert marked.form == definitions.normal_form(text)
    for ranges in (marked.figures, marked.tokens, marked.quoted, marked.footers):
        assert all(start < end <= len(marked.form) for start, end in ranges)
        assert all(one[1] <= two[0] for one, two in itertools.pairwise(ranges))
    assert list(marked.points) == sorted(marked.points)


def test_the_normal_form_is_that_of_a_signature():
    text = "Ann wrote:\n> 12.5 at www.example.org\nUn été à 3 h."
    assert set(sign(text).qgrams) == {mark(text).form[at : at + 4] for at in range(len(mark(text).form) - 3)}


def test_many_combining_characters_take_linear_time():
    text = "a" + "\u0315\u0300\u0f73\u0344" * 100
    assert mark(text).form == mark(unicodedata.normalize("NFC", text)).form


def test_figures_are_numbers_dates_and_their_words():
    text = "On Monday, 3 May 1987, twelve of 1,250 rose 12.5 to 6-3/16 by 10:30, the 10th in zwei; ٣ and ½"
    assert cut(text, "figures") == [
        "Monday", "3", "May", "1987", "twelve", "1250", "125", "6316", "1030", "10th", "zwei", "٣", "½",
    ]  # fmt: skip


def test_names_with_digits_are_words():
    marked = mark("B52 and MP3 flew")
    assert (marked.figures, marked.tokens) == ((), ())


def test_tokens_are_addresses_ids_and_random_strings():
    text = "See https://example.org/a?b=1 www.example.com, ask ann@example.org; id 5f3a9c22 abcdefghijklmnopqrstuvwxyz"
    assert cut(text, "tokens") == [
        "httpsexampleorgab1", "wwwexamplecom", "annexampleorg", "5f3a9c22", "abcdefghijklmnopqrstuvwxyz",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["On Friday,", "Ann Lee wrote:", "", "> Rain?", "Snow."], "qqoqo"),
        (["We sell:", "Oranges", "> 3"], "ooq"),
        (["| a | b |", "|| c"], "oq"),
        ([":Rain?", ":Or snow?", "!no"], "qqo"),
        (["Yes.", "------------ Sponsor ------------~->", "Four for free"], "off"),
        (["Yes.", "-----Original Message-----", "From: Ann", "Sent: today", "", "Rain?"], "oqqqqq"),
        (["Yes.", "---- note ----", "It rains."], "ooo"),
        (["Yes.", "-- ", "Ann", "Harbour office"], "offf"),
        (["Yes.", "_" * 30, "Leave the list"], "off"),
        (["-" * 30, "A headline", "-" * 30, *["text"] * 20], "o" * 23),
        ([], ""),
    ],
)
def test_lines_are_own_quoted_or_footer(lines, wanted):
    assert "".join(origin[0] for origin in origins(lines)) == wanted


def test_adjacent_quoted_lines_are_one_range():
    assert cut("Ann:\n> Rain\n>\n> and snow\nSun", "quoted") == ["AnnRainandsnow"]
