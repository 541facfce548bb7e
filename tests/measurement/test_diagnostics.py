"""R-hat, effective draws and safe weights, against ArviZ and against what is known."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from ludometer.measurement.luck.diagnostics import effective_draws, rank_rhat, smooth_weights


def _chains(correlation: float, n_draws: int, seed: int, shift: float = 0.0) -> Any:
    """Four autoregressive chains of variance 1, the last one off by `shift`."""
    rng = np.random.default_rng(seed)
    draws = rng.standard_normal((4, n_draws))
    for t in range(1, n_draws):
        draws[:, t] = correlation * draws[:, t - 1] + np.sqrt(1 - correlation**2) * draws[:, t]
    draws[-1] += shift
    return draws


CASES = [
    _chains(0.0, 100, 1),
    _chains(0.9, 301, 2),
    _chains(-0.5, 250, 3),
    _chains(0.99, 400, 4),
    _chains(0.5, 5, 5),
    _chains(0.3, 1000, 6, shift=1.0),
    np.round(_chains(0.5, 200, 7)),
    np.exp(3 * _chains(0.2, 300, 8)),
]


@pytest.mark.parametrize("draws", CASES, ids=range(len(CASES)))
def test_diagnostics_are_those_of_arviz(draws: Any) -> None:
    array = importlib.import_module("arviz_stats.base").array
    stats = array.BaseArray()
    bulk, tail = stats.ess(draws, method="bulk"), stats.ess(draws, method="tail", prob=(0.025, 0.975))
    assert rank_rhat(draws) == pytest.approx(float(stats.rhat(draws)), rel=1e-12)
    assert effective_draws(draws) == pytest.approx(float(min(bulk, tail)), rel=1e-9)


@pytest.mark.parametrize("spread", [0.1, 0.5, 1.0, 2.0])
@pytest.mark.parametrize(("n", "relative"), [(200, 1.0), (1000, 0.5), (4000, 1.5)])
def test_weights_are_those_of_arviz(spread: float, n: int, relative: float) -> None:
    array = importlib.import_module("arviz_stats.base").array
    log_ratio = np.random.default_rng(n).normal(0, spread, n)
    log_weight, shape = array.BaseArray().psislw(-log_ratio, r_eff=relative, axis=-1)
    weight, found = smooth_weights(log_ratio, relative)
    assert found == pytest.approx(float(shape), rel=1e-9)
    np.testing.assert_allclose(weight, np.exp(log_weight), rtol=1e-9)


def test_effective_draws_of_known_correlation() -> None:
    """An autoregression of 0.6 is worth (1 - 0.6) / (1 + 0.6) of its draws, in the bulk."""
    draws = _chains(0.6, 20_000, 9)
    assert effective_draws(draws) < 0.27 * draws.size
    assert 0.999 < rank_rhat(draws) < 1.002


def test_chains_apart_or_of_different_spread_are_seen() -> None:
    assert rank_rhat(_chains(0.0, 1000, 1, shift=2.0)) > 1.2
    wide = _chains(0.0, 1000, 1)
    wide[0] *= 5
    assert rank_rhat(wide) > 1.1


def test_no_tail_is_not_trusted() -> None:
    weight, shape = smooth_weights(np.zeros(1000), 1.0)
    assert shape == np.inf
    assert weight.sum() == pytest.approx(1)
    assert smooth_weights(np.arange(10.0), 1.0)[1] == np.inf


def test_heavy_tails_have_a_large_shape() -> None:
    """Weights that are Pareto with index 1 have a shape of 1, with a standard error of 2 / sqrt(tail)."""
    n = 50_000
    tail = 3 * np.sqrt(n)
    found = smooth_weights(np.random.default_rng(0).exponential(1.0, n), 1.0)[1]
    assert found == pytest.approx(1, abs=3 * 2 / np.sqrt(tail))
