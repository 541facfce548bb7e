"""Noise from repeated snapshots of a rating list: how much each player's own rating goes up and down."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.chart_style import INK
from ludometer.errors import LudometerError
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

_GROUPS = 20
_COLUMNS = ("player", "time", "rating")


@dataclass(frozen=True)
class SnapshotNoise(Shown):
    """SDs of players' ratings over time, pooled, with standard errors over players.

    Successive snapshots resemble each other, so their SD is less than the noise. The difference between two grows with
    the time between them to root 2 times the noise: `settled` is that limit, if there are enough lags to fit it.
    """

    n_players: int
    n_snapshots: int
    noise: float
    """The root of the mean variance of a player, n - 1 in the denominator (n - 2 about their own line)."""
    std_error: float | None
    mean_sd: float
    """The mean of the players' SDs, as in Smith 1994, section 7."""
    settled: float | None
    settled_std_error: float | None
    correlation: float | None
    """Between the errors of successive snapshots."""
    classes: pl.DataFrame
    """from, to, players, noise, std_error: players by their mean rating."""
    lags: pl.DataFrame
    """lag (snapshots), pairs, noise: the root of half the mean squared difference."""
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row per rating class."""
        return self.classes

    def summary(self) -> str:
        """The noise, its limit for distant snapshots, and the noise by rating class."""
        error = "" if self.std_error is None else f" ± {self.std_error:.1f}"
        lines = [
            f"{self.n_players:,} players in {self.n_snapshots:,} snapshots: noise {self.noise:.1f}{error}, "
            f"mean SD {self.mean_sd:.1f}"
        ]
        if self.settled is not None and self.correlation is not None:
            error = "" if self.settled_std_error is None else f" ± {self.settled_std_error:.1f}"
            lines.append(
                f"noise by distant snapshots: {self.settled:.1f}{error}; "
                f"correlation of successive snapshots {self.correlation:.2f}"
            )
        for row in self.classes.head(16).iter_rows(named=True):
            known = "" if row["std_error"] is None else f" ± {row['std_error']:.1f}"
            lines.append(f"{row['from']:6.0f} to {row['to']:6.0f}: {row['noise']:6.1f}{known} ({row['players']:,})")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The noise by rating class, with standard errors."""
        import altair as alt

        rows = self.classes.with_columns(
            low=self.classes["noise"] - self.classes["std_error"].fill_null(0.0),
            high=self.classes["noise"] + self.classes["std_error"].fill_null(0.0),
            middle=0.5 * (self.classes["from"] + self.classes["to"]),
        ).to_dicts()
        x = alt.X("middle:Q", title="Mean rating", scale=alt.Scale(zero=False))
        whole = alt.Chart(alt.InlineData(values=rows), width=270 if narrow else 460, height=240)
        whole = whole.properties(title="Noise by rating class")
        bars = whole.mark_rule(color=INK).encode(x=x, y=alt.Y("low:Q", title="Noise"), y2="high:Q")
        points = whole.mark_point(filled=True, color=INK, opacity=1).encode(x=x, y="noise:Q")
        return {"noise": bars + points}


def noise_of_snapshots(snapshots: Any, *, width: float = 100.0, detrend: bool = False) -> SnapshotNoise:
    """The noise in a list with the columns player, time and rating: a frame, any Arrow table, or a dict of arrays.

    Players in at least two snapshots count (three with `detrend`, which removes a straight line per player, such as
    learning gives). Classes are `width` points wide. Smith 1994, section 7, found 53.3 this way in five snapshots.

    >>> noise = noise_of_snapshots({"player": list("aabb"), "time": [1, 2, 1, 2], "rating": [1500, 1520, 1600, 1560]})
    >>> round(noise.noise, 2), noise.classes["players"].to_list()
    (22.36, [2])
    """
    if not (math.isfinite(width) and width > 0):
        raise LudometerError(f"the width of a rating class must be a number above 0, not {width}")
    player, moment, rating = _columns(snapshots)
    fewest = 3 if detrend else 2
    counts = np.bincount(player)
    kept = counts[player] >= fewest
    if not kept.any():
        raise LudometerError(f"no player is in {fewest} snapshots or more, so no rating changes can be seen")
    known, codes = np.unique(player[kept], return_inverse=True)
    player, moment, rating = codes.astype(np.int32), moment[kept], rating[kept]
    played = np.bincount(player)
    level = np.bincount(player, rating) / played
    squares = _squares(player, moment, rating, detrend)
    freedom = (played - (fewest - 1)).astype(np.float64)
    noise, error = _pool(squares, freedom)
    lags = _lag_squares(player, moment, rating)
    settled, settled_error, correlation = (None, None, None) if detrend else _settle(*lags)
    return SnapshotNoise(
        n_players=len(known),
        n_snapshots=len(np.unique(moment)),
        noise=noise,
        std_error=error,
        mean_sd=float(np.sqrt(squares / freedom).mean()),
        settled=settled,
        settled_std_error=settled_error,
        correlation=correlation,
        classes=_classes(level, squares, freedom, width),
        lags=_lag_frame(*lags),
        provenance=Provenance("noise of snapshots", {"width": width, "detrend": detrend}),
    )


def _columns(snapshots: Any) -> tuple[Codes, Counts, Floats]:
    """Players as codes, times as the numbers of the snapshots, ratings."""
    import polars as pl

    frame = pl.DataFrame(snapshots)
    missing = [name for name in _COLUMNS if name not in frame.columns]
    if missing:
        raise LudometerError(f"a rating list needs the columns player, time and rating; missing: {', '.join(missing)}")
    frame = frame.select(_COLUMNS).drop_nulls()
    if not len(frame):
        raise LudometerError("the rating list is empty")
    if frame.select("player", "time").is_duplicated().any():
        raise LudometerError("a player appears twice in one snapshot")
    player = frame["player"].rank("dense").to_numpy().astype(np.int32) - 1
    moment = frame["time"].rank("dense").to_numpy().astype(np.int64) - 1
    rating = frame["rating"].cast(pl.Float64).to_numpy()
    if not np.isfinite(rating).all():
        raise LudometerError("a rating is not a number")
    return player, moment, rating


def _squares(player: Codes, moment: Counts, rating: Floats, detrend: bool) -> Floats:
    """Each player's sum of squares about their mean, or about their line."""
    played = np.bincount(player)

    def centre(values: Floats) -> Floats:
        return np.asarray(values - (np.bincount(player, values) / played)[player])

    y = centre(rating)
    squares = np.asarray(np.bincount(player, y * y), np.float64)
    if detrend:
        x = centre(moment.astype(np.float64))
        squares = squares - np.bincount(player, x * y) ** 2 / np.bincount(player, x * x)
    return np.maximum(squares, 0.0)


def _pool(squares: Floats, freedom: Floats) -> tuple[float, float | None]:
    """The root of the pooled variance, and its standard error from the differences between players."""
    variance = float(squares.sum() / freedom.sum())
    n = len(squares)
    if n < 2 or variance == 0:
        return math.sqrt(variance), None
    residual = squares - variance * freedom
    error = math.sqrt(n / (n - 1) * float(residual @ residual)) / float(freedom.sum())
    return math.sqrt(variance), error / (2 * math.sqrt(variance))


def _classes(level: Floats, squares: Floats, freedom: Floats, width: float) -> pl.DataFrame:
    import polars as pl

    number = np.floor(level / width)
    rows = []
    for which in np.unique(number):
        here = number == which
        noise, error = _pool(squares[here], freedom[here])
        low, high = float(which * width), float((which + 1) * width)
        rows.append({"from": low, "to": high, "players": int(here.sum()), "noise": noise, "std_error": error})
    kinds = {"from": pl.Float64, "to": pl.Float64, "players": pl.Int64, "noise": pl.Float64, "std_error": pl.Float64}
    return pl.DataFrame(rows, schema=kinds)


def _lag_squares(player: Codes, moment: Counts, rating: Floats) -> tuple[Floats, Floats]:
    """(lags, players): half the sums of squared differences, and their number."""
    n_players, n_moments = int(player.max()) + 1, int(moment.max()) + 1
    table = np.full((n_players, n_moments), np.nan)
    table[player, moment] = rating
    squares, pairs = (np.zeros((n_moments - 1, n_players)) for _ in range(2))
    for lag in range(1, n_moments):
        gap = table[:, lag:] - table[:, :-lag]
        squares[lag - 1], pairs[lag - 1] = 0.5 * np.nansum(gap * gap, axis=1), np.isfinite(gap).sum(axis=1)
    return squares, pairs


def _lag_frame(squares: Floats, pairs: Floats) -> pl.DataFrame:
    import polars as pl

    total, n = squares.sum(axis=1), pairs.sum(axis=1)
    seen = n > 0
    return pl.DataFrame(
        {
            "lag": np.arange(1, len(n) + 1)[seen],
            "pairs": n[seen].astype(np.int64),
            "noise": np.sqrt(total[seen] / n[seen]),
        }
    )


def _settle(squares: Floats, pairs: Floats) -> tuple[float | None, float | None, float | None]:
    """Fit v (1 - r^lag) to half the squared differences; the error by leaving out each twentieth of the players."""
    if (pairs.sum(axis=1) > 0).sum() < 3:
        return None, None, None
    whole = _fit_lags(squares.sum(axis=1), pairs.sum(axis=1))
    if whole is None:
        return None, None, None
    group = np.arange(squares.shape[1]) % _GROUPS
    fits = [_fit_lags(squares[:, group != g].sum(axis=1), pairs[:, group != g].sum(axis=1)) for g in range(_GROUPS)]
    left = np.array([fit[0] for fit in fits if fit is not None])
    error = None
    if squares.shape[1] >= 2 * _GROUPS and len(left) == _GROUPS:
        error = math.sqrt((_GROUPS - 1) / _GROUPS * float(((left - left.mean()) ** 2).sum()))
    return whole[0], error, whole[1]


def _fit_lags(squares: Floats, pairs: Floats) -> tuple[float, float] | None:
    """The noise and the correlation; None if the differences still grow at the longest lag, so that no limit shows."""
    from scipy.optimize import minimize_scalar

    seen = pairs > 0
    lag, n = np.arange(1, len(pairs) + 1)[seen], pairs[seen]
    half = squares[seen] / n

    def solve(r: float) -> tuple[float, float]:
        curve = 1 - r**lag
        # differences vary in proportion to their size
        weight = n / curve**2
        v = float((weight * curve * half).sum() / (weight * curve * curve).sum())
        return v, float((weight * (half - v * curve) ** 2).sum()) / v**2 if v > 0 else 0.0

    found: Any = minimize_scalar(lambda r: solve(r)[1], bounds=(0.0, 0.999), method="bounded")
    r = float(found.x)
    if r > 0.98:
        return None
    return math.sqrt(solve(r)[0]), r
