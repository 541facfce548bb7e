"""Small sound files of Skat: records of the server, logs of xskat, score lists, results of series."""

from __future__ import annotations

from random import Random

from fuzzing.samples import day, delimited, number, word

_CONTRACTS = ("C", "GH", "N", "NO", "CHS", "clubs ouvert", "Herz Hand", "Grand", "null hand", "D", "folded")
_CARDS = tuple(suit + rank for suit in "CSHD" for rank in "J789QKTA")
_XSKAT_SUITS = ("Club", "Spade", "Heart", "Diamond")
_XSKAT_RANKS = ("J", "7", "8", "9", "Q", "K", "10", "A")


def skat_records(rng: Random) -> bytes:
    """Records of the Skat server."""
    return "".join(
        _skat_record(rng, place) + rng.choice(("\n", "\r\n", "\n\n")) for place in range(rng.choice((1, 1, 2, 4)))
    ).encode("utf-8", "replace")


def _skat_record(rng: Random, place: int) -> str:
    deal = list(_CARDS)
    rng.shuffle(deal)
    head = f"(;GM[Skat]PC[net]CO[]SE[{place // 2}]ID[{place}]DT[2020-01-02/03:04:05/UTC]"
    head += "".join(f"P{seat}[{word(rng, ('a', 'b', 'c'))}]" for seat in range(3)) + "R0[1.5]R1[]R2[x]"
    if rng.random() < 0.2:
        return f"{head}MV[w {'.'.join(deal)} 1 p 2 p 0 p ]R[passed] ;)"
    who, bid = rng.randrange(3), number(rng, 18, 60)
    hand = deal[10 * who : 10 * who + 10] + deal[30:]
    if rng.random() < 0.7:
        away = rng.sample(hand, 2)
        says = f"{who} s w {deal[30]}.{deal[31]} {who} {rng.choice('CSHDGN')}.{away[0]}.{away[1]}"
    else:
        says = f"{who} {rng.choice('CSHDGN')}H{rng.choice(('', 'S', 'Z', 'O'))}"
    left = [deal[10 * seat : 10 * seat + 10] for seat in range(3)]
    cards = [f"{turn % 3} {left[turn % 3][turn // 3]}" for turn in range(rng.choice((0, 3, 17, 30, 30)))]
    cards += [rng.choice(("w TI.1", "w LE.2", "1 RE", "0 SC", "2 ??"))] if rng.random() < 0.2 else []
    result = (
        f"d:{who} {rng.choice(('win', 'loss'))} v:{number(rng, -100, 100)} m:{number(rng, -5, 5)} bidok "
        f"p:{number(rng, 0, 120)} t:{number(rng, 0, 10)} s:0 z:0 p0:0 p1:0 p2:0 l:-1 to:-1 r:0"
    )
    return f"{head}MV[w {'.'.join(deal)} {(who + 1) % 3} {bid} {who} y {says} {' '.join(cards)} ]R[{result}] ;)"


def xskat_log(rng: Random) -> bytes:
    """A log of xskat: hands dealt at random, cards played in the order in which they lie."""
    games = []
    for place in range(rng.choice((1, 1, 2))):
        deck = [(suit, rank) for suit in _XSKAT_SUITS for rank in _XSKAT_RANKS]
        rng.shuffle(deck)
        hands = [deck[10 * column : 10 * column + 10] for column in range(3)]
        tricks = []
        for turn in range(10):
            took, led = rng.randrange(3), rng.randrange(3)
            cells = []
            for column in range(3):
                suit, rank = hands[column][turn]
                sign = "_" if column == led != took else " "
                cells.append(f"{suit.upper() if column == took else suit}{sign}{rank}".ljust(12))
            tricks.append("  " + "".join(cells).rstrip())
        held = [
            "  "
            + "".join(f"{hands[column][turn][0]} {hands[column][turn][1]}".ljust(12) for column in range(3)).rstrip()
            for turn in range(10)
        ]
        skat = ",".join(f"{suit} {rank}" for suit, rank in deck[30:])
        says = f"Computer{rng.randint(1, 3)} played {word(rng, ('Grand', 'Null', 'Clubs', 'Hearts', 'Diamonds'))}"
        mode = rng.choice(("", "", "Played hand\n", "hand schneider announced\n"))
        verdict = rng.choice(("Won with: 72 points", "Lost with: 40 points", "Won", "Lost"))
        played = (
            f"Skat was: {skat}\nLast bid: {number(rng, 18, 60)}\n{mode}{says}\n{verdict}\n"
            if rng.random() < 0.9
            else ""
        )
        line = "-" * 40
        games.append(
            f" Computer1   Computer2   Computer3\n\n{line}\n"
            + "\n".join(tricks if played else [])
            + f"\n---- random_seed {rng.randrange(99)} {place} {rng.randrange(3)} -----------------\n"
            + "\n".join(held)
            + f"\n{line}\nSkat is: {skat}\n{played}{'=' * 40}\n"
        )
    return "".join(games).encode("latin-1", "replace")


def score_list(rng: Random) -> bytes:
    """A score list of Skat, game by game."""
    known = [
        "series",
        "game",
        "player_1",
        "player_2",
        "player_3",
        "declarer",
        "contract",
        "matadors",
        "bid",
        "eyes",
        "tricks",
        "value",
        "points",
        "won",
    ]
    german = [
        "Serie",
        "Spiel",
        "Spieler 1",
        "Spieler 2",
        "Spieler 3",
        "Alleinspieler",
        "Spielart",
        "Spitzen",
        "Gereizt",
        "Augen",
        "Stiche",
        "Wert",
        "Punkte",
        "gewonnen",
    ]
    headings = rng.choice((known, known, german))
    rows = []
    for place in range(rng.choice((1, 3, 6))):
        rows.append(
            [
                "1",
                number(rng, place, place),
                "A",
                "B",
                "C",
                word(rng, ("A", "B", "C", "1", "3", "")),
                word(rng, _CONTRACTS),
                word(rng, ("1", "-2", "with 4", "ohne 3", "")),
                number(rng, 18, 60),
                number(rng, 0, 120),
                number(rng, 0, 10),
                number(rng, 18, 200),
                number(rng, -200, 200),
                word(rng, ("yes", "no", "ja", "")),
            ]
        )
    kept = [place for place in range(len(known)) if place in (0, 5) or rng.random() < 0.7]
    return delimited([headings[place] for place in kept], [[row[place] for place in kept] for row in rows], rng)


def series_results(rng: Random) -> bytes:
    """Results of series of Skat."""
    headings = rng.choice(
        (
            ["series", "player", "score"],
            ["series", "player", "points", "won", "lost"],
            ["Serie", "Spieler", "Punkte", "gewonnen", "verloren"],
            ["time", "series", "player", "score", "games"],
            ["Datum", "Serie", "Name", "Ergebnis"],
            ["match", "player", "score", "position", "adjusted"],
        )
    )
    rows = []
    for series in range(rng.choice((1, 2, 4))):
        when = rng.choice((day(rng), f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.2020"))
        for player in rng.sample(("Ann", "Ben", "Cem", "Dora"), rng.choice((3, 3, 4))):
            cells = {
                "series": str(series),
                "Serie": str(series),
                "match": str(series),
                "player": player,
                "Spieler": player,
                "Name": player,
                "time": when,
                "Datum": when,
            }
            rows.append([cells.get(name) or number(rng, -300, 1800) for name in headings])
    return delimited(headings, rows, rng)
