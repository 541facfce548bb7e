"""The luck metrics of a record beside its ratings: L and l2 without bias, by penalised skills, and by a population."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import ConvergenceWarning, LudometerError, MatchDataError, NoFiniteFit
from ludometer.matches import Matches, Pairs
from ludometer.parallel import Workers

if TYPE_CHECKING:
    import polars as pl

    from ludometer.measurement.luck.corrected import CorrectedLuck
    from ludometer.measurement.luck.entropy import EntropyLuck
    from ludometer.measurement.luck.older import Repetitions, SkillChain, VarianceRatio
    from ludometer.measurement.luck.population import Method, PopulationLuck
    from ludometer.strength.ridge import RidgePath
    from ludometer.strength.skills import Link, Skills

RIDGE, PRIOR = 0.25, "uniform:10"
"""Gilbert and Wells' Table 2 has this ridge; the prior is flat on sigma, theirs is `invgamma:2,1`."""

_DRAWS = ((3_000, 5_000), (50_000, 1_000), (20_000_000, 400))
"""(most matches, effective draws): the draws wanted for records of each size; longer ones are sampled on request."""

_DRAWS_OF_HALF = 100
_WORK = 4_000_000_000
_FEWEST_SWEEPS, _MOST_SWEEPS = 1_000, 100_000
"""A chain stops when its sweeps times matches reach the first number, or its sweeps the last."""

_LONGEST_SEASON, _LARGEST_TABLE = 1_000, 12


@dataclass(frozen=True)
class LuckChoices:
    """How luck is measured: the ridge, or "cv" for the one that predicts best; the model of two; prior, draws, method.

    `draws` are the effective draws that the sampler has to reach: None by the size of the record, 0 leaves the
    population out. `method` is "evidence" (no draws), "sampler", or "auto": evidence where the bound of its error is
    small. Who names a number of draws wants the sampler.
    """

    ridge: float | Literal["cv"] = RIDGE
    link: Link = "probit"
    prior: str = PRIOR
    draws: int | None = None
    method: Method = "auto"

    def __post_init__(self) -> None:
        # what is usual is known to be right, and needs none of the modules that check
        if self.ridge != "cv" and self.ridge != RIDGE:  # noqa: PLR1714 - so that types see a number
            from ludometer.strength.pairwise import check_ridge

            check_ridge(self.ridge)
        if self.link != "probit":
            from ludometer.strength.skills import check_link

            check_link(self.link)
        if self.prior != PRIOR:
            from ludometer.measurement.luck.population import make_prior

            make_prior(self.prior)
        if self.draws is not None and self.draws < 0:
            raise LudometerError(f"effective draws are counted from 0 up, not {self.draws}")
        if self.method not in ("auto", "evidence", "sampler"):
            raise LudometerError(f"luck is measured by auto, evidence or sampler, not {self.method!r}")
        if self.draws and self.method == "evidence":
            raise LudometerError("evidence needs no draws: leave out their number, or ask for the sampler")

    def parameters(self) -> dict[str, object]:
        """Those that are not the usual ones."""
        usual = LuckChoices()
        return {
            f"luck_{name}": getattr(self, name)
            for name in ("ridge", "link", "prior", "draws", "method")
            if getattr(self, name) != getattr(usual, name)
        }


@dataclass(frozen=True, eq=False)
class RidgeLuck:
    """Luck by penalised skills: what one match leaves open, and what else the skills say."""

    matches: Matches
    seed: int
    skills: Skills
    entropy: EntropyLuck
    per_match: int
    """Players of the match that L is of."""
    path: RidgePath | None
    """l2 against the ridge; None for multiplayer matches."""
    as_played: float | None
    """L under the pairings of the record; its excess over L is the luck of matchmaking. None if multiplayer."""
    season: tuple[int, float] | None
    """Matches of a mean player, and the continuous luck of a season that long; None for multiplayer matches."""
    chain: SkillChain
    repetitions: Repetitions

    @property
    def model(self) -> str:
        """probit, logit, or plackett-luce for multiplayer matches."""
        return self.skills.link if self.per_match == 2 else "plackett-luce"

    @cached_property
    def errors(self) -> Floats:
        """Standard errors of the skills, by code; they take as long as the skills, and few ask for them."""
        from ludometer.strength.uncertainty import estimate_errors

        return estimate_errors(self.matches, self.skills, seed=self.seed)

    @property
    def luck(self) -> float:
        """L."""
        return self.entropy.luck

    @property
    def l2(self) -> float:
        """1 / (1 + variance of the skills), in SDs of performance."""
        return self.skills.l2()

    def skills_frame(self) -> pl.DataFrame:
        """player, skill, error, elo, elo_error; the strongest first, 10,000 at most."""
        import polars as pl

        skills = self.skills
        points = skills.elo / np.where(skills.skill == 0, np.nan, skills.skill)
        scale = float(np.nanmedian(points)) if np.isfinite(points).any() else 0.0
        frame = pl.DataFrame(
            {
                "player": skills.players.names,
                "skill": skills.skill,
                "error": self.errors,
                "elo": skills.elo,
                "elo_error": self.errors * scale,
            }
        )
        return frame.filter(pl.Series(skills.played)).sort("skill", "player", descending=[True, False]).head(10_000)


@dataclass(frozen=True, eq=False)
class LuckMetrics:
    """What there is of luck in a record, by several definitions."""

    ridge: RidgeLuck | None
    population: PopulationLuck | None
    halves: tuple[PopulationLuck, PopulationLuck] | None
    """The spread in the earlier and in the later half of the matches: skills that change make both larger than all."""
    variance_ratio: VarianceRatio | None
    """Mauboussin's; None for multiplayer matches."""
    corrected: CorrectedLuck | None
    """L and l2 without the bias of fitted skills."""
    absent: dict[str, str]
    """Why something is None."""


def measure_luck(
    matches: Matches,
    *,
    choices: LuckChoices | None = None,
    seed: int = 0,
    workers: Workers | None = None,
) -> LuckMetrics:
    """L and l2 of a record (Gilbert and Wells), without bias and as published, and the older measures beside them.

    >>> from ludometer.simulate import simulate_strengths
    >>> luck = measure_luck(simulate_strengths(40, 2000, sd=150, seed=1))
    >>> luck.ridge.model, 0 < luck.ridge.l2 < luck.ridge.luck < 1, luck.population.converged
    ('probit', True, True)
    """
    from ludometer.measurement.luck.corrected import correct_luck
    from ludometer.measurement.luck.older import measure_variance_ratio

    chosen, absent = choices or LuckChoices(), dict[str, str]()
    ridge = None
    try:
        ridge = _by_ridge(matches, chosen, seed)
    except (NoFiniteFit, MatchDataError) as error:
        absent["luck.ridge"] = str(error)
    population = halves = None
    if chosen.draws == 0:
        absent["luck.bayes"] = "left out by --luck-draws 0"
    elif matches.n_draws == len(matches):
        absent["luck.bayes"] = "all matches are ties"
    elif chosen.method == "sampler" and chosen.draws is None and not _draws_for(len(matches)):
        absent["luck.bayes"] = f"{len(matches):,} matches take a long time: ask for it with --luck-draws 400"
    else:
        population = _by_population(matches, chosen, seed, workers)
        halves = None if population is None else _halves(matches, chosen, population, seed, workers)
        if population is None:
            absent["luck.bayes"] = (
                f"evidence is not exact enough here, and draws for {len(matches):,} matches take a long time: ask for "
                "them with --luck-draws 400"
            )
    ratio = measure_variance_ratio(matches) if isinstance(matches.table, Pairs) else None
    corrected = None
    try:
        corrected = correct_luck(matches, population=population, per_match=_size_of(matches), seed=seed)
    except MatchDataError as error:
        absent["luck.corrected"] = str(error)
    return LuckMetrics(ridge, population, halves, ratio, corrected, absent)


def _by_ridge(matches: Matches, chosen: LuckChoices, seed: int) -> RidgeLuck:
    from ludometer.measurement.luck.entropy import measure_entropy_luck, measure_luck_under, measure_season_luck
    from ludometer.measurement.luck.older import measure_repetitions, measure_skill_chain
    from ludometer.strength.pairwise import fit_skills
    from ludometer.strength.ranked import fit_orders
    from ludometer.strength.ridge import cross_validate_ridge, trace_ridge

    is_pairs = isinstance(matches.table, Pairs)
    path = None
    value = RIDGE if chosen.ridge == "cv" else chosen.ridge
    if is_pairs:
        if chosen.ridge == "cv":
            path = cross_validate_ridge(matches, link=chosen.link, seed=seed)
            value = path.best or RIDGE
        else:
            path = trace_ridge(matches, link=chosen.link)
        skills = fit_skills(matches, link=chosen.link, ridge=value)
    elif chosen.ridge == "cv":
        raise MatchDataError("the ridge is chosen by cross-validation for two-player matches only: give a number")
    else:
        skills = fit_orders(matches, ridge=value)
    per_match = _size_of(matches)
    season = None
    if is_pairs:
        length = min(max(round(float(matches.counts.mean())), 1), _LONGEST_SEASON)
        season = length, measure_season_luck(skills, length).continuous
    return RidgeLuck(
        matches=matches,
        seed=seed,
        skills=skills,
        entropy=measure_entropy_luck(skills, per_match=per_match),
        per_match=per_match,
        path=path,
        as_played=measure_luck_under(skills, matches.pairs.first, matches.pairs.second).luck if is_pairs else None,
        season=season,
        chain=measure_skill_chain(skills),
        repetitions=measure_repetitions(skills),
    )


def _size_of(matches: Matches) -> int:
    """The usual number of players per match, as far as tables can be drawn."""
    if isinstance(matches.table, Pairs):
        return 2
    return min(int(np.bincount(matches.sizes).argmax()), _LARGEST_TABLE)


def _draws_for(n_matches: int) -> int:
    return next((draws for most, draws in _DRAWS if n_matches <= most), 0)


def _by_population(
    matches: Matches,
    chosen: LuckChoices,
    seed: int,
    workers: Workers | None,
    *,
    most_draws: int | None = None,
    start: float = 1.0,
    is_half: bool = False,
) -> PopulationLuck | None:
    """None where draws would be needed and the record is too long for them, unless they were asked for."""
    from ludometer.measurement.luck.population import measure_population, try_evidence

    draws = _draws_for(len(matches)) if chosen.draws is None else chosen.draws
    draws = draws if most_draws is None else min(draws, most_draws)
    budget = int(min(max(_WORK / len(matches), _FEWEST_SWEEPS), _MOST_SWEEPS))
    options: dict[str, Any] = {"prior": chosen.prior, "seed": seed, "compare_prior": not is_half}
    with warnings.catch_warnings():
        # the result says so itself
        warnings.simplefilter("ignore", ConvergenceWarning)
        if chosen.method != "sampler" and chosen.draws is None:
            found = try_evidence(matches, is_forced=chosen.method == "evidence", start=start, **options)
            if found is not None:
                return found
        if not draws:
            return None
        return measure_population(matches, method="sampler", ess=draws, budget=budget, workers=workers, **options)


def _halves(
    matches: Matches, chosen: LuckChoices, whole: PopulationLuck, seed: int, workers: Workers | None
) -> tuple[PopulationLuck, PopulationLuck] | None:
    """By the method of the whole; None where a half has no decided match."""
    early = np.arange(len(matches)) < len(matches) // 2
    parts = [matches.take(early), matches.take(~early)]
    if any(len(part) < 2 or part.n_draws == len(part) for part in parts):
        return None
    alike = replace(chosen, method=whole.method)
    first, second = (
        _by_population(part, alike, seed, workers, most_draws=_DRAWS_OF_HALF, start=whole.sigma, is_half=True)
        for part in parts
    )
    return None if first is None or second is None else (first, second)


def shift_by_change(luck: LuckMetrics) -> tuple[float, float] | None:
    """How much less luck the halves have than the whole, by l2, and its standard error.

    Far above 0 the players changed: one skill for all their matches is then too few, and l2 of all is too large.
    """
    if luck.population is None or luck.halves is None:
        return None
    shift = luck.population.l2 - (luck.halves[0].l2 + luck.halves[1].l2) / 2
    # the halves are about independent, and the whole is about their mean
    error = math.hypot(luck.halves[0].l2_sd, luck.halves[1].l2_sd) / 2
    return shift, error
