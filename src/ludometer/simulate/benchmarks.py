"""Benchmark games with a known share of skill: x%-of-a-game, x%-deterministic and pure chance.

Duersch, Lambrecht, Oechssler (2020), section 2 and Table 8. Each can be had with players of its own, or on the
schedule of a record: the same players, meetings and times, only the results replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats, Halves, Mask
from ludometer.errors import LudometerError
from ludometer.matches import Matches, Pairs, Seats, owned
from ludometer.players import Players
from ludometer.simulate.tables import (
    batch_size,
    check_seed,
    check_table,
    draw_tables,
    generator,
    join_batches,
    rank_seats,
    seat_matches,
)

_BATCH = batch_size(2)
_SKILL, _MATCHES, _REAL, _CHANCE = range(4)


@dataclass(frozen=True)
class DeterministicGame:
    """With probability x (in percent) the better player wins, or all finish in order of strength; else chance decides.

    The paper's x%-deterministic; its section 2 swaps x and 100 - x where it defines the game, its tables mean this.
    """

    n_players: int
    x: float
    per_match: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        check_table(self.n_players, self.per_match, self.seed)
        _check_share(self.x)

    @cached_property
    def skill(self) -> Floats:
        """The order of strength, by code: 0 is the weakest."""
        return _draw_order(self.n_players, self.seed)

    def batches(self, n_matches: int) -> Iterator[Matches]:
        """The matches in batches of a fixed size."""
        players = Players.numbered(self.n_players)
        size = batch_size(self.per_match)
        for number, start in enumerate(range(0, n_matches, size)):
            rng = generator(self.seed, _MATCHES, number)
            table = draw_tables(rng, size, n_players=self.n_players, per_match=self.per_match)
            by_skill = _draw_real(rng, size, self.x)
            performance = np.where(by_skill[:, np.newaxis], self.skill[table], rng.random(table.shape))
            kept = slice(n_matches - start)
            yield seat_matches(table[kept], performance[kept], players)


def simulate_deterministic(n_players: int, n_matches: int, *, x: float, per_match: int = 2, seed: int = 0) -> Matches:
    """Matches of a game that is x% deterministic; `DeterministicGame` has the true order, and batches.

    >>> matches = simulate_deterministic(50, 1000, x=50, per_match=3, seed=1)
    >>> len(matches), int(matches.seats.sizes.max())
    (1000, 3)
    """
    game = DeterministicGame(n_players, x, per_match, seed)
    return join_batches(game.batches(n_matches), Players.numbered(n_players))


def mix(matches: Matches, x: float, *, seed: int = 0) -> Matches:
    """x%-of-a-game: each match is kept with probability x (in percent), else its result is replaced by chance.

    Two players draw as often as in the record, else either wins with probability 1/2; more players finish in a random
    order (the paper's x%-chess).

    >>> from ludometer.simulate import simulate_strengths
    >>> chess = simulate_strengths(20, 10_000, draws=0.3)
    >>> half = mix(chess, 50)
    >>> round(float((half.pairs.halves == chess.pairs.halves).mean()), 1), round(half.draw_rate, 1)
    (0.7, 0.3)
    """
    _check_share(x)
    check_seed(seed)
    real = _on_batches(len(matches), lambda n, number: _draw_real(generator(seed, _REAL, number), n, x))
    table, draws = matches.table, _draw_rate(matches)
    if isinstance(table, Pairs):
        chance = _on_batches(len(table), lambda n, number: _draw_halves(generator(seed, _CHANCE, number), n, draws))
        return _with_halves(matches, table, np.where(real, table.halves, chance))
    luck = _on_batches(len(table.player), lambda n, number: generator(seed, _CHANCE, number).random(n))
    drawn = _on_batches(len(table), lambda n, number: generator(seed, _MATCHES, number).random(n) < draws)
    luck[np.repeat(drawn & (table.sizes == 2), table.sizes)] = 0
    return _with_places(matches, table, np.where(np.repeat(real, table.sizes), -table.place.astype(float), luck))


def deterministic_on(matches: Matches, x: float, *, seed: int = 0) -> tuple[Matches, Floats]:
    """An x%-deterministic game on the schedule of a record, and the order of strength (0 is the weakest), by code.

    >>> from ludometer.simulate import simulate_coin
    >>> schedule = simulate_coin(10, 100)
    >>> matches, skill = deterministic_on(schedule, 100)
    >>> pairs = matches.pairs
    >>> bool(((skill[pairs.first] > skill[pairs.second]) == (pairs.halves == 2)).all())
    True
    """
    _check_share(x)
    check_seed(seed)
    skill = _draw_order(len(matches.players), seed)
    by_skill = _on_batches(len(matches), lambda n, number: _draw_real(generator(seed, _REAL, number), n, x))
    table = matches.table
    if isinstance(table, Pairs):
        chance = _on_batches(len(table), lambda n, number: _draw_halves(generator(seed, _CHANCE, number), n, 0.0))
        halves = np.where(by_skill, 2 * (skill[table.first] > skill[table.second]), chance)
        return _with_halves(matches, table, halves), skill
    luck = _on_batches(len(table.player), lambda n, number: generator(seed, _CHANCE, number).random(n))
    performance = np.where(np.repeat(by_skill, table.sizes), skill[table.player], luck)
    return _with_places(matches, table, performance), skill


def coin_on(matches: Matches, *, seed: int = 0) -> Matches:
    """Pure chance on the schedule of a record, with its draw rate (Table 8 of the paper): 0% of this game.

    >>> from ludometer.simulate import simulate_strengths
    >>> round(float(coin_on(simulate_strengths(20, 10_000, sd=400)).pairs.score.mean()), 1)
    0.5
    """
    return mix(matches, 0, seed=seed)


def _check_share(x: float) -> None:
    if not 0 <= x <= 100:
        raise LudometerError(f"x is a share in percent, from 0 to 100, not {x}")


def _draw_order(n_players: int, seed: int) -> Floats:
    return generator(seed, _SKILL).permutation(n_players).astype(np.float64)


def _draw_real(rng: np.random.Generator, n: int, x: float) -> Mask:
    """Which of n matches are not left to chance; below 1, so at 100% all of them."""
    return np.asarray(rng.random(n) < x / 100)


def _draw_halves(rng: np.random.Generator, n: int, draws: float) -> Halves:
    """Results of a coin that falls on its edge with probability `draws`."""
    chance = rng.random(n)
    return (chance < (1 - draws) / 2).astype(np.int8) + (chance < (1 + draws) / 2).astype(np.int8)


def _on_batches(n: int, draw: Callable[[int, int], Array]) -> Array:
    """n things, those of a batch drawn with its number: a longer record begins like a shorter one."""
    sizes = [min(_BATCH, n - start) for start in range(0, n, _BATCH)]
    return np.concatenate([draw(size, number) for number, size in enumerate(sizes)] or [draw(0, 0)])


def _draw_rate(matches: Matches) -> float:
    """The share of draws among the two-player matches."""
    if isinstance(matches.table, Pairs):
        return matches.draw_rate or 0.0
    heads = matches.table.starts[:-1][matches.table.sizes == 2]
    place = matches.table.place
    return float((place[heads] == place[heads + 1]).mean()) if len(heads) else 0.0


def _with_halves(matches: Matches, table: Pairs, halves: Counts | Halves) -> Matches:
    return replace(matches, table=replace(table, halves=owned(halves.astype(np.int8))))


def _with_places(matches: Matches, table: Seats, performance: Floats) -> Matches:
    place: Codes = owned(rank_seats(table.starts, performance))
    return replace(matches, table=replace(table, place=place))
