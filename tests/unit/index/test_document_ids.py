"""Ids of documents against a list and a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup.index.document_ids import DocumentIds

IDS = st.text(max_size=6)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.lists(IDS, max_size=8), st.integers(0, 30)), max_size=20))
def test_any_ids_are_found_as_a_dictionary_finds_them(batches):
    ids = DocumentIds()
    listed: list[str] = []
    doc_of: dict[str, int] = {}
    for batch, number in batches:
        first = len(listed)
        ids.extend([id.encode() for id in batch])
        listed += batch
        fresh = {id: doc for doc, id in enumerate(batch, first) if id not in doc_of}
        if len(fresh) == len(batch) and number % 2:
            ids.let_find_all(first + np.arange(len(batch)), batch)
        else:
            for id, doc in fresh.items():
                ids.let_find_all(np.array([doc]), [id])
        doc_of |= fresh
        if number < len(listed):
            assert ids.remove(number) == (doc_of.get(listed[number]) == number)
            if doc_of.get(listed[number]) == number:
                del doc_of[listed[number]]
        assert [ids[doc] for doc in range(len(listed))] == listed
        assert len(ids) == len(doc_of)
        assert ids.docs().tolist() == sorted(doc_of.values())
        asked = [*listed, "absent", ""]
        assert all(ids.get(id) == doc_of.get(id) for id in asked)
        assert ids.docs_of(asked).tolist() == [doc_of.get(id, -1) for id in asked]
    kept = ids.kept(ids.docs())
    assert [kept[doc] for doc in range(len(kept))] == [listed[doc] for doc in sorted(doc_of.values())]
    assert {kept.get(id) for id in doc_of} == set(range(len(doc_of)))


def test_thousands_come_and_go_and_none_is_lost():
    ids = DocumentIds()
    living: dict[str, int] = {}
    for round in range(60):
        names = [f"document {round} {i}" for i in range(500)]
        first = ids.size
        ids.extend([name.encode() for name in names])
        if round % 5:
            ids.let_find_all(first + np.arange(len(names)), names)
        else:
            for doc, name in enumerate(names, first):
                ids.let_find_all(np.array([doc]), [name])
        living |= {name: first + i for i, name in enumerate(names)}
        for name in list(living)[:: 3 if round % 7 else 1]:
            assert ids.remove(living.pop(name))
        assert len(ids) == len(living)
    assert all(ids.get(name) == doc for name, doc in living.items())
    assert all(f"document 3 {i}" not in ids for i in range(500) if f"document 3 {i}" not in living)
    assert ids.memory < 120 * ids.size


def test_ids_whose_hashes_are_alike_are_told_apart(monkeypatch):
    monkeypatch.setattr("neardup.index.document_ids.hash", lambda _: -1, raising=False)
    ids = DocumentIds()
    names = [str(i) for i in range(1_200)]
    ids.extend([name.encode() for name in names])
    for first in range(0, 1_200, 100):
        ids.let_find_all(np.arange(first, first + 100), names[first : first + 100])
    for doc in range(0, 1_200, 2):
        ids.remove(doc)
    assert [ids.get(name) for name in names] == [doc if doc % 2 else None for doc in range(1_200)]
    assert ids.docs_of(names).tolist() == [doc if doc % 2 else -1 for doc in range(1_200)]


def test_an_id_that_nothing_was_let_find_finds_nothing():
    ids = DocumentIds()
    ids.extend([b"a"])
    assert "a" not in ids
    assert ids.get("a") is None
    assert not ids.remove(0)
    assert 5 not in ids
