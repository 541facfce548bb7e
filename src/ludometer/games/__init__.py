"""Things that produce `Matches`: simulated games with known truth."""

from ludometer.games.benchmarks import DeterministicGame, coin_on, deterministic_on, mix, simulate_deterministic
from ludometer.games.strengths import StrengthGame, simulate_coin, simulate_strengths

__all__ = [
    "DeterministicGame",
    "StrengthGame",
    "coin_on",
    "deterministic_on",
    "mix",
    "simulate_coin",
    "simulate_deterministic",
    "simulate_strengths",
]
