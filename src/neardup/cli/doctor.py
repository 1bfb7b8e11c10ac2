"""neardup doctor: whether everything that neardup needs is there."""

from __future__ import annotations

import typer

from neardup.cli import options
from neardup.cli.door import DONE, UNUSABLE
from neardup.cli.session import configured, place_of


def doctor(
    window: options.WindowOption = None,
    format: options.PrintedOption = "table",
    config: options.ConfigOption = None,
) -> None:
    """Check Python, the libraries, the data files, the kernels' cache and the window; exit code 3 if one is unusable.

    Example:

        neardup doctor --window news.window
    """
    from pathlib import Path

    from neardup.cli.tables import print_lines, print_table
    from neardup.doctor import examine

    checks = list(examine(Path(place_of(window, configured(config)))))
    if format == "jsonl":
        print_lines(check._asdict() for check in checks)
    else:
        styles = [{"ok": "", "warning": "yellow", "bad": "red"}[check.state] for check in checks]
        print_table(("what", "state", "found"), checks, styles=styles)
    raise typer.Exit(UNUSABLE if any(check.state == "bad" for check in checks) else DONE)
