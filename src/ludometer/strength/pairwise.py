"""Penalised skills from two-player matches: logit or probit with a tie threshold, by Newton's steps over pairs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.errors import ConvergenceWarning, LudometerError, NoFiniteFit
from ludometer.matches import Matches
from ludometer.result import Provenance
from ludometer.strength.comparisons import Comparisons, gather, refuse_separation, refuse_separation_by_seats
from ludometer.strength.newton import Maximum, maximise
from ludometer.strength.skills import Link, Skills, check_link, quantile


def fit_skills(
    matches: Matches,
    *,
    link: Link = "probit",
    ridge: float = 0.25,
    advantage: bool = False,
    weights: Sequence[float] | Array | None = None,
) -> Skills:
    """Maximise sum of log P(o) - ridge |s|^2 over skills s, tie threshold t and, if wanted, the first seat's advantage.

    P(win) = F(s_1 - s_2 + advantage - t); F(x) is Phi(x / root 2) (probit) or 1 / (1 + exp(-x)) (logit). Gilbert and
    Wells, section 3.2.1, whose Table 2 has ridge 0.25. Appendix A there loses 1 / root 2 in the gradient, 1/2 in the
    Hessian and 2 in the penalty; the tie term of eq. 12 has a sign error. Here all follow the function in the text.

    With a ridge each island of players has the mean 0, as only the ridge determines it. With ridge 0 each island is
    centred at 0, and a record in which players only won or only lost raises `NoFiniteFit` and names them.

    >>> matches = Matches.of_pairs([0, 1, 0, 2], [1, 2, 2, 0], [1, 1, 0.5, 0])
    >>> fit = fit_skills(matches)
    >>> fit.skill.round(2).tolist(), round(fit.threshold, 2)
    ([0.66, 0.0, -0.66], 0.66)
    """
    check_link(link)
    comparisons = gather(matches, ordered=advantage, weights=weights)
    function = PenalisedLikelihood(comparisons, link, check_ridge(ridge))
    function.refuse_hopeless()
    if ridge == 0:
        refuse_separation(comparisons, matches.players)
        if advantage:
            refuse_separation_by_seats(comparisons, matches.players)
    maximum = maximise(function, function.start())
    if maximum.diverged or (ridge == 0 and not maximum.converged):
        raise NoFiniteFit(_far_away(matches, maximum.x[: comparisons.n_players]))
    if not maximum.converged:
        warnings.warn("Newton's steps ended before the skills converged", ConvergenceWarning, stacklevel=2)
    return make_skills(matches, function, maximum, weighted=weights is not None)


class PenalisedLikelihood:
    """The function to maximise, of the skills, the threshold and the advantage in one vector of n + 2."""

    def __init__(self, comparisons: Comparisons, link: Link, ridge: float) -> None:
        self.comparisons, self.link, self.ridge = comparisons, link, ridge
        self.n = comparisons.n_players
        self.ties = comparisons.totals[1] > 0
        self.curvature = np.zeros((3 if self.ties else 1, len(comparisons)))
        self.likelihood = 0.0
        self.diagonal = np.zeros(self.n + 2)
        self._image = np.zeros(self.n + 2)

    def refuse_hopeless(self) -> None:
        """Raise where even a ridge on the skills gives no finite threshold or advantage."""
        wins, _, losses = self.comparisons.totals
        if wins + losses == 0:
            raise NoFiniteFit("all matches are ties: no finite tie threshold fits them best")
        if self.comparisons.ordered and not (wins and losses):
            raise NoFiniteFit(
                f"the first seat never {'lost' if wins else 'won'}: no finite advantage fits best. Leave it out"
            )

    def start(self) -> Floats:
        """Skills from the shares of points, and the threshold that fits the share of ties among equals.

        The log-odds of a smoothed share are about right against opponents around 0, and save a step or two.
        """
        from ludometer.kernels.skills.paired import balance_pairs

        pairs, n = self.comparisons, self.n
        ahead, met = balance_pairs(pairs.starts, pairs.opponent, pairs.outcomes)
        share = ahead / (met + 2 + 4 * self.ridge)
        x = np.zeros(n + 2)
        x[:n] = pairs.centre(np.log1p(share) - np.log1p(-share))
        if self.ties:
            x[n] = quantile(0.5 * (1 + pairs.tie_rate), self.link)
        return x

    def evaluate(self, x: Floats) -> tuple[float, Floats]:
        """The penalised log likelihood and its gradient."""
        from ludometer.kernels.skills.paired import evaluate_pairs

        pairs, n, gradient = self.comparisons, self.n, np.empty(self.n + 2)
        self.likelihood = evaluate_pairs(
            pairs.starts,
            pairs.opponent,
            pairs.outcomes,
            self.ties,
            x[:n],
            float(x[n]),
            float(x[n + 1]),
            self.link == "probit",
            gradient,
            self.curvature,
            self.diagonal,
        )
        gradient[:n] -= 2 * self.ridge * x[:n]
        self.diagonal[:n] += 2 * self.ridge
        if not pairs.ordered:
            gradient[n + 1] = self.diagonal[n + 1] = 0.0
        return self.likelihood - self.ridge * float((x[:n] ** 2).sum()), gradient

    def multiply(self, x: Floats) -> Floats:
        """Minus the Hessian times x; an advantage or threshold that is not fitted stays 0."""
        from ludometer.kernels.skills.paired import multiply_pairs

        pairs, n, image = self.comparisons, self.n, self._image
        multiply_pairs(pairs.starts, pairs.opponent, self.curvature, self.ties, float(self.diagonal[n]), x, image)
        image[:n] += 2 * self.ridge * x[:n]
        if not pairs.ordered:
            image[n + 1] = 0.0
        return image

    def longest_step(self, x: Floats, step: Floats) -> float:
        """Down to a tenth of the threshold at most: it has to stay above 0."""
        t, change = float(x[self.n]), float(step[self.n])
        return 0.9 * t / -change if change < -0.9 * t else math.inf


def make_skills(matches: Matches, function: PenalisedLikelihood, maximum: Maximum, *, weighted: bool) -> Skills:
    """The result at a maximum."""
    comparisons, n = function.comparisons, function.n
    skill = maximum.x[:n].copy() if function.ridge else comparisons.centre(maximum.x[:n])
    skill[~comparisons.played] = np.nan
    parameters = {"link": function.link, "ridge": function.ridge, "advantage": comparisons.ordered}
    return Skills(
        players=matches.players,
        skill=skill,
        link=function.link,
        threshold=float(maximum.x[n]) if function.ties else 0.0,
        advantage=float(maximum.x[n + 1]) if comparisons.ordered else None,
        ridge=function.ridge,
        log_likelihood=function.likelihood,
        n_matches=sum(comparisons.totals),
        island=comparisons.island,
        n_steps=maximum.n_steps,
        converged=maximum.converged,
        provenance=Provenance(
            "penalised skills", parameters | ({"weighted": True} if weighted else {}), matches.fingerprint
        ),
    )


def check_ridge(ridge: float) -> float:
    """Refuse a ridge that is not a number from 0 up."""
    if not (math.isfinite(ridge) and ridge >= 0):
        raise LudometerError(f"the ridge must be a number from 0 up, not {ridge}")
    return float(ridge)


def _far_away(matches: Matches, skill: Floats) -> str:
    far = np.argsort(-np.abs(skill))[:5]
    names = ", ".join(matches.players.names.gather(far).to_list())
    return f"the skills grow without end, those of {names} fastest: no finite skills fit best. Use a ridge above 0"
