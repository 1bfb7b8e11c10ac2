"""Where compiled kernels lie, and that nothing in that place keeps neardup from starting."""

from __future__ import annotations

import ast
import errno
import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import neardup
from neardup import kernel_cache
from neardup.cli import installation as doctor
from neardup.kernels import caching
from neardup.kernels.hashing import splitmix64
from neardup.kernels.inner import inner

PACKAGE = Path(neardup.__file__).parent
UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""The superuser without the power to write where permissions forbid it."""


def tripled(number):
    return 3 * number


def halved(number):
    return number // 2


def compiled(function=tripled):
    """The function as a kernel of a process that has just started."""
    return caching.njit(cache=True, nogil=True)(function)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(caching, "HOME", kernel_cache.Home(tmp_path / "kernels", True))
    monkeypatch.setattr(caching, "_warned", set())
    return tmp_path / "kernels"


def loaded(kernel):
    """Whether the kernel was read rather than compiled."""
    return bool(kernel.stats.cache_hits) and not kernel.stats.cache_misses


class TestKept:
    def test_a_kernel_is_compiled_once(self, home, caplog):
        first, second = compiled(), compiled()
        assert (first(14), loaded(first), second(14), loaded(second)) == (42, False, 42, True)
        assert not caplog.records

    def test_a_kernel_of_other_sources_is_compiled_anew(self, home, monkeypatch):
        compiled()(14)
        monkeypatch.setattr(caching, "SOURCES", "others")
        kernel = compiled()
        assert kernel(14) == 42
        assert not loaded(kernel)

    @pytest.mark.parametrize("suffix", ["nbi", "nbc"])
    @pytest.mark.parametrize(
        "damage", [lambda _: b"", lambda whole: whole[: len(whole) // 2], lambda whole: bytes(len(whole))]
    )
    def test_a_damaged_file_costs_a_compilation(self, home, caplog, suffix, damage):
        compiled()(14)
        (path,) = home.glob(f"*.{suffix}")
        path.write_bytes(damage(path.read_bytes()))
        kernel, after = compiled(), compiled()
        assert kernel(14) == 42
        assert not loaded(kernel)
        assert f"compiled kernels in {home} cannot be read and are compiled anew (" in caplog.text
        assert after(14) == 42
        assert loaded(after)

    def test_two_damaged_files_are_told_once(self, home, caplog):
        for function in (tripled, halved):
            compiled(function)(14)
        for path in home.glob("*.nbi"):
            path.write_bytes(b"")
        assert [compiled(function)(14) for function in (tripled, halved)] == [42, 7]
        assert len(caplog.records) == 1


class TestNotKept:
    def test_nowhere_to_write_is_told_once_and_costs_only_time(self, home, monkeypatch, caplog):
        monkeypatch.setattr(caching, "HOME", kernel_cache.Home(home, False))
        with caplog.at_level(logging.WARNING, logger="neardup"):
            assert [compiled(function)(14) for function in (tripled, halved)] == [42, 7]
        assert [record.getMessage() for record in caplog.records] == [kernel_cache.ANEW]
        assert not home.exists()

    def test_kernels_of_an_installation_that_cannot_be_written_are_read(self, home, monkeypatch, caplog):
        compiled()(14)
        monkeypatch.setattr(caching, "HOME", kernel_cache.Home(home, False))
        kernel = compiled()
        assert kernel(14) == 42
        assert loaded(kernel)
        assert not caplog.records

    def test_a_full_disk_is_told(self, home, monkeypatch, caplog):
        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        kernel = compiled()
        monkeypatch.setattr(kernel._cache._cache_file, "save", full)
        assert kernel(14) == 42
        assert f"cannot be kept in {home} (No space left on device)" in caplog.text


class TestHome:
    @pytest.fixture(autouse=True)
    def places(self, tmp_path, monkeypatch):
        """A package and a user of their own; what is in `closed` cannot be written."""
        self.closed = set[Path]()
        monkeypatch.setattr(kernel_cache, "__file__", str(tmp_path / "package" / "kernel_cache.py"))
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
        asked = os.access
        monkeypatch.setattr(
            os, "access", lambda path, mode: Path(path) not in self.closed and asked(path, mode)
        )
        for name in ("package", "home", "chosen"):
            (tmp_path / name).mkdir()

    def test_beside_the_package(self, tmp_path):
        assert kernel_cache.home() == (tmp_path / "package/kernels/__pycache__", True)

    def test_where_it_is_told_to(self, tmp_path, monkeypatch):
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen/further"))
        place = kernel_cache.home()
        assert (place.path.parent, place.writable) == (tmp_path / "chosen/further", True)

    def test_a_choice_that_cannot_be_is_passed_over(self, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
        assert kernel_cache.home().path == tmp_path / "package/kernels/__pycache__"

    def test_in_the_users_cache(self, tmp_path):
        self.closed = {tmp_path / "package"}
        place = kernel_cache.home()
        assert (place.path.parent, place.writable) == (tmp_path / "home/.cache/numba", True)

    def test_a_user_without_a_home(self, tmp_path, monkeypatch):
        def homeless():
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.setattr(Path, "home", homeless)
        self.closed = {tmp_path / "package"}
        assert kernel_cache.home() == (tmp_path / "package/kernels/__pycache__", False)

    def test_the_doctor_tells_what_it_costs(self, tmp_path):
        self.closed = {tmp_path / "package", tmp_path / "home"}
        checks = {check.what: check for check in doctor.examine(tmp_path / "none")}
        assert checks["kernel cache"][1:] == ("warning", kernel_cache.ANEW)

    def test_the_doctor_sees_kernels_that_are_there(self, tmp_path):
        place = tmp_path / "package/kernels/__pycache__"
        place.mkdir(parents=True)
        assert "is writable, not compiled yet" in self.finding(tmp_path)
        (place / "signing.sign_batch-1.nbi").write_bytes(b"")
        assert self.finding(tmp_path) == f"{place} is writable, compiled"
        self.closed = {place, tmp_path / "home"}
        assert self.finding(tmp_path) == f"{place} is not writable, compiled"

    @staticmethod
    def finding(tmp_path):
        return next(c.found for c in doctor.examine(tmp_path / "none") if c.what == "kernel cache")


def test_kernels_are_compiled_in_one_way():
    """A kernel with numba's own cache would not start in a read-only installation."""
    for path in sorted((PACKAGE / "kernels").glob("*.py")):
        named = {
            alias.name
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module == "numba"
            for alias in node.names
        }
        assert "njit" not in named, path


class TestInner:
    def test_it_is_a_part_of_the_kernel_that_calls_it_and_of_nothing_else(self, home):
        part = inner(tripled)

        def sextupled(number):
            return 2 * part(number)

        first, second = compiled(sextupled), compiled(sextupled)
        assert (first(7), loaded(first), second(7), loaded(second)) == (42, False, 42, True)
        assert {path.name.partition("-")[0].rpartition(".")[2] for path in home.iterdir()} == {"sextupled"}

    def test_a_part_has_parts(self, home):
        third = inner(halved)

        def second(number):
            return third(number) + third(number + 2)

        second = inner(second)

        def first(number):
            return second(number) + third(number)

        assert compiled(first)(20) == 31

    def test_with_a_numba_that_was_not_tried_it_is_compiled_as_numba_does_it(self, home, monkeypatch):
        monkeypatch.setattr("neardup.kernels.inner.IS_KNOWN", False)
        monkeypatch.setattr("neardup.kernels.caching.IS_KNOWN", False)
        part = inner(tripled)

        def sextupled(number):
            return 2 * part(number)

        first, second = compiled(sextupled), compiled(sextupled)
        assert (first(7), loaded(first), second(7), loaded(second)) == (42, False, 42, True)

    def test_a_test_may_call_it(self):
        assert inner(tripled)(14) == 42


def _decorated(module):
    tree = ast.parse((PACKAGE / "kernels" / f"{module}.py").read_text("utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {f.name for f in functions if any("njit" in ast.unparse(d) for d in f.decorator_list)}


def test_what_only_kernels_call_is_inner():
    """As a kernel of its own it would be compiled once more, which everybody waits for who starts neardup anew."""
    outside = "\n".join(
        path.read_text("utf-8") for path in PACKAGE.rglob("*.py") if path.parent.name != "kernels"
    )
    for path in sorted((PACKAGE / "kernels").glob("*.py")):
        uncalled = {name for name in _decorated(path.stem) if not re.search(rf"\b{name}\b", outside)}
        assert not uncalled, f"{path.name}: @inner is the decorator of {uncalled}"


def test_a_read_only_installation_without_a_home_starts(tmp_path):
    """A real copy of the package that cannot be written, beside a home that cannot."""
    prefix = UNPRIVILEGED if os.geteuid() == 0 else []
    if prefix and subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("permissions do not bind the superuser, and setpriv is not there to take its powers")
    copy = tmp_path / "site"
    shutil.copytree(PACKAGE, copy / "neardup", ignore=shutil.ignore_patterns("__pycache__"))
    folders = [copy, *(path for path in copy.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    script = (
        "import logging; logging.basicConfig()\n"
        "from neardup.kernels.hashing import splitmix64\n"
        "import neardup, numpy\n"
        "print(neardup.__file__, splitmix64(numpy.uint64(1)))"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(copy),
        "HOME": str(copy),
        "NUMBA_CACHE_DIR": str(copy),
    }
    done = subprocess.run(
        [*prefix, sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    for folder in folders:
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{copy / 'neardup/__init__.py'} {splitmix64(np.uint64(1))}\n"
    assert done.stderr.count(kernel_cache.ANEW) == 1
