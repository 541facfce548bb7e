"""A match taken apart: what the better play brought, what the dice brought, and what remains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.backgammon.matches import AnalysedMatch

Unit = Literal["match", "points"]
"""What a match is counted in: match-winning chance (1 is a whole match), or points for money."""

Decided = Literal["skill", "luck", "both", "neither", "nothing"]


@dataclass(frozen=True)
class Balance:
    """A match from the first player's view: `result = skill + luck + rest`.

    `skill` is what the second player's errors cost less what the first's did, `luck` is the first's luck less the
    second's; `rest` is what evaluations at different depths contradict each other by. The result of a match is half a
    match for who wins it, since both began with half a chance; for money it is points won. None: it is not over.
    """

    match: str
    players: tuple[str, str]
    length: int
    score: tuple[int, int]
    unit: Unit
    n_games: int
    n_decisions: tuple[int, int]
    n_rolls: tuple[int, int]
    loss: tuple[float, float]
    """Of each player, in `unit`."""
    luck: tuple[float, float]
    """Of each player, in `unit`."""
    luck_equity: tuple[float, float]
    winner: int | None
    result: float | None

    @property
    def net_skill(self) -> float:
        """In favour of the first player."""
        return self.loss[1] - self.loss[0]

    @property
    def net_luck(self) -> float:
        """In favour of the first player."""
        return self.luck[0] - self.luck[1]

    @property
    def luck_adjusted(self) -> float | None:
        """The result less the luck, as GNU Backgammon gives it."""
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

    def sentence(self) -> str:
        """Skill and luck apart, in one sentence.

        >>> shared = (3, (3, 0), "match", 1, (9, 9), (9, 9), (0.0, 0.25), (-0.5, 0.25), (0.0, 0.0), 0, 0.5)
        >>> Balance("final", ("Ann", "Ben"), *shared).sentence()
        'Ann played better by 25.0%, Ben was luckier by 75.0% of the match; skill decided: Ann won against the dice'
        """
        better, luckier = int(self.net_skill < 0), int(self.net_luck < 0)
        sign, unit = ("%", " of the match") if self.unit == "match" else ("", " points")
        scale, digits = (100, 1) if self.unit == "match" else (1, 2)
        skill, luck = (f"{scale * abs(net):.{digits}f}{sign}" for net in (self.net_skill, self.net_luck))
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
            "neither": f"{name} won, which neither accounts for: the evaluations contradict each other",
        }[self.decided]


def balance_match(match: AnalysedMatch) -> Balance:
    """Add up a match."""
    loss, luck = match.loss * match.loss_unit, match.luck * match.luck_unit
    unit: Unit = "match" if match.length else "points"
    first, second = match.final
    points = 0.5 if match.winner == 0 else -0.5
    result = float(first - second) if unit == "points" else points
    return Balance(
        match.name,
        match.names,
        match.length,
        match.final,
        unit,
        match.n_games,
        _counts(match.loss_player),
        _counts(match.luck_player),
        _sums(loss, match.loss_player),
        _sums(luck, match.luck_player),
        _sums(match.luck, match.luck_player),
        match.winner,
        result if match.is_over else None,
    )


@dataclass(frozen=True, eq=False)
class Course:
    """How skill and luck added up in a match, roll by roll, in favour of the first player and in `Balance.unit`."""

    skill: Floats
    luck: Floats
    starts: Codes
    """The roll that each game begins with."""


def follow_match(match: AnalysedMatch) -> Course:
    """The running sums after each roll and the decision that belongs to it."""
    turn = _turn_numbers(match)
    sign = np.where(match.luck_player == 0, 1.0, -1.0)
    luck = np.cumsum(sign * match.luck * match.luck_unit)
    cost = np.where(match.loss_player == 0, -1.0, 1.0) * match.loss * match.loss_unit
    place = np.searchsorted(turn, match.loss_game * _TURNS + match.loss_turn)
    # a pass ends a game without a roll: it counts with the roll before
    place = np.minimum(place, len(turn) - 1)
    skill = np.cumsum(np.bincount(place, cost, minlength=len(turn)))
    starts = np.flatnonzero(np.diff(match.luck_game, prepend=-1)).astype(np.int32)
    return Course(np.asarray(skill, np.float64), luck, starts)


_TURNS = 1 << 20


def _turn_numbers(match: AnalysedMatch) -> Codes:
    return np.asarray(match.luck_game.astype(np.int64) * _TURNS + match.luck_turn)


def _counts(player: Codes) -> tuple[int, int]:
    first, second = np.bincount(player, minlength=2)
    return int(first), int(second)


def _sums(value: Floats, player: Codes) -> tuple[float, float]:
    first, second = np.bincount(player, value, minlength=2)
    return float(first), float(second)
