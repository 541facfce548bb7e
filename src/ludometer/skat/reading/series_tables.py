"""Results of series, teams and rating lists from tables with German or English headings.

Series have one row per player and series, in Skat or any other game with scores: `series`, `player`, and `score`, or
`points`, `won`, `lost`; optional `games`, `time` (2024-01-31 or 31.1.2024), `position` (strength of the starting
position) and `adjusted` (the score to rate). Every fault is reported with row, column and remedy.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.errors import MatchDataError
from ludometer.read.files.opening import open_source
from ludometer.result import Provenance
from ludometer.skat.language import find_word
from ludometer.skat.rules.series import SeriesResults, System, results_of, seeger_score

if TYPE_CHECKING:
    import polars as pl

    from ludometer.matches import Matches


def read_teams(path: str) -> dict[str, str]:
    """The team of each player, from a table of player and team."""
    frame = _small_table(path, {"team": ("team", "mannschaft", "verein", "club")})
    twice = frame.filter(frame["player"].is_duplicated())
    if len(twice):
        raise MatchDataError(f"{path}: {twice['player'][0]} has two rows; leave one out: a player is in one team")
    return dict(zip(frame["player"].to_list(), frame["team"].to_list(), strict=True))


def read_standing(path: str) -> pl.DataFrame:
    """A published list: player, rating, and series (how many each has played) where the table has them."""
    import polars as pl

    frame = _small_table(path, {"rating": ("rating", "wertung", "elo")}, also=("series",))
    number = frame["rating"].cast(pl.Float64, strict=False)
    bad = (~number.is_finite().fill_null(False)).arg_true().to_list()
    if bad:
        raise MatchDataError(f"{path}: row {bad[0] + 1:,}: {frame['rating'][bad[0]]!r} is not a rating; correct it")
    frame = frame.with_columns(number)
    if "series" not in frame.columns:
        return frame
    return frame.with_columns(pl.col("series").cast(pl.Float64, strict=False).cast(pl.Int64, strict=False).fill_null(0))


def refuse_twice(rows: pl.DataFrame, keys: tuple[str, str], name: str, says: str) -> None:
    """Raise if two rows (their numbers are in `row`) share these two columns; `says` is the message."""
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
        raise MatchDataError(f"{path}: there are no rows; one row per player is expected")
    frame = pl.concat(frames).rename(named).cast(pl.String)
    frame = frame.with_columns(pl.all().str.strip_chars())
    bad = (frame["player"].is_null() | (frame["player"] == "")).arg_true().to_list()
    if bad:
        raise MatchDataError(f"{path}: row {bad[0] + 1:,}: no player; fill it in or leave the row out")
    return frame


_log = logging.getLogger(__name__)

_WHOLE = ("won", "lost", "games")
_TOTALS = ("points", "won", "lost")
_NUMBERS = ("score", "points", "won", "lost", "games", "position", "adjusted")
_WORDS = ("series", "player", "score", "points", "won", "lost", "games", "time", "table")
_OTHER_WORDS = {
    **dict.fromkeys(("match", "match_id", "game_id"), "series"),
    **dict.fromkeys(("datetime", "month"), "time"),
    **dict.fromkeys(("position", "stellung"), "position"),
    **dict.fromkeys(("adjusted", "adjusted_score"), "adjusted"),
}
_GERMAN_DATE = r"^(\d{1,2})\.(\d{1,2})\.(\d{4})$"
_YEAR = r"^[12]\d{3}$"
_THOUSANDS = r"^[−-]?[1-9]\d{0,2}(\.\d{3})+$"
_LARGEST = 1_000_000
"""Points in a list: more must be a typing error."""

_FAR = 1000.0
"""Times the usual size of a score: a score beyond it is likely a typing error."""

_SHOWN = 5


def read_series(source: Any) -> Matches:
    """Results of series as matches with scores."""
    from ludometer.ratings.scores.series import make_series

    frame, name = read_series_table(source)
    try:
        return make_series(frame)
    except MatchDataError as error:
        raise MatchDataError(f"{name}: {error}") from error


def read_series_results(source: Any, *, system: System = "extended") -> SeriesResults:
    """Results of series as list sheets; scores that are not given come from points, games won and games lost."""
    frame, name = read_series_table(source)
    return results_of_table(frame, name, system=system)


def results_of_table(frame: pl.DataFrame, name: str, *, system: System = "extended") -> SeriesResults:
    """The sheets of a table that was read."""
    import polars as pl

    has_totals = set(_TOTALS) <= set(frame.columns)
    unknown = [key for key in (*_TOTALS, "games") if key not in frame.columns or not (has_totals or key == "games")]
    table = frame.with_columns(
        *(pl.lit(0).alias(key) for key in unknown), n_seats=pl.len().over("series").cast(pl.Int32)
    ).with_columns(pl.col(*_TOTALS, "games").cast(pl.Int64))
    table = table.with_columns(others_lost=pl.col("lost").sum().over("series") - pl.col("lost"))
    sizes = table.filter(~pl.col("n_seats").is_in([3, 4]))
    if has_totals and sizes.height:
        raise MatchDataError(
            f"{name}: series {sizes['series'][0]!r} has {sizes['n_seats'][0]} players, not three or four: add the "
            "missing ones, or give each table its own series"
        )
    if "score" not in frame.columns:
        parts = (table[key].to_numpy() for key in _TOTALS)
        score = seeger_score(*parts, others_lost=table["others_lost"], n_seats=table["n_seats"], system=system)
        table = table.with_columns(score=pl.Series(score))
    elif bool((table["score"] == table["score"].round()).all()) and bool((table["score"].abs() < 2**53).all()):
        table = table.with_columns(pl.col("score").cast(pl.Int64))
    return results_of(table, seed=None, provenance=Provenance("series results", {"system": system, "source": name}))


def read_series_table(source: Any) -> tuple[pl.DataFrame, str]:
    """The columns that are known under our own names, checked, and the name of the file.

    Odd values that may be right are logged.
    """
    import polars as pl

    table = open_source(source)
    headings = _headings(table.schema)
    _refuse_missing(set(headings.values()), table.name, table.schema)
    frames = list(table.batches(headings))
    frame = pl.concat(frames).rename(headings) if frames else pl.DataFrame()
    frame = frame.with_row_index("row", 1)
    odd = table.odd_rows()
    frame = frame.filter(~pl.col("row").is_in((odd.blank + 1).tolist()))
    if not len(frame):
        raise MatchDataError(f"{table.name}: there are no rows; one row per player and series is expected")
    ragged = [int(row) + 1 for row in odd.ragged if row < len(frame) + len(odd.blank)]
    if ragged:
        raise MatchDataError(
            f"{table.name}: row {ragged[0]:,} does not have {len(table.schema)} fields like the first line: correct "
            "it, or put text that contains the separator in quotation marks"
        )
    frame = _parse_columns(frame, table.name)
    says = "{player} appears twice in series {series}. Give each series its own name, or leave out one of the rows"
    refuse_twice(frame, ("series", "player"), table.name, says)
    if "score" in frame.columns:
        _tell_far_scores(frame, table.name)
    return frame.drop("row"), table.name


def parse_times(column: pl.Series) -> tuple[pl.Series, list[int]]:
    """Dates, times and numbers as such, and the places of other cells."""
    import polars as pl

    if column.dtype.is_temporal() or column.dtype.is_numeric():
        return column, column.is_null().arg_true().to_list()
    text = column.cast(pl.String).str.strip_chars()
    is_german = text.str.contains(_GERMAN_DATE).fill_null(False)
    if is_german.any():
        days = pl.select(
            pl.when(is_german).then(text.str.to_date("%d.%m.%Y", strict=False)).otherwise(
                text.str.to_date("%Y-%m-%d", strict=False)
            )
        ).to_series()  # fmt: skip
        return days.alias(column.name), days.is_null().arg_true().to_list()
    number = text.cast(pl.Float64, strict=False)
    if not number.null_count() and not text.str.contains(_YEAR).all():
        return number.alias(column.name), []
    return text, [place for place, cell in enumerate(text.to_list()) if not _is_moment(cell)]


def _is_moment(cell: str | None) -> bool:
    if not cell:
        return False
    try:
        np.datetime64(cell)
    except ValueError:
        return False
    return True


def _headings(schema: Iterable[str]) -> dict[str, str]:
    """Our own words for the headings of a file; the first column of each kind counts."""
    found: dict[str, str] = {}
    for heading in schema:
        word = find_word(heading, _WORDS) or _OTHER_WORDS.get(heading.strip().casefold())
        if word is not None and word not in found.values():
            found[heading] = word
    if "series" not in found.values():
        found = {heading: "series" if word == "table" else word for heading, word in found.items()}
    return {heading: word for heading, word in found.items() if word != "table"}


def _refuse_missing(found: set[str], name: str, schema: Iterable[str]) -> None:
    lacks = [key for key in ("series", "player") if key not in found]
    if "score" not in found and not set(_TOTALS) <= found:
        lacks.append("score (or points, won and lost)")
    if lacks:
        raise MatchDataError(
            f"{name}: no column holds {', '.join(lacks)}. The file has: {', '.join(schema)}. Rename a column, or add "
            "one"
        )


def _parse_columns(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Numbers and dates as such; all other cells are reported with their rows."""
    import polars as pl

    faults: list[str] = []
    columns = [frame["row"]]
    given = set(frame.columns)
    whole = {*_WHOLE, "points"} if set(_TOTALS) <= given else set(_WHOLE) & given
    for word in (column for column in frame.columns if column != "row"):
        column = frame[word]
        if word in _NUMBERS:
            faults += _find_thousands(column, frame["row"])
            parsed, bad = _parse_numbers(column, whole=word in whole, negative=word not in _WHOLE)
            kind = "a number" if word not in whole else "a whole number" + ("" if word == "points" else " from 0 up")
            faults += [f"row {frame['row'][place]:,}: {word} is {_cell(column, place)}, not {kind}" for place in bad]
        elif word == "time":
            parsed, bad = parse_times(column)
            faults += [
                f"row {frame['row'][place]:,}: the date is {_cell(column, place)}; write a date such as 2024-01-31 "
                "or 31.1.2024" for place in bad
            ]  # fmt: skip
        else:
            parsed = column.cast(pl.String).str.strip_chars()
            empty = (parsed.is_null() | (parsed == "")).arg_true().to_list()
            faults += [f"row {frame['row'][place]:,}: no {word}" for place in empty]
        columns.append(parsed.alias(word))
    if faults:
        more = f" and {len(faults) - _SHOWN:,} more" if len(faults) > _SHOWN else ""
        raise MatchDataError(f"{name}: {'; '.join(faults[:_SHOWN])}{more}. Correct these rows or leave them out")
    return _share_times(pl.DataFrame(columns), name)


def _parse_numbers(column: pl.Series, *, whole: bool, negative: bool) -> tuple[pl.Series, list[int]]:
    """Numbers with a point or a comma, and the places of other cells."""
    import polars as pl

    if column.dtype.is_numeric():
        number = column.cast(pl.Float64)
    else:
        text = column.cast(pl.String).str.strip_chars()
        plain = text.str.replace("−", "-", literal=True).str.replace(r"^(-?\d+),(\d+)$", "$1.$2")
        number = plain.cast(pl.Float64, strict=False)
    good = number.is_finite().fill_null(False)
    if whole:
        good &= (number == number.round()).fill_null(False) & (number.abs() <= _LARGEST).fill_null(False)
    if not negative:
        good &= (number >= 0).fill_null(False)
    return number, (~good).arg_true().to_list()


def _find_thousands(column: pl.Series, row: pl.Series) -> list[str]:
    """The first cell such as 1.200, if every point may be a German thousands separator."""
    import polars as pl

    if column.dtype.is_numeric():
        return []
    text = column.cast(pl.String).str.strip_chars()
    dotted = text.str.contains(".", literal=True).fill_null(False)
    if not dotted.any() or not text.filter(dotted).str.contains(_THOUSANDS).all():
        return []
    place = int(dotted.arg_max() or 0)
    return [
        f"row {row[place]:,}: {column.name} is {text[place]!r}, which may be {text[place].replace('.', '')} or a "
        "number with three decimals: write it without the point, or with a comma"
    ]


def _cell(column: pl.Series, place: int) -> str:
    value = column[place]
    return "empty" if value is None or not str(value).strip() else repr(str(value).strip())


def _share_times(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Check that the rows of a series share one time."""
    import polars as pl

    if "time" not in frame.columns:
        return frame
    first = pl.col("time").first().over("series")
    other = frame.filter(pl.col("time") != first)
    if len(other):
        row = other.row(0, named=True)
        begin = frame.filter(series=row["series"]).row(0, named=True)
        raise MatchDataError(
            f"{name}: rows {begin['row']:,} and {row['row']:,}: series {row['series']} has two dates ({begin['time']} "
            f"and {row['time']}). Give each series its own name, or correct one of them"
        )
    return frame


def _tell_far_scores(frame: pl.DataFrame, name: str) -> None:
    size = frame["score"].abs()
    usual = max(float(np.median(size.to_numpy())), 1.0)
    far = frame.filter(size > _FAR * usual)
    if len(far):
        row = far.row(0, named=True)
        more = f", and {len(far) - 1:,} more are" if len(far) > 1 else ""
        _log.warning(
            f"{name}: row {row['row']:,}: a score of {row['score']:,.0f} is far from the others, whose median size is "
            f"{usual:,.0f}{more}: correct it if it is a typing error"
        )
