"""Games evaluated by an engine, through a cache: only what is not known yet costs engine time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ludometer.chess.cache import Cache, Line, Settings
from ludometer.chess.engine import Engine, Identity, Search, find_engine
from ludometer.chess.engines import Crew, OnPositions, ReplayedGame, find_known, n_asked
from ludometer.chess.games import ChessGame
from ludometer.chess.rules import IllegalMove, Replay, replay
from ludometer.errors import LudometerError
from ludometer.moves.evaluations import MATE, EvaluatedGame, Evaluations
from ludometer.parallel import Workers, map_tasks

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Analysis:
    """What was evaluated; `failed` and `illegal` say which games were left out, and why."""

    settings: Settings
    n_games: int
    n_positions: int
    n_known: int
    """Positions that the cache, or the rules, knew."""
    n_restarts: int
    failed: dict[str, str]
    illegal: dict[str, str]
    n_engines: int
    """Engines that were started."""
    engine_seconds: float
    """Time inside the engines, added up."""
    seconds: float

    @property
    def n_new(self) -> int:
        """Positions that an engine evaluated."""
        return self.n_positions - self.n_known

    def to_frame(self) -> pl.DataFrame:
        """The games left out."""
        import polars as pl

        left_out = self.failed | self.illegal
        return pl.DataFrame({"game": list(left_out), "reason": list(left_out.values())})

    def summary(self) -> str:
        """In a few lines."""
        counts = ((self.n_games, "game"), (self.n_positions, "position"))
        counted = ", ".join(f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in counts)
        lines = [
            f"{counted}, by {self.settings.describe()}",
            f"{self.n_new:,} evaluated now, {self.n_known:,} known before",
        ]
        lines += [f"times that the engine was started again: {self.n_restarts}"] if self.n_restarts else []
        for found, word in ((self.failed, "the engine failed"), (self.illegal, "not playable")):
            if found:
                name, reason = next(iter(found.items()))
                lines.append(f"games left out ({word}): {len(found):,}, such as game {name}: {reason}")
        return "\n".join(lines)


def analyse_games(
    games: Sequence[ChessGame],
    *,
    engine: str,
    search: Search,
    cache: str | Path,
    workers: Workers | None = None,
    on_positions: OnPositions | None = None,
) -> Analysis:
    """Evaluate all positions of games that the cache does not know, and keep each at once.

    Workers take whole games, the longest first, each with an engine of its own. A game in which the engine ends or
    hangs is tried once more with a new one, then reported. If nothing is missing no engine is started.
    """
    began, workers = time.perf_counter(), workers or Workers()
    program = find_engine(engine)
    replays, illegal = replay_games(games)
    if not replays:
        name, reason = next(iter(illegal.items()), ("-", "there are none"))
        raise LudometerError(f"no game can be played through, such as game {name}: {reason}")
    with Cache(cache) as opened:
        identity, asked = _identify(program, search, opened)
        settings = search.settings(identity)
        number = opened.number(settings)
        work = [(_n_missing(opened, number, settings, game.replay), game) for game in replays]
        # the longest first: so the workers end at the same time
        missing = [game for n, game in sorted(work, key=lambda entry: -entry[0]) if n]
    crew = Crew(program, search, Path(cache), settings, number, on_positions)
    if asked is not None:
        crew.spare, crew.n_engines = [asked], 1
    crew.count(
        sum(len(game.replay.positions) for game in replays) - sum(len(game.replay.positions) for game in missing)
    )
    try:
        if workers.cluster is not None:
            crew.send(missing, engine, workers)
        else:
            map_tasks(crew.evaluate, missing, workers=workers)
    finally:
        crew.close()
    n_positions = sum(len(game.replay.positions) for game in replays)
    return Analysis(
        settings,
        len(replays),
        n_positions,
        n_positions - crew.n_new,
        crew.n_restarts,
        dict(sorted(crew.failed.items())),
        illegal,
        crew.n_engines,
        crew.engine_seconds,
        time.perf_counter() - began,
    )


def replay_games(games: Iterable[ChessGame]) -> tuple[list[ReplayedGame], dict[str, str]]:
    """Games played through, and why others cannot be."""
    played, illegal = [], {}
    for game in games:
        try:
            played.append(ReplayedGame(game, replay(game.moves, start=game.start)))
        except IllegalMove as error:
            illegal[game.name] = str(error)
    return played, illegal


def recall_evaluations(
    games: Sequence[ChessGame], settings: Settings, *, cache: str | Path, mate_value: int = MATE
) -> tuple[Evaluations, dict[str, str]]:
    """Games with their evaluations from the cache, and why others are left out."""
    played, left_out = replay_games(games)
    found: list[EvaluatedGame] = []
    with Cache(cache, create=False) as opened:
        number = opened.number(settings)
        for entry in played:
            keys = settings.keys(entry.replay)
            known = opened.find(number, keys)
            if entry.replay.ending is not None:
                known.pop(keys[-1], None)
            n_missing = sum(key not in known for key in keys[: n_asked(entry.replay)])
            if n_missing:
                left_out[entry.game.name] = f"{n_missing} of {len(keys)} positions are not in the cache"
            else:
                found.append(evaluate_replay(entry, [known.get(key) for key in keys], settings.multipv))
    return Evaluations.of_games(found, conventions=settings.conventions(mate_value=mate_value)), left_out


def evaluate_replay(entry: ReplayedGame, lines: Sequence[Sequence[Line] | None], n_lines: int) -> EvaluatedGame:
    """A game with the engine's lines at each position; where the game ended by the rules, these count."""
    played = entry.replay
    ending = math.nan if played.ending is None else played.ending
    evaluation = [ending if not found else found[0].evaluation for found in lines]
    if played.ending is not None:
        evaluation[-1] = played.ending
    if n_lines < 2:
        return entry.game.evaluated(evaluation, material=played.material)
    table = [[line.evaluation for line in found or ()] for found in lines]
    moves = (*played.moves, "")
    ranked = [[line.move for line in found or ()] for found in lines]
    return entry.game.evaluated(
        evaluation,
        lines=[row + [math.nan] * (n_lines - len(row)) for row in table],
        choice=[row.index(move) if move in row else -1 for row, move in zip(ranked, moves, strict=True)],
        material=played.material,
    )


def _identify(program: Path, search: Search, cache: Cache) -> tuple[Identity, Engine | None]:
    """Who the engine is: as remembered if the program is the same file, else it is started and asked."""
    known = cache.identity(program)
    if known is not None:
        return Identity(**known), None
    engine = Engine(program, search)
    cache.remember(program, engine.identity.to_dict())
    return engine.identity, engine


def _n_missing(cache: Cache, number: int, settings: Settings, game: Replay) -> int:
    """Positions that the engine has to evaluate; all of a game of which any is missing, if its hash is carried on."""
    wanted = len(set(settings.keys(game)[: n_asked(game)]))
    missing = wanted - len(find_known(cache, number, settings, game))
    return wanted if missing and settings.hash_policy == "game" else missing
