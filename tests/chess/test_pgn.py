"""Chess games are read with their moves, whatever the file looks like."""

from __future__ import annotations

import bz2
import gzip
import io
import math
from pathlib import Path

import pytest
import zstandard

from ludometer.chess.record.pgn import is_pgn, parse_moves, read_chess_games
from ludometer.errors import LudometerError

TWO = """[Event "Club"]
[White "Ann"]
[Black "Ben"]
[Result "1-0"]
[WhiteElo "2100"]
[BlackElo "?"]

1. e4 e5 2. Nf3 {good
[Event "not a header"] so far} Nc6 3.Bb5 a6 1-0

[Event "Club"]
[White "Cid"]
[Black "Ann"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2
"""


def games_of(text: str | bytes) -> list[tuple[str, ...]]:
    data = text.encode() if isinstance(text, str) else text
    return [game.moves for game in read_chess_games(io.BytesIO(data)).games]


def test_headers_and_moves_are_read() -> None:
    one, two = read_chess_games(io.BytesIO(TWO.encode())).games
    assert one.moves == ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6")
    assert (one.name, one.white, one.black, one.event, one.halves) == ("1", "Ann", "Ben", "Club", 2)
    assert one.white_rating == 2100
    assert math.isnan(one.black_rating)
    assert (two.name, two.halves, two.moves) == ("2", 1, ("d4", "d5"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, zstandard.compress])
def test_packed_files_are_streams_of_the_same_games(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "games.packed"
    path.write_bytes(pack(TWO.encode()))  # type: ignore[operator]
    assert [game.moves for game in read_chess_games(path).games] == games_of(TWO)
    assert is_pgn(path)


@pytest.mark.parametrize("change", [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t, lambda t: t.rstrip()])
def test_line_ends_marks_and_missing_ends_change_nothing(change: object) -> None:
    assert games_of(change(TWO)) == games_of(TWO)  # type: ignore[operator]


def test_variations_numbers_and_signs_are_no_moves() -> None:
    text = "1.e4! $1 (1. d4 d5 (1... Nf6 {x (y} 2. c4) 2. c4) 1... e5?! ; a line 2. f4\n2. Nf3 += Nc6 3. O-O 0-0 *"
    assert parse_moves(text) == (("e4", "e5", "Nf3", "Nc6", "O-O", "0-0"), ())


def test_evaluations_in_comments_belong_to_their_moves() -> None:
    text = (
        "{[%eval 0.13]} 1. e4 {[%clk 0:10] [%eval 0.3,20]} e5 2. Qh5 { [%eval #-4] } (2. d4 {[%eval 9]}) Ke7 3. Qxe5#"
    )
    moves, evaluation = parse_moves(text)
    assert len(moves) == 5
    assert evaluation[:2] == (13.0, 30.0)
    assert math.isnan(evaluation[2])
    assert evaluation[3] == -math.inf
    # the last move mates: nobody had to say so
    assert evaluation[5] == math.inf


def test_a_mate_counts_for_who_made_it_also_where_black_begins() -> None:
    text = '[FEN "6k1/8/8/8/8/8/r7/1r4K1 b - - 0 30"]\n[SetUp "1"]\n\n30... Ra3 {[%eval -9]} 31. Kf2 Ra2# 0-1\n'
    (game,) = read_chess_games(io.BytesIO(text.encode())).games
    assert (game.white_begins, game.first_ply) == (False, 59)
    assert game.evaluation[-1] == -math.inf


def test_variants_and_games_without_moves_are_left_out_and_counted() -> None:
    text = (
        '[White "A"]\n[Black "B"]\n[Variant "Atomic"]\n\n1. e4 *\n\n'
        '[White "A"]\n[Black "B"]\n[Result "1-0"]\n[Termination "forfeit"]\n\n1-0\n\n'
        '[White "A"]\n[Black "B"]\n[Result "0-1"]\n\n'
        '[White "?"]\n[Black "B"]\n[Variant "From Position"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n\n1. e4 *\n'
    )
    reading = read_chess_games(io.BytesIO(text.encode()))
    assert [game.moves for game in reading.games] == [("e4",)]
    assert (reading.games[0].white, reading.games[0].halves) == ("White of game 4", -1)
    assert reading.left_out == {"of another variant": 1, "without moves": 2}
    assert "games left out: 1 of another variant, 2 without moves" in "\n".join(reading.describe())


def test_names_that_are_not_utf8_are_read() -> None:
    assert (
        read_chess_games(io.BytesIO('[White "Müller"]\n[Black "B"]\n\n1. e4 *'.encode("latin-1"))).games[0].white
        == "Müller"
    )


def test_what_holds_no_games_is_told(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pgn"
    empty.write_text("\n\n")
    with pytest.raises(LudometerError, match="no games"):
        read_chess_games(empty)
    with pytest.raises(LudometerError, match="no such file"):
        read_chess_games(tmp_path / "missing.pgn")
    cut = tmp_path / "cut.pgn.gz"
    cut.write_bytes(gzip.compress(TWO.encode() * 50)[:-20])
    with pytest.raises(LudometerError, match="cannot be read"):
        read_chess_games(cut)


def test_a_table_is_not_taken_for_games(tmp_path: Path) -> None:
    table = tmp_path / "evaluations.csv"
    table.write_text("game,ply,player,evaluation\n1,0,,0.1\n")
    assert not is_pgn(table)


def test_our_reader_finds_the_moves_that_python_chess_finds() -> None:
    chess_pgn = pytest.importorskip("chess.pgn", reason="python-chess is not installed")
    from ludometer.chess.record.rules import replay

    stream = io.StringIO(TWO)
    theirs = []
    while (game := chess_pgn.read_game(stream)) is not None:
        theirs.append(tuple(move.uci() for move in game.mainline_moves()))
    assert [replay(moves).moves for moves in games_of(TWO)] == theirs
