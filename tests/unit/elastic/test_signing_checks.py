"""How nodes sign, as far as it can be asked without sending credentials to a host that nobody has named."""

from __future__ import annotations

import pytest
from testing.cluster_stand_in import Answer, standing_in

from neardup.elastic.admin.cluster_snapshot import NodeFacts
from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.admin.signing_checks import SAMPLE, check_signing
from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.client import Cluster
from neardup.model.settings import Recipe
from neardup.oracle.definitions import fingerprint, normal_form

CONFIG = WindowConfig(Recipe(), "the recipe")
SIGNED = {"recipe": "the recipe", "fingerprint": fingerprint(normal_form(SAMPLE))}
AS_THE_WINDOW = Answer(200, {"docs": [{"doc": {"_source": {"neardup": SIGNED}}}]})
OTHERWISE = Answer(200, {"docs": [{"doc": {"_source": {"neardup": {"recipe": "another"}}}}]})


@pytest.fixture
def window():
    with standing_in([AS_THE_WINDOW]) as server:
        yield server


@pytest.fixture
def other():
    with standing_in([OTHERWISE]) as server:
        yield server


def found(server, nodes, credentials):
    with Cluster(Address(server.url, "news"), credentials, patience=0) as cluster:
        return {each.what: (each.state, each.found) for each in check_signing(cluster, CONFIG, nodes)}


def node(name, http):
    return NodeFacts(name, "9.2.0", True, http)


def at(server, host="127.0.0.1"):
    return f"{host}:{server.url.rpartition(':')[2]}"


def states(findings):
    return {what: state for what, (state, _) in findings.items()}


@pytest.mark.parametrize("http", ["10.0.0.1:9200", "localhost:9200", None])
def test_the_only_node_is_asked_where_the_window_is(window, http):
    findings = found(window, [node("one", http)], Credentials(api_key="hush"))
    assert states(findings) == {"signing on one": "ok"}
    assert len(window.requests) == 1


@pytest.mark.parametrize("names", ["127.0.0.1", "inner.host/127.0.0.1", "127.0.0.1/10.0.0.1"])
def test_nodes_of_the_window_s_host_are_asked_each(window, other, names):
    nodes = [node("one", at(window)), node("two", at(other, names))]
    findings = found(window, nodes, Credentials(api_key="hush"))
    assert states(findings) == {"signing on one": "ok", "signing on two": "bad"}


def test_no_other_host_is_sent_credentials(window, other):
    nodes = [node("one", at(window)), node("two", at(other, "inner.host/localhost")), node("three", None)]
    findings = found(window, nodes, Credentials(api_key="hush"))
    assert not other.requests
    assert states(findings) == {
        f"signing at {window.url}": "ok",
        "signing on one": "ok",
        "signing on two": "warning",
        "signing on three": "warning",
    }
    _, text = findings["signing on two"]
    assert f"neardup doctor --window http://{at(other, 'localhost')}/news" in text


def test_without_credentials_every_node_is_asked(window, other):
    nodes = [node("one", at(window)), node("two", at(other, "localhost"))]
    findings = found(window, nodes, Credentials())
    assert states(findings) == {"signing on one": "ok", "signing on two": "bad"}


def test_what_has_no_plugin_is_not_asked(window):
    assert not found(window, [NodeFacts("one", "9.2.0", False, "10.0.0.1:9200")], Credentials())
    assert not window.requests
