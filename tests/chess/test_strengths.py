"""Strengths are recovered from simulated games, intervals cover, and few games are said to be too few."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit

from ludometer.arrays import Floats
from ludometer.chess.record.evaluations import EvaluatedGame, Evaluations
from ludometer.chess.strength.gains import measure_gains
from ludometer.chess.strength.strengths import Strengths, measure_strengths, solve_strengths
from ludometer.errors import LudometerError
from ludometer.moves.gains import ENGINE, Reference, expected_score, pool_gains, rating_difference
from ludometer.moves.uncertainty import Intervals
from tests.chess.simulated import round_robin, simulate, true_differences, true_gains

LOSSES = np.linspace(15, 40, 6)
RATINGS = np.linspace(2800, 2600, 6)


def tournament(seed: int, *, rated: bool = True, rounds: int = 1) -> Evaluations:
    schedule = round_robin(6) * rounds
    rng = np.random.default_rng(seed)
    return Evaluations.of_games(simulate(rng, LOSSES, schedule, ratings=RATINGS if rated else None))


def test_pairs_and_players_are_what_the_gains_say() -> None:
    games = tournament(1)
    gains = measure_gains(games)
    found = measure_strengths(games, intervals=Intervals(replicates=50))
    for k in range(len(found.pairs)):
        one, other = (gains.of(found.names[code[k]]) for code in (found.pairs.first, found.pairs.second))
        assert found.pairs.score[k] == expected_score(one, other)
    for name, d in zip(found.names, found.against_engine.difference, strict=True):
        assert d == pytest.approx(float(rating_difference(expected_score(gains.of(name), np.zeros(1)))))
    assert found.strength.mean() == pytest.approx(RATINGS.mean())
    assert found.engine.strength == pytest.approx((RATINGS - found.against_engine.difference[order(found)]).mean())
    assert found.tally.games.tolist() == [5] * 6
    assert len(found.summary().splitlines()) <= 20
    assert len(found.plot().to_dict()["layer"]) == 4
    assert found.to_frame().columns[:3] == ["player", "moves", "games"]
    assert found.pairs_frame().height == 15


def order(found: Strengths) -> list[int]:
    return [found.names.index(f"P{k}") for k in range(len(found.names))]


def test_intervals_cover_the_truth_at_about_their_rate() -> None:
    first, second = (codes.astype(np.int32) for codes in np.triu_indices(6, 1))
    truth = solve_strengths(first, second, upper(true_differences(LOSSES)), 6)
    engine = np.array([float(rating_difference(expected_score(true_gains(loss), np.zeros(1)))) for loss in LOSSES])
    hits = []
    for seed in range(40):
        found = measure_strengths(tournament(1000 + seed), intervals=Intervals(replicates=200, seed=seed))
        place = order(found)
        middle = RATINGS.mean() + truth
        hits.append((found.low[place] <= middle) & (middle <= found.high[place]))
        against = found.against_engine
        hits.append((against.low[place] <= engine) & (engine <= against.high[place]))
    # 480 intervals, but those of a tournament depend on each other: as if a quarter of them were independent
    assert abs(np.mean(hits) - 0.95) < 3 * np.sqrt(0.95 * 0.05 / 120)


def upper(matrix: Floats) -> Floats:
    return matrix[np.triu_indices(len(matrix), 1)]


def test_intervals_of_a_mean_are_student_s() -> None:
    # of a plain mean the corrected bootstrap must come to the textbook interval
    value = np.random.default_rng(4).normal(size=6)
    intervals = Intervals(replicates=20_000, seed=1)
    weight = intervals.draw_weights(6)
    lanes = (value[:, None] * weight).sum(axis=0) / weight.sum(axis=0)
    low, high = intervals.around(lanes[:1], lanes[None, 1:], np.array([6]))
    half = stdtrit(5, 0.975) * value.std(ddof=1) / np.sqrt(6)
    assert low[0] == pytest.approx(value.mean() - half, abs=0.03 * half)
    assert high[0] == pytest.approx(value.mean() + half, abs=0.03 * half)


def test_intervals_widen_with_few_games_and_end_with_too_few() -> None:
    many, few = (measure_strengths(tournament(3, rounds=rounds)) for rounds in (8, 1))
    assert (many.high - many.low).mean() < 0.5 * (few.high - few.low).mean()
    three = Evaluations.of_games(simulate(np.random.default_rng(5), [20, 25], [(0, 1)] * 3))
    found = measure_strengths(three)
    assert np.isnan(found.low).all()
    assert "too few games" in found.summary()
    four = measure_strengths(Evaluations.of_games(simulate(np.random.default_rng(5), [20, 25], [(0, 1)] * 4)))
    assert np.isfinite(four.low).all()


def test_without_ratings_only_relative_strengths_exist() -> None:
    found, rated = (measure_strengths(tournament(2, rated=rated)) for rated in (False, True))
    assert np.isnan(found.strength).all()
    assert found.engine.strength is None
    assert found.document()["absent"]["players.0.strength"] == "no rating is known"
    np.testing.assert_allclose(found.relative, rated.relative, atol=1e-9)
    np.testing.assert_allclose(found.high - found.low, rated.high - rated.low, rtol=1e-9)
    by_name = measure_strengths(tournament(2, rated=False), ratings={"P0": 2500.0})
    assert by_name.strength[by_name.names.index("P0")] == pytest.approx(2500)


def test_the_same_seed_gives_the_same_bytes_and_names_do_not_matter() -> None:
    games = tournament(6)
    one, two = measure_strengths(games), measure_strengths(games)
    np.testing.assert_array_equal(one.low, two.low)
    assert one.provenance == two.provenance
    backwards = Evaluations.of_games(
        [
            EvaluatedGame(game, white, black, level)
            for game, white, black, level in (
                (games.games[g], f"X{games.seats[g, 0]}", f"X{games.seats[g, 1]}", levels(games, g))
                for g in range(len(games))
            )
        ]
    )
    renamed = measure_strengths(backwards)
    np.testing.assert_allclose(renamed.relative, one.relative, atol=1e-9)


def levels(games: Evaluations, game: int) -> list[float]:
    return [float(value) for value in games.evaluation[games.starts[game] : games.starts[game + 1]]]


def test_mirrored_games_leave_every_strength_as_it_is() -> None:
    games = tournament(7)
    mirrored = Evaluations.of_games(
        [
            EvaluatedGame(
                games.games[g],
                f"P{games.players.names[int(games.seats[g, 1])][1:]}",
                f"P{games.players.names[int(games.seats[g, 0])][1:]}",
                [-value for value in levels(games, g)],
                white_begins=False,
            )
            for g in range(len(games))
        ]
    )
    one, two = measure_strengths(games), measure_strengths(mirrored)
    np.testing.assert_allclose(one.relative[order(one)], two.relative[order(two)], atol=1e-9)


def test_pairs_of_one_game_each_have_no_interval_by_their_own_distributions() -> None:
    single = measure_strengths(tournament(8), distribution="pair")
    assert np.isnan(single.low).all()
    several = measure_strengths(tournament(8, rounds=5), distribution="pair")
    assert np.isfinite(several.low).all()
    whole = measure_strengths(tournament(8, rounds=5))
    assert np.corrcoef(several.relative, whole.relative)[0, 1] > 0.9


def test_parts_of_a_knockout_are_independent_and_their_errors_add_up() -> None:
    # two pairs in a chain: the middle player's error is that of both differences, by the weights of least squares
    games = simulate(np.random.default_rng(9), [15, 25, 35], [(0, 1)] * 6 + [(1, 2)] * 6)
    found = measure_strengths(Evaluations.of_games(games), distribution="pair", intervals=Intervals(replicates=4000))
    error = [found.pairs.lanes[k].std(ddof=1) * np.sqrt(7 / 5) for k in range(2)]
    place = found.names.index("P1")
    whole = np.hypot(error[0], error[1]) / 3
    parts = np.array(error) ** 2 / 9
    free = parts.sum() ** 2 / (parts**2 / 5).sum()
    assert found.high[place] - found.relative[place] == pytest.approx(stdtrit(free, 0.975) * whole)


def test_the_pooled_reference_agrees_with_the_pairs_better_than_the_engine() -> None:
    games = tournament(10, rounds=3)
    pooled = measure_strengths(games, reference=pool_gains(measure_gains(games)))
    by_zero = measure_strengths(games, reference=ENGINE)
    assert pooled.against_engine.reference == "pooled"
    assert pooled.inconsistency < 0.3 * by_zero.inconsistency


def test_by_the_engine_strength_is_its_own_plus_the_difference() -> None:
    found = measure_strengths(tournament(11, rated=False), method="engine", engine=2860)
    np.testing.assert_allclose(found.strength, 2860 + found.against_engine.difference)
    np.testing.assert_allclose(found.low, 2860 + found.against_engine.low)
    assert found.engine.strength == 2860
    # it needs no opponent whose moves count
    alone = Evaluations.of_games([EvaluatedGame("1", "Ann", "Ben", [0.0, 0.0])])
    assert measure_strengths(alone, method="engine", engine=2860).strength.tolist() == [2860]


def test_signs_that_contradict_are_said() -> None:
    # Ann beats Ben by their gains, 9/16, yet Ben plays the engine's move twice and Ann once
    level = [0.0]
    for a, b in zip([0, -1, -1, -1], [-3, -3, 0, 0], strict=True):
        level += [level[-1] + a, level[-1] + a - b]
    found = measure_strengths(Evaluations.of_games([EvaluatedGame("1", "Ann", "Ben", level)]))
    assert found.pairs.score.tolist() == [9 / 16]
    assert found.against_engine.score.tolist() == [1 / 8, 1 / 4]
    assert found.contradictions == ["Ann - Ben: +44 by their gains, -135 by the engine"]
    assert "reversed by the engine" in found.summary()


def test_unusable_records_are_refused() -> None:
    with pytest.raises(LudometerError, match="no move has a gain"):
        measure_strengths(Evaluations.of_games([EvaluatedGame("1", "Ann", "Ben", [0.0])]))
    apart = simulate(np.random.default_rng(1), [10, 20, 30, 40], [(0, 1), (2, 3)])
    with pytest.raises(LudometerError, match="P0, P1; P2, P3"):
        measure_strengths(Evaluations.of_games(apart))
    one_sided = Evaluations.of_games([EvaluatedGame("1", "Ann", "Ben", [0.0, -5.0])])
    with pytest.raises(LudometerError, match="no two players"):
        measure_strengths(one_sided, distribution="pair")
    with pytest.raises(LudometerError, match="level"):
        Intervals(level=1.0)
    with pytest.raises(LudometerError, match="replicates"):
        Intervals(replicates=1)
    with pytest.raises(LudometerError, match="reference needs gains"):
        Reference.of("none", np.empty(0, np.int32))
