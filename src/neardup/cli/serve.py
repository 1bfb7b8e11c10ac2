"""neardup serve: a window over HTTP, for programs and for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration, opened_window, window_location


def serve(
    window: options.WindowOption = None,
    host: Annotated[
        str, typer.Option(help="Address to listen at; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Port to listen at; 0 is any free one.")
    ] = 8_642,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="NEARDUP_TOKEN",
            metavar="TOKEN",
            show_default="none here, one is made for other addresses",
            help="What every request must show. The environment is safer: options can be read in the process list.",
        ),
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default="judged.tsv",
            help="Write what people say of pairs here, for `neardup evaluate --truth`.",
        ),
    ] = None,
    ingest: Annotated[
        bool, typer.Option("--ingest", help="Own the window and take documents, too; else it is only read.")
    ] = False,
    max_body: Annotated[
        int, typer.Option(metavar="BYTES", min=1_000, help="Bytes of a request at most.")
    ] = 32_000_000,
    rate: Annotated[
        int, typer.Option(metavar="N", min=0, help="Requests of one client a second at most; 0 is no limit.")
    ] = 50,
    config: options.ConfigOption = None,
) -> None:
    """Serve a window over HTTP: a page to paste texts into, to read and judge groups; an API with OpenAPI; metrics.

    Read-only unless --ingest is given, beside whoever writes; what the writer commits is seen within a quarter of a
    second.

    Examples:

        neardup serve --window news.window

        neardup serve --window news.window --host 0.0.0.0 --port 8000
    """
    from neardup.cli.serving import limits_for, listen, needs_extra

    needs_extra("serve")
    settings = configuration(config)
    location = window_location(window, settings)
    limits = limits_for(host, token, body=max_body, rate=rate)
    with opened_window(window, settings, readonly=not ingest, remember=ingest) as target:
        listen(target, location, host, port, limits, judged=judged, ingests=ingest, own_token=bool(token))
