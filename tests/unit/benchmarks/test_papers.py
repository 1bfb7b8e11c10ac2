"""The experiments of the papers run at their tiny size, and their generators make what they say."""

import json
import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from benchmarks.lib import corpora
from benchmarks.papers import (
    chang_wang,
    chang_wang_data,
    fan_huang,
    fan_huang_curves,
    fan_huang_data,
    prose,
    yoon,
    yoon_data,
    yoon_judging,
    yoon_others,
)
from benchmarks.papers.experiments import results_file

from neardup.baselines.sentence_lengths import feature_string
from neardup.baselines.words import Frequencies, words
from neardup.oracle import definitions as oracle

ROOT = Path(__file__).resolve().parents[3]
NEEDS = {"fan_huang": ["snowballstemmer"]}


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["fan_huang", "chang_wang", "yoon"])
def test_experiment_runs_at_its_tiny_size(paper, tmp_path):
    missing = [library for library in NEEDS.get(paper, ()) if find_spec(library) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: pip install '.[bench]'")
    command = [sys.executable, "-m", f"benchmarks.papers.{paper}", "--tiny", "--results", str(tmp_path)]
    nowhere = os.environ | {"NEARDUP_DATA": str(tmp_path / "no-corpora")}
    done = subprocess.run(command, cwd=ROOT, env=nowhere, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    assert done.stdout.count("| --- |") >= 5
    written = json.loads(results_file(tmp_path, paper).read_text())
    assert written["figures"]
    assert written["origin"].keys() >= {"commit", "machine", "versions"}
    assert str(tmp_path) not in json.dumps(written)


# -- Fan & Huang --


def test_copies_are_seeded_and_edited_by_their_share():
    texts = corpora.generated("copies", 30).originals()
    made = fan_huang_data.copies(texts, [3, 7], 60, seed=1)
    assert made == fan_huang_data.copies(texts, [3, 7], 60, seed=1)
    assert [copy.source for copy in made] == [3] * 60 + [7] * 60
    for share in fan_huang_data.SHARES:
        some = [copy for copy in made if copy.share == share]
        assert len(some) == 20
        for copy in some:
            before, after = texts[copy.source].split(), copy.text.split()
            assert abs(len(before) - len(after)) <= round(share * len(before))
            kept = sum(word in set(after) for word in before) / len(before)
            assert kept >= 1 - share - 0.01


def test_no_text_is_a_source_twice():
    sets = fan_huang_data.source_sets(100, 4, 5, seed=2)
    assert [len(some) for some in sets] == [5] * 4
    assert len({place for some in sets for place in some}) == 20


@pytest.mark.skipif(find_spec("snowballstemmer") is None, reason="pip install '.[bench]'")
def test_stop_words_go_and_words_are_stemmed():
    assert fan_huang_data.stems("The duplicates of the running documents were DUPLICATED!") == [
        "duplic", "run", "document", "duplic",
    ]  # fmt: skip


def test_macro_averages_by_hand():
    """Equations (1) to (3) of the paper, on two queries of two copies each."""
    near = [np.array([0, 2]), np.array([1, 1])]
    others = [np.array([1, 2, 2]), np.array([2, 64])]
    curve = fan_huang_curves.curve_of(near, others, 3)
    assert curve.precision == [(1 + 1) / 2, (1 / 2 + 2 / 2) / 2, (2 / 5 + 2 / 3) / 2]
    assert curve.recall == [(1 / 2 + 0) / 2, (1 / 2 + 1) / 2, 1]
    assert curve.f[1] == 2 * 0.75 * 0.75 / 1.5
    assert curve.best() == 1


def test_a_source_is_no_answer_to_itself_and_other_sources_copies_are_false():
    copies = [fan_huang_data.Copy(source, 0.1, "") for source in (0, 0, 2)]
    data = fan_huang_curves.Data(["a", "b", "c"], [[0, 2]], [copies])
    rows = [(np.array([0, 10, 11]), np.array([1, 2, 12])), (np.array([13, 14, 0]), np.array([15, 16, 3]))]
    near, others = fan_huang_curves.split_by_query(data, 0, rows)
    assert [one.tolist() for one in near] == [[1, 2], [3]]
    assert [one.tolist() for one in others] == [[10, 11, 12], [13, 14, 15, 16]]


def test_doc_q_beside_simhash_is_the_oracles():
    clean = corpora.generated("beside", 40).originals()
    sources = [[1, 5]]
    data = fan_huang_curves.Data(clean, sources, [fan_huang_data.copies(clean, sources[0], 12, seed=3)])
    figures = fan_huang.on_doc_q(data, clean, data.copied_texts())
    scores = [
        float(oracle.doc_q(clean[copy.source], copy.text)) for copy in data.copies[0] if copy.share == 0.1
    ]
    assert figures["least_copy"][0.1] == min(scores)
    strangers = max(oracle.doc_q(clean[1], text) for place, text in enumerate(clean) if place != 1)
    assert figures["nearest_stranger"] >= float(strangers)
    # every copy that reaches t is found at t, and every stranger that does is counted as false
    reached = sum(
        score >= 0.5 for copy in data.copies[0] for score in [oracle.doc_q(clean[copy.source], copy.text)]
    )
    assert figures["recall"][50] == pytest.approx(reached / 24, abs=1e-4)


# -- Chang & Wang --


def test_sentences_of_prose_keep_every_word():
    text = 'He said: "Is it so?" It is. At 3.14 p.m. they\nleft ... -- without\n\na word'
    assert words(" ".join(prose.sentences(text))) == words(text)
    assert prose.sentences(text)[:2] == ['He said: "Is it so?"', "It is."]


def endless():
    return (f"Word{number} " * (number % 7 + 3) + "end." for number in range(10**6))


def test_papers_quote_their_first_and_last_sentences():
    plain = chang_wang_data.papers(endless(), 8, seed=4, apparatus=False)
    assert plain == chang_wang_data.papers(endless(), 8, seed=4, apparatus=False)
    for paper in plain:
        lengths = feature_string(paper.text)
        first, last = feature_string(paper.introduction), feature_string(paper.conclusion)
        assert min(len(first), len(last)) >= 4
        assert lengths[: len(first)] == first
        assert lengths[-len(last) :] == last
        assert feature_string(paper.query) == first + last


def test_the_apparatus_repeats_and_the_prose_below_it_is_the_same():
    plain = chang_wang_data.papers(endless(), 8, seed=4, apparatus=False)
    dressed = chang_wang_data.papers(endless(), 8, seed=4, apparatus=True)
    for one, other in zip(plain, dressed, strict=True):
        assert set(words(one.text)) <= set(words(other.text))
        assert len(feature_string(other.text)) > len(feature_string(one.text)) + 20
    repeating = [feature_string(paper.middle) for paper in dressed]
    assert any(string[at : at + 8] == (2,) * 8 for string in repeating for at in range(len(string)))


def test_articles_are_of_their_collection_and_about_37_clauses():
    passages = prose.collections(Path("nowhere"), tiny=True)
    made = chang_wang_data.articles(passages, chang_wang_data.CLAUSE_MARKS, seed=5, apparatus=True)
    assert {article.collection for article in made} == set(prose.COLLECTIONS)
    lengths = [len(feature_string(article.text, chang_wang_data.CLAUSE_MARKS)) for article in made]
    assert 28 < sum(lengths) / len(lengths) < 46
    excerpt = chang_wang_data.excerpt(made[0], random.Random(6))
    assert excerpt in made[0].text
    assert 1 <= excerpt.count("\n\n") + 1 <= chang_wang_data.MOST_PARAGRAPHS


def test_answers_are_judged_by_hand():
    data = chang_wang.Data([], (), frozenset({1, 2, 3, 4}), 0.0)
    judged = chang_wang.judge(data, [1, 2, 9])
    assert (judged["recognised"], judged["total"], judged["recall"], judged["precision"]) == (
        2,
        3,
        0.5,
        2 / 3,
    )
    assert judged["f1"] == pytest.approx(4 / 7)
    assert chang_wang.judge(data, [])["f1"] == 0


# -- Yoon and others --


@pytest.fixture(scope="module")
def blogosphere():
    passages = [some for group in prose.collections(Path("nowhere"), tiny=True).values() for some in group]
    return yoon_data.blogosphere(passages, 0.75, 60, 120, seed=7)


def test_posts_hold_what_they_were_given_of_their_originals(blogosphere):
    kinds = [post.kind for post in blogosphere.posts]
    assert (len(kinds), kinds.count("own")) == (120, 60)
    assert set(kinds) == {"own", *yoon_data.KINDS}
    verbatim = 0
    for post in blogosphere.posts:
        assert post.is_duplicate == (post.kind != "own")
        sentences = set(prose.sentences(post.text))
        for source, size in post.taken:
            of_source = [
                one for one in prose.sentences(blogosphere.articles[source]) if "newspaper" not in one
            ]
            shared = sum(one in sentences for one in of_source)
            assert shared <= size
            verbatim += shared == size
            if post.kind in yoon_data.WHOLE:
                assert size == len(of_source)
            if post.kind == "clip":
                assert size >= 4
    assert verbatim > 40


def test_the_blogosphere_is_seeded():
    passages = [[f"Sentence {a} of {b} is here." for a in range(30)] for b in range(40)]
    one, other, third = (yoon_data.blogosphere(passages, 0.5, 5, 12, seed) for seed in (1, 1, 2))
    assert one == other != third


def test_a_trivial_revision_changes_no_more_than_function_words_and_order():
    rng = random.Random(8)
    sentence = "The minister of transport opened a new bridge for heavy trucks in the valley."
    content = sorted(set(words(sentence)) - set(yoon_data.FUNCTION_WORDS))
    revised = {yoon_data.trivially_revised(sentence, rng) for _ in range(300)}
    assert len(revised) > 50
    for one in revised:
        assert sorted(set(words(one)) - set(yoon_data.FUNCTION_WORDS)) == content


def test_posts_are_judged_by_hand():
    judged = yoon_judging.judge([1, 2, 9], {1, 2, 3, 4})
    assert (judged["precision"], judged["recall"]) == (2 / 3, 1 / 2)
    assert yoon_judging.judge([1, 2, 9], {1, 2, 3, 4}, among=[1, 3, 5]) == {
        "precision": 1.0, "recall": 0.5, "f": pytest.approx(2 / 3),
    }  # fmt: skip
    assert yoon_judging.posts_above([0, 3, 4, 9], 3) == {2, 3}


def test_a_sentence_of_more_than_300_articles_names_none_of_them():
    texts = [f"advert. often{number // 300}" for number in range(301)]
    data = yoon_judging.Data(texts, [yoon_data.Post("own", "advert. often0. often1")], [], [])

    def keys(text):
        return [word.encode() for word in words(text)]

    shared = yoon.shared_sentences(data, keys)
    assert shared == {(0, article): 1 for article in range(301)}  # not by "advert", which 301 of them have


def test_tables_strike_out_by_300_but_not_the_digests_of_whole_documents(blogosphere):
    data = yoon_judging.Data(blogosphere.articles[:3], [], [], [])
    made = [*yoon.contenders(data, Frequencies(words, data.articles), 0.6)]
    assert [one.most for one in made] == [3] * len(yoon.IDF_RANGES) + [300] * 3


def test_containment_is_the_oracles(blogosphere):
    data = yoon_judging.Data(blogosphere.articles[:60], blogosphere.posts[:10], [], [])
    checked = 0
    for post, found in zip(data.posts, yoon_others.containments(data), strict=True):
        own = oracle.qgrams(oracle.normal_form(post.text))
        for article, score in list(found.items())[:5]:
            other = oracle.qgrams(oracle.normal_form(data.articles[article]))
            assert score == pytest.approx(len(own & other) / min(len(own), len(other)))
            checked += 1
    assert checked >= 30


def test_the_products_fingerprints_are_those_of_its_signatures(blogosphere):
    import neardup

    text = blogosphere.articles[0]
    hashes = yoon.product_sentences(text)
    assert (
        tuple(f"{int.from_bytes(one, sys.byteorder):016x}" for one in hashes) == neardup.sign(text).sentences
    )
