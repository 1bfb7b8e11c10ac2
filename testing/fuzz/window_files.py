"""Fuzz targets for the files of a window in a directory, and for the data files beside it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import xxhash
from testing.fuzz.readers import room
from testing.fuzz.target import Target, refusal, told

from neardup.errors import DataFileError
from neardup.kernels.checksums import SUM_BYTES, sealed
from neardup.model.document import Document
from neardup.model.settings import Recipe
from neardup.opening import open_window
from neardup.signing.signature import concatenated
from neardup.stores import checksums, commit_slots, description, hour_list
from neardup.stores.base import Commit
from neardup.stores.repair import repair
from neardup.stores.survey import examine_window
from neardup.stores.verdict_payload import VerdictPayload
from neardup.tables import container, unicode
from neardup.tables.lexicon import KIND, VERSION, Lexicon, LexiconBuilder
from neardup.window.signing_again import signing_of

TEXTS = (
    "The ferry ran aground off the western spit at dawn. Nobody was hurt.",
    "The ferry ran aground off the western spit at dusk. Nobody was hurt.",
    "A mill above the weir was saved by sixty neighbours.",
    "The ferry ran aground off the western spit at dawn. Nobody was hurt.",
    "𠮷野家 漢字 かな",
    "",
)


class Sample(NamedTuple):
    path: Path
    files: list[str]
    answers: list[Any]


@cache
def _samples() -> list[Sample]:
    salt, lexicon = room() / "salt", room() / "own.lexicon"
    salt.write_bytes(b"a secret of sixteen bytes and more")
    LexiconBuilder(q=4, fold_case=False, name="none").build().save(lexicon)
    made = []
    kinds: tuple[tuple[str, dict[str, Any]], ...] = (
        ("plain", {}),
        ("full", {"partial": True, "routes": ("sentences", "simhash"), "recipe": Recipe(salt=salt)}),
        ("own", {"retrieval": "complete", "recipe": Recipe(lexicon=lexicon)}),
    )
    for name, settings in kinds:
        path = room() / name
        with open_window(path, batch_documents=2, **settings) as window:
            times = range(1_795_251_600, 1_795_270_000, 1_800)
            stream = zip(TEXTS, times, strict=False)
            list(window.ingest(Document(f"d{i}", text, time) for i, (text, time) in enumerate(stream)))
            window.delete("d2")
        files = sorted(
            file.relative_to(path).as_posix()
            for file in path.rglob("*")
            if file.is_file() and file.stat().st_size
        )
        made.append(Sample(path, files, _ask(path)))
    return made


def _ask(path: Path) -> list[Any]:
    with open_window(path, readonly=True) as window:
        asked = [window.query(text).to_dict() for text in TEXTS[:3]]
        asked += [window.query(id=f"d{i}").to_dict() for i in (0, 1, 3)]
        return [*asked, [group.to_dict() for group in window.groups()], len(list(window))]


def _window(data: bytes) -> None:
    """Some bytes of a file of a window are replaced: every answer is as before, or an error that says what is wrong.

    With `again` the checksum of the description is corrected, as anybody who can write to the disk can do.
    """
    if len(data) < 4:
        return
    control, which, at, patch = data[0], data[1], data[2], data[3:]
    sample = _samples()[control % 2 if control % 8 else 2]
    name = sample.files[which % len(sample.files)]
    broken = _copied(sample.path)
    file = broken / name
    whole = file.read_bytes()
    start = len(whole) * at // 256
    changed = (
        patch if control & 8 else whole[:start] + patch + whole[start + (len(patch) if control & 16 else 0) :]
    )
    again = bool(control & 32) and name.startswith("window.json")
    changed = _described_again(changed) if again else changed
    file.write_bytes(changed)
    _check(sample, broken, step=len(patch) % 3, forged=again)


def _copied(path: Path) -> Path:
    target = room() / "broken"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(path, target)
    return target


def _described_again(data: bytes) -> bytes:
    try:
        known = json.loads(data)
    except (ValueError, RecursionError):
        return data
    if not isinstance(known, dict):
        return data
    known.pop("checksum", None)
    return json.dumps({**known, "checksum": description._checksum(known)}).encode("utf-8", "replace")


def _check(sample: Sample, broken: Path, *, step: int, forged: bool) -> None:
    answers: list[Any] = []
    refused = refusal(lambda: answers.append(_ask(broken)))
    if refused is None and not forged:
        assert answers[0] == sample.answers, "another answer, in silence"
    match step:
        case 0:
            refusal(lambda: examine_window(broken))
            refusal(lambda: repair(broken, signing_of, dry_run=True))
        case 1:
            refusal(lambda: _written(broken))
        case _:
            refusal(lambda: repair(broken, signing_of, dry_run=False))


def _written(path: Path) -> None:
    with open_window(path) as window:
        list(window.ingest([Document("new", TEXTS[0], 1_795_260_000)]))


def _description(data: bytes) -> None:
    """An arbitrary description with a correct checksum."""
    directory = room() / "described"
    directory.mkdir(exist_ok=True)
    (directory / "window.json").write_bytes(_described_again(data))

    def read() -> None:
        known = description.read_description(directory)
        description.settings_of(directory, known)

    refusal(read)


def _small_files(data: bytes) -> None:
    """Commit slots, the list of hours, sealed items, payloads."""
    directory = room() / "small"
    directory.mkdir(exist_ok=True)
    (directory / "hours.list").write_bytes(data)
    hours = hour_list.listed_hours(directory)
    hour_list.rewrite(directory, hours)
    assert hour_list.listed_hours(directory) == hours
    (directory / "commit").write_bytes(data)
    refusal(lambda: commit_slots.WatchedSlots(directory).read())
    owner = len(data) % 7
    owners = np.array([owner, owner + 1])
    both = bytes(sealed(*concatenated([data, data[::-1]]), checksums.seeds_of(owners, 1)))
    half = len(data) + SUM_BYTES
    assert checksums.unsealed(both[:half], owner, 1) == data
    assert checksums.unsealed(both[half:], owner + 1, 1) == data[::-1]
    assert checksums.unsealed(both[:half], owner + 1, 1) is None
    assert checksums.unsealed(data, owner, 1) is None or len(data) >= SUM_BYTES
    if len(data) % 8 == 0 and len(data) >= 8 * len(Commit()):
        commit = Commit(*np.frombuffer(data, "<i8")[: len(Commit())].tolist())
        assert commit_slots._decoded(commit_slots._encoded(commit)) == commit


def _data_file(data: bytes) -> None:
    """A data file with any header, and a payload with a correct checksum."""
    file = room() / "x.lexicon"
    control, data = (data[0], data[1:]) if data else (0, data)
    if control & 1:
        import zlib

        payload = data[:control]
        head = container.HEADER.pack(
            container.MAGIC, KIND, VERSION, len(payload), xxhash.xxh64_intdigest(payload)
        )
        file.write_bytes(head + zlib.compress(payload) + data[control:])
    else:
        file.write_bytes(data)
    readers: tuple[Callable[[Path], object], ...] = (Lexicon.load, unicode.read)
    for read in readers:
        try:
            read(file)
        except DataFileError as error:
            told(error)


def _payload(data: bytes) -> None:
    """A payload is read as it was written; checksums keep out bytes that were never written."""
    try:
        payload = VerdictPayload.read(data)
        packed = payload.to_bytes()
    except (ValueError, TypeError):
        return
    is_of_its_types = isinstance(payload.original, str) and all(
        isinstance(listed, list | tuple) for listed in (payload.matches, payload.parts)
    )
    if packed and is_of_its_types:
        again = VerdictPayload.read(packed)
        assert orjson.dumps([*VerdictPayload.read(again.to_bytes())]) == orjson.dumps([*again])


def _window_seeds() -> list[bytes]:
    sizes = range(len(_samples()[1].files))
    return [bytes((control, file, 128)) + b"\0\xff" for control in (0, 1, 16, 17) for file in sizes] + [
        b"\x20\0\0" + file.read_bytes() for file in [_samples()[0].path / "window.json"]
    ]


def _description_seeds() -> list[bytes]:
    return [(sample.path / "window.json").read_bytes() for sample in _samples()]


TARGETS = [
    Target("window_files", _window, _window_seeds),
    Target("descriptions", _description, _description_seeds),
    Target(
        "small_files",
        _small_files,
        lambda: [
            b"2026.11.21-09\n-2026.11.21-09\n2026.11.21-10\n",
            *((s.path / "commit").read_bytes() for s in _samples()),
        ],
    ),
    Target(
        "data_files",
        _data_file,
        lambda: [
            b"\x41" + b"\4\0\1\2" * 30,
            b"\0" + container.HEADER.pack(container.MAGIC, KIND, VERSION, 9, 1) + b"x",
        ],
    ),
    Target(
        "payloads",
        _payload,
        lambda: [VerdictPayload("a", 1, 0.7, [["a", 0.7, 3]]).to_bytes(), b'["a",1,null,[],[],3,4,[0.5,2]]'],
    ),
]
