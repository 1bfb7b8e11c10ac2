"""What is learned as boilerplate: what many different documents have, and never a story because there are copies."""

import random

import numpy as np
import pytest

from neardup.errors import BoilerplateError, SettingsError
from neardup.index.boilerplate_sample import _copies, boilerplate_of
from neardup.model.boilerplate import Boilerplate, SourceBoilerplate
from neardup.oracle import boilerplate as oracle
from neardup.signing.boilerplate_file import load, save

HEAD = ["Home | News | Sport", "Sign in to read on"]
FOOT = ["All rights reserved by The Daily Example.", "We use cookies to make this page work."]
FRAME = {*HEAD, *FOOT}


class Desk:
    """Writes stories of random words, no sentence twice."""

    def __init__(self, seed=5):
        self.rng = random.Random(seed)

    def word(self):
        return "".join(self.rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(self.rng.randrange(2, 9)))

    def sentence(self):
        return " ".join(self.word() for _ in range(9)).capitalize() + "."

    def story(self, sentences=6):
        return [self.sentence() for _ in range(sentences)]

    def edited(self, story, count):
        story = list(story)
        for at in self.rng.sample(range(len(story)), count):
            words = story[at].split()
            words[self.rng.randrange(len(words) - 1)] = self.word()
            story[at] = " ".join(words)
        return story


def page(story):
    return "\n".join([*HEAD, " ".join(story), *FOOT])


def learned(texts):
    """The pieces that are found, and that they are those of the oracle."""
    table = boilerplate_of(("daily", text) for text in texts)
    found = table.sources["daily"].pieces if table.sources else {}
    assert found == oracle.boilerplate(texts)
    return set(found)


@pytest.fixture
def desk():
    return Desk()


@pytest.fixture
def others(desk):
    return [page(desk.story()) for _ in range(12)]


def test_the_frame_of_different_stories_is_found(desk, others):
    assert learned(others) == FRAME
    assert learned([page(desk.story(3)) for _ in range(12)]) == FRAME


def test_nine_are_not_enough(others):
    assert learned(others[:9]) == set()


def test_copies_of_one_story_are_one_document(desk, others):
    story = desk.story(12)
    copies = {
        "exact": [page(story)] * 15,
        "edited": [page(desk.edited(story, 4)) for _ in range(15)],
        "dated": [page([f"Printed at {at:02}:30 in the {desk.word()} edition.", *story]) for at in range(15)],
        "trimmed": [page(story[at % 4 : 7 + at % 5]) for at in range(15)],
        "with an ending of its own": [page(story + desk.story(3)) for _ in range(15)],
    }
    for name, texts in copies.items():
        if not name.startswith("with"):
            assert learned(texts) == set(), name
        assert learned(others + others[:4] + [page(desk.story()) for _ in range(12)] + texts) == FRAME, name


def test_versions_of_one_story_are_one_document(desk, others):
    versions, story = [], desk.story(12)
    for _ in range(15):
        story = desk.story(1) + story[:-1]
        versions.append(page(story))
    assert learned(versions) == set()
    assert learned(others + versions) == FRAME


def test_what_only_a_part_of_a_source_has_is_found_too(desk, others):
    line = "Tables and results of the league are on the next page."
    sport = [page([line, *desk.story()]) for _ in range(12)]
    assert learned(others * 1 + [page(desk.story()) for _ in range(14)] + sport) == FRAME | {line}


def test_forms_keep_what_is_printed_on_them():
    forms = [
        page([f"The balance of your account is {at * 37} euros.", "Please pay by the end of May."])
        for at in range(30)
    ]
    assert learned(forms) == set()


def test_sources_are_looked_at_one_by_one(desk):
    texts = [("daily" if at % 2 else "weekly", page(desk.story())) for at in range(18)]
    assert not boilerplate_of(texts).sources
    assert set(boilerplate_of(texts + texts[:1] * 3 + [("daily", page(desk.story()))]).sources) == {"daily"}


def test_a_sample_of_a_source_is_drawn(desk):
    texts = [("daily", page(desk.story(3))) for _ in range(60)]
    found = boilerplate_of(iter(texts), size=20).sources["daily"]
    assert found == boilerplate_of(texts, size=20).sources["daily"]
    assert (found.documents, set(found.pieces.values())) == (20, {20})


@pytest.mark.parametrize("numbers", [{"least": 1}, {"least": 10, "size": 9}, {"least": "10"}])
def test_numbers_that_cannot_be(numbers):
    with pytest.raises(SettingsError):
        boilerplate_of([], **numbers)


def test_a_table_comes_back_from_its_file(tmp_path):
    table = Boilerplate({"é": SourceBoilerplate(12, {"b": 2, "a": 11})}, "2026-11-23T09:00:00Z")
    save(table, tmp_path / "t.json")
    assert load(tmp_path / "t.json") == table
    assert list(load(tmp_path / "t.json").sources["é"].pieces) == ["a", "b"]


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "{}", '{"neardup": "boilerplate 2"}', '{"neardup": "boilerplate 1"}',
        '{"neardup": "boilerplate 1", "sources": 3}',
        '{"neardup": "boilerplate 1", "sources": {"a": {"documents": 1, "pieces": {"b": "many"}}}}', "\xff",
        '{"neardup": "boilerplate 1", "sources": {"a": {"documents": 1, "pieces": {"b": 1e999}}}}',
    ],
)  # fmt: skip
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "t.json").write_text(content, "latin-1")
    with pytest.raises(BoilerplateError, match="boilerplate learn"):
        load(tmp_path / "t.json")


def test_copies_are_all_texts_that_have_a_third_of_what_is_anothers_own():
    """By sets of few keys, so that many texts have exactly a third, and just less."""
    numbers = np.random.default_rng(3)
    whole = [set(numbers.choice(40, numbers.integers(3, 24), replace=False).tolist()) for _ in range(60)]
    own = [set(sorted(keys)[:: 1 + at % 3]) for at, keys in enumerate(whole)]
    speaking = [at for at in range(60) if at % 5]
    expected = {
        (at, other)
        for at in speaking
        for other in range(60)
        if other != at and 3 * len(own[at] & whole[other]) >= len(own[at])
    }
    assert set(_copies(as_keys(own), as_keys(whole), speaking)) == expected
    assert any(3 * len(own[at] & whole[other]) == len(own[at]) for at, other in expected)


def as_keys(sets):
    offsets = np.cumsum([0, *map(len, sets)])
    return np.array([key for keys in sets for key in keys], np.uint64) << np.uint64(40), offsets
