"""Texts made by filling in: forms of machines and offices, and families with a given share of variable text."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from benchmarks.lib import kind_fillings as fillings
from benchmarks.lib import kind_forms
from benchmarks.lib.kind_edits import aimed, band

if TYPE_CHECKING:
    from benchmarks.lib.kind_source import Source

_AMONG_PROSE: Final = (
    kind_forms.LICENCE,
    kind_forms.STOCKS,
    kind_forms.ADVERT,
    kind_forms.DISCLAIMER,
    kind_forms.WEATHER,
)
SHARES: Final = (5, 10, 20, 30, 40, 50)
"""Of the text of a family how much is variable, in %."""
_LENGTH: Final = 1_200
_VALUES: Final = ("<number>", "<name>", "<code>", "<city>", "<money>", "<date>")
_VALUE: Final = 10
"""Characters that one of these values takes on average."""


def forms(template: str) -> Callable[[Source, int], list[str]]:
    """`template` filled anew in each document."""
    return lambda source, count: [fillings.filled(template, source.rng) for _ in range(count)]


def records(source: Source, count: int) -> list[str]:
    """JSON records: new ones, and earlier ones with some fields changed."""
    return refillings(kind_forms.RECORD, source.rng, count)


def messages(source: Source, count: int) -> list[str]:
    """Short messages and codes of eight senders."""
    return [fillings.filled(source.rng.choice(kind_forms.MESSAGES), source.rng) for _ in range(count)]


def notices(source: Source, count: int) -> list[str]:
    """Legal notices: five paragraphs that are the same in all, names and dates before and between."""
    sections = "\nSection <digit>, <name>: ".join(source.fixed_prose(270) for _ in range(5))
    return forms("Notice of <company>, <city>, <date>.\n" + sections)(source, count)


def traces(source: Source, count: int) -> list[str]:
    """Stack traces of a dozen places in one program, with different times, threads, lines and messages."""
    frame = "\tat org.<word>.<word>.<ward>Handler.<word>(<ward>.java"
    pool = [f"{fillings.filled(frame, source.fixed)}:<digit><digit>)" for _ in range(60)]
    shapes = [
        "ERROR <time> [worker-<digit>] request <hex> failed\njava.lang.<fault>Exception: <word> <number>\n"
        + "\n".join(source.fixed.sample(pool, 25)) for _ in range(12)
    ]  # fmt: skip
    return [fillings.filled(source.rng.choice(shapes), source.rng) for _ in range(count)]


def among_prose(source: Source, count: int) -> list[str]:
    """Eight kinds of forms, a tenth in all, among prose."""
    makers: list[Callable[[Source, int], list[str]]] = [forms(form) for form in _AMONG_PROSE]
    makers += [notices, records, messages]
    each = max(2, count // 10 // len(makers))
    texts = [text for make in makers for text in make(source, each)]
    texts += [source.prose(1_200) for _ in range(count - len(texts))]
    source.rng.shuffle(texts)
    return texts[:count]


def refillings(template: str, rng: random.Random, count: int) -> list[str]:
    """A third of the texts are `template` filled anew; the others an earlier one with a share of its slots refilled."""
    texts: list[str] = []
    while len(texts) < count:
        values = fillings.values(template, rng)
        for _ in range(3):
            texts.append(fillings.refilled(template, values, 0.0, rng)[0])
            values = _next_values(template, values, rng)
    rng.shuffle(texts)
    return texts[:count]


def _next_values(template: str, old: list[str], rng: random.Random) -> list[str]:
    """`old` with as many values drawn again as give the doc_q at which the next copy is aimed."""
    base, _ = fillings.refilled(template, old, 0.0, rng)
    used = {base: old}

    def change(share: float) -> str:
        text, values = fillings.refilled(template, old, share, rng)
        used[text] = values
        return text

    return used[aimed(base, change, band(rng))]


def family(shape: str, percent: int) -> Callable[[Source, int], list[str]]:
    """Fillings of one template with about `percent` % of variable text."""
    return lambda source, count: refillings(SHAPES[shape](source, percent / 100), source.rng, count)


def _in_blocks(source: Source, share: float) -> str:
    """Six long blocks of the template, and a block of made-up words after each."""
    variable = " ".join(["<word>"] * max(1, round(_LENGTH * share / 6 / 5)))
    return "\n".join(f"{source.fixed_prose(round(_LENGTH * (1 - share) / 6))}\n{variable}" for _ in range(6))


def _in_fields(source: Source, share: float) -> str:
    """A text with many short, equidistant slots."""
    words = source.fixed_prose(round(_LENGTH * (1 - share))).split()
    slots = max(1, round(_LENGTH * share / _VALUE))
    for slot in range(slots):
        words[slot * len(words) // slots] += f" {_VALUES[slot % len(_VALUES)]}"
    return " ".join(words)


def _in_labels(source: Source, share: float) -> str:
    """Lines of a label and a value: the longer the labels, the smaller the variable part."""
    lines = max(3, round(_LENGTH * share / _VALUE))
    label = max(3, round(_LENGTH * (1 - share) / lines))
    return "\n".join(f"{source.fixed_prose(label)}: {_VALUES[line % len(_VALUES)]}" for line in range(lines))


SHAPES: Final[dict[str, Callable[[Source, float], str]]] = {
    "long blocks": _in_blocks,
    "short fields": _in_fields,
    "labels and values": _in_labels,
}
