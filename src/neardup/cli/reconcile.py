"""neardup reconcile: score anew what deletions and late documents have left behind."""

from __future__ import annotations

import sys
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window
from neardup.cli.exit_codes import Terminated
from neardup.cli.streams import log_line, write_error_line
from neardup.cli.tables import check_output, counted, print_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from neardup.model.verdict import Verdict


def reconcile(
    window: options.WindowOption = None,
    threshold: options.ThresholdOption = None,
    format: Annotated[
        options.Format | None,
        typer.Option(
            "--format",
            "-f",
            show_default="a table on a terminal, else jsonl",
            help="How to print the verdicts that changed; quiet prints none.",
        ),
    ] = None,
    config_file: options.ConfigOption = None,
) -> None:
    """Score every stored document of a window anew, and print the verdicts that changed and their number.

    The result is as if all documents had come in order of time, with one threshold: that of the window, or the given
    one, which the window remembers from then on.

    Examples:

        neardup reconcile --window news.window

        neardup reconcile --window news.window --threshold 0.8
    """
    from neardup.cli.verdict_table import VerdictTable

    chosen = format or ("table" if sys.stdout.isatty() else "jsonl")
    if chosen != "quiet":
        check_output()
    statuses: Counter[str] = Counter()
    began = time.perf_counter()
    with opened_window(window, configuration(config_file, locals()), remember=True) as target:
        with _told_if_cut_short():
            verdicts = target.reconcile()
        changed = _noted(verdicts, statuses)
        if chosen == "jsonl":
            print_lines(verdict.to_dict() for verdict in changed)
        else:
            table = VerdictTable(every=True)
            table.descriptions.read = target.read
            for verdict in changed:
                table.add(verdict)
            if chosen == "table":
                table.print()
        documents = len(target)
    write_error_line(_in_words(documents, time.perf_counter() - began, statuses))


@contextmanager
def _told_if_cut_short() -> Iterator[None]:
    """A context that reports what a signal leaves: the window has the new threshold, its verdicts are by the old."""
    try:
        yield
    except (KeyboardInterrupt, Terminated):
        log_line("the verdicts were not all made again: the same command makes them")
        raise


def _noted(verdicts: Iterable[Verdict], statuses: Counter[str]) -> Iterator[Verdict]:
    for verdict in verdicts:
        statuses[verdict.status] += 1
        yield verdict


def _in_words(documents: int, seconds: float, statuses: Counter[str]) -> str:
    said = ", ".join(f"{count:,} {status}" for status, count in statuses.most_common())
    changed = f"{counted(statuses.total(), 'verdict')} changed{f': {said}' if said else ''}"
    return f"{counted(documents, 'document')} in {seconds:.1f} s: {changed}"
