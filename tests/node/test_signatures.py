"""What the processor in a node signs is what Python signs, field by field, on every text we have.

Vectors and the example stream always; the manual pages in 13 languages and 2,000 passages where the corpora are
(benchmarks/lib/corpora.py says where they are looked for), a third of either unless tests are to try more.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import pytest
from benchmarks.lib import corpora
from benchmarks.lib.harness import DATA
from testing.effort import LONG
from testing.node.library import stored_signature

from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.address import Address
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.client import Cluster
from neardup.model.settings import Recipe
from neardup.signing.signer import Signer, signer_for

ROOT = Path(__file__).parents[2]
VECTORS = sorted((ROOT / "tests/vectors").glob("*.jsonl"))
HOUR = 444_444
AT_ONCE = 100
EVERY = slice(None, None, 1 if LONG else 3)
SIGNATURE = (
    "recipe", "fingerprint", "qgrams", "qgram_count", "sketch", "sentences", "simhash", "simhash_bands",
)  # fmt: skip


def parts(items: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(items)
    while part := list(islice(rest, AT_ONCE)):
        yield part


def indexed(cluster, texts: Sequence[str], first: int) -> list[Any]:
    """What the node makes of bare documents, as any client would send them."""
    index, ids = cluster.address.hourly(HOUR), [str(first + i) for i in range(len(texts))]
    sources = [{"text": text, "@timestamp": HOUR * 3_600_000} for text in texts]
    written = bulk(
        cluster, [Action("create", index, id, source) for id, source in zip(ids, sources, strict=True)]
    )
    assert all(outcome.ok for outcome in written), [outcome.error for outcome in written if not outcome.ok]
    found = cluster.request(
        "POST", f"/{index}/_mget", params={"_source_includes": "neardup"}, body={"ids": ids}
    )
    return [document["_source"]["neardup"] for document in found["docs"]]


def simulated(cluster, texts: Sequence[str], first: int) -> list[Any]:
    """What the window's pipeline makes of documents that are not kept: a fifth of the time for long ones."""
    body = {"docs": [{"_source": {"text": text}} for text in texts]}
    answer = cluster.request("POST", f"/_ingest/pipeline/{cluster.address.pipeline}/_simulate", body=body)
    return [document["doc"]["_source"]["neardup"] for document in answer["docs"]]


def compare(cluster, maker: Signer, texts: Sequence[str], signed_by=indexed) -> int:
    """Compares what the node says of texts with what Python says; returns how many those were."""
    count = 0
    for some in parts(texts):
        for text, signed in zip_longest(some, signed_by(cluster, some, count)):
            assert signed == stored_signature(text, maker.recipe), text[:200]
        count += len(some)
    return count


@pytest.fixture
def maker(cluster) -> Signer:
    """Python's signer of a window that the node's pipeline signs."""
    made = set_up(cluster, sign="plugin")
    own = signer_for(Recipe())
    assert made.config.recipe_text == own.text
    return own


def corpus(name: str) -> corpora.Corpus:
    path = DATA / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"the corpus {name} is not at {path} (set NEARDUP_DATA)")
    return corpora.load(DATA, name)


def example_texts() -> Iterator[str]:
    """The texts of the example stream, which has broken lines too."""
    for line in (ROOT / "examples/stream.jsonl").read_bytes().splitlines():
        with contextlib.suppress(ValueError, KeyError):
            yield json.loads(line)["text"]


def test_vector_texts_and_the_example_stream_are_signed_as_by_python(cluster, maker):
    texts = [vector["text"] for file in VECTORS for vector in vectors(file)]
    texts += example_texts()
    assert compare(cluster, maker, texts) == len(texts) > 400


@pytest.mark.slow
def test_manual_pages_in_13_languages_are_signed_as_by_python(cluster, maker):
    pages = corpus("manpages-multi")
    assert len({id.split("/")[1] for id in pages.ids[EVERY]}) >= 13
    assert compare(cluster, maker, pages.texts[EVERY], simulated) > (3_000 if LONG else 1_000)


@pytest.mark.slow
def test_passages_are_signed_as_by_python(cluster, maker):
    assert compare(cluster, maker, corpus("passages20k").texts[:2_000][EVERY]) >= (2_000 if LONG else 600)


# -- the vectors, by every recipe that they have --


def expanded(value: Any) -> Any:
    """`value` with every {"repeat": [unit, times]} written out."""
    if isinstance(value, dict):
        unit, times = value["repeat"]
        return unit * times
    return [expanded(item) for item in value] if isinstance(value, list) else value


def vectors(file: Path) -> list[dict[str, Any]]:
    lines = file.read_text("ascii").splitlines()
    return [{key: expanded(value) for key, value in json.loads(line).items()} for line in lines]


OPTIONS = ("q", "fold_case", "simhash_variants", "sketch_size")


@pytest.mark.parametrize("file", VECTORS, ids=lambda file: file.stem)
def test_the_node_makes_every_vector_again(cluster, file):
    assert made_again(cluster, [vector for vector in vectors(file) if vector["salt"] is None])


def test_the_node_makes_every_salted_vector_again(own_node):
    salted = [vector for file in VECTORS for vector in vectors(file) if vector["salt"] is not None]
    for vector in salted:
        own_node.give(f"neardup/{salt_name(vector)}.salt", vector["salt"].encode())
    with Cluster(Address(own_node.url, "salted-vectors")) as cluster:
        assert made_again(cluster, salted)


def salt_name(vector: dict[str, Any]) -> str:
    return f"salt-{vector['salt'].encode().hex()}"


def made_again(cluster, some: list[dict[str, Any]]) -> int:
    """Compares what a node makes of the texts of vectors with the vectors; returns how many those were."""
    by_recipe: dict[str, list[dict[str, Any]]] = {}
    for vector in some:
        by_recipe.setdefault(vector["recipe"], []).append(vector)
    for recipe, alike in by_recipe.items():
        first = alike[0]
        options = {name: first[name] for name in OPTIONS} | {"recipe": recipe, "reach": float(first["reach"])}
        if first["salt"] is not None:
            options["salt"] = salt_name(first)
        body = {
            "pipeline": {"processors": [{"neardup": options}]},
            "docs": [{"_source": {"text": vector["text"]}} for vector in alike],
        }
        answer = cluster.request("POST", "/_ingest/pipeline/_simulate", body=body)
        for vector, signed in zip_longest(alike, answer["docs"]):
            wanted = {field: vector[field] for field in SIGNATURE}
            assert signed["doc"]["_source"]["neardup"] == wanted, vector["name"]
    return len(some)


def test_a_file_that_was_replaced_is_read_when_the_pipeline_gets_another_version(own_node):
    """As plugin/README.md says: a server passes over a PUT of what it has."""
    pipeline = "/_ingest/pipeline/replaced"
    recipes = []
    with Cluster(Address(own_node.url, "replaced")) as cluster:
        for secret, version in ((b"first", 1), (b"second", 1), (b"second", 2)):
            own_node.give("neardup/replaced.salt", secret)
            body: dict[str, Any] = {"version": version, "processors": [{"neardup": {"salt": "replaced"}}]}
            cluster.request("PUT", pipeline, body=body)
            docs = {"docs": [{"_source": {"text": "The ferry ran aground."}}]}
            (signed,) = cluster.request("POST", f"{pipeline}/_simulate", body=docs)["docs"]
            recipes.append(signed["doc"]["_source"]["neardup"]["recipe"])
    assert recipes[0] == recipes[1] != recipes[2]
