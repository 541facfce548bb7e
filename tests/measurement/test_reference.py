"""Golden tests: every row of Duersch, Lambrecht, Oechssler (2020), Tables 2, 5, 6, recomputed from SD and quantiles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ludometer.measurement
from ludometer.measurement.benchmarks.published import (
    ReferenceGame,
    describe_place,
    neighbours,
    published_x,
    reference_games,
)
from ludometer.measurement.spread import repetitions
from ludometer.scale import expected_score

PUBLISHED = Path(ludometer.measurement.__file__).parent / "benchmarks" / "tables"
TABLES = {25: "Table 2", 1: "Table 5", 100: "Table 6"}
ROWS = [(cutoff, game) for cutoff in TABLES for game in reference_games(cutoff)]
HALF = 0.05
"""The printed SDs and quantiles have one decimal."""

SLIPS = {
    # Duersch et al. 2020: numbers of games that do not follow from the SD in the same row
    ("Table 2", "Crazy 8s (3p)"): (2.3, 12_637, 10_381),
    ("Table 5", "Crazy 8s (3p)"): (0.7, 56_868, 112_075),
}


def row_name(row: tuple[int, ReferenceGame]) -> str:
    return f"Duersch 2020, {TABLES[row[0]]}, {row[1].game}"


def expected(difference: float) -> float:
    return float(expected_score(np.array(difference)))


def needed(sd: float) -> int:
    games = repetitions(expected(sd))
    assert games is not None
    return games


def test_there_are_69_rows() -> None:
    assert len(ROWS) == 69
    assert all(len(reference_games(cutoff)) == 23 for cutoff in TABLES)


@pytest.mark.parametrize("row", ROWS, ids=row_name)
def test_what_one_sd_better_scores_follows_from_the_sd(row: tuple[int, ReferenceGame]) -> None:
    # printed in percent with one decimal, from an SD before rounding
    game = row[1]
    low, high = (round(100 * expected(game.sd + side), 1) for side in (-HALF, HALF))
    assert low <= round(100 * game.p_sd, 1) <= high


@pytest.mark.parametrize("row", ROWS, ids=row_name)
def test_the_best_against_the_worst_follows_from_the_quantiles(row: tuple[int, ReferenceGame]) -> None:
    game = row[1]
    low, high = (round(100 * expected(game.q99 - game.q01 + 2 * side), 1) for side in (-HALF, HALF))
    assert low <= round(100 * game.p_1_99, 1) <= high


def test_the_games_needed_follow_from_the_sd_in_67_rows_and_two_are_the_papers_slips() -> None:
    slips = {
        (TABLES[cutoff], game.game): (game.sd, game.rep, needed(game.sd))
        for cutoff, game in ROWS
        if not needed(game.sd + HALF) <= game.rep <= needed(game.sd - HALF)
    }
    assert slips == SLIPS
    assert len(ROWS) - len(slips) == 67


def test_the_first_slip_comes_from_a_rounded_probability() -> None:
    # Duersch et al. 2020, Table 2, Crazy 8s (3p)
    assert repetitions(0.503) == 12_637
    assert (needed(2.3 + HALF), needed(2.3 - HALF)) == (9_945, 10_849)


def test_the_second_slip_is_even_and_so_cannot_be_a_smallest_odd_number() -> None:
    # Duersch et al. 2020, Table 5, Crazy 8s (3p)
    assert [game.rep for _, game in ROWS if game.rep % 2 == 0] == [56_868]


@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*.csv")), ids=lambda path: path.name)
def test_the_bundled_tables_are_those_of_the_reference_folder(shared_data: Path, path: Path) -> None:
    source = shared_data.parent / "reference" / path.name
    if not source.exists():
        pytest.skip(f"{path.name} is not in the shared reference folder")
    assert path.read_text(encoding="utf-8").split() == source.read_text(encoding="utf-8").split()


def test_games_are_listed_by_skill_and_benchmarks_are_marked() -> None:
    games = reference_games()
    assert [game.sd for game in games] == sorted((game.sd for game in games), reverse=True)
    assert {game.game for game in games if game.is_benchmark} == {"50% Determ.", "50% Chess"}


@pytest.mark.parametrize("sd", [0.0, 1.0, 2.3, 10.0, 22.9, 100.0, 171.7, 200.0, 278.9, 500.0])
def test_neighbours_enclose_an_sd(sd: float) -> None:
    above, below = neighbours(sd)
    names = [game.game for game in reference_games()]
    assert above is None or above.sd >= sd
    assert below is None or below.sd < sd
    if above and below:
        assert names.index(below.game) == names.index(above.game) + 1


def test_the_place_of_an_sd_is_told_in_words() -> None:
    assert describe_place(300) == "above all published games (the highest is Go, 278.9)"
    assert describe_place(0) == "below all published games (the lowest is Crazy 8s (3p), 2.3)"
    assert describe_place(100) == "between half skill, half coin (122.8) and Tetris (2p) (95.7) on the published scale"


@pytest.mark.parametrize(("x", "sd"), [(50, 122.8), (40, 91.9), (30, 61.1), (20, 32.3), (15, 22.7), (10, 10.7), (0, 0)])
def test_the_published_line_of_mixed_games_is_met_at_its_points(x: float, sd: float) -> None:
    # Duersch et al. 2020, Table 9
    assert published_x(sd)[0] == pytest.approx(x)


@pytest.mark.parametrize(("x", "sd"), [(100, 171.7), (50, 44.9), (25, 22.9), (0, 0)])
def test_the_published_line_of_mixed_chess_is_met_at_its_points(x: float, sd: float) -> None:
    # Duersch et al. 2020, Table 2, and section 4 for 25%
    assert published_x(sd)[1] == pytest.approx(x)


def test_between_the_points_the_lines_are_straight_and_above_them_is_nothing() -> None:
    assert published_x((122.8 + 91.9) / 2)[0] == pytest.approx(45)
    assert published_x((171.7 + 44.9) / 2)[1] == pytest.approx(75)
    assert published_x(122.9)[0] is None
    assert published_x(171.8) == (None, None)
