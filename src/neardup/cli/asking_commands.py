"""The commands that ask a window, in the order of the help."""

from __future__ import annotations

from neardup.cli.calibrate import calibrate
from neardup.cli.explain import explain
from neardup.cli.export import export
from neardup.cli.get import get
from neardup.cli.groups import groups
from neardup.cli.mcp import mcp
from neardup.cli.query import query
from neardup.cli.report import report
from neardup.cli.serve import serve

ASKING_COMMANDS = (query, get, export, explain, groups, report, serve, mcp, calibrate)
