"""How much of a game is skill, how much luck, and how strong is each player: from records of who played whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludometer.version import __version__ as __version__

_HOMES = {
    "Connected": "selection",
    "keep_connected": "selection",
    "Bounded": "curves",
    "Curve": "curves",
    "CurveCheck": "curves",
    "Logistic": "curves",
    "Normal": "curves",
    "Stob": "curves",
    "Timesharing": "curves",
    "check_curve": "curves",
    "make_curve": "curves",
    "LudometerError": "errors",
    "MatchDataError": "errors",
    "with_experience": "selection",
    "CurveGame": "simulate",
    "League": "simulate",
    "LeagueGame": "simulate",
    "LeagueHistory": "simulate",
    "MarkovGame": "simulate",
    "MoveGame": "simulate",
    "coin_on": "simulate",
    "deterministic_on": "simulate",
    "mix": "simulate",
    "simulate_coin": "simulate",
    "simulate_deterministic": "simulate",
    "simulate_league": "simulate",
    "simulate_moves": "simulate",
    "simulate_on_curve": "simulate",
    "simulate_strengths": "simulate",
    "BoundedModel": "learning",
    "Distributions": "learning",
    "Learning": "learning",
    "LearningBins": "learning",
    "LearningModel": "learning",
    "Tracked": "learning",
    "bin_counts": "learning",
    "bin_learning": "learning",
    "fit_distributions": "learning",
    "follow_players": "learning",
    "follow_ratings": "learning",
    "solve_curve": "learning",
    "solve_density": "learning",
    "solve_learning": "learning",
    "study_learning": "learning",
    "Comparison": "measurement",
    "EntropyLuck": "measurement",
    "LuckChoices": "measurement",
    "LuckMetrics": "measurement",
    "Measurement": "measurement",
    "PopulationEstimate": "measurement",
    "PopulationLuck": "measurement",
    "Reference": "measurement",
    "Repetitions": "measurement",
    "RidgeLuck": "measurement",
    "SkillChain": "measurement",
    "SpreadReading": "measurement",
    "VarianceRatio": "measurement",
    "Verdict": "measurement",
    "Yardstick": "measurement",
    "compare_games": "measurement",
    "continuous_luck": "measurement",
    "count_winners": "measurement",
    "estimate_population": "measurement",
    "information_of_densities": "measurement",
    "measure": "measurement",
    "measure_continuous_luck": "measurement",
    "measure_empirical_luck": "measurement",
    "measure_entropy_luck": "measurement",
    "measure_luck": "measurement",
    "measure_luck_under": "measurement",
    "measure_matchmaking_luck": "measurement",
    "measure_population": "measurement",
    "measure_reference": "measurement",
    "measure_repetitions": "measurement",
    "measure_season_luck": "measurement",
    "measure_skill_chain": "measurement",
    "measure_variance_ratio": "measurement",
    "normal_luck": "measurement",
    "read_spread": "measurement",
    "weigh_by_experience": "measurement",
    "Matches": "matches",
    "Workers": "parallel",
    "Players": "players",
    "BestFit": "ratings",
    "BestFitElo": "ratings",
    "Bounds": "ratings",
    "Calibrated": "ratings",
    "Calibration": "ratings",
    "Drift": "ratings",
    "Dynamic": "ratings",
    "DynamicShrinking": "ratings",
    "Elo": "ratings",
    "Evaluation": "ratings",
    "Federation": "ratings",
    "Glicko2": "ratings",
    "InternetChess": "ratings",
    "Noise": "ratings",
    "PlacesPrediction": "ratings",
    "Prediction": "ratings",
    "PrintedNoise": "ratings",
    "Prizes": "ratings",
    "RatingSystem": "ratings",
    "Ratings": "ratings",
    "Smith": "ratings",
    "SnapshotNoise": "ratings",
    "Static": "ratings",
    "Triangles": "ratings",
    "estimate_noise": "ratings",
    "evaluate": "ratings",
    "fit_best_elo": "ratings",
    "fit_bounds": "ratings",
    "fit_share": "ratings",
    "make_prizes": "ratings",
    "measure_drift": "ratings",
    "measure_noise": "ratings",
    "measure_printed_noise": "ratings",
    "measure_triangles": "ratings",
    "noise_of_snapshots": "ratings",
    "optimal_step": "ratings",
    "predict": "ratings",
    "rate": "ratings",
    "make_series_elo": "ratings.scores.elo",
    "rate_series": "ratings.scores.audit",
    "SeriesRecord": "ratings.scores.record",
    "ReadOptions": "read",
    "Reading": "read",
    "read_file": "read",
    "read_matches": "read",
    "stream_matches": "read",
    "read_skat_games": "skat.reading.games",
    "Dimensions": "strength",
    "RidgePath": "strength",
    "Skills": "strength",
    "compare_dimensions": "strength",
    "cross_validate_ridge": "strength",
    "estimate_difference_errors": "strength",
    "estimate_errors": "strength",
    "fit_orders": "strength",
    "fit_skills": "strength",
    "printed_winner": "strength",
    "thurstone_winner": "strength",
    "trace_ridge": "strength",
}

__all__ = sorted([*_HOMES, "__version__"])  # noqa: PLE0605

if TYPE_CHECKING:
    from ludometer.curves import Bounded as Bounded
    from ludometer.curves import Curve as Curve
    from ludometer.curves import CurveCheck as CurveCheck
    from ludometer.curves import Logistic as Logistic
    from ludometer.curves import Normal as Normal
    from ludometer.curves import Stob as Stob
    from ludometer.curves import Timesharing as Timesharing
    from ludometer.curves import check_curve as check_curve
    from ludometer.curves import make_curve as make_curve
    from ludometer.errors import LudometerError as LudometerError
    from ludometer.errors import MatchDataError as MatchDataError
    from ludometer.learning import BoundedModel as BoundedModel
    from ludometer.learning import Distributions as Distributions
    from ludometer.learning import Learning as Learning
    from ludometer.learning import LearningBins as LearningBins
    from ludometer.learning import LearningModel as LearningModel
    from ludometer.learning import Tracked as Tracked
    from ludometer.learning import bin_counts as bin_counts
    from ludometer.learning import bin_learning as bin_learning
    from ludometer.learning import fit_distributions as fit_distributions
    from ludometer.learning import follow_players as follow_players
    from ludometer.learning import follow_ratings as follow_ratings
    from ludometer.learning import solve_curve as solve_curve
    from ludometer.learning import solve_density as solve_density
    from ludometer.learning import solve_learning as solve_learning
    from ludometer.learning import study_learning as study_learning
    from ludometer.matches import Matches as Matches
    from ludometer.measurement import Comparison as Comparison
    from ludometer.measurement import EntropyLuck as EntropyLuck
    from ludometer.measurement import LuckChoices as LuckChoices
    from ludometer.measurement import LuckMetrics as LuckMetrics
    from ludometer.measurement import Measurement as Measurement
    from ludometer.measurement import PopulationEstimate as PopulationEstimate
    from ludometer.measurement import PopulationLuck as PopulationLuck
    from ludometer.measurement import Reference as Reference
    from ludometer.measurement import Repetitions as Repetitions
    from ludometer.measurement import RidgeLuck as RidgeLuck
    from ludometer.measurement import SkillChain as SkillChain
    from ludometer.measurement import SpreadReading as SpreadReading
    from ludometer.measurement import VarianceRatio as VarianceRatio
    from ludometer.measurement import Verdict as Verdict
    from ludometer.measurement import Yardstick as Yardstick
    from ludometer.measurement import compare_games as compare_games
    from ludometer.measurement import continuous_luck as continuous_luck
    from ludometer.measurement import count_winners as count_winners
    from ludometer.measurement import estimate_population as estimate_population
    from ludometer.measurement import information_of_densities as information_of_densities
    from ludometer.measurement import measure as measure
    from ludometer.measurement import measure_continuous_luck as measure_continuous_luck
    from ludometer.measurement import measure_empirical_luck as measure_empirical_luck
    from ludometer.measurement import measure_entropy_luck as measure_entropy_luck
    from ludometer.measurement import measure_luck as measure_luck
    from ludometer.measurement import measure_luck_under as measure_luck_under
    from ludometer.measurement import measure_matchmaking_luck as measure_matchmaking_luck
    from ludometer.measurement import measure_population as measure_population
    from ludometer.measurement import measure_reference as measure_reference
    from ludometer.measurement import measure_repetitions as measure_repetitions
    from ludometer.measurement import measure_season_luck as measure_season_luck
    from ludometer.measurement import measure_skill_chain as measure_skill_chain
    from ludometer.measurement import measure_variance_ratio as measure_variance_ratio
    from ludometer.measurement import normal_luck as normal_luck
    from ludometer.measurement import read_spread as read_spread
    from ludometer.measurement import weigh_by_experience as weigh_by_experience
    from ludometer.parallel import Workers as Workers
    from ludometer.players import Players as Players
    from ludometer.ratings import BestFit as BestFit
    from ludometer.ratings import BestFitElo as BestFitElo
    from ludometer.ratings import Bounds as Bounds
    from ludometer.ratings import Calibrated as Calibrated
    from ludometer.ratings import Calibration as Calibration
    from ludometer.ratings import Drift as Drift
    from ludometer.ratings import Dynamic as Dynamic
    from ludometer.ratings import DynamicShrinking as DynamicShrinking
    from ludometer.ratings import Elo as Elo
    from ludometer.ratings import Evaluation as Evaluation
    from ludometer.ratings import Federation as Federation
    from ludometer.ratings import Glicko2 as Glicko2
    from ludometer.ratings import InternetChess as InternetChess
    from ludometer.ratings import Noise as Noise
    from ludometer.ratings import PlacesPrediction as PlacesPrediction
    from ludometer.ratings import Prediction as Prediction
    from ludometer.ratings import PrintedNoise as PrintedNoise
    from ludometer.ratings import Prizes as Prizes
    from ludometer.ratings import Ratings as Ratings
    from ludometer.ratings import RatingSystem as RatingSystem
    from ludometer.ratings import Smith as Smith
    from ludometer.ratings import SnapshotNoise as SnapshotNoise
    from ludometer.ratings import Static as Static
    from ludometer.ratings import Triangles as Triangles
    from ludometer.ratings import estimate_noise as estimate_noise
    from ludometer.ratings import evaluate as evaluate
    from ludometer.ratings import fit_best_elo as fit_best_elo
    from ludometer.ratings import fit_bounds as fit_bounds
    from ludometer.ratings import fit_share as fit_share
    from ludometer.ratings import make_prizes as make_prizes
    from ludometer.ratings import measure_drift as measure_drift
    from ludometer.ratings import measure_noise as measure_noise
    from ludometer.ratings import measure_printed_noise as measure_printed_noise
    from ludometer.ratings import measure_triangles as measure_triangles
    from ludometer.ratings import noise_of_snapshots as noise_of_snapshots
    from ludometer.ratings import optimal_step as optimal_step
    from ludometer.ratings import predict as predict
    from ludometer.ratings import rate as rate
    from ludometer.ratings.scores.audit import rate_series as rate_series
    from ludometer.ratings.scores.elo import make_series_elo as make_series_elo
    from ludometer.ratings.scores.record import SeriesRecord as SeriesRecord
    from ludometer.read import Reading as Reading
    from ludometer.read import ReadOptions as ReadOptions
    from ludometer.read import read_file as read_file
    from ludometer.read import read_matches as read_matches
    from ludometer.read import stream_matches as stream_matches
    from ludometer.selection import Connected as Connected
    from ludometer.selection import keep_connected as keep_connected
    from ludometer.selection import with_experience as with_experience
    from ludometer.simulate import CurveGame as CurveGame
    from ludometer.simulate import League as League
    from ludometer.simulate import LeagueGame as LeagueGame
    from ludometer.simulate import LeagueHistory as LeagueHistory
    from ludometer.simulate import MarkovGame as MarkovGame
    from ludometer.simulate import MoveGame as MoveGame
    from ludometer.simulate import coin_on as coin_on
    from ludometer.simulate import deterministic_on as deterministic_on
    from ludometer.simulate import mix as mix
    from ludometer.simulate import simulate_coin as simulate_coin
    from ludometer.simulate import simulate_deterministic as simulate_deterministic
    from ludometer.simulate import simulate_league as simulate_league
    from ludometer.simulate import simulate_moves as simulate_moves
    from ludometer.simulate import simulate_on_curve as simulate_on_curve
    from ludometer.simulate import simulate_strengths as simulate_strengths
    from ludometer.skat.reading.games import read_skat_games as read_skat_games
    from ludometer.strength import Dimensions as Dimensions
    from ludometer.strength import RidgePath as RidgePath
    from ludometer.strength import Skills as Skills
    from ludometer.strength import compare_dimensions as compare_dimensions
    from ludometer.strength import cross_validate_ridge as cross_validate_ridge
    from ludometer.strength import estimate_difference_errors as estimate_difference_errors
    from ludometer.strength import estimate_errors as estimate_errors
    from ludometer.strength import fit_orders as fit_orders
    from ludometer.strength import fit_skills as fit_skills
    from ludometer.strength import printed_winner as printed_winner
    from ludometer.strength import thurstone_winner as thurstone_winner
    from ludometer.strength import trace_ridge as trace_ridge


def __getattr__(name: str) -> Any:
    """Load a public name with its module when it is first used, so that `import ludometer` costs nothing."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"ludometer.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'ludometer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
