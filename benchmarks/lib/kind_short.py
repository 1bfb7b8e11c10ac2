"""Short texts with edits of every kind at every place, lists in another order, tiny alphabets."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from benchmarks.lib import kind_edits as edit
from benchmarks.lib import kind_fillings as fillings
from benchmarks.lib import kind_forms
from benchmarks.lib.kind_source import Source

if TYPE_CHECKING:
    from benchmarks.lib.edits import Edit

Make = Callable[[Source, int], list[str]]
EDITS: Final[dict[str, Edit]] = {
    "letters changed anywhere": edit.letters_scattered,
    "letters replaced evenly": edit.replaced_evenly,
    "letters dropped evenly": edit.dropped_evenly,
    "letters inserted evenly": edit.inserted_evenly,
    "neighbours exchanged evenly": edit.exchanged_evenly,
    "a run replaced": edit.run_replaced,
    "a run dropped": edit.run_dropped,
    "a run inserted": edit.run_inserted,
    "words moved": edit.words_moved,
    "words doubled": edit.words_doubled,
    "blocks swapped": edit.blocks_swapped,
    "case changed": edit.case_changed,
    "something before": edit.put_before,
    "something behind": edit.put_behind,
    "something around": edit.put_around,
}
ANY: Final = edit.chain(*EDITS.values())
_CHAT: Final = (
    "lol",
    "omg",
    "haha",
    "hahaha",
    "ok",
    "okok",
    "no way",
    "brb",
    "thx",
    "pls",
    "idk",
    "see u",
    "gg",
    "yes!!",
)


def line(source: Source, least: int, most: int) -> str:
    """A title, a sentence or a line of chat, at random."""
    length = source.length(least, most)
    text = source.prose(length + 8)[:length]
    shape = source.rng.randrange(3)
    if shape == 0:
        return text.title()
    if shape == 1:
        return text
    words = text.lower().split()
    for at in range(0, len(words), 3):
        words[at] = source.rng.choice(_CHAT)
    return " ".join(words)[:length]


def edited(change: Edit, least: int = 4, most: int = 400) -> Make:
    """Lines of `least` to `most` characters, each with three copies by `change`."""

    def make(source: Source, count: int) -> list[str]:
        bases = [line(source, least, most) for _ in range(count // 4 + 1)]
        return edit.families(bases, change, count, source.rng)

    return make


def at_every_place(kind: str) -> Make:
    """Lines, each with one letter replaced, dropped or inserted at place 0, at place 1, and so on to its end."""

    def make(source: Source, count: int) -> list[str]:
        texts: list[str] = []
        while len(texts) < count:
            base = line(source, 4, 60)
            texts.append(base)
            for at in range(len(base)):
                letter = edit.letter_like(base[at], source.rng)
                behind = base[at:] if kind == "inserted" else base[at + 1 :]
                texts.append(base[:at] + ("" if kind == "dropped" else letter) + behind)
        source.rng.shuffle(texts)
        return texts[:count]

    return make


def subjects(source: Source, count: int) -> list[str]:
    """Subjects of mails, real ones if there are any, with Re:, Fwd:, names of lists and numbers around them."""
    mails = source.of_day(source.library.mails)
    found = [text.split("\n", 1)[0] for text in mails]
    bases = [
        source.rng.choice(found) if found else source.prose(source.length(12, 60))
        for _ in range(count // 4 + 1)
    ]
    marks = ("Re: ", "RE: ", "Fwd: ", "[list] ", "AW: ", "Re: [users] ", "(no spam) ", "URGENT ")

    def marked(text: str, share: float, rng: random.Random, _other: str) -> str:
        more = "".join(rng.choice(marks) for _ in range(round(3 * share)))
        return more + text + (f" ({fillings.number(rng)})" if rng.random() < share else "")

    change = edit.chain(marked, edit.put_behind, edit.letters_scattered)
    return edit.families(bases, change, count, source.rng)


def mail_heads(source: Source, count: int) -> list[str]:
    """The first 280 characters of real mails, if the corpus is there; otherwise prose with a reply's mark."""
    mails = source.of_day(source.library.mails)
    if mails:
        return [text[:280] for text in source.rng.sample(mails, min(len(mails), count))]
    return edited(edit.put_before, 200, 280)(source, count)


def tiny_alphabet(letters: str, least: int, most: int) -> Make:
    """Strings over so few letters that all have most of their q-grams in common, and copies of them."""

    def changed(text: str, share: float, rng: random.Random, other: str) -> str:
        kind = rng.randrange(3)
        if kind == 0:
            return edit.run_replaced(text, share, rng, other)
        if kind == 1:
            return edit.run_dropped(text, share, rng, other)
        hit = [rng.choice(letters) if rng.random() < share / 2 else letter for letter in text]
        return "".join(hit)

    def make(source: Source, count: int) -> list[str]:
        bases = [
            "".join(source.rng.choices(letters, k=source.length(least, most))) for _ in range(count // 4 + 1)
        ]
        return edit.families(bases, changed, count, source.rng)

    return make


def repeated(source: Source, count: int) -> list[str]:
    """Lines repeated once, three times, thirty times: one set of q-grams, very different lengths."""

    def again(text: str, share: float, rng: random.Random, other: str) -> str:
        between = rng.choice(("", " ", other[: round(3 * share)]))
        return between.join([text] * rng.choice((2, 3, 5, 10, 30)))

    change = edit.chain(again, edit.chain(again, edit.letters_scattered))
    return edit.families([line(source, 6, 120) for _ in range(count // 4 + 1)], change, count, source.rng)


def _items(fill: fillings.Fill, least: int, most: int, between: str) -> Make:
    """Lists of `least` to `most` items, and copies with their items in another order."""

    def make(source: Source, count: int) -> list[str]:
        bases = []
        for _ in range(count // 4 + 1):
            items = [fill(source.rng) for _ in range(source.length(least, most))]
            bases.append(between.join(items))
        return edit.families(bases, edit.items_shuffled(between), count, source.rng)

    return make


def pieces(length: int, least: int = 40, most: int = 1_200) -> Make:
    """Prose cut into pieces of `length` letters, in another order: no q-gram longer than a piece stays."""
    return edited(edit.pieces_shuffled(length), least, most)


def few_words(vocabulary: int) -> Make:
    """Lines over a vocabulary so small that most of them have most q-grams in common: moves, chords, states."""

    def make(source: Source, count: int) -> list[str]:
        words = [fillings.word(source.fixed) for _ in range(vocabulary)]
        bases = [" ".join(source.rng.choices(words, k=source.length(5, 300))) for _ in range(count // 4 + 1)]
        change = edit.chain(edit.words_moved, edit.words_doubled, edit.run_replaced, edit.items_shuffled(" "))
        return edit.families(bases, change, count, source.rng)

    return make


def counting(source: Source, count: int) -> list[str]:
    """Sequences of numbers with steps of 1 to 7; a copy begins some steps later."""
    texts: list[str] = []
    while len(texts) < count:
        first, step, length = source.rng.randrange(10**6), source.rng.randint(1, 7), source.length(5, 150)
        for _ in range(4):
            start = first + step * source.rng.randrange(1 + length // 3)
            texts.append(" ".join(str(start + step * at) for at in range(length)))
    source.rng.shuffle(texts)
    return texts[:count]


def _long_word(rng: random.Random) -> str:
    """A made-up word of 9 to 14 letters."""
    text = ""
    while not 9 <= len(text) <= 14:
        text = fillings.word(rng) + fillings.word(rng)
    return text


def tiny(source: Source, count: int) -> list[str]:
    """One to four characters, letters or not: no q-gram or one, and texts with nothing to compare."""
    letters = "abAB01\u00e9\u4e2d!?. "
    return ["".join(source.rng.choices(letters, k=source.rng.randint(1, 4))) for _ in range(count)]


def fields_reordered(source: Source, count: int) -> list[str]:
    """JSON records, each with copies whose fields are in another order."""
    bases = [fillings.filled(kind_forms.RECORD, source.rng) for _ in range(count // 4 + 1)]
    return edit.families(bases, edit.items_shuffled(", "), count, source.rng)


LISTS: Final[dict[str, Make]] = {
    "JSON fields in another order": fields_reordered,
    "names in another order": _items(fillings.name, 3, 40, ", "),
    "telephone numbers in another order": _items(fillings.code(10, "0123456789"), 3, 40, "\n"),
    "long words in another order": _items(_long_word, 3, 60, " "),
    "codes in another order": _items(fillings.code(12, "0123456789abcdef"), 3, 40, "\n"),
    "rows of a table in another order": _items(
        lambda rng: " ".join(f"{rng.randrange(10**5):05d}" for _ in range(5)), 5, 40, "\n"
    ),
    **{
        f"pieces of {length} letters in another order": pieces(length)
        for length in (6, 8, 10, 11, 12, 14, 20)
    },
    **{
        f"pieces of {length} letters in another order, long": pieces(length, 1_000, 6_000)
        for length in (6, 8, 10, 11)
    },
}
