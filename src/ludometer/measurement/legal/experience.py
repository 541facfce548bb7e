"""Experience: do players get better results the more matches they have behind them?

Within each player: their result is regressed on log2(1 + earlier matches) and on the mean rating of the opponents, both
relative to the player's own mean, so that neither weak opponents nor the departure of weak players looks like learning.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.measurement.legal.clusters import clustered_variance
from ludometer.measurement.legal.entry import LegalTest, Literature, absent
from ludometer.measurement.legal.outcomes import SeatValues

LITERATURE = Literature(
    test="experience",
    question="Do players get better results the more matches they have behind them?",
    shows="Whether the game can be learnt by playing it.",
    does_not_show="Skill that players bring with them, or learning that all players share: results are relative to "
    "opponents, so a field that improves together shows nothing. An absence of learning is not an absence of skill.",
    source="Banerjee, De, Maitra, Mukherjee: Skill vs. chance quantification and relative ranking for popular card and "
    "board games, arXiv 2410.14363. Here within players, with the opponents' strength allowed for.",
    argued="Written for the debate on online games such as rummy, ludo and teen patti in India.",
)

BINS = (0, 10, 25, 100, 400)
"""Earlier matches at which a row of the table begins."""

_FEWEST_PLAYERS = 10


def measure_experience(values: SeatValues) -> LegalTest:
    """What each doubling of experience adds to a player's result; errors are clustered by player and match."""
    earlier = np.log2(1.0 + values.earlier)
    slope, error, by_strength = _regress(values, earlier, values.opponents)
    if values.n_players < _FEWEST_PLAYERS or error is None:
        return absent(LITERATURE, "too few players, or results that do not vary")
    ends = slope - 1.96 * error, slope + 1.96 * error
    scale = 100 if values.basis == "wins" else 1
    unit = "percentage points of a win" if values.basis == "wins" else values.unit
    text = f"{scale * slope:+.2f} [{scale * ends[0]:+.2f}, {scale * ends[1]:+.2f}] {unit} per doubling"
    return LegalTest(
        LITERATURE,
        slope,
        ends,
        text,
        f"With every doubling of their matches players get {scale * slope:+.2f} {unit} per match more against the same "
        f"opponents. {_judge(ends)}",
        chance=0.0,
        details={
            "by_earlier_matches": _tabulate(values, by_strength),
            "per_100_points_of_opponents": 100 * by_strength,
        },
    )


def _judge(ends: tuple[float, float]) -> str:
    if ends[0] > 0:
        return "Players learn."
    return "Results fall with experience." if ends[1] < 0 else "No learning shows."


def _regress(values: SeatValues, earlier: Floats, opponents: Floats) -> tuple[float, float | None, float]:
    """The slope of experience, its error, and the slope of the opponents' strength."""
    x, z, y = (column - _own_mean(values, column)[values.player] for column in (earlier, opponents, values.value))
    moments = np.array([[x @ x, x @ z], [x @ z, z @ z]])
    if z @ z <= 1e-9 * len(z):
        # nobody is known to be stronger than anybody else
        moments[1, 1] = 1.0
        moments[0, 1] = moments[1, 0] = 0.0
    if x @ x <= 1e-9 * len(x) or np.linalg.cond(moments) > 1e14 or y @ y == 0:
        return 0.0, None, 0.0
    inverse = np.linalg.inv(moments)
    slopes = inverse @ np.array([x @ y, z @ y])
    residual = y - slopes[0] * x - slopes[1] * z
    # what each seat does to the slope
    effect = (inverse[0, 0] * x + inverse[0, 1] * z) * residual
    return float(slopes[0]), float(np.sqrt(clustered_variance(values, effect))), float(slopes[1])


def _own_mean(values: SeatValues, column: Floats) -> Floats:
    return values.sums(column) / np.maximum(values.counts, 1)


def _tabulate(values: SeatValues, by_strength: float) -> list[dict[str, Any]]:
    """The mean result by earlier matches, as against average opponents; between players, not within."""
    adjusted = values.value - by_strength * (values.opponents - values.opponents.mean())
    place = np.searchsorted(BINS, values.earlier, side="right") - 1
    rows = []
    for at, low in enumerate(BINS):
        inside = adjusted[place == at]
        if len(inside):
            rows.append({"from": low, "seats": len(inside), "mean": float(inside.mean())})
    return rows
