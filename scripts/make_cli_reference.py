"""Writes docs/cli.md from the command line's own definitions, which --help shows.

    python scripts/make_cli_reference.py [--check]

With --check nothing is written, and the exit code is 1 if the file is out of date. The definitions are the annotations
of the command functions, because typer's own objects and output differ between its versions.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from neardup.cli import command_line

if TYPE_CHECKING:
    import typer

TARGET = Path(__file__).resolve().parents[1] / "docs" / "cli.md"


def main() -> int:
    """Write the reference, or compare it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    wanted = reference()
    if arguments.check:
        stale = not TARGET.exists() or TARGET.read_text("utf-8") != wanted
        if stale:
            print(f"{TARGET.name} is stale: run `make docs`", file=sys.stderr)
        return int(stale)
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(wanted, "utf-8")
    return 0


def reference() -> str:
    """The text of docs/cli.md."""
    lines = [
        "# Command reference",
        "",
        "Written by `make docs` from the same definitions that `neardup COMMAND --help` shows; do not edit.",
        "",
    ]
    for name, function in commands("neardup", command_line()):
        lines += [f"## {name}", "", *_description(function.__doc__ or "")]
        rows = list(_rows(function))
        if rows:
            lines += ["| argument or option | what it does | default |", "| --- | --- | --- |", *rows, ""]
    return "\n".join(lines)


def commands(name: str, group: typer.Typer) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every command with its full name and function: that of the group itself, its commands, those of its groups."""
    if group.registered_callback and group.registered_callback.callback:
        yield name, group.registered_callback.callback
    for command in group.registered_commands:
        if command.callback:
            yield f"{name} {command.name or command.callback.__name__}", command.callback
    for below in group.registered_groups:
        if below.typer_instance:
            yield from commands(f"{name} {below.name}", below.typer_instance)


def _description(text: str) -> Iterator[str]:
    """The help text, with its indented examples as blocks of code."""
    inside = False
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        is_code = paragraph.startswith("    ")
        if inside and not is_code:
            yield from ("```", "")
        if is_code:
            yield "" if inside else "```sh"
            yield inspect.cleandoc(paragraph)
        else:
            yield from (paragraph, "")
        inside = is_code
    if inside:
        yield from ("```", "")


def _rows(function: Callable[..., Any]) -> Iterator[str]:
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = get_args(hints[name])[:2]
        shown = _default(info, parameter.default)
        yield f"| {_names(name, kind, info)} | {info.help} | {shown} |"


def _names(name: str, kind: Any, info: OptionInfo | ArgumentInfo) -> str:
    value = (info.metavar or "|".join(_choices(kind))).replace("|", "\\|")
    if isinstance(info, ArgumentInfo):
        several = any(get_origin(each) is list for each in (kind, *get_args(kind)))
        return f"`{value}`" + ("..." if several and " " not in value else "")
    # In an Annotated, typer keeps the first name in the place of the default.
    first = (info.default,) if isinstance(info.default, str) else ()
    declared = (*first, *(info.param_decls or ())) or (f"--{name.replace('_', '-')}",)
    names = ", ".join(f"`{part}`" for one in declared for part in one.split("/"))
    return f"{names} `{value}`" if value else names


def _choices(kind: Any) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif get_origin(kind) in (UnionType, Union):
        for part in get_args(kind):
            yield from _choices(part)


def _default(info: OptionInfo | ArgumentInfo, value: Any) -> str:
    if value is inspect.Parameter.empty:
        return "required"
    if isinstance(info.show_default, str):
        return info.show_default
    return "" if value is None or value is False else str(value)


if __name__ == "__main__":
    sys.exit(main())
