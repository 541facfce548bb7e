"""Luck by other definitions than the spread of ratings: a table of L, ℓ² and older measures, and why they disagree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ludometer.measurement.luck.luck import shift_by_change
from ludometer.report.templates import number
from ludometer.scale import elo_to_probit, probit_to_elo
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement import (
        CorrectedLuck,
        LuckMetrics,
        Measurement,
        PopulationLuck,
        RidgeLuck,
        VarianceRatio,
    )

_NEAR = 0.05
"""Two values of ℓ² that differ by less agree."""

_CLEAR = 2.0
"""Standard errors from which a shift counts."""

_FEW = 100
"""Matches per player below which ratings are still on their way."""

_OPENNESS = 0.005
"""The least difference between L and L as played that is explained."""


def list_measures(game: Measurement) -> list[list[str]]:
    """One row per measure: name, value, meaning."""
    luck, rows = game.luck, list[list[str]]()
    if luck is None:
        return rows
    if luck.corrected is not None:
        rows += _list_corrected(luck.corrected)
    if luck.population is not None:
        rows += _list_population(luck.population)
    if luck.ridge is not None:
        rows += _list_ridge(game, luck.ridge)
    if game.main.sd:
        reading = f"on the same scale: an SD of {probit_to_elo(1.0):.0f} Elo points is one SD of performance, ℓ² = 0.5"
        rows.append(["ℓ² read off the SD of ratings", number(_read(game), 3), reading])
    if luck.variance_ratio is not None and np.isfinite(luck.variance_ratio.luck):
        rows.append(_list_ratio(luck.variance_ratio))
    return rows


def _list_corrected(found: CorrectedLuck) -> list[list[str]]:
    players = "a two-player match" if found.per_match == 2 else f"a match with {found.per_match} players"
    beyond = "; above 1, as half of all estimates are where there is no skill" if found.luck > 1 else ""
    return [
        [
            "L, corrected",
            _with_ends(found.luck, found.luck_interval),
            f"share of the outcome of {players} that stays open, opponents drawn at random; without the bias of fitted "
            f"skills, 95% interval{beyond}",
        ],
        ["ℓ², corrected", _with_ends(found.l2, found.l2_interval), "share of luck in a performance, likewise"],
    ]


def _with_ends(value: float, ends: tuple[float, float]) -> str:
    return f"{value:.3f} [{ends[0]:.3f}, {ends[1]:.3f}]"


def _list_population(found: PopulationLuck) -> list[list[str]]:
    rows = [
        [
            "ℓ² of the population",
            _with_ends(found.l2, found.l2_interval),
            f"skills are normal with an SD of {found.sigma:.3f}; 95% interval, prior {found.prior}; "
            f"{found.describe_method()}",
        ]
    ]
    if found.other_prior is not None:
        other = found.other_prior
        shift = f"the other prior moves ℓ² by {other.l2 - found.l2:+.3f}"
        rows.append([f"the same, prior {other.prior}", number(other.l2, 3), shift])
    return rows


def _list_ridge(game: Measurement, found: RidgeLuck) -> list[list[str]]:
    ridge = f"from the sample variance of the skills that fit best ({found.model}, λ = {found.skills.ridge:g})"
    players = "a two-player match" if found.per_match == 2 else f"a match with {found.per_match} players"
    rows = [
        ["ℓ² by penalised skills", number(found.l2, 3), ridge],
        [
            "L by penalised skills",
            number(found.luck, 3),
            f"the same of {players}, as if the fitted skills were the true ones",
        ],
    ]
    if found.as_played is not None:
        added = found.as_played - found.luck
        how = f"matchmaking {'adds' if added >= 0 else 'removes'} {abs(added):.3f}"
        if _parts_those_who_met(game, added):
            how = "no measure of matchmaking here, see below"
        rows.append(["L as played", number(found.as_played, 3), f"with the opponents of the record; {how}"])
    if found.season is not None:
        n, value = found.season
        rows.append(["Luck of a season", number(value, 3), f"in the score after {n:,} matches, exp(-information)"])
    chain = found.chain
    chained = f"players who each beat the next with {percent(chain.probability, 0)} (Elias, Garfield, Gutschera)"
    quantiles = f"{chain.between_quantiles:.1f} between the 1% and the 99% quantile"
    rows.append(["Skill chain", f"{chain.length}", f"{chained}; {quantiles}"])
    return rows


def _list_ratio(ratio: VarianceRatio) -> list[str]:
    meaning = (
        "variance of win rates that coins would give, divided by the observed one, at "
        f"{ratio.mean_matches:,.0f} matches per player"
    )
    holds = "" if ratio.balanced else "; players differ too much in how often they play for it to hold"
    return ["Mauboussin's ratio", number(ratio.luck, 3), meaning + holds]


def _read(game: Measurement) -> float:
    """ℓ² of normal skills with the SD of the ratings."""
    return 1 / (1 + elo_to_probit((game.main.sd or 0.0) / game.scale_factor) ** 2)


def explain_differences(game: Measurement) -> list[str]:
    """Where the measures of this record disagree, and why."""
    return [] if game.luck is None else list(_explain(game, game.luck))


def _explain(game: Measurement, luck: LuckMetrics) -> Iterator[str]:
    population, ridge = luck.population, luck.ridge
    best = population or ridge
    if best is not None and game.main.sd:
        yield _compare_ratings(game, best.l2)
    if population is not None and ridge is not None and abs(population.l2 - ridge.l2) >= _NEAR:
        yield _compare_ridge(game, population, ridge)
    if population is not None and population.other_prior is not None:
        other = population.other_prior
        if abs(other.l2 - population.l2) > population.l2_sd:
            yield (
                f"The prior matters here: with {other.prior}, ℓ² is {other.l2:.3f} instead of {population.l2:.3f}. The "
                "record alone does not tell how small the spread of skills may be."
            )
    if ridge is not None and ridge.as_played is not None and abs(ridge.as_played - ridge.luck) >= _OPENNESS:
        yield _compare_opponents(game, ridge.as_played - ridge.luck)
    shift = shift_by_change(luck)
    if shift is not None and population is not None and luck.halves is not None:
        halves = f"in the earlier and the later half of the record ℓ² is {luck.halves[0].l2:.3f} and "
        halves += f"{luck.halves[1].l2:.3f}, in the whole record {population.l2:.3f}"
        if shift[0] > max(_CLEAR * shift[1], 0.01):
            yield (
                f"Players seem to have changed: {halves}. With one skill for a whole career the change counts as luck. "
                "--experience 150:250 keeps only matches in which both players have 150 to 250 earlier matches."
            )
        else:
            yield f"There is no sign that changing skills disturb ℓ²: {halves}."


def _compare_ratings(game: Measurement, l2: float) -> str:
    read = _read(game)
    if abs(read - l2) < _NEAR:
        return f"The SD of ratings and ℓ² agree: {read:.2f} and {l2:.2f} on the same scale."
    if read < l2:
        return (
            f"The SD of ratings reads as less luck ({read:.2f}) than ℓ² ({l2:.2f}). It counts only players with "
            f"{game.main.min_matches} matches or more, who often differ more than all players do. And ratings follow "
            "changes of strength, which count as luck in ℓ²."
        )
    mean = game.data.played.mean()
    few = f" (here {mean:.0f} per player on average)" if mean < _FEW else ""
    skill = None if game.yardstick is None else game.yardstick.skill
    corrected = (
        f" The matched yardstick, which lags in the same way, reads an SD of skills of {skill.estimate:.0f}."
        if skill is not None and np.isfinite(skill.estimate)
        else ""
    )
    return (
        f"The SD of ratings reads as more luck ({read:.2f}) than ℓ² ({l2:.2f}). Ratings start at 0 and need many "
        f"matches to reach their level{few}, and even more where equals meet; ℓ² uses all matches at once.{corrected}"
    )


def _compare_ridge(game: Measurement, population: PopulationLuck, ridge: RidgeLuck) -> str:
    if ridge.l2 < population.l2:
        side, why = "less", "each fitted skill contains some chance of its own, which widens their spread"
    else:
        side, why = "more", "the penalty pulls skills together, most of all those of players with few matches"
    return (
        f"Penalised skills give {side} luck ({ridge.l2:.2f}) than the population ({population.l2:.2f}): {why} (here "
        f"{game.data.played.mean():,.0f} matches per player). The population's ℓ² accounts for both."
    )


def _parts_those_who_met(game: Measurement, extra: float) -> bool:
    """Whether fitted skills put opponents further apart than random players, though the schedule pairs equals."""
    pairing = game.matchmaking.pairing
    return extra < 0 and pairing is not None and pairing.correlation > 0


def _compare_opponents(game: Measurement, extra: float) -> str:
    if _parts_those_who_met(game, extra):
        correlation = game.matchmaking.pairing.correlation if game.matchmaking.pairing else 0.0
        return (
            f"Matchmaking: the strengths of opponents correlate at {correlation:.2f}, so matches are more open than "
            f"between random opponents. L as played is {abs(extra):.3f} lower than L all the same, because skills "
            "fitted to few matches put winners above the losers whom they met; it does not measure matchmaking here."
        )
    how, more = ("more alike", "more") if extra > 0 else ("further apart", "less")
    pairing = game.matchmaking.pairing
    chance = ", as can happen by chance" if pairing is not None and not pairing.detected else ""
    return (
        f"Matchmaking: opponents were {how} than random ones{chance}, so the outcomes of the record were "
        f"{abs(extra):.3f} {more} open than L, which assumes random opponents."
    )
