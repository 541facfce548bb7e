"""Win probability functions: the chance of one player against another, from the difference of their ratings.

All take Elo points, for one x or many, and by default rise at 0 as steeply as Elo's curve, so that a point means the
same between equals. Smith 1994, sections 2.5 and 3.
"""

from ludometer.curves.curve import (
    ELO_SLOPE,
    Curve,
    CurveCheck,
    CurveTable,
    check_curve,
    check_probabilities,
    invert,
    natural_unit,
    tabulate,
)
from ludometer.curves.forms import CURVES, Bounded, Logistic, Normal, Stob, Timesharing, make_curve

__all__ = [
    "CURVES",
    "ELO_SLOPE",
    "Bounded",
    "Curve",
    "CurveCheck",
    "CurveTable",
    "Logistic",
    "Normal",
    "Stob",
    "Timesharing",
    "check_curve",
    "check_probabilities",
    "invert",
    "make_curve",
    "natural_unit",
    "tabulate",
]
