"""What readers are told: one figure for being one SD better, p-values and ranges in the same words everywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludometer.measurement import Measurement, compare_games, measure
from ludometer.measurement.benchmarks.inversion import Inversion, Share
from ludometer.measurement.benchmarks.yardstick import Reference, Yardstick
from ludometer.measurement.record.pairing import Pairing
from ludometer.measurement.spread import OneBetter, repetitions
from ludometer.measurement.verdict.checks import Check
from ludometer.measurement.verdict.verdict import Verdict
from ludometer.measurement.verdict.wording import (
    CLOSE,
    describe_p_values,
    describe_range_over_checks,
    warn_of_close_pairing,
)
from ludometer.report.luck import explain_differences, list_measures
from ludometer.report.page import render_page
from ludometer.scale import expected_score
from ludometer.simulate import simulate_strengths

QUICK = measure(simulate_strengths(60, 1_500, sd=150, seed=1), quick=True)


def matched(game: Measurement = QUICK, *, sd: float = 200.0, reference: Reference | None = None) -> Measurement:
    """With yardsticks, a verdict and three checks made up; skills spread further than ratings."""
    by_skill, by_chess = Inversion(np.linspace(30.8, 31.2, 39)), Inversion(np.linspace(60, 64, 39))
    skill = Inversion(np.linspace(0.8 * sd, 1.2 * sd, 39))
    checks = (
        Check("half", "first half", 1, 1, 90.0, 26.0, (24.0, 28.0), 55.0, (50.0, 60.0), "depends", agrees=True),
        Check("cutoff", "all", 1, 1, 90.0, 35.0, (33.0, 37.0), 70.0, (65.0, 75.0), "depends", agrees=True),
        Check("unit", "9 games", 1, 1, 90.0, 80.0, (75.0, 85.0), 90.0, (85.0, 95.0), "skill", agrees=None),
    )
    verdict = Verdict("depends", "It depends.", 0.025, 0.05, ("a", "b", "c", "2 checks agree"), checks, "0" * 16)
    yardstick = Yardstick(by_skill, by_chess, skill, 39, reference or Reference())
    return replace(game, yardstick=yardstick, verdict=verdict)


def test_being_one_sd_better_goes_by_the_sd_of_skills() -> None:
    game = matched()
    better = game.one_better
    assert better is not None
    assert better.by == "skills"
    assert better.sd == pytest.approx(200)
    assert better.p == pytest.approx(float(expected_score(np.array([200.0]))[0]))
    assert better.rep == repetitions(better.p)
    low, high = better.p_interval or (0, 0)
    assert low < better.p < high
    assert better.rep_interval == (repetitions(high), repetitions(low))
    text = game.summary()
    assert f"a player one SD better scores {100 * better.p:.1f}%" in text
    assert f"SD of ratings {game.main.sd:.1f}; published formula: {100 * game.main.p_sd:.1f}%" in text  # type: ignore[operator]
    assert text.count("more than 75% of the time") == 1


def test_without_an_sd_of_skills_the_published_formula_says_so() -> None:
    better = QUICK.one_better
    assert better == OneBetter.by_ratings(QUICK.main)
    assert better is not None
    assert better.by == "ratings"
    assert "by the published formula a player one SD better scores" in QUICK.summary()
    assert QUICK.document()["one_better"]["rep"] == QUICK.main.rep
    assert QUICK.document()["absent"]["one_better.sd_interval"] == "left out by --quick"


def test_quick_says_that_the_verdict_was_left_out() -> None:
    assert QUICK.summary().splitlines()[0] == "No verdict: left out by --quick."


def test_p_values_and_checks_read_alike_in_terminal_and_page() -> None:
    game = matched()
    words = describe_p_values(game)
    assert words is not None
    assert words.startswith("p-values 0.025 for skill and 0.050 for chess: how often")
    page = render_page([("cards", game)], command="ludometer measure cards.csv")
    assert words[1:] in page
    # the terminal has the same figures in the same words, and leaves what they are to the page
    assert words[1:].partition(": how often")[0] in game.summary()
    for text in (game.summary(), page):
        assert "2 checks agree" in text
    assert describe_p_values(QUICK) is None


def test_the_range_over_checks_stands_beside_a_narrow_interval() -> None:
    game = matched()
    words = "range over checks: skill share 26 to 35%, chess share 55 to 70%"
    assert describe_range_over_checks(game) == words
    assert words in game.summary()
    assert "31% [30.8, 31.2]" in game.summary()
    assert str(Share(31.0, 30.9, 31.2)) == "31% [30.9, 31.2]"
    assert describe_range_over_checks(QUICK) is None


def test_both_yardsticks_have_a_chart_of_checks() -> None:
    charts = matched().charts()
    assert {"checks", "checks_reference"} <= set(charts)


def test_close_pairing_is_warned_of_in_the_statement() -> None:
    close = Pairing(True, 0.64, 1, 0.0, follows=True)
    assert "correlation 0.64" in warn_of_close_pairing("It depends.", close)
    for other in (None, replace(close, correlation=CLOSE), replace(close, correlation=0.9)):
        assert warn_of_close_pairing("It depends.", other) == "It depends."


def test_the_reference_of_each_game_is_shown_as_it_was_used() -> None:
    games = [("cards", matched()), ("dice", matched(reference=Reference(sd=301.0)))]
    page = render_page(games, command="ludometer measure cards.csv dice.csv")
    assert f"an SD of {Reference().sd:.0f} (for cards), 301 (for dice) Elo points" in page
    alone = render_page(games[1:], command="ludometer measure dice.csv")
    assert "an SD of 301 Elo points" in alone


def test_opponents_cannot_be_alike_and_further_apart_at_once() -> None:
    from ludometer.measurement import LuckChoices, measure_luck

    matches = simulate_strengths(60, 150, sd=150, seed=1)
    luck = measure_luck(matches, choices=LuckChoices(draws=0))
    assert luck.ridge is not None
    assert luck.ridge.as_played is not None
    apart = replace(luck, ridge=replace(luck.ridge, as_played=luck.ridge.luck - 0.02))
    pairing = Pairing(True, 0.64, 1, 0.0, follows=True)
    game = replace(QUICK, luck=apart, matchmaking=replace(QUICK.matchmaking, pairing=pairing))
    told = " ".join(explain_differences(game))
    assert "correlate at 0.64" in told
    assert "further apart" not in told
    rows = {row[0]: row[2] for row in list_measures(game)}
    assert "removes" not in rows["L as played"]
    # at random the figure says what it said before
    free = replace(QUICK, luck=apart)
    assert "further apart" in " ".join(explain_differences(free))


def test_the_corrected_figures_come_first() -> None:
    from ludometer.measurement import LuckChoices, measure_luck

    luck = measure_luck(simulate_strengths(60, 1_500, sd=150, seed=1), choices=LuckChoices(draws=0))
    game = replace(QUICK, luck=luck)
    assert [row[0] for row in list_measures(game)][:2] == ["L, corrected", "ℓ², corrected"]
    lines = [line for line in game.summary().splitlines() if line.startswith("Luck")]
    assert luck.corrected is not None
    assert lines[0].split()[1] == f"{100 * luck.corrected.luck:.1f}%"
    assert set(game.document()["luck"]["corrected"]["intervals"]) == {"L", "l2"}
    assert compare_games([("a", game)]).names == ("a",)
