"""Rating systems: one file a system, one driver for all."""

from ludometer.ratings.best_fit import BestFit, BestFitElo, fit_best_elo, fit_share
from ludometer.ratings.elo import Elo, EloState
from ludometer.ratings.evaluation import Calibration, Evaluation, SystemScore, evaluate
from ludometer.ratings.prediction import PlacesPrediction, Prediction, predict
from ludometer.ratings.prizes import Prizes, make_prizes
from ludometer.ratings.rating import Ratings, rate
from ludometer.ratings.system import RatingSystem

__all__ = [
    "BestFit",
    "BestFitElo",
    "Calibration",
    "Elo",
    "EloState",
    "Evaluation",
    "PlacesPrediction",
    "Prediction",
    "Prizes",
    "RatingSystem",
    "Ratings",
    "SystemScore",
    "evaluate",
    "fit_best_elo",
    "fit_share",
    "make_prizes",
    "predict",
    "rate",
]
