"""The errors and warnings that ludometer raises on purpose."""

from __future__ import annotations


class LudometerError(Exception):
    """A mistake that its reader can put right: the message says what is wrong and what to do."""


class MatchDataError(LudometerError):
    """Match records that cannot be used as they are; the message counts all faults and shows the first rows."""


class NoFiniteFit(LudometerError):  # noqa: N818 - the name says what happened, as the field does
    """No finite estimate exists, for example a player who won every match in a model without a prior."""


class ConvergenceWarning(UserWarning):
    """An iteration ended before it met its tolerance; the result says so too."""
