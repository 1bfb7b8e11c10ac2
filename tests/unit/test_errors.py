"""The exception tree: one base, data as attributes, messages that name the value and the next step."""

import importlib
import pickle
import pkgutil
import re
from typing import Any

import pytest

import neardup
from neardup import errors
from neardup.model.times import parse_time

EXAMPLES = [
    (
        errors.ConfigError("neardup.toml", "thresold", "there is no setting 'thresold'"),
        {"name": "neardup.toml", "value": "thresold", "expected": "there is no setting 'thresold'"},
        "neardup.toml: there is no setting 'thresold'",
    ),
    (
        errors.OutputRefused("--output", "a.jsonl", "exists: --append adds to it"),
        {"option": "--output", "path": "a.jsonl", "reason": "exists: --append adds to it"},
        "--output a.jsonl exists: --append adds to it",
    ),
    (
        errors.OutputClosed(),
        {},
        "standard output is closed, so nothing can be printed: redirect it to a file or to /dev/null",
    ),
    (
        errors.SettingsError("threshold", 1.5, "above 0 and at most 1"),
        {"name": "threshold", "value": 1.5, "expected": "above 0 and at most 1"},
        "setting threshold is 1.5: it must be above 0 and at most 1",
    ),
    (
        errors.DocumentError("a", "no text"),
        {"id": "a", "reason": "no text"},
        "document 'a' cannot be used: no text",
    ),
    (
        errors.DocumentError(None, "no text"),
        {"id": None, "reason": "no text"},
        "a document without id cannot be used: no text",
    ),
    (
        errors.UnknownDocument("a"),
        {"id": "a"},
        "no document 'a' in this window: it is not stored, has expired or has no verdict",
    ),
    (
        errors.RecipeMismatch("news.window", "neardup-1:q4", "neardup-2:q4"),
        {"where": "news.window", "found": "neardup-1:q4", "expected": "neardup-2:q4"},
        (
            "news.window was signed by recipe neardup-1:q4, this process signs by neardup-2:q4: "
            "ingest its documents into a new window"
        ),
    ),
    (
        errors.RecipeMismatch("w", "neardup-1:q4:case:a", "neardup-2:q4:case:b", "w"),
        {"where": "w", "found": "neardup-1:q4:case:a", "expected": "neardup-2:q4:case:b", "window": "w"},
        (
            "w was signed by recipe neardup-1:q4:case:a, this process signs by neardup-2:q4:case:b: "
            "sign it again (`neardup resign --window w`, same options), or ingest its documents into a new window"
        ),
    ),
    (
        errors.RecipeMismatch("w", "n:q4:case:a", "n:q4:case:a:strip-1", "w"),
        {"where": "w", "found": "n:q4:case:a", "expected": "n:q4:case:a:strip-1", "window": "w"},
        (
            "w was signed by recipe n:q4:case:a, this process signs by n:q4:case:a:strip-1: open it with the settings "
            "it was signed with (without --q, --fold-case, --reach, --lexicon, --salt, --boilerplate or [recipe] in "
            "neardup.toml), or ingest its documents (`neardup export`) into a new window"
        ),
    ),
    (
        errors.WindowResigning("http://localhost:9200/news", "neardup-2:q4"),
        {"path": "http://localhost:9200/news", "recipe": "neardup-2:q4", "done": False},
        (
            "http://localhost:9200/news is being signed again by recipe neardup-2:q4: wait until `neardup resign` is "
            "done; if it was interrupted, `neardup resign --window http://localhost:9200/news --force` continues it"
        ),
    ),
    (
        errors.WindowResigning("news", "neardup-2:q4", done=True),
        {"path": "news", "recipe": "neardup-2:q4", "done": True},
        "news was signed again by recipe neardup-2:q4: open it again (a server must be restarted)",
    ),
    (
        errors.RecipeMismatch("news.window", "n:r1", "n:r2"),
        {"where": "news.window", "found": "n:r1", "expected": "n:r2"},
        (
            "news.window was signed by recipe n:r1, this process signs by n:r2: "
            "open it with the settings it was signed with (without --q, --fold-case, --reach, --lexicon, --salt, "
            "--boilerplate or [recipe] in neardup.toml), or ingest its documents (`neardup export`) into a new "
            "window"
        ),
    ),
    (
        errors.LexiconError("x.lexicon", "3 bytes", "a header"),
        {"path": "x.lexicon", "found": "3 bytes", "expected": "a header"},
        "x.lexicon: found 3 bytes, expected a header: build the lexicon again, or use the default one",
    ),
    (
        errors.WindowLocked("w", "process 17"),
        {"path": "w", "holder": "process 17"},
        "w is being written by another process (process 17): wait for it, or end it (it can be queried meanwhile)",
    ),
    (
        errors.LeaseLost("http://localhost:9200/news", "host:17:ab"),
        {"path": "http://localhost:9200/news", "holder": "host:17:ab"},
        (
            "http://localhost:9200/news was taken over by another scorer (host:17:ab) because this one did not renew "
            "its lease in time: run it again; results that it had not reported do not count"
        ),
    ),
    (
        errors.WindowMissing("w"),
        {"path": "w", "holds": ""},
        "w: there is no window here; `neardup ingest FILE --window w` makes one",
    ),
    (
        errors.WindowMissing("w", "a, b"),
        {"path": "w", "holds": "a, b"},
        "w: there is no window here, but other files (a, b); `neardup ingest FILE --window w/news.window` makes one",
    ),
    (
        errors.WindowDamaged("w/log", "a torn record", "its checksum"),
        {"path": "w/log", "found": "a torn record", "expected": "its checksum"},
        "w/log is damaged: found a torn record, expected its checksum",
    ),
    (
        errors.WindowDamaged("w/log", "a torn record", "its checksum", "w"),
        {"path": "w/log", "window": "w"},
        (
            "w/log is damaged: found a torn record, expected its checksum; "
            "`neardup doctor --repair --window w` shows what can be recovered, and recovers it with --force"
        ),
    ),
    (
        errors.WindowOutdated("w", 1),
        {"path": "w", "format": 1},
        (
            "w has format 1 of an earlier version of neardup: "
            "`neardup resign --window w` converts it to the current format"
        ),
    ),
]


@pytest.mark.parametrize(("error", "data", "message"), EXAMPLES)
def test_an_error_says_what_is_wrong_and_carries_it(error, data, message):
    assert str(error) == message
    assert {name: getattr(error, name) for name in data} == data


@pytest.mark.parametrize("error", [example[0] for example in EXAMPLES])
def test_an_error_survives_pickling(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)


def test_every_error_has_the_one_base():
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), errors.NeardupError)


def below(base):
    """The exceptions derived from `base`, with those derived from them."""
    return {kind.__name__: below(kind) for kind in base.__subclasses__()}


def drawn_tree():
    """The tree of the docstring, as `below` has it: every line and every branch before a name is a level."""
    tree: dict[str, Any] = {}
    path: list[str] = []
    for bars, name in re.findall(r"^    ([│├└─ ]*[├└]── )(\w+)", errors.__doc__, re.MULTILINE):
        level = len(re.findall(r"[│├└]", bars))
        del path[level - 1 :]
        node = tree
        for parent in path:
            node = node[parent]
        node[name] = {}
        path.append(name)
    return tree


def test_the_drawn_tree_is_complete():
    for module in pkgutil.walk_packages(neardup.__path__, "neardup."):
        if module.name != "neardup.__main__":
            importlib.import_module(module.name)
    assert below(errors.NeardupError) == drawn_tree()


def test_errors_are_also_what_python_would_raise():
    assert issubclass(errors.SettingsError, ValueError)
    assert issubclass(errors.DocumentError, ValueError)
    assert issubclass(errors.UnknownDocument, KeyError)
    assert issubclass(errors.LexiconError, errors.DataFileError)
    assert issubclass(errors.BoilerplateError, errors.DataFileError)


@pytest.mark.parametrize("value", [10**5_000, -(10**5_000), [10**5_000]], ids=["large", "negative", "list"])
def test_a_value_that_python_does_not_print_has_a_message(value):
    """Python prints no number of more than 4,300 digits."""
    shown = "a list that cannot be shown as text" if isinstance(value, list) else "a number of 16610 bits"
    told = [
        errors.UnknownDocument(value),
        errors.SettingsError("q", value, "less"),
        errors.DocumentError(value, "no"),
    ]
    assert [str(error).count(shown) for error in told] == [1, 1, 1]


def test_a_text_in_place_of_an_id_or_a_time_is_not_told_whole():
    with pytest.raises(ValueError, match="RFC 2822") as wrong_time:
        parse_time("The ferry sank. " * 1_000)
    told = [errors.UnknownDocument("x" * 64_000), errors.SettingsError("q", ["x" * 64_000], "less")]
    for error in (*told, wrong_time.value):
        assert "…" in str(error)
        assert len(str(error)) < 1_200
