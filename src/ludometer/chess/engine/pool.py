"""Engines at work on games, one a thread: restarted when they fail, every evaluation kept at once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ludometer.chess.cache import Cache, Line, Settings
from ludometer.chess.engine import Engine, EngineFailure, Search, find_engine
from ludometer.chess.games import ChessGame
from ludometer.chess.rules import Replay
from ludometer.errors import LudometerError
from ludometer.parallel import Workers, map_tasks

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


@dataclass
class Crew:
    """Engines at work, one a thread, and what happened to them."""

    program: Path
    search: Search
    cache: Path
    settings: Settings
    number: int
    on_positions: OnPositions | None
    n_done: int = 0
    n_new: int = 0
    n_restarts: int = 0
    n_engines: int = 0
    n_failures_in_a_row: int = 0
    engine_seconds: float = 0.0
    failed: dict[str, str] = field(default_factory=dict)
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
                self._part_with_engine()
                if self.is_closed:
                    raise
                if attempt == _TRIES:
                    self._report(entry, error)
                    break
                with self.lock:
                    self.n_restarts += 1
                _log.info("game %s: %s; it is tried again", entry.game.name, error)
            else:
                with self.lock:
                    self.n_failures_in_a_row = 0
                break
        self.count(len(entry.replay.positions) - len(evaluated))

    def send(self, games: Sequence[ReplayedGame], engine: str, workers: Workers) -> None:
        """All games to a cluster, several at a time, so that little is lost if this process ends."""
        batches = [games[first : first + _BATCH_GAMES] for first in range(0, len(games), _BATCH_GAMES)]
        with Cache(self.cache) as cache:

            def keep(number: int, outcome: _Outcome) -> None:
                cache.store_all(self.number, outcome.found)
                self.failed |= outcome.failed
                self.n_new += len(outcome.found)
                self.engine_seconds += outcome.engine_seconds
                self.n_engines += outcome.n_engines
                self.n_restarts += outcome.n_restarts
                self.count(sum(len(game.replay.positions) for game in tasks[number][0]))

            for first in range(0, len(batches), _BATCHES):
                part = batches[first : first + _BATCHES]
                known = [
                    [find_known(cache, self.number, self.settings, game.replay) for game in batch] for batch in part
                ]
                tasks = list(zip(part, known, strict=True))
                shared = (engine, self.search, self.settings)
                map_tasks(_evaluate_batch, tasks, shared=shared, workers=workers, on_outcome=keep)

    def count(self, n: int) -> None:
        """Tell how far it is."""
        with self.lock:
            self.n_done += n
            if self.on_positions:
                self.on_positions(self.n_done)

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
                    self.n_new += 1
                self.count(1)

    def _report(self, entry: ReplayedGame, error: EngineFailure) -> None:
        with self.lock:
            self.failed[entry.game.name] = str(error)
            self.n_failures_in_a_row += 1
            if self.n_failures_in_a_row >= _FAILURES_IN_A_ROW:
                raise LudometerError(f"the engine fails in one game after the other: {error}")

    def _own_engine(self) -> Engine:
        thread = threading.get_ident()
        if thread not in self.engines:
            self.engines[thread] = self._new_engine()
        return self.engines[thread]

    def _new_engine(self) -> Engine:
        with self.lock:
            if self.spare:
                return self.spare.pop()
            self.n_engines += 1
        engine = Engine(self.program, self.search)
        if engine.settings != self.settings:
            engine.kill()
            raise LudometerError(f"{self.program} is another engine than a moment ago: {engine.identity.name}")
        return engine

    def _own_cache(self) -> Cache:
        thread = threading.get_ident()
        if thread not in self.caches:
            self.caches[thread] = Cache(self.cache)
        return self.caches[thread]

    def _part_with_engine(self) -> None:
        engine = self.engines.pop(threading.get_ident(), None)
        if engine is not None:
            self._end(engine, at_once=True)

    def _end(self, engine: Engine, *, at_once: bool = False) -> None:
        with self.lock:
            self.engine_seconds += engine.seconds
        if at_once:
            engine.kill()
        else:
            engine.close()


def evaluate_game(engine: Engine, game: Replay, known: dict[str, tuple[Line, ...]]) -> Iterable[tuple[str, list[Line]]]:
    """The lines of each position that is not known, in order of play.

    With a hash that is carried on, a game of which anything is missing is begun again: never is it resumed in the
    middle, where the hash would be empty.
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


@dataclass
class _Outcome:
    """What a worker of a cluster sends back."""

    found: list[tuple[str, list[Line]]] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    n_engines: int = 0
    n_restarts: int = 0
    engine_seconds: float = 0.0


def _evaluate_batch(
    task: tuple[Sequence[ReplayedGame], Sequence[dict[str, tuple[Line, ...]]]],
    program: str,
    search: Search,
    settings: Settings,
) -> _Outcome:
    """Some games on a worker of a cluster, by the engine of that name there, which has to be the same."""
    outcome, engine = _Outcome(), None
    try:
        for entry, known in zip(*task, strict=True):
            for attempt in range(1, _TRIES + 1):
                if engine is None:
                    engine = Engine(find_engine(program), search)
                    outcome.n_engines += 1
                if engine.settings != settings:
                    raise LudometerError(f"a worker of the cluster has another engine: {engine.identity.name}")
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
