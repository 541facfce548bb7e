"""Arena files: two models answer, somebody votes. Who won is a seat (model_a), a tie, or that both were bad."""

from __future__ import annotations

import re

FIRST, SECOND = "model_a", "model_b"
TIMES = ("timestamp", "tstamp")
"""What arenas call the time, beside the usual names."""

ONE_HOT = ("winner_model_a", "winner_model_b", "winner_tie")
"""Instead of a column of winners: three columns, of which one is 1."""

SEATS = ("a", "b")
"""What tells the two columns of a value per player apart: length_a and length_b."""

_FIRST_WON, _TIED, _SECOND_WON = 2, 1, 0
_BOTH_BAD = {"bothbad", "tiebothbad", "bothwrong", "bothlose"}
_VOTES = {
    **dict.fromkeys(("modela", "a", "left", "assistanta", "responsea", "awins"), _FIRST_WON),
    **dict.fromkeys(("modelb", "b", "right", "assistantb", "responseb", "bwins"), _SECOND_WON),
    **dict.fromkeys(("tie", "tied", "draw", "equal", "same", "both", "bothgood", "tiebothgood", *_BOTH_BAD), _TIED),
}


def parse_vote(text: str) -> int | None:
    """What the first model scored in half points; None if the text is no vote.

    >>> [parse_vote(text) for text in ("model_a", "Model B", "tie (bothbad)", "GPT-4")]
    [2, 0, 1, None]
    """
    return _VOTES.get(_plain(text))


def is_both_bad(text: str) -> bool:
    """Whether a vote says that both answers were bad; it counts as a tie.

    >>> is_both_bad("both_bad"), is_both_bad("tie")
    (True, False)
    """
    return _plain(text) in _BOTH_BAD


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text.casefold())
