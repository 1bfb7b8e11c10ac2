"""How `neardup explain` shows the differences."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final, Literal

from neardup.cli.tables import WIDTH, as_json, cell, console, counted, some_of
from neardup.model.counted import shown_percent, shown_score
from neardup.model.escapes import visible

if TYPE_CHECKING:
    from neardup.cli.explain_subjects import Subject, Subjects
    from neardup.reading.excerpts import Difference
    from neardup.reading.explanation import Explanation
    from neardup.reading.facts import FactKind

SHOWN: Final = 100
"""How many differences and passages are listed for people; further ones are counted below them."""
LONGEST: Final = 1_000
"""How many characters of a difference are shown on a terminal."""
_KINDS: Final[dict[FactKind, str]] = {"figure": "Figures", "date": "Dates", "name": "Names"}


def as_bytes(why: Explanation, subjects: Subjects, format: Literal["text", "json", "html"]) -> bytes:
    """The explanation as the bytes of a file."""
    if format == "json":
        return _as_json(why, subjects)
    if format == "html":
        return _as_page(why, subjects).encode()
    from rich.console import Console

    file = io.StringIO()
    print_explanation(why, subjects, Console(file=file, width=WIDTH))
    return file.getvalue().encode()


def _status(why: Explanation, subjects: Subjects) -> str:
    """The relation of the two texts at the threshold, in words."""
    if why.overlap.is_exact:
        case = ", case" if subjects.recipe.fold_case else ""
        return f"exact: only white space{case} and punctuation differ, if anything"
    limit = subjects.threshold
    return f"threshold {float(limit):g}: {'near' if why.doc_q >= limit else 'no copy'}"


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
    return rendered(
        "explanation.html", why=why, status=_status(why, subjects),
        a={"name": subjects.a.name, "about": subjects.a.about, "pieces": marked(why, "a")},
        b={"name": subjects.b.name, "about": subjects.b.about, "pieces": marked(why, "b")},
        delay=subjects.delay, facts={title: in_words(why.facts, kind) for kind, title in _KINDS.items()},
        differences=list(differences(why))[:SHOWN], left_out=max(0, len(why.changes) - SHOWN),
        passages=largest[:SHOWN], passages_left_out=max(0, len(largest) - SHOWN),
    )  # fmt: skip


def print_explanation(
    why: Explanation, subjects: Subjects, to: Any = None, *, most: int = SHOWN, longest: int = LONGEST
) -> None:
    """Prints the explanation for people, in colours on a terminal: `most` differences, and facts of each kind, and the
    `longest` characters of a difference.
    """
    from rich.text import Text

    from neardup.reading.excerpts import differences

    out = to or console()
    for line in _summary(why, subjects, most):
        out.print(Text(cell(line)), soft_wrap=True)
    for at, each in enumerate(differences(why)):
        if at == most:
            break
        out.print()
        out.print(_in_context(each, longest))
    if len(why.changes) > most:
        rest = f"{len(why.changes) - most:,} more differences: neardup explain --format json or html has all"
        out.print(Text(f"\n({rest})"))


def _summary(why: Explanation, subjects: Subjects, most: int) -> list[str]:
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
        f"doc_q {shown_score(why.doc_q)}: {shared:,} of {max(size_a, size_b):,} q-grams; {_status(why, subjects)}",
        f"{shown_percent(of_a)} of A is in B, {shown_percent(of_b)} of B in A",
        f"{common} in common: {shown_percent(why.covered_a)} of A, {shown_percent(why.covered_b)} of B",
    ]
    lines.append(f"{why.kind.name}: {why.kind.reason}")
    for kind, title in _KINDS.items():
        facts = in_words(why.facts, kind)
        if facts:
            lines.append(f"{title.lower():<8} {some_of(facts, most, '; ')}")
    return [*lines, f"{counted(len(why.changes), 'spot')} {'differs' if len(why.changes) == 1 else 'differ'}"]


def _in_context(each: Difference, longest: int) -> Any:
    """A difference in its surroundings: [old → new]."""
    from rich.text import Text

    styles = ("bold cyan", "bold cyan") if each.mark == "moved" else ("bold red", "bold green")
    shown = Text(_one_line(each.before))
    shown.append("[")
    if each.a:
        shown.append(_cut(each.a, longest), styles[0])
    shown.append(" → " if each.a and each.b else "")
    if each.b:
        shown.append(_cut(each.b, longest), styles[1])
    if each.a and not each.b:
        shown.append(" →")
    shown.append("]" if each.b or not each.a else " ]")
    shown.append(_one_line(each.after))
    if each.mark == "moved":
        shown.append("  (stands elsewhere in the other text)", "dim")
    if each.coarse:
        shown.append("  (too different to compare word by word)", "dim")
    return shown


def _cut(text: str, longest: int) -> str:
    """A difference, whole unless it is very long; then its beginning and its length. Characters that cannot be seen are
    escapes.
    """
    if len(text) <= longest:
        return _one_line(visible(text))
    return f"{_one_line(visible(text[:longest]))}… ({len(text):,} characters)"


def _one_line(text: str) -> str:
    """`text` with control characters escaped, and line ends as blanks."""
    return cell(" ".join(text.split("\n")))
