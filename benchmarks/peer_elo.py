"""Peers with the same rating systems as ours: Elo of riix, evalica and elote, Glicko-2 of glicko2."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches
from ludometer.ratings import Elo, Glicko2
from ludometer.simulate import simulate_strengths
from peer_comparison import Comparison, furthest, race

K, START = 16.0, 1500.0
PERIODS = 20


def compare_riix(share: float) -> Comparison:
    """Its sequential fit: matchups as an array of codes."""
    module: Any = importlib.import_module("riix.models.elo")
    matches = _elo_record(share)
    matchups = np.column_stack((matches.pairs.first, matches.pairs.second))
    score, names = matches.pairs.score, list(range(len(matches.players)))

    def fit() -> Any:
        model = module.Elo(names, initial_rating=START, k=K)
        model.fit_batch(matchups, score)
        return model.ratings

    return _compare_elo(matches, fit)


def compare_evalica(share: float) -> Comparison:
    """Its elo on lists of codes and winners, with the index made beforehand; it is compiled Rust."""
    evalica: Any = importlib.import_module("evalica")
    pandas: Any = importlib.import_module("pandas")
    matches = _elo_record(share)
    pairs = matches.pairs
    winners = [(evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X)[half] for half in pairs.halves]
    first, second = pairs.first.tolist(), pairs.second.tolist()
    index = pandas.Index(range(len(matches.players)))

    def fit() -> Any:
        found = evalica.elo(first, second, winners, index=index, initial=START, k=K)
        return found.scores.reindex(index).to_numpy()

    return _compare_elo(matches, fit)


def compare_elote(share: float) -> Comparison:
    """Two competitors a match, who beat, lose to or tie with each other."""
    elote: Any = importlib.import_module("elote")
    matches = _elo_record(share)
    pairs = matches.pairs
    results = list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.halves.tolist(), strict=True))

    def fit() -> Any:
        player = [elote.EloCompetitor(initial_rating=START, k_factor=K) for _ in range(len(matches.players))]
        for i, j, half in results:
            if half == 2:
                player[i].beat(player[j])
            elif half == 0:
                player[j].beat(player[i])
            else:
                player[i].tied(player[j])
        return np.array([one.rating for one in player])

    return _compare_elo(matches, fit)


def compare_glicko2(share: float) -> Comparison:
    """Twenty rating periods; who played whom in each is gathered beforehand, ratings of opponents are not.

    The package has the square of the rating where step 5 of Glickman's paper has that of the deviation, so volatilities
    differ. With that one line as the paper has it the two have to agree but for its rounded 173.7178.
    """
    glicko2: Any = importlib.import_module("glicko2")
    n_matches = PERIODS * round(share * 5_000)
    matches = simulate_strengths(2_000, n_matches, draws=0.1, seed=1)
    n_players = len(matches.players)
    seasons = _gather_periods(matches, n_matches // PERIODS)
    system = Glicko2(tau=0.5, period_matches=n_matches // PERIODS)

    class Corrected(glicko2.Player):  # type: ignore[misc]
        def _f(self, x: float, delta: float, v: float, a: float) -> float:
            total = (self.rd / 173.7178) ** 2 + v + math.exp(x)
            slope: float = math.exp(x) * (delta**2 - total) / (2 * total**2) - (x - a) / self._tau**2
            return slope

    def ours() -> Floats:
        state, _ = system.play(system.start(n_players), matches)
        return system.ratings(state)

    our_seconds, rating, seconds, other = race(ours, lambda: _play_periods(glicko2.Player, n_players, seasons))
    corrected = furthest(rating, _play_periods(Corrected, n_players, seasons))
    return Comparison(
        f"Glicko-2, {PERIODS} periods",
        "glicko2",
        n_matches,
        n_players,
        seconds,
        our_seconds,
        difference=furthest(rating, other),
        remark=f"its volatility uses the rating in place of the deviation; with that fixed {corrected:.2g} Elo points",
    )


def _elo_record(share: float) -> Matches:
    return simulate_strengths(20_000, round(share * 1_000_000), activity=1.2, draws=0.1, seed=0)


def _compare_elo(matches: Matches, fit: Callable[[], Floats]) -> Comparison:
    """One pass with one k; ours keeps the forecasts too."""
    system = Elo(k=K, start_rating=START)

    def ours() -> Floats:
        state, _ = system.play(system.start(len(matches.players)), matches)
        return system.ratings(state)

    our_seconds, rating, seconds, other = race(ours, fit)
    difference = furthest(rating, other)
    return Comparison(
        "Elo, one pass", "elo", len(matches), len(matches.players), seconds, our_seconds, difference=difference
    )


Season = list[tuple[int, list[int], list[float]]]


def _gather_periods(matches: Matches, size: int) -> list[Season]:
    """For each period each player who played in it, his opponents and his scores."""
    pairs = matches.pairs
    seasons = []
    for begin in range(0, len(matches), size):
        part = slice(begin, begin + size)
        played: dict[int, tuple[list[int], list[float]]] = {}
        for i, j, half in zip(
            pairs.first[part].tolist(), pairs.second[part].tolist(), pairs.halves[part].tolist(), strict=True
        ):
            for player, opponent, score in ((i, j, half / 2), (j, i, 1 - half / 2)):
                opponents, scores = played.setdefault(player, ([], []))
                opponents.append(opponent)
                scores.append(score)
        seasons.append([(player, *lists) for player, lists in played.items()])
    return seasons


def _play_periods(kind: Any, n_players: int, seasons: list[Season]) -> Floats:
    """Who has played before and does not in a period grows uncertain, as the package's documentation asks."""
    player = [kind() for _ in range(n_players)]
    known: set[int] = set()
    for season in seasons:
        before = [(one.rating, one.rd) for one in player]
        for i, opponents, scores in season:
            player[i].update_player([before[j][0] for j in opponents], [before[j][1] for j in opponents], scores)
        playing = {entry[0] for entry in season}
        for i in known - playing:
            player[i].did_not_compete()
        known |= playing
    return np.array([one.rating for one in player])
