"""Chance factors: points of games and scores of lists corrected for card luck.

i1 (hand) divides a game's value by q, the strength of the hand over the mean of its kind, kept in [0.5, 2]; i2 (mean
value) counts every game as 41 points. Both are those of Edelkamp's paper, whose code first sets the value and then
divides, and leaves the bonus of 50 and 40 alone. i3 (deal) subtracts the value of the dealt cards (`deal_value`), which
no player decided. i1 depends on decisions: it rewards good bidding, and how it treats lost games is a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Array, Codes, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.ratings.scores.series import scores_of, series_frame, with_scores
from ludometer.skat.luck.deal_value import View, fit_deal_value
from ludometer.skat.luck.features import KINDS, NULL_KIND, DeclaredGames
from ludometer.skat.rules.series import BONUS, DEFENCE, LENGTHS

if TYPE_CHECKING:
    import polars as pl

    from ludometer.matches import Matches
    from ludometer.skat.sheets import SkatGames

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
"""Shares of games won among the paper's players; valid only for records of that population."""


@dataclass(frozen=True)
class ChanceFactors:
    """Which corrections to make.

    `lost` is what i1 does to lost games: "divide" follows the paper's code (losing a strong hand costs less), "keep"
    leaves them, "multiply" makes losing a strong hand cost more. Games with a chance of `certain` or more are left out.
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
            raise LudometerError(f"the bounds of q must enclose 1 and be above 0, not {self.clip}")
        if self.lost not in ("divide", "keep", "multiply"):
            raise LudometerError(f"lost must be divide, keep or multiply, not {self.lost!r}")


NO_FACTORS = ChanceFactors()


def hand_quotient(
    strength: ArrayLike, kind: ArrayLike, *, normal: Mapping[str, float] | None = None, clip: tuple[float, float] = CLIP
) -> Floats:
    """q = strength / mean strength of the kind, kept within `clip`; 1 where the strength is unknown (NaN).

    `normal` gives the means by kind; without it they come from these very games, hence from the same population and
    scale. A null kind that it lacks takes the mean of null.

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
        raise LudometerError("the strength of a hand cannot be negative")
    return np.where(np.isnan(quotient), 1.0, np.clip(quotient, *clip))


def adjust_points(value: ArrayLike, won: ArrayLike, quotient: ArrayLike, factors: ChanceFactors) -> Floats:
    """The declarer's points with i1 and i2: the value first becomes 41, then is divided by q; a loss counts -2 times.

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
    table[rows] = np.where(is_won[rows], 0.0, DEFENCE[n_seats])[:, None]
    table[rows, seat[rows]] = earned[rows] + np.where(is_won[rows], BONUS, -BONUS)
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

    `strength` is any function of the hands (von Stegen's count, your own); by default the chance of winning by the
    bundled model.
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

    Games that nobody won or lost as declarer score nothing, but i3 learns from their deals too: its mean is over all
    deals.
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
    records: pl.DataFrame, factors: ChanceFactors, strength: Strength | None, normal: Mapping[str, float] | None
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


FACTORS = ("i1", "i2", "i3")


def parse_factors(text: str, *, lost: Lost = "divide") -> ChanceFactors:
    """Chance factors as users write them: "i1,i3", with "i3:table" for the cards of all three.

    >>> parse_factors("i1,i3:table")
    ChanceFactors(hand=True, mean_value=False, deal='table', lost='divide', certain=None, clip=(0.5, 2.0), value=41.0)
    """
    words = [word.strip().casefold() for word in text.split(",") if word.strip()]
    known = {"i1", "i2", "i3", "i3:own", "i3:table", "none"}
    odd = [word for word in words if word not in known]
    if odd or not words:
        raise LudometerError(
            f"--chance {text}: choose from i1 (hand), i2 (mean value), i3 (deal; i3:table), such as i1,i2, or none"
        )
    deals = [word.partition(":")[2] or "own" for word in words if word.startswith("i3")]
    return ChanceFactors("i1" in words, "i2" in words, cast("View", deals[-1]) if deals else None, lost)


def correct_lists(
    lists: pl.DataFrame,
    records: pl.DataFrame,
    factors: ChanceFactors,
    *,
    strength: Strength | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """series, player, change: what the factors add to each score of the lists that `gather_lists` made of the records.

    The change of a game is the corrected minus the plain points of each of its three players, so the bonus at a table
    of four and points not recorded as the rules say stay as they are. For i3 the lists must hold the folded games too
    (`gather_lists(..., folded=True)`); otherwise the luck of players who fold more would be misjudged.
    """
    import polars as pl

    change = correct_records(records, factors, strength=strength, seed=seed) - correct_records(records)
    row = lists["record"].to_numpy()
    seats = [
        pl.DataFrame(
            {"series": lists["series"], "player": records[f"player_{seat}"].gather(row), "change": change[row, seat]}
        )
        for seat in range(3)
    ]
    return pl.concat(seats).group_by("series", "player", maintain_order=True).agg(pl.col("change").sum())


@dataclass(frozen=True)
class ChanceEffect:
    """Which luck was removed, and how much players' scores vary around their own means before and after it."""

    factors: tuple[str, ...]
    deal: View | None
    lost: Lost | None
    score_sd_before: float | None
    score_sd_after: float | None

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return vars(self) | {"factors": list(self.factors)}


def measure_effect(before: Matches, after: Matches, factors: ChanceFactors | None) -> ChanceEffect:
    """What correcting scores did; without factors it was for the starting position."""
    import polars as pl

    player = pl.Series(before.seats.player)
    spreads = [spread_within(player, pl.Series(scores_of(series))) for series in (before, after)]
    if factors is None:
        return ChanceEffect(("position",), None, None, *spreads)
    named = {"i1": factors.hand, "i2": factors.mean_value, "i3": factors.deal is not None}
    names = tuple(name for name, is_on in named.items() if is_on)
    return ChanceEffect(names, factors.deal, factors.lost if factors.hand else None, *spreads)


def correct_series(
    series: Matches, games: SkatGames, factors: ChanceFactors, *, strength: Strength | None = None, seed: int = 0
) -> Matches:
    """The series that games were scored to, with scores corrected by the factors."""
    import polars as pl

    if games.lists is None or games.records is None:
        raise LudometerError(f"{games.name}: chance factors need game records with cards (ISS records, xskat logs)")
    if games.rules.system != "extended" or games.rules.by != "player":
        raise LudometerError("chance factors are for players' scores of the extended Seeger system")
    change = correct_lists(games.lists, games.records, factors, strength=strength, seed=seed)
    frame = series_frame(series).join(change, on=["series", "player"], how="left", maintain_order="left")
    frame = frame.with_columns(pl.col("change").fill_null(0.0))
    if games.rules.short == "rescale":
        seats = games.results.sheets.select("series", "n_seats").unique("series")
        full = pl.when(pl.col("n_seats") == 4).then(LENGTHS[4]).otherwise(LENGTHS[3])
        frame = frame.join(seats, on="series", how="left", maintain_order="left")
        frame = frame.with_columns(change=pl.col("change") * full / pl.col("games"))
    return with_scores(series, scores_of(series) + frame["change"].to_numpy())


def spread_within(player: pl.Series, score: pl.Series) -> float | None:
    """SD of players' scores around their own means; None if nobody played twice.

    >>> import polars as pl
    >>> spread_within(pl.Series(["A", "A", "B", "B"]), pl.Series([1.0, 3.0, 11.0, 13.0])) == 2**0.5
    True
    """
    import polars as pl

    frame = pl.DataFrame({"player": player, "score": score.cast(pl.Float64)})
    rest = frame.select(pl.col("score") - pl.col("score").mean().over("player")).to_series().to_numpy()
    freedom = len(frame) - frame["player"].n_unique()
    return float(np.sqrt((rest**2).sum() / freedom)) if freedom > 0 else None
