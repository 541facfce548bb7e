"""The list of players: counts, last matches, order, batches."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Elo, evaluate, rate


def league() -> Matches:
    return Matches.of_pairs(
        [0, 1, 0, 2],
        [1, 2, 2, 0],
        [1, 0.5, 1, 0],
        players=Players.named(["Ann", "Ben", "Cem"]),
        time=np.array(["2020-01-05", "2020-01-01", "2020-01-03", "2020-01-03"], "datetime64[D]"),
    )


def test_counts_and_last_matches_belong_to_each_player() -> None:
    frame = rate(league(), system=Elo()).to_frame()
    assert frame["player"].to_list() == ["Ann", "Ben", "Cem"]
    assert frame["matches"].to_list() == [3, 2, 3]
    assert [str(day) for day in frame["last"]] == ["2020-01-05", "2020-01-05", "2020-01-03"]
    assert frame["sd"].to_list() == [None, None, None]


def test_without_times_there_is_no_last_match() -> None:
    frame = rate(Matches.of_pairs([0], [1], [1])).to_frame()
    assert frame["last"].to_list() == [None, None]


def test_batches_give_the_list_of_the_whole() -> None:
    whole = league()
    early = np.array([True, True, False, False])
    parts = rate([whole.take(early), whole.take(~early)])
    at_once = rate(whole, system=Elo())
    assert parts.to_frame().equals(at_once.to_frame())
    assert parts.provenance == at_once.provenance


def test_equal_ratings_are_listed_by_name() -> None:
    matches = Matches.of_pairs([0, 2], [1, 3], [0.5, 0.5], players=Players.named(["d", "b", "c", "a"]))
    assert rate(matches).to_frame()["player"].to_list() == ["a", "b", "c", "d"]


def test_a_summary_fits_a_screen_and_a_plot_is_drawn() -> None:
    ratings = rate(league())
    assert len(ratings.summary().splitlines()) <= 20
    assert "4 matches of 3 players by state-space" in ratings.summary()
    assert ratings.plot().to_dict()["mark"]["type"] == "bar"


def test_nothing_played_is_an_error() -> None:
    with pytest.raises(MatchDataError, match="no matches"):
        rate([])


def test_what_is_no_record_or_no_system_is_refused_in_words() -> None:
    for wrong in ("games.csv", [1, 2]):
        with pytest.raises(LudometerError, match="Matches are needed"):
            rate(wrong)  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="rating system is needed"):
        rate(league(), system="elo")  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="must be numbers"):
        Elo(k="x")  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="at least 1 bin"):
        evaluate(league(), bins=0)
