"""neardup reconcile: score anew what deletions and late documents have left behind."""

from __future__ import annotations

from neardup.cli import options
from neardup.cli.door import say
from neardup.cli.session import configured, opened


def reconcile(window: options.WindowOption = None, config: options.ConfigOption = None) -> None:
    """Score every stored document anew and print the verdicts that changed.

    Example:

        neardup reconcile --window news.window
    """
    from neardup.cli.tables import counted, print_lines

    with opened(window, configured(config)) as target:
        changed = print_lines(verdict.to_dict() for verdict in target.reconcile())
    say(f"{counted(changed, 'verdict')} changed")
