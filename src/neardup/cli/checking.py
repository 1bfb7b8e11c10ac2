"""A run of `neardup check`: documents in, verdicts out, nothing stored."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from neardup.cli import inputs
from neardup.cli.exit_codes import DONE, REJECTED, Stop
from neardup.cli.one_text import time_of
from neardup.cli.pipeline import Sinks, code_of_run, opened_sinks
from neardup.errors import DocumentError
from neardup.model.clock import now_ms
from neardup.model.document import Document, Flush, Reject, prepare
from neardup.model.source import source_of

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.against import Against
    from neardup.cli.sinks import OutputOptions
    from neardup.model.verdict import Verdict
    from neardup.sources.reader import Reader


def check_all(against: Against, reader: Reader, outputs: OutputOptions, *, named: Collection[str]) -> int:
    """Writes the verdict of every document of `reader` by what it is compared `against`; the exit code."""
    inputs.report_passed_over(reader)
    with (
        Stop(waits=True) as stop,
        opened_sinks(outputs, lambda: (reader.bytes_read, reader.bytes_total)) as sinks,
    ):
        sinks.verdicts.look_up_in(against.read)
        for item in stop.until_requested(reader):
            if isinstance(item, Reject):
                sinks.rejects.add(item)
            elif isinstance(item, Flush):
                sinks.verdicts.flush()
            else:
                _check(against.window, reader, item, sinks)
    stop.raise_if_requested()
    is_wrong = inputs.report_read(reader, named)
    return code_of_run(sinks) or (REJECTED if is_wrong else DONE)


def _check(target: Window, reader: Reader, document: Document, sinks: Sinks) -> None:
    sinks.verdicts.note(document)
    try:
        verdict = _verdict(target, document)
    except DocumentError as error:
        sinks.rejects.add(reader.located(Reject(document.id, error.reason)))
        return
    sinks.verdicts.write(verdict)
    sinks.tally.add(verdict)


def _verdict(target: Window, document: Document) -> Verdict:
    """The verdict on `document`, under its own id and time; without one where it has none that can be read: it is
    compared with documents of all hours.
    """
    settings = target.settings
    prepare(document._replace(time=None), now_ms, settings.max_length)
    verdict = target.query(document.text, matches=settings.matches, source=source_of(document.fields))
    return verdict._replace(id=document.id, time=time_of(document), group=verdict.group or document.id)
