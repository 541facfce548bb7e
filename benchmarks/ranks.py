"""Expected shares of the prizes in matches of many, as ratios measured in one run.

    sh benchmarks/run.sh ranks

First the cost of a seat by the size of a match beside that of the two-player pass, for results that are there and for
games that are dealt in the pass. Then prizes that fall unevenly: the other way is the sum over subsets, the probability
that exactly these players came in first, for all 2^n sets of them, written in Numba as well. Writes
benchmarks/results/ranks.json.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import kernel
from ludometer.kernels.skills import ranks
from ludometer.kernels.systems.dealing import Deal, Rule, make_deal
from ludometer.kernels.systems.elo import elo_lanes
from ludometer.kernels.systems.games import elo_games, seats_games
from ludometer.kernels.systems.multiplayer import seats_lanes
from ludometer.scale import from_elo
from ludometer.simulate import simulate_strengths
from speed import STEPS

N_PLAYERS, N_MATCHES = 12, 2_000
N_RATED = 10_000
TOP_THREE = np.array([1.0, 0.6, 0.4, *[0.0] * (N_PLAYERS - 3)])


def fastest(work: Callable[[], Any], repeats: int = 7) -> float:
    """Seconds of processor time of the fastest of several runs: what else the machine does matters less."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


@kernel
def by_subsets(weight: Floats, prize: Floats) -> Floats:
    """E_i as a sum over the sets of players who finished before i."""
    n = len(weight)
    first = np.zeros(1 << n)
    expected = np.zeros(n)
    first[0] = 1.0
    for group in range((1 << n) - 1):
        left, place = 0.0, 0
        for i in range(n):
            if group >> i & 1:
                place += 1
            else:
                left += weight[i]
        for i in range(n):
            if not group >> i & 1:
                chance = first[group] * weight[i] / left
                first[group | 1 << i] += chance
                expected[i] += prize[place] * chance
    return expected


@kernel
def _all_by_subsets(weight: Floats, prize: Floats, expected: Floats) -> None:
    for match in range(len(weight)):
        expected[match] = by_subsets(weight[match], prize)


@kernel
def _all_exact(weight: Floats, prize: Floats, expected: Floats) -> None:
    for match in range(len(weight)):
        expected[match] = ranks.expect_shares(weight[match], prize)


def expectation_ratio(prize: Floats) -> tuple[float, float]:
    """Seconds a match of twelve, over subsets and ours; both have to agree."""
    weight = np.exp(np.random.default_rng(0).normal(0, 1, (N_MATCHES, N_PLAYERS)))
    theirs, ours = np.empty_like(weight), np.empty_like(weight)
    _all_by_subsets(weight[:2], prize, theirs[:2])
    _all_exact(weight[:2], prize, ours[:2])
    slow = fastest(lambda: _all_by_subsets(weight, prize, theirs), 3)
    fast = fastest(lambda: _all_exact(weight, prize, ours))
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    return slow / N_MATCHES, fast / N_MATCHES


def linear_pass(n_matches: int = 200_000, n_seats: int = 9, n_players: int = 20_000) -> float:
    """Seconds a match of one pass with eight lanes over matches of nine with linear prizes."""
    rng = np.random.default_rng(1)
    starts = np.arange(0, n_matches * n_seats + 1, n_seats)
    offset = np.sort(rng.integers(0, n_players // n_seats, (n_matches, n_seats)), axis=1)
    player = ((offset * n_seats + np.arange(n_seats)) % n_players).astype(np.int32).ravel()
    prize = np.tile(np.linspace(1, 0, n_seats), n_matches)
    score = rng.permuted(prize.reshape(-1, n_seats), axis=1).reshape(-1, 1)
    step = lanes.allocate(1, 8)
    step[0] = np.linspace(0.01, 0.3, 8)

    def work() -> None:
        seats_lanes(starts, player, score, prize, lanes.allocate(n_players, 8), step, lanes.allocate(1, 8))

    work()
    return fastest(work) / n_matches


def tables(n_seats: int) -> tuple[Counts, Codes, Floats]:
    """Matches of this size among players drawn at random, with linear prizes: where they begin, players, prizes."""
    rng = np.random.default_rng(2)
    n_matches = 60_000 // n_seats
    player = np.concatenate([rng.choice(N_RATED, n_seats, replace=False) for _ in range(n_matches)]).astype(np.int32)
    return np.arange(0, len(player) + 1, n_seats), player, np.tile(np.linspace(1, 0, n_seats), n_matches)


def deal() -> Deal:
    """Four games among players who are as far apart as in a game of some skill."""
    rng = np.random.default_rng(3)
    keys = [np.array([game, 7], np.uint32) for game in range(4)]
    return make_deal([rng.standard_normal(N_RATED) for _ in range(4)], keys, [Rule(1.0, 0.7)] * 4)


def seat_cost(n_seats: int) -> float:
    """Seconds per seat and lane of one pass with eight lanes over matches of this size."""
    starts, player, prize = tables(n_seats)
    rng = np.random.default_rng(4)
    score = rng.permuted(prize.reshape(-1, n_seats), axis=1).reshape(-1, 1)
    rating, step, loss = (lanes.allocate(n, 8) for n in (N_RATED, 1, 1))
    rating[:], step[0] = 0.7 * rng.standard_normal((N_RATED, 1)), 0.001

    def work() -> None:
        seats_lanes(starts, player, score, prize, rating, step, loss)

    work()
    return fastest(work, 15) / len(player) / 8


def dealt_seat_cost(n_seats: int) -> float:
    """The same of one pass that deals and rates four games at four values of k."""
    starts, player, prize = tables(n_seats)
    rating, step, loss, dealt = lanes.allocate_single(N_RATED), lanes.allocate_single(1), lanes.allocate(1, 16), deal()
    rating[:], step[0] = 0.7 * np.random.default_rng(4).standard_normal((N_RATED, 1)), 0.001

    def work() -> None:
        seats_games(starts, player, prize, dealt, rating, step, loss)

    work()
    return fastest(work, 15) / len(player) / 16


def two_player_costs(n_matches: int = 100_000) -> tuple[float, float]:
    """Both passes over matches of two."""
    pairs = simulate_strengths(N_RATED, n_matches, seed=2).pairs
    rating, step, loss = (lanes.allocate(n, 8) for n in (N_RATED, 1, 1))
    step[0] = from_elo(STEPS)
    single, single_step, losses, dealt = (
        lanes.allocate_single(N_RATED),
        lanes.allocate_single(1),
        np.zeros((1, 16)),
        deal(),
    )
    single_step[0] = 0.001

    def work() -> None:
        elo_lanes(pairs.first, pairs.second, pairs.halves, rating, step, loss)

    def work_dealt() -> None:
        elo_games(pairs.first, pairs.second, dealt, single, single_step, losses)

    work()
    work_dealt()
    return fastest(work, 15) / n_matches / 2 / 8, fastest(work_dealt, 15) / n_matches / 2 / 16


def main() -> None:
    """Measure, print, store."""
    results: dict[str, float] = {}
    two, two_dealt = two_player_costs()
    for n_seats in (2, 4, 9, 24, 64, 200):
        cost, dealt = seat_cost(n_seats), dealt_seat_cost(n_seats)
        results[f"seat of {n_seats} / seat of two players, linear prizes"] = round(cost / two, 2)
        results[f"dealt seat of {n_seats} / dealt seat of two players, linear prizes"] = round(dealt / two_dealt, 2)
        print(
            f"matches of {n_seats}: {cost * 1e9:.2f} ns per seat and lane, {cost / two:.1f} times the two-player pass; "
            f"dealt {dealt * 1e9:.2f} ns, {dealt / two_dealt:.1f} times"
        )
    curved = np.linspace(1, 0, N_PLAYERS) ** 2
    for name, prize, bound in (("first three paid", TOP_THREE, "at least 20"), ("all paid, unevenly", curved, "-")):
        subsets, ours = expectation_ratio(prize)
        results[f"subsets / ours, 12 players, {name}"] = round(subsets / ours, 1)
        print(f"12 players, {name}: {subsets:.3g} s : {ours:.3g} s   ratio {subsets / ours:.1f}   (wanted: {bound})")
    seconds = linear_pass()
    results["microseconds a match of 9, linear prizes, 8 lanes"] = round(seconds * 1e6, 3)
    print(f"a match of 9 with linear prizes, 8 lanes: {seconds * 1e6:.3f} microseconds   (wanted: below 0.5)")
    (Path(__file__).parent / "results" / "ranks.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
