"""Experiment C: sentence lengths as features of partial copies (Chang & Wang 2007, section 4).

Question   What do window size, step, dynamic jumping and the minimum matching threshold do to recall, precision, index
           and time? (Tables 1-4: 27 of 1,090 papers quoted in one query; Tables 5-7: 180 newspaper articles.)
Corpus     Papers and articles made of real sentences of passages20k with a made-up apparatus (see chang_wang_data.py);
           the paper's proceedings and its NTCIR-4 news are not available. Each part is measured on prose alone too.
Seed       20261121.
Measured   As in the paper: a document is an answer if any of its vectors matches the query file (t = 1), or t in a row;
           the quoted papers (articles) should be found. Sentences of papers end at `. ! ? ...`, those of articles also
           at commas, colons and semicolons, which fits the paper's figures best; the other choice is shown beside it.
           Times: from feature strings to an index in memory, and one search with the whole query file, in Python, in
           seconds of processor time.
Excluded   reading sentence lengths from text (reported separately), disk.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from benchmarks.lib import harness
from benchmarks.papers import chang_wang_data, prose
from benchmarks.papers.chang_wang_data import CLAUSE_MARKS, MARKS
from benchmarks.papers.chang_wang_tables import name_of, tables
from neardup.baselines.sentence_lengths import FeatureString, LengthIndex, feature_string

SEED = 20_261_121
PAPERS, QUOTED = 1_090, 27
QUOTED_A_COLLECTION = 30
CONFIGURATIONS = (
    (8, 1, False), (8, 1, True), (8, 2, False), (16, 1, False), (16, 1, True), (16, 2, False), (16, 4, False),
    (32, 1, False), (32, 1, True), (32, 4, False), (32, 8, False),
    (64, 1, False), (64, 1, True), (64, 8, False), (64, 16, False),
)  # fmt: skip
"""Table 1: window size, step, dynamic jumping."""
RANKED = (8, 1, True)
NEWS = ((8, 1, 1), (8, 1, 3), (8, 1, 5), (8, 1, 9), (16, 2, 1))


class Data(NamedTuple):
    """Documents as feature strings, the query file as one, and which documents it quotes."""

    strings: list[FeatureString]
    query: FeatureString
    quoted: frozenset[int]
    seconds: float

    def facts(self) -> dict[str, Any]:
        """Facts that help to read a table of figures."""
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
    made = chang_wang_data.papers(chain.from_iterable(passages), count, SEED, apparatus=apparatus)
    chosen = sorted(random.Random(f"{SEED}:quoted").sample(range(count), quoted))
    texts, queries = [paper.text for paper in made], [made[at].query for at in chosen]
    return {name: data_of(texts, queries, chosen, marks) for name, marks in MARKS.items()}


def news(
    args: argparse.Namespace, collections: dict[str, list[list[str]]], *, apparatus: bool
) -> dict[str, Data]:
    """The articles of six collections and the query of some paragraphs of each quoted one."""
    made = chang_wang_data.articles(collections, CLAUSE_MARKS, SEED, apparatus=apparatus)
    rng = random.Random(f"{SEED}:news")
    chosen: list[int] = []
    for name in collections:
        places = [at for at, article in enumerate(made) if article.collection == name]
        chosen += sorted(rng.sample(places, 3 if args.tiny else QUOTED_A_COLLECTION))
    queries = [chang_wang_data.excerpt(made[at], rng) for at in chosen]
    texts = [article.text for article in made]
    return {name: data_of(texts, queries, chosen, marks) for name, marks in MARKS.items()}


def build_index(data: Data, ws: int, sw: int, *, dynamic: bool = False) -> tuple[LengthIndex, float]:
    """An index of all documents, and the seconds to make it."""
    clock = harness.Clock()
    index = LengthIndex(ws, sw, dynamic=dynamic)
    for string in data.strings:
        index.add(string)
    return index, clock.took().cpu


def judge(data: Data, answers: Sequence[int]) -> dict[str, Any]:
    """Recognised, total, recall, precision and F1 of an answer."""
    recognised, total = len(data.quoted & set(answers)), len(answers)
    recall, precision = recognised / len(data.quoted), recognised / total if total else 1.0
    return {
        "recognised": recognised, "total": total, "recall": recall, "precision": precision,
        "f1": 2 * recall * precision / (recall + precision) if recognised else 0.0,
    }  # fmt: skip


def search(data: Data, index: LengthIndex, t: int = 1, most: int | None = None) -> dict[str, Any]:
    """One search with the query file: its time and results, the `most` best ones if that is given."""
    clock = harness.Clock()
    found = index.search(data.query, t)
    seconds = clock.took().cpu
    return {"search_seconds": seconds, **judge(data, [one.document for one in found[:most]])}


def on_papers(data: Data) -> dict[str, Any]:
    """Tables 1 to 4 on one set of papers."""
    rows: dict[str, Any] = {}
    for ws, sw, dynamic in CONFIGURATIONS:
        index, seconds = build_index(data, ws, sw, dynamic=dynamic)
        row = {"index_number": index.records, "index_seconds": seconds, "index_bytes": index.size()}
        rows[name_of(ws, sw, dynamic)] = row | search(data, index)
        if (ws, sw, dynamic) == RANKED:
            rows["ranked"] = search(data, index, most=len(data.quoted))
    return {"facts": data.facts(), "rows": rows}


def on_news(data: Data) -> dict[str, Any]:
    """Tables 6 and 7 on one set of articles."""
    indices, rows = {}, {}
    for ws, sw in dict.fromkeys((ws, sw) for ws, sw, _ in NEWS):
        index, seconds = build_index(data, ws, sw)
        indices[name_of(ws, sw, False)] = {"index_number": index.records, "index_seconds": seconds}
        for t in (t for one, other, t in NEWS if (one, other) == (ws, sw)):
            rows[f"{name_of(ws, sw, False)}, t={t}"] = search(data, index, t)
    return {"facts": data.facts(), "indices": indices, "rows": rows}


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the tables, writes chang-wang.json."""
    args = harness.options(__doc__).parse_args(arguments)
    collections = prose.collections(args.data, tiny=args.tiny)
    figures: dict[str, Any] = {"papers": {}, "news": {}}
    for text in ("apparatus", "prose alone"):
        for part, make, measure in (("papers", papers, on_papers), ("news", news, on_news)):
            for marks, data in make(args, collections, apparatus=text == "apparatus").items():
                figures[part][f"{text}, {marks}"] = measure(data)
                print(f"{part}, {text}, {marks}: done", file=sys.stderr, flush=True)
    harness.show(tables, harness.save(args, "chang-wang", figures))


if __name__ == "__main__":
    main()
