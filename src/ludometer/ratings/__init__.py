"""Rating systems, one driver for all of them, and the noise, drift and triangles of ratings."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.ratings.advice import Advice as Advice
    from ludometer.ratings.advice import Suggestion as Suggestion
    from ludometer.ratings.advice import advise as advise
    from ludometer.ratings.as_printed import PrintedNoise as PrintedNoise
    from ludometer.ratings.as_printed import measure_printed_noise as measure_printed_noise
    from ludometer.ratings.bounds import Bounds as Bounds
    from ludometer.ratings.bounds import BoundsGain as BoundsGain
    from ludometer.ratings.bounds import fit_bounds as fit_bounds
    from ludometer.ratings.catalogue import Entry as Entry
    from ludometer.ratings.catalogue import make_system as make_system
    from ludometer.ratings.cycles.triangles import Triangles as Triangles
    from ludometer.ratings.cycles.triangles import measure_triangles as measure_triangles
    from ludometer.ratings.driver import RatingSystem as RatingSystem
    from ludometer.ratings.driver import rate as rate
    from ludometer.ratings.engines.sprt import Sprt as Sprt
    from ludometer.ratings.engines.sprt import run_sprt as run_sprt
    from ludometer.ratings.engines.study import EngineMatch as EngineMatch
    from ludometer.ratings.engines.study import EngineStudy as EngineStudy
    from ludometer.ratings.engines.study import Hypotheses as Hypotheses
    from ludometer.ratings.engines.study import study_engines as study_engines
    from ludometer.ratings.evaluation import Evaluation as Evaluation
    from ludometer.ratings.evaluation import evaluate as evaluate
    from ludometer.ratings.listed import Ratings as Ratings
    from ludometer.ratings.noise.drift import Drift as Drift
    from ludometer.ratings.noise.drift import measure_drift as measure_drift
    from ludometer.ratings.noise.league import LeagueNoise as LeagueNoise
    from ludometer.ratings.noise.league import study_noise as study_noise
    from ludometer.ratings.noise.noise import Noise as Noise
    from ludometer.ratings.noise.noise import estimate_noise as estimate_noise
    from ludometer.ratings.noise.noise import measure_noise as measure_noise
    from ludometer.ratings.noise.noise import optimal_step as optimal_step
    from ludometer.ratings.noise.snapshots import SnapshotNoise as SnapshotNoise
    from ludometer.ratings.noise.snapshots import noise_of_snapshots as noise_of_snapshots
    from ludometer.ratings.prediction import Fixtures as Fixtures
    from ludometer.ratings.prediction import PairsPrediction as PairsPrediction
    from ludometer.ratings.prediction import PlacesPrediction as PlacesPrediction
    from ludometer.ratings.prediction import Prediction as Prediction
    from ludometer.ratings.prediction import predict as predict
    from ludometer.ratings.prediction import predict_pairs as predict_pairs
    from ludometer.ratings.prizes import Prizes as Prizes
    from ludometer.ratings.prizes import make_prizes as make_prizes
    from ludometer.ratings.ranks import Ranks as Ranks
    from ludometer.ratings.saved import SavedState as SavedState
    from ludometer.ratings.saved import StartRatings as StartRatings
    from ludometer.ratings.saved import load_state as load_state
    from ludometer.ratings.saved import new_state as new_state
    from ludometer.ratings.saved import save_state as save_state
    from ludometer.ratings.scoring import Calibration as Calibration
    from ludometer.ratings.scoring import SystemScore as SystemScore
    from ludometer.ratings.state_space.effects import Effect as Effect
    from ludometer.ratings.state_space.files import load_parameters as load_parameters
    from ludometer.ratings.state_space.files import save_parameters as save_parameters
    from ludometer.ratings.state_space.history import History as History
    from ludometer.ratings.state_space.history import rate_history as rate_history
    from ludometer.ratings.state_space.parameters import Parameters as Parameters
    from ludometer.ratings.state_space.system import FittedStateSpace as FittedStateSpace
    from ludometer.ratings.state_space.system import StateSpace as StateSpace
    from ludometer.ratings.systems.best_fit import BestFit as BestFit
    from ludometer.ratings.systems.best_fit import BestFitElo as BestFitElo
    from ludometer.ratings.systems.best_fit import fit_best_elo as fit_best_elo
    from ludometer.ratings.systems.best_fit import fit_share as fit_share
    from ludometer.ratings.systems.calibrated import Calibrated as Calibrated
    from ludometer.ratings.systems.dynamic import Dynamic as Dynamic
    from ludometer.ratings.systems.dynamic import DynamicShrinking as DynamicShrinking
    from ludometer.ratings.systems.elo import Elo as Elo
    from ludometer.ratings.systems.elo import EloState as EloState
    from ludometer.ratings.systems.federation import Federation as Federation
    from ludometer.ratings.systems.glicko2 import Glicko2 as Glicko2
    from ludometer.ratings.systems.ics import InternetChess as InternetChess
    from ludometer.ratings.systems.smith import Smith as Smith
    from ludometer.ratings.systems.static import Static as Static
    from ludometer.ratings.systems.tuning import Tuned as Tuned

__getattr__, __dir__ = load_on_use(__name__)
