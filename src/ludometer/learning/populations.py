"""Shapes of a distribution of ratings, fitted and compared: the learning models, normal, Maxwell-Boltzmann."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.errors import LudometerError
from ludometer.learning.bins import check_ratings
from ludometer.learning.fluid import BoundedModel, LearningModel
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

Shape = Literal["learning", "bounded", "normal", "maxwell"]
SHAPES: tuple[Shape, ...] = ("learning", "bounded", "normal", "maxwell")
_FEWEST = 10


@dataclass(frozen=True, eq=False)
class ShapeFit:
    """One shape at its most likely parameters, in Elo points."""

    shape: Shape
    parameters: dict[str, float]
    log_likelihood: float
    difference: float
    """The log likelihood minus that of the best shape: 0 for the best."""
    difference_error: float
    """Its standard error over players (Vuong 1989): the root of n times the SD of a player's difference.

    The zero of `maxwell` and a fitted origin depend on the lowest rating alone: where such a shape fits badly, its
    likelihood varies more than this between lists.
    """
    log_density: Callable[[Floats], Floats]

    @property
    def aic(self) -> float:
        """Twice the number of parameters less twice the log likelihood."""
        return 2 * len(self.parameters) - 2 * self.log_likelihood

    @property
    def z(self) -> float | None:
        """How many standard errors the shape is behind the best; None for the best."""
        return self.difference / self.difference_error if self.difference_error > 0 else None

    def describe(self, digits: int = 4) -> str:
        """The parameters in words."""
        return ", ".join(f"{name} {value:.{digits}g}" for name, value in self.parameters.items())

    def document(self) -> dict[str, Any]:
        """The fit as JSON."""
        names = ("shape", "parameters", "log_likelihood", "aic", "difference", "difference_error")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class Distributions(Shown):
    """Shapes fitted to a list of ratings, most likely first."""

    n_ratings: int
    fits: tuple[ShapeFit, ...]
    counts: tuple[Floats, Floats]
    """A histogram of the ratings for the chart: players, and the edges of the bars."""
    provenance: Provenance

    @property
    def best(self) -> ShapeFit:
        """The most likely."""
        return self.fits[0]

    def of(self, shape: Shape) -> ShapeFit:
        """The fit of one shape."""
        for fit in self.fits:
            if fit.shape == shape:
                return fit
        raise LudometerError(f"{shape!r} was not fitted; there are: {', '.join(fit.shape for fit in self.fits)}")

    def to_frame(self) -> pl.DataFrame:
        """One row per shape: parameters, log likelihood, AIC, and the distance to the best with its error."""
        import polars as pl

        return pl.DataFrame([fit.document() | {"parameters": fit.describe(6)} for fit in self.fits])

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "ratings": self.n_ratings,
            "shapes": [fit.document() for fit in self.fits],
            "absent": self.provenance.absent(),
        }

    def summary(self) -> str:
        """The shapes, best first."""
        lines = [f"{self.n_ratings:,} ratings; log likelihoods minus the best, with standard errors:"]
        for fit in self.fits:
            behind = "best" if fit is self.best else f"{fit.difference:.1f} ± {fit.difference_error:.1f}"
            lines.append(f"{fit.shape:>10}  {behind}  ({fit.describe()})")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The histogram with the fitted curves."""
        import altair as alt

        count, edge = self.counts
        area = self.n_ratings * float(edge[1] - edge[0])
        bars = [
            {"from": float(low), "to": float(high), "players": float(n)}
            for low, high, n in zip(edge[:-1], edge[1:], count, strict=True)
        ]
        grid = np.linspace(edge[0], edge[-1], 200)
        points = [
            {"rating": float(x), "players": float(y), "shape": fit.shape}
            for fit in self.fits
            for x, y in zip(grid, area * np.exp(fit.log_density(grid)), strict=True)
        ]
        histogram = (
            alt.Chart(alt.InlineData(values=bars), width=270 if narrow else 480, height=260)
            .mark_bar(color="#c9d3e0")
            .encode(
                x=alt.X("from:Q", bin="binned", title="Rating (Elo points)", scale=alt.Scale(zero=False)),
                x2="to:Q",
                y=alt.Y("players:Q", title="Players"),
            )
        )
        curves = (
            alt.Chart(alt.InlineData(values=points))
            .mark_line()
            .encode(x="rating:Q", y="players:Q", color=alt.Color("shape:N", title=None))
        )
        return {"shapes": histogram + curves}


def fit_distributions(
    ratings: Sequence[float] | Array,
    *,
    shapes: Sequence[Shape] = SHAPES,
    origin: float | None = None,
    scale: float | None = None,
) -> Distributions:
    """Fit shapes to a list of ratings by maximum likelihood and compare them (Smith 1994, sections 5 and 7).

    `origin` is where beginners enter; without it the learning models take the lowest rating, where their likelihood is
    greatest. `scale` fixes the Elo points per unit of the learning model instead of fitting them: 173.7 in theory,
    where L falls by a factor e per unit of log-odds.

    >>> ratings = LearningModel(c8=0.1, origin=800).curve(np.arange(1, 200) / 40)
    >>> fit_distributions(ratings).n_ratings
    199
    """
    rating = check_ratings(ratings)
    if len(rating) < _FEWEST or np.ptp(rating) == 0:
        raise LudometerError(f"a distribution needs at least {_FEWEST} ratings that are not all equal")
    if origin is not None and not origin <= rating.min():
        raise LudometerError(
            f"beginners enter at {origin:g}, but the lowest rating is {rating.min():g}: choose a lower origin"
        )
    if scale is not None and not (math.isfinite(scale) and scale > 0):
        raise LudometerError(f"the scale must be above 0, not {scale}")
    unknown = [shape for shape in shapes if shape not in SHAPES]
    if unknown or not shapes:
        raise LudometerError(f"shapes are: {', '.join(SHAPES)}; not {unknown[0] if unknown else 'none'}")
    start = float(rating.min()) if origin is None else origin
    found = {shape: _fit(shape, rating, start, origin is None, scale) for shape in shapes}
    return _compare(rating, found, origin, scale)


_Found = tuple[dict[str, float], Callable[[Floats], Floats]]


def _fit(shape: Shape, rating: Floats, origin: float, free: bool, scale: float | None) -> _Found:
    """Parameters that were fitted, and the log density."""
    begin = {"origin": origin} if free else {}
    if shape == "learning":
        model = fit_learning(rating, origin=origin, scale=scale)
        width = {"scale": model.scale} if scale is None else {}
        return {"c8": model.c8} | begin | width, model.log_density
    if shape == "bounded":
        bounded = fit_bounded(rating, origin=origin)
        return {"power": bounded.power, "top": bounded.top} | begin, bounded.log_density
    if shape == "normal":
        mean, sd = float(rating.mean()), float(rating.std())
        return {"mean": mean, "sd": sd}, lambda x: -0.5 * ((x - mean) / sd) ** 2 - math.log(sd * math.sqrt(math.tau))
    zero, width_ = fit_maxwell(rating)
    return {"zero": zero, "width": width_}, lambda x: _log_maxwell(x, zero, width_)


def fit_learning(rating: Floats, *, origin: float, scale: float | None = None) -> LearningModel:
    """The learning model with beginners at the origin: c8 and, unless given, the scale.

    At a given scale the best c8 is 1 / (mean(e^R) - 1), so only the scale is searched.

    >>> model = fit_learning(np.array([0.0, 100, 150, 180, 220, 260]), origin=0)
    >>> bool(50 < model.scale < 200)
    True
    """
    x = rating - origin

    def model(width: float) -> LearningModel:
        # mean(e^R - 1) from logarithms: e^R alone may overflow
        log_mean = float(np.logaddexp.reduce(x / width) - math.log(len(x)))
        mean = math.expm1(log_mean) if log_mean < 700 else math.inf
        return LearningModel(min(max(1 / mean, 1e-300), 1e300), origin, width)

    if scale is not None:
        return model(scale)
    spread = float(x.std())
    tried = np.linspace(math.log(spread / 100), math.log(spread * 100), 60)
    return model(math.exp(_minimise(lambda v: _minus(model(math.exp(v)).log_density, rating), tried)))


def fit_bounded(rating: Floats, *, origin: float) -> BoundedModel:
    """The best possible rating and the power of the bounded model.

    The power is at least 1: below, the density and the likelihood would grow without limit at the best rating.
    """
    high = float(rating.max())
    reach = high - origin

    def model(log_gap: float) -> BoundedModel:
        top = high + reach * math.exp(log_gap)
        total = float(-np.log((top - rating) / (top - origin)).sum())
        return BoundedModel(max(len(rating) / total, 1.0), top, origin)

    return model(_minimise(lambda v: _minus(model(v).log_density, rating), np.linspace(-14, 9, 70)))


def fit_maxwell(rating: Floats) -> tuple[float, float]:
    """Zero point and width of sqrt(2 / pi) (x - zero)^2 / width^3 exp(-(x - zero)^2 / (2 width^2)).

    At a given zero point the best width is the root of the mean square / 3.
    """
    low, spread = float(rating.min()), float(rating.std())

    def width(zero: float) -> float:
        return math.sqrt(float(((rating - zero) ** 2).mean()) / 3)

    def loss(log_gap: float) -> float:
        zero = low - spread * math.exp(log_gap)
        return _minus(lambda x: _log_maxwell(x, zero, width(zero)), rating)

    zero = low - spread * math.exp(_minimise(loss, np.linspace(-16, 6, 80)))
    return zero, width(zero)


def _minimise(loss: Callable[[float], float], tried: Floats) -> float:
    """Where a loss is least: on a coarse grid, as it is flat far away, then between the neighbours of the best."""
    from scipy.optimize import minimize_scalar

    near = int(np.argmin([loss(v) for v in tried]))
    bounds = (tried[max(near - 1, 0)], tried[min(near + 1, len(tried) - 1)])
    return float(minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-9}).x)


def _log_maxwell(rating: Floats, zero: float, width: float) -> Floats:
    x = np.asarray(rating, np.float64) - zero
    inside = x > 0
    safe = np.where(inside, x, 1.0)
    density = 0.5 * math.log(2 / math.pi) + 2 * np.log(safe) - 3 * math.log(width) - 0.5 * (safe / width) ** 2
    return np.where(inside, density, -np.inf)


def _minus(log_density: Callable[[Floats], Floats], rating: Floats) -> float:
    return -float(log_density(rating).sum())


def _compare(rating: Floats, found: dict[Shape, _Found], origin: float | None, scale: float | None) -> Distributions:
    logarithms = {shape: log_density(rating) for shape, (_, log_density) in found.items()}
    order = sorted(found, key=lambda shape: -float(logarithms[shape].sum()))
    best, n = logarithms[order[0]], len(rating)
    fits = []
    for shape in order:
        apart = logarithms[shape] - best
        error = math.sqrt(n) * float(apart.std(ddof=1))
        total = float(logarithms[shape].sum())
        fits.append(ShapeFit(shape, found[shape][0], total, float(apart.sum()), error, found[shape][1]))
    count, edge = np.histogram(rating, bins=min(60, max(8, int(math.sqrt(n)))))
    given = {name: value for name, value in (("origin", origin), ("scale", scale)) if value is not None}
    provenance = Provenance("distribution of ratings", {"shapes": list(found)} | given)
    return Distributions(n, tuple(fits), (count.astype(np.float64), edge), provenance)
