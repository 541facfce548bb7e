from typing import Any

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.skat.luck.deal_value import describe_deals, describe_hands, fit_deal_value
from ludometer.skat.luck.factors import table_points
from ludometer.skat.programs.card_player import play_deals
from ludometer.skat.rules.cards import JACKS, count_cards, deal_cards


def play(n: int, blunder: Any = 0.1, seed: int = 1) -> Any:
    hands, skat = deal_cards(n, seed=seed)
    games = play_deals(hands, skat, blunder=blunder, seed=seed + 1)
    return hands, table_points(games.declarer, games.points, games.won)


def test_points_that_are_all_luck_of_the_cards_are_explained_wholly() -> None:
    hands, _ = deal_cards(4000, seed=3)
    points = 10.0 * count_cards(hands & np.uint32(JACKS)) + np.array([5.0, 0.0, -5.0])
    value = fit_deal_value(hands, points, ridge=1e-3)
    assert value.reduction > 0.999
    truth = points - points.mean(axis=0)
    assert np.abs(value.deviation - truth).max() < 0.5


def test_points_without_luck_of_the_cards_lose_no_variance() -> None:
    hands, _ = deal_cards(4000, seed=4)
    points = np.random.default_rng(5).normal(size=(4000, 3))
    # cross-fitting does not fool itself: what noise it fits makes things a little worse, not better
    assert -0.06 < fit_deal_value(hands, points, view="table").reduction < 0.005


@pytest.mark.parametrize("view", ["own", "table"])
def test_luck_has_mean_zero_for_strong_and_weak_players(view: Any) -> None:
    rates = np.tile([0.0, 0.2, 0.5], (12_000, 1))
    turn = np.arange(12_000) % 3
    seats = (np.arange(3) + turn[:, None]) % 3
    hands, points = play(12_000, blunder=np.take_along_axis(rates, seats, 1))
    value = fit_deal_value(hands, points, view=view)
    for player in range(3):
        luck = value.deviation[seats == player]
        assert abs(luck.mean()) < 3.5 * luck.std() / np.sqrt(len(luck))
        # and it is no trace of the player: what he lost by blunders stays
    left = points - value.deviation
    assert left[seats == 0].mean() > left[seats == 2].mean()
    assert value.reduction > 0.12


def test_all_cards_explain_more_than_the_own_ones() -> None:
    hands, points = play(8000)
    own, table = (fit_deal_value(hands, points, view=view).reduction for view in ("own", "table"))
    assert table > own > 0.1


def test_a_deal_is_judged_by_a_fit_that_has_not_seen_it() -> None:
    hands, points = play(600)
    before = fit_deal_value(hands, points, seed=2)
    changed = points.copy()
    changed[7] += 1000
    after = fit_deal_value(hands, changed, seed=2)
    same_fold = np.random.default_rng(2).permutation(np.arange(600) % 5)
    same_fold = same_fold == same_fold[7]
    np.testing.assert_allclose(after.deviation[same_fold], before.deviation[same_fold])
    assert not np.allclose(after.deviation[~same_fold], before.deviation[~same_fold])


def test_what_it_predicts_is_what_is_scored() -> None:
    hands, points = play(12_000)
    value = fit_deal_value(hands, points)
    slope = np.polyfit(value.deviation.ravel(), (points - points.mean(axis=0)).ravel(), 1)[0]
    assert slope == pytest.approx(1, abs=0.08)
    assert "of the variance" in value.summary()
    assert value.to_frame().height == 20
    assert value.plot().to_dict()["layer"]


def test_the_view_of_the_table_starts_with_the_own_cards_and_turns() -> None:
    hands, _ = deal_cards(50, seed=6)
    own, table = describe_deals(hands), describe_deals(hands, view="table")
    n = own.shape[2]
    np.testing.assert_array_equal(own[:, 1], describe_hands(hands[:, 1]))
    np.testing.assert_array_equal(table[:, 2, :n], own[:, 2])
    np.testing.assert_array_equal(table[:, 2, n : 2 * n], own[:, 0])


def test_wrong_tables_are_refused() -> None:
    hands, points = play(20)
    for wrong in (
        {"points": points[:5]},
        {"hands": hands | np.uint32(1)},
        {"view": "partner"},
        {"folds": 1},
    ):
        with pytest.raises(LudometerError):
            fit_deal_value(**{"hands": hands, "points": points, **wrong})
