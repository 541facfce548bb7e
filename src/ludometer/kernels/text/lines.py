"""Lines of separated text whose number of fields is not the header's: a stray comma shifts every later column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludometer.arrays import Counts

Bytes = NDArray[np.uint8]

BLANK, SHORT, LONG = 0, 1, 2
QUOTE, NEWLINE, RETURN, SPACE = b'"\n\r '

_LARGE = 1 << 22
"""Bytes from which a compiled scan pays for its loading."""


def odd_rows(data: Bytes, separator: int, n_fields: int) -> tuple[Counts, Counts, bool]:
    """Lines, counted from 0, with another number of fields than `n_fields`, and whether each is blank, short or long.

    Last, whether a quote is open at the end. Between quotes, separators and line ends are text; a doubled quote ends
    and begins again, which is the same.
    """
    if len(data) < _LARGE:
        return odd_rows_plain(data, separator, n_fields)
    from ludometer.kernels.text.fields import odd_rows_compiled

    return odd_rows_compiled(data, separator, n_fields)


def odd_rows_plain(data: Bytes, separator: int, n_fields: int) -> tuple[Counts, Counts, bool]:
    """The same with NumPy; the twin of the compiled scan."""
    outside = np.cumsum(data == QUOTE) % 2 == 0
    ends = np.flatnonzero((data == NEWLINE) & outside)
    if len(data) and (not len(ends) or ends[-1] < len(data) - 1):
        ends = np.append(ends, len(data))
    separators = np.searchsorted(np.flatnonzero((data == separator) & outside), ends)
    found = np.diff(separators, prepend=0) + 1
    rows = np.flatnonzero(found != n_fields)
    starts = np.append(0, ends + 1)
    blank = [not data[starts[row] : ends[row]].tobytes().strip(b"\r ") for row in rows.tolist()]
    kinds = np.where(blank, BLANK, np.where(found[rows] < n_fields, SHORT, LONG))
    return rows, kinds.astype(np.int64), bool(len(data)) and not outside[-1]
