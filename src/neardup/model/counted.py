"""Texts for people: numbers with their nouns, shares, and shortened lists of names."""

from __future__ import annotations

import math
from collections.abc import Sequence


def counted(count: int, one: str, more: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "match", "matches"), counted(1200, "document")
    ('1 match', '1,200 documents')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def cut(share: float, digits: int) -> float:
    """A share cut after `digits` decimals, not rounded: a score just below a threshold is not shown as the threshold,
    nor a share below 1 as 1.

    >>> cut(0.69996, 3), cut(0.7, 3), cut(0.29, 2), cut(0.9999, 2)
    (0.699, 0.7, 0.29, 0.99)
    """
    steps = 10.0**digits
    return math.floor(steps * share + 1e-9) / steps


def shown_score(score: float) -> str:
    """A doc_q or another share with three decimals, cut and not rounded.

    >>> shown_score(0.6997), shown_score(1.0)
    ('0.699', '1.000')
    """
    return f"{cut(score, 3):.3f}"


def shown_percent(share: float) -> str:
    """A share in whole percent, cut and not rounded.

    >>> shown_percent(0.997), shown_percent(1.0)
    ('99%', '100%')
    """
    return f"{cut(share, 2):.0%}"


def some_of(names: Sequence[str], most: int = 3, separator: str = ", ") -> str:
    """The first `most` names, and how many more there are.

    >>> some_of(["a", "b", "c", "d"], 2), some_of(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    """
    more = len(names) - most
    return separator.join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
