"""|A ∩ B| as the kernels count it against Python's sets."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testing.index_parts import signed

from neardup.kernels.overlap import verify_pairs
from neardup.kernels.sketch import UNCOUNTED
from neardup.model.settings import Recipe
from neardup.oracle import definitions as oracle
from neardup.signing.signature import concatenated
from neardup.signing.signer import signer_for

# Few letters, so that q-grams repeat; NUL and what lies above U+FFFF have keys of their own kind.
FORMS = st.text(st.sampled_from("aab\x00é漢\U00020000"), max_size=40)


def overlaps(pairs, q=4, needed=None):
    """|A ∩ B| of pairs of normal forms, by the kernel; it counts |A| and |B| on the way."""
    fast = signer_for(Recipe(q=q))
    batch = signed([a for a, _ in pairs], fast.recipe)
    data, offsets = concatenated([b.encode() for _, b in pairs])
    needed = np.zeros(len(pairs), np.int64) if needed is None else needed
    return counted(fast, batch, range(len(pairs)), data, offsets[:-1], offsets[1:], needed)


def counted(fast, batch, queries, data, starts, ends, needed, ratio=(7, 10)):
    out, others = np.zeros(len(queries), np.int64), np.full(len(queries), UNCOUNTED)
    counts = np.full(len(batch.counts), UNCOUNTED)
    longest = max(int(np.diff(batch.text_offsets).max()), int((ends - starts).max()))
    verify_pairs(
        np.array(queries), batch.texts, batch.text_offsets, counts, data, starts, ends, others, needed, ratio,
        fast.recipe.q, fast.scratch(longest), out,
    )  # fmt: skip
    for i, query in enumerate(queries):
        assert counts[query] == len(oracle.qgrams(batch.text(query).decode(), fast.recipe.q))
        other = data[starts[i] : ends[i]].tobytes().decode()
        assert others[i] == (
            len(oracle.qgrams(other, fast.recipe.q)) if out[i] >= needed[i] >= 0 else others[i]
        )
        assert others[i] in (UNCOUNTED, len(oracle.qgrams(other, fast.recipe.q)))
    return out.tolist()


def truth(pairs, q=4):
    return [len(oracle.qgrams(a, q) & oracle.qgrams(b, q)) for a, b in pairs]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(FORMS, FORMS), min_size=1, max_size=5), st.sampled_from((1, 2, 3, 4, 5, 16)))
def test_is_that_of_the_sets_of_q_grams(pairs, q):
    assert overlaps(pairs, q) == truth(pairs, q)
    assert overlaps([(b, a) for a, b in pairs], q) == truth(pairs, q)


@pytest.mark.parametrize("alphabet", ["abcdefgh", "aé", "漢字かなカナ文", "𠮷𠮸𠮹a"])
@pytest.mark.parametrize("size", [127, 128, 131, 132, 1_000, 30_000])
def test_of_long_texts(alphabet, size):
    numbers = random.Random(size)
    text = "".join(numbers.choices(alphabet, k=size))
    others = [
        text,
        text[size // 3 :],
        text[: size // 2] + "".join(numbers.choices(alphabet, k=size)),
        "",
        text[:3],
    ]
    pairs = [(text, other) for other in others]
    assert overlaps(pairs) == truth(pairs)


def test_below_what_is_needed_it_may_be_smaller_never_larger():
    numbers = random.Random(9)
    pairs = []
    for _ in range(100):
        text = "".join(numbers.choices("abcdefghijklmnop", k=600))
        pairs.append((text, text[numbers.randrange(600) :] + "".join(numbers.choices("qrstuvw", k=300))))
    expected = np.array(truth(pairs))
    for share in (0.2, 0.5, 0.9):
        needed = np.full(len(pairs), round(600 * share))
        found = np.array(overlaps(pairs, needed=needed))
        assert (found[expected >= needed] == expected[expected >= needed]).all()
        assert (found <= expected).all()
        assert (found[expected < needed] < needed[expected < needed]).all()


@pytest.mark.parametrize("ratio", [(7, 10), (1, 2), (1, 1)])
def test_what_is_needed_follows_from_the_threshold_where_nothing_is_said(ratio):
    numbers = random.Random(3)
    pairs = []
    for share in range(0, 100, 5):
        text = "".join(numbers.choices("abcdefghijklmnop", k=900))
        pairs.append((text, text[9 * share :] + "".join(numbers.choices("qrstuvw", k=9 * share))))
    expected, found = truth(pairs), overlaps_by(pairs, ratio)
    for (a, b), shared, counted_shared in zip(pairs, expected, found, strict=True):
        larger = max(len(oracle.qgrams(a)), len(oracle.qgrams(b)))
        if shared * ratio[1] >= ratio[0] * larger:
            assert counted_shared == shared
        else:
            assert counted_shared * ratio[1] < ratio[0] * larger


def overlaps_by(pairs, ratio):
    fast = signer_for(Recipe())
    batch = signed([a for a, _ in pairs], fast.recipe)
    data, offsets = concatenated([b.encode() for _, b in pairs])
    unsaid = np.full(len(pairs), -1)
    return counted(fast, batch, range(len(pairs)), data, offsets[:-1], offsets[1:], unsaid, ratio)


def test_pairs_of_one_query_share_its_table():
    texts = ["abcdefghijklmnopqrstuvwxyz", "zyxwvu"]
    data, offsets = concatenated([b"abcdef", b"uvwxyz", b"zyxwvut", texts[0].encode()])
    others = np.array([0, 1, 3, 2, 0])
    found = counted(
        signer_for(Recipe()), signed(texts), [0, 0, 0, 1, 1], data, offsets[:-1][others], offsets[1:][others],
        np.zeros(5, np.int64),
    )  # fmt: skip
    assert found == [3, 3, 23, 3, 0]


def test_the_key_0_is_counted_once():
    # Four NULs pack to 0, and splitmix64 takes 0 to 0, which marks a free slot in the kernel's table.
    assert oracle.key("\x00" * 4) == 0
    assert overlaps(
        [("\x00" * 9, "\x00" * 5), ("\x00" * 9 + "a", "\x00" * 5 + "a"), ("aaaa", "\x00" * 5)]
    ) == [1, 2, 0]


def known(text, others, needed):
    """|A ∩ B| of one text with several of which |B| is known."""
    fast = signer_for(Recipe())
    batch = signed([text], fast.recipe)
    data, offsets = concatenated([other.encode() for other in others])
    sizes = np.array([len(oracle.qgrams(other, 4)) for other in others])
    out, counts = np.zeros(len(others), np.int64), np.full(1, UNCOUNTED)
    longest = max(int(np.diff(each).max()) for each in (batch.text_offsets, offsets))
    verify_pairs(
        np.zeros(len(others), np.int64), batch.texts, batch.text_offsets, counts, data, offsets[:-1], offsets[1:],
        sizes.copy(), np.array(needed), (7, 10), 4, fast.scratch(longest), out,
    )  # fmt: skip
    assert counts[0] == len(oracle.qgrams(text, 4))
    return out.tolist()


@settings(max_examples=300, deadline=None)
@given(FORMS, st.lists(FORMS, min_size=2, max_size=5))
def test_of_one_text_with_several_of_known_sizes(text, others):
    assert known(text, others, [0] * len(others)) == truth([(text, other) for other in others])


def edited(numbers, text):
    """Something taken out, put in or written anew, at several places."""
    for _ in range(numbers.randrange(12)):
        at, size = numbers.randrange(len(text) + 1), numbers.randrange(40)
        new = "".join(numbers.choices("abcdefgh\x00é", (20,) * 8 + (1, 1), k=numbers.choice((0, size))))
        text = text[:at] + new + text[at + numbers.choice((0, size)) :]
    return text


@pytest.mark.parametrize("seed", range(30))
def test_of_one_text_with_copies_of_known_sizes(seed):
    numbers = random.Random(seed)
    text = "".join(numbers.choices("abcdefgh\x00", k=numbers.randrange(1_500)))
    others = [edited(numbers, text) for _ in range(8)]
    shared = truth([(text, other) for other in others])
    assert known(text, others, [0] * 8) == shared
    needed = [numbers.randrange(1, 2 * size + 2) for size in shared]
    for found, exact, enough in zip(known(text, others, needed), shared, needed, strict=True):
        assert found == exact if exact >= enough else found < enough


@pytest.mark.parametrize("seed", range(20))
def test_of_ascii_texts_and_others_that_come_in_turn(seed):
    """Of one text with several, some of known sizes: its set is made in two ways. Runs are of every length."""
    numbers = random.Random(seed)
    text = "".join(numbers.choices("abcdefgh0123", k=numbers.randrange(4, 400)))
    others = [edited(numbers, text) for _ in range(6)] + ["é" + text, text + "\x00" * 5, text[:7], text[-7:]]
    numbers.shuffle(others)
    batch, fast = signed([text, text + "ü"]), signer_for(Recipe())
    data, offsets = concatenated([other.encode() for other in others])
    queries = np.repeat([0, 1], len(others))
    starts, ends = np.tile(offsets[:-1], 2), np.tile(offsets[1:], 2)
    sizes = np.array([numbers.choice((UNCOUNTED, len(oracle.qgrams(other, 4)))) for other in 2 * others])
    out, counts = np.zeros(len(queries), np.int64), np.full(2, UNCOUNTED)
    verify_pairs(
        queries, batch.texts, batch.text_offsets, counts, data, starts, ends, sizes, np.zeros(len(queries), np.int64),
        (7, 10), 4, fast.scratch(2_000), out,
    )  # fmt: skip
    assert counts.tolist() == [len(oracle.qgrams(each, 4)) for each in (text, text + "ü")]
    assert out.tolist() == truth([(each, other) for each in (text, text + "ü") for other in others])
    assert sizes.tolist() == [len(oracle.qgrams(other, 4)) for other in 2 * others]
