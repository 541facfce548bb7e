"""Whether the draws of all chains are enough (Vehtari et al. 2021), and weights of draws made safe (2024).

Written here because libraries that have it load all of SciPy's statistics, which takes longer than a short record does;
the tests compare with one of them.
"""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Floats

_ENDS = (0.025, 0.975)
"""Quantiles whose draws have to be enough too: the ends of the 95% interval."""

_LEAST_TAIL = 5
_WEAK_SHAPE, _WEAK_DRAWS = 0.5, 10
"""The prior of a Pareto shape: as good as this many draws that say so."""


def rank_rhat(draws: Floats) -> float:
    """R-hat of (chains, draws) by ranks: the larger of that of the values and of their distance from the median."""
    halves = _split(draws)
    return max(_rhat(_normal_scores(halves)), _rhat(_normal_scores(np.abs(halves - np.median(halves)))))


def effective_draws(draws: Floats) -> float:
    """As many independent draws as these (chains, draws) are worth, in the bulk or at the ends of the 95% interval."""
    low, high = np.quantile(draws, _ENDS)
    views = (_normal_scores(_split(draws)), *(_split((draws <= end).astype(float)) for end in (low, high)))
    return min(_effective(view) for view in views)


def smooth_weights(log_weight: Floats, relative: float) -> tuple[Floats, float]:
    """Weights that add up to 1, the largest of them replaced by quantiles of a Pareto distribution, and its shape.

    `relative` is the worth of a draw in independent draws. The shape is infinite where there is no tail to fit.

    >>> weight, shape = smooth_weights(np.random.default_rng(0).normal(0, 0.3, 1000), 1.0)
    >>> round(float(weight.sum()), 12), shape < 0.5
    (1.0, True)
    """
    n = len(log_weight)
    weight = np.exp(log_weight - log_weight.max())
    n_tail = int(3 * np.sqrt(n / relative)) if n * relative > 225 else n // 5
    if not _LEAST_TAIL <= n_tail < n:
        return weight / weight.sum(), np.inf
    order = np.argsort(weight)
    tail, below = weight[order[-n_tail:]], weight[order[-n_tail - 1]]
    shape, scale = _fit_pareto(tail - below)
    if not (np.isfinite(shape) and scale > 0):
        return weight / weight.sum(), np.inf
    at = np.log1p(-(np.arange(n_tail) + 0.5) / n_tail)
    expected = below + scale * (np.expm1(-shape * at) / shape if shape else -at)
    weight[order[-n_tail:]] = np.minimum(expected, 1.0)
    return weight / weight.sum(), shape


def _split(draws: Floats) -> Floats:
    """Each chain as two: one that drifts then shows."""
    half = draws.shape[1] // 2
    return np.concatenate((draws[:, :half], draws[:, -half:]))


def _normal_scores(values: Floats) -> Floats:
    """Values replaced by normal quantiles of their ranks (Blom's), equal ones by that of their mean rank."""
    from scipy.special import ndtri

    flat = values.ravel()
    _, place, times = np.unique(flat, return_inverse=True, return_counts=True)
    rank = (np.cumsum(times) - (times - 1) / 2)[place]
    return np.asarray(ndtri((rank - 0.375) / (len(flat) + 0.25))).reshape(values.shape)


def _rhat(chains: Floats) -> float:
    n = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean()
    return float(np.sqrt((n * chains.mean(axis=1).var(ddof=1) / within + n - 1) / n))


def _effective(chains: Floats) -> float:
    """By Geyer's initial monotone sequence: correlations are summed in pairs as long as these are positive."""
    m, n = chains.shape
    if chains.max() - chains.min() < np.finfo(float).resolution:
        return float(m * n)
    covariance = _autocovariance(chains).mean(axis=0)
    within = covariance[0] * n / (n - 1)
    total = covariance[0] + chains.mean(axis=1).var(ddof=1)
    correlation = 1 - (within - covariance) / total
    correlation[0] = 1.0
    # the last lags rest on too few draws
    n_pairs = max((n - 1) // 2, 1)
    even = correlation[: 2 * n_pairs : 2]
    pair = even + correlation[1 : 2 * n_pairs : 2]
    stop = int(np.argmax(pair <= 0)) if (pair <= 0).any() else n_pairs - 1
    # half a pair more: its even lag, if that is still positive
    time = 2 * np.minimum.accumulate(pair[:stop]).sum() + max(float(even[stop]), 0.0) - 1
    return float(m * n / max(time, 1 / np.log10(m * n)))


def _autocovariance(chains: Floats) -> Floats:
    """At all lags, of each chain."""
    n = chains.shape[1]
    length = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(chains - chains.mean(axis=1, keepdims=True), length, axis=1)
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, length, axis=1)[:, :n] / n)


def _fit_pareto(excess: Floats) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto distribution of sorted numbers (Zhang and Stephens 2009).

    The posterior mean of b = -shape / scale over a grid, its likelihood profiled over the shape.
    """
    n = len(excess)
    n_grid = 30 + int(np.sqrt(n))
    quartile = excess[int(n / 4 + 0.5) - 1]
    with np.errstate(all="ignore"):
        grid = 1 / excess[-1] + (1 - np.sqrt(n_grid / (np.arange(n_grid) + 0.5))) / (3 * quartile)
        shape = np.log1p(-grid[:, np.newaxis] * excess).mean(axis=1)
        log_likelihood = n * (np.log(-grid / shape) - shape - 1)
        weight = np.exp(log_likelihood - log_likelihood.max())
        weight /= weight.sum()
        sound = weight >= 10 * np.finfo(float).eps
        b = float((grid[sound] * weight[sound]).sum() / weight[sound].sum())
        found = float(np.log1p(-b * excess).mean())
        return (n * found + _WEAK_DRAWS * _WEAK_SHAPE) / (n + _WEAK_DRAWS), -found / b
