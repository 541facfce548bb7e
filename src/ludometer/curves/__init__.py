"""Win probability functions: the chance of one player against another, from the difference of their ratings.

All take Elo points, for one x or many, and by default rise at 0 as steeply as Elo's curve, so that a point means the
same between equals. Smith 1994, sections 2.5 and 3.
"""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.curves.curve import ELO_SLOPE as ELO_SLOPE
    from ludometer.curves.curve import Curve as Curve
    from ludometer.curves.curve import CurveCheck as CurveCheck
    from ludometer.curves.curve import CurveTable as CurveTable
    from ludometer.curves.curve import check_curve as check_curve
    from ludometer.curves.curve import check_probabilities as check_probabilities
    from ludometer.curves.curve import invert as invert
    from ludometer.curves.curve import natural_unit as natural_unit
    from ludometer.curves.curve import tabulate as tabulate
    from ludometer.curves.forms import CURVES as CURVES
    from ludometer.curves.forms import Bounded as Bounded
    from ludometer.curves.forms import Logistic as Logistic
    from ludometer.curves.forms import Normal as Normal
    from ludometer.curves.forms import Stob as Stob
    from ludometer.curves.forms import Timesharing as Timesharing
    from ludometer.curves.forms import make_curve as make_curve

__getattr__, __dir__ = load_on_use(__name__)
