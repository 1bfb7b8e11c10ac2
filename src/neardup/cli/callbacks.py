"""Checks of the values of options before a command begins, which raise `typer.BadParameter`."""

from __future__ import annotations

from pathlib import Path

import typer


def that_exist(paths: list[Path] | None) -> list[Path]:
    """`paths`, which must exist; "-" is standard input."""
    for path in paths or ():
        if str(path) != "-" and not path.exists():
            raise typer.BadParameter(f"{path} does not exist")
    return paths or []


def that_exists(path: Path | None) -> Path | None:
    """`path`, which must exist if it is given; "-" is standard input."""
    return that_exist([path])[0] if path else None


def unless_standard_output(path: Path | None) -> Path | None:
    """The `path` of a file to write; None for "-", which means standard output."""
    return None if path is not None and str(path) == "-" else path


def checked_time(text: str | None) -> str | None:
    """`text`, which must be a time if it is given."""
    from neardup.model.times import parse_time

    try:
        if text is not None:
            parse_time(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return text
