"""neardup watch: score what other clients write."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from neardup.cli import options
from neardup.cli.connection import AddressOption, connected
from neardup.cli.exit_codes import say
from neardup.cli.pipeline import OutputOptions, exit_code, outlets, score_what_waits
from neardup.cli.session import check_cluster, configured
from neardup.cli.tables import counted

if TYPE_CHECKING:
    from neardup.cli.pipeline import Sinks
    from neardup.elastic.watch.backlog import Backlog

_UNITS: Final = ((86_400, "days"), (3_600, "h"), (60, "min"), (1, "s"))


def watch(
    window: AddressOption = None,
    once: Annotated[bool, typer.Option("--once", help="End when nothing waits any more.")] = False,
    poll: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0.1, help="How long to wait before looking again."),
    ] = 2.0,
    batch: Annotated[
        int, typer.Option(metavar="N", min=1, help="Documents worked in one go; changes no verdict.")
    ] = 256,
    no_rollover: Annotated[
        bool, typer.Option("--no-rollover", help="Do not make the indices of the hours to come.")
    ] = False,
    report: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="How often to tell how many wait, where no bar does."),
    ] = 60.0,
    matches: options.MatchesOption = None,
    window_hours: options.WindowHoursOption = None,
    keep_hours: options.KeepHoursOption = None,
    ahead_hours: options.AheadHoursOption = None,
    advance: options.AdvanceOption = None,
    partial: options.PartialOption = None,
    containment: options.ContainmentOption = None,
    delta: options.DeltaOption = None,
    output: options.OutputOption = None,
    rejects: options.RejectsOption = None,
    append: options.AppendOption = False,
    force: options.ForceOption = False,
    format: Annotated[
        Literal["jsonl", "quiet"],
        typer.Option(
            "--format",
            "-f",
            rich_help_panel=options.WRITING,
            help="What standard output gets; quiet is nothing.",
        ),
    ] = "jsonl",
    config: options.ConfigOption = None,
) -> None:
    """Score the documents that other clients write into a window in Elasticsearch, and mark them.

    Logstash, Beats, any bulk request: whatever lies in the hours of the window without a verdict is scored in order of
    time and id, and its verdict is put into the document. So the marks are the checkpoint: ended in whatever way, it
    goes on where it was. Started twice, one works and the other stands by. A document that cannot be scored is marked
    as unscored, with the reason. At the beginning of every hour it makes the next hours' indices.

    Examples:

        neardup watch --window https://localhost:9200/news --format quiet

        neardup watch --window https://localhost:9200/news --once --output verdicts.jsonl
    """
    from neardup.elastic.admin.rollover import roll_over
    from neardup.elastic.watch.backlog import layout_at
    from neardup.elastic.watch.watcher import Watch
    from neardup.elastic.window.opening import open_elastic_window

    settings = configured(
        config,
        batch_documents=batch,
        matches=matches,
        window_hours=window_hours,
        keep_hours=keep_hours,
        ahead_hours=ahead_hours,
        advance=advance,
        partial=partial,
        containment=containment,
        delta=delta,
    )
    way_out = OutputOptions(format, output, rejects, append, force)
    way_out.check(settings.files_read)
    with connected(window, settings) as cluster:
        place = str(cluster.address)
        check_cluster(place, settings, make=False)
        layout = layout_at(cluster)
        hours = not no_rollover and layout.archive is None
        watching = Watch(
            lambda: open_elastic_window(
                place, credentials=settings.credentials, force=force, **settings.given
            ),
            cluster,
            layout,
            roll_over=(lambda now: roll_over(cluster, cluster.address, now)) if hours else None,
            once=once,
            poll=poll,
            batch=batch,
        )
        with outlets(way_out, lambda: (watching.handled, None)) as out:
            score_what_waits(watching, out, on_lag=_Reporter(out, report).take)
    raise typer.Exit(exit_code(out, blocked=watching.lag.blocked))


class _Reporter:
    """Tells how many wait: in the bar where there is one, else now and then as a line on standard error."""

    def __init__(self, out: Sinks, every: float) -> None:
        self._out, self._every, self._told = out, every, float("-inf")

    def take(self, lag: Backlog) -> None:
        """Takes what a look has shown."""
        tally = self._out.tally
        tally.waiting = in_words(lag, time.time())
        tally.update()
        now = time.monotonic()
        if not self._out.has_bar and now - self._told >= self._every:
            self._told = now
            say(f"{counted(tally.count, 'document')} scored; {tally.waiting}")


def in_words(lag: Backlog, now: float) -> str:
    """How far scoring is behind at `now` (seconds).

    >>> from neardup.elastic.watch.backlog import Backlog
    >>> in_words(Backlog(1200, 1_795_251_600_000), 1_795_251_690), in_words(Backlog(), 0)
    ('1,200 wait, the oldest for 1.5 min', 'none waits')
    """
    words = f"{lag.waiting:,} wait" if lag.waiting else "none waits"
    if lag.oldest is not None:
        age = max(0.0, now - lag.oldest / 1_000)
        size, unit = next(((size, unit) for size, unit in _UNITS if age >= size), _UNITS[-1])
        words += (
            f", the oldest for {age / size:.2g} {unit}"
            if age < 10 * size
            else f", the oldest for {age / size:,.0f} {unit}"
        )
    if lag.blocked:
        words += f"; {lag.blocked:,} more in indices that are read-only"
    return words
