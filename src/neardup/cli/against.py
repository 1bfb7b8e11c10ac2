"""The documents that `neardup check` compares with: a window, or files read into one in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import typer

from neardup.cli import inputs
from neardup.cli.context import opened_window, report_without_partial
from neardup.cli.rejects_there import RejectsThere, reporting
from neardup.cli.streams import log_line
from neardup.cli.tables import counted, some_of
from neardup.model.document import Document
from neardup.sources.files import bytes_escaped

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.config import Config
    from neardup.cli.described import Read
    from neardup.sources.reader import Reader

_NOTHING: Final = ", so no copy can be found"


class Against(NamedTuple):
    """The window to compare with, and how its documents are read to be shown; `is_whole`: the files had documents, and
    none was rejected; `is_named`: it is a window that the user has named, and was not made of files.
    """

    window: Window
    read: Read
    is_whole: bool
    is_named: bool = False


@contextmanager
def opened_against(
    names: list[str], config: Config, reading: Mapping[str, Any], *, shown: bool
) -> Iterator[Against]:
    """The window that is named, readonly; or one in memory with the documents of the files named, read with the options
    `reading`, and with their original texts if these are `shown`.

    Raises `typer.BadParameter` for a window together with any other name, and for a name that does not exist.
    """
    from neardup.elastic.http.address import is_address

    windows = [name for name in names if _is_window(name)]
    if windows and len(names) > 1:
        raise typer.BadParameter(
            f"{windows[0]} is a window: give no other --against with it", param_hint="--against"
        )
    if windows:
        with opened_window(windows[0], config, readonly=True) as target:
            in_cluster = is_address(windows[0])  # searched, and not loaded only to be counted
            if not in_cluster and not len(target):
                log_line(f"{windows[0]} holds 0 documents{_NOTHING}")
            yield Against(target, target.read, is_whole=True, is_named=True)
        return
    check_files(names, "--against", "")
    import neardup

    timeless = {"window_hours": 0, "keep_hours": None, "policy": "mark", "max_documents": 0, "max_memory": 0}
    kept = {"keep_text": True} if shown else {}
    recipe = config.recipe.reaching(config.settings.threshold_fraction)
    with neardup.open(None, **{**config.given, **timeless, **kept, "recipe": recipe}) as target:
        report_without_partial(config, lambda: target.settings.partial)
        yield Against(
            target, _undated(target.read), _fill(target.add, config.reader(names, **reading), names)
        )


def check_files(names: list[str], option: str, why: str) -> None:
    """Raises `typer.BadParameter`, and says `why`, if one of `names` is a window, which `option` does not take."""
    for name in names:
        if _is_window(name):
            raise typer.BadParameter(f"{name} is a window: {why}", param_hint=option)
    for name in names:
        if not Path(name).exists():
            raise typer.BadParameter(f"{name} does not exist", param_hint="--against")


def _fill(add: Callable[..., Iterable[object]], reader: Reader, names: list[str]) -> bool:
    """Reads the documents to compare with, and passes them to `add` of a window; returns whether there were any, and
    all could be used. The `names` of their files are reported, because a shell makes of `--against old/*` one file to
    compare with, and many to check. Documents that cannot be used are reported, and left out.
    """
    inputs.report_passed_over(reader)
    with RejectsThere() as rejects:
        documents = reporting(_named_apart(reader, rejects), reader)
        added = add(documents, on_reject=lambda reject: rejects.add(reader.located(reject)))
        count = sum(1 for _ in added)
    return report_compared(reader, names, count, rejects)


def report_compared(reader: Reader, names: list[str], count: int, rejects: RejectsThere) -> bool:
    """Reports how many documents there were to compare with; returns whether there were any, and all could be used.

    Raises `OutputRefused` if there were documents, and none could be used.
    """
    is_wrong = inputs.report_read(reader, ())
    rejects.check_any_usable(count, names)
    lacking = f"; {rejects.count:,} could not be used" if rejects.count else ""
    of = some_of([bytes_escaped(name) for name in names])
    log_line(f"compared with {counted(count, 'document')} of {of}{'' if count else _NOTHING}{lacking}")
    return bool(count) and not rejects.count and not is_wrong


def _named_apart(reader: Reader, rejects: RejectsThere) -> Iterator[Document]:
    """The documents of `reader`, all of one moment. File and line are added to an id that came before: unrelated files
    may use the same ids, and none of their documents is to be left out.
    """
    seen = set[str]()
    for document in rejects.passing(reader):
        where = ":".join(str(part) for part in reader.where if part is not None)
        id = f"{document.id} ({where})" if document.id in seen else document.id
        seen.add(id)
        yield Document(id, document.text, 0, document.fields)


def _undated(read: Read) -> Read:
    """`read` without times, which are made up for documents of files."""
    return lambda ids: [document and document._replace(time="") for document in read(ids)]


def _is_window(name: str) -> bool:
    from neardup.elastic.http.address import is_address
    from neardup.stores.window_directory import holds_window

    return is_address(name) or holds_window(Path(name))
