from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError
from ludometer.skat.luck.factors import (
    PAPER_NORMAL,
    ChanceFactors,
    adjust_points,
    correct_games,
    correct_records,
    declared_games,
    hand_quotient,
    table_points,
)
from ludometer.skat.luck.features import count_stegen
from ludometer.skat.luck.winning import default_model
from ludometer.skat.programs.card_player import simulate_games


def records(n: int = 400) -> Any:
    """Simulated games in the columns of `skat.records` that the factors need."""
    games = simulate_games(n, blunder=0.1, seed=8)
    folded = games.declarer < 0
    frame = pl.DataFrame(
        {
            **{f"hand_{seat}": games.dealt[:, seat] for seat in range(3)},
            "skat": games.skat,
            "discards": games.laid,
            "declarer": games.declarer,
            "game": games.game,
            "bid": games.bid,
            "is_hand": np.zeros(n, bool),
            "ouvert": np.zeros(n, bool),
            "kind": np.where(folded, "folded", np.where(games.won, "won", "lost")),
            "won": games.won,
            "value": games.value,
        }
    )
    return games, frame.with_columns(pl.col("declarer", "game").replace(-1, None))


def test_the_papers_example_is_divided_not_multiplied() -> None:
    q = hand_quotient([9.5], [0], normal={"suit": 8.72})
    assert q[0] == pytest.approx(1.0894, abs=5e-5)
    assert adjust_points([86], [True], q, ChanceFactors(hand=True)).round() == [79]


def test_the_papers_clip_acts_below_the_chances_that_the_spec_names() -> None:
    for kind, lowest in ((0, 0.402), (1, 0.467), (2, 0.31)):
        at = hand_quotient([lowest, lowest - 0.05, 1.0], [kind] * 3, normal=PAPER_NORMAL)
        assert at[0] == pytest.approx(0.5)
        assert at[1] == 0.5
        assert at[2] < 1.62


def test_the_value_becomes_41_before_it_is_divided() -> None:
    both = adjust_points([24, 264], [True, True], [0.5, 2.0], ChanceFactors(hand=True, mean_value=True))
    assert both.tolist() == [82.0, 20.5]
    assert adjust_points([0], [False], [1.0], ChanceFactors(mean_value=True)).tolist() == [0.0]


@pytest.mark.parametrize(("lost", "points"), [("divide", -48.0), ("keep", -60.0), ("multiply", -75.0)])
def test_what_a_strong_hand_lost_costs_is_a_choice(lost: Any, points: float) -> None:
    assert adjust_points([30], [False], [1.25], ChanceFactors(hand=True, lost=lost)).tolist() == [points]


def test_without_means_of_others_the_mean_of_these_games_counts_by_kind() -> None:
    q = hand_quotient([0.5, 0.7, 0.9, np.nan], [0, 0, 1, 1])
    assert q == pytest.approx([0.5 / 0.6, 0.7 / 0.6, 1.0, 1.0])
    assert hand_quotient([0.3], [4], normal={"null": 0.6})[0] == 0.5


def test_factors_that_make_no_sense_are_refused() -> None:
    with pytest.raises(LudometerError, match="enclose 1"):
        ChanceFactors(clip=(1.2, 2))
    with pytest.raises(LudometerError, match="divide, keep or multiply"):
        ChanceFactors(lost="halve")  # type: ignore[arg-type]


def test_points_of_the_table_are_extended_seeger() -> None:
    assert table_points([1], [-54], [False], n_seats=4).tolist() == [[30, -104, 30, 30]]


def test_records_without_factors_give_the_plain_points() -> None:
    games, frame = records()
    expected = table_points(games.declarer, games.points, games.won)
    np.testing.assert_array_equal(correct_records(frame), expected)


def test_records_give_the_declarers_cards_as_played() -> None:
    games, frame = records()
    found, rows = declared_games(frame)
    np.testing.assert_array_equal(rows, games.declarer >= 0)
    for name in ("game", "hand", "skat", "bid", "position"):
        np.testing.assert_array_equal(getattr(found, name), getattr(games.declared, name))


def test_i1_with_the_model_and_with_a_function_of_the_user_change_only_the_declarers_value() -> None:
    games, frame = records()
    plain = correct_records(frame)
    by_model = correct_records(frame, ChanceFactors(hand=True))
    by_count = correct_records(frame, ChanceFactors(hand=True), strength=count_stegen)
    for changed in (by_model, by_count):
        others = np.ones_like(plain, bool)
        others[games.played, games.declarer[games.played]] = False
        np.testing.assert_array_equal(changed[others], plain[others])
        assert (changed != plain).any()
    chance = default_model().predict(games.declared)
    q = hand_quotient(chance, games.declared.kind)
    first = games.played[0]
    signed = games.value[first] / q[0] * (1 if games.won[first] else -2) + (50 if games.won[first] else -50)
    assert by_model[first, games.declarer[first]] == pytest.approx(signed)


def test_certain_games_can_be_left_out() -> None:
    games, frame = records()
    table = correct_records(frame, ChanceFactors(certain=0.97))
    chance = default_model().predict(games.declared)
    out = games.played[chance >= 0.97]
    assert len(out) > 0
    assert not table[out].any()
    kept = games.played[chance < 0.97]
    np.testing.assert_array_equal(table[kept], correct_records(frame)[kept])
    assert np.isnan(correct_games(games.declared, games.value[games.played], games.won[games.played],
                                  ChanceFactors(certain=0.97))).sum() == len(out)  # fmt: skip


def test_i3_moves_points_by_the_cards_and_keeps_their_mean() -> None:
    _, frame = records(3000)
    plain, corrected = correct_records(frame), correct_records(frame, ChanceFactors(deal="own"))
    moved = plain - corrected
    assert corrected.var() < plain.var()
    assert abs(moved.mean()) < 4 * moved.std() / np.sqrt(moved.size)


def test_records_of_a_server_are_corrected_and_lose_no_declarer(shared_data: Path) -> None:
    from ludometer.skat.reading.iss import read_skat

    path = shared_data / "skat" / "iss_games.sgf"
    if not path.exists():
        pytest.skip("needs skat/iss_games.sgf")
    frame = read_skat(path, replay=True).records
    games, rows = declared_games(frame)
    counted = frame["kind"].cast(pl.String).is_in(["won", "lost"]).to_numpy()
    # all whose discard is known
    assert rows.sum() == (counted & frame["game"].is_not_null().to_numpy()).sum() > 30
    chance = default_model().predict(games)
    assert ((chance > 0) & (chance < 1)).all()
    plain, corrected = correct_records(frame), correct_records(frame, ChanceFactors(hand=True))
    seat = frame["declarer"].fill_null(0).to_numpy()
    won = frame["won"].fill_null(False).to_numpy()
    points = frame["points"].fill_null(0).to_numpy()
    expected = (points + np.where(won, 50, -50))[rows]
    np.testing.assert_array_equal(plain[rows, seat[rows]], expected)
    ratio = (corrected - plain)[rows, seat[rows]] / points[rows] + 1
    assert ((ratio >= 0.5) & (ratio <= 2)).all()
