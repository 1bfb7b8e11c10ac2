"""neardup serve: a window over HTTP, for programs and for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window, report_fields, window_location


def serve(
    window: options.WindowOption = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but a loopback address needs a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 is any free port.")
    ] = 8_642,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="NEARDUP_TOKEN",
            metavar="TOKEN",
            show_default="none on loopback, else one is generated",
            help="Token that every request must carry. The environment is safer: the process list shows options.",
        ),
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default="news.judged.tsv for news.window",
            help="Write judgements of pairs to this file, for `neardup evaluate --truth`.",
        ),
    ] = None,
    ingest: Annotated[
        bool,
        typer.Option(
            "--ingest", help="Open the window for writing, and accept documents; else it is only read."
        ),
    ] = False,
    max_body: Annotated[
        int, typer.Option(metavar="BYTES", min=1_000, help="Maximum size of a request, in bytes.")
    ] = 32_000_000,
    rate: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Maximum requests per second from one client; 0 is no limit."),
    ] = 50,
    config_file: options.ConfigOption = None,
) -> None:
    """Serve a window over HTTP: pages to paste texts into and to read and judge groups; an API with OpenAPI; metrics.

    Unless --ingest is given, the window is only read, and another process can write to it meanwhile; what that commits
    is seen within a quarter of a second.

    Examples:

        neardup serve --window news.window

        neardup serve --window news.window --host 0.0.0.0 --port 8000
    """
    from neardup.cli.serving import limits_for, listen, needs_extra, until_terminated

    needs_extra("serve")
    config = configuration(config_file)
    location = window_location(window, config)
    report_fields(config, ingests=ingest)
    limits = limits_for(host, token, body=max_body, rate=rate)
    with until_terminated(), opened_window(window, config, readonly=not ingest, remember=ingest) as target:
        listen(target, location, host, port, limits, judged=judged, ingests=ingest, own_token=bool(token))
