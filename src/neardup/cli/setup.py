"""neardup setup: make templates, pipeline and policy of a window in Elasticsearch."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from neardup.cli import options
from neardup.cli.cluster import connected
from neardup.cli.context import configuration
from neardup.cli.streams import log_line
from neardup.cli.tables import check_output, print_line
from neardup.model.settings import MAX_SIMHASH_VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from neardup.cli.config import Config
    from neardup.elastic.admin.hour_changes import Change
    from neardup.elastic.admin.setup import Plan
    from neardup.elastic.http.client import Cluster

_signing = partial(typer.Option, rich_help_panel="Signing")


def setup(
    window: options.AddressOption = None,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    reach: options.ReachOption = None,
    simhash_variants: Annotated[
        int | None,
        _signing(
            metavar="N",
            show_default=options.shown(options.RECIPE.simhash_variants),
            help=f"Simhashes per document, 1 to {MAX_SIMHASH_VARIANTS}.",
        ),
    ] = None,
    lexicon: Annotated[
        Path | None,
        _signing(
            metavar="FILE|NAME",
            show_default="the one that ships",
            help="Lexicon: a local file NAME.lexicon, or NAME in config/neardup of every node.",
        ),
    ] = None,
    salt: Annotated[
        Path | None,
        _signing(
            metavar="FILE|NAME",
            show_default="none",
            help="Secret of the sketches: a local file NAME.salt, or NAME in config/neardup of every node.",
        ),
    ] = None,
    sign: Annotated[
        Literal["plugin", "client", "auto"] | None,
        _signing(
            show_default="auto",
            help="Who signs: the nodes, the client, or the nodes if they have the plugin.",
        ),
    ] = None,
    lossless: Annotated[
        bool | None,
        _signing(
            "--lossless/--no-lossless",
            show_default="lossless",
            help="Index q-grams too: the query neardup and complete searches need them, sketches do not.",
        ),
    ] = None,
    words: Annotated[
        bool | None,
        _signing(
            "--words/--no-words",
            show_default="words",
            help="Index sentences and simhashes too: partial copies and routes need them, other copies do not.",
        ),
    ] = None,
    terms: Annotated[
        bool | None,
        _signing(
            "--terms/--no-terms",
            show_default="no terms, unless the client signs",
            help="Index q-grams and sketches as terms, for any query; else for the plugin only, in half the time.",
        ),
    ] = None,
    longest_signed: Annotated[
        int | None,
        _signing(
            "--max-length",
            metavar="N",
            show_default="1,000,000",
            help="Index texts longer than this many characters unsigned, and mark them so.",
        ),
    ] = None,
    window_hours: options.WindowHoursOption = None,
    keep_hours: options.KeepHoursOption = None,
    force: options.LetGoOption = False,
    text_field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="text",
            help="Field in which documents of the window have their text; may be dotted.",
        ),
    ] = None,
    time_field: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="@timestamp",
            help="Field in which documents of the window have their time; may be dotted.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would change.")] = False,
    config_file: options.ConfigOption = None,
) -> None:
    """Create the objects that a window in Elasticsearch needs, or bring them up to date; print every change.

    Settings that are not given stay as the window has them. Running it again changes nothing. It is refused, and
    changes nothing, if the window has documents of another recipe, or is being signed again.

    Examples:

        neardup setup --window https://localhost:9200/news --dry-run

        neardup setup --window https://localhost:9200/news --text-field body --lexicon news.lexicon
    """
    check_output()
    config = configuration(config_file, locals())
    with connected(window, config, make=True) as cluster:
        wanted = {
            "text_field": text_field, "time_field": time_field, "max_length": longest_signed, "sign": sign,
            "lossless": lossless, "words": words, "terms": terms,
        }  # fmt: skip
        plan = _set_up(cluster, config, wanted, force=force, dry_run=dry_run)
    if not plan.changes:
        print_line("nothing to do")
    for note in (plan.hours, *plan.notes):
        log_line(note)


def _print_changes(changes: Iterable[Change], would: str = "") -> None:
    for change in changes:
        for line in f"{would}{change}".splitlines():  # the first line says what changes, those below it how
            print_line(line)


def _set_up(cluster: Cluster, config: Config, wanted: dict[str, Any], *, force: bool, dry_run: bool) -> Plan:
    """The changes, which have been made when this returns unless it is a `dry_run`. They are printed; if the run fails
    half-way, those made so far.
    """
    from neardup.elastic.admin.setup import apply, set_up
    from neardup.elastic.window.setup_changes import (
        before_first_write,
        check_archive,
        check_not_resigning,
        lower_max_length,
    )
    from neardup.elastic.window.state_recovery import describe, keep_hours, lost_state

    hours = config.hours
    check_not_resigning(cluster)
    plan = set_up(cluster, recipe=config.given.get("recipe"), dry_run=True, **hours, **wanted)
    check_archive(cluster, plan.config)
    lost = lost_state(cluster)
    if dry_run:
        plan.changes.extend(lost)
        _print_changes(plan.changes, "would ")
        return plan
    address = str(cluster.address)
    keep_hours(address, hours, credentials=config.credentials, force=force)
    lower_max_length(address, plan.config.max_length, credentials=config.credentials)
    done: list[Change] = []
    try:
        apply(cluster, plan, done.append)
        describe(address, credentials=config.credentials)
        done += lost
    finally:
        _print_changes(done)
    first = before_first_write(cluster)
    return plan._replace(changes=done, notes=[*plan.notes, *([first] if first else [])])
