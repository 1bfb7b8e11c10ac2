"""Experiment C: sentence lengths as features of partial copies (Chang & Wang 2007, section 4).

Question   What do window size, step, dynamic jumping and the minimum matching threshold do to recall, precision, index
           and time? (Tables 1-4: 27 of 1,090 papers quoted in one query; Tables 5-7: 180 newspaper articles.)
Corpus     Papers and articles of the real sentences of passages20k with a made-up apparatus (generators_c.py says how):
           the paper's proceedings and its NTCIR-4 news cannot be had. Each part is measured on prose alone too.
Seed       20261121.
Measured   As there: a document is an answer if any of its vectors matches the query file (t = 1), or t in a row; the
           papers (articles) that were quoted are what should be found. Sentences of papers end at `. ! ? ...`, those of
           articles at commas, colons and semicolons too, which the paper's figures fit best; the other choice stands
           beside it.
           Times: from feature strings to an index in memory, and one search with the whole query file, in Python, in
           seconds of processor time.
Excluded   reading sentence lengths from text (told apart), disk.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from benchmarks import generators_c, harness, prose
from neardup.baselines.sentence_lengths import (
    CLAUSE_MARKS,
    SENTENCE_MARKS,
    FeatureString,
    LengthIndex,
    feature_string,
)

SEED = 20_261_121
PAPERS, QUOTED = 1_090, 27
QUOTED_A_COLLECTION = 30
CONFIGURATIONS = (
    (8, 1, False), (8, 1, True), (8, 2, False), (16, 1, False), (16, 1, True), (16, 2, False), (16, 4, False),
    (32, 1, False), (32, 1, True), (32, 4, False), (32, 8, False),
    (64, 1, False), (64, 1, True), (64, 8, False), (64, 16, False),
)  # fmt: skip
"""Table 1: window size, step, dynamic jumping."""
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
RANKED = (8, 1, True)
PAPER_RANKED = (25, 27, 0.926)
NEWS = ((8, 1, 1), (8, 1, 3), (8, 1, 5), (8, 1, 9), (16, 2, 1))
PAPER_NEWS = {
    (8, 1, 1): (0.156, 178, 230, 0.868), (8, 1, 3): (0.172, 175, 198, 0.926), (8, 1, 5): (0.188, 163, 168, 0.937),
    (8, 1, 9): (0.188, 143, 146, 0.877), (16, 2, 1): (0.094, 139, 141, 0.866),
}  # fmt: skip
"""Table 7: time, recognised, total, F1."""
PAPER_NEWS_INDEX = {(8, 1): (5_356_152, 2_100.49), (16, 2): (2_195_642, 274.58)}


class Data(NamedTuple):
    """Documents as feature strings, the query file as one, and which documents it quotes."""

    strings: list[FeatureString]
    query: FeatureString
    quoted: frozenset[int]
    seconds: float

    def facts(self) -> dict[str, Any]:
        """What a table of figures should be read with."""
        lengths = list(chain.from_iterable(self.strings))
        return {
            "documents": len(self.strings), "quoted": len(self.quoted), "query_sentences": len(self.query),
            "sentences_per_document": len(lengths) / len(self.strings),
            "words_per_sentence": sum(lengths) / len(lengths),
            "seconds_from_text": self.seconds,
        }  # fmt: skip


def data_of(texts: Sequence[str], queries: Sequence[str], quoted: Sequence[int], marks: str) -> Data:
    """Texts and the query file turned into sentence lengths."""
    clock = harness.Clock()
    strings = [feature_string(text, marks) for text in texts]
    query = feature_string("\n\n".join(queries), marks)
    return Data(strings, query, frozenset(quoted), clock.took().cpu)


def papers(
    args: argparse.Namespace, collections: dict[str, list[list[str]]], *, apparatus: bool
) -> dict[str, Data]:
    """The papers and the query of quoted introductions and conclusions, by each choice of delimiters."""
    count, quoted = (12, 4) if args.tiny else (PAPERS, QUOTED)
    passages = list(chain.from_iterable(collections.values()))
    random.Random(f"{SEED}:order").shuffle(passages)
    made = generators_c.papers(chain.from_iterable(passages), count, SEED, apparatus=apparatus)
    chosen = sorted(random.Random(f"{SEED}:quoted").sample(range(count), quoted))
    texts, queries = [paper.text for paper in made], [made[at].query for at in chosen]
    return {name: data_of(texts, queries, chosen, marks) for name, marks in MARKS.items()}


MARKS = {"sentences": SENTENCE_MARKS, "clauses": CLAUSE_MARKS}


def news(
    args: argparse.Namespace, collections: dict[str, list[list[str]]], *, apparatus: bool
) -> dict[str, Data]:
    """The articles of six collections and the query of some paragraphs of each quoted one."""
    made = generators_c.articles(collections, CLAUSE_MARKS, SEED, apparatus=apparatus)
    rng = random.Random(f"{SEED}:news")
    chosen: list[int] = []
    for name in collections:
        places = [at for at, article in enumerate(made) if article.collection == name]
        chosen += sorted(rng.sample(places, 3 if args.tiny else QUOTED_A_COLLECTION))
    queries = [generators_c.excerpt(made[at], rng) for at in chosen]
    texts = [article.text for article in made]
    return {name: data_of(texts, queries, chosen, marks) for name, marks in MARKS.items()}


def indexed(data: Data, ws: int, sw: int, *, dynamic: bool = False) -> tuple[LengthIndex, float]:
    """An index of all documents, and the seconds that it took."""
    clock = harness.Clock()
    index = LengthIndex(ws, sw, dynamic=dynamic)
    for string in data.strings:
        index.add(string)
    return index, clock.took().cpu


def judged(data: Data, answers: Sequence[int]) -> dict[str, Any]:
    """Recognised, total, recall, precision and F1 of an answer."""
    recognised, total = len(data.quoted & set(answers)), len(answers)
    recall, precision = recognised / len(data.quoted), recognised / total if total else 1.0
    return {
        "recognised": recognised, "total": total, "recall": recall, "precision": precision,
        "f1": 2 * recall * precision / (recall + precision) if recognised else 0.0,
    }  # fmt: skip


def searched(data: Data, index: LengthIndex, t: int = 1, most: int | None = None) -> dict[str, Any]:
    """One search with the query file: its time and what is found, the `most` best if that is given."""
    clock = harness.Clock()
    found = index.search(data.query, t)
    seconds = clock.took().cpu
    return {"search_seconds": seconds, **judged(data, [one.document for one in found[:most]])}


def name_of(ws: int, sw: int, dynamic: bool) -> str:
    """The paper's name of a configuration."""
    return f"WS{ws}SW{sw}{'wDJ' if dynamic else ''}"


def on_papers(data: Data) -> dict[str, Any]:
    """Tables 1 to 4 on one set of papers."""
    rows: dict[str, Any] = {}
    for ws, sw, dynamic in CONFIGURATIONS:
        index, seconds = indexed(data, ws, sw, dynamic=dynamic)
        row = {"index_number": index.records, "index_seconds": seconds, "index_bytes": index.size()}
        rows[name_of(ws, sw, dynamic)] = row | searched(data, index)
        if (ws, sw, dynamic) == RANKED:
            rows["ranked"] = searched(data, index, most=len(data.quoted))
    return {"facts": data.facts(), "rows": rows}


def on_news(data: Data) -> dict[str, Any]:
    """Tables 6 and 7 on one set of articles."""
    indices, rows = {}, {}
    for ws, sw in dict.fromkeys((ws, sw) for ws, sw, _ in NEWS):
        index, seconds = indexed(data, ws, sw)
        indices[name_of(ws, sw, False)] = {"index_number": index.records, "index_seconds": seconds}
        for t in (t for one, other, t in NEWS if (one, other) == (ws, sw)):
            rows[f"{name_of(ws, sw, False)}, t={t}"] = searched(data, index, t)
    return {"facts": data.facts(), "indices": indices, "rows": rows}


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """The tables as Markdown, each with its caption, by what docs/experiments.md calls them."""
    main_papers, main_news = figures["papers"]["apparatus, sentences"], figures["news"]["apparatus, clauses"]
    rows: list[list[object]] = []
    for name, (number, index_time, search_time, *_) in PAPER.items():
        row = main_papers["rows"][name]
        rows.append([name, f"{number:,}", f"{row['index_number']:,}", index_time, f"{row['index_seconds']:.2f}",
                     search_time, f"{row['search_seconds']:.4f}"])  # fmt: skip
    header = [
        "configuration",
        "paper: index number",
        "ours",
        "paper: index s",
        "ours",
        "paper: search s",
        "ours",
    ]
    found = {"c-index": "Index and times (Tables 1, 2)\n\n" + harness.table(header, rows)}
    rows = []
    for name, (*_, recognised, total, f1) in PAPER.items():
        ours = [figures["papers"][kind]["rows"][name] for kind in KINDS]
        rows.append([name, f"{recognised} of {total}", f1, *_judgements(ours)])
    ranked = [figures["papers"][kind]["rows"]["ranked"] for kind in KINDS]
    rows.append(
        [
            "WS8SW1wDJ, top 27",
            f"{PAPER_RANKED[0]} of {PAPER_RANKED[1]}",
            PAPER_RANKED[2],
            *_judgements(ranked),
        ]
    )
    header = [
        "configuration",
        "paper: found of total",
        "F1",
        *chain.from_iterable((kind, "F1") for kind in KINDS),
    ]
    found["c-papers"] = "Quoted papers found (Tables 3, 4)\n\n" + harness.table(header, rows)
    rows = []
    for (ws, sw), (number, seconds) in PAPER_NEWS_INDEX.items():
        ours = main_news["indices"][name_of(ws, sw, False)]
        rows.append([name_of(ws, sw, False), f"{number:,}", f"{ours['index_number']:,}", seconds,
                     f"{ours['index_seconds']:.2f}"])  # fmt: skip
    header = ["configuration", "paper: index number", "ours", "paper: index s (disk)", "ours (memory)"]
    found["c-news-index"] = "News: index (Table 6)\n\n" + harness.table(header, rows)
    rows = []
    for (ws, sw, t), (seconds, recognised, total, f1) in PAPER_NEWS.items():
        name = f"{name_of(ws, sw, False)}, t={t}"
        judgements = _judgements([figures["news"][kind]["rows"][name] for kind in KINDS])
        rows.append([name, seconds, f"{main_news['rows'][name]['search_seconds']:.4f}", f"{recognised} of {total}", f1,
                     *judgements])  # fmt: skip
    header = ["configuration", "paper: s", "ours", "paper: found of total", "F1",
              *chain.from_iterable((kind, "F1") for kind in KINDS)]  # fmt: skip
    found["c-news"] = "News: thresholds (Table 7)\n\n" + harness.table(header, rows)
    header = [
        "data",
        "documents",
        "quoted",
        "sentences a document",
        "words a sentence",
        "query's sentences",
        "s from text",
    ]
    rows = [
        [f"{part}: {kind}", facts["documents"], facts["quoted"], f"{facts['sentences_per_document']:.1f}",
         f"{facts['words_per_sentence']:.1f}", facts["query_sentences"], f"{facts['seconds_from_text']:.1f}"]
        for part in ("papers", "news") for kind in KINDS
        for facts in [figures[part][kind]["facts"]]
    ]  # fmt: skip
    found["c-data"] = "The data\n\n" + harness.table(header, rows)
    return found


KINDS = tuple(f"{text}, {marks}" for marks in MARKS for text in ("apparatus", "prose alone"))


def _judgements(found: Sequence[dict[str, Any]]) -> list[object]:
    cells: list[object] = []
    for one in found:
        cells += [f"{one['recognised']} of {one['total']}", f"{one['f1']:.3f}"]
    return cells


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the tables, writes experiment-c.json."""
    args = harness.options(__doc__).parse_args(arguments)
    collections = prose.collections(args.data, tiny=args.tiny)
    figures: dict[str, Any] = {"papers": {}, "news": {}}
    for text in ("apparatus", "prose alone"):
        for part, make, measure in (("papers", papers, on_papers), ("news", news, on_news)):
            for marks, data in make(args, collections, apparatus=text == "apparatus").items():
                figures[part][f"{text}, {marks}"] = measure(data)
                print(f"{part}, {text}, {marks}: done", file=sys.stderr, flush=True)
    harness.show(tables, harness.save(args, "experiment-c", figures))


if __name__ == "__main__":
    main()
