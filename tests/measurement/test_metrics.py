"""The luck metrics of a record in one call, and their agreement with the functions they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.measurement import LuckChoices, measure_entropy_luck, measure_luck, measure_population
from ludometer.measurement.luck.luck import shift_by_change
from ludometer.scale import elo_to_probit
from ludometer.simulate import simulate_coin, simulate_strengths
from ludometer.strength import fit_skills


def test_the_metrics_are_what_their_functions_say_alone() -> None:
    matches = simulate_strengths(30, 1500, sd=150, draws=0.1, seed=3)
    luck = measure_luck(matches, choices=LuckChoices(draws=400), seed=7)
    skills = fit_skills(matches)
    alone = measure_population(matches, ess=400, budget=100_000, seed=7)
    assert luck.ridge is not None
    assert luck.population is not None
    assert luck.ridge.l2 == skills.l2()
    assert luck.ridge.luck == measure_entropy_luck(skills).luck
    assert (luck.population.l2, luck.population.ess) == (alone.l2, alone.ess)
    assert luck.absent == {}


def test_the_truth_lies_in_the_interval_and_a_coin_is_all_luck() -> None:
    skilled = measure_luck(simulate_strengths(60, 4000, sd=200, seed=1), choices=LuckChoices(draws=400))
    coin = measure_luck(simulate_coin(60, 4000, seed=1), choices=LuckChoices(draws=400))
    assert skilled.population is not None
    assert coin.population is not None
    low, high = skilled.population.l2_interval
    assert low < 1 / (1 + elo_to_probit(200.0) ** 2) < high
    assert coin.population.l2_interval[1] > 0.98
    assert coin.ridge is not None
    assert coin.ridge.luck > 0.99


def test_skills_that_change_show_in_the_halves() -> None:
    # everybody's skill is drawn anew in the middle of the record
    halves = [simulate_strengths(60, 4000, sd=250, seed=seed) for seed in (1, 2)]
    both = Matches.of_pairs(
        *(np.concatenate([getattr(half.pairs, name) for half in halves]) for name in ("first", "second", "score"))
    )
    changing = shift_by_change(measure_luck(both, choices=LuckChoices(draws=400)))
    lasting = shift_by_change(
        measure_luck(simulate_strengths(60, 8000, sd=250, seed=1), choices=LuckChoices(draws=400))
    )
    assert changing is not None
    assert lasting is not None
    assert changing[0] > 4 * changing[1]
    assert abs(lasting[0]) < 3 * lasting[1]


def test_what_cannot_be_told_has_its_reason() -> None:
    ties = measure_luck(Matches.of_pairs([0, 1, 2], [1, 2, 0], [0.5, 0.5, 0.5]))
    assert ties.ridge is None
    assert ties.population is None
    assert "ties" in ties.absent["luck.ridge"]
    assert "ties" in ties.absent["luck.bayes"]
    chain = Matches.of_pairs([0, 1, 0], [1, 2, 2], [1, 1, 1])
    separated = measure_luck(chain, choices=LuckChoices(ridge=0.0, draws=0))
    assert separated.ridge is None
    assert separated.absent["luck.bayes"] == "left out by --luck-draws 0"
    assert "0" in separated.absent["luck.ridge"]


def test_matches_of_several_have_their_own_models() -> None:
    matches = simulate_strengths(40, 600, sd=200, per_match=4, seed=2)
    luck = measure_luck(matches, choices=LuckChoices(draws=200))
    assert luck.ridge is not None
    assert luck.population is not None
    assert (luck.ridge.model, luck.ridge.per_match, luck.ridge.path, luck.variance_ratio) == (
        "plackett-luce",
        4,
        None,
        None,
    )
    low, high = luck.population.l2_interval
    assert low < 0.52 < high  # normal skills of SD 200 with Gumbel performances are near 0.957 SDs of performance


def test_cross_validation_chooses_the_ridge() -> None:
    matches = simulate_strengths(30, 1500, sd=50, seed=3)
    luck = measure_luck(matches, choices=LuckChoices(ridge="cv", draws=0))
    assert luck.ridge is not None
    assert luck.ridge.path is not None
    assert luck.ridge.skills.ridge == luck.ridge.path.best


@pytest.mark.parametrize(
    "wrong", [{"ridge": -1.0}, {"ridge": float("nan")}, {"link": "cloglog"}, {"prior": "flat"}, {"draws": -1}]
)
def test_choices_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(LudometerError):
        LuckChoices(**wrong)  # type: ignore[arg-type]
