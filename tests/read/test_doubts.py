"""Columns that can be read but look mistaken are asked about; `as_read` says that they are meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from ludometer.errors import MatchDataError
from ludometer.matches import Matches
from ludometer.read import ReadOptions, read_matches

SHARED = ("formula1_races", "race_for_the_galaxy", "football_international", "us_nfl", "chess_kaggle2010")


def read(columns: dict[str, object], **options: Any) -> Matches:
    return read_matches(pl.DataFrame(columns), **options)


def tables(values: list[list[float]]) -> dict[str, object]:
    """One row per seat: three players at each table."""
    n = len(values)
    return {
        "match": np.repeat(np.arange(n), 3),
        "player": [f"p{seat + step}" for step in range(n) for seat in range(3)],
        "place": np.ravel(values),
    }


def duels(n: int, seed: int = 0) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 20, n)
    return {"player_1": [f"a{k}" for k in first], "player_2": [f"b{k}" for k in rng.integers(0, 20, n)]}


def test_points_given_as_places_are_asked_about() -> None:
    points = tables([[25, 18, 15], [18, 25, 12], [10, 8, 6]])
    with pytest.raises(MatchDataError, match="column place does not look like places") as found:
        read(points)
    assert "--score place" in str(found.value)
    assert "--as-read" in str(found.value)
    assert len(read(points, as_read=True)) == 3
    assert read(points, score="place").seats.place[0] == 1


def test_places_that_start_at_0_or_later_are_asked_about() -> None:
    for first in (0, 3):
        with pytest.raises(MatchDataError, match="nobody has place 1"):
            read(tables([[first, first + 1, first + 2]] * 4))
    assert len(read(tables([[1, 2, 3], [1, 1, 3], [2, 1, 3], [2, 3, 4]]))) == 4


def test_places_beyond_the_last_seat_are_asked_about() -> None:
    with pytest.raises(MatchDataError, match="beyond the number of players"):
        read(tables([[1, 40, 112], [3, 1, 57], [88, 2, 1]]))


def test_rows_that_a_filter_takes_away_may_have_held_the_first_place() -> None:
    table = tables([[1, 2, 3]] * 5)
    assert len(read(table, where="place > 1")) == 5
    with pytest.raises(MatchDataError, match="does not look like places"):
        read(tables([[9.5, 8, 7], [3.5, 2, 2]]), where="place < 9")


def test_a_side_that_wins_nearly_always_is_asked_about() -> None:
    score = np.ones(300)
    score[:3] = 0
    with pytest.raises(MatchDataError, match="player_1 wins 297 of 300 decided matches by score_1") as found:
        read(duels(300) | {"score_1": score})
    assert "first-won" in str(found.value)
    assert len(read(duels(300) | {"score_1": score}, as_read=True)) == 300
    with pytest.raises(MatchDataError, match="player_2 wins 300 of 300"):
        read(duels(300) | {"score_1": np.zeros(300)})
    # the winner is listed first, or there are too few to tell
    assert len(read(duels(300) | {"score_1": np.ones(300)})) == 300
    assert len(read(duels(60) | {"score_1": score[:60]})) == 60


def test_two_columns_that_name_different_winners_are_asked_about() -> None:
    rng = np.random.default_rng(1)
    goals = rng.integers(0, 5, (200, 2))
    won = np.where(goals[:, 0] > goals[:, 1], "1-0", np.where(goals[:, 0] < goals[:, 1], "0-1", "1/2-1/2"))
    table = duels(200) | {"score_1": goals[:, 0], "score_2": goals[:, 1], "result": won}
    assert len(read(table)) == 200
    swapped = table | {"result": np.where(won == "1-0", "0-1", np.where(won == "0-1", "1-0", won))}
    with pytest.raises(MatchDataError, match="score_1 and score_2 and result name different winners") as found:
        read(swapped)
    assert "--score score_1,score_2 or --score result" in str(found.value)
    first = read(swapped, score="score_1,score_2").pairs.halves
    assert (first + read(swapped, score="result").pairs.halves == 2).all()
    assert len(read(swapped, as_read=True)) == 200


def test_draws_after_which_somebody_won_all_the_same_are_no_contradiction() -> None:
    goals = np.tile([[1, 1], [2, 0], [0, 3]], (40, 1))
    table = duels(120) | {"score_1": goals[:, 0], "score_2": goals[:, 1], "result": ["1-0", "1-0", "0-1"] * 40}
    assert len(read(table)) == 120


def test_two_columns_of_results_that_do_not_add_up_are_asked_about() -> None:
    rng = np.random.default_rng(2)
    first = rng.choice([0.0, 0.5, 1.0], 100)
    assert len(read(duels(100) | {"score_1": first, "score_2": 1 - first})) == 100
    with pytest.raises(MatchDataError, match="both won or both lost"):
        read(duels(100) | {"score_1": first, "score_2": rng.permutation(first)})
    goals = rng.integers(0, 4, 100)
    assert len(read(duels(100) | {"score_1": goals, "score_2": rng.permutation(goals)})) == 100


def test_the_option_is_one_of_the_reader() -> None:
    assert not ReadOptions().as_read


@pytest.mark.parametrize("name", SHARED)
def test_real_files_are_read_without_a_question(shared_data: Path, name: str) -> None:
    path = shared_data / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    assert len(read_matches(path)) == len(read_matches(path, as_read=True))
