"""Small sound files of every format, made anew for each input: what the damage starts from."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from random import Random
from typing import Any

from fuzzing.mutations import DATES, NUMBERS, WORDS

NAMES = ("Ann", "Ben", "Cem", "Dora", "Eve", "Ann  ", "名前", "O'Neil", "=1+1", "Zoë", "x" * 70)
RESULTS = ("1-0", "0-1", "1/2-1/2", "1", "0", "0.5", "W", "L", "D", "3:1", "2-2", "*", "½", "draw")


def day(rng: Random) -> str:
    """A date, mostly a sound one."""
    if rng.random() < 0.03:
        return rng.choice(DATES)
    return f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"


def number(rng: Random, low: int = 0, high: int = 60) -> str:
    """A number, mostly a sound one."""
    return rng.choice(NUMBERS) if rng.random() < 0.03 else str(rng.randint(low, high))


def word(rng: Random, words: Sequence[str]) -> str:
    """One of these words, now and then an odd one."""
    return rng.choice(WORDS) if rng.random() < 0.02 else rng.choice(words)


def match_table(rng: Random) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of two-player matches, or of seats."""
    kind = rng.choice(("result", "result", "points", "winner", "loser", "seats", "seats"))
    makers: dict[str, Any] = {
        "date": lambda: day(rng),
        "season": lambda: number(rng, 2000, 2020),
        "home": lambda: word(rng, NAMES[:6]),
        "away": lambda: word(rng, NAMES[6:]),
        "winner": lambda: word(rng, NAMES[:6]) if kind == "loser" else word(rng, (*NAMES, "draw")),
        "loser": lambda: word(rng, NAMES[6:]),
        "result": lambda: word(rng, RESULTS),
        "score_1": lambda: number(rng, 0, 5),
        "score_2": lambda: number(rng, 0, 5),
        "match": lambda: number(rng, 1, 3),
        "player": lambda: word(rng, NAMES),
        "place": lambda: number(rng, 1, 4),
        "score": lambda: number(rng, 0, 99),
        "prize": lambda: number(rng, 0, 9),
    }
    columns = {
        "result": ["date", "season", "home", "away", "result"],
        "points": ["date", "home", "away", "score_1", "score_2"],
        "winner": ["home", "away", "winner", "season"],
        "loser": ["winner", "loser", "date"],
        "seats": ["match", "player", rng.choice(("place", "score")), "date", "prize"],
    }[kind]
    if rng.random() < 0.3:
        rng.shuffle(columns)
    if rng.random() < 0.1:
        columns.pop()
    rows = [[makers[name]() for name in columns] for _ in range(rng.choice((0, 1, 3, 6, 12)))]
    headings = [rng.choice((name, name, name.upper(), f" {name}")) for name in columns]
    return headings, rows


def delimited(headings: Sequence[str], rows: Sequence[Sequence[str]], rng: Random) -> bytes:
    """As text with separators."""
    mark, end = rng.choice(",,;\t|"), rng.choice(("\n", "\n", "\r\n", "\r"))

    def cell(text: str) -> str:
        needs = any(sign in text for sign in (mark, '"', "\n", "\r")) or rng.random() < 0.05
        return '"' + text.replace('"', '""') + '"' if needs and rng.random() < 0.95 else text

    lines = [mark.join(map(cell, row)) for row in (headings, *rows)]
    return (end.join(lines) + rng.choice((end, ""))).encode("utf-8", "replace")


def csv_matches(rng: Random) -> bytes:
    """Matches as CSV."""
    return delimited(*match_table(rng), rng)


def _value(text: str, rng: Random) -> Any:
    """A cell as JSON has it."""
    if rng.random() < 0.02:
        return rng.choice((None, True, [], {}, [[1]], {"a": {"b": 1}}, 1e308, -0.0, 1 << 70, "\ud800"))
    try:
        return int(text) if rng.random() < 0.7 else float(text)
    except ValueError:
        return text


def json_lines(rng: Random) -> bytes:
    """Matches as an object a line."""
    headings, rows = match_table(rng)
    return "\n".join(json.dumps(_record(headings, row, rng)) for row in rows).encode()


def json_array(rng: Random) -> bytes:
    """Matches as one array."""
    headings, rows = match_table(rng)
    indent = rng.choice((None, 1))
    return json.dumps([_record(headings, row, rng) for row in rows], indent=indent).encode()


def _record(headings: Sequence[str], row: Sequence[str], rng: Random) -> dict[str, Any]:
    found = {name: _value(cell, rng) for name, cell in zip(headings, row, strict=False)}
    if rng.random() < 0.05 and found:
        found.pop(rng.choice(list(found)))
    return found


def typed_table(rng: Random) -> Any:
    """Matches as a table whose columns may have any type."""
    import polars as pl

    headings, rows = match_table(rng)
    columns = {}
    for place, name in enumerate(headings):
        cells = [row[place] for row in rows]
        column = pl.Series(name, cells, dtype=pl.String)
        if rng.random() < 0.2:
            column = _retype(column, rng)
        columns[name] = column
    return pl.DataFrame(list(columns.values()))


def _retype(column: Any, rng: Random) -> Any:
    import polars as pl

    size = len(column)
    made: tuple[Any, ...] = (
        *(pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt32, pl.UInt64, pl.Int128, pl.Float32, pl.Float64),
        *(pl.Boolean, pl.Categorical, pl.Binary, pl.Null, pl.Date, pl.Time),
        *(
            pl.Datetime("ms"),
            pl.Datetime("ns"),
            pl.Datetime("us", "Europe/Berlin"),
            pl.Duration("us"),
            pl.Decimal(18, 3),
        ),
    )
    kind = rng.choice(made)
    try:
        if kind == pl.Date:
            return column.str.to_date("%Y-%m-%d", strict=False)
        if isinstance(kind, pl.Datetime):
            found = column.str.to_datetime("%Y-%m-%d", strict=False).cast(pl.Datetime(kind.time_unit))
            return found.dt.replace_time_zone(kind.time_zone)
        if kind == pl.Boolean:
            return pl.Series(column.name, [rng.choice((True, False, None)) for _ in range(size)], dtype=pl.Boolean)
        if kind == pl.Null:
            return pl.Series(column.name, [None] * size, dtype=pl.Null)
        if kind in (pl.Time, pl.Binary, pl.Categorical):
            return column.cast(pl.Binary if kind == pl.Time and rng.random() < 0.5 else kind, strict=False)
        if rng.random() < 0.05:
            return pl.Series(column.name, [[cell] for cell in column], dtype=pl.List(pl.String))
        return column.cast(pl.Float64, strict=False).cast(kind, strict=False)
    except pl.exceptions.PolarsError:
        return column


def parquet(rng: Random) -> bytes:
    """Matches as Parquet."""
    out = io.BytesIO()
    typed_table(rng).write_parquet(out, compression=rng.choice(("uncompressed", "zstd", "gzip", "snappy", "lz4")))
    return out.getvalue()


def arrow(rng: Random) -> bytes:
    """Matches as an Arrow file or stream."""
    out, table = io.BytesIO(), typed_table(rng)
    packing = rng.choice(("uncompressed", "zstd", "lz4"))
    if rng.random() < 0.5:
        table.write_ipc(out, compression=packing)
    else:
        table.write_ipc_stream(out, compression=packing)
    return out.getvalue()


def pgn(rng: Random) -> bytes:
    """Chess games."""
    games = []
    for _ in range(rng.choice((1, 1, 2, 4))):
        tags = {
            "Event": word(rng, ("Open", "?", "Club (A)", 'the "best"')),
            "Site": "?",
            "Date": word(rng, ("2020.01.31", "2020.??.??", "????.??.??", *DATES)),
            "Round": number(rng),
            "White": word(rng, NAMES),
            "Black": word(rng, NAMES),
            "Result": word(rng, ("1-0", "0-1", "1/2-1/2", "*")),
            "WhiteElo": number(rng, 800, 2800),
            "BlackElo": number(rng, 800, 2800),
        }
        if rng.random() < 0.15:
            tags["FEN"] = rng.choice(
                ("8/8/8/8/8/8/8/K1k5 w - - 0 1", "8/8 w", "", "x" * 90, "7k/5Q2/8/8/8/8/8/K7 b - - 0 1")
            )
        if rng.random() < 0.1:
            tags["Variant"] = word(rng, ("Standard", "Chess960", "From Position"))
        head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        games.append(f"{head}\n{_moves(rng)} {tags['Result']}\n")
    return "\n".join(games).encode("utf-8", "replace")


def _moves(rng: Random) -> str:
    line = ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5", "Bb3", "d6", "c3", "O-O")
    extras = (
        "{[%eval 0.31]}",
        "{[%eval #-3]}",
        "{[%eval 1e999]}",
        "(1. d4 d5)",
        "$14",
        "; rest\n",
        "{open",
        "!?",
        "{[%clk 0:01]}",
    )
    text = []
    for place, move in enumerate(line[: rng.randrange(len(line) + 1)]):
        text.append(f"{place // 2 + 1}. {move}" if place % 2 == 0 else move)
        if rng.random() < 0.25:
            text.append(rng.choice(extras))
    return " ".join(text)


def evaluations(rng: Random) -> bytes:
    """A table of evaluations."""
    columns = [
        "game",
        "ply",
        "player",
        "evaluation",
        "side",
        "event",
        "result",
        "rating",
        "best",
        "second",
        "choice",
        "material",
    ]
    if rng.random() < 0.3:
        columns[2:3] = ["white", "black"]
    columns = [name for place, name in enumerate(columns) if place < 4 or rng.random() < 0.5]
    rows = []
    for game in range(rng.choice((1, 1, 2))):
        for ply in range(rng.choice((1, 3, 8))):
            cells = {
                "game": str(game),
                "ply": number(rng, ply, ply),
                "player": "" if ply == 0 else word(rng, (("Ann", "Ben")[ply % 2],)),
                "white": "Ann",
                "black": "Ben",
                "evaluation": word(rng, ("0.3", "-1.25", "#3", "-#2", "M4", "39", "1e30")),
                "side": word(rng, ("w", "b", "white", "")),
                "event": word(rng, ("Cup", "")),
                "result": word(rng, RESULTS),
                "best": word(rng, ("0.4", "#1", "")),
                "second": word(rng, ("0.1", "")),
            }
            rows.append([cells.get(name) or number(rng) for name in columns])
    return delimited(columns, rows, rng)


def ratings(rng: Random) -> bytes:
    """A list of ratings."""
    name = rng.choice(("rating", "Elo", "ratings", "points"))
    rows = [[word(rng, NAMES), number(rng, 900, 2400)] for _ in range(rng.choice((0, 1, 5, 20)))]
    return delimited(["player", name], rows, rng)


def small_table(rng: Random) -> bytes:
    """Teams of players, or ratings that stood before."""
    headings = rng.choice((["player", "team"], ["Spieler", "Verein"], ["player", "rating", "series"], ["name", "elo"]))
    rows = [[word(rng, NAMES), *(number(rng) for _ in headings[1:])] for _ in range(rng.choice((0, 1, 4)))]
    return delimited(headings, rows, rng)


def backgammon(rng: Random) -> bytes:
    """A match of backgammon."""
    if rng.random() < 0.3:
        return b"(;FF[4]GM[6]AP[GNU Backgammon:1.06]MI[length:3][game:0]PW[Ann]PB[Ben];B[52lpab];W[31hehf])"
    rolls = "\n".join(
        f" {n:2d}) {rng.randint(1, 6)}{rng.randint(1, 6)}: 24/18 13/10    {rng.randint(1, 6)}1: 8/4 6/4"
        for n in range(1, 6)
    )
    return f" 3 point match\n\n Game 1\n Ann : 0     Ben : 0\n{rolls}\n      Wins 1 point\n".encode()


def prize_table(rng: Random) -> bytes:
    """Prizes of places."""
    headings = rng.choice((["place", "prize"], ["players", "place", "prize"]))
    rows = [
        [
            *([number(rng, 3, 3)] if len(headings) == 3 else []),
            number(rng, place, place),
            number(rng, 9 - place, 9 - place),
        ]
        for place in range(1, rng.choice((1, 2, 4, 5)))
    ]
    return delimited(headings, rows, rng)
