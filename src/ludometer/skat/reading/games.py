"""Skat from any file: ISS records, an xskat log, a score list game by game, or results of series.

What a file is, its first bytes and headings say. Games become lists as `score_series` takes them; all become one
`SeriesRecord`, which ratings are made of.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.files.opening import open_source
from ludometer.read.files.unpack import unpacker
from ludometer.skat.reading.iss import DamagedLine, stream_skat
from ludometer.skat.reading.score_lists import read_score_lists
from ludometer.skat.reading.series import parse_times, read_series_table, results_of_table
from ludometer.skat.reading.xskat import as_lines, stream_xskat
from ludometer.skat.rules.house_rules import HouseRules
from ludometer.skat.rules.lists import gather_lists, merge_copies
from ludometer.skat.rules.series import LENGTHS, SeriesResults, System, score_series
from ludometer.skat.words import find_word

if TYPE_CHECKING:
    import polars as pl

    from ludometer.parallel import Workers
    from ludometer.ratings.scores.record import SeriesRecord

Format = Literal["ISS records", "xskat log", "score list", "series results"]
Short = Literal["drop", "keep", "rescale"]

_HEAD = 1 << 16
_HEAVY = ("cards", "winners", "rating_0", "rating_1", "rating_2", "place")
"""Columns that nobody needs once a game is scored; without them an archive of millions of games fits in memory."""


@dataclass(frozen=True)
class ListRules:
    """How games become lists and lists become scores."""

    system: System = "extended"
    by: Literal["player", "seat"] = "player"
    points: Literal["recorded", "rules"] = "recorded"
    short: Short = "drop"
    folded: bool = False
    length: int | None = None
    """Games of a full list at any table, in the place of 36 and 48."""
    house_rules: HouseRules = field(default_factory=HouseRules)
    seed: int | None = None
    """For lots where all tie-breaks are equal."""
    copies: Literal["merge", "keep"] = "merge"
    """Whether xskat:2, the second copy of a program, is xskat."""


@dataclass(frozen=True, eq=False)
class SkatGames:
    """What a file held: games and their lists, or results only; what differs from the rules; what was left out."""

    name: str
    format: Format
    results: SeriesResults
    n_games: int | None
    n_folded: int
    n_left_out: int
    """Games in no full list."""
    differences: pl.DataFrame
    """series, game, player, written, by_rules, reason: a row a game that is recorded otherwise than by the rules."""
    n_agreed: int | None = None
    """Games whose recorded value is that of the rules; None where no value is recorded."""
    lists: pl.DataFrame | None = None
    records: pl.DataFrame | None = None
    damaged: tuple[DamagedLine, ...] = ()

    @property
    def n_series(self) -> int:
        """Lists that were scored."""
        return len(set(self.results.series.tolist()))

    def to_frame(self) -> pl.DataFrame:
        """A row a player in a series, with the time where every list has one."""
        frame = self.results.to_frame()
        if self.lists is None or "time" not in self.lists.columns or self.lists["time"].null_count() or not len(frame):
            return frame
        times, odd = parse_times(self.lists["time"])
        if odd:
            # a column that not every game has right orders nothing
            return frame
        lists = self.lists.with_columns(times)
        first = lists.group_by("series").agg(_first_time())
        return frame.join(first, on="series", how="left", maintain_order="left")

    def anonymised(self, *, seed: int = 0) -> SkatGames:
        """The results of players called P-1, P-2 and so on, in a random order, without the games.

        Lists and sessions whose names name players are called 1, 2 and so on.
        """
        import numpy as np
        import polars as pl

        from ludometer.ratings.scores.record import anonymous_names, number_if_named

        names = [str(name) for name in self.results.player]
        hidden = anonymous_names(names, seed=seed)
        labels = dict.fromkeys(str(label) for label in self.results.series)
        number = dict(zip(labels, number_if_named(list(labels), names), strict=True))
        results = replace(
            self.results,
            player=np.array([hidden[name] for name in names], object),
            series=np.array([number[str(label)] for label in self.results.series], object),
        )
        everybody = names + self.differences["player"].drop_nulls().to_list()
        flagged = {
            column: number_if_named(self.differences[column].to_list(), everybody) for column in ("series", "game")
        }
        # declarers of games in no list have no number: they are nobody
        known = pl.col("player").replace_strict(hidden, default=None, return_dtype=pl.String)
        differences = self.differences.with_columns(known, **{key: pl.Series(own) for key, own in flagged.items()})
        lists = None
        if self.lists is not None:
            columns = [name for name in ("series", "time") if name in self.lists.columns]
            renamed = pl.col("series").cast(pl.String).replace(number)
            lists = self.lists.select(columns).with_columns(renamed)
        return replace(self, results=results, differences=differences, lists=lists, records=None)

    def to_record(self) -> SeriesRecord:
        """The series as ratings take them."""
        from ludometer.ratings.scores.record import SeriesRecord

        if not len(self.results):
            raise MatchDataError(
                f"{self.name}: no list is complete ({self.n_games or 0:,} games); shorter ones count with --short keep "
                "or --short rescale"
            )
        frame = self.to_frame()
        kept = ["series", "player", "score", *(["time"] if "time" in frame.columns else [])]
        kept += ["points", "won", "lost"] if has_totals(self.results) else []
        kept += ["games"] if bool((frame["games"] > 0).all()) else []
        return SeriesRecord.of_frame(frame.select(kept))


def has_totals(results: SeriesResults) -> bool:
    """Whether points and games won and lost are known, and not the scores alone."""
    return bool(results.points.any() or results.won.any() or results.lost.any())


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
        stream = stream_skat(_binary(source), replay=True, skip_damaged=skip_damaged, workers=workers)
        records, damaged = _joined(stream), stream.damaged
    else:
        records = _joined(stream_xskat(_lines(source)))
        # a log of xskat has no points of its own
        chosen = replace(chosen, points="rules")
    return _of_records(records, name, cast("Format", kind), chosen, tuple(damaged))


def is_series_table(source: str) -> bool:
    """Whether a file holds results of series: a table with players and without declarers."""
    if _kind_of(source) != "table":
        return False
    if source == "-":
        # standard input is read once; of its two kinds of tables the headings tell which
        first = _peek().split(b"\n", 1)[0].decode("utf-8", "replace")
        words = {find_word(cell.strip(' "\r\ufeff')) for cell in re.split(r"[,;\t]", first)}
    else:
        words = {find_word(heading) for heading in open_source(source).schema}
    return "declarer" not in words


def _of_table(source: str, name: str, rules: ListRules) -> SkatGames:
    import polars as pl

    nothing = pl.DataFrame(schema=_DIFFERENCES)
    if is_series_table(source):
        table, name = read_series_table(source)
        results = results_of_table(table, name, system=rules.system)
        times = table.select(column for column in ("series", "time") if column in table.columns)
        return SkatGames(name, "series results", results, None, 0, 0, nothing, lists=times)
    games = read_score_lists(source, house_rules=rules.house_rules).games
    differing = games.filter(pl.col("difference").is_not_null()).select(
        "series",
        "game",
        player="declarer",
        written="points",
        by_rules="points_by_rules",
        reason="difference",
    )
    if rules.points == "rules":
        points = pl.coalesce("points_by_rules", "points")
        games = games.with_columns(points=points, won=pl.when(pl.col("declarer").is_not_null()).then(points > 0))
    folded = int(games["declarer"].is_null().sum())
    results = score_series(games, system=rules.system, by=rules.by, rescale=rules.short == "rescale", seed=rules.seed)
    agreed = int((games["is_checked"] & games["difference"].is_null()).sum())
    checked = agreed if games["is_checked"].any() or len(differing) else None
    return SkatGames(name, "score list", results, len(games), folded, 0, differing, checked, lists=games)


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
        raise MatchDataError(f"{name}: {unknown:,} games have no {rules.points} points; try the other of --points")
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
    left_out = len(records) - len(lists)
    compared = records["points_recorded"].is_not_null()
    agreed = int((compared & records["difference"].is_null()).sum()) if compared.any() else None
    return SkatGames(name, kind, results, len(records), folded, left_out, differing, agreed, lists, records, damaged)


_DIFFERENCES: dict[str, Any] = dict.fromkeys(("series", "game", "player", "written", "by_rules", "reason"), str)


def _first_time() -> pl.Expr:
    import polars as pl

    return pl.col("time").min()


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
    """The first bytes of the contents; those of a packed file that is cut off are as many as there are."""
    import zlib

    import zstandard

    unpack = unpacker(head)
    if unpack is None:
        return head
    try:
        return unpack(io.BytesIO(head)).read(4096)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError):
        # what is damaged is told by who reads all of it
        return b""


def _binary(source: str) -> Any:
    return sys.stdin.buffer if source == "-" else source


def _lines(source: str) -> Any:
    return as_lines(sys.stdin.buffer) if source == "-" else source
