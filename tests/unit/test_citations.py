"""Every page that the project cites is one that its reader has, and every section of the definitions that it names."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEFINITIONS = ROOT / "docs" / "definitions.md"
ROOMS = ("src", "plugin/src", "docs", "tests", "benchmarks", "scripts")
READ = {".py", ".java", ".md", ".toml"}
WRITTEN = {"report.md"}
"""What a command writes, wherever the user wants it."""
PAGE = re.compile(r"[\w./-]+\.md\b")
SECTION = re.compile(r"docs/definitions\.md, (\S+(?: \S+)?)")
LINE_END = re.compile(r"\s*\n\s*(?:[*#]+ )?")


def pages() -> set[str]:
    """Every page of the project, by its path in it."""
    found = [*ROOT.glob("*.md"), *(ROOT / "plugin").glob("*.md")]
    found += [path for room in ROOMS for path in (ROOT / room).rglob("*.md")]
    return {path.relative_to(ROOT).as_posix() for path in found}


def sources() -> list[str]:
    found = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in READ]
    found += [*ROOT.glob("*.md"), ROOT / "plugin" / "README.md", ROOT / "Makefile", ROOT / "pyproject.toml"]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def prose(name: str) -> str:
    """What a file says to its reader; of a test the comments and docstrings, for its strings are data."""
    text = (ROOT / name).read_text("utf-8")
    if ".md" not in text:  # it cites nothing
        return ""
    if name.startswith("tests/") and name.endswith(".py"):
        text = "\n".join([*docstrings(text), *comments(text)])
    return LINE_END.sub(" ", text)


def docstrings(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def comments(code: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def headings() -> list[str]:
    return re.findall(r"^##+ (.+)$", DEFINITIONS.read_text("utf-8"), re.MULTILINE)


def test_every_page_that_is_cited_is_there():
    known = pages()
    cited = {(name, page.removeprefix("/")) for name in sources() for page in PAGE.findall(prose(name))}
    assert len(cited) > 50

    def is_there(name: str, page: str) -> bool:
        beside = (ROOT / name).parent / page
        return page in WRITTEN or beside.exists() or any(f"/{each}".endswith(f"/{page}") for each in known)

    assert not {(name, page) for name, page in cited if not is_there(name, page)}


def test_every_section_of_the_definitions_that_is_cited_is_there():
    known = headings()
    cited = {(name, section) for name in sources() for section in SECTION.findall(prose(name))}
    assert len(cited) > 10
    assert not {(name, section) for name, section in cited if not section.startswith(tuple(known))}


def test_every_link_within_the_definitions_leads_somewhere():
    anchors = {heading.lower().replace(" ", "-") for heading in headings()}
    links = set(re.findall(r"\]\(#([^)]*)\)", DEFINITIONS.read_text("utf-8")))
    assert links
    assert links <= anchors


def test_the_index_names_every_page_of_docs():
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    named = set(re.findall(r"^- \[[^]]*\]\(([^)]*)\): \S", index, re.MULTILINE))
    assert named == {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    for page in ("README.md", "ARCHITECTURE.md"):
        assert "docs/README.md" in (ROOT / page).read_text("utf-8")
