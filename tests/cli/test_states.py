"""`rate --state`: a nightly job plays only what is new, and gives what the whole record gives, to the last bit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest

from ludometer.report.schema import load_schema
from ludometer.simulate import simulate_strengths
from tests.cli.conftest import Run

SYSTEMS = (
    "elo",
    "elo:k=32,start=0",
    "best-fit",
    "dynamic",
    "dynamic:h=30,retire=90",
    "dynamic-shrinking:h=200",
    "ics",
    "smith:h=40,sd=200",
    "glicko2",
    "glicko2:matches=50",
    "static",
    "federation:floor=1400,period=30",
    "state-space",
)
FITTED = ("best-fit", "dynamic", "state-space")


@pytest.fixture(scope="module")
def record() -> pl.DataFrame:
    """Three hundred matches over a year and a half, with draws, players who come late, and several matches a day."""
    matches = simulate_strengths(14, 300, sd=250, draws=0.2, seed=4)
    names = pl.Series([f"player {n}" for n in range(14)])
    late = np.arange(300) < 150
    first, second = matches.pairs.first.copy(), matches.pairs.second.copy()
    first[late], second[late] = first[late] % 10, second[late] % 10
    second = np.where(first == second, (second + 1) % 10, second)
    day = np.datetime64("2024-03-01") + np.sort(np.random.default_rng(1).integers(0, 500, 300))
    players = {"player_1": names.gather(first), "player_2": names.gather(second)}
    return pl.DataFrame({**players, "score_1": matches.pairs.score, "date": day})


def write(frame: pl.DataFrame, path: Path, *, backwards: bool = False) -> Path:
    """A match file, in order of time or from the last day to the first, which lists its players in another order."""
    if backwards:
        frame = frame.with_row_index().sort("date", "index", descending=[True, False]).drop("index")
    frame.write_csv(path)
    return path


def players(run: Run, *words: object) -> list[dict[str, Any]]:
    done = run("rate", *words, "--json", "-")
    assert done.status == 0, done.err
    document = json.loads(done.out)
    jsonschema.validate(document, load_schema("rate"))
    listed: list[dict[str, Any]] = document["players"]
    return listed


@pytest.mark.parametrize("system", SYSTEMS)
def test_one_half_and_then_the_other_is_the_whole(run: Run, tmp_path: Path, record: pl.DataFrame, system: str) -> None:
    state, begun = tmp_path / "s.state", tmp_path / "begun.state"
    early = write(record[:120], tmp_path / "early.csv")
    late = write(record[120:], tmp_path / "late.csv", backwards=True)
    whole = write(record, tmp_path / "whole.csv", backwards=True)
    players(run, early, "--system", system, "--state", begun)
    results = []
    for files in ([late], [whole], [write(record[120:200], tmp_path / "next.csv"), whole, whole]):
        state.write_bytes(begun.read_bytes())
        for file in files:
            found = players(run, file, "--state", state)
        results.append(found)
    assert results[1:] == results[:1] * 2
    if system not in FITTED:
        assert results[0] == players(run, whole, "--system", system)
        assert results[0] == players(run, whole, "--system", system, "--state", tmp_path / "new.state")
        assert (tmp_path / "new.state").read_bytes() == state.read_bytes()


def test_the_state_carries_its_parameters_and_refit_fits_them_anew(
    run: Run, tmp_path: Path, record: pl.DataFrame
) -> None:
    state = tmp_path / "s.state"
    early, whole = write(record[:120], tmp_path / "early.csv"), write(record, tmp_path / "whole.csv")
    words = ("--system", "best-fit", "--json", "-")
    alone = json.loads(run("rate", early, *words).out)
    assert json.loads(run("rate", early, *words, "--state", state).out)["parameters"] == alone["parameters"]
    assert json.loads(run("rate", whole, *words, "--state", state).out)["parameters"] == alone["parameters"]
    again = json.loads(run("rate", whole, *words, "--state", state, "--refit").out)
    fitted = json.loads(run("rate", whole, *words).out)
    assert again["parameters"] == fitted["parameters"] != alone["parameters"]
    assert again["players"] == fitted["players"]
    part = run("rate", write(record[120:], tmp_path / "late.csv"), "--state", state, "--refit")
    assert part.status == 2
    assert "lacks 120 of the 300 matches of the state" in part.err


def test_what_a_state_cannot_go_with_is_refused_and_the_file_stays(
    run: Run, tmp_path: Path, record: pl.DataFrame
) -> None:
    state = tmp_path / "s.state"
    file = write(record[:200], tmp_path / "early.csv")
    assert run("rate", file, "--state", state, "--k", 16).status == 0
    before = state.read_bytes()
    old = record[:1].with_columns(player_2=pl.lit("Zoe"))
    stranger = write(pl.concat([record, old]), tmp_path / "stranger.csv")
    place = 1 + record.filter(pl.col("date") <= old["date"][0]).height
    bare = tmp_path / "bare.csv"
    record.drop("date").write_csv(bare)
    refused = {
        (file, "--system", "glicko2"): "the state was rated by elo, not by glicko2: leave out --system",
        (file, "--system", "elo:k=32"): "carries other parameters of elo (k 16.0, start_rating 1500.0)",
        (file, "--k", 24): "carries other parameters",
        (stranger,): "stranger.csv, row 301: a match is older than the last match of the state",
        (stranger, "--time", "date"): f"match {place} in order of time, {old['player_1'][0]} against Zoe at ",
        (bare,): "the state has times and the file has none",
        (file, "--by", "score_1"): "leave out --by or --state",
        (file, "--stream"): "leave out --stream or --state",
        (file, "--experience", "2:5"): "leave out --experience or --state",
        (file, "--since", "2024-04-01"): "no ratings from before: give a later --since",
        (file, "--ranks"): "elo gives no errors of its ratings",
    }
    for words, said in refused.items():
        done = run("rate", *words, "--state", state)
        assert (done.status, done.out) == (2, ""), words
        assert said in done.err, words
        assert done.err.count("Error") == 1
    assert state.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []
    assert run("rate", file, "--state", state, "--system", "elo:k=16").status == 0
    assert state.read_bytes() == before
    assert "--refit fits the parameters of a state again: name one" in run("rate", file, "--refit").err


@pytest.mark.parametrize(
    "content", [b"", b"player,rating\n", b"PK\x03\x04 and then nothing", b"\x80\x04\x95 a pickle", b"\x93NUMPY"]
)
def test_a_file_that_is_no_state_is_refused_in_one_sentence(
    run: Run, tmp_path: Path, record: pl.DataFrame, content: bytes
) -> None:
    state, file = tmp_path / "s.state", write(record, tmp_path / "whole.csv")
    state.write_bytes(content)
    done = run("rate", file, "--state", state)
    assert done.status == 2
    assert "not a state that ludometer rate wrote, or it is damaged" in done.err
    assert state.read_bytes() == content


def test_without_times_the_whole_file_goes_on_and_so_do_new_matches(
    run: Run, tmp_path: Path, record: pl.DataFrame
) -> None:
    bare = record.drop("date")
    files = [tmp_path / f"{name}.csv" for name in ("early", "late", "whole", "edited")]
    for file, frame in zip(files, (bare[:100], bare[100:], bare, bare[:20].vstack(bare[21:])), strict=True):
        frame.write_csv(file)
    early, late, whole, edited = files
    expected = players(run, whole, "--system", "elo")
    for number, second in enumerate((late, whole)):
        state = tmp_path / f"{number}.state"
        players(run, early, "--system", "elo", "--state", state)
        assert players(run, second, "--state", state) == expected
        assert ", 0 new" in run("rate", whole, "--state", state).err
        for wrong, said in ((late, "repeats matches of the state"), (edited, "but match 21 differs")):
            done = run("rate", wrong, "--state", state)
            assert done.status == 2
            assert said in done.err


def test_ratings_as_of_a_date_are_those_of_the_matches_until_then(
    run: Run, tmp_path: Path, record: pl.DataFrame
) -> None:
    whole = write(record, tmp_path / "whole.csv")
    until = write(record.filter(pl.col("date") <= pl.date(2024, 12, 31)), tmp_path / "until.csv")
    elo = ("--system", "elo")
    for at in ("2024-12-31", "2024-12", "2024"):
        assert players(run, whole, *elo, "--at", at) == players(run, until, *elo)
    early = run("rate", whole, *elo, "--at", "2023")
    assert early.status == 2
    assert "there are no matches until 2023: the first was at 2024-03-0" in early.err
    assert "needs times" in run("rate", whole, *elo, "--at", "2024", "--time", "none").err
    assert "is not a date" in run("rate", whole, *elo, "--at", "soon").err


def test_changes_are_counted_from_the_ratings_before_a_date(run: Run, tmp_path: Path, record: pl.DataFrame) -> None:
    whole = write(record, tmp_path / "whole.csv")
    elo = ("--system", "elo")
    before = {one["player"]: one["rating"] for one in players(run, whole, *elo, "--at", "2024-12-31")}
    for words in ((), ("--since", "2025-01-01"), ("--since", "2025")):
        now = players(run, whole, *elo, *words)
        assert {one["player"] for one in now if one["change"] is not None} == set(before)
        for one in now:
            if one["player"] in before:
                assert one["change"] == one["rating"] - before[one["player"]]
    later = json.loads(run("rate", whole, *elo, "--since", "2030", "--json", "-").out)
    assert {one["change"] for one in later["players"]} == {0.0}
    assert later["since"] == "2030-01-01"
    assert "since 2025-01-01" in run("rate", whole, *elo).out


def test_players_start_at_known_ratings(run: Run, tmp_path: Path, record: pl.DataFrame) -> None:
    start, whole = tmp_path / "start.csv", write(record, tmp_path / "whole.csv")
    start.write_text("player,rating,sd\nplayer 1,2000,60\nplayer 12,1800,\nnobody,1000,30\n")
    for system in ("elo:k=0", "dynamic:h=0.001", "glicko2"):
        found = {one["player"]: one for one in players(run, whole, "--system", system, "--start-ratings", start)}
        usual = {one["player"]: one for one in players(run, whole, "--system", system)}
        assert found.keys() == usual.keys()
        assert found["player 1"]["rating"] > usual["player 1"]["rating"] + 100
        if system != "glicko2":
            ratings = [found[f"player {n}"]["rating"] for n in (1, 12, 2)]
            assert ratings == pytest.approx([2000, 1800, 1500], abs=0.1)
    # given in both halves or only in the first, the second goes on as the whole would
    words, states = ("--system", "glicko2"), [tmp_path / "a.state", tmp_path / "b.state"]
    expected = players(run, whole, *words, "--start-ratings", start)
    for state, again in zip(states, ((), ("--start-ratings", start)), strict=True):
        players(run, write(record[:120], tmp_path / "early.csv"), *words, "--start-ratings", start, "--state", state)
        assert players(run, whole, "--state", state, *again) == expected
    cannot = run("rate", whole, "--system", "static", "--start-ratings", start)
    assert "static cannot start players at given ratings; these systems can: " in cannot.err
    assert "elo, best-fit, dynamic, dynamic-shrinking, glicko2" in cannot.err
    start.write_text("player,rating,sd\nAnn,x,3\nAnn,1500,-1\n,1500,2\n")
    bad = run("rate", whole, "--start-ratings", start)
    assert bad.status == 2
    for said in ("rating is not a number: 1 (row 1: 'x')", "sd is not a number above 0", "is there twice", "is empty"):
        assert said in bad.err
    start.write_text("who,rating\nAnn,1500\n")
    assert "no column holds players (player|name)" in run("rate", whole, "--start-ratings", start).err


def test_ranks_a_table_and_a_page(run: Run, tmp_path: Path, record: pl.DataFrame) -> None:
    whole, table, page = write(record, tmp_path / "whole.csv"), tmp_path / "t.csv", tmp_path / "p.html"
    words = ("rate", whole, "--system", "static", "--ranks", "--csv", table, "--html", page, "--min-matches", 30)
    done = run(*words)
    assert done.status == 0
    assert re.search(r"1st to \d+(st|nd|rd|th)", done.out)
    found = players(run, *words[1:])
    assert all(1 <= low <= high <= len(found) for low, high in (one["rank_interval"] for one in found))
    assert [one["group"] for one in found] == sorted(one["group"] for one in found)
    assert found[-1]["better_than_next"] is None
    assert all(one["better_than_next"] >= 0.5 for one in found[:-1])
    rows = pl.read_csv(table)
    assert rows["player"].to_list() == [one["player"] for one in found]
    assert rows.select("rank_low", "rank_high").rows() == [tuple(one["rank_interval"]) for one in found]
    text = page.read_text()
    assert found[0]["player"] in text
    assert text.count("<svg") == 4
    assert "rated by static" in text
    grouped = run("rate", whole, "--by", "score_1", "--csv", table, "--html", page)
    assert grouped.status == 0
    assert pl.read_csv(table).columns[0] == "score_1"
    assert "score_1: 0.5" in page.read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("winner,loser\nAnn,Ben\n", "Ann"),
        ("winner,loser\nAnn,Ben\nAnn,Cem\nAnn,Ben\nAnn,Cem\n", "Ann"),
        ("date,winner,loser\n2024-01-01,Ann,Ben\n2024-01-01,Ben,Cem\n", "Ann"),
        ("winner,loser\nAnn,Ben\nCem,Dan\nBen,Ann\n", "Cem"),
    ],
    ids=["one match", "one who never loses", "equal times", "two islands"],
)
def test_odd_records_have_ratings_and_ranks(run: Run, tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "odd.csv"
    file.write_text(text)
    for system in ("static", "glicko2", "smith:h=40,sd=200"):
        found = players(run, file, "--system", system, "--ranks", "--state", tmp_path / f"{system}.state")
        assert found[0]["player"] == said
        assert all(np.isfinite([one["rating"], one["sd"], *one["rank_interval"]]).all() for one in found)
        assert all(one["provisional"] for one in found if one["matches"] < 2)
