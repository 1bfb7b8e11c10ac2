"""Heads of groups looked up for an ad hoc query or a batch, in a window of which three documents are left."""

from __future__ import annotations

from typing import Any, cast

import pytest

from neardup.elastic.http.api import Hit
from neardup.elastic.window import loader
from neardup.elastic.window.loader import DocumentLookup
from neardup.errors import ClusterRejected


def hit(order: int, group: int) -> Hit:
    ours = {"identity": f"d{order}", "order": order, "group_order": group, "time": order}
    return Hit("news-000001", f"d{order}", {"neardup": ours}, [], None, None)


LEFT = [hit(3, 1), hit(4, 1), hit(8, 8)]


class Queries:
    """Bodies that say what is asked for; the heads 1 and 2 have gone, and 2 has no member left."""

    def with_values(self, field, values):
        return {field: list(values)}

    def successor(self, head):
        return {"group_order": [head]}


@pytest.fixture
def asked(monkeypatch):
    bodies: list[dict[str, Any]] = []

    def pages(cluster, layout, body, *, searched_only=False, size=2_000):
        bodies.append(body)
        ((field, values),) = body.items()
        hits = [each for each in LEFT if each.source["neardup"][field] in values][:size]
        return iter([hits] if hits else [])

    monkeypatch.setattr(loader, "pages", pages)
    return bodies


LOOKUP = DocumentLookup(cast("Any", None), cast("Any", None), cast("Any", Queries()))


def test_who_stands_for_a_group_is_its_head_or_its_earliest_member(asked):
    known = {each: hit(each, group) for each, group in ((5, 1), (6, 2), (9, 8), (10, 9))}
    heads, successors = LOOKUP.heads(known)
    assert heads == {3: LEFT[0], 8: LEFT[2]}
    assert successors == {1: LEFT[0], 2: None}
    assert asked == [{"order": [1, 2, 8]}, {"group_order": [1]}, {"group_order": [2]}]


def test_a_head_that_is_known_to_have_gone_is_not_looked_up_again(asked):
    assert LOOKUP.heads({5: hit(5, 1), 9: hit(9, 8)}, {1: None}) == ({8: LEFT[2]}, {})
    assert asked == [{"order": [8]}]


def test_nothing_is_asked_where_all_heads_are_known(asked):
    assert LOOKUP.heads({8: LEFT[2]}) == ({}, {})
    assert asked == []


def test_more_values_than_a_query_takes_are_several_queries(asked, monkeypatch):
    monkeypatch.setattr(loader, "_AT_ONCE", 2)
    assert LOOKUP.by_values("order", [3, 5, 8]) == {3: LEFT[0], 8: LEFT[2]}
    assert asked == [{"order": [3, 5]}, {"order": [8]}]


def test_values_that_are_together_too_large_for_a_proxy_are_asked_for_in_halves(asked, monkeypatch):
    pages = loader.pages

    def of_a_proxy(cluster, layout, body, **options):
        if len(body["order"]) > 1:
            raise ClusterRejected("http://localhost:9200", "POST", 413, "error", "too large")
        return pages(cluster, layout, body, **options)

    monkeypatch.setattr(loader, "pages", of_a_proxy)
    assert LOOKUP.by_values("order", [3, 5, 8]) == {3: LEFT[0], 8: LEFT[2]}
    assert asked == [{"order": [3]}, {"order": [5]}, {"order": [8]}]
