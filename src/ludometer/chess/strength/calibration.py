"""What a calibration holds against known ratings: players, or bands of seats of neighbouring ratings.

A rising line of straight pieces through noisy points, whose errors are known, read forwards and backwards.

Calibration: what a difference to the engine means in real Elo points, for one engine, depth and conventions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.moves.evaluations import Conventions, Evaluations
from ludometer.moves.gains import Filters, Gains, measure_gains
from ludometer.moves.samples import ENGINE, Reference
from ludometer.moves.strengths import Strengths, hold_against
from ludometer.moves.uncertainty import MIN_GAMES, REPLICATES, draw_weights, nullable
from ludometer.result import Provenance
from ludometer.version import __version__

if TYPE_CHECKING:
    import altair
    import polars as pl

Units = Literal["player", "band"]
"""What is held against its rating: a player with enough games, or a band of seats of neighbouring ratings."""

MIN_UNITS = 8

Taken = tuple[Codes, tuple[str, ...], Floats, Counts]
"""The unit of each gain (-1: none), and of each unit its name, rating and number of games."""


def take_players(evaluations: Evaluations, gains: Gains, ratings: Mapping[str, float] | None) -> Taken:
    """Each player; a rating of his is the mean over his games, and those by name go first."""
    _, games = gains.counts()
    return gains.player, tuple(gains.players.names), evaluations.known_ratings(ratings), games


def take_bands(evaluations: Evaluations, gains: Gains, bands: int) -> Taken:
    """All seats with a known rating, in its order, in parts of equal size."""
    if bands < MIN_UNITS:
        raise LudometerError(f"a calibration needs {MIN_UNITS} bands or more, not {bands}")
    seat_rating = evaluations.rating.ravel()
    known = np.flatnonzero(np.isfinite(seat_rating))
    order = known[np.argsort(seat_rating[known], kind="stable")]
    band = np.full(len(seat_rating), -1, np.int32)
    band[order] = np.arange(len(order)) * bands // max(len(order), 1)
    mine = evaluations.seats[gains.game, 0] != gains.player
    sample = band[2 * gains.game.astype(np.int64) + mine]
    seats = np.unique(np.column_stack((sample, gains.game, mine)), axis=0)
    seats = seats[seats[:, 0] >= 0]
    place = 2 * seats[:, 1].astype(np.int64) + seats[:, 2]
    count = np.bincount(seats[:, 0], minlength=bands)
    mean = np.bincount(seats[:, 0], seat_rating[place], minlength=bands) / np.maximum(count, 1)
    names = tuple(f"band {k + 1}" for k in range(bands))
    # two seats of one game share its weight: what counts is games
    games = np.bincount(np.unique(seats[:, :2], axis=0)[:, 0], minlength=bands)
    return sample.astype(np.int32), names, np.where(count > 0, mean, np.nan), games


_MAX_PIECES = 3
_POINTS_A_PIECE = 6
_LEAST_SLOPE = 1e-4
"""Points of d a point of rating: a line that does not rise cannot be read backwards."""


@dataclass(frozen=True, eq=False)
class MonotoneFit:
    """`g(x) = b0 + sum b_k * (x beyond knot k, up to the next)`, all b_k above 0, with the covariance of b.

    `scatter` is the SD of the points around g beyond their own errors.
    """

    knots: Floats
    coefficient: Floats
    covariance: Floats
    scatter: float
    n_free: int
    """Points less coefficients that are not at their bound."""

    @property
    def n_pieces(self) -> int:
        """Straight pieces."""
        return len(self.knots) - 1

    def value(self, x: Floats) -> Floats:
        """g; beyond the outer knots it goes on straight."""
        return np.asarray(_design(np.asarray(x, np.float64), self.knots) @ self.coefficient)

    def error(self, x: Floats) -> Floats:
        """The standard error of g."""
        design = _design(np.asarray(x, np.float64), self.knots)
        return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", design, self.covariance, design)))

    def rise(self, low: float, high: float) -> tuple[float, float]:
        """g(high) - g(low) and its standard error."""
        row = np.subtract(*_design(np.array([high, low]), self.knots))
        return float(row @ self.coefficient), float(np.sqrt(row @ self.covariance @ row))

    def quantile(self, level: float) -> float:
        """Student's t of the free points."""
        from scipy.special import stdtrit

        return float(stdtrit(max(self.n_free, 1), (1 + level) / 2))

    def invert(self, y: float, low: float, high: float) -> float:
        """The x between low and high with g(x) = y."""
        from scipy.optimize import brentq

        ends = self.value(np.array([low, high])) - y
        if ends[0] >= 0 or ends[1] <= 0:
            return low if ends[0] >= 0 else high
        return float(brentq(lambda x: float(self.value(np.array([x]))[0]) - y, low, high, xtol=1e-9))

    def invert_interval(
        self, y: float, error: float, span: tuple[float, float], level: float
    ) -> tuple[float | None, float | None]:
        """All x for which y, measured with this error, is not too far from g(x); an end may be open.

        Ends are looked for up to three times the span beyond it on either side, where g goes on straight.
        """
        reach = 3 * (span[1] - span[0])
        grid = np.linspace(span[0] - reach, span[1] + reach, 14_001)
        far = self.quantile(level) * np.sqrt(error**2 + self.scatter**2 + self.error(grid) ** 2)
        inside = np.flatnonzero(np.abs(y - self.value(grid)) <= far)
        if not len(inside):
            # the grid is finer than any interval of use: the estimate itself
            middle = self.invert(y, span[0], span[1])
            return middle, middle
        low, high = int(inside[0]), int(inside[-1])
        return (
            float(grid[low]) if low > 0 else None,
            float(grid[high]) if high < len(grid) - 1 else None,
        )


def fit_monotone(x: Floats, y: Floats, error: Floats) -> MonotoneFit:
    """Fit y on x by weighted least squares with slopes above 0; scatter by likelihood; pieces by the corrected AIC.

    >>> x = np.linspace(0, 100, 30)
    >>> fit = fit_monotone(x, 3 + 0.5 * x, np.full(30, 0.1))
    >>> fit.value(np.array([50.0])).round(6).tolist(), round(fit.invert(28.0, 0, 100), 3)
    ([28.0], 50.0)
    """
    x, y, error = (np.asarray(column, np.float64) for column in (x, y, error))
    if len(x) < 4 or np.ptp(x) <= 0:
        raise LudometerError("a calibration needs units of different ratings")
    most = min(_MAX_PIECES, max(1, len(x) // _POINTS_A_PIECE))
    fits = [_fit_pieces(x, y, error, pieces) for pieces in range(1, most + 1)]
    return min(fits, key=lambda entry: entry[0])[1]


def _fit_pieces(x: Floats, y: Floats, error: Floats, pieces: int) -> tuple[float, MonotoneFit]:
    from scipy.optimize import minimize_scalar

    knots = np.unique(np.quantile(x, np.linspace(0, 1, pieces + 1)))
    design = _design(x, knots)

    def loss(scatter: float) -> float:
        return _restricted_loss(design, y, error**2 + scatter**2)

    top = float(np.std(y)) + 1e-9
    found = minimize_scalar(loss, bounds=(0.0, 2 * top), method="bounded")
    scatter = 0.0 if loss(0.0) <= found.fun else float(found.x)
    variance = error**2 + scatter**2
    coefficient, free = _solve(design, y, variance)
    covariance = _covariance(design, variance)
    residual = y - design @ coefficient
    n, k = len(x), design.shape[1] + 1
    likelihood = -0.5 * float((residual**2 / variance + np.log(variance)).sum())
    criterion = 2 * k - 2 * likelihood + 2 * k * (k + 1) / max(n - k - 1, 1e-9)
    return criterion, MonotoneFit(knots, coefficient, covariance, scatter, n - int(free.sum()))


def _restricted_loss(design: Floats, y: Floats, variance: Floats) -> float:
    """Minus the restricted log likelihood: it allows for the coefficients that were fitted."""
    safe = np.maximum(variance, 1e-12)
    coefficient, free = _solve(design, y, safe)
    residual = y - design @ coefficient
    information = (design[:, free] / safe[:, None]).T @ design[:, free]
    return 0.5 * float((residual**2 / safe + np.log(safe)).sum() + np.linalg.slogdet(information)[1])


def _solve(design: Floats, y: Floats, variance: Floats) -> tuple[Floats, Mask]:
    from scipy.optimize import lsq_linear

    root = 1 / np.sqrt(np.maximum(variance, 1e-12))
    lower = np.full(design.shape[1], _LEAST_SLOPE)
    lower[0] = -np.inf
    plain = np.linalg.lstsq(design * root[:, None], y * root, rcond=None)[0]
    if (plain[1:] > lower[1:]).all():
        # no bound is in the way, as a rule: then this is the solution, and much faster
        return np.asarray(plain), np.ones(len(plain), bool)
    found = lsq_linear(design * root[:, None], y * root, bounds=(lower, np.inf), method="bvls")
    free = np.asarray(found.x > lower + 1e-12)
    free[0] = True
    return np.asarray(found.x), free


def _covariance(design: Floats, variance: Floats) -> Floats:
    """Of all coefficients as if none were bounded: one at its bound is not known to be there."""
    information = (design / np.maximum(variance, 1e-12)[:, None]).T @ design
    return np.asarray(np.linalg.pinv(information, hermitian=True))


def _design(x: Floats, knots: Floats) -> Floats:
    """A column of ones, then how far x lies in each piece; the outer pieces have no end."""
    low, high = knots[:-1].copy(), knots[1:].copy()
    low[0], high[-1] = -np.inf, np.inf
    part = np.clip(x[:, None], low, high) - knots[:-1]
    return np.column_stack((np.ones(len(x)), part))


_FOLDS = 5
_FORMAT = "ludometer chess calibration 1"


@dataclass(frozen=True)
class HeldOut:
    """How the calibration did on units that it was fitted without."""

    n: int
    """Held-out units within the range of the others."""
    n_refused: int
    """Held-out units outside that range."""
    coverage: float | None
    """The share of known ratings inside their prediction intervals."""
    rms_error: float | None
    mean_width: float | None


@dataclass(frozen=True)
class CalibratedElo:
    """A player's strength on the scale of the known ratings; None where it is refused, and why."""

    elo: float | None
    interval: tuple[float | None, float | None] | None
    """A prediction interval; an end is None where the fit does not bound it."""
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Calibration:
    """Known ratings and differences of the units, the monotone fit through them, and how it did on held-out ones.

    The fit is of d on the rating, `d = g(r)`, since the error is in d; it is read the other way round, `r = g^-1(d)`.
    So the noise in d does not flatten it, and an interval is the set of ratings for which d is not too far off.
    """

    conventions: Conventions
    filters: Filters
    reference: Reference
    units: Units
    names: tuple[str, ...]
    rating: Floats
    difference: Floats
    error: Floats
    fit: MonotoneFit
    held_out: HeldOut
    level: float
    provenance: Provenance

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and highest rating that it can give."""
        return float(self.rating.min()), float(self.rating.max())

    @property
    def slope(self) -> tuple[float, float, float]:
        """Points of d for one point of rating, over the whole range, with its interval."""
        low, high = self.range
        value, error = self.fit.rise(low, high)
        half = self.fit.quantile(self.level) * error
        return value / (high - low), (value - half) / (high - low), (value + half) / (high - low)

    def predict(self, difference: float, error: float) -> CalibratedElo:
        """The Elo of a player with this difference to the reference, whose standard error is known."""
        low, high = self.range
        if not math.isfinite(difference):
            return CalibratedElo(None, None, "no estimate yet")
        bottom, top = self.fit.value(np.array([low, high]))
        if not bottom <= difference <= top:
            side = "below" if difference < bottom else "above"
            return CalibratedElo(None, None, f"{side} the calibrated range of {low:.0f} to {high:.0f}")
        elo = float(self.fit.invert(difference, low, high))
        if not math.isfinite(error):
            return CalibratedElo(elo, None, "too few games")
        return CalibratedElo(elo, self.fit.invert_interval(difference, error, (low, high), self.level))

    def apply(self, strengths: Strengths) -> dict[str, CalibratedElo]:
        """The calibrated Elo of each player, by name; the conventions have to be the same."""
        self.check(strengths.provenance.parameters)
        against = strengths.against_engine
        columns = zip(strengths.names, against.difference.tolist(), against.error.tolist(), strict=True)
        return {name: self.predict(difference, error) for name, difference, error in columns}

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse what was measured by another engine, depth, mate value, filter or reference."""
        wanted = self.conventions.to_dict() | {
            "filters": self.filters.to_dict(),
            "reference": self.reference.describe(),
        }
        found = dict(parameters["conventions"]) | {name: parameters[name] for name in ("filters", "reference")}
        other = [
            f"{name} {found.get(name)!r} instead of {value!r}"
            for name, value in wanted.items()
            if found.get(name) != value
        ]
        if other:
            raise LudometerError(f"the calibration is for other conventions: {'; '.join(other)}")

    def to_frame(self) -> pl.DataFrame:
        """A row a unit: rating, difference, its error, and the fit."""
        import polars as pl

        columns = {
            self.units: self.names,
            "rating": self.rating,
            "difference": self.difference,
            "error": self.error,
            "fitted": self.fit.value(self.rating),
        }
        return pl.DataFrame(columns)

    def summary(self) -> str:
        """The slope, the range, and the check on held-out units."""
        low, high = self.range
        slope, below, above = self.slope
        lines = [
            f"{len(self.names)} {self.units}s rated {low:.0f} to {high:.0f}",
            f"{self.conventions.describe()}, {self.filters.describe()}, reference {self.reference.name}",
            f"slope {slope:.3f} [{below:.3f}, {above:.3f}] points of d a point of rating",
            f"scatter of d beyond its error {self.fit.scatter:.1f}; "
            + ("a straight line" if self.fit.n_pieces == 1 else f"{self.fit.n_pieces} straight pieces"),
        ]
        check = self.held_out
        if check.coverage is not None:
            lines.append(
                f"held out: {check.n} {self.units}s, {100 * check.coverage:.0f}% inside their {100 * self.level:g}% "
                f"intervals, {_width_words(check)}, RMS error {check.rms_error:.0f}; {check.n_refused} refused"
            )
        if below <= 0:
            lines.append("the slope may be 0: these differences tell little about ratings")
        return "\n".join(lines)

    def plot(self) -> altair.LayerChart:
        """The units with their errors, and the fit."""
        import altair as alt

        rows = [
            row | {"low": row["difference"] - 2 * row["error"], "high": row["difference"] + 2 * row["error"]}
            for row in self.to_frame().to_dicts()
        ]
        grid = np.linspace(*self.range, 60)
        line = [{"rating": float(r), "fitted": float(d)} for r, d in zip(grid, self.fit.value(grid), strict=True)]
        x = alt.X("rating:Q", title="Rating", scale=alt.Scale(zero=False))
        title, near = "Difference to the engine (Elo points)", alt.Scale(zero=False)
        base = alt.Chart(alt.InlineData(values=rows), width=480, height=260)
        drawn: alt.LayerChart = (
            base.mark_rule(color="#4c6a92").encode(x=x, y=alt.Y("low:Q", title=title, scale=near), y2="high:Q")
            + base.mark_point(filled=True, color="#4c6a92").encode(x=x, y=alt.Y("difference:Q", title=title))
            + alt.Chart(alt.InlineData(values=line))
            .mark_line(color="#b4530a")
            .encode(x=x, y=alt.Y("fitted:Q", title=title))
        )
        return drawn

    def save(self, path: str | Path) -> None:
        """Write it as JSON; what was fitted is fitted again on loading, so the file holds facts only."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object."""
        held = self.held_out
        return {
            "format": _FORMAT,
            "version": __version__,
            "conventions": self.conventions.to_dict(),
            "filters": self.filters.to_dict(),
            "reference": {
                "name": self.reference.name,
                "gain": self.reference.value.tolist(),
                "count": self.reference.count.tolist(),
            },
            "units": self.units,
            "level": self.level,
            "data": self.provenance.data,
            "seed": self.provenance.seed,
            "points": [
                {"name": name, "rating": rating, "difference": difference, "error": error}
                for name, rating, difference, error in zip(
                    self.names, self.rating.tolist(), self.difference.tolist(), self.error.tolist(), strict=True
                )
            ],
            "held_out": {name: getattr(held, name) for name in HeldOut.__dataclass_fields__},
        }


def load_calibration(path: str | Path) -> Calibration:
    """A calibration from its file."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise LudometerError(f"{path}: no such file") from None
    except OSError as error:
        raise LudometerError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise LudometerError(f"{path}: not a calibration: {error}") from error
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise LudometerError(f"{path}: not a calibration ({_FORMAT!r} is expected)")
    try:
        return _of_dict(found)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        reason = "the calibration is damaged; write it anew with ludometer chess calibrate"
        raise LudometerError(f"{path}: {reason}") from error


def calibrate(
    evaluations: Evaluations,
    *,
    ratings: Mapping[str, float] | None = None,
    units: Units = "player",
    bands: int = 10,
    filters: Filters | None = None,
    reference: Reference = ENGINE,
    level: float = 0.95,
    replicates: int = REPLICATES,
    min_games: int = MIN_GAMES,
    seed: int = 0,
) -> Calibration:
    """Fit known ratings to differences from moves: of each player with enough games, or of `bands` of seats.

    Bands serve where players have a game or two each: all seats with a known rating, in order, in parts of equal size.
    They average over players, so the scatter is that of bands: an interval for one player is then too narrow by as much
    as players of one rating differ in style.
    """
    gains = measure_gains(evaluations, filters=filters)
    weight = draw_weights(gains.n_games, replicates=replicates, seed=seed)
    sample, names, rating, games = (
        take_players(evaluations, gains, ratings) if units == "player" else take_bands(evaluations, gains, bands)
    )
    against = hold_against(gains, sample, len(names), reference, weight, games=games, level=level, min_games=min_games)
    used = np.isfinite(rating) & np.isfinite(against.difference) & np.isfinite(against.error)
    if not np.isfinite(rating).any():
        raise LudometerError("no rating is known: a calibration needs games of rated players")
    if used.sum() < MIN_UNITS:
        raise LudometerError(
            f"a calibration needs {MIN_UNITS} {units}s with a known rating and {min_games} games or more; "
            f"there are {int(used.sum())}" + ("; try bands of neighbouring ratings" if units == "player" else "")
        )
    parameters = {"units": units, "replicates": replicates, "min_games": min_games, "level": level}
    return make_calibration(
        tuple(name for name, keep in zip(names, used, strict=True) if keep),
        rating[used],
        against.difference[used],
        against.error[used],
        conventions=gains.conventions,
        filters=gains.filters,
        reference=reference,
        units=units,
        level=level,
        provenance=Provenance("calibration", parameters | gains.provenance.parameters, evaluations.fingerprint, seed),
    )


def make_calibration(
    names: tuple[str, ...],
    rating: Floats,
    difference: Floats,
    error: Floats,
    *,
    conventions: Conventions | None = None,
    filters: Filters | None = None,
    reference: Reference = ENGINE,
    units: Units = "player",
    level: float = 0.95,
    provenance: Provenance | None = None,
) -> Calibration:
    """A calibration from units with known ratings, differences and errors, checked by holding out a fifth at a time."""
    if len(rating) < MIN_UNITS:
        raise LudometerError(f"a calibration needs {MIN_UNITS} {units}s, not {len(rating)}")
    made = Calibration(
        conventions or Conventions(),
        filters or Filters(),
        reference,
        units,
        names,
        rating,
        difference,
        error,
        fit_monotone(rating, difference, error),
        HeldOut(0, 0, None, None, None),
        level,
        provenance or Provenance("calibration"),
    )
    return replace(made, held_out=_hold_out(made))


def _hold_out(whole: Calibration) -> HeldOut:
    """Fit without each fifth in turn, in the order of ratings, so that each part spans the range."""
    order = np.argsort(whole.rating, kind="stable")
    fold = np.empty(len(order), np.int64)
    fold[order] = np.arange(len(order)) % _FOLDS
    inside, miss, width, refused = [], [], [], 0
    for part in range(_FOLDS):
        kept = fold != part
        fit = fit_monotone(whole.rating[kept], whole.difference[kept], whole.error[kept])
        other = replace(whole, fit=fit, rating=whole.rating[kept])
        for unit in np.flatnonzero(~kept):
            found = other.predict(float(whole.difference[unit]), float(whole.error[unit]))
            if found.elo is None or found.interval is None:
                refused += 1
                continue
            low, high = (
                math.copysign(math.inf, s) if e is None else e for e, s in zip(found.interval, (-1, 1), strict=True)
            )
            inside.append(low <= whole.rating[unit] <= high)
            miss.append(found.elo - whole.rating[unit])
            width.append(high - low)
    if not inside:
        return HeldOut(0, refused, None, None, None)
    finite = [value for value in width if math.isfinite(value)]
    mean_width = nullable(float(np.mean(finite))) if finite else None
    rms = float(np.sqrt(np.mean(np.square(miss))))
    return HeldOut(len(inside), refused, float(np.mean(inside)), rms, mean_width)


def _width_words(check: HeldOut) -> str:
    return "none bounded on both sides" if check.mean_width is None else f"mean width {check.mean_width:.0f}"


def _refuse_far(*values: Floats | list[Any]) -> None:
    """Ratings, differences and errors that no game has: what is fitted to them would overflow."""
    if not all(np.isfinite(one).all() and (np.abs(one) < 1e9).all() for one in values):
        raise ValueError("a number is out of reach")


def _of_dict(found: Mapping[str, Any]) -> Calibration:
    gap = found["filters"]["gap"]
    filters = Filters(**found["filters"] | {"gap": None if gap is None else tuple(gap)})
    points = found["points"]
    rating, difference, error = (
        np.array([point[key] for point in points], np.float64) for key in ("rating", "difference", "error")
    )
    _refuse_far(rating, difference, error, [value for value in found["held_out"].values() if value is not None])
    if not 0 < found["level"] < 1 or not (error > 1e-6).all():
        raise ValueError("the level is no share, or there is no error")
    if (found["held_out"]["coverage"] is None) != (found["held_out"]["rms_error"] is None):
        raise ValueError("half of the check is missing")
    reference = found["reference"]
    conventions = Conventions(**found["conventions"])
    conventions.describe()
    filters.describe()
    sample = Reference(reference["name"], np.array(reference["gain"], np.int32), np.array(reference["count"], np.int64))
    parameters = {"conventions": conventions.to_dict(), "filters": filters.to_dict()}
    return Calibration(
        conventions,
        filters,
        sample,
        found["units"],
        tuple(point["name"] for point in points),
        rating,
        difference,
        error,
        fit_monotone(rating, difference, error),
        HeldOut(**found["held_out"]),
        found["level"],
        Provenance("calibration", parameters, found["data"], found["seed"], found["version"]),
    )
