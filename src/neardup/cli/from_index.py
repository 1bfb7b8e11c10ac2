"""`neardup ingest --from-index`: an index of the same cluster as the source, copied or scored in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.cli.cluster import cluster_window_opener, connected, looks_for_partial, settings_of_window
from neardup.cli.context import (
    is_new_window,
    opened_window,
    report_new_window,
    report_without_partial,
    window_location,
)
from neardup.cli.pipeline import code_of_run, ingest_all, opened_sinks, score_backlog
from neardup.cli.streams import log_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.cli.config import Config
    from neardup.cli.sinks import OutputOptions


def ingest_index(window: str | None, config: Config, name: str, outputs: OutputOptions) -> int:
    """Ingests the documents of the index `name`, by copying them into the window; returns the exit code."""
    from neardup.elastic.reindex.capacity import check_fits
    from neardup.elastic.reindex.index_reader import OWN_ID, IndexReader, Source

    location = window_location(window, config)
    outputs.check(config.files_read, window=location)
    with connected(location, config, make=True) as cluster:
        source = Source(cluster, name, config.fields_beside(OWN_ID))
        source.check_time()
        hours = settings_of_window(cluster).with_changes(**config.hours)
        check_fits(source, hours.kept_hours, chosen=bool(config.hours))
        report_new_window(location, config, hours.window_hours)
        checkpoint = source.checkpoint()
        since = checkpoint.time()
        if since is not None:
            log_line(f"continuing where the last run stopped, at {source.time.time(since)}")
        reader = IndexReader(source, since=since, on_done=checkpoint.note)
        with opened_window(window, config, make=True, remember=True, force=outputs.force) as target:
            code = ingest_all(target, reader, outputs)
        checkpoint.clear()
    return code


def score_in_place(
    window: str | None,
    config: Config,
    name: str,
    outputs: OutputOptions,
    *,
    given: Mapping[str, str | None],
) -> int:
    """Scores the documents of the index `name` in place; returns the exit code, 1 also if some cannot be marked.

    `given`: the options for names of fields, with their values.
    """
    from neardup.elastic.reindex.index_reader import OWN_ID
    from neardup.elastic.watch.in_place import prepare
    from neardup.elastic.watch.watcher import Watcher

    location = window_location(window, config)
    outputs.check(config.files_read, window=location)
    options = [option for option, value in given.items() if value is not None]
    opener = cluster_window_opener(location, config, archive=name, **{"window_hours": 0, **config.given})
    with connected(location, config, make=True) as cluster:
        is_new = is_new_window(location, config, hours=lambda: 0)
        layout = prepare(cluster, name, config.settings, config.fields_beside(OWN_ID), given=options)
        if is_new:
            log_line(f"{location} is a new window, which scores {name} in place")
        report_without_partial(config, lambda: looks_for_partial(cluster, config))
        watch = Watcher(opener, cluster, layout, once=True)
        with opened_sinks(outputs, lambda: (sinks.tally.count, watch.expected)) as sinks:
            score_backlog(watch, sinks)
    return code_of_run(sinks, blocked=watch.backlog.blocked)
