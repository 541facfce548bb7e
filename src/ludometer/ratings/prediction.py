"""`predict`: forecast the next match between players of a record."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from ludometer.arrays import Codes, Floats, Halves
from ludometer.chart_style import INK
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Name, as_name
from ludometer.ratings.catalogue import default_system
from ludometer.ratings.draws import DrawModel, DrawTally
from ludometer.ratings.driver import AnySystem, RatingSystem, Tally, play_with_levels, prepare
from ludometer.ratings.listed import Ratings
from ludometer.result import Provenance, Shown
from ludometer.scale import expected_score, from_elo, to_elo
from ludometer.wording import PERCENT_LABELS, format_table, percent, percentages

if TYPE_CHECKING:
    import polars as pl

_REACH = 1.959964
"""SDs to both sides of a 95% interval."""

_NO_INTERVAL = "{} gives no errors of ratings in Elo points"
_SHOWN, _LISTED = 10, 50
"""Faults in a message, and pairs on the screen."""


@dataclass(frozen=True)
class _Forecast(Shown):
    """The players who meet, their ratings, and the record behind the forecast."""

    players: tuple[str, ...]
    ratings: tuple[float, ...]
    n_matches: int
    n_players: int
    draw_rate: float
    provenance: Provenance

    def _document(self, forecast: dict[str, Any], absent: dict[str, str] | None = None) -> dict[str, Any]:
        rated = zip(self.players, self.ratings, strict=True)
        return {
            "system": self.provenance.method,
            "parameters": self.provenance.parameters,
            "players": [{"player": name, "rating": rating} for name, rating in rated],
            **forecast,
            "absent": absent or {},
        }


@dataclass(frozen=True)
class Prediction(_Forecast):
    """Probabilities of a win, a draw and a loss for the first of two players, after the last match of a record."""

    expected_score: float
    win: float
    draw: float
    loss: float
    interval: tuple[float, float] | None = None
    """95%, of the probability of a win, from the errors of both ratings; None for systems without errors."""

    def to_frame(self) -> pl.DataFrame:
        """outcome, probability."""
        import polars as pl

        return pl.DataFrame({"outcome": ["win", "draw", "loss"], "probability": [self.win, self.draw, self.loss]})

    def document(self) -> dict[str, Any]:
        """The JSON document: outcomes from the first player's view."""
        outcomes = _outcomes(self.win, self.draw, self.loss, self.interval)
        absent = {} if self.interval else {"outcomes.interval": _NO_INTERVAL.format(self.provenance.method)}
        return self._document({"expected_score": self.expected_score, "outcomes": outcomes}, absent)

    def summary(self) -> str:
        """The probabilities; no draw where the record has none."""
        first, second = self.players
        width = max(len(f"{name} wins") for name in self.players)
        labels = [f"{first} wins", "draw", f"{second} wins"]
        rows = list(zip(labels, percentages([self.win, self.draw, self.loss]), strict=True))
        if not self.draw_rate:
            del rows[1]
        title = f"{first} ({self.ratings[0]:.0f}) against {second} ({self.ratings[1]:.0f})"
        lines = [f"  {label:<{width}}  {value:>6}" for label, value in rows]
        if self.interval:
            lines[0] += f"  95% interval {_describe_interval(self.interval)}"
        return "\n".join([title, *lines])

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
    [0.62, 0.29, 0.09]
    """
    if len(players) < 2:
        raise LudometerError("name the players who meet: two or more")
    names = tuple(as_name(name) for name in players)
    for name in names:
        if names.count(name) > 1:
            raise LudometerError(f"{name!r} is named twice: name different players")
    outlook = Outlook.of(matches, system)
    codes = outlook.codes(names)
    if len(names) > 2:
        return _forecast_places(names, codes, outlook)
    found = outlook.forecast(codes[:1], codes[1:])
    listed = outlook.listed
    return Prediction(
        players=names,
        ratings=tuple(float(listed.rating[code]) for code in codes),
        expected_score=float(found.expected[0]),
        win=float(found.win[0]),
        draw=float(found.draw[0]),
        loss=float(found.loss[0]),
        interval=None if found.interval is None else (float(found.interval[0, 0]), float(found.interval[0, 1])),
        n_matches=listed.n_matches,
        n_players=listed.n_players,
        draw_rate=listed.draw_rate,
        provenance=listed.provenance,
    )


def predict_pairs(
    matches: Matches | Iterable[Matches],
    pairs: Fixtures | Iterable[tuple[Name, Name]],
    *,
    system: AnySystem | None = None,
) -> PairsPrediction:
    """Forecast many matches between two players each, after the last match of the record.

    >>> from ludometer.players import Players
    >>> from ludometer.ratings import Elo
    >>> matches = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 0.5], players=Players.named(["Ann", "Ben", "Cem"]))
    >>> predict_pairs(matches, [("Ann", "Ben"), ("Cem", "Ann")], system=Elo()).expected.round(2).tolist()
    [0.55, 0.45]
    """
    fixtures = pairs if isinstance(pairs, Fixtures) else Fixtures.of(pairs)
    if not len(fixtures.first):
        raise LudometerError("there are no pairs to predict")
    outlook = Outlook.of(matches, system)
    first, second = fixtures.find(outlook.listed)
    return PairsPrediction(fixtures, first, second, outlook.forecast(first, second, fixtures.seat), outlook.listed)


@dataclass(frozen=True, eq=False)
class Fixtures:
    """Matches to come: who meets whom, and where it is known who is better off and when."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    seat: Halves | None = None
    """1 if the first player is better off (at home, White), 0 on neutral ground; None is nowhere known."""
    time: tuple[str | None, ...] | None = None
    """As it is written; forecasts are those after the last match of the record."""
    columns: tuple[str, str] = ("player_1", "player_2")
    """What a file calls the two players."""
    source: str = "pairs"
    """The name of the file."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[Name, Name]]) -> Self:
        """From pairs of names."""
        names = [(as_name(first), as_name(second)) for first, second in pairs]
        return cls(tuple(first for first, _ in names), tuple(second for _, second in names))

    def find(self, listed: Ratings) -> tuple[Codes, Codes]:
        """The codes of the players; all faults are reported at once, with row and column."""
        code_of = {name: code for code, name in enumerate(listed.players.names) if listed.matches[code]}
        faults = []
        for row, names in enumerate(zip(self.first, self.second, strict=True), 1):
            for column, name in zip(self.columns, names, strict=True):
                if name not in code_of:
                    faults.append(f"{self.source}, row {row:,}, {column}: {listed.players.describe_unknown(name)}")
            if names[0] == names[1]:
                faults.append(f"{self.source}, row {row:,}: {names[0]!r} meets themselves: name two different players")
        if faults:
            more = [f"and {len(faults) - _SHOWN:,} more"] if len(faults) > _SHOWN else []
            raise LudometerError("\n".join([*faults[:_SHOWN], *more]))
        first, second = (np.array([code_of[name] for name in names], np.int32) for names in (self.first, self.second))
        return first, second


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Probabilities for pairs of players, from the first player's view."""

    expected: Floats
    win: Floats
    draw: Floats
    loss: Floats
    interval: Floats | None
    """(pairs, 2): 95% intervals of the probability of a win; None for systems without errors."""


@dataclass(frozen=True, eq=False)
class PairsPrediction(Shown):
    """Probabilities of win, draw and loss for many pairs of players, after the last match of a record."""

    fixtures: Fixtures
    first: Codes
    second: Codes
    forecasts: Forecasts
    listed: Ratings

    @property
    def expected(self) -> Floats:
        """What each first player is expected to score."""
        return self.forecasts.expected

    @property
    def provenance(self) -> Provenance:
        """Where it came from."""
        return self.listed.provenance

    @property
    def n_matches(self) -> int:
        """Matches of the record."""
        return self.listed.n_matches

    @property
    def n_players(self) -> int:
        """Players of the record."""
        return self.listed.n_players

    @property
    def draw_rate(self) -> float:
        """Of the record."""
        return self.listed.draw_rate

    def to_frame(self) -> pl.DataFrame:
        """player_1, player_2, ratings, expected_score, win, draw, loss, and the ends of the interval."""
        import polars as pl

        told, found = self.fixtures, self.forecasts
        columns: dict[str, Any] = {"player_1": told.first, "player_2": told.second}
        columns |= {} if told.time is None else {"time": told.time}
        columns |= {} if told.seat is None else {"advantage": told.seat}
        columns |= {"rating_1": self.listed.rating[self.first], "rating_2": self.listed.rating[self.second]}
        columns |= {"expected_score": found.expected, "win": found.win, "draw": found.draw, "loss": found.loss}
        if found.interval is not None:
            columns |= {"win_low": found.interval[:, 0], "win_high": found.interval[:, 1]}
        return pl.DataFrame(columns)

    def document(self) -> dict[str, Any]:
        """The JSON document: one entry per pair."""
        absent = {}
        if self.forecasts.interval is None:
            absent["pairs.outcomes.interval"] = _NO_INTERVAL.format(self.provenance.method)
        return {
            "system": self.provenance.method,
            "parameters": self.provenance.parameters,
            "pairs": [_describe_pair(row) for row in self.to_frame().iter_rows(named=True)],
            "absent": absent,
        }

    def summary(self) -> str:
        """One line per pair."""
        rows = [_describe_pair(row) for row in self.to_frame().head(_LISTED).iter_rows(named=True)]
        headers = ["", "", "first wins", "95% interval", "draw", "second wins"]
        table = []
        for row in rows:
            outcomes = row["outcomes"]
            win, *others = percentages([outcomes["win"], outcomes["draw"], outcomes["loss"]])
            ends = outcomes["interval"]
            table.append([row["player_1"], row["player_2"], win, _describe_interval(ends) if ends else "", *others])
        kept = [place for place in range(6) if (place != 4 or self.draw_rate) and (place != 3 or table[0][3])]
        lines = format_table([headers[k] for k in kept], [[row[k] for k in kept] for row in table], left=(0, 1))
        rest = len(self.first) - len(rows)
        return f"{lines}\nand {rest:,} more (--csv writes all)" if rest > 0 else lines


@dataclass(frozen=True, eq=False)
class Outlook:
    """A record that was played to its end, ready for forecasts."""

    system: RatingSystem[Any]
    state: Any
    draws: DrawTally
    listed: Ratings

    @classmethod
    def of(cls, matches: Matches | Iterable[Matches], system: AnySystem | None) -> Self:
        """Play the record."""
        chosen = prepare(default_system(matches) if system is None else system, matches)
        tally, draws = Tally(), DrawTally()
        state = chosen.start(0)
        for batch in matches:
            tally.add(batch)
            state, expected, level = play_with_levels(chosen, state, batch)
            draws.add_matches(expected, batch, level)
        return cls(chosen, state, draws, tally.ratings(chosen, state))

    def codes(self, names: tuple[str, ...]) -> Codes:
        """The codes of these players, who have to have played."""
        codes = self.listed.players.codes(names)
        for name, code in zip(names, codes, strict=True):
            if not self.listed.matches[code]:
                raise LudometerError(f"{name!r} has no match in the record")
        return codes

    def forecast(self, first: Codes, second: Codes, seat: Halves | None = None) -> Forecasts:
        """Win, draw and loss of the first players; `seat` counts for systems that know an advantage."""
        expected = self._expect(first, second, seat)
        level = (self.listed.rating[first] + self.listed.rating[second]) / 2
        win, draw, loss = self._split(expected, level)
        return Forecasts(expected, win, draw, loss, self._interval(first, second, seat, level))

    def _expect(self, first: Codes, second: Codes, seat: Halves | None) -> Floats:
        if seat is None or "advantage" not in getattr(self.system, "uses", ()):
            return self.system.expect(self.state, first, second)
        expected: Floats = self.system.expect(self.state, first, second, seat)  # type: ignore[call-arg]  # it uses it
        return expected

    def _split(self, expected: Floats, level: Floats) -> tuple[Floats, Floats, Floats]:
        draw = self._draws.probability(expected, level)
        return np.maximum(expected - draw / 2, 0.0), draw, np.maximum(1 - expected - draw / 2, 0.0)

    @cached_property
    def _draws(self) -> DrawModel:
        return self.draws.model()

    def _interval(self, first: Codes, second: Codes, seat: Halves | None, level: Floats) -> Floats | None:
        """Of the probability of a win: the difference of strength is normal, and its ends are put into the curve."""
        if self.listed.sd is None or not getattr(self.system, "is_on_elo_scale", True):
            return None
        sd = from_elo(self.listed.sd_of_difference(first, second))
        centre = from_elo(self.listed.rating[first] - self.listed.rating[second])
        if seat is not None:
            # what the seat is worth, with the flattening by uncertainty taken out of the forecast
            shift = _logit(self._expect(first, second, seat)) - _logit(self._expect(first, second, None))
            centre = centre + shift * np.sqrt(1 + math.pi / 8 * sd**2)
        ends = [self._split(expected_score(to_elo(centre + side * _REACH * sd)), level)[0] for side in (-1, 1)]
        return np.column_stack(ends)


def _outcomes(win: float, draw: float, loss: float, interval: Sequence[float] | None) -> dict[str, Any]:
    return {"win": win, "draw": draw, "loss": loss, "interval": None if interval is None else list(interval)}


def _describe_pair(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the table as JSON has it."""
    ends = (row.pop("win_low"), row.pop("win_high")) if "win_low" in row else None
    return row | {"outcomes": _outcomes(row.pop("win"), row.pop("draw"), row.pop("loss"), ends)}


def _describe_interval(ends: Sequence[float]) -> str:
    low, high = (percent(end, 0) for end in ends)
    return f"[{low}, {high}]"


def _logit(probability: Floats) -> Floats:
    inside = np.clip(probability, 1e-15, 1 - 1e-15)
    return np.log(inside / (1 - inside))


def _forecast_places(players: tuple[str, ...], codes: Codes, outlook: Outlook) -> PlacesPrediction:
    expect_places, listed = getattr(outlook.system, "expect_places", None), outlook.listed
    if expect_places is None:
        raise LudometerError(f"{outlook.system.name} predicts two-player matches only")
    return PlacesPrediction(
        players=players,
        ratings=tuple(float(listed.rating[code]) for code in codes),
        probability=np.clip(expect_places(outlook.state, codes), 0.0, 1.0),
        n_matches=listed.n_matches,
        n_players=listed.n_players,
        draw_rate=listed.draw_rate,
        provenance=listed.provenance,
    )
