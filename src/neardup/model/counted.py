"""Numbers with their nouns, shares, and names of which there may be many, as people read them."""

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
    """A share cut after so many digits, not rounded: what is below a threshold, or not all, is not shown as if it were.

    >>> cut(0.69996, 3), cut(0.7, 3), cut(0.29, 2), cut(0.9999, 2)
    (0.699, 0.7, 0.29, 0.99)
    """
    steps = 10.0**digits
    return math.floor(steps * share + 1e-9) / steps


def shown_score(score: float) -> str:
    """A doc_q, or another share, in three digits.

    >>> shown_score(0.6997), shown_score(1.0)
    ('0.699', '1.000')
    """
    return f"{cut(score, 3):.3f}"


def shown_percent(share: float) -> str:
    """A share in whole percent.

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
