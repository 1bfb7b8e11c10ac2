"""One day of a news stream with its copies, made from real texts: the substitute for the paper's data in experiment A.

Montanari & Puglisi (2012) took 744 documents of 24 hours from one channel and found 111 pairs of copies by reading;
their documents are not available. This day has as many of both. A document is a story and the text around it on a page
(their section 5: core content C, accompanying content A).

Stories    passages of passages20k that are not copies, no two alike; one in seven is a brief, cut after some sentences.
Pages      12 outlets. The text that an outlet puts above and below its stories is the beginning and the end of a real
           web page (terms-contrib, one service each): navigation, titles, notices; 80 to 400 characters and 60 to 250.
           With these lengths two briefs of one outlet may reach doc_q 0.5 or 0.6 and none reaches 0.7, as in the
           paper's own figures (23, 8 and 0 false pairs). Longer ones were tried and made more false pairs for every
           method.
Copies     60 stories have one copy, 11 have two, 3 have three: 111 pairs, 91 copies, 12 % of the stream (the paper says
           10 to 15 %). Six in ten appear at the same outlet again. How the story changes is drawn from `MANNERS`, whose
           weights were set before any method was run: half of the copies keep the words of the story, as half of the
           paper's do (its I-Match, which needs equal words, finds 0.58 of the pairs).
Truth      two documents are copies if they tell the same story, whatever surrounds it and however much it was changed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.lib import corpora, edits
from benchmarks.lib.corpora import Corpus

if TYPE_CHECKING:
    from benchmarks.lib.bruteforce import Pair

SEED = 20_261_121
DOCUMENTS = 744
FAMILIES = (1,) * 60 + (2,) * 11 + (3,) * 3
"""How many copies each copied story has."""
TINY_DOCUMENTS, TINY_FAMILIES = 60, (1,) * 6 + (2,) * 2
OUTLETS = 12
SAME_OUTLET = 0.6
BRIEFS = 1 / 7
ABOVE, BELOW = (80, 400), (60, 250)
"""Characters of an outlet's own, from and below."""

Manner = Callable[[str, random.Random, str], str]


class Outlet(NamedTuple):
    """The text above and below every story of an outlet."""

    above: str
    below: str

    def page(self, story: str) -> str:
        """A story as it appears at this outlet."""
        return f"{self.above}\n\n{story}\n\n{self.below}"


def same_words(story: str, rng: random.Random, _other: str) -> str:
    """The same words, half of the time with other line breaks, dashes and quotation marks."""
    if rng.random() < 0.5:
        return story
    lines = (
        re.sub(r"\s+", " ", story)
        .replace(" -- ", " \N{EM DASH} ")
        .replace('"', "\N{RIGHT DOUBLE QUOTATION MARK}")
    )
    return re.sub(r"(.{60,80}?) ", r"\1\n", lines)


def slugged(story: str, rng: random.Random, _other: str) -> str:
    """Another first and last line, as if an agency's text was passed on."""
    first = rng.choice(("UPDATE 1", "RPT", "CORRECTED", "For immediate release", "From our correspondent"))
    return f"{first}: {story}\n\n(Reporting by our staff; editing by the night desk)"


def corrected(story: str, rng: random.Random, other: str) -> str:
    """One word in a hundred misspelt or corrected."""
    return edits.typos(story, 0.01, rng, other)


def revised(story: str, rng: random.Random, other: str) -> str:
    """One word in 10 to 20 deleted, replaced or added."""
    return edits.scattered_words(story, rng.uniform(0.05, 0.10), rng, other)


def trimmed(story: str, rng: random.Random, _other: str) -> str:
    """Without its last tenth to third."""
    words = story.split(" ")
    return " ".join(words[: max(1, round(len(words) * rng.uniform(0.67, 0.9)))])


def extended(story: str, rng: random.Random, other: str) -> str:
    """With a tenth to a quarter more at its end."""
    words, strange = story.split(" "), other.split(" ")
    return " ".join(words + strange[: round(len(words) * rng.uniform(0.1, 0.25))])


def rewritten(story: str, rng: random.Random, other: str) -> str:
    """Three to five words in ten deleted, replaced or added."""
    return edits.scattered_words(story, rng.uniform(0.3, 0.5), rng, other)


MANNERS: dict[Manner, int] = {
    same_words: 50,
    slugged: 10,
    corrected: 10,
    revised: 10,
    trimmed: 8,
    extended: 6,
    rewritten: 6,
}
"""How copies come about, out of 100."""


class Day(NamedTuple):
    """The documents in order of arrival, and the pairs that tell the same story."""

    corpus: Corpus
    copies: frozenset[Pair]


def make(data: Path, *, tiny: bool = False) -> Day:
    """The day; it is the same every time."""
    rng = random.Random(SEED)  # a seeded experiment, not a secret
    count, families = (TINY_DOCUMENTS, TINY_FAMILIES) if tiny else (DOCUMENTS, FAMILIES)
    stories = _stories(corpora.load(data, "passages20k", tiny=tiny), count - sum(families), rng)
    outlets = _outlets(corpora.load(data, "terms-contrib", tiny=tiny), rng)
    pages: list[tuple[float, int, str]] = []  # time, number of the story, text of the page
    for story, text in enumerate(stories):
        outlet, time = rng.choice(outlets), rng.random()
        pages.append((time, story, outlet.page(text)))
        for _ in range(families[story] if story < len(families) else 0):
            manner = rng.choices(list(MANNERS), list(MANNERS.values()))[0]
            changed = manner(text, rng, rng.choice(stories))
            again = outlet if rng.random() < SAME_OUTLET else rng.choice(outlets)
            time = rng.uniform(time, 1)
            pages.append((time, story, again.page(changed)))
    pages.sort()
    members: dict[int, list[int]] = {}
    for place, (_, story, _) in enumerate(pages):
        members.setdefault(story, []).append(place)
    pairs = (pair for places in members.values() for pair in combinations(places, 2))
    ids = [f"news-{place:04d}" for place in range(len(pages))]
    return Day(Corpus("day", ids, [page for _, _, page in pages]), frozenset(pairs))


def _stories(passages: Corpus, count: int, rng: random.Random) -> list[str]:
    """This many passages in random order, some of them cut to briefs."""
    stories = rng.sample(sorted(set(passages.originals())), count)
    return [_brief(story, rng) if rng.random() < BRIEFS else story for story in stories]


def _brief(story: str, rng: random.Random) -> str:
    """The first sentences of a story, 200 to 700 characters."""
    least = rng.randrange(200, 600)
    end = re.compile(r"[.!?]\s").search(story, least)
    return story[: end.start() + 1 if end and end.start() < least + 100 else least]


def _outlets(pages: Corpus, rng: random.Random) -> list[Outlet]:
    """Outlets of different services, each from one of its pages."""
    services: dict[str, list[str]] = {}
    for id, text in zip(pages.ids, pages.texts, strict=True):
        services.setdefault(id.partition("/")[0], []).append(text)
    chosen = rng.sample(sorted(services), OUTLETS)
    return [_outlet(rng.choice(services[service]), rng) for service in chosen]


def _outlet(page: str, rng: random.Random) -> Outlet:
    above, below = rng.randrange(*ABOVE), rng.randrange(*BELOW)
    return Outlet(page[:above].rsplit(" ", 1)[0], page[-below:].split(" ", 1)[-1])
