"""Sources for the kinds of text: passages, man pages and mails if the corpora are there, otherwise made-up words."""

from __future__ import annotations

import gzip
import math
import random
from functools import cached_property
from pathlib import Path
from typing import Final

import orjson

from benchmarks.lib import corpora

DAYS: Final = 2
"""Passages, pages and mails of one day are never those of another."""
_MAILS: Final = "spamassassin"
_PAGES: Final = "manpages-multi"
_PASSAGES: Final = "passages20k"
_WORDS: Final = 3_000
_SCRIPTS: Final[dict[str, tuple[str, int, int, str]]] = {
    "ar": ("ابتثجحخدذرزسشصضطظعغفقكلمنهوي", 2, 8, " "),
    "cs": ("aábcčdďeéěfghiíjklmnňoóprřsštťuúůvyýzž", 2, 10, " "),
    "de": ("aäbcdefghijklmnoöpqrsßtuüvwxyz", 3, 14, " "),
    "el": ("αβγδεζηθικλμνξοπρστυφχψωάέήίόύώ", 2, 10, " "),
    "en": ("abcdefghijklmnopqrstuvwxyz", 2, 9, " "),
    "fr": ("aàâbcçdeéèêfghiîjlmnoôpqrstuùvxyz", 2, 10, " "),
    "han": ("".join(map(chr, range(0x20000, 0x20800))), 1, 2, ""),
    "hi": ("अआइईउऊएऐओऔकखगघचछजझटठडढतथदधनपफबभमयरलवशषसहािीुूेैोौ्", 2, 8, " "),
    "ja": ("".join(map(chr, [*range(0x3041, 0x3094), *range(0x4E00, 0x5000)])), 1, 4, ""),
    "ko": ("".join(map(chr, range(0xAC00, 0xD7A0, 9))), 1, 4, " "),
    "pl": ("aąbcćdeęfghijklłmnńoóprsśtuwyzźż", 2, 10, " "),
    "ru": ("абвгдежзийклмнопрстуфхцчшщъыьэюя", 2, 10, " "),
    "th": ("".join(map(chr, [*range(0x0E01, 0x0E2F), *range(0x0E30, 0x0E3A), *range(0x0E40, 0x0E45)])), 2, 6, ""),
    "uk": ("абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", 2, 10, " "),
    "zh": ("".join(map(chr, range(0x4E00, 0x5800))), 1, 2, ""),
}  # fmt: skip


class Library:
    """The corpora in `data`, read when first needed; empty if a file is missing or `tiny` is set."""

    def __init__(self, data: Path, *, tiny: bool = False) -> None:
        self._data, self._tiny = data, tiny
        self._made_up: dict[str, list[str]] = {}

    @cached_property
    def passages(self) -> list[str]:
        """English prose without copies, with single spaces; generated if there is none."""
        if not self._has(_PASSAGES):
            return corpora.generated("kinds", 400).originals()
        found = corpora.load(self._data, _PASSAGES).originals()
        return [" ".join(text.split()) for text in found]

    @cached_property
    def mails(self) -> list[str]:
        """Real mails, the subject as the first line; none if the corpus is missing."""
        return corpora.load(self._data, _MAILS).texts if self._has(_MAILS) else []

    def pages(self, language: str) -> list[str]:
        """Man pages in a language (two-letter code); none if the corpus is missing."""
        return self._pages.get(language, [])

    def vocabulary(self, language: str) -> list[str]:
        """Made-up words in the script of `language`, the frequent ones first."""
        if language not in self._made_up:
            letters, least, most, _ = _SCRIPTS[language]
            rng = random.Random(f"words:{language}")
            common = [letters[int(len(letters) * rng.random() ** 2)] for _ in range(20_000)]
            self._made_up[language] = [
                "".join(rng.choices(common, k=rng.randint(least, most))) for _ in range(_WORDS)
            ]
        return self._made_up[language]

    @cached_property
    def _pages(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        if self._has(_PAGES):
            with gzip.open(self._data / f"{_PAGES}.jsonl.gz") as lines:
                for row in map(orjson.loads, lines):
                    language = row["id"].split("/")[1][:2]
                    found.setdefault(language, []).append(" ".join(row["text"].split()))
        return found

    def _has(self, name: str) -> bool:
        return not self._tiny and (self._data / f"{name}.jsonl.gz").exists()


class Source:
    """Texts for one kind and one day, drawn with their own random numbers.

    `rng` differs from day to day, `fixed` does not: what it draws is the same template every day.
    """

    def __init__(self, library: Library, kind: str, seed: int, day: int = 0) -> None:
        self.library, self.day = library, day
        self.rng = random.Random(f"{seed}:{kind}:{day}")
        self.fixed = random.Random(f"{seed}:{kind}")

    def of_day(self, texts: list[str]) -> list[str]:
        """The texts of this source's day: half of them, the other half being another day's."""
        return texts[self.day % DAYS :: DAYS]

    def prose(self, length: int) -> str:
        """A stretch of English prose of about `length` characters, cut at words if it has any."""
        return _stretch(self.of_day(self.library.passages), length, self.rng)

    def fixed_prose(self, length: int) -> str:
        """A stretch of prose that is part of a template: the same every day, with nothing that looks like a slot."""
        return _stretch(self.library.passages[::DAYS], length, self.fixed).replace("<", " ")

    def page(self, language: str, length: int) -> str:
        """A stretch of a man page in `language`; made-up words if there is no such page."""
        pages = self.of_day(self.library.pages(language))
        return _stretch(pages, length, self.rng) if pages else self.words(language, length)

    def words(self, language: str, length: int) -> str:
        """Made-up words in the script of `language`, about `length` characters, frequent words often."""
        words, between = self.library.vocabulary(language), _SCRIPTS[language][3]
        found, size = [], 0
        while size < length:
            found.append(words[int(len(words) * self.rng.random() ** 2)])
            size += len(found[-1]) + len(between)
        return between.join(found)[:length]

    def length(self, least: float, most: float) -> int:
        """A length from `least` to `most`, with a uniform logarithm."""
        return round(math.exp(self.rng.uniform(math.log(least), math.log(most))))


def _stretch(texts: list[str], length: int, rng: random.Random) -> str:
    """About `length` characters from one place of a text, continued with other texts if it is too short."""
    text = rng.choice(texts)
    start = rng.randrange(max(1, len(text) - length))
    start = text.find(" ", start) + 1 if start else 0
    found = text[start:]
    while len(found) < length:
        found += " " + rng.choice(texts)
    end = found.rfind(" ", length // 2, length + 1)
    return found[: end if end > 0 else length]
