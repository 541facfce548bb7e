"""Connected components of the graph "has played against", by union-find."""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes
from ludometer.kernels.runtime.compile import kernel


def components_plain(first: Codes, second: Codes, n_players: int) -> Codes:
    """The plain twin of `components`: spread labels along matches until nothing changes."""
    label = np.arange(n_players, dtype=np.int32)
    while True:
        before = label.copy()
        lower = np.minimum(label[first], label[second])
        np.minimum.at(label, first, lower)
        np.minimum.at(label, second, lower)
        if np.array_equal(before, label):
            return np.unique(label, return_inverse=True)[1].astype(np.int32)


def components(first: Codes, second: Codes, n_players: int) -> Codes:
    """The component of each player, numbered from 0 by lowest player."""
    parent = np.arange(n_players, dtype=np.int32)
    join(first, second, parent)
    return label_roots(parent)


@kernel
def join(first: Codes, second: Codes, parent: Codes) -> None:
    """Unite the players of each match in the forest `parent`, in place; it may be called batch by batch."""
    for t in range(len(first)):
        i, j = _root(parent, first[t]), _root(parent, second[t])
        if i < j:
            parent[j] = i
        elif j < i:
            parent[i] = j


@kernel
def label_roots(parent: Codes) -> Codes:
    """Number the trees of the forest from 0, in the order of their roots."""
    label = np.empty(len(parent), np.int32)
    n_labels = 0
    for i in range(len(parent)):
        root = _root(parent, i)
        if root == i:
            label[i] = n_labels
            n_labels += 1
        else:
            label[i] = label[root]
    return label


@register_jitable
def _root(parent, i):  # type: ignore[no-untyped-def]  # Numba infers the types
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
