"""How alike a copy and its best match are now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.model.counted import shown_score
from neardup.reading.explanation import explain

if TYPE_CHECKING:
    from neardup.model.settings import Recipe
    from neardup.window.base import ReadDocument


def present_score(copy: ReadDocument, original: ReadDocument | None, recipe: Recipe | None) -> float | None:
    """The doc_q of a copy with the text that its best match has now, where that is not the score of its verdict:
    another text has replaced the best match, or the window has another recipe. None if it is, or if the best match has
    left the window.
    """
    if original is None or copy.verdict.score is None:
        return None
    now = explain(original.counted, copy.counted, recipe=recipe).doc_q
    return None if shown_score(now) == shown_score(copy.verdict.score) else now
