"""L / D by rating bin: Smith's printed column from his populations, and the bins of a known density."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.learning.bins import bin_counts, bin_learning
from ludometer.learning.fluid import LearningModel

# Smith 1994, section 7, 900-99 upwards: players, and the printed L / D but for the last row, which needs players
# above it that no other row counts
POPULATION = [16, 72, 195, 440, 614, 844, 869, 837, 850, 686, 535, 466, 281, 176, 82, 42, 10, 15]
PRINTED = ["438.9", "96.9", "35.1"]
PRINTED += [
    "14.83",
    "9.77",
    "6.25",
    "5.08",
    "4.26",
    "3.20",
    "2.84",
    "2.50",
    "1.80",
    "1.66",
    "1.35",
    "1.32",
    "1.10",
    "2.00",
]


def test_the_printed_column_comes_from_the_printed_populations() -> None:
    bins = bin_counts(POPULATION, low=900)
    for printed, ratio in zip(PRINTED, bins.ratio, strict=False):
        assert f"{ratio:.{len(printed.partition('.')[2])}f}" == printed
    assert bins.ratio[-1] == 0.5
    # 1200-99 is printed as 14.83 +- 0.75, 2000-99 as 1.80 +- 0.12
    assert [round(float(bins.error[k]), 2) for k in (3, 11)] == [0.75, 0.12]
    five = bin_counts(POPULATION, low=900, snapshots=5)
    np.testing.assert_allclose(five.log_error, np.sqrt(5) * bins.log_error)


def test_the_error_of_the_logarithm_is_the_stated_one() -> None:
    n, above = np.array(POPULATION[:-1]), np.cumsum(POPULATION[::-1])[::-1][1:]
    np.testing.assert_allclose(
        bin_counts(POPULATION, low=900).log_error[:-1], np.sqrt(1 / n + 2 / (above + n / 2)), rtol=1e-12
    )


def test_ratings_are_counted_into_bins() -> None:
    rating = np.repeat(900 + 100 * np.arange(18) + 50.0, POPULATION)
    bins = bin_learning(np.random.default_rng(0).permutation(rating))
    assert bins.count.tolist() == POPULATION
    assert bins.low[0] == 900
    np.testing.assert_array_equal(bins.ratio, bin_counts(POPULATION, low=900).ratio)


def test_bins_of_the_learning_model_give_its_learning_rate() -> None:
    model = LearningModel(c8=0.05, origin=1000.0)
    rng = np.random.default_rng(1)
    # an age at death is exponential, and a player's curve says where he stood then
    rating = model.curve(rng.exponential(1, 200_000))
    bins = bin_learning(rating, width=20)
    middle = bins.low + 10
    used = (bins.count > 200) & (middle > 1020)
    z = (np.log(bins.points[used]) - np.log(model.learning(middle[used]))) / bins.log_error[used]
    assert used.sum() > 30
    assert np.abs(z).max() < 4.5
    assert abs(z.mean()) < 1


def test_entrants_are_not_taken_for_players_who_learned() -> None:
    rng = np.random.default_rng(2)
    entry = rng.normal(1200, 150, 100_000)
    # all learn at 2 points in a unit of time and die at the rate 1/50: L / D is 100 everywhere
    rating = entry + 2 * rng.exponential(50, 100_000)
    bins = bin_learning(rating, width=50, entrants=rng.normal(1200, 150, 100_000))
    used = bins.count > 500
    assert (np.abs(bins.points[used] - 100) < 4 * 50 * bins.error[used]).all()
    blind = bin_learning(rating, width=50)
    low = np.flatnonzero(used)[0]
    assert blind.points[low] > 10 * bins.points[low]


def test_the_death_rate_is_tracked_learning_over_the_ratio() -> None:
    bins = bin_counts(POPULATION, low=900)
    learning = np.where(bins.count > 100, 4.06 / 77 * bins.points, np.nan)
    value, error = bins.death_rate(learning, np.full(18, 0.1))
    assert value == pytest.approx(4.06 / 77)
    known = bins.count > 100
    n = bins.count[known]
    assert error == pytest.approx(np.sqrt(((0.1 * n) ** 2).sum()) / (n * bins.points[known]).sum())
    with pytest.raises(LudometerError, match="no bin"):
        bins.death_rate(np.full(18, np.nan), np.full(18, np.nan))


def test_empty_bins_have_no_ratio_and_bad_lists_are_refused() -> None:
    bins = bin_counts([3, 0, 2], low=0)
    assert np.isnan(bins.ratio[1])
    assert bins.to_frame()["ratio"].to_list() == [pytest.approx(3.5 / 3), None, 0.5]
    assert "2 players" in bins.summary()
    assert len(bins.plot().to_dict()["layer"]) == 2
    calls: list[Callable[[], object]] = [
        lambda: bin_learning([]),
        lambda: bin_learning([1.0, np.nan]),
        lambda: bin_learning([1.0, 2.0], width=0),
        lambda: bin_learning([0.0, 1e9], width=1),
        lambda: bin_counts([1, -1], low=0),
        lambda: bin_counts([1], low=0, snapshots=0),
    ]
    for call in calls:
        with pytest.raises(LudometerError):
            call()
