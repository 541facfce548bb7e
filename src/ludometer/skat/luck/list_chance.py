"""Chance factors of whole lists: what they change in each player's score, from the records of the games."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from ludometer.errors import LudometerError
from ludometer.skat.luck.chance import ChanceFactors, Lost, Strength, correct_records
from ludometer.skat.luck.deal_value import View

if TYPE_CHECKING:
    import polars as pl

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
            f"--chance {text}: write some of i1 (hand), i2 (mean value), i3 (deal; i3:table), such as i1,i2, or none"
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

    The change of a game is the corrected less the plain points of each of its three, so the bonus of a table of four
    and points recorded otherwise than by the rules stay as they are. For i3 the lists have to hold the folded games too
    (`gather_lists(..., folded=True)`): who folds more would be given other luck than he had.
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


def spread_within(player: pl.Series, score: pl.Series) -> float | None:
    """SD of players' scores about their own means; None if nobody played twice.

    >>> import polars as pl
    >>> spread_within(pl.Series(["A", "A", "B", "B"]), pl.Series([1.0, 3.0, 11.0, 13.0])) == 2**0.5
    True
    """
    import polars as pl

    frame = pl.DataFrame({"player": player, "score": score.cast(pl.Float64)})
    rest = frame.select(pl.col("score") - pl.col("score").mean().over("player")).to_series().to_numpy()
    freedom = len(frame) - frame["player"].n_unique()
    return float(np.sqrt((rest**2).sum() / freedom)) if freedom > 0 else None
