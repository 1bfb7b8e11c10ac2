"""Texts without what recurs in their source: cut as the definitions say, and never left with next to nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup.model.boilerplate import Boilerplate, SourceBoilerplate, name_of, pieces
from neardup.model.source import source_of
from neardup.oracle import boilerplate as oracle

FOOTER = "All rights reserved by The Daily Example."
STORY = "The ferry ran aground off the western spit at dawn, and nobody was hurt."
TABLE = Boilerplate({"daily": SourceBoilerplate(20, {FOOTER: 20, "Home | News": 19})})
TEXT = st.text(
    st.sampled_from('abc .!?…。\n\r\x85\u2028\t"”)|-é') | st.characters(exclude_categories=["Cs"]),
    max_size=120,
)


@given(TEXT)
def test_pieces_are_those_of_the_oracle_and_make_up_the_text(text):
    cut = [text[start:end] for start, end in pieces(text)]
    assert cut == oracle.pieces(text)
    assert "".join(cut) == text
    assert [name_of(piece) for piece in cut] == [oracle.name_of(piece) for piece in cut]


@given(st.lists(TEXT, min_size=1, max_size=6), st.data())
def test_what_counts_is_that_of_the_oracle(parts, data):
    text = "\n".join(parts)
    known = sorted({oracle.name_of(piece) for piece in oracle.pieces(text)} - {""})
    names = set(data.draw(st.lists(st.sampled_from(known), max_size=4))) if known else set()
    table = Boilerplate({"daily": SourceBoilerplate(9, dict.fromkeys(names, 9))})
    found = table.left_out(text, "daily")
    assert found.rest(text) == oracle.counted(text, names)
    assert "".join(found.of(text)).split() == "".join(text[start:end] for start, end in found.spans).split()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Home | News\n{STORY}\n{FOOTER}", f"\n{STORY}\n"),
        (f"{STORY} {FOOTER}", f"{STORY} "),
        (f"{STORY}\n  All rights   reserved by\tThe Daily Example.  ", f"{STORY}\n    "),
        (f"{STORY} And {FOOTER}", f"{STORY} And {FOOTER}"),
    ],
)
def test_lines_and_sentences_are_left_out_whatever_their_white_space(text, left):
    assert TABLE.left_out(text, "daily").rest(text) == left


def test_a_text_of_which_next_to_nothing_would_be_left_counts_whole():
    text = f"Home | News\n23 November 2026\n{FOOTER}"
    found = TABLE.left_out(text, "daily")
    assert found.is_whole
    assert found.rest(text) == text
    assert not TABLE.left_out("Short.", "daily").is_whole


def test_another_source_keeps_the_line_and_a_text_of_no_source_loses_it():
    text = f"{STORY}\n{FOOTER}"
    assert TABLE.left_out(text, "weekly").rest(text) == text
    assert TABLE.left_out(text, "").rest(text) == f"{STORY}\n"


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({"source": " Reuters ", "url": "https://a.org"}, "Reuters"),
        ({"source": None, "url": "https://WWW.a.org:8080/x"}, "a.org"),
        ({"source": "", "url": "no address", "from": "Ann <ann@Mail.A.org>"}, "mail.a.org"),
        ({"url": "http://[broken"}, ""),
        ({"source": 7}, "7"),
        ({"from": "nobody"}, ""),
        (None, ""),
        ("text", ""),
    ],
)
def test_whose_a_document_is(fields, source):
    assert source_of(fields) == source
