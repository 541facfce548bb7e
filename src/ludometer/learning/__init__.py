"""Learning: how fast players get better, by the distribution of their ratings and by following them."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.learning.bins import LearningBins as LearningBins
    from ludometer.learning.bins import bin_counts as bin_counts
    from ludometer.learning.bins import bin_learning as bin_learning
    from ludometer.learning.fluid import BoundedModel as BoundedModel
    from ludometer.learning.fluid import LearningModel as LearningModel
    from ludometer.learning.fluid import solve_curve as solve_curve
    from ludometer.learning.fluid import solve_density as solve_density
    from ludometer.learning.fluid import solve_learning as solve_learning
    from ludometer.learning.populations import Distributions as Distributions
    from ludometer.learning.populations import ShapeFit as ShapeFit
    from ludometer.learning.populations import fit_distributions as fit_distributions
    from ludometer.learning.study import DeathRate as DeathRate
    from ludometer.learning.study import Learning as Learning
    from ludometer.learning.study import study_learning as study_learning
    from ludometer.learning.tracking import Rates as Rates
    from ludometer.learning.tracking import Tracked as Tracked
    from ludometer.learning.tracking import follow_players as follow_players
    from ludometer.learning.tracking import follow_ratings as follow_ratings

__getattr__, __dir__ = load_on_use(__name__)
