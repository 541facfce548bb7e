"""Systems by users' words."""

from __future__ import annotations

import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings import catalogue, rate
from ludometer.ratings.catalogue import SYSTEMS, all_systems, default_system, make_system
from ludometer.ratings.prizes import make_prizes
from ludometer.ratings.scores.audit import rate_series
from ludometer.ratings.scores.elo import SeriesElo
from ludometer.ratings.systems.calibrated import Calibrated
from ludometer.ratings.systems.dynamic import Dynamic, DynamicShrinking
from ludometer.ratings.systems.glicko2 import Glicko2
from ludometer.ratings.systems.ics import InternetChess
from ludometer.ratings.systems.smith import FittedSmith, Smith
from ludometer.simulate import simulate_strengths
from tests.ratings.simulated_series import series_of


def test_all_systems_of_the_contract_are_there_and_rate() -> None:
    named = ["state-space", "elo", "best-fit", "dynamic", "dynamic-shrinking", "ics", "smith", "glicko2", "static"]
    assert list(SYSTEMS) == [*named, "federation", "series-elo", "additive-series-elo"]
    matches = simulate_strengths(30, 1_500, seed=1)
    for name, system in zip(named, all_systems(multiplayer=False), strict=True):
        assert system.name == name
        ratings = rate(matches, system=system)
        assert ratings.provenance.method == name
        assert len(ratings.rating) == 30


@pytest.mark.parametrize(
    ("text", "system"),
    [
        ("dynamic:h=64", Dynamic(h=64)),
        ("dynamic:h=64,start=0,retire=365", Dynamic(h=64, start_rating=0, retire_after=365)),
        ("dynamic", Calibrated(Dynamic())),
        ("dynamic:h=optimal", Calibrated(Dynamic(), "optimal")),
        ("dynamic-shrinking", Calibrated(DynamicShrinking())),
        ("dynamic-shrinking:h=300,floor=20", DynamicShrinking(h=300, floor=20)),
        ("ics:games=10", InternetChess(provisional=10)),
        ("smith", Smith()),
        ("smith:h=log-loss,games=10", Smith(h="log-loss", games=10)),
        ("smith:h=40,sd=300", FittedSmith(h=40, sd=300)),
        ("glicko2:tau=0.5,period=30", Glicko2(tau=0.5, period=30)),
        ("glicko2:matches=1000", Glicko2(period_matches=1000)),
    ],
)
def test_parameters_are_given_by_users_words(text: str, system: object) -> None:
    assert make_system(text) == system


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dynamic:k=3", "dynamic has no parameter 'k'; it has: h, start, retire"),
        ("dynamic:h=fast", "write parameters as"),
        ("dynamic-shrinking:h=optimal", "does not shrink"),
        ("dynamic:h=5000", "must be below 1390"),
        ("trueskill", "no rating system is called 'trueskill'; there are: state-space, elo"),
    ],
)
def test_wrong_words_are_refused(text: str, message: str) -> None:
    with pytest.raises(LudometerError, match=message):
        make_system(text)


def test_systems_of_two_know_no_prizes() -> None:
    with pytest.raises(LudometerError, match="rates two-player matches"):
        make_system("ics", prizes=make_prizes("linear"))
    with pytest.raises(LudometerError, match="rates two-player matches"):
        make_system("ics", base="e")
    assert [system.name for system in all_systems(multiplayer=True, prizes=make_prizes("linear"))] == [
        "state-space",
        "elo",
        "best-fit",
    ]


def test_series_are_rated_by_name_from_their_scores() -> None:
    record = series_of([1, 1, 1, 2, 2, 2], list("ABCABC"), [1387, 1018, 152, 900, -300, 700])
    for text, system in (
        ("series-elo:k=0.05,start=850", SeriesElo(k=0.05, start_rating=850)),
        ("additive-series-elo:k=0.1,first=2", SeriesElo(k=0.1, form="additive", first=2)),
    ):
        named = make_system(text, prizes=make_prizes("score"))
        assert named == system
        by_name, direct = rate(record, system=named), rate_series(record, system=system)
        assert by_name.to_frame()["rating"].to_list() == direct.players["rating"].to_list()
    with pytest.raises(LudometerError, match="no base"):
        make_system("series-elo", base="e")
    with pytest.raises(LudometerError, match="--keep score"):
        rate(simulate_strengths(5, 20, seed=1), system=make_system("series-elo"))


def test_the_default_is_one_and_gives_way_to_elo_where_it_cannot_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, seats = Matches.of_pairs([0], [1], [1]), Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3])
    assert default_system(pairs).name == catalogue.DEFAULT_SYSTEM
    monkeypatch.setattr(catalogue, "DEFAULT_SYSTEM", "smith")
    assert default_system(pairs).name == "smith"
    assert default_system(seats).name == "elo"
    assert default_system([pairs]).name == "elo"  # a stream cannot be fitted
    assert default_system(pairs, k=32).parameters["k"] == 32
    assert default_system(pairs, start=1000).name == "smith"
    assert rate(pairs, system=None).provenance.method == "smith"
    assert rate([pairs]).provenance.method == "elo"
