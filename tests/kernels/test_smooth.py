"""Sums of smooth functions over all pairs equal those over the pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, ndtr

from ludometer.kernels.skills.places import sum_over_players, sum_over_players_plain


@pytest.mark.parametrize("sd", [1e-9, 0.3, 3.0, 40.0])
@pytest.mark.parametrize("function", [expit, ndtr, lambda x: expit(2 - x)])
def test_the_sum_is_that_over_all_pairs(sd: float, function: np.ufunc) -> None:
    rng = np.random.default_rng(1)
    skill, weight = sd * rng.standard_normal(400), rng.dirichlet(np.ones(400))
    plain = sum_over_players_plain(function, skill, weight)
    np.testing.assert_allclose(sum_over_players(function, skill, weight), plain, atol=1e-11)
