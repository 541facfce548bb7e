"""Commands read what their system uses, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ludometer.cli.loading import columns_used, load
from ludometer.cli.shared import FileOptions
from ludometer.ratings import Elo
from ludometer.ratings.scores import SeriesElo
from tests.cli.conftest import Run

CUP = """date,home,away,home_score,away_score,neutral
1950-06-24,Brazil,Mexico,4,0,no
1950-06-25,Spain,USA,3,1,yes
1950-06-29,USA,England,1,0,yes
"""


def test_what_is_read_is_what_the_system_uses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cup.csv").write_text(CUP)
    (group,) = load(str(tmp_path / "cup.csv"), FileOptions())
    assert group.record.columns == ()
    assert "better off" not in capsys.readouterr().err
    (group,) = load(str(tmp_path / "cup.csv"), FileOptions(), uses=("score", "advantage"))
    assert group.record.columns == ("advantage", "score")
    assert "home is better off, except in 2 matches on neutral ground" in capsys.readouterr().err
    assert columns_used(Elo()) == ()
    assert columns_used(Elo(), SeriesElo()) == ("score", "covariates", "seat_covariates")


def test_scores_need_not_be_asked_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cup.csv").write_text(CUP)
    asked = run("rate", tmp_path / "cup.csv", "--system", "series-elo", "--keep", "score")
    found = run("rate", tmp_path / "cup.csv", "--system", "series-elo")
    assert asked.status == 0
    assert found.out == asked.out
    assert re.search("score home_score : away_score", found.err)


def test_others_do_not_speak_of_an_advantage(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cup.csv").write_text(CUP)
    assert "advantage" not in run("rate", tmp_path / "cup.csv", "--system", "elo").err


def test_measure_allows_for_a_home_advantage_unless_told_otherwise(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cup.csv").write_text(CUP)
    assert "home is better off, except in 2 matches" in run("measure", tmp_path / "cup.csv").err
    assert "better off" not in run("measure", tmp_path / "cup.csv", "--advantage", "none").err
