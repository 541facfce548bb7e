"""Fit the bundled winning model on simulated games; the coefficients are the same each time.

Suit games and grands: xskat plays them, at tables of random levels. Null: xskat declares almost none and loses none of
them, so our own card player plays null hands of all qualities. Needs xskat; about a minute.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ludometer.arrays import Counts, Mask
from ludometer.skat.luck.factors import declared_games
from ludometer.skat.luck.features import DeclaredGames, null_gaps
from ludometer.skat.luck.winning import fit_winning
from ludometer.skat.programs.card_player import play_contracts
from ludometer.skat.programs.xskat import LEVELS, play_xskat
from ludometer.skat.reading.xskat import read_xskat
from ludometer.skat.rules.cards import NULL, Masks, count_cards, deal_cards

OUT = Path(__file__).parents[1] / "src" / "ludometer" / "skat" / "luck" / "winning.json"
TABLES, GAMES = 70, 2400
NULL_DEALS = 400_000
MOST_GAPS = 5
BLUNDER = 0.05
SEED = 20


def main() -> None:
    """Play, fit on nine tenths, print the quality on the rest, fit on all, write."""
    rng = np.random.default_rng(SEED)
    games, won = join([xskat_games(rng), null_games(rng)])
    test = rng.random(len(games)) < 0.1
    half = fit_winning(games.where(~test), won[~test])
    print("on games not used for the fit:")
    print(half.check(games.where(test), won[test]).summary())
    origin = {
        "suit, grand": f"xskat 4.0, {TABLES} tables of {GAMES} games, levels -4 to 0",
        "null": f"own card player, {BLUNDER:.0%} blunders, at most {MOST_GAPS} gaps",
        "seed": SEED,
    }
    fit_winning(games, won, origin=origin).save(OUT)


def xskat_games(rng: np.random.Generator) -> tuple[DeclaredGames, Mask]:
    """Trump games of xskat at tables of three random levels."""
    parts = []
    for table in range(TABLES):
        first, second, third = (int(level) for level in rng.choice(list(LEVELS), 3))
        log = play_xskat(GAMES, (first, second, third), seed=SEED * 1000 + table)
        records = read_xskat(log.splitlines())
        games, rows = declared_games(records)
        trump = games.game != NULL
        parts.append((games.where(trump), records["won"].to_numpy()[rows][trump].astype(bool)))
    return join(parts)


def null_games(rng: np.random.Generator) -> tuple[DeclaredGames, Mask]:
    """Null and null hand by our card player; the declarer discards the cards that leave the fewest gaps."""
    hands, skat = deal_cards(NULL_DEALS, seed=rng)
    seat = rng.integers(0, 3, NULL_DEALS)
    in_hand = rng.random(NULL_DEALS) < 0.3
    rows = np.arange(NULL_DEALS)
    laid = np.where(in_hand, skat, best_discard(hands[rows, seat] | skat))
    hands[rows, seat] = (hands[rows, seat] | skat) & ~laid
    gaps = count_gaps(hands[rows, seat])
    keep = gaps <= MOST_GAPS
    hands, laid, declarer = hands[keep], laid[keep], seat[keep].astype(np.int32)
    game = np.full(len(laid), NULL, np.int32)
    _, tricks, _ = play_contracts(hands, laid, game, declarer, blunder=BLUNDER, seed=rng)
    own = hands[np.arange(len(laid)), declarer]
    games = DeclaredGames.of(game, own, laid, bid=18, position=declarer, hand_game=in_hand[keep])
    return games, tricks == 0


def best_discard(cards: Masks) -> Masks:
    """Of twelve cards the two without which the gaps are fewest."""
    best = np.full(len(cards), 999)
    laid = np.zeros(len(cards), np.uint32)
    for first in range(32):
        for second in range(first):
            away = np.uint32(1 << first | 1 << second)
            rows = np.flatnonzero(cards & away == away)
            gaps = count_gaps(cards[rows] & ~away)
            better = gaps < best[rows]
            best[rows[better]] = gaps[better]
            laid[rows[better]] = away
    assert (count_cards(laid) == 2).all()
    return laid


def count_gaps(hands: Masks) -> Counts:
    """The gaps in all four suits."""
    gaps: Counts = null_gaps()[hands[:, None] >> np.array([0, 8, 16, 24], np.uint32) & np.uint32(255)].sum(axis=1)
    return gaps


def join(parts: list[tuple[DeclaredGames, Mask]]) -> tuple[DeclaredGames, Mask]:
    """One after another."""
    names = ("game", "hand", "skat", "bid", "position", "hand_game", "ouvert")
    columns = {name: np.concatenate([getattr(games, name) for games, _ in parts]) for name in names}
    return DeclaredGames(**columns), np.concatenate([won for _, won in parts])


if __name__ == "__main__":
    main()
