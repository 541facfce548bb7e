"""Best-fit Elo: the least loss by several routes, its limits in words, and as a rating system."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError, NoFiniteFit
from ludometer.kernels.systems.elo import elo_pass, elo_pass_plain
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Elo, evaluate, rate
from ludometer.ratings.catalogue import make_system
from ludometer.ratings.systems.best_fit import BestFit, BestFitElo, Procedure, fit_best_elo
from ludometer.scale import from_elo, to_elo
from ludometer.simulate import simulate_coin, simulate_strengths

GAMES = [(20.0, 0.0), (60.0, 0.3), (120.0, 0.0), (200.0, 0.1), (300.0, 0.0)]


def game(sd: float, draws: float = 0.0, seed: int = 1) -> Matches:
    return simulate_strengths(200, 20_000, sd=sd, draws=draws, seed=seed)


def loss_at(matches: Matches, k: float) -> float:
    """The loss of one k by a pass of its own."""
    pairs, rating = matches.pairs, np.zeros((len(matches.players), 1))
    once = elo_pass(pairs.first, pairs.second, pairs.halves, rating, from_elo(k), np.empty(0), np.empty((0, 2)))
    return 2 * once / len(matches)


def last_step(fit: BestFitElo) -> float:
    """How fine the printed search was when it stopped."""
    return float(np.diff(fit.tried).min())


@pytest.mark.parametrize(("sd", "draws"), GAMES)
def test_the_default_search_finds_the_least_loss_to_four_digits(sd: float, draws: float) -> None:
    matches = game(sd, draws)
    fit = fit_best_elo(matches)
    around = (0.97 * fit.k, fit.k, 1.03 * fit.k)
    brent = minimize_scalar(lambda k: loss_at(matches, float(k)), bracket=around, tol=1e-9)
    assert fit.k == pytest.approx(float(brent.x), rel=5e-5)
    assert fit.loss == pytest.approx(float(brent.fun), rel=1e-9)


@pytest.mark.parametrize(("sd", "draws"), GAMES)
def test_both_searches_agree_as_far_as_the_printed_one_resolves(sd: float, draws: float) -> None:
    # the printed rule stops when the loss is flat to 1e-6 of its gain, often before the step is four digits fine:
    # then the best k lies within that step of what it gives
    lanes, printed = (fit_best_elo(game(sd, draws), procedure=name) for name in procedures())
    assert printed.converged
    assert abs(lanes.k - printed.k) <= max(last_step(printed), 5e-5 * lanes.k)
    assert lanes.loss <= printed.loss
    assert printed.loss - lanes.loss < 1e-6 * (lanes.loss_at_zero - lanes.loss)
    assert lanes.passes < printed.passes


def procedures() -> Iterable[Procedure]:
    return ("lanes", "printed")


def test_the_printed_search_tries_the_printed_grid_first() -> None:
    assert {0.0, 40.0, 80.0, 120.0, 160.0} <= set(fit_best_elo(game(200), procedure="printed").tried.tolist())


def test_the_printed_search_reaches_a_best_k_below_its_first_step() -> None:
    fit = fit_best_elo(game(20), procedure="printed")
    assert 0 < fit.k < 10
    assert fit.loss < fit.loss_at_zero


@pytest.mark.parametrize("procedure", procedures())
def test_the_curve_has_the_loss_of_a_pass_of_its_own_at_each_k(procedure: Procedure) -> None:
    matches = game(150, 0.2)
    fit = fit_best_elo(matches, procedure=procedure)
    single = np.array([loss_at(matches, k) for k in fit.tried])
    # ratings overshoot more and more where k is above four natural units, so rounding grows to a difference there
    calm = fit.tried < 4 * to_elo(1.0)
    np.testing.assert_allclose(fit.losses[calm], single[calm], rtol=1e-12)
    np.testing.assert_allclose(fit.losses[~calm], single[~calm], atol=1e-3)
    assert calm.sum() > 10
    assert fit.loss == pytest.approx(loss_at(matches, fit.k), rel=1e-14)
    frame = fit.to_frame()
    assert frame["k"].to_list() == sorted(fit.tried.tolist())
    assert frame["loss"].min() == pytest.approx(fit.loss, rel=1e-4)


def test_ratings_and_loss_are_those_of_plain_python() -> None:
    matches = simulate_strengths(15, 600, draws=0.2, seed=3)
    fit, pairs = fit_best_elo(matches), matches.pairs
    rating, loss = [0.0] * 15, 0.0
    for i, j, s in zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), strict=True):
        e = 1 / (1 + 10 ** (-(rating[i] - rating[j]) / 400))
        loss += (s - e) ** 2 + ((1 - s) - (1 - e)) ** 2
        rating[i] += fit.k * (s - e)
        rating[j] -= fit.k * (s - e)
    assert fit.loss == pytest.approx(loss / 600, rel=1e-12)
    np.testing.assert_allclose(fit.rating, rating, rtol=1e-9, atol=1e-9)
    assert fit.loss_at_zero == pytest.approx(float(2 * ((pairs.score - 0.5) ** 2).mean()))


def test_the_plain_twin_gives_the_same_loss() -> None:
    matches = simulate_strengths(15, 600, draws=0.2, seed=3)
    fit, pairs = fit_best_elo(matches), matches.pairs
    once = elo_pass_plain(
        pairs.first, pairs.second, pairs.halves, np.zeros((15, 1)), from_elo(fit.k), np.empty(0), np.empty((0, 2))
    )
    assert fit.loss == pytest.approx(2 * once / 600, rel=1e-12)


@pytest.mark.parametrize(("sd", "draws"), GAMES)
def test_four_passes_are_enough(sd: float, draws: float) -> None:
    assert fit_best_elo(game(sd, draws)).passes == 4


def test_a_loss_without_draws_starts_at_one_half() -> None:
    assert fit_best_elo(game(100)).loss_at_zero == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize("procedure", procedures())
def test_results_that_always_turn_have_no_step(procedure: Procedure) -> None:
    # who lost wins the return match: any step makes the forecasts worse
    first = np.tile([0, 0, 1, 1, 2, 2], 50)
    second = np.tile([1, 1, 2, 2, 0, 0], 50)
    fit = fit_best_elo(Matches.of_pairs(first, second, np.tile([1, 0], 150)), procedure=procedure)
    assert fit.k == 0
    assert fit.loss == fit.loss_at_zero == 0.5
    assert not fit.rating.any()


@pytest.mark.parametrize("procedure", procedures())
def test_a_coin_hardly_has_a_step(procedure: Procedure) -> None:
    fit = fit_best_elo(simulate_coin(100, 100_000, seed=2), procedure=procedure)
    assert 0 <= fit.k < 0.2
    assert fit.loss == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize("procedure", procedures())
def test_all_draws_fit_perfectly_without_a_step(procedure: Procedure) -> None:
    fit = fit_best_elo(Matches.of_pairs([0, 1, 2] * 20, [1, 2, 0] * 20, [0.5] * 60), procedure=procedure)
    assert (fit.k, fit.loss, fit.loss_at_zero) == (0, 0, 0)


@pytest.mark.parametrize("procedure", procedures())
def test_one_match_teaches_no_step(procedure: Procedure) -> None:
    fit = fit_best_elo(Matches.of_pairs([0], [1], [1]), procedure=procedure)
    assert (fit.k, fit.loss) == (0, 0.5)


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_one_player_who_only_wins_has_no_finite_fit(n: int) -> None:
    with pytest.raises(NoFiniteFit, match=r"no contradictions .* no finite rating fits them best. Add more matches"):
        fit_best_elo(Matches.of_pairs([0] * n, [1] * n, [1] * n))


def test_one_player_who_beats_many_has_no_finite_fit() -> None:
    others = np.random.default_rng(0).integers(1, 10, 300)
    with pytest.raises(NoFiniteFit):
        fit_best_elo(Matches.of_pairs(np.zeros(300, np.int32), others, np.ones(300)))


def test_the_printed_search_says_when_the_best_k_lies_beyond_it() -> None:
    fit = fit_best_elo(Matches.of_pairs([0] * 50, [1] * 50, [1] * 50), procedure="printed")
    assert not fit.converged
    assert fit.k < 240
    assert "beyond the search" in fit.summary()
    assert "beyond" not in fit_best_elo(game(200), procedure="printed").summary()


def deterministic(n_players: int, seed: int = 0, upsets: float = 0.0) -> Matches:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_players, 20_000)
    second = (first + rng.integers(1, n_players, 20_000)) % n_players
    return Matches.of_pairs(first, second, (first < second) ^ (rng.random(20_000) < upsets))


@pytest.mark.parametrize(("n_players", "upsets"), [(50, 0.0), (10, 0.0), (3, 0.001)])
def test_the_search_goes_above_the_printed_grid_for_nearly_certain_games(n_players: int, upsets: float) -> None:
    matches = deterministic(n_players, upsets=upsets)
    fit = fit_best_elo(matches)
    assert fit.k > 240
    assert fit.loss <= min(loss_at(matches, k) for k in fit.k * np.array([0.5, 0.9, 1.1, 2]))
    assert fit.loss < fit_best_elo(matches, procedure="printed").loss


@pytest.mark.parametrize("n", [1, 3, 100, 1_000])
def test_return_matches_have_the_step_that_algebra_gives(n: int) -> None:
    # pairs of players meet twice; n winners win again and one loses: after a win the difference is k, and the best
    # forecast is n / (n + 1), so k = 400 log10 n; with more winners the loss is flat to 1e-14 over 1e-4 of k
    first, second = np.arange(n + 1), n + 1 + np.arange(n + 1)
    again = np.ones(n + 1)
    again[n // 2] = 0
    matches = Matches.of_pairs(np.tile(first, 2), np.tile(second, 2), np.concatenate((np.ones(n + 1), again)))
    fit = fit_best_elo(matches)
    assert fit.k == pytest.approx(400 * np.log10(n), rel=5e-5)
    assert fit.loss == pytest.approx(0.25 + n / (n + 1) ** 2)


def test_the_first_grid_is_extended_where_the_least_loss_lies_at_its_end() -> None:
    n = 5_000
    first, again = np.arange(n + 1), np.ones(n + 1)
    again[0] = 0
    scores = np.concatenate((np.ones(n + 1), again))
    fit = fit_best_elo(Matches.of_pairs(np.tile(first, 2), np.tile(first + n + 1, 2), scores))
    assert fit.tried.max() > 4_000
    assert fit.passes == 5
    # here the loss is flat to rounding around its minimum, so the loss tells more than k
    assert fit.loss == pytest.approx(0.25 + n / (n + 1) ** 2, rel=1e-11)
    assert fit.k == pytest.approx(400 * np.log10(n), rel=1e-3)


@given(st.integers(0, 2**31), st.permutations(range(12)))
@settings(max_examples=15)
def test_neither_seats_nor_names_change_the_fit(seed: int, order: list[int]) -> None:
    matches = simulate_strengths(12, 400, sd=200, draws=0.1, seed=seed)
    pairs, code = matches.pairs, np.array(order, np.int32)
    swapped = Matches.of_pairs(pairs.second, pairs.first, 1 - pairs.score)
    renamed = Matches.of_pairs(
        code[pairs.first], code[pairs.second], pairs.halves, players=Players.named([f"player {n}" for n in range(12)])
    )
    k = fit_best_elo(matches).k
    assert fit_best_elo(swapped).k == pytest.approx(k, rel=1e-5)
    assert fit_best_elo(renamed).k == k


def test_no_matches_and_no_such_search_are_refused() -> None:
    with pytest.raises(MatchDataError, match="no matches"):
        fit_best_elo(Matches.of_pairs([], [], []))
    with pytest.raises(LudometerError, match="no search is called 'guess'; there are: lanes, printed"):
        fit_best_elo(game(100), procedure="guess")  # type: ignore[arg-type]


def test_its_plot_shows_the_curve_and_the_best_k() -> None:
    fit = fit_best_elo(game(100))
    text = fit.plot().to_json()
    assert f"k = {fit.k:.3g}" in text
    assert "Step k (Elo points)" in text


def dated(sd: float = 150) -> Matches:
    pairs = game(sd).pairs
    days = np.datetime64("2020-01-01") + np.arange(len(pairs)) // 100
    return Matches.of_pairs(pairs.first, pairs.second, pairs.halves, time=days)


def ratings_by_name(matches: Matches, system: BestFit | Elo) -> dict[str, float]:
    return dict(rate(matches, system=system).to_frame().select("player", "rating").iter_rows())


def test_rate_lists_the_ratings_of_the_fit() -> None:
    matches = dated()
    fit = fit_best_elo(matches)
    ratings = rate(matches, system=BestFit())
    assert ratings.provenance.method == "best-fit"
    assert ratings.provenance.parameters == {"k": fit.k, "in_sample": True}
    np.testing.assert_array_equal(ratings.rating, fit.rating)
    assert ratings_by_name(matches, BestFit()) == ratings_by_name(matches, Elo(fit.k, 0.0))


def test_evaluate_says_that_its_k_is_in_sample() -> None:
    matches = dated()
    (score,) = evaluate(matches, systems=[BestFit()], tune=False).systems
    assert score.parameters == {"k": fit_best_elo(matches).k, "in_sample": True}
    assert score.brier == pytest.approx(fit_best_elo(matches).loss / 2, rel=1e-12)


def test_evaluate_from_a_date_fits_only_what_was_before() -> None:
    matches = dated()
    assert matches.time is not None
    early = matches.take(np.asarray(matches.time < np.datetime64("2020-04-01")))
    (score,) = evaluate(matches, systems=[BestFit()], since="2020-04-01").systems
    assert score.parameters == {"k": fit_best_elo(early).k, "in_sample": False}
    assert score.n == len(matches) - len(early)
    (fixed,) = evaluate(matches, systems=[Elo(fit_best_elo(early).k, 0.0)], since="2020-04-01").systems
    assert score.log_loss == fixed.log_loss


def test_it_cannot_be_fitted_to_what_it_has_not_seen() -> None:
    matches = dated()
    with pytest.raises(LudometerError, match="needs the whole record"):
        rate(matches.parts(1000), system=BestFit())
    with pytest.raises(LudometerError, match="needs the whole record"):
        evaluate(matches.parts(1000), systems=[BestFit()])
    with pytest.raises(LudometerError, match="fitted to matches before those that are scored"):
        evaluate(matches, systems=[BestFit()], since="2019-12-31")


def test_it_is_made_by_name_and_takes_no_k() -> None:
    assert make_system("best-fit") == BestFit()
    assert BestFit().parameters == {}
    with pytest.raises(LudometerError, match="its k is fitted"):
        make_system("best-fit:k=3")


def test_once_fitted_it_expects_what_elo_expects() -> None:
    matches = dated()
    fitted = BestFit().fitted(matches, in_sample=True)
    elo = Elo(fit_best_elo(matches).k, 0.0)
    state, expected = fitted.play(fitted.start(0), matches)
    same: Floats = elo.play(elo.start(0), matches)[1]
    np.testing.assert_array_equal(expected, same)
    first, second = np.array([0], np.int32), np.array([1], np.int32)
    assert fitted.expect(state, first, second) == elo.expect(state, first, second)
