"""neardup version: prints the version."""

from __future__ import annotations

import typer

from neardup import __version__


def print_version(wanted: bool) -> None:
    """Prints the version and ends, if it is wanted."""
    if wanted:
        version()
        raise typer.Exit


def version() -> None:
    """Print the version.

    Example:

        neardup version
    """
    print(f"neardup {__version__}")
