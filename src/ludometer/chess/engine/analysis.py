"""Games evaluated by engines through a cache: engines are restarted if they fail, each evaluation is kept at once."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludometer.chess.engine.cache import Cache, Line, Settings
from ludometer.chess.engine.uci import Engine, EngineFailure, Identity, Search, find_engine
from ludometer.chess.record.evaluations import MATE, EvaluatedGame, Evaluations
from ludometer.chess.record.pgn import ChessGame
from ludometer.chess.record.rules import IllegalMove, Replay, replay
from ludometer.chess.strength.absent import explain
from ludometer.errors import LudometerError
from ludometer.parallel import Workers, map_tasks
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

OnPositions = Callable[[int], None]

_TRIES = 2
_FAILURES_IN_A_ROW = 3
_BATCH_GAMES = 4
_BATCHES = 32

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReplayedGame:
    """A game and its positions."""

    game: ChessGame
    replay: Replay

    @property
    def n_positions(self) -> int:
        """The start position and one after each move."""
        return len(self.replay.positions)


@dataclass(frozen=True)
class Analysis(Shown):
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
    def provenance(self) -> Provenance:
        """How it was made."""
        return Provenance("chess analysis", {"settings": self.settings.to_text()})

    @property
    def n_new(self) -> int:
        """Positions that an engine evaluated."""
        return self.n_positions - self.n_known

    def to_frame(self) -> pl.DataFrame:
        """The games left out, one row each."""
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
        lines += [f"engine restarts: {self.n_restarts}"] if self.n_restarts else []
        for found, word in ((self.failed, "the engine failed"), (self.illegal, "not playable")):
            if found:
                name, reason = next(iter(found.items()))
                lines.append(f"games left out ({word}): {len(found):,}, such as game {name}: {reason}")
        return "\n".join(lines)

    def document(self) -> dict[str, Any]:
        """What was evaluated, without the time it took."""
        settings = self.settings
        failed, illegal = (
            [{"game": name, "reason": reason} for name, reason in found.items()]
            for found in (self.failed, self.illegal)
        )
        document = {
            "games": self.n_games,
            "positions": self.n_positions,
            "new": self.n_new,
            "known": self.n_known,
            "restarts": self.n_restarts,
            "failed": failed,
            "illegal": illegal,
            "engine": {
                "name": settings.engine,
                "net": settings.net,
                "options": dict(settings.options),
                "depth": settings.depth,
                "nodes": settings.nodes,
                "lines": settings.multipv,
                "hash_mb": settings.hash_mb,
                "hash": settings.hash_policy,
            },
        }
        explained = explain(document)
        explained["absent"] |= {"provenance.data": "the games are named", "provenance.seed": "nothing is drawn"}
        return explained


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

    Workers take whole games, the longest first, each with its own engine. A game in which the engine ends or hangs is
    tried once more with a new one, then reported. If nothing is missing, no engine is started.
    """
    began, workers = time.perf_counter(), workers or Workers()
    program = find_engine(engine)
    replays, illegal = replay_games(games)
    if not replays:
        name, reason = next(iter(illegal.items()), ("-", "there are none"))
        raise LudometerError(f"no game is playable; for example game {name}: {reason}")
    with Cache(cache) as opened:
        identity, asked = _identify(program, search, opened)
        settings = search.settings(identity)
        number = opened.number(settings)
        work = [(_n_missing(opened, number, settings, game.replay), game) for game in replays]
        # the longest first, so that the workers end at about the same time
        missing = [game for n, game in sorted(work, key=lambda entry: -entry[0]) if n]
    n_positions = sum(game.n_positions for game in replays)
    pool = EnginePool(program, search, Path(cache), settings, number, on_positions)
    if asked is not None:
        pool.spare, pool.done.n_engines = [asked], 1
    pool.count(n_positions - sum(game.n_positions for game in missing))
    try:
        if workers.cluster is not None:
            pool.send(missing, engine, workers)
        else:
            map_tasks(pool.evaluate, missing, workers=workers)
    finally:
        pool.close()
    done = pool.done
    return Analysis(
        settings,
        len(replays),
        n_positions,
        n_positions - done.n_new,
        done.n_restarts,
        dict(sorted(done.failed.items())),
        illegal,
        done.n_engines,
        done.engine_seconds,
        time.perf_counter() - began,
    )


def replay_games(games: Iterable[ChessGame]) -> tuple[list[ReplayedGame], dict[str, str]]:
    """Games with their positions, and why other games are not playable."""
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


@dataclass
class _Done:
    """What engines have done, here or on a worker of a cluster."""

    found: list[tuple[str, list[Line]]] = field(default_factory=list)
    """On a cluster: evaluations to be kept here."""
    n_new: int = 0
    n_engines: int = 0
    n_restarts: int = 0
    engine_seconds: float = 0.0
    failed: dict[str, str] = field(default_factory=dict)


@dataclass
class EnginePool:
    """Engines at work, one per thread, and what they have done."""

    program: Path
    search: Search
    cache: Path
    settings: Settings
    number: int
    on_positions: OnPositions | None
    done: _Done = field(default_factory=_Done)
    n_positions: int = 0
    n_failures_in_a_row: int = 0
    is_closed: bool = False
    spare: list[Engine] = field(default_factory=list)
    """Started, but not at work yet."""
    engines: dict[int, Engine] = field(default_factory=dict)
    caches: dict[int, Cache] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def evaluate(self, entry: ReplayedGame) -> None:
        """One game, tried again with a new engine if the first one fails."""
        evaluated: set[str] = set()
        for attempt in range(1, _TRIES + 1):
            try:
                self._evaluate(entry.replay, evaluated)
            except EngineFailure as error:
                self._drop_engine()
                if self.is_closed:
                    raise
                if attempt == _TRIES:
                    self._report(entry, error)
                    break
                with self.lock:
                    self.done.n_restarts += 1
                _log.info("game %s: %s; trying again", entry.game.name, error)
            else:
                with self.lock:
                    self.n_failures_in_a_row = 0
                break
        self.count(entry.n_positions - len(evaluated))

    def send(self, games: Sequence[ReplayedGame], engine: str, workers: Workers) -> None:
        """Send all games to a cluster, a few at a time, so that little is lost if this process ends."""
        batches = [games[first : first + _BATCH_GAMES] for first in range(0, len(games), _BATCH_GAMES)]
        with Cache(self.cache) as cache:

            def keep(number: int, outcome: _Done) -> None:
                cache.store_all(self.number, outcome.found)
                self.done.failed |= outcome.failed
                self.done.n_new += len(outcome.found)
                self.done.engine_seconds += outcome.engine_seconds
                self.done.n_engines += outcome.n_engines
                self.done.n_restarts += outcome.n_restarts
                self.count(sum(game.n_positions for game in tasks[number][0]))

            for first in range(0, len(batches), _BATCHES):
                part = batches[first : first + _BATCHES]
                known = [
                    [find_known(cache, self.number, self.settings, game.replay) for game in batch] for batch in part
                ]
                tasks = list(zip(part, known, strict=True))
                shared = (engine, self.search, self.settings)
                map_tasks(_evaluate_batch, tasks, shared=shared, workers=workers, on_outcome=keep)

    def count(self, n: int) -> None:
        """Report progress."""
        with self.lock:
            self.n_positions += n
            if self.on_positions:
                self.on_positions(self.n_positions)

    def close(self) -> None:
        """Stop all engines."""
        self.is_closed = True
        for thread in list(self.engines):
            self._end(self.engines.pop(thread))
        while self.spare:
            self._end(self.spare.pop())
        for cache in self.caches.values():
            cache.close()

    def _evaluate(self, game: Replay, evaluated: set[str]) -> None:
        """Evaluate and keep; a second try adds only what the first had not reached."""
        cache = self._own_cache()
        known = find_known(cache, self.number, self.settings, game)
        for key, lines in evaluate_game(self._own_engine(), game, known):
            cache.store(self.number, key, lines)
            if key not in evaluated:
                evaluated.add(key)
                with self.lock:
                    self.done.n_new += 1
                self.count(1)

    def _report(self, entry: ReplayedGame, error: EngineFailure) -> None:
        with self.lock:
            self.done.failed[entry.game.name] = str(error)
            self.n_failures_in_a_row += 1
            if self.n_failures_in_a_row >= _FAILURES_IN_A_ROW:
                raise LudometerError(f"the engine failed in {_FAILURES_IN_A_ROW} games in a row: {error}")

    def _own_engine(self) -> Engine:
        thread = threading.get_ident()
        if thread not in self.engines:
            self.engines[thread] = self._new_engine()
        return self.engines[thread]

    def _new_engine(self) -> Engine:
        with self.lock:
            if self.spare:
                return self.spare.pop()
            self.done.n_engines += 1
        engine = Engine(self.program, self.search)
        if engine.settings != self.settings:
            engine.kill()
            raise LudometerError(f"{self.program} has changed during the analysis: it is now {engine.identity.name}")
        return engine

    def _own_cache(self) -> Cache:
        thread = threading.get_ident()
        if thread not in self.caches:
            self.caches[thread] = Cache(self.cache)
        return self.caches[thread]

    def _drop_engine(self) -> None:
        engine = self.engines.pop(threading.get_ident(), None)
        if engine is not None:
            self._end(engine, at_once=True)

    def _end(self, engine: Engine, *, at_once: bool = False) -> None:
        with self.lock:
            self.done.engine_seconds += engine.seconds
        if at_once:
            engine.kill()
        else:
            engine.close()


def evaluate_game(engine: Engine, game: Replay, known: dict[str, tuple[Line, ...]]) -> Iterable[tuple[str, list[Line]]]:
    """The lines of each position that is not known, in order of play.

    With a hash that is carried through the game, a game with anything missing starts from its beginning: resumed in the
    middle, the hash would be empty.
    """
    settings = engine.settings
    carried = settings.hash_policy == "game"
    if carried:
        engine.begin_game()
    done = set() if carried else set(known)
    for ply, key in enumerate(settings.keys(game)[: n_asked(game)]):
        if key in done:
            continue
        done.add(key)
        asked = (game.positions[0], game.moves[:ply]) if carried else (game.positions[ply], ())
        yield key, list(engine.evaluate(*asked))


def n_asked(game: Replay) -> int:
    """Positions that the engine is asked about: not those in which the game is over by the rules."""
    return len(game.positions) - (game.ending is not None)


def find_known(cache: Cache, number: int, settings: Settings, game: Replay) -> dict[str, tuple[Line, ...]]:
    """The positions of a game that need no engine time."""
    return cache.find(number, settings.keys(game)[: n_asked(game)])


def _identify(program: Path, search: Search, cache: Cache) -> tuple[Identity, Engine | None]:
    """Who the engine is: as remembered if the program is the same file, otherwise it is started and asked."""
    known = cache.identity(program)
    if known is not None:
        return Identity(**known), None
    engine = Engine(program, search)
    cache.remember(program, engine.identity.to_dict())
    return engine.identity, engine


def _n_missing(cache: Cache, number: int, settings: Settings, game: Replay) -> int:
    """Positions that the engine has to evaluate; if any is missing and the hash is carried through the game, all."""
    wanted = len(set(settings.keys(game)[: n_asked(game)]))
    missing = wanted - len(find_known(cache, number, settings, game))
    return wanted if missing and settings.hash_policy == "game" else missing


def _evaluate_batch(
    task: tuple[Sequence[ReplayedGame], Sequence[dict[str, tuple[Line, ...]]]],
    program: str,
    search: Search,
    settings: Settings,
) -> _Done:
    """Some games on a worker of a cluster, by the engine of that name there, which must be the same."""
    outcome, engine = _Done(), None
    try:
        for entry, known in zip(*task, strict=True):
            for attempt in range(1, _TRIES + 1):
                if engine is None:
                    engine = Engine(find_engine(program), search)
                    outcome.n_engines += 1
                if engine.settings != settings:
                    raise LudometerError(f"a worker of the cluster has a different engine: {engine.identity.name}")
                try:
                    outcome.found += list(evaluate_game(engine, entry.replay, known))
                    break
                except EngineFailure as error:
                    outcome.engine_seconds += engine.seconds
                    engine.kill()
                    engine = None
                    if attempt == _TRIES:
                        outcome.failed[entry.game.name] = str(error)
                    else:
                        outcome.n_restarts += 1
    finally:
        if engine is not None:
            outcome.engine_seconds += engine.seconds
            engine.close()
    return outcome
