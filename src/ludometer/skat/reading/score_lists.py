"""Score lists of Skat as plain tables with one row per game and headings in German or English.

* `series` (or list), and, if there, `game` (its number), `time`;
* `player_1` to `player_4`: who sits at the table, including the dealer; without these columns the three or four
  declarers of a series are its players;
* `declarer`: a name, or the number of a seat; empty for a folded game;
* its value, in one of three ways: `points`, signed; or `value` and `won`; or `contract` (a code such as CHS,
  or words), `matadors` (2, -3, "without 3"; not in null) and either `eyes` (with `tricks` where schwarz matters) or
  `won` (with `schneider`, `schwarz`: made); `bid` finds overbid games;
* house rules, if they apply: `kontra`, `re`, `bock`, `ramsch` (yes or no).

Where both points and a contract are given, the written points are compared with the rules: `points_by_rules` and
`difference`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.files.opening import open_source
from ludometer.skat.language import SPELLINGS, find_word
from ludometer.skat.reading.series_tables import refuse_twice
from ludometer.skat.rules.cards import NULL
from ludometer.skat.rules.games import BIDS, Contract, HouseRules, score_game

if TYPE_CHECKING:
    import polars as pl

_SEATS = ("player_1", "player_2", "player_3", "player_4")
_GAME_COLUMNS = (
    *(
        "series",
        "game",
        "time",
        *_SEATS,
        "declarer",
        "contract",
        "matadors",
        "bid",
        "eyes",
        "tricks",
        "value",
        "points",
    ),
    *("won", "schneider", "schwarz", "kontra", "re", "bock", "ramsch"),
)
_YES = {"1", "yes", "y", "true", "x", "ja", "j", "wahr", "won", "win", "w", "gewonnen", "g", "+"}
_NO = {"", "0", "no", "n", "false", "nein", "falsch", "lost", "loss", "l", "verloren", "v", "-"}
_MOST_POINTS = 10_000
"""In one game, with every doubling of the house rules: more must be a typing error."""

_SHOWN = 5


def read_score_lists(source: Any, *, house_rules: HouseRules | None = None) -> pl.DataFrame:
    """Games of score lists, as `score_series` takes them, from a file, standard input or an Arrow table.

    Besides the columns above: `has_bonus`, `points_by_rules`, `is_checked`, `difference`. All faults are reported with
    their rows.
    """
    import polars as pl

    rows, name = _read_rows(source)
    rules = house_rules or HouseRules()
    games: list[dict[str, Any]] = []
    numbers, faults = [], []
    for number, row in enumerate(rows, 1):
        if not any(row.values()):
            # an empty line
            continue
        try:
            games.append(_game(row, rules))
            numbers.append(number)
        except (LudometerError, ValueError) as error:
            faults.append(f"row {number:,}: {error}")
    if faults:
        more = f"; and {len(faults) - _SHOWN:,} more" if len(faults) > _SHOWN else ""
        bad = f"{len(faults):,} bad row{'s' if len(faults) > 1 else ''} of {len(rows):,}"
        shown = "; ".join(faults[:_SHOWN])
        raise MatchDataError(f"{name}: {bad}: {shown}{more}. Correct them, or leave them out")
    if not games:
        raise MatchDataError(f"{name}: there are no rows; one row per game is expected")
    texts = ("series", "game", "time", *_SEATS, "declarer", "contract", "difference")
    kinds: dict[str, Any] = dict.fromkeys(texts, pl.String)
    kinds |= dict.fromkeys(("points", "points_by_rules"), pl.Int32)
    kinds |= dict.fromkeys(("won", "has_bonus", "is_checked"), pl.Boolean)
    frame = pl.DataFrame(games, schema=kinds)
    number_in_series = pl.int_range(1, pl.len() + 1).over("series").cast(pl.String)
    frame = frame.with_columns(game=pl.coalesce("game", number_in_series))
    # the losers of a Ramsch share its number
    says = "game {game} appears twice in series {series}. Give each table's list its own series, or leave out one row"
    refuse_twice(frame.with_columns(row=pl.Series(numbers)).filter("has_bonus"), ("series", "game"), name, says)
    return _seat_players(frame, name)


def _read_rows(source: Any) -> tuple[list[dict[str, Any]], str]:
    """The rows under our own headings; cells as stripped text, empty ones None."""
    import polars as pl

    table = open_source(source)
    headings: dict[str, str] = {}
    for heading in table.schema:
        word = find_word(heading, tuple(key for key in _GAME_COLUMNS if key in SPELLINGS))
        if word is not None and word not in headings.values():
            headings[heading] = word
    missing = [key for key in ("series", "declarer") if key not in headings.values()]
    if missing:
        raise MatchDataError(
            f"{table.name}: no column is called {' or '.join(missing)}; there are: {', '.join(table.schema)}. Rename a "
            "column, or add one"
        )
    rows = []
    for batch in table.batches(headings):
        cells = batch.rename(headings).cast(pl.String).with_columns(pl.all().str.strip_chars())
        rows += cells.with_columns(pl.when(pl.all() != "").then(pl.all())).to_dicts()
    return rows, table.name


def _game(row: dict[str, Any], rules: HouseRules) -> dict[str, Any]:
    game = {key: row.get(key) for key in ("series", "game", "time", *_SEATS)}
    if not game["series"]:
        raise LudometerError("no series")
    declarer = _declarer(row)
    _check_seats([row.get(seat) for seat in _SEATS], declarer)
    is_folded = declarer is None
    given = _number(row, "points")
    is_ramsch = _truth(row, "ramsch") or False
    flags = {key: bool(_truth(row, key)) for key in ("kontra", "re", "bock")}
    if is_ramsch and not rules.ramsch:
        raise LudometerError("Ramsch is not part of the rules; --house-rules ramsch allows it")
    by_rules: int | None = None
    if is_folded:
        if given:
            raise LudometerError(f"{given} points, but no declarer")
        given = 0
    elif not is_ramsch:
        by_rules = _points_by_rules(row)
        if by_rules is not None:
            by_rules = int(rules.multiply(by_rules, **flags))
    was_written = given is not None
    points = by_rules if given is None else given
    if points is None:
        raise LudometerError("neither points, nor value and won, nor contract and matadors with eyes or won")
    if abs(points) > _MOST_POINTS:
        raise LudometerError(f"{points} points are more than any game can be worth")
    won = _truth(row, "won")
    difference = None if by_rules is None or by_rules == points else f"{points} written, {by_rules} by the rules"
    if won is not None and not is_folded and not is_ramsch and won != (points > 0):
        difference = difference or f"{points} points, but {'won' if won else 'lost'}"
    return game | {
        "declarer": declarer,
        "points": points,
        "won": None if is_folded else points > 0,
        "has_bonus": not is_ramsch,
        "contract": row.get("contract"),
        "points_by_rules": by_rules,
        "is_checked": by_rules is not None and was_written,
        "difference": difference,
    }


def _declarer(row: dict[str, Any]) -> str | None:
    text = row.get("declarer")
    if text is None or find_word(text) == "folded" or find_word(row.get("contract") or "") == "folded":
        return None
    if text in ("1", "2", "3", "4") and text not in [row.get(seat) for seat in _SEATS]:
        name = row.get(f"player_{text}")
        if name is None:
            raise LudometerError(f"declarer {text}, but that seat is empty")
        return str(name)
    return str(text)


def _check_seats(seats: list[str | None], declarer: str | None) -> None:
    """Check for three or four different names, the declarer among them; tables without seats pass."""
    names = [name for name in seats if name]
    if not names:
        return
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        where = " and ".join(seat for seat, name in zip(_SEATS, seats, strict=True) if name == twice)
        raise LudometerError(f"{twice} sits at two seats ({where})")
    if len(names) < 3:
        raise LudometerError("fewer than three players (player_1 to player_4)")
    if declarer is not None and declarer not in names:
        raise LudometerError(f"the declarer {declarer} is not at the table ({', '.join(names)})")


def _points_by_rules(row: dict[str, Any]) -> int | None:
    """Points from the contract, else from value and won; None if neither is enough."""
    won, eyes = _truth(row, "won"), _number(row, "eyes", most=120)
    value = _number(row, "value")
    if row.get("contract") is None or (won is None and eyes is None):
        return None if value is None or won is None else abs(value) * (1 if won else -2)
    contract = Contract.parse(row["contract"])
    tricks, bid = _number(row, "tricks", most=10), _number(row, "bid") or 18
    if bid not in BIDS:
        raise LudometerError(f"{bid} is not a possible bid, such as 18, 20, 22, 23, 24, 27")
    if contract.game == NULL:
        if won is None and tricks is None:
            return None
        lost = bool(tricks) if tricks is not None else not won
        return score_game(contract, tricks=int(lost), bid=bid).points
    matadors = _matadors(row)
    if matadors is None:
        return None
    if eyes is None:
        schwarz = bool(_truth(row, "schwarz"))
        schneider = schwarz or bool(_truth(row, "schneider"))
        if won:
            schneider, schwarz = schneider or contract.schneider, schwarz or contract.schwarz
        eyes = (90 if schneider else 61) if won else (30 if schneider else 60)
        tricks = (10 if won else 0) if schwarz else None
    return score_game(contract, matadors=matadors, eyes=eyes, tricks=tricks, bid=bid).points


def _matadors(row: dict[str, Any]) -> int | None:
    text = row.get("matadors")
    if text is None:
        return None
    parts = re.fullmatch(r"(with|mit|m|without|ohne|o|\+|-|−)?\s*(\d+)", text.casefold())
    if parts is None:
        raise LudometerError(f"{text!r} is not a number of matadors")
    return int(parts[2]) * (-1 if parts[1] in ("without", "ohne", "o", "-", "−") else 1)


def _number(row: dict[str, Any], key: str, *, most: int | None = None) -> int | None:
    text = row.get(key)
    if text is None:
        return None
    if not re.fullmatch(r"[+−-]?\d{1,7}(\.0{1,2})?", text):
        raise LudometerError(f"{text!r} is not a whole number of {key}")
    number = int(float(text.replace("−", "-")))
    if most is not None and not 0 <= number <= most:
        raise LudometerError(f"{text} under {key}: it must be from 0 to {most}")
    return number


def _truth(row: dict[str, Any], key: str) -> bool | None:
    text = row.get(key)
    if text is None:
        return None
    if text.casefold() not in _YES | _NO:
        raise LudometerError(f"{text!r} under {key}: write yes or no")
    return text.casefold() in _YES


def _seat_players(games: pl.DataFrame, name: str) -> pl.DataFrame:
    """Where no seats are given, the declarers of a series sit at its table."""
    import polars as pl

    if games.select(pl.any_horizontal(pl.col(seat).is_not_null().any() for seat in _SEATS)).item():
        return games
    tables = games.group_by("series", maintain_order=True).agg(
        pl.col("declarer").drop_nulls().unique().sort().alias("names")
    )
    odd = tables.filter(~pl.col("names").list.len().is_in([3, 4]))
    if odd.height:
        raise MatchDataError(
            f"{name}: series {odd['series'][0]!r} has {len(odd['names'][0])} declarers; unless they are three or four, "
            "the columns player_1 to player_4 must tell who sits at the table"
        )
    seats = [pl.col("names").list.get(place, null_on_oob=True).alias(seat) for place, seat in enumerate(_SEATS)]
    return games.drop(_SEATS).join(tables.select("series", *seats), on="series", how="left", maintain_order="left")
