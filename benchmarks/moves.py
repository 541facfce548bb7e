"""Do the 95% intervals of strengths from moves cover? Simulated games whose gains have known distributions.

    sh benchmarks/run.sh moves [runs of each kind]

A player's form changes from game to game (SD of the logarithm of the mean loss 0.5, half of it common to both players)
and with it the share of moves that keep the evaluation. Truths are those of 4,000 games of each player. Kinds: a round
robin of nine; two-player matches over some games; a knockout whose pairs have their own distributions; a calibration of
40 players at a slope of 0.083, applied to new players. Writes benchmarks/results/moves.json.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.chess.record.evaluations import EvaluatedGame, Evaluations
from ludometer.chess.strength.calibration import make_calibration
from ludometer.chess.strength.strengths import measure_strengths, solve_strengths
from ludometer.moves.gains import expected_score, rating_difference
from ludometer.moves.pairs import Distribution
from ludometer.moves.uncertainty import Intervals
from schedules import store

RUNS, MOVES, FORM, REPLICATES = 200, 40, 0.5, 400
TRUTH_GAMES = 4_000
SLOPE, SCATTER = 0.083, 6.0

Schedule = Sequence[tuple[int, int]]


def draw_gains(rng: np.random.Generator, loss: float, common: float) -> Codes:
    """The gains of one player in one game."""
    form = np.exp(common + rng.normal(0, FORM))
    kind = rng.random(MOVES)
    gain = -np.rint(rng.exponential(loss * form, MOVES))
    gain[kind < 0.35 / (1 + 0.3 * form)] = 0
    up = kind > 0.88
    gain[up] = np.rint(rng.exponential(8, int(up.sum())))
    return gain.astype(np.int32)


def draw_common(rng: np.random.Generator) -> float:
    """The effect of a game on the form of both players."""
    return float(rng.normal(0, FORM / 2))


def play(rng: np.random.Generator, losses: Floats, schedule: Schedule) -> Evaluations:
    """A game for each pair of the schedule."""
    games = []
    for number, (i, j) in enumerate(schedule):
        common = draw_common(rng)
        step = np.empty(2 * MOVES)
        step[::2], step[1::2] = draw_gains(rng, losses[i], common), -draw_gains(rng, losses[j], common)
        games.append(EvaluatedGame(str(number), str(i), str(j), np.cumsum([13, *step]).tolist()))
    return Evaluations.of_games(games)


def cover_strengths(losses: Floats, schedule: Schedule, distribution: Distribution, runs: int) -> dict[str, Any]:
    """How often the intervals of strengths, pairs and differences to the engine hold the truth."""
    rng = np.random.default_rng(1)
    whole = [np.concatenate([draw_gains(rng, x, draw_common(rng)) for _ in range(TRUTH_GAMES)]) for x in losses]
    d = np.array([[float(rating_difference(expected_score(a, b))) for b in whole] for a in whole])
    engine = np.array([float(rating_difference(expected_score(a, np.zeros(1)))) for a in whole])
    first, second = np.array(sorted({(min(pair), max(pair)) for pair in schedule}), np.int32).T
    truth = solve_strengths(first, second, d[first, second], len(losses))
    hits: dict[str, list[Any]] = {"strength": [], "pair": [], "against_engine": []}
    widths = []
    for run in range(runs):
        found = measure_strengths(
            play(rng, losses, schedule),
            distribution=distribution,
            intervals=Intervals(replicates=REPLICATES, min_games=2, seed=run),
        )
        code = np.array([int(name) for name in found.names])
        hits["strength"].append((found.low <= truth[code]) & (truth[code] <= found.high))
        pairs, against = found.pairs, found.against_engine
        real = d[code[pairs.first], code[pairs.second]]
        hits["pair"].append((pairs.low <= real) & (real <= pairs.high))
        hits["against_engine"].append((against.low <= engine[code]) & (engine[code] <= against.high))
        widths.append(found.high - found.low)
    shares = {f"{name}_coverage": round(float(np.mean(np.concatenate(hit))), 4) for name, hit in hits.items()}
    # intervals of one run depend on each other: the error is that of runs
    error = np.std([np.mean(hit) for hit in hits["strength"]], ddof=1) / np.sqrt(runs)
    return {"runs": runs, **shares, "standard_error": round(float(error), 4), "mean_width": _mean(widths)}


def cover_calibration(runs: int) -> dict[str, Any]:
    """How often prediction intervals hold the ratings of new players, and what the held-out check says."""
    rng = np.random.default_rng(2)
    hits, held, slopes, refused = [], [], [], 0
    for _ in range(runs):
        found = make_calibration(tuple(str(k) for k in range(40)), *_units(rng))
        slopes.append(found.slope[0])
        held.append(found.held_out.coverage)
        for rating, difference, error in zip(*_units(rng), strict=True):
            refused += found.predict(difference, error).elo is None
            low, high = found.fit.invert_interval(difference, error, found.range, 0.95)
            hits.append((low is None or low <= rating) and (high is None or rating <= high))
    return {
        "runs": runs,
        "coverage": round(float(np.mean(hits)), 4),
        "held_out_coverage": _mean([np.array([share]) for share in held if share is not None], 4),
        "refused": round(refused / len(hits), 4),
        "true_slope": SLOPE,
        "mean_slope": round(float(np.mean(slopes)), 4),
    }


def _units(rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    rating, error = rng.uniform(1800, 2700, 40), rng.uniform(5, 20, 40)
    return rating, -250 + SLOPE * (rating - 1800) + rng.normal(0, SCATTER, 40) + rng.normal(0, error), error


def _mean(parts: Sequence[Floats], digits: int = 1) -> float:
    return round(float(np.mean(np.concatenate(parts))), digits)


def main(runs: int) -> None:
    """All kinds, stored as they come."""
    robin = [(i, j) if (i + j) % 2 else (j, i) for i in range(9) for j in range(i)]
    kinds: dict[str, tuple[Floats, Schedule, Distribution]] = {
        "round robin of nine": (np.linspace(15, 40, 9), robin, "player"),
        **{
            f"match of {n} games": (np.array([15.0, 40.0]), [(0, 1), (1, 0)] * (n // 2), "player")
            for n in (2, 4, 6, 12)
        },
        "knockout, 4 games per pair": (np.linspace(15, 40, 4), [(0, 1), (2, 3), (0, 2)] * 4, "pair"),
    }
    results: dict[str, Any] = {}
    for name, (losses, schedule, distribution) in kinds.items():
        results[name] = cover_strengths(losses, schedule, distribution, runs)
        store("moves", results)
        print(name, results[name], flush=True)
    results["calibration"] = cover_calibration(max(2, runs // 5))
    store("moves", results)
    print("calibration", results["calibration"])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
