"""Strengths over all time: against dense Gaussian-process algebra, against the static fit, on known truth, on bad cases."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.matches import Matches
from ludometer.ratings.state_space.parameters import YEAR, Parameters
from ludometer.ratings.state_space.smoother import Bands, Mode, Smoother, Timeline
from ludometer.scale import ELO, from_elo, to_elo

FULL = Parameters(
    spread=250,
    drift=80,
    match_drift=5,
    advantage=40,
    entry=-60,
    entry_drift=50,
    pairing=0.4,
    pairing_new=2,
    pairing_matches=5,
    learning=30,
    learning_matches=3,
    young_drift=2,
    young_matches=6,
    activity=15,
    activity_days=40,
    rust=30,
)
"""Every ingredient of the smoother on."""


def simulate(parameters: Parameters, *, n_players: int = 8, n_matches: int = 90, days: int = 1500, seed: int = 0) -> Matches:
    """A small untidy record: unbalanced, with equal times, draws and weights."""
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.full(n_players, 0.7)) * 0.9 + 0.1 / n_players
    pairs = np.array([rng.choice(n_players, 2, replace=False, p=share) for _ in range(n_matches)])
    return Matches.of_pairs(
        pairs[:, 0],
        pairs[:, 1],
        rng.choice([0, 0.5, 1], n_matches),
        time=np.sort(rng.integers(0, days, n_matches)),
        advantage=rng.integers(-1, 2, n_matches),
        weight=rng.uniform(0.5, 2, n_matches),
    )


def smooth(matches: Matches, parameters: Parameters) -> tuple[Smoother, Mode]:
    day = np.arange(len(matches), dtype=float) if matches.time is None else matches.time.astype(float)
    smoother = Smoother(matches, Timeline.of(matches, day), parameters)
    return smoother, smoother.maximise()


class Dense:
    """The same model in plain algebra: players' days in a dict, a covariance matrix, Newton's steps with inverses."""

    def __init__(self, matches: Matches, p: Parameters, *, n_levels: int = 1, width: float = 0.0) -> None:
        self.p, self.matches = p, matches
        day = matches.time.astype(float)
        pairs = matches.pairs
        self.node: dict[tuple[int, float], int] = {}
        for player in range(len(matches.players)):
            own = sorted(set(day[(pairs.first == player) | (pairs.second == player)].tolist()))
            for time in own:
                self.node[player, time] = len(self.node)
        n = len(self.node)
        self.mean, self.before, self.offset = np.zeros((3, n))
        self.first = np.array([self.node[i, t] for i, t in zip(pairs.first.tolist(), day.tolist())])
        self.second = np.array([self.node[i, t] for i, t in zip(pairs.second.tolist(), day.tolist())])
        played = np.bincount(np.concatenate((self.first, self.second)), minlength=n)
        # strength = sum of independent steps: row k of `paths` says which
        paths, variance = np.zeros((n, n + n_levels)), np.zeros(n + n_levels)
        variance[n + 1 :] = from_elo(p.entry_drift) ** 2 / YEAR * width
        start = min(time for _, time in self.node)
        for (player, time), k in self.node.items():
            earlier = [(t, other) for (i, t), other in self.node.items() if i == player and t < time]
            self.before[k] = sum(played[other] for _, other in earlier)
            recent = sum(played[other] * math.exp(-(time - t) / p.activity_days) for t, other in earlier)
            self.offset[k] = from_elo(p.learning) * math.log2((p.learning_matches + self.before[k]) / p.learning_matches)
            self.offset[k] += from_elo(p.activity) * math.log2(1 + recent)
            paths[k, k] = 1
            if earlier:
                t, other = max(earlier)
                young = 1 + p.young_drift * math.exp(-self.before[k] / p.young_matches)
                variance[k] = from_elo(p.drift) ** 2 / YEAR * (time - t) * young + from_elo(p.match_drift) ** 2 * played[other]
                paths[k] += paths[other]
                self.mean[k] = self.mean[other] - from_elo(p.rust) * (1 - math.exp(-(time - t) / YEAR))
            else:
                variance[k] = from_elo(p.spread) ** 2 + from_elo(p.match_drift) ** 2
                level = int((time - start) / width) if width else 0
                paths[k, n : n + 1 + level] = 1
                self.mean[k] = from_elo(p.entry)
        self.prior = paths @ np.diag(variance) @ paths.T

    def fit(self) -> tuple[Floats, Floats]:
        """The mode and the covariance."""
        p, matches, n = self.p, self.matches, len(self.node)
        rows = np.arange(len(matches))
        design = np.zeros((len(matches), n))
        design[rows, self.first], design[rows, self.second] = 1, -1
        shift = design @ self.offset + from_elo(p.advantage) * matches.advantages
        weight = np.ones(len(matches)) if matches.weight is None else matches.weight
        new = np.exp(-self.before / p.pairing_matches)
        alike = 0.25 * p.pairing * (1 + p.pairing_new * np.abs(design) @ new)
        x = self.mean.copy()
        for _ in range(100):
            apart = design @ x
            e = 1 / (1 + np.exp(-(apart + shift)))
            curvature = np.diag(weight * e * (1 - e) + alike)
            slope = design.T @ (weight * (matches.pairs.score - e) - alike * apart)
            covariance = np.linalg.inv(np.eye(n) + self.prior @ design.T @ curvature @ design) @ self.prior
            step = covariance @ (slope + design.T @ curvature @ apart - design.T @ curvature @ design @ self.mean)
            x = self.mean + step
        return x, covariance


@pytest.mark.parametrize("seed", range(3))
def test_history_equals_dense_algebra(seed: int) -> None:
    parameters = FULL
    matches = simulate(parameters, seed=seed)
    smoother, mode = smooth(matches, parameters)
    tree = smoother.tree
    assert mode.converged
    assert tree.n_levels > 3
    first = smoother.timeline.day[smoother.timeline.is_first]
    dense = Dense(matches, parameters, n_levels=tree.n_levels, width=max(YEAR / 12, np.ptp(first) / 239))
    x, covariance = dense.fit()
    assert mode.strength[tree.n_levels :] == pytest.approx(x, abs=1e-6)
    bands = smoother.find_bands(mode)
    assert bands.variance == pytest.approx(np.diag(covariance), abs=1e-6)
    inner = np.flatnonzero(~smoother.timeline.is_first)
    assert bands.link[inner] == pytest.approx(covariance[inner, inner - 1], abs=1e-6)
