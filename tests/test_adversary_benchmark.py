"""The adversary's records are what they say: their truth, their distortion, and the same for a seed."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludometer.matches import Matches

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def adversary() -> Any:
    """The module, with its situations registered once."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("adversary")
    finally:
        sys.path.remove(str(BENCHMARKS))


def better_share(matches: Matches, skill: Any) -> float:
    """How often the stronger of two won."""
    pairs = matches.pairs
    return float(((skill[pairs.first] > skill[pairs.second]) == (pairs.halves == 2)).mean())


def played(adversary: Any, name: str, seed: int = 3) -> tuple[Any, Matches]:
    """The world of a record, and the record."""
    one = adversary.SITUATIONS[name]
    situations = importlib.import_module("situations")
    rng = np.random.default_rng([*one.full_name.encode(), seed])
    world = situations.World(one.game, rng, one.n_players, one.n_matches)
    return world, one.make(world)


def test_there_are_all_rows_of_the_table_and_thirty_of_our_own(adversary: Any) -> None:
    kinds: dict[str, set[str]] = {}
    for one in adversary.SITUATIONS.values():
        kinds.setdefault(one.kind, set()).add(one.name)
    assert len(kinds["table"]) >= 20
    assert len(kinds["held up"]) >= 10
    assert len(kinds["own"]) >= 30


def test_the_same_seed_makes_the_same_record_and_another_seed_another(adversary: Any) -> None:
    for name in ("mirrored, coin", "nearest of 8, 60%", "sessions of 3, 20%", "hands at tables of 5, coin"):
        one = adversary.SITUATIONS[name]
        assert one.matches(1).fingerprint == one.matches(1).fingerprint != one.matches(2).fingerprint


@pytest.mark.parametrize(
    ("name", "share"), [("random, coin", 0.5), ("random, 20%", 0.6), ("random, 60%", 0.8), ("nearest of 8, 60%", 0.8)]
)
def test_the_better_player_wins_as_often_as_the_game_says(adversary: Any, name: str, share: float) -> None:
    world, matches = played(adversary, name)
    assert better_share(matches, world.skill) == pytest.approx(share, abs=0.015)
    assert adversary.true_edge(world.game) == share


def test_a_mirrored_match_stands_twice_with_opposite_rows(adversary: Any) -> None:
    _, matches = played(adversary, "mirrored, coin")
    pairs, time = matches.pairs, matches.time
    assert time is not None
    rows = list(zip(time.tolist(), pairs.first.tolist(), pairs.second.tolist(), pairs.halves.tolist(), strict=True))
    assert {(at, b, a, 2 - halves) for at, a, b, halves in rows} == set(rows)


def test_a_flattened_table_has_one_winner_at_one_time(adversary: Any) -> None:
    _, matches = played(adversary, "six seats as pairs, coin")
    pairs = matches.pairs
    winner = np.where(pairs.halves == 2, pairs.first, pairs.second).reshape(-1, 5)
    assert matches.time is not None
    assert (winner == winner[:, :1]).all()
    assert (matches.time.reshape(-1, 5) == matches.time[::5, np.newaxis]).all()


def test_a_shared_coin_makes_sessions_and_nobody_better(adversary: Any) -> None:
    world, matches = played(adversary, "sessions of 3, coin")
    assert better_share(matches, world.skill) == pytest.approx(0.5, abs=0.02)
    pairs = matches.pairs
    score = np.zeros((world.n_players, world.n_players))
    games = np.zeros_like(score)
    np.add.at(score, (pairs.first, pairs.second), pairs.score)
    np.add.at(games, (pairs.first, pairs.second), 1)
    once = games == 3
    assert set(np.unique(score[once])) == {0.0, 3.0}


def test_the_queue_pairs_players_of_similar_skill(adversary: Any) -> None:
    world, matches = played(adversary, "nearest of 50, 60%")
    later = matches.part(len(matches) // 2, len(matches)).pairs
    ranks = world.skill.argsort().argsort()
    assert np.corrcoef(ranks[later.first], ranks[later.second])[0, 1] > 0.5


def test_forgotten_skills_leave_the_share_of_the_moment(adversary: Any) -> None:
    world, matches = played(adversary, "forgetting in 8%, 60%")
    start, end = (matches.part(*span) for span in ((0, 600), (len(matches) - 600, len(matches))))
    assert better_share(start, world.skill) > 0.65
    assert better_share(end, world.skill) == pytest.approx(0.5, abs=0.07)


def test_a_game_of_noise_has_the_edge_of_its_curve(adversary: Any) -> None:
    world, matches = played(adversary, "random, SD 250")
    assert better_share(matches, world.skill) == pytest.approx(adversary.true_edge(world.game), abs=0.015)


def row(answer: str, x: float, low: float, high: float, **more: Any) -> dict[str, Any]:
    return {"answer": answer, "x": [x, low, high], "chess": [x, low, high], **more}


def test_a_confident_answer_is_wrong_where_the_clean_game_has_another(adversary: Any) -> None:
    one = adversary.SITUATIONS["mirrored, coin"]
    truth = adversary.find_truth(one.game, [row("chance", 1.0, 0.0, 4.0)] * 3)
    assert truth["answer"] == "chance"
    rows = [
        row("skill", 87.0, 80.0, 90.0),
        row("chance", 1.0, 0.0, 5.0),
        row("cannot tell", 40.0, 0.0, 60.0, reason="These data cannot tell: why (so)."),
        {"answer": "cannot tell", "reason": "These data cannot tell: why (else)."},
    ]
    found = adversary.summarise(one, rows, truth)
    assert (found["wrong"], found["answered"], found["covers"]) == (0.25, 0.25, 0.5)
    assert found["covers_or_refused"] == 0.75
    assert found["reasons"] == {"why": 2}


def test_no_confident_answer_is_right_where_nobody_is_better(adversary: Any) -> None:
    one = adversary.SITUATIONS["styles, coin"]
    truth = adversary.find_truth(one.game, [row("chance", 1.0, 0.0, 4.0)])
    assert adversary.summarise(one, [row("chance", 1.0, 0.0, 5.0)], truth)["wrong"] == 1


def test_a_run_goes_on_from_what_is_stored(adversary: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def measured(task: Any) -> dict[str, Any]:
        seen.append(task)
        return row("chance", 1.0, 0.0, 4.0)

    monkeypatch.setattr(adversary, "run_task", measured)
    chosen = adversary.choose(["mirrored, coin"])
    for seeds in (2, 3):
        kept, crew = adversary.Stored(tmp_path / "stored.json"), adversary.Crew(1)
        adversary.measure_clean(chosen, kept, crew, again=False)
        ((_, summary),) = adversary.measure_situations(chosen, seeds, kept, crew, again=False)
        assert summary["seeds"] == seeds
    assert [task.seed for task in seen if not task.is_clean] == [0, 1, 2]
    assert sum(task.is_clean for task in seen) == adversary.CLEAN_SEEDS


def test_the_light_verdict_of_a_clean_coin_is_chance(adversary: Any) -> None:
    found = adversary.verdict_of(adversary.SITUATIONS["random, coin"].matches(0), 0)
    assert found["answer"] == "chance"
    assert adversary.covers(found["x"], 0.0)
