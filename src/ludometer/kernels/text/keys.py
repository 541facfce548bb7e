"""Numbers for keys in order of first appearance: an open hash table over 64-bit keys that lives across batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludometer.arrays import Codes, Counts
from ludometer.kernels.runtime.compile import kernel

Keys = NDArray[np.uint64]


def number_keys_plain(keys: Keys, known: dict[int, int]) -> Codes:
    """The plain twin of `number_keys`, with a dict for a table."""
    return np.array([known.setdefault(int(key), len(known)) for key in keys], np.int32)


@kernel
def number_keys(
    keys: Keys, table_keys: Keys, table_codes: Codes, n_known: int, codes: Codes, new: Counts
) -> tuple[int, int]:
    """Write the code of each key to `codes` and the positions of first appearances to `new`.

    The table (codes of -1 are free) has a power of two as its length. Returns (keys done, codes known): the keys done
    are fewer than given when the table is half full, and the caller has to enlarge it and go on from there.
    """
    mask = np.uint64(len(table_keys) - 1)
    limit = len(table_keys) // 2
    n_new = 0
    for t in range(len(keys)):
        key = keys[t]
        # Fibonacci hashing: integer ids are often consecutive or multiples, their raw low bits would cluster
        mixed = key * np.uint64(0x9E3779B97F4A7C15)
        slot = (mixed ^ (mixed >> np.uint64(32))) & mask
        while table_codes[slot] >= 0 and table_keys[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        if table_codes[slot] < 0:
            if n_known >= limit:
                return t, n_known
            table_keys[slot] = key
            table_codes[slot] = n_known
            new[n_new] = t
            n_new += 1
            n_known += 1
        codes[t] = table_codes[slot]
    return len(keys), n_known


def number_small_keys_plain(ids: Counts, code_of_id: Codes, n_known: int, codes: Codes, new: Counts) -> int:
    """The plain twin of `number_small_keys`."""
    first_seen = n_known
    for t, key in enumerate(ids):
        if code_of_id[key] < 0:
            new[n_known - first_seen] = t
            code_of_id[key] = n_known
            n_known += 1
        codes[t] = code_of_id[key]
    return n_known


@kernel
def number_small_keys(ids: Counts, code_of_id: Codes, n_known: int, codes: Codes, new: Counts) -> int:
    """The same for integers from 0 to len(code_of_id) - 1, by a plain table; returns the codes known."""
    n_new = 0
    for t in range(len(ids)):
        key = ids[t]
        code = code_of_id[key]
        if code < 0:
            code = n_known
            code_of_id[key] = n_known
            new[n_new] = t
            n_new += 1
            n_known += 1
        codes[t] = code
    return n_known
