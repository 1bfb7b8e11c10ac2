"""Signed documents of all degrees of similarity in the indices of a node, and brute force over them."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.contract.test_retrieval import edited, vocabulary

from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.window.compact import compact_fields
from neardup.errors import ClusterRejected
from neardup.model.settings import Recipe
from neardup.oracle import definitions as oracle
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

Place = tuple[str, str]
Scores = dict[Place, np.float32]

HOUR = 498_681
IDS = 150
"""Fewer than documents: many ids are in several indices."""
SOURCES = ("paper", "radio", "web")
THRESHOLDS = ("0.3", "0.5", "0.7", "0.85", "1.0")
SHORT = ("abc", "a b-c!", "né", "ne\N{COMBINING ACUTE ACCENT}", "𐐀𐐁", "七", "7", "", " ", "...", "🌧!")
ALPHABETS = (
    "αβγδεζηθικλμνξοπρστυφχψω",
    "一丁七万丈三上下不与丐丑专且世丘丙业丛东丝",
    "𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𝔄𝔅𝔇𝔈𠀀𠀁𠀂",
)


@functools.cache
def taken(text: str, q: int = 4) -> tuple[str, frozenset[str]]:
    """Normal form and q-grams of a text."""
    form = oracle.normal_form(text)
    return form, frozenset(oracle.qgrams(form, q))


@functools.cache
def doc_q(a: str, b: str, q: int) -> Fraction:
    """doc_q of two texts."""
    (form_a, set_a), (form_b, set_b) = taken(a, q), taken(b, q)
    if form_a and form_a == form_b:
        return Fraction(1)
    larger = max(len(set_a), len(set_b))
    return Fraction(len(set_a & set_b), larger) if larger else Fraction(0)


def score(a: str, b: str, threshold: str, q: int = 4) -> np.float32 | None:
    """doc_q of two texts as a float, if it is at or above `threshold`."""
    exact = doc_q(a, b, q)
    # Rounding to a double first changes no quotient of numbers below 2**24 (Figueroa 1995).
    return np.float32(float(exact)) if exact >= Fraction(threshold) else None


def texts(count: int, seed: int) -> Iterator[str]:
    """Texts of all degrees of similarity to earlier ones, among them short, empty and exotic ones."""
    numbers = random.Random(seed)
    earlier: list[list[str]] = []
    for i in range(count):
        kind = numbers.random()
        if i % 16 == 0:
            yield numbers.choice(SHORT)
            continue
        if kind < 0.7 and earlier:
            words = numbers.choice(earlier)
            if kind < 0.55 and len(words) >= 6:
                words = edited(words, numbers)
            elif kind < 0.6:
                words = words[: len(words) // 2 + 1]
        elif kind < 0.8:
            alphabet = numbers.choice(ALPHABETS)
            words = ["".join(numbers.choices(alphabet, k=4)) for _ in range(numbers.randint(3, 60))]
        else:
            words = numbers.choices(vocabulary(), k=round(3 * 60 ** numbers.random()))
        earlier.append(words)
        yield numbers.choice((" ", " ", ", ")).join(words) + numbers.choice((".", "", "!\n"))


@dataclass
class Library:
    """Indices with signed documents; `there` has those not deleted, `q` and `field` say how they are signed."""

    cluster: Cluster
    indices: list[str]
    q: int = 4
    there: dict[Place, str] = field(default_factory=dict)

    @property
    def all(self) -> str:
        return ",".join(self.indices)

    def write(self, actions: list[Action], *, refresh: str | None = "true") -> None:
        """Executed in the indices and recorded here."""
        outcomes = bulk(self.cluster, actions, refresh=refresh)
        assert [each.error for each in outcomes if not each.ok] == []
        for each in actions:
            if each.op == "delete":
                del self.there[each.index, each.id]
            else:
                assert isinstance(each.source, dict)
                self.there[each.index, each.id] = each.source["text"]

    def put(self, places: Iterable[Place], text: str, *, refresh: str | None = "true") -> None:
        """Documents of this text, written."""
        self.write(
            [Action("index", index, id, {"text": text, "source": "web"}) for index, id in places],
            refresh=refresh,
        )

    def delete(self, places: Iterable[Place]) -> None:
        """Documents, deleted."""
        self.write([Action("delete", index, id) for index, id in places])

    @contextmanager
    def visitors(self, *places: Place, text: str, refresh: str | None = "true") -> Iterator[None]:
        """Temporary documents with this text."""
        self.put(places, text, refresh=refresh)
        try:
            yield
        finally:
            self.delete(places)

    def copies(self, text: str, threshold: str = "0.7", *, but: Place | None = None) -> Scores:
        """The expected results, by brute force."""
        scored = {place: score(text, other, threshold, self.q) for place, other in self.there.items()}
        return {place: value for place, value in scored.items() if value is not None and place != but}

    def search(self, query: Any, *, indices: str | None = None, params: Any = None, **body: Any) -> Any:
        """The answer to a search for the maximum number of hits; every shard took part."""
        sought = {"query": query, "size": 1_000, "_source": False, **body}
        answer = self.cluster.request("POST", f"/{indices or self.all}/_search", params=params, body=sought)
        assert answer["_shards"]["failed"] == 0, answer["_shards"]
        return answer

    def found(self, query: Any, **more: Any) -> Scores:
        """The scores of all hits."""
        return found(self.search(query, **more))


def found(answer: Any) -> Scores:
    """Scores by index and id; the best come first."""
    hits = answer["hits"]["hits"]
    scores = {(hit["_index"], hit["_id"]): np.float32(hit["_score"]) for hit in hits}
    assert len(scores) == len(hits) == answer["hits"]["total"]["value"]
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    return scores


def stored_signature(text: str, recipe: Recipe | None = None, *, terms: bool = False) -> dict[str, Any]:
    """The signature of a text, as in a document of a window."""
    signer = signer_for(recipe or Recipe())
    signed = signer.sign([text.encode()])
    keys = None if terms else signer.key_sets(signed)[0]
    return compact_fields(signer.signature(text), signed.text(0).decode(), keys, scanned=not terms)


def by_text(text: str, threshold: str = "0.7", **options: Any) -> dict[str, Any]:
    """A query for copies of a text."""
    return {"neardup": {"like": {"text": text}, "threshold": threshold, **options}}


def by_id(place: Place, threshold: str = "0.7", **options: Any) -> dict[str, Any]:
    """A query for copies of a document."""
    index, id = place
    return {"neardup": {"like": {"_index": index, "_id": id}, "threshold": threshold, **options}}


def fill(library: Library, count: int, seed: int) -> None:
    """Documents in several segments of every index, some of them deleted, some written again."""
    numbers = random.Random(seed)
    free = [(index, f"d{i}") for index in library.indices for i in range(IDS)]
    numbers.shuffle(free)
    actions = [
        Action("index", index, id, {"text": text, "source": numbers.choice(SOURCES)})
        for (index, id), text in zip(free, texts(count, seed), strict=False)
    ]
    part = count // 5
    for start in range(0, count, part):
        library.write(actions[start : start + part])
    library.delete(numbers.sample(sorted(library.there), count // 10))
    again = numbers.sample(sorted(library.there), count // 10)
    for place, text in zip(again, texts(len(again), seed), strict=True):
        library.put([place], text, refresh=None)
    library.cluster.request("POST", f"/{library.all}/_refresh")


def new_library(cluster: Cluster, shards: dict[str, int], **options: Any) -> Library:
    """Indices of a window that is set up with `options`, given by the end of their names and their numbers of shards:
    the first half of them with q-grams as terms, the others with bitmaps.
    """
    source = {"properties": {"source": {"type": "keyword"}}}
    names = {f"{cluster.address.prefix}-{name}": count for name, count in shards.items()}
    set_up(cluster, sign="plugin", terms=len(names) > 1, **options)
    for at, (name, count) in enumerate(names.items()):
        if at == len(names) // 2:
            set_up(cluster, terms=False)
        body = {"settings": {"number_of_shards": count, "refresh_interval": -1}, "mappings": source}
        cluster.request("PUT", f"/{name}", body=body)
    return Library(cluster, list(names))


def questions(library: Library, seed: int) -> Iterator[tuple[dict[str, Any], Scores]]:
    """Queries with their expected results."""
    numbers = random.Random(seed)
    places = sorted(library.there)
    for place in numbers.sample(places, 40):
        for threshold in numbers.sample(THRESHOLDS, 2):
            text = library.there[place]
            yield by_id(place, threshold), library.copies(text, threshold, but=place)
            yield by_text(text, threshold), library.copies(text, threshold)
    for text in texts(60, seed):
        threshold = numbers.choice(THRESHOLDS)
        yield by_text(text, threshold), library.copies(text, threshold)


def compare(library: Library, seed: int) -> int:
    """Sends many queries at once and compares the answers with brute force; returns how many copies there were."""
    sought = list(questions(library, seed))
    lines: list[Any] = []
    for query, _ in sought:
        lines += [{"index": library.all}, {"query": query, "size": 1_000, "_source": False}]
    answers = library.cluster.request("POST", "/_msearch", body=lines)["responses"]
    for (query, expected), answer in zip(sought, answers, strict=True):
        assert answer.get("error") is None, answer
        assert answer["_shards"]["failed"] == 0, answer["_shards"]
        assert found(answer) == expected, query
    return sum(len(expected) for _, expected in sought)


def refusal(library: Library, query: Any, *, indices: str | None = None, status: int = 400) -> str:
    """The reason for which every shard refuses such a search; `query` may be a whole body, encoded."""
    body = query if isinstance(query, bytes) else {"query": query}
    lines: list[Any] = [{"index": indices or library.all}, body]
    try:
        (answer,) = library.cluster.request("POST", "/_msearch", body=lines)["responses"]
    except ClusterRejected as rejected:
        returned, reason = rejected.status, rejected.reason
    else:
        returned, reason = answer["status"], answer["error"]["root_cause"][0]["reason"]
    assert returned == status, reason
    return str(reason)
