"""The measures of a game: how far the ratings of its players spread, and what that says about skill and luck."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.measurement.as_printed import measure_mixed_persistence as measure_mixed_persistence
    from ludometer.measurement.benchmarks.published import ReferenceGame as ReferenceGame
    from ludometer.measurement.benchmarks.published import reference_games as reference_games
    from ludometer.measurement.benchmarks.yardstick import Reference as Reference
    from ludometer.measurement.benchmarks.yardstick import Yardstick as Yardstick
    from ludometer.measurement.benchmarks.yardstick import measure_reference as measure_reference
    from ludometer.measurement.comparison import Comparison as Comparison
    from ludometer.measurement.comparison import compare_games as compare_games
    from ludometer.measurement.legal.entry import LegalTest as LegalTest
    from ludometer.measurement.legal.legal import LegalTests as LegalTests
    from ludometer.measurement.legal.legal import apply_legal_tests as apply_legal_tests
    from ludometer.measurement.luck.corrected import CorrectedLuck as CorrectedLuck
    from ludometer.measurement.luck.corrected import correct_luck as correct_luck
    from ludometer.measurement.luck.corrected import population_luck as population_luck
    from ludometer.measurement.luck.entropy import EntropyLuck as EntropyLuck
    from ludometer.measurement.luck.entropy import continuous_luck as continuous_luck
    from ludometer.measurement.luck.entropy import count_winners as count_winners
    from ludometer.measurement.luck.entropy import information_of_densities as information_of_densities
    from ludometer.measurement.luck.entropy import measure_continuous_luck as measure_continuous_luck
    from ludometer.measurement.luck.entropy import measure_empirical_luck as measure_empirical_luck
    from ludometer.measurement.luck.entropy import measure_entropy_luck as measure_entropy_luck
    from ludometer.measurement.luck.entropy import measure_luck_under as measure_luck_under
    from ludometer.measurement.luck.entropy import measure_matchmaking_luck as measure_matchmaking_luck
    from ludometer.measurement.luck.entropy import measure_season_luck as measure_season_luck
    from ludometer.measurement.luck.entropy import weigh_by_experience as weigh_by_experience
    from ludometer.measurement.luck.evidence import PopulationEvidence as PopulationEvidence
    from ludometer.measurement.luck.evidence import population_evidence as population_evidence
    from ludometer.measurement.luck.luck import LuckChoices as LuckChoices
    from ludometer.measurement.luck.luck import LuckMetrics as LuckMetrics
    from ludometer.measurement.luck.luck import RidgeLuck as RidgeLuck
    from ludometer.measurement.luck.luck import measure_luck as measure_luck
    from ludometer.measurement.luck.older import Repetitions as Repetitions
    from ludometer.measurement.luck.older import SkillChain as SkillChain
    from ludometer.measurement.luck.older import SpreadReading as SpreadReading
    from ludometer.measurement.luck.older import VarianceRatio as VarianceRatio
    from ludometer.measurement.luck.older import measure_repetitions as measure_repetitions
    from ludometer.measurement.luck.older import measure_skill_chain as measure_skill_chain
    from ludometer.measurement.luck.older import measure_variance_ratio as measure_variance_ratio
    from ludometer.measurement.luck.older import normal_luck as normal_luck
    from ludometer.measurement.luck.older import read_spread as read_spread
    from ludometer.measurement.luck.population import PopulationEstimate as PopulationEstimate
    from ludometer.measurement.luck.population import PopulationLuck as PopulationLuck
    from ludometer.measurement.luck.population import estimate_population as estimate_population
    from ludometer.measurement.luck.population import measure_population as measure_population
    from ludometer.measurement.measurement import Measurement as Measurement
    from ludometer.measurement.measurement import measure as measure
    from ludometer.measurement.planning import Budget as Budget
    from ludometer.measurement.planning import WithinBudget as WithinBudget
    from ludometer.measurement.record.accounts import Account as Account
    from ludometer.measurement.record.accounts import list_accounts as list_accounts
    from ludometer.measurement.record.repeats import Repeats as Repeats
    from ludometer.measurement.record.repeats import undo_repeats as undo_repeats
    from ludometer.measurement.record.study import RecordStudy as RecordStudy
    from ludometer.measurement.record.study import study_record as study_record
    from ludometer.measurement.record.tables import Flattened as Flattened
    from ludometer.measurement.record.tables import restore_tables as restore_tables
    from ludometer.measurement.spread import Persistence as Persistence
    from ludometer.measurement.spread import Spread as Spread
    from ludometer.measurement.spread import measure_persistence as measure_persistence
    from ludometer.measurement.spread import repetitions as repetitions
    from ludometer.measurement.verdict.checks import Check as Check
    from ludometer.measurement.verdict.verdict import Verdict as Verdict

__getattr__, __dir__ = load_on_use(__name__)
