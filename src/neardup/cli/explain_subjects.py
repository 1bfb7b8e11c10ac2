"""The two texts that `neardup explain` compares: from documents in a window, files, records of files, or options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import typer

from neardup.cli.described import after_words, described
from neardup.cli.one_text import (
    from_command_line,
    is_file,
    is_record_of_file,
    one_text,
    record_of_file,
    time_of,
)
from neardup.cli.tables import counted, moment
from neardup.errors import DocumentError, UnknownDocument, WindowMissing
from neardup.model.shown_fields import beginning
from neardup.sources.files import STDIN

if TYPE_CHECKING:
    from fractions import Fraction

    from neardup.cli.config import Config
    from neardup.model.boilerplate import LeftOut
    from neardup.model.settings import Recipe
    from neardup.sources.files import Form
    from neardup.window.base import ReadDocument


class Subject(NamedTuple):
    """One of the two texts: its name, the text, a description of it, its time ("" if it has none)."""

    name: str
    text: str
    about: str = ""
    time: str = ""


def subject_of(document: ReadDocument) -> Subject:
    """The subject for a document of a window."""
    shown = described(document)
    about = (moment(shown.time), shown.source, shown.begins, _said_of(document.left_out))
    return Subject(document.id, document.counted, _joined(*about), document.time)


def _given(
    name: str, text: str, recipe: Recipe, fields: Any = None, time: str = "", begins: str = ""
) -> Subject:
    """The subject for a text that is in no window, without the boilerplate of its source, which `fields` name."""
    from neardup.signing.counted_part import CountedPart

    left_out = CountedPart.by(recipe).left_out(text, fields)
    return Subject(name, left_out.rest(text), _joined(moment(time), begins, _said_of(left_out)), time)


def _said_of(left_out: LeftOut) -> str:
    count = len(left_out.spans)
    return f"({counted(count, 'piece')} of boilerplate left out)" if count else ""


def _joined(*parts: str) -> str:
    return "  ".join(filter(None, parts))


class FileReading(NamedTuple):
    """How files are read: see `one_text`, and for records `Config.reader`."""

    encoding: str | None
    html: bool
    form: Form | None
    delimiter: str | None


class Subjects(NamedTuple):
    """The two texts, the recipe that they are compared by, and the threshold."""

    a: Subject
    b: Subject
    recipe: Recipe
    threshold: Fraction

    @classmethod
    def read(
        cls, names: list[str], texts: list[str], window: str | None, config: Config, reading: FileReading
    ) -> Self:
        """The texts meant; raises `typer.BadParameter` unless there are two, `UnknownDocument` for an unknown id."""
        if len(names) + len(texts) != 2:
            raise typer.BadParameter("give two: ids, files, or texts by --text", param_hint="A B")
        files = {name for name in names if is_file(name) or is_record_of_file(name)}
        ids = _ids(names if window else [name for name in names if name not in files], files)
        recipe, threshold = config.recipe, config.settings.threshold_fraction
        subjects: dict[str, Subject] = {}
        if ids:
            try:
                subjects, recipe, threshold = _of_window(ids, window, config, otherwise=files)
            except WindowMissing as error:
                if window or config.window:
                    raise
                why = f"{next(iter(ids.values()))} is neither a file nor FILE:LINE, and there is no window here "
                why += f"({error.path}) with a document of this id; `neardup ingest FILE` makes one"
                raise typer.BadParameter(why, param_hint="A B") from error
        read = files - subjects.keys()
        if sum(name.partition(":")[0] == STDIN for name in read) > 1:
            once = (
                "standard input can be read once only: write it to a file, and name the records of that file"
            )
            raise typer.BadParameter(once, param_hint="A B")
        subjects |= {
            name: _of_file(name, config, reading, recipe) for name in dict.fromkeys(names) if name in read
        }
        in_order = [subjects[name] for name in names]
        in_order += [
            _given(f"text {at}", str(from_command_line(text, "--text")), recipe)
            for at, text in enumerate(texts, 1)
        ]
        return cls(in_order[0], in_order[1], recipe, threshold)

    @property
    def delay(self) -> str:
        """How long after or before A the text B came, in words; "" if one has no time, or both have the same."""
        if not self.a.time or not self.b.time or self.a.time == self.b.time:
            return ""
        delay = after_words(self.a.time, self.b.time)
        return f"{delay[1:]} before" if delay.startswith("-") else f"{delay} after"


def _of_file(name: str, config: Config, reading: FileReading, recipe: Recipe) -> Subject:
    if not is_file(name):
        record = record_of_file(name, config, **reading._asdict())
        return _given(name, record.text, recipe, record.fields, time_of(record), beginning(record.text))
    encoding, html, form, _ = reading
    try:
        text = one_text(None, Path(name), encoding=encoding, html=html, form=form) or ""
    except typer.BadParameter as error:
        why = f"{name} holds records, not one text: name one of them by its line, as {name}:2"
        raise typer.BadParameter(why, param_hint="A B") from error
    return _given(name, text, recipe, begins=beginning(text))


def _ids(names: list[str], files: set[str]) -> dict[str, str]:
    """The ids that are meant by names; a file's name that is not UTF-8 means none, because ids are UTF-8."""
    ids = {}
    for name in names:
        try:
            ids[name] = str(from_command_line(name, "ID"))
        except DocumentError:
            if name not in files:
                raise
    return ids


def _of_window(
    ids: dict[str, str], window: str | None, config: Config, *, otherwise: set[str]
) -> tuple[dict[str, Subject], Recipe, Fraction]:
    """(The documents by the names of their `ids`; the recipe and the threshold of the window). Raises `UnknownDocument`
    for a document that does not exist, unless its name is in `otherwise`.
    """
    from neardup.cli.context import opened_window

    subjects = {}
    with opened_window(window, config, readonly=True) as target:
        for name, document in zip(ids, target.read(list(ids.values())), strict=True):
            if document is not None:
                subjects[name] = subject_of(document)
            elif name not in otherwise:
                raise UnknownDocument(ids[name])
        settings = target.settings
    return subjects, settings.recipe or config.recipe, settings.threshold_fraction
