"""Random games of Skat in the form of the server's records, with the result by the plain rules."""

from __future__ import annotations

import numpy as np

from ludometer.skat.rules import cards
from ludometer.skat.rules.games import BIDS, Contract, score_game
from ludometer.skat.rules.tricks import replay_game


def play_at_random(game: int, hands: list[int], rng: np.random.Generator) -> list[int]:
    """All 30 cards in a legal order."""
    left = [set(cards.list_cards(hand)) for hand in hands]
    played: list[int] = []
    leader = 0
    for _ in range(10):
        trick: list[int] = []
        for turn in range(3):
            seat = (leader + turn) % 3
            follows = [
                c for c in sorted(left[seat]) if trick and cards.SUIT_OF[game, c] == cards.SUIT_OF[game, trick[0]]
            ]
            card = int(rng.choice(follows or sorted(left[seat])))
            left[seat].remove(card)
            trick.append(card)
        played += trick
        leader = replay_game(game, hands, played).winners[-1]
    return played


def join(few: list[int]) -> str:
    return ".".join(map(cards.format_card, few))


def write_record(
    rng: np.random.Generator, number: int, names: tuple[str, str, str] = ("a", "b", "c"), se: str = "1"
) -> str:
    """One record; now and then folded, a hand game, announced or stopped by a defender who left."""
    order = [int(card) for card in rng.permutation(32)]
    text = ".".join(map(cards.format_card, order))
    head = f"(;GM[Skat]PC[test ;) place]CO[]SE[{se}]ID[{number}]DT[2020-01-02/03:04:{number % 60:02d}/UTC]"
    head += "".join(f"P{k}[{name}]" for k, name in enumerate(names)) + f"R0[]R1[null]R2[{number}.5]"
    if rng.random() < 0.1:
        return f"{head}MV[w {text} 1 p 2 p 0 p ]R[passed] ;)"
    declarer, game = int(rng.integers(3)), int(rng.integers(6))
    in_hand = bool(rng.random() < 0.3)
    suffixes = ("", "H", "O", "OH") if game == cards.NULL else ("", "H", "HS", "HZ", "O")
    code = cards.GAMES[game] + (
        str(rng.choice(suffixes[1:])) if in_hand else "O" * (game == cards.NULL and rng.random() < 0.5)
    )
    if game == cards.NULL and in_hand and "H" not in code:
        code += "H"
    contract = Contract.parse(code)
    bid = int(BIDS[rng.integers(12)]) if game != cards.NULL else 18
    hands = [sum(1 << c for c in order[10 * k : 10 * k + 10]) for k in range(3)]
    skat = order[30:]
    twelve = cards.list_cards(hands[declarer]) + skat
    discards = skat if in_hand else [int(c) for c in rng.choice(twelve, 2, replace=False)]
    at_play = list(hands)
    at_play[declarer] = sum(1 << c for c in twelve if c not in discards)
    played = play_at_random(game, at_play, rng)
    left = -1
    if rng.random() < 0.2 and game != cards.NULL:
        played, left = played[: int(rng.integers(30))], (declarer + 1) % 3
    replay = replay_game(game, at_play, played)
    eyes = replay.eyes[declarer] + int(sum(cards.EYES_OF[c] for c in discards))
    tricks = replay.tricks[declarer]
    if left >= 0:
        eyes, tricks = 120 - sum(replay.eyes) + replay.eyes[declarer], 10 - sum(replay.tricks) + replay.tricks[declarer]
    mask = hands[declarer] | sum(1 << c for c in skat)
    matadors = int(cards.count_matadors(mask, game))
    score = score_game(contract, matadors=matadors, eyes=eyes, tricks=tricks, bid=bid)
    leader, moves = 0, []
    for place, card in enumerate(played):
        leader = replay.winners[place // 3 - 1] if place and place % 3 == 0 else leader
        moves.append(f"{(leader + place % 3) % 3} {cards.format_card(card)}")
    says = (
        f"{declarer} {contract.code}" if in_hand else f"{declarer} s w {join(skat)} {declarer} {code}.{join(discards)}"
    )
    ends = f" w LE.{left}" if left >= 0 else ""
    by_cards = eyes > 60
    schneider = eyes >= 90 if by_cards else eyes <= 30
    schwarz = tricks == 10 if by_cards else tricks == 0
    if game == cards.NULL:
        schneider = schwarz = False
    result = (
        f"d:{declarer} {'win' if score.won else 'loss'} v:{score.points} m:{matadors} "
        f"{'overbid' if score.overbid else 'bidok'} p:{eyes} t:{tricks} s:{schneider:d} z:{schwarz:d} "
        f"p0:0 p1:0 p2:0 l:{left} to:-1 r:0"
    )
    return f"{head}MV[w {text} 1 {bid} 0 p 2 p {says} {' '.join(moves)}{ends} ]R[{result}] ;)"
