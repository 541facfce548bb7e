"""The sampler of the population's spread: is it calibrated, do its intervals cover, how fast is it?

    sh benchmarks/run.sh population [jobs] [calibration|coverage|speed|whole ...] [cell ...]

Calibration is simulation-based (Talts et al. 2018): sigma and t drawn from the prior, results from them, and the rank
of the truth among 99 posterior draws, which has to be uniform; the printed sampler, with the prior of its own paper,
has to fail. Coverage is that of the 95% interval at a fixed sigma under the default prior, on a dense schedule (30
players, 600 matches), a sparse one (1,000 players, four matches each) and with two matches each, for 4,000 players and
for 150, of whom nobody can tell much. Speed is on the Kaggle chess record and on the first n matches of The Week in
Chess, "whole" until 400 effective draws on the latter; both in LUDOMETER_SHARED (default ../shared). Writes
benchmarks/results/population.json after each part.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from ludometer.arrays import Codes, Floats, Halves
from ludometer.kernels.gibbs.pairs import Chain, Model, Record, log_normal_table, no_rescaling, sweep_chain
from ludometer.kernels.gibbs.random_numbers import Word, make_word
from ludometer.matches import Matches
from ludometer.measurement.luck.population import make_prior
from ludometer.measurement.luck.sampler import Sampler, make_model, sample_population, tally_results
from ludometer.parallel import Workers
from ludometer.read import read_matches
from ludometer.selection import keep_connected
from schedules import Crew, store, stored

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")
SCHEDULES = {"dense": (30, 600), "sparse": (1_000, 2_000), "two each": (4_000, 4_000), "two each of 150": (150, 150)}
CALIBRATED = {"dense": (12, 120), "sparse": (40, 40), "long": (8, 1_500)}
RUNS, RUNS_OF_PRINTED, BINS, DRAWS = 600, 200, 10, 99
SIGMAS, COVERED = (0.05, 0.3, 1.0, 2.0), 500
EFFORT = {"dense": (400, 8_000), "sparse": (300, 8_000), "two each": (120, 4_000), "two each of 150": (150, 4_000)}
"""Effective draws wanted and sweeps at most; with two matches each and a large sigma the budget may end first."""

TOP, TIE_SD = 2.0, 1.0
"""Of the priors that truths are drawn from: uniform sigma, half-normal t."""

SWEEPS = 1_000
GROWTH = (65_000, 250_000, 1_000_000, None)
MODEL = make_model(make_prior("uniform:10"), tie_sd=5.0)
QUANTITIES = ("sigma", "t", "tie rate")

PLANS: tuple[tuple[Sampler, str, bool, int], ...] = (
    ("corrected", "dense", False, RUNS),
    ("corrected", "sparse", False, RUNS),
    ("corrected", "dense", True, RUNS),
    ("corrected", "sparse", True, RUNS),
    ("corrected", "long", True, RUNS_OF_PRINTED),
    ("printed", "sparse", False, RUNS_OF_PRINTED),
    ("printed", "sparse", True, RUNS_OF_PRINTED),
    ("printed", "long", True, RUNS_OF_PRINTED),
    ("printed-ties", "long", True, RUNS_OF_PRINTED),
)
"""Sampler, schedule, ties or none, records. The printed treatment of ties shows in long records of few players."""


class Case(NamedTuple):
    """One simulated record."""

    n_players: int
    n_matches: int
    seed: int
    schedule: str = "dense"
    sampler: Sampler = "corrected"
    has_ties: bool = False
    sigma: float | None = None


def simulate(n_players: int, n_matches: int, sigma: float, t: float, rng: np.random.Generator) -> Record:
    """A record of the model: everybody as often as everybody else, opponents at random."""
    seats = np.concatenate([rng.permutation(n_players) for _ in range(-(-2 * n_matches // n_players))])
    first, second = seats[: 2 * n_matches].reshape(2, -1).astype(np.int32)
    clash = first == second
    second[clash] = (first[clash] + 1 + rng.integers(0, n_players - 1, clash.sum())) % n_players
    return play(first, second, sigma * rng.standard_normal(n_players), t, rng)


def play(first: Codes, second: Codes, skill: Floats, t: float, rng: np.random.Generator) -> Record:
    """Results of players with these skills."""
    y = skill[first] - skill[second] + rng.normal(0, 2**0.5, len(first))
    halves: Halves = (1 + np.sign(y) * (np.abs(y) > t)).astype(np.int8)
    played = np.zeros(len(skill), bool)
    played[first] = played[second] = True
    code = np.cumsum(played) - 1
    return tally_results(code[first], code[second], halves, int(played.sum()))


def rank(case: Case) -> list[float]:
    """Where the true sigma, t and t / sqrt(1 + sigma^2), which tells the tie rate, lie among draws: from 0 to 99."""
    rng = np.random.default_rng([1, case.n_players, case.seed])
    prior = make_prior(f"uniform:{TOP:g}" if case.sampler == "corrected" else "invgamma:2,1")
    sigma, t = TOP * rng.random(), TIE_SD * abs(rng.standard_normal()) if case.has_ties else 0.0
    if case.sampler != "corrected":
        sigma = rng.gamma(2) ** -0.5
        p = rng.beta(2, 5)
        t = float(np.sqrt(2 * (1 + sigma**2)) * stats.norm.ppf((1 + p) / 2)) if case.has_ties else 0.0
    record = simulate(case.n_players, case.n_matches, sigma, t, rng)
    model = make_model(prior, sampler=case.sampler, tie_sd=TIE_SD * case.has_ties)
    sample = sample_population(record, model, chains=2, ess=250, budget=6_000, seed=case.seed)
    ranks = []
    rate, true_rate = sample.t / np.sqrt(1 + sample.sigma**2), t / np.sqrt(1 + sigma**2)
    for draws, truth in ((sample.sigma, sigma), (sample.t, t), (rate, true_rate)):
        thinned = draws.ravel()[np.linspace(0, draws.size - 1, DRAWS).astype(int)]
        ranks.append(float((thinned < truth).sum()))
    return ranks


def cover(case: Case) -> list[float]:
    """Whether the interval of sigma has the true one in it, and how wide that of l2 is."""
    assert case.sigma is not None
    rng = np.random.default_rng([2, case.n_players, int(100 * case.sigma), case.seed])
    record = simulate(case.n_players, case.n_matches, case.sigma, 0.0, rng)
    model = make_model(make_prior("uniform:10"))
    ess, budget = EFFORT[case.schedule]
    sample = sample_population(record, model, chains=2, ess=ess, budget=budget, seed=case.seed)
    low, high = np.quantile(sample.sigma, [0.025, 0.975])
    return [float(low <= case.sigma <= high), float(1 / (1 + low**2) - 1 / (1 + high**2)), float(sample.converged)]


def calibration(crew: Crew) -> dict[str, Any]:
    """Rank histograms, and the p-value of their being uniform."""
    answer: dict[str, Any] = {}
    for sampler, schedule, has_ties, runs in PLANS:
        cases = [Case(*CALIBRATED[schedule], seed, schedule, sampler, has_ties) for seed in range(runs)]
        ranks = np.array(crew.map(rank, cases))
        name = f"{sampler}, {schedule}, {'with' if has_ties else 'without'} ties"
        answer[name] = {}
        for column, quantity in enumerate(QUANTITIES if has_ties else QUANTITIES[:1]):
            counts = np.histogram(ranks[:, column], BINS, (-0.5, DRAWS + 0.5))[0]
            p = float(stats.chisquare(counts).pvalue)
            answer[name][quantity] = {"p_value": float(f"{p:.3g}"), "counts": counts.tolist()}
            print(f"{name:38s} {quantity:8s} p {p:8.3g}   {counts.tolist()}", flush=True)
    return answer


def coverage(crew: Crew) -> dict[str, Any]:
    """How often the 95% interval has the truth in it; stored after each cell, and not done again if it is there.

    Cells named on the command line, such as "sparse, sigma 1", are done alone.
    """
    wanted = [word for word in sys.argv if ", sigma " in word]
    for schedule, (n_players, n_matches) in SCHEDULES.items():
        for sigma in SIGMAS:
            name = f"{schedule}, sigma {sigma:g}"
            if name in stored("population").get("coverage", {}) or (wanted and name not in wanted):
                continue
            cases = [Case(n_players, n_matches, seed, schedule, sigma=sigma) for seed in range(COVERED)]
            covered, width, converged = np.array(crew.map(cover, cases)).mean(axis=0)
            cell = {"covered": covered, "width_of_l2": round(width, 3), "converged": round(converged, 4)}
            before = stored("population")
            store("population", before | {"coverage": before.get("coverage", {}) | {name: cell}})
            print(f"{name:24s} covered {covered:.1%}   width of l2 {width:.3f}   converged {converged:.0%}", flush=True)
    return dict(stored("population").get("coverage", {}))


def speed(crew: Crew) -> dict[str, Any]:
    """Milliseconds of one processor for a sweep and, on the smaller record, for an effective draw of sigma."""
    del crew
    answer: dict[str, Any] = {}
    for name, least, sizes in (("chess_kaggle2010", 5, (None,)), ("chess_twic", None, GROWTH)):
        path = SHARED / "data" / f"{name}.parquet"
        if not path.exists():
            print(f"{name}: not here (LUDOMETER_SHARED)")
            continue
        matches = read_matches(path)
        for size in sizes:
            kept = keep_connected(matches.part(0, size or len(matches)), min_players=least).matches
            row = {"matches": len(kept), "players": len(kept.players)} | time_record(kept, draws=least is not None)
            answer[name if size is None else f"{name}, first {size:,}"] = row
            print(name, row, flush=True)
    return answer


def time_record(matches: Matches, *, draws: bool) -> dict[str, Any]:
    """Of one record."""
    record = tally(matches)
    milliseconds = time_sweep(record, MODEL)
    row: dict[str, Any] = {"ms_per_sweep": round(milliseconds, 2)}
    row["ns_per_match_and_sweep"] = round(1e6 * milliseconds / len(matches), 1)
    if draws:
        sample = sample_population(record, MODEL, chains=2, ess=1e9, budget=200 + SWEEPS)
        per_draw = sample.sigma.size / sample.ess[0]
        row["sweeps_per_effective_sigma"] = round(per_draw, 2)
        row["ms_per_effective_sigma"] = round(per_draw * milliseconds, 1)
    return row


def whole(crew: Crew) -> dict[str, Any]:
    """The Week in Chess until 400 effective draws, four chains on two processors: seconds by the clock."""
    del crew
    path = SHARED / "data" / "chess_twic.parquet"
    if not path.exists():
        print("chess_twic: not here (LUDOMETER_SHARED)")
        return {}
    record = tally(keep_connected(read_matches(path)).matches)
    time_sweep(record, MODEL, 1, 1)
    started = time.perf_counter()
    sample = sample_population(record, MODEL, chains=4, ess=400, budget=4_000, workers=Workers(2))
    answer = {
        "seconds": round(time.perf_counter() - started),
        "l2": round(float((1 / (1 + sample.sigma**2)).mean()), 4),
        "t": round(float(sample.t.mean()), 4),
        "ess": [round(value) for value in sample.ess],
        "rhat": [round(value, 4) for value in sample.rhat],
        "sweeps": sample.sweeps,
    }
    print(answer)
    return answer


def tally(matches: Matches) -> Record:
    """The record as the kernels have it."""
    pairs = matches.pairs
    return tally_results(pairs.first, pairs.second, pairs.halves, len(matches.players))


def time_sweep(record: Record, model: Model, n_sweeps: int = 3, rounds: int = 10) -> float:
    """The fastest of several rounds, after some sweeps to get near the posterior, in milliseconds."""
    chain = Chain(np.zeros(len(record.starts) - 1), np.array([0.7, 0.9]), np.zeros(3), np.zeros(2))
    word, table, times = make_word(np.random.SeedSequence(0)), log_normal_table(), []
    draws, sums = np.empty((n_sweeps, 2)), np.zeros((2, len(chain.skill)))
    for adapts in [True] * 5 + [False] * rounds:
        started = time.process_time()
        word = Word(sweep_chain(record, model, no_rescaling(), chain, word, table, adapts, np.empty(0), draws, sums))
        times.append(time.process_time() - started)
    return 1e3 * min(times[5:]) / n_sweeps


def main() -> None:
    """Run the parts that are asked for."""
    crew = Crew(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    parts = {"calibration": calibration, "coverage": coverage, "speed": speed, "whole": whole}
    for name in [word for word in sys.argv[2:] if ", sigma " not in word] or parts:
        started = time.perf_counter()
        answer = parts[name](crew)
        store("population", stored("population") | {name: answer})
        print(f"{name}: {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
