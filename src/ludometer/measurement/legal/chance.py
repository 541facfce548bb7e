"""Pure chance: are results exchangeable between players? (Misra, Shah and Ranganathan)

If only chance decides, a match (or a whole session) is as likely to have ended the other way round. So the results of
each are turned round at random, the schedule and the seats stay, and the spread of the players' means is computed anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.measurement.legal.entry import LegalTest, Literature, absent
from ludometer.measurement.legal.outcomes import SeatValues

LITERATURE = Literature(
    test="pure chance",
    question="Could the players have exchanged their results without anybody noticing?",
    shows="Whether results depend at all on who plays.",
    does_not_show="How much they depend on it: in a long record the smallest trace of skill is enough to reject pure "
    "chance. It says nothing about predominance.",
    source="Misra, Shah, Ranganathan: Is it luck or skill: establishing role of skill in mutual fund management and "
    "fantasy sports (arXiv). Here: results of each match, or of each session where the record names sessions, are "
    "turned round at random.",
    argued="Written for the debate on daily fantasy sports in India and the United States.",
)

_FEWEST_BLOCKS = 20
_FEWEST, _MOST = 199, 999
_SEATS = 100_000_000
"""Seats of all permutations together."""


def exchange_results(values: SeatValues, seed: Sequence[int]) -> LegalTest:
    """The permutation's p-value, and how many times as far as by chance the players' means spread."""
    blocks = np.unique(values.block, return_inverse=True)[1]
    n_blocks = int(blocks.max(initial=-1)) + 1
    if n_blocks < _FEWEST_BLOCKS:
        return absent(LITERATURE, f"fewer than {_FEWEST_BLOCKS} sessions: there is too little to exchange")
    replicates = int(np.clip(_SEATS // max(len(values.value), 1), _FEWEST, _MOST))
    observed = spread_of_means(values, values.value)
    order, starts = _by_player(values)
    value, block, weight = values.value[order], blocks[order], 1 / np.maximum(values.counts, 1)
    rng = np.random.default_rng([*seed, 1])
    drawn = np.empty(replicates)
    for at in range(replicates):
        turned = rng.integers(0, 2, n_blocks, dtype=np.int8) * 2.0 - 1
        drawn[at] = (np.add.reduceat(value * turned[block], starts) ** 2 * weight).sum()
    p_value = float((1 + (drawn >= observed * (1 - 1e-12)).sum()) / (replicates + 1))
    expected = float(drawn.mean())
    ratio = observed / expected if expected else 1.0
    low, high = (float(end) / expected if expected else 1.0 for end in np.quantile(drawn, [0.025, 0.975]))
    within = "sessions" if values.has_sessions else "matches"
    found = (
        f"The mean results of players vary {ratio:.2f} times as much as with results exchanged at random between the "
        f"players of {within} (chance alone: {low:.2f} to {high:.2f}). "
    )
    verdict = "Pure chance is rejected." if p_value < 0.05 else "Pure chance cannot be rejected."
    sign = "≤" if p_value <= 1 / (replicates + 1) else "="
    return LegalTest(
        LITERATURE,
        p_value,
        None,
        f"p {sign} {p_value:.2g}",
        found + verdict,
        details={"variance_ratio": ratio, "ratio_by_chance": [low, high], "permutations": replicates},
        without_interval="a p-value has no interval; details.ratio_by_chance holds what chance alone would show",
    )


def spread_of_means(values: SeatValues, value: Floats) -> float:
    """The sum over players of (sum of values)² / matches: plain, for any values on these seats."""
    return float((values.sums(value) ** 2 / np.maximum(values.counts, 1)).sum())


def _by_player(values: SeatValues) -> tuple[Counts, Counts]:
    """The seats in order of players, and where each player begins."""
    order = np.argsort(values.player, kind="stable")
    return order, np.concatenate(([0], np.cumsum(values.counts)[:-1]))
