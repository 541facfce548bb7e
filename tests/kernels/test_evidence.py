"""Messages between pairs, their corrections and traces against integrals, dense matrices and plain twins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from ludometer.arrays import Floats
from ludometer.kernels.evidence.corrections import correlate, measure_cumulants
from ludometer.kernels.evidence.pairs import PairTable, Point
from ludometer.kernels.evidence.traces import solve_signs, solve_signs_plain, sum_near, sum_near_plain
from ludometer.kernels.runtime.lanes import allocate
from ludometer.measurement.luck.evidence import PairGame, tally_pairs


def results(gap: Floats, t: float, share: float, won: int, lost: int, tied: int) -> Floats:
    win, loss = special.ndtr((gap - t) / 2**0.5), special.ndtr((-gap - t) / 2**0.5)
    chance = (0.5 * share + (1 - share) * win) ** won * (0.5 * share + (1 - share) * loss) ** lost
    return np.asarray(chance * ((1 - share) * (1 - win - loss)) ** tied)


def log_evidence_of_two(q: float, t: float, share: float, counts: tuple[int, int, int]) -> float:
    """By a sum over the difference, whose variance is 2 q."""
    z = np.linspace(-12, 12, 6_001)
    weight = np.exp(-(z**2) / 2)
    return float(np.log(weight / weight.sum() @ results((2 * q) ** 0.5 * z, t, share, *counts)))


def game_of_two(counts: tuple[int, int, int], t: float, share: float) -> PairGame:
    pairs = PairTable(np.zeros(1, np.int32), np.ones(1, np.int32), *(np.array([float(n)]) for n in counts))
    return PairGame(pairs, 2, tie_sd=5.0 if t else 0.0, share=share, t=t if t else None)


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize(
    ("counts", "t"), [((1, 0, 0), 0.0), ((0, 1, 0), 0.7), ((0, 0, 1), 0.7), ((5, 2, 0), 0.0), ((4, 3, 5), 0.7)]
)
@pytest.mark.parametrize("q", [0.04, 1.0, 6.0])
def test_two_players_have_the_evidence_of_the_integral(
    q: float, counts: tuple[int, int, int], t: float, share: float
) -> None:
    game = game_of_two(counts, t, share)
    for _ in range(6):
        slope = game.slope(q)
    value, by_share = game.weigh(q)
    h = 1e-4
    assert value == pytest.approx(log_evidence_of_two(q, t, share, counts), abs=5e-4)
    up, down = (log_evidence_of_two(q * (1 + side * h), t, share, counts) for side in (1, -1))
    assert slope.slope == pytest.approx((up - down) / (2 * h * q), abs=2e-3)
    up, down = (log_evidence_of_two(q, t, share + side * h, counts) for side in (1, 0))
    assert by_share == pytest.approx((up - down) / h, rel=5e-3, abs=2e-3)
    assert slope.skew == 0


def test_the_skewness_of_factors_brings_three_players_to_the_integral() -> None:
    q, t = 4.0, 0.4
    first, second = np.array([0, 1], np.int32), np.array([1, 2], np.int32)
    pairs = tally_pairs(first, second, np.array([2, 0], np.int8), 3)
    game = PairGame(pairs, 3, tie_sd=5.0, t=t)
    for _ in range(20):
        skew = game.slope(q).skew
    z, weight = np.polynomial.hermite_e.hermegauss(100)
    weight = weight / weight.sum()
    gap = q**0.5 * (z[:, np.newaxis] - z)
    # the middle one lost to both
    both = (weight @ results(gap, t, 0.0, 1, 0, 0)) * (results(gap, t, 0.0, 0, 1, 0) @ weight)
    exact = float(np.log(weight @ both))
    plain = game.weigh(q)[0]
    assert abs(plain - exact) > 5e-4
    assert plain + skew == pytest.approx(exact, abs=0.15 * abs(plain - exact))


def random_game(n_players: int, n_matches: int, seed: int, *, is_tree: bool = False) -> PairGame:
    rng = np.random.default_rng(seed)
    first = np.arange(1, n_players) if is_tree else rng.integers(0, n_players, n_matches)
    second = (
        np.array([rng.integers(0, i) for i in first])
        if is_tree
        else (first + rng.integers(1, n_players, n_matches)) % n_players
    )
    y = rng.normal(0, 2, len(first))
    halves = (1 + np.sign(y) * (np.abs(y) > 0.5)).astype(np.int8)
    codes = first.astype(np.int32), second.astype(np.int32)
    return PairGame(tally_pairs(*codes, halves, n_players), n_players, tie_sd=5.0, t=0.6)


def test_the_slope_is_the_derivative_of_the_evidence_of_the_messages() -> None:
    game, h = random_game(40, 150, 1), 1e-3
    for _ in range(8):
        slope = game.slope(1.5)
    on_tree = slope.slope - slope.loops
    values = []
    for side in (1, -1):
        for _ in range(8):
            game.slope(1.5 + side * h)
        values.append(game.weigh(1.5 + side * h)[0])
    assert on_tree == pytest.approx((values[0] - values[1]) / (2 * h), rel=2e-3)
    assert abs(slope.loops) > 0.01


def covariance(game: PairGame) -> Floats:
    return np.asarray(game.q * game._inverse())


def test_cumulants_flow_along_a_tree_as_the_covariances_say() -> None:
    game = random_game(30, 0, 2, is_tree=True)
    for _ in range(5):
        game.slope(2.0)
    pairs, spread = game.pairs, covariance(game)
    across = np.zeros((len(pairs.one), game.n_players))
    across[np.arange(len(pairs.one)), pairs.one], across[np.arange(len(pairs.one)), pairs.other] = 1, -1
    between = across @ spread @ across.T
    cumulants = np.random.default_rng(3).standard_normal(len(pairs.one))
    expected = cumulants @ between**3 @ cumulants - cumulants**2 @ np.diag(between) ** 3
    assert correlate(pairs, game.messages, 2.0, cumulants, 40) == pytest.approx(expected / 2, rel=1e-6)
    # without cycles nothing is left to correct
    assert np.diag(spread) == pytest.approx(game.skills()[1] ** 2, rel=1e-9)


def test_cumulants_are_those_of_the_factor() -> None:
    for counts, t in (((1, 0, 0), 0.0), ((0, 0, 1), 0.7), ((0, 1, 0), 0.7), ((3, 1, 2), 0.7)):
        game = game_of_two(counts, t, 0.0)
        for _ in range(6):
            game.slope(3.0)
        found = np.empty(1)
        measure_cumulants(game.pairs, game.messages, Point(3.0, game.t, 0.0), game.finer, found)
        z, weight = np.polynomial.hermite_e.hermegauss(150)
        d = 6**0.5 * z
        chance = weight * results(d, t, 0.0, *counts)
        chance /= chance.sum()
        mean = chance @ d
        second, third = chance @ (d - mean) ** 2, chance @ (d - mean) ** 3
        assert found[0] == pytest.approx(third / second**3, abs=2e-4)


def signs(n_players: int) -> Floats:
    z = allocate(n_players, 8)
    z[:] = np.random.default_rng(4).choice([-1.0, 1.0], z.shape)
    return z


def test_signs_are_solved_for_as_by_the_plain_twin_and_by_the_inverse() -> None:
    game = random_game(50, 120, 5)
    game.slope(1.5)
    z, q, site = signs(50), 1.5, game.messages.site
    inverse = game._inverse()
    start = np.random.default_rng(1).standard_normal(z.shape)
    for tolerance, error in ((1e-9, 1e-6), (1e-2, 5e-3)):
        found = []
        for solve in (solve_signs, solve_signs_plain):
            x, sums = allocate(50, 8), np.empty((1, 8))
            x[:] = start
            steps = solve(game.starts, game.pairs.other, site, q, z, x, (tolerance, 500), sums)
            found.append((steps, x, sums))
            # the error of the form is of second order in that of the solution
            np.testing.assert_allclose(sums[0], np.einsum("ik,ij,jk->k", z, inverse, z), rtol=error)
        assert found[0][0] == found[1][0]
        np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-9, atol=1e-12)


def test_near_covariances_are_those_of_a_tree_up_to_two_pairs_away() -> None:
    game = random_game(30, 0, 6, is_tree=True)
    for _ in range(5):
        game.slope(2.0)
    z, sums, plain = signs(30), np.empty((1, 8)), np.empty((1, 8))
    sum_near(game.pairs, game.messages, 2.0, z, sums)
    sum_near_plain(game.pairs, game.messages, 2.0, z, plain)
    np.testing.assert_allclose(sums, plain, rtol=1e-12)
    meets = np.zeros((30, 30), bool)
    meets[game.pairs.one, game.pairs.other] = meets[game.pairs.other, game.pairs.one] = True
    near = (meets | ((meets.astype(int) @ meets) > 0)) & ~np.eye(30, dtype=bool)
    expected = np.einsum("ik,ij,jk->k", z, np.where(near, game._inverse(), 0.0), z)
    np.testing.assert_allclose(sums[0], expected, rtol=1e-9)


def test_traces_from_signs_are_those_of_the_inverse(monkeypatch: pytest.MonkeyPatch) -> None:
    from ludometer.measurement.luck import evidence

    exact = random_game(60, 200, 7).slope(1.0)
    monkeypatch.setattr(evidence, "_DENSE", 0)
    estimated = random_game(60, 200, 7).slope(1.0)
    assert exact.noise == 0 < estimated.noise < 0.2
    assert estimated.loops == pytest.approx(exact.loops, abs=4 * estimated.noise)
    assert abs(exact.loops) > 0.05
