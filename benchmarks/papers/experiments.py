"""The four experiments of the papers, and their tables in docs/experiments/ written anew.

Question   Those of montanari_puglisi.py, fan_huang.py, chang_wang.py and yoon.py. Corpus, seed, excluded: see there.
Writes     Only the parts between `<!-- table: NAME -->` and `<!-- end -->` on the pages of docs/experiments. With
           --tiny no page is written: the tables are printed.
Takes      About 30 minutes of processor time. --from-results: seconds, from the files of the last runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import run_all
from benchmarks.lib import harness
from benchmarks.lib.pages import filled
from benchmarks.papers import (
    chang_wang_tables,
    fan_huang_tables,
    montanari_puglisi_tables,
    montanari_window,
    yoon_tables,
)

PAPERS = {
    "chang_wang": chang_wang_tables.tables,
    "montanari_puglisi": montanari_puglisi_tables.tables,
    "fan_huang": fan_huang_tables.tables,
    "yoon": yoon_tables.tables,
}
"""The function that makes the tables of each paper; in the order of running, the shortest first."""
BESIDE = {"montanari_puglisi": ("montanari_window", montanari_window.tables)}
"""Experiments that run separately and have their tables on the page of a paper."""
INDEX = harness.ROOT / "docs" / "experiments.md"
"""The page with the findings and the links to the pages of the papers."""


def results_file(results: Path, paper: str) -> Path:
    """The file in the directory `results` with the figures of one of `PAPERS`."""
    return results / f"{paper.replace('_', '-')}.json"


def page_of(paper: str) -> Path:
    """The page that has the tables of one of `PAPERS`."""
    return INDEX.parent / "experiments" / f"{paper}.md"


def tables(results: Path, paper: str) -> dict[str, str]:
    """The tables of one of `PAPERS` by their names on its page; raises FileNotFoundError if there are no results."""
    made = PAPERS[paper](harness.figures_of(results_file(results, paper)))
    if paper in BESIDE:
        name, tables_of = BESIDE[paper]
        made |= tables_of(harness.figures_of(results_file(results, name)))
    return made


def main(arguments: list[str] | None = None) -> None:
    """Runs the chosen experiments, each in a separate process; writes the pages."""
    parser = harness.options(__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=PAPERS, default=list(PAPERS), help="run these, re-use the others"
    )
    parser.add_argument(
        "--from-results", action="store_true", help="run none: the tables from the files there are"
    )
    args = parser.parse_args(arguments)
    results = harness.results_of(args).resolve()
    passed = [
        "--data",
        str(args.data.resolve()),
        "--results",
        str(results),
        *(["--tiny"] if args.tiny else []),
    ]
    wanted = [] if args.from_results else [paper for paper in PAPERS if paper in args.only]
    wanted += [BESIDE[paper][0] for paper in wanted if paper in BESIDE]
    failed = [paper for paper in wanted if run_all.run(f"papers.{paper}", passed)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")
    if not args.tiny:
        for paper in PAPERS:
            if results_file(results, paper).exists():
                page = page_of(paper)
                page.write_text(filled(page.read_text("utf-8"), tables(results, paper)), "utf-8")


if __name__ == "__main__":
    main()
