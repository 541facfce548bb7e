"""Effective draws of sigma a second: our Gibbs sampler against NumPyro's NUTS, on one processor each.

    sh benchmarks/run.sh nuts [warm-up] [draws]

Both draw from the same posterior on the Kaggle chess record (components of at least 5 players): skills normal with SD
sigma, sigma flat up to 10, t half normal with the scale 5, a win with Phi((d - t) / sqrt 2), ties with the rest. NUTS
has the skills non-centred and the same rows, equal results of the same two counted once with a weight, in double
precision. Its one chain counts after the warm-up, and so do our two, which run one after the other; the process is kept
on one processor (Linux) and its processor time counts. Effective draws are those in the bulk by ArviZ. NUTS takes some
hundred gradients a draw: minutes. The record is in LUDOMETER_SHARED (default ../shared). Writes
benchmarks/results/nuts.json.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.kernels.gibbs.pairs import Record
from ludometer.measurement.luck.population import make_prior
from ludometer.measurement.luck.sampler import make_model, sample_population, tally_results
from ludometer.read import read_matches
from ludometer.selection import keep_connected
from schedules import store

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")
TOP, TIE_SD = 10.0, 5.0
SWEEPS, WARM_UP = 1_200, 200
"""Of each of our two chains, in all and before draws count."""


def count_effective(draws: Floats) -> float:
    """Effective draws in the bulk."""
    from arviz_stats.base import array

    stats: Any = array.BaseArray()
    return float(stats.ess(draws, method="bulk"))


def describe(draws: Floats, seconds: float, warm_up_seconds: float) -> dict[str, Any]:
    """Mean, SD and speed of draws (chains, n)."""
    effective = count_effective(draws)
    return {
        "draws": int(draws.size),
        "sigma": round(float(draws.mean()), 4),
        "sigma_sd": round(float(draws.std()), 4),
        "effective": round(effective, 1),
        "seconds": round(seconds, 1),
        "warm_up_seconds": round(warm_up_seconds, 1),
        "effective_a_second": round(effective / seconds, 3),
    }


def run_gibbs(record: Record) -> dict[str, Any]:
    """Two chains in one process, one after the other; the warm-up's share of the time is that of its sweeps."""
    model = make_model(make_prior(f"uniform:{TOP:g}"), tie_sd=TIE_SD)
    sample_population(record, model, chains=2, budget=2 * WARM_UP, ess=1e9)
    started = time.process_time()
    sample = sample_population(record, model, chains=2, budget=SWEEPS, ess=1e9)
    seconds = time.process_time() - started
    warm_up = seconds * sample.warm_up / sample.sweeps
    return describe(sample.sigma, seconds - warm_up, warm_up)


def run_nuts(record: Record, warm_up: int, draws: int) -> dict[str, Any]:
    """One chain of NUTS with y integrated out."""
    import jax
    import jax.numpy as jnp
    import numpyro
    from jax.scipy.special import log_ndtr
    from numpyro import distributions
    from numpyro.infer import MCMC, NUTS

    jax.config.update("jax_enable_x64", True)
    n_players = len(record.starts) - 1

    def model() -> None:
        sigma = numpyro.sample("sigma", distributions.Uniform(0.0, TOP))
        t = numpyro.sample("t", distributions.HalfNormal(TIE_SD))
        z = numpyro.sample("z", distributions.Normal(0.0, 1.0).expand([n_players]).to_event(1))
        skill = sigma * z
        wins = log_ndtr((skill[record.winner] - skill[record.loser] - t) / 2**0.5)
        # the side on which the two probabilities do not both come near 1
        gap = jnp.abs(skill[record.first] - skill[record.second])
        upper, lower = log_ndtr((t - gap) / 2**0.5), log_ndtr((-t - gap) / 2**0.5)
        ties = upper + jnp.log(-jnp.expm1(lower - upper))
        numpyro.factor("results", jnp.sum(record.won * wins) + jnp.sum(record.tied * ties))

    sampler = MCMC(NUTS(model), num_warmup=warm_up, num_samples=draws, progress_bar=False)
    started = time.process_time()
    sampler.warmup(jax.random.key(0))
    warm = time.process_time()
    # the first run after the warm-up compiles; the one that counts goes on where it ended
    sampler.run(jax.random.key(1), extra_fields=("num_steps",))
    sampler.post_warmup_state = sampler.last_state
    compiled = time.process_time()
    sampler.run(sampler.last_state.rng_key, extra_fields=("num_steps",))
    seconds = time.process_time() - compiled
    answer = describe(np.asarray(sampler.get_samples(group_by_chain=True)["sigma"]), seconds, warm - started)
    answer["leapfrog_steps_a_draw"] = round(float(sampler.get_extra_fields()["num_steps"].mean()), 1)
    return answer


def main() -> None:
    """Both samplers in one run."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    warm_up, draws = (int(text) for text in (sys.argv[1:] + ["300", "300"][len(sys.argv) - 1 :]))
    path = SHARED / "data" / "chess_kaggle2010.parquet"
    if not path.exists():
        sys.exit("chess_kaggle2010: not here (LUDOMETER_SHARED)")
    matches = keep_connected(read_matches(path), min_players=5).matches
    pairs = matches.pairs
    record = tally_results(pairs.first, pairs.second, pairs.halves, len(matches.players))
    answer: dict[str, Any] = {"matches": len(matches), "players": len(matches.players)}
    answer["gibbs"] = run_gibbs(record)
    print("gibbs", answer["gibbs"], flush=True)
    answer["nuts"] = run_nuts(record, warm_up, draws)
    print("nuts ", answer["nuts"])
    answer["ratio"] = round(answer["gibbs"]["effective_a_second"] / answer["nuts"]["effective_a_second"], 1)
    print(f"Gibbs has {answer['ratio']} times the effective draws a second")
    store("nuts", answer)


if __name__ == "__main__":
    main()
