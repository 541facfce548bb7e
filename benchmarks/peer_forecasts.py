"""Peers whose systems we do not have: trueskill, openskill, trueskillthroughtime, whole-history-rating.

Each is beside the nearest of ours, which is not the same. So that the ratio of costs means something, both rate the
first half of a record of known truth and forecast its second half, ratings as they stand; the log losses are beside
that of the true skills. Skills are normal with SD 200 Elo points and walk by 20 at random with each of 20 steps of
time; peers that have a drift are told it.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Glicko2, Static
from ludometer.ratings.catalogue import make_system
from ludometer.ratings.driver import prepare
from ludometer.scale import expected_score
from peer_comparison import Comparison, race

SD, DRIFT, STEPS = 200.0, 20.0, 20
PROBIT = 209.1
"""Elo points in a unit of performance, 173.7178 * 1.702 / root 2: Phi(d / root 2) is then near the logistic curve."""

_phi = np.vectorize(NormalDist().cdf, otypes=[np.float64])


@dataclass(frozen=True)
class Halved:
    """The half to rate, the half to forecast, and what true skills expect there."""

    seen: Matches
    step: Counts
    """When the matches that are seen were played."""
    first: Codes
    second: Codes
    halves: Halves
    truth: Floats

    def log_loss(self, expected: Floats) -> float:
        """Mean log loss of forecasts of the second half."""
        won = self.halves == 2
        return float(-np.log(np.where(won, expected, 1 - np.asarray(expected))).mean())


def simulate_drift(n_players: int, n_matches: int, seed: int) -> Halved:
    """Matches without draws between players drawn alike, whose skills walk at random."""
    rng = np.random.default_rng(seed)
    skill = SD * rng.standard_normal(n_players) + DRIFT * rng.standard_normal((STEPS, n_players)).cumsum(axis=0)
    step = np.arange(n_matches) * STEPS // n_matches
    first = rng.integers(0, n_players, n_matches).astype(np.int32)
    second = ((first + rng.integers(1, n_players, n_matches)) % n_players).astype(np.int32)
    expected = np.asarray(expected_score(skill[step, first] - skill[step, second]))
    halves = 2 * (rng.random(n_matches) < expected).astype(np.int8)
    half = n_matches // 2
    seen = Matches.of_pairs(
        first[:half], second[:half], halves[:half], players=Players.numbered(n_players), ordered=True
    )
    return Halved(seen, step[:half], first[half:], second[half:], halves[half:], expected[half:])


def compare_trueskill(share: float) -> Comparison:
    """rate_1vs1, match after match."""
    trueskill: Any = importlib.import_module("trueskill")
    record = _online_record(share)
    results, n_players = _winners_and_losers(record.seen), len(record.seen.players)
    environment = trueskill.TrueSkill(draw_probability=0.0)

    def fit() -> list[Any]:
        player = [environment.create_rating() for _ in range(n_players)]
        for winner, loser in results:
            player[winner], player[loser] = trueskill.rate_1vs1(player[winner], player[loser], env=environment)
        return player

    def forecast(player: list[Any]) -> Floats:
        return _forecast_normal(record, player, environment.beta)

    return _compare_online("TrueSkill, match by match", record, fit, forecast)


def compare_openskill(share: float) -> Comparison:
    """The model that its documentation shows first, Plackett-Luce by Weng and Lin, match after match."""
    models: Any = importlib.import_module("openskill.models")
    record = _online_record(share)
    results, n_players = _winners_and_losers(record.seen), len(record.seen.players)
    model = models.PlackettLuce()

    def fit() -> list[Any]:
        player = [model.rating() for _ in range(n_players)]
        for winner, loser in results:
            (player[winner],), (player[loser],) = model.rate([[player[winner]], [player[loser]]])
        return player

    def forecast(player: list[Any]) -> Floats:
        met = zip(record.first.tolist(), record.second.tolist(), strict=True)
        return np.array([model.predict_win([[player[i]], [player[j]]])[0] for i, j in met])

    return _compare_online("Weng-Lin, match by match", record, fit, forecast)


def compare_through_time(share: float) -> Comparison:
    """A history with the record's SD and drift, iterated as its documentation does for tennis."""
    module: Any = importlib.import_module("trueskillthroughtime")
    record = _whole_record(share)
    games = [[[str(winner)], [str(loser)]] for winner, loser in _winners_and_losers(record.seen)]
    times = record.step.tolist()

    def fit() -> Any:
        history = module.History(games, times=times, sigma=SD / PROBIT, beta=1.0, gamma=DRIFT / PROBIT, p_draw=0.0)
        history.convergence(epsilon=0.01, iterations=10, verbose=False)
        return history

    def forecast(history: Any) -> Floats:
        latest = {name: curve[-1][1] for name, curve in history.learning_curves().items()}
        newcomer = module.Gaussian(0.0, SD / PROBIT)
        player = [latest.get(str(code), newcomer) for code in range(len(record.seen.players))]
        return _forecast_normal(record, player, 1.0)

    return _compare_whole("TrueSkill through time", record, fit, forecast)


def compare_whole_history(share: float) -> Comparison:
    """Games loaded as lines of text, iterated until it says that it has converged."""
    whr: Any = importlib.import_module("whr")
    record = _whole_record(share)
    results = zip(_winners_and_losers(record.seen), record.step.tolist(), strict=True)
    lines = [f"{winner} {loser} B {step}" for (winner, loser), step in results]

    def fit() -> Any:
        model = whr.WHR({"w2": DRIFT**2})
        model.load_games(lines)
        model.auto_iterate()
        return model

    def forecast(model: Any) -> Floats:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # players who did not play in the first half
            return np.array(
                [
                    model.probability_future_match(str(i), str(j), account_for_uncertainty=True)[0]
                    for i, j in zip(record.first.tolist(), record.second.tolist(), strict=True)
                ]
            )

    return _compare_whole("whole-history rating", record, fit, forecast)


def _online_record(share: float) -> Halved:
    return simulate_drift(1_000, 2 * round(share * 40_000), seed=1)


def _whole_record(share: float) -> Halved:
    return simulate_drift(300, 2 * round(share * 6_000), seed=2)


def _winners_and_losers(matches: Matches) -> list[tuple[int, int]]:
    pairs = matches.pairs
    won = pairs.halves == 2
    winner, loser = np.where(won, pairs.first, pairs.second), np.where(won, pairs.second, pairs.first)
    return list(zip(winner.tolist(), loser.tolist(), strict=True))


def _forecast_normal(record: Halved, player: list[Any], beta: float) -> Floats:
    """Phi of the difference of means by the SD of the difference of performances."""
    mean, sd = np.array([(one.mu, one.sigma) for one in player]).T
    spread = np.sqrt(2 * beta**2 + sd[record.first] ** 2 + sd[record.second] ** 2)
    forecast: Floats = _phi((mean[record.first] - mean[record.second]) / spread)
    return forecast


def _compare_online(work: str, record: Halved, fit: Callable[[], Any], forecast: Callable[[Any], Floats]) -> Comparison:
    """Beside Glicko-2 with each match a period of its own: it filters match by match and knows how sure it is."""
    return _compare(work, "glicko2, one match per period", Glicko2(), record, fit, forecast)


def _compare_whole(work: str, record: Halved, fit: Callable[[], Any], forecast: Callable[[Any], Floats]) -> Comparison:
    """Beside static ratings, all results at once under a normal prior: they have no drift.

    Nothing is fitted while the record is played, once in the end.
    """
    return _compare(work, "static", Static(sd=SD, refit=len(record.seen) + 1), record, fit, forecast)


def _compare(
    work: str,
    name: str,
    system: Any,
    record: Halved,
    fit: Callable[[], Any],
    forecast: Callable[[Any], Floats],
) -> Comparison:
    def ours() -> Any:
        state, _ = system.play(system.start(len(record.seen.players)), record.seen)
        system.ratings(state)
        return state

    our_seconds, state, seconds, fitted = race(ours, fit)
    dynamic: Any = prepare(make_system("dynamic"), record.seen)
    moved, _ = dynamic.play(dynamic.start(len(record.seen.players)), record.seen)
    loss = {
        "peer": record.log_loss(forecast(fitted)),
        name: record.log_loss(system.expect(state, record.first, record.second)),
        "dynamic": record.log_loss(dynamic.expect(moved, record.first, record.second)),
        "true skills": record.log_loss(record.truth),
    }
    return Comparison(
        work, name, len(record.seen), len(record.seen.players), seconds, our_seconds, is_same=False, log_loss=loss
    )
