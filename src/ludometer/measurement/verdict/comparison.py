"""Several games side by side: their order, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Floats
from ludometer.measurement.measurement import Measurement
from ludometer.wording import percent

Game = tuple[str, Measurement]


@dataclass(frozen=True)
class Comparison:
    """Games from most skill to least, and for each two the confidence that the one shows more than the other.

    Skill is compared by the SD of normal skills that would spread like each record on its own schedule, which does not
    depend on how long the records are. The confidence is the share of pairs of simulated solutions in that order: it
    comes from an inversion, as a p-value does, and is no posterior probability.
    """

    names: tuple[str, ...]
    sd_of_skills: tuple[float | None, ...]
    more_skill: Floats
    """(games, games): row shows more skill than column; NaN where one has no yardstick, or a refused verdict."""

    def lines(self) -> list[str]:
        """What can be said of neighbours in the order."""
        words = []
        for place in range(len(self.names) - 1):
            confidence = self.more_skill[place, place + 1]
            if np.isfinite(confidence):
                sure = "more than 99%" if confidence > 0.99 else percent(confidence, 0)
                words.append(f"{self.names[place]} shows more skill than {self.names[place + 1]}: {sure} confidence")
        return words


def order_games(games: Sequence[Game]) -> list[Game]:
    """Most skill first: by the matched SD of skills where all have one, else by the SD of ratings."""
    matched = all(game.main.sd is None or _skill(game) is not None for _, game in games)

    def height(game: Measurement) -> float:
        if game.main.sd is None:
            return -1.0
        return (_skill(game) or 0.0) if matched else game.main.sd

    return sorted(games, key=lambda game: -height(game[1]))


def compare_games(games: Sequence[Game]) -> Comparison:
    """Order the games, and say of each two how sure their order is."""
    ordered = order_games(games)
    solutions = [_solutions(game) for _, game in ordered]
    more = np.full((len(ordered), len(ordered)), np.nan)
    for row, one in enumerate(solutions):
        for column, other in enumerate(solutions):
            if one is not None and other is not None and row != column:
                below = np.searchsorted(other, one, side="left") + np.searchsorted(other, one, side="right")
                more[row, column] = below.sum() / (2 * len(one) * len(other))
    return Comparison(tuple(name for name, _ in ordered), tuple(_skill(game) for _, game in ordered), more)


def _solutions(game: Measurement) -> Floats | None:
    matched, verdict = game.yardstick, game.verdict
    if matched is None or matched.skill is None or (verdict is not None and verdict.p_deterministic is None):
        return None
    return matched.skill.solutions


def _skill(game: Measurement) -> float | None:
    matched = game.yardstick
    if matched is None or matched.skill is None or not np.isfinite(matched.skill.estimate):
        return None
    return matched.skill.estimate
