"""`--strip-boilerplate`: learns the boilerplate of each source from some files before they are compared."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from neardup.cli.streams import log_line
from neardup.cli.tables import counted, some_of
from neardup.model.document import Document
from neardup.model.source import source_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from neardup.cli.config import Config
    from neardup.model.boilerplate import Boilerplate
    from neardup.model.document import Flush, Reject
    from neardup.sources.reader import Reader

OPTION = "--strip-boilerplate"
_NAMED = 10
"""How many texts of a table a message names."""


@contextmanager
def learned(
    config: Config,
    files: Iterable[str | Path],
    reading: dict[str, Any],
    *,
    wanted: bool,
    also: Reader | None = None,
) -> Iterator[Config]:
    """A context with `config` and, in its recipe, the boilerplate of `files`, read with the options `reading`, and of
    the files of `also`, if that is `wanted` and there is any.

    Raises `typer.BadParameter` for input that cannot be read twice, and if a table is given, too.
    """
    if not wanted:
        yield config
        return
    if config.recipe.boilerplate is not None:
        raise typer.BadParameter(f"give {OPTION} or a table by --boilerplate, not both", param_hint=OPTION)
    readers = [config.reader(files, **reading), *([] if also is None else [also])]
    if any(reader.bytes_total is None for reader in readers):
        reason = "standard input and pipes cannot be read twice: learn from a file by `neardup boilerplate learn`, and "
        raise typer.BadParameter(f"{reason}give its table by --boilerplate", param_hint=OPTION)
    from neardup.index.boilerplate_sample import boilerplate_of
    from neardup.signing.boilerplate_file import save

    # Rejects are reported when the files are compared.
    table = boilerplate_of(each for reader in readers for each in sourced_texts(reader))
    for reader in readers:
        reader.rewind()
    log_line(summary(table))
    if not table.sources:
        yield config
        return
    with tempfile.TemporaryDirectory(prefix="neardup-") as directory:
        path = Path(directory) / "boilerplate.json"
        save(table, path)
        yield config.with_options(boilerplate=path)


def has_boilerplate(location: str) -> bool:
    """Whether an existing window leaves out boilerplate already; raises `typer.BadParameter` for one in a cluster."""
    from neardup.elastic.http.address import is_address
    from neardup.stores.description import read_description

    if is_address(location):
        reason = "a window in a cluster cannot leave out boilerplate: use one in a directory"
        raise typer.BadParameter(reason, param_hint=OPTION)
    if not read_description(Path(location)).boilerplate_mark:
        return False
    log_line(f"{location} keeps its own table of boilerplate, because its documents were signed with it")
    return True


def sourced_texts(items: Iterable[Document | Reject | Flush]) -> Iterator[tuple[str, str]]:
    """Source and text of every usable document among `items`."""
    for item in items:
        if type(item) is Document and _is_unicode(item.text):
            yield source_of(item.fields), item.text


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def summary(table: Boilerplate) -> str:
    """The content of a table, in words."""
    if not table.sources:
        return "no line or sentence recurs in enough documents of a source that are not copies of one another"
    count = sum(len(source.pieces) for source in table.sources.values())
    recur = "line or sentence recurs" if count == 1 else "lines and sentences recur"
    names = [name for name in table.sources if name]
    where = f" in {counted(len(names), 'source')}" if names else ""
    return f"{count:,} {recur}{where}, and {'does' if count == 1 else 'do'} not count"


def warn_of_passages(table: Boilerplate, sources: Iterable[str]) -> None:
    """Warns of texts that were added to these sources of a table without effect."""
    passages = [passage for source in sources for passage in table.passages(source)]
    if passages:
        what, have = ("text is", "has") if len(passages) == 1 else ("texts are", "have")
        reason = f"{len(passages):,} {what} more than one sentence, and {have} no effect"
        shown = some_of([repr(passage) for passage in passages], _NAMED)
        log_line(f"{reason}: add each sentence by itself: {shown}")
