"""L and l2 without the bias of fitted skills: the mean over coins and skilled games, and whether intervals cover.

    sh benchmarks/run.sh luck [jobs] [cell ...]

On dense, sparse and uneven schedules, with and without ties, with two players and with tables of four, and on the
schedule of one poker site (in LUDOMETER_SHARED, default ../shared; left out where it is absent). Performances are
normal, so the truth of each sigma is known. Beside the corrected figures stand those of penalised skills.
Writes benchmarks/results/luck.json after each cell.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludometer.matches import Matches
from ludometer.measurement import correct_luck, measure_entropy_luck, measure_population, population_luck
from ludometer.measurement.luck.corrected import CLEAR, CorrectedLuck, score_without_skill
from ludometer.measurement.luck.luck import RIDGE
from ludometer.read import read_matches
from ludometer.selection import keep_connected
from ludometer.strength import fit_orders, fit_skills
from schedules import Crew, store, stored

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")
POKER = SHARED / "data" / "poker_hu_sessions.parquet"
SIGMAS, COINS, GAMES, FITTED = (0.0, 0.15, 0.4, 1.0), 200, 100, 10
DRAWS = 200
"""Effective draws of multiplayer records in which skill shows."""


class Schedule(NamedTuple):
    """Who meets whom: players, matches, players per match, the power of activity, and the threshold of ties."""

    players: int
    matches: int
    per_match: int = 2
    power: float = 0.0
    t: float = 0.0


SCHEDULES = {
    "dense": Schedule(60, 4_000),
    "dense, ties": Schedule(60, 4_000, t=0.5),
    "four matches each": Schedule(1_000, 2_000),
    "two matches each": Schedule(2_000, 2_000),
    "few play much": Schedule(500, 3_000, power=1.0, t=0.3),
    "tables of four": Schedule(400, 1_000, per_match=4),
}


class Case(NamedTuple):
    """One simulated record."""

    schedule: str
    sigma: float
    seed: int


def simulate(case: Case) -> Matches:
    """A record whose performances are normal."""
    rng = np.random.default_rng([case.seed, 19])
    schedule = SCHEDULES.get(case.schedule)
    if schedule is None:
        seats = _poker().pairs
        player, t = np.column_stack((seats.first, seats.second)), 0.0
    else:
        player, t = _sit_down(schedule, rng), schedule.t
    skill = case.sigma * rng.standard_normal(int(player.max()) + 1)
    performance = skill[player] + rng.standard_normal(player.shape)
    if player.shape[1] > 2:
        starts = np.arange(0, player.size + 1, player.shape[1])
        return Matches.of_seats(starts, player.ravel(), -performance.ravel())
    lead = performance[:, 0] - performance[:, 1]
    halves = np.where(np.abs(lead) <= t, 1, 1 + np.sign(lead)).astype(np.int8)
    return Matches.of_pairs(player[:, 0], player[:, 1], halves)


def _sit_down(schedule: Schedule, rng: np.random.Generator) -> Any:
    """Everybody equally often, or by a power of their rank; nobody twice at one table."""
    n, size = schedule.players, schedule.per_match
    if schedule.power:
        share = np.arange(1, n + 1) ** -schedule.power
        player = rng.choice(n, (schedule.matches, size), p=share / share.sum())
    else:
        rounds = -(-size * schedule.matches // n)
        player = np.concatenate([rng.permutation(n) for _ in range(rounds)])[: size * schedule.matches]
        player = player.reshape(-1, size)
    ordered = np.sort(player, axis=1)
    return player[(np.diff(ordered, axis=1) > 0).all(axis=1)]


def _poker() -> Matches:
    return keep_connected(read_matches(POKER, where="site = 'PTY'")).matches


def run(case: Case) -> list[float]:
    """Variance, its ends, L and its ends, l2 and its ends; L and l2 of penalised skills for the first records."""
    matches = simulate(case)
    per_match = int(matches.sizes.max())
    found = correct_luck(matches, per_match=per_match) if per_match == 2 else _correct_tables(matches, per_match)
    values = [found.variance, *found.variance_interval, found.luck, *found.luck_interval, found.l2, *found.l2_interval]
    if case.seed >= FITTED:
        return [*values, np.nan, np.nan]
    skills = fit_skills(matches, ridge=RIDGE) if per_match == 2 else fit_orders(matches, ridge=RIDGE)
    return [*values, measure_entropy_luck(skills, per_match=per_match).luck, skills.l2()]


def _correct_tables(matches: Matches, per_match: int) -> CorrectedLuck:
    """As `measure` does: with draws, but only where they would be used."""
    start = score_without_skill(matches)
    drawn = None
    if start.slope > CLEAR * start.information**0.5:
        drawn = measure_population(matches, method="sampler", ess=DRAWS, compare_prior=False)
    return correct_luck(matches, population=drawn, per_match=per_match)


def study(name: str, sigma: float, crew: Crew) -> dict[str, Any]:
    """Means, SDs and coverage of one cell."""
    runs = COINS if sigma == 0 else GAMES
    values = np.array(crew.map(run, [Case(name, sigma, seed) for seed in range(runs)]))
    tied = [simulate(Case(name, sigma, seed)).draw_rate or 0.0 for seed in range(3)]
    size = SCHEDULES[name].per_match if name in SCHEDULES else 2
    truth = population_luck(sigma**2, ties=float(np.mean(tied)) if size == 2 else 0.0, per_match=size)
    variance, luck, l2 = values[:, :3], values[:, 3:6], values[:, 6:9]
    true_l2 = 1 / (1 + sigma**2)
    return {
        "runs": runs,
        "L": truth,
        "L_mean": float(luck[:, 0].mean()),
        "L_sd": float(luck[:, 0].std(ddof=1)),
        "L_clipped": float(np.minimum(luck[:, 0], 1).mean()),
        "l2": true_l2,
        "l2_mean": float(l2[:, 0].mean()),
        "l2_sd": float(l2[:, 0].std(ddof=1)),
        "covered": float(((variance[:, 1] <= sigma**2) & (sigma**2 <= variance[:, 2])).mean()),
        "L_penalised": float(np.nanmean(values[:, 9])),
        "l2_penalised": float(np.nanmean(values[:, 10])),
    }


def main() -> None:
    """All cells, or those whose schedules are named."""
    words = sys.argv[1:]
    jobs = int(words.pop(0)) if words and words[0].isdigit() else 1
    crew, names = Crew(jobs), words or [*SCHEDULES, *(["a poker site"] if POKER.exists() else [])]
    results = stored("luck")
    for name in names:
        for sigma in SIGMAS:
            found = study(name, sigma, crew)
            results[f"{name}, {sigma:g}"] = found
            print(name, sigma, {key: round(value, 4) for key, value in found.items()}, flush=True)
            store("luck", results)


if __name__ == "__main__":
    main()
