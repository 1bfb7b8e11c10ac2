"""Kinds: documents that cannot be used, and documents that other clients change while they are scored."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

from testing.node import clients
from testing.node.servers import chosen
from testing.torture.cluster_scene import BATCH, Scene, impatient, scene_kind

from neardup.elastic.http.client import ClusterWarning
from neardup.errors import ClusterRejected

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from testing.node.killing import Document

    from neardup.elastic.http.client import Cluster
    from neardup.model.document import Reject
    from neardup.model.verdict import Verdict


# ---- documents that are refused ----


def _deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"d": value}
    return value


RESERVED: Final = ("_source", "_seq_no")
"""Names that both Elasticsearch and OpenSearch reserve."""
NAMES: Final = (".", "..", "a..b", *([" "] if chosen().product == "elasticsearch" else []))
UNFIT: Final[dict[str, Callable[[Random], dict[str, Any]]]] = {
    "another type": lambda _: {"more": "no object"},
    "a metadata field": lambda random: {random.choice(RESERVED): "x"},
    "too deep": lambda random: {"deep": _deep(random.choice((25, 200, 600)))},
    "too many fields": lambda _: {"many": {f"f{i}": i for i in range(1_100)}},
    "a name of dots": lambda random: {random.choice(NAMES): 1},
    "an order of ours": lambda _: {"neardup.order": 0, "more": "no object"},
    "no JSON": lambda random: {"odd": random.choice((1 << 70, {1: 2}, {"a"}, "\ud800", b"x", object()))},
}
"""Fields of records that Elasticsearch refuses, or that cannot be sent."""


def refused(scene: Scene) -> None:
    """Refused records come among good ones: each is a reject, and the others are as if it had never come."""
    random, good = scene.random, scene.documents
    bad = [
        {**good[random.randrange(len(good))], "id": f"bad{i}", **UNFIT[name](random)}
        for i, name in enumerate(random.choices(list(UNFIT), k=random.randint(1, 12)))
    ]
    mixed = list(good)
    for each in bad:
        mixed.insert(random.randint(2, len(mixed)), each)
    mapping = {"properties": {"more": {"type": "object"}}}
    body = {"template": {"mappings": mapping}}
    # Before the window is made: OpenSearch ignores a later change.
    scene.cluster.request("PUT", f"/_component_template/{scene.cluster.address.prefix}@custom", body=body)
    clients.made(scene.cluster)
    rejects: list[Reject] = []
    with impatient():
        error = scene.run(
            documents=mixed, on_reject=rejects.append, batch_documents=random.choice((1, BATCH, 50))
        )
    scene.outcome.expect(error is None, f"the stream stopped: {error!r}")
    found, wanted = sorted(each.id or "" for each in rejects), sorted(each["id"] for each in bad)
    scene.outcome.expect(found == wanted, f"rejected {found}, expected {wanted}")
    scene.outcome.count("rejected", len(rejects))
    scene.settle()


# ---- documents that others change ----

FIELDS: Final = ("status", "duplicate_of", "score", "group", "matches")


def _unconcerned(changed: str) -> Callable[[Verdict, Verdict], bool]:
    """Whether a verdict is as expected, if it has nothing to do with the document that was changed."""

    def same(verdict: Verdict, expected: Verdict) -> bool:
        found, wanted = verdict.to_dict(), expected.to_dict()
        if verdict.id == expected.id == changed or f"'{changed}'" in f"{found}{wanted}":
            return verdict.id == expected.id
        return all(found[name] == wanted[name] for name in FIELDS)

    return same


def _update(cluster: Cluster, index: str, id: str, part: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        # OpenSearch warns about updates if there is a pipeline.
        warnings.simplefilter("ignore", ClusterWarning)
        cluster.request("POST", f"/{index}/_update/{id}", body={"doc": part}, missing_ok=True)


def _others(scene: Scene, document: Document) -> dict[str, Callable[[], object]]:
    """Changes that another client may make to a document of the window, by name."""
    index, id = clients.index_of(scene.cluster, document), document["id"]
    place = f"/{index}/_doc/{id}"
    other = {**clients.bare(document), "text": "Somebody else wrote this over it, and said nothing."}
    return {
        "deleted": lambda: scene.cluster.request("DELETE", place, missing_ok=True),
        "overwritten": lambda: scene.cluster.request("PUT", place, body=other),
        "the same again": lambda: scene.cluster.request("PUT", place, body=clients.bare(document)),
        "text updated": lambda: _update(scene.cluster, index, id, {"text": other["text"]}),
        "title updated": lambda: _update(scene.cluster, index, id, {"title": "Another"}),
        "no text": lambda: _update(scene.cluster, index, id, {"text": None}),
    }


def changed(scene: Scene) -> None:
    """Other clients change a document while others are scored."""
    random = scene.random
    document = random.choice(scene.documents)
    name, doing = random.choice(sorted(_others(scene, document).items()))
    middle = random.randrange(1, len(scene.documents))
    same = _unconcerned(document["id"])
    clients.made(scene.cluster)
    scene.outcome.count(name)
    if random.random() < 0.5:
        for _ in range(2):
            error = scene.run(
                at_verdict=lambda told: told == middle and doing(), same=same, on_reject=lambda _: None
            )
            scene.outcome.expect(error is None, f"{name}: the stream stopped: {error!r}")
        return
    clients.put(scene.cluster, scene.documents)
    rejects: list[Reject] = []
    for most in (middle, 10_000, 10_000):
        error = scene.watch(most=most, on_reject=rejects.append)
        scene.outcome.expect(error is None, f"{name}: the watch stopped: {error!r}")
        if most == middle:
            doing()
    scene.outcome.expect({each.id for each in rejects} <= {document["id"]}, f"{name}: rejected {rejects}")
    scene.held(lambda: _check_others(scene, document["id"]))


def _check_others(scene: Scene, id: str) -> None:
    """Every document has a verdict, and that of an undisturbed run if it has nothing to do with `id`."""
    found = {name.partition("/")[2]: ours for name, ours in clients.marks(scene.cluster).items()}
    assert found.keys() | {id} == {each["id"] for each in scene.documents}
    for verdict in clients.expected(scene.documents, **scene.settings):
        wanted, ours = verdict.to_dict(), found.get(verdict.id, {})
        if f"'{id}'" in f"{wanted}{ours}" or verdict.id == id:
            continue
        assert {name: ours.get(name) or None for name in FIELDS} == {
            name: wanted[name] or None for name in FIELDS
        }, verdict.id


GARBAGE: Final[tuple[dict[str, Any], ...]] = (
    {"qgram_count": None}, {"fingerprint": "no"}, {"fingerprint": None}, {"sketch": ["x"]}, {"sketch": 7},
    {"status": "?"}, {"identity": None}, {"time": "noon"}, {"group_order": None}, {"sieve": "!"}, {"group": 5},
    {"matches": [{"id": "x"}]}, {"order": 0}, {"order": 10**15}, {"truncated": None}, {"candidates": "many"},
    {"sieve": "AAAA"},
)  # fmt: skip


def marks_altered(scene: Scene) -> None:
    """Another client writes garbage into neardup's fields of a document: every reader says where it is."""
    random = scene.random
    document = random.choice(scene.documents)
    garbage = random.choice(GARBAGE)
    index, id = clients.index_of(scene.cluster, document), document["id"]
    place = f"/{index}/_doc/{id}"
    scene.outcome.expect(scene.run() is None, "the stream does not go in")
    before = scene.cluster.request("GET", place)["_source"]
    body = {**before, "neardup": {**before["neardup"], **garbage}}
    try:
        scene.cluster.request("PUT", place, body=body)
    except ClusterRejected:
        scene.outcome.count("refused by the mapping")
        return
    rejects: list[Reject] = []
    error = scene.run(on_reject=rejects.append)
    scene.outcome.expect({each.id for each in rejects} <= {id}, f"rejected {rejects}")
    if error is None:
        scene.outcome.count("rejected" if rejects else "not noticed")
    else:
        scene.mentions(error, index, id)
    scene.cluster.request("PUT", place, body=before)
    scene.settle()


KINDS: Final = (
    scene_kind(
        "records-refused",
        "Records that Elasticsearch will not have come amid good ones; each is a reject, and the stream goes on.",
        refused,
    ),
    scene_kind(
        "document-changed",
        "Another client deletes, overwrites or updates a document while it is scored; all others get their verdicts.",
        changed,
    ),
    scene_kind(
        "marks-altered",
        "Another client writes garbage into what neardup keeps of a document; an error names it, or nothing differs.",
        marks_altered,
    ),
)
