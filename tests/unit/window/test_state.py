"""What the engine holds of a window in memory: what a document costs where there are many hours."""

from testing.window.backends import document

from neardup.opening import open_window


class CountedHours(dict[int, list[int]]):
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
        hours = table.load = CountedHours(table.load)
        list(window.ingest([document(f"d{i}", f"Text {i} of many about {i * i} things.") for i in range(20)]))
        assert len(window) == 21
        assert hours.looks == 0
