"""Luck by other definitions than the spread of ratings: L and ℓ², their pictures, and why measures disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ludometer.measurement.luck.luck import shift_by_change
from ludometer.report.parts import NOTHING, bullets, download, figure_of, number, paragraphs, table
from ludometer.scale import elo_to_probit, probit_to_elo
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement import LuckMetrics, Measurement, PopulationLuck, RidgeLuck

_NEAR, _CLEAR, _FEW = 0.05, 2.0, 100
"""Measures of ℓ² that differ by less agree; a shift counts from so many standard errors; few matches a player."""


def luck_section(game: Measurement) -> str:
    """The measures in a table, their pictures, and a comparison; empty where luck was not measured."""
    luck = game.luck
    if luck is None or (luck.ridge is None and luck.population is None):
        return ""
    return (
        "<h3>Luck by other definitions</h3>"
        + paragraphs(_DEFINITIONS)
        + table(["Measure", "Value", "What it says"], _rows(game, luck), left=(0, 2))
        + _pictures(game, luck)
        + "<h3>Why the measures differ</h3>"
        + bullets(_differences(game, luck))
    )


_DEFINITIONS = (
    "A player's performance is his skill and something that changes from match to match, both in one unit: the SD of "
    "the latter. ℓ² is the share of luck in the variance of performances, L the share of the outcome that stays open "
    "when one knows who plays. 1 is all luck, 0 all skill. L is near 1 in most games: even a strong favourite leaves "
    "the outcome of one match open (Gilbert and Wells)."
)


def _rows(game: Measurement, luck: LuckMetrics) -> list[list[str]]:
    rows = []
    if luck.population is not None:
        rows += _population_rows(luck.population)
    if luck.ridge is not None:
        rows += _ridge_rows(luck.ridge)
    if game.main.sd:
        rows.append(
            [
                "ℓ² read off the SD of ratings",
                f"{_read(game):.3f}",
                f"the same scale: an SD of {probit_to_elo(1.0):.0f} Elo points is one SD of performance, ℓ² = 0.5",
            ]
        )
    if luck.variance_ratio is not None and np.isfinite(luck.variance_ratio.luck):
        ratio = luck.variance_ratio
        holds = "" if ratio.balanced else ", but players play too unequally often for it to hold"
        rows.append(
            [
                "Mauboussin's ratio",
                f"{ratio.luck:.3f}",
                f"variance of win rates that coins would give over the real one, for {ratio.mean_matches:,.0f} matches "
                f"a player{holds}",
            ]
        )
    return rows


def _population_rows(found: PopulationLuck) -> list[list[str]]:
    low, high = found.l2_interval
    certain = (
        f"{found.ess:,.0f} effective draws, R-hat {found.rhat:.3f}"
        if found.converged
        else f"not certain: only {found.ess:,.0f} effective draws, R-hat {found.rhat:.3f}"
    )
    rows = [
        [
            "ℓ² of the population",
            f"{found.l2:.3f} [{low:.3f}, {high:.3f}]",
            f"skills are normal with an SD of {found.sigma:.3f}; 95% interval, prior {found.prior}; {certain}",
        ]
    ]
    if found.other_prior is not None:
        other = found.other_prior
        rows.append(
            [
                f"the same, prior {other.prior}",
                f"{other.l2:.3f}",
                f"how far the prior moves the answer: by {other.l2 - found.l2:+.3f}",
            ]
        )
    return rows


def _ridge_rows(found: RidgeLuck) -> list[list[str]]:
    skills = found.skills
    rows = [
        [
            "ℓ² by penalised skills",
            f"{found.l2:.3f}",
            f"from the sample variance of skills that fit best, {found.model}, λ = {skills.ridge:g}",
        ],
        [
            "L",
            f"{found.luck:.3f}",
            f"share of one match of {found.per_match} that stays open, opponents drawn at random",
        ],
    ]
    if found.as_played is not None:
        added = found.as_played - found.luck
        how = f"matchmaking {'adds' if added >= 0 else 'takes'} {abs(added):.3f}"
        rows.append(["L as played", f"{found.as_played:.3f}", f"with the opponents of the record; {how}"])
    if found.season is not None:
        rows.append(
            [
                "Luck of a season",
                f"{found.season[1]:.3f}",
                f"of the score after {found.season[0]:,} matches, exp(-information)",
            ]
        )
    chain, repeat = found.chain, found.repetitions
    rows.append(
        [
            "Skill chain",
            f"{chain.length}",
            f"players each of whom beats the next with {percent(chain.probability, 0)} (Elias, Garfield, Gutschera); "
            f"{chain.between_quantiles:.1f} between the 1% and the 99% quantile",
        ]
    )
    rows.append(
        [
            "Decided games needed",
            NOTHING if repeat.one_sd is None else f"{repeat.one_sd:,}",
            f"until a player one SD better leads with {percent(repeat.confidence, 0)}; the best 1% against the worst: "
            + (NOTHING if repeat.top_against_bottom is None else f"{repeat.top_against_bottom:,}"),
        ]
    )
    return rows


def _pictures(game: Measurement, luck: LuckMetrics) -> str:
    drawn = ""
    if luck.population is not None:
        drawn += figure_of(
            game,
            "luck",
            "How certain ℓ² is: all values that agree with the record, by how well they do.",
        )
    if luck.ridge is not None:
        if luck.ridge.path is not None:
            drawn += figure_of(
                game,
                "ridge",
                "By penalised skills ℓ² hangs on the penalty λ where players have few matches: a steep curve says that "
                "these data leave it open. The dot is the λ used above.",
            )
        drawn += figure_of(
            game,
            "skills",
            "Skills of the strongest players, with 95% intervals, around the mean of all players.",
        )
        drawn += download(luck.ridge.skills_frame(), "skills.csv", "Skills with standard errors")
    return drawn


def _read(game: Measurement) -> float:
    """ℓ² of normal skills with the SD of the ratings."""
    return 1 / (1 + elo_to_probit((game.main.sd or 0.0) / game.scale_factor) ** 2)


def _differences(game: Measurement, luck: LuckMetrics) -> list[str]:
    """When the measures of this record disagree, and why."""
    said = []
    best = luck.population.l2 if luck.population is not None else luck.ridge.l2 if luck.ridge is not None else None
    if best is not None and game.main.sd:
        said.append(_ratings_against(game, best))
    if luck.population is not None and luck.ridge is not None:
        said.append(_ridge_against(game, luck.population, luck.ridge))
    if luck.population is not None and luck.population.other_prior is not None:
        other, found = luck.population.other_prior, luck.population
        if abs(other.l2 - found.l2) > found.l2_sd:
            said.append(
                f"The prior matters here: with {other.prior} ℓ² is {other.l2:.3f} instead of {found.l2:.3f}. The "
                "record alone does not say how small the spread of skills may be."
            )
    if luck.ridge is not None and luck.ridge.as_played is not None:
        extra = luck.ridge.as_played - luck.ridge.luck
        if abs(extra) >= 0.005:
            how = "opponents were more alike" if extra > 0 else "opponents were further apart"
            if game.matchmaking.pairing is not None and not game.matchmaking.pairing.detected:
                how += ", as may happen at random"
            said.append(
                f"Matchmaking: {how}, so the matches of the record were {abs(extra):.3f} "
                f"{'more' if extra > 0 else 'less'} open than those of opponents drawn at random, for which L stands."
            )
    said.append(_change(luck))
    return [text for text in said if text]


def _ratings_against(game: Measurement, l2: float) -> str:
    read = _read(game)
    if abs(read - l2) < _NEAR:
        return f"The SD of ratings and ℓ² agree: {read:.2f} and {l2:.2f} on one scale."
    a_player = game.data.played.mean()
    if read < l2:
        return (
            f"The SD of ratings reads as less luck ({read:.2f}) than ℓ² ({l2:.2f}). It counts only players with "
            f"{game.main.min_matches} matches or more, who often differ more than all players do, and ratings also "
            "follow changes of strength, which ℓ² takes for luck."
        )
    few = f"here a player has {a_player:.0f} matches on average" if a_player < _FEW else "as here"
    corrected = (
        f" The matched yardstick, which has the same lag, reads an SD of skills of {game.yardstick.skill.estimate:.0f}."
        if game.yardstick is not None
        and game.yardstick.skill is not None
        and np.isfinite(game.yardstick.skill.estimate)
        else ""
    )
    return (
        f"The SD of ratings reads as more luck ({read:.2f}) than ℓ² ({l2:.2f}). Ratings start at 0 and need many "
        f"matches to get where they belong ({few}), and less still where equals meet; ℓ² looks at all matches at "
        f"once.{corrected}"
    )


def _ridge_against(game: Measurement, population: PopulationLuck, ridge: RidgeLuck) -> str:
    if abs(population.l2 - ridge.l2) < _NEAR:
        return ""
    side = "less" if ridge.l2 < population.l2 else "more"
    why = (
        "each fitted skill holds some chance of its own, which widens their spread"
        if side == "less"
        else "the penalty pulls skills together, the more the fewer matches a player has"
    )
    return (
        f"Penalised skills give {side} luck ({ridge.l2:.2f}) than the population ({population.l2:.2f}): {why} (here "
        f"{number(float(game.data.played.mean()), 0)} matches a player). The population's ℓ² accounts for both."
    )


def _change(luck: LuckMetrics) -> str:
    shift = shift_by_change(luck)
    if shift is None or luck.halves is None or luck.population is None:
        return ""
    halves = f"{luck.halves[0].l2:.3f} and {luck.halves[1].l2:.3f}"
    if shift[0] > max(_CLEAR * shift[1], 0.01):
        return (
            f"Players seem to have changed: within the earlier and the later half of the record ℓ² is {halves}, in all "
            f"{luck.population.l2:.3f}. One skill for a whole career takes the change for luck. --experience 150:250 "
            "keeps matches in which both have so many behind them."
        )
    return (
        f"No sign that changing skill disturbs ℓ²: within the earlier and the later half of the record it is {halves}, "
        f"in all {luck.population.l2:.3f}."
    )
