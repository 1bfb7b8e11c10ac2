"""The kinds of text that recall is measured on: seeded, of the length they say, with pairs where they are hard."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from benchmarks.lib import bruteforce, kind_edits, kind_fillings, kind_forms, kinds
from benchmarks.lib.kind_source import Library

NOWHERE = Library(Path("/no-corpora"), tiny=True)
BASE = "The ferry from Ilverton was towed to port on Monday after its engine had failed off the western spit."


@pytest.mark.parametrize("name", kinds.KINDS)
def test_a_kind_is_seeded_and_another_day_has_other_texts(name):
    made = kinds.corpus(NOWHERE, name, 12)
    assert len(made) == round(12 * kinds.KINDS[name].times)
    assert made.texts == kinds.corpus(NOWHERE, name, 12).texts
    assert made.texts != kinds.corpus(NOWHERE, name, 12, seed=5).texts
    other_day = kinds.corpus(NOWHERE, name, 12, day=1)
    assert len(set(made.texts) & set(other_day.texts)) < len(made) / 2
    assert all(made.texts)


def test_names_of_kinds_are_different_files():
    names = [kinds.file_name(name) for name in kinds.KINDS]
    assert len(set(names)) == len(names)


def test_a_template_is_the_same_every_day():
    days = [kinds.corpus(NOWHERE, "template long blocks 10 %", 8, day=day).texts for day in (0, 1)]
    shared, largest = bruteforce.text_overlap(days[0][0], days[1][0])
    assert shared / largest > 0.7


@pytest.mark.parametrize("shape", ["long blocks", "short fields", "labels and values"])
def test_the_share_of_variable_text_sets_how_near_two_fillings_are(shape):
    medians = []
    for percent in (5, 20, 50):
        texts = kinds.corpus(NOWHERE, f"template {shape} {percent} %", 24).texts
        sets = bruteforce.gram_sets(texts)
        pairs = [bruteforce.overlap(sets, i, j) for i in range(24) for j in range(i)]
        medians.append(float(np.median([shared / largest for shared, largest in pairs])))
    assert medians[0] > 0.85 > medians[1] > medians[2]


@pytest.mark.parametrize("target", [(0.7, 0.75), (0.5, 0.6), (0.9, 1.0)])
def test_copies_lie_where_they_are_aimed_at(target):
    rng = random.Random(3)
    for _ in range(20):
        copy = kind_edits.aimed(
            BASE, lambda share: kind_edits.letters_scattered(BASE, share, rng, ""), target
        )
        shared, largest = bruteforce.text_overlap(BASE, copy)
        assert target[0] - 0.1 <= shared / largest <= target[1] + 0.1
        assert copy != BASE


def test_pieces_in_another_order_keep_no_longer_q_gram():
    rng = random.Random(4)
    copy = kind_edits.pieces_shuffled(10)(BASE, 1.0, rng, "")
    letters, shuffled = ("".join(filter(str.isalnum, text)) for text in (BASE, copy))
    assert sorted(letters) == sorted(shuffled)
    kept = {letters[at : at + 4] for at in range(len(letters) - 3)} & {
        shuffled[at : at + 4] for at in range(len(shuffled) - 3)
    }
    assert len(kept) >= 0.7 * (len(letters) - 3)
    long = {letters[at : at + 16] for at in range(len(letters) - 15)}
    assert not long & {shuffled[at : at + 16] for at in range(len(shuffled) - 15)}


def test_refilling_nothing_gives_the_same_text():
    rng = random.Random(5)
    values = kind_fillings.values(kind_forms.RECORD, rng)
    text, used = kind_fillings.refilled(kind_forms.RECORD, values, 0.0, rng)
    assert used == values
    assert "<" not in text
    other, _ = kind_fillings.refilled(kind_forms.RECORD, values, 1.0, rng)
    assert other != text


def test_export_writes_documents_and_their_pairs(tmp_path):
    (line,) = kinds.export(NOWHERE, tmp_path, ["village stubs"], 12)
    assert line.startswith("village stubs\t12 documents")
    rows = [json.loads(row) for row in (tmp_path / "village-stubs.jsonl").read_text().splitlines()]
    pairs = [row.split("\t") for row in (tmp_path / "village-stubs.pairs.tsv").read_text().splitlines()]
    assert len(rows) == 12
    assert pairs
    for i, j, score in pairs:
        shared, largest = bruteforce.text_overlap(rows[int(i)]["text"], rows[int(j)]["text"])
        assert float(score) == shared / largest
