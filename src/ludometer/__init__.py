"""How much of a game is skill, how much luck, and how strong is each player: from records of who played whom.

These are the names for everyday work. The packages have the others: `ludometer.ratings`, `measurement`, `strength`,
`learning`, `simulate`, `curves`, `read`, and for single games `chess`, `backgammon` and `skat`.
"""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use
from ludometer.version import __version__ as __version__

if TYPE_CHECKING:
    from ludometer.errors import LudometerError as LudometerError
    from ludometer.errors import MatchDataError as MatchDataError
    from ludometer.learning import Learning as Learning
    from ludometer.learning import study_learning as study_learning
    from ludometer.matches import Matches as Matches
    from ludometer.measurement import Comparison as Comparison
    from ludometer.measurement import Measurement as Measurement
    from ludometer.measurement import compare_games as compare_games
    from ludometer.measurement import measure as measure
    from ludometer.parallel import Workers as Workers
    from ludometer.players import Players as Players
    from ludometer.ratings import BestFit as BestFit
    from ludometer.ratings import Dynamic as Dynamic
    from ludometer.ratings import Elo as Elo
    from ludometer.ratings import Evaluation as Evaluation
    from ludometer.ratings import Federation as Federation
    from ludometer.ratings import Glicko2 as Glicko2
    from ludometer.ratings import InternetChess as InternetChess
    from ludometer.ratings import Ratings as Ratings
    from ludometer.ratings import RatingSystem as RatingSystem
    from ludometer.ratings import Smith as Smith
    from ludometer.ratings import Static as Static
    from ludometer.ratings import evaluate as evaluate
    from ludometer.ratings import fit_best_elo as fit_best_elo
    from ludometer.ratings import make_prizes as make_prizes
    from ludometer.ratings import make_system as make_system
    from ludometer.ratings import predict as predict
    from ludometer.ratings import rate as rate
    from ludometer.ratings import study_noise as study_noise
    from ludometer.read import ReadOptions as ReadOptions
    from ludometer.read import read_file as read_file
    from ludometer.read import read_matches as read_matches
    from ludometer.read import stream_matches as stream_matches
    from ludometer.result import Result as Result
    from ludometer.selection import keep_connected as keep_connected
    from ludometer.selection import with_experience as with_experience
    from ludometer.simulate import mix as mix
    from ludometer.simulate import simulate_coin as simulate_coin
    from ludometer.simulate import simulate_deterministic as simulate_deterministic
    from ludometer.simulate import simulate_league as simulate_league
    from ludometer.simulate import simulate_moves as simulate_moves
    from ludometer.simulate import simulate_strengths as simulate_strengths
    from ludometer.strength import Skills as Skills
    from ludometer.strength import fit_orders as fit_orders
    from ludometer.strength import fit_skills as fit_skills

__getattr__, __dir__ = load_on_use(__name__)
