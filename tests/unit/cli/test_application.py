"""Which commands are made for which words."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group
from typer.testing import CliRunner

import neardup.cli
from neardup.cli.application import COMMANDS, GROUPS, command_line
from neardup.cli.config import RECIPE_KEYS, SETTING_KEYS


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


def every_command() -> dict[str, Any]:
    commands: dict[str, Any] = {}
    for name, command in get_group(command_line("")).commands.items():
        commands |= {f"{name} {word}": each for word, each in getattr(command, "commands", {}).items()} or {
            name: command
        }
    return commands


@pytest.mark.parametrize("words", every_command())
def test_an_option_with_one_value_is_refused_if_it_is_given_twice(words):
    for option in every_command()[words].params:
        if option.param_type_name == "argument" or option.multiple or option.is_flag:
            continue
        for name in option.opts:
            given = f"{words} {name} 1 {option.opts[0]} 2"
            done = CliRunner().invoke(command_line(words.split()[0]), given.split(), env={"COLUMNS": "200"})
            assert (done.exit_code, "it is given 2 times, and takes one value" in done.stderr) == (2, True)


def test_options_that_may_be_given_twice_and_flags_are_taken(tmp_path):
    words = ["explain", "--text", "Rain.", "--text", "Snow.", "--force", "--force"]
    done = CliRunner(env={"NEARDUP_WINDOW": str(tmp_path)}).invoke(command_line("explain"), words)
    assert done.exit_code == 0


@functools.cache
def commands_that_give_their_locals() -> dict[str, ast.FunctionDef]:
    files = Path(neardup.cli.__file__).parent.glob("*.py")
    functions = (
        node for path in files for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    )  # fmt: skip
    return {
        each.name: each for each in functions if "configuration(config_file, locals())" in ast.unparse(each)
    }


def assigned_in(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]


def test_commands_give_their_locals():
    assert len(commands_that_give_their_locals()) > 8


@pytest.mark.parametrize("name", commands_that_give_their_locals())
def test_a_variable_of_a_command_is_not_taken_for_an_option(name):
    parameters = commands_that_give_their_locals()[name].args
    options = {each.arg for each in (*parameters.args, *parameters.kwonlyargs)}
    assert {*assigned_in(commands_that_give_their_locals()[name])} & {*SETTING_KEYS, *RECIPE_KEYS} <= options
