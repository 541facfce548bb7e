"""Entropy luck: against sums over all pairs and tables, at its limits, and for other matchmakers and seasons."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.kernels.skills.places import place_chances_plain
from ludometer.matches import Matches
from ludometer.measurement.luck import entropy as module
from ludometer.measurement.luck.entropy import (
    continuous_luck,
    count_winners,
    information_of_densities,
    measure_continuous_luck,
    measure_empirical_luck,
    measure_entropy_luck,
    measure_luck_under,
    measure_matchmaking_luck,
    measure_season_luck,
    weigh_by_experience,
)
from ludometer.players import Players
from ludometer.result import Provenance
from ludometer.simulate import simulate_coin, simulate_deterministic, simulate_strengths
from ludometer.strength.pairwise import fit_skills
from ludometer.strength.ranked import fit_orders
from ludometer.strength.skills import Link, Skills, cdf


def skills_of(
    skill: Floats, *, link: Link = "probit", threshold: float = 0.0, advantage: float | None = None
) -> Skills:
    n = len(skill)
    return Skills(
        players=Players.numbered(n),
        skill=skill,
        link=link,
        threshold=threshold,
        advantage=advantage,
        ridge=0.25,
        log_likelihood=0.0,
        n_matches=0.0,
        island=np.zeros(n, np.int32),
        n_steps=0,
        converged=True,
        provenance=Provenance("given"),
    )


def entropy(distribution: Floats) -> float:
    return float(-sum(p * math.log2(p) for p in distribution if p > 0))


def over_all_pairs(skills: Skills, weight: Floats | None = None) -> float:
    """L by the n x n sum."""
    s, t, n = skills.skill, skills.threshold, len(skills.skill)
    share = np.ones(n) if weight is None else weight
    pair = np.outer(share, share)
    np.fill_diagonal(pair, 0)
    chances = np.zeros((n, 3))
    seats = [0.0] if skills.advantage is None else [skills.advantage, -skills.advantage]
    for seat in seats:
        d = s[:, np.newaxis] - s + seat
        win, loss = cdf(d - t, skills.link), cdf(-d - t, skills.link)
        for k, chance in enumerate((win, 1 - win - loss, loss)):
            chances[:, k] += (pair * chance).sum(axis=1) / pair.sum(axis=1) / len(seats)
    of_player = pair.sum(axis=1) / pair.sum()
    conditional = sum(float(q) * entropy(row) for q, row in zip(of_player, chances, strict=True))
    return conditional / entropy(of_player @ chances)


@pytest.mark.parametrize("link", ["probit", "logit"])
@pytest.mark.parametrize("threshold", [0.0, 0.8])
@pytest.mark.parametrize("sd", [0.01, 0.7, 3.0, 12.0])
@pytest.mark.parametrize("advantage", [None, 0.4])
def test_luck_is_the_sum_over_all_pairs(link: Link, threshold: float, sd: float, advantage: float | None) -> None:
    skill = sd * np.random.default_rng(1).standard_t(4, 300)
    skills = skills_of(skill, link=link, threshold=threshold, advantage=advantage)
    assert measure_entropy_luck(skills).luck == pytest.approx(over_all_pairs(skills), abs=1e-9)
    weight = np.random.default_rng(2).uniform(0, 3, 300)
    weighted = measure_entropy_luck(skills, weights=weight).luck
    assert weighted == pytest.approx(over_all_pairs(skills, weight), abs=1e-9)


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=8), st.floats(0, 3), st.sampled_from(["probit", "logit"]))
def test_luck_is_a_share(skill: list[float], threshold: float, link: Link) -> None:
    skills = skills_of(np.array(skill), link=link, threshold=threshold)
    found = measure_entropy_luck(skills)
    assert found.luck == pytest.approx(over_all_pairs(skills), abs=1e-6)
    assert -1e-12 <= found.luck <= 1 + 1e-12
    assert found.returns == 1 - found.luck


def test_equal_players_are_all_luck_and_giants_against_dwarfs_half() -> None:
    assert measure_entropy_luck(skills_of(np.zeros(10))).luck == pytest.approx(1)
    # against their own kind a coin, against the others all or nothing
    two_kinds = measure_entropy_luck(skills_of(np.repeat([-40.0, 40.0], 500)))
    assert two_kinds.luck == pytest.approx(entropy(np.array([0.25, 0.75])), abs=0.01)


def test_luck_falls_as_skills_spread() -> None:
    skill = np.random.default_rng(0).standard_normal(200)
    lucks = [measure_entropy_luck(skills_of(sd * skill, threshold=0.2)).luck for sd in (0.1, 0.5, 1, 2, 5)]
    assert lucks == sorted(lucks, reverse=True)


@pytest.mark.parametrize("link", ["probit", "logit"])
@pytest.mark.parametrize("per_match", [3, 4])
def test_luck_of_several_is_the_sum_over_all_tables(link: Link, per_match: int) -> None:
    skill = np.random.default_rng(4).standard_normal(7)
    chances = np.array([place_chances_plain(skill, np.ones(7), per_match, own, link == "probit") for own in range(7)])
    luck = np.mean([entropy(row) for row in chances]) / entropy(chances.mean(axis=0))
    found = measure_entropy_luck(skills_of(skill, link=link), per_match=per_match)
    assert found.luck == pytest.approx(luck, abs=1e-9)
    winner = measure_entropy_luck(skills_of(skill, link=link), per_match=per_match, outcome="winner")
    np.testing.assert_allclose(winner.by_player[:, 0], chances[:, 0], atol=1e-9)
    assert winner.overall[0] == pytest.approx(1 / per_match)


def test_many_players_at_tables_are_quick_and_near_their_limit() -> None:
    # thousands drawn from one distribution have the luck of hundreds drawn from it, within their chance
    rng = np.random.default_rng(0)
    few, many = (
        measure_entropy_luck(skills_of(rng.standard_normal(n), link="logit"), per_match=4) for n in (500, 3000)
    )
    assert few.luck == pytest.approx(many.luck, abs=0.02)
    np.testing.assert_allclose(many.overall, 0.25, atol=1e-9)


def test_a_round_robin_matchmaker_is_the_uniform_one() -> None:
    skills = skills_of(np.random.default_rng(3).standard_normal(20), threshold=0.3)
    i, j = np.triu_indices(20, 1)
    assert measure_luck_under(skills, i, j).luck == pytest.approx(measure_entropy_luck(skills).luck, abs=1e-12)
    # equals meeting equals: everybody's results are alike
    order = np.argsort(skills.skill)
    near = measure_luck_under(skills, order[::2], order[1::2])
    assert near.luck > measure_entropy_luck(skills).luck
    heavier = measure_luck_under(skills, i, j, weights=np.where(i == 0, 2.0, 1.0))
    assert heavier.share[0] > near.share[0]
    with pytest.raises(LudometerError, match="matchmaker"):
        measure_luck_under(skills, [0], [1], weights=[0])


def test_the_luck_of_matchmaking_is_the_difference() -> None:
    matches = simulate_strengths(50, 5_000, sd=250, seed=1)
    skills = fit_skills(matches)
    under = measure_luck_under(skills, matches.pairs.first, matches.pairs.second).luck
    found = measure_matchmaking_luck(skills, matches)
    assert found == pytest.approx(under - measure_entropy_luck(skills).luck)
    # drawn uniformly
    assert abs(found) < 0.02


@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_a_season_is_the_sum_over_its_results(threshold: float) -> None:
    skills = skills_of(np.array([0.0, 1.0, -0.5, 2.0]), threshold=threshold)
    one = measure_entropy_luck(skills)
    points = np.linspace(1, 0, len(one.outcomes))
    season = np.zeros((4, 7 if threshold else 4))
    for results in product(range(len(points)), repeat=3):
        k = round((3 - sum(points[r] for r in results)) * (2 if threshold else 1))
        season[:, k] += np.prod([one.by_player[:, r] for r in results], axis=0)
    luck = np.mean([entropy(row) for row in season]) / entropy(season.mean(axis=0))
    found = measure_season_luck(skills, 3)
    assert found.luck == pytest.approx(luck, abs=1e-12)
    assert found.outcomes[0] == "3 points"
    assert measure_season_luck(skills, 1).luck == pytest.approx(one.luck, abs=1e-12)
    lucks = [measure_season_luck(skills, n).continuous for n in (1, 10, 82, 162, 1000)]
    assert lucks == sorted(lucks, reverse=True)
    # in the end the season tells who plays: one of four
    assert measure_season_luck(skills, 100_000).continuous == pytest.approx(1 / 4, abs=1e-6)
    with pytest.raises(LudometerError, match="season"):
        measure_season_luck(skills, 0)


def test_empirical_luck_at_its_limits() -> None:
    coin = simulate_coin(40, 40_000, seed=1)
    assert measure_empirical_luck(coin).luck == pytest.approx(1, abs=0.0005)
    assert measure_empirical_luck(coin, corrected=False).luck < measure_empirical_luck(coin).luck
    assert measure_empirical_luck(simulate_deterministic(40, 40_000, x=100, seed=1)).luck < 0.8
    # two fixed opponents, one of whom always wins: all skill
    fixed = Matches.of_pairs([0] * 30, [1] * 30, [1] * 30)
    assert measure_empirical_luck(fixed).luck == 0
    with pytest.raises(MatchDataError, match="fewer than two"):
        measure_empirical_luck(fixed, min_matches=31)


def test_empirical_and_modelled_luck_agree_where_opponents_are_drawn_uniformly() -> None:
    matches = simulate_strengths(60, 60_000, sd=200, seed=2)
    assert measure_empirical_luck(matches).luck == pytest.approx(
        measure_entropy_luck(fit_skills(matches)).luck, abs=0.003
    )


def test_empirical_luck_of_several_counts_places() -> None:
    races = simulate_strengths(30, 20_000, sd=200, per_match=4, seed=3)
    found = measure_empirical_luck(races)
    assert found.outcomes == ("place 1", "place 2", "place 3", "place 4")
    np.testing.assert_allclose(found.overall, 0.25, atol=0.01)
    assert 0.8 < found.luck < 0.99


@pytest.mark.parametrize("link", ["probit", "logit"])
def test_several_winners_are_the_best_of_a_table(link: Link) -> None:
    skill = np.random.default_rng(4).standard_normal(7)
    skills = skills_of(skill, link=link)
    places = np.array([place_chances_plain(skill, np.ones(7), 4, own, link == "probit") for own in range(7)])
    for m in (1, 2, 3):
        found = measure_entropy_luck(skills, per_match=4, outcome="winner", winners=m)
        np.testing.assert_allclose(found.by_player[:, 0], places[:, :m].sum(axis=1), atol=1e-9)
        assert found.overall[0] == pytest.approx(m / 4)
    # their number by chance: one or three as often
    varying = measure_entropy_luck(skills, per_match=4, outcome="winner", winners=[1, 0, 1])
    np.testing.assert_allclose(varying.by_player[:, 0], places @ [1, 0.5, 0.5, 0], atol=1e-9)
    luck = np.mean([entropy(row) for row in varying.by_player]) / entropy(varying.overall)
    assert varying.luck == pytest.approx(luck, abs=1e-12)
    assert varying.provenance.parameters["winners"] == [0.5, 0, 0.5]


def test_all_but_one_win_is_the_mirror_of_one_wins_for_normal_performances() -> None:
    skill = np.random.default_rng(5).standard_normal(8)
    one = measure_entropy_luck(skills_of(skill), per_match=4, outcome="winner")
    last = measure_entropy_luck(skills_of(-skill), per_match=4, outcome="winner", winners=3)
    np.testing.assert_allclose(one.by_player, last.by_player[:, ::-1], atol=1e-9)
    assert one.luck == pytest.approx(last.luck, abs=1e-9)


def test_somebody_has_to_lose() -> None:
    skills = skills_of(np.linspace(-1, 1, 6))
    for winners in (0, 4, [1, 0, 0, 1], [0, 0], [-1, 2]):
        with pytest.raises(LudometerError, match="win"):
            measure_entropy_luck(skills, per_match=4, outcome="winner", winners=winners)
    with pytest.raises(LudometerError, match="several winners"):
        measure_entropy_luck(skills, per_match=4, winners=2)
    with pytest.raises(LudometerError, match="of 2 players"):
        measure_entropy_luck(skills, outcome="winner", winners=2)


def test_empirical_luck_of_several_winners_agrees_with_the_model() -> None:
    races = simulate_strengths(30, 20_000, sd=200, per_match=4, seed=3)
    skills = fit_orders(races)
    for m in (1, 2):
        counted = measure_empirical_luck(races, outcome="winner", winners=m)
        modelled = measure_entropy_luck(skills, per_match=4, outcome="winner", winners=m)
        assert counted.outcomes == modelled.outcomes == ("win", "loss")
        assert counted.overall[0] == pytest.approx(m / 4, abs=0.01)
        assert counted.luck == pytest.approx(modelled.luck, abs=0.005)
        seats = races.seats
        own = [np.mean(seats.place[seats.player == code] <= m) for code in counted.code]
        np.testing.assert_allclose(counted.by_player[:, 0], own)
    with pytest.raises(LudometerError, match="several winners"):
        measure_empirical_luck(races, winners=2)
    with pytest.raises(LudometerError, match="no outcome"):
        measure_empirical_luck(races, outcome="money")  # type: ignore[arg-type]


def test_teams_win_together_and_a_match_that_nobody_loses_is_a_tie() -> None:
    teams = [([0, 1, 2, 3], [1, 1, 3, 3]), ([0, 2, 1, 3], [1, 1, 3, 3]), ([3, 2, 1, 0], [1, 1, 1, 1])]
    player, place = (np.concatenate([match[k] for match in teams]) for k in (0, 1))
    matches = Matches.of_seats([0, 4, 8, 12], player, place)
    found = measure_empirical_luck(matches, outcome="winner", min_matches=3, corrected=False)
    assert found.outcomes == ("win", "tie", "loss")
    np.testing.assert_allclose(found.by_player[0], [2 / 3, 1 / 3, 0])
    np.testing.assert_allclose(found.by_player[3], [0, 1 / 3, 2 / 3])
    assert count_winners(matches).tolist() == [0, 1, 0]
    assert count_winners(matches.part(0, 2), winners=2).tolist() == [0, 1, 0]
    with pytest.raises(MatchDataError, match="anybody lose"):
        count_winners(matches.part(2, 3))
    mixed = Matches.of_seats([0, 3, 5], [0, 1, 2, 0, 1], [1, 2, 3, 1, 2])
    with pytest.raises(MatchDataError, match="same number"):
        measure_empirical_luck(mixed, outcome="winner")


def test_two_players_win_tie_or_lose_whatever_is_asked() -> None:
    matches = simulate_strengths(20, 2_000, sd=200, draws=0.2, seed=3)
    both = [measure_empirical_luck(matches, outcome=outcome).luck for outcome in ("place", "winner")]
    assert both[0] == both[1]


def test_continuous_luck_of_normal_scores() -> None:
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(2_000), 20)
    score = 0.75 * rng.standard_normal(2_000)[who] + rng.standard_normal(40_000)
    # exp(-I) = root of 1 / (1 + 0.75^2), by the formula, by scores, and by densities
    expected = 0.8
    assert continuous_luck(0.5 * math.log(1 + 0.75**2)) == pytest.approx(expected)
    assert measure_continuous_luck(who, score) == pytest.approx(expected, abs=0.01)
    grid = np.arange(-9, 9, 0.02)
    mean = 0.75 * np.sqrt(2) * np.polynomial.hermite.hermgauss(30)[0]
    share = np.polynomial.hermite.hermgauss(30)[1]
    density = np.exp(-0.5 * (grid - mean[:, np.newaxis]) ** 2) / math.sqrt(2 * math.pi)
    information = information_of_densities(density, 0.02, share=share)
    assert continuous_luck(information) == pytest.approx(expected, abs=1e-4)
    assert measure_continuous_luck(who, rng.standard_normal(40_000)) > 0.99
    with pytest.raises(LudometerError, match="information"):
        continuous_luck(-1)
    with pytest.raises(MatchDataError, match="two players"):
        measure_continuous_luck([0, 0], [1, 2])


def test_a_stated_distribution_of_experience() -> None:
    experience = np.array([5, 20, 200, 300, 8, 1000])
    weight = weigh_by_experience(experience, edges=[0, 100, 500], shares=[3, 1])
    np.testing.assert_allclose(weight, [0.25, 0.25, 0.125, 0.125, 0.25, 0])
    skills = skills_of(np.array([-2.0, -1, 0, 0.1, 1, 2]))
    found = measure_entropy_luck(skills, weights=weight)
    assert found.luck == pytest.approx(over_all_pairs(skills_of(skills.skill[:5]), weight[:5]), abs=1e-9)
    with pytest.raises(LudometerError, match="no players"):
        weigh_by_experience(experience, edges=[0, 1, 100], shares=[1, 1])
    with pytest.raises(LudometerError, match="edges"):
        weigh_by_experience(experience, edges=[0, 1], shares=[1, 1])
    with pytest.raises(LudometerError, match="weights"):
        measure_entropy_luck(skills, weights=[1, 0, 0, 0, 0, 0])


def test_the_result_reads_well() -> None:
    found = measure_entropy_luck(skills_of(np.linspace(-1, 1, 9), threshold=0.1))
    assert found.to_frame().columns == ["player", "share", "win", "tie", "loss"]
    assert found.summary().startswith("L 0.")
    assert found.plot().to_dict()
    with pytest.raises(LudometerError, match="a match needs"):
        measure_entropy_luck(skills_of(np.zeros(3)), per_match=4)


def test_players_without_a_skill_are_left_out() -> None:
    skill = np.array([0.0, 1.0, np.nan, -1.0])
    some = measure_entropy_luck(skills_of(skill))
    assert some.code.tolist() == [0, 1, 3]
    assert some.luck == pytest.approx(measure_entropy_luck(skills_of(skill[some.code])).luck)
    assert replace(some, bias=9.0).luck == 1


def test_stand_ins_tell_of_a_season_what_all_players_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    skills = fit_skills(simulate_strengths(900, 9_000, sd=250, draws=0.2, activity=1.0, seed=3))
    exact = measure_season_luck(skills, 12)
    monkeypatch.setattr(module, "_MANY", 100)
    monkeypatch.setattr(module, "_STAND_INS", 120)
    near = measure_season_luck(skills, 12)
    assert len(near.code) == 120
    assert near.share.sum() == pytest.approx(1)
    assert near.continuous == pytest.approx(exact.continuous, abs=1e-4)
    assert near.luck == pytest.approx(exact.luck, abs=1e-4)
    mean = near.share @ skills.skill[near.code]
    assert mean == pytest.approx(float(exact.share @ skills.skill[exact.code]), abs=1e-12)


def test_a_matchmaker_is_measured_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = simulate_strengths(50, 1_000, sd=200, draws=0.2, seed=4)
    skills, pairs = fit_skills(matches), matches.pairs
    whole = measure_luck_under(skills, pairs.first, pairs.second)
    monkeypatch.setattr(module, "_PART", 64)
    assert measure_luck_under(skills, pairs.first, pairs.second).luck == pytest.approx(whole.luck, rel=1e-12)
