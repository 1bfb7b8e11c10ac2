"""The table of commands."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from neardup.cli.usage_messages import ErrorReportingGroup, OnceOnlyCommand
from neardup.cli.version import print_version


def neardup(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Exact near-duplicate detection for streams and archives of text.

    Two documents are duplicates when their doc_q, the share of character q-grams that they have in common, is at least
    the threshold (0.7). Verdicts go to standard output as JSON Lines, messages to standard error. Settings can also be
    given in neardup.toml or in the environment (NEARDUP_THRESHOLD, ...).

    Exit codes: 0 done; 1 done, some documents were rejected or not compared; 2 usage; 3 the engine or its data cannot
    be used.

    Example:

        neardup ingest news.jsonl.gz --window news.window --output verdicts.jsonl
    """


COMMANDS = (
    "dedup", "check", "ingest", "watch", "query", "get", "export", "explain", "groups", "report", "serve", "mcp",
    "calibrate", "delete", "expire", "reconcile", "resign", "show", "stats", "evaluate", "setup", "remove", "rollover",
    "doctor", "version",
)  # fmt: skip
"""The commands in the order of the help; each is the function of this name in the module of this name."""
GROUPS = ("lexicon", "boilerplate")
"""The commands that have commands of their own."""


def command_line(word: str = "") -> typer.Typer:
    """The command line with all commands; with only one if `word` names it, because making all of them takes 0.1 s."""
    app = typer.Typer(
        cls=ErrorReportingGroup,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(neardup)
    names = (*COMMANDS, *GROUPS)
    for name in (word,) if word in names else names:
        named = getattr(import_module(f"neardup.cli.{name}"), name)
        if name in GROUPS:
            for each in named.registered_commands:
                each.cls = OnceOnlyCommand
            app.add_typer(named, name=name)
        else:
            app.command(cls=OnceOnlyCommand)(named)
    return app
