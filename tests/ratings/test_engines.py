"""Engine matches: pairs of games, errors that hold, and sequential tests that err as rarely as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings.engines.pairing import pair_games
from ludometer.ratings.engines.sprt import EloModel, likelihood_ratio, run_sprt
from ludometer.ratings.engines.study import Hypotheses, normalise, study_engines

NAMES = Players.named(["dev", "base"])


def play(
    rng: np.random.Generator,
    n_pairs: int,
    *,
    elo: float,
    opening_sd: float = 0.0,
    taste_sd: float = 0.0,
    draws: float = 0.4,
) -> Floats:
    """(pairs, 2): what the first engine scored as White and then as Black, with the same opening.

    The opening is worth something to White (which makes pairs more alike than games), and may suit the first engine
    in both games (which makes the two games of a pair alike).
    """
    white = opening_sd * rng.standard_normal(n_pairs)
    own = elo + taste_sd * rng.standard_normal(n_pairs)
    ahead = np.column_stack((own + white, own - white))
    expected = 1 / (1 + 10 ** (-ahead / 400))
    drawn = draws * 4 * expected * (1 - expected)
    chance = rng.random((n_pairs, 2))
    return np.where(chance < expected - drawn / 2, 1.0, np.where(chance < expected + drawn / 2, 0.5, 0.0))


def games(points: Floats) -> Matches:
    """The record of such pairs: dev has White in the first game, Black in the second."""
    n = len(points)
    result = np.column_stack((points[:, 0], 1 - points[:, 1])).ravel()
    return Matches.of_pairs(np.tile([0, 1], n), np.tile([1, 0], n), result, players=NAMES)


def pentanomial(points: Floats) -> Counts:
    return np.bincount((2 * points.sum(axis=1)).astype(np.int64), minlength=5)


def plain_ratio(counts: list[float], elo0: float, elo1: float, model: EloModel) -> float:
    """The ratio of two likelihoods, each maximised by a general optimiser under its constraint."""
    seen = np.array(counts, np.float64)
    value = np.linspace(0, 1, len(seen))

    def best(elo: float) -> float:
        def miss(p: Floats) -> float:
            mean = float(p @ value)
            if model == "logistic":
                return mean - 1 / (1 + 10 ** (-elo / 400))
            of_game = math.sqrt(float(p @ (value - mean) ** 2) * (2 if len(seen) == 5 else 1))
            return mean - 0.5 - elo / (800 / math.log(10)) * of_game

        under = [{"type": "eq", "fun": miss}, {"type": "eq", "fun": lambda p: float(p.sum()) - 1}]
        found = minimize(  # type: ignore[call-overload]
            lambda p: -float(seen @ np.log(p)) / seen.sum(),
            seen / seen.sum(),
            jac=lambda p: -seen / p / seen.sum(),
            bounds=[(1e-9, 1)] * len(seen),
            constraints=under,
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        return float(seen @ np.log(found.x))

    return best(elo1) - best(elo0)


@pytest.mark.parametrize("counts", [[312, 901, 350], [20, 230, 520, 260, 31], [3, 5, 9, 11, 2], [1, 40, 2000, 61, 1]])
@pytest.mark.parametrize("model", ["logistic", "normalised"])
def test_the_likelihood_ratio_is_that_of_a_general_optimiser(counts: list[float], model: EloModel) -> None:
    for elo0, elo1 in ((0, 2), (-3, 1), (0, 40)):
        assert run_sprt(counts, elo0, elo1, model=model).ratio == pytest.approx(
            plain_ratio(counts, elo0, elo1, model), abs=2e-4
        )


@pytest.mark.parametrize("counts", [[8, 0, 0], [0, 16, 0], [0, 0, 5], [3, 1, 0], [10, 5, 20]])
def test_the_likelihood_ratio_holds_where_nearly_all_games_end_alike(counts: list[int]) -> None:
    """In normalised Elo, with the share q of decided games wins and losses follow: a search over all q finds the best.

    An unseen result counts as a thousandth, in both.
    """
    seen = np.maximum(np.array(counts, np.float64), 1e-3)
    decided = np.concatenate((np.geomspace(1e-12, 1e-3, 100_000), np.linspace(1e-3, 1 - 1e-9, 300_000)))

    def best(t: float) -> float:
        lead = t * np.sqrt(decided / (1 + t * t))
        lost, won = (decided - lead) / 2, (decided + lead) / 2
        able = lost > 0
        told = seen[0] * np.log(np.where(able, lost, 1)) + seen[1] * np.log1p(-decided) + seen[2] * np.log(won)
        return float(told[able].max())

    expected = best(30 * math.log(10) / 800) - best(0.0)
    assert run_sprt(counts, 0, 30, model="normalised").ratio == pytest.approx(expected, abs=1e-6)


def test_the_likelihood_ratio_is_near_the_normal_one() -> None:
    """(s1 - s0) (2 s - s0 - s1) n / (2 var), where differences are small (Van den Bergh)."""
    counts = np.array([120.0, 2200, 6000, 2400, 130])
    value, share = np.linspace(0, 1, 5), counts / counts.sum()
    mean = share @ value
    s0, s1 = 0.5, 1 / (1 + 10 ** (-2 / 400))
    normal = (s1 - s0) * (2 * mean - s0 - s1) * counts.sum() / (2 * (share @ (value - mean) ** 2))
    assert run_sprt(counts, 0, 2).ratio == pytest.approx(normal, rel=0.01)


def test_many_tests_at_once_are_those_one_by_one() -> None:
    counts = np.array([[10.0, 30, 60, 40, 12], [0.0, 0, 5, 3, 0], [7.0, 7, 7, 7, 7]])
    for model in ("logistic", "normalised"):
        at_once = likelihood_ratio(counts, 0, 10, model=model)
        assert at_once == pytest.approx([float(likelihood_ratio(row, 0, 10, model=model)) for row in counts])


@pytest.mark.parametrize("model", ["logistic", "normalised"])
def test_the_test_errs_as_rarely_as_it_says(model: EloModel) -> None:
    """400 matches under each hypothesis, looked at after every 20 pairs, games of a pair dependent.

    H1 is what a large sample of such pairs shows, since openings pull the mean score towards a half.
    """
    rng = np.random.default_rng(5)
    strength = 30.0
    sample = play(rng, 400_000, elo=strength, opening_sd=150)
    score = float(sample.mean())
    normalised = normalise(pentanomial(sample))
    assert normalised is not None
    elo1 = normalised[0] if model == "normalised" else 400 * math.log10(score / (1 - score))

    def wrong(elo: float, accepts: str) -> float:
        counts, open_, decided = np.zeros((400, 5)), np.ones(400, bool), np.zeros(400, bool)
        for _ in range(200):
            now = np.flatnonzero(open_)
            if not len(now):
                break
            points = play(rng, 20 * len(now), elo=elo, opening_sd=150).sum(axis=1).reshape(len(now), 20)
            counts[now] += (2 * points[..., None] == np.arange(5)).sum(axis=1)
            ratio = likelihood_ratio(counts[now], 0.0, elo1, model=model)
            is_up, is_down = ratio > math.log(0.95 / 0.05), ratio < math.log(0.05 / 0.95)
            decided[now[is_up if accepts == "H1" else is_down]] = True
            open_[now[is_up | is_down]] = False
        assert not open_.any()
        return float(decided.mean())

    # 5% of 400, and what chance adds: three standard errors
    most = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    assert wrong(0.0, "H1") < most
    assert wrong(strength, "H0") < most


@pytest.mark.parametrize(("opening_sd", "taste_sd"), [(300.0, 0.0), (0.0, 300.0)])
def test_errors_by_pairs_hold_where_those_by_games_do_not(opening_sd: float, taste_sd: float) -> None:
    """Openings that favour White make single games' errors too wide; openings that suit one engine, too narrow."""
    rng = np.random.default_rng(7)
    sample = play(rng, 400_000, elo=20, opening_sd=opening_sd, taste_sd=taste_sd)
    truth = float(sample.mean())
    held: dict[str, list[bool]] = {"order": [], "none": []}
    for _ in range(200):
        record = games(play(rng, 150, elo=20, opening_sd=opening_sd, taste_sd=taste_sd))
        for pairs, list_of in held.items():
            (meeting,) = study_engines(record, pairs=pairs).meetings  # type: ignore[arg-type]
            list_of.append(abs(meeting.score - truth) < 1.96 * meeting.error)
    assert abs(np.mean(held["order"]) - 0.95) < 0.047  # three standard errors
    if opening_sd:
        assert np.mean(held["none"]) > 0.97
    else:
        assert np.mean(held["none"]) < 0.91


def test_the_normalised_error_is_that_of_repeated_matches() -> None:
    rng = np.random.default_rng(8)
    found = [normalise(pentanomial(play(rng, 400, elo=60, opening_sd=100))) for _ in range(400)]
    points, errors = np.array([one for one in found if one]).T
    assert float(points.std()) == pytest.approx(float(errors.mean()), rel=0.12)


def test_a_match_in_numbers_by_hand() -> None:
    """Four pairs: 2, 1.5, 1 and 1 points of 2; the mean of a pair is 0.6875, its variance over four pairs 0.172 / 9."""
    record = games(np.array([[1, 1], [1, 0.5], [0.5, 0.5], [1, 0]]))
    (meeting,) = study_engines(record).meetings
    assert (meeting.first, meeting.second) == ("dev", "base")
    assert meeting.games == (1, 3, 4)
    assert meeting.pairs == (0, 0, 2, 1, 1)
    assert meeting.score == 0.6875
    means = np.array([1, 0.75, 0.5, 0.5])
    error = float(means.std(ddof=1)) / 2
    assert meeting.error == pytest.approx(error)
    assert meeting.elo == pytest.approx(-400 * math.log10(1 / 0.6875 - 1))
    assert meeting.superiority == pytest.approx(0.5 * (1 + math.erf(0.1875 / error / math.sqrt(2))))
    assert meeting.normalised is not None
    assert meeting.normalised[0] == pytest.approx(0.1875 / (float(means.std()) * math.sqrt(2)) * 800 / math.log(10))
    (alone,) = study_engines(record, pairs="none").meetings
    assert alone.pairs is None
    single = np.array([1, 1, 1, 0.5, 0.5, 0.5, 1, 0])
    assert alone.error == pytest.approx(float(single.std(ddof=1)) / math.sqrt(8))


def test_partners_are_found_by_order_and_by_opening() -> None:
    first, second = [0, 0, 1, 1, 0, 2, 0], [1, 1, 0, 0, 2, 0, 1]
    record = Matches.of_pairs(first, second, [1] * 7)
    # 0-1, then 0-1 again: the second waits for 1-0
    assert pair_games(record).tolist() == [0, 1, 1, 2, 3, 3, 2]
    opening = ["a", "b", "a", "b", "c", "d", "b"]
    assert pair_games(record.with_columns(session=opening)).tolist() == [0, 1, 0, 1, 2, 3, 4]


def test_games_out_of_order_need_the_opening() -> None:
    """With several games at a time the file is in order of their ends: neighbours are no partners."""
    rng = np.random.default_rng(9)
    points = play(rng, 2000, elo=0, opening_sd=400)
    record = games(points)
    opening = np.repeat(np.arange(2000), 2)
    order = rng.permutation(len(record))
    table = record.pairs
    mixed = Matches.of_pairs(
        table.first[order], table.second[order], table.halves[order], players=NAMES, session=opening[order]
    )
    (straight,) = study_engines(record).meetings
    (named,) = study_engines(mixed, pairs="session", engine="dev").meetings
    (lost,) = study_engines(mixed, engine="dev").meetings
    assert named.pairs == straight.pairs
    assert named.error == pytest.approx(straight.error)
    assert lost.error > 1.2 * named.error


def test_a_gauntlet_has_ratings_on_its_anchor() -> None:
    rng = np.random.default_rng(10)
    names = ["dev", "a", "b", "c"]
    true = {"a": 2900.0, "b": 3000.0, "c": 3100.0, "dev": 3050.0}
    first: list[int] = []
    second: list[int] = []
    result: list[float] = []
    for code, name in enumerate(names[1:], 1):
        for white, black in play(rng, 400, elo=true["dev"] - true[name], opening_sd=150):
            first += [0, code]
            second += [code, 0]
            result += [white, 1 - black]
    record = Matches.of_pairs(first, second, result, players=Players.named(names))
    study = study_engines(record, engine="dev", anchors={"b": 3000.0}, hypotheses=Hypotheses(0, 40))
    assert study.ratings.rating[2] == 3000
    for name in ("a", "c", "dev"):
        code = names.index(name)
        # mean advantages over openings pull differences a little towards 0
        assert abs(study.ratings.rating[code] - true[name]) < 3 * study.ratings.sd[code] + 20
    assert {one.second for one in study.meetings} == {"a", "b", "c"}
    tests = {one.second: one.sprt for one in study.meetings}
    assert tests["a"] is not None
    assert tests["a"].decision == "H1"
    assert tests["c"] is not None
    assert tests["c"].decision == "H0"
    assert "likelihood" not in study.summary()
    assert study.to_frame().height == 3


def test_one_sided_and_drawn_matches_say_what_they_cannot_tell() -> None:
    (won,) = study_engines(games(np.ones((5, 2)))).meetings
    assert won.elo is None
    assert won.superiority is None
    assert won.normalised is None
    (drawn,) = study_engines(games(np.full((5, 2), 0.5))).meetings
    assert drawn.elo == 0
    assert drawn.superiority is None
    # with no scatter at all the test says little, but does not fail
    assert math.isfinite(run_sprt([0, 0, 50, 0, 0], 0, 5).ratio)
    assert math.isfinite(run_sprt([0, 0, 0, 0, 7], 0, 5, model="normalised").ratio)


def test_an_engine_that_always_had_white_has_no_advantage_fitted() -> None:
    study = study_engines(Matches.of_pairs([0] * 6, [1] * 6, [1, 0, 1, 0.5, 1, 1], players=NAMES))
    assert study.n_paired == 0
    assert study.ratings.effects == ()
    assert study.meetings[0].pairs is None


def test_what_cannot_be_meant_is_refused() -> None:
    record = games(np.ones((2, 2)))
    with pytest.raises(LudometerError, match="above H0"):
        run_sprt([1, 2, 3], 2, 0)
    with pytest.raises(LudometerError, match="three counts"):
        run_sprt([1, 2], 0, 2)
    with pytest.raises(LudometerError, match="alpha"):
        run_sprt([1, 2, 3], 0, 2, alpha=0.7)
    with pytest.raises(LudometerError, match="no sessions"):
        study_engines(record, pairs="session")
    with pytest.raises(LudometerError, match="no player is called"):
        study_engines(record, engine="dve")
    three = Matches.of_pairs([0, 1], [1, 2], [1, 0])
    with pytest.raises(LudometerError, match="--engine"):
        study_engines(three, hypotheses=Hypotheses(0, 2))
