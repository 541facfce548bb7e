"""Things that produce `Matches`: simulated games with known truth."""

from ludometer.simulate.benchmarks import DeterministicGame, coin_on, deterministic_on, mix, simulate_deterministic
from ludometer.simulate.curve_game import CurveGame, simulate_on_curve
from ludometer.simulate.league import League, LeagueGame, LeagueHistory, simulate_league
from ludometer.simulate.markov import MarkovGame
from ludometer.simulate.mistakes import MoveGame, simulate_moves, win_by_moves
from ludometer.simulate.strengths import StrengthGame, simulate_coin, simulate_strengths

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
