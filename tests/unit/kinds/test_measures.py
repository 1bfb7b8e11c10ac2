"""What kinds are computed from: the kernels say what the slow definitions say, of whatever texts."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neardup.kernels import pairs
from neardup.kernels.marks import BEGINS, FIGURE, POINT, TOKEN
from neardup.kernels.quoted_lines import FOOTER, QUOTED
from neardup.kinds.kind import DECIDING, kinds_of, labels_of
from neardup.kinds.measures import marked, measured
from neardup.kinds.numbers import differing_numbers
from neardup.oracle import definitions
from neardup.oracle import kinds as oracle
from neardup.oracle.kind_marks import mark
from neardup.oracle.nfc import lower
from neardup.tables import unicode as unicode_table

PIECES = (
    "a", "B", "e", "é", "e\u0301", "\u0301", "\u0390", "\u0344", "\ufb2c", "\u1100\u1161", "中", "ſ", "K", "½", "٣",
    "1", "7", "12", "125", "12.5", "1,250", "3/16", "10:30", "6-3", "10th", "5pm", "B52", "id5f3a", "May", "MONDAY",
    "März", "\xad", "\u200b", "\ufeff",
    "dreiẞig", "zwölf", "million", "maybe", "abcdefghijklmnopqrstuvwxyz", "http://", "https://a", "ftp://x.y", "www.",
    "www.a", "ann@example.org", "@", ".", ",", "-", "_", "+", "%", "'", "’", " ", "  ", "\u00a0", "\t", "\n", "\n\n",
    "\r\n", "\r", "\u2028", "\x85", "\v", "\x1c", ">", "> ", "JD> ", "|", "| ", ": ", ":", "}", "]", "!", "~", "...",
    "…", "wrote:", "\n-- \n", "--", "---", "=====", "-" * 20, "\n-------- Message --------\n", "From: a\n",
    "Date: 3 May\n", "X_y-z: b\n", "The ferry ran aground off the western spit at dawn",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def flagged(text: str) -> np.ndarray:
    """The flags of the oracle's marks."""
    slow = mark(text)
    flags = np.zeros(len(slow.form), np.uint8)
    for flag, ranges in (
        (FIGURE, slow.figures),
        (TOKEN, slow.tokens),
        (QUOTED, slow.quoted),
        (FOOTER, slow.footers),
    ):
        for start, end in ranges:
            flags[start:end] |= flag
    flags[[start for start, _ in slow.figures]] |= BEGINS
    flags[list(slow.points)] |= POINT
    return flags


def slow_row(a: str, b: str, fold_case: bool) -> list[int]:
    row = [0] * pairs.COLUMNS
    for name, at in (
        ("likeness", pairs.LIKENESS), ("passages", pairs.PASSAGES), ("plain", pairs.PLAIN),
        ("with_signs", pairs.WITH_SIGNS), ("borrowed_a", pairs.BORROWED_A), ("borrowed_b", pairs.BORROWED_B),
    ):  # fmt: skip
        values = oracle.measures(a, b, fold_case=fold_case)[name]
        row[at : at + len(values)] = values
    return row


def check_pair(a: str, b: str) -> None:
    for text in (a, b):
        form, flags = marked(text.encode())
        assert form.tobytes().decode("utf-32-le") == mark(text).form
        assert flags.tolist() == flagged(text).tolist()
    for fold_case in (False, True):
        check_row(a, b, fold_case)


def check_row(a: str, b: str, fold_case: bool) -> None:
    (row,) = measured([a.encode()], [b.encode()], fold_case=fold_case)
    forms = [lower(mark(text).form) if fold_case else mark(text).form for text in (a, b)]
    if forms[0] == forms[1]:
        assert row[pairs.DECIDED]
        assert differing_numbers(a.encode(), b.encode()) == oracle.differing_numbers(a, b)
        if row[pairs.DECIDED] == pairs.SAME_TEXT:
            assert oracle.differing_numbers(a, b) is None
        return
    slow = slow_row(a, b, fold_case)
    if not any(mark(text).quoted or mark(text).footers for text in (a, b)):
        slow[pairs.BORROWED_A :] = [0] * 8  # not asked for: nothing is borrowed
    assert row == slow


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts, texts)
def test_kernels_say_what_the_definitions_say(a: str, b: str) -> None:
    check_pair(a, b)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(PIECES), max_size=80), st.integers(0, 79), st.sampled_from(PIECES))
def test_of_texts_that_differ_in_one_place(pieces: list[str], at: int, piece: str) -> None:
    check_pair("".join(pieces), "".join([*pieces[:at], piece, *pieces[at + 1 :]]))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_of_any_texts(a: str, b: str) -> None:
    if a.isascii() or not any(0xD800 <= ord(sign) < 0xE000 for sign in a + b):
        check_pair(a, b)


@pytest.mark.parametrize("seed", range(2))
def test_of_long_texts(seed: int) -> None:
    rng = random.Random(seed)
    words = [rng.choice(PIECES) for _ in range(800)]
    other = [rng.choice(PIECES) if rng.random() < 0.05 else word for word in words]
    check_pair(" ".join(words), " ".join(other))


def test_no_normal_form_has_more_code_points_than_there_is_room_for() -> None:
    """One and a half a byte: composition makes fewer only."""
    table = unicode_table.load()
    sizes = np.diff(table.decomp_start)
    bytes_of = np.array([len(chr(point).encode()) for point in table.decomp_keys.tolist()])
    assert (2 * sizes <= 3 * bytes_of).all()


def test_pairs_of_a_batch_are_measured_as_one_by_one() -> None:
    rng = random.Random(7)
    words = [[rng.choice(PIECES) for _ in range(80)] for _ in range(6)]
    some = [
        "".join(rng.choice(PIECES) if rng.random() < 0.2 else word for word in line) for line in words * 4
    ]
    first = [text.encode() for text in some]
    second = [rng.choice(some).encode() for _ in some]
    together = list(measured(first, second))
    for a, b, row in zip(first, second, together, strict=True):
        assert row == next(iter(measured([a], [b])))


def test_what_is_alike_enough_is_not_measured_further() -> None:
    text = (
        "The ferry ran aground off the western spit at dawn on a bar that no chart had shown for thirty years. "
        * 4
    )
    (row,) = measured([text.encode()], [f"{text}Late.".encode()], DECIDING)
    assert row[pairs.LIKENESS + 2] > 0
    assert not any(row[pairs.PASSAGES :])


def known(a: str, b: str, fold_case: bool = False) -> tuple[int, int]:
    """max(|A|, |B|) and |A ∩ B| by q-grams of 4 of the whole texts."""
    sets = [definitions.qgrams(definitions.normal_form(text, fold_case=fold_case)) for text in (a, b)]
    return max(map(len, sets)), len(sets[0] & sets[1])


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(PIECES), max_size=120), st.data())
def test_what_a_verdict_computes_is_enough_for_the_name(pieces: list[str], data: st.DataObject) -> None:
    changed = list(pieces)
    for _ in range(data.draw(st.integers(0, 12))):
        at = data.draw(st.integers(0, len(changed)))
        changed[at : at + data.draw(st.integers(0, 3))] = [data.draw(st.sampled_from(PIECES))]
    a, b = "".join(pieces), "".join(changed)
    encoded = [(a.encode(), b.encode())]
    fold_case = data.draw(st.booleans())
    (wanted,) = kinds_of(encoded, fold_case=fold_case)
    for overlap in ((0, 0), known(a, b, fold_case)):
        (quick,) = labels_of(encoded, [overlap], fold_case=fold_case)
        assert quick == (wanted.name, wanted.differing)


def test_of_real_stories_too() -> None:
    rng = random.Random(5)
    words = "the ferry ran aground off a western spit at dawn and one of twelve tugs came on 3 May with 40 men".split()  # noqa: SIM905
    for _ in range(200):
        story = [
            rng.choice(words) + str(rng.randrange(9)) * (rng.random() < 0.1)
            for _ in range(rng.randrange(40, 600))
        ]
        rate = rng.choice((0.01, 0.03, 0.1))
        other = [rng.choice(words) if rng.random() < rate else word for word in story]
        cut = rng.randrange(len(other))
        other[cut:cut] = story[: rng.choice((0, 0, 20))]
        if rng.random() < 0.3:  # a passage of its own for each
            for text in (story, other):
                cut = rng.randrange(len(text))
                text[cut:cut] = [f"{rng.getrandbits(20):x}" for _ in range(rng.randrange(30, 60))]
        a, b = " ".join(story), " ".join(other)
        (wanted,) = kinds_of([(a.encode(), b.encode())])
        (quick,) = labels_of([(a.encode(), b.encode())], [known(a, b)])
        assert quick == (wanted.name, wanted.differing)
