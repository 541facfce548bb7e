"""Calibration: the slope is not flattened by noise, intervals cover ratings of new players, and a file keeps it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.chess.record.evaluations import Conventions, Evaluations
from ludometer.chess.strength.calibration import Calibration, calibrate, load_calibration, make_calibration
from ludometer.chess.strength.gains import Filters, measure_gains
from ludometer.chess.strength.monotone import fit_monotone
from ludometer.chess.strength.strengths import measure_strengths
from ludometer.errors import LudometerError
from ludometer.moves.gains import pool_gains
from ludometer.moves.uncertainty import Intervals
from tests.chess.simulated import simulate

SLOPE, SCATTER = 0.083, 6.0


def draw_units(rng: np.random.Generator, n: int) -> tuple[Floats, Floats, Floats]:
    """Ratings, differences and their errors, as measured on real games: 72 points of d for 829 of rating."""
    rating, error = rng.uniform(1800, 2700, n), rng.uniform(5, 20, n)
    return rating, -250 + SLOPE * (rating - 1800) + rng.normal(0, SCATTER, n) + rng.normal(0, error), error


def made(rng: np.random.Generator, n: int = 40) -> Calibration:
    return make_calibration(tuple(f"P{k}" for k in range(n)), *draw_units(rng, n))


def test_prediction_intervals_cover_the_ratings_of_new_players() -> None:
    rng = np.random.default_rng(3)
    hits, slopes = [], []
    for _ in range(8):
        found = made(rng)
        slopes.append(found.slope[0])
        for rating, difference, error in zip(*draw_units(rng, 25), strict=True):
            # whether or not the estimate is refused for lying outside the range, the set must cover
            low, high = found.fit.invert_interval(difference, error, found.range, 0.95)
            hits.append((low is None or low <= rating) and (high is None or rating <= high))
    assert abs(np.mean(hits) - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 100)
    # ratings regressed on noisy differences would give 1 / slope 30% too small
    assert np.mean(slopes) == pytest.approx(SLOPE, abs=3 * np.std(slopes, ddof=1) / np.sqrt(8))


def test_held_out_players_are_counted() -> None:
    check = made(np.random.default_rng(4), 60).held_out
    assert check.n + check.n_refused == 60
    assert check.coverage is not None
    assert check.coverage > 0.95 - 3 * np.sqrt(0.95 * 0.05 / check.n)
    assert check.rms_error is not None
    assert check.mean_width is not None
    assert check.mean_width > check.rms_error


def test_outside_its_range_it_refuses() -> None:
    found = made(np.random.default_rng(5))
    low, high = found.range
    inside = found.predict(float(found.fit.value(np.array([(low + high) / 2]))[0]), 10.0)
    assert inside.elo == pytest.approx((low + high) / 2, abs=1e-3)
    assert inside.reason is None
    for difference, word in ((-400.0, "below"), (0.0, "above")):
        refused = found.predict(difference, 10.0)
        assert refused.elo is None
        assert str(refused.reason).startswith(word)
    assert found.predict(-np.inf, 10.0).reason == "no estimate yet"
    assert found.predict(-220.0, np.nan).reason == "too few games"


def test_a_larger_error_in_the_difference_gives_a_wider_interval() -> None:
    found = made(np.random.default_rng(6), 80)
    spans = [found.predict(-215.0, error).interval for error in (2.0, 20.0)]
    widths = [span[1] - span[0] for span in spans if span and span[0] is not None and span[1] is not None]
    assert len(widths) == 2
    assert widths[1] > 1.5 * widths[0]


def test_the_fit_rises_and_bends_where_the_data_bend() -> None:
    x = np.linspace(0, 100, 60)
    bent = np.where(x < 50, x, 50 + 0.1 * (x - 50))
    rng = np.random.default_rng(7)
    fit = fit_monotone(x, bent + rng.normal(0, 1, 60), np.ones(60))
    assert fit.n_pieces > 1
    grid = fit.value(np.linspace(-20, 120, 200))
    assert (np.diff(grid) > 0).all()
    falling = fit_monotone(x, -x, np.ones(60))
    assert (np.diff(falling.value(x)) > 0).all()
    straight = fit_monotone(x, 2 * x + rng.normal(0, 1, 60), np.full(60, 0.5))
    weight = np.polynomial.Polynomial.fit(x, straight.value(x), 1)
    assert weight(100) - weight(0) == pytest.approx(200, rel=0.02)
    # errors of 0.5 are stated, points scatter by 1
    assert straight.scatter == pytest.approx(np.sqrt(0.75), abs=0.3)


def rated_games(seed: int, n_players: int = 12, rounds: int = 11) -> Evaluations:
    ratings = np.linspace(1800, 2700, n_players)
    losses = 60 * np.exp(-(ratings - 1800) / 300)
    rng = np.random.default_rng(seed)
    schedule = [(k, (k + 1 + r) % n_players) for r in range(rounds) for k in range(n_players)]
    games = simulate(rng, losses, schedule, ratings=ratings)
    return Evaluations.of_games(games, conventions=Conventions("Fish 1", 10))


def test_a_calibration_from_rated_games_puts_players_on_their_scale(tmp_path: Path) -> None:
    games = rated_games(1)
    # the engine's gain of 0 sees only who plays its move, which is the same for all here: pooled gains see losses
    reference = pool_gains(measure_gains(games))
    found = calibrate(games, reference=reference, intervals=Intervals(replicates=200))
    assert len(found.names) == 12
    assert found.slope[1] > 0
    fresh = measure_strengths(rated_games(2), reference=reference, intervals=Intervals(replicates=200))
    elo = found.apply(fresh)
    known = dict(zip(fresh.names, fresh.rating, strict=True))
    pairs = [(entry.elo, known[name]) for name, entry in elo.items() if entry.elo is not None]
    assert len(pairs) >= 8
    assert np.corrcoef(np.array(pairs).T)[0, 1] > 0.9
    # on the scale of the ratings, not on the paper's, which is many times narrower
    assert np.polyfit([rating for _, rating in pairs], [value for value, _ in pairs], 1)[0] == pytest.approx(
        1, abs=0.25
    )
    found.save(tmp_path / "fish.json")
    again = load_calibration(tmp_path / "fish.json")
    assert again.to_dict() == found.to_dict()
    assert again.apply(fresh) == elo
    assert "held out" in again.summary()
    assert len(again.plot().to_dict()["layer"]) == 3
    assert again.to_frame().height == 12


def test_other_conventions_are_refused() -> None:
    found = calibrate(rated_games(1), intervals=Intervals(replicates=50))
    other = rated_games(2)
    for strengths, word in (
        (
            measure_strengths(other.with_mate_value(1000), intervals=Intervals(replicates=50)),
            "mate_value 1000 instead of 3900",
        ),
        (measure_strengths(other, filters=Filters(skip_plies=10), intervals=Intervals(replicates=50)), "filters"),
        (
            measure_strengths(other, reference=pool_gains(measure_gains(other)), intervals=Intervals(replicates=50)),
            "reference 'pooled ",
        ),
    ):
        with pytest.raises(LudometerError, match=word):
            found.apply(strengths)


def test_bands_serve_where_players_have_a_game_each() -> None:
    rng = np.random.default_rng(8)
    ratings = rng.uniform(1800, 2700, 240)
    losses = 60 * np.exp(-(ratings - 1800) / 600)
    games = Evaluations.of_games(simulate(rng, losses, [(2 * k, 2 * k + 1) for k in range(120)], ratings=ratings))
    with pytest.raises(LudometerError, match="try bands"):
        calibrate(games, intervals=Intervals(replicates=50))
    found = calibrate(
        games, units="band", bands=12, reference=pool_gains(measure_gains(games)), intervals=Intervals(replicates=100)
    )
    assert len(found.names) == 12
    parts = np.array_split(np.sort(ratings), 12)
    np.testing.assert_allclose(found.rating, [part.mean() for part in parts])
    assert found.slope[1] > 0


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    for text, word in (("{", "not a calibration"), ("[]", "not a calibration"), ('{"format": "x"}', "expected")):
        path.write_text(text)
        with pytest.raises(LudometerError, match=word):
            load_calibration(path)
    whole = made(np.random.default_rng(9)).to_dict()
    del whole["points"]
    path.write_text(json.dumps(whole))
    with pytest.raises(LudometerError, match="damaged"):
        load_calibration(path)
    with pytest.raises(LudometerError, match=r"none\.json: no such file"):
        load_calibration(tmp_path / "none.json")
    with pytest.raises(LudometerError, match="cannot be read"):
        load_calibration(tmp_path)
    with pytest.raises(LudometerError, match="needs 8 players"):
        make_calibration(("a",), np.ones(1), np.ones(1), np.ones(1))
