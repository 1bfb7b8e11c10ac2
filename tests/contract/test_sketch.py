"""What the sketch finds: across the borders of its parts, of narrow alphabets, of texts whose q-grams nobody counted,
with a salt; what it says below its reach; and that forged fingerprints are no equal texts.
"""

from __future__ import annotations

import ast
import functools
import itertools
import logging
import random
import stat
from fractions import Fraction
from typing import Any

import pytest
import xxhash
from testing.window.backends import (
    START,
    Place,
    document,
    engines_in_turn,
    engines_only,
    grams,
    without_candidates,
)
from testing.window.reference_window import ReferenceWindow

import neardup
from neardup.errors import RecipeMismatch, SettingsError, WindowDamaged
from neardup.kernels.sketch import UNCOUNTED
from neardup.model.document import Document
from neardup.model.settings import REACHES, WIDE_ABOVE, Recipe

WORDS = [
    f"{a}{b}{c}" for a in "bdfgklmnprst" for b in ("a", "e", "io", "u") for c in ("st", "n", "rk", "l", "ms")
]
LARGE = 350
"""Words of a text of which no set is made until it is compared: some 1,500 q-grams."""


def text_of(numbers: random.Random, words: int = LARGE) -> list[str]:
    return [numbers.choice(WORDS) + str(numbers.randrange(100)) for _ in range(words)]


def edited(words: list[str], numbers: random.Random, share: float) -> list[str]:
    """The words, some of which are replaced."""
    words = list(words)
    for place in numbers.sample(range(len(words)), round(share * len(words))):
        words[place] = numbers.choice(WORDS)
    return words


@functools.cache
def long_stream(seed: int = 1) -> list[Document]:
    """Large texts: a crowd of more than a hundred near copies of one, several times the same text, halves, cuts of
    all lengths, and strangers, in no order; in sentences.
    """
    numbers = random.Random(seed)
    first, second = text_of(numbers), text_of(numbers)
    texts = [edited(first, numbers, 0.04 * numbers.random()) for _ in range(60)]
    texts += [texts[numbers.randrange(60)] for _ in range(45)]
    texts += [edited(second, numbers, 0.12 * numbers.random()) for _ in range(8)]
    texts += [first[: numbers.randrange(60, LARGE)] for _ in range(8)]
    texts += [second[:150] + text_of(numbers, 180) for _ in range(4)]
    texts += [text_of(numbers, numbers.randrange(20, LARGE)) for _ in range(10)]
    numbers.shuffle(texts)
    return [document(f"{i:03}", sentences(words), i // 12) for i, words in enumerate(texts)]


def sentences(words: list[str]) -> str:
    return " ".join(word + "." * (i % 12 == 11) for i, word in enumerate(words))


def differing(found: list[Any], wanted: list[Any]) -> list[str]:
    """The ids of verdicts that are not those wanted."""
    pairs = zip(without_candidates(found), without_candidates(wanted), strict=True)
    return [one.id for one, other in pairs if one != other]


# -- borders, narrow alphabets, short texts --


def borders(reach: float) -> list[int]:
    limits = Recipe(reach=reach).sketch_limits
    return [
        limits.whole,
        limits.largest_copy_of(limits.whole),
        WIDE_ABOVE,
        limits.largest_copy_of(WIDE_ABOVE),
    ]


@pytest.mark.parametrize("batch", [1, 64])
@pytest.mark.parametrize(
    ("reach", "threshold"), [(0.6, "0.6"), (0.6, "0.7"), (0.6, "0.9"), (0.5, "0.5"), (0.5, "0.8")]
)
def test_pairs_across_every_border_find_each_other(reach, threshold, batch):
    """Sets just below and just above each size at which the parts of a sketch change, both ways round."""
    exact = Fraction(threshold)
    documents: list[Document] = []
    expected: list[str | None] = []
    first = 0
    for border in borders(reach):
        for larger in (border, border + 1, int(border / exact)):
            for smaller in {
                border - 1,
                border,
                border + 1,
                -(-larger * exact.numerator // exact.denominator),
            }:
                shared = -(-max(larger, smaller) * exact.numerator // exact.denominator)
                if shared > min(larger, smaller):
                    continue
                pair = (
                    grams(first, first + larger),
                    grams(first + larger - shared, first + larger - shared + smaller),
                )
                first += larger + smaller
                first = first if first < 15_000 else first % 15_000
                for one, other in (pair, pair[::-1]):
                    at = len(documents)
                    documents += [document(f"{at}", one, 48 * at), document(f"{at + 1}", other, 48 * at)]
                    expected += [None, f"{at}"]
    with neardup.open(None, threshold=threshold, batch_documents=batch, recipe=Recipe(reach=reach)) as window:
        verdicts = list(window.ingest(documents))
    missed = [v.id for v, wanted in zip(verdicts, expected, strict=True) if v.duplicate_of != wanted]
    assert len(documents) > 100
    assert not missed


@pytest.mark.parametrize("letters", ["acgt", "01", "0123456789", "acdefghiklmnpqrstvwy"])
@pytest.mark.parametrize("length", [150, 2_500])
def test_of_narrow_alphabets_nearly_every_copy_is_found(letters, length):
    numbers = random.Random(len(letters) * length)
    texts: list[str] = []
    for i in range(40):
        text = "".join(numbers.choices(letters, k=numbers.randrange(length * 3 // 4, length)))
        if i % 2:
            cut = numbers.randrange(len(texts[-1]) // 8)
            text = texts[-1][cut:] + "".join(
                numbers.choices(letters, k=numbers.randrange(len(texts[-1]) // 10))
            )
        texts.append(text)
    documents = [document(f"{i:02}", text) for i, text in enumerate(texts)]
    wanted = list(ReferenceWindow(matches=None).ingest(documents))
    with neardup.open(None, matches=None) as window:
        found = list(window.ingest(documents))
    true = sum(verdict.matches_total for verdict in wanted)
    assert true >= 15
    assert sum(verdict.matches_total for verdict in found) >= true * 0.995


@pytest.mark.parametrize(("threshold", "reach"), [("0.6", 0.6), ("0.7", 0.6), ("0.9", 0.6), ("0.5", 0.5)])
def test_of_short_texts_every_copy_is_found(threshold, reach):
    numbers = random.Random(7)
    documents = []
    for i in range(150):
        words = text_of(random.Random(i // 3), numbers.randrange(1, 7))
        documents.append(document(f"{i:03}", " ".join(edited(words, numbers, numbers.choice((0, 0, 0.2))))))
    wanted = list(ReferenceWindow(threshold=threshold).ingest(documents))
    with neardup.open(None, threshold=threshold, recipe=Recipe(reach=reach)) as window:
        missed = differing(list(window.ingest(documents)), wanted)
    assert sum(verdict.is_copy for verdict in wanted) > 15
    assert len(missed) <= 1


# -- texts that are not counted until they are compared --


@functools.cache
def truth(settings: str) -> list[Any]:
    return list(ReferenceWindow(**ast.literal_eval(settings)).ingest(long_stream()))


SETTINGS = [
    {"retrieval": "complete"}, {"policy": "drop"}, {}, {"partial": True, "matches": None}, {"policy": "route"},
    {"routes": ("sentences",), "threshold": "0.9"},
]  # fmt: skip


@engines_in_turn("settings", SETTINGS)
def test_large_texts_get_the_verdicts_of_brute_force(place, settings):
    documents = long_stream()
    wanted = truth(str(settings))
    window = place.open(**settings)
    found = list(window.ingest(documents[:70]))
    window = place.reopened(window, **settings)
    found += window.ingest(documents[70:])
    assert not differing(found, wanted)


def test_the_sketch_leaves_large_texts_uncounted_until_they_are_compared():
    numbers = random.Random(3)
    one = text_of(numbers)
    with neardup.open(None) as window:
        list(window.ingest([document("a", " ".join(one)), document("b", " ".join(text_of(numbers)))]))
        counts = window._session.state.table.counts
        assert counts[:2].tolist() == [UNCOUNTED, UNCOUNTED]
        (verdict,) = window.ingest([document("c", " ".join(edited(one, numbers, 0.02)))])
        assert verdict.status == "near"
        assert counts[0] > 0
        assert counts[1] == UNCOUNTED


@pytest.mark.parametrize(
    "settings", [{}, {"partial": True}, {"retrieval": "complete"}, {"max_candidates": 3}], ids=str
)
def test_who_has_counted_a_text_changes_no_verdict_not_even_its_candidates(directory, settings):
    """Batch by batch, document by document, read again from its files: the same is compared with the same."""
    documents = long_stream()
    expected = list(Place("memory", directory.path).open(**settings).ingest(documents))
    assert any(verdict.candidates > verdict.matches_total for verdict in expected)
    for i, working in enumerate(({"batch_documents": 1}, {"batch_documents": 500, "threads": 2})):
        window = directory.open(f"{i}", **settings, **working)
        found = list(window.ingest(documents[:50]))
        window = directory.reopened(window, f"{i}", **settings, **working)
        assert found + list(window.ingest(documents[50:])) == expected


@engines_only
def test_queries_and_reconcile_are_those_of_brute_force(place):
    documents = long_stream()[:60]
    late = random.Random(4).sample(documents, len(documents))
    window, reference = place.open(window_hours=0), ReferenceWindow(window_hours=0)
    for opened in (window, reference):
        list(opened.ingest(late))
    window = place.reopened(window)
    for item in documents[::15]:
        questions: tuple[dict[str, Any], ...] = (
            {"text": item.text},
            {"id": item.id},
            {"id": item.id, "threshold": "0.95"},
        )
        for asked in questions:
            assert not differing([window.query(**asked)], [reference.query(**asked)])
    assert not differing(list(window.reconcile()), list(reference.reconcile()))


@pytest.mark.parametrize("kind", ["directory", "sqlite"])
@pytest.mark.parametrize(("before", "after"), [("sketch", "complete"), ("complete", "sketch")])
def test_a_window_may_change_its_retrieval(tmp_path, kind, before, after):
    """What was stored without a count, or without the keys of the other search, is found all the same."""
    documents = long_stream()
    reference, place = ReferenceWindow(window_hours=0), Place(kind, tmp_path)
    window = place.open(retrieval=before, window_hours=0)
    assert not differing(list(window.ingest(documents[:60])), list(reference.ingest(documents[:60])))
    for item in documents[10:40:10]:
        assert window.delete(item.id)
        assert reference.delete(item.id)
    window = place.reopened(window, retrieval=after, window_hours=0)
    for item in documents[:60:12]:
        assert not differing([window.query(item.text)], [reference.query(item.text)])
    assert not differing(list(window.ingest(documents[60:90])), list(reference.ingest(documents[60:90])))
    place.close()


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
def test_after_a_compaction_what_is_posted_for_a_text_is_still_known(retrieval, monkeypatch):
    """The document that was posted for a text is gone: another of its text takes over its postings and its count."""
    monkeypatch.setattr("neardup.window.state._COMPACT_FROM", 5)
    documents = long_stream()
    reference = ReferenceWindow(window_hours=0)
    with neardup.open(None, window_hours=0, retrieval=retrieval) as window:
        for opened in (window, reference):
            list(opened.ingest(documents[:80]))
            for item in documents[:60]:
                opened.delete(item.id)
        found, wanted = list(window.ingest(documents[80:120])), list(reference.ingest(documents[80:120]))
        assert window._session.state.table.size < len(documents[:120])  # those that were deleted have left it
        assert not differing(found, wanted)
        assert not differing([window.query(documents[0].text)], [reference.query(documents[0].text)])


# -- the salt --


def salt_file(directory, secret=b"a secret"):
    path = directory / "some.salt"
    path.write_bytes(secret)
    return path


def test_a_salted_window_finds_the_same_copies_by_other_keys(directory, tmp_path):
    plain, salted = Recipe(), Recipe(salt=salt_file(tmp_path))
    documents = long_stream()
    windows = [directory.open(name, recipe=recipe) for name, recipe in (("plain", plain), ("salted", salted))]
    verdicts = [list(window.ingest(documents)) for window in windows]
    assert not differing(*verdicts)
    text = documents[0].text
    sketches = [set(neardup.sign(text, recipe=recipe).sketch) for recipe in (plain, salted)]
    assert len(sketches[0]) == len(sketches[1]) == 32
    assert not sketches[0] & sketches[1]
    recipes = [window.stats().recipe for window in windows]
    assert recipes[1].startswith(f"{recipes[0]}:salt-")


def test_a_window_keeps_its_salt_where_its_owner_alone_can_read_it(tmp_path):
    source = salt_file(tmp_path, b"\x00 any bytes \n")
    with neardup.open(tmp_path / "w", recipe=Recipe(salt=source)) as window:
        verdicts, recipe = list(window.ingest(long_stream()[:20])), window.stats().recipe
    own = tmp_path / "w" / "window.salt"
    assert own.read_bytes() == b"\x00 any bytes \n"
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    assert "any bytes" not in (tmp_path / "w" / "window.json").read_text()
    assert str(source) not in (tmp_path / "w" / "window.json").read_text()
    source.unlink()
    with neardup.open(tmp_path / "w") as window:
        assert window.stats().recipe == recipe
        assert list(window.ingest(long_stream()[:20])) == verdicts


def test_another_salt_or_none_is_another_recipe(tmp_path):
    source = salt_file(tmp_path)
    neardup.open(tmp_path / "w", recipe=Recipe(salt=source)).close()
    neardup.open(tmp_path / "w", recipe=Recipe(salt=source)).close()
    for other in (Recipe(), Recipe(salt=salt_file(tmp_path, b"another"))):
        with pytest.raises(RecipeMismatch, match=r":salt-[0-9a-f]{8}"):
            neardup.open(tmp_path / "w", recipe=other)


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
def test_a_window_that_has_lost_its_salt_says_so(tmp_path, retrieval):
    neardup.open(tmp_path / "w", recipe=Recipe(salt=salt_file(tmp_path)), retrieval=retrieval).close()
    own = tmp_path / "w" / "window.salt"
    own.unlink()
    with pytest.raises(WindowDamaged, match=r"window\.salt is damaged: found no such file"):
        neardup.open(tmp_path / "w")
    for secret, found in ((b"another", "another secret"), (b"", "not empty")):
        own.write_bytes(secret)
        with pytest.raises(WindowDamaged, match=rf"window\.salt is damaged: found .*{found}"):
            neardup.open(tmp_path / "w")
    own.write_bytes(b"a secret")
    neardup.open(tmp_path / "w").close()


def test_a_lexicon_that_cannot_be_read_makes_no_window(tmp_path):
    for path, reason in ((tmp_path / "no.lexicon", "No such file"), (tmp_path, "Is a directory")):
        for where in (None, tmp_path / "w"):
            with pytest.raises(SettingsError, match=f"setting lexicon is .*{path}.*{reason}"):
                neardup.open(where, recipe=Recipe(lexicon=path))
    assert not (tmp_path / "w" / "window.json").exists()


@pytest.mark.parametrize(("secret", "said"), [(None, "No such file"), (b"", "not empty")])
def test_a_salt_that_cannot_be_used_makes_no_window(tmp_path, secret, said):
    path = tmp_path / "some.salt"
    if secret is not None:
        path.write_bytes(secret)
    for where in (None, tmp_path / "w"):
        with pytest.raises(SettingsError, match=f"setting salt is .*some.salt.*{said}"):
            neardup.open(where, recipe=Recipe(salt=path))
    assert not (tmp_path / "w" / "window.json").exists()
    neardup.open(tmp_path / "w").close()
    assert not (tmp_path / "w" / "window.salt").exists()


# -- the reach --


@pytest.mark.parametrize("where", ["memory", "directory"])
@pytest.mark.parametrize(("threshold", "reach"), [("0.7", 0.6), (0.6, 0.6), ("0.599999", 0.5), ("0.1", 0.5)])
def test_a_new_window_gets_the_reach_that_its_threshold_needs(tmp_path, where, threshold, reach):
    place = Place(where, tmp_path)
    window = place.open(threshold=threshold)
    assert f":sketch-32-{reach}:" in window.stats().recipe
    window = place.reopened(window, threshold="0.8")
    assert f":sketch-32-{reach}:" in window.stats().recipe
    place.close()


def warnings(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_a_recipe_that_is_given_stays_and_below_its_reach_a_window_warns_once(tmp_path, caplog):
    with neardup.open(tmp_path / "w", threshold="0.55", recipe=Recipe()) as window:
        for at in range(3):
            list(window.ingest([document(f"{at}", grams(0, 30))]))
            window.query(grams(0, 30))
    (said,) = warnings(caplog)
    assert "for thresholds from 0.6 on, and miss copies at 0.55" in said
    assert "complete" in said
    assert "reach 0.5" in said


def test_a_query_below_the_reach_warns_and_names_no_reach_there_is_not(tmp_path, caplog):
    with neardup.open(tmp_path / "w", recipe=Recipe(reach=0.5)) as window:
        list(window.ingest([document("a", grams(0, 30))]))
        window.query(grams(0, 30), threshold="0.5")
        assert not warnings(caplog)
        window.query(grams(0, 30), threshold="0.4")
    (said,) = warnings(caplog)
    assert "from 0.5 on, and miss copies at 0.4" in said
    assert said.endswith("(--retrieval complete) misses none")


def test_below_every_reach_none_is_advised(tmp_path, caplog):
    with neardup.open(tmp_path / "w", recipe=Recipe()) as window:
        list(window.ingest([document("a", grams(0, 30))]))
        window.query(grams(0, 30), threshold="0.4")
    (said,) = warnings(caplog)
    assert "from 0.6 on, and miss copies at 0.4" in said
    assert said.endswith("(--retrieval complete) misses none")


def test_a_complete_search_has_no_reach(tmp_path, caplog):
    with neardup.open(tmp_path / "w", threshold="0.2", retrieval="complete", recipe=Recipe()) as window:
        list(window.ingest([document("a", grams(0, 30)), document("b", grams(20, 50))]))
        assert window.query(grams(0, 30), threshold="0.1").matches_total == 2
    assert not warnings(caplog)


@pytest.mark.parametrize("reach", REACHES)
def test_scattered_edits_at_the_reach_are_found_by_nearly_all(reach):
    """Words replaced here and there, down to doc_q = the reach: what a sketch is made for."""
    numbers = random.Random(9)
    found = true = 0
    with neardup.open(None, threshold=str(reach), recipe=Recipe(reach=reach), window_hours=0) as window:
        for i in range(80):
            words = text_of(numbers, numbers.choice((60, 150, 350)))
            pair = [" ".join(words), " ".join(edited(words, numbers, 0.2 * numbers.random()))]
            *_, verdict = window.ingest([document(f"{i}{at}", text) for at, text in enumerate(pair)])
            true += neardup.doc_q(*pair) >= reach
            found += verdict.is_copy
    assert true > 50
    assert found >= true * 0.98


# -- forged fingerprints --


FORGED = (
    "Theferryranagroundoffthewesternspitatdawnandtheharbourmastersaidthatnobodywashurtbutthecargowasgoneby9",
    "MfuL5CZ6PJVbKjQbKInpHRO2u9ZTrUZGiFT58oyBgUhP4eApk3fJYRjAEuFATdAqthatnobodywashurtbutthecargowasgoneby9",
)
"""Two texts made to have one xxh64, with either seed: anybody can make such pairs in a moment."""


@engines_only
@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
def test_texts_forged_to_have_one_hash_are_not_called_exact(place, retrieval):
    for seed in (0, 1):
        assert len({xxhash.xxh64_hexdigest(text.encode(), seed) for text in FORGED}) == 1
    window = place.open(retrieval=retrieval, threshold="0.3")
    verdicts = list(window.ingest([Document("a", FORGED[0], START), Document("b", FORGED[1], START)]))
    assert [verdict.status for verdict in verdicts] == ["unique", "near"]
    assert verdicts[1].score == neardup.doc_q(*FORGED) < 0.5
    # Nor is it taken for the same text when it comes again under the same id.
    (again,) = window.ingest([Document("b", FORGED[0], START)])
    assert (again.status, again.duplicate_of) == ("exact", "a")
    assert window.replaced == 1


def test_fingerprints_differ_wherever_texts_do():
    numbers = random.Random(11)
    texts = {" ".join(text_of(numbers, 3)) for _ in range(200)} | set(FORGED)
    fingerprints = [neardup.sign(text).fingerprint for text in texts]
    assert all(one != other for one, other in itertools.combinations(fingerprints, 2))
