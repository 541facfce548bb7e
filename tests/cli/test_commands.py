"""Every command: what it prints, what it writes, how it fails."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest

from ludometer.demo import CLUB
from ludometer.report.schema import load_schema, schema_names
from tests.cli.conftest import Run


def checked(command: str, text: str) -> dict[str, Any]:
    """The JSON that a command wrote, held against its schema."""
    document: dict[str, Any] = json.loads(text)
    jsonschema.validate(document, load_schema(command))
    return document


def test_rate_prints_a_list_and_what_it_understood(run: Run) -> None:
    done = run("rate", CLUB, "--top", 3)
    assert done.status == 0
    assert [line.split()[1] for line in done.out.splitlines()[1:4]] == ["Dina", "Bela", "Rosa"]
    assert "club.csv: 1,500 matches of 24 players · player_1, player_2, score_1 · in order of date" in done.err


def test_rate_writes_json_as_the_schema_says(run: Run, tmp_path: Path) -> None:
    done = run("rate", CLUB, "--json", tmp_path / "r.json")
    document = checked("rate", (tmp_path / "r.json").read_text())
    assert done.out
    assert len(document["players"]) == 24
    added = {"change", "provisional", "rank_interval"}
    assert document["players"][0].keys() == {"player", "rating", "matches", "last", "sd"} | added
    assert document["provenance"]["command"].startswith("ludometer rate ")
    again = run("rate", CLUB, "--json", "-")
    assert checked("rate", again.out)["players"] == document["players"]


def test_the_same_command_gives_the_same_bytes(run: Run) -> None:
    assert run("rate", CLUB, "--json", "-").out == run("rate", CLUB, "--json", "-").out
    assert run("evaluate", CLUB, "--json", "-").out == run("evaluate", CLUB, "--json", "-").out


def test_rate_sorts_searches_and_cuts(run: Run) -> None:
    players = checked("rate", run("rate", CLUB, "--json", "-", "--sort", "matches", "--top", 5).out)["players"]
    assert [p["matches"] for p in players] == sorted((p["matches"] for p in players), reverse=True)
    assert len(players) == 5
    found = checked("rate", run("rate", CLUB, "--json", "-", "--search", "DI").out)["players"]
    assert {p["player"] for p in found} == {"Dina"}
    assert run("rate", CLUB, "--search", "zzz").out.strip() == "no player fits"
    busy = checked("rate", run("rate", CLUB, "--json", "-", "--min-matches", 150).out)["players"]
    assert all(p["matches"] >= 150 for p in busy)
    assert 0 < len(busy) < 24
    by_name = checked("rate", run("rate", CLUB, "--json", "-", "--sort", "player").out)["players"]
    assert [p["player"] for p in by_name] == sorted(p["player"] for p in by_name)


def test_rate_takes_k_and_start(run: Run) -> None:
    still = checked("rate", run("rate", CLUB, "--json", "-", "--k", 0, "--start", 100).out)
    assert {p["rating"] for p in still["players"]} == {100.0}
    assert still["parameters"] == {"k": 0.0, "start_rating": 100.0}


def test_a_stream_gives_the_same_list(run: Run) -> None:
    whole = checked("rate", run("rate", CLUB, "--json", "-", "--system", "elo").out)
    stream = checked("rate", run("rate", CLUB, "--json", "-", "--stream").out)
    assert stream["players"] == whole["players"]
    assert stream["provenance"]["data"] == whole["provenance"]["data"]
    assert run("rate", CLUB, "--stream", "--by", "player_1").status == 2
    assert run("rate", CLUB, "--stream", "--min-component", 3).status == 2


def test_a_stream_tells_what_it_left_out(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text("white,black,result\nAnn,Ben,1\nZed,Zed,1\nBen,Ann,x\nBen,Cem,1/2\n")
    whole, stream = (run("rate", path, "--drop-bad-rows", "--json", "-", *words) for words in ([], ["--stream"]))
    assert "2 of 4 rows dropped because of faults" in stream.err
    assert checked("rate", stream.out)["data"] == checked("rate", whole.out)["data"]
    assert checked("rate", stream.out)["provenance"]["data"] == checked("rate", whole.out)["provenance"]["data"]
    gone = run("predict", path, "Ann", "Zed", "--drop-bad-rows", "--stream")
    assert gone.status == 2
    assert "has no match in the record" in gone.err


def test_what_is_null_has_a_reason(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("winner,loser\nAnn,Ben\n")
    absent = checked("rate", run("rate", path, "--json", "-", "--system", "elo").out)["absent"]
    assert absent == {
        "players.sd": "elo gives no uncertainty",
        "players.last": "the file has no times",
        "players.rank_interval": "--ranks gives it",
        "since": "the file has no times",
        "players.change": "the file has no times",
    }


def test_groups_without_the_players_are_left_out_of_a_prediction(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("site,winner,loser\nA,Cem,Dan\nB,Ann,Ben\nC,Ann,Cem\nD,Ben,Ann\n")
    done = run("predict", path, "Ann", "Ben", "--by", "site")
    assert done.status == 0
    assert "A: no player is called 'Ann' or 'Ben'; left out\n" in done.err
    assert "C: no player is called 'Ben'; left out\n" in done.err
    assert [line for line in done.out.splitlines() if line.startswith("site")] == ["site: B", "site: D"]
    found = json.loads(run("predict", path, "Ann", "Ben", "--by", "site", "--json", "-").out)
    jsonschema.validate(found, load_schema("predict"))
    assert [group["value"] for group in found["groups"]] == ["B", "D"]
    assert found["absent"]["groups.C"] == "no player is called 'Ben'"


def test_an_error_in_all_groups_names_the_first(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("site,winner,loser\nA,Ann,Ben\nB,Cem,Dan\n")
    done = run("predict", path, "Ann", "Zed", "--by", "site")
    assert (done.status, done.out) == (2, "")
    assert "Error: A: no player is called 'Zed'" in done.err


def test_devices_and_links_are_written_to_not_replaced(run: Run, tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    assert run("rate", CLUB, "--json", link).status == 0
    assert link.is_symlink()
    assert json.loads(target.read_text())["players"]
    assert run("rate", CLUB, "--json", "/dev/null").status == 0
    assert not Path("/dev/null").is_file()


def test_a_pipe_can_be_read_like_a_file(tmp_path: Path) -> None:
    pgn = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n\n' * 5
    (tmp_path / "g.pgn").write_text(pgn)
    for file in (CLUB, tmp_path / "g.pgn"):
        command = f"{sys.executable} -m ludometer rate <(cat {file}) --json -"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert checked("rate", done.stdout)["players"]


def test_searching_minds_no_case_and_odd_bytes_are_no_player(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("winner,loser\nWeiß,Ben\n")
    assert "Weiß" in run("rate", path, "--search", "WEI").out
    assert "Weiß" in run("rate", path, "--search", "Weiß").out
    assert run("predict", path, "\udcff", "Ben").status == 2


def test_by_gives_one_result_a_value(run: Run, tmp_path: Path) -> None:
    frame = pl.read_csv(CLUB).with_columns(
        league=pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.lit("B")).otherwise(pl.lit("A"))
    )
    frame.write_parquet(tmp_path / "two.parquet")
    for command in (["rate"], ["evaluate"], ["predict"]):
        words = [tmp_path / "two.parquet", *(["Dina", "Wim"] if command == ["predict"] else [])]
        done = run(*command, *words, "--by", "league", "--json", "-")
        document = checked(command[0], done.out)
        assert [group["value"] for group in document["groups"]] == ["A", "B"]
        assert [group["data"]["matches"] for group in document["groups"]] == [1000, 500]
    shown = run("rate", tmp_path / "two.parquet", "--by", "league").out
    assert "league: A" in shown
    assert "league: B" in shown


def test_evaluate_compares_systems(run: Run) -> None:
    done = run("evaluate", CLUB, "--system", "elo:k=10", "--system", "elo:k=60", "--json", "-")
    document = checked("evaluate", done.out)
    losses = [system["log_loss"] for system in document["systems"]]
    assert losses == sorted(losses)
    assert document["coin"]["log_loss"] == pytest.approx(0.6931, abs=1e-4)
    assert "seconds" not in document["systems"][0]
    timed = run("evaluate", CLUB, "--system", "elo", "--timing", "--json", "-")
    assert "seconds" in checked("evaluate", timed.out)["systems"][0]
    text = run("evaluate", CLUB, "--system", "elo").out
    assert "Do the forecasts of elo come true?" in text


def test_evaluate_compares_all_systems_best_first(run: Run) -> None:
    found = checked("evaluate", run("evaluate", CLUB, "--json", "-").out)["systems"]
    named = {"state-space", "elo", "best-fit", "dynamic", "dynamic-shrinking", "ics", "smith", "glicko2", "static"}
    assert {system["system"] for system in found} == named
    assert all(system["tuned"] and system["untuned"]["log_loss"] > 0 for system in found)
    assert [system["difference"] for system in found] == sorted(system["difference"] for system in found)
    assert found[0]["difference"] == 0
    assert all(system["difference_se"] > 0 for system in found[1:])


def test_evaluate_tunes_unless_told_not_to(run: Run) -> None:
    tuned = run("evaluate", CLUB, "--system", "elo", "--system", "elo:k=24")
    assert "untuned" in tuned.out
    assert "Tuned on the first " in tuned.out
    plain = checked("evaluate", run("evaluate", CLUB, "--system", "elo", "--no-tune", "--json", "-").out)
    (elo,) = plain["systems"]
    assert (elo["tuned"], elo["n"], elo["parameters"]["k"]) == (False, 1500, 24)
    assert elo["untuned"]["log_loss"] == elo["log_loss"]
    assert plain["tuning"] is None
    assert "tuning" in plain["absent"]
    each = checked("evaluate", run("evaluate", CLUB, "--system", "glicko2:period=match,tau=0.5", "--json", "-").out)
    assert each["systems"][0]["parameters"]["period"] == "match"


def test_evaluate_scores_from_a_date_on(run: Run) -> None:
    late = checked("evaluate", run("evaluate", CLUB, "--from", "2025-01-01", "--json", "-").out)
    assert 0 < late["systems"][0]["n"] < 1500
    assert late["data"]["matches"] == 1500
    assert run("evaluate", CLUB, "--from", "soon").status == 2


def test_predict_gives_three_probabilities(run: Run) -> None:
    outcomes = checked("predict", run("predict", CLUB, "Dina", "Wim", "--json", "-").out)["outcomes"]
    assert sum(outcomes[name] for name in ("win", "draw", "loss")) == pytest.approx(1)
    assert outcomes["win"] > outcomes["loss"]
    assert "Dina wins" in run("predict", CLUB, "Dina", "Wim").out
    unknown = run("predict", CLUB, "Dina", "Wimm")
    assert unknown.status == 2
    assert "did you mean 'Wim'" in unknown.err


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_simulate_writes_what_rate_reads(run: Run, tmp_path: Path, suffix: str) -> None:
    out, truth = tmp_path / f"games{suffix}", tmp_path / "truth.csv"
    words = ("simulate", "strengths", "--players", 40, "--matches", 20_000, "--draws", 0.1, "--seed", 3)
    assert run(*words, "--out", out, "--truth", truth).status == 0
    rated = checked("rate", run("rate", out, "--json", "-", "--k", 8).out)
    assert rated["data"]["matches"] == 20_000
    assert rated["data"]["draw_rate"] == pytest.approx(0.1, abs=0.01)
    skill = dict(pl.read_csv(truth).iter_rows())
    ratings = {int(p["player"]): p["rating"] for p in rated["players"]}
    frame = pl.DataFrame({"skill": [skill[p] for p in ratings], "rating": list(ratings.values())})
    assert frame.select(pl.corr("skill", "rating")).item() > 0.95


def test_simulate_coin_has_no_skill(run: Run, tmp_path: Path) -> None:
    assert (
        run("simulate", "coin", "--out", tmp_path / "c.csv", "--matches", 1000, "--truth", tmp_path / "t.csv").status
        == 0
    )
    assert pl.read_csv(tmp_path / "t.csv")["skill"].abs().max() == 0


def test_simulate_leaves_nothing_behind_when_it_fails(run: Run, tmp_path: Path) -> None:
    for words in (
        ("--out", tmp_path / "x.docx"),
        ("--out", tmp_path / "x.csv", "--truth", tmp_path / "t.docx"),
        ("--out", tmp_path / "none" / "x.csv"),
        ("--draws", 0.99, "--out", tmp_path / "x.csv"),
    ):
        done = run("simulate", "strengths", "--players", 10, "--matches", 100, *words)
        assert done.status == 2
        assert done.err.startswith("Error: ")
    assert list(tmp_path.iterdir()) == []


BAD_FILES = {
    "empty.csv": b"",
    "header.csv": b"white,black,result\n",
    "columns.csv": b"a,b,c\n1,2,3\n",
    "himself.csv": b"white,black,result\nAnn,Ann,1\n",
    "seven.csv": b"white,black,result\nAnn,Ben,7\n",
    "abc.csv": b"white,black,result\nAnn,Ben,abc\n",
    "names.csv": b"white,black,result\n,Ben,1\n",
    "ragged.csv": b"white,black,result\nAnn,Ben\nAnn,Ben,1,2\n",
    "random.csv": bytes(range(255, -1, -1)) * 50,
    "random.parquet": bytes(range(255, -1, -1)) * 50,
    "absent.csv": None,
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("command", ["rate", "evaluate", "predict"])
def test_bad_files_exit_with_2_and_one_clear_message(run: Run, tmp_path: Path, name: str, command: str) -> None:
    content = BAD_FILES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    words = ("Ann", "Ben") if command == "predict" else ()
    done = run(command, tmp_path / name, *words, "--json", tmp_path / "out.json")
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("Error: ")
    assert name in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "out.json").exists()


def test_bad_rows_are_dropped_on_request_and_counted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text("white,black,result\nAnn,Ben,1\nAnn,Ann,1\nBen,Ann,x\n")
    done = run("rate", path, "--drop-bad-rows", "--json", "-")
    assert done.status == 0
    assert checked("rate", done.out)["data"]["bad_rows"] == 2
    assert "2 of 3 rows dropped because of faults" in done.err


def test_islands_are_told_and_small_ones_left_out(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "i.csv"
    path.write_text("white,black,result\na,b,1\nb,c,1\nx,y,0\n")
    assert "2 groups of players never met each other" in run("rate", path).err
    document = checked("rate", run("rate", path, "--min-component", 3, "--json", "-").out)
    assert document["data"]["dropped_matches"] == 1
    assert {p["player"] for p in document["players"]} == {"a", "b", "c"}
    assert run("rate", path, "--min-component", 4).status == 2


def test_one_match_is_enough(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("winner,loser\nAnn,Ben\n")
    plain = checked("rate", run("rate", path, "--json", "-", "--system", "elo").out)
    assert [p["rating"] for p in plain["players"]] == [1512.0, 1488.0]
    assert run("rate", path).status == 0
    assert run("evaluate", path).status == 0
    assert run("predict", path, "Ann", "Ben").status == 0


def test_names_cannot_write_on_the_screen(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "esc.csv"
    path.write_text("winner,loser\nAnn\x1b[2J,Ben\n")
    shown = run("rate", path)
    assert "Ann\ufffd[2J" in shown.out
    assert "\x1b" not in shown.out
    assert "\x1b" not in run("predict", path, "Ann\x1b[2J", "Ben").out


def test_standard_input_is_read(tmp_path: Path) -> None:
    for content in (CLUB.read_bytes(), _as_parquet(), _as_arrow()):
        done = subprocess.run(
            [sys.executable, "-m", "ludometer", "rate", "-", "--json", "-"],
            input=content,
            capture_output=True,
            check=True,
        )
        assert len(checked("rate", done.stdout.decode())["players"]) == 24


def _as_parquet() -> bytes:
    stream = io.BytesIO()
    pl.read_csv(CLUB).write_parquet(stream)
    return stream.getvalue()


def _as_arrow() -> bytes:
    stream = io.BytesIO()
    pl.read_csv(CLUB).write_ipc_stream(stream)
    return stream.getvalue()


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m ludometer rate {CLUB} --top 24 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr


def test_the_first_run_says_that_it_compiles_and_the_next_is_silent(tmp_path: Path) -> None:
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": ""}
    words = [sys.executable, "-m", "ludometer", "rate", str(CLUB)]
    first, second = (
        subprocess.run(words, env=environment, capture_output=True, text=True, check=True) for _ in range(2)
    )
    assert "compiling for this machine" in first.stderr
    assert "compiling" not in second.stderr
    assert first.stdout == second.stdout


def test_the_file_that_is_read_is_not_written_to(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("winner,loser\nAnn,Ben\n")
    done = run("rate", path, "--json", path)
    assert done.status == 2
    assert path.read_text().startswith("winner")
    other = tmp_path / "there.json"
    other.write_text("old")
    assert run("rate", tmp_path / "absent.csv", "--json", other).status == 2
    assert other.read_text() == "old"
    same = run("simulate", "coin", "--out", tmp_path / "s.csv", "--truth", tmp_path / "s.csv")
    assert same.status == 2
    assert not (tmp_path / "s.csv").exists()


@pytest.mark.parametrize(
    "words", [["--json", ""], ["--json", "none/x.json"], ["--where", " "], ["--system", "elo:k=1", "--k", "2"]]
)
def test_options_that_cannot_be_meant_are_refused_before_any_work(run: Run, words: list[str]) -> None:
    done = run("rate", CLUB, *words)
    assert done.status == 2
    assert done.out == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_work_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    words = ["simulate", "strengths", "--matches", "2000000000", "--out", str(tmp_path / "x.parquet")]
    # where a shell put the work into the background, Ctrl-C is ignored, and a kill still has to end it
    shell = f"trap '' INT; exec {sys.executable} -m ludometer {' '.join(words)}"
    command = ["sh", "-c", shell] if number == signal.SIGTERM else [sys.executable, "-m", "ludometer", *words]
    work = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.iterdir()):
        time.sleep(0.05)
    time.sleep(0.5)
    work.send_signal(number)
    _, err = work.communicate(timeout=60)
    assert work.returncode == 1
    assert "interrupted; nothing was written" in err
    assert "panic" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ludometer", "schema", "rate"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "cannot be written" in done.stderr


def test_doctor_tells_versions(run: Run) -> None:
    told = run("doctor").out
    assert re.search(r"^polars +\d", told, re.M)
    assert re.search(r"^chess +chess +(\d|not found)", told, re.M)
    assert re.search(r"^gnubg +(/|not found)", told, re.M)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_each_shell(run: Run, shell: str) -> None:
    assert "_LUDOMETER_COMPLETE" in run("completion", shell).out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ludometer", "mea"], "measure"),
        (["ludometer", "measure", "--luck-p"], "--luck-prior"),
        (["ludometer", "skat", "ra"], "rate"),
        (["ludometer", "measure", "--search", "l"], "lanes"),
    ],
)
def test_the_shell_is_told_how_words_end(words: list[str], expected: str) -> None:
    place = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1), "_LUDOMETER_COMPLETE": "bash_complete"}
    program = [sys.executable, "-c", "from ludometer.cli import main; main()"]
    done = subprocess.run(program, env=os.environ | place, capture_output=True, text=True, check=False)
    assert f"plain,{expected}" in done.stdout.splitlines()


@pytest.mark.parametrize("name", schema_names())
def test_schemas_are_printed_and_valid(run: Run, name: str) -> None:
    schema = json.loads(run("schema", name).out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(run("schema", *name.split("-")).out) == schema


def test_an_unknown_schema_lists_the_known(run: Run) -> None:
    done = run("schema", "nothing")
    assert done.status == 2
    assert "rate" in done.err


@pytest.mark.parametrize("words", [[], ["nonsense"], ["rate"], ["rate", "x.csv", "--top", "0"], ["simulate", "coin"]])
def test_bad_usage_exits_with_2(run: Run, words: list[str]) -> None:
    assert run(*words).status == 2


def test_help_loads_no_library() -> None:
    heavy = ("numpy", "polars", "numba", "altair", "rich", "scipy")
    program = (
        "import sys, ludometer.cli as c\n"
        "try: c.cli.main(['--help'], standalone_mode=False)\nexcept SystemExit: pass\n"
        f"sys.exit(', '.join(m for m in {heavy} if m in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_command_has_help_with_an_example(run: Run) -> None:
    commands = re.findall(r"^  (\w+) ", run("--help").out.split("Commands:")[1], re.M)
    known = (
        "demo measure rate evaluate predict advise arena engines noise learn simulate skat chess backgammon schema "
        "doctor completion compile"
    )
    assert set(known.split()) == set(commands)
    for name in commands:
        done = run(name, "--help")
        assert done.status == 0
        assert name in {"demo", "doctor", "compile"} or re.search(rf"^  ludometer {name} \w", done.out, re.M)


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("chess", "analyse strength calibrate follow play"),
        ("backgammon", "analyse play"),
        ("simulate", "strengths coin deterministic mix wm league"),
        ("skat", "score rate sensitivity fit"),
    ],
)
def test_groups_list_their_commands_in_order_of_use_and_whole(run: Run, group: str, names: str) -> None:
    lines = run(group, "--help").out.split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in lines] == names.split()
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)


def test_help_names_what_an_option_takes_and_its_default_in_plain_words(run: Run) -> None:
    commands = ["measure", "rate", "evaluate", "predict", "noise", "learn"]
    groups = {"chess": "analyse strength calibrate follow play", "backgammon": "analyse play"}
    groups |= {"simulate": "strengths coin deterministic mix wm league", "skat": "score rate sensitivity fit"}
    commands += [f"{group} {name}" for group, names in groups.items() for name in names.split()]
    for words in commands:
        told = " ".join(run(*words.split(), "--help").out.split())
        assert not re.search(r"INTEGER|FLOAT|--system TEXT", told), words
        assert not re.search(r"\[default: [^]]*\] \[|default: [\d]+\.0[];]|default: \(", told), words


def test_rate_and_predict_say_by_which_system(run: Run) -> None:
    assert "by state-space: newcomers differ from the level" in run("rate", CLUB, "--top", 1).err
    plain = run("rate", CLUB, "--top", 1, "--system", "elo").err
    assert "by elo: k 24, start rating 1500; ludometer evaluate shows" in plain
    assert "by elo: k 40" in run("predict", CLUB, "Dina", "Wim", "--system", "elo:k=40").err
    assert "by glicko2: tau 0.5" in run("rate", CLUB, "--top", 1, "--system", "glicko2").err


def test_fitted_parameters_are_kept_in_a_file_and_used_again(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "fit.json"
    first = run("rate", CLUB, "--parameters", path, "--json", "-")
    assert "the fitted parameters" in first.err
    again = run("rate", CLUB, "--parameters", path, "--json", "-")
    assert checked("rate", again.out)["players"] == checked("rate", first.out)["players"]
    assert "errors" not in checked("rate", again.out)["parameters"]
    assert "leave out others" in run("rate", CLUB, "--parameters", path, "--system", "elo").err
    path.write_text("{")
    assert "it is not JSON" in run("rate", CLUB, "--parameters", path).err
    assert "is not fitted" in run("rate", CLUB, "--parameters", tmp_path / "no.json", "--system", "elo").err


def test_teams_are_read_and_refused_by_systems_that_cannot_use_them(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "teams.csv"
    path.write_text("match,player,place,team\n1,Ann,1,x\n1,Ben,1,x\n1,Cem,2,y\n1,Dan,2,y\n")
    assert run("rate", path, "--system", "elo").status == 0
    done = run("rate", path, "--system", "elo", "--side", "team")
    assert done.status == 2
    assert "elo cannot use teams" in done.err
    # the default can: mates win together
    done = run("rate", path, "--side", "team")
    assert done.status == 0
    ann, ben, cem, dan = (float(line.split()[2].rstrip("?")) for line in done.out.splitlines()[1:5])
    assert ann == ben > 1500 > cem == dan


@pytest.mark.parametrize("column", ["session", "weight", "advantage", "covariates"])
def test_columns_that_a_system_ignores_are_named(run: Run, tmp_path: Path, column: str) -> None:
    path = tmp_path / "games.csv"
    path.write_text("white,black,result,extra\nAnn,Ben,1,1\nBen,Cem,0,2\n")
    word = "order" if column == "advantage" else "extra"
    done = run("rate", path, "--system", "elo", f"--{column}", word)
    assert done.status == 0
    assert f"elo ignores the {column}" in done.err
    missing = run("rate", path, f"--{column}", "none-such")
    assert missing.status == 2
    assert f"--{column} none-such" in missing.err


@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("3", "3")])
def test_matrix_libraries_have_one_thread_unless_somebody_says_otherwise(before: str | None, after: str) -> None:
    """Their sums depend on the number of threads, and so would the bytes of an answer."""
    name = "OPENBLAS_NUM_THREADS"
    environment = {key: value for key, value in os.environ.items() if key != name} | ({name: before} if before else {})
    program = f"import os, sys, ludometer.cli; sys.exit('numpy' in sys.modules or os.environ['{name}'] != '{after}')"
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 0
