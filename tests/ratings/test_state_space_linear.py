"""The state-space model over teams, several sides, covariates and margins: twins, known truth, untidy records."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.kernels.state_space import filter as rows
from ludometer.kernels.state_space import linear as kernel
from ludometer.matches import Matches, Seats
from ludometer.players import Labels
from ludometer.ratings.driver import rate
from ludometer.ratings.prizes import make_prizes, seat_columns
from ludometer.ratings.saved import SavedState, from_bytes, to_bytes
from ludometer.ratings.state_space.design import Known, Sides, make_design
from ludometer.ratings.state_space.effects import Effect
from ludometer.ratings.state_space.fitting import Fit, fit
from ludometer.ratings.state_space.linear import (
    LinearRuns,
    effect_ingredients,
    margins,
    pack_extras,
    pack_kinds,
    possible_effects,
)
from ludometer.ratings.state_space.packing import days_of, pack_tables, pack_values
from ludometer.ratings.state_space.parameters import INGREDIENTS, Parameters
from ludometer.ratings.state_space.runs import new_careers
from ludometer.ratings.state_space.system import FittedStateSpace, StateSpace
from ludometer.scale import from_elo, to_elo

PLAIN = Parameters()
RICH = Parameters(
    spread=250,
    drift=90,
    match_drift=3,
    advantage=40,
    entry_drift=60,
    opponent_share=0.3,
    pairing=0.2,
    pairing_new=1.5,
    learning=15,
    young_drift=2,
    information=0.8,
    activity=12,
    rust=20,
    form=70,
    later_places=0.8,
    margin=0.9,
)


def run_pass(matches: Matches, parameters: Parameters, play: Any, *, by_order: bool = False) -> dict[str, Any]:
    """Everything that a pass over these matches writes."""
    effects = parameters.effects
    design = make_design(matches, effects, [Known() for _ in effects], len(matches.players))
    n = design.n_players + len(design.kind)
    wrote = {
        "career": new_careers(n),
        "belief": np.zeros(n * rows.ROWS),
        "level": np.zeros(rows.LEVELS),
        "clock": np.array([-np.inf]),
        "scaled": np.zeros(len(design.sides.place)),
        "middle": np.zeros(len(matches)),
        "loss": np.zeros(len(matches)),
    }
    play(
        design.sides.sides,
        design.terms,
        design.entity,
        design.load,
        design.slot,
        design.sides.place,
        design.sides.ranked,
        days_of(matches.time, len(matches), -np.inf),
        matches.advantages,
        np.zeros(0) if matches.weight is None else matches.weight,
        margins(matches, design.sides) if parameters.margin else np.zeros(0),
        design.kind,
        pack_kinds([effects])[:, 0].copy(),
        wrote["career"],
        wrote["belief"],
        wrote["level"],
        wrote["clock"],
        pack_values([parameters])[:, 0].copy(),
        pack_extras([parameters])[:, 0].copy(),
        pack_tables([parameters], 100)[:, 0].copy(),
        wrote["scaled"],
        wrote["middle"],
        wrote["loss"],
        np.zeros(kernel.scratch_rows(design.most_sides, design.most_terms)),
        by_order,
    )
    return wrote


def random_pairs(n: int = 300, n_players: int = 12, seed: int = 0, **columns: Any) -> Matches:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_players, n)
    second = (first + rng.integers(1, n_players, n)) % n_players
    time = np.sort(rng.integers(0, n // 3, n))
    return Matches.of_pairs(first, second, rng.integers(0, 3, n) / 2, time=time, **columns)


def random_seats(n: int = 80, n_players: int = 15, most: int = 6, seed: int = 1, **columns: Any) -> Matches:
    """Matches of two to `most` players, with ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, most + 1, n)
    player = np.concatenate([rng.permutation(n_players)[:size] for size in sizes])
    place = np.concatenate([rng.integers(1, size + 1, size) for size in sizes])
    time = np.sort(rng.integers(0, n // 2, n))
    return Matches.of_seats(np.append(0, np.cumsum(sizes)), player, place, time=time, **columns)


def random_teams(n: int = 80, n_players: int = 14, seed: int = 2, **columns: Any) -> Matches:
    """Matches of two or three sides of one to three players."""
    rng = np.random.default_rng(seed)
    player, side, place, sizes = [], [], [], []
    for _ in range(n):
        in_side = rng.integers(1, 4, rng.integers(2, 4))
        player += rng.permutation(n_players)[: in_side.sum()].tolist()
        names = np.repeat(np.arange(len(in_side)), in_side)
        order = rng.permutation(len(names))
        side += names[order].tolist()
        place += rng.integers(1, 4, len(in_side))[names[order]].tolist()
        sizes.append(len(names))
    time = np.sort(rng.integers(0, n // 2, n))
    return Matches.of_seats(np.append(0, np.cumsum(sizes)), player, place, side=side, time=time, **columns)


def rich_columns(matches: Matches, seed: int = 3) -> Matches:
    """With covariates of all kinds, per match and per seat, some of them unknown."""
    rng = np.random.default_rng(seed)
    n, n_seats = len(matches), len(matches.seats.player)
    height = rng.normal(size=n)
    height[::7] = np.nan
    return matches.with_columns(
        advantage=rng.integers(-1, 2, n).tolist(),
        weight=rng.exponential(1, n) + 0.1,
        covariates={"surface": rng.choice(["clay", "grass", ""], n), "height": height},
        seat_covariates={"car": rng.choice(["A", "B", "C", ""], n_seats), "grid": rng.normal(size=n_seats)},
        score=rng.integers(0, 5, n_seats).astype(float),
    )


EFFECTS = (
    Effect("surface", "player", sd=80),
    Effect("surface", "all", sd=300),
    Effect("height", "all", sd=300),
    Effect("height", "player", sd=40),
    Effect("car", "all", sd=200, drift=100),
    Effect("car", "player", sd=50),
    Effect("grid", "all", sd=300),
    Effect("advantage", "player", sd=60),
)


@pytest.mark.parametrize("parameters", [PLAIN, RICH], ids=["plain", "rich"])
@pytest.mark.parametrize("weighted", [False, True])
def test_plain_pairs_are_those_of_the_pair_filter(parameters: Parameters, weighted: bool) -> None:
    rng = np.random.default_rng(5)
    columns: dict[str, Any] = {"weight": rng.exponential(1, 300) + 0.1} if weighted else {}
    matches = random_pairs(advantage=rng.integers(-1, 2, 300), **columns)
    linear = run_pass(matches, parameters, kernel.linear_pass)
    n_players, pairs = len(matches.players), matches.pairs
    career, belief = new_careers(n_players), np.zeros(n_players * rows.ROWS)
    level, clock = np.zeros(rows.LEVELS), np.array([-np.inf])
    expected, middle, loss = np.zeros(300), np.zeros(300), np.zeros(300)
    rows.filter_pass(
        pairs.first,
        pairs.second,
        pairs.halves,
        days_of(matches.time, 300, -np.inf),
        matches.advantages,
        np.zeros(0) if matches.weight is None else matches.weight,
        career,
        belief,
        level,
        clock,
        pack_values([parameters])[:, 0].copy(),
        pack_tables([parameters], 100)[:, 0].copy(),
        expected,
        middle,
        loss,
    )
    np.testing.assert_allclose(_logistic(linear["scaled"][::2] - linear["scaled"][1::2]), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(linear["middle"], middle, rtol=0, atol=1e-12)
    np.testing.assert_allclose(linear["loss"], loss, rtol=0, atol=1e-12)
    np.testing.assert_allclose(linear["belief"], belief, rtol=0, atol=1e-12)
    np.testing.assert_allclose(linear["level"], level, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(linear["career"], career)


RECORDS: dict[str, Any] = {
    "pairs": random_pairs,
    "seats": random_seats,
    "teams": random_teams,
    "pairs with columns": lambda: rich_columns(random_pairs(120)),
    "seats with columns": lambda: rich_columns(random_seats()),
    "teams with columns": lambda: rich_columns(random_teams()),
    "many": lambda: random_seats(12, 60, 40),
}


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("parameters", [PLAIN, RICH], ids=["plain", "rich"])
@pytest.mark.parametrize("by_order", [False, True])
def test_the_kernel_is_its_plain_twin(name: str, parameters: Parameters, by_order: bool) -> None:
    matches = RECORDS[name]()
    if matches.covariates:
        parameters = replace(parameters, effects=EFFECTS)
    fast = run_pass(matches, parameters, kernel.linear_pass, by_order=by_order)
    plain = run_pass(matches, parameters, kernel.linear_pass_plain, by_order=by_order)
    for key, expected in plain.items():
        np.testing.assert_allclose(fast[key], expected, rtol=1e-12, atol=1e-12, err_msg=key)


def test_eight_lanes_are_eight_passes() -> None:
    matches = rich_columns(random_teams())
    every = replace(RICH, effects=EFFECTS)
    candidates = [every, replace(every, drift=9, later_places=0.5), every.moved({"player car: sd": 0.0})]
    run = LinearRuns.of(matches).begin(candidates)
    losses = np.concatenate((run.play(0, 30), run.play(30, len(matches))))
    alone = [run_pass(matches, one, kernel.linear_pass)["loss"] for one in candidates]
    np.testing.assert_allclose(losses, np.transpose(alone), rtol=0, atol=1e-10)


def test_a_record_with_other_words_for_the_same_values_goes_on_where_the_first_ended() -> None:
    """Two halves, whose labels have other codes, are the whole, bit for bit."""
    matches = rich_columns(random_teams(), seed=7)
    system = FittedStateSpace(replace(RICH, effects=EFFECTS))
    whole, expected = system.play(system.start(0), matches)
    half, first = system.play(system.start(0), matches.part(0, 40))
    rest = matches.part(40, len(matches))
    surfaces = rest.covariates["surface"]
    assert isinstance(surfaces, Labels)
    renamed = Labels(len(surfaces.names) - 1 - surfaces.code, surfaces.names.reverse())
    rest = rest.with_columns(covariates={**rest.covariates, "surface": renamed})
    done, second = system.play(half, rest)
    np.testing.assert_array_equal(np.concatenate((first, second)), expected)
    np.testing.assert_array_equal(done.belief, whole.belief)
    for own, other in zip(done.effects, whole.effects, strict=True):
        assert own.known.names == other.known.names
        np.testing.assert_array_equal(own.known.keys, other.known.keys)
        np.testing.assert_array_equal(own.belief, other.belief)


def test_what_evaluate_plays_uses_the_columns_too() -> None:
    matches = rich_columns(random_pairs(80))
    system = FittedStateSpace(replace(RICH, effects=EFFECTS))
    state, expected = system.play(system.start(0), matches)
    other, forecasts, level = system.play_with_levels(system.start(0), matches)
    np.testing.assert_array_equal(forecasts, expected)
    np.testing.assert_array_equal(other.belief, state.belief)
    assert level[0] == pytest.approx(1500, abs=200)
    assert level.std() > 0


def test_a_state_with_effects_is_saved() -> None:
    matches = rich_columns(random_teams(), seed=8)
    system = FittedStateSpace(replace(RICH, effects=EFFECTS))
    whole = rate(matches, state=SavedState(StateSpace(), system, system.start(0)))
    first = rate(matches.part(0, 40), state=SavedState(StateSpace(), system, system.start(0)))
    assert first.state is not None
    assert whole.state is not None
    loaded = from_bytes(to_bytes(first.state))
    done = rate(matches, state=loaded)
    np.testing.assert_array_equal(done.rating, whole.rating)
    effects = loaded.state.effects
    with pytest.raises(LudometerError, match="beliefs of"):
        replace(effects[0], belief=effects[0].belief[:-1])


def test_pairs_in_the_list_layout_are_pairs() -> None:
    matches = random_pairs(100)
    table = matches.seats
    prize = np.where(table.place == 1, 1.0, 0.0)
    listed = Matches.of_seats(table.starts, table.player, table.place, time=matches.time, prize=prize)
    assert isinstance(listed.table, Seats)
    system = FittedStateSpace(Parameters(spread=250, drift=90))
    state, expected = system.play(system.start(0), matches)
    other, shares = system.play(system.start(0), listed)
    np.testing.assert_allclose(shares[::2], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(system.ratings(other), system.ratings(state), rtol=0, atol=1e-9)
    places = system.expect_places(state, np.array([3, 5]))
    np.testing.assert_allclose(places[0, 0], system.expect(state, np.array([3]), np.array([5]))[0], rtol=0, atol=1e-12)


def test_a_drawn_order_moves_nobody_between_equals() -> None:
    for n in (2, 3, 5):
        matches = Matches.of_seats([0, n], np.arange(n), np.ones(n), prize=np.ones(n))
        system = FittedStateSpace()
        state, expected = system.play(system.start(0), matches)
        np.testing.assert_allclose(expected, 1 / n, rtol=0, atol=1e-12)
        np.testing.assert_allclose(system.ratings(state), 1500.0, rtol=0, atol=1e-9)
        assert (system.uncertainty(state) < system.uncertainty(system.start(1))[0]).all()


@pytest.mark.parametrize("rule", ["winner", "linear", "top-heavy"])
def test_forecasts_are_shares_of_the_prizes(rule: str) -> None:
    prizes = make_prizes(rule)
    matches = random_seats(40, seed=9)
    system = FittedStateSpace(RICH, prizes=prizes)
    _, expected = system.play(system.start(0), matches)
    table = matches.seats
    _, score = seat_columns(table, prizes)
    np.testing.assert_allclose(
        np.add.reduceat(expected, table.starts[:-1]), np.add.reduceat(score, table.starts[:-1]), rtol=0, atol=1e-9
    )
    sides = Sides.of(matches)
    scaled = run_pass(matches, RICH, kernel.linear_pass)["scaled"]
    plain = np.empty(len(scaled))
    kernel.expect_sides_plain(sides.sides, scaled, seat_columns(table, prizes)[0], plain)
    np.testing.assert_allclose(expected, plain, rtol=0, atol=1e-9)


def test_players_of_a_side_share_what_it_gets() -> None:
    matches = Matches.of_seats([0, 4], [0, 1, 2, 3], [1, 2, 1, 2], side=["a", "b", "a", "b"])
    system = FittedStateSpace()
    state, expected = system.play(system.start(0), matches)
    np.testing.assert_allclose(expected, 0.25, rtol=0, atol=1e-12)
    rating = system.ratings(state)
    assert rating[0] == rating[2] > 1500 > rating[1] == rating[3]
    uneven = Matches.of_seats([0, 3], [0, 1, 2], [1, 1, 2], side=["a", "a", "b"])
    with pytest.raises(MatchDataError, match="sides of different sizes"):
        replace(system, prizes=make_prizes("linear")).play(system.start(0), uneven)


def test_who_plays_more_of_the_match_moves_more() -> None:
    matches = Matches.of_seats(
        [0, 4], [0, 1, 2, 3], [1, 1, 2, 2], side=[0, 0, 1, 1], seat_covariates={"minutes": [90, 30, np.nan, 60]}
    )
    assert Sides.of(matches).share.tolist() == [0.75, 0.25, 0.5, 0.5]
    system = FittedStateSpace()
    rating = system.ratings(system.play(system.start(0), matches)[0]) - 1500
    assert rating[0] == pytest.approx(3 * rating[1])
    assert rating[2] == pytest.approx(rating[3])
    assert not possible_effects(matches)
    nobody = matches.with_columns(seat_covariates={"minutes": [0, 0, 1, 1]})
    assert Sides.of(nobody).share.tolist() == [0.5, 0.5, 0.5, 0.5]
    with pytest.raises(MatchDataError, match=r"minutes must be at least 0.*row 2"):
        Sides.of(matches.with_columns(seat_covariates={"minutes": [1, -1, 1, 1]}))


def test_a_weight_counts_like_as_many_matches_and_never_overshoots() -> None:
    def leads(weight: list[float]) -> list[float]:
        n = len(weight)
        matches = Matches.of_pairs([0] * n, [1] * n, [1] * n, weight=weight)
        system = FittedStateSpace(Parameters(spread=300, drift=0, match_drift=0))
        state, _ = system.play(system.start(0), matches)
        return [float(value) for value in (system.ratings(state)[0] - 1500, system.uncertainty(state)[0])]

    assert leads([1.0]) == pytest.approx(leads([1.0 + 1e-12]), abs=1e-6)
    for n in (2, 4):
        (lead, doubt), (repeated, repeated_doubt) = leads([float(n)]), leads([1.0] * n)
        assert lead == pytest.approx(repeated, rel=0.25)
        assert doubt == pytest.approx(repeated_doubt, rel=0.1)
    # a million wins say no more than that the lead is large
    assert 0 < leads([1e6])[0] < 1000
    assert leads([0.5])[0] < leads([1.0])[0] < leads([3.0])[0]


def test_columns_that_cannot_help_are_left_out_with_a_reason(caplog: pytest.LogCaptureFixture) -> None:
    matches = random_pairs(60).with_columns(
        covariates={
            "surface": ["clay"] * 60,
            "event": [f"event {number}" for number in range(60)],
            "height": [2.0] * 60,
            "unknown": [np.nan] * 60,
            "indoors": ["yes", "no"] * 30,
        }
    )
    with caplog.at_level("WARNING"):
        effects = possible_effects(matches)
    # on neutral ground nothing that both sides have in common can favour one of them
    assert [effect.label for effect in effects] == ["player indoors"]
    said = " ".join(caplog.messages)
    for reason in ("surface: it is always 'clay'", "event: hardly a value", "height: it never", "unknown: it never"):
        assert reason in said
    home = matches.with_columns(advantage="order")
    assert [effect.label for effect in possible_effects(home)] == ["indoors", "player indoors", "player advantage"]


def test_a_column_of_the_parameters_must_be_there() -> None:
    system = FittedStateSpace(Parameters(effects=(Effect("surface", "player", sd=80),)))
    with pytest.raises(MatchDataError, match="fitted with the column 'surface'"):
        system.play(system.start(0), random_pairs(10))


def test_an_unknown_value_counts_as_the_mean() -> None:
    effects = (Effect("height", "all", sd=300, centre=2.0, unit=3.0),)
    pairs = random_pairs(40, advantage="order")
    values = np.full(40, 5.0)
    values[20:] = np.nan
    mean = np.where(np.isnan(values), 2.0, values)
    first, second = (
        run_pass(pairs.with_columns(covariates={"height": own}), Parameters(effects=effects), kernel.linear_pass)
        for own in (values, mean)
    )
    np.testing.assert_array_equal(first["scaled"], second["scaled"])


def test_parameters_with_effects_are_read_back() -> None:
    parameters = replace(RICH, effects=EFFECTS)
    assert Parameters.of(json.loads(json.dumps(parameters.document()))) == parameters
    assert parameters.moved({"player car: sd": 7.0, "drift": 3.0}).value("player car: sd") == 7.0
    with pytest.raises(LudometerError, match="an effect has column"):
        Parameters.of({"effects": [{"colour": "red"}]})
    with pytest.raises(LudometerError, match="must be at least 0"):
        Effect("surface", sd=-1)


def test_scores_become_margins_for_the_winner() -> None:
    # low scores win in golf: who is ahead is what the result says
    golf = Matches.of_pairs([0, 0, 0], [1, 1, 1], [1, 0, 0.5], score=[68, 70, 70, 68, 69, np.nan])
    margin = margins(golf, Sides.of(golf))
    np.testing.assert_allclose(margin[:2], [np.log(3), -np.log(3)])
    assert np.isnan(margin[2])


DAYS = 2000
"""Of a simulated record."""


def walks(rng: np.random.Generator, n_players: int, spread: float, drift: float) -> Any:
    """Strengths by day and player, in natural units."""
    steps = rng.normal(0, from_elo(drift) / np.sqrt(365.25), (DAYS, n_players))
    return rng.normal(0, from_elo(spread), n_players) + np.cumsum(steps, axis=0)


def meetings(rng: np.random.Generator, n: int, n_players: int = 60) -> tuple[Any, ...]:
    """Days, two players each, and how much stronger the first one is."""
    day = np.sort(rng.integers(0, DAYS, n))
    strength = walks(rng, n_players, 200, 60)
    first = rng.integers(0, n_players, n)
    second = (first + rng.integers(1, n_players, n)) % n_players
    return day, first, second, strength[day, first] - strength[day, second]


def decide(rng: np.random.Generator, lead: Any) -> Any:
    return (rng.random(len(lead)) < 1 / (1 + np.exp(-lead))).astype(float)


def fit_effects(matches: Matches, *labels: str, has: tuple[str, ...] = ("time",), first: int = 0) -> Fit:
    """The fit of a record with these effects tried, after the first ingredients of the list."""
    effects = possible_effects(matches)
    tried = [one for one in effect_ingredients(effects) if one.name in labels]
    ingredients = [*INGREDIENTS[:first], *tried]
    return fit(LinearRuns.of(matches), frozenset(has), fixed={"effects": effects}, ingredients=ingredients)


def assert_recovered(found: Fit, **truth: float) -> None:
    for name, value in truth.items():
        off = (found.parameters.value(name) - value) / found.errors[name]
        assert abs(off) < 2.6, f"{name}: {found.parameters.value(name):.3f} ± {found.errors[name]:.3f}, not {value}"


def assert_calibrated(found: Fit, matches: Matches) -> None:
    """Forecasts after the cold start come true, in ten bins of as many."""
    kept = tuple(effect for effect in found.parameters.effects if effect.sd)
    system = FittedStateSpace(replace(found.parameters, effects=kept))
    _, expected = system.play(system.start(0), matches)
    late = slice(len(matches) // 5, None)
    p, y = expected[late], matches.pairs.score[late]
    for rows_of_bin in np.array_split(np.argsort(p), 10):
        error = (y[rows_of_bin] - p[rows_of_bin]).sum() / np.sqrt((p * (1 - p))[rows_of_bin].sum())
        assert abs(error) < 3.5


def test_strengths_of_players_in_doubles_are_found() -> None:
    rng = np.random.default_rng(0)
    n = 4000
    strength = walks(rng, 60, 150, 80)
    day = np.sort(rng.integers(0, DAYS, n))
    player = np.array([rng.choice(60, 4, replace=False) for _ in range(n)])
    won = decide(rng, strength[day[:, None], player] @ [1, 1, -1, -1])
    place = np.where(won[:, None] > 0, [1, 1, 2, 2], [2, 2, 1, 1])
    side = np.tile([0, 0, 1, 1], n)
    matches = Matches.of_seats(np.arange(0, 4 * n + 1, 4), player.ravel(), place.ravel(), time=day, side=side)
    found = fit(LinearRuns.of(matches), frozenset({"time"}), ingredients=())
    assert_recovered(found, spread=150, drift=80)
    system = FittedStateSpace(found.parameters)
    state, _ = system.play(system.start(0), matches)
    error = (system.ratings(state) - 1500 - to_elo(strength[-1])) / system.uncertainty(state)
    assert np.mean(np.abs(error) < 1.96) > 0.85


def test_drifting_strengths_in_races_are_found() -> None:
    rng = np.random.default_rng(1)
    n, size = 1200, 8
    strength = walks(rng, 50, 200, 150)
    day = np.sort(rng.integers(0, DAYS, n))
    player = np.array([rng.choice(50, size, replace=False) for _ in range(n)])
    performance = strength[day[:, None], player] + rng.gumbel(size=(n, size))
    place = 1 + np.argsort(np.argsort(-performance, axis=1), axis=1)
    matches = Matches.of_seats(np.arange(0, size * n + 1, size), player.ravel(), place.ravel(), time=day)
    assert_recovered(
        fit(LinearRuns.of(matches, by_order=True), frozenset({"time"}), ingredients=()), spread=200, drift=150
    )
    # all places tell the same here, so that they count the same
    found = fit(LinearRuns.of(matches), frozenset({"time", "several sides"}), ingredients=INGREDIENTS[1:2])
    assert_recovered(found, spread=200, drift=150)
    assert [trial.kept for trial in found.trials] == [False]


def test_later_places_count_less_where_they_are_chance() -> None:
    rng = np.random.default_rng(2)
    n, size = 1500, 8
    strength = walks(rng, 40, 250, 100)
    day = np.sort(rng.integers(0, DAYS, n))
    player = np.array([rng.choice(40, size, replace=False) for _ in range(n)])
    performance = strength[day[:, None], player] + rng.gumbel(size=(n, size))
    rank = np.argsort(np.argsort(-performance, axis=1), axis=1)
    # behind the first two, the order is drawn by lot
    place = 1 + np.where(rank < 2, rank, 2 + np.argsort(np.argsort(rng.random((n, size)), axis=1), axis=1))
    matches = Matches.of_seats(np.arange(0, size * n + 1, size), player.ravel(), place.ravel(), time=day)
    found = fit(LinearRuns.of(matches), frozenset({"time", "several sides"}), ingredients=INGREDIENTS[1:2])
    assert [trial.kept for trial in found.trials] == [True]
    assert found.parameters.later_places < 0.8


def test_what_a_surface_does_to_players_is_found() -> None:
    rng = np.random.default_rng(3)
    day, first, second, lead = meetings(rng, 6000)
    surface = rng.integers(0, 3, 6000)
    own = rng.normal(0, from_elo(120.0), (60, 3))
    won = decide(rng, lead + own[first, surface] - own[second, surface])
    named = np.array(["clay", "grass", "hard"])[surface]
    matches = Matches.of_pairs(first, second, won, time=day, covariates={"surface": named})
    found = fit_effects(matches, "player surface")
    assert_recovered(found, **{"player surface: sd": 120.0})
    assert found.trials[0].gain > 3 * found.trials[0].error
    assert_calibrated(found, matches)


def test_home_strength_and_a_shared_effect_are_found() -> None:
    rng = np.random.default_rng(4)
    day, first, second, lead = meetings(rng, 6000)
    home = rng.normal(from_elo(60.0), from_elo(120.0), 60)
    rest = rng.normal(3, 2, (6000, 2))
    won = decide(rng, lead + home[first] + from_elo(40.0) * (rest[:, 0] - rest[:, 1]))
    matches = Matches.of_pairs(first, second, won, time=day, advantage="order", seat_covariates={"rest": rest})
    found = fit_effects(matches, "rest", "player rest", "player advantage", has=("time", "advantage"), first=1)
    kept = {trial.ingredient: trial.kept for trial in found.trials}
    assert kept == {"advantage": True, "rest": True, "player rest": False, "player advantage": True}
    assert_recovered(found, advantage=60)
    assert_calibrated(found, matches)
    system = FittedStateSpace(replace(found.parameters, effects=tuple(e for e in found.parameters.effects if e.sd)))
    state, _ = system.play(system.start(0), matches)
    rested, homes = state.effects
    listed = system.effects(state, matches.players)
    assert listed.columns == ["column", "value", "player", "points", "sd"]
    assert set(listed["column"]) == {"rest", "advantage"}
    assert listed.filter(listed["column"] == "rest")["points"][0] == pytest.approx(40, abs=6)
    best = listed.filter(listed["column"] == "advantage").row(0, named=True)
    assert home[int(best["player"])] > np.quantile(home, 0.8)
    assert system.effects(system.start(0), matches.players).is_empty()
    slope = to_elo(rested.belief[0, rows.MEAN]) / system.values.effects[0].unit
    doubt = to_elo(np.sqrt(rested.belief[0, rows.VARIANCE])) / system.values.effects[0].unit
    assert slope == pytest.approx(40, abs=3 * doubt)
    assert np.corrcoef(homes.belief[:, rows.MEAN], home[homes.known.keys])[0, 1] > 0.7


def test_margins_are_used_where_they_tell() -> None:
    rng = np.random.default_rng(5)
    day, first, second, lead = meetings(rng, 12_000, 500)
    # 100 points add 0.3; the noise is such that who is ahead follows the logistic curve closely
    noise = 0.3 * to_elo(1.702) / 100
    margin = 0.3 * to_elo(lead) / 100 + rng.normal(0, noise, 12_000)
    score = np.column_stack((np.sign(margin) * np.expm1(np.abs(margin)), np.zeros(12_000)))
    matches = Matches.of_pairs(first, second, margin > 0, time=day, score=score)
    runs = LinearRuns.of(matches)
    found = fit(runs, frozenset({"time", *runs.features}), ingredients=INGREDIENTS[2:3])
    assert_recovered(found, spread=200, drift=60, margin=noise)
    assert found.trials[0].gain > 2 * found.trials[0].error
    # scores that say nothing beyond who won
    lots = np.column_stack((np.sign(margin) * rng.integers(1, 9, 12_000), np.zeros(12_000)))
    runs = LinearRuns.of(matches.with_columns(score=lots))
    found = fit(runs, frozenset({"time", *runs.features}), ingredients=INGREDIENTS[2:3])
    assert [trial.kept for trial in found.trials] == [False]


def test_the_system_finds_by_itself_what_a_record_needs() -> None:
    rng = np.random.default_rng(6)
    day, first, second, lead = meetings(rng, 1500, 30)
    surface = rng.integers(0, 2, 1500)
    own = rng.normal(0, from_elo(200.0), (30, 2))
    won = decide(rng, lead + own[first, surface] - own[second, surface])
    named = np.array(["clay", "grass"])[surface]
    matches = Matches.of_pairs(first, second, won, time=day, covariates={"surface": named})
    system = StateSpace().fitted(matches, in_sample=True)
    assert [effect.label for effect in system.values.effects] == ["player surface"]
    assert any("in what surface does to them" in text for text in system.parameters["in_words"])
    json.dumps(system.parameters)


def _logistic(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))
