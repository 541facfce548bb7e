"""Do the 95% intervals cover? Simulated games with a known truth, inside the families that are inverted and outside.

    sh benchmarks/run.sh intervals [--jobs N] [--kinds chess,drift] [--schedules dense] [--games N] [--only-print]

Three kinds of schedules, a fresh one for each game: dense (200 players, 10,000 matches at random), sparse (2,000
players, 12,000 matches, the r-th most active in proportion to r^-0.8) and tables (200 players, 1,200 matches of 3 to 12
with linear prizes). The truth for x is the x that was played; for
the SD and for k it is the mean over many repeated plays of the same schedule by the same players. Truths outside the
families, on the sparse schedule: heavy-tailed skills, drifting skills, draws, opponents of similar strength; there x
has no true value where results are logistic, and is shown beside that of normal, constant skills without draws. Writes
benchmarks/results/intervals.json after each block of games, unless it shall only print.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.families import Deterministic, Family, Mixed, Skilled
from ludometer.measurement.benchmarks.inversion import Inversion, Target, invert
from ludometer.measurement.benchmarks.yardstick import make_schedule, repeat_play
from ludometer.measurement.record.pairing import study_pairing
from ludometer.ratings.prizes import make_prizes
from ludometer.ratings.replicates import Schedule, fit_replicates
from ludometer.scale import expected_score
from schedules import POWER, REGULAR, Crew, meet_at_tables, meet_closest, meet_random, observe, play, store, stored

SCHEDULES = {"dense": (200, 10_000, 0.0), "sparse": (2_000, 12_000, POWER), "tables": (200, 1_200, 0.0)}
"""Players, matches, and the power of their activity."""

MOST_AT_TABLES = 12
SHARES = (10.0, 20.0, 40.0, 60.0)
SPREADS = (40.0, 80.0, 160.0)
"""SDs of skill in Elo points, for games with logistic results."""

GAMES = {"deterministic": 1_000, "chess": 400}
N_OUTSIDE, BLOCK = 300, 100
REPLICATES, FEW_REPLICATES = 119, 39
REPEATS, AT_ONCE = 96, 8
"""Repeated plays that make a truth: their mean is off by a tenth of a standard error. How many share a pass."""

DRIFT = 0.5
"""The SD of how far a skill moves over all of a player's matches, in SDs of skill."""

Row = dict[str, float]
Again = Callable[[int], Any]
"""The number of a play → results of the same players on the same schedule."""


class Task(NamedTuple):
    """One simulated game."""

    kind: str
    schedule: str
    number: int


def inside(task: Task) -> Row:
    """An x%-deterministic game: x, the SD and k."""
    schedule, skill, x = _begin(task)
    target, again = _played(schedule, Deterministic(), skill, x, task)
    return {"true_x": x, **_x_of(target, Deterministic(), task), **_repetition(target, again, 0.0, task)}


def chess(task: Task) -> Row:
    """An x%-chess game: x."""
    schedule, skill, x = _begin(task)
    target, _ = _played(schedule, Mixed(), skill, x, task)
    return {"true_x": x, **_x_of(target, Mixed(), task)}


def heavy_tails(task: Task) -> Row:
    """Skills by Student's t with three degrees of freedom, logistic results."""
    schedule, skill, _ = _begin(task)
    sd = SPREADS[task.number % len(SPREADS)]
    heavy = _rng(task, 5).standard_t(3, len(skill)) / np.sqrt(3)
    target, again = _played(schedule, Skilled(), heavy, sd, task)
    return {"true_sd": sd, **_moved(target, schedule, skill, sd, task), **_repetition(target, again, 0.0, task)}


def drift(task: Task) -> Row:
    """Skills that walk at random from match to match, logistic results."""
    schedule, skill, _ = _begin(task)
    sd = SPREADS[task.number % len(SPREADS)]
    ours, theirs = _walk(schedule, skill, _rng(task, 5))
    expected = expected_score(sd * (ours - theirs))

    def again(number: int) -> Any:
        return 2 * (_rng(task, 6, number).random(len(expected)) < expected).astype(np.int8)

    target = observe(schedule, schedule.matches.counts >= REGULAR, again(0))
    # the mean over a walk of the variance that it adds
    constant = sd * np.sqrt(1 + DRIFT**2 / 2)
    return {"true_sd": sd, **_moved(target, schedule, skill, constant, task), **_repetition(target, again, 0.0, task)}


def draws(task: Task) -> Row:
    """30% draws, logistic results."""
    schedule, skill, _ = _begin(task)
    sd = SPREADS[task.number % len(SPREADS)]
    target, again = _played(schedule, Skilled(0.3), skill, sd, task)
    rate = float((again(0) == 1).mean())
    return {"true_sd": sd, **_moved(target, schedule, skill, sd, task), **_repetition(target, again, rate, task)}


def assortative(task: Task) -> Row:
    """x%-deterministic, the opponent being the nearer in strength of two: as if at random, and with players alike."""
    n_players, n_matches, _ = SCHEDULES[task.schedule]
    rng, x = _rng(task, 0), SHARES[task.number % len(SHARES)]
    skill = rng.standard_normal(n_players)
    schedule = make_schedule(meet_closest(skill, n_matches, candidates=2, rng=rng))
    target, again = _played(schedule, Deterministic(), skill, x, task)
    pairs = schedule.matches.pairs
    pairing = study_pairing(
        Matches(schedule.matches.players, Pairs(pairs.first, pairs.second, again(0))), seed=[task.number]
    )
    alike = replace(target, skills=pairing.skills)
    truth = _truth(target, again)
    row = {"true_x": x, "detected": float(pairing.detected), "correlation": pairing.correlation}
    for name, one in (("as_if_random_", target), ("", alike)):
        parts = {**_x_of(one, Deterministic(), task), **_repetition(one, again, 0.0, task, truth)}
        row |= {f"{name}{part}": value for part, value in parts.items()}
    return row


def _rng(task: Task, *purpose: int) -> np.random.Generator:
    return np.random.default_rng(
        [list(PARTS).index(task.kind), list(SCHEDULES).index(task.schedule), task.number, *purpose]
    )


def _begin(task: Task) -> tuple[Schedule, Floats, float]:
    """A schedule, standard normal skills, and the true x."""
    n_players, n_matches, power = SCHEDULES[task.schedule]
    rng = _rng(task, 0)
    if task.schedule == "tables":
        schedule = make_schedule(
            meet_at_tables(n_players, n_matches, most=MOST_AT_TABLES, rng=rng), make_prizes("linear")
        )
    else:
        schedule = make_schedule(meet_random(n_players, n_matches, power=power, rng=rng))
    return schedule, rng.standard_normal(n_players), SHARES[task.number % len(SHARES)]


def _played(schedule: Schedule, family: Family, skill: Floats, value: float, task: Task) -> tuple[Target, Again]:
    """The record, which is play number 0, and all other plays."""
    place = list(PARTS).index(task.kind), list(SCHEDULES).index(task.schedule), task.number

    def again(number: int) -> Any:
        return play(schedule, family, skill, value, [*place, 1, number])

    return observe(schedule, schedule.matches.counts >= REGULAR, again(0)), again


def _x_of(target: Target, family: Family, task: Task) -> Row:
    found = invert(target, family, replicates=REPLICATES, seed=[11, task.number])
    low, high = found.interval
    return {"x": found.estimate, "x_low": low, "x_high": high}


def _moved(target: Target, schedule: Schedule, skill: Floats, sd: float, task: Task) -> Row:
    """x%-deterministic of the game, and of normal skills that stay, without draws, at this SD on the same schedule."""
    usual, _ = _played(schedule, Skilled(), skill, sd, task)
    x, usual_x = (
        invert(one, Deterministic(), replicates=FEW_REPLICATES, seed=[11, task.number]).estimate
        for one in (target, usual)
    )
    return {"x": x, "usual_x": usual_x, "usual_sd": usual.sd}


def _repetition(target: Target, again: Again, rate: float, task: Task, truth: Row | None = None) -> Row:
    """The intervals of the SD and of k, and what they should cover."""
    skill: Inversion = invert(target, Skilled(rate), replicates=FEW_REPLICATES, seed=[12, task.number])
    mixed: Inversion = invert(target, Deterministic(), replicates=FEW_REPLICATES, seed=[14, task.number])
    repetition = repeat_play(
        target,
        skill,
        deterministic=mixed,
        groups=target.counted[np.newaxis],
        sds=[target.sd],
        draws=rate,
        seed=[13, task.number],
    )
    none = (np.nan, np.nan)
    sd_interval, k_interval = repetition.sd_intervals[0] or none, repetition.k_interval or none
    row = {"sd": target.sd, "k": target.k, **(truth or _truth(target, again)), "skill": skill.estimate}
    for name, (low, high) in (("sd", sd_interval), ("k", k_interval), ("skill", skill.interval)):
        row |= {f"{name}_low": float(low), f"{name}_high": float(high)}
    return row


def _truth(target: Target, again: Again) -> Row:
    """Mean SD and k over repeated plays."""
    sds: list[float] = []
    steps: list[float] = []
    for start in range(1, 1 + REPEATS, AT_ONCE):
        results = np.column_stack([again(number) for number in range(start, start + AT_ONCE)])
        guess = np.full(AT_ONCE, max(target.k, 0.5))
        fit = fit_replicates(target.schedule, results, counted=target.counted, guess=guess)
        sds += fit.sd.tolist()
        steps += fit.k.tolist()
    return {"mean_sd": float(np.mean(sds)), "mean_k": float(np.mean(steps)), "sd_by_chance": float(np.std(sds, ddof=1))}


def _walk(schedule: Schedule, skill: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The skills of first and second players at each match."""
    pairs, counts = schedule.matches.pairs, schedule.matches.counts
    seats = np.column_stack((pairs.first, pairs.second)).ravel()
    order = np.argsort(seats, kind="stable")
    steps = rng.standard_normal(len(seats)) * (DRIFT / np.sqrt(counts[seats[order]]))
    walked = np.cumsum(steps)
    begins = np.concatenate(([0.0], walked))[np.cumsum(counts) - counts]
    moved = np.empty(len(seats))
    moved[order] = walked - begins[seats[order]]
    ours, theirs = (skill[seats] + moved).reshape(-1, 2).T
    return ours, theirs


PARTS: dict[str, Callable[[Task], Row]] = {
    "deterministic": inside,
    "chess": chess,
    "heavy tails": heavy_tails,
    "drift": drift,
    "draws": draws,
    "assortative": assortative,
}
MEASURES = (
    ("x", "true_x", "x"),
    ("sd", "mean_sd", "sd"),
    ("k", "mean_k", "k"),
    ("as_if_random_x", "true_x", "as_if_random_x"),
    ("as_if_random_sd", "mean_sd", "as_if_random_sd"),
)
"""What has an interval, its truth, its estimate."""


def run_game(task: Task) -> Row:
    """One game of any part."""
    return PARTS[task.kind](task)


def cover(rows: list[Row], name: str, truth: str, estimate: str) -> dict[str, float]:
    """How often the interval holds the truth (one that is missing does not), on which side not, its width, the bias."""
    low, high, true, found = (
        np.array([row[column] for row in rows]) for column in (f"{name}_low", f"{name}_high", truth, estimate)
    )
    covered = float(((low <= true) & (true <= high)).mean())
    return {
        "coverage": round(covered, 4),
        "standard_error": round(float(np.sqrt(covered * (1 - covered) / len(rows))), 4),
        "too_high": round(float((true < low).mean()), 4),
        "too_low": round(float((true > high).mean()), 4),
        "mean_width": round(float(np.nanmean(high - low)), 3),
        "truth": round(float(true.mean()), 3),
        "bias": round(float((found - true).mean()), 3),
    }


def summarise(rows: list[Row]) -> dict[str, Any]:
    """All measures, in all and for each true x or SD of skills."""
    key = "true_x" if "true_x" in rows[0] else "true_sd"
    answer: dict[str, Any] = {"games": len(rows)}
    groups = {"all": rows}
    for value in sorted({row[key] for row in rows}):
        groups[f"{value:g}"] = [row for row in rows if row[key] == value]
    for label, group in groups.items():
        part: dict[str, Any] = {
            name: cover(group, name, truth, estimate)
            for name, truth, estimate in MEASURES
            if f"{name}_low" in group[0] and truth in group[0]
        }
        for name in ("x", "usual_x", "sd", "usual_sd", "sd_by_chance", "detected", "correlation"):
            if name in group[0] and name not in part:
                part[f"mean_{name}"] = round(float(np.mean([row[name] for row in group])), 3)
        if "sd" in group[0]:
            part["without_spread"] = sum(row["sd"] == 0 for row in group)
        answer[label] = part
    return answer


def show(name: str, summary: dict[str, Any]) -> None:
    """The coverage of each measure in a line."""
    for label, part in summary.items():
        if label == "games":
            continue
        words = [
            f"{measure} {row['coverage']:.1%} ± {row['standard_error']:.1%} "
            f"(-{row['too_low']:.1%} +{row['too_high']:.1%}; width {row['mean_width']:.1f}, bias {row['bias']:+.2f})"
            if isinstance(row, dict)
            else f"{measure} {row:g}"
            for measure, row in part.items()
        ]
        print(f"{name:22s} {summary['games']:5d} games  {label:>4s}:  {'   '.join(words)}", flush=True)


def main() -> None:
    """Simulate, print, store; parts that are not asked for stay as they are in the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(PARTS), help="kinds of games, with commas between them")
    parser.add_argument("--schedules", default=",".join(SCHEDULES), help="kinds of schedules")
    parser.add_argument("--games", type=int, help="how many games of each")
    parser.add_argument("--only-print", action="store_true", help="store nothing")
    asked = parser.parse_args()
    crew = Crew(asked.jobs)
    results = stored("intervals")
    for kind in asked.kinds.split(","):
        n_games = asked.games or GAMES.get(kind, N_OUTSIDE)
        for schedule in asked.schedules.split(",") if kind in GAMES else ("sparse",):
            tasks = [Task(kind, schedule, number) for number in range(n_games)]
            rows: list[Row] = []
            name = f"{kind}, {schedule}"
            for start in range(0, n_games, BLOCK):
                rows += crew.map(run_game, tasks[start : start + BLOCK])
                results[name] = summarise(rows)
                if not asked.only_print:
                    store("intervals", results)
                show(name, {"games": len(rows), "all": results[name]["all"]})
            show(name, results[name])


if __name__ == "__main__":
    main()
