"""Players of backgammon by what their decisions gave away, compared by the method of gains, beside their luck."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.backgammon.balance import Balance, balance_match
from ludometer.backgammon.matches import CHEQUER, AnalysedMatch, Evaluator
from ludometer.errors import LudometerError
from ludometer.chess.record.evaluations import Conventions
from ludometer.moves.gains import Filters, Gains
from ludometer.moves.pairs import PairTable, compare_pairs
from ludometer.moves.gains import ENGINE
from ludometer.chess.strength.strengths import AgainstEngine, hold_against
from ludometer.moves.uncertainty import MIN_GAMES, REPLICATES, TOO_FEW, draw_weights, find_intervals
from ludometer.players import Players
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

Decisions = Literal["all", "chequer", "cube"]
"""Which decisions count: all, the moves of chequers, or those about the cube."""

MILLI = 1000
"""Gains are whole thousandths of a point, the unit of error rates."""


@dataclass(frozen=True, eq=False)
class SkillAndLuck:
    """Of each player: what a decision gave away on average, how that compares with others, and the luck of the dice.

    `loss` is the mean over decisions, in points of equity; `low` and `high` are NaN with too few games. `luck` is the
    sum over rolls in equity, `luck_match` and `luck_points` the same in matches and in points for money.
    """

    names: tuple[str, ...]
    decisions: Counts
    games: Counts
    loss: Floats
    low: Floats
    high: Floats
    pairs: PairTable
    against_perfect: AgainstEngine
    rolls: Counts
    luck: Floats
    luck_match: Floats
    luck_points: Floats
    balances: tuple[Balance, ...]
    gains: Gains
    choice: Decisions
    evaluator: Evaluator
    version: str
    level: float
    min_games: int
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """A row a player, smallest loss first."""
        import polars as pl

        perfect = self.against_perfect
        columns = {
            "player": self.names,
            "games": self.games,
            "decisions": self.decisions,
            "loss": self.loss,
            "low": self.low,
            "high": self.high,
            "perfect_score": perfect.score,
            "perfect_difference": perfect.difference,
            "perfect_low": perfect.low,
            "perfect_high": perfect.high,
            "rolls": self.rolls,
            "luck": self.luck,
            "luck_a_roll": self.luck / self.rolls,
            "luck_match": self.luck_match,
            "luck_points": self.luck_points,
        }
        finite = pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64))
        return pl.DataFrame(columns).with_columns(finite).sort("loss", "player")

    def pairs_frame(self) -> pl.DataFrame:
        """A row a pair that met: expected score and difference of the first against the second."""
        return self.pairs.to_frame()

    def matches_frame(self) -> pl.DataFrame:
        """A row a match, from the first player's view."""
        import polars as pl

        return pl.DataFrame(
            {
                "match": [balance.match for balance in self.balances],
                "player_1": [balance.players[0] for balance in self.balances],
                "player_2": [balance.players[1] for balance in self.balances],
                "length": [balance.length for balance in self.balances],
                "points_1": [balance.score[0] for balance in self.balances],
                "points_2": [balance.score[1] for balance in self.balances],
                "unit": [balance.unit for balance in self.balances],
                "result": [balance.result for balance in self.balances],
                "skill": [balance.net_skill for balance in self.balances],
                "luck": [balance.net_luck for balance in self.balances],
                "rest": [balance.rest for balance in self.balances],
                "luck_adjusted": [balance.luck_adjusted for balance in self.balances],
                "decided": [balance.decided for balance in self.balances],
            },
            schema_overrides=dict.fromkeys(("result", "rest", "luck_adjusted"), pl.Float64),
        )

    def summary(self) -> str:
        """At most 9 players and 8 matches."""
        rows = self.to_frame().to_dicts()
        lines = [f"{int(self.decisions.sum()):,} decisions by {self.evaluator.describe(self.version)}"]
        for row in rows[:9]:
            span = TOO_FEW if row["low"] is None else f"[{MILLI * row['low']:.1f}, {MILLI * row['high']:.1f}]"
            lines.append(
                f"{row['player']:<20} error {MILLI * row['loss']:6.1f} {span:<14} luck {row['luck']:+7.2f} "
                f"in {row['rolls']:,} rolls"
            )
        lines += [f"and {len(rows) - 9} players more"] if len(rows) > 9 else []
        lines += [f"{balance.match}: {balance.sentence()}" for balance in self.balances[:8]]
        return "\n".join(lines + ([f"and {len(self.balances) - 8} matches more"] if len(self.balances) > 8 else []))

    def plot(self) -> altair.LayerChart:
        """Error rates with their intervals."""
        import altair as alt

        rows = [
            row | {name: None if row[name] is None else MILLI * row[name] for name in ("loss", "low", "high")}
            for row in self.to_frame().to_dicts()
        ]
        y = alt.Y("player:N", sort=[row["player"] for row in rows], title=None)
        base = alt.Chart(alt.InlineData(values=rows), width=480)
        drawn: alt.LayerChart = base.mark_rule(color="#24405f").encode(
            x=alt.X("low:Q", title="Error rate (thousandths of a point a decision)"), x2="high:Q", y=y
        ) + base.mark_point(filled=True, size=60, color="#24405f", opacity=1).encode(x="loss:Q", y=y)
        return drawn


def measure_backgammon(
    matches: Sequence[AnalysedMatch],
    *,
    decisions: Decisions = "all",
    level: float = 0.95,
    replicates: int = REPLICATES,
    min_games: int = MIN_GAMES,
    seed: int = 0,
) -> SkillAndLuck:
    """Compare players by what their decisions gave away: the gain of a decision is minus its loss, so 0 at best.

    Expected scores, differences and intervals are those of `measure_strengths` (Ferreira 2012, Algorithm 1); a game of
    backgammon is what is drawn for the intervals. The perfect player's gains are always 0. Error rate: `sum of losses
    / number of decisions`, as GNU Backgammon counts it.
    """
    if not matches:
        raise LudometerError("there are no matches")
    _check_alike(matches)
    gains, loss = collect_gains(matches, decisions)
    if not len(gains):
        raise LudometerError(f"no decision counts ({decisions}): there was never a choice")
    weight = draw_weights(gains.n_games, replicates=replicates, seed=seed)
    n, games = gains.counts()
    low, high = _loss_intervals(gains, loss, weight, level=level, min_games=min_games)
    against = hold_against(gains, gains.player, len(n), ENGINE, weight, games=games, level=level, min_games=min_games)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(gains.player, loss, minlength=len(n)) / n
    rolls, luck = _sum_luck(matches, gains.players)
    first = matches[0]
    parameters = {
        "decisions": decisions,
        **vars(first.evaluator),
        "gnubg": first.version,
        "level": level,
        "replicates": replicates,
        "min_games": min_games,
    }
    return SkillAndLuck(
        tuple(gains.players.names),
        n,
        games,
        mean,
        low,
        high,
        compare_pairs(gains, weight, level=level, min_games=min_games),
        against,
        rolls,
        *luck,
        tuple(balance_match(match) for match in matches),
        gains,
        decisions,
        first.evaluator,
        first.version,
        level,
        min_games,
        Provenance("skill and luck in backgammon", parameters, fingerprint(matches), seed),
    )


def collect_gains(matches: Sequence[AnalysedMatch], decisions: Decisions = "all") -> tuple[Gains, Floats]:
    """The gains of the decisions that count, in whole thousandths, and the losses as they are."""
    names = list(dict.fromkeys(name for match in matches for name in match.names))
    code = {name: number for number, name in enumerate(names)}
    parts, n_games, n_left_out = [], 0, 0
    for number, match in enumerate(matches):
        kept = _counting(match, decisions)
        seats = np.array([code[name] for name in match.names], np.int32)
        player = match.loss_player[kept]
        game = match.loss_game[kept] + n_games
        event = np.full(len(game), number)
        parts.append((match.loss[kept], seats[player], seats[1 - player], game, event, match.loss_turn[kept]))
        n_games += match.n_games
        n_left_out += int((~kept).sum())
    loss, *codes = (np.concatenate(column) for column in zip(*parts, strict=True))
    columns: dict[str, Codes] = {
        name: np.asarray(column, np.int32)
        for name, column in zip(("player", "opponent", "game", "event", "ply"), codes, strict=True)
    }
    first = matches[0]
    gains = Gains(
        value=np.asarray(-np.rint(MILLI * loss), np.int32),
        **columns,
        players=Players.named(names),
        events=tuple(match.name for match in matches),
        n_games=n_games,
        n_left_out=n_left_out,
        filters=Filters(),
        conventions=Conventions(f"GNU Backgammon {first.version}", first.evaluator.plies),
        provenance=Provenance("gains", {"decisions": decisions}, fingerprint(matches)),
    )
    return gains, loss


def fingerprint(matches: Sequence[AnalysedMatch]) -> str:
    """Sixteen hexadecimal digits over all that a result can depend on."""
    digest = hashlib.sha256()
    for match in matches:
        digest.update(repr((match.names, match.length, match.version, match.evaluator)).encode())
        for column in (match.scores, match.winners, match.points, match.loss, match.loss_unit, match.loss_game):
            digest.update(np.ascontiguousarray(column).tobytes())
        for column in (match.loss_player, match.kind, match.luck, match.luck_unit, match.luck_game, match.luck_player):
            digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()[:16]


def _counting(match: AnalysedMatch, decisions: Decisions) -> Mask:
    if decisions == "all":
        return np.ones(len(match.kind), bool)
    return np.asarray((match.kind == CHEQUER) == (decisions == "chequer"))


def _loss_intervals(
    gains: Gains, loss: Floats, weight: Floats, *, level: float, min_games: int
) -> tuple[Floats, Floats]:
    """Of the mean loss of each player, by the weights of games."""
    n_players, n_games = len(gains.players), gains.n_games
    seat = gains.player.astype(np.int64) * n_games + gains.game
    total = np.bincount(seat, loss, minlength=n_players * n_games).reshape(n_players, n_games)
    count = np.bincount(seat, minlength=n_players * n_games).reshape(n_players, n_games)
    with np.errstate(invalid="ignore"):
        lanes = (total @ weight) / (count @ weight)
    _, games = gains.counts()
    low, high = find_intervals(lanes[:, 0], lanes[:, 1:], games, level=level, min_games=min_games)
    return np.maximum(low, 0.0), high


def _sum_luck(matches: Sequence[AnalysedMatch], players: Players) -> tuple[Counts, tuple[Floats, Floats, Floats]]:
    """Rolls of each player, and the luck in equity, in matches and in points; NaN where there were no such games."""
    code = {name: number for number, name in enumerate(players.names)}
    rolls = np.zeros(len(code), np.int64)
    equity, whole, points = np.zeros(len(code)), np.full(len(code), np.nan), np.full(len(code), np.nan)
    for match in matches:
        seats: Codes = np.array([code[name] for name in match.names], np.int32)
        player = seats[match.luck_player]
        np.add.at(rolls, player, 1)
        np.add.at(equity, player, match.luck)
        target = whole if match.length else points
        target[seats] = np.nan_to_num(target[seats])
        np.add.at(target, player, match.luck * match.luck_unit)
    return rolls, (equity, whole, points)


def _check_alike(matches: Sequence[AnalysedMatch]) -> None:
    ways = {(match.version, match.evaluator) for match in matches}
    if len(ways) > 1:
        listed = "; ".join(sorted(evaluator.describe(version) for version, evaluator in ways))
        raise LudometerError(f"the matches were analysed in different ways, so their losses do not compare: {listed}")
