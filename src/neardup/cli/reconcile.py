"""neardup reconcile: score anew what deletions and late documents have left behind."""

from __future__ import annotations

from neardup.cli import options
from neardup.cli.context import configuration, opened_window
from neardup.cli.streams import log_line


def reconcile(
    window: options.WindowOption = None,
    threshold: options.ThresholdOption = None,
    config: options.ConfigOption = None,
) -> None:
    """Score every stored document anew and print the verdicts that changed.

    As if all had come in order of time, and by one threshold: that of the window, or the one that is given, which the
    window remembers from then on.

    Examples:

        neardup reconcile --window news.window

        neardup reconcile --window news.window --threshold 0.8
    """
    from neardup.cli.tables import counted, print_lines

    with opened_window(window, configuration(config, locals()), remember=True) as target:
        changed = print_lines(verdict.to_dict() for verdict in target.reconcile())
    log_line(f"{counted(changed, 'verdict')} changed")
