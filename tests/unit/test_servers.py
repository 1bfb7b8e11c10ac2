"""The list of servers, the page that says where the plugin was tried, and the zips that users are told of."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from testing.cluster_stand_in import Answer, standing_in
from testing.node import every_server, java
from testing.node.node import Distribution, Node
from testing.node.servers import ROOT, SERVERS, Server, server_of

from find_versions import first_fault
from neardup.elastic.admin.node_checks import plugin_for
from neardup.version import VERSION


def test_the_page_has_a_line_for_every_server_of_the_list_and_for_no_other():
    assert list(every_server.lines()) == [str(server) for server in SERVERS]


def test_what_was_seen_is_written_into_the_page(tmp_path, monkeypatch):
    page = tmp_path / "versions.md"
    page.write_text(every_server.PAGE.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(every_server, "PAGE", page)
    before = every_server.lines()
    every_server.record(SERVERS[0], "yes", "7 passed", "2026-11-30")
    title = str(SERVERS[0])
    assert every_server.lines() == {**before, title: every_server.Line("yes", "7 passed", "2026-11-30")}
    around = re.compile(rf"{every_server.BEGIN}.*{every_server.END}", re.DOTALL)
    assert around.sub("", page.read_text("utf-8")) == around.sub(
        "", (ROOT / "docs/versions.md").read_text("utf-8")
    )


@pytest.mark.parametrize("server", SERVERS, ids=str)
def test_users_are_told_of_the_zip_that_is_built(server: Server):
    told = plugin_for(server.product, server.version)  # type: ignore[arg-type]  # a list has strings
    assert told == f"{server.zip_name(VERSION)} (make plugin VERSION={server.name})"
    assert server_of(server.name) == server


def test_a_node_whose_port_another_cluster_has_does_not_take_that_one_for_itself(tmp_path):
    health = Answer(200, {"cluster_name": "theirs", "timed_out": False})
    with standing_in([health]) as server:
        port = int(server.url.rpartition(":")[2])
        node = Node(Distribution(SERVERS[0], tmp_path, ()), tmp_path, port=port)
        node._process = subprocess.Popen(["sleep", "60"], start_new_session=True)
        try:
            with pytest.raises(RuntimeError, match=f"{server.url} is answered by another cluster, theirs"):
                node.wait()
        finally:
            node.kill()
    assert not node.running


def test_a_server_of_no_line_of_the_list_is_told_with_the_way_out(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["java", "9.4.0"])
    with pytest.raises(SystemExit, match=r"9\.4\.0 is of no line .*9\.5\.3 9\.3\.4.*`make find-versions`"):
        java.main()


COMPILER = """mvn test-compile failed:
[ERROR] COMPILATION ERROR :
[ERROR] /plugin/IndexedFields.java:[11,23] cannot find symbol
  symbol:   method isIndexed()
  location: variable keyword of type MappedFieldType
[ERROR] Failed to execute goal compile
"""


def test_what_a_version_does_not_build_for_is_named():
    missed = "[ERROR] /plugin/IndexedFields.java:[11,23] cannot find symbol (symbol: method isIndexed())"
    assert first_fault(COMPILER) == missed
    assert first_fault("mvn failed:\n[ERROR] no network\n") == "[ERROR] no network"
