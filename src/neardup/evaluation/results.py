"""The measured values of one method, as plain values; results of earlier runs, kept in files."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Self

from neardup.tables.atomic_write import write_whole
from neardup.version import VERSION

FORMAT: Final = 1
CODE: Final = (
    "*.py", "data/*", "baselines/*.py", "evaluation/*.py", "index/*.py", "kernels/*.py", "kernels/lib/*.so",
    "kinds/*.py", "model/*.py", "signing/*.py", "stores/*.py", "tables/*.py", "window/*.py",
)  # fmt: skip
"""The parts of the package that decide a result: a kept result does not outlive a change to them."""
SHOWING: Final = ("report.py", "report_tables.py", "page.py", "charts.py", "formatting.py")
LIBRARIES: Final = ("datasketch", "numpy", "unisim", "xxhash")
"""Libraries whose code the methods use too: the installed version is part of every key."""


@dataclass(frozen=True)
class Point:
    """The decisions of a method at one threshold, in numbers of pairs.

    reported   pairs that count and that it calls copies; `correct`: those of them that are copies
    copies     pairs that are copies
    compared   pairs that it looked at one by one; None where its index does not work pair by pair
    """

    threshold: float
    reported: int
    correct: int
    copies: int
    compared: int | None

    @property
    def precision(self) -> float | None:
        """The share of the reported pairs that are copies; None if nothing was reported."""
        return self.correct / self.reported if self.reported else None

    @property
    def recall(self) -> float:
        """The share of the copies that were reported."""
        return self.correct / self.copies

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if nothing correct was reported.

        >>> round(Point(0.7, reported=101, correct=101, copies=111, compared=None).f1, 3)
        0.953
        """
        return 2 * self.correct / (self.reported + self.copies)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the three rates."""
        rates = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return {
            **asdict(self),
            **{name: rate if rate is None else round(rate, 6) for name, rate in rates.items()},
        }


@dataclass(frozen=True)
class Cost:
    """The cost of a method: seconds of processor time in a process of its own with one thread, without loading and
    compiling.

    sign_seconds      signing `signed` documents
    compare_seconds   for each threshold: finding candidates, comparing them and adding to the index
    peak_bytes        the most memory the process held; `baseline_bytes`: its memory before it learned and signed
    """

    learn_seconds: float
    sign_seconds: float
    signed: int
    compare_seconds: tuple[float, ...]
    peak_bytes: int | None
    baseline_bytes: int | None

    @property
    def own_bytes(self) -> int | None:
        """Memory taken for learning, signatures and index: the peak above the baseline."""
        if self.peak_bytes is None or self.baseline_bytes is None:
            return None
        return max(0, self.peak_bytes - self.baseline_bytes)


@dataclass(frozen=True)
class Result:
    """One method over one corpus. Everything but `cost` is the same whenever the same is measured.

    `method` is the name by which it was requested, `name` its own, `index_bytes` the size that its index would have.
    """

    method: str
    name: str
    paper: str
    points: tuple[Point, ...]
    index_bytes: int
    cost: Cost

    @property
    def best(self) -> Point:
        """The point where F1 is highest; of several, the one of the lowest threshold."""
        return max(self.points, key=lambda point: (point.f1, -point.threshold))

    def microseconds(self, point: Point) -> float:
        """Processor time for a document at the threshold of `point`, to sign and compare it."""
        compare = self.cost.compare_seconds[self.points.index(point)]
        return 1e6 * (self.cost.sign_seconds + compare) / max(1, self.cost.signed)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "method": self.method,
            "name": self.name,
            "paper": self.paper,
            "index_bytes": self.index_bytes,
            "points": [point.to_dict() for point in self.points],
            "cost": asdict(self.cost),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote; raises `KeyError` or `TypeError` for anything else."""
        fields = ("threshold", "reported", "correct", "copies", "compared")
        points = tuple(Point(**{name: point[name] for name in fields}) for point in values["points"])
        cost = values["cost"]
        return cls(
            values["method"],
            values["name"],
            values["paper"],
            points,
            values["index_bytes"],
            Cost(**{**cost, "compare_seconds": tuple(cost["compare_seconds"])}),
        )


class ResultCache:
    """Results in the files of a directory, each under a key (`key_of`) that identifies what was measured."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def find(self, method: str, key: str) -> Result | None:
        """The result kept under `key`; None if there is none, or if its file does not hold one."""
        try:
            kept = json.loads(self._path(method, key).read_text("utf-8"))
            return Result.from_dict(kept["result"]) if kept["key"] == key else None
        except (OSError, ValueError, KeyError, TypeError):
            return None  # then it is measured again, which is never wrong

    def keep(self, result: Result, key: str) -> None:
        """Writes a result whole or not at all, whatever happens meanwhile."""
        path = self._path(result.method, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"key": key, "result": result.to_dict()}, indent=1) + "\n"
        write_whole(path, text.encode())

    def _path(self, method: str, key: str) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", method.lower()).strip("-")
        return self._directory / f"{slug}-{key}.json"


def key_of(method: str, *what: object) -> str:
    """16 hex digits for a result of `method` over the inputs `what`, made by this code."""
    parts = (FORMAT, VERSION, _code(), _libraries(), method, *what)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def _code() -> str:
    return code_digest(Path(__file__).parents[1])


def code_digest(root: Path) -> str:
    """A digest of the files that decide a result in the package at `root`."""
    digest = hashlib.sha256()
    for path in sorted(deciding(root)):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def deciding(root: Path) -> Iterator[Path]:
    """The files that decide a result in the package at `root`: modules and data."""
    for pattern in CODE:
        yield from (path for path in root.glob(pattern) if path.is_file() and path.name not in SHOWING)


@cache
def _libraries() -> tuple[tuple[str, str | None], ...]:
    """Which version of each of `LIBRARIES` is installed, None for one that is not; and that of Python."""
    versions: list[tuple[str, str | None]] = [("python", platform.python_version())]
    for name in LIBRARIES:
        try:
            versions.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            versions.append((name, None))
    return tuple(versions)
