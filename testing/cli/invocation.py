"""The command line in this process, with its commands made once.

Typer's own runner makes all commands again for every call, which takes longer than most of these tests.
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
    """The result of `neardup` with these arguments in this process; an unexpected exception is raised."""
    with mock.patch.object(typer.testing, "_get_command", _made):
        done = typer.testing.CliRunner().invoke(_app, [*map(str, words)], input=input, prog_name="neardup")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done
