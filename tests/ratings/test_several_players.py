"""Matches of several players: rated, fitted, evaluated and predicted; with two it is the two-player system."""

from __future__ import annotations

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, Seats
from ludometer.players import Players
from ludometer.ratings import BestFit, Elo, PlacesPrediction, evaluate, fit_best_elo, make_prizes, predict, rate
from ludometer.ratings.catalogue import make_system
from ludometer.ratings.prizes import RECORDED, WINNER, seat_columns
from ludometer.ratings.scoring import Outcomes
from ludometer.scale import ELO
from ludometer.simulate import simulate_strengths

LINEAR = make_prizes("linear")


def races(n_matches: int = 4_000, n_players: int = 30, *, size: int = 5, sd: float = 0.8, seed: int = 1) -> Matches:
    """Finishing orders by the rank-ordered logit: the order of Gumbel-shifted strengths."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, sd, n_players)
    player = rng.permuted(np.tile(np.arange(n_players), (n_matches, 1)), axis=1)[:, :size]
    result = strength[player] + rng.gumbel(size=player.shape)
    return Matches.of_seats(np.arange(0, player.size + 1, size), player.ravel(), -result.ravel())


def mixed(n_matches: int = 300, seed: int = 2) -> Matches:
    """Matches of two to five, some with ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, n_matches)
    player = np.concatenate([rng.permutation(8)[:n] for n in sizes])
    place = np.concatenate([rng.integers(0, n + 1, n) for n in sizes])
    return Matches.of_seats(np.concatenate(([0], np.cumsum(sizes))), player, place)


def as_seats(matches: Matches) -> Matches:
    """Matches of two as such of several: with recorded prizes they stay seats."""
    seats = matches.seats
    # of a draw the two prizes are shared, whoever is written beside which
    prize = np.where(np.repeat(seats.drawn, 2), np.arange(len(seats.place)) % 2, seats.place == 1).astype(np.float64)
    return Matches.of_seats(seats.starts, seats.player, seats.place, prize=prize, players=matches.players)


def test_two_players_for_prizes_of_one_and_nothing_are_the_two_player_system() -> None:
    pairs = simulate_strengths(40, 3_000, draws=0.3, seed=5)
    seats = as_seats(pairs)
    assert isinstance(seats.table, Seats)
    for prizes in (WINNER, LINEAR, RECORDED):
        elo = Elo(k=20, prizes=prizes)
        one, forecasts = Elo(k=20).play(elo.start(0), pairs)
        other, shares = elo.play(elo.start(0), seats)
        np.testing.assert_allclose(one.natural, other.natural, atol=1e-12)
        np.testing.assert_allclose(forecasts, shares[::2], atol=1e-12)
    fits = [fit_best_elo(pairs), fit_best_elo(seats), fit_best_elo(seats, prizes=RECORDED)]
    assert len({round(fit.k, 7) for fit in fits}) == 1
    assert len({round(fit.loss, 10) for fit in fits}) == 1
    scores = [evaluate(matches, systems=[Elo()]).systems[0] for matches in (pairs, seats)]
    for name in ("log_loss", "brier", "accuracy"):
        assert getattr(scores[0], name) == pytest.approx(getattr(scores[1], name), rel=1e-12)
    names = ("7", "9")
    one_game, other_game = predict(pairs, *names), predict(seats, *names)
    assert (one_game.win, one_game.draw) == pytest.approx((other_game.win, other_game.draw), abs=1e-9)


@pytest.mark.parametrize("text", ["winner", "linear", "top-heavy", "10,6,5,2,1"])
def test_elo_is_the_definition_match_by_match(text: str) -> None:
    matches, prizes = mixed(60), make_prizes(text)
    rating = np.full(8, 1500.0)
    seats = matches.seats
    _, score = seat_columns(seats, prizes)
    for start, stop in pairwise(seats.starts):
        who = seats.player[start:stop]
        weight = 10 ** (rating[who] / 400)
        shares, expected = prizes.shares(stop - start), np.zeros(stop - start)
        for order in permutations(range(stop - start)):
            ordered = weight[list(order)]
            chance = np.prod(ordered / np.cumsum(ordered[::-1])[::-1])
            expected[list(order)] += chance * shares
        rating[who] += 24 * (score[start:stop] - expected)
    np.testing.assert_allclose(rate(matches, system=Elo(prizes=prizes)).rating, rating, atol=1e-8)


@given(st.integers(0, 300))
def test_two_halves_equal_the_whole(cut: int) -> None:
    matches, elo = mixed(), Elo(prizes=LINEAR)
    whole, expected = elo.play(elo.start(0), matches)
    half, one = elo.play(elo.start(0), matches.part(0, cut))
    rest, other = elo.play(half, matches.part(cut, 300))
    assert np.array_equal(whole.natural, rest.natural)
    assert np.array_equal(expected, np.concatenate((one, other)))


def test_draws_of_several_are_shared_first_places() -> None:
    matches = mixed()
    ratings = rate(matches)
    assert ratings.draw_rate == matches.draw_rate
    assert 0 < ratings.draw_rate < 1
    assert ratings.matches.sum() == matches.sizes.sum()


@pytest.mark.parametrize("text", ["winner", "linear", "top-heavy"])
def test_both_searches_and_an_independent_one_find_the_same_k(text: str) -> None:
    matches, prizes = races(), make_prizes(text)
    fits = [fit_best_elo(matches, procedure=procedure, prizes=prizes) for procedure in ("lanes", "printed")]

    def loss(k: float) -> float:
        elo = Elo(k, prizes=prizes)
        _, expected = elo.play(elo.start(0), matches)
        return float(((seat_columns(matches.seats, prizes)[1] - expected) ** 2).sum() / len(matches))

    best = minimize_scalar(loss, bounds=(2, 100), method="bounded", options={"xatol": 1e-4})
    assert fits[0].k == pytest.approx(best.x, rel=1e-3)
    assert fits[1].k == pytest.approx(best.x, rel=2e-2)
    assert fits[0].loss == pytest.approx(best.fun, rel=1e-9)
    assert fits[0].loss_at_zero == pytest.approx(loss(0.0), rel=1e-12)


def test_the_printed_scale_is_wider_and_nothing_else() -> None:
    matches = races()
    usual, printed = (fit_best_elo(matches, prizes=LINEAR, base=base) for base in ("10", "e"))
    assert printed.k == pytest.approx(math.log(10) * usual.k, rel=1e-4)
    assert printed.loss == pytest.approx(usual.loss, rel=1e-9)
    np.testing.assert_allclose(printed.rating, math.log(10) * usual.rating, rtol=1e-3, atol=0.05)
    assert printed.provenance.parameters == {"procedure": "lanes", "prizes": "linear", "base": "e"}
    fitted = BestFit(prizes=LINEAR, base="e").fitted(matches, in_sample=True)
    np.testing.assert_allclose(rate(matches, system=fitted).rating, printed.rating, atol=1e-6)


def test_base_e_is_refused_for_matches_of_two() -> None:
    matches = simulate_strengths(10, 100, seed=1)
    with pytest.raises(LudometerError, match="two-player matches need base 10"):
        fit_best_elo(matches, base="e")
    with pytest.raises(LudometerError, match="two-player matches need base 10"):
        rate(matches, system=Elo(base="e"))
    with pytest.raises(LudometerError, match="10 or e"):
        Elo(base="2")  # type: ignore[arg-type]


def test_strengths_are_recovered_in_order() -> None:
    strength = np.random.default_rng(1).normal(0, 0.8, 30)
    fit = fit_best_elo(races(20_000), prizes=LINEAR)
    assert np.corrcoef(fit.rating, strength)[0, 1] > 0.95
    assert fit.rating.std() == pytest.approx(ELO * strength.std(), rel=0.1)


def test_a_random_order_has_no_spread() -> None:
    fit = fit_best_elo(races(5_000, sd=0.0), prizes=LINEAR)
    assert fit.rating.std() < 15


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=6))
def test_places_are_those_of_all_orders(natural: list[float]) -> None:
    elo = Elo()
    state = elo.start(len(natural))
    state.natural[:] = natural
    probability = elo.expect_places(state, np.arange(len(natural), dtype=np.int32))
    weight, by_hand = np.exp(natural), np.zeros((len(natural),) * 2)
    for order in permutations(range(len(natural))):
        ordered = weight[list(order)]
        by_hand[list(order), range(len(natural))] += np.prod(ordered / np.cumsum(ordered[::-1])[::-1])
    np.testing.assert_allclose(probability, by_hand, atol=1e-12)
    pair = elo.expect(state, np.array([0], np.int32), np.array([1], np.int32))
    two = elo.expect_places(state, np.array([0, 1], np.int32))
    assert two[0, 0] == pytest.approx(pair[0], abs=1e-12)


def test_three_names_give_places() -> None:
    matches = races()
    forecast = predict(matches, "3", "5", "8", "11")
    assert isinstance(forecast, PlacesPrediction)
    assert forecast.probability.sum(axis=0) == pytest.approx(np.ones(4))
    assert [sum(places) for places in forecast.places.values()] == pytest.approx([1] * 4)
    assert list(forecast.places) == ["3", "5", "8", "11"]
    best = forecast.players[int(np.argmax(forecast.ratings))]
    assert forecast.summary().splitlines()[1].startswith(best)
    assert forecast.to_frame().shape == (16, 3)
    assert forecast.plot().to_dict()["mark"]["type"] == "rect"
    # the same from two-player matches, and from a fitted system
    assert len(predict(simulate_strengths(5, 200, seed=1), "0", "1", "2").places) == 3
    assert len(predict(matches, "3", "5", "8", system=BestFit()).places["3"]) == 3


def test_a_long_field_is_told_in_twenty_lines() -> None:
    forecast = predict(races(size=20), *map(str, range(25)))
    assert isinstance(forecast, PlacesPrediction)
    assert len(forecast.summary().splitlines()) == 20


def test_draws_of_two_come_from_the_matches_of_two() -> None:
    players = Players.named(["Ann", "Ben", "Cem"])
    seats = Matches.of_seats([0, 3, 5, 7, 9], [0, 1, 2, 0, 1, 1, 2, 0, 2], [1, 1, 3, 1, 1, 2, 2, 1, 2], players=players)
    # two of the three matches of two are drawn, all between nearly equal players
    assert predict(seats, "Ann", "Ben", system=Elo()).draw == pytest.approx(2 / 3, abs=0.02)
    only_three = Matches.of_seats([0, 3], [0, 1, 2], [1, 1, 3], players=players)
    assert predict(only_three, "Ann", "Ben").draw == 0


def test_names_must_be_different_known_and_at_least_two() -> None:
    matches = races()
    with pytest.raises(LudometerError, match="two or more"):
        predict(matches, "1")
    with pytest.raises(LudometerError, match="is named twice"):
        predict(matches, "1", "2", "1")
    with pytest.raises(LudometerError, match="no player is called"):
        predict(matches, "1", "2", "nobody")


@pytest.mark.parametrize("text", ["winner", "linear"])
def test_scores_of_forecasts_are_those_of_a_few_lines_of_python(text: str) -> None:
    matches, prizes = mixed(), make_prizes(text)
    elo = Elo(prizes=prizes)
    _, expected = elo.play(elo.start(0), matches)
    seats = matches.seats
    _, score = seat_columns(seats, prizes)
    log_loss = brier = accuracy = coin = 0.0
    for start, stop in pairwise(seats.starts):
        s, e, place = score[start:stop], expected[start:stop], seats.place[start:stop]
        log_loss -= sum(a / s.sum() * math.log(b / e.sum()) for a, b in zip(s, e, strict=True))
        brier += sum((a - b) ** 2 for a, b in zip(s, e, strict=True)) / 2
        top = [i for i in range(stop - start) if e[i] == e.max()]
        accuracy += sum(place[i] == 1 for i in top) / len(top) / (place == 1).sum()
        coin += math.log(stop - start)
    result = evaluate(matches, systems=[elo])
    (scored,) = result.systems
    by_hand = np.array([log_loss, brier, accuracy]) / 300
    assert (scored.log_loss, scored.brier, scored.accuracy) == pytest.approx(tuple(by_hand))
    assert result.coin.log_loss == pytest.approx(coin / 300)
    assert (scored.n, scored.calibration.n.sum()) == (300, 300)


def test_calibrated_forecasts_come_true_over_the_whole_range() -> None:
    result = evaluate(races(30_000, sd=1.2), systems=[BestFit()], bins=5)
    calibration = result.systems[0].calibration
    assert calibration.low.min() < 0.5
    large = calibration.n > 1_000
    np.testing.assert_allclose(calibration.score[large], calibration.forecast[large], atol=0.05)
    assert result.plot().to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]
    assert result.systems[0].log_loss < result.coin.log_loss


def test_only_matches_since_a_time_count() -> None:
    seats = mixed().seats
    matches = Matches.of_seats(seats.starts, seats.player, seats.place, time=np.arange(300))
    late = evaluate(matches, systems=[Elo()], since=200).systems[0]
    elo = Elo()
    _, expected = elo.play(elo.start(0), matches)
    judged = Outcomes.of(matches, WINNER).judge(expected)
    assert late.n == 100
    assert late.log_loss == pytest.approx(judged.log_loss[200:].mean())


def test_systems_with_different_prizes_cannot_be_compared() -> None:
    with pytest.raises(LudometerError, match="different prizes: linear, winner"):
        evaluate(mixed(), systems=[Elo(), Elo(prizes=LINEAR)])
    two = evaluate(mixed(), systems=[Elo(prizes=LINEAR), BestFit(prizes=LINEAR)])
    assert {score.parameters["prizes"] for score in two.systems} == {"linear"}


def test_systems_are_made_with_prizes_and_base() -> None:
    assert make_system("elo:k=8", prizes=LINEAR, base="e") == Elo(8, prizes=LINEAR, base="e")
    assert make_system("best-fit", prizes=LINEAR) == BestFit(prizes=LINEAR)


def test_prizes_must_be_recorded_to_be_played_for() -> None:
    with pytest.raises(MatchDataError, match="the matches have none"):
        rate(mixed(), system=Elo(prizes=make_prizes("won")))


def test_expected_shares_add_up_to_the_prizes() -> None:
    matches, elo = races(500, size=9), Elo(prizes=make_prizes("5,3,2,1"))
    _, expected = elo.play(elo.start(0), matches)
    totals: Floats = np.add.reduceat(expected, matches.seats.starts[:-1])
    np.testing.assert_allclose(totals, 11 / 5, atol=1e-12)
