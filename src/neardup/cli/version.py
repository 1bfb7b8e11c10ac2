"""neardup version: which version this is."""

from __future__ import annotations

import typer

from neardup import __version__


def print_version(wanted: bool) -> None:
    """Print the version and end, if it was asked for."""
    if wanted:
        version()
        raise typer.Exit


def version() -> None:
    """Print the version.

    Example:

        neardup version
    """
    print(f"neardup {__version__}")
