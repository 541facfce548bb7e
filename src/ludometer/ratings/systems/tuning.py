"""Dynamic systems with a fitted step: the one with the best forecasts of the record, or the best in Smith's theory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.systems.dynamic import Dynamic, DynamicShrinking
from ludometer.ratings.systems.steps import step_bound
from ludometer.scale import to_elo

Rule = Literal["log-loss", "optimal"]

_HALVINGS = 12
"""How often the first grid halves the largest stable step: from 1390 down to 0.3 Elo points for the logistic curve."""

_REGULAR = 25
"""Players with at least so many matches count for the spread of strengths."""


@dataclass(frozen=True)
class Calibrated:
    """A dynamic system that needs the record first: `fitted` gives the one that plays it.

    By "log-loss" h has the least log loss of forecasts made before each match; by "optimal" it is best in Smith's
    corrected theory for the SD of the strengths and the games that players play.

    >>> from ludometer.simulate import simulate_strengths
    >>> matches = simulate_strengths(100, 20_000, sd=200, seed=1)
    >>> 20 < Calibrated(Dynamic()).fitted(matches, in_sample=True).h < 80
    True
    """

    system: Dynamic | DynamicShrinking = Dynamic()  # noqa: RUF009 - it is frozen
    rule: Rule = "log-loss"

    def __post_init__(self) -> None:
        if self.rule not in ("log-loss", "optimal"):
            raise LudometerError(f"h is a number, log-loss or optimal, not {self.rule!r}")
        if self.rule == "optimal" and isinstance(self.system, DynamicShrinking):
            raise LudometerError("the optimal step is known only for a step that does not shrink: give h as a number")

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.system.name

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that are not fitted."""
        return {word: value for word, value in self.system.parameters.items() if word != "h"}

    def fitted(self, matches: Matches, *, in_sample: bool) -> Dynamic | DynamicShrinking:
        """The system with its h; `in_sample` if it will be scored on these matches too."""
        if not len(matches):
            raise MatchDataError("there are no matches")
        find = find_best_step if self.rule == "log-loss" else find_optimal_step
        return replace(self.system, h=find(self.system, matches), in_sample=in_sample)


def find_best_step(system: Any, matches: Matches) -> float:
    """The stable h with the least log loss: on a wide grid, then between the neighbours of the best."""
    from scipy.optimize import minimize_scalar

    grid = np.maximum(_largest(system) * 0.5 ** np.arange(_HALVINGS + 1), getattr(system, "floor", 0.0))[::-1]
    losses = np.array([log_loss_of(replace(system, h=float(h)), matches) for h in grid])
    best = int(np.argmin(losses))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    if low == high:
        return float(low)
    found = minimize_scalar(
        lambda point: log_loss_of(replace(system, h=float(np.exp(point))), matches),
        bounds=(np.log(low), np.log(high)),
        method="bounded",
        options={"xatol": 1e-3},
    )
    return float(np.exp(found.x)) if found.fun < losses[best] else float(grid[best])


def find_optimal_step(system: Dynamic | DynamicShrinking, matches: Matches) -> float:
    """The h with the least noise in theory, for the spread of strengths and the mean games of a player.

    Newcomers enter at the mean, so their error at entry is the spread itself.
    """
    from ludometer.ratings.noise.noise import optimal_step

    played = matches.counts
    sd = find_spread(system, matches)
    return min(float(optimal_step(sd=sd, games=float(played[played > 0].mean()))), _largest(system))


def find_spread(system: Dynamic | DynamicShrinking, matches: Matches) -> float:
    """The SD of strengths: that of ratings with the step of least log loss, corrected for their fluctuation.

    Over players with at least 25 matches, or over all players if fewer than two have them.
    """
    h = find_best_step(system, matches)
    calibrated = replace(system, h=h)
    state, _ = calibrated.play(calibrated.start(0), matches)
    played = matches.counts
    regular = played >= _REGULAR
    counted = regular if regular.sum() > 1 else played > 0
    variance = float(np.var(calibrated.ratings(state)[counted], ddof=1))
    # h / (4 Q) in theory; where that is all of it, the strengths hardly differ
    return float(np.sqrt(max(variance - to_elo(1.0) * h / 4, 0.01 * variance, 1.0)))


def log_loss_of(system: Any, matches: Matches) -> float:
    """The mean log loss of a system's forecasts of a record."""
    from ludometer.kernels.systems.dynamic import sum_log_loss

    _, expected = system.play(system.start(0), matches)
    return sum_log_loss(matches.pairs.halves, expected) / len(matches)


def _largest(system: Any) -> float:
    """The largest stable step."""
    return float(step_bound(np.zeros(1), curve=getattr(system, "curve", None))[0]) * (1 - 1e-9)
