"""The array types that cross module borders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""What users may hand in; it is checked."""

Codes = NDArray[np.int32]
"""Players as numbers from 0; the names are in `Players`."""

Halves = NDArray[np.int8]
"""What the first player scored, in half points: 0 lost, 1 drew, 2 won."""

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
"""Single precision: only where an error of 1e-7 is far below what is asked for."""
Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]
Times = NDArray[Any]
"""When a match was played: datetime64 (days or microseconds), int64 or float64."""
