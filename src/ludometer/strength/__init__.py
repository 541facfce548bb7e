"""Static strengths: one number per player that fits a whole record best, with its uncertainty."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.strength.as_printed import printed_winner as printed_winner
    from ludometer.strength.bradley_terry import BradleyTerry as BradleyTerry
    from ludometer.strength.bradley_terry import Effect as Effect
    from ludometer.strength.bradley_terry import fit_bradley_terry as fit_bradley_terry
    from ludometer.strength.dimensions import Dimensions as Dimensions
    from ludometer.strength.dimensions import compare_dimensions as compare_dimensions
    from ludometer.strength.pairwise import fit_skills as fit_skills
    from ludometer.strength.posterior import StrengthPosterior as StrengthPosterior
    from ludometer.strength.posterior import fit_strengths as fit_strengths
    from ludometer.strength.ranked import fit_orders as fit_orders
    from ludometer.strength.ranked import thurstone_winner as thurstone_winner
    from ludometer.strength.ridge import RidgePath as RidgePath
    from ludometer.strength.ridge import cross_validate_ridge as cross_validate_ridge
    from ludometer.strength.ridge import trace_ridge as trace_ridge
    from ludometer.strength.skills import Skills as Skills
    from ludometer.strength.uncertainty import estimate_difference_errors as estimate_difference_errors
    from ludometer.strength.uncertainty import estimate_errors as estimate_errors

__getattr__, __dir__ = load_on_use(__name__)
