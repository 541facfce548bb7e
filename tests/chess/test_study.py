"""Strengths with what stands beside them: each part is what its own function gives, and what is not there is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ludometer.chess import (
    Calibration,
    calibrate,
    compare_events,
    compare_filters,
    measure_quality,
    scale_events,
    study_strengths,
    usual_filters,
)
from ludometer.chess.record.evaluations import Evaluations
from ludometer.chess.strength.gains import Filters, measure_gains
from ludometer.chess.strength.strengths import measure_strengths
from ludometer.chess.strength.trajectory import follow_player
from ludometer.errors import LudometerError
from ludometer.moves import pool_gains
from ludometer.moves.uncertainty import Intervals
from ludometer.result import Result
from tests.chess.simulated import round_robin, simulate

RATINGS = [2750.0, 2700.0, 2650.0, 2600.0]
SETTINGS: dict[str, Any] = {"intervals": Intervals(replicates=60, seed=3)}


def two_events(ratings: list[float] | None = RATINGS) -> Evaluations:
    rng = np.random.default_rng(1)
    games = [
        game
        for event in ("London", "Moscow")
        for game in simulate(rng, [15, 20, 25, 30], round_robin(4) * 2, ratings=ratings, event=event)
    ]
    return Evaluations.of_games(games)


def test_each_part_is_what_it_would_be_alone() -> None:
    games = two_events()
    filters = Filters(skip_plies=4)
    found = study_strengths(
        games, compared=("London", "Moscow"), choices=True, measures=True, filters=filters, **SETTINGS
    )
    alone = measure_strengths(games, filters=filters, **SETTINGS)
    np.testing.assert_array_equal(found.strengths.strength, alone.strength)
    assert found.events is not None
    np.testing.assert_array_equal(
        found.events.strength,
        scale_events(games, engine=alone.engine.strength, filters=filters, **SETTINGS).strength,
    )
    assert found.comparison is not None
    compared = compare_events(games, "London", "Moscow", filters=filters, **SETTINGS)
    assert found.comparison.to_frame().equals(compared.to_frame())
    assert found.quality is not None
    np.testing.assert_array_equal(found.quality.loss, measure_quality(games, **SETTINGS).loss)
    assert found.filters is not None
    assert "without the first 4 plies" in found.filters.variants
    assert found.mate_values is not None
    assert found.absent.keys() == {"sensitivity"}
    assert "--lines 2" in found.absent["sensitivity"]
    assert "London" in found.summary()


def test_nothing_is_measured_that_was_not_asked_for() -> None:
    found = study_strengths(two_events().of_events(["London"]), **SETTINGS)
    assert (found.events, found.filters, found.quality) == (None, None, None)
    assert found.absent["events"] == "there is one event"
    assert {found.absent[name] for name in ("comparison", "filters", "quality")} == {"not asked for"}


def test_an_anchor_takes_the_ratings_of_one_event() -> None:
    games = two_events()
    found = study_strengths(games, anchor="Moscow", **SETTINGS).events
    assert found is not None
    table = {row["event"]: row for row in found.events_frame().to_dicts()}
    assert table["Moscow"]["strength"] == pytest.approx(np.mean(RATINGS))
    with pytest.raises(LudometerError, match="no event is called 'Paris'"):
        study_strengths(games, anchor="Paris", **SETTINGS)
    with pytest.raises(LudometerError, match="no event is called 'Paris'"):
        study_strengths(games, compared=("London", "Paris"), **SETTINGS)


def test_without_ratings_events_have_no_scale_until_the_engine_has_one() -> None:
    bare = two_events(None)
    assert "no player has a known rating" in study_strengths(bare, **SETTINGS).absent["events"]
    scaled = study_strengths(bare, engine=2860.0, **SETTINGS).events
    assert scaled is not None
    assert scaled.engine == 2860


def test_by_way_of_the_engine_there_are_relative_strengths_without_ratings() -> None:
    found = measure_strengths(two_events(None), method="engine", **SETTINGS)
    difference = found.against_engine.difference
    np.testing.assert_allclose(found.relative, difference - difference.mean())
    assert np.isnan(found.strength).all()
    assert (found.low < found.relative).all()


def test_players_who_never_met_have_strengths_by_the_engine_only() -> None:
    games = two_events()
    apart = games.take(np.arange(len(games)) < 0)
    with pytest.raises(LudometerError, match="no move has a gain"):
        study_strengths(apart, **SETTINGS)
    (game,) = simulate(np.random.default_rng(2), [20, 30], [(0, 1)], ratings=[2700, 2600])
    white_only = Evaluations.of_games([replace(game, evaluation=game.evaluation[:2])])
    with pytest.raises(LudometerError, match="through the engine"):
        measure_strengths(white_only, **SETTINGS)
    found = measure_strengths(white_only, method="engine", **SETTINGS)
    assert found.names == ("P0",)


def test_a_filter_that_leaves_too_little_has_a_reason_and_the_others_stay() -> None:
    games = two_events()
    varied = compare_filters(games, filters=[Filters(skip_plies=16), Filters(skip_plies=500)], **SETTINGS)
    assert list(varied.reasons) == ["without the first 500 plies"]
    assert "leaves out all" in varied.reasons["without the first 500 plies"]
    assert np.isnan(varied.relative[2]).all()
    assert np.isfinite(varied.relative[1]).all()
    assert varied.largest_change[0] == 0
    assert np.isnan(varied.largest_change[2])


def test_filters_by_phase_and_gap_are_tried_where_they_can_be() -> None:
    games = two_events()
    assert all(entry.phase is None and entry.gap is None for entry in usual_filters(games))
    full = replace(
        games,
        material=np.full(len(games.evaluation), 62, np.int32),
        lines=np.zeros((len(games.evaluation), 2), np.int32),
    )
    found = usual_filters(full, Filters(window=200))
    assert found[0] == Filters(window=200)
    assert {entry.phase for entry in found} == {None, "opening", "middlegame", "endgame"}
    assert sum(entry.gap is not None for entry in found) == 1
    assert len(found) == len(set(found))


def test_two_names_of_one_player_become_one() -> None:
    games = two_events()
    merged = games.renamed({"P3": "P0"})
    assert list(merged.players.names) == ["P1", "P0", "P2"]
    before, after = measure_gains(games), measure_gains(merged)
    assert len(after.of("P0")) == len(before.of("P0")) + len(before.of("P3"))
    # games of P0 against P3 are now games of a player against themselves, which are no pair
    found = measure_strengths(merged, **SETTINGS)
    assert all(row["player_1"] != row["player_2"] for row in found.pairs_frame().to_dicts())
    with pytest.raises(LudometerError, match="Nobody"):
        games.renamed({"Nobody": "P1"})


def test_a_calibration_by_pooled_gains_refuses_other_gains() -> None:
    rng = np.random.default_rng(5)
    losses = np.linspace(12, 45, 9)
    ratings = np.linspace(2700, 2100, 9)
    rated = Evaluations.of_games(simulate(rng, losses, round_robin(9), ratings=ratings))
    pooled = pool_gains(measure_gains(rated))
    made: Calibration = calibrate(rated, reference=pooled, intervals=Intervals(replicates=60))
    other = two_events()
    with pytest.raises(LudometerError, match="other conventions: reference"):
        made.apply(measure_strengths(other, reference=pool_gains(measure_gains(other)), **SETTINGS))
    applied = made.apply(measure_strengths(other, reference=made.reference, **SETTINGS))
    assert set(applied) == {"P0", "P1", "P2", "P3"}


def test_every_part_is_a_result_with_a_document_and_charts() -> None:
    study = study_strengths(two_events(), compared=("London", "Moscow"), choices=True, measures=True, **SETTINGS)
    trajectory = follow_player(study.gains, "P0", engine=2700)
    assert study.events is not None
    parts: tuple[Result, ...] = (study, study.strengths, study.gains, study.events, trajectory, *study.parts)
    assert len(parts) == 10
    for part in parts:
        assert part.document()["absent"] is not None
        assert part.to_frame().height
        wide, narrow = part.charts(), part.charts(narrow=True)
        assert wide.keys() == narrow.keys() != set()
        assert part.summary()
    assert "<svg" in study.strengths._repr_html_()
    assert {"strengths", "gains", "events", "comparison", "losses", "trajectories"} <= study.charts().keys()
