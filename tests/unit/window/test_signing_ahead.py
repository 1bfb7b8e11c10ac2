"""Documents signed ahead are those that came, in order, each with its own signature."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup.model.document import FLUSH, Flush, Prepared
from neardup.window import signing_ahead
from neardup.window.signing_ahead import SigningAhead


class Texts(NamedTuple):
    """Stands for a signed batch: the texts that were signed."""

    texts: tuple[bytes, ...]

    def part(self, first: int, last: int) -> Texts:
        return Texts(self.texts[first:last])


def joined(parts):
    return Texts(tuple(text for part in parts for text in part.texts))


@pytest.fixture(autouse=True)
def texts_for_batches(monkeypatch):
    monkeypatch.setattr(signing_ahead, "joined_batches", joined)


def document(number: int) -> Prepared:
    return Prepared(f"{number % 7}", b"%d" % number, 0, 0)


def documents_of(ahead: SigningAhead) -> list[Prepared]:
    return [item for item in ahead.items() if not isinstance(item, Flush)]


def sign(documents):
    return Texts(tuple(each.text for each in documents))


@settings(max_examples=200)
@given(
    st.lists(st.booleans(), max_size=40), st.integers(1, 6), st.lists(st.integers(1, 9), min_size=1, max_size=6),
    st.booleans(), st.integers(1, 3),
)  # fmt: skip
def test_each_document_has_its_own_signature_wherever_batches_are_cut(kinds, size, cuts, fails, threads):
    given_items = [document(at) if is_document else FLUSH for at, is_document in enumerate(kinds)]

    def source():
        yield from given_items
        if fails:
            raise OSError("gone")

    ahead = SigningAhead(source(), sign, size=size, threads=threads)
    came, batch, turn, failed = [], [], 0, False
    try:
        for item in ahead.items():
            came.append(item)
            if not isinstance(item, Flush):
                batch.append(item)
            if len(batch) == cuts[turn % len(cuts)]:
                again = batch[-1:] if turn % 3 == 0 else []  # as what was doubted comes again
                assert ahead.signed(batch) == sign(batch)
                batch, turn = again, turn + 1
    except OSError:
        failed = True
    if batch:
        assert ahead.signed(batch) == sign(batch)
    assert came == given_items
    assert failed == fails
    if not fails:
        assert not ahead._yielded  # nothing is kept that nobody will ask for


def test_two_batches_are_read_ahead_and_no_more():
    read = []

    def source():
        for number in range(100):
            read.append(number)
            yield document(number)

    items = SigningAhead(source(), sign, size=10, threads=2).items()
    next(items)
    assert len(read) == 30


@pytest.mark.parametrize("pause", [FLUSH, None])
def test_nothing_is_read_ahead_of_what_has_yet_to_come(monkeypatch, pause):
    """Behind a FLUSH, and where documents take long to come."""
    read = []

    def source():
        for number in range(30):
            read.append(number)
            yield document(number)
            if number == 4 and pause is not None:
                yield pause
            if number == 3 and pause is None:
                monkeypatch.setattr(signing_ahead, "MAX_WAIT_SECONDS", -1)

    items = SigningAhead(source(), sign, size=10, threads=2).items()
    next(items)
    assert len(read) == 5


def test_by_one_thread_nothing_is_signed_before_it_is_asked_for():
    signed = []

    def noted(documents):
        signed.append(documents)
        return sign(documents)

    ahead = SigningAhead(map(document, range(5)), noted, size=2, threads=1)
    items = documents_of(ahead)
    assert not signed
    assert ahead.signed(items) == sign(items)
    assert signed == [items]


def test_a_signature_that_fails_is_an_error_where_it_is_wanted():
    def failing(_):
        raise ValueError("no")

    ahead = SigningAhead(map(document, range(3)), failing, size=2, threads=2)
    items = documents_of(ahead)
    with pytest.raises(ValueError, match="no"):
        ahead.signed(items[:2])
