"""Pages with places for tables: what stands between `<!-- table: NAME -->` and `<!-- end -->` is made from results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLACE = re.compile(r"(?<=^<!-- table: )([a-z0-9-]+)( -->\n).*?(?=^<!-- end -->$)", re.DOTALL | re.MULTILINE)


def filled(page: str, made: Mapping[str, str]) -> str:
    """`page` with the tables in their places; raises ValueError if one has no place, or a place no table."""
    places = [name for name, _ in _PLACE.findall(page)]
    if sorted(places) != sorted(made):
        raise ValueError(
            f"places and tables differ: {sorted({*places} ^ {*made}) or 'a place is there twice'}"
        )
    return _PLACE.sub(lambda place: f"{place[1]}{place[2]}\n{made[place[1]]}\n", page)
