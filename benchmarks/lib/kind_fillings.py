"""Fillings for the slots of templates: names, numbers, dates, codes, and other parts of forms."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable
from typing import Final

from benchmarks.lib.corpora import SYLLABLES

Fill = Callable[[random.Random], str]
_SLOT: Final = re.compile(r"<(\w+)>")
_TRADES: Final = (
    "driver",
    "nurse",
    "welder",
    "clerk",
    "baker",
    "plumber",
    "analyst",
    "cook",
    "teacher",
    "surveyor",
)
_SKIES: Final = (
    "clear",
    "cloudy",
    "overcast",
    "showers",
    "light rain",
    "fog at first",
    "snow on high ground",
)
_WINDS: Final = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
_MOVES: Final = ("rose", "fell", "gained", "lost", "climbed", "slipped", "jumped", "dropped")
_FAULTS: Final = (
    "IllegalState",
    "NullPointer",
    "Timeout",
    "IndexOutOfBounds",
    "UnsupportedOperation",
    "Conversion",
)
_HEX: Final = "0123456789abcdef"


def word(rng: random.Random) -> str:
    """A made-up word of one to four syllables."""
    return "".join(rng.choices(SYLLABLES, k=rng.randint(1, 4)))


def name(rng: random.Random) -> str:
    """A made-up name of two words."""
    return f"{''.join(rng.choices(SYLLABLES, k=2)).capitalize()} {''.join(rng.choices(SYLLABLES, k=3)).capitalize()}"


def number(rng: random.Random) -> str:
    """A number of one to seven digits."""
    return str(rng.randrange(10 ** rng.randint(1, 7)))


def date(rng: random.Random) -> str:
    """A date with the day of the month as in English."""
    months = ("January", "March", "May", "June", "August", "October", "December")
    return f"{rng.randint(1, 28)} {rng.choice(months)} {rng.randint(1990, 2030)}"


def code(length: int, letters: str = string.ascii_uppercase + string.digits) -> Fill:
    """Random letters, always as many."""
    return lambda rng: "".join(rng.choices(letters, k=length))


def among(values: tuple[str, ...]) -> Fill:
    """One of `values`."""
    return lambda rng: rng.choice(values)


FILLS: Final[dict[str, Fill]] = {
    "city": lambda rng: (
        "".join(rng.choices(SYLLABLES, k=2)).capitalize() + rng.choice(("ton", "burg", "field"))
    ),
    "code": code(8),
    "company": lambda rng: (
        f"{word(rng).capitalize()}{rng.choice(('tec', ' Holdings', ' & Sons', ' AG', ' plc'))}"
    ),
    "date": date,
    "degrees": lambda rng: str(rng.randint(-12, 34)),
    "digit": lambda rng: str(rng.randrange(10)),
    "fault": among(_FAULTS),
    "hex": code(12, _HEX),
    "money": lambda rng: f"{rng.randrange(10, 100_000):,}.{rng.randrange(100):02d}",
    "moved": among(_MOVES),
    "name": name,
    "number": number,
    "percent": lambda rng: f"{rng.uniform(0, 12):.2f}",
    "phone": lambda rng: f"0{rng.randrange(100, 999)} {rng.randrange(10**6, 10**7)}",
    "pin": code(6, string.digits),
    "sky": among(_SKIES),
    "time": lambda rng: f"{rng.randrange(24):02d}:{rng.randrange(60):02d}",
    "trade": among(_TRADES),
    "ward": lambda rng: word(rng).capitalize(),
    "wind": among(_WINDS),
    "word": word,
}


def filled(template: str, rng: random.Random) -> str:
    """`template` with every `<slot>` filled anew."""
    return _SLOT.sub(lambda slot: FILLS[slot[1]](rng), template)


def refilled(template: str, values: list[str], share: float, rng: random.Random) -> tuple[str, list[str]]:
    """`template` filled with `values`, a share of which is drawn again; and the values used."""
    used = [FILLS[slot](rng) if rng.random() < share else old
            for slot, old in zip(_SLOT.findall(template), values, strict=True)]  # fmt: skip
    turn = iter(used)
    return _SLOT.sub(lambda _: next(turn), template), used


def values(template: str, rng: random.Random) -> list[str]:
    """A value for every slot of `template`."""
    return [FILLS[slot](rng) for slot in _SLOT.findall(template)]
