"""The tables of yoon.py, the figures of Yoon et al. (2012) beside ours."""

from __future__ import annotations

from itertools import chain
from typing import Any

from benchmarks.lib import harness

DELTAS = tuple(range(10))
DELTA = 3
"""The paper's delta: a post with more known sentences than this is a duplicate."""
NEVER = 2.0
"""A containment that none reaches."""
PAPER_TABLE_2 = {
    "I-Match (Chowdhury02)": (88, 381_202, 2_421, 1.38, 87.35, 72.62, 79.31),
    "segments (Wang09)": (903, 3_623_531, 27_668, 0.82, 99.76, 90.80, 95.07),
    "sentence fingerprints": (891, 3_564_761, 24_540, 1.39, 99.48, 93.11, 96.18),
}
"""MB, hash entries, loading ms, request ms, precision, recall, F."""


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """The tables as Markdown, each with its caption, by what docs/experiments/yoon.md calls them."""
    captions = {
        "d-data": ("The data (Table 1)", data_table),
        "d-cutoffs": (f"Document frequency cut-off, delta = {DELTA} (Figures 5, 6)", cutoff_table),
        "d-delta": (f"Collisions, cut-off {figures['best_cutoff']} (Figure 7)", delta_table),
        "d-methods": ("Methods (Table 2)", method_table),
        "d-imatch": (
            "I-Match: a range of idf chosen on one half of the posts, measured on the other",
            imatch_table,
        ),
        "d-partial": ("The product's fingerprints counted as the paper does, or containment", partial_table),
        "d-kinds": ("Share of posts called duplicates, by kind", kind_table),
        "d-product": ("The product: neardup ingest --partial, containment 0.8", product_table),
        "d-naming": ("Originals named (the product's sentence fingerprints)", naming_table),
    }
    return {name: f"{caption}\n\n{made(figures)}" for name, (caption, made) in captions.items()}


def data_table(figures: dict[str, Any]) -> str:
    """Posts and articles beside the paper's."""
    about = figures["facts"]
    rows: list[list[object]] = [
        ["documents", 19_076, f"{about['posts']:,}", "432,162", f"{about['articles']:,}"]
    ]
    for name, theirs in (("sentences", (17.13, 11.57)), ("words", (11.34, 14.45))):
        ours = (f"{about[kind][name]:.2f}" for kind in ("post", "article"))
        rows.append([f"{name} a {'document' if name == 'sentences' else 'sentence'}",
                     *chain.from_iterable(zip(theirs, ours, strict=True))])  # fmt: skip
    return harness.table(["", "paper: posts", "ours", "paper: articles", "ours"], rows)


def imatch_table(figures: dict[str, Any]) -> str:
    """The best range on each half, and its figures on the other."""
    rows = [
        [row["chosen on"], row["name"].rpartition("idf ")[2], f"{100 * row['f there']:.2f}", *_percent(row)]
        for row in figures["imatch"]
    ]
    return harness.table(["chosen on half", "idf", "F there", "P on the other half", "R", "F"], rows)


def cutoff_table(figures: dict[str, Any]) -> str:
    """What each cut-off leaves, and its quality."""
    rows = [
        [row["cutoff"], row["common_words"], f"{row['words_left']:.2f}", f"{row['entries']:,}",
         *_percent(row["by_delta"][DELTA])]
        for row in figures["cutoffs"]
    ]  # fmt: skip
    return harness.table(["cut-off (share)", "common words", "words left", "entries", "P", "R", "F"], rows)


def delta_table(figures: dict[str, Any]) -> str:
    """The quality of each delta at the best cut-off, with the cut of 300 and without."""
    best = next(row for row in figures["cutoffs"] if row["cutoff"] == figures["best_cutoff"])
    rows = [
        [delta, *_percent(best["by_delta"][delta]), *_percent(figures["without_the_cut_of_300"][delta])]
        for delta in DELTAS
    ]
    return harness.table(["delta", "P", "R", "F", "P without the cut of 300", "R", "F"], rows)


def method_table(figures: dict[str, Any]) -> str:
    """The paper's rows, ours, containment and doc_q at their best, and the product."""
    rows: list[list[object]] = [
        [
            f"paper: {name}",
            mb,
            f"{entries:,}",
            loading,
            request,
            *(f"{value:.2f}" for value in judgement),
            *[""] * 3,
        ]
        for name, (mb, entries, loading, request, *judgement) in PAPER_TABLE_2.items()
    ]
    rows += [
        [row["name"], f"{row['bytes'] / 1e6:.2f}", f"{row['entries']:,}", f"{row['loading_ms']:.0f}",
         f"{row['request_ms']:.2f}", *_percent(row["all"]), *_percent(row["whole"])]
        for row in figures["table_2"]
    ]  # fmt: skip
    for name, part in (("containment", "all"), ("containment", "whole"), ("doc_q", "whole")):
        row = max(figures[name], key=lambda one: one[part]["f"])
        rows.append(
            [f"{name} >= {row['threshold']}", *[""] * 4, *_percent(row["all"]), *_percent(row["whole"])]
        )
    header = ["method", "MB", "hash entries", "loading ms", "request ms", "P", "R", "F",
              "whole copies: P", "R", "F"]  # fmt: skip
    return harness.table(header, rows)


def partial_table(figures: dict[str, Any]) -> str:
    """Each containment combined with each delta by "or"."""
    rows = [
        [
            "none" if choice[0]["threshold"] == NEVER else f"{choice[0]['threshold']:.2f}",
            *(" / ".join(_percent(row["all"])) for row in choice),
        ]
        for choice in list(zip(*figures["partial"].values(), strict=True))[::2]  # 0.4, 0.5 ... and none
    ]
    header = ["or containment of at least", *(f"delta = {delta}: P / R / F" for delta in figures["partial"])]
    return harness.table(header, rows)


def kind_table(figures: dict[str, Any]) -> str:
    """The share of each kind of post that a method calls duplicates."""
    sizes = figures["facts"]["kinds"]
    named = [(row["name"], row) for row in figures["table_2"]]
    some = {"containment": figures["containment"][::2], "doc_q": figures["doc_q"]}
    named += [(f"{name} >= {row['threshold']}", row) for name, rows in some.items() for row in rows]
    kinds = sorted(sizes)
    rows = [[name, *(f"{row['by_kind'][kind]:.3f}" for kind in kinds)] for name, row in named]
    return harness.table(["method", *(f"{kind} ({sizes[kind]:,})" for kind in kinds)], rows)


def product_table(figures: dict[str, Any]) -> str:
    """The product's verdicts against three truths, and the first of them on a second draw of the data."""
    rows = [
        [name, *_percent(row["all"]), f"{100 * figures['product, second draw'][name]['all']['f']:.2f}",
         *_percent(row["quoting"]), *_percent(row["naming"])]
        for name, row in figures["product"].items()
    ]  # fmt: skip
    header = ["called a duplicate if", "P", "R", "F", "F, second draw",
              "posts named that took two sentences: P", "R", "F",
              "originals named: P", "R", "F"]  # fmt: skip
    return harness.table(header, rows)


def naming_table(figures: dict[str, Any]) -> str:
    """The articles that each rule names, against those from which two sentences or more were taken."""
    rows = [
        ["-" if row["more_than"] is None else row["more_than"], row["containment"] or "-", row["named"],
         row["pairs"], *_percent(row)]
        for row in figures["naming"]
    ]  # fmt: skip
    return harness.table(["more sentences than", "or containment", "named", "originals", "P", "R", "F"], rows)


def _percent(row: dict[str, Any]) -> list[str]:
    return [f"{100 * row[name]:.2f}" for name in ("precision", "recall", "f")]
