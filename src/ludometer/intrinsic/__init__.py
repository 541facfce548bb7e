"""Strength from the moves themselves, by engines: gains, and what they say of the players; chess and backgammon."""

from ludometer.intrinsic.backgammon import AnalysedMatch, Evaluator, MatchRecord, analyse_matches
from ludometer.intrinsic.backgammon_balance import balance_match, follow_match
from ludometer.intrinsic.backgammon_play import GradedPlayer, play_matches
from ludometer.intrinsic.backgammon_skill import SkillAndLuck, measure_backgammon
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
    "AnalysedMatch",
    "CalibratedElo",
    "Calibration",
    "Conventions",
    "EngineStrength",
    "EvaluatedGame",
    "Evaluations",
    "Evaluator",
    "EventComparison",
    "EventScale",
    "Filters",
    "Gains",
    "GradedPlayer",
    "MatchRecord",
    "MoveQuality",
    "Reference",
    "Sensitivity",
    "SkillAndLuck",
    "Strengths",
    "Study",
    "Trajectory",
    "Variation",
    "analyse_matches",
    "balance_match",
    "calibrate",
    "compare_events",
    "compare_filters",
    "engine_strength",
    "expected_score",
    "fit_sensitivity",
    "follow_match",
    "follow_player",
    "iterate_as_printed",
    "load_calibration",
    "measure_backgammon",
    "measure_gains",
    "measure_quality",
    "measure_strengths",
    "play_matches",
    "pool_gains",
    "rating_difference",
    "scale_events",
    "solve_strengths",
    "study_strengths",
    "usual_filters",
    "vary_mate_value",
]
