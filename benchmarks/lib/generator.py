"""The stream of stream.py in a separate process, so that the measured process holds only the engine.

It works only on request, and waits while the engine works: both sides take turns. A request is two numbers on a line;
the answer is a head of three int64 (documents, bytes, length of the rest) and the arrays.
"""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from benchmarks.lib import bruteforce, harness, stream, wordmodel

_HEAD = struct.Struct("<qq")


class Batch(NamedTuple):
    """Documents of the stream; for copies (original >= 0) the exact number of q-grams shared with the original."""

    first: int
    texts: list[str]
    originals: list[int]
    shared: list[int]
    larger: list[int]


class Generator:
    """A process that makes documents of the model at `path` on demand; a context manager."""

    def __init__(self, path: Path, seed: int) -> None:
        command = [sys.executable, "-m", "benchmarks.lib.generator", str(path), str(seed)]
        self._process = subprocess.Popen(
            command, env=harness.one_thread(), cwd=harness.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()  # end of its input ends it

    def batch(self, first: int, last: int) -> Batch:
        """The documents `first` to `last - 1`."""
        requests, answer = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answer is not None
        requests.write(f"{first} {last}\n".encode())
        requests.flush()
        documents, size = _HEAD.unpack(answer.read(_HEAD.size))
        bounds = _array(answer, documents + 1)
        rows = _array(answer, 3 * documents).reshape(3, documents).tolist()
        letters = np.frombuffer(answer.read(size), np.uint8)
        texts = stream.Part(letters, bounds, np.empty(0, np.int64)).texts()
        return Batch(first, texts, *rows)


def _array(source: IO[bytes], count: int) -> npt.NDArray[np.int64]:
    return np.frombuffer(source.read(8 * count), np.int64)


def answer(made: stream.Stream, first: int, last: int, out: IO[bytes]) -> None:
    """Writes one batch to `out`, with the exact overlap of every copy with its original."""
    part = made.part(first, last)
    texts = part.texts()
    rows = np.zeros((3, len(texts)), np.int64)
    rows[0] = part.originals
    for place in np.flatnonzero(part.originals >= 0):
        number = int(part.originals[place])
        source = texts[number - first] if number >= first else made.texts(number, number + 1)[0]
        rows[1:, place] = bruteforce.text_overlap(source, texts[place])
    out.write(_HEAD.pack(len(texts), len(part.letters)))
    for array in (part.bounds, rows, part.letters):
        out.write(array.tobytes())
    out.flush()


def main(path: str, seed: str) -> None:
    """Answers requests until the end of its input."""
    made = stream.Stream(wordmodel.load(Path(path)), int(seed))
    for line in sys.stdin:
        first, last = line.split()
        answer(made, int(first), int(last), sys.stdout.buffer)


if __name__ == "__main__":
    main(*sys.argv[1:])
