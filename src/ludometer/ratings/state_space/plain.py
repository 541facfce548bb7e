"""The plain twin of the filter, for tests and for readers: the model in Elo points, one match after the other."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches
from ludometer.ratings.state_space.packing import days_of
from ludometer.ratings.state_space.parameters import YEAR, Parameters
from ludometer.scale import ELO

_MEMORY = 0.001


@dataclass
class Player:
    """What is believed of one player, in Elo points: the vector (strength, form), its covariance, and their career."""

    mean: Floats = field(default_factory=lambda: np.zeros(2))
    covariance: Floats = field(default_factory=lambda: np.zeros((2, 2)))
    with_entry: float = 0.0
    """The covariance of the strength with the level of newcomers."""
    last: float | None = None
    before: int = 0
    today: int = 0
    recent: float = 0.0


@dataclass
class PlainFilter:
    """Beliefs about all players and about the level of newcomers."""

    values: Parameters
    players: dict[int, Player] = field(default_factory=lambda: defaultdict(Player))
    entry: float = 0.0
    entry_variance: float = 0.0
    mean_level: float = 0.0
    clock: float | None = None

    def play(self, matches: Matches) -> Floats:
        """What was expected of the first player, match after match."""
        return np.array([*self._forecasts(matches)])

    def _forecasts(self, matches: Matches) -> Iterator[float]:
        pairs, values = matches.pairs, self.values
        days = days_of(matches.time, len(matches), -math.inf if self.clock is None else self.clock)
        weights = np.ones(len(matches)) if matches.weight is None else matches.weight
        for t in range(len(matches)):
            one, other = (self.players[int(codes[t])] for codes in (pairs.first, pairs.second))
            self._pass_time(days[t], one, other)
            self._let_in(one, other)
            for player in (one, other):
                player.last = days[t]
                player.covariance[0, 0] += values.match_drift**2
            if values.pairing:
                fresh = sum(math.exp(-player.before / values.pairing_matches) for player in (one, other))
                precision = 0.25 * values.pairing * (1 + values.pairing_new * fresh) / ELO**2
                difference, variance = self._difference(one, other)
                information = precision / (1 + precision * variance)
                self._learn(one, other, -information * difference, information)
            difference, variance = self._difference(one, other)
            lead = self._offset(one) - self._offset(other) + values.advantage * float(matches.advantages[t])
            kappa = 1 / math.sqrt(1 + math.pi / 8 * variance / ELO**2)
            expected = 1 / (1 + math.exp(-kappa * (difference + lead) / ELO))
            yield expected
            middle = (one.mean[0] + other.mean[0] + self._offset(one) + self._offset(other)) / 2
            slope = kappa / ELO * (pairs.halves[t] / 2 - expected)
            information = values.information * (kappa / ELO) ** 2 * expected * (1 - expected)
            # as so many results in turn, each of which finds less variance than the one before
            counts = weights[t] / (1 + max(weights[t] - 1, 0) * information * variance)
            self._learn(one, other, counts * slope, counts * information)
            self.mean_level += _MEMORY * (middle - self.mean_level)
            one.today += 1
            other.today += 1

    def _pass_time(self, now: float, *both: Player) -> None:
        values = self.values
        if self.clock is not None:
            self.entry_variance += values.entry_drift**2 / YEAR * (now - self.clock)
        self.clock = now
        for player in both:
            if player.last is None or now <= player.last:
                continue
            pause = now - player.last
            player.recent = (player.recent + player.today) * math.exp(-pause / values.activity_days)
            player.before, player.today = player.before + player.today, 0
            young = 1 + values.young_drift * math.exp(-player.before / values.young_matches)
            kept = np.array([1.0, math.exp(-pause / values.form_days)])
            noise = [values.drift**2 / YEAR * young * pause, values.form**2 * (1 - kept[1] ** 2)]
            player.covariance = player.covariance * np.outer(kept, kept) + np.diag(noise)
            player.mean = kept * player.mean
            player.mean[0] -= values.rust * (1 - math.exp(-pause / YEAR))

    def _let_in(self, one: Player, other: Player) -> None:
        new = [player.last is None for player in (one, other)]
        leads = [player.mean[0] + self._learnt(player) - self.mean_level for player in (other, one)]
        for player, is_new, lead, other_is_new in zip((one, other), new, leads, new[::-1], strict=True):
            if is_new:
                share = 0.0 if other_is_new else self.values.opponent_share
                player.mean[0] = self.entry + share * lead
                player.covariance = np.diag([self.values.spread**2 + self.entry_variance, self.values.form**2])
                player.with_entry = self.entry_variance
            # others may have told more about the entry level since this player last played
            player.with_entry = min(player.with_entry, self.entry_variance)

    def _learnt(self, player: Player) -> float:
        return self.values.learning * math.log2(1 + player.before / self.values.learning_matches)

    def _offset(self, player: Player) -> float:
        """What experience and recent matches add to the strength; only matches before the present time count."""
        return self._learnt(player) + self.values.activity * math.log2(1 + player.recent)

    def _difference(self, one: Player, other: Player) -> tuple[float, float]:
        """The mean and the variance of the difference of strength and form."""
        variance = one.covariance.sum() + other.covariance.sum()
        return float(one.mean.sum() - other.mean.sum()), float(variance)

    def _learn(self, one: Player, other: Player, slope: float, information: float) -> None:
        """Move the beliefs by an observation of the difference with this slope and curvature of its log likelihood."""
        covariance = one.with_entry - other.with_entry
        self.entry += covariance * slope
        self.entry_variance = max(self.entry_variance - covariance**2 * information, 0.0)
        for player, sign in ((one, 1), (other, -1)):
            gain = player.covariance.sum(axis=1)
            player.mean = player.mean + sign * gain * slope
            player.covariance = player.covariance - np.outer(gain, gain) * information
            player.with_entry -= sign * gain[0] * information * covariance
