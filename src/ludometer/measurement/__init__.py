"""The measures of a game: how far the ratings of its players spread, and what that says of skill and luck."""

from ludometer.measurement.benchmarks.analysis import measure_reference
from ludometer.measurement.benchmarks.reference import ReferenceGame, reference_games
from ludometer.measurement.benchmarks.yardstick import Reference, Yardstick
from ludometer.measurement.entropy.chains import (
    Repetitions,
    SkillChain,
    VarianceRatio,
    measure_repetitions,
    measure_skill_chain,
    measure_variance_ratio,
)
from ludometer.measurement.entropy.entropy import (
    EntropyLuck,
    continuous_luck,
    count_winners,
    information_of_densities,
    measure_continuous_luck,
    measure_empirical_luck,
    measure_entropy_luck,
    measure_luck_under,
    measure_matchmaking_luck,
    measure_season_luck,
    weigh_by_experience,
)
from ludometer.measurement.entropy.readings import SpreadReading, normal_luck, read_spread
from ludometer.measurement.luck import LuckChoices, LuckMetrics, RidgeLuck, measure_luck
from ludometer.measurement.measurement import Measurement, measure
from ludometer.measurement.population.population import (
    PopulationEstimate,
    PopulationLuck,
    estimate_population,
    measure_population,
)
from ludometer.measurement.spread.persistence import Persistence, measure_mixed_persistence, measure_persistence
from ludometer.measurement.spread.spread import Spread, repetitions
from ludometer.measurement.verdict.checks import Check
from ludometer.measurement.verdict.comparison import Comparison, compare_games
from ludometer.measurement.verdict.verdict import Verdict

__all__ = [
    "Check",
    "Comparison",
    "EntropyLuck",
    "LuckChoices",
    "LuckMetrics",
    "Measurement",
    "Persistence",
    "PopulationEstimate",
    "PopulationLuck",
    "Reference",
    "ReferenceGame",
    "Repetitions",
    "RidgeLuck",
    "SkillChain",
    "Spread",
    "SpreadReading",
    "VarianceRatio",
    "Verdict",
    "Yardstick",
    "compare_games",
    "continuous_luck",
    "count_winners",
    "estimate_population",
    "information_of_densities",
    "measure",
    "measure_continuous_luck",
    "measure_empirical_luck",
    "measure_entropy_luck",
    "measure_luck",
    "measure_luck_under",
    "measure_matchmaking_luck",
    "measure_mixed_persistence",
    "measure_persistence",
    "measure_population",
    "measure_reference",
    "measure_repetitions",
    "measure_season_luck",
    "measure_skill_chain",
    "measure_variance_ratio",
    "normal_luck",
    "read_spread",
    "reference_games",
    "repetitions",
    "weigh_by_experience",
]
