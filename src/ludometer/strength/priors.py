"""Priors: how ratings are distributed in the population, before any result is seen."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.errors import LudometerError
from ludometer.scale import ELO, from_elo

if TYPE_CHECKING:
    from ludometer.kernels.skills.expected import PriorTable

_NO_FLAT = (
    "a flat prior is not allowed: players who never lost would be rated infinitely high, and those who never won "
    "infinitely low. Give the spread of ratings in the population, such as normal:0,200"
)
_CELLS = 8192
_CELLS_A_BANDWIDTH = 64
"""So fine that the cubic between two points misses the logarithm by less than 1e-9."""


class Prior(Protocol):
    """The density of ratings in a population, in Elo points; frozen."""

    @property
    def parameters(self) -> dict[str, Any]:
        """What it is made of, for a result's provenance."""
        ...

    @property
    def mean(self) -> float:
        """The rating of an unknown player."""
        ...

    @property
    def sd(self) -> float:
        """How far from the mean players are."""
        ...

    @property
    def lowest(self) -> float:
        """No rating is below it; minus infinity where there is no such bound."""
        ...

    @property
    def log_concave(self) -> bool:
        """Whether there is one most likely set of ratings, and one of expected ratings."""
        ...

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density per point."""
        ...

    def derivatives(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """The log density, its slope, and minus its second derivative; continued smoothly below `lowest`."""
        ...

    def table(self) -> PriorTable:
        """The log density for kernels: natural units, around the mean."""
        ...


@dataclass(frozen=True)
class NormalPrior:
    """Ratings are normal: exp(-(x - mean)^2 / (2 sd^2)) / (sd root(2 pi)).

    >>> NormalPrior(1500, 200).log_density(np.array([1500.0, 1700.0])).round(4).tolist()
    [-6.2173, -6.7173]
    """

    mean: float = 0.0
    sd: float = 200.0
    lowest: ClassVar[float] = -math.inf
    log_concave: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.sd == math.inf:
            raise LudometerError(_NO_FLAT)
        if not (math.isfinite(self.mean) and math.isfinite(self.sd) and self.sd > 0):
            raise LudometerError(f"a normal prior needs a mean and an SD above 0, not {self.mean} and {self.sd}")

    @property
    def parameters(self) -> dict[str, Any]:
        """Mean and SD."""
        return {"prior": "normal", "mean": self.mean, "sd": self.sd}

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density per point."""
        return self.derivatives(x)[0]

    def derivatives(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """The log density, its slope, and minus its second derivative."""
        z = (np.asarray(x, np.float64) - self.mean) / self.sd
        return -0.5 * z * z - math.log(self.sd * math.sqrt(2 * math.pi)), -z / self.sd, np.full_like(z, self.sd**-2)

    def table(self) -> PriorTable:
        """Two points: a cubic through them, and what lies beyond, are the parabola itself."""
        from ludometer.kernels.skills.expected import PriorTable

        sd = from_elo(self.sd)
        return PriorTable(-sd, 2 * sd, np.full(2, -0.5), np.array([1, -1]) / sd, sd**-2, sd**-2, -math.inf, math.inf)


@dataclass(frozen=True)
class LearningPrior:
    """Ratings where beginners learn at the rate c7 e^-R and leave at the rate D: p(R) = c8 exp(c8 + R - c8 e^R), R > 0.

    c8 = D / c7 (Smith 1994, section 5). A player R natural units above the beginners stands at origin + scale R; on a
    scale of its own the density is a family of shapes rather than the model's.

    >>> prior = LearningPrior(0.05, origin=1000)
    >>> prior.log_density(np.array([999.0, 1500.0])).round(3).tolist(), round(prior.mean)
    ([-inf, -6.114], 1451)
    """

    c8: float
    scale: float = ELO
    origin: float = 0.0
    log_concave: ClassVar[bool] = True

    def __post_init__(self) -> None:
        numbers = (self.c8, self.scale, self.origin)
        if not (all(math.isfinite(value) for value in numbers) and 0 < self.c8 <= 1e6 and self.scale > 0):
            raise LudometerError(f"a learning prior needs c8 and a scale above 0 and an origin, not {numbers}")

    @property
    def parameters(self) -> dict[str, Any]:
        """c8, scale and origin."""
        return {"prior": "learning", "c8": self.c8, "scale": self.scale, "origin": self.origin}

    @property
    def mean(self) -> float:
        """origin + scale e^c8 E1(c8)."""
        return self._moments[0]

    @property
    def sd(self) -> float:
        """By quadrature."""
        return self._moments[1]

    @property
    def lowest(self) -> float:
        """Where beginners are."""
        return self.origin

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density per point; minus infinity below the beginners."""
        return np.where(np.asarray(x) < self.origin, -np.inf, self.derivatives(x)[0])

    def derivatives(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """The log density, its slope, and minus its second derivative, by the same formula below the beginners too."""
        r = (np.asarray(x, np.float64) - self.origin) / self.scale
        wall = self.c8 * np.exp(np.minimum(r, 300.0))
        return math.log(self.c8 / self.scale) + self.c8 + r - wall, (1 - wall) / self.scale, wall / self.scale**2

    def table(self) -> PriorTable:
        """From the beginners up to where the density is e^-1000."""
        from ludometer.kernels.skills.expected import PriorTable

        x = self._grid
        value, slope, bend = self.derivatives(x)
        return PriorTable(
            from_elo(self.origin - self.mean),
            from_elo(float(x[1] - x[0])),
            value,
            slope * ELO,
            float(bend[0]) * ELO**2,
            float(bend[-1]) * ELO**2,
            from_elo(self.origin - self.mean),
            0.35 * from_elo(self.scale),
        )

    @cached_property
    def _grid(self) -> Floats:
        return self.origin + self.scale * np.linspace(0, math.log1p(1000 / self.c8), _CELLS + 1)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        from scipy.integrate import simpson

        x = self._grid
        density = np.exp(self.derivatives(x)[0])
        total = float(simpson(density, x))
        mean = float(simpson(density * x, x)) / total
        return mean, math.sqrt(float(simpson(density * (x - mean) ** 2, x)) / total)


@dataclass(frozen=True, eq=False)
class EmpiricalPrior:
    """The ratings of established players, smoothed by normal kernels, on a fine grid.

    One more kernel, as wide as all ratings together, fills the gaps: nobody's rating is shut in among those who happen
    to have been rated. With several humps the log density is not concave, and `log_concave` says so.
    Made by `EmpiricalPrior.of`.
    """

    start: float
    cell: float
    value: Floats
    slope: Floats
    """Of the log density per point."""
    bandwidth: float
    n_players: int
    mean: float
    sd: float
    log_concave: bool
    lowest: ClassVar[float] = -math.inf

    @classmethod
    def of(cls, ratings: Sequence[float] | Array, *, bandwidth: float | None = None) -> EmpiricalPrior:
        """From ratings in Elo points; the bandwidth is Silverman's unless given.

        >>> prior = EmpiricalPrior.of([1300, 1450, 1480, 1500, 1550, 1700])
        >>> bool(prior.log_density(np.array([1500.0])) > prior.log_density(np.array([1800.0])))
        True
        """
        rated = np.asarray(ratings, np.float64).ravel()
        rated = rated[~np.isnan(rated)]
        spread = float(rated.std(ddof=1)) if len(rated) > 1 and np.isfinite(rated).all() else 0.0
        if not spread > 0:
            raise LudometerError("an empirical prior needs two or more ratings, finite and not all equal")
        low, high = np.percentile(rated, [25, 75])
        narrow = min(spread, (high - low) / 1.349) if high > low else spread
        width = 0.9 * narrow * len(rated) ** -0.2 if bandwidth is None else float(bandwidth)
        if not (math.isfinite(width) and width > 0):
            raise LudometerError(f"the bandwidth must be a number above 0, not {bandwidth}")
        return cls._smooth(rated, min(width, spread), spread)

    @classmethod
    def _smooth(cls, rated: Floats, width: float, spread: float) -> EmpiricalPrior:
        cell = max(width / _CELLS_A_BANDWIDTH, (float(np.ptp(rated)) + 20 * spread) / (1 << 18))
        margin = math.ceil(10 * spread / cell)
        start = float(rated.min()) - margin * cell
        n = math.ceil((float(rated.max()) - start) / cell) + margin + 1
        # each rating is shared by the two points around it
        position = (rated - start) / cell
        before = np.floor(position).astype(np.int64)
        share = position - before
        count: Floats = np.bincount(before, 1 - share, n).astype(np.float64)
        count += np.bincount(before + 1, share, n)
        x = start + cell * np.arange(n, dtype=np.float64)
        density, rise, bend = np.add(_convolve(count, cell, width), _hump(x, float(rated.mean()), spread))
        total = len(rated) + 1
        slope = rise / density
        mean = float(density @ x / density.sum())
        sd = math.sqrt(float(density @ (x - mean) ** 2 / density.sum()))
        concave = bool((bend / density <= slope**2 * (1 + 1e-9) + 1e-9 / spread**2).all())
        value = np.log(density / total)
        value.setflags(write=False)
        slope.setflags(write=False)
        return cls(start, cell, value, slope, width, len(rated), mean, sd, concave)

    @property
    def parameters(self) -> dict[str, Any]:
        """How many ratings, the bandwidth, and a hash of the smoothed density."""
        digest = hashlib.sha256(np.round(self.value, 9).tobytes()).hexdigest()[:16]
        return {"prior": "empirical", "players": self.n_players, "bandwidth": self.bandwidth, "density": digest}

    def log_density(self, x: Floats) -> Floats:
        """The logarithm of the density per point."""
        return self.derivatives(x)[0]

    def derivatives(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """The log density, its slope, and minus its second derivative."""
        from ludometer.kernels.skills.expected import look_up

        points = np.asarray(x, np.float64)
        value, slope, bend = look_up(self.table(), np.ascontiguousarray(from_elo(points - self.mean)).ravel())
        shape = points.shape
        return value.reshape(shape), slope.reshape(shape) / ELO, bend.reshape(shape) / ELO**2

    def table(self) -> PriorTable:
        """The grid itself; beyond its ends, ten SDs out, a normal tail."""
        from ludometer.kernels.skills.expected import PriorTable

        bend = from_elo(self.sd) ** -2
        return PriorTable(
            from_elo(self.start - self.mean),
            from_elo(self.cell),
            self.value.copy(),
            self.slope * ELO,
            bend,
            bend,
            -math.inf,
            0.4 * from_elo(self.bandwidth),
        )


def parse_prior(text: str) -> Prior:
    """A prior as users write it: normal:mean,sd or learning:c8,scale,origin, of which the last two may be left out.

    >>> parse_prior("normal:0,200")
    NormalPrior(mean=0.0, sd=200.0)
    """
    name, _, details = text.strip().partition(":")
    try:
        numbers = [float(part) for part in details.split(",")] if details.strip() else []
    except ValueError as error:
        raise LudometerError(f"{text!r}: write a prior as normal:0,200 or learning:0.05") from error
    match name.strip(), len(numbers):
        case "flat" | "uniform", _:
            raise LudometerError(_NO_FLAT)
        case "normal", 2:
            return NormalPrior(*numbers)
        case "learning", 1 | 2 | 3:
            return LearningPrior(*numbers)
        case "empirical", _:
            raise LudometerError("an empirical prior is made of ratings: EmpiricalPrior.of(ratings)")
        case "normal" | "learning", _:
            raise LudometerError(f"{text!r}: write a prior as normal:mean,sd or learning:c8,scale,origin")
    raise LudometerError(f"no prior is called {name!r}; there are: normal, learning, empirical")


def _convolve(count: Floats, cell: float, width: float) -> Floats:
    """(3, n): the sum of normal kernels, and its first and second derivatives."""
    reach = math.ceil(9 * width / cell)
    kernels = _hump(cell * np.arange(-reach, reach + 1, dtype=np.float64), 0.0, width)
    # not by Fourier transforms, whose rounding would be all there is in the tails
    return np.array([np.convolve(count, shape)[reach : reach + len(count)] for shape in kernels])


def _hump(x: Floats, mean: float, sd: float) -> Floats:
    """(3, n): a normal density with its first and second derivatives."""
    z = (x - mean) / sd
    density = np.exp(-0.5 * z * z) / (sd * math.sqrt(2 * math.pi))
    return np.array([density, -z / sd * density, (z * z - 1) / sd**2 * density])
