"""Curves with a floor and a ceiling."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.curves.curve import Curve, check_probabilities
from ludometer.errors import LudometerError


@dataclass(frozen=True)
class Bounded:
    """floor + (ceiling - floor) curve(x): in such games even perfect play loses, and the worst wins now and then.

    Smith 1994, footnotes 4 and 7; with ceiling = 1 - floor, which is taken where none is given, it is Duersch et al.
    2020, footnote 34, for a game of which the share ceiling - floor is played. Another ceiling favours one seat.

    >>> from ludometer.curves import Logistic
    >>> Bounded(Logistic(), floor=0.1)(np.array([-4000.0, 0.0, 4000.0])).round(3).tolist()
    [0.1, 0.5, 0.9]
    """

    curve: Curve
    floor: float = 0.0
    ceiling: float = math.nan

    def __post_init__(self) -> None:
        if math.isnan(self.ceiling):
            object.__setattr__(self, "ceiling", 1 - self.floor)
        if not 0 <= self.floor < self.ceiling <= 1:
            raise LudometerError(
                f"floor and ceiling must be chances, the floor below the ceiling: not {self.floor} and {self.ceiling}"
            )

    @property
    def name(self) -> str:
        """That of the curve, and that it is bounded."""
        return f"bounded {self.curve.name}"

    @property
    def parameters(self) -> dict[str, Any]:
        """The bounds, and those of the curve."""
        return {"floor": self.floor, "ceiling": self.ceiling} | self.curve.parameters

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        return self.floor + (self.ceiling - self.floor) * self.curve(x)

    def slope(self, x: Floats) -> Floats:
        """Less steep than the curve by what the bounds take."""
        return (self.ceiling - self.floor) * self.curve.slope(x)

    def inverse(self, p: Floats) -> Floats:
        """The difference at which the chance is p: infinite at the bounds, none beyond."""
        chance = check_probabilities(p)
        if ((chance < self.floor) | (chance > self.ceiling)).any():
            raise LudometerError(f"no difference gives a chance below {self.floor:g} or above {self.ceiling:g}")
        return self.curve.inverse(np.clip((chance - self.floor) / (self.ceiling - self.floor), 0, 1))

    def with_slope(self, slope: float) -> Bounded:
        """The same bounds, the curve between them stretched to this slope at 0."""
        return replace(self, curve=self.curve.with_slope(slope / (self.ceiling - self.floor)))
