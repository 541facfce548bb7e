"""List sheets: what a file of games held, how games become lists, and the result of `skat score`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from ludometer.errors import MatchDataError
from ludometer.result import Provenance, Shown
from ludometer.skat.language import Language, phrase
from ludometer.skat.rules.games import HouseRules
from ludometer.skat.rules.series import SeriesResults, System

if TYPE_CHECKING:
    import polars as pl

    from ludometer.matches import Matches

Format = Literal["ISS records", "xskat log", "score list", "series results"]
Short = Literal["drop", "keep", "rescale"]

_TOTALS = ("points", "won", "lost", "others_lost")
_LINES = 5


@dataclass(frozen=True)
class ListRules:
    """How games become lists and lists become scores."""

    system: System = "extended"
    by: Literal["player", "seat"] = "player"
    points: Literal["recorded", "rules"] = "recorded"
    short: Short = "drop"
    folded: bool = False
    length: int | None = None
    """Games of a full list at any table, instead of 36 and 48."""
    house_rules: HouseRules = field(default_factory=HouseRules)
    seed: int | None = None
    """For lots where all tie-breaks are equal."""
    copies: Literal["merge", "keep"] = "merge"
    """Whether xskat:2, the second copy of a program, counts as xskat."""


@dataclass(frozen=True)
class DamagedLine:
    """A record that could not be read: the line where it starts, counted from 1, and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class GameCounts:
    """How many games a file held."""

    games: int | None = None
    """None: the file has results of series, not games."""
    folded: int = 0
    left_out: int = 0
    """In no full list."""
    as_recorded: int | None = None
    """Games whose recorded value is that of the rules; None where no value is recorded."""


@dataclass(frozen=True, eq=False)
class SkatGames(Shown):
    """What a file held: games and their lists, or results only; what differs from the rules; what was left out."""

    name: str
    format: Format
    results: SeriesResults
    counts: GameCounts
    differences: pl.DataFrame
    """series, game, player, written, by_rules, reason: one row per game that is not recorded as the rules say."""
    rules: ListRules = field(default_factory=ListRules)
    lists: pl.DataFrame | None = None
    records: pl.DataFrame | None = None
    damaged: tuple[DamagedLine, ...] = ()

    @property
    def n_series(self) -> int:
        """Lists that were scored."""
        return self.results.n_series

    @property
    def provenance(self) -> Provenance:
        """How the lists were scored."""
        return self.results.provenance

    def to_frame(self) -> pl.DataFrame:
        """One row per player and series, with the time where every list has one."""
        import polars as pl

        from ludometer.skat.reading.series_tables import parse_times

        frame = self.results.sheets
        if self.lists is None or "time" not in self.lists.columns or self.lists["time"].null_count() or not len(frame):
            return frame
        times, odd = parse_times(self.lists["time"])
        if odd:
            # times that some games lack or misspell cannot order the lists
            return frame
        first = self.lists.with_columns(times).group_by("series").agg(pl.col("time").min())
        return frame.join(first, on="series", how="left", maintain_order="left")

    def summary(self, language: Language = "en", top: int = 3) -> str:
        """The first sheets, and how many games are recorded as the rules say."""
        from ludometer.skat.report.tables import describe_check, describe_difference, sheet_table, show

        sheets = self.results.sheets
        labels = sheets["series"].unique(maintain_order=True).to_list()
        lines = []
        for label in labels[:top]:
            lines.append(f"{phrase('series', language)} {label}")
            lines.append(show(sheet_table(sheets.filter(series=label), language, has_totals=self.results.has_totals)))
            lines.append("")
        if len(labels) > top:
            lines.append(phrase("and more of", language, n=f"{len(labels) - top:,}", all=len(labels)))
        if self.counts.as_recorded is not None:
            lines.append(describe_check(self.counts.as_recorded, len(self.differences), language))
            shown = self.differences.head(_LINES).iter_rows(named=True)
            lines += ["  " + describe_difference(row, language) for row in shown]
            if len(self.differences) > _LINES:
                lines.append("  " + phrase("and more", language, n=f"{len(self.differences) - _LINES:,}"))
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False, language: Language = "en") -> dict[str, Any]:
        """How scores vary, if there is more than one list."""
        return self.results.charts(narrow=narrow, language=language) if self.n_series > 1 else {}

    def document(self) -> dict[str, Any]:
        """List sheets, and the games that are not recorded as the rules say."""
        from ludometer.ratings.scores.audit import json_rows

        absent = {"provenance.seed": "no lot was drawn", "provenance.data": "series are not matches"}
        counts, rows = self.counts, json_rows(self.to_frame())
        if counts.games is None:
            absent |= dict.fromkeys(("data.games", "data.folded", "data.left_out"), "the file has results, not games")
        if counts.as_recorded is None:
            missing = "the file has no values to compare with the rules"
            absent |= dict.fromkeys(("data.as_recorded", "data.flagged"), missing)
        if not self.results.has_totals and rows:
            absent |= {f"series.{name}": "the file has scores only" for name in _TOTALS}
            rows = [row | dict.fromkeys(_TOTALS) for row in rows]
        if rows and not all(row["games"] for row in rows):
            absent["series.games"] = "the file does not say how many"
            rows = [row | {"games": row["games"] or None} for row in rows]
        return {
            "system": self.rules.system,
            "data": {
                "format": self.format,
                "series": self.n_series,
                "games": counts.games,
                "folded": None if counts.games is None else counts.folded,
                "left_out": None if counts.games is None else counts.left_out,
                "as_recorded": counts.as_recorded,
                "flagged": None if counts.as_recorded is None else len(self.differences),
                "players": self.results.sheets["player"].n_unique(),
            },
            "series": rows,
            "differences": self.differences.to_dicts(),
            "damaged": [{"line": fault.line, "reason": fault.reason} for fault in self.damaged],
            "absent": absent,
        }

    def to_matches(self) -> Matches:
        """The series as ratings take them."""
        from ludometer.ratings.scores.series import make_series

        if not len(self.results):
            raise MatchDataError(
                f"{self.name}: no list is complete ({self.counts.games or 0:,} games); count shorter ones with "
                "--short keep or --short rescale"
            )
        frame = self.to_frame()
        kept = ["series", "player", "score", *(["time"] if "time" in frame.columns else [])]
        kept += ["points", "won", "lost"] if self.results.has_totals else []
        kept += ["games"] if bool((frame["games"] > 0).all()) else []
        return make_series(frame.select(kept))

    def anonymised(self, *, seed: int = 0) -> SkatGames:
        """The results of players called P-1, P-2 and so on, in a random order, without the games.

        Lists and sessions whose names name players are called 1, 2 and so on.
        """
        import polars as pl

        from ludometer.ratings.scores.series import anonymous_names, number_if_named

        sheets = self.results.sheets
        names = sheets["player"].to_list()
        hidden = anonymous_names(names, seed=seed)
        labels = sheets["series"].unique(maintain_order=True).to_list()
        number = dict(zip(labels, number_if_named(labels, names), strict=True))
        renamed = sheets.with_columns(pl.col("player").replace(hidden), pl.col("series").replace(number))
        everybody = names + self.differences["player"].drop_nulls().to_list()
        flagged = {
            column: number_if_named(self.differences[column].to_list(), everybody) for column in ("series", "game")
        }
        # declarers of games in no list have no number
        known = pl.col("player").replace_strict(hidden, default=None, return_dtype=pl.String)
        differences = self.differences.with_columns(known, **{key: pl.Series(own) for key, own in flagged.items()})
        lists = None
        if self.lists is not None:
            columns = [name for name in ("series", "time") if name in self.lists.columns]
            lists = self.lists.select(columns).with_columns(pl.col("series").cast(pl.String).replace(number))
        return replace(
            self, results=replace(self.results, sheets=renamed), differences=differences, lists=lists, records=None
        )
