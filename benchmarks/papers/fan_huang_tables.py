"""The tables of fan_huang.py, the figures of Fan & Huang (2011) beside ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.lib import harness
from benchmarks.papers.fan_huang_data import SHARES

AS_MEASURED, MANY_STRANGERS = "as measured", "as many strangers as the paper has"
SHINGLES = (1, 2, 3, 4, 5)
LEXICONS = tuple(range(1, 11))
LEXICON_SHINGLE = 2
WIDTHS = (32, 64)
MOST_DISTANT = 31
STEPS = 100
"""doc_q is compared with 1.00, 0.99, ... 0.00: the distance of a pair is the first of these that it reaches."""
RATES = ("precision", "recall", "f")
SHOWN_LEXICONS = (1, 4, 7, 10)
"""Numbers of lexicons whose curves are shown."""
SHOWN_SIZES = (1, LEXICON_SHINGLE)
"""Sizes of shingles that every hash was tried with."""
PAPER_SHINGLES = {1: 0.6117, 2: 0.7469}
PAPER_TABLE_1 = {
    1: (0.7469, 4), 2: (0.8071, 6), 3: (0.8213, 3), 4: (0.8515, 2), 5: (0.8805, 3),
    6: (0.7855, 3), 7: (0.8356, 3), 8: (0.8077, 1), 9: (0.8139, 2), 10: (0.7942, 2),
}  # fmt: skip


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """The tables as Markdown, each with its caption, by what docs/experiments/fan_huang.md calls them."""
    captions: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
        "b-shingles": ("Best F by shingle size (Figure 2)", shingle_table),
        "b-hamming": (
            "F by Hamming threshold (smaller than), 32 bits, mean of sets (Figure 2)",
            hamming_table,
        ),
        "b-lexicons": ("Random lexicons, shingles of 2 (Table 1)", lexicon_table),
        "b-curves": (
            "Precision, recall and F by lexicons and Hamming threshold (smaller than), 32 bits",
            curve_table,
        ),
        "b-views": ("Best F, mean of sets (spread), by what could explain the paper's", view_table),
        "b-hashes": ("Best F by hash and by what counts, 32 bits, idf", hash_table),
        "b-rivals": ("Shingling and I-Match on the same data (section 4.2)", rival_table),
        "b-route": (
            "The product's route simhash: copies with a band in common with their source",
            route_table,
        ),
        "b-doc-q": ("doc_q on the same data", doc_q_table),
    }
    return {name: f"{caption}\n\n{made(figures)}" for name, (caption, made) in captions.items()}


def shingle_table(figures: dict[str, Any]) -> str:
    """The best F of each shingle size at both widths."""
    simhash = figures["simhash"][AS_MEASURED]
    rows: list[list[object]] = []
    for bits in WIDTHS:
        width = f"{bits} bits"
        plain = [("1, unweighted", simhash["plain"][width]["1"], None)]
        sized = [
            (k, one, PAPER_SHINGLES.get(int(k)) if bits == 32 else None)
            for k, one in simhash["shingles"][width].items()
        ]
        for k, one, paper in plain + sized:
            rows.append([bits, k, f"{paper:.4f}" if paper else "-", *_best(one)])
    header = [
        "bits",
        "shingle",
        "paper's F",
        "set 1: F",
        "at Hamming <",
        "F, mean of sets (spread)",
        "at Hamming <",
    ]
    return harness.table(header, rows)


def hamming_table(figures: dict[str, Any]) -> str:
    """F of each shingle size at each Hamming threshold."""
    shingles = figures["simhash"][AS_MEASURED]["shingles"]["32 bits"]
    rows = [
        [at + 1, *(f"{shingles[str(k)]['f'][at]:.3f}" for k in SHINGLES)]
        for at in (*range(16), *range(16, MOST_DISTANT, 5), MOST_DISTANT)
    ]
    return harness.table(["Hamming <", *(f"k = {k}" for k in SHINGLES)], rows)


def lexicon_table(figures: dict[str, Any]) -> str:
    """The best F of each number of lexicons."""
    lexicons = figures["simhash"][AS_MEASURED]["lexicons"]
    rows: list[list[object]] = []
    for count in LEXICONS:
        paper_f, at = PAPER_TABLE_1[count]
        narrow, wide = (_best(lexicons[f"{bits} bits"][str(count)]) for bits in WIDTHS)
        rows.append([count, f"{paper_f:.4f}", at, *narrow, *wide[2:]])
    header = [
        "lexicons",
        "paper's F",
        "at <",
        "set 1: F",
        "at <",
        "F, mean (spread)",
        "at <",
        "64 bits: F",
        "at <",
    ]
    return harness.table(header, rows)


def curve_table(figures: dict[str, Any]) -> str:
    """Precision, recall and F of some numbers of lexicons at each Hamming threshold."""
    lexicons = figures["simhash"][AS_MEASURED]["lexicons"]["32 bits"]
    columns = [(rate, count) for rate in RATES for count in SHOWN_LEXICONS]
    rows = [
        [at + 1, *(f"{lexicons[str(count)][rate][at]:.3f}" for rate, count in columns)] for at in range(16)
    ]
    return harness.table(["Hamming <", *(f"{rate[0].upper()}, n = {count}" for rate, count in columns)], rows)


def view_table(figures: dict[str, Any]) -> str:
    """The best F of everything at 32 bits, in each view of the distances."""
    kinds = (
        ("plain", "unweighted shingles of", (1,)), ("shingles", "shingles of", SHINGLES),
        ("lexicons", "lexicons:", LEXICONS),
    )  # fmt: skip
    rows = [
        [f"{name} {at}", *(_best_at(view[kind]["32 bits"][str(at)]) for view in figures["simhash"].values())]
        for kind, name, several in kinds
        for at in several
    ]
    return harness.table(["32 bits", *figures["simhash"]], rows)


def hash_table(figures: dict[str, Any]) -> str:
    """The best F by each hash, with and without repeated features."""
    columns = [(view, size) for view in (AS_MEASURED, MANY_STRANGERS) for size in SHOWN_SIZES]
    rows = [["paper", *[""] * len(SHOWN_SIZES), *(f"{PAPER_SHINGLES[size]:.4f}" for size in SHOWN_SIZES)]]
    rows += [
        [name, *(_best_at(ours[str(size)][view]) for view, size in columns)]
        for name, ours in figures["hashes"].items()
    ]
    return harness.table(["hash, features", *(f"k = {size}, {view}" for view, size in columns)], rows)


def rival_table(figures: dict[str, Any]) -> str:
    """The best F of each method, with precision and recall there."""
    rows = []
    for name, one in figures["rivals"].items():
        at = sorted({1 - at / STEPS for at in one["best_thresholds"]})
        where = "-" if one["yes_no"] else f"{at[0]:.2f}" + (f" to {at[-1]:.2f}" if len(at) > 1 else "")
        rows.append([
            name, f"{one['best_f']['mean']:.4f} ({one['best_f']['spread']:.4f})", where,
            f"{one['precision']:.3f}", f"{one['recall']:.3f}",
        ])  # fmt: skip
    return harness.table(["method", "F, mean (spread)", "best from threshold", "precision", "recall"], rows)


def route_table(figures: dict[str, Any]) -> str:
    """The share of copies that the route finds, by the share of edits."""
    rows = [
        [number, *(f"{met[str(share)]:.2f}" for share in SHARES)] for number, met in figures["route"].items()
    ]
    return harness.table(["simhashes a document", *(f"{share:.0%} edited" for share in SHARES)], rows)


def doc_q_table(figures: dict[str, Any]) -> str:
    """The best F of doc_q, and how low the copies of each share of edits go."""
    rows = [
        [name, f"{one['best_f']['mean']:.4f} ({one['best_f']['spread']:.4f})",
         ", ".join(f"{1 - at / STEPS:.2f}" for at in sorted(set(one["best_thresholds"]))),
         f"{one['nearest_stranger']:.3f}", *(f"{one['least_copy'][str(share)]:.3f}" for share in SHARES)]
        for name, one in figures["doc_q"].items()
    ]  # fmt: skip
    header = ["doc_q on", "F, mean (spread)", "best from threshold", "nearest stranger",
              *(f"least copy, {share:.0%}" for share in SHARES)]  # fmt: skip
    return harness.table(header, rows)


def _best_at(one: dict[str, Any]) -> str:
    """The mean and spread of F over the sets, and at which distances."""
    return " at Hamming < ".join(map(str, _best(one)[2:]))


def _best(one: dict[str, Any]) -> list[object]:
    """F of the first set and where; its mean and spread over all sets, and where.

    What was measured with a distance of at most h is the paper's "smaller than" h + 1.
    """
    thresholds = sorted(at + 1 for at in one["best_thresholds"])
    return [
        f"{one['set_1']['f']:.4f}", one["set_1"]["threshold"] + 1,
        f"{one['best_f']['mean']:.4f} ({one['best_f']['spread']:.4f})",
        f"{thresholds[0]}-{thresholds[-1]}" if thresholds[0] != thresholds[-1] else thresholds[0],
    ]  # fmt: skip
