"""What a page of HTML consists of."""

from __future__ import annotations

from html.parser import HTMLParser


class Tags(HTMLParser):
    """The names of all tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one tag."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
