"""The directions of ARCHITECTURE.md: values, then engines, then use, then doors; nothing imports upwards."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "neardup"
DOORS = ("neardup.cli", "neardup.__main__")
WATCHING = ("neardup.watching",)
USE = (
    "neardup.sources",
    "neardup.config",
    "neardup.sampling",
    "neardup.doctor",
    "neardup.evaluation",
    *WATCHING,
)
ENGINES = ("neardup.engines",)
CLUSTER = ("neardup.cluster",)


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def imported(tree: ast.Module) -> Iterator[str]:
    """Every module named by an import, at the top or inside a function, for types only or not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def importers(wanted: tuple[str, ...]) -> set[str]:
    return {name for name, tree in MODULES.items() if any(within(other, wanted) for other in imported(tree))}


def test_the_package_was_found():
    assert len(MODULES) > 20


def test_only_the_command_line_imports_typer_and_rich():
    assert {name for name in importers(("typer", "rich", "click")) if not within(name, DOORS)} == set()


def test_nothing_imports_the_doors():
    assert {name for name in importers(DOORS) if not within(name, DOORS)} == set()


def test_engines_and_values_do_not_import_what_uses_them():
    assert {name for name in importers(USE) if not within(name, DOORS + USE) and name != "neardup"} == set()


def test_values_do_not_import_engines():
    """Only the package's own `open`, what watches a window and the doors know the engines by name."""
    users = ENGINES + WATCHING + DOORS
    assert {name for name in importers(ENGINES) if not within(name, users) and name != "neardup"} == set()


def test_only_the_client_imports_elasticsearch():
    assert importers(("elasticsearch", "elastic_transport")) == {"neardup.cluster.client"}


def test_values_do_not_import_the_cluster():
    """Engines, doors and what uses them do; and the configuration knows what credentials are."""
    users = ENGINES + DOORS + USE + CLUSTER
    assert {name for name in importers(CLUSTER) if not within(name, users) and name != "neardup"} == set()


def test_the_cluster_does_not_import_engines():
    assert {name for name in importers(ENGINES) if within(name, CLUSTER)} == set()


def test_only_the_command_line_prints():
    printing = {
        name
        for name, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    }
    assert {name for name in printing if not within(name, DOORS)} == set()


def run_and_check(command, check, **where):
    """Runs the command line in a process of its own, then the line `check`, which may look at `sys.modules`."""
    script = (
        "import sys\n"
        f"sys.argv = ['neardup', *{command!r}]\n"
        "from neardup.cli import app\n"
        "try: app()\n"
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
    heavy = "{'numpy', 'numba', 'orjson', 'xxhash', 'zstandard'} & set(sys.modules)"
    run_and_check(command, f"heavy = {heavy}; assert not heavy, heavy")


@pytest.mark.parametrize("command", [["show", "--text", "Rain."], ["doctor", "--window", "none.window"]])
def test_looking_needs_no_kernel(command, tmp_path):
    run_and_check(command, "assert 'numba' not in sys.modules", cwd=tmp_path)
