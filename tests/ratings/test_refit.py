"""The filter whose past is smoothed again: nothing looks ahead, two halves are the whole, and hindsight pays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.catalogue import make_system
from ludometer.ratings.state_space.history import rate_history
from ludometer.ratings.state_space.parameters import Parameters
from ludometer.ratings.state_space.refit import Refit, RefitStateSpace
from ludometer.ratings.state_space.system import FittedStateSpace, StateSpace
from tests.ratings.test_history import FULL, simulate, simulate_paths


def test_two_halves_are_the_whole() -> None:
    system = RefitStateSpace(FittedStateSpace(FULL), days=200)
    matches = simulate(n_matches=100, seed=1)
    whole, expected = system.play(system.start(0), matches)
    for cut in (1, 37, 62, 99):
        half, before = system.play(system.start(0), matches.part(0, cut))
        end, after = system.play(half, matches.part(cut, 100))
        assert np.concatenate((before, after)).tolist() == expected.tolist()
        assert system.ratings(end).tolist() == system.ratings(whole).tolist()
        assert system.uncertainty(end).tolist() == system.uncertainty(whole).tolist()


def test_forecasts_do_not_look_ahead() -> None:
    system = RefitStateSpace(FittedStateSpace(Parameters(spread=300, drift=100)), days=100)
    matches = simulate(n_matches=100, seed=2)
    pairs, half = matches.pairs, 50
    swapped = np.concatenate((pairs.score[:half], 1 - pairs.score[half:]))
    other = Matches.of_pairs(
        pairs.first,
        pairs.second,
        swapped,
        time=matches.time,
        weight=np.asarray(matches.weight),
        advantage=matches.advantages,
    )
    (_, one), (_, two) = (system.play(system.start(0), played) for played in (matches, other))
    assert one[: half + 1].tolist() == two[: half + 1].tolist()
    assert (one[half + 1 :] != two[half + 1 :]).any()


def test_beliefs_after_a_refit_are_those_of_the_history() -> None:
    parameters = Parameters(spread=300, drift=100, learning=20)
    matches = simulate(n_matches=80, seed=3)
    system = RefitStateSpace(FittedStateSpace(parameters), days=50)
    state, _ = system.play(system.start(0), matches)
    history = rate_history(matches, system=FittedStateSpace(parameters)).at_end()
    assert system.ratings(state) == pytest.approx(history.rating, abs=1e-3)


def test_hindsight_pays() -> None:
    parameters = Parameters(spread=500, drift=30)
    gains = []
    for seed in range(3):
        matches, _ = simulate_paths(parameters, 100, 3000, 1000, seed)
        filtered = FittedStateSpace(parameters)
        losses = []
        systems: list[Any] = [filtered, RefitStateSpace(filtered, days=250)]
        for system in systems:
            _, expected = system.play(system.start(0), matches)
            score = matches.pairs.score[1000:]
            losses.append(-np.log(np.where(score == 1, expected[1000:], 1 - expected[1000:])).mean())
        gains.append(losses[0] - losses[1])
    assert np.mean(gains) > 0.001


def test_fit_keeps_what_is_given_and_never_judges_worse_than_the_filter() -> None:
    parameters = Parameters(spread=300, drift=60)
    matches, _ = simulate_paths(parameters, 40, 900, 1000, 5)
    fitted = Refit(StateSpace({"drift": 60.0}), days=300).fitted(matches, in_sample=True)
    assert fitted.system.values.drift == 60
    assert fitted.system.values.form == 0
    assert fitted.parameters["refit"] == 300
    whole = Refit(StateSpace(parameters.document()), days=300).fitted(matches, in_sample=True)
    assert whole.system.values == parameters


def test_users_write_a_number_of_days() -> None:
    system = make_system("state-space:refit=90,drift=20")
    assert system == Refit(StateSpace({"drift": 20.0}), 90.0)
    assert system.parameters["refit"] == 90
    with pytest.raises(LudometerError, match="a number of days above 0"):
        make_system("state-space:refit=0")
    with pytest.raises(LudometerError, match="no part for form"):
        RefitStateSpace(FittedStateSpace(Parameters(form=20)))
