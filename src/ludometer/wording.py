"""Numbers in running text, written alike everywhere."""

from __future__ import annotations

from collections.abc import Sequence


def percent(share: float, digits: int = 1) -> str:
    """A share of 1 as a percentage.

    >>> percent(0.777), percent(0.5, 0)
    ('77.7%', '50%')
    """
    return f"{100 * share:.{digits}f}%"


def percentages(shares: Sequence[float], digits: int = 1) -> list[str]:
    """Shares of 1 that add up to it, as percentages that add up to 100: those that lose most are rounded up.

    >>> percentages([0.38463, 0.33114, 0.28423])
    ['38.5%', '33.1%', '28.4%']
    """
    unit = 10**digits
    exact = [100 * unit * share for share in shares]
    whole = [int(value) for value in exact]
    missing = round(sum(exact)) - sum(whole)
    by_loss = sorted(range(len(exact)), key=lambda place: whole[place] - exact[place])
    for place in by_loss[:missing]:
        whole[place] += 1
    return [percent(value / (100 * unit), digits) for value in whole]


PERCENT_LABELS = "format(100 * datum.value, '~r') + '%'"
"""The same for the labels of an axis, as Vega writes it."""
