"""Experiment B: simhash on word shingles and with random lexicons (Fan & Huang 2011, section 4), doc_q beside it.

Question   Which shingle size, Hamming threshold and number of random lexicons are best? (The paper's Figures 2-5 and
           Table 1.) Is doc_q better on the same data?
Corpus     The 20,000 originals of passages20k: passages of 4 KB from 281 books, newspapers and manuals, no two of
           which overlap. Five of them are source texts, with 120 copies each (fan_huang_data.py). The paper has 143,798
           passages of 1,403 scanned books, which are not available; it does not say how strongly it edited its copies.
           Simhash gets texts as in the paper: without stop words, and stemmed. doc_q gets them whole, and stemmed.
Seed       20261121: sources, edits; random lexicons by their number.
Measured   Each source text is a query; everything else in the collection is an answer or not. Precision and recall are
           averaged over the five queries, and F is computed from the averages (equations 1-3). A query without any
           answer has precision 1. All is done for ten sets of five sources (the paper: one), and the spread is
           reported: it says which differences mean something. "set 1" is one run as in the paper.
           Beside the measurement there are three views of the same distances, to explain disagreements: every stranger
           weighted so that there are as many as in the paper, and only lightly or only strongly edited copies. Two
           details of the fingerprints that the paper does not give are tried both ways: whether a feature that occurs
           twice counts twice, and whether the hash fills its 32 bits or, like Java's for strings, only from about six
           letters on.
Excluded   time: all pairs are compared by numpy.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.lib import bruteforce, corpora, harness
from benchmarks.papers import fan_huang_data
from benchmarks.papers.fan_huang_curves import Data, Distances, Rows, curve_of, split_by_query, summary
from benchmarks.papers.fan_huang_rivals import on_rivals, on_route
from benchmarks.papers.fan_huang_tables import (
    AS_MEASURED,
    LEXICON_SHINGLE,
    LEXICONS,
    MANY_STRANGERS,
    MOST_DISTANT,
    SHINGLES,
    STEPS,
    WIDTHS,
    tables,
)
from neardup.baselines.simhash import Simhash, hash64, unweighted
from neardup.baselines.words import Frequencies

SEED = 20_261_121
SETS, SOURCES, COPIES = 10, 5, 120
PAPER_TEXTS = 143_798
FAR = 64
"""A distance beyond every threshold, for a text without features."""
Fingerprints = npt.NDArray[np.uint64]


def data_of(args: argparse.Namespace) -> Data:
    """The seeded data, or a small one."""
    clean = corpora.load(args.data, "passages20k", tiny=args.tiny).originals()
    sources = fan_huang_data.source_sets(len(clean), args.sets, SOURCES, SEED)
    return Data(clean, sources, [fan_huang_data.copies(clean, some, args.copies, SEED) for some in sources])


class View(NamedTuple):
    """Which copies count, and how often each other text does."""

    shares: tuple[float, ...] = fan_huang_data.SHARES
    strangers: float = 1.0


def views(data: Data) -> dict[str, View]:
    """The views that explain disagreements with the paper; the first one is the measurement itself."""
    return {
        AS_MEASURED: View(),
        MANY_STRANGERS: View(strangers=PAPER_TEXTS / len(data.clean)),
        "copies with 1 to 5 % edited": View(shares=fan_huang_data.SHARES[:3]),
        "copies with 10 to 30 % edited": View(shares=fan_huang_data.SHARES[3:]),
    }


class Signed(NamedTuple):
    """Fingerprints of the clean texts and of the copies of all sets (n x lexicons), and which have a feature."""

    clean: Fingerprints
    copies: Fingerprints
    clean_present: npt.NDArray[np.bool_]
    copies_present: npt.NDArray[np.bool_]


def signed(method: Simhash, clean: Sequence[str], copies: Sequence[str]) -> Signed:
    """All texts signed; they are stems separated by spaces."""
    made = [[method.sign(text) for text in texts] for texts in (clean, copies)]
    values = [np.array([[value or 0 for value in one] for one in some], np.uint64) for some in made]
    present = [np.array([[value is not None for value in one] for one in some], np.bool_) for some in made]
    return Signed(values[0], values[1], present[0], present[1])


def simhash_rows(data: Data, texts: Signed, number: int, lexicons: int, bits: int) -> Rows:
    """Distances of set `number` by the first `lexicons` lexicons and the lower `bits` of the fingerprints."""
    mask = np.uint64(2**bits - 1)
    span = data.span(number)

    def distances(source: int, others: Fingerprints, present: npt.NDArray[np.bool_]) -> Distances:
        differing = np.bitwise_count((others[:, :lexicons] ^ texts.clean[source, :lexicons]) & mask)
        known = present[:, :lexicons] & texts.clean_present[source, :lexicons]
        nearest: Distances = np.where(known, differing, FAR).min(axis=1).astype(np.int64)
        return nearest

    return [
        (
            distances(source, texts.clean, texts.clean_present),
            distances(source, texts.copies[span], texts.copies_present[span]),
        )
        for source in data.sources[number]
    ]


def best_of(data: Data, sets: Sequence[Rows], view: View, *, whole: bool = False) -> dict[str, Any]:
    """The summary of all sets' curves in a view."""
    curves = [
        curve_of(*split_by_query(data, number, rows, view.shares), MOST_DISTANT + 1, view.strangers)
        for number, rows in enumerate(sets)
    ]
    return summary(curves, whole=whole)


def on_simhash(data: Data, stemmed: list[str], copied: list[str]) -> dict[str, Any]:
    """For each view, shingle sizes and numbers of lexicons at both widths."""
    frequencies = Frequencies(str.split, stemmed)
    found: dict[str, Any] = {
        view: {kind: {f"{bits} bits": {} for bits in WIDTHS} for kind in ("plain", "shingles", "lexicons")}
        for view in views(data)
    }
    runs: list[tuple[str, int, int]] = [("plain", 1, 1)]
    runs += [("shingles", k, max(LEXICONS) if k == LEXICON_SHINGLE else 1) for k in SHINGLES]
    for kind, k, most in runs:
        method = Simhash(k, most, weigh=unweighted if kind == "plain" else None, split=str.split)
        method.use(frequencies)
        texts = signed(method, stemmed, copied)
        for bits in WIDTHS:
            for count in range(1, most + 1):
                sets = [simhash_rows(data, texts, number, count, bits) for number in range(len(data.sources))]
                for view, one in views(data).items():
                    best = best_of(data, sets, one, whole=view == AS_MEASURED and bits == min(WIDTHS))
                    if count == 1:
                        found[view][kind][f"{bits} bits"][k] = best
                    if most > 1:
                        found[view]["lexicons"][f"{bits} bits"][count] = best
        print(f"{kind}, k = {k}: done", file=sys.stderr, flush=True)
    return found


def string_hash(text: str) -> int:
    """Java's String.hashCode: 31 times the hash so far, plus a letter. A short text does not fill its 32 bits.

    >>> f"{string_hash('word'):08x}", f"{string_hash('a word more'):08x}"
    ('0037c70a', '256919ac')
    """
    value = 0
    for letter in text:
        value = 31 * value + ord(letter) & 0xFFFFFFFF
    return value


HASHES = {
    "xxh64, every occurrence": (hash64, False), "xxh64, distinct": (hash64, True),
    "31 a letter, every occurrence": (string_hash, False), "31 a letter, distinct": (string_hash, True),
}  # fmt: skip


def on_hashes(data: Data, stemmed: list[str], copied: list[str]) -> dict[str, Any]:
    """The best F of words and of shingles of 2 at 32 bits, by each hash, with and without repeated features."""
    frequencies = Frequencies(str.split, stemmed)
    found: dict[str, Any] = {name: {} for name in HASHES}
    for name, (hashed, distinct) in HASHES.items():
        for k in (1, LEXICON_SHINGLE):
            method = Simhash(k, 1, split=str.split, hashed=functools.cache(hashed), distinct=distinct)
            method.use(frequencies)
            texts = signed(method, stemmed, copied)
            sets = [simhash_rows(data, texts, number, 1, min(WIDTHS)) for number in range(len(data.sources))]
            found[name][k] = {
                view: best_of(data, sets, views(data)[view]) for view in (AS_MEASURED, MANY_STRANGERS)
            }
        print(f"{name}: done", file=sys.stderr, flush=True)
    return found


def on_doc_q(data: Data, clean: list[str], copied: list[str]) -> dict[str, Any]:
    """The curves of doc_q at 1.00, 0.99 and so on, and the doc_q of the copies for each share of edits."""
    sets = bruteforce.gram_sets([*clean, *copied])
    sizes = np.diff(sets.starts)
    curves = []
    by_share: dict[float, list[float]] = {share: [] for share in fan_huang_data.SHARES}
    strangers: list[float] = []
    for number, some in enumerate(data.sources):
        span = data.span(number)
        rows = []
        for source in some:
            member = np.zeros(len(sets.frequencies), np.bool_)
            member[sets.of(source)] = True
            counted = np.zeros(len(sets.ids) + 1, np.int64)
            np.cumsum(member[sets.ids], out=counted[1:])
            shared = counted[sets.starts[1:]] - counted[sets.starts[:-1]]
            larger = np.maximum(np.maximum(sizes, sizes[source]), 1)
            # in integers: the smallest s with shared / larger >= (STEPS - s) / STEPS
            steps = STEPS - STEPS * shared // larger
            to_copies = steps[len(clean) :][span]
            rows.append((steps[: len(clean)], to_copies))
            scores = (shared / larger)[len(clean) :][span]
            for copy, score in zip(data.copies[number], scores, strict=True):
                if copy.source == source:
                    by_share[copy.share].append(float(score))
            strangers.append(float(np.delete(shared[: len(clean)] / larger[: len(clean)], source).max()))
        curves.append(curve_of(*split_by_query(data, number, rows), STEPS + 1))
    return {
        **summary(curves, whole=True),
        "copies": {share: statistics.mean(found) for share, found in by_share.items()},
        "least_copy": {share: min(found) for share, found in by_share.items()},
        "nearest_stranger": max(strangers),
    }


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the tables, writes fan-huang.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--sets", type=int, default=SETS, help=f"sets of sources (default: {SETS})")
    parser.add_argument("--copies", type=int, default=COPIES, help=f"copies a source (default: {COPIES})")
    args = parser.parse_args(arguments)
    if args.tiny:
        args.sets, args.copies = 2, 12
    data = data_of(args)
    stemmed = [" ".join(fan_huang_data.stems(text)) for text in data.clean]
    copied = [" ".join(fan_huang_data.stems(text)) for text in data.copied_texts()]
    figures = {
        "texts": {
            "clean": len(data.clean), "sets": args.sets, "copies": len(copied),
            "characters": round(statistics.mean(map(len, data.clean))),
            "stems": round(statistics.mean(len(text.split()) for text in stemmed)),
        },
        "simhash": on_simhash(data, stemmed, copied),
        "hashes": on_hashes(data, stemmed, copied),
        "rivals": on_rivals(data, stemmed, copied),
        "route": on_route(data),
        "doc_q": {
            "the texts": on_doc_q(data, data.clean, data.copied_texts()),
            "their stems": on_doc_q(data, stemmed, copied),
        },
    }  # fmt: skip
    harness.show(tables, harness.save(args, "fan-huang", figures))


if __name__ == "__main__":
    main()
