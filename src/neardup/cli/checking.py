"""A run of `neardup check`: documents in, verdicts out, nothing stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from neardup.cli import inputs
from neardup.cli.exit_codes import DONE, REJECTED, Stop
from neardup.cli.one_text import time_of
from neardup.cli.pipeline import Sinks, code_of_run, opened_sinks
from neardup.elastic.http.halves import by_halves
from neardup.errors import DocumentError
from neardup.model.document import Document, Flush, Reject, prepare
from neardup.model.source import source_of

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.against import Against
    from neardup.cli.sinks import OutputOptions
    from neardup.errors import ClusterRejected
    from neardup.model.verdict import Verdict
    from neardup.sources.reader import Reader

_AT_ONCE: Final = 128
"""How many documents are compared together: one query of a cluster has them all, and a signal waits for its end."""
_MOST_CHARACTERS: Final = 4_000_000


def check_all(against: Against, reader: Reader, outputs: OutputOptions, *, named: Collection[str]) -> int:
    """Compares every document of `reader` with `against`, and writes the verdicts; returns the exit code."""
    inputs.report_passed_over(reader)
    with Stop(waits=True) as stop, opened_sinks(outputs, reader.position) as sinks:
        sinks.verdicts.look_up_in(against.read)
        if not sinks.has_bar:
            sinks.tally.write_lines("checked", lambda: sinks.tally.count, reader.position)
        usable = _usable(stop.until_requested(reader), reader, sinks, against.window.settings.max_length)
        for batch in _batches(usable):
            for document, verdict in _answered(against.window, batch, reader, sinks):
                _write(document, verdict, sinks)
            sinks.verdicts.flush()
        sinks.verdicts.is_stopped = stop.requested is not None
        if not sinks.verdicts.is_stopped:
            outputs.check_any_usable(sinks.tally, sinks.rejects)
    stop.raise_if_requested()
    is_wrong = inputs.report_read(reader, named)
    return code_of_run(sinks, causes=_causes(against)) or (REJECTED if is_wrong else DONE)


def _causes(against: Against) -> Iterator[str]:
    """Why documents may not have been compared with all of `against`: hours and budgets leave nothing out here."""
    settings = against.window.settings
    if settings.max_candidates:
        yield f"max_candidates = {settings.max_candidates:,} is a limit"
    by_sentences = ["--partial"] * settings.partial + ["--route sentences"] * ("sentences" in settings.routes)
    options = [*by_sentences, *["--route simhash"] * ("simhash" in settings.routes)]
    if options and against.is_named:
        yield f"Documents stored without {' or '.join(options)} are skipped"
    if by_sentences:
        yield f"{' and '.join(by_sentences)}: sentences that hundreds of documents have are skipped"
    if "simhash" in settings.routes:
        yield "--route simhash: parts of simhashes that thousands of documents have are skipped"


def _usable(
    items: Iterable[Document | Reject | Flush], reader: Reader, sinks: Sinks, max_length: int
) -> Iterator[Document | Flush]:
    """The `items` that can be compared, whatever their times; the others are rejected."""
    for item in items:
        if isinstance(item, Reject):
            sinks.rejects.add(item)
        elif isinstance(item, Flush):
            yield item
        else:
            try:
                prepare(item._replace(time=None), lambda: 0, max_length)
            except DocumentError as error:
                sinks.rejects.add(reader.located(Reject(item.id, error.reason)))
            else:
                yield item


def _batches(items: Iterator[Document | Flush]) -> Iterator[list[Document]]:
    """The `items` in batches; those before an error are yielded before it is raised."""
    batch: list[Document] = []
    size = 0
    try:
        for item in items:
            if not isinstance(item, Flush):
                batch.append(item)
                size += len(item.text)
            if isinstance(item, Flush) or len(batch) == _AT_ONCE or size > _MOST_CHARACTERS:
                yield batch
                batch, size = [], 0
    except Exception:
        yield batch
        raise
    yield batch


def _answered(
    window: Window, batch: list[Document], reader: Reader, sinks: Sinks
) -> list[tuple[Document, Verdict]]:
    """The documents of a batch with their verdicts; one whose text a cluster's search does not accept is rejected."""

    def ask(part: Sequence[Document]) -> list[tuple[Document, Verdict]]:
        sources = [source_of(document.fields) for document in part]
        verdicts = window.check([document.text for document in part], sources=sources)
        return list(zip(part, verdicts, strict=True))

    def refuse(document: Document, error: ClusterRejected) -> list[tuple[Document, Verdict]]:
        reason = f"its copies cannot be searched for: {error}"
        sinks.rejects.add(reader.located(Reject(document.id, reason)))
        return []

    return by_halves(ask, batch, refuse) if batch else []


def _write(document: Document, verdict: Verdict, sinks: Sinks) -> None:
    """Writes a verdict under the id of the document, and its time if it has one that can be read."""
    group = verdict.group or document.id
    verdict = verdict._replace(id=document.id, time=time_of(document), group=group)
    sinks.verdicts.note(document, is_stored=False)
    sinks.verdicts.write(verdict)
    sinks.tally.add(verdict)
