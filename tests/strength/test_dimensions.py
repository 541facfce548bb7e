"""A second dimension is found where who beats whom goes in circles, and not where one skill made the results."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.optimize import approx_fprime

from ludometer.errors import LudometerError, MatchDataError
from ludometer.kernels.skills.paired import evaluate_cycles, evaluate_cycles_plain
from ludometer.matches import Matches
from ludometer.simulate import simulate_strengths
from ludometer.strength.comparisons import gather
from ludometer.strength.dimensions import compare_dimensions
from ludometer.strength.pairwise import fit_skills


def circle(n_players: int, n_matches: int, *, edge: float, ties: float = 0.0, seed: int = 0) -> Matches:
    """Rock, paper and scissors: each kind beats the next with the probability `edge`."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_players, n_matches)
    second = (first + rng.integers(1, n_players, n_matches)) % n_players
    win = np.array([0.5, edge, 1 - edge])[(first - second) % 3]
    score = (rng.random(n_matches) < win).astype(float)
    score[rng.random(n_matches) < ties] = 0.5
    return Matches.of_pairs(first, second, score)


@pytest.mark.parametrize("probit", [False, True])
def test_the_kernel_is_its_plain_twin_and_its_gradient_the_slope(probit: bool) -> None:
    pairs = gather(simulate_strengths(6, 60, sd=300, draws=0.2, seed=1))
    won, lost = pairs.outcomes[0] + pairs.outcomes[1] / 2, pairs.outcomes[2] + pairs.outcomes[1] / 2
    x = np.random.default_rng(2).standard_normal((3, 6))
    gradient, slope = np.zeros((3, 6)), np.zeros(len(pairs))

    def value(z: np.ndarray) -> float:
        return evaluate_cycles(pairs.starts, pairs.opponent, won, lost, z.reshape(3, 6), probit, gradient, slope)

    numeric = approx_fprime(x.ravel(), value, 1e-7)
    total = value(x)
    plain, plain_slope = evaluate_cycles_plain(pairs.starts, pairs.opponent, won, lost, x, probit)
    assert total == pytest.approx(plain, rel=1e-12)
    np.testing.assert_allclose(slope, plain_slope, atol=1e-10)
    np.testing.assert_allclose(gradient.ravel(), numeric, atol=2e-5)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_rock_paper_scissors_has_a_second_dimension(link: str) -> None:
    found = compare_dimensions(circle(30, 1_500, edge=0.8, ties=0.1), link=link)  # type: ignore[arg-type]
    assert found.z > 5
    assert found.converged
    assert found.verdict == "a second dimension predicts better"
    assert found.cyclic_part > found.skill_part
    # one dimension knows nothing: a coin
    assert found.loss_one == pytest.approx(math.log(2), abs=0.01)
    assert found.difference == pytest.approx(found.loss_one - found.loss_two)
    assert np.isfinite(found.plane_ridge).all()


def test_one_skill_has_no_second_dimension() -> None:
    z = []
    for seed in range(4):
        found = compare_dimensions(simulate_strengths(60, 1_500, sd=200, draws=0.1, seed=seed), folds=4)
        z.append(found.z)
        assert found.verdict != "a second dimension predicts better"
        assert abs(found.difference) < 0.01
    # about normal, or 0 where the training parts had no use for it
    assert max(map(abs, z)) < 3


def test_the_loss_with_one_dimension_is_that_of_penalised_skills() -> None:
    matches = simulate_strengths(20, 400, sd=200, seed=1)
    found = compare_dimensions(matches, ridge=0.5, folds=3, seed=4)
    fold = np.random.default_rng(4).permutation(400) % 3
    for k in range(3):
        fit = fit_skills(matches.take(fold != k), link="logit", ridge=0.5)
        held = matches.take(fold == k).pairs
        chance = [
            fit.probabilities(int(i), int(j))[2 - half]
            for i, j, half in zip(held.first, held.second, held.halves, strict=True)
        ]
        assert found.one[k] == pytest.approx(-np.mean(np.log(chance)), rel=1e-5)
    assert found.ridge.tolist() == [0.5] * 3


def test_the_same_seed_gives_the_same_and_the_result_reads_well() -> None:
    matches = circle(12, 300, edge=0.75, seed=2)
    found, again = (compare_dimensions(matches, folds=3, seed=5) for _ in range(2))
    assert found.to_frame().equals(again.to_frame())
    assert found.to_frame().columns[:4] == ["fold", "matches", "loss_one", "loss_two"]
    assert found.n_held.sum() == 300
    assert found.summary().startswith("a second dimension ")
    assert found.plot().to_dict()
    assert found.provenance.seed == 5


def test_what_cannot_be_compared_is_refused() -> None:
    few = Matches.of_pairs([0, 1, 2], [1, 2, 0], [1, 1, 1])
    with pytest.raises(LudometerError, match="folds"):
        compare_dimensions(few)
    with pytest.raises(LudometerError, match="ridge"):
        compare_dimensions(circle(9, 90, edge=0.8), ridge=0)
    with pytest.raises(MatchDataError, match="three players"):
        compare_dimensions(Matches.of_pairs([0] * 40, [1] * 40, [1, 0] * 20))


def test_chess_needs_no_second_dimension(shared_data: Path) -> None:
    rows = pl.read_parquet(shared_data / "chess_kaggle2010.parquet")
    codes, where = np.unique(rows.select("player_1", "player_2").to_numpy(), return_inverse=True)
    first, second = where.reshape(-1, 2).T
    matches = Matches.of_pairs(first, second, rows["score_1"].to_numpy())
    assert len(codes) == 7_301
    found = compare_dimensions(matches, folds=2, ridge=0.5)
    assert found.verdict != "a second dimension predicts better"
    assert found.loss_one < 0.67
