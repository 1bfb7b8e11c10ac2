"""The examples for Logstash, Filebeat and Kibana, and a page, speak of what a window has."""

from __future__ import annotations

import configparser
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from typer.main import get_group

from neardup.cli.application import command_line
from neardup.cli.context import judged_file
from neardup.cli.serving import STOP_SECONDS
from neardup.elastic.http.address import Address

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
NEWS = Address("http://localhost:9200", "news")
LOGSTASH = (EXAMPLES / "logstash.conf").read_text("utf-8")
FILEBEAT = yaml.safe_load((EXAMPLES / "filebeat.yml").read_text("utf-8"))
KIBANA = [json.loads(line) for line in (EXAMPLES / "kibana.ndjson").read_text("utf-8").splitlines()]
FIELDS = json.loads((ROOT / "mappings/neardup-fields.json").read_text("utf-8"))["template"]["mappings"][
    "properties"
]
NOON = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
LETTERS = {"YYYY": "%Y", "yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H"}


@pytest.mark.parametrize(
    "index", [*re.findall(r'index => "(.+)"', LOGSTASH), FILEBEAT["output.elasticsearch"]["index"]]
)
def test_each_event_goes_to_the_hour_of_its_time(index):
    (pattern,) = re.findall(r"%{\+(.+?)}", index)
    for letters, directive in LETTERS.items():
        pattern = pattern.replace(letters, directive)
    name = re.sub(r"%{\+.+?}", NOON.strftime(pattern), index)
    assert NEWS.hour_of_index(name) == (int(NOON.timestamp()) // 3_600, False)


def test_nothing_is_set_that_would_send_events_elsewhere():
    assert LOGSTASH.count("{") == LOGSTASH.count("}")
    for setting in ("manage_template => false", "ilm_enabled => false", "data_stream => false"):
        assert setting in LOGSTASH
    assert FILEBEAT["setup.template.enabled"] is FILEBEAT["setup.ilm.enabled"] is False
    assert "password =>" in LOGSTASH
    assert re.findall(r'password => "(.+)"', LOGSTASH) == [FILEBEAT["output.elasticsearch"]["password"]]


@pytest.mark.parametrize("name", ["logstash.conf", "filebeat.yml"])
def test_what_a_user_needs_beyond_the_role_of_a_writer_stands_above_it(name):
    above = (EXAMPLES / name).read_text("utf-8").partition("user")[0].splitlines()[-2]
    assert "roles/writer.json" in above
    assert "`monitor`" in above
    assert json.loads((ROOT / "roles/writer.json").read_text("utf-8"))["cluster"] == []


def test_what_kibana_shows_are_fields_of_a_window():
    view, *charts, dashboard = KIBANA
    computed = json.loads(view["attributes"]["runtimeFieldMap"])
    known = {f"neardup.{name}" for name in FIELDS["neardup"]["properties"]} | computed.keys() | {"@timestamp"}
    shown = [
        aggregation["params"]["field"]
        for chart in charts
        for aggregation in json.loads(chart["attributes"]["visState"])["aggs"]
        if "field" in aggregation["params"]
    ]
    assert len(shown) > 5
    assert set(shown) <= known
    for field in re.findall(r"doc\['(.+?)'\]", json.dumps(computed)):
        assert field in known
    assert {chart["id"] for chart in charts} == {panel["id"] for panel in dashboard["references"]}
    names = {panel["panelRefName"] for panel in json.loads(dashboard["attributes"]["panelsJSON"])}
    assert names == {panel["name"] for panel in dashboard["references"]}
    ids = {each["id"] for each in KIBANA}
    assert all(reference["id"] in ids for each in KIBANA for reference in each["references"])


def test_what_the_page_of_departures_says_of_simhashes_is_what_is_mapped():
    page = (ROOT / "docs/experiments/departures.md").read_text("utf-8")
    said = re.findall(r"`neardup\.(simhash\w*)` (?:is|are) (indexed|stored only)", page)
    fields = FIELDS["neardup"]["properties"]
    assert {name: how == "indexed" for name, how in said} == {
        name: fields[name].get("index", True) for name in ("simhash", "simhash_bands")
    }


def test_the_unit_for_systemd_starts_a_command_that_there_is_and_waits_for_its_end():
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string((EXAMPLES / "neardup.service").read_text("utf-8"))
    service = unit["Service"]
    program, word, *options = service["ExecStart"].split()
    context = get_group(command_line(word)).commands[word].make_context(word, options)
    assert (Path(program).name, context.params["window"]) == ("neardup", "/var/lib/neardup/news.window")
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}"
    assert int(service["TimeoutStopSec"]) > STOP_SECONDS


def test_the_page_about_thresholds_names_the_file_that_answers_go_to():
    page = (ROOT / "docs" / "threshold.md").read_text("utf-8")
    (window,) = set(re.findall(r"(?:calibrate|serve) --window (\S+?)[`\n ]", page))
    assert f"Answers go to `{judged_file(window)}`" in page
    assert f"--truth {judged_file(window)} " in page
