"""`predict`: forecast the next match between players of a record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.chart_style import INK
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Name, as_name
from ludometer.ratings.catalogue import default_system
from ludometer.ratings.draws import DrawTally
from ludometer.ratings.driver import AnySystem, RatingSystem, Tally, play_with_levels, prepare
from ludometer.ratings.listed import Ratings
from ludometer.result import Provenance, Shown
from ludometer.wording import PERCENT_LABELS, percent, percentages

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class _Forecast(Shown):
    """The players who meet, their ratings, and the record behind the forecast."""

    players: tuple[str, ...]
    ratings: tuple[float, ...]
    n_matches: int
    n_players: int
    draw_rate: float
    provenance: Provenance

    def _document(self, forecast: dict[str, Any]) -> dict[str, Any]:
        rated = zip(self.players, self.ratings, strict=True)
        return {
            "system": self.provenance.method,
            "parameters": self.provenance.parameters,
            "players": [{"player": name, "rating": rating} for name, rating in rated],
            **forecast,
            "absent": {},
        }


@dataclass(frozen=True)
class Prediction(_Forecast):
    """Probabilities of a win, a draw and a loss for the first of two players, after the last match of a record."""

    expected_score: float
    win: float
    draw: float
    loss: float

    def to_frame(self) -> pl.DataFrame:
        """outcome, probability."""
        import polars as pl

        return pl.DataFrame({"outcome": ["win", "draw", "loss"], "probability": [self.win, self.draw, self.loss]})

    def document(self) -> dict[str, Any]:
        """The JSON document: outcomes from the first player's view."""
        outcomes = {"win": self.win, "draw": self.draw, "loss": self.loss}
        return self._document({"expected_score": self.expected_score, "outcomes": outcomes})

    def summary(self) -> str:
        """The probabilities; no draw where the record has none."""
        first, second = self.players
        width = max(len(f"{name} wins") for name in self.players)
        labels = [f"{first} wins", "draw", f"{second} wins"]
        rows = list(zip(labels, percentages([self.win, self.draw, self.loss]), strict=True))
        if not self.draw_rate:
            del rows[1]
        title = f"{first} ({self.ratings[0]:.0f}) against {second} ({self.ratings[1]:.0f})"
        return "\n".join([title, *(f"  {label:<{width}}  {value:>6}" for label, value in rows)])

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The three probabilities as bars."""
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
        chart = (
            alt.Chart(alt.InlineData(values=rows), width=240 if narrow else 360, height=100)
            .properties(title=f"{first} against {second}")
            .mark_bar(color=INK)
            .encode(
                x=alt.X(
                    "probability:Q",
                    title="Probability",
                    axis=alt.Axis(labelExpr=PERCENT_LABELS),
                    scale=alt.Scale(domain=[0, 1]),
                ),
                y=alt.Y("outcome:N", title=None, sort=None),
            )
        )
        return {"outcomes": chart}


@dataclass(frozen=True)
class PlacesPrediction(_Forecast):
    """Probabilities of each place for each player of one multiplayer match, after the last match of a record."""

    probability: Floats
    """(players, places)."""

    @property
    def places(self) -> dict[str, list[float]]:
        """The probabilities of places 1, 2, ... for each player."""
        return dict(zip(self.players, self.probability.tolist(), strict=True))

    def to_frame(self) -> pl.DataFrame:
        """player, place, probability."""
        import polars as pl

        n = len(self.players)
        return pl.DataFrame(
            {
                "player": np.repeat(self.players, n),
                "place": np.tile(np.arange(1, n + 1), n),
                "probability": self.probability.ravel(),
            }
        )

    def document(self) -> dict[str, Any]:
        """The JSON document: the places of each player."""
        return self._document({"places": self.places})

    def summary(self) -> str:
        """One line per player, likeliest winner first: rating, the first places and the mean place."""
        n_shown = min(len(self.players), 6)
        width = max(len(name) for name in self.players)
        mean = self.probability @ np.arange(1, len(self.players) + 1)
        head = "".join(f"{place:>8}." for place in range(1, n_shown + 1))
        lines = [f"{'':{width}}  rating{head}  mean place"]
        for row in np.argsort(-self.probability[:, 0], kind="stable")[:18]:
            shown = "".join(f"{percent(value):>9}" for value in self.probability[row, :n_shown])
            lines.append(f"{self.players[row]:{width}}  {self.ratings[row]:6.0f}{shown}  {mean[row]:10.2f}")
        rest = len(self.players) - 18
        return "\n".join(lines + ([f"and {rest} more"] if rest > 0 else []))

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """One row per player and one column per place, darker where likelier."""
        import altair as alt

        chart = (
            alt.Chart(alt.InlineData(values=self.to_frame().to_dicts()), title="Who finishes where")
            .properties(**({"width": 240} if narrow else {}))
            .mark_rect()
            .encode(
                x=alt.X("place:O", title="Place"),
                y=alt.Y("player:N", title=None, sort=None),
                color=alt.Color("probability:Q", title="Probability", scale=alt.Scale(scheme="blues")),
                tooltip=["player:N", "place:O", alt.Tooltip("probability:Q", format=".1%")],
            )
        )
        return {"places": chart}


@overload
def predict(
    matches: Matches | Iterable[Matches], first: Name, second: Name, /, *, system: AnySystem | None = None
) -> Prediction: ...


@overload
def predict(
    matches: Matches | Iterable[Matches],
    first: Name,
    second: Name,
    third: Name,
    /,
    *others: Name,
    system: AnySystem | None = None,
) -> PlacesPrediction: ...


@overload
def predict(
    matches: Matches | Iterable[Matches], /, *players: Name, system: AnySystem | None = None
) -> Prediction | PlacesPrediction: ...


def predict(
    matches: Matches | Iterable[Matches], /, *players: Name, system: AnySystem | None = None
) -> Prediction | PlacesPrediction:
    """Forecast a match between players of the record: win, draw and loss for two, the places for more.

    The rating system gives the expected score of the first of two players; how often such matches are drawn comes from
    the record (Davidson's model). For more than two it gives the probability of each place (rank-ordered logit).

    >>> from ludometer.players import Players
    >>> matches = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 0.5], players=Players.named(["Ann", "Ben", "Cem"]))
    >>> forecast = predict(matches, "Ann", "Ben")
    >>> round(forecast.win + forecast.draw / 2 - forecast.expected_score, 9)
    0.0
    >>> [round(p, 2) for p in predict(matches, "Ann", "Ben", "Cem").places["Ann"]]
    [0.38, 0.34, 0.28]
    """
    if len(players) < 2:
        raise LudometerError("name the players who meet: two or more")
    names = tuple(as_name(name) for name in players)
    for name in names:
        if names.count(name) > 1:
            raise LudometerError(f"{name!r} is named twice: name different players")
    chosen = prepare(default_system(matches) if system is None else system, matches)
    tally, draws = Tally(), DrawTally()
    state = chosen.start(0)
    for batch in matches:
        tally.add(batch)
        state, expected, level = play_with_levels(chosen, state, batch)
        draws.add_matches(expected, batch, level)
    listed = tally.ratings(chosen, state)
    codes = listed.players.codes(names)
    for name, code in zip(names, codes, strict=True):
        if not listed.matches[code]:
            raise LudometerError(f"{name!r} has no match in the record")
    if len(names) > 2:
        return _forecast_places(names, codes, chosen, state, listed)
    expected_now = chosen.expect(state, codes[:1], codes[1:])
    score = float(expected_now[0])
    draw = float(draws.model().probability(expected_now, listed.rating[codes].mean(keepdims=True))[0])
    return Prediction(
        players=names,
        ratings=tuple(float(listed.rating[code]) for code in codes),
        expected_score=score,
        win=max(score - draw / 2, 0.0),
        draw=draw,
        loss=max(1 - score - draw / 2, 0.0),
        n_matches=listed.n_matches,
        n_players=listed.n_players,
        draw_rate=listed.draw_rate,
        provenance=listed.provenance,
    )


def _forecast_places(
    players: tuple[str, ...], codes: Codes, system: RatingSystem[Any], state: Any, listed: Ratings
) -> PlacesPrediction:
    expect_places = getattr(system, "expect_places", None)
    if expect_places is None:
        raise LudometerError(f"{system.name} predicts two-player matches only")
    return PlacesPrediction(
        players=players,
        ratings=tuple(float(listed.rating[code]) for code in codes),
        probability=np.clip(expect_places(state, codes), 0.0, 1.0),
        n_matches=listed.n_matches,
        n_players=listed.n_players,
        draw_rate=listed.draw_rate,
        provenance=listed.provenance,
    )
