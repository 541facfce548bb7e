"""The floor and ceiling of a game: how often even the weakest player wins, fitted to a record of two-player matches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.chart_style import ACCENT, GREY, INK
from ludometer.curves import Bounded, Logistic
from ludometer.errors import MatchDataError
from ludometer.matches import Matches
from ludometer.result import Provenance, Shown
from ludometer.scale import to_elo

if TYPE_CHECKING:
    import polars as pl

_START = (0.0, -8.0)
"""Logarithms of the first guess of the variance of skills and of the drift per match, in natural units."""

_LIMITS = ((-9.0, 6.0), (-18.0, 1.0), (0.0, 0.45), (0.0, 0.45), (-6.0, 6.0))
"""Of ln variance, ln drift, floor, 1 - ceiling and advantage."""

_STEPS = np.array([1e-2, 1e-1, 1e-3, 1e-3, 1e-3])
"""Steps of the finite differences, in the same order."""

_GROUPS = 20


@dataclass(frozen=True)
class BoundsGain:
    """What the bounds gain over forecasts without them; log losses per match, in natural logarithms."""

    log_loss: float
    log_loss_unbounded: float
    error: float
    """The standard error of the gain, from the differences between matches."""
    likelihood_ratio: float
    """Twice the gain in log likelihood over all matches."""
    p_value: float
    """Of the likelihood ratio without bounds; 0 is the edge of the parameter space, so half of chi-squared."""

    @property
    def value(self) -> float:
        """Log loss saved per match."""
        return self.log_loss_unbounded - self.log_loss


@dataclass(frozen=True, eq=False)
class Bounds(Shown):
    """The bounds of the expected score in a game, and what they gain in log loss.

    Each forecast is made before its match, so a lower loss is better prediction. The forecasts with and without bounds
    come from ratings with uncertainties, each with its own start and drift fitted to the record.
    """

    floor: float
    ceiling: float
    floor_error: float
    ceiling_error: float
    """Standard errors, from the curvature of the likelihood."""
    sd: float
    """Of the skills of entering players, in Elo points."""
    advantage: float | None
    """Of the first seat, in Elo points; None unless fitted."""
    gain: BoundsGain
    n_matches: int
    groups: Floats
    """(groups, 4): matches, mean score, mean bounded and mean unbounded forecast, in order of the latter."""
    converged: bool
    provenance: Provenance

    @property
    def share(self) -> float:
        """ceiling - floor: the share of matches decided by play (Duersch et al. 2020, footnote 34)."""
        return self.ceiling - self.floor

    @property
    def curve(self) -> Bounded:
        """The win probability function with these bounds."""
        return Bounded(Logistic(), self.floor, self.ceiling)

    def to_frame(self) -> pl.DataFrame:
        """Scores and both forecasts by groups of matches, least favourable to the first player first."""
        import polars as pl

        names = ["matches", "score", "bounded", "unbounded"]
        return pl.DataFrame(dict(zip(names, self.groups.T, strict=True))).with_columns(pl.col("matches").cast(pl.Int64))

    def summary(self) -> str:
        """The bounds and their gain."""
        gain = self.gain
        lines = [
            f"expectations from {self.floor:.3f} ± {self.floor_error:.3f} "
            f"to {self.ceiling:.3f} ± {self.ceiling_error:.3f}",
            f"log loss {gain.log_loss:.5f}, {gain.log_loss_unbounded:.5f} without bounds: "
            f"a gain of {gain.value:.5f} ± {gain.error:.5f} per match",
            f"likelihood ratio {gain.likelihood_ratio:.1f}, p = {gain.p_value:.2g}; {self.n_matches:,} matches",
        ]
        if self.advantage is not None:
            lines.append(f"the first seat is worth {self.advantage:.0f} points")
        return "\n".join(lines) + ("" if self.converged else "\nthe search did not converge")

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        numbers = {name: getattr(self, name) for name in ("floor", "ceiling", "floor_error", "ceiling_error", "sd")}
        return {
            **numbers,
            "advantage": self.advantage,
            "gain": vars(self.gain) | {"value": self.gain.value},
            "matches": self.n_matches,
            "converged": self.converged,
            "groups": self.to_frame().to_dicts(),
            "absent": {} if self.advantage is not None else {"advantage": "it was not fitted"},
        }

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Results against both forecasts: without bounds the ends leave the diagonal."""
        import altair as alt

        rows = [
            {"forecast": row[kind], "score": row["score"], "kind": kind}
            for row in self.to_frame().to_dicts()
            for kind in ("bounded", "unbounded")
        ]
        axis, size = alt.Scale(domain=[0, 1]), 260 if narrow else 320
        points = (
            alt.Chart(alt.InlineData(values=rows), width=size, height=size)
            .mark_line(point=True)
            .encode(
                x=alt.X("forecast:Q", title="Forecast", scale=axis),
                y=alt.Y("score:Q", title="Mean score", scale=axis),
                color=alt.Color("kind:N", title=None, scale=alt.Scale(range=[ACCENT, INK])),
            )
        )
        diagonal = alt.Chart(alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}]))
        return {"bounds": diagonal.mark_line(color=GREY, strokeDash=[4, 4]).encode(x="x:Q", y="y:Q") + points}


def fit_bounds(matches: Matches, *, advantage: bool = False) -> Bounds:
    """Fit floor + (ceiling - floor) E, with E logistic in the difference of ratings that follow the players.

    Smith 1994, footnotes 4 and 7. Without an advantage of the first seat both players are treated alike, and the
    ceiling is 1 - floor; with it both bounds are free. `fit_share` fits the same bounds with Elo ratings, whose noise
    flattens the forecasts; here the uncertainty of ratings is modelled, so that it is not mistaken for a floor. The
    floor is still about half a standard error too low: in simulated records 87% of the true floors were within 1.96
    standard errors.

    >>> from ludometer.curves import Bounded, Logistic
    >>> from ludometer.simulate.curve_game import simulate_on_curve
    >>> record = simulate_on_curve(50, 20_000, curve=Bounded(Logistic(), floor=0.1), sd=400, seed=1)
    >>> fit = fit_bounds(record)
    >>> abs(fit.floor - 0.1) < 0.03, fit.gain.p_value < 1e-9
    (True, True)
    """
    if not len(matches):
        raise MatchDataError("there are no matches")
    record = _Record(matches, advantage)
    plain = record.minimise(np.array([*_START, 0.0, 0.0, 0.0]), bounded=False)
    starts = [plain.x, plain.x + np.array([0.0, 0.0, 0.05, 0.05, 0.0])]
    best = min((record.minimise(start, bounded=True) for start in starts), key=lambda end: end.loss)
    if best.loss >= plain.loss:
        # no bounds fit better: the search came back to its start
        best = plain
    ratio = max(2 * (plain.loss - best.loss), 0.0)
    forecasts = record.forecast(np.array([best.x, plain.x]))
    saved = _log_losses(forecasts[:, 1], record.score) - _log_losses(forecasts[:, 0], record.score)
    errors = record.errors(best.x)
    n, x = len(matches), record.complete(best.x)
    return Bounds(
        floor=float(x[2]),
        ceiling=float(1 - x[3]),
        floor_error=float(errors[2]),
        ceiling_error=float(errors[3]),
        sd=float(to_elo(math.exp(0.5 * x[0]))),
        advantage=float(to_elo(x[4])) if advantage else None,
        gain=BoundsGain(
            log_loss=best.loss / n,
            log_loss_unbounded=plain.loss / n,
            error=float(saved.std() / math.sqrt(n)),
            likelihood_ratio=ratio,
            p_value=_tail(ratio, n_bounds=2 if advantage else 1),
        ),
        n_matches=n,
        groups=_group(record.score, forecasts),
        converged=best.converged and plain.converged,
        provenance=Provenance("bounds", {"advantage": advantage}, matches.fingerprint),
    )


@dataclass(frozen=True)
class _End:
    """Where a search ended."""

    x: Floats
    loss: float
    converged: bool


class _Record:
    """The log loss of a record by ln variance, ln drift, floor, 1 - ceiling and advantage (natural units)."""

    def __init__(self, matches: Matches, advantage: bool) -> None:
        self.pairs, self.n_players, self.advantage = matches.pairs, len(matches.players), advantage
        self.score = self.pairs.score

    def complete(self, x: Floats) -> Floats:
        """With the ceiling that follows from the floor where no advantage is fitted."""
        whole = np.array(x, np.float64)
        if not self.advantage:
            whole[..., 3] = whole[..., 2]
        return whole

    def losses(self, points: Floats) -> Floats:
        """The loss at each of these points, in one pass."""
        return self._play(points, np.empty((0, 0)))

    def forecast(self, points: Floats) -> Floats:
        """(n, points): the expected score of each match."""
        expected = np.empty((len(self.pairs), len(points)))
        self._play(points, expected)
        return expected

    def minimise(self, start: Floats, *, bounded: bool) -> _End:
        """The least loss, with derivatives by differences: all points of a gradient are played in one pass."""
        from scipy.optimize import minimize

        free = self._free(bounded)
        limits = [_LIMITS[k] for k in free]
        inner = np.array([(low + h, high - h) for (low, high), h in zip(limits, _STEPS[free], strict=True)])

        def value_and_slope(part: Floats) -> tuple[float, Floats]:
            around = np.vstack([part, np.tile(np.clip(part, *inner.T), (2 * len(free), 1))])
            for place, k in enumerate(free):
                around[1 + 2 * place, place] += _STEPS[k]
                around[2 + 2 * place, place] -= _STEPS[k]
            points = np.tile(start, (len(around), 1))
            points[:, free] = around
            losses = self.losses(points)
            return float(losses[0]), (losses[1::2] - losses[2::2]) / (2 * _STEPS[free])

        found = minimize(
            value_and_slope,
            start[free],
            jac=True,
            method="L-BFGS-B",
            bounds=limits,
            options={"ftol": 1e-10, "gtol": 1e-3, "maxiter": 60},
        )
        end = start.copy()
        end[free] = found.x
        # the search may also end where differences are too coarse to gain more: that counts as converged
        return _End(self.complete(end), float(found.fun), bool(found.nit < 60))

    def errors(self, x: Floats) -> Floats:
        """Standard errors from the curvature, taken just inside where a bound is 0; both bounds always have one."""
        free = [k for k in self._free(True) if _LIMITS[k][0] + 1e-3 < x[k] < _LIMITS[k][1] - 1e-3 or k in (2, 3)]
        centre = x.copy()
        centre[2:4] = np.maximum(centre[2:4], _STEPS[2])
        size = len(free)
        # f(+ +) - f(+ -) - f(- +) + f(- -) for all pairs of unknowns
        points, signs = [], []
        for a in free:
            for b in free:
                for sign in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                    point = centre.copy()
                    point[a] += sign[0] * _STEPS[a] / 2
                    point[b] += sign[1] * _STEPS[b] / 2
                    points.append(point)
                    signs.append(sign[0] * sign[1])
        losses = (np.array(signs) * self.losses(np.array(points))).reshape(size, size, 4).sum(axis=2)
        hessian = losses / np.outer(_STEPS[free], _STEPS[free])
        variance = np.full(5, np.nan)
        variance[free] = np.diag(np.linalg.pinv(hessian))
        with np.errstate(invalid="ignore"):
            return np.sqrt(self.complete(variance))

    def _free(self, bounded: bool) -> list[int]:
        return [0, 1] + ([2] if bounded else []) + ([3] if bounded and self.advantage else []) + [4] * self.advantage

    def _play(self, points: Floats, expected: Floats) -> Floats:
        from ludometer.kernels.systems.bounded import bounded_pass

        whole = self.complete(points)
        settings = np.column_stack((np.exp(whole[:, :2]), whole[:, 2], 1 - whole[:, 3], whole[:, 4]))
        pairs = self.pairs
        return bounded_pass(pairs.first, pairs.second, pairs.halves, self.n_players, settings, expected)


def _log_losses(forecast: Floats, score: Floats) -> Floats:
    return np.asarray(-score * np.log(forecast) - (1 - score) * np.log1p(-forecast))


def _tail(ratio: float, *, n_bounds: int) -> float:
    """The probability of such a ratio without bounds: each bound is 0 in half the records (Self and Liang 1987)."""
    from scipy.stats import binom, chi2

    if ratio < 1e-6:
        return 1.0
    return float(sum(binom.pmf(k, n_bounds, 0.5) * chi2.sf(ratio, k) for k in range(1, n_bounds + 1)))


def _group(score: Floats, forecasts: Floats) -> Floats:
    order = np.argsort(forecasts[:, 1], kind="stable")
    parts = [part for part in np.array_split(order, _GROUPS) if len(part)]
    return np.array([[len(part), score[part].mean(), *forecasts[part].mean(axis=0)] for part in parts])
