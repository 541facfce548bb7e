"""Strengths of a tournament from its rating differences, and the strength of the engine from those of the players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Array, Codes, Floats
from ludometer.errors import LudometerError, NoFiniteFit

_PRINTED_PASSES = 10_000


def solve_strengths(
    first: Codes, second: Codes, difference: Floats, n_players: int, *, names: Sequence[str] | None = None
) -> Floats:
    """Strengths with mean 0 that minimise `sum (r_i - r_j - d_ij)^2` over the pairs (Ferreira 2012, eq. 3), exactly.

    The minimum solves the Laplacian system of the graph of pairs. `difference` may have lanes, `[pair][lane]`.
    Players in no pair, or in parts that no pair joins, are an error that names the parts.

    >>> solve_strengths(np.array([0, 1]), np.array([1, 2]), np.array([10.0, 20.0]), 3).round(9).tolist()
    [13.333333333, 3.333333333, -16.666666667]
    """
    first, second = np.asarray(first, np.int32), np.asarray(second, np.int32)
    difference = np.asarray(difference, np.float64)
    _check_finite(first, second, difference, names)
    check_connected(first, second, n_players, names)
    flow = np.zeros((n_players, *difference.shape[1:]))
    np.add.at(flow, first, difference)
    np.subtract.at(flow, second, difference)
    if n_players == 1:
        return flow
    laplacian = np.zeros((n_players, n_players))
    for one, other in ((first, second), (second, first)):
        np.add.at(laplacian, (one, one), 1.0)
        np.subtract.at(laplacian, (one, other), 1.0)
    strength = np.zeros_like(flow)
    # with the first player at 0 the system has one solution
    strength[1:] = np.linalg.solve(laplacian[1:, 1:], flow[1:])
    return np.asarray(strength - strength.mean(axis=0))


def iterate_as_printed(first: Codes, second: Codes, difference: Floats, rating: Floats) -> Floats:
    """Algorithm 2 as the printed strengths come out of it: player by player, each rounded to a whole number at once.

    Each player's strength becomes the mean of `r_j + d_ij` over his opponents, until nothing changes; then all are
    shifted to the mean of the known ratings. Rounding stops it before the least squares are reached: of Table 1 it
    gives every printed strength, the exact solution six of nine.
    """
    if not np.isfinite(rating).all():
        raise LudometerError("the printed iteration starts from the ratings of all players; some are not known")
    check_connected(first, second, len(rating))
    to: list[list[tuple[int, float]]] = [[] for _ in rating]
    for i, j, d in zip(np.asarray(first).tolist(), np.asarray(second).tolist(), difference.tolist(), strict=True):
        to[i].append((j, d))
        to[j].append((i, -d))
    strength = [float(value) for value in rating]
    for _ in range(_PRINTED_PASSES):
        before = list(strength)
        for i, met in enumerate(to):
            if met:
                strength[i] = float(round(sum(strength[j] + d for j, d in met) / len(met)))
        if strength == before:
            break
    else:
        raise NoFiniteFit("the printed iteration does not come to rest; the exact strengths exist")
    settled = np.array(strength)
    return np.asarray(np.rint(settled + rating.mean() - settled.mean()))


def shift_to_ratings(strength: Floats, rating: Floats) -> float | None:
    """What to add so that players with a known rating have its mean; None where no rating is known (step 4)."""
    known = np.isfinite(rating)
    return float(rating[known].mean() - strength[known].mean()) if known.any() else None


@dataclass(frozen=True)
class EngineStrength:
    """The strength of the engine (Algorithm 3): the mean of `r_i - d_i` over players with a finite difference."""

    by_rating: float | None
    """From the known ratings."""
    by_strength: float | None
    """From the estimated strengths of all players."""
    interval: tuple[float, float] | None = None
    n_players: int = 0
    """Players with a known rating and a finite difference."""
    given: float | None = None
    """A strength that was handed in and is used instead."""

    @property
    def strength(self) -> float | None:
        """What is used: the given one, else that by ratings."""
        return self.by_rating if self.given is None else self.given


def engine_strength(rating: Floats, difference: Floats, strength: Floats | None = None) -> EngineStrength:
    """The engine's strength from ratings and the players' differences against it; both may be unknown (NaN) for some.

    >>> engine_strength(np.array([2800.0, 2700.0]), np.array([-60.0, -140.0])).strength
    2850.0
    """
    finite = np.isfinite(difference)
    used = finite & np.isfinite(rating)
    by_rating = float((rating[used] - difference[used]).mean()) if used.any() else None
    by_strength = None
    if strength is not None and (placed := finite & np.isfinite(strength)).any():
        by_strength = float((strength[placed] - difference[placed]).mean())
    return EngineStrength(by_rating, by_strength, n_players=int(used.sum()))


def check_connected(first: Codes, second: Codes, n_players: int, names: Sequence[str] | None = None) -> None:
    """All players have to be joined by pairs; else the error names the parts."""
    from ludometer.kernels.components import components

    label = components(np.asarray(first, np.int32), np.asarray(second, np.int32), n_players)
    n_parts = int(label.max(initial=0)) + 1
    if n_parts <= 1:
        return
    parts = [_listed(np.flatnonzero(label == part), names) for part in range(min(n_parts, 6))]
    more = f"; and {n_parts - 6} parts more" if n_parts > 6 else ""
    raise LudometerError(
        f"the players fall into {n_parts} groups that no pair joins, so their strengths cannot be compared: "
        f"{'; '.join(parts)}{more}. Take one part, or compare them by way of the engine (method engine)"
    )


def _check_finite(first: Codes, second: Codes, difference: Floats, names: Sequence[str] | None) -> None:
    if not len(first):
        return
    rows = np.flatnonzero(~np.isfinite(difference.reshape(len(first), -1)).all(axis=1))
    if len(rows):
        i, j = int(first[rows[0]]), int(second[rows[0]])
        pair = f"{_name(i, names)} and {_name(j, names)}"
        raise NoFiniteFit(
            f"every gain of one is above every gain of the other, so there is no finite difference: {pair}"
            + (f" and {len(rows) - 1} pairs more" if len(rows) > 1 else "")
            + ". More moves help, or a comparison by way of the engine (method engine)"
        )


def _listed(codes: Array, names: Sequence[str] | None) -> str:
    more = f" and {len(codes) - 5} more" if len(codes) > 5 else ""
    return ", ".join(_name(int(code), names) for code in codes[:5]) + more


def _name(code: int, names: Sequence[str] | None) -> str:
    return str(code) if names is None else names[code]
