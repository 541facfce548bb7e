"""Things that produce `Matches`: simulated games with known truth."""

from ludometer.games.benchmarks import DeterministicGame, coin_on, deterministic_on, mix, simulate_deterministic
from ludometer.games.curve_game import CurveGame, simulate_on_curve
from ludometer.games.league import League, LeagueGame, LeagueHistory, simulate_league
from ludometer.games.markov import MarkovGame
from ludometer.games.moves import MoveGame, simulate_moves, win_by_moves
from ludometer.games.strengths import StrengthGame, simulate_coin, simulate_strengths

__all__ = [
    "CurveGame",
    "DeterministicGame",
    "League",
    "LeagueGame",
    "LeagueHistory",
    "MarkovGame",
    "MoveGame",
    "StrengthGame",
    "coin_on",
    "deterministic_on",
    "mix",
    "simulate_coin",
    "simulate_deterministic",
    "simulate_league",
    "simulate_moves",
    "simulate_on_curve",
    "simulate_strengths",
    "win_by_moves",
]
