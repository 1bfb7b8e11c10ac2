"""What `Window.check` takes: texts, in whatever holds them. What would be read as other texts is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import neardup
from neardup.errors import DocumentError, SettingsError
from neardup.model.boilerplate import Boilerplate, SourceBoilerplate
from neardup.signing.boilerplate_file import save

if TYPE_CHECKING:
    from pathlib import Path

pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))

FERRY = "The ferry ran aground off the western spit at dawn."
COLUMNS = {"id": [7], "text": [FERRY]}


@pytest.fixture
def window():
    window = neardup.open(None)
    list(window.ingest([("a", FERRY)]))
    return window


@pytest.mark.parametrize(("texts", "message"), [
    (FERRY, r"not 'The ferry ran .*… \(str\): put a single one into a list, \[text\]"),
    ({"id": 7, "text": FERRY}, r"not dict: put the text of a single document into a list, \[document\['text'\]\]"),
    (neardup.Document("b", FERRY), r"not Document\(.*: put the text of a single .*, \[document\.text\]"),
    (pd.DataFrame(COLUMNS), r"not DataFrame: pass one column of a frame, list\(frame\['text'\]\)"),
    (pl.DataFrame(COLUMNS), r"not DataFrame: pass one column of a frame"),
    (pl.DataFrame(COLUMNS).lazy(), r"not LazyFrame: collect\(\) it first, and pass list\(frame\['text'\]\)"),
    (pa.table(COLUMNS), r"not Table: pass one column of a frame"),
    (None, "not NoneType: such as a list"),
])  # fmt: skip
def test_what_is_no_iterable_of_texts_is_refused_with_the_remedy(
    window: neardup.Window, texts: Any, message: str
):
    with pytest.raises(TypeError, match="check takes an iterable of texts, " + message):
        window.check(texts)


@pytest.mark.parametrize("frame", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)], ids=repr)
def test_a_column_of_a_frame_holds_texts(window: neardup.Window, frame: Any):
    for texts in (frame["text"], list(frame["text"])):
        assert [verdict.duplicate_of for verdict in window.check(texts)] == ["a"]


@pytest.mark.parametrize(("wrong", "message"), [
    ("bad \ud83d", r"texts\[5\] has the unpaired surrogate U\+D83D at position 4"),
    (float("nan"), r"texts\[5\] is nan \(float\), not a text"),
    ({"text": FERRY}, r"texts\[5\] is dict, not a text"),
])  # fmt: skip
def test_the_position_of_an_item_that_is_no_text_is_named(window: neardup.Window, wrong: Any, message: str):
    with pytest.raises((TypeError, DocumentError), match=message):
        window.check([*["fine"] * 5, wrong, "fine"])


@pytest.mark.parametrize("column", [pa.array, pd.Series, list], ids=["arrow", "pandas", "list"])
def test_a_column_of_a_frame_names_sources_and_a_missing_one_is_none(tmp_path: Path, column: Any):
    """Values of Arrow were no sources, so that what is boilerplate of any source was left out."""
    footer, table = "All rights reserved by us.", tmp_path / "boilerplate.json"
    save(Boilerplate({"ann.org": SourceBoilerplate(40, {footer: 38})}), table)
    with neardup.open(None, settings=neardup.Settings(recipe=neardup.Recipe(boilerplate=table))) as window:
        list(window.ingest([("a", FERRY)]))
        texts, sources = [f"{footer}\n{FERRY}"] * 3, ["ann.org", "bob.org", None]
        expected = [window.query(text, source=source) for text, source in zip(texts, sources, strict=True)]
        assert [verdict.score == 1 for verdict in expected] == [True, False, True]
        assert window.check(column(texts), sources=column(sources)) == expected


def test_what_is_no_name_of_a_source_is_refused_as_in_a_query(window: neardup.Window):
    with pytest.raises(
        SettingsError, match=r"setting source is \['a.org'\]: it must be the name of a source"
    ):
        window.check([FERRY], sources=[["a.org"]])  # type: ignore[list-item]
    assert window.check([FERRY], sources=[float("nan")])[0].duplicate_of == "a"  # type: ignore[list-item]
