"""Is the x of a simulated x%-deterministic game recovered from its results? Sparse schedules, matchmaking, pools.

    sh benchmarks/run.sh recovery [jobs]

Players are as active as a power law says; only those with 25 matches count. First opponents are drawn at random: x by
the matched yardstick, and off the published line. Then an opponent is the nearest in strength of several candidates, or
comes from the same pool: what the schedule alone tells, and x with and without simulated players who are paired alike,
for x%-deterministic and for x%-chess, in which it matters how far apart opponents are and not only who is better.
Writes benchmarks/results/recovery.json after each part.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.families import Deterministic, Family, Mixed
from ludometer.measurement.benchmarks.inversion import Target, invert
from ludometer.measurement.benchmarks.published import published_x
from ludometer.measurement.benchmarks.yardstick import make_schedule
from ludometer.measurement.record.pairing import Pairing, find_structure, study_pairing
from schedules import POWER, REGULAR, Crew, meet_closest, meet_in_pools, meet_random, observe, play, store

SCHEDULES = ((5_000, 50_000), (20_000, 60_000))
SHARES = (10.0, 20.0, 40.0)
SEEDS, SEEDS_OF_PAIRINGS = 20, 5
REPLICATES, REPLICATES_OF_PAIRINGS = 39, 32
CANDIDATES = (1, 2, 3, 8)
GAMES: dict[str, tuple[Family, float]] = {"deterministic": (Deterministic(), 40.0), "chess": (Mixed(), 60.0)}
"""Played with matchmaking and in pools: the family, and the true x."""

N_POOLS = 10


class Task(NamedTuple):
    """One simulated game."""

    kind: str
    n_players: int
    n_matches: int
    x: float
    seed: int
    candidates: int = 1
    game: str = "deterministic"


def recover(task: Task) -> dict[str, float]:
    """x of one game with random opponents: matched, and off the published line."""
    rng = np.random.default_rng([1, task.n_players, int(task.x), task.seed])
    matches = meet_random(task.n_players, task.n_matches, power=POWER, rng=rng)
    course, skill = make_schedule(matches), rng.standard_normal(task.n_players)
    results = play(course, Deterministic(), skill, task.x, [2, int(task.x), task.seed])
    target = observe(course, matches.counts >= REGULAR, results)
    matched = invert(target, Deterministic(), replicates=REPLICATES, seed=[3, task.seed])
    low, high = matched.interval
    read_off = published_x(target.sd)[0]
    return {
        "matched": matched.estimate,
        "published": np.nan if read_off is None else read_off,
        "covered": float(low <= task.x <= high),
        "sd": target.sd,
    }


def recover_paired(task: Task) -> dict[str, float]:
    """What the schedule tells, and x with players paired alike, with players in a random order, with the true ones."""
    rng = np.random.default_rng([4, task.n_players, task.candidates, task.seed])
    skill = rng.standard_normal(task.n_players)
    schedule = _schedule(task, skill, rng)
    course = make_schedule(schedule)
    family = GAMES[task.game][0]
    results = play(course, family, skill, task.x, [5, task.candidates, task.seed])
    pairs = schedule.pairs
    played = Matches(schedule.players, Pairs(pairs.first, pairs.second, results))
    target = observe(course, schedule.counts >= REGULAR, results)
    pairing = study_pairing(played, seed=[6, task.seed])
    structure = find_structure(schedule, rng=np.random.default_rng(task.seed))

    def solve(orders: Floats | None) -> float:
        target_here = Target(course, target.counted, target.sd, target.k, orders)
        return invert(target_here, family, replicates=REPLICATES_OF_PAIRINGS, seed=[7, task.seed]).estimate

    uncorrected = solve(None)
    return {
        **_verdict(pairing),
        "true_correlation": float(np.corrcoef(skill[pairs.first], skill[pairs.second])[0, 1]),
        "closeness": structure.closeness,
        "corrected": uncorrected if pairing.skills is None else solve(pairing.skills),
        "uncorrected": uncorrected,
        "true_order": solve(skill[:, np.newaxis]),
    }


def _schedule(task: Task, skill: Floats, rng: np.random.Generator) -> Matches:
    if task.kind == "closest":
        return meet_closest(skill, task.n_matches, candidates=task.candidates, rng=rng)
    place = skill.argsort().argsort() if task.kind == "pools by strength" else rng.permutation(task.n_players)
    return meet_in_pools((place * N_POOLS // task.n_players).astype(np.int32), task.n_matches, rng=rng)


def _verdict(pairing: Pairing) -> dict[str, float]:
    return {
        "detected": float(pairing.detected),
        "correlation": pairing.correlation,
        "directions": float(pairing.n_directions),
        "sound": float(pairing.is_sound),
        "follows_schedule": float(pairing.skills is not None),
    }


def summarise(rows: list[dict[str, float]]) -> dict[str, float]:
    """Means over seeds, and how far one estimate is from another."""
    summary = {name: round(float(np.nanmean([row[name] for row in rows])), 3) for name in rows[0]}
    for name in ("matched", "published", "corrected", "uncorrected"):
        if name in rows[0]:
            summary[f"{name}_sd"] = round(float(np.nanstd([row[name] for row in rows], ddof=1)), 3)
    return summary


def random_opponents(crew: Crew) -> dict[str, Any]:
    """Recovery on power-law schedules."""
    answer: dict[str, Any] = {}
    for n_players, n_matches in SCHEDULES:
        for x in SHARES:
            tasks = [Task("random", n_players, n_matches, x, seed) for seed in range(SEEDS)]
            row = summarise(crew.map(recover, tasks))
            answer[f"{n_players} players, {n_matches} matches, {x:g}%"] = row
            print(
                f"{n_players:6,d} players {n_matches:6,d} matches   true {x:2g}%   matched {row['matched']:5.2f} "
                f"± {row['matched_sd']:.2f}   published line {row['published']:5.2f}   (wanted: within 1.5)",
                flush=True,
            )
    return answer


def pairings(game: str, crew: Crew) -> dict[str, Any]:
    """Matchmaking by strength, and pools."""
    kinds = [("closest", candidates) for candidates in CANDIDATES]
    kinds += [("pools unrelated to strength", 1), ("pools by strength", 1)]
    answer: dict[str, Any] = {}
    x = GAMES[game][1]
    for n_players, n_matches in SCHEDULES:
        for kind, candidates in kinds:
            tasks = [Task(kind, n_players, n_matches, x, seed, candidates, game) for seed in range(SEEDS_OF_PAIRINGS)]
            row = summarise(crew.map(recover_paired, tasks))
            name = f"closest of {candidates}" if kind == "closest" else kind
            answer[f"{n_players} players, {n_matches} matches, {name}"] = row
            print(
                f"{n_players:6,d} players   {name:28s} detected {row['detected']:.0%}   sound {row['sound']:.0%}   "
                f"correlation {row['correlation']:.2f} (true {row['true_correlation']:.2f}, "
                f"schedule {row['closeness']:.2f}, {row['directions']:.1f} directions)   {x:g}% {game}: "
                f"{row['corrected']:5.1f} ± {row['corrected_sd']:.1f}   uncorrected {row['uncorrected']:5.1f}   "
                f"true order {row['true_order']:5.1f}",
                flush=True,
            )
    return answer


def main() -> None:
    """Measure, print, store."""
    crew = Crew(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    results: dict[str, Any] = {"random": random_opponents(crew)}
    store("recovery", results)
    for game in GAMES:
        results[f"pairings, {GAMES[game][1]:g}% {game}"] = pairings(game, crew)
        store("recovery", results)


if __name__ == "__main__":
    main()
