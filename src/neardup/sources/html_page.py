"""HTML: a page is a document of its main text, with its title and date. Markup is never part of a text.

trafilatura decides what the main text of a page is; it is loaded when the first page is read.
"""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from datetime import datetime, time
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from neardup.errors import SettingsError
from neardup.sources import optional_readers
from neardup.sources.encoding import (
    MENDED,
    declared_encoding,
    escaped_encoding,
    first_fitting,
    is_binary,
    is_nearly_text,
    nearly_fitting,
    not_text,
)
from neardup.sources.html_text import text_of_tree
from neardup.sources.text_file import content_of, too_long

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.sources.position import Item, Position
    from neardup.sources.streams import Chunk

MISSING: Final = f"installed with its reader of HTML: {optional_readers.HTML.how}"
_END_RE: Final = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_SHOWN: Final = {"title": "title", "author": "author", "source": "sitename"}
"""The fields of a page, and how the extractor calls them. Its name of the site is the one that the page gives, else the
host in the address of the page.
"""
_FEW_TAGS: Final = 256
_SHORT: Final = 1_000_000
"""Numbers of tags and characters below which the extractor's own parser reads a page to its end. It silently stops at
256 nested elements, and at 10 million bytes in one piece, such as a picture embedded in a page.
"""
_GUESSED: Final = "an encoding that was guessed: it is not UTF-8, and names none that fits"
_UNKNOWN: Final = (
    "not UTF-8, and in no encoding that the page names or that can be guessed: --encoding names it"
)

_DATES: Final = {"extensive_search": False, "original_date": True}
"""How the extractor looks for the date of a page: that of publication."""
_TIMES: Final = {**_DATES, "outputformat": "%Y-%m-%dT%H:%M:%S%z", "deferred_url_extractor": True}
"""How it looks for the time of day and the zone, which no address has."""


class PageError(Exception):
    """The page is no text, or cannot be read to its end, for the reason given."""


def check_extractor() -> None:
    """Raises `SettingsError` if pages cannot be read here."""
    _extractor()


def document(chunks: Iterator[Chunk], position: Position, longest: int) -> Item:
    """The page as a document named by the file; a page in which no main text is found is taken whole.

    The encoding is the one named by the user; else the first that fits of UTF-8 and the one that the page names (before
    UTF-8, if it is ISO-2022); else the first of these that nearly fits; else the one that it looks like.
    """
    data = content_of(chunks, longest)
    if data is None:
        return too_long(position, longest)
    if position.encoding and (fault := not_text(data, position.encoding)):
        return position.reject(fault, id=position.stem)
    try:
        page, doubt = (data.decode(), None) if position.encoding else _decoded(data)
        text, values = _main_text(page)
    except PageError as error:
        return position.reject(str(error), id=position.stem)
    if not text.strip():
        return position.reject("the page has no text", id=position.stem)
    if doubt:
        position.notice(f"page has {doubt}")
    shown = {name: values[value] for name, value in _SHOWN.items() if values.get(value)}
    return position.document(position.named(data), text, _published(page, values.get("date")), shown)


def _decoded(data: bytes) -> tuple[str, str | None]:
    """(The page by the likeliest encoding; what is to be said of that). Raises `PageError` if it is no text."""
    declared = declared_encoding(data)
    page = first_fitting(
        (data, name) for name in (escaped_encoding(data, declared), "utf-8", declared) if name
    )
    if page is not None:
        return page, None
    if is_binary(data) and (fault := not_text(data, None)):
        raise PageError(fault)
    page = nearly_fitting(data, ("utf-8", declared))
    if page is not None:
        return page, MENDED
    page = str(_extractor().utils.decode_file(data))
    if not is_nearly_text(page):
        raise PageError(_UNKNOWN)
    return page, _GUESSED


def _main_text(page: str) -> tuple[str, dict[str, Any]]:
    """(The main text of a page, or all its text if no main text is found; its other values, such as title and date)."""
    page_data = _extractor().bare_extraction(
        _readable(page),
        favor_recall=True,
        include_comments=False,
        with_metadata=True,
        date_extraction_params=dict(_DATES),
    )
    values: dict[str, Any] = {} if page_data is None else page_data.as_dict()
    return values.get("text") or text_of(page), values


def _published(page: str, date: str | None) -> str | None:
    """The time of publication in ISO 8601, from the extractor's `date`; only the day, if the page does not say more.
    Where the day is from the address of the page, the time of day is from its fields, if they are of that day.
    """
    if not date:
        return None
    # Asked for a time, the extractor fails at a zone that no clock has, such as +25:00.
    with suppress(ValueError):
        said = _extractor().metadata.find_date(_readable(page), **_TIMES)
        moment = datetime.fromisoformat(said or date)
        if moment.date().isoformat() == date and (moment.tzinfo or moment.time() != time()):
            return moment.isoformat().replace("+00:00", "Z")
    return date


def text_of(page: str) -> str:
    """All text of a page or of a part in HTML, menus and footers too (`html_text.text_of_tree`).

    Raises `PageError` if it cannot be read to its end.
    """
    # The parser stops where a page says that it ends, and footers that others have added follow. The extractor refuses
    # a page that does not begin with <html>.
    tree = _extractor().load_html(_readable(f"<html><body>{_END_RE.sub('', page)}</body></html>"))
    return "" if tree is None else text_of_tree(tree)


def _readable(page: str) -> Any:
    """The page as input of the extractor: as it is, or, where the extractor's parser would stop early, parsed by a
    parser with higher limits. Raises `PageError` if that one reaches its limits, too.
    """
    if page.count("<") < _FEW_TAGS and len(page) < _SHORT:
        return page
    from lxml import etree, html  # noqa: PLC0415 - the extractor loads it, too

    for huge_tree in (False, True):
        parser = html.HTMLParser(
            encoding="utf-8",
            collect_ids=False,
            default_doctype=False,
            remove_comments=True,
            remove_pis=True,
            huge_tree=huge_tree,
        )
        tree = page
        with suppress(etree.LxmlError):  # the extractor reports input that is no page at all
            tree = etree.fromstring(page.encode("utf-8", "replace"), parser)
        limit = etree.ErrorTypes.ERR_RESOURCE_LIMIT
        reached = next((error.message for error in parser.error_log if error.type == limit), None)
        if reached is None:
            return tree if huge_tree else page
    reason = str(reached).partition(", use ")[0]  # the rest is advice to programmers
    raise PageError(f"the page cannot be read to its end: {reason}")


@cache
def _extractor() -> Any:
    try:
        import trafilatura  # noqa: PLC0415 - only those who read HTML have and load it
    except ImportError:
        raise SettingsError("html", True, MISSING) from None
    for name in ("trafilatura", "htmldate", "justext"):  # their messages about a page are not ours
        logging.getLogger(name).addHandler(logging.NullHandler())
    return trafilatura
