"""Matches that GNU Backgammon plays with itself, between players with known lookahead and noise."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Codes, Counts
from ludometer.backgammon.gnubg import PLAY, PROGRAM, TIMEOUT, open_gnubg
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.parallel import Workers, map_tasks
from ludometer.players import Players
from ludometer.result import Provenance, Shown
from ludometer.wording import PERCENT_LABELS, percent

if TYPE_CHECKING:
    import polars as pl

_BATCH = 20
"""Matches per process; results do not depend on it, since every match has its own seed."""

_SAFE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,29}")


@dataclass(frozen=True)
class GradedPlayer:
    """GNU Backgammon with `plies` of lookahead and normal noise of this SD on every probability that it estimates.

    The noise is a function of the position: the same position is misjudged the same way every time.
    """

    name: str
    plies: int = 0
    noise: float = 0.0

    def __post_init__(self) -> None:
        if not _SAFE_NAME.fullmatch(self.name):
            raise LudometerError(
                f"{self.name!r} is not a valid name: use a letter, then up to 29 letters, digits, _ . or -"
            )
        if not 0 <= self.plies <= 2:
            raise LudometerError(f"{self.name}: plies must be 0 to 2, not {self.plies}")
        if not (math.isfinite(self.noise) and 0 <= self.noise <= 1):
            raise LudometerError(f"{self.name}: noise must be 0 to 1, not {self.noise:g}")


LADDER = tuple(
    GradedPlayer(f"noise-{noise:.3f}", noise=noise) for noise in (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12)
)
"""Eight players, each weaker than the one before."""


@dataclass(frozen=True, eq=False)
class PlayedMatches(Shown):
    """Results of matches in order of play; `files` holds their records by name, if asked for."""

    players: tuple[GradedPlayer, ...]
    length: int
    first: Codes
    second: Codes
    points: Counts
    """Of both players, `[match][seat]`."""
    n_games: Counts
    files: dict[str, bytes]
    version: str
    provenance: Provenance

    @property
    def matches(self) -> Matches:
        """The results as a match record, for all other methods."""
        names = Players.named([player.name for player in self.players])
        won = np.where(self.points[:, 0] > self.points[:, 1], 1.0, 0.0)
        return Matches.of_pairs(self.first, self.second, won, players=names, ordered=True)

    def to_frame(self) -> pl.DataFrame:
        """One row per player: settings, matches, and the share won."""
        import polars as pl

        n = len(self.players)
        first_won = self.points[:, 0] > self.points[:, 1]
        matches = np.bincount(self.first, minlength=n) + np.bincount(self.second, minlength=n)
        won = np.bincount(self.first, first_won, minlength=n) + np.bincount(self.second, ~first_won, minlength=n)
        return pl.DataFrame(
            {
                "player": [player.name for player in self.players],
                "plies": [player.plies for player in self.players],
                "noise": [player.noise for player in self.players],
                "matches": matches,
                "won": won.astype(np.int64),
                "share": [float(w / m) if m else None for w, m in zip(won, matches, strict=True)],
            },
            schema_overrides={"share": pl.Float64},
        )

    def summary(self) -> str:
        """At most 18 players."""
        goal = "1 point" if self.length == 1 else f"{self.length} points"
        kind = f"to {goal}" if self.length else "for money, one game each"
        lines = [
            f"{len(self.first):,} matches {kind} ({int(self.n_games.sum()):,} games), GNU Backgammon {self.version}"
        ]
        for row in self.to_frame().to_dicts()[:18]:
            share = "-" if row["share"] is None else percent(row["share"])
            lines.append(
                f"{row['player']:<30} {row['plies']}-ply  noise {row['noise']:<6g} won {share} of {row['matches']:,}"
            )
        return "\n".join(lines)

    def document(self) -> dict[str, Any]:
        """Settings and results of the players."""
        rows = self.to_frame().to_dicts()
        absent = {f"players.{k}.share": "no match was played" for k, row in enumerate(rows) if row["share"] is None}
        return {
            "matches": len(self.first),
            "games": int(self.n_games.sum()),
            "length": self.length,
            "engine": {"name": "GNU Backgammon", "version": self.version},
            "players": rows,
            "absent": absent | {"provenance.data": "nothing was read"},
        }

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The share of matches that each player won."""
        import altair as alt

        rows = self.to_frame().to_dicts()
        chart = alt.Chart(alt.InlineData(values=rows), width=260 if narrow else 480).mark_point(filled=True, size=60)
        x = alt.X("share:Q", title="Matches won", axis=alt.Axis(labelExpr=PERCENT_LABELS))
        y = alt.Y("player:N", sort=[row["player"] for row in rows], title=None)
        return {"shares": chart.encode(x=x, y=y)}


def play_matches(
    players: Sequence[GradedPlayer] = LADDER,
    *,
    n_matches: int,
    length: int = 1,
    seed: int = 0,
    records: str | None = None,
    gnubg: str = PROGRAM,
    timeout: float = TIMEOUT,
    workers: Workers | None = None,
    on_done: Callable[[int], None] | None = None,
) -> PlayedMatches:
    """Let GNU Backgammon play matches between players with known settings, in rounds of all pairs.

    `length` 0 is one game for money. `records` "mat" or "sgf" keeps the records of the matches. The same seed gives the
    same bytes, for any number of workers. Use more workers than cores: the program waits between turns.
    """
    listed = tuple(players)
    _check(listed, n_matches, length, records)
    program = open_gnubg(gnubg, timeout=timeout)
    first, second = draw_schedule(len(listed), n_matches, seed=seed)
    seeds = np.random.SeedSequence(seed, spawn_key=(1,)).generate_state(n_matches).tolist()
    settings = [vars(player) for player in listed]
    digits = len(str(n_matches))
    tasks = [
        {
            "players": [settings[a], settings[b]],
            "length": length,
            "seed": number_seed,
            "file": f"match-{number:0{digits}d}.{records}" if records else None,
        }
        for number, (a, b, number_seed) in enumerate(zip(first.tolist(), second.tolist(), seeds, strict=True), 1)
    ]
    batches = [tasks[start : start + _BATCH] for start in range(0, n_matches, _BATCH)]

    def play(batch: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, bytes]]:
        found, files = program.run(PLAY, {"matches": batch})
        return found["matches"], files

    def count(n_batches: int) -> None:
        if on_done:
            on_done(min(n_batches * _BATCH, n_matches))

    try:
        outcomes = map_tasks(play, batches, workers=workers, on_done=count)
    finally:
        program.close()
    played = [match for matches, _ in outcomes for match in matches]
    files = {name: data for _, written in outcomes for name, data in written.items()}
    parameters = {"players": settings, "length": length, "n_matches": n_matches, "gnubg": program.version}
    return PlayedMatches(
        listed,
        length,
        first,
        second,
        np.array([match["points"] for match in played], np.int64),
        np.array([match["games"] for match in played], np.int64),
        files,
        program.version,
        Provenance("backgammon played by GNU Backgammon", parameters, None, seed),
    )


def draw_schedule(n_players: int, n_matches: int, *, seed: int = 0) -> tuple[Codes, Codes]:
    """Rounds in which each pair meets once, with the order and the seats drawn for each round.

    >>> first, second = draw_schedule(3, 6, seed=1)
    >>> sorted(zip(np.minimum(first, second).tolist(), np.maximum(first, second).tolist()))
    [(0, 1), (0, 1), (0, 2), (0, 2), (1, 2), (1, 2)]
    """
    pairs = np.array(list(combinations(range(n_players), 2)), np.int32)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    rounds = []
    for _ in range(-(-n_matches // len(pairs))):
        drawn = rng.permutation(pairs)
        swapped = rng.random(len(pairs)) < 0.5
        rounds.append(np.where(swapped[:, None], drawn[:, ::-1], drawn))
    table = np.concatenate(rounds)[:n_matches]
    return table[:, 0].copy(), table[:, 1].copy()


def _check(players: tuple[GradedPlayer, ...], n_matches: int, length: int, records: str | None) -> None:
    names = [player.name.casefold() for player in players]
    if len(players) < 2:
        raise LudometerError("name at least two players")
    if len(set(names)) < len(names):
        raise LudometerError("two players have the same name")
    if n_matches < 1:
        raise LudometerError(f"play at least 1 match, not {n_matches}")
    if not 0 <= length <= 64:
        raise LudometerError(f"a match is to 1 to 64 points, or 0 for one game for money, not {length}")
    if records not in (None, "mat", "sgf"):
        raise LudometerError(f"records are mat or sgf, not {records!r}")
