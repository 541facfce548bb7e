"""Mauboussin's ratio, skill chains and repetitions: against simulation, brute force and the paper's words."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.measurement.luck.older import (
    measure_repetitions,
    measure_skill_chain,
    measure_variance_ratio,
)
from ludometer.measurement.spread import repetitions
from ludometer.simulate import simulate_coin, simulate_strengths
from ludometer.strength.pairwise import fit_skills
from ludometer.strength.skills import cdf, quantile
from tests.measurement.test_entropy import skills_of


def round_robin(n: int, rounds: int, skill_sd: float, tie: float, seed: int) -> Matches:
    rng = np.random.default_rng(seed)
    i, j = (np.tile(k, rounds) for k in np.triu_indices(n, 1))
    skill = skill_sd * rng.standard_normal(n)
    margin = skill[i] - skill[j] + np.sqrt(2) * rng.standard_normal(len(i))
    return Matches.of_pairs(i, j, np.where(np.abs(margin) < tie, 1, 2 * (margin > 0)).astype(np.int8))


@pytest.mark.parametrize("tie", [0.0, 0.7])
def test_a_coin_is_all_luck_on_average(tie: float) -> None:
    ratios = [measure_variance_ratio(round_robin(30, 4, 0.0, tie, seed)) for seed in range(60)]
    # the mean of the observed variances over the expected one: each is known to a quarter, the mean to 4%.
    # Scores of a closed league add up to a constant, which makes their sample variance n / (n - 1) of a coin's
    mean = np.mean([ratio.observed_variance / ratio.expected_variance for ratio in ratios])
    assert mean == pytest.approx(30 / 29, abs=0.12)
    assert all(ratio.balanced for ratio in ratios)


def test_skill_lowers_the_ratio_and_a_longer_season_too() -> None:
    short, long = (measure_variance_ratio(round_robin(30, rounds, 0.5, 0.0, 1)).luck for rounds in (1, 8))
    assert long < short < 1


def test_unequal_activity_is_said() -> None:
    ratio = measure_variance_ratio(simulate_strengths(40, 4_000, activity=1.0, seed=1))
    assert not ratio.balanced
    assert "too unequal" in ratio.summary()
    assert "too unequal" not in measure_variance_ratio(simulate_coin(40, 4_000, seed=1)).summary()
    with pytest.raises(MatchDataError):
        measure_variance_ratio(Matches.of_pairs([], [], []))


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=8), st.sampled_from(["probit", "logit"]), st.floats(0, 0.5))
def test_the_greedy_chain_is_the_longest(skill: list[float], link: str, threshold: float) -> None:
    skills = skills_of(np.array(skill), link="probit" if link == "probit" else "logit", threshold=threshold)
    chain = measure_skill_chain(skills)
    gap = quantile(0.6, skills.link) + threshold
    longest = max(
        len(chosen)
        for size in range(1, len(skill) + 1)
        for chosen in combinations(sorted(skill), size)
        if size == 1 or np.diff(chosen).min() >= gap * (1 - 1e-9)
    )
    assert chain.length == len(chain.codes) == longest
    assert chain.length <= chain.bound * (1 + 1e-9)
    wins = [skills.probabilities(i, j)[0] for i, j in zip(chain.codes[:-1], chain.codes[1:], strict=True)]
    assert min(wins, default=1) >= 0.6 - 1e-9


def test_a_chain_from_quantiles_does_not_grow_with_the_players() -> None:
    rng = np.random.default_rng(1)
    few, many = (measure_skill_chain(skills_of(rng.standard_normal(n))) for n in (2_000, 50_000))
    assert many.between_quantiles == pytest.approx(few.between_quantiles, rel=0.05)
    assert many.bound > few.bound
    assert "99% quantile" in many.summary()
    with pytest.raises(LudometerError, match="probability"):
        measure_skill_chain(skills_of(np.zeros(3)), probability=0.5)


@given(st.floats(0.51, 0.99), st.floats(0.6, 0.95))
def test_repetitions_are_those_of_the_binomial(p: float, confidence: float) -> None:
    n = repetitions(p, confidence)
    assert n is not None
    assert binom.sf(n // 2, n, p) > confidence
    assert n == 1 or binom.sf((n - 2) // 2, n - 2, p) <= confidence
    assert repetitions(p, 0.75) == repetitions(p)


def test_repetitions_of_fitted_skills() -> None:
    fit = fit_skills(simulate_strengths(100, 20_000, sd=150, draws=0.2, seed=1))
    found = measure_repetitions(fit)
    gap = np.array([fit.skill.std(ddof=1)])
    win, loss = (float(cdf(sign * gap - fit.threshold, fit.link)[0]) for sign in (1, -1))
    assert found.one_sd == repetitions(win / (win + loss))
    assert found.top_against_bottom == 1
    assert measure_repetitions(skills_of(np.zeros(5))).one_sd is None
    with pytest.raises(LudometerError, match="confidence"):
        measure_repetitions(fit, confidence=1)
