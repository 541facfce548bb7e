"""Readings of a spread: round trips, agreement with skills and simulated populations, and their bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError
from ludometer.measurement.luck.entropy import measure_entropy_luck
from ludometer.measurement.luck.older import LEAST_LUCK, normal_luck, read_spread
from ludometer.measurement.spread import repetitions
from ludometer.strength.skills import Link
from tests.measurement.test_entropy import skills_of

NAMES = ["elo_sd", "logit_sd", "probit_sd", "l2", "delta2", "logit_l2", "p_sd"]


@given(st.floats(1, 1200))
def test_every_reading_leads_back(elo_sd: float) -> None:
    known = read_spread(elo_sd=elo_sd)
    for name in NAMES:
        again = read_spread(**{name: getattr(known, name)})
        for other in [*NAMES, "luck"]:
            assert getattr(again, other) == pytest.approx(getattr(known, other), rel=1e-9, abs=1e-9), (name, other)
    assert known.rep == repetitions(known.p_sd)


@pytest.mark.parametrize("link", ["probit", "logit"])
def test_readings_are_those_of_fitted_skills(link: Link) -> None:
    skill = np.random.default_rng(1).standard_normal(400)
    skill -= skill.mean()
    skills = skills_of(skill, link=link)
    sd = float(skill.std(ddof=1))
    found = read_spread(probit_sd=sd) if link == "probit" else read_spread(logit_sd=sd)
    assert (found.l2 if link == "probit" else found.logit_l2) == pytest.approx(skills.l2(), rel=1e-12)
    assert found.elo_sd == pytest.approx(float(skills.elo.std(ddof=1)), rel=1e-12)
    # the curves are near each other, so L hardly depends on the model
    assert found.luck == pytest.approx(measure_entropy_luck(skills).luck, abs=0.01)


@pytest.mark.parametrize("sd", [0.05, 0.5, 1.0, 4.0])
def test_luck_is_the_integral_over_players_and_opponents(sd: float) -> None:
    from scipy.special import entr, ndtr, ndtri

    # players and opponents at the middles of 4,000 equal parts of the population
    skill = sd * ndtri((np.arange(4000) + 0.5) / 4000)
    win = ndtr((skill[:, np.newaxis] - skill) / math.sqrt(2)).mean(axis=1)
    expected = float((entr(win) + entr(1 - win)).mean()) / math.log(2)
    assert normal_luck(sd) == pytest.approx(expected, abs=1e-4)


def test_luck_of_a_normal_population_has_a_floor() -> None:
    lucks = [normal_luck(sd) for sd in (0, 0.1, 1, 10, 1000)]
    assert lucks == sorted(lucks, reverse=True)
    assert lucks[0] == 1
    assert lucks[-1] == pytest.approx(LEAST_LUCK, abs=1e-5)


def test_no_spread_is_all_luck() -> None:
    flat = read_spread(elo_sd=0)
    assert (flat.l2, flat.delta2, flat.p_sd, flat.rep, flat.luck) == (1, 0, 0.5, None, 1)
    assert "no number" in flat.summary()
    assert flat.to_frame().filter(reading="rep")["value"].to_list() == [None]


def test_a_reading_reads_well() -> None:
    found = read_spread(l2=0.5)
    assert found.probit_sd == pytest.approx(1)
    assert found.delta2 == pytest.approx(0.5)
    assert "SD of skills 209" in found.summary()
    assert found.to_frame()["reading"].to_list() == [*NAMES[:5], "logit_l2", "p_sd", "rep", "luck"]


def test_one_reading_within_its_bounds_is_asked_for() -> None:
    with pytest.raises(LudometerError, match="give one reading"):
        read_spread()
    with pytest.raises(LudometerError, match="not 2"):
        read_spread(l2=0.5, elo_sd=3)
    for name, value in (("l2", 0.0), ("l2", 1.1), ("delta2", 1.0), ("p_sd", 0.4), ("elo_sd", -1.0), ("p_sd", math.nan)):
        with pytest.raises(LudometerError, match=name):
            read_spread(**{name: value})
