"""What `import neardup` offers is a promise: a name is added here on purpose, and taken away never."""

from __future__ import annotations

import ast
import inspect
import pickle
import pydoc
import subprocess
import sys
import typing
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

import neardup
from neardup.model.settings import Threshold

if typing.TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

NAMES = {
    "FLUSH", "Credentials", "Deduped", "Document", "Explanation", "Flush", "Group", "Lexicon", "Match", "Member",
    "NeardupError", "PartialMatch", "ReadDocument", "Recipe", "Reject", "Settings", "Signature", "Stats", "Verdict",
    "Window", "__version__", "dedup", "doc_q", "errors", "explain", "kinds", "open", "sign",
}  # fmt: skip


def test_these_are_the_public_names():
    assert set(neardup.__all__) == NAMES


def test_type_checkers_and_python_are_told_the_same_homes():
    tree = ast.parse(inspect.getsource(neardup))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    homes = {
        alias.asname or "open": f"{node.module}.{alias.name}" for node in imports for alias in node.names
    }
    assert homes == {name: f"neardup.{home}" for name, home in neardup._HOMES.items()}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_is_there(name):
    assert getattr(neardup, name) is not None
    assert name in dir(neardup)


def test_another_name_is_not():
    with pytest.raises(AttributeError, match="nonsense"):
        neardup.nonsense  # type: ignore[attr-defined] # noqa: B018 - mypy sees to it that this is needed


def test_the_import_itself_loads_nothing_heavy():
    script = (
        "import sys, neardup; assert not {'numpy', 'neardup.kernels', 'typer', 'rich'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["errors.WindowLocked", "kinds.kind_of"])
def test_a_public_module_is_loaded_when_it_is_first_used(name):
    # Another process: here the modules are loaded already.
    script = f"import sys, neardup; assert 'neardup.errors' not in sys.modules; neardup.{name}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_open_is_called_so_in_help_and_in_errors_and_can_be_pickled():
    assert pydoc.plain(pydoc.render_doc(neardup.open)).startswith(
        "Python Library Documentation: function open in module neardup.opening\n\nopen("
    )
    with pytest.raises(TypeError, match=r"^open\(\) missing 1 required positional argument: 'path'"):
        neardup.open()  # type: ignore[call-arg]
    assert pickle.loads(pickle.dumps(neardup.open)) is neardup.open


def live() -> Iterator[neardup.Document | neardup.Flush]:
    yield neardup.FLUSH


class Row(NamedTuple):
    source: str
    text: str
    id: int
    title: str


def test_rows_of_pandas_and_named_tuples_are_documents_for_type_checkers_too() -> None:
    records: list[dict[Hashable, Any]] = [{"id": 1, "text": "The ferry ran aground."}]  # to_dict("records")
    rows = [Row("Northline", "The ferry ran aground!", 2, "Ferry")]
    with neardup.open(None) as window:
        # mypy sees to it that all may be passed.
        verdicts = [*window.ingest(records), *window.ingest(rows), *window.ingest(live())]
    assert [(verdict.id, verdict.duplicate_of) for verdict in verdicts] == [("1", None), ("2", "1")]


def test_ids_may_be_numbers_and_names_of_settings_a_list_for_type_checkers_too() -> None:
    settings = neardup.Settings(routes=["sentences"], show=["title"])
    with neardup.open(None, settings=settings) as window:
        # mypy sees to it that all may be passed.
        list(window.ingest([(1, "The ferry ran aground.")]))
        assert window.query(id=1).status == "unique"
        assert window.get(1) == window.get("1")
        assert [document is not None for document in window.read([1, "1", 2])] == [True, True, False]
        assert (window.delete_many([2]), window.delete(1)) == (["2"], True)


def test_settings_are_the_arguments_of_open_for_type_checkers_too() -> None:
    changes = typing.get_type_hints(neardup.open)["changes"]
    (named,) = typing.get_args(changes)
    # Settings have the threshold as it was given, and it may be read as what it is.
    read = {**typing.get_type_hints(neardup.Settings), "threshold": Threshold, "containment": Threshold}
    assert typing.get_type_hints(named) == read
    assert named.__optional_keys__ == set(neardup.Settings.__dataclass_fields__)
    # mypy sees to it that each of these is needed.
    with pytest.raises(TypeError, match="the nearest setting is 'threshold'"):
        neardup.open(None, treshold=0.8)  # type: ignore[call-arg]
    with pytest.raises(neardup.errors.SettingsError):
        neardup.open(None, policy="keep")  # type: ignore[arg-type]
    with pytest.raises(neardup.errors.SettingsError):
        neardup.open(None, threshold=[0.8])  # type: ignore[arg-type]
    with pytest.raises(neardup.errors.SettingsError):
        neardup.dedup([], threshold=None)  # type: ignore[arg-type]
    texts = ["The ferry ran aground.", "The ferry ran aground!"]
    thresholds: list[Any] = [0.8, 1, "0.8", "4/5", Fraction(4, 5), Decimal("0.8"), np.float32(0.8)]
    assert [neardup.dedup(texts, threshold=threshold).removed for threshold in thresholds] == [[1]] * 7
    for given in (neardup.Settings(threshold=np.float32(0.8)), neardup.Settings(threshold=Fraction(4, 5))):
        with neardup.open(None, settings=given, containment=Decimal("0.9")) as window:
            assert window.settings.threshold >= 0.7
            assert window.query("Rain.", threshold="4/5").status == "unique"


def test_what_is_a_window_can_be_asked():
    with neardup.open(None) as window:
        assert isinstance(window, neardup.Window)
    assert isinstance(window, neardup.Window)  # a window that is closed, too
    assert not isinstance("news.window", neardup.Window)


def test_the_types_of_public_functions_can_be_asked_for():
    functions = [value for name in neardup.__all__ if inspect.isfunction(value := getattr(neardup, name))]
    assert {function.__name__ for function in functions} >= {"open", "dedup", "explain"}
    for function in functions:
        assert "return" in typing.get_type_hints(function)


def test_the_types_of_public_classes_and_their_methods_can_be_asked_for():
    classes = [value for name in neardup.__all__ if inspect.isclass(value := getattr(neardup, name))]
    assert {kind.__name__ for kind in classes} >= {"Window", "Deduped", "ReadDocument", "Stats", "Lexicon"}
    for kind in (*classes, type(neardup.open(None))):
        typing.get_type_hints(kind)
        for name, member in inspect.getmembers_static(kind):
            function = getattr(member, "fget", None) or getattr(member, "func", None) or member
            if not name.startswith("_") and inspect.isfunction(inspect.unwrap(function)):
                typing.get_type_hints(function)
