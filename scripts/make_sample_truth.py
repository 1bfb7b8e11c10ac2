"""Writes examples/truth.tsv: which documents of examples/stream.jsonl tell the same story.

    python scripts/make_sample_truth.py [--seed 42] [--output examples/truth.tsv]

The stream is made once more with the same seed, and the source of its random numbers remembers which story every copy
was made from. A pair is listed if both are made from the same story (one may be the story itself), however much was
changed and however much later: this is what a reader would say, and no method is involved.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import make_sample
from make_sample import Item


class Remembering(random.Random):
    """Draws what `random.Random` draws; `original` is the story of the last choice between one and its last copy."""

    original: Item | None = None

    def choice(self, seq: Any) -> Any:
        """One of `seq`, as usual."""
        if isinstance(seq[0], Item):
            self.original = seq[0]
        return super().choice(seq)


def main() -> None:
    """Write the pairs and say how many there are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--output", type=Path, default=Path("examples/truth.tsv"))
    arguments = parser.parse_args()
    pairs = sorted(truth(Remembering(arguments.seed)))
    lines = [
        "# Pairs of examples/stream.jsonl that tell one story; written by scripts/make_sample_truth.py",
        "id1\tid2",
    ]
    lines += [f"{first}\t{second}" for first, second in pairs]
    arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{arguments.output}: {len(pairs)} pairs")


def truth(rng: Remembering) -> Iterator[tuple[str, str]]:
    """The pairs of ids that tell the same story, the smaller id first: repeats the steps of `make_sample.sample`."""
    stories, families = list(make_sample._stories(rng)), defaultdict(list)  # noqa: SLF001 - as the docstring says
    copies = []
    for copy in make_sample._copies(rng, stories):  # noqa: SLF001 - as above
        copies.append(copy)
        assert rng.original is not None
        families[id(rng.original)].append(copy)
    pieces = list(make_sample._set_pieces(rng, stories))  # noqa: SLF001 - as above
    families[id(stories[4])].append(pieces[0])
    families[id(stories[make_sample.STORIES_AN_HOUR * 20])].append(pieces[1])
    items = sorted(stories + copies + pieces, key=lambda item: item.arrives)
    names = {id(item): f"wire-{number:04d}" for number, item in enumerate(items, 1)}
    for story, made in families.items():
        members = [names[story], *(names[id(copy)] for copy in made)]
        yield from ((min(pair), max(pair)) for pair in combinations(members, 2))


if __name__ == "__main__":
    main()
