"""Whether a window's sketches reach a threshold: below, nobody knows how many copies they miss."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from neardup.model.settings import REACHES

if TYPE_CHECKING:
    from fractions import Fraction

    from neardup.window.state import State

log = logging.getLogger("neardup")


def warn_below_reach(state: State, threshold: Fraction) -> None:
    """Logs, once a window, that a search by sketch at `threshold` is below their reach, and what to do."""
    lowest = state.signer.recipe.sketch_limits.lowest
    if state.settings.retrieval == "complete" or threshold >= lowest or "reach" in state.warned:
        return
    state.warned.add("reach")
    other = (
        "" if lowest <= min(REACHES) else f", or give its recipe the reach {min(REACHES)} (`neardup resign`)"
    )
    log.warning(
        "the sketches of this window are made for thresholds from %g on: at %g they miss copies. Use the retrieval "
        "complete, which misses none%s",
        float(lowest), float(threshold), other,
    )  # fmt: skip
