"""What the columns of a file seem to hold, by a look at its first rows: suggested to the user, never used unasked."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING

from ludometer.errors import LudometerError
from ludometer.read.columns.names import ReadOptions
from ludometer.read.columns.outcomes import parse_result
from ludometer.read.columns.times import find_epoch, find_time_format

if TYPE_CHECKING:
    import polars as pl

    from ludometer.read.files.source import Source

_MOST_COLUMNS = 40
_LIKE_A_DATE = r"\d[-./]\d"
_NAMED = ("first", "second", "match", "player", "place", "score", "time")
_MOST = 0.9
"""Nearly all: a few cells are always odd."""


def guess_columns(source: Source, options: ReadOptions) -> str:
    """A line that suggests options for the columns, as far as the first rows show them; else empty."""
    given = {f"--{name}": str(getattr(options, name)) for name in _NAMED if getattr(options, name)}
    head = _text_head(source, given.values())
    if head is None:
        return ""
    time = options.time or next(iter(_dates(head)), None)
    found = given | ({"--time": time} if time else {})
    free = head.drop([name for name in found.values() if name in head.columns])
    if options.match or options.player or options.place or not _found_pair(head, free, options, found):
        _found_seats(head, free, found)
    if not found.keys() - given.keys() - {"--time"}:
        return ""
    words = " ".join(f"--{name} {shlex.quote(found[f'--{name}'])}" for name in _NAMED if f"--{name}" in found)
    return f"Judging by its first rows, try: {words}"


def guess_dates(source: Source) -> list[str]:
    """Columns that seem to hold dates."""
    head = _text_head(source, ())
    return [] if head is None else _dates(head)


def _text_head(source: Source, named: Iterable[str | None]) -> pl.DataFrame | None:
    """The first rows as text, without the cells that are empty; None where they cannot be seen beforehand."""
    import polars as pl

    if source.head is None:
        return None
    kept = list(source.schema)[:_MOST_COLUMNS]
    kept += [name for name in named if name is not None and name in source.schema and name not in kept]
    shown = [name for name in kept if not source.schema[name].is_nested() and source.schema[name] != pl.Binary]
    head = source.head().select(pl.col(shown).cast(pl.String).str.strip_chars())
    head = head.select(pl.all().replace("", None))
    return head if len(head) > 1 else None


def _dates(head: pl.DataFrame) -> list[str]:
    import polars as pl

    found = []
    for column in head:
        present = column.drop_nulls()
        if len(present) and present.str.contains(r"^\d{8,13}$").all() and find_epoch(present.cast(pl.Int64)):
            found.append(column.name)
            continue
        if 2 * present.str.contains(_LIKE_A_DATE).sum() <= len(present):
            continue
        try:
            form = find_time_format(present, name=column.name)
        except LudometerError:
            # dates that can be read in two ways
            found.append(column.name)
        else:
            found += [column.name] if form is not None and not form.is_number else []
    return found


def _players(head: pl.DataFrame) -> tuple[str, str] | None:
    """The two columns that share most of their values and hardly ever agree in a row; names before numbers."""
    best: tuple[bool, float] = (False, 0.0)
    found = None
    kept = [column.name for column in head if column.n_unique() > 2 and _share_of_results(head, column.name) < _MOST]
    for first, second in combinations(kept, 2):
        ours, theirs = (set(head[name].drop_nulls()) for name in (first, second))
        common = ours & theirs
        apart = (head[first] != head[second]).fill_null(value=True).sum()
        if len(common) < 2 or apart < _MOST * len(head):
            continue
        is_text = not all(_is_number(value) for value in common)
        rank = (is_text, len(common) / min(len(ours), len(theirs)))
        if rank > best and (is_text or len(common) > 10):
            best, found = rank, (first, second)
    return found


def _found_pair(head: pl.DataFrame, free: pl.DataFrame, options: ReadOptions, found: dict[str, str]) -> bool:
    """Add the columns of a table with one row per match."""
    players = (options.first, options.second) if options.first and options.second else _players(free)
    if players is None:
        return False
    found |= dict(zip(("--first", "--second"), players, strict=True))
    rest = free.drop([name for name in players if name in free.columns])
    if not options.score and all(name in head.columns for name in players) and (result := _result(head, rest, players)):
        found["--score"] = result
    return True


def _found_seats(head: pl.DataFrame, free: pl.DataFrame, found: dict[str, str]) -> None:
    """Add the columns of a table with one row per player: match, player and place."""
    columns = [column for column in free if not column.null_count()]
    matches = [found["--match"]] if "--match" in found else [one.name for one in columns if _is_in_blocks(one)]
    for match in matches:
        named = [one.name for one in columns if _is_of_names(head, match, one)]
        for player in [found["--player"]] if "--player" in found else named:
            still_free = (one for one in columns if one.name not in (match, player))
            if places := [one.name for one in still_free if _is_of_places(head, match, one)]:
                found |= {"--match": match, "--player": player, "--place": found.get("--place", places[0])}
                return


def _is_in_blocks(column: pl.Series) -> bool:
    """Each value in several rows, one after the other."""
    return 2 * column.n_unique() <= len(column) and len(column.rle()) <= 1.1 * column.n_unique()


def _is_of_names(head: pl.DataFrame, match: str, column: pl.Series) -> bool:
    """Words, hardly ever twice in a match, but in several matches."""
    apart = _share(head.select(match, column.name).is_unique()) if column.name != match else 0
    return apart >= _MOST and 2 < column.n_unique() < len(column) and not all(map(_is_number, column))


def _is_of_places(head: pl.DataFrame, match: str, column: pl.Series) -> bool:
    """Small numbers of which each match has a 1, and mostly different ones."""
    import polars as pl

    if not column.str.contains(r"^\d{1,2}$").all():
        return False
    first = head.group_by(match).agg(pl.col(column.name).cast(pl.Int64).min())[column.name]
    return _share(first == 1) >= _MOST and _share(head.select(match, column.name).is_unique()) >= 0.5


def _share(mask: pl.Series) -> float:
    return int(mask.sum()) / max(len(mask), 1)


def _result(head: pl.DataFrame, free: pl.DataFrame, players: tuple[str, str]) -> str | None:
    """A column of results, or of winners, or two of points."""
    for column in free:
        if not all(_is_number(value) for value in column.drop_nulls()) and _share_of_results(free, column.name) > _MOST:
            return column.name
    for column in free:
        named = ((column == head[players[0]]) | (column == head[players[1]])).fill_null(value=False)
        if named.sum() >= _MOST * len(head):
            return column.name
    filled = [column for column in free if len(column.drop_nulls())]
    halves = [column.name for column in filled if set(column.drop_nulls()) <= {"0", "0.5", "1", "0.0", "1.0"}]
    if halves:
        return halves[0]
    whole = [column.name for column in filled if column.drop_nulls().str.contains(r"^\d{1,6}$").all()]
    return ",".join(whole) if len(whole) == 2 else None


def _share_of_results(head: pl.DataFrame, name: str) -> float:
    values = head[name].drop_nulls()
    return sum(parse_result(value) >= 0 for value in values) / max(len(values), 1)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
