"""Scores without the luck of the start: variance goes, nobody gains."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.ratings.scores.elo import SeriesElo
from ludometer.ratings.scores.series import scores_of
from ludometer.ratings.scores.starting_position import adjust_for_position
from tests.ratings.simulated_series import series_of, simulate_series


def test_the_coefficient_is_found_and_the_variance_of_the_luck_goes() -> None:
    record, _ = simulate_series(30, 3_000, sd=400, luck=300, seed=1)
    adjusted = adjust_for_position(record)
    assert adjusted.std_error is not None
    assert adjusted.coefficient == pytest.approx(1, abs=4 * adjusted.std_error)
    assert adjusted.reduction == pytest.approx(300**2 / 400**2, abs=0.04)
    assert adjusted.variance_after == pytest.approx(400**2 - 300**2, rel=0.06)
    assert f"{100 * adjusted.reduction:.1f}% of the variance" in adjusted.summary()
    assert scores_of(adjusted.series).mean() == pytest.approx(scores_of(record).mean(), abs=1e-6)


def test_ratings_of_adjusted_scores_are_nearer_to_the_strengths() -> None:
    errors: dict[str, list[float]] = {"raw": [], "adjusted": []}
    for seed in range(8):
        record, strength = simulate_series(40, 1_500, sd=400, luck=300, seed=seed)
        for label, own in (("raw", record), ("adjusted", adjust_for_position(record, coefficient=1).series)):
            system = SeriesElo(k=0.05, start_rating=850)
            state = system.settle(system.start(0), own)
            errors[label].append(float(np.sqrt(np.mean((system.ratings(state) - strength) ** 2))))
            # the sum stays with adjusted scores too: E is a share of their sum
            assert abs(system.ratings(state).sum() - 40 * 850) < 1e-6
    difference = np.subtract(errors["raw"], errors["adjusted"])
    assert difference.mean() > 4 * difference.std(ddof=1) / np.sqrt(8)


def test_a_quotient_is_clipped() -> None:
    record = series_of([1, 1, 1], list("ABC"), [100, 100, 100], position=[0.1, 1.0, 7.9])
    assert scores_of(adjust_for_position(record, form="quotient").series).tolist() == [200, 200, 50]
    whole = series_of([1, 1], list("AB"), [86, 86], position=[9.5, 7.94])
    assert scores_of(adjust_for_position(whole, form="quotient").series)[0] == pytest.approx(86 / (9.5 / 8.72))


def test_what_cannot_be_adjusted_is_refused() -> None:
    plain = series_of([1, 1], list("AB"), [1, 2])
    with pytest.raises(MatchDataError, match="no column position"):
        adjust_for_position(plain)
    flat = series_of([1, 1], list("AB"), [1, 2], position=[3, 3])
    with pytest.raises(LudometerError, match="do not differ"):
        adjust_for_position(flat)
    with pytest.raises(LudometerError, match="above 0"):
        adjust_for_position(series_of([1, 1], list("AB"), [1, 2], position=[-1, 3]), form="quotient")
    with pytest.raises(LudometerError, match="difference or quotient"):
        adjust_for_position(flat, form="product")  # type: ignore[arg-type]
