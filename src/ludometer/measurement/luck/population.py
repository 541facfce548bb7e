"""Luck by the spread of skills in the population: l^2 = 1 / (1 + sigma^2), with its uncertainty, by Gibbs sampling."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import ConvergenceWarning, LudometerError, MatchDataError
from ludometer.matches import Matches, Pairs
from ludometer.measurement.as_printed import PRINTED_PRIOR
from ludometer.measurement.luck.diagnostics import smooth_weights
from ludometer.parallel import Workers
from ludometer.players import Players
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

    from ludometer.kernels.gibbs.multiplayer import Finishes
    from ludometer.kernels.gibbs.pairs import Record
    from ludometer.measurement.luck.sampler import Sample, Sampler

_OTHER_PRIORS = (PRINTED_PRIOR, "uniform:10")
_OTHER_ESS = 100
"""How many effective draws tell well enough what another prior would say."""

_HIGHEST_K = 0.7
"""Of the Pareto shape of importance weights, beyond which they are not to be trusted (Vehtari et al. 2024)."""

_FURTHEST = 1e4
"""The largest sigma of a prior without end: the printed sampler, none of its own model, can run off to infinity."""

Interval = tuple[float, float]


class SigmaPrior(NamedTuple):
    """The prior of sigma: proportional to sigma^-power exp(-rate / sigma^2) up to `top`."""

    name: str
    power: float
    rate: float
    top: float

    def log_density(self, sigma: Floats) -> Floats:
        """Up to a constant."""
        inside = -self.power * np.log(sigma) - self.rate / sigma**2
        return np.where(sigma <= self.top, inside, -np.inf)


def make_prior(text: str) -> SigmaPrior:
    """`uniform:10`, flat on sigma from 0 to 10, or `invgamma:2,1` on sigma^2, as Gilbert and Wells have it.

    >>> make_prior("invgamma:2,1")
    SigmaPrior(name='invgamma:2,1', power=5.0, rate=1.0, top=10000.0)
    """
    kind, _, numbers = text.partition(":")
    try:
        values = [float(number) for number in numbers.split(",")]
    except ValueError:
        values = []
    if all(np.isfinite(value) and value > 0 for value in values):
        if kind == "uniform" and len(values) == 1:
            return SigmaPrior(text, 0.0, 0.0, values[0])
        if kind == "invgamma" and len(values) == 2:
            return SigmaPrior(text, 2 * values[0] + 1, values[1], _FURTHEST)
    raise LudometerError(f"write a prior of the spread such as uniform:10 or invgamma:2,1, not {text!r}")


@dataclass(frozen=True)
class OtherPrior:
    """l^2 under another prior: by weighting the draws or, where that is not safe, by drawing again."""

    prior: str
    l2: float
    l2_sd: float
    how: Literal["weighted", "drawn"]


class Posterior(NamedTuple):
    """A quantity as its draws have it."""

    mean: float
    sd: float
    interval: Interval
    """The central 95%."""


@dataclass(frozen=True, eq=False)
class PopulationLuck:
    """The posterior of l^2 = 1 / (1 + sigma^2), the share of luck in one match, and of what it is made of.

    Skills are in SDs of performance: a player wins with probability Phi((s_1 - s_2) / sqrt 2) if there are no ties, and
    in multiplayer matches each is ahead of each other with that probability.
    """

    sample: Sample
    """The draws of all chains."""
    sampler: str
    """As asked for, or "multiplayer" where a match has more than two players."""
    prior: str
    other_prior: OtherPrior | None
    players: Players
    skill: Floats
    skill_sd: Floats
    """By code; who never played has the population's mean and SD."""
    n_matches: int
    n_ties: int
    """Those that inform t: 0 in multiplayer records."""
    provenance: Provenance

    @property
    def l2_draws(self) -> Floats:
        """(chains, draws)."""
        return np.asarray(1 / (1 + self.sample.sigma**2))

    def posterior(self, quantity: Literal["l2", "sigma", "t"]) -> Posterior:
        """Mean, SD and central 95% of the draws."""
        draws = self.l2_draws if quantity == "l2" else getattr(self.sample, quantity)
        low, high = np.quantile(draws, [0.025, 0.975])
        return Posterior(float(draws.mean()), float(draws.std()), (float(low), float(high)))

    @property
    def l2(self) -> float:
        """The mean of the draws."""
        return self.posterior("l2").mean

    @property
    def l2_sd(self) -> float:
        """The SD of the draws."""
        return self.posterior("l2").sd

    @property
    def l2_interval(self) -> Interval:
        """The central 95% of the draws."""
        return self.posterior("l2").interval

    @property
    def sigma(self) -> float:
        """The mean SD of the skills."""
        return self.posterior("sigma").mean

    @property
    def t(self) -> float:
        """The mean threshold of ties."""
        return self.posterior("t").mean

    @property
    def rhat(self) -> float:
        """The worse of sigma and t, by ranks."""
        return max(self.sample.rhat)

    @property
    def ess(self) -> float:
        """Effective draws in the bulk or at the ends of the interval: the worse of sigma and t."""
        return min(self.sample.ess)

    @property
    def converged(self) -> bool:
        """Whether the draws are enough."""
        return self.sample.converged

    def to_frame(self) -> pl.DataFrame:
        """quantity, mean, sd, low, high: for l2, sigma and t."""
        import polars as pl

        names: tuple[Literal["l2", "sigma", "t"], ...] = ("l2", "sigma", "t")
        found = {name: self.posterior(name) for name in names}
        rows = [(name, one.mean, one.sd, *one.interval) for name, one in found.items()]
        return pl.DataFrame(rows, schema=["quantity", "mean", "sd", "low", "high"], orient="row")

    def skills_frame(self) -> pl.DataFrame:
        """player, skill, sd: best first, equal ones by name."""
        import polars as pl

        columns = {"player": self.players.names, "skill": self.skill, "sd": self.skill_sd}
        return pl.DataFrame(columns).sort("skill", "player", descending=[True, False])

    def summary(self) -> str:
        """The share of luck, how certain it is, and what the prior has to do with it."""
        (low, high), sigma, t = self.l2_interval, self.posterior("sigma"), self.posterior("t")
        lines = [
            f"l2 {self.l2:.3f} ± {self.l2_sd:.3f} (95%: {low:.3f} to {high:.3f}): the share of luck in one match",
            f"SD of skill {sigma.mean:.3f} ± {sigma.sd:.3f} SDs of performance, prior {self.prior}",
        ]
        if self.n_ties:
            lines.append(f"tie threshold {t.mean:.4g} ± {t.sd:.2g}, {self.n_ties:,} of {self.n_matches:,} tied")
        if self.other_prior is not None:
            other = self.other_prior
            lines.append(f"prior {other.prior}: l2 {other.l2:.3f} ± {other.l2_sd:.3f}, by draws that were {other.how}")
        sample = self.sample
        lines.append(
            f"{self.sampler} sampler: {len(sample.sigma)} chains of {sample.sweeps:,} sweeps, without the first "
            f"{sample.warm_up:,}; "
            f"R-hat {self.rhat:.3f}, effective draws {self.ess:,.0f}" + ("" if self.converged else ": not enough")
        )
        return "\n".join(lines)

    def plot(self) -> altair.LayerChart:
        """The posterior of l^2, with its mean."""
        import altair as alt

        counts, edges = np.histogram(self.l2_draws, bins=40, density=True)
        bars = [
            {"from": low, "to": high, "density": height}
            for low, high, height in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
        ]
        marks = [{"l2": self.l2, "label": f"{self.l2:.3f}"}]
        x = alt.X("from:Q", bin="binned", title="Share of luck in one match (ℓ²)", scale=alt.Scale(zero=False))
        line = alt.Chart(alt.InlineData(values=marks))
        chart: alt.LayerChart = (
            alt.Chart(alt.InlineData(values=bars), width=420, height=220)
            .mark_bar(color=INK, opacity=0.7, stroke="white", strokeWidth=0.5)
            .encode(x=x, x2="to:Q", y=alt.Y("density:Q", title="Posterior density"))
            + line.mark_rule(color=ACCENT, strokeWidth=2).encode(x="l2:Q")
            + line.mark_text(color=ACCENT, align="left", dx=4, baseline="top", y=0).encode(x="l2:Q", text="label:N")
        )
        return chart


@dataclass(frozen=True)
class PopulationEstimate:
    """A quick point estimate without uncertainty, by stochastic EM: means over the second half of its path."""

    l2: float
    sigma: float
    t: float
    trend: float
    """How much l^2 still moved between the third and the last quarter of the path."""
    sweeps: int


def measure_population(
    matches: Matches,
    *,
    prior: str = "uniform:10",
    sampler: Sampler = "corrected",
    tie_sd: float = 5.0,
    chains: int = 4,
    ess: float = 400,
    budget: int = 20_000,
    compare_prior: bool = True,
    seed: int = 0,
    workers: Workers | None = None,
) -> PopulationLuck:
    """Draw from the posterior of sigma, t and all skills (Gilbert and Wells, section 3.2.2, Method 2).

    s_a ~ N(0, sigma^2), y | s ~ N(s_1 - s_2, 2), a win if y > t, a tie if |y| <= t. The prior of sigma is flat up to 10
    unless `invgamma:2,1`, the printed one for sigma^2, is asked for; t is half normal with the scale `tie_sd`, and 0
    where no match was tied. "corrected" is the sampler of this model; "printed" has the paper's conditional of s, which
    is wrong, and its t = sqrt(2 (1 + sigma^2)) Phi^-1((1 + p) / 2) with p ~ Beta(2 + ties, 5 + others), which takes
    ties for independent and opponents for drawn at random; "printed-ties" has the right conditional with that t. Chains
    go on until R-hat <= 1.01 and the effective draws are `ess`, or each has made `budget` sweeps.

    If any match has more than two players, seats finish in the order of s + N(0, 1) (Thurstone's case V), which for two
    is the same model with t = 0, so that l^2 means the same. Seats of equal places are then in an order that was not
    recorded, matches that all tied say nothing, and there is one sampler, "multiplayer".

    >>> from ludometer.simulate import simulate_strengths
    >>> luck = measure_population(simulate_strengths(40, 3000, sd=150, draws=0.2, seed=1), compare_prior=False)
    >>> luck.converged, 0.5 < luck.l2 < 0.95
    (True, True)
    """
    from ludometer.measurement.luck.sampler import make_model, sample_population

    chosen = make_prior(prior)
    record, played, n_ties = _prepare(matches)
    tie_sd = tie_sd if n_ties else 0.0
    options: dict[str, Any] = {"chains": chains, "budget": budget, "workers": workers}
    model = make_model(chosen, sampler=sampler, tie_sd=tie_sd)
    name = sampler if matches.sizes.max() == 2 else "multiplayer"
    if sampler not in (name, "corrected"):
        raise LudometerError(f"the sampler {sampler!r} is for two-player matches")
    seeds = np.random.SeedSequence(seed).spawn(2)
    sample = sample_population(record, model, ess=ess, seed=seeds[0], **options)
    if not sample.converged:
        warnings.warn(
            f"{sample.sweeps:,} sweeps were not enough: R-hat {max(sample.rhat):.3f}, effective draws "
            f"{min(sample.ess):,.0f}; give a larger budget",
            ConvergenceWarning,
            stacklevel=2,
        )
    other = None
    if compare_prior:
        second = next(make_prior(name) for name in _OTHER_PRIORS if name != prior)
        other = _weigh(sample, chosen, second) if sampler == "corrected" else None
        if other is None:
            model = make_model(second, sampler=sampler, tie_sd=tie_sd)
            again = sample_population(record, model, ess=_OTHER_ESS, seed=seeds[1], **options)
            l2 = 1 / (1 + again.sigma**2)
            other = OtherPrior(second.name, float(l2.mean()), float(l2.std()), "drawn")
    parameters = {"prior": prior, "sampler": name, "tie_sd": tie_sd, "chains": chains, "ess": ess, "budget": budget}
    skill, skill_sd = np.zeros(len(played)), np.full(len(played), np.sqrt(np.mean(sample.sigma**2)))
    skill[played], skill_sd[played] = sample.skill, sample.skill_sd
    return PopulationLuck(
        sample=sample,
        sampler=name,
        prior=prior,
        other_prior=other,
        players=matches.players,
        skill=skill,
        skill_sd=skill_sd,
        n_matches=len(matches),
        n_ties=n_ties,
        provenance=Provenance("population luck", parameters, matches.fingerprint, seed),
    )


def estimate_population(matches: Matches, *, sweeps: int = 400, seed: int = 0) -> PopulationEstimate:
    """sigma and t by stochastic EM: skills are drawn given both, then both are most likely given the skills.

    Diebolt and Ip 1996, as Gilbert and Wells suggest in section 3.2.2. Multiplayer matches are as in
    `measure_population`.

    >>> from ludometer.simulate import simulate_strengths
    >>> 0.5 < estimate_population(simulate_strengths(40, 3000, sd=150, seed=1)).l2 < 0.95
    True
    """
    from ludometer.measurement.luck.sampler import maximise

    record, _, n_ties = _prepare(matches)
    path = maximise(record, has_ties=n_ties > 0, sweeps=sweeps, seed=seed)
    third, last = np.array_split(path[len(path) // 2 :], 2)
    sigma, t = np.sqrt(np.mean(path[len(path) // 2 :, 0] ** 2)), np.mean(path[len(path) // 2 :, 1])
    trend = [1 / (1 + np.mean(part[:, 0] ** 2)) for part in (third, last)]
    return PopulationEstimate(float(1 / (1 + sigma**2)), float(sigma), float(t), float(trend[1] - trend[0]), sweeps)


def _prepare(matches: Matches) -> tuple[Record | Finishes, Mask, int]:
    """Results in rows, or orders, of those who played; who did, and the number of ties that inform t."""
    from ludometer.measurement.luck.sampler import tally_orders, tally_results
    from ludometer.strength.ranked import Orders

    if not len(matches):
        raise MatchDataError("there are no matches")
    played = matches.counts > 0
    of_played, n_players = matches if played.all() else matches.recode(played), int(played.sum())
    if matches.sizes.max() > 2:
        return tally_orders(Orders.of(of_played), n_players), played, 0
    pairs = of_played.table
    if not isinstance(pairs, Pairs):
        # seats of two, because they have prizes
        first, second, places = pairs.player[::2], pairs.player[1::2], pairs.place
        pairs = Pairs(first, second, (1 + np.sign(places[1::2] - places[::2])).astype(np.int8))
    return tally_results(pairs.first, pairs.second, pairs.halves, n_players), played, matches.n_draws


def _weigh(sample: Sample, prior: SigmaPrior, other: SigmaPrior) -> OtherPrior | None:
    """The draws weighted by the ratio of the priors; None where a few draws would carry all the weight."""
    sigma = sample.sigma
    log_ratio = other.log_density(sigma) - prior.log_density(sigma)
    if not np.isfinite(log_ratio).all():
        return None
    relative = min(sample.ess) / sigma.size
    weight, shape = smooth_weights(log_ratio.ravel(), relative)
    if not (shape < _HIGHEST_K and relative / np.sum(weight**2) >= _OTHER_ESS):
        return None
    l2 = 1 / (1 + sigma.ravel() ** 2)
    mean = float(np.sum(weight * l2))
    return OtherPrior(other.name, mean, float(np.sqrt(np.sum(weight * (l2 - mean) ** 2))), "weighted")
