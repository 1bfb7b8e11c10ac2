"""neardup stats: what a window holds."""

from __future__ import annotations

from neardup.cli import options
from neardup.cli.session import configured, opened


def stats(
    window: options.WindowOption = None,
    format: options.PrintedOption = "table",
    config: options.ConfigOption = None,
) -> None:
    """Show what a window holds: documents, hours, sizes, recipe.

    Examples:

        neardup stats --window news.window

        neardup stats --window news.window --format jsonl
    """
    from neardup.cli.tables import print_either

    with opened(window, configured(config), readonly=True) as target:
        print_either(format, target.stats().to_dict())
