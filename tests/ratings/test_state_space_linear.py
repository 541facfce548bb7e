"""The state-space model over teams, several sides, covariates and margins: twins, known truth, untidy records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ludometer.kernels.state_space import filter as rows
from ludometer.kernels.state_space import linear as kernel
from ludometer.matches import Matches
from ludometer.ratings.state_space.design import Known, make_design
from ludometer.ratings.state_space.effects import Effect
from ludometer.ratings.state_space.linear import margins, pack_extras, pack_kinds
from ludometer.ratings.state_space.packing import days_of, pack_tables, pack_values
from ludometer.ratings.state_space.parameters import Parameters
from ludometer.ratings.state_space.runs import new_careers

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
    margin=0.3,
    margin_noise=0.9,
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
        margins(matches, design.sides),
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
    level, clock, logit, loss = np.zeros(rows.LEVELS), np.array([-np.inf]), np.zeros(300), np.zeros(300)
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
        logit,
        np.zeros(0),
        loss,
    )
    np.testing.assert_allclose(linear["scaled"][::2] - linear["scaled"][1::2], logit, rtol=0, atol=1e-12)
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
