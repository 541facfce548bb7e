"""Rating systems: one file a system, one driver for all; noise, drift and triangles of ratings."""

from ludometer.ratings.cycles.triangles import Triangles, measure_triangles
from ludometer.ratings.driver import Ratings, RatingSystem, rate
from ludometer.ratings.evaluation import Calibration, Evaluation, SystemScore, evaluate
from ludometer.ratings.noise.bounds import Bounds, fit_bounds
from ludometer.ratings.noise.drift import Drift, measure_drift
from ludometer.ratings.noise.noise import (
    Noise,
    PrintedNoise,
    estimate_noise,
    measure_noise,
    measure_printed_noise,
    optimal_step,
)
from ludometer.ratings.noise.snapshots import SnapshotNoise, noise_of_snapshots
from ludometer.ratings.noise.tuning import Calibrated
from ludometer.ratings.prediction import PlacesPrediction, Prediction, predict
from ludometer.ratings.prizes import Prizes, make_prizes
from ludometer.ratings.systems.best_fit import BestFit, BestFitElo, fit_best_elo, fit_share
from ludometer.ratings.systems.dynamic import Dynamic, DynamicShrinking
from ludometer.ratings.systems.elo import Elo, EloState
from ludometer.ratings.systems.federation import Federation
from ludometer.ratings.systems.glicko2 import Glicko2
from ludometer.ratings.systems.ics import InternetChess
from ludometer.ratings.systems.smith import Smith
from ludometer.ratings.systems.static import Static

__all__ = [
    "BestFit",
    "BestFitElo",
    "Bounds",
    "Calibrated",
    "Calibration",
    "Drift",
    "Dynamic",
    "DynamicShrinking",
    "Elo",
    "EloState",
    "Evaluation",
    "Federation",
    "Glicko2",
    "InternetChess",
    "Noise",
    "PlacesPrediction",
    "Prediction",
    "PrintedNoise",
    "Prizes",
    "RatingSystem",
    "Ratings",
    "Smith",
    "SnapshotNoise",
    "Static",
    "SystemScore",
    "Triangles",
    "estimate_noise",
    "evaluate",
    "fit_best_elo",
    "fit_bounds",
    "fit_share",
    "make_prizes",
    "measure_drift",
    "measure_noise",
    "measure_printed_noise",
    "measure_triangles",
    "noise_of_snapshots",
    "optimal_step",
    "predict",
    "rate",
]
