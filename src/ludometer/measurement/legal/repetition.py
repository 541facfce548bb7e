"""Critical repetition frequency: after how many matches does skill outweigh chance? (Fiedler and Rock 2009)

Over n matches a player expects n E, and chance makes that vary by root n sigma. Skill outweighs chance once
n abs(E) > lambda root n sigma, that is from n = (lambda sigma / abs(E))² on.
"""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Floats
from ludometer.measurement.legal.entry import LegalTest, Literature, absent
from ludometer.measurement.legal.expectation import Expectations

LITERATURE = Literature(
    test="critical repetition frequency",
    question="After how many matches does a player's expected result outweigh the swings of chance?",
    shows="How long a player has to play before their skill, or their lack of it, shows with 95% confidence.",
    does_not_show="Whether skill predominates in one match: every game with any skill has such a number. Where players "
    "meet opponents of equal strength, nobody expects much above chance and the number grows, whatever the game.",
    source="Fiedler, Rock: Quantifying skill in games: theory and empirical evidence for poker, Gaming Law Review and "
    "Economics 13 (2009) 50-57: n = (λ σ / abs(E))². Here luck is taken out of E, since the measured E of a player "
    "is never 0 even if only chance decides; the median is that of a normal population.",
    argued="Written for the predominance test; its authors discuss poker in the United States (Joker Club v. District "
    "Attorney, North Carolina 2005).",
)

LAMBDA = 1.96
_MEDIAN = 0.6744897501960817
"""The median of abs(E) in a normal population, in SDs."""


def find_critical_repetitions(found: Expectations, *, confidence: float = LAMBDA) -> LegalTest:
    """n of the median player, from the SD of what players can expect."""
    if found.sigma == 0:
        return absent(LITERATURE, "results do not vary")
    if found.tau == 0:
        return absent(LITERATURE, "luck explains all differences between players: no number of matches is enough")
    figure = _repetitions(found.sigma, _MEDIAN * found.tau, confidence)
    tau_low, tau_high = found.tau_interval
    low = _repetitions(found.sigma, _MEDIAN * tau_high, confidence)
    high = _repetitions(found.sigma, _MEDIAN * tau_low, confidence) if tau_low else None
    end = "no limit" if high is None else f"{high:,.0f}"
    each = player_repetitions(found, confidence=confidence)
    return LegalTest(
        LITERATURE,
        figure,
        (low, high),
        f"{figure:,.0f} matches [{low:,.0f}, {end}]",
        f"For the median player skill outweighs chance after {figure:,.0f} matches. {_reached(found, each)}",
        details={
            "lambda": confidence,
            "sigma": found.sigma,
            "tau": found.tau,
            "tau_interval": list(found.tau_interval),
            "players_beyond": int((found.played >= each).sum()),
            "players": len(each),
        },
    )


def player_repetitions(found: Expectations, *, confidence: float = LAMBDA) -> Floats:
    """n of each player, with luck taken out of E; infinite where nothing is left of it."""
    edge = np.abs(found.shrunken)
    with np.errstate(divide="ignore"):
        return np.asarray((confidence * found.sigma / edge) ** 2)


def _repetitions(sigma: float, edge: float, confidence: float) -> float:
    return (confidence * sigma / edge) ** 2


def _reached(found: Expectations, each: Floats) -> str:
    beyond, n = int((found.played >= each).sum()), len(each)
    return f"{beyond:,} of {n:,} players have played more than their own number."
