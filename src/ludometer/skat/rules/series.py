"""The score of a series: Seeger's and the extended Seeger system, at tables of three and four, with its tie-breaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Array, Codes
from ludometer.errors import LudometerError, MatchDataError
from ludometer.result import Provenance
from ludometer.skat.words import Language, say

if TYPE_CHECKING:
    import altair
    import polars as pl

System = Literal["extended", "plain", "points"]

BONUS = 50
"""For a game won, and against a player for a game that he lost."""

DEFENCE = {3: 40, 4: 30}
"""For each game that another player lost, by the size of the table; the dealer who sits out gets it too."""

LENGTHS = {3: 36, 4: 48}
"""Games of a full list."""


def seeger_score(
    points: ArrayLike, won: ArrayLike, lost: ArrayLike, *, others_lost: ArrayLike = 0, n_seats: ArrayLike = 3,
    system: System = "extended",
) -> Array:  # fmt: skip
    """points + 50 (won - lost) + B others_lost, with B 40 at a table of three and 30 at one of four.

    `plain` is Seeger's system without the last part, `points` leaves the bonus out too. Edelkamp's example (its
    printed 1295 is a misprint):

    >>> seeger_score([273, 152, 495], [8, 12, 11], [1, 4, 0], others_lost=[4, 1, 5]).tolist()
    [783, 592, 1245]
    """
    points, won, lost, others_lost, n_seats = (
        np.asarray(part, np.int64) for part in (points, won, lost, others_lost, n_seats)
    )
    if system not in ("extended", "plain", "points"):
        raise LudometerError(f"system must be extended, plain or points, not {system!r}")
    if np.any((n_seats != 3) & (n_seats != 4)):
        raise LudometerError("a table has three or four players")
    bonus = BONUS * (won - lost) if system != "points" else 0
    defence = np.where(n_seats == 4, DEFENCE[4], DEFENCE[3]) * others_lost if system == "extended" else 0
    return np.asarray(points + bonus + defence)


def score_table(points: ArrayLike, won: ArrayLike, lost: ArrayLike, *, system: System = "extended") -> Array:
    """The scores of one table from its players' totals: each also gets what the others lost.

    >>> score_table([492, 628, 660, -32], [12, 12, 10, 6], [0, 2, 1, 5]).tolist()
    [1332, 1308, 1320, 108]
    """
    lost = np.asarray(lost, np.int64)
    return seeger_score(points, won, lost, others_lost=lost.sum() - lost, n_seats=len(lost), system=system)


@dataclass(frozen=True, eq=False)
class SeriesResults:
    """Results of series, a row a player in a series (or a seat, where substitutes shared one).

    Order: by series as they first appear, then by place: more points of score, then more games won, then fewer lost,
    then by lot; without a seed for the lot, equals share a place.
    """

    series: Array
    player: Array
    points: Codes
    won: Codes
    lost: Codes
    score: Array
    others_lost: Codes
    games: Codes
    n_seats: Codes
    place: Codes
    provenance: Provenance

    def __len__(self) -> int:
        return len(self.series)

    def to_frame(self) -> pl.DataFrame:
        """series, place, player, games, points, won, lost, others_lost, score, n_seats."""
        import polars as pl

        order = ("series", "place", "player", "games", "points", "won", "lost", "others_lost", "score", "n_seats")
        texts = {"series": pl.String, "player": pl.String}
        return pl.DataFrame(
            {name: pl.Series(name, list(getattr(self, name)) if name in texts else getattr(self, name), texts.get(name))
             for name in order}
        )  # fmt: skip

    def summary(self, language: Language = "en") -> str:
        """The first series as a sheet, and how many there are."""
        if not len(self):
            return "no series"
        first = self.to_frame().filter(series=self.series[0])
        names = ("place", "player", "points", "won", "lost", "score")
        rows = [[say(name, language) for name in names]]
        rows += [[str(value) for value in row] for row in first.select(names).rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        n_series = len(set(self.series.tolist()))
        return "\n".join([f"{n_series:,} {say('series', language)}: {self.series[0]}", *lines])

    def plot(self) -> altair.Chart:
        """How scores are spread over the series."""
        import altair as alt

        counts, edges = np.histogram(np.asarray(self.score, float), bins=30)
        bars = [
            {"from": float(edges[k]), "to": float(edges[k + 1]), "count": int(count)} for k, count in enumerate(counts)
        ]
        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=bars), width=420, height=260, title="Scores of series")
            .mark_bar(color="#4c6a92")
            .encode(
                x=alt.X("from:Q", bin="binned", title="Score"),
                x2="to:Q",
                y=alt.Y("count:Q", title="Players' series"),
            )
        )
        return chart


def score_series(
    games: pl.DataFrame,
    *,
    system: System = "extended",
    by: Literal["player", "seat"] = "player",
    rescale: bool = False,
    seed: int | None = None,
) -> SeriesResults:
    """Scores of many series from their games.

    `games` has a row a game: `series`, `player_1` to `player_3` and at tables of four `player_4` (who sits there, the
    dealer too), `declarer` (a name; null if folded), `points` (signed). Optional: `won` (else points above 0),
    `has_bonus` (False for Ramsch, which counts points only), `game` (rows that share a number are one game).
    A substitute in the middle of a list is another name in the same seat: by `player` each has the games at which he
    sat, with what others lost in these; by `seat` they share one result. `rescale` brings shorter lists to 36 games
    (48 at tables of four); `seed` draws lots where all tie-breaks are equal.
    """
    import polars as pl

    if by not in ("player", "seat"):
        raise LudometerError(f"by must be player or seat, not {by!r}")
    table = _at_table(games)
    keys = ["series", "name"] if by == "player" else ["series", "seat"]
    totals = table.group_by(keys, maintain_order=True).agg(
        pl.col("name").unique(maintain_order=True).str.join(" / ").alias("player"),
        pl.col("game").n_unique().alias("games"),
        pl.col("points").filter("is_own").sum(),
        pl.col("is_won").filter("is_own").sum().alias("won"),
        pl.col("is_lost").filter("is_own").sum().alias("lost"),
        pl.col("is_lost").filter(~pl.col("is_own")).sum().alias("others_lost"),
        (pl.col("is_lost") * pl.col("defence")).filter(~pl.col("is_own")).sum().alias("bonus"),
        pl.col("n_seats").max(),
    )
    own = BONUS * (pl.col("won").cast(pl.Int64) - pl.col("lost").cast(pl.Int64))
    score = pl.col("points").cast(pl.Int64)
    if system != "points":
        score = score + own
    if system == "extended":
        score = score + pl.col("bonus")
    if rescale:
        full = pl.when(pl.col("n_seats") == 4).then(LENGTHS[4]).otherwise(LENGTHS[3])
        score = score * full / pl.col("games")
    totals = totals.with_columns(score=score)
    return results_of(totals, seed=seed, provenance=_provenance(system=system, by=by, rescale=rescale, seed=seed))


def results_of(totals: pl.DataFrame, *, seed: int | None, provenance: Provenance) -> SeriesResults:
    """Results from a frame of totals with all columns but the place."""
    import polars as pl

    lot = np.random.default_rng(seed).permutation(totals.height) if seed is not None else np.zeros(totals.height, int)
    order = ["score", "won", "lost", "lot"]
    falls = [True, True, False, False]
    ranked = (
        totals.with_columns(lot=pl.Series(lot), at=pl.col("series").rank("dense"), row=pl.int_range(pl.len()))
        .with_columns(first=pl.col("row").min().over("series"))
        .sort(["first", *order, "row"], descending=[False, *falls, False])
    )
    key = pl.struct(order)
    changes = (key != key.shift().over("series")).fill_null(True)
    number = pl.int_range(1, pl.len() + 1).over("series")
    ranked = ranked.with_columns(place=pl.when(changes).then(number).forward_fill())
    texts = {name: ranked[name].to_numpy().astype(object) for name in ("series", "player")}
    numbers = {
        name: ranked[name].cast(pl.Int32).to_numpy()
        for name in ("points", "won", "lost", "others_lost", "games", "n_seats", "place")
    }
    return SeriesResults(score=ranked["score"].to_numpy(), provenance=provenance, **texts, **numbers)


def _provenance(**parameters: Any) -> Provenance:
    return Provenance("series score", parameters)


def _at_table(games: pl.DataFrame) -> pl.DataFrame:
    """A row a game and seat: who sits there, and whether he was the declarer."""
    import polars as pl

    seats: list[str] = [name for name in ("player_1", "player_2", "player_3", "player_4") if name in games.columns]
    _check_games(games, seats)
    defence = pl.when(pl.col("n_seats") == 4).then(DEFENCE[4]).otherwise(DEFENCE[3])
    has_bonus = pl.col("has_bonus").fill_null(True) if "has_bonus" in games.columns else pl.lit(True)
    won = pl.col("won") if "won" in games.columns else pl.col("points") > 0
    is_played = pl.col("declarer").is_not_null() & has_bonus
    rows = games.with_columns(
        pl.col("series").cast(pl.String),
        pl.col("points").fill_null(0).cast(pl.Int64),
        game=pl.col("game") if "game" in games.columns else pl.int_range(pl.len()),
        n_seats=pl.sum_horizontal(pl.col(name).is_not_null() for name in seats).cast(pl.Int32),
        is_won=(is_played & won).fill_null(False),
        is_lost=(is_played & ~won).fill_null(False),
    ).with_columns(defence=defence)
    kept = ["series", "game", "declarer", "points", "n_seats", "is_won", "is_lost", "defence"]
    long = pl.concat([rows.select(*kept, name=pl.col(seat), seat=pl.lit(seat)) for seat in seats])
    return long.filter(pl.col("name").is_not_null()).with_columns(
        is_own=(pl.col("name") == pl.col("declarer")).fill_null(False)
    )


def _check_games(games: pl.DataFrame, seats: list[str]) -> None:
    import polars as pl

    missing = [
        name
        for name in ("series", "declarer", "points", "player_1", "player_2", "player_3")
        if name not in games.columns
    ]
    if missing:
        raise LudometerError(f"games of series need the columns {', '.join(missing)}")
    rows = games.select(
        few=pl.sum_horizontal(pl.col(name).is_not_null() for name in seats) < 3,
        twice=pl.concat_list(seats).list.drop_nulls().list.n_unique()
        != pl.sum_horizontal(pl.col(name).is_not_null() for name in seats),
        away=(pl.col("declarer").is_not_null()
              & ~pl.any_horizontal((pl.col(name) == pl.col("declarer")).fill_null(False) for name in seats)),
    )  # fmt: skip
    words = {
        "few": "fewer than three players",
        "twice": "one name at two seats",
        "away": "a declarer who is not at the table",
    }
    faults = [
        f"{rows[name].sum():,} games with {words[name]} (the first is row {rows[name].arg_max() + 1:,})"  # type: ignore[operator]
        for name in rows.columns
        if rows[name].any()
    ]
    if faults:
        raise MatchDataError("games of series: " + "; ".join(faults))
