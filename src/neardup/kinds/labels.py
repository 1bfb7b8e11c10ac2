"""The kinds of many pairs of texts at once, as verdicts say them: the name, and of equal texts what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from neardup.kinds.kind import kinds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.model.verdict import KindName


class Label(NamedTuple):
    """What a verdict says of a pair; see `neardup.kinds.Kind`."""

    kind: KindName
    differing: tuple[str, str] | None


def labels_of(
    texts: Sequence[bytes | None], others: Sequence[bytes | None], known: Sequence[tuple[int, int]]
) -> list[Label | None]:
    """The label of each text with the other one, both valid UTF-8; None where one of them is None. Of each pair is
    `known` max(|A|, |B|) and |A ∩ B| by q-grams of 4 of the whole texts, or (0, 0).
    """
    pairs, overlaps = list[tuple[bytes, bytes]](), list[tuple[int, int]]()
    for text, other, overlap in zip(texts, others, known, strict=True):
        if text is not None and other is not None:
            pairs.append((text, other))
            overlaps.append(overlap)
    kinds = iter(kinds_of(pairs, fully=False, known=overlaps))
    labels = list[Label | None]()
    for text, other in zip(texts, others, strict=True):
        if text is None or other is None:
            labels.append(None)
            continue
        kind = next(kinds)
        labels.append(Label(kind.name, kind.differing))
    return labels
