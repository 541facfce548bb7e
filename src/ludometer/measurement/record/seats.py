"""Seats: what it is worth to be listed first, or at home, or White, after allowing for strength.

The first seat's score minus a half is taken as the worth of the seat plus the difference of two strengths plus luck.
Where players sit here and there, strengths are free parameters, so that players of any strength may prefer a seat.
Where they keep their seats that tells nothing, and strengths are taken as draws from one population instead: what all
who sit first have in common is then the seat's.

The first of two names in a file need not be a seat at all. Results may have made the order (the winner is listed first,
always or in some sources), or a ranking (the favourite is listed first). Where nobody named the seats both are looked
for: the first by its mark that who is listed first depends on who won and on nothing else, the second by players who
are listed first the more often the stronger they are. No advantage is taken from the first kind, and the second cannot
be told from an advantage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches, Seats
from ludometer.scale import from_elo, to_elo

Interval = tuple[float, float]
Exempt = Literal["", "none", "winner first", "loser first", "order of places", "order by results"]

_PRACTICALLY_NEVER = 0.005
"""A seat that wins more rarely tells nothing about seats: the result decides who is listed there."""

_SURE = 2.58
"""Standard errors at which an advantage counts: once in 100 records without one."""

_WITHIN = 0.02
"""Where the standard error with free strengths is smaller, players sit here and there often enough."""

_MOST = 500_000
"""Matches that are looked at: more would tell the same."""

_KEPT = 0.1
"""The SD of the players' shares of first seats, beyond what chance makes of it, from which players keep their seats."""

_BY_RESULTS = 3e-5
"""How rarely players would be listed first as unevenly, or as evenly, if results alone decided on that."""

_ALIGNED, _RANKED = 0.35, 0.93
"""The correlation of strengths and shares of first seats, or the part of seats that one ranking of players foretells,
from which the order goes with strength."""

_MATTERS = 0.08
"""What the first of two scores beyond strength, from which it matters that the order goes with strength: less comes
from ratings that strengths do not quite follow."""

_WORTH_SAYING = 0.04
"""What the best seat of a table scores more than the worst, as a part of the way from last to first place, at least."""

_SLACK = 1e-6
"""Added to free strengths, so that their mean is determined."""


@dataclass(frozen=True)
class SeatAdvantage:
    """What the better seat is worth, in Elo points; positive if it is the first, or the one that a column names."""

    advantage: float | None = None
    interval: Interval | None = None
    """95%."""
    applied: bool = False
    """Whether it enters the expectations of the verdict."""
    excess: float = 0.0
    """How much more than the other seat it scores, from -1 to 1."""
    keeps_seats: bool = False
    """Whether players differ in how often they have the better seat."""
    exempt: Exempt = ""
    """Why the order of seats tells nothing; empty if it may."""
    clear: bool = False
    """Whether the advantage differs from 0."""
    follows_strength: bool = False
    """Whether players are listed by strength, as in files that name the favourite first: then nothing tells a seat's
    worth from strength."""
    by_seat: tuple[float, ...] = ()
    """Multiplayer matches: what each seat scores more than the mean, in parts of the way from last to first place."""

    @property
    def lead(self) -> float:
        """What enters expectations, in natural units; 0 where nothing does."""
        return from_elo(self.advantage) if self.applied and self.advantage is not None else 0.0

    @property
    def misleads(self) -> bool:
        """Whether there is an advantage that players keep and that no expectation allows for."""
        return self.clear and not self.applied and (self.keeps_seats or self.follows_strength)

    def lines(self) -> tuple[str, ...]:
        """In words; nothing where there is nothing to say."""
        if not self.clear:
            return ()
        if self.by_seat:
            best = int(np.argmax(self.by_seat)) + 1
            kept = "; players keep their seats, so this looks like skill" if self.keeps_seats else ""
            return (f"seats differ: players in seat {best} finish best, beyond their strength{kept}",)
        if self.advantage is None or self.interval is None:
            return ()
        if self.follows_strength:
            return (
                "the stronger players are listed first: if that is only the order of the file, say --advantage none; "
                "if the first seat is better off, --advantage order",
            )
        if self.exempt:
            return (
                f"players who are listed first score {0.5 + self.excess / 2:.0%}, by the seat's worth or by the way in "
                "which the file was written: nobody is listed first more often than their results let expect, so the "
                "verdict does not depend on which",
            )
        side = "first" if self.advantage > 0 else "second"
        low, high = sorted(abs(end) for end in self.interval)
        kept = "; players differ in how often they have it" if self.keeps_seats else ""
        worth = f"{abs(self.advantage):.0f} Elo points [{low:.0f}, {high:.0f}]"
        return (f"the {side} seat is worth {worth}{kept}; every expectation of the verdict allows for it",)

    def document(self) -> dict[str, Any]:
        """The JSON `record.seats`."""
        return {
            "advantage": self.advantage,
            "interval": None if self.interval is None else list(self.interval),
            "applied": self.applied,
            "players_keep_seats": self.keeps_seats,
            "follows_strength": self.follows_strength,
            "exempt": self.exempt or None,
            "by_seat": list(self.by_seat) or None,
        }

    def absent(self) -> dict[str, str]:
        """Why parts of it are null."""
        why = {
            "": "seats were not compared: multiplayer matches have one figure per seat, or there are too few matches",
            "none": "seats were declared to be equal",
            "winner first": "the winner is always listed first",
            "loser first": "the loser is always listed first",
            "order of places": "players are listed in the order of their places",
            "order by results": "who is listed first depends on who won, and on nothing else",
        }[self.exempt]
        absent = {"advantage": why, "interval": why} if self.advantage is None else {}
        if not self.exempt:
            absent["exempt"] = "the order of seats may tell something"
        if not self.by_seat:
            absent["by_seat"] = "only for multiplayer matches whose order of seats is not that of places"
        return absent


def estimate_advantage(matches: Matches, advantage: str | None = None) -> SeatAdvantage:
    """What the better seat is worth: the first, unless `matches.advantage` says match by match which one it is.

    `advantage` "none" declares all seats equal, and "order" that being listed first is a seat, not the outcome of
    results or rankings, which is otherwise looked at.

    >>> from ludometer.simulate import simulate_coin
    >>> fair = simulate_coin(100, 5_000, seed=1)
    >>> estimate_advantage(fair).applied
    False
    >>> halves = np.where(np.random.default_rng(1).random(5_000) < 0.6, 2, 0).astype(np.int8)
    >>> found = estimate_advantage(Matches.of_pairs(fair.pairs.first, fair.pairs.second, halves), "order")
    >>> found.applied, 50 < found.advantage < 90
    (True, True)
    """
    if advantage not in (None, "none", "order", "column"):
        raise LudometerError(f"advantage is 'order' or 'none', not {advantage!r}")
    if advantage == "none":
        return SeatAdvantage(exempt="none")
    if isinstance(matches.table, Seats):
        return _study_tables(matches.table, len(matches.players))
    if len(matches) < _FEWEST:
        return SeatAdvantage()
    return _study_pairs(matches, declared=advantage is not None)


_FEWEST = 50
"""Matches that can tell anything about seats."""


def _study_pairs(matches: Matches, *, declared: bool) -> SeatAdvantage:
    table = matches.pairs
    few = slice(None, None, -(-len(table) // _MOST))
    first, second, score = table.first[few], table.second[few], table.score[few]
    seat = matches.advantages[few].astype(np.float64)
    is_named = not isinstance(matches.advantage, str) or matches.advantage == "order" or declared
    if isinstance(matches.advantage, str):
        seat = np.ones(len(first))
    if not is_named:
        for exempt, seldom in (("winner first", score == 0), ("loser first", score == 1)):
            if seldom.mean() < _PRACTICALLY_NEVER:
                return SeatAdvantage(exempt=exempt)  # type: ignore[arg-type]
    if not seat.any():
        return SeatAdvantage()
    worth, error, strengths = _separate(_Meetings(first, second, len(matches.players)), score - 0.5, seat)
    if error is None:
        return SeatAdvantage()
    difference = strengths[first] - strengths[second]
    low, middle, high = (
        _to_points(value, difference, seat) for value in (worth - 1.96 * error, worth, worth + 1.96 * error)
    )
    clear, excess = abs(worth) > _SURE * error, float(np.clip(2 * worth, -1, 1))
    if clear and not is_named:
        meetings = _Meetings(first, second, len(matches.players))
        if meetings.is_ordered_by_results(score):
            return SeatAdvantage(middle, (low, high), excess=excess, exempt="order by results", clear=True)
        if error <= _WITHIN and meetings.is_ordered_by_strength(strengths):
            matters = abs(worth) > _MATTERS
            return SeatAdvantage(middle, (low, high), excess=excess, clear=matters, follows_strength=matters)
    kept = _keeps_seats(np.where(seat >= 0, first, second)[seat != 0], np.where(seat >= 0, second, first)[seat != 0])
    return SeatAdvantage(middle, (low, high), clear, excess if clear else 0.0, kept, clear=clear)


@dataclass(frozen=True, eq=False)
class _Meetings:
    """The matrix with a 1 for the first and a -1 for the second player of each match, and its products."""

    first: Codes
    second: Codes
    n_players: int

    def across(self, result: Floats) -> Floats:
        """What each player has in total."""
        return self._sum(self.first, result) - self._sum(self.second, result)

    def _sum(self, player: Codes, weights: Floats | None = None) -> Floats:
        return np.bincount(player, weights, minlength=self.n_players).astype(np.float64)

    def explain(self, result: Floats, slack: float) -> Floats:
        """The strengths that fit best; `slack` is the variance of luck over that of strengths."""
        from ludometer.kernels.skills.conjugate_gradients import conjugate_gradients

        played = self._sum(self.first) + self._sum(self.second)

        def multiply(strength: Floats) -> Floats:
            return self.across(strength[self.first] - strength[self.second]) + slack * strength

        return conjugate_gradients(multiply, self.across(result), played + slack, tolerance=1e-6, most_steps=200)

    def rest(self, result: Floats, slack: float) -> Floats:
        """What strengths do not explain."""
        strength = self.explain(result, slack)
        return np.asarray(result - strength[self.first] + strength[self.second])

    def is_ordered_by_results(self, score: Floats) -> bool:
        """Whether, once it is known who won, nothing more is to be learnt about who is listed first."""
        from scipy.special import chdtr, chdtrc

        decided = score != 0.5
        won = score[decided] == 1
        often = float(won.mean())
        # of each player: how much more often they are listed first than their wins and losses let expect
        surprise = np.where(won, 1 - often, -often)
        winner, loser = (
            np.where(won, *seats)
            for seats in ((self.first[decided], self.second[decided]), (self.second[decided], self.first[decided]))
        )
        total, count = self._sum(winner, surprise) - self._sum(loser, surprise), self._sum(winner) + self._sum(loser)
        some = count > 0
        squares, freedom = float((total[some] ** 2 / count[some]).sum()) / (often * (1 - often)), int(some.sum())
        return min(float(chdtr(freedom, squares)), float(chdtrc(freedom, squares))) > _BY_RESULTS

    def is_ordered_by_strength(self, strength: Floats) -> bool:
        """Whether stronger players are listed first more often, or one ranking of all players foretells the order."""
        first, second = self._sum(self.first), self._sum(self.second)
        count = first + second
        some = count > 0
        share, weight = first[some] / count[some] - 0.5, count[some]
        apart = self.explain(np.ones(len(self.first)), 1.0)
        foretold = float((apart[self.first] > apart[self.second]).mean())
        between = float(np.average(np.abs(share) < 0.25, weights=weight))
        own = strength[some] - np.average(strength[some], weights=weight)
        spread = np.sqrt(np.average(share**2, weights=weight) * np.average(own**2, weights=weight))
        aligned = float(np.average(share * own, weights=weight)) / max(float(spread), 1e-12)
        return (between > 0.2 and foretold > _RANKED) or (aligned > _ALIGNED and foretold > _FORETOLD)

    def variance(self, result: Floats) -> float:
        """Of the strengths, by the products of results of the same player in different matches."""
        total, count = self.across(result), self._sum(self.first) + self._sum(self.second)
        pair = self.first.astype(np.int64) * self.n_players + self.second
        again = np.unique(
            np.where(self.first < self.second, pair, self.second.astype(np.int64) * self.n_players + self.first),
            return_counts=True,
        )[1]
        products = (total**2).sum() - 2 * (result**2).sum()
        # two matches of the same two players share both strengths
        expected = (count * (count - 1)).sum() + 2 * (again * (again - 1)).sum()
        return max(float(products / max(expected, 1)), 0.0)


def _separate(meetings: _Meetings, result: Floats, seat: Floats) -> tuple[float, float | None, Floats]:
    """The seat's worth in score, its standard error (None if nothing tells), and the strengths, in score."""
    free = meetings.rest(seat, _SLACK)
    inside = float(free @ seat)
    spare = max(len(result) - meetings.n_players, 1)
    if inside > 0:
        worth = float(free @ result) / inside
        rest = meetings.rest(result - worth * seat, _SLACK)
        error = float(np.sqrt((rest @ rest) / spare / inside))
        if error <= _WITHIN:
            clean = result - worth * seat
            return worth, error, meetings.explain(clean, _slack(meetings, clean))
    # from the plain mean on; where strength and seat go together, the part of strength grows with each round
    worth = float(seat @ result / (seat @ seat))
    for _ in range(_ROUNDS):
        clean = result - worth * seat
        slack = _slack(meetings, clean)
        rest = meetings.rest(seat, slack)
        inside = float(rest @ seat)
        if not inside > 0:
            return worth, None, np.zeros(meetings.n_players)
        worth = float(rest @ result) / inside
    clean = result - worth * seat
    luck = max(float((clean**2).mean()) - 2 * meetings.variance(clean), 1e-4)
    return worth, float(np.sqrt(luck / inside)), meetings.explain(clean, _slack(meetings, clean))


_ROUNDS = 4
_FORETOLD = 0.6
"""The part of seats that a ranking foretells where order matters at all."""


def _slack(meetings: _Meetings, result: Floats) -> float:
    """The variance of luck over that of strengths."""
    spread = meetings.variance(result)
    luck = max(float((result**2).mean()) - 2 * spread, 1e-4)
    return luck / max(spread, 1e-5)


def _to_points(worth: float, difference: Floats, seat: Floats) -> float:
    """The Elo points that are worth so much score on average among players so far apart."""
    expected = np.clip(0.5 + difference[seat != 0], 0.02, 0.98)
    apart = np.log(expected / (1 - expected))
    low, high = -8.0, 8.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        # either of two players may have the seat
        gain = float(np.mean(_score(apart + middle) - _score(apart - middle))) / 2
        low, high = (middle, high) if gain < worth else (low, middle)
    return float(to_elo(0.5 * (low + high)))


def _score(apart: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-apart)))


def _keeps_seats(better: Codes, worse: Codes) -> bool:
    """Whether players differ in how often they have the better seat by more than chance allows."""
    n = int(max(better.max(initial=0), worse.max(initial=0))) + 1
    had, other = (np.bincount(seats, minlength=n) for seats in (better, worse))
    count = had + other
    some = count >= 2
    if not some.any():
        return False
    share, n_each = had[some] / count[some], count[some]
    beyond = float(np.average((share - 0.5) ** 2 - 0.25 / n_each, weights=n_each))
    return beyond > _KEPT**2


def _study_tables(table: Seats, n_players: int) -> SeatAdvantage:
    """Whether some seat of the most frequent size of tables does better than others."""
    sizes, counts = np.unique(table.sizes, return_counts=True)
    size = int(sizes[np.argmax(counts)])
    chosen = np.flatnonzero(table.sizes == size)
    chosen = chosen[:: -(-len(chosen) * size // (2 * _MOST))]
    seats = table.starts[chosen, np.newaxis] + np.arange(size)
    place, player = table.place[seats], table.player[seats]
    rising, falling = (float(ordered.all(axis=1).mean()) for ordered in (np.diff(place) >= 0, np.diff(place) <= 0))
    if max(rising, falling) > 1 - _PRACTICALLY_NEVER:
        return SeatAdvantage(exempt="order of places")
    if len(chosen) < _FEWEST:
        return SeatAdvantage()
    score = 0.5 - (place - 1) / (size - 1)
    score = score - score.mean(axis=1, keepdims=True)
    # strengths taken out: a player's mean score, drawn towards 0 by what chance makes of it
    rest = score - _mean_scores(player, score, n_players)[player]
    by_seat, error = rest.mean(axis=0), rest.std() / np.sqrt(len(chosen))
    by_seat = by_seat - by_seat.mean()
    clear = bool(((by_seat / error) ** 2).sum() * (size - 1) / size > _limit(size - 1))
    clear &= float(np.ptp(by_seat)) > _WORTH_SAYING
    return SeatAdvantage(
        clear=clear, keeps_seats=_keeps_places(player, n_players), by_seat=tuple(float(value) for value in by_seat)
    )


def _limit(freedom: int) -> float:
    """What chi-square exceeds once in 1,000 times."""
    from scipy.special import chdtri

    return float(chdtri(freedom, 0.001))


def _mean_scores(player: Codes, score: Floats, n_players: int) -> Floats:
    count = np.bincount(player.ravel(), minlength=n_players)
    total = np.bincount(player.ravel(), score.ravel(), minlength=n_players)
    noise = float((score**2).mean())
    pairs = float((count * (count - 1.0)).sum())
    spread = max((float((total**2).sum()) - float((score**2).sum())) / max(pairs, 1.0), 1e-6)
    return total / (count + noise / spread)


def _keeps_places(player: Codes, n_players: int) -> bool:
    """Whether players sit on the same seats more often than by chance."""
    size = player.shape[1]
    code = player.astype(np.int64) * size + np.arange(size)
    each = np.bincount(code.ravel(), minlength=n_players * size).reshape(n_players, size)
    count = each.sum(axis=1)
    some = count >= 2
    if not some.any():
        return False
    share, n_each = each[some] / count[some, np.newaxis], count[some]
    chance = (1 / size) * (1 - 1 / size) / n_each
    beyond = float(np.average(((share - 1 / size) ** 2).mean(axis=1) - chance, weights=n_each))
    return beyond > _KEPT**2
