"""Tests that courts and regulators have used, on records whose truth is known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.measurement.legal.average import judge_average
from ludometer.measurement.legal.chance import exchange_results, spread_of_means
from ludometer.measurement.legal.clusters import clustered_variance
from ludometer.measurement.legal.deciles import better_is_ahead, follow_deciles
from ludometer.measurement.legal.expectation import Expectations, estimate_expectations
from ludometer.measurement.legal.experience import measure_experience
from ludometer.measurement.legal.experts import compare_experts
from ludometer.measurement.legal.halves import split_halves
from ludometer.measurement.legal.legal import LegalTests, apply_legal_tests
from ludometer.measurement.legal.outcomes import SeatValues, collect_values
from ludometer.measurement.legal.repetition import find_critical_repetitions, player_repetitions
from ludometer.players import Players
from ludometer.ratings.prizes import RECORDED, WINNER
from ludometer.simulate import simulate_coin, simulate_strengths


def _values(matches: Matches, *, seed: int = 0, **choices: Any) -> SeatValues:
    known: dict[str, Any] = {"k": 16.0, "min_matches": 5, "prizes": WINNER}
    return collect_values(matches, seed=[seed], **(known | choices))


def _made(value: np.ndarray[Any, Any], player: np.ndarray[Any, Any], **given: Any) -> SeatValues:
    """Seats whose results are given, one block each."""
    n = int(player.max()) + 1
    earlier = np.zeros(len(player), np.int64)
    for code in range(n):
        earlier[player == code] = np.arange((player == code).sum())
    known: dict[str, Any] = {
        "player": player.astype(np.int32),
        "block": np.arange(len(player)),
        "value": value,
        "opponents": np.zeros(len(player)),
        "earlier": earlier,
        "codes": np.arange(n, dtype=np.int32),
        "basis": "points",
        "level": 0.0,
        "first_seat": None,
        "has_sessions": False,
        "sampled": False,
    }
    return SeatValues(**(known | given))


def _population(
    seed: int, *, tau: float = 0.05, n: int = 150, most: int = 120
) -> tuple[SeatValues, np.ndarray[Any, Any]]:
    """Players who expect N(0, tau²) per match, with an SD of 0.5, and play 25 to `most` matches."""
    rng = np.random.default_rng(seed)
    expected = rng.normal(0, tau, n)
    player = rng.permutation(np.repeat(np.arange(n), rng.integers(25, most, n)))
    return _made(expected[player] + rng.normal(0, 0.5, len(player)), player), expected


def _sessions(seed: int, *, length: int = 3, label: bool) -> Matches:
    """Coins that a session shares: who wins its first match wins them all."""
    rng = np.random.default_rng(seed)
    first, second = np.array([rng.choice(60, 2, replace=False) for _ in range(500)]).T
    won = rng.integers(0, 2, 500)
    columns: dict[str, Any] = {"session": np.repeat(np.arange(500), length)} if label else {}
    return Matches.of_pairs(*(np.repeat(column, length) for column in (first, second, won)), **columns)


def test_coins_are_rejected_as_often_as_they_should() -> None:
    found = [exchange_results(_values(simulate_coin(40, 600, seed=seed)), [seed]).figure for seed in range(40)]
    p = np.array(found, float)
    assert 0.38 < p.mean() < 0.62
    assert (p < 0.05).mean() <= 0.12
    assert (p < 0.5).mean() > 0.3


def test_skill_is_no_chance() -> None:
    found = exchange_results(_values(simulate_strengths(60, 2_000, sd=150)), [0])
    assert found.figure == pytest.approx(1 / 1000)
    assert found.details["variance_ratio"] > 2 > found.details["ratio_by_chance"][1]
    assert found.in_words == "p ≤ 0.001"


def test_turning_a_match_round_is_exchanging_its_players() -> None:
    """The sign of a block, and the record with the results of that match exchanged: the same spread of means."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 10, 120)
    second = (first + rng.integers(1, 10, 120)) % 10
    result = rng.choice([0, 0.5, 1], 120)
    values = _values(Matches.of_pairs(first, second, result), min_matches=1)
    turned = rng.integers(0, 2, 120).astype(bool)
    sign = np.where(turned, -1.0, 1.0)[values.block]
    exchanged = np.where(turned, 1 - result, result)
    total: dict[int, float] = dict.fromkeys(range(10), 0.0)
    played = dict.fromkeys(range(10), 0)
    for a, b, scored in zip(first.tolist(), second.tolist(), exchanged.tolist(), strict=True):
        total[a] += scored - 0.5
        total[b] += 0.5 - scored
        played[a] += 1
        played[b] += 1
    plain = sum(total[code] ** 2 / played[code] for code in total)
    assert spread_of_means(values, values.value * sign) == pytest.approx(plain)


def test_luck_that_sessions_share_is_no_skill() -> None:
    told = [exchange_results(_values(_sessions(seed, label=True)), [seed]).figure for seed in range(20)]
    untold = [exchange_results(_values(_sessions(seed, label=False)), [seed]).figure for seed in range(20)]
    assert np.mean(np.array(told, float) < 0.05) <= 0.2
    assert np.mean(np.array(untold, float) < 0.05) >= 0.8


def test_seats_that_players_keep_are_no_skill() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 30, 4_000), rng.integers(30, 60, 4_000)
    matches = Matches.of_pairs(first, second, (rng.random(4_000) < 0.6).astype(float))
    values = _values(matches)
    assert values.first_seat == pytest.approx(0.1, abs=0.02)
    found = exchange_results(values, [0]).figure
    assert found is not None
    assert found > 0.05


def test_a_file_that_lists_winners_first_has_no_seats() -> None:
    matches = simulate_strengths(60, 3_000, sd=200)
    pairs = matches.pairs
    won = pairs.halves == 2
    listed = Matches.of_pairs(
        np.where(won, pairs.first, pairs.second), np.where(won, pairs.second, pairs.first), np.ones(len(pairs))
    )
    values, plain = _values(listed), _values(matches)
    assert values.first_seat is None
    assert np.corrcoef(values.means, plain.means)[0, 1] > 0.99


def test_the_spread_of_expectations_is_found_and_covered() -> None:
    found = [estimate_expectations(_population(seed)[0]) for seed in range(100)]
    assert np.mean([one.tau for one in found]) == pytest.approx(0.05, abs=0.003)
    assert np.mean([one.sigma for one in found]) == pytest.approx(0.5, abs=0.003)
    inside = [one.tau_interval[0] <= 0.05 <= one.tau_interval[1] for one in found]
    assert 0.90 <= np.mean(inside) <= 1


def test_luck_is_taken_out_of_what_players_expect() -> None:
    slopes = []
    for seed in range(20):
        values, expected = _population(seed, n=300)
        shrunken = estimate_expectations(values).shrunken
        slopes.append(np.polyfit(shrunken, expected, 1)[0])
    assert np.mean(slopes) == pytest.approx(1, abs=0.08)
    coin = estimate_expectations(_values(simulate_coin(60, 3_000)))
    assert np.abs(coin.shrunken).max() < 0.05 < np.abs(coin.mean).max() + 0.03


def test_sessions_widen_the_luck_of_a_match() -> None:
    plain, told = (estimate_expectations(_values(_sessions(1, label=label))) for label in (False, True))
    assert told.sigma**2 / plain.sigma**2 == pytest.approx(3, rel=0.1)
    assert told.tau < plain.tau


def test_critical_repetitions_are_where_a_lead_is_sure() -> None:
    """After n matches the player is ahead with 97.5%, by the normal distribution: what lambda = 1.96 means."""
    from statistics import NormalDist

    found = Expectations(np.array([0.1, -0.02, 0.0]), np.array([10**9] * 3), 0.5, 0.05, (0.04, 0.06))
    n = player_repetitions(found)
    assert n[0] == pytest.approx((1.96 * 0.5 / 0.1) ** 2, rel=1e-3)
    assert n[2] == np.inf
    assert NormalDist(n[0] * 0.1, n[0] ** 0.5 * 0.5).cdf(0) == pytest.approx(0.025, abs=1e-4)
    test = find_critical_repetitions(found)
    assert test.figure is not None
    assert test.interval is not None
    drawn = np.abs(np.random.default_rng(0).normal(0, 0.05, 200_000))
    assert test.figure == pytest.approx(float(np.median((1.96 * 0.5 / drawn) ** 2)), rel=0.02)
    assert test.interval[0] < test.figure < (test.interval[1] or np.inf)
    endless = find_critical_repetitions(replace(found, tau_interval=(0.0, 0.06)))
    assert endless.interval is not None
    assert endless.interval[1] is None
    assert "no limit" in endless.in_words


def test_no_number_of_matches_is_enough_for_a_coin() -> None:
    found = find_critical_repetitions(Expectations(np.zeros(3), np.ones(3, np.int64), 0.5, 0.0, (0.0, 0.01)))
    assert found.figure is None
    assert "no number" in found.says


def test_duels_are_settled_when_the_formula_says() -> None:
    found = Expectations(np.zeros(2), np.ones(2, np.int64), 0.5, 0.05, (0.04, 0.06))
    rng = np.random.default_rng(0)
    expected = rng.normal(0, 0.05, (2, 400_000))
    for n in (10, 100):
        sums = n * expected + np.sqrt(n) * rng.normal(0, 0.5, expected.shape)
        ahead = np.mean((sums[0] > sums[1]) == (expected[0] > expected[1]))
        assert better_is_ahead(n, found) == pytest.approx(float(ahead), abs=0.003)
    assert better_is_ahead(100, found) == pytest.approx(0.75)


def test_deciles_of_coins_and_of_skill() -> None:
    stays = []
    for seed in range(10):
        values = _values(simulate_coin(200, 8_000, seed=seed))
        stays.append(follow_deciles(values, estimate_expectations(values), [seed]).figure)
    assert np.mean(np.array(stays, float)) == pytest.approx(0.1, abs=0.05)
    values = _values(simulate_strengths(200, 8_000, sd=200))
    found = follow_deciles(values, estimate_expectations(values), [0])
    assert found.figure is not None
    assert found.interval is not None
    assert found.interval[0] > 0.2
    table = np.array(found.details["transitions"])
    assert table.sum() == found.details["players"]
    assert table.sum(axis=0).tolist() == table.sum(axis=1).tolist()
    few = _values(simulate_coin(20, 2_000))
    assert "50 are needed" in follow_deciles(few, estimate_expectations(few), [0]).says


def test_r_star_by_its_definition() -> None:
    """Win fractions of halves, as the paper has them, without arrays."""
    values = _values(simulate_strengths(40, 2_000, sd=120, seed=4))
    results: dict[int, list[float]] = {}
    for player, value in zip(values.player.tolist(), (values.value + 0.5).tolist(), strict=True):
        results.setdefault(player, []).append(value)
    s2 = t2 = 0.0
    for own in results.values():
        n, half = len(own), len(own) // 2
        w = sum(own) / n
        if min(n * w / 2, n * (1 - w) / 2) <= 5:
            continue
        p, q = sum(own[:half]) / half, sum(own[half:]) / (n - half)
        variance = 2 * (sum(value**2 for value in own) / n - w**2) / n
        s2 += ((p + q - 1) ** 2 / 2) / variance
        t2 += ((q - p) ** 2 / 2) / variance
    assert split_halves(values).figure == pytest.approx(1 - t2 / s2)


def test_r_star_of_coins_and_of_skill() -> None:
    found = [split_halves(_values(simulate_coin(100, 3_000, seed=seed))) for seed in range(40)]
    figures = np.array([one.figure for one in found], float)
    assert abs(np.median(figures)) < 0.1
    inside = [low <= one.figure <= high for one in found for low, high in [one.details["by_chance"]] if one.figure]
    assert np.mean(inside) >= 0.85
    covered = [one.interval[0] <= 0 <= (one.interval[1] or 1) for one in found if one.interval]
    assert np.mean(covered) >= 0.85
    skill = split_halves(_values(simulate_strengths(100, 6_000, sd=200)))
    assert skill.figure is not None
    assert skill.figure > 0.8


def test_experts_get_what_they_are_worth() -> None:
    rng = np.random.default_rng(2)
    player = rng.permutation(np.repeat(np.arange(100), 60))
    expected = np.where(np.arange(100) < 10, 0.09, -0.01)
    values = _made(expected[player] + rng.normal(0, 0.5, len(player)), player)
    found = compare_experts(values, list(range(10)))
    assert found.figure == pytest.approx(0.1, abs=0.06)
    assert found.interval is not None
    assert found.interval[0] > 0
    nobody = compare_experts(values, None)
    assert nobody.figure is None
    assert "--experts" in nobody.says
    assert "1 of 1 experts" in compare_experts(values, [3]).says
    covered = 0
    for seed in range(100):
        rng = np.random.default_rng([7, seed])
        drawn = _made(expected[player] + rng.normal(0, 0.5, len(player)), player)
        low, high = compare_experts(drawn, list(range(10))).interval or (1.0, 0.0)
        covered += low <= 0.1 <= (high or 0)
    assert covered >= 90


def test_experts_are_known_by_name() -> None:
    matches = simulate_strengths(30, 3_000, sd=300)
    named = replace(matches, players=Players.named([f"P{code}" for code in range(30)]))
    best = np.argsort(-_values(named).means)[:4]
    found = apply_legal_tests(named, experts=[f" P{code} " for code in best])
    expert = found.by_name()["experts named beforehand"]
    assert expert.figure is not None
    assert expert.figure > 0.1
    with pytest.raises(LudometerError, match="1 of 2 experts are not in the record: Nobody"):
        apply_legal_tests(named, experts=["P1", "Nobody"])


def test_learning_is_found_and_strong_opponents_are_allowed_for() -> None:
    rng = np.random.default_rng(5)
    player = rng.permutation(np.repeat(np.arange(80), 150))
    made = _made(np.zeros(len(player)), player)
    opponents = 20 * np.log2(1 + made.earlier) + rng.normal(0, 30, len(player))
    value = 0.01 * np.log2(1 + made.earlier) - 0.001 * opponents + rng.normal(0, 0.1, len(player))
    found = measure_experience(_made(value, player, opponents=opponents))
    assert found.figure == pytest.approx(0.01, abs=0.003)
    assert found.details["per_100_points_of_opponents"] == pytest.approx(-0.1, abs=0.01)
    assert "Players learn" in found.says
    # whoever does not allow for the opponents sees players get worse
    hidden = measure_experience(_made(value, player))
    assert hidden.figure is not None
    assert hidden.figure < 0


def test_coins_are_not_learnt() -> None:
    covered = 0
    for seed in range(40):
        low, high = measure_experience(_values(simulate_coin(60, 2_000, seed=seed))).interval or (1.0, 0.0)
        covered += low <= 0 <= (high or 0)
    assert covered >= 34


def test_errors_allow_for_players_and_for_matches() -> None:
    """Two-way sums by hand; in a record of duels what one wins the other loses."""
    values = _values(simulate_strengths(8, 60, sd=200), min_matches=1)
    effect = values.value / len(values.value)
    sums: dict[tuple[str, int], float] = {}
    for player, block, one in zip(values.player.tolist(), values.block.tolist(), effect.tolist(), strict=True):
        for key in (("player", player), ("block", block)):
            sums[key] = sums.get(key, 0.0) + one
    plain = sum(total**2 for total in sums.values()) - float(effect @ effect)
    assert clustered_variance(values, effect) == pytest.approx(plain * 8 / 7)
    covered = 0
    for seed in range(60):
        coin = _values(simulate_coin(40, 1_200, seed=seed))
        low, high = compare_experts(coin, list(range(15))).interval or (1.0, 0.0)
        covered += low <= 0 <= (high or 0)
    assert covered >= 52


def test_the_player_in_the_middle_of_a_duel_is_at_chance() -> None:
    values = _values(simulate_strengths(200, 8_000, sd=200))
    found = judge_average(values, estimate_expectations(values))
    assert found.figure == pytest.approx(0.5, abs=0.08)
    assert found.details["median_player"] == pytest.approx(0.5, abs=0.05)
    assert found.details["players_surely_above"] > 40
    coin = _values(simulate_coin(200, 8_000))
    assert judge_average(coin, estimate_expectations(coin)).details["players_surely_above"] < 15


def _tables(seed: int, *, prize: bool) -> Matches:
    rng = np.random.default_rng(seed)
    player = np.array([rng.choice(30, 4, replace=False) for _ in range(800)])
    strength = player + rng.normal(0, 15, player.shape)
    place = 1 + np.argsort(np.argsort(-strength, axis=1), axis=1)
    money = np.array([70.0, 30.0, 0.0, 0.0])[place - 1].ravel() if prize else None
    return Matches.of_seats(np.arange(0, 3_201, 4), player.ravel(), place.ravel(), prize=money)


def test_money_is_used_where_it_is_recorded() -> None:
    values = _values(_tables(0, prize=True), prizes=RECORDED)
    assert values.basis == "money"
    assert values.level == pytest.approx(25)
    assert abs(values.value.sum()) < 1e-6 * len(values.value)
    assert np.corrcoef(values.means, np.arange(30))[0, 1] > 0.9
    wins = _values(_tables(0, prize=False))
    assert wins.basis == "wins"
    assert wins.level == pytest.approx(0.25)
    found = apply_legal_tests(_tables(0, prize=True), prizes=RECORDED)
    assert "money" in found.remarks()[0]


def test_points_are_used_where_somebody_asked_for_them() -> None:
    matches = simulate_strengths(30, 2_000, sd=200)
    first = matches.pairs.score
    goals = np.column_stack((1 + 2 * first, 1 + 2 * (1 - first)))
    asked = matches.with_columns(score=goals)
    assert _values(asked).basis == "points"
    assert _values(replace(asked, unasked=frozenset({"score"}))).basis == "wins"
    golf = matches.with_columns(score=-goals)
    assert np.allclose(_values(golf).means, _values(asked).means)


def test_seats_of_larger_tables_are_taken_out() -> None:
    rng = np.random.default_rng(1)
    player = np.array([rng.choice(30, 4, replace=False) for _ in range(2_000)])
    player.sort(axis=1)  # players keep to their seats
    place = 1 + np.argsort(np.argsort(rng.normal(0, 1, player.shape) - [0.8, 0.2, 0, 0], axis=1), axis=1)
    values = _values(Matches.of_seats(np.arange(0, 8_001, 4), player.ravel(), place.ravel()))
    assert values.first_seat is not None
    assert values.first_seat > 0.05
    found = exchange_results(values, [0]).figure
    assert found is not None
    assert found > 0.01


def test_long_records_are_sampled_and_say_so() -> None:
    matches = simulate_strengths(200, 8_000, sd=150)
    found = apply_legal_tests(matches, most_seats=4_000)
    assert found.sampled
    assert found.n_players < 60
    assert any("random players" in line for line in found.remarks())
    assert found.by_name()["pure chance"].figure is not None
    assert found.document() == apply_legal_tests(matches, most_seats=4_000).document()


def _nulls(part: Any, place: str = "") -> list[str]:
    if part is None:
        return [place]
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [one for name, entry in inside for one in _nulls(entry, f"{place}.{name}".strip("."))]


@pytest.mark.parametrize("kind", ["skill", "coin", "few"])
def test_every_null_has_its_reason(kind: str) -> None:
    made = {
        "skill": simulate_strengths(80, 4_000, sd=200),
        "coin": simulate_coin(80, 4_000),
        "few": simulate_coin(4, 60),
    }
    found: LegalTests = apply_legal_tests(made[kind], min_matches=10)
    document = found.document()
    assert [entry["test"] for entry in document["legal"]] == list(found.by_name())
    assert len(found.tests) == 8
    assert set(_nulls({"legal": document["legal"]})) == set(document["absent"])
    assert all(document["absent"].values())
    json.dumps(document, allow_nan=False)
    assert len(found.to_frame()) == 8
    assert found.summary().count("\n") == 8


def test_the_page_shows_what_the_benchmark_found() -> None:
    root = Path(__file__).parents[2]
    found = json.loads((root / "benchmarks" / "results" / "legal.json").read_text(encoding="utf-8"))
    page = (root / "docs" / "legal.md").read_text(encoding="utf-8").replace("\\*", "*")
    for name in ("coin", "coin, sessions of 3"):
        row = found[name]
        assert (
            f"rejected at 5% in {100 * row['rejected_at_5_percent']:.1f}%; the interval of R* holds 0 in "
            f"{100 * row['r_star_holds_0']:.1f}%, that of experience in {100 * row['experience_holds_0']:.1f}%; "
            f"{100 * row['stays_in_top_tenth']:.1f}% stay"
        ) in page
    for sd in (100, 200):
        row = found[f"skill, SD {sd}"]
        assert (
            f"SD {sd} | τ is {row['tau']:.3f} (truth {row['true_tau']:.3f}), its interval holds the truth in "
            f"{100 * row['tau_holds']:.1f}%; a duel takes {row['duel_matches']:.1f} matches (truth "
            f"{row['true_duel_matches']:.1f}); R* is {row['r_star']:.2f} |"
        ) in page


def test_players_are_listed_with_their_own_numbers() -> None:
    frame = apply_legal_tests(simulate_strengths(50, 3_000, sd=200)).players_frame()
    assert len(frame) == 50
    assert frame["expected"].is_sorted(descending=True)
    assert (frame["expected"].abs() <= frame["mean"].abs()).all()
