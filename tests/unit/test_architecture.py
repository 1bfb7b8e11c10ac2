"""ARCHITECTURE.md and docs/modules.md are maps of the code that is there: every module once, no file that is not."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "neardup"
JAVA = ROOT / "plugin" / "src" / "main" / "java"
MAP = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
PAGE = (ROOT / "docs" / "modules.md").read_text("utf-8")
MOST_LINES = 200
"""Of the map: what a newcomer reads in ten minutes."""
SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^- `([\w.]+)`: \S", re.MULTILINE)
FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.\w+)`")
FOLDER = re.compile(r"`((?:[\w.-]+/)+)`")
PYTHON_HEADING = re.compile(r"`(?:src/neardup/|((?:\w+/)+))`: ")
JAVA_HEADING = re.compile(r"`plugin/`, `org\.neardup\.(\w+)`: ")


def python_lines() -> Counter[str]:
    """How often each module has a line, by its path in the package."""
    lines: Counter[str] = Counter()
    for heading, text in SECTION.findall(PAGE):
        if folder := PYTHON_HEADING.match(heading):
            lines.update(f"{folder[1] or ''}{name}" for name in LINE.findall(text))
    return lines


def java_lines() -> Counter[str]:
    """The same for the classes of the plugin, by package and name."""
    lines: Counter[str] = Counter()
    for heading, text in SECTION.findall(PAGE):
        if package := JAVA_HEADING.match(heading):
            lines.update(f"{package[1]}/{name}" for name in LINE.findall(text))
    return lines


def test_every_module_has_one_line():
    modules = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")}
    packages = {name for name in modules if name.endswith("/__init__.py")}
    assert python_lines() == Counter(modules - packages)


def test_every_package_has_a_heading():
    packages = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")} - {
        ".",
        "elastic",
    }
    headed = {
        folder[1].strip("/")
        for heading, _ in SECTION.findall(PAGE)
        if (folder := PYTHON_HEADING.match(heading)) and folder[1]
    }
    assert headed == packages


def test_every_file_of_the_kernels_has_one_line():
    heading = "## The kernels in C: `native/`"
    text = PAGE[PAGE.index(heading) :].partition("\n## ")[0]
    files = {path.name for path in (ROOT / "native").iterdir() if path.is_file()}
    assert Counter(LINE.findall(text)) == Counter(files)


def test_every_class_of_the_plugin_has_one_line():
    roots = [JAVA, *JAVA.parents[1].glob("layers/*/java")]
    classes = {
        path.relative_to(root / "org" / "neardup").with_suffix("").as_posix()
        for root in roots
        for path in root.rglob("*.java")
    }
    assert java_lines() == Counter(name for name in classes if not name.endswith("/package-info"))


def test_every_package_is_a_room_of_the_map():
    rooms = set(re.findall(r"^\| `((?:\w+/)+)` \|", MAP, re.MULTILINE))
    headed = {folder[1] for heading, _ in SECTION.findall(PAGE) if (folder := PYTHON_HEADING.match(heading))}
    assert {folder for folder in headed if folder} <= rooms


@pytest.mark.parametrize("page", [MAP, PAGE], ids=["map", "modules"])
@pytest.mark.parametrize("pattern", [FILE, FOLDER], ids=["file", "folder"])
def test_what_is_named_is_there(page, pattern):
    named = set(pattern.findall(page))
    assert len(named) > 4
    assert {name for name in named if not any((base / name).exists() for base in (ROOT, PACKAGE))} == set()


def test_the_map_is_short():
    assert len(MAP.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", [MAP, PAGE], ids=["map", "modules"])
def test_lines_are_not_too_long(page):
    assert [line for line in page.splitlines() if len(line) > 120 and not line.startswith("|")] == []


def test_the_words_of_the_glossary_are_in_order():
    words = re.findall(r"^\| ([^|]+) \|", MAP.partition("## Glossary")[2], re.MULTILINE)[2:]
    assert len(words) > 30
    assert words == sorted(words)
