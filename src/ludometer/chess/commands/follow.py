"""What `chess follow` does: moves as they come, from standard input or from a PGN file that grows, and their values."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ludometer.chess.commands.options import search_of
from ludometer.cli.options import note
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.chess.record.pgn import ChessGame


def follow_game(options: dict[str, Any]) -> None:
    """The command `chess follow`."""
    from ludometer.chess.engine.live import Follower
    from ludometer.chess.engine.uci import Engine, find_engine
    from ludometer.chess.report.documents import followed_document

    search, program = search_of(options), find_engine(options["engine"])
    head, moves = watch_moves(options["file"], every=options["every"], once=options["once"])
    n_moves = 0
    with Engine(program, search) as engine:
        note(engine.settings.describe())
        follower = Follower(
            engine,
            white=options["white"] or head.white,
            black=options["black"] or head.black,
            start=head.start,
            strength=options["engine_strength"],
        )
        try:
            for move in moves:
                found = follower.push(move)
                n_moves += 1
                click.echo(json.dumps(followed_document(found)) if options["as_json"] else found.describe())
        except KeyboardInterrupt:
            # a game that is watched has no other end
            note(f"stopped after {n_moves} moves")
            return
    if not n_moves:
        note("there were no moves")


def watch_moves(file: str, *, every: float, once: bool) -> tuple[ChessGame, Iterator[str]]:
    """Who plays, and the moves as they come: from standard input, or from the last game of a PGN file that grows."""
    from ludometer.chess.record.pgn import ChessGame

    if file == "-":
        return ChessGame("1", "White", "Black", ()), _spoken_moves()
    game, _ = _last_game(file)
    if game is None:
        raise LudometerError(f"{file}: there is no game yet")
    return game, _growing_moves(file, every, once)


def _spoken_moves() -> Iterator[str]:
    from ludometer.chess.record.pgn import parse_moves

    for line in sys.stdin:
        if not line.startswith(("[", "%")):
            yield from parse_moves(line)[0]


def _growing_moves(file: str, every: float, once: bool) -> Iterator[str]:
    n_seen = 0
    while True:
        game, is_over = _last_game(file)
        moves = () if game is None else game.moves
        if len(moves) < n_seen:
            raise LudometerError(f"{file}: moves were taken back, or another game has begun")
        yield from moves[n_seen:]
        n_seen = len(moves)
        if is_over or once:
            return
        time.sleep(every)


def _last_game(file: str) -> tuple[ChessGame | None, bool]:
    """The last game of a file as far as it is written, and whether its result stands at its end."""
    from ludometer.chess.record.pgn import (
        START,
        ChessGame,
        is_like_moves,
        is_standard,
        open_games,
        parse_moves,
        split_games,
    )

    with open_games(file) as stream:
        written = stream.read()
    found = list(split_games(io.BytesIO(written)))
    if not found:
        return None, False
    tags, text = found[-1]
    if not is_standard(tags):
        raise LudometerError(f"{file}: a game of another variant ({tags['Variant']})")
    is_over = text.split()[-1:] in (["1-0"], ["0-1"], ["1/2-1/2"])
    # what is not followed by a space or a new line may be half a move
    half = "" if is_over or written[-1:].isspace() or text[-1:].isspace() else "".join(text.split()[-1:])
    whole = text.removesuffix(half)
    start = tags.get("FEN") or START
    names = (tags.get("White") or "White", tags.get("Black") or "Black")
    moves = parse_moves(whole)[0]
    if moves and not is_like_moves(moves) and not any(headers for headers, _ in found):
        raise LudometerError(f"{file}: there are no games in PGN")
    return ChessGame("1", *names, moves, start=start), is_over
