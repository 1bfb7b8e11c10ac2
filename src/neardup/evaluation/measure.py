"""One method over one corpus: its decisions at each threshold, and their cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.baselines.base import YES_NO, Method
from neardup.baselines.sets import OverlapIndex
from neardup.baselines.simhash import Scan
from neardup.evaluation import memory
from neardup.evaluation.results import Cost, Point, Result

if TYPE_CHECKING:
    from neardup.evaluation.corpus import Corpus
    from neardup.evaluation.truth import Pair, Truth


class Progress(NamedTuple):
    """The progress of a method: `done` of `total` documents in one `stage` of its work."""

    stage: str
    done: int
    total: int


OnProgress = Callable[[Progress], None]

EVERY: Final = 0.1
"""Seconds between two reports of progress."""
WARM_UP: Final = 3
"""How many texts `warm_up` uses."""


class FoundPairs(NamedTuple):
    """The pairs called copies at one threshold, how many pairs were looked at, and the seconds it took."""

    pairs: list[Pair]
    compared: int | None
    seconds: float


def thresholds_of(own: Sequence[float], wanted: Sequence[float] | None) -> tuple[float, ...]:
    """The thresholds to measure a method at: the `wanted` ones; its `own` without any, or if it only says yes or no."""
    return tuple(own) if wanted is None or tuple(own) == YES_NO else tuple(wanted)


def points_of(
    truth: Truth, thresholds: Sequence[float], pairs_by_threshold: Sequence[FoundPairs]
) -> tuple[Point, ...]:
    """How the pairs called copies at each threshold compare with the truth."""
    return tuple(
        Point(threshold, *truth.tally(one.pairs), len(truth.copies), one.compared)
        for threshold, one in zip(thresholds, pairs_by_threshold, strict=True)
    )


def warm_up(method: Method[Any], corpus: Corpus) -> None:
    """Uses `method`, which is not used again, on a few texts, so that everything it loads and compiles is ready."""
    texts = (*corpus.texts[:WARM_UP], corpus.texts[0])  # one of them twice, so that a pair is compared
    method.learn(texts)
    index = method.index(method.thresholds[0])
    for text in texts:
        signature = method.sign(text)
        list(index.matches(signature))
        index.add(signature)
        method.size(signature)


def measure(
    method: Method[Any],
    label: str,
    corpus: Corpus,
    truth: Truth,
    wanted_thresholds: Sequence[float] | None,
    on_progress: OnProgress,
) -> Result:
    """The result of `method`, under the name `label`.

    The method learns from all texts and signs all of them. Then, anew for every threshold, the documents are looked up
    one by one among those before them and added, in the order of the corpus; if only judged pairs count, only the
    documents in these.
    """
    thresholds = thresholds_of(method.thresholds, wanted_thresholds)
    memory.forget_peak()
    baseline = memory.resident_bytes()
    began = time.process_time()
    method.learn(with_progress("learn", corpus.texts, on_progress))
    learned = time.process_time() - began
    docs = truth.named if truth.judged_only else range(len(corpus))
    signatures, sizes, seconds = _signed(method, corpus, frozenset(docs), on_progress)
    pairs_by_threshold = _pairs_by_threshold(
        method, [signatures[doc] for doc in docs], docs, thresholds, on_progress
    )
    peak = memory.peak_bytes()
    return Result(
        method=label,
        name=method.name,
        paper=method.paper,
        points=points_of(truth, thresholds, pairs_by_threshold),
        index_bytes=sizes,
        cost=Cost(
            learned, seconds, len(corpus), tuple(one.seconds for one in pairs_by_threshold), peak, baseline
        ),
    )


def with_progress(stage: str, items: Sequence[Any], on_progress: OnProgress) -> Iterator[Any]:
    """The `items`; reports from time to time how many are done."""
    last = 0.0
    for done, item in enumerate(items):
        if (now := time.monotonic()) - last > EVERY:
            on_progress(Progress(stage, done, len(items)))
            last = now
        yield item
    on_progress(Progress(stage, len(items), len(items)))


def _signed(
    method: Method[Any], corpus: Corpus, docs: frozenset[int], on_progress: OnProgress
) -> tuple[dict[int, Any], int, float]:
    """The signatures of the documents `docs`, the bytes of all, and the seconds that signing all took."""
    signatures: dict[int, Any] = {}
    sizes, seconds, clock = 0, 0.0, time.process_time
    for doc, text in enumerate(with_progress("sign", corpus.texts, on_progress)):
        began = clock()
        signature = method.sign(text)
        seconds += clock() - began
        sizes += method.size(signature)
        if doc in docs:
            signatures[doc] = signature
    return signatures, sizes, seconds


def _pairs_by_threshold(
    method: Method[Any],
    signatures: list[Any],
    docs: Sequence[int],
    thresholds: tuple[float, ...],
    on_progress: OnProgress,
) -> list[FoundPairs]:
    """The pairs that the method calls copies, at each threshold."""
    if not _works_alike(method, signatures[0], thresholds[0]):
        return [_looked_up(method, signatures, docs, each, on_progress)[0] for each in thresholds]
    once, scores = _looked_up(method, signatures, docs, min(thresholds), on_progress)
    return [
        once._replace(pairs=[pair for pair, score in zip(once.pairs, scores, strict=True) if score >= each])
        for each in thresholds
    ]


def _works_alike(method: Method[Any], signature: Any, threshold: float) -> bool:
    """Whether the threshold only cuts the list of scores, so that the counting is the same at every threshold."""
    kind = type(method)
    if kind.same is not Method.same:
        return False
    if kind.index is Method.index:
        return method.keys(signature, threshold) is None
    return isinstance(method.index(threshold), OverlapIndex | Scan)


def _looked_up(
    method: Method[Any],
    signatures: list[Any],
    docs: Sequence[int],
    threshold: float,
    on_progress: OnProgress,
) -> tuple[FoundPairs, list[float]]:
    """(The pairs that the method's index finds at one threshold; their scores)."""
    index = method.index(threshold)
    pairs: list[Pair] = []
    scores: list[float] = []
    began = time.process_time()
    for later, signature in enumerate(with_progress(f"compare at {threshold:g}", signatures, on_progress)):
        for earlier, score in index.matches(signature):
            pairs.append((docs[earlier], docs[later]))
            scores.append(score)
        index.add(signature)
    return FoundPairs(pairs, getattr(index, "compared", None), time.process_time() - began), scores
