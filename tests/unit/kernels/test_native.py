"""The compiled kernels: how they are found and called, and that every library of them computes the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import neardup
from neardup.errors import KernelsUnusable
from neardup.kernels import native
from neardup.kernels.native import Kernel
from neardup.tables.lexicon import QGRAM_SLOT_BITS, WORD_SLOT_BITS

ROOT = Path(__file__).parents[3]
PACKAGE = Path(neardup.__file__).parent
UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
"""The superuser without the power to write where permissions forbid it."""

sys.path.insert(0, str(ROOT / "native"))
import compile_kernels  # noqa: E402 - it lies beside the package, and pip runs it alone

gather = Kernel("gather")


def arrays() -> dict[str, np.ndarray]:
    return {
        "source": np.arange(10, dtype=np.uint64),
        "starts": np.array([1, 7]),
        "sizes": np.array([2, 3]),
        "out": np.zeros(5, np.uint64),
    }


class TestCall:
    def test_arrays_and_tuples_of_them_go_in(self):
        given = arrays()
        source, starts, sizes, out = given.values()
        assert gather((source, (starts, sizes)), out) == 0
        assert out.tolist() == [1, 2, 7, 8, 9]

    def test_what_is_only_read_may_be_read_only(self):
        given = arrays()
        for name in ("source", "starts", "sizes"):
            given[name].setflags(write=False)
        gather(*given.values())
        assert given["out"].tolist() == [1, 2, 7, 8, 9]

    def test_empty_arrays_are_nothing(self):
        none = np.empty(0, np.int64)
        assert gather(np.empty(0, np.uint64), none, none, np.empty(0, np.uint64)) == 0

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            (
                "starts",
                np.array([1, 7], np.int32),
                "starts must be a contiguous array of int64, not of int32",
            ),
            ("starts", [1, 7], "starts must be an array of int64, not list"),
            ("source", np.arange(20, dtype=np.uint64)[::2], "not of uint64 that is not contiguous"),
        ],
    )
    def test_another_array_is_refused_by_name(self, name, value, message):
        with pytest.raises(TypeError, match=message):
            gather(*(arrays() | {name: value}).values())

    def test_what_is_written_must_not_be_read_only(self):
        given = arrays()
        given["out"].setflags(write=False)
        with pytest.raises(TypeError, match="kernel gather writes to out, which is read-only"):
            gather(*given.values())

    def test_columns_of_records_are_refused_where_rows_may_not_lie_apart(self):
        records = np.zeros(2, [("start", np.int64), ("size", np.int64)])
        with pytest.raises(TypeError, match=r"starts .* not contiguous"):
            gather(*(arrays() | {"starts": records["start"]}).values())

    def test_every_argument_is_wanted(self):
        with pytest.raises(TypeError, match="kernel gather takes 4 arguments, not 3"):
            gather(*list(arrays().values())[:3])

    def test_numbers_of_64_bits_go_in_whatever_their_sign(self):
        mixed = Kernel("splitmix64")
        assert mixed(-1) == mixed(2**64 - 1) == mixed(np.uint64(2**64 - 1))

    def test_no_memory_is_an_error(self, monkeypatch):
        kernel = Kernel("gather")
        monkeypatch.setattr(kernel, "_function", lambda *_: -(2**63))
        with pytest.raises(MemoryError, match="no memory for the kernel gather"):
            kernel(*arrays().values())


class TestLibrary:
    def test_it_is_of_the_sources_that_lie_here(self):
        assert compile_kernels.sources_hash() == native.SOURCES, "run `python native/compile_kernels.py`"

    def test_one_that_is_not_there_is_told_with_the_way_out(self, monkeypatch, tmp_path):
        monkeypatch.setattr(native, "LIBRARIES", tmp_path)
        monkeypatch.delenv(native.LEVEL_VARIABLE, raising=False)
        with pytest.raises(KernelsUnusable, match=r"cannot be loaded .*: install neardup again"):
            native.library_path()

    @pytest.mark.parametrize("level", ["2", "5", "best"])
    def test_a_level_that_there_is_not_is_refused(self, monkeypatch, level):
        monkeypatch.setenv(native.LEVEL_VARIABLE, level)
        with pytest.raises(KernelsUnusable, match=f"NEARDUP_CPU_LEVEL is '{level}': this processor has 1"):
            native.library_path()

    def test_one_that_is_no_library_is_told_too(self, tmp_path):
        (tmp_path / "kernels-1.so").write_bytes(b"not found")
        with pytest.raises(KernelsUnusable, match="cannot be loaded"):
            native._loaded(tmp_path / "kernels-1.so")

    def test_a_kernel_of_another_version_is_told(self):
        with pytest.raises(KernelsUnusable, match="have no unheard_of: install neardup again"):
            Kernel("unheard_of")

    def test_numbers_that_both_languages_have_are_the_same(self):
        """Some stand in C once more, as a compiler wants them."""
        header = (ROOT / "native/qgrams.h").read_text()
        assert f"QGRAM_SLOT_BITS = {QGRAM_SLOT_BITS}," in header
        assert f"WORD_SLOT_BITS = {WORD_SLOT_BITS}," in (ROOT / "native/words.h").read_text()


def digest(level: str) -> str:
    """What comes out of everything, by the library of a level of the processor."""
    environment = os.environ | {native.LEVEL_VARIABLE: level, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(Path(__file__).with_name("everything.py"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def levels_here() -> list[str]:
    """Levels that this processor has, of those that were made."""
    best = native._loaded(native.LIBRARIES / "kernels-1.so").neardup_level()
    return [level for level in native.LEVELS if int(level) <= best]


def test_every_level_of_the_processor_comes_to_the_same():
    found = {level: digest(level) for level in levels_here()}
    assert len(set(found.values())) == 1, found
    assert all(f"kernels-{level}.so" not in text for level, text in found.items())


class TestCompiler:
    @pytest.fixture(autouse=True)
    def no_choice(self, monkeypatch):
        monkeypatch.delenv("CC", raising=False)

    def test_the_chosen_one(self, monkeypatch):
        monkeypatch.setenv("CC", "clang -fcolor-diagnostics")
        assert compile_kernels.compiler() == ["clang", "-fcolor-diagnostics"]

    def test_where_there_is_none_pip_brings_one(self, monkeypatch):
        monkeypatch.setenv("PATH", "")
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
        assert compile_kernels.compiler() is None
        monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
        assert compile_kernels.compiler() == [sys.executable, "-m", "ziglang", "cc"]

    def test_none_at_all_is_told_with_the_ways_out(self, monkeypatch, tmp_path):
        monkeypatch.setattr(compile_kernels, "compiler", lambda: None)
        with pytest.raises(
            compile_kernels.CannotCompile, match=r"no C compiler \(cc, gcc, clang\): install one"
        ):
            compile_kernels.build(tmp_path / "lib")

    def test_one_that_fails_is_quoted(self, monkeypatch, tmp_path):
        monkeypatch.setenv("CC", "false")
        with pytest.raises(compile_kernels.CannotCompile, match="false cannot compile the kernels"):
            compile_kernels.build(tmp_path / "lib")

    def test_one_that_knows_no_levels_of_x86_64_by_name_does(self, monkeypatch, tmp_path):
        """As GCC before 11 and Clang before 12."""
        old = tmp_path / "old"
        old.write_text(
            "#!/bin/sh\n"
            'case "$*" in *-march=x86-64-v*) echo "bad value for -march=" >&2; exit 1;; esac\n'
            'while [ "$1" != -o ]; do shift; done\n'
            'echo compiled > "$2"\n'
        )
        old.chmod(0o755)
        monkeypatch.setenv("CC", str(old))
        assert all(path.read_text() == "compiled\n" for path in compile_kernels.build(tmp_path / "lib"))

    def test_what_is_there_already_is_not_compiled_again(self, monkeypatch):
        monkeypatch.setenv("CC", "false")
        assert compile_kernels.build(ROOT / compile_kernels.LIBRARIES)

    def test_what_was_compiled_on_another_system_is(self, monkeypatch, tmp_path):
        """A checkout that a container shares with its host, say."""
        for library in native.LIBRARIES.glob("*.so"):
            (tmp_path / library.name).write_bytes(b"\0" + library.read_bytes())
        monkeypatch.setenv("CC", "false")
        with pytest.raises(compile_kernels.CannotCompile, match="false cannot compile the kernels"):
            compile_kernels.build(tmp_path)


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
    script = "import neardup; print(neardup.__file__, neardup.doc_q('A rose', 'A rose'))"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(copy), "HOME": str(copy)}
    done = subprocess.run(
        [*prefix, sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    for folder in folders:
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == (f"{copy / 'neardup/__init__.py'} 1.0\n", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sanitizers", "runtimes", "threads"),
    [("address,undefined", ("libasan.so", "libubsan.so"), 1), ("thread", ("libtsan.so",), 3)],
)
def test_nothing_is_read_or_written_beyond_its_array_or_by_two_threads_at_once(
    tmp_path, monkeypatch, sanitizers, runtimes, threads
):
    """Everything once, under sanitizers, by the best level there is here."""
    libraries = [shared_library(name) for name in runtimes]
    if not all(libraries):
        pytest.skip("gcc and its sanitizers are not here")
    # That of threads knows no addresses as widely spread as a system may choose them.
    command = ["setarch", "-R"] if sanitizers == "thread" else []
    if command and subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("addresses cannot be fixed here")
    package = tmp_path / "neardup"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    flags = [flag for flag in compile_kernels.FLAGS if flag not in {"-O3", "-s"}]
    # Words are read where they lie.
    sanitizing = ["-Og", f"-fsanitize={sanitizers}", "-fno-sanitize=alignment"]
    monkeypatch.setattr(compile_kernels, "FLAGS", [*flags, *sanitizing])
    level = levels_here()[-1]
    compile_kernels.compile_level(["gcc"], int(level), package / "kernels/lib" / f"kernels-{level}.so")
    environment = os.environ | {
        native.LEVEL_VARIABLE: level,
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",  # of Python's own there are many
        "UBSAN_OPTIONS": "halt_on_error=1",
    }
    command += [sys.executable, str(Path(__file__).with_name("everything.py")), str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == digest(level)


def shared_library(name: str) -> str:
    """Where gcc has a library of its own; nothing if there is none."""
    if shutil.which("gcc") is None:
        return ""
    done = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=False)
    return done.stdout.strip() if Path(done.stdout.strip()).is_absolute() else ""


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="nothing says what this processor is")
def test_the_level_is_that_of_the_processor():
    flags = set(Path("/proc/cpuinfo").read_text().partition("\nflags")[2].partition("\n")[0].split())
    wanted = "3" if {"avx2", "bmi1", "bmi2", "fma", "movbe", "f16c"} <= flags else "1"
    if wanted == "3" and {"avx512f", "avx512bw", "avx512vbmi", "avx512_vbmi2", "avx512_vpopcntdq"} <= flags:
        wanted = "4"
    path = native.library_path() if native.LEVEL_VARIABLE not in os.environ else None
    assert path is None or path.name == f"kernels-{wanted}.so"
