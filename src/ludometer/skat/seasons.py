"""What clubs and leagues print about a season: averages, team points, titles, loss money, other ratings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.scores.series import played_scores, seat_column, series_frame, series_since
from ludometer.skat.rules.series import LENGTHS

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.driver import AnySystem


def season_table(
    series: Matches,
    *,
    since: Any = None,
    until: Any = None,
    dropped: int = 0,
    min_series: int = 0,
    min_games: int = 0,
    min_share: float = 0.0,
    scheduled: int | None = None,
) -> pl.DataFrame:
    """place, player, series, games, total, average per list and game, won, lost, best, dropped, qualified.

    The `dropped` worst lists of each player do not count, as long as one is left. To qualify, players need `min_series`
    lists, `min_games` games and this share of all `scheduled` games (ISPA: 0.75); without `scheduled`, of the games of
    the busiest player. Dropped lists count as played. Qualified players come first, by average per game, then by games
    won; the others have no place. The column games gives the length of a list, so that substitutes count what they
    played; else it is 36 at tables of three and 48 at tables of four. From `since` on, and before `until`.

    >>> from ludometer.ratings.scores.series import make_series
    >>> series = make_series({"series": [1, 1, 1], "player": list("ABC"), "score": [1387, 1018, 152]})
    >>> season_table(series).select("place", "player", "average_game").rows()[0]
    (1, 'A', 38.53)
    """
    import polars as pl

    if dropped < 0 or not 0 <= min_share <= 1:
        raise LudometerError("dropped must be 0 or more, and min_share from 0 to 1")
    frame = _counted(_between(series, since, until), dropped)
    sums = [pl.col(name).filter("counts").sum() for name in ("won", "lost") if name in frame.columns]
    table = frame.group_by("player", maintain_order=True).agg(
        pl.len().alias("series"),
        pl.col("games").sum().cast(pl.Int64),
        pl.col("score").filter("counts").sum().alias("total"),
        pl.col("score").filter("counts").mean().round(2).alias("average_list"),
        (pl.col("score").filter("counts").sum() / pl.col("games").filter("counts").sum()).alias("exact"),
        *sums,
        pl.col("score").max().alias("best"),
        (~pl.col("counts")).sum().alias("dropped"),
    )
    # without a schedule, the busiest player is taken to have played all games
    whole = scheduled if scheduled is not None else int(table["games"].to_numpy().max(initial=0))
    table = table.with_columns(
        average_game=pl.col("exact").round(2),
        qualified=(pl.col("series") >= min_series)
        & (pl.col("games") >= min_games)
        & (pl.col("games") >= min_share * whole - 1e-9),
    )
    wins = ["won"] if "won" in table.columns else []
    table = table.sort(
        ["qualified", "exact", *wins, "player"], descending=[True, True, *([True] if wins else []), False]
    )
    keys = ["exact", *wins]
    place = pl.struct(keys).rank("min", descending=True).over("qualified")
    return table.with_columns(place=pl.when("qualified").then(place)).select("place", pl.exclude("place", "exact"))


def team_table(series: Matches, teams: Mapping[str, str], *, rounds: Mapping[str, str] | None = None) -> pl.DataFrame:
    """place, team, rounds, points, against, total: 3:0, 2:1, 1:2, 0:3 in each round by the totals of the teams.

    With n teams in a round the first gets n - 1 : 0 and so on; equal totals share their points. `rounds` gives the
    round of each series by label; by default it is the time of the series, or the series itself. A team of three simply
    has one score less. The order is by points, then by total.

    >>> from ludometer.ratings.scores.series import make_series
    >>> series = make_series({"series": [1] * 4, "player": list("ABCD"), "score": [900, 700, 800, 600]})
    >>> team_table(series, {"A": "Red", "B": "Blue", "C": "Green", "D": "Grey"})["points"].to_list()
    [3.0, 2.0, 1.0, 0.0]
    """
    import polars as pl

    frame = series_frame(series)
    unknown = sorted(set(frame["player"].to_list()) - set(teams))
    if unknown:
        raise MatchDataError(f"no team is known for {', '.join(unknown[:5])}{' and more' if len(unknown) > 5 else ''}")
    if rounds is not None:
        missing = sorted(set(frame["series"].to_list()) - set(rounds))
        if missing:
            raise MatchDataError(f"no round is known for series {missing[0]}")
        name = pl.col("series").replace_strict(dict(rounds), return_dtype=pl.String)
    else:
        name = pl.col("time" if "time" in frame.columns else "series").cast(pl.String)
    totals = (
        frame.with_columns(round=name, team=pl.col("player").replace_strict(dict(teams), return_dtype=pl.String))
        .group_by("round", "team", maintain_order=True)
        .agg(pl.col("score").sum())
    )
    each = totals.with_columns(
        points=pl.col("score").rank("average").over("round") - 1,
        against=pl.col("score").rank("average", descending=True).over("round") - 1,
    )
    table = each.group_by("team", maintain_order=True).agg(
        pl.len().alias("rounds"), pl.col("points").sum(), pl.col("against").sum(), pl.col("score").sum().alias("total")
    )
    table = table.sort("points", "total", "team", descending=[True, True, False])
    place = pl.struct("points", "total").rank("min", descending=True)
    return table.with_columns(place=place).select("place", pl.exclude("place"))


def award_titles(
    players: pl.DataFrame,
    thresholds: Mapping[str, float],
    *,
    min_series: int = 0,
    provisional: bool = False,
    margin: float = 0.0,
) -> pl.DataFrame:
    """The players of `rate_series` with a column title: the highest whose threshold the rating reaches.

    `margin` times its SD is subtracted from a rating, so that a title needs more than luck. Provisional ratings earn
    none unless `provisional`, nor do players with fewer than `min_series` series.
    """
    import polars as pl

    if not thresholds or not all(math.isfinite(bound) for bound in thresholds.values()):
        raise LudometerError("titles need thresholds, one number for each")
    title: Any = pl.lit(None, dtype=pl.String)
    sure = pl.col("rating") - margin * pl.col("sd")
    for name, bound in sorted(thresholds.items(), key=lambda entry: entry[1]):
        title = pl.when(sure >= bound).then(pl.lit(name)).otherwise(title)
    entitled = (pl.col("series") >= min_series) & (pl.lit(provisional) | ~pl.col("provisional"))
    return players.with_columns(title=pl.when(entitled).then(title))


def loss_money(series: Matches, *, each: float = 0.5, beyond: float = 1.0, free: int = 3) -> pl.DataFrame:
    """player, lost, money: `each` for each of the first `free` lost games of a list, `beyond` for every later one.

    >>> from ludometer.ratings.scores.series import make_series
    >>> series = make_series({"series": [1] * 3, "player": list("ABC"), "score": [9, 8, 7], "lost": [5, 1, 0]})
    >>> loss_money(series).rows()
    [('A', 5, 3.5), ('B', 1, 0.5), ('C', 0, 0.0)]
    """
    import polars as pl

    lost = seat_column(series, "lost")
    money = each * np.minimum(lost, free) + beyond * np.maximum(lost - free, 0)
    frame = pl.DataFrame({"player": series_frame(series)["player"], "lost": lost, "money": money})
    table = frame.group_by("player", maintain_order=True).agg(
        pl.col("lost").sum().cast(pl.Int64), pl.col("money").sum()
    )
    return table.sort("money", "player", descending=[True, False])


def kewel_rating(average: Floats, n: Floats, n0: float = 60.0) -> Floats:
    """average log10(10000 n) / log10(10000 n0): a mean that counts more, the more series it rests on.

    n0 is the usual number of series: 60 per year, 8 per month.

    >>> kewel_rating(np.array([1000.0, 1000.0]), np.array([60, 6])).round(1).tolist()
    [1000.0, 826.9]
    """
    if not n0 > 0 or (np.asarray(n) < 1).any():
        raise LudometerError("the Kewel rating needs 1 series or more, and n0 above 0")
    return np.asarray(average * np.log10(10_000 * np.asarray(n, np.float64)) / math.log10(10_000 * n0))


def euroskat_handicap(average: Floats, games: Floats, reference: float = 24.35) -> Floats:
    """(24.35 - own average per game) games: points that a player is given beforehand.

    >>> euroskat_handicap(np.array([24.35, 20.35]), np.array([36, 36])).round(1).tolist()
    [0.0, 144.0]
    """
    return np.asarray((reference - average) * games)


def compare_variants(
    series: Matches,
    *,
    systems: Sequence[AnySystem] | None = None,
    n0: float = 60.0,
    reference: float = 24.35,
    games: Floats | int | None = None,
) -> pl.DataFrame:
    """One row per player: series, average, Kewel rating, handicap and a column for each system; sorted by the first.

    The handicap is per series and needs `games`: those of each seat, or one number for all.
    """
    import polars as pl

    from ludometer.ratings.driver import prepare
    from ludometer.ratings.scores.as_printed import all_variants

    player, n = series.seats.player, len(series.players)
    played = np.bincount(player, minlength=n)
    known = np.maximum(played, 1)
    average = np.bincount(player, weights=played_scores(series), minlength=n) / known
    columns: dict[str, Any] = {
        "player": series.players.names,
        "series": played,
        "average": average,
        "kewel": kewel_rating(average, known, n0),
    }
    if games is not None:
        each = np.bincount(player, weights=np.broadcast_to(games, len(player)).astype(float), minlength=n) / known
        columns["handicap"] = euroskat_handicap(average / np.maximum(each, 1e-9), each, reference)
    chosen = [prepare(system, series) for system in systems or all_variants()]
    for system in chosen:
        state, _ = system.play(system.start(0), series)
        columns[system.name] = system.ratings(state)
    frame = pl.DataFrame(columns).filter(pl.col("series") > 0)
    return frame.sort(chosen[0].name, "player", descending=[True, False])


def list_games(series: Matches) -> Floats:
    """Games of each seat: the column games, else the usual length of a list at such a table."""
    if "games" in series.seat_covariates:
        games = seat_column(series, "games")
        if (games <= 0).any():
            raise MatchDataError(f"{int((games <= 0).sum()):,} rows have no games: leave out players who did not play")
        return games
    sizes: Counts = series.sizes
    odd = sorted({int(n) for n in sizes} - set(LENGTHS))
    if odd:
        raise MatchDataError(f"the length of a list of {odd[0]} players is not known: add the column games")
    return np.repeat([float(LENGTHS[int(n)]) for n in sizes], sizes)


def _between(series: Matches, since: Any, until: Any) -> Matches:
    kept = np.ones(len(series), bool)
    if since is not None:
        kept &= series_since(series, since)
    if until is not None:
        kept &= ~series_since(series, until)
    if not kept.any():
        raise MatchDataError("there are no series in this time")
    return series if kept.all() else series.take(kept)


def _counted(series: Matches, dropped: int) -> pl.DataFrame:
    """The seats, with games and whether each list counts."""
    import polars as pl

    frame = series_frame(series).with_columns(pl.Series("games", list_games(series)))
    from_worst = pl.col("score").rank("ordinal").over("player")
    left = pl.min_horizontal(pl.lit(dropped), pl.len().over("player") - 1)
    return frame.with_columns(counts=from_worst > left)
