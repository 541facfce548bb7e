"""Strength from the moves themselves: gains by an engine's evaluations, and what they say of the players."""

from ludometer.intrinsic.calibration import CalibratedElo, Calibration, calibrate, load_calibration
from ludometer.intrinsic.evaluations import Conventions, EvaluatedGame, Evaluations
from ludometer.intrinsic.events import EventComparison, EventScale, compare_events, scale_events
from ludometer.intrinsic.gain import Filters, Gains, expected_score, measure_gains, rating_difference
from ludometer.intrinsic.rivals import MoveQuality, Sensitivity, fit_sensitivity, measure_quality
from ludometer.intrinsic.samples import ENGINE, Reference, pool_gains
from ludometer.intrinsic.strengths import Strengths, measure_strengths
from ludometer.intrinsic.study import Study, study_strengths
from ludometer.intrinsic.tournament import EngineStrength, engine_strength, iterate_as_printed, solve_strengths
from ludometer.intrinsic.trajectory import Trajectory, follow_player
from ludometer.intrinsic.variation import Variation, compare_filters, usual_filters, vary_mate_value

__all__ = [
    "ENGINE",
    "CalibratedElo",
    "Calibration",
    "Conventions",
    "EngineStrength",
    "EvaluatedGame",
    "Evaluations",
    "EventComparison",
    "EventScale",
    "Filters",
    "Gains",
    "MoveQuality",
    "Reference",
    "Sensitivity",
    "Strengths",
    "Study",
    "Trajectory",
    "Variation",
    "calibrate",
    "compare_events",
    "compare_filters",
    "engine_strength",
    "expected_score",
    "fit_sensitivity",
    "follow_player",
    "iterate_as_printed",
    "load_calibration",
    "measure_gains",
    "measure_quality",
    "measure_strengths",
    "pool_gains",
    "rating_difference",
    "scale_events",
    "solve_strengths",
    "study_strengths",
    "usual_filters",
    "vary_mate_value",
]
