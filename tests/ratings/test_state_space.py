"""The state-space ratings: the filter against its twin, halves against the whole, known truth, and bad cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludometer.errors import MatchDataError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings.state_space.parameters import Parameters
from ludometer.ratings.state_space.plain import PlainFilter
from ludometer.ratings.state_space.runs import PairRuns
from ludometer.ratings.state_space.system import FittedStateSpace
from ludometer.scale import ELO

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
