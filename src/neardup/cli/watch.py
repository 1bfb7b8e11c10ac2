"""neardup watch: scores the documents that other clients write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from neardup.cli import options
from neardup.cli.cluster import cluster_window_opener, connected, looks_for_partial
from neardup.cli.context import configuration, forces_hours, report_without_partial
from neardup.cli.metrics import MetricsOption, metrics_at
from neardup.model.settings import DEFAULT_POLL_SECONDS

if TYPE_CHECKING:
    from neardup.cli.config import Config
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.watch.watcher import Watcher


def watch(
    window: options.AddressOption = None,
    once: Annotated[bool, typer.Option("--once", help="End when no document is left to score.")] = False,
    poll: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.1,
            max=86_400,
            help="How long to wait before looking again for documents.",
        ),
    ] = DEFAULT_POLL_SECONDS,
    batch_documents: options.BatchDocumentsOption = None,
    no_rollover: Annotated[
        bool,
        typer.Option("--no-rollover", help="Do not make indices of coming hours or move the write alias."),
    ] = False,
    report: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0, help="How often to report the backlog if no progress bar shows it."
        ),
    ] = 60.0,
    threshold: options.ThresholdOption = None,
    retrieval: options.RetrievalOption = None,
    candidates: options.CandidatesOption = None,
    matches: options.MatchesOption = None,
    window_hours: options.WindowHoursOption = None,
    keep_hours: options.KeepHoursOption = None,
    ahead_hours: options.AheadHoursOption = None,
    advance: options.AdvanceOption = None,
    routes: options.RoutesOption = None,
    partial: options.PartialOption = None,
    containment: options.ContainmentOption = None,
    delta: options.DeltaOption = None,
    min_shared: options.MinSharedOption = None,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    reach: options.ReachOption = None,
    lexicon: options.LexiconOption = None,
    salt: options.SaltOption = None,
    kinds: options.KindsOption = None,
    max_documents: options.MaxDocumentsOption = None,
    max_memory: options.MaxMemoryOption = None,
    output: options.OutputOption = None,
    rejects: options.RejectsOption = None,
    append: options.AppendOption = False,
    force: options.ForceOption = False,
    metrics: MetricsOption = None,
    format: Annotated[
        Literal["jsonl", "quiet"],
        options.writing("--format", "-f", help="Format of standard output; quiet prints nothing there."),
    ] = "jsonl",
    threads: options.ThreadsOption = None,
    config_file: options.ConfigOption = None,
) -> None:
    """Score the documents that other clients write into a window in Elasticsearch, and mark them.

    Documents without a verdict in the hours of the window, whether from Logstash, Beats or any bulk request, are scored
    in order of time and id, and the verdict is written into each document. So an interrupted watch resumes where it
    stopped. If two run at once, one works and the other stands by; with --candidates search they share the work. A
    document that cannot be scored is marked as unscored, with the reason. At the beginning of every hour it makes the
    next hours' indices, as `neardup rollover` does; and again if the current one is deleted.

    Examples:

        neardup watch --window https://localhost:9200/news --format quiet

        neardup watch --window https://localhost:9200/news --once --output verdicts.jsonl
    """
    from neardup.cli.pipeline import BacklogReport, code_of_run, opened_sinks, score_backlog
    from neardup.cli.sinks import OutputOptions

    config = configuration(config_file, locals())
    outputs = OutputOptions(format, output, rejects, append, force, metrics=metrics_at(metrics, "watch"))
    outputs.check(config.files_read)
    with connected(window, config, make=False) as cluster:
        watching = _watch(cluster, config, force=force, rollover=not no_rollover, once=once, poll=poll)
        with opened_sinks(outputs, lambda: (watching.handled, None)) as sinks:
            score_backlog(watching, sinks, on_backlog=BacklogReport(sinks, report))
    raise typer.Exit(code_of_run(sinks, blocked=watching.backlog.blocked))


def _watch(cluster: Cluster, config: Config, *, force: bool, rollover: bool, **pace: Any) -> Watcher:
    """The watcher of the window of `cluster`, which also makes the indices of coming hours if `rollover`."""
    from neardup.elastic.admin.rollover import Rollover
    from neardup.elastic.watch.backlog import layout_at
    from neardup.elastic.watch.watcher import Watcher

    layout = layout_at(cluster)
    forces = forces_hours(config, force=force)
    hourly = rollover and layout.archive is None
    report_without_partial(config, lambda: looks_for_partial(cluster, config))
    return Watcher(
        cluster_window_opener(str(cluster.address), config, force=forces, follows=[], **config.given),
        cluster,
        layout,
        roll_over=Rollover(cluster) if hourly else None,
        **pace,
    )
