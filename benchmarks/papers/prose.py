"""Real sentences for generated documents: those of passages20k, unchanged, in six collections."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Iterator
from pathlib import Path

import orjson

from benchmarks.lib import corpora

_SENTENCE_RE = re.compile(r"\S.*?(?:[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s|$)|$)", re.DOTALL)
COLLECTIONS = {
    "novels": "1",
    "stories and letters": "23",
    "papers, reviews, speeches": "4",
    "encyclopaedia and diary": "5",
    "newswire": "6",
    "manuals and essays": "78",
}
"""Collections by the first letter of a passage's origin."""


def sentences(text: str) -> list[str]:
    r"""The sentences of `text`, unchanged but for single spaces; those without a letter or digit are left out.

    >>> sentences('"Is it so?" It is.\nAt 3.14 p.m. -- !')
    ['"Is it so?"', 'It is.', 'At 3.14 p.m.']
    """
    found = (" ".join(match.group().split()) for match in _SENTENCE_RE.finditer(text))
    return [sentence for sentence in found if any(map(str.isalnum, sentence))]


def collections(data: Path, *, tiny: bool = False) -> dict[str, list[list[str]]]:
    """For each collection its passages as sentences, in stream order; tiny ones are made up."""
    if tiny:
        return {name: list(_made_up(name)) for name in COLLECTIONS}
    found: dict[str, list[list[str]]] = {name: [] for name in COLLECTIONS}
    by_letter = {letter: name for name, letters in COLLECTIONS.items() for letter in letters}
    with gzip.open(data / "passages20k.jsonl.gz") as lines:
        for line in lines:
            row = orjson.loads(line)
            if not row["rate"]:
                found[by_letter[row["origin"][0]]].append(sentences(row["text"]))
    return found


def _made_up(name: str) -> Iterator[list[str]]:
    """Passages of made-up words in sentences of 3 to 40."""
    rng = random.Random(name)
    for text in corpora.generated(name, 150).originals():
        passage, words = [], text.replace(".", "").split()
        while words:
            size = rng.randint(3, 40)
            passage.append(" ".join(words[:size]) + ".")
            del words[:size]
        yield passage
