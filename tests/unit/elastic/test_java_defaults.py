"""The numbers of the plugin, read from its Java sources, are those of the Python package."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest
from testing.node.servers import DEFAULT, SERVERS, server_of

from neardup.elastic.admin import managed_objects, resources
from neardup.elastic.admin.cluster_snapshot import PROCESSOR
from neardup.errors import SettingsError
from neardup.model import settings
from neardup.model.settings import Recipe, Settings, exact_threshold
from neardup.tables import container, lexicon

PLUGIN: Final = Path(__file__).parents[3] / "plugin"
JAVA: Final = PLUGIN / "src" / "main" / "java" / "org" / "neardup"
CONSTANT: Final = re.compile(r"static final (?:int|long|double|String) (\w+) =\s+([^;]+);")
LITERAL: Final = re.compile(r"\b\d{1,3}(?:_\d{3})+\b")


def source(name: str) -> str:
    return (JAVA / name).read_text("utf-8")


def value(expression: str) -> Any:
    """What a literal of Java's, or one shifted, is worth."""
    if expression.startswith('"'):
        return expression.strip('"')
    if "<<" in expression:
        number, places = expression.split(" << ")
        return value(number) << value(places)
    if "." in expression:
        return float(expression)
    return int(expression.rstrip("L"), 0)


def constant(name: str, wanted: str) -> Any:
    """The constant `wanted` of the class in the file `name`."""
    found = dict(CONSTANT.findall(source(name)))
    return value(found[wanted])


def arguments(name: str, made: str) -> list[str]:
    """What the constant `DEFAULT` of a class is made of."""
    match = re.search(rf"static final {made} DEFAULT = new {made}\(([^)]*)\)", source(name))
    assert match is not None
    return match[1].split(", ")


@pytest.mark.parametrize(
    ("file", "name", "python"),
    [
        ("signature/Recipe.java", "MAX_Q", settings.MAX_Q),
        ("signature/Recipe.java", "MAX_Q", lexicon.LARGEST_Q),
        ("signature/Recipe.java", "MAX_SIMHASH_VARIANTS", settings.MAX_SIMHASH_VARIANTS),
        ("signature/Recipe.java", "MAX_SKETCH_SIZE", settings.MAX_SKETCH_SIZE),
        ("signature/Signer.java", "DEFAULT_MAX_LENGTH", managed_objects.MAX_LENGTH),
        ("signature/Signer.java", "LARGEST_MAX_LENGTH", settings.DEFAULT_MAX_LENGTH),
        ("signature/Sketch.java", "WIDE_ABOVE", settings.WIDE_ABOVE),
        ("signature/Simhash.java", "WORDS_KEPT_BELOW", settings.WORDS_KEPT_BELOW),
        ("signature/Lexicon.java", "QGRAM_SLOT_SHIFT", 64 - lexicon.QGRAM_SLOT_BITS),
        ("signature/Lexicon.java", "WORD_SLOT_SHIFT", 64 - lexicon.WORD_SLOT_BITS),
        ("signature/Lexicon.java", "QGRAM_SLOTS", lexicon.QGRAM_SLOTS),
        ("signature/Lexicon.java", "WORD_SLOTS", lexicon.WORD_SLOTS),
        ("signature/Lexicon.java", "UNKNOWN_CLASS", lexicon.UNKNOWN_CLASS),
        ("signature/Lexicon.java", "KIND", lexicon.KIND.decode()),
        ("signature/DataFile.java", "MAGIC", container.MAGIC.decode()),
        ("signature/DataFile.java", "HEADER_BYTES", container.HEADER.size),
        ("query/SeekPlan.java", "COMPLETE_SHARED", settings.COMPLETE_SHARED),
        ("plugin/NeardupProcessor.java", "TYPE", PROCESSOR),
        ("plugin/NeardupProcessorFactory.java", "DEFAULT_FIELD", managed_objects.TEXT_FIELD),
    ],
)
def test_a_constant_is_that_of_python(file: str, name: str, python: Any) -> None:
    assert constant(file, name) == python


def test_a_sentence_has_as_many_words_as_in_the_kernels() -> None:
    least = constant("signature/SentenceFingerprints.java", "MIN_SENTENCE_WORDS")
    assert f"MIN_SENTENCE_WORDS = {least}," in (PLUGIN.parent / "native" / "words.h").read_text("utf-8")


REACHES: Final = {
    name: (float(text), Fraction(int(tenths), 10), int(whole))
    for name, text, tenths, whole in re.findall(
        r"(\w+)\(\"([\d.]+)\", (\d+), (\d+)\) \{", source("signature/Reach.java")
    )
}


def test_the_default_recipe_is_that_of_python() -> None:
    recipe = Recipe()
    *numbers, reach, salt = arguments("signature/Recipe.java", "Recipe")
    wanted = [recipe.q, recipe.fold_case, recipe.simhash_variants, recipe.sketch_size]
    assert numbers == [str(each).lower() for each in wanted]
    assert REACHES[reach.removeprefix("Reach.")][0] == recipe.reach
    assert (salt, recipe.salt) == ("null", None)


def test_the_reaches_are_those_of_python() -> None:
    assert {reach for reach, _, _ in REACHES.values()} == set(settings.REACHES)
    for reach, lowest, whole in REACHES.values():
        limits = Recipe(reach=reach).sketch_limits
        assert (limits.lowest, limits.whole) == (lowest, whole)


def test_the_default_threshold_is_that_of_python() -> None:
    numerator, denominator = map(int, arguments("query/Threshold.java", "Threshold"))
    assert Fraction(numerator, denominator) == Settings().threshold_fraction


def test_a_threshold_has_as_many_decimals_as_in_python() -> None:
    decimals = constant("query/Threshold.java", "DECIMALS")
    assert exact_threshold(f"0.{'0' * (decimals - 1)}1") == Fraction(1, 10**decimals)
    with pytest.raises(SettingsError):
        exact_threshold(f"0.{'0' * decimals}1")


def test_the_signature_lies_where_the_mapping_has_it() -> None:
    component = resources.load("mappings", "neardup-fields.json", "news")
    field = constant("signature/Signature.java", "DEFAULT_FIELD")
    assert field in component["template"]["mappings"]["properties"]


def test_the_plugin_is_built_for_the_default_of_the_list() -> None:
    pom = (PLUGIN / "pom.xml").read_text("utf-8")
    for option in DEFAULT.options():
        name, value = option.removeprefix("-D").split("=")
        assert f"<{name}>{value}<" in pom


def test_every_server_of_the_list_can_be_built_of_layers_that_are_there() -> None:
    used = set()
    for server in SERVERS:
        options = dict(option.removeprefix("-D").split("=") for option in server.options())
        assert options["server.version"] == server.version
        used |= {value for name, value in options.items() if name.startswith("layer.")} | {server.product}
    assert used == {path.name for path in (PLUGIN / "src" / "layers").iterdir()}
    assert sorted(server.note for server in SERVERS if server.note) == [
        "default",
        "newest",
        "newest",
        "oldest",
    ]


def test_another_version_of_a_line_is_built_as_the_line() -> None:
    listed, other = server_of("9.1.10"), server_of("9.1.5")
    assert [each.replace("9.1.5", "9.1.10") for each in other.options()] == listed.options()
    with pytest.raises(ValueError, match=r"9\.4\.1 is of no line that plugin/versions\.tsv has"):
        server_of("9.4.1").options()


def test_no_large_number_has_two_homes() -> None:
    homes = [
        literal for path in JAVA.rglob("*.java") for literal in set(LITERAL.findall(path.read_text("utf-8")))
    ]
    assert len(homes) >= 3
    assert sorted(homes) == sorted(set(homes))
