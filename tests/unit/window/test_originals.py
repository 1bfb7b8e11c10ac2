"""What the copies in groups name: the id of a head that is gone, or of what a head is a copy of."""

from __future__ import annotations

from unittest import mock

import numpy as np
from testing.window.backends import document, grams

import neardup
from neardup.index.originals import Originals
from neardup.window.state import State


def test_an_id_is_known_as_long_as_a_head_has_it():
    originals = Originals()
    originals.unnamed.update((5, 8))
    originals.set(5, "x")
    originals.set(6, "x")
    originals.set(7, "y")
    assert (originals.of(5), originals.of(8), originals.unnamed) == ("x", None, {8})
    originals.set(5, "z")
    assert ("x" in originals, "z" in originals) == (True, True)
    originals.forget([5, 6, 9])
    assert ("x" in originals, "z" in originals, originals.of(5)) == (False, False, None)
    originals.set(6, "x")
    originals.keep(groups={6}, arrivals=np.array([1, 8]))
    assert ("x" in originals, "y" in originals, originals.unnamed) == (True, False, {8})


def test_the_verdicts_that_tell_them_are_read_once(tmp_path):
    """Of groups without heads and of heads that are copies; with 40,000 such groups, each document took longer."""
    row = [
        document(id, grams(at, at + 10), hour)
        for hour, (id, at) in enumerate(zip("xyz", (0, 2, 4), strict=True))
    ]
    gone = [document("head", grams(50, 60)), document("member", grams(51, 61))]
    with neardup.open(tmp_path / "window", window_hours=0) as window:
        assert [verdict.group for verdict in window.ingest([*row, *gone])] == ["x", "x", "z", "head", "head"]
        window.delete("head")
    with neardup.open(tmp_path / "window") as window:
        window.query("x")
        with mock.patch.object(
            State, "stored_verdicts", autospec=True, side_effect=State.stored_verdicts
        ) as read:
            for id in ("new", "newer"):
                assert next(window.ingest([document(id, grams(4, 14), 5)])).duplicate_of in ("z", "new")
            again = [document("head", grams(51, 61), 6), document("x", grams(5, 15), 6)]
            assert [verdict.status for verdict in window.ingest(again)] == ["unique", "unique"]
    assert [len(call.args[1]) for call in read.call_args_list] == [2]
