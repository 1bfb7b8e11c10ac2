"""Random damage to one file of a window in a directory, as done by disks, cables, copies and people."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

BLOCK = 512


class Damage(NamedTuple):
    """The kind of damage, and the file or directory, by its path in the window."""

    kind: str
    file: str

    @property
    def hour(self) -> str | None:
        """The name of the hour that it belongs to, if it belongs to one."""
        parts = self.file.split("/")
        return parts[1] if parts[0] == "hours" and len(parts) > 1 else None


def flip(file: Path, random: Random) -> None:
    """One bit is flipped."""
    data = bytearray(file.read_bytes())
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    file.write_bytes(data)


def zero(file: Path, random: Random) -> None:
    """Zeros over a block, or over everything."""
    _overwrite(file, random, bytes)


def garbage(file: Path, random: Random) -> None:
    """Noise over a block, or over everything."""
    _overwrite(file, random, random.randbytes)


def append(file: Path, random: Random) -> None:
    """Noise or zeros at the end, as a power cut leaves them."""
    size = random.randrange(1, 3 * BLOCK)
    with file.open("ab") as end:
        end.write(random.choice((bytes, random.randbytes))(size))


def cut(file: Path, random: Random) -> None:
    """The end is missing, or everything."""
    data = file.read_bytes()
    file.write_bytes(data[: random.choice((0, random.randrange(len(data)), len(data) - 1))])


def delete(file: Path, random: Random) -> None:
    """No such file."""
    file.unlink()


def duplicate(file: Path, random: Random) -> None:
    """One block of the file overwrites another."""
    data = bytearray(file.read_bytes())
    size = min(random.choice((16, 144, BLOCK)), len(data))
    source, target = random.randrange(len(data) - size + 1), random.randrange(len(data) - size + 1)
    data[target : target + size] = data[source : source + size]
    file.write_bytes(data)


def exchange(file: Path, random: Random) -> None:
    """Another file in its place: one of another hour, or one beside it."""
    others = [other for other in file.parent.iterdir() if other.is_file() and other != file]
    if file.parent.parent.name == "hours":
        others = [other for other in file.parent.parent.glob(f"*/{file.name}") if other != file]
    shutil.copyfile(random.choice(sorted(others)), file)


def _overwrite(file: Path, random: Random, made: Callable[[int], bytes]) -> None:
    data = bytearray(file.read_bytes())
    size = min(random.choice((1, 8, 64, BLOCK, len(data))), len(data))
    start = random.randrange(len(data) - size + 1)
    data[start : start + size] = made(size)
    file.write_bytes(data)


Doing = Callable[["Path", "Random"], None]
KINDS: tuple[Doing, ...] = (flip, zero, garbage, append, cut, delete, duplicate, exchange)
DIRECTORIES = 0.03
"""How often a whole directory is deleted instead of a file, where files may be deleted."""


def damage(window: Path, random: Random, kinds: Sequence[Doing] = KINDS) -> Damage:
    """Damages one file of a window in one of these ways; every kind of file equally often."""
    if delete in kinds and random.random() < DIRECTORIES:
        lost = random.choice([window / "hours", *sorted((window / "hours").iterdir())])
        shutil.rmtree(lost)
        return Damage("delete", lost.relative_to(window).as_posix())
    files = sorted(file for file in window.rglob("*") if file.is_file() and file.stat().st_size)
    name = random.choice(sorted({file.name for file in files}))
    file = random.choice([file for file in files if file.name == name])
    kind = random.choice(kinds)
    kind(file, random)
    return Damage(kind.__name__, file.relative_to(window).as_posix())
