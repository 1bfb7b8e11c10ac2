"""What `neardup explain` compares, and how it shows what differs."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self

import typer

from neardup.cli.described import after_words
from neardup.cli.inputs import from_command_line, is_file, one_text
from neardup.cli.tables import WIDTH, as_json, cell, console, counted, minute
from neardup.errors import UnknownDocument, WindowMissing
from neardup.model.shown_fields import beginning

if TYPE_CHECKING:
    from fractions import Fraction

    from neardup.cli.config import Config
    from neardup.model.settings import Recipe
    from neardup.reading.excerpts import Difference
    from neardup.reading.explanation import Explanation

SHOWN: Final = 100
"""Differences and passages that are listed for people; what is more is counted below them."""
LONGEST: Final = 1_000
"""Characters of a difference that are shown on a terminal."""
_KINDS: Final = {"figure": "Figures", "date": "Dates", "name": "Names"}


class Subject(NamedTuple):
    """One of the two texts: its name, what is known of it, its time if it has one."""

    name: str
    text: str
    about: str = ""
    time: str = ""


class FileReading(NamedTuple):
    """How files are read: see `one_text`."""

    encoding: str | None
    html: bool


class Subjects(NamedTuple):
    """The two texts, the recipe that they are compared by, and the threshold."""

    a: Subject
    b: Subject
    recipe: Recipe
    threshold: Fraction

    @classmethod
    def read(
        cls, names: list[str], texts: list[str], window: str | None, config: Config, reading: FileReading
    ) -> Self:
        """The texts that are meant; raises `typer.BadParameter` unless they are two, `UnknownDocument`."""
        if len(names) + len(texts) != 2:
            raise typer.BadParameter("give two: ids, files, or texts by --text", param_hint="A B")
        files = {name for name in names if is_file(name)}
        ids = [str(from_command_line(name, "ID")) for name in names if window or name not in files]
        recipe, threshold = config.recipe, config.settings.threshold_fraction
        subjects: dict[str, Subject] = {}
        if ids:
            try:
                subjects, recipe, threshold = _of_window(ids, window, config, otherwise=files)
            except WindowMissing as error:
                if window or config.window:
                    raise
                why = f"{ids[0]} is no file, and there is no window here ({error.path}) whose document it could be; "
                why += "`neardup ingest FILE` makes one"
                raise typer.BadParameter(why, param_hint="A B") from error
        subjects |= {name: _of_file(name, reading) for name in files - subjects.keys()}
        in_order = [subjects[name] for name in names]
        in_order += [
            Subject(f"text {at}", str(from_command_line(text, "--text"))) for at, text in enumerate(texts, 1)
        ]
        return cls(in_order[0], in_order[1], recipe, threshold)

    @property
    def delay(self) -> str:
        """How long after or before A B came, in words; "" where not both have a time."""
        if not self.a.time or not self.b.time:
            return ""
        if self.b.time < self.a.time:
            return f"{after_words(self.b.time, self.a.time)} before"
        return f"{after_words(self.a.time, self.b.time)} after"


def _of_file(name: str, reading: FileReading) -> Subject:
    text = one_text(None, Path(name), encoding=reading.encoding, html=reading.html) or ""
    return Subject(name, text, beginning(text))


def _of_window(
    ids: list[str], window: str | None, config: Config, *, otherwise: set[str]
) -> tuple[dict[str, Subject], Recipe, Fraction]:
    """The documents, and how the window compares. One that is not there, and not `otherwise`, is `UnknownDocument`."""
    from neardup.cli.context import opened_window
    from neardup.cli.described import described

    subjects = {}
    with opened_window(window, config, readonly=True) as target:
        for id, document in zip(ids, target.read(ids), strict=True):
            if document is None and id not in otherwise:
                raise UnknownDocument(id)
            if document is None:
                continue
            shown = described(document)
            about = "  ".join(part for part in (minute(shown.time), shown.source, shown.begins) if part)
            left_out = len(document.left_out.spans)
            about += f"  ({counted(left_out, 'piece')} of boilerplate left out)" if left_out else ""
            subjects[id] = Subject(id, document.counted, about, document.time)
        settings = target.settings
    return subjects, settings.recipe or config.recipe, settings.threshold_fraction


def as_bytes(why: Explanation, subjects: Subjects, format: Literal["text", "json", "html"]) -> bytes:
    """The explanation as a file has it."""
    if format == "json":
        return _as_json(why, subjects)
    if format == "html":
        return _as_page(why, subjects).encode()
    from rich.console import Console

    file = io.StringIO()
    print_explanation(why, subjects, Console(file=file, width=WIDTH))
    return file.getvalue().encode()


def _status(why: Explanation, threshold: Fraction) -> str:
    """What the two are to one another, in words."""
    limit = f"threshold {float(threshold):g}"
    if why.overlap.is_exact:
        return "exact: only white space and punctuation differ, if anything"
    return f"{limit}: {'near' if why.doc_q >= threshold else 'no copy'}"


def _as_json(why: Explanation, subjects: Subjects) -> bytes:
    plain = why.to_dict()
    for side in ("a", "b"):
        subject: Subject = getattr(subjects, side)
        plain[side] = {"id": subject.name, "time": subject.time or None, **plain[side]}
    plain["threshold"] = float(subjects.threshold)
    return as_json(plain)


def _as_page(why: Explanation, subjects: Subjects) -> str:
    from neardup.reading.excerpts import differences, marked
    from neardup.reading.facts import in_words
    from neardup.reading.page import rendered

    largest = sorted(why.passages, key=lambda passage: (-passage.size, passage.a))
    sides: list[dict[str, Any]] = [
        {"name": subjects.a.name, "about": subjects.a.about, "pieces": marked(why, "a")},
        {"name": subjects.b.name, "about": subjects.b.about, "pieces": marked(why, "b")},
    ]
    return rendered(
        "explanation.html", why=why, a=sides[0], b=sides[1], status=_status(why, subjects.threshold),
        delay=subjects.delay, facts={title: in_words(why.facts, kind) for kind, title in _kinds()},
        differences=list(differences(why))[:SHOWN], left_out=max(0, len(why.changes) - SHOWN),
        passages=largest[:SHOWN], passages_left_out=max(0, len(largest) - SHOWN),
    )  # fmt: skip


def _kinds() -> Any:
    return _KINDS.items()


def print_explanation(why: Explanation, subjects: Subjects, to: Any = None) -> None:
    """The explanation for people, in colours on a terminal."""
    from rich.text import Text

    from neardup.reading.excerpts import differences

    out = to or console()
    for line in _summary(why, subjects):
        out.print(Text(cell(line)), soft_wrap=True)
    for at, each in enumerate(differences(why)):
        if at == SHOWN:
            break
        out.print()
        out.print(_in_context(each))
    if len(why.changes) > SHOWN:
        out.print(Text(f"\n({len(why.changes) - SHOWN:,} more differences: --format json or html has all)"))


def _summary(why: Explanation, subjects: Subjects) -> list[str]:
    from neardup.reading.facts import in_words

    shared, size_a, size_b, _ = why.overlap
    of_a, of_b = why.overlap.containments
    width = max(len(subjects.a.name), len(subjects.b.name))
    lines = [
        f"{side}  {each.name:<{width}}  {each.about}".rstrip()
        for side, each in zip("AB", subjects[:2], strict=True)
    ]
    if subjects.delay:
        lines.append(f"B came {subjects.delay} A")
    common = counted(len(why.passages), "passage")
    lines += [
        f"doc_q {why.doc_q:.3f}: {shared:,} of {max(size_a, size_b):,} q-grams; {_status(why, subjects.threshold)}",
        f"{of_a:.0%} of A is in B, {of_b:.0%} of B in A",
        f"{common} in common: {why.covered_a:.0%} of A, {why.covered_b:.0%} of B",
    ]
    lines.append(f"{why.kind.name}: {why.kind.reason}")
    for kind, title in _kinds():
        facts = in_words(why.facts, kind)
        if facts:
            more = f" and {len(facts) - SHOWN:,} more" if len(facts) > SHOWN else ""
            lines.append(f"{title.lower():<8} {'; '.join(facts[:SHOWN])}{more}")
    return [*lines, f"{counted(len(why.changes), 'spot')} {'differs' if len(why.changes) == 1 else 'differ'}"]


def _in_context(each: Difference) -> Any:
    """A difference with what stands around it: [what was → what is]."""
    from rich.text import Text

    styles = ("bold cyan", "bold cyan") if each.mark == "moved" else ("bold red", "bold green")
    shown = Text(_one_line(each.before))
    shown.append("[")
    if each.a:
        shown.append(_cut(each.a), styles[0])
    shown.append(" → " if each.a and each.b else "")
    if each.b:
        shown.append(_cut(each.b), styles[1])
    if each.a and not each.b:
        shown.append(" →")
    shown.append("]" if each.b or not each.a else " ]")
    shown.append(_one_line(each.after))
    if each.mark == "moved":
        shown.append("  (stands elsewhere in the other text)", "dim")
    if each.coarse:
        shown.append("  (too different to compare word by word)", "dim")
    return shown


def _cut(text: str) -> str:
    """A difference, whole unless it is very long; then it says how long."""
    if len(text) <= LONGEST:
        return _one_line(text)
    return f"{_one_line(text[:LONGEST])}… ({len(text):,} characters)"


def _one_line(text: str) -> str:
    """`text` with what would steer a terminal escaped, and line ends as blanks."""
    return cell(" ".join(text.split("\n")))
