"""neardup calibrate: which threshold parts copies from what is none, by what you say of your own pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from neardup.cli import options
from neardup.cli.context import configuration, judged_file, opened_window, window_location

QUESTIONS = 40
SAMPLE = 5_000


def calibrate(
    window: options.WindowOption = None,
    questions: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            show_default=str(QUESTIONS),
            help="Ask about at most this many pairs; 30 to 60 are useful.",
        ),
    ] = None,
    lowest: Annotated[
        float | None,
        typer.Option(
            metavar="DOC_Q",
            min=0.05,
            max=1.0,
            show_default="the reach of the window, or its threshold if that is lower",
            help="Ignore pairs below this doc_q.",
        ),
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default="news.judged.tsv for news.window",
            help="Write the answers to this file, as `neardup serve` does; answers already in it count.",
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Take all answers from this file of judged pairs, and ask nothing.",
        ),
    ] = None,
    sample: Annotated[
        int,
        typer.Option(metavar="N", min=2, help="Look for pairs among this many documents, drawn at random."),
    ] = SAMPLE,
    seed: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Random seed: another one draws other documents and pairs."),
    ] = 0,
    retrieval: options.RetrievalOption = None,
    format: Annotated[
        Literal["table", "jsonl"],
        typer.Option(
            "--format", "-f", help="Format of the result: a table for people, JSON Lines for programs."
        ),
    ] = "table",
    config_file: options.ConfigOption = None,
) -> None:
    """Calibrate the threshold of a window: judge some pairs, mostly uncertain ones, and see which threshold fits.

    Each pair is shown with its differences. Keys: c copy, f form (the same text filled in anew), q quote (a reply or a
    part), n not a copy, s skip, x end. Without a terminal the keys are read from standard input, one per line. Pairs
    below the window's own threshold are asked about as well. Nothing in the window changes.

    Examples:

        neardup calibrate --window news.window

        neardup calibrate --window news.window --answers news.judged.tsv --format jsonl
    """
    from neardup.cli.calibrating import Answers, Calibration, given_answers

    config = configuration(config_file, locals())
    for option, value in (("--questions", questions), ("--judged", judged)):
        if answers is not None and value is not None:
            raise typer.BadParameter(f"--answers asks no questions: leave out {option}", param_hint=option)
    location = window_location(window, config)
    given = given_answers(answers, lambda: judged or judged_file(location))
    with opened_window(window, config, readonly=True) as target:
        run = Calibration.over(target, lowest, sample=sample, seed=seed)
        run.report_unused(given, target)
        run.ask(Answers(target, given, asks=answers is None), questions or QUESTIONS)
        run.show(location, format)
