"""Small tables beside the series: the teams of players, and ratings that stood before; and rows that stand twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludometer.errors import MatchDataError
from ludometer.read.files.opening import open_source

if TYPE_CHECKING:
    import polars as pl


def read_teams(path: str) -> dict[str, str]:
    """The team of each player: a table of player and team."""
    frame = _small_table(path, {"team": ("team", "mannschaft", "verein", "club")})
    twice = frame.filter(frame["player"].is_duplicated())
    if len(twice):
        raise MatchDataError(f"{path}: {twice['player'][0]} has two rows; leave one out, a player is in one team")
    return dict(zip(frame["player"].to_list(), frame["team"].to_list(), strict=True))


def read_standing(path: str) -> pl.DataFrame:
    """A published list: player, rating, and series where the table says how many each has played."""
    import polars as pl

    frame = _small_table(path, {"rating": ("rating", "wertung", "elo")}, also=("series",))
    number = frame["rating"].cast(pl.Float64, strict=False)
    bad = (~number.is_finite().fill_null(False)).arg_true().to_list()
    if bad:
        raise MatchDataError(f"{path}: row {bad[0] + 1:,}: {frame['rating'][bad[0]]!r} is no rating; correct it")
    frame = frame.with_columns(number)
    if "series" not in frame.columns:
        return frame
    return frame.with_columns(pl.col("series").cast(pl.Float64, strict=False).cast(pl.Int64, strict=False).fill_null(0))


def refuse_twice(rows: pl.DataFrame, keys: tuple[str, str], name: str, says: str) -> None:
    """Raise if two rows (their numbers are in `row`) share these two columns; `says` is filled with both."""
    import polars as pl

    twice = rows.filter(pl.struct(keys).is_duplicated())
    if len(twice):
        first = {key: twice[key][0] for key in keys}
        both = twice.filter(**first)["row"].to_list()
        raise MatchDataError(f"{name}: rows {both[0]:,} and {both[1]:,}: {says.format(**first)}")


def _small_table(path: str, wanted: dict[str, tuple[str, ...]], also: tuple[str, ...] = ()) -> pl.DataFrame:
    import polars as pl

    table = open_source(path)
    words = {"player": ("player", "name", "spieler"), **wanted, **{name: (name,) for name in also}}
    folded = {heading.strip().casefold(): heading for heading in table.schema}
    found = {key: next((folded[word] for word in names if word in folded), None) for key, names in words.items()}
    missing = [key for key in ("player", *wanted) if found[key] is None]
    if missing:
        raise MatchDataError(
            f"{path}: no column is called {' or '.join(missing)}; there are: {', '.join(table.schema)}"
        )
    named = {heading: key for key, heading in found.items() if heading is not None}
    frames = list(table.batches(named))
    if not frames:
        raise MatchDataError(f"{path}: there are no rows; a row a player is expected")
    frame = pl.concat(frames).rename(named).cast(pl.String)
    frame = frame.with_columns(pl.all().str.strip_chars())
    bad = (frame["player"].is_null() | (frame["player"] == "")).arg_true().to_list()
    if bad:
        raise MatchDataError(f"{path}: row {bad[0] + 1:,}: no player; fill it in or leave the row out")
    return frame
