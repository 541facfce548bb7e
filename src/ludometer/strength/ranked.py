"""Penalised skills from finishing orders (Plackett-Luce), and win probabilities under normal performances."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.errors import ConvergenceWarning, MatchDataError
from ludometer.matches import Matches
from ludometer.result import Provenance
from ludometer.strength.comparisons import check_weights, refuse_one_way
from ludometer.strength.newton import maximise
from ludometer.strength.pairwise import check_ridge
from ludometer.strength.skills import Skills


def fit_orders(matches: Matches, *, ridge: float = 0.25, weights: Sequence[float] | Array | None = None) -> Skills:
    """Maximise sum of log P(order) - ridge |s|^2 for Plackett and Luce's P: Gumbel performances, the best first.

    P = product over places of exp(s) / (sum of exp(s) of those still in) (Plackett 1975); tied places are Efron's
    approximation of the average over their orders (1977; see `kernels.skills.plackett`). For two players without ties
    this is the logit model of `fit_skills`; with ties it has no threshold. Skills are log-odds.

    >>> fit = fit_orders(Matches.of_seats([0, 3, 6], [0, 1, 2, 2, 0, 1], [1, 2, 3, 2, 1, 3]))
    >>> fit.skill.round(2).tolist()
    [1.1, -0.55, -0.55]
    """
    matches.refuse_teams("fit_orders")
    orders = Orders.of(matches, weights)
    function = OrderLikelihood(orders, check_ridge(ridge), len(matches.players))
    island, played = orders.islands(len(matches.players))
    if ridge == 0:
        refuse_one_way(*orders.links(), island, matches.players)
    maximum = maximise(function, function.start())
    if not maximum.converged:
        warnings.warn("Newton's steps ended before the skills converged", ConvergenceWarning, stacklevel=2)
    skill = maximum.x.copy()
    if ridge == 0:
        skill -= (np.bincount(island, skill) / np.bincount(island))[island]
    skill[~played] = np.nan
    parameters = {"ridge": float(ridge)} | ({} if weights is None else {"weighted": True})
    return Skills(
        players=matches.players,
        skill=skill,
        link="logit",
        threshold=0.0,
        advantage=None,
        ridge=float(ridge),
        log_likelihood=function.likelihood,
        n_matches=float(orders.weight.sum()) if len(orders.weight) else float(len(orders.starts) - 1),
        island=island,
        n_steps=maximum.n_steps,
        converged=maximum.converged,
        provenance=Provenance("Plackett-Luce skills", parameters, matches.fingerprint),
    )


@dataclass(frozen=True, eq=False)
class Orders:
    """Matches with their seats by place, best first, and where tied groups end."""

    starts: Counts
    player: Codes
    stop: Counts
    gone: Floats
    weight: Floats

    @classmethod
    def of(cls, matches: Matches, weights: Sequence[float] | Array | None = None) -> Orders:
        """The finishing orders of any matches, without those of weight 0."""
        weight = check_weights(weights, len(matches))
        if len(weight) and not weight.all():
            kept = weight > 0
            matches, weight = matches.take(kept), weight[kept]
        if not len(matches):
            raise MatchDataError("there are no matches")
        seats = matches.seats
        match = np.repeat(np.arange(len(matches)), seats.sizes)
        # one sort of one number, fast where matches are short
        order = np.argsort(match * (int(seats.place.max()) + 1) + seats.place, kind="stable")
        place = seats.place[order]
        new = np.ones(len(place) + 1, bool)
        new[1:-1] = (np.diff(place) != 0) | (np.diff(match) != 0)
        begin = np.flatnonzero(new)
        size = np.diff(begin)
        stop = np.repeat(begin[1:], size)
        gone = (np.arange(len(place)) - np.repeat(begin[:-1], size)) / np.repeat(size, size)
        return cls(np.asarray(seats.starts, np.int64), np.ascontiguousarray(seats.player[order]), stop, gone, weight)

    def islands(self, n_players: int) -> tuple[Codes, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """The connected part of each player, and who has a match."""
        from ludometer.kernels.skills.graph import components

        hub = np.repeat(self.player[self.starts[:-1]], np.diff(self.starts))
        played = np.zeros(n_players, bool)
        played[self.player] = True
        return components(hub, self.player, n_players), played

    def links(self) -> tuple[Codes, Codes]:
        """From each seat to the next in its match, and back where the two are tied: who beat whom, in chains."""
        last = np.zeros(len(self.player), bool)
        last[self.starts[1:] - 1] = True
        seat = np.flatnonzero(~last)
        tied = seat[self.stop[seat] > seat + 1]
        above = np.concatenate((self.player[seat], self.player[tied + 1]))
        return above, np.concatenate((self.player[seat + 1], self.player[tied]))


class OrderLikelihood:
    """The function to maximise."""

    def __init__(self, orders: Orders, ridge: float, n_players: int) -> None:
        self.orders, self.ridge = orders, ridge
        self.likelihood = 0.0
        self.diagonal = np.zeros(n_players)
        self._inside, self._chance = np.empty(len(orders.player)), np.empty(len(orders.player))

    def start(self) -> Floats:
        """From the mean place of each player: the log-odds of a smoothed share of the opponents behind."""
        orders, n = self.orders, len(self.diagonal)
        size = np.diff(orders.starts)
        seat = np.arange(len(orders.player)) - np.repeat(orders.starts[:-1], size)
        ahead = np.bincount(orders.player, 1 - 2 * seat / np.repeat(size - 1, size), n)
        share = ahead / (np.bincount(orders.player, minlength=n) + 2 + 4 * self.ridge)
        x = np.log1p(share) - np.log1p(-share)
        return np.asarray(x - x.mean())

    def evaluate(self, x: Floats) -> tuple[float, Floats]:
        """The penalised log likelihood and its gradient."""
        from ludometer.kernels.skills.plackett import evaluate_orders

        orders, gradient = self.orders, np.empty(len(x))
        self.likelihood = evaluate_orders(
            orders.starts,
            orders.player,
            orders.stop,
            orders.gone,
            orders.weight,
            x,
            gradient,
            self.diagonal,
            self._inside,
            self._chance,
        )
        gradient -= 2 * self.ridge * x
        self.diagonal += 2 * self.ridge
        return self.likelihood - self.ridge * float((x**2).sum()), gradient

    def multiply(self, x: Floats) -> Floats:
        """Minus the Hessian times x."""
        from ludometer.kernels.skills.plackett import multiply_orders

        orders, image = self.orders, np.empty(len(x))
        columns = (orders.starts, orders.player, orders.stop, orders.gone, orders.weight)
        multiply_orders(*columns, self._inside, self._chance, x, image)
        image += 2 * self.ridge * x
        return image

    def replay(self, x: Floats, rng: np.random.Generator) -> Floats:
        """How often each player is chosen if every place is drawn again from its candidates, minus the mean.

        The covariance is minus the Hessian of the likelihood; a match counts by the root of its weight.
        """
        from ludometer.kernels.skills.plackett import evaluate_orders

        orders, n = self.orders, len(x)
        columns = (orders.starts, orders.player, orders.stop, orders.gone)
        root, gradient, inside = np.sqrt(orders.weight), np.empty(n), np.empty(len(orders.player))
        evaluate_orders(*columns, root, x, gradient, np.empty(n), inside, np.empty(len(inside)))
        size = np.diff(orders.starts)
        begin, end = np.searchsorted(orders.stop, orders.stop), np.repeat(orders.starts[1:], size)
        # a seat is found by where a number falls among the sums of the weights of all seats
        sums = np.concatenate(([0.0], np.cumsum(inside)))
        part = 1 - orders.gone
        tied, later = sums[orders.stop] - sums[begin], sums[end] - sums[orders.stop]
        fall = rng.random(len(part)) * (part * tied + later)
        where = np.where(fall < part * tied, sums[begin] + fall / part, sums[orders.stop] + fall - part * tied)
        chosen = np.clip(np.searchsorted(sums, where, side="right") - 1, begin, end - 1)
        counts = np.repeat(root, size) if len(root) else np.ones(len(part))
        difference = np.bincount(orders.player[chosen], counts, n) - np.bincount(orders.player, counts, n)
        return np.asarray(difference + gradient)

    def longest_step(self, x: Floats, step: Floats) -> float:  # noqa: ARG002 - the function is defined everywhere
        """Without limit."""
        return math.inf


def thurstone_winner(skills: Sequence[float] | Floats) -> Floats:
    """The probability of each player to perform best, with normal performances of SD 1 (Thurstone 1927, case V).

    The integral of phi(y - s_j) product of Phi(y - s_k) dy, by the trapezoidal rule, which is exact to rounding here.

    >>> thurstone_winner([0.0, 0.0, 0.0]).round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    from scipy.special import log_ndtr

    s = np.asarray(skills, np.float64)
    y = np.arange(s.min() - 9, s.max() + 9, 0.1)
    away = y[:, np.newaxis] - s
    below = log_ndtr(away)
    log_density = -0.5 * away**2 - 0.5 * math.log(2 * math.pi)
    return np.asarray(0.1 * np.exp(log_density + below.sum(axis=1, keepdims=True) - below).sum(axis=0))
