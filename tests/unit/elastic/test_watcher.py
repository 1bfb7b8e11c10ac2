"""The watcher: when it looks again at once, and when it waits first."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest

from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.watch import watcher
from neardup.elastic.watch.backlog import Backlog, LayoutChanged
from neardup.elastic.watch.in_place import prepare
from neardup.elastic.watch.watcher import Watcher
from neardup.elastic.window.index_layout import Layout
from neardup.errors import ClusterRejected, ClusterUnreachable, SettingsError
from neardup.model.hours import FIRST_HOUR
from neardup.model.settings import HOUR_MS, Settings
from neardup.sources.fields import Fields
from neardup.window.base import Left, SettingsChanged

HOUR = FIRST_HOUR + 1


class Scorer:
    """Scores one document a pass; `waiting` is what a look finds, before each pass."""

    def __init__(self, *waiting):
        self.claims, self.handled, self.backlog = None, 0, self
        self._waiting = iter(waiting)

    def refresh(self):
        pass

    def measure(self):
        return Backlog(*next(self._waiting))

    def one_pass(self):
        self.handled += 1
        yield f"verdict {self.handled}"

    def is_alone(self):
        return True

    def close(self):
        pass


@pytest.mark.parametrize("once", [False, True])
def test_copies_earlier_than_their_originals_are_counted_over_openings_and_the_first_is_logged(
    monkeypatch, caplog, once
):
    monkeypatch.setattr(watcher, "leadership", lambda _: mock.Mock())
    windows = iter(
        [mock.MagicMock(left=Left(), earlier_copies=2), mock.MagicMock(left=Left(), earlier_copies=1)]
    )
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        watch = Watcher(lambda: entered(next(windows)), cluster, Layout(cluster.address), once=once)
        with mock.patch.object(watch, "_passes", side_effect=[failing(["a", "b"]), iter(["c"])]):
            verdicts: list[Any] = list(watch.verdicts(on_reject=print))
    assert verdicts == ["a", "b", "c"]
    assert watch.earlier_copies == 3
    assert len([line for line in caplog.messages if "a copy is earlier than its original" in line]) == 1


def entered(window):
    window.__enter__.return_value = window
    return window


def failing(verdicts):
    yield from verdicts
    raise SettingsChanged("threshold 0.8")


@pytest.fixture
def run(monkeypatch):
    """The verdicts of a watcher over a backlog, and waits, in their order."""
    monkeypatch.setattr(watcher, "leadership", lambda _: mock.Mock())

    def run(*waiting, once, roll_over=None):
        monkeypatch.setattr(watcher, "BacklogScorer", lambda *_, **__: Scorer(*waiting))
        happened: list[Any] = []
        with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
            window = mock.MagicMock(left=Left(), earlier_copies=0)
            window.__enter__.return_value = window
            watch = Watcher(lambda: window, cluster, Layout(cluster.address), roll_over=roll_over, once=once)
            verdicts = watch.verdicts(
                on_reject=print,
                stopped=lambda: len(happened) == len(waiting) + happened.count("wait"),
                sleep=lambda _: happened.append("wait"),
            )
            happened.extend(verdicts)
        return happened

    return run


def test_what_goes_on_is_looked_at_again_at_once(run):
    assert run((3, HOUR), (2, HOUR), (2, HOUR + 1), once=False) == ["verdict 1", "verdict 2", "verdict 3"]


def test_a_document_that_does_not_take_its_verdict_is_scored_again_after_a_pause(run):
    assert run((1, HOUR), (1, HOUR), (1, HOUR), once=False)[:5] == [
        "verdict 1",
        "verdict 2",
        "wait",
        "verdict 3",
        "wait",
    ]


def test_who_watches_once_ends_over_it(run):
    assert run((1, HOUR), (1, HOUR), (1, HOUR), once=True) == ["verdict 1", "verdict 2"]


def test_an_hour_that_somebody_closes_is_told_once_for_each_time(run, caplog):
    closed = [(), ("news-1",), ("news-1",), (), ("news-1", "news-2")]
    run(*((9 - i, HOUR, 0, {}, names) for i, names in enumerate(closed)), once=False)
    assert [(message.split()[0], message.split("(")[1]) for message in caplog.messages] == [
        (name, f"POST {name}/_open, or delete it)") for name in ("news-1", "news-1", "news-2")
    ]


@pytest.mark.parametrize(
    ("request_line", "status", "kind"),
    [
        ("POST /_aliases", 403, "cluster_block_exception"),
        ("PUT /news-1", 400, "validation_exception"),  # the limit of shards, which old hours that leave free
    ],
)
def test_an_alias_that_cannot_be_moved_stops_no_scoring_and_is_tried_again(
    run, monkeypatch, caplog, request_line, status, kind
):
    """It kept all hours that are there from being scored."""
    block = ClusterRejected("url", request_line, status, kind, "blocked", "lift it")
    seconds = iter([0, 1, watcher.LONGEST_PAUSE + 1, watcher.LONGEST_PAUSE + 2])
    monkeypatch.setattr(watcher, "now_ms", lambda: HOUR_MS + int(1_000 * next(seconds)))
    rolled = mock.Mock(side_effect=[block, None, None])
    waiting = [(4 - i, HOUR) for i in range(4)]
    assert run(*waiting, once=False, roll_over=rolled) == [f"verdict {i}" for i in range(1, 5)]
    assert rolled.call_count == 3
    assert re.search(r"blocked.*lift it.*scoring goes on.*next attempt in 60 s", caplog.text)


def test_a_cluster_that_is_away_for_days_is_waited_for(monkeypatch):
    """After a thousand openings that failed the pause became a number too large, and the watcher ended."""
    away = mock.Mock(side_effect=ClusterUnreachable("http://127.0.0.1:1", "[Errno 111] Connection refused"))
    monkeypatch.setattr(watcher, "leadership", lambda _: mock.Mock())
    monkeypatch.setattr(watcher, "BacklogScorer", away)
    pauses: list[float] = []
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        watch = Watcher(
            lambda: entered(mock.MagicMock(left=Left(), earlier_copies=0)),
            cluster,
            Layout(cluster.address),
            once=False,
            poll=1.0,
        )
        assert not list(
            watch.verdicts(on_reject=print, stopped=lambda: len(pauses) == 1_100, sleep=pauses.append)
        )
    assert (pauses[:3], set(pauses[6:])) == ([2, 4, 8], {watcher.LONGEST_PAUSE})


def test_a_cluster_that_is_away_from_the_beginning_is_not_waited_for(monkeypatch):
    away = mock.Mock(side_effect=ClusterUnreachable("http://127.0.0.1:1", "[Errno 111] Connection refused"))
    monkeypatch.setattr(watcher, "leadership", lambda _: mock.Mock())
    pauses: list[float] = []
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        watch = Watcher(away, cluster, Layout(cluster.address), once=False)
        with pytest.raises(ClusterUnreachable):
            list(watch.verdicts(on_reject=print, stopped=lambda: bool(pauses), sleep=pauses.append))
    assert not pauses


@pytest.mark.parametrize("once", [False, True])
def test_a_window_that_setup_has_given_other_fields_is_opened_again_and_read_by_these(
    monkeypatch, once, caplog
):
    class Changed(Scorer):
        def one_pass(self):
            yield from map(other, [0])

    def other(_):
        raise LayoutChanged(changed)

    layouts: list[Any] = []

    def scorer(_, __, layout, **___):
        layouts.append(layout)
        return Changed((1, HOUR)) if len(layouts) == 1 else Scorer((1, HOUR), (0, None))

    monkeypatch.setattr(watcher, "leadership", lambda _: mock.Mock())
    monkeypatch.setattr(watcher, "BacklogScorer", scorer)
    opened = mock.Mock(side_effect=lambda: entered(mock.MagicMock(left=Left(), earlier_copies=0)))
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        first, changed = Layout(cluster.address), Layout(cluster.address, "body")
        watch = Watcher(opened, cluster, first, once=once)
        ends = iter([False, False, False, False, True, True, True])
        verdicts: list[Any] = list(
            watch.verdicts(on_reject=print, stopped=lambda: not once and next(ends), sleep=print)
        )
    assert (verdicts, layouts, opened.call_count) == (["verdict 1"], [first, changed], 2)
    assert [message.split(":")[0] for message in caplog.messages] == [
        "`neardup setup` has changed the fields or the max_length of this window"
    ]


@pytest.mark.parametrize(("name", "value"), [("max_documents", 5), ("max_memory", 1_000_000)])
def test_an_index_scored_in_place_has_no_budget(name, value, monkeypatch):
    """What was given up for it kept its verdict, so that no later run scored it or compared anything with it."""
    monkeypatch.setattr(watcher, "leadership", lambda _: mock.Mock())
    monkeypatch.setattr(watcher, "BacklogScorer", lambda *_, **__: Scorer((0,)))
    settings = Settings(window_hours=0, **{name: value})
    expected = f"setting {name} is {value}: .*would never be compared again; `--candidates search`"
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        window = mock.MagicMock(left=Left(), earlier_copies=0, settings=settings)
        window.__enter__.return_value = window
        layout = Layout(cluster.address)
        assert list(Watcher(lambda: window, cluster, layout, once=True).verdicts(on_reject=print)) == []
        watch = Watcher(lambda: window, cluster, replace(layout, archive="mails"), once=True)
        with pytest.raises(SettingsError, match=expected):
            list(watch.verdicts(on_reject=print))
        with pytest.raises(SettingsError, match=expected):
            prepare(cluster, "mails", settings, Fields())


def test_settings_that_another_process_has_set_are_those_of_the_next_opening(monkeypatch, caplog):
    class Changed(Scorer):
        def one_pass(self):
            yield from super().one_pass()
            raise SettingsChanged("threshold 0.9")

    scorers = iter([Changed((2, HOUR)), Scorer((1, HOUR), (0, None))])
    monkeypatch.setattr(watcher, "leadership", lambda _: mock.Mock())
    monkeypatch.setattr(watcher, "BacklogScorer", lambda *_, **__: next(scorers))
    opened = mock.Mock(side_effect=lambda: entered(mock.MagicMock(left=Left(), earlier_copies=0)))
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        watch = Watcher(opened, cluster, Layout(cluster.address), once=True)
        verdicts: list[Any] = list(watch.verdicts(on_reject=print, sleep=print))
    assert (verdicts, opened.call_count, watch.handled) == (["verdict 1", "verdict 1"], 2, 2)
    assert caplog.messages == [
        "another process has set threshold 0.9 for this window: opening it again with that"
    ]
