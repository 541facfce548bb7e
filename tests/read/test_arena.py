"""Arena files are read as they are: winners by seat, ties, both bad, epochs with fractions, lengths per answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError
from ludometer.read import ReadOptions, read_file, read_matches, stream_matches

VOTES = pl.DataFrame(
    {
        "question_id": [1, 2, 3, 4, 5],
        "model_a": ["gpt", "llama", "gpt", "claude", "claude"],
        "model_b": ["llama", "gpt", "claude", "llama", "gpt"],
        "winner": ["model_a", "model_b", "tie", "tie (bothbad)", "both_bad"],
        "judge": ["h1", "h1", "h2", "h2", "h2"],
        "length_a": [100, 80, 70, 60, 50],
        "length_b": [50, 90, 75, 65, 55],
        "tstamp": [1690000000.5, 1690000001.5, 1690000002.5, 1690000003.5, 1690000004.5],
    }
)


def written(folder: Path, kind: str) -> Path:
    path = folder / f"votes.{kind}"
    if kind == "csv":
        VOTES.write_csv(path)
    elif kind == "parquet":
        VOTES.write_parquet(path)
    else:
        VOTES.write_ndjson(path)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_votes_are_read_as_they_are(tmp_path: Path, kind: str) -> None:
    reading = read_file(written(tmp_path, kind))
    assert reading.matches.pairs.score.tolist() == [1, 0, 0.5, 0.5, 0.5]
    assert reading.matches.time is not None
    assert str(reading.matches.time[0]) == "2023-07-22T04:26:40.500000"
    assert [note for note in reading.notes if "both were bad" in note] == [
        "2 votes that both were bad count as ties; to leave them out: "
        "--where \"not winner in ('tie (bothbad)', 'both_bad')\""
    ]


def test_both_bad_can_be_left_out_as_the_note_says(tmp_path: Path) -> None:
    reading = read_file(
        written(tmp_path, "csv"), ReadOptions(where="not winner in ('tie (bothbad)', 'both_bad')", by="judge")
    )
    assert {value: len(matches) for value, matches in reading.groups.items()} == {"h1": 2, "h2": 1}
    assert not any("bad" in note for note in reading.notes)


def test_a_stream_of_votes_says_the_same(tmp_path: Path) -> None:
    stream = stream_matches(written(tmp_path, "csv"))
    assert sum(len(batch) for batch in stream) == 5
    assert any("2 votes that both were bad" in note for note in stream.left_out())


def test_lengths_and_judges_are_covariates_on_request(tmp_path: Path) -> None:
    votes = read_matches(written(tmp_path, "csv"), covariates="judge", seat_covariates="length")
    length, judge = votes.seat_covariates["length"], votes.covariates["judge"]
    assert isinstance(length, np.ndarray)
    assert length.tolist() == [100, 50, 80, 90, 70, 75, 60, 65, 50, 55]
    assert judge.text.to_list() == ["h1", "h1", "h2", "h2", "h2"]  # type: ignore[union-attr]


def test_three_columns_may_say_who_won() -> None:
    frame = VOTES.drop("winner").with_columns(
        winner_model_a=pl.Series([1, 0, 0, 1, 0]),
        winner_model_b=pl.Series([0, 1, 0, 0, 0]),
        winner_tie=pl.Series([0, 0, 1, 0, 1]),
    )
    assert read_matches(frame).pairs.score.tolist() == [1, 0, 0.5, 1, 0.5]
    with pytest.raises(LudometerError, match="not one of winner_model_a, winner_model_b, winner_tie is 1"):
        read_matches(frame.with_columns(winner_model_a=pl.lit(1)))


def test_a_winner_may_be_a_name_even_that_of_a_vote() -> None:
    frame = pl.DataFrame({"model_a": ["tie", "b"], "model_b": ["x", "x"], "winner": ["tie", "x"]})
    assert read_matches(frame).pairs.score.tolist() == [1, 0]


def test_letters_are_seats_in_an_arena_and_away_elsewhere() -> None:
    votes = pl.DataFrame({"model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["A", "B"]})
    assert read_matches(votes).pairs.score.tolist() == [1, 0]
    games = pl.DataFrame({"home": ["x"], "away": ["y"], "result": ["A"]})
    assert read_matches(games).pairs.score.tolist() == [0]


def test_an_unknown_vote_is_named_with_its_row() -> None:
    frame = VOTES.with_columns(winner=pl.Series(["model_a", "model_c", "tie", "tie", "tie"]))
    with pytest.raises(LudometerError, match=r"winner names neither player, nor a draw[\s\S]*model_c"):
        read_matches(frame)


@pytest.mark.parametrize("kind", ["frame", "parquet", "jsonl"])
def test_what_is_nested_is_found_by_its_path(tmp_path: Path, kind: str) -> None:
    """Arenas keep lengths and topics in structures: the fields are columns, and a star stands for the seat."""
    nested = VOTES.with_columns(
        meta=pl.struct(
            pl.col("length_a").alias("sum_a_tokens"),
            pl.col("length_b").alias("sum_b_tokens"),
            pl.struct(math=pl.col("judge") == "h1").alias("tag"),
            turns=pl.concat_list(pl.lit(1), pl.lit(2)),
        )
    ).drop("length_a", "length_b")
    source: object = nested
    if kind != "frame":
        source = tmp_path / f"votes.{kind}"
        (nested.write_parquet if kind == "parquet" else nested.write_ndjson)(tmp_path / f"votes.{kind}")
    votes = read_matches(source, seat_covariates="meta.sum_*_tokens", where='"meta.tag.math"')
    values = votes.seat_covariates["meta.sum_*_tokens"]
    assert isinstance(values, np.ndarray)
    assert values.tolist() == [100, 50, 80, 90]
    groups = read_file(source, ReadOptions(by="meta.tag.math")).groups
    assert {value: len(matches) for value, matches in groups.items()} == {"true": 2, "false": 3}
    with pytest.raises(LudometerError, match=r"holds List\(.*\), not text or numbers|no such column"):
        read_matches(source, covariates="meta.turns")
    with pytest.raises(LudometerError, match="cannot find the columns of the two players"):
        read_matches(nested.rename({"model_a": "x", "model_b": "y"}))
