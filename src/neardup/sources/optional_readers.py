"""Readers that need a library which is installed only where it is wanted: what they read, and what installs them."""

from __future__ import annotations

from typing import Final, NamedTuple


class OptionalReader(NamedTuple):
    """What is read by it, and the packages that it needs."""

    reads: str
    packages: tuple[str, ...]

    @property
    def how(self) -> str:
        """The command that installs it."""
        return f"pip install {' '.join(self.packages)}"


ARROW: Final = OptionalReader("Parquet and Arrow", ("pyarrow",))
HTML: Final = OptionalReader("HTML pages and mails (--html)", ("trafilatura", "lxml_html_clean"))
ALL: Final = (ARROW, HTML)
