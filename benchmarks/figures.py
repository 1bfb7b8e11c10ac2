"""Demanded and measured figures: the tables of benchmarks/README.md, made from results/*.json.

    python -m benchmarks.figures

writes only the parts between `<!-- table: NAME -->` and `<!-- end -->`. A figure that misses its limit says so; each
table ends with the date, the commit and the processor of its results.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from benchmarks.lib import elastic_figures, harness, quality_figures, speed_figures
from benchmarks.lib.pages import filled

if TYPE_CHECKING:
    from benchmarks.lib.figure import Figure

README = harness.ROOT / "benchmarks" / "README.md"


TABLES: dict[str, tuple[str, Callable[[Any], list[Figure]]]] = {
    "exactness": ("exactness", quality_figures.exactness),
    "edits": ("exactness-edits", quality_figures.edits),
    "kinds": ("kinds", quality_figures.kinds),
    "throughput": ("throughput", speed_figures.throughput),
    "durable": ("durable", speed_figures.durable),
    "scale": ("scale", speed_figures.scale),
    "startup": ("startup", speed_figures.startup),
    "floods": ("floods-directory", speed_figures.floods),
    "kinds-cost": ("kinds_cost", speed_figures.kinds_cost),
    "threads": ("threads", speed_figures.threads),
    "cluster": ("cluster", elastic_figures.cluster),
    "cost": ("cost", elastic_figures.cost),
    "kill": ("kill", elastic_figures.kill),
    "query": ("query", elastic_figures.query),
}
"""By name of a table: its file in results/, and the function that reads it."""


def table_of(name: str, rows: Iterable[Figure], origin: dict[str, Any]) -> str:
    """A table, and the origin of its figures."""
    cells = [
        [row.demanded, row.aim, row.measured if row.is_met is not False else f"**missed:** {row.measured}"]
        for row in rows
    ]
    made = dt.datetime.fromisoformat(origin["made"]).date()
    processor = origin["machine"]["processor"].removeprefix("model name ")
    where = f"`results/{name}.json`: {made}, commit {origin['commit']}, {processor}"
    return harness.table(["figure demanded", "aim", "measured"], cells) + f"\n{where}.\n"


def tables() -> dict[str, str]:
    """All tables by name."""
    made = {}
    for table, (name, figures_of) in TABLES.items():
        document = json.loads((harness.RESULTS / f"{name}.json").read_text("utf-8"))
        made[table] = table_of(name, figures_of(document["figures"]), document["origin"])
    return made


def main() -> None:
    """Writes the tables."""
    README.write_text(filled(README.read_text("utf-8"), tables()), "utf-8")


if __name__ == "__main__":
    main()
