"""Noise of ratings in simulated leagues against the formulas, the best step, drift, and SDs estimated from records.

    sh benchmarks/run.sh noise

A league with one seed has the same matches and results at every step, so steps are compared on the same games.
Writes benchmarks/results/noise.json.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ludometer.ratings.noise.noise import estimate_noise, measure_noise, optimal_step
from ludometer.simulate.league import LeagueGame
from schedules import store

LEAGUES: list[dict[str, Any]] = [
    {"sd": 324, "games": 35},
    {"sd": 324, "games": 200},
    {"sd": 324, "games": 1000},
    {"sd": 150, "games": 100},
    {"sd": 200, "games": 100},
    {"sd": 324, "games": 35, "entry_error": 150},
    {"sd": 324, "games": 35, "entry_error": 100},
    {"sd": 324, "games": 35, "entry_error": 60},
    {"sd": 324, "games": 200, "entry_error": 100},
    {"sd": 324, "games": 35, "lifetimes": "exponential"},
    {"sd": 150, "games": 100, "lifetimes": "exponential"},
]

RECORDS: list[dict[str, Any]] = [
    {"n_players": 1000, "sd": 200, "games": 100},
    {"n_players": 3000, "sd": 324, "games": 35},
    {"n_players": 200, "sd": 100, "games": 300},
    {"n_players": 1000, "sd": 50, "games": 100},
    {"n_players": 1000, "sd": 200, "games": 100, "matchmaking": "skill"},
    {"n_players": 1000, "sd": 200, "games": 100, "matchmaking": "rating"},
    {"n_players": 1000, "sd": 100, "games": 100, "matchmaking": "skill", "window": 50},
    {"n_players": 10_000, "sd": 200, "games": 20},
]

FACTORS = np.array([0.5, 0.65, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0])


def settled(sd: float, step: float) -> dict[str, float]:
    """The noise of players who stay for ever, simulated and by both formulas."""
    # an error is halved in some 2 / (h wp') games, and wp' is about 1 / 1200
    generations = max(10, math.ceil(8000 / step / 100))
    league = LeagueGame(2000, sd=sd, games=100, lifetimes="endless", start="truth", step=step, seed=1)
    history = league.follow(20, warm_up=generations)
    formula = measure_noise(sd=sd, games=100, step=step)
    return {
        "sd": sd,
        "step": step,
        "simulated": round(history.total_noise, 2),
        "formula": round(formula.fluctuation, 2),
        "refined": round(formula.refined_fluctuation, 2),
        "formula_to_simulated": round(formula.fluctuation / history.total_noise, 4),
        "refined_to_simulated": round(formula.refined_fluctuation / history.total_noise, 4),
    }


def best_step(settings: dict[str, Any]) -> dict[str, Any]:
    """The noise at steps around ours, the best of them, and how much ours loses."""
    ours = optimal_step(**settings)
    n_players = max(1000, 100_000 // settings["games"])
    noise = []
    for factor in FACTORS:
        league = LeagueGame(min(n_players, 4000), step=factor * ours, seed=2, **settings)
        noise.append(league.follow(6, warm_up=3).total_noise)
    at_ours = noise[int(np.flatnonzero(FACTORS == 1.0)[0])]
    lowest = int(np.argmin(noise))
    near = slice(max(lowest - 2, 0), lowest + 3)
    bend, slope, _ = np.polyfit(np.log(FACTORS[near]), np.log(noise[near]), 2)
    formula = measure_noise(step=ours, **settings)
    return settings | {
        "our_step": round(ours, 1),
        "best_step": round(ours * math.exp(-slope / (2 * bend)), 1),
        "noise_at_ours": round(at_ours, 2),
        "least_noise": round(min(noise), 2),
        "loss": round(at_ours / min(noise) - 1, 4),
        "formula_to_simulated": round(formula.total / at_ours, 4),
        "refined_to_simulated": round(formula.refined_total / at_ours, 4),
        "noise_by_factor": {str(factor): round(value, 2) for factor, value in zip(FACTORS, noise, strict=True)},
    }


def drift(shares_out: bool) -> dict[str, Any]:
    """A league of learners for 100 generations, rated right at first."""
    league = LeagueGame(
        2000,
        sd=100,
        games=50,
        lifetimes="exponential",
        learning="unbounded",
        learning_rate=0.1,
        start="truth",
        step=64,
        shares_out=shares_out,
        seed=3,
    )
    history = league.follow(100)
    return {
        "shares_out": shares_out,
        "mean_rating": [round(float(history.mean_rating[g]), 2) for g in (0, 9, 99)],
        "mean_skill": [round(float(history.mean_skill[g]), 2) for g in (0, 9, 99)],
        "leavers_rating": round(float(np.nanmean(history.leavers_rating)), 1),
        "noise": round(history.total_noise, 1),
    }


def estimated(settings: dict[str, Any]) -> dict[str, Any]:
    """The SD of skills as records of 40,000 matches show it, each player counting as often as he plays."""
    rows = []
    for seed in (4, 5, 6):
        league = LeagueGame(seed=seed, **settings).play(40_000)
        true = math.sqrt(float(np.cov(league.skill, fweights=league.played)))
        rows.append((estimate_noise(league.matches, step=32).sd / true, float(league.played[league.played > 0].mean())))
    ratio, games = zip(*rows, strict=True)
    return settings | {
        "estimated_to_true_sd": [round(value, 3) for value in ratio],
        "mean_games": round(float(np.mean(games)), 1),
    }


def main() -> None:
    """Simulate, print, store."""
    results: dict[str, list[dict[str, Any]]] = {}

    def report(name: str, row: dict[str, Any]) -> None:
        results.setdefault(name, []).append(row)
        print(name, {key: value for key, value in row.items() if key != "noise_by_factor"}, flush=True)

    for sd in (150.0, 324.0):
        for step in (8.0, 16.0, 32.0, 64.0, 128.0, 256.0):
            report("settled", settled(sd, step))
    for settings in LEAGUES:
        report("best step", best_step(settings))
    for shares_out in (False, True):
        report("drift", drift(shares_out))
    for settings in RECORDS:
        report("estimated", estimated(settings))
    store("noise", results)


if __name__ == "__main__":
    main()
