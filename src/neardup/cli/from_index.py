"""`neardup ingest --from-index`: an index of the same cluster as the source, copied or scored where it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neardup.cli.connection import connected
from neardup.cli.exit_codes import say
from neardup.cli.pipeline import exit_code, outlets, score_what_waits, take_in
from neardup.cli.session import check_cluster, opened, place_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from neardup.cli.pipeline import OutputOptions
    from neardup.config import Config
    from neardup.sources import Fields


def copied(window: str | None, config: Config, name: str, way: OutputOptions, *, force: bool) -> int:
    """Copies the documents of the index `name` into the window; the exit code."""
    from neardup.elastic.reindex.capacity import check_fits
    from neardup.elastic.reindex.index_reader import Checkpoint, IndexReader, Source
    from neardup.elastic.window.state_document import read_state
    from neardup.model.settings import Settings
    from neardup.stores.remembered_settings import without_earlier

    place = place_of(window, config)
    with connected(place, config) as cluster:
        check_cluster(place, config, make=True)
        source = Source(cluster, name, _fields(config))
        source.check_time()
        content = read_state(cluster)
        hours = {name: config.given[name] for name in ("window_hours", "keep_hours") if name in config.given}
        left = Settings() if content is None else Settings(**without_earlier(content.settings))
        check_fits(source, left.with_changes(**hours).kept_hours, chosen=bool(hours))
        checkpoint = Checkpoint(cluster, source)
        since = checkpoint.time()
        if since is not None:
            say(f"going on where the last run was ended, at {source.time.time(since)}")
        reader = IndexReader(source, since=since, on_done=checkpoint.note)
        with opened(window, config, make=True, remember=True, force=force) as target:
            code = take_in(target, reader, way)
        checkpoint.clear()
    return code


def scored_in_place(
    window: str | None, config: Config, name: str, way: OutputOptions, *, given: Collection[str]
) -> int:
    """Scores the documents of the index `name` where they are; the exit code, 1 also if some cannot be marked."""
    from neardup.elastic.watch.in_place import prepare
    from neardup.elastic.watch.watcher import Watch
    from neardup.elastic.window.opening import open_elastic_window

    place = place_of(window, config)
    settings: dict[str, Any] = {"window_hours": 0, **config.given}
    with connected(place, config) as cluster:
        check_cluster(place, config, make=True)
        layout = prepare(cluster, name, config.settings, _fields(config), given=given)
        watch = Watch(
            lambda: open_elastic_window(place, credentials=config.credentials, archive=name, **settings),
            cluster,
            layout,
            once=True,
        )
        with outlets(way, lambda: (out.tally.count, watch.expected)) as out:
            score_what_waits(watch, out)
    return exit_code(out, blocked=watch.lag.blocked)


def _fields(config: Config) -> Fields:
    """The names of fields; a document of an index has an id beside them."""
    from neardup.elastic.reindex.index_reader import OWN_ID
    from neardup.sources import Fields

    own = config.fields
    return replace(own, id=OWN_ID) if own.id == Fields().id else own
