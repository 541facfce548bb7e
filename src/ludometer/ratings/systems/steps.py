"""Steps h(|x|) and win probability curves: checked for stability, and tabulated for the kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.scale import expected_score, from_elo

Curve = Callable[[Any], Any]
"""Win probability by rating difference in Elo points."""

Step = float | Callable[[Any], Any]
"""h, or h by the size of the rating difference, in Elo points."""

SPACING = 4.0
REACH = 4096.0
"""Tables have a node every 4 Elo points up to 4096, and are constant beyond."""

NODES = np.arange(0.0, REACH + SPACING, SPACING)


def step_bound(difference: Floats, *, curve: Curve | None = None) -> Floats:
    """2 / max_y [(wp(y) - wp(x)) / (y - x)]: below it the expected error of a rating shrinks (Smith 1994, section 4).

    >>> round(float(step_bound(np.array([0.0]))[0]))
    1390
    """
    there = np.concatenate((-NODES[:0:-1], NODES))
    at_there = _evaluate(curve or expected_score, there)
    size = np.abs(np.asarray(difference, np.float64)).ravel()
    here, slopes = _evaluate(curve or expected_score, size), _slopes(curve or expected_score, size)
    bound = np.empty(len(size))
    for k, (x, height, slope) in enumerate(zip(size, here, slopes, strict=True)):
        far = np.abs(there - x) >= SPACING / 2
        chord = (at_there - height)[far] / (there - x)[far]
        bound[k] = 2 / max(float(chord.max()), float(slope))
    return bound.reshape(np.shape(difference))


def largest_step(curve: Curve | None = None) -> float:
    """The largest constant step that is accepted, just below the bound."""
    return float(step_bound(np.zeros(1), curve=curve)[0]) * (1 - 1e-9)


def check_step(step: Step, *, curve: Curve | None = None) -> None:
    """Refuse a step at which ratings would be unstable, and name the difference at which it fails."""
    if curve is not None:
        check_curve(curve)
    sizes = NODES if callable(step) else np.zeros(1)
    steps = _evaluate(step, sizes) if callable(step) else np.array([float(step)])
    bad = ~(np.isfinite(steps) & (steps > 0))
    if bad.any():
        k = int(np.argmax(bad))
        raise LudometerError(f"h = {steps[k]:g} at a difference of {sizes[k]:g}: a step must be a number above 0")
    bounds = step_bound(sizes, curve=curve)
    if (steps >= bounds).any():
        k = int(np.argmax(steps >= bounds))
        raise LudometerError(
            f"h = {steps[k]:g} at a difference of {sizes[k]:g}: it must be below {bounds[k]:.4g}, "
            "or the expected error of a rating would not shrink"
        )


def check_curve(curve: Curve) -> None:
    """Refuse a curve that does not rise or for which wp(x) + wp(-x) is not 1."""
    above, below = _evaluate(curve, NODES), _evaluate(curve, -NODES)
    lacking = ~(np.abs(above + below - 1) < 1e-9) | (above > 1 + 1e-12)
    lacking[1:] |= np.diff(above) < -1e-12
    lacking[1] |= above[1] <= above[0]
    if lacking.any():
        x = NODES[int(np.argmax(lacking))]
        raise LudometerError(f"no win probability at a difference of {x:g}: it must rise, and wp(x) + wp(-x) be 1")


def step_of(change: Callable[[Any], Any], *, curve: Curve | None = None) -> Callable[[Any], Floats]:
    """h(|x|) from dyn(x), the change of the difference after a win of the player rated x higher.

    Refused unless dyn(x) wp(x) = dyn(-x) wp(-x) (weak stability): else players would gain by choosing opponents.

    >>> float(step_of(lambda x: 64 * expected_score(-x))(100.0))
    64.0
    """
    wp = curve or expected_score
    won, lost = (_evaluate(change, sign * NODES) * _evaluate(wp, sign * NODES) for sign in (1, -1))
    unequal = ~(np.abs(won - lost) <= 1e-9 * np.maximum(np.abs(won), np.abs(lost)))
    if unequal.any():
        k = int(np.argmax(unequal))
        raise LudometerError(
            f"dyn(x) wp(x) = {won[k]:.4g} but dyn(-x) wp(-x) = {lost[k]:.4g} at x = {NODES[k]:g}: "
            "players would gain by choosing opponents"
        )
    # from the side of the favourite's loss, where wp does not vanish
    h = _evaluate(change, -NODES) / _evaluate(wp, NODES)
    return lambda x: np.interp(np.abs(x), NODES, h)


def tabulate_curve(curve: Curve | None) -> Floats:
    """wp and its slope at the nodes on both sides of 0; empty for the logistic curve, which the kernels compute."""
    if curve is None:
        return np.empty((0, 2))
    nodes = np.concatenate((-NODES[:0:-1], NODES))
    slope = getattr(curve, "slope", None)
    slopes = _evaluate(slope, nodes) if callable(slope) else _slopes(curve, nodes)
    return np.column_stack((_evaluate(curve, nodes), SPACING * slopes))


def tabulate_half_step(step: Step) -> tuple[float, Floats]:
    """h / 2 in natural units for the kernels: a number, or a table."""
    if callable(step):
        return math.nan, from_elo(_evaluate(step, NODES) / 2)
    return from_elo(float(step) / 2), np.empty(0)


def spacing() -> float:
    """The distance of the nodes in natural units."""
    return from_elo(SPACING)


def describe(function: Any) -> Any:
    """A function by its name, a number unchanged, for lists of parameters."""
    if not callable(function):
        return function
    return str(getattr(function, "name", None) or getattr(function, "__name__", None) or type(function).__name__)


def _evaluate(function: Callable[[Any], Any], at: Floats) -> Floats:
    """A function that takes arrays, or one number at a time."""
    try:
        values = np.asarray(function(at), np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != at.shape:
        values = np.array([float(function(float(x))) for x in at])
    return values


def _slopes(curve: Curve, at: Floats) -> Floats:
    # a tenth of a point on both sides: rounding and curvature are both below 1e-7 of the slope at 0
    return (_evaluate(curve, at + 0.1) - _evaluate(curve, at - 0.1)) / 0.2
