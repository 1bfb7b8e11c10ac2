"""Is the generated stream of scale.py like real text? The statistics that decide what retrieval costs, side by side.

Question   Per document: characters, distinct q-grams, how rare its q-grams are in the collection (df spectrum);
           for the growing collection: how many distinct q-grams, and how many postings of sketch q-grams a document
           reads.
Corpus     The originals of passages20k that the model was NOT built from, against as many generated documents that
           are no copies.
Seed       that of scale.py.
Excluded   Copies, on both sides.
Caution    The constants of stream.py were set by looking at this table (four tries on 8,000 of these documents), so it
           shows that the stream was fitted, not that it would fit another collection. Beyond the size of passages20k
           there was no real text to compare with.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from benchmarks.lib import bruteforce, corpora, harness, stream, wordmodel

SPECTRUM = (1, 2, 4, 16, 64, 256, 1_024, 4_096)
STEPS = 4


def statistics(texts: Sequence[str], sketches: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The figures of one collection; the steps are quarters of it."""
    sets = bruteforce.gram_sets(texts)
    frequencies = sets.frequencies[sets.ids]
    bounds = [*SPECTRUM, len(texts) + 1]
    shares = [float(np.mean((frequencies >= low) & (frequencies < high)))
              for low, high in itertools.pairwise(bounds)]  # fmt: skip
    sizes = [len(texts) * step // STEPS for step in range(1, STEPS + 1)]
    keys = np.array([int(key, 16) for sketch in sketches for key in sketch], np.uint64)
    numbers = np.unique(keys, return_inverse=True)[1]
    starts = np.concatenate([[0], np.cumsum([len(sketch) for sketch in sketches])])
    read = _read(numbers, starts)
    return {
        "documents": len(texts),
        "characters": float(np.mean([len(text) for text in texts])),
        "distinct q-grams a document": float(np.mean(np.diff(sets.starts))),
        "df spectrum": {f"{low} to {high - 1}": share
                        for low, high, share in zip(bounds[:-1], bounds[1:], shares, strict=True)},
        "distinct q-grams in all": {size: _distinct(sets, size) for size in sizes},
        "postings read a document": {
            size: float(np.mean(read[size - len(texts) // 20 : size])) for size in sizes
        },
        "longest sketch posting": int(np.bincount(numbers).max()),
    }  # fmt: skip


def _distinct(sets: bruteforce.GramSets, documents: int) -> int:
    return len(np.unique(sets.ids[: sets.starts[documents]]))


@njit(cache=True)
def _read(numbers: Any, starts: Any) -> npt.NDArray[np.int64]:
    """For each document: how many postings of earlier documents its sketch finds."""
    filled = np.zeros(numbers.max() + 1, np.int64)
    read = np.zeros(len(starts) - 1, np.int64)
    for document in range(len(starts) - 1):
        for at in range(starts[document], starts[document + 1]):
            read[document] += filled[numbers[at]]
            filled[numbers[at]] += 1
    return read


def sketches_of(texts: Sequence[str], recipe: Any = None) -> list[Sequence[str]]:
    """The sketch of every text, by the default recipe or the one given."""
    import neardup

    chosen = {} if recipe is None else {"recipe": recipe}
    return [neardup.sign(text, **chosen).sketch for text in texts]


def compare(args: argparse.Namespace, sample: int, documents: int) -> dict[str, Any]:
    """The statistics of both collections; the first `sample` documents make the model, the real ones follow them."""
    originals = corpora.load(args.data, "passages20k", tiny=args.tiny).originals()
    real = originals[sample : sample + documents]
    made = stream.Stream(wordmodel.build(originals[:sample]), args.seed).part(0, 2 * len(real))
    kept = [text for text, original in zip(made.texts(), made.originals, strict=True) if original < 0]
    made_up = kept[: len(real)]
    return {
        "real": statistics(real, sketches_of(real)),
        "generated": statistics(made_up, sketches_of(made_up)),
    }


def report(figures: dict[str, Any]) -> str:
    """One row a statistic, real beside generated."""
    rows: list[list[object]] = []
    for name, value in figures["real"].items():
        other = figures["generated"][name]
        if isinstance(value, dict):
            rows += [[f"{name}: {step}", _shown(value[step]), _shown(other[step])] for step in value]
        else:
            rows.append([name, _shown(value), _shown(other)])
    return harness.table(["", "real", "generated"], rows)


def _shown(value: float) -> str:
    return f"{value:.4f}" if value < 1 else f"{value:,.0f}"


def main(arguments: list[str] | None = None) -> None:
    """Compares, prints the table, writes generator-check.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--seed", type=int, default=stream.SEED)
    parser.add_argument(
        "--sample", type=int, default=wordmodel.SAMPLE, help="documents the model is built from"
    )
    parser.add_argument("--documents", type=int, default=12_000)
    args = parser.parse_args(arguments)
    if args.tiny:
        args.sample, args.documents = 100, 100
    figures = compare(args, args.sample, args.documents)
    print(report(figures))
    harness.save(args, "generator-check", figures)


if __name__ == "__main__":
    main()
