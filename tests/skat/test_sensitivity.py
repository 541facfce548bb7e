"""Ratings by chance factors and K in the form of Table VIII; K and start for wanted ratings; when ratings settle."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError
from ludometer.ratings.scores.elo import SeriesElo
from ludometer.ratings.scores.starting_position import adjust_for_position
from ludometer.skat.fixpoints import find_fixpoints, study_fixpoints
from ludometer.skat.sensitivity import choose_step_and_start, measure_sensitivity
from tests.ratings.simulated_series import series_of, simulate_series

GOLDEN = Path(__file__).parents[1] / "golden"


def test_the_table_has_the_papers_rows_and_columns_and_moves_as_it_does() -> None:
    printed = pl.read_csv(GOLDEN / "edelkamp_table8.csv", comment_prefix="#").cast(pl.Float64)
    record, _ = simulate_series(700, 2_329, seed=1)
    keys = list(dict.fromkeys((int(a), int(b)) for a, b in printed.select("i1", "i2").rows()))
    ks = printed["K"].unique().sort().to_list()
    table = measure_sensitivity(dict.fromkeys(keys, record), k=ks).to_frame()
    assert table.select("i1", "i2", "k").cast(pl.Float64).rows() == printed.select("i1", "i2", "K").rows()
    for frame, tops in ((printed, ["q10", "q25", "q75", "q90"]), (table, ["top_10", "top_25", "top_75", "top_90"])):
        columns = frame.select("max", *tops, "min").to_numpy()
        assert (np.diff(columns, axis=1) < 0).all()
        for start in range(0, 16, 4):
            # a larger K drives the best up and the worst down
            assert (np.diff(frame["max"].to_numpy()[start : start + 4]) > 0).all()
            assert (np.diff(frame["min"].to_numpy()[start : start + 4]) < 0).all()
    # the formulas keep the mean exactly, which the printed table does not
    assert table["mean"].to_list() == [850.0] * 16
    assert np.abs(printed["mean"].to_numpy() - 850).max() < 1


def test_chance_taken_out_narrows_the_spread() -> None:
    record, _ = simulate_series(100, 2_000, luck=300, seed=2)
    adjusted = adjust_for_position(record, coefficient=1).series
    table = measure_sensitivity({0: record, 1: adjusted}, names=["i3"], k=[0.08]).to_frame()
    assert table["sd"][1] < table["sd"][0]
    assert measure_sensitivity({"raw": record}, k=[0.02]).to_frame()["factors"].to_list() == ["raw"]
    assert "max" in measure_sensitivity({0: record}, names=["i3"]).summary()
    assert measure_sensitivity({(0, 0): record}).plot().to_dict()["layer"]
    with pytest.raises(LudometerError, match="does not tell"):
        measure_sensitivity({(1, 2, 3): record})


def test_quantiles_are_the_tops() -> None:
    record, _ = simulate_series(11, 300, seed=3)
    row = (
        measure_sensitivity({(0, 0): record}, k=[0.05], system=SeriesElo(start_rating=850))
        .to_frame()
        .row(0, named=True)
    )
    system = SeriesElo(k=0.05, start_rating=850)
    ratings = np.sort(system.ratings(system.settle(system.start(11), record)))[::-1]
    assert row["top_10"] == pytest.approx(ratings[1], abs=0.01)
    assert row["top_90"] == pytest.approx(ratings[9], abs=0.01)
    assert row["sd"] == pytest.approx(ratings.std(ddof=1), abs=0.01)


def test_k_and_start_put_good_and_weak_players_where_they_are_wanted() -> None:
    record, _ = simulate_series(60, 3_000, mean=870, spread=130, seed=4)
    chosen = choose_step_and_start(record)
    assert chosen.good == pytest.approx(1100, abs=1)
    assert chosen.weak == pytest.approx(650, abs=1)
    system = SeriesElo(k=chosen.k, start_rating=chosen.start)
    state = system.settle(system.start(0), record)
    ratings = np.sort(system.ratings(state))
    assert ratings[-6:].mean() == pytest.approx(chosen.good, abs=1e-6)
    assert chosen.noise == pytest.approx(state.sd * math.sqrt(chosen.k / 2))
    assert "wanted 1100" in chosen.summary()
    # where all are equal, only noise could reach it: K runs into the border
    equal, _ = simulate_series(60, 3_000, mean=870, spread=0, sd=50, seed=4)
    assert choose_step_and_start(equal).k == pytest.approx(0.2)


def test_the_range_of_k_is_checked_and_players_are_needed() -> None:
    record, _ = simulate_series(10, 20, seed=5)
    with pytest.raises(LudometerError, match="fewer than two"):
        choose_step_and_start(record, min_series=1_000)
    with pytest.raises(LudometerError, match="two numbers above 0"):
        choose_step_and_start(record, min_series=1, k_range=(0.1, 0.01))


def test_without_noise_a_rating_settles_when_its_start_has_faded() -> None:
    # A scores 1000, B and C 700: from 800 the errors 200, -100, -100 shrink by 1 - K each series
    scores = np.tile([1000.0, 700.0, 700.0], 300)
    record = series_of(np.repeat(np.arange(300), 3), list("ABC") * 300, scores)
    found = study_fixpoints({"all": record}, tolerance=20).players
    after = dict(found.select("player", "settled_after").rows())
    assert found["limit"].to_list() == pytest.approx([1000, 700, 700])
    expected = math.ceil(math.log(20 / 200) / math.log(1 - 0.02))
    assert after["A"] == pytest.approx(expected - 1, abs=2)
    assert after["B"] == after["C"] == pytest.approx(math.ceil(math.log(20 / 100) / math.log(1 - 0.02)) - 1, abs=2)


@pytest.mark.parametrize("form", ["proportional", "additive"])
def test_the_fixpoint_is_where_a_small_k_leads_and_near_the_strengths(form: str) -> None:
    record, strength = simulate_series(20, 3_000, seed=8)
    system = SeriesElo(start_rating=850, form=form)  # type: ignore[arg-type]
    limit = find_fixpoints(record, system=system)
    # 450 series each: standard errors of 400 / sqrt(450)
    assert np.sqrt(np.mean((limit - strength) ** 2)) == pytest.approx(400 / math.sqrt(450), rel=0.4)
    small = SeriesElo(k=2e-4, start_rating=850, form=form)  # type: ignore[arg-type]
    state = small.start(20)
    for _ in range(200):
        state = small.settle(state, record)
    np.testing.assert_allclose(small.ratings(state), limit, atol=3)


def test_less_luck_settles_sooner_and_closer() -> None:
    record, strength = simulate_series(40, 4_000, luck=320, seed=6)
    records = {"raw": record, "adjusted": adjust_for_position(record, coefficient=1).series}
    system = SeriesElo(k=0.05, start_rating=850)
    study = study_fixpoints(records, system=system, tolerance=100, limits=dict.fromkeys(records, strength))
    raw, adjusted = study.to_frame().iter_rows(named=True)
    assert adjusted["noise"] < raw["noise"]
    assert adjusted["settled"] > raw["settled"]
    assert adjusted["ratio"] > raw["ratio"]
    # the stationary noise of the formula
    assert raw["noise"] == pytest.approx(400 * math.sqrt(0.05 / 2), rel=0.1)
    assert adjusted["noise"] == pytest.approx(240 * math.sqrt(0.05 / 2), rel=0.1)
    assert len(study.summary().splitlines()) == 3
    assert study.plot().to_dict()["layer"][0]["mark"]["type"] == "line"
    own = study_fixpoints(records, system=system, tolerance=1, relative=True).to_frame()
    assert own["settled"][1] > own["settled"][0]


def test_a_study_needs_players_with_enough_series() -> None:
    record, _ = simulate_series(10, 20, seed=7)
    with pytest.raises(LudometerError, match="no player has at least"):
        study_fixpoints({"a": record}, min_series=100)
    with pytest.raises(LudometerError, match="tolerance"):
        study_fixpoints({"a": record}, tolerance=0)
