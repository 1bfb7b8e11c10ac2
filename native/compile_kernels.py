"""Compiles the kernels: in a checkout `python native/compile_kernels.py`, else when pip builds (native/hatch_hook.py).

Does nothing if they were compiled from these very sources already, and this system can load them.

Needs a C compiler: $CC, cc, gcc or clang; if there is none, the package ziglang, which pip installs for a build. For
x86-64 a library is made for each of three levels of the instruction set (psABI: x86-64-v3, and -v4 with what came with
Ice Lake and Zen 4), so that a build made on one machine runs on others; the best one is chosen at load time.
"""

from __future__ import annotations

import concurrent.futures
import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARIES = Path("src/neardup/kernels/lib")
COMPILERS = ("cc", "gcc", "clang")
FLAGS = [
    "-std=gnu11",
    "-O3",
    "-g0",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Wno-unused-function",
    "-Wno-psabi",
]
"""`-ffp-contract=off`: all levels must compute the same numbers."""
LEVELS = {1: [], 3: ["v3"], 4: ["v4", "avx512vbmi", "avx512vbmi2", "avx512vpopcntdq"]}
"""What the levels of x86-64 have beyond the first; `neardup_level` checks for the same."""
V3 = [
    "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "sahf",
    "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave",
]  # fmt: skip
V4 = [*V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]
"""The features of v3 and v4, one by one: GCC knows the names v3 and v4 only since its version 11, Clang since 12."""


class CannotCompile(Exception):
    """No compiler, or one that fails; the message says which, and what to do."""


def sources_hash() -> str:
    """The hash of all that the kernels are made of."""
    whole = hashlib.sha256()
    for file in sorted([*HERE.glob("*.[ch]"), Path(__file__)]):
        whole.update(file.name.encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()[:16]


def compiler() -> list[str] | None:
    """The command that compiles C here; None if there is none."""
    chosen = os.environ.get("CC")
    if chosen:
        return chosen.split()
    for name in COMPILERS:
        if shutil.which(name):
            return [name]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    return None


def build(libraries: Path) -> list[Path]:
    """Every library in the directory `libraries`, all compiled unless they are up to date; other libraries there are
    deleted.

    Raises `CannotCompile`.
    """
    levels = LEVELS if platform.machine() in {"x86_64", "AMD64"} else {1: []}
    wanted = [libraries / f"kernels-{level}.so" for level in levels]
    made_of = sources_hash().encode()
    if all(path.exists() and made_of in path.read_bytes() for path in wanted) and _can_be_loaded(wanted[0]):
        return wanted
    command = compiler()
    if command is None:
        message = f"no C compiler ({', '.join(COMPILERS)}): install one, set CC, or `pip install ziglang`"
        raise CannotCompile(message)
    libraries.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda level, out: compile_level(command, level, out), levels, wanted))
    for old in set(libraries.glob("*.so")) - set(wanted):
        old.unlink()
    return wanted


def _can_be_loaded(library: Path) -> bool:
    """Whether this system can load `library`: others, of another processor or C library, may share a checkout."""
    try:
        ctypes.CDLL(str(library))
    except OSError:
        return False
    return True


def compile_level(command: list[str], level: int, out: Path) -> None:
    """Compiles the library of one level to `out`, which is replaced only when the new one is whole: another process may
    be reading the old one. Raises `CannotCompile`.
    """
    with tempfile.TemporaryDirectory(dir=out.parent) as directory:
        made = Path(directory, out.name)
        done = subprocess.run(
            [
                *command, *FLAGS, *_level_flags(command, level), f'-DSOURCES="{sources_hash()}"',
                str(HERE / "kernels.c"), "-o", str(made), "-lm",
            ],
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            message = f"{' '.join(command)} cannot compile the kernels:\n{done.stderr}"
            raise CannotCompile(message)
        if done.stderr:
            print(done.stderr, file=sys.stderr)
        made.replace(out)


def _level_flags(command: list[str], level: int) -> list[str]:
    names = LEVELS[level]
    if "ziglang" in command:
        return [f"-mcpu={'+'.join(['x86_64_' + names[0], *names[1:]])}" if names else "-mcpu=baseline"]
    parts = {"v3": V3, "v4": V4}
    return [f"-m{part}" for name in names for part in parts.get(name, [name])]


def main() -> None:
    """Compiles the kernels of the checkout that this file lies in."""
    try:
        build(HERE.parent / LIBRARIES)
    except CannotCompile as error:
        sys.exit(f"native/compile_kernels.py: {error}")


if __name__ == "__main__":
    main()
