"""A run of `neardup dedup`: reads records, writes those that stay and those removed, and a summary."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.cleaning.compared import settings_for
from neardup.cleaning.kept_kinds import KindSample
from neardup.cleaning.records import ByKind, cleaned, entries, from_first_usable
from neardup.cli import inputs, sinks
from neardup.cli.cleaning_outputs import CleaningOutputs, opened_writers
from neardup.cli.cleaning_tally import CleaningTally
from neardup.cli.exit_codes import DONE, REJECTED, Stop
from neardup.cli.tally import progress

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from neardup.cleaning.kept_kinds import Kinds
    from neardup.cleaning.preference import Keep
    from neardup.cleaning.records import Before, Entry, Outcome
    from neardup.cli.config import Config
    from neardup.sources.reader import Reader


class CleaningRules(NamedTuple):
    """The rule by which one of several copies stays, the field of the source for that rule, and the kinds that stay."""

    keep: Keep
    source_field: str
    kept_kinds: Kinds


def clean(
    reader: Reader,
    before: AbstractContextManager[Before],
    config: Config,
    rules: CleaningRules,
    outputs: CleaningOutputs,
    named: set[str],
) -> int:
    """Writes the records of `reader` that stay and those removed, after the records `before`; returns the exit code.
    `named` as `named_fields` returns it.

    Raises `typer.BadParameter` if there is no file to read, and `OutputRefused` if a file that has content would be
    replaced although no record can be used: nothing is written then.
    """
    inputs.report_passed_over(reader)
    inputs.check_any(reader)
    has_kinds = bool(rules.kept_kinds)
    settings = settings_for(config.settings, every_pair=False, by_kind=has_kinds)
    config.check_recipe()  # before anything is written
    sample = None
    if not has_kinds and not settings.kinds:
        sample = KindSample(config.recipe)
    by_kind = ByKind(rules.kept_kinds, sample)
    tally = CleaningTally(sample, reader.position)
    with Stop(waits=True) as stop, ExitStack() as stack:
        rejects = stack.enter_context(sinks.Rejects(outputs.rejects, force=outputs.force))
        shown = sys.stderr.isatty() and not (sys.stdout.isatty() and outputs.kept is None)
        stack.enter_context(progress(tally, reader.position, rejects, shown=shown))
        # Where everything is read before anything is written, a signal ends the run at once: nothing need be finished.
        source = tally.noted(entries(reader, rejects.add))
        stream = stop.until_requested(source) if rules.keep.rule == "first" else source
        reject = tally.rejecting(rejects.add)
        if outputs.replaces:  # the old files stay unless a record can be used
            usable = from_first_usable(stream, settings.max_length, reject)
            if usable is None:
                stop.raise_if_requested()
                if rejects.count:
                    outputs.check_unreplaced()
            stream = usable or iter(())
        kept, removed = stack.enter_context(opened_writers(outputs, reader))
        there = stack.enter_context(before)
        for entry, outcome in cleaned(
            stream, rules.keep, rules.source_field, settings, reject, by_kind, there
        ):
            tally.count_outcome(entry, outcome)
            if outcome.where is None:
                kept.write(entry.record, where=entry.where)
            elif removed:
                removed.write(entry.record, _why(entry, outcome), entry.where)
        if reader.bytes_total is not None:  # only a live stream may end by a signal
            stop.raise_if_requested()  # before a partial table takes the place of a whole one
        why = _WHY_EXAMPLE | {"kind": ""} if has_kinds or settings.kinds else _WHY_EXAMPLE
        for table in reader.tables:
            kept.expect(table)
            if removed:
                removed.expect(table, why)
    stop.raise_if_requested()
    is_wrong = inputs.report_read(reader, named if rules.keep.rule == "earliest" else named - {"time"})
    return REJECTED if rejects.count or is_wrong else DONE


_WHY_EXAMPLE: Final[dict[str, Any]] = {
    "id": "", "status": "", "duplicate_of": "", "score": 0.0, "shared": 0, "where": "", "duplicate_of_where": "",
}  # fmt: skip
"""A value for each column that `_why` gives, without the kind: what a table without rows learns their types from."""


def _why(entry: Entry, outcome: Outcome) -> dict[str, Any]:
    """The values written beside a removed record."""
    why = {
        "id": entry.id,
        "status": outcome.status,
        "duplicate_of": outcome.duplicate_of,
        "score": outcome.score,
        "shared": outcome.shared,
        "where": entry.where,
        "duplicate_of_where": outcome.where,
    }
    return why if outcome.kind is None else why | {"kind": outcome.kind}
