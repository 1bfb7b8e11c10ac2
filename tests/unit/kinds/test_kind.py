"""Kinds: what each is called for, that forms, quotes and campaigns are found, and that nothing breaks or stalls."""

import itertools
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testing import made_pairs

from neardup.kinds import kind_of

LETTERS = str.maketrans("0123456789", "abcdefghij")

STORY = (
    "The ferry ran aground off the western spit at dawn. The harbour office said that all those on board were safe, "
    "and that the tide would lift her off by noon. Nobody could say how she had come so near the shore in clear air."
)
OTHER = (
    "The council met to vote on the new library. Its members could not agree who was to pay for the roof, and went "
    "home late without a vote. The builders had already been told to come back in spring, when the ground is dry again."
)


def made(rule, count=150):
    draw, texts = Random(20261122), made_pairs.prose()
    return Counter(kind_of(*rule(draw, texts)).name for _ in range(count))


@pytest.mark.parametrize(
    ("rule", "name"),
    [(made_pairs.form, "form"), (made_pairs.quote, "quote"), (made_pairs.campaign, "copy")],
    ids=["form", "quote", "campaign"],
)
def test_nine_of_ten_are_found(rule, name):
    found = made(rule)
    assert found[name] >= 0.9 * found.total()


def test_copies_are_called_nothing_else():
    found = made(made_pairs.copy)
    assert found.total() - found["copy"] <= 0.02 * found.total()


def test_slips_all_over_a_text_leave_it_a_copy():
    words = f"{STORY} {OTHER}".split(" ")
    kind = kind_of(
        " ".join(words), " ".join(f"{word}m" if at % 7 == 3 else word for at, word in enumerate(words))
    )
    assert (kind.name, kind.reason) == ("copy", "what differs is single words, all over the text")
    assert kind.likeness < 0.72


def test_a_corrected_figure_makes_no_form():
    kind = kind_of(f"{STORY} She had 312 on board.", f"{STORY} She had 321 on board.")
    assert (kind.name, kind.figures) == ("copy", 1.0)


def test_a_likeness_just_below_the_least_does_not_read_as_the_least():
    words = [f"{Random(i).getrandbits(33):07d}".translate(LETTERS) for i in range(520)]
    kind = kind_of(" ".join(words[:400]), " ".join(words[:287] + words[400:513]))
    assert 0.715 < kind.likeness < 0.72
    assert kind.reason == "71% of their own words are the same, fewer than 72%"


def test_a_form_says_how_much_of_the_difference_is_figures():
    forms = [
        f"Receipts were {a} crowns on {day}, outlays {b} crowns. At the end of the day {c} crowns were left, {d} fewer."
        for a, b, c, d, day in [(1204, 980, 3310, 87, "3 May"), (2266, 1743, 4102, 15, "10 June")]
    ]
    kind = kind_of(*forms)
    assert (kind.name, kind.reason) == ("form", "100% of what differs is figures and dates")


@pytest.mark.parametrize("mark", ["> ", "| ", "JD> ", ": ", ">> "])
def test_a_reply_with_the_whole_message_is_a_quote(mark):
    message = STORY.replace(". ", ".\n")
    reply = "Ann wrote:\n" + "\n".join(mark + line for line in message.split("\n")) + f"\n\n{OTHER[:150]}"
    kind = kind_of(message, reply)
    assert kind.name == "quote"
    assert kind.reason == f"{kind.quoted:.0%} of one is quoted from the other"
    assert kind.quoted == pytest.approx(0.65, abs=0.1)


def test_a_text_that_is_quoted_and_nothing_else_is_a_copy():
    assert kind_of(STORY, "> " + STORY.replace(". ", ".\n> ")).name == "copy"


def test_mails_with_one_footer_are_a_frame():
    footer = f"\n{'_' * 40}\nYou get this as a member of the list of friends of the harbour.\nLeave it there."
    kind = kind_of(STORY[:120] + footer, OTHER[:120] + footer)
    assert (kind.name, kind.reason) == ("frame", "100% of what is the same is a footer")


def test_a_line_quoted_in_one_text_does_not_hide_that_the_footer_of_the_other_is_what_both_have():
    address = "http://www.harbour.example/list"
    notice = "You get this as a member of the list of friends of the harbour. Leave it there."
    with_a_footer = f"{STORY[:60]}\n-- \n{notice}\n{address}"
    with_a_quote = f"{OTHER[:60]} {notice}\n> {address}"
    kind = kind_of(with_a_footer, with_a_quote)
    assert (kind.name, kind.quoted > 0) == ("frame", True)


def test_pages_with_a_passage_of_their_own_are_a_frame():
    places = [
        f"{one}{two}"
        for one in ["north", "south", "east", "west", "upper", "lower"]
        for two in ("gate", "pier", "hall")
    ]
    page = " ".join(
        f"The {place} leads to the {place[::-1]} and from there to floor {place[:3]}." for place in places
    )
    page += f" {page.upper()}"
    mine, yours = (f"{page} {own} {own[::-1]}" for own in (STORY, OTHER))
    kind = kind_of(mine, yours)
    assert kind.name == "frame"
    assert kind.reason == f"each has a passage of its own, of {kind.passage} letters or more"


@pytest.mark.parametrize(
    ("a", "b", "differing"),
    [
        ("12.5 percent", "125 percent", ("12.5", "125")),
        ("It was 3 1 then", "It was 31 then", ("3", "31")),
        ("At 6-3/16 it fell", "At 63/16 it fell", ("6.3.16", "63.16")),
        ("1,250 crowns", "1250 crowns", None),
        ("Rain, at noon.", "Rain at noon", None),
        ("12345 pages of the May edition", "12\xad345 pages of the M\u200bay edition", None),
        ("Up 12.5 percent", "\ufeffUp \u200e12\u2060.\u200b5\u200e percent", None),
        ("Up 12.5 percent", "Up 1\xad25 percent", ("12.5", "125")),
    ],
)
def test_numbers_that_only_the_normal_form_makes_equal_are_told(a, b, differing):
    kind = kind_of(a, b)
    assert (kind.name, kind.likeness, kind.differing) == ("copy", 1.0, differing)


def test_texts_without_anything_are_nothing_to_each_other():
    assert kind_of("", "...").name == kind_of("", STORY).name == kind_of("a", "b").name == "other"


def test_a_surrogate_is_refused():
    with pytest.raises(ValueError, match="surrogate"):
        kind_of(STORY, "\ud800")


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab1.>|-:\n @é一", max_size=60), st.text(alphabet="ab1.>|-:\n @é一", max_size=60))
def test_kinds_are_symmetric_and_shares_are_shares(a, b):
    kind, reverse = kind_of(a, b), kind_of(b, a)
    assert (kind.name, kind.likeness, kind.figures, kind.quoted, kind.passage) == (
        reverse.name, reverse.likeness, reverse.figures, reverse.quoted, reverse.passage,
    )  # fmt: skip
    assert all(0 <= share <= 1 for share in (kind.likeness, kind.figures, kind.quoted))


HOSTILE = ("a@", "1.", "> \nx:\n", "| ", "----\nA: b\nC: d\n", "www.", "1a", "\n", "e\u0301\u0323")


@pytest.mark.xdist_group("steps")
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(steps, piece):
    short, long = (
        f"kind_of({piece!r} * {size // len(piece)}, {piece!r} * {size // len(piece)} + 'b')"
        for size in (20_000, 160_000)
    )
    _, few, many = steps("from neardup.kinds import kind_of", "kind_of('a', 'b')", short, long)
    assert 6 * few < many < 10 * few


def test_a_kind_is_that_of_the_pair_whatever_its_order():
    texts = [STORY, OTHER, f"> {STORY}\n{OTHER}", f"{STORY} {OTHER}"]
    for a, b in itertools.combinations(texts, 2):
        assert kind_of(a, b) == kind_of(b, a)
