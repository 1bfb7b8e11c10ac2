"""Which settings of another process a watcher follows, and which it does not."""

from __future__ import annotations

from unittest import mock

import pytest

from neardup.elastic.http.address import Address
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.state_document import StateDocument
from neardup.elastic.window.window_state import NOT_AGAIN_FOR, FollowedSettings, GivenUp
from neardup.model.settings import Settings
from neardup.stores.base import Commit
from neardup.window.base import SettingsChanged

LAYOUT = Layout(Address("http://127.0.0.1:1", "news"))


def followed(left, given_up=None, own=None, earlier=None, **given):
    """What is followed, in words, where another process has `left` settings, and `earlier` ones of some verdicts."""
    settings = FollowedSettings(own or Settings(**given), given, LAYOUT, [] if given_up is None else given_up)
    try:
        known = left.remembered | ({"earlier": earlier} if earlier else {})
        settings.check(StateDocument({}, known, Commit(seq=1, next_order=1)))
    except SettingsChanged as changed:
        return changed.settings
    return None


@pytest.mark.parametrize(
    ("left", "given", "expected"),
    [
        (Settings(threshold=0.9), {}, "threshold 0.9"),
        (Settings(threshold="0.70"), {}, None),
        (Settings(threshold=0.9, retrieval="complete"), {"threshold": 0.7}, "retrieval complete"),
        (Settings(threshold=0.9), {"threshold": 0.7}, None),
        (Settings(window_hours=12), {}, "window_hours 12, keep_hours 12"),
        (Settings(window_hours=48, threshold=0.9), {"window_hours": 24}, None),
        (Settings(window_hours=12, keep_hours=12), {"window_hours": 24}, None),
        (Settings(policy="route", threshold=0.9), {}, None),
        (Settings(partial=True), {}, "partial yes"),
        (Settings(partial=True), {"candidates": "search"}, None),
    ],
)
def test_what_was_not_given_is_followed_if_an_opening_takes_it(left, given, expected):
    assert followed(left, **given) == expected


def test_two_processes_that_set_theirs_in_turn_do_not_make_a_third_follow_each_of_them(monkeypatch):
    """It would read the window again for every batch."""
    clock = mock.Mock(return_value=0.0)
    monkeypatch.setattr("time.monotonic", clock)
    low, high = Settings(), Settings(threshold=0.9)
    given_up: GivenUp = []
    assert followed(high, given_up, low, {"threshold": ["0.7"]}) == "threshold 0.9"
    for clock.return_value in (1, NOT_AGAIN_FOR - 1):
        assert followed(low, given_up, high, {"threshold": ["0.9"]}) is None
    clock.return_value = NOT_AGAIN_FOR + 1
    assert followed(low, given_up, high, {"threshold": ["0.9"]}) == "threshold 0.7"


def test_a_reconcile_back_to_what_was_given_up_just_now_is_followed():
    """The next batch set the threshold back, for documents that had just been brought to another one."""
    low, high = Settings(), Settings(threshold=0.9)
    given_up: GivenUp = []
    assert followed(high, given_up, low) == "threshold 0.9"
    assert followed(low, given_up, high) == "threshold 0.7"


def test_hours_that_two_processes_set_in_turn_are_not_followed_again():
    """A window does not remember which of its verdicts were made with which hours."""
    few, many = Settings(window_hours=12), Settings()
    given_up: GivenUp = []
    assert followed(many, given_up, few) == "window_hours 24, keep_hours 24"
    assert followed(few, given_up, many) is None
