"""Things that produce `Matches`: simulated games with known truth."""

from ludometer.games.strengths import StrengthGame, simulate_coin, simulate_strengths

__all__ = ["StrengthGame", "simulate_coin", "simulate_strengths"]
