"""The list of players that `rate` gives: ratings, what changed, who is provisional, ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask, Times
from ludometer.chart_style import GREY, INK
from ludometer.errors import LudometerError
from ludometer.players import Players
from ludometer.result import Provenance, Shown
from ludometer.wording import between, ordinal, percent, time_text

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.driver import RatingSystem
    from ludometer.ratings.ranks import Ranks
    from ludometer.ratings.saved import SavedState

_FEW = 10
"""Matches below which a rating is provisional, where a system gives no errors."""

_DRAWN = 25
"""Players in the chart of the best."""

_REACH = 1.959964
"""SDs to both sides of a 95% interval."""

_LARGE = 0.5
"""The share of a newcomer's SD above which a rating is provisional."""


@dataclass(frozen=True, eq=False)
class Baseline:
    """The ratings before a moment, from which changes are counted; NaN for players without a match before it."""

    since: Times
    """The moment, as an array of one."""
    rating: Floats


@dataclass(frozen=True, eq=False)
class Provisional:
    """Players whose ratings are still mostly a guess, and by which rule."""

    players: Mask
    rule: str


def find_provisional(system: RatingSystem[Any], state: Any, played: Counts, sd: Floats | None) -> Provisional:
    """Those whose SD is more than half a newcomer's; where there are no SDs, those with fewer than 10 matches.

    >>> from ludometer.matches import Matches
    >>> from ludometer.ratings import Glicko2, rate
    >>> rate(Matches.of_pairs([0], [1], [1]), system=Glicko2()).provisional.rule
    'SD above 175, half that of a newcomer'
    """
    newcomer = 0.0
    if sd is not None:
        known = getattr(system, "newcomer_sd", None)
        newcomer = float(system.uncertainty(system.start(1))[0] if known is None else known(state))  # type: ignore[attr-defined]  # it gave SDs
    if sd is None or not newcomer > 0:
        return _by_matches(played)
    limit = _LARGE * newcomer
    return Provisional(sd > limit, f"SD above {limit:.0f}, half that of a newcomer")


@dataclass(frozen=True)
class Ratings(Shown):
    """Players with their ratings after the last match of a record."""

    players: Players
    rating: Floats
    matches: Counts
    last: Times | None
    sd: Floats | None
    """The SD of each rating's error, for systems with a method `uncertainty`."""
    n_matches: int
    draw_rate: float
    provenance: Provenance
    marked: Provisional | None = None
    """Who is provisional, by a system's own errors."""
    baseline: Baseline | None = None
    ranks: Ranks | None = None
    """Intervals of ranks, once they were asked for (`with_ranks`)."""
    shared_sd: float = 0.0
    """The part of the SDs that all ratings share: it moves them together, and no difference."""
    state: SavedState | None = None
    """Where the system stands now, if it was given a state to go on from."""

    @property
    def provisional(self) -> Provisional:
        """Whose ratings are still mostly a guess: by errors, or by the number of matches."""
        return self.marked or _by_matches(self.matches)

    @property
    def change(self) -> Floats | None:
        """What each player won since the baseline; NaN for those who had not played before, None without a baseline."""
        return None if self.baseline is None else self.rating - _padded(self.baseline.rating, len(self.rating))

    def sd_of_difference(self, first: Codes, second: Codes) -> Floats:
        """The SD of the error of the difference between ratings, which needs a system with errors."""
        sd = self.relative_sd
        return np.hypot(sd[first], sd[second])

    @property
    def relative_sd(self) -> Floats:
        """The SD of each rating's error without the part that all share; refused where a system gives no errors."""
        if self.sd is None:
            raise LudometerError(
                f"{self.provenance.method} gives no errors of its ratings: use a system that does, such as --system "
                "static, glicko2 or smith"
            )
        return np.sqrt(np.maximum(self.sd**2 - self.shared_sd**2, 0.0))

    @property
    def n_players(self) -> int:
        """Players with a match; a stream may name others, in rows that were dropped."""
        return int((self.matches > 0).sum())

    def with_ranks(self, *, min_matches: int = 1) -> Self:
        """The same with intervals of the ranks among players with at least so many matches."""
        from ludometer.ratings.ranks import rank_players

        return replace(self, ranks=rank_players(self, min_matches=min_matches))

    def renumbered(self, code: Codes, players: Players) -> Self:
        """The same for players in another order: `code` says where each of them stands now."""
        baseline = self.baseline
        if baseline is not None:
            baseline = replace(baseline, rating=_padded(baseline.rating, len(self.rating))[code])
        return replace(
            self,
            players=players,
            rating=self.rating[code],
            matches=self.matches[code],
            last=None if self.last is None else self.last[code],
            sd=None if self.sd is None else self.sd[code],
            marked=replace(self.provisional, players=self.provisional.players[code]),
            baseline=baseline,
        )

    def to_frame(self) -> pl.DataFrame:
        """player, rating, matches, last, sd, change, provisional: best first, equal ratings by name.

        With ranks also rank_low, rank_high, group and better_than_next.
        """
        import polars as pl

        nothing = pl.Series([None] * len(self.rating), dtype=pl.Float64)
        frame = pl.DataFrame(
            {
                "player": self.players.names,
                "rating": self.rating,
                "matches": self.matches,
                "last": nothing if self.last is None else pl.Series(self.last),
                "sd": nothing if self.sd is None else pl.Series(self.sd),
                "change": nothing if self.change is None else pl.Series(self.change).fill_nan(None),
                "provisional": self.provisional.players,
                **({} if self.ranks is None else self.ranks.columns()),
            }
        )
        return frame.filter(pl.col("matches") > 0).sort("rating", "player", descending=[True, False])

    def choose(self, *, sort: str = "rating", search: str | None = None, min_matches: int = 1) -> pl.DataFrame:
        """The rows of `to_frame` with at least so many matches and this text in the name, sorted by a column.

        Names sort from A to Z, everything else from high to low.
        """
        import polars as pl

        frame = self.to_frame().filter(pl.col("matches") >= min_matches)
        if search:
            frame = frame.filter(pl.col("player").str.to_lowercase().str.contains(search.lower(), literal=True))
        if sort == "rating":
            return frame
        return frame.sort(sort, "player", descending=[sort != "player", False], nulls_last=True)

    def document(self, rows: pl.DataFrame | None = None) -> dict[str, Any]:
        """The JSON document, of all players or of these rows of `to_frame`."""
        listed = (self.to_frame() if rows is None else rows).iter_rows(named=True)
        players = [_describe(row) for row in listed]
        return {
            "system": self.provenance.method,
            "parameters": self.provenance.parameters,
            "players": players,
            "provisional_rule": self.provisional.rule,
            "since": self.since,
            "absent": self._absent(players),
        }

    @property
    def since(self) -> str | int | float | None:
        """Where changes are counted from."""
        if self.baseline is None:
            return None
        (moment,) = self.baseline.since.tolist()
        text = time_text(moment)
        return text.removesuffix(" 00:00:00") if isinstance(text, str) else text

    def _absent(self, players: list[dict[str, Any]]) -> dict[str, str]:
        absent = {}
        if self.sd is None:
            absent["players.sd"] = f"{self.provenance.method} gives no uncertainty"
        if self.last is None:
            absent["players.last"] = "the file has no times"
        if self.ranks is None:
            absent["players.rank_interval"] = "--ranks gives it"
        if self.baseline is None:
            absent["since"] = absent["players.change"] = (
                "--since gives it" if self.last is not None else "the file has no times"
            )
        elif any(player["change"] is None for player in players):
            absent["players.change"] = f"null for players who had not played before {self.since}"
        if self.ranks is not None and any(player["rank_interval"] is None for player in players):
            absent["players.rank_interval"] = f"null for players with fewer than {self.ranks.min_matches} matches"
        if self.ranks is not None:
            absent["players.better_than_next"] = "null for the last player"
        return absent

    def describe(self, frame: pl.DataFrame) -> dict[str, list[str]]:
        """The columns of a list that are known, as text: SD, last match, change and ranks only where there are any."""
        marks = ["?" if is_marked else " " for is_marked in frame["provisional"]]
        if "?" not in marks:
            marks = [""] * len(frame)
        columns = {
            "player": list(frame["player"]),
            "rating": [f"{rating:.1f}{mark}" for rating, mark in zip(frame["rating"], marks, strict=True)],
            "± SD": [f"{sd:.0f}" for sd in frame["sd"] if sd is not None],
            "matches": [f"{matches:,}" for matches in frame["matches"]],
            "last played": [str(time_text(last)).split(".")[0] for last in frame["last"] if last is not None],
        }
        if frame["change"].is_not_null().any():
            changes = frame["change"].to_list()
            columns[f"since {self.since}"] = ["new" if change is None else f"{round(change):+d}" for change in changes]
        if self.ranks is not None:
            ends = frame.select("rank_low", "rank_high").rows()
            columns["true rank"] = ["" if low is None else between(ordinal(low), ordinal(high)) for low, high in ends]
            columns["group"] = ["" if group is None else f"{group}" for group in frame["group"]]
            better = frame["better_than_next"]
            columns["better than next"] = ["" if chance is None else percent(chance, 0) for chance in better]
        return {name: cells for name, cells in columns.items() if cells}

    def summary(self) -> str:
        """Number of players, spread of the ratings, and the first ten."""
        frame = self.to_frame()
        spread = f", SD {self.rating[self.matches > 0].std(ddof=1):.1f}" if len(frame) > 1 else ""
        lines = [f"{self.n_matches:,} matches of {len(frame):,} players by {self.provenance.method}{spread}"]
        rows = frame.head(10).iter_rows(named=True)
        lines += [f"{n:4d}. {row['rating']:8.1f}  {row['player']}" for n, row in enumerate(rows, 1)]
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """A histogram of the ratings and, where there are errors, the best players with their intervals."""
        drawn = {"ratings": self._histogram(narrow=narrow)}
        return drawn if self.sd is None else drawn | {"players": self._players_chart(narrow=narrow)}

    def _histogram(self, *, narrow: bool) -> Any:
        import altair as alt

        frame = self.to_frame()
        counts, edges = np.histogram(frame["rating"].to_numpy(), bins=min(40, max(5, int(len(frame) ** 0.5))))
        bars = [
            {"from": low, "to": high, "players": int(n)}
            for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
        return (
            alt.Chart(alt.InlineData(values=bars), width=270 if narrow else 480, height=240)
            .properties(title="How the ratings spread")
            .mark_bar(color=INK, stroke="white", strokeWidth=0.5)
            .encode(
                x=alt.X("from:Q", bin="binned", title="Rating (Elo points)", scale=alt.Scale(zero=False)),
                x2="to:Q",
                y=alt.Y("players:Q", title="Players"),
                tooltip=["from:Q", "to:Q", "players:Q"],
            )
        )

    def _players_chart(self, *, narrow: bool) -> Any:
        import altair as alt

        best = self.to_frame().head(_DRAWN).iter_rows(named=True)
        rows = [
            {
                "player": row["player"],
                "rating": row["rating"],
                "low": row["rating"] - _REACH * row["sd"],
                "high": row["rating"] + _REACH * row["sd"],
                "kind": "provisional" if row["provisional"] else "settled",
            }
            for row in best
        ]
        names = alt.Axis(labelLimit=100 if narrow else 200, labelOverlap=False)
        kinds = alt.Scale(domain=["settled", "provisional"], range=[INK, GREY])
        base = alt.Chart(
            alt.InlineData(values=rows), width=200 if narrow else 420, height=alt.Step(16), title="The best players"
        ).encode(
            y=alt.Y("player:N", title=None, sort=None, axis=names),
            color=alt.Color("kind:N", scale=kinds, legend=None),
        )
        axis = alt.X("low:Q", title="Rating and 95% interval", scale=alt.Scale(zero=False))
        return base.mark_rule(strokeWidth=2).encode(x=axis, x2="high:Q") + base.mark_point(filled=True, size=50).encode(
            x="rating:Q", tooltip=["player:N", "rating:Q", "low:Q", "high:Q"]
        )


def _by_matches(played: Counts) -> Provisional:
    return Provisional(played < _FEW, f"fewer than {_FEW} matches")


def _padded(rating: Floats, n_players: int) -> Floats:
    """With NaN for players who came later."""
    return np.concatenate((rating, np.full(n_players - len(rating), np.nan)))


def _describe(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the table as JSON has it."""
    told = row | {"last": time_text(row["last"])}
    low, high = told.pop("rank_low", None), told.pop("rank_high", None)
    return told | {"rank_interval": None if low is None else [low, high]}
