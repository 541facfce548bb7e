"""Expected scores between samples of gains whose games carry weights: the Mann-Whitney statistic in many lanes."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime.compile import kernel


def weighted_scores_plain(
    value: Codes, game: Codes, starts: Counts, first: Codes, second: Codes, weight: Floats
) -> Floats:
    """The plain twin of `weighted_scores`: each gain of one sample is compared with each of the other."""
    score = np.empty((len(first), weight.shape[1]))
    for pair in range(len(first)):
        ours = slice(starts[first[pair]], starts[first[pair] + 1])
        theirs = slice(starts[second[pair]], starts[second[pair] + 1])
        won = np.sign(value[ours][:, None] - value[theirs][None, :]) / 2 + 0.5
        w, v = weight[game[ours]], weight[game[theirs]]
        score[pair] = np.einsum("ak,ab,bk->k", w, won, v) / (w.sum(axis=0) * v.sum(axis=0))
    return score


@kernel
def weighted_scores(value: Codes, game: Codes, starts: Counts, first: Codes, second: Codes, weight: Floats) -> Floats:
    """P(X > Y) + P(X = Y) / 2 for each pair of samples and each lane of weights `[game][lane]`.

    Sample u holds `value[starts[u]:starts[u + 1]]`, ascending; both samples of a pair are walked once, side by side.
    """
    n_lanes = weight.shape[1]
    score = np.empty((len(first), n_lanes))
    here_a, here_b = np.empty(n_lanes), np.empty(n_lanes)
    total_a, below_b = np.empty(n_lanes), np.empty(n_lanes)
    for pair in range(len(first)):
        a, end_a = starts[first[pair]], starts[first[pair] + 1]
        b, end_b = starts[second[pair]], starts[second[pair] + 1]
        won = score[pair]
        won[:] = 0.0
        total_a[:] = 0.0
        below_b[:] = 0.0
        while a < end_a or b < end_b:
            if b >= end_b or (a < end_a and value[a] <= value[b]):
                level = value[a]
            else:
                level = value[b]
            here_a[:] = 0.0
            here_b[:] = 0.0
            while a < end_a and value[a] == level:
                row = weight[game[a]]
                for k in range(n_lanes):
                    here_a[k] += row[k]
                a += 1
            while b < end_b and value[b] == level:
                row = weight[game[b]]
                for k in range(n_lanes):
                    here_b[k] += row[k]
                b += 1
            for k in range(n_lanes):
                won[k] += here_a[k] * (below_b[k] + 0.5 * here_b[k])
                below_b[k] += here_b[k]
                total_a[k] += here_a[k]
        for k in range(n_lanes):
            won[k] /= total_a[k] * below_b[k]
    return score
