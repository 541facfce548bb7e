"""What will happen when two players of a record meet next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.draws import DrawTally, draw_probability
from ludometer.ratings.elo import Elo
from ludometer.ratings.rating import Tally
from ludometer.ratings.system import AnySystem, prepare
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl


@dataclass(frozen=True)
class Prediction:
    """Probabilities of a win, a draw and a loss of the first of two players, after the last match of a record."""

    players: tuple[str, str]
    ratings: tuple[float, float]
    expected_score: float
    win: float
    draw: float
    loss: float
    n_matches: int
    n_players: int
    draw_rate: float
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """outcome, probability."""
        import polars as pl

        return pl.DataFrame({"outcome": ["win", "draw", "loss"], "probability": [self.win, self.draw, self.loss]})

    def summary(self) -> str:
        """The three probabilities in words."""
        first, second = self.players
        width = max(len(f"{name} wins") for name in self.players)
        rows = ((f"{first} wins", self.win), ("draw", self.draw), (f"{second} wins", self.loss))
        title = f"{first} ({self.ratings[0]:.0f}) against {second} ({self.ratings[1]:.0f})"
        return "\n".join([title, *(f"  {label:<{width}}  {value:6.1%}" for label, value in rows)])

    def plot(self) -> altair.Chart:
        """Three bars."""
        import altair as alt

        first, second = self.players
        rows = [
            {"outcome": outcome, "probability": probability}
            for outcome, probability in (
                (f"{first} wins", self.win),
                ("draw", self.draw),
                (f"{second} wins", self.loss),
            )
        ]
        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=rows), width=360, height=100, title=f"{first} against {second}")
            .mark_bar(color="#4c6a92")
            .encode(
                x=alt.X(
                    "probability:Q", title="Probability", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])
                ),
                y=alt.Y("outcome:N", title=None, sort=None),
            )
        )
        return chart


def predict(
    matches: Matches | Iterable[Matches], first: str, second: str, *, system: AnySystem | None = None
) -> Prediction:
    """Forecast a match between two players of the record.

    The rating system says what the first is expected to score; how often such matches are drawn comes from the record
    (Davidson's model).

    >>> from ludometer.players import Players
    >>> matches = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 0.5], players=Players.named(["Ann", "Ben", "Cem"]))
    >>> forecast = predict(matches, "Ann", "Ben")
    >>> round(forecast.win + forecast.draw / 2 - forecast.expected_score, 9)
    0.0
    """
    if first == second:
        raise LudometerError(f"{first!r} cannot meet himself: name two different players")
    chosen = prepare(Elo() if system is None else system, matches)
    tally, draws = Tally(), DrawTally()
    state = chosen.start(0)
    for batch in matches:
        tally.add(batch)
        state, expected = chosen.play(state, batch)
        draws.add(expected, batch.pairs.halves)
    listed = tally.ratings(chosen, state)
    codes = [listed.players.code(name) for name in (first, second)]
    for name, code in zip((first, second), codes, strict=True):
        if not listed.matches[code]:
            raise LudometerError(f"{name!r} has played no match that counts")
    expected_now = chosen.expect(state, np.array(codes[:1], np.int32), np.array(codes[1:], np.int32))
    score = float(expected_now[0])
    draw = float(draw_probability(expected_now, draws.fit())[0])
    one, other = (float(listed.rating[code]) for code in codes)
    return Prediction(
        players=(first, second),
        ratings=(one, other),
        expected_score=score,
        win=max(score - draw / 2, 0.0),
        draw=draw,
        loss=max(1 - score - draw / 2, 0.0),
        n_matches=listed.n_matches,
        n_players=listed.n_players,
        draw_rate=listed.draw_rate,
        provenance=listed.provenance,
    )
