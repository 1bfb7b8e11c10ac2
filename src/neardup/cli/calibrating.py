"""A run of `neardup calibrate`: the pairs, the questions, and the result of the answers."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Self

import typer

from neardup.calibration.calibrator import Calibrator, Interval, Outcome
from neardup.calibration.window_pairs import ScoredPair, WindowPairs, pairs_of
from neardup.cli.output_files import check_outputs
from neardup.cli.streams import log_line
from neardup.cli.tables import counted, print_line, print_lines, print_pairs
from neardup.errors import SettingsError, UnknownDocument
from neardup.model.settings import Recipe
from neardup.serving.judged import JudgedPairs, is_listable

if TYPE_CHECKING:
    from collections.abc import Callable

    from neardup.serving.judged import Judgement
    from neardup.window.base import Window

KEYS: Final[dict[str, Judgement]] = {"c": "copy", "f": "form", "q": "quote", "n": "no"}
SKIP: Final = "s"
END: Final = "x"
_PROMPT: Final = "c copy, f form, q quote, n no, s skip, x end: "
_SHOWN_TEXT: Final = 700
"""How many characters of each text are shown whether they differ or not: some ten lines of a terminal."""
_MOST_DIFFERENCES: Final = 8
_LONGEST_DIFFERENCE: Final = 160
"""How many differences are shown, and how many characters of each: more would push the texts off the terminal."""
_PROGRESS_EVERY: Final = 1_000


class NoAnswers(SettingsError):
    """None of the answers is about a pair that was found; `pairs` says how many were."""

    def __init__(self, pairs: str) -> None:
        super().__init__("answers", 0, "at least one about a pair that was found")
        self.pairs = pairs

    def __str__(self) -> str:
        ways = f"answer by a key ({', '.join(KEYS)}), or in the file of --answers"
        return f"no answer is about a pair that was found ({self.pairs}): {ways}"


def given_answers(answers: Path | None, judged: Callable[[], Path]) -> JudgedPairs:
    """The pairs that are judged already: those in `answers`, or else in the file that is written to, which
    `judged` gives.

    Raises `SettingsError` if the file of answers does not exist or is of another kind, `OutputRefused` for one in a
    window.
    """
    if answers is None:
        file = judged()
        check_outputs([("--judged", file)], [], replace=True)
        return JudgedPairs(file)
    if not answers.exists():
        expected = "an existing file, written by neardup serve or calibrate"
        raise SettingsError("answers", str(answers), expected)
    try:
        return JudgedPairs(answers, readonly=True)
    except SettingsError as error:
        raise SettingsError("answers", str(answers), error.expected) from error


class Answers:
    """The source of answers: a person at a terminal, or lines of standard input; unless it `asks`, those `given`."""

    def __init__(self, window: Window, given: JudgedPairs, *, asks: bool) -> None:
        self._window, self._given, self.asks = window, given, asks

    def given(self, pair: ScoredPair) -> str | None:
        """The earlier judgement of a pair, None if there is none."""
        return self._given.of(pair.id, pair.earlier)

    def of(self, pair: ScoredPair, number: int, of: int) -> str:
        """The key for a pair, after showing it; a judgement is on the disk when this returns. `SKIP` for a pair that is
        no longer in the window, which is reported.
        """
        try:
            _show_pair(self._window, pair, number, of)
        except UnknownDocument as error:
            log_line(f"{error.id!r} has left the window meanwhile: its pair is skipped")
            return SKIP
        while True:
            key = _read_key()
            if key in KEYS:
                self._given.judge(pair.id, pair.earlier, KEYS[key])
            if key in (*KEYS, SKIP, END):
                return key
            log_line(f"{key!r} is not one of the keys {', '.join((*KEYS, SKIP, END))}")


def _read_key() -> str:
    """A key, or the first letter of a line if there is no terminal; `END` at the end of the input."""
    if sys.stdin.isatty():
        print(_PROMPT, end="", file=sys.stderr, flush=True)
        try:
            key = typer.getchar() or END
        except EOFError:  # Ctrl-D
            key = END
        print(key if key.isprintable() else "", file=sys.stderr)
        return key.lower()
    line = sys.stdin.readline()
    return line.strip().lower()[:1] if line.strip() else (SKIP if line else END)


def _show_pair(window: Window, pair: ScoredPair, number: int, of: int) -> None:
    """Shows the two documents and their differences, as `neardup explain` does. Raises `UnknownDocument`."""
    from neardup.cli.explain_output import print_explanation
    from neardup.cli.explain_subjects import Subjects, subject_of
    from neardup.reading.explanation import explain

    sides = []
    ids = [pair.earlier, pair.id]
    for id, document in zip(ids, window.read(ids), strict=True):
        if document is None:
            raise UnknownDocument(id)
        sides.append(subject_of(document))
    recipe = window.settings.recipe or Recipe()
    subjects = Subjects(sides[0], sides[1], recipe, window.settings.threshold_fraction)
    print_line("")
    print_line(f"--- {number} of {of} ---")
    for side, subject in zip("AB", sides, strict=True):
        print_line(f"{side}: {_shown_text(subject.text)}")
    why = explain(sides[0].text, sides[1].text, recipe=recipe)
    print_explanation(why, subjects, most=_MOST_DIFFERENCES, longest=_LONGEST_DIFFERENCE)


def _shown_text(text: str) -> str:
    """The beginning of a text, on one line, long enough to be judged."""
    begins = " ".join(text[: 2 * _SHOWN_TEXT].split())
    is_cut = len(begins) > _SHOWN_TEXT or len(text) > 2 * _SHOWN_TEXT
    return f"{begins[:_SHOWN_TEXT]}… ({len(text):,} characters)" if is_cut else begins


class Change(NamedTuple):
    """How many of the `documents` sampled are copies at the window's threshold (`now`) and at another one (`then`)."""

    now: int
    then: int
    documents: int


class Calibration:
    """The pairs of a window, judged one after another."""

    def __init__(self, of_window: WindowPairs, lowest: float, threshold: float, *, seed: int) -> None:
        self._of_window, self._lowest, self._threshold = of_window, lowest, threshold
        self._calibrator = Calibrator([pair.score for pair in of_window.pairs], seed=seed)
        self._said: Counter[str] = Counter()

    @classmethod
    def over(cls, window: Window, lowest: float | None, *, sample: int, seed: int) -> Self:
        """The pairs of `window` with doc_q from `lowest` on; raises `typer.BadParameter` if there is none. Without
        `lowest`, from the window's reach on, or from its threshold if that is lower, because its own copies are
        counted.
        """
        threshold = float(window.settings.threshold_fraction)
        if lowest is None:
            lowest = min(float((window.settings.recipe or Recipe()).reach), threshold)

        def progress(done: int, of: int) -> None:
            if done % _PROGRESS_EVERY == 0:
                log_line(f"looking for pairs: {done:,} of {of:,} documents")

        sampled = pairs_of(window, str(lowest), most=sample, seed=seed, on_progress=progress)
        if not sampled.pairs:
            reason = (
                f"no two of {counted(sampled.sampled, 'document')} have a doc_q of {lowest:g} or more, so there is "
                "nothing to judge: try a lower --lowest, a larger --sample or another window"
            )
            raise typer.BadParameter(reason, param_hint="--lowest")
        if sampled.sampled < sampled.documents:
            log_line(
                f"pairs of {sampled.sampled:,} documents of {sampled.documents:,}, drawn at random (--sample)"
            )
        return cls(sampled, lowest, threshold, seed=seed)

    def ask(self, answers: Answers, questions: int) -> None:
        """Asks until there are `questions` answers, the answers end, or no pair is left."""
        self._take_given(answers)
        while answers.asks and self._calibrator.answered < questions:
            position = self._calibrator.question()
            if position is None:
                break
            key = answers.of(self._of_window.pairs[position], self._calibrator.answered + 1, questions)
            if key == END:
                break
            if key == SKIP:
                self._calibrator.skip(position)
            else:
                self._answer(position, KEYS[key])

    def _take_given(self, answers: Answers) -> None:
        """Takes the answers given before, and reports pairs that cannot be asked about."""
        unlisted = []
        for number, pair in enumerate(self._of_window.pairs):
            if (said := answers.given(pair)) is not None:
                self._answer(number, said)
            elif answers.asks and not (is_listable(pair.id) and is_listable(pair.earlier)):
                self._calibrator.skip(number)
                unlisted.append(pair)
        if unlisted:
            log_line(
                f"{counted(len(unlisted), 'pair')} not asked about, such as {unlisted[0].earlier!r} and "
                f"{unlisted[0].id!r}: an id with a tab or a line end cannot be written to a file of pairs"
            )

    def report_unused(self, given: JudgedPairs, window: Window) -> None:
        """Reports which judged pairs do not count, and why: their number, and the first."""
        known = {frozenset((pair.id, pair.earlier)) for pair in self._of_window.pairs}
        unused = [pair for pair in given.pairs() if frozenset(pair) not in known]
        unknown = [id for pair in unused for id in pair if id not in window]
        others = [pair for pair in unused if all(id in window for id in pair)]
        if unknown:
            ids = list(dict.fromkeys(unknown))
            log_line(
                f"{counted(len(unused) - len(others), 'judged pair')} not counted: the window has no document "
                f"{ids[0]!r}{f', nor {len(ids) - 1:,} others' if len(ids) > 1 else ''}"
            )
        if others:
            log_line(
                f"{counted(len(others), 'judged pair')} not counted, such as {' and '.join(map(repr, others[0]))}: "
                "a pair counts only if the earlier document is the best match of the later one, with a doc_q of "
                f"{self._lowest:g} or more (--lowest), and the later one was looked at (--sample)"
            )

    def _answer(self, position: int, said: str) -> None:
        self._calibrator.answer(position, copy=said == "copy")
        self._said[said] += 1

    def change(self, threshold: float) -> Change:
        """How many documents are copies of an earlier one now, and how many would be with `threshold`."""
        scores = [pair.score for pair in self._of_window.pairs]
        now, then = (sum(score >= each for score in scores) for each in (self._threshold, threshold))
        return Change(now, then, self._of_window.sampled)

    def show(self, window: str, format: Literal["table", "jsonl"]) -> None:
        """Prints the result of the answers; raises `NoAnswers` if there are none."""
        if not self._calibrator.answered:
            raise NoAnswers(counted(len(self._of_window.pairs), "pair"))
        best, now = self._calibrator.best(), self._calibrator.at(self._threshold)
        between, change = self._calibrator.thresholds(), self.change(best.threshold)
        if format == "jsonl":
            print_lines([self._plain(best, now, between, change)])
        else:
            self._print(window, best, now, between, change)

    def _plain(
        self, best: Outcome, now: Outcome, between: tuple[float, float], change: Change
    ) -> dict[str, object]:
        def plain(outcome: Outcome) -> dict[str, object]:
            parts = ("f1", "precision", "recall")
            return {
                "threshold": outcome.threshold,
                "reported": outcome.reported,
                **{name: getattr(outcome, name)._asdict() for name in parts},
            }

        return {
            "answers": dict(self._said), "pairs": len(self._of_window.pairs), "lowest": self._lowest,
            "best": plain(best), "between": list(between), "now": plain(now), "change": change._asdict(),
        }  # fmt: skip

    def _print(
        self, window: str, best: Outcome, now: Outcome, between: tuple[float, float], change: Change
    ) -> None:
        said = ", ".join(f"{count} {name}" for name, count in self._said.most_common())
        print_pairs({
            "answers": f"{self._calibrator.answered} of {counted(len(self._of_window.pairs), 'pair')}: {said}",
            "threshold": f"{best.threshold:g}  (95 %: {between[0]:g} to {between[1]:g})",
            "F1": _with_now(best.f1, now.f1, self._threshold),
            "precision": _with_now(best.precision, now.precision, self._threshold),
            "recall": _with_now(best.recall, now.recall, self._threshold)
            + f", of copies with doc_q from {self._lowest:g} on",
        })  # fmt: skip
        print_line(self._about_intervals())
        print_line(_in_words(change))
        if self._lowest > self._threshold:
            print_line(
                f"only pairs with a doc_q of {self._lowest:g} or more were looked for (--lowest), but the window finds "
                f"copies from {self._threshold:g} on"
            )
        none = sum(count for name, count in self._said.items() if name in ("form", "quote"))
        if none:
            print_line(
                f"forms and quotes: {none:,}, which no threshold tells from copies (docs/blind-spots.md)"
            )
        if best.threshold <= self._lowest:
            print_line(
                "the best threshold may be lower: pairs with a lower doc_q were not looked for (--lowest; see --reach "
                "for new windows)"
            )
        if len({said == "copy" for said in self._said}) == 1:
            answer = "a copy" if self._said["copy"] else "no copy"
            print_line(
                f"every answer is {answer}: choosing a threshold needs copies and others; judge more before you use it"
            )
        elif best.threshold == self._threshold:
            print_line(f"the window has the threshold {best.threshold:g} already: there is nothing to change")
        else:
            print_line(f"to use it: neardup reconcile --window {window} --threshold {best.threshold:g}")

    def _about_intervals(self) -> str:
        """A sentence that says what the intervals refer to."""
        pairs, sampled, documents = self._of_window
        of = "this window" if sampled == documents else f"the {sampled:,} documents drawn"
        if not (left := len(pairs) - self._calibrator.answered):
            return f"all pairs of {of} are judged: the figures are exact for them, and no forecast for other texts"
        return (
            f"the 95 % intervals are for the pairs of {of}, {left:,} of which are not judged; they are no forecast for "
            "other texts"
        )


def _with_now(best: Interval, now: Interval, threshold: float) -> str:
    return (
        f"{best.value:.2f}  ({best.low:.2f} to {best.high:.2f}); "
        f"at {threshold:g}, as now: {now.value:.2f} ({now.low:.2f} to {now.high:.2f})"
    )


def _in_words(change: Change) -> str:
    """A sentence on the effect that another threshold would have on the verdicts."""
    difference = change.then - change.now
    of = f"of {counted(change.documents, 'document')}, {change.now:,} are copies now"
    if not difference:
        return f"{of}, and as many with this threshold"
    return f"{of}, {change.then:,} with this threshold: {abs(difference):,} {'more' if difference > 0 else 'fewer'}"
