"""Numbers with their nouns, and names of which there may be many, as people read them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, one: str, more: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "match", "matches"), counted(1200, "document")
    ('1 match', '1,200 documents')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def some_of(names: Sequence[str], most: int = 3, separator: str = ", ") -> str:
    """The first `most` names, and how many more there are.

    >>> some_of(["a", "b", "c", "d"], 2), some_of(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    """
    more = len(names) - most
    return separator.join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
