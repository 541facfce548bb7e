"""How far long work is: its stages by name, what each is expected to cost, and the time that is left.

The work says beforehand what each stage costs on the machine that the costs were measured on. How fast this machine is,
and how far the costs were wrong, shows in what has been done so far, and rescales what is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

_DOUBT = 0.05
"""Part of the whole that the expected pace counts for, beside the pace that was seen."""

_TRUST = 0.1
"""Part of a stage after which its own pace says as much as that of the whole work."""

_OVERDUE = 0.1
"""Part of its cost that a stage without rounds is still given when it has taken longer than expected."""


@dataclass(frozen=True)
class Stage:
    """A part of the work with a name, and what it is expected to cost."""

    name: str
    seconds: float
    rounds: int = 0
    """Maps over tasks that it consists of, of about equal cost; 0 where how far it is shows by the clock only."""


@dataclass(frozen=True)
class State:
    """How far the work is."""

    stage: str
    done: float
    """Share of the expected work, from 0 to 1."""
    seconds_left: float | None
    """None as long as nothing is planned."""

    @property
    def time_left(self) -> str:
        """In words, no finer than it is known.

        >>> [State("luck", 0.5, seconds).time_left for seconds in (0.4, 42.0, 100.0, 4000.0, None)]
        ['1 s left', '40 s left', '2 min left', '1 h 10 min left', '']
        """
        if self.seconds_left is None:
            return ""
        seconds = max(self.seconds_left, 1.0)
        if seconds < 60:
            return f"{round(seconds) if seconds < 10 else 5 * round(seconds / 5)} s left"
        if seconds < 3570:
            return f"{round(seconds / 60)} min left"
        tens = round(seconds / 600)
        return f"{tens // 6} h {tens % 6 * 10} min left"


class Progress:
    """Follows work through its stages; `on_change` is told of every task, and `state` can be asked at any time.

    >>> now = iter([0.0, 8.0])
    >>> progress = Progress(clock=lambda: next(now))
    >>> progress.plan([Stage("read", 4), Stage("simulate", 12, rounds=3)])
    >>> with progress.stage("read"):
    ...     pass
    >>> state = progress.state()
    >>> state.stage, state.done, 18 < state.seconds_left < 25
    ('read', 0.25, True)
    """

    def __init__(
        self, on_change: Callable[[State], None] | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.on_change, self.clock = on_change, clock
        self._plan: dict[str, Stage] = {}
        self._ended: dict[str, float] = {}
        """Seconds that finished stages took."""
        self._current: str | None = None
        self._last = ""
        self._begun = 0.0
        self._rounds = self._n_tasks = self._n_done = 0
        """Rounds of the current stage that have begun; tasks of the last of them, and how many of these are done."""

    def plan(self, stages: Sequence[Stage]) -> None:
        """Say what is to be done from here on, in order; a stage that is under way or finished keeps its cost."""
        kept = {name: stage for name, stage in self._plan.items() if name in self._ended or name == self._current}
        self._plan = kept | {stage.name: stage for stage in stages if stage.name not in kept}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Work on this stage; one that was not planned costs what it takes."""
        self._current = self._last = name
        self._begun, self._rounds, self._n_tasks, self._n_done = self.clock(), 0, 0, 0
        self._tell()
        try:
            yield
        finally:
            # a new one each time: who asks for the state may do so from another thread
            self._ended = self._ended | {name: self._ended.get(name, 0.0) + self.clock() - self._begun}
            self._current = None
            self._tell()

    def begin_round(self, n_tasks: int) -> None:
        """A map over this many tasks begins."""
        self._rounds, self._n_tasks, self._n_done = self._rounds + 1, n_tasks, 0

    def step(self) -> None:
        """One more task of the round is done."""
        self._n_done += 1
        self._tell()

    def _tell(self) -> None:
        if self.on_change is not None:
            self.on_change(self.state())

    @property
    def finished(self) -> dict[str, float]:
        """Seconds that each finished stage took."""
        return dict(self._ended)

    @property
    def pace(self) -> float:
        """Seconds seen for each second expected."""
        return self._pace(*self._under_way())

    def seconds_for(self, seconds: float) -> float:
        """What work of this expected cost will take, by what has been seen."""
        return seconds * self.pace

    def state(self) -> State:
        """Which stage is under way, how much is done, and how long the rest will take."""
        share, spent = self._under_way()
        total = sum(stage.seconds for stage in self._plan.values())
        if not total:
            return State(self._last, 0.0, None)
        pace = self._pace(share, spent)
        done = waiting = left = 0.0
        for name, stage in self._plan.items():
            if name == self._current:
                done += share * stage.seconds
                left = self._left_of_current(stage, share, spent, pace)
            elif name in self._ended:
                done += stage.seconds
            else:
                waiting += stage.seconds
        return State(self._last, min(done / total, 1.0), left + waiting * pace)

    def _under_way(self) -> tuple[float, float]:
        """The share of the current stage that is done, and the seconds it has taken."""
        if self._current is None:
            return 0.0, 0.0
        spent = self.clock() - self._begun
        stage = self._plan.get(self._current)
        if stage is None or not stage.seconds:
            return 0.0, spent
        if stage.rounds:
            done = max(self._rounds - 1, 0) + (self._n_done / self._n_tasks if self._n_tasks else 0.0)
            return min(done / stage.rounds, 1.0), spent
        # nothing is told: by the clock, as if the pace of the others were its own
        return min(spent / max(stage.seconds * self._pace(0.0, 0.0), 1e-9), 1 - _OVERDUE), spent

    def _pace(self, share: float, spent: float) -> float:
        ended = [(self._plan[name].seconds, seen) for name, seen in self._ended.items() if name in self._plan]
        if self._current in self._plan and self._plan[self._current].rounds and share:
            ended.append((share * self._plan[self._current].seconds, spent))
        doubt = _DOUBT * sum(stage.seconds for stage in self._plan.values())
        if not doubt:
            return 1.0
        return (doubt + sum(seen for _, seen in ended)) / (doubt + sum(expected for expected, _ in ended))

    def _left_of_current(self, stage: Stage, share: float, spent: float, pace: float) -> float:
        by_plan = (1 - share) * stage.seconds * pace
        if not stage.rounds or not share:
            return by_plan
        own, trust = spent * (1 - share) / share, share / (share + _TRUST)
        return trust * own + (1 - trust) * by_plan
