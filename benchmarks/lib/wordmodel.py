"""The word statistics of a corpus, as arrays that stream.py's kernels read: taken at run time, never shipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

SAMPLE = 4_000
"""Documents that scale.py builds its model from."""
LEAST_KEPT = 20
"""A word seen less often in the sample is rare: it fills gaps and is no state of the chain."""
SHAPES = 4
MAX_BYTES = 24_000
"""Room for one document; what is copied is shorter by far."""


class Model(NamedTuple):
    """The statistics of a corpus, as arrays that a kernel reads. A node is a kept word, or a gap of one shape."""

    letters: npt.NDArray[np.uint8]
    word_start: npt.NDArray[np.int64]
    node_word: npt.NDArray[np.int32]
    next_start: npt.NDArray[np.int64]
    next_node: npt.NDArray[np.uint16]
    any_node: npt.NDArray[np.uint16]
    rare_start: npt.NDArray[np.int64]
    rare_word: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int32]


def shape(word: str) -> int:
    """0 lower case, 1 Capitalised, 2 with a digit, 3 anything else."""
    if any(letter.isdigit() for letter in word):
        return 2
    if word[:1].isupper():
        return 1
    return 0 if word[:1].isalpha() else 3


def build(texts: Sequence[str], least_kept: int = LEAST_KEPT) -> Model:
    """The model of `texts`; about 20 bytes per word."""
    words = [word for text in texts for word in text.split()]
    counts = dict(Counter(words).most_common())  # frequent words are stored together: caches decide the speed
    number = {word: at for at, word in enumerate(counts)}
    kept = [word for word, count in counts.items() if count >= least_kept]
    node_of = {word: SHAPES + at for at, word in enumerate(kept)}
    nodes = np.array([node_of[word] if word in node_of else shape(word) for word in words], np.uint16)
    rare: list[list[int]] = [[] for _ in range(SHAPES)]
    for word in words:
        if word not in node_of:
            rare[shape(word)].append(number[word])
    for one in rare:
        one.extend([0] if not one else [])  # so that a corpus without, say, numbers still has a model
    order = np.argsort(nodes[:-1], kind="stable")
    encoded = [word.encode() for word in counts]
    return Model(
        letters=np.frombuffer(b"".join(encoded) + bytes(8), np.uint8),
        word_start=np.concatenate([[0], np.cumsum([len(word) for word in encoded])]).astype(np.int64),
        node_word=np.array([-1] * SHAPES + [number[word] for word in kept], np.int32),
        next_start=np.searchsorted(nodes[:-1][order], np.arange(SHAPES + len(kept) + 1)).astype(np.int64),
        next_node=nodes[1:][order],
        any_node=nodes,
        rare_start=np.concatenate([[0], np.cumsum([len(one) for one in rare])]).astype(np.int64),
        rare_word=np.concatenate([np.array(one, np.int32) for one in rare]),
        lengths=np.array([min(len(text.encode()), MAX_BYTES // 3) for text in texts], np.int32),
    )


def save(model: Model, path: Path) -> None:
    """Writes the model where another process can load it."""
    np.savez(path, **model._asdict())


def load(path: Path) -> Model:
    """The model saved at `path`."""
    with np.load(path) as arrays:
        return Model(*(arrays[name] for name in Model._fields))
