"""Parameters that are tuned: the truth is found, nothing is lost, and only later matches are scored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings import BestFit, Elo, Glicko2, Static, Tuned, evaluate, make_prizes
from ludometer.ratings.catalogue import all_systems, make_tuned_system
from ludometer.ratings.evaluation import find_middle
from ludometer.ratings.systems.dynamic import Dynamic, DynamicShrinking
from ludometer.ratings.systems.smith import FittedSmith, Smith
from ludometer.ratings.systems.tuning import COLD_START, Choice, Knob, free_knobs, log_loss_of, minimise, tune
from ludometer.simulate import simulate_coin, simulate_strengths


def played_by_elo(k: float, n_matches: int = 20_000, n_players: int = 60, seed: int = 1) -> Matches:
    """Strengths that really move by Elo's rule: no k forecasts better than this one."""
    rng = np.random.default_rng(seed)
    rating = np.zeros(n_players)
    first = rng.integers(0, n_players, n_matches)
    second = (first + rng.integers(1, n_players, n_matches)) % n_players
    won = np.empty(n_matches)
    for t, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        e = 1 / (1 + 10 ** ((rating[j] - rating[i]) / 400))
        won[t] = rng.random() < e
        rating[i] += k * (won[t] - e)
        rating[j] -= k * (won[t] - e)
    return Matches.of_pairs(first, second, won)


@pytest.mark.parametrize("k", [8.0, 30.0, 120.0])
def test_the_true_step_is_found(k: float) -> None:
    matches = played_by_elo(k)
    tuned = tune(Elo(), matches)
    # the error of a fitted k: over these records about 4% of it
    assert tuned.k == pytest.approx(k, rel=0.15)
    skipped = int(COLD_START * len(matches))
    grid = [log_loss_of(Elo(k=float(one)), matches, skipped=skipped) for one in np.geomspace(k / 4, 4 * k, 60)]
    assert log_loss_of(tuned, matches, skipped=skipped) <= min(grid)
    # the same step in Smith's terms
    assert tune(Dynamic(), matches).h == pytest.approx(2 * tuned.k, rel=2e-3)


TUNED = [system for system in all_systems(multiplayer=False, tune=True) if isinstance(system, Tuned)]


@pytest.mark.parametrize("system", TUNED, ids=lambda system: system.name)
def test_tuned_is_never_worse_on_what_it_was_tuned_to(system: Tuned) -> None:
    for matches in (simulate_coin(30, 600, seed=1), simulate_strengths(40, 1_000, sd=300, draws=0.2, seed=2)):
        untuned: Any = system.untuned
        begun = untuned.fitted(matches, in_sample=False) if hasattr(untuned, "fitted") else untuned
        skipped = int(COLD_START * len(matches))
        tuned = system.fitted(matches, in_sample=False)
        assert log_loss_of(tuned, matches, skipped=skipped) <= log_loss_of(begun, matches, skipped=skipped)
        assert tuned == system.fitted(matches, in_sample=False)


def test_a_floor_is_tuned_too() -> None:
    # players who change need a floor, those who do not need none
    moving = tune(DynamicShrinking(), played_by_elo(40.0))
    assert moving.floor == pytest.approx(80, rel=0.15)
    still = simulate_strengths(60, 20_000, sd=200, seed=3)
    assert tune(DynamicShrinking(), still).floor < 15
    assert tune(DynamicShrinking(floor=60), still, fixed=("floor",)).floor == 60


def test_what_is_given_stays() -> None:
    matches = simulate_strengths(40, 2_000, sd=200, seed=1)
    result = evaluate(matches, systems=["elo:k=32", "elo", "smith:h=40", "glicko2:tau=0.4,deviation=200"])
    given, tuned, smith, glicko = result.systems
    assert [score.system for score in result.systems] == ["elo (k 32)", "elo", "smith", "glicko2"]
    assert given.parameters["k"] == 32
    assert not given.tuned
    assert given.untuned is None
    assert tuned.tuned
    assert tuned.parameters["k"] != 24
    assert smith.parameters["h"] == 40
    assert smith.tuned
    assert (glicko.parameters["tau"], glicko.parameters["deviation"]) == (0.4, 200)
    assert glicko.parameters["volatility"] != 0.06
    assert isinstance(make_tuned_system("smith:h=40,sd=200"), FittedSmith)
    assert make_tuned_system("elo:k=32") == Elo(k=32.0)
    assert free_knobs(BestFit()) == ()


def test_the_first_half_tunes_and_the_second_is_scored() -> None:
    matches = played_by_elo(60.0, 2_000)
    (score,) = evaluate(matches, systems=["elo"]).systems
    k = tune(Elo(), matches.part(0, 1_000)).k
    assert score.parameters["k"] == k
    assert score.n == 1_000
    late = np.arange(2_000) >= 1_000
    for system, figure in ((Elo(k=k), score.log_loss), (Elo(), score.untuned.log_loss if score.untuned else 0.0)):
        _, expected = system.play(system.start(0), matches)
        won = matches.pairs.score[late]
        loss = -np.mean(won * np.log(expected[late]) + (1 - won) * np.log(1 - expected[late]))
        assert figure == pytest.approx(float(loss))
    assert score.untuned is not None
    assert score.log_loss < score.untuned.log_loss


def test_equal_times_are_not_divided() -> None:
    def middle(time: list[int]) -> int:
        return find_middle(Matches.of_pairs([0] * len(time), [1] * len(time), [1] * len(time), time=time))

    assert middle([1, 2, 3, 4]) == 2
    assert middle([1, 2, 2, 2]) == 1
    assert middle([1, 1, 1, 2]) == 3
    assert middle([1, 1, 1, 1]) == 2
    assert find_middle(simulate_coin(5, 11)) == 5
    days = np.datetime64("2020-01-01") + np.repeat(np.arange(3), [400, 500, 300])
    matches = simulate_strengths(20, 1_200, seed=1)
    dated = Matches.of_pairs(matches.pairs.first, matches.pairs.second, matches.pairs.score, time=days)
    result = evaluate(dated, systems=["elo"])
    assert result.tuning is not None
    assert result.tuning.document() == {"matches": 400, "skipped": 40, "from": "2020-01-02"}
    assert "matches from 2020-01-02 on are scored" in result.summary()
    assert result.systems[0].n == 800
    since = evaluate(dated, systems=["elo"], since="2020-01-03")
    assert since.tuning is not None
    assert since.tuning.n_matches == 900


def test_without_tuning_everything_is_played_as_it_comes() -> None:
    matches = simulate_strengths(40, 400, sd=200, seed=1)
    result = evaluate(matches, systems=["elo", "glicko2", Static()], tune=False)
    assert result.tuning is None
    assert [score.parameters for score in result.systems] == [s.parameters for s in (Elo(), Glicko2(), Static())]
    assert {score.n for score in result.systems} == {400}
    document = result.document()
    for entry in document["systems"]:
        assert entry["tuned"] is False
        assert entry["untuned"] == {name: entry[name] for name in ("log_loss", "brier", "accuracy")}
    assert document["absent"]["tuning"] == "no system was tuned"
    assert "untuned" not in result.summary()
    # systems that are given whole are not tuned either
    assert evaluate(matches, systems=[Elo()]).systems[0].n == 400


def test_what_is_tuned_stands_beside_what_is_not() -> None:
    result = evaluate(simulate_strengths(40, 1_000, sd=200, seed=1))
    assert all(score.tuned and score.n == 500 for score in result.systems)
    assert "untuned" in result.summary()
    for entry in result.document()["systems"]:
        assert entry["tuned"] is True
        assert entry["untuned"].keys() == {"log_loss", "brier", "accuracy"}
    (smith,) = (score for score in result.systems if score.system == "smith")
    as_it_comes = evaluate(simulate_strengths(40, 1_000, sd=200, seed=1), systems=[Smith()], tune=True)
    assert smith.untuned is not None
    assert as_it_comes.systems[0].log_loss == smith.untuned.log_loss


def test_few_matches_tune_nothing() -> None:
    result = evaluate(simulate_strengths(10, 99, sd=200, seed=1), systems=["elo", "glicko2"])
    assert result.tuning is None
    assert {score.n for score in result.systems} == {99}
    with pytest.raises(MatchDataError, match="no matches"):
        Tuned(Elo()).fitted(Matches.of_pairs([], [], []), in_sample=True)


def test_a_stream_is_not_tuned() -> None:
    matches = simulate_strengths(30, 1_000, sd=200, seed=1)
    (score,) = evaluate(matches.parts(300), systems=["elo"]).systems
    assert not score.tuned
    assert score.parameters["k"] == 24


def test_multiplayer_matches_are_tuned_for_their_prizes() -> None:
    matches = simulate_strengths(30, 1_000, per_match=4, sd=200, seed=6)
    linear = make_prizes("linear")
    (score,) = evaluate(matches, systems=["elo"], prizes=linear).systems
    k = tune(Elo(prizes=linear), matches.part(0, 500)).k
    assert score.parameters["k"] == k != tune(Elo(), matches.part(0, 500)).k
    grid = [log_loss_of(Elo(k=k * f, prizes=linear), matches.part(0, 500), skipped=50) for f in (0.5, 0.9, 1.1, 2)]
    assert log_loss_of(Elo(k=k, prizes=linear), matches.part(0, 500), skipped=50) < min(grid)


@dataclass(frozen=True)
class SelfFitting:
    """A system that fits itself, with another as it comes."""

    untuned: Elo = Elo(k=200)  # noqa: RUF009 - it is frozen
    name: str = "self-fitting"

    @property
    def parameters(self) -> dict[str, Any]:
        return {}

    def fitted(self, matches: Matches, *, in_sample: bool) -> Elo:
        assert not in_sample
        return Elo(k=len(matches) / 50)


def test_a_system_that_fits_itself_needs_no_special_case() -> None:
    matches = simulate_strengths(40, 1_000, sd=200, seed=1)
    (score,) = evaluate(matches, systems=[SelfFitting()]).systems
    late = evaluate(matches.with_columns(), systems=[Elo(k=200), Elo(k=10), "elo"]).systems
    assert score.parameters["k"] == 10
    assert score.tuned
    assert score.log_loss == late[1].log_loss
    assert score.untuned is not None
    assert score.untuned.log_loss == late[0].log_loss


def test_all_choices_are_tried() -> None:
    @dataclass(frozen=True)
    class Chooser(Elo):
        tunable: ClassVar[tuple[Any, ...]] = (Choice("share", (0.5, 0.8, 2.0, 1.0)), Knob("k", 1.0, 400.0))

    matches = played_by_elo(30.0, 6_000)
    found = tune(Chooser(), matches)
    # a share of 2 is refused, and passed over
    assert found.share == 1
    assert found.k == pytest.approx(tune(Elo(), matches).k, rel=0.02)
    only_half = replace(tune(Chooser(share=0.5), matches, fixed=("share",)), share=1.0)
    assert only_half.k != found.k


def test_the_search_finds_the_minimum_of_a_crooked_valley() -> None:
    def valley(x: Any) -> float:
        return float((x[0] - 1) ** 2 + 10 * (x[1] - x[0] ** 2 / 4) ** 2)

    found = minimise(valley, np.array([-2.0, 2.0]), np.full(2, -5.0), np.full(2, 5.0), 0.01)
    np.testing.assert_allclose(found, [1, 0.25], atol=0.02)
    edge = minimise(lambda x: float(x[0]), np.array([0.0]), np.array([-3.0]), np.array([2.0]), 0.01)
    assert edge[0] == pytest.approx(-3, abs=0.01)


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(LudometerError, match="no rating system is called"):
        evaluate(simulate_coin(5, 200), systems=["ello"])
