"""Whether a second dimension of skill predicts better than one: a diagnostic, by cross-validation over matches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Codes, Floats, Mask
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.result import Provenance, Shown
from ludometer.strength.comparisons import Comparisons, gather
from ludometer.strength.newton import maximise
from ludometer.strength.pairwise import PenalisedLikelihood, check_ridge
from ludometer.strength.skills import Link, check_link

if TYPE_CHECKING:
    import polars as pl

RIDGES = (64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.03)
PLANE_RIDGES = (32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5)
"""The largest first, so that each fit starts at the one before; normal priors of variance 1 / (2 ridge)."""

_CLEAR = 2.0
"""A difference counts from so many standard errors on."""

_WORSE = 2
"""The search ends after so many ridges in a row that predict worse than the best."""

_MOST_STEPS = 200
_SMALL = 64


@dataclass(frozen=True, eq=False)
class Dimensions(Shown):
    """How well skills of one and of two dimensions predict matches left out of their fits, fold by fold."""

    one: Floats
    two: Floats
    """Minus the mean log probability of a fold's results, in nats; a tie is half a win and half a loss."""
    n_held: Floats
    """Matches in each fold."""
    ridge: Floats
    plane_ridge: Floats
    """Chosen for each fold within its training part; infinite where a second dimension did not help."""
    tried: Floats
    """What the best second dimension saved in that choice; NaN if no ridge allowed one."""
    difference: float
    """Mean over matches of the loss with one dimension minus that with two: above 0 if the second predicts better."""
    standard_error: float
    """Over matches, for these fits."""
    skill_part: float
    cyclic_part: float
    """Root mean squares over left-out matches of what each dimension adds to the difference of performances."""
    converged: bool
    provenance: Provenance

    @property
    def loss_one(self) -> float:
        """The loss per match with one dimension."""
        return float(self.n_held @ self.one / self.n_held.sum())

    @property
    def loss_two(self) -> float:
        """The loss per match with two."""
        return float(self.n_held @ self.two / self.n_held.sum())

    @property
    def z(self) -> float:
        """The difference in standard errors; 0 where no fold has a second dimension at all."""
        return self.difference / self.standard_error if self.standard_error else 0.0

    @property
    def verdict(self) -> str:
        """In words, with two standard errors for a difference."""
        if self.z >= _CLEAR:
            return "a second dimension predicts better"
        if self.z <= -_CLEAR:
            return "a second dimension predicts worse"
        return "a second dimension does not predict better"

    def to_frame(self) -> pl.DataFrame:
        """One row per fold."""
        import polars as pl

        return pl.DataFrame(
            {
                "fold": np.arange(1, len(self.one) + 1),
                "matches": self.n_held.astype(np.int64),
                "loss_one": self.one,
                "loss_two": self.two,
                "difference": self.one - self.two,
                "ridge": self.ridge,
                "plane_ridge": self.plane_ridge,
                "tried": self.tried,
            }
        )

    def summary(self) -> str:
        """The verdict and its figures."""
        unused = int(np.isinf(self.plane_ridge).sum())
        lines = [
            f"{self.verdict}: it saves {self.difference:+.5f} ± {self.standard_error:.5f} nats per match "
            f"({self.z:+.1f} standard errors)",
            f"log loss {self.loss_one:.5f} with one dimension, {self.loss_two:.5f} with two, "
            f"{self.n_held.sum():,.0f} matches in {len(self.one)} folds",
            f"in left-out matches skill moves the odds by {self.skill_part:.3f}, the second dimension by "
            f"{self.cyclic_part:.3f} (root mean squares, {self.provenance.parameters['link']} units)",
        ]
        if unused:
            best = self.tried[np.isinf(self.plane_ridge) & np.isfinite(self.tried)]
            text = f"in {unused} of {len(self.one)} folds it did not help even in the training part"
            lines.append(text + (f": the best one there saved {best.mean():+.5f}" if len(best) else ""))
        if not self.converged:
            lines.append("a fit did not converge")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """What the second dimension saves in each fold, and overall with two standard errors."""
        import altair as alt

        names = [f"fold {k + 1}" for k in range(len(self.one))]
        saved = (self.one - self.two).tolist()
        rows = [{"fold": name, "saved": value} for name, value in zip(names, saved, strict=True)]
        reach = _CLEAR * self.standard_error
        whole = [{"fold": "all", "low": self.difference - reach, "high": self.difference + reach}]
        y = alt.Y("fold:N", title=None, sort=[*names, "all"])
        x = alt.X("saved:Q", title="Log loss saved by a second dimension (nats per match)")
        dots = alt.Chart(alt.InlineData(values=rows), width=270 if narrow else 420, height=180).mark_point(
            filled=True, color=INK
        )
        bar = alt.Chart(alt.InlineData(values=whole)).mark_bar(size=6, color=ACCENT)
        zero = alt.Chart(alt.InlineData(values=[{"saved": 0.0}])).mark_rule(color="#888888", strokeDash=[3, 3])
        chart = dots.encode(x=x, y=y) + bar.encode(x="low:Q", x2="high:Q", y=y) + zero.encode(x="saved:Q")
        return {"dimensions": chart}


def compare_dimensions(
    matches: Matches, *, link: Link = "logit", ridge: float | None = None, folds: int = 5, seed: int = 0
) -> Dimensions:
    """Predict matches left out with s_i - s_j, and with s_i - s_j + u_i v_j - u_j v_i: which log loss is smaller?

    The second form lets A beat B, B beat C and C beat A (Chen and Joachims 2016; Balduzzi et al. 2018). u and v are
    centred, weighted by matches played, so that they hold only what skills cannot; else they would lend the skills what
    a ridge took. Ties are half a win and half a loss, seats are equal. Both fits have ridges: that of the skills,
    unless it is given, and then that of u and v predict best a part (one in `folds`) of the training matches that was
    set aside among them, so that no left-out match has a say. The likelihood is not concave in u and v: the fit is the
    maximum that is reached from the leading plane of the residuals, or no plane where that one is below the ridge.

    >>> rng = np.random.default_rng(0)
    >>> first, second = rng.integers(0, 30, 2000), rng.integers(0, 30, 2000)
    >>> real = first != second
    >>> kind = (first - second)[real] % 3
    >>> circle = Matches.of_pairs(first[real], second[real], np.where(kind == 1, 1, np.where(kind == 2, 0, 0.5)))
    >>> compare_dimensions(circle).verdict
    'a second dimension predicts better'
    """
    check_link(link)
    if not 2 <= folds <= len(matches) // 4:
        raise LudometerError(f"the folds must be from 2 to a quarter of the {len(matches)} matches, not {folds}")
    if ridge is not None and check_ridge(ridge) == 0:
        raise LudometerError("the ridge must be above 0: without one, folds in which some only win have no finite fit")
    if np.count_nonzero(matches.counts) < 3:
        raise MatchDataError("a second dimension needs at least three players")
    rng = np.random.default_rng(seed)
    fold = rng.permutation(len(matches)) % folds
    results = [_judge_fold(matches, fold == k, folds, link, ridge, rng) for k in range(folds)]
    saved = np.concatenate([result.one - result.two for result in results])
    parts = np.concatenate([result.parts for result in results], axis=1)
    parameters = {"link": link, "ridge": ridge, "folds": folds}
    return Dimensions(
        one=np.array([result.one.mean() for result in results]),
        two=np.array([result.two.mean() for result in results]),
        n_held=np.array([float(len(result.one)) for result in results]),
        ridge=np.array([result.ridge for result in results]),
        plane_ridge=np.array([result.plane_ridge for result in results]),
        tried=np.array([result.tried for result in results]),
        difference=float(saved.mean()),
        standard_error=float(saved.std(ddof=1)) / math.sqrt(len(saved)),
        skill_part=float(np.sqrt(np.mean(parts[0] ** 2))),
        cyclic_part=float(np.sqrt(np.mean(parts[1] ** 2))),
        converged=all(result.converged for result in results),
        provenance=Provenance("dimensions of skill", parameters, matches.fingerprint, seed),
    )


@dataclass(frozen=True, eq=False)
class _Fold:
    """A fold's losses, one per match, the parts (2, matches) of the two dimensions, and what was chosen for it."""

    one: Floats
    two: Floats
    parts: Floats
    ridge: float
    plane_ridge: float
    tried: float
    converged: bool


def _judge_fold(
    matches: Matches, held: Mask, folds: int, link: Link, ridge: float | None, rng: np.random.Generator
) -> _Fold:
    training = matches.take(~held)
    aside = rng.permutation(len(training)) % folds == 0
    inner, test = training.take(~aside), training.take(aside)
    chosen, plane_ridge, tried = _choose_ridges(inner, test, link, ridge, rng)
    fit = _Fit(training, link, rng)
    flat = fit.fit_line(chosen)
    bent = fit.fit_plane(flat, chosen, plane_ridge) if math.isfinite(plane_ridge) else flat
    left_out = matches.take(held)
    parts = np.stack(_parts(left_out, bent))
    one, two = _losses(left_out, flat, link), _losses(left_out, bent, link)
    return _Fold(one, two, parts, chosen, plane_ridge, tried, fit.converged)


def _choose_ridges(
    inner: Matches, test: Matches, link: Link, ridge: float | None, rng: np.random.Generator
) -> tuple[float, float, float]:
    """The ridge of the skills that predicts the test matches best, given it that of the plane, and what this saves."""
    fit = _Fit(inner, link, rng)
    x, lines = None, []
    for value in RIDGES if ridge is None else (ridge,):
        x = fit.fit_line(value, x)
        lines.append((float(_losses(test, x, link).mean()), value, x))
        if _is_past_its_best([loss for loss, _, _ in lines]):
            break
    least, chosen, flat = min(lines, key=lambda line: line[0])
    start, planes = flat, []
    for value in PLANE_RIDGES:
        start = fit.fit_plane(flat, chosen, value, start)
        if start[1:].any():
            planes.append((float(_losses(test, start, link).mean()), value))
        if _is_past_its_best([least, *(loss for loss, _ in planes)]):
            break
    loss, plane_ridge = min(planes, default=(math.nan, math.inf))
    return chosen, plane_ridge if loss < least else math.inf, least - loss


def _is_past_its_best(losses: list[float]) -> bool:
    return len(losses) - 1 - int(np.argmin(losses)) >= _WORSE


class _Fit:
    """The fits of one set of matches; x is (3, players): skills, u and v, 0 for those who did not play."""

    def __init__(self, matches: Matches, link: Link, rng: np.random.Generator) -> None:
        gathered = gather(matches)
        wins, ties, losses = gathered.outcomes
        self.won, self.lost = wins + ties / 2, losses + ties / 2
        # in half points: the kernel of skills alone takes one result of a pair for a win or a loss, never for halves
        halves = np.stack((2 * self.won, np.zeros(len(ties)), 2 * self.lost))
        self.pairs = Comparisons(gathered.starts, gathered.opponent, halves)
        self.link, self.n, self.converged = link, len(matches.players), True
        self.counts = matches.counts.astype(np.float64)
        self.weight = self.counts / math.sqrt(float(self.counts @ self.counts))
        self.begin = rng.standard_normal(self.n)
        self.gradient, self.slope = np.zeros((3, self.n)), np.zeros(len(gathered))
        self.leading: tuple[Floats, Floats, float, Floats] | None = None

    def fit_line(self, ridge: float, start: Floats | None = None) -> Floats:
        """Skills alone."""
        function = PenalisedLikelihood(self.pairs, self.link, 2 * ridge)
        begin = function.start() if start is None else np.concatenate((start[0], [0.0, 0.0]))
        maximum = maximise(function, begin)
        self.converged &= maximum.converged
        return np.stack((maximum.x[: self.n], np.zeros(self.n), np.zeros(self.n)))

    def fit_plane(self, flat: Floats, ridge: float, plane_ridge: float, start: Floats | None = None) -> Floats:
        """Skills, u and v by L-BFGS; the skills alone where they are a maximum, the residuals being below the ridge."""
        from scipy.optimize import minimize

        x = flat if start is None else start
        if not x[1:].any():
            u, strength, v = self._leading_plane(flat)
            if strength <= 2 * plane_ridge:
                return flat
            size = 0.5 / max(float(np.abs(u).max()), float(np.abs(v).max()))
            x = np.stack((flat[0], size * u, size * v))
        # in these units all players' curvatures are alike, however many matches they have
        penalty = np.array([[ridge], [plane_ridge], [plane_ridge]])
        scale = 1 / np.sqrt(2 * penalty + 0.25 * self.counts * np.array([[1.0], [0.1], [0.1]]))

        def evaluate(z: Floats) -> tuple[float, Floats]:
            x = self._centred(z.reshape(3, -1) * scale)
            value = self._likelihood(x) - float((penalty * x**2).sum())
            return -value, -(self._centred(self.gradient - 2 * penalty * x) * scale).ravel()

        options: dict[str, Any] = {"maxiter": _MOST_STEPS, "ftol": 1e-7, "gtol": 1e-3, "maxcor": 12}
        begin: Any = (x / scale).ravel()
        found: Any = minimize(evaluate, begin, jac=True, method="L-BFGS-B", options=options)  # type: ignore[call-overload]
        self.converged &= bool(found.success)
        return self._centred(found.x.reshape(3, -1) * scale)

    def _likelihood(self, x: Floats) -> float:
        from ludometer.kernels.skills.paired import evaluate_cycles

        pairs, probit = self.pairs, self.link == "probit"
        return evaluate_cycles(pairs.starts, pairs.opponent, self.won, self.lost, x, probit, self.gradient, self.slope)

    def _centred(self, x: Floats) -> Floats:
        """u and v with the mean 0 over matches."""
        x = x.copy()
        x[1:] -= np.outer(x[1:] @ self.weight, self.weight)
        return x

    def _leading_plane(self, flat: Floats) -> tuple[Floats, float, Floats]:
        """Unit vectors u and v at which u'Gv is largest, and that value: G are the residuals of the skills alone.

        It is the slope of the likelihood in the size of the plane squared, so that a ridge of half of it allows none.
        """
        if self.leading is None or self.leading[0] is not flat:
            from scipy.sparse import csr_array

            self._likelihood(flat)
            half = csr_array((self.slope, self.pairs.opponent, self.pairs.starts), shape=(self.n, self.n))
            self.leading = (flat, *_largest_plane((half - half.T).tocsr(), self.weight, self.begin))
        return self.leading[1:]


def _largest_plane(residual: Any, weight: Floats, begin: Floats) -> tuple[Floats, float, Floats]:
    """The leading singular vectors of an antisymmetric matrix among those that are centred, and their value."""
    from scipy.sparse.linalg import LinearOperator, svds

    def multiply(x: Floats) -> Floats:
        x = np.ravel(x)
        y = residual @ (x - weight * (weight @ x))
        return np.asarray(y - weight * (weight @ y))

    n = len(weight)
    if n <= _SMALL:
        u = np.linalg.svd(np.column_stack([multiply(column) for column in np.eye(n)]))[0][:, 0]
    else:
        operator = LinearOperator((n, n), matvec=multiply, rmatvec=lambda x: -multiply(x), dtype=np.float64)
        u = svds(operator, k=1, v0=begin, tol=1e-3)[0][:, 0]
    v = -multiply(u)
    size = float(np.linalg.norm(v))
    return u, size, v / max(size, 1e-300)


def _parts(matches: Matches, x: Floats) -> tuple[Floats, Floats]:
    pairs = matches.pairs
    i: Codes = pairs.first
    j: Codes = pairs.second
    s, u, v = x
    return s[i] - s[j], u[i] * v[j] - u[j] * v[i]


def _losses(matches: Matches, x: Floats, link: Link) -> Floats:
    """Minus the log probability of each result."""
    from scipy.special import log_ndtr

    line, plane = _parts(matches, x)
    d, score = line + plane, matches.pairs.score
    if link == "probit":
        z = d * math.sqrt(0.5)
        return np.asarray(-(score * log_ndtr(z) + (1 - score) * log_ndtr(-z)))
    return np.asarray(np.logaddexp(0, d) - score * d)
