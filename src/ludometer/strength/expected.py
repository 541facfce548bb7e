"""Static ratings under a prior, from all results at once: the most likely and the expected ones, with their errors.

The log posterior is the sum over matches of S ln E + (1 - S) ln(1 - E), E the logistic expectation, a draw being half a
win and half a loss, plus the log prior of each player's rating (Smith 1994, eq. 48). Natural units around the prior's
mean throughout.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats, Mask
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import ConvergenceWarning, LudometerError
from ludometer.kernels.skills.conjugate_gradients import conjugate_gradients
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.result import Provenance, Shown
from ludometer.scale import ELO, from_elo, to_elo
from ludometer.strength.comparisons import Comparisons, gather
from ludometer.strength.newton import Maximum, maximise
from ludometer.strength.priors import NormalPrior, Prior

if TYPE_CHECKING:
    import polars as pl

Procedure = Literal["newton", "printed"]

_MOST_CORRECTIONS = 40
_EXACT = 300
"""Up to so many players each is solved for; above, a stochastic estimate is made."""


@dataclass(frozen=True, eq=False)
class Record:
    """Who met whom how often, each pair in the rows of both, and the points of each player."""

    starts: Counts
    opponent: Codes
    met: Floats
    points: Floats

    @classmethod
    def of(cls, comparisons: Comparisons) -> Record:
        """From pairs that stand in one row each."""
        wins, ties, losses = comparisons.outcomes
        return cls.of_pairs(comparisons.starts, comparisons.opponent, wins + 0.5 * ties, wins + ties + losses)

    @classmethod
    def of_pairs(cls, starts: Counts, opponent: Codes, scored: Floats, met: Floats) -> Record:
        """From lists of opponents with what each row's player scored against them."""
        from ludometer.kernels.skills.expected import mirror_pairs

        return cls(*mirror_pairs(starts, opponent, scored, met))

    @property
    def n_players(self) -> int:
        """All players, also those without a match."""
        return len(self.points)

    @cached_property
    def row(self) -> Codes:
        """The player in whose row each entry stands."""
        return np.repeat(np.arange(self.n_players, dtype=np.int32), np.diff(self.starts))

    @cached_property
    def matches(self) -> Floats:
        """Matches of each player, as sums of weights."""
        return np.bincount(self.row, self.met, self.n_players).astype(np.float64)


class Posterior:
    """The log posterior of the free players' ratings as a function to be maximised; the others' stay as they are."""

    def __init__(self, record: Record, prior: Prior, free: Mask) -> None:
        self.record, self.prior, self.free = record, prior, free
        self.diagonal = np.zeros(record.n_players)
        self.prior_bend = np.zeros(record.n_players)
        self.gradient = np.zeros(record.n_players)
        self._curvature = np.zeros(len(record.opponent))
        self._image = np.zeros(record.n_players)

    def start(self) -> Floats:
        """The log-odds of shares of points, drawn to the prior's mean by a few matches' worth."""
        record = self.record
        share = (record.points + 1) / (record.matches + 2)
        spread = (self.prior.sd / ELO) ** 2
        # as if those odds had been found with a variance of 4 over the matches
        trust = spread / (spread + 4 / (record.matches + 2))
        return np.asarray(trust * (np.log(share) - np.log1p(-share)))

    def evaluate(self, x: Floats) -> tuple[float, Floats]:
        """The log posterior and its gradient, 0 where players are not free."""
        from ludometer.kernels.skills.expected import evaluate_ratings

        record, gradient = self.record, np.empty_like(x)
        value = evaluate_ratings(
            record.starts,
            record.opponent,
            record.met,
            record.points,
            x,
            self.free,
            gradient,
            self._curvature,
            self.diagonal,
        )
        level, slope, bend = self.prior.derivatives(self.prior.mean + to_elo(x))
        gradient += np.where(self.free, slope * ELO, 0.0)
        # a multimodal prior has the wrong curvature in places; without those parts the steps still lead uphill
        self.prior_bend = np.where(self.free, np.maximum(bend * ELO**2, 0.0), 0.0)
        self.diagonal += self.prior_bend
        self.gradient = gradient
        return value + float(level[self.free].sum()), gradient

    def hold(self, pull: Floats) -> None:
        """Put this in the place of the prior's curvature, where it is not too weak to hold anything."""
        weakest = 0.05 * (ELO / self.prior.sd) ** 2
        held = np.where(self.free, np.maximum(pull, weakest), 0.0)
        self.diagonal += held - self.prior_bend
        self.prior_bend = held

    def multiply(self, x: Floats) -> Floats:
        """Minus the Hessian times x."""
        from ludometer.kernels.skills.expected import multiply_curvature

        record = self.record
        multiply_curvature(record.starts, record.opponent, self._curvature, self.diagonal, self.free, x, self._image)
        return self._image

    def longest_step(self, x: Floats, step: Floats) -> float:  # noqa: ARG002 - part of what is maximised
        """Any."""
        return math.inf

    def solve(self, right: Floats, *, tolerance: float) -> Floats:
        """The inverse of minus the Hessian times the right side."""
        return conjugate_gradients(self.multiply, right, self.diagonal, tolerance=tolerance)

    def perturbation(self, rng: np.random.Generator) -> Floats:
        """A random vector whose covariance is minus the Hessian: a push along each pair, and one by the prior."""
        n = self.record.n_players
        once, row, opponent = self._once
        push = np.sqrt(self._curvature[once]) * rng.standard_normal(len(row))
        right = (np.bincount(row, push, n) - np.bincount(opponent, push, n)).astype(np.float64)
        right += np.sqrt(self.prior_bend) * rng.standard_normal(n)
        return np.where(self.free, right, 0.0)

    @cached_property
    def _once(self) -> tuple[Counts, Codes, Codes]:
        """Each pair with a free player once: where it stands, and whose it is."""
        record = self.record
        free = self.free[record.row] & ((record.row < record.opponent) | ~self.free[record.opponent])
        place = np.flatnonzero(free)
        return place, record.row[place], record.opponent[place]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Ratings with their variances given all others, and how they were reached."""

    rating: Floats
    variance: Floats
    n_sweeps: int
    largest_move: float
    """Of the last sweep or step, in natural units."""
    converged: bool


def find_mode(posterior: Posterior, start: Floats) -> Maximum:
    """The most likely ratings; at the prior's lower end, if it has one, stay those who would be below it.

    This takes rounds: players who fall below are held there, and held players who would rise are released.
    """
    lowest = (posterior.prior.lowest - posterior.prior.mean) / ELO
    everyone, held = posterior.free, np.zeros_like(posterior.free)
    x, n_steps = start, 0
    while True:
        posterior.free = everyone & ~held
        maximum = maximise(posterior, np.where(held, lowest, x))
        x, n_steps = maximum.x, n_steps + maximum.n_steps
        posterior.free = everyone
        if lowest == -math.inf:
            return maximum
        posterior.evaluate(np.where(everyone, np.maximum(x, lowest), x))
        below = everyone & ((x < lowest) | (held & (posterior.gradient <= 0)))
        if (below == held).all() or n_steps > 1000:
            return Maximum(x, maximum.value, n_steps, maximum.converged and bool((below == held).all()), False)
        held = below


def find_means(
    posterior: Posterior,
    start: Floats,
    *,
    tolerance: float,
    procedure: Procedure = "newton",
    most_sweeps: int = 10_000,
) -> Estimate:
    """Ratings each of which is its mean given all others: what the paper's sweeps end at, when nothing moves.

    With a normal prior of variance s^2 one sweep brings any two sets of ratings closer, in the largest difference, by
    the factor 1 - v / s^2, v the smallest variance of a player given the others: so there is one end, but for busy
    players (v small) it takes thousands of sweeps. "newton" looks for it by R += H^-1 ((mean - R) / v), with H the
    curvature at R: the sweep's own derivative, divided by v, is about H - exactly so along what moves slowest, since
    the rows of both have the prior's curvature as their sums. "printed" is the sweep itself.
    """
    if procedure == "printed":
        return _sweep(posterior, start, tolerance, most_sweeps)
    rating, last, n = start.copy(), math.inf, 0
    for n in range(1, _MOST_CORRECTIONS + 1):
        given = measure_players(posterior, rating)
        if given.furthest > 2 * last:
            # the curvature was no guide: the sweep always brings ratings nearer
            return _sweep(posterior, given.mean, tolerance, most_sweeps)
        posterior.evaluate(rating)
        posterior.hold(given.pull)
        right = np.where(posterior.free, (given.mean - rating) / np.where(posterior.free, given.variance, 1.0), 0.0)
        step = posterior.solve(right, tolerance=1e-2)
        rating, last = rating + step, given.furthest
        move = max(given.furthest, float(np.abs(step).max(initial=0.0)))
        if move < tolerance:
            # the variances are those at most a tolerance before
            return Estimate(rating, given.variance, n, move, True)
    return _sweep(posterior, rating, tolerance, most_sweeps)


@dataclass(frozen=True, eq=False)
class GivenOthers:
    """Each player's mean and variance given the others' ratings, and how strongly the prior holds the mean."""

    mean: Floats
    variance: Floats
    pull: Floats
    furthest: float
    """The largest distance of a rating to its mean."""


def measure_players(posterior: Posterior, rating: Floats) -> GivenOthers:
    """One integral per player."""
    mean, variance, pull = np.empty((3, len(rating)))
    furthest = _pass(posterior, rating, mean, variance, pull, at_once=False)
    return GivenOthers(mean, variance, pull, furthest)


def find_variances(
    posterior: Posterior, rating: Floats, given: GivenOthers, *, n_draws: int | None, seed: int
) -> Floats:
    """Variances with the opponents' own errors in them: those given the others, times (H^-1)_ii H_ii.

    The factor is that of the normal approximation, H the curvature at the ratings. It is exact within it for up to 300
    players unless `n_draws` is given; else, as in `uncertainty`, 1 + H_ii times the variance, in draws x of N(0, H^-1),
    of what the others' errors add to x_i.
    """
    posterior.evaluate(rating)
    posterior.hold(given.pull)
    free = np.flatnonzero(posterior.free)
    inverse = np.where(posterior.free, 1 / np.where(posterior.free, posterior.diagonal, 1.0), 0.0)
    extra = np.zeros(len(rating))
    if n_draws is None and len(free) <= _EXACT:
        for i in free:
            right = np.zeros(len(rating))
            right[i] = 1.0
            extra[i] = posterior.solve(right, tolerance=1e-9)[i] - inverse[i]
    else:
        rng, n = np.random.default_rng(seed), 64 if n_draws is None else n_draws
        for _ in range(n):
            right = posterior.perturbation(rng)
            extra += (inverse * right - posterior.solve(right, tolerance=1e-3)) ** 2 / n
    return np.asarray(given.variance * (1 + extra * posterior.diagonal))


def _sweep(posterior: Posterior, start: Floats, tolerance: float, most_sweeps: int) -> Estimate:
    rating, (mean, variance, pull) = start.copy(), np.empty((3, len(start)))
    furthest, n = math.inf, 0
    while furthest >= tolerance and n < most_sweeps:
        furthest = _pass(posterior, rating, mean, variance, pull, at_once=True)
        n += 1
    return Estimate(rating, variance, n, furthest, furthest < tolerance)


def _pass(
    posterior: Posterior, rating: Floats, mean: Floats, variance: Floats, pull: Floats, *, at_once: bool
) -> float:
    from ludometer.kernels.skills.expected import sweep_ratings

    record = posterior.record
    return sweep_ratings(
        record.starts,
        record.opponent,
        record.met,
        record.points,
        rating,
        posterior.free,
        posterior.prior.table(),
        at_once,
        mean,
        variance,
        pull,
    )


_LEAST_SD, _LARGEST_SD = 5.0, 2000.0
_MOST_GUESSES = 30
_DRAWS_WHILE_FITTING = 4000
"""Players times draws, at least two: only the sum of their variances is wanted."""


@dataclass(frozen=True, eq=False)
class StaticRatings(Shown):
    """One rating per player for a whole record, with its SD given all other ratings.

    That SD ignores the uncertainty of the opponents: `marginal_sd` includes it.
    """

    players: Players
    rating: Floats
    """In Elo points, by code; fixed ratings as given, players without a match at the prior's mean."""
    sd: Floats
    """NaN for fixed ratings."""
    matches: Floats
    """Of each player, as sums of weights."""
    fixed: Mask
    prior: Prior
    estimate: Literal["expected", "most likely"]
    n_sweeps: int
    """Passes of integrals over all players; for the most likely ratings Newton's steps."""
    largest_move: float
    """Of the last one, in Elo points."""
    converged: bool
    provenance: Provenance

    @property
    def rated(self) -> Mask:
        """Whose rating was estimated from matches."""
        return ~self.fixed & (self.matches > 0)

    def to_frame(self) -> pl.DataFrame:
        """player, rating, sd, matches, fixed of players with a match: best first, equal ratings by name."""
        import polars as pl

        frame = pl.DataFrame(
            {
                "player": self.players.names,
                "rating": self.rating,
                "sd": self.sd,
                "matches": self.matches,
                "fixed": self.fixed,
            }
        )
        frame = frame.with_columns(pl.col("sd").fill_nan(None))
        return frame.filter(pl.col("matches") > 0).sort("rating", "player", descending=[True, False])

    def summary(self) -> str:
        """Number of players, spread and certainty of the ratings, and the first ten."""
        frame, rated = self.to_frame(), self.rated
        spread = f", SD {self.rating[rated].std(ddof=1):.1f}" if rated.sum() > 1 else ""
        held = f", {int(self.fixed.sum()):,} held fixed" if self.fixed.any() else ""
        lines = [f"{self.estimate} ratings of {int(rated.sum()):,} players{held}{spread}"]
        if rated.any():
            lines.append(f"median SD of a rating, given the others: {np.median(self.sd[rated]):.1f}")
        if not self.converged:
            lines.append(f"the ratings did not converge: the last move was {self.largest_move:.2g}")
        rows = frame.head(10).iter_rows(named=True)
        for n, row in enumerate(rows, 1):
            error = "   fixed" if row["sd"] is None else f" ± {row['sd']:5.1f}"
            lines.append(f"{n:4d}. {row['rating']:8.1f}{error}  {row['player']}")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """A histogram of the ratings under the prior's curve."""
        import altair as alt

        rating = self.rating[self.rated]
        count, edge = np.histogram(rating, bins="sturges")
        bars = [
            {"from": float(low), "to": float(high), "players": int(n)}
            for low, high, n in zip(edge[:-1], edge[1:], count, strict=True)
        ]
        x = np.linspace(self.prior.mean - 4 * self.prior.sd, self.prior.mean + 4 * self.prior.sd, 161)
        height = np.exp(self.prior.log_density(x)) * len(rating) * float(edge[1] - edge[0])
        curve = [{"x": float(at), "y": float(y)} for at, y in zip(x, height, strict=True)]
        histogram = alt.Chart(alt.InlineData(values=bars), width=270 if narrow else 480, height=240).mark_bar(color=INK)
        line = alt.Chart(alt.InlineData(values=curve)).mark_line(color=ACCENT)
        chart = histogram.encode(
            x=alt.X("from:Q", bin="binned", title="Rating (Elo points)", scale=alt.Scale(zero=False)),
            x2="to:Q",
            y=alt.Y("players:Q", title="Players, and the prior's curve"),
        ) + line.encode(x="x:Q", y="y:Q")
        return {"ratings": chart}


def expected_ratings(
    matches: Matches,
    *,
    prior: Prior,
    fixed: Sequence[float] | Array | None = None,
    weights: Sequence[float] | Array | None = None,
    procedure: Procedure = "newton",
    tolerance: float = 1e-6,
    most_sweeps: int = 10_000,
) -> StaticRatings:
    """Each player's rating is its expectation given all others' ratings (Smith 1994, eq. 49 and section 8.1).

    The density of one rating x is proportional to p(x) times the product of E(x - R_j) for each win and 1 - E for each
    loss, a draw being half of each; ratings are replaced by its mean, player after player, until nothing moves by
    more than the tolerance (Elo points). `fixed` holds established players: their ratings by code, NaN for the others.

    The paper takes the end of these sweeps for the expectation under the joint density. It is not quite that, since
    the others are held at one value and not averaged over: it lies mostly between the most likely ratings and the
    joint expectation, and the SDs are smaller than the joint ones. `procedure` "printed" sweeps as the paper does;
    "newton" reaches the same end in a few passes.

    >>> matches = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 0.5])
    >>> found = expected_ratings(matches, prior=NormalPrior(0, 200))
    >>> found.rating.round(1).tolist(), found.sd.round(1).tolist()
    ([129.3, -64.5, -64.5], [166.0, 163.0, 163.0])
    """
    posterior, held = _posterior(matches, prior, fixed, weights)
    if procedure not in ("newton", "printed"):
        raise LudometerError(f"no procedure is called {procedure!r}; there are: newton, printed")
    if not tolerance > 0:
        raise LudometerError(f"the tolerance must be a number above 0, not {tolerance}")
    start = find_mode(posterior, _start(posterior, held)).x
    found = find_means(posterior, start, tolerance=from_elo(tolerance), procedure=procedure, most_sweeps=most_sweeps)
    if not found.converged:
        warnings.warn("the sweeps ended before the ratings had settled", ConvergenceWarning, stacklevel=2)
    return _result(
        matches, posterior, found, "expected", {"procedure": procedure, "tolerance": tolerance}, fixed, weights
    )


def most_likely_ratings(
    matches: Matches,
    *,
    prior: Prior,
    fixed: Sequence[float] | Array | None = None,
    weights: Sequence[float] | Array | None = None,
) -> StaticRatings:
    """The ratings at which the posterior is highest (Smith 1994, eq. 48), by Newton's steps.

    With a normal prior it is a ridge of 1 / (2 sd^2) around the mean. The SDs are of one player given the others.

    >>> matches = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 0.5])
    >>> most_likely_ratings(matches, prior=NormalPrior(0, 200)).rating.round(1).tolist()
    [120.3, -60.2, -60.2]
    """
    posterior, held = _posterior(matches, prior, fixed, weights)
    maximum = find_mode(posterior, _start(posterior, held))
    if not maximum.converged:
        warnings.warn("Newton's steps ended before the ratings had settled", ConvergenceWarning, stacklevel=2)
    variance = measure_players(posterior, maximum.x).variance
    found = Estimate(maximum.x, variance, maximum.n_steps, 0.0, maximum.converged)
    return _result(matches, posterior, found, "most likely", {}, fixed, weights)


def marginal_sd(
    matches: Matches,
    ratings: StaticRatings,
    *,
    weights: Sequence[float] | Array | None = None,
    n_draws: int | None = None,
    seed: int = 0,
) -> Floats:
    """SDs with the opponents' own errors in them, by the normal approximation to the joint density at these ratings.

    Exact within it for up to 300 players unless `n_draws` is given, else from 64 draws; NaN for those held fixed.

    >>> matches = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 0.5])
    >>> found = expected_ratings(matches, prior=NormalPrior(0, 200))
    >>> marginal_sd(matches, found).round(1).tolist()
    [171.7, 170.2, 170.2]
    """
    if ratings.provenance.data != matches.fingerprint:
        raise LudometerError("errors need the matches that the ratings were made of")
    fixed = np.where(ratings.fixed, ratings.rating, np.nan) if ratings.fixed.any() else None
    posterior, _ = _posterior(matches, ratings.prior, fixed, weights)
    natural = from_elo(ratings.rating - ratings.prior.mean)
    given = measure_players(posterior, natural)
    variance = find_variances(posterior, natural, given, n_draws=n_draws, seed=seed)
    return np.where(posterior.free, to_elo(np.sqrt(variance)), np.nan)


def fit_normal_prior(
    matches: Matches,
    *,
    mean: float = 0.0,
    weights: Sequence[float] | Array | None = None,
    tolerance: float = 1e-3,
) -> NormalPrior:
    """The normal prior whose SD makes the results likeliest, by empirical Bayes: see `fit_sd`.

    It is low by a tenth or more where players have only a handful of matches each.

    >>> from ludometer.simulate import simulate_strengths
    >>> 180 < fit_normal_prior(simulate_strengths(300, 9000, sd=200, seed=1)).sd < 220
    True
    """
    record = Record.of(gather(matches, weights=weights))
    return NormalPrior(mean, fit_sd(record, 200.0, tolerance=tolerance)[0])


def fit_sd(
    record: Record, guess: float, *, tolerance: float, start: Floats | None = None, most_guesses: int = _MOST_GUESSES
) -> tuple[float, Floats]:
    """The SD of a normal prior, from a guess, and the expected ratings under the guess before it (natural units).

    MacKay's condition: the sum of R_i^2 over the number of ratings that the results determine, the sum of 1 - v_i /
    sd^2 with v_i the variance that is left, is sd^2. Steps are made longer by Aitken's rule, as they shrink evenly.
    """
    played = record.matches > 0
    n_draws = max(2, _DRAWS_WHILE_FITTING // max(int(played.sum()), 1))
    sd, before = guess, 0.0
    x = start
    for _ in range(most_guesses):
        posterior = Posterior(record, NormalPrior(0.0, sd), played)
        if x is None:
            x = find_mode(posterior, np.where(played, posterior.start(), 0.0)).x
        x = find_means(posterior, x, tolerance=from_elo(0.3)).rating
        given = measure_players(posterior, x)
        variance = find_variances(posterior, x, given, n_draws=n_draws, seed=0)[played]
        determined = float((1 - variance / from_elo(sd) ** 2).sum())
        shown = float((x[played] ** 2).sum())
        new = to_elo(math.sqrt(shown / determined)) if determined > 0 else _LEAST_SD
        step = math.log(min(max(new, _LEAST_SD), _LARGEST_SD) / sd)
        shrink = step / before if before else 0.0
        before = step
        if 0 < shrink < 0.9:
            step /= 1 - shrink
            before = 0.0
        sd = min(max(sd * math.exp(step), _LEAST_SD), _LARGEST_SD)
        if abs(step) < tolerance:
            break
    assert x is not None
    return sd, x


def _posterior(
    matches: Matches,
    prior: Prior,
    fixed: Sequence[float] | Array | None,
    weights: Sequence[float] | Array | None,
) -> tuple[Posterior, Floats]:
    """The posterior, and the fixed ratings in natural units with NaN for those to be estimated."""
    if not hasattr(prior, "log_density"):
        raise LudometerError(f"a prior is needed, such as NormalPrior(0, 200), not {prior!r}")
    n_players = len(matches.players)
    held = np.full(n_players, np.nan) if fixed is None else np.asarray(fixed, np.float64)
    if held.shape != (n_players,):
        raise LudometerError(f"{n_players} players but {held.size} fixed ratings: NaN stands for those to be estimated")
    if np.isinf(held).any():
        raise LudometerError("fixed ratings must be numbers, or NaN for players to be estimated")
    record = Record.of(gather(matches, weights=weights))
    return Posterior(record, prior, np.isnan(held)), from_elo(held - prior.mean)


def _start(posterior: Posterior, held: Floats) -> Floats:
    return np.where(posterior.free, posterior.start(), held)


def _result(
    matches: Matches,
    posterior: Posterior,
    found: Estimate,
    estimate: Literal["expected", "most likely"],
    parameters: dict[str, object],
    fixed: Sequence[float] | Array | None,
    weights: Sequence[float] | Array | None,
) -> StaticRatings:
    prior, free = posterior.prior, posterior.free
    held = {"fixed": int((~free).sum())} if not free.all() else {}
    weighted = {"weighted": True} if weights is not None else {}
    return StaticRatings(
        players=matches.players,
        rating=np.where(free, prior.mean + to_elo(found.rating), _given(fixed)),
        sd=np.where(free, to_elo(np.sqrt(found.variance)), np.nan),
        matches=posterior.record.matches,
        fixed=~free,
        prior=prior,
        estimate=estimate,
        n_sweeps=found.n_sweeps,
        largest_move=to_elo(found.largest_move),
        converged=found.converged,
        provenance=Provenance(
            f"{estimate} ratings", prior.parameters | parameters | held | weighted, matches.fingerprint
        ),
    )


def _given(fixed: Sequence[float] | Array | None) -> Floats:
    """Fixed ratings to the last bit, where there are any."""
    return np.array(np.nan) if fixed is None else np.asarray(fixed, np.float64)
