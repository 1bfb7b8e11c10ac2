"""neardup rollover: make the index of this hour and the next, and move the write alias."""

from __future__ import annotations

from neardup.cli import options
from neardup.cli.cluster import check_cluster, connected
from neardup.cli.context import configuration
from neardup.cli.tables import check_output, print_line


def rollover(
    window: options.AddressOption = None,
    now: options.NowOption = None,
    config: options.ConfigOption = None,
) -> None:
    """Make the index of the current hour and of the next, and let the alias write to the current one.

    For clients that write to one name, the prefix; run it at the beginning of every hour. `neardup watch` does it
    too. Doing it again changes nothing.

    Example:

        neardup rollover --window https://localhost:9200/news
    """
    from neardup.elastic.admin.rollover import roll_over
    from neardup.model.clock import now_ms
    from neardup.model.document import parse_time

    check_output()
    milliseconds = now_ms() if now is None else parse_time(now)
    settings = configuration(config)
    with connected(window, settings) as cluster:
        check_cluster(str(cluster.address), settings, make=True)
        done = roll_over(cluster, cluster.address, milliseconds)
    for line in done or ["nothing to do"]:
        print_line(line)
