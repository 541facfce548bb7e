"""Chains of the Gibbs sampler for the spread of skills: priors, starts, and sweeps until the draws are enough."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Floats, Halves
from ludometer.errors import LudometerError
from ludometer.kernels.gibbs.multiplayer import Field, Finishes, sweep_field
from ludometer.kernels.gibbs.pairs import (
    INTEGRATING,
    MAXIMISING,
    PRINTED_TIES,
    Chain,
    Model,
    Record,
    Rescaling,
    log_normal_table,
    no_rescaling,
    sweep_chain,
)
from ludometer.kernels.gibbs.propagation import pass_messages
from ludometer.kernels.gibbs.random_numbers import Word, make_word
from ludometer.measurement.as_printed import PRINTED_SAMPLERS, PRINTED_TIE_RATE
from ludometer.measurement.luck.diagnostics import effective_draws, rank_rhat
from ludometer.parallel import Workers, map_tasks
from ludometer.strength.ranked import Orders

if TYPE_CHECKING:
    from ludometer.measurement.luck.population import SigmaPrior

Sampler = Literal["corrected", "printed", "printed-ties"]

_WARM_UP = 200
_FEWEST = 100
"""Sweeps of each chain before draws count, and draws of each chain before anybody looks at them."""

_HIGHEST_RHAT, _STILL_WARMING = 1.01, 1.05
"""Vehtari et al. 2021; above the second the draws so far are taken as more warm-up."""

_FEW_MATCHES = 10
"""Matches per player below which sigma also steps with all skills: with more it mixes well without."""

_NODES, _SMALLEST, _FURTHEST_NODE, _FIRST_STRIDE = 13, 0.05, 10.0, 0.2
"""Values of sigma at which skills are approximated for that, from the smallest on; the first step of log sigma."""

_LARGE = 20_000
"""From this many players on, progress is logged as information."""

_log = logging.getLogger(__name__)


def make_model(prior: SigmaPrior, *, sampler: Sampler = "corrected", tie_sd: float = 0.0) -> Model:
    """What the kernel has to know; `tie_sd` is the scale of the half-normal prior of t, 0 where t is 0."""
    printed = {name: (PRINTED_TIES, *values) for name, values in PRINTED_SAMPLERS.items()}
    kinds = {"corrected": (INTEGRATING, 0.5, 1.0), **printed}
    if sampler not in kinds:
        raise LudometerError(f"no sampler is called {sampler!r}; there are: {', '.join(kinds)}")
    return Model(*kinds[sampler], prior.power, prior.rate, prior.top, tie_sd)


def tally_results(first: Codes, second: Codes, halves: Halves, n_players: int) -> Record:
    """Equal results of the same two players in one row, and for each player whom they met and how often.

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


def tally_orders(orders: Orders, n_players: int) -> Finishes:
    """Two-player matches in rows, larger ones by seats; without those that all seats tied, which say nothing.

    >>> from ludometer.matches import Matches
    >>> matches = Matches.of_seats([0, 3, 5, 8], [0, 1, 2, 1, 0, 2, 0, 1], [1, 2, 2, 1, 2, 1, 1, 1])
    >>> record = tally_orders(Orders.of(matches), 3)
    >>> record.pairs.winner.tolist(), record.player.tolist(), record.stop.tolist(), record.seats.tolist()
    ([1], [0, 1, 2], [1, 3, 3], [1.0, 1.0, 1.0])
    """
    starts, size = orders.starts[:-1], np.diff(orders.starts)
    has_order = orders.stop[starts] < orders.starts[1:]
    best = starts[has_order & (size == 2)]
    wins = np.full(len(best), 2, np.int8)
    pairs = tally_results(orders.player[best], orders.player[best + 1], wins, n_players)
    larger = has_order & (size > 2)
    kept = np.repeat(larger, size)
    new = np.concatenate(([0], np.cumsum(size[larger]))).astype(np.int64)
    moved = np.repeat(new[:-1] - starts[larger], size[larger])
    player = np.ascontiguousarray(orders.player[kept], np.int32)
    seats = np.bincount(player, minlength=n_players).astype(np.float64)
    shared = np.bincount(player, 1 / np.repeat(size, size)[kept], n_players).astype(np.float64)
    return Finishes(pairs, new, player, orders.stop[kept] + moved, seats, shared)


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
    record: Record | Finishes,
    model: Model,
    *,
    chains: int = 4,
    ess: float = 400,
    budget: int = 20_000,
    seed: int | np.random.SeedSequence = 0,
    workers: Workers | None = None,
) -> Sample:
    """Sweep all chains until R-hat is at most 1.01 and the effective draws are enough, or the budget is spent.

    >>> from ludometer.measurement.luck.population import make_prior
    >>> rng = np.random.default_rng(0)
    >>> skill, first = rng.standard_normal(30), rng.integers(0, 30, 2000)
    >>> second = (first + rng.integers(1, 30, 2000)) % 30
    >>> wins = skill[first] - skill[second] + rng.normal(0, 2**0.5, 2000) > 0
    >>> sample = sample_population(tally_results(first, second, 2 * wins, 30), make_model(make_prior("uniform:10")))
    >>> sample.converged, bool(0.6 < sample.sigma.mean() < 1.5)
    (True, True)
    """
    check_effort(chains, budget, ess)
    run = _Chains(record, model, chains, seed, workers)
    run.sweep(_WARM_UP, adapts=True)
    warm_up, wanted = _WARM_UP, max(_FEWEST, int(np.ceil(ess / chains)))
    while True:
        run.sweep(min(wanted - run.n_draws, budget - warm_up - run.n_draws))
        rhat, effective = diagnose(run.draws, has_ties=model.tie_sd > 0)
        worst, least = max(rhat), min(effective)
        spent = warm_up + run.n_draws
        done = worst <= _HIGHEST_RHAT and least >= ess
        level = logging.INFO if len(record.starts) > _LARGE else logging.DEBUG
        _log.log(level, "%d sweeps of %d chains: R-hat %.3f, effective draws %.0f", spent, chains, worst, least)
        if done or spent >= budget:
            return run.sample(rhat, effective, warm_up, done)
        if worst > _STILL_WARMING and budget - spent > 2 * run.n_draws:
            wanted, warm_up = 2 * run.n_draws, spent
            run.forget()
        else:
            missing = 1.2 * ess / max(least, 1.0) if least < ess else 1.5
            wanted = int(np.ceil(run.n_draws * min(max(missing, 1.3), 4.0)))


def check_effort(chains: int, budget: int, ess: float) -> None:
    """Refuse what is too little for any answer."""
    if chains < 2 or budget < 2 * _WARM_UP or not ess > 0:
        raise LudometerError(f"two chains and {2 * _WARM_UP} sweeps are the minimum, and ess must be above 0")


class _Chains:
    """All chains of a run: what a chain does depends on its own seed only."""

    def __init__(
        self,
        record: Record | Finishes,
        model: Model,
        chains: int,
        seed: int | np.random.SeedSequence,
        workers: Workers | None,
    ) -> None:
        self.game: _TwoPlayer | _Multiplayer = (
            _Multiplayer(record, model) if isinstance(record, Finishes) else _TwoPlayer(record, model)
        )
        self.workers = workers
        root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        seeds = [child.spawn(2) for child in root.spawn(chains)]
        self.rngs = [np.random.default_rng(start) for start, _ in seeds]
        self.chains: list[tuple[Chain | Field, Word]] = [
            (self.game.start(rng), make_word(kernel_seed))
            for rng, (_, kernel_seed) in zip(self.rngs, seeds, strict=True)
        ]
        self.table = log_normal_table()
        self.forget()

    @property
    def n_draws(self) -> int:
        return int(self.draws.shape[1])

    def forget(self) -> None:
        """Count all draws up to here as warm-up."""
        self.draws = np.empty((len(self.chains), 0, 2))
        self.sums = np.zeros((2, self.game.n_players))

    def sweep(self, n_sweeps: int, *, adapts: bool = False) -> None:
        """Move every chain."""
        tasks = [
            (*chain, self.game.quantiles(rng, n_sweeps), n_sweeps, adapts)
            for chain, rng in zip(self.chains, self.rngs, strict=True)
        ]
        done = map_tasks(_advance, tasks, shared=(self.game, self.table), workers=self.workers)
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


def approximate_skills(record: Record, top: float) -> Rescaling:
    """Each player's mean and SD at some values of sigma up to `top`; t is where the tie rate would put it.

    >>> rescaling = approximate_skills(tally_results(*map(np.array, ([0, 1], [1, 2], [2, 2])), 3), 10.0)
    >>> rescaling.mean[-1].round(2).tolist(), np.exp(rescaling.width[-1]).round(2).tolist()
    ([0.84, 0.0, -0.84], [0.75, 0.67, 0.75])
    """
    from scipy.special import ndtri

    n, tied = len(record.starts) - 1, record.tied.sum()
    nodes = np.linspace(np.log(min(_SMALLEST, 0.1 * top)), np.log(top), _NODES)
    rate, table = tied / (tied + record.won.sum() + 1), log_normal_table()
    mean, variance = np.empty((_NODES, n)), np.empty((_NODES, n))
    for node, sigma in enumerate(np.exp(nodes)):
        threshold = float(np.sqrt(2 * (1 + sigma**2)) * ndtri((1 + rate) / 2))
        pass_messages(record, float(sigma), threshold, table, mean[node], variance[node])
    scale = nodes[:, np.newaxis]
    return Rescaling(nodes, mean / np.exp(scale), 0.5 * np.log(variance) - scale)


@dataclass(frozen=True, eq=False)
class _TwoPlayer:
    """Two-player matches: where a chain starts, and how it moves."""

    record: Record
    model: Model

    @property
    def n_players(self) -> int:
        return len(self.record.starts) - 1

    @cached_property
    def rescaling(self) -> Rescaling:
        """How skills go along with sigma; only where a player has few matches."""
        if self.model.kind != INTEGRATING or self.record.met.sum() >= 2 * _FEW_MATCHES * self.n_players:
            return no_rescaling()
        return approximate_skills(self.record, min(self.model.top, _FURTHEST_NODE))

    def start(self, rng: np.random.Generator) -> Chain:
        sigma = _start_sigma(rng, self.model)
        t = float(np.sqrt(2 * (1 + sigma**2)) * self.quantiles(rng, 1)[0]) if self.model.tie_sd > 0 else 0.0
        stride = np.array([np.log(_FIRST_STRIDE), 0.0])
        return Chain(np.zeros(self.n_players), np.array([sigma, t]), np.zeros(3), stride)

    def quantiles(self, rng: np.random.Generator, n: int) -> Floats:
        """Phi^-1((1 + p) / 2) for draws of the tie rate p, ties being taken as independent."""
        from scipy.special import ndtri

        tied, decided = int(self.record.tied.sum()), int(self.record.won.sum())
        rate = rng.beta(PRINTED_TIE_RATE[0] + tied, PRINTED_TIE_RATE[1] + decided, n)
        return np.asarray(ndtri((1 + rate) / 2))

    def sweep(
        self, chain: Chain, word: Word, table: Floats, adapts: bool, quantiles: Floats, draws: Floats, sums: Floats
    ) -> Word:
        return sweep_chain(self.record, self.model, self.rescaling, chain, word, table, adapts, quantiles, draws, sums)


@dataclass(frozen=True, eq=False)
class _Multiplayer:
    """Multiplayer matches: where a chain starts, and how it moves."""

    record: Finishes
    model: Model

    @property
    def n_players(self) -> int:
        return len(self.record.seats)

    def start(self, rng: np.random.Generator) -> Field:
        return start_field(self.record, _start_sigma(rng, self.model))

    def quantiles(self, rng: np.random.Generator, n: int) -> Floats:  # noqa: ARG002 - there is no threshold of ties
        """None are needed."""
        return np.empty(0)

    def sweep(
        self, chain: Field, word: Word, table: Floats, _adapts: bool, _quantiles: Floats, draws: Floats, sums: Floats
    ) -> Word:
        return sweep_field(self.record, self.model, chain, word, table, draws, sums)


def start_field(record: Finishes, sigma: float) -> Field:
    """A chain whose performances are normal quantiles of the places."""
    from scipy.special import ndtri

    size = np.diff(record.starts)
    seat = np.arange(len(record.player)) - np.repeat(record.starts[:-1], size)
    performance = -ndtri((seat + 0.5) / np.repeat(size, size))
    return Field(np.zeros(len(record.seats)), np.array([sigma, 0.0]), performance)


def _start_sigma(rng: np.random.Generator, model: Model) -> float:
    """Somewhere wide of where the chain will be, so that R-hat can tell whether it got there."""
    return float(min(0.5 * 2 ** rng.standard_normal(), 0.9 * model.top))


def _advance(
    task: tuple[Any, Word, Floats, int, bool], game: _TwoPlayer | _Multiplayer, table: Floats
) -> tuple[Any, Word, Floats, Floats]:
    """Sweeps of one chain, which stays as it is: where a copy of it got to, its draws, and sums of its skills."""
    before, word, quantiles, n_sweeps, adapts = task
    chain = type(before)(*(part.copy() for part in before))
    draws, sums = np.empty((n_sweeps, 2)), np.zeros((2, game.n_players))
    with np.errstate(over="ignore"):  # without the JIT NumPy would warn of what a generator is made of
        after = game.sweep(chain, word, table, adapts, quantiles, draws, sums)
    return chain, Word(after), draws, sums


def diagnose(draws: Floats, *, has_ties: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    """R-hat and effective draws, in the bulk or at the ends of the 95% interval, of sigma and t (Vehtari et al. 2021).

    Where there are no ties t is as certain as sigma.
    """
    sigma = _diagnose_one(draws[:, :, 0])
    t = _diagnose_one(draws[:, :, 1]) if has_ties else sigma
    return (sigma[0], t[0]), (sigma[1], t[1])


def _diagnose_one(values: Floats) -> tuple[float, float]:
    if values.min() == values.max():
        return np.inf, 0.0
    return rank_rhat(values), effective_draws(values)


def maximise(record: Record | Finishes, *, has_ties: bool, sweeps: int, seed: int = 0) -> Floats:
    """The path (sweeps, 2) of sigma and t under stochastic EM: skills are drawn, sigma and t then most likely."""
    model = Model(MAXIMISING, 0.5, 1.0, 0.0, 0.0, np.inf, 1.0 if has_ties else 0.0)
    run = _Chains(record, model, 1, seed, None)
    run.sweep(sweeps)
    return np.asarray(run.draws[0])
