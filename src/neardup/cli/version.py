"""neardup version: which version this is."""

from __future__ import annotations

import typer


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
    from neardup.version import VERSION

    print(f"neardup {VERSION}")
