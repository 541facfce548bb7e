"""Season tables: averages, who qualifies, dropped lists, team points, titles, loss money."""

from __future__ import annotations

import polars as pl
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.scores.series import make_series
from ludometer.skat.seasons import award_titles, loss_money, season_table, team_table
from tests.ratings.simulated_series import series_of


def season() -> Matches:
    """Four lists of three players, one of four."""
    rows = [
        ("1", "2024-01-05", {"Ann": 1000, "Ben": 800, "Cem": 600}),
        ("2", "2024-02-05", {"Ann": 400, "Ben": 900, "Cem": 700}),
        ("3", "2024-03-05", {"Ann": 1100, "Ben": 700, "Cem": 650}),
        ("4", "2024-04-05", {"Ann": 960, "Ben": 480, "Cem": 720, "Dan": 1440}),
    ]
    flat = [(label, day, name, score) for label, day, scores in rows for name, score in scores.items()]
    frame = pl.DataFrame(flat, schema=["series", "date", "player", "score"], orient="row")
    return make_series(frame)


def test_averages_are_a_list_and_a_game() -> None:
    table = season_table(season())
    ann = table.row(by_predicate=pl.col("player") == "Ann", named=True)
    assert (ann["series"], ann["games"], ann["total"]) == (4, 3 * 36 + 48, 3460)
    assert ann["average_list"] == 865
    assert ann["average_game"] == round(3460 / 156, 2)
    assert table["player"].to_list() == ["Dan", "Ann", "Ben", "Cem"]
    assert table["place"].to_list() == [1, 2, 3, 4]


def test_who_played_too_little_has_no_place() -> None:
    for rule in ({"min_series": 2}, {"min_games": 49}, {"min_share": 0.75}, {"min_share": 0.75, "scheduled": 156}):
        table = season_table(season(), **rule)
        assert table["player"].to_list() == ["Ann", "Ben", "Cem", "Dan"]
        assert table["place"].to_list() == [1, 2, 3, None]
    # 540 of 720 games are enough, 539 are not
    for games, qualified in ((540, True), (539, False)):
        record = series_of([1, 1, 1], list("ABC"), [9, 8, 7], games=[games, 720, 720])
        table = season_table(record, min_share=0.75, scheduled=720)
        assert table.row(by_predicate=pl.col("player") == "A", named=True)["qualified"] == qualified


def test_the_worst_lists_are_dropped_but_never_all() -> None:
    table = season_table(season(), dropped=1)
    ann = table.row(by_predicate=pl.col("player") == "Ann", named=True)
    assert (ann["total"], ann["dropped"], ann["series"], ann["games"]) == (3060, 1, 4, 156)
    assert ann["average_game"] == round(3060 / 120, 2)
    assert table.row(by_predicate=pl.col("player") == "Dan", named=True)["dropped"] == 0


def test_a_season_has_a_beginning_and_an_end() -> None:
    assert season_table(season(), since="2024-02-01", until="2024-04-01")["series"].to_list() == [2, 2, 2]
    with pytest.raises(MatchDataError, match="no series in this time"):
        season_table(season(), since="2025-01-01")


def test_equal_averages_share_a_place_unless_games_won_tell() -> None:
    even = series_of([1] * 3, list("ABC"), [900, 900, 100])
    assert season_table(even)["place"].to_list() == [1, 1, 3]
    told = series_of([1] * 3, list("ABC"), [900, 900, 100], won=[8, 9, 1], lost=[0, 0, 0])
    assert season_table(told).select("place", "player").rows() == [(1, "B"), (2, "A"), (3, "C")]


def test_teams_get_3_2_1_0_in_each_round_by_their_totals() -> None:
    # two tables a round, at each one player of every team
    tables = {"r1a": [900, 800, 700, 600], "r1b": [100, 400, 700, 600], "r2a": [500, 500, 100, 0], "r2b": [0, 0, 50, 0]}
    names = {"r1a": "adgj", "r1b": "behk", "r2a": "adgj", "r2b": "behk"}
    rows = [
        (label, name, score) for label, own in tables.items() for name, score in zip(names[label], own, strict=True)
    ]
    record = make_series(pl.DataFrame(rows, schema=["series", "player", "score"], orient="row"))
    teams = dict(zip("abdeghjk", ["Red"] * 2 + ["Blue"] * 2 + ["Green"] * 2 + ["Grey"] * 2, strict=True))
    table = team_table(record, teams, rounds={label: label[:2] for label in tables})
    # first round: Green 1400, Blue and Grey 1200, Red 1000; second: Red and Blue 500, Green 150, Grey 0
    assert {row[0]: row[1:] for row in table.select("team", "points", "against", "total").rows()} == {
        "Green": (3 + 1, 0 + 2, 1550),
        "Blue": (1.5 + 2.5, 1.5 + 0.5, 1700),
        "Red": (0 + 2.5, 3 + 0.5, 1500),
        "Grey": (1.5 + 0, 1.5 + 3, 1200),
    }
    assert table["team"].to_list() == ["Blue", "Green", "Red", "Grey"]
    assert table["place"].to_list() == [1, 2, 3, 4]
    with pytest.raises(MatchDataError, match="no team is known for"):
        team_table(record, {"a": "Red"})
    with pytest.raises(MatchDataError, match="no round is known"):
        team_table(record, teams, rounds={"r1a": "1"})


def test_titles_need_a_rating_that_is_settled_and_above_the_threshold() -> None:
    players = pl.DataFrame(
        {
            "player": list("ABCDE"),
            "rating": [1120.0, 1050.0, 990.0, 1200.0, 1060.0],
            "sd": [40.0] * 5,
            "provisional": [False, False, False, True, False],
            "series": [80, 80, 80, 5, 60],
        }
    )
    bounds = {"Grandmaster": 1100, "Master": 1000}
    assert award_titles(players, bounds)["title"].to_list() == ["Grandmaster", "Master", None, None, "Master"]
    assert award_titles(players, bounds, min_series=70)["title"].to_list() == [
        "Grandmaster",
        "Master",
        None,
        None,
        None,
    ]
    assert award_titles(players, bounds, margin=1.5)["title"].to_list() == ["Master", None, None, None, "Master"]
    assert award_titles(players, bounds, provisional=True)["title"][3] == "Grandmaster"
    with pytest.raises(LudometerError, match="thresholds"):
        award_titles(players, {})


def test_loss_money_doubles_from_the_fourth_lost_game_of_a_list() -> None:
    record = series_of([1, 1, 1, 2, 2, 2], list("ABCABC"), range(6), lost=[4, 3, 0, 2, 0, 0])
    assert loss_money(record).rows() == [("A", 6, 3.5), ("B", 3, 1.5), ("C", 0, 0.0)]
    with pytest.raises(MatchDataError, match="no column lost"):
        loss_money(series_of([1, 1], list("AB"), [1, 2]))


def test_the_length_of_a_strange_list_has_to_be_given() -> None:
    with pytest.raises(MatchDataError, match="1 rows have no games"):
        season_table(series_of([1, 1], list("AB"), [1, 2], games=[36, 0]))
    with pytest.raises(MatchDataError, match="column games"):
        season_table(series_of([1, 1], list("AB"), [1, 2]))
    with pytest.raises(LudometerError, match="from 0 to 1"):
        season_table(season(), min_share=75)
