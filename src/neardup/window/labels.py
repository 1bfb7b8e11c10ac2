"""Kinds of copies in a window: what each is to its best match, by the two texts as they came (neardup.kinds)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.kinds.labels import labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.model.verdict import Verdict
    from neardup.window.state import State


def with_kinds(
    state: State,
    verdicts: Sequence[Verdict],
    subjects: Sequence[bytes | int],
    originals: Sequence[int],
) -> list[Verdict]:
    """Verdicts on copies, of `subjects`, which are texts or stored documents, with the kind of each; `originals` are
    their best matches. Without it, where one of the texts was not kept, or the settings say so.

    All that is read from the store is read at once: it may be a request.
    """
    if not verdicts or not _has_kinds(state):
        return list(verdicts)
    wanted = list(dict.fromkeys([*originals, *(each for each in subjects if isinstance(each, int))]))
    came = dict(zip(wanted, state.came(wanted), strict=True))
    texts = [came[each] if isinstance(each, int) else each for each in subjects]
    labels = labels_of(texts, [came[doc] for doc in originals])
    return [
        verdict if label is None else verdict._replace(kind=label.kind, differing=label.differing)
        for verdict, label in zip(verdicts, labels, strict=True)
    ]


def _has_kinds(state: State) -> bool:
    """Whether kinds are said: as set, or else where texts are kept as they come."""
    wanted = state.settings.kinds
    if wanted is None:
        return state.store.keeps_text is None or state.keeps_came
    return wanted
