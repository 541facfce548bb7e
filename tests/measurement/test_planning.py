"""What a measurement costs, and the best answer within a budget, with a clock of our own."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema
import numpy as np
import pytest

from ludometer.journal import Journal
from ludometer.matches import Matches
from ludometer.measurement import Budget, LuckChoices, Measurement, WithinBudget, measure
from ludometer.measurement.planning import CHECKS, STAGES, YARDSTICKS, Cost, Extent
from ludometer.parallel import Workers
from ludometer.progress import Progress, State
from ludometer.report.page import render_page
from ludometer.report.schema import load_schema
from ludometer.simulate import simulate_strengths


class Machine:
    """A clock that tasks move on as on a machine of this pace, and all that is told."""

    seconds = {"best fit": 0.3, "pairing": 0.1, "luck": 0.8, "random opponents": 0.1}  # noqa: RUF012
    of_task = {"yardsticks": 6e-3, "more replicates": 6e-3, "repeats": 2e-3, "checks": 0.08}  # noqa: RUF012

    def __init__(self, pace: float) -> None:
        self.now, self.pace, self.told = 0.0, pace, list[State]()

    def __call__(self) -> float:
        return self.now

    def tell(self, state: State) -> None:
        is_new = not self.told or self.told[-1].stage != state.stage
        self.told.append(state)
        cost = self.seconds.get(state.stage, 0.0) if is_new else self.of_task.get(state.stage, 0.0)
        self.now += cost * self.pace


COSTS = {
    "best fit": Cost(0.3),
    "pairing": Cost(0.1),
    "yardsticks": Cost(0.05, 0.0, 1.5e-3, 1e-7),
    "likelihood": Cost(0.2),
    "luck": Cost(0.8),
    "repeats": Cost(0.02, 0.0, 5e-4, 4e-8),
    "random opponents": Cost(0.1),
    "checks": Cost(0.05, 0.0, 1.5e-3, 1e-7),
}


@pytest.fixture(autouse=True)
def costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the machine, whatever they are measured to be elsewhere."""
    monkeypatch.setattr("ludometer.measurement.planning._TWO_PLAYERS", COSTS)


@cache
def record() -> Matches:
    return simulate_strengths(30, 900, sd=150, draws=0.2, seed=4)


FEW = LuckChoices(draws=200)


@cache
def whole(replicates: int | None = None) -> Measurement:
    return measure(record(), seed=3, replicates=replicates, luck=FEW)


def within(seconds: float, machine: Machine) -> Measurement:
    return measure(record(), seed=3, progress=Progress(machine.tell, clock=machine), budget=Budget(seconds), luck=FEW)


def document(game: Measurement) -> dict[str, Any]:
    """The JSON document, once its schema and the reasons for its nulls were checked."""
    found: dict[str, Any] = json.loads(json.dumps(game.document(), allow_nan=False))
    one = load_schema("measure")
    entry = next(way for way in one["oneOf"] if way["description"] == "One file.")
    entry = entry | {"required": [name for name in entry["required"] if name != "provenance"], "$defs": one["$defs"]}
    jsonschema.validate(found, entry)
    nulls = set(_nulls(found))
    reasons = set(found["absent"])
    assert {place for place in nulls if not any(place == r or place.startswith(f"{r}.") for r in reasons)} == set()
    return found


def _nulls(value: Any, place: str = "") -> list[str]:
    if value is None:
        return [place]
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [name for key, part in parts for name in _nulls(part, f"{place}.{key}".strip("."))]


def test_a_budget_that_is_enough_changes_nothing() -> None:
    game = within(1e6, Machine(1.0))
    assert game.budget == WithinBudget(1e6, 119, 119, (), ())
    assert game.budget.remarks() == []
    assert document(game) == document(whole()) | {"budget": document(game)["budget"]}
    assert game.summary() == whole().summary()


def test_too_little_time_leaves_the_quick_measures_and_says_why() -> None:
    game = within(0.1, Machine(1.0))
    assert game.verdict is None
    assert game.yardstick is None
    assert game.luck is None
    assert game.budget is not None
    assert game.budget.left_out == ("yardsticks", "likelihood", "luck", "repeats", "random opponents", "checks")
    found = document(game)
    reason = "left out: the budget of 0.1 s did not leave time for it"
    assert {found["absent"][name] for name in ("luck", "verdict", "yardstick.matched", "best_fit.k_interval")} == {
        reason
    }
    assert "within 0.1 s: left out: the yardsticks and the verdict; the better player's share; L" in game.summary()
    page = render_page([("a game", game)], command="ludometer measure --budget 0.1")
    assert "its budget of time was too short" in page
    assert "--quick" not in page
    assert game.spread[0].sd == whole().spread[0].sd


def test_a_short_budget_gives_parts_that_can_be_asked_for_again() -> None:
    found = {}
    for pace in (1.3, 2.0, 4.0):
        machine = Machine(pace)
        game = within(4.0, machine)
        assert machine.now < 4.4
        assert game.budget is not None
        found[pace] = game.budget
        document(game)
        assert game.yardstick is not None
        again = whole(game.budget.replicates)
        assert again.yardstick is not None
        np.testing.assert_array_equal(game.yardstick.chess.solutions, again.yardstick.chess.solutions)
        assert game.verdict is not None
        assert again.verdict is not None
        n_checks = len(game.verdict.checks)
        assert [check.name for check in again.verdict.checks[n_checks:]] == list(game.budget.checks_left_out)
        if game.yardstick.answer == again.yardstick.answer:
            assert game.verdict.checks == again.verdict.checks[:n_checks]
        if game.budget.checks_left_out:
            assert "left out for lack of time" in game.verdict.reasons[-1]
        if game.budget.left_out or game.budget.checks_left_out:
            assert "left out: " in game.summary()
    counts = {budget.replicates for budget in found.values()}
    assert counts <= {19, 39, 59, 79, 99, 119}
    assert len(counts) > 1
    assert any(budget.checks_left_out for budget in found.values())


def test_fewer_replicates_than_39_are_said_to_be_less_sure() -> None:
    assert WithinBudget(9, 19, 119, (), ()).remarks() == [
        "within 9 s: 19 instead of 119 simulated games for each yardstick; their intervals hold 90%, not 95% "
        "(--replicates 19 asks for the same)"
    ]
    assert "intervals" not in WithinBudget(9, 39, 119, (), ()).remarks()[0]
    assert WithinBudget(9, 39, 39, ("luck",), ("a", "b")).remarks() == [
        "within 9 s: left out: L and ℓ²; 2 checks (a, b)"
    ]


def test_costs_grow_with_seats_and_shrink_with_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    small, large = Extent(2_000, True), Extent(2_000_000, True)
    for name in STAGES:
        assert 0 < small.stage(name, 100).seconds < large.stage(name, 100).seconds
    shared = Extent(2_000_000, True, jobs=4)
    for name in (YARDSTICKS, CHECKS):
        assert shared.stage(name, 400).seconds == pytest.approx(large.stage(name, 400).seconds / 4, rel=0.1)
    assert Extent.of(record()) == Extent(1_800, True)


@pytest.mark.parametrize("n_lines", [2, 40, 100])
def test_a_measurement_that_was_interrupted_goes_on_to_the_same_bytes(tmp_path: Any, n_lines: int) -> None:
    path = tmp_path / "run.jsonl"
    with Journal(path) as journal:
        assert document(measure(record(), seed=3, luck=FEW, journal=journal)) == document(whole())
        assert journal.n_found == 0
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) > 100
    path.write_bytes(b"".join(lines[:n_lines]) + lines[n_lines][:-7])
    with Journal(path) as journal:
        game = measure(record(), seed=3, luck=FEW, journal=journal, workers=Workers(jobs=2))
        assert journal.n_found >= n_lines - 1
    assert document(game) == document(whole())
