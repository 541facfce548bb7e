"""The spread of a population without draws: against the sampler, on coins, and when draws are wanted after all."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.measurement import LuckChoices, measure_luck, measure_population
from ludometer.measurement.luck import population
from ludometer.measurement.luck.evidence import OrderGame, PairGame, integrate, population_evidence, tally_pairs
from ludometer.measurement.luck.population import make_prior, try_evidence
from ludometer.measurement.luck.sampler import make_model, sample_population, tally_orders, tally_results
from ludometer.simulate import simulate_coin, simulate_strengths
from ludometer.strength.ranked import Orders

GAME = simulate_strengths(30, 1_500, sd=150, draws=0.2, seed=5)
PRIOR = make_prior("uniform:10")


def play(n_players: int, n_matches: int, sigma: float, t: float, seed: int) -> Matches:
    rng = np.random.default_rng(seed)
    first = np.arange(n_matches) % n_players
    second = (first + rng.integers(1, n_players, n_matches)) % n_players
    skill = sigma * rng.standard_normal(n_players)
    y = skill[first] - skill[second] + rng.normal(0, 2**0.5, n_matches)
    return Matches.of_pairs(first, second, 0.5 + 0.5 * np.sign(y) * (np.abs(y) > t))


@pytest.mark.parametrize(
    ("n_players", "n_matches", "sigma", "t"), [(25, 600, 0.3, 0.0), (25, 600, 1.0, 0.5), (300, 600, 2.0, 0.0)]
)
def test_evidence_and_sampler_agree(n_players: int, n_matches: int, sigma: float, t: float) -> None:
    # the first: a sampler whose number of steps depends on sigma is off by more than this
    matches = play(n_players, n_matches, sigma, t, 1)
    luck = measure_population(matches, method="evidence")
    pairs = matches.pairs
    model = make_model(PRIOR, tie_sd=5.0 if t else 0.0)
    record = tally_results(pairs.first, pairs.second, pairs.halves, n_players)
    sample = sample_population(record, model, ess=4_000, budget=40_000, seed=1)
    draws = 1 / (1 + sample.sigma**2)
    error = draws.std() / min(sample.ess) ** 0.5
    assert luck.bound is not None
    assert luck.l2 == pytest.approx(draws.mean(), abs=3.5 * error + 0.01 * draws.std())
    assert luck.l2_sd == pytest.approx(draws.std(), rel=0.06)
    assert luck.l2_interval == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=10 * error)
    assert luck.t == pytest.approx(sample.t.mean(), abs=0.25 * max(sample.t.std(), 1e-9))
    assert luck.posterior("t").sd == pytest.approx(sample.t.std(), rel=0.1, abs=1e-9)
    assert np.corrcoef(luck.skill, sample.skill)[0, 1] > 0.999
    # at one sigma: what the uncertainty of sigma adds is not in it
    assert luck.skill_sd == pytest.approx(sample.skill_sd, rel=0.3)


def test_the_interval_covers() -> None:
    hits = 0
    for seed in range(60):
        found = try_evidence(play(60, 400, 0.8, 0.3, 100 + seed), compare_prior=False)
        assert found is not None
        low, high = found.posterior("sigma").interval
        hits += low <= 0.8 <= high
    assert 52 <= hits <= 60


def test_a_coin_has_its_evidence_at_zero_and_the_prior_decides() -> None:
    luck = measure_population(simulate_coin(20, 1_000, seed=1), method="evidence")
    drawn = measure_population(simulate_coin(20, 1_000, seed=1), method="sampler", ess=2_000)
    assert luck.other_prior is not None
    assert luck.l2 == pytest.approx(drawn.l2, abs=0.1 * drawn.l2_sd)
    assert luck.l2_interval[1] > 0.999
    assert luck.other_prior.how == "integrated"
    assert drawn.other_prior is not None
    assert luck.other_prior.l2 == pytest.approx(drawn.other_prior.l2, abs=0.3 * drawn.other_prior.l2_sd)


def test_what_decides_nothing_is_left_to_the_prior() -> None:
    sure = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 1])
    flat, printed = (
        measure_population(sure, method="evidence", prior=prior) for prior in ("uniform:10", "invgamma:2,1")
    )
    assert flat.sigma > 4
    assert flat.other_prior is not None
    assert flat.other_prior.l2 == pytest.approx(printed.l2, abs=0.01)


def test_draws_are_made_where_the_bound_is_too_large_or_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert measure_population(GAME).method == "evidence"
    assert measure_population(GAME, ess=100).method == "sampler"
    assert measure_luck(GAME, choices=LuckChoices(draws=100)).population.method == "sampler"  # type: ignore[union-attr]
    monkeypatch.setattr(population, "LARGEST_BOUND", 0.0)
    assert measure_population(GAME).method == "sampler"
    forced = measure_population(GAME, method="evidence")
    assert not forced.converged
    assert "uncertain" in forced.summary()


def test_the_result_says_that_there_are_no_draws() -> None:
    luck = measure_population(GAME, seed=1)
    assert luck.converged
    assert luck.bound is not None
    assert luck.bound < 0.15
    assert np.isnan(luck.rhat)
    assert np.isnan(luck.ess)
    assert "R-hat" not in luck.summary()
    assert "effective" not in luck.summary()
    assert luck.to_frame()["quantity"].to_list() == ["l2", "sigma", "t"]
    assert luck.plot().to_dict()
    with pytest.raises(LudometerError, match="no draws"):
        _ = luck.sample


def test_the_whole_and_its_halves_have_one_method() -> None:
    luck = measure_luck(GAME)
    assert luck.population is not None
    assert luck.halves is not None
    assert {luck.population.method, *(half.method for half in luck.halves)} == {"evidence"}


def test_who_is_named_first_does_not_matter() -> None:
    pairs = GAME.pairs
    mirrored = Matches.of_pairs(pairs.second, pairs.first, 1 - pairs.score, players=GAME.players)
    assert measure_population(mirrored).l2 == measure_population(GAME).l2


def test_the_search_may_start_anywhere() -> None:
    pairs = GAME.pairs
    table = tally_pairs(pairs.first, pairs.second, pairs.halves, 30)
    found = [integrate(PairGame(table, 30, tie_sd=5.0), PRIOR, start=start) for start in (0.05, 9.0)]
    means = [one.moments(1 / (1 + one.sigma**2)) for one in found]
    assert means[0][0] == pytest.approx(means[1][0], abs=0.02 * means[0][1])


def test_a_share_of_coins_shows_in_the_evidence() -> None:
    rng = np.random.default_rng(2)
    first = rng.integers(0, 40, 8_000)
    second = (first + rng.integers(1, 40, 8_000)) % 40
    skill = 2.0 * rng.standard_normal(40)
    wins = np.where(
        rng.random(8_000) < 0.4, rng.random(8_000) < 0.5, skill[first] - skill[second] > rng.normal(0, 2**0.5, 8_000)
    )
    matches = Matches.of_pairs(first, second, wins)
    none, right, many = (population_evidence(matches, sigma=2.0, share=share) for share in (0.0, 0.4, 0.7))
    assert right.log_evidence > max(none.log_evidence, many.log_evidence) + 10
    assert none.by_share > 0 > many.by_share
    assert abs(right.by_share) < 200
    h = 1e-3
    near = population_evidence(matches, sigma=2.0, share=0.4 + h)
    assert right.by_share == pytest.approx((near.log_evidence - right.log_evidence) / h, abs=6)
    wider = population_evidence(matches, sigma=2.0 * np.exp(0.01), share=0.4)
    assert right.by_log_sigma == pytest.approx((wider.log_evidence - right.log_evidence) / 0.01, abs=4)


def test_what_has_no_evidence_is_refused() -> None:
    with pytest.raises(LudometerError, match="share of coins"):
        population_evidence(GAME, sigma=1.0, share=1.0)
    with pytest.raises(MatchDataError, match="two-player"):
        population_evidence(Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3]), sigma=1.0)
    with pytest.raises(LudometerError, match="no method"):
        measure_population(GAME, method="exact")  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="needs no draws"):
        LuckChoices(method="evidence", draws=100)
    with pytest.raises(LudometerError, match="auto, evidence or sampler"):
        LuckChoices(method="exact")  # type: ignore[arg-type]


def test_opponents_who_meet_a_hundred_times_do_not_lead_messages_astray() -> None:
    # long rivalries far from even, with ties, as in football: a first guess of such a pair's site is far off
    rng = np.random.default_rng(3)
    n, sigma, t = 60, 1.5, 0.5
    skill = sigma * rng.standard_normal(n)
    rivals = np.stack([rng.permutation(n)[:2] for _ in range(150)])
    rows = np.repeat(rivals, rng.integers(1, 160, len(rivals)), axis=0)
    gap = skill[rows[:, 0]] - skill[rows[:, 1]] + rng.normal(0, 2**0.5, len(rows))
    result = np.where(np.abs(gap) <= t, 0.5, (gap > 0).astype(float))
    matches = Matches.of_pairs(rows[:, 0], rows[:, 1], result)
    without = try_evidence(matches, is_forced=True, compare_prior=False)
    drawn = measure_population(matches, method="sampler", compare_prior=False)
    assert without is not None
    assert abs(without.l2 - drawn.l2) < 0.25 * drawn.l2_sd
    assert without.l2_sd == pytest.approx(drawn.l2_sd, rel=0.2)


def play_orders(n_players: int, sizes: list[int], sigma: float, seed: int) -> Matches:
    rng = np.random.default_rng(seed)
    skill = sigma * rng.standard_normal(n_players)
    starts, player, place = [0], list[int](), list[int]()
    for size in sizes:
        chosen = rng.choice(n_players, size, replace=False)
        y = skill[chosen] + rng.standard_normal(size)
        player += chosen.tolist()
        place += (1 + (-y).argsort().argsort()).tolist()
        starts.append(len(player))
    return Matches.of_seats(starts, player, place)


def test_sweeps_with_sigma_held_have_the_moments_of_the_integral() -> None:
    rng = np.random.default_rng(1)
    matches = Matches.of_seats([0, 3, 5], [0, 1, 2, 0, 1], [1, 2, 3, 1, 2])
    game = OrderGame(tally_orders(Orders.of(matches), 3), seed=1)
    game.q = 1.5
    game._sweep(50)
    squares = game._sweep(40_000, counts=True)
    skill = 1.5**0.5 * rng.standard_normal((400_000, 3))
    y = skill + rng.standard_normal(skill.shape)
    kept = (y[:, 0] > y[:, 1]) & (y[:, 1] > y[:, 2]) & (skill[:, 0] - skill[:, 1] > rng.normal(0, 2**0.5, len(skill)))
    assert squares.mean() == pytest.approx((skill[kept] ** 2).sum(axis=1).mean(), abs=0.06)
    mean, sd = game.skills()
    assert mean == pytest.approx(skill[kept].mean(axis=0), abs=0.03)
    assert sd == pytest.approx(skill[kept].std(axis=0), rel=0.03)


def test_evidence_of_orders_agrees_with_the_sampler() -> None:
    matches = play_orders(120, [5, 12, 40] * 60, 0.7, 3)
    luck = measure_population(matches, method="evidence", seed=2)
    drawn = measure_population(matches, ess=800, seed=2)
    assert luck.bound is not None
    assert luck.bound < 0.15
    assert luck.l2 == pytest.approx(drawn.l2, abs=0.2 * drawn.l2_sd)
    assert luck.l2_sd == pytest.approx(drawn.l2_sd, rel=0.1)
    assert np.corrcoef(luck.skill, drawn.skill)[0, 1] > 0.99


def test_many_seats_need_no_chains_of_sigma(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = play_orders(40, [6, 10] * 60, 0.7, 4)
    monkeypatch.setattr(population, "_MANY_SEATS", 10**6)
    assert measure_population(matches, budget=400).method == "sampler"
    monkeypatch.setattr(population, "_MANY_SEATS", 500)
    luck = measure_population(matches)
    assert luck.method == "evidence"
    assert luck.l2 == measure_population(matches).l2
