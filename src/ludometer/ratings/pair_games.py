"""Games of pairs that met often enough, with the ratings behind them, and batches in which such games are simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.draws import fit_draws
from ludometer.ratings.flows import PairGraph

_LANES = 25
"""Simulated records at once; a number of its own, so that nothing depends on how many workers there are."""


@dataclass(frozen=True, eq=False)
class PairGames:
    """The games of pairs that met often enough, and the ratings behind them."""

    graph: PairGraph
    games: Floats
    points: Floats
    """Of each pair: how often they met, and what its first player scored."""
    pair: Counts
    score: Floats
    difference: Floats
    """Of each game: its pair, what the pair's first player scored, and the log-odds that he would by the ratings."""
    nu: float
    everybody: PairGraph
    weight: Floats
    """All pairs, also those that met less often, with the information that each gives on its difference."""
    ridge: float

    @property
    def expected(self) -> Floats:
        """What the first player of the pair is expected to score in each game."""
        return logistic(self.difference)

    def sides(self, points: Floats) -> tuple[Mask, Mask]:
        """Who has the majority of points (pairs, lanes)."""
        games = self.games[:, np.newaxis]
        return points > games / 2, points < games / 2

    def parts(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Squares of gradient, curl and harmonic part of the shrunken log-odds."""
        flow = np.log(points + 0.5) - np.log(self.games[:, np.newaxis] - points + 0.5)
        return self.graph.square_parts(flow, self.games)


def prepare_games(matches: Matches, min_games: int, ridge: float, advantage: bool) -> PairGames:
    """Fit ratings to all matches and gather the games of pairs with so many of them."""
    from ludometer.strength.comparisons import gather

    if not ridge > 0:
        raise LudometerError(f"the ridge must be above 0, so that the ratings have an uncertainty, not {ridge}")
    skill, bonus = _fit(matches, ridge, advantage)
    pairs, comparisons = matches.pairs, gather(matches)
    met = comparisons.outcomes.sum(axis=0)
    kept = met >= min_games
    if not kept.any():
        raise MatchDataError(f"no two players met {min_games} times")
    everybody = PairGraph(comparisons.row, comparisons.opponent, len(matches.players))
    even = logistic(skill[everybody.first] - skill[everybody.second])
    graph = PairGraph(everybody.first[kept], everybody.second[kept], len(matches.players))
    pair, mirrored = _find_pairs(graph, pairs.first, pairs.second)
    chosen = pair >= 0
    difference = (skill[pairs.first] - skill[pairs.second] + bonus)[chosen]
    turn = np.where(mirrored[chosen], -1.0, 1.0)
    score = 0.5 + turn * (pairs.score[chosen] - 0.5)
    expected = logistic(turn * difference)
    return PairGames(
        graph,
        met[kept],
        sum_by_pair(pair[chosen], score, len(graph)),
        pair[chosen],
        score,
        turn * difference,
        fit_draws(expected, float((score == 0.5).mean())),
        everybody,
        met * even * (1 - even),
        ridge,
    )


def _fit(matches: Matches, ridge: float, advantage: bool) -> tuple[Floats, float]:
    """Skills and the first seat's advantage in log-odds; a draw is half a win and half a loss, as Elo has it."""
    from ludometer.strength.pairwise import fit_skills

    pairs = matches.pairs
    first, second = (np.concatenate((code, code)) for code in (pairs.first, pairs.second))
    halves = np.concatenate((np.where(pairs.halves > 0, 2, 0), np.where(pairs.halves > 1, 2, 0))).astype(np.int8)
    doubled = Matches.of_pairs(first, second, halves, players=matches.players, ordered=True)
    # every game counts as two, so the ridge does too
    fit = fit_skills(doubled, link="logit", ridge=2 * ridge, advantage=advantage)
    return np.nan_to_num(fit.skill), fit.advantage or 0.0


def _find_pairs(graph: PairGraph, first: Codes, second: Codes) -> tuple[Counts, Mask]:
    """The pair of each match, -1 for none of these, and whether its first player has the second seat."""
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
    key, wanted = graph.first.astype(np.int64) * graph.n_players + graph.second, low * graph.n_players + high
    order = np.argsort(key)
    place = np.minimum(np.searchsorted(key, wanted, sorter=order), len(key) - 1)
    found = order[place]
    return np.where(key[found] == wanted, found, -1), first > second


class Batch(NamedTuple):
    """Simulated records that are made together, with seeds for their games and for random signs."""

    games: np.random.SeedSequence
    signs: np.random.SeedSequence
    n_lanes: int


def make_batches(simulations: int, seed: int) -> list[Batch]:
    """So many simulated records in batches."""
    sizes = [min(_LANES, simulations - start) for start in range(0, simulations, _LANES)]
    children = np.random.SeedSequence(seed).spawn(2 * len(sizes))
    return [Batch(*part) for part in zip(children[0::2], children[1::2], sizes, strict=True)]


def sum_by_pair(pair: Counts, value: Floats, n_pairs: int) -> Floats:
    """The sum of the games' values in each pair."""
    return np.asarray(np.bincount(pair, value, n_pairs), np.float64)


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x))."""
    from scipy.special import expit

    return np.asarray(expit(x))
