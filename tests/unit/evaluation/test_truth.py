"""The file of judged pairs: what each line means, and what is said of a file that means nothing."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from neardup.evaluation.corpus import Corpus, read_corpus
from neardup.evaluation.errors import EvaluationError, MethodFailed
from neardup.evaluation.truth import Tally, Truth, read_truth
from neardup.model.document import FLUSH, Document, Reject
from neardup.serving.judged import JudgedPairs

CORPUS = Corpus(tuple("abcde"), ("Rain.", "Snow.", "Hail.", "Wind.", "Fog."))


@pytest.fixture
def truth_of(tmp_path):
    def truth_of_text(text: str, **options) -> Truth:
        path = tmp_path / "truth.tsv"
        path.write_text(text, "utf-8")
        return read_truth(path, CORPUS, **options)

    return truth_of_text


def pairs(*names: str) -> frozenset[tuple[int, int]]:
    return frozenset((CORPUS.docs[name[0]], CORPUS.docs[name[1]]) for name in names)


def test_listed_pairs_are_copies_and_every_other_pair_is_none(truth_of):
    truth = truth_of("a\tb\nd\tc\n")
    assert (truth.copies, truth.others, truth.judged_only) == (pairs("ab", "cd"), frozenset(), False)
    assert truth.tally(pairs("ab", "ae")) == Tally(reported=2, correct=1)
    assert truth.facts()["labels"] == {"listed": 2}


@pytest.mark.parametrize(
    "head", ["id1\tid2\n", "# pairs\nid1\tid2\tlabel\n", "first id\tsecond id\n", "\ufeffDoc_A\tDoc_B\n\n"]
)
def test_column_names_comments_and_blank_lines_are_skipped(truth_of, head):
    assert truth_of(f"{head}\na\tb\n\n# more\nb\tc\n").copies == pairs("ab", "bc")


def test_a_line_ends_where_an_editor_ends_it(tmp_path):
    """What Unicode has for line ends cut ids and notes, and the numbers of lines were no editor's."""
    path = tmp_path / "truth.tsv"
    path.write_bytes("one\u2028two\tb\tyes\tseen\x0cin print\u0085\r\nb\tc\n".encode())
    truth = read_truth(path, Corpus(("one\u2028two", "b", "c"), ("Rain.", "Snow.", "Hail.")))
    assert truth.copies == {(0, 1), (1, 2)}


def test_a_pair_whose_id_begins_as_comments_do_counts(tmp_path):
    path = tmp_path / "truth.tsv"
    path.write_text("# made\tby hand\n#hash\tb\n")
    truth = read_truth(path, Corpus(("#hash", "b"), ("Rain.", "Snow.")))
    assert truth.copies == frozenset({(0, 1)})


def test_the_first_line_of_judged_pairs_is_no_pair_of_documents_that_are_called_so(tmp_path):
    judged = JudgedPairs(tmp_path / "judged.tsv")
    judged.judge("id1", "id2", "copy")
    truth = read_truth(judged.path, Corpus(("id1", "id2"), ("Rain.", "Snow.")))
    assert (truth.copies, truth.columns) == (frozenset({(0, 1)}), "id1, id2, label")
    assert truth.labels == {"copy": 1}


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("1", "0"),
        ("dup", "boilerplate"),
        ("YES", "no"),
        ("true", "false"),
        ("1.0", "0.0"),
        ("1.00", "0.00"),
        ("1", "0.0"),
        ("1.00", "no"),
    ],
)
def test_a_pair_judged_no_copy_makes_only_judged_pairs_count(truth_of, yes, no):
    truth = truth_of(f"a\tb\t{yes}\na\tc\t{no}\n")
    assert (truth.copies, truth.others, truth.judged_only) == (pairs("ab"), pairs("ac"), True)
    assert truth.tally(pairs("ab", "ac", "de")) == Tally(reported=2, correct=1)
    assert truth.named == [0, 1, 2]


def test_what_counts_can_be_said(truth_of):
    text = "a\tb\t1\na\tc\t0\n"
    assert truth_of(text, judged_only=False).tally(pairs("ab", "de")) == Tally(2, 1)
    assert truth_of("a\tb\n", judged_only=True).tally(pairs("ab", "de")) == Tally(1, 1)


@pytest.mark.parametrize("mark", ["?", "unknown", ""])
def test_a_pair_may_count_neither_way(truth_of, mark):
    truth = truth_of(f"a\tb\tyes\nb\tc\t{mark}\n")
    assert truth.uncounted == pairs("bc")
    assert truth.tally(pairs("ab", "bc", "de")) == Tally(reported=2, correct=1)


def test_further_columns_are_not_read(truth_of):
    truth = truth_of("id1\tid2\tlabel\tjaccard8\na\tb\tdup\t0.1\na\tc\tquote\t0.9\n")
    assert (truth.copies, truth.others) == (pairs("ab"), pairs("ac"))


def test_labels_can_be_named(truth_of):
    text = "a\tb\tsame\na\tc\tsimilar\na\td\tother\n"
    assert truth_of(text, copy_labels=["Same", "similar"]).copies == pairs("ab", "ac")
    with pytest.raises(EvaluationError, match=r"known to mean a copy \(other, same, similar\).*--copy-label"):
        truth_of(text)


@pytest.mark.parametrize("mark", ["unsure", "unknown", "?"])
def test_a_label_that_is_named_counts_whatever_it_means_otherwise(truth_of, mark):
    text = f"a\tb\t{mark}\na\tc\tsame\na\td\tother\nb\tc\tunknown\nb\td\tunsure\n"
    truth = truth_of(text, copy_labels=[mark.title(), "same"])
    assert truth.copies == pairs("ab", "ac", *{"unknown": ["bc"], "unsure": ["bd"], "?": []}[mark])
    assert truth.others == pairs("ad")
    assert truth.copies | truth.others | truth.uncounted == pairs("ab", "ac", "ad", "bc", "bd")


def test_scores_of_listed_pairs_say_nothing_unless_a_bar_is_set(truth_of):
    text = "a\tb\t0.9\na\tc\t0.3\na\td\t1581\n"
    assert truth_of(text).copies == pairs("ab", "ac", "ad")
    truth = truth_of(text, copy_from=0.9)
    assert (truth.copies, truth.others) == (pairs("ab", "ad"), pairs("ac"))
    assert truth.facts()["labels"] == {"at least 0.9": 2, "below 0.9": 1}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "there is no pair in it"),
        ("id1\tid2\n", {}, "there is no pair in it"),
        (
            "a\tb\nx1\tb\ny\tz\n",
            {},
            r"line 2 names the document 'x1', which the corpus does not have \(and 2 more",
        ),
        ("77\t78\na\tb\n", {}, "line 1 names the document '77'"),
        ("a b\n", {}, "line 1 has no tab: each line is id, tab, id"),
        ("a\tb\nc\tc\n", {}, "line 2 pairs 'c' with itself"),
        ("a\tb\t1\nb\ta\t0\n", {}, "lines 1 and 2 judge one pair in two ways"),
        ("a\tb\t0\n", {}, "no judgement in it is known to mean a copy"),
        ("a\tb\t?\n", {}, "no pair in it is judged a copy"),
        ("a\tb\t0.2\n", {"copy_from": 0.5}, "no pair in it is judged a copy"),
        ("a\tb\tdup\n", {"copy_from": 0.5}, "line 1 has no score but 'dup': leave out --copy-from"),
        (
            "a\tb\t1\na\tc\t0\nb\tc\t0.5\n",
            {},
            r"line 3 has the judgement '0.5', line 1 has '1': are these scores or judgements\? .*--copy-from NUMBER",
        ),
        (
            "a\tb\t0.3\na\tc\t0.0\n",
            {},
            "line 1 has the judgement '0.3', line 2 has '0.0'.*--copy-from NUMBER",
        ),
        ("a\tb\tnan\n", {}, "line 1 has the judgement 'nan', which means neither.*--copy-from NUMBER"),
        ("a\tb\t0.3\na\tc\t-Inf\n", {}, "line 2 has the judgement '-inf', which means neither"),
        ("a\tb\tdup\na\tc\tNaN\n", {}, "line 2 has the judgement 'nan', which means neither"),
        ("a\tb\t0.7\na\tc\tnan\n", {"copy_from": 0.5}, "line 2 has the score 'nan', which is not a number"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_its_line(truth_of, text, options, message):
    with pytest.raises(EvaluationError, match=message):
        truth_of(text, **options)


def test_a_bar_tells_what_a_column_of_numbers_with_0_and_1_means(truth_of):
    text = "a\tb\t1\na\tc\t0\nb\tc\t0.5\na\td\tinf\n"
    assert truth_of(text, copy_from=0.5).copies == pairs("ab", "bc", "ad")
    assert truth_of(text, copy_from=0).copies == pairs("ab", "ac", "bc", "ad")


def test_a_first_line_taken_for_names_of_columns_is_told(truth_of):
    truth = truth_of("doc_1\tdoc_2\tlabel \na\tb\tdup\n")
    assert truth.facts()["columns"] == "doc_1, doc_2, label"
    assert truth_of("a\tb\tdup\n").facts()["columns"] is None
    assert truth.digest == truth_of("a\tb\tdup\n").digest


def test_a_file_that_is_no_text_is_told(tmp_path):
    (tmp_path / "truth.tsv").write_bytes(b"a\tb\n\xff\n")
    with pytest.raises(EvaluationError, match="not UTF-8"):
        read_truth(tmp_path / "truth.tsv", CORPUS)


def test_the_digest_is_that_of_the_meaning(truth_of):
    digest = truth_of("a\tb\nc\td\n").digest
    assert truth_of("# other lines\nd\tc\tyes\nb\ta\tdup\n").digest == digest
    assert truth_of("a\tb\n").digest != digest
    assert truth_of("a\tb\nc\td\n", judged_only=True).digest != digest


def test_a_corpus_is_read_as_ingest_reads_it():
    rejects: list[Reject] = []
    items: list[Any] = [
        Document("a", "Rain."), FLUSH, Reject(None, "not JSON"), Document("b", "\ud800"), Document("c", "Snow."),
    ]  # fmt: skip
    corpus = read_corpus(items, rejects.append)
    assert (corpus.ids, corpus.texts) == (("a", "c"), ("Rain.", "Snow."))
    assert [reject.reason.split(" at ")[0] for reject in rejects] == [
        "not JSON",
        "text has the unpaired surrogate U+D800",
    ]


def test_a_corpus_without_documents_or_with_two_of_one_id_is_told():
    with pytest.raises(EvaluationError, match=r"no document in it \(1 rejected\)"):
        read_corpus([Reject(None, "not JSON")], lambda _: None)
    with pytest.raises(EvaluationError, match="two documents have the id 'a' but different texts: give"):
        read_corpus([Document("a", "Rain."), Document("a", "Snow.")], lambda _: None)


def test_the_digest_of_a_corpus_changes_with_every_id_text_and_place():
    corpora = [
        Corpus(("a", "b"), ("Rain.", "Snow.")),
        Corpus(("b", "a"), ("Snow.", "Rain.")),
        Corpus(("a", "b"), ("Rain.", "Snow")),
        Corpus(("a", "c"), ("Rain.", "Snow.")),
        Corpus(("aR", "b"), ("ain.", "Snow.")),
    ]
    assert len({corpus.digest for corpus in corpora}) == len(corpora)


@pytest.mark.parametrize("error", [EvaluationError("f", "is empty", 7), MethodFailed("m", "no memory")])
def test_errors_can_be_pickled(error):
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), vars(copy)) == (str(error), vars(error))
