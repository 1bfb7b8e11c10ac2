"""What a doctor says of nodes without the plugin, and what an error says that such a node answers."""

from __future__ import annotations

import pytest
from testing.cluster_stand_in import Answer, standing_in

from neardup.elastic.admin.cluster_snapshot import ClusterSnapshot, NodeFacts
from neardup.elastic.admin.hourly_indices import Indices
from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.admin.node_checks import check_nodes
from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.http.remedies import remedy_for
from neardup.model.settings import Recipe
from neardup.version import VERSION

REFUSED = (
    "illegal_state_exception: pipeline with id [neardup-live] could not be loaded, caused by "
    "[org.elasticsearch.ElasticsearchParseException: {}]"
)


@pytest.mark.parametrize(
    ("signed_by", "other", "state"),
    [
        ("plugin", False, "bad"),
        ("client", False, "warning"),
        (None, False, "warning"),
        ("client", True, "bad"),
    ],
)
def test_a_doctor_calls_a_node_bad_without_the_plugin_that_the_window_needs(signed_by, other, state):
    """It was a warning once no node had the plugin, though every write failed."""
    about = None if signed_by is None else WindowConfig(Recipe(), "the recipe", signed_by=signed_by).about()
    nodes = [NodeFacts("one", "9.2.0", False, None), NodeFacts("two", "9.2.0", other, None)]
    snapshot = ClusterSnapshot(nodes, True, {}, [], Indices([], []), False, None, remembered=about)
    plugins = [{"name": "neardup", "version": VERSION}] if other else []
    answer = {"nodes": {"1": {"name": "one"}, "2": {"name": "two", "plugins": plugins}}}
    with standing_in([Answer(200, answer)]) as server, Cluster(Address(server.url, "news")) as cluster:
        findings = {each.what: each for each in check_nodes(cluster, snapshot)}
    one, two = (findings[f"plugin on {name}"] for name in ("one", "two"))
    assert (one.state, two.state) == (state, "ok" if other else state)
    assert ("writes through this node fail" in one.found) == (signed_by == "plugin")
    assert f"install neardup-{VERSION}-es9.2.0.zip" in one.found


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (REFUSED.format("No processor type exists with name [neardup]"), "install the plugin neardup"),
        ("x_content_parse_exception: unknown query [neardup_sketch]", "install the plugin neardup"),
        (REFUSED.format("[lexicon] no file mine"), "give every node the same plugin, lexicon and salt"),
        ("illegal_argument_exception: pipeline with id [neardup-live] does not exist", "`neardup setup`"),
    ],
)
def test_an_error_of_a_node_that_cannot_sign_names_what_it_lacks(error, remedy):
    """It said that `neardup setup` makes the pipeline again, which that refused for the same node."""
    assert str(remedy_for(error)).startswith(remedy)
