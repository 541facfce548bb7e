"""A simple Skat player with a given rate of blunders, so that skill can differ in card play and not only in bidding.

The player counts to bid, to choose a game and to discard, and plays by rules of thumb; with probability `blunder` a
card is a random legal one instead. No hand games, no announcements, no null ouvert.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Array, Codes, Counts, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.skat.luck.features import DeclaredGames, lost_in_suit, null_gaps
from ludometer.skat.rules.cards import EYES_OF, Masks, count_matadors, deal_cards
from ludometer.skat.rules.games import BASE_VALUES, BIDS, score_games

if TYPE_CHECKING:
    import polars as pl

NEED = 7.0
"""The count from which a hand bids."""

_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class PlayedGames:
    """Games from the deal to the points; in folded games game and declarer are -1.

    `dealt` and `skat` are as dealt, `hands` and `laid` as played; `points` are the declarer's, -2 x value if lost.
    """

    dealt: Masks
    skat: Masks
    hands: Masks
    laid: Masks
    game: Codes
    declarer: Codes
    bid: Codes
    eyes: Codes
    tricks: Codes
    value: Codes
    points: Codes
    won: Mask
    cards: Array

    def __len__(self) -> int:
        return len(self.game)

    @property
    def played(self) -> Counts:
        """Which games were not folded."""
        return np.flatnonzero(self.declarer >= 0)

    @property
    def declared(self) -> DeclaredGames:
        """The declarers' cards in the games that were played."""
        rows = self.played
        seat = self.declarer[rows]
        return DeclaredGames.of(
            self.game[rows], self.hands[rows, seat], self.laid[rows], bid=self.bid[rows], position=seat
        )

    def to_frame(self) -> pl.DataFrame:
        """One row per game, without the cards."""
        import polars as pl

        names = ("game", "declarer", "bid", "eyes", "tricks", "value", "points", "won")
        return pl.DataFrame({name: getattr(self, name) for name in names})


def play_deals(
    dealt: ArrayLike,
    skat: ArrayLike,
    *,
    blunder: ArrayLike = 0.0,
    need: ArrayLike = NEED,
    seed: int | np.random.Generator = 0,
) -> PlayedGames:
    """Play deals (n x 3 hands, n skats) to the end; `blunder` and `need` for all, for each seat, or (n, 3).

    >>> from ludometer.skat.rules.cards import deal_cards
    >>> games = play_deals(*deal_cards(2000, seed=1), blunder=[0.0, 0.1, 0.3])
    >>> bool(0.4 < games.won[games.played].mean() < 0.95)
    True
    """
    dealt, skat = np.ascontiguousarray(dealt, np.uint32), np.ascontiguousarray(skat, np.uint32)
    n = len(skat)
    rates, needs = (np.ascontiguousarray(np.broadcast_to(np.asarray(x, float), (n, 3))) for x in (blunder, need))
    if not ((rates >= 0) & (rates <= 1)).all():
        raise LudometerError("a rate of blunders must be from 0 to 1")
    hands, laid, game, declarer, bid = _declare(dealt, skat, needs)
    eyes, tricks, cards = play_contracts(hands, laid, game, declarer, blunder=rates, seed=seed)
    whole = np.where(declarer >= 0, np.take_along_axis(hands, np.maximum(declarer, 0)[:, None], 1)[:, 0], 0) | laid
    scores = score_games(
        game,
        matadors=np.where(game >= 0, count_matadors(whole, np.maximum(game, 0)), 1),
        eyes=eyes,
        tricks=tricks,
        bid=bid,
    )
    return PlayedGames(
        dealt, skat, hands, laid, game, declarer, bid, eyes, tricks, scores.value, scores.points, scores.won, cards
    )


def play_contracts(
    hands: Masks,
    laid: Masks,
    game: Codes,
    declarer: Codes,
    *,
    blunder: ArrayLike = 0.0,
    seed: int | np.random.Generator = 0,
) -> tuple[Codes, Codes, Array]:
    """The declarer's eyes (with the skat) and tricks, and the cards in playing order (n, 30), for given games.

    `hands` and `laid` are those after the discard. Folded games (declarer -1) have none, and cards not played are -1.
    """
    from ludometer.skat.kernels.card_play import play_out

    n = len(game)
    rng = np.random.default_rng(seed)
    rates = np.broadcast_to(np.asarray(blunder, float), (n, 3))
    eyes, tricks, cards = np.zeros(n, np.int32), np.zeros(n, np.int32), np.full((n, 30), -1, np.int8)
    for begin in range(0, n, _BLOCK):
        rows = begin + np.flatnonzero(declarer[begin : begin + _BLOCK] >= 0)
        draws = rng.random((len(rows), 30))
        part = np.zeros(len(rows), np.int32), np.zeros(len(rows), np.int32), np.full((len(rows), 30), -1, np.int8)
        chances = np.ascontiguousarray(rates[rows])
        play_out(hands[rows], laid[rows], game[rows], declarer[rows], chances, draws, *part)
        eyes[rows], tricks[rows], cards[rows] = part
    return eyes, tricks, cards


def simulate_games(n: int, *, blunder: ArrayLike = 0.0, seed: int = 0) -> PlayedGames:
    """Deal and play n games.

    >>> len(simulate_games(10))
    10
    """
    deals, play = np.random.SeedSequence(seed).spawn(2)
    return play_deals(
        *deal_cards(n, seed=np.random.default_rng(deals)), blunder=blunder, seed=np.random.default_rng(play)
    )


def _declare(dealt: Masks, skat: Masks, need: Floats) -> tuple[Masks, Masks, Codes, Codes, Codes]:
    from ludometer.skat.kernels.declaring import declare

    n = len(skat)
    hands, laid = np.zeros((n, 3), np.uint32), np.zeros(n, np.uint32)
    game, declarer, bid = (np.zeros(n, np.int32) for _ in range(3))
    bids, base = np.array(BIDS, np.int32), np.array(BASE_VALUES, np.int32)
    declare(dealt, skat, need, bids, base, EYES_OF, lost_in_suit(), null_gaps(), hands, laid, game, declarer, bid)
    return hands, laid, game, declarer, bid
