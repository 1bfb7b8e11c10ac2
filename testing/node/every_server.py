"""The plugin built for every server of `plugin/versions.tsv`, and the node tests run on each: docs/versions.md.

    python -m testing.node.every_server [9.5.3 ...]

Without names, all of them run, which takes half an hour each. A server that was not run keeps its line in the page.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
import sys
from typing import Final, NamedTuple

from testing.node.java import Missing, distribution, plugin_zip, reports
from testing.node.servers import CHOICE, ROOT, SERVERS, Server, server_of

PAGE: Final = ROOT / "docs" / "versions.md"
BEGIN: Final = "<!-- begin: make versions -->"
END: Final = "<!-- end: make versions -->"
HEAD: Final = "| server | plugin built, its own tests | tests on a node | on |\n| --- | --- | --- | --- |\n"

_RESULT: Final = re.compile(
    r"^=*\s*((?:\d+ (?:passed|failed|skipped|errors?|xfailed)(?:, )?)+)", re.MULTILINE
)


class Line(NamedTuple):
    """The results of a server."""

    built: str
    tests: str
    day: str


def lines() -> dict[str, Line]:
    """The lines of the page, by the server's title."""
    cells = (row.strip("| ").split(" | ") for row in _table().splitlines()[2:])
    return {title: Line(*rest) for title, *rest in cells}


def record(server: Server, built: str, tests: str, day: str | None = None) -> None:
    """Writes the results into the page; servers that are no longer in the list are removed from it."""
    known = {
        **lines(),
        str(server): Line(built, tests, day or dt.datetime.now(dt.UTC).date().isoformat()),
    }
    rows = [f"| {title} | {' | '.join(known[title])} |\n" for title in map(str, SERVERS) if title in known]
    page = PAGE.read_text("utf-8")
    PAGE.write_text(page.replace(_table(), HEAD + "".join(rows)), "utf-8")


def _table() -> str:
    return PAGE.read_text("utf-8").partition(BEGIN + "\n")[2].partition(END)[0]


def build(server: Server) -> str:
    """The result of the build."""
    try:
        plugin_zip(server)
    except RuntimeError as error:
        said = [line for line in str(error).splitlines() if line.startswith("[ERROR]")]
        return f"no: {said[0].removeprefix('[ERROR] ') if said else 'see Maven'}"
    counts = [
        re.search(r'tests="(\d+)" errors="(\d+)".* failures="(\d+)"', path.read_text())
        for path in reports(server)
    ]
    ran, errors, failures = (sum(int(found[i]) for found in counts if found) for i in (1, 2, 3))
    return f"yes, {ran:,} passed" if not errors + failures else f"yes, {errors + failures} of {ran:,} failed"


def run(server: Server) -> str:
    """The result of the tests on a node, in pytest's words."""
    try:
        distribution(server)
    except Missing:
        return "not run: no distribution can be had"
    environment = {**os.environ, CHOICE: server.name, "NEARDUP_REQUIRE_NODE": "1", "NEARDUP_TEST_LONG": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-m", "node"]
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    found = _RESULT.findall(done.stdout)
    return found[-1].removesuffix(", ") if found else f"pytest ended with {done.returncode}"


def main() -> None:
    """Build and test the named servers, or all, and write the results into the page."""
    for server in map(server_of, sys.argv[1:]) if sys.argv[1:] else SERVERS:
        built = build(server)
        record(server, built, run(server) if built.startswith("yes") else "not run")


if __name__ == "__main__":
    main()
