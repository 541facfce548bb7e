"""Matches made of points: the chance to win one, and which curves points and matches can share.

Two kinds: lead by n points (Smith's), and first to n points (Stob's); Smith 1994, section 3.7 and theorem 8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ludometer.arrays import Floats
from ludometer.curves import Curve, check_probabilities, natural_unit
from ludometer.errors import LudometerError

Kind = Literal["lead by", "first to"]

_CLOSED = 1e-9
"""A smaller gap is rounding."""


def win_lead_by(p: Floats, n: int) -> Floats:
    """p^n / (p^n + (1 - p)^n): the chance to be n points ahead before being n behind (eq. 35).

    >>> win_lead_by(np.array([0.5, 0.6]), 2).round(4).tolist()
    [0.5, 0.6923]
    """
    chance = check_probabilities(p)
    _check_points(n)
    larger = np.maximum(chance, 1 - chance)
    # powers of a ratio of at most 1: nothing overflows, however long the match
    odds = (np.minimum(chance, 1 - chance) / larger) ** n
    return np.asarray(np.where(chance < 0.5, odds, 1.0) / (1 + odds))


def win_lead_by_recursion(p: Floats, n: int) -> Floats:
    """The same by steps: each point of lead gains (1 - p) / p times what the one before it gained."""
    chance = check_probabilities(p)
    _check_points(n)
    with np.errstate(divide="ignore"):
        ratio = np.minimum(chance, 1 - chance) / np.maximum(chance, 1 - chance)
    gain, gained = np.ones_like(chance), [np.ones_like(chance)]
    for _ in range(2 * n - 1):
        gain = gain * ratio
        gained.append(gain)
    # for the stronger the first n of 2 n steps lead from -n to 0, where the match begins
    stronger = np.sum(gained[:n], axis=0) / np.sum(gained, axis=0)
    return np.asarray(np.where(chance < 0.5, 1 - stronger, stronger))


def win_first_to(p: Floats, n: int) -> Floats:
    """The sum over j < n of C(n + j - 1, j) p^n (1 - p)^j: the chance to be the first with n points (eq. 36).

    Also that of the best of 2 n - 1. It is the incomplete beta function.

    >>> win_first_to(np.array([0.5, 0.6]), 2).round(4).tolist()
    [0.5, 0.648]
    """
    from scipy.special import betainc

    _check_points(n)
    return np.asarray(betainc(n, n, check_probabilities(p)))


def win_first_to_recursion(p: Floats, n: int) -> Floats:
    """The same by steps back from the end: the chance at i : j is p times that at i + 1 : j, and so on."""
    chance = check_probabilities(p)
    _check_points(n)
    # row[j]: the chance of the first at i : j, from i = n (won) down
    row = [np.ones_like(chance) for _ in range(n)]
    for _ in range(n):
        after = np.zeros_like(chance)
        for j in reversed(range(n)):
            after = row[j] = chance * row[j] + (1 - chance) * after
    return row[0]


@dataclass(frozen=True)
class Closure:
    """Whether a match has the curve of its points on another scale: curve(stretch x) = win(curve(x))."""

    curve: str
    kind: Kind
    n: int
    stretch: float
    gap: float
    """The largest difference of the two sides."""
    at: float
    """Where it is, in Elo points."""

    @property
    def closed(self) -> bool:
        """Whether the gap is rounding."""
        return self.gap < _CLOSED

    def summary(self) -> str:
        """One line."""
        if self.closed:
            return (
                f"{self.curve} is closed under matches of {self.kind} {self.n}: the scale is {self.stretch:.6g} wider"
            )
        return (
            f"{self.curve} is not closed under matches of {self.kind} {self.n}: off by {self.gap:.2g} at {self.at:.0f}"
        )


def check_closure(curve: Curve, n: int, *, kind: Kind = "lead by") -> Closure:
    """Compare a match's curve with that of its points, on the one scale at which both rise alike at 0.

    Logistic is closed under lead by n for every n; under first to n it is not, but `Stob(points=n)` is, for its own n.

    >>> from ludometer.curves import Logistic, Stob
    >>> check_closure(Logistic(), 3).closed, check_closure(Logistic(), 2, kind="first to").closed
    (True, False)
    >>> check_closure(Stob(), 2, kind="first to").closed, check_closure(Stob(), 3, kind="first to").closed
    (True, False)
    """
    stretch = match_stretch(n, kind=kind)
    win = win_lead_by if kind == "lead by" else win_first_to
    x = natural_unit(curve) * np.linspace(-12, 12, 2401)
    gap = np.abs(curve(stretch * x) - win(curve(x), n))
    worst = int(np.argmax(gap))
    return Closure(curve.name, kind, n, stretch, float(gap[worst]), float(x[worst]))


def match_stretch(n: int, *, kind: Kind = "lead by") -> float:
    """The slope of the match's chance at p = 1/2: n where a lead of n wins, n C(2n - 1, n) / 4^(n - 1) for the first.

    >>> match_stretch(2), match_stretch(2, kind="first to")
    (2.0, 1.5)
    """
    _check_points(n)
    if kind not in ("lead by", "first to"):
        raise LudometerError(f"a match is won by 'lead by' or 'first to' n points, not {kind!r}")
    return float(n) if kind == "lead by" else n * math.comb(2 * n - 1, n) / 4 ** (n - 1)


def timesharing_gap(curve: Curve) -> float:
    """The largest |1 - wp(x + y) - 2 (1 - wp(x)) (1 - wp(y))| for x, y > 0: 0 for timesharing alone (eq. 19).

    >>> from ludometer.curves import Logistic, Timesharing
    >>> timesharing_gap(Timesharing()) < 1e-15, timesharing_gap(Logistic()) > 0.01
    (True, True)
    """
    x, y = _differences(curve, 0)
    return float(np.abs(1 - curve(x + y) - 2 * (1 - curve(x)) * (1 - curve(y))).max())


def odds_gap(curve: Curve) -> float:
    """The largest |wp(x + y) - p q / (p q + (1 - p) (1 - q))|, p = wp(x), q = wp(y): 0 for logistic alone (eq. 23).

    >>> from ludometer.curves import Logistic, Normal
    >>> odds_gap(Logistic()) < 1e-15, odds_gap(Normal()) > 0.01
    (True, True)
    """
    x, y = _differences(curve, -6)
    won = curve(x) * curve(y)
    return float(np.abs(curve(x + y) - won / (won + curve(-x) * curve(-y))).max())


def _differences(curve: Curve, low: float) -> tuple[Floats, Floats]:
    units = natural_unit(curve) * np.linspace(low, 6, 121)
    return units[:, np.newaxis], units


def _check_points(n: int) -> None:
    if n < 1:
        raise LudometerError(f"a match needs at least 1 point, not {n}")
