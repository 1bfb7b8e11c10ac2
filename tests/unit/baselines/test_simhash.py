"""Simhash against the product's own, against itself bit by bit, and against what its papers say of it."""

import math
import random
import unicodedata

import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from neardup.baselines.simhash import Simhash, unweighted
from neardup.baselines.words import Frequencies, sentences, words
from neardup.oracle import definitions as oracle
from neardup.tables.lexicon import Lexicon

# What the running Python does not know yet has another NFC there than in the frozen table.
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cn"]))
SOME_WORDS = st.lists(st.sampled_from(["rose", "wolf", "the", "of", "violet", "rule", "u", "s"]), max_size=30)


def default_idf(word: str) -> int:
    return oracle.idf(word, Lexicon.default())


def bit_by_bit(shingles: list[str], weights: list[int], bits: int) -> int:
    value = 0
    for bit in range(bits):
        total = 0
        for shingle, weight in zip(shingles, weights, strict=True):
            total += weight if xxhash.xxh64_intdigest(shingle.encode()) >> bit & 1 else -weight
        value |= (total > 0) << bit
    return value


# -- words and sentences --


@given(text=TEXT)
@settings(deadline=None)  # the first text waits for the tables
def test_words_and_sentences_are_those_of_the_oracle(text):
    assert words(text) == oracle.words(text)
    assert sentences(text) == oracle.sentences(text)


@given(
    pieces=st.lists(
        st.sampled_from(["a", "B", "\n", "\r\n", "\r", " ", "\u2029", ". ", "3.14", "。", "?", "語"])
    )
)
def test_sentences_end_where_the_oracle_ends_them(pieces):
    text = "".join(pieces)
    assert sentences(text) == oracle.sentences(text)


@pytest.mark.parametrize("function", [words, sentences])
def test_a_surrogate_is_refused(function):
    with pytest.raises(ValueError, match=r"unpaired surrogate U\+D800 at position 1"):
        function("a\ud800")


def test_composed_and_decomposed_words_are_the_same():
    assert words("Café") == words(unicodedata.normalize("NFD", "Café")) == ["caf\u00e9"]


def test_document_frequencies_count_documents_not_occurrences():
    frequencies = Frequencies(words, ["a a b", "A c", "d"])
    assert (frequencies.documents, frequencies.of["a"], frequencies.of["b"], frequencies.of["z"]) == (
        3,
        2,
        1,
        0,
    )
    assert frequencies.idf("a") == math.log2(4 / 2)
    assert frequencies.idf("b") == frequencies.idf("z") == math.log2(4 / 1)


# -- the product's simhash is one configuration --


@given(text=TEXT)
@settings(max_examples=50, deadline=None)
def test_two_word_shingles_with_the_products_weights_are_the_products_simhash(text):
    method = Simhash(k=2, lexicons=3, bits=64, weigh=default_idf)
    lexicon = Lexicon.default()
    for variant, value in enumerate(method.sign(text)):
        assert f"{value or 0:016x}" == oracle.simhash(text, lexicon, variant)
        assert (value is None) == (not oracle.simhash_features(text, lexicon, variant))


def test_it_is_so_on_real_prose_too():
    text = "It was the best of times, it was the worst of times; we had everything before us. " * 4 + "No 7!"
    method = Simhash(k=2, lexicons=10, bits=64, weigh=default_idf)
    expected = [oracle.simhash(text, Lexicon.default(), variant) for variant in range(10)]
    assert [f"{value:016x}" for value in method.sign(text)] == expected
    features = [
        (xxhash.xxh64_intdigest(shingle.encode()), weight)
        for shingle, weight in method.features(text, lexicon=4)
    ]
    assert features == oracle.simhash_features(text, Lexicon.default(), 4)


# -- its own definition --


@given(found=SOME_WORDS, k=st.integers(1, 5), bits=st.sampled_from([32, 64]))
def test_every_shingle_size_and_width_bit_by_bit(found, k, bits):
    method = Simhash(k=k, bits=bits)
    method.learn(["rose wolf", "the rose", "the violet of", "of the rule"])
    features = method.features(" ".join(found))
    assert [shingle for shingle, _ in features] == [
        " ".join(found[at : at + k]) for at in range(len(found) - k + 1)
    ]
    [value] = method.sign(" ".join(found))
    if features:
        assert value == bit_by_bit([one for one, _ in features], [weight for _, weight in features], bits)
    else:
        assert value is None


def test_a_shingle_may_count_once_and_be_hashed_otherwise():
    [once] = Simhash(k=1, weigh=unweighted, distinct=True).sign("rose a rose a rose wolf")
    assert once == bit_by_bit(["rose", "a", "wolf"], [1, 1, 1], 64)
    method = Simhash(k=1, weigh=unweighted, hashed=len)
    assert method.sign("rose wolf fox") == (4,)
    assert method.name == "simhash(k=1, lexicons=1, bits=64, unweighted, len)"


def test_32_bits_are_the_lower_half_of_64():
    [wide] = Simhash(k=1, bits=64, weigh=unweighted).sign("a rose is a flower")
    assert wide is not None
    assert Simhash(k=1, bits=32, weigh=unweighted).sign("a rose is a flower") == (wide & 0xFFFFFFFF,)


def test_a_shingle_weighs_the_sum_of_its_words_idf():
    method = Simhash(k=2)
    method.learn(["rose wolf", "rose", "rose fox", "rose"])  # N + 1 = 5; df of rose 4, of the others 1
    unit = [round(1_024 * math.log2(5 / 4)), round(1_024 * math.log2(5))]
    assert method.features("rose wolf fox") == [("rose wolf", sum(unit)), ("wolf fox", 2 * unit[1])]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_one_changed_word_changes_k_features(k):
    """Fan & Huang, section 4.1: n modified words affect n to n k features."""
    method = Simhash(k=k, weigh=unweighted)
    before = [f"word{at}" for at in range(30)]
    after = [*before[:15], "other", *before[16:]]
    one, other = ({shingle for shingle, _ in method.features(" ".join(text))} for text in (before, after))
    assert len(one - other) == len(other - one) == k


def test_distance_grows_with_the_angle():
    """Charikar, section 3: a bit differs with probability angle / pi."""
    rng = random.Random(5)
    for shared in (10, 50, 90):
        distances = []
        for run in range(60):
            common = [f"c{run}x{rng.random()}" for _ in range(shared)]
            texts = [" ".join(common + [f"{side}{run}x{at}" for at in range(100 - shared)]) for side in "ab"]
            method = Simhash(k=1, weigh=unweighted, split=str.split)
            one, other = (method.sign(text)[0] for text in texts)
            distances.append(1 - method.score((one,), (other,)))
        assert sum(distances) / 60 == pytest.approx(math.acos(shared / 100) / math.pi, abs=0.03)


def test_a_random_lexicon_keeps_two_words_of_three_and_the_seed_chooses_which():
    text = " ".join(f"word{at}" for at in range(3_000))
    kept = {
        seed: {word for word, _ in Simhash(k=1, lexicons=2, weigh=unweighted, seed=seed).features(text, 1)}
        for seed in (0, 1)
    }
    assert all(1_900 < len(some) < 2_100 for some in kept.values())
    assert kept[0] != kept[1]


def test_near_in_any_one_lexicon_is_enough():
    method = Simhash(lexicons=3, bits=32, weigh=unweighted)
    assert method.score((0b1111, 0b1, 0), (0, 0, 0b111)) == 1 - 1 / 32
    assert method.same((0b1111, 0b1, 0), (0, 0, 0b111), 1 - 1 / 32)
    assert not method.same((0b1111, 0b1, 0), (0, 0, 0b111), 1.0)


def test_a_lexicon_without_a_feature_matches_nothing():
    method = Simhash(lexicons=2, weigh=unweighted)
    assert method.score((None, 5), (None, 5)) == 1
    assert method.score((None, 5), (5, None)) == 0
    assert method.score((None, None), (None, None)) == 0


def test_thresholds_are_the_hamming_distances():
    assert Simhash(bits=32, weigh=unweighted).thresholds == tuple(1 - h / 32 for h in range(8, -1, -1))


def keys_of(method, value, threshold):
    keys = method.keys((value,), threshold)
    assert keys is not None
    return set(keys)


@given(st.integers(0, 2**64 - 1), st.sets(st.integers(0, 63), max_size=7))
def test_fingerprints_within_the_threshold_share_a_key(value, flipped):
    method = Simhash(weigh=unweighted)
    other = value ^ sum(1 << bit for bit in flipped)
    threshold = 1 - len(flipped) / 64
    assert method.same((value,), (other,), threshold)
    assert keys_of(method, value, threshold) & keys_of(method, other, threshold)


def test_blocks_too_narrow_are_no_keys():
    method = Simhash(weigh=unweighted)
    assert len(keys_of(method, 12345, 1 - 3 / 64)) == 4
    assert method.keys((12345,), 1 - 8 / 64) is None


@pytest.mark.parametrize("distance", [0, 3, 20])
def test_the_index_finds_what_comparing_all_finds(distance):
    rng = random.Random(distance)
    method = Simhash(lexicons=2, weigh=unweighted)
    base = rng.getrandbits(64)

    def near():
        return rng.choice([None, base ^ sum(1 << bit for bit in rng.sample(range(64), rng.randint(0, 24)))])

    signatures = [(near(), near()) for _ in range(1_500)]
    index = method.index(1 - distance / 64)
    for signature in signatures:
        index.add(signature)
    found = 0
    for asked in [*signatures[:40], (None, None)]:
        expected = {
            number: method.score(asked, other)
            for number, other in enumerate(signatures)
            if method.same(asked, other, 1 - distance / 64)
        }
        assert dict(index.matches(asked)) == expected
        found += len(expected)
    assert found > 40
    assert index.compared > 0


def test_an_empty_index_finds_nothing():
    assert list(Simhash(weigh=unweighted).index(0.9).matches((5,))) == []


def test_weights_must_be_learned_first():
    with pytest.raises(ValueError, match="call learn"):
        Simhash().sign("")


@pytest.mark.parametrize("wrong", [{"k": 0}, {"lexicons": 0}, {"lexicons": 1_001}, {"bits": 48}])
def test_wrong_parameters_are_named(wrong):
    [(name, value)] = wrong.items()
    with pytest.raises(ValueError, match=f"{name} = {value}"):
        Simhash(**wrong)


def test_sizes_are_bytes():
    assert Simhash(lexicons=3, bits=32, weigh=unweighted).size((1, None, 2)) == 12
