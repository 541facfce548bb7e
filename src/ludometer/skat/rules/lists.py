"""Lists of 36 or 48 games cut from game records: grouped by session and players, short rests dropped or kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ludometer.errors import LudometerError
from ludometer.skat.rules.series import LENGTHS

if TYPE_CHECKING:
    import polars as pl

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
    36 (four: 48) games; a shorter rest is dropped, or kept for `score_series(..., rescale=True)`. Penalties before a
    contract and unknown results never count, folded games only with `folded`. A list's name is session/table/number.
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
    """Game records with the copies of a program under its own name: "xskat:2" is the second xskat of the server.

    In a session in which two copies of a program sit, each keeps its name: nobody plays against himself.
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
