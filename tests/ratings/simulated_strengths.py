"""Records of players whose strengths start, move and show as the state-space model says."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings.state_space.parameters import YEAR, Parameters
from ludometer.scale import ELO


def simulate(
    values: Parameters, n: int, n_players: int, *, years: float = 4.0, seed: int = 1, draws: float = 0.0
) -> tuple[Matches, Floats]:
    """Matches on random days between players who have entered by then, and the true strength of both before each."""
    rng = np.random.default_rng(seed)
    day = np.sort(rng.integers(0, int(years * YEAR), n))
    entered = np.sort(rng.uniform(-0.3, 0.95, n_players)) * years * YEAR
    walk = np.cumsum(rng.normal(0, values.entry_drift / np.sqrt(YEAR), int(years * YEAR) + 1))
    x, form, last = np.full(n_players, np.nan), np.zeros(n_players), np.full(n_players, -1)
    before, today, recent = np.zeros(n_players), np.zeros(n_players), np.zeros(n_players)
    first, second, halves, truth = (np.empty(n, int), np.empty(n, int), np.empty(n, np.int8), np.empty((n, 2)))

    def enter(i: int, now: int) -> None:
        if np.isnan(x[i]):
            x[i] = walk[now] + rng.normal(0, values.spread)
            form[i] = rng.normal(0, values.form)
        elif now > last[i]:
            pause = now - last[i]
            recent[i] = (recent[i] + today[i]) * np.exp(-pause / values.activity_days)
            before[i] += today[i]
            today[i] = 0
            young = 1 + values.young_drift * np.exp(-before[i] / values.young_matches)
            x[i] += rng.normal(0, values.drift * np.sqrt(pause / YEAR * young))
            x[i] -= values.rust * (1 - np.exp(-pause / YEAR))
            kept = np.exp(-pause / values.form_days)
            form[i] = kept * form[i] + rng.normal(0, values.form * np.sqrt(1 - kept**2))
        x[i] += rng.normal(0, values.match_drift)
        last[i] = now

    def strength(i: int) -> float:
        learnt = values.learning * np.log2(1 + before[i] / values.learning_matches)
        return float(x[i] + form[i] + learnt + values.activity * np.log2(1 + recent[i]))

    for t in range(n):
        here = max(2, int(np.searchsorted(entered, day[t])))
        while True:
            i, j = rng.choice(here, 2, replace=False)
            known = not (np.isnan(x[i]) or np.isnan(x[j]))
            apart = (x[i] + form[i] - x[j] - form[j]) / ELO if known else 0.0
            if rng.random() < np.exp(-0.125 * values.pairing * apart**2):
                break
        enter(i, day[t])
        enter(j, day[t])
        first[t], second[t], truth[t] = i, j, (strength(i), strength(j))
        p = 1 / (1 + np.exp(-(truth[t, 0] - truth[t, 1] + values.advantage) / ELO))
        halves[t] = 1 if rng.random() < draws * 4 * p * (1 - p) else 2 * (rng.random() < p)
        today[i] += 1
        today[j] += 1
    matches = Matches.of_pairs(
        first, second, halves, time=day.astype("datetime64[D]"), players=Players.numbered(n_players)
    )
    return (matches.with_columns(advantage="order") if values.advantage else matches), truth
