"""What a rating system is: parameters that say how a state starts, how matches change it, and what it expects."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from ludometer.arrays import Codes, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.matches import Matches

State = TypeVar("State")


class FittingSystem(Protocol):
    """A rating system whose parameters are fitted to a record before it plays."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that are not fitted."""
        ...

    def fitted(self, matches: Matches, *, in_sample: bool) -> RatingSystem[Any]:
        """The system with its parameters; `in_sample` if it will be scored on the same matches."""
        ...


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
        """The state after the matches, and what was expected before each was played.

        For matches of two that is what the first player was expected to score, one number a match; for matches of
        several each seat's expected share of the largest prize, one number a seat.
        """
        ...

    def ratings(self, state: State) -> Floats:
        """The rating of each player in Elo points."""
        ...

    def expect(self, state: State, first: Codes, second: Codes) -> Floats:
        """What each first player is expected to score against each second one, as the state stands."""
        ...


AnySystem = RatingSystem[Any] | FittingSystem


def prepare(system: AnySystem, matches: Any, scored: Mask | None = None) -> RatingSystem[Any]:
    """The system ready to play: a fitting one is fitted to all matches, or to those that will not be scored."""
    if not hasattr(system, "fitted"):
        if not hasattr(system, "play"):
            raise LudometerError(f"a rating system is needed, such as Elo(k=24), not {system!r}")
        return system
    if not isinstance(matches, Matches):
        raise LudometerError(f"{system.name} has to see the whole record first: it cannot be streamed")
    if scored is None:
        return system.fitted(matches, in_sample=True)
    if scored.all():
        raise LudometerError(f"{system.name} needs matches before those that are scored, to be fitted to")
    return system.fitted(matches.take(~scored), in_sample=False)
