"""The errors and warnings that ludometer raises on purpose."""

from __future__ import annotations

_LONGEST_WORD, _LONGEST = 250, 1_000
_JOINERS = "\n\u200c\u200d"
"""New lines are our own; the others belong to names in Persian and Hindi."""


class LudometerError(Exception):
    """A mistake that its reader can put right: the message says what is wrong and what to do.

    Messages quote files. So that no file can write elsewhere on a terminal or fill it, control characters are
    replaced, and what is very long is cut in its middle.

    >>> len(str(LudometerError("no column " + "x" * 5_000))), str(LudometerError("column \\x1b[2J"))
    (259, 'column \ufffd[2J')
    """

    def __str__(self) -> str:
        text = super().__str__()
        if not text.isprintable():
            text = "".join(sign if sign.isprintable() or sign in _JOINERS else "\ufffd" for sign in text)
        if len(text) <= _LONGEST_WORD:
            return text
        words = (_shortened(word, _LONGEST_WORD) for word in text.split(" "))
        return _shortened(" ".join(words), _LONGEST)


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[: longest * 3 // 4]} … {text[-(longest // 4 - 3) :]}"


class MatchDataError(LudometerError):
    """Match records that cannot be used as they are; the message counts all faults and shows the first rows."""


class NoFiniteFit(LudometerError):  # noqa: N818 - the name says what happened, as the field does
    """No finite estimate exists, for example a player who won every match in a model without a prior."""


class ConvergenceWarning(UserWarning):
    """An iteration ended before it met its tolerance; the result says so too."""
