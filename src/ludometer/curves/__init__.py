"""Win probability functions: the chance of one player against another, from the difference of their ratings.

All take Elo points, for one x or many, and by default rise at 0 as steeply as Elo's curve, so that a point means the
same between equals. Smith 1994, sections 2.5 and 3.
"""

from ludometer.curves.bounded import Bounded
from ludometer.curves.catalogue import CURVES, make_curve
from ludometer.curves.check import CurveCheck, check_curve
from ludometer.curves.curve import ELO_SLOPE, Curve, check_probabilities, invert, natural_unit
from ludometer.curves.forms import Logistic, Normal, Timesharing
from ludometer.curves.stob import Stob
from ludometer.curves.table import CurveTable, tabulate

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
