"""What a schedule alone tells: random pairing is not detected, closeness and pools are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

from ludometer.matches import Matches
from ludometer.measurement.record import pairing as schedule
from ludometer.measurement.record.pairing import Structure, find_structure, links
from ludometer.simulate import simulate_coin, simulate_strengths
from tests.measurement.schedules import closest_of, in_pools


def structure_of(matches: Matches, seed: int = 0) -> Structure:
    return find_structure(matches, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("activity", [0.0, 1.0])
def test_random_pairing_is_not_detected(activity: float) -> None:
    found = [structure_of(simulate_strengths(500, 10_000, activity=activity, seed=seed)) for seed in range(12)]
    assert sum(one.detected for one in found) <= 1
    quiet = next(one for one in found if not one.detected)
    assert quiet.closeness == 0
    assert quiet.directions.shape == (500, 0)
    assert (quiet.looseness == 1).all()


@pytest.mark.parametrize("per_match", [3, 6])
def test_random_tables_are_not_detected_though_those_at_one_hang_together(per_match: int) -> None:
    found = [structure_of(simulate_coin(300, 3_000, per_match=per_match, seed=seed)) for seed in range(6)]
    assert sum(one.detected for one in found) <= 1


@pytest.mark.parametrize("candidates", [2, 3, 8])
def test_opponents_of_like_strength_are_detected_and_placed(candidates: int) -> None:
    strength, matches = closest_of(1_000, 15_000, candidates)
    found = structure_of(matches)
    assert found.detected
    assert found.eigenvalues[0] > 1.03 * found.edge
    busy = matches.counts >= 25
    # the first direction is strength itself, but for its sign; the others are curves over it
    assert abs(np.corrcoef(found.directions[busy, 0], strength[busy])[0, 1]) > 0.75
    pairs = matches.pairs
    true = np.corrcoef(strength[pairs.first], strength[pairs.second])[0, 1]
    assert found.closeness == pytest.approx(true, abs=0.15)


def test_the_closer_opponents_are_the_closer_they_are_found_to_be() -> None:
    found = [structure_of(closest_of(1_000, 15_000, candidates)[1]).closeness for candidates in (2, 3, 8)]
    assert found == sorted(found)
    assert found[0] > 0.3
    assert 0.8 < found[-1] < 1


@pytest.mark.parametrize("pools", [2, 4])
def test_pools_are_detected_and_told_apart(pools: int) -> None:
    matches = in_pools(400, 12_000, pools)
    found = structure_of(matches)
    assert found.detected
    assert found.directions.shape[1] == pools - 1
    pool = np.arange(400) % pools
    within = sum(found.directions[pool == one].var(axis=0) for one in range(pools)) / pools
    assert (within < 0.2 * found.directions.var(axis=0)).all()


def test_who_played_more_is_placed_more_surely() -> None:
    _, matches = closest_of(1_000, 15_000, 3)
    found, counts = structure_of(matches), matches.counts
    order = np.argsort(counts)
    assert (np.diff(found.looseness[order]) <= 1e-12).all()
    assert found.looseness[counts == 0] == pytest.approx(1)
    assert 0 < found.looseness.min() < 0.1


def test_the_eigenvalues_are_those_of_the_dense_matrix() -> None:
    _, matches = closest_of(60, 1_500, 3)
    pairs = matches.pairs
    met = np.zeros((60, 60))
    np.add.at(met, (pairs.first, pairs.second), 1)
    met += met.T
    degree = met.sum(axis=1)
    scale = 1 / np.sqrt(degree + degree.mean())
    values = linalg.eigvalsh(scale[:, np.newaxis] * met * scale)[::-1]
    found = structure_of(matches)
    np.testing.assert_allclose(found.eigenvalues, values[1 : len(found.eigenvalues) + 1], rtol=2e-3)


@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_a_handful_of_players_have_no_structure_to_find(n_players: int) -> None:
    found = structure_of(simulate_coin(n_players, 100))
    assert found.looseness.shape == (n_players,)
    assert found.directions.shape[0] == n_players


def test_the_links_of_pairs_are_the_matches_themselves() -> None:
    matches = simulate_strengths(20, 50, draws=0.3)
    first, second, halves = links(matches, np.random.default_rng(0))
    pairs = matches.pairs
    assert (first == pairs.first).all()
    assert (second == pairs.second).all()
    assert (halves == pairs.halves).all()


def test_the_links_of_a_table_are_all_its_pairs() -> None:
    matches = Matches.of_seats([0, 3, 5], [0, 1, 2, 3, 0], [1, 2, 2, 2, 1])
    found = sorted(zip(*(column.tolist() for column in links(matches, np.random.default_rng(0))), strict=True))
    assert found == [(0, 1, 2), (0, 2, 2), (1, 2, 1), (3, 0, 0)]


def test_where_pairs_are_too_many_the_seats_of_a_table_form_a_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = simulate_strengths(40, 300, per_match=6)
    monkeypatch.setattr(schedule, "_MOST_LINKS", 100)
    first, second, halves = links(matches, np.random.default_rng(0))
    assert len(first) == len(matches) * 6
    both = np.concatenate((first, second))
    # everybody is linked twice in each of his matches, to somebody else
    np.testing.assert_array_equal(np.bincount(both, minlength=40), 2 * matches.counts)
    assert (first != second).all()
    seats = matches.seats
    table = np.repeat(np.arange(300), 6).tolist()
    places = dict(zip(zip(table, seats.player.tolist(), strict=True), seats.place.tolist(), strict=True))
    for number, (one, other, scored) in enumerate(zip(first.tolist(), second.tolist(), halves, strict=True)):
        assert scored == 2 * (places[number // 6, one] < places[number // 6, other])


@pytest.mark.parametrize(("n_players", "n_matches"), [(20, 600), (150, 5_000)])
def test_small_random_schedules_are_hardly_ever_called_otherwise(n_players: int, n_matches: int) -> None:
    """With two shuffles a fifth of them were."""
    found = [structure_of(simulate_coin(n_players, n_matches, activity=1.0, seed=seed), seed) for seed in range(30)]
    assert sum(one.detected for one in found) <= 3
