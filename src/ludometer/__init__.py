"""How much of a game is skill, how much luck, and how strong is each player: from records of who played whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludometer.version import __version__ as __version__

_HOMES = {
    "Connected": "components",
    "keep_connected": "components",
    "LudometerError": "errors",
    "MatchDataError": "errors",
    "Matches": "matches",
    "Players": "players",
    "Measurement": "luck",
    "measure": "luck",
    "with_experience": "experience",
    "simulate_deterministic": "games",
    "mix": "games",
    "deterministic_on": "games",
    "coin_on": "games",
    "Workers": "parallel",
    "fit_share": "ratings",
    "measure_reference": "luck",
    "compare_games": "luck",
    "Yardstick": "luck",
    "Verdict": "luck",
    "Reference": "luck",
    "Comparison": "luck",
    "BestFit": "ratings",
    "BestFitElo": "ratings",
    "fit_best_elo": "ratings",
    "Calibration": "ratings",
    "Elo": "ratings",
    "Evaluation": "ratings",
    "PlacesPrediction": "ratings",
    "Prediction": "ratings",
    "Prizes": "ratings",
    "make_prizes": "ratings",
    "RatingSystem": "ratings",
    "Ratings": "ratings",
    "evaluate": "ratings",
    "predict": "ratings",
    "rate": "ratings",
    "ReadOptions": "read",
    "Reading": "read",
    "read_file": "read",
    "read_matches": "read",
    "stream_matches": "read",
    "simulate_coin": "games",
    "simulate_strengths": "games",
}

__all__ = sorted([*_HOMES, "__version__"])  # noqa: PLE0605

if TYPE_CHECKING:
    from ludometer.components import Connected as Connected
    from ludometer.components import keep_connected as keep_connected
    from ludometer.errors import LudometerError as LudometerError
    from ludometer.errors import MatchDataError as MatchDataError
    from ludometer.experience import with_experience as with_experience
    from ludometer.games import coin_on as coin_on
    from ludometer.games import deterministic_on as deterministic_on
    from ludometer.games import mix as mix
    from ludometer.games import simulate_coin as simulate_coin
    from ludometer.games import simulate_deterministic as simulate_deterministic
    from ludometer.games import simulate_strengths as simulate_strengths
    from ludometer.luck import Comparison as Comparison
    from ludometer.luck import Measurement as Measurement
    from ludometer.luck import Reference as Reference
    from ludometer.luck import Verdict as Verdict
    from ludometer.luck import Yardstick as Yardstick
    from ludometer.luck import compare_games as compare_games
    from ludometer.luck import measure as measure
    from ludometer.luck import measure_reference as measure_reference
    from ludometer.matches import Matches as Matches
    from ludometer.parallel import Workers as Workers
    from ludometer.players import Players as Players
    from ludometer.ratings import BestFit as BestFit
    from ludometer.ratings import BestFitElo as BestFitElo
    from ludometer.ratings import Calibration as Calibration
    from ludometer.ratings import Elo as Elo
    from ludometer.ratings import Evaluation as Evaluation
    from ludometer.ratings import PlacesPrediction as PlacesPrediction
    from ludometer.ratings import Prediction as Prediction
    from ludometer.ratings import Prizes as Prizes
    from ludometer.ratings import Ratings as Ratings
    from ludometer.ratings import RatingSystem as RatingSystem
    from ludometer.ratings import evaluate as evaluate
    from ludometer.ratings import fit_best_elo as fit_best_elo
    from ludometer.ratings import fit_share as fit_share
    from ludometer.ratings import make_prizes as make_prizes
    from ludometer.ratings import predict as predict
    from ludometer.ratings import rate as rate
    from ludometer.read import Reading as Reading
    from ludometer.read import ReadOptions as ReadOptions
    from ludometer.read import read_file as read_file
    from ludometer.read import read_matches as read_matches
    from ludometer.read import stream_matches as stream_matches


def __getattr__(name: str) -> Any:
    """Load a public name with its module when it is first used, so that `import ludometer` costs nothing."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"ludometer.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'ludometer' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
