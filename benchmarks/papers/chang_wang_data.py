"""The data of chang_wang.py: papers with introductions and conclusions, news archives with reprints and lists.

After Chang & Wang (2007), section 4, whose 1,090 conference papers and 182,067 newspaper articles are not available.
The sentences are real (prose.py); the text between them is made up:

- A paper has a body of 60 to 160 sentences (a poster, two in five) or 300 to 600. Its introduction and conclusion are
  its first and last sentences. Their numbers follow from the recalls in Table 3 for the paper's 27: 26 of them had
  at least 8 sentences in a row, 24 at least 16, 12 at least 32, one at least 64. So recall against WS is the paper's
  by design; precision and the effect of jumping are not.
- The apparatus is that of a paper converted from PDF to text: remarks such as "(e.g. so)" and "et al.", decimals,
  tables of decimals, references. Without it the sentence lengths of prose hardly ever agree: both are measured.
- An article has about 37 clauses. One in five hundred ends in a list (scores, rates or dates), and one in thirty has a
  few sentences of an earlier article of its collection, like newspapers that print the same agency. With one list in
  fifty articles, tried first, lists gave about a quarter of all answers at every threshold: lists agree with lists,
  which is the limit named in the paper's section 5.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from neardup.baselines.sentence_lengths import SENTENCE_MARKS

CLAUSE_MARKS = SENTENCE_MARKS + ",;:、，；：،؛"
"""What ends a clause: 9 words of newswire on average, where sentences have 16."""
MARKS = {"sentences": SENTENCE_MARKS, "clauses": CLAUSE_MARKS}
"""The choices of delimiters."""
INTRODUCTION, CONCLUSION, SPREAD = 28.0, 14.0, 0.5
"""Medians in sentences, and the spread of their logarithms."""
POSTER, LONG_PAPER, POSTERS = (60, 160), (300, 600), 0.4
ARTICLE_CLAUSES = (33.0, 0.5)
PARAGRAPH = (1, 3)
"""Sentences of an article's paragraph: from, to."""
MOST_PARAGRAPHS = 10
LISTS, REPRINTS = 0.002, 0.03


class Paper(NamedTuple):
    """The parts of a paper; `text` is all of it, `query` the copied part."""

    introduction: str
    middle: str
    conclusion: str
    references: str

    @property
    def text(self) -> str:
        """The whole paper."""
        return "\n\n".join(self)

    @property
    def query(self) -> str:
        """Introduction and conclusion."""
        return f"{self.introduction}\n\n{self.conclusion}"


def papers(sentences: Iterator[str], count: int, seed: int, *, apparatus: bool) -> list[Paper]:
    """`count` papers of sentences taken from the beginning of `sentences`; equal prose with and without apparatus."""
    made = []
    for number in range(count):
        rng, extra = random.Random(f"{seed}:paper:{number}"), random.Random(f"{seed}:apparatus:{number}")
        body = rng.randint(*(POSTER if rng.random() < POSTERS else LONG_PAPER))
        first, last = (
            max(4, round(rng.lognormvariate(0, SPREAD) * median)) for median in (INTRODUCTION, CONCLUSION)
        )
        sizes = (first, max(0, body - first - last), last)
        introduction, middle, conclusion = ([next(sentences) for _ in range(size)] for size in sizes)
        references = ""
        if apparatus:
            references = _with_apparatus(introduction, middle, conclusion, extra)
        made.append(Paper(" ".join(introduction), " ".join(middle), " ".join(conclusion), references))
    return made


def _with_apparatus(
    introduction: list[str], middle: list[str], conclusion: list[str], extra: random.Random
) -> str:
    """Puts remarks, decimals and tables into the parts; returns the references."""
    quotable = introduction + conclusion
    titles = extra.sample(quotable, min(extra.randint(8, 30), len(quotable)))
    for part in (introduction, middle, conclusion):
        part[:] = [_remarked(sentence, extra) for sentence in part]
    if extra.random() < 0.1:
        introduction.insert(extra.randrange(len(introduction)), _decimals(extra, extra.randint(8, 14)))
    for _ in range(extra.randint(0, 6)):
        rows, columns = extra.randint(3, 12), extra.randint(2, 6)
        table = " ".join(_decimals(extra, columns, extra.choice(_ROW_NAMES)) for _ in range(rows))
        middle.insert(extra.randrange(len(middle) + 1), table)
    return " ".join(_reference(at, title, extra) for at, title in enumerate(titles, 1))


_ROW_NAMES = ("", "Run", "Our method", "Baseline one", "Set B")


def _remarked(sentence: str, rng: random.Random) -> str:
    """Sometimes a sentence with a remark inside, whose full stops do not end a sentence for a reader."""
    dice = rng.random()
    words = sentence.split()
    if dice >= 0.2 or len(words) < 6:
        return sentence
    at = rng.randrange(2, len(words) - 1)
    remark = (f"(e.g. {words[at]})", "et al.", _decimals(rng, 1), f"(i.e. {words[at]})")[int(dice * 20)]
    return " ".join([*words[:at], remark, *words[at:]])


def _decimals(rng: random.Random, count: int, name: str = "") -> str:
    return " ".join([name, *(f"{rng.randrange(100)}.{rng.randrange(1000):03}" for _ in range(count))]).strip()


def _reference(number: int, title: str, rng: random.Random) -> str:
    authors = ", ".join(_author(rng) for _ in range(rng.randint(1, 5)))
    short = " ".join(title.split()[: rng.randint(4, 10)]).rstrip(".!?,;")
    page, year = rng.randrange(1, 900), rng.randint(1985, 2006)
    return f"[{number}] {authors}. {short}. {rng.choice(_VENUES)}, pp. {page}-{page + 9}, {year}."


def _author(rng: random.Random) -> str:
    initials = [f"{rng.choice('ABCDEFGHJKLMRST')}." for _ in range(rng.choice((1, 1, 2)))]
    return " ".join([*initials, rng.choice(_NAMES)])


_NAMES = (
    "Adams",
    "Berg",
    "Chen",
    "Diaz",
    "Evans",
    "Fujita",
    "Garcia",
    "Huang",
    "Ivanov",
    "Jones",
    "Kim",
    "Lopez",
)
_VENUES = ("In Proc. SIGIR", "In Proc. of WWW", "ACM Trans. Inf. Syst.", "In VLDB", "Commun. ACM", "J. Doc.")


class Article(NamedTuple):
    """A newspaper article as its paragraphs, and the collection that it is in."""

    collection: str
    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole article."""
        return "\n\n".join(self.paragraphs)


def articles(
    collections: dict[str, list[list[str]]], clauses_of: Sequence[str], seed: int, *, apparatus: bool
) -> list[Article]:
    """All sentences of the collections as articles; `clauses_of` are the marks that end a clause."""
    made: list[Article] = []
    for name, passages in collections.items():
        rng, extra = random.Random(f"{seed}:news:{name}"), random.Random(f"{seed}:lists:{name}")
        sentences = (sentence for passage in passages for sentence in passage)
        first = len(made)
        for sentence in sentences:
            median, spread = ARTICLE_CLAUSES
            wanted = rng.lognormvariate(0, spread) * median
            chosen, clauses = [sentence], _clauses(sentence, clauses_of)
            while clauses < wanted:
                following = next(sentences, None)
                if following is None:
                    break
                chosen.append(following)
                clauses += _clauses(following, clauses_of)
            paragraphs = list(_paragraphs(chosen, rng))
            if apparatus and extra.random() < REPRINTS and len(made) > first:
                other = extra.choice(made[first:]).paragraphs
                begin, place = extra.randrange(len(other)), extra.randrange(len(paragraphs) + 1)
                paragraphs[place:place] = other[begin : begin + extra.randint(1, 4)]
            if apparatus and extra.random() < LISTS:
                paragraphs.append(_listing(extra))
            made.append(Article(name, tuple(paragraphs)))
    return made


def _clauses(sentence: str, marks: Sequence[str]) -> int:
    return sum(sentence.count(mark) for mark in marks) or 1


def _paragraphs(sentences: list[str], rng: random.Random) -> Iterator[str]:
    at = 0
    while at < len(sentences):
        size = rng.randint(*PARAGRAPH)
        yield " ".join(sentences[at : at + size])
        at += size


def _listing(rng: random.Random) -> str:
    line = rng.choice((_score, _rate, _date))
    return " ".join(line(rng) for _ in range(rng.randint(4, 16)))


def _score(rng: random.Random) -> str:
    home, away = rng.sample(_NAMES, 2)
    return f"{home} {rng.randrange(9)}, {away} {rng.randrange(9)}."


def _rate(rng: random.Random) -> str:
    return f"{rng.choice(_NAMES)} Ltd. {_decimals(rng, 2)},"


def _date(rng: random.Random) -> str:
    names = " ".join(rng.sample(_NAMES, rng.randint(1, 3)))
    return f"{rng.choice(('Jan', 'May', 'Oct'))}. {rng.randint(1, 28)}: {names}."


def excerpt(article: Article, rng: random.Random) -> str:
    """Up to ten paragraphs in a row of an article, about six if it has as many."""
    size = min(rng.randint(2, MOST_PARAGRAPHS), len(article.paragraphs))
    at = rng.randrange(len(article.paragraphs) - size + 1)
    return "\n\n".join(article.paragraphs[at : at + size])
