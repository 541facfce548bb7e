"""A match split into what better play brought, what the dice brought, and what remains."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.backgammon.analysis import AnalysedMatch

Unit = Literal["match", "points"]
"""What a match is counted in: match-winning chance (1 is a whole match), or points for money."""

Decided = Literal["skill", "luck", "both", "neither", "nothing"]

_MAX_TURNS = 1 << 20
SIGNED_NUMBER = "+.3~g"


@dataclass(frozen=True)
class Side:
    """One player of a match; `loss` and `luck` are in the unit of the match."""

    player: str
    points: int
    decisions: int
    rolls: int
    loss: float
    luck: float
    luck_equity: float


@dataclass(frozen=True)
class Balance:
    """A match from the first player's view: `result = skill + luck + rest`.

    Skill is the cost of the second player's errors minus that of the first's, luck is the first's luck minus the
    second's; the rest comes from evaluations at different depths that contradict each other. The result of a match is
    half a match for the winner, since both began with half a chance; for money it is points won. None: it is not over.
    """

    match: str
    length: int
    unit: Unit
    n_games: int
    sides: tuple[Side, Side]
    winner: int | None
    result: float | None

    @property
    def players(self) -> tuple[str, str]:
        """Both players."""
        return self.sides[0].player, self.sides[1].player

    @property
    def net_skill(self) -> float:
        """In favour of the first player."""
        return self.sides[1].loss - self.sides[0].loss

    @property
    def net_luck(self) -> float:
        """In favour of the first player."""
        return self.sides[0].luck - self.sides[1].luck

    @property
    def luck_adjusted(self) -> float | None:
        """The result minus the luck, as GNU Backgammon gives it."""
        return None if self.result is None else self.result - self.net_luck

    @property
    def rest(self) -> float | None:
        """What neither errors nor dice account for."""
        return None if self.luck_adjusted is None else self.luck_adjusted - self.net_skill

    @cached_property
    def decided(self) -> Decided:
        """What helped the winner; "nothing" where nobody won."""
        if self.winner is None:
            return "nothing"
        sign = 1 if self.winner == 0 else -1
        skill, luck = sign * self.net_skill > 0, sign * self.net_luck > 0
        return "both" if skill and luck else "skill" if skill else "luck" if luck else "neither"

    def amount(self, value: float, *, sign: bool = True) -> str:
        """A part of the match in words: percent of it, or points."""
        plus = "+" if sign else ""
        return f"{100 * value:{plus}.1f}%" if self.unit == "match" else f"{value:{plus}.2f}"

    def sentence(self) -> str:
        """Skill and luck in one sentence.

        >>> sides = Side("Ann", 3, 9, 9, 0.0, -0.5, 0.0), Side("Ben", 0, 9, 9, 0.25, 0.25, 0.0)
        >>> Balance("final", 3, "match", 1, sides, 0, 0.5).sentence()
        'Ann played better by 25.0%, Ben was luckier by 75.0% of the match; skill decided: Ann won against the dice'
        """
        better, luckier = int(self.net_skill < 0), int(self.net_luck < 0)
        unit = " of the match" if self.unit == "match" else " points"
        skill, luck = (self.amount(abs(net), sign=False) for net in (self.net_skill, self.net_luck))
        if not self.net_skill:
            first = "Both played equally well"
        else:
            first = f"{self.players[better]} played better by {skill}{'' if self.net_luck else unit}"
        if not self.net_luck:
            second = ", the dice were even"
        elif self.net_skill and better == luckier:
            second = f" and was luckier by {luck}{unit}"
        else:
            second = f", {self.players[luckier]} was luckier by {luck}{unit}"
        return f"{first}{second}; {self._decision()}"

    def _decision(self) -> str:
        if self.winner is None:
            return "nobody has won" if self.result is None else "nobody won"
        name = self.players[self.winner]
        more = "skill" if abs(self.net_skill) > abs(self.net_luck) else "luck"
        return {
            "skill": f"skill decided: {name} won against the dice",
            "luck": f"luck decided: {name} won by the dice",
            "both": f"both helped {name} to win, {more} more",
            "neither": f"{name} won, which neither explains: the evaluations contradict each other",
        }[self.decided]

    def score_words(self) -> str:
        """How the match ended, in a few words."""
        names, (first, second) = self.players, (side.points for side in self.sides)
        kind = f"match to {self.length}" if self.length else "money session"
        if self.result is None:
            return f"{kind}, {names[0]} - {names[1]} {first}-{second}, not over"
        if self.winner is None:
            return f"{kind}, {names[0]} and {names[1]} level at {first}"
        winner, loser = self.sides[self.winner], self.sides[1 - self.winner]
        return f"{kind}, {winner.player} beat {loser.player} {winner.points}-{loser.points}"

    def document(self) -> dict[str, Any]:
        """As JSON; what is null has its reason in `absent`."""
        not_over = "the match is not over"
        absent = {name: not_over for name in ("result", "rest", "luck_adjusted") if getattr(self, name) is None}
        if self.winner is None:
            absent["winner"] = not_over if self.result is None else "nobody won"
        return {
            "match": self.match,
            "length": self.length,
            "games": self.n_games,
            "unit": self.unit,
            "players": [asdict(side) for side in self.sides],
            "winner": None if self.winner is None else self.players[self.winner],
            "result": self.result,
            "skill": self.net_skill,
            "luck": self.net_luck,
            "rest": self.rest,
            "luck_adjusted": self.luck_adjusted,
            "decided": self.decided,
            "sentence": self.sentence(),
            "absent": absent,
        }

    def draw(self, *, narrow: bool = False) -> Any:
        """Bars to the left of 0 for the second player, to the right for the first."""
        import altair as alt

        from ludometer.chart_style import ACCENT, GREY, INK

        parts = [("skill", self.net_skill, INK), ("luck", self.net_luck, ACCENT)]
        if self.result is not None and self.rest is not None:
            parts += [("left open", self.rest, GREY), ("result", self.result, "#1c2733")]
        scale = 100.0 if self.unit == "match" else 1.0
        rows: list[dict[str, Any]] = [
            {"part": part, "value": scale * value, "label": self.amount(value), "colour": colour}
            for part, value, colour in parts
        ]
        widest = max(abs(row["value"]) for row in rows) * (1.55 if narrow else 1.3) or 1.0
        y = alt.Y("part:N", sort=[part for part, _, _ in parts], title=None, axis=alt.Axis(ticks=False, domain=False))
        title = "Percent of a match" if self.unit == "match" else "Points"
        x = signed_axis("value", title, widest, narrow=narrow)
        base = alt.Chart(alt.InlineData(values=rows))
        colour = alt.Color("colour:N", scale=None)
        layers = [base.mark_bar(height=18).encode(x=x, y=y, color=colour), zero_rule("x")]
        layers += [words.encode(x=x, y=y, color=colour) for words in end_labels(base, "value")]
        for value, name in ((-widest, f"← for {self.players[1]}"), (widest, f"for {self.players[0]} →")):
            mark = alt.Chart(alt.InlineData(values=[{"value": value, "name": name}])).mark_text(
                align="left" if value < 0 else "right",
                baseline="bottom",
                fontSize=12,
                fontWeight="bold",
                color="#56616d",
                limit=120 if narrow else 240,
            )
            layers.append(mark.encode(x=x, y=alt.value(-6), text="name:N"))
        return alt.layer(*layers).properties(width=250 if narrow else 520, height=32 * len(rows))


def balance_match(match: AnalysedMatch) -> Balance:
    """Add up a match."""
    decisions, rolls = match.decisions, match.rolls
    first, second = match.final
    columns = {
        "points": match.final,
        "decisions": np.bincount(decisions.player, minlength=2).tolist(),
        "rolls": np.bincount(rolls.player, minlength=2).tolist(),
        "loss": np.bincount(decisions.player, decisions.loss * decisions.unit, minlength=2).tolist(),
        "luck": np.bincount(rolls.player, rolls.luck * rolls.unit, minlength=2).tolist(),
        "luck_equity": np.bincount(rolls.player, rolls.luck, minlength=2).tolist(),
    }
    one, other = (
        Side(name, **{column: values[seat] for column, values in columns.items()})
        for seat, name in enumerate(match.names)
    )
    won = 0.5 if match.winner == 0 else -0.5
    result = won if match.length else float(first - second)
    unit: Unit = "match" if match.length else "points"
    over = result if match.is_over else None
    return Balance(match.name, match.length, unit, match.n_games, (one, other), match.winner, over)


@dataclass(frozen=True, eq=False)
class RunningBalance:
    """How skill and luck add up in a match, roll by roll, in favour of the first player and in `Balance.unit`."""

    skill: Floats
    luck: Floats
    starts: Codes
    """The first roll of each game."""


def follow_match(match: AnalysedMatch) -> RunningBalance:
    """The running sums after each roll and the decision that belongs to it."""
    decisions, rolls = match.decisions, match.rolls
    luck = np.cumsum(np.where(rolls.player == 0, 1.0, -1.0) * rolls.luck * rolls.unit)
    cost = np.where(decisions.player == 0, -1.0, 1.0) * decisions.loss * decisions.unit
    turn = rolls.game.astype(np.int64) * _MAX_TURNS + rolls.turn
    place = np.searchsorted(turn, decisions.game.astype(np.int64) * _MAX_TURNS + decisions.turn)
    # a pass ends a game without a roll: it counts with the roll before
    place = np.minimum(place, len(turn) - 1)
    skill = np.cumsum(np.bincount(place, cost, minlength=len(turn)))
    starts = np.flatnonzero(np.diff(rolls.game, prepend=-1)).astype(np.int32)
    return RunningBalance(np.asarray(skill, np.float64), luck, starts)


def draw_running_balance(match: AnalysedMatch, *, narrow: bool = False) -> Any:
    """Skill and luck added up roll by roll, with a line where each game begins."""
    import altair as alt

    from ludometer.chart_style import ACCENT, INK

    running = follow_match(match)
    scale = 100.0 if match.length else 1.0
    parts = (("skill", running.skill, INK), ("luck", running.luck, ACCENT))
    rows = [
        {"roll": roll, "value": scale * value, "part": part, "colour": colour}
        for part, column, colour in parts
        for roll, value in enumerate([0.0, *column.tolist()])
    ]
    ends = [row for row in rows if row["roll"] == len(running.skill)]
    _keep_apart(ends, max(abs(row["value"]) for row in rows) or 1.0)
    unit = "percent of a match" if match.length else "points"
    name = match.names[0]
    short = name if not narrow or len(name) <= 14 else name[:13] + "…"
    x = alt.X("roll:Q", title="Rolls", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False, tickCount=5))
    y = alt.Y("value:Q", title=f"For {short} ({unit})", axis=alt.Axis(tickCount=5, format=SIGNED_NUMBER))
    colour = alt.Color("colour:N", scale=None)
    games = [{"roll": int(start)} for start in running.starts]
    rules = alt.Chart(alt.InlineData(values=games)).mark_rule(color="#d9dee3").encode(x="roll:Q")
    base = alt.Chart(alt.InlineData(values=rows))
    lines = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, detail="part:N")
    words = (
        alt.Chart(alt.InlineData(values=ends))
        .mark_text(align="left", dx=5, fontSize=12, fontWeight="bold")
        .encode(x="roll:Q", y="at:Q", text="part:N", color=colour)
    )
    width, height = (225, 200) if narrow else (500, 240)
    return alt.layer(rules, zero_rule("y", dashed=True), lines, words).properties(width=width, height=height)


def signed_axis(name: str, title: str, widest: float, *, narrow: bool) -> Any:
    """An axis with 0 in the middle."""
    import altair as alt

    scale = alt.Scale(domain=[-widest, widest], nice=False)
    return alt.X(
        f"{name}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=4 if narrow else 7, format=SIGNED_NUMBER)
    )


def zero_rule(side: Literal["x", "y"], *, dashed: bool = False) -> Any:
    """A line at 0."""
    import altair as alt

    from ludometer.chart_style import GREY

    base = alt.Chart(alt.InlineData(values=[{"at": 0}]))
    rule = base.mark_rule(color=GREY, strokeDash=[4, 3]) if dashed else base.mark_rule(color=GREY)
    return rule.encode(**{side: "at:Q"})


def end_labels(base: Any, name: str) -> list[Any]:
    """The texts `label` at the ends of bars, beyond them on either side of 0."""
    sides = ((f"datum.{name} >= 0", "left", 4), (f"datum.{name} < 0", "right", -4))
    return [
        base.transform_filter(side).mark_text(align=align, dx=dx, fontSize=12).encode(text="label:N")
        for side, align, dx in sides
    ]


def _keep_apart(ends: list[dict[str, Any]], widest: float) -> None:
    """Place two words at the ends of their lines, but not on top of each other."""
    apart = 0.18 * widest
    lower, upper = sorted(ends, key=lambda end: end["value"])
    short = max(apart - (upper["value"] - lower["value"]), 0.0) / 2
    lower["at"], upper["at"] = lower["value"] - short, upper["value"] + short
