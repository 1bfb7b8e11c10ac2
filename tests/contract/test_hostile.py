"""What authors of documents can do to a window: waves of one template, words that fill a sketch, a footer for all."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import neardup
from neardup.model.document import Document
from neardup.model.settings import Recipe
from neardup.oracle import definitions as oracle
from neardup.signing.lexicon_sample import lexicon_of

TEMPLATE = (
    "Storm warning of the coast guard for the western spit: gusts of force ten are expected before dawn, ferries stay "
    "in port, the bridge is closed to high vehicles, and whoever lives below the dyke is asked to move cars and bins. "
    "The next warning follows at noon. Number {}."
)
PUBLIC_WORDS = "ftym tyyp xcid tejc itrp nefp chbt dstl " * 4
"""145 characters that once filled every sketch of a text that they were appended to."""


def words(numbers: random.Random, count: int) -> str:
    letters = "etaoinshrdlucmfwypvbgk"
    return " ".join("".join(numbers.choices(letters, k=numbers.randrange(2, 9))) for _ in range(count))


WAVES = """
import neardup
from neardup.model.document import Document

def ingest(template, count):
    documents = [Document(f"d{i:05}", template.format(i), 0) for i in range(count)]
    with neardup.open(None, window_hours=0) as window:
        assert len(list(window.ingest(documents))) == count

ingest({template!r}, 100)
"""


@pytest.mark.xdist_group("steps")
@pytest.mark.parametrize("template", [TEMPLATE, "x"], ids=["near copies", "one text"])
def test_a_document_of_a_wave_costs_hardly_more_than_the_one_before(steps, template):
    """Four times as many copies once took 64 times as long; bitsets of the members are longer, too."""
    few, many = steps(
        WAVES.replace("{template!r}", repr(template)), *(f"ingest({template!r}, {n})" for n in (400, 1_600))
    )
    assert few < many < 12 * few


def test_a_wave_makes_no_window_of_lists(tmp_path):
    """Each of n copies once kept the names of all before it."""
    documents = (Document(f"d{i:05}", TEMPLATE.format("one"), 0) for i in range(1_000))
    with neardup.open(tmp_path / "w", window_hours=0) as window:
        lines = sum(len(verdict.to_json()) for verdict in window.ingest(documents))
    assert lines < 1_000 * 1_500
    assert sum(file.stat().st_size for file in (tmp_path / "w").rglob("*.bin")) < 1_000 * 3_000


def test_a_lexicon_of_the_stream_itself_hides_no_copy(tmp_path):
    texts = [TEMPLATE.format(i) for i in range(60)]
    path = tmp_path / "own.lexicon"
    lexicon_of(texts, name="own", q=4, fold_case=False).save(path)
    documents = [Document(f"d{i}", text, 0) for i, text in enumerate(texts)]
    with neardup.open(None, recipe=Recipe(lexicon=path), window_hours=0) as window:
        assert [verdict.matches_total for verdict in window.ingest(documents)] == list(range(60))


def test_words_that_are_known_to_be_rare_hide_no_copy():
    numbers = random.Random(3)
    for size in (300, 700, 1_500):
        with neardup.open(None, window_hours=0) as window:
            for i in range(20):
                text = words(numbers, size)
                pair = [Document(f"o{i}", text, 0), Document(f"c{i}", f"{text} {PUBLIC_WORDS}", 0)]
                assert [verdict.duplicate_of for verdict in window.ingest(pair)] == [None, f"o{i}"]


@pytest.mark.parametrize(
    "alphabet", ["0123456789", "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往"], ids=["numbers", "Chinese"]
)
def test_a_quarter_of_something_else_hides_hardly_a_copy(alphabet):
    numbers, found, pairs = random.Random(4), 0, 0
    with neardup.open(None, window_hours=0) as window:
        for i in range(100):
            body = words(numbers, 250)
            tails = ["".join(numbers.choices(alphabet, k=len(body) // 4)) for _ in range(2)]
            texts = [f"{body} {tail}" for tail in tails]
            verdicts = list(window.ingest([Document(f"{i}-{at}", text, 0) for at, text in enumerate(texts)]))
            if oracle.doc_q(*texts) >= Fraction(7, 10):
                pairs += 1
                found += verdicts[1].duplicate_of == f"{i}-0"
    assert pairs > 50
    assert found >= 0.99 * pairs


def test_a_footer_that_all_have_makes_no_candidates_of_all():
    """`complete` looks for the rarest q-grams first; those of a footer are rare to the lexicon, and everywhere."""
    numbers = random.Random(5)
    footer = words(random.Random(6), 32).replace("e", "ж").replace("t", "ю")
    documents = [Document(f"d{i}", f"{words(numbers, 120)} {footer}", 0) for i in range(600)]
    with neardup.open(None, retrieval="complete", window_hours=0) as window:
        candidates = [verdict.candidates for verdict in window.ingest(documents)]
    assert sum(candidates) < 0.1 * len(documents) ** 2 / 2
