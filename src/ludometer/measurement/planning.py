"""What a measurement consists of, what each part is expected to cost, and which parts fit into a budget of time."""

from __future__ import annotations

from dataclasses import dataclass

from ludometer.matches import Matches, Pairs
from ludometer.progress import Progress, Stage

STAGES = "best fit", "pairing", "yardsticks", "likelihood", "luck", "repeats", "random opponents", "checks"
"""In the order in which they are done, what matters most first."""

BEST_FIT, PAIRING, YARDSTICKS, LIKELIHOOD, LUCK, REPEATS, RANDOM, CHECKS = STAGES

MORE = "more replicates"
"""Within a budget the yardsticks begin with few of them; these follow if there is time."""

RUNGS = (19, 39, 59, 79, 99)
"""Numbers of replicates that are fewer than usual: n + 1 is a multiple of 20, so that ranks cut off whole parts."""

FEWEST_FOR_95 = 39
"""Replicates below which there are less than 95% between the ends of an interval."""

_SAFETY = 1.15
"""Costs are expected to be this much higher when it is decided what fits."""


@dataclass(frozen=True)
class Cost:
    """Seconds of one core: in any case, for each seat of the record, for each simulated game, and its seats."""

    fixed: float
    seat: float = 0.0
    game: float = 0.0
    seat_of_game: float = 0.0


_TWO_PLAYERS = {
    BEST_FIT: Cost(0.03, 1.8e-7),
    PAIRING: Cost(0.1, 3e-6),
    YARDSTICKS: Cost(0.1, 0.0, 5.5e-4, 5e-9),
    LIKELIHOOD: Cost(1.5, 1e-4),
    LUCK: Cost(0.2, 5e-6),
    REPEATS: Cost(0.02, 0.0, 4.5e-4, 2.5e-9),
    RANDOM: Cost(0.02, 2.1e-7),
    CHECKS: Cost(0.05, 0.0, 6.5e-4, 9e-9),
}
_MULTIPLAYER = {
    BEST_FIT: Cost(0.03, 3.6e-7),
    PAIRING: Cost(0.8, 1.5e-6),
    YARDSTICKS: Cost(0.1, 0.0, 1.7e-3, 1.9e-8),
    LIKELIHOOD: Cost(1.5, 1e-4),
    LUCK: Cost(3.0, 4e-5),
    REPEATS: Cost(0.02, 0.0, 7e-4, 1.8e-8),
    RANDOM: Cost(0.02, 1.1e-6),
    CHECKS: Cost(0.05, 0.0, 1.8e-3, 1.6e-8),
}
"""Measured by benchmarks/progress.py, which prints them anew."""

_SHARED = (YARDSTICKS, REPEATS, CHECKS)
"""Stages that all workers share."""

_LOOKED_AT = 600_000
"""Seats of a record that the likelihood looks at, at most."""

_ROUNDS = {YARDSTICKS: 3, REPEATS: 1, CHECKS: 1}


@dataclass(frozen=True)
class Extent:
    """How much there is to do: the size of the record, and how many workers share what can be shared."""

    seats: int
    is_two_player: bool
    jobs: int = 1

    @classmethod
    def of(cls, matches: Matches, jobs: int = 1) -> Extent:
        """The extent of a record."""
        table = matches.table
        is_two_player = isinstance(table, Pairs)
        return cls(2 * len(matches) if isinstance(table, Pairs) else len(table.player), is_two_player, jobs)

    def stage(self, name: str, games: float = 0.0) -> Stage:
        """A stage of the measurement with its cost, in which this many games as long as the record are simulated."""
        cost = (_TWO_PLAYERS if self.is_two_player else _MULTIPLAYER)[name]
        seats = min(self.seats, _LOOKED_AT) if name == LIKELIHOOD else self.seats
        work = cost.seat * seats + games * (cost.game + cost.seat_of_game * self.seats)
        return Stage(name, cost.fixed + work / (self.jobs if name in _SHARED else 1), _ROUNDS.get(name, 0))


@dataclass(frozen=True)
class Budget:
    """Seconds that an answer may take, from `begun` on by the clock of the measurement, or from its beginning.

    >>> Budget(60)
    Budget(seconds=60, begun=None)
    """

    seconds: float
    begun: float | None = None


class Timekeeper:
    """Follows a measurement through its stages, and says what the budget leaves time for."""

    def __init__(self, extent: Extent, progress: Progress | None = None, budget: Budget | None = None) -> None:
        self.extent, self.progress, self.budget = extent, progress or Progress(), budget
        begun = None if budget is None else budget.begun
        self.begun = self.progress.clock() if begun is None else begun

    @property
    def seconds_left(self) -> float:
        """Until the budget is spent."""
        if self.budget is None:
            return float("inf")
        return self.budget.seconds - (self.progress.clock() - self.begun)

    def fits(self, *stages: Stage) -> bool:
        """Whether there is time for all of these, by what has been seen of this machine."""
        return _SAFETY * self.progress.seconds_for(sum(stage.seconds for stage in stages)) <= self.seconds_left


@dataclass(frozen=True)
class WithinBudget:
    """What was done within a budget of time, and what was left out."""

    seconds: float
    replicates: int
    """For each yardstick; 0 where they were left out."""
    replicates_wanted: int
    left_out: tuple[str, ...]
    """Of the stages after the best fit."""
    checks_left_out: tuple[str, ...]

    @property
    def reason(self) -> str:
        """Why something is not there."""
        return f"left out: the budget of {self.seconds:g} s did not leave time for it"

    def remarks(self) -> list[str]:
        """In plain words; nothing where the budget was enough for everything.

        >>> WithinBudget(60, 39, 119, ("luck",), ("second half of the record",)).remarks()[1]
        'left out: L and ℓ²; one check (second half of the record)'
        """
        from ludometer.measurement.benchmarks.yardstick import confidence

        lines, left_out = [], [_MEANING[name] for name in self.left_out]
        if 0 < self.replicates < self.replicates_wanted:
            wider = (
                ""
                if self.replicates >= FEWEST_FOR_95
                else f"; their intervals hold {confidence(self.replicates)}%, not 95%"
            )
            lines.append(
                f"{self.replicates} instead of {self.replicates_wanted} simulated games for each yardstick{wider} "
                f"(--replicates {self.replicates} asks for the same)"
            )
        if n := len(self.checks_left_out):
            names = ", ".join(self.checks_left_out)
            left_out.append(f"one check ({names})" if n == 1 else f"{n} checks ({names})")
        if left_out:
            lines.append(f"left out: {'; '.join(left_out)}")
        return [f"within {self.seconds:g} s: {lines[0]}", *lines[1:]] if lines else []


_MEANING = {
    YARDSTICKS: "the yardsticks and the verdict",
    LIKELIHOOD: "the better player's share",
    LUCK: "L and ℓ²",
    REPEATS: "the intervals of SD and k",
    RANDOM: "what random opponents would show",
    CHECKS: "all checks",
}


def rungs_up_to(replicates: int) -> list[int]:
    """Numbers of replicates to choose from, ascending, the wanted one last.

    >>> rungs_up_to(119), rungs_up_to(39)
    ([19, 39, 59, 79, 99, 119], [19, 39])
    """
    return [*(rung for rung in RUNGS if rung < replicates), replicates]
