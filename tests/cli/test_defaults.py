"""A default that a help text names is the one that counts."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from typing import Any, get_args, get_type_hints

import pytest

from neardup.cli import application, context
from neardup.cli.lexicon import build
from neardup.model.settings import (
    DEFAULT_POLL_SECONDS,
    LARGE_BATCH,
    SMALL_BATCH,
    Recipe,
    Settings,
)

COMMANDS: dict[str, Callable[..., Any]] = {
    each.callback.__name__: each.callback
    for each in application.command_line().registered_commands
    if each.callback
}
COMMANDS["lexicon build"] = build


def option(command: str, name: str) -> Any:
    """What typer is told of the option that becomes the parameter `name`."""
    return get_args(get_type_hints(COMMANDS[command], include_extras=True)[name])[1]


def default_of(command: str, name: str) -> object:
    return inspect.signature(COMMANDS[command]).parameters[name].default


SETTINGS = [
    (command, name)
    for command, function in COMMANDS.items()
    for name in inspect.signature(function).parameters
    if name in (*vars(Settings()), *vars(Recipe())) and name not in ("recipe", "routes")
]


@pytest.mark.parametrize(("command", "name"), SETTINGS)
def test_an_option_for_a_setting_shows_the_default_of_the_setting(command, name):
    default = vars(Settings()).get(name, vars(Recipe()).get(name))
    words = {
        None: (
            "all",
            "by threshold",
            "as --window-hours",
            "the one that ships",
            "none",
            "keep, in a directory",
            "1024; 256 if all matches are listed, or each document is a search",
        ),
        0: ("no limit",),
    }
    if name == "fold_case":
        assert option(command, name).show_default == ("fold" if default else "keep")
    elif command == "resign" and name == "reach":
        assert "the window's" in option(command, name).show_default  # what it is depends on the window
    elif isinstance(default, tuple):
        assert option(command, name).show_default == ", ".join(default)
    elif isinstance(default, bool):
        assert option(command, name).show_default == ("yes" if default else "no")
    elif default is None or option(command, name).show_default in words.get(default, ()):
        assert option(command, name).show_default in words[default]
    else:
        assert option(command, name).show_default.replace(",", "") == str(default)


def test_how_many_documents_are_worked_at_once_is_as_shown():
    counts = LARGE_BATCH, SMALL_BATCH
    shown = option("ingest", "batch_documents").show_default
    assert shown == option("watch", "batch_documents").show_default
    assert counts == tuple(int(number) for number in re.findall(r"\d+", shown))


def test_there_are_many_such_options():
    assert len(SETTINGS) >= 40


def test_fields_are_called_as_the_reader_calls_them():
    from neardup.sources.fields import Fields

    fields = Fields()
    assert option("ingest", "id_field").show_default == fields.id
    assert option("ingest", "text_field").show_default == fields.text
    *first, last = fields.time
    assert option("ingest", "time_field").show_default == f"{', '.join(first)} or {last}"


def test_the_window_and_the_file_of_settings_are_called_as_they_are_looked_for():
    from neardup.cli.config import FILE_NAME

    assert option("ingest", "window").show_default == context.DEFAULT_WINDOW
    assert option("ingest", "config_file").show_default == FILE_NAME


def test_setup_shows_the_defaults_of_a_window_in_a_cluster():
    from neardup.elastic.admin.managed_objects import MAX_LENGTH, TEXT_FIELD, TIME_FIELD

    assert option("setup", "longest_signed").show_default == f"{MAX_LENGTH:,}"
    assert option("setup", "text_field").show_default == TEXT_FIELD
    assert option("setup", "time_field").show_default == TIME_FIELD


def test_evaluate_shows_the_words_that_mean_a_copy():
    from neardup.evaluation.truth import COPY

    assert set(option("evaluate", "copy_label").show_default.split(", ")) == COPY | {"1"}


def test_watch_and_the_lexicon_have_the_defaults_of_the_library():
    from neardup.elastic.watch.watcher import Watcher

    parameters = inspect.signature(Watcher).parameters
    assert parameters["poll"].default == default_of("watch", "poll") == DEFAULT_POLL_SECONDS
    assert option("lexicon build", "sample").show_default == f"{default_of('lexicon build', 'sample'):,}"


def test_numbers_in_sentences_are_those_of_the_settings():
    from neardup.cli.pipeline import MOST_INCOMPLETE

    about = " ".join((application.neardup.__doc__ or "").split())
    assert f"at least the threshold ({Settings().threshold})" in about
    text = " ".join((COMMANDS["ingest"].__doc__ or "").split())
    assert f"more than {100 * MOST_INCOMPLETE:.0f} % of the documents" in text
    assert f"a new window of {Settings().window_hours} hours" in text


def test_the_time_that_is_read_and_that_of_a_window_are_told_apart():
    """`ingest` named three default fields of the time, and `setup` another one, and both called it the same."""
    for command in ("ingest", "check"):
        assert (
            "In files for a cluster, the window's own comes before these"
            in option(command, "time_field").help
        )
    assert "Field in which documents of the window have their time" in option("setup", "time_field").help


def test_the_help_of_delete_says_that_an_index_scored_in_place_loses_the_document():
    text = " ".join((COMMANDS["delete"].__doc__ or "").split())
    assert "if the window scores an index in place, it is deleted from that index" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_parses_makes_a_call_and_prints(name):
    """At most twenty lines beside the list of options, the help text and the imports that nobody is to wait for."""
    (function,) = ast.parse(inspect.getsource(COMMANDS[name])).body
    assert isinstance(function, ast.FunctionDef)
    body = [node for node in function.body[1:] if not isinstance(node, ast.Import | ast.ImportFrom)]
    lines = {line for node in body for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    assert len(lines) <= 20, name
