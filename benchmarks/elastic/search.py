"""Documents a second of one scorer with its window in memory, and of one that searches the cluster for candidates.

    python -m benchmarks.elastic.search http://127.0.0.1:9200 --filled 24000 --scored 1000

A window of 25 hours is filled by a scorer in memory. Then documents of the last hour are scored by both kinds in turn,
the same number each: edited copies of documents of the window, and new ones. What is told is the rate without the
opening, the seconds of the opening until the first verdict, and whether the verdicts are those of a window in memory.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import orjson

import neardup
from benchmarks.elastic.bench_window import FIRST_MS, HOURS, SEED, window_of
from neardup.model.settings import HOUR_MS

if TYPE_CHECKING:
    from neardup.model.verdict import Verdict

WORDS = 120
VOCABULARY = 60_000
COPIES = 0.3


def texts(count: int, seed: int) -> Iterator[str]:
    """Texts of about 800 characters, three of ten with five words of an earlier one changed."""
    chance = random.Random(seed)
    names = [f"{chance.randrange(16**6):06x}" for _ in range(VOCABULARY)]
    earlier: list[list[str]] = []
    for _ in range(count):
        copied = earlier and chance.random() < COPIES
        words = list(chance.choice(earlier)) if copied else chance.choices(names, k=WORDS)
        if copied:
            for place in chance.sample(range(WORDS), 5):
                words[place] = chance.choice(names)
        earlier.append(words)
        yield " ".join(words)


def documents(count: int, scored: int) -> tuple[list[neardup.Document], list[list[neardup.Document]]]:
    """So many documents over 25 hours, and two parts of the last hour that follow."""
    step = HOURS * HOUR_MS // (count + 2 * scored + 1)
    made = [
        neardup.Document(str(i), text, FIRST_MS + i * step)
        for i, text in enumerate(texts(count + 2 * scored, SEED))
    ]
    return made[:count], [made[count : count + scored], made[count + scored :]]


def timed(url: str, part: Sequence[neardup.Document], candidates: str) -> tuple[float, float, list[Verdict]]:
    """Seconds to the first batch's verdicts, documents a second after it, and the verdicts."""
    begun = time.perf_counter()
    with neardup.open(url, candidates=candidates) as window:
        verdicts, first = [], 0.0
        for verdict in window.ingest(part):
            first = first or time.perf_counter() - begun
            verdicts.append(verdict)
        rest = len(part) - min(window.settings.batch_documents, len(part))
        return first, rest / max(time.perf_counter() - begun - first, 1e-9), verdicts


def main() -> None:
    """Measures, and prints one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--filled", type=int, default=HOURS * 24_000)
    parser.add_argument("--scored", type=int, default=4_000)
    options = parser.parse_args()
    before, parts = documents(options.filled, options.scored)
    with neardup.open(None) as reference, window_of(options.url, "bench-search") as window:
        expected = [list(reference.ingest(part)) for part in (before, *parts)]
        for _ in window.ingest(before):
            pass
        told: dict[str, object] = {"filled": len(before), "scored": options.scored}
        for part, candidates, right in zip(parts, ("memory", "search"), expected[1:], strict=True):
            first, rate, verdicts = timed(f"{options.url}/bench-search", part, candidates)
            told[candidates] = {
                "first_batch_s": round(first, 2),
                "documents_per_s": round(rate, 1),
                "verdicts_as_in_memory": verdicts == right,
            }
    print(orjson.dumps(told).decode())


if __name__ == "__main__":
    main()
