"""Chess: Stockfish against itself, with few nodes a move and, at some rate, random moves instead.

A match starts from four random half-moves after which Stockfish sees neither side ahead by much, since an engine that
is held to a number of nodes would play the same game again. Each player has an engine of his own, told to forget
everything before a game. A game of 160 half-moves is stopped and goes to the side that is clearly ahead, if any.
"""

from __future__ import annotations

import atexit
from functools import cache
from itertools import product
from random import Random

from ladder import Ladder, Scores, Task, chance

import chess
from ludometer.chess.engine.uci import Engine, Search, find_engine

NODES = (1, 50, 100, 200, 400, 800)
RATES = (0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75)
STYLES = [*product(NODES, RATES), (1, 1)]
"""Nodes a move, and the share of random moves; last, somebody who plays nothing but random moves."""

OPENING = 4
MOST_PLIES = 160
JUDGE_NODES = 1000
LEVEL_PAWNS, AHEAD_PAWNS = 0.75, 2.0


def name(nodes: int, rate: float) -> str:
    """Such as "stockfish 100 nodes 5% random"."""
    if rate == 1:
        return "random mover"
    return f"stockfish {nodes} node{'s' * (nodes > 1)}" + (f" {rate:.0%} random" if rate else "")


def play(task: Task) -> Scores:
    """The scores of White and Black."""
    number, seated = task
    rng = chance("chess", number)
    board = open_game(rng)
    engines = [engine_for(colour, STYLES[player][0]) for colour, player in enumerate(seated)]
    rates = [STYLES[player][1] for player in seated]
    for engine in engines:
        engine.begin_game()
    while (outcome := board.outcome(claim_draw=True)) is None and board.ply() < MOST_PLIES:
        colour = board.ply() % 2
        # drawn for every move, so that players who differ in nodes only meet the same chance
        is_random, choice = rng.random() < rates[colour], rng.random()
        if is_random:
            legal = list(board.legal_moves)
            board.push(legal[int(choice * len(legal))])
        else:
            board.push_uci(engines[colour].evaluate(board.fen())[0].move)
    if outcome is not None:
        white = {None: 0.5, True: 1.0, False: 0.0}[outcome.winner]
    else:
        pawns = judge(board)
        white = 0.5 if abs(pawns) < AHEAD_PAWNS else float(pawns > 0)
    return white, 1 - white


def open_game(rng: Random) -> chess.Board:
    """A position after random half-moves in which the judge sees neither side far ahead."""
    while True:
        board = chess.Board()
        for _ in range(OPENING):
            board.push(rng.choice(list(board.legal_moves)))
        if board.outcome() is None and abs(judge(board)) <= LEVEL_PAWNS:
            return board


def judge(board: chess.Board) -> float:
    """Pawns that White is ahead, as Stockfish sees it without memory."""
    engine = engine_for(2, JUDGE_NODES)
    engine.begin_game()
    return engine.evaluate(board.fen())[0].evaluation / 100


def engine_for(seat: int, nodes: int) -> Engine:
    """White's, Black's or the judge's engine, told how many nodes it may look at."""
    engine = _start(seat)
    engine.search = Search(nodes=nodes, hash_mb=1, hash_policy="game")
    return engine


@cache
def _start(_seat: int) -> Engine:
    engine = Engine(find_engine("stockfish"), Search(nodes=1, hash_mb=1, hash_policy="game"))
    atexit.register(engine.close)
    return engine


LADDER = Ladder("chess", [name(*style) for style in STYLES], play, matches=6_000)
