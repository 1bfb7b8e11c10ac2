"""The plugin's own tests, which Maven runs when it packages the plugin."""

from __future__ import annotations

import os
import zipfile
from xml.etree import ElementTree as ET

import pytest
from testing.node.java import check_format, plugin_zip, reports
from testing.node.servers import chosen

from neardup.version import VERSION


@pytest.mark.usefixtures("workshop")
def test_the_plugin_was_packaged_and_its_own_tests_have_passed():
    if os.environ.get("NEARDUP_TEST_PLUGIN"):
        pytest.skip("NEARDUP_TEST_PLUGIN names a plugin that was built elsewhere")
    zip = plugin_zip(chosen())
    results = [ET.parse(path).getroot() for path in reports(chosen())]
    assert sum(int(result.attrib["tests"]) for result in results) > 100
    failed = [
        f"{case.attrib['classname']}.{case.attrib['name']}: {problem.attrib.get('message')}"
        for result in results for case in result.iter("testcase")
        for problem in (*case.iter("failure"), *case.iter("error"))
    ]  # fmt: skip
    assert failed == []
    assert {result.attrib[kind] for result in results for kind in ("errors", "failures")} == {"0"}
    names = zipfile.ZipFile(zip).namelist()
    assert "plugin-descriptor.properties" in names
    assert [name for name in names if name.endswith(".jar")] == [f"{zip.stem}.jar"]
    assert VERSION in zip.stem


@pytest.mark.usefixtures("workshop")
def test_the_java_sources_are_formatted():
    check_format()
