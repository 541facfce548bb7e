"""The forecast table: its protocol keeps to the first half, and its errors and its bookkeeping are right."""

from __future__ import annotations

import importlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The modules of the benchmarks, importable by name."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib


@pytest.fixture
def record(load: ModuleType) -> Any:
    """600 matches of 12 players, several a day, the first of them at home in most."""
    records = load.import_module("forecast_records")
    rng = np.random.default_rng(5)
    first = rng.integers(0, 12, 600).astype(np.int32)
    second = ((first + rng.integers(1, 12, 600)) % 12).astype(np.int32)
    chance = 1 / (1 + np.exp(-0.2 * (first.astype(float) - second)))
    score = rng.binomial(2, chance) / 2
    day = np.sort(rng.integers(0, 150, 600)).astype(float)
    return records.Record("simulated", first, second, score, day, rng.random(600) < 0.7, 12)


def _elo(load: ModuleType) -> Any:
    """A peer of plain Python that is always here: Elo, with an advantage at home."""
    peers = load.import_module("forecast_peer")

    def forecast(record: Any, values: dict[str, float], start: int) -> Any:
        rating, expected = np.zeros(record.players), np.empty(len(record))
        for match, (i, j) in enumerate(zip(record.first, record.second, strict=True)):
            expected[match] = 1 / (1 + np.exp(rating[j] - rating[i] - values["side"] * record.home[match]))
            step = values["k"] * (record.score[match] - expected[match])
            rating[i] += step
            rating[j] -= step
        return expected[start:]

    knobs = (peers.Knob("k", 0.1, 0.001, 2.0), peers.Knob("side", 0.5, -2.0, 2.0, is_plain=True))
    return peers.Peer("pytest", "plain Elo", "pytest", forecast, knobs, evaluations=25)


def test_tuning_does_not_see_the_last_half(load: ModuleType, record: Any) -> None:
    tune, peer = load.import_module("forecast_peer").tune, _elo(load)
    found = tune(peer, record)
    spoilt = record.score.copy()
    spoilt[record.half :] = 1 - spoilt[record.half :]
    assert tune(peer, replace(record, score=spoilt)).values == found.values
    seen = record.score.copy()
    seen[: record.half] = 1 - seen[: record.half]
    assert tune(peer, replace(record, score=seen)).values != found.values


def test_tuning_lowers_the_loss_within_the_first_half(load: ModuleType, record: Any) -> None:
    peers, peer = load.import_module("forecast_peer"), _elo(load)
    seen = record.part(0, record.half)
    found = peers.tune(peer, record).values
    assert found.keys() == {"k", "side"}
    for values in ({"k": 0.1, "side": 0.5}, {"k": 1.0, "side": 0.0}, {"k": 0.002, "side": 0.0}):
        assert peers.first_half_loss(peer, seen, found) < peers.first_half_loss(peer, seen, values)


def test_a_search_stays_between_the_ends(load: ModuleType) -> None:
    peers = load.import_module("forecast_peer")
    knob = peers.Knob("k", 10.0, 1.0, 100.0)
    assert knob.place(10.0) == pytest.approx(0.5)
    assert knob.value(knob.place(37.0)) == pytest.approx(37.0)
    assert peers.search(lambda values: -values["k"], (knob,), 30)["k"] == 100.0
    assert peers.search(lambda values: (values["k"] - 20) ** 2, (knob,), 40)["k"] == pytest.approx(20, abs=0.1)


def test_the_last_half_begins_with_a_day(record: Any) -> None:
    assert record.day[record.half] > record.day[record.half - 1]
    assert abs(record.half - 300) <= np.unique(record.day, return_counts=True)[1].max()


def test_blocks_hold_nobody_twice_and_leave_out_nothing(record: Any) -> None:
    blocks = list(record.blocks())
    assert [begin for begin, _ in blocks] == [0, *(end for _, end in blocks[:-1])]
    assert blocks[-1][1] == len(record)
    for begin, end in blocks:
        playing = [*record.first[begin:end].tolist(), *record.second[begin:end].tolist()]
        assert len(set(playing)) == len(playing)
        assert len(set(record.day[begin:end].tolist())) == 1
    assert len(blocks) < len(record)


def test_the_twin_that_tunes_glicko_is_glicko(load: ModuleType, record: Any) -> None:
    peers = load.import_module("forecast_online_peers")
    # a record on one day, where nothing grows: Glickman's formulas, one after another
    few, most, q = replace(record.part(0, 40), day=np.zeros(40)), 200.0, np.log(10) / 400
    rating, deviation, loss = np.zeros(12), np.full(12, most), []
    for i, j, score in zip(few.first, few.second, few.score, strict=True):
        expected = 1 / (1 + 10 ** (-_g(np.hypot(deviation[i], deviation[j])) * (rating[i] - rating[j]) / 400))
        loss.append(-score * np.log(expected) - (1 - score) * np.log(1 - expected))
        after = {}
        for who, other, result in ((i, j, score), (j, i, 1 - score)):
            g = _g(deviation[other])
            e = 1 / (1 + 10 ** (-g * (rating[who] - rating[other]) / 400))
            precision = 1 / deviation[who] ** 2 + q**2 * g**2 * e * (1 - e)
            after[who] = rating[who] + q * g * (result - e) / precision, precision**-0.5
        for who, (mean, sd) in after.items():
            rating[who], deviation[who] = mean, sd
    found = peers.glicko_loss(few, {"initial_rating_dev": most, "c": 30.0})
    assert found == pytest.approx(np.mean(loss[8:]))


def _g(deviation: float) -> float:
    """Glickman's damping by a deviation."""
    return float(1 / np.sqrt(1 + 3 * (np.log(10) / 400 * deviation / np.pi) ** 2))


def test_a_draw_is_half_a_win_and_half_a_loss(load: ModuleType, record: Any) -> None:
    three = replace(record.part(0, 3), score=np.array([1.0, 0.5, 0.0]))
    won, drawn, lost = three.log_loss(np.full(3, 0.8))
    assert won == pytest.approx(-np.log(0.8))
    assert lost == pytest.approx(-np.log(0.2))
    assert drawn == pytest.approx((won + lost) / 2)


def test_clustered_errors_sum_over_all_matches_that_share_a_player(load: ModuleType, record: Any) -> None:
    records = load.import_module("forecast_records")
    few = record.part(0, 150)
    # what a player adds to each of their matches makes matches depend
    effect = np.random.default_rng(1).standard_normal(12)
    difference = effect[few.first] + effect[few.second] + np.random.default_rng(2).standard_normal(150)
    centred, total = difference - difference.mean(), 0.0
    for one in range(150):
        for other in range(150):
            if {few.first[one], few.second[one]} & {few.first[other], few.second[other]}:
                total += centred[one] * centred[other]
    independent = difference.std() / 150**0.5
    assert records.clustered_error(few, difference) == pytest.approx(max(total**0.5 / 150, independent))
    assert records.clustered_error(few, difference) > 1.2 * independent


def test_fits_are_repeated_without_a_gap_and_not_within_a_day(load: ModuleType, record: Any) -> None:
    batch = load.import_module("forecast_batch_peers")
    stretches = list(batch.refits(record, record.half, 14))
    assert stretches[0][0] == record.half
    assert stretches[-1][1] == len(record)
    for (begin, end), (after, _) in pairwise(stretches):
        assert end == after
        assert record.day[end - 1] < record.day[begin] + 14 <= record.day[end]


def test_rows_are_on_the_same_matches_and_a_missing_peer_has_one(load: ModuleType, record: Any) -> None:
    forecasts, tables = load.import_module("forecasts"), load.import_module("tables")
    ours = [peer for peer in forecasts.OURS if peer.name in ("elo", "state-space")]
    absent = replace(_elo(load), name="absent", module="no_such_package")
    slow = replace(_elo(load), name="slow", most=10)
    measured = forecasts.measure_record(record, [*ours, _elo(load), absent, slow], keeps=False)
    rows = {row["system"]: row for row in measured["systems"]}
    assert rows["absent"]["missing"] == "not installed"
    assert rows["slow"]["missing"] == "too slow for 600 matches"
    assert measured["scored"] == 600 - record.half
    assert rows["plain Elo"]["difference"] == pytest.approx(
        rows["plain Elo"]["log_loss"] - rows["state-space"]["log_loss"], abs=2e-6
    )
    assert rows["plain Elo"]["error"] > 0
    lines = tables.forecast_tables({"records": [measured | {"record": "football"}]})
    assert any("plain Elo" in line and f"{rows['plain Elo']['log_loss']:.4f}" in line for line in lines)
    assert "Left out (not installed): absent." in lines


def test_a_line_about_what_a_record_lacks_is_left_out(load: ModuleType, record: Any) -> None:
    peer = _elo(load)
    at_home, nobody, scored = record.with_sides(), record.without_sides(), replace(record, points=np.ones((600, 2)))
    about = {
        "knows_sides": ((record, True), (at_home, True), (nobody, False)),
        "knows_ground": ((record, True), (at_home, False), (nobody, False)),
        "knows_points": ((record, False), (scored, True), (scored.part(5, 9), True)),
    }
    for word, cases in about.items():
        assert peer.suits(nobody)
        for one, suits in cases:
            assert replace(peer, **{word: True}).suits(one) == suits


def test_kept_forecasts_come_back_as_they_were(load: ModuleType, tmp_path: Path) -> None:
    forecasts = load.import_module("forecasts")
    made = forecasts.Forecasts(np.array([0.25, 0.75]), forecasts.Tuned({"k": 3.0}, 5, 100, 1.5), 2.5, "1.0")
    made.save(tmp_path / "kept" / "one.npz")
    back = forecasts.Forecasts.load(tmp_path / "kept" / "one.npz")
    assert back.expected.tolist() == [0.25, 0.75]
    assert (back.tuned, back.seconds, back.version) == (made.tuned, 2.5, "1.0")
