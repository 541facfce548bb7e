"""log Phi from a table: its ends, and what is no number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_ndtr

from ludometer.kernels.gibbs.likelihood import log_normal_table, log_phi
from ludometer.kernels.runtime.compile import kernel


@kernel
def _look_up(x: np.ndarray, table: np.ndarray, found: np.ndarray) -> None:
    for place in range(len(x)):
        found[place] = log_phi(x[place], table)[0]


def test_log_phi_everywhere_and_no_number_for_what_is_none() -> None:
    x = np.array([-300.0, -40.0, -12.0, -5.0, -0.3, 0.0, 1.7, 5.0, 12.0, 1e9, np.inf, np.nan])
    found = np.empty(len(x))
    _look_up(x, log_normal_table(), found)
    assert found[:-1] == pytest.approx(log_ndtr(x[:-1]), rel=1e-6, abs=1e-9)
    assert np.isnan(found[-1])
