"""Percentages in running text."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.wording import percent, percentages


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_percentages_add_up_and_stay_within_a_step_of_the_truth(digits: int) -> None:
    rng, step = np.random.default_rng(1), 10.0**-digits
    for _ in range(300):
        shares = rng.dirichlet(np.full(3, 0.3))
        shown = [float(text.removesuffix("%")) for text in percentages(shares.tolist(), digits)]
        assert sum(shown) == pytest.approx(100, abs=1e-9)
        assert np.abs(np.array(shown) - 100 * shares).max() < step


def test_certainty_and_nothing_stay_what_they_are() -> None:
    assert percentages([1.0, 0.0, 0.0]) == ["100.0%", "0.0%", "0.0%"]
    assert percent(1, 0) == "100%"
