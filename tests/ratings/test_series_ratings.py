"""Every update can be explained, and ratings can be played again from any date."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings import Elo, rate
from ludometer.ratings.scores.audit import rate_series, spread_apart
from ludometer.ratings.scores.elo import SeriesElo, SeriesEloFromMean
from ludometer.ratings.scores.series import make_series, scores_of, series_frame, series_since, with_scores
from tests.ratings.simulated_series import series_of, simulate_series


def dated(n_series: int = 200, seed: int = 1) -> Matches:
    record, _ = simulate_series(12, n_series, seed=seed)
    days = np.datetime64("2024-01-01") + np.repeat(np.arange(n_series), 3)
    return make_series(series_frame(record).with_columns(time=pl.Series(days)))


def test_each_update_follows_from_s_e_and_k() -> None:
    updates = rate_series(dated(), system=SeriesElo(newcomer_k=0.1)).updates
    change = pl.col("k") * (pl.col("score") - pl.col("expected"))
    wrong = updates.filter((pl.col("rating") - pl.col("before") - change).abs() > 1e-9)
    assert wrong.is_empty()
    assert updates.filter((pl.col("before") + pl.col("change") - pl.col("rating")).abs() > 1e-9).is_empty()
    for _, own in updates.group_by("player"):
        rows = own.sort("number")
        assert rows["before"].to_list()[1:] == rows["rating"].to_list()[:-1]
    sums = updates.group_by("series").agg(pl.col("score").sum(), pl.col("before").sum(), pl.first("total", "level"))
    assert sums.filter((pl.col("score") - pl.col("total")).abs() > 1e-9).is_empty()
    assert sums.filter((pl.col("before") - pl.col("level")).abs() > 1e-9).is_empty()


def test_the_list_is_the_common_drivers() -> None:
    record = dated()
    for system in (SeriesElo(k=0.05), SeriesEloFromMean()):
        own, common = rate_series(record, system=system), rate(record, system=system)
        both = own.players.join(common.to_frame(), on="player", suffix="_common")
        assert len(both) == 12
        for name in ("rating", "sd", "last"):
            assert both[name].to_list() == both[f"{name}_common"].to_list()
        assert both["series"].to_list() == both["matches"].to_list()
    average = series_frame(record).group_by("player").agg(pl.col("score").mean())
    averages = dict(average.rows())
    for name, value in rate_series(record).players.select("player", "average").rows():
        assert value == pytest.approx(averages[name], abs=1e-9)


def test_from_a_date_on_the_updates_are_those_of_the_whole() -> None:
    record = dated()
    whole, later = rate_series(record), rate_series(record, since="2024-05-01")
    assert later.n_series == 200 - 121
    assert later.updates["number"].min() == 122
    assert later.updates.drop("sd").equals(whole.updates.filter(pl.col("number") > 121).drop("sd"))
    assert later.players.equals(whole.players)
    assert later.compare(whole)["difference"].to_list() == [0.0] * 12


def test_a_published_list_goes_on_where_it_stood() -> None:
    record = dated()
    split = series_since(record, "2024-05-01")
    before = rate_series(record.take(~split))
    later = rate_series(record, since="2024-05-01", ratings=before.players)
    whole = rate_series(record)
    both = whole.players.join(later.players, on="player", suffix="_later")
    np.testing.assert_allclose(both["rating"], both["rating_later"], atol=1e-9)
    assert both["series"].to_list() == both["series_later"].to_list()
    # from then on with another K
    other = rate_series(record, system=SeriesElo(k=0.1), since="2024-05-01", ratings=before.players)
    assert set(other.updates["k"].to_list()) == {0.1}
    assert abs(other.players["rating"].to_numpy().sum() - 12 * 800) < 1e-6


def test_a_corrected_result_changes_only_what_follows() -> None:
    record = dated()
    right = rate_series(record)
    scores = scores_of(record).copy()
    scores[3 * 150] += 500
    wrong = rate_series(with_scores(record, scores))
    same = right.updates["rating"].to_numpy() == wrong.updates["rating"].to_numpy()
    assert same[: 3 * 150].all()
    assert not same[3 * 150 : 3 * 151].any()
    biggest = right.compare(wrong).row(0, named=True)
    assert biggest["player"] == series_frame(record)["player"][3 * 150]
    assert biggest["difference"] > 2


def test_words_and_summary_say_what_happened() -> None:
    record = series_of(["x"] * 3, ["Ann", "Ben", "Cem"], [1387, 1018, 152])
    ratings = rate_series(record)
    assert ratings.explain("Ann") == ["series x: scored 1387 of 2557, expected 852.33; 800.00 +10.69 = 810.69 (K 0.02)"]
    assert "Ann" in ratings.summary()
    assert "provisional" in ratings.summary()
    assert len(ratings.summary().splitlines()) <= 20
    low = rate_series(with_scores(record, scores_of(record) / 10))
    assert "scores are 0.11 times the ratings" in low.summary()
    with pytest.raises(LudometerError, match="nobody called"):
        ratings.explain("Dan")
    with pytest.raises(LudometerError, match="series Elo is needed"):
        rate_series(record, system=Elo())  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="no series from"):
        rate_series(dated(), since="2030-01-01")
    with pytest.raises(LudometerError, match="player and rating"):
        rate_series(record, ratings=pl.DataFrame({"name": ["Ann"]}))


@pytest.mark.parametrize("view", ["contracted", "expanded"])
@pytest.mark.parametrize("has_time", [True, False])
def test_charts_hold_each_players_ratings_in_both_views(view: str, has_time: bool) -> None:
    record = dated() if has_time else simulate_series(12, 200)[0]
    ratings = rate_series(record)
    chosen = ratings.players["player"].head(3).to_list()
    chart = ratings.plot(chosen, view=view)  # type: ignore[arg-type]
    datasets = list(chart.to_dict()["datasets"].values())
    (values,) = (rows for rows in datasets if any("series" in row for row in rows))
    assert {row["player"] for row in values} == set(chosen)
    # each line ends in its name, no two of them at one height, and nothing needs a legend
    (labels,) = (rows for rows in datasets if "label" in rows[0])
    last = {row["player"]: row["rating"] for row in values}
    assert [row["label"] for row in labels] == [f"{name} {last[name]:.0f}" for name in chosen]
    assert len({row["at"] for row in labels}) == len(chosen)
    assert '"legend": null' in chart.to_json()
    for name in chosen:
        mine = [row for row in values if row["player"] == name]
        expected = ratings.updates.filter(pl.col("player") == name)
        shown = [row["rating"] for row in mine if "series" in row]
        assert shown == expected["rating"].to_list()
        if view == "contracted":
            assert [row["x"] for row in mine] == list(range(len(expected) + 1))
        elif not has_time:
            assert [row["x"] for row in mine] == expected["number"].to_list()
        else:
            assert mine[0]["x"].startswith("2024-01")
        assert all(row["low"] < row["rating"] < row["high"] for row in mine if "low" in row)
    with pytest.raises(LudometerError, match="no updates of"):
        ratings.plot(["nobody"])
    with pytest.raises(LudometerError, match="contracted or expanded"):
        ratings.plot(view="sideways")  # type: ignore[arg-type]


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=9), st.floats(0.1, 50))
def test_labels_are_spread_apart_in_their_order_and_no_further_than_needed(values: list[float], gap: float) -> None:
    places = spread_apart(values, gap)
    order = sorted(range(len(values)), key=lambda place: values[place])
    steps = np.diff([places[place] for place in order])
    assert (steps > gap - 1e-6).all()
    # those that had room stay where they are
    if len(values) == 1 or np.diff(sorted(values)).min() >= gap:
        np.testing.assert_allclose(places, values, atol=1e-9)
    assert np.mean(places) == pytest.approx(np.mean(values), abs=1e-6)
