"""Bradley and Terry's model with covariates: against a plain maximiser, and on simulated arenas with known truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Labels, Players
from ludometer.scale import ELO, from_elo
from ludometer.strength.bradley_terry import BradleyTerry, fit_bradley_terry


def arena(
    rng: np.random.Generator,
    *,
    n_models: int = 12,
    n_votes: int = 1500,
    sd: float = 120.0,
    ties: float = 0.35,
    seat: float = 25.0,
    length: float = 40.0,
    per_user: int = 1,
    user_sd: float = 0.0,
) -> tuple[Floats, Matches]:
    """Votes with known strengths (mean 0), worth of the first position, and worth of a doubled length.

    A user votes several times, always on one pair of models, and has a taste that moves all these votes.
    """
    strength = rng.normal(0, sd, n_models)
    strength -= strength.mean()
    n_users = n_votes // per_user
    user = np.repeat(np.arange(n_users), per_user)
    first = rng.integers(0, n_models, n_users)[user]
    second = (first + rng.integers(1, n_models, n_users)[user]) % n_models
    own = rng.lognormal(5, 0.6, (len(user), 2))
    latent = strength[first] - strength[second] + seat + length * np.log2(own[:, 0] / own[:, 1])
    expected = 1 / (1 + np.exp(-from_elo(latent + user_sd * rng.standard_normal(n_users)[user])))
    tied = ties * 4 * expected * (1 - expected)
    chance = rng.random(len(user))
    result = np.where(chance < expected - tied / 2, 1.0, np.where(chance < expected + tied / 2, 0.5, 0.0))
    votes = Matches.of_pairs(
        first,
        second,
        result,
        players=Players.numbered(n_models),
        advantage="order",
        seat_covariates={"length": own},
        session=user,
    )
    return strength, votes


def covered(fit: BradleyTerry, strength: Floats) -> float:
    low, high = fit.interval.T
    return float(((low - 1500 < strength) & (strength < high - 1500)).mean())


def test_the_fit_is_that_of_a_plain_maximiser() -> None:
    rng = np.random.default_rng(1)
    _, votes = arena(rng, n_models=5, n_votes=200)
    judge = rng.integers(0, 3, len(votes))
    weight = rng.uniform(0.5, 2, len(votes))
    votes = votes.with_columns(covariates={"judge": [f"j{own}" for own in judge]}, weight=weight)
    fit = fit_bradley_terry(votes, errors="curvature", prior_sd=400)
    pairs, values = votes.pairs, votes.seat_covariates["length"]
    assert not isinstance(values, Labels)
    contrast = values[0::2] - values[1::2]
    spread = np.sqrt(np.mean(contrast**2))
    shares = np.bincount(judge) / len(judge)

    def loss(x: Floats) -> float:
        d = x[pairs.first] - x[pairs.second] + x[5] + x[6] * contrast / spread
        d = d + x[7:10][judge] - shares @ x[7:10]
        return float(
            weight @ (np.logaddexp(0, -d) * pairs.score + np.logaddexp(0, d) * (1 - pairs.score))
            + 0.5 * (ELO / 400) ** 2 * x @ x
        )

    best = minimize(loss, np.zeros(10), method="BFGS", options={"gtol": 1e-8})
    plain = best.x * ELO
    assert fit.rating - 1500 == pytest.approx(plain[:5] - plain[:5].mean(), abs=1e-2)
    effects = {effect.name: effect for effect in fit.effects}
    assert effects["first seat"].points == pytest.approx(plain[5], abs=1e-2)
    assert effects["length"].points == pytest.approx(plain[6] / spread, abs=1e-3)
    assert effects["length"].spread == pytest.approx(spread)
    names = votes.covariates["judge"].names.to_list()  # type: ignore[union-attr]
    for code in range(3):
        label = names.index(f"j{code}")
        expected = plain[5] + plain[7 + code] - shares @ plain[7:10]
        assert effects[f"first seat, judge {names[label]}"].points == pytest.approx(expected, abs=1e-2)


def test_the_curvature_is_that_of_finite_differences() -> None:
    """Second derivatives of the penalised likelihood, taken numerically, give the errors."""
    _, votes = arena(np.random.default_rng(2), n_models=4, n_votes=120)
    fit = fit_bradley_terry(votes, errors="curvature", contrasts={"length": "relative"})
    pairs, values = votes.pairs, votes.seat_covariates["length"]
    assert not isinstance(values, Labels)
    contrast = (values[0::2] - values[1::2]) / (values[0::2] + values[1::2])
    spread = np.sqrt(np.mean(contrast**2))

    def gradient(x: Floats) -> Floats:
        d = x[pairs.first] - x[pairs.second] + x[4] + x[5] * contrast / spread
        rest = pairs.score - 1 / (1 + np.exp(-d))
        pull = np.bincount(pairs.first, rest, 4) - np.bincount(pairs.second, rest, 4)
        return np.array([*pull, rest.sum(), rest @ contrast / spread]) - (ELO / 1000) ** 2 * x

    effects = {effect.name: effect.points for effect in fit.effects}
    free = np.append((fit.rating - 1500) / ELO, [effects["first seat"] / ELO, effects["length"] * spread / ELO])
    assert np.abs(gradient(free)).max() < 1e-6
    steps = 1e-5 * np.eye(6)
    hessian = np.array([(gradient(free - step) - gradient(free + step)) / 2e-5 for step in steps])
    inverse = np.linalg.inv(hessian)
    centre = np.eye(4) - 0.25
    assert fit.covariance == pytest.approx(centre @ inverse[:4, :4] @ centre * ELO**2, rel=1e-4, abs=1e-3)


def test_intervals_hold_in_95_of_100_arenas_with_many_ties() -> None:
    """Robust ones do; those of the curvature, which takes a tie for a coin's throw, are too wide."""
    rng = np.random.default_rng(3)
    held: dict[str, list[float]] = {"robust": [], "curvature": []}
    seat, length = [], []
    for _ in range(120):
        strength, votes = arena(rng)
        for errors, list_of in held.items():
            fit = fit_bradley_terry(votes, contrasts={"length": "doubling"}, errors=errors)  # type: ignore[arg-type]
            list_of.append(covered(fit, strength))
            if errors == "robust":
                effects = {effect.name: effect.interval for effect in fit.effects}
                seat.append(effects["first seat"][0] < 25 < effects["first seat"][1])
                length.append(effects["length"][0] < 40 < effects["length"][1])
    # 1,440 intervals of strengths, 120 of each effect: four standard errors
    assert abs(np.mean(held["robust"]) - 0.95) < 0.023
    assert np.mean(held["curvature"]) > 0.97
    assert np.mean(seat) > 0.95 - 0.08
    assert np.mean(length) > 0.95 - 0.08


def test_a_strength_that_longer_answers_borrowed_is_given_back() -> None:
    """Equal models, one of which writes twice as much: with the covariate it is no better."""
    rng = np.random.default_rng(4)
    n = 4000
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    own = rng.lognormal(5, 0.4, (n, 2)) * np.where(np.column_stack((first, second)) == 0, 2.0, 1.0)
    latent = from_elo(60 * np.log2(own[:, 0] / own[:, 1]))
    result = (rng.random(n) < 1 / (1 + np.exp(-latent))).astype(np.int8) * np.int8(2)
    votes = Matches.of_pairs(first, second, result)
    naive = fit_bradley_terry(votes)
    fair = fit_bradley_terry(votes.with_columns(seat_covariates={"length": own}), contrasts={"length": "doubling"})
    assert naive.rating[0] - 1500 > 4 * naive.sd[0]
    assert abs(fair.rating[0] - 1500) < 3 * fair.sd[0]
    assert fair.rank_intervals.tolist() == [[1, 4]] * 4
    assert naive.rank_intervals[0].tolist() == [1, 1]


def test_votes_of_one_user_are_no_independent_evidence() -> None:
    """Sessions make clusters: without them intervals are far too narrow."""
    rng = np.random.default_rng(5)
    with_users, without = [], []
    for _ in range(60):
        # equal models: tastes would pull differences towards 0
        strength, votes = arena(rng, n_models=6, n_votes=1800, sd=0.0, per_user=6, user_sd=400, ties=0.0)
        by_user = fit_bradley_terry(votes, contrasts={"length": "doubling"})
        each = np.arange(len(votes), dtype=np.int32)
        alone = fit_bradley_terry(votes, contrasts={"length": "doubling"}, clusters=each)
        assert by_user.n_clusters == 300
        with_users.append(covered(by_user, strength))
        without.append(covered(alone, strength))
    assert np.mean(with_users) > 0.90
    assert np.mean(without) < 0.80


def test_the_bootstrap_agrees_with_the_robust_errors() -> None:
    _, votes = arena(np.random.default_rng(6), n_models=6, n_votes=800)
    robust = fit_bradley_terry(votes, contrasts={"length": "doubling"})
    drawn = fit_bradley_terry(votes, contrasts={"length": "doubling"}, errors="bootstrap", n_draws=300, seed=1)
    assert drawn.rating == pytest.approx(robust.rating)
    assert drawn.sd == pytest.approx(robust.sd, rel=0.2)
    assert drawn.provenance.seed == 1
    again = fit_bradley_terry(votes, contrasts={"length": "doubling"}, errors="bootstrap", n_draws=300, seed=1)
    assert np.array_equal(again.interval, drawn.interval)


def test_anchors_stay_where_they_are_and_shift_nothing_else() -> None:
    _, votes = arena(np.random.default_rng(7), n_models=6, n_votes=2000)
    free = fit_bradley_terry(votes, prior_sd=1e5)
    held = fit_bradley_terry(votes, prior_sd=1e5, anchors={"3": 2800})
    assert held.rating[3] == 2800
    assert held.sd[3] == 0
    assert held.rating - held.rating[0] == pytest.approx(free.rating - free.rating[0], abs=0.01)
    # against the anchor, errors are those of differences
    assert held.sd == pytest.approx(free.difference_errors[3], rel=0.02)
    both = fit_bradley_terry(votes, anchors={"3": 2800, "4": 2800})
    assert (both.rating[3], both.rating[4]) == (2800, 2800)


def test_a_player_who_only_won_keeps_a_wide_interval() -> None:
    votes = Matches.of_pairs([0, 0, 0, 1, 2] * 4, [1, 2, 1, 2, 1] * 4, [1, 1, 1, 1, 1] * 4)
    fit = fit_bradley_terry(votes)
    assert np.isfinite(fit.rating).all()
    assert fit.rating[0] - fit.rating[1] > 400
    # their results scatter not at all: the model's own error stands in for it
    curved = fit_bradley_terry(votes, errors="curvature")
    assert fit.sd[0] > 0.8 * curved.sd[0] > 150


def test_neutral_ground_has_no_advantage() -> None:
    """Home is worth 100 points, on neutral ground nothing: told match by match, the advantage is found."""
    rng = np.random.default_rng(8)
    n = 6000
    first = rng.integers(0, 6, n)
    second = (first + rng.integers(1, 6, n)) % 6
    home = rng.integers(-1, 2, n).astype(np.int8)
    result = (rng.random(n) < 1 / (1 + 10 ** (-home / 4))).astype(np.float64)
    (effect,) = fit_bradley_terry(Matches.of_pairs(first, second, result, advantage=home)).effects
    assert abs(effect.points - 100) < 3 * effect.sd
    assert effect.sd < 10
    none = Matches.of_pairs(first, second, result, advantage=np.zeros(n, np.int8))
    assert fit_bradley_terry(none).effects == ()
    with pytest.raises(LudometerError, match="no seat has an advantage"):
        fit_bradley_terry(none.with_columns(covariates={"judge": np.where(home > 0, "x", "y").tolist()}))


def test_untidy_records_are_refused_in_plain_words() -> None:
    votes = Matches.of_pairs([0, 1], [1, 0], [1, 0.5])
    with pytest.raises(LudometerError, match="never differs"):
        fit_bradley_terry(votes.with_columns(seat_covariates={"length": [3, 3, 4, 4]}))
    with pytest.raises(LudometerError, match="same in all matches"):
        fit_bradley_terry(votes.with_columns(covariates={"judge": ["x", "x"]}))
    with pytest.raises(LudometerError, match="unknown in 1 places"):
        fit_bradley_terry(votes.with_columns(seat_covariates={"length": [3, np.nan, 4, 4]}))
    with pytest.raises(LudometerError, match="holds words"):
        fit_bradley_terry(votes.with_columns(seat_covariates={"style": ["a", "b", "a", "a"]}))
    with pytest.raises(LudometerError, match="not above 0"):
        fit_bradley_terry(
            votes.with_columns(seat_covariates={"length": [3, 0, 4, 4]}), contrasts={"length": "doubling"}
        )
    with pytest.raises(LudometerError, match="no covariate"):
        fit_bradley_terry(votes, contrasts={"length": "doubling"})
    with pytest.raises(LudometerError, match="no player is called"):
        fit_bradley_terry(votes, anchors={"Zoe": 1500})


def test_one_match_and_two_islands_are_enough() -> None:
    fit = fit_bradley_terry(Matches.of_pairs([0, 2], [1, 3], [1, 0.5]))
    assert np.isfinite(fit.rating).all()
    assert fit.to_frame().height == 4
    assert "4 players" in fit.summary()
    assert "ratings" in fit.charts()
