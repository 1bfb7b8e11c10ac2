"""Figures of pairs found and missed, made from the results of quality/."""

from __future__ import annotations

from typing import Any

from benchmarks.lib.figure import Figure, at_least, at_most, grouped

_LEXICONS = {"default": "the default", "own": "their own", "yesterday": "yesterday's"}


def exactness(rows: Any) -> list[Figure]:
    """Whole corpora against brute force: nothing false, and nothing missed."""
    false, reported = (sum(row[name] for row in rows) for name in ("false", "reported"))
    shown = f"{false:,} false of {reported:,} reported"
    figures = [at_most("nothing false: every corpus, level, threshold and lexicon", 0, "0", false, shown)]
    for (corpus, level), same in grouped(rows, "corpus", "level").items():
        least = {row["threshold"]: _least_recall(row) for row in same}
        found = {t: rows_of for (t,), rows_of in grouped(same, "threshold").items()}
        missed = {t: max(row["missed"] for row in rows_of) for t, rows_of in found.items()}
        figures.append(
            Figure(
                f"{corpus}, `{level}`: recall {_in_words(least)}",
                "1.0",
                ", ".join(
                    f"{rows_of[0]['pairs'] - missed[t]:,} of {rows_of[0]['pairs']:,} at {t}"
                    for t, rows_of in found.items()
                ),
                all(row["recall"] >= _least_recall(row) for row in same),
            )
        )
    return figures


def edits(rows: Any) -> list[Figure]:
    """Edited copies, by kind and rate of edit."""
    figures = []
    for (threshold, level), same in grouped(rows, "threshold", "level").items():
        counted = [row for row in same if row["pairs"]]
        lowest = min(row["recall"] for row in counted)
        figures.append(
            at_least(
                f"{len(counted)} kinds and rates of edits, t = {threshold}, `{level}`: recall 0.999 each", 0.999, "1.0",
                lowest, f"{lowest:.4f} at the lowest; {sum(row['pairs'] for row in counted):,} pairs",
            )
        )  # fmt: skip
    return figures


def kinds(rows: Any) -> list[Figure]:
    """Generated kinds of text, by threshold and lexicon."""
    figures = []
    for (threshold, lexicon), same in grouped(rows, "threshold", "lexicon").items():
        least = _least_recall({"level": "sketch", "threshold": threshold})
        short = sorted((row for row in same if row["recall"] < least), key=lambda row: row["recall"])
        pairs, missed = (sum(row[name] for row in same) for name in ("pairs", "missed"))
        lowest = (
            ""
            if not short
            else f", {len(short)} below, the lowest {short[0]['recall']:.4f} ({short[0]['kind']})"
        )
        figures.append(
            Figure(
                f"{len(same)} kinds of text, t = {threshold}, {_LEXICONS[lexicon]} lexicon: recall {least} each", "1.0",
                f"{pairs - missed:,} of {pairs:,} pairs, {sum(row['false'] for row in same):,} false{lowest}",
                not short,
            )
        )  # fmt: skip
    return figures


def _least_recall(row: dict[str, Any]) -> float:
    """The demand on a level at a threshold."""
    return 1.0 if row["level"] == "complete" else 0.999 if float(row["threshold"]) < 0.7 else 0.9999


def _in_words(least: dict[str, float]) -> str:
    """`least` by threshold, equal ones together."""
    alike: dict[float, list[str]] = {}
    for threshold, recall in least.items():
        alike.setdefault(recall, []).append(threshold)
    if len(alike) == 1:
        return f"{next(iter(alike))}"
    return ", ".join(f"{recall} at {' and '.join(thresholds)}" for recall, thresholds in alike.items())
