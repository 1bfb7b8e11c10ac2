"""Every kind of server, briefly: documents are signed, found and marked as on the one that all other tests run on."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from testing.node.clients import check_marked, expected, in_order, made, put, stream, watched
from testing.node.fixtures import PATIENCE
from testing.node.java import Missing, distribution
from testing.node.library import HOUR, compare, fill, new_library
from testing.node.node import Workshop
from testing.node.prefix import fresh_prefix
from testing.node.servers import SERVERS, Server, chosen

from neardup.elastic.admin.checks import examine
from neardup.elastic.admin.setup import set_up
from neardup.elastic.http import admin_api
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.window.opening import open_elastic_window
from neardup.model.hours import hour_name
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

pytestmark = pytest.mark.xdist_group("other servers")


@pytest.fixture(
    scope="module",
    params=[server for server in SERVERS if server.note in ("newest", "oldest")],
    ids=lambda server: server.path,
)
def other(request, workshop) -> Iterator[tuple[Server, str]]:
    """A server of the list, and the address of a node of it."""
    server: Server = request.param
    if server == chosen():
        pytest.skip(f"{server} is what all tests run on")
    try:
        distribution(server)
    except Missing as missing:
        if os.environ.get("NEARDUP_REQUIRE_NODE"):
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    place = Workshop(server, in_memory=True, tested=False)
    try:
        yield server, place.small("other").start().url
    finally:
        place.close()


@pytest.fixture
def there(other) -> Iterator[Cluster]:
    """A connection to that node, with a prefix of its own."""
    with fresh_prefix(other[1], patience=PATIENCE) as cluster:
        yield cluster


def test_it_is_what_it_should_be(other, there):
    server, _ = other
    assert there.product == server.product
    (node,) = admin_api.nodes(there, "plugins", fields=("version", "plugins.name"))
    assert node["version"] == server.version
    assert {plugin["name"] for plugin in node["plugins"]} == {"neardup"}


def test_a_window_is_set_up_and_found_in_order(there):
    made(there, sign="plugin")
    findings = list(examine(there.address, there.credentials))
    assert [finding for finding in findings if finding.state == "bad"] == []
    assert any(finding.what == "signing on node-1" and finding.state == "ok" for finding in findings)


def test_it_signs_as_python_does(there):
    maker = signer_for(Recipe())
    texts = [document["text"] for document in stream(100)]
    for text in texts:
        answer = admin_api.simulate(there, {"text": text}, processors=[{"neardup": {}}])
        assert answer["doc"]["_source"]["neardup"] == maker.signature(text).to_dict()


def test_the_query_finds_what_brute_force_does(there):
    library = new_library(there, {hour_name(HOUR): 1, "three": 3})
    fill(library, 120, 5)
    assert compare(library, 6) > 20


def test_the_query_reads_bitmaps_as_this_server_keeps_them(there):
    """Shown by one that lies: whoever has it is not found, unless it is of another length and so is not believed."""
    index, text = there.address.hourly(HOUR), stream(1)[0]["text"]
    set_up(there, sign="plugin")
    bulk(there, [Action("create", index, "a", {"text": text})])
    bitmap = there.request("GET", f"/{index}/_doc/a")["_source"]["neardup"]["qgram_bitmap"]
    nothing = base64.b64encode(bytes(len(base64.b64decode(bitmap)))).decode()
    longer = base64.b64encode(bytes(len(base64.b64decode(bitmap)) + 64)).decode()
    for value, found in ((bitmap, 1), (nothing, 0), (longer, 1), ("", 1), (None, 1)):
        bulk(there, [Action("update", index, "a", {"neardup": {"qgram_bitmap": value}})])
        there.request("POST", f"/{index}/_refresh")
        query = {"query": {"neardup": {"like": {"text": text}}}}
        assert there.request("POST", f"/{index}/_count", body=query)["count"] == found, value


@pytest.mark.parametrize("sign", ["plugin", "client"])
def test_documents_of_others_are_marked_as_a_window_in_memory_does(there, sign):
    documents = stream(80)
    made(there, sign=sign)
    put(there, documents)
    verdicts = watched(there)
    assert verdicts == expected(documents)
    check_marked(there, documents, verdicts)


def test_documents_are_ingested_as_a_window_in_memory_does(there):
    documents = in_order(stream(80))
    made(there)
    with open_elastic_window(str(there.address), credentials=there.credentials) as window:
        assert list(window.ingest(documents)) == expected(documents)
