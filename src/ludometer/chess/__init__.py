"""Chess: strength of play from the moves, by an engine."""

from ludometer.chess.calibration import CalibratedElo, Calibration, calibrate, load_calibration
from ludometer.chess.choices import Variation, compare_filters, usual_filters, vary_mate_value
from ludometer.chess.events import EventComparison, EventScale, compare_events, scale_events
from ludometer.chess.measures import MoveQuality, Sensitivity, fit_sensitivity, measure_quality
from ludometer.chess.study import Study, study_strengths
from ludometer.chess.trajectory import Trajectory, follow_player

__all__ = [
    "CalibratedElo",
    "Calibration",
    "EventComparison",
    "EventScale",
    "MoveQuality",
    "Sensitivity",
    "Study",
    "Trajectory",
    "Variation",
    "calibrate",
    "compare_events",
    "compare_filters",
    "fit_sensitivity",
    "follow_player",
    "load_calibration",
    "measure_quality",
    "scale_events",
    "study_strengths",
    "usual_filters",
    "vary_mate_value",
]
