"""Documents of one text, beside a plain sort."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.index.same_texts import same_texts


@pytest.mark.parametrize("values", [1, 3, 40, 2**60])
def test_documents_are_ordered_by_text_and_then_as_they_came(values):
    """Also where first halves are the same and second ones are not."""
    numbers = np.random.default_rng(values)
    fingerprints = numbers.integers(0, values, (200, 2)).astype(np.uint64)
    order, same, firsts = same_texts(fingerprints)
    texts = [tuple(pair) for pair in fingerprints.tolist()]
    expected = sorted(range(200), key=lambda doc: (texts[doc], doc))
    assert order.tolist() == expected
    assert same.tolist() == [
        at > 0 and texts[doc] == texts[expected[at - 1]] for at, doc in enumerate(expected)
    ]
    assert firsts.tolist() == [texts.index(texts[doc]) for doc in expected]


def test_no_documents():
    order, same, firsts = same_texts(np.empty((0, 2), np.uint64))
    assert (len(order), len(same), len(firsts)) == (0, 0, 0)
