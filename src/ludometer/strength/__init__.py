"""Static strengths: one number a player for the whole record."""

from ludometer.strength.posterior import StrengthPosterior, fit_strengths

__all__ = ["StrengthPosterior", "fit_strengths"]
