"""The cache keeps what it is given, at once, from several processes, and knows its own."""

from __future__ import annotations

import math
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from ludometer.chess.engine.cache import Cache, Line, Settings, default_path, dump, pack_lines, unpack_lines
from ludometer.chess.record.rules import Replay
from ludometer.errors import LudometerError

SETTINGS = Settings("Fake 1.0", "net", (("Style", "calm"),), 12, None, 2, 16, "position")
LINES = (Line("e2e4", 33.0), Line("d2d4", -math.inf))


def test_what_is_stored_is_there_at_once_for_another_reader(tmp_path: Path) -> None:
    with Cache(tmp_path / "c.sqlite") as one, Cache(tmp_path / "c.sqlite") as other:
        number = one.number(SETTINGS)
        one.store(number, "position", LINES)
        assert other.find(number, ["position", "unknown"]) == {"position": LINES}
        assert other.settings() == [SETTINGS]
        assert other.number(SETTINGS) == number
        assert other.count() == 1


def test_settings_are_kept_apart_by_everything_they_hold(tmp_path: Path) -> None:
    others = [
        Settings(*{**vars(SETTINGS), name: value}.values())
        for name, value in (
            ("engine", "Fake 1.1"),
            ("net", "other"),
            ("options", ()),
            ("depth", 13),
            ("multipv", 1),
            ("hash_mb", 32),
            ("hash_policy", "game"),
        )
    ]
    with Cache(tmp_path / "c.sqlite") as cache:
        numbers = [cache.number(entry) for entry in (SETTINGS, *others)]
        cache.store(numbers[0], "p", LINES)
        assert len(set(numbers)) == 8
        assert all(not cache.find(number, ["p"]) for number in numbers[1:])
        assert cache.settings() == [SETTINGS, *others]


def test_a_carried_hash_is_keyed_by_all_the_moves() -> None:
    carried = Settings(*{**vars(SETTINGS), "hash_policy": "game"}.values())
    # two ways to one position
    one = Replay(("s", "a", "c"), ("x", "y"), (0, 0, 0), "s", None)
    other = Replay(("s", "b", "c"), ("y", "x"), (0, 0, 0), "s", None)
    assert SETTINGS.keys(one)[-1] == SETTINGS.keys(other)[-1]
    assert carried.keys(one)[-1] != carried.keys(other)[-1]
    assert carried.keys(one)[0] == carried.keys(other)[0]


def test_lines_go_through_text_unchanged() -> None:
    assert unpack_lines(pack_lines(LINES)) == LINES


def fill(task: tuple[str, int]) -> None:
    path, part = task
    with Cache(path) as cache:
        number = cache.number(SETTINGS)
        for k in range(50):
            cache.store(number, f"{part}-{k}", LINES)


def test_several_processes_write_side_by_side(tmp_path: Path) -> None:
    path = str(tmp_path / "c.sqlite")
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(fill, [(path, part) for part in range(2)]))
    assert len(dump(path)) == 100


def test_a_program_is_known_until_its_file_changes(tmp_path: Path) -> None:
    program = tmp_path / "engine"
    program.write_text("one")
    with Cache(tmp_path / "c.sqlite") as cache:
        assert cache.identity(program) is None
        cache.remember(program, {"name": "Fake", "defaults": {}})
        assert cache.identity(program) == {"name": "Fake", "defaults": {}}
        program.write_text("another")
        assert cache.identity(program) is None


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    text, other = tmp_path / "text.sqlite", tmp_path / "other.sqlite"
    text.write_text("not a database, and long enough to be looked at" * 20)
    with pytest.raises(LudometerError, match="cannot be used as a cache"):
        Cache(text)
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (a)")
    connection.close()
    with pytest.raises(LudometerError, match="not a cache"):
        Cache(other)
    with pytest.raises(LudometerError, match="no such cache"):
        Cache(tmp_path / "missing.sqlite", create=False)


def test_the_usual_place_follows_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "ludometer" / "chess.sqlite"
