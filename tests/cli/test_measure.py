"""ludometer measure: JSON with a reason for all that is missing, a page, one screen, and clear refusals."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest

from ludometer.demo import CLUB
from ludometer.matches import Matches
from ludometer.measurement import measure
from ludometer.read import read_matches
from ludometer.report.schema import load_schema
from ludometer.selection import with_experience
from ludometer.simulate import simulate_coin, simulate_deterministic, simulate_strengths
from tests.cli.conftest import Run


def checked(text: str) -> dict[str, Any]:
    """The JSON that was written, held against its schema, with a reason for every null."""
    document: dict[str, Any] = json.loads(text, parse_constant=pytest.fail)
    jsonschema.validate(document, load_schema("measure"))
    for path, reasons in nulls(document):
        assert all(explains(each, path) for each in reasons), path
    for each in document.get("games", [document]):
        holder = each if "provenance" in each else each | {"provenance": document["provenance"]}
        for path in each["absent"]:
            assert look_up(holder, path) is None, f"{path} is there"
    return document


def nulls(document: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Every null of a document and the `absent` that has to explain it: its own game's, or all of them."""
    for place, game in enumerate(document.get("games", [])):
        for path in null_leaves(game):
            yield path, [document["games"][place]["absent"]]
    above = {name: value for name, value in document.items() if name != "games"}
    everybody = [each["absent"] for each in document.get("games", [document])]
    for path in null_leaves(above):
        yield path, everybody


def null_leaves(value: Any, path: str = "") -> Iterator[str]:
    entries: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if value is None:
        yield path
    for name, entry in entries:
        yield from null_leaves(entry, f"{path}.{name}".lstrip("."))


def explains(absent: dict[str, str], path: str) -> bool:
    """Whether a reason is given for the leaf or for something that holds it."""
    steps = path.split(".")
    return any(absent.get(".".join(steps[:end])) for end in range(1, len(steps) + 1))


def look_up(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value[int(step) if isinstance(value, list) else step]
    return value


def write(matches: Matches, path: Path, **columns: Any) -> Path:
    pairs = matches.pairs
    frame = pl.DataFrame({"player_1": pairs.first, "player_2": pairs.second, "score_1": pairs.score})
    frame.with_columns(**columns).write_csv(path)
    return path


@pytest.fixture(scope="module")
def skill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(simulate_strengths(60, 3_000, sd=200, seed=1), tmp_path_factory.mktemp("games") / "skill.csv")


@pytest.fixture(scope="module")
def coin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(simulate_coin(60, 3_000, seed=1), tmp_path_factory.mktemp("games") / "coin.csv")


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nobody is a regular."""
    return write(simulate_strengths(100, 400, seed=1), tmp_path_factory.mktemp("games") / "sparse.csv")


def test_the_json_is_that_of_the_library(run: Run) -> None:
    document = checked(run("measure", CLUB, "--replicates", 19, "--json", "-").out)
    game = measure(read_matches(CLUB), replicates=19)
    assert document["data"]["matches"] == game.data.n_matches == 1_500
    assert document["data"]["players_per_match"] == {"min": 2, "mean": 2.0, "max": 2}
    assert document["best_fit"]["k"] == game.best_fit.k
    assert document["best_fit"]["passes"] == 4
    assert [spread["sd"] for spread in document["spread"]] == [spread.sd for spread in game.spread]
    assert [spread["min_matches"] for spread in document["spread"]] == [25, 1, 100]
    assert document["matchmaking"]["ratio_if_random"] == game.matchmaking.ratio_if_random
    assert document["persistence"]["slope"] == game.persistence.slope
    assert document["provenance"]["data"] == game.provenance.data
    assert document["provenance"]["command"].startswith("ludometer measure ")


def test_several_files_are_compared(run: Run, skill: Path, coin: Path, sparse: Path) -> None:
    document = checked(run("measure", coin, sparse, skill, "--quick", "--json", "-").out)
    assert [game["name"] for game in document["games"]] == ["coin", "sparse", "skill"]
    assert document["comparison"]["order"] == ["skill", "coin", "sparse"]
    alone = checked(run("measure", skill, "--quick", "--json", "-").out)
    del alone["provenance"]
    assert document["games"][2] == {"name": "skill"} | alone
    shown = run("measure", coin, skill, "--quick").out
    table = shown[shown.index("game (not ranked)") :].splitlines()
    assert [line.split()[0] for line in table[1:3]] == ["skill", "coin"]
    assert document["comparison"]["measure"] == "none"
    assert "most skill first" not in shown
    assert "No verdict: left out by --quick." in shown


def test_by_measures_each_value(run: Run, tmp_path: Path) -> None:
    matches = simulate_strengths(60, 6_000, sd=200, seed=3)
    path = write(matches, tmp_path / "both.csv", league=pl.Series(["A", "A", "B"] * 2_000))
    document = checked(run("measure", path, "--by", "league", "--quick", "--json", "-").out)
    assert [game["name"] for game in document["games"]] == ["both, league A", "both, league B"]
    assert [game["data"]["matches"] for game in document["games"]] == [4_000, 2_000]
    early = measure(matches.take(np.arange(6_000) % 3 < 2), quick=True)
    assert document["games"][0]["spread"][0]["sd"] == pytest.approx(early.main.sd, rel=1e-12)


@pytest.mark.parametrize("quick", [True, False])
def test_every_null_has_a_reason(run: Run, tmp_path: Path, sparse: Path, quick: bool) -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 8, 400)
    second = (first + rng.integers(1, 8, 400)) % 8
    certain = Matches.of_pairs(first, second, np.where(rng.random(400) < 0.01, first > second, first < second))
    files = [
        sparse,
        write(Matches.of_pairs(first, second, np.full(400, 0.5)), tmp_path / "draws.csv"),
        write(Matches.of_pairs([0] * 90, [1] * 90, [1, 1, 0] * 30), tmp_path / "two.csv"),
        write(certain, tmp_path / "certain.csv"),
        write(simulate_coin(30, 2_000), tmp_path / "coin.csv"),
    ]
    words = ["--quick"] if quick else ["--replicates", 19]
    documents = [checked(run("measure", file, *words, "--json", "-").out) for file in files]
    for document in documents:
        assert (document["verdict"] is None) == quick
        assert (document["luck"] is None) == quick
    assert explains(documents[0]["absent"], "spread.2.sd_interval")
    if not quick:
        answers = [document["verdict"]["answer"] for document in documents]
        assert answers == ["cannot tell", "cannot tell", "cannot tell", "cannot tell", "chance"]
        # two players: nothing to compare; eight: compared, but no verdict
        assert documents[2]["yardstick"]["matched"] is None
        assert documents[3]["yardstick"]["matched"]["x_deterministic_interval"] is not None
    several = checked(run("measure", *files[:3], *words, "--json", "-").out)
    assert len(several["games"]) == 3


def test_quick_leaves_out_what_is_simulated(run: Run, skill: Path) -> None:
    quick = checked(run("measure", skill, "--quick", "--json", "-").out)
    assert quick["matchmaking"]["ratio_if_random"] is None
    assert quick["absent"]["matchmaking.ratio_if_random"] == "left out by --quick"
    assert quick["provenance"]["seed"] is None
    whole = checked(run("measure", skill, "--seed", 5, "--replicates", 19, "--json", "-").out)
    assert whole["matchmaking"]["ratio_if_random"] > 0
    assert whole["provenance"]["seed"] == 5
    simulated = ("sd_interval", "p_sd_interval", "rep_interval")
    for one, other in zip(whole["spread"], quick["spread"], strict=True):
        assert {name: one[name] for name in one if name not in simulated} == {
            name: other[name] for name in other if name not in simulated
        }
        assert all(other[name] is None for name in simulated)
    assert whole["spread"][0]["sd_interval"] is not None
    assert (quick["verdict"], quick["yardstick"]["matched"]) == (None, None)
    assert quick["absent"]["verdict"] == "left out by --quick"


def test_the_same_command_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    skill = write(simulate_strengths(20, 500, seed=1), tmp_path / "skill.csv")
    coin = write(simulate_coin(20, 500, seed=1), tmp_path / "coin.csv")
    outputs = []
    for _ in range(2):
        done = run("measure", skill, coin, "--replicates", 19, "--json", "-", "--html", page)
        outputs.append((done.out, page.read_bytes()))
    assert outputs[0] == outputs[1]


def test_cutoffs_can_be_chosen(run: Run, skill: Path) -> None:
    document = checked(run("measure", skill, "--quick", "--cutoffs", "1,5", "--json", "-").out)
    assert [spread["min_matches"] for spread in document["spread"]] == [1, 5]
    assert document["data"]["regulars"] == 60


@pytest.mark.parametrize("cutoffs", ["", "x", "1,,5", "0", "25,-1", "2.5", "1;5"])
def test_bad_cutoffs_are_bad_usage(run: Run, skill: Path, cutoffs: str) -> None:
    done = run("measure", skill, "--quick", "--cutoffs", cutoffs, "--json", "-")
    assert (done.status, done.out) == (2, "")
    assert len([line for line in done.err.splitlines() if line.startswith("Error: ")]) == 1


def test_the_printed_search_is_there_by_name(run: Run, skill: Path) -> None:
    printed = checked(run("measure", skill, "--quick", "--search", "printed", "--json", "-").out)
    lanes = checked(run("measure", skill, "--quick", "--json", "-").out)
    assert printed["best_fit"]["k"] == pytest.approx(lanes["best_fit"]["k"], rel=2e-3)
    assert printed["best_fit"]["passes"] > lanes["best_fit"]["passes"]
    assert run("measure", skill, "--search", "guess").status == 2


def test_small_components_are_kept_if_asked_for(run: Run, tmp_path: Path) -> None:
    one, other = (simulate_strengths(20, 900, seed=seed).pairs for seed in (1, 2))
    both = Matches.of_pairs(
        np.concatenate((one.first, 20 + other.first[:500])),
        np.concatenate((one.second, 20 + other.second[:500])),
        np.concatenate((one.score, other.score[:500])),
    )
    path = write(both, tmp_path / "islands.csv")
    data = checked(run("measure", path, "--quick", "--json", "-").out)["data"]
    assert (data["matches"], data["dropped_matches"], data["dropped_players"]) == (900, 500, 20)
    assert "500 matches dropped: in smaller groups" in run("measure", path, "--quick").out
    data = checked(run("measure", path, "--quick", "--min-component", 5, "--json", "-").out)["data"]
    assert (data["matches"], data["dropped_matches"]) == (1_400, 0)


def test_html_writes_the_page_and_says_so(run: Run, skill: Path, tmp_path: Path) -> None:
    done = run("measure", skill, "--quick", "--html", tmp_path / "report.html")
    assert done.status == 0
    assert f"wrote {tmp_path / 'report.html'}" in done.err
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h1>skill: how much skill?</h1>" in text
    assert "--quick --html" in text
    assert run("measure", skill, "--html", tmp_path / "nowhere" / "report.html").status == 2


def test_names_of_files_and_players_cannot_become_code(run: Run, tmp_path: Path) -> None:
    names = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "Ann", "Ben"]
    pairs = simulate_strengths(4, 400, seed=2).pairs
    players = pl.Series(names)
    path = tmp_path / "<img src=x onerror=alert(1)>.csv"
    pl.DataFrame(
        {"player_1": players.gather(pairs.first), "player_2": players.gather(pairs.second), "score_1": pairs.score}
    ).write_csv(path)
    assert run("measure", path, "--quick", "--html", tmp_path / "report.html").status == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


BAD = {
    "empty": "",
    "header": "player_1,player_2,score_1\n",
    "no columns": "a,b,c\n1,2,3\n",
    "bad score": "player_1,player_2,score_1\nAnn,Ben,7\n",
    "one match": "player_1,player_2,score_1\nAnn,Ben,1\n",
    "himself": "player_1,player_2,score_1\nAnn,Ann,1\n",
    "only wins": "player_1,player_2,score_1\n" + "Ann,Ben,1\n" * 30,
    "anonymous": "player_1,player_2,score_1\n" + "".join(f"{2 * n},{2 * n + 1},1\n" for n in range(50)),
    "several": "match,player,place\n" + "".join(f"{n},{p},{p}\n" for n in range(30) for p in (1, 2, 3)),
}


READABLE = {"one match", "only wins", "anonymous", "several"}
"""Files that can be read but not measured: beside others they are left out, with the reason."""


@pytest.mark.parametrize("fault", BAD)
def test_bad_files_end_with_one_message_and_nothing_written(run: Run, skill: Path, tmp_path: Path, fault: str) -> None:
    (tmp_path / "bad.csv").write_text(BAD[fault])
    beside = [[skill, tmp_path / "bad.csv"]] if fault not in READABLE else []
    for files in ([tmp_path / "bad.csv"], *beside):
        done = run("measure", *files, "--quick", "--json", tmp_path / "out.json", "--html", tmp_path / "out.html")
        assert done.status == 2
        assert done.err.count("Error: ") == 1
        assert "Traceback" not in done.err
        assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.csv"]


@pytest.mark.parametrize("fault", sorted(READABLE))
def test_what_cannot_be_measured_is_left_out_beside_others(run: Run, skill: Path, tmp_path: Path, fault: str) -> None:
    (tmp_path / "bad.csv").write_text(BAD[fault])
    done = run("measure", skill, tmp_path / "bad.csv", "--quick", "--json", "-")
    assert done.status == 0
    assert list(json.loads(done.out)["absent"]) == ["games.bad"]


def test_a_missing_file_is_bad_usage(run: Run, tmp_path: Path) -> None:
    done = run("measure", tmp_path / "nothing.csv", "--json", "-")
    assert (done.status, done.out) == (2, "")
    assert run("measure").status == 2


def test_one_game_fits_one_screen(run: Run, skill: Path, coin: Path, sparse: Path) -> None:
    for file in (skill, coin, sparse, CLUB):
        shown = run("measure", file, "--replicates", 19).out
        lines = [part for line in shown.splitlines() for part in textwrap.wrap(line, 80) or [""]]
        assert len(lines) <= 24
        assert f"{Path(file).name.split('.')[0]} " in lines[0]
        assert re.search(r"\bSD of (ratings|skills) \d|These data cannot tell", shown)
        assert not re.search(r"\b(?:nan|None|inf)\b", shown)


def test_a_game_that_cannot_be_measured_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("winner,loser\n" + "a,b\nb,a\nb,c\nc,a\n" * 20)
    bad.write_text("winner,loser\na,b\n")
    done = run("measure", good, bad, "--quick", "--json", "-")
    assert done.status == 0
    document = json.loads(done.out)
    jsonschema.validate(document, load_schema("measure"))
    assert [game["name"] for game in document["games"]] == ["good"]
    assert "no player has more than 1 match" in document["absent"]["games.bad"]
    assert "bad cannot be measured" in done.err
    assert run("measure", bad, bad, "--quick").status == 2


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Matches of three, a row a player."""
    seats = simulate_deterministic(20, 400, x=60, per_match=3, seed=2).seats
    path = tmp_path_factory.mktemp("games") / "tables.csv"
    match = np.repeat(np.arange(len(seats)), 3)
    pl.DataFrame({"match": match, "player": seats.player, "place": seats.place}).write_csv(path)
    return path


def test_matches_of_several_are_measured_for_their_prizes(run: Run, tables: Path) -> None:
    winner, linear = (
        checked(run("measure", tables, "--prizes", rule, "--replicates", 19, "--json", "-").out)
        for rule in ("winner", "linear")
    )
    for document in (winner, linear):
        assert document["data"]["players_per_match"] == {"min": 3, "mean": 3.0, "max": 3}
        low, high = document["yardstick"]["matched"]["x_deterministic_interval"]
        assert low < 60 < high
    assert winner["spread"][0]["sd"] != linear["spread"][0]["sd"]
    assert winner["verdict"]["primary"] != linear["verdict"]["primary"]
    assert "3 players per match" in run("measure", tables, "--quick").out


def test_base_e_is_the_printed_wider_scale(run: Run, tables: Path) -> None:
    ten, e = (checked(run("measure", tables, "--quick", "--base", base, "--json", "-").out) for base in ("10", "e"))
    assert e["best_fit"]["k"] == pytest.approx(np.log(10) * ten["best_fit"]["k"], rel=1e-6)
    assert e["spread"][0]["sd"] == pytest.approx(np.log(10) * ten["spread"][0]["sd"], rel=1e-6)


def test_beyond_100_percent_there_is_no_x_but_a_reason(run: Run, tmp_path: Path) -> None:
    path = write(simulate_deterministic(20, 800, x=98, seed=2), tmp_path / "certain.csv")
    document = checked(run("measure", path, "--replicates", 19, "--json", "-").out)
    matched = document["yardstick"]["matched"]
    assert matched["x_chess"] is None
    assert matched["x_chess_interval"] == [100, None]
    assert "spreads more than the whole family" in document["absent"]["yardstick.matched.x_chess_interval.1"]
    assert document["verdict"]["answer"] == "skill"
    assert document["verdict"]["p_values"] == {"deterministic": 0.05, "chess": 0.05}


def test_a_reference_with_other_columns_says_to_rename_them(run: Run, skill: Path, tmp_path: Path) -> None:
    odd = tmp_path / "odd.csv"
    odd.write_text("weiss,schwarz,ergebnis\nAnn,Ben,1\n")
    done = run("measure", skill, "--reference", odd)
    assert done.status == 2
    assert (
        "odd.csv (--reference): cannot find the columns of the two players; this file is read by the usual names"
        in done.err
    )
    assert "rename its columns to player_1, player_2, score_1" in done.err
    assert "--first" not in done.err


def test_another_game_can_be_the_reference(run: Run, skill: Path, sparse: Path) -> None:
    done = run("measure", skill, "--reference", skill, "--replicates", 19, "--json", "-")
    matched = checked(done.out)["yardstick"]["matched"]
    assert matched["reference"]["name"] == "skill"
    assert matched["reference"]["sd"] == pytest.approx(200, rel=0.25)
    assert f"SD of skills is {matched['reference']['sd']:.0f} points" in done.err
    # a game beside itself is all of itself
    assert matched["x_chess_interval"][1] is None
    refused = run("measure", skill, "--reference", sparse, "--json", "-")
    assert refused.status == 2
    assert "the reference sparse has fewer than 10 players with 25 matches or more" in refused.err


def test_who_did_the_work_is_not_in_the_result(run: Run, skill: Path) -> None:
    words = ("measure", skill, "--replicates", 19, "--json", "-")
    alone = run(*words, "--jobs", 1)
    together = run(*words, "--jobs=2")
    assert alone.status == 0
    assert alone.out == together.out
    assert "jobs" not in alone.out
    assert checked(alone.out)["provenance"]["command"].endswith("--replicates 19 --json -")


def test_only_experienced_players_count_if_asked_for(run: Run, skill: Path) -> None:
    data = checked(run("measure", skill, "--quick", "--experience", "20:60", "--json", "-").out)["data"]
    expected = with_experience(read_matches(skill), "20:60")
    assert data["matches"] + data["dropped_matches"] == len(expected) < 3_000
    bad = run("measure", skill, "--quick", "--experience", "5")
    assert bad.status == 2
    assert "write two numbers of matches" in bad.err


def test_a_comparison_says_how_sure_its_order_is(run: Run, skill: Path, coin: Path) -> None:
    document = checked(run("measure", coin, skill, "--replicates", 19, "--json", "-").out)
    assert document["comparison"]["order"] == ["skill", "coin"]
    assert document["comparison"]["more_skill"] == [{"game": "skill", "than": "coin", "confidence": 1.0}]
    assert set(document["comparison"]["sd_of_skills"]) == {"skill", "coin"}


@pytest.mark.parametrize("words", [("--replicates", 18), ("--jobs", 0), ("--seed", -1), ("--cluster", "nowhere")])
def test_impossible_simulations_are_bad_usage(run: Run, skill: Path, words: tuple[str, object]) -> None:
    done = run("measure", skill, *words, "--json", "-")
    assert (done.status, done.out) == (2, "")
    assert "Traceback" not in done.err


def test_the_page_says_what_was_left_out_of_the_file(run: Run, tmp_path: Path) -> None:
    games = simulate_strengths(12, 400, seed=2)
    names = games.players.names.to_list()
    pairs = games.pairs
    rows = [
        f"p{names[one]},{'P' if place == 5 else 'p'}{names[other]},{score:g}"
        for place, (one, other, score) in enumerate(zip(pairs.first, pairs.second, pairs.score, strict=True))
    ]
    rows[3] = f"{rows[3].rpartition(',')[0]},W.O."
    rows[7] = f"{rows[7].rpartition(',')[0]},seven"
    path, page = tmp_path / "club.csv", tmp_path / "club.html"
    path.write_text("\n".join(["home,away,result", *rows, ""]), encoding="utf-8")
    assert run("measure", path, "--quick").status == 2
    done = run("measure", path, "--quick", "--drop-bad-rows", "--html", page)
    assert done.status == 0, done.err
    text = page.read_text(encoding="utf-8")
    for remark in (
        "1 of 400 rows dropped because of faults",
        "1 of 400 rows left out: the match was not finished",
        "row 8: &#39;seven&#39;",
        "1 name differs from another only in capitals or blanks",
    ):
        assert remark in text
    merged = run("measure", path, "--quick", "--drop-bad-rows", "--merge-names")
    assert "398 matches · 12 players" in merged.out
    assert "398 matches · 13 players" in done.out


def test_places_below_the_first_are_said_not_to_count(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tables.csv"
    run("simulate", "strengths", "--players", 20, "--matches", 300, "--per-match", 3, "--out", path)
    told = "only the win counts: --prizes linear counts every place"
    assert told in run("measure", path, "--quick").err
    assert told not in run("measure", path, "--quick", "--prizes", "winner").err


def test_a_folder_and_a_pattern_are_one_game_and_files_are_several(run: Run, tmp_path: Path) -> None:
    games = pl.read_csv(CLUB, infer_schema=False)
    folder = tmp_path / "club"
    folder.mkdir()
    for number, start in enumerate(range(0, len(games), 600)):
        games[start : start + 600].write_csv(folder / f"part-{number}.csv")

    def figures(*words: object) -> dict[str, Any]:
        done = run("measure", *words, "--quick", "--json", "-")
        assert done.status == 0, done.err
        document = checked(done.out)
        return {name: value for name, value in document.items() if name != "provenance"}

    whole = figures(CLUB)
    assert figures(folder) == whole
    assert figures(f"{folder}/part-*.csv") == whole
    listed = figures(*sorted(folder.iterdir()))
    assert [game["name"] for game in listed["games"]] == [f"part-{number}" for number in range(3)]
    assert run("measure", f"{folder}/part-*.csv", "--quick").out.startswith("part ")
    assert run("measure", folder, "--quick").out.startswith("club ")
