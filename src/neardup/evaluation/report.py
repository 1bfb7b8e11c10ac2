"""An evaluation as JSON and as Markdown; with the page of page.py, these are the files of a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from neardup.evaluation.formatting import markdown_table
from neardup.evaluation.page import to_html
from neardup.evaluation.report_tables import (
    ABOUT_COSTS,
    COLUMNS,
    DETAILS,
    TITLE,
    detail_rows,
    facts,
    summary_row,
)
from neardup.tables.atomic_write import write_whole

if TYPE_CHECKING:
    from neardup.evaluation.run import Evaluation

NAMES: Final = ("report.json", "report.md", "report.html")


def write_reports(evaluation: Evaluation, directory: Path) -> list[Path]:
    """Writes report.json, report.md and report.html into `directory`, each whole; returns the paths in this order."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = [directory / name for name in NAMES]
    texts = (to_json(evaluation), to_markdown(evaluation), to_html(evaluation))
    for path, text in zip(paths, texts, strict=True):
        write_whole(path, text.encode())
    return paths


def to_json(evaluation: Evaluation) -> str:
    """The whole evaluation, for programs. The same inputs give the same text, except for the values under `cost`."""
    return json.dumps(evaluation.to_dict(), indent=1, ensure_ascii=False) + "\n"


def to_markdown(evaluation: Evaluation) -> str:
    """The tables with the facts above them."""
    lines = (f"- {name}: {value}{f' ({more})' if more else ''}" for name, value, more in facts(evaluation))
    failed = [f"- {failure}" for failure in evaluation.failed]
    parts = [
        f"# {TITLE}",
        "\n".join(lines),
        "## Each method at its best",
        markdown_table(COLUMNS, (summary_row(result) for result in evaluation.results)),
        ABOUT_COSTS,
        "## Every threshold",
        markdown_table(DETAILS, (row for result in evaluation.results for row in detail_rows(result))),
    ]
    if failed:
        parts += ["## Failed", "\n".join(failed)]
    return "\n\n".join(parts) + "\n"
