"""Messages about a command line that cannot be understood: what typer says, with the value, and the option meant."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from neardup.cli.exit_codes import Terminated, exit_code, with_bytes
from neardup.errors import NeardupError
from neardup.model.escapes import escaped, without_passwords

MAY_BE_EMPTY: Final = frozenset(("--text", "--title", "--keep-kinds", "--source"))
"""Options whose values are not names, and may be empty."""
_LEFT_OVER_RE: Final = re.compile(r"Got unexpected extra argument(?:s|\(s\))? \((.+)\)", re.DOTALL)


class ErrorReportingGroup(TyperGroup):
    """The group of all commands; it turns every exception from one into a message and an exit code."""

    def make_context(self, *words: Any, **options: Any) -> Any:
        """Parses the words of the command line."""
        try:
            with _escaped_usage():
                if not options.get("resilient_parsing"):  # as for completion in a shell
                    _check_no_empty_name(*words[1:2])
                return super().make_context(*words, **options)
        except KeyboardInterrupt as error:  # typer would end without a message
            raise typer.Exit(exit_code(error)) from error

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that `ctx` names."""
        try:
            with _escaped_usage():
                return super().invoke(ctx)
        except (NeardupError, OSError, KeyboardInterrupt, Terminated) as error:
            raise typer.Exit(exit_code(error)) from error


class OnceOnlyCommand(TyperCommand):
    """A command that refuses an option with one value that is given twice, of which typer would take the last."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the words behind the name of the command."""
        if not ctx.resilient_parsing:  # as for completion in a shell
            _check_given_once(ctx, self.make_parser(ctx).parse_args(args=[*args])[2])
        return super().parse_args(ctx, args)


def _check_given_once(ctx: Any, given: Sequence[Any]) -> None:
    """Raises `typer.BadParameter` if an option with one value is twice among the parameters `given`."""
    taking_one = [
        each for each in given if isinstance(each, TyperOption) and not (each.multiple or each.is_flag)
    ]
    for option, times in Counter(taking_one).items():
        if times > 1:
            raise typer.BadParameter(f"it is given {times} times, and takes one value", ctx, option)


def _check_no_empty_name(words: Sequence[str] = ()) -> None:
    """Raises `typer.BadParameter` for an empty name: as a path it would mean the working directory."""
    end = words.index("--") if "--" in words else len(words)
    for at, (before, word) in enumerate(pairwise(["neardup", *words])):
        is_unnamed = at < end and word.startswith("--") and word.partition("=")[1:] == ("=", "")
        behind = word.removesuffix("=") or before
        if (not word or is_unnamed) and MAY_BE_EMPTY.isdisjoint((before, behind)):
            raise typer.BadParameter(f"the name after {behind} is empty: is a shell variable not set?")


@contextlib.contextmanager
def _escaped_usage() -> Iterator[None]:
    """Removes passwords and control characters from typer's messages about a command line, and lets them name the
    option meant.
    """
    try:
        yield
    except Exception as error:
        if hasattr(error, "possibilities"):
            _name_the_longer(error)
            _say_how_names_begin(error)
            _name_what_is_meant(error)
        if hasattr(error, "format_message") and isinstance(getattr(error, "message", None), str):
            _name_the_value(error)
            _name_the_option(error)
            error.message = escaped(with_bytes(error.message), lines=True)  # type: ignore[attr-defined]
            error.message = without_passwords(error.message)  # type: ignore[attr-defined]
        raise


def _say_how_names_begin(error: Any) -> None:
    """Adds to typer's error for an unknown option how to give a name that begins with -."""
    takes_names = any(each.param_type_name == "argument" for each in error.ctx.command.params)
    if takes_names and not error.option_name.startswith("--"):
        error.message += f"; put a name that begins with - after --: `{error.ctx.command_path} -- NAME`"


def _name_the_longer(error: Any) -> None:
    """Lets typer's error, which proposes similar options, propose those that begin with the unknown one."""
    options = [name for each in error.ctx.command.params for name in (*each.opts, *each.secondary_opts)]
    error.possibilities = [
        name for name in options if name.startswith(error.option_name)
    ] or error.possibilities


def _name_what_is_meant(error: Any) -> None:
    """Lets typer's error name the equivalent of another command's option: for a window, or for an output file."""
    options = {name for each in error.ctx.command.params for name in each.opts}
    meant = {"--window": "--against", "-w": "--against", "--against": "--window"}.get(error.option_name)
    if meant in options and error.ctx.command.name in ("check", "query"):
        error.possibilities = [meant]
    if error.option_name in ("--output", "-o"):
        error.message += f"; `{error.ctx.command_path} ... > FILE` writes what it prints to a file"
        error.possibilities = []  # a similar option would not be for a file


def _name_the_value(error: Any) -> None:
    """Lets typer's error name the value that pydantic could not read."""
    if hasattr(error.__cause__, "errors"):
        value = repr(error.__cause__.errors()[0]["input"])
        why = error.message.removeprefix("Value error, ")
        error.message = why if value in why else f"{value}: {why}"


def _name_the_option(error: Any) -> None:
    """Lets typer's error for surplus words that are a window, a file or a text name the option that is missing."""
    left_over = _LEFT_OVER_RE.fullmatch(error.message)
    if left_over is None or error.ctx is None:
        return
    word = left_over[1]
    # These two return False for a name that is too long; Path raises.
    is_window = word.startswith(("http://", "https://")) or os.path.isdir(word)  # noqa: PTH112
    is_file = word == "-" or os.path.isfile(word)  # noqa: PTH113
    option = "--window" if is_window else "--file" if is_file else "--text"
    if any(option in each.opts for each in error.ctx.command.params):
        error.message = f"{word} has no option before it: did you mean {option} {shlex.quote(word)}?"
