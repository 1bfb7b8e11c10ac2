"""Which commands are made for which words."""

from __future__ import annotations

import pytest
from typer.main import get_group
from typer.testing import CliRunner

from neardup.cli.application import COMMANDS, GROUPS, command_line


def made(word: str) -> list[str]:
    return list(get_group(command_line(word)).commands)


@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS])
def test_only_the_command_that_is_named_is_made(name):
    assert made(name) == [name]


@pytest.mark.parametrize("word", ["", "--help", "grups", "build"])
def test_any_other_word_makes_them_all(word):
    assert made(word) == [*COMMANDS, *GROUPS]


@pytest.mark.parametrize("words", ["groups --help", "lexicon --help", "groups --windw w", "lexicon biuld"])
def test_a_command_says_the_same_alone_as_among_the_others(words):
    first, *rest = words.split()
    alone, among = (
        CliRunner().invoke(command_line(word), [first, *rest], prog_name="neardup") for word in (first, "")
    )
    assert (alone.exit_code, alone.output) == (among.exit_code, among.output)
