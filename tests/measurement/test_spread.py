"""The spread of ratings: against definitions written out, and repetitions against the exact binomial."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.measurement.benchmarks.published import reference_games
from ludometer.measurement.spread import Spread, measure_spread, repetitions, sweep_cutoffs

ratings = st.lists(st.tuples(st.floats(-2000, 2000), st.integers(1, 130)), min_size=2, max_size=60)


def most_of(n: int, p: Fraction) -> Fraction:
    """P(Binomial(n, p) > n / 2), exactly."""
    return Fraction(sum(math.comb(n, wins) * p**wins * (1 - p) ** (n - wins) for wins in range(n // 2 + 1, n + 1)))


def smallest_odd(p: Fraction) -> int:
    n = 1
    while most_of(n, p) <= Fraction(3, 4):
        n += 2
    return n


@pytest.mark.parametrize("p", [Fraction(n, 100) for n in range(55, 100)])
def test_repetitions_are_the_smallest_odd_number_by_the_exact_binomial(p: Fraction) -> None:
    assert repetitions(float(p)) == smallest_odd(p)


def binomial_tail(n: int, p: float) -> float:
    """P(Binomial(n, p) > n / 2) by summing logarithms."""
    wins = np.arange(n // 2 + 1, n + 1)
    logs = [math.lgamma(n + 1) - math.lgamma(w + 1) - math.lgamma(n - w + 1) for w in wins.tolist()]
    return float(np.exp(np.array(logs) + wins * math.log(p) + (n - wins) * math.log1p(-p)).sum())


@pytest.mark.parametrize("p", [0.501, 0.503, 0.5033, 0.507, 0.512, 0.533, 0.541])
def test_two_games_fewer_are_not_enough_near_one_half(p: float) -> None:
    n = repetitions(p)
    assert n is not None
    assert n % 2 == 1
    assert binomial_tail(n - 2, p) <= 0.75 < binomial_tail(n, p)


def test_more_skill_never_needs_more_games() -> None:
    needed = [repetitions(p) or 10**12 for p in np.linspace(0.5, 1, 400)]
    assert needed == sorted(needed, reverse=True)


def test_three_quarters_must_be_exceeded() -> None:
    assert repetitions(0.75) == 3
    assert repetitions(math.nextafter(0.75, 1)) == 1
    assert repetitions(1.0) == 1


@pytest.mark.parametrize("p", [0.5, 0.4, 0.0, math.nan, math.nextafter(0.5, 1), 0.500001])
def test_no_number_of_games_is_enough_for_next_to_nothing(p: float) -> None:
    assert repetitions(p) is None


def test_a_million_games_are_found_without_a_loop() -> None:
    n = repetitions(0.5003)
    assert n is not None
    assert n == pytest.approx((statistics.NormalDist().inv_cdf(0.75) / 0.0006) ** 2, rel=1e-4)


@given(ratings)
def test_the_sweep_equals_plain_loops(players: list[tuple[float, int]]) -> None:
    rating, played = np.array([r for r, _ in players]), np.array([n for _, n in players])
    sweep = sweep_cutoffs(rating, played)
    n, sd = sweep.n, sweep.sd
    assert sweep.min_matches.tolist() == list(range(1, 101))
    for cutoff in range(1, 101):
        chosen = [r for r, matches in players if matches >= cutoff]
        assert n[cutoff - 1] == len(chosen)
        if len(chosen) < 2:
            assert math.isnan(sd[cutoff - 1])
        else:
            assert sd[cutoff - 1] == pytest.approx(statistics.stdev(chosen), rel=1e-7, abs=1e-4)


@given(ratings, st.integers(1, 130))
def test_a_spread_is_what_its_definitions_say(players: list[tuple[float, int]], cutoff: int) -> None:
    rating, played = np.array([r for r, _ in players]), np.array([n for _, n in players])
    chosen = sorted(r for r, matches in players if matches >= cutoff)
    spread = measure_spread(rating, played, min_matches=cutoff)
    assert spread.n == len(chosen)
    if len(chosen) < 2:
        assert spread == Spread(cutoff, len(chosen))
        return
    assert spread.sd == pytest.approx(statistics.stdev(chosen), rel=1e-9, abs=1e-9)
    assert (spread.min, spread.max) == (chosen[0], chosen[-1])
    assert spread.q01 == pytest.approx(quantile(chosen, 0.01), rel=1e-9, abs=1e-9)
    assert spread.q99 == pytest.approx(quantile(chosen, 0.99), rel=1e-9, abs=1e-9)
    assert spread.p_sd == pytest.approx(1 / (1 + 10 ** (-statistics.stdev(chosen) / 400)))
    width = quantile(chosen, 0.99) - quantile(chosen, 0.01)
    assert spread.p_1_99 == pytest.approx(1 / (1 + 10 ** (-width / 400)))
    assert spread.p_sd is not None
    assert spread.rep == repetitions(spread.p_sd)


def quantile(ordered: list[float], share: float) -> float:
    """Linear interpolation between the order statistics."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def test_the_sweep_and_the_spread_agree() -> None:
    rng = np.random.default_rng(0)
    rating, played = rng.normal(300, 150, 5_000), rng.integers(1, 150, 5_000)
    sweep = sweep_cutoffs(rating, played)
    for cutoff in (1, 25, 100):
        spread = measure_spread(rating, played, min_matches=cutoff)
        assert (sweep.n[cutoff - 1], sweep.sd[cutoff - 1]) == (spread.n, pytest.approx(spread.sd, rel=1e-12))


def test_equal_ratings_have_no_spread_and_no_repetitions() -> None:
    spread = measure_spread(np.full(5, 12.5), np.full(5, 30), min_matches=25)
    assert (spread.sd, spread.p_sd, spread.p_1_99, spread.rep) == (0.0, 0.5, 0.5, None)


def test_the_published_spreads_have_the_published_repetitions_where_they_are_odd_and_exact() -> None:
    # Duersch et al. 2020, Table 2: games whose SD is printed finely enough to leave one number only
    table = {game.game: game for game in reference_games()}
    for name in ("Go", "Tennis", "Chess", "50% Determ.", "Tetris (2p)", "Tetris (3p)", "Jewels (2p)", "50% Chess"):
        spread = table[name].sd
        assert repetitions(1 / (1 + 10 ** (-spread / 400))) == table[name].rep
