"""Which x counts: routes that agree, routes that do not, seats that may be listings, checks that equal their parts."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.matches import Matches
from ludometer.measurement import measure
from ludometer.measurement.verdict.routes import LIKELIHOOD, SPREAD
from ludometer.simulate import simulate_deterministic
from tests.measurement.test_edge import play


def test_on_a_clean_record_the_routes_agree_and_the_spread_is_taken() -> None:
    game = measure(simulate_deterministic(200, 6000, x=60, seed=3), brief=True, replicates=39)
    assert game.routes is not None
    assert game.routes.taken == SPREAD
    assert game.routes.likelihood is not None
    low, high = game.routes.likelihood.deterministic.interval
    assert low - 1 <= 60 <= high + 1
    assert abs(game.routes.backwards or 0) < 4
    assert game.luck is None
    assert game.verdict is not None
    assert game.verdict.answer == "skill"


def test_under_a_queue_the_likelihood_is_taken_and_covers() -> None:
    game = measure(play(11, 0.6, window=12), brief=True, replicates=39)
    assert game.routes is not None
    assert game.yardstick is not None
    assert game.routes.taken == LIKELIHOOD
    low, high = game.yardstick.deterministic.interval
    assert low - 1 <= 60 <= high + 1
    assert game.routes.spread.deterministic.interval[0] > 62
    assert game.verdict is not None
    assert any("whoever was made to meet whom" in reason for reason in game.verdict.reasons)
    assert game.verdict.reasons[0].startswith("on random pairs ratings would spread")
    document = game.document()
    assert document["record"]["reactive"]["suspected"]
    assert document["edge"]["interval"][0] <= 0.81


@pytest.mark.parametrize("seed", [12, 13])
def test_few_cheats_do_not_make_a_game_of_chance_one_of_skill(seed: int) -> None:
    game = measure(play(seed, 0.2, cheats=0.05), brief=True, replicates=39)
    assert game.verdict is not None
    assert game.verdict.answer in ("cannot tell", "chance")


def test_a_check_is_what_its_part_of_the_record_says_alone() -> None:
    matches = simulate_deterministic(120, 5000, x=60, seed=5)
    whole = measure(matches, replicates=19, seed=2)
    assert whole.verdict is not None
    check = next(check for check in whole.verdict.checks if check.name == "first half of the record")
    alone = measure(matches.part(0, 2500), brief=True, replicates=19, seed=2)
    assert alone.routes is not None
    assert check.x_deterministic == pytest.approx(alone.routes.spread.deterministic.estimate, abs=0.5)
    assert check.x_chess == pytest.approx(alone.routes.spread.chess.estimate, abs=0.8)


def test_smaller_groups_too_is_the_same_as_asking_for_them() -> None:
    inside, outside = simulate_deterministic(80, 3000, x=60, seed=6), simulate_deterministic(40, 1500, x=60, seed=7)
    first = np.concatenate((inside.pairs.first, 80 + outside.pairs.first))
    second = np.concatenate((inside.pairs.second, 80 + outside.pairs.second))
    matches = Matches.of_pairs(first, second, np.concatenate((inside.pairs.halves, outside.pairs.halves)))
    apart = measure(matches, replicates=19, seed=1)
    assert apart.verdict is not None
    (check,) = [check for check in apart.verdict.checks if check.kind == "component"]
    together = measure(matches, min_component=1, brief=True, replicates=19, seed=1)
    assert together.routes is not None
    assert check.x_deterministic == pytest.approx(together.routes.spread.deterministic.estimate, abs=0.5)


def test_favourites_listed_first_may_be_a_seat_and_the_interval_holds_both() -> None:
    game = simulate_deterministic(200, 6000, x=60, seed=8)
    pairs, order = game.pairs, np.argsort(np.argsort(_points(game)))
    swapped = order[pairs.first] < order[pairs.second]
    first, second = np.where(swapped, pairs.second, pairs.first), np.where(swapped, pairs.first, pairs.second)
    listed = Matches.of_pairs(first, second, np.where(swapped, 2 - pairs.halves, pairs.halves).astype(np.int8))
    found = measure(listed, brief=True, replicates=39)
    assert found.routes is not None
    assert found.routes.seated is not None
    assert found.verdict is not None
    assert found.verdict.answer == "cannot tell"
    assert any("listed first" in reason for reason in found.verdict.reasons)


def _points(matches: Matches) -> Floats:
    pairs, n = matches.pairs, len(matches.players)
    won = np.bincount(pairs.first, weights=pairs.score, minlength=n)
    won += np.bincount(pairs.second, weights=1 - pairs.score, minlength=n)
    return np.asarray(won / np.maximum(matches.counts, 1))
