"""What is built and installed: everything that the program reads, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from neardup.version import VERSION

ROOT = Path(__file__).parents[2]
LARGEST_WHEEL = 10_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    """The wheel as it would be published, built from this tree without a network."""
    out = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    return zipfile.ZipFile(path)


def test_data_files_are_in_the_built_wheel(wheel):
    inside = set(wheel.namelist())
    wanted = {f"neardup/data/{name}" for name in ("unicode16.bin", "default.lexicon")}
    assert wanted | {"neardup/py.typed"} <= inside


def test_what_is_put_into_a_cluster_is_in_the_built_wheel_as_it_is_in_the_tree(wheel):
    for folder in ("mappings", "ingest", "roles"):
        files = sorted((ROOT / folder).iterdir())
        assert files
        for file in files:
            assert wheel.read(f"neardup/elastic/files/{folder}/{file.name}") == file.read_bytes()


def test_an_installed_package_finds_them(wheel, tmp_path):
    wheel.extractall(tmp_path)
    script = (
        "from neardup.elastic.admin import resources\n"
        "assert 'site' in resources.__file__, resources.__file__\n"
        "print(*(path for name in ('mappings', 'ingest', 'roles') for path in resources.folder(name).iterdir()))\n"
    )
    site = tmp_path.rename(tmp_path.with_name("site"))
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(site)},
        cwd=site,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = done.stdout.split()
    assert len(found) == sum(len(list((ROOT / name).iterdir())) for name in ("mappings", "ingest", "roles"))
    assert all(path.startswith(str(site)) for path in found)


def test_every_module_is_in_the_built_wheel_and_nothing_else(wheel):
    modules = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src/neardup").rglob("*.py")}
    built = {name for name in wheel.namelist() if name.endswith(".py")}
    assert built == modules
    assert {name.split("/")[0] for name in wheel.namelist()} == {"neardup", f"neardup-{VERSION}.dist-info"}


def test_the_wheel_is_small(wheel):
    assert sum(info.compress_size for info in wheel.infolist()) < LARGEST_WHEEL


def test_the_wheel_says_what_it_is(wheel):
    metadata = wheel.read(f"neardup-{VERSION}.dist-info/METADATA").decode()
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: >=3.11" in metadata
    assert f"neardup-{VERSION}.dist-info/licenses/LICENSE" in wheel.namelist()
    assert b"neardup = neardup.__main__:main" in wheel.read(f"neardup-{VERSION}.dist-info/entry_points.txt")


def test_the_source_distribution_has_what_the_tests_need():
    with (ROOT / "pyproject.toml").open("rb") as file:
        included = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for name in (
        "src",
        "native",
        "tests",
        "examples",
        "scripts",
        "docs",
        "mappings",
        "ingest",
        "roles",
        "plugin/src",
        "Makefile",
    ):
        assert f"/{name}" in included
        assert (ROOT / name).exists()


def test_the_changelog_knows_this_version():
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_kernels_are_in_the_built_wheel_and_it_is_of_one_platform(wheel):
    made = {Path(name).name for name in wheel.namelist() if name.startswith("neardup/kernels/lib/")}
    assert made == {path.name for path in (ROOT / "src/neardup/kernels/lib").glob("*.so")}
    tag = wheel.read(f"neardup-{VERSION}.dist-info/WHEEL").decode()
    assert "Root-Is-Purelib: false" in tag
    assert re.search(r"^Tag: py3-none-(?!any)", tag, re.MULTILINE)


def test_no_pattern_repeats_a_group_possessively():
    """Python before 3.11.5, as Debian 12 has it, matches such a group half and goes on behind it."""
    found = {
        path.name: repeated
        for path in (ROOT / "src").rglob("*.py")
        if (repeated := re.findall(r"(?<!\\)\)[*+?]\+", path.read_text("utf-8")))
    }
    assert found == {}
