"""Persistence by deciles, and duels (Potter van Loon, van den Assem and van Dolder 2015).

Players are ranked by their results in the first and in the second half of the record. In a game of chance a tenth of
the first half's top tenth is in the top tenth again.

Two random players expect D ~ N(0, 2 tau²) more than each other per match, and after n matches each chance has added
N(0, 2 n sigma²). The better one is ahead with probability 1/2 + arctan(root n tau / sigma) / pi: 75% at (sigma / tau)².
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.measurement.legal.entry import LegalTest, Literature, absent
from ludometer.measurement.legal.expectation import Expectations
from ludometer.measurement.legal.outcomes import SeatValues
from ludometer.wording import percent

LITERATURE = Literature(
    test="persistence by deciles",
    question="Do those who did best in the first half of the record do best again in the second?",
    shows="Whether success lasts, and after how many matches the better of two random players leads in 75% of duels.",
    does_not_show="What decides one match. Players who improve, stop playing or meet stronger opponents lower the "
    "share that stays; players with few matches lower it too, whatever the game.",
    source="Potter van Loon, van den Assem, van Dolder: Beyond chance? The persistence of performance in online poker, "
    "PLoS ONE 10(3), 2015, e0115479. Here players are ranked by mean result, drawn towards that of all by as much as "
    "luck explains, and duels follow a normal population.",
    argued="Written for the debate on the legality and taxation of poker; it contains a predominance test.",
)

FEWEST_PLAYERS = 50
FEWEST_MATCHES = 10
"""In each half."""


def follow_deciles(values: SeatValues, found: Expectations, seed: Sequence[int]) -> LegalTest:
    """The share of the top decile that stays there, and the matches that settle a duel."""
    halves = _halves(values)
    played = [np.bincount(values.player[half], minlength=values.n_players) for half in halves]
    kept = np.flatnonzero((played[0] >= FEWEST_MATCHES) & (played[1] >= FEWEST_MATCHES))
    if len(kept) < FEWEST_PLAYERS:
        return absent(
            LITERATURE,
            f"only {len(kept)} players have {FEWEST_MATCHES} matches in each half of the record; "
            f"{FEWEST_PLAYERS} are needed",
        )
    luck = found.sigma**2 / found.tau**2 if found.tau else 0.0
    order = np.random.default_rng([*seed, 2]).permutation(len(kept))
    first, second = (
        deciles(
            np.bincount(values.player[half], values.value[half], values.n_players)[kept] / (count[kept] + luck), order
        )
        for half, count in zip(halves, played, strict=True)
    )
    table = np.zeros((10, 10), np.int64)
    np.add.at(table, (first, second), 1)
    stay, of = int(table[9, 9]), int(table[9].sum())
    share, ends = stay / of, binomial_interval(stay, of)
    duel, duel_interval = _duel(found)
    return LegalTest(
        LITERATURE,
        share,
        ends,
        f"{percent(share, 0)} [{percent(ends[0], 0)}, {percent(ends[1], 0)}] stay",
        f"{stay} of {of} players in the top tenth of the first half are in the top tenth of the second; chance alone "
        f"would leave one in ten there. {_describe_duel(duel, duel_interval)}",
        chance=0.1,
        details={
            "transitions": table.tolist(),
            "players": len(kept),
            "duel_matches": duel,
            "duel_matches_interval": duel_interval,
        },
    )


def _halves(values: SeatValues) -> tuple[Counts, Counts]:
    """The seats in the first and the second half of the record, in order of time; a session stays whole."""
    order = np.arange(len(values.value))
    middle = len(order) // 2
    if middle and values.has_sessions:
        # the session in the middle belongs to the half in which it begins
        _, begins, session = np.unique(values.block, return_index=True, return_inverse=True)
        early = begins[session] < middle
        return order[early], order[~early]
    return order[:middle], order[middle:]


def deciles(value: Floats, order: Counts) -> Counts:
    """The tenth that each value falls into, 9 the highest; ties are broken by this order.

    >>> deciles(np.arange(20.0), np.arange(20))[[0, 1, 2, 19]].tolist()
    [0, 0, 1, 9]
    """
    rank = np.empty(len(value), np.int64)
    rank[order[np.argsort(value[order], kind="stable")]] = np.arange(len(value))
    return rank * 10 // len(value)


def better_is_ahead(matches: float, found: Expectations) -> float:
    """The probability that the better of two random players is ahead after so many matches each."""
    return 0.5 + float(np.arctan(np.sqrt(matches) * found.tau / found.sigma)) / np.pi


def _duel(found: Expectations) -> tuple[float | None, list[float | None] | None]:
    if found.tau == 0 or found.sigma == 0:
        return None, None
    low, high = (found.sigma**2 / tau**2 if tau else None for tau in reversed(found.tau_interval))
    return found.sigma**2 / found.tau**2, [low, high]


def _describe_duel(figure: float | None, ends: list[float | None] | None) -> str:
    if figure is None or ends is None:
        return "No number of matches puts the better of two random players ahead in 75% of duels."
    low, high = ("no limit" if end is None else f"{end:,.0f}" for end in ends)
    return (
        f"The better of two random players is ahead in 75% of duels after {figure:,.0f} matches each [{low}, {high}]."
    )


def binomial_interval(hits: int, of: int) -> tuple[float, float]:
    """The exact 95% interval of a share (Clopper and Pearson).

    >>> tuple(round(end, 3) for end in binomial_interval(5, 10))
    (0.187, 0.813)
    """
    from scipy.special import betaincinv

    low = float(betaincinv(hits, of - hits + 1, 0.025)) if hits else 0.0
    high = float(betaincinv(hits + 1, of - hits, 0.975)) if hits < of else 1.0
    return low, high
