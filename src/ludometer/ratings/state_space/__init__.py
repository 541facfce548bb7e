"""Strength as a Gaussian process in time: ratings whose parameters are fitted to the record."""

from typing import TYPE_CHECKING

from ludometer.lazy import load_on_use

if TYPE_CHECKING:
    from ludometer.ratings.state_space.fitting import Fit as Fit
    from ludometer.ratings.state_space.parameters import Parameters as Parameters
    from ludometer.ratings.state_space.system import FittedStateSpace as FittedStateSpace
    from ludometer.ratings.state_space.system import StateSpace as StateSpace

__getattr__, __dir__ = load_on_use(__name__)
