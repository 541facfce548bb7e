"""Strength from the moves themselves, what chess and backgammon share: gains, samples, strengths with errors."""

from ludometer.moves.evaluations import Conventions, EvaluatedGame, Evaluations
from ludometer.moves.gains import Filters, Gains, expected_score, measure_gains, rating_difference
from ludometer.moves.samples import ENGINE, Reference, pool_gains
from ludometer.moves.strengths import (
    EngineStrength,
    Strengths,
    engine_strength,
    iterate_as_printed,
    measure_strengths,
    solve_strengths,
)

__all__ = [
    "ENGINE",
    "Conventions",
    "EngineStrength",
    "EvaluatedGame",
    "Evaluations",
    "Filters",
    "Gains",
    "Reference",
    "Strengths",
    "engine_strength",
    "expected_score",
    "iterate_as_printed",
    "measure_gains",
    "measure_strengths",
    "pool_gains",
    "rating_difference",
    "solve_strengths",
]
