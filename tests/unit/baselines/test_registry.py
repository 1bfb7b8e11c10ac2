"""Methods are named without being loaded, and made by name."""

from __future__ import annotations

import subprocess
import sys

import pytest
from testing.baseline_texts import collection

from neardup.baselines.registry import METHODS, make


def test_naming_methods_loads_no_kernel_and_no_library():
    script = (
        "import sys\nfrom neardup.baselines.registry import METHODS\nassert METHODS\n"
        "heavy = {'numpy', 'neardup.kernels', 'datasketch', 'xxhash'} & set(sys.modules)\nassert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_only_the_method_that_runs_on_datasketch_loads_it():
    script = (
        "import sys\nfrom neardup.baselines.registry import METHODS\n"
        "for name in METHODS:\n    name.startswith(('MinHash', 'RETSim')) or METHODS[name]()\n"
        "assert 'datasketch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(KeyError, match=r"'doc_q' is no method: use one of .*doc_q\(q=4\)"):
        make("doc_q")


@pytest.mark.parametrize(
    "name", ["I-Match(idf=0.2..0.85, lexicons=10)", "MinHash LSH(q=4, permutations=128)"]
)
def test_another_seed_draws_otherwise_and_the_same_seed_alike(name):
    texts = collection()

    def signatures(seed):
        method = make(name, seed=seed)
        method.learn(texts)
        return [list(method.sign(text)) for text in texts]

    assert signatures(1) == signatures(1)
    assert signatures(1) != signatures(2)


def test_a_seed_is_nothing_to_a_method_that_draws_nothing():
    assert make("doc_q(q=4)", seed=7).name == "doc_q(q=4)"


@pytest.mark.parametrize(
    "name",
    [
        "cosine",
        "I-Match(idf=0.2..0.85)",
        "clipped doc_q(q=4, least=2, most=0.1)",
        "shingling(w=10, resemblance, every=25, most=1000)",
    ],
)
def test_a_method_without_its_statistics_says_what_to_do(name):
    method = METHODS[name]()
    with pytest.raises(ValueError, match=r"call learn\(texts\) with a text or more before sign"):
        method.sign("A rose is a flower")
    method.learn([])
    with pytest.raises(ValueError, match="has no collection statistics"):
        method.sign("A rose is a flower")


def test_a_missing_datasketch_is_named_with_the_extra_that_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasketch", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"'neardup\[bench\]', or in a checkout pip install '\.\[bench\]'"
    ):
        make("MinHash LSH(q=4, permutations=128)")
