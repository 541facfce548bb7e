"""Tables of evaluations: what is understood, all faults at once, and what is asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ludometer.chess.record.evaluations import BLACK, NOBODY, WHITE, Conventions
from ludometer.chess.record.tables import read_evaluations
from ludometer.chess.strength.gains import measure_gains
from ludometer.errors import LudometerError, MatchDataError

PLAIN = """game,ply,player,evaluation
1,0,,0.13
1,1,Ann,0.10
1,2,Ben,0.40
2,0,,0.13
2,1,Ben,0.13
2,2,Ann,#-3
"""


def write(folder: Path, text: str, name: str = "games.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_games_players_and_sides_are_understood(tmp_path: Path) -> None:
    reading = read_evaluations(write(tmp_path, PLAIN))
    found = reading.evaluations
    assert found.games == ("1", "2")
    assert found.players.names.to_list() == ["Ann", "Ben"]
    assert found.evaluation.tolist() == [13, 10, 40, 13, 13, -3900]
    assert found.mate.tolist() == [False] * 5 + [True]
    assert found.side.tolist() == [NOBODY, WHITE, BLACK] * 2
    assert found.seats.tolist() == [[0, 1], [1, 0]]
    assert measure_gains(found).value.tolist() == [-3, -30, 0, 3913]
    assert reading.describe() == ["games.csv: 2 games, 2 players, 4 moves · game, ply, player, evaluation"]


def test_rows_may_come_in_any_order_and_with_semicolons(tmp_path: Path) -> None:
    head, *rows = PLAIN.splitlines()
    mixed = "\n".join([head, *rows[::-1]]).replace(",", ";")
    one, two = (read_evaluations(write(tmp_path, text)).evaluations for text in (PLAIN, mixed))
    # games are in the order in which they appear
    assert two.games == ("2", "1")
    assert sorted(measure_gains(one).value) == sorted(measure_gains(two).value)


def test_what_else_stands_there_is_read() -> None:
    frame = pl.DataFrame(
        {
            "game": ["a"] * 3 + ["b"] * 2,
            "ply": [0, 1, 2, 30, 31],
            "player": [None, "Ann", "Ben", "Ann", "Ben"],
            "side": ["", "w", "b", "b", "w"],
            "evaluation": [0.0, 0.5, 0.5, 1.0, 50.0],
            "event": ["X", "X", "X", "Y", "Y"],
            "result": ["1-0", "1-0", "1-0", "*", "*"],
            "elo": [None, 2000, 1900, 2010, 1910],
            "best": [0.5, 0.6, 0.0, 1.1, 0.0],
            "second": [0.4, 0.7, None, 1.0, None],
            "choice": [1, 2, None, 0, None],
            "material": [62, 62, 59, 20, 20],
        }
    )
    reading = read_evaluations(frame, conventions=Conventions("Fish", 12))
    found = reading.evaluations
    assert found.events == ("X", "Y")
    assert found.event.tolist() == [0, 1]
    assert found.halves.tolist() == [2, -1]
    assert found.rating.tolist() == [[2000, 1900], [1910, 2010]]
    assert found.known_ratings().tolist() == [2005, 1905]
    assert found.seats.tolist() == [[0, 1], [1, 0]]
    assert found.lines is not None
    assert found.lines[:2].tolist() == [[50, 40], [60, 70]]
    assert found.choice is not None
    assert found.choice.tolist() == [0, 1, -1, -1, -1]
    assert found.material is not None
    assert found.material.tolist() == [62, 62, 59, 20, 20]
    assert found.conventions.depth == 12
    assert reading.notes == ("1 games without ply 0: their first move has no gain",)


def test_white_and_black_may_stand_in_columns_of_their_own() -> None:
    frame = pl.DataFrame(
        {
            "game": [1, 1, 1],
            "ply": [0, 1, 2],
            "white": ["Ann"] * 3,
            "black": ["Ben"] * 3,
            "evaluation": ["0.1", "0.2", "M4"],
            "WhiteElo": [2500] * 3,
            "BlackElo": ["2400"] * 3,
        }
    )
    found = read_evaluations(frame).evaluations
    assert found.players.names.to_list() == ["Ann", "Ben"]
    assert found.rating.tolist() == [[2500, 2400]]
    assert found.evaluation.tolist() == [10, 20, 3900]


def test_all_faults_are_reported_at_once(tmp_path: Path) -> None:
    text = (
        "game,ply,player,evaluation,rating,result\n"
        "1,0,,0.1,,1-0\n"
        "1,1,Ann,much,2000,1-0\n"
        "1,2,,0.2,2000,1-0\n"
        "1,3,Ann,,2000,1-0\n"
        "1,x,Ann,0.3,2000,1-0\n"
        ",4,Ben,0.3,2000,1-0\n"
        "1,4,Ben,0.3,strong,1-0\n"
        "1,5,Ann,0.3,2000,perhaps\n"
        "2,1,Cid,0.3,,\n"
        "2,1,Cid,0.4,,\n"
        "2,2,Cid,0.4,,\n"
        "2,3,Dora,0.4,,\n"
        "2,5,Cid,0.4,,\n"
    )
    path = write(tmp_path, text)
    with pytest.raises(MatchDataError) as caught:
        read_evaluations(path)
    message = str(caught.value)
    for part in (
        "games.csv: 10 bad rows of 13",
        "evaluation is neither a number of pawns nor a mate (#3): 1 (row 2: 'much')",
        "player is missing: 1 (row 3)",
        "evaluation is missing: 1 (row 4)",
        "ply is not a whole number from 0 up: 1 (row 5: 'x')",
        "game is missing: 1 (row 6)",
        "rating is not a number: 1 (row 7: 'strong')",
        "result is not a result: 1 (row 8: 'perhaps')",
        "the same ply twice in a game: 1 (row 10: '1')",
        "another player has this side of the game: 1 (row 12: 'Dora')",
        "a player has both sides of the game: 1 (row 11: 'Cid')",
        "--drop-bad-rows",
    ):
        assert part in message
    kept = read_evaluations(path, drop_bad_rows=True)
    assert kept.n_bad_rows == 10
    assert kept.evaluations.ply.tolist() == [0, 1, 5]
    # no gain is taken over a row that was dropped
    assert len(measure_gains(kept.evaluations)) == 0
    assert any("gaps between plies" in note for note in kept.notes)


def test_blank_lines_are_no_fault(tmp_path: Path) -> None:
    assert len(read_evaluations(write(tmp_path, PLAIN + "\n\n")).evaluations) == 2


def test_what_is_no_table_of_evaluations_is_said(tmp_path: Path) -> None:
    with pytest.raises(LudometerError, match=r"missing: evaluation, player \(or white and black\)"):
        read_evaluations(write(tmp_path, "game,ply,score\n1,0,2\n"))
    with pytest.raises(LudometerError, match="a PGN file"):
        read_evaluations(write(tmp_path, '[Event "x"]\n\n1. e4 *\n', "x.pgn"))
    with pytest.raises(MatchDataError, match="no rows"):
        read_evaluations(write(tmp_path, "game,ply,player,evaluation\n"))


def test_a_table_written_from_evaluations_reads_back_as_it_was(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = {"game": np.repeat(np.arange(20), 31), "ply": np.tile(np.arange(31), 20)}
    names = np.array(["Ann", "Ben"])
    player = [None if ply == 0 else str(names[(ply + game + 1) % 2]) for game, ply in zip(*rows.values(), strict=True)]
    level = rng.integers(-3000, 3000, 620)
    pl.DataFrame(rows | {"player": player, "evaluation": level / 100}).write_csv(tmp_path / "games.csv")
    found = read_evaluations(tmp_path / "games.csv").evaluations
    assert found.evaluation.tolist() == level.tolist()
    assert len(found) == 20
    assert found.has_gain.sum() == 600
