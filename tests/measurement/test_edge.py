"""The better player's share on games of known truth, also where schedules react, seats differ or skills change."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtr

from ludometer.kernels.gibbs.changing import log_likelihood, normal_table
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.yardstick import Reference
from ludometer.measurement.edge.chains import Draws, draw_chains
from ludometer.measurement.edge.duels import Duels, find_duels, lay_out
from ludometer.measurement.edge.edge import Likelihood, measure_edge
from ludometer.measurement.edge.replay import meet_anybody, replay
from ludometer.ratings.prizes import WINNER
from ludometer.simulate import StrengthGame, simulate_coin, simulate_deterministic, simulate_strengths

PLAYERS, MATCHES = 200, 6_000


def play(
    seed: int, share: float, *, window: int = 1, forget: float = 0.0, seat: float = 0.0, cheats: float = 0.0
) -> Matches:
    """The better player wins this share of the matches, a coin decides the others; opponents by current Elo."""
    rng = np.random.default_rng(seed)
    skill, rating = rng.standard_normal(PLAYERS), np.zeros(PLAYERS)
    cheat, keen = rng.random(PLAYERS) < cheats, rng.random(PLAYERS)
    first, second, result = np.empty(MATCHES, np.int32), np.empty(MATCHES, np.int32), np.empty(MATCHES, np.int8)
    for row in range(MATCHES):
        if forget and row % 10 == 9:
            kept = np.exp(-10 / MATCHES / forget)
            skill = kept * skill + np.sqrt(1 - kept**2) * rng.standard_normal(PLAYERS)
        one = int(rng.integers(PLAYERS))
        others = (one + rng.choice(PLAYERS - 1, window, replace=False) + 1) % PLAYERS
        other = int(others[np.abs(rating[others] - rating[one]).argmin()])
        if seat and rng.random() < 0.9 and keen[other] > keen[one]:
            one, other = other, one
        p = (1 - share) / 2 + share * (skill[one] > skill[other]) + seat
        if cheat[one] != cheat[other]:
            p = 0.95 if cheat[one] else 0.05
        won = rng.random() < p
        first[row], second[row], result[row] = one, other, 2 * won
        step = 24 * (won - 1 / (1 + 10 ** ((rating[other] - rating[one]) / 400)))
        rating[one], rating[other] = rating[one] + step, rating[other] - step
    return Matches.of_pairs(first, second, result)


def found(matches: Matches, *, seats: bool = False) -> Likelihood:
    likelihood = measure_edge(matches, matches.counts >= 25, seats=seats, seed=[1])
    assert likelihood is not None
    return likelihood


def test_two_player_matches_are_duels_as_they_are() -> None:
    matches = simulate_coin(20, 300)
    duels = find_duels(matches)
    assert np.array_equal(duels.first, matches.pairs.first)
    assert not duels.is_part
    assert len(find_duels(matches, most=100)) == 100
    assert find_duels(matches, most=100).is_part


def test_of_a_table_with_places_seats_are_put_together_in_twos() -> None:
    matches = simulate_deterministic(40, 200, x=100, per_match=5)
    duels = find_duels(matches)
    assert len(duels) == 2 * len(matches)
    where = {(int(match), int(player)): int(place) for match, player, place in _seats(matches)}
    rows = np.repeat(np.arange(len(matches)), 2).tolist()
    for row, one, other, score in zip(rows, duels.first, duels.second, duels.score, strict=True):
        assert (where[row, int(one)] < where[row, int(other)]) == (score == 1)


def test_where_only_the_winner_is_known_they_meet_one_of_the_others() -> None:
    starts = np.arange(0, 401, 4)
    rng = np.random.default_rng(0)
    player = np.concatenate([rng.choice(30, 4, replace=False) for _ in range(100)])
    matches = Matches.of_seats(starts, player, np.tile([1, 2, 2, 2], 100))
    duels = find_duels(matches)
    assert len(duels) == 100
    assert set(np.unique(duels.score)) == {0.0, 1.0}
    winners = np.where(duels.score == 1, duels.first, duels.second)
    assert np.array_equal(winners, player[::4])


def _seats(matches: Matches) -> list[tuple[int, int, int]]:
    seats = matches.seats
    match = np.repeat(np.arange(len(matches)), seats.sizes)
    return list(zip(match, seats.player, seats.place, strict=True))


def test_the_likelihood_is_that_of_the_formula() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 10, 80).astype(np.int32)
    second = ((first + rng.integers(1, 10, 80)) % 10).astype(np.int32)
    duels = Duels(first, second, rng.choice([0.0, 0.5, 1.0], 80), np.arange(80) / 80, 10, 80)
    bouts, spells = lay_out(duels, seats=True)
    skill = rng.standard_normal(len(spells.gap))
    gap = 1.3 * (skill[duels.first] - skill[duels.second]) + 0.4
    win = 0.1 + 0.8 * ndtr(gap / np.sqrt(2))
    plain = float((duels.score * np.log(win) + (1 - duels.score) * np.log(1 - win)).sum())
    assert log_likelihood(bouts, skill, 1.3, 0.2, 0.4, normal_table()) == pytest.approx(plain, abs=1e-3)


def test_spells_split_players_and_know_the_time_between() -> None:
    duels = Duels(
        np.array([0, 0, 0], np.int32), np.array([1, 1, 2], np.int32), np.ones(3), np.array([0.0, 0.5, 0.9]), 3, 3
    )
    bouts, spells = lay_out(duels, spells=4)
    assert np.diff(spells.starts).tolist() == [3, 2, 1]
    assert spells.gap[[1, 2]].tolist() == [0.5, 0.25]
    assert int(np.diff(bouts.starts).sum()) == 6


def test_draws_agree_with_weighted_draws_from_the_prior() -> None:
    first, second = np.array([0, 0, 0, 1, 1, 0, 2, 1], np.int32), np.array([1, 1, 2, 2, 2, 1, 0, 0], np.int32)
    score = np.array([1, 1, 1, 1, 0, 1, 0, 0.0])
    duels = Duels(first, second, score, np.arange(8) / 8, 3, 8)
    draws = draw_chains(duels, np.ones(3, bool), seed=[5])
    rng = np.random.default_rng(1)
    n = 400_000
    sigma = np.minimum(np.abs(np.tan(np.pi / 2 * rng.random(n))), np.exp(3.4))
    coins = rng.random(n)
    skill = sigma[:, np.newaxis] * rng.standard_normal((n, 3))
    win = coins[:, np.newaxis] / 2 + (1 - coins[:, np.newaxis]) * ndtr((skill[:, first] - skill[:, second]) / 2**0.5)
    weight = np.prod(np.where(score == 1, win, 1 - win), axis=1)
    weight /= weight.sum()
    apart = [np.abs(2 * ndtr((skill[:, a] - skill[:, b]) / 2**0.5) - 1) for a, b in ((0, 1), (0, 2), (1, 2))]
    share = 0.5 + 0.5 * (1 - coins) * np.mean(apart, axis=0)
    assert draws.edge.mean() == pytest.approx(float(weight @ share), abs=0.02)
    assert draws.coins.mean() == pytest.approx(float(weight @ coins), abs=0.04)


@pytest.mark.parametrize("window", [1, 12])
def test_a_queue_by_current_ratings_does_not_matter(window: int) -> None:
    edge = found(play(2, 0.6, window=window)).edge
    assert edge.interval[0] - 0.005 <= 0.8 <= edge.interval[1] + 0.005
    assert edge.interval[1] - edge.interval[0] < 0.05
    assert 0.3 < edge.coin_share < 0.5


def test_a_noisy_game_is_covered_too() -> None:
    game = StrengthGame(PLAYERS, sd=150, seed=4)
    matches, skill = simulate_strengths(PLAYERS, MATCHES, sd=150, seed=4), game.skill
    gap = np.abs(skill[:, np.newaxis] - skill)[~np.eye(PLAYERS, dtype=bool)]
    truth = float((1 / (1 + 10 ** (-gap / 400))).mean())
    low, high = found(matches).edge.interval
    assert low <= truth <= high


def test_a_coin_may_be_a_coin() -> None:
    edge = found(simulate_coin(PLAYERS, MATCHES, seed=2)).edge
    assert edge.interval[0] == 0.5
    assert edge.better_player_wins < 0.53
    assert "certainty 100%" in edge.sentence()


def test_a_seat_that_players_keep_is_no_skill() -> None:
    matches = play(3, 0.0, seat=0.2)
    assert found(matches, seats=True).edge.interval[0] == 0.5
    assert found(matches).edge.interval[0] > 0.55


def test_streaks_change_and_outliers_are_seen_and_clean_records_have_none() -> None:
    odd = found(play(5, 0.4)).edge.oddities
    assert not any((odd.reacts, odd.changes, odd.has_outliers, odd.has_matchups))
    assert found(play(6, 0.2, cheats=0.05)).edge.oddities.has_outliers
    changing = found(play(7, 0.6, forget=0.25))
    assert changing.edge.oddities.changes
    assert changing.changing is not None
    assert changing.edge.better_player_wins > float(np.median(changing.draws.edge)) + 0.03


def test_who_wins_stays_and_has_it_easier_is_a_streak() -> None:
    rng = np.random.default_rng(8)
    rows, champion = [], 0
    for _ in range(MATCHES):
        challenger = int((champion + rng.integers(1, PLAYERS)) % PLAYERS)
        stays = rng.random() < 0.7
        pair = (champion, challenger, 2 * stays) if rng.random() < 0.5 else (challenger, champion, 2 * (not stays))
        rows.append(pair)
        champion = champion if stays else challenger
    first, second, result = (np.array(column) for column in zip(*rows, strict=True))
    assert found(Matches.of_pairs(first, second, result.astype(np.int8))).edge.oddities.reacts


def test_random_opponents_play_as_often_and_never_themselves() -> None:
    matches = simulate_strengths(30, 500, seed=1)
    shuffled = meet_anybody(matches, seed=[0])
    assert (shuffled.pairs.first != shuffled.pairs.second).all()
    assert np.abs(shuffled.counts - matches.counts).max() <= 2


def test_x_of_a_population_is_that_of_its_game() -> None:
    matches = play(9, 0.6, window=12)
    counted = matches.counts >= 25
    likelihood = found(matches)
    yardstick = replay(
        matches, counted, likelihood.draws, k=20, prizes=WINNER, reference=Reference(), seed=[1], most=40
    )
    low, high = yardstick.deterministic.interval
    assert low - 1 <= 60 <= high + 1
    assert high - low < 15


def test_the_same_seed_gives_the_same_draws_whoever_works() -> None:
    from ludometer.parallel import Workers

    matches = simulate_strengths(40, 800, seed=3)
    runs: list[Draws] = [
        draw_chains(find_duels(matches), matches.counts >= 10, seed=[4], workers=Workers(jobs=jobs), length=0.5)
        for jobs in (1, 2)
    ]
    for one, other in pairwise(runs):
        assert np.array_equal(one.edge, other.edge)
        assert np.array_equal(one.skills, other.skills)
