"""`evaluate`: rating systems compared by their forecasts, each made before its match."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Counts, Floats, Mask
from ludometer.chart_style import GREY, INK
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, Seats, as_moment
from ludometer.ratings.driver import AnySystem, RatingSystem, Tally, prepare
from ludometer.ratings.prizes import WINNER, Prizes, seat_columns
from ludometer.ratings.systems.elo import Elo
from ludometer.result import Provenance, Shown
from ludometer.wording import PERCENT_LABELS, percent

if TYPE_CHECKING:
    import polars as pl

_SURE = 1e-15
"""Forecasts are kept this far from 0 and 1, so that the log loss stays finite."""


@dataclass(frozen=True)
class Judged:
    """Forecasts scored, one number per match, and the favourite: what they were expected to score, and scored."""

    log_loss: Floats
    brier: Floats
    accuracy: Floats
    favourite: Floats
    scored: Floats

    def take(self, kept: Mask) -> Judged:
        """Only these matches."""
        return Judged(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Outcomes:
    """How matches ended, ready to score the forecasts of any system."""

    matches: Matches
    score: Floats
    """What the first player scored, or each seat's share of the largest prize."""

    @classmethod
    def of(cls, matches: Matches, prizes: Prizes) -> Outcomes:
        """The outcomes of matches that were played for these prizes."""
        if isinstance(matches.table, Seats):
            return cls(matches, seat_columns(matches.table, prizes)[1])
        return cls(matches, matches.pairs.score)

    def coin(self) -> Floats:
        """The forecasts of somebody who knows nothing: equal chances in every match."""
        table = self.matches.table
        if isinstance(table, Seats):
            return np.repeat(_sum(self.score, table.starts) / table.sizes, table.sizes)
        return np.full(len(self.score), 0.5)

    def judge(self, expected: Floats) -> Judged:
        """Score forecasts.

        Two players: log loss -(S ln E + (1 - S) ln(1 - E)), Brier score (S - E)^2 of one side, accuracy with one half
        for a draw or an even forecast. Multiplayer, with shares s = S / sum of S and e = E / sum of E: log loss
        -(sum of s ln e), half the sum of (S - E)^2, and whether the seat with the highest expectation came first;
        seats that share either place share the point. For two players both definitions agree.
        """
        table = self.matches.table
        if isinstance(table, Seats):
            return _judge_seats(table, self.score, expected)
        return _judge_pairs(self.score, expected)


def _judge_pairs(score: Floats, expected: Floats) -> Judged:
    sure = np.clip(expected, _SURE, 1 - _SURE)
    even = (expected == 0.5) | (score == 0.5)
    return Judged(
        log_loss=-(score * np.log(sure) + (1 - score) * np.log1p(-sure)),
        brier=(score - expected) ** 2,
        accuracy=np.where(even, 0.5, (expected > 0.5) == (score > 0.5)),
        favourite=np.maximum(expected, 1 - expected),
        scored=np.where(expected == 0.5, 0.5, np.where(expected > 0.5, score, 1 - score)),
    )


def _judge_seats(table: Seats, score: Floats, expected: Floats) -> Judged:
    starts, sizes = table.starts, table.sizes
    if not len(table):
        return Judged(*np.zeros((5, 0)))
    share = score / np.repeat(_sum(score, starts), sizes)
    forecast = expected / np.repeat(_sum(expected, starts), sizes)
    highest = np.maximum.reduceat(expected, starts[:-1])
    is_favourite = expected == np.repeat(highest, sizes)
    n_favourites = _sum(is_favourite, starts)
    won = table.place == 1
    return Judged(
        log_loss=-_sum(share * np.log(np.maximum(forecast, _SURE)), starts),
        brier=0.5 * _sum((score - expected) ** 2, starts),
        accuracy=_sum(is_favourite & won, starts) / n_favourites / _sum(won, starts),
        favourite=highest,
        scored=_sum(np.where(is_favourite, score, 0.0), starts) / n_favourites,
    )


def _sum(values: Floats | Mask, starts: Counts) -> Floats:
    """Sums over the seats of each match."""
    return np.asarray(np.add.reduceat(values.astype(np.float64), starts[:-1])) if len(starts) > 1 else np.zeros(0)


@dataclass(frozen=True)
class Calibration:
    """What favourites scored, in bins of what they were expected to score: a forecast of 70% should come true in 70%.

    The favourite's side is counted, so that it does not matter who is listed first; an even forecast counts one half.
    In multiplayer matches both are shares of the largest prize.
    """

    low: Floats
    high: Floats
    n: Counts
    forecast: Floats
    score: Floats
    interval_low: Floats
    interval_high: Floats

    def to_frame(self) -> pl.DataFrame:
        """One row per bin with forecasts."""
        import polars as pl

        return pl.DataFrame({name: getattr(self, name) for name in self.__dataclass_fields__})

    def document(self) -> list[dict[str, Any]]:
        """One entry per bin."""
        return [
            {"from": row["low"], "to": row["high"]}
            | {name: row[name] for name in ("n", "forecast", "score")}
            | {"score_interval": [row["interval_low"], row["interval_high"]]}
            for row in self.to_frame().iter_rows(named=True)
        ]


@dataclass(frozen=True)
class SystemScore:
    """How well one system predicted."""

    system: str
    log_loss: float
    brier: float
    accuracy: float
    n: int
    calibration: Calibration
    seconds: float
    parameters: dict[str, Any] = field(default_factory=dict)
    difference: float = 0.0
    """Log loss above that of the best system."""
    difference_se: float = 0.0
    """Its standard error: the SD of the differences between matches, divided by the root of their number.

    Matches count as independent; where the same players meet often the true error is somewhat larger.
    """

    def document(self) -> dict[str, Any]:
        """The numbers without parameters and calibration."""
        names = ("system", "log_loss", "brier", "accuracy", "n", "difference", "difference_se")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Evaluation(Shown):
    """Rating systems side by side, and a coin flip for comparison."""

    systems: tuple[SystemScore, ...]
    coin: SystemScore
    n_matches: int
    n_players: int
    draw_rate: float
    provenance: Provenance
    left_out: dict[str, str] = field(default_factory=dict)
    """Systems of the catalogue that could not be fitted, with the reason."""

    @property
    def ranking(self) -> list[SystemScore]:
        """The systems, least log loss first."""
        return sorted(self.systems, key=lambda score: score.log_loss)

    def to_frame(self) -> pl.DataFrame:
        """system, log_loss, brier, accuracy, n, and the difference in log loss with its error: best first."""
        import polars as pl

        return pl.DataFrame([score.document() for score in self.ranking], schema_overrides={"n": pl.Int64})

    def document(self, *, timing: bool = False) -> dict[str, Any]:
        """The JSON document: systems with the best first, and the coin; `timing` adds seconds."""
        return {
            "systems": [
                score.document()
                | {"parameters": score.parameters, "calibration": score.calibration.document()}
                | ({"seconds": score.seconds} if timing else {})
                for score in self.ranking
            ],
            "coin": self.coin.document(),
            "absent": {f"systems.{name}": reason for name, reason in self.left_out.items()},
        }

    def summary(self) -> str:
        """One line per system with its distance to the best and a standard error, and what a coin would score."""
        width = max(len(score.system) for score in (*self.systems, self.coin))
        compares = len(self.systems) > 1
        lines = [f"{'':{width}}  log loss    Brier  accuracy    matches" + ("  above the best" if compares else "")]
        for place, score in enumerate((*self.ranking, self.coin)):
            numbers = f"{score.log_loss:8.4f}  {score.brier:7.4f}  {percent(score.accuracy):>8}  {score.n:9,}"
            above = f"  {score.difference:.4f} ± {score.difference_se:.4f}" if compares and place else ""
            lines.append(f"{score.system:{width}}  {numbers}{above}")
        lines += [f"{name} is left out: {reason}" for name, reason in self.left_out.items()]
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The calibration curves: what favourites were expected to score, and what they scored."""
        import altair as alt

        rows = [
            {"system": score.system} | row
            for score in self.systems
            for row in score.calibration.to_frame().iter_rows(named=True)
        ]
        axis = alt.Axis(labelExpr=PERCENT_LABELS)
        lowest = 0.5 if min((row["low"] for row in rows), default=0.5) >= 0.5 else 0.0
        domain = alt.Scale(domain=[lowest, 1])
        size = 260 if narrow else 360
        base = alt.Chart(alt.InlineData(values=rows), width=size, height=size, title="Do the forecasts come true?")
        x = alt.X("forecast:Q", title="Favourite expected to score", axis=axis, scale=domain)
        shape = alt.Shape("system:N", title="System") if len(self.systems) > 1 else alt.Undefined
        color = alt.Color("system:N", title="System") if len(self.systems) > 1 else alt.value(INK)
        even = alt.Chart(alt.InlineData(values=[{"a": lowest}, {"a": 1.0}])).mark_line(strokeDash=[4, 3], color=GREY)
        chart = (
            even.encode(x=alt.X("a:Q", scale=domain), y=alt.Y("a:Q"))
            + base.mark_rule(color=GREY).encode(
                x=x,
                y=alt.Y("interval_low:Q", title="Favourite scored", axis=axis, scale=alt.Scale(zero=False)),
                y2="interval_high:Q",
            )
            + base.mark_point(filled=True, size=60).encode(x=x, y="score:Q", shape=shape, color=color)
        )
        return {"calibration": chart}


def evaluate(
    matches: Matches | Iterable[Matches],
    *,
    systems: Sequence[AnySystem] | None = None,
    since: str | float | date | None = None,
    bins: int = 10,
    prizes: Prizes = WINNER,
) -> Evaluation:
    """Score rating systems by their forecasts, each made before its match; all matches count, or those from `since`.

    Log loss -(S ln E + (1 - S) ln(1 - E)), Brier score (S - E)^2 of one side, accuracy with one half for a draw or an
    even forecast; `Outcomes.judge` has the multiplayer forms. All systems have to play for the same prizes. Without
    `systems` those of the catalogue that can play the record are compared, for a stream Elo alone, for these `prizes`;
    a system that cannot be fitted is left out.

    >>> matches = Matches.of_pairs([0] * 50, [1] * 50, [1] * 50)
    >>> evaluate(matches, systems=[Elo(k=24)]).systems[0].accuracy
    0.99
    """
    if systems is not None and not systems:
        raise LudometerError("name at least one rating system")
    if bins < 1:
        raise LudometerError(f"a calibration curve needs at least 1 bin, not {bins}")
    chosen, left_out = _prepared(matches, systems, since, prizes)
    names = _labels(chosen)
    states = [system.start(0) for system in chosen]
    stakes = _common_prizes(chosen)
    lowest = 0.0 if isinstance(matches, Matches) and isinstance(matches.table, Seats) else 0.5
    scoring, tally = Scoring(len(chosen), bins=bins, lowest=lowest), Tally()

    def forecast(batch: Matches) -> Iterator[Floats]:
        for place, system in enumerate(chosen):
            begin = clock.perf_counter()
            states[place], expected = system.play(states[place], batch)
            scoring.scores[1 + place].seconds += clock.perf_counter() - begin
            yield expected

    for batch in matches:
        tally.add(batch)
        scoring.add(Outcomes.of(batch, stakes), forecast(batch), _counted(batch, since))
    if not scoring.scores[0].n:
        raise MatchDataError("there are no matches to score" + ("" if since is None else f" from {since} on"))
    coin, *scores = scoring.finish({name: system.parameters for name, system in zip(names, chosen, strict=True)})
    return Evaluation(
        tuple(scores),
        coin,
        tally.n_matches,
        int((tally.played > 0).sum()),
        tally.n_draws / tally.n_matches,
        Provenance(
            "evaluate", {name: s.parameters for name, s in zip(names, chosen, strict=True)}, tally.digest.hexdigest()
        ),
        left_out,
    )


def _prepared(
    matches: Matches | Iterable[Matches],
    systems: Sequence[AnySystem] | None,
    since: str | float | date | None,
    prizes: Prizes,
) -> tuple[list[RatingSystem[Any]], dict[str, str]]:
    """The systems ready to play, and why others are left out."""
    from ludometer.ratings.catalogue import all_systems

    scored = _counted(matches, since) if isinstance(matches, Matches) else None
    if systems is not None:
        return [prepare(system, matches, scored) for system in systems], {}
    if not isinstance(matches, Matches):
        # nothing can be fitted to a stream, and its kind of matches is not known yet
        return [Elo(prizes=prizes)], {}
    ready, left_out = [], {}
    multiplayer = isinstance(matches.table, Seats)
    # two-player matches are played for the win
    for system in all_systems(multiplayer=multiplayer, prizes=prizes if multiplayer else WINNER):
        try:
            ready.append(prepare(system, matches, scored))
        except LudometerError as error:
            left_out[system.name] = str(error)
    return ready, left_out


class _Differences:
    """Sums of the differences in log loss between each two systems, match by match; the coin comes first."""

    def __init__(self, n_systems: int) -> None:
        self.total, self.squares = np.zeros((2, n_systems, n_systems))
        self.n = 0

    def add(self, losses: list[Floats]) -> None:
        self.n += len(losses[0])
        for i, one in enumerate(losses):
            for j, other in enumerate(losses[:i]):
                difference = one - other
                for a, b, sign in ((i, j, 1), (j, i, -1)):
                    self.total[a, b] += sign * float(difference.sum())
                    self.squares[a, b] += float(difference @ difference)

    def compare(self, scores: list[SystemScore]) -> list[SystemScore]:
        """The scores with their differences to the best system."""
        best = 1 + int(np.argmin([score.log_loss for score in scores[1:]]))
        mean = self.total[:, best] / self.n
        variance = np.maximum(self.squares[:, best] / self.n - mean**2, 0.0) / max(self.n - 1, 1)
        error = np.sqrt(variance)
        return [
            replace(score, difference=float(mean[k]), difference_se=float(error[k])) for k, score in enumerate(scores)
        ]


class Scoring:
    """Forecasts of several systems, and of a coin beside them, scored part by part."""

    def __init__(self, n_systems: int, *, bins: int = 10, lowest: float = 0.5) -> None:
        self.scores = [_Scores(bins, lowest) for _ in range(n_systems + 1)]
        self.differences = _Differences(n_systems + 1)

    def add(self, outcomes: Outcomes, forecasts: Iterable[Floats], counted: Mask | None = None) -> None:
        """Score what each system expected of the same matches."""
        every = chain([outcomes.coin()], forecasts)
        judged = zip(self.scores, every, strict=True)
        self.differences.add([score.add(outcomes.judge(expected), counted) for score, expected in judged])

    def finish(self, parameters: dict[str, dict[str, Any]]) -> list[SystemScore]:
        """The coin, and the systems by their names, in the order of their forecasts."""
        named = {"coin flip": {}, **parameters}.items()
        return self.differences.compare(
            [score.finish(name, given) for score, (name, given) in zip(self.scores, named, strict=True)]
        )


class _Scores:
    """Sums over the forecasts of one system."""

    def __init__(self, bins: int, lowest: float) -> None:
        self.bins, self.lowest = bins, lowest
        self.n = 0
        self.log_loss = self.brier = self.accuracy = self.seconds = 0.0
        self.count, self.forecast, self.score = np.zeros((3, bins))

    def add(self, judged: Judged, counted: Mask | None) -> Floats:
        """Take in forecasts, and return the log losses of those that count."""
        if counted is not None:
            judged = judged.take(counted)
        self.n += len(judged.brier)
        self.log_loss += float(judged.log_loss.sum())
        self.brier += float(judged.brier.sum())
        self.accuracy += float(judged.accuracy.sum())
        share = (judged.favourite - self.lowest) / (1 - self.lowest)
        place = np.minimum((share * self.bins).astype(np.int64), self.bins - 1)
        self.count += np.bincount(place, minlength=self.bins)
        self.forecast += np.bincount(place, weights=judged.favourite, minlength=self.bins)
        self.score += np.bincount(place, weights=judged.scored, minlength=self.bins)
        return judged.log_loss

    def finish(self, name: str, parameters: dict[str, Any]) -> SystemScore:
        n = max(self.n, 1)
        return SystemScore(
            name,
            self.log_loss / n,
            self.brier / n,
            self.accuracy / n,
            self.n,
            self._calibration(),
            self.seconds,
            parameters,
        )

    def _calibration(self) -> Calibration:
        edges = np.linspace(self.lowest, 1, self.bins + 1)
        used = self.count > 0
        n = self.count[used]
        score = self.score[used] / n
        low, high = wilson_interval(score, n)
        return Calibration(
            edges[:-1][used], edges[1:][used], n.astype(np.int64), self.forecast[used] / n, score, low, high
        )


def wilson_interval(share: Floats, n: Floats, z: float = 1.959964) -> tuple[Floats, Floats]:
    """The 95% interval of a share of n by Wilson's score; with draws, which vary less, it is on the wide side.

    >>> [round(float(end), 3) for end in wilson_interval(np.array(0.7), np.array(100))]
    [0.604, 0.781]
    """
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def _counted(batch: Matches, since: str | float | date | None) -> Mask | None:
    if since is None:
        return None
    if batch.time is None:
        raise MatchDataError(f"the matches have no times, so those from {since} on are unknown; --time names a column")
    try:
        moment = as_moment(since, batch.time)
    except LudometerError:
        wanted = "a date, such as 2015-01-31" if batch.time.dtype.kind == "M" else "a number, like the times in it"
        raise LudometerError(f"--from {since}: write {wanted}") from None
    return np.asarray(batch.time >= moment)


def _labels(systems: Sequence[RatingSystem[Any]]) -> list[str]:
    """The systems' names, with the parameters that distinguish two of a kind."""
    labels = []
    for system in systems:
        same = [other.parameters for other in systems if other.name == system.name]
        telling = [key for key in system.parameters if len({str(other.get(key)) for other in same}) > 1]
        details = ", ".join(f"{key} {_as_word(system.parameters.get(key))}" for key in telling)
        labels.append(f"{system.name} ({details})" if details else system.name)
    return labels


def _as_word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _common_prizes(systems: Sequence[RatingSystem[Any]]) -> Prizes:
    """The prizes that all systems play for: forecasts of different prizes cannot be compared."""
    prizes = {getattr(system, "prizes", WINNER) for system in systems}
    if len(prizes) > 1:
        raise LudometerError(f"the systems play for different prizes: {', '.join(sorted(one.name for one in prizes))}")
    return next(iter(prizes))
