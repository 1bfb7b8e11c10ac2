"""Edits of letters, words and blocks at any place, each of a strength from 0 to 1, and families of copies made by them.

Like the edits of edits.py, they take the text, a share of it, random numbers and another text. A share without meaning
(one letter) is ignored.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from benchmarks.lib import bruteforce

if TYPE_CHECKING:
    from benchmarks.lib.edits import Edit

Band = tuple[float, float]
_BANDS: Final[list[tuple[float, Band]]] = [
    (0.45, (0.70, 0.75)),
    (0.30, (0.75, 1.0)),
    (0.15, (0.60, 0.70)),
    (0.10, (0.50, 0.60)),
]
"""How often copies are aimed at each doc_q: most just above the default threshold, some above the lower ones."""
_TRIES: Final = 12
_LOOK_ALIKES: Final = str.maketrans("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ")


def band(rng: random.Random) -> Band:
    """The doc_q that the next copy is aimed at."""
    return rng.choices([one for _, one in _BANDS], [weight for weight, _ in _BANDS])[0]


def aimed(base: str, change: Callable[[float], str], target: Band) -> str:
    """`change(share)` for a share at which its doc_q with `base` lies in `target`; the nearest try if none does."""
    low, high = 0.0, 1.0
    nearest, distance = base, 2.0
    for _ in range(_TRIES):
        share = (low + high) / 2
        text = change(share)
        shared, largest = bruteforce.text_overlap(base, text)
        score = shared / largest
        # one: a copy below what it is aimed at may be no pair at all, and is worse than any above it
        off = max(target[0] - score, score - target[1], 0.0) + (score < target[0])
        if off < distance and text != base:
            nearest, distance = text, off
        if off == 0.0 and text != base:
            return text
        low, high = (low, share) if score < target[0] else (share, high)
    return nearest


def families(bases: Sequence[str], edit: Edit, count: int, rng: random.Random, copies: int = 3) -> list[str]:
    """`count` texts in random order: bases, each with `copies` copies by `edit` aimed at the bands of doc_q."""
    texts: list[str] = []
    for at, base in enumerate(bases):
        other = bases[at - 1]
        texts.append(base)
        change = partial(_changed, edit, base, rng, other)
        texts += [aimed(base, change, band(rng)) for _ in range(copies)]
        if len(texts) >= count:
            break
    rng.shuffle(texts)
    return texts[:count]


def _changed(edit: Edit, base: str, rng: random.Random, other: str, share: float) -> str:
    return edit(base, share, rng, other)


def chain(*edits: Edit) -> Edit:
    """One of `edits`, drawn again at each call."""

    def any_of(text: str, share: float, rng: random.Random, other: str) -> str:
        return rng.choice(edits)(text, share, rng, other)

    return any_of


def letter_like(letter: str, rng: random.Random) -> str:
    """Another letter of the same kind: a digit for a digit, a lower-case letter for other ASCII."""
    if letter in string.digits:
        return rng.choice(string.digits)
    if not letter.isascii() and letter.isalpha():
        return chr(ord(letter) + rng.choice((-1, 1)))
    return rng.choice(string.ascii_lowercase)


def letters_scattered(text: str, share: float, rng: random.Random, _other: str) -> str:
    """A share of the letters replaced, dropped, preceded by another or exchanged with the next, anywhere."""
    changed = list(text)
    for at in rng.sample(range(len(text)), min(len(text), max(1, round(share * len(text) / 2)))):
        kind = rng.randrange(4)
        if kind == 0:
            changed[at] = letter_like(text[at], rng)
        elif kind == 1:
            changed[at] = ""
        elif kind == 2:
            changed[at] = letter_like(text[at], rng) + changed[at]
        elif at + 1 < len(text):
            changed[at], changed[at + 1] = changed[at + 1], changed[at]
    return "".join(changed)


def _evenly(text: str, share: float, rng: random.Random, one: Callable[[str], str]) -> str:
    """`one` applied to equidistant letters: at doc_q 0.7 about 13 letters apart, so that hardly a 12-gram stays."""
    places = [at for at, letter in enumerate(text) if letter.isalnum()]
    step = max(2.0, 2.0 / max(share, 1e-6))
    start, changed = rng.random() * step, list(text)
    while start < len(places):
        changed[places[int(start)]] = one(text[places[int(start)]])
        start += step
    return "".join(changed)


def replaced_evenly(text: str, share: float, rng: random.Random, _other: str) -> str:
    """Equidistant letters replaced."""
    return _evenly(text, share, rng, lambda letter: letter_like(letter, rng))


def dropped_evenly(text: str, share: float, rng: random.Random, _other: str) -> str:
    """Equidistant letters dropped."""
    return _evenly(text, share, rng, lambda _: "")


def inserted_evenly(text: str, share: float, rng: random.Random, _other: str) -> str:
    """Equidistant letters inserted."""
    return _evenly(text, share, rng, lambda letter: letter_like(letter, rng) + letter)


def exchanged_evenly(text: str, share: float, rng: random.Random, _other: str) -> str:
    """Equidistant pairs of neighbouring letters exchanged."""
    step = max(2.0, 2.0 / max(share, 1e-6))
    place, changed = rng.random() * step, list(text)
    while place + 1 < len(text):
        at = int(place)
        changed[at], changed[at + 1] = changed[at + 1], changed[at]
        place += step
    return "".join(changed)


def place(length: int, room: int, rng: random.Random) -> int:
    """The beginning of a run of `length` letters among `room`: at the start, at the end, or anywhere between."""
    last = max(0, room - length)
    return rng.choice((0, last, *(rng.randint(0, last) for _ in range(4))))


def run_replaced(text: str, share: float, rng: random.Random, other: str) -> str:
    """A run of letters replaced by as many of the other text."""
    length = max(1, round(share * len(text)))
    at = place(length, len(text), rng)
    strange = other * (length // max(1, len(other)) + 1)
    start = rng.randrange(len(strange) - length + 1)
    return text[:at] + strange[start : start + length] + text[at + length :]


def run_dropped(text: str, share: float, rng: random.Random, _other: str) -> str:
    """A run of letters cut out."""
    length = max(1, round(share * len(text)))
    at = place(length, len(text), rng)
    return text[:at] + text[at + length :]


def run_inserted(text: str, share: float, rng: random.Random, other: str) -> str:
    """A run of letters of the other text inserted."""
    length = max(1, round(share * len(text)))
    strange = (other * (length // max(1, len(other)) + 1))[:length]
    at = place(0, len(text), rng)
    return text[:at] + strange + text[at:]


def put_before(text: str, share: float, _rng: random.Random, other: str) -> str:
    """Something before the text."""
    return run_of(other, max(1, round(share * len(text)))) + " " + text


def put_behind(text: str, share: float, _rng: random.Random, other: str) -> str:
    """Something after the text."""
    return text + " " + run_of(other, max(1, round(share * len(text))))


def put_around(text: str, share: float, rng: random.Random, other: str) -> str:
    """Something before the text, something else after it."""
    before = put_before(text, share * rng.random(), rng, other)
    return put_behind(before, share * rng.random(), rng, other[::-1])


def run_of(text: str, length: int) -> str:
    """The first `length` letters of `text`, repeated if it has fewer."""
    return (text * (length // max(1, len(text)) + 1))[:length]


def words_moved(text: str, share: float, rng: random.Random, _other: str) -> str:
    """A share of the words removed and inserted elsewhere, one by one."""
    words = text.split()
    for _ in range(max(1, round(share * len(words)))):
        words.insert(rng.randrange(len(words)), words.pop(rng.randrange(len(words))))
    return " ".join(words)


def words_doubled(text: str, share: float, rng: random.Random, _other: str) -> str:
    """A share of the words written twice or three times."""
    words = text.split()
    for at in rng.sample(range(len(words)), max(1, round(share * len(words)))):
        words[at] = " ".join([words[at]] * rng.randint(2, 3))
    return " ".join(words)


def blocks_swapped(text: str, share: float, rng: random.Random, _other: str) -> str:
    """The text cut into pieces and these put in another order: two pieces at share 0, pieces of 4 letters at 1."""
    pieces = max(2, round(share * len(text) / 4))
    cuts = sorted(rng.sample(range(1, len(text)), min(pieces, len(text)) - 1)) if len(text) > 2 else []
    blocks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    rng.shuffle(blocks)
    return "".join(blocks)


def pieces_shuffled(length: int) -> Edit:
    """A share of the pieces of `length` letters or numbers in another order, the others where they were."""

    def shuffled(text: str, share: float, rng: random.Random, _other: str) -> str:
        kept = "".join(filter(str.isalnum, text))
        pieces = [kept[at : at + length] for at in range(0, len(kept), length)]
        return " ".join(some_shuffled(pieces, share, rng))

    return shuffled


def items_shuffled(between: str) -> Edit:
    """A share of the items of a list in another order; `between` separates items."""

    def shuffled(text: str, share: float, rng: random.Random, _other: str) -> str:
        return between.join(some_shuffled(text.split(between), share, rng))

    return shuffled


def some_shuffled(items: list[str], share: float, rng: random.Random) -> list[str]:
    """`items` with a share of them exchanged among themselves."""
    places = rng.sample(range(len(items)), min(len(items), max(2, round(share * len(items)))))
    found = list(items)
    for at, source in zip(places, rng.sample(places, len(places)), strict=True):
        found[at] = items[source]
    return found


def cut(text: str, share: float, rng: random.Random, _other: str) -> str:
    """The text without a share of it, at the end, at the start, or at both."""
    length = round(share * len(text))
    at = rng.choice((0, length, rng.randint(0, length)))
    return text[at : len(text) - (length - at)] or text


def case_changed(text: str, share: float, rng: random.Random, _other: str) -> str:
    """A share of the words written with a capital, or without the one they had."""
    words = text.split()
    for at in rng.sample(range(len(words)), max(1, round(share * len(words)))):
        words[at] = words[at][0].swapcase() + words[at][1:]
    return " ".join(words)


def look_alikes(text: str, share: float, rng: random.Random, _other: str) -> str:
    """Letters of a share of the words replaced by Cyrillic ones that look like them."""
    words = text.split()
    for at in rng.sample(range(len(words)), round(share * len(words))):
        words[at] = words[at].translate(_LOOK_ALIKES)
    return " ".join(words)


def scan_errors(text: str, share: float, rng: random.Random, _other: str) -> str:
    """Letters read wrongly, up to 15 % of them: as others, as two for one, as one for two, or not at all."""
    wrong = {
        "m": "rn",
        "rn": "m",
        "l": "1",
        "o": "0",
        "e": "c",
        "h": "b",
        "cl": "d",
        "d": "cl",
        "i": "l",
        "u": "ii",
    }
    changed = []
    for letter in text:
        hit = rng.random() < 0.15 * share
        read = wrong.get(letter, rng.choice(("", letter_like(letter, rng))))
        changed.append(read if hit else letter)
    return "".join(changed)
