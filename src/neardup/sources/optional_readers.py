"""Readers that need a library which is installed only where it is wanted: what they read, and what installs them."""

from __future__ import annotations

import importlib.util
from typing import Final, NamedTuple


class OptionalReader(NamedTuple):
    """What is read by it, and the packages that it needs."""

    reads: str
    packages: tuple[str, ...]

    @property
    def how(self) -> str:
        """The command that installs it."""
        return f"pip install {' '.join(self.packages)}"

    @property
    def if_missing(self) -> str:
        """The same in brackets, to end a sentence; nothing where it is installed."""
        is_installed = all(importlib.util.find_spec(package) for package in self.packages)
        return "" if is_installed else f" ({self.how})"


ARROW: Final = OptionalReader("Parquet and Arrow", ("pyarrow",))
HTML: Final = OptionalReader("HTML pages and mails (--html)", ("trafilatura", "lxml_html_clean"))
ALL: Final = (ARROW, HTML)
