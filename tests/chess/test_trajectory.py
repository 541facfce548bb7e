"""Move by move: each estimate is that of the moves so far, and the band covers the play of the game."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.chess.record.evaluations import EvaluatedGame, Evaluations
from ludometer.chess.strength.gains import measure_gains
from ludometer.chess.strength.trajectory import follow_player, trace_scores
from ludometer.errors import LudometerError
from ludometer.moves.gains import ENGINE, Reference, expected_score, rating_difference
from tests.chess.simulated import draw_form, draw_gains, simulate, true_gains


def test_each_estimate_is_that_of_the_moves_so_far() -> None:
    games = Evaluations.of_games(simulate(np.random.default_rng(1), [20, 30], [(0, 1), (1, 0)]))
    gains = measure_gains(games)
    found = follow_player(gains, "P0", engine=2860)
    mine = gains.of("P0")
    assert len(found) == len(mine) == 80
    with np.errstate(divide="ignore"):
        plain = [float(rating_difference(expected_score(mine[: n + 1], np.zeros(1)))) for n in range(80)]
    np.testing.assert_allclose(found.difference, plain, atol=1e-9)
    np.testing.assert_allclose(found.strength[-1], 2860 + plain[-1])
    assert (found.low <= found.difference).all()
    assert (found.difference <= found.high).all()


def test_no_estimate_yet_while_all_gains_are_negative() -> None:
    game = EvaluatedGame("1", "Ann", "Ben", [100, 90, 90, 80, 80, 70, 70, 70, 70])
    found = follow_player(measure_gains(Evaluations.of_games([game])), "Ann", engine=2860)
    assert found.n_without == 3
    frame = found.to_frame()
    assert frame["difference"].to_list()[:3] == [None] * 3
    assert frame["low"].null_count() == 3
    # an upper end exists even then: three losses do not prove endless weakness
    assert np.isfinite(found.high).all()
    assert "no estimate yet after the first 3 moves" in found.summary()
    assert len(found.plot().to_dict()["layer"]) == 2
    never = follow_player(
        measure_gains(Evaluations.of_games([EvaluatedGame("1", "Ann", "Ben", [9, 8, 8, 7, 7])])), "Ann"
    )
    assert never.n_without == len(never) == 2
    assert "against" not in never.summary()


@pytest.mark.parametrize("pooled", [False, True])
def test_the_band_covers_the_play_of_a_game(pooled: bool) -> None:
    rng = np.random.default_rng(2)
    reference = Reference.of("pooled", true_gains(25.0, 200)) if pooled else ENGINE
    hits = []
    for _ in range(400):
        form = draw_form(rng, 0.0)
        _, low, high = trace_scores(draw_gains(rng, 25, form), np.zeros(40, np.int32), reference=reference)
        truth = expected_score(draw_gains(rng, 25, form, 3000), reference.gains)
        hits.append([low[n - 1] <= truth <= high[n - 1] for n in (6, 20, 40)])
    # Wilson's interval is wide for few moves, so the lower bound is the one that matters
    assert (np.mean(hits, axis=0) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)).all()


def test_over_many_games_moves_of_a_game_count_as_one_cluster() -> None:
    # every game is all 0 or all losses: 30 moves tell no more than one
    value = np.repeat([0, -10, 0, -10, 0, -10], 30).astype(np.int32)
    game = np.repeat(np.arange(6), 30).astype(np.int32)
    _, low, high = trace_scores(value, game)
    _, free_low, free_high = trace_scores(value, np.zeros(180, np.int32))
    assert high[-1] - low[-1] > 3 * (free_high[-1] - free_low[-1])


def test_a_player_without_moves_is_refused() -> None:
    game = EvaluatedGame("1", "Ann", "Ben", [0, 5])
    gains = measure_gains(Evaluations.of_games([game]))
    with pytest.raises(LudometerError, match="Ben has no moves"):
        follow_player(gains, "Ben")
    with pytest.raises(LudometerError, match="no player is called"):
        follow_player(gains, "Cid")
