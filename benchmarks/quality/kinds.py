"""Quality: on which kinds of text does a way to find candidates miss pairs?

Question   Recall and precision of `sketch` against brute force, and candidates per document, for each kind of text:
           forms and templates, short texts, prose with something else in it, lists in another order, tiny alphabets.
Corpus     benchmarks/lib/kinds.py makes 500 documents per kind (`--documents`), from passages20k, manpages-multi and
           spamassassin if they are there, otherwise from made-up words. Most are families of edited copies, half of
           them aimed at doc_q 0.70 to 0.75.
Seed       20261122 (`--seed`).
Excluded   time, memory, the hours of the window (all documents are within one), partial copies.
Lexicons   default: the one that ships. own: made of the compared documents. yesterday: made of as many others of the
           same kind, with other texts and the same templates.
Counted    Every pair whose exact doc_q reaches t. A match is false if brute force has no such pair, or another
           `shared`. A sample of the pairs of every kind is counted once more by neardup.oracle.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import neardup
from benchmarks.lib import bruteforce, engine, harness, kinds
from benchmarks.lib.kind_source import Library
from benchmarks.quality.exactness import oracle_agrees
from neardup.signing.lexicon_sample import lexicon_of

if TYPE_CHECKING:
    from benchmarks.lib.bruteforce import Pair
    from benchmarks.lib.corpora import Corpus

LEXICONS = ("default", "own", "yesterday")
NEAR = "1.0714"
"""Up to this multiple of the threshold (0.75 for 0.7) a pair counts as just above it; these are the hard ones."""
_TINY_KINDS = (
    "titles",
    "weather reports",
    "prose with Chinese",
    "short, blocks swapped",
    "names in another order",
)
_ORACLE_SAMPLE = 6
_LISTED = 10
"""The number of missed pairs named in a row."""


def measured(args: argparse.Namespace, library: Library, name: str) -> Iterator[dict[str, Any]]:
    """One row a threshold and lexicon for the kind `name`."""
    corpus = kinds.corpus(library, name, args.documents, seed=args.seed)
    sets = bruteforce.gram_sets(corpus.texts)
    sizes = np.diff(sets.starts)
    lowest = min(args.threshold, key=float)
    every = bruteforce.all_pairs(sets, lowest)
    oracle_agrees(corpus, sets, every, _ORACLE_SAMPLE)
    with tempfile.TemporaryDirectory() as scratch:
        for lexicon in args.lexicons:
            recipe = _recipe(args, library, corpus, lexicon, Path(scratch) / f"{lexicon}.lexicon")
            for threshold in args.threshold:
                wanted = {
                    pair: counts for pair, counts in every.items() if bruteforce.reaches(*counts, threshold)
                }
                run = engine.ingest(corpus, threshold=threshold, retrieval=args.retrieval, recipe=recipe)
                yield {
                    "kind": name, "threshold": threshold, "lexicon": lexicon, "documents": len(corpus),
                    "median_qgrams": int(np.median(sizes)), **compared(corpus, wanted, run, threshold),
                }  # fmt: skip


def compared(corpus: Corpus, wanted: dict[Pair, Pair], run: engine.Run, threshold: str) -> dict[str, Any]:
    """Which of the `wanted` pairs the engine found, what else it reported, and the cost."""
    near = {pair for pair, counts in wanted.items() if not _is_clear(counts, threshold)}
    missed = sorted(wanted.keys() - run.found.keys())
    false = [pair for pair, (shared, _) in run.found.items() if not _is_right(wanted.get(pair), shared)]
    return {
        "pairs": len(wanted), "missed": len(missed), "recall": _share(len(wanted) - len(missed), len(wanted)),
        "near_pairs": len(near), "near_recall": _share(len(near - set(missed)), len(near)),
        "reported": len(run.found), "false": len(false),
        "candidates_per_document": run.candidates / len(corpus),
        "truncated": run.truncated, "rejected": run.rejected,
        "missed_pairs": [(corpus.ids[i], corpus.ids[j], *wanted[i, j]) for i, j in missed[:_LISTED]],
    }  # fmt: skip


def _is_clear(counts: Pair, threshold: str) -> bool:
    return counts[0] >= float(threshold) * float(NEAR) * counts[1]


def _is_right(exact: Pair | None, shared: int) -> bool:
    """Whether it is a pair with this many shared q-grams. Equal texts shorter than q share none, but are a pair."""
    return exact is not None and (shared == exact[0] or (exact == (1, 1) and shared == 0))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _recipe(
    args: argparse.Namespace, library: Library, corpus: Corpus, lexicon: str, path: Path
) -> neardup.Recipe:
    """The default recipe with one of LEXICONS, written to `path` if it is made here."""
    if lexicon == "default":
        return neardup.Recipe()
    if lexicon == "yesterday":
        corpus = kinds.corpus(library, corpus.name, args.documents, seed=args.seed, day=1)
    lexicon_of(corpus.texts, name=lexicon).save(path)
    return neardup.Recipe(lexicon=path)


def report(rows: list[dict[str, Any]]) -> str:
    """A line per kind and threshold: recall with each lexicon in turn, the other figures with the first."""
    asked = list(dict.fromkeys(row["lexicon"] for row in rows))
    cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault((row["kind"], row["threshold"]), []).append(row)
    header = ["kind (median q-grams)", "t", "pairs", *(f"recall, {one}" for one in asked), "just above t",
              "false", "candidates/doc"]  # fmt: skip
    return harness.table(header, [
        [f"{kind} ({same[0]['median_qgrams']})", threshold, same[0]["pairs"],
         *(f"{row['recall']:.5f}" for row in same), f"{same[0]['near_recall']:.5f} of {same[0]['near_pairs']}",
         sum(row["false"] for row in same), f"{same[0]['candidates_per_document']:.2f}"]
        for (kind, threshold), same in cells.items()
    ])  # fmt: skip


def totals(rows: list[dict[str, Any]]) -> str:
    """A line per threshold and lexicon over all kinds: pairs, missed pairs, and the kinds that miss any."""
    cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault((row["threshold"], row["lexicon"]), []).append(row)
    header = ["t", "lexicon", "kinds", "pairs", "missed", "kinds under 0.9999", "the lowest", "false"]
    return harness.table(header, [
        [*cell, len(same), sum(row["pairs"] for row in same), sum(row["missed"] for row in same),
         sum(row["recall"] < 0.9999 for row in same), f"{min(row['recall'] for row in same):.5f}",
         sum(row["false"] for row in same)]
        for cell, same in cells.items()
    ])  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Measures every kind, prints the tables, writes kinds.json after each row."""
    parser = harness.options(__doc__)
    parser.add_argument("--threshold", nargs="+", default=["0.7"], metavar="T")
    parser.add_argument(
        "--kinds", nargs="+", choices=list(kinds.KINDS), default=list(kinds.KINDS), metavar="KIND"
    )
    parser.add_argument("--documents", type=int, default=kinds.DOCUMENTS, help="a kind (default: 500)")
    parser.add_argument("--lexicons", nargs="+", choices=LEXICONS, default=list(LEXICONS))
    parser.add_argument("--retrieval", choices=("sketch", "complete"), default="sketch")
    parser.add_argument("--seed", type=int, default=kinds.SEED)
    args = parser.parse_args(arguments)
    if args.tiny:
        args.kinds, args.documents = list(_TINY_KINDS), min(args.documents, 40)
    library, rows = Library(args.data, tiny=args.tiny), []
    for name in args.kinds:
        for row in measured(args, library, name):
            print(f"{name}, t {row['threshold']}, {row['lexicon']}: {row['missed']} missed of {row['pairs']}, "
                  f"{row['false']} false", file=sys.stderr, flush=True)  # fmt: skip
            rows.append(row)
            harness.save(args, "kinds", rows)
    print(report(rows))
    print(totals(rows))


if __name__ == "__main__":
    main()
