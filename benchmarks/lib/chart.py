"""The charts: of scale.py, time per document against window size; of query.py, time per search."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt

SMOOTH = 9
"""The number of steps whose median makes one point: single steps contain the noise of the machine."""


def window_growth(series: dict[str, list[tuple[int, float]]], path: Path) -> None:
    """Writes an SVG of (window size, us per document) points to `path`, both axes logarithmic."""
    mpl.rcParams["svg.hashsalt"] = "neardup"  # the same figures give the same file
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for name, points in series.items():
        width = max(1, min(SMOOTH, len(points) // 4))
        runs = [points[at : at + width] for at in range(0, len(points), width)]
        sizes = [run[-1][0] for run in runs]
        speeds = [statistics.median(us for _, us in run) for run in runs]
        axes.plot(sizes, speeds, label=name, linewidth=1.6)
    axes.set(xscale="log", yscale="log", xlabel="documents in the window", ylabel="microseconds per document")
    axes.grid(visible=True, which="both", linewidth=0.3)
    axes.legend()
    figure.savefig(path, format="svg", metadata={"Date": None})
    plt.close(figure)


def search_times(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Writes an SVG of the growth of query.py to `path`: by documents in one index, and by number of indices."""
    mpl.rcParams["svg.hashsalt"] = "neardup"
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for axes, key, label in zip(
        panels, ("documents", "indices"), ("documents in one index", "indices"), strict=True
    ):
        points = [row for row in rows if row["against"] == key]
        for way, name in (
            ("neardup", "neardup, by bitmaps"),
            ("terms", "neardup, by terms"),
            ("prefix", "bool over the rare prefix"),
        ):
            times = [row[f"{way}_ms"] for row in points]
            axes.plot([row[key] for row in points], times, marker="o", label=name)
        axes.set(xlabel=label, ylabel="ms a search", yscale="log")
        axes.grid(visible=True, which="both", linewidth=0.3)
        axes.legend()
    figure.savefig(path, format="svg", metadata={"Date": None})
    plt.close(figure)
