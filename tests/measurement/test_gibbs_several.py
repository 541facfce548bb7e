"""The spread of skills from matches of several players: calibrated, recovered, and that of two where there are two."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.measurement.luck.population import estimate_population, make_prior, measure_population
from ludometer.measurement.luck.sampler import (
    make_model,
    sample_population,
    tally_orders,
    tally_results,
)
from ludometer.parallel import Workers
from ludometer.players import Players
from ludometer.read import read_matches
from ludometer.simulate import simulate_strengths
from ludometer.strength.ranked import Orders


def simulate(n_players: int, sizes: list[int], sigma: float, seed: int, *, merge: bool = False) -> Matches:
    """Orders of normal performances; `merge` leaves unsaid who of the third and the fourth was ahead."""
    rng = np.random.default_rng([seed, n_players])
    skill = sigma * rng.standard_normal(n_players)
    who = [rng.permutation(n_players)[:size] for size in sizes]
    places = [stats.rankdata(-(skill[seats] + rng.standard_normal(len(seats)))) for seats in who]
    place = np.concatenate(places)
    if merge:
        place[place == 4] = 3
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return Matches.of_seats(starts, np.concatenate(who), place, players=Players.numbered(n_players))


MIXED = simulate(30, [2, 3, 5, 4] * 60, 0.8, 1, merge=True)


@pytest.mark.parametrize(("n_players", "sizes"), [(8, [2, 3, 5, 6] * 4), (25, [4] * 9)])
def test_the_sampler_of_orders_is_calibrated(n_players: int, sizes: list[int]) -> None:
    ranks = []
    for seed in range(80):
        truth = 2 * np.random.default_rng([seed, 77]).random()
        matches = simulate(n_players, sizes, truth, seed, merge=seed % 2 == 0)
        record = tally_orders(Orders.of(matches), n_players)
        model = make_model(make_prior("uniform:2"))
        sample = sample_population(record, model, chains=2, ess=150, budget=2_000, seed=seed)
        every = np.linspace(0, sample.sigma.size - 1, 99).astype(int)
        ranks.append((sample.sigma.ravel()[every] < truth).sum())
    counts = np.histogram(ranks, bins=8, range=(0, 100))[0]
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("per_match", [4, 6])
@pytest.mark.parametrize("sigma", [0.3, 1.0])
def test_the_spread_is_recovered(per_match: int, sigma: float) -> None:
    luck = measure_population(simulate(150, [per_match] * 1_200, sigma, 2), ess=200, compare_prior=False)
    assert luck.converged
    assert abs(luck.sigma - sigma) < 3 * luck.posterior("sigma").sd
    assert luck.l2_interval[0] - luck.l2_sd < 1 / (1 + sigma**2) < luck.l2_interval[1] + luck.l2_sd
    # chance of 150 players' skills and, in addition, of the matches; from 200 draws an SD is known to 5%
    assert 0.85 < luck.posterior("sigma").sd / (luck.sigma / np.sqrt(300)) < 2


@pytest.mark.parametrize(("sigma", "prior"), [(0.4, "uniform:10"), (1.5, "invgamma:2,1")])
def test_matches_of_two_give_what_the_sampler_of_two_gives(sigma: float, prior: str) -> None:
    matches, model = simulate(40, [2] * 800, sigma, 3), make_model(make_prior(prior))
    pairs = matches.pairs
    records = (
        tally_results(pairs.first, pairs.second, pairs.halves, 40),
        tally_orders(Orders.of(matches), 40),
    )
    two, several = (sample_population(record, model, ess=2_000, seed=4) for record in records)
    error = np.hypot(two.sigma.std() / np.sqrt(two.ess[0]), several.sigma.std() / np.sqrt(several.ess[0]))
    assert abs(two.sigma.mean() - several.sigma.mean()) < 4 * error
    assert several.sigma.std() == pytest.approx(two.sigma.std(), rel=0.1)
    np.testing.assert_allclose(several.skill, two.skill, atol=5 * two.skill_sd.max() / np.sqrt(1_000))
    np.testing.assert_allclose(several.skill_sd, two.skill_sd, rtol=0.15)


def test_who_does_the_work_on_orders_does_not_matter() -> None:
    one = measure_population(MIXED, ess=100, seed=3)
    other = measure_population(MIXED, ess=100, seed=3, workers=Workers(jobs=3))
    np.testing.assert_array_equal(one.sample.sigma, other.sample.sigma)
    np.testing.assert_array_equal(one.skill, other.skill)
    assert one.other_prior == other.other_prior
    assert not np.array_equal(one.sample.sigma[:, :50], measure_population(MIXED, ess=100, seed=4).sample.sigma[:, :50])


def test_the_result_of_several_says_what_there_is_to_say() -> None:
    luck = measure_population(MIXED, seed=1)
    assert luck.converged
    assert (luck.sampler, luck.provenance.parameters["sampler"]) == ("multiplayer", "multiplayer")
    assert (luck.t, luck.posterior("t").interval, luck.n_ties) == (0, (0, 0), 0)
    assert "multiplayer sampler" in luck.summary()
    assert luck.other_prior is not None
    assert luck.plot().to_dict()
    assert abs(luck.sigma - 0.8) < 3 * luck.posterior("sigma").sd
    quick = estimate_population(MIXED)
    assert quick.l2 == pytest.approx(luck.l2, abs=1.5 * luck.l2_sd)
    assert quick.t == 0


def test_both_priors_of_several_tell_what_the_other_would_say() -> None:
    flat, printed = (measure_population(MIXED, prior=prior, ess=800) for prior in ("uniform:10", "invgamma:2,1"))
    for luck, other in ((flat, printed), (printed, flat)):
        assert luck.other_prior is not None
        assert luck.other_prior.l2 == pytest.approx(other.l2, abs=0.02)


def test_lots_are_all_luck_and_a_sure_order_none() -> None:
    lots = simulate(40, [4] * 2_500, 0.0, 5)
    assert measure_population(lots, ess=100, compare_prior=False).l2 > 0.99
    rng = np.random.default_rng(6)
    who = [np.sort(rng.permutation(20)[:4]) for _ in range(300)]
    sure = Matches.of_seats(np.arange(0, 1_201, 4), np.concatenate(who), np.tile([1, 2, 3, 4], 300))
    assert measure_population(sure, ess=100, compare_prior=False).l2 < 0.1


def test_orders_of_other_noise_are_on_the_same_scale() -> None:
    # Gumbel performances, as far apart as normal ones of which a player wins as often: SD pi / root 6 to 1
    matches = simulate_strengths(100, 2_000, sd=150, per_match=5, seed=1)
    luck = measure_population(matches, ess=200, compare_prior=False)
    assert luck.sigma == pytest.approx(150 / 400 * np.log(10) / (np.pi / 6**0.5), rel=0.2)


def test_matches_that_all_tied_say_nothing() -> None:
    ties = Matches.of_seats([0, 3, 6], [0, 1, 2, 1, 2, 3], [1, 1, 1, 1, 1, 1], players=Players.numbered(5))
    luck = measure_population(ties, prior="uniform:2", ess=400, compare_prior=False)
    assert luck.sigma == pytest.approx(1, abs=0.15)
    np.testing.assert_allclose(luck.skill, 0, atol=0.3)
    assert luck.skill[4] == 0


def test_printed_samplers_are_for_two() -> None:
    with pytest.raises(LudometerError, match="two-player matches"):
        measure_population(MIXED, sampler="printed-ties")


def test_formula_one_is_mostly_luck(shared_data: Path) -> None:
    matches = read_matches(shared_data / "formula1_races.parquet")
    luck = measure_population(matches.part(0, 300), ess=100, compare_prior=False)
    assert luck.converged
    assert 0.7 < luck.l2 < 0.95
