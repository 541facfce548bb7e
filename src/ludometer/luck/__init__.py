"""The measures of a game: how far the ratings of its players spread, and what that says of skill and luck."""

from ludometer.luck.measurement import Measurement, measure
from ludometer.luck.reference import ReferenceGame, reference_games
from ludometer.luck.spread import Spread, repetitions

__all__ = ["Measurement", "ReferenceGame", "Spread", "measure", "reference_games", "repetitions"]
