"""Ludometer's own systems in the forecast table, tuned to the first half as `evaluate` does it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from forecast_peer import Peer, Ready
from forecast_records import Record
from ludometer.arrays import Floats
from ludometer.ratings.catalogue import make_tuned_system
from ludometer.ratings.driver import prepare

REFERENCE = "state-space"
"""Differences are to this one."""


def fit_ours(record: Record, *, text: str, points: bool = False) -> Ready:
    """One of the catalogue's systems, as users write it."""
    matches = record.matches(points=points)
    system: Any = prepare(make_tuned_system(text), matches, np.arange(len(record)) >= record.half)

    def play() -> Floats:
        _, expected = system.play(system.start(0), matches)
        forecast: Floats = np.asarray(expected)[record.half :]
        return forecast

    return Ready(_numbers(system.parameters), play)


def fit_without_sides(record: Record, *, text: str) -> Ready:
    """The same, not told who is at home."""
    return fit_ours(record.without_sides(), text=text)


def fit_without_ground(record: Record, *, text: str) -> Ready:
    """The same, told who is named first but not that the ground is neutral."""
    return fit_ours(record.with_sides(), text=text)


def fit_with_points(record: Record, *, text: str) -> Ready:
    """The same, told goals or points of earlier matches; what is forecast is still who wins."""
    return fit_ours(record, text=text, points=True)


def _numbers(parameters: dict[str, Any]) -> dict[str, Any]:
    """Those parameters that are numbers, in few digits."""
    kept = {name: value for name, value in parameters.items() if isinstance(value, int | float)}
    return {name: float(f"{value:.4g}") for name, value in kept.items()}


def _ours(text: str, name: str = "", *, fit: Any = fit_ours, **suits: Any) -> Peer:
    return Peer("ludometer", name or text, "ludometer", fit=partial(fit, text=text), **suits)


OURS = (
    _ours(REFERENCE),
    _ours("state-space:refit=365", "state-space, refit every year", works="the past smoothed again every 365 days"),
    _ours(REFERENCE, "state-space, told the points", fit=fit_with_points, knows_points=True),
    _ours(REFERENCE, "state-space, neutral ground not told", fit=fit_without_ground, knows_ground=True),
    _ours(REFERENCE, "state-space, side not told", fit=fit_without_sides, knows_sides=True),
    _ours("elo"),
    _ours("best-fit"),
    _ours("dynamic"),
    _ours("dynamic-shrinking"),
    _ours("ics"),
    _ours("smith"),
    _ours("glicko2"),
)
