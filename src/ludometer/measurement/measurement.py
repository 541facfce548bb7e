"""Measure a game: from its matches to the spread of skill, with everything that a report needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.journal import Journal
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.published import published_x
from ludometer.measurement.planning import BEST_FIT, LUCK, STAGES, Budget, Extent, Timekeeper, WithinBudget
from ludometer.measurement.record.study import RecordStudy, study_record
from ludometer.measurement.spread import (
    CutoffSweep,
    OneBetter,
    Persistence,
    RatingDifferences,
    Spread,
    measure_persistence,
    measure_spread,
    sweep_cutoffs,
)
from ludometer.parallel import Workers
from ludometer.players import Players
from ludometer.progress import Progress
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.ratings.scoring import Outcomes, Scoring, SystemScore
from ludometer.ratings.systems.best_fit import BestFitElo, Procedure, fit_best_elo
from ludometer.ratings.systems.elo import Elo, unusual
from ludometer.result import Provenance, Shown
from ludometer.scale import Base, points_per_unit
from ludometer.selection import Connected, keep_connected

if TYPE_CHECKING:
    import polars as pl

    from ludometer.measurement.benchmarks.inversion import Share
    from ludometer.measurement.benchmarks.yardstick import Reference, Yardstick
    from ludometer.measurement.edge.edge import Edge
    from ludometer.measurement.legal.legal import LegalTests
    from ludometer.measurement.luck.luck import LuckChoices, LuckMetrics
    from ludometer.measurement.record.pairing import Pairing
    from ludometer.measurement.verdict.routes import Routes
    from ludometer.measurement.verdict.verdict import Simulation, Verdict

REGULAR = 25
"""Matches that make a regular (Duersch et al. 2020, section 3)."""


@dataclass(frozen=True, eq=False)
class RecordCounts:
    """What was measured: how many matches of how many players, and what was left out."""

    n_matches: int
    players: Players
    played: Counts
    """Matches of each player."""
    dropped_matches: int
    dropped_players: int
    draw_rate: float
    players_per_match: tuple[int, float, int]
    """Fewest, mean, most."""
    prizes: Prizes
    study: RecordStudy
    """What kind of record it is; its matches are those that were measured, and those outside the component."""

    @property
    def n_players(self) -> int:
        """How many players are linked by matches."""
        return len(self.players)

    @property
    def n_regulars(self) -> int:
        """How many of them have 25 matches or more."""
        return int((self.played >= REGULAR).sum())

    @property
    def is_two_player(self) -> bool:
        """Whether no match has more than two players."""
        return self.players_per_match[2] == 2


@dataclass(frozen=True)
class Forecasts:
    """How good the forecasts of best-fit Elo are, and forecasts that treat all players as equal."""

    elo: SystemScore
    coin: SystemScore


@dataclass(frozen=True)
class Matchmaking:
    """Who met whom."""

    mean_rating_difference: float
    """Between opponents, at the time of each match."""
    ratio_to_sd: float | None
    """The same in SDs of the regulars."""
    ratio_if_random: float | None
    """The same among random opponents; None where it was not asked for, or does not exist."""
    pairing: Pairing | None
    """Whether opponents are alike in strength; None where it was not asked for."""


@dataclass(frozen=True, eq=False)
class Measurement(Shown):
    """How much skill a game shows, as played by these players."""

    data: RecordCounts
    best_fit: BestFitElo
    forecasts: Forecasts
    spread: tuple[Spread, ...]
    """One entry per cutoff that was asked for."""
    matchmaking: Matchmaking
    persistence: Persistence
    luck: LuckMetrics | None
    """None where it was not asked for."""
    yardstick: Yardstick | None
    """None where it was not asked for, or there is nothing to compare."""
    verdict: Verdict | None
    """None where it was not asked for."""
    provenance: Provenance
    budget: WithinBudget | None = None
    """What was left out for lack of time; None where no budget was given."""
    legal: LegalTests | None = None
    """Tests that courts and regulators have used; None where nothing was simulated."""

    @property
    def record(self) -> RecordStudy:
        """What kind of record it is: repeats, flattened tables, sessions, seats, accounts to look at."""
        return self.data.study

    @cached_property
    def cutoffs(self) -> CutoffSweep:
        """The SD for every number of matches that a player needs to count."""
        return sweep_cutoffs(self.best_fit.rating, self.data.played)

    @property
    def main(self) -> Spread:
        """The spread of the regulars, or of the first cutoff that was asked for."""
        return _main(self.spread)

    @property
    def routes(self) -> Routes | None:
        """Ways to x, and the better player's share; None where they were not asked for."""
        return None if self.verdict is None else self.verdict.routes

    @property
    def edge(self) -> Edge | None:
        """How often the better player wins; None where it was not asked for, or results depend on results before."""
        found = None if self.routes is None else self.routes.edge
        return None if found is None or found.oddities.reacts else found

    @property
    def published(self) -> tuple[float | None, float | None]:
        """x of the equivalent x%-deterministic and x%-chess, off the published lines."""
        return (None, None) if self.main.sd is None else published_x(self.main.sd)

    @property
    def reference_name(self) -> str:
        """The game that the second yardstick keeps x percent of."""
        return str(self.provenance.parameters["reference"]) if self.yardstick is None else self.yardstick.reference.name

    @property
    def is_quick(self) -> bool:
        """Whether nothing was simulated."""
        return self.provenance.seed is None

    @property
    def is_refused(self) -> bool:
        """Whether there is a verdict that declines to compare."""
        return self.verdict is not None and self.verdict.p_deterministic is None

    @property
    def base(self) -> Base:
        """The base of the rating scale: 10 is Elo's, e the printed one of multiplayer matches."""
        return "e" if self.provenance.parameters.get("base") == "e" else "10"

    @property
    def scale_factor(self) -> float:
        """How many times as wide as Elo's the scale of the ratings is."""
        return points_per_unit(self.base) / points_per_unit("10")

    @property
    def shares(self) -> tuple[Share, Share] | None:
        """x by strength and by the reference; None where there are none, or none that the verdict trusts."""
        if self.yardstick is None or self.is_refused:
            return None
        return self.yardstick.deterministic.share, self.yardstick.chess.share

    @property
    def one_better(self) -> OneBetter | None:
        """What being one SD better is worth: by the SD of skills, or where that is not known by that of ratings."""
        skill = None if self.yardstick is None or self.is_refused else self.yardstick.skill
        if skill is not None and math.isfinite(skill.estimate):
            return OneBetter.by_skills(skill.estimate, skill.interval)
        return OneBetter.by_ratings(self.main)

    def absent(self) -> dict[str, str]:
        """What is null in the document, and why."""
        from ludometer.measurement.document import explain_absences

        return explain_absences(self)

    def document(self) -> dict[str, Any]:
        """The measures of a game; what does not exist is null, and `absent` says why."""
        from ludometer.measurement.document import describe_measurement

        return describe_measurement(self)

    def to_frame(self) -> pl.DataFrame:
        """The spread, one row per cutoff that was asked for."""
        import polars as pl

        rows = []
        for spread in self.spread:
            low, high = spread.sd_interval or (None, None)
            numbers = {name: value for name, value in vars(spread).items() if name != "sd_interval"}
            rows.append(numbers | {"sd_low": low, "sd_high": high})
        return pl.DataFrame(rows, infer_schema_length=None)

    def ratings_frame(self) -> pl.DataFrame:
        """player, rating and matches of those who count, best first."""
        import polars as pl

        columns = {"player": self.data.players.names, "rating": self.best_fit.rating, "matches": self.data.played}
        chosen = pl.DataFrame(columns).filter(pl.col("matches") >= self.main.min_matches)
        return chosen.sort("rating", "player", descending=[True, False])

    def summary(self) -> str:
        """The answer in a few lines."""
        from ludometer.measurement.summary import answer_lines

        return "\n".join(answer_lines(self))

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Those that there are: scale, yardsticks, checks, units, cutoffs, ratings, calibration, loss, luck."""
        from ludometer.measurement.charts import draw_measurement

        return draw_measurement(self, narrow=narrow)


def measure(
    matches: Matches | RecordStudy,
    *,
    cutoffs: Sequence[int] = (REGULAR, 1, 100),
    min_component: int | None = None,
    procedure: Procedure = "lanes",
    prizes: Prizes = WINNER,
    base: Base = "10",
    share: float = 1.0,
    reference: Reference | None = None,
    luck: LuckChoices | None = None,
    experts: Sequence[str] | None = None,
    quick: bool = False,
    brief: bool = False,
    replicates: int | None = None,
    seed: int = 0,
    workers: Workers | None = None,
    progress: Progress | None = None,
    budget: Budget | None = None,
    journal: Journal | None = None,
) -> Measurement:
    """Measure a game by the spread of its best-fit Elo ratings (Duersch, Lambrecht, Oechssler 2020).

    First of all the record is studied (`study_record`): repeats are divided and flattened tables put together again. A
    record that has been studied already, with choices of its own, can be given instead of its matches.

    Players outside the largest connected component are left out, or those in components smaller than `min_component`.
    Multiplayer matches are played for `prizes`; base e gives their ratings on the printed, wider scale. The verdict
    rests on benchmarks simulated on the same schedule, `replicates` of them; `quick` leaves out everything simulated,
    `brief` all that the verdict does not rest on (luck, checks, tests in `legal`, intervals of the published measures).
    A `share` below 1 bounds expectations as if only that share of the matches were played and a coin decided the others
    (footnote 34); nothing is simulated then. `luck` says how L and l2 are measured (Gilbert and Wells). `experts` are
    names of players who were called skilled before the record began, for one of the tests in `legal`.

    `progress` is told how far the work is. With a `budget` of time the parts that matter least are left out, and the
    result says which. What has been simulated is kept in the `journal`, so that an interrupted run goes on.

    >>> from ludometer.simulate import simulate_coin, simulate_strengths
    >>> skill, chance = measure(simulate_strengths(200, 20_000, sd=400)), measure(simulate_coin(200, 20_000))
    >>> skill.main.sd > 300, skill.verdict.answer, chance.main.sd < 10, chance.verdict.answer
    (True, 'skill', True, 'chance')
    """
    if not cutoffs or any(cutoff < 1 for cutoff in cutoffs):
        raise LudometerError("cutoffs are numbers of matches, 1 or more")
    if replicates is not None and replicates < 19:
        raise LudometerError(f"at least 19 replicates are needed for an interval, not {replicates}")
    record = matches if isinstance(matches, RecordStudy) else _study(matches)
    matches = record.matches
    kept = keep_connected(matches, min_players=min_component)
    inside = kept.matches
    _refuse_anonymous(inside)
    if experts is not None:
        from ludometer.measurement.legal.experts import check_experts

        known = set(inside.players.names)
        experts = [name for name in check_experts(matches.players, experts) if name in known]
    quick = quick or share != 1
    workers = workers or Workers()
    keeper = Timekeeper(Extent.of(inside, workers.jobs), progress, budget)
    simulation = None
    if not quick:
        from ludometer.measurement.verdict.verdict import Simulation

        if budget is not None and journal is None:
            # so that the first replicates need not be played again when there turns out to be time for more
            journal = Journal()
        simulation = Simulation(
            inside,
            matches if kept.dropped_matches else None,
            reference,
            replicates,
            seed,
            replace(workers, progress=keeper.progress, journal=journal),
            keeper,
            record.seats,
            _one_per_session(record, kept),
            brief,
        )
    stages = {} if simulation is None else simulation.stages()
    keeper.progress.plan([keeper.extent.stage(BEST_FIT), *stages.values()])
    parameters = {
        "cutoffs": list(cutoffs),
        "min_component": min_component,
        "procedure": procedure,
        "reference": "chess" if reference is None else reference.name,
        **unusual(prizes, base, share),
        **record.choices,
        **({} if luck is None else luck.parameters()),
    }
    if journal is not None:
        journal.begin({"data": matches.fingerprint, "seed": seed, "replicates": replicates, "parameters": parameters})
    seen = _BestPass(inside, prizes)
    with keeper.progress.stage(BEST_FIT):
        best = fit_best_elo(inside, procedure=procedure, prizes=prizes, base=base, share=share, observer=seen)
        spread = tuple(
            measure_spread(best.rating, inside.counts, min_matches=cutoff, share=share)
            for cutoff in dict.fromkeys(cutoffs)
        )
        game = Measurement(
            data=_count(kept, prizes, record),
            best_fit=best,
            forecasts=seen.judge(Elo(best.k, 0.0, prizes, base, share)),
            spread=spread,
            matchmaking=_match(seen.apart, _main(spread), base),
            persistence=measure_persistence(inside, min_matches=REGULAR, prizes=prizes),
            luck=None,
            yardstick=None,
            verdict=None,
            provenance=Provenance("measure", parameters, matches.fingerprint, None if quick else seed),
        )
    if simulation is None:
        return game
    if brief:
        return _add_simulations(game, simulation, luck)
    # sessions that the record names are exchanged whole; of those that were found one match each has to do
    fresh = None if inside.session is not None else _one_per_session(record, kept)
    return replace(
        _add_simulations(game, simulation, luck), legal=_apply_legal_tests(game, fresh or inside, experts, seed)
    )


def _apply_legal_tests(game: Measurement, matches: Matches, experts: Sequence[str] | None, seed: int) -> LegalTests:
    from ludometer.measurement.legal.legal import apply_legal_tests

    k, data = game.best_fit.k / game.scale_factor, game.data
    found = apply_legal_tests(
        matches, k=k, min_matches=game.main.min_matches, prizes=data.prizes, experts=experts, seed=seed
    )
    return replace(found, n_thinned=data.n_matches - len(matches))


def _one_per_session(record: RecordStudy, kept: Connected) -> Matches | None:
    """The first match of each session, where results within sessions depend on each other."""
    fresh = record.sessions.kept
    if fresh is None or not record.sessions.dependent:
        return None
    return kept.matches.take(fresh if kept.mask is None else fresh[kept.mask])


def _study(matches: Matches) -> RecordStudy:
    matches.refuse_teams("measure")
    return study_record(matches)


def _add_simulations(game: Measurement, simulation: Simulation, choices: LuckChoices | None) -> Measurement:
    """Yardsticks, luck, intervals and the verdict: what matters most comes first."""
    from ludometer.measurement.luck.luck import measure_luck
    from ludometer.measurement.verdict.verdict import analyse, match_record

    keeper, seed = simulation.keeper, simulation.seed
    matched = match_record(game, simulation)
    luck = None
    if not simulation.is_brief and keeper.fits(simulation.stages()[LUCK]):
        with keeper.progress.stage(LUCK):
            luck = measure_luck(simulation.matches, choices=choices, seed=seed, workers=simulation.workers)
    found = analyse(game, simulation, matched)
    within = None
    if keeper.budget is not None:
        within = WithinBudget(
            seconds=keeper.budget.seconds,
            replicates=0 if found.yardstick is None else found.yardstick.replicates,
            replicates_wanted=simulation.wanted,
            left_out=tuple(name for name in STAGES if name in found.left_out or (name == LUCK and luck is None)),
            checks_left_out=found.checks_left_out,
        )
    return replace(
        game,
        best_fit=replace(game.best_fit, k_interval=found.k_interval),
        spread=tuple(
            replace(entry, sd_interval=interval)
            for entry, interval in zip(game.spread, found.sd_intervals or (None,) * len(game.spread), strict=True)
        ),
        matchmaking=replace(game.matchmaking, ratio_if_random=found.ratio_if_random, pairing=found.pairing),
        luck=luck,
        yardstick=found.yardstick,
        verdict=found.verdict,
        budget=within,
    )


def _count(kept: Connected, prizes: Prizes, study: RecordStudy) -> RecordCounts:
    matches, sizes = kept.matches, kept.matches.sizes
    return RecordCounts(
        n_matches=len(matches),
        players=matches.players,
        played=matches.counts,
        dropped_matches=kept.dropped_matches,
        dropped_players=kept.dropped_players,
        draw_rate=matches.draw_rate or 0.0,
        players_per_match=(int(sizes.min()), float(sizes.mean()), int(sizes.max())),
        prizes=prizes,
        study=study,
    )


class _BestPass:
    """Sees the one pass at the best k: what its forecasts are worth, and how far opponents are apart."""

    def __init__(self, matches: Matches, prizes: Prizes) -> None:
        self.prizes, self.lowest = prizes, 0.5 if isinstance(matches.table, Pairs) else 0.0
        self.apart = RatingDifferences()

    def restart(self) -> None:
        self.scoring = Scoring(1, lowest=self.lowest)
        self.apart.restart()

    def add(self, part: Matches, expected: Floats, before: Floats) -> None:
        self.apart.add(part, expected, before)
        self.scoring.add(Outcomes.of(part, self.prizes), [expected])

    def judge(self, elo: Elo) -> Forecasts:
        coin, score = self.scoring.finish({elo.name: elo.parameters})
        return Forecasts(score, coin)


def _match(apart: RatingDifferences, main: Spread, base: Base) -> Matchmaking:
    difference = points_per_unit(base) / points_per_unit("10") * apart.mean
    return Matchmaking(difference, difference / main.sd if main.sd else None, None, None)


def _main(spread: tuple[Spread, ...]) -> Spread:
    return next((entry for entry in spread if entry.min_matches == REGULAR), spread[0])


def _refuse_anonymous(matches: Matches) -> None:
    """Without players who come back nothing can be measured (Duersch et al. 2020, footnote 35)."""
    most = int(matches.counts.max())
    if most <= 2:
        raise MatchDataError(
            f"no player has more than {most} {'match' if most == 1 else 'matches'}: skill shows only in players "
            "who come back. If the ids are anonymous or new for each match, replace them by lasting ones"
        )
