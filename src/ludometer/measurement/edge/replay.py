"""x of a population: it plays on random pairs, as often as in the record, and its spread is matched.

Where schedules are made by the results themselves, ratings spread by the schedule too. The likelihood does not care who
was made to meet whom: so the population that it finds is played anew, everybody meeting anybody, and x is that of the
benchmark which spreads alike there. The game and its benchmark share their players and their luck, so that a draw of
the population has an x of its own, hardly disturbed by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.kernels.systems.dealing import Rule
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.families import Deterministic, Family, Mixed, Replicate, davidson_nu, even_nu
from ludometer.measurement.benchmarks.inversion import GROUP, Inversion, Target, draw_players, solve_each
from ludometer.measurement.benchmarks.yardstick import Reference, Yardstick, make_schedule
from ludometer.measurement.edge.chains import Draws
from ludometer.measurement.record.seats import SeatAdvantage
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.prizes import Prizes
from ludometer.ratings.replicates import Schedule, fit_games

LOGISTIC = 1.702 / np.sqrt(2)
"""Of a logistic curve with the slope of Phi(d / sqrt 2): Phi(z) is about that of 1.702 z."""

_DRAWS = 80
"""Populations that are played."""


@dataclass(frozen=True)
class Drawn:
    """A population: the better player's share of all but coins; the parameter is no number but the draw itself."""

    sigma: float
    coins: float
    seat: float = 0.0
    draws: float = 0.0

    def rule(self, schedule: Schedule, skill: Floats) -> Rule:
        """Logistic results, coins in between, seats and as many draws as in the record."""
        reach = float(min(LOGISTIC * self.sigma, 60.0))
        nu = davidson_nu(schedule, reach * skill, self.draws)
        # draws flatten what is expected: at equal strength by 2 / (2 + nu)
        wider = (2 + nu) / 2
        return Rule(1 - self.coins, reach * wider, nu, even_nu(self.draws), LOGISTIC * self.seat * wider)


def meet_anybody(matches: Matches, *, seed: Sequence[int]) -> Matches:
    """The same players, as often, in the same order of time, with shuffled opponents."""
    table = matches.table
    rng = np.random.default_rng(np.random.SeedSequence([*seed]))
    if isinstance(table, Pairs):
        first, second = table.first, rng.permutation(table.second)
        for _ in range(50):
            same = np.flatnonzero(first == second)
            if not len(same):
                break
            other = rng.integers(0, len(first), len(same))
            second[same], second[other] = second[other], second[same]
        kept = first != second
        return Matches.of_pairs(first[kept], second[kept], table.halves[kept], players=matches.players, ordered=True)
    player = rng.permutation(table.player)
    return replace(matches, table=replace(table, player=player), score=None, side=None)


def replay(
    matches: Matches,
    counted: Mask,
    draws: Draws,
    *,
    k: float,
    prizes: Prizes,
    reference: Reference,
    seats: SeatAdvantage | None = None,
    seed: Sequence[int],
    workers: Workers | None = None,
    most: int = _DRAWS,
) -> Yardstick:
    """x%-deterministic and x%-chess of the drawn populations, as solutions like those of an inversion."""
    shuffled = meet_anybody(matches, seed=seed)
    schedule = make_schedule(shuffled, prizes, seats)
    target = Target(schedule, counted, 1.0, max(k, 0.1))
    n = min(most, draws.sigma.size)
    chosen = np.linspace(0, draws.sigma.size - 1, n).astype(np.int64)
    share = matches.draw_rate or 0.0 if isinstance(matches.table, Pairs) else 0.0
    drawn = [
        Drawn(float(draws.sigma.flat[at]), float(draws.coins.flat[at]), float(draws.seat.flat[at]), share)
        for at in chosen
    ]
    tasks = [(number, tuple(drawn[number : number + GROUP])) for number in range(0, n, GROUP)]
    families: tuple[Family, ...] = (Deterministic(), Mixed(reference.sd, reference.draws))
    solved = map_tasks(_replay_few, tasks, shared=(target, families, tuple(seed)), workers=workers)
    by_strength, by_reference = np.concatenate(solved, axis=1)
    return Yardstick(
        Inversion(np.sort(by_strength), families[0].highest),
        Inversion(np.sort(by_reference), families[1].highest),
        None,
        n,
        reference,
    )


def _replay_few(
    task: tuple[int, tuple[Drawn, ...]], target: Target, families: tuple[Family, ...], seed: tuple[int, ...]
) -> Floats:
    """(families, draws): x of each."""
    number, drawn = task
    players = [draw_players(target, seed, replicate=number + place) for place in range(len(drawn))]
    games = [
        Replicate(families[0], target.schedule, skill, key).of(one.rule(target.schedule, skill))
        for one, (skill, key) in zip(drawn, players, strict=True)
    ]
    spread = fit_games(target.schedule, games, counted=target.counted, guess=np.full(len(games), target.k)).sd
    return np.stack(
        [
            solve_each(
                target, [Replicate(family, target.schedule, skill, key) for skill, key in players], spread, family
            )
            for family in families
        ]
    )
