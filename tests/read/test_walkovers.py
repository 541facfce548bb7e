"""Matches that nobody played, players who are nobody, and matches that are there twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from ludometer.matches import Matches
from ludometer.read import Reading, ReadOptions, read_file, read_matches
from ludometer.selection import drop_repeats


def games(first: str = "player_1", second: str = "player_2", **more: Any) -> pl.DataFrame:
    return pl.DataFrame({first: ["Ann", "Ben", "Cem"], second: ["Ben", "Cem", "Ann"]} | more)


def left_out(reading: Reading) -> int:
    return reading.n_rows - len(reading.matches)


@pytest.mark.parametrize(
    "word",
    [
        "walkover",
        "w.o.",
        "W/O",
        "Forfeit",
        "+:-",
        "-:+",
        "+/-",
        "+-",
        "1-0 (ff)",
        "0-1 ff",
        "1F-0F",
        "3:0 (w.o.)",
        "1-0F",
    ],
)
def test_results_without_play_are_left_out_and_counted(word: str) -> None:
    reading = read_file(games(result=["1-0", word, "0-1"]))
    assert reading.left_out == ("1 of 3 rows left out: the match was not finished",)
    assert reading.matches.pairs.score.tolist() == [1, 0]


def test_a_bye_needs_no_opponent() -> None:
    table = games(result=["1-0", "bye", "0-1"]).with_columns(player_2=pl.Series(["Ben", None, "Ann"]))
    assert left_out(read_file(table)) == 1


@pytest.mark.parametrize(
    ("column", "condition"),
    [
        ([True, False, False], "not walkover"),
        (["TRUE", "false", None], "not walkover in ('TRUE')"),
        (["yes", "no", "Yes"], "not walkover in ('yes', 'Yes')"),
        ([1, 0, 0], "not walkover in (1)"),
    ],
)
def test_a_column_of_walkovers_is_noted_with_what_leaves_them_out(column: list[Any], condition: str) -> None:
    table = games(result=[1, 0, 1], walkover=column)
    reading = read_file(table)
    n_found = 2 if "Yes" in condition else 1
    (note,) = reading.notes
    assert note.startswith("2 matches are walkovers by" if n_found == 2 else "1 match is a walkover by column walkover")
    assert note.endswith(f'--where "{condition}"')
    assert len(reading.matches) == 3
    without = read_file(table, ReadOptions(where=condition))
    assert (left_out(without), without.notes) == (n_found, ())


def test_walkovers_beside_winner_and_loser_are_noted() -> None:
    table = games("winner", "loser", score=["6-4 6-3", "W/O", "7-5 6-0"])
    (note,) = read_file(table).notes
    assert note == (
        "1 match is a walkover by column score and counts as played; to leave it out: --where \"not score in ('W/O')\""
    )
    assert left_out(read_file(table, ReadOptions(where="not score in ('W/O')"))) == 1


def test_names_that_may_be_nobody_are_noted() -> None:
    table = games(result=[1, 0, 1]).with_columns(player_2=pl.Series(["Ben", "BYE", "Ann"]))
    (note,) = read_file(table).notes
    condition = "not (player_1 in ('BYE') or player_2 in ('BYE'))"
    assert note == f"'BYE' counts as a player; if that is nobody: --where \"{condition}\""
    assert left_out(read_file(table, ReadOptions(where=condition))) == 1


def plain_repeats(matches: Matches) -> list[bool]:
    """Match by match: whether an earlier one has the same time, players, places and scores."""
    seats, seen, found = matches.seats, set(), []
    for match, (start, stop) in enumerate(zip(seats.starts[:-1], seats.starts[1:], strict=True)):
        score = () if matches.score is None else tuple(np.nan_to_num(matches.score[start:stop], nan=-1).tolist())
        assert matches.time is not None
        key = (
            str(matches.time[match]),
            tuple(seats.player[start:stop].tolist()),
            tuple(seats.place[start:stop].tolist()),
            score,
        )
        found.append(key in seen)
        seen.add(key)
    return found


@pytest.mark.parametrize("has_scores", [False, True])
@pytest.mark.parametrize("size", [2, 3])
def test_exact_repeats_are_dropped(size: int, has_scores: bool) -> None:
    rng = np.random.default_rng(5)
    n = 400
    sizes = np.full(n, 2) if size == 2 else rng.integers(2, 4, n)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    player = np.concatenate([rng.permutation(3)[:own] for own in sizes])
    columns: dict[str, Any] = {"score": rng.choice([1, 2, np.nan], starts[-1])} if has_scores else {}
    day = np.datetime64("2024-01-01") + rng.integers(0, 6, n).astype("timedelta64[D]")
    matches = Matches.of_seats(starts, player, rng.integers(0, 2, starts[-1]), time=day, **columns)
    repeats = np.array(plain_repeats(matches))
    assert 20 < repeats.sum() < 380
    dropped = drop_repeats(matches)
    assert dropped.fingerprint == matches.take(~repeats).fingerprint
    assert drop_repeats(dropped) is dropped


def test_without_times_nothing_is_a_repeat() -> None:
    matches = read_matches(pl.DataFrame({"white": ["a", "a"], "black": ["b", "b"], "result": [1, 1]}))
    assert drop_repeats(matches) is matches
