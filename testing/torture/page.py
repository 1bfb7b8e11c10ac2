"""The tables of docs/reliability.md with the kinds of torture and their results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.lib.pages import filled
from testing.torture.kinds import ENGINES
from testing.torture.registry import ALL
from testing.torture.rounds import totals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from testing.torture.kinds import Engine
    from testing.torture.rounds import Result, Total

PAGE: Final = Path(__file__).parents[2] / "docs" / "reliability.md"


def write_tables(results: Iterable[Result], page: Path = PAGE) -> None:
    """Writes the tables of both engines by `results` into their places in the page."""
    found = totals(results)
    made = {f"torture-{engine}": _table(engine, found) for engine in ENGINES}
    page.write_text(filled(page.read_text("utf-8"), made), "utf-8")


def _table(engine: Engine, found: dict[tuple[str, str], Total]) -> str:
    lines = ["| kind | what is done | rounds | violations |", "| --- | --- | ---: | ---: |"]
    own = [kind for kind in ALL if kind.engine == engine]
    for kind in own:
        total = found.get((engine, kind.name))
        figures = f"{total.rounds} | {total.violating}" if total else "0 | "
        lines.append(f"| `{kind.name}` | {kind.what} | {figures} |")
    rounds = [found[engine, kind.name] for kind in own if (engine, kind.name) in found]
    lines.append(
        f"| {len(own)} kinds | | {sum(each.rounds for each in rounds):,} | {sum(each.violating for each in rounds)} |"
    )
    return "\n".join(lines)
