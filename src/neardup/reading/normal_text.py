"""A text with its normal form, and where in the text each character of that comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.tables import unicode as unicode_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Positions = NDArray[np.int64]

    from neardup.signing.signer import Signer


class Span(NamedTuple):
    """Part of a text, in characters: from `start` to before `end`."""

    start: int
    end: int


class NormalText(NamedTuple):
    """The normal `form` of a text as code points; the code point at i comes from `text[starts[i]:ends[i]]`."""

    form: NDArray[np.uint32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def span(self, first: int, last: int) -> Span:
        """The span of the text from which the characters of the normal form from `first` to before `last` come."""
        return Span(int(self.starts[first]), int(self.ends[last - 1]))

    def within(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[Positions, Positions]:
        """For spans of the text, (the first places in the normal form that come from them; those after the last)."""
        return np.searchsorted(self.ends, starts, "right"), np.searchsorted(self.starts, ends)


def normal_text(text: str, signer: Signer) -> NormalText:
    """The normal form of `text` by the recipe of `signer`; about 50 ms for a million characters.

    Characters that compose (a letter with its accents) become one; all of them together then count as the origin of the
    result. Raises `ValueError` for an unpaired surrogate.
    """
    points = _code_points(text)
    table = unicode_table.load()
    classes = table.classes[points]
    kept = (classes & unicode_table.KEEP) != 0
    clusters = _composing((classes & unicode_table.NFC_CHECK) != 0)
    for start, end in clusters:
        kept[start:end] = False
    at = np.flatnonzero(kept).astype(np.int64)
    plain = points[at]
    if signer.recipe.fold_case:
        plain = table.lower[plain]
    if not clusters:
        return NormalText(plain, at, at + 1)
    batch = signer.sign([text[start:end].encode() for start, end in clusters])
    composed = [_code_points(batch.text(i).decode()) for i in range(len(clusters))]
    return _merged(plain, at, clusters, composed)


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.uint32)


def _composing(checked: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Stretches that must be normalised as a whole: characters that may compose, each run with the one before it."""
    if not checked.any():
        return []
    edges = np.diff(checked.astype(np.int8), prepend=0, append=0)
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return [(max(start - 1, 0), end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _merged(
    plain: NDArray[np.uint32],
    at: NDArray[np.int64],
    clusters: Sequence[tuple[int, int]],
    composed: Sequence[NDArray[np.uint32]],
) -> NormalText:
    """The normal form: plain characters, each from one character of the text, and the composed clusters, in order."""
    sizes = [len(form) for form in composed]
    starts = np.concatenate([at, np.repeat([start for start, _ in clusters], sizes)])
    ends = np.concatenate([at + 1, np.repeat([end for _, end in clusters], sizes)])
    form = np.concatenate([plain, *composed])
    order = np.argsort(starts, kind="stable")
    return NormalText(form[order], starts[order], ends[order])
