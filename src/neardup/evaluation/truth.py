"""Which pairs are copies: a file of id pairs, judged or merely listed.

    id1 <tab> id2                    every pair listed is a copy
    id1 <tab> id2 <tab> judgement    1, yes, dup … is a copy; 0, no … is none; ? is not counted either way

A judgement may be any other word if at least one word of the file is known to mean a copy, or if `copy_labels` names
the words that do. All other words then mean no copy, except for ?, unsure and unknown (unless `copy_labels` has them),
which are not counted. A column of other numbers is a score: with `copy_from`, pairs that reach it are copies, the
others not; without it, every pair listed is a copy. If 0 or 1 is among other numbers, the column could be judgements or
scores, and is refused. Lines that are blank or begin with # are skipped, and so is a first line that names columns,
such as id1 and id2, unless documents have those ids; the first line of files of neardup serve and calibrate is never
taken for a pair. Further columns are not read.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.evaluation.errors import EvaluationError

if TYPE_CHECKING:
    from neardup.evaluation.corpus import Corpus

Pair = tuple[int, int]
"""Two documents of a corpus by their numbers, the smaller first."""

COPY: Final = frozenset({"true", "yes", "y", "dup", "duplicate", "copy", "near", "exact"})
"""The words that mean a copy; so does the number 1, however it is written."""
UNCOUNTED: Final = frozenset({"?", "unknown", "unsure", ""})
_OWN_HEADER: Final = ["id1", "id2", "label"]
"""The first line of files of neardup serve and calibrate."""
_HEADER_RE = re.compile(
    r"(id|doc|document|first|second|left|right|one|other|source|target|original|copy|name|a|b)([ _-]?id)?[ _-]?[12ab]?",
    re.IGNORECASE,
)


class Tally(NamedTuple):
    """How many pairs that a method calls copies count (`reported`), and how many of those are copies (`correct`)."""

    reported: int
    correct: int


@dataclass(frozen=True)
class Truth:
    """The judgements of the pairs of a corpus.

    copies, others   pairs judged to be copies, and pairs judged not to be
    uncounted        pairs judged to be neither
    judged_only      whether only copies and others count; else every pair that is no copy and not uncounted is wrong
    labels           how often each judgement occurs in the file
    columns          the first line, if it was taken for column names: it could be a pair of unknown documents
    """

    copies: frozenset[Pair]
    others: frozenset[Pair] = frozenset()
    uncounted: frozenset[Pair] = frozenset()
    judged_only: bool = False
    labels: Mapping[str, int] = field(default_factory=dict)
    columns: str | None = None

    @cached_property
    def digest(self) -> str:
        """16 hex digits that change with any pair, any judgement and with what is counted."""
        sets = (sorted(pairs) for pairs in (self.copies, self.others, self.uncounted))
        return hashlib.sha256(repr((self.judged_only, *sets)).encode()).hexdigest()[:16]

    @cached_property
    def named(self) -> list[int]:
        """The documents named by pairs that count."""
        return sorted({doc for pair in self.copies | self.others for doc in pair})

    def tally(self, reported: Collection[Pair]) -> Tally:
        """How many of the `reported` pairs count, and how many of those are copies."""
        pairs = frozenset(reported)
        counted = pairs & (self.copies | self.others) if self.judged_only else pairs - self.uncounted
        return Tally(len(counted), len(counted & self.copies))

    def facts(self) -> dict[str, Any]:
        """The sizes and digest of the truth, for a report."""
        return {
            "copies": len(self.copies),
            "others": len(self.others),
            "uncounted": len(self.uncounted),
            "counted": "judged pairs only" if self.judged_only else "every pair",
            "labels": dict(sorted(self.labels.items())),
            "columns": self.columns,
            "digest": self.digest,
        }


class _Line(NamedTuple):
    """One pair of the file, its line and its judgement (None: none)."""

    number: int
    pair: Pair
    label: str | None


def read_truth(
    path: Path,
    corpus: Corpus,
    *,
    copy_labels: Iterable[str] = (),
    copy_from: float | None = None,
    judged_only: bool | None = None,
) -> Truth:
    """The truth in the file `path`; `judged_only` None: True if any pair is judged not to be a copy.

    Raises `EvaluationError` for a line that is not a pair of two documents of `corpus`, a pair judged in two ways, a
    judgement that cannot be read, and a file without any copy; `OSError` for a file that cannot be read.
    """
    lines, columns = _lines(path, corpus)
    if not lines:
        raise EvaluationError(str(path), "there is no pair in it: each line is id, tab, id")
    wanted = frozenset(label.lower() for label in copy_labels)
    meanings = _meanings(path, lines, wanted, copy_from)
    judged: dict[Pair, tuple[int, bool | None]] = {}
    for number, pair, label in lines:
        meaning = meanings[label]
        before = judged.setdefault(pair, (number, meaning))
        if before[1] != meaning:
            raise EvaluationError(
                str(path), f"lines {before[0]} and {number} judge one pair in two ways: keep one of them"
            )
    kinds = {
        kind: frozenset(pair for pair, (_, meaning) in judged.items() if meaning is kind)
        for kind in (True, False, None)
    }
    if not kinds[True]:
        raise EvaluationError(str(path), "no pair in it is judged a copy: recall would be undefined")
    return Truth(
        kinds[True],
        kinds[False],
        kinds[None],
        bool(kinds[False]) if judged_only is None else judged_only,
        _counts(lines, meanings, copy_from),
        columns,
    )


def _lines(path: Path, corpus: Corpus) -> tuple[list[_Line], str | None]:
    """The pairs of the file, and the names of its columns, if it has any."""
    lines: list[_Line] = []
    columns: str | None = None
    unknown: list[tuple[int, str]] = []
    for at, (number, cells) in enumerate(_rows(path, corpus)):
        strange = [id for id in cells[:2] if id not in corpus.docs]
        names_columns = len(strange) == 2 and all(_HEADER_RE.fullmatch(id.strip()) for id in strange)
        if at == 0 and (names_columns or cells == _OWN_HEADER):
            columns = ", ".join(map(str.strip, cells))
        elif strange:
            unknown += [(number, id) for id in strange]
        else:
            i, j = sorted((corpus.docs[cells[0]], corpus.docs[cells[1]]))
            if i == j:
                raise EvaluationError(str(path), f"line {number} pairs {cells[0]!r} with itself")
            lines.append(_Line(number, (i, j), cells[2].strip().lower() if len(cells) > 2 else None))
    if unknown:
        number, id = unknown[0]
        more = f" (and {len(unknown) - 1:,} more)" if len(unknown) > 1 else ""
        raise EvaluationError(
            str(path),
            f"line {number} names the document {id!r}, which the corpus does not have{more}: "
            "give all files of the corpus, or name the field of its ids by --id-field",
            id,
        )
    return lines, columns


def _rows(path: Path, corpus: Corpus) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of every line that is neither blank nor a comment; a first id of the corpus may begin with #."""
    try:
        content = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EvaluationError(str(path), f"not UTF-8: byte at offset {error.start}") from error
    for number, line in enumerate(
        content.split("\n"), 1
    ):  # `splitlines` might break lines in the midst of ids
        cells = line.split("\t")
        if not line.strip() or (line.startswith("#") and cells[0] not in corpus.docs):
            continue
        if len(cells) < 2:
            raise EvaluationError(str(path), f"line {number} has no tab: each line is id, tab, id")
        yield number, cells


def _meanings(
    path: Path, lines: Sequence[_Line], wanted: frozenset[str], copy_from: float | None
) -> dict[str | None, bool | None]:
    """For every judgement in the file: whether it means a copy; None if the pair is not counted."""
    labels = {line.label for line in lines}
    words = {label for label in labels if label is not None} - (UNCOUNTED - wanted)
    meanings: dict[str | None, bool | None] = dict.fromkeys(labels, None) | {None: True}
    if copy_from is not None:
        return meanings | _by_score(path, lines, copy_from)
    if not wanted and _are_scores(path, lines):
        return meanings | dict.fromkeys(words, True)  # scores: every pair listed is a copy
    copies = wanted or {word for word in words if word in COPY or _number(word) == 1}
    if words and not words & copies:
        unknown = ", ".join(sorted(words))
        raise EvaluationError(
            str(path),
            f"no judgement in it is known to mean a copy ({unknown}): name those that do by --copy-label",
        )
    return meanings | {word: word in copies for word in words}


def _by_score(path: Path, lines: Iterable[_Line], copy_from: float) -> dict[str | None, bool | None]:
    """For every score in the file, whether it reaches `copy_from`."""
    meanings: dict[str | None, bool | None] = {}
    for number, _, label in lines:
        if label in UNCOUNTED:
            continue
        score = None if label is None else _number(label)
        if score is None:
            raise EvaluationError(
                str(path), f"line {number} has no score but {label or 'nothing'!r}: leave out --copy-from"
            )
        if math.isnan(score):
            raise EvaluationError(
                str(path),
                f"line {number} has the score {label!r}, which is not a number: write a number, or ?",
                label,
            )
        meanings[label] = score >= copy_from
    return meanings


def _are_scores(path: Path, lines: Iterable[_Line]) -> bool:
    """Whether the judgements are scores: numbers of which none is 0 or 1.

    Raises `EvaluationError` for a number that is neither a score nor a judgement, and for 0 or 1 among other numbers.
    """
    bits: list[_Line] = []
    others: list[_Line] = []
    has_words = False
    for line in lines:
        if line.label is None or line.label in UNCOUNTED:
            continue
        value = _number(line.label)
        if value is not None and not math.isfinite(value):
            raise EvaluationError(
                str(path),
                f"line {line.number} has the judgement {line.label!r}, which means neither copy nor no copy: write 1, "
                "0 or ? (not counted); if the column holds scores, write a number or ?, and give --copy-from NUMBER",
                line.label,
            )
        has_words |= value is None
        (bits if value in (0, 1) else others).append(line)
    if has_words:
        return False
    if bits and others:
        bit, other = bits[0], others[0]
        raise EvaluationError(
            str(path),
            f"line {other.number} has the judgement {other.label!r}, line {bit.number} has {bit.label!r}: are these "
            "scores or judgements? For scores, give the lowest score of a copy by --copy-from NUMBER (the lowest in "
            "the file makes all listed pairs copies); for judgements, write 1, 0 or ? (not counted)",
            other.label,
        )
    return bool(others)


def _counts(
    lines: Iterable[_Line], meanings: Mapping[str | None, bool | None], copy_from: float | None
) -> dict[str, int]:
    """How often each judgement occurs; for a column of scores, its two sides."""
    scored = copy_from is not None or len(meanings) > 20
    counts: Counter[str] = Counter()
    for line in lines:
        if line.label is None:
            counts["listed"] += 1
        elif scored and _number(line.label) is not None:
            side = "at least" if meanings[line.label] else "below"
            counts[f"{side} {copy_from:g}" if copy_from is not None else "scored"] += 1
        else:
            counts[line.label or "?"] += 1
    return dict(counts)


def _number(label: str) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None
