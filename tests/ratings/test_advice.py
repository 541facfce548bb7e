"""Advice: gains against plain integrals and reweighted draws, and leagues that follow it learn faster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Elo, Glicko2, Static
from ludometer.ratings.advice import Belief, Goal, advise, compare_pairs, expected_reduction, plan_round
from ludometer.ratings.draws import draw_probability
from ludometer.scale import ELO


def outcomes(d: Floats, nu: float) -> list[Floats]:
    """The probabilities of a win, a loss and a draw."""
    score = 1 / (1 + np.exp(-d))
    drawn = draw_probability(score, nu) if nu else np.zeros_like(score)
    return [score - drawn / 2, 1 - score - drawn / 2, drawn]


@pytest.mark.parametrize("nu", [0.0, 1.5])
@pytest.mark.parametrize(("mean", "sd"), [(0.0, 0.3), (0.5, 1.0), (3.0, 1.5)])
def test_the_reduction_is_that_of_the_posterior_by_integration(mean: float, sd: float, nu: float) -> None:
    expected_after = 0.0
    for outcome in range(3 if nu else 2):

        def moment(power: int, outcome: int = outcome) -> float:
            return float(
                quad(
                    lambda d: d**power * norm.pdf(d, mean, sd) * outcomes(np.array([d]), nu)[outcome][0],
                    mean - 10 * sd,
                    mean + 10 * sd,
                    epsabs=1e-11,
                )[0]
            )

        mass = moment(0)
        expected_after += moment(2) - moment(1) ** 2 / mass
    found = expected_reduction(np.array([mean]), np.array([sd**2]), nu)[0]
    assert sd**2 - found == pytest.approx(expected_after, abs=1e-5)


def some_belief(n: int = 6) -> Belief:
    rng = np.random.default_rng(1)
    root = rng.normal(0, 0.25, (n, n))
    return Belief(np.arange(n), rng.normal(0, 0.7, n), root @ root.T + np.diag(rng.uniform(0.02, 0.4, n)))


def by_draws(belief: Belief, goal: Goal, nu: float) -> tuple[dict[tuple[int, int], float], float]:
    """The gain of every pair, from draws of the belief weighed by how likely each outcome is in them."""
    x = np.random.default_rng(2).multivariate_normal(belief.mean, belief.covariance, 80_000)
    n = x.shape[1]
    first = (x == x.max(axis=1, keepdims=True)).astype(np.float64)
    above = (x[:, :, None] > x[:, None, :]).astype(np.float32).reshape(len(x), -1)

    def doubt(weight: Floats) -> float:
        weight = weight / weight.sum()
        if goal == "ratings":
            mean = weight @ x
            return float(ELO**2 * (weight @ (x - mean) ** 2).sum())
        if goal == "top":
            return 1 - float(((weight @ first) ** 2).sum())
        better = weight @ above
        return float((better * (1 - better)).sum() / 2)

    now = doubt(np.ones(len(x)))
    found = {}
    for i in range(n):
        for j in range(i + 1, n):
            after = 0.0
            for chance in outcomes(x[:, i] - x[:, j], nu)[: 3 if nu else 2]:
                after += float(chance.mean()) * doubt(chance)
            found[i, j] = now - after
    return found, now


@pytest.mark.parametrize(
    ("goal", "nu", "tolerance"),
    [("ratings", 0.0, 0.04), ("ratings", 1.0, 0.04), ("ranks", 0.0, 0.12), ("top", 0.5, 0.2)],
)
def test_gains_are_those_of_reweighted_draws(goal: Goal, nu: float, tolerance: float) -> None:
    """Exact for ratings; of first order for order and first place, whose probabilities take errors for independent."""
    belief = some_belief()
    plain, now = by_draws(belief, goal, nu)
    found = compare_pairs(belief, goal, nu, None, 15)
    fast = {(min(i, j), max(i, j)): float(g) for i, j, g in zip(found.first, found.second, found.gain, strict=True)}
    assert found.doubt == pytest.approx(now, rel=0.06 if goal == "top" else 0.02)
    keys = sorted(plain)
    ours, theirs = np.array([fast[key] for key in keys]), np.array([plain[key] for key in keys])
    assert np.abs(ours - theirs).max() < tolerance * theirs.max()
    # the match that is advised is among the best by draws
    assert theirs[ours.argmax()] > 0.9 * theirs.max()


def test_the_covariance_of_static_ratings_is_that_of_the_dense_curvature() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 8, 300)
    second = (first + rng.integers(1, 8, 300)) % 8
    static = Static(sd=200)
    matches = Matches.of_pairs(first, second, rng.integers(0, 2, 300).astype(float))
    state, _ = static.play(static.start(8), matches)
    covariance = static.covariance(state)
    assert covariance is not None
    assert np.sqrt(np.diag(covariance)) == pytest.approx(static.uncertainty(state))
    natural = (static.ratings(state) - 1500) / ELO
    curvature = np.eye(8) * (ELO / 200) ** 2
    for i, j in zip(first, second, strict=True):
        p = 1 / (1 + np.exp(natural[j] - natural[i]))
        a = np.eye(8)[i] - np.eye(8)[j]
        curvature += p * (1 - p) * np.outer(a, a)
    assert covariance == pytest.approx(np.linalg.inv(curvature) * ELO**2, rel=0.03, abs=10)


def fit(n: int, first: Counts, second: Counts, score: Floats, sd: float) -> tuple[Floats, Floats]:
    """The most likely strengths under a normal prior, and the inverse of the curvature: plain Newton steps."""
    x, precision = np.zeros(n), sd**-2
    while True:
        expected = 1 / (1 + np.exp(x[second] - x[first]))
        gradient = np.bincount(first, score - expected, n) - np.bincount(second, score - expected, n) - precision * x
        met = np.zeros((n, n))
        np.add.at(met, (first, second), expected * (1 - expected))
        met += met.T
        curvature = np.diag(met.sum(axis=1) + precision) - met
        step = np.linalg.solve(curvature, gradient)
        x = x + step
        if np.abs(step).max() < 1e-8:
            return x, np.asarray(np.linalg.inv(curvature), np.float64)


def league(seed: int, n: int, sd: float, n_matches: int, goal: Goal | None) -> tuple[float, float]:
    """After so many matches, advised or at random: the mean squared error, and what the apparent best player lacks."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, sd, n)
    first = np.arange(n)
    second = (first + 1) % n

    def results(i: Counts, j: Counts) -> Floats:
        return (rng.random(len(i)) < 1 / (1 + np.exp(strength[j] - strength[i]))).astype(np.float64)

    score = results(first, second)
    for _ in range(n_matches):
        if goal is None:
            i = rng.integers(0, n, 1)
            j = (i + rng.integers(1, n, 1)) % n
        else:
            best = compare_pairs(Belief(np.arange(n), *fit(n, first, second, score, sd)), goal, 0.0, None, 1)
            i, j = best.first.astype(np.int64), best.second.astype(np.int64)
        first, second, score = np.append(first, i), np.append(second, j), np.append(score, results(i, j))
    x, _ = fit(n, first, second, score, sd)
    error = x - x.mean() - (strength - strength.mean())
    return float(error @ error) / n, float(strength.max() - strength[x.argmax()])


def test_a_league_that_follows_the_advice_learns_faster() -> None:
    """Ratings: squared errors at least an eighth smaller than with random pairs, in 20 leagues of 12 players."""
    advised, random = (
        np.array([league(seed, 12, 500 / ELO, 60, goal)[0] for seed in range(20)]) for goal in ("ratings", None)
    )
    difference = random - advised
    assert difference.mean() > 3 * difference.std(ddof=1) / np.sqrt(20)
    assert advised.mean() < 0.875 * random.mean()


def test_a_league_that_looks_for_the_best_player_finds_them_sooner() -> None:
    advised, random = (
        np.array([league(seed, 10, 300 / ELO, 40, goal)[1] for seed in range(30)]) for goal in ("top", None)
    )
    assert advised.mean() < 0.5 * random.mean()


def record(n_players: int = 10, n_matches: int = 120) -> Matches:
    rng = np.random.default_rng(5)
    first = rng.integers(0, n_players, n_matches)
    second = (first + rng.integers(1, n_players, n_matches)) % n_players
    names = Players.named([f"p{code}" for code in range(n_players)])
    better = 1 / (1 + np.exp((first - second) / n_players))
    return Matches.of_pairs(first, second, (rng.random(n_matches) < better).astype(float), players=names)


@pytest.mark.parametrize("goal", ["ratings", "ranks", "top"])
@pytest.mark.parametrize("system", [Static(), Glicko2()])
def test_every_system_with_errors_can_advise(goal: Goal, system: Static | Glicko2) -> None:
    advice = advise(record(), system=system, goal=goal, n_matches=7)
    assert len(advice.suggestions) == 7
    gains = [one.gain for one in advice.suggestions]
    assert gains == sorted(gains, reverse=True)
    for one in advice.suggestions:
        assert 0 < one.error_after < one.error
        assert one.expected_score >= 0.5 - 1e-9
        assert 0 < one.share < 1
    assert advice.to_frame().height == 7
    assert "would shrink the error" in advice.summary()
    assert "gains" in advice.charts()


def test_in_a_round_nobody_plays_twice_and_matches_count_on_each_other() -> None:
    """Each match is the best of those still possible, in the belief that the ones before it leave."""
    belief = some_belief(8)
    plan = plan_round(belief, "ratings", 0.0, None, 9)
    assert sorted([*plan.first, *plan.second]) == list(range(8))
    c, idle = belief.covariance, np.ones(8, bool)
    for step in range(4):
        gains = {}
        for i in range(8):
            for j in range(i):
                a = np.eye(8)[i] - np.eye(8)[j]
                spread = a @ c @ a
                told = expected_reduction(np.array([belief.mean[i] - belief.mean[j]]), np.array([spread]))[0]
                left = c - told / spread**2 * np.outer(c @ a, c @ a)
                gains[i, j] = (ELO**2 * float(np.trace(c) - np.trace(left)), left) if idle[i] and idle[j] else (0.0, c)
        best = max(gains, key=lambda pair: gains[pair][0])
        assert {int(plan.first[step]), int(plan.second[step])} == set(best)
        assert plan.gain[step] == pytest.approx(gains[best][0])
        idle[list(best)] = False
        c = gains[best][1]
    advice = advise(record(), system=Static(sd=200), n_matches=6, as_round=True)
    assert len(advice.suggestions) == 5
    assert "the 5 matches together would remove" in advice.summary()


def test_matches_of_one_player_serve_that_player() -> None:
    advice = advise(record(), system=Static(), player="p4", n_matches=20)
    assert {one.first for one in advice.suggestions} == {"p4"}
    assert len(advice.suggestions) == 9
    variance = Static()
    state, _ = variance.play(variance.start(10), record())
    assert advice.doubt == pytest.approx(variance.uncertainty(state)[4] ** 2)
    assert "the rating of p4" in advice.summary()


def test_newcomers_tell_more_than_veterans() -> None:
    """Two newcomers among players with a hundred matches each: they are in every match that is advised."""
    rng = np.random.default_rng(6)
    first = rng.integers(0, 8, 400)
    second = (first + rng.integers(1, 8, 400)) % 8
    matches = Matches.of_pairs([*first, 8, 9], [*second, 0, 1], [*rng.integers(0, 2, 400), 1, 0])
    advice = advise(matches, system=Static(sd=200), n_matches=8)
    assert all({one.first, one.second} & {"8", "9"} for one in advice.suggestions)
    kept = advise(matches, system=Static(sd=200), n_matches=8, min_matches=10)
    assert not any({one.first, one.second} & {"8", "9"} for one in kept.suggestions)


def test_large_leagues_compare_those_in_doubt() -> None:
    matches = record(1100, 3000)
    advice = advise(matches, system=Static(sd=200), n_matches=3)
    assert advice.n_compared == 1000
    assert "1,000 players most in doubt, of" in advice.summary()
    assert advise(matches, system=Glicko2(), goal="top", player="p3", n_matches=3).suggestions[0].first == "p3"


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(LudometerError, match="elo gives no uncertainty"):
        advise(record(), system=Elo())
    with pytest.raises(LudometerError, match="no player is called"):
        advise(record(), player="Zoe")
    with pytest.raises(LudometerError, match="two players with at least 999"):
        advise(record(), min_matches=999)
    with pytest.raises(LudometerError, match="goal"):
        advise(record(), goal="fame")  # type: ignore[arg-type]
    # the default has errors whatever the default of rate is
    assert advise(record()).suggestions
