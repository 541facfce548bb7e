"""What a rating system is: parameters that say how a state starts, how matches change it, and what it expects."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from ludometer.arrays import Codes, Floats
from ludometer.matches import Matches

State = TypeVar("State")


class RatingSystem(Protocol[State]):
    """A frozen dataclass of parameters; the state is a value, never changed in place.

    Playing two halves of a record equals playing the whole, bit for bit. Codes beyond those that a state knows are
    newcomers: `play` lets them in, so a state of no players is a good start.
    """

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        ...

    def start(self, n_players: int) -> State:
        """The state before any match."""
        ...

    def play(self, state: State, matches: Matches) -> tuple[State, Floats]:
        """The state after the matches, and what the first player of each was expected to score before it was played."""
        ...

    def ratings(self, state: State) -> Floats:
        """The rating of each player in Elo points."""
        ...

    def expect(self, state: State, first: Codes, second: Codes) -> Floats:
        """What each first player is expected to score against each second one, as the state stands."""
        ...
