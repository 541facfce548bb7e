"""Luck by the spread of skills in the population: l^2 = 1 / (1 + sigma^2), with its uncertainty.

The posterior comes from slopes of the log evidence where they are exact enough, else from a Gibbs sampler.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import ConvergenceWarning, LudometerError, MatchDataError, NoFiniteFit
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
    from ludometer.measurement.luck.evidence import Evidence, Game
    from ludometer.measurement.luck.sampler import Sample, Sampler

Method = Literal["auto", "evidence", "sampler"]
METHODS: tuple[Method, ...] = ("auto", "evidence", "sampler")
"""auto is evidence up to an error bound, else the sampler."""

LARGEST_BOUND = 0.15
"""Of the error of l2's mean, in posterior SDs, up to which no draws are wanted: the ends of an interval from 400
effective draws have about this standard error."""

_OTHER_PRIORS = (PRINTED_PRIOR, "uniform:10")
_OTHER_ESS = 100
"""How many effective draws tell well enough what another prior would say."""

_HIGHEST_K = 0.7
"""Of the Pareto shape of importance weights, beyond which they are not to be trusted (Vehtari et al. 2024)."""

_FURTHEST = 1e4
"""The largest sigma of a prior without end: the printed sampler, none of its own model, can run off to infinity."""

_MANY_SEATS, _SEATS_EACH = 20_000, 15
"""In multiplayer matches, all in all and for each player: with fewer the sampler of sigma itself is as good."""

_NORMAL_95 = 1.959963984540054

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
    """l^2 under another prior: by weighting the draws or, where that is not safe, by drawing again; or by evidence."""

    prior: str
    l2: float
    l2_sd: float
    how: Literal["weighted", "drawn", "integrated"]


class Posterior(NamedTuple):
    """A quantity: its mean, SD and interval."""

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

    draws: Sample | None
    """Of all chains, if the sampler was used."""
    evidence: Evidence | None
    """The posterior of sigma on a grid, if it was not."""
    sampler: str
    """As asked for, "multiplayer" where a match has more than two players, or "none"."""
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
    def method(self) -> Literal["evidence", "sampler"]:
        """What the posterior comes from."""
        return "evidence" if self.draws is None else "sampler"

    @property
    def sample(self) -> Sample:
        """The draws; an error if there are none."""
        if self.draws is None:
            raise LudometerError('there are no draws: ask for them with method="sampler"')
        return self.draws

    @property
    def bound(self) -> float | None:
        """How far the mean of l2 may be from that of endless draws, in posterior SDs; None for draws."""
        return None if self.evidence is None else self.evidence.bound

    @property
    def l2_draws(self) -> Floats:
        """(chains, draws)."""
        return np.asarray(1 / (1 + self.sample.sigma**2))

    def posterior(self, quantity: Literal["l2", "sigma", "t"]) -> Posterior:
        """Mean, SD and central 95%."""
        if self.evidence is not None:
            return _read(self.evidence, quantity)
        draws = self.l2_draws if quantity == "l2" else getattr(self.sample, quantity)
        low, high = np.quantile(draws, [0.025, 0.975])
        return Posterior(float(draws.mean()), float(draws.std()), (float(low), float(high)))

    @property
    def l2(self) -> float:
        """The posterior mean."""
        return self.posterior("l2").mean

    @property
    def l2_sd(self) -> float:
        """The posterior SD."""
        return self.posterior("l2").sd

    @property
    def l2_interval(self) -> Interval:
        """The central 95%."""
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
        """The worse of sigma and t, by ranks; not a number without draws."""
        return math.nan if self.draws is None else max(self.draws.rhat)

    @property
    def ess(self) -> float:
        """Effective draws in the bulk or at the ends of the interval, the worse of sigma and t; no number without."""
        return math.nan if self.draws is None else min(self.draws.ess)

    @property
    def converged(self) -> bool:
        """Whether the draws are enough, or the bound of the error is small."""
        if self.evidence is not None:
            return self.evidence.bound <= LARGEST_BOUND
        return self.sample.converged

    def describe_method(self) -> str:
        """How exact the posterior is, in a few words."""
        if self.evidence is not None:
            exact = f"evidence at {self.evidence.nodes} values of σ, mean within {self.evidence.bound:.2f} SD"
            return exact if self.converged else f"uncertain: {exact}"
        draws = f"{self.ess:,.0f} effective draws, R-hat {self.rhat:.3f}"
        return draws if self.converged else f"uncertain: only {draws}"

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
            by = "from the same evidence" if other.how == "integrated" else f"by draws that were {other.how}"
            lines.append(f"prior {other.prior}: l2 {other.l2:.3f} ± {other.l2_sd:.3f}, {by}")
        return "\n".join([*lines, self._summarise_method()])

    def _summarise_method(self) -> str:
        enough = "" if self.converged else ": not enough"
        if self.draws is None:
            return f"no draws: {self.describe_method()}"
        return (
            f"{self.sampler} sampler: {len(self.draws.sigma)} chains of {self.draws.sweeps:,} sweeps, without the "
            f"first {self.draws.warm_up:,}; R-hat {self.rhat:.3f}, effective draws {self.ess:,.0f}{enough}"
        )

    def plot(self) -> altair.LayerChart:
        """The posterior of l^2, with its mean."""
        import altair as alt

        if self.evidence is not None:
            inside, weights = 1 / (1 + self.evidence.sigma**2), self.evidence.mass
            ends = 1 / (1 + self.evidence.quantiles((0.999, 0.001)) ** 2)
            counts, edges = np.histogram(inside, bins=40, range=(ends[0], ends[1]), density=True, weights=weights)
        else:
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
    method: Method = "auto",
    prior: str = "uniform:10",
    sampler: Sampler = "corrected",
    tie_sd: float = 5.0,
    chains: int = 4,
    ess: float | None = None,
    budget: int = 20_000,
    compare_prior: bool = True,
    start: float = 1.0,
    seed: int = 0,
    workers: Workers | None = None,
) -> PopulationLuck:
    """The posterior of sigma, t and all skills (Gilbert and Wells, section 3.2.2, Method 2).

    s_a ~ N(0, sigma^2), y | s ~ N(s_1 - s_2, 2), a win if y > t, a tie if |y| <= t. The prior of sigma is flat up to 10
    unless `invgamma:2,1`, the printed one for sigma^2, is asked for; t is half normal with the scale `tie_sd`, and 0
    where no match was tied.

    The method "evidence" integrates the slope of the log evidence over sigma, by expectation propagation
    (`measurement.luck.evidence`), and states how far its mean of l2 may be off; the peak is searched for from sigma =
    `start` on. "sampler" draws. "auto" is evidence if the bound of its error is small, else the sampler; who names
    `ess`, the effective draws (400), or another sampler wants draws.

    The sampler "corrected" is that of this model; "printed" has the paper's conditional of s, which is wrong, and its
    t = sqrt(2 (1 + sigma^2)) Phi^-1((1 + p) / 2) with p ~ Beta(2 + ties, 5 + others), which takes ties for independent
    and opponents for drawn at random; "printed-ties" has the right conditional with that t. Chains go on until R-hat
    <= 1.01 and the effective draws are `ess`, or each has made `budget` sweeps.

    If any match has more than two players, seats finish in the order of s + N(0, 1) (Thurstone's case V), which for two
    is the same model with t = 0, so that l^2 means the same. Seats of equal places are then in an order that was not
    recorded, matches that all tied say nothing, and there is one sampler, "multiplayer". Their evidence needs a few
    dozen sweeps at each sigma, and "auto" asks for it where players have many seats.

    >>> from ludometer.simulate import simulate_strengths
    >>> luck = measure_population(simulate_strengths(40, 3000, sd=150, draws=0.2, seed=1), compare_prior=False)
    >>> luck.method, luck.converged, 0.5 < luck.l2 < 0.95
    ('evidence', True, True)
    """
    from ludometer.measurement.luck.sampler import check_effort, make_model

    if method not in METHODS:
        raise LudometerError(f"no method is called {method!r}; there are: {', '.join(METHODS)}")
    chosen = make_prior(prior)
    table = _Table.of(matches, tie_sd)
    is_multiplayer = matches.sizes.max() > 2
    make_model(chosen, sampler=sampler)
    if is_multiplayer and sampler != "corrected":
        raise LudometerError(f"the sampler {sampler!r} is for two-player matches")
    check_effort(chains, budget, 400 if ess is None else ess)
    if method != "sampler" and ess is None and sampler == "corrected":
        options: dict[str, Any] = {"prior": prior, "tie_sd": tie_sd, "compare_prior": compare_prior}
        found = try_evidence(matches, is_forced=method == "evidence", start=start, seed=seed, **options)
        if found is not None:
            return found
    name = "multiplayer" if is_multiplayer else sampler
    ess = 400 if ess is None else ess
    effort: dict[str, Any] = {"chains": chains, "budget": budget, "workers": workers}
    second = _choose_other(prior) if compare_prior else None
    sample, other = _draw(table, chosen, second, sampler, ess, seed, effort)
    parameters = {
        "prior": prior,
        "sampler": name,
        "tie_sd": table.tie_sd,
        "chains": chains,
        "ess": ess,
        "budget": budget,
    }
    return table.conclude(matches, sample, other, Provenance("population luck", parameters, matches.fingerprint, seed))


def try_evidence(
    matches: Matches,
    *,
    prior: str = "uniform:10",
    tie_sd: float = 5.0,
    is_forced: bool = False,
    compare_prior: bool = True,
    start: float = 1.0,
    seed: int = 0,
) -> PopulationLuck | None:
    """The posterior without draws; None if the bound of its error is too large, unless it is wanted in any case.

    >>> from ludometer.simulate import simulate_strengths
    >>> luck = try_evidence(simulate_strengths(40, 3000, sd=150, draws=0.2, seed=1))
    >>> luck.bound < 0.1, luck.other_prior.how
    (True, 'integrated')
    """
    chosen, table = make_prior(prior), _Table.of(matches, tie_sd)
    if not (is_forced or table.is_worth_it):
        return None
    try:
        evidence = table.integrate(chosen, start, seed, details=compare_prior)
    except NoFiniteFit:
        if is_forced:
            raise
        return None
    if not (is_forced or evidence.bound <= LARGEST_BOUND):
        return None
    other = _under(evidence, table, chosen, _choose_other(prior), seed) if compare_prior else None
    parameters = {"prior": prior, "method": "evidence", "tie_sd": table.tie_sd}
    return table.conclude(
        matches, evidence, other, Provenance("population luck", parameters, matches.fingerprint, seed)
    )


def integrate_evidence(
    matches: Matches, *, prior: str = "uniform:10", tie_sd: float = 5.0, start: float = 1.0, seed: int = 0
) -> Evidence:
    """The evidence of each sigma, however exact; `NoFiniteFit` where it has no maximum.

    >>> from ludometer.simulate import simulate_strengths
    >>> found = integrate_evidence(simulate_strengths(40, 3000, sd=150, seed=1))
    >>> 0.4 < found.sigma[found.log_evidence.argmax()] < 1.0
    np.True_
    """
    return _Table.of(matches, tie_sd).integrate(make_prior(prior), start, seed, details=False)


def _choose_other(prior: str) -> SigmaPrior:
    """The prior to compare with."""
    return next(make_prior(name) for name in _OTHER_PRIORS if name != prior)


@dataclass(frozen=True, eq=False)
class _Table:
    """Results of those who played, in the forms that the methods want."""

    matches: Matches
    """Only of those who played."""
    played: Mask
    n_ties: int
    tie_sd: float
    is_multiplayer: bool

    @classmethod
    def of(cls, matches: Matches, tie_sd: float) -> _Table:
        if not len(matches):
            raise MatchDataError("there are no matches")
        played = matches.counts > 0
        is_multiplayer = bool(matches.sizes.max() > 2)
        n_ties = 0 if is_multiplayer else matches.n_draws
        of_played = matches if played.all() else matches.recode(played)
        return cls(of_played, played, n_ties, tie_sd if n_ties else 0.0, is_multiplayer)

    @property
    def n_players(self) -> int:
        return int(self.played.sum())

    @property
    def pairs(self) -> Pairs:
        pairs = self.matches.table
        if isinstance(pairs, Pairs):
            return pairs
        # seats of two, because they have prizes
        first, second, places = pairs.player[::2], pairs.player[1::2], pairs.place
        return Pairs(first, second, (1 + np.sign(places[1::2] - places[::2])).astype(np.int8))

    def record(self) -> Record | Finishes:
        """For the sampler."""
        from ludometer.measurement.luck.sampler import tally_orders, tally_results
        from ludometer.strength.ranked import Orders

        if self.is_multiplayer:
            return tally_orders(Orders.of(self.matches), self.n_players)
        pairs = self.pairs
        return tally_results(pairs.first, pairs.second, pairs.halves, self.n_players)

    @property
    def is_worth_it(self) -> bool:
        """Whether evidence may be exact enough, and is quicker where it needs sweeps; not if nothing was decided."""
        if self.is_multiplayer:
            seats = int(self.matches.sizes.sum())
            return seats >= max(_MANY_SEATS, _SEATS_EACH * self.n_players)
        return self.n_ties < len(self.matches)

    def game(self, seed: int) -> Game:
        """For evidence."""
        from ludometer.measurement.luck.evidence import OrderGame, PairGame, tally_pairs
        from ludometer.measurement.luck.sampler import tally_orders
        from ludometer.strength.ranked import Orders

        if self.is_multiplayer:
            return OrderGame(tally_orders(Orders.of(self.matches), self.n_players), seed=seed)
        pairs = self.pairs
        table = tally_pairs(pairs.first, pairs.second, pairs.halves, self.n_players)
        return PairGame(table, self.n_players, tie_sd=self.tie_sd, seed=seed)

    def integrate(self, prior: SigmaPrior, start: float, seed: int, *, details: bool = True) -> Evidence:
        """By slopes; without `details` t has no SD."""
        from ludometer.measurement.luck.evidence import integrate

        return integrate(self.game(seed), prior, start=start, details=details)

    def conclude(
        self, matches: Matches, found: Sample | Evidence, other: OtherPrior | None, provenance: Provenance
    ) -> PopulationLuck:
        """The result; who never played has the population's mean and SD."""
        from ludometer.measurement.luck.evidence import Evidence

        evidence, draws = (found, None) if isinstance(found, Evidence) else (None, found)
        mean = float(np.mean(found.sigma**2) if evidence is None else evidence.moments(evidence.sigma**2)[0])
        skill, skill_sd = np.zeros(len(self.played)), np.full(len(self.played), np.sqrt(mean))
        skill[self.played], skill_sd[self.played] = found.skill, found.skill_sd
        return PopulationLuck(
            draws=draws,
            evidence=evidence,
            sampler=str(provenance.parameters.get("sampler", "none")),
            prior=str(provenance.parameters["prior"]),
            other_prior=other,
            players=matches.players,
            skill=skill,
            skill_sd=skill_sd,
            n_matches=len(matches),
            n_ties=self.n_ties,
            provenance=provenance,
        )


def _read(evidence: Evidence, quantity: Literal["l2", "sigma", "t"]) -> Posterior:
    """Mean, SD and central 95% of a quantity."""
    if quantity == "t":
        mean, along = evidence.moments(evidence.t)
        sd = math.hypot(along, evidence.t_sd)
        return Posterior(mean, sd, (max(mean - _NORMAL_95 * sd, 0.0), mean + _NORMAL_95 * sd))
    low, high = (float(end) for end in evidence.quantiles((0.025, 0.975)))
    if quantity == "sigma":
        return Posterior(*evidence.moments(evidence.sigma), (low, high))
    return Posterior(*evidence.moments(1 / (1 + evidence.sigma**2)), (1 / (1 + high**2), 1 / (1 + low**2)))


def _under(evidence: Evidence, table: _Table, prior: SigmaPrior, other: SigmaPrior, seed: int) -> OtherPrior:
    """l2 under the other prior: the same evidence, unless it ends where only the first prior does."""
    reaches_top = evidence.sigma[-1] > 0.99 * prior.top
    if reaches_top and other.top > prior.top:
        evidence = table.integrate(other, float(evidence.moments(evidence.sigma)[0]), seed)
    mass, l2 = evidence.under(other), 1 / (1 + evidence.sigma**2)
    mean = float(mass @ l2)
    return OtherPrior(other.name, mean, float(np.sqrt(mass @ (l2 - mean) ** 2)), "integrated")


def _draw(
    table: _Table,
    prior: SigmaPrior,
    second: SigmaPrior | None,
    sampler: Sampler,
    ess: float,
    seed: int,
    options: dict[str, Any],
) -> tuple[Sample, OtherPrior | None]:
    """Draws, and what another prior would say."""
    from ludometer.measurement.luck.sampler import make_model, sample_population

    record, seeds = table.record(), np.random.SeedSequence(seed).spawn(2)
    model = make_model(prior, sampler=sampler, tie_sd=table.tie_sd)
    sample = sample_population(record, model, ess=ess, seed=seeds[0], **options)
    if not sample.converged:
        warnings.warn(
            f"{sample.sweeps:,} sweeps were not enough: R-hat {max(sample.rhat):.3f}, effective draws "
            f"{min(sample.ess):,.0f}; give a larger budget",
            ConvergenceWarning,
            stacklevel=3,
        )
    if second is None:
        return sample, None
    other = _weigh(sample, prior, second) if sampler == "corrected" else None
    if other is None:
        model = make_model(second, sampler=sampler, tie_sd=table.tie_sd)
        again = sample_population(record, model, ess=_OTHER_ESS, seed=seeds[1], **options)
        l2 = 1 / (1 + again.sigma**2)
        other = OtherPrior(second.name, float(l2.mean()), float(l2.std()), "drawn")
    return sample, other


def estimate_population(matches: Matches, *, sweeps: int = 400, seed: int = 0) -> PopulationEstimate:
    """sigma and t by stochastic EM: skills are drawn given both, then both are most likely given the skills.

    Diebolt and Ip 1996, as Gilbert and Wells suggest in section 3.2.2. Multiplayer matches are as in
    `measure_population`.

    >>> from ludometer.simulate import simulate_strengths
    >>> 0.5 < estimate_population(simulate_strengths(40, 3000, sd=150, seed=1)).l2 < 0.95
    True
    """
    from ludometer.measurement.luck.sampler import maximise

    table = _Table.of(matches, 1.0)
    path = maximise(table.record(), has_ties=table.n_ties > 0, sweeps=sweeps, seed=seed)
    third, last = np.array_split(path[len(path) // 2 :], 2)
    sigma, t = np.sqrt(np.mean(path[len(path) // 2 :, 0] ** 2)), np.mean(path[len(path) // 2 :, 1])
    trend = [1 / (1 + np.mean(part[:, 0] ** 2)) for part in (third, last)]
    return PopulationEstimate(float(1 / (1 + sigma**2)), float(sigma), float(t), float(trend[1] - trend[0]), sweeps)


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
