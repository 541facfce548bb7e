"""Conventions are varied one at a time, and the effect stands beside the first."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.chess.record.evaluations import EvaluatedGame, Evaluations
from ludometer.chess.strength.gains import Filters
from ludometer.chess.strength.strengths import measure_strengths
from ludometer.chess.strength.variation import compare_filters, vary_mate_value
from ludometer.errors import LudometerError
from ludometer.moves.uncertainty import Intervals
from tests.chess.simulated import round_robin, simulate


def test_each_variant_is_what_it_would_be_alone() -> None:
    games = Evaluations.of_games(simulate(np.random.default_rng(1), [15, 20, 25, 30, 40], round_robin(5)))
    chosen = [Filters(skip_plies=24), Filters(window=200)]
    found = compare_filters(games, filters=chosen, intervals=Intervals(replicates=50))
    assert found.variants == ("all moves", "without the first 24 plies", "within 2 pawns")
    for k, filters in enumerate([Filters(), *chosen]):
        alone = measure_strengths(games, filters=filters, intervals=Intervals(replicates=50))
        np.testing.assert_allclose(found.relative[k], alone.relative, atol=1e-9)
        assert found.moves[k].tolist() == alone.tally.moves.tolist()
    ranks = [np.argsort(np.argsort(row)) for row in found.relative[:2]]
    n = len(ranks[0])
    assert found.rank_correlation[1] == pytest.approx(1 - 6 * ((ranks[0] - ranks[1]) ** 2).sum() / (n**3 - n))
    assert found.to_frame().height == 15
    assert len(found.summary().splitlines()) == 4
    assert found.plot().to_dict()["mark"]["type"] == "line"


def test_only_games_with_mates_change_with_the_value_of_mate() -> None:
    quiet = simulate(np.random.default_rng(3), [15, 25], [(0, 1)] * 4)
    assert not Evaluations.of_games(quiet).mate.any()
    same = vary_mate_value(Evaluations.of_games(quiet), values=(3900, 10_000), intervals=Intervals(replicates=50))
    np.testing.assert_array_equal(same.relative[0], same.relative[1])
    # the move into mate is a loss of 29 pawns, or a gain where mate is worth less than the position before it
    lost = EvaluatedGame("m", "P0", "P1", [0, -1000, -1000, float("-inf"), float("-inf")])
    found = vary_mate_value(
        Evaluations.of_games([*quiet, lost]), values=(3900, 500), intervals=Intervals(replicates=50)
    )
    assert found.variants == ("39 pawns", "5 pawns")
    assert found.relative[0, 0] != found.relative[1, 0]
    with pytest.raises(LudometerError, match="at least one filter"):
        compare_filters(Evaluations.of_games(quiet), filters=[])
