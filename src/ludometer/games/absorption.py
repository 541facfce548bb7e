"""Where a Markov chain ends: the chance of the first of two ends, by elimination or by a sparse system."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Counts, Floats

_SMALL = 64
"""Up to so many states chains are eliminated, all at once; larger ones are solved one by one."""

_TOGETHER = 1 << 22
"""Numbers in memory at a time."""


def absorb(source: Counts, target: Counts, probability: Floats, *, n_states: int) -> Floats:
    """The chance to end in the first end, started in state 0, for each row of step probabilities (m, steps).

    Targets n_states and n_states + 1 are the ends.
    """
    if n_states > _SMALL:
        return solve_sparse(source, target, probability, n_states=n_states)
    size = max(_TOGETHER // (n_states * (n_states + 2)), 1)
    parts = [
        eliminate(source, target, probability[k : k + size], n_states=n_states)
        for k in range(0, len(probability), size)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def eliminate(source: Counts, target: Counts, probability: Floats, *, n_states: int) -> Floats:
    """State after state is taken out and its steps given to those that lead to it, without a subtraction.

    So even a chance of 1e-200 keeps its digits (Grassmann, Taksar and Heyman 1985).
    """
    steps: list[dict[int, Floats]] = [{} for _ in range(n_states)]
    for start, end, chance in zip(source.tolist(), target.tolist(), probability.T, strict=True):
        if chance.any():
            steps[start][end] = steps[start].get(end, 0.0) + chance
    for state in reversed(range(1, n_states)):
        # a step from a state to itself only takes time
        leave = {end: chance for end, chance in steps[state].items() if end != state}
        total = sum(leave.values())
        for others in steps[:state]:
            into = others.pop(state, None)
            if into is not None:
                for end, chance in leave.items():
                    others[end] = others.get(end, 0.0) + into * (chance / total)
    won, lost = (steps[0].get(end, np.zeros(len(probability))) for end in (n_states, n_states + 1))
    return np.asarray(won / (won + lost))


def solve_dense(source: Counts, target: Counts, probability: Floats, *, n_states: int) -> Floats:
    """(1 - T) w = the chances of stepping to the first end: the plain twin of `eliminate`."""
    chain = _dense(source, target, probability, n_states)
    system, right = np.eye(n_states) - chain[:, :, :n_states], chain[:, :, n_states, np.newaxis]
    return np.asarray(np.linalg.solve(system, right)[:, 0, 0])


def solve_sparse(source: Counts, target: Counts, probability: Floats, *, n_states: int) -> Floats:
    """The same system with its zeros left out."""
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    inner, ending = target < n_states, target == n_states
    won = np.empty(len(probability))
    for k, row in enumerate(probability):
        steps = sparse.csc_array((row[inner], (source[inner], target[inner])), shape=(n_states, n_states))
        right = np.bincount(source[ending], row[ending], n_states)
        won[k] = spsolve((sparse.eye_array(n_states, format="csc") - steps).tocsc(), right)[0]
    return won


def _dense(source: Counts, target: Counts, probability: Floats, n_states: int) -> Floats:
    chain = np.zeros((len(probability), n_states, n_states + 2))
    # one after the other: a table may name a step twice
    for k, (start, end) in enumerate(zip(source, target, strict=True)):
        chain[:, start, end] += probability[:, k]
    return chain
