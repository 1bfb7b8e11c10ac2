"""Texts compared with those before them, in a window in memory without hours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from neardup.cleaning.kept_kinds import MOST_MATCHES, first_to_go
from neardup.model.document import FLUSH, Document, Flush, Reject
from neardup.model.settings import Recipe
from neardup.opening import open_window
from neardup.signing.doc_q import overlap
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from neardup.model.settings import Settings
    from neardup.model.verdict import KindName, Match, Status, Verdict

OnReject = Callable[[int, str], None]


class Earlier(NamedTuple):
    """A text that comes before another, by its number, with their exact doc_q."""

    at: int
    score: float
    shared: int


class Sourced(NamedTuple):
    """A text with the fields that name its source, by which its boilerplate is left out."""

    text: str
    fields: Any = None


class ComparedText(NamedTuple):
    """A text, by its number, with those before it that have a doc_q at or above the threshold, best first.

    `truncated` as in a verdict. `kind`: that of the text and the first match, where kinds were asked for; with no
    matches, the kind for which the text stays although it is like an earlier one.
    """

    at: int
    status: Status
    matches: list[Earlier]
    truncated: bool
    kind: KindName | None = None


def settings_for(settings: Settings, *, every_pair: bool, by_kind: bool) -> Settings:
    """`settings` for a run without hours. With `every_pair` all texts stay; otherwise only those that are not copies of
    one that stays. `by_kind`: the kind of a copy decides, too.

    Hours and budgets, by which texts would be forgotten, are switched off. The reach of the recipe is set to the
    threshold: the sketches are compared with no others.
    """
    timeless: dict[str, Any] = {"window_hours": 0, "keep_hours": None, "max_documents": 0, "max_memory": 0}
    kept: dict[str, Any] = (
        {"policy": "mark", "matches": None, "kinds": False}
        if every_pair or by_kind
        else {"policy": "drop", "matches": 1, "kinds": settings.kinds}
    )
    recipe = (settings.recipe or Recipe()).reaching(settings.threshold_fraction)
    return settings.with_changes(
        **timeless, **kept, recipe=recipe, partial=False, keep_text=by_kind or kept["kinds"]
    )


def compared(
    texts: Iterable[Sourced | Flush],
    settings: Settings,
    on_reject: OnReject,
    against: Iterable[Sourced] = (),
    kept_kinds: frozenset[KindName] = frozenset(),
) -> Iterator[ComparedText]:
    """One answer a text, in order, as soon as a batch is done; `on_reject` is called for each unusable text with its
    number and the reason.

    `settings` as `settings_for` makes them. With every pair, an answer has all matches among the texts before it; else
    only the best of those that stayed. Of equal scores the earlier text comes first. About 30 µs a text of 4 KB.

    The texts of `against` come before the others and are numbered with them; each of them stays, and has no answer.

    With `kept_kinds` (and settings `by_kind`), a text also stays if its kind is one of these with each of the kept
    texts most like it (up to `MOST_MATCHES`); 0.1 ms a kind more, and 2 ms a text that stays for its kind.
    """
    numbers = count()

    def reject(rejected: Reject) -> None:
        on_reject(int(rejected.id or 0), rejected.reason)

    with open_window(None, settings=settings) as window:
        window.decide_by("mark", 1)
        for _ in window.ingest(_documents(against, numbers), on_reject=reject):
            pass
        window.decide_by(settings.policy, settings.matches)
        verdicts = window.ingest(_documents(texts, numbers), on_reject=reject)
        if kept_kinds:

            def texts_of(ids: Sequence[str]) -> list[str]:
                return [document.counted for document in window.read(ids) if document is not None]

            fold_case = (settings.recipe or Recipe()).fold_case
            yield from _by_kind(verdicts, kept_kinds, texts_of, window.delete, fold_case=fold_case)
            return
        for verdict in verdicts:
            yield _compared(verdict, verdict.matches, verdict.kind)


def _compared(verdict: Verdict, matches: Iterable[Match], kind: KindName | None) -> ComparedText:
    earlier = [Earlier(int(match.id), match.score, match.shared) for match in matches]
    return ComparedText(int(verdict.id), verdict.status, earlier, verdict.truncated, kind)


def _by_kind(
    verdicts: Iterable[Verdict],
    kept: frozenset[KindName],
    texts_of: Callable[[Sequence[str]], list[str]],
    delete: Callable[[str], object],
    *,
    fold_case: bool,
) -> Iterator[ComparedText]:
    """The answers where kinds decide. A removed text is deleted from the window by `delete`; the others of its batch
    have been compared with it already, so it is left out of their matches here.
    """
    dropped: set[str] = set()
    for verdict in verdicts:
        matches = [match for match in verdict.matches if match.id not in dropped]
        at: int | None = None
        kind: KindName | None = None
        is_exact = bool(matches) and verdict.status == "exact" and matches[0].id == verdict.duplicate_of
        if is_exact:
            at, kind = 0, "copy"  # by definition: no text need be read
        elif matches:
            text, *others = texts_of([verdict.id, *(match.id for match in matches[:MOST_MATCHES])])
            at, kind = first_to_go(text, others, kept, fold_case=fold_case)
            # Not what the verdict says: its best match may have been removed, or not be the one that `at` names.
            if at is not None and matches[at].score == 1:
                is_exact = overlap(text, others[at], signer_for(Recipe(fold_case=fold_case))).is_exact
        if at is None:
            status: Status = "unique" if verdict.matches else verdict.status
            yield _compared(verdict._replace(status=status), (), kind)
        else:
            dropped.add(verdict.id)
            delete(verdict.id)
            status = "exact" if is_exact else "near"
            yield _compared(verdict._replace(status=status), matches[at:], kind)


def _documents(texts: Iterable[Sourced | Flush], numbers: Iterator[int]) -> Iterator[Document | Flush]:
    """The texts as documents of one time, with their numbers as ids, so that of equal matches the earlier is first."""
    for each in texts:
        if isinstance(each, Flush):
            yield FLUSH
        else:
            yield Document(f"{next(numbers):012}", each.text, 0, each.fields)
