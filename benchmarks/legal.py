"""Do the tests from the legal literature say what is true? Coins, coins that sessions share, and known skill.

    sh benchmarks/run.sh legal [games]

Coins: how often pure chance is rejected at 5%, how often the intervals of R*, of the spread of expectations and of
experience hold 0, and who stays in the top tenth. Sessions: three matches share one coin, and the record names them.
Skill: normal strengths of SD 100 and 200 Elo points, for which the spread of expectations and the matches that settle a
duel are known by integration. Writes benchmarks/results/legal.json.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ludometer.matches import Matches
from ludometer.measurement.legal.legal import LegalTests, apply_legal_tests
from ludometer.scale import expected_score
from ludometer.simulate import simulate_coin, simulate_strengths
from schedules import store

PLAYERS, MATCHES, GAMES = 150, 4_000, 200
SDS = (100.0, 200.0)


def coin_in_sessions(seed: int, length: int = 3) -> Matches:
    """Who wins the first match of a session wins them all."""
    rng = np.random.default_rng([5, seed])
    first = rng.integers(0, PLAYERS, MATCHES // length)
    second = (first + rng.integers(1, PLAYERS, len(first))) % PLAYERS
    won = rng.integers(0, 2, len(first))
    columns = (np.repeat(column, length) for column in (first, second, won))
    return Matches.of_pairs(*columns, session=np.repeat(np.arange(len(first)), length))


def true_expectations(sd: float) -> float:
    """The SD of what players of normal strengths expect above chance, against random opponents."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    strength = sd * nodes
    expected = expected_score(strength[:, None] - strength[None, :]) @ weights - 0.5
    return float(np.sqrt(weights @ expected**2))


def judge_coins(found: list[LegalTests]) -> dict[str, Any]:
    """Error rates where nothing is to be found."""
    tests = [one.by_name() for one in found]
    p = np.array([one["pure chance"].figure for one in tests], float)
    return {
        "rejected_at_5_percent": float((p < 0.05).mean()),
        "mean_p": float(p.mean()),
        "r_star_median": float(np.median([one["split halves (R*)"].figure or 0.0 for one in tests])),
        "r_star_holds_0": _holds([one["split halves (R*)"].interval for one in tests], 0.0),
        "expectations_hold_0": float(np.mean([one.expectations.tau_interval[0] == 0 for one in found])),
        "experience_holds_0": _holds([one["experience"].interval for one in tests], 0.0),
        "stays_in_top_tenth": float(np.mean([one["persistence by deciles"].figure or 0.0 for one in tests])),
    }


def judge_skill(found: list[LegalTests], sd: float) -> dict[str, Any]:
    """Estimates beside the truth."""
    tau = true_expectations(sd)
    duel = [one.by_name()["persistence by deciles"].details["duel_matches"] for one in found]
    return {
        "true_tau": tau,
        "tau": float(np.mean([one.expectations.tau for one in found])),
        "tau_holds": _holds([one.expectations.tau_interval for one in found], tau),
        "true_duel_matches": (0.25 - tau**2) / tau**2,
        "duel_matches": float(np.median(np.array(duel, float))),
        "r_star": float(np.mean([one.by_name()["split halves (R*)"].figure or 0.0 for one in found])),
        "experience_holds_0": _holds([one.by_name()["experience"].interval for one in found], 0.0),
    }


def _holds(intervals: list[Any], value: float) -> float:
    return float(
        np.mean([low <= value <= (np.inf if high is None else high) for low, high in intervals if low is not None])
    )


def main() -> None:
    """All of them, printed and stored."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    results: dict[str, Any] = {"players": PLAYERS, "matches": MATCHES, "games": games}
    coins = [apply_legal_tests(simulate_coin(PLAYERS, MATCHES, seed=seed)) for seed in range(games)]
    results["coin"] = judge_coins(coins)
    results["coin, sessions of 3"] = judge_coins([apply_legal_tests(coin_in_sessions(seed)) for seed in range(games)])
    for sd in SDS:
        found = [apply_legal_tests(simulate_strengths(PLAYERS, MATCHES, sd=sd, seed=seed)) for seed in range(games)]
        results[f"skill, SD {sd:.0f}"] = judge_skill(found, sd)
    for name, entry in results.items():
        print(name, entry)
    store("legal", results)


if __name__ == "__main__":
    main()
