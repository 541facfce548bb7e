"""Lines with too few or too many fields are found as by counting one byte after the other."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ludometer.kernels.text.fields import odd_rows_compiled
from ludometer.kernels.text.lines import BLANK, LONG, SHORT, odd_rows, odd_rows_plain


@given(st.lists(st.sampled_from([34, 10, 13, 32, 44, 97]), max_size=300), st.integers(1, 4))
def test_odd_rows_equal_their_plain_twin(data: list[int], n_fields: int) -> None:
    array = np.array(data, np.uint8)
    for fast, plain in zip(odd_rows_compiled(array, 44, n_fields), odd_rows_plain(array, 44, n_fields), strict=True):
        np.testing.assert_array_equal(fast, plain)


def test_kinds_are_told() -> None:
    text = b'a,b\n1,2\n\n1\n1,2,3\n"x,\n""y""",2\r\n1,2'
    rows, kinds, is_open = odd_rows(np.frombuffer(text, np.uint8), ord(","), 2)
    assert rows.tolist() == [2, 3, 4]
    assert kinds.tolist() == [BLANK, SHORT, LONG]
    assert not is_open
    assert odd_rows(np.frombuffer(text + b',"', np.uint8), ord(","), 2)[2]
