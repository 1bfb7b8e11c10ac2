"""neardup doctor: whether everything that neardup needs is there."""

from __future__ import annotations

import typer

from neardup.cli import options
from neardup.cli.context import configuration, window_location
from neardup.cli.exit_codes import DONE, UNUSABLE


def doctor(
    window: options.WindowOption = None,
    format: options.PrintedOption = "table",
    config: options.ConfigOption = None,
) -> None:
    """Check Python, the libraries, the data files, the kernels' cache and the window; exit code 3 if one is unusable.

    Of a window in Elasticsearch it checks the cluster, the plugin and how it signs on every node, templates, pipeline
    and every hour. Every finding says what to do.

    Examples:

        neardup doctor --window news.window

        neardup doctor --window https://localhost:9200/news
    """
    from pathlib import Path

    from neardup.cli.installation import examine, examine_installation
    from neardup.cli.tables import STYLES, print_lines, print_table
    from neardup.elastic.http.address import is_address, parse_address

    settings = configuration(config)
    settings.check_secrets(window)
    location = window_location(window, settings)
    if is_address(location):
        # The client library takes half a second to load.
        from neardup.elastic.admin.checks import examine as examine_cluster

        checks = [*examine_installation(), *examine_cluster(parse_address(location), settings.credentials)]
    else:
        checks = list(examine(Path(location)))
    if format == "jsonl":
        print_lines(check._asdict() for check in checks)
    else:
        styles = [STYLES.get(check.state, "") for check in checks]
        print_table(("what", "state", "found"), checks, styles=styles)
    raise typer.Exit(UNUSABLE if any(check.state == "bad" for check in checks) else DONE)
