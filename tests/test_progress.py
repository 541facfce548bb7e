"""Stages, their costs and the time left, with a clock of our own."""

from __future__ import annotations

import pytest

from ludometer.progress import Progress, Stage, State


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


PLAN = [Stage("best fit", 2), Stage("luck", 20), Stage("yardsticks", 60, rounds=3), Stage("checks", 18, rounds=1)]


def play(
    progress: Progress, clock: Clock, *, pace: float, wrong: dict[str, float] | None = None
) -> list[tuple[float, State]]:
    """Do the planned work on a machine of this pace, where some stages cost more than planned: moments and states."""
    seen = []
    progress.plan(PLAN)
    for stage in PLAN:
        seconds = stage.seconds * pace * (wrong or {}).get(stage.name, 1.0)
        with progress.stage(stage.name):
            for _ in range(stage.rounds or 1):
                if stage.rounds:
                    progress.begin_round(12)
                for _ in range(12):
                    clock.now += seconds / 12 / (stage.rounds or 1)
                    if stage.rounds:
                        progress.step()
                    seen.append((clock.now, progress.state()))
    return seen


@pytest.mark.parametrize("pace", [0.5, 1.0, 2.5])
def test_time_left_is_right_within_a_factor_of_two_on_slower_and_faster_machines(pace: float) -> None:
    clock = Clock()
    seen = play(Progress(clock=clock), clock, pace=pace)
    begin, end = 100.0, seen[-1][0]
    for moment, state in seen:
        share = (moment - begin) / (end - begin)
        if 0.05 < share < 0.99:
            assert state.seconds_left is not None
            assert 0.5 < state.seconds_left / (end - moment) < 2, (share, state)
    assert seen[-1][1].done == pytest.approx(1)
    assert seen[-1][1].seconds_left == pytest.approx(0)


@pytest.mark.parametrize("wrong", [{"luck": 2.0}, {"luck": 0.5}, {"yardsticks": 1.6, "checks": 1.6}])
def test_a_stage_that_costs_other_than_planned_does_not_spoil_it(wrong: dict[str, float]) -> None:
    clock = Clock()
    seen = play(Progress(clock=clock), clock, pace=1.5, wrong=wrong)
    end = seen[-1][0]
    for moment, state in seen:
        if 0.25 < (moment - 100) / (end - 100) < 0.97:
            assert state.seconds_left is not None
            assert 0.5 < state.seconds_left / (end - moment) < 2, (moment, state)


def test_done_never_falls_on_a_steady_machine() -> None:
    clock = Clock()
    done = [state.done for _, state in play(Progress(clock=clock), clock, pace=1.0)]
    assert done == sorted(done)


def test_a_new_plan_keeps_what_is_done() -> None:
    clock = Clock()
    progress = Progress(clock=clock)
    progress.plan([Stage("best fit", 5), Stage("rest", 5)])
    with progress.stage("best fit"):
        clock.now += 10
        progress.plan([Stage("best fit", 1000), Stage("luck", 45)])
    state = progress.state()
    assert state.stage == "best fit"
    assert state.done == pytest.approx(0.1)
    assert progress.pace == pytest.approx((2.5 + 10) / (2.5 + 5))
    assert state.seconds_left == pytest.approx(45 * progress.pace)
    assert progress.seconds_for(2) == pytest.approx(2 * progress.pace)


def test_without_a_plan_nothing_is_promised() -> None:
    progress = Progress()
    with progress.stage("read"):
        progress.step()
        assert progress.state() == State("read", 0.0, None)


def test_who_listens_is_told_of_stages_and_tasks() -> None:
    told: list[tuple[str, float]] = []
    progress = Progress(lambda state: told.append((state.stage, state.done)), clock=lambda: 0.0)
    progress.plan([Stage("luck", 1), Stage("checks", 3, rounds=1)])
    with progress.stage("luck"):
        pass
    with progress.stage("checks"):
        progress.begin_round(3)
        progress.step()
        progress.step()
    assert told == [
        *(("luck", 0), ("luck", 0.25)),
        *(("checks", 0.25), ("checks", 0.5), ("checks", 0.75), ("checks", 1)),
    ]
