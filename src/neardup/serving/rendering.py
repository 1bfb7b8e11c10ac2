"""Renders the pages of the server from its templates; every text of others is escaped."""

from __future__ import annotations

from typing import Any, Final

from fastapi.responses import HTMLResponse

from neardup.reading.page import environment
from neardup.version import VERSION

_ENVIRONMENT: Final = environment("neardup.serving")
_ENVIRONMENT.globals["version"] = VERSION


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """The page of a template."""
    return HTMLResponse(_ENVIRONMENT.get_template(template).render(values), status)
