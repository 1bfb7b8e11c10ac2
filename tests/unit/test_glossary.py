"""The glossary of ARCHITECTURE.md: one word for one meaning, in the package, in the plugin, and in the pages.

Names that were retired stay retired. A word may live on where it means something else (a signal has a number, a sort an
order), so each is retired where it had the meaning that another word has now.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "neardup"
PLUGIN = ROOT / "plugin" / "src" / "main"
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
PAGES = [ARCHITECTURE, *sorted((ROOT / "docs").glob("*.md"))]
GLOSSARY = ARCHITECTURE.read_text("utf-8").partition("## Glossary")[2]

EVERYWHERE = ("",)
OF_DOCUMENTS = (
    "index/",
    "kernels/",
    "stores/",
    "window/",
    "elastic/",
    "model/verdict.py",
    "model/decision.py",
)
"""Where documents have docs and arrivals."""


class Retired(NamedTuple):
    """What stands for a name now, and below which parts of the package it must not be defined."""

    now: str
    within: tuple[str, ...] = EVERYWHERE


RETIRED = {
    # a document in memory, and in order of arrival
    "number": Retired("doc", OF_DOCUMENTS),
    "numbers": Retired("docs", ("index/", "stores/", "window/", "elastic/window/")),
    "number_of": Retired("doc_of"),
    "numbers_of_orders": Retired("positions_of"),
    "number_rows": Retired("set_arrivals"),
    "head_number": Retired("head_doc"),
    "head_order": Retired("head_arrival"),
    "orders": Retired("arrivals", OF_DOCUMENTS),
    "identity": Retired("id"),
    "identities": Retired("ids"),
    # what is known of a document
    "sieve": Retired("bitmap"),
    "sieves": Retired("bitmaps"),
    "sieved": Retired("with_bitmap"),
    "sieves_among": Retired("bitmaps_among"),
    "sieve_words": Retired("BITMAP_WORDS"),
    "apart": Retired("set_aside"),
    "is_apart": Retired("is_set_aside"),
    "was_apart": Retired("was_set_aside"),
    "routed": Retired("set_aside"),
    "place": Retired("ref of a document, position or index in a list, directory"),
    "places": Retired("refs, positions, directories"),
    "placed": Retired("assign_offsets"),
    # groups
    "settle": Retired("update_stands"),
    "settle_anew": Retired("rebuild_stands"),
    "settled": Retired("update_stands"),
    "settled_floor": Retired("stands_floor"),
    "heir": Retired("successor"),
    "heirs": Retired("successors"),
    # documents and hours that leave
    "gone": Retired("expired, dead, missing"),
    "bury": Retired("mark_dead"),
    "bury_before": Retired("mark_dead_before"),
    "bury_expired": Retired("mark_expired_dead"),
    "give_up_half": Retired("evict_half"),
    "room": Retired("free_documents, free_hours"),
    "check_room": Retired("check_free_hours, check_free_directory"),
    # a window in a cluster
    "content": Retired("state", ("elastic/", "cli/cluster.py")),
    "turn": Retired("epoch"),
    "turns": Retired("epochs"),
    "gap": Retired("aborted"),
    "gaps": Retired("aborted"),
    "take_back": Retired("roll_back"),
    "site": Retired("ElasticContext"),
    "maker": Retired("Composer"),
    "scheme": Retired("WindowConfig", ("elastic/window/", "elastic/watch/", "elastic/admin/")),
    # what says nothing of what it is
    "asked": Retired("query, wanted"),
    "asked_rule": Retired("partial_rule_for_query"),
    "told": Retired("verdicts, summaries"),
    "tell": Retired("at_once"),
    "found": Retired("what was found"),
    "taken": Retired("what it is"),
    "minimums": Retired("min_shared"),
    "features": Retired("SignedQueryBatch", ("index/", "window/", "elastic/")),
    "joined_features": Retired("joined_batches"),
}
"""Names in small letters, words joined by _, whatever they were: a class, a function, a constant, a variable."""

ALLOWED = {
    ("errors.py", "found"): "attributes of public exceptions, and parts of their messages",
    ("model/finding.py", "found"): "a field of every check's finding",
}
STORED = {"gaps", "identity", "order", "sieve", "turn"}
"""Names of stored fields, which pages may give: windows that were written by them are read."""

RETIRED_CLASSES = {
    "EmbeddedWindow": "WindowEngine",
    "Features": "SignedQueryBatch",
    "Content": "StateDocument",
    "Door": "ErrorReportingGroup",
    "Found": "ForeignDocument",
    "Inquiry": "AdHocQuery",
    "Kept": "VerdictPayload",
    "Lag": "Backlog",
    "Outlets": "Sinks",
    "Place": "DocumentRef",
    "Post": "LeaderDocument",
    "Scheme": "WindowConfig",
    "Site": "ElasticContext",
    "Tuning": "EvaluatedSettings",
    "TurnLost": "LeaseLost",
    "Waiting": "BacklogReader",
    "WayOut": "OutputOptions",
    "WholeFields": "FieldsKeepingRest",
}
"""Classes of the package, with what stands for them now."""
RETIRED_IN_PLUGIN = {
    "Room": "MemoryCheck",
    "Like": "LikeSource",
    "Question": "QueryParams",
    "Signed": "IndexSigning",
    "Sought": "QueryGrams",
    "QGramSets": "QGramSet",
    "NeardupQuery": "NearDuplicateQuery",
    "SegmentMatches": "SegmentMatchIterator",
    "ShardQuery": "ShardQueryFactory",
}
"""Classes of the plugin, likewise; its constants STANDARD_… went, too."""
JAVA_CLASS = re.compile(r"\b(?:class|interface|enum|record|@interface) +(\w+)")
JAVA_CONSTANT = re.compile(r"\bSTANDARD_\w*")
QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
MODULE = re.compile(r"(?:\w+/)+\w+\.py|\w+\.py")


def plain(name: str) -> str:
    """`name` as in the table: `_HeadOrder` and `HEAD_ORDER` are head_order."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return words.strip("_").lower()


def defined(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that a module gives to something, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.arg():
                yield node.arg, node.lineno
            case ast.Name(ctx=ast.Store()):
                yield node.id, node.lineno
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr, node.lineno
            case ast.alias(asname=str(name)):
                yield name, node.lineno
            case (
                ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.ExceptHandler(name=str(name))
            ):
                yield name, node.lineno


def retired_names(path: str, source: str) -> list[str]:
    """The retired names that the module at `path` in the package defines, each with its line and what to say now."""
    return [
        f"{path}:{line}: {name} is {retired.now} now"
        for name, line in defined(ast.parse(source))
        if (retired := RETIRED.get(plain(name))) is not None
        and path.startswith(retired.within)
        and (path, plain(name)) not in ALLOWED
    ]


def retired_classes(source: str) -> list[str]:
    """The retired classes and constants that a source of the plugin names."""
    return [name for name in JAVA_CLASS.findall(source) if name in RETIRED_IN_PLUGIN] + JAVA_CONSTANT.findall(
        source
    )


def retired_words(page: str) -> list[str]:
    """The retired names that a page has in backticks."""
    words = [
        word
        for quoted in QUOTED.findall(page)
        if re.fullmatch(r"[\w.]+", quoted)
        for word in quoted.split(".")
    ]
    return [
        word
        for word in words
        if word not in STORED
        and (
            word in RETIRED_CLASSES | RETIRED_IN_PLUGIN
            or ((kind := RETIRED.get(plain(word))) is not None and kind.within == EVERYWHERE)
        )
    ]


def test_no_retired_name_is_defined_in_the_package():
    names = [
        name
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in retired_names(path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8"))
    ]
    assert names == []


def test_what_is_allowed_is_needed():
    there = {
        (path, plain(name))
        for path, _ in ALLOWED
        for name, _ in defined(ast.parse((PACKAGE / path).read_text("utf-8")))
    }
    assert ALLOWED.keys() <= there


@pytest.mark.parametrize(
    "source",
    [
        "class Sieve: ...",
        "SIEVE_WORDS = 4",
        "def join(doc, head_order): ...",
        "def f(*, number=0): ...",
        "lambda identity: 1",
        "self._settled_floor = 0",
        "for _, place in rows: ...",
        "places = [gone for gone in rows]",
        "from a import b as told",
        "with a as room: ...",
        "match a:\n    case [found]: ...",
        "class A:\n    asked: int",
    ],
)
def test_a_retired_name_that_comes_back_is_seen(source):
    assert retired_names("window/new.py", source)


def test_a_word_in_another_meaning_is_not():
    assert retired_names("cli/new.py", "number = content = 1") == []
    assert retired_names("window/new.py", "order = in_place = row.n_sieve = a(place=self.place)") == []


def test_no_retired_class_is_in_the_plugin():
    sources = sorted(PLUGIN.rglob("*.java"))
    assert len(sources) > 20
    assert {
        source.name: names for source in sources if (names := retired_classes(source.read_text("utf-8")))
    } == {}
    assert retired_classes("final class Room {}\nint STANDARD_Q = 4;") == ["Room", "STANDARD_Q"]


def test_what_replaced_a_class_of_the_plugin_is_there():
    assert set(RETIRED_IN_PLUGIN.values()) <= {source.stem for source in PLUGIN.rglob("*.java")}


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_no_page_names_a_retired_one(page):
    assert retired_words(page.read_text("utf-8")) == []


def test_a_page_that_names_one_is_seen():
    assert retired_words("see `Room`, `table.settle` and `head_order`; stored as `order`, `sieve`") == [
        "Room",
        "settle",
        "head_order",
    ]


@cache
def classes() -> set[str]:
    """Every class of the package."""
    trees = (ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py"))
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def test_no_retired_class_is_in_the_package():
    assert classes() & RETIRED_CLASSES.keys() == set()


def test_what_replaced_a_class_is_there():
    assert set(RETIRED_CLASSES.values()) - classes() == set()


NAMED_AFTER = {
    "backlog": "Backlog",
    "bitmap filter": "kernels/bitmap_filter.py",
    "candidate": "Candidates",
    "crowd": "Crowds",
    "doc_q": "signing/doc_q.py",
    "epoch": "elastic/window/epoch.py",
    "group, head, member": "Group",
    "hour": "model/hours.py",
    "lease": "Lease",
    "lexicon": "Lexicon",
    "match": "Match",
    "overlap": "Overlap",
    "part": "Part",
    "payload": "VerdictPayload",
    "posting list": "PostingLists",
    "recipe": "Recipe",
    "row": "stores/records.py",
    "settings": "Settings",
    "signature": "Signature",
    "store": "Store",
    "undo log": "UndoLog",
    "verdict": "Verdict",
}
"""The words of the glossary that name a class or a module, with that."""


@pytest.mark.parametrize("word", NAMED_AFTER)
def test_a_word_of_the_glossary_that_names_code_has_it(word):
    assert f"\n| {word} |" in GLOSSARY
    code = NAMED_AFTER[word]
    assert (PACKAGE / code).is_file() if code.endswith(".py") else code in classes()


def test_code_that_the_glossary_quotes_is_there():
    quoted = QUOTED.findall(GLOSSARY)
    assert [name for name in quoted if MODULE.fullmatch(name) and not (PACKAGE / name).is_file()] == []
    assert {name for name in quoted if re.fullmatch(r"[A-Z]\w*", name)} - classes() == set()
