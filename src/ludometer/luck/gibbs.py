"""Chains of the Gibbs sampler for the spread of skills: priors, starts, and sweeps until the draws are enough."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ludometer.arrays import Codes, Floats, Halves
from ludometer.errors import LudometerError
from ludometer.kernels.gibbs import (
    INTEGRATING,
    MAXIMISING,
    PRINTED_TIES,
    Chain,
    Model,
    Record,
    log_normal_table,
    sweep_chain,
)
from ludometer.kernels.truncated import Word, make_word
from ludometer.parallel import Workers, map_tasks

Sampler = Literal["corrected", "printed", "printed-ties"]

_WARM_UP = 200
_FEWEST = 100
"""Sweeps of each chain before draws count, and draws of each chain before anybody looks at them."""

_HIGHEST_RHAT, _STILL_WARMING = 1.01, 1.05
"""Vehtari et al. 2021; above the second the draws so far are taken as more warm-up."""

_TIE_RATE = (2.0, 5.0)
"""The printed beta prior of the tie rate."""

_log = logging.getLogger(__name__)


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
    SigmaPrior(name='invgamma:2,1', power=5.0, rate=1.0, top=inf)
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
            return SigmaPrior(text, 2 * values[0] + 1, values[1], np.inf)
    raise LudometerError(f"a prior of the spread is such as uniform:10 or invgamma:2,1, not {text!r}")


def make_model(prior: SigmaPrior, *, sampler: Sampler = "corrected", tie_sd: float = 0.0) -> Model:
    """What the kernel has to know; `tie_sd` is the scale of the half-normal prior of t, 0 where t is 0."""
    kinds = {
        "corrected": (INTEGRATING, 0.5, 1.0),
        "printed": (PRINTED_TIES, 1.0, float(np.sqrt(2))),
        "printed-ties": (PRINTED_TIES, 0.5, 1.0),
    }
    if sampler not in kinds:
        raise LudometerError(f"no sampler is called {sampler!r}; there are: {', '.join(kinds)}")
    return Model(*kinds[sampler], prior.power, prior.rate, prior.top, tie_sd)


def tally_results(first: Codes, second: Codes, halves: Halves, n_players: int) -> Record:
    """Equal results of the same two players in one row, and for each player whom he met and how often.

    >>> record = tally_results(*map(np.array, ([0, 1, 0], [1, 0, 2], [2, 0, 1])), 3)
    >>> record.winner.tolist(), record.loser.tolist(), record.won.tolist(), record.first.tolist()
    ([0], [1], [2], [0])
    """
    low, high = first.astype(np.int64), second.astype(np.int64)
    decided, tied = halves != 1, halves == 1
    winner, loser = np.where(halves == 2, low, high)[decided], np.where(halves == 2, high, low)[decided]
    rows = [
        _count(winner, loser, n_players),
        _count(np.minimum(low, high)[tied], np.maximum(low, high)[tied], n_players),
    ]
    player, opponent, met = _count(np.concatenate((low, high)), np.concatenate((high, low)), n_players)
    starts = np.searchsorted(player, np.arange(n_players + 1)).astype(np.int64)
    return Record(*rows[0], *rows[1], starts, opponent, met.astype(np.float64))


def _count(i: Any, j: Any, n_players: int) -> tuple[Codes, Codes, Codes]:
    key, times = np.unique(i * n_players + j, return_counts=True)
    one, other = np.divmod(key, n_players)
    return one.astype(np.int32), other.astype(np.int32), times.astype(np.int32)


@dataclass(frozen=True, eq=False)
class Sample:
    """Draws of all chains after warming up, and whether they are enough."""

    sigma: Floats
    t: Floats
    """(chains, draws); t is 0 throughout where there are no ties."""
    skill: Floats
    skill_sd: Floats
    rhat: tuple[float, float]
    ess: tuple[float, float]
    """Of sigma and of t: the worse of the bulk and of the tails."""
    warm_up: int
    sweeps: int
    """Of each chain: not counted, and in all."""
    converged: bool


def sample_population(
    record: Record,
    model: Model,
    *,
    chains: int = 4,
    ess: float = 400,
    budget: int = 20_000,
    seed: int | np.random.SeedSequence = 0,
    workers: Workers | None = None,
) -> Sample:
    """Sweep all chains until R-hat is at most 1.01 and the effective draws are enough, or the budget is spent.

    >>> rng = np.random.default_rng(0)
    >>> skill, first = rng.standard_normal(30), rng.integers(0, 30, 2000)
    >>> second = (first + rng.integers(1, 30, 2000)) % 30
    >>> wins = skill[first] - skill[second] + rng.normal(0, 2**0.5, 2000) > 0
    >>> sample = sample_population(tally_results(first, second, 2 * wins, 30), make_model(make_prior("uniform:10")))
    >>> sample.converged, bool(0.6 < sample.sigma.mean() < 1.5)
    (True, True)
    """
    if chains < 2 or budget < 2 * _WARM_UP or not ess > 0:
        raise LudometerError(f"two chains and {2 * _WARM_UP} sweeps are the least, and ess is above 0")
    crew = _Crew(record, model, chains, seed, workers)
    crew.sweep(_WARM_UP, adapts=True)
    warm_up, wanted = _WARM_UP, max(_FEWEST, int(np.ceil(ess / chains)))
    while True:
        crew.sweep(min(wanted - crew.n_draws, budget - warm_up - crew.n_draws))
        rhat, effective = diagnose(crew.draws, has_ties=model.tie_sd > 0)
        worst, least = max(rhat), min(effective)
        spent = warm_up + crew.n_draws
        done = worst <= _HIGHEST_RHAT and least >= ess
        _log.info("%d sweeps of %d chains: R-hat %.3f, effective draws %.0f", spent, chains, worst, least)
        if done or spent >= budget:
            return crew.sample(rhat, effective, warm_up, done)
        if worst > _STILL_WARMING and budget - spent > 2 * crew.n_draws:
            wanted, warm_up = 2 * crew.n_draws, spent
            crew.forget()
        else:
            missing = 1.2 * ess / max(least, 1.0) if least < ess else 1.5
            wanted = int(np.ceil(crew.n_draws * min(max(missing, 1.3), 4.0)))


class _Crew:
    """All chains of a run: what a chain does depends on its own seed only."""

    def __init__(
        self,
        record: Record,
        model: Model,
        chains: int,
        seed: int | np.random.SeedSequence,
        workers: Workers | None,
    ) -> None:
        self.record, self.model, self.workers = record, model, workers
        root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        seeds = [child.spawn(2) for child in root.spawn(chains)]
        self.rngs = [np.random.default_rng(start) for start, _ in seeds]
        n_tied = int(record.tied.sum())
        self.n_results = n_tied, int(record.won.sum())
        self.chains = [
            (self._start(rng), make_word(kernel_seed)) for rng, (_, kernel_seed) in zip(self.rngs, seeds, strict=True)
        ]
        self.table = log_normal_table()
        self.forget()

    @property
    def n_draws(self) -> int:
        return int(self.draws.shape[1])

    def forget(self) -> None:
        """Take all draws so far as warm-up."""
        self.draws = np.empty((len(self.chains), 0, 2))
        self.sums = np.zeros((2, len(self.record.starts) - 1))

    def sweep(self, n_sweeps: int, *, adapts: bool = False) -> None:
        """Let every chain go on."""
        tasks = [
            (*chain, self._quantiles(rng, n_sweeps), n_sweeps, adapts)
            for chain, rng in zip(self.chains, self.rngs, strict=True)
        ]
        done = map_tasks(_advance, tasks, shared=(self.record, self.model, self.table), workers=self.workers)
        self.chains = [(chain, word) for chain, word, _, _ in done]
        if not adapts:
            self.draws = np.concatenate((self.draws, np.array([draws for _, _, draws, _ in done])), axis=1)
            self.sums = self.sums + np.sum([sums for _, _, _, sums in done], axis=0)

    def sample(
        self, rhat: tuple[float, float], effective: tuple[float, float], warm_up: int, converged: bool
    ) -> Sample:
        mean, squares = self.sums / (len(self.chains) * self.n_draws)
        sd = np.sqrt(np.maximum(squares - mean**2, 0))
        sigma, t = self.draws[:, :, 0].copy(), self.draws[:, :, 1].copy()
        return Sample(sigma, t, mean, sd, rhat, effective, warm_up, warm_up + self.n_draws, converged)

    def _start(self, rng: np.random.Generator) -> Chain:
        """Somewhere wide of where the chain will be, so that R-hat can tell whether it got there."""
        sigma = min(0.5 * 2 ** rng.standard_normal(), 0.9 * self.model.top)
        t = float(np.sqrt(2 * (1 + sigma**2)) * self._quantiles(rng, 1)[0]) if self.model.tie_sd > 0 else 0.0
        n_players = len(self.record.starts) - 1
        return Chain(np.zeros(n_players), np.array([sigma, t]), np.zeros(3))

    def _quantiles(self, rng: np.random.Generator, n: int) -> Floats:
        """Phi^-1((1 + p) / 2) for draws of the tie rate p, ties being taken as independent."""
        from scipy.special import ndtri

        tied, decided = self.n_results
        rate = rng.beta(_TIE_RATE[0] + tied, _TIE_RATE[1] + decided, n)
        return np.asarray(ndtri((1 + rate) / 2))


def _advance(
    task: tuple[Chain, Word, Floats, int, bool], record: Record, model: Model, table: Floats
) -> tuple[Chain, Word, Floats, Floats]:
    """Sweeps of one chain, which stays as it is: where a copy of it got to, its draws, and sums of its skills."""
    before, word, quantiles, n_sweeps, adapts = task
    chain = Chain(*(part.copy() for part in before))
    draws, sums = np.empty((n_sweeps, 2)), np.zeros((2, len(chain.skill)))
    with np.errstate(over="ignore"):  # without the JIT NumPy would warn of what a generator is made of
        after = sweep_chain(record, model, chain, word, table, adapts, quantiles, draws, sums)
    return chain, Word(after), draws, sums


def diagnose(draws: Floats, *, has_ties: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    """R-hat and effective draws, in the bulk or at the ends of the 95 % interval, of sigma and t (Vehtari et al. 2021).

    Where there are no ties t is as certain as sigma.
    """
    sigma = _diagnose_one(draws[:, :, 0])
    t = _diagnose_one(draws[:, :, 1]) if has_ties else sigma
    return (sigma[0], t[0]), (sigma[1], t[1])


def _diagnose_one(values: Floats) -> tuple[float, float]:
    from arviz_stats.base import array

    stats: Any = array.BaseArray()
    if values.min() == values.max():
        return np.inf, 0.0
    bulk, tail = stats.ess(values, method="bulk"), stats.ess(values, method="tail", prob=(0.025, 0.975))
    return float(stats.rhat(values)), float(min(bulk, tail))


def maximise(record: Record, *, has_ties: bool, sweeps: int, seed: int = 0) -> Floats:
    """The path (sweeps, 2) of sigma and t under stochastic EM: skills are drawn, sigma and t then most likely."""
    model = Model(MAXIMISING, 0.5, 1.0, 0.0, 0.0, np.inf, 1.0 if has_ties else 0.0)
    crew = _Crew(record, model, 1, seed, None)
    crew.sweep(sweeps)
    return np.asarray(crew.draws[0])
