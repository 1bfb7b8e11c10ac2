"""Files of a window that are damaged while it is closed, or while a reader or writer has them open."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from testing.torture import damage, faults
from testing.torture.kinds import Kind, Outcome, Round

if TYPE_CHECKING:
    from testing.torture.damage import Doing

FAULTS: Final[dict[str, tuple[Doing, str]]] = {
    "bit": (damage.flip, "One bit of a file is another"),
    "zeros": (damage.zero, "Zeros lie over a part of a file, or over all of it"),
    "garbage": (damage.garbage, "Noise lies over a part of a file, or over all of it"),
    "garbage-at-end": (damage.append, "Noise or zeros lie behind the end of a file"),
    "cut": (damage.cut, "A file has lost its end, or is empty"),
    "delete": (damage.delete, "A file, an hour or all hours are deleted"),
    "block-elsewhere": (damage.duplicate, "A block of a file lies over another of it"),
    "wrong-file": (damage.exchange, "A file is in the place of another, of another hour or beside it"),
}
SAMPLE_ROUNDS: Final = 2


@functools.cache
def _samples() -> list[faults.Sample]:
    """The windows to be damaged, made once per run."""
    place = tempfile.mkdtemp(prefix="neardup-torture-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return faults.samples_in(Path(place))


def _damaged(doing: Doing, round: Round) -> Outcome:
    outcome = Outcome()
    done, seen = faults.one_round(_samples(), round.random.randrange(2**32), round.place, [doing])
    for each in seen:
        outcome.count(each.outcome)
        outcome.expect(
            each.outcome not in faults.WRONG,
            f"{done.kind} {done.file}, {each.who}: {each.outcome}: {each.detail}",
        )
    return outcome


KINDS: Final = tuple(
    Kind(name, "directory", f"{what}.", functools.partial(_damaged, doing), SAMPLE_ROUNDS)
    for name, (doing, what) in FAULTS.items()
)
