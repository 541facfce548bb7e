"""Ferreira's Tables 1, 3 and 4 from their printed differences, and least squares by two routes."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Codes, Floats
from ludometer.chess.strength.strengths import engine_strength, iterate_as_printed, shift_to_ratings, solve_strengths
from ludometer.errors import LudometerError, NoFiniteFit

GOLDEN = Path(__file__).parents[1] / "golden"


def rows(name: str) -> list[dict[str, str]]:
    """Ferreira 2012: Tables 1 and 4 (London Classic 2011), Table 3 (Candidates 2011)."""
    with (GOLDEN / f"ferreira_{name}.csv").open() as file:
        return list(csv.DictReader(file))


def column(table: list[dict[str, str]], name: str) -> Floats:
    return np.array([float(row[name]) for row in table])


def london() -> tuple[Codes, Codes, Floats]:
    table = rows("table1_4")
    first, second = (codes.astype(np.int32) for codes in np.triu_indices(len(table), 1))
    d = [float(table[i][f"d_{table[j]['player']}"]) for i, j in zip(first, second, strict=True)]
    return first, second, np.array(d)


def candidates() -> tuple[Codes, Codes, Floats]:
    names = [row["player"] for row in rows("table3")]
    pairs = rows("table3_pairs")
    first, second = (np.array([names.index(row[key]) for row in pairs], np.int32) for key in ("player_1", "player_2"))
    return first, second, column(pairs, "d")


def test_table_1_by_the_printed_iteration_and_exactly() -> None:
    elo, printed = column(rows("table1_4"), "elo"), column(rows("table1_4"), "strength")
    assert iterate_as_printed(*london(), elo).tolist() == printed.tolist()
    exact = solve_strengths(*london(), len(elo))
    exact += shift_to_ratings(exact, elo) or 0.0
    assert (np.rint(exact) == printed).sum() == 6
    assert np.abs(np.rint(exact) - printed).max() == 1
    # a complete round robin has a closed form
    first, second, d = london()
    sums = np.bincount(first, d, minlength=9) - np.bincount(second, d, minlength=9)
    np.testing.assert_allclose(exact, elo.mean() + sums / 9, rtol=1e-12)


def test_table_3_exactly() -> None:
    table = rows("table3")
    elo = column(table, "elo")
    exact = solve_strengths(*candidates(), len(elo)) + elo.mean()
    assert np.rint(exact).tolist() == [2794, 2782, 2777, 2762, 2760, 2750, 2739, 2732]
    assert np.rint(exact).tolist() == column(table, "strength_exact").tolist()
    assert np.abs(exact - column(table, "strength_printed")).max() <= 2


def test_table_4_the_engine_is_2860_by_ratings_and_by_strengths() -> None:
    table = rows("table1_4")
    engine = engine_strength(column(table, "elo"), column(table, "d_engine"), column(table, "strength"))
    assert engine.by_rating == pytest.approx(2859.67, abs=0.005)
    assert engine.by_strength == pytest.approx(2860.0)
    assert engine.strength is not None
    assert round(engine.strength) == 2860


def test_a_player_without_a_finite_difference_does_not_count_for_the_engine() -> None:
    engine = engine_strength(np.array([2000.0, 2100.0, np.nan]), np.array([-100.0, -np.inf, -50.0]))
    assert engine.strength == 2100
    assert engine.n_players == 1
    assert engine_strength(np.full(2, np.nan), np.zeros(2)).strength is None


@given(st.integers(2, 9), st.integers(0, 10_000))
def test_the_laplacian_gives_what_least_squares_gives(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    extra = rng.integers(0, n, (n, 2))
    extra = extra[extra[:, 0] != extra[:, 1]]
    first = np.concatenate((order[:-1], extra[:, 0])).astype(np.int32)
    second = np.concatenate((order[1:], extra[:, 1])).astype(np.int32)
    d = rng.normal(0, 50, (len(first), 3))
    design = np.zeros((len(first), n))
    design[np.arange(len(first)), first] = 1
    design[np.arange(len(first)), second] -= 1
    plain = np.linalg.lstsq(design, d, rcond=None)[0]
    np.testing.assert_allclose(solve_strengths(first, second, d, n), plain, atol=1e-8)


def test_parts_that_no_pair_joins_are_named() -> None:
    names = ["Ann", "Ben", "Cid", "Dora", "Eve"]
    with pytest.raises(LudometerError, match=r"3 groups .*: Ann, Ben; Cid, Dora; Eve\. "):
        solve_strengths(np.array([0, 2]), np.array([1, 3]), np.zeros(2), 5, names=names)


def test_a_difference_without_end_is_refused_by_name() -> None:
    with pytest.raises(NoFiniteFit, match="Ann and Ben"):
        solve_strengths(np.array([0]), np.array([1]), np.array([np.inf]), 2, names=["Ann", "Ben"])


def test_the_printed_iteration_needs_all_ratings() -> None:
    with pytest.raises(LudometerError, match="ratings of all players"):
        iterate_as_printed(np.array([0]), np.array([1]), np.array([5.0]), np.array([2000.0, np.nan]))


def test_strengths_are_shifted_to_the_mean_of_the_known_ratings_only() -> None:
    assert shift_to_ratings(np.array([10.0, 0.0, -10.0]), np.array([2000.0, np.nan, 1900.0])) == 1950
    assert shift_to_ratings(np.zeros(2), np.full(2, np.nan)) is None
