"""The form of a page: a pasted text, either taken exactly as it was sent or refused."""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import Depends, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError

from neardup.errors import shown

_KIND: Final = "application/x-www-form-urlencoded"
_ESCAPES_RE: Final = re.compile(rb"(?:%[0-9A-Fa-f]{2})+")
_MOST_FIELDS: Final = 100
"""Our form has two. Fields are counted before they are parsed: a form of millions blocked everyone for seconds."""


class Pasted(BaseModel):
    """A text to be looked up, and perhaps a threshold."""

    text: str
    threshold: float | None = Field(None, gt=0, le=1)


async def _sent(request: Request) -> bytes:
    body = await request.body()
    kind = request.headers.get("content-type", "none")
    if kind.partition(";")[0].strip().lower() != _KIND:
        raise HTTPException(422, f"the form must be {_KIND} (it is {shown(kind)})")
    return body


def pasted(body: Annotated[bytes, Depends(_sent)]) -> Pasted:
    """The values of the form; an empty field counts as missing. Runs in a thread: so a large form blocks nobody."""
    if (fields := body.count(b"&") + 1) > _MOST_FIELDS:
        advice = f"it may have {_MOST_FIELDS}: write & as %26 within a text"
        raise HTTPException(413, f"the form has {fields:,} fields: {advice}")
    try:
        pairs = (map(_unescaped, field.split(b"=", 1)) for field in body.split(b"&") if b"=" in field)
        named = {name: value for name, value in pairs if value}
    except UnicodeDecodeError as error:
        wrong = error.object[error.start]
        raise HTTPException(422, f"the form must be UTF-8: its byte {wrong:#04x} is not") from None
    try:
        return Pasted.model_validate(named)
    except ValidationError as error:
        raise RequestValidationError(
            [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
        ) from None


def _unescaped(part: bytes) -> str:
    """A name or a value without escapes. Python's own `unquote` makes an object for every escape: 2.4 GB for a Cyrillic
    text of 5 million letters.
    """
    return _ESCAPES_RE.sub(_bytes_of, part.replace(b"+", b" ")).decode()


def _bytes_of(escapes: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escapes[0].decode().replace("%", ""))
