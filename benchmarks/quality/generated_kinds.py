"""Quality: are generated forms, quotes and campaigns recognised, and are no copies taken for them?

Question   Of pairs generated as forms, quotes or letters of a campaign, how many does `kind_of` call so (letters of a
           campaign: copies); and how many copies does it call forms or quotes?
Corpus     Pairs made by `lib/labelled_pairs.py`: ten forms, six ways to quote, personal letters, nine ways to copy.
           Running text is passages20k, otherwise made up.
Seed       20261124 (`--seed`).
Counted    Pairs with doc_q (q = 4) of 0.5 or more, the lowest reach of a window; no pair below is looked at.
Excluded   quotations without any mark, which can be recognised only by their meaning.
Takes      Half a minute.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import neardup
from benchmarks.lib import harness
from benchmarks.lib.kind_source import Library, Source
from benchmarks.lib.labelled_pairs import WAYS, labelled_pairs
from neardup.kinds import kind_of

SEED: Final = 20_261_124
REACH: Final = 0.5
RIGHT: Final = {"form with names": "form", "campaign": "copy"}
"""The right answer for kinds with another name."""


def counted(source: Source, what: str, count: int) -> dict[str, Counter[str]]:
    """How often pairs of each way are called what; those out of reach are called "below"."""
    called: dict[str, Counter[str]] = {way: Counter() for way in WAYS[what]}
    for first, second, way in labelled_pairs(source, what, count):
        is_near = neardup.doc_q(first, second) >= REACH
        called[way][kind_of(first, second).name if is_near else "below"] += 1
    return called


def shares(what: str, called: dict[str, Counter[str]]) -> dict[str, Any]:
    """How many of the pairs are called what they are, and how many forms or quotes though they are none."""
    right = RIGHT.get(what, what)
    ways = {way: dict(counts) for way, counts in called.items()}
    total = sum(called.values(), Counter[str]())
    near = sum(total.values()) - total["below"]
    wrong = sum(total[name] for name in ("form", "quote") if name != right)
    return {"pairs": near, "right": total[right] / max(1, near), "wrong": wrong / max(1, near), "ways": ways}


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """A row for each thing that pairs are, and one for each way to make them."""
    kinds = ("copy", "form", "quote", "frame", "other", "below")
    rows = []
    for what, one in figures["made"].items():
        right, wrong = f"{one['right']:.3f}", f"{one['wrong']:.3f}"
        rows.append([f"**{what}**", one["pairs"], right, wrong, *[""] * len(kinds)])
        rows += [
            ["", way, "", "", *(counts.get(kind, 0) or "" for kind in kinds)]
            for way, counts in one["ways"].items()
        ]
    header = ["made as", "pairs", "called so", "wrongly a form or quote", *kinds]
    return {"generated kinds": harness.table(header, rows)}


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes generated_kinds.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=200, help="pairs of each way")
    args = parser.parse_args(arguments)
    library = Library(args.data, tiny=args.tiny)
    figures = {
        what: shares(what, counted(Source(library, what, args.seed), what, 3 if args.tiny else args.count))
        for what in WAYS
    }
    harness.show(tables, harness.save(args, "generated_kinds", {"made": figures}))


if __name__ == "__main__":
    main()
