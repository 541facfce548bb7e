"""Chance factors: series points of each game with the luck of the cards reduced.

i1 (hand) divides the game's value by q, the strength of the hand over the mean of its kind, kept in [0.5, 2]; i2 (mean
value) counts every game as 41 points; both as in Edelkamp's paper, whose code sets the value first and divides then,
and leaves the bonus of 50 and 40 alone. i3 (deal) subtracts what the dealt cards were worth (`deal_value`): it looks at
nothing that a player decided. i1 does: it rewards who bids well, and what it does to lost games is a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Array, Codes, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.skat.luck.deal_value import View, fit_deal_value
from ludometer.skat.luck.features import KINDS, NULL_KIND, DeclaredGames

if TYPE_CHECKING:
    import polars as pl

Lost = Literal["divide", "keep", "multiply"]
Strength = Callable[[DeclaredGames], Floats]

CLIP = (0.5, 2.0)
MEAN_VALUE = 41.0
PAPER_NORMAL = {
    "suit": 0.804,
    "grand": 0.934,
    "null": 0.620,
    "null hand": 0.711,
    "null ouvert": 0.900,
    "null ouvert hand": 0.945,
}
"""Shares of games won among the paper's players; good only for records of that population."""

WON_BONUS = 50
DEFENDERS_BONUS = {3: 40, 4: 30}


@dataclass(frozen=True)
class ChanceFactors:
    """Which corrections to make.

    `lost` says what i1 does to lost games: "divide" as the paper's code (a strong hand lost costs less), "keep" leaves
    them, "multiply" makes a strong hand lost cost more. Games with a chance of at least `certain` are left out.
    """

    hand: bool = False
    mean_value: bool = False
    deal: View | None = None
    lost: Lost = "divide"
    certain: float | None = None
    clip: tuple[float, float] = CLIP
    value: float = MEAN_VALUE

    def __post_init__(self) -> None:
        if not 0 < self.clip[0] <= 1 <= self.clip[1]:
            raise LudometerError(f"the bounds of q enclose 1 and are above 0, not {self.clip}")
        if self.lost not in ("divide", "keep", "multiply"):
            raise LudometerError(f"lost games are divided, kept or multiplied, not {self.lost!r}")


NO_FACTORS = ChanceFactors()


def hand_quotient(
    strength: ArrayLike,
    kind: ArrayLike,
    *,
    normal: Mapping[str, float] | None = None,
    clip: tuple[float, float] = CLIP,
) -> Floats:
    """q = strength / mean strength of the kind, kept within `clip`; 1 where the strength is unknown (NaN).

    `normal` gives the means by kind; without it they come from these very games, so that they belong to the same
    population and the same scale. A null kind that it does not have takes the one of null.

    >>> round(float(hand_quotient([9.5], [0], normal={"suit": 8.72})[0]), 4)
    1.0894
    """
    values, kinds = np.atleast_1d(np.asarray(strength, float)), np.atleast_1d(np.asarray(kind))
    means = np.full(len(KINDS), np.nan)
    for code, name in enumerate(KINDS):
        if normal is None:
            known = values[(kinds == code) & ~np.isnan(values)]
            means[code] = known.mean() if len(known) else np.nan
        else:
            means[code] = normal.get(name, normal.get("null", np.nan) if code >= NULL_KIND else np.nan)
    quotient = values / means[kinds]
    if (quotient[~np.isnan(quotient)] < 0).any():
        raise LudometerError("the strength of a hand is not negative")
    return np.where(np.isnan(quotient), 1.0, np.clip(quotient, *clip))


def adjust_points(value: ArrayLike, won: ArrayLike, quotient: ArrayLike, factors: ChanceFactors) -> Floats:
    """The declarer's points with i1 and i2: first the value becomes 41, then it is divided by q; lost counts -2 times.

    >>> adjust_points([86], [True], [9.5 / 8.72], ChanceFactors(hand=True)).round().tolist()
    [79.0]
    >>> adjust_points([48, 48], [True, False], [1.25, 0.8], ChanceFactors(hand=True, mean_value=True)).tolist()
    [32.8, -102.5]
    """
    values, is_won, q = np.broadcast_arrays(
        np.asarray(value, float), np.asarray(won, bool), np.asarray(quotient, float)
    )
    if factors.mean_value:
        # folded games stay worth nothing
        values = np.where(values != 0, factors.value, 0.0)
    if factors.hand:
        lost = {"divide": values / q, "keep": values, "multiply": values * q}[factors.lost]
        values = np.where(is_won, values / q, lost)
    return np.where(is_won, values, -2 * values)


def table_points(declarer: ArrayLike, points: ArrayLike, won: ArrayLike, *, n_seats: int = 3) -> Floats:
    """Points of each seat in each game (extended Seeger): declarers +-50, the others 40 (at tables of four 30) if lost.

    >>> table_points([0, 2, -1], [48, -36, 0], [True, False, False]).tolist()
    [[98.0, 0.0, 0.0], [40.0, 40.0, -86.0], [0.0, 0.0, 0.0]]
    """
    seat, earned, is_won = np.asarray(declarer), np.asarray(points, float), np.asarray(won, bool)
    rows = np.flatnonzero(seat >= 0)
    table = np.zeros((len(seat), n_seats))
    table[rows] = np.where(is_won[rows], 0.0, DEFENDERS_BONUS[n_seats])[:, None]
    table[rows, seat[rows]] = earned[rows] + np.where(is_won[rows], WON_BONUS, -WON_BONUS)
    return table


def correct_games(
    games: DeclaredGames,
    value: Array,
    won: Array,
    factors: ChanceFactors,
    *,
    strength: Strength | None = None,
    normal: Mapping[str, float] | None = None,
) -> Floats:
    """The declarers' points with i1 and i2, and NaN for games left out as certain.

    `strength` is any function of the hands (von Stegen's count, one of your own); without it, the chance of winning by
    the model that comes with the program.
    """
    if not factors.hand and factors.certain is None:
        return adjust_points(value, won, 1.0, factors)
    if strength is None:
        from ludometer.skat.luck.winning import default_model

        strength = default_model().predict
    values = strength(games)
    quotient = hand_quotient(values, games.kind, normal=normal, clip=factors.clip)
    points = adjust_points(value, won, quotient, factors)
    if factors.certain is not None:
        points = np.where(values >= factors.certain, np.nan, points)
    return points


def correct_records(
    records: pl.DataFrame,
    factors: ChanceFactors = NO_FACTORS,
    *,
    strength: Strength | None = None,
    normal: Mapping[str, float] | None = None,
    folds: int = 5,
    seed: int = 0,
) -> Floats:
    """Points of forehand, middlehand and rearhand in each game of a frame of records (`skat.records`), corrected.

    Games without a declarer who won or lost count nothing, but their deals are part of what i3 learns from, for its
    mean is over all that was dealt.
    """
    table = _seat_points(records, factors, strength, normal)
    if factors.deal is None:
        return table
    hands = dealt_hands(records)
    known = np.flatnonzero((hands != 0).all(axis=1))
    raw = _seat_points(records, NO_FACTORS, None, None)
    luck = fit_deal_value(hands[known], raw[known], view=factors.deal, folds=folds, seed=seed)
    table[known] -= luck.deviation
    return table


def declared_games(records: pl.DataFrame) -> tuple[DeclaredGames, Mask]:
    """The games of a frame of records whose declarer's cards are known, and which rows they are."""
    import polars as pl

    columns = records.select(
        pl.col("declarer", "game").fill_null(-1).cast(pl.Int32),
        pl.col("hand_0", "hand_1", "hand_2", "skat", "discards").fill_null(0),
        pl.col("bid").fill_null(0).cast(pl.Int32),
        pl.col("is_hand", "ouvert").fill_null(False),
        pl.col("kind").cast(pl.String).is_in(["won", "lost"]).alias("counts"),
    ).to_dict()
    array = {name: column.to_numpy() for name, column in columns.items()}
    seat: Codes = array["declarer"]
    hands = np.column_stack([array[f"hand_{k}"] for k in range(3)])
    whole = hands[np.arange(len(seat)), np.maximum(seat, 0)] | array["skat"]
    away = np.where(array["discards"] != 0, array["discards"], array["skat"])
    cards = whole & ~away
    rows = array["counts"] & (seat >= 0) & (array["game"] >= 0)
    rows &= (np.bitwise_count(cards) == 10) & (np.bitwise_count(away) == 2)
    games = DeclaredGames.of(
        array["game"][rows], cards[rows], away[rows], bid=array["bid"][rows], position=seat[rows],
        hand_game=array["is_hand"][rows], ouvert=array["ouvert"][rows],
    )  # fmt: skip
    return games, rows


def dealt_hands(records: pl.DataFrame) -> Array:
    """The dealt hands (n, 3) of a frame of records; 0 where unknown."""
    return np.column_stack([records[f"hand_{seat}"].fill_null(0).to_numpy() for seat in range(3)])


def _seat_points(
    records: pl.DataFrame,
    factors: ChanceFactors,
    strength: Strength | None,
    normal: Mapping[str, float] | None,
) -> Floats:
    counts = records["kind"].cast(str).is_in(["won", "lost"]).to_numpy()
    declarer = np.where(counts, records["declarer"].fill_null(-1).to_numpy(), -1)
    won = records["won"].fill_null(False).to_numpy()
    value = records["value"].fill_null(0).to_numpy()
    points = adjust_points(value, won, 1.0, factors)
    if factors.hand or factors.certain is not None:
        games, rows = declared_games(records)
        points[rows] = correct_games(games, value[rows], won[rows], factors, strength=strength, normal=normal)
    out = np.isnan(points)
    return table_points(np.where(out, -1, declarer), np.where(out, 0.0, points), won)
