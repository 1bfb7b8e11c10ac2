"""Quality: what does leaving out boilerplate do to precision and recall, and what does it cost?

Question   Right and wrong pairs found at t = 0.7: with whole texts, with boilerplate left out, and with every piece
           left out that ten documents of a source have, copies or not (`by frequency`).
Corpus     20 sites (`--sites`) of 60 documents, made of passages20k, otherwise of made-up words. Each site has its own
           frame: a menu of short lines, and sentences of passages as a notice above and below, of a third of a story,
           of as much, or of three times as much. Stories are 3 to 15 sentences. Of the documents of a site 36 are its
           own stories, 12 are reprints of other sites' (unchanged, with 5 % of the words changed, or without the last
           fifth), and 12 are one story repeated under other dates: unchanged, or with words changed.
Seed       20261123 (`--seed`).
Counted    A pair is right if both tell the same story. Pieces: learned ones that belong to a frame, and learned ones
           that do not.
Excluded   text that recurs in the passages themselves (it counts as wrong).
Time       per document: ingest in memory, one thread; learning, per document examined. Minimum of 3 rounds.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final, NamedTuple

import neardup
from benchmarks.lib import edits, harness
from benchmarks.lib.kind_source import Library
from neardup.index.boilerplate_sample import boilerplate_of
from neardup.model.boilerplate import LEAST, Boilerplate, SourceBoilerplate, name_of, pieces
from neardup.model.settings import Recipe
from neardup.signing.boilerplate_file import save

SEED: Final = 20_261_123
FRAMES: Final = {"a third of a story": 3, "as much as a story": 9, "three times a story": 27}
"""Sentences of the notices of a site; stories have nine on average."""
MENU: Final = 8


class Page(NamedTuple):
    """A document, its site, and its story."""

    site: str
    story: str
    text: str


class Press:
    """Sentences of passages, none twice."""

    def __init__(self, library: Library, rng: random.Random) -> None:
        self.rng = rng
        own = [sentence for text in library.passages for sentence in _sentences(text)]
        rng.shuffle(own)
        self._sentences = list(dict.fromkeys(own))

    def sentences(self, count: int) -> list[str]:
        """The next ones."""
        taken, self._sentences = self._sentences[-count:], self._sentences[:-count]
        return taken

    def line(self) -> str:
        """A line of a menu."""
        return " | ".join(sentence.split()[0] for sentence in self.sentences(3)).title()


def _sentences(text: str) -> list[str]:
    parts = (part.strip() for part in text.replace(". ", ".\n").splitlines())
    return [part for part in parts if 40 <= len(part) <= 240]


def changed(text: str, way: int, rng: random.Random) -> str:
    """A copy of `text` in one of three ways."""
    if way % 3 == 0:
        return text
    if way % 3 == 1:
        return edits.scattered_words(text, 0.05, rng, "")
    return text[: len(text) * 4 // 5]


def pages(press: Press, sites: int, frame: int) -> tuple[list[Page], dict[str, set[str]]]:
    """The documents of all sites, and the pieces of their frames."""
    rng = press.rng
    stories = {
        (site, at): " ".join(press.sentences(rng.randrange(3, 16)))
        for site in range(sites)
        for at in range(37)
    }
    made, frames = [], {}
    for site in range(sites):
        name, half = f"site{site}", frame // 2
        above = "\n".join([*(press.line() for _ in range(MENU)), *press.sentences(half)])
        below = "\n".join(press.sentences(frame - half))
        frames[name] = {name_of(part[a:b]) for part in (above, below) for a, b in pieces(part)} - {""}
        own = [(f"{site}/{at}", stories[site, at]) for at in range(36)]
        others = [(rng.choice([other for other in range(sites) if other != site]), at) for at in range(12)]
        own += [(f"{other}/{at}", changed(stories[other, at], at, rng)) for other, at in others]
        again = stories[site, 36]
        own += [
            (f"{site}/36", f"Printed at {at:02}:15 on {at} May.\n{changed(again, at % 2, rng)}")
            for at in range(12)
        ]
        rng.shuffle(own)
        made += [Page(name, story, f"{above}\n{text}\n{below}") for story, text in own]
    rng.shuffle(made)
    return made, frames


def by_frequency(made: list[Page]) -> Boilerplate:
    """Every piece that ten documents of a source have."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for page in made:
        counts[page.site].update({name_of(page.text[a:b]) for a, b in pieces(page.text)} - {""})
    return Boilerplate(
        {
            site: SourceBoilerplate(60, {n: c for n, c in each.items() if c >= LEAST})
            for site, each in counts.items()
        }
    )


def found(made: list[Page], table: Boilerplate | None) -> tuple[set[tuple[int, int]], float]:
    """The pairs at 0.7, and microseconds a document."""
    with tempfile.TemporaryDirectory() as scratch:
        path = None
        if table is not None:
            path = Path(scratch) / "table.json"
            save(table, path)
        took = []
        for _ in range(3):
            with neardup.open(None, recipe=Recipe(boilerplate=path), window_hours=0, matches=None) as window:
                clock = harness.Clock()
                documents = ((str(at), page.text, 0, {"source": page.site}) for at, page in enumerate(made))
                verdicts = list(window.ingest(neardup.Document(*each) for each in documents))
                took.append(clock.took().cpu)
    pairs = {(int(match.id), int(verdict.id)) for verdict in verdicts for match in verdict.matches}
    return pairs, min(took) * 1e6 / len(made)


def measured(made: list[Page], frames: dict[str, set[str]]) -> dict[str, Any]:
    """A row a way of leaving out."""
    told: dict[str, list[int]] = defaultdict(list)
    for at, page in enumerate(made):
        told[page.story].append(at)
    right = {(a, b) for each in told.values() for a in each for b in each if a < b}
    boilerplate_of([("", page.text) for page in made[:20]])  # kernels
    clock = harness.Clock()
    table = boilerplate_of((page.site, page.text) for page in made)
    learning = clock.took().cpu * 1e3 / len(made)
    ways = {"whole texts": None, "by frequency": by_frequency(made), "boilerplate left out": table}
    rows = {}
    for way, used in ways.items():
        pairs, microseconds = found(made, used)
        hits = len(pairs & right)
        rows[way] = {
            "precision": hits / max(1, len(pairs)), "recall": hits / len(right), "pairs": len(pairs),
            "microseconds": microseconds, **_pieces(used, frames),
        }  # fmt: skip
    size = sum(len(page.text) for page in made) / len(made)
    return {"ways": rows, "pairs": len(right), "characters": size, "learning_ms": learning}


def _pieces(table: Boilerplate | None, frames: dict[str, set[str]]) -> dict[str, Any]:
    if table is None:
        return {"learned": None, "wrong": None}
    known = {(site, name) for site, each in table.sources.items() for name in each.pieces}
    wanted = {(site, name) for site, names in frames.items() for name in names}
    return {"learned": len(known & wanted) / len(wanted), "wrong": len(known - wanted)}


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """A row a frame and way."""
    rows = [
        [
            frame, way, f"{row['precision']:.3f}", f"{row['recall']:.3f}",
            *(("", "") if row["learned"] is None else (f"{row['learned']:.3f}", row["wrong"])),
            f"{row['microseconds']:.0f}", f"{one['learning_ms']:.1f}" if "boilerplate" in way else "",
        ]
        for frame, one in figures["frames"].items()
        for way, row in one["ways"].items()
    ]  # fmt: skip
    header = ["frame", "compared", "precision", "recall", "frame's pieces learned", "others learned",
              "µs a document", "ms to learn, a document"]  # fmt: skip
    return {"boilerplate": harness.table(header, rows)}


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes boilerplate.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args(arguments)
    library = Library(args.data, tiny=args.tiny)
    figures = {}
    for name, frame in list(FRAMES.items())[: 1 if args.tiny else None]:
        press = Press(library, random.Random(f"{args.seed} {name}"))
        figures[name] = measured(*pages(press, 2 if args.tiny else args.sites, frame))
        print(f"{name}: done", file=sys.stderr, flush=True)
    harness.show(tables, harness.save(args, "boilerplate", {"frames": figures}))


if __name__ == "__main__":
    main()
