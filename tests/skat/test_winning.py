import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from ludometer.errors import LudometerError, NoFiniteFit
from ludometer.skat.luck.features import DeclaredGames, describe_suit_games
from ludometer.skat.luck.winning import WinningModel, calibrate, default_model, fit_logistic, fit_winning
from ludometer.skat.programs.card_player import simulate_games
from ludometer.skat.rules.cards import NULL, deal_cards


@pytest.fixture(scope="module")
def played() -> Any:
    games = simulate_games(30_000, blunder=0.1, seed=5)
    return games.declared, games.won[games.played]


def test_newton_finds_the_optimum_that_another_method_finds() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 4)) * [1, 5, 0.1, 2]
    won = rng.random(500) < expit(x @ [1, -0.2, 3, 0])

    def loss(beta: Any) -> Any:
        slopes = beta[1:] * x.std(axis=0)
        signed = np.where(won, 1, -1) * (beta[0] + x @ beta[1:])
        return np.logaddexp(0, -signed).sum() + 0.5 * 2.0 * (slopes**2).sum()

    other = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8, "maxiter": 2000})
    np.testing.assert_allclose(fit_logistic(x, won, ridge=2.0), other.x, atol=1e-4)


def test_the_truth_is_recovered_within_its_errors() -> None:
    rng = np.random.default_rng(2)
    truth = np.array([0.5, 1.0, -2.0])
    x = rng.normal(size=(20_000, 2))
    chance = expit(truth[0] + x @ truth[1:])
    found = fit_logistic(x, rng.random(20_000) < chance, ridge=1e-6)
    design = np.column_stack((np.ones(20_000), x))
    errors = np.sqrt(np.diag(np.linalg.inv((design.T * (chance * (1 - chance))) @ design)))
    assert (np.abs(found - truth) < 3.5 * errors).all()


def test_separation_without_a_ridge_is_refused_and_with_one_fitted() -> None:
    x = np.linspace(-1, 1, 100)[:, None]
    with pytest.raises(NoFiniteFit):
        fit_logistic(x, x[:, 0] > 0, ridge=0)
    assert fit_logistic(x, x[:, 0] > 0, ridge=1.0)[1] > 0


def test_a_model_of_games_predicts_other_games_better_than_their_mean(played: Any) -> None:
    games, won = played
    train = np.arange(len(games)) % 2 == 0
    result = fit_winning(games.where(train), won[train]).check(games.where(~train), won[~train])
    for quality in result.quality:
        if quality.games > 500:
            assert quality.log_loss < quality.base_log_loss
            assert quality.auc > 0.6
    suits = np.array([kind == "suit" for kind in result.kind])
    deviation = (result.observed - result.predicted)[suits] / result.std_error[suits]
    # the sum over ten groups of squared standard deviations: 99.9% are below 29.6
    assert (deviation**2).sum() < 29.6
    assert "AUC" in result.summary()
    assert result.plot().to_dict()["spec"]["layer"]


def test_shares_won_are_those_of_the_records(played: Any) -> None:
    games, won = played
    model = fit_winning(games, won)
    assert model.normal["suit"] == pytest.approx(won[games.kind == 0].mean())
    # the likelihood equations: the mean prediction is the share won
    assert model.predict(games)[games.kind == 0].mean() == pytest.approx(model.normal["suit"], abs=1e-6)
    assert model.games["grand"] == (games.kind == 1).sum()


def test_null_is_the_product_of_its_suits_and_is_recovered() -> None:
    rng = np.random.default_rng(4)
    hands, skat = deal_cards(20_000, seed=4)
    games = DeclaredGames.of(np.full(20_000, NULL), hands[:, 0], skat, position=rng.integers(0, 3, 20_000))
    truth = WinningModel.load(_write_null({"holds the suit": 4.0, "sum of gaps": -0.6, "forehand": -0.5}))
    chance = truth.predict(games)
    model = fit_winning(games, rng.random(20_000) < chance, ridge=0.1)
    assert model.suit is None
    assert model.grand is None
    found = model.predict(games)
    assert np.corrcoef(found, chance)[0, 1] > 0.99
    assert np.abs(found - chance).mean() < 0.02


def _write_null(values: dict[str, float]) -> Any:

    from ludometer.skat.luck.winning import FORMAT, NULL_NAMES

    path = Path(tempfile.mkdtemp()) / "model.json"
    document = {
        "format": FORMAT,
        "null": {name: values.get(name, 0.0) for name in NULL_NAMES},
        "normal": {},
        "games": {},
    }
    path.write_text(json.dumps(document))
    return path


def test_a_model_is_saved_as_plain_numbers_and_read_again(played: Any, tmp_path: Path) -> None:
    games, won = played
    model = fit_winning(games, won, origin={"seed": 5})
    model.save(tmp_path / "model.json")
    again = WinningModel.load(tmp_path / "model.json")
    np.testing.assert_allclose(again.predict(games), model.predict(games), atol=1e-4, equal_nan=True)
    assert again.provenance.parameters["seed"] == 5
    document = json.loads((tmp_path / "model.json").read_text())
    document["suit"]["phase of the moon"] = document["suit"].pop("trumps")
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(LudometerError, match=r"phase of the moon, trumps"):
        WinningModel.load(tmp_path / "model.json")
    (tmp_path / "model.json").write_text("[]")
    with pytest.raises(LudometerError, match="not a winning model"):
        WinningModel.load(tmp_path / "model.json")
    with pytest.raises(LudometerError, match=r"nothing\.json: no such file"):
        WinningModel.load(tmp_path / "nothing.json")
    with pytest.raises(LudometerError, match="cannot be read"):
        WinningModel.load(tmp_path)


def test_the_model_that_comes_along_orders_hands_of_games_it_never_saw(played: Any) -> None:
    games, won = played
    result = default_model().check(games, won)
    assert {q.kind: q.auc for q in result.quality if q.games > 500}["suit"] > 0.75


def test_one_more_side_ace_raises_the_chance_of_the_default_model() -> None:
    model = default_model()
    assert model.suit is not None
    assert dict(zip(model.suit.names, model.suit.values, strict=True))["side aces"] > 0
    assert model.suit.apply(describe_suit_games(simulate_games(10).declared)).shape[0] <= 10


def test_calibration_is_exact_where_it_can_be_counted() -> None:
    chance, won = np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, True, False, True])
    quality = calibrate(chance, won, np.zeros(4, np.int32)).quality[0]
    assert quality.auc == 0.75
    assert quality.log_loss == pytest.approx(-np.mean(np.log([0.9, 0.2, 0.2, 0.9])))
    assert quality.base_log_loss == pytest.approx(np.log(2))
