"""neardup watch: score what other clients write."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from neardup.cli import options
from neardup.cli.context import check_cluster, cluster_window_opener, configuration, connected
from neardup.cli.streams import log_line
from neardup.cli.tables import counted
from neardup.model.settings import DEFAULT_BATCH_DOCUMENTS, DEFAULT_POLL_SECONDS

if TYPE_CHECKING:
    from neardup.cli.pipeline import Sinks
    from neardup.config import Config
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.watch.backlog import Backlog
    from neardup.elastic.watch.watcher import Watcher

_UNITS: Final = ((86_400, "days"), (3_600, "h"), (60, "min"), (1, "s"))


def watch(
    window: options.AddressOption = None,
    once: Annotated[bool, typer.Option("--once", help="End when nothing waits any more.")] = False,
    poll: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0.1, help="How long to wait before looking again."),
    ] = DEFAULT_POLL_SECONDS,
    batch_documents: Annotated[
        int,
        typer.Option("--batch", metavar="N", min=1, help="Documents worked in one go; changes no verdict."),
    ] = DEFAULT_BATCH_DOCUMENTS,
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
    from neardup.cli.pipeline import exit_code, opened_sinks, score_backlog
    from neardup.cli.sinks import OutputOptions

    settings = configuration(config, locals())
    outputs = OutputOptions(format, output, rejects, append, force)
    outputs.check(settings.files_read)
    with connected(window, settings) as cluster:
        check_cluster(str(cluster.address), settings, make=False)
        pace = {"once": once, "poll": poll, "batch": batch_documents}
        watching = _watch(cluster, settings, force=force, rollover=not no_rollover, **pace)
        with opened_sinks(outputs, lambda: (watching.handled, None)) as sinks:
            score_backlog(watching, sinks, on_backlog=_BacklogReport(sinks, report))
    raise typer.Exit(exit_code(sinks, blocked=watching.backlog.blocked))


def _watch(cluster: Cluster, config: Config, *, force: bool, rollover: bool, **pace: Any) -> Watcher:
    """The watch over the window of `cluster`, which also makes the indices of coming hours if `rollover`."""
    from neardup.elastic.admin.rollover import roll_over
    from neardup.elastic.watch.backlog import layout_at
    from neardup.elastic.watch.watcher import Watcher

    layout = layout_at(cluster)
    hourly = rollover and layout.archive is None
    return Watcher(
        cluster_window_opener(str(cluster.address), config, force=force, **config.given),
        cluster,
        layout,
        roll_over=(lambda now: roll_over(cluster, cluster.address, now)) if hourly else None,
        **pace,
    )


class _BacklogReport:
    """Shows how many documents wait: in the bar where there is one, else every so often as a line on standard error."""

    def __init__(self, sinks: Sinks, every: float) -> None:
        self._sinks, self._every, self._last = sinks, every, float("-inf")

    def __call__(self, backlog: Backlog) -> None:
        tally = self._sinks.tally
        tally.waiting = in_words(backlog, time.time())
        tally.update()
        now = time.monotonic()
        if not self._sinks.has_bar and now - self._last >= self._every:
            self._last = now
            log_line(f"{counted(tally.count, 'document')} scored; {tally.waiting}")


def in_words(backlog: Backlog, now: float) -> str:
    """How far scoring is behind at `now` (seconds).

    >>> from neardup.elastic.watch.backlog import Backlog
    >>> in_words(Backlog(1200, 1_795_251_600_000), 1_795_251_690), in_words(Backlog(), 0)
    ('1,200 wait, the oldest for 1.5 min', 'none waits')
    """
    words = f"{backlog.waiting:,} wait" if backlog.waiting else "none waits"
    if backlog.oldest is not None:
        age = max(0.0, now - backlog.oldest / 1_000)
        size, unit = next(((size, unit) for size, unit in _UNITS if age >= size), _UNITS[-1])
        number = f"{age / size:.2g}" if age < 10 * size else f"{age / size:,.0f}"
        words += f", the oldest for {number} {unit}"
    if backlog.blocked:
        words += f"; {backlog.blocked:,} more in indices that are read-only"
    return words
