"""What the benchmarks' page shows is what was stored, and a peer that is missing stops nothing."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The modules of the benchmarks, importable by name."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib


def run(*words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-B", *words]
    return subprocess.run(line, capture_output=True, text=True, check=False, cwd=BENCHMARKS.parent)


def test_the_tables_of_the_page_are_up_to_date() -> None:
    done = run(str(BENCHMARKS / "tables.py"), "--check")
    assert done.returncode == 0, done.stderr


def test_a_peer_that_is_not_installed_says_so_and_stops_nothing() -> None:
    if importlib.util.find_spec("elote"):
        pytest.skip("elote is installed here")
    done = run(str(BENCHMARKS / "peers.py"), "--quick", "elote")
    assert done.returncode == 0, done.stderr
    assert "not installed" in done.stdout


def test_an_unknown_peer_is_refused() -> None:
    done = run(str(BENCHMARKS / "peers.py"), "--quick", "nobody")
    assert done.returncode != 0
    assert "nobody" in done.stderr


def test_the_peers_that_are_measured_are_the_peers_that_are_locked(load: ModuleType) -> None:
    peers = load.import_module("peers")
    locked = (BENCHMARKS.parent / "requirements" / "benchmarks.in").read_text(encoding="utf-8")
    pinned = {line.partition("==")[0] for line in locked.splitlines() if "==" in line}
    forecasting = {peer.package for peer in load.import_module("forecasts").PEERS} - {"ludometer"}
    assert set(peers.PEERS) | forecasting == pinned


def test_a_missing_peer_has_a_line_in_the_table(load: ModuleType) -> None:
    tables = load.import_module("tables")
    lines = tables.peers_table([{"peer": "elote", "missing": "not installed"}])
    assert any("elote" in line and "not installed" in line for line in lines)


def test_tournaments_have_the_seats_that_were_asked_for_and_nobody_twice(load: ModuleType) -> None:
    tournaments = load.import_module("tournaments")
    record = tournaments.simulate_tournaments(20_000, n_players=2_000, seed=1)
    assert record.height == 20_000
    sizes = record.group_by("match").len()["len"].to_numpy()
    assert sizes.min() >= tournaments.FEWEST
    assert abs(np.median(sizes) - tournaments.MEDIAN) <= 3
    assert record.select("match", "player").is_duplicated().sum() == 0
    matches = record.group_by("player").len()["len"].to_numpy()
    assert matches.max() > 10 * np.median(matches)
    assert record.equals(tournaments.simulate_tournaments(20_000, n_players=2_000, seed=1))


def test_an_answer_that_moved_is_told_from_one_that_did_not(load: ModuleType) -> None:
    answer = load.import_module("answer")
    old = {"value": 50.0, "interval": [40.0, 60.0], "draws": 119}
    same = answer.compare_figure(old, {"value": 51.0, "interval": [41.0, 58.0], "draws": 119})
    assert answer.is_same(same)
    assert not answer.is_same(answer.compare_figure(old, {"value": 53.0, "interval": [40.0, 60.0], "draws": 119}))
    assert not answer.is_same(answer.compare_figure(old, {"value": 50.0, "interval": [40.0, 70.0], "draws": 119}))
    assert not answer.is_same(answer.compare_figure(old, {"value": None, "interval": None, "draws": None}))
    # without intervals before and now there is nothing to compare
    assert answer.compare_figure({**old, "interval": None}, {**old, "interval": None}) is None


def test_ends_of_intervals_scatter_by_the_error_that_is_assumed(load: ModuleType) -> None:
    answer = load.import_module("answer")
    rng = np.random.default_rng(2)
    draws = rng.standard_normal((400, 2, 119))
    errors = []
    for pair in draws:
        old, new = (
            {"value": 0.0, "interval": np.quantile(part, [0.025, 0.975]).tolist(), "draws": 119} for part in pair
        )
        errors += answer.compare_figure(old, new)["ends"]
    # quantiles of 119 draws scatter a little less than those of very many
    assert 0.75 < np.std(errors) < 1.1


def test_the_stored_answers_have_what_is_compared(load: ModuleType) -> None:
    answer = load.import_module("answer")
    before = load.import_module("schedules").stored("answers_before")
    assert set(before["records"]) == set(answer.RECORDS)
    for known in before["records"].values():
        compared = answer.compare(known, known)
        assert {"x_deterministic", "sd_25", "k", "l2"} <= set(compared["figures"])
        assert all(answer.is_same(moved) for moved in compared["figures"].values())
        assert not compared["checks_that_differ"]


def test_labels_keep_their_order_and_distance(load: ModuleType) -> None:
    chart = load.import_module("growth_chart")
    rng = np.random.default_rng(0)
    for _ in range(50):
        places = sorted(rng.random(7).tolist())
        moved = chart.spread_labels(places, 0.1)
        assert np.diff(moved).min() >= 0.1 - 1e-9
        assert np.mean(moved) == pytest.approx(np.mean(places))
    assert chart.spread_labels([0.0, 1.0, 2.0], 0.5) == [0.0, 1.0, 2.0]


def test_forecasts_of_true_skills_are_the_best_of_a_drifting_record(load: ModuleType) -> None:
    forecasts = load.import_module("peer_forecasts")
    record = forecasts.simulate_drift(50, 20_000, seed=3)
    truth = record.log_loss(record.truth)
    assert truth < record.log_loss(np.full(10_000, 0.5)) == pytest.approx(np.log(2))
    assert truth < record.log_loss(0.9 * record.truth + 0.05)
    # what was expected came true: the mean score, within four standard errors
    assert abs((record.halves / 2 - record.truth).mean()) < 4 * 0.5 / 100


def test_periods_of_glicko_name_every_seat_once(load: ModuleType) -> None:
    games = load.import_module("ludometer.simulate")
    elo = load.import_module("peer_elo")
    seasons = elo._gather_periods(games.simulate_strengths(30, 1_000, draws=0.1, seed=1), 100)
    assert len(seasons) == 10
    for season in seasons:
        assert sum(len(opponents) for _, opponents, _ in season) == 200
        assert sum(sum(scores) for _, _, scores in season) == 100


def test_stored_results_name_versions_and_loads() -> None:
    path = BENCHMARKS / "results" / "peers.json"
    if not path.exists():
        pytest.skip("the peers have not been measured yet")
    for row in json.loads(path.read_text(encoding="utf-8"))["peers"]:
        assert "missing" in row or (row["version"] and row["ratio"] > 0 and row["load"] >= 0)
