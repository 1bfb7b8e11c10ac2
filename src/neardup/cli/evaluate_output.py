"""The output of `evaluate`: the list of methods, what is measured, the progress, and the table at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from neardup.cli.streams import log_line
from neardup.cli.tables import counted, print_lines, print_table

if TYPE_CHECKING:
    from neardup.cli.config import Config
    from neardup.cli.options import Printed
    from neardup.evaluation.corpus import Corpus
    from neardup.evaluation.measure import Progress
    from neardup.evaluation.run import Evaluation
    from neardup.evaluation.truth import Truth


def print_methods() -> None:
    """Prints every method with the paper that it follows, or with the library that must be installed for it."""
    from neardup.evaluation.methods import PRODUCTS, make, names, product

    rows = []
    for name in names():
        try:
            rows.append((name, (product if name in PRODUCTS else make)(name).paper))
        except ImportError as error:
            rows.append((name, str(error)))
    print_table(("method", "paper"), rows)


def methods_to_measure(names: Sequence[str] | None) -> list[str]:
    """The methods of these `names`; without any, those of the paper's comparison that can be used here."""
    from neardup.evaluation.methods import COMPARISON, chosen, usable

    if names:
        return chosen(names)
    methods, missing = usable(COMPARISON)
    for name, reason in missing.items():
        log_line(f"left out {name}: {reason}")
    return methods


def thresholds_to_measure(text: str | None) -> tuple[float, ...] | None:
    """The thresholds of the option, ascending, each once."""
    from neardup.model.settings import exact_threshold

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise typer.BadParameter("give numbers such as 0.5,0.6,0.7", param_hint="--thresholds")
    return tuple(sorted({float(exact_threshold(part, "thresholds")) for part in parts}))


def described(documents: int, truth: Truth, copy_labels: Sequence[str]) -> str:
    """A description of how corpus and truth were understood, so that a misread judgement is seen at once, and of those
    `copy_labels` that no pair has.
    """
    facts = truth.facts()
    labels = ", ".join(f"{count:,} {label}" for label, count in facts["labels"].items())
    skipped = f"; first line taken for names of columns: {facts['columns']}" if facts["columns"] else ""
    known = {*facts["labels"]}
    # For very many numbers, only their count is known.
    unused = [repr(label) for label in copy_labels if known.isdisjoint((label.lower(), "scored"))]
    mistyped = f"; no pair is judged {' or '.join(unused)} (--copy-label)" if unused else ""
    unjudged = (
        ""
        if truth.others or truth.judged_only or not truth.labels
        else (
            "; no pair is judged to be no copy, so every other pair that is found counts as a mistake, even if nobody "
            "judged it (--judged-only counts judged pairs only)"
        )
    )
    return (
        f"{counted(documents, 'document')}; {counted(facts['copies'], 'pair')} of copies, {facts['others']:,} of "
        f"others, {facts['uncounted']:,} not counted (judgements: {labels}); counting {facts['counted']}{skipped}"
        f"{mistyped}{unjudged}"
    )


def evaluation_of(
    corpus: Corpus,
    truth: Truth,
    methods: Sequence[str],
    config: Config,
    output: Path,
    *,
    thresholds: Sequence[float] | None,
    seed: int,
    fresh: bool,
) -> Evaluation:
    """The evaluation, with progress bars on a terminal; results are kept under `output`."""
    from neardup.evaluation.evaluated_settings import EvaluatedSettings
    from neardup.evaluation.run import Evaluation
    from neardup.evaluation.run import evaluate as outcomes

    tuning = EvaluatedSettings.of(config.settings, gives_reach=config.gives_reach)
    if changes := str(tuning):
        log_line(f"neardup itself is measured with {changes}")
    output.mkdir(parents=True, exist_ok=True)
    evaluation = Evaluation(corpus.facts(), truth.facts(), seed)
    with _bars(len(methods), shown=sys.stderr.isatty()) as (on_progress, on_done):
        for outcome in outcomes(
            corpus,
            truth,
            methods,
            directory=output,
            thresholds=thresholds,
            seed=seed,
            settings=tuning,
            fresh=fresh,
            on_progress=on_progress,
        ):
            evaluation.add(outcome)
            on_done()
    return evaluation


def print_summary(evaluation: Evaluation, format: Printed) -> None:
    """Prints each method at its best as a table, or every result whole as JSON Lines; then why methods failed."""
    from neardup.evaluation.report_tables import COLUMNS, summary_row

    if format == "jsonl":
        print_lines(result.to_dict() for result in evaluation.results)
    elif evaluation.results:
        print_table(COLUMNS, [summary_row(result) for result in evaluation.results])
    for failure in evaluation.failed:
        log_line(str(failure))


@contextmanager
def _bars(
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
