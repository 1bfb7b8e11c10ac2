"""Random streams of all operations on a window, and its answers.

Texts are short (at most 64 q-grams, so that a sketch search is complete too) and made of few words, so that
copies, edited copies, members of members and ties are common. Times go forward and sometimes back, which gives
late documents and documents that are too late.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st
from testing.window.backends import START, Place, without_candidates

from neardup.errors import SettingsError, UnknownDocument
from neardup.model.document import AssumedTime, Document
from neardup.model.settings import Recipe
from neardup.model.times import format_time

if TYPE_CHECKING:
    from neardup.model.document import Reject
    from neardup.window.base import Left, Stats, Window

STEMS = (
    ("ferry", "towed", "to", "port", "early", "on", "Friday", "after", "engine", "failed"),
    ("ferry", "towed", "to", "port", "late", "on", "Friday", "after", "fire", "aboard"),
    ("mill", "above", "the", "weir", "saved", "by", "sixty", "neighbours"),
    ("Ärger", "um", "𠮷野家", "漢字", "かな", "über", "ALLES"),
    ("ab", "ab", "ab", "ab", "ab"),
    ("x",),
)
WORDS = ("", "", "swell", "ab", "on", "Saturday", "𠮷", "the weir", "e\u0301", "…", "port")
IDS = ("a", "b", "c", "d", "e", "f", "g", "ä", "z" * 40, "7")
STEPS = (0, 0, 0, 0, 1, 1, 2, 5, 13, 30)
DELAYS = (0, 0, 0, 0, 0, 1, 4, 13, 26, 60)
MOST_QGRAMS = 64


class Ingest(NamedTuple):
    documents: list[Document]


class Delete(NamedTuple):
    id: str


class Expire(NamedTuple):
    hour: int


class SetNewest(NamedTuple):
    hour: int | None


class Reopen(NamedTuple):
    pass


class Reconcile(NamedTuple):
    pass


class Ask(NamedTuple):
    text: str | None
    id: str | None
    threshold: str | None
    matches: int | None
    hour: int | None


Operation = Ingest | Delete | Expire | SetNewest | Reopen | Reconcile | Ask


def _text(stem: tuple[str, ...], edits: list[tuple[int, str]], separator: str) -> str:
    words = list(stem)
    for place, word in edits:
        words[place % len(words)] = word
    return separator.join(words)[:MOST_QGRAMS]


TEXTS = st.builds(
    _text,
    st.sampled_from(STEMS),
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(WORDS)), max_size=2),
    st.sampled_from((" ", " - ")),
)


@st.composite
def _documents(draw: st.DrawFn, clock: list[int], texts: st.SearchStrategy[str]) -> list[Document]:
    documents = []
    for _ in range(draw(st.integers(1, 9))):
        clock[0] += draw(st.sampled_from(STEPS))
        hour = clock[0] - draw(st.sampled_from(DELAYS))
        minute = draw(st.sampled_from((0, 0, 30)))
        each, time = draw(st.sampled_from(IDS)), START * 1_000 + int((hour + minute / 60) * 3_600_000)
        undated = draw(st.sampled_from((False, False, False, False, True)))
        written = format_time(time)
        documents.append(Document(each, draw(texts), AssumedTime(written) if undated else written))
    return documents


@st.composite
def operations(draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS) -> list[Operation]:
    """A few dozen documents and other operations in between."""
    clock = [0]
    hours = st.integers(-3, 30).map(lambda ahead: clock[0] + ahead)
    asks = st.builds(
        lambda by_id, text, known, *rest: Ask(*(None, known) if by_id else (text, None), *rest),
        st.booleans(), texts, st.sampled_from(IDS), st.sampled_from((None, "0.4", "0.9")),
        st.sampled_from((None, 0, 1)), st.none() | hours,
    )  # fmt: skip
    kinds: list[st.SearchStrategy[Operation]] = [
        _documents(clock, texts).map(Ingest),
        _documents(clock, texts).map(Ingest),
        st.builds(Delete, st.sampled_from(IDS)),
        st.builds(Expire, hours),
        st.builds(SetNewest, st.none() | hours),
        st.just(Reopen()),
        st.just(Reconcile()),
        asks,
    ]
    return draw(st.lists(st.integers(0, len(kinds) - 1).flatmap(lambda i: kinds[i]), min_size=1, max_size=10))


SETTINGS = st.fixed_dictionaries(
    {
        "threshold": st.sampled_from(("0.7", "0.3", "0.5", "0.6", "0.85", "0.999999", "1")),
        "policy": st.sampled_from(("mark", "drop", "route")),
        "window_hours": st.sampled_from((24, 3, 1, 0)),
        "keep_hours": st.sampled_from((None, None, 0, 30)),
        "advance": st.booleans(),
        "matches": st.sampled_from((None, 0, 2)),
        "max_documents": st.sampled_from((0, 0, 0, 1, 4, 7)),
        "recipe": st.sampled_from((Recipe(), Recipe(q=2, fold_case=True), Recipe(q=6))),
    }
).map(lambda chosen: chosen if chosen["window_hours"] else {**chosen, "keep_hours": None})


class Run:
    """One window that operations are performed on. `answers` are compared unchanged."""

    def __init__(self, place: Place, settings: dict[str, Any]) -> None:
        self._place, self._settings = place, settings
        self.window: Window = place.open(**settings)

    def perform(self, operation: Operation) -> list[Any]:
        """The answer of the window: verdicts, ids or names, never internal state."""
        if isinstance(operation, Reopen):
            self.window = self._place.reopened(self.window, **self._settings)
            return []
        return perform(self.window, operation)

    def state(self) -> list[Any]:
        """Groups and figures."""
        return [list(self.window.groups()), figures(self.window.stats())]

    @property
    def left(self) -> Left:
        """What has left the window, if it was never closed."""
        return self.window.left


def perform(window: Window, operation: Operation) -> list[Any]:
    """The answer of a window to any operation but `Reopen`."""
    match operation:
        case Ingest(documents):
            rejects: list[Reject] = []
            verdicts = list(window.ingest(documents, on_reject=rejects.append))
            return [*verdicts, [reject.id for reject in rejects]]
        case Delete(id):
            return [window.delete(id)]
        case Expire(hour):
            now = START + hour * 3_600
            going, expired = window.expire(now, dry_run=True), window.expire(now)
            assert (going, going.documents) == (expired, expired.documents)
            return [expired, expired.documents]
        case SetNewest(hour):
            try:
                return [window.set_newest(None if hour is None else START + hour * 3_600)]
            except SettingsError as error:
                return [error.name]
        case Reconcile():
            return list(window.reconcile())
        case Ask(text, id, threshold, matches, hour):
            time = None if hour is None else START + hour * 3_600
            try:
                return [window.query(text, id=id, threshold=threshold, matches=matches, time=time)]
            except UnknownDocument as unknown:
                return [unknown.id]
    raise AssertionError(f"{operation} is done by whoever opened the window")


def figures(stats: Stats) -> dict[str, Any]:
    """The figures that do not depend on how an engine works."""
    values = stats.to_dict()
    for name in ("postings_keys", "memory_bytes", "retrieval", "recipe"):
        del values[name]
    return values


def comparable(answers: list[Any]) -> list[Any]:
    """Answers without the number of candidates."""
    return [
        without_candidates([answer])[0] if hasattr(answer, "candidates") else answer for answer in answers
    ]
