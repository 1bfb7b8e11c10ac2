"""neardup expire: drop the hours that are older than the window."""

from __future__ import annotations

from neardup.cli import options
from neardup.cli.session import configured, opened
from neardup.cli.tables import print_line


def expire(
    window: options.WindowOption = None,
    now: options.NowOption = None,
    window_hours: options.WindowHoursOption = None,
    config: options.ConfigOption = None,
) -> None:
    """Drop every hour that is older than the window, whole, and print the names of those dropped.

    Example:

        neardup expire --window news.window --now 2026-11-21T09:00:00Z
    """
    with opened(window, configured(config, window_hours=window_hours)) as target:
        for hour in target.expire(now):
            print_line(hour)
