"""Engines at play: games end by the rules, and what an engine evaluated while playing needs no analysis."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from ludometer.chess.engine.analysis import analyse_games, recall_evaluations
from ludometer.chess.engine.play import play_game, play_itself
from ludometer.chess.engine.uci import Engine, HashPolicy, Search, find_engine
from ludometer.chess.record.pgn import ChessGame, annotate, read_chess_games
from ludometer.chess.record.rules import Board
from ludometer.chess.strength.gains import measure_gains
from ludometer.errors import LudometerError
from ludometer.moves import Reference, pool_gains
from tests.chess.test_stockfish import stockfish

__all__ = ["stockfish"]

pytest.importorskip("chess", reason="python-chess is not installed")

OPENINGS = [
    ChessGame("1", "Ann", "Ben", ("e4", "e5", "Nf3", "Nc6", "Bb5")),
    ChessGame("2", "Ann", "Cid", ("d4", "d5", "c4", "e6", "Nc3")),
    ChessGame("3", "Ben", "Cid", ("e2e4", "e7e5", "g1f3", "b8c6", "d4")),
    ChessGame("4", "Ben", "Cid", ("e4", "Ke4")),
    ChessGame("5", "Ben", "Cid", ("e4",)),
]


def repeating(*moves: str) -> Iterator[str]:
    return cycle(moves)


def test_a_game_ends_by_mate_by_repetition_or_by_its_length() -> None:
    shuffle = repeating("g1f3", "g8f6", "f3g1", "f6g8")
    drawn = play_game(lambda _: next(shuffle), lambda _: next(shuffle))
    assert (drawn.tags["Result"], drawn.halves, len(drawn.moves)) == ("1/2-1/2", 1, 8)
    shuffle = repeating("g1f3", "g8f6", "f3g1", "f6g8")
    cut = play_game(lambda _: next(shuffle), lambda _: next(shuffle), max_plies=5)
    assert (cut.tags["Result"], cut.halves, len(cut.moves)) == ("*", -1, 5)
    # in the opening what is chosen is not made
    won = play_game(lambda _: "a2a3", lambda _: "d8h4", opening=("f3", "e5", "g4"))
    assert (won.moves, won.tags["Result"], won.halves) == (("f3", "e5", "g4", "Qh4#"), "0-1", 0)
    black_first = play_game(lambda _: "e2e4", lambda _: "e8d7", start="4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", max_plies=2)
    assert black_first.moves == ("Kd7", "e4")


@pytest.mark.parametrize("policy", ["position", "game"])
def test_what_an_engine_played_against_itself_needs_no_analysis(
    stockfish: str, tmp_path: Path, policy: HashPolicy
) -> None:
    search, cache = Search(depth=2, hash_policy=policy), tmp_path / "cache.sqlite"
    games, settings = play_itself(OPENINGS, engine=stockfish, search=search, cache=cache, n_plies=4, max_plies=40)
    # the third has the same four plies as the first, the others are not playable or too short
    assert [game.moves[:4] for game in games] == [("e4", "e5", "Nf3", "Nc6"), ("d4", "d5", "c4", "e6")]
    assert all(game.white == game.black == settings.engine for game in games)
    done = analyse_games(games, engine=stockfish, search=search, cache=cache)
    assert (done.n_new, done.n_engines) == (0, 1)
    again, _ = play_itself(OPENINGS, engine=stockfish, search=search, cache=cache, n_plies=4, max_plies=40)
    assert again == games
    evaluations, left_out = recall_evaluations(games, settings, cache=cache)
    assert not left_out
    own = pool_gains(measure_gains(evaluations))
    assert isinstance(own, Reference)
    # an engine of depth 2 is not free of losses: its gains are not always 0
    assert own.value.min() < 0
    path = tmp_path / "own.pgn"
    path.write_text(annotate(games, evaluations))
    assert [game.moves for game in read_chess_games(path).games] == [game.moves for game in games]


def test_an_engine_of_limited_strength_makes_moves_that_can_be_made(stockfish: str) -> None:
    options = (("UCI_LimitStrength", "true"), ("UCI_Elo", "1350"))
    with Engine(find_engine(stockfish), Search(depth=2, options=options)) as weak:

        def choose(board: Board) -> str:
            return weak.choose(board.positions[-1])

        game = play_game(choose, choose, max_plies=20)
    assert len(game.moves) == 20


def test_without_openings_there_is_nothing_to_play(stockfish: str, tmp_path: Path) -> None:
    with pytest.raises(LudometerError, match="no game has a playable opening of 9 plies"):
        play_itself(OPENINGS, engine=stockfish, search=Search(depth=1), cache=tmp_path / "c", n_plies=9)
