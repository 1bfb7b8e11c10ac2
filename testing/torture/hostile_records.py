"""Lines of a JSON Lines file that cannot be used, each in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from random import Random


def hostile_lines(random: Random) -> dict[str, bytes]:
    """One line of every sort; each must be rejected."""
    whole = orjson.dumps({"id": "hostile", "text": "a text that can be used", "time": 1_600_000_000})
    return {
        "cut off": whole[: random.randrange(1, len(whole))],
        "noise": bytes(random.choice(range(128, 256)) for _ in range(random.randint(1, 60))),
        "no UTF-8": b'{"id":"hostile","text":"caf\xe9 au lait"}',
        "half a character": b'{"id":"hostile","text":"\\ud800 alone"}',
        "no text": b'{"id":"hostile","body":"elsewhere"}',
        "a number for a text": b'{"id":"hostile","text":17}',
        "a list for a text": b'{"id":"hostile","text":["a","b"]}',
        "no object": random.choice((b"[1,2]", b'"text"', b"17", b"true")),
        "a time that is none": b'{"id":"hostile","text":"text","time":"the day before yesterday"}',
        "a time far ahead": b'{"id":"hostile","text":"text","time":"9999-01-01T00:00:00Z"}',
        "a time that is an object": b'{"id":"hostile","text":"text","time":{"hour":3}}',
        "too deep": b'{"id":"hostile","text":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        "two objects": whole + whole,
        "a comment": b"// " + whole,
        "not a number": b'{"id":"hostile","text":"text","time":NaN}',
    }
