"""The commands that ask a window or change what is in it, in the order of the help."""

from __future__ import annotations

from neardup.cli.calibrate import calibrate
from neardup.cli.delete import delete
from neardup.cli.expire import expire
from neardup.cli.explain import explain
from neardup.cli.get import get
from neardup.cli.groups import groups
from neardup.cli.mcp import mcp
from neardup.cli.query import query
from neardup.cli.reconcile import reconcile
from neardup.cli.report import report
from neardup.cli.resign import resign
from neardup.cli.serve import serve

WINDOW_COMMANDS = (
    query, get, explain, groups, report, serve, mcp, calibrate, delete, expire, reconcile, resign,
)  # fmt: skip
