"""What a rating system is, and `rate`: play a record through one and list the players."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask, Times
from ludometer.chart_style import INK
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Fingerprint, Matches, Pairs
from ludometer.players import Players
from ludometer.result import Provenance, Shown
from ludometer.wording import time_text

if TYPE_CHECKING:
    import polars as pl

State = TypeVar("State")

_log = logging.getLogger(__name__)


class FittingSystem(Protocol):
    """A rating system whose parameters are fitted to a record before it plays."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that are not fitted."""
        ...

    def fitted(self, matches: Matches, *, in_sample: bool) -> RatingSystem[Any]:
        """The system with its parameters; `in_sample` if it will be scored on the same matches."""
        ...


class RatingSystem(Protocol[State]):
    """A frozen dataclass of parameters; the state is a value, never changed in place.

    Playing two halves of a record equals playing the whole, bit for bit. Codes beyond those that a state knows are
    newcomers: `play` lets them in, so a state of no players is a good start. A system that uses optional columns of a
    record names them in an attribute `uses`, such as ("score",); see `check_usable`.
    """

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        ...

    def start(self, n_players: int) -> State:
        """The state before any match."""
        ...

    def play(self, state: State, matches: Matches) -> tuple[State, Floats]:
        """The state after the matches, and what was expected before each was played.

        For two-player matches that is what the first player was expected to score, one number per match; for
        multiplayer matches each seat's expected share of the largest prize, one number per seat.
        """
        ...

    def ratings(self, state: State) -> Floats:
        """The rating of each player in Elo points."""
        ...

    def expect(self, state: State, first: Codes, second: Codes) -> Floats:
        """What each first player is expected to score against each second one in this state."""
        ...


AnySystem = RatingSystem[Any] | FittingSystem


def check_usable(system: AnySystem, matches: Matches) -> None:
    """Refuse teams to a system that cannot use them, and log which columns it ignores.

    Columns that nobody asked for it ignores without a word.
    """
    used = matches.unasked.union(getattr(system, "uses", ()))
    if "side" not in used:
        matches.refuse_teams(system.name)
    ignored = [name.replace("_", " ") for name in matches.columns if name not in used]
    if ignored:
        *most, last = ignored
        _log.info("%s ignores the %s", system.name, f"{', '.join(most)} and {last}" if most else last)


def prepare(system: AnySystem, matches: Any, scored: Mask | None = None) -> RatingSystem[Any]:
    """The system ready to play: one with parameters to fit is fitted to all matches, or to those not scored."""
    if isinstance(matches, Matches) and hasattr(system, "name"):
        check_usable(system, matches)
    if not hasattr(system, "fitted"):
        if not hasattr(system, "play"):
            raise LudometerError(f"a rating system is needed, such as Elo(k=24), not {system!r}")
        return system
    if not isinstance(matches, Matches):
        raise LudometerError(f"{system.name} needs the whole record first: leave out --stream")
    if scored is None:
        return system.fitted(matches, in_sample=True)
    if scored.all():
        raise LudometerError(f"{system.name} is fitted to matches before those that are scored, and there are none")
    return system.fitted(matches.take(~scored), in_sample=False)


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

    @property
    def n_players(self) -> int:
        """Players with a match; a stream may name others, in rows that were dropped."""
        return int((self.matches > 0).sum())

    def to_frame(self) -> pl.DataFrame:
        """player, rating, matches, last, sd: best first, equal ratings by name."""
        import polars as pl

        nothing = pl.Series([None] * len(self.rating), dtype=pl.Float64)
        frame = pl.DataFrame(
            {
                "player": self.players.names,
                "rating": self.rating,
                "matches": self.matches,
                "last": nothing if self.last is None else pl.Series(self.last),
                "sd": nothing if self.sd is None else pl.Series(self.sd),
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
        absent = {}
        if self.sd is None:
            absent["players.sd"] = f"{self.provenance.method} gives no uncertainty"
        if self.last is None:
            absent["players.last"] = "the file has no times"
        listed = (self.to_frame() if rows is None else rows).iter_rows(named=True)
        return {
            "system": self.provenance.method,
            "parameters": self.provenance.parameters,
            "players": [row | {"last": time_text(row["last"])} for row in listed],
            "absent": absent,
        }

    def summary(self) -> str:
        """Number of players, spread of the ratings, and the first ten."""
        frame = self.to_frame()
        spread = f", SD {self.rating[self.matches > 0].std(ddof=1):.1f}" if len(frame) > 1 else ""
        lines = [f"{self.n_matches:,} matches of {len(frame):,} players by {self.provenance.method}{spread}"]
        rows = frame.head(10).iter_rows(named=True)
        lines += [f"{n:4d}. {row['rating']:8.1f}  {row['player']}" for n, row in enumerate(rows, 1)]
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """A histogram of the ratings."""
        import altair as alt

        frame = self.to_frame()
        counts, edges = np.histogram(frame["rating"].to_numpy(), bins=min(40, max(5, int(len(frame) ** 0.5))))
        bars = [
            {"from": low, "to": high, "players": int(n)}
            for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
        chart = (
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
        return {"ratings": chart}


def rate(matches: Matches | Iterable[Matches], *, system: AnySystem | None = None) -> Ratings:
    """Ratings of all players after the last match, by the default system of the catalogue unless one is given.

    A stream of batches (`stream_matches`) is played as it comes, with only the players in memory.

    >>> matches = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 0.5], players=Players.named(["Ann", "Ben", "Cem"]))
    >>> rate(matches).to_frame()["player"].to_list()
    ['Ann', 'Cem', 'Ben']
    """
    from ludometer.ratings.catalogue import default_system

    chosen = prepare(default_system(matches) if system is None else system, matches)
    tally = Tally()
    state = chosen.start(0)
    for batch in matches:
        tally.add(batch)
        state, _ = chosen.play(state, batch)
    return tally.ratings(chosen, state)


class Tally:
    """Counts per player beside the rating, batch by batch."""

    def __init__(self) -> None:
        self.players: Players | None = None
        self.n_matches = 0
        self.played: Counts = np.zeros(0, np.int64)
        self.n_draws = 0
        self.last: Times | None = None
        self.digest = Fingerprint()

    def add(self, batch: Matches) -> None:
        """Take in the next batch."""
        if not isinstance(batch, Matches):
            raise LudometerError("Matches are needed: read_matches(...) makes them of a file or a table")
        self.players = batch.players
        self.n_matches += len(batch)
        self.n_draws += batch.n_draws
        self.digest.add(batch)
        grown = len(batch.players) - len(self.played)
        self.played = np.concatenate((self.played, np.zeros(grown, np.int64))) + batch.counts
        if batch.time is not None:
            self._note_times(batch, grown)

    def ratings(self, system: RatingSystem[Any], state: Any) -> Ratings:
        """The list of players in this state."""
        if self.players is None or not self.n_matches:
            raise MatchDataError("there are no matches")
        uncertainty = getattr(system, "uncertainty", None)
        return Ratings(
            players=self.players,
            rating=system.ratings(state),
            matches=self.played,
            last=self.last,
            sd=None if uncertainty is None else uncertainty(state),
            n_matches=self.n_matches,
            draw_rate=self.n_draws / self.n_matches,
            provenance=Provenance(system.name, system.parameters, self.digest.hexdigest()),
        )

    def _note_times(self, batch: Matches, grown: int) -> None:
        assert batch.time is not None
        never = np.datetime64("NaT") if batch.time.dtype.kind == "M" else np.array(-1 << 62)
        known = np.empty(0, batch.time.dtype) if self.last is None else self.last
        last = np.concatenate((known, np.full(grown, never, batch.time.dtype)))
        # as integers NaT is the smallest, so a maximum works
        values, latest = (a.view(np.int64) if a.dtype.kind == "M" else a for a in (batch.time, last))
        table = batch.table
        if isinstance(table, Pairs):
            np.maximum.at(latest, table.first, values)
            np.maximum.at(latest, table.second, values)
        else:
            np.maximum.at(latest, table.player, np.repeat(values, table.sizes))
        self.last = last
