"""How the ridge changes the skills: the path of l2, and the choice of the ridge by cross-validation over matches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Array, Floats, Mask
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.result import Provenance, Shown
from ludometer.strength.comparisons import Comparisons, check_weights, gather
from ludometer.strength.newton import maximise
from ludometer.strength.pairwise import PenalisedLikelihood, check_ridge, make_skills
from ludometer.strength.skills import Link, Skills, check_link

if TYPE_CHECKING:
    import polars as pl

RIDGES = (0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

_MANY, _SMALLEST = 100_000, 1e-2
"""Where there are so many pairs, a step of the skills below the second is the last: their error is then about its
square, and that of l2, a mean over many, far below."""


@dataclass(frozen=True, eq=False)
class RidgePath(Shown):
    """Fits of one record with many ridges, the largest first, and how well each predicts if cross-validated."""

    ridge: Floats
    l2: Floats
    threshold: Floats
    losses: Floats | None
    """(ridges, folds): minus the mean log probability of the results of a fold, which is left out of the fit."""
    unforeseen_ties: int
    """Ties that are not in the losses: no tie was among the matches that the fold was predicted from."""
    converged: bool
    provenance: Provenance

    @property
    def loss(self) -> Floats | None:
        """The mean over folds."""
        return None if self.losses is None else self.losses.mean(axis=1)

    @property
    def spread(self) -> Floats | None:
        """The SD over folds of each ridge's loss minus the best ridge's: how chance in the folds affects the choice."""
        if self.losses is None:
            return None
        return np.asarray((self.losses - self.losses[self._best]).std(axis=1, ddof=1))

    @property
    def best(self) -> float | None:
        """The ridge that predicts best."""
        return None if self.losses is None else float(self.ridge[self._best])

    @property
    def plausible(self) -> tuple[float, float] | None:
        """The smallest and the largest ridge within one standard error of the best."""
        if self.losses is None or self.spread is None or self.loss is None:
            return None
        near = self.loss - self.loss[self._best] <= self.spread / math.sqrt(self.losses.shape[1])
        return float(self.ridge[near].min()), float(self.ridge[near].max())

    @property
    def _best(self) -> int:
        return 0 if self.loss is None else int(np.argmin(self.loss))

    def to_frame(self) -> pl.DataFrame:
        """One row per ridge."""
        import polars as pl

        columns = {"ridge": self.ridge, "l2": self.l2, "threshold": self.threshold}
        if self.loss is not None and self.spread is not None:
            columns |= {"loss": self.loss, "spread": self.spread}
        return pl.DataFrame(columns).sort("ridge")

    def summary(self) -> str:
        """Both ends of the path, and the choice."""
        order = np.argsort(self.ridge)
        text = (
            f"l2 from {self.l2[order[0]]:.3f} (ridge {self.ridge[order[0]]:g}) "
            f"to {self.l2[order[-1]]:.3f} (ridge {self.ridge[order[-1]]:g})"
        )
        if self.plausible is not None:
            text += f"; best prediction at ridge {self.best:g} (l2 {self.l2[self._best]:.3f}), "
            text += "equally good within a standard error from {:g} to {:g}".format(*self.plausible)
        return text

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Plot l2 against the ridge (Gilbert and Wells, Fig. 1)."""
        import altair as alt

        data = alt.InlineData(values=self.to_frame().to_dicts())
        x = alt.X("ridge:Q", title="Penalty λ (ridge)", scale=alt.Scale(type="log"))
        y = alt.Y("l2:Q", title="ℓ²", scale=alt.Scale(domain=[0, 1]))
        line = (
            alt.Chart(data, width=270 if narrow else 420, height=220).mark_line(color=INK, point=True).encode(x=x, y=y)
        )
        chosen = [{"ridge": self.best, "l2": float(self.l2[self._best])}] if self.best is not None else []
        mark = alt.Chart(alt.InlineData(values=chosen)).mark_point(filled=True, size=90, color=ACCENT)
        chart = line + mark.encode(x="ridge:Q", y="l2:Q")
        return {"l2": chart}


def trace_ridge(
    matches: Matches,
    *,
    ridges: Sequence[float] = RIDGES,
    link: Link = "probit",
    advantage: bool = False,
    weights: Sequence[float] | Array | None = None,
) -> RidgePath:
    """Trace l2 against the ridge (Gilbert and Wells, Fig. 1): one fit per value, each starting from the one before.

    >>> path = trace_ridge(Matches.of_pairs([0, 1, 0, 2], [1, 2, 2, 0], [1, 1, 1, 1]), ridges=[0.1, 1])
    >>> bool(path.l2[0] > path.l2[1])
    True
    """
    return _path(matches, ridges, link, advantage, weights, None, 0)


def cross_validate_ridge(
    matches: Matches,
    *,
    ridges: Sequence[float] = RIDGES,
    n_folds: int = 10,
    seed: int = 0,
    link: Link = "probit",
    advantage: bool = False,
    weights: Sequence[float] | Array | None = None,
) -> RidgePath:
    """The path, and how well each ridge predicts matches that were left out, in n_folds random parts.

    Gilbert and Wells, section 4.2, found the choice to depend on the number of folds: see `plausible`.
    """
    if not 2 <= n_folds <= len(matches):
        raise LudometerError(f"n_folds must be from 2 to the number of matches, not {n_folds}")
    return _path(matches, ridges, link, advantage, weights, n_folds, seed)


def _path(
    matches: Matches,
    ridges: Sequence[float],
    link: Link,
    advantage: bool,
    weights: Sequence[float] | Array | None,
    n_folds: int | None,
    seed: int,
) -> RidgePath:
    check_link(link)
    ridge = np.array(sorted({check_ridge(value) for value in ridges}, reverse=True))
    if not len(ridge) or ridge[-1] == 0:
        raise LudometerError("a path needs ridges above 0")
    weight = check_weights(weights, len(matches))
    fits = _fit_each(matches, gather(matches, ordered=advantage, weights=weights), link, ridge)
    losses, unforeseen = None, 0
    if n_folds is not None:
        fold = np.random.default_rng(seed).permutation(len(matches)) % n_folds
        scored = [_score_fold(matches, weight, fold == k, link, ridge, advantage) for k in range(n_folds)]
        losses, unforeseen = np.column_stack([loss for loss, _ in scored]), sum(ties for _, ties in scored)
    folds = {} if n_folds is None else {"n_folds": n_folds}
    parameters = {"link": link, "ridges": ridge.tolist(), "advantage": advantage, "weighted": weights is not None}
    return RidgePath(
        ridge,
        np.array([fit.l2() for fit in fits]),
        np.array([fit.threshold for fit in fits]),
        losses,
        unforeseen,
        all(fit.converged for fit in fits),
        Provenance("ridge path", parameters | folds, matches.fingerprint, None if n_folds is None else seed),
    )


def _fit_each(matches: Matches, comparisons: Comparisons, link: Link, ridge: Floats) -> list[Skills]:
    fits: list[Skills] = []
    enough = {"smallest": _SMALLEST} if len(comparisons) > _MANY else {}
    found: list[tuple[float, Floats]] = []
    for value in ridge:
        function = PenalisedLikelihood(comparisons, link, float(value))
        function.refuse_hopeless()
        maximum = maximise(function, _expect(found, math.log(value)) if found else function.start(), **enough)
        found = [*found[-1:], (math.log(value), maximum.x)]
        fits.append(make_skills(matches, function, maximum, weighted=False))
    return fits


def _expect(found: list[tuple[float, Floats]], wanted: float) -> Floats:
    """Where the next fit may be: in a straight line over the logarithm of the ridge, through the last two."""
    (before, x), (last, y) = found[0], found[-1]
    if last == before:
        return y
    # a threshold must stay above 0
    moved = y + (wanted - last) / (last - before) * (y - x)
    return np.asarray(moved if (moved[-2] > 0) == (y[-2] > 0) else y)


def _score_fold(
    matches: Matches, weight: Floats, held: Mask, link: Link, ridge: Floats, advantage: bool
) -> tuple[Floats, int]:
    """The loss of each ridge on the held matches, and the number of ties that could not be foreseen."""

    def part(chosen: Mask) -> Comparisons:
        return gather(matches.take(chosen), ordered=advantage, weights=weight[chosen] if len(weight) else None)

    fits = _fit_each(matches.take(~held), part(~held), link, ridge)
    test, n_ties = part(held), 0
    if test.totals[1] and fits[0].threshold == 0:
        n_ties = int(np.count_nonzero(matches.pairs.halves[held] == 1))
        outcomes = test.outcomes.copy()
        outcomes[1] = 0
        test = Comparisons(test.starts, test.opponent, outcomes, test.ordered)
    # players who appear in the held part only have the skill 0, as the ridge implies
    scores = []
    for fit in fits:
        function = PenalisedLikelihood(test, link, 0.0)
        function.evaluate(np.concatenate((np.nan_to_num(fit.skill), [fit.threshold, fit.advantage or 0.0])))
        scores.append(-function.likelihood / max(sum(test.totals), 1e-300))
    return np.array(scores), n_ties
