"""Speed of the strength models as ratios, each measured in one run, and that the peers find the same optimum.

    sh benchmarks/run.sh strength

Against choix 0.4.1 (opt_pairwise, ilsr_rankings) and scikit-learn's liblinear on gathered pairs. Our times include
gathering the matches; theirs start from their own format. Writes benchmarks/results/strength.json.
"""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches
from ludometer.simulate import simulate_strengths
from ludometer.strength.comparisons import gather
from ludometer.strength.pairwise import fit_skills
from ludometer.strength.ranked import Orders, fit_orders

RIDGE = 0.25


def fastest(work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Seconds of the fastest of several runs, and what it gave."""
    best, result = float("inf"), None
    for _ in range(repeats):
        begin = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begin)
    return best, result


def choix_pairwise(matches: Matches) -> tuple[float, Floats]:
    """Seconds and skills of choix's opt_pairwise with the same penalty."""
    choix = importlib.import_module("choix")
    pairs = matches.pairs
    won = pairs.halves == 2
    winner, loser = np.where(won, pairs.first, pairs.second), np.where(won, pairs.second, pairs.first)
    data = list(zip(winner.tolist(), loser.tolist(), strict=True))
    return fastest(lambda: choix.opt_pairwise(len(matches.players), data, alpha=RIDGE), 1)


def liblinear(matches: Matches, tolerance: float) -> tuple[float, Floats]:
    """Seconds and skills of scikit-learn's liblinear on gathered pairs: a row for wins, one for losses, by weight."""
    from scipy.sparse import coo_array

    sklearn = importlib.import_module("sklearn.linear_model")
    pairs = gather(matches)
    weight = np.concatenate((pairs.outcomes[0], pairs.outcomes[2]))
    kept = weight > 0
    n = len(pairs)
    row = np.arange(2 * n, dtype=np.int32)
    sign = np.repeat([1.0, -1.0], 2 * n)
    column = np.concatenate((np.tile(pairs.row, 2), np.tile(pairs.opponent, 2)))
    design = coo_array((sign, (np.tile(row, 2), column)), shape=(2 * n, len(matches.players))).tocsr()[kept]
    label, weight = np.repeat([1, 0], n)[kept], weight[kept]
    model = sklearn.LogisticRegression(C=1 / (2 * RIDGE), solver="liblinear", fit_intercept=False, tol=tolerance)
    seconds, fit = fastest(lambda: model.fit(design, label, sample_weight=weight), 15)
    return seconds, fit.coef_[0]


def choix_rankings(matches: Matches) -> tuple[float, Floats]:
    """Seconds and skills of choix's ilsr_rankings, which has no penalty."""
    choix = importlib.import_module("choix")
    orders = Orders.of(matches)
    data = orders.player.reshape(len(matches), -1).tolist()
    return fastest(lambda: choix.ilsr_rankings(len(matches.players), data), 1)


def main() -> None:
    """Measure, print, store."""
    results: dict[str, float] = {}

    def report(name: str, ours: float, theirs: float, bound: str, difference: float) -> None:
        results[name] = round(theirs / ours, 2)
        print(
            f"{name:42s} {theirs:8.3f} s : {ours:.4f} s   {theirs / ours:8.1f} times faster   (wanted: {bound}); "
            f"largest difference of skills {difference:.1g}",
            flush=True,
        )

    def ours(matches: Matches, repeats: int = 25) -> tuple[float, Floats]:
        def work() -> Floats:
            return fit_skills(matches, link="logit", ridge=RIDGE).skill

        work()
        return fastest(work, repeats)

    matches = simulate_strengths(2_000, 100_000, seed=1)
    seconds, skill = ours(matches)
    # its own tolerance is 1e-4; at 1e-7 it is about as near to the optimum as we are
    loose, near = liblinear(matches, 1e-4)
    tight, nearer = liblinear(matches, 1e-7)
    seconds = min(seconds, ours(matches)[0])
    loose = min(loose, liblinear(matches, 1e-4)[0])
    report("100,000 comparisons of 2,000 / liblinear", seconds, loose, "3", float(np.abs(skill - near).max()))
    report("the same, its tolerance 1e-7", seconds, tight, "-", float(np.abs(skill - nearer).max()))
    theirs, other = choix_pairwise(matches)
    seconds = min(seconds, ours(matches)[0])
    report("100,000 comparisons of 2,000 / choix", seconds, theirs, "300", float(np.abs(skill - other).max()))
    many, _ = ours(simulate_strengths(20_000, 1_000_000, seed=1), 5)
    results["1,000,000 comparisons of 20,000, seconds"] = round(many, 3)
    print(f"1,000,000 comparisons of 20,000            {many:8.3f} s   (wanted: below 1)", flush=True)
    races = simulate_strengths(2_000, 50_000, per_match=6, seed=1)
    fit_orders(races, ridge=0)
    seconds, skill = fastest(lambda: fit_orders(races, ridge=0).skill, 15)
    theirs, other = choix_rankings(races)
    other = other - other.mean()
    report("50,000 races of 6 among 2,000 / choix", seconds, theirs, "50", float(np.abs(skill - other).max()))
    (Path(__file__).parent / "results" / "strength.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
