"""What neardup needs, directly or not, may be used and passed on by whoever may use neardup (Apache-2.0)."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
ALLOWED_RE = re.compile(
    r"0BSD|Apache([ -]License,?)?[ -](Version )?2(\.0)?|Apache Software License|Apache|BSD( License)?|"
    r"Apache-2\.0 WITH LLVM-exception|BSD[ -]([23][ -]Clause|3)( License)?|CC0-1\.0|CNRI-Python|HPND|"
    r"ISC( License \(ISCL\))?|MIT( License)?|MIT-CMU|Mozilla Public License 2\.0 \(MPL 2\.0\)|MPL-(1\.1|2\.0)|"
    r"PSF-2\.0|Python Software Foundation License|Python-2\.0|The Unlicense \(Unlicense\)|Unlicense|Zlib"
)
SAID_ELSEWHERE = {"atheris": "Apache-2.0", "gaoya": "MIT"}
"""Packages whose metadata say nothing; their repositories do."""


def name_of(requirement: str) -> str:
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0]  # type: ignore[index]


def needed(names: list[str]) -> set[str]:
    """These packages, and what they need in turn, as far as it is installed here."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in found:
            continue
        try:
            requirements = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        found.add(name)
        waiting += [name_of(each) for each in requirements if "extra ==" not in each]
    return found


def licences_of(name: str) -> list[str]:
    """The licences that a package names: all must be allowed, or one of those with "or" between."""
    said: Any = metadata.metadata(name)
    if expression := said.get("License-Expression"):
        return re.split(r" AND |[()]", expression)
    classified = [
        each.rpartition(" :: ")[2] for each in said.get_all("Classifier") or [] if "License ::" in each
    ]
    classified = [each for each in classified if each != "OSI Approved"]
    return classified or [said.get("License") or SAID_ELSEWHERE.get(name, "nothing")]


EXTRAS = PROJECT["optional-dependencies"]
OF_USERS = [*PROJECT["dependencies"], *EXTRAS["arrow"], *EXTRAS["html"], *EXTRAS["serve"], *EXTRAS["mcp"]]
PACKAGES = needed([name_of(each) for each in OF_USERS]) | {
    name_of(each).lower().replace("_", "-")
    for extra in EXTRAS.values()
    for each in extra
    if needed([name_of(each)])
}


def test_the_packages_were_found():
    assert {"numpy", "elastic-transport", "typer"} <= PACKAGES


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_its_licence_is_allowed(name):
    for licence in licences_of(name):
        either = [part.strip() for part in re.split(r" OR | or ", licence) if part.strip()]
        assert not either or any(ALLOWED_RE.fullmatch(part) for part in either), licences_of(name)


def test_a_licence_that_asks_for_more_is_noticed():
    for licence in (
        "GPL-3.0-only",
        "GNU Affero General Public License v3",
        "nothing",
        "MIT-0-like",
        "SSPL-1.0",
    ):
        assert not ALLOWED_RE.fullmatch(licence)
