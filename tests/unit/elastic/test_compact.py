"""Compact fields: what an index has of a signature, and what is read back of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup.elastic.window.codec import stored_rows
from neardup.elastic.window.compact import (
    compact_fields,
    keys_of,
    packed_sketch,
    qgram_bitmap,
    several,
    short_names,
    unpacked_sketch,
)
from neardup.index.query_batch import posted
from neardup.model.settings import Recipe
from neardup.oracle import definitions as oracle
from neardup.oracle.scanned import packed_sketch as slow_packed_sketch
from neardup.oracle.scanned import qgram_bitmap as slow_qgram_bitmap
from neardup.signing.signer import signer_for

VECTORS = Path(__file__).parents[2] / "vectors"
KEYS = st.lists(st.integers(0, 2**64 - 1), max_size=70)


@given(KEYS)
def test_of_a_key_an_index_has_what_posting_lists_have(keys):
    names = short_names(keys)
    assert all(len(name) == 5 and not name.isspace() for name in names)
    assert keys_of(" ".join(names)).tolist() == posted(np.array(keys, np.uint64)).tolist()


def test_the_digits_of_a_key_are_the_lowest_the_most_significant_first():
    assert short_names([0, 1, 62, 63, 64, 2**30 - 1, 2**30]) == [
        "AAAAA", "AAAAB", "AAAA-", "AAAA_", "AAABA", "_____", "AAAAA",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["AAAA", "AAAAAA", "AAAA=", "AAA AAAAAA", "AAAA!"])
def test_what_is_no_key_is_an_error(text):
    with pytest.raises(ValueError, match=r"sketch|base64|adding|data|characters"):
        keys_of(text)


def test_qgrams_are_the_normal_form_and_lists_are_words():
    signer = signer_for(Recipe(simhash_variants=2))
    signature = signer.signature("A rose is a flower. Roses are red, and violets mostly blue.")
    fields = compact_fields(signature, "Aroseisaflower")
    assert fields["qgrams"] == "Aroseisaflower"
    assert fields["simhash"].split() == list(signature.simhash)
    assert several(fields["sentences"]) == list(signature.sentences) == several(signature.sentences)
    assert fields.keys() == signature.to_dict().keys()
    assert "qgrams" not in compact_fields(signature, None)
    bare = compact_fields(signature, "Aroseisaflower", words=False)
    assert fields.keys() - bare.keys() == {"sentences", "simhash", "simhash_bands"}


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_what_is_scanned_is_that_of_the_vectors(path):
    for line in path.read_text("ascii").splitlines():
        vector = json.loads(line)
        keys, sketch = (
            np.array([int(key, 16) for key in vector[name]], np.uint64) for name in ("keys", "sketch")
        )
        assert qgram_bitmap(keys) == vector["qgram_bitmap"], vector["name"]
        assert packed_sketch(sketch) == vector["packed_sketch"] == slow_packed_sketch(vector["sketch"])
        assert unpacked_sketch(vector["packed_sketch"]).tolist() == posted(sketch).tolist()


@pytest.mark.parametrize("packed", ["A", "AAA=", "AAAA", "?", "AAAA AAA", "/////w=="])
def test_what_is_no_packed_sketch_is_an_error(packed):
    with pytest.raises(ValueError, match=r"sketch|base64|adding|data|buffer|characters"):
        unpacked_sketch(packed)


@pytest.mark.parametrize("count", [*range(70), *range(90, 102), 127, 128, 129, 192, 193, 500, 3_000])
def test_the_bitmap_of_qgrams_is_that_of_the_oracle(count):
    """Of every size about which two kinds of sizes change places."""
    qgrams = [chr(0x4E00 + i) * 4 for i in range(count)]
    keys = np.array([oracle.key(qgram) for qgram in qgrams], np.uint64)
    assert qgram_bitmap(keys) == slow_qgram_bitmap(qgrams)


@pytest.mark.parametrize(
    "text", ["", "ab", "A rose is a flower. " * 3, "".join(map(chr, range(0x4E00, 0x5200)))]
)
def test_a_document_is_restored_from_every_form_alike(text):
    signature = signer_for(Recipe()).signature(text)
    numbers = ("order", "time", "group_order", "group_time", "candidates", "larger", "normal_bytes")
    row = dict.fromkeys(numbers, 0) | {"identity": "a", "status": "unique", "truncated": False, "group": "a"}
    lists = stored_rows([signature.to_dict() | row], [False])
    sketch = len(signature.sketch)
    for scanned in (False, True):
        compact = stored_rows([compact_fields(signature, text, scanned=scanned) | row], [False])
        assert (lists.rows == compact.rows).all()
        assert posted(lists.keys[:sketch]).tolist() == compact.keys[:sketch].tolist()
        assert lists.keys[sketch:].tolist() == compact.keys[sketch:].tolist()
