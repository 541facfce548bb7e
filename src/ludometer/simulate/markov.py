"""Games that are Markov chains: a start, two ways to end, and steps that depend on the players' X and Y.

Any such chain has a win probability function, linearised by R = log X: Smith 1994, section 3.4 and theorem 7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ludometer.arrays import Array, Counts, Floats, Mask
from ludometer.curves import ELO_SLOPE, invert, natural_unit
from ludometer.errors import LudometerError
from ludometer.scale import ELO

_SMALL = 64
"""Chains of up to so many states are eliminated all at once; larger ones are solved one by one."""

_TOGETHER = 1 << 22
"""Numbers in memory at a time."""


def absorb(source: Counts, target: Counts, probability: Floats, *, n_states: int) -> Floats:
    """The chance to end in the first end, started in state 0, for each row of step probabilities (m, steps).

    Targets n_states and n_states + 1 are the ends.
    """
    if n_states > _SMALL:
        return solve_sparse(source, target, probability, n_states=n_states)
    size = max(_TOGETHER // (n_states * (n_states + 2)), 1)
    parts = [
        eliminate(source, target, probability[k : k + size], n_states=n_states)
        for k in range(0, len(probability), size)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def eliminate(source: Counts, target: Counts, probability: Floats, *, n_states: int) -> Floats:
    """State after state is taken out and its steps given to those that lead to it, without a subtraction.

    So even a chance of 1e-200 keeps its digits (Grassmann, Taksar and Heyman 1985).
    """
    steps: list[dict[int, Floats]] = [{} for _ in range(n_states)]
    for start, end, chance in zip(source.tolist(), target.tolist(), probability.T, strict=True):
        if chance.any():
            steps[start][end] = steps[start].get(end, 0.0) + chance
    for state in reversed(range(1, n_states)):
        # a step from a state to itself only takes time
        leave = {end: chance for end, chance in steps[state].items() if end != state}
        total = sum(leave.values())
        for others in steps[:state]:
            into = others.pop(state, None)
            if into is not None:
                for end, chance in leave.items():
                    others[end] = others.get(end, 0.0) + into * (chance / total)
    won, lost = (steps[0].get(end, np.zeros(len(probability))) for end in (n_states, n_states + 1))
    return np.asarray(won / (won + lost))


def solve_dense(source: Counts, target: Counts, probability: Floats, *, n_states: int) -> Floats:
    """(1 - T) w = the chances of stepping to the first end: the plain twin of `eliminate`."""
    chain = _dense(source, target, probability, n_states)
    system, right = np.eye(n_states) - chain[:, :, :n_states], chain[:, :, n_states, np.newaxis]
    return np.asarray(np.linalg.solve(system, right)[:, 0, 0])


def solve_sparse(source: Counts, target: Counts, probability: Floats, *, n_states: int) -> Floats:
    """The same system with its zeros left out."""
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    inner, ending = target < n_states, target == n_states
    won = np.empty(len(probability))
    for k, row in enumerate(probability):
        steps = sparse.csc_array((row[inner], (source[inner], target[inner])), shape=(n_states, n_states))
        right = np.bincount(source[ending], row[ending], n_states)
        won[k] = spsolve((sparse.eye_array(n_states, format="csc") - steps).tocsc(), right)[0]
    return won


def _dense(source: Counts, target: Counts, probability: Floats, n_states: int) -> Floats:
    chain = np.zeros((len(probability), n_states, n_states + 2))
    # one after the other: a table may name a step twice
    for k, (start, end) in enumerate(zip(source, target, strict=True)):
        chain[:, start, end] += probability[:, k]
    return chain


Step = float | Callable[[Any, Any], Any]
"""The probability of a step: a number, or a function of X and Y (numbers or arrays)."""

FIRST, SECOND = "first", "second"
"""The two ends: the first player, who has X, or the second, who has Y, wins."""

_PROBES = np.array([[1.0, 1.0], [2.0, 1.0], [1.0, 3.0], [0.3, 0.7], [20.0, 1.5]])
_ROUNDING = 1e-9

_DIFFERENCES = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


@dataclass(frozen=True)
class MarkovCheck:
    """Which conditions of theorem 7 a chain fulfils; gaps are the largest over several X and Y."""

    row_gap: float
    """How far the steps out of a state are from summing to 1, or a probability from being one."""
    unreachable: tuple[str, ...]
    """States into which no way leads from the start."""
    endless: tuple[str, ...]
    """States out of which no way leads to an end."""
    swap_gap: float
    """|P(X, Y) + P(Y, X) - 1|: exchanging the players should exchange the winners."""
    scale_gap: float
    """|P(c X, c Y) - P(X, Y)|: only their ratio should matter, or R = log X does not linearise the game."""

    @property
    def is_chain(self) -> bool:
        """Whether it is a connected Markov chain."""
        return self.row_gap < _ROUNDING and not self.unreachable and not self.endless

    @property
    def is_fair(self) -> bool:
        """Whether it treats both players alike."""
        return self.swap_gap < _ROUNDING

    @property
    def is_linear(self) -> bool:
        """Whether R = log X makes the win probability a function of the difference."""
        return self.scale_gap < _ROUNDING


@dataclass(frozen=True, eq=False)
class MarkovGame:
    """A Markov chain from a start to one of two ends; made by `of_table` or `of_function`, which check it.

    >>> up, down = lambda x, y: x / (x + y), lambda x, y: y / (x + y)
    >>> deuce = MarkovGame.of_table({
    ...     "deuce": {"ahead": up, "behind": down},
    ...     "ahead": {"first": up, "deuce": down},
    ...     "behind": {"deuce": up, "second": down},
    ... })
    >>> round(float(deuce.win_probability(2.0, 1.0)), 6)
    0.8
    """

    states: tuple[str, ...]
    """States from which play continues; the first is the start."""
    source: Counts
    target: Counts
    """Steps by number: from state to state; n and n + 1 are the two ends."""
    steps: Callable[[Floats, Floats], Floats]
    """X and Y, of length m → (m, steps): the probability of each step."""

    @classmethod
    def of_table(cls, table: Mapping[str, Mapping[str, Step]], *, start: str | None = None) -> MarkovGame:
        """From the steps out of each state; the ends are called "first" and "second", the start is the first state."""
        states = [*table] if start is None else [start, *(state for state in table if state != start)]
        number = {state: k for k, state in enumerate([*states, FIRST, SECOND])}
        if start is not None and start not in table:
            raise LudometerError(f"there is no state {start!r} to start from")
        if {FIRST, SECOND} & {*table}:
            raise LudometerError(f"{FIRST!r} and {SECOND!r} are the ends: they cannot have steps")
        rows = [(state, to, step) for state in states for to, step in table[state].items()]
        if unknown := sorted({to for _, to, _ in rows} - number.keys()):
            raise LudometerError(f"steps lead to states that are not in the table: {', '.join(unknown)}")

        def steps(x: Floats, y: Floats) -> Floats:
            values = (step(x, y) if callable(step) else step for _, _, step in rows)
            return np.column_stack([np.broadcast_to(np.asarray(value, np.float64), x.shape) for value in values])

        source = np.array([number[state] for state, _, _ in rows], np.int64)
        target = np.array([number[to] for _, to, _ in rows], np.int64)
        return _checked(cls(tuple(states), source, target, steps))

    @classmethod
    def of_function(cls, function: Callable[[float, float], Array]) -> MarkovGame:
        """From a function of X and Y to a matrix (n, n + 2): one row per state, the start first, the two ends last."""
        n_rows, n_columns = np.shape(function(1.0, 1.0))
        if n_columns != n_rows + 2:
            raise LudometerError(f"a matrix of {n_rows} states needs {n_rows + 2} columns, not {n_columns}")

        def steps(x: Floats, y: Floats) -> Floats:
            return np.array([np.ravel(function(float(a), float(b))) for a, b in zip(x, y, strict=True)], np.float64)

        source, target = (index.ravel() for index in np.indices((n_rows, n_columns)))
        states = tuple(f"state {k}" for k in range(n_rows))
        return _checked(cls(states, source, target, steps))

    def win_probability(self, x: Floats | float, y: Floats | float) -> Floats:
        """The chance of the first player, for one X and Y or many."""
        shape = np.broadcast_shapes(np.shape(x), np.shape(y))
        first, second = (np.broadcast_to(np.asarray(value, np.float64), shape).ravel() for value in (x, y))
        if not ((first > 0) & (second > 0)).all():
            raise LudometerError("X and Y must be above 0")
        probability = self.steps(first, second)
        return absorb(self.source, self.target, probability, n_states=len(self.states)).reshape(shape)

    @cached_property
    def check(self) -> MarkovCheck:
        """What the chain has of what theorem 7 asks for."""
        x, y = _PROBES.T
        probability = self.steps(x, y)
        total = np.zeros((len(x), len(self.states)))
        for k, state in enumerate(self.source):
            total[:, state] += probability[:, k]
        row_gap = max(float(np.abs(total - 1).max()), float(-probability.min()), 0.0)
        unreachable, endless = self._unconnected(np.asarray((probability > 0).any(axis=0)))
        if endless or not row_gap < _ROUNDING:
            return MarkovCheck(row_gap, unreachable, endless, np.nan, np.nan)
        win = self.win_probability(x, y)
        swap_gap = float(np.abs(win + self.win_probability(y, x) - 1).max())
        scale_gap = float(np.abs(self.win_probability(3.7 * x, 3.7 * y) - win).max())
        return MarkovCheck(row_gap, unreachable, endless, swap_gap, scale_gap)

    def curve(self, *, slope: float = ELO_SLOPE) -> ChainCurve:
        """Its win probability function: R = log X, on a scale with this slope at 0; refused where there is none.

        >>> from ludometer.simulate.markov import lead_by
        >>> lead_by(3).curve()(np.array([0.0, 400.0])).round(3).tolist()
        [0.5, 0.909]
        """
        if not self.check.is_linear:
            raise LudometerError(
                f"the win probability is not a function of X / Y: off by {self.check.scale_gap:.2g} where both are "
                "multiplied by the same number"
            )
        if not self.check.is_fair:
            raise LudometerError(
                "exchanging X and Y does not exchange the winners: "
                f"the sum of the two chances differs from 1 by {self.check.swap_gap:.2g}"
            )
        return ChainCurve(self).with_slope(slope)

    def _unconnected(self, possible: Mask) -> tuple[tuple[str, ...], tuple[str, ...]]:
        n, source, target = len(self.states), self.source[possible], self.target[possible]
        reached, ending = np.zeros(n + 2, bool), np.zeros(n + 2, bool)
        reached[0] = ending[n:] = True
        for seen, start, end in ((reached, source, target), (ending, target, source)):
            while (new := seen[start] & ~seen[end]).any():
                seen[end[new]] = True
        names = [
            tuple(name for name, seen in zip(self.states, mask, strict=False) if not seen) for mask in (reached, ending)
        ]
        return names[0], names[1]


@dataclass(frozen=True, eq=False)
class ChainCurve:
    """The win probability function of a Markov game: log X is the rating, in units of so many points."""

    game: MarkovGame
    points_per_unit: float = ELO
    width: float = ELO
    """About 1 / (4 times the slope at 0): differences are taken over a small part of it."""

    @property
    def name(self) -> str:
        """Named after its size."""
        return f"Markov game of {len(self.game.states)} states"

    @property
    def parameters(self) -> dict[str, Any]:
        """The points in which X grows by a factor e."""
        return {"states": len(self.game.states), "points_per_unit": self.points_per_unit}

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        half = np.asarray(x, np.float64) / (2 * self.points_per_unit)
        return self.game.win_probability(np.exp(half), np.exp(-half))

    def slope(self, x: Floats) -> Floats:
        """By differences of eighth order: exact to about 13 digits, far out too."""
        # around -|x|, where differences are not lost beside 1
        at, step = -np.abs(np.asarray(x, np.float64)), 4e-3 * self.width
        rises = (weight * (self(at + k * step) - self(at - k * step)) for k, weight in _DIFFERENCES)
        return np.asarray(sum(rises) / step)

    def inverse(self, p: Floats) -> Floats:
        """By a search."""
        return invert(self, p)

    def with_slope(self, slope: float) -> ChainCurve:
        """The same curve with this slope at 0."""
        curve = self
        for _ in range(3):
            # the width that differences need is found by differences
            curve = replace(curve, width=natural_unit(curve))
        stretch = 1 / (4 * slope * curve.width)
        return replace(curve, points_per_unit=stretch * curve.points_per_unit, width=stretch * curve.width)


def lead_by(n: int) -> MarkovGame:
    """Points until one leads by n; X / (X + Y) is the chance to win a point. WM^n with X = p / (1 - p)."""
    if n < 1:
        raise LudometerError(f"a match needs at least 1 point, not {n}")
    names = {0: "0", n: FIRST, -n: SECOND} | {lead: f"{lead:+d}" for lead in range(1 - n, n) if lead}
    table = {names[lead]: {names[lead + 1]: _win, names[lead - 1]: _lose} for lead in range(1 - n, n)}
    return MarkovGame.of_table(table, start="0")


def first_to(n: int, *, lead: int = 1) -> MarkovGame:
    """Points until one has n of them, and leads by so many: the best of 2 n - 1, or a game of tennis with 4 and 2.

    >>> round(float(first_to(4, lead=2).win_probability(0.6, 0.4)), 4)
    0.7357
    """
    if not 1 <= lead <= n:
        raise LudometerError(f"a match needs at least 1 point, and a lead of 1 up to all of them, not {n} and {lead}")

    def name(i: int, j: int) -> str:
        if max(i, j) >= n and abs(i - j) >= lead:
            return FIRST if i > j else SECOND
        # where both are near the end, only the difference tells: 40 : 40 is deuce
        both = max(min(i, j) - (n - 1), 0)
        return f"{i - both}:{j - both}"

    table: dict[str, dict[str, Step]] = {}
    coming = [(0, 0)]
    while coming:
        i, j = coming.pop()
        state = name(i, j)
        if state in (FIRST, SECOND) or state in table:
            continue
        i, j = map(int, state.split(":"))
        table[state] = {name(i + 1, j): _win, name(i, j + 1): _lose}
        coming += [(i + 1, j), (i, j + 1)]
    return MarkovGame.of_table(table)


def _win(x: Any, y: Any) -> Any:
    return x / (x + y)


def _lose(x: Any, y: Any) -> Any:
    return y / (x + y)


def _checked(game: MarkovGame) -> MarkovGame:
    check, faults = game.check, []
    if not check.row_gap < _ROUNDING:
        faults.append(f"the steps out of a state are not probabilities that sum to 1 (off by {check.row_gap:.2g})")
    if check.unreachable:
        faults.append(f"no way leads from the start to {', '.join(check.unreachable[:5])}")
    if check.endless:
        faults.append(f"no way leads to an end from {', '.join(check.endless[:5])}")
    if faults:
        raise LudometerError("this is not a Markov game: " + "; ".join(faults))
    return game
