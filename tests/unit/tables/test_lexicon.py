"""Lexicon: classes by the definition, files that come back whole or not at all."""

import struct
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import xxhash

from neardup.errors import LexiconError
from neardup.oracle import definitions as oracle
from neardup.tables import container
from neardup.tables.lexicon import QGRAM_SLOTS, WORD_SLOTS, Lexicon, LexiconBuilder, frequency_class

TEXTS = ["a rose is a rose", "a rose is a flower", "the flower", "a bee"] * 5 + ["nothing else"]


def built(texts: list[str], name: str = "test", q: int = 4) -> Lexicon:
    builder = LexiconBuilder(q=q, fold_case=False, name=name)
    for text in texts:
        keys = [oracle.key(gram) for gram in oracle.qgrams(oracle.normal_form(text), q)]
        hashes = [xxhash.xxh64_intdigest(word.encode("utf-8"), seed=0) for word in oracle.words(text)]
        builder.add(np.array(keys, np.uint64), np.array(hashes, np.uint64))
    return builder.build()


@pytest.fixture(scope="module")
def lexicon():
    return built(TEXTS)


@pytest.fixture
def path(lexicon, tmp_path):
    target = tmp_path / "test.lexicon"
    lexicon.save(target)
    return target


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 7, 10, 99, 743, 744, 7_439, 60_000, 60_098])
def test_the_class_of_a_frequency_is_its_rounded_logarithm(df):
    with localcontext() as context:
        context.prec = 50
        exact = 16 * Decimal(df).ln() / Decimal(2).ln()
        assert frequency_class(df) == min(254, int(exact.to_integral_value()))


def test_the_class_of_a_fraction_and_of_a_huge_frequency():
    assert frequency_class(Fraction(5, 2)) == 21  # 16 · 1.3219 = 21.15
    assert frequency_class(10**9) == 254


def test_the_header_numbers_follow_from_the_number_of_documents(lexicon):
    assert lexicon.documents == 21
    assert lexicon.n_class == 70  # 16 · log2 21 = 70.28
    assert lexicon.common_class == 17  # 16 · log2 2.1 = 17.13


def test_a_document_counts_once_however_often_it_says_a_word(lexicon):
    # "a" is in 15 of the 21, three times in none and twice in ten.
    assert oracle.word_class("a", lexicon) == frequency_class(15) == 63
    assert oracle.word_class("flower", lexicon) == frequency_class(10) == 53
    assert oracle.word_class("bee", lexicon) == frequency_class(5) == 37


def test_what_was_seen_once_or_never_is_unknown(lexicon):
    assert oracle.word_class("nothing", lexicon) == 255
    assert oracle.word_class("everything", lexicon) == 255


def test_qgrams_have_classes_by_the_top_bits_of_their_keys(lexicon):
    assert lexicon.qgram_classes[oracle.key("rose") >> 42] == frequency_class(10)
    assert lexicon.qgram_classes[oracle.key("abee") >> 42] == frequency_class(5)
    assert lexicon.qgram_classes[oracle.key("hing") >> 42] == 255


def test_weights_and_commonness_follow_from_the_class(lexicon):
    words = ["a", "flower", "bee", "nothing"]  # of the classes 63, 53, 37 and 255
    assert [oracle.idf(word, lexicon) for word in words] == [7, 17, 33, 70]
    assert [oracle.is_common(word, lexicon) for word in words] == [True, True, True, False]


def test_a_lexicon_of_no_document_knows_nothing_and_works():
    empty = LexiconBuilder(4, False, "empty").build()
    assert (empty.documents, empty.n_class, empty.common_class) == (0, 0, 16)
    assert (empty.qgram_classes == 255).all()
    assert (empty.word_classes == 255).all()
    assert oracle.idf("rose", empty) == 1
    assert not oracle.is_common("rose", empty)


def test_the_order_of_documents_is_irrelevant(lexicon):
    assert built(TEXTS[::-1]).id == lexicon.id


def test_a_builder_can_go_on_after_a_build():
    builder = LexiconBuilder(4, False, "test")
    keys, hashes = np.array([1 << 42], np.uint64), np.array([], np.uint64)
    builder.add(keys, hashes)
    first = builder.build()
    builder.add(keys, hashes)
    assert (first.documents, first.qgram_classes[1]) == (1, 255)
    assert (builder.build().documents, builder.build().qgram_classes[1]) == (2, 16)


@pytest.mark.parametrize("q", [0, 17, -4])
def test_a_q_out_of_range_is_refused(q):
    with pytest.raises(ValueError, match=f"q is {q}: it must be between 1 and 16"):
        LexiconBuilder(q, False, "test")


def test_a_name_too_long_for_the_file_is_refused():
    with pytest.raises(ValueError, match="at most 65,535 bytes"):
        LexiconBuilder(4, False, "é" * 40_000)


def test_save_then_load_gives_the_same(lexicon, path):
    loaded = Lexicon.load(path)
    assert loaded.id == lexicon.id
    for field in ("name", "q", "fold_case", "documents", "n_class", "common_class"):
        assert getattr(loaded, field) == getattr(lexicon, field)
    assert (loaded.qgram_classes == lexicon.qgram_classes).all()
    assert (loaded.word_classes == lexicon.word_classes).all()


def test_the_file_is_as_documented(lexicon, path):
    payload = container.read(path, b"LEXI", 1)
    assert lexicon.id == xxhash.xxh64_hexdigest(payload, seed=0)[:8]
    assert struct.unpack_from("<BBBBIH", payload) == (4, 0, 70, 17, 21, 4)
    assert payload[10:14] == b"test"
    assert len(payload) == 14 + 4_194_304 + 1_048_576
    assert payload[14 + (oracle.key("rose") >> 42)] == frequency_class(10)
    assert payload[14 + 4_194_304 + (xxhash.xxh64_intdigest(b"bee", seed=0) >> 44)] == frequency_class(5)


def test_a_name_of_many_scripts_comes_back(tmp_path):
    built(["a"], name="Zeitung 新聞 😀").save(tmp_path / "x")
    assert Lexicon.load(tmp_path / "x").name == "Zeitung 新聞 😀"


def test_the_name_is_part_of_the_id(lexicon):
    assert built(TEXTS, name="other").id != lexicon.id


def test_tables_are_read_only(lexicon, path):
    for each in (lexicon, Lexicon.load(path)):
        assert not each.qgram_classes.flags.writeable
        assert not each.word_classes.flags.writeable


def test_its_repr_is_short(lexicon):
    assert repr(lexicon) == f"Lexicon('test', id='{lexicon.id}', q=4, documents=21)"


def payload(
    head: bytes = struct.pack("<BBBBIH", 4, 0, 70, 17, 21, 0), tables: int = QGRAM_SLOTS + WORD_SLOTS
) -> bytes:
    return head + bytes(tables)


FOREIGN = {
    "nothing": (b"", "found a payload of 0 bytes, expected a lexicon"),
    "smaller tables": (payload(tables=100), "found a payload of 110 bytes with a name of 0 bytes"),
    "a longer name": (payload(struct.pack("<BBBBIH", 4, 0, 70, 17, 21, 9)), "with a name of 9 bytes"),
    "q = 0": (payload(struct.pack("<BBBBIH", 0, 0, 70, 17, 21, 0)), "found q = 0 and fold_case = 0"),
    "fold_case = 2": (payload(struct.pack("<BBBBIH", 4, 2, 70, 17, 21, 0)), "found q = 4 and fold_case = 2"),
    "a name in Latin 1": (
        payload(struct.pack("<BBBBIH", 4, 0, 70, 17, 21, 1) + b"\xe9"),
        "'utf-8' codec can't decode",
    ),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_payload_that_is_no_lexicon_is_refused(tmp_path, kind):
    data, message = FOREIGN[kind]
    path = tmp_path / "foreign.lexicon"
    container.write(path, b"LEXI", 1, data)
    with pytest.raises(LexiconError, match=r"foreign\.lexicon: found") as caught:
        Lexicon.load(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("position", [0, 4, 8, 12, 16, 24, 30, 1_000, -1])
def test_a_damaged_file_is_refused(path, position):
    data = bytearray(path.read_bytes())
    data[position] ^= 0x55
    path.write_bytes(data)
    with pytest.raises(LexiconError, match=r"test\.lexicon: found .*, expected .*: build the lexicon again"):
        Lexicon.load(path)


def test_a_cut_file_is_refused(path):
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(LexiconError, match=r"found a payload of \d+ bytes, expected 5242894 bytes"):
        Lexicon.load(path)


def test_the_table_of_unicode_is_no_lexicon():
    from neardup.tables import unicode as unicode_table

    table = unicode_table.__file__.replace("tables/unicode.py", "data/unicode16.bin")
    with pytest.raises(LexiconError, match="found a file of kind b'UNIC', expected kind b'LEXI'"):
        Lexicon.load(table)


def test_the_default_lexicon_ships_and_knows_common_words():
    lexicon = Lexicon.default()
    assert lexicon is Lexicon.default()
    assert (lexicon.name, lexicon.q, lexicon.fold_case) == ("default", 4, False)
    assert lexicon.documents == 3_720
    assert all(oracle.is_common(word, lexicon) for word in ["the", "of", "and", "to", "in"])
    assert not any(oracle.is_common(word, lexicon) for word in ["crocodile", "violin", "squirrels"])
