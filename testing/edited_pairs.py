"""Pairs of texts in which the second is the first with known edits."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, NamedTuple

_NAMES: Final = (
    "Ada Thornley", "Bertil Osk", "Orla Quist", "Tamsin Frear", "Mina Okafor", "Piers Holloway", "Wendell Crake",
)  # fmt: skip
_TOWNS: Final = ("Ravensea", "Vellbridge", "Arnmouth", "Ostrand", "Ilverton", "Norwick", "Upper Wick")
_DATES: Final = (
    "3 March 2026", "21 November 2025", "2026-11-21", "March 14, 2024", "Monday", "Thursday", "17:45", "04/05/2023",
)  # fmt: skip
_TEXT: Final = (
    "the harbour board said that its ferries would run again after repairs to a landing stage which had been closed "
    "since early spring because of damage by ice and wind while crews waited for parts from abroad and fares rose"
)
_WORDS: Final = tuple(_TEXT.split())


class Edit(NamedTuple):
    """A fact that differs: its kind, its old and its new value."""

    kind: str
    a: str
    b: str


class EditedPair(NamedTuple):
    """Two texts, the ranges (from, to) in the first text that both have, and the facts that differ."""

    a: str
    b: str
    common: list[tuple[int, int]]
    edits: list[Edit]


def _figure(rng: random.Random) -> str:
    return rng.choice(
        [str(rng.randrange(2, 990)), f"{rng.randrange(1, 90)}.{rng.randrange(1, 99)}", "6-3/16", "1,250"]
    )


def _other(rng: random.Random, old: str, choices: Sequence[str]) -> str:
    return rng.choice([each for each in choices if each != old])


def _sentence(rng: random.Random) -> list[tuple[str, str]]:
    """Words and facts of a sentence, each with its kind."""
    words = [("word", rng.choice(_WORDS)) for _ in range(rng.randrange(14, 30))]
    for kind in ("figure", "date", "name"):
        fact = {"figure": _figure(rng), "date": rng.choice(_DATES), "name": rng.choice([*_NAMES, *_TOWNS])}[
            kind
        ]
        words.insert(rng.randrange(3, len(words)), (kind, fact))
    return [("word", words[0][1].capitalize()), *words[1:], ("word", rng.choice(_WORDS) + ".")]


def _changed(rng: random.Random, kind: str, old: str) -> str:
    if kind == "figure":
        return _other(rng, old, [_figure(rng) for _ in range(20)])
    return _other(rng, old, _DATES if kind == "date" else [*_NAMES, *_TOWNS])


def edited_pair(seed: int) -> EditedPair:
    """A made-up report of 8 to 20 sentences, and the same with edits: facts changed, sentences added, removed and
    moved.
    """
    rng = random.Random(seed)
    sentences = [_sentence(rng) for _ in range(rng.randrange(8, 20))]
    removed = {rng.randrange(len(sentences))} if rng.random() < 0.4 else set()
    edited = {at for at in range(len(sentences)) if rng.random() < 0.2} - removed
    a, common, edits = "", [], []
    second: list[str] = []
    for at, sentence in enumerate(sentences):
        changes_at = (
            rng.choice([i for i, (kind, _) in enumerate(sentence) if kind != "word"]) if at in edited else -1
        )
        words = []
        for i, (kind, word) in enumerate(sentence):
            start = len(a)
            a += word + " "
            new = word
            if i == changes_at:
                new = _changed(rng, kind, word)
                edits.append(Edit(kind, word, new))
            elif at not in removed:
                common.append((start, len(a) - 1))
            words.append(new)
        if at not in removed:
            second.append(" ".join(words))
    if rng.random() < 0.4:
        second.insert(rng.randrange(len(second)), " ".join(word for _, word in _sentence(rng)))
    if rng.random() < 0.3:
        second.append(second.pop(rng.randrange(len(second))))
    return EditedPair(a, "\n".join(second), common, edits)
