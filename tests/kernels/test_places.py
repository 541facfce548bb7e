"""Chances of places against random opponents equal the sum over all tables."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.kernels.skills.places import make_nodes, place_chances, place_chances_plain
from ludometer.kernels.skills.ranks import rank_probabilities


@pytest.mark.parametrize("normal", [False, True])
@pytest.mark.parametrize("size", [2, 3, 4, 6])
def test_chances_equal_the_sum_over_all_tables(normal: bool, size: int) -> None:
    rng = np.random.default_rng(3)
    skill, weight = 1.5 * rng.standard_normal(6), rng.uniform(0.2, 2, 6)
    chance = place_chances(skill, weight, skill, weight, size, normal, make_nodes(skill, normal))
    chance /= chance.sum(axis=1, keepdims=True)
    for own in range(6):
        np.testing.assert_allclose(chance[own], place_chances_plain(skill, weight, size, own, normal), atol=1e-10)


def test_a_table_of_all_has_the_rank_ordered_logit() -> None:
    skill = np.array([2.0, 0.0, -1.0, 0.5])
    chance = place_chances(skill, np.ones(4), skill, np.ones(4), 4, False, make_nodes(skill, False))
    chance /= chance.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chance, rank_probabilities(np.exp(skill)), atol=1e-9)
