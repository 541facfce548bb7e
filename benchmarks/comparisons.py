"""Simulated arenas, engine matches and advised leagues: coverage of intervals, errors of tests, what advice gains.

    sh benchmarks/run.sh comparisons

Writes benchmarks/results/comparisons.json.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.matches import Matches
from ludometer.ratings.advice import Belief, Goal, compare_pairs
from ludometer.ratings.engines.sprt import EloModel, likelihood_ratio, wald_bounds
from ludometer.ratings.engines.study import normalise
from ludometer.scale import ELO, from_elo
from ludometer.strength.bradley_terry import Errors, fit_bradley_terry
from schedules import store


def arena(rng: np.random.Generator) -> tuple[Floats, Matches]:
    """3,000 votes on 20 models, a third of them ties; the first position is worth 25 points, twice the length 40."""
    strength = rng.normal(0, 120, 20)
    strength -= strength.mean()
    first = rng.integers(0, 20, 3000)
    second = (first + rng.integers(1, 20, 3000)) % 20
    length = rng.lognormal(5, 0.6, (3000, 2))
    ahead = strength[first] - strength[second] + 25 + 40 * np.log2(length[:, 0] / length[:, 1])
    expected = 1 / (1 + np.exp(-from_elo(ahead)))
    tied = 0.35 * 4 * expected * (1 - expected)
    chance = rng.random(3000)
    result = np.where(chance < expected - tied / 2, 1.0, np.where(chance < expected + tied / 2, 0.5, 0.0))
    return strength, Matches.of_pairs(first, second, result, advantage="order", seat_covariates={"length": length})


def cover(errors: Errors, n_arenas: int) -> dict[str, float]:
    """How many of the 95% intervals hold the truth: of strengths, of the first position, of length."""
    rng = np.random.default_rng(1)
    held: dict[str, list[float]] = {"strength": [], "first seat": [], "length": []}
    for _ in range(n_arenas):
        strength, votes = arena(rng)
        fit = fit_bradley_terry(votes, contrasts={"length": "doubling"}, errors=errors, n_draws=200)
        low, high = fit.interval.T
        held["strength"].append(float(((low - 1500 < strength) & (strength < high - 1500)).mean()))
        for effect, truth in zip(fit.effects, (25, 40), strict=True):
            held[effect.name].append(float(effect.interval[0] < truth < effect.interval[1]))
    return {name: float(np.mean(values)) for name, values in held.items()}


def play(rng: np.random.Generator, n_pairs: int, elo: float) -> Floats:
    """Points of the first engine in pairs of games whose openings are worth something to White."""
    white = 150 * rng.standard_normal(n_pairs)
    expected = 1 / (1 + 10 ** (-(np.column_stack((elo + white, elo - white))) / 400))
    drawn = 0.4 * 4 * expected * (1 - expected)
    chance = rng.random((n_pairs, 2))
    points = np.where(chance < expected - drawn / 2, 1.0, np.where(chance < expected + drawn / 2, 0.5, 0.0))
    return np.asarray(points.sum(axis=1))


def test_error(model: EloModel, elo: float, look: int, n_tests: int) -> dict[str, float]:
    """How often a sequential test with 5% errors decides wrongly, and after how many pairs."""
    rng = np.random.default_rng(1)
    sample = play(rng, 2_000_000, elo)
    score = float(sample.mean()) / 2
    normalised = normalise(np.bincount((2 * sample).astype(np.int64), minlength=5))
    assert normalised is not None
    elo1 = normalised[0] if model == "normalised" else 400 * math.log10(score / (1 - score))
    low, high = wald_bounds(0.05, 0.05)
    found: dict[str, float] = {"elo1": elo1}
    for truth, name in ((0.0, "H0"), (elo, "H1")):
        counts, is_open, is_wrong = np.zeros((n_tests, 5)), np.ones(n_tests, bool), np.zeros(n_tests, bool)
        while is_open.any():
            now = np.flatnonzero(is_open)
            points = play(rng, look * len(now), truth).reshape(len(now), look)
            counts[now] += (2 * points[..., None] == np.arange(5)).sum(axis=1)
            ratio = likelihood_ratio(counts[now], 0.0, elo1, model=model)
            up, down = ratio >= high, ratio <= low
            is_wrong[now[up if name == "H0" else down]] = True
            is_open[now[up | down]] = False
        found |= {
            f"wrong under {name}": float(is_wrong.mean()),
            f"pairs under {name}": float(counts.sum(axis=1).mean()),
        }
    return found


def rate_league(n: int, first: Counts, second: Counts, score: Floats, sd: float) -> tuple[Floats, Floats]:
    """The most likely strengths under a normal prior, and the inverse of the curvature."""
    x = np.zeros(n)
    while True:
        expected = 1 / (1 + np.exp(x[second] - x[first]))
        gradient = np.bincount(first, score - expected, n) - np.bincount(second, score - expected, n) - x / sd**2
        met = np.zeros((n, n))
        np.add.at(met, (first, second), expected * (1 - expected))
        met += met.T
        curvature = np.diag(met.sum(axis=1) + sd**-2) - met
        step = np.linalg.solve(curvature, gradient)
        x = x + step
        if np.abs(step).max() < 1e-8:
            return x, np.asarray(np.linalg.inv(curvature), np.float64)


def league(seed: int, n: int, sd: float, n_matches: int, goal: Goal | None) -> tuple[float, float]:
    """Of a league played match by match, advised or at random: the squared error, and what the apparent best lacks."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, sd, n) / ELO
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
            belief = Belief(np.arange(n), *rate_league(n, first, second, score, sd / ELO))
            best = compare_pairs(belief, goal, 0.0, None, 1)
            i, j = best.first.astype(np.int64), best.second.astype(np.int64)
        first, second, score = np.append(first, i), np.append(second, j), np.append(score, results(i, j))
    x, _ = rate_league(n, first, second, score, sd / ELO)
    error = x - x.mean() - (strength - strength.mean())
    return float(error @ error) / n * ELO**2, float(strength.max() - strength[x.argmax()]) * ELO


def advised(n: int, sd: float, n_matches: int) -> dict[str, Any]:
    """40 leagues each: by advice for ratings, by advice for the first place, at random."""
    goals: dict[str, Goal | None] = {"ratings": "ratings", "top": "top", "random": None}
    found = {
        name: np.mean([league(seed, n, sd, n_matches, goal) for seed in range(40)], axis=0).tolist()
        for name, goal in goals.items()
    }
    return {name: {"squared_error": both[0], "best_lacks": both[1]} for name, both in found.items()}


def main() -> None:
    """Run all of it, and print as it goes."""
    results: dict[str, Any] = {}
    for errors, n_arenas in (("robust", 200), ("curvature", 200), ("bootstrap", 40)):
        results[f"arena, {errors}"] = cover(errors, n_arenas)  # type: ignore[arg-type]
        print(errors, results[f"arena, {errors}"], flush=True)
    for model, elo, look, n_tests in (
        ("logistic", 30, 10, 3000),
        ("logistic", 10, 50, 1000),
        ("normalised", 30, 10, 1500),
    ):
        results[f"sprt, {model}, {elo}"] = test_error(model, elo, look, n_tests)  # type: ignore[arg-type]
        print(model, elo, results[f"sprt, {model}, {elo}"], flush=True)
    for n, sd, n_matches in ((14, 300, 80), (14, 500, 80), (30, 300, 150)):
        results[f"advice, {n} players, SD {sd}, {n_matches} matches"] = advised(n, sd, n_matches)
        print(n, sd, n_matches, results[f"advice, {n} players, SD {sd}, {n_matches} matches"], flush=True)
    store("comparisons", results)


if __name__ == "__main__":
    main()
