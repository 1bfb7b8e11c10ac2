"""Figures of time and memory, made from the results of speed/."""

from __future__ import annotations

from typing import Any

from benchmarks.lib.figure import Figure, at_least, at_most


def throughput(rounds: Any) -> list[Figure]:
    """passages20k in memory, beside the approximate peers: minima of the rounds; F1 is the same in each."""
    own = min(run["us"] for run in rounds["sketch"])

    def against(name: str) -> tuple[float, str]:
        peer = min(run["us"] for run in rounds[name])
        f1 = rounds[name][0]["f1"]
        return peer / own, f"{own:.1f} against {peer:.1f} us/doc; F1 {f1:.3f}"

    figures = []
    ratio, shown = against("fastsketch")
    what = "FastSketchLSH (128 values, 16 bands, fed by numpy in batches of 500): its time or less"
    figures.append(at_most(what, 1.0, "0.6 times", 1 / ratio, f"{1 / ratio:.2f} times: {shown}"))
    for what, name, least, aim in (
        ("rensa (RMinHash 128, char-4, 16 bands of 8): 7 times as fast", "rensa", 7, "12 times"),
        ("rensa fed by numpy: 3 times", "rensa-bytes", 3, "5 times"),
        ("gaoya (char-4, 32 bands of 4, filter 0.538): 14 times", "gaoya", 14, "25 times"),
    ):
        ratio, shown = against(name)
        figures.append(at_least(what, least, aim, ratio, f"{ratio:.1f} times: {shown}"))
    f1 = min(run["f1"] for run in rounds["sketch"])
    figures.append(at_least("F1 of `sketch` by brute force: 1.0", 1.0, "", f1, f"{f1:.4f}"))
    return figures


def durable(figures: Any) -> list[Figure]:
    """Whole processes, minima of the rounds."""
    own, *peers = (
        min(wall for wall, _ in figures["seconds"][name])
        for name in ("neardup ingest", "fastsketch", "rensa-bytes", "rensa")
    )
    ratio = own / peers[0]
    return [
        at_most(
            "`neardup ingest` of the gzip'd file against reading it and FastSketchLSH in memory: at most 1.5 times",
            1.5, "1.0", ratio, f"{ratio:.2f} times ({own:.2f} against {peers[0]:.2f} s)",
        ),
        Figure("against rensa fed by numpy", "", f"{own / peers[1]:.2f} times ({peers[1]:.2f} s)", None),
        Figure("against rensa its own way", "", f"{own / peers[2]:.2f} times ({peers[2]:.2f} s)", None),
    ]  # fmt: skip


def scale(levels: Any) -> list[Figure]:
    """A growing window; medians of the last documents before each size."""
    run = levels["sketch"]
    middle = {int(size): one["us_median"] for size, one in run["at"].items()}
    documents, first = run["documents"], min(middle)
    figures = []
    for size, limit, aim in ((1_000_000, 1.5, "1.2"), (10_000_000, 2.5, "1.5")):
        if size in middle:
            growth = middle[size] / middle[first]
            what = f"time a document at {size:,} against {first:,}: at most {limit} times"
            shown = f"{growth:.2f} times ({middle[size]:.0f} against {middle[first]:.0f} us)"
            figures.append(at_most(what, limit, aim, growth, shown))
    memory, of_ten_million = 1e6 * run["resident_mb"]["RssAnon"] / documents, documents >= 10_000_000
    opened = min(one["open_seconds"] for one in run["reopen"])
    share = run["reopen_share"]
    figures += [
        Figure(
            "resident memory a document, all of the process: at most 500 bytes of 10,000,000", "350",
            f"{memory:.0f} bytes at {documents:,}, at the end of the run",
            memory <= 500 if of_ten_million else None,
        ),
        Figure(
            "reopening against ingesting: at most 1/30 of 10,000,000", "",
            f"1/{1 / share:.0f} ({opened:.1f} against {run['ingest_seconds']:,.0f} s) at {documents:,}",
            share <= 1 / 30 if of_ten_million else None,
        ),
        at_least(
            "recall on the copies of the stream: 1.0", 1.0, "", run["recall"],
            f"{run['found']:,} of {run['copies']:,}; `shared` wrong of {run['miscounted']:,}",
        ),
    ]  # fmt: skip
    sizes = ", ".join(f"{us:.0f} at {size:,}" for size, us in sorted(middle.items()))
    return [*figures, Figure("us a document by size of the window", "", sizes, None)]


def startup(figures: Any) -> list[Figure]:
    """Wall time of processes, kernels compiled before."""
    times = {name: min(found) / 1_000 for name, found in figures["milliseconds"].items()}
    rows = [
        at_most(
            "`neardup --help`: at most 0.3 s",
            0.3,
            "",
            times["neardup --help"],
            f"{times['neardup --help']:.2f} s",
        )
    ]
    others = ("import neardup", "neardup.open and one verdict")
    return rows + [Figure(name, "", f"{times[name]:.2f} s", None) for name in others]


def floods(rows: Any) -> list[Figure]:
    """The cost of copies, and the cost for ordinary documents."""
    figures = []
    for row in rows:
        name = f"{row['kind']}, {row['copies']:,} copies"
        figures += [
            at_most(
                f"{name}: an ordinary document with them / without: at most 1.2", 1.2, "", row["ordinary"],
                f"{row['ordinary']:.2f} (beside as many other documents {row['beside_as_many']:.2f})",
            ),
            at_most(
                f"{name}: a copy / an ordinary document, by streams: at most 5", 5.0, "", row["copy_by_streams"],
                f"{row['copy_by_streams']:.1f} (at the end {row['copy']:.1f}); {row['marked_as_copies']:,} marked",
            ),
        ]  # fmt: skip
    return figures


def threads(places: Any) -> list[Figure]:
    """Wall time of one thread and two in turns, beside two processes of one thread, which share only the machine."""
    figures = []
    for place, held in places.items():
        one, two, _ = (min(each) for each in zip(*held["runs"], strict=True))
        shown = (
            f"{held['ratio']:.2f} times ({one:.1f} against {two:.1f} us/doc); two processes do "
            f"{held['limit']:.2f} times as many documents as one"
        )
        figures.append(at_least(f"{place}: 1.7 times as fast", 1.7, "", held["ratio"], shown))
    return figures


def kinds_cost(places: Any) -> list[Figure]:
    """Processor time with kinds and without, median of neighbouring runs."""
    names = {"memory": "in memory", "directory": "into a directory"}
    return [
        at_most(
            f"{names[place]}: at most 1.15 times the time a document", 1.15, "1.05", one["ratio"],
            f"{one['ratio']:.3f} times",
        )
        for place, one in places.items()
    ]  # fmt: skip
