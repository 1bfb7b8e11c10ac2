"""Quality: does neardup find every pair of doc_q >= t, and nothing else?

Question   Precision and recall of `sketch` and `complete` at t = 0.5, 0.6, 0.7, 0.9 on whole corpora, with the lexicon
           that ships and with one made of the same corpus, and recall on copies edited in every way of
           benchmarks/lib/edits.py.
Corpus     passages20k against its docq.tsv; wikiversions, spamassassin, manpages-multi (thirteen languages), books-en
           (no copies) and terms-contrib (long, clustered) against our own brute force, which is itself checked: against
           neardup.oracle on a sample, and against the corpora's docq.tsv where there is one. Edits: of the originals
           of passages20k, into a window that holds all of these originals.
           The default lexicon was built from books-en and manpages-multi: on manpages-multi it has seen the same
           documents, the hard case for a sample that prefers rare q-grams; so has every lexicon made of the corpus.
Seed       20261121 for the edits; none for the corpora.
Excluded   time (throughput.py), the hours of the window (all documents are within one).
Recipes    the default one, with sketches made for 0.5 if that is the threshold.
Counted    A pair is counted if its exact doc_q reaches t: an edit that pushes a copy below t is not a miss. An edit is
           drawn until `--pairs` of its copies count, or the originals end. Precision: every match that the engine
           reports is counted again by brute force, including its `shared`.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import neardup
from benchmarks.lib import bruteforce, corpora, edits, engine, harness
from benchmarks.lib.corpora import Corpus
from neardup.oracle import definitions as oracle
from neardup.signing.lexicon_sample import lexicon_of

if TYPE_CHECKING:
    from benchmarks.lib.bruteforce import GramSets, Pair

SEED = 20_261_121
CORPORA = ("passages20k", "wikiversions", "spamassassin", "manpages-multi", "books-en", "terms-contrib")
THRESHOLDS = ("0.5", "0.6", "0.7", "0.9")
LEVELS = ("sketch", "complete")
LEXICONS = ("default", "own")
LOWEST = "0.5"
GIVE_UP = 1_000
"""The number of draws without a counted copy after which an edit is considered too strong for a threshold."""


def oracle_agrees(corpus: Corpus, sets: GramSets, pairs: dict[Pair, Pair], sample: int = 60) -> int:
    """How many pairs were compared with neardup.oracle (half of them true pairs); raises if one differs."""
    rng = random.Random(SEED)
    known = sorted(pairs)
    chosen = rng.sample(known, min(sample // 2, len(known)))
    chosen += [
        (min(two), max(two)) for two in (rng.sample(range(len(corpus)), 2) for _ in range(sample // 2))
    ]
    for i, j in chosen:
        counted = oracle.doc_q_counts(corpus.texts[i], corpus.texts[j])
        if counted[1] and counted != bruteforce.overlap(sets, i, j):
            msg = f"{corpus.name}: {corpus.ids[i]} and {corpus.ids[j]}: the oracle counts {counted}"
            raise AssertionError(msg)
    return len(chosen)


def truth(args: argparse.Namespace, corpus: Corpus) -> tuple[GramSets, dict[Pair, Pair], dict[str, Any]]:
    """Sets and pairs of a corpus, and the source against which they were checked."""
    sets = bruteforce.gram_sets(corpus.texts)
    given = None if args.tiny else corpora.given_pairs(args.data, corpus)
    checked: dict[str, Any] = {"docq.tsv": given is not None}
    if given is not None and corpus.name == "passages20k" and not args.brute_force:
        pairs = given  # brute force over it takes minutes; --brute-force does it
    else:
        pairs = bruteforce.all_pairs(sets, LOWEST)
        if given is not None and corpora.at_least(given, LOWEST) != set(pairs):
            msg = f"{corpus.name}: our brute force and docq.tsv differ"
            raise AssertionError(msg)
    wrong = [pair for pair in random.Random(SEED).sample(sorted(pairs), min(500, len(pairs)))
             if bruteforce.overlap(sets, *pair) != pairs[pair]]  # fmt: skip
    if wrong:
        msg = f"{corpus.name}: {len(wrong)} pairs are counted differently, such as {wrong[0]}"
        raise AssertionError(msg)
    checked["oracle"] = oracle_agrees(corpus, sets, pairs)
    return sets, pairs, checked


def false_matches(run: engine.Run, sets: GramSets, threshold: str) -> list[Pair]:
    """The reported pairs that do not reach the threshold, or whose `shared` or score is not the exact one."""
    wrong = []
    for pair, (shared, score) in run.found.items():
        exact = bruteforce.overlap(sets, *pair)
        # two equal texts shorter than q share no q-gram, and score 1 all the same
        counted = shared == exact[0] or (len(sets.of(pair[0])) == 0 and shared == 0)
        if not (
            bruteforce.reaches(*exact, threshold) and counted and abs(score - exact[0] / exact[1]) < 1e-9
        ):
            wrong.append(pair)
    return wrong


def on_corpora(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row per corpus, lexicon, threshold and level."""
    for name in args.corpora:
        corpus = corpora.load(args.data, name, tiny=args.tiny)
        sets, pairs, checked = truth(args, corpus)
        for lexicon, path in lexicons(args, corpus):
            for threshold, level in product(args.thresholds, args.levels):
                wanted = corpora.at_least(pairs, threshold)
                recipe = replace(neardup.Recipe().reaching(Fraction(threshold)), lexicon=path)
                run = engine.ingest(corpus, threshold=threshold, retrieval=level, recipe=recipe)
                found = set(run.found)
                yield {
                    "corpus": name, "documents": len(corpus), "lexicon": lexicon,
                    "threshold": threshold, "level": level,
                    "pairs": len(wanted), "found": len(found & wanted), "missed": len(wanted - found),
                    "recall": len(found & wanted) / len(wanted) if wanted else 1.0,
                    "reported": len(found), "false": len(false_matches(run, sets, threshold)),
                    "candidates_per_document": run.candidates / len(corpus), "truncated": run.truncated,
                    "rejected": run.rejected, "seconds": run.seconds, "checked_against": checked,
                    "missed_pairs": [
                        (corpus.ids[i], corpus.ids[j], *pairs[i, j]) for i, j in sorted(wanted - found)[:20]
                    ],
                }  # fmt: skip


def drawn(
    args: argparse.Namespace, originals: list[str], kind: str, share: float
) -> dict[str, tuple[int, list[edits.Copy]]]:
    """For each threshold, how many copies of one kind of edit were drawn, and the first `args.pairs` that reach it."""
    counted: dict[str, list[edits.Copy]] = {threshold: [] for threshold in args.thresholds}
    needed = dict.fromkeys(args.thresholds, 0)
    looking = set(args.thresholds)
    for number, copy in enumerate(edits.copies(originals, kind, share, SEED), 1):
        exact = bruteforce.text_overlap(originals[copy.original], copy.text)
        for threshold in sorted(looking):
            needed[threshold] = number
            if bruteforce.reaches(*exact, threshold):
                counted[threshold].append(copy)
            if len(counted[threshold]) == args.pairs or (number >= GIVE_UP and not counted[threshold]):
                looking.discard(threshold)
        if not looking:
            break
    return {threshold: (needed[threshold], counted[threshold]) for threshold in args.thresholds}


def on_edits(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row per kind of edit, share, threshold and level: all copies are ingested after all originals."""
    originals = corpora.load(args.data, "passages20k", tiny=args.tiny).originals()
    cells = {
        (kind, share): drawn(args, originals, kind, share)
        for kind, (_, shares) in edits.KINDS.items() for share in shares
    }  # fmt: skip
    for threshold in args.thresholds:
        ids = [f"original-{place}" for place in range(len(originals))]
        texts = list(originals)
        spans: dict[tuple[str, float], list[Pair]] = {}
        for cell, made in cells.items():
            chosen = made[threshold][1]
            spans[cell] = [(copy.original, len(ids) + at) for at, copy in enumerate(chosen)]
            ids += [f"{cell[0]}-{cell[1]}-{at}" for at in range(len(chosen))]
            texts += [copy.text for copy in chosen]
        stream = Corpus("edits", ids, texts)
        for level in args.edit_levels:
            run = engine.ingest(stream, threshold=threshold, retrieval=level)
            for (kind, share), pairs in spans.items():
                found = sum(pair in run.found for pair in pairs)
                yield {
                    "edit": kind, "share": share, "threshold": threshold, "level": level,
                    "drawn": cells[kind, share][threshold][0], "pairs": len(pairs), "found": found,
                    "recall": found / len(pairs) if pairs else None, "seconds": run.seconds,
                }  # fmt: skip


def lexicons(args: argparse.Namespace, corpus: Corpus) -> Iterator[tuple[str, Path | None]]:
    """The chosen lexicons by name, each with its file; None: the one that ships."""
    with tempfile.TemporaryDirectory() as scratch:
        for name in args.lexicons:
            path = Path(scratch) / f"{name}.lexicon" if name == "own" else None
            if path is not None:
                lexicon_of(corpus.texts, name=name).save(path)
            yield name, path


def write_rows(args: argparse.Namespace, name: str, rows: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows as a list, each printed and written to `name`.json at once, so that an ended run keeps its rows."""
    kept = []
    for row in rows:
        what = (
            f"{row['corpus']}, {row['lexicon']}" if "corpus" in row else f"{row['edit']} {row['share']:.0%}"
        )
        print(f"{what}, t {row['threshold']}, {row['level']}: {row['found']} of {row['pairs']}, "
              f"{row['seconds']:.1f} s", file=sys.stderr, flush=True)  # fmt: skip
        kept.append(row)
        harness.save(args, name, kept)
    return kept


def report_corpora(rows: list[dict[str, Any]]) -> str:
    """The corpora's rows as a table."""
    header = [
        "corpus",
        "lexicon",
        "t",
        "level",
        "pairs",
        "missed",
        "recall",
        "reported",
        "false",
        "candidates/doc",
        "cut off",
    ]
    keys = ("corpus", "lexicon", "threshold", "level", "pairs", "missed")
    return harness.table(header, [
        [*(row[key] for key in keys), f"{row['recall']:.5f}", row["reported"], row["false"],
         f"{row['candidates_per_document']:.2f}", row["truncated"]]
        for row in rows
    ])  # fmt: skip


def report_edits(rows: list[dict[str, Any]]) -> str:
    """The edits' rows as a table."""
    header = ["edit", "share", "t", "level", "drawn", "pairs", "found", "recall"]
    return harness.table(header, [
        [row["edit"], f"{row['share']:.0%}", row["threshold"], row["level"], row["drawn"], row["pairs"],
         row["found"], "none reach t" if row["recall"] is None else f"{row['recall']:.5f}"]
        for row in rows
    ])  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints both tables, writes exactness.json and exactness-edits.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--part", choices=("corpora", "edits", "all"), default="all")
    parser.add_argument("--corpora", nargs="+", default=list(CORPORA), metavar="NAME")
    parser.add_argument("--thresholds", nargs="+", default=list(THRESHOLDS), metavar="T")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=list(LEVELS))
    parser.add_argument("--edit-levels", nargs="+", choices=LEVELS, default=["sketch"])
    parser.add_argument("--pairs", type=int, default=1_000, help="pairs a kind of edit (default: 1000)")
    parser.add_argument("--lexicons", nargs="+", choices=LEXICONS, default=list(LEXICONS))
    parser.add_argument(
        "--brute-force", action="store_true", help="also count all pairs of passages20k again"
    )
    args = parser.parse_args(arguments)
    if args.tiny:
        args.pairs, args.corpora = min(args.pairs, 20), args.corpora[:2]
    if args.part != "edits":
        print(report_corpora(write_rows(args, "exactness", on_corpora(args))))
    if args.part != "corpora":
        print(report_edits(write_rows(args, "exactness-edits", on_edits(args))))


if __name__ == "__main__":
    main()
