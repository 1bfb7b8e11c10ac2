"""Files are no stream: what `ingest` decides when it is to read files, and how it says so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from neardup.cli.exit_codes import say
from neardup.cli.tables import counted

if TYPE_CHECKING:
    from neardup import Window
    from neardup.config import Config
    from neardup.sources.time_order import DatedReader, SortedReader


def without_limit(place: str, config: Config, dated: DatedReader) -> Config:
    """`config` without a limit of hours for a new window that files are read into, unless hours are given.

    Raises `SettingsError` if so many hours do not fit into a cluster, where each becomes an index.
    """
    if dated.is_live or not config.given.keys().isdisjoint(("window_hours", "keep_hours")):
        return config
    if not _is_new(place, config, dated):
        return config
    say("files are compared whole: no limit of hours (--window-hours 24 for a rolling window)")
    return config.with_options(window_hours=0)


def in_time(target: Window, dated: DatedReader) -> DatedReader | SortedReader:
    """The documents of files as a window with a limit of hours needs them: in order of time."""
    from neardup.sources.time_order import SortedReader

    if dated.is_live or not target.settings.kept_hours or dated.hour_order().in_order:
        return dated
    hours = counted(target.settings.kept_hours, "hour")
    say(f"the files are not in order of time: read in that order, because this window keeps {hours}")
    return SortedReader(dated)


def tell_undated(dated: DatedReader) -> None:
    """Says what documents without a time were given."""
    if dated.undated:
        without = "document without a time has" if dated.undated == 1 else "documents without a time have"
        say(f"{dated.undated:,} {without} that of the one before, or the first (first: {dated.first})")
    if dated.arriving:
        without = "document without a time has" if dated.arriving == 1 else "documents without a time have"
        say(f"{dated.arriving:,} {without} that of arrival (first: {dated.first})")


def _is_new(place: str, config: Config, dated: DatedReader) -> bool:
    from neardup.elastic.http.address import is_address, parse_address

    if not is_address(place):
        return not (Path(place) / "window.json").exists()
    from neardup.cli.session import FIRST_PATIENCE
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.reindex.capacity import check_room
    from neardup.elastic.window.state_document import read_state

    with Cluster(parse_address(place), config.credentials, patience=FIRST_PATIENCE) as cluster:
        if read_state(cluster) is not None:
            return False
        check_room(cluster, dated.hour_order().hours)
    return True
