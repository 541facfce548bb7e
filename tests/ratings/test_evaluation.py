"""Scores of forecasts as the contract defines them, and a calibration that calibrates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.games import StrengthGame, simulate_coin, simulate_strengths
from ludometer.matches import Matches
from ludometer.ratings import Elo, evaluate
from ludometer.ratings.evaluation import wilson_interval
from ludometer.scale import expected_score


def test_scores_are_those_of_a_few_lines_of_python() -> None:
    matches = simulate_strengths(20, 500, draws=0.2, seed=4)
    rating = dict.fromkeys(range(20), 0.0)
    log_loss = brier = accuracy = 0.0
    for i, j, s in zip(
        matches.pairs.first.tolist(), matches.pairs.second.tolist(), matches.pairs.score.tolist(), strict=True
    ):
        e = 1 / (1 + 10 ** (-(rating[i] - rating[j]) / 400))
        log_loss -= s * math.log(e) + (1 - s) * math.log(1 - e)
        brier += (s - e) ** 2
        accuracy += 0.5 if s == 0.5 or e == 0.5 else float((e > 0.5) == (s > 0.5))
        rating[i] += 24 * (s - e)
        rating[j] -= 24 * (s - e)
    (score,) = evaluate(matches).systems
    assert (score.log_loss, score.brier, score.accuracy) == pytest.approx((log_loss / 500, brier / 500, accuracy / 500))
    assert score.n == 500


def test_a_coin_teaches_nothing() -> None:
    result = evaluate(simulate_coin(50, 20_000, seed=1), systems=[Elo(k=0), Elo(k=32)])
    still, moving = result.systems
    assert still.log_loss == pytest.approx(math.log(2))
    assert still.accuracy == 0.5
    assert moving.log_loss > math.log(2)
    assert result.coin.log_loss == pytest.approx(math.log(2))
    assert result.to_frame()["system"].to_list() == ["elo (k 0)", "elo (k 32)"]


def test_only_matches_from_a_date_on_are_scored_but_all_are_played() -> None:
    time = np.arange("2020-01-01", "2020-01-11", dtype="datetime64[D]")
    matches = Matches.of_pairs([0] * 10, [1] * 10, [1] * 10, time=time)
    (score,) = evaluate(matches, since="2020-01-06").systems
    assert score.n == 5
    assert score.accuracy == 1
    with pytest.raises(MatchDataError, match="no matches to score"):
        evaluate(matches, since="2021")
    with pytest.raises(LudometerError, match="not a date"):
        evaluate(matches, since="soon")
    with pytest.raises(MatchDataError, match="no times"):
        evaluate(Matches.of_pairs([0], [1], [1]), since="2020")


def test_numbers_can_be_times_too() -> None:
    matches = Matches.of_pairs([0] * 4, [1] * 4, [1] * 4, time=[1, 2, 3, 4])
    assert evaluate(matches, since="3").systems[0].n == 2
    assert evaluate(matches, since=4).systems[0].n == 1


def test_batches_score_as_the_whole() -> None:
    whole = simulate_strengths(30, 2_000, seed=2)
    early = np.arange(2_000) < 700
    parts = evaluate([whole.take(early), whole.take(~early)]).systems[0]
    once = evaluate(whole).systems[0]
    assert parts.log_loss == pytest.approx(once.log_loss, rel=1e-12)
    np.testing.assert_array_equal(parts.calibration.n, once.calibration.n)


def test_who_is_listed_first_does_not_matter() -> None:
    matches = simulate_strengths(30, 3_000, draws=0.1, seed=6)
    pairs = matches.pairs
    mirrored = Matches.of_pairs(pairs.second, pairs.first, 1 - pairs.score)
    one, other = (evaluate(m).systems[0] for m in (matches, mirrored))
    assert one.log_loss == pytest.approx(other.log_loss)
    np.testing.assert_allclose(one.calibration.score, other.calibration.score)


@dataclass(frozen=True)
class Oracle:
    """A rating system that knows the true skills."""

    game: StrengthGame
    name: ClassVar[str] = "oracle"
    parameters: ClassVar[dict[str, Any]] = {}

    def start(self, _: int) -> None:
        return None

    def play(self, state: None, matches: Matches) -> tuple[None, Floats]:
        return state, self.expect(state, matches.pairs.first, matches.pairs.second)

    def ratings(self, _: None) -> Floats:
        return self.game.skill

    def expect(self, _: None, first: Codes, second: Codes) -> Floats:
        return expected_score(self.game.skill[first] - self.game.skill[second])


def test_calibration_intervals_cover_the_truth() -> None:
    covered = total = 0
    for seed in range(40):
        game = StrengthGame(100, sd=200, seed=seed)
        (batch,) = game.batches(2_000)
        bins = evaluate(batch, systems=[Oracle(game)]).systems[0].calibration
        large = bins.n >= 30
        inside = (bins.interval_low <= bins.forecast) & (bins.forecast <= bins.interval_high)
        covered, total = covered + int(inside[large].sum()), total + int(large.sum())
    # 40 games of about 10 bins: 95 % with a standard error of 1.1
    assert 0.92 < covered / total < 0.98


def test_wilson_holds_at_the_ends() -> None:
    low, high = wilson_interval(np.array([0.0, 1.0]), np.array([10.0, 10.0]))
    assert low[0] == pytest.approx(0, abs=1e-12)
    assert high[1] == pytest.approx(1)
    assert 0.2 < high[0] < 0.35


def test_the_summary_is_a_table_and_the_plot_is_drawn() -> None:
    result = evaluate(simulate_strengths(20, 400, seed=1), systems=[Elo(), Elo(k=50)])
    assert len(result.summary().splitlines()) == 4
    assert "layer" in result.plot().to_dict()


def test_no_system_is_an_error() -> None:
    with pytest.raises(LudometerError, match="at least one"):
        evaluate(simulate_coin(5, 10), systems=[])
