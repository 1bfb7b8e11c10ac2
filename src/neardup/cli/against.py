"""What `neardup check` compares with: a window, or files read into one in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import typer

from neardup.cli import inputs
from neardup.cli.context import opened_window, report_without_partial
from neardup.cli.sinks import Rejects
from neardup.cli.streams import log_line
from neardup.cli.tables import counted, some_of
from neardup.model.document import Document
from neardup.sources.files import bytes_escaped

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.config import Config
    from neardup.cli.described import Read
    from neardup.sources.reader import Reader

_NOTHING: Final = ": nothing can be a copy of them"


class Against(NamedTuple):
    """What is compared with, and how it is read to be shown; `is_whole`: nothing of the files was rejected, and there
    was something in them.
    """

    window: Window
    read: Read
    is_whole: bool


@contextmanager
def opened_against(
    names: list[str], config: Config, reading: Mapping[str, Any], *, shown: bool
) -> Iterator[Against]:
    """The window that is named, readonly; or one in memory with the documents of the files named, read as `reading`
    says, and with their texts as they came if these are `shown`.

    Raises `typer.BadParameter` for windows beside anything else, and for what is not there.
    """
    from neardup.elastic.http.address import is_address

    windows = [name for name in names if _is_window(name)]
    if windows and len(names) > 1:
        raise typer.BadParameter(f"{windows[0]} is a window: give it alone", param_hint="--against")
    if windows:
        with opened_window(windows[0], config, readonly=True) as target:
            in_cluster = is_address(windows[0])  # which is searched, and not loaded to be counted
            if not in_cluster and not len(target):
                log_line(f"{windows[0]} holds 0 documents{_NOTHING}")
            yield Against(target, target.read, is_whole=True)
        return
    check_files(names, "--against", "")
    import neardup

    timeless = {"window_hours": 0, "keep_hours": None, "policy": "mark", "max_documents": 0, "max_memory": 0}
    kept = {"keep_text": True} if shown else {}
    recipe = config.recipe.reaching(config.settings.threshold_fraction)
    with neardup.open(None, **{**config.given, **timeless, **kept, "recipe": recipe}) as target:
        report_without_partial(config, lambda: target.settings.partial)
        yield Against(target, _undated(target.read), _fill(target, config.reader(names, **reading), names))


def check_files(names: list[str], option: str, why: str) -> None:
    """Raises `typer.BadParameter` if one of `names` is a window, which the `option` is not for, and `why`."""
    for name in names:
        if _is_window(name):
            raise typer.BadParameter(f"{name} is a window, {why}", param_hint=option)
    for name in names:
        if not Path(name).exists():
            raise typer.BadParameter(f"{name} does not exist", param_hint="--against")


def _fill(target: Window, reader: Reader, names: list[str]) -> bool:
    """Reads what there is to compare with, which is told by its `names`: of `--against old/*` a shell makes one file to
    compare with, and many to check. What cannot be used of it is told, and compared with nothing. Whether all
    could be used, and it was anything.
    """
    inputs.report_passed_over(reader)
    with Rejects(None, has_option=False) as rejects:
        documents = _named_apart(reader, rejects)
        verdicts = target.ingest(documents, on_reject=lambda reject: rejects.add(reader.located(reject)))
        count = sum(1 for _ in verdicts)
    return report_compared(reader, names, count, rejects)


def report_compared(reader: Reader, names: list[str], count: int, rejects: Rejects) -> bool:
    """Tells with how many documents there was to compare. Whether all could be used, and it was anything."""
    is_wrong = inputs.report_read(reader, ())
    lacking = f"; {rejects.count:,} could not be used" if rejects.count else ""
    of = some_of([bytes_escaped(name) for name in names])
    log_line(f"compared with {counted(count, 'document')} of {of}{'' if count else _NOTHING}{lacking}")
    return bool(count) and not rejects.count and not is_wrong


def _named_apart(reader: Reader, rejects: Rejects) -> Iterator[Document]:
    """The documents of `reader`, all of one moment. One whose id came before has its file and line in it, too: files
    that have nothing to do with one another may use the same ids, and none of their documents is to be left out.
    """
    seen = set[str]()
    for document in rejects.passing(reader):
        where = ":".join(str(part) for part in reader.where if part is not None)
        id = f"{document.id} ({where})" if document.id in seen else document.id
        seen.add(id)
        yield Document(id, document.text, 0, document.fields)


def _undated(read: Read) -> Read:
    """The same without times: that of documents of files is made up."""
    return lambda ids: [document and document._replace(time="") for document in read(ids)]


def _is_window(name: str) -> bool:
    from neardup.elastic.http.address import is_address
    from neardup.stores.window_directory import holds_window

    return is_address(name) or holds_window(Path(name))
