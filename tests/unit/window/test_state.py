"""What the engine holds of a window in memory: what a document costs where there are many hours."""

from collections import Counter

from testing.window.backends import document

from neardup.model.settings import Recipe, Settings
from neardup.opening import open_window
from neardup.signing.signer import signer_for
from neardup.stores.memory import MemoryStore
from neardup.window.engine import WindowEngine
from neardup.window.state import State


class CountedHours(Counter[int]):
    """Hours that count how often all of them are gone through."""

    looks = 0

    def items(self):
        self.looks += 1
        return super().items()


def test_hours_are_not_gone_through_for_documents_that_move_none_on():
    """Of a window over years there are tens of thousands, and by this policy each document is a run of its own."""
    with open_window(None, policy="drop", partial=True) as window:
        list(window.ingest([document("first", "A ferry ran aground off the western spit at dawn.")]))
        table = window._session.state.table
        hours = table.by_hour.documents = CountedHours(table.by_hour.documents)
        list(window.ingest([document(f"d{i}", f"Text {i} of many about {i * i} things.") for i in range(20)]))
        assert len(window) == 21
        assert hours.looks == 0


def test_hours_that_left_are_counted_once_where_memory_holds_no_window():
    """With candidates searched for, hours are counted whose documents are not in memory; a batch may let several go."""
    state = State(MemoryStore(), Settings(), signer_for(Recipe()))
    state.table.by_hour.documents.update({10: 5, 20: 3})
    state.expire_before(15)
    assert (state.since_opened.left.documents, state.since_opened.left.hours) == (5, 1)
    state.expire_before(30)
    assert (state.since_opened.left.documents, state.since_opened.left.hours) == (8, 2)
    assert state.table.budgeted == (0, 0)


def test_who_decides_otherwise_has_all_matches_listed_and_no_more_than_the_best_stored():
    """Copies of one template have n(n-1)/2 matches, which dedup lists and never reads again."""
    documents = [
        document(f"d{i}", f"A ferry ran aground off the western spit at dawn on day {i}.") for i in range(4)
    ]
    with open_window(None) as window:
        window.decide_by("mark", None)
        *_, last = window.ingest(documents)
        (again,) = window.ingest(documents[3:])
        assert (len(last.matches), last.matches_total) == (3, 3)
        assert again == last._replace(matches=last.matches[:1])


class Dropping(MemoryStore):
    """A store that notes which hours it is to drop."""

    def __init__(self) -> None:
        super().__init__()
        self.dropped: list[int] = []

    def drop(self, hour):
        self.dropped.append(hour)
        super().drop(hour)


def test_an_hour_that_expires_is_dropped_once_however_many_follow_it_in_its_batch():
    """Documents that come two hours apart let an hour go each, and every hour before it is there until the commit."""
    settings = Settings(window_hours=24, advance=True)
    with WindowEngine(store := Dropping(), settings, signer_for(Recipe())) as window:
        assert len(list(window.ingest(document(f"d{i}", f"Text {i}.", hour=2 * i) for i in range(40)))) == 40
        assert len(store.hours()) == len(window) == 13
    assert store.dropped == sorted(set(store.dropped))
    assert len(store.dropped) == 27
