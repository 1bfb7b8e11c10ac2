"""neardup setup: make templates, pipeline and policy of a window in Elasticsearch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from neardup.cli import options
from neardup.cli.connection import AddressOption, connected
from neardup.cli.exit_codes import say
from neardup.cli.session import check_cluster, configured
from neardup.cli.tables import print_line

SIGNING = "Signing"


def setup(
    window: AddressOption = None,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    simhash_variants: Annotated[
        int | None,
        typer.Option(
            metavar="N", show_default="1", rich_help_panel=SIGNING, help="Simhashes a document, 1 to 10."
        ),
    ] = None,
    lexicon: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|NAME",
            show_default="the one that ships",
            rich_help_panel=SIGNING,
            help="Lexicon: NAME.lexicon here, or NAME in every node's config/neardup.",
        ),
    ] = None,
    sign: Annotated[
        Literal["plugin", "client", "auto"] | None,
        typer.Option(
            show_default="auto",
            rich_help_panel=SIGNING,
            help="Who signs: the nodes, the client, or the nodes if they have the plugin.",
        ),
    ] = None,
    max_length: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            show_default="1,000,000",
            rich_help_panel=SIGNING,
            help="Longer texts (in characters) are indexed unsigned, and say so.",
        ),
    ] = None,
    window_hours: options.WindowHoursOption = None,
    keep_hours: options.KeepHoursOption = None,
    force: options.ForceOption = False,
    text_field: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default="text", help="Field of the text, dotted or not."),
    ] = None,
    time_field: Annotated[
        str | None, typer.Option(metavar="NAME", show_default="@timestamp", help="Field of the time.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would change.")] = False,
    config: options.ConfigOption = None,
) -> None:
    """Make what a window in Elasticsearch needs, or bring it up to date; print every change.

    What is not given stays as the window has it. Doing it again changes nothing. It is refused, with nothing changed,
    where documents of another recipe are there.

    Examples:

        neardup setup --window https://localhost:9200/news --dry-run

        neardup setup --window https://localhost:9200/news --text-field body --lexicon news.lexicon
    """
    from neardup.elastic.admin.setup import apply, set_up
    from neardup.elastic.window.setup_changes import describe, remember_hours

    settings = configured(
        config,
        q=q,
        fold_case=fold_case,
        simhash_variants=simhash_variants,
        lexicon=lexicon,
        window_hours=window_hours,
        keep_hours=keep_hours,
    )
    hours = {name: settings.given[name] for name in ("window_hours", "keep_hours") if name in settings.given}
    with connected(window, settings) as cluster:
        check_cluster(str(cluster.address), settings, make=True)
        plan = set_up(
            cluster,
            recipe=settings.given.get("recipe"),
            **hours,
            text_field=text_field,
            time_field=time_field,
            max_length=max_length,
            sign=sign,
            dry_run=True,
        )
        if not dry_run:
            remember_hours(str(cluster.address), hours, credentials=settings.credentials, force=force)
            apply(cluster, plan)
            describe(str(cluster.address), credentials=settings.credentials)
    for change in plan.changes:
        told = f"would {change}" if dry_run else str(change)
        for line in told.splitlines():  # the first says what, those below it how
            print_line(line)
    if not plan.changes:
        print_line("nothing to do")
    for note in (plan.hours, *plan.notes):
        say(note)
