"""A winning model from game records, and how good such a model is on games that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.errors import LudometerError
from ludometer.result import Provenance
from ludometer.skat.luck.calibration import Calibration
from ludometer.skat.luck.chance import declared_games
from ludometer.skat.luck.winning import WinningModel, fit_winning

if TYPE_CHECKING:
    import altair
    import polars as pl

_FEWEST = 100


@dataclass(frozen=True, eq=False)
class FittedModel:
    """The model of all games, and the check of one that was fitted without those held out."""

    model: WinningModel
    check: Calibration
    held_out: int
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """The calibration by groups."""
        return self.check.to_frame()

    def summary(self) -> str:
        """The quality by kind of game."""
        return self.check.summary()

    def plot(self) -> altair.FacetChart:
        """The calibration."""
        return self.check.plot()


def fit_on_records(
    records: pl.DataFrame, *, ridge: float = 1.0, share: float = 0.1, seed: int = 0, source: str | None = None
) -> FittedModel:
    """Fit on all games whose cards are known; before that, on all but this share of them, which are the check."""
    games, rows = declared_games(records)
    if len(games) < _FEWEST:
        raise LudometerError(f"{len(games)} games with known cards are too few for a winning model: at least {_FEWEST}")
    won = records["won"].fill_null(False).to_numpy()[rows]
    aside = np.random.default_rng(seed).random(len(games)) < share
    part = fit_winning(games.where(~aside), won[~aside], ridge=ridge)
    if not any((part.suit, part.grand, part.null)):
        raise LudometerError("no kind of game has 50 games with some won and some lost: give more records")
    check = part.check(games.where(aside), won[aside])
    origin = {} if source is None else {"source": source}
    model = fit_winning(games, won, ridge=ridge, origin=origin)
    return FittedModel(model, check, int(aside.sum()), Provenance("winning model", {"ridge": ridge}, seed=seed))
