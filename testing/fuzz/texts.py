"""Fuzz targets for texts: the kernels against the plain definitions, and a window against brute force."""

from __future__ import annotations

from typing import Any

from testing.fuzz.target import Target, refusal
from testing.window.reference_window import ReferenceWindow

from neardup.model.document import Document
from neardup.model.settings import Recipe
from neardup.opening import open_window
from neardup.oracle import definitions as oracle
from neardup.signing.doc_q import doc_q
from neardup.signing.signer import sign

RECIPES: tuple[dict[str, Any], ...] = (
    {}, {"fold_case": True}, {"q": 1}, {"q": 12, "simhash_variants": 2}, {"reach": 0.5}, {"q": 2, "sketch_size": 4},
)  # fmt: skip


def text_of(data: bytes) -> str:
    """A text as Python allows it: any code points, unpaired surrogates too."""
    return (
        data.decode("utf-8", "surrogatepass")
        if data[:1] == b"\xed"
        else data.decode("utf-8", "surrogateescape")
    )


def _text(data: bytes) -> str:
    try:
        return text_of(data)
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _signature(data: bytes) -> None:
    """The signature is that of the definitions; both refuse a text that has no UTF-8 form."""
    control, text = (data[0], _text(data[1:])) if data else (0, "")
    recipe = RECIPES[control % len(RECIPES)]
    try:
        found = sign(text, recipe=Recipe(**recipe)).to_dict()
    except ValueError:
        try:
            oracle.sign(text)
        except ValueError:
            return
        raise
    plain = {"size" if name == "sketch_size" else name: value for name, value in recipe.items()}
    plain = {name: str(value) if name == "reach" else value for name, value in plain.items()}
    wanted = oracle.sign(text, **plain)
    for name, value in wanted.items():
        own = found[name]
        own = sorted(own) if name == "qgrams" else own
        assert list(own) == value if isinstance(value, list) else own == value, (name, own, value)


def _doc_q(data: bytes) -> None:
    one, _, other = _text(data).partition("\n")
    try:
        one.encode(), other.encode()
    except UnicodeEncodeError:
        return
    assert doc_q(one, other) == float(oracle.doc_q(one, other))
    assert doc_q(one, other) == doc_q(other, one)


def _window(data: bytes) -> None:
    """A stream of texts: the verdicts are those of brute force, and so are the answers to queries."""
    control, rest = (data[0], data[1:]) if data else (0, b"")
    texts = [part.decode("utf-8", "replace")[:64] for part in rest.split(b"\n")[:8]]
    settings: dict[str, Any] = {
        "threshold": ("0.7", "0.5", "1", "0.34")[control % 4],
        "partial": bool(control & 4),
        "policy": ("mark", "drop", "route", "mark")[control >> 3 & 3],
        "retrieval": "complete" if control & 32 else "sketch",
    }
    stream = [
        Document(f"d{i % 6}", text, 1_600_000_000 + i * 1_800 * (control >> 6))
        for i, text in enumerate(texts)
    ]
    with open_window(None, **settings) as window, ReferenceWindow(**settings) as reference:
        found = [verdict._replace(candidates=0) for verdict in window.ingest(stream)]
        wanted = [verdict._replace(candidates=0) for verdict in reference.ingest(stream)]
        assert found == wanted, (found, wanted)
        for text in texts[:3]:
            assert window.query(text)._replace(candidates=0) == reference.query(text)._replace(candidates=0)


def _query(data: bytes) -> None:
    """Any text can be queried; a value that is not a text is refused."""
    text = _text(data)
    with open_window(None) as window:
        list(window.ingest([Document("a", "The ferry ran aground off the western spit at dawn.", 0)]))
        refusal(lambda: window.query(text))
        refusal(lambda: window.query(id=text))
        refusal(lambda: window.query(text, threshold=text))
        refusal(lambda: window.query(text, time=text))
        refusal(lambda: window.delete(text))


SEEDS = [
    b"The ferry ran aground off the western spit at dawn. Nobody was hurt!",
    "e\u0301\u0327 \u1100\u1161\u11a8 ﬁ Å Ⅷ 𠮷野家 \U0001f468\u200d\U0001f469 \u0f71\u0f72 ǅ ß İ".encode(),
    b"\xed\xa0\x80",
    b"a\nab\nabc\nabcd\nabcde",
    b"x" * 80,
]

TARGETS = [
    Target("signatures", _signature, lambda: [bytes((i % 6,)) + seed for i, seed in enumerate(SEEDS * 6)]),
    Target("doc_q", _doc_q, lambda: [seed + b"\n" + seed[:-3] for seed in SEEDS]),
    Target(
        "streams",
        _window,
        lambda: [
            bytes((i,)) + b"\n".join([SEEDS[0], SEEDS[0][:50], SEEDS[1], SEEDS[4]])
            for i in (0, 4, 9, 36, 97, 130)
        ],
    ),
    Target("queries", _query, lambda: SEEDS),
]
