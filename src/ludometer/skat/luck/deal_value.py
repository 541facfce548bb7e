"""The value of the dealt cards: expected series points of a seat before any decision, and the luck of a deal.

V(cards, seat) is a ridge regression of the points of a game on counts of the dealt cards, by cross-fitting: the luck of
a deal comes from a fit that has not seen it. The deal does not depend on who sits there, so V minus its mean has mean
zero for every player, and subtracting it removes luck but no skill.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Array, Floats
from ludometer.errors import LudometerError
from ludometer.result import Provenance
from ludometer.skat.luck.features import lost_in_suit, null_gaps
from ludometer.skat.rules.cards import Masks, count_cards, count_eyes, count_matadors
from ludometer.skat.rules.games import BASE_VALUES
from ludometer.wording import percent

if TYPE_CHECKING:
    import altair
    import polars as pl

View = Literal["own", "table"]
"""The cards that V looks at: the seat's own ten, or those of all three."""

_SUIT_KNOTS = (6.0, 7.0, 8.0, 9.0, 10.0, 11.0)
_GRAND_KNOTS = (3.0, 4.0, 5.0, 6.0)
_EAGERNESS = (0.7, 2.0)
"""How strongly the best hand is preferred when it comes to declaring."""

_GROUPS = 20


@dataclass(frozen=True, eq=False)
class DealValue:
    """The luck of each seat in each deal, in points per game, and its share of the variance.

    `reduction` is the share of the variance of a seat's points in a game that subtracting the luck removes.
    """

    deviation: Floats
    """(deals, seats): V minus its mean."""
    reduction: float
    variance: float
    view: View
    predicted: Floats
    observed: Floats
    std_error: Floats
    """Means over groups of equal size, from the worst cards to the best."""
    provenance: Provenance = field(default_factory=lambda: Provenance("deal value"))

    def to_frame(self) -> pl.DataFrame:
        """Groups of deals from the worst cards to the best: predicted and observed points minus the mean."""
        import polars as pl

        return pl.DataFrame({"predicted": self.predicted, "observed": self.observed, "std_error": self.std_error})

    def summary(self) -> str:
        """How much luck there is, and what subtracting it removes."""
        spread, deviation = np.sqrt(self.variance), self.deviation.std()
        which = "own cards" if self.view == "own" else "cards of all three"
        return (
            f"{self.deviation.shape[0]:,} deals; a seat's points in a game have SD {spread:.1f}\n"
            f"luck by the {which}: SD {deviation:.1f}; subtracting it removes {percent(self.reduction)} of the "
            "variance"
        )

    def plot(self) -> altair.LayerChart:
        """Observed against predicted points."""
        import altair as alt

        rows = alt.InlineData(values=self.to_frame().to_dicts())
        x = alt.X("predicted:Q", title="expected points per game, minus the mean")
        points = alt.Chart(rows).mark_circle(size=45).encode(x=x, y=alt.Y("observed:Q", title="points scored"))
        line = alt.Chart(rows).mark_line(strokeDash=[4, 4], color="grey").encode(x=x, y="predicted:Q")
        chart: altair.LayerChart = line + points
        return chart


def fit_deal_value(
    hands: ArrayLike, points: ArrayLike, *, view: View = "own", folds: int = 5, ridge: float = 200.0, seed: int = 0
) -> DealValue:
    """Learn V from the dealt hands (n, seats) and the points that each seat made in the game (n, seats).

    Include folded deals with 0 points: without them the deals are not a random sample. Seats are in the order of play,
    forehand first; at tables of four leave out the dealer.
    """
    cards, earned = np.asarray(hands, np.uint32), np.asarray(points, float)
    if cards.ndim != 2 or cards.shape != earned.shape:
        raise LudometerError(f"hands {cards.shape} and points {earned.shape} must have the same shape: deals, seats")
    if (count_cards(cards) != 10).any():
        raise LudometerError(f"{int((count_cards(cards) != 10).any(axis=1).sum())} deals have a hand without 10 cards")
    if view not in get_args(View):
        raise LudometerError(f"view must be {' or '.join(get_args(View))}, not {view!r}")
    if not 2 <= folds <= len(cards):
        raise LudometerError(f"folds must be from 2 to the number of deals ({len(cards)}), not {folds}")
    features = describe_deals(cards, view=view)
    fold = np.random.default_rng(seed).permutation(np.arange(len(cards)) % folds)
    deviation = _cross_fit(features, earned, fold, ridge)
    rest = earned - deviation
    variance = float(earned.var(axis=0).mean())
    return DealValue(
        deviation,
        1 - float(rest.var(axis=0).mean()) / variance if variance > 0 else 0.0,
        variance,
        view,
        *_groups(deviation, earned - earned.mean(axis=0)),
        provenance=Provenance("deal value", {"view": view, "folds": folds, "ridge": ridge}, seed=seed),
    )


def describe_deals(hands: Masks, *, view: View = "own") -> Floats:
    """Features of each seat (deals, seats, features): counts of the best suit and of grand with bends, jacks, null."""
    n_deals, n_seats = hands.shape
    own = describe_hands(hands.reshape(-1)).reshape(n_deals, n_seats, -1)
    if view == "own":
        return own
    # the others in the order in which they sit behind, and how all of them compare
    others = [np.roll(own, -step, axis=1) for step in range(1, n_seats)]
    return np.concatenate((own, *others, _compare_hands(hands)), axis=2)


def describe_hands(hands: Masks) -> Floats:
    """The features of single hands of ten cards."""
    strength, lengths, lost = _suit_counts(hands)
    best = strength.argmax(axis=1)
    rows = np.arange(len(hands))
    top = strength[rows, best]
    jacks = (hands[:, None] >> np.array([7, 15, 23, 31], np.uint32) & np.uint32(1)).astype(float)
    n_jacks = jacks.sum(axis=1)
    aces, tens = count_cards(hands & np.uint32(0x4040_4040)), count_cards(hands & np.uint32(0x2020_2020))
    grand = n_jacks + aces + 0.5 * tens - 0.3 * lost.sum(axis=1)
    gaps = null_gaps()[hands[:, None] >> np.array([0, 8, 16, 24], np.uint32) & np.uint32(255)].sum(axis=1)
    value = np.array(BASE_VALUES)[best] * (np.abs(count_matadors(hands, best)) + 1.0)
    suit_bends = [np.maximum(top - knot, 0) for knot in _SUIT_KNOTS]
    grand_bends = [np.maximum(grand - knot, 0) for knot in _GRAND_KNOTS]
    return np.column_stack(
        (
            jacks, n_jacks == 0, n_jacks == 3, n_jacks == 4, jacks[:, 0] * jacks[:, 1], aces, tens,
            lengths.max(axis=1), (lengths == 0).sum(axis=1), count_eyes(hands), top, *suit_bends, grand, *grand_bends,
            suit_bends[2] * grand_bends[0], np.sort(strength, axis=1)[:, -2], value, value * suit_bends[1] / 10,
            np.maximum(8 - gaps, 0), np.maximum(4 - gaps, 0), best == 0, best == 3,
        )
    ).astype(float)  # fmt: skip


def _compare_hands(hands: Masks) -> Floats:
    """Who is likely to declare, and how strong they are then with the skat: the seat itself and the others."""
    skat = ~np.bitwise_or.reduce(hands, axis=1)
    with_skat = hands | skat[:, None]
    before, after = (_best_counts(masks.reshape(-1)).reshape(*hands.shape, 2) for masks in (hands, with_skat))
    columns = []
    for eager in _EAGERNESS:
        odds = np.exp(eager * (before[:, :, 0] - before[:, :, 0].max(axis=1, keepdims=True)))
        share = odds / odds.sum(axis=1, keepdims=True)
        own = [share, share * after[:, :, 0], share * after[:, :, 1]]
        own += [share * np.maximum(after[:, :, 0] - knot, 0) for knot in _SUIT_KNOTS[2:]]
        own += [share * np.maximum(after[:, :, 1] - knot, 0) for knot in _GRAND_KNOTS[1:]]
        columns += own + [np.roll(column, -step, axis=1) for step in (1, 2) for column in own[1:4]]
    return np.stack(columns, axis=2)


def _best_counts(hands: Masks) -> Floats:
    """The count of the best suit, and the one of grand."""
    strength, _, lost = _suit_counts(hands)
    aces_and_jacks, tens = count_cards(hands & np.uint32(0xC0C0_C0C0)), count_cards(hands & np.uint32(0x2020_2020))
    return np.column_stack((strength.max(axis=1), aces_and_jacks + 0.5 * tens - 0.3 * lost.sum(axis=1)))


def _suit_counts(hands: Masks) -> tuple[Floats, Array, Array]:
    """For each suit as trumps: the count of strength; the lengths of the suits; the tricks lost in each."""
    bits = hands[:, None] >> np.array([0, 8, 16, 24], np.uint32) & np.uint32(255)
    side = bits & np.uint32(127)
    lengths = np.bitwise_count(side).astype(np.int64)
    jacks = np.bitwise_count(hands & np.uint32(0x8080_8080)).astype(np.int64)
    highs = np.bitwise_count(bits & np.uint32(0x60)).astype(np.int64)
    lost = lost_in_suit()[side]
    beside = highs - 0.5 * lost + 0.5 * (lengths == 0)
    strength = 2 * jacks[:, None] + lengths + highs + beside.sum(axis=1, keepdims=True) - beside
    return strength, lengths, lost


def _cross_fit(features: Floats, earned: Floats, fold: Array, ridge: float) -> Floats:
    """V minus its mean in each fold, from the sums over all other folds."""
    x = features - features.mean(axis=(0, 1))
    scale = x.std(axis=(0, 1))
    # seats first: each is a matrix of its own
    x = np.ascontiguousarray((x / np.where(scale > 1e-9, scale, 1.0)).transpose(1, 0, 2))
    deviation = np.empty(earned.shape)
    parts = [np.flatnonzero(fold == part) for part in range(int(fold.max()) + 1)]
    n = np.array([len(rows) for rows in parts])
    sums = np.stack([x[:, rows].sum(axis=1) for rows in parts])
    totals = np.stack([earned[rows].sum(axis=0) for rows in parts])
    grams = np.stack([x[:, rows].transpose(0, 2, 1) @ x[:, rows] for rows in parts])
    crosses = np.stack([np.einsum("snf,ns->sf", x[:, rows], earned[rows]) for rows in parts])
    for part, rows in enumerate(parts):
        others = np.arange(len(parts)) != part
        n_others = n[others].sum()
        mean_x, mean_y = sums[others].sum(axis=0) / n_others, totals[others].sum(axis=0) / n_others
        gram = grams[others].sum(axis=0) - n_others * mean_x[:, :, None] * mean_x[:, None, :]
        cross = crosses[others].sum(axis=0) - n_others * mean_x * mean_y[:, None]
        slopes = _solve_ridge(gram, cross, ridge)
        deviation[rows] = np.einsum("snf,sf->ns", x[:, rows] - mean_x[:, None], slopes)
    return deviation


def _solve_ridge(gram: Floats, cross: Floats, ridge: float) -> Floats:
    """Slopes of each seat: common ones plus its own, both under the ridge: seats share what they have in common."""
    n_seats, n_features = cross.shape
    curvature, target = ridge * np.eye(n_features * (n_seats + 1)), np.zeros(n_features * (n_seats + 1))
    shared = slice(0, n_features)
    for seat in range(n_seats):
        extra = slice((seat + 1) * n_features, (seat + 2) * n_features)
        for one in (shared, extra):
            target[one] += cross[seat]
            for other in (shared, extra):
                curvature[one, other] += gram[seat]
    slopes = np.linalg.solve(curvature, target).reshape(n_seats + 1, n_features)
    own: Floats = slopes[0] + slopes[1:]
    return own


def _groups(deviation: Floats, centred: Floats) -> tuple[Floats, Floats, Floats]:
    flat, earned = deviation.ravel(), centred.ravel()
    groups = np.array_split(np.argsort(flat, kind="stable"), min(_GROUPS, len(flat)))
    means = [(flat[g].mean(), earned[g].mean(), earned[g].std() / np.sqrt(len(g))) for g in groups]
    predicted, observed, error = (np.array(column) for column in zip(*means, strict=True))
    return predicted, observed, error
