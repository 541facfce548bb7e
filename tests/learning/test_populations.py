"""Shapes of a population: each is recovered from its own ratings and preferred to the others; fits are maxima."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.learning.fluid import BoundedModel, LearningModel
from ludometer.learning.populations import SHAPES, Shape, fit_distributions, fit_learning

N = 4000


def sample(shape: Shape, seed: int = 0) -> Floats:
    rng = np.random.default_rng(seed)
    if shape == "learning":
        return LearningModel(c8=0.08, origin=900, scale=200).curve(rng.exponential(1, N))
    if shape == "bounded":
        return BoundedModel(power=2.0, top=2200, origin=1000).curve(rng.exponential(1, N))
    if shape == "normal":
        return rng.normal(1500, 220, N)
    return np.asarray(stats.maxwell(loc=900, scale=250).rvs(N, random_state=rng))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_recovered_and_preferred(shape: Shape) -> None:
    fits = fit_distributions(sample(shape))
    assert fits.best.shape == shape
    assert [fit.log_likelihood for fit in fits.fits] == sorted((f.log_likelihood for f in fits.fits), reverse=True)
    for fit in fits.fits[1:]:
        assert fit.z is not None
        assert fit.z < -2
    truth: dict[Shape, dict[str, tuple[float, float]]] = {
        "learning": {"c8": (0.08, 0.008), "origin": (900, 3), "scale": (200, 4)},
        "bounded": {"power": (2.0, 0.15), "top": (2200, 25), "origin": (1000, 2)},
        "normal": {"mean": (1500, 11), "sd": (220, 8)},
        "maxwell": {"zero": (900, 25), "width": (250, 12)},
    }
    for name, (value, tolerance) in truth[shape].items():
        assert fits.best.parameters[name] == pytest.approx(value, abs=tolerance)


def test_the_fits_are_maxima_by_another_route() -> None:
    rating = sample("learning", seed=1)[:500]
    low = float(rating.min())

    def loss(x: Floats) -> float:
        return -float(LearningModel(float(np.exp(x[0])), low, float(np.exp(x[1]))).log_density(rating).sum())

    found = minimize(loss, [np.log(0.1), np.log(150)], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9})
    model = fit_learning(rating, origin=low)
    assert [np.log(model.c8), np.log(model.scale)] == pytest.approx(found.x.tolist(), abs=1e-4)
    fits = fit_distributions(rating)
    zero, width = stats.maxwell.fit(rating)
    theirs = float(stats.maxwell.logpdf(rating, zero, width).sum())
    assert fits.of("maxwell").log_likelihood >= theirs - 1e-6
    assert fits.of("normal").log_likelihood == pytest.approx(
        float(stats.norm.logpdf(rating, rating.mean(), rating.std()).sum())
    )
    # an origin further below is less likely: the lowest rating is the best there is
    assert fit_distributions(rating, origin=low - 1).of("learning").log_likelihood < fits.of("learning").log_likelihood


def test_differences_have_their_standard_errors() -> None:
    # from sample to sample the difference varies as one sample says, where no shape hangs on the lowest rating
    pieces = [fit_distributions(sample("normal", seed)[:1000], shapes=SHAPES[::2], origin=0) for seed in range(60)]
    difference = np.array([p.of("normal").log_likelihood - p.of("learning").log_likelihood for p in pieces])
    error = np.mean([p.fits[1].difference_error for p in pieces])
    # the SD of 60 numbers is known to a tenth
    assert difference.std(ddof=1) == pytest.approx(error, rel=0.35)


def test_given_origin_and_scale_are_kept_and_not_counted() -> None:
    fits = fit_distributions(sample("learning"), origin=850, scale=200)
    assert set(fits.of("learning").parameters) == {"c8"}
    assert set(fits.of("bounded").parameters) == {"power", "top"}
    learning = fits.of("learning")
    assert learning.aic == pytest.approx(2 - 2 * learning.log_likelihood)
    assert fits.provenance.parameters["origin"] == 850


def test_the_result_can_be_read_and_drawn() -> None:
    fits = fit_distributions(sample("maxwell")[:300])
    assert fits.to_frame()["shape"].to_list()[0] == fits.best.shape
    assert len(fits.summary().splitlines()) == 5
    assert len(fits.plot().to_dict()["layer"]) == 2
    assert fits.counts[0].sum() == 300


def test_what_cannot_be_fitted_is_refused() -> None:
    rating = sample("normal")[:50]
    calls: list[Callable[[], object]] = [
        lambda: fit_distributions([1500.0] * 20),
        lambda: fit_distributions(rating[:5]),
        lambda: fit_distributions(rating, origin=1e6),
        lambda: fit_distributions(rating, scale=-1),
        lambda: fit_distributions(rating, shapes=[]),
        lambda: fit_distributions(rating, shapes=["bell"]),  # type: ignore[list-item]
        lambda: fit_distributions(rating, shapes=["normal"]).of("learning"),
    ]
    for call in calls:
        with pytest.raises(LudometerError):
            call()
