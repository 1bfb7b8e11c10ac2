"""Who stands for a group once its head has gone."""

from __future__ import annotations

from testing.window.backends import document, grams

from neardup.index.document_ids import DocumentIds
from neardup.model.hours import FIRST_HOUR
from neardup.opening import open_window


def successor(window, monkeypatch):
    """Who takes over from "d0", and the ids that were read to find out."""
    table = window._session.state.table
    window.delete("d0")
    read, look_up = [], DocumentIds.__getitem__

    def noted(self, doc):
        read.append(look_up(self, doc))
        return read[-1]

    with monkeypatch.context() as patched:
        patched.setattr(DocumentIds, "__getitem__", noted)
        table.update_stands(FIRST_HOUR)
    return [table.ids[doc] for doc in table.ids.docs().tolist() if table.stands[doc]], read


def test_the_earliest_of_very_many_members_takes_over_without_a_look_at_the_id_of_each(monkeypatch):
    with open_window(None) as window:
        list(window.ingest(document(f"d{i}", grams(0, 20), i / 600) for i in range(500)))
        assert successor(window, monkeypatch) == (["d1"], ["d1"])


def test_of_members_of_one_time_that_of_the_least_id_takes_over(monkeypatch):
    with open_window(None) as window:
        list(window.ingest([document("d0", grams(0, 20)), document("z", grams(0, 20), 0.2)]))
        list(window.ingest(document(id, grams(0, 20), 0.1) for id in "cbd"))
        standing, read = successor(window, monkeypatch)
        assert standing == ["b"]
        assert sorted(read) == ["b", "c", "d"]
