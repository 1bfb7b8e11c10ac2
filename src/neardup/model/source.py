"""The source of a document, as its fields name it."""

from __future__ import annotations

import email.utils
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

SOURCE_FIELDS: Final = ("source", "url", "from")
"""The fields that can name the source; the first one that does is used."""


def source_of(fields: Any) -> str:
    """The field `source` as it is, else the host of the `url` without "www.", else the domain of a mail's sender
    (`from`); "" if there is none of them.

    >>> source_of({"source": "Reuters", "url": "https://example.org/a"}), source_of({"url": "https://www.example.org/a"})
    ('Reuters', 'example.org')
    >>> source_of({"from": "Ann Lee <ann@mail.example.org>"}), source_of(None)
    ('mail.example.org', '')
    """
    if not isinstance(fields, Mapping):
        return ""
    source, url, sender = (_said(fields.get(name)) for name in SOURCE_FIELDS)
    return source or _host(url) or _domain(sender)


def _said(value: Any) -> str:
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:  # brackets that are no address
        return ""


def _domain(sender: str) -> str:
    return email.utils.parseaddr(sender)[1].rpartition("@")[2].lower() if "@" in sender else ""
