"""Series from frames: order, places, extended Seeger scores, faults."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.ratings.scores.record import SeriesRecord
from tests.ratings.simulated_series import simulate_series

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
    record = SeriesRecord.of_frame(LIST)
    assert record.score.tolist() == [1332, 1308, 1320, 108]
    assert record.seats.place.tolist() == [1, 3, 2, 4]
    three = pl.DataFrame(
        {"series": [1] * 3, "player": list("ABC"), "points": [273, 152, 495], "won": [8, 12, 11], "lost": [1, 4, 0]}
    )
    assert SeriesRecord.of_frame(three).score.tolist() == [783, 592, 1245]
    assert SeriesRecord.of_frame(three, others_loss={3: 0}).score.tolist() == [623, 552, 1045]


def test_rows_in_any_order_become_series_in_order_of_time() -> None:
    frame = pl.DataFrame(
        {
            "Date": ["2024-02-01", "2024-01-01", "2024-02-01", "2024-01-01"],
            "List": ["b", "a", "b", "a"],
            "Player": ["Ann", "Ben", "Cem", "Ann"],
            "Score": [1, 2, 3, 4],
        }
    )
    record = SeriesRecord.of_frame(frame)
    assert record.labels == ("a", "b")
    assert record.to_frame()["player"].to_list() == ["Ben", "Ann", "Ann", "Cem"]
    assert record.score.tolist() == [2, 4, 1, 3]
    assert record.since("2024-01-15").tolist() == [False, True]
    untimed = SeriesRecord.of_frame(frame.drop("Date"))
    assert untimed.labels == ("b", "a")
    assert untimed.since("a").tolist() == untimed.since(2).tolist() == [False, True]
    with pytest.raises(LudometerError, match="none is called"):
        untimed.since("c")


def test_series_of_one_day_are_in_order_of_the_hour() -> None:
    hours = ["2024-01-01 20:00", "2024-01-01 20:00", "2024-01-01 18:30", "2024-01-01 18:30"]
    record = SeriesRecord.of_columns(["late", "late", "early", "early"], list("ABAB"), [1, 2, 3, 4], time=hours)
    assert record.labels == ("early", "late")
    assert record.score.tolist() == [3, 4, 1, 2]


def test_equal_scores_are_ordered_by_games_won_then_lost_and_else_tied() -> None:
    record = SeriesRecord.of_columns([1] * 4, list("ABCD"), [5, 5, 5, 5], won=[2, 3, 3, 3], lost=[0, 1, 0, 0])
    assert record.seats.place.tolist() == [4, 3, 1, 1]


def test_a_record_comes_back_from_its_frame() -> None:
    record, _ = simulate_series(9, 40, size=4)
    again = SeriesRecord.of_frame(record.to_frame())
    assert again.labels == record.labels
    assert again.to_frame().equals(record.to_frame())
    part = record.take(np.arange(40) % 2 == 0)
    assert part.to_frame().equals(record.to_frame().filter(pl.col("series").cast(pl.Int64) % 2 == 1))


def test_adjusted_scores_are_rated_but_places_are_those_that_were_won() -> None:
    record = SeriesRecord.of_columns([1, 1], ["A", "B"], [10, 5], adjusted=[4, 6])
    assert record.score.tolist() == [4, 6]
    assert record.seats.place.tolist() == [1, 2]
    assert record.to_frame()["adjusted"].to_list() == [4, 6]
    other = record.with_scores(np.array([7.0, 8.0]))
    assert other.score.tolist() == [7, 8]
    assert record.score.tolist() == [4, 6]
    with pytest.raises(MatchDataError, match="one for each seat"):
        record.with_scores(np.array([1.0]))


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"series": [1, 1], "player": ["A", "B"]}, "points, won and lost"),
        ({"player": ["A", "B"], "score": [1, 2]}, "holds series"),
        ({"series": [1, 1], "player": ["A", "B"], "score": ["1", "x"]}, "score is missing or no number: 1 of 2"),
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
        SeriesRecord.of_frame(pl.DataFrame(columns))
