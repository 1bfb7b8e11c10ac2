"""The files to read: those named and those below named directories, each with the form that its name implies."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from neardup.model.counted import some_of
from neardup.sources.kind_counts import KindCounts
from neardup.sources.streams import is_live
from neardup.stores.window_directory import PARTS, holds_window

Form = Literal["jsonl", "csv", "text", "mail", "mbox", "html", "parquet", "arrow"]

INPUTS: Final = get_args(Form)
STDIN: Final = "-"
_STANDARD_STREAMS: Final = ("/dev/stdin", "/dev/stdout", "/dev/stderr")
_OPEN_FILES_RE: Final = re.compile(r"/proc/[^/]+(/task/[^/]+)?/fd")
"""The path of a directory whose entries stand for open files."""
COMPRESSED: Final = (".gz", ".zst", ".zstd")
FORMS: Final[dict[str, Form]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "text",
    ".eml": "mail",
    ".mbox": "mbox",
    ".mbx": "mbox",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
PACKED: Final = {
    ".bz2": "bzip2",
    ".xz": "xz",
    ".zip": "a zip archive",
    **dict.fromkeys((".tar", ".tgz"), "a tar archive"),
}
"""By the endings of their names, files that hold other files or are compressed in a way that is not read."""
UNREAD: Final = {
    **PACKED,
    ".pdf": "PDF",
    **dict.fromkeys((".docx", ".doc", ".odt", ".rtf"), "a document of a word processor"),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "a spreadsheet"),
    **dict.fromkeys((".pptx", ".ppt", ".odp"), "a presentation"),
    ".msg": "a mail of Outlook",
    ".pst": "a mailbox of Outlook",
    ".emlx": "a mail of Apple Mail",
}
"""By the endings of their names, what files of no readable form most likely are."""
_NO_ENDING: Final = "no ending"
_WINDOW: Final = "this is a window, not a directory of files: give the files that it was made from"
_DELIVERED: Final = ("cur", "new")
MAILDIR: Final = (*_DELIVERED, "tmp")
"""The directories in every folder of a Maildir; its mails, whose names imply no form, lie in the first two."""


class File(NamedTuple):
    """A file by the name to open it by, and the `stem` that ids are made of; or the `problem` that there is with it.

    `form`: its form, where the name does not decide that.
    """

    name: str
    stem: str
    problem: str | None = None
    form: Form | None = None


class Listing(NamedTuple):
    """Files in the order in which they are read, and a line for each directory about the files below it that are not
    read.

    A file that is named twice, or by symbolic links, is listed once, under its first name, and a line says so. A hard
    link counts as a file of its own: linking equal files to one does not make them one document.
    """

    files: list[File]
    passed_over: list[str]


def listed(names: Iterable[str], form: Form | None = None, *, html: bool = False) -> Listing:
    """The files of `names`; of directories, the files below with known endings and the mails of a Maildir, sorted by
    path.

    If a `form` is given, the files below directories that can be of it: with one of its endings, or with no known
    ending. Hidden files, windows, linked directories and, unless `html` is set, pages are passed over. Files that would
    have the same stem get their paths as stems.
    """
    files: list[File] = []
    passed_over: list[str] = []
    for name in names:
        if name == STDIN or not os.path.isdir(name):  # noqa: PTH112 - raises nothing where that may not be asked
            own = Path(name).name
            files.append(File(name, _lasting(own) if is_delivered(Path(name)) else own))
            continue
        if holds_window(Path(name)):
            files.append(File(name, Path(name).name, _WINDOW))
            continue
        passed = KindCounts()
        below = _below(Path(name), form, passed, html=html)
        unread = [kind for kind in passed if kind.name.startswith((".", _NO_ENDING))]
        untold = any(kind.name not in UNREAD for kind in unread)
        files += below or [_nothing(name, form, html=html, packed=bool(unread) and not untold)]
        if len(passed):
            hint = "; --input says what they are" if untold and not form else ""
            pages = [kind.name for kind in passed if FORMS.get(kind.name) == "html"]
            hint += "; --html reads pages" if pages and form != "html" else ""
            passed_over.append(f"{bytes_escaped(name)}: {len(passed):,} passed over: {passed}{hint}")
    files, again = _once(files)
    if again:
        passed_over.append(
            f"{some_of([bytes_escaped(name) for name in again])}: named more than once, or reached by a link, and read "
            "once"
        )
    # Two files of one name in one run would give the same ids, and one would replace the other's documents. The path
    # of one file may be the plain name of another: hence the loop.
    while True:
        stems = Counter(file.stem for file in files)
        named = [file if stems[file.stem] == 1 else file._replace(stem=_stem_by_path(file)) for file in files]
        if named == files:
            return Listing(files, passed_over)
        files = named


def form_of(name: str) -> Form | None:
    """The form that a file's name implies, None if it implies none; standard input is JSON Lines.

    >>> form_of("news.jsonl.gz"), form_of("page.html"), form_of("picture.png")
    ('jsonl', 'html', None)
    """
    return "jsonl" if name == STDIN else FORMS.get(ending(name))


def is_delivered(file: Path) -> bool:
    """Whether this is a mail of a Maildir, whose name implies no form."""
    return file.parent.name in _DELIVERED and _is_maildir(file.parent.parent)


def ending(name: str) -> str:
    """The last ending of a file's name that is not one of compression, in small letters; empty if there is none."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def is_file(name: str | os.PathLike[str]) -> bool:
    """Whether there is such a file; False also if access is denied, or if the name is impossible."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def is_stream(name: str | os.PathLike[str]) -> bool:
    """Whether a name stands for something already open, such as standard output, and not for a file of its own."""
    folder, own = os.path.split(os.fspath(name))
    real = os.path.realpath(folder)
    return f"{real}/{own}" in _STANDARD_STREAMS or _OPEN_FILES_RE.fullmatch(real) is not None


def total_bytes(names: Iterable[str]) -> int | None:
    """The bytes of these files as they lie on the disk; None if one is a pipe, a terminal or closed."""
    total = 0
    for name in names:
        try:
            status = os.fstat(sys.stdin.fileno()) if name == STDIN else Path(name).stat()
        except OSError:  # it will be rejected when it is read
            if name == STDIN:
                return None
            continue
        if is_live(status.st_mode):
            return None
        total += status.st_size
    return total


def changed_at(name: str) -> int | None:
    """When a file was last changed, in milliseconds since 1970; None for a stream, or if that is not known."""
    if name == STDIN or is_stream(name):
        return None
    try:
        status = Path(name).stat()
    except (OSError, ValueError):
        return None
    return None if is_live(status.st_mode) else status.st_mtime_ns // 1_000_000


@contextmanager
def opened(name: str) -> Iterator[int]:
    """The descriptor of a file; standard input stays open."""
    if name == STDIN:
        yield sys.stdin.fileno()
        return
    descriptor = os.open(name, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def bytes_escaped(name: str) -> str:
    r"""A file's name or an argument as text that every encoding has: bytes of it that are no UTF-8 stand as `\xNN`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _once(files: list[File]) -> tuple[list[File], list[str]]:
    """(`files`, each once; the other names of those named more than once): a file read twice would be all copies."""
    once: dict[str, File] = {}
    real = (file.name if file.name == STDIN else os.path.realpath(file.name) for file in files)
    again = [
        file.name for file, name in zip(files, real, strict=True) if once.setdefault(name, file) is not file
    ]
    return list(once.values()), again


def _nothing(name: str, form: Form | None, *, html: bool, packed: bool) -> File:
    """A `File` with the problem that the directory `name` has nothing to read; `packed`: all its files are `UNREAD`."""
    if form:
        why = f"the directory holds no file that --input {form} reads: those of other known endings are passed over"
        return File(name, Path(name).name, why)
    known = ", ".join(suffix for suffix, form in FORMS.items() if html or form != "html")
    pages = "" if html else "; --html reads pages"
    way = "; --input mail or --input text reads those of other endings, or of none" + pages
    if packed:
        way = "; unpack its archives, and convert its documents to UTF-8 text and its mails to .eml, first"
    return File(name, Path(name).name, f"the directory holds no file of a known ending ({known}){way}")


def _below(directory: Path, form: Form | None, passed: KindCounts, *, html: bool) -> list[File]:
    """The files below `directory` that are read; those that are not go to `passed`."""
    files: list[File] = []
    for parent, directories, names in _walked(
        directory, lambda error: files.append(File(error.filename, "", _unreadable(error)))
    ):
        if not {*names, *directories}.isdisjoint(PARTS) and holds_window(Path(parent)):
            passed.add("a window", bytes_escaped(str(Path(parent).relative_to(directory))))
            directories.clear()
            continue
        if _is_maildir(Path(parent)):
            directories.remove("tmp")  # what is still being delivered
        of_all: Form | None = "mail" if is_delivered(Path(parent, "its file")) else None
        deeper: list[str] = []
        for name in (*directories, *names):
            path = Path(parent, name)
            own = of_all or form_of(name)
            is_directory = name in directories
            reason = _why_passed_over(path, own, form, html=html, is_directory=is_directory)
            if reason:
                passed.add(reason, bytes_escaped(str(path.relative_to(directory))))
            elif is_directory:
                deeper.append(name)
            else:
                files.append(File(str(path), "", form=of_all))
        directories[:] = deeper
    files.sort(key=lambda file: Path(file.name))
    return [file._replace(stem=_stem_below(directory, file)) for file in files]


def _stem_below(directory: Path, file: File) -> str:
    path = Path(file.name).relative_to(directory)
    return (path if file.form is None else path.parent.parent / _lasting(path.name)).as_posix()


def _stem_by_path(file: File) -> str:
    """The path of a file; of a mail of a Maildir without its changing parts, unless that is the stem already."""
    path = Path(file.name)
    lasting = path.parent.parent / _lasting(path.name) if is_delivered(path) else path
    return (path if Path(file.stem) in (lasting, path) else lasting).as_posix()


def _lasting(name: str) -> str:
    """The part of a Maildir mail's name that stays when the mail moves from `new` to `cur`, and when it is flagged."""
    return name.partition(":")[0]


def _walked(
    directory: Path, on_error: Callable[[OSError], object]
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Like `os.walk`, but one level at a time: until Python 3.12 `os.walk` fails at a thousand nested folders. All
    directories that the caller leaves in the list are walked, links too.
    """
    waiting = [directory]
    while waiting:
        for parent, directories, names in islice(os.walk(waiting.pop(), onerror=on_error), 1):
            yield parent, directories, names
            waiting += [Path(parent, name) for name in directories]


def _why_passed_over(
    path: Path, own: Form | None, form: Form | None, *, html: bool, is_directory: bool
) -> str | None:
    """Why the file or directory is not read, in a word or two; None if it is. `own`: the form that its name implies."""
    if _is_hidden(path):
        return "hidden"
    if is_directory:
        return "linked directory" if _is_link(path) else None
    if _is_no_file(path):
        return "no file"
    is_page = own == "html" and form is None and not html
    if is_page or (own is None and form is None) or (own is not None and form not in (None, own)):
        return bytes_escaped(ending(path.name)) or _NO_ENDING
    return None


def _is_no_file(path: Path) -> bool:
    """Whether `path` is known not to be a file; False if access is denied, because reading it then gives the reason."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except PermissionError:
        return False
    except (OSError, ValueError):
        return True


def _is_hidden(path: Path) -> bool:
    """Whether the name begins with a dot; folders of a Maildir do too, but do not count as hidden."""
    return path.name.startswith(".") and not _is_maildir(path)


def _is_link(path: Path) -> bool:
    return os.path.islink(path)  # noqa: PTH114 - it raises nothing for a path too long to open


def _is_maildir(directory: Path) -> bool:
    try:
        return all((directory / name).is_dir() for name in MAILDIR)
    except OSError:  # access denied: reported when the directory is listed
        return False


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"
