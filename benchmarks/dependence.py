"""Sessions and seats on records of known truth: are they found, and is x recovered from what is kept?

Prints and stores benchmarks/results/dependence.json. Run with a number of seeds, 20 unless given.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

import situations_sessions
from ludometer.arrays import Counts
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Deterministic
from ludometer.measurement.benchmarks.inversion import invert
from ludometer.measurement.benchmarks.yardstick import make_target
from ludometer.measurement.record.seats import estimate_advantage
from ludometer.measurement.record.sessions import find_sessions
from schedules import store
from situations import COIN, HIGH, LOW, MINUTE, SITUATIONS, Game, Situation, World

REPLICATES = 39

SHARED = (
    "sessions of 3, coin",
    "sessions of 3, 20%",
    "sessions of 3, no times, 20%",
    "hands at tables of 5, coin",
    "hands at tables of 5, 20%",
    "form of the day, coin",
    "momentum, 20%",
)
"""Records whose sessions share luck."""


def clean_sessions(world: World) -> Matches:
    """Sessions of three games with luck of their own."""
    first, second = world.meet(world.n_matches // 3)
    seconds = world.clock(len(first))[:, np.newaxis] + 6 * MINUTE * np.arange(3)
    one, other = np.repeat(first, 3), np.repeat(second, 3)
    return world.record(one, other, world.decide(one, other), seconds.ravel())


def clean_days(world: World) -> Matches:
    """Days of ten games without any form."""
    return situations_sessions._days(world, 0.0)


def clean_hands(world: World) -> Matches:
    """Tables of five that play four hands with luck of their own."""
    n_tables = world.n_matches // 4
    rows = np.repeat(world.sit(n_tables, 5), 4, axis=0)
    seconds = (world.clock(n_tables)[:, np.newaxis] + 3 * MINUTE * np.arange(4)).ravel()
    return world.tables(rows, world.finish(rows), seconds)


INDEPENDENT = [
    Situation(name, name, "own", game, make, n_matches=n_matches)
    for name, make, n_matches in (
        ("independent sessions of 3", clean_sessions, 12_000),
        ("independent days", clean_days, 12_000),
        ("independent hands at tables of 5", clean_hands, 9_600),
    )
    for game in (COIN, LOW, HIGH)
]


@dataclass(frozen=True)
class Keeping:
    """Players who like to sit first or second, how often they do, and what the first seat scores more."""

    keep: float
    plus: float

    def __call__(self, world: World) -> Matches:
        """Always, or so often where the wishes of both can be met."""
        if self.keep == 1:
            first, second = self._apart(world)
        else:
            one, other = world.meet()
            wish = (one % 2 == 0).astype(int) - (other % 2 == 0)
            granted = np.where(world.toss(np.full(len(one), self.keep)), wish, -wish)
            swap = np.where(wish == 0, world.toss(np.full(len(one), 0.5)), granted < 0)
            first, second = np.where(swap, other, one), np.where(swap, one, other)
        return world.record(first, second, world.decide(first, second, self.plus), world.clock())

    @staticmethod
    def _apart(world: World) -> tuple[Counts, Counts]:
        half = world.n_players // 2
        return 2 * world.rng.integers(0, half, world.n_matches), 2 * world.rng.integers(0, half, world.n_matches) + 1


def seated(keep: float, plus: float, game: Game) -> Situation:
    """A record in which seats differ."""
    how = "always" if keep == 1 else f"{keep:.0%}"
    return Situation(f"first seat + {plus}, kept {how}", "", "own", game, Keeping(keep, plus))


SEATED = [
    seated(keep, plus, game)
    for keep in (0.8, 0.9, 1.0)
    for plus, game in ((0.2, COIN), (0.4, COIN), (0.1, LOW), (0.1, HIGH))
]


def study(situation: Situation, n_seeds: int) -> dict[str, Any]:
    """How often results are called dependent, and how often x is covered by what is kept, seats allowed for."""
    dependent, estimates, covered = 0, [], 0
    x = situation.game.x
    assert x is not None
    for seed in range(n_seeds):
        matches = situation.matches(seed)
        seats = estimate_advantage(matches)
        sessions = find_sessions(matches, seats=seats)
        dependent += sessions.dependent
        kept = matches if sessions.kept is None else matches.take(sessions.kept)
        # who counts is who played often in the whole record
        target = make_target(kept, matches.counts >= 25, k=10.0, seats=seats)
        found = invert(target, Deterministic(), replicates=REPLICATES, seed=[seed])
        estimates.append(found.estimate)
        covered += found.interval[0] <= x <= found.interval[1]
    return {
        "record": situation.full_name,
        "x": x,
        "seeds": n_seeds,
        "dependent": dependent / n_seeds,
        "mean": float(np.mean(estimates)),
        "covered": covered / n_seeds,
    }


def main() -> None:
    """All of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=20)
    n_seeds = parser.parse_args().seeds
    rows = []
    for situation in (*(SITUATIONS[name] for name in SHARED), *INDEPENDENT, *SEATED):
        rows.append(study(situation, n_seeds))
        print(
            "{record:45} x {x:3.0f}: dependent {dependent:4.0%}, mean {mean:5.1f}, covered {covered:4.0%}".format(
                **rows[-1]
            ),
            flush=True,
        )
    store("dependence", {"replicates": REPLICATES, "rows": rows})


if __name__ == "__main__":
    main()
