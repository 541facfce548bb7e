"""Simulated archives at tables of three and four: chance factors, and how much of Skat is luck, end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr

from ludometer.skat.luck.factors import correct_lists, parse_factors
from ludometer.skat.reading.any_file import read_skat_games
from ludometer.skat.sheets import ListRules, SkatGames
from tests.cli.conftest import Run, run
from tests.skat.archives import play_archive

__all__ = ["run"]

RATES = {f"Player {number}": 0.08 * number for number in range(8)}


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SkatGames, Any]:
    """Fifty lists of 48 games at tables of four."""
    lines, played, seats = play_archive(RATES, size=4, n_lists=50, seed=11)
    path = tmp_path_factory.mktemp("four") / "four.sgf"
    path.write_text("\n".join(lines) + "\n")
    return path, read_skat_games(str(path), rules=ListRules(folded=True)), (played, seats)


def test_records_of_simulated_games_are_as_the_rules_say(four: tuple[Path, SkatGames, Any]) -> None:
    _, found, (played, _) = four
    assert found.counts.games == found.counts.as_recorded == 50 * 48
    assert len(found.differences) == 0
    assert found.records is not None
    assert found.records["points"].to_list() == played.points.tolist()


def test_at_tables_of_four_all_four_score_and_lost_games_give_30(four: tuple[Path, SkatGames, Any]) -> None:
    _, found, (played, seats) = four
    frame = found.to_frame()
    assert set(frame["n_seats"]) == {4}
    assert set(frame["games"]) == {48}
    first = frame.filter(series="0/1/1")
    for row in first.iter_rows(named=True):
        own = np.array([seats[g, played.declarer[g]] == row["player"] for g in range(48)]) & (played.declarer[:48] >= 0)
        lost = ~played.won[:48] & (played.declarer[:48] >= 0)
        points = played.points[:48][own].sum() + 50 * (played.won[:48] & own).sum() - 50 * (lost & own).sum()
        assert row["score"] == points + 30 * (lost & ~own).sum()


@pytest.mark.parametrize("factor", ["i1", "i2", "i3", "i3:table"])
def test_chance_factors_at_tables_of_four_change_only_what_they_may(
    four: tuple[Path, SkatGames, Any], factor: str
) -> None:
    _, found, (played, seats) = four
    assert found.lists is not None
    assert found.records is not None
    change = correct_lists(found.lists, found.records, parse_factors(factor))
    scores = found.to_frame().join(change, on=["series", "player"], how="left")
    assert scores["change"].null_count() == 0
    if factor == "i2":
        # by hand: each value becomes 41, for the declarer alone; the bonus of 30 stays
        counts = played.declarer[:48] >= 0
        moved = np.where(played.won[:48], 41 - played.value[:48], -2 * (41 - played.value[:48]))
        for row in scores.filter(series="0/1/1").iter_rows(named=True):
            own = counts & np.array([seats[g, played.declarer[g]] == row["player"] for g in range(48)])
            assert row["change"] == pytest.approx(moved[own].sum())
    if factor.startswith("i3"):
        within = [
            scores.with_columns(s=expression).select(
                (pl.col("s") - pl.col("s").mean().over("player")).std()
            ).item() for expression in (pl.col("score"), pl.col("score") + pl.col("change"))
        ]  # fmt: skip
        assert within[1] < 0.97 * within[0]
        # luck is nobody's: the mean of each player is zero within its error
        for own in scores.partition_by("player"):
            luck = own["change"].to_numpy()
            assert abs(luck.mean()) < 3.5 * luck.std(ddof=1) / np.sqrt(len(luck))
    skill = [-RATES[name] for name in scores["player"]]
    corrected = spearmanr(scores["score"] + scores["change"], skill).statistic
    assert corrected > spearmanr(scores["score"], skill).statistic - 0.05
    assert corrected > 0.4


def test_ratings_of_an_archive_of_four_players_a_table(run: Run, four: tuple[Path, SkatGames, Any]) -> None:
    path, _, _ = four
    done = run("skat", "rate", path, "--chance", "i3", "--start", "mean", "--json", "-")
    assert done.status == 0, done.err
    document = json.loads(done.out)
    assert document["data"]["series"] == 50
    assert document["chance"]["score_sd_after"] < document["chance"]["score_sd_before"]
    order = [RATES[row["player"]] for row in document["players"]]
    assert spearmanr(order, range(len(order))).statistic > 0.7


def test_how_much_of_skat_is_luck_from_games_to_the_verdict(run: Run, tmp_path: Path) -> None:
    lines, _, _ = play_archive({f"P{k}": 0.18 * k for k in range(6)}, n_lists=80, length=12, seed=5)
    games, matches = tmp_path / "games.sgf", tmp_path / "series.csv"
    games.write_text("\n".join(lines) + "\n")
    done = run("skat", "score", games, "--folded", "--length", 12, "--matches", matches)
    assert done.status == 0, done.err
    words = ("--cutoffs", "10", "--replicates", 19, "--luck-draws", 50, "--json", "-")
    done = run("measure", matches, *words)
    assert done.status == 0, done.err
    document = json.loads(done.out)
    assert document["data"]["matches"] == 80
    assert document["data"]["players_per_match"] == {"min": 3, "mean": 3, "max": 3}
    assert document["spread"][0]["sd"] > 20
    assert 0 < document["luck"]["ridge"]["l2"] <= 1
    assert document["verdict"]["answer"] in ("skill", "chance", "depends", "cannot tell")
