"""Calibration: what a difference to the engine means in real Elo points, for one engine, depth and conventions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.chess.record.evaluations import Conventions, Evaluations
from ludometer.chess.strength.absent import explain
from ludometer.chess.strength.gains import Filters, measure_gains
from ludometer.chess.strength.monotone import MonotoneFit, fit_monotone
from ludometer.chess.strength.strengths import Strengths
from ludometer.errors import LudometerError
from ludometer.moves.gains import ENGINE, Gains, Reference
from ludometer.moves.pairs import compare_with_reference
from ludometer.moves.uncertainty import NO_ESTIMATE, TOO_FEW, USUAL, Intervals
from ludometer.result import Provenance, Shown
from ludometer.version import __version__

if TYPE_CHECKING:
    import polars as pl

Units = Literal["player", "band"]
"""What is fitted to its rating: a player with enough games, or a band of seats with neighbouring ratings."""

MIN_UNITS = 8

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
class Calibration(Shown):
    """Known ratings and differences of the units, the monotone fit through them, and its check on held-out units.

    d is fitted on the rating, `d = g(r)`, since the error is in d, and then inverted, `r = g^-1(d)`. So the noise in d
    does not flatten the fit, and an interval is the set of ratings for which d is not too far off.
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
        """The lowest and highest rating that it covers."""
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
            return CalibratedElo(None, None, NO_ESTIMATE)
        bottom, top = self.fit.value(np.array([low, high]))
        if not bottom <= difference <= top:
            side = "below" if difference < bottom else "above"
            return CalibratedElo(None, None, f"{side} the calibrated range of {low:.0f} to {high:.0f}")
        elo = float(self.fit.invert(difference, low, high))
        if not math.isfinite(error):
            return CalibratedElo(elo, None, TOO_FEW)
        return CalibratedElo(elo, self.fit.invert_interval(difference, error, (low, high), self.level))

    def apply(self, strengths: Strengths) -> dict[str, CalibratedElo]:
        """The calibrated Elo of each player, by name; the conventions must be the same."""
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
        """One row per unit: rating, difference, its error, and the fit."""
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
        pieces = "a straight line" if self.fit.n_pieces == 1 else f"{self.fit.n_pieces} straight pieces"
        lines = [
            f"{len(self.names)} {self.units}s rated {low:.0f} to {high:.0f}",
            f"{self.conventions.describe()}, {self.filters.describe()}, reference {self.reference.name}",
            f"slope {slope:.3f} [{below:.3f}, {above:.3f}] points of d per point of rating",
            f"scatter of d beyond its error {self.fit.scatter:.1f}; {pieces}",
        ]
        check = self.held_out
        if check.coverage is not None:
            bounded = check.mean_width is not None
            width = f"mean width {check.mean_width:.0f}" if bounded else "none bounded on both sides"
            lines.append(
                f"held out: {check.n} {self.units}s, {100 * check.coverage:.0f}% inside their {100 * self.level:g}% "
                f"intervals, {width}, RMS error {check.rms_error:.0f}; {check.n_refused} refused"
            )
        if below <= 0:
            lines.append("the slope may be 0: these differences say little about ratings")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The units with two standard errors on either side, and the fit."""
        import altair as alt

        from ludometer.chart_style import ACCENT, INK

        rows = [
            row | {"low": row["difference"] - 2 * row["error"], "high": row["difference"] + 2 * row["error"]}
            for row in self.to_frame().to_dicts()
        ]
        grid = np.linspace(*self.range, 60)
        line = [{"rating": float(r), "fitted": float(d)} for r, d in zip(grid, self.fit.value(grid), strict=True)]
        title, near = "Difference to the engine (Elo points)", alt.Scale(zero=False)
        x = alt.X("rating:Q", title="Rating", scale=near)
        base = alt.Chart(alt.InlineData(values=rows), width=260 if narrow else 480, height=260)
        fitted = alt.Chart(alt.InlineData(values=line)).mark_line(color=ACCENT)
        drawn = (
            base.mark_rule(color=INK).encode(x=x, y=alt.Y("low:Q", title=title, scale=near), y2="high:Q")
            + base.mark_point(filled=True, color=INK).encode(x=x, y=alt.Y("difference:Q", title=title))
            + fitted.encode(x=x, y=alt.Y("fitted:Q", title=title))
        )
        return {"calibration": drawn}

    def document(self) -> dict[str, Any]:
        """The slope, the range and the check on held-out units."""
        slope, low, high = self.slope
        document = {
            "units": self.units,
            "n": len(self.names),
            "range": list(self.range),
            "slope": slope,
            "slope_interval": [low, high],
            "scatter": self.fit.scatter,
            "level": self.level,
            "conventions": self.conventions.to_dict(),
            "filters": self.filters.to_dict(),
            "reference": self.reference.name,
            "held_out": asdict(self.held_out),
            "points": self._points(),
        }
        return explain(document)

    def save(self, path: str | Path) -> None:
        """Write it as JSON; loading repeats the fit, so the file holds facts only."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """The contents of the file."""
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
            "points": self._points(),
            "held_out": asdict(self.held_out),
        }

    def _points(self) -> list[dict[str, Any]]:
        columns = (self.names, self.rating.tolist(), self.difference.tolist(), self.error.tolist())
        names = ("name", "rating", "difference", "error")
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


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
        raise LudometerError(f"{path}: not a calibration (format {_FORMAT!r} expected)")
    try:
        return _of_dict(found)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise LudometerError(f"{path}: the calibration is damaged; repeat ludometer chess calibrate") from error


def calibrate(
    evaluations: Evaluations,
    *,
    ratings: Mapping[str, float] | None = None,
    units: Units = "player",
    bands: int = 10,
    filters: Filters | None = None,
    reference: Reference = ENGINE,
    intervals: Intervals = USUAL,
) -> Calibration:
    """Fit differences from moves to known ratings: of each player with enough games, or of `bands` of seats.

    Bands serve where players have a game or two each: all seats with a known rating, in order, in parts of equal size.
    They average over players, so the scatter is that of bands: an interval for one player is then too narrow by as much
    as players of one rating differ in style.
    """
    gains = measure_gains(evaluations, filters=filters)
    weight = intervals.draw_weights(gains.n_games)
    sample, names, rating, games = (
        _take_players(evaluations, gains, ratings) if units == "player" else _take_bands(evaluations, gains, bands)
    )
    against = compare_with_reference(gains, sample, reference, weight, games=games, intervals=intervals)
    used = np.isfinite(rating) & np.isfinite(against.difference) & np.isfinite(against.error)
    if not np.isfinite(rating).any():
        raise LudometerError("no rating is known: a calibration needs games of rated players")
    if used.sum() < MIN_UNITS:
        raise LudometerError(
            f"a calibration needs at least {MIN_UNITS} {units}s with a known rating and {intervals.min_games} games; "
            f"there are {int(used.sum())}" + ("; try bands of neighbouring ratings" if units == "player" else "")
        )
    parameters = {"units": units} | intervals.parameters | gains.provenance.parameters
    return make_calibration(
        tuple(name for name, keep in zip(names, used, strict=True) if keep),
        rating[used],
        against.difference[used],
        against.error[used],
        conventions=evaluations.conventions,
        filters=gains.filters,
        reference=reference,
        units=units,
        level=intervals.level,
        provenance=Provenance("calibration", parameters, evaluations.fingerprint, intervals.seed),
    )


def _take_players(
    evaluations: Evaluations, gains: Gains, ratings: Mapping[str, float] | None
) -> tuple[Codes, tuple[str, ...], Floats, Counts]:
    """The player of each gain, and of each player name, rating and number of games."""
    _, games = gains.counts()
    return gains.player, tuple(gains.players.names), evaluations.known_ratings(ratings), games


def _take_bands(evaluations: Evaluations, gains: Gains, bands: int) -> tuple[Codes, tuple[str, ...], Floats, Counts]:
    """The same for bands: all seats with a known rating, in its order, in parts of equal size (-1: in none)."""
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
    # both seats of a game share its weight: games count, not seats
    games = np.bincount(np.unique(seats[:, :2], axis=0)[:, 0], minlength=bands)
    return sample.astype(np.int32), names, np.where(count > 0, mean, np.nan), games


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
    mean_width = float(np.mean(finite)) if finite else None
    rms = float(np.sqrt(np.mean(np.square(miss))))
    return HeldOut(len(inside), refused, float(np.mean(inside)), rms, mean_width)


def _refuse_far(*values: Floats | list[Any]) -> None:
    """Refuse ratings, differences and errors that no game has: a fit to them would overflow."""
    if not all(np.isfinite(one).all() and (np.abs(one) < 1e9).all() for one in values):
        raise ValueError("a number is out of range")


def _of_dict(found: Mapping[str, Any]) -> Calibration:
    filters = Filters.of_dict(found["filters"])
    points = found["points"]
    rating, difference, error = (
        np.array([point[key] for point in points], np.float64) for key in ("rating", "difference", "error")
    )
    _refuse_far(rating, difference, error, [value for value in found["held_out"].values() if value is not None])
    if not 0 < found["level"] < 1 or not (error > 1e-6).all():
        raise ValueError("the level is not between 0 and 1, or an error is missing")
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
