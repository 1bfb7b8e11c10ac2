"""Freed memory is given back where it is worth it, and where it can be."""

from __future__ import annotations

import ctypes

import pytest

from neardup.index import freed_memory


@pytest.fixture
def library(monkeypatch):
    """Stands for the C library: notes what is asked of it."""
    asked = []

    class Library:
        @staticmethod
        def malloc_trim(kept):
            asked.append(kept)

    monkeypatch.setattr(ctypes, "CDLL", lambda _: Library)
    freed_memory._trim.cache_clear()
    yield asked
    freed_memory._trim.cache_clear()


def test_many_documents_are_worth_it_and_few_are_not(library):
    freed_memory.give_back(freed_memory.LARGE - 1)
    assert library == []
    freed_memory.give_back(freed_memory.LARGE)
    assert library == [0]


@pytest.mark.parametrize("error", [OSError, AttributeError, TypeError])
def test_a_library_that_cannot_is_left_alone(monkeypatch, error):
    def cannot(_):
        raise error

    monkeypatch.setattr(ctypes, "CDLL", cannot)
    freed_memory._trim.cache_clear()
    freed_memory.give_back(freed_memory.LARGE)
    freed_memory._trim.cache_clear()
