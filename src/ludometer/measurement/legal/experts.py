"""Experts who were named beforehand: do they do better than the rest? (Levitt and Miles 2014)"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludometer.arrays import Mask
from ludometer.errors import LudometerError
from ludometer.measurement.legal.clusters import clustered_variance
from ludometer.measurement.legal.entry import LegalTest, Literature, absent
from ludometer.measurement.legal.outcomes import SeatValues
from ludometer.players import Players

LITERATURE = Literature(
    test="experts named beforehand",
    question="Do players who were called skilled before the record began get better results than the others?",
    shows="Whether skill that others had recognised before pays in this record.",
    does_not_show="Anything if the experts were chosen by their results in this very record. It does not say how much "
    "of one match skill decides.",
    source="Levitt, Miles: The role of skill versus luck in poker: evidence from the World Series of Poker, Journal of "
    "Sports Economics 15 (2014) 31-44 (NBER working paper 17023).",
    argued="United States: filed as an exhibit by the Poker Players Alliance in United States v. PokerStars (Southern "
    "District of New York, 2011).",
)

_FEWEST_MATCHES = 30


def check_experts(players: Players, names: Sequence[str]) -> list[str]:
    """These names without blanks and repeats; those that the record does not know are an error."""
    known = set(players.names)
    wanted = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise LudometerError(
            f"{len(unknown)} of {len(wanted)} experts are not in the record: {', '.join(unknown[:5])}"
            f"{' ...' if len(unknown) > 5 else ''}. Write their names as in the file"
        )
    return wanted


def find_experts(players: Players, names: Sequence[str]) -> list[int]:
    """The codes of those who are among these players."""
    wanted = set(names)
    return [code for code, name in enumerate(players.names) if name in wanted]


def compare_experts(values: SeatValues, experts: Sequence[int] | None) -> LegalTest:
    """What experts get per match above the others; errors are clustered by player and match."""
    if experts is None:
        return absent(LITERATURE, "no experts were named: --experts FILE, a file with one name per line")
    is_expert = np.isin(values.codes, np.asarray(experts, np.int32))
    n = int(is_expert.sum())
    played = int(values.counts[is_expert].sum())
    if n < 2 or n == values.n_players or played < _FEWEST_MATCHES:
        return absent(
            LITERATURE,
            f"{n} of {len(experts)} experts have enough matches to count, in {played:,} matches; 2 experts and "
            f"{_FEWEST_MATCHES} matches are needed, and others to compare with",
        )
    means = [float(values.sums()[group].sum() / values.counts[group].sum()) for group in (is_expert, ~is_expert)]
    difference, error = means[0] - means[1], _error_of_difference(values, is_expert, means)
    ends = difference - 1.96 * error, difference + 1.96 * error
    scale = 100 if values.basis == "wins" else 1
    unit = "percentage points of a win" if values.basis == "wins" else values.unit
    text = f"{scale * difference:+.1f} [{scale * ends[0]:+.1f}, {scale * ends[1]:+.1f}] {unit}"
    return LegalTest(
        LITERATURE,
        difference,
        ends,
        text,
        f"The {n} experts got {text} per match more than the other {values.n_players - n:,} players.",
        chance=0.0,
        details={"experts": n, "matches": played, "experts_mean": means[0], "others_mean": means[1]},
    )


def _error_of_difference(values: SeatValues, is_expert: Mask, means: Sequence[float]) -> float:
    """What each seat does to the difference of the means; what experts win the others lose."""
    expert = is_expert[values.player]
    seats = np.array([expert.sum(), (~expert).sum()])
    effect = np.where(expert, (values.value - means[0]) / seats[0], -(values.value - means[1]) / seats[1])
    return float(np.sqrt(clustered_variance(values, effect)))
