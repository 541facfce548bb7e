"""Scores of series: golden examples, the game by game route, tie-breaks, substitutes, lists of records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.skat.rules.series import (
    SeriesResults,
    gather_lists,
    merge_copies,
    score_series,
    score_table,
    seeger_score,
)


def table_of(totals: dict[str, tuple[int, int, int]]) -> pl.DataFrame:
    """Games with these totals: points, won, lost of each player."""
    names = list(totals)
    rows = []
    for name, (points, won, lost) in totals.items():
        values = [1] * won + [-1] * lost
        rest = points - sum(values)
        values[0 if rest > 0 else -1] += rest
        assert sum(value > 0 for value in values) == won
        rows += [(name, value) for value in values]
    people = {f"player_{seat}": name for seat, name in enumerate(names, 1)}
    return pl.DataFrame([{"series": "1", "declarer": name, "points": value} | people for name, value in rows])


def scores(results: SeriesResults) -> dict[str, float]:
    return dict(zip(results.sheets["player"].to_list(), results.sheets["score"].to_list(), strict=True))


PAPER = {"A": (273, 8, 1), "B": (152, 12, 4), "C": (495, 11, 0)}
FOUR = {"A": (492, 12, 0), "B": (628, 12, 2), "C": (660, 10, 1), "D": (-32, 6, 5)}


def test_the_papers_series_with_its_misprint_put_right() -> None:
    points, won, lost = zip(*PAPER.values(), strict=True)
    assert score_table(points, won, lost).tolist() == [783, 592, 1245]
    games = table_of(PAPER)
    assert games.height == 36
    assert scores(score_series(games)) == {"A": 783, "B": 592, "C": 1245}


def test_the_example_at_a_table_of_four() -> None:
    points, won, lost = zip(*FOUR.values(), strict=True)
    assert score_table(points, won, lost).tolist() == [1332, 1308, 1320, 108]
    assert score_table(points, won, lost, system="plain").tolist() == [1092, 1128, 1110, 18]
    assert score_table(points, won, lost, system="points").tolist() == list(points)
    games = table_of(FOUR)
    for system, first in (("extended", "A"), ("plain", "B"), ("points", "C")):
        results = score_series(games, system=system)  # type: ignore[arg-type]
        assert results.sheets["player"][0] == first
        assert results.sheets["place"].to_list() == [1, 2, 3, 4]
    assert scores(score_series(games)) == {"A": 1332, "B": 1308, "C": 1320, "D": 108}


def test_a_folded_game_counts_as_a_game_and_for_nobody() -> None:
    games = table_of(PAPER)
    folded = games.head(1).with_columns(declarer=pl.lit(None, pl.String), points=0)
    results = score_series(pl.concat([games, folded.cast(games.schema)]))
    assert scores(results) == {"A": 783, "B": 592, "C": 1245}
    assert set(results.sheets["games"].to_list()) == {37}


def test_ties_are_broken_by_games_won_then_by_games_lost_then_by_lot() -> None:
    # plain points: 100 each; A has won two games, B and C one
    games = table_of({"A": (100, 2, 0), "B": (100, 1, 0), "C": (100, 1, 0)})
    results = score_series(games, system="points")
    assert results.sheets["player"][0] == "A"
    assert results.sheets["place"].to_list() == [1, 2, 2]
    drawn = [score_series(games, system="points", seed=seed) for seed in range(20)]
    assert all(result.sheets["place"].to_list() == [1, 2, 3] for result in drawn)
    assert {result.sheets["player"][1] for result in drawn} == {"B", "C"}
    lost = score_series(table_of({"A": (9, 1, 1), "B": (9, 1, 0), "C": (9, 2, 2)}), system="points")
    assert lost.sheets["player"].to_list() == ["C", "B", "A"]


def test_substitutes_have_the_games_at_which_they_sat() -> None:
    games = pl.DataFrame(
        {
            "series": ["1"] * 4,
            "player_1": ["A"] * 4,
            "player_2": ["B"] * 4,
            "player_3": ["C", "C", "X", "X"],
            "declarer": ["A", "C", "B", "X"],
            "points": [-48, 20, -36, 24],
        }
    )
    each = score_series(games)
    assert scores(each) == {"A": -48 - 50 + 40, "B": -36 - 50 + 40, "C": 20 + 50 + 40, "X": 24 + 50 + 40}
    assert dict(zip(each.sheets["player"].to_list(), each.sheets["games"].to_list(), strict=True)) == {
        "A": 4,
        "B": 4,
        "C": 2,
        "X": 2,
    }
    shared = score_series(games, by="seat")
    assert scores(shared) == {"A": -58, "B": -46, "C / X": 224}


def test_ramsch_counts_points_without_bonus() -> None:
    games = table_of(PAPER).with_columns(has_bonus=pl.lit(True))
    ramsch = games.filter(declarer="C").head(1).with_columns(points=pl.lit(-70, pl.Int64), has_bonus=pl.lit(False))
    assert scores(score_series(pl.concat([games, ramsch]))) == {"A": 783, "B": 592, "C": 1175}


def test_short_lists_are_rescaled() -> None:
    results = score_series(table_of({"A": (60, 3, 0), "B": (40, 2, 0), "C": (20, 1, 0)}), rescale=True)
    assert scores(results) == {"A": 210 * 6.0, "B": 140 * 6.0, "C": 70 * 6.0}


def test_both_routes_agree_on_many_series() -> None:
    rng = np.random.default_rng(2)
    n, frames = 40, []
    for series in range(n):
        names = [f"p{k}" for k in rng.choice(9, 3 + series % 2, replace=False)]
        points = rng.choice([18, 24, 48, -36, -96], 36)
        who = [[*names, None][k] for k in rng.integers(0, len(names) + 1, 36)]
        people = {f"player_{k + 1}": names[k] if k < len(names) else None for k in range(4)}
        frames.append(
            pl.DataFrame({"series": [str(series)] * 36, "declarer": who, "points": points})
            .with_columns(**{key: pl.lit(name, pl.String) for key, name in people.items()})
            .with_columns(points=pl.when(pl.col("declarer").is_not_null()).then("points"))
        )
    games = pl.concat(frames)
    results = score_series(games).to_frame()
    assert results.height == 20 * 3 + 20 * 4
    for row in results.iter_rows(named=True):
        rows = games.filter(series=row["series"])
        own, other = (
            rows.filter(declarer=row["player"])["points"],
            rows.filter(pl.col("declarer") != row["player"])["points"],
        )
        won, lost = int((own > 0).sum()), int((own < 0).sum())
        expected = seeger_score(int(own.sum()), won, lost, others_lost=int((other < 0).sum()), n_seats=row["n_seats"])
        assert (row["won"], row["lost"], row["score"]) == (won, lost, expected)


def test_results_have_a_frame_a_sheet_and_a_picture() -> None:
    results = score_series(table_of(FOUR))
    assert results.to_frame()["score"].to_list() == [1332, 1320, 1308, 108]
    assert "Leistung" in results.summary("de")
    assert "1332" in results.summary()
    assert results.plot().to_dict()
    assert results.provenance.parameters["system"] == "extended"


def test_games_that_cannot_be_scored_are_refused() -> None:
    games = table_of(PAPER)
    with pytest.raises(MatchDataError, match="not at the table"):
        score_series(games.with_columns(declarer=pl.lit("Z")))
    with pytest.raises(MatchDataError, match="two seats"):
        score_series(games.with_columns(player_2=pl.lit("A")))
    with pytest.raises(MatchDataError, match="fewer than three"):
        score_series(games.with_columns(player_3=pl.lit(None, pl.String), declarer=pl.lit("A")))
    with pytest.raises(LudometerError, match="need the columns points"):
        score_series(games.drop("points"))
    with pytest.raises(LudometerError, match="three or four"):
        score_table([1, 2], [1, 1], [0, 0])


def records(n: int, tables: list[list[str]], *, series: str = "7") -> pl.DataFrame:
    rows = []
    for k in range(n):
        trio = tables[k % len(tables)]
        rows.append(
            {"series": series, "time": None, "kind": "won" if k % 5 else "lost", "declarer": k % 3}
            | {f"player_{seat}": trio[seat] for seat in range(3)}
            | {"points_recorded": 20 if k % 5 else -40, "points": 20 if k % 5 else -40}
            | {"won_recorded": bool(k % 5), "won": bool(k % 5)}
        )
    return pl.DataFrame(rows, schema_overrides={"time": pl.Datetime})


def test_records_are_cut_into_full_lists() -> None:
    turns = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
    lists = gather_lists(records(80, turns))
    assert lists["series"].unique(maintain_order=True).to_list() == ["7/1/1", "7/1/2"]
    assert lists.group_by("series").len()["len"].to_list() == [36, 36]
    kept = gather_lists(records(80, turns), rest="keep")
    assert kept.height == 80
    results = score_series(kept, rescale=True).to_frame()
    assert results.filter(series="7/1/3")["games"].to_list() == [8, 8, 8]
    # each declares a third of the games and loses a fifth of them
    whole = score_series(lists).to_frame()
    assert whole["points"].sum() == lists["points"].sum()


def test_a_session_of_four_names_that_rotate_is_a_table_of_four() -> None:
    turns = [["b", "c", "d"], ["c", "d", "a"], ["d", "a", "b"], ["a", "b", "c"]]
    lists = gather_lists(records(100, turns))
    assert lists.group_by("series", maintain_order=True).len().rows() == [("7/1/1", 48), ("7/1/2", 48)]
    assert set(score_series(lists).sheets["n_seats"].to_list()) == {4}


def test_a_player_who_is_replaced_for_good_starts_another_table() -> None:
    first, then = records(40, [["a", "b", "c"]]), records(36, [["b", "a", "x"]])
    lists = gather_lists(pl.concat([first, then]))
    assert lists["series"].unique(maintain_order=True).to_list() == ["7/1/1", "7/2/1"]
    assert lists["record"].to_list() == [*range(36), *range(40, 76)]


def test_copies_of_a_program_are_one_player_unless_they_meet() -> None:
    frame = pl.DataFrame(
        {
            "series": ["1", "1", "2", "2", None, None],
            "player_0": ["xskat:2", "Ann", "xskat", "Ann", "xskat:3", "xskat"],
            "player_1": ["Ann", "Ben", "xskat:2", "xskat", "Ben", "Ben"],
            "player_2": ["Ben", "xskat:2", "Ann", "xskat:2", "a:b", "Ann:2"],
        }
    )
    merged = merge_copies(frame)
    assert merged["player_0"].to_list() == ["xskat", "Ann", "xskat", "Ann", "xskat", "xskat"]
    assert merged["player_1"].to_list() == ["Ann", "Ben", "xskat:2", "xskat", "Ben", "Ben"]
    assert merged["player_2"].to_list() == ["Ben", "xskat", "Ann", "xskat:2", "a:b", "Ann"]
    assert merged.columns == frame.columns
    assert merge_copies(merged).equals(merged)
