"""Triangles: the decomposition is orthogonal, rock, paper and scissors are found out, ratings alone are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import expit

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.parallel import Workers
from ludometer.ratings.cycles.pair_games import PairGraph, draw_ratings, pair_variance
from ludometer.ratings.cycles.triangles import Triangles, measure_triangles
from ludometer.ratings.draws import draw_results
from ludometer.scale import from_elo


def play(odds: Floats, games: int, rng: np.random.Generator, *, share: float = 1.0, nu: float = 0.0) -> Matches:
    """So many games of each pair, or of a share of the pairs, with these log-odds; draws leave the expected scores."""
    i, j = np.triu_indices(len(odds), 1)
    met = rng.random(len(i)) < share
    first, second = np.repeat(i[met], games), np.repeat(j[met], games)
    score = draw_results(expit(odds[first, second]), nu, rng) / 2
    turned = rng.random(len(first)) < 0.5
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    return Matches.of_pairs(first, second, np.where(turned, 1 - score, score))


def ladder(n: int, sd: float, noise: float, rng: np.random.Generator) -> Floats:
    """Log-odds of players with normal ratings, and of pairs with a deviation of their own."""
    rating = from_elo(sd) * rng.standard_normal(n)
    own = np.triu(from_elo(noise) * rng.standard_normal((n, n)), 1)
    return np.asarray(rating[:, np.newaxis] - rating + own - own.T)


def test_the_parts_of_a_flow_are_those_of_dense_least_squares() -> None:
    rng = np.random.default_rng(0)
    i, j = np.triu_indices(12, 1)
    met = rng.random(len(i)) < 0.4
    graph = PairGraph(i[met].astype(np.int32), j[met].astype(np.int32), 12)
    flow, weight = rng.standard_normal((len(graph), 2)), rng.uniform(1, 5, len(graph))
    root = np.sqrt(weight)[:, np.newaxis]
    gradient = root * graph.incidence.toarray()
    place = {pair: k for k, pair in enumerate(zip(graph.first.tolist(), graph.second.tolist(), strict=True))}
    triads = [
        (place[a, b], place[b, c], place[a, c])
        for a, b in place
        for c in range(b + 1, 12)
        if (b, c) in place and (a, c) in place
    ]
    curl = np.zeros((len(graph), len(triads)))
    for column, edges in enumerate(triads):
        curl[list(edges), column] = [1, 1, -1]
    expected = []
    for basis in (gradient, curl / root):
        fitted = basis @ np.linalg.lstsq(basis, root * flow, rcond=None)[0]
        expected.append((fitted**2).sum(axis=0))
    parts = graph.square_parts(flow, weight)
    np.testing.assert_allclose(parts[:2], expected, rtol=1e-8)
    np.testing.assert_allclose(sum(parts), ((root * flow) ** 2).sum(axis=0), rtol=1e-8)
    assert (parts[2] > 1e-3).all()


def test_ratings_are_drawn_with_the_covariance_of_their_fit() -> None:
    rng = np.random.default_rng(1)
    i, j = np.triu_indices(5, 1)
    graph = PairGraph(i.astype(np.int32), j.astype(np.int32), 5)
    weight = rng.uniform(0.5, 3, len(graph))
    drawn = draw_ratings(graph, weight, 0.25, 40_000, rng)
    dense = graph.incidence.toarray()
    covariance = np.linalg.inv(dense.T @ (weight[:, np.newaxis] * dense) + 0.5 * np.eye(5))
    np.testing.assert_allclose(np.cov(drawn), covariance, atol=4 * covariance.max() * np.sqrt(2 / 40_000))


@pytest.mark.parametrize(("expected", "noise"), [(0.5, 0.3), (0.8, 1.0), (0.93, 0.6)])
def test_the_variance_between_pairs_is_that_of_the_integral(expected: float, noise: float) -> None:
    def moment(centre: float, power: int) -> float:
        def weighted(z: float) -> float:
            return float(expit(centre + noise * z) ** power * np.exp(-z * z / 2) / np.sqrt(2 * np.pi))

        return float(quad(weighted, -9, 9)[0])

    centre = brentq(lambda d: moment(d, 1) - expected, -10, 10)
    variance = moment(centre, 2) - expected**2
    # between the points of its grid it is interpolated
    assert pair_variance(np.array([expected]), noise)[0] == pytest.approx(variance, rel=2e-3)


@pytest.mark.parametrize(("noise", "nu"), [(60.0, 0.0), (120.0, 1.0)])
def test_the_noise_of_pairs_is_recovered(noise: float, nu: float) -> None:
    rng = np.random.default_rng(int(noise))
    found = []
    for seed in range(4):
        matches = play(ladder(50, 150, noise, rng), 10, rng, share=0.6, nu=nu)
        found.append(measure_triangles(matches, simulations=40, seed=seed))
    low, high = (np.mean([t.pair_noise.interval[k] for t in found if t.pair_noise.interval]) for k in (0, 1))
    error = (high - low) / (2 * 1.96) / np.sqrt(len(found))
    mean = float(np.mean([t.pair_noise.value for t in found]))
    assert abs(mean - noise) < 3 * error


def test_ratings_alone_are_not_called_triangles() -> None:
    rng = np.random.default_rng(5)
    found = [measure_triangles(play(ladder(40, 150, 0, rng), 5, rng), simulations=60, seed=s) for s in range(10)]
    assert not any(t.detected for t in found)
    for name in ("cyclic", "curl"):
        p_values = np.array([getattr(t, name).p_value for t in found])
        # uniform numbers have the mean 1/2 and the SD 0.29
        assert abs(p_values.mean() - 0.5) < 4 * 0.29 / np.sqrt(10)
    covered = [t.pair_noise.interval is not None and t.pair_noise.interval[0] == 0 for t in found]
    assert np.mean(covered) >= 0.8
    assert all(t.gradient_share + t.harmonic_share + t.curl.observed == pytest.approx(1) for t in found if t.curl)


def test_rock_paper_scissors_is_found_out() -> None:
    rng = np.random.default_rng(2)
    style = np.arange(30) % 3
    wins = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    triangles = measure_triangles(play(wins[style[:, np.newaxis], style].astype(float), 6, rng), simulations=60)
    assert triangles.detected
    assert triangles.pair_noise.p_value == pytest.approx(1 / 61)
    assert triangles.cyclic is not None
    assert triangles.curl is not None
    assert triangles.cyclic.observed > triangles.cyclic.high
    assert triangles.curl.observed > triangles.curl.high
    # a pair is 1, 0 or -1 in log-odds with probability 1/3 each: an SD of 142 points
    assert triangles.pair_noise.value == pytest.approx(142, abs=25)


def test_a_game_that_styles_decide_has_no_finite_noise() -> None:
    first, second = np.tile([0, 1, 2], 40), np.tile([1, 2, 0], 40)
    triangles = measure_triangles(Matches.of_pairs(first, second, np.ones(120)), simulations=20)
    assert (triangles.n_triads, triangles.n_cyclic, triangles.pair_noise.value) == (1, 1, None)
    assert triangles.curl is not None
    assert triangles.curl.observed == pytest.approx(1)
    assert "no finite value" in triangles.summary()


def test_neither_workers_nor_seats_nor_names_change_anything() -> None:
    rng = np.random.default_rng(3)
    matches = play(ladder(20, 150, 80, rng), 4, rng, share=0.7, nu=0.6)
    pairs = matches.pairs

    def numbers(triangles: Triangles) -> list[object]:
        return [*triangles.to_frame()["observed"].to_list(), triangles.n_triads, triangles.n_cyclic]

    one = measure_triangles(matches, simulations=60)
    many = measure_triangles(matches, simulations=60, workers=Workers(jobs=3))
    assert one == many
    swapped = Matches.of_pairs(pairs.second, pairs.first, 1 - pairs.score)
    new = rng.permutation(20)
    renamed = Matches.of_pairs(new[pairs.first], new[pairs.second], pairs.score)
    for other in (swapped, renamed):
        triangles = measure_triangles(other, simulations=60)
        assert numbers(triangles)[:2] == pytest.approx(numbers(one)[:2], rel=1e-6)
        assert numbers(triangles)[3:] == numbers(one)[3:]
        # T subtracts what random signs give, other signs here
        assert triangles.pair_noise.value == pytest.approx(one.pair_noise.value, rel=0.15)


def test_a_record_without_pairs_or_triads_is_told_so() -> None:
    chain = Matches.of_pairs([0, 1] * 5, [1, 2] * 5, [1, 0] * 5)
    triangles = measure_triangles(chain, simulations=20)
    assert (triangles.n_triads, triangles.cyclic, triangles.curl, triangles.detected) == (0, None, None, False)
    assert triangles.to_frame()["measure"].to_list() == ["T"]
    with pytest.raises(MatchDataError, match="no two players met 9 times"):
        measure_triangles(chain, min_games=9)
    for wrong in ({"min_games": 1}, {"simulations": 5}, {"ridge": 0.0}):
        with pytest.raises(LudometerError):
            measure_triangles(chain, **wrong)


def test_the_result_can_be_read_and_drawn() -> None:
    rng = np.random.default_rng(4)
    triangles = measure_triangles(play(ladder(15, 100, 0, rng), 4, rng), simulations=20)
    assert triangles.to_frame().columns == ["measure", "observed", "expected", "low", "high", "p_value"]
    assert len(triangles.summary().splitlines()) <= 20
    assert len(triangles.plot().to_dict()["layer"]) == 2


def test_chess_has_no_triangles_beyond_what_ratings_give(shared_data: Path) -> None:
    kaggle = pl.read_parquet(shared_data / "chess_kaggle2010.parquet")
    twic = pl.read_parquet(
        shared_data / "chess_twic.parquet", columns=["date", "player_1", "player_2", "score_1", "fast"]
    )
    half_year = twic.filter(~pl.col("fast") & (pl.col("date").dt.year() == 2010) & (pl.col("date").dt.month() < 7))
    for rows in (kaggle, half_year):
        names = pl.concat([rows["player_1"], rows["player_2"]]).unique(maintain_order=True)
        code = dict(zip(names, range(len(names)), strict=True))
        first, second = (
            rows[column].replace_strict(code, return_dtype=pl.Int32).to_numpy() for column in ("player_1", "player_2")
        )
        matches = Matches.of_pairs(first, second, rows["score_1"].to_numpy())
        triangles = measure_triangles(matches, min_games=2, simulations=25)
        assert triangles.n_triads > 100
        assert triangles.cyclic is not None
        assert triangles.cyclic.p_value > 0.05
        assert not triangles.detected
