"""The plugin's own tests, which Maven runs when it packages the plugin."""

from __future__ import annotations

import os
import zipfile
from xml.etree import ElementTree as ET

import pytest
from tests.node.java import plugin_zip, reports

from neardup.version import VERSION


@pytest.mark.usefixtures("workshop")
def test_the_plugin_was_packaged_and_its_own_tests_have_passed():
    if os.environ.get("NEARDUP_TEST_PLUGIN"):
        pytest.skip("NEARDUP_TEST_PLUGIN names a plugin that was built elsewhere")
    zip = plugin_zip()
    results = [ET.parse(path).getroot() for path in reports()]
    assert sum(int(result.attrib["tests"]) for result in results) > 100
    for report in results:
        assert (report.attrib["errors"], report.attrib["failures"]) == ("0", "0"), report.attrib["name"]
    names = zipfile.ZipFile(zip).namelist()
    assert "plugin-descriptor.properties" in names
    assert [name for name in names if name.endswith(".jar")] == [f"{zip.stem}.jar"]
    assert VERSION in zip.stem
