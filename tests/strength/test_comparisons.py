"""Comparisons: pairs, weights and islands."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.strength.comparisons import gather


def test_who_had_the_first_seat_is_kept_only_when_asked_for() -> None:
    matches = Matches.of_pairs([0, 1, 0], [1, 0, 1], [1, 1, 0.5])
    assert gather(matches).outcomes.T.tolist() == [[1, 1, 1]]
    ordered = gather(matches, ordered=True)
    assert ordered.row.tolist() == [0, 1]
    assert ordered.outcomes.T.tolist() == [[1, 1, 0], [1, 0, 0]]


def test_matches_without_weight_link_nobody() -> None:
    matches = Matches.of_pairs([0, 1, 3], [1, 2, 4], [1, 0, 1], players=Players.numbered(6))
    assert gather(matches).n_islands == 2
    pairs = gather(matches, weights=[1, 0, 2])
    assert (pairs.n_islands, len(pairs), pairs.tie_rate) == (2, 2, 0)
    assert pairs.played.tolist() == [True, True, False, True, True, False]
    np.testing.assert_allclose(pairs.centre(np.array([3.0, 1, 7, 2, 4, 9])), [1, -1, 0, -1, 1, 0])


@pytest.mark.parametrize("weights", [[1, 1], [1, 1, -1], [1, 1, np.nan]])
def test_bad_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(LudometerError, match="weights"):
        gather(Matches.of_pairs([0, 1, 3], [1, 2, 4], [1, 0, 1]), weights=weights)


def test_no_matches_are_refused() -> None:
    with pytest.raises(MatchDataError, match="no matches"):
        gather(Matches.of_pairs([0], [1], [1]), weights=[0])
