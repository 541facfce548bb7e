"""The measures of a game: how far the ratings of its players spread, and what that says of skill and luck."""

from ludometer.luck.analysis import measure_reference
from ludometer.luck.checks import Check
from ludometer.luck.comparison import Comparison, compare_games
from ludometer.luck.measurement import Measurement, measure
from ludometer.luck.persistence import Persistence, measure_mixed_persistence, measure_persistence
from ludometer.luck.reference import ReferenceGame, reference_games
from ludometer.luck.spread import Spread, repetitions
from ludometer.luck.verdict import Verdict
from ludometer.luck.yardstick import Reference, Yardstick

__all__ = [
    "Check",
    "Comparison",
    "Measurement",
    "Persistence",
    "Reference",
    "ReferenceGame",
    "Spread",
    "Verdict",
    "Yardstick",
    "compare_games",
    "measure",
    "measure_mixed_persistence",
    "measure_persistence",
    "measure_reference",
    "reference_games",
    "repetitions",
]
