"""The table of commands."""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer

from neardup.cli.asking_commands import ASKING_COMMANDS
from neardup.cli.changing_commands import CHANGING_COMMANDS
from neardup.cli.doctor import doctor
from neardup.cli.evaluate import evaluate
from neardup.cli.exit_codes import ErrorReportingGroup, run
from neardup.cli.file_commands import FILE_COMMANDS, LEARNING_COMMANDS
from neardup.cli.rollover import rollover
from neardup.cli.setup import setup
from neardup.cli.show import show
from neardup.cli.stats import stats
from neardup.cli.version import print_version, version
from neardup.cli.watch import watch

app = typer.Typer(
    cls=ErrorReportingGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["--help", "-h"]},
)


@app.callback()
def neardup(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and end."),
    ] = False,
) -> None:
    """Exact near-duplicate detection for streams and archives of text.

    Two documents are duplicates when their doc_q, the share of character q-grams that they have in common, is at least
    the threshold (0.7). Verdicts go to standard output as JSON Lines, messages to standard error. Settings may stand in
    neardup.toml or in the environment (NEARDUP_THRESHOLD, ...).

    Exit codes: 0 done; 1 done, some documents were rejected or not compared; 2 usage; 3 the engine or its data cannot
    be used.

    Example:

        neardup ingest news.jsonl.gz --window news.window --output verdicts.jsonl
    """


COMMANDS = (
    *FILE_COMMANDS, watch, *ASKING_COMMANDS, *CHANGING_COMMANDS,
    show, stats, evaluate, setup, rollover, doctor, version,
)  # fmt: skip
for command in COMMANDS:
    app.command()(command)
for name, group in LEARNING_COMMANDS.items():
    app.add_typer(group, name=name)


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    run(app)
