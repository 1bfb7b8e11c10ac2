"""The tables of chang_wang.py, the figures of Chang & Wang (2007) beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from benchmarks.lib import harness
from benchmarks.papers.chang_wang_data import MARKS

PAPER = {
    "WS8SW1": (545_254, 2.233, 6.469, 26, 570, 0.087), "WS8SW1wDJ": (508_468, 2.096, 1.766, 26, 353, 0.137),
    "WS8SW2": (273_442, 0.984, 3.204, 26, 459, 0.107), "WS16SW1": (536_642, 2.475, 0.219, 24, 24, 0.941),
    "WS16SW1wDJ": (501_422, 2.310, 0.172, 24, 24, 0.941), "WS16SW2": (269_135, 0.951, 0.156, 24, 24, 0.941),
    "WS16SW4": (135_386, 0.404, 0.109, 23, 23, 0.920), "WS32SW1": (519_426, 3.132, 0.344, 12, 12, 0.615),
    "WS32SW1wDJ": (486_835, 2.716, 0.297, 12, 12, 0.615), "WS32SW4": (131_082, 0.479, 0.141, 12, 12, 0.615),
    "WS32SW8": (66_338, 0.209, 0.078, 12, 12, 0.615), "WS64SW1": (485_134, 3.457, 0.125, 1, 1, 0.071),
    "WS64SW1wDJ": (456_995, 3.121, 0.125, 1, 1, 0.071), "WS64SW8": (62_039, 0.310, 0.078, 1, 1, 0.071),
    "WS64SW16": (31_827, 0.139, 0.062, 1, 1, 0.071),
}  # fmt: skip
"""Tables 1 to 3: index number, index time, search time, recognised, total, F1."""
PAPER_RANKED = (25, 27, 0.926)
PAPER_NEWS = {
    (8, 1, 1): (0.156, 178, 230, 0.868), (8, 1, 3): (0.172, 175, 198, 0.926), (8, 1, 5): (0.188, 163, 168, 0.937),
    (8, 1, 9): (0.188, 143, 146, 0.877), (16, 2, 1): (0.094, 139, 141, 0.866),
}  # fmt: skip
"""Table 7: time, recognised, total, F1."""
PAPER_NEWS_INDEX = {(8, 1): (5_356_152, 2_100.49), (16, 2): (2_195_642, 274.58)}
"""Table 6: index number, index time."""
KINDS = tuple(f"{text}, {marks}" for marks in MARKS for text in ("apparatus", "prose alone"))
"""Of the data: with the made-up apparatus or without, by each choice of delimiters."""
PAPERS_AS_THERE, NEWS_AS_THERE = "apparatus, sentences", "apparatus, clauses"
"""The kinds that are nearest to the paper's."""


def name_of(ws: int, sw: int, dynamic: bool) -> str:
    """The paper's name of a configuration."""
    return f"WS{ws}SW{sw}{'wDJ' if dynamic else ''}"


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """The tables as Markdown, each with its caption, by what docs/experiments/chang_wang.md calls them."""
    captions: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
        "c-index": ("Index and times (Tables 1, 2)", index_table),
        "c-papers": ("Quoted papers found (Tables 3, 4)", paper_table),
        "c-news-index": ("News: index (Table 6)", news_index_table),
        "c-news": ("News: thresholds (Table 7)", news_table),
        "c-data": ("The data", data_table),
    }
    return {name: f"{caption}\n\n{made(figures)}" for name, (caption, made) in captions.items()}


def index_table(figures: dict[str, Any]) -> str:
    """Size of the index, time to make it and time to search it, of each configuration."""
    ours = figures["papers"][PAPERS_AS_THERE]["rows"]
    rows: list[list[object]] = [
        [name, f"{number:,}", f"{ours[name]['index_number']:,}", index_time, f"{ours[name]['index_seconds']:.2f}",
         search_time, f"{ours[name]['search_seconds']:.4f}"]
        for name, (number, index_time, search_time, *_) in PAPER.items()
    ]  # fmt: skip
    header = [
        "configuration",
        "paper: index number",
        "ours",
        "paper: index s",
        "ours",
        "paper: search s",
        "ours",
    ]
    return harness.table(header, rows)


def paper_table(figures: dict[str, Any]) -> str:
    """The quoted papers that each configuration finds, on each kind of data."""
    rows: list[list[object]] = []
    for name, (*_, recognised, total, f1) in PAPER.items():
        ours = [figures["papers"][kind]["rows"][name] for kind in KINDS]
        rows.append([name, f"{recognised} of {total}", f1, *_judgements(ours)])
    recognised, total, f1 = PAPER_RANKED
    ranked = [figures["papers"][kind]["rows"]["ranked"] for kind in KINDS]
    rows.append(["WS8SW1wDJ, top 27", f"{recognised} of {total}", f1, *_judgements(ranked)])
    header = ["configuration", "paper: found of total", "F1", *_kinds_with_f1()]
    return harness.table(header, rows)


def news_index_table(figures: dict[str, Any]) -> str:
    """Size of the index of articles and time to make it."""
    rows: list[list[object]] = []
    for (ws, sw), (number, seconds) in PAPER_NEWS_INDEX.items():
        name = name_of(ws, sw, False)
        ours = figures["news"][NEWS_AS_THERE]["indices"][name]
        rows.append(
            [name, f"{number:,}", f"{ours['index_number']:,}", seconds, f"{ours['index_seconds']:.2f}"]
        )
    header = ["configuration", "paper: index number", "ours", "paper: index s (disk)", "ours (memory)"]
    return harness.table(header, rows)


def news_table(figures: dict[str, Any]) -> str:
    """The quoted articles found at each minimum matching threshold."""
    rows: list[list[object]] = []
    for (ws, sw, t), (seconds, recognised, total, f1) in PAPER_NEWS.items():
        name = f"{name_of(ws, sw, False)}, t={t}"
        search_seconds = figures["news"][NEWS_AS_THERE]["rows"][name]["search_seconds"]
        judgements = _judgements([figures["news"][kind]["rows"][name] for kind in KINDS])
        rows.append([name, seconds, f"{search_seconds:.4f}", f"{recognised} of {total}", f1, *judgements])
    header = ["configuration", "paper: s", "ours", "paper: found of total", "F1", *_kinds_with_f1()]
    return harness.table(header, rows)


def data_table(figures: dict[str, Any]) -> str:
    """Sizes of the made-up papers and articles."""
    header = ["data", "documents", "quoted", "sentences a document", "words a sentence", "query's sentences",
              "s from text"]  # fmt: skip
    rows = [
        [f"{part}: {kind}", facts["documents"], facts["quoted"], f"{facts['sentences_per_document']:.1f}",
         f"{facts['words_per_sentence']:.1f}", facts["query_sentences"], f"{facts['seconds_from_text']:.1f}"]
        for part in ("papers", "news") for kind in KINDS
        for facts in [figures[part][kind]["facts"]]
    ]  # fmt: skip
    return harness.table(header, rows)


def _kinds_with_f1() -> list[str]:
    """The heads of the columns that `_judgements` fills."""
    return list(chain.from_iterable((kind, "F1") for kind in KINDS))


def _judgements(rows: Sequence[dict[str, Any]]) -> list[object]:
    """Two cells a row: what was recognised of what was answered, and F1."""
    cells: list[object] = []
    for one in rows:
        cells += [f"{one['recognised']} of {one['total']}", f"{one['f1']:.3f}"]
    return cells
