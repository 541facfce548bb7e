"""A small league with a known learning curve, births and deaths, for the tests of learning."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches
from ludometer.scale import ELO, expected_score

C7 = 0.02
"""A player's rating after t games is his talent + 173.7 log(1 + 0.02 t), in Elo points."""

DEATH = 1 / 200


def curve(games: Floats) -> Floats:
    return np.asarray(ELO * np.log1p(C7 * games))


def simulate_league(n_players: int, rounds: int, *, learns: bool, talent: float = 150.0, seed: int = 0) -> Matches:
    """Everybody plays once a round; who dies makes place for a beginner, so that the league is in a steady state."""
    rng = np.random.default_rng(seed)
    played = rng.geometric(DEATH, n_players).astype(np.float64)
    code, gift, n_born = np.arange(n_players), talent * rng.standard_normal(n_players), n_players
    first, second, score = [], [], []
    for _ in range(rounds):
        seats = rng.permutation(n_players).reshape(2, -1)
        skill = gift + (curve(played) if learns else 0.0)
        expected = expected_score(skill[seats[0]] - skill[seats[1]])
        score.append(rng.random(len(expected)) < expected)
        first.append(code[seats[0]])
        second.append(code[seats[1]])
        played += 1
        dead = np.flatnonzero(rng.random(n_players) < DEATH)
        code = code.copy()
        code[dead] = n_born + np.arange(len(dead))
        n_born += len(dead)
        played[dead], gift[dead] = 0.0, talent * rng.standard_normal(len(dead))
    time = np.repeat(np.arange(rounds), n_players // 2)
    return Matches.of_pairs(np.concatenate(first), np.concatenate(second), np.concatenate(score), time=time)
