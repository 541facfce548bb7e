"""Ratings with hindsight: coverage of the bands, speed against peers, a million matches, and what a refit forecasts.

    python benchmarks/history.py coverage
    python benchmarks/history.py peers        (trueskillthroughtime and whole-history-rating, if installed)
    python benchmarks/history.py million
    python benchmarks/history.py refit FOOTBALL.parquet [--neutral] [--days 365]

The last takes a file with date, player_1, player_2, score_1 and neutral: parameters are fitted to the first half, the
log loss is that of the last half, a draw being half a win and half a loss.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from ludometer.matches import Matches
from ludometer.players import Labels
from ludometer.ratings import rate_history
from ludometer.ratings.state_space.parameters import Parameters
from ludometer.ratings.state_space.refit import Refit
from ludometer.ratings.state_space.system import FittedStateSpace
from ludometer.scale import from_elo, to_elo


def simulate(n_players: int, n_matches: int, days: int, parameters: Parameters, seed: int) -> tuple[Matches, Any]:
    """Players who come in over time and play unequally often; their true paths by (player, day)."""
    rng = np.random.default_rng(seed)
    keen = rng.pareto(1.2, n_players) + 0.05
    entered = np.sort(rng.uniform(0, 0.7 * days, n_players)) * (np.arange(n_players) > 5)
    day = np.sort(rng.integers(0, days, n_matches))
    open_to = np.searchsorted(entered, day, "right")
    reach = np.concatenate(([0.0], np.cumsum(keen)))
    pick = [np.searchsorted(reach, rng.uniform(0, reach[open_to]), "right") - 1 for _ in range(2)]
    first, second = pick[0], np.where(pick[1] == pick[0], (pick[0] + 1) % np.maximum(open_to, 2), pick[1])
    frame = pl.DataFrame({"player": np.concatenate((first, second)), "day": np.concatenate((day, day))})
    nodes = frame.unique().sort("player", "day")
    player, when = nodes["player"].to_numpy(), nodes["day"].to_numpy()
    is_first = np.concatenate(([True], np.diff(player) != 0))
    step = np.where(is_first, 0.0, np.diff(when, prepend=0)) * from_elo(parameters.drift) ** 2 / 365.25
    walk = np.cumsum(np.sqrt(step) * rng.standard_normal(len(step)))
    start = walk[np.maximum.accumulate(np.where(is_first, np.arange(len(walk)), 0))]
    level = from_elo(parameters.spread) * rng.standard_normal(n_players)
    truth = level[player] + walk - start
    code = np.searchsorted(player * (days + 1) + when, np.stack((first, second)) * (days + 1) + day)
    won = rng.random(n_matches) < 1 / (1 + np.exp(truth[code[1]] - truth[code[0]]))
    return Matches.of_pairs(first, second, won.astype(float), time=day.astype(float)), truth


def clock(label: str, call: Callable[[], Any]) -> float:
    """Print and return the seconds that a call takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    used = time.process_time() - cpu
    print(f"{label:40s} {time.perf_counter() - wall:8.2f} s ({used:.2f} s of CPU)", flush=True)
    return used


def coverage() -> None:
    """How often 95% bands hold the true path."""
    for spread, drift in ((150, 30), (300, 100), (600, 200)):
        parameters, covered = Parameters(spread=spread, drift=drift), []
        for seed in range(60):
            matches, truth = simulate(40, 400, 1500, parameters, seed)
            history = rate_history(matches, system=FittedStateSpace(parameters), n_draws=8)
            error = history.rating - to_elo(truth)
            error -= np.average(error, weights=history.timeline.played)
            covered.append((np.abs(error) < 1.96 * history.sd).mean())
        error_of_mean = np.std(covered) / np.sqrt(len(covered))
        print(f"spread {spread}, drift {drift}: {100 * np.mean(covered):.1f}% ± {100 * error_of_mean:.1f}")


def peers() -> None:
    """6,000 matches, bands included."""
    parameters = Parameters(spread=300, drift=60)
    matches, _ = simulate(270, 6000, 2000, parameters, 0)
    pairs, day = matches.pairs, np.asarray(matches.time).astype(int)
    rate_history(matches, system=FittedStateSpace(parameters))
    ours = clock("ludometer", lambda: rate_history(matches, system=FittedStateSpace(parameters)))
    named = [(str(a), str(b)) for a, b in zip(pairs.first, pairs.second, strict=True)]
    for label, run in (("trueskillthroughtime", _run_ttt), ("whole-history-rating", _run_whr)):
        try:
            theirs = clock(label, lambda run=run: run(named, pairs.score, day))  # type: ignore[misc]
            print(f"{'':40s} {theirs / ours:8.0f} times as long")
        except ImportError:
            print(f"{label} is not installed")


def _run_ttt(named: list[tuple[str, str]], score: Any, day: Any) -> None:
    import trueskillthroughtime as ttt  # type: ignore[import-not-found]

    games = [[[a], [b]] if won else [[b], [a]] for (a, b), won in zip(named, score, strict=True)]
    ttt.History(games, times=day.tolist(), sigma=1.7, gamma=0.02).convergence(verbose=False)


def _run_whr(named: list[tuple[str, str]], score: Any, day: Any) -> None:
    from whr import whole_history_rating  # type: ignore[import-not-found]

    base = whole_history_rating.WHR({"w2": 10})
    for (a, b), won, at in zip(named, score, day.tolist(), strict=True):
        base.create_game(a, b, "B" if won else "W", at, 0)
    base.auto_iterate()


def million() -> None:
    """A million matches of 100,000 players over ten years."""
    parameters = Parameters(spread=300, drift=60)
    matches, _ = simulate(100_000, 1_000_000, 3650, parameters, 0)
    clock("a million matches, bands included", lambda: rate_history(matches, system=FittedStateSpace(parameters)))


def refit(file: str, neutral: bool, days: float) -> None:
    """The filter and the refit, fitted to the first half, on the last half."""
    frame = pl.read_parquet(file).unique(maintain_order=True)
    names = Labels.of([*frame["player_1"], *frame["player_2"]]).code.reshape(2, -1)
    home = (~frame["neutral"]).to_numpy().astype(np.int8) if neutral else np.ones(len(frame), np.int8)
    score = frame["score_1"].to_numpy()
    matches = Matches.of_pairs(names[0], names[1], score, time=frame["date"].to_numpy(), advantage=home)
    half = len(matches) // 2
    system = Refit(days=days).fitted(matches.part(0, half), in_sample=False)
    plain = Refit(days=days).system.fitted(matches.part(0, half), in_sample=False)
    systems: list[tuple[str, Any]] = [("filter", plain), (f"refit every {days:g} days", system)]
    for label, one in systems:
        _, expected = one.play(one.start(0), matches)
        told, y = expected[half:], matches.pairs.score[half:]
        print(f"{label:24s} log loss {-(y * np.log(told) + (1 - y) * np.log1p(-told)).mean():.5f}", flush=True)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=["coverage", "peers", "million", "refit"])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--neutral", action="store_true")
    parser.add_argument("--days", type=float, default=365.0)
    asked = parser.parse_args()
    if asked.study == "refit":
        refit(asked.file, asked.neutral, asked.days)
    else:
        {"coverage": coverage, "peers": peers, "million": million}[asked.study]()


if __name__ == "__main__":
    main()
