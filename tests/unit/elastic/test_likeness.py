"""Which stored documents a batch depends on, by their own fields."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.elastic.http.address import Address
from neardup.elastic.http.api import Hit
from neardup.elastic.window.codec import OBJECT
from neardup.elastic.window.compact import packed_sketch
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.likeness import Likeness
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for

LAYOUT = Layout(Address("http://127.0.0.1:1", "news"), compact=True)
OTHER = packed_sketch(np.array([0x1A2B], np.uint64))


def concerns(**fields: object) -> bool:
    """Whether a batch of one document, with the id "a", depends on a stored document of these fields."""
    signed = signer_for(Recipe()).sign([b"a text that is long enough to have a sketch"])
    whole = {"fingerprint": "f", "identity": "b", "packed_sketch": packed_sketch(signed.sketches)} | fields
    own = {name: value for name, value in whole.items() if value is not None}
    source = {OBJECT: own}
    return Likeness(signed, LAYOUT, [1], {"a"}).concerns(Hit("news-1", "b", source, [], None, None))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"packed_sketch": OTHER}, False),
        ({"packed_sketch": OTHER, "identity": "a"}, True),
        ({"packed_sketch": OTHER, "fingerprint": None}, True),
        ({"packed_sketch": "!"}, True),
    ],
)
def test_what_shares_a_key_or_an_id_concerns_a_batch_and_so_does_what_cannot_be_read(fields, expected):
    assert concerns(**fields) == expected
