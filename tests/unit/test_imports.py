"""The directions of ARCHITECTURE.md: values, index, window, cluster, use, entry points; nothing imports upwards."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("imports")  # so that the modules are read once
PACKAGE = Path(__file__).parents[2] / "src" / "neardup"
CLI = ("neardup.cli", "neardup.__main__")
ARCHITECTURE = PACKAGE.parents[1] / "ARCHITECTURE.md"
BETWEEN_ROOMS = ("neardup", "neardup.opening", "neardup.__main__")
"""Files of the top level that import others."""
MOST_ARROWS = 132
"""How many imports there may be from one room to another."""


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def modules() -> dict[str, list[ast.AST]]:
    """What each module is made of."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {module_name(path): list(ast.walk(ast.parse(path.read_text("utf-8")))) for path in files}


def imported(nodes: list[ast.AST]) -> Iterator[str]:
    """Every module named by an import, at the top or inside a function, for types only or not."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def importers(wanted: tuple[str, ...]) -> set[str]:
    return {
        name for name, nodes in modules().items() if any(within(other, wanted) for other in imported(nodes))
    }


def test_the_package_was_found():
    assert len(modules()) > 20


def room(module: str) -> str:
    """The package that a module belongs to, a part of `elastic` for itself; a file of the top level is a room."""
    parts = module.split(".")
    deep = 3 if parts[1:2] == ["elastic"] and len(parts) > 3 else 2
    return ".".join(parts[:deep])


def arrows() -> dict[str, set[str]]:
    """The rooms that each room imports from."""
    found: dict[str, set[str]] = {room(name): set() for name in modules()}
    for name, nodes in modules().items():
        known = {other for other in imported(nodes) if other in modules() and other != "neardup"}
        found[room(name)] |= {room(other) for other in known} - {room(name)}
    return found


def test_no_room_imports_in_a_circle():
    """`neardup` itself names what is public, wherever it is; so it stands above all but the command line."""
    TopologicalSorter(arrows()).prepare()


def test_rooms_import_only_what_the_map_has_above_them():
    rows = re.findall(r"^\| `((?:\w+/)+)` \|", ARCHITECTURE.read_text("utf-8"), re.MULTILINE)
    names = [f"neardup.{row.strip('/').replace('/', '.')}" for row in rows]
    found = arrows()
    below = {
        (name, other) for at, name in enumerate(names) for other in names[at:] if other in found.get(name, ())
    }
    assert {name for name, others in found.items() if others} <= {*names, *BETWEEN_ROOMS}
    assert below == set()


def test_there_are_few_ways_from_room_to_room():
    assert sum(map(len, arrows().values())) <= MOST_ARROWS


def test_no_module_imports_more_than_twelve_of_ours():
    """But `neardup`, which names what is public."""
    many = {}
    for name, nodes in modules().items():
        ours = {other for other in imported(nodes) if other in modules()} - {name}
        packages = {other for other in ours if any(deeper.startswith(f"{other}.") for deeper in ours)}
        if len(ours - packages) > 12 and name != PACKAGE.name:
            many[name] = len(ours - packages)
    assert many == {}


def test_no_file_is_longer_than_four_hundred_lines():
    files = {path: len(path.read_text("utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    long = {path.relative_to(PACKAGE).as_posix() for path, length in files.items() if length > 400}
    assert long == set()


OPTION_LISTS = ("calibrate", "check", "dedup", "evaluate", "ingest", "setup", "watch")
"""Commands: their length is that of their options."""


def test_no_function_is_longer_than_sixty_lines_but_lists_of_options():
    lengths = {
        node.name: (node.end_lineno or 0) - node.lineno + 1
        for nodes in modules().values()
        for node in nodes
        if isinstance(node, ast.FunctionDef)
    }
    assert {name for name, length in lengths.items() if length > 60} <= set(OPTION_LISTS)


def test_only_the_command_line_imports_typer_and_rich():
    assert {name for name in importers(("typer", "rich", "click")) if not within(name, CLI)} == set()


def test_only_the_client_imports_elasticsearch():
    assert importers(("elasticsearch", "elastic_transport")) == {"neardup.elastic.http.client"}


def test_only_the_http_client_and_its_calls_send_requests():
    sending = {
        room(name)
        for name, nodes in modules().items()
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "request"
    }
    assert sending == {"neardup.elastic.http"}


def test_only_the_clock_asks_what_time_it_is():
    clocks = {"time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
    asking = {
        name
        for name, nodes in modules().items()
        for node in nodes
        if isinstance(node, ast.Attribute) and ast.unparse(node) in clocks
    }
    assert asking | importers(("time.time", "time.time_ns")) == {"neardup.model.clock"}


@pytest.mark.parametrize(
    ("part", "below"),
    [
        ("http", set()),
        ("admin", {"http"}),
        ("window", {"http", "admin"}),
        ("reindex", {"http"}),
        ("watch", {"http", "admin", "window", "reindex"}),
    ],
)
def test_the_parts_of_the_cluster_import_one_way(part, below):
    elastic = "neardup.elastic."
    imports = {name.removeprefix(elastic) for name in arrows()[elastic + part] if name.startswith(elastic)}
    assert imports <= below


def test_only_the_command_line_prints():
    printing = {
        name
        for name, nodes in modules().items()
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    }
    assert {name for name in printing if not within(name, CLI)} == set()


def run_and_check(command, check, **where):
    """Runs the command line in a process of its own, then the line `check`, which may look at `sys.modules`."""
    script = (
        "import sys\n"
        f"sys.argv = ['neardup', *{command!r}]\n"
        "from neardup.cli import command_line\n"
        "try: command_line()()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        f"{check}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, **where
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "command", [["--help"], ["ingest", "--help"], ["lexicon", "build", "--help"], ["version"]]
)
def test_help_waits_for_nothing_heavy(command):
    heavy = "{'numpy', 'neardup.kernels', 'orjson', 'xxhash', 'zstandard'} & set(sys.modules)"
    run_and_check(command, f"heavy = {heavy}; assert not heavy, heavy")
