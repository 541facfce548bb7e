"""Several events: one player in two of them, and all on one scale by the engine."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.chess.record.evaluations import Evaluations
from ludometer.chess.strength.events import compare_events, scale_events
from ludometer.chess.strength.gains import measure_gains
from ludometer.errors import LudometerError
from ludometer.moves.gains import expected_score
from tests.chess.simulated import round_robin, simulate

RATINGS = [2750.0, 2700.0, 2650.0, 2600.0]


def two_events() -> Evaluations:
    rng = np.random.default_rng(1)
    london = simulate(rng, [15, 20, 25, 30], round_robin(4) * 3, ratings=RATINGS, event="London")
    # fifteen years earlier: the same players, ratings 100 lower
    moscow = simulate(
        rng, [15, 20, 25, 30, 35], round_robin(5) * 3, ratings=[*(r - 100 for r in RATINGS), 2400.0], event="Moscow"
    )
    return Evaluations.of_games([*london, *moscow])


def test_players_of_two_events_are_held_against_each_other() -> None:
    games = two_events()
    found = compare_events(games, "London", "Moscow")
    frame = found.to_frame()
    assert frame.height == 16
    gains = measure_gains(games)
    for row in frame.to_dicts():
        samples = []
        for name, event in ((row["player_1"], "London"), (row["player_2"], "Moscow")):
            mine = (gains.player == games.players.code(name)) & (gains.event == games.event_code(event))
            samples.append(gains.value[mine])
        assert row["expected_score"] == expected_score(*samples)
        assert row["low"] < row["difference"] < row["high"]
    assert found.same()["player_1"].to_list() == list(found.players) == ["P1", "P0", "P2", "P3"]
    assert len(found.summary().splitlines()) == 5
    assert found.plot().to_dict()["mark"]["type"] == "rect"
    assert compare_events(games, "London", "Moscow", players=["P1"]).to_frame().height == 1


def test_events_on_one_scale_show_how_far_ratings_lie_apart() -> None:
    games = two_events()
    found = scale_events(games, anchor="London")
    table = {row["event"]: row for row in found.events_frame().to_dicts()}
    # the anchor's strengths have the mean of its ratings; the other event plays alike but is rated lower
    assert table["London"]["strength"] == pytest.approx(np.mean(RATINGS))
    moscow = table["Moscow"]
    assert moscow["players"] == 5
    assert moscow["strength_minus_rating"] > 50
    assert moscow["low"] < moscow["strength"] < moscow["high"]
    np.testing.assert_allclose(found.strength, found.engine + found.against_engine.difference)
    fixed = scale_events(games, engine=2860.0)
    np.testing.assert_allclose(fixed.strength - found.strength, 2860 - found.engine)
    assert found.to_frame().height == 9
    assert "Moscow" in found.summary()
    assert len(found.plot().to_dict()["layer"]) == 4


def test_what_cannot_be_compared_is_said() -> None:
    games = two_events()
    with pytest.raises(LudometerError, match="no event is called 'Paris'; there are: 'London', 'Moscow'"):
        compare_events(games, "London", "Paris")
    with pytest.raises(LudometerError, match="two different"):
        compare_events(games, "London", "London")
    with pytest.raises(LudometerError, match="without moves in one of the events: P4"):
        compare_events(games, "London", "Moscow", players=["P4"])
    bare = Evaluations.of_games(simulate(np.random.default_rng(2), [20, 30], [(0, 1)]))
    with pytest.raises(LudometerError, match="no player has a known rating"):
        scale_events(bare)
