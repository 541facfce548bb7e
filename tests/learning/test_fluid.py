"""The fluid equation both ways: grid against closed forms, there and back, and against players who live and die."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.learning.fluid import BoundedModel, LearningModel, solve_curve, solve_density, solve_learning


@pytest.mark.parametrize("model", [LearningModel(c8=0.05, origin=800.0), LearningModel(1.5, 0.0, 90.0)])
def test_the_grid_gives_the_closed_form_of_the_learning_model(model: LearningModel) -> None:
    grid = np.linspace(model.origin, model.origin + 8 * model.scale, 4001)
    density = solve_density(grid, model.learning(grid, death=0.3), 0.3)
    np.testing.assert_allclose(density, model.density(grid), atol=1e-6 * density.max())
    top = density > 1e-6 * density.max()
    learning = solve_learning(grid, model.density(grid), 0.3)
    np.testing.assert_allclose(learning[top], model.learning(grid, death=0.3)[top], rtol=1e-4)
    time = np.array([0.0, 1.0, 10.0, 40.0])
    learned = solve_curve(grid, model.learning(grid, death=0.01), time)
    np.testing.assert_allclose(learned, model.curve(time, death=0.01), atol=1e-3)


def test_the_grid_gives_the_closed_form_of_the_bounded_model() -> None:
    model = BoundedModel(power=2.5, top=2000.0, origin=1000.0)
    grid = np.linspace(1000, 1999, 4001)
    density = solve_density(grid, model.learning(grid, death=0.2), 0.2)
    inner = grid < 1990
    np.testing.assert_allclose(density[inner], model.density(grid)[inner], rtol=1e-4)
    time = np.array([0.0, 3.0, 9.0])
    learned = solve_curve(grid, model.learning(grid, death=0.2), time)
    np.testing.assert_allclose(learned, model.curve(time, death=0.2), atol=1e-2)
    assert model.curve(np.array([3.0]), death=0.2)[0] == pytest.approx(2000 - 1000 * np.exp(-0.2 / 2.5 * 3))


@pytest.mark.parametrize("model", [LearningModel(c8=0.05), BoundedModel(3.0, 1800.0, 900.0)])
def test_densities_have_the_area_one(model: LearningModel | BoundedModel) -> None:
    grid = np.linspace(0, 3000, 300_001)
    assert np.trapezoid(model.density(grid), grid) == pytest.approx(1, abs=1e-4)


def test_there_and_back_with_entrants_and_deaths_that_depend_on_the_rating() -> None:
    grid = np.linspace(0, 10, 4001)
    learning, death = 0.5 + np.exp(-grid), 0.2 + 0.05 * grid
    entrants = np.exp(-0.5 * ((grid - 2) / 0.5) ** 2)
    density = solve_density(grid, learning, death, entrants=entrants)
    inner = (grid > 0.8) & (grid < 9)
    # beyond the grid there are players too, whom the way back does not see
    wide = np.linspace(0, 60, 24_001)
    wide_death = 0.2 + 0.05 * wide
    wide_density = solve_density(wide, 0.5 + np.exp(-wide), wide_death, entrants=np.exp(-0.5 * ((wide - 2) / 0.5) ** 2))
    back = solve_learning(wide, wide_density, wide_death, entrants=np.exp(-0.5 * ((wide - 2) / 0.5) ** 2))
    np.testing.assert_allclose(back[:4001][inner], learning[inner], rtol=2e-3)
    shape = wide_density[:4001] / np.trapezoid(wide_density[:4001], grid)
    np.testing.assert_allclose(density[inner], shape[inner], rtol=1e-3)


def test_players_who_enter_learn_and_die_have_the_density_of_the_equation() -> None:
    # the sign of the flow in equation 99 as printed would put them below the entrants
    rng = np.random.default_rng(0)
    age, entry = rng.exponential(1 / 0.3, 200_000), rng.normal(1.0, 0.2, 200_000)
    rating = np.log(np.exp(entry) + 0.8 * age)
    grid = np.linspace(-0.5, 5, 2001)
    density = solve_density(grid, 0.8 * np.exp(-grid), 0.3, entrants=np.exp(-0.5 * ((grid - 1) / 0.2) ** 2))
    edges = np.linspace(0.5, 3.5, 13)
    count, _ = np.histogram(rating, edges)
    below = np.interp(edges, grid, np.concatenate(([0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid)))))
    expected = 200_000 * np.diff(below)
    assert (((count - expected) ** 2 / expected).sum()) < 35  # 12 bins: the 99.95% quantile of chi squared
    beginners = np.log1p(0.8 * age)
    model = LearningModel(c8=0.3 / 0.8, scale=1.0)
    assert beginners.mean() == pytest.approx(
        float(np.trapezoid(grid[grid > 0] * model.density(grid[grid > 0]), grid[grid > 0])), abs=0.01
    )


def test_what_cannot_be_solved_is_refused() -> None:
    grid = np.linspace(0, 1, 11)
    for wrong in (np.zeros(11), -np.ones(11), np.ones(10), np.full(11, np.nan)):
        with pytest.raises(LudometerError):
            solve_density(grid, wrong, 1.0)
    with pytest.raises(LudometerError, match="must increase"):
        solve_density(grid[::-1], np.ones(11), 1.0)
    with pytest.raises(LudometerError):
        solve_curve(grid, np.zeros(11), np.ones(1))
    assert np.isnan(solve_learning(grid, np.where(grid > 0.5, 0.0, 1.0), 1.0)[-1])
