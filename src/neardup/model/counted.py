"""Numbers with their nouns, as people read them."""

from __future__ import annotations


def counted(count: int, one: str, more: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "match", "matches"), counted(1200, "document")
    ('1 match', '1,200 documents')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"
