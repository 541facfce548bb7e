"""Chess: how well players play, from the moves themselves, by an engine's evaluations."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.chess.record.evaluations import Conventions as Conventions
    from ludometer.chess.record.evaluations import EvaluatedGame as EvaluatedGame
    from ludometer.chess.record.evaluations import Evaluations as Evaluations
    from ludometer.chess.record.pgn import read_chess_games as read_chess_games
    from ludometer.chess.record.tables import read_evaluations as read_evaluations
    from ludometer.chess.strength.calibration import CalibratedElo as CalibratedElo
    from ludometer.chess.strength.calibration import Calibration as Calibration
    from ludometer.chess.strength.calibration import calibrate as calibrate
    from ludometer.chess.strength.calibration import load_calibration as load_calibration
    from ludometer.chess.strength.events import EventComparison as EventComparison
    from ludometer.chess.strength.events import EventScale as EventScale
    from ludometer.chess.strength.events import compare_events as compare_events
    from ludometer.chess.strength.events import scale_events as scale_events
    from ludometer.chess.strength.gains import Filters as Filters
    from ludometer.chess.strength.gains import MoveGains as MoveGains
    from ludometer.chess.strength.gains import measure_gains as measure_gains
    from ludometer.chess.strength.measures import MoveQuality as MoveQuality
    from ludometer.chess.strength.measures import Sensitivity as Sensitivity
    from ludometer.chess.strength.measures import fit_sensitivity as fit_sensitivity
    from ludometer.chess.strength.measures import measure_quality as measure_quality
    from ludometer.chess.strength.strengths import EngineStrength as EngineStrength
    from ludometer.chess.strength.strengths import Strengths as Strengths
    from ludometer.chess.strength.strengths import engine_strength as engine_strength
    from ludometer.chess.strength.strengths import iterate_as_printed as iterate_as_printed
    from ludometer.chess.strength.strengths import measure_strengths as measure_strengths
    from ludometer.chess.strength.strengths import solve_strengths as solve_strengths
    from ludometer.chess.strength.study import Study as Study
    from ludometer.chess.strength.study import study_strengths as study_strengths
    from ludometer.chess.strength.trajectory import Trajectory as Trajectory
    from ludometer.chess.strength.trajectory import follow_player as follow_player
    from ludometer.chess.strength.variation import Variation as Variation
    from ludometer.chess.strength.variation import compare_filters as compare_filters
    from ludometer.chess.strength.variation import usual_filters as usual_filters
    from ludometer.chess.strength.variation import vary_mate_value as vary_mate_value

__getattr__, __dir__ = load_on_use(__name__)
