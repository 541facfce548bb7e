"""Series from frames: order, places, extended Seeger scores, faults."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.ratings.scores.series import (
    make_series,
    scores_of,
    series_frame,
    series_labels,
    series_since,
    with_scores,
)
from tests.ratings.simulated_series import series_of, simulate_series

LIST = pl.DataFrame(
    {
        "series": ["x"] * 4,
        "player": list("ABCD"),
        "points": [492, 628, 660, -32],
        "won": [12, 12, 10, 6],
        "lost": [0, 2, 1, 5],
    }
)


def test_points_won_and_lost_make_the_extended_seeger_score() -> None:
    record = make_series(LIST)
    assert scores_of(record).tolist() == [1332, 1308, 1320, 108]
    assert record.seats.place.tolist() == [1, 3, 2, 4]
    three = pl.DataFrame(
        {"series": [1] * 3, "player": list("ABC"), "points": [273, 152, 495], "won": [8, 12, 11], "lost": [1, 4, 0]}
    )
    assert scores_of(make_series(three)).tolist() == [783, 592, 1245]
    assert scores_of(make_series(three, others_loss={3: 0})).tolist() == [623, 552, 1045]


def test_rows_in_any_order_become_series_in_order_of_time() -> None:
    frame = pl.DataFrame(
        {
            "Date": ["2024-02-01", "2024-01-01", "2024-02-01", "2024-01-01"],
            "List": ["b", "a", "b", "a"],
            "Player": ["Ann", "Ben", "Cem", "Ann"],
            "Score": [1, 2, 3, 4],
        }
    )
    record = make_series(frame)
    assert tuple(series_labels(record)) == ("a", "b")
    assert series_frame(record)["player"].to_list() == ["Ben", "Ann", "Ann", "Cem"]
    assert scores_of(record).tolist() == [2, 4, 1, 3]
    assert series_since(record, "2024-01-15").tolist() == [False, True]
    untimed = make_series(frame.drop("Date"))
    assert tuple(series_labels(untimed)) == ("b", "a")
    assert series_since(untimed, "a").tolist() == series_since(untimed, 2).tolist() == [False, True]
    with pytest.raises(LudometerError, match="none is called"):
        series_since(untimed, "c")


def test_series_of_one_day_are_in_order_of_the_hour() -> None:
    hours = ["2024-01-01 20:00", "2024-01-01 20:00", "2024-01-01 18:30", "2024-01-01 18:30"]
    record = series_of(["late", "late", "early", "early"], list("ABAB"), [1, 2, 3, 4], time=hours)
    assert tuple(series_labels(record)) == ("early", "late")
    assert scores_of(record).tolist() == [3, 4, 1, 2]


def test_equal_scores_are_ordered_by_games_won_then_lost_and_else_tied() -> None:
    record = series_of([1] * 4, list("ABCD"), [5, 5, 5, 5], won=[2, 3, 3, 3], lost=[0, 1, 0, 0])
    assert record.seats.place.tolist() == [4, 3, 1, 1]


def test_a_record_comes_back_from_its_frame() -> None:
    record, _ = simulate_series(9, 40, size=4)
    again = make_series(series_frame(record))
    assert tuple(series_labels(again)) == tuple(series_labels(record))
    assert series_frame(again).equals(series_frame(record))
    part = record.take(np.arange(40) % 2 == 0)
    assert series_frame(part).equals(series_frame(record).filter(pl.col("series").cast(pl.Int64) % 2 == 1))


def test_adjusted_scores_are_rated_but_places_are_those_that_were_won() -> None:
    record = series_of([1, 1], ["A", "B"], [10, 5], adjusted=[4, 6])
    assert scores_of(record).tolist() == [4, 6]
    assert record.seats.place.tolist() == [1, 2]
    assert series_frame(record)["adjusted"].to_list() == [4, 6]
    other = with_scores(record, np.array([7.0, 8.0]))
    assert scores_of(other).tolist() == [7, 8]
    assert scores_of(record).tolist() == [4, 6]
    with pytest.raises(MatchDataError, match="one for each seat"):
        with_scores(record, np.array([1.0]))


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"series": [1, 1], "player": ["A", "B"]}, "points, won and lost"),
        ({"player": ["A", "B"], "score": [1, 2]}, "holds series"),
        ({"series": [1, 1], "player": ["A", "B"], "score": ["1", "x"]}, "score is missing or not a number: 1 of 2"),
        ({"series": [1, 1], "player": ["A", None], "score": [1, 2]}, "player is missing"),
        ({"series": [1, 2, 2], "player": ["A", "B", "C"], "score": [1, 2, 3]}, "one player only"),
        ({"series": [1, 1], "player": ["A", "A"], "score": [1, 2]}, "twice"),
        ({"series": [1, 1], "player": ["A", "B"], "score": [1, 2], "time": [1, 2]}, "different times"),
        ({"series": [1, 1], "player": ["A", "B"], "score": [1, 2], "date": ["x", "x"]}, "2015-01-31"),
        ({"series": [1, 1], "player": ["A", "B"], "points": [1, 2], "won": [1, 1], "lost": [0, 0]}, "2 players"),
        ({"series": [], "player": [], "score": []}, "no series"),
    ],
)
def test_faults_are_named(columns: dict[str, list[object]], fault: str) -> None:
    with pytest.raises(MatchDataError, match=fault):
        make_series(pl.DataFrame(columns))
