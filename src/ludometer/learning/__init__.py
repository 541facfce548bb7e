"""Learning: how fast players get better, by the distribution of their ratings and by following them."""

from ludometer.learning.bins import LearningBins, bin_counts, bin_learning
from ludometer.learning.curves import DeathRate, Learning, study_learning
from ludometer.learning.fluid import BoundedModel, LearningModel, solve_curve, solve_density, solve_learning
from ludometer.learning.populations import Distributions, ShapeFit, fit_distributions
from ludometer.learning.tracking import Rates, Tracked, follow_players, follow_ratings

__all__ = [
    "BoundedModel",
    "DeathRate",
    "Distributions",
    "Learning",
    "LearningBins",
    "LearningModel",
    "Rates",
    "ShapeFit",
    "Tracked",
    "bin_counts",
    "bin_learning",
    "fit_distributions",
    "follow_players",
    "follow_ratings",
    "solve_curve",
    "solve_density",
    "solve_learning",
    "study_learning",
]
