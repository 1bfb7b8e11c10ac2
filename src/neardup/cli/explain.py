"""neardup explain: why two texts are alike, or not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from neardup.cli import options
from neardup.cli.context import configuration


def explain(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="A B",
            show_default=False,
            help="Ids of documents in the window, files, or records of files.",
        ),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A text to compare, in place of A or B; may be given twice."),
    ] = None,
    window: options.WindowOption = None,
    threshold: options.ThresholdOption = None,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    input: options.InputOption = None,
    text_field: options.TextFieldOption = None,
    delimiter: options.DelimiterOption = None,
    encoding: options.EncodingOption = None,
    html: options.HtmlOption = False,
    output: Annotated[Path | None, options.output("File for the explanation.")] = None,
    format: Annotated[
        Literal["text", "json", "html"],
        typer.Option(
            "--format",
            "-f",
            help="Text for a terminal, JSON for programs, or an HTML page that loads nothing from elsewhere.",
        ),
    ] = "text",
    force: options.ReplaceOption = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Explain why two texts are alike: doc_q, passages in common, what differs, and which figures, dates and names.

    A and B are ids of documents in the window, files, or records of files as `FILE:LINE`. With --window, a name is a
    file only if the window has no such id; without it, an id only if there is no such file. `neardup dedup --removed`
    writes FILE:LINE as `where` and `duplicate_of_where`: repeat its --input, --delimiter and so on here. Texts are
    compared as they came, but without boilerplate if the recipe has a table of it; if the text of a document was not
    kept, its normal form is compared, and the output says so.

    Examples:

        neardup explain wire-0002 wire-0020 --window news.window

        neardup explain wire-0002 draft.txt --window news.window

        neardup explain news.jsonl:7 news.jsonl:2

        neardup explain a.txt b.txt --format html --output why.html

        neardup explain --text "Rates fell to 6 pct." --text "Rates fell to 6.5 pct."
    """
    from neardup.cli.explain_output import as_bytes, print_explanation
    from neardup.cli.explain_subjects import FileReading, Subjects
    from neardup.cli.one_text import is_file
    from neardup.cli.output_files import check_outputs, opened_output
    from neardup.cli.streams import write_json
    from neardup.reading.explanation import explain as explained

    config = configuration(config_file, locals()).with_fields(text=text_field)
    read = [*filter(is_file, names or ()), *config.files_read]
    check_outputs([("--output", output)], read, replace=force)
    reading = FileReading(encoding, html, input, delimiter)
    subjects = Subjects.read(names or [], text or [], window, config, reading)
    why = explained(subjects.a.text, subjects.b.text, recipe=subjects.recipe)
    if output is not None:
        with opened_output(output, force=force, whole=True) as file:
            file.write(as_bytes(why, subjects, format))
    elif format == "text":
        print_explanation(why, subjects)
    elif format == "json":
        write_json(as_bytes(why, subjects, format))
    else:
        sys.stdout.buffer.write(as_bytes(why, subjects, format))
