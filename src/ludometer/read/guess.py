"""What the columns of a file seem to hold, by a look at its first rows: told to the user, never used unasked."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING

from ludometer.errors import LudometerError
from ludometer.read.columns import ReadOptions
from ludometer.read.results import parse_result
from ludometer.read.times import find_time_format

if TYPE_CHECKING:
    import polars as pl

    from ludometer.read.source import Source

_MOST_COLUMNS = 40
_LIKE_A_DATE = r"\d[-./]\d"
_MOST = 0.9
"""Nearly all: a few cells are always odd."""


def guess_columns(source: Source, options: ReadOptions) -> str:
    """A line with the options that name the columns, as far as the first rows show them; empty if they do not."""
    head = _text_head(source, (options.first, options.second, options.score, options.time))
    if head is None:
        return ""
    given = {"--first": options.first, "--second": options.second, "--score": options.score, "--time": options.time}
    found = {option: name for option, name in given.items() if name}
    time = options.time or next(iter(_dates(head)), None)
    players = (options.first, options.second) if options.first and options.second else _players(head.drop(_known(time)))
    if players is None:
        return ""
    found |= dict(zip(("--first", "--second"), players, strict=True))
    result = options.score or _result(head.drop(_known(time, *players)), players, head)
    if result:
        found["--score"] = result
    if time:
        found["--time"] = time
    words = " ".join(f"{option} {shlex.quote(found[option])}" for option in given if option in found)
    return f"By its first rows it seems to be: {words}"


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
    found = []
    for column in head:
        present = column.drop_nulls()
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


def _result(head: pl.DataFrame, players: tuple[str, str], whole: pl.DataFrame) -> str | None:
    """A column of results, or of winners, or two of points."""
    for column in head:
        if not all(_is_number(value) for value in column.drop_nulls()) and _share_of_results(head, column.name) > _MOST:
            return column.name
    names = set(whole[players[0]].drop_nulls()) | set(whole[players[1]].drop_nulls())
    winners = [
        column.name for column in head if len(column.drop_nulls()) and column.drop_nulls().is_in(list(names)).all()
    ]
    if winners and not all(_is_number(name) for name in names):
        return winners[0]
    halves = [
        column.name for column in head if len(column.drop_nulls()) and set(column.drop_nulls()) <= {"0", "0.5", "1"}
    ]
    if halves:
        return halves[0]
    whole_numbers = [
        column.name for column in head if len(column.drop_nulls()) and column.drop_nulls().str.contains(r"^\d+$").all()
    ]
    return ",".join(whole_numbers) if len(whole_numbers) == 2 else None


def _share_of_results(head: pl.DataFrame, name: str) -> float:
    values = head[name].drop_nulls()
    return sum(parse_result(value) >= 0 for value in values) / max(len(values), 1)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _known(*names: str | None) -> list[str]:
    return [name for name in names if name]
