"""Pages of HTML: each is one file that loads nothing and runs nothing, whatever the texts in it contain.

Every value is escaped by the templates; a policy in the page forbids scripts and anything from elsewhere; and marks
that reverse the direction of a line act only within their own element (`unicode-bidi: isolate`).
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final

from neardup.model.counted import counted, cut, shown_score
from neardup.model.escapes import escaped, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jinja2 import Environment
    from markupsafe import Markup

    from neardup.reading.excerpts import Piece

_BRIEF: Final = 200
"""How many characters of a field, source or name a page of many documents shows; those of a file have no bound."""
_NO_CHARACTER_RE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""The characters that cannot be written in HTML."""


def rendered(template: str, **values: Any) -> str:
    """The page made by `template` from `values`, whose texts are escaped."""
    return environment("neardup.reading").get_template(template).render(values)


@functools.cache
def environment(package: str) -> Environment:
    """The environment for the templates of a package: every value is escaped, and a missing value is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - only pages need it

    made = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    made.filters["marked"] = in_marks
    made.filters["shown"] = escaped
    made.filters["visible"] = visible
    made.filters["brief"] = _brief
    made.filters["percent"] = _percent
    made.filters["score"] = lambda value: "" if value is None else shown_score(value)
    made.filters["minute"] = lambda time: time[:16].replace("T", " ")
    made.filters["count"] = lambda value: f"{value:,}"
    made.filters["counted"] = counted
    return made


def in_marks(pieces: Iterable[Piece]) -> Markup:
    """A text in pieces, escaped, as HTML: differences are in marks with a class for each kind, lacking words struck
    out; characters of a difference that cannot be seen are shown as escapes.

    >>> from neardup.reading.excerpts import Piece
    >>> in_marks([Piece("cats & ", "same"), Piece("dogs", "changed")])
    Markup('cats &amp; <mark class="changed">dogs</mark>')
    """
    from markupsafe import Markup, escape  # noqa: PLC0415 - only pages need it

    frames = {"same": "{}", "lacking": "<del> {} </del>"}
    parts = (
        frames.get(mark, f'<mark class="{mark}">{{}}</mark>').format(
            escape(text if mark == "same" else visible(text))
        )
        for text, mark in pieces
    )
    return Markup(_harmless("".join(parts)))  # noqa: S704 - every text is escaped above


def _harmless(value: Any) -> Any:
    r"""A value in which a replacement character stands for each character that no page may have.

    >>> _harmless("a\x1b[2Jb")
    'a�[2Jb'
    """
    if isinstance(value, str) and _NO_CHARACTER_RE.search(value):
        return type(value)(_NO_CHARACTER_RE.sub("\ufffd", value))
    return value


def _brief(text: str, most: int = _BRIEF) -> str:
    """The beginning of a text that others wrote; a cut text ends in "…".

    >>> len(_brief("a" * 200)), _brief("a" * 201)[-2:]
    (200, 'a…')
    """
    return escaped(text if len(text) <= most else text[: most - 1] + "…")


def _percent(share: float) -> str:
    return f"{100 * cut(share, 2):.0f} %"
