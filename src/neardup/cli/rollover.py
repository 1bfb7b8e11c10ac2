"""neardup rollover: make the index of this hour and the next, and move the write alias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.cli import options
from neardup.cli.cluster import connected
from neardup.cli.context import configuration
from neardup.cli.tables import check_output, print_line

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster


def rollover(
    window: options.AddressOption = None,
    now: options.NowOption = None,
    config_file: options.ConfigOption = None,
) -> None:
    """Make a window's indices of the current hour and the next, and point its write alias to the current one.

    For clients that write to one name, the prefix: run it at the beginning of every hour. `neardup watch` does it
    too. Running it again changes nothing.

    Example:

        neardup rollover --window https://localhost:9200/news
    """
    from neardup.elastic.admin.rollover import roll_over
    from neardup.model.clock import now_ms
    from neardup.model.times import parse_time

    check_output()
    milliseconds = now_ms() if now is None else parse_time(now)
    config = configuration(config_file)
    with connected(window, config, make=True) as cluster:
        _check_hourly(cluster)
        done = roll_over(cluster, milliseconds)
    for line in done or ["nothing to do"]:
        print_line(line)


def _check_hourly(cluster: Cluster) -> None:
    """Raises `SettingsError` for a window that is scored in place: documents in hours of it would not be scored."""
    from neardup.elastic.window.state_document import read_state
    from neardup.errors import SettingsError

    state = read_state(cluster)
    if state is not None and state.archive is not None:
        expected = (
            f"a window kept in hours: this one scores {state.archive} in place, so write documents there"
        )
        raise SettingsError("window", str(cluster.address), expected)
