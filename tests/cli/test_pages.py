"""The examples of the pages run, their links lead somewhere, and the page of settings is what is read."""

from __future__ import annotations

import doctest
import logging
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from testing.tour import PICTURES, SHOWN

from neardup.cli import config
from neardup.elastic.http.address import Credentials
from neardup.model.settings import Recipe, Settings
from neardup.oracle.definitions import sentences
from neardup.signing.doc_q import doc_q
from neardup.sources.fields import Fields

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), ROOT / "plugin/README.md", ROOT / "benchmarks/README.md"]
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CONFIGURATION = (DOCS / "configuration.md").read_text("utf-8")
ROWS = re.findall(r"^\| `([\w.]+)` \| (?:`(\w+)`)? *\| (.+?) \| .+ \|$", CONFIGURATION, re.MULTILINE)
"""Key, variable or "", default as shown."""
IN_WORDS = {
    "window": "`neardup.window`",
    "keep_hours": "as `window_hours`",
    "min_shared": "by threshold",
    "recipe.lexicon": "the one that ships",
    "keep_text": "in a directory",
    "batch_documents": "1,024; 256 if all matches are listed (`matches`), or each document is a search "
    "(`candidates` is `search` and `retrieval` is `complete`)",
}
"""Defaults that are no value of a field."""


@pytest.mark.parametrize(
    "name", ["concepts", "python", "embedded", "dedup", "threshold", "languages", "blind-spots"]
)
def test_the_examples_of_a_page_give_what_it_shows(name, place):
    page = DOCS / f"{name}.md"
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", page.read_text("utf-8"), re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(code, {}, name, str(page), 0)
    assert len(examples.examples) > (15 if name in ("concepts", "python") else 3)
    shown: list[str] = []
    done = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=shown.append)
    assert done.failed == 0, "".join(shown)


def test_what_the_page_on_languages_says_of_unseen_characters_is_so():
    page = (DOCS / "languages.md").read_text("utf-8")
    rows = re.findall(r"^\| (.*U\+.*) \| (1|below 1) \|", page, re.MULTILINE)
    assert {score for _, score in rows} == {"1", "below 1"}
    for row, score in rows:
        for first, last in re.findall(r"U\+([0-9A-F]{4})(?: to U\+([0-9A-F]{4}))?", row):
            for point in range(int(first, 16), int(last or first, 16) + 1):
                assert (doc_q(f"some{chr(point)} text", "some text") == 1) == (score == "1"), hex(point)


def test_the_page_on_languages_names_signs_that_end_no_sentence():
    page = (DOCS / "languages.md").read_text("utf-8")
    (row,) = re.findall(r"^\| `--partial` \| (.*) \|$", page, re.MULTILINE)
    points = [chr(int(digits, 16)) for digits in re.findall(r"U\+([0-9A-F]{4})", row)]
    assert len(points) == 4
    for sign in points:
        assert sentences(f"one{sign} two{sign} three{sign}") == [["one", "two", "three"]]
    assert len(sentences("one। two። three۔ four。 five؟ six")) == 6


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    for link in LINK.findall(page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert ":" in path or target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_the_tour_has_every_picture_and_no_other():
    page = (DOCS / "tour.md").read_text("utf-8")
    assert re.findall(r"\]\(pictures/(\w+)\.png\)", page) == list(SHOWN)
    assert {file.stem for file in PICTURES.iterdir()} == SHOWN.keys()


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def defaults() -> dict[str, Any]:
    """Every key that a file may have, dotted below the top level, with its default."""
    top = {field.name: field.default for field in fields(Settings) if field.name not in ("recipe", "show")}
    tables = {"recipe": Recipe, "fields": Fields, "elasticsearch": Credentials}
    below = {
        f"{table}.{field.name}": field.default for table, kind in tables.items() for field in fields(kind)
    }
    return {"window": None, **top, **below}


def shown(key: str, value: Any) -> str:
    if key in IN_WORDS:
        return IN_WORDS[key]
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{list(value)}`".replace("'", '"')
    return f"`{value}`"


def test_every_key_is_listed_with_its_default():
    assert {key: default for key, _, default in ROWS} == {
        key: shown(key, value) for key, value in defaults().items()
    }
    assert len(ROWS) == len(defaults())


@pytest.mark.parametrize(
    ("key", "default"), [(key, default) for key, _, default in ROWS if default != "none"]
)
def test_every_key_can_stand_in_the_file(key, default, tmp_path):
    table, _, name = key.rpartition(".")
    file = tmp_path / "neardup.toml"
    file.write_text((f"[{table}]\n" if table else "") + f"{name} = {written(key, default)}\n")
    assert config.load(file, {}).path == file


def written(key: str, default: str) -> str:
    """A value of `key` as the file has it: the default where it can be written."""
    value = {
        "batch_documents": "256",
        "keep_hours": "24",
        "keep_text": "true",
        "kinds": "true",
        "min_shared": "4",
        "recipe.lexicon": '"news.lexicon"',
    }.get(key, default.strip("`"))
    return value if re.match(r'[\["\d]|true|false', value) else f'"{value}"'


def test_every_variable_that_is_listed_is_read_and_no_other(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    Path("ca.pem").touch()
    secrets = {"NEARDUP_USERNAME": "me", "NEARDUP_PASSWORD": "secret", "NEARDUP_CA_CERTS": "ca.pem"}
    environ = secrets | {
        variable: written(key, default).strip('"[]')
        for key, variable, default in ROWS
        if variable and default != "none"
    }
    assert {*environ, "NEARDUP_API_KEY"} == {variable for _, variable, _ in ROWS if variable}
    found = config.load(None, {**environ, "NEARDUP_THREADS": "3"})
    assert (found.settings.threads, found.window, found.credentials.username) == (3, "neardup.window", "me")
    assert not caplog.records
    assert config.load(None, {"NEARDUP_API_KEY": "key"}).credentials.api_key == "key"
    others = {f"NEARDUP_{key.rpartition('.')[2].upper()}" for key, variable, _ in ROWS if not variable}
    with caplog.at_level(logging.WARNING, "neardup"):
        config.load(None, dict.fromkeys(others, "1"))
    assert len(caplog.records) == len(others) > 5
