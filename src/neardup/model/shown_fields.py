"""The fields of a record that are to be shown, as JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from neardup.model.field_path import field_of
from neardup.model.plain_values import is_missing, plain

TITLES: Final = ("title", "subject")
"""The fields that can hold a document's title, if they are kept (setting `show`); mails have a subject."""
BEGINNING: Final = 200
"""The most characters of a text that a table shows, however wide the terminal is."""
_SCALARS: Final = (str, int, float, bool)
_DEEPEST: Final = 100
_MOST: Final = 10_000
"""How many levels of a value, and how many values in it, are kept; lists and objects beyond become `_LEFT_OUT`."""
_LEFT_OUT: Final = "…"


def shown_fields(record: Any, names: Sequence[str]) -> dict[str, Any]:
    """The fields of a record that are in `names` (which may be dotted) and not empty, as JSON values.

    >>> shown_fields({"title": "Rain", "url": "", "page": {"lang": "en"}}, ("title", "url", "page.lang"))
    {'title': 'Rain', 'page.lang': 'en'}
    """
    if not isinstance(record, Mapping):
        return {}
    shown = {}
    for name in names:
        try:
            value = field_of(record, name)
            if not _says_nothing(value):
                shown[name] = _json_value(value, [_MOST])
        except Exception as error:  # noqa: BLE001 - the value is foreign, and may raise anything
            shown[name] = f"a value that cannot be shown as text ({type(error).__name__})"
    return shown


def _says_nothing(value: Any) -> bool:
    return is_missing(value) or (isinstance(value, str | list | tuple | Mapping) and not value)


def _json_value(value: Any, allowed: list[int], level: int = 0) -> Any:
    """A value as JSON can hold it, with at most `allowed` values in it; what JSON cannot hold becomes text."""
    allowed[0] -= 1
    known = value if isinstance(value, _SCALARS) else plain(value)
    if isinstance(known, str):
        return utf8_text(known)
    if isinstance(known, list | tuple | Mapping) and (level == _DEEPEST or allowed[0] < 0):
        return _LEFT_OUT
    if isinstance(known, list | tuple):
        return [_json_value(each, allowed, level + 1) for each in known]
    if isinstance(known, Mapping):
        return {utf8_text(str(name)): _json_value(each, allowed, level + 1) for name, each in known.items()}
    is_small = isinstance(known, bool) or (isinstance(known, int) and known.bit_length() < 64)
    if isinstance(known, float) and not math.isinf(known):
        return float(known)
    return known if known is None or is_small else utf8_text(str(known))


def utf8_text(text: str) -> str:
    """A text with escapes in place of unpaired surrogates, which UTF-8 cannot encode."""
    return text.encode(errors="backslashreplace").decode()


def beginning(text: str) -> str:
    """The first line of a text, where news has its headline; cut to `BEGINNING` characters, with … at the end."""
    lines = text[: 4 * BEGINNING].strip().splitlines()
    line = lines[0] if lines else ""
    return line if len(line) <= BEGINNING else line[: BEGINNING - 1] + "…"


def title_or_beginning(fields: Mapping[str, Any] | None, text: str) -> str:
    r"""One line that describes a document: its title, or the beginning of its text.

    >>> title_or_beginning({"subject": "Ferry"}, "Dear all,"), title_or_beginning({}, "Dear all,\nthe ferry ...")
    ('Ferry', 'Dear all,')
    """
    return beginning(title_of(fields or {}) or text)


def title_of(fields: Mapping[str, Any]) -> str:
    """The title of a document, "" if no field has it."""
    titles = (fields.get(name) for name in TITLES)
    return next((title for title in titles if isinstance(title, str) and title), "")
