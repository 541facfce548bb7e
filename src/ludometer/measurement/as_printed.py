"""Variants as the papers print them, for reproductions: where they differ from the usual ones, those are right."""

from __future__ import annotations

import math

import numpy as np

from ludometer.matches import Matches
from ludometer.measurement.spread import Persistence, regress

PRINTED_PRIOR = "invgamma:2,1"
"""Gilbert and Wells' prior of sigma^2; the usual one is flat on sigma."""

PRINTED_SAMPLERS = {"printed": (1.0, math.sqrt(2)), "printed-ties": (0.5, 1.0)}
"""Gilbert and Wells' sampler (section 3.2.2): weight and share in the precision of a skill, as `Model` has them.

"printed" is the paper's conditional, which is wrong; "printed-ties" has the right one. Both draw t from the tie rate,
which takes ties for independent and opponents for drawn at random.
"""

PRINTED_TIE_RATE = 2.0, 5.0
"""Their beta prior of the tie rate."""


def measure_mixed_persistence(matches: Matches, x: float, *, min_matches: int = 25, seed: int = 0) -> Persistence:
    """Persistence of an x%-game as Duersch et al. (Table 4) have it: past averages mix real and coin results.

    A result is kept with probability x, as in `mix`, but in the averages before later matches every result counts x
    of what was played and the rest of a coin. This explains their slope of .331 for 50%-chess, which lies above what
    averages of the mixed results themselves give.
    """
    from ludometer.kernels.skills.averages import past_moments_of_seats
    from ludometer.simulate.benchmarks import coin_on, mix

    real, part = matches.pairs, x / 100
    mixed, coin = mix(matches, x, seed=seed).pairs.score, coin_on(matches, seed=seed + 1).pairs.score
    averaged = part * real.score + (1 - part) * coin
    player, score, earned = (
        np.ascontiguousarray(np.column_stack(pair).ravel())
        for pair in ((real.first, real.second), (mixed, 1 - mixed), (averaged, 1 - averaged))
    )
    moments = past_moments_of_seats(player, score, earned, len(matches.players))
    return regress(moments[matches.counts >= min_matches])
