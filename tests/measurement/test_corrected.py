"""L and l2 without the bias of fitted skills: 1 for coins, the truth for skilled games, each number by two routes."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest

from ludometer.errors import MatchDataError
from ludometer.matches import Matches
from ludometer.measurement import LuckChoices, correct_luck, measure_luck, normal_luck, population_luck
from ludometer.measurement.luck.corrected import CorrectedLuck, normal_scores_of_places, score_without_skill
from ludometer.measurement.luck.evidence import PairGame, tally_pairs
from ludometer.scale import elo_to_probit
from ludometer.simulate import simulate_coin, simulate_strengths


def uneven_coin(n_players: int, n_matches: int, seed: int, ties: float = 0.0) -> Matches:
    """A coin among players of whom few play much and many hardly."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, n_players + 1)
    first, second = (rng.choice(n_players, n_matches, p=share / share.sum()) for _ in range(2))
    differ = first != second
    result = np.where(rng.random(n_matches) < ties, 0.5, rng.integers(0, 2, n_matches))
    return Matches.of_pairs(first[differ], second[differ], result[differ])


def test_coins_have_no_skill_on_average_on_sparse_schedules() -> None:
    found = [correct_luck(simulate_coin(200, 600, seed=seed)) for seed in range(40)]
    found += [correct_luck(uneven_coin(300, 900, seed, ties=0.2)) for seed in range(40)]
    luck, l2 = (np.array([getattr(one, name) for one in found]) for name in ("luck", "l2"))
    for value in (luck, l2):
        assert abs(value.mean() - 1) < 3 * value.std() / math.sqrt(len(value))
    assert abs(luck.mean() - 1) < 0.003
    covered = np.mean([one.luck_interval[0] <= 1 <= one.luck_interval[1] for one in found])
    assert covered > 0.9
    # fitted skills take the same coins for skill
    assert measure_luck(simulate_coin(200, 600, seed=0), choices=LuckChoices(draws=0)).ridge.luck < 0.97  # type: ignore[union-attr]


@pytest.mark.parametrize("n_matches", [900, 9_000])
def test_the_truth_of_skilled_games_is_found(n_matches: int) -> None:
    variance = elo_to_probit(150.0) ** 2
    truth = normal_luck(variance**0.5)
    found = [correct_luck(simulate_strengths(300, n_matches, sd=150, seed=seed)) for seed in range(12)]
    mean = np.mean([one.luck for one in found])
    assert abs(mean - truth) < 0.01
    assert sum(one.luck_interval[0] <= truth <= one.luck_interval[1] for one in found) >= 10
    assert sum(one.l2_interval[0] <= 1 / (1 + variance) <= one.l2_interval[1] for one in found) >= 10


def test_the_slope_at_no_skill_is_that_of_the_evidence() -> None:
    for ties in (0.0, 0.3):
        matches = uneven_coin(40, 300, 3, ties)
        start, pairs, n = score_without_skill(matches), matches.pairs, len(matches.players)
        table = tally_pairs(pairs.first, pairs.second, pairs.halves, n)
        slope = PairGame(table, n, tie_sd=5.0 if ties else 0.0).slope(1e-4)
        assert start.slope == pytest.approx(slope.slope, abs=0.02 * math.sqrt(start.information))


def test_the_information_is_the_variance_over_all_results() -> None:
    # two of the three players meet twice
    first, second = [0, 0, 1, 0], [1, 1, 2, 2]
    slopes = [
        score_without_skill(Matches.of_pairs(first, second, list(result))).slope for result in np.ndindex(2, 2, 2, 2)
    ]
    start = score_without_skill(Matches.of_pairs(first, second, [1, 0, 1, 1]))
    assert np.mean(slopes) == pytest.approx(0, abs=1e-12)
    assert np.var(slopes) == pytest.approx(start.information)


def test_tables_too_have_the_variance_over_all_orders() -> None:
    starts, player = [0, 3, 6, 8], [0, 1, 2, 0, 1, 3, 0, 3]
    three, two = list(permutations((1, 2, 3))), [(1, 2), (2, 1)]
    records = [Matches.of_seats(starts, player, [*a, *b, *c]) for a in three for b in three for c in two]
    found = [score_without_skill(record) for record in records]
    slopes = [one.slope for one in found]
    assert np.mean(slopes) == pytest.approx(0, abs=1e-12)
    assert np.var(slopes) == pytest.approx(found[0].information)


def test_the_slope_is_the_sum_over_pairs_of_matches_that_share_a_player() -> None:
    matches = simulate_strengths(12, 30, sd=300, per_match=4, seed=5)
    seats = matches.seats
    told = normal_scores_of_places(seats).reshape(-1, 4)
    players = seats.player.reshape(-1, 4)
    total = 0.0
    for one, other in combinations(range(len(seats)), 2):
        for seat, player in enumerate(players[one]):
            total += told[one, seat] * told[other, players[other] == player].sum()
    assert score_without_skill(matches).slope == pytest.approx(total)


def test_what_a_place_says_is_the_expected_order_statistic() -> None:
    draws = np.sort(np.random.default_rng(1).standard_normal((200_000, 5)), axis=1)[:, ::-1].mean(axis=0)
    seats = Matches.of_seats([0, 5], np.arange(5), np.arange(1, 6)).seats
    assert normal_scores_of_places(seats) == pytest.approx(draws, abs=0.01)
    two = normal_scores_of_places(Matches.of_pairs([0], [1], [1]).seats)
    assert two.tolist() == pytest.approx([math.pi**-0.5, -(math.pi**-0.5)])


def test_luck_of_a_population_is_that_of_many_players() -> None:
    from dataclasses import replace

    from ludometer.measurement import measure_entropy_luck
    from ludometer.strength import fit_skills

    for sd in (0.0, 0.4, 1.5):
        assert population_luck(sd**2) == pytest.approx(normal_luck(sd), abs=1e-9)
    some = fit_skills(simulate_coin(300, 3_000, seed=1))
    skill = np.random.default_rng(2).permutation(np.linspace(-3, 3, 300))
    weight = np.exp(-0.5 * skill**2)
    drawn = replace(some, skill=0.8 * skill, threshold=0.5)
    spread = float(weight @ drawn.skill**2 / weight.sum())
    entropy = measure_entropy_luck(drawn, weights=weight)
    ties = float(entropy.overall[1])
    assert population_luck(spread, ties=ties) == pytest.approx(entropy.luck, abs=0.002)
    tables = measure_entropy_luck(replace(drawn, threshold=0.0), per_match=4, weights=weight)
    assert population_luck(spread, per_match=4) == pytest.approx(tables.luck, abs=0.002)


def test_multiplayer_coins_and_skills() -> None:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(40):
        player = np.concatenate([rng.permutation(200)[:4] for _ in range(250)])
        matches = Matches.of_seats(np.arange(0, 1001, 4), player, rng.random(1000))
        found.append(correct_luck(matches, per_match=4))
    luck = np.array([one.luck for one in found])
    assert abs(luck.mean() - 1) < 3 * luck.std() / math.sqrt(len(luck))
    assert {one.method for one in found} == {"score"}
    assert np.mean([one.luck_interval[0] <= 1 <= one.luck_interval[1] for one in found]) > 0.85
    skilled = measure_luck(simulate_strengths(60, 1500, sd=200, per_match=4, seed=2)).corrected
    assert skilled is not None
    assert skilled.method == "draws"
    # Gumbel performances, read on the normal scale
    assert skilled.l2_interval[0] - 0.03 < 1 / (1 + elo_to_probit(200.0) ** 2) < skilled.l2_interval[1] + 0.03


def test_a_variance_below_none_reads_as_far_above_one_as_its_opposite_below() -> None:
    above, below = (CorrectedLuck.of(v, (v - 0.1, v + 0.1), 0.1, 2, "score") for v in (0.05, -0.05))
    assert above.luck + below.luck == pytest.approx(2)
    assert above.l2 + below.l2 == pytest.approx(2)
    assert above.luck_interval[0] + below.luck_interval[1] == pytest.approx(2)


def test_records_that_say_nothing_are_refused() -> None:
    with pytest.raises(MatchDataError, match="share a player"):
        correct_luck(Matches.of_pairs([0, 2], [1, 3], [1, 0]))
    luck = measure_luck(Matches.of_pairs([0, 1, 2], [1, 2, 0], [0.5, 0.5, 0.5]))
    assert luck.corrected is None
    assert "share a player" in luck.absent["luck.corrected"]


def test_results_without_contradictions_still_have_an_answer_or_a_reason() -> None:
    chain = Matches.of_pairs([0, 1, 2, 3], [1, 2, 3, 4], [1, 1, 1, 1])
    found = correct_luck(chain)
    low, high = found.luck_interval
    assert low < found.luck < high
