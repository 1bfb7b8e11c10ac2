"""The fast signature equals the slow oracle's, field by field, for any text, any q and every vector."""

from __future__ import annotations

import json
import random
import tracemalloc
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup.errors import DocumentError
from neardup.kernels.sketch import UNCOUNTED
from neardup.kinds import kind_of
from neardup.model.boilerplate import Boilerplate, SourceBoilerplate
from neardup.model.settings import REACHES, Recipe
from neardup.oracle import definitions as oracle
from neardup.reading.explanation import explain
from neardup.signing.boilerplate_file import save
from neardup.signing.doc_q import doc_q
from neardup.signing.signer import Signer, sign, signer_for
from neardup.tables.lexicon import Lexicon

VECTORS = Path(__file__).parents[2] / "vectors"

# Characters that the rules treat differently from one another, drawn far more often than chance would.
SPECIAL = (
    "aAbZ ssß ΣσςİıIi\u0301\u0300\u0327\u0323e\u0345\u1e9e.!?…。！？．｡؟۔।॥።,;\n\r\t\x0b\x85\u2028\u2029\u3000\xa0"
    "漢字かなカナกขำລາខ្មែmမြန်한ᄒ\u1161\u11a8각\u0958\u0344\u1f82\ufb2c𠮷\U0001d160😀\U0001f468\u200d\U0001f469"
    "\ufeff\u200b\x00\u0905\u094d\u0915\U000113c5\U00016121\U0001611e\u0cc6\u0cc2\u0cd5"
)
TEXTS = st.text(st.sampled_from(SPECIAL) | st.characters(exclude_categories=["Cs"]), max_size=300)
RECIPES = st.builds(
    Recipe,
    q=st.integers(1, 16),
    fold_case=st.booleans(),
    simhash_variants=st.integers(1, 10),
    sketch_size=st.integers(1, 64),
    reach=st.sampled_from(REACHES),
)
LONGER = st.builds(
    lambda letters, seed, length: "".join(random.Random(seed).choices(letters, k=length)),
    st.sampled_from(
        ["ab", "acgt", "0123456789", "abcdefghijklmnopqrstuvwxyz", "каждый звук", "漢字かなカナ𠮷"]
    ),
    st.integers(0, 1_000),
    st.integers(0, 3_000),
)


def expanded(value: Any) -> Any:
    """`value` with {"repeat": [unit, times]} written out."""
    if isinstance(value, dict):
        unit, times = value["repeat"]
        return unit * times
    return [expanded(item) for item in value] if isinstance(value, list) else value


def expected(text: str, recipe: Recipe) -> dict[str, object]:
    return oracle.sign(
        text,
        lexicon=Lexicon.default(),
        q=recipe.q,
        fold_case=recipe.fold_case,
        simhash_variants=recipe.simhash_variants,
        size=recipe.sketch_size,
        reach=str(recipe.reach),
        salt=None if recipe.salt is None else Path(recipe.salt).read_bytes(),
    )


@settings(max_examples=300, deadline=None)
@given(TEXTS, RECIPES)
def test_equals_the_oracle(text: str, recipe: Recipe) -> None:
    assert Signer(recipe).signature(text).to_dict() == expected(text, recipe)


@settings(max_examples=150, deadline=None)
@given(LONGER, RECIPES)
def test_sketches_of_longer_texts_equal_the_oracle(text: str, recipe: Recipe) -> None:
    form = oracle.normal_form(text, fold_case=recipe.fold_case)
    wanted = oracle.sketch(form, q=recipe.q, size=recipe.sketch_size, reach=str(recipe.reach))
    assert [f"{key:016x}" for key in Signer(recipe).sign([text.encode()]).sketches.tolist()] == wanted


@settings(max_examples=100, deadline=None)
@given(LONGER, RECIPES)
def test_a_set_that_is_not_counted_is_larger_than_every_limit(text: str, recipe: Recipe) -> None:
    signer = Signer(recipe)
    batch = signer.sign([text.encode()])
    size = len(oracle.qgrams(oracle.normal_form(text, fold_case=recipe.fold_case), recipe.q))
    assert batch.counts[0] == size or (
        batch.counts[0] == UNCOUNTED and size > recipe.sketch_limits.largest_copy_of(512)
    )
    built = batch._replace(counts=batch.counts.copy())
    signer.count(batch, [0])
    signer.key_sets(built, [0])
    assert built.counts[0] == batch.counts[0] == size == signer.sign([text.encode()], counted=True).counts[0]


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_equals_the_oracle_with_the_default_recipe(text: str) -> None:
    assert sign(text).to_dict() == expected(text, Recipe())


@settings(max_examples=50, deadline=None)
@given(st.lists(TEXTS, max_size=6))
def test_a_batch_is_its_documents(texts: list[str]) -> None:
    batch = signer_for(Recipe()).sign([text.encode() for text in texts])
    for i, text in enumerate(texts):
        alone = signer_for(Recipe()).sign([text.encode()])
        assert batch.text(i).decode() == oracle.normal_form(text)
        assert batch.text(i) == alone.text(0)
        assert batch.counts[i] == alone.counts[0]
        assert (batch.bitmaps[i] == alone.bitmaps[0]).all()
        assert (batch.fingerprints[i] == alone.fingerprints[0]).all()


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.integers(1, 16))
def test_keys_of_a_normal_form_are_the_keys_of_its_text(text: str, q: int) -> None:
    fast = Signer(Recipe(q=q))
    batch = fast.sign([text.encode()])
    again = fast.sign([batch.text(0)], normal=True)
    assert again.counts == batch.counts
    assert sorted(fast.key_sets(again)[0]) == sorted(fast.key_sets(batch)[0])
    assert again.text(0) == batch.text(0)


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_vectors(path: Path, tmp_path: Path) -> None:
    count = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        vector = json.loads(line)
        text = expanded(vector["text"])
        salt = None if vector["salt"] is None else tmp_path / f"{count}.salt"
        if salt is not None:
            salt.write_text(vector["salt"], "utf-8")
        recipe = Recipe(
            q=vector["q"], fold_case=vector["fold_case"], simhash_variants=vector["simhash_variants"],
            sketch_size=vector["sketch_size"], reach=float(vector["reach"]), salt=salt,
        )  # fmt: skip
        fields = Signer(recipe).signature(text).to_dict()
        assert {name: expanded(vector[name]) for name in fields} == fields, vector["name"]
        count += 1
    assert count > 0


def test_boilerplate_of_the_recipe_is_left_out_of_what_is_signed(tmp_path: Path) -> None:
    footer, story = "All rights reserved by us.", "The ferry ran aground off the western spit at dawn."
    table = tmp_path / "boilerplate.json"
    save(Boilerplate({"ann.org": SourceBoilerplate(40, {footer: 38})}), table)
    signed = partial(sign, recipe=Recipe(boilerplate=table))
    whole, left = f"{footer}\n{story}", signed(story)
    assert left.fingerprint == sign(story).fingerprint
    assert signed(whole) == signed(whole, source="ann.org") == left
    assert signed(whole, source="bob.org") == replace(sign(whole), recipe=left.recipe)
    with pytest.raises(DocumentError, match=r"text has the unpaired surrogate U\+D800 at position 0"):
        signed(f"\ud800{whole}")
    with pytest.raises(TypeError, match=r"text is .*bytes.*, not a text"):
        signed(b"bytes")  # type: ignore[arg-type]


def test_an_unpaired_surrogate_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"U\+D800 at position 3"):
        sign("abc\ud800")


def test_a_long_combining_sequence_is_reordered_stably() -> None:
    text = "a" + "\u0301\u0327\u0316" * 5_000 + "b"
    assert sign(text).to_dict() == expected(text, Recipe())


@pytest.mark.parametrize("value", [None, 5, b"bytes", ["text"], float("nan")])
def test_what_is_no_text_is_named(value):
    of_two = [
        partial(call, *two) for call in (doc_q, explain, kind_of) for two in (("a", value), (value, "a"))
    ]
    for call in (*of_two, partial(sign, value)):
        with pytest.raises(
            TypeError, match=rf"(?:a|b|text) is .*{type(value).__name__}.*, not a text \(str\)"
        ):
            call()


@pytest.mark.parametrize("call", [doc_q, explain, kind_of])
def test_half_a_character_is_an_error_of_neardup(call):
    for broken in (partial(call, "a\ud800", "b"), partial(call, "b", "a\ud800"), partial(sign, "a\ud800")):
        with pytest.raises(
            DocumentError, match=r"(?:a|b|text) has the unpaired surrogate U\+D800 at position 1"
        ):
            broken()


def test_working_arrays_of_a_large_text_are_not_kept():
    own = Signer(Recipe())
    own.sign([b"word " * 200_000])
    assert len(own.scratch(1).points) < 1_000_000


def test_a_large_text_needs_no_arrays_that_a_small_machine_refuses():
    """An array that is larger than all memory is refused, however little of it would be used."""
    own, text = Signer(Recipe()), ("永字八法" * 350_000).encode()
    tracemalloc.start()
    own.sign([text])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 600 * len(text)


def test_a_salt_that_can_be_guessed_is_told_once_however_many_recipes_have_it(tmp_path, caplog):
    salt = tmp_path / "s"
    salt.write_bytes(b"12345678")
    for _ in range(2):
        for size in range(8, 24):
            signer_for(Recipe(sketch_size=size, salt=salt))
    assert caplog.text.count("which can be guessed") == 1
    salt.write_bytes(b"1234567")
    signer_for(Recipe(salt=salt))
    assert caplog.text.count("which can be guessed") == 2
