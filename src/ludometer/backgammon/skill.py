"""Backgammon players compared by what their decisions gave away, by the method of gains, and their luck."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.backgammon.analysis import CHEQUER, AnalysedMatch, Evaluator
from ludometer.backgammon.balance import SIGNED_NUMBER, Balance, balance_match, end_labels, signed_axis, zero_rule
from ludometer.errors import LudometerError
from ludometer.moves.gains import ENGINE, Gains, Tally, finite_frame
from ludometer.moves.pairs import AgainstReference, PairTable, compare_pairs, compare_with_reference
from ludometer.moves.uncertainty import NO_ESTIMATE, TOO_FEW, USUAL, Intervals, interval
from ludometer.players import Players
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

DecisionChoice = Literal["all", "chequer", "cube"]
"""Which decisions count: all, moves of chequers, or those about the cube."""

MILLI = 1000
"""Gains are whole thousandths of a point, the unit of error rates."""

_DRAWN = 12
_CLASSES = ((0, "none"), (10, "to 10"), (30, "to 30"), (60, "to 60"), (120, "to 120"), (None, "more"))
"""Upper ends in thousandths; GNU Backgammon calls a decision doubtful, bad and very bad from 30, 60 and 120 on."""


@dataclass(frozen=True, eq=False)
class Skill:
    """Of each player: mean loss per decision in points of equity with its interval, and comparisons by gains.

    `low` and `high` are NaN with too few games.
    """

    loss: Floats
    low: Floats
    high: Floats
    pairs: PairTable
    against_perfect: AgainstReference


@dataclass(frozen=True, eq=False)
class Luck:
    """Of each player: rolls, and luck summed over them in equity, in matches, and in points for money."""

    rolls: Counts
    equity: Floats
    matches: Floats
    points: Floats


@dataclass(frozen=True, eq=False)
class SkillAndLuck(Shown):
    """Players of analysed matches: how much their decisions gave away, how they compare, and what the dice brought."""

    tally: Tally
    skill: Skill
    luck: Luck
    balances: tuple[Balance, ...]
    gains: Gains
    choice: DecisionChoice
    evaluator: Evaluator
    version: str
    intervals: Intervals
    provenance: Provenance

    @property
    def has_matches(self) -> bool:
        """Whether any match was not for money."""
        return any(balance.unit == "match" for balance in self.balances)

    def to_frame(self) -> pl.DataFrame:
        """One row per player, smallest loss first."""
        perfect = self.skill.against_perfect
        columns = {
            "player": self.tally.names,
            "games": self.tally.games,
            "decisions": self.tally.moves,
            "loss": self.skill.loss,
            "low": self.skill.low,
            "high": self.skill.high,
            "perfect_score": perfect.score,
            "perfect_difference": perfect.difference,
            "perfect_low": perfect.low,
            "perfect_high": perfect.high,
            "rolls": self.luck.rolls,
            "luck": self.luck.equity,
            "luck_a_roll": self.luck.equity / self.luck.rolls,
            "luck_match": self.luck.matches,
            "luck_points": self.luck.points,
        }
        return finite_frame(columns).sort("loss", "player")

    def pairs_frame(self) -> pl.DataFrame:
        """One row per pair that met: expected score and difference of the first against the second."""
        return self.skill.pairs.to_frame()

    def matches_frame(self) -> pl.DataFrame:
        """One row per match, from the first player's view."""
        import polars as pl

        rows = [
            {
                "match": balance.match,
                "player_1": balance.players[0],
                "player_2": balance.players[1],
                "length": balance.length,
                "points_1": balance.sides[0].points,
                "points_2": balance.sides[1].points,
                "unit": balance.unit,
                "result": balance.result,
                "skill": balance.net_skill,
                "luck": balance.net_luck,
                "rest": balance.rest,
                "luck_adjusted": balance.luck_adjusted,
                "decided": balance.decided,
            }
            for balance in self.balances
        ]
        return pl.DataFrame(rows, schema_overrides=dict.fromkeys(("result", "rest", "luck_adjusted"), pl.Float64))

    def summary(self) -> str:
        """At most 9 players and 8 matches."""
        rows = self.to_frame().to_dicts()
        lines = [f"{int(self.tally.moves.sum()):,} decisions by {self.evaluator.describe(self.version)}"]
        for row in rows[:9]:
            span = TOO_FEW if row["low"] is None else f"[{MILLI * row['low']:.1f}, {MILLI * row['high']:.1f}]"
            lines.append(
                f"{row['player']:<20} error {MILLI * row['loss']:6.1f} {span:<14} luck {row['luck']:+7.2f} "
                f"in {row['rolls']:,} rolls"
            )
        lines += [f"and {len(rows) - 9} more players"] if len(rows) > 9 else []
        lines += [f"{balance.match}: {balance.sentence()}" for balance in self.balances[:8]]
        return "\n".join(lines + ([f"and {len(self.balances) - 8} more matches"] if len(self.balances) > 8 else []))

    def document(self) -> dict[str, Any]:
        """Players, pairs and matches; what is null has its reason in `absent`."""
        absent: dict[str, str] = {}
        players = [_player(row, f"players.{k}", absent) for k, row in enumerate(self.to_frame().to_dicts())]
        pairs = [_pair(row, f"pairs.{k}", absent) for k, row in enumerate(self.pairs_frame().to_dicts())]
        matches = [balance.document() for balance in self.balances]
        for k, match in enumerate(matches):
            absent |= {f"matches.{k}.{name}": why for name, why in match.pop("absent").items()}
        return {
            "data": {
                "matches": len(self.balances),
                "games": self.gains.n_games,
                "players": len(self.tally.names),
                "decisions": len(self.gains),
                "left_out_decisions": self.gains.n_left_out,
                "rolls": int(self.luck.rolls.sum()),
            },
            "engine": {"name": "GNU Backgammon", "version": self.version, **vars(self.evaluator)},
            "decisions": self.choice,
            "level": self.intervals.level,
            "players": players,
            "pairs": pairs,
            "matches": matches,
            "absent": absent,
        }

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Error rates, losses by class, luck and, for more than two decided matches, skill against luck."""
        drawn = {
            "errors": self._draw_errors(narrow=narrow),
            "losses": self._draw_losses(narrow=narrow),
            "luck": self._draw_luck(narrow=narrow),
        }
        decided = [balance for balance in self.balances if balance.unit == "match" and balance.winner is not None]
        return drawn | ({"matches": _draw_matches(decided, narrow=narrow)} if len(decided) > 2 else {})

    def _draw_errors(self, *, narrow: bool) -> Any:
        """Error rates with their intervals, best first."""
        import altair as alt

        from ludometer.chart_style import INK

        rows = []
        for row in self.to_frame().to_dicts()[:30]:
            if row["loss"] is not None:
                ends = {name: MILLI * (row["loss"] if row[name] is None else row[name]) for name in ("low", "high")}
                loss = MILLI * row["loss"]
                rows.append({"player": row["player"], "loss": loss, "label": f"{loss:.1f}"} | ends)
        base = alt.Chart(alt.InlineData(values=rows))
        axis = alt.Axis(labelLimit=100 if narrow else 200, ticks=False, labelPadding=10)
        y = alt.Y("player:N", sort=[row["player"] for row in rows], title=None, axis=axis)
        widest = max((row["high"] for row in rows), default=1.0) * (1.3 if narrow else 1.12) or 1.0
        title = "Error rate (thousandths)" if narrow else "Error rate (thousandths of a point per decision)"
        x = alt.X("low:Q", title=title, scale=alt.Scale(domain=[0, widest], nice=False), axis=alt.Axis(tickCount=5))
        bars = base.mark_rule(color=INK, strokeWidth=2).encode(x=x, x2="high:Q", y=y)
        dots = base.mark_point(filled=True, size=70, color=INK, opacity=1).encode(x="loss:Q", y=y)
        words = base.mark_text(align="left", dx=8, fontSize=12, color=INK).encode(x="high:Q", y=y, text="label:N")
        return (bars + dots + words).properties(width=200 if narrow else 460, height=30 * max(len(rows), 1))

    def _draw_losses(self, *, narrow: bool) -> Any:
        """How much decisions gave away, in classes, for the players with most decisions."""
        import altair as alt

        from ludometer.chart_style import INK
        from ludometer.wording import percent

        order = np.argsort(-self.tally.moves, kind="stable")[:_DRAWN]
        names = [self.tally.names[code] for code in order if self.tally.moves[code]]
        rows: list[dict[str, Any]] = []
        for name in names:
            mine = -self.gains.of(name)
            above = -1
            for upper, word in _CLASSES:
                share = float(np.mean((mine > above) & (mine <= (np.inf if upper is None else upper))))
                label = percent(share, 0) if share >= 0.005 else ("< 1%" if share else "")
                rows.append({"player": name, "class": word, "share": share, "label": label})
                above = above if upper is None else upper
        base = alt.Chart(width=270 if narrow else 250, height=100 if narrow else 110)
        axis = alt.Axis(labelAngle=0, labelFontSize=10)
        x = alt.X("class:N", sort=[word for _, word in _CLASSES], title=None, axis=axis)
        # room above the bars for their labels, so that the names of the players stay in line
        top = 1.15 * max(row["share"] for row in rows)
        y = alt.Y("share:Q", title=None, axis=None, scale=alt.Scale(domain=[0, top], nice=False))
        bars = base.mark_bar(color=INK, opacity=0.85).encode(x=x, y=y)
        words = base.mark_text(baseline="bottom", dy=-2, fontSize=11, color=INK).encode(x=x, y=y, text="label:N")
        header = alt.Header(labelFontSize=13, labelFontWeight="bold")
        return alt.layer(bars, words, data=alt.InlineData(values=rows)).facet(
            alt.Facet("player:N", title=None, sort=names, header=header), columns=1 if narrow else 2, spacing=14
        )

    def _draw_luck(self, *, narrow: bool) -> Any:
        """The luck of each player, summed over all rolls."""
        import altair as alt

        from ludometer.chart_style import ACCENT

        rows: list[dict[str, Any]] = [
            {"player": row["player"], "luck": row["luck"], "label": f"{row['luck']:+.2f}"}
            for row in self.to_frame().sort("luck", "player", descending=[True, False]).to_dicts()
        ]
        rows = rows if len(rows) <= _DRAWN else rows[: _DRAWN // 2] + rows[-_DRAWN // 2 :]
        widest = max(abs(row["luck"]) for row in rows) * (1.5 if narrow else 1.25) or 1.0
        base = alt.Chart(alt.InlineData(values=rows))
        axis = alt.Axis(ticks=False, domain=False, labelLimit=100 if narrow else 200)
        y = alt.Y("player:N", sort=[row["player"] for row in rows], title=None, axis=axis)
        x = signed_axis("luck", "Luck (points of equity)", widest, narrow=narrow)
        layers = [base.mark_bar(height=16, color=ACCENT).encode(x=x, y=y), zero_rule("x")]
        layers += [words.encode(x=x, y=y, color=alt.value(ACCENT)) for words in end_labels(base, "luck")]
        return alt.layer(*layers).properties(width=200 if narrow else 480, height=28 * len(rows))


def _draw_matches(balances: Sequence[Balance], *, narrow: bool) -> Any:
    """Skill against luck, one point per match, from the winner's view."""
    import altair as alt

    from ludometer.chart_style import GREY, INK

    rows: list[dict[str, Any]] = [
        {"skill": sign * balance.net_skill * 100, "luck": sign * balance.net_luck * 100, "match": balance.match}
        for balance in balances
        for sign in (1 if balance.winner == 0 else -1,)
    ]
    widest = max(max(abs(row["skill"]), abs(row["luck"])) for row in rows) * 1.15 or 1.0
    scale = alt.Scale(domain=[-widest, widest], nice=False)
    axis = alt.Axis(tickCount=5, format=SIGNED_NUMBER, grid=False)
    x = alt.X("skill:Q", title="Skill of the winner (percent of a match)", scale=scale, axis=axis)
    y = alt.Y("luck:Q", title="Luck of the winner", scale=scale, axis=axis)
    corners = [
        alt.Chart(alt.InlineData(values=[{"skill": at * widest, "luck": up * widest, "word": word}]))
        .mark_text(align="right" if at > 0 else "left", dx=-5 * at, dy=10 * up, color=GREY, fontSize=12)
        .encode(x=x, y=y, text="word:N")
        for at, up, word in ((1, 1, "both"), (1, -1, "skill"), (-1, 1, "luck"), (-1, -1, "neither"))
    ]
    points = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, size=60, color=INK, opacity=0.6)
        .encode(x=x, y=y, tooltip="match:N")
    )
    size = 240 if narrow else 340
    rules = (zero_rule("x", dashed=True), zero_rule("y", dashed=True))
    return alt.layer(*rules, *corners, points).properties(width=size, height=size)


def measure_backgammon(
    matches: Sequence[AnalysedMatch], *, decisions: DecisionChoice = "all", intervals: Intervals = USUAL
) -> SkillAndLuck:
    """Compare players by what their decisions gave away: the gain of a decision is minus its loss, so 0 at best.

    Expected scores, differences and intervals are those of Ferreira (2012, Algorithm 1), as for chess; the bootstrap
    draws games of backgammon. The perfect player's gains are always 0. Error rate: `sum of losses / number of
    decisions`, as GNU Backgammon counts it.
    """
    if not matches:
        raise LudometerError("there are no matches")
    _check_alike(matches)
    gains, loss = collect_gains(matches, decisions)
    if not len(gains):
        raise LudometerError(f"no decision counts ({decisions}): there was never a choice")
    weight = intervals.draw_weights(gains.n_games)
    n, games = gains.counts()
    with np.errstate(invalid="ignore"):
        mean = np.bincount(gains.player, loss, minlength=len(n)) / n
    low, high = _loss_intervals(gains, loss, weight, intervals)
    pairs = compare_pairs(gains, weight, intervals=intervals)
    perfect = compare_with_reference(gains, gains.player, ENGINE, weight, games=games, intervals=intervals)
    first = matches[0]
    parameters = {"decisions": decisions, **vars(first.evaluator), "gnubg": first.version, **intervals.parameters}
    return SkillAndLuck(
        Tally(tuple(gains.players.names), n, games),
        Skill(mean, low, high, pairs, perfect),
        _sum_luck(matches, gains.players),
        tuple(balance_match(match) for match in matches),
        gains,
        decisions,
        first.evaluator,
        first.version,
        intervals,
        Provenance("skill and luck in backgammon", parameters, fingerprint(matches), intervals.seed),
    )


def collect_gains(matches: Sequence[AnalysedMatch], decisions: DecisionChoice = "all") -> tuple[Gains, Floats]:
    """The gains of the decisions that count, in whole thousandths, and the unrounded losses."""
    names = list(dict.fromkeys(name for match in matches for name in match.names))
    code = {name: number for number, name in enumerate(names)}
    parts, n_games, n_left_out = [], 0, 0
    for number, match in enumerate(matches):
        kept, made = _counting(match, decisions), match.decisions
        seats = np.array([code[name] for name in match.names], np.int32)
        player, game = made.player[kept], made.game[kept] + n_games
        event = np.full(len(game), number)
        parts.append((made.loss[kept], seats[player], seats[1 - player], game, event, made.turn[kept]))
        n_games += match.n_games
        n_left_out += int((~kept).sum())
    loss, *codes = (np.concatenate(column) for column in zip(*parts, strict=True))
    columns: dict[str, Codes] = {
        name: np.asarray(column, np.int32)
        for name, column in zip(("player", "opponent", "game", "event", "ply"), codes, strict=True)
    }
    gains = Gains(
        value=np.asarray(-np.rint(MILLI * loss), np.int32),
        **columns,
        players=Players.named(names),
        events=tuple(match.name for match in matches),
        n_games=n_games,
        n_left_out=n_left_out,
        provenance=Provenance("gains", {"decisions": decisions}, fingerprint(matches)),
    )
    return gains, loss


def fingerprint(matches: Sequence[AnalysedMatch]) -> str:
    """Sixteen hexadecimal digits over everything that a result can depend on."""
    digest = hashlib.sha256()
    for match in matches:
        made, rolls = match.decisions, match.rolls
        digest.update(repr((match.names, match.length, match.version, match.evaluator)).encode())
        columns = (match.scores, match.winners, match.points, made.loss, made.unit, made.game, made.player, made.kind)
        for column in (*columns, rolls.luck, rolls.unit, rolls.game, rolls.player):
            digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()[:16]


def _counting(match: AnalysedMatch, decisions: DecisionChoice) -> Mask:
    kind = match.decisions.kind
    if decisions == "all":
        return np.ones(len(kind), bool)
    return np.asarray((kind == CHEQUER) == (decisions == "chequer"))


def _loss_intervals(gains: Gains, loss: Floats, weight: Floats, intervals: Intervals) -> tuple[Floats, Floats]:
    """Of the mean loss of each player, by the weights of games."""
    n_players, n_games = len(gains.players), gains.n_games
    seat = gains.player.astype(np.int64) * n_games + gains.game
    total = np.bincount(seat, loss, minlength=n_players * n_games).reshape(n_players, n_games)
    count = np.bincount(seat, minlength=n_players * n_games).reshape(n_players, n_games)
    with np.errstate(invalid="ignore"):
        lanes = (total @ weight) / (count @ weight)
    _, games = gains.counts()
    low, high = intervals.around(lanes[:, 0], lanes[:, 1:], games)
    return np.maximum(low, 0.0), high


def _sum_luck(matches: Sequence[AnalysedMatch], players: Players) -> Luck:
    """The luck of each player; in matches or in points it is NaN for players who had none of that kind."""
    code = {name: number for number, name in enumerate(players.names)}
    rolls = np.zeros(len(code), np.int64)
    equity, whole, points = np.zeros(len(code)), np.full(len(code), np.nan), np.full(len(code), np.nan)
    for match in matches:
        seats: Codes = np.array([code[name] for name in match.names], np.int32)
        player = seats[match.rolls.player]
        np.add.at(rolls, player, 1)
        np.add.at(equity, player, match.rolls.luck)
        target = whole if match.length else points
        target[seats] = np.nan_to_num(target[seats])
        np.add.at(target, player, match.rolls.luck * match.rolls.unit)
    return Luck(rolls, equity, whole, points)


def _check_alike(matches: Sequence[AnalysedMatch]) -> None:
    ways = {(match.version, match.evaluator) for match in matches}
    if len(ways) > 1:
        listed = "; ".join(sorted(evaluator.describe(version) for version, evaluator in ways))
        raise LudometerError(f"the matches were analysed in different ways, so losses are not comparable: {listed}")


def _player(row: dict[str, Any], at: str, absent: dict[str, str]) -> dict[str, Any]:
    none_counts = "no decision of this player counts"
    reasons = {
        "error_rate": (row["loss"], none_counts),
        "error_interval": (row["low"], TOO_FEW),
        "against_perfect.expected_score": (row["perfect_score"], none_counts),
        "against_perfect.difference": (row["perfect_difference"], f"{NO_ESTIMATE}: no decision, or none was perfect"),
        "against_perfect.interval": (row["perfect_low"], f"{TOO_FEW}, or {NO_ESTIMATE}"),
        "luck.a_roll": (row["luck_a_roll"], "this player never rolled"),
        "luck.matches": (row["luck_match"], "this player played for money only"),
        "luck.points": (row["luck_points"], "this player did not play for money"),
    }
    absent |= {f"{at}.{name}": why for name, (value, why) in reasons.items() if value is None}
    return {
        "player": row["player"],
        "games": row["games"],
        "decisions": row["decisions"],
        "error_rate": row["loss"],
        "error_interval": interval(row["low"], row["high"]),
        "against_perfect": {
            "expected_score": row["perfect_score"],
            "difference": row["perfect_difference"],
            "interval": interval(row["perfect_low"], row["perfect_high"]),
        },
        "luck": {
            "rolls": row["rolls"],
            "equity": row["luck"],
            "a_roll": row["luck_a_roll"],
            "matches": row["luck_match"],
            "points": row["luck_points"],
        },
    }


def _pair(row: dict[str, Any], at: str, absent: dict[str, str]) -> dict[str, Any]:
    if row["difference"] is None:
        absent[f"{at}.difference"] = f"{NO_ESTIMATE}: every gain is on one side"
    if row["low"] is None:
        absent[f"{at}.interval"] = TOO_FEW
    names = ("player_1", "player_2", "meetings", "expected_score", "difference")
    return {name: row[name] for name in names} | {"interval": interval(row["low"], row["high"])}
