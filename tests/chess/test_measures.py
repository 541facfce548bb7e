"""Mean loss, best-move share and Regan's (s, c): recovered from choices that were drawn from the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludometer.chess.record.evaluations import EvaluatedGame, Evaluations
from ludometer.chess.strength.gains import Filters, measure_gains
from ludometer.chess.strength.measures import choice_probabilities, fit_choices, fit_sensitivity, measure_quality
from ludometer.errors import LudometerError
from tests.chess.simulated import simulate


def test_probabilities_add_up_to_one_and_solve_the_model() -> None:
    deltas = np.array([[0.0, 0.1, 0.5, np.nan], [0.0, 0.0, 0.0, 0.0], [0.0, 5.0, np.nan, np.nan]])
    p = choice_probabilities(deltas, 0.1, 0.5)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    assert p[0, 3] == 0
    ratio = np.log(1 / p[0, 1:3]) / np.log(1 / p[0, 0])
    np.testing.assert_allclose(ratio, np.exp((deltas[0, 1:3] / 0.1) ** 0.5), rtol=1e-9)
    np.testing.assert_allclose(p[1], 0.25)


@pytest.mark.parametrize(("s", "c"), [(0.08, 0.5), (0.2, 0.4)])
def test_sensitivity_and_consistency_are_recovered(s: float, c: float) -> None:
    rng = np.random.default_rng(1)
    z = []
    for _ in range(5):
        deltas = np.sort(rng.exponential(0.15, (1200, 3)), axis=1)
        deltas[:, 0] = 0
        p = choice_probabilities(deltas, s, c)
        choice = (rng.random((1200, 1)) > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)
        found = fit_choices(deltas, choice, np.repeat(np.arange(30), 40))
        z += [(found[0] - s) / found[2], (found[1] - c) / found[3]]
    assert np.abs(z).max() < 4
    assert 0.3 < np.std(z) < 2


def choosing_games(sensitivity: tuple[float, float], n_games: int = 6) -> Evaluations:
    """Two moves each time, the second 2 to 120 centipawns worse; both players choose by the model with c = 0.7."""
    rng = np.random.default_rng(2)
    games = []
    for number in range(n_games):
        level, levels, lines, choice = 0.0, [0.0], [], []
        for ply in range(100):
            side = ply % 2
            gap = float(rng.integers(2, 120))
            worse = -gap if side == 0 else gap
            scaled = [np.sign(v) * np.log1p(abs(v) / 100) for v in (level, level + worse)]
            deltas = np.array([[0.0, abs(scaled[0] - scaled[1])]])
            best = bool(rng.random() < choice_probabilities(deltas, sensitivity[side], 0.7)[0, 0])
            lines.append([level, level + worse])
            choice.append(0 if best else 1)
            level = float(np.clip(level + (0.0 if best else worse), -190, 190))
            levels.append(level)
        lines.append([level, level])
        choice.append(-1)
        games.append(EvaluatedGame(str(number), "Ann", "Ben", levels, lines=lines, choice=choice))
    return Evaluations.of_games(games)


def test_best_move_shares_and_losses_are_counted() -> None:
    games = choosing_games((0.1, 0.6))
    found = measure_quality(games, filters=Filters())
    frame = {row["player"]: row for row in found.to_frame().to_dicts()}
    assert games.choice is not None
    moves = np.flatnonzero(games.has_gain)
    for side, name in enumerate(("Ann", "Ben")):
        mine = moves[games.side[moves] == side]
        assert frame[name]["best_share"] == pytest.approx(np.mean(games.choice[mine - 1] == 0))
        assert frame[name]["best_share_low"] < frame[name]["best_share"] < frame[name]["best_share_high"]
    assert frame["Ann"]["best_share"] > frame["Ben"]["best_share"]
    assert frame["Ann"]["loss"] < frame["Ben"]["loss"]
    # gaps have the same distribution for both: equal difficulty changes little
    assert frame["Ann"]["standard_share"] == pytest.approx(frame["Ann"]["best_share"], abs=0.03)
    assert len(found.summary().splitlines()) == 3
    assert len(found.plot().to_dict()["layer"]) == 2


def test_equal_difficulty_removes_what_an_easy_choice_gives() -> None:
    # both play alike at each gap, but Ann has easy choices (large gaps) far more often
    rng = np.random.default_rng(3)
    games = []
    for number in range(40):
        lines, choice = [], []
        for ply in range(60):
            easy = rng.random() < (0.8 if ply % 2 == 0 else 0.2)
            gap = (100 if easy else 5) * (-1 if ply % 2 == 0 else 1)
            lines.append([0.0, float(gap)])
            choice.append(0 if rng.random() < (0.9 if easy else 0.5) else 1)
        games.append(
            EvaluatedGame(str(number), "Ann", "Ben", [0.0] * 61, lines=[*lines, [0.0, 0.0]], choice=[*choice, -1])
        )
    found = measure_quality(Evaluations.of_games(games), filters=Filters())
    assert found.best_share[0] - found.best_share[1] > 0.15
    assert abs(found.standard_share[0] - found.standard_share[1]) < 0.06
    assert found.standard_share[0] == pytest.approx(0.7, abs=0.04)


def test_without_lines_the_loss_is_minus_the_gain() -> None:
    games = Evaluations.of_games(simulate(np.random.default_rng(4), [15, 25], [(0, 1)] * 4))
    found = measure_quality(games, filters=Filters())
    assert np.isnan(found.best_share).all()
    assert found.to_frame()["best_share"].null_count() == 2
    gains = measure_gains(games)
    assert found.loss.tolist() == pytest.approx([-gains.of(name).mean() / 100 for name in found.tally.names])
    with pytest.raises(LudometerError, match="best, second, choice"):
        fit_sensitivity(games)
    with pytest.raises(LudometerError, match="no moves count"):
        measure_quality(games, filters=Filters(skip_plies=500))


def test_sensitivity_from_evaluations_counts_what_it_leaves_out() -> None:
    games = choosing_games((0.1, 0.6), n_games=8)
    found = fit_sensitivity(games)
    assert found.left_out.tolist() == [0, 0]
    assert found.tally.moves.tolist() == [400, 400]
    assert (np.abs(found.s - [0.1, 0.6]) < 4 * found.s_error).all()
    assert (np.abs(found.c - 0.7) < 4 * found.c_error).all()
    assert found.s[0] < found.s[1]
    assert games.choice is not None
    others = np.where(np.arange(len(games.choice)) % 10 == 3, -1, games.choice).astype(np.int8)
    fewer = fit_sensitivity(replace(games, choice=others))
    assert (fewer.tally.moves + fewer.left_out).tolist() == [400, 400]
    assert fewer.left_out.sum() > 50
    frame = found.to_frame()
    assert frame["s_error"].null_count() == 0
    assert len(found.summary().splitlines()) == 3
    assert found.plot().to_dict()["mark"]["type"] == "point"
