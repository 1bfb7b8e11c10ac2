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
        found = target.stats().to_dict()
    if format == "table":
        found |= {"mixed": _mixed(found["mixed"])}
    print_either(format, found)


def _mixed(values: dict[str, list[str]]) -> str:
    """What of the verdicts is not by the settings above."""
    if not values:
        return "no: all verdicts are by the settings above"
    told = "; ".join(f"{name} {', '.join(others)}" for name, others in values.items())
    if list(values) == ["policy"]:
        return f"some documents came under {told}, and stay as they were kept then"
    but = " but the policy" if "policy" in values else ""
    return f"some verdicts are by {told} (`neardup reconcile` brings all{but} to the settings above)"
