"""Penalised skills: against SciPy on the plain likelihood, under symmetries, at limits, and on simulated records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError, NoFiniteFit
from ludometer.kernels.skills.paired import log_likelihood_plain
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.scale import elo_to_probit, from_elo
from ludometer.simulate import simulate_strengths
from ludometer.strength.comparisons import gather
from ludometer.strength.pairwise import fit_skills
from ludometer.strength.skills import Link, Skills, cdf

LINKS: list[Link] = ["probit", "logit"]


def by_lbfgs(matches: Matches, link: Link, ridge: float, advantage: bool, weights: Floats | None = None) -> Floats:
    """The maximum by another method, from the likelihood alone."""
    pairs = gather(matches, ordered=advantage, weights=weights)
    n = pairs.n_players

    def loss(x: Floats) -> float:
        t = float(np.exp(x[n])) if pairs.totals[1] else 0.0
        likelihood = log_likelihood_plain(
            pairs.starts, pairs.opponent, pairs.outcomes, x[:n], t, x[n + 1] if advantage else 0.0, link == "probit"
        )
        return ridge * float(x[:n] @ x[:n]) - likelihood

    exactly: Any = {"ftol": 1e-15, "gtol": 1e-8, "maxiter": 10_000, "maxfun": 10**6}
    x = np.asarray(minimize(loss, np.append(np.zeros(n), [-1.0, 0.0]), method="L-BFGS-B", options=exactly).x)
    x[n] = np.exp(x[n]) if pairs.totals[1] else 0.0
    return x


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("draws", [0.0, 0.3])
@pytest.mark.parametrize("advantage", [False, True])
def test_newton_finds_what_lbfgs_finds(link: Link, draws: float, advantage: bool) -> None:
    matches = simulate_strengths(15, 300, sd=250, draws=draws, activity=0.7, seed=3)
    weights = np.random.default_rng(0).uniform(0.2, 3, 300)
    fit = fit_skills(matches, link=link, ridge=0.25, advantage=advantage, weights=weights)
    other = by_lbfgs(matches, link, 0.25, advantage, weights)
    assert fit.converged
    np.testing.assert_allclose(fit.skill, other[:15], atol=2e-5)
    assert fit.threshold == pytest.approx(other[15], abs=2e-5)
    assert (fit.advantage is None) != advantage
    if advantage:
        assert fit.advantage == pytest.approx(other[16], abs=2e-5)


@pytest.mark.parametrize("link", LINKS)
def test_without_a_ridge_each_island_is_around_0_and_as_lbfgs_has_it(link: Link) -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 4, 200)
    second = (first + rng.integers(1, 4, 200)) % 4
    island = 4 * rng.integers(0, 2, 200)
    matches = Matches.of_pairs(first + island, second + island, rng.integers(0, 3, 200).astype(np.int8))
    fit = fit_skills(matches, link=link, ridge=0)
    assert fit.n_islands == 2
    assert "2 islands" in fit.summary()
    assert abs(fit.skill[:4].sum()) + abs(fit.skill[4:].sum()) < 1e-9
    other = by_lbfgs(matches, link, 0.0, False)
    for part in (slice(0, 4), slice(4, 8)):
        np.testing.assert_allclose(fit.skill[part], other[part] - other[part].mean(), atol=3e-5)


MATCHES = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5), st.integers(0, 2)), min_size=2, max_size=40).filter(
    lambda matches: any(half == 2 for _, _, half in matches) and any(half == 0 for _, _, half in matches)
)


def matches_of(rows: list[tuple[int, int, int]]) -> Matches:
    first, step, halves = (np.array(column) for column in zip(*rows, strict=True))
    return Matches.of_pairs(first, (first + step) % 6, halves.astype(np.int8), players=Players.numbered(6))


def same(a: Skills, skill: Floats, b: Skills) -> None:
    np.testing.assert_allclose(np.nan_to_num(skill, nan=99), np.nan_to_num(b.skill, nan=99), atol=1e-6)
    assert a.threshold == pytest.approx(b.threshold, abs=1e-6)


@settings(max_examples=40)
@given(MATCHES, st.permutations(range(6)), st.sampled_from(LINKS))
def test_renaming_players_permutes_their_skills(rows: list[tuple[int, int, int]], names: list[int], link: Link) -> None:
    matches = matches_of(rows)
    pairs, new = matches.pairs, np.array(names, np.int32)
    renamed = Matches.of_pairs(new[pairs.first], new[pairs.second], pairs.halves, players=Players.numbered(6))
    fit, other = fit_skills(matches, link=link, advantage=True), fit_skills(renamed, link=link, advantage=True)
    same(fit, fit.skill, fit_skills(matches, link=link, advantage=True))
    same(other, other.skill[new], fit)


@settings(max_examples=40)
@given(MATCHES, st.sampled_from(LINKS))
def test_swapping_seats_mirrors_the_advantage_and_nothing_else(rows: list[tuple[int, int, int]], link: Link) -> None:
    matches = matches_of(rows)
    pairs = matches.pairs
    swapped = Matches.of_pairs(pairs.second, pairs.first, (2 - pairs.halves).astype(np.int8), players=matches.players)
    fit, other = fit_skills(matches, link=link, advantage=True), fit_skills(swapped, link=link, advantage=True)
    same(fit, fit.skill, other)
    assert fit.advantage == pytest.approx(-(other.advantage or 0), abs=1e-6)
    plain, mirrored = fit_skills(matches, link=link), fit_skills(swapped, link=link)
    same(plain, plain.skill, mirrored)


@settings(max_examples=40)
@given(MATCHES, st.sampled_from(LINKS))
def test_a_match_twice_is_a_match_of_weight_two(rows: list[tuple[int, int, int]], link: Link) -> None:
    weights = np.where(np.arange(len(rows)) % 3 == 0, 2.0, 1.0)
    twice = [row for row, weight in zip(rows, weights, strict=True) for _ in range(int(weight))]
    weighted, repeated = (
        fit_skills(matches_of(rows), link=link, weights=weights),
        fit_skills(matches_of(twice), link=link),
    )
    same(weighted, weighted.skill, repeated)
    assert weighted.log_likelihood == pytest.approx(repeated.log_likelihood)


@pytest.mark.parametrize("link", ["probit", "logit"])
def test_halves_of_a_win_and_a_loss_are_not_one_result(link: Link) -> None:
    # two halves of one pair add up to a weight of 1, but not to a decided match
    matches = Matches.of_pairs([0, 0, 0], [1, 1, 2], [1, 0, 1])
    fit = fit_skills(matches, link=link, weights=[0.5, 0.5, 1.0])
    doubled = fit_skills(matches, link=link, weights=[1.0, 1.0, 2.0], ridge=0.5)
    assert fit.converged
    np.testing.assert_allclose(fit.skill, doubled.skill, atol=1e-8)
    assert 2 * fit.log_likelihood == pytest.approx(doubled.log_likelihood, abs=1e-9)


def test_a_player_who_only_won_is_named_when_there_is_no_ridge() -> None:
    players = Players.named(["Ann", "Ben", "Cem", "Dot"])
    matches = Matches.of_pairs([0, 0, 1, 2, 1, 2], [1, 2, 2, 1, 3, 3], [1, 1, 1, 1, 1, 1], players=players)
    with pytest.raises(NoFiniteFit, match=r"only won \(Ann\).*only lost \(Dot\)"):
        fit_skills(matches, ridge=0)
    assert np.isfinite(fit_skills(matches).skill).all()


def test_groups_that_only_won_are_named_too() -> None:
    matches = Matches.of_pairs([0, 1, 2, 3, 0], [1, 0, 3, 2, 2], [1, 1, 1, 1, 1])
    with pytest.raises(NoFiniteFit, match=r"2 players only won, alone or as a group against the others \(0, 1\)"):
        fit_skills(matches, ridge=0)


def test_a_tie_stops_separation_but_not_a_threshold_that_grows_with_the_skills() -> None:
    cycle = Matches.of_pairs([0, 1, 2, 0], [1, 2, 0, 1], [1, 1, 1, 0.5])
    assert fit_skills(cycle, ridge=0).threshold > 0
    # A beats B, and C ties with both: A = 1, B = 0, C = 1/2, t = 1, times anything
    steps = Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 0.5, 0.5])
    with pytest.raises(NoFiniteFit, match="threshold"):
        fit_skills(steps, ridge=0)
    assert fit_skills(steps).converged


def test_what_no_ridge_can_hold_is_refused() -> None:
    with pytest.raises(NoFiniteFit, match="all matches are ties"):
        fit_skills(Matches.of_pairs([0, 1], [1, 2], [0.5, 0.5]))
    with pytest.raises(NoFiniteFit, match="never lost"):
        fit_skills(Matches.of_pairs([0, 1, 2], [1, 2, 0], [1, 1, 0.5]), advantage=True)
    # in each pair the first seat always won: the advantage and skills grow together
    seats = Matches.of_pairs([0, 1, 2, 0], [1, 2, 0, 2], [1, 1, 1, 0])
    with pytest.raises(NoFiniteFit):
        fit_skills(seats, ridge=0, advantage=True)


def test_bad_arguments_are_refused() -> None:
    matches = Matches.of_pairs([0, 1], [1, 2], [1, 0])
    with pytest.raises(LudometerError, match="ridge"):
        fit_skills(matches, ridge=-1)
    with pytest.raises(LudometerError, match="link"):
        fit_skills(matches, link="cauchit")  # type: ignore[arg-type]
    with pytest.raises(MatchDataError):
        fit_skills(Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3]))


@pytest.mark.parametrize("n_ties", [1, 2, 5_000])
def test_few_and_many_ties_converge(n_ties: int) -> None:
    pairs = simulate_strengths(32, 6_000, sd=150, seed=8).pairs
    halves = pairs.halves.copy()
    halves[:n_ties] = 1
    for link in LINKS:
        fit = fit_skills(Matches.of_pairs(pairs.first, pairs.second, halves), link=link)
        assert fit.converged
        assert fit.n_steps <= 12
        # the model's ties are as many as there were
        d = fit.skill[pairs.first] - fit.skill[pairs.second]
        ties = 1 - cdf(d - fit.threshold, link) - cdf(-d - fit.threshold, link)
        assert ties.sum() == pytest.approx(n_ties, rel=0.05)


@pytest.mark.parametrize("link", LINKS)
def test_simulated_skills_are_recovered(link: Link) -> None:
    rng = np.random.default_rng(4)
    truth, t, seat = 0.8 * rng.standard_normal(100), 0.6, 0.25
    first = rng.integers(0, 100, 60_000)
    second = (first + rng.integers(1, 100, 60_000)) % 100
    d = truth[first] - truth[second] + seat
    noise = rng.standard_normal((2, 60_000)) if link == "probit" else rng.gumbel(size=(2, 60_000))
    margin = d + noise[0] - noise[1]
    halves = np.where(margin > t, 2, np.where(margin < -t, 0, 1)).astype(np.int8)
    fit = fit_skills(Matches.of_pairs(first, second, halves), link=link, advantage=True)
    # each skill rests on 1,200 matches: its standard error is near 0.05
    np.testing.assert_allclose(fit.skill, truth - truth.mean(), atol=0.25)
    assert np.std(fit.skill - truth) < 0.08
    assert fit.threshold == pytest.approx(t, abs=0.03)
    assert fit.advantage == pytest.approx(seat, abs=0.03)


def test_the_result_reads_well() -> None:
    matches = simulate_strengths(30, 2_000, sd=200, draws=0.2, seed=2)
    fit = fit_skills(matches)
    frame = fit.to_frame()
    assert frame.columns == ["player", "skill", "elo", "island"]
    assert frame["skill"].is_sorted(descending=True)
    assert fit.provenance.data == matches.fingerprint
    assert len(fit.summary().splitlines()) <= 20
    assert fit.plot().to_dict()
    win, tie, loss = fit.probabilities(0, 1)
    assert win + tie + loss == pytest.approx(1)
    assert 1 / (1 + np.sum(fit.skill**2) / 29) == pytest.approx(fit.l2())
    assert fit.l2(ddof=0) > fit.l2()


def test_both_models_agree_on_elo_points_and_luck() -> None:
    matches = simulate_strengths(200, 60_000, sd=150, seed=2)
    probit, logit = (fit_skills(matches, link=link) for link in LINKS)
    assert np.corrcoef(probit.elo, logit.elo)[0, 1] > 0.999
    assert np.std(probit.elo) == pytest.approx(np.std(logit.elo), rel=0.04)
    assert probit.l2() == pytest.approx(logit.l2(), abs=0.04)
    np.testing.assert_allclose(elo_to_probit(probit.elo), probit.skill)
    np.testing.assert_allclose(from_elo(logit.elo), logit.skill)


def test_players_without_a_match_have_no_skill() -> None:
    fit = fit_skills(Matches.of_pairs([0, 1], [1, 0], [1, 1], players=Players.numbered(4)))
    assert np.isnan(fit.skill).tolist() == [False, False, True, True]
    assert (fit.n_players, fit.n_islands, len(fit.to_frame())) == (2, 1, 2)
