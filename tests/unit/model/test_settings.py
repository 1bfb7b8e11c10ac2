"""Every setting: what it may be, what is said if it is not."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup.errors import SettingsError
from neardup.model.settings import MAX_SKETCH_SIZE, Recipe, Settings, exact_threshold
from neardup.oracle import definitions as oracle
from neardup.tables.lexicon import Lexicon


@pytest.mark.parametrize(("value", "expected"), [
    (0.7, Fraction(7, 10)), ("0.7", Fraction(7, 10)), (Decimal("0.70"), Fraction(7, 10)), (1, Fraction(1)),
    (1.0, Fraction(1)), ("1", Fraction(1)), (0.1, Fraction(1, 10)), ("1e-6", Fraction(1, 10**6)),
    (0.333333, Fraction(333333, 10**6)), (Fraction(2, 3), Fraction(2, 3)), ("7e-1", Fraction(7, 10)),
])  # fmt: skip
def test_a_threshold_is_the_decimal_it_prints_as(value, expected):
    assert exact_threshold(value) == expected
    assert Settings(threshold=value).threshold_fraction == expected


@given(st.integers(1, 10**6))
def test_any_six_decimals_are_exact(millionths):
    assert exact_threshold(millionths / 10**6) == Fraction(millionths, 10**6)


@pytest.mark.parametrize("value", [
    0, 0.0, -0.1, 1.000001, 2, "", "high", None, "0,7", float("nan"), float("inf"), "nan", "inf", "1e-7", 0.1234567,
    [], True + 1, Fraction(1, 10**6 + 3), "1/0", "a/b", "4/3", "1e-999999999", "1e999999999",
])  # fmt: skip
def test_what_is_no_threshold_is_refused(value):
    with pytest.raises(SettingsError, match="setting threshold is"):
        exact_threshold(value)
    with pytest.raises(SettingsError, match="setting other is"):
        exact_threshold(value, "other")


GOOD: dict[str, list[Any]] = {
    "retrieval": ["sketch", "complete"], "policy": ["mark", "drop", "route"], "matches": [None, 0, 5, 10],
    "window_hours": [0, 1, 24, 10**6], "routes": [(), ("simhash",), ["sentences", "simhash"]],
    "max_documents": [0, 1], "max_memory": [0, 10**12], "max_length": [1, 10**9], "max_candidates": [0, 1],
    "batch_documents": [1, 10**6], "threads": [1, 64], "fsync": [True, False], "min_shared": [None, 1, 4],
    "recipe": [None, Recipe()], "partial": [True, False], "containment": [1, "0.5", 0.25], "delta": [0, 9],
}  # fmt: skip
BAD: dict[str, list[Any]] = {
    "retrieval": ["", "fast", None], "policy": ["keep", None, 1], "matches": [-1, 1.0, "all", True],
    "window_hours": [-1, 1.5, None, "24", 10**6 + 1, 2**63 - 1, 10**20], "routes": ["simhash", ("words",), (1,)],
    "show": ["title", 5, None, ("",), {"a": 1}],
    "max_documents": [-1, None, 1.0], "max_memory": [-1, "1G"], "max_length": [0, None], "max_candidates": [-1],
    "keep_hours": [-1, 1.0, 10**12 + 1, 10**20],
    "batch_documents": [0, 2.0, True], "threads": [0, None], "fsync": [None, 1, "yes"],
    "min_shared": [0, MAX_SKETCH_SIZE + 1, 2.0],
    "partial": [None, 1, "yes"], "containment": [0, 1.5, "much", None], "delta": [-1, 0.5, None],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in GOOD.items() for value in values]
)
def test_good_settings(name, value):
    settings = Settings(**{name: value})
    assert getattr(settings, name) == (tuple(value) if name == "routes" else value)


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD.items() for value in values]
)
def test_bad_settings_are_named(name, value):
    with pytest.raises(SettingsError, match=f"setting {name} is ") as caught:
        Settings(**{name: value})
    assert caught.value.name == name
    with pytest.raises(ValueError, match=name):
        Settings().with_changes(**{name: value})


def test_a_size_in_words_is_refused_with_the_unit_that_is_meant():
    with pytest.raises(SettingsError, match=r"is '1GB'.* 0 bytes, such as 1_500_000_000 for"):
        Settings(max_memory="1GB")  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "value"), [
    ("q", 0), ("q", 17), ("q", 4.0), ("q", True), ("fold_case", 1), ("simhash_variants", 0), ("simhash_variants", 11),
    ("sketch_size", 0), ("sketch_size", 65), ("reach", 0.7), ("reach", 0.55), ("reach", "0.7"), ("reach", None),
    ("reach", float("nan")), ("reach", 0), ("reach", []),
    ("lexicon", 7), ("lexicon", ["a"]), ("salt", ""), ("salt", True), ("boilerplate", "a\0b"),
])  # fmt: skip
def test_bad_recipes_are_named(name, value):
    with pytest.raises(SettingsError, match=f"setting {name} is "):
        Recipe(**{name: value})


@pytest.mark.parametrize("half", ["0.5", Fraction(1, 2), Decimal("0.5"), np.float64(0.5)], ids=repr)
def test_a_reach_is_one_recipe_in_whatever_form_it_is_given(half):
    recipe: Any = Recipe(reach=half)
    assert recipe == Recipe(reach=0.5)
    assert recipe.text("0123abcd") == Recipe(reach=0.5).text("0123abcd")
    assert type(recipe.reach) is float


@pytest.mark.parametrize("recipe", [
    Recipe(), Recipe(q=16, fold_case=True), Recipe(simhash_variants=10, sketch_size=64), Recipe(reach=0.5),
])  # fmt: skip
def test_the_recipe_string_is_the_oracles(recipe):
    lexicon = Lexicon.default()
    expected = oracle.recipe(
        lexicon, q=recipe.q, fold_case=recipe.fold_case, simhash_variants=recipe.simhash_variants,
        size=recipe.sketch_size, reach=str(recipe.reach),
    )  # fmt: skip
    assert recipe.text(lexicon.id) == expected


def test_settings_do_not_change_under_ones_hands():
    settings = Settings()
    with pytest.raises(FrozenInstanceError):
        settings.threshold = 0.8  # type: ignore[misc]
    assert settings.with_changes(threshold=0.8).threshold == 0.8
    assert settings.with_changes() == settings
    with pytest.raises(TypeError):
        settings.with_changes(unknown=1)


# -- the salt --


def salt_file(directory, secret):
    path = directory / "the.salt"
    path.write_bytes(secret)
    return path


@pytest.mark.parametrize("secret", [b"x", b" correct horse \n", bytes(range(256)), b"\0"])
def test_the_recipe_string_names_a_salt_by_a_digest_of_its_bytes(tmp_path, secret):
    lexicon = Lexicon.default()
    text = Recipe(salt=salt_file(tmp_path, secret)).text(lexicon.id)
    assert text == oracle.recipe(lexicon, salt=secret)
    assert text != Recipe(salt=salt_file(tmp_path, secret + b"\n")).text(lexicon.id)


def test_the_recipe_string_does_not_tell_the_seed(tmp_path):
    recipe = Recipe(salt=salt_file(tmp_path, b"secret"))
    assert f"{recipe.salt_seed:016x}"[:8] not in recipe.text("0")
    assert Recipe().salt_seed == 0


def test_a_salt_that_is_not_there_or_cannot_be_read_is_named(tmp_path):
    for path, reason in ((tmp_path / "gone.salt", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(SettingsError, match=f"setting salt is .*{path}.*{reason}"):
            Recipe(salt=path).text("0")


def test_an_empty_salt_is_no_secret(tmp_path):
    with pytest.raises(SettingsError, match="a file that is not empty"):
        Recipe(salt=salt_file(tmp_path, b"")).text("0")


def test_documents_may_be_kept_for_longer_than_any_are_compared():
    assert Settings(window_hours=24, keep_hours=8_760_000).kept_hours == 8_760_000


def test_numbers_of_numpy_are_plain_numbers_as_settings():
    hours: Any = {"window_hours": np.int64(48), "keep_hours": np.uint16(72)}
    others: Any = {"matches": np.int8(3), "kinds": np.bool_(True)}
    recipe: Any = {"q": np.int32(5), "fold_case": np.bool_(True)}
    settings = Settings(**hours, **others, recipe=Recipe(**recipe))
    assert settings == Settings(
        window_hours=48, keep_hours=72, matches=3, kinds=True, recipe=Recipe(q=5, fold_case=True)
    )
    assert type(settings.remembered["window_hours"]) is type(settings.remembered["keep_hours"]) is int
    with pytest.raises(SettingsError, match=r"setting window_hours is -1: it must be"):
        Settings().with_changes(window_hours=np.int64(-1))


@pytest.mark.parametrize(
    ("settings", "documents"),
    [
        ({}, 1_024),
        ({"batch_documents": 7, "matches": None}, 7),
        ({"matches": None}, 256),  # each may have very many
        ({"candidates": "search"}, 1_024),
        ({"retrieval": "complete"}, 1_024),
        ({"candidates": "search", "retrieval": "complete"}, 256),  # each is a search
    ],
)
def test_batches_are_large_unless_a_document_may_cost_much(settings, documents):
    assert Settings(**settings).documents_at_once == documents


def test_without_changes_nothing_is_validated_again():
    """As in every query, of which it would be a tenth."""
    settings = Settings(threshold=0.8)
    assert settings.with_changes() is settings
