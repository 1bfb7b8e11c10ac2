"""What `evaluate` shows: the methods there are, how far it is, and the table at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neardup.cli.options import Printed
    from neardup.evaluation.measure import Progress
    from neardup.evaluation.run import Evaluation
    from neardup.evaluation.truth import Truth


def print_methods() -> None:
    """Print every method with the paper that it follows, or what it needs to be installed."""
    from neardup.cli.tables import print_table
    from neardup.evaluation.methods import PRODUCTS, make, names, product

    rows = []
    for name in names():
        try:
            rows.append((name, (product if name in PRODUCTS else make)(name).paper))
        except ImportError as error:
            rows.append((name, str(error)))
    print_table(("method", "paper"), rows)


def told(documents: int, truth: Truth) -> str:
    """What was understood, so that a judgement taken the wrong way is seen at once."""
    from neardup.cli.tables import counted

    facts = truth.facts()
    labels = ", ".join(f"{count:,} {label}" for label, count in facts["labels"].items())
    skipped = f"; first line taken for names of columns: {facts['columns']}" if facts["columns"] else ""
    return (
        f"{counted(documents, 'document')}; {counted(facts['copies'], 'pair')} of copies, {facts['others']:,} of "
        f"others, {facts['uncounted']:,} not counted (judgements: {labels}); counting {facts['counted']}{skipped}"
    )


def print_summary(evaluation: Evaluation, format: Printed) -> None:
    """Print each method at its best as a table, or all of every result as JSON Lines."""
    from neardup.cli.tables import print_lines, print_table
    from neardup.evaluation.report_tables import COLUMNS, summary_row

    if format == "jsonl":
        print_lines(result.to_dict() for result in evaluation.results)
    elif evaluation.results:
        print_table(COLUMNS, [summary_row(result) for result in evaluation.results])


@contextmanager
def bars(
    methods: int, *, shown: bool
) -> Iterator[tuple[Callable[[str, Progress], None], Callable[[], None]]]:
    """One bar for the methods and one for the work of the method at hand, on a terminal; else nothing."""
    if not shown:
        yield lambda _method, _progress: None, lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bar:
        whole = bar.add_task("methods", total=methods)
        part = bar.add_task("starting", total=None)

        def on_progress(method: str, progress: Progress) -> None:
            bar.update(
                part,
                description=f"{method}: {progress.stage}",
                completed=progress.done,
                total=progress.total,
            )

        yield on_progress, lambda: bar.advance(whole)
