"""Series of games: lists cut from game records, and their scores by Seeger's systems with tie-breaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Array
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import LudometerError, MatchDataError
from ludometer.result import Provenance, Shown
from ludometer.skat.language import Language, localise, number_axis, phrase, say

if TYPE_CHECKING:
    import polars as pl

System = Literal["extended", "plain", "points"]

BONUS = 50
"""Added for a game won, subtracted for a game lost."""

DEFENCE = {3: 40, 4: 30}
"""Added for each game that another player lost, by the size of the table; the dealer who sits out gets it too."""

LENGTHS = {3: 36, 4: 48}
"""Games of a full list."""


def seeger_score(
    points: ArrayLike, won: ArrayLike, lost: ArrayLike, *, others_lost: ArrayLike = 0, n_seats: ArrayLike = 3,
    system: System = "extended",
) -> Array:  # fmt: skip
    """points + 50 (won - lost) + B others_lost, with B 40 at a table of three and 30 at one of four.

    `plain` is Seeger's system without the last part, `points` has no bonus at all. Edelkamp's example (the printed
    1295 is a misprint):

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
    """The scores of one table from its players' totals: each also gets a bonus for what the others lost.

    >>> score_table([492, 628, 660, -32], [12, 12, 10, 6], [0, 2, 1, 5]).tolist()
    [1332, 1308, 1320, 108]
    """
    lost = np.asarray(lost, np.int64)
    return seeger_score(points, won, lost, others_lost=lost.sum() - lost, n_seats=len(lost), system=system)


@dataclass(frozen=True, eq=False)
class SeriesResults(Shown):
    """Results of series, one row per player and series (or per seat, where substitutes shared one).

    Order: by series as they first appear, then by place: higher score, then more games won, then fewer lost, then by
    lot; without a seed for the lot, equals share a place.
    """

    sheets: pl.DataFrame
    """series, place, player, games, points, won, lost, others_lost, score, n_seats."""
    provenance: Provenance

    def __len__(self) -> int:
        return len(self.sheets)

    @property
    def n_series(self) -> int:
        """Series that were scored."""
        return self.sheets["series"].n_unique()

    @property
    def has_totals(self) -> bool:
        """Whether points and games won and lost are known, not the scores alone."""
        return any(bool((self.sheets[name] != 0).any()) for name in ("points", "won", "lost"))

    def to_frame(self) -> pl.DataFrame:
        """One row per player and series."""
        return self.sheets

    def summary(self, language: Language = "en") -> str:
        """The first series as a sheet, and how many there are."""
        if not len(self):
            return "no series"
        label = self.sheets["series"][0]
        names = ["place", "player", "points", "won", "lost", "score"]
        rows = [[say(name, language) for name in names]]
        rows += [[str(value) for value in row] for row in self.sheets.filter(series=label).select(names).rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([f"{self.n_series:,} {say('series', language)}: {label}", *lines])

    def charts(self, *, narrow: bool = False, language: Language = "en") -> dict[str, Any]:
        """How scores vary, with their mean."""
        import altair as alt

        values = self.sheets["score"].cast(float).to_numpy()
        counts, edges = np.histogram(values, bins=min(30, max(5, int(len(values) ** 0.5))))
        bars = [{"low": a, "high": b, "count": int(n)} for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]
        mean = float(values.mean())
        label = phrase("mean of", language, mean=localise(f"{mean:,.0f}", language))
        histogram = (
            alt.Chart(alt.InlineData(values=bars))
            .mark_bar(color=INK, opacity=0.75, stroke="white", strokeWidth=0.5)
            .encode(
                x=alt.X(
                    "low:Q",
                    bin="binned",
                    title=phrase("score axis", language),
                    axis=number_axis(language, narrow=narrow),
                ),
                x2="high:Q",
                y=alt.Y(
                    "count:Q", title=phrase("players' series", language), axis=alt.Axis(tickMinStep=1, tickCount=5)
                ),
            )
        )
        mark = alt.Chart(alt.InlineData(values=[{"at": mean, "label": label}]))
        line = mark.mark_rule(strokeDash=[4, 3], color=ACCENT).encode(x="at:Q")
        text = mark.mark_text(baseline="bottom", color=ACCENT, fontSize=12).encode(
            x="at:Q", y=alt.value(-3), text="label:N"
        )
        return {"scores": (histogram + line + text).properties(width=260 if narrow else 500, height=200)}

    def document(self) -> dict[str, Any]:
        """The sheets as rows."""
        return {"series": self.sheets.to_dicts(), "absent": {}}


def score_series(
    games: pl.DataFrame,
    *,
    system: System = "extended",
    by: Literal["player", "seat"] = "player",
    rescale: bool = False,
    seed: int | None = None,
) -> SeriesResults:
    """Scores of many series from their games.

    `games` has one row per game: `series`, `player_1` to `player_3` and at tables of four `player_4` (who sits there,
    the dealer too), `declarer` (a name; null if folded), `points` (signed). Optional: `won` (else points above 0),
    `has_bonus` (False for Ramsch, which counts points only), `game` (rows that share a number are one game).
    A substitute is another name in the same seat: by `player` each is scored for the games they sat at, including what
    others lost in these; by `seat` they share one result. `rescale` scales shorter lists to 36 games (48 at tables of
    four); `seed` draws lots where all tie-breaks are equal.
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
    return results_of(
        totals,
        seed=seed,
        provenance=Provenance("series score", {"system": system, "by": by, "rescale": rescale, "seed": seed}),
    )


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
    numbers = ("place", "games", "points", "won", "lost", "others_lost", "n_seats")
    sheets = ranked.with_columns(pl.col("series", "player").cast(pl.String), pl.col(numbers).cast(pl.Int32))
    return SeriesResults(sheets.select(_SHEET), provenance)


_SHEET = ("series", "place", "player", "games", "points", "won", "lost", "others_lost", "score", "n_seats")


def _at_table(games: pl.DataFrame) -> pl.DataFrame:
    """One row per game and seat: who sits there, and whether they were the declarer."""
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


_PLAYERS = ("player_0", "player_1", "player_2")


def gather_lists(
    records: pl.DataFrame,
    *,
    rest: Literal["drop", "keep"] = "drop",
    folded: bool = False,
    points: Literal["recorded", "rules"] = "recorded",
    lengths: dict[int, int] | None = None,
) -> pl.DataFrame:
    """The games of full lists, as `score_series` takes them, from game records in their order.

    Games of a session (`series`) belong together if the same three play, or, at a table of four, three of the same
    four: a session of four names in which the three change at least every other game. Each group is cut into lists of
    36 games (48 at tables of four); a shorter remainder is dropped, or kept for `score_series(..., rescale=True)`.
    Penalties before a contract and unknown results never count, folded games only with `folded`. A list is called
    session/table/number.
    """
    import polars as pl

    if rest not in ("drop", "keep") or points not in ("recorded", "rules"):
        raise LudometerError("rest must be drop or keep, and points recorded or rules")
    full = LENGTHS | (lengths or {})
    kinds = ["won", "lost", "folded"] if folded else ["won", "lost"]
    score = pl.col("points_recorded" if points == "recorded" else "points")
    games = _name_tables(records.with_row_index("row").filter(pl.col("kind").cast(pl.String).is_in(kinds)))
    length = pl.when(pl.col("n_seats") == 4).then(full[4]).otherwise(full[3])
    number = pl.int_range(pl.len()).over("series", "table")
    games = games.with_columns(list=number // length, length=length)
    if rest == "drop":
        games = games.filter(pl.len().over("series", "table", "list") == pl.col("length"))
    declarer = pl.when(pl.col("kind") != "folded").then(
        pl.coalesce(pl.when(pl.col("declarer") == seat).then(pl.col(name)) for seat, name in enumerate(_PLAYERS))
    )
    return games.select(
        pl.concat_str(
            pl.col("series").fill_null(""), pl.col("table").cast(pl.String), (pl.col("list") + 1).cast(pl.String),
            separator="/",
        ).alias("series"),
        pl.int_range(1, pl.len() + 1).over("series", "table", "list").alias("game"),
        "time",
        *(pl.col("names").list.get(seat - 1, null_on_oob=True).alias(f"player_{seat}") for seat in range(1, 5)),
        declarer=declarer,
        points=score,
        won=pl.col("won_recorded" if points == "recorded" else "won"),
        record=pl.col("row"),
    )  # fmt: skip


def merge_copies(records: pl.DataFrame) -> pl.DataFrame:
    """Game records with copies of a program under the program's name: "xskat:2" is the server's second xskat.

    In a session with two copies of a program each keeps its name: nobody plays against themselves.
    """
    import polars as pl

    session = pl.coalesce("series", pl.concat_str(pl.lit("\t"), pl.int_range(pl.len()).cast(pl.String)))
    seats = records.select(*_PLAYERS, session=session).unpivot(_PLAYERS, index="session", value_name="name")
    names = seats.unique(["session", "name"]).with_columns(program=_strip_copy(pl.col("name")))
    alone = names.filter(
        (pl.col("name") != pl.col("program")) & (pl.len().over("session", "program") == 1)
    ).select("session", "name", "program")  # fmt: skip
    if not len(alone):
        return records
    merged = records.with_columns(session=session)
    for seat in _PLAYERS:
        own = alone.rename({"name": seat})
        merged = merged.join(own, on=["session", seat], how="left", maintain_order="left")
        merged = merged.with_columns(pl.coalesce("program", seat).alias(seat)).drop("program")
    return merged.drop("session")


def _strip_copy(name: pl.Expr) -> pl.Expr:
    return name.str.replace(r":\d+$", "")


def _name_tables(games: pl.DataFrame) -> pl.DataFrame:
    """Add `table` (a number in the session), `names` (sorted) and `n_seats`; `row` is the place in the records."""
    import polars as pl

    games = games.with_columns(trio=pl.concat_list(_PLAYERS).list.sort())
    key = pl.col("trio").list.join("\t")
    games = games.with_columns(key=key)
    changes = (pl.col("key") != pl.col("key").shift().over("series")).fill_null(False)
    sessions = (
        games.with_columns(changes=changes)
        .group_by("series", maintain_order=True)
        .agg(
            pl.col("trio").explode().unique().sort().alias("all"),
            (pl.col("changes").sum() * 2 + 1 >= pl.len()).alias("rotates"),
        )
        .with_columns(is_four=(pl.col("all").list.len() == 4) & pl.col("rotates"))
    )
    games = games.join(sessions, on="series", how="left", maintain_order="left", nulls_equal=True).with_columns(
        names=pl.when("is_four").then("all").otherwise("trio"),
        group=pl.when("is_four").then(pl.lit("")).otherwise("key"),
    )
    first = pl.col("row").min().over("series", "group")
    return games.with_columns(
        table=first.rank("dense").over("series").cast(pl.Int32), n_seats=pl.col("names").list.len()
    )
