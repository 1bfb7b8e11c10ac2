"""Readers that need an optional library: what they read, and the command that installs the library."""

from __future__ import annotations

import importlib.util
from typing import Final, NamedTuple


class OptionalReader(NamedTuple):
    """An optional reader: what it reads, and the packages that it needs."""

    reads: str
    packages: tuple[str, ...]

    @property
    def how(self) -> str:
        """The command that installs it."""
        return f"pip install {' '.join(self.packages)}"

    @property
    def if_missing(self) -> str:
        """The command `how` in brackets, to end a sentence; empty if the packages are installed."""
        is_installed = all(importlib.util.find_spec(package) for package in self.packages)
        return "" if is_installed else f" ({self.how})"


ARROW: Final = OptionalReader("Parquet and Arrow", ("pyarrow",))
HTML: Final = OptionalReader("HTML pages and mails (--html)", ("trafilatura", "lxml_html_clean"))
ALL: Final = (ARROW, HTML)
