"""Archives in the form of the server's records, played by our card player at tables of three and four."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludometer.skat.programs.card_player import PlayedGames, play_deals
from ludometer.skat.rules import cards
from ludometer.skat.rules.tricks import replay_game


def play_archive(
    rates: dict[str, float], *, size: int = 3, n_lists: int, length: int | None = None, seed: int = 0
) -> tuple[list[str], PlayedGames, Any]:
    """Lists of random players, who blunder at these rates: the records, the games, and who sat where (n, 3).

    At a table of four the dealer sits out, and the deal moves on after each game.
    """
    rng = np.random.default_rng(seed)
    games_of_list = length or {3: 36, 4: 48}[size]
    names = np.array(list(rates), object)
    seats = []
    for _ in range(n_lists):
        table = rng.permutation(len(names))[:size]
        for game in range(games_of_list):
            # forehand follows the dealer
            seats.append([table[(game + turn) % size] for turn in range(1, 4)])
    at = np.array(seats)
    blunder = np.array(list(rates.values()))[at]
    dealt, skat = cards.deal_cards(len(at), seed=rng)
    played = play_deals(dealt, skat, blunder=blunder, seed=rng)
    records = [
        write_played(played, row, tuple(names[at[row]].tolist()), number=row, session=row // games_of_list)
        for row in range(len(at))
    ]
    return records, played, names[at]


def write_played(games: PlayedGames, row: int, names: Sequence[str], *, number: int, session: int) -> str:
    """One game as a record of the server."""
    hands = [cards.list_cards(int(mask)) for mask in games.dealt[row]]
    skat = cards.list_cards(int(games.skat[row]))
    deal = _join([card for hand in hands for card in hand] + skat)
    day = f"20{20 + session // 336:02d}-{1 + session // 28 % 12:02d}-{1 + session % 28:02d}"
    head = f"(;GM[Skat]PC[simulated]CO[]SE[{session}]ID[{number}]DT[{day}/20:{number % 60:02d}:00/UTC]"
    head += "".join(f"P{seat}[{name}]" for seat, name in enumerate(names)) + "R0[]R1[]R2[]"
    declarer = int(games.declarer[row])
    if declarer < 0:
        return f"{head}MV[w {deal} 1 p 2 p 0 p ]R[passed] ;)"
    game, eyes, tricks = (int(column[row]) for column in (games.game, games.eyes, games.tricks))
    laid = cards.list_cards(int(games.laid[row]))
    moves = _moves(game, [int(mask) for mask in games.hands[row]], [int(c) for c in games.cards[row] if c >= 0])
    matadors = int(cards.count_matadors(games.dealt[row, declarer] | games.skat[row], game)) if game < 5 else 0
    by_cards = eyes > 60
    schneider = game < 5 and (eyes >= 90 if by_cards else eyes <= 30)
    schwarz = game < 5 and (tricks == 10 if by_cards else tricks == 0)
    overbid = _is_overbid(games, row)
    says = f"{declarer} s w {_join(skat)} {declarer} {cards.GAMES[game]}.{_join(laid)}"
    result = (
        f"d:{declarer} {'win' if games.won[row] else 'loss'} v:{games.points[row]} m:{matadors} "
        f"{'overbid' if overbid else 'bidok'} p:{eyes} t:{tricks} s:{schneider:d} z:{schwarz:d} "
        "p0:0 p1:0 p2:0 l:-1 to:-1 r:0"
    )
    return f"{head}MV[w {deal} 1 {games.bid[row]} 0 p 2 p {says} {moves} ]R[{result}] ;)"


def _moves(game: int, hands: list[int], played: list[int]) -> str:
    winners = replay_game(game, hands, played).winners
    leader, moves = 0, []
    for place, card in enumerate(played):
        leader = winners[place // 3 - 1] if place and place % 3 == 0 else leader
        moves.append(f"{(leader + place % 3) % 3} {cards.format_card(card)}")
    return " ".join(moves)


def _is_overbid(games: PlayedGames, row: int) -> bool:
    from ludometer.skat.rules.games import score_games

    declarer, game = games.declarer[row], games.game[row]
    matadors = cards.count_matadors(games.dealt[row, declarer] | games.skat[row], max(int(game), 0))
    scored = score_games(
        game, matadors=matadors, eyes=games.eyes[row], tricks=games.tricks[row], bid=games.bid[row]
    )  # fmt: skip
    return bool(scored.overbid[0])


def _join(few: list[int]) -> str:
    return ".".join(map(cards.format_card, few))
