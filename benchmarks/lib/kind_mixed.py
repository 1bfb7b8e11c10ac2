"""Prose with something else in it that differs in every copy; other scripts; rough edits of prose and man pages."""

from __future__ import annotations

import base64
import random
import re
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from benchmarks.lib import bruteforce, edits
from benchmarks.lib import kind_edits as edit
from benchmarks.lib import kind_fillings as fillings
from benchmarks.lib.kind_source import Source

if TYPE_CHECKING:
    from benchmarks.lib.edits import Edit

Make = Callable[[Source, int], list[str]]
Filler = Callable[[Source, int], str]
_SPOKEN: Final = re.compile(r"\b(?<![.!?] )[A-Z][a-z]{2,}\b")


def page(language: str) -> Filler:
    """A stretch of a man page in `language`."""
    return lambda source, length: source.page(language, length)


def words(language: str) -> Filler:
    """Made-up words in the script of `language`."""
    return lambda source, length: source.words(language, length)


def lines_of(template: str) -> Filler:
    """Fillings of `template`, one after the other."""

    def make(source: Source, length: int) -> str:
        found = ""
        while len(found) < length:
            found += fillings.filled(template, source.rng) + "\n"
        return found[:length]

    return make


def in_base64(source: Source, length: int) -> str:
    """Random bytes in base64."""
    return base64.b64encode(source.rng.randbytes(length))[:length].decode()


def options(source: Source, length: int) -> str:
    """Options as listed in a man page."""
    found = ""
    while len(found) < length:
        one = fillings.word(source.rng)
        found += f"-{one[0]}, --{one}={fillings.word(source.rng).upper()}\n    {source.page('en', 30)}\n"
    return found[:length]


TABLE: Final = "<digit> <number> <money> <percent> <number>"
ITEMS: Final[dict[str, Filler]] = {
    "digits": lines_of("<number>"),
    "names": lines_of("<name>,"),
    "hex": lines_of("<hex>"),
    "base64": in_base64,
    "table": lines_of(TABLE),
}


def quarter(filler: Filler, least: float, most: float, length: tuple[int, int] = (900, 1_600)) -> Make:
    """Prose with text of `filler` after, before or inside it, a share from `least` to `most`, different in every copy.

    Three documents have the same body; the share is one of q-grams, so doc_q is about 1 - share.
    """

    def make(source: Source, count: int) -> list[str]:
        texts: list[str] = []
        while len(texts) < count:
            body = source.prose(source.length(*length))
            grams = len(bruteforce.gram_sets([body]).ids)
            at = body.find(" ", source.rng.choice((0, len(body) // 2, len(body)))) % (len(body) + 1)
            for _ in range(3):
                share = source.rng.uniform(least, most)
                letters = round(grams * share / (1 - share))
                more = _first_letters(filler(source, 3 * letters), letters)
                texts.append(f"{body[:at]} {more} {body[at:]}")
        source.rng.shuffle(texts)
        return texts[:count]

    return make


def _first_letters(text: str, count: int) -> str:
    """`text` up to its letter or number `count`."""
    places = [at for at, letter in enumerate(text) if letter.isalnum()]
    return text[: places[count]] if count < len(places) else text


def edited(base: Filler, change: Edit, length: tuple[int, int], filler: Filler | None = None) -> Make:
    """Texts of `base`, each with three copies by `change`, to which `filler` gives the strange text if there is one."""

    def make(source: Source, count: int) -> list[str]:
        def by_filler(text: str, share: float, rng: random.Random, other: str) -> str:
            return change(text, share, rng, filler(source, len(text)) if filler else other)

        bases = [base(source, source.length(*length)) for _ in range(count // 4 + 1)]
        return edit.families(bases, by_filler, count, source.rng)

    return make


def prose(source: Source, length: int) -> str:
    """A stretch of English prose."""
    return source.prose(length)


def names_changed(text: str, share: float, rng: random.Random, _other: str) -> str:
    """Every name (a capitalised word inside a sentence) consistently replaced; other words by half of the share."""
    renamed: dict[str, str] = {}

    def other_name(found: re.Match[str]) -> str:
        return renamed.setdefault(found[0], fillings.name(rng).split()[0])

    changed = _SPOKEN.sub(other_name, text)
    return edits.junk_words(changed, share / 2, rng, "")


def accents_dropped(text: str, share: float, rng: random.Random, _other: str) -> str:
    """A share of the letters without their accents."""
    return "".join(
        unicodedata.normalize("NFD", letter)[0] if rng.random() < share else letter for letter in text
    )


MANY_WAYS: Final = edit.chain(
    edits.scattered_words, edits.foreign_block, edit.cut, edit.put_behind, edit.put_before
)
WORDS: Final = edit.chain(edits.scattered_words, edits.junk_words, edits.typos, edits.junk_block)
SCRIPTS: Final = {
    "Greek": "el", "Arabic": "ar", "Hindi": "hi", "Korean": "ko", "Thai": "th", "astral Han": "han",
}  # fmt: skip


def tailed(body: Filler, tail: Filler) -> Make:
    """A body with a different tail in each of four copies: 5 to 30 % of it, and some words changed."""

    def make(source: Source, count: int) -> list[str]:
        texts: list[str] = []
        while len(texts) < count:
            text = body(source, source.length(480, 980))
            for _ in range(4):
                share = source.rng.uniform(0.05, 0.3)
                texts.append(text + "\n" + tail(source, round(len(text) * share / (1 - share))))
        source.rng.shuffle(texts)
        return texts[:count]

    return make


def one_footer(share: float) -> Make:
    """Prose that is edited, above a footer that all documents have: `share` of the length of each.

    If the footer is half of a text, copies of doc_q 0.7 have less than half of the rest in common.
    """

    def make(source: Source, count: int) -> list[str]:
        length = (900, 1_200)
        footer = source.fixed_prose(round(sum(length) / 2 * share))
        change = edit.chain(edits.scattered_words, edits.foreign_block, edits.junk_words)

        def body_edited(text: str, part: float, rng: random.Random, other: str) -> str:
            return change(text.removesuffix(footer), part, rng, other.removesuffix(footer)) + "\n" + footer

        bases = [f"{source.prose(round(source.length(*length) * (1 - share)))}\n{footer}"
                 for _ in range(count // 4 + 1)]  # fmt: skip
        return edit.families(bases, body_edited, count, source.rng)

    return make


def padded(text: str, share: float, rng: random.Random, other: str) -> str:
    """Words of the other text appended, up to a third as much; padding of few q-grams, up to five times the text."""
    pattern = rng.choice(("0 ", "abc", "ha", "x", "10 20 30 ", "no data, ", text[:40]))
    times = round(rng.uniform(0, 5) * len(text) / len(pattern))
    return f"{edit.put_behind(text, share / 2, rng, other)} {pattern * times}"


def pages_cut(language: str) -> Make:
    """Stretches of man pages in `language`, cut and edited in every way."""
    length = (250, 900) if language in ("zh", "ja") else (700, 2_500)
    return edited(page(language), MANY_WAYS, length)
