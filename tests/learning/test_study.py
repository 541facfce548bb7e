"""A study of learning: both curves agree where the truth is known, and the death rate comes out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError
from ludometer.learning import study_learning
from ludometer.learning.fluid import LearningModel
from ludometer.matches import Matches
from tests.learning.league import DEATH, simulate_league


def test_both_curves_and_the_death_rate_come_out() -> None:
    study = study_learning(simulate_league(1200, 300, learns=True, seed=3), width=100)
    assert study.tracked is not None
    assert study.tracked.anchor == "entrants"
    per_game = next(rate for rate in study.death_rates if rate.per == "game")
    # the error is that of tracking alone; the list of 1200 ratings adds its own, of about a tenth
    assert per_game.value == pytest.approx(DEATH, rel=0.2)
    frame = study.to_frame().filter(pl.col("players") > 80)
    assert len(frame) >= 5
    fluid, followed = frame["fluid_per_game"].to_numpy(), frame["tracked_per_game"].to_numpy()
    error = np.hypot(
        frame["tracked_per_game_error"].to_numpy(), frame["learning_over_death_error"].to_numpy() * per_game.value
    )
    assert (np.abs(fluid - followed) < 3.5 * error).all()
    assert followed[0] > followed[-1]


def test_a_list_of_ratings_gives_bins_and_shapes_only() -> None:
    rng = np.random.default_rng(0)
    study = study_learning(LearningModel(c8=0.05, origin=900).curve(rng.exponential(1, 2000)), origin=900)
    assert (study.tracked, study.death_rates) == (None, ())
    assert study.distributions.best.shape == "learning"
    assert study.to_frame()["fluid_per_game"].to_list() == [None] * len(study.bins.low)
    assert study.summary().startswith("2,000 ratings")
    assert len(study.plot().to_dict()["layer"]) == 2


def test_without_newcomers_learning_is_relative_to_the_opponents() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 40, 4000)
    matches = Matches.of_pairs(first, (first + rng.integers(1, 40, 4000)) % 40, rng.integers(0, 2, 4000))
    study = study_learning(matches, games=20)
    assert study.tracked is not None
    assert study.tracked.anchor == "opponents"
    assert [rate.per for rate in study.death_rates] == ["game"]
    assert len(study.summary().splitlines()) <= 20
    assert len(study.plot().to_dict()["layer"]) == 3
    with pytest.raises(LudometerError, match="fewer than ten"):
        study_learning(Matches.of_pairs([0, 1] * 60, [1, 0] * 60, [1, 0] * 60), games=20)


def test_chess_players_learn_and_the_better_more_slowly(shared_data: Path) -> None:
    rows = pl.read_parquet(shared_data / "chess_twic.parquet").filter(
        ~pl.col("fast") & (pl.col("date").dt.year() < 2006)
    )
    names = pl.concat([rows["player_1"], rows["player_2"]]).unique(maintain_order=True)
    code = dict(zip(names, range(len(names)), strict=True))
    first, second = (
        rows[column].replace_strict(code, return_dtype=pl.Int32).to_numpy() for column in ("player_1", "player_2")
    )
    real = first != second
    matches = Matches.of_pairs(
        first[real], second[real], rows["score_1"].to_numpy()[real], time=rows["date"].to_numpy()[real]
    )
    study = study_learning(matches, k=30.0)
    assert study.tracked is not None
    assert study.tracked.time_unit == "year"
    overall = study.tracked.overall
    assert overall.per_time is not None
    assert overall.per_time_error is not None
    assert overall.per_time[0] > 3 * overall.per_time_error[0]
    learned = study.tracked.experience
    assert learned is not None
    assert learned.per_game is not None
    assert learned.per_game[0] > learned.per_game[3] > 0
