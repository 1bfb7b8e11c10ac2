"""Checksum: two texts are copies if a hash of the whole is equal.

Montanari & Puglisi (2012), "Near duplicate document detection for large information flows", section 3.1, "Checksum
and fingerprints": SHA-1 of the text finds exact copies and nothing else. Of the normal form it forgives spacing and
punctuation; that is what the product calls an exact copy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import ClassVar

from neardup.baselines import tokens
from neardup.baselines.base import YES_NO, Method
from neardup.model.document import encode_text


class Checksum(Method[bytes]):
    """SHA-1 of a text, or of its `normal` form."""

    paper: ClassVar[str] = "Montanari & Puglisi 2012, section 3.1 (checksum and fingerprints)"
    thresholds = YES_NO

    def __init__(self, *, normal: bool = False) -> None:
        self.name = "checksum(normal form)" if normal else "checksum(text)"
        self._normal = normal

    def sign(self, text: str) -> bytes:
        """20 bytes; none for an empty text (normal form)."""
        data = tokens.normal_form(text) if self._normal else encode_text(text)
        return hashlib.sha1(data, usedforsecurity=False).digest() if data else b""

    def score(self, a: bytes, b: bytes) -> float:
        """1 for equal ones."""
        return float(a == b != b"")

    def keys(self, signature: bytes, threshold: float) -> Iterable[bytes]:  # noqa: ARG002 - it is all or nothing
        """The checksum itself."""
        return (signature,) if signature else ()

    def size(self, signature: bytes) -> int:
        """20 bytes."""
        return len(signature)
