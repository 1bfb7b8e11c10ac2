"""After a fault: is everything acknowledged there, is the state allowed, and does the story go on undisturbed?"""

from __future__ import annotations

import shutil
import signal
from typing import TYPE_CHECKING, Any, Final

import orjson
from testing.torture.forker import start
from testing.torture.stories import Story, plain, reference, state_of
from testing.window.operations import Ingest, Operation, Reopen, perform

from neardup.errors import NeardupError, WindowMissing
from neardup.opening import open_window
from neardup.stores.survey import examine_window, read_everything

if TYPE_CHECKING:
    from pathlib import Path

    from testing.torture.forker import Process
    from testing.torture.kinds import Outcome, Round
    from testing.torture.stories import Reference

KILLED: Final = 128 + signal.SIGKILL


class Telling:
    """A story in progress: how many steps have been answered, checked against the expected answers."""

    def __init__(self, round: Round, outcome: Outcome, story: Story) -> None:
        self.story, self.outcome = story, outcome
        self.expected: Reference = reference(story)
        self.place, self.path = round.place, round.place / "window"
        self.file = story.save(round.place / "story.json")
        self.told = 0
        self._interrupted = False
        self._processes = 0
        self._reader: Process | None = None

    @property
    def is_done(self) -> bool:
        """Whether every step has been answered."""
        return self.told == len(self.expected.answers)

    def writer(self, *setups: list[Any], patience: int = 25) -> Process:
        """A process that continues the story."""
        return self.process("tell", self.file, self.path, self.told, patience, setups=setups)

    def process(self, work: str, *arguments: object, setups: tuple[list[Any], ...] = ()) -> Process:
        """A process of this round."""
        self._processes += 1
        errors = self.place / f"errors-{self._processes}.txt"
        return start(errors, work, *arguments, setups=[*setups])

    def follow(self) -> None:
        """From now on, a reader reads all the time; `check_end` checks the answers that it got."""
        self._reader = self.process("follow", self.path, self.place / "seen.jsonl")

    def take(self, line: dict[str, Any]) -> None:
        """Checks a line that a writer has printed: the answer to the next step, or an error."""
        if "error" in line:
            self.outcome.count("named")
            self.outcome.expect(line["named"], f"an error that names no file: {line['error']}")
            self._interrupted = True
            return
        expected = self.expected.answers[self.told]
        # If a step was done but its answer not printed, only a document gives the same answer again.
        is_again = self._interrupted and not isinstance(self._rest(), Ingest)
        self.outcome.expect(
            is_again or line["answer"] == expected,
            f"step {self.told} ({self._rest()}): answered {line['answer']}, expected {expected}",
        )
        self._interrupted = False
        self.told += 1

    def _rest(self) -> Operation:
        return self.story.rest_of(self.story.steps[self.told])

    def ended(self, process: Process, *codes: int) -> None:
        """The process has ended: checks that it has one of these exit codes and no traceback."""
        self._interrupted = True
        code, said = process.wait(), process.errors
        self.outcome.expect(code in codes, f"exit code {code}, expected {codes}: {said}")
        self.outcome.expect("Traceback" not in said, said)

    def check_state(self) -> None:
        """The window is in a state allowed by the printed answers: after the last one, or within the current batch."""
        low, high = self.told, self.story.latest_after(self.told)
        try:
            with open_window(self.path, readonly=True) as window:
                state = state_of(window)
        except WindowMissing:
            self.outcome.expect(low == 0, f"no window, though {low} steps were told of")
            return
        at = self.expected.index_of(state, low, high)
        if self.outcome.expect(at is not None, self._unlike(state, low, high)):
            self.outcome.count("the same" if at == low else "a step further")
        read_everything(self.path)

    def _unlike(self, state: Any, low: int, high: int) -> str:
        known = self.expected.index_of(state, 0, len(self.expected.states) - 1)
        return f"not in a state after {low} to {high} steps, but {known}: {state}, not {self.expected.states[low]}"

    def go_on(self) -> None:
        """Does the rest in this process: every answer is as expected, and so is the window at the end."""
        with open_window(self.path, **self.story.settings) as window:
            while not self.is_done:
                rest = self._rest()
                if isinstance(rest, Ingest):
                    for verdict in window.ingest(rest.documents):
                        self.take({"answer": plain(verdict)})
                else:
                    self.take({"answer": plain([] if isinstance(rest, Reopen) else perform(window, rest))})
        self.check_end()

    def check_end(self) -> None:
        """All steps have been answered: the window is as it must be, in every byte, and a reader saw nothing else."""
        with open_window(self.path, readonly=True) as window:
            state = state_of(window)
        last = len(self.expected.answers)
        self.outcome.expect(state == self.expected.states[-1], self._unlike(state, last, last))
        read_everything(self.path)
        survey = examine_window(self.path)
        self.outcome.expect(survey.is_whole, f"not whole: {survey}")
        if self._reader is not None:
            self._reader.kill()
            self.ended(self._reader, KILLED)
            self._check_seen()

    def _check_seen(self) -> None:
        """The answers to each call of a reader go from committed state to committed state, and never back.

        Between two calls it may have come to another state.
        """
        expected, outcome, at = self.expected.states, self.outcome, [0, 0, 0]
        states = [
            [groups, figures, [each["id"] for each in verdicts]] for groups, figures, verdicts in expected
        ]
        known = {orjson.dumps(verdict) for _, _, verdicts in expected for verdict in verdicts}
        seen = self.place / "seen.jsonl"
        for line in seen.read_bytes().rpartition(b"\n")[0].splitlines() if seen.exists() else []:
            told = orjson.loads(line)
            if "error" in told:
                outcome.count("expired")
                outcome.expect(
                    told["error"].startswith("WindowExpired"), f"a reader was told {told['error']}"
                )
                continue
            outcome.count("read")
            for call, found in enumerate(told["calls"]):
                n = next((n for n in range(at[call], len(states)) if states[n][call] == found), None)
                if outcome.expect(n is not None, f"no state after {at[call]} steps or more has {found}"):
                    at[call] = n or 0
            strange = [each for each in told["verdicts"] if each and orjson.dumps(each) not in known]
            outcome.expect(not strange, f"verdicts of no state: {strange}")

    def check_doctor(self, *codes: int) -> str:
        """The output of `neardup doctor` on the window, which must end with one of these exit codes."""
        process = self.process("command", "doctor", "--window", self.path)
        said = process.output.read().decode()
        self.ended(process, *codes)
        return said


def told_or_named(outcome: Outcome, call: Any) -> Any:
    """The result of `call`; None, which is counted, if it raises an error that says what is wrong."""
    try:
        return call()
    except NeardupError as error:
        outcome.count("named")
        outcome.expect(len(str(error)) > 20, f"an error that says nothing: {error!r}")
        return None


def copied(source: Path, target: Path) -> Path:
    """Replaces `target` by a copy of a directory."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    return target
