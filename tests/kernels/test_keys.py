"""Keys get numbers in order of first appearance, however the table has to grow."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ludometer.kernels.text.keys import number_keys, number_keys_plain, number_small_keys, number_small_keys_plain


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 20), max_size=100))
def test_numbers_equal_their_plain_twin(keys: list[int]) -> None:
    array = np.array(keys, np.uint64)
    table_keys, table_codes = np.zeros(256, np.uint64), np.full(256, -1, np.int32)
    codes, new = np.empty(len(keys), np.int32), np.empty(len(keys), np.int64)
    done, known = number_keys(array, table_keys, table_codes, 0, codes, new)
    plain = number_keys_plain(array, {})
    assert (done, known) == (len(keys), len(set(keys)))
    np.testing.assert_array_equal(codes, plain)
    np.testing.assert_array_equal(array[new[:known]], list(dict.fromkeys(keys)))


def test_a_table_that_is_half_full_asks_for_a_larger_one() -> None:
    keys = np.arange(10, dtype=np.uint64)
    done, known = number_keys(
        keys, np.zeros(8, np.uint64), np.full(8, -1, np.int32), 0, np.empty(10, np.int32), np.empty(10, np.int64)
    )
    assert (done, known) == (4, 4)


@given(st.lists(st.integers(0, 30), max_size=60), st.lists(st.integers(0, 30), max_size=60))
def test_small_numbers_equal_their_plain_twin(first: list[int], second: list[int]) -> None:
    outcome = []
    for number in (number_small_keys, number_small_keys_plain):
        table, known, codes = np.full(31, -1, np.int32), 0, []
        for batch in (first, second):
            ids = np.array(batch, np.int64)
            out, new = np.empty(len(ids), np.int32), np.zeros(len(ids), np.int64)
            known = number(ids, table, known, out, new)
            codes.append((out.tolist(), new.tolist()))
        outcome.append((codes, known, table.tolist()))
    assert outcome[0] == outcome[1]
