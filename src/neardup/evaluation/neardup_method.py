"""neardup itself as a method: the pairs that its embedded engine reports, in a separate window for each threshold."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

import neardup
from neardup.evaluation import memory
from neardup.evaluation.errors import EvaluationError
from neardup.evaluation.measure import FoundPairs, points_of, thresholds_of, with_progress
from neardup.evaluation.results import Cost, Result
from neardup.model.document import encode_text
from neardup.model.settings import LARGE_BATCH, Recipe, Retrieval
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from neardup.evaluation.corpus import Corpus
    from neardup.evaluation.evaluated_settings import EvaluatedSettings
    from neardup.evaluation.measure import OnProgress
    from neardup.evaluation.truth import Pair, Truth

THRESHOLDS: Final = (0.5, 0.6, 0.7, 0.8, 0.9)
_TIME: Final = 0
"""The time of every document: as with all other methods, documents are compared whatever their own times are."""


class Product:
    """The engine with one kind of retrieval, and with `settings`. It is no `Method`, because it signs, finds and
    compares in one step.

    Like other methods, it is named after the settings that differ from the defaults: `neardup sketch(q=5, fold_case)`.
    """

    paper = (
        "D. Montanari, P. L. Puglisi (2012), Near Duplicate Document Detection for Large Information Flows; "
        "retrieval as in ARCHITECTURE.md"
    )

    def __init__(self, retrieval: Retrieval, settings: EvaluatedSettings) -> None:
        self.retrieval = retrieval
        self.settings = settings
        self.name = f"neardup {retrieval}" + (f"({settings})" if str(settings) else "")
        self.thresholds = THRESHOLDS

    def measure(
        self,
        label: str,
        corpus: Corpus,
        truth: Truth,
        wanted_thresholds: Sequence[float] | None,
        on_progress: OnProgress,
    ) -> Result:
        """The result of ingesting all of `corpus` once for each threshold; sizes are those of the largest index.

        Signing is timed separately; the rest of the time for ingesting counts as comparing. The index here is the
        posting lists and the table of documents, without their texts, like the indices of the other methods. Raises
        `EvaluationError` for a document that the engine rejects: its pairs would be missed silently.
        """
        thresholds = thresholds_of(self.thresholds, wanted_thresholds)
        with self._window(thresholds[0]) as window:  # so that everything is compiled and loaded
            list(window.ingest(_documents(corpus.texts[:2]), on_reject=partial(_refuse, corpus)))
        memory.forget_peak()
        baseline = memory.resident_bytes()
        signing = _sign_seconds(corpus, self.settings.recipe)
        ingested = (self._ingest(corpus, threshold, on_progress) for threshold in thresholds)
        pairs_by_threshold, sizes = zip(*ingested, strict=True)
        return Result(
            method=label,
            name=self.name,
            paper=self.paper,
            points=points_of(truth, thresholds, pairs_by_threshold),
            index_bytes=max(sizes),
            cost=Cost(
                learn_seconds=0.0,
                sign_seconds=signing,
                signed=len(corpus),
                compare_seconds=tuple(max(0.0, one.seconds - signing) for one in pairs_by_threshold),
                peak_bytes=memory.peak_bytes(),
                baseline_bytes=baseline,
            ),
        )

    def _window(self, threshold: float) -> Any:
        return neardup.open(None, settings=self.settings.settings(self.retrieval, threshold))

    def _ingest(self, corpus: Corpus, threshold: float, on_progress: OnProgress) -> tuple[FoundPairs, int]:
        """The pairs reported at one threshold, and the bytes of the index."""
        pairs: list[Pair] = []
        compared = 0
        texts = with_progress(f"ingest at {threshold:g}", corpus.texts, on_progress)
        began = time.process_time()
        documents = _documents(texts, self.settings.sources_of(corpus))
        with self._window(threshold) as window:
            for verdict in window.ingest(documents, on_reject=partial(_refuse, corpus)):
                later = int(verdict.id)
                compared += verdict.candidates
                pairs += [(int(match.id), later) for match in verdict.matches]
            seconds = time.process_time() - began
            return FoundPairs(pairs, compared, seconds), window.stats().memory_bytes


def _documents(texts: Iterable[str], sources: Sequence[str] = ()) -> Iterator[neardup.Document]:
    """The texts as documents, each with its source, if that is known; the ids are the numbers of the documents."""
    for doc, (text, source) in enumerate(zip_longest(texts, sources, fillvalue="")):
        yield neardup.Document(str(doc), text, _TIME, {"source": source} if source else None)


def _refuse(corpus: Corpus, reject: neardup.Reject) -> None:
    id = corpus.ids[int(reject.id or 0)]
    raise EvaluationError("corpus", f"the engine rejects the document {id!r}: {reject.reason}", id)


def _sign_seconds(corpus: Corpus, recipe: Recipe) -> float:
    """How many seconds it takes to sign all texts, in batches like those of `ingest`."""
    signer = signer_for(recipe)
    began = time.process_time()
    for first in range(0, len(corpus), LARGE_BATCH):
        batch = corpus.texts[first : first + LARGE_BATCH]
        signer.sign([encode_text(text) for text in batch])
    return time.process_time() - began
