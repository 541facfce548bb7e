"""`evaluate`: rating systems tuned to the first part of a record and compared by their forecasts of the rest."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats, Halves, Mask
from ludometer.chart_style import GREY, INK
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, Seats, as_moment
from ludometer.ratings.draws import DrawTally
from ludometer.ratings.driver import AnySystem, RatingSystem, Tally, play_with_levels, prepare
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.ratings.scoring import Differences, Figures, Outcomes, Scoring, SystemScore
from ludometer.ratings.systems.elo import Elo
from ludometer.ratings.systems.tuning import COLD_START
from ludometer.result import Provenance, Shown
from ludometer.wording import PERCENT_LABELS, percent, time_text

if TYPE_CHECKING:
    import polars as pl

FEWEST = 50
"""With fewer matches before those that are scored nothing is tuned: chance would decide."""

BLOCKS = 20
"""Parts of the matches that are scored: how draws depend on the level of a pair is found anew before each."""


@dataclass(frozen=True)
class Tuning:
    """The first part of a record, to which systems were tuned."""

    n_matches: int
    since: Any = None
    """The time of the first match that is scored; None without times."""

    @property
    def skipped(self) -> int:
        """The cold start: matches that were played but did not count."""
        return int(COLD_START * self.n_matches)

    def document(self) -> dict[str, Any]:
        """matches, skipped, and from where matches are scored."""
        return {"matches": self.n_matches, "skipped": self.skipped, "from": time_text(self.since)}


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
    tuning: Tuning | None = None
    """The matches that systems were tuned to; None if no system was."""

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
        absent = {f"systems.{name}": reason for name, reason in self.left_out.items()}
        if any(score.log_loss_three is None for score in self.systems):
            absent["systems.log_loss_three"] = "needs draws in two-player matches before those that are scored"
        if self.tuning is None:
            absent["tuning"] = "no system was tuned"
        elif self.tuning.since is None:
            absent["tuning.from"] = "the matches have no times"
        return {
            "systems": [self._entry(score) | ({"seconds": score.seconds} if timing else {}) for score in self.ranking],
            "coin": self.coin.document(),
            "tuning": None if self.tuning is None else self.tuning.document(),
            "warnings": self.warnings,
            "absent": absent,
        }

    def _entry(self, score: SystemScore) -> dict[str, Any]:
        return score.document() | {
            "parameters": score.parameters,
            "tuned": score.tuned,
            "untuned": asdict(score.untuned or score.figures),
            "log_loss_three": score.log_loss_three,
            "worse_than_coin": self.is_worse_than_coin(score),
            "calibration": score.calibration.document(),
        }

    def is_worse_than_coin(self, score: SystemScore) -> bool:
        """Whether equal chances in every match would have been the better forecast."""
        return score.log_loss > self.coin.log_loss

    @property
    def warnings(self) -> list[str]:
        """What to know before trusting a system."""
        return [
            f"{score.system} forecasts worse than a coin: log loss {score.log_loss:.4f} against "
            f"{self.coin.log_loss:.4f}. Its ratings say nothing about these matches"
            for score in self.ranking
            if self.is_worse_than_coin(score)
        ]

    def summary(self) -> str:
        """One line per system with its distance to the best and a standard error, and what a coin would score."""
        width = max(len(score.system) for score in (*self.systems, self.coin))
        compares, tuned = len(self.systems) > 1, self.tuning is not None
        three = any(score.log_loss_three is not None for score in self.systems)
        lines = [
            f"{'':{width}}  log loss"
            + ("   untuned" if tuned else "")
            + ("  win/draw/loss" if three else "")
            + "    Brier  accuracy    matches"
            + ("  above the best" if compares else "")
        ]
        for place, score in enumerate((*self.ranking, self.coin)):
            before = f"  {score.untuned.log_loss:8.4f}" if score.untuned is not None else f"{'':10}"
            outcomes = f"{'':15}" if score.log_loss_three is None else f"  {score.log_loss_three:13.4f}"
            losses = f"{score.log_loss:8.4f}{before if tuned else ''}{outcomes if three else ''}"
            numbers = f"{score.brier:7.4f}  {percent(score.accuracy):>8}  {score.n:9,}"
            above = f"  {score.difference:.4f} ± {score.difference_se:.4f}" if compares and place else ""
            lines.append(f"{score.system:{width}}  {losses}  {numbers}{above}")
        lines += [f"{name} is left out: {reason}" for name, reason in self.left_out.items()]
        return "\n".join([*lines, *self._tuning_in_words(), *self.warnings])

    def _tuning_in_words(self) -> list[str]:
        if self.tuning is None:
            return []
        since = time_text(self.tuning.since)
        rest = "the rest is scored" if since is None else f"matches from {since} on are scored"
        tuned = [f"  {score.system}: {_in_words(score.parameters)}" for score in self.ranking if score.tuned]
        return [f"Tuned on the first {self.tuning.n_matches:,} matches; {rest}:", *tuned]

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
    systems: Sequence[AnySystem | str] | None = None,
    since: str | float | date | None = None,
    bins: int = 10,
    prizes: Prizes = WINNER,
    tune: bool = True,
) -> Evaluation:
    """Score rating systems by their forecasts, each made before its match; all matches count, or those from `since`.

    Log loss -(S ln E + (1 - S) ln(1 - E)), Brier score (S - E)^2 of one side, accuracy with one half for a draw or an
    even forecast; `Outcomes.judge` has the multiplayer forms. All systems have to play for the same prizes. Without
    `systems` those of the catalogue that can play the record are compared, for a stream Elo alone, for these `prizes`;
    a system that cannot be fitted is left out.

    Systems given by name ("elo", "glicko2:tau=0.3") are tuned in all parameters that the name does not give, to the
    matches before `since`, by default the first half; only the others are scored. A system such as `Elo(k=24)` is
    played as it is, or tuned if it is a `Tuned`. With `tune` off nothing is tuned.

    >>> matches = Matches.of_pairs([0] * 50, [1] * 50, [1] * 50)
    >>> evaluate(matches, systems=[Elo(k=24)]).systems[0].accuracy
    0.99
    """
    if systems is not None and not systems:
        raise LudometerError("name at least one rating system")
    if bins < 1:
        raise LudometerError(f"a calibration curve needs at least 1 bin, not {bins}")
    scored = _scored(matches, since, tune)
    tune = tune and scored is not None and int((~scored).sum()) >= FEWEST
    named = _chosen(matches, systems, prizes, tune)
    if since is None and not any(hasattr(system, "fitted") for system in named):
        scored, tune = None, False
    contenders, left_out = _prepared(named, matches, scored, tune, leaves_out=systems is None)
    chosen = [one.system for one in contenders]
    names = _labels([one.named for one in contenders])
    if len(set(names)) < len(names):
        names = _labels(chosen)
    states = [system.start(0) for system in chosen]
    stakes = _common_prizes(chosen)
    lowest = 0.0 if isinstance(matches, Matches) and isinstance(matches.table, Seats) else 0.5
    scoring, tally, differences = Scoring(len(chosen), bins=bins, lowest=lowest), Tally(), Differences(len(chosen) + 1)
    draws = ThreeOutcomes.of(matches, scored)

    def forecast(batch: Matches) -> Iterator[Floats]:
        for place, system in enumerate(chosen):
            begin = clock.perf_counter()
            if draws is None:
                states[place], expected = system.play(states[place], batch)
            else:
                states[place], expected, level = play_with_levels(system, states[place], batch)
            scoring.scores[1 + place].seconds += clock.perf_counter() - begin
            if draws is not None:
                draws.add(expected, level)
            yield expected

    for batch in matches:
        tally.add(batch)
        counted = scored if isinstance(matches, Matches) else _counted(batch, since)
        losses = scoring.add(Outcomes.of(batch, stakes), forecast(batch), counted)
        differences.add(batch if counted is None else batch.take(counted), losses)
    if not scoring.scores[0].n:
        raise MatchDataError("there are no matches to score" + ("" if since is None else f" from {since} on"))
    parameters = {name: system.parameters for name, system in zip(names, chosen, strict=True)}
    coin, *scores = differences.compare(scoring.finish(parameters))
    if draws is not None:
        scores = [replace(score, log_loss_three=loss) for score, loss in zip(scores, draws.log_losses, strict=True)]
    return Evaluation(
        tuple(one.complete(score, matches, scored, stakes) for one, score in zip(contenders, scores, strict=True)),
        coin,
        tally.n_matches,
        int((tally.played > 0).sum()),
        tally.n_draws / tally.n_matches,
        Provenance("evaluate", parameters, tally.digest.hexdigest()),
        left_out,
        _describe_tuning(matches, scored) if any(one.untuned is not None for one in contenders) else None,
    )


@dataclass(frozen=True)
class ThreeOutcomes:
    """Win, draw and loss forecast for the matches that are scored, with draws fitted to those before them.

    The draws are fitted anew before each of twenty parts.
    """

    halves: Halves
    scored: Mask
    log_losses: list[float] = field(default_factory=list)
    """Of each system so far."""

    @classmethod
    def of(cls, matches: Matches | Iterable[Matches], scored: Mask | None) -> ThreeOutcomes | None:
        """None where there is nothing to forecast or to fit: no draws before the matches that are scored."""
        if scored is None or not isinstance(matches, Matches) or isinstance(matches.table, Seats):
            return None
        halves = matches.pairs.halves
        return cls(halves, scored) if scored.any() and (halves[: int(np.argmax(scored))] == 1).any() else None

    def add(self, expected: Floats, level: Floats | None) -> None:
        """The next system: what it expected of all matches, and the levels of the pairs if it knows them."""
        first, n = int(np.argmax(self.scored)), len(self.halves)
        edges = np.linspace(first, n, min(BLOCKS, n - first) + 1).astype(np.int64).tolist()
        tally, total, begin = DrawTally(), 0.0, 0
        for end, after in pairwise(edges):
            before, ahead = slice(begin, end), slice(end, after)
            tally.add(expected[before], self.halves[before], None if level is None else level[before])
            losses = tally.model().losses(expected[ahead], self.halves[ahead], None if level is None else level[ahead])
            total += float(losses @ self.scored[ahead])
            begin = end
        self.log_losses.append(total / int(self.scored.sum()))


@dataclass(frozen=True)
class _Contender:
    """A system as it was named, ready to play, and as it comes if it was tuned."""

    named: AnySystem
    system: RatingSystem[Any]
    untuned: RatingSystem[Any] | None = None

    def complete(self, score: SystemScore, matches: Any, scored: Mask | None, prizes: Prizes) -> SystemScore:
        """The score with what the system would have scored as it comes."""
        if self.untuned is None:
            return score
        _, expected = self.untuned.play(self.untuned.start(0), matches)
        judged = Outcomes.of(matches, prizes).judge(expected)
        judged = judged if scored is None else judged.take(scored)
        means = (float(values.mean()) for values in (judged.log_loss, judged.brier, judged.accuracy))
        return replace(score, tuned=True, untuned=Figures(*means))


def _scored(matches: Matches | Iterable[Matches], since: str | float | date | None, tune: bool) -> Mask | None:
    """The matches to score: those from a time on, or the later half if systems are tuned; None for all."""
    if not isinstance(matches, Matches):
        return None
    if since is not None:
        return _counted(matches, since)
    if not tune or len(matches) < 2 * FEWEST:
        return None
    return np.asarray(np.arange(len(matches)) >= find_middle(matches))


def find_middle(matches: Matches) -> int:
    """The match at which the second half begins: the nearest to the middle that does not divide equal times.

    >>> find_middle(Matches.of_pairs([0] * 6, [1] * 6, [1] * 6, time=[1, 1, 2, 2, 2, 3]))
    2
    """
    half = len(matches) // 2
    if matches.time is None:
        return half
    begins = 1 + np.flatnonzero(matches.time[1:] != matches.time[:-1])
    return int(begins[np.argmin(np.abs(begins - half))]) if len(begins) else half


def _chosen(
    matches: Matches | Iterable[Matches], systems: Sequence[AnySystem | str] | None, prizes: Prizes, tune: bool
) -> list[AnySystem]:
    """The systems that were named, or those that can play the record."""
    from ludometer.ratings.catalogue import all_systems, make_system, make_tuned_system

    if systems is not None:
        make = make_tuned_system if tune else make_system
        return [make(system, prizes=prizes) if isinstance(system, str) else system for system in systems]
    if not isinstance(matches, Matches):
        # nothing can be fitted to a stream, and its kind of matches is not known yet
        return [Elo(prizes=prizes)]
    multiplayer = isinstance(matches.table, Seats)
    # two-player matches are played for the win
    return all_systems(multiplayer=multiplayer, prizes=prizes if multiplayer else WINNER, tune=tune)


def _prepared(
    systems: list[AnySystem], matches: Matches | Iterable[Matches], scored: Mask | None, tune: bool, *, leaves_out: bool
) -> tuple[list[_Contender], dict[str, str]]:
    """The systems ready to play, and why others are left out."""
    ready: list[_Contender] = []
    left_out: dict[str, str] = {}
    for system in systems:
        untuned = getattr(system, "untuned", None) if tune else None
        try:
            fitted = prepare(system, matches, scored)
            ready.append(_Contender(system, fitted, None if untuned is None else prepare(untuned, matches, scored)))
        except LudometerError as error:
            if not leaves_out:
                raise
            left_out[system.name] = str(error)
    return ready, left_out


def _describe_tuning(matches: Any, scored: Mask | None) -> Tuning:
    assert scored is not None
    first = int(np.argmax(scored))
    return Tuning(int((~scored).sum()), None if matches.time is None else matches.time[first].item())


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


def _labels(systems: Sequence[AnySystem]) -> list[str]:
    """The systems' names, with the parameters that distinguish two of a kind."""
    labels = []
    for system in systems:
        same = [other.parameters for other in systems if other.name == system.name]
        telling = [key for key in system.parameters if len({str(other.get(key)) for other in same}) > 1]
        details = ", ".join(f"{key} {_as_word(system.parameters.get(key))}" for key in telling)
        labels.append(f"{system.name} ({details})" if details else system.name)
    return labels


def _in_words(parameters: dict[str, Any]) -> str:
    """The parameters as the system words them, or one by one."""
    if "in_words" in parameters:
        return "; ".join(parameters["in_words"])
    told = (item for item in parameters.items() if item[0] != "in_sample")
    return ", ".join(f"{key.replace('_', ' ')} {_as_word(value)}" for key, value in told)


def _as_word(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, int | float) else str(value)


def _common_prizes(systems: Sequence[RatingSystem[Any]]) -> Prizes:
    """The prizes that all systems play for: forecasts of different prizes cannot be compared."""
    prizes = {getattr(system, "prizes", WINNER) for system in systems}
    if len(prizes) > 1:
        raise LudometerError(f"the systems play for different prizes: {', '.join(sorted(one.name for one in prizes))}")
    return next(iter(prizes))
