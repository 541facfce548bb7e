"""One record of the International Skat Server in plain Python: to look at a single game, and as the kernel's twin."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from ludometer.errors import MatchDataError
from ludometer.skat.rules.cards import GAMES, NULL, parse_card

_PROPERTY = re.compile(r"\s*([^\s\[\];]+)\s*\[((?:(?!\]).)*)\]", re.DOTALL)
_CONTRACT = re.compile(r"([GCSHDN])([OHSZ]*)(?:\.(.*))?")
_NUMBER = re.compile(r"(d|v|m|p|t|s|z|p0|p1|p2|l|to|r):(-?\d+)")
_KINDS = {"win": "won", "loss": "lost", "passed": "folded", "penalty": "penalty", "unknown": "unknown"}


def parse_record(text: str) -> dict[str, Any]:
    """A record as the columns of `ludometer.skat.records.schema`; damage raises an error.

    >>> deal = "CJ.C7.C8.C9.CQ.CK.CT.CA.SJ.S7.S8.S9.SQ.SK.ST.SA.HJ.H7.H8.H9.HQ.HK.HT.HA.DJ.D7.D8.D9.DQ.DK.DT.DA"
    >>> record = parse_record(f"(;GM[Skat]P0[a]P1[b]P2[c]MV[w {deal} 1 p 2 p 0 p ]R[passed] ;)")
    >>> record["kind"], record["player_2"], record["bid"]
    ('folded', 'c', 0)
    """
    try:
        return _parse(text)
    except ValueError as error:
        raise MatchDataError("a number cannot be read") from error


def _parse(text: str) -> dict[str, Any]:
    values = _properties(text)
    record: dict[str, Any] = {
        "series": values.get("SE"),
        "game_id": values.get("ID"),
        "place": values.get("PC"),
        "time": _time(values.get("DT", "")),
        **{f"player_{seat}": values[f"P{seat}"] for seat in range(3)},
        **{f"rating_{seat}": _rating(values.get(f"R{seat}", "")) for seat in range(3)},
        **_moves(_without_comments(values["MV"]).split()),
    }
    record |= _result(_without_comments(values["R"]).split())
    record["left"], record["timed_out"] = _later(record, "left"), _later(record, "timed_out")
    declarer = record["declarer"] = record.pop("r_declarer") if record["declarer"] is None else record["declarer"]
    record.pop("r_declarer", None)
    for name in ("r_left", "r_timed_out"):
        record.pop(name)
    record["gave_up"] = declarer is not None and (
        bool(record["resigned"] >> declarer & 1) or declarer in (record["left"], record["timed_out"])
    )
    return record


def _properties(text: str) -> dict[str, str]:
    text = text.strip()
    if not text.startswith("(;"):
        raise MatchDataError("a record starts with '(;'")
    values: dict[str, str] = {}
    at = 2
    while match := _PROPERTY.match(text, at):
        values[match[1]] = match[2]
        at = match.end()
    if text[at:].strip() != ";)":
        raise MatchDataError("a property is not closed, or the end ';)' is missing")
    for key in ("P0", "P1", "P2"):
        if not values.get(key):
            raise MatchDataError("a player is not named")
    if "MV" not in values or "R" not in values:
        raise MatchDataError("no moves (MV) or no result (R)")
    return values


def _without_comments(text: str) -> str:
    return re.sub(r"#[^\n]*", "", text)


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text[:19], "%Y-%m-%d/%H:%M:%S")
    except ValueError:
        return None


def _rating(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _later(record: dict[str, Any], name: str) -> int | None:
    """The seat that moves and result name; -1 means nobody."""
    seats = [seat for seat in (record[name], record[f"r_{name}"]) if seat is not None and seat >= 0]
    return max(seats) if seats else None


def _mask(names: list[str]) -> int:
    """The known cards as a mask; a repeated card raises an error."""
    known = [parse_card(name) for name in names if name != "??"]
    if len(set(known)) < len(known):
        raise MatchDataError("the deal is not 32 different cards")
    return sum(1 << card for card in known)


def _moves(tokens: list[str]) -> dict[str, Any]:  # noqa: PLR0912
    if len(tokens) < 2 or len(tokens) % 2 or tokens[0] != "w":
        raise MatchDataError("the moves cannot be read")
    deal = re.split(r"[.|]", tokens[1])
    if len(deal) != 32:
        raise MatchDataError("the deal is not 32 different cards")
    _mask(deal)
    skat = _mask(deal[30:])
    bid, resigned = 0, 0
    declarer = game = left = timed_out = None
    picked_up = is_lost_track = False
    mods, discards, played = "", 0, list[int]()
    for who, action in zip(tokens[2::2], tokens[3::2], strict=True):
        if who not in ("w", "0", "1", "2"):
            raise MatchDataError(f"{who!r} is not a player")
        if who == "w":
            if action.startswith("TI."):
                timed_out = int(action[3:])
            elif action.startswith("LE."):
                left = int(action[3:])
            else:
                skat = skat or _mask(action.split("."))
        elif action.isdigit():
            bid = min(int(action), 999)
        elif action == "s":
            declarer, picked_up = int(who), True
        elif action == "RE":
            resigned |= 1 << int(who)
        elif action in ("y", "p"):
            continue
        elif game is None:
            contract = _CONTRACT.fullmatch(action)
            if contract is None:
                raise MatchDataError(f"{action!r} is not a contract")
            declarer, game, mods = int(who), GAMES.index(contract[1]), contract[2]
            if picked_up and contract[3]:
                discards = _mask(contract[3].split(".")[:2])
        elif action.startswith("SC"):
            continue
        elif picked_up and not discards and len(action) >= 5 and not played:
            discards = _mask(action.split(".")[:2])
        elif action == "??" or is_lost_track:
            is_lost_track = True
        else:
            played.append(parse_card(action))
    ouvert = "O" in mods
    schwarz = game is not None and game != NULL and ("Z" in mods or ouvert)
    is_hand = game is not None and not picked_up
    return {
        **{f"hand_{seat}": _mask(deal[10 * seat : 10 * seat + 10]) for seat in range(3)},
        "skat": skat,
        "declarer": declarer,
        "game": game,
        "is_hand": is_hand,
        "schneider": schwarz or "S" in mods,
        "schwarz": schwarz,
        "ouvert": ouvert,
        "bid": bid,
        "discards": skat if is_hand else discards,
        "cards": played + [255] * (30 - len(played)),
        "n_played": len(played),
        "resigned": resigned,
        "left": left,
        "timed_out": timed_out,
    }


def _result(tokens: list[str]) -> dict[str, Any]:
    numbers: dict[str, int] = {}
    kind, overbid = None, False
    for token in tokens:
        if match := _NUMBER.fullmatch(token):
            numbers[match[1]] = int(match[2])
        elif token in _KINDS:
            kind = _KINDS[token]
        elif token in ("bidok", "overbid"):
            overbid = token == "overbid"
        else:
            raise MatchDataError(f"the result cannot be read: {token!r}")
    if kind is None:
        raise MatchDataError("the result cannot be read: it tells neither win nor loss")
    is_played = kind in ("won", "lost")
    declarer = numbers.get("d", -1)
    found = {
        "matadors": numbers.get("m", 0),
        "eyes": numbers.get("p", 0),
        "tricks": numbers.get("t", 0),
        "won": kind == "won",
        "overbid": overbid,
        "schneider": numbers.get("s", 0) == 1,
        "schwarz": numbers.get("z", 0) == 1,
    }
    return {
        "kind": kind,
        "penalty": sum((numbers.get(f"p{seat}", 0) != 0) << seat for seat in range(3)),
        "points_recorded": None if kind == "unknown" else numbers.get("v", 0),
        **{f"{name}_recorded": value if is_played else None for name, value in found.items()},
        "r_declarer": declarer if declarer >= 0 else None,
        "r_left": numbers.get("l", -1),
        "r_timed_out": numbers.get("to", -1),
    }
