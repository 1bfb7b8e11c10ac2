"""neardup stats: what a window holds."""

from __future__ import annotations

from neardup.cli import options
from neardup.cli.context import configuration, opened_window


def stats(
    window: options.WindowOption = None,
    format: options.PrintedOption = "table",
    config_file: options.ConfigOption = None,
) -> None:
    """Show what a window holds: documents, hours, sizes, recipe.

    Settings are those that the window was last written with. `kinds`: copies by kind, known if the window is written
    with --kinds. `truncated`, `unscored`: stored documents not compared with all of their window, or with nothing;
    documents that came too late are not stored. `waiting`: documents in a cluster that have no verdict yet.
    `budget_floor`: the hour before which everything was dropped by --max-documents or --max-memory.
    `postings_keys`: the number of different keys in the index; `memory_bytes`: its estimated memory. `mixed`: other
    values of threshold, retrieval, policy or partial (with --containment and --delta) by which some verdicts were
    made, or `unknown`, where the state document of a cluster was lost; other hours and routes are not listed.

    Examples:

        neardup stats --window news.window

        neardup stats --window news.window --format jsonl
    """
    from neardup.cli.tables import print_either

    # The remembered hours, like all else: those of neardup.toml may be refused when the window is written next.
    config = configuration(config_file).without_hours
    with opened_window(window, config, readonly=True) as target:
        properties = target.stats().to_dict()
    if format == "table":
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in properties["kinds"].items())
        properties |= {"mixed": _mixed(properties["mixed"]), "kinds": kinds or "not known"}
    print_either(format, properties)


def _mixed(values: dict[str, list[str]]) -> str:
    """A sentence on the verdicts that were made by other settings than those above."""
    if not values:
        return "no: all verdicts were made with one threshold, retrieval, policy and partial"
    listed = "; ".join(f"{name} {', '.join(others)}" for name, others in values.items())
    if list(values) == ["policy"]:
        return f"some documents were stored with {listed}, and stay as they are"
    but = ", except the policy" if "policy" in values else ""
    return f"some verdicts were made with {listed} (`neardup reconcile` applies the settings above{but})"
