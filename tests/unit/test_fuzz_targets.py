"""Every fuzz target, without a fuzzer: on its seeds, on inputs that once broke something, and on a few mutations."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from testing.fuzz.target import MOST_BYTES, mutated
from testing.fuzz.targets import ALL

FOUND = Path(__file__).parents[2] / "testing" / "fuzz" / "found"
MUTATIONS = 20
"""Of each target's seeds: the same ones in every run, so that what passes once passes always."""


@pytest.fixture(autouse=True, scope="module")
def _room(tmp_path_factory):
    import tempfile

    before, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("fuzz"))
    yield
    tempfile.tempdir = before


@pytest.mark.parametrize("name", ALL)
def test_a_target_holds(name: str) -> None:
    random, target = Random(1), ALL[name]
    seeds = target.seeds()
    assert seeds
    assert max(map(len, seeds)) <= MOST_BYTES, "the fuzzer would cut it"
    for seed in random.sample(seeds, min(len(seeds), 5)):
        target.run(seed)
    for _ in range(MUTATIONS):
        target.run(mutated(random.choice(seeds), random))


@pytest.mark.parametrize("file", sorted(FOUND.glob("*-*")), ids=lambda file: file.name)
def test_what_was_found_does_not_come_again(file: Path) -> None:
    ALL[file.name.partition("-")[0]].run(file.read_bytes())


def test_every_input_that_was_found_is_of_a_target() -> None:
    assert {file.name.partition("-")[0] for file in FOUND.glob("*-*")} <= ALL.keys()
