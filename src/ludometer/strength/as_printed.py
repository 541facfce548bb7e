"""Formulas as the papers print them, kept to reproduce their numbers: use the corrected ones instead."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ludometer.arrays import Floats


def printed_winner(skills: Sequence[float] | Floats) -> Floats:
    """The win probabilities of Gilbert and Wells (eq. 14): product over k of Phi((s_j - s_k) / root 2).

    It multiplies events that are not independent, so they do not add up to 1: use `thurstone_winner`.

    >>> printed_winner([0.0, 0.0, 0.0]).tolist()
    [0.25, 0.25, 0.25]
    """
    from scipy.special import ndtr

    s = np.asarray(skills, np.float64)
    beats = ndtr((s[:, np.newaxis] - s) * math.sqrt(0.5))
    np.fill_diagonal(beats, 1.0)
    return np.asarray(beats.prod(axis=1))
