"""Logs of the program xskat (`xskat -auto N -log FILE`), English or German, as frames of game records.

A log has three columns of cards, one per player. The tricks come first: capitals took the trick, `_` marks the card led
when another took it. Then come the hands after the discard, the skat and the result. The columns are those of
`ludometer.skat.records`; `eyes_recorded` and `won_recorded` are xskat's own count, and points are not logged.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.files.source import plain_errors
from ludometer.read.files.unpack import unpacked
from ludometer.skat.language import find_word
from ludometer.skat.records import complete_records, schema
from ludometer.skat.rules.cards import RANKS, SUITS

if TYPE_CHECKING:
    import polars as pl

GAMES_PER_FRAME = 50_000

_WIDTH = 12
_SUIT_WORDS = {"C": ("Club", "Kreuz"), "S": ("Spade", "Pik"), "H": ("Heart", "Herz"), "D": ("Diamond", "Karo")}
_RANK_WORDS = {"J": ("J", "B"), "Q": ("Q", "D"), "T": ("10",)}
_MODE = re.compile(
    r"(?:Played )?((?:hand|ouvert|schneider|schwarz|announced|angesagt| )+)(?: gespielt)?", re.IGNORECASE
)
_SEED = re.compile(r"-+ random_seed (-?\d+) (\d+) (\d+) -*")
_LINES = {
    "is": re.compile(r"(?:Skat is|Im Skat ist): (.+),(.+)"),
    "was": re.compile(r"(?:Skat was|Im Skat war): (.+),(.+)"),
    "bid": re.compile(r"(?:Last bid|Gereizt bis): (\d{1,4})"),
    "game": re.compile(r"(.+?) (?:played|spielte) (\w+)"),
    "result": re.compile(r"(Won|Lost|Gewonnen|Verloren)(?: (?:with|mit): (\d{1,4}) \w+)?"),
}


def read_xskat(
    source: str | os.PathLike[str] | Iterable[str], *, names: tuple[str, str, str] | None = None, replay: bool = True
) -> pl.DataFrame:
    """All games of a log, a path or its lines; `names` replace those of the three columns. See `stream_xskat`."""
    import polars as pl

    frames = list(stream_xskat(source, names=names, replay=replay))
    return pl.concat(frames) if frames else complete_records(pl.DataFrame(schema=schema()), replay=replay)


def stream_xskat(
    source: str | os.PathLike[str] | Iterable[str], *, names: tuple[str, str, str] | None = None, replay: bool = True
) -> Iterator[pl.DataFrame]:
    """Games of a log as frames of at most 50,000, in its order. `series` is the seed, `game_id` the game's number.

    Players move from seat to seat: forehand of a game is the column after the dealer's.
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    types = schema()

    def frame() -> pl.DataFrame:
        return complete_records(pl.DataFrame(rows, schema=types), replay=replay)

    for row in _games(source, names):
        rows.append(row)
        if len(rows) == GAMES_PER_FRAME:
            yield frame()
            rows = []
    if rows:
        yield frame()


def _games(source: Any, names: tuple[str, str, str] | None) -> Iterator[dict[str, Any]]:
    if isinstance(source, str | os.PathLike):
        if not Path(source).is_file():
            raise LudometerError(f"{source}: no such file")
        name = Path(source).name
        with plain_errors(name), Path(source).open("rb") as stream:
            yield from _split(as_lines(stream), name, names)
    else:
        yield from _split(source, "log", names)


def as_lines(stream: BinaryIO) -> TextIO:
    """The lines of a log that may be packed."""
    return io.TextIOWrapper(cast("IO[bytes]", unpacked(stream)), encoding="latin-1")


def _split(lines: Iterable[str] | TextIO, name: str, players: tuple[str, str, str] | None) -> Iterator[dict[str, Any]]:
    """Game by game; each ends with a line of equality signs."""
    held: list[str] = []
    start = 1
    for number, line in enumerate(lines, 1):
        if not line.startswith("===="):
            held.append(line.rstrip("\r\n"))
            continue
        try:
            yield _parse_game(held, players)
        except (LudometerError, KeyError, ValueError, IndexError) as error:
            raise MatchDataError(
                f"{name}: the game of lines {start:,} to {number:,} cannot be read: {error}"
            ) from error
        held, start = [], number + 1
    if any(line.strip() for line in held):
        raise MatchDataError(f"{name}: the last game, from line {start:,}, is truncated")


def _parse_game(lines: list[str], players: tuple[str, str, str] | None) -> dict[str, Any]:
    found: dict[str, Any] = {"mode": ""}
    middle = 0
    tricks: list[str] = []
    hands: list[str] = []
    for place, line in enumerate(lines):
        if line.startswith("  ") and line.strip():
            (hands if middle else tricks).append(line)
        elif seed := _SEED.match(line):
            found["seed"], middle = seed.groups(), place
        elif middle:
            text = line.strip()
            if mode := _MODE.fullmatch(text):
                found["mode"] += mode[1] + " "
            for kind, pattern in _LINES.items():
                if kind not in found and (match := pattern.fullmatch(text)):
                    found[kind] = match.groups()
                    break
    columns = lines[0].split()
    if len(hands) != 10 or len(columns) != 3:
        raise LudometerError("ten rows of hands and three names are needed")
    return _to_row(columns, players or (columns[0], columns[1], columns[2]), tricks, hands, found)


def _to_row(
    columns: list[str], players: tuple[str, ...], tricks: list[str], hands: list[str], found: dict[str, Any]
) -> dict[str, Any]:
    seed, number, dealer = found["seed"]
    # seat of a column: forehand follows the dealer
    first = int(dealer) % 3
    seats = [(column - first) % 3 for column in range(3)]
    at_play = [0, 0, 0]
    for line in hands:
        for column in range(3):
            at_play[seats[column]] |= 1 << _card(line, column)[0]
    common: dict[str, Any] = {
        "series": seed,
        "game_id": number,
        "place": "xskat",
        **{f"player_{seats[column]}": players[column] for column in range(3)},
        "gave_up": False,
        "resigned": 0,
        "penalty": 0,
    }
    if "game" not in found:
        if len(tricks) > 1:
            raise LudometerError("there are tricks, but no declarer")
        return common | _folded(at_play, _mask(found["is"]))
    declarer = seats[columns.index(found["game"][0])]
    was, discards = _mask(found["was"]), _mask(found["is"])
    dealt = list(at_play)
    dealt[declarer] = (at_play[declarer] | discards) & ~was
    game = find_word(found["game"][1], tuple("CSHDGN"))
    if game is None:
        raise LudometerError(f"{found['game'][1]!r} is not a game")
    played = _order(tricks, seats)
    verb, eyes = found["result"]
    is_won = verb in ("Won", "Gewonnen")
    announced = {word for word in map(find_word, found["mode"].split()) if word}
    is_null, ouvert = game == "N", "ouvert" in announced
    return common | {
        **{f"hand_{seat}": dealt[seat] for seat in range(3)},
        "skat": was,
        "declarer": declarer,
        "game": "CSHDGN".index(game),
        "is_hand": "hand" in announced or (ouvert and not is_null),
        "schwarz": not is_null and ("schwarz" in announced or ouvert),
        "schneider": not is_null and bool({"schneider", "schwarz", "ouvert"} & announced),
        "ouvert": ouvert,
        "bid": int(found["bid"][0]),
        "discards": discards,
        "cards": played + [255] * (30 - len(played)),
        "n_played": len(played),
        "kind": "won" if is_won else "lost",
        "eyes_recorded": int(eyes) if eyes else None,
        "tricks_recorded": (0 if is_won else 1) if is_null else None,
        "won_recorded": is_won,
    }


def _folded(hands: list[int], skat: int) -> dict[str, Any]:
    """All passed: the deal, and no game."""
    return {
        **{f"hand_{seat}": hands[seat] for seat in range(3)},
        "skat": skat,
        **dict.fromkeys(("is_hand", "schneider", "schwarz", "ouvert"), False),
        "cards": [255] * 30,
        "n_played": 0,
        "kind": "folded",
    }


def _mask(texts: tuple[str, ...]) -> int:
    return sum(1 << _CARDS[_padded(text)][0] for text in texts)


def _order(tricks: list[str], seats: list[int]) -> list[int]:
    """The cards in the order in which they were played."""
    if len(tricks) > 10:
        raise LudometerError("there are more than ten tricks")
    played = []
    for line in tricks:
        cards = {}
        winner = leader = None
        for column in range(3):
            card, took, led = _card(line, column)
            cards[seats[column]] = card
            if led:
                leader = seats[column]
            if took:
                winner = seats[column]
        start = winner if leader is None else leader
        if start is None:
            raise LudometerError("nobody took a trick")
        played += [cards[(start + turn) % 3] for turn in range(3)]
    return played


def _card(line: str, column: int) -> tuple[int, bool, bool]:
    at = 2 + _WIDTH * column
    return _CARDS[line[at : at + _WIDTH].ljust(_WIDTH)]


def _padded(text: str) -> str:
    return text.strip().ljust(_WIDTH)


def _card_table() -> dict[str, tuple[int, bool, bool]]:
    """By the text of a column: the card, whether it took the trick, whether it was led."""
    table = {}
    for card in range(32):
        suit, rank = SUITS[card >> 3], RANKS[card & 7]
        for word in _SUIT_WORDS[suit]:
            is_german = word == _SUIT_WORDS[suit][1]
            ranks = _RANK_WORDS.get(rank, (rank,))
            text = ranks[-1] if is_german else ranks[0]
            for written, took in ((word, False), (word.upper(), True)):
                for mark, led in ((" ", False), ("_", True)):
                    table[f"{written}{mark}{text}".ljust(_WIDTH)] = card, took, led
    return table


_CARDS = _card_table()
