"""Peers that fit the same models as ours: choix, scikit-learn, and NumPyro, which draws from the same posterior."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.measurement.luck.sampler import tally_results
from ludometer.simulate import simulate_strengths
from ludometer.strength.comparisons import gather
from ludometer.strength.pairwise import fit_skills
from nuts import run_gibbs, run_nuts
from peer_comparison import Comparison, furthest, race
from strength import RIDGE


def compare_choix(share: float) -> Comparison:
    """opt_pairwise on a list of winners and losers, with the same penalty."""
    choix: Any = importlib.import_module("choix")
    matches = simulate_strengths(2_000, round(share * 100_000), seed=1)
    pairs = matches.pairs
    won = pairs.halves == 2
    winner, loser = np.where(won, pairs.first, pairs.second), np.where(won, pairs.second, pairs.first)
    data = list(zip(winner.tolist(), loser.tolist(), strict=True))
    return _compare_skills(matches, lambda: choix.opt_pairwise(len(matches.players), data, alpha=RIDGE))


def compare_scikit_learn(share: float) -> Comparison:
    """Its logistic regression by liblinear, a sparse row for wins and one for losses of each pair, by weight."""
    from scipy.sparse import coo_array

    linear: Any = importlib.import_module("sklearn.linear_model")
    matches = simulate_strengths(2_000, round(share * 100_000), seed=1)
    pairs = gather(matches)
    n = len(pairs)
    weight = np.concatenate((pairs.outcomes[0], pairs.outcomes[2]))
    sign = np.repeat([1.0, -1.0], 2 * n)
    column = np.concatenate((np.tile(pairs.row, 2), np.tile(pairs.opponent, 2)))
    row = np.tile(np.arange(2 * n, dtype=np.int32), 2)
    kept = weight > 0
    design = coo_array((sign, (row, column)), shape=(2 * n, len(matches.players))).tocsr()[kept]
    label, weight = np.repeat([1, 0], n)[kept], weight[kept]

    def fit() -> Any:
        model = linear.LogisticRegression(C=1 / (2 * RIDGE), solver="liblinear", fit_intercept=False)
        return model.fit(design, label, sample_weight=weight).coef_[0]

    return _compare_skills(matches, fit)


def compare_numpyro(share: float) -> Comparison:
    """NUTS beside our Gibbs sampler, as the processor seconds of an effective draw of the spread of skills."""
    importlib.import_module("numpyro")
    matches = simulate_strengths(1_000, round(share * 20_000), draws=0.1, seed=1)
    pairs = matches.pairs
    record = tally_results(pairs.first, pairs.second, pairs.halves, len(matches.players))
    gibbs, nuts = run_gibbs(record), run_nuts(record, 300, 300)
    return Comparison(
        "drawing the spread of skills",
        "Gibbs sampler",
        len(matches),
        len(matches.players),
        1 / nuts["effective_a_second"],
        1 / gibbs["effective_a_second"],
        difference=abs(nuts["sigma"] - gibbs["sigma"]) / gibbs["sigma_sd"],
        difference_unit="posterior SDs",
        unit="per effective draw",
    )


def _compare_skills(matches: Any, fit: Any) -> Comparison:
    """Logistic skills with a ridge; our time includes gathering the matches, theirs starts from their own format."""

    def ours() -> Floats:
        return fit_skills(matches, link="logit", ridge=RIDGE).skill

    our_seconds, skill, seconds, other = race(ours, fit)
    return Comparison(
        "penalised logistic skills",
        "fit_skills",
        len(matches),
        len(matches.players),
        seconds,
        our_seconds,
        difference=furthest(skill, other),
        difference_unit="logits",
    )
