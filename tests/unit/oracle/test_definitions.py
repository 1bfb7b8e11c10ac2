"""The slow oracle against values worked out by hand, from the papers, and from the references of its parts."""

from fractions import Fraction

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from neardup.oracle import definitions as oracle
from neardup.tables.lexicon import Lexicon, LexiconBuilder

# No surrogates: Python's text() leaves them out only if told to.
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def hash_of(text: str, seed: int = 0) -> int:
    return xxhash.xxh64_intdigest(text.encode("utf-8"), seed=seed)


def hex_of(text: str) -> str:
    return f"{hash_of(text):016x}"


def lexicon_of(*texts: str, q: int = 4) -> Lexicon:
    builder = LexiconBuilder(q, False, "test")
    for text in texts:
        keys = [oracle.key(gram) for gram in oracle.qgrams(oracle.normal_form(text), q)]
        hashes = [hash_of(word) for word in oracle.words(text)]
        builder.add(np.array(keys, np.uint64), np.array(hashes, np.uint64))
    return builder.build()


@pytest.fixture(scope="module")
def lexicon():
    """Of 40 documents: "the" and "of" in all, "rose" in 3 (common are 4 and more), "violet" in 2, the rest in one."""
    return lexicon_of(*(["the of rose"] * 3 + ["the of violet"] * 2 + [f"the of word{i}" for i in range(35)]))


# -- q-grams and doc_q --


def test_the_papers_tom_smith_has_eight_bigrams():
    # Its q-grams are of the raw string; ours never see the full stop.
    assert oracle.qgrams("tom.smith", 2) == {"to", "om", "m.", ".s", "sm", "mi", "it", "th"}
    assert len(oracle.qgrams(oracle.normal_form("tom.smith"), 2)) == 7


def test_the_papers_rose_is_a_flower():
    form = oracle.normal_form("A rose is a flower")
    assert form == "Aroseisaflower"
    expected = {"Aro", "ros", "ose", "sei", "eis", "isa", "saf", "afl", "flo", "low", "owe", "wer"}
    assert oracle.qgrams(form, 3) == expected


@pytest.mark.parametrize(
    ("form", "q", "expected"),
    [
        ("", 1, set()),
        ("abc", 4, set()),
        ("abcd", 4, {"abcd"}),
        ("aaaaaa", 4, {"aaaa"}),
        ("abab", 2, {"ab", "ba"}),
        ("\U00020000a", 1, {"\U00020000", "a"}),
    ],
)
def test_qgrams_are_a_set_of_code_points(form, q, expected):
    assert oracle.qgrams(form, q) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("", ""),
    (" .,;!?-_()\n\t$+<>|~^` ", ""),
    ("R2-D2 is 3.14 m²!", "R2D2is314m²"),
    ("cafe\u0301", "caf\u00e9"),
    ("Ⅷ ½ ② ⁴ Ⓐ ª", "Ⅷ½②⁴ª"),
    ("a\u200db\u00adc\ufeffd\u0000e", "abcde"),
    ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
    ("e.\u0301", "e\u0301"),
    ("e \u0301", "e\u0301"),
    ("\ue000\U0010ffff\u0378", ""),
])  # fmt: skip
def test_normal_form_keeps_letters_marks_and_numbers(text, expected):
    assert oracle.normal_form(text) == expected


def test_folding_is_simple_and_comes_last():
    assert oracle.normal_form("İI ΣΑΣ ẞ \u01c5", fold_case=True) == "ii\u03c3\u03b1\u03c3\u00df\u01c6"
    # J with caron has no composed capital; the composed small letter exists, and is not made afterwards.
    assert oracle.normal_form("J\u030c", fold_case=True) == "j\u030c"


@pytest.mark.parametrize("text", ["\ud800", "abc\udfff", "\ud83d\ude00"])
def test_a_surrogate_is_refused(text):
    for function in (oracle.nfc, oracle.normal_form, oracle.words, oracle.sentences, oracle.sign):
        with pytest.raises(ValueError, match=r"unpaired surrogate U\+D[89A-F]"):
            function(text)


def test_doc_q_by_hand():
    # aros rose oseb sebu ebud against aros rose oseb seba ebar: 3 of 5.
    assert oracle.doc_q_counts("a rose bud", "a rose bar") == (3, 5)
    assert oracle.doc_q("a rose bud", "a rose bar") == Fraction(3, 5)
    # abcd bcde cdef against abcd: the larger set counts.
    assert oracle.doc_q("abcdef", "a-b-c-d") == Fraction(1, 3)


@pytest.mark.parametrize(("a", "b", "expected"), [
    ("ab", "a b!", 1),
    ("ab", "ba", 0),
    ("", "", 0),
    ("...", "!?", 0),
    ("", "abcd", 0),
    ("abc", "abcd", 0),
    ("abcd", "ABCD", 0),
    ("aaaa", "aaaaaaaa", 1),
])  # fmt: skip
def test_doc_q_of_short_empty_and_equal_texts(a, b, expected):
    assert oracle.doc_q(a, b) == expected == oracle.doc_q(b, a)


@given(a=TEXT, b=TEXT)
def test_doc_q_is_symmetric_and_within_its_bounds(a, b):
    assert 0 <= oracle.doc_q(a, b) == oracle.doc_q(b, a) <= 1


@given(text=TEXT)
def test_doc_q_with_an_exact_copy_is_at_the_top(text):
    assert oracle.doc_q(text, f" {text} ") == (1 if oracle.normal_form(text) else 0)


def test_brute_force_pairs_in_order():
    documents = [
        ("1", "a rose bud"),
        ("2", "a rose bar"),
        ("3", "x"),
        ("4", "X!"),
        ("5", "x."),
        ("6", ""),
        ("7", ""),
    ]
    pairs = oracle.brute_force_pairs(documents, 0.6)
    assert pairs == [("1", "2", 3, 5, Fraction(3, 5)), ("3", "5", 0, 0, Fraction(1))]
    assert [pair[:2] for pair in oracle.brute_force_pairs(documents, "0.601")] == [("3", "5")]


def test_the_threshold_is_a_decimal_and_not_a_float():
    # 7 of 10 q-grams: in floats 0.7 * 10 is 7.000000000000001 for some spellings, 0.07 * 100 certainly.
    a, b = "abcdefghijklm", "abcdefghijxyz"
    assert oracle.doc_q_counts(a, b) == (7, 10)
    assert len(oracle.brute_force_pairs([("a", a), ("b", b)], 0.7)) == 1
    assert len(oracle.brute_force_pairs([("a", a), ("b", b)], 0.7000001)) == 0


# -- keys and fingerprints --


def test_keys_are_splitmix64_of_the_packed_code_points():
    # The first two outputs of splitmix64 from seed 0; its states are 1 and 2 times 0x9E3779B97F4A7C15.
    assert oracle.key("\u9e37\u79b9\u7f4a\u7c15") == 0xE220A8397B1DCDAF
    assert oracle.key("\u3c6e\uf372\ufe94\uf82a") == 0x6E789E6AA1B965F4
    assert oracle.key("\u0000") == 0


def test_keys_of_longer_or_astral_qgrams_are_xxh64_of_utf_32():
    assert oracle.key("abcde") == xxhash.xxh64_intdigest(b"a\0\0\0b\0\0\0c\0\0\0d\0\0\0e\0\0\0", seed=0)
    assert oracle.key("a\U00020000") == xxhash.xxh64_intdigest(b"a\0\0\0\0\0\x02\0", seed=0)
    assert oracle.key("a\uffff") != xxhash.xxh64_intdigest(b"a\0\0\0\xff\xff\0\0", seed=0)


def test_no_two_short_qgrams_share_a_key():
    grams = [a + b for a in "abcde\u4e00\uffff" for b in "abcde\u4e00\uffff"]
    assert len({oracle.key(gram) for gram in grams}) == len(grams)


def test_fingerprints_of_texts_whose_sha256_is_published():
    # FIPS 180-4 and its examples: of nothing, and of "abc".
    assert oracle.fingerprint("") == "e3b0c44298fc1c149afbf4c8996fb924"
    assert oracle.fingerprint("abc") == "ba7816bf8f01cfea414140de5dae2223"


# -- words and sentences --


@pytest.mark.parametrize(("text", "expected"), [
    ("Don't stop-and-go: R2D2!", ["don", "t", "stop", "and", "go", "r2d2"]),
    ("RE\u0301SUME\u0301 İx", ["r\u00e9sum\u00e9", "ix"]),
    ("猫がすき", ["猫", "が", "す", "き"]),
    ("我用Python写。", ["我", "用", "python", "写"]),
    ("แมว", ["แ", "ม", "ว"]),
    ("가나 다", ["가나", "다"]),
    ("データ", ["デ", "ー", "タ"]),
    ("abーー中1", ["abーー", "中", "1"]),
    ("ΣΑΣ", ["\u03c3\u03b1\u03c3"]),
    ("a\u200cb", ["a", "b"]),
    ("...", []),
])  # fmt: skip
def test_words(text, expected):
    assert oracle.words(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("", []),
    ("a b", ["a b"]),
    ("a. b", ["a", "b"]),
    ("a.b", ["a b"]),
    ("a.) b", ["a b"]),
    ("a... b?! c", ["a", "b", "c"]),
    ("a.\u00a0b", ["a", "b"]),
    ("a.\u200bb", ["a b"]),
    ("a…b… c", ["a b", "c"]),
    ("a。b！c？d．e｡f؟g۔h।i॥j።k", ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]),
    ("a; b: c", ["a b c"]),
    ("a\nb", ["a b"]),
    ("a\r\nb", ["a b"]),
    ("a\n\nb", ["a", "b"]),
    ("a\r\n\r\nb", ["a", "b"]),
    ("a\n\rb", ["a", "b"]),
    ("a \n\t \u2028 b", ["a", "b"]),
    ("a\u0085\u000bb", ["a", "b"]),
    ("a\n.\nb", ["a", "b"]),
    ("a\n-\nb", ["a b"]),
    ("\n\na.\n\n", ["a"]),
])  # fmt: skip
def test_sentences(text, expected):
    assert [" ".join(sentence) for sentence in oracle.sentences(text)] == expected


@given(text=TEXT)
def test_sentences_together_have_the_words_of_the_text(text):
    assert [word for sentence in oracle.sentences(text) for word in sentence] == oracle.words(text)


def test_sentence_fingerprints_by_hand(lexicon):
    text = "The violet of rose wolf. Wolf, the rose: violet!  Rose violet.  the of the of.\n\nwolf wolf rose violet"
    expected = [hex_of("rose violet wolf"), hex_of("rose violet wolf wolf")]
    assert oracle.sentence_fingerprints(text, lexicon) == expected


def test_words_of_a_fingerprint_are_sorted_by_code_point(lexicon):
    # In UTF-16 the astral letter, which begins with U+D801, would come before the ligature U+FB01.
    expected = [hex_of("z \ufb01 \U00010428")]
    assert oracle.sentence_fingerprints("\U00010428 \ufb01 z", lexicon) == expected


def test_common_words_and_weights(lexicon):
    assert (lexicon.n_class, lexicon.common_class) == (85, 32)
    assert [oracle.is_common(word, lexicon) for word in ("the", "rose", "violet", "wolf")] == [True] + [
        False
    ] * 3
    # 16 · log2 of 40, 40, 3 and 2 documents is 85, 85, 25 and 16
    assert [oracle.idf(word, lexicon) for word in ("the", "of", "rose", "violet", "wolf")] == [
        1,
        1,
        60,
        69,
        85,
    ]


# -- simhash --


def test_the_simhash_of_two_words_is_the_hash_of_their_pair(lexicon):
    assert oracle.simhash("Rose, wolf.", lexicon) == hex_of("rose wolf")


def test_the_heavier_feature_decides_every_bit(lexicon):
    # "rose wolf" weighs 60 + 85, "the of" 1 + 1 and "of rose" 1 + 60.
    assert oracle.simhash("the of rose wolf", lexicon) == hex_of("rose wolf")


def test_a_tie_gives_zero(lexicon):
    # Two features of equal weight: a bit is 1 only where both have it.
    first, second = (hash_of(pair) for pair in ("wolf fox", "fox wolf"))
    assert oracle.simhash("wolf fox wolf", lexicon) == f"{first & second:016x}"


def test_each_occurrence_of_a_feature_counts(lexicon):
    features = oracle.simhash_features("wolf fox wolf fox", lexicon)
    assert features == [
        (hash_of("wolf fox"), 170),
        (hash_of("fox wolf"), 170),
        (hash_of("wolf fox"), 170),
    ]
    assert oracle.simhash("wolf fox wolf fox", lexicon) == hex_of("wolf fox")


def test_a_variant_keeps_the_words_under_its_limit(lexicon):
    words = [f"word{i}" for i in range(300)]
    kept = [word for word in words if hash_of(word, 3) < 0xAAAAAAAAAAAAAAAA]
    assert 170 < len(kept) < 230
    text = " ".join(words)
    assert oracle.simhash(text, lexicon, 3) == oracle.simhash(" ".join(kept), lexicon, 3)
    assert len(oracle.simhash_features(text, lexicon, 3)) == len(kept) - 1


def test_bands_are_the_blocks_of_the_simhash(lexicon):
    digits = oracle.simhash("rose wolf", lexicon)
    expected = [f"0:0:{digits[:4]}", f"0:1:{digits[4:8]}", f"0:2:{digits[8:12]}", f"0:3:{digits[12:]}"]
    assert oracle.simhash_bands("rose wolf", lexicon) == expected


@pytest.mark.parametrize("text", ["", "wolf", "... wolf!"])
def test_fewer_than_two_words_have_no_features(lexicon, text):
    assert oracle.simhash(text, lexicon) == "0000000000000000"
    assert oracle.simhash_bands(text, lexicon, 3) == []


# -- sketch and signature --


def keys_of(form: str, *, factors: tuple[int, ...], starts: tuple[int, ...], q: int = 4) -> list[str]:
    """The keys of the grams made of the q-grams at `starts`, as they are written; worked out without the oracle's."""
    width = starts[-1] + q
    grams = [form[i : i + width] for i in range(len(form) - width + 1)]
    parts = [[gram[at : at + q] for at in starts] for gram in grams]
    sums = {
        sum(oracle.key(part) * by for part, by in zip(own, factors, strict=True)) % 2**64 for own in parts
    }
    return [f"{value:016x}" for value in sorted(sums)]


C = oracle.multipliers()


def form_of(count: int) -> str:
    """A normal form of so many q-grams (q = 4), of a wide alphabet."""
    return "".join(chr(0x4E00 + point) for point in range(count + 3))


def test_the_multipliers_are_splitmixs_first_values_made_odd():
    # splitmix64 seeded with 0 gives 16294208416658607535 and 7960286522194355700 first.
    assert C[:2] == [16294208416658607535 | 1, 7960286522194355700 | 1]
    assert len(set(C)) == 7
    assert all(value % 2 for value in C)


@pytest.mark.parametrize(("reach", "whole", "middle", "wide"), [
    ("0.6", 24, (0, 4), (0, 4, 7)), ("0.5", 32, (0, 2), (0, 4)),
])  # fmt: skip
def test_the_parts_of_a_sketch_at_every_border(reach, whole, middle, wide):
    lowest = Fraction(reach)
    for count, has_whole, has_middle, has_wide in (
        (1, True, False, False),
        (whole, True, False, False),
        (whole + 1, True, True, False),
        (int(whole / lowest), True, True, False),
        (int(whole / lowest) + 1, False, True, False),
        (512, False, True, False),
        (513, False, True, True),
        (int(512 / lowest), False, True, True),
        (int(512 / lowest) + 1, False, False, True),
    ):
        form = form_of(count)
        expected = keys_of(form, factors=tuple(C[:1]), starts=(0,)) if has_whole else []
        expected += keys_of(form, factors=tuple(C[1:3]), starts=middle)[:32] if has_middle else []
        expected += keys_of(form, factors=tuple(C[3 : 3 + len(wide)]), starts=wide)[:32] if has_wide else []
        assert oracle.sketch(form, reach=reach) == expected, count


def test_a_narrow_alphabet_gets_its_qgrams_too():
    form = "".join("acgt"[hash_of(str(i)) % 4] for i in range(2_000))
    assert oracle.is_narrow(form, 4)
    count = len(oracle.qgrams(form))
    assert 40 < count <= 256
    qgrams = keys_of(form, factors=tuple(C[:1]), starts=(0,))
    assert oracle.sketch(form) == keys_of(form, factors=tuple(C[1:3]), starts=(0, 4))[:32] + qgrams[:32]


def test_what_repeats_no_letter_is_not_narrow():
    assert not oracle.is_narrow(form_of(200), 4)
    assert oracle.is_narrow("a" * 300, 4)


def test_an_alphabet_is_narrow_from_a_quarter_of_the_qgrams_that_it_allows():
    # Four letters, each ten times: e = 40 · 39 / (4 · 10 · 9) = 4.33, so 18.8 pairs of them, of which 4.69 are enough.
    for form, count in (("abcd" * 10, 4), ("abcd" * 9 + "dabc", 5)):
        assert len(oracle.qgrams(form, 2)) == count
        assert oracle.is_narrow(form, 2) is (count > 4)


def test_a_sketch_of_another_size(lexicon):
    form = form_of(300)
    assert oracle.sketch(form, size=8) == oracle.sketch(form)[:8]
    assert len(oracle.sketch(form, size=64)) == 64
    assert len(oracle.sketch(form_of(20), size=8)) == 20


def test_a_salt_changes_every_key_of_a_sketch_and_nothing_else(lexicon):
    for count in (10, 300, 3_000):
        text = form_of(count)
        plain, salted = oracle.sign(text, lexicon=lexicon), oracle.sign(text, lexicon=lexicon, salt=b"x")
        assert not set(plain["sketch"]) & set(salted["sketch"])
        assert len(plain["sketch"]) == len(salted["sketch"])
        differing = {name for name in plain if plain[name] != salted[name]}
        assert differing == {"recipe", "sketch"}


@pytest.mark.parametrize(("count", "threshold", "reach", "expected"), [
    (1, "0.7", "0.6", 1), (3, "0.7", "0.6", 3), (24, "0.7", "0.6", 4), (25, "0.7", "0.6", 2), (48, "0.7", "0.6", 2),
    (49, "0.7", "0.6", 3), (49, "0.69", "0.6", 2), (5_000, "1", "0.6", 3), (5_000, "0.5", "0.5", 2),
    (32, "0.5", "0.5", 4), (33, "0.5", "0.5", 2),
])  # fmt: skip
def test_how_many_keys_must_be_shared(count, threshold, reach, expected):
    assert oracle.shared_for(count, threshold, reach=reach) == expected


def test_the_signature_has_every_field(lexicon):
    signature = oracle.sign("A rose is a flower.", lexicon=lexicon, simhash_variants=2)
    assert list(signature) == [
        "recipe", "fingerprint", "qgrams", "qgram_count", "sketch", "sentences", "simhash", "simhash_bands",
    ]  # fmt: skip
    assert signature["recipe"] == f"neardup-2:q4:case:u16:lex-{lexicon.id}:sketch-32-0.6:simhash-2"
    assert signature["qgrams"] == sorted(signature["qgrams"])
    assert signature["qgrams"][0] == "Aros"
    assert signature["qgram_count"] == len(signature["sketch"]) == 11
    assert len(signature["simhash"]) == 2


def test_the_recipe_names_what_shapes_a_signature(lexicon):
    named = oracle.recipe(lexicon, q=3, fold_case=True, simhash_variants=4, size=64, reach="0.5")
    assert named == f"neardup-2:q3:fold:u16:lex-{lexicon.id}:sketch-64-0.5:simhash-4"


def test_the_empty_text_has_a_signature(lexicon):
    signature = oracle.sign("", lexicon=lexicon)
    assert signature["fingerprint"] == "e3b0c44298fc1c149afbf4c8996fb924"
    assert (
        signature["qgrams"]
        == signature["sketch"]
        == signature["sentences"]
        == signature["simhash_bands"]
        == []
    )
    assert signature["simhash"] == ["0000000000000000"]


@given(text=TEXT)
def test_composed_and_decomposed_text_have_one_signature(text):
    import unicodedata

    lexicon = Lexicon.default()
    assert oracle.sign(unicodedata.normalize("NFD", text), lexicon=lexicon) == oracle.sign(
        text, lexicon=lexicon
    )
