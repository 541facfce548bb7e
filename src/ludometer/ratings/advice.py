"""`advise`: which match would tell most.

Ratings and their errors are taken for a normal belief with covariance C (natural units). A match between i and j shows
something about d = x_i - x_j, of mean m and variance s^2 in that belief. Its outcomes o have probabilities P_o(d), so
by the law of total variance the match takes on average

    R = sum_o E[(d - m) P_o(d)]^2 / E[P_o(d)]

from the variance of d, exactly; and from that of any other sum of ratings with covariance c with d, R c^2 / s^4. A goal
is a sum of such variances, or of doubts about who is better that are so to first order: with its matrix L the gain of a
match is R / s^4 (a' C L C a), a = 1 at i and -1 at j. Many pairs are compared at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.chart_style import INK
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.catalogue import default_system
from ludometer.ratings.draws import DrawTally, draw_probability
from ludometer.ratings.driver import AnySystem, RatingSystem, Tally, prepare
from ludometer.ratings.systems.static import Static
from ludometer.result import Provenance, Shown
from ludometer.scale import ELO, expected_score
from ludometer.wording import format_table, percent

if TYPE_CHECKING:
    import polars as pl

Goal = Literal["ratings", "ranks", "top"]

_MOST_PLAYERS, _MOST_IN_ROUND = 1000, 300
"""All pairs of so many are compared: once, or anew for each match of a round."""
_NODES = 24
_CHUNK = 1 << 16
_GRID = 1000
_PURPOSES = {
    "ratings": "the ratings of all players",
    "ranks": "the order of all players",
    "top": "who is first",
}
_UNITS = {
    "ratings": "of the variance of ratings",
    "ranks": "of the doubt about the order",
    "top": "of the doubt about who is first",
}


@dataclass(frozen=True)
class Suggestion:
    """A match, and what it would tell."""

    first: str
    second: str
    expected_score: float
    """Of the first player."""
    error: float
    """The SD of the difference of the two ratings: Elo points."""
    error_after: float
    """The same after the match: the root of the variance that is to be expected."""
    gain: float
    """By how much the goal's doubt falls on average."""
    share: float
    """The same as a share of the present doubt."""


@dataclass(frozen=True)
class Advice(Shown):
    """Matches by what they would tell, best first."""

    suggestions: tuple[Suggestion, ...]
    goal: Goal
    player: str | None
    """Whose matches were compared, if not everybody's."""
    as_round: bool
    """Whether nobody plays twice, and each match counts on those before it."""
    doubt: float
    """Ratings: the sum of variances (Elo points squared); ranks: of q (1 - q) over pairs; top: 1 - the sum of p^2."""
    n_compared: int
    """Players among whom all pairs were compared."""
    n_matches: int
    n_players: int
    draw_rate: float
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """player_1, player_2, expected_score, error, error_after, gain, share: best first."""
        import polars as pl

        return pl.DataFrame([_row(one) for one in self.suggestions])

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "system": self.provenance.method,
            "parameters": self.provenance.parameters,
            "goal": self.goal,
            "player": self.player,
            "round": self.as_round,
            "doubt": self.doubt,
            "compared_players": self.n_compared,
            "matches": [_row(one) for one in self.suggestions],
            "absent": {} if self.player is not None else {"player": "the matches of all players were compared"},
        }

    def summary(self) -> str:
        """The best matches as a table, and the first in words."""
        purpose = f"the rating of {self.player}" if self.player and self.goal == "ratings" else _PURPOSES[self.goal]
        rows = [
            (
                str(place),
                one.first,
                one.second,
                percent(one.expected_score, 0),
                f"{one.error:.0f} → {one.error_after:.0f}",
                percent(one.share, 2),
            )
            for place, one in enumerate(self.suggestions, 1)
        ]
        best = self.suggestions[0]
        lines = [
            f"Matches that would tell most about {purpose}, by {self.provenance.method}:",
            format_table(["", "player", "opponent", "forecast", "error of the difference", "gain"], rows, left=(1, 2)),
            f"{best.first} against {best.second} would shrink the error of their difference from {best.error:.0f} to "
            f"{best.error_after:.0f} points, and remove {percent(best.share, 2)} {self._unit}",
        ]
        if self.as_round:
            removed = percent(sum(one.share for one in self.suggestions), 1)
            lines.append(f"the {len(self.suggestions)} matches together would remove {removed}")
        if self.n_compared < self.n_players:
            lines.append(f"compared: all pairs of the {self.n_compared:,} players most in doubt, of {self.n_players:,}")
        return "\n".join(lines)

    @property
    def _unit(self) -> str:
        return "of the variance of that rating" if self.player and self.goal == "ratings" else _UNITS[self.goal]

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The gains as bars."""
        import altair as alt

        rows = [{"match": f"{one.first} – {one.second}", "gain": 100 * one.share} for one in self.suggestions]
        chart = (
            alt.Chart(alt.InlineData(values=rows), width=200 if narrow else 360, title="What a match would tell")
            .mark_bar(color=INK)
            .encode(x=alt.X("gain:Q", title=f"Percent {self._unit}"), y=alt.Y("match:N", title=None, sort=None))
        )
        return {"gains": chart}


def _row(one: Suggestion) -> dict[str, Any]:
    named = vars(one)
    return {"player_1": named["first"], "player_2": named["second"]} | {
        name: value for name, value in named.items() if name not in ("first", "second")
    }


def advise(
    matches: Matches | Iterable[Matches],
    *,
    system: AnySystem | None = None,
    goal: Goal = "ratings",
    player: str | None = None,
    min_matches: int = 1,
    n_matches: int = 10,
    as_round: bool = False,
) -> Advice:
    """The matches whose results would reduce uncertainty most, after the last match of a record.

    The goal is `ratings` (the sum of the variances of all ratings; with a player, that player's), `ranks` (the sum over
    pairs of q (1 - q), q the probability that one is better than the other) or `top` (1 - the sum of p^2, p the
    probability of being first). With a `player` only their matches are compared; players with fewer than `min_matches`
    are left out. The system has to state the errors of its ratings; the default is that of `rate` if it does, else
    static. Among more than 1,000 players, those most in doubt are compared.

    Each match is compared as if it were the only one. With `as_round` they are a round in which nobody plays twice:
    each is the one that tells most once those before it are played, whatever their results; among 300 players at most.

    >>> from ludometer.players import Players
    >>> names = Players.named(["Ann", "Ben", "Cem"])
    >>> matches = Matches.of_pairs([0] * 9 + [1], [1] * 9 + [2], [1, 0, 1, 0, 1, 0, 1, 0, 0.5, 1], players=names)
    >>> from ludometer.ratings.systems.static import Static
    >>> [(one.first, one.second) for one in advise(matches, system=Static(sd=200), n_matches=2).suggestions]
    [('Ann', 'Cem'), ('Ben', 'Cem')]
    """
    if goal not in _PURPOSES:
        raise LudometerError(f"the goal is ratings, ranks or top, not {goal!r}")
    if n_matches < 1 or min_matches < 1:
        raise LudometerError("at least one match has to be asked for, of players with at least one match")
    chosen = prepare(default_system(matches) if system is None else system, matches)
    if system is None and not hasattr(chosen, "uncertainty"):
        chosen = prepare(Static(), matches)
    if not hasattr(chosen, "uncertainty"):
        raise LudometerError(f"{chosen.name} gives no uncertainty: use static, glicko2 or state-space")
    tally, draws, state = Tally(), DrawTally(), chosen.start(0)
    for batch in matches:
        tally.add(batch)
        state, expected = chosen.play(state, batch)
        draws.add_matches(expected, batch)
    listed = tally.ratings(chosen, state)
    assert listed.sd is not None
    known = np.flatnonzero(listed.matches >= min_matches)
    own = None if player is None else int(listed.players.codes((player,))[0])
    if own is not None and own not in known:
        raise LudometerError(f"{player!r} has fewer than {min_matches} matches in the record")
    if len(known) < 2:
        raise LudometerError(f"advice needs two players with at least {min_matches} matches")
    belief = Belief.of(chosen, state, listed.rating, listed.sd, known)
    belief = belief.narrowed(goal, own, _MOST_IN_ROUND if as_round else _MOST_PLAYERS)
    best = (plan_round if as_round else compare_pairs)(belief, goal, draws.fit(), own, n_matches)
    forecast = chosen.expect(state, best.first, best.second)
    names = listed.players.names
    suggestions = tuple(
        Suggestion(
            names[int(first)],
            names[int(second)],
            float(score),
            float(ELO * error),
            float(ELO * after),
            float(gain),
            float(gain / best.doubt) if best.doubt else 0.0,
        )
        for first, second, score, error, after, gain in zip(
            best.first, best.second, forecast, best.error, best.after, best.gain, strict=True
        )
    )
    return Advice(
        suggestions=suggestions,
        goal=goal,
        player=player,
        as_round=as_round,
        doubt=best.doubt,
        n_compared=len(belief.code),
        n_matches=listed.n_matches,
        n_players=listed.n_players,
        draw_rate=listed.draw_rate,
        provenance=listed.provenance,
    )


@dataclass(frozen=True, eq=False)
class Belief:
    """Strengths of some players as normal variables, natural units."""

    code: Counts
    """Who they are."""
    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, system: RatingSystem[Any], state: Any, rating: Floats, sd: Floats, known: Counts) -> Belief:
        """What a system believes of these players: with covariances, if it states them."""
        together = getattr(system, "covariance", None)
        whole = None if together is None else together(state)
        # a matrix of all players would be large; those in doubt are chosen by their variances
        part = np.zeros((0, 0)) if whole is None else whole[np.ix_(known, known)] / ELO**2
        mean = (rating[known] - rating[known].mean()) / ELO
        return cls(known, mean, (sd[known] / ELO) ** 2 if whole is None else part)

    @property
    def variance(self) -> Floats:
        """Of each player."""
        return self.covariance if self.covariance.ndim == 1 else np.diag(self.covariance)

    def narrowed(self, goal: Goal, own: int | None, most: int) -> Belief:
        """The players most in doubt, and the one asked for, with their matrix."""
        kept = np.arange(len(self.code))
        if len(self.code) > most:
            doubt = self.mean + 2 * np.sqrt(self.variance) if goal == "top" else self.variance
            kept = np.sort(np.argsort(-doubt, kind="stable")[:most])
            if own is not None and own not in self.code[kept]:
                kept = np.sort(np.append(kept[:-1], np.flatnonzero(self.code == own)))
        whole = self.covariance
        part = np.diag(whole[kept]) if whole.ndim == 1 else whole[np.ix_(kept, kept)]
        return Belief(self.code[kept], self.mean[kept], part)


@dataclass(frozen=True, eq=False)
class Compared:
    """The best pairs, by codes, and what they would bring; natural units but for the gain."""

    first: Codes
    second: Codes
    error: Floats
    after: Floats
    gain: Floats
    doubt: float


_PER_PAIR = ("first", "second", "error", "after", "gain")


def compare_pairs(
    belief: Belief, goal: Goal, nu: float, own: int | None, n_best: int, idle: Mask | None = None
) -> Compared:
    """All pairs of a belief, or those with one player, by their gain; `nu` is Davidson's rate of draws.

    `idle` says who may play, by place, if not all.
    """
    n, mean, c = len(belief.code), belief.mean, belief.covariance
    place = None if own is None else int(np.flatnonzero(belief.code == own)[0])
    matrix, doubt = _goal_matrix(belief, goal, place)
    if place is None:
        first, second = np.triu_indices(n, 1)
    else:
        first, second = np.full(n - 1, place), np.delete(np.arange(n), place)
    if idle is not None:
        able = idle[first] & idle[second]
        first, second = first[able], second[able]
    inner = c @ matrix @ c
    variance = np.diag(c)
    spread = variance[first] + variance[second] - 2 * c[first, second]
    bent = inner[first, first] + inner[second, second] - 2 * inner[first, second]
    known = spread > 0
    told = np.zeros(len(first))
    told[known] = expected_reduction(mean[first[known]] - mean[second[known]], spread[known], nu)
    gain = np.zeros(len(first))
    gain[known] = told[known] / spread[known] ** 2 * bent[known]
    order = np.argsort(-gain, kind="stable")[:n_best]
    # the stronger of the two stands first
    swap = mean[second[order]] > mean[first[order]] if place is None else np.zeros(len(order), bool)
    ahead, behind = np.where(swap, second[order], first[order]), np.where(swap, first[order], second[order])
    return Compared(
        belief.code[ahead].astype(np.int32),
        belief.code[behind].astype(np.int32),
        np.sqrt(spread[order]),
        np.sqrt(np.maximum(spread[order] - told[order], 0.0)),
        gain[order],
        doubt,
    )


def plan_round(belief: Belief, goal: Goal, nu: float, own: int | None, n_best: int) -> Compared:
    """Pairs of players who play once each: every pair is the best once those before it are played.

    A match takes R / s^4 (C a)(C a)' from the covariance on average; means stay what they are on average.
    """
    chosen: list[Compared] = []
    idle = np.ones(len(belief.code), bool)
    while len(chosen) < n_best and idle.sum() > 1 and (own is None or not chosen):
        best = compare_pairs(belief, goal, nu, own, 1, idle)
        i, j = (int(np.flatnonzero(belief.code == code)[0]) for code in (best.first[0], best.second[0]))
        idle[[i, j]] = False
        c, spread, left = belief.covariance, best.error[0] ** 2, best.after[0] ** 2
        moved = c[:, i] - c[:, j]
        share = (spread - left) / spread**2 if spread > 0 else 0.0
        belief = replace(belief, covariance=c - share * np.outer(moved, moved))
        chosen.append(best)
    joined = {name: np.concatenate([getattr(one, name) for one in chosen]) for name in _PER_PAIR}
    return Compared(**joined, doubt=chosen[0].doubt)


def expected_reduction(mean: Floats, variance: Floats, nu: float = 0.0) -> Floats:
    """R: by how much one match reduces the variance of a difference on average, natural units.

    >>> expected_reduction(np.array([0.0, 3.0]), np.array([1.0, 1.0])).round(3).tolist()
    [0.171, 0.055]
    """
    node, weight = np.polynomial.hermite_e.hermegauss(_NODES)
    weight = weight / weight.sum()
    found = np.empty(len(mean))
    for start in range(0, len(mean), _CHUNK):
        part = slice(start, start + _CHUNK)
        gap = np.sqrt(variance[part])[:, None] * node
        score = expected_score(ELO * (mean[part, None] + gap))
        drawn = draw_probability(score, nu) if nu else np.zeros(1)
        total = np.zeros(len(gap))
        for chance in (score - drawn / 2, 1 - score - drawn / 2, *([drawn] if nu else [])):
            mass = chance @ weight
            total += np.where(mass > 1e-300, ((gap * chance) @ weight) ** 2 / np.maximum(mass, 1e-300), 0.0)
        found[part] = total
    return found


def _goal_matrix(belief: Belief, goal: Goal, place: int | None) -> tuple[Floats, float]:
    """L, of which the gain is made, and the present doubt."""
    n = len(belief.code)
    if goal == "ratings":
        counted = np.ones(n) if place is None else (np.arange(n) == place).astype(np.float64)
        return np.diag(counted * ELO**2), float(ELO**2 * counted @ belief.variance)
    if goal == "ranks":
        return _order_matrix(belief, place)
    chance, slope = _first_places(belief.mean, belief.variance)
    return slope.T @ slope, 1 - float(chance @ chance)


def _order_matrix(belief: Belief, place: int | None) -> tuple[Floats, float]:
    """Of the sum of q (1 - q), q = Phi(z): knowing r more of a difference's variance S takes phi(z)^2 r / S from it.

    That is the first term of what is exact: after such news q varies as a bivariate normal probability does.
    """
    from scipy.special import ndtr

    variance = belief.variance
    spread = variance[:, None] + variance[None, :] - 2 * belief.covariance
    np.fill_diagonal(spread, 1.0)
    spread = np.maximum(spread, 1e-12)
    z = (belief.mean[:, None] - belief.mean[None, :]) / np.sqrt(spread)
    counted = ~np.eye(len(variance), dtype=bool)
    if place is not None:
        with_player = np.zeros(len(variance), bool)
        with_player[place] = True
        counted &= with_player[:, None] | with_player[None, :]
    weight = np.where(counted, np.exp(-z * z) / (2 * math.pi) / spread, 0.0)
    better = ndtr(z)
    doubt = float((better * (1 - better))[counted].sum() / 2)
    return np.diag(weight.sum(axis=1)) - weight, doubt


def _first_places(mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """The probability of each player to be the strongest, and its derivatives by all means, errors independent.

    p_k is the integral of f_k(x) times the product of the others' F(x); moving l up takes the integral of f_k f_l times
    the product of the rest's from p_k, and gives it to p_l.
    """
    from scipy.special import log_ndtr

    sd = np.sqrt(np.maximum(variance, 1e-12))
    top = float((mean - 2 * sd).max())
    # below every lower bound of the best nobody is first
    x = np.linspace(top - 6 * sd.max(), float((mean + 6 * sd).max()), _GRID)
    z = (x[:, None] - mean) / sd
    below = log_ndtr(z)
    ratio = np.exp(-0.5 * z * z - below) / (sd * math.sqrt(2 * math.pi))
    product = np.exp(below.sum(axis=1)) * (x[1] - x[0])
    chance = product @ ratio
    total = float(chance.sum())
    both = (ratio * product[:, None]).T @ ratio
    np.fill_diagonal(both, 0.0)
    return chance / total, np.diag(both.sum(axis=1)) - both
