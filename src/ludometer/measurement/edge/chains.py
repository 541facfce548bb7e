"""Chains of draws: skills, their spread, the share of coins and what a seat is worth, given all results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.kernels.gibbs.changing import (
    COINS,
    EDGE,
    SEAT,
    SIGMA,
    TAU,
    Limits,
    Pace,
    Population,
    normal_table,
    sweep_changing,
)
from ludometer.kernels.gibbs.random_numbers import Word, make_word
from ludometer.measurement.edge.duels import Duels, lay_out
from ludometer.parallel import Workers, map_tasks

CHAINS = 2
_BLOCK, _BURN, _SWEEPS = 50, 600, 1_400
"""Sweeps between which the pace is set anew; that are forgotten; that count, of each chain."""

_WORK, _FEWEST = 4e8, 200
"""Of longer records there are fewer sweeps: so many duels are swept in all, but no fewer sweeps than the second."""

_PAIRS = 20_000
"""Pairs of players over whom the better player's share is averaged."""

_SLOWEST, _FASTEST = 10.0, 0.02
"""What is left of a skill falls to a third in so many lengths of the record, at most and at least."""

_WANTED_SKILL, _WANTED_TOGETHER = 0.44, 0.3
"""Shares of moves that are taken at a good pace."""

_OF_A_MATCH = 0.32
"""About the precision that a match between equals gives to a skill."""

_STARTS = ((0.0, 0.3), (-1.0, 0.1))
"""log sigma and the share of coins, where chains begin."""


@dataclass(frozen=True, eq=False)
class Draws:
    """What all chains drew after they had settled."""

    sigma: Floats
    """(chains, draws)"""
    coins: Floats
    seat: Floats
    tau: Floats
    edge: Floats
    """The better player's share, over pairs of those who count."""
    skills: Floats
    """(players, some draws): skills in one of each player's spells."""
    state: Floats
    """(some draws, 3): sigma, coins and seat that belong to them."""

    @property
    def settled(self) -> float:
        """R-hat of the better player's share: near 1 where the chains agree."""
        from ludometer.measurement.luck.diagnostics import rank_rhat

        return rank_rhat(self.edge)

    @property
    def worth(self) -> float:
        """Independent draws that the better player's share is worth."""
        from ludometer.measurement.luck.diagnostics import effective_draws

        return effective_draws(self.edge)


def draw_chains(
    duels: Duels,
    counted: Mask,
    *,
    seed: Sequence[int],
    seats: bool = False,
    spells: int = 1,
    workers: Workers | None = None,
    length: float = 1.0,
) -> Draws:
    """All chains, one task each, `length` times as long as usual."""
    tasks = list(range(CHAINS))
    runs = map_tasks(_draw_chain, tasks, shared=(duels, counted, tuple(seed), seats, spells, length), workers=workers)
    draws = np.stack([run[0] for run in runs])
    has_edge = ~np.isnan(draws[0, :, EDGE])
    return Draws(
        np.exp(draws[:, has_edge, SIGMA]),
        draws[:, has_edge, COINS],
        draws[:, has_edge, SEAT],
        np.exp(draws[:, has_edge, TAU]),
        draws[:, has_edge, EDGE],
        np.concatenate([run[1] for run in runs], axis=1),
        np.concatenate([run[2] for run in runs]),
    )


def _draw_chain(
    chain: int, duels: Duels, counted: Mask, seed: tuple[int, ...], seats: bool, spells: int, length: float
) -> tuple[Floats, Floats, Floats]:
    bouts, parts = lay_out(duels, spells=spells, seats=seats)
    start, coins = _STARTS[chain % len(_STARTS)]
    population = Population(np.array([start]), np.array([coins]), np.zeros(1), np.zeros(1))
    rng = np.random.default_rng([*seed, chain])
    skill = 0.3 * rng.standard_normal(len(parts.gap))
    pairs = _choose_pairs(counted & (np.diff(parts.starts) > 0), rng)
    nobody = np.empty(0, np.int32), np.empty(0, np.int32)
    word: Word = make_word(np.random.SeedSequence([*seed, chain]))
    per_spell = np.diff(bouts.starts).astype(np.float64)
    per_player = np.concatenate(([0.0], np.cumsum(per_spell)))[parts.starts]
    per_player = np.diff(per_player)
    burn, sweeps = _lengths(len(duels) / length, length)
    reach, together, covariance = 1.0, 1.0, np.diag([0.05, 0.2, 0.05]) ** 2
    weight, history = 1.0, list[Floats]()
    kept_skills, kept_states = list[Floats](), list[Floats]()
    table, done = normal_table(), 0
    while done < burn + sweeps:
        sigma, left = np.exp(population.log_sigma[0]), 1 - population.coins[0]
        known = _OF_A_MATCH * left**2
        pace = Pace(
            reach * 2.4 / np.sqrt((3 if spells > 1 else 1) / sigma**2 + known * per_spell),
            2.4 / np.sqrt(1 / sigma**2 + known * per_player),
            np.linalg.cholesky(covariance + 1e-8 * np.eye(3)) * together * 2.38 / np.sqrt(3),
            0.3,
        )
        limits = Limits(np.log(_FASTEST), np.log(_SLOWEST), weight, seats, spells > 1)
        draws = np.full((_BLOCK, 6), np.nan)
        with np.errstate(over="ignore"):  # without the JIT NumPy would warn of what a generator is made of
            moved, taken, after = sweep_changing(
                bouts, parts, skill, population, pace, limits, pairs if done >= burn else nobody, table, draws, word
            )
        word = Word(after)
        done += _BLOCK
        history.append(draws)
        if done <= burn:
            reach *= float(np.exp(moved / (_BLOCK * len(skill)) - _WANTED_SKILL))
            together *= float(np.exp(taken / (3 * _BLOCK) - _WANTED_TOGETHER))
            if len(history) > 2:
                covariance = _covariance(np.concatenate(history[len(history) // 2 :]))
            weight = _weight_of(duels, parts.starts, skill, population) if spells == 1 else weight
        else:
            kept_skills.append(_one_spell_each(skill, parts.starts, rng))
            kept_states.append(_state(population))
    return np.concatenate(history)[burn:], np.column_stack(kept_skills), np.array(kept_states)


def _lengths(n: float, length: float) -> tuple[int, int]:
    """Sweeps to forget and sweeps to count, in whole blocks."""
    sweeps = int(np.clip(_WORK / 10 / max(n, 1), _FEWEST, length * _SWEEPS))
    burn = int(np.clip(0.5 * sweeps, 2 * _BLOCK, max(length, 1.0) * _BURN))
    return -(-burn // _BLOCK) * _BLOCK, -(-sweeps // _BLOCK) * _BLOCK


def _choose_pairs(counted: Mask, rng: np.random.Generator) -> tuple[Codes, Codes]:
    who = np.flatnonzero(counted)
    if len(who) < 2:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    one = rng.integers(0, len(who), _PAIRS)
    other = (one + rng.integers(1, len(who), _PAIRS)) % len(who)
    return who[one].astype(np.int32), who[other].astype(np.int32)


def _covariance(draws: Floats) -> Floats:
    coins = draws[:, COINS]
    moves = np.column_stack((draws[:, SIGMA], np.log(coins / (1 - coins)), draws[:, SEAT]))
    return np.asarray(np.cov(moves.T) + 1e-6 * np.eye(3))


def _weight_of(duels: Duels, starts: Counts, skill: Floats, population: Population) -> float:
    """1 over the variance of scores in that of wins: more than 1 where there are draws."""
    if not (duels.score == 0.5).any():
        return 1.0
    p = expected_scores(duels, skill[starts[:-1].clip(max=len(skill) - 1)], _state(population))
    spread = float(((duels.score - p) ** 2).sum() / (p * (1 - p)).sum())
    return 1 / min(max(spread, 0.05), 1.0)


def _state(population: Population) -> Floats:
    return np.array([np.exp(population.log_sigma[0]), population.coins[0], population.seat[0]])


def expected_scores(duels: Duels, skill: Floats, state: Floats) -> Floats:
    """What the first of each duel is expected to score, for one draw of skills with its population."""
    from scipy.special import ndtr

    _, coins, seat = state
    gap = skill[duels.first] - skill[duels.second] + seat
    return np.asarray(0.5 * coins + (1 - coins) * ndtr(gap / np.sqrt(2)))


def _one_spell_each(skill: Floats, starts: Counts, rng: np.random.Generator) -> Floats:
    """The skill of each player in one of their spells; 0 of those who do not play."""
    n_spells = np.diff(starts)
    chosen = starts[:-1] + (rng.random(len(n_spells)) * n_spells).astype(np.int64)
    return np.where(n_spells > 0, skill[np.minimum(chosen, len(skill) - 1)], 0.0).astype(np.float32)
