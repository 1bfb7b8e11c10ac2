"""Experiment A, the rest: time and memory as in Fig. 7 to 9 of Montanari & Puglisi (2012), and the width of the window.

Question   How long does a document take by the size of the corpus (Fig. 7), the hour (Fig. 8) and the length of the
           text (Fig. 9)? How much memory does q cost (section 4)? Is it worth it (section 5)? What share of the copies
           is within 24 hours of the original (section 3.6), and what do wider windows find and hold?
Corpus     passages20k, texts of 4 KB, for times and memory: its first documents, and for Fig. 9 the first 732 cut to a
           length or put together to reach it. For the width: all with a time in terms-contrib (recorded versions of
           terms of service, 2012 to 2026) and in spamassassin (mail, 2000 to 2003), in order of time.
Measured   Processor time of `ingest` into memory with the default settings, each run in a new window after one that
           compiled the kernels. Memory is the index's own estimate (`Stats.memory_bytes`). A copy is a document whose
           best match reaches 0.7; its gap is the time since that match.
Excluded   reading files.
Takes      Two minutes.
"""

from __future__ import annotations

import bisect
import gzip
import sys
from typing import TYPE_CHECKING, Any, Final

import orjson

import neardup
from benchmarks.lib import corpora, engine, harness
from neardup.model.times import parse_time

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

SIZES: Final = (1_000, 2_000, 4_000, 8_000, 16_000)
HOURLY, HOURS = 500, 4
LENGTHS: Final = (500, 1_000, 2_000, 5_000, 10_000, 20_000)
DOCUMENTS: Final = 732
QS: Final = (3, 4, 5, 8)
WIDTHS: Final = (1, 6, 24, 72, 168, 0)
"""Hours of a window; 0 means no limit."""
STREAMS: Final = ("terms-contrib", "spamassassin")
HOUR_MS: Final = 3_600_000


def microseconds(texts: Sequence[str]) -> float:
    """Processor time of a document, all of them in one window."""
    with neardup.open(None, settings=engine.settings()) as window:
        clock = harness.Clock()
        for _ in window.ingest(engine.documents(map(str, range(len(texts))), texts)):
            pass
        return 1e6 * clock.took().cpu / max(1, len(texts))


def by_hour(texts: Sequence[str], hourly: int) -> list[float]:
    """Processor time of a document in each of four hours, one window for all."""
    spans = []
    with neardup.open(None, settings=engine.settings(window_hours=24)) as window:
        for hour in range(HOURS):
            some = texts[hour * hourly : (hour + 1) * hourly]
            first = engine.FIRST_MS + hour * HOUR_MS
            clock = harness.Clock()
            documents = (neardup.Document(f"{hour}-{at}", text, first + at) for at, text in enumerate(some))
            for _ in window.ingest(documents):
                pass
            spans.append(1e6 * clock.took().cpu / max(1, len(some)))
    return spans


def of_length(texts: Sequence[str], length: int, count: int) -> list[str]:
    """`count` texts of `length` characters, each of passages of its own."""
    each = -(-length // min(map(len, texts)))
    joined = ["".join(texts[at : at + each]) for at in range(0, len(texts) - each + 1, each)]
    return [one[:length] for one in joined[:count]]


def memory(texts: Sequence[str], q: int) -> float:
    """Bytes of the index, a document."""
    with neardup.open(None, settings=engine.settings(), recipe=neardup.Recipe(q=q)) as window:
        for _ in window.ingest(engine.documents(map(str, range(len(texts))), texts)):
            pass
        return window.stats().memory_bytes / len(texts)


def stream(args: argparse.Namespace, name: str) -> list[neardup.Document]:
    """The documents of a corpus that have a time, in its order."""
    if args.tiny:
        texts = corpora.load(args.data, name, tiny=True).texts[:100]
        return [
            neardup.Document(str(at), text, engine.FIRST_MS + at * HOUR_MS) for at, text in enumerate(texts)
        ]
    with gzip.open(args.data / f"{name}.jsonl.gz") as lines:
        records = [record for record in map(orjson.loads, lines) if record.get("timestamp")]
    made = (neardup.Document(one["id"], one["text"], parse_time(one["timestamp"])) for one in records)
    return sorted(made, key=lambda document: (document.time, document.id))


def on_width(documents: Sequence[neardup.Document], hours: int) -> dict[str, Any]:
    """Copies found in a window of `hours`, the gaps to their best matches, and the most documents that it held."""
    times = [parse_time(document.time) for document in documents]
    at = {document.id: time for document, time in zip(documents, times, strict=True)}
    with neardup.open(None, settings=engine.settings(window_hours=hours)) as window:
        rejects: list[neardup.Reject] = []
        verdicts = list(window.ingest(documents, on_reject=rejects.append))
    gaps = sorted(
        (at[verdict.id] - at[verdict.duplicate_of]) / HOUR_MS for verdict in verdicts if verdict.duplicate_of
    )
    reach = (hours or 10**9) * HOUR_MS
    held = max(place - bisect.bisect_left(times, time - reach) + 1 for place, time in enumerate(times))
    return {"copies": len(gaps), "most_held": held, "rejected": len(rejects), "gaps": gaps}


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """All figures."""
    texts = corpora.load(args.data, "passages20k", tiny=args.tiny).texts
    part = 10 if args.tiny else 1
    microseconds(texts[: HOURLY // part])  # compiles
    by_size = {
        size // part: microseconds(texts[: size // part]) for size in SIZES if size // part <= len(texts)
    }
    lengths = {
        length: microseconds(of_length(texts, length, DOCUMENTS // part))
        for length in LENGTHS[: 3 if part > 1 else 9]
    }
    figures = {
        "by_size": by_size, "by_hour": by_hour(texts, HOURLY // part), "by_length": lengths,
        "memory": {q: memory(texts[: SIZES[1] // part], q) for q in QS},
    }  # fmt: skip
    print("times: done", file=sys.stderr, flush=True)
    widths: dict[str, Any] = {}
    for name in STREAMS:
        documents = stream(args, name)
        widths[name] = {"documents": len(documents), "widths": {}}
        for hours in WIDTHS:
            found = on_width(documents, hours)
            gaps = found.pop("gaps")
            widths[name]["widths"][hours] = found
            if not hours:
                within = {
                    width: bisect.bisect_right(gaps, width) / max(1, len(gaps)) for width in WIDTHS[:-1]
                }
                widths[name]["within"] = within
        print(f"{name}: done", file=sys.stderr, flush=True)
    return figures | {"widths": widths}


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """Time, memory, and the width of the window."""
    return {"a-times": times_table(figures), "a-width": width_table(figures)}


def _row(name: str, by: Iterable[tuple[str, float]], unit: str) -> list[str]:
    return [name, "; ".join(f"{key}: {value:,.0f}" for key, value in by), unit]


def times_table(figures: dict[str, Any]) -> str:
    """A row a figure of the paper."""
    hours = [(f"hour {at}", value) for at, value in enumerate(figures["by_hour"])]
    rows = [
        _row(
            "documents before (Fig. 7)",
            ((f"{int(n):,}", v) for n, v in figures["by_size"].items()),
            "µs a document",
        ),
        _row(f"hour of {HOURLY} documents (Fig. 8)", hours, "µs a document"),
        _row(
            "characters (Fig. 9)",
            ((f"{int(n):,}", v) for n, v in figures["by_length"].items()),
            "µs a document",
        ),
        _row("q", ((f"q = {q}", v) for q, v in figures["memory"].items()), "bytes of memory a document"),
    ]
    return f"Time and memory (Figures 7 to 9)\n\n{harness.table(['against', 'measured', 'unit'], rows)}"


def width_table(figures: dict[str, Any]) -> str:
    """A row a width of the window."""
    rows = []
    for name, one in figures["widths"].items():
        for hours, found in one["widths"].items():
            share = one["within"].get(str(hours), one["within"].get(hours, 1.0))
            rows.append([
                name, f"{hours} h" if int(hours) else "no limit", f"{found['copies']:,}", f"{share:.0%}",
                f"{found['most_held']:,}",
            ])  # fmt: skip
    header = ["stream", "window", "copies found", "gap to the best match within it", "documents held at most"]
    return f"The width of the window (section 3.6)\n\n{harness.table(header, rows)}"


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the tables, writes montanari-window.json."""
    args = harness.options(__doc__).parse_args(arguments)
    harness.show(tables, harness.save(args, "montanari-window", measure(args)))


if __name__ == "__main__":
    main()
