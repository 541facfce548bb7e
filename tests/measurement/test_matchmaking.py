"""Whom players meet: against plain Python, and what chance would give on the same activity."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.matches import Matches
from ludometer.measurement.record.pairing import _shuffle_opponents, ratio_if_random
from ludometer.measurement.spread import mean_rating_difference, measure_spread
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.scale import expected_score
from ludometer.simulate import simulate_coin, simulate_strengths


@pytest.mark.parametrize("k", [0.0, 16.0, 120.0])
def test_the_mean_difference_is_that_of_plain_python(k: float) -> None:
    matches = simulate_strengths(30, 2_000, draws=0.2, seed=2)
    rating, total, pairs = [0.0] * 30, 0.0, matches.pairs
    for i, j, s in zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), strict=True):
        total += abs(rating[i] - rating[j])
        miss = s - 1 / (1 + 10 ** (-(rating[i] - rating[j]) / 400))
        rating[i], rating[j] = rating[i] + k * miss, rating[j] - k * miss
    assert mean_rating_difference(matches, k=k) == pytest.approx(total / 2_000, rel=1e-10, abs=1e-12)


def test_slices_of_the_record_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = simulate_strengths(30, 2_000, seed=2)
    whole = mean_rating_difference(matches, k=20)
    whole_parts = Matches.parts
    monkeypatch.setattr(Matches, "parts", lambda self: whole_parts(self, 333))
    assert len(list(matches.parts())) == 7
    assert mean_rating_difference(matches, k=20) == pytest.approx(whole, rel=1e-12)


def test_the_first_match_is_between_equals() -> None:
    assert mean_rating_difference(Matches.of_pairs([0, 0], [1, 1], [1, 1]), k=100) == pytest.approx(50)


def test_the_same_seed_gives_the_same_ratio_and_another_gives_another() -> None:
    matches = simulate_strengths(100, 5_000, seed=1)
    one, same, other = (ratio_if_random(matches, sd=150, min_matches=25, seed=seed) for seed in (3, 3, 4))
    assert one == same
    assert one is not None
    assert other is not None
    assert one != other
    assert one == pytest.approx(other, rel=0.1)


@pytest.mark.parametrize("activity", [0.0, 1.2])
def test_shuffling_keeps_how_often_each_player_plays_but_for_a_few(activity: float) -> None:
    matches = simulate_strengths(200, 10_000, activity=activity, seed=5)
    first, second = _shuffle_opponents(matches, np.random.default_rng(0))
    counts = np.bincount(first, minlength=200) + np.bincount(second, minlength=200)
    assert (first != second).all()
    assert np.abs(counts - matches.counts).sum() <= 2 * (len(matches) - len(first))
    assert len(first) >= 0.999 * len(matches)
    assert (second != matches.pairs.second[: len(second)]).mean() > 0.5


def test_two_players_can_only_meet_each_other() -> None:
    first = np.tile([0, 1], 50)
    matches = Matches.of_pairs(first, 1 - first, np.ones(100))
    shuffled = _shuffle_opponents(matches, np.random.default_rng(0))
    assert len(shuffled[0]) >= 90
    assert (shuffled[0] != shuffled[1]).all()


def own_ratio(matches: Matches) -> tuple[float, float]:
    """The ratio of the record, and what it would be at random."""
    fit = fit_best_elo(matches)
    sd = measure_spread(fit.rating, matches.counts, min_matches=25).sd
    assert sd is not None
    random = ratio_if_random(matches, sd=sd, min_matches=25)
    assert random is not None
    return mean_rating_difference(matches, k=fit.k) / sd, random


def test_random_pairing_has_the_ratio_of_random_pairing() -> None:
    own, random = own_ratio(simulate_strengths(500, 50_000, sd=200, seed=8))
    assert own == pytest.approx(random, rel=0.05)
    # normal strengths that are all known: 2 / sqrt(pi) = 1.13; while ratings are still moving, a little less
    assert 0.9 < random < 2 / np.sqrt(np.pi)


def test_even_strict_pairing_by_strength_hardly_moves_the_ratio() -> None:
    # players meet only those within 40 ranks: a known limit, because such a schedule narrows the ratings as well
    rng = np.random.default_rng(2)
    skill = np.sort(200 * rng.standard_normal(500))
    first = rng.integers(0, 500, 50_000)
    second = np.clip(first + rng.integers(1, 40, 50_000) * rng.choice([-1, 1], 50_000), 0, 499)
    apart = first != second
    first, second = first[apart], second[apart]
    score = rng.random(len(first)) < expected_score(skill[first] - skill[second])
    own, random = own_ratio(Matches.of_pairs(first, second, score))
    assert np.abs(skill[first] - skill[second]).mean() / skill.std() < 0.2
    assert own == pytest.approx(random, rel=0.2)


def test_without_a_spread_there_is_no_ratio() -> None:
    assert ratio_if_random(simulate_coin(20, 2_000), sd=0.0, min_matches=2_001) is None
    # two matches of certain winners: simulated like the record, no contradiction and no best fit
    certain = Matches.of_pairs([0] * 30, [1] * 30, [1] * 30)
    assert ratio_if_random(certain, sd=20_000.0, min_matches=25) is None
