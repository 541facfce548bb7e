"""Two routes to x, and which of them the verdict takes.

By spread: benchmarks on the record's own schedule, matched by the spread of ratings. Exact where the schedule was made
without looking at results. By likelihood: the population that the results speak for, played anew on random pairs. It
does not care who was made to meet whom. On a clean record both agree, and the first is taken, whose interval is known
to cover. Where they disagree clearly the schedule reacted to results, and the second is taken; in between, both ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ludometer.arrays import Mask
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.inversion import Inversion
from ludometer.measurement.benchmarks.yardstick import CANNOT_TELL, CHANCE, Answer, Reference, Yardstick
from ludometer.measurement.edge.edge import Edge, Likelihood, measure_edge
from ludometer.measurement.edge.replay import replay
from ludometer.measurement.record.pairing import Pairing
from ludometer.measurement.record.seats import SeatAdvantage
from ludometer.parallel import Workers
from ludometer.ratings.prizes import Prizes

SPREAD, LIKELIHOOD, BOTH = "spread", "likelihood", "both"

_ALIKE, _APART = 1.2, 2.5
"""Standard errors between the routes: up to the first they agree, beyond the second one of them is wrong."""

_BACKWARDS = 4.0
"""Points of x that a long clean record does not differ by when it is played backwards; a short one by its doubt."""

_OUTER = 0.05
"""The part of the players at either end who may be of another kind."""

_EDGE, _REPLAYED, _MOMENT, _INNER = range(4)
"""Branches of the seed."""


@dataclass(frozen=True)
class Routes:
    """x by each route, and what the verdict rests on."""

    spread: Yardstick
    likelihood: Yardstick | None
    moment: Yardstick | None
    """Of skills that change; None where they stay."""
    inner: Yardstick | None
    """Without the players at either end; None where nobody is of another kind."""
    edge: Edge | None
    taken: str
    yardstick: Yardstick
    """What the verdict rests on."""
    apart: float
    """Between the two routes, in standard errors."""
    seated: Yardstick | None = None
    """As if the first seat were better, where it may be that the better players are listed first; else None."""
    backwards: float | None = None
    """Points of x by spread that the record shows more when it is played backwards in time."""
    is_open: bool = False
    """Whether opponents follow strength, which the likelihood would have to judge, and its draws do not settle."""

    @property
    def suspected(self) -> bool:
        """Whether the schedule seems to have been made by the results."""
        return self.taken != SPREAD or (self.moment is None and _differs(self.spread, self.backwards))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why, in plain words; nothing where the routes agree."""
        lines = []
        other = self.likelihood if self.moment is None else self.moment
        if self.moment is not None and self.edge is not None:
            left = f"a third of a lead is left after {100 * (self.edge.change or 0):.0f}% of the record"
            lines.append(f"skills change ({left}); the shares are those of any moment")
        if self.taken == LIKELIHOOD and other is not None:
            lines.append(
                "pairings or changes of skill bend the spread: ratings on this schedule spread like "
                f"{self.spread.deterministic.share} skill, but the results themselves speak for "
                f"{other.deterministic.share}, whoever was made to meet whom; the latter counts"
            )
        elif self.taken == BOTH and other is not None:
            lines.append(
                f"two ways to measure differ: {self.spread.deterministic.share} skill by the spread of ratings, "
                f"{other.deterministic.share} by likelihood; the interval holds both"
            )
        if self.seated is not None:
            lines.append(
                "whether the better players are listed first or the first seat is better, nothing here can tell: "
                f"{self.seated.deterministic.share} skill if it is the seat; the interval holds both"
            )
        return tuple(lines)

    def refusals(self) -> tuple[str, ...]:
        """What forbids an answer, in plain words."""
        if self.is_open:
            return (
                "opponents were not chosen at random, and the likelihood, which would not care, does not settle: the "
                "results tell too little",
            )
        if self.edge is None:
            return ()
        odd, lines = self.edge.oddities, []
        if odd.reacts:
            lines.append(
                "results depend on the result just before (the next match of a winner goes better than their strength "
                f"says: residuals correlate at {odd.streaks.size:.2f}), or the rows are not in order of time: matches "
                "cannot be counted one by one"
            )
        answer = self.yardstick.answer
        if self.inner is not None and _contradicts(answer, self.inner.answer):
            lines.append(
                f"a few players are of another kind than the others (cheats, bots, experts?): with them the answer is "
                f"'{answer}', without the {100 * _OUTER:.0f}% at either end '{self.inner.answer}'"
            )
        if odd.has_matchups and answer == CHANCE:
            lines.append(
                "some pairs of players have results of their own (meetings of the same two correlate at "
                f"{odd.matchups.size:.2f}), which ratings cannot show, so little spread does not mean chance"
            )
        return tuple(lines)


def _differs(spread: Yardstick, backwards: float | None) -> bool:
    """Whether the record shows something else backwards in time, by more than half of its interval."""
    low, high = spread.deterministic.interval
    return abs(backwards or 0.0) >= max(_BACKWARDS, 0.5 * (min(high, spread.deterministic.highest) - low))


def _contradicts(answer: Answer, other: Answer) -> bool:
    return answer not in (CANNOT_TELL, other)


@dataclass(frozen=True)
class Basis:
    """What the verdict rests on."""

    matches: Matches
    counted: Mask
    prizes: Prizes
    k: float
    seats: SeatAdvantage | None
    """What the first seat is worth, where it is worth something."""
    seed: Sequence[int]
    workers: Workers


def take_routes(spread: Yardstick, pairing: Pairing, basis: Basis, backwards: float | None) -> Routes:
    """Measure by likelihood too, and decide; `backwards` is what the record shows more when it is played backwards."""
    found = measure_edge(
        basis.matches,
        basis.counted,
        seats=basis.seats is not None and isinstance(basis.matches.table, Pairs),
        seed=[*basis.seed, _EDGE],
        workers=basis.workers,
    )
    if found is None:
        is_open = isinstance(basis.matches.table, Pairs) and (pairing.follows or _differs(spread, backwards))
        return Routes(spread, None, None, None, None, SPREAD, spread, 0.0, None, backwards, is_open)
    reference = spread.reference
    likelihood = _play(found, basis, reference, _REPLAYED)
    moment = None
    if found.changing is not None:
        # ratings follow skills that change, so it is these that they are held against
        moment = _play(replace(found, draws=found.changing), basis, reference, _MOMENT)
    other = likelihood if moment is None else moment
    apart = max(_distance(spread.deterministic, other.deterministic), _distance(spread.chess, other.chess))
    if moment is not None:
        other = moment = _reach_up(moment, found.seen)
    taken, yardstick = SPREAD, spread
    if not isinstance(basis.matches.table, Pairs):
        # at a table of many the best may be far ahead and the others alike: two of them do not tell who wins it
        apart = 0.0
    elif apart > _APART or not pairing.is_sound or (moment is None and _differs(spread, backwards)):
        taken, yardstick = LIKELIHOOD, replace(other, skill=spread.skill)
    elif apart > _ALIKE:
        taken, yardstick = BOTH, hold(spread, other)
    inner = _without_ends(found, basis, reference) if found.edge.oddities.has_outliers else None
    return Routes(spread, likelihood, moment, inner, found.edge, taken, yardstick, apart, None, backwards)


def _reach_up(yardstick: Yardstick, seen: float) -> Yardstick:
    """Upper ends as far as what skills do within a spell may hide."""

    def reach(inversion: Inversion) -> Inversion:
        low, high = inversion.interval
        return replace(inversion, ends=(low, min(high / seen, inversion.highest) if high < np.inf else high))

    return replace(yardstick, deterministic=reach(yardstick.deterministic), chess=reach(yardstick.chess))


def measure_by_likelihood(basis: Basis, reference: Reference) -> Yardstick | None:
    """x by likelihood alone, from shorter chains: for checks."""
    found = measure_edge(
        basis.matches,
        basis.counted,
        seats=basis.seats is not None and isinstance(basis.matches.table, Pairs),
        seed=[*basis.seed, _EDGE],
        workers=basis.workers,
        is_short=True,
    )
    return None if found is None else _play(found, basis, reference, _REPLAYED)


def _play(found: Likelihood, basis: Basis, reference: Reference, branch: int) -> Yardstick:
    return replay(
        basis.matches,
        basis.counted,
        found.draws,
        k=basis.k,
        prizes=basis.prizes,
        reference=reference,
        seats=basis.seats,
        seed=[*basis.seed, branch],
        workers=basis.workers,
    )


def _without_ends(found: Likelihood, basis: Basis, reference: Reference) -> Yardstick | None:
    """The same among those who are neither the best nor the worst few of the players who count."""
    skill = found.draws.skills.mean(axis=1)
    low, high = np.quantile(skill[basis.counted], [_OUTER, 1 - _OUTER])
    inside = (skill >= low) & (skill <= high)
    table = basis.matches.table
    if isinstance(table, Pairs):
        kept = inside[table.first] & inside[table.second]
    else:
        kept = np.logical_and.reduceat(inside[table.player], table.starts[:-1])
    fewer = replace(basis, matches=basis.matches.take(kept), counted=basis.counted & inside)
    if int(fewer.counted.sum()) < 10 or not len(fewer.matches):
        return None
    again = measure_edge(
        fewer.matches, fewer.counted, seats=basis.seats is not None, seed=[*basis.seed, _INNER], workers=basis.workers
    )
    return None if again is None else _play(again, fewer, reference, _INNER)


def _distance(one: Inversion, other: Inversion) -> float:
    """Between two estimates, in standard errors of both; beyond the family counts as its end."""
    places, errors = [], []
    for inversion in (one, other):
        low, high = (min(end, inversion.highest) for end in inversion.interval)
        places.append(min(inversion.estimate, inversion.highest))
        errors.append(max(high - low, 1.0) / 3.92)
    return float(abs(places[0] - places[1]) / np.hypot(errors[0], errors[1]))


def hold(one: Yardstick, other: Yardstick) -> Yardstick:
    """The intervals of both, and the estimate in between."""
    return replace(
        one,
        deterministic=_hull(one.deterministic, other.deterministic),
        chess=_hull(one.chess, other.chess),
    )


def _hull(one: Inversion, other: Inversion) -> Inversion:
    ends = (min(one.interval[0], other.interval[0]), max(one.interval[1], other.interval[1]))
    solutions = np.sort(np.concatenate((one.solutions, other.solutions)))
    return Inversion(solutions, one.highest, one.from_zero and other.from_zero, one.slope, ends)
