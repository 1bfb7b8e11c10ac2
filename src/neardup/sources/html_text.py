"""The text of HTML: every word between its tags, with a line for each block, as plain text of mails has it: `> ` before
what a mail quotes, and a rule where one is drawn.
"""

from __future__ import annotations

import re
from typing import Any, Final

_UNSEEN: Final = frozenset({"head", "script", "style", "svg", "template", "title"})
_PARAGRAPHS: Final = frozenset({
    "blockquote", "dl", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "section", "table", "ul",
})  # fmt: skip
"""Elements with a blank line before and behind them."""
_LINES: Final = frozenset({
    "address", "article", "aside", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dt",
    "fieldset", "figcaption", "footer", "form", "header", "hgroup", "legend", "li", "main", "menu", "nav", "optgroup",
    "option", "search", "select", "summary", "tbody", "tfoot", "thead", "tr",
})  # fmt: skip
"""Elements that begin and end lines."""
_SPACED: Final = frozenset({"button", "iframe", "img", "input", "object", "td", "textarea", "th"})
"""Elements within a line that are apart from the words beside them."""
_MOST_SIGNS: Final = 16
"""How many quote marks a line begins with at most: with one for each of thousands of quotations a page could become a
thousand times as long.
"""
_RULE: Final = "_" * 32
"""A rule, as in plain text: the message that a mail answers, or a footer, follows."""
_LINE_END_RE: Final = re.compile(r"\r\n?|\n")


class _Page:
    """The lines of a page as far as it was read. `quotes`: how many quotations its next words are in."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._pieces: list[str] = []
        self._begins_paragraph = False
        self.quotes = self.preformatted = 0

    def add(self, text: str | None) -> None:
        """Adds text to the line; within `<pre>` its lines stay lines."""
        first, *others = _LINE_END_RE.split(text or "") if self.preformatted else [text or ""]
        self._pieces.append(first)
        for line in others:
            self.end_line(keeps_blank=True)
            self._pieces.append(line)

    def end_line(self, *, keeps_blank: bool = False) -> None:
        """Ends the line, if it has words. A blank one (`keeps_blank`) ends a paragraph."""
        words = " ".join("".join(self._pieces).split())
        self._pieces.clear()
        if words:
            if self._begins_paragraph and self._lines:
                self._lines.append("")
            self._begins_paragraph = False
            self._lines.append(f"{'> ' * min(self.quotes, _MOST_SIGNS)}{words}")
        elif keeps_blank:
            self._begins_paragraph = True

    def end_paragraph(self) -> None:
        """Ends the line; a blank line comes before the next one."""
        self.end_line()
        self._begins_paragraph = True

    def text(self) -> str:
        """All lines."""
        self.end_line()
        return "\n".join(self._lines)


def text_of_tree(tree: Any) -> str:
    """The text of a page, or of part of one, that lxml has parsed without comments; menus, footers and hidden elements
    are part of it, scripts, styles and drawings are not.

    Lines are those of blocks and of `<br>`, white space within them is one space, a blank line divides paragraphs.
    Takes time in proportion to the page, however deep its elements are nested.
    """
    from lxml import etree  # noqa: PLC0415 - only those who read HTML have it

    page = _Page()
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            if element.tag in _UNSEEN:
                walk.skip_subtree()
                continue
            _begin(page, element)
            page.add(element.text)
        else:
            if element.tag not in _UNSEEN:
                _end(page, element)
            if element is not tree:
                page.add(element.tail)
    return page.text()


def _begin(page: _Page, element: Any) -> None:
    """What the beginning of an element does to the line."""
    if element.tag == "br":
        page.end_line(keeps_blank=True)
    _break(page, element)
    if _is_rule(element):
        page.end_paragraph()
        page.add(_RULE)
        page.end_paragraph()
    if element.tag == "pre":
        page.preformatted += 1
    page.quotes += _is_quotation(element)


def _end(page: _Page, element: Any) -> None:
    """What the end of an element does to the line."""
    _break(page, element)
    if element.tag == "pre":
        page.preformatted -= 1
    page.quotes -= _is_quotation(element)


def _break(page: _Page, element: Any) -> None:
    """Ends a paragraph or a line, or sets words apart, where an element does so at its beginning and its end."""
    if element.tag in _PARAGRAPHS or _names_author(element):
        page.end_paragraph()
    elif element.tag in _LINES:
        page.end_line()
    elif element.tag in _SPACED:
        page.add(" ")


def _is_quotation(element: Any) -> bool:
    """Whether a mail program has marked the element as what the mail replies to: those that quote in a `blockquote`,
    Yahoo, and GMX.
    """
    named = str(element.get("class"))
    if element.tag == "blockquote":
        return str(element.get("type")).lower() == "cite" or "gmail_quote" in named
    return element.tag == "div" and ("yahoo_quoted" in named or element.get("name") == "quote")


def _is_rule(element: Any) -> bool:
    """Whether a line is drawn at the beginning of the element, as Outlook draws it above the headers of a message."""
    if element.tag == "hr":
        return True
    return element.tag == "div" and "border-top:solid" in str(element.get("style")).replace(" ", "").lower()


def _names_author(element: Any) -> bool:
    """Whether the element is, or begins with, the line before a quotation that says who wrote it; what stands before
    that line is no part of its paragraph.
    """
    named = str(element.get("class"))
    return any(each in named for each in ("gmail_attr", "moz-cite-prefix", "protonmail_quote"))
