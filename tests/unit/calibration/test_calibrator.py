"""What answers say of a threshold, and how few are enough."""

from __future__ import annotations

import numpy as np
import pytest

from neardup.calibration.calibrator import Calibrator
from neardup.calibration.curves import Curves, bin_of


def made(seed, documents=1_200, share=0.6):
    """Scores from 0.5 on, and which of them are copies."""
    numbers = np.random.default_rng(seed)
    copy = numbers.random(documents) < share
    scores = np.where(copy, numbers.beta(20, 3, documents), numbers.beta(4, 6, documents))
    kept = scores >= 0.5
    return scores[kept], copy[kept]


def asks(calibrator):
    place = calibrator.question()
    assert place is not None
    return place


def f1_at(scores, copies, threshold):
    called = scores >= threshold
    return 2 * int((called & copies).sum()) / (int(called.sum()) + int(copies.sum()))


def asked(scores, copies, seed=0, answers=40):
    calibrator = Calibrator(scores, seed=seed)
    for _ in range(answers):
        place = asks(calibrator)
        calibrator.answer(place, copy=bool(copies[place]))
    return calibrator


@pytest.mark.parametrize("seed", range(3))
def test_forty_answers_are_nearly_as_good_as_all(seed):
    scores, copies = made(seed)
    best = max(f1_at(scores, copies, threshold) for threshold in np.unique(scores))
    outcome = asked(scores, copies, seed).best()
    assert f1_at(scores, copies, outcome.threshold) >= 0.98 * best


def test_intervals_hold_the_truth_more_often_than_not():
    held = 0
    for seed in range(6):
        scores, copies = made(seed, documents=600)
        outcome = asked(scores, copies, seed, 30).best()
        called = scores >= outcome.threshold
        held += outcome.precision.low - 1e-9 <= copies[called].mean() <= outcome.precision.high + 1e-9
        held += outcome.recall.low - 1e-9 <= called[copies].mean() <= outcome.recall.high + 1e-9
    assert held >= 9


def test_when_all_is_judged_nothing_is_left_to_guess():
    scores = [0.55, 0.62, 0.71, 0.83, 0.94, 0.99]
    copies = np.array([False, False, True, False, True, True])
    calibrator = asked(scores, copies, answers=6)
    assert calibrator.question() is None
    outcome = calibrator.best()
    assert 0.62 < outcome.threshold <= 0.71
    assert outcome.reported == 4
    assert outcome.precision == (0.75, 0.75, 0.75)
    assert outcome.recall == (1, 1, 1)
    assert outcome.f1.value == pytest.approx(2 * 3 / (4 + 3))
    low, high = calibrator.thresholds()
    assert low <= outcome.threshold <= high


def test_a_threshold_between_two_steps_parts_the_pairs_that_it_parts():
    calibrator = asked([0.701, 0.704, 0.9], np.array([False, True, True]), answers=3)
    outcome = calibrator.at(0.703)
    assert (outcome.reported, outcome.precision.value, outcome.recall.value) == (2, 1, 1)


def test_answers_of_one_kind_are_no_error():
    scores = np.linspace(0.5, 1, 50).tolist()
    assert asked(scores, np.ones(50, bool), answers=20).best().threshold == 0.5
    none = asked(scores, np.zeros(50, bool), answers=20).best()
    assert none.precision.value < 0.3


def test_questions_are_the_same_for_a_seed_and_never_twice():
    scores, copies = made(9, documents=200)

    def questions(seed):
        calibrator = Calibrator(scores, seed=seed)
        for _ in range(15):
            place = asks(calibrator)
            yield place
            calibrator.answer(place, copy=bool(copies[place]))

    first = list(questions(4))
    assert first == list(questions(4))
    assert first != list(questions(5))
    assert len({*first}) == 15


def test_the_first_questions_go_over_the_whole_scale():
    scores = np.linspace(0.5, 1, 400).tolist()
    calibrator = Calibrator(scores)
    seen = []
    for _ in range(5):
        place = asks(calibrator)
        calibrator.answer(place, copy=True)
        seen.append(scores[place])
    assert sorted(int((score - 0.5) * 10) for score in seen) == [0, 1, 2, 3, 4]


def test_a_pair_that_was_skipped_is_not_asked_about_again():
    calibrator = Calibrator([0.6, 0.9])
    first = asks(calibrator)
    calibrator.skip(first)
    second = asks(calibrator)
    assert {first, second} == {0, 1}
    calibrator.skip(second)
    assert calibrator.question() is None
    with pytest.raises(ValueError, match="judged or skipped before"):
        calibrator.answer(first, copy=True)


def test_no_pairs_are_refused():
    with pytest.raises(ValueError, match="no pairs"):
        Calibrator([])


def test_curves_rise_and_weigh_by_what_was_said():
    curves = Curves(first=100)
    assert (np.diff(curves.chances, axis=1) >= 0).all()
    none = np.zeros(101, np.int64)
    assert curves.weights(none, none) == pytest.approx(1 / len(curves.chances))
    copies, others = none.copy(), none.copy()
    copies[60], others[20] = 9, 9
    likely = curves.weights(copies, others) @ curves.chances
    assert likely[60] > 0.9
    assert likely[20] < 0.1


def test_a_score_on_a_step_is_in_the_bin_that_begins_there():
    assert bin_of(np.array([0.7, 0.7049, 0.705, 1.0])).tolist() == [140, 140, 141, 200]
