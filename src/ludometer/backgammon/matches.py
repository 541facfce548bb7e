"""Backgammon matches analysed by GNU Backgammon: what each decision cost and what each roll of the dice brought."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.backgammon.cache import AnalysisCache
from ludometer.backgammon.gnubg import ANALYSE, PROGRAM, TIMEOUT, Gnubg, GnubgFailure, open_gnubg
from ludometer.errors import LudometerError, MatchDataError
from ludometer.parallel import Workers, map_tasks

if TYPE_CHECKING:
    import polars as pl

Format = Literal["mat", "sgf", "sgg"]
"""Jellyfish's text of a match, which most programs write; GNU Backgammon's own; GamesGrid's."""

KINDS = ("chequer", "double", "take")
"""Decisions: which chequers to move; whether to double; whether to take or to pass."""

CHEQUER, DOUBLE, TAKE = range(3)

_CLOSE = 0.16
"""A decision not to double counts if doubling would have cost less than this, or would have been right."""

_ROLL = re.compile(rb"(?<!\d)\d\d:")
_TURNS = re.compile(rb"^\s*\d+\).*", re.MULTILINE)
_LOADING = {"mat": "import mat match.mat", "sgf": "load match match.sgf", "sgg": "import sgg match.sgg"}


@dataclass(frozen=True)
class MatchRecord:
    """A match as it stands in a file."""

    name: str
    format: Format
    data: bytes


@dataclass(frozen=True)
class Evaluator:
    """How positions are valued: plies of looking ahead, for decisions and for luck; never with noise."""

    plies: int = 2
    luck_plies: int = 0
    """GNU Backgammon's own choice: every roll is valued, not only the one that came, which is 21 times the work."""

    def __post_init__(self) -> None:
        for name in ("plies", "luck_plies"):
            if not 0 <= getattr(self, name) <= 4:
                raise LudometerError(f"{name.replace('_', ' ')} are 0 to 4, not {getattr(self, name)}")

    def describe(self, version: str) -> str:
        """In a few words."""
        return f"GNU Backgammon {version}, {self.plies}-ply, luck {self.luck_plies}-ply"


@dataclass(frozen=True, eq=False)
class AnalysedMatch:
    """A match as decisions and rolls, in order of play. Player 0 or 1 stands for one of `names`.

    A decision has a `kind` and a `loss`: equity given away, from 0 up, in units of the cube as it stood. Only decisions
    with a choice are here: moves where there were two or more, doubles, takes and passes, and doubles not made that
    were close. A roll has its `luck`: the equity after it less the mean over all rolls. One of equity is worth
    `loss_unit` or `luck_unit`: match-winning chance (1 is the match), or points in a session for money.
    """

    name: str
    names: tuple[str, str]
    length: int
    """Points that win; 0: a session for money."""
    scores: Counts
    """Both players' points before each game."""
    winners: Codes
    """Of each game; -1: it was not finished."""
    points: Codes
    loss: Floats
    loss_unit: Floats
    loss_game: Codes
    loss_player: Codes
    kind: Codes
    loss_turn: Codes
    """Turns before the decision in its game."""
    luck: Floats
    luck_unit: Floats
    luck_game: Codes
    luck_player: Codes
    luck_turn: Codes
    version: str
    evaluator: Evaluator

    @property
    def n_games(self) -> int:
        """Games that were begun."""
        return len(self.winners)

    @property
    def final(self) -> tuple[int, int]:
        """The score at the end."""
        last = self.scores[-1].tolist()
        if self.winners[-1] >= 0:
            last[self.winners[-1]] += int(self.points[-1])
        return last[0], last[1]

    @property
    def is_over(self) -> bool:
        """Whether every game was finished and, unless it is for money, the match too."""
        return bool((self.winners >= 0).all()) and (self.length == 0 or max(self.final) >= self.length)

    @property
    def winner(self) -> int | None:
        """Who won; None: nobody, or it is not over."""
        first, second = self.final
        return None if not self.is_over or first == second else int(second > first)

    def to_frame(self) -> pl.DataFrame:
        """A row a decision and a row a roll, in order of play."""
        import polars as pl

        shared = {"match": self.name, "game": None, "turn": None, "player": None}
        names = np.array(self.names, object)
        rolls = pl.DataFrame(
            shared
            | {"game": self.luck_game + 1, "turn": self.luck_turn + 1, "player": names[self.luck_player].tolist()}
            | {"kind": "roll", "loss": None, "luck": self.luck, "unit": self.luck_unit},
            schema_overrides={"loss": pl.Float64},
        )
        decisions = pl.DataFrame(
            shared
            | {"game": self.loss_game + 1, "turn": self.loss_turn + 1, "player": names[self.loss_player].tolist()}
            | {"kind": [KINDS[code] for code in self.kind], "loss": self.loss, "luck": None, "unit": self.loss_unit},
            schema_overrides={"luck": pl.Float64},
        )
        order = pl.col("kind").replace_strict({"double": 0, "take": 1, "roll": 2, "chequer": 3})
        return pl.concat([rolls, decisions]).sort("game", "turn", order, maintain_order=True)


def analyse_matches(
    records: Sequence[MatchRecord],
    *,
    evaluator: Evaluator | None = None,
    gnubg: str = PROGRAM,
    timeout: float = TIMEOUT,
    cache: str | Path | None = None,
    unfinished: bool = False,
    workers: Workers | None = None,
    on_done: Callable[[int], None] | None = None,
) -> list[AnalysedMatch]:
    """Let GNU Backgammon analyse matches, one process a match and `workers.jobs` of them at a time.

    What the cache knows is not analysed again; each analysis is kept as soon as it is done, so that a run that was
    stopped goes on where it was. Results depend on neither. `unfinished` takes matches that are not over.
    """
    evaluator = evaluator or Evaluator()
    program = open_gnubg(gnubg, timeout=timeout)
    kept = None if cache is None else AnalysisCache(cache)

    def analyse(record: MatchRecord) -> AnalysedMatch:
        found = _find_analysis(record, evaluator, program, kept)
        return read_analysis(
            record.name,
            found,
            evaluator,
            program.version,
            n_rolls=None if unfinished else count_rolls(record),
            unfinished=unfinished,
        )

    try:
        found = map_tasks(analyse, records, workers=workers, on_done=on_done)
    finally:
        program.close()
    return _name_apart(found)


def count_rolls(record: MatchRecord) -> int | None:
    """Rolls that stand in the text of a match; the program passes over those that it does not understand.

    >>> count_rolls(MatchRecord("a.mat", "mat", b" Ann : 0    Ben : 0\\n  1) 31: 8/5 6/5     42: 8/4 6/4\\n"))
    2
    """
    if record.format != "mat":
        return None
    return sum(len(_ROLL.findall(line)) for line in _TURNS.findall(record.data))


def read_analysis(
    name: str,
    analysis: dict[str, Any],
    evaluator: Evaluator,
    version: str,
    *,
    n_rolls: int | None = None,
    unfinished: bool = False,
) -> AnalysedMatch:
    """What the program found, as decisions and rolls; a record that cannot be right is refused.

    `n_rolls` is how many there should be, if that is known.
    """
    match = analysis["match"]
    if match is None:
        raise MatchDataError(f"{name}: GNU Backgammon finds no match in it: write .mat, .sgf or .sgg files")
    if match["variation"] != "Standard":
        raise MatchDataError(f"{name}: is {match['variation']}, not backgammon as it is usually played")
    first, second = (str(player).strip() for player in match["names"])
    if first == second:
        raise MatchDataError(f"{name}: both players are called {first!r}, so they cannot be told apart")
    losses, rolls = _Columns(), _Columns()
    for number, game in enumerate(match["games"]):
        _read_game(name, number, game["actions"], losses, rolls)
    if not len(rolls):
        raise MatchDataError(f"{name}: there are no moves in it")
    if n_rolls is not None and n_rolls != len(rolls):
        raise MatchDataError(
            f"{name}: GNU Backgammon understands {len(rolls)} of {n_rolls} rolls: a move is against the rules, or the "
            "file is damaged"
        )
    games = match["games"]
    found = AnalysedMatch(
        name=name,
        names=(first, second),
        length=int(match["length"]),
        scores=np.array([game["score"] for game in games], np.int64),
        winners=np.array([-1 if game["winner"] is None else game["winner"] for game in games], np.int32),
        points=np.array([game["points"] or 0 for game in games], np.int32),
        **losses.arrays("loss", "loss_unit", "loss_game", "loss_player", "kind", "loss_turn"),
        **rolls.arrays("luck", "luck_unit", "luck_game", "luck_player", "luck_turn"),
        version=version,
        evaluator=evaluator,
    )
    if not found.is_over and not unfinished:
        score = "-".join(map(str, found.final))
        goal = f" of a match to {found.length}" if found.length else ""
        raise MatchDataError(
            f"{name}: the record ends at {score}{goal}, before {'the match' if found.length else 'its last game'} is "
            "over: the file is cut off or was saved early; --unfinished takes what there is"
        )
    return found


def no_double_loss(no_double: float, double_take: float) -> float:
    """Equity that not doubling gives away, by the equities without a double and after a double that is taken.

    After a double the other side chooses what is worse for who doubles: a take, or a pass that is worth 1.

    >>> no_double_loss(0.6, 0.75), no_double_loss(0.9, 1.4), round(no_double_loss(1.2, 0.9), 3)
    (0.15000000000000002, 0.09999999999999998, 0.0)
    """
    return max(min(double_take, 1.0) - no_double, 0.0)


def double_loss(no_double: float, double_take: float) -> float:
    """Equity that doubling gives away.

    >>> double_loss(0.75, 0.5), double_loss(0.5, 0.75)
    (0.25, 0.0)
    """
    return max(no_double - min(double_take, 1.0), 0.0)


def answer_loss(double_take: float, *, took: bool) -> float:
    """Equity that taking or passing gives away: a pass costs 1, a take what the doubler then has.

    >>> answer_loss(1.25, took=True), answer_loss(0.75, took=False), answer_loss(0.75, took=True)
    (0.25, 0.25, 0.0)
    """
    return max(double_take - 1.0 if took else 1.0 - double_take, 0.0)


def _find_analysis(
    record: MatchRecord, evaluator: Evaluator, program: Gnubg, cache: AnalysisCache | None
) -> dict[str, Any]:
    key = json.dumps(
        {"record": hashlib.sha256(record.data).hexdigest(), "format": record.format, "gnubg": program.version}
        | {"script": hashlib.sha256(ANALYSE.encode()).hexdigest()[:16], **vars(evaluator)},
        sort_keys=True,
    )
    known = None if cache is None else cache.find(key)
    if known is not None:
        return known
    task = {"load": _LOADING[record.format], **vars(evaluator)}
    try:
        found, _ = program.run(ANALYSE, task, {f"match.{record.format}": record.data})
    except GnubgFailure as error:
        raise GnubgFailure(f"{record.name}: {error}") from error
    if cache is not None:
        cache.store(key, found)
    return found


class _Columns:
    """Rows on their way into arrays."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, ...]] = []

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, *row: float) -> None:
        self.rows.append(row)

    def arrays(self, *names: str) -> dict[str, Any]:
        """By name: the first two are numbers, the others codes."""
        columns: Iterable[Any] = zip(*self.rows, strict=True) if self.rows else [()] * len(names)
        return {
            name: np.array(column, np.float64 if place < 2 else np.int32)
            for place, (name, column) in enumerate(zip(names, columns, strict=True))
        }


def _read_game(name: str, game: int, actions: Sequence[Sequence[Any]], losses: _Columns, rolls: _Columns) -> None:
    """Decisions as rows of loss, unit, game, player, kind, turn; rolls without the kind."""
    offered, turn, last = None, 0, None
    for kind, player, unit, *rest in actions:
        if kind == "set":
            raise MatchDataError(
                f"{name}: in game {game + 1} a position was set up by hand: it is not the play of a match"
            )
        if kind in ("move", "roll") and player == last:
            raise MatchDataError(f"{name}: in game {game + 1}, turn {turn}, a move is missing or against the rules")
        if kind == "roll":
            rolls.add(_known(rest[0]), unit, game, player, turn)
        elif kind == "move":
            no_double, double_take, n_moves, best, played, luck = rest
            if no_double is not None and _is_close(no_double, double_take):
                losses.add(no_double_loss(no_double, double_take), unit, game, player, DOUBLE, turn)
            rolls.add(_known(luck), unit, game, player, turn)
            if n_moves and played is None:
                raise MatchDataError(f"{name}: in game {game + 1}, turn {turn + 1}, the move is against the rules")
            if n_moves > 1:
                losses.add(max(best - played, 0.0), unit, game, player, CHEQUER, turn)
            turn, last = turn + 1, player
        elif kind == "double" and rest[0] is not None:
            offered = rest[1]
            losses.add(double_loss(*rest), unit, game, player, DOUBLE, turn)
        elif kind in ("take", "drop") and offered is not None:
            losses.add(answer_loss(offered, took=kind == "take"), unit, game, player, TAKE, turn)
            offered = None
        else:
            offered = None


def _known(luck: float | None) -> float:
    if luck is None:
        raise LudometerError("GNU Backgammon did not analyse the dice")
    return luck


def _is_close(no_double: float, double_take: float) -> bool:
    doubled = min(double_take, 1.0)
    return max(no_double, doubled) - doubled < _CLOSE


def _name_apart(matches: list[AnalysedMatch]) -> list[AnalysedMatch]:
    """Two files of one name, from different folders, get numbers."""
    seen: dict[str, int] = {}
    named = []
    for match in matches:
        seen[match.name] = seen.get(match.name, 0) + 1
        n = seen[match.name]
        named.append(match if n == 1 else replace(match, name=f"{match.name} ({n})"))
    return named
