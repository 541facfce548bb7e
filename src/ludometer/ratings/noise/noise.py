"""Rating error with a constant update step, and the best step.

Steps are Smith's h: the winner of a game gains (h / 2) (S - E), so h is twice Elo's k. `measure_noise` has the limit of
small steps in closed form (Smith 1994, section 6.2, corrected), and steps of any size by carrying variances from game
to game: with skill s, error x = R - s and k = h / 2 one update is x += k (S - E), and if everything is normal,

    cov(s, x) += k (var(s) A - cov(s, R) B),  var(x) += 2 k (cov(s, x) A - cov(x, R) B) + k^2 E[(S - E)^2]

with A and B the mean slopes of wp over differences of skill and of rating. Errors then widen the differences, so more
results are missed. `ludometer.ratings.as_printed` has Smith's formulas as printed.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Floats, Halves
from ludometer.chart_style import ACCENT, GREY, INK
from ludometer.errors import ConvergenceWarning, LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.draws import draw_results, fit_draws
from ludometer.result import Provenance, Shown
from ludometer.scale import ELO, expected_score, from_elo, to_elo

if TYPE_CHECKING:
    import polars as pl

_ROUNDS = 200
_CLOSE = 1e-5
_STAGES = 50
"""Stages of a lifetime, short at first; within each the coefficients are constant."""

_LIFETIMES = 12
"""Exponential lifetimes are followed for so many means: a share of e^-12 lives longer."""


def settle_noise(*, sd: float, step: float) -> float:
    """The SD of the errors of players who stay for ever; natural units, like the SD of skills and the step k."""
    variance, shared = 0.5 * step, 0.0
    skill = sd * sd
    slope = mean_slope(2 * skill)
    for _ in range(_ROUNDS):
        change, miss = _coefficients(skill, 2 * (skill + 2 * shared + variance), 2 * (skill + shared))
        # where neither moment changes any more
        covariance = skill * (slope / change - 1)
        new = (0.5 * step * miss + covariance * slope) / change - covariance
        settled = abs(new - variance) + abs(covariance - shared) < _CLOSE * new
        variance, shared = new, covariance
        if settled:
            break
    return math.sqrt(variance)


def carry_noise(*, sd: float, step: float, games: float, entry_error: float, exponential: bool) -> float:
    """The root mean square error over all ages in a league whose players stay for a mean of so many games.

    Ratings at entry are expectations (no error is correlated with its rating), unless the error at entry exceeds the
    spread of skills: then they carry no information.
    """
    skill = sd * sd
    variance, covariance = entry_error**2, -min(entry_error**2, skill)
    stages = _make_stages(games, exponential)
    for _ in range(_ROUNDS):
        new, shared = _live(sd, step, entry_error, stages, variance, covariance)
        settled = abs(new - variance) + abs(shared - covariance) < _CLOSE * new
        variance, covariance = new, shared
        if settled:
            break
    return math.sqrt(variance)


def mean_slope(variance: float) -> float:
    """E[wp'] over normal differences of this variance, in natural units.

    >>> round(mean_slope(0.0), 6)
    0.25
    """
    node, weight = _normal(60)
    expected = 1 / (1 + np.exp(-math.sqrt(variance) * node))
    return float(weight @ (expected * (1 - expected)))


def _live(
    sd: float, step: float, entry_error: float, stages: Floats, others: float, others_shared: float
) -> tuple[float, float]:
    """The mean moments over a lifetime among opponents with these moments."""
    skill = sd * sd
    slope = mean_slope(2 * skill)
    variance, covariance = entry_error**2, -min(entry_error**2, skill)
    opponents = skill + 2 * others_shared + others
    total = np.zeros(2)
    for n_games, weight in stages:
        rating = skill + 2 * covariance + variance
        change, miss = _coefficients(skill, rating + opponents, 2 * skill + covariance + others_shared)
        end = skill * (slope / change - 1)
        covariance, mean_covariance = _approach(covariance, end, 1 - step * change, n_games)
        # its mean over the stage, while it changes
        limit = (0.5 * step * miss + mean_covariance * slope) / change - mean_covariance
        variance, mean_variance = _approach(variance, limit, 1 - 2 * step * change, n_games)
        total += weight * np.array([mean_variance, mean_covariance])
    return float(total[0]), float(total[1])


def _approach(start: float, end: float, factor: float, n_games: float) -> tuple[float, float]:
    """end + (start - end) factor^n after n games, and its mean over them."""
    left = factor ** int(n_games)
    mean = (1 - left) / (n_games * (1 - factor))
    return end + (start - end) * left, end + (start - end) * mean


def _make_stages(games: float, exponential: bool) -> Floats:
    """(stages, 2): games in each, and the share of all games that players of this age play."""
    last = math.ceil(_LIFETIMES * games if exponential else games)
    bounds = np.unique(np.geomspace(1, last, _STAGES).round())
    bounds = np.concatenate(([0.0], bounds))
    if exponential:
        alive = -np.expm1(bounds * math.log1p(-1 / games)) if games > 1 else np.minimum(bounds, 1.0)
    else:
        alive = np.minimum(bounds, games)
    weight = np.diff(alive)
    return np.column_stack((np.diff(bounds), weight / weight.sum()))


def _coefficients(skill: float, rated: float, shared: float) -> tuple[float, float]:
    """B and E[(S - E)^2], for rating differences of variance `rated` and covariance `shared` with skill differences."""
    node, weight = _normal(24)
    forecast = 1 / (1 + np.exp(-math.sqrt(max(rated, 0.0)) * node))
    along = shared / math.sqrt(rated) if rated > 0 else 0.0
    rest = math.sqrt(max(2 * skill - along**2, 0.0))
    truth = 1 / (1 + np.exp(-(along * node[:, np.newaxis] + rest * node)))
    squares = truth * (1 - truth) + (truth - forecast[:, np.newaxis]) ** 2
    return mean_slope(max(rated, 0.0)), float(weight @ squares @ weight)


@cache
def _normal(n: int) -> tuple[Floats, Floats]:
    """Gauss-Hermite nodes and weights of a standard normal."""
    node, weight = np.polynomial.hermite_e.hermegauss(n)
    return node, weight / weight.sum()


Lifetimes = Literal["fixed", "exponential"]

BOUND = 8 * ELO
"""2 / max wp': from this step on errors need not shrink; 1390 on Elo's scale (Smith 1994, eq. 79 and 80)."""

_ENOUGH = 200_000
"""Matches used for the SD of skills: more would add seconds, not precision."""

_SIMULATIONS = 8
_RIDGE = 0.1
"""A prior SD of 390 Elo points: a tighter one hides the spread of players who meet only their equals."""


@dataclass(frozen=True)
class Noise(Shown):
    """The root mean square error of ratings in a league; everything but `games` in Elo points.

    `fluctuation` and `total` hold for small steps, the two `refined` numbers for steps of any size.
    """

    sd: float
    games: float
    step: float
    entry_error: float
    lifetimes: Lifetimes
    fluctuation: float
    """Of players who have been in the league for long."""
    total: float
    """Of all players, newcomers included."""
    optimal_step: float
    """Where the total is least."""
    bound: float
    refined_fluctuation: float
    refined_total: float
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row with the settings and the noise."""
        import polars as pl

        return pl.DataFrame([{name: value for name, value in vars(self).items() if name != "provenance"}])

    def document(self) -> dict[str, Any]:
        """The JSON document; `refined` holds for large steps too."""
        return {
            "sigma": self.sd,
            "games": self.games,
            "h": self.step,
            "entry_error": self.entry_error,
            "lifetimes": self.lifetimes,
            "fluctuation": self.fluctuation,
            "total": self.total,
            "h_opt": self.optimal_step,
            "h_bound": self.bound,
            "refined": {"fluctuation": self.refined_fluctuation, "total": self.refined_total},
            "absent": self.provenance.absent(),
        }

    def summary(self) -> str:
        """The noise in a few lines."""
        return "\n".join(
            [
                f"Skills with SD {self.sd:.0f}, {self.games:g} games per lifetime ({self.lifetimes}), "
                f"error {self.entry_error:.0f} at entry, step h = {self.step:g}",
                f"noise {self.total:.1f}; fluctuation {self.fluctuation:.1f} once settled",
                f"exact for large steps: noise {self.refined_total:.1f}, fluctuation {self.refined_fluctuation:.1f}",
                f"best step {self.optimal_step:.0f}; errors shrink below {self.bound:.0f}",
            ]
        )

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The noise by step, with the given and the best step marked."""
        import altair as alt

        low, high = sorted((self.step, self.optimal_step))
        steps = np.geomspace(max(low / 8, 1e-3), min(8 * high, self.bound), 120)
        line = [{"step": float(h), "noise": self._total_at(float(h))} for h in steps]
        points = [
            {"step": h, "noise": self._total_at(h), "which": which}
            for h, which in ((self.step, "given"), (self.optimal_step, "best"))
        ]
        x = alt.X("step:Q", title="Step h", scale=alt.Scale(type="log"))
        y = alt.Y("noise:Q", title="Noise (Elo points)")
        curve = alt.Chart(alt.InlineData(values=line), width=270 if narrow else 460, height=260)
        curve = curve.properties(title="Noise of ratings by step")
        marks = alt.Chart(alt.InlineData(values=points)).mark_point(filled=True, size=70, opacity=1)
        colour = alt.Color("which:N", title=None, scale=alt.Scale(range=[ACCENT, INK]))
        return {"noise": curve.mark_line(color=GREY).encode(x=x, y=y) + marks.encode(x=x, y=y, color=colour)}

    def _total_at(self, step: float) -> float:
        return _total(step, self.sd, self.games, self.entry_error, self.lifetimes)


def measure_noise(
    *, sd: float, games: float, step: float, entry_error: float | None = None, lifetimes: Lifetimes = "fixed"
) -> Noise:
    """The noise in a league whose skills have this SD and whose players stay for a mean of so many games.

    noise^2 = e^2 phi + (1 - phi) h E[pq] / (4 E[wp']) with u = (h / 2) E[wp'] G and phi = (1 - exp(-2u)) / (2u), or
    1 / (1 + 2u) for exponential lifetimes; e is the error at entry, the SD itself for newcomers who enter at the mean.
    This is Smith 1994, section 6.2, corrected: an update has the variance (h / 2)^2 pq, where eq. 87 squares the
    probabilities. For the logistic curve pq / wp' is constant, and the fluctuation is the root of h / (4 Q).

    >>> noise = measure_noise(sd=324, games=35, step=64)
    >>> round(noise.fluctuation, 1), round(noise.optimal_step), round(noise.bound)
    (52.7, 308, 1390)
    """
    check_league(sd=sd, games=games, step=step)
    error = _check_entry(sd, entry_error)
    best = optimal_step(sd=sd, games=games, entry_error=entry_error, lifetimes=lifetimes)
    if step >= BOUND:
        raise LudometerError(f"with steps of {BOUND:.0f} or more errors need not shrink: {step:g} is too large")
    natural = {"sd": float(from_elo(sd)), "step": float(from_elo(step / 2))}
    carried = carry_noise(
        **natural, games=games, entry_error=float(from_elo(error)), exponential=lifetimes == "exponential"
    )
    return Noise(
        sd=float(sd),
        games=float(games),
        step=float(step),
        entry_error=error,
        lifetimes=lifetimes,
        fluctuation=math.sqrt(step * ELO) / 2,
        total=_total(step, sd, games, error, lifetimes),
        optimal_step=best,
        bound=BOUND,
        refined_fluctuation=float(to_elo(settle_noise(**natural))),
        refined_total=float(to_elo(carried)),
        provenance=Provenance(
            "noise", {"sd": sd, "games": games, "step": step, "entry_error": entry_error, "lifetimes": lifetimes}
        ),
    )


def optimal_step(*, sd: float, games: float, entry_error: float | None = None, lifetimes: Lifetimes = "fixed") -> float:
    """The step h at which the total of `measure_noise` is least, at most the bound.

    It has one minimum, below 4 Q e^2, where the fluctuation alone is as large as the error at entry. Large-step terms
    are left out: in `benchmarks/noise.py` the best step of a simulated league is up to a fifth larger, and the noise at
    this step within a hundredth of the least.

    >>> [round(optimal_step(sd=sd, games=games)) for sd, games in ((324, 200), (150, 100))]
    [129, 68]
    >>> round(optimal_step(sd=324, games=35, entry_error=100))
    79
    """
    from scipy.optimize import minimize_scalar

    check_league(sd=sd, games=games)
    if lifetimes not in ("fixed", "exponential"):
        raise LudometerError(f"lifetimes are fixed or exponential, not {lifetimes!r}")
    error = _check_entry(sd, entry_error)
    top = math.log(min(4 * error**2 / ELO, BOUND))
    found: Any = minimize_scalar(
        lambda log: _total(math.exp(log), sd, games, error, lifetimes),
        bounds=(top - 20, top),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return math.exp(float(found.x))


def estimate_noise(
    matches: Matches,
    *,
    step: float,
    entry_error: float | None = None,
    lifetimes: Lifetimes = "fixed",
    seed: int = 0,
) -> Noise:
    """The noise that a step gives in a league like this record, with its SD of skills and its mean games per player.

    The SD is the one at which simulated results of the same matches spread fitted skills as far as the real ones do, so
    that luck does not count as skill: in `benchmarks/noise.py` mostly within a tenth, too low by up to a fifth where
    players meet only their equals. The mean is over everybody who played. Players who are still active will have more
    games, so the best step is the one for careers as short as in the record.

    >>> from ludometer.matches import Matches
    >>> matches = Matches.of_pairs([0, 0, 1, 2] * 9, [1, 2, 2, 0] * 9, [1, 1, 1, 1] * 9)
    >>> estimate_noise(matches, step=32).games
    24.0
    """
    if not len(matches):
        raise MatchDataError("there are no matches")
    noise = measure_noise(
        sd=_estimate_sd(matches, seed),
        games=2 * len(matches) / int((matches.counts > 0).sum()),
        step=step,
        entry_error=entry_error,
        lifetimes=lifetimes,
    )
    parameters = {"step": step, "entry_error": entry_error, "lifetimes": lifetimes}
    return replace(noise, provenance=Provenance("noise of a record", parameters, matches.fingerprint, seed))


def _estimate_sd(matches: Matches, seed: int) -> float:
    """The SD of skills in Elo points by indirect inference, each player weighted by their matches.

    Simulated skills are the fitted ones and their errors, times a factor, so that players who meet their equals in the
    record still do. Of a long record the last matches are taken.
    """
    recent = matches.part(max(len(matches) - _ENOUGH, 0), len(matches))
    recent = recent.recode(recent.counts > 0)
    pairs, n = recent.pairs, len(recent.players)
    rng = np.random.default_rng(seed)

    def spread(skill: Floats) -> float:
        return math.sqrt(float(np.cov(skill, fweights=recent.counts)))

    fitted = _fit(recent, pairs.halves)
    expected = expected_score(to_elo(fitted[pairs.first] - fitted[pairs.second]))
    nu = fit_draws(expected, recent.draw_rate or 0.0)
    told = sum(np.bincount(codes, expected * (1 - expected), n) for codes in (pairs.first, pairs.second))
    skill = fitted + rng.standard_normal(n) / np.sqrt(told + 2 * _RIDGE)
    factors = [1.0]
    for _ in range(_SIMULATIONS):
        expected = expected_score(to_elo(factors[-1] * (skill[pairs.first] - skill[pairs.second])))
        again = _fit(recent, draw_results(expected, nu, rng))
        factors.append(factors[-1] * spread(fitted) / max(spread(again), 1e-9))
    # the first factors have not settled yet
    factor = float(np.mean(factors[-_SIMULATIONS // 2 :]))
    return float(to_elo(factor * spread(skill)))


def _fit(matches: Matches, halves: Halves) -> Floats:
    """Logistic skills; a draw is half a win and half a loss, which keeps expected scores on Elo's scale."""
    from ludometer.strength.pairwise import fit_skills

    pairs = matches.pairs
    first, second = (np.tile(codes, 2) for codes in (pairs.first, pairs.second))
    both = np.concatenate((2 * (halves > 0), 2 * (halves > 1))).astype(np.int8)
    doubled = Matches.of_pairs(first, second, both, players=matches.players, ordered=True)
    with warnings.catch_warnings():
        # in large records rounding may cut the last step short, which does not change the spread of skills
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit_skills(doubled, link="logit", ridge=_RIDGE, weights=np.full(len(both), 0.5)).skill


def _total(step: float, sd: float, games: float, error: float, lifetimes: Lifetimes) -> float:
    u = step / 2 * mean_slope(2 * float(from_elo(sd)) ** 2) / ELO * games
    phi = 1 / (1 + 2 * u) if lifetimes == "exponential" else -math.expm1(-2 * u) / (2 * u)
    return math.sqrt(error**2 * phi + (1 - phi) * step * ELO / 4)


def check_league(**numbers: float) -> None:
    """Refuse an SD, a number of games or a step that is not above 0."""
    names = {"sd": "the SD of skills", "games": "the games of a lifetime", "step": "the step"}
    for name, value in numbers.items():
        if not (math.isfinite(value) and value > 0):
            raise LudometerError(f"{names[name]} must be a number above 0, not {value:g}")
    if numbers.get("games", 1) < 1:
        raise LudometerError(f"the number of games in a lifetime must be at least 1, not {numbers['games']:g}")


def _check_entry(sd: float, entry_error: float | None) -> float:
    if entry_error is None:
        return float(sd)
    if not (math.isfinite(entry_error) and entry_error > 0):
        raise LudometerError(f"the error at entry must be a number above 0, not {entry_error:g}")
    return float(entry_error)
