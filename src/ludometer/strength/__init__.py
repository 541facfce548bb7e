"""Static strengths: one number a player that fits a whole record best, and how certain it is."""

from ludometer.strength.dimensions import Dimensions, compare_dimensions
from ludometer.strength.pairwise import fit_skills
from ludometer.strength.posterior import StrengthPosterior, fit_strengths
from ludometer.strength.ranked import fit_orders, printed_winner, thurstone_winner
from ludometer.strength.ridge import RidgePath, cross_validate_ridge, trace_ridge
from ludometer.strength.skills import Skills
from ludometer.strength.uncertainty import estimate_difference_errors, estimate_errors

__all__ = [
    "Dimensions",
    "RidgePath",
    "Skills",
    "StrengthPosterior",
    "compare_dimensions",
    "cross_validate_ridge",
    "estimate_difference_errors",
    "estimate_errors",
    "fit_orders",
    "fit_skills",
    "fit_strengths",
    "printed_winner",
    "thurstone_winner",
    "trace_ridge",
]
