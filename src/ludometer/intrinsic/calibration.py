"""Calibration: what a difference to the engine means in real Elo points, for one engine, depth and conventions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.intrinsic.evaluations import Conventions, Evaluations
from ludometer.intrinsic.gain import Filters, measure_gains
from ludometer.intrinsic.monotone import MonotoneFit, fit_monotone
from ludometer.intrinsic.samples import ENGINE, Reference
from ludometer.intrinsic.strengths import Strengths, hold_against
from ludometer.intrinsic.uncertainty import MIN_GAMES, REPLICATES, draw_weights, nullable
from ludometer.intrinsic.units import MIN_UNITS, Units, take_bands, take_players
from ludometer.result import Provenance
from ludometer.version import __version__

if TYPE_CHECKING:
    import altair
    import polars as pl

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
                f"held out: {check.n} {self.units}s, {100 * check.coverage:.0f} % inside their {100 * self.level:g} % "
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
