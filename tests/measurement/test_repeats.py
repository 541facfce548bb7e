"""A record that holds its matches more than once is measured as if it held them once; real records lose nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludometer.errors import MatchDataError
from ludometer.matches import Matches
from ludometer.measurement import measure
from ludometer.measurement.record.repeats import Meetings, _Groups, undo_repeats
from ludometer.measurement.record.study import study_record
from ludometer.read import read_matches
from ludometer.simulate import simulate_coin
from tests.measurement.multiplied import N, coin, exported, layouts, natural_records

LAYOUTS = [name for name, *_ in layouts(10)]


def same(one: Matches, other: Matches) -> bool:
    return len(one) == len(other) and one.fingerprint == other.fingerprint


@pytest.mark.parametrize("days", [300, None], ids=["days", "no times"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_multiplied_coin_comes_back_row_for_row(layout: str, days: int | None) -> None:
    original = coin(days=days)
    rows, turned = next((rows, turned) for name, rows, turned in layouts(N) if name == layout)
    whole, found = undo_repeats(exported(original, rows, turned))
    assert same(whole, original)
    assert found.kind != "none"
    assert found.found == found.dropped == len(rows) - N
    again, nothing = undo_repeats(whole)
    assert again is whole
    assert nothing.kind == "none"


@pytest.mark.parametrize("layout", ["mirrored row by row", "appended", "overlapping"])
def test_scores_and_tables_come_back(layout: str) -> None:
    rng = np.random.default_rng(3)
    points = rng.integers(5, size=(N, 2)).astype(float)
    scored = coin().with_columns(score=points)
    seats = np.concatenate([rng.permutation(30)[:4] for _ in range(N)])
    tables = Matches.of_seats(np.arange(0, 4 * N + 1, 4), seats, np.tile([1, 2, 3, 4], N))
    rows, turned = next((rows, turned) for name, rows, turned in layouts(N) if name == layout)
    for original in (scored, tables):
        whole, _ = undo_repeats(exported(original, rows, turned))
        assert same(whole, original)


@pytest.mark.parametrize("kind", ["mirrored row by row", "appended", "overlapping"])
def test_the_kind_is_named(kind: str) -> None:
    rows, turned = next((rows, turned) for name, rows, turned in layouts(N) if name == kind)
    for days in (300, None):
        _, found = undo_repeats(exported(coin(days=days), rows, turned))
        assert found.kind == kind.split(maxsplit=1)[0]
        assert found.factor == 2
        (line,) = found.lines()
        assert f"{len(rows) - N:,} rows" in line


def test_a_mirrored_coin_is_measured_as_the_coin() -> None:
    clean = simulate_coin(60, 3_000, seed=4)
    for name, rows, turned in layouts(len(clean)):
        if name in ("mirrored row by row", "appended", "overlapping"):
            multiplied = measure(exported(clean, rows, turned), quick=True)
            document, wanted = multiplied.document(), measure(clean, quick=True).document()
            assert document.pop("record")["repeats"]["dropped"] == len(rows) - len(clean)
            wanted.pop("record")
            assert document == wanted


def test_histories_put_together_lose_the_second_view() -> None:
    original = coin(days=None)
    table = original.pairs
    rng = np.random.default_rng(5)
    # the histories of 25 of 40 players, one after another, each with its owner first
    rows, turned = [], []
    for owner in rng.permutation(40)[:25]:
        own = np.flatnonzero((table.first == owner) | (table.second == owner))
        rows.append(own)
        turned.append(table.second[own] == owner)
    history = exported(original, np.concatenate(rows), np.concatenate(turned))
    whole, found = undo_repeats(history)
    inside = np.unique(np.concatenate(rows))
    assert found.kind == "mirrored"
    assert len(whole) == len(inside)
    timed = replace(original, time=np.arange(N))
    whole, found = undo_repeats(exported(timed, np.concatenate(rows), np.concatenate(turned)))
    assert found.kind == "mirrored"
    assert whole.time is not None
    assert whole.time.tolist() == inside.tolist()


def test_a_doubled_file_in_random_order_is_halved() -> None:
    order = np.random.default_rng(6).permutation(2 * N) % N
    whole, found = undo_repeats(exported(coin(days=None), order))
    assert found.factor == 2
    assert len(whole) == N


@pytest.mark.parametrize("name", list(natural_records()))
def test_real_matches_stay(name: str) -> None:
    record = natural_records()[name]
    whole, found = undo_repeats(record)
    assert whole is record
    assert found.kind == "none"
    assert found.lines() == ()


def test_games_that_share_a_coin_count_once() -> None:
    original = coin(days=None)
    session = exported(original, np.repeat(np.arange(N), 3))
    assert same(undo_repeats(session)[0], original)


def test_views_with_clocks_of_their_own_and_lost_rows() -> None:
    original = replace(coin(days=None), time=np.arange(N) * 100)
    rows, turned = np.repeat(np.arange(N), 2), np.tile([False, True], N)
    both = exported(original, rows, turned)
    assert both.time is not None
    skewed = replace(both, time=both.time + np.tile([0, 7], N))
    whole, found = undo_repeats(skewed)
    assert found.kind == "mirrored"
    assert same(whole, original)
    lost = np.random.default_rng(9).random(2 * N) < 0.1
    for record in (original, replace(original, time=None)):
        whole, found = undo_repeats(exported(record, rows[~lost], turned[~lost]))
        assert found.kind == "mirrored"
        # without times two equal matches in a row may be one match in two rows
        assert abs(len(whole) - len(np.unique(rows[~lost]))) <= 2


def test_doubt_is_asked_about_and_both_answers_are_followed() -> None:
    original = coin(days=None)
    rows = np.repeat(np.arange(N), 2)
    doubled = exported(original, rows).pairs
    halves = np.array(doubled.halves)
    # one view in 30 says otherwise
    halves[1 : 2 * N : 60] = 2 - halves[1 : 2 * N : 60]
    doubtful = Matches.of_pairs(doubled.first, doubled.second, halves, time=np.repeat(np.arange(N), 2))
    with pytest.raises(MatchDataError, match=r"--match.*--repeats drop.*--repeats keep"):
        undo_repeats(doubtful)
    kept, said = undo_repeats(exported(original, rows), "keep")
    assert len(kept) == 2 * N
    assert (said.found, said.dropped) == (N, 0)
    few = Matches.of_pairs([0, 1, 0, 0], [1, 0, 2, 1], [1, 0, 1, 0], time=[3, 3, 3, 3])
    assert undo_repeats(few)[0] is few
    assert len(undo_repeats(few, "drop")[0]) == 3
    dropped, said = undo_repeats(doubtful, "drop")
    assert len(dropped) == N + len(range(1, 2 * N, 60))
    assert said.dropped == 2 * N - len(dropped)


def test_the_study_reports_and_can_be_handed_to_measure() -> None:
    rows, turned = np.repeat(np.arange(N), 2), np.tile([False, True], N)
    twice = exported(coin(), rows, turned)
    study = study_record(twice, repeats="keep")
    game = measure(study, quick=True)
    assert game.record is study
    assert game.data.n_matches == 2 * N
    assert game.provenance.parameters["repeats"] == "keep"
    assert "other player's side" in study.lines()[0]
    assert measure(twice, quick=True).data.n_matches == N


@pytest.mark.parametrize(
    "file", ["chess_kaggle2010", "football_international", "formula1_races", "us_mlb", "us_nba", "us_nfl"]
)
def test_real_records_lose_nothing_and_come_back(shared_data: Path, file: str) -> None:
    original = read_matches(shared_data / f"{file}.parquet")
    for record in (original, replace(original, time=None)):
        assert undo_repeats(record)[0] is record
        for name, rows, turned in layouts(len(record)):
            whole, _ = undo_repeats(exported(record, rows, turned))
            assert same(whole, record), name


@pytest.mark.parametrize("days", [4, None], ids=["days", "adjacent rows"])
def test_groups_are_those_of_a_plain_count(days: int | None) -> None:
    record = coin(120, days=days, players=4, seed=10)
    record = exported(record, np.sort(np.random.default_rng(11).integers(120, size=200)))
    keys = Meetings.of(record)
    groups = _Groups.of(keys, keys.together(1))
    assert groups is not None
    pairs = record.pairs
    said: list[Any] = []
    where: list[Any] = []
    for row in range(200):
        first, second, halves = int(pairs.first[row]), int(pairs.second[row]), int(pairs.halves[row])
        who = (min(first, second), max(first, second))
        if record.time is not None:
            where.append((who, int(record.time[row])))
        else:
            is_new = not said or said[-1][0] != who
            where.append((who, (where[-1][1] if where else 0) + is_new))
        said.append((who, halves if first < second else 2 - halves))
    numbers = {label: number for number, label in enumerate(dict.fromkeys(where))}
    together = list(zip(where, said, strict=True))
    count = Counter(together)
    assert groups.group.tolist() == [numbers[label] for label in where]
    assert groups.size.tolist() == list(Counter(where).values())
    assert groups.count.tolist() == [count[one] for one in together]
    assert groups.rank.tolist() == [together[:row].count(one) for row, one in enumerate(together)]
    for factor in (2, 3):
        plain = [all(times % factor == 0 for (place, _), times in count.items() if place == label) for label in numbers]
        assert groups.divisible(factor).tolist() == plain
    kept = groups.rank == 0
    dropped = np.flatnonzero(~kept)
    assert groups.source(dropped, kept).tolist() == [together.index(together[row]) for row in dropped]
