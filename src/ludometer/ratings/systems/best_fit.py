"""Best-fit Elo: the step k at which Elo's forecasts fit a record best, and Elo with that step as a rating system."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ludometer.arrays import Floats
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import LudometerError, MatchDataError, NoFiniteFit
from ludometer.matches import Matches, Seats
from ludometer.ratings.prizes import WINNER, Prizes, seat_columns
from ludometer.ratings.systems.elo import (
    Elo,
    PassObserver,
    play_observed,
    play_once,
    refuse_base_of_several,
    refuse_share_of_several,
    unusual,
)
from ludometer.ratings.systems.tuning import Knob
from ludometer.result import Provenance, Shown
from ludometer.scale import Base, points_per_unit

if TYPE_CHECKING:
    import polars as pl

Procedure = Literal["lanes", "printed"]

_LANES = 8
_LOWEST, _HIGHEST = 0.5, 8000.0
"""The first pass tries k from 0.5 in steps of a factor 4; above the highest, no k counts as a fit."""


@dataclass(frozen=True)
class BestFitElo(Shown):
    """The step k that fits a record best, the loss at every k tried, and the ratings at the best, starting at 0.

    The loss is (1/T) sum over matches of the squared errors of all players: 0.5 at k = 0 for two players without draws.
    """

    k: float
    loss: float
    loss_at_zero: float
    passes: int
    procedure: str
    tried: Floats
    losses: Floats
    rating: Floats
    """In Elo points, by code."""
    converged: bool
    provenance: Provenance
    k_interval: tuple[float, float] | None = None
    """95%, where a measurement simulated it."""

    def to_frame(self) -> pl.DataFrame:
        """k and loss, for every k that was tried."""
        import polars as pl

        return pl.DataFrame({"k": self.tried, "loss": self.losses}).sort("k")

    def summary(self) -> str:
        """The fit in one line."""
        return (
            f"k {self.k:.4g}, loss {self.loss:.4f} ({self.loss_at_zero:.4f} at k = 0), "
            f"{self.passes} passes over the data" + ("" if self.converged else "; the best k lies beyond the search")
        )

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The loss over k, around its minimum."""
        import altair as alt

        curve = self.to_frame().filter(self.to_frame()["k"] <= max(4 * self.k, 1))
        line = alt.Chart(alt.InlineData(values=curve.to_dicts()), width=270 if narrow else 420, height=220)
        best = alt.Chart(alt.InlineData(values=[{"k": self.k, "loss": self.loss, "label": f"k = {self.k:.3g}"}]))
        x = alt.X("k:Q", title="Step k (Elo points)")
        y = alt.Y("loss:Q", title="Loss", scale=alt.Scale(zero=False))
        chart = (
            line.mark_line(color=INK, point=alt.OverlayMarkDef(size=18)).encode(x=x, y=y)
            + best.mark_point(filled=True, size=90, color=ACCENT).encode(x="k:Q", y="loss:Q")
            + best.mark_text(dy=-12, color=ACCENT).encode(x="k:Q", y="loss:Q", text="label:N")
        )
        return {"loss": chart}


def fit_best_elo(
    matches: Matches,
    *,
    procedure: Procedure = "lanes",
    prizes: Prizes = WINNER,
    base: Base = "10",
    share: float = 1.0,
    observer: PassObserver | None = None,
) -> BestFitElo:
    """Find the k with the least loss (Duersch et al. 2020, eq. 2) and the ratings at that k.

    "lanes" tries 8 or 16 values of k in one pass over the data and needs four passes; "printed" is the paper's own
    search (A.4): five points, the step halved around the best until the loss is flat to 1e-6 of its gain. Multiplayer
    matches are played for the prizes; base e gives their k and ratings on the scale that the paper prints, ln 10 times
    wider, with the same forecasts. A `share` below 1 bounds the expectation (footnote 34). An `observer` sees
    the pass at the best k.

    >>> from ludometer.matches import Matches
    >>> rng = np.random.default_rng(0)
    >>> first = rng.integers(0, 20, 4000)
    >>> second = (first + rng.integers(1, 20, 4000)) % 20
    >>> better = fit_best_elo(Matches.of_pairs(first, second, first > second))
    >>> better.k > 20, better.loss < better.loss_at_zero
    (True, True)
    """
    if not len(matches):
        raise MatchDataError("there are no matches")
    if procedure not in ("lanes", "printed"):
        raise LudometerError(f"no search is called {procedure!r}; there are: lanes, printed")
    matches.refuse_teams("best-fit")
    search = _Search(matches, prizes, base, share)
    if procedure == "printed":
        from ludometer.ratings.as_printed import search_best_step

        k = search_best_step(search)
    else:
        k = _search_in_lanes(search)
    rating, loss = search.play(k, observer)
    known = np.array(sorted(search.losses))
    losses = np.array([search.losses[value] for value in known])
    if losses.min() < loss * (1 - 1e-12):
        # the curve is not smooth enough to interpolate: take the best k that was tried
        k = float(known[np.argmin(losses)])
        rating, loss = search.play(k, observer)
    return BestFitElo(
        k=k,
        loss=loss,
        loss_at_zero=search.losses[0.0],
        passes=search.passes,
        procedure=procedure,
        tried=known,
        losses=losses,
        rating=rating,
        converged=search.converged,
        provenance=Provenance("best-fit", {"procedure": procedure} | unusual(prizes, base, share), matches.fingerprint),
    )


def fit_share(matches: Matches, *, procedure: Procedure = "lanes") -> float:
    """The share of matches decided by play, not by a coin, at which bounded two-player forecasts have the least loss.

    Expectations then run from (1 - share) / 2 to (1 + share) / 2: a floor and a ceiling for everybody.

    >>> from ludometer.simulate import mix, simulate_strengths
    >>> half = mix(simulate_strengths(100, 40_000, sd=400, seed=1), 50, seed=1)
    >>> 0.4 < fit_share(half) < 0.6
    True
    """
    from scipy.optimize import minimize_scalar

    def loss(share: float) -> float:
        return fit_best_elo(matches, procedure=procedure, share=float(share)).loss

    best = minimize_scalar(loss, bounds=(0.05, 1.0), method="bounded", options={"xatol": 2e-3, "maxiter": 30})
    return 1.0 if loss(1.0) <= best.fun else float(best.x)


@dataclass(frozen=True)
class BestFit:
    """Elo whose k is fitted to the record; ratings start at 0.

    A rating system that needs the record first: `fitted` gives the system that plays it.
    """

    procedure: Procedure = "lanes"
    prizes: Prizes = WINNER
    base: Base = "10"
    share: float = 1.0
    name: ClassVar[str] = "best-fit"

    @property
    def parameters(self) -> dict[str, Any]:
        """Prizes, base and share where they are not the defaults; k is not fitted yet."""
        return unusual(self.prizes, self.base, self.share)

    @property
    def untuned(self) -> FittedElo:
        """Elo as it comes, with its usual k."""
        return FittedElo(Elo().k, prizes=self.prizes, base=self.base, share=self.share, in_sample=False)

    def fitted(self, matches: Matches, *, in_sample: bool) -> FittedElo:
        """The system with the k that fits these matches; `in_sample` if it will be scored on them too."""
        fit = fit_best_elo(matches, procedure=self.procedure, prizes=self.prizes, base=self.base, share=self.share)
        return FittedElo(fit.k, prizes=self.prizes, base=self.base, share=self.share, in_sample=in_sample)


@dataclass(frozen=True)
class FittedElo(Elo):
    """Elo with a fitted k; `in_sample` if it is scored on the matches that k was fitted to."""

    start_rating: float = 0.0
    in_sample: bool = True
    name: ClassVar[str] = BestFit.name
    tunable: ClassVar[tuple[Knob, ...]] = ()
    """k is fitted by the squared loss of all matches, as the paper has it, and no further."""

    @property
    def parameters(self) -> dict[str, Any]:
        """k, and whether it was fitted to the matches that it is scored on."""
        return {"k": self.k, "in_sample": self.in_sample} | unusual(self.prizes, self.base, self.share)


class _Search:
    """Losses of a record by k, each computed once."""

    def __init__(self, matches: Matches, prizes: Prizes, base: Base, share: float) -> None:
        self.matches = matches
        self.prizes, self.base, self.share = prizes, base, share
        if isinstance(matches.table, Seats):
            refuse_share_of_several(share)
        else:
            refuse_base_of_several(base)
        self.losses: dict[float, float] = {}
        self.passes = 0
        self.converged = True

    def try_steps(self, steps: Floats) -> Floats:
        """The loss at each k, in one pass for the new ones."""
        from ludometer.kernels.runtime import lanes

        new = np.array(sorted({float(step) for step in steps} - self.losses.keys()))
        if len(new):
            step, loss = lanes.allocate(1, len(new)), lanes.allocate(1, len(new))
            step[0, : len(new)] = new / points_per_unit(self.base)
            self._play_lanes(lanes.allocate(len(self.matches.players), len(new)), step, loss)
            self.losses |= dict(zip(new.tolist(), (2 * loss[0, : len(new)] / len(self.matches)).tolist(), strict=True))
            self.passes += 1
        return np.array([self.losses[float(step)] for step in steps])

    def play(self, k: float, observer: PassObserver | None) -> tuple[Floats, float]:
        """The ratings and the loss at one k."""
        unit = points_per_unit(self.base)
        self.passes += 1
        if observer is None:
            rating = np.zeros((len(self.matches.players), 1))
            loss = play_once(self.matches, rating, k / unit, self.prizes, self.base, np.empty(0), self.share)
            return unit * rating[:, 0], 2 * loss / len(self.matches)
        natural, loss = play_observed(self.matches, k, observer, prizes=self.prizes, base=self.base, share=self.share)
        return unit * natural, 2 * loss / len(self.matches)

    def _play_lanes(self, rating: Floats, step: Floats, loss: Floats) -> None:
        from ludometer.kernels.systems.elo import elo_lanes
        from ludometer.kernels.systems.multiplayer import seats_lanes

        table = self.matches.table
        if isinstance(table, Seats):
            prize, score = self._seat_columns
            seats_lanes(table.starts, table.player, score.reshape(-1, 1), prize, rating, step, loss)
        else:
            elo_lanes(table.first, table.second, table.halves, rating, step, loss, self.share)

    @cached_property
    def _seat_columns(self) -> tuple[Floats, Floats]:
        return seat_columns(self.matches.seats, self.prizes)


def _search_in_lanes(search: _Search) -> float:
    """A wide grid, two narrower ones, and the minimum of the polynomial through the last one."""
    grid = np.concatenate(([0.0], _LOWEST * 4.0 ** np.arange(_LANES - 1)))
    best = int(np.argmin(search.try_steps(grid)))
    while best == len(grid) - 1 and grid[best] < _HIGHEST:
        grid = np.concatenate((grid[-2:], grid[-1] * 4.0 ** np.arange(1, 3)))
        best = int(np.argmin(search.try_steps(grid)))
    if grid[best] >= _HIGHEST:
        raise NoFiniteFit(
            "the loss falls with every larger k: the results have no contradictions (some only win, others only lose), "
            "so no finite rating fits them best. Add more matches"
        )
    for n_points in (2 * _LANES, _LANES):
        grid = _between(grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)], n_points)
        best = int(np.argmin(search.try_steps(grid)))
        if best == 0 and grid[0] == 0:
            return 0.0
    return _stationary_point(grid, search.try_steps(grid))


def _between(low: float, high: float, n_points: int) -> Floats:
    """Both ends and points between them, at equal ratios, or at equal distances from 0 on."""
    if low == 0:
        return np.linspace(low, high, n_points + 2)
    return np.asarray(np.geomspace(low, high, n_points + 2))


def _stationary_point(steps: Floats, losses: Floats) -> float:
    """The minimum of a polynomial of degree 6 through a narrow grid, in ln k unless the grid starts at 0."""
    best = int(np.argmin(losses))
    points = np.log(steps) if steps[0] > 0 else steps
    centre, width = float(points[best]), float(points[-1] - points[0])
    scaled = (points - centre) / width
    curve = np.polynomial.Polynomial.fit(scaled, losses - losses[best], 6, domain=[-1, 1], window=[-1, 1])
    roots = curve.deriv().roots()
    inside = [float(root.real) for root in roots if abs(root.imag) < 1e-9 and scaled[0] <= root.real <= scaled[-1]]
    place = centre + width * min(inside, key=lambda root: float(curve(root)), default=0.0)
    return float(np.exp(place)) if steps[0] > 0 else place
