"""Series Elo: ratings on the scale of a game's own scores, for tables of any number of players."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ludometer.arrays import Array, Codes, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.matches import Matches, Pairs
from ludometer.ratings.prizes import WINNER, Prizes, seat_columns
from ludometer.ratings.scores.series import SERIES_COLUMNS, scores_of
from ludometer.ratings.systems.tuning import Knob

Form = Literal["proportional", "additive"]

_HALF = 0.25
"""Of the variance, where the start value makes up half of a rating."""


@dataclass(frozen=True)
class SeriesState:
    """Players' rows, and the sum of squares of S - E with its degrees of freedom, which give the SD of a score."""

    player: Floats
    spread: Floats

    @property
    def sd(self) -> float:
        """The SD of a score around its expectation; 0 if nothing was played."""
        return math.sqrt(self.spread[0] / self.spread[1]) if self.spread[1] > 0 else 0.0


@dataclass(frozen=True)
class SeriesElo:
    """E_i = R_i S / R with S the sum of the scores and R of the ratings at a table, R_i += K (S_i - E_i).

    Edelkamp, "ELO System for Skat and Other Games of Chance", section "Including Opponent Strength". Departures: where
    S or a rating is not above 0, the formula would expect the strongest player to lose most; there it is
    E_i = R_i + (S - R) / n, which the form "additive" always uses (a proposal of 2007, with K 0.1). The mean of a
    player's `first` series can replace the start (the paper divides a sum of n + 1 terms by n; here it is the mean of
    n). K falls from `newcomer_k` to k over `newcomer_series`. Unequal steps would create points, so `balanced` measures
    all scores against the step-weighted mean and the sum of ratings stays constant; without it newcomers settle faster
    and the sum drifts. A `floor` creates points too.

    Ratings are in points of the scores. Forecasts of the finishing order assume that scores spread around ratings as
    much as they have so far.

    >>> from ludometer.ratings.scores.series import make_series
    >>> series = make_series({"series": [1, 1, 1], "player": ["A", "B", "C"], "score": [1387, 1018, 152]})
    >>> elo = SeriesElo(k=0.02, start_rating=800)
    >>> state, _ = elo.play(elo.start(3), series)
    >>> elo.ratings(state).round(2).tolist()
    [810.69, 803.31, 785.99]
    """

    k: float = 0.02
    start_rating: float = 800.0
    form: Form = "proportional"
    newcomer_k: float | None = None
    newcomer_series: int = 20
    balanced: bool = True
    first: int = 0
    floor: float | None = None
    start_sd: float | None = None
    """SD of strengths around the start; None: estimated from the ratings."""
    prizes: Prizes = WINNER
    """What is forecast."""
    uses: ClassVar[tuple[str, ...]] = SERIES_COLUMNS
    is_on_elo_scale: ClassVar[bool] = False
    tunable: ClassVar[tuple[Knob, ...]] = (Knob("k", 1e-4, 1.0),)
    _usual: ClassVar[tuple[str, ...]] = ("k", "start_rating", "form")

    def __post_init__(self) -> None:
        steps = (self.k, self.k if self.newcomer_k is None else self.newcomer_k)
        if not all(isinstance(step, int | float) and math.isfinite(step) and step >= 0 for step in steps):
            raise LudometerError(f"k must be a number from 0 up, not {steps[0]} and {steps[1]}")
        if max(steps) > 1:
            raise LudometerError(
                f"k {max(steps):g} is too large for series Elo: at 1 a rating follows the last score alone, above it "
                "ratings grow without end. k is the share of a surplus that counts, usually 0.02; Elo's k of 16 to 32 "
                "is for wins and losses (--system elo)"
            )
        if not isinstance(self.start_rating, int | float) or not math.isfinite(self.start_rating):
            raise LudometerError(f"the start rating must be a number, not {self.start_rating!r}")
        if self.form not in ("proportional", "additive"):
            raise LudometerError(f"the form must be proportional or additive, not {self.form!r}")
        if self.first < 0 or self.newcomer_series < 1:
            raise LudometerError("first must be 0 or more, and newcomer_series 1 or more")
        if self.floor is not None and not self.floor <= self.start_rating:
            raise LudometerError(f"the floor {self.floor} is above the start rating {self.start_rating}")

    @property
    def name(self) -> str:
        """What users call it."""
        return "series-elo" if self.form == "proportional" else "additive-series-elo"

    @property
    def parameters(self) -> dict[str, Any]:
        """k, start and form; the others where they are not the usual ones."""
        given = {
            own.name: getattr(self, own.name)
            for own in fields(self)
            if own.name in self._usual or getattr(self, own.name) != own.default
        }
        return given | ({"prizes": self.prizes.name} if "prizes" in given else {})

    @property
    def rules(self) -> Floats:
        """The parameters as the kernel takes them."""
        newcomers = self.newcomer_k is not None
        return np.array(
            [
                self.k,
                self.newcomer_k if self.newcomer_k is not None else self.k,
                self.newcomer_series if newcomers else 0,
                self.first,
                self.form == "additive",
                self.balanced,
                -math.inf if self.floor is None else self.floor,
            ]
        )

    def start(self, n_players: int) -> SeriesState:
        """Everybody at the start rating."""
        return SeriesState(self._newcomers(n_players), np.zeros(2))

    def play(self, state: SeriesState, matches: Matches) -> tuple[SeriesState, Floats]:
        """Play the series in order; what is expected is the share of the largest prize, as in all systems."""
        from ludometer.kernels.systems.scores import BEFORE, forecast_pass

        after, audit, sd = self.play_with_audit(state, matches)
        expected = np.empty(len(audit))
        prize, _ = seat_columns(matches.seats, self.prizes)
        forecast_pass(matches.seats.starts, np.ascontiguousarray(audit[:, BEFORE]), sd, prize, expected)
        return after, expected[::2] if isinstance(matches.table, Pairs) else expected

    def play_with_audit(self, state: SeriesState, matches: Matches) -> tuple[SeriesState, Floats, Floats]:
        """The state after the series, each seat's update (columns as in the kernel), the SD before each series."""
        score = scores_of(matches)
        audit, sd = np.empty((len(score), 6)), np.empty(len(matches))
        return self._play(state, matches, audit, sd), audit, sd

    def settle(self, state: SeriesState, matches: Matches) -> SeriesState:
        """The state after the series, and nothing else: the fastest way."""
        return self._play(state, matches, np.empty((0, 6)), np.empty(0))

    def ratings(self, state: SeriesState) -> Floats:
        """In points of the scores."""
        return state.player[:, 0].copy()

    def uncertainty(self, state: SeriesState) -> Floats:
        """SD of each rating around the player's strength: noise, about sd sqrt(K / 2), and what the start adds."""
        return self.deviation(state, state.player[:, 2], state.player[:, 3])

    def deviation(self, state: SeriesState, noise: Floats, begin: Floats) -> Floats:
        """SD of ratings that carry these parts of the variances of a score and of the start.

        Where the variance of strengths is estimated, one standard error is added: a few short careers may show none by
        chance, and a newcomer's rating would look certain.
        """
        variance, error = self._strength_variance(state)
        return np.sqrt(noise * state.sd**2 + begin * (variance + error))

    def strength_sd(self, state: SeriesState) -> float:
        """SD of strengths around the start: given, or the spread of ratings beyond their noise."""
        return math.sqrt(self._strength_variance(state)[0])

    def _strength_variance(self, state: SeriesState) -> tuple[float, float]:
        """The variance of strengths about the start and its standard error, by moments.

        (R - start)^2 has the expectation (1 - b)^2 times it, with b the start's share of a rating, plus the noise.
        """
        if self.start_sd is not None:
            return self.start_sd**2, 0.0
        rating, _, noise, begin = state.player[state.player[:, 1] > 0].T
        weight = (1 - np.sqrt(begin)) ** 2
        known = float(weight.sum())
        if known <= 0:
            return 0.0, 0.0
        excess = float(((rating - self.start_rating) ** 2 - noise * state.sd**2).sum())
        variance = max(excess, 0.0) / known
        each = noise * state.sd**2 + weight * variance
        return variance, math.sqrt(2 * float(each @ each)) / known

    def is_provisional(self, state: SeriesState) -> Mask:
        """Players whose start value still makes up more than half of their rating."""
        return np.asarray(state.player[:, 3] > _HALF)

    def expect(self, state: SeriesState, first: Codes, second: Codes) -> Floats:
        """The chance that each first player scores more than each second one in a series."""
        natural = self._natural(state)
        return np.asarray(1 / (1 + np.exp(natural[second] - natural[first])))

    def expect_places(self, state: SeriesState, players: Codes) -> Floats:
        """The probability of each place (columns) for each of these players (rows) in a series of all of them."""
        from ludometer.kernels.skills.ranks import SPREAD, rank_probabilities

        natural = self._natural(state)[players]
        return rank_probabilities(np.exp(np.maximum(natural - natural.max(), -SPREAD)))

    def standing(self, ratings: Floats, series: Array, *, size: int = 3) -> SeriesState:
        """The state of a published list: ratings, and how many series each player had, at tables of this size."""
        from ludometer.kernels.systems.scores import NOISE, RATING, SERIES, START

        state = self.start(len(ratings))
        left = (1 - self.k * (1 - 1 / size)) ** (2 * np.asarray(series, np.float64))
        state.player[:, RATING], state.player[:, SERIES] = ratings, series
        state.player[:, START], state.player[:, NOISE] = left, (1 - left) * self.k / 2
        return state

    def _newcomers(self, n_players: int) -> Floats:
        from ludometer.kernels.systems.scores import RATING, START

        player = np.zeros((n_players, 4))
        player[:, RATING], player[:, START] = self.start_rating, 1.0
        return player

    def _play(self, state: SeriesState, matches: Matches, audit: Floats, sd: Floats) -> SeriesState:
        from ludometer.kernels.systems.scores import series_pass

        score, seats = scores_of(matches), matches.seats
        grown = max(len(matches.players) - len(state.player), 0)
        player = np.concatenate((state.player, self._newcomers(grown)))
        spread = state.spread.copy()
        series_pass(seats.starts, seats.player, score, self.rules, player, spread, audit, sd)
        return SeriesState(player, spread)

    def _natural(self, state: SeriesState) -> Floats:
        from ludometer.kernels.systems.scores import gumbel_scale

        scale = float(gumbel_scale(state.sd))
        return state.player[:, 0] / scale if scale > 0 else np.zeros(len(state.player))


@dataclass(frozen=True)
class SeriesEloFromMean:
    """Series Elo whose start value is the mean score of the record, so that ratings read as mean scores.

    The level of ratings is that of the start: their sum does not change.
    """

    system: SeriesElo = SeriesElo()
    uses: ClassVar[tuple[str, ...]] = SERIES_COLUMNS

    @property
    def name(self) -> str:
        """That of the system it becomes."""
        return self.system.name

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the system, but the start."""
        return self.system.parameters | {"start_rating": "mean"}

    def fitted(self, matches: Matches, *, in_sample: bool) -> SeriesElo:  # noqa: ARG002 - a mean forecasts nothing
        """The system, from the mean of these scores."""
        return replace(self.system, start_rating=float(scores_of(matches).mean()))


def make_series_elo(
    *, k: float = 0.02, start: str | float = 800.0, form: Form = "proportional", **parameters: Any
) -> SeriesElo | SeriesEloFromMean:
    """Series Elo as users write it: the start is a number, "mean" (of all scores) or "first:10" (of one's first ten).

    >>> make_series_elo(start="first:10").parameters
    {'k': 0.02, 'start_rating': 800.0, 'form': 'proportional', 'first': 10}
    """
    word = str(start).strip()
    if word == "mean":
        return SeriesEloFromMean(SeriesElo(k=k, form=form, **parameters))
    if word.startswith("first:"):
        number = word.removeprefix("first:")
        if not number.isdecimal() or int(number) < 1:
            raise LudometerError(f"start {word!r}: write first:10 for the mean of the first ten series")
        return SeriesElo(k=k, form=form, first=int(number), **parameters)
    try:
        return SeriesElo(k=k, form=form, start_rating=float(word), **parameters)
    except ValueError as error:
        raise LudometerError(f"start {word!r}: write a number, mean, or first:10") from error
