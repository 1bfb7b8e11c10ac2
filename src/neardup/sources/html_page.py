"""HTML: a page is a document of its main text, with its title and date. Markup is never part of a text.

What of a page is its main text is decided by trafilatura, which is loaded when the first page is read.
"""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from neardup.errors import SettingsError
from neardup.sources import optional_readers
from neardup.sources.encoding import meant_encoding, not_text
from neardup.sources.text_file import content_of, too_long

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.sources.position import Item, Position
    from neardup.sources.streams import Chunk

MISSING: Final = f"installed with its reader of HTML: {optional_readers.HTML.how}"
_HEAD: Final = 4_096
"""Characters in which a page that is whole begins; else it is a part of one, as mails have it."""
_CHARSET_RE: Final = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_SHOWN: Final = ("title", "author", "sitename")
_FEW_TAGS: Final = 256
_SHORT: Final = 1_000_000
"""Tags and characters of a page below which the extractor's own parser reads it to its end: it stops, and says nothing,
behind 256 elements in one another, and behind 10 million bytes without an end, as a picture within a page has.
"""


class PageError(Exception):
    """The page cannot be read to its end, for the reason given."""


def check_extractor() -> None:
    """Raises `SettingsError` if pages cannot be read here."""
    _extractor()


def document(chunks: Iterator[Chunk], position: Position, longest: int) -> Item:
    """The page as a document named by the file; one in which no main text is found is taken whole.

    The encoding is the one named, else UTF-8, what the page says (first, if that is ISO-2022) or what it looks like,
    whichever fits first.
    """
    data = content_of(chunks, longest)
    if data is None:
        return too_long(position, longest)
    if position.encoding and (fault := not_text(data, position.encoding)):
        return position.reject(fault, id=position.stem)
    page = data.decode() if position.encoding else _decoded(data)
    try:
        text, values = _main_text(page)
    except PageError as error:
        return position.reject(str(error), id=position.stem)
    if not text.strip():
        return position.reject("the page has no text", id=position.stem)
    shown = {name: values[name] for name in _SHOWN if values.get(name)}
    return position.document(position.named(data), text, values.get("date"), shown)


def _decoded(data: bytes) -> str:
    said = _CHARSET_RE.search(data, 0, _HEAD)
    named = said[1].decode().lower() if said else ""
    # What is in ISO-2022 is ASCII, with escapes, and so it is UTF-8 in any case.
    for name in (named, "utf-8") if "2022" in named else ("utf-8", named):
        with suppress(SettingsError, ValueError):
            page = data.decode(meant_encoding(name))
            page.encode()  # half a surrogate pair has no UTF-8
            # What is in an encoding that does not begin with ASCII does not say it like this.
            if name == "utf-8" or name in page[:_HEAD].lower():
                return page
    return str(_extractor().utils.decode_file(data))


def _main_text(page: str) -> tuple[str, dict[str, Any]]:
    """The main text of a page, or all of it where none is found; and what else is known of it."""
    page_data = _extractor().bare_extraction(
        _readable(page),
        favor_recall=True,
        include_comments=False,
        with_metadata=True,
        date_extraction_params={"extensive_search": False, "original_date": True},
    )
    values: dict[str, Any] = {} if page_data is None else page_data.as_dict()
    return values.get("text") or text_of(page), values


def text_of(page: str) -> str:
    """All text of a page or a part in HTML, without its markup, scripts and styles.

    Raises `PageError` if it cannot be read to its end.
    """
    whole = page if "<html" in page[:_HEAD].lower() else f"<html><body>{page}</body></html>"
    return str(_extractor().html2txt(_readable(whole)))


def _readable(page: str) -> Any:
    """The page as the extractor takes it: as it is, or where its parser would stop within, parsed by one with higher
    limits.
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
        with suppress(etree.LxmlError):  # what is no page at all is for the extractor to say
            tree = etree.fromstring(page.encode("utf-8", "replace"), parser)
        limit = etree.ErrorTypes.ERR_RESOURCE_LIMIT
        reached = next((error.message for error in parser.error_log if error.type == limit), None)
        if reached is None:
            return tree if huge_tree else page
    reason = str(reached).partition(", use ")[0]  # the rest is for whoever calls the parser
    raise PageError(f"the page cannot be read to its end: {reason}")


@cache
def _extractor() -> Any:
    try:
        import trafilatura  # noqa: PLC0415 - only those who read HTML have and load it
    except ImportError:
        raise SettingsError("html", True, MISSING) from None
    for name in ("trafilatura", "htmldate", "justext"):  # what they say of a page is no message of ours
        logging.getLogger(name).addHandler(logging.NullHandler())
    return trafilatura
