"""Peers that fit a whole record at once: kickscore, trueskillthroughtime, whole-history-rating.

To forecast honestly, each is fitted to everything before a date, forecasts until the next date, and is fitted again
with what has been played since.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from forecast_peer import Knob, Peer, Values
from forecast_records import Record
from ludometer.arrays import Floats

YEAR = 365.25
KICKSCORE_DAYS, KICKSCORE_ITERATIONS = 45, 3
THROUGH_TIME_DAYS, THROUGH_TIME_ITERATIONS = 182, 3
WHOLE_HISTORY_DAYS, WHOLE_HISTORY_ITERATIONS = 365, 10
RECENT_YEARS = 6
"""Two packages are fitted to so many years only: they are slow, and forecasts depend little on what is older."""
SMALL = 60_000
"""Matches of the largest record that pure Python is asked to fit again and again."""


def refits(record: Record, start: int, days: float) -> Iterator[tuple[int, int]]:
    """Where each stretch of forecasts begins and ends: so many days, at least a match, never within a day."""
    begin = start
    while begin < len(record):
        end = int(np.searchsorted(record.day, record.day[begin] + days, side="left"))
        yield begin, end
        begin = end


class Kickscore:
    """Its ternary model as documented: items with a kernel, an item for playing at home, expectation propagation.

    Kernel and home item are those of the paper's study of football: a constant plus an exponential.
    """

    def __init__(self, values: Values) -> None:
        self.kickscore: Any = importlib.import_module("kickscore")
        self.model = self.kickscore.TernaryModel(margin=values["margin"])
        kernel = self.kickscore.kernel
        self.kernel = kernel.Constant(var=values["level"]) + kernel.Exponential(
            var=values["form"], lscale=values["years"]
        )
        self.model.add_item("home", kernel=kernel.Constant(var=1.0))

    def sides(self, first: int, second: int, *, home: bool) -> tuple[list[str], list[str]]:
        """The two lists of items; who is new gets an item."""
        names = [str(first)], [str(second)]
        for (name,) in names:
            if name not in self.model.item:
                self.model.add_item(name, kernel=self.kernel)
        return ([*names[0], "home"], names[1]) if home else names

    def observe(self, record: Record, begin: int, end: int) -> None:
        """Take in results."""
        for first, second, score, day, home in _rows(record, begin, end):
            one, other = self.sides(first, second, home=home)
            if score == 0.5:
                self.model.observe(one, other, t=day / YEAR, tie=True)
            else:
                winner, loser = (one, other) if score == 1 else (other, one)
                self.model.observe(winner, loser, t=day / YEAR)

    def fit(self, iterations: int) -> None:
        """Go on from where the last fit ended."""
        self.model.fit(max_iter=iterations, tol=1e-3)

    def expect(self, record: Record, begin: int, end: int) -> list[float]:
        """Chance to win and half the chance to draw."""
        expected = []
        for first, second, _, day, home in _rows(record, begin, end):
            one, other = self.sides(first, second, home=home)
            for name in (*one, *other):
                item = self.model.item[name].fitter
                item.is_fitted = item.is_fitted or not len(item.ts)  # an item without matches has nothing to fit
            won, drawn, _ = self.model.probabilities(one, other, t=day / YEAR)
            expected.append(won + drawn / 2)
        return expected


def forecast_kickscore(record: Record, values: Values, start: int) -> Floats:
    """A fit from the beginning, then one of few steps every so many days, which goes on from the last."""
    model = Kickscore(values)
    model.observe(record, 0, start)
    model.fit(30)
    expected: list[float] = []
    for begin, end in refits(record, start, KICKSCORE_DAYS):
        expected += model.expect(record, begin, end)
        model.observe(record, begin, end)
        model.fit(KICKSCORE_ITERATIONS)
    return np.array(expected)


def kickscore_evidence(record: Record, values: Values) -> float:
    """Its own log marginal likelihood per match, which its documentation says to maximise."""
    model = Kickscore(values)
    model.observe(record, 0, len(record))
    model.fit(10)
    return float(-model.model.log_likelihood / len(record))


def through_time_history(record: Record, begin: int, end: int, values: Values, iterations: int) -> Any:
    """A history with times in days; playing at home is a teammate without noise or drift."""
    module: Any = importlib.import_module("trueskillthroughtime")
    games, results, times = [], [], []
    for first, second, score, day, home in _rows(record, begin, end):
        games.append([[str(first), "home"], [str(second)]] if home else [[str(first)], [str(second)]])
        results.append([score, 1 - score])
        times.append(int(day))
    history = module.History(
        games,
        results=results,
        times=times,
        priors={"home": module.Player(module.Gaussian(0.0, 1.0), 0.0, 0.0)},
        sigma=values["sigma"],
        beta=1.0,
        gamma=values["gamma"],
        p_draw=values["draws"],
    )
    history.convergence(epsilon=0.01, iterations=iterations, verbose=False)
    return history


def forecast_through_time(record: Record, values: Values, start: int) -> Floats:
    """Fitted to the last years only, each half year."""
    from scipy.stats import norm

    module: Any = importlib.import_module("trueskillthroughtime")
    expected: list[float] = []
    for begin, end in refits(record, start, THROUGH_TIME_DAYS):
        history = through_time_history(record, _recent(record, begin), begin, values, THROUGH_TIME_ITERATIONS)
        last = {name: curve[-1] for name, curve in history.learning_curves().items()}
        margin = module.compute_margin(values["draws"], 2**0.5)
        for first, second, _, day, home in _rows(record, begin, end):
            difference, variance = 0.0, 2.0
            for name, sign in ((str(first), 1), (str(second), -1), *((("home", 1),) if home else ())):
                seen, skill = last.get(name, (day, module.Gaussian(0.0, values["sigma"])))
                drift = 0.0 if name == "home" else values["gamma"] ** 2 * (day - seen)
                difference += sign * skill.mu
                variance += skill.sigma**2 + drift
            ends = np.array([difference + margin, difference - margin]) / variance**0.5
            expected.append(float(norm.cdf(ends).mean()))
    return np.array(expected)


def through_time_evidence(record: Record, values: Values) -> float:
    """Its own log evidence per match."""
    history = through_time_history(record, 0, len(record), values, 4)
    return float(-history.log_evidence() / len(record))


def forecast_whole_history(record: Record, values: Values, start: int) -> Floats:
    """Games with the handicap key 1 at home, whose worth it learns, as it does that of draws; each year.

    Who has not played yet stands at the mean.
    """
    whr: Any = importlib.import_module("whr")
    expected: list[float] = []
    for begin, end in refits(record, start, WHOLE_HISTORY_DAYS):
        model = whr.WHR({"w2": values["w2"], "initial_prior_wins": values["prior"]})
        for first, second, score, day, home in _rows(record, _recent(record, begin), begin):
            winner = {1.0: "B", 0.5: "D", 0.0: "W"}[score]
            model.create_game(str(first), str(second), winner, int(day), int(home))
        model.iterate(WHOLE_HISTORY_ITERATIONS)
        expected += [
            _whole_history_expects(model, str(first), str(second), int(home))
            for first, second, _, _, home in _rows(record, begin, end)
        ]
    return np.array(expected)


def _whole_history_expects(model: Any, first: str, second: str, home: int) -> float:
    for name in (first, second):
        if name not in model.players:
            return 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two who are not linked by matches stand on scales of their own
        won, drawn, _ = model.win_draw_loss_probabilities(
            first, second, handicap_key=home, account_for_uncertainty=True
        )
    return float(won + drawn / 2)


def _recent(record: Record, begin: int) -> int:
    return int(np.searchsorted(record.day, record.day[begin] - RECENT_YEARS * YEAR))


def _rows(record: Record, begin: int, end: int) -> Iterator[tuple[int, int, float, float, bool]]:
    cut = slice(begin, end)
    columns = (record.first, record.second, record.score, record.day, record.home)
    return zip(*(column[cut].tolist() for column in columns), strict=True)


def _blind(forecast: Any, record: Record, values: Values, *rest: int) -> Any:
    return forecast(record.without_sides(), values, *rest)


_KICKSCORE = (
    Knob("margin", 0.3, 0.01, 1.0),
    Knob("level", 0.5, 0.01, 10.0),
    Knob("form", 0.5, 0.01, 10.0),
    Knob("years", 10.0, 0.2, 100.0),
)
_KICKSCORE_WORKS = f"all of the past fitted again every {KICKSCORE_DAYS} days"
_THROUGH_TIME = (Knob("sigma", 1.0, 0.1, 5.0), Knob("gamma", 0.02, 0.001, 0.2), Knob("draws", 0.25, 0.01, 0.6))
_THROUGH_TIME_WORKS = f"the last {RECENT_YEARS} years fitted again every {THROUGH_TIME_DAYS} days"
_WHOLE_HISTORY_WORKS = f"the last {RECENT_YEARS} years fitted again every {WHOLE_HISTORY_DAYS} days"

BATCH = (
    Peer(
        "kickscore",
        "kickscore, home item",
        "kickscore",
        forecast_kickscore,
        _KICKSCORE,
        evaluations=24,
        most=SMALL,
        tuned_on=12_000,
        objective=kickscore_evidence,
        works=_KICKSCORE_WORKS,
        knows_sides=True,
        remark="tuned by its own evidence",
    ),
    Peer(
        "kickscore",
        "kickscore",
        "kickscore",
        partial(_blind, forecast_kickscore),
        _KICKSCORE,
        evaluations=24,
        most=SMALL,
        tuned_on=12_000,
        objective=partial(_blind, kickscore_evidence),
        works=_KICKSCORE_WORKS,
        remark="tuned by its own evidence",
    ),
    Peer(
        "trueskillthroughtime",
        "TrueSkill Through Time, home item",
        "trueskillthroughtime",
        forecast_through_time,
        _THROUGH_TIME,
        most=SMALL,
        evaluations=16,
        tuned_on=4_000,
        objective=through_time_evidence,
        works=_THROUGH_TIME_WORKS,
        knows_sides=True,
        remark="tuned by its own evidence",
    ),
    Peer(
        "whole-history-rating",
        "whole-history rating, home key",
        "whr",
        forecast_whole_history,
        (Knob("w2", 10.0, 0.1, 1000.0), Knob("prior", 0.5, 0.05, 5.0)),
        evaluations=8,
        most=SMALL,
        tuned_on=3_000,
        works=_WHOLE_HISTORY_WORKS,
        knows_sides=True,
        remark=f"{WHOLE_HISTORY_ITERATIONS} iterations a fit",
    ),
)
