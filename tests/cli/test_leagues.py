"""ludometer noise, learn, simulate wm and league: printed numbers, known truth, and mistakes told in one message."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest

from ludometer.read import read_matches
from ludometer.read.rating_list import read_ratings
from ludometer.report.schema import load_schema
from tests.cli.conftest import Run


def test_the_calculator_has_the_corrected_numbers(run: Run) -> None:
    done = run("noise", "--sigma", 324, "--games", 35, "--h", 64, "--json", "-")
    found = json.loads(done.out)
    jsonschema.validate(found, load_schema("noise"))
    assert round(found["fluctuation"], 1) == 52.7
    assert [round(found[name]) for name in ("h_opt", "h_bound")] == [308, 1390]
    entry = json.loads(run("noise", "--sigma", 324, "--games", 35, "--entry-error", 100, "--json", "-").out)
    assert round(entry["h_opt"]) == 79


def test_the_calculator_has_the_printed_numbers(run: Run) -> None:
    done = run("noise", "--sigma", 324, "--games", 35, "--h", 64, "--printed", "--json", "-")
    found = json.loads(done.out)
    jsonschema.validate(found, load_schema("noise"))
    names = ("converging", "fluctuation", "total", "h_opt")
    assert [round(found[name], 1) for name in names] == [13.5, 25.4, 28.8, 53.0]
    assert [round(found["equal"][name], 1) for name in names[1:]] == [37.3, 39.7, 41.0]
    assert round(found["h_bound"]) == 1390


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--games", 35], "--sigma is needed"),
        (["--sigma", -1, "--games", 35], "must be a number above 0"),
        (["--sigma", 324, "--games", 35, "--h", 2000], "errors need not shrink"),
        (
            ["--sigma", 324, "--games", 35, "--printed", "--entry-error", 9],
            "the printed formulas do not have this option: leave out --entry-error",
        ),
    ],
)
def test_the_calculator_refuses_what_makes_no_sense(run: Run, words: list[object], said: str) -> None:
    done = run("noise", *words)
    assert done.status == 2
    assert said in done.err


def test_a_league_is_simulated_and_studied(run: Run, tmp_path: Path) -> None:
    out, truth = tmp_path / "league.parquet", tmp_path / "players.csv"
    words = ("--players", 200, "--matches", 15_000, "--games", 150, "--sd", 150, "--learning", "unbounded", "--seed", 3)
    done = run("simulate", "league", *words, "--out", out, "--truth", truth)
    assert done.status == 0, done.err
    matches, players = read_matches(out), pl.read_csv(truth)
    assert len(matches) == 15_000
    assert players["matches"].sum() == 30_000
    learned = players.filter(pl.col("matches") > 50)
    assert (learned["skill"] > learned["skill_at_entry"]).all()
    noise = run("noise", out, "--h", 32, "--json", tmp_path / "noise.json")
    assert noise.status == 0, noise.err
    found = json.loads((tmp_path / "noise.json").read_text())
    jsonschema.validate(found, load_schema("noise"))
    assert 120 < found["sigma"] < 330
    assert len(found["drift"]["periods"]) == 10
    study = run("learn", out, "--json", tmp_path / "learn.json", "--plot", tmp_path / "learn.svg")
    assert study.status == 0, study.err
    found = json.loads((tmp_path / "learn.json").read_text())
    jsonschema.validate(found, load_schema("learn"))
    assert found["tracked"]["overall"]["per_game"] > 3 * found["tracked"]["overall"]["per_game_error"]
    assert (tmp_path / "learn.svg").read_text().startswith("<svg")


def test_a_rating_list_is_enough_to_study_learning(run: Run, tmp_path: Path) -> None:
    rating = 1500 + 200 * np.random.default_rng(1).standard_normal(500)
    path = tmp_path / "ratings.csv"
    pl.DataFrame({"player": np.arange(500), "rating": rating}).write_csv(path)
    done = run("learn", path, "--json", tmp_path / "out.json")
    assert done.status == 0, done.err
    found = json.loads((tmp_path / "out.json").read_text())
    jsonschema.validate(found, load_schema("learn"))
    assert found["ratings"] == 500
    assert found["shapes"][0]["shape"] == "normal"
    assert found["absent"]["tracked"] == "a list of ratings: players cannot be tracked"


def test_faults_of_a_rating_list_are_told_at_once(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("player,rating\nAnn,1500\nBen,none\nCem,\nDan,1600\n")
    done = run("learn", path)
    assert done.status == 2
    assert "2 bad rows of 4" in done.err
    assert "'none'" in done.err
    assert read_ratings(path, drop_bad_rows=True).rating.tolist() == [1500, 1600]
    missing = run("learn", path, "--rating", "elo")
    assert missing.status == 2
    assert "--rating" in missing.err


def test_games_of_right_and_wrong_moves_have_their_truth(run: Run, tmp_path: Path) -> None:
    out, truth = tmp_path / "wm.csv", tmp_path / "ratings.csv"
    words = ("--players", 40, "--matches", 4_000, "--ahead", 3, "--sd", 300)
    done = run("simulate", "wm", *words, "--out", out, "--truth", truth)
    assert done.status == 0, done.err
    pairs, skill = read_matches(out).pairs, pl.read_csv(truth)["skill"].to_numpy()
    names = np.array(read_matches(out).players.names.cast(pl.Int64))
    ahead = skill[names[pairs.first]] > skill[names[pairs.second]]
    assert 0.7 < float((pairs.score == ahead).mean()) < 0.9


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--k", "-5"], "--k -5: write a number above 0"),
        (["--k", "inf"], "--k inf: write a number above 0"),
        (["--width", "0"], "--width 0: write a number above 0, such as 100"),
        (["--width", "nan"], "--width nan: write a number above 0, such as 100"),
        (["--start", "nan"], "--start nan: write a number, such as 1500"),
        (["--origin", "inf"], "--origin inf: write a number, such as 1500"),
        (["--plot", "learning.png"], "learning.png: write to a file that ends in .svg"),
    ],
)
def test_learn_checks_its_options_before_it_reads(run: Run, words: list[str], said: str) -> None:
    done = run("learn", "there-is-no-such-file.csv", *words)
    assert done.status == 2
    assert done.err.startswith(f"Error: {said}")
    assert len(done.err.splitlines()) == 1


def test_learn_names_the_option_for_shorter_windows(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "short.csv"
    path.write_text("player_1,player_2,score_1\n" + "Ann,Ben,1\nBen,Ann,1\n" * 30)
    done = run("learn", path)
    assert done.status == 2
    assert "take shorter windows (--window N)" in done.err
