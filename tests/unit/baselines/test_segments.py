"""Segment fingerprints find what was copied word by word, and nothing that was revised."""

from neardup.baselines.segments import SegmentFingerprints

TITLE = "Nations to Reveal Some Rules on Security for Internet."
REVISED = ("Nations to Reveal Security Rules for Internet.", "Nations to Reveal Rules on Internet Security.")


def test_a_verbatim_sentence_is_found_among_others():
    method = SegmentFingerprints(delta=0)
    signed = method.sign(f"Rain fell. {TITLE}")
    assert set(signed) & set(method.sign(f"Look at this! {TITLE} So there.")) == set(method.sign(TITLE))


def test_the_papers_revised_titles_are_missed():
    method = SegmentFingerprints(delta=0)
    [title] = method.sign(TITLE)
    assert [method.sign(text).count(title) for text in (TITLE, *REVISED)] == [1, 0, 0]


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
