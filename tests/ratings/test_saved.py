"""States between runs: players by name, matches held, files that are data only."""

from __future__ import annotations

import io
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import (
    Dynamic,
    Elo,
    Glicko2,
    SavedState,
    StartRatings,
    Static,
    load_state,
    new_state,
    rate,
    save_state,
)
from ludometer.ratings.held import Held, hash_matches, number_by_name, number_by_play
from ludometer.ratings.saved import from_bytes, to_bytes
from ludometer.ratings.scores.elo import SeriesElo
from ludometer.ratings.scores.series import make_series
from ludometer.ratings.state_space.parameters import Parameters
from ludometer.ratings.state_space.system import FittedStateSpace


def games(*names: str, time: Any = None) -> Matches:
    """One match per two names; the first of them wins."""
    known = list(dict.fromkeys(names))
    codes = [known.index(name) for name in names]
    return Matches.of_pairs(codes[::2], codes[1::2], [1] * (len(names) // 2), players=Players.named(known), time=time)


def days(*texts: str) -> Any:
    return np.array(texts, "datetime64[D]")


def test_another_file_updates_its_own_players_by_name() -> None:
    first = rate(games("Ann", "Ben", time=days("2024-01-01")), state=new_state(Elo()))
    assert first.state is not None
    second = rate(games("Cem", "Ben", time=days("2024-01-02")), state=first.state)
    frame = dict(zip(second.players.names, second.rating.round(1).tolist(), strict=True))
    assert frame == {"Ann": 1512.0, "Ben": 1476.4, "Cem": 1511.6}
    assert second.n_matches == 2
    assert second.n_players == 3
    with pytest.raises(LudometerError, match="a state that knows its players is needed"):
        rate(games("Ann", "Ben"), state=Elo().start(2))  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="need the whole file: leave out --stream"):
        rate([games("Ann", "Ben")], state=first.state)


def test_a_match_is_known_in_whatever_file() -> None:
    one = games("Ann", "Ben", time=days("2024-01-01"))
    swapped = Matches.of_pairs([0], [1], [0], players=Players.named(["Ben", "Ann"]), time=days("2024-01-01"))
    exact = replace(one, time=np.array(["2024-01-01"], "datetime64[us]"))
    assert hash_matches(one) == hash_matches(swapped) == hash_matches(exact)
    others = [games("Ben", "Ann", time=one.time), games("Ann", "Cem", time=one.time), games("Ann", "Ben")]
    others.append(games("Ann", "Ben", time=days("2024-01-02")))
    assert len({int(hash_matches(other)[0]) for other in (one, *others)}) == 5
    scores = [make_series({"series": [1, 1], "player": ["A", "B"], "score": [s, 1]}) for s in (5, 6)]
    assert hash_matches(scores[0]) == hash_matches(scores[1])
    assert hash_matches(scores[0], with_scores=True) != hash_matches(scores[1], with_scores=True)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=1), st.integers(0, 8))
def test_what_is_new_is_what_a_plain_count_finds(rows: list[tuple[int, int, int]], cut: int) -> None:
    rows = sorted(rows, key=lambda row: row[2])
    matches = Matches.of_pairs(
        [a for a, _, _ in rows], [5 + b for _, b, _ in rows], [1] * len(rows), time=[t for _, _, t in rows]
    )
    hashes, cut = hash_matches(matches), min(cut, len(rows))
    assert matches.time is not None
    held = Held().add(hashes[:cut], matches.time[:cut])
    assert held.find_new(matches, hashes).tolist() == _plain_new(rows, cut)


def _plain_new(rows: list[tuple[int, int, int]], cut: int) -> list[bool]:
    left = list(rows[:cut])
    new = []
    for row in rows:
        new.append(row not in left)
        if not new[-1]:
            left.remove(row)
    return new


def test_matches_of_the_last_time_are_told_apart_or_refused() -> None:
    monday, tuesday = "2024-01-01", "2024-01-02"
    state = rate(games("Ann", "Ben", "Ann", "Cem", time=days(monday, tuesday)), state=new_state(Elo())).state
    state = rate(games("Ben", "Cem", time=days(tuesday)), state=state).state
    assert state is not None
    assert (state.n_matches, state.held.n_latest) == (3, 2)
    again = rate(games("Ann", "Cem", "Ben", "Cem", "Ann", "Cem", time=days(*[tuesday] * 3)), state=state)
    assert again.n_matches == 4
    with pytest.raises(MatchDataError, match="may be one of them or another one like it"):
        rate(games("Ann", "Cem", "Dan", "Cem", time=days(tuesday, tuesday)), state=state)
    with pytest.raises(MatchDataError, match=r"2 matches are older .* match 1 in order of time, Dan against Ann"):
        rate(games("Dan", "Ann", "Ann", "Dan", "Ann", "Ben", time=days(monday, monday, tuesday)), state=state)
    with pytest.raises(MatchDataError, match="dates in one and numbers in the other"):
        rate(games("Ann", "Ben", time=[3]), state=state)
    hour = np.array(["2024-01-02T18:00"], "datetime64[us]")
    assert str(rate(games("Ann", "Ben", time=hour), state=state).to_frame()["last"].max()) == "2024-01-02 18:00:00"


def test_players_are_numbered_by_play_or_by_name() -> None:
    matches = Matches.of_pairs([3, 1], [1, 0], [1, 0], players=Players.named(["a", "b", "c", "d"]))
    played, code = number_by_play(matches)
    assert played.players.names.to_list() == ["d", "b", "a", "c"]
    assert code.tolist() == [2, 1, 3, 0]
    assert played.pairs.first.tolist() == [0, 1]
    assert number_by_play(played)[0] is played
    known = number_by_name(matches, Players.named(["x", "b"]))
    assert known.players.names.to_list() == ["x", "b", "d", "a"]
    assert (known.pairs.first.tolist(), known.pairs.second.tolist()) == ([2, 1], [1, 3])
    seats = Matches.of_seats([0, 3], [2, 1, 0], [1, 2, 3], players=Players.named(["a", "b", "c"]))
    assert number_by_name(seats, Players.named(["b"])).seats.player.tolist() == [1, 0, 2]


def test_the_order_of_players_in_a_record_changes_no_rating() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 12, 400)
    second = (first + rng.integers(1, 12, 400)) % 12
    matches = Matches.of_pairs(
        first, second, rng.integers(0, 2, 400), players=Players.named([f"p{n}" for n in range(12)])
    )
    shuffled = rng.permutation(12)
    other = Matches.of_pairs(
        np.argsort(shuffled)[first],
        np.argsort(shuffled)[second],
        matches.pairs.score,
        players=Players.named([f"p{n}" for n in shuffled]),
    )
    for system in (Elo(), Static(), Glicko2()):
        one, two = rate(matches, system=system), rate(other, system=system)
        assert one.to_frame().equals(two.to_frame())
        assert np.array_equal(one.rating[shuffled], two.rating)


def test_systems_for_scores_and_multiplayer_matches_go_on_too() -> None:
    rows: dict[str, list[Any]] = {
        "series": [1, 1, 1, 2, 2, 2],
        "player": list("ABCCBD"),
        "score": [900, 700, 100, 500, 400, 300],
    }
    whole = make_series(rows)
    for system in (SeriesElo(), Elo()):
        halves = [{name: column[cut] for name, column in rows.items()} for cut in (slice(3), slice(3, 6))]
        state = rate(make_series(halves[0]), state=new_state(system)).state
        assert state is not None
        later = rate(make_series(halves[1]), state=from_bytes(to_bytes(state)))
        assert later.to_frame().equals(rate(whole, system=system).to_frame())


def test_players_enter_state_space_ratings_with_what_is_known_of_them() -> None:
    system = FittedStateSpace(Parameters(spread=200, drift=0, learning=30, form=60))
    start = StartRatings(Players.named(["Ann", "Zoe"]), np.array([2000.0, 1900.0]), np.array([70.0, np.nan]))
    record = games("Ben", "Cem", "Ann", "Ben", time=days("2024-01-01", "2024-02-01"))
    entered = start.enter(system, system.start(0), 0, record)
    alone, _ = system.play(entered, number_by_name(record.part(0, 1), start.players))
    assert system.ratings(alone)[:2] == pytest.approx([2000, 1900])
    assert system.uncertainty(alone)[:2] == pytest.approx([70, math.hypot(200, 60)])
    listed = rate(record, system=system, start_ratings=start)
    assert listed.players.names.to_list() == ["Ann", "Zoe", "Ben", "Cem"]
    assert listed.to_frame()["player"].to_list() == ["Ann", "Ben", "Cem"]
    assert 2000 < listed.rating[0] < 2060
    again = rate(record, state=rate(record.part(0, 1), system=system, start_ratings=start).state)
    assert again.to_frame().equals(listed.to_frame())


@dataclass(frozen=True)
class Stranger:
    """A dataclass that is not part of a rating system."""

    k: float = 24.0
    name: str = "elo"


def test_files_build_nothing_but_rating_systems(tmp_path: Path) -> None:
    path = tmp_path / "x.state"
    saved = rate(games("Ann", "Ben"), state=new_state(Elo())).state
    assert saved is not None
    save_state(saved, path)
    for wrong in (
        "os:system",
        "ludometer.cli:main",
        "tests.ratings.test_saved:Stranger",
        "ludometer.ratings.driver:rate",
    ):
        path.write_bytes(_with_header(to_bytes(saved), lambda h, w=wrong: h["content"]["origin"].update(type=w)))
        with pytest.raises(LudometerError, match="damaged"):
            load_state(path)
    with pytest.raises(LudometerError, match=r"with <lambda> cannot be saved"):
        to_bytes(new_state(Dynamic(h=lambda x: 30 + 0 * x)))
    with pytest.raises(LudometerError, match=r"x\.state.*no such|cannot be read"):
        load_state(tmp_path / "none.state")


def test_a_newer_form_and_arrays_that_do_not_fit_are_refused() -> None:
    saved = rate(games("Ann", "Ben"), state=new_state(Elo())).state
    assert saved is not None
    newer = _with_header(to_bytes(saved), lambda header: header.update(version=2, written_by="9.9"))
    with pytest.raises(LudometerError, match=r"written by ludometer 9\.9"):
        from_bytes(newer)
    wrong = {"state": Elo().start(1), "played": np.zeros(3, np.int64), "players": Players.named(["Ann"])}
    for name, value in wrong.items():
        with pytest.raises(LudometerError, match="damaged"):
            from_bytes(to_bytes(replace(saved, **{name: value})))  # type: ignore[arg-type]
    torn = to_bytes(saved)
    for at in range(0, len(torn), 97):
        with pytest.raises(LudometerError, match="damaged"):
            from_bytes(torn[:at])
    with pytest.raises(LudometerError, match="damaged"):
        from_bytes(torn.replace(b"Ann", b"Anm"))


def test_names_of_any_script_and_length_survive() -> None:
    names = ["", "Ann", "Ånn", "李", "a" * 300, "=1+1"]
    codes = np.arange(5)
    record = Matches.of_pairs(codes, codes + 1, [1] * 5, players=Players.named(names))
    saved = rate(record, state=new_state(Elo())).state
    assert saved is not None
    assert from_bytes(to_bytes(saved)).players.names.to_list() == names
    assert isinstance(saved, SavedState)


def _with_header(content: bytes, change: Any) -> bytes:
    with np.load(io.BytesIO(content)) as file:
        arrays = dict(file)
    header = json.loads(arrays["header"].tobytes())
    change(header)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()
