"""Segment fingerprints find what was copied word by word, and nothing that was revised."""

from neardup.baselines.segments import SegmentFingerprints
from neardup.baselines.sentence_fingerprints import SentenceTable

TITLE = "Nations to Reveal Some Rules on Security for Internet."
REVISED = ("Nations to Reveal Security Rules for Internet.", "Nations to Reveal Rules on Internet Security.")


def test_a_verbatim_sentence_is_found_among_others():
    method = SegmentFingerprints(delta=0)
    table = SentenceTable([method.sign(f"Rain fell. {TITLE}")])
    assert table.decide(method.sign(f"Look at this! {TITLE} So there."), delta=0)


def test_the_papers_revised_titles_are_missed():
    method = SegmentFingerprints(delta=0)
    table = SentenceTable([method.sign(TITLE)])
    assert [table.collisions(method.sign(text)) for text in (TITLE, *REVISED)] == [1, 0, 0]


def test_words_keep_their_order_and_none_is_common():
    method = SegmentFingerprints()
    assert method.sequence(["the", "rose", "of", "a", "wolf"]) == ["the", "rose", "of", "a", "wolf"]
    assert len(method.sign("The. Of a.")) == 2


def test_it_learns_nothing():
    method = SegmentFingerprints()
    before = method.sign(TITLE)
    method.learn([TITLE] * 5)
    assert method.sign(TITLE) == before


def test_case_and_punctuation_do_not_count():
    method = SegmentFingerprints()
    assert method.sign("Nations, to reveal: some rules!") == method.sign("nations to reveal some rules")
