"""Skat from any file: ISS records, an xskat log, a score list game by game, or results of series.

The first bytes and the headings of a file show which of them it is.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.files.opening import open_source
from ludometer.read.files.unpack import unpacker
from ludometer.skat.language import find_word
from ludometer.skat.reading.series_tables import read_series_table, results_of_table
from ludometer.skat.rules.series import LENGTHS, gather_lists, merge_copies, score_series
from ludometer.skat.sheets import DamagedLine, Format, GameCounts, ListRules, SkatGames

if TYPE_CHECKING:
    import polars as pl

    from ludometer.parallel import Workers

_HEAD = 1 << 16
_HEAVY = ("cards", "winners", "rating_0", "rating_1", "rating_2", "place")
"""Columns that are not needed once a game is scored; without them an archive of millions of games fits in memory."""


def read_skat_games(
    source: str, *, rules: ListRules | None = None, skip_damaged: bool = False, workers: Workers | None = None
) -> SkatGames:
    """Read a file of any of the four formats, or standard input ("-"), and score its lists."""
    chosen, kind = rules or ListRules(), _kind_of(source)
    name = "standard input" if source == "-" else Path(source).name
    if kind == "table":
        return _of_table(source, name, chosen)
    damaged: list[DamagedLine] = []
    if kind == "ISS records":
        from ludometer.skat.reading.iss import stream_skat

        stream = stream_skat(
            sys.stdin.buffer if source == "-" else source, replay=True, skip_damaged=skip_damaged, workers=workers
        )
        records, damaged = _joined(stream), stream.damaged
    else:
        from ludometer.skat.reading.xskat import as_lines, stream_xskat

        records = _joined(stream_xskat(as_lines(sys.stdin.buffer) if source == "-" else source))
        # a log of xskat has no points of its own
        chosen = replace(chosen, points="rules")
    return _of_records(records, name, cast("Format", kind), chosen, tuple(damaged))


def is_series_table(source: str) -> bool:
    """Whether a file holds results of series: a table with players and without declarers."""
    if _kind_of(source) != "table":
        return False
    if source == "-":
        # standard input is read once; the headings tell its two kinds of tables apart
        first = _peek().split(b"\n", 1)[0].decode("utf-8", "replace")
        words = {find_word(cell.strip(' "\r\ufeff')) for cell in re.split(r"[,;\t]", first)}
    else:
        words = {find_word(heading) for heading in open_source(source).schema}
    return "declarer" not in words


def _of_table(source: str, name: str, rules: ListRules) -> SkatGames:
    import polars as pl

    if is_series_table(source):
        table, name = read_series_table(source)
        results = results_of_table(table, name, system=rules.system)
        times = table.select(column for column in ("series", "time") if column in table.columns)
        nothing = pl.DataFrame(schema=dict.fromkeys(("series", "game", "player", "written", "by_rules", "reason"), str))
        return SkatGames(name, "series results", results, GameCounts(), nothing, rules, lists=times)
    from ludometer.skat.reading.score_lists import read_score_lists

    games = read_score_lists(source, house_rules=rules.house_rules)
    differing = games.filter(pl.col("difference").is_not_null()).select(
        "series", "game", player="declarer", written="points", by_rules="points_by_rules", reason="difference"
    )
    if rules.points == "rules":
        points = pl.coalesce("points_by_rules", "points")
        games = games.with_columns(points=points, won=pl.when(pl.col("declarer").is_not_null()).then(points > 0))
    folded = int(games["declarer"].is_null().sum())
    results = score_series(games, system=rules.system, by=rules.by, rescale=rules.short == "rescale", seed=rules.seed)
    agreed = int((games["is_checked"] & games["difference"].is_null()).sum())
    checked = agreed if games["is_checked"].any() or len(differing) else None
    return SkatGames(
        name, "score list", results, GameCounts(len(games), folded, 0, checked), differing, rules, lists=games
    )


def _of_records(
    records: pl.DataFrame, name: str, kind: Format, rules: ListRules, damaged: tuple[DamagedLine, ...]
) -> SkatGames:
    import polars as pl

    if rules.copies == "merge":
        records = merge_copies(records)
    lengths = None if rules.length is None else dict.fromkeys(LENGTHS, rules.length)
    lists = gather_lists(
        records,
        rest="drop" if rules.short == "drop" else "keep",
        folded=rules.folded,
        points=rules.points,
        lengths=lengths,
    )
    unknown = lists["points"].null_count()
    if unknown:
        other = "rules" if rules.points == "recorded" else "recorded"
        raise MatchDataError(f"{name}: {unknown:,} games have no {rules.points} points; try --points {other}")
    results = score_series(lists, system=rules.system, by=rules.by, rescale=rules.short == "rescale", seed=rules.seed)
    player = pl.coalesce(pl.when(pl.col("declarer") == seat).then(pl.col(f"player_{seat}")) for seat in range(3))
    differing = records.filter(pl.col("difference").is_not_null()).select(
        pl.col("series").fill_null(""),
        game=pl.col("game_id").fill_null(""),
        player=player,
        written="points_recorded",
        by_rules="points",
        reason="difference",
    )
    folded = int((records["kind"].cast(pl.String) == "folded").sum())
    compared = records["points_recorded"].is_not_null()
    agreed = int((compared & records["difference"].is_null()).sum()) if compared.any() else None
    counts = GameCounts(len(records), folded, len(records) - len(lists), agreed)
    return SkatGames(name, kind, results, counts, differing, rules, lists, records, damaged)


def _joined(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    import polars as pl

    from ludometer.skat.records import complete_records, schema

    light = [frame.drop(_HEAVY, strict=False) for frame in frames]
    return pl.concat(light) if light else complete_records(pl.DataFrame(schema=schema())).drop(_HEAVY, strict=False)


def _kind_of(source: str) -> str:
    head = _peek() if source == "-" else _file_head(source)
    if b"(;" in head:
        return "ISS records"
    return "xskat log" if b"random_seed" in head else "table"


def _peek() -> bytes:
    stream = sys.stdin.buffer
    return _unpacked_head(stream.peek(_HEAD) if hasattr(stream, "peek") else b"")


def _file_head(source: str) -> bytes:
    path = Path(source)
    if not path.exists():
        raise LudometerError(f"{source}: no such file")
    if path.is_dir():
        raise LudometerError(f"{source}: a folder, not a file of games")
    try:
        with path.open("rb") as stream:
            return _unpacked_head(stream.read(_HEAD))
    except OSError as error:
        raise LudometerError(f"{source}: cannot be read ({error.strerror})") from error


def _unpacked_head(head: bytes) -> bytes:
    """The first bytes of the contents, or as many as a truncated packed file has."""
    import zlib

    import zstandard

    unpack = unpacker(head)
    if unpack is None:
        return head
    try:
        return unpack(io.BytesIO(head)).read(4096)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError):
        # the reader of the whole file reports the damage
        return b""
