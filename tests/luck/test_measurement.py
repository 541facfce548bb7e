"""A measured game: known limits, sensible answers or clear words, and nothing that is not a number."""

from __future__ import annotations

import math
import re

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError, MatchDataError, NoFiniteFit
from ludometer.games import simulate_coin, simulate_strengths
from ludometer.luck import Measurement, measure
from ludometer.luck.measurement import REGULAR
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Elo, evaluate
from ludometer.report.documents import measurement_document


def sound(game: Measurement) -> Measurement:
    """The measurement, once nothing in it was found that is not a number."""
    frame = game.to_frame()
    for name in frame.columns:
        if frame[name].dtype == pl.Float64:
            assert frame[name].drop_nulls().is_finite().all(), name
    words = [game.summary(), *game.absent().values()]
    assert not [word for text in words for word in re.findall(r"\b(?:nan|inf|None)\b", text, re.I)]
    assert all(game.absent().values())
    finite(measurement_document(game))
    assert game.plot().to_json()
    return game


def finite(value: object) -> None:
    if isinstance(value, dict):
        for entry in value.values():
            finite(entry)
    elif isinstance(value, list):
        for entry in value:
            finite(entry)
    elif isinstance(value, float):
        assert math.isfinite(value)


def test_a_million_coin_flips_have_next_to_no_spread() -> None:
    game = sound(measure(simulate_coin(1_000, 1_000_000), quick=True))
    assert game.n_regulars == 1_000
    assert game.main.sd is not None
    assert game.main.sd < 0.5
    assert game.published[0] == pytest.approx(0, abs=0.5)
    assert game.persistence.slope is not None
    assert game.persistence.std_error is not None
    assert abs(game.persistence.slope) < 3 * game.persistence.std_error


def test_two_players_are_measured() -> None:
    score = (np.random.default_rng(0).random(400) < 0.75).astype(float)
    game = sound(measure(Matches.of_pairs([0] * 400, [1] * 400, score)))
    assert (game.n_players, game.main.n) == (2, 2)
    assert game.main.sd is not None
    assert game.best_fit.rating.sum() == pytest.approx(0, abs=1e-9)
    # two players: the SD is their difference over the root of 2
    assert game.main.sd == pytest.approx(abs(game.best_fit.rating[0]) * math.sqrt(2))
    assert game.persistence.slope is None


def test_two_even_players_have_no_spread() -> None:
    game = sound(measure(Matches.of_pairs([0] * 100, [1] * 100, [1, 0] * 50)))
    assert (game.best_fit.k, game.main.sd, game.ratio_to_sd, game.ratio_if_random) == (0, 0, None, None)
    assert game.absent()["matchmaking.ratio_to_sd"] == "there is no SD to compare with"


def test_one_match_is_refused() -> None:
    with pytest.raises(MatchDataError, match="no player has more than 1 match: skill shows only in players who come"):
        measure(Matches.of_pairs([0], [1], [1]))


def test_no_matches_are_refused() -> None:
    with pytest.raises(MatchDataError, match="there are no matches"):
        measure(Matches.of_pairs([], [], [], players=Players.numbered(3)))


@pytest.mark.parametrize("times", [1, 2])
def test_anonymous_ids_are_refused(times: int) -> None:
    ids = np.arange(1_000)
    first, second = (ids[::2], ids[1::2]) if times == 1 else (ids, np.roll(ids, 1))
    with pytest.raises(MatchDataError, match="If the ids are anonymous or new for each match"):
        measure(Matches.of_pairs(first, second, np.ones(len(first))))


def test_all_draws_are_a_game_without_a_spread() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 10, 500)
    game = sound(measure(Matches.of_pairs(first, (first + rng.integers(1, 10, 500)) % 10, np.full(500, 0.5))))
    assert (game.draw_rate, game.best_fit.k, game.best_fit.loss, game.main.sd, game.main.rep) == (1, 0, 0, 0, None)
    assert "no number of games would tell" in game.summary()
    assert game.absent()["spread.0.rep"].startswith("one SD better is hardly better than even")


def test_one_player_who_only_wins_is_told_so() -> None:
    with pytest.raises(NoFiniteFit, match="some only win, others only lose"):
        measure(Matches.of_pairs([0] * 30, [1] * 30, [1] * 30))
    printed = sound(measure(Matches.of_pairs([0] * 30, [1] * 30, [1] * 30), procedure="printed"))
    assert "beyond the search" in printed.summary()


def islands() -> Matches:
    """80 players on one island, 30 on another, two who met only each other."""
    large, small = simulate_strengths(80, 6_000, sd=150, seed=1).pairs, simulate_strengths(30, 2_000, seed=2).pairs
    return Matches.of_pairs(
        np.concatenate((large.first, 80 + small.first, [110] * 3)),
        np.concatenate((large.second, 80 + small.second, [111] * 3)),
        np.concatenate((large.score, small.score, [1, 0, 1])),
    )


def test_of_two_islands_the_larger_stays() -> None:
    game = sound(measure(islands(), quick=True))
    assert (game.n_matches, game.n_players, game.dropped_matches, game.dropped_players) == (6_000, 80, 2_003, 32)
    alone = measure(simulate_strengths(80, 6_000, sd=150, seed=1), quick=True)
    assert game.spread == alone.spread
    assert game.best_fit.k == alone.best_fit.k


def test_smaller_components_can_be_kept() -> None:
    both = sound(measure(islands(), min_component=30, quick=True))
    assert (both.n_matches, both.n_players, both.dropped_matches, both.dropped_players) == (8_000, 110, 3, 2)
    everybody = measure(islands(), min_component=1, quick=True)
    assert (everybody.n_players, everybody.dropped_players) == (112, 0)
    with pytest.raises(MatchDataError, match="no component has 200 players; the largest has 80"):
        measure(islands(), min_component=200)


def test_the_spread_rises_with_the_true_spread() -> None:
    games = [measure(simulate_strengths(500, 50_000, sd=sd, seed=3), quick=True) for sd in (20, 50, 100, 200, 300)]
    spreads = [sound(game).main.sd or 0 for game in games]
    assert spreads == sorted(spreads)
    assert spreads[0] > 5
    # ratings of 200 matches a player lag behind the true skills, by less than a third from SD 100 on
    for true, measured in zip((100, 200, 300), spreads[2:], strict=True):
        assert 0.67 * true < measured < 1.1 * true
    for name in ("k", "loss"):
        values = [getattr(game.best_fit, name) for game in games]
        assert values == sorted(values, reverse=name == "loss")


def test_cutoffs_are_taken_as_given_and_the_regulars_lead() -> None:
    matches = simulate_strengths(200, 4_000, activity=1.0, seed=4)
    game = sound(measure(matches, cutoffs=[1, 25, 5, 1], quick=True))
    assert [spread.min_matches for spread in game.spread] == [1, 25, 5]
    assert game.main.min_matches == REGULAR
    assert measure(matches, cutoffs=[7, 3], quick=True).main.min_matches == 7
    assert game.to_frame()["min_matches"].to_list() == [1, 25, 5]
    for spread in game.spread:
        assert spread.n == int((matches.counts >= spread.min_matches).sum())
        assert spread.sd == pytest.approx(game.sd_by_cutoff[spread.min_matches - 1], rel=1e-9)
        assert spread.n == game.n_by_cutoff[spread.min_matches - 1]


@pytest.mark.parametrize("cutoffs", [[], [0], [25, -1]])
def test_impossible_cutoffs_are_refused(cutoffs: list[int]) -> None:
    with pytest.raises(LudometerError, match="1 or more"):
        measure(simulate_coin(10, 100), cutoffs=cutoffs)


def test_a_game_without_regulars_says_so() -> None:
    game = sound(measure(simulate_strengths(100, 500, seed=1)))
    assert (game.n_regulars, game.main.sd, game.ratio_to_sd, game.ratio_if_random) == (0, None, None, None)
    assert game.published == (None, None)
    assert game.summary() == "Skill      cannot be told: 0 players have 25 matches or more"
    absent = game.absent()
    for name in ("sd", "min", "q01", "q99", "max", "p_sd", "p_1_99", "rep"):
        assert absent[f"spread.0.{name}"] == "fewer than two players have 25 matches"
    assert absent["yardstick.published.x_chess"] == "there is no SD"
    assert not any(name.startswith("spread.1.") for name in absent)


def test_above_the_published_lines_there_is_no_x() -> None:
    game = sound(measure(simulate_strengths(200, 30_000, sd=400, seed=1), quick=True))
    assert game.published == (None, None)
    assert game.absent()["yardstick.published.x_deterministic"] == "the SD is above the published line"


def test_quick_leaves_out_what_is_simulated_and_nothing_else() -> None:
    matches = simulate_strengths(100, 5_000, seed=6)
    quick, whole = measure(matches, quick=True), measure(matches, seed=9)
    assert (quick.spread, quick.persistence) == (whole.spread, whole.persistence)
    assert quick.ratio_if_random is None
    assert quick.absent()["matchmaking.ratio_if_random"] == "left out by --quick"
    assert whole.ratio_if_random is not None
    assert "matchmaking.ratio_if_random" not in whole.absent()
    assert (quick.provenance.seed, whole.provenance.seed) == (None, 9)
    assert measure(matches, seed=9).ratio_if_random == whole.ratio_if_random


def test_the_forecasts_are_those_of_the_best_fit() -> None:
    matches = simulate_strengths(100, 5_000, draws=0.2, seed=6)
    game = measure(matches, quick=True)
    (score,) = evaluate(matches, systems=[Elo(game.best_fit.k, 0.0)]).systems
    assert game.forecasts.log_loss == pytest.approx(score.log_loss, rel=1e-12)
    assert game.forecasts.brier == pytest.approx(game.best_fit.loss / 2, rel=1e-12)
    assert game.ratio_to_sd == pytest.approx(game.mean_rating_difference / (game.main.sd or 0))


def test_matches_of_several_players_are_refused_in_words() -> None:
    with pytest.raises(MatchDataError, match="matches of two players are needed"):
        measure(Matches.of_seats(np.arange(0, 31, 3), [0, 1, 2] * 10, [1, 2, 3] * 10))
