"""neardup evaluate: methods measured against judged pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from neardup.cli import options
from neardup.cli.context import configuration
from neardup.cli.exit_codes import DONE, REJECTED, UNUSABLE
from neardup.cli.streams import log_line

_counting = partial(typer.Option, rich_help_panel="Counting")
DEFAULT_OUTPUT: Final = "neardup.evaluation"


def _list_methods(wanted: bool) -> None:
    from neardup.cli.evaluate_output import print_methods

    if wanted:
        print_methods()
        raise typer.Exit


def evaluate(
    files: options.FilesArgument,
    truth: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="File of pairs that are copies: id, tab, id, and optionally a tab and a judgement.",
        ),
    ],
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            metavar="NAME",
            show_default="neardup and those of the paper's comparison",
            help="Method to measure, such as imatch or 'doc_q(q=3)', or `all`; may be given several times.",
        ),
    ] = None,
    thresholds: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            show_default="each method's own",
            help="Thresholds for every method that has one, such as 0.5,0.6,0.7.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Random seed, for methods that draw at random.")
    ] = 0,
    judged_only: Annotated[
        bool | None,
        _counting(
            "--judged-only/--every-pair",
            show_default="judged only, if a pair is judged to be no copy",
            help="Ignore reported pairs that are not in the file, or count them as mistakes.",
        ),
    ] = None,
    copy_label: Annotated[
        list[str] | None,
        _counting(
            metavar="WORD",
            show_default="1, true, yes, y, dup, duplicate, copy, near, exact",
            help="Judgement that means a copy; may be given several times. All others then mean no copy, except ?, "
            "unsure and unknown, which are not counted.",
        ),
    ] = None,
    copy_from: Annotated[
        float | None,
        _counting(
            metavar="NUMBER",
            show_default="every listed pair is a copy",
            help="If the judgement is a score: the lowest score of a copy.",
        ),
    ] = None,
    input: options.InputOption = None,
    id_field: options.IdFieldOption = None,
    text_field: options.TextFieldOption = None,
    delimiter: options.DelimiterOption = None,
    encoding: options.EncodingOption = None,
    html: options.HtmlOption = False,
    output: Annotated[
        Path,
        options.writing(
            "--output",
            "-o",
            metavar="DIR",
            help="Directory for report.html, report.md, report.json and the results that later runs can use.",
        ),
    ] = Path(DEFAULT_OUTPUT),
    fresh: Annotated[
        bool,
        options.writing("--fresh", help="Measure again instead of using results of earlier runs."),
    ] = False,
    force: Annotated[
        bool,
        options.writing("--force", help="Replace existing reports."),
    ] = False,
    format: options.PrintedOption = "table",
    list_methods: Annotated[  # noqa: ARG001 - its callback has done it
        bool,
        typer.Option(
            "--list",
            is_eager=True,
            callback=_list_methods,
            help="List every method with its paper, and exit.",
        ),
    ] = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Measure methods on your own documents and judged pairs: precision, recall, F1, time and memory.

    Each method runs in a process of its own. Each result is saved in the output directory at once, and is not measured
    again until corpus, pairs, method, thresholds, seed or settings change: an interrupted run resumes where it stopped,
    and a run with --force, which replaces the reports, measures only what is new. In the file of pairs, ? marks a pair
    that is not counted; a first line of column names is skipped.

    neardup itself is measured as configured by neardup.toml and the environment: with their recipe, routes, min_shared,
    max_candidates and max_length, but with every document compared with all before it, whatever its time.

    Examples:

        neardup evaluate examples/stream.jsonl --truth examples/truth.tsv --output stream.evaluation

        neardup evaluate mail.jsonl.gz --truth judged.tsv --copy-label dup --method all --thresholds 0.5,0.6,0.7,0.8,0.9

        neardup evaluate news.csv --truth pairs.tsv --method "neardup sketch" --method "doc_q(q=3)" --judged-only
    """
    from neardup.cli import evaluate_output as results
    from neardup.cli.evaluate_input import corpus_of
    from neardup.cli.inputs import named_fields, report_passed_over, report_read
    from neardup.cli.sinks import Rejects
    from neardup.evaluation.report import write_reports
    from neardup.evaluation.truth import read_truth

    _check_judgements(copy_label, copy_from)
    methods, levels = results.methods_to_measure(method), results.thresholds_to_measure(thresholds)
    config = configuration(config_file).with_fields(id=id_field, text=text_field)
    with Rejects(None, has_option=False) as rejects:
        reader = config.reader(files, form=input, delimiter=delimiter, encoding=encoding, html=html)
        _check_reports(output, (*files, *reader.paths, truth, *config.files_read), force=force)
        report_passed_over(reader)
        corpus = corpus_of(reader, rejects, config.settings.max_length)
    report_read(reader, named_fields(config, id=id_field) - {"time"})
    pairs = read_truth(
        truth, corpus, copy_labels=copy_label or (), copy_from=copy_from, judged_only=judged_only
    )
    log_line(results.described(len(corpus), pairs, copy_label or ()))
    evaluation = results.evaluation_of(
        corpus, pairs, methods, config, output, thresholds=levels, seed=seed, fresh=fresh
    )
    paths = write_reports(evaluation, output)
    results.print_summary(evaluation, format)
    log_line(f"written: {', '.join(map(str, paths))}")
    raise typer.Exit(UNUSABLE if evaluation.failed else REJECTED if rejects.count else DONE)


def _check_judgements(copy_label: list[str] | None, copy_from: float | None) -> None:
    """Raises `typer.BadParameter` for a `copy_from` that is not a finite number, or if both options are given."""
    if copy_from is not None and not math.isfinite(copy_from):
        raise typer.BadParameter(
            f"{copy_from} cannot be the lowest score of a copy: give a number such as 0.7",
            param_hint="--copy-from",
        )
    if copy_label and copy_from is not None:
        reason = "give --copy-from, for scores, or --copy-label, for words, not both"
        raise typer.BadParameter(reason, param_hint="--copy-from")


def _check_reports(directory: Path, read: Iterable[Path | str], *, force: bool) -> None:
    """Raises `OutputRefused` if the reports would replace a file that is read, or, without `force`, any file."""
    from neardup.cli.output_files import check_outputs
    from neardup.errors import OutputRefused
    from neardup.evaluation.report import NAMES

    if directory.exists() and not directory.is_dir():
        raise OutputRefused("--output", directory, "is a file: name a directory, which need not exist")
    check_outputs(
        [(f"--output {directory}:", directory / name) for name in NAMES], read, replace=force,
        ways="--force replaces it, and reuses results that are already measured", whole=True,
    )  # fmt: skip
