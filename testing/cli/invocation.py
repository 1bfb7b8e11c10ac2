"""The command line in this process, its commands made once.

Typer makes all commands anew for every call of its own runner, which takes longer than most of what is tested so.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING
from unittest import mock

import typer.testing
from typer.main import get_command

from neardup.cli import command_line

if TYPE_CHECKING:
    from typer.testing import Result

_app = command_line()
_made = functools.cache(get_command)


def invoke(*words: object, input: str | None = None) -> Result:
    """What `neardup` with these words does in this process; an exception that it does not expect is raised."""
    with mock.patch.object(typer.testing, "_get_command", _made):
        done = typer.testing.CliRunner().invoke(_app, [*map(str, words)], input=input, prog_name="neardup")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done
