"""After how many series a rating stays near its limit, with and without chance factors."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import ConvergenceWarning, LudometerError
from ludometer.matches import Matches, Seats
from ludometer.ratings.scores.audit import spread_apart
from ludometer.ratings.scores.elo import SeriesElo
from ludometer.ratings.scores.series import fingerprint_of, scores_of
from ludometer.result import Provenance, Shown
from ludometer.wording import PERCENT_LABELS, percent

if TYPE_CHECKING:
    import polars as pl

_ROUNDS = 5_000


@dataclass(frozen=True)
class Fixpoints(Shown):
    """How soon ratings settle, for each version of the same series."""

    rows: pl.DataFrame
    """label, near (share who start within the tolerance), players, settled (share), median, low, high (series until
    settled, quartiles), noise (around the limit), spread (of the limits), ratio (spread over noise)."""
    players: pl.DataFrame
    """label, player, series, limit, settled_after (null: never), noise."""
    tolerance: float
    relative: bool
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row per version."""
        return self.rows

    def summary(self) -> str:
        """One line per version."""
        unit = "times the spread of the limits" if self.relative else "points"
        lines = [f"within {self.tolerance:g} {unit} of the limit for good:"]
        for row in self.rows.iter_rows(named=True):
            when = (
                "never" if row["median"] is None else f"after {row['median']:.0f} ({row['low']:.0f}-{row['high']:.0f})"
            )
            lines.append(
                f"{row['label']}: {percent(row['settled'], 0)} of {row['players']} players, {when} series "
                f"({percent(row['near'], 0)} start there); "
                f"noise {row['noise']:.1f}, limits spread by {row['spread']:.1f}"
            )
        return "\n".join(lines)

    def document(self) -> dict[str, Any]:
        """The rows."""
        return {"tolerance": self.tolerance, "relative": self.relative, "rows": self.rows.to_dicts(), "absent": {}}

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The share of players that have settled, by series; each line ends in its label."""
        import altair as alt

        rows, ends = [], []
        for (label,), own in self.players.group_by("label", maintain_order=True):
            after = np.sort(own["settled_after"].drop_nulls().to_numpy())
            path = [{"label": label, "series": 0, "share": 0.0}]
            path += [{"label": label, "series": int(when), "share": (k + 1) / len(own)} for k, when in enumerate(after)]
            rows += path
            ends.append(path[-1])
        for end, place in zip(ends, spread_apart([end["share"] for end in ends], 0.055), strict=True):
            end |= {"at": place}
        x = alt.X("series:Q", title="Series of a player")
        colour = alt.Color("label:N", legend=None)
        whole = alt.Chart(
            alt.InlineData(values=rows), width=180 if narrow else 460, height=260, title="When ratings have settled"
        )
        lines = whole.mark_line(interpolate="step-after").encode(
            x=x, y=alt.Y("share:Q", title="Players settled", axis=alt.Axis(labelExpr=PERCENT_LABELS)), color=colour,
            strokeDash=alt.StrokeDash("label:N", legend=None),
        )  # fmt: skip
        words = alt.Chart(alt.InlineData(values=ends)).mark_text(align="left", dx=5, fontSize=12)
        return {"settled": lines + words.encode(x=x, y="at:Q", text="label:N", color=colour)}


def study_fixpoints(
    versions: Mapping[str, Matches],
    *,
    system: SeriesElo | None = None,
    tolerance: float = 50.0,
    relative: bool = False,
    min_series: int = 40,
    limits: Mapping[str, Floats] | None = None,
) -> Fixpoints:
    """From which series on each player with `min_series` stays within `tolerance` of their limit.

    The limit is given (by label, one number per player code: known strengths of simulated players) or found by
    `find_fixpoints`. Noise is the distance of ratings from it in the second half of a player's series. With `relative`
    the tolerance is in SDs of the limits: chance factors change the scale of scores, and points on two scales cannot be
    compared. Players who leave the band again in the last tenth of their series have not settled.
    Edelkamp's paper claims that fewer series are needed with chance factors; this measures it.
    """
    import polars as pl

    chosen = system or SeriesElo()
    if not versions or not tolerance > 0:
        raise LudometerError("a study of fixpoints needs series and a tolerance above 0")
    rows, players = [], []
    for label, series in versions.items():
        codes, paths = _paths(chosen, series, min_series)
        given = None if limits is None else limits[label]
        ends = (find_fixpoints(series, system=chosen) if given is None else given)[codes]
        spread = float(ends.std(ddof=1)) if len(ends) > 1 else 0.0
        width = tolerance * spread if relative else tolerance
        after = [_settled_after(path, end, width) for path, end in zip(paths, ends, strict=True)]
        noise = np.array(
            [
                float(np.sqrt(np.mean((path[len(path) // 2 :] - end) ** 2)))
                for path, end in zip(paths, ends, strict=True)
            ]
        )
        near = float(np.mean(np.abs(ends - chosen.start_rating) <= width))
        rows.append({"label": label, "near": near} | _summarise(after, noise, spread))
        names = series.players.names.gather(codes)
        for k, name in enumerate(names.to_list()):
            own = {
                "series": len(paths[k]),
                "limit": float(ends[k]),
                "settled_after": after[k],
                "noise": float(noise[k]),
            }
            players.append({"label": label, "player": name} | own)
    first = next(iter(versions.values()))
    return Fixpoints(
        pl.DataFrame(rows, schema_overrides=dict.fromkeys(("median", "low", "high"), pl.Float64)),
        pl.DataFrame(players, schema_overrides={"settled_after": pl.Int64}),
        tolerance,
        relative,
        Provenance(
            "fixpoints",
            chosen.parameters | {"tolerance": tolerance, "relative": relative, "min_series": min_series},
            fingerprint_of(first),
        ),
    )


def find_fixpoints(series: Matches, *, system: SeriesElo | None = None, tolerance: float = 1e-6) -> Floats:
    """The rating of each player code at which scores were, on average, as expected: where a small K would lead.

    Each rating moves by its player's mean miss S - E over all their series until none exceeds `tolerance`; the mean
    stays at the start, and so do players who never played.

    >>> from ludometer.ratings.scores.series import make_series
    >>> series = make_series({"series": [1, 1, 1], "player": list("ABC"), "score": [1000, 700, 700]})
    >>> find_fixpoints(series).round(3).tolist()
    [1000.0, 700.0, 700.0]
    """
    chosen = system or SeriesElo()
    seats, score = series.seats, scores_of(series)
    played = series.counts > 0
    rating = np.full(len(played), float(chosen.start_rating))
    counts = np.maximum(series.counts, 1)
    for _ in range(_ROUNDS):
        expected = _expect(seats, score, rating, additive=chosen.form == "additive")
        miss = np.bincount(seats.player, weights=score - expected, minlength=len(rating)) / counts
        moved = np.where(played, rating + miss, rating)
        # players with few series miss by more, so the sum of mean misses is not 0 as that of all misses is
        moved[played] += rating[played].mean() - moved[played].mean()
        change = float(np.abs(moved - rating).max())
        rating = moved
        if change < tolerance:
            return rating
    warnings.warn(f"ratings still moved by {change:.2g} after {_ROUNDS} rounds", ConvergenceWarning, stacklevel=2)
    return rating


def _expect(seats: Seats, score: Floats, rating: Floats, *, additive: bool) -> Floats:
    """E of all seats at once, by the rule of `kernels.systems.scores`."""
    own, heads, sizes = rating[seats.player], seats.starts[:-1], seats.sizes
    total, level = np.add.reduceat(score, heads), np.add.reduceat(own, heads)
    proportional = (total > 0) & (np.minimum.reduceat(own, heads) > 0) & (not additive)
    share = np.divide(total, level, out=np.ones(len(level)), where=proportional)
    by_share = own * np.repeat(share, sizes)
    by_sum = own + np.repeat((total - level) / sizes, sizes)
    return np.where(np.repeat(proportional, sizes), by_share, by_sum)


def _paths(system: SeriesElo, series: Matches, min_series: int) -> tuple[Counts, list[Floats]]:
    """The ratings of each player with enough series, after each of them."""
    from ludometer.kernels.systems.scores import AFTER

    _, audit, _ = system.play_with_audit(system.start(len(series.players)), series)
    player = series.seats.player
    order = np.argsort(player, kind="stable")
    counts = series.counts
    ends = np.cumsum(counts)
    codes = np.flatnonzero(counts >= max(min_series, 2))
    if not len(codes):
        raise LudometerError(f"no player has at least {max(min_series, 2)} series")
    after = audit[order, AFTER]
    return codes, [after[ends[code] - counts[code] : ends[code]] for code in codes]


def _settled_after(path: Floats, end: float, width: float) -> int | None:
    """Series until the rating stays in the band; None if it is outside near the end."""
    outside = np.flatnonzero(np.abs(path - end) > width)
    after = 0 if not len(outside) else int(outside[-1]) + 1
    return None if after > math.floor(0.9 * len(path)) else after


def _summarise(after: list[int | None], noise: Floats, spread: float) -> dict[str, float | int | None]:
    known = np.array([when for when in after if when is not None], np.float64)
    low, median, high = np.quantile(known, (0.25, 0.5, 0.75)) if len(known) else (None, None, None)
    mean_noise = float(np.sqrt(np.mean(noise**2)))
    return {
        "players": len(after),
        "settled": len(known) / len(after),
        "median": None if median is None else float(median),
        "low": None if low is None else float(low),
        "high": None if high is None else float(high),
        "noise": mean_noise,
        "spread": spread,
        "ratio": spread / mean_noise if mean_noise > 0 else math.inf,
    }
