"""What clubs and leagues print of a season: averages, who played enough, team points, titles, loss money."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.ratings.scores.record import SeriesRecord

if TYPE_CHECKING:
    import polars as pl

LIST_GAMES = {3: 36, 4: 48}
"""Games of a list, by the size of the table."""


def season_table(
    record: SeriesRecord,
    *,
    since: Any = None,
    until: Any = None,
    dropped: int = 0,
    min_series: int = 0,
    min_games: int = 0,
    min_share: float = 0.0,
    scheduled: int | None = None,
) -> pl.DataFrame:
    """place, player, series, games, total, average a list and a game, won, lost, best, dropped, qualified.

    The `dropped` worst lists of each player do not count, as long as one is left. Qualified is who played `min_series`
    lists, `min_games` games and this share of all `scheduled` games (ISPA: 0.75); without `scheduled` that is what the
    one with most games played. Dropped lists count as played. The qualified come first, by average a game, then by more
    games won; the others have no place. Games of a list come from the column games, so that who was substituted counts
    what he played, else 36 at a table of three and 48 at one of four. From `since` on, and before `until`.

    >>> record = SeriesRecord.of_columns([1, 1, 1], list("ABC"), [1387, 1018, 152])
    >>> season_table(record).select("place", "player", "average_game").rows()[0]
    (1, 'A', 38.53)
    """
    import polars as pl

    if dropped < 0 or not 0 <= min_share <= 1:
        raise LudometerError("lists dropped are 0 or more, a share of games is from 0 to 1")
    frame = _counted(_between(record, since, until), dropped)
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
    # without a schedule, who played most is taken to have played all
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


def team_table(
    record: SeriesRecord, teams: Mapping[str, str], *, rounds: Mapping[str, str] | None = None
) -> pl.DataFrame:
    """place, team, rounds, points, against, total: 3:0, 2:1, 1:2, 0:3 in each round by the totals of the teams.

    With n teams in a round the first gets n - 1 : 0 and so on; equal totals share their points. `rounds` says which
    round each series belongs to, by label; without it that is its time, or the series itself. A team of three simply
    has one score less. The table is by points, then by total.

    >>> record = SeriesRecord.of_columns([1] * 4, list("ABCD"), [900, 700, 800, 600])
    >>> team_table(record, {"A": "Red", "B": "Blue", "C": "Green", "D": "Grey"})["points"].to_list()
    [3.0, 2.0, 1.0, 0.0]
    """
    import polars as pl

    frame = record.to_frame()
    unknown = sorted(set(frame["player"].to_list()) - set(teams))
    if unknown:
        raise MatchDataError(f"no team is known of {', '.join(unknown[:5])}{' and more' if len(unknown) > 5 else ''}")
    if rounds is not None:
        missing = sorted(set(frame["series"].to_list()) - set(rounds))
        if missing:
            raise MatchDataError(f"no round is known of series {missing[0]}")
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

    Ratings count less `margin` times their SD, so that a title needs more than luck; provisional ones get none unless
    wanted, nor does who has played less than `min_series`.
    """
    import polars as pl

    if not thresholds or not all(math.isfinite(bound) for bound in thresholds.values()):
        raise LudometerError("titles need thresholds: a number for each")
    title: Any = pl.lit(None, dtype=pl.String)
    sure = pl.col("rating") - margin * pl.col("sd")
    for name, bound in sorted(thresholds.items(), key=lambda entry: entry[1]):
        title = pl.when(sure >= bound).then(pl.lit(name)).otherwise(title)
    entitled = (pl.col("series") >= min_series) & (pl.lit(provisional) | ~pl.col("provisional"))
    return players.with_columns(title=pl.when(entitled).then(title))


def loss_money(record: SeriesRecord, *, each: float = 0.5, beyond: float = 1.0, free: int = 3) -> pl.DataFrame:
    """player, lost, money: so much for each of the first `free` lost games of a list, and `beyond` for every later one.

    >>> record = SeriesRecord.of_columns([1, 1, 1], list("ABC"), [9, 8, 7], lost=[5, 1, 0])
    >>> loss_money(record).rows()
    [('A', 5, 3.5), ('B', 1, 0.5), ('C', 0, 0.0)]
    """
    import polars as pl

    lost = record.column("lost")
    money = each * np.minimum(lost, free) + beyond * np.maximum(lost - free, 0)
    frame = pl.DataFrame({"player": record.to_frame()["player"], "lost": lost, "money": money})
    table = frame.group_by("player", maintain_order=True).agg(
        pl.col("lost").sum().cast(pl.Int64), pl.col("money").sum()
    )
    return table.sort("money", "player", descending=[True, False])


def list_games(record: SeriesRecord) -> Floats:
    """Games of each seat: the column games, else the usual length of a list at such a table."""
    if "games" in record.columns:
        games = record.columns["games"]
        if (games <= 0).any():
            raise MatchDataError(f"{int((games <= 0).sum()):,} rows have no games: leave out who did not play")
        return games
    sizes: Counts = record.seats.sizes
    odd = sorted({int(n) for n in sizes} - set(LIST_GAMES))
    if odd:
        raise MatchDataError(f"how many games a list of {odd[0]} players has is not known: give the column games")
    return np.repeat([float(LIST_GAMES[int(n)]) for n in sizes], sizes)


def _between(record: SeriesRecord, since: Any, until: Any) -> SeriesRecord:
    kept = np.ones(len(record), bool)
    if since is not None:
        kept &= record.since(since)
    if until is not None:
        kept &= ~record.since(until)
    if not kept.any():
        raise MatchDataError("there are no series in this time")
    return record if kept.all() else record.take(kept)


def _counted(record: SeriesRecord, dropped: int) -> pl.DataFrame:
    """The seats, with games and whether each list counts."""
    import polars as pl

    frame = record.to_frame().with_columns(pl.Series("games", list_games(record)))
    from_worst = pl.col("score").rank("ordinal").over("player")
    left = pl.min_horizontal(pl.lit(dropped), pl.len().over("player") - 1)
    return frame.with_columns(counts=from_worst > left)
