"""Figures of a cluster, made from the results of elastic/."""

from __future__ import annotations

import statistics
from typing import Any

from benchmarks.lib.figure import Figure, at_least, at_most, grouped

_COSTS = {
    "pipeline": ("through the pipeline", 2.0, "1.6", 3.0, "2.2"),
    "pipeline, no q-grams": ("the same, `--no-lossless`", 1.5, "1.3", 1.8, "1.5"),
    "ingest": ("`neardup ingest`", 2.5, "1.8", None, ""),
}
"""For each way: its words; the time and disk demanded relative to a bare document, each with its aim."""
_OTHER_COSTS = {
    "bare, packed": "bare, `best_compression`",
    "pipeline, terms": "through the pipeline, `--terms`",
    "pipeline, no q-grams, no words": "the same, `--no-lossless --no-words`",
    "ingest, no q-grams, no words": "`neardup ingest`, `--no-lossless --no-words`",
}


def cluster(figures: Any) -> list[Figure]:
    """Verdicts compared with those of the embedded engine, and their cost compared with indexing."""
    rows = []
    for row in figures["verdicts"]:
        level, documents, wrong = row["level"], row["documents"], row["different_verdicts"]
        what = f"verdicts other than the embedded engine's, 25 hourly indices, `{level}`: 0"
        rows.append(at_most(what, 0, "", wrong, f"{wrong} of {documents:,}"))
        least = 1.0 if level == "complete" else 0.9999
        shown = f"{row['found']:,} of {row['pairs']:,}"
        rows.append(
            at_least(
                f"recall of the pairs of doc_q 0.7, `{level}`: {least}", least, "1.0", row["recall"], shown
            )
        )
    shares, ratios = (
        [row[name] for row in figures[part]] for part, name in (("rate", "share"), ("signing", "ratio"))
    )
    searched = [row["ratio"] for row in figures["search"]]
    what = "rate of `ingest` with verdicts as a share of indexing through the same pipeline: 0.2"
    rows.append(at_least(what, 0.2, "0.5", statistics.median(shares), _each(shares)))
    what = "signing in the node against the same fields from the client: at most 1.3 times"
    rows.append(at_most(what, 1.3, "", statistics.median(ratios), _each(ratios)))
    what = "sketch search against the lossless `bool`, 25 hourly indices: at most 1/4"
    rows.append(
        at_most(
            what, 0.25, "", statistics.median(searched), ", ".join(f"1/{1 / each:.0f}" for each in searched)
        )
    )
    return rows


def cost(figures: Any) -> list[Figure]:
    """A signed document beside a bare one: medians of the rounds."""
    ways, rows = figures["ways"], []
    wall, busy = (
        {name: statistics.median(way[kind]) for name, way in ways.items()}
        for kind in ("seconds", "processor")
    )
    size = {name: way["bytes"]["store"] for name, way in ways.items()}

    def time_of(name: str) -> tuple[float, str]:
        ratio = wall[name] / wall["bare"]
        return ratio, f"{ratio:.2f} times (of the processor {busy[name] / busy['bare']:.2f})"

    def disk_of(name: str) -> tuple[float, str]:
        ratio = size[name] / size["bare"]
        return ratio, f"{ratio:.2f} times ({size[name]:,.0f} against {size['bare']:,.0f} bytes)"

    for name, (words, longest, aim, largest, disk_aim) in _COSTS.items():
        ratio, shown = time_of(name)
        rows.append(
            at_most(
                f"{words}: at most {longest} times the time of a bare document", longest, aim, ratio, shown
            )
        )
        if largest is not None:
            ratio, shown = disk_of(name)
            rows.append(
                at_most(f"{words}: at most {largest} times its disk", largest, disk_aim, ratio, shown)
            )
    for name, words in _OTHER_COSTS.items():
        if name in ways:
            rows.append(Figure(words, "", f"{time_of(name)[1]}; disk {disk_of(name)[1]}", None))
    signed = statistics.median(ways["pipeline"]["signing"])
    bare = 1e6 * wall["bare"] / figures["documents"]
    rows.append(
        Figure(
            "a bare document; signing of it", "", f"{bare:.0f} us; {signed:.0f} us, as the node says", None
        )
    )
    return rows


def query(figures: Any) -> list[Figure]:
    """The query `neardup`: exact, and how fast beside Elasticsearch's own."""
    asked, wrong = (sum(row[name] for row in figures["exact"]) for name in ("asked", "mismatches"))
    what = "questions answered otherwise than by brute force, in ids or scores: 0"
    rows = [at_most(what, 0, "0", wrong, f"{wrong} of {asked:,}")]
    for (place, state), same in grouped(figures["speed"], "place", "state").items():
        middle = statistics.median(row["of_bool"] for row in same)
        each = ", ".join(f"1/{1 / row['of_bool']:.0f}" for row in same)
        own, other = (", ".join(f"{row[f'{way}_ms']:.1f}" for row in same) for way in ("neardup", "bool"))
        what = f"{place}, {state}: at most 1/10 of the time of the lossless `bool`"
        rows.append(at_most(what, 0.1, "1/20", middle, f"{each} ({own} against {other} ms)"))
        for way, words in (
            ("terms", "the same window with `--terms`"),
            ("prefix", "a `bool` over a rare prefix"),
        ):
            shown = ", ".join(f"{row['neardup_ms'] / row[f'{way}_ms']:.2f}" for row in same)
            rows.append(Figure(f"{place}, {state}: times that of {words}", "", shown, None))
    return rows


def search(figures: Any) -> list[Figure]:
    """Scorers that hold no window: documents per second, medians of the rounds."""
    wrong, scored = figures["wrong"], figures["verdicts"]
    rows = [
        at_most("verdicts other than those of a window in memory: 0", 0, "", wrong, f"{wrong} of {scored:,}")
    ]
    for state in ("as written", "merged"):
        rates = {way: statistics.median(each) for way, each in figures[state]["rates"].items()}
        where = f"hours {state} ({figures[state]['segments']} segments)"
        for way in ("ingest", "watch"):
            what = f"{where}, `{way}` that searches: 100 documents a second"
            rows.append(at_least(what, 100, "300", rates[way], f"{rates[way]:.0f}"))
        times = rates["two watches"] / rates["watch"]
        what = f"{where}, two of `watch`: 1.6 times one"
        rows.append(at_least(what, 1.6, "", times, f"{times:.2f} times ({rates['two watches']:.0f})"))
        rows.append(
            Figure(f"{where}, `ingest` with its window in memory", "", f"{rates['memory']:.0f}", None)
        )
    return rows


def kill(figures: Any) -> list[Figure]:
    """Windows whose writer or node was killed: `kill.py` ends with an error if anything differs."""
    return [
        Figure(
            f"{kind}: all documents there once, with the verdicts of a run that nobody disturbed", "",
            f"{found['documents']:,} documents, {found['kills']} kills, {found['turns_lost']} in the middle of a batch",
            None,
        )
        for kind, found in figures.items()
    ]  # fmt: skip


def _each(values: list[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)
