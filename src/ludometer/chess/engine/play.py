"""Games that engines play: against each other, or one against itself, which gives its own gains."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ludometer.chess.engine.analysis import OnPositions
from ludometer.chess.engine.cache import Cache, Settings
from ludometer.chess.engine.uci import Engine, Search, find_engine
from ludometer.chess.record.pgn import START, ChessGame
from ludometer.chess.record.rules import Board, IllegalMove
from ludometer.errors import LudometerError

Choose = Callable[[Board], str]
"""Chooses a move, as engines write it."""

MAX_PLIES = 300
_RESULTS = {math.inf: ("1-0", 2), -math.inf: ("0-1", 0), 0.0: ("1/2-1/2", 1)}


def play_game(
    white: Choose, black: Choose, *, opening: Sequence[str] = (), start: str = START, max_plies: int = MAX_PLIES
) -> ChessGame:
    """A game from these first moves to its end by the rules, a draw that can be claimed, or `max_plies`.

    Both are also asked about the positions of the opening, and about the last one if it is not over.

    >>> moves = iter(("f2f3", "e7e5", "g2g4", "d8h4"))
    >>> play_game(lambda _: next(moves), lambda _: next(moves)).moves
    ('f3', 'e5', 'g4', 'Qh4#')
    """
    board, written = Board(start), list[str]()
    ending = board.ending
    white_begins = start.split()[1:2] != ["b"]
    while ending is None:
        choose = white if (len(written) % 2 == 0) == white_begins else black
        move = choose(board)
        if len(written) >= max_plies or board.is_drawn:
            ending = 0.0 if board.is_drawn else math.nan
            break
        move = opening[len(written)] if len(written) < len(opening) else move
        written.append(board.write(move))
        board.push(move)
        ending = board.ending
    result, halves = _RESULTS.get(math.nan if ending is None else ending, ("*", -1))
    return ChessGame("1", "White", "Black", tuple(written), halves=halves, start=start, tags={"Result": result})


def play_itself(
    openings: Iterable[ChessGame],
    *,
    engine: str,
    search: Search,
    cache: str | Path,
    n_plies: int = 16,
    max_plies: int = MAX_PLIES,
    on_positions: OnPositions | None = None,
) -> tuple[list[ChessGame], Settings]:
    """An engine against itself, from the first `n_plies` of these games, each opening once.

    Its evaluations are kept in the cache, so that the games need no analysis: they are a reference of its own gains, in
    place of gains of 0. A game that it played before costs nothing.
    """
    played: list[ChessGame] = []
    n_asked = 0
    with Cache(cache) as opened, Engine(find_engine(engine), search) as running:
        settings = running.settings
        number = opened.number(settings)

        def choose(board: Board) -> str:
            nonlocal n_asked
            n_asked += 1
            if on_positions:
                on_positions(n_asked)
            key = settings.keys(board.replay())[-1]
            is_carried = settings.hash_policy == "game"
            known = {} if is_carried else opened.find(number, [key])
            if key not in known:
                asked = (board.positions[0], board.moves) if is_carried else (board.positions[-1], [])
                known = {key: running.evaluate(*asked)}
                opened.store(number, key, known[key])
            return known[key][0].move

        for opening in _distinct(openings, n_plies):
            if settings.hash_policy == "game":
                running.begin_game()
            game = play_game(choose, choose, opening=opening.moves, start=opening.start, max_plies=max_plies)
            played.append(_named(game, str(len(played) + 1), settings))
    if not played:
        raise LudometerError(f"no game has a playable opening of {n_plies} plies")
    return played, settings


def _distinct(games: Iterable[ChessGame], n_plies: int) -> Iterable[ChessGame]:
    """Games cut to their openings, each opening once; games that are too short or not playable are left out."""
    seen = set()
    for game in games:
        board = Board(game.start)
        try:
            for move in game.moves[:n_plies]:
                board.push(move)
        except IllegalMove:
            continue
        key = (game.start, tuple(board.moves))
        if len(board.moves) == n_plies and board.ending is None and key not in seen:
            seen.add(key)
            yield replace(game, moves=tuple(board.moves))


def _named(game: ChessGame, number: str, settings: Settings) -> ChessGame:
    names = {"Event": f"{settings.describe()}, against itself", "Round": number}
    names |= {"White": settings.engine, "Black": settings.engine, **game.tags}
    start = {} if game.start == START else {"SetUp": "1", "FEN": game.start}
    return replace(
        game, name=number, white=settings.engine, black=settings.engine, event=names["Event"], tags=names | start
    )
