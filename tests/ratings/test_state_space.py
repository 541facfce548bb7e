"""The state-space ratings: the filter against its twin, halves against the whole, known truth, and bad cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import rate
from ludometer.ratings.catalogue import make_system
from ludometer.ratings.state_space.fitting import fit
from ludometer.ratings.state_space.parameters import BASIC, INGREDIENTS, Parameters
from ludometer.ratings.state_space.plain import PlainFilter
from ludometer.ratings.state_space.runs import PairRuns
from ludometer.ratings.state_space.system import FittedStateSpace, StateSpace
from ludometer.ratings.systems.elo import Elo
from ludometer.scale import ELO
from tests.ratings.simulated_strengths import simulate

ALL = Parameters(
    spread=220,
    drift=80,
    match_drift=6,
    advantage=40,
    entry_drift=70,
    opponent_share=0.3,
    pairing=0.2,
    pairing_new=1.5,
    pairing_matches=8,
    learning=25,
    learning_matches=3,
    young_drift=2,
    young_matches=10,
    information=0.8,
    activity=10,
    activity_days=40,
    rust=15,
    form=60,
    form_days=50,
)
OFF = Parameters()
SINGLE = (
    "match_drift",
    "advantage",
    "entry_drift",
    "opponent_share",
    "pairing",
    "learning",
    "activity",
    "rust",
    "form",
)


def random_matches(n: int = 400, n_players: int = 25, *, seed: int = 1, weights: bool = False) -> Matches:
    generator = np.random.default_rng(seed)
    first = generator.integers(0, n_players, n)
    second = (first + generator.integers(1, n_players, n)) % n_players
    time = np.sort(generator.integers(0, 700, n)).astype("datetime64[D]")
    columns = {"weight": generator.uniform(0.2, 3, n)} if weights else {}
    return Matches.of_pairs(
        first,
        second,
        generator.integers(0, 3, n).astype(np.int8),
        time=time,
        advantage=generator.integers(-1, 2, n).astype(np.int8),
        players=Players.numbered(n_players),
        **columns,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    "values", [OFF, ALL, *(replace(OFF, **{name: getattr(ALL, name)}) for name in SINGLE)], ids=["off", "all", *SINGLE]
)
def test_the_filter_is_its_plain_twin(values: Parameters) -> None:
    matches = random_matches()
    system, plain = FittedStateSpace(values), PlainFilter(values)
    state, expected = system.play(system.start(0), matches)
    assert expected == pytest.approx(plain.play(matches), abs=1e-12)
    strength = [plain.players[code].mean[0] for code in range(25)]
    assert state.belief[:, 0] * ELO == pytest.approx(strength, abs=1e-8)
    assert state.level[0] * ELO == pytest.approx(plain.entry, abs=1e-8)


def test_weights_count_as_the_twin_counts_them() -> None:
    matches = random_matches(weights=True)
    system = FittedStateSpace(ALL)
    assert system.play(system.start(0), matches)[1] == pytest.approx(PlainFilter(ALL).play(matches), abs=1e-12)


def test_eight_candidates_are_played_like_each_alone() -> None:
    matches = random_matches()
    candidates = [ALL, OFF, replace(ALL, drift=20), replace(ALL, form=0), replace(ALL, pairing=0), replace(ALL, rust=0)]
    losses = PairRuns.of(matches).begin(candidates).play(0, len(matches))
    score = matches.pairs.score
    for lane, values in enumerate(candidates):
        system = FittedStateSpace(values)
        expected = system.play(system.start(0), matches)[1]
        loss = -score * np.log(expected) - (1 - score) * np.log1p(-expected)
        assert losses[:, lane] == pytest.approx(loss, abs=1e-11)


@pytest.mark.parametrize("cut", [1, 137, 399])
def test_two_halves_are_the_whole_to_the_last_bit(cut: int) -> None:
    matches = random_matches()
    system = FittedStateSpace(ALL)
    whole, expected = system.play(system.start(0), matches)
    state, before = system.play(system.start(0), matches.part(0, cut))
    state, after = system.play(state, matches.part(cut, len(matches)))
    assert np.array_equal(np.concatenate((before, after)), expected)
    assert np.array_equal(system.ratings(state), system.ratings(whole))
    assert np.array_equal(system.uncertainty(state), system.uncertainty(whole))


def test_experience_does_not_look_at_the_order_within_a_day() -> None:
    """On one day everybody has played as many matches as at its beginning, so only results can move forecasts."""
    values = Parameters(spread=0.001, drift=0, learning=50, activity=30)
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2)]
    time = np.array(["2024-01-01"] * 4 + ["2024-01-02"], "datetime64[D]")
    first, second = zip(*pairs, (0, 3), strict=True)
    matches = Matches.of_pairs(first, second, [1, 1, 1, 1, 1], time=time)
    system = FittedStateSpace(values)
    expected = system.play(system.start(0), matches)[1]
    assert expected[:4] == pytest.approx(0.5, abs=1e-4)
    assert expected[4] > 0.55


def test_matches_before_the_last_one_are_refused() -> None:
    matches = random_matches()
    system = FittedStateSpace()
    state, _ = system.play(system.start(0), matches.part(200, 400))
    with pytest.raises(MatchDataError, match="before the last one"):
        system.play(state, matches.part(0, 200))


RECOVERED: dict[str, Any] = {
    "strength": {},
    "advantage": {"advantage": 60.0},
    "entry": {"entry_drift": 150.0},
    "learning": {"learning": 40.0, "learning_matches": 4.0},
    "young drift": {"young_drift": 15.0, "young_matches": 30.0},
    "activity": {"activity": 40.0, "activity_days": 40.0},
    "rust": {"rust": 300.0},
    "form": {"form": 150.0, "form_days": 100.0},
    "drift by matches": {"match_drift": 25.0},
}


@pytest.mark.parametrize("name", RECOVERED)
def test_parameters_are_recovered_within_their_intervals(name: str) -> None:
    truth = Parameters(spread=250, drift=80, **RECOVERED[name])
    matches, _ = simulate(truth, 9_000, 300, seed=3)
    ingredients = [one for one in INGREDIENTS if one.name == name]
    found = fit(PairRuns.of(matches), frozenset({"time", "advantage"}), ingredients=ingredients, select=False)
    knobs = [knob for one in (BASIC, *ingredients) for knob in one.knobs]
    assert {knob.name for knob in knobs} == found.errors.keys()
    losses = PairRuns.of(matches).begin([truth, found.parameters]).play(0, len(matches))[len(matches) // 20 :]
    assert 2 * np.subtract(*losses.sum(axis=0)) < chi2.ppf(0.999, len(knobs))
    if name == "drift by matches":
        # the two drifts can hardly be told apart: each interval alone is too short, the joint region is not
        return
    for knob in knobs:
        value, error, true = (
            getattr(found.parameters, knob.name),
            found.errors[knob.name],
            getattr(truth, knob.name),
        )
        away = np.log(value / true) * value / error if knob.is_log else (value - true) / error
        assert abs(away) < 3.3, f"{knob.name}: {value:.1f} ± {error:.1f}, true {true}"


def test_ingredients_that_do_not_pay_are_left_out_and_those_that_do_are_kept() -> None:
    truth = Parameters(spread=250, drift=80, advantage=60, learning=40, learning_matches=4)
    matches, _ = simulate(truth, 12_000, 300, seed=4)
    system = StateSpace().fitted(matches, in_sample=True)
    assert system.fit is not None
    kept = {trial.ingredient for trial in system.fit.trials if trial.kept}
    assert {"advantage"} <= kept
    assert kept & {"entry", "learning"}
    assert not kept & {"pairing", "form", "activity"}
    words = system.parameters["in_words"]
    assert any("the better seat is worth" in sentence for sentence in words)


def test_forecasts_are_calibrated_and_better_than_those_of_a_tuned_elo() -> None:
    matches, truth = simulate(Parameters(spread=250, drift=120, entry_drift=100), 12_000, 300, seed=5)
    half = len(matches) // 2
    system = StateSpace().fitted(matches.part(0, half), in_sample=False)
    expected = system.play(system.start(0), matches)[1][half:]
    score = matches.pairs.score[half:]
    best = 1 / (1 + np.exp(-(truth[half:, 0] - truth[half:, 1]) / ELO))

    def loss(forecast: Floats) -> float:
        return float(-(score * np.log(forecast) + (1 - score) * np.log1p(-forecast)).mean())

    elo = min(loss(Elo(k=k).play(Elo(k=k).start(0), matches)[1][half:]) for k in (16, 24, 32, 48, 64))
    assert loss(best) < loss(expected) < elo - 0.003
    # flat calibration: the regression of results on the forecast's logit has slope 1
    logit = np.log(expected / (1 - expected))
    weight = expected * (1 - expected)
    slope = 1 + float(((score - expected) * logit).sum() / (weight * logit**2).sum())
    assert slope == pytest.approx(1, abs=3.3 / np.sqrt((weight * logit**2).sum()))


def test_the_sd_of_ratings_covers_the_truth() -> None:
    inside = []
    for seed in range(4):
        values = Parameters(spread=250, drift=100)
        matches, truth = simulate(values, 4_000, 150, seed=seed)
        system = FittedStateSpace(values)
        state, _ = system.play(system.start(0), matches)
        last = {int(code): truth[t, side] for t in range(len(matches)) for side, code in enumerate(_codes(matches, t))}
        codes = np.array([*last])
        # everybody's level is free: compare around the mean
        career = FittedStateSpace(replace(values, drift=0.0))
        error = career.ratings(state)[codes] - np.array([*last.values()])
        inside.append(np.abs(error - error.mean()) < 1.96 * career.uncertainty(state)[codes])
    assert 0.92 < np.concatenate(inside).mean() < 0.98


def _codes(matches: Matches, t: int) -> tuple[int, int]:
    return int(matches.pairs.first[t]), int(matches.pairs.second[t])


@pytest.mark.parametrize(
    "matches",
    [
        Matches.of_pairs([0], [1], [1]),
        Matches.of_pairs([0, 0, 0], [1, 1, 1], [1, 1, 1]),
        Matches.of_pairs([0, 0], [1, 2], [0.5, 0.5], time=[5, 5]),
        Matches.of_pairs([0] * 60, [*range(1, 61)], [0] * 60, time=np.arange(60)),
        Matches.of_pairs([0, 2] * 50, [1, 3] * 50, [1, 0] * 50, time=np.arange(100), advantage="order"),
        Matches.of_pairs(np.arange(0, 6_000, 2), np.arange(1, 6_000, 2), np.tile([1, 0], 1_500)),
    ],
    ids=["one match", "one pair", "equal times", "never wins", "two islands", "newcomers only"],
)
def test_poor_records_get_sensible_ratings(matches: Matches) -> None:
    ratings = rate(matches)
    assert ratings.provenance.method == "state-space"
    assert np.isfinite(ratings.rating).all()
    assert ratings.sd is not None
    assert (ratings.sd > 0).all()
    assert np.abs(ratings.rating - 1500).max() < 1500


def test_no_matches_and_wrong_parameters_are_refused() -> None:
    with pytest.raises(MatchDataError, match="no matches"):
        StateSpace().fitted(Matches.of_pairs([], [], []), in_sample=True)
    with pytest.raises(LudometerError, match="drift must be at least 0"):
        make_system("state-space:drift=-1")
    with pytest.raises(LudometerError, match="no parameter 'k'"):
        make_system("state-space:k=3")


def test_given_parameters_stay_and_the_others_are_fitted() -> None:
    matches, _ = simulate(Parameters(spread=250, drift=80), 1_500, 60, seed=6)
    system = make_system("state-space:drift=10")
    fitted = system.fitted(matches, in_sample=True)  # type: ignore[union-attr]
    assert fitted.parameters["drift"] == 10
    assert "spread" in fitted.parameters["errors"]
    assert "drift" not in fitted.parameters["errors"]
