"""A fuzz target: arbitrary bytes, what is done with them, and what must hold afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import NamedTuple

from neardup.cli.streams import as_json
from neardup.errors import DocumentError, NeardupError
from neardup.model.document import FLUSH, Document, Reject, prepare

MAX_LENGTH = 100_000
MOST_BYTES = 4_096
"""Of an input."""
TOKENS = (
    b"null",
    b"-1",
    b"{}",
    b"[]",
    b'"',
    b"1e400",
    b"\xff",
    b"9" * 20,
    b"\0",
    b"\n",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
)


class Target(NamedTuple):
    """`run` raises if something is wrong; `seeds` are small inputs to begin with."""

    name: str
    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


def told(error: Exception) -> None:
    """Checks that `error` has a message that can be shown to a person."""
    assert str(error)
    str(error).encode("utf-8", "surrogateescape")


def refusal(ask: Callable[[], object]) -> NeardupError | None:
    """The error that refuses `ask`, which a person can read; None if it is not refused. Other exceptions are raised."""
    try:
        ask()
    except NeardupError as error:
        told(error)
        return error
    return None


def checked(items: Iterable[object], most: int) -> list[Document | Reject]:
    """The `items` read: at most `most`, each a document that can be ingested or rejected, or a reject to be shown."""
    found: list[Document | Reject] = []
    for item in items:
        if item is FLUSH:
            continue
        if isinstance(item, Reject):
            assert item.reason
            as_json(item._asdict())
        else:
            assert isinstance(item, Document)
            _prepared(item)
        found.append(item)
        assert len(found) <= most, "more than there can be"
    return found


def _prepared(document: Document) -> None:
    try:
        prepare(document, lambda: 0, MAX_LENGTH)
    except DocumentError as error:
        as_json(Reject(error.id, error.reason)._asdict())


def pieces(data: bytes, sizes: bytes) -> Iterator[bytes | None]:
    """`data` in pieces, sometimes with a moment between them at which nothing more is available."""
    at, turn = 0, 0
    while at < len(data):
        size = 1 + (sizes[turn % len(sizes)] if sizes else 0)
        if size % 3 == 0:
            yield None
        yield data[at : at + size]
        at, turn = at + size, turn + 1


def mutated(data: bytes, random: Random) -> bytes:
    """`data` with a few random changes, for use without a fuzzer."""
    changed = bytearray(data)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(changed) + 1)
        match random.randrange(4):
            case 0:
                changed[at : at + 1] = random.randbytes(1)
            case 1:
                del changed[at : at + random.randrange(9)]
            case 2:
                changed[at:at] = changed[random.randrange(len(changed) + 1) :][: random.randrange(20)]
            case _:
                changed[at:at] = random.choice(TOKENS)
    return bytes(changed[:MOST_BYTES])
