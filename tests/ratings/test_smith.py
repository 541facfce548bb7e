"""Smith's recommended system: newcomers by the integral, established players by the step, fitted to known truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Elo, evaluate
from ludometer.ratings.systems.smith import FittedSmith, Smith
from ludometer.simulate import StrengthGame
from tests.ratings.test_systems import league


def posterior(results: list[tuple[float, float]], sd: float) -> tuple[float, float]:
    """Mean and SD under a normal prior around 0, by adaptive integration in Elo points."""

    def density(x: float) -> float:
        value = float(np.exp(-0.5 * (x / sd) ** 2))
        for opponent, score in results:
            e = 1 / (1 + 10 ** ((opponent - x) / 400))
            value *= e**score * (1 - e) ** (1 - score)
        return value

    moments = [
        quad(lambda x, k=k: x**k * density(x), -8 * sd, 8 * sd, epsabs=0, epsrel=1e-10, limit=200)[0] for k in range(3)
    ]
    mean = moments[1] / moments[0]
    return mean, float(np.sqrt(moments[2] / moments[0] - mean**2))


def test_a_newcomer_has_the_expectation_of_his_results() -> None:
    # his opponents are newcomers in their first match: each counts with the prior's mean
    scores = [1, 1, 0.5, 0, 1, 1, 1, 0.5]
    matches = Matches.of_pairs([0] * 8, list(range(1, 9)), scores)
    system = FittedSmith(h=40, sd=300)
    state, _ = system.play(system.start(0), matches)
    mean, sd = posterior([(0.0, score) for score in scores], 300)
    assert system.ratings(state)[0] - 1500 == pytest.approx(mean, abs=1e-3)
    assert system.uncertainty(state)[0] == pytest.approx(sd, abs=1e-3)


def test_newcomers_are_expected_at_the_mean_of_established_players() -> None:
    system = FittedSmith(h=40, sd=250, games=5)
    state, _ = system.play(system.start(0), Matches.of_pairs([0] * 4, [1] * 4, [1] * 4))
    state, _ = system.play(state, Matches.of_pairs([0, 0, 0], [2, 3, 4], [1, 1, 1], players=Players.numbered(5)))
    established = system.ratings(state)[0]
    assert established > 1600
    state, expected = system.play(state, Matches.of_pairs([5], [0], [0], players=Players.numbered(6)))
    assert expected[0] == pytest.approx(0.5)
    mean, _ = posterior([(0.0, 0.0)], 250)
    assert system.ratings(state)[5] == pytest.approx(established + mean, abs=2)


def test_established_players_move_by_half_of_h() -> None:
    system = FittedSmith(h=40, sd=250, games=2)
    state, _ = system.play(system.start(0), Matches.of_pairs([0] * 2, [1] * 2, [1, 0]))
    before = system.ratings(state)
    state, expected = system.play(state, Matches.of_pairs([0], [1], [1]))
    np.testing.assert_allclose(system.ratings(state) - before, [20 * (1 - expected[0]), -20 * (1 - expected[0])])
    assert expected[0] == pytest.approx(1 / (1 + 10 ** ((before[1] - before[0]) / 400)))


def test_against_a_newcomer_an_established_player_moves_by_his_share() -> None:
    system = FittedSmith(h=40, sd=250, games=4)
    state, _ = system.play(system.start(0), Matches.of_pairs([0] * 4, [1] * 4, [1, 0, 1, 0]))
    before = system.ratings(state)[0]
    state, _ = system.play(state, Matches.of_pairs([0], [2], [1], players=Players.numbered(3)))
    assert system.ratings(state)[0] == before
    state, expected = system.play(state, Matches.of_pairs([0], [2], [1], players=Players.numbered(3)))
    assert system.ratings(state)[0] - before == pytest.approx(20 * (1 - expected[0]) / 4)


def test_rows_of_the_pool_are_used_again() -> None:
    matches = league()
    system = FittedSmith(h=40, sd=250, games=10)
    state, _ = system.play(system.start(0), matches)
    in_use = len(state.pool) - int(state.used[1])
    assert in_use == int((state.player[:, 3] >= 0).sum())
    assert len(state.pool) < 40


def test_the_fit_finds_the_spread_of_a_league_and_predicts_better_than_elo() -> None:
    game = StrengthGame(300, sd=250, seed=3)
    (matches,) = game.batches(30_000)
    system = Smith().fitted(matches, in_sample=True)
    # the SD of 300 skills is known to 4%, and ratings with a fitted step are not free of error
    assert system.sd == pytest.approx(float(game.skill.std(ddof=1)), rel=0.1)
    assert 5 < system.h < 100
    state, _ = system.play(system.start(0), matches)
    error = system.entry_error(state)
    assert error is not None
    assert 60 < error < 150
    smith, elo = evaluate(matches, systems=[system, Elo(k=20)]).systems
    assert elo.difference > 5 * elo.difference_se > 0 == smith.difference
    best = Smith(h="log-loss").fitted(matches, in_sample=True)
    assert evaluate(matches, systems=[best]).systems[0].log_loss <= smith.log_loss + 1e-9


def test_newcomers_errors_are_as_large_as_their_uncertainty_says() -> None:
    misses, sds = [], []
    for seed in range(12):
        game = StrengthGame(200, sd=250, seed=seed)
        (matches,) = game.batches(1_200)
        system = FittedSmith(h=40, sd=250)
        state, _ = system.play(system.start(0), matches)
        new = (state.player[:, 2] < 20) & (state.player[:, 2] > 5)
        miss = system.ratings(state) - 1500 - (game.skill - game.skill.mean())
        misses.append(miss[new] - miss[new].mean())
        sds.append(system.uncertainty(state)[new])
    ratio = np.sqrt((np.concatenate(misses) ** 2).mean() / (np.concatenate(sds) ** 2).mean())
    # opponents who are new themselves count as if known, so the truth is further off, but not by much
    assert 1.0 < ratio < 1.35


@pytest.mark.parametrize("parameters", [{"games": 0}, {"h": "fast"}, {"start_rating": float("inf")}])
def test_impossible_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        Smith(**parameters)  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="SD of the strengths"):
        FittedSmith(h=40, sd=0)


def test_a_record_without_regulars_still_has_numbers() -> None:
    system = Smith().fitted(Matches.of_pairs([0, 1], [1, 2], [1, 1]), in_sample=True)
    assert system.h == 64
    assert system.parameters["in_sample"] is True
