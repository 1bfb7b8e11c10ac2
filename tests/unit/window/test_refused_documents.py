"""A batch with documents that the store refuses: as if they had never come."""

from __future__ import annotations

import random

import pytest
from testing.window.backends import document, grams, without_candidates
from testing.window.sqlite_store import SqliteStore

from neardup.errors import NeardupError
from neardup.model.document import ForeignDocument, Origin, Reject
from neardup.model.settings import Recipe, Settings
from neardup.opening import open_window
from neardup.signing.signer import signer_for
from neardup.stores.records import are_deleted
from neardup.window.engine import WindowEngine


class RefusingStore(SqliteStore):
    """A store that refuses documents called `bad…`, with all of their batch, as that of a cluster does."""

    def __init__(self, path):
        super().__init__(path)
        self.refused: dict[str, str] = {}
        self.removes = False

    def append(self, hour, new):
        self.refused |= {each.id: "it is bad" for each in new.documents if each.id.startswith("bad")}
        super().append(hour, new)

    def revise(self, hour, row, id, blob):
        self.removes = True
        if id.startswith("stuck") and are_deleted(row)[0]:
            self.refused[id] = "it is stuck"
        super().revise(hour, row, id, blob)

    def commit(self, commit):
        refused, removes = self.refused, self.removes
        self.refused, self.removes = {}, False
        if not refused:
            return super().commit(commit)
        self._base.execute("ROLLBACK")
        self._begin_transaction()
        self.revision += removes
        return refused


def stream(seed):
    """Documents of some ids and few texts, every fourth of them bad, and some of these of a much later time."""
    choice = random.Random(seed)
    for i in range(60):
        first, hour = 100 * choice.randrange(4), i // 12
        text = grams(first, first + 30 - choice.randrange(3))
        if choice.random() < 0.25:
            yield document(f"bad{i}", text, hour + choice.choice([0, 1, 30]))
        else:
            yield document(f"d{choice.randrange(25)}", text, hour)


@pytest.mark.parametrize(
    "settings", [{}, {"max_documents": 7}, {"policy": "route"}, {"policy": "drop"}], ids=str
)
@pytest.mark.parametrize("seed", range(4))
def test_what_a_store_refuses_leaves_no_trace(tmp_path, settings, seed):
    settings = {"window_hours": 2, "advance": True, "batch_documents": 7, **settings}
    reference = open_window(None, **settings)
    store = RefusingStore(tmp_path / "window.sqlite")
    with WindowEngine(store, Settings(**settings), signer_for(Recipe())) as window:
        documents, rejects = list(stream(seed)), list[Reject]()
        verdicts = list(window.ingest(documents, on_reject=rejects.append))
        bad = {each.id for each in rejects}
        assert len(bad) == len(rejects) > 5
        expected = reference.ingest(each for each in documents if each.id not in bad)
        assert without_candidates(verdicts) == without_candidates(expected)
        assert list(window.groups()) == list(reference.groups())
        mine, others = window.stats(), reference.stats()
        assert (mine.hours, mine.newest, mine.copies) == (others.hours, others.newest, others.copies)
        assert (window.left, window.replaced) == (reference.left, reference.replaced)
        assert (window.earlier_copies, window.too_late) == (reference.earlier_copies, reference.too_late)


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_may_be_refused_as_a_whole(tmp_path, retrieval, threads):
    rejects: list[Reject] = []
    settings = Settings(recipe=Recipe(), retrieval=retrieval, threads=threads, batch_documents=1)
    documents = [document(id, grams(0, 20)) for id in ("bad1", "good", "bad2", "copy")]
    with WindowEngine(RefusingStore(tmp_path / "window"), settings, signer_for(Recipe())) as window:
        verdicts = list(window.ingest(documents, on_reject=rejects.append))
    assert [(each.id, each.status) for each in verdicts] == [("good", "unique"), ("copy", "exact")]
    assert [reject.id for reject in rejects] == ["bad1", "bad2"]


@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_what_cannot_be_deleted_keeps_no_other_document(tmp_path, at_once):
    """None of those in its commit went, nor any behind them."""
    settings = Settings(recipe=Recipe(), batch_documents=at_once)
    ids = ["a", "stuck1", "b", "c", "stuck2", "d", "stays"]
    with WindowEngine(RefusingStore(tmp_path / "window"), settings, signer_for(Recipe())) as window:
        list(window.ingest(document(id, grams(0, 20)) for id in ids))
        with pytest.raises(
            NeardupError, match=r"^stuck1: it is stuck; stuck2: it is stuck; 4 others deleted$"
        ):
            window.delete_many(["nobody", *ids[:-1]])
        assert sorted(window) == ["stays", "stuck1", "stuck2"]
        with pytest.raises(NeardupError, match=r"^stuck1: it is stuck$"):
            window.delete("stuck1")
        assert window.delete("stays")
        assert [each.status for each in window.ingest([document("e", grams(0, 20))])] == ["exact"]
        assert len(window) == 3


def test_what_cannot_be_deleted_keeps_no_other_document_where_candidates_are_searched_for(tmp_path):
    """With this in neardup.toml none of them went, and the window had to be opened again."""
    settings = Settings(recipe=Recipe(), batch_documents=3)
    ids = ["a", "stuck1", "b", "c", "stuck2", "d", "stays"]
    path, signer = tmp_path / "window", signer_for(Recipe())
    with WindowEngine(RefusingStore(path), settings, signer) as window:
        list(window.ingest(document(id, grams(0, 20)) for id in ids))
    searching = settings.with_changes(candidates="search")
    with WindowEngine(RefusingStore(path), searching, signer) as window:
        with pytest.raises(NeardupError, match=r"stuck2: it is stuck; 4 others deleted$"):
            window.delete_many(ids[:-1])
        assert sorted(window) == ["stays", "stuck1", "stuck2"]
        assert window.delete("stays")


def test_a_reject_says_where_a_document_of_another_client_lies(tmp_path):
    """By its id alone a watcher could not tell it from one of another index."""
    foreign = [
        ForeignDocument(id, text, "2026-01-01T00:00:00Z", Origin(index, id, 1, 1, None))
        for index, id, text in (("one", "bad", "a text"), ("two", "bad", "a text"), ("one", "long", "x" * 99))
    ]
    rejects: list[Reject] = []
    settings = Settings(recipe=Recipe(), max_length=50)
    with WindowEngine(RefusingStore(tmp_path / "window"), settings, signer_for(Recipe())) as window:
        assert list(window.ingest(foreign, on_reject=rejects.append)) == []
    assert sorted(reject.source or "" for reject in rejects) == ["one/bad", "one/long", "two/bad"]
