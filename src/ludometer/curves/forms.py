"""Curves with a formula: logistic, timesharing, normal (Smith 1994, section 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludometer.arrays import Floats
from ludometer.curves.curve import ELO_SLOPE, check_positive, check_probabilities
from ludometer.scale import ELO


@dataclass(frozen=True)
class Logistic:
    """1 / (1 + exp(-x / points_per_unit)): Zermelo, Bradley and Terry, Elo today; games of wrong moves (eq. 24).

    >>> Logistic()(np.array([0.0, 400.0])).round(3).tolist()
    [0.5, 0.909]
    """

    points_per_unit: float = ELO
    name: ClassVar[str] = "logistic"

    def __post_init__(self) -> None:
        check_positive("points_per_unit", self.points_per_unit)

    @property
    def parameters(self) -> dict[str, Any]:
        """The points in which odds grow by a factor e."""
        return {"points_per_unit": self.points_per_unit}

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-np.asarray(x) / self.points_per_unit)))

    def slope(self, x: Floats) -> Floats:
        """p (1 - p) / points_per_unit."""
        return self(x) * self(-np.asarray(x)) / self.points_per_unit

    def inverse(self, p: Floats) -> Floats:
        """The log-odds, in points."""
        chance = check_probabilities(p)
        with np.errstate(divide="ignore"):
            return np.asarray(self.points_per_unit * (np.log(chance) - np.log1p(-chance)))

    def with_slope(self, slope: float) -> Logistic:
        """The same curve with this slope at 0."""
        return Logistic(1 / (4 * check_positive("slope", slope)))


@dataclass(frozen=True)
class Timesharing:
    """1/2 [1 + sign(x) (1 - 2^(-|x| / halving))]: the better is now out of reach, now level (theorem 4).

    From 1 - wp(x + y) = 2 (1 - wp(x)) (1 - wp(y)), x, y > 0. The weaker's chance halves every `halving` points.

    >>> Timesharing(halving=200)(np.array([-400.0, 0.0, 200.0])).tolist()
    [0.125, 0.5, 0.75]
    """

    halving: float = math.log(2) / (2 * ELO_SLOPE)
    name: ClassVar[str] = "timesharing"

    def __post_init__(self) -> None:
        check_positive("halving", self.halving)

    @property
    def parameters(self) -> dict[str, Any]:
        """The points in which the weaker's chance halves."""
        return {"halving": self.halving}

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        weaker: Floats = 0.5 * np.exp2(-np.abs(x) / self.halving)
        return np.asarray(np.where(np.asarray(x) < 0, weaker, 1 - weaker))

    def slope(self, x: Floats) -> Floats:
        """Exponential on both sides."""
        return np.asarray(0.5 * math.log(2) / self.halving * np.exp2(-np.abs(x) / self.halving))

    def inverse(self, p: Floats) -> Floats:
        """How often the weaker's chance was halved."""
        chance = check_probabilities(p)
        with np.errstate(divide="ignore"):
            distance = -self.halving * np.log2(2 * np.minimum(chance, 1 - chance))
        return np.asarray(np.where(chance < 0.5, -distance, distance))

    def with_slope(self, slope: float) -> Timesharing:
        """The same curve with this slope at 0."""
        return Timesharing(math.log(2) / (2 * check_positive("slope", slope)))


@dataclass(frozen=True)
class Normal:
    """Phi(x / (root 2 sd)): both perform normally with this SD (Thurstone, Mosteller; Elo's own, with an SD of 200).

    >>> Normal(sd=200)(np.array([-200.0, 0.0, 200.0])).round(3).tolist()
    [0.24, 0.5, 0.76]
    """

    sd: float = 1 / (2 * math.sqrt(math.pi) * ELO_SLOPE)
    name: ClassVar[str] = "normal"

    def __post_init__(self) -> None:
        check_positive("sd", self.sd)

    @property
    def parameters(self) -> dict[str, Any]:
        """The SD of one performance."""
        return {"sd": self.sd}

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        from scipy.special import ndtr

        return np.asarray(ndtr(np.asarray(x) / (math.sqrt(2) * self.sd)))

    def slope(self, x: Floats) -> Floats:
        """The normal density."""
        z = np.asarray(x) / (math.sqrt(2) * self.sd)
        return np.asarray(np.exp(-0.5 * z * z) / (2 * math.sqrt(math.pi) * self.sd))

    def inverse(self, p: Floats) -> Floats:
        """The normal quantile."""
        from scipy.special import ndtri

        return np.asarray(math.sqrt(2) * self.sd * ndtri(check_probabilities(p)))

    def with_slope(self, slope: float) -> Normal:
        """The same curve with this slope at 0."""
        return Normal(1 / (2 * math.sqrt(math.pi) * check_positive("slope", slope)))
