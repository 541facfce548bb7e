"""The spread of a population without draws: how far is it from the sampler's, does it cover, what does it cost?

    sh benchmarks/run.sh evidence [jobs] [errors|coverage|records ...]

Errors are those of l2 against long chains of the sampler, in posterior SDs, over the grid of the sampler's coverage
study (benchmarks/population.py), with and without ties, and on a league where each pair meets 20 times; beside them the
bound that the result states. Coverage is that of the 95% interval of sigma at a fixed sigma. Records are tennis and
chess from LUDOMETER_SHARED (default ../shared): processor seconds for the whole record and both halves. Writes
benchmarks/results/evidence.json after each cell.
"""

from __future__ import annotations

import sys
import time
from typing import Any, NamedTuple

import numpy as np

from ludometer.arrays import Codes, Halves
from ludometer.kernels.evidence.pairs import PairTable
from ludometer.measurement.luck.evidence import PairGame, integrate, tally_pairs
from ludometer.measurement.luck.population import make_prior
from ludometer.measurement.luck.sampler import make_model, sample_population, tally_results
from ludometer.read import read_matches
from ludometer.selection import keep_connected
from population import SCHEDULES, SHARED
from schedules import Crew, store, stored

LEAGUES = SCHEDULES | {"league of 20": (20, 3_800), "hundred each": (300, 15_000)}
SIGMAS, COVERED_SIGMAS = (0.3, 1.0, 2.0), (0.05, 0.3, 1.0, 2.0)
RUNS, COVERED, MATCHES, ESS, BUDGET = 6, 400, 400_000, 2_000, 60_000
"""Runs, at most so many with so many matches in all where coverage is counted; effective draws and sweeps at most."""

PRIOR, TIE_SD, T = make_prior("uniform:10"), 5.0, 0.5


class Case(NamedTuple):
    """One simulated record."""

    schedule: str
    sigma: float
    t: float
    seed: int


class Results(NamedTuple):
    """Who met whom and how it ended, in codes of those who played."""

    first: Codes
    second: Codes
    halves: Halves
    n_players: int


def simulate(case: Case) -> Results:
    """A record of the model: everybody as often as everybody else, opponents at random."""
    n_players, n_matches = LEAGUES[case.schedule]
    rng = np.random.default_rng([3, n_players, int(100 * case.sigma), int(100 * case.t), case.seed])
    seats = np.concatenate([rng.permutation(n_players) for _ in range(-(-2 * n_matches // n_players))])
    first, second = seats[: 2 * n_matches].reshape(2, -1).astype(np.int32)
    clash = first == second
    second[clash] = (first[clash] + 1 + rng.integers(0, n_players - 1, clash.sum())) % n_players
    skill = case.sigma * rng.standard_normal(n_players)
    y = skill[first] - skill[second] + rng.normal(0, 2**0.5, len(first))
    halves = (1 + np.sign(y) * (np.abs(y) > case.t)).astype(np.int8)
    code = np.full(n_players, -1, np.int32)
    played = np.unique(np.concatenate((first, second)))
    code[played] = np.arange(len(played))
    return Results(code[first], code[second], halves, len(played))


def table(results: Results) -> tuple[PairTable, int]:
    """As the route without draws has it."""
    return tally_pairs(*results), results.n_players


def compare(case: Case) -> list[float]:
    """Errors of the mean, the SD and both ends of l2 in posterior SDs, the bound, its parts, the SE of the draws."""
    results, tie_sd = simulate(case), TIE_SD * (case.t > 0)
    found = integrate(PairGame(*table(results), tie_sd=tie_sd), PRIOR)
    model = make_model(PRIOR, tie_sd=tie_sd)
    sample = sample_population(tally_results(*results), model, chains=4, ess=ESS, budget=BUDGET, seed=case.seed)
    draws = 1 / (1 + sample.sigma**2)
    mean, sd = found.moments(1 / (1 + found.sigma**2))
    ends, theirs = 1 / (1 + found.quantiles((0.975, 0.025)) ** 2), np.quantile(draws, [0.025, 0.975])
    errors = [(mean - draws.mean()) / draws.std(), sd / draws.std() - 1, *((ends - theirs) / draws.std())]
    parts = [found.parts[name] for name in ("loops", "skewness", "noise", "nodes")]
    t = (found.moments(found.t)[0] - sample.t.mean()) / sample.t.std() if case.t > 0 else 0.0
    return [float(value) for value in (*errors, t, found.bound, *parts, min(sample.ess) ** -0.5)]


NAMES = ("mean", "sd", "low", "high", "t", "bound", "loops", "skewness", "noise", "nodes", "se_of_draws")


def errors(crew: Crew) -> None:
    """Mean errors and root mean squares of each cell."""
    for schedule in LEAGUES:
        for t in (0.0, T):
            for sigma in SIGMAS:
                name = f"{schedule}, sigma {sigma:g}{', ties' if t else ''}"
                if name in stored("evidence").get("errors", {}):
                    continue
                found = np.array(crew.map(compare, [Case(schedule, sigma, t, seed) for seed in range(RUNS)]))
                cell = {key: round(float(column.mean()), 3) for key, column in zip(NAMES, found.T, strict=True)}
                cell["root_mean_square"] = round(float(np.sqrt(np.mean(found[:, 0] ** 2))), 3)
                keep("errors", name, cell)


def cover(case: Case) -> list[float]:
    """Whether the interval of sigma has the true one in it, the width of that of l2, and the bound."""
    results = simulate(case)
    found = integrate(PairGame(*table(results), tie_sd=TIE_SD * (case.t > 0)), PRIOR)
    low, high = found.quantiles((0.025, 0.975))
    return [float(low <= case.sigma <= high), float(1 / (1 + low**2) - 1 / (1 + high**2)), found.bound]


def coverage(crew: Crew) -> None:
    """How often the 95% interval has the truth in it."""
    for schedule in LEAGUES:
        for t in (0.0, T):
            for sigma in COVERED_SIGMAS:
                name = f"{schedule}, sigma {sigma:g}{', ties' if t else ''}"
                if name in stored("evidence").get("coverage", {}):
                    continue
                runs = min(COVERED, MATCHES // LEAGUES[schedule][1])
                found = np.array(crew.map(cover, [Case(schedule, sigma, t, seed) for seed in range(runs)]))
                covered, width, bound = found.mean(axis=0)
                cell = {"covered": round(covered, 4), "width_of_l2": round(width, 3), "bound": round(bound, 3)}
                keep("coverage", name, cell | {"runs": runs})


def records(crew: Crew) -> None:
    """Seconds of a processor for the whole record, then for both halves from where the whole ended."""
    del crew
    for name in ("tennis_atp_1968_2017", "chess_twic"):
        path = SHARED / "data" / f"{name}.parquet"
        if not path.exists():
            print(f"{name}: not here (LUDOMETER_SHARED)")
            continue
        from ludometer.measurement.luck.population import measure_population

        matches = keep_connected(read_matches(path)).matches
        measure_population(matches.part(0, 2_000), method="evidence")
        row: dict[str, Any] = {"matches": len(matches), "players": len(matches.players)}
        half = len(matches) // 2
        for part, (begin, end) in {
            "whole": (0, len(matches)),
            "halves": (0, half),
            "later": (half, len(matches)),
        }.items():
            started = time.process_time()
            found = measure_population(matches.part(begin, end), method="evidence")
            seconds = time.process_time() - started
            row[part] = {"seconds": round(seconds, 2), "l2": round(found.l2, 5), "l2_sd": round(found.l2_sd, 5)}
        keep("records", name, row)


def keep(part: str, name: str, cell: dict[str, Any]) -> None:
    """Print and store one cell."""
    before = stored("evidence")
    store("evidence", before | {part: before.get(part, {}) | {name: cell}})
    print(f"{name:34s}", "  ".join(f"{key} {value}" for key, value in cell.items()), flush=True)


def main() -> None:
    """Run the parts that are asked for."""
    crew = Crew(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    parts = {"errors": errors, "coverage": coverage, "records": records}
    for name in sys.argv[2:] or parts:
        started = time.perf_counter()
        parts[name](crew)
        print(f"{name}: {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
