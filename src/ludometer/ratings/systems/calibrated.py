"""Dynamic systems with a fitted step: the one with the best forecasts of the record, or the best in Smith's theory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.systems.dynamic import Dynamic, DynamicShrinking
from ludometer.ratings.systems.steps import largest_step
from ludometer.ratings.systems.tuning import Tuned, tune
from ludometer.scale import to_elo

Rule = Literal["log-loss", "optimal"]

_REGULAR = 25
"""Players with at least so many matches count for the spread of strengths."""


@dataclass(frozen=True)
class Calibrated:
    """A dynamic system that needs the record first: `fitted` gives the one that plays it.

    By "log-loss" h, and the floor of a shrinking one, are tuned (`tuning.tune`) unless they are `fixed`; by "optimal" h
    is best in Smith's corrected theory for the SD of the strengths and the games that players play.

    >>> from ludometer.simulate import simulate_strengths
    >>> matches = simulate_strengths(100, 20_000, sd=200, seed=1)
    >>> 20 < Calibrated(Dynamic()).fitted(matches, in_sample=True).h < 80
    True
    """

    system: Dynamic | DynamicShrinking = Dynamic()  # noqa: RUF009 - it is frozen
    rule: Rule = "log-loss"
    fixed: tuple[str, ...] = ()

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
        return Tuned(self.system, self.fixed).parameters

    @property
    def untuned(self) -> Dynamic | DynamicShrinking:
        """The system with the step it comes with."""
        return self.system

    def fitted(self, matches: Matches, *, in_sample: bool) -> Dynamic | DynamicShrinking:
        """The system with its h; `in_sample` if it will be scored on these matches too."""
        if not len(matches):
            raise MatchDataError("there are no matches")
        if self.rule == "log-loss":
            return replace(tune(self.system, matches, fixed=self.fixed), in_sample=in_sample)
        return replace(self.system, h=find_optimal_step(self.system, matches), in_sample=in_sample)


def find_optimal_step(system: Dynamic | DynamicShrinking, matches: Matches) -> float:
    """The h with the least noise in theory, for the spread of strengths and the mean games of a player.

    Newcomers enter at the mean, so their error at entry is the spread itself.
    """
    from ludometer.ratings.noise.noise import optimal_step

    played = matches.counts
    sd = find_spread(system, matches)
    return min(float(optimal_step(sd=sd, games=float(played[played > 0].mean()))), largest_step(system.curve))


def find_spread(system: Dynamic | DynamicShrinking, matches: Matches) -> float:
    """The SD of strengths: that of ratings with the step of least log loss, corrected for their fluctuation.

    Over players with at least 25 matches, or over all players if fewer than two have them.
    """
    calibrated = tune(system, matches)
    state, _ = calibrated.play(calibrated.start(0), matches)
    played = matches.counts
    regular = played >= _REGULAR
    counted = regular if regular.sum() > 1 else played > 0
    variance = float(np.var(calibrated.ratings(state)[counted], ddof=1))
    # h / (4 Q) in theory; where that is all of it, the strengths hardly differ
    fluctuation = to_elo(1.0) * float(calibrated.h) / 4  # type: ignore[arg-type]  # tuned, so a number
    return float(np.sqrt(max(variance - fluctuation, 0.01 * variance, 1.0)))
