"""Relative skill (Dreef, Borm and van der Genugten): needs the rules of a game, not its results."""

from __future__ import annotations

from ludometer.measurement.legal.entry import LegalTest, Literature, absent

LITERATURE = Literature(
    test="relative skill",
    question="How much of what a player could gain by knowing all chance moves beforehand can be learnt?",
    shows="The share of learning in learning and chance together, computed from the rules.",
    does_not_show="How real players play: it compares a beginner, the best strategy and one who knows what chance will "
    "bring.",
    source="Dreef, Borm, van der Genugten: Measuring skill in games: several approaches discussed, Mathematical "
    "Methods of Operations Research 59 (2004) 375-391.",
    argued="Netherlands: a report on poker for an examining magistrate in Amsterdam (Borm, van der Genugten 2009).",
)


def explain_relative_skill() -> LegalTest:
    """A record cannot answer it."""
    return absent(
        LITERATURE,
        "a record of results cannot answer it: the measure compares strategies, so it needs a game whose rules are at "
        "hand (the lab)",
    )
