"""ludometer skat: the paper's and the federation's examples, every output against its schema, mistakes told once."""

from __future__ import annotations

import base64
import bz2
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest

from ludometer.matches import Matches
from ludometer.ratings.scores.series import seat_column
from ludometer.report.schema import load_schema
from ludometer.skat.language import PHRASES, phrase
from ludometer.skat.luck.factors import ChanceFactors, correct_records, table_points
from ludometer.skat.luck.winning import WinningModel
from tests.cli.conftest import Run, run
from tests.skat.deals import write_record

__all__ = ["run"]

GOLDEN = Path(__file__).parents[1] / "golden"

FOUR = """\
Serie;Spieler;Spielpunkte;gewonnen;verloren
1;A;492;12;0
1;B;628;12;2
1;C;660;10;1
1;D;-32;6;5
"""

LIST = """\
series,game,player_1,player_2,player_3,declarer,contract,matadors,eyes,bid,points
Friday,1,Ann,Ben,Cem,Ann,D,1,75,22,-54
Friday,2,Ann,Ben,Cem,Ben,C,2,61,18,36
Friday,3,Ann,Ben,Cem,,,,,,
Friday,4,Ann,Ben,Cem,Cem,G,4,70,18,96
"""


def found(run: Run, name: str, *words: object) -> Any:
    done = run("skat", *words, "--json", "-")
    assert done.status == 0, done.err
    document = json.loads(done.out)
    jsonschema.validate(document, load_schema(f"skat-{name}"))
    return document


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tables of three, 80 records each, packed."""
    rng = np.random.default_rng(4)
    tables = (("Ann", "Ben", "Cem"), ("Dora", "Ben", "Ann"), ("Cem", "Dora", "Emil"))
    lines = [
        write_record(rng, 100 * place + game, tuple(np.roll(names, game).tolist()), se=str(place))
        for place, names in enumerate(tables, 1)
        for game in range(80)
    ]
    path = tmp_path_factory.mktemp("skat") / "games.sgf.bz2"
    path.write_bytes(bz2.compress("\n".join(lines).encode()))
    return path


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """Series of twelve players of known strength, with German dates; 90 of three, 30 of four."""
    rng = np.random.default_rng(6)
    strength = np.linspace(600, 1200, 12)
    rows = ["Datum;Serie;Spieler;Leistung;Spiele"]
    for number in range(120):
        size = 4 if number % 4 == 3 else 3
        for player in rng.permutation(12)[:size]:
            score = round(strength[player] + rng.normal(0, 300))
            day = f"{1 + number % 28}.{1 + number // 28}.2024"
            rows.append(f"{day};{number + 1};Spieler-{player:02d};{score};{12 * size}")
    path = tmp_path / "season.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def table_two(tmp_path: Path) -> tuple[Path, pl.DataFrame]:
    golden = pl.read_csv(GOLDEN / "edelkamp_table2.csv", comment_prefix="#")
    rows = [
        f"{series},{player},{row[f'S{place}']}"
        for series, row in enumerate(golden.iter_rows(named=True), 1)
        for place, player in enumerate("ABC")
    ]
    path = tmp_path / "table2.csv"
    path.write_text("series,player,score\n" + "\n".join(rows) + "\n")
    return path, golden


def test_table_two_of_the_paper_comes_out_to_two_decimals(run: Run, table_two: tuple[Path, pl.DataFrame]) -> None:
    path, golden = table_two
    updates = found(run, "rate", "rate", path, "--k", 0.02, "--start", 800)["updates"]
    assert len(updates) == 30
    for update in updates:
        row, place = golden.row(int(update["series"]) - 1, named=True), "ABC".index(update["player"])
        assert round(update["expected"], 2) == pytest.approx(row[f"E{place}"], abs=1e-9)
        assert round(update["rating"], 2) == pytest.approx(row[f"R{place}"], abs=1e-9)
        assert update["score"] == row[f"S{place}"]
        assert update["k"] == 0.02


def test_the_example_of_a_table_of_four_is_scored(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "vier.csv"
    path.write_text(FOUR)
    rows = found(run, "score", "score", path)["series"]
    assert {row["player"]: row["score"] for row in rows} == {"A": 1332, "C": 1320, "B": 1308, "D": 108}
    plain = found(run, "score", "score", path, "--scoring", "plain")["series"]
    assert [(row["player"], row["score"]) for row in plain] == [("B", 1128), ("C", 1110), ("A", 1092), ("D", 18)]
    printed = run("skat", "score", path, "--language", "de").out
    assert "Leistung" in printed
    assert "1.332" in printed


def test_the_printed_misprint_of_the_paper_is_1245(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "three.csv"
    path.write_text("series,player,points,won,lost\n1,A,273,8,1\n1,B,152,12,4\n1,C,495,11,0\n")
    rows = found(run, "score", "score", path)["series"]
    assert {row["player"]: row["score"] for row in rows} == {"A": 783, "B": 592, "C": 1245}


def test_a_score_list_is_scored_and_a_wrong_value_is_flagged(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(LIST)
    document = found(run, "score", "score", path)
    rows = {row["player"]: row for row in document["series"]}
    assert [rows[name]["score"] for name in ("Ann", "Ben", "Cem")] == [-54 - 50, 36 + 50 + 40, 96 + 50 + 40]
    assert document["data"] == {
        "format": "score list", "series": 1, "games": 4, "folded": 1, "left_out": 0, "as_recorded": 2, "flagged": 1,
        "players": 3,
    }  # fmt: skip
    (difference,) = document["differences"]
    assert (difference["game"], difference["written"], difference["by_rules"]) == ("4", 96, 120)
    by_rules = found(run, "score", "score", path, "--points", "rules")["series"]
    assert {row["player"]: row["points"] for row in by_rules}["Cem"] == 120
    assert "96 written, 120 by the rules" in run("skat", "score", path).out


def test_a_packed_archive_becomes_lists(run: Run, archive: Path) -> None:
    document = found(run, "score", "score", archive, "--folded")
    assert document["data"]["format"] == "ISS records"
    assert document["data"]["games"] == 240
    assert document["data"]["series"] == 6
    assert document["data"]["left_out"] == 24
    assert document["differences"] == []
    assert {row["games"] for row in document["series"]} == {36}
    for label in {row["series"] for row in document["series"]}:
        rows = [row for row in document["series"] if row["series"] == label]
        lost = sum(row["lost"] for row in rows)
        for row in rows:
            assert row["score"] == row["points"] + 50 * (row["won"] - row["lost"]) + 40 * (lost - row["lost"])


def test_written_series_are_rated_as_the_games_themselves(run: Run, archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "series.csv"
    assert run("skat", "score", archive, "--folded", "--out", out).status == 0
    by_games = found(run, "rate", "rate", archive, "--folded", "--start", "mean")
    by_series = found(run, "rate", "rate", out, "--start", "mean")
    assert by_games["updates"] == by_series["updates"]
    assert by_games["season"] == by_series["season"]


def test_chance_factors_change_each_score_by_its_games(run: Run, archive: Path) -> None:
    from ludometer.skat.reading.iss import read_skat
    from ludometer.skat.rules.series import gather_lists

    records = read_skat(archive, replay=True).records
    lists = gather_lists(records)
    points = correct_records(records, ChanceFactors(mean_value=True))
    assert found(run, "rate", "rate", archive, "--chance", "none")["chance"] is None
    for factor in ("i2", "i1", "i3"):
        document = found(run, "rate", "rate", archive, "--chance", factor)
        assert document["chance"]["factors"] == [factor]
        assert document["chance"]["score_sd_before"] != document["chance"]["score_sd_after"]
        if factor != "i2":
            continue
        for update in document["updates"]:
            rows = lists.filter(series=update["series"])["record"].to_list()
            seats = [
                (row, seat) for row in rows for seat in range(3) if records[f"player_{seat}"][row] == update["player"]
            ]
            assert update["score"] == pytest.approx(sum(points[row, seat] for row, seat in seats))


def test_the_luck_of_the_deal_is_taken_over_folded_games_too(run: Run, archive: Path) -> None:
    done = run("skat", "rate", archive, "--chance", "i3", "--json", "-")
    assert "folded games count" in done.err
    words = ("rate", "rate", archive, "--chance", "i3", "--folded")
    assert json.loads(done.out)["updates"] == found(run, *words)["updates"]
    assert "folded games count" not in run("skat", "rate", archive, "--chance", "i1").err
    assert "folded games count" in run("skat", "sensitivity", archive, "--factors", "i3").err


def test_at_a_table_of_four_the_bonus_stays_that_of_four() -> None:
    # a lost game gives 40 to others at a table of three; the change by a factor has none of it
    plain, scaled = (table_points([0], [points], [False]) for points in (-48.0, -82.0))
    assert (scaled - plain).tolist() == [[-34.0, 0.0, 0.0]]


def test_a_season_has_everything_that_a_club_wants(run: Run, season: Path, tmp_path: Path) -> None:
    teams = tmp_path / "teams.csv"
    teams.write_text(
        "Spieler;Mannschaft\n" + "".join(f"Spieler-{k:02d};{'Pik' if k % 2 else 'Herz'}\n" for k in range(12))
    )
    words = ("--start", "mean", "--titles", "1000=Meister,850=Experte", "--dropped", 1, "--min-share", 0.9)
    document = found(run, "rate", "rate", season, *words, "--teams", teams, "--sensitivity")
    assert document["data"] == {"format": "series results", "series": 120, "players": 12, "games": None, "since": None}
    players = document["players"]
    ratings = [row["rating"] for row in players]
    assert ratings == sorted(ratings, reverse=True)
    assert {row["player"] for row in players[:4]} <= {f"Spieler-{k:02d}" for k in range(5, 12)}
    for row in players:
        assert (row["title"] is None) or row["rating"] >= {"Meister": 1000, "Experte": 850}[row["title"]]
        assert not (row["provisional"] and row["title"])
    assert {row["team"] for row in document["teams"]} == {"Pik", "Herz"}
    assert any(row["qualified"] for row in document["season"])
    assert any(row["place"] is None for row in document["season"])
    assert all(row["dropped"] == 1 for row in document["season"])
    assert {row["player"]: row["series-elo"] for row in document["variants"]} == pytest.approx(
        {row["player"]: row["rating"] for row in players}
    )
    assert [row["k"] for row in document["sensitivity"]] == [0.01, 0.02, 0.04, 0.08]
    assert document["sensitivity"][1]["max"] == pytest.approx(ratings[0], abs=0.01)
    german = run("skat", "rate", season, *words, "--teams", teams, "--language", "de").out
    for word in ("Wertung", "vorläufig", "Saisontabelle", "Mannschaften"):
        assert word in german


def test_a_rerating_from_a_date_lists_later_updates_only(run: Run, season: Path) -> None:
    whole, part = (found(run, "rate", "rate", season, *words) for words in ((), ("--since", "2024-03-01")))
    assert part["players"] == whole["players"]
    assert part["updates"] == [row for row in whole["updates"] if row["time"] >= "2024-03-01"]
    assert part["data"]["since"] == "2024-03-01"
    assert 0 < len(part["updates"]) < len(whole["updates"])


def test_a_published_list_is_the_start(run: Run, tmp_path: Path) -> None:
    series, standing = tmp_path / "s.csv", tmp_path / "list.csv"
    series.write_text("series,player,score\n1,A,1200\n1,B,800\n1,C,800\n")
    standing.write_text("player,rating\nA,1500\nB,750\nC,750\n")
    document = found(run, "rate", "rate", series, "--ratings", standing)
    assert [row["expected"] for row in document["updates"]] == [1400, 700, 700]
    assert [row["rating"] for row in document["updates"]] == [1496, 752, 752]
    shown = run("skat", "rate", series, "--ratings", standing, "--explain", "A").out
    assert "1500.00 -4.00 = 1496.00" in shown


def test_options_reach_the_system(run: Run, season: Path) -> None:
    words = ("--k", 0.05, "--form", "additive", "--newcomer-k", 0.2, "--newcomer-series", 5, "--floor", 700)
    document = found(run, "rate", "rate", season, *words)
    assert document["system"] == "additive-series-elo"
    assert document["parameters"] == {
        "k": 0.05, "start_rating": 800.0, "form": "additive", "newcomer_k": 0.2, "newcomer_series": 5, "floor": 700.0,
    }  # fmt: skip
    assert min(row["rating"] for row in document["players"]) >= 700
    assert found(run, "rate", "rate", season, "--start", "first:3")["parameters"]["first"] == 3


def test_any_game_with_scores_is_rated_without_a_season(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "dice.csv"
    path.write_text("match,name,score\n" + "".join(f"{m},P{p},{m * p - 7}\n" for m in range(1, 5) for p in range(5)))
    document = found(run, "rate", "rate", path)
    assert document["season"] is None
    assert "column games" in document["absent"]["season"]
    assert len(document["players"]) == 5


def test_names_are_hidden_everywhere(run: Run, season: Path, tmp_path: Path) -> None:
    named = tmp_path / "Spieler-03 und Freunde.csv"
    lines = season.read_text().splitlines()
    # series and teams that are called after players
    named.write_text("\n".join([lines[0], *(re.sub(r"^([^;]*);", r"\1;bei Spieler-07 ", line) for line in lines[1:])]))
    teams = tmp_path / "Spieler-teams.csv"
    teams.write_text("player,team\n" + "".join(f"Spieler-{k:02d},Team Spieler-{k % 2:02d}\n" for k in range(12)))
    html, matches, sheets, page = (tmp_path / name for name in ("r.html", "m.csv", "s.csv", "s.html"))
    words = ("--anonymise", "--seed", 5)
    done = run(
        "skat", "rate", named, *words, f"--html={html}", "--matches", matches, "--json", tmp_path / "r.json",
        "--teams", teams, "--draw", "P-1", "--explain", "P-1",
    )  # fmt: skip
    assert done.status == 0, done.err
    done_sheets = run("skat", "score", named, *words, "--out", sheets, "--html", page, "--json", tmp_path / "s.json")
    assert done_sheets.status == 0, done_sheets.err
    files = (html, matches, tmp_path / "r.json", sheets, page, tmp_path / "s.json")
    texts = [done.out, done_sheets.out, *(path.read_text() for path in files)]
    texts += [base64.b64decode(data).decode() for text in texts for data in re.findall(r"base64,([^\"]+)", text)]
    assert len(texts) >= 12
    for text in texts:
        assert "Spieler-" not in text
        assert re.search(r"P-1\b|T-1\b", text)
        assert "--seed" not in text
    command = json.loads((tmp_path / "r.json").read_text())["provenance"]["command"]
    assert command.split()[1:4] == ["skat", "rate", "FILE"]
    assert "--html=FILE" in command
    # both commands give a player the same number
    rated = {row["player"]: row["average"] for row in json.loads((tmp_path / "r.json").read_text())["players"]}
    scored = pl.read_csv(sheets).group_by("player").agg(pl.col("score").mean()).rows()
    assert {name: pytest.approx(mean) for name, mean in scored} == rated
    assert "keep it to yourself" in " ".join(run("skat", "rate", season, "--anonymise").err.split())


def test_series_are_matches_whose_luck_can_be_measured(run: Run, season: Path, tmp_path: Path) -> None:
    by_rating, by_score = tmp_path / "a.csv", tmp_path / "b.parquet"
    assert run("skat", "rate", season, "--matches", by_rating).status == 0
    assert run("skat", "score", season, "--matches", by_score).status == 0
    frame = pl.read_csv(by_rating)
    assert set(frame.columns) >= {"match", "player", "place"}
    assert frame["match"].n_unique() == 120
    for path in (by_rating, by_score):
        done = run("measure", path, "--quick", "--json", "-")
        assert done.status == 0, done.err
        document = json.loads(done.out)
        assert document["data"]["matches"] == 120
        assert document["data"]["players_per_match"]["max"] == 4
        assert document["spread"][0]["sd"] > 40


def test_the_sensitivity_table_has_the_form_of_table_eight(run: Run, archive: Path, season: Path) -> None:
    document = found(run, "sensitivity", "sensitivity", archive, "--k", "0.02,0.05")
    assert [(row["i1"], row["i2"], row["k"]) for row in document["rows"]] == [
        (i1, i2, k) for i1 in (0, 1) for i2 in (0, 1) for k in (0.02, 0.05)
    ]
    for row in document["rows"]:
        assert row["mean"] == pytest.approx(850, abs=0.01)
        names = ("max", "top_10", "top_25", "top_75", "top_90", "min")
        assert [row[name] for name in names] == sorted((row[name] for name in names), reverse=True)
    assert len({row["sd"] for row in document["rows"] if row["k"] == 0.02}) == 4
    three = found(run, "sensitivity", "sensitivity", archive, "--factors", "i3", "--k", "0.02")
    assert [row["i3"] for row in three["rows"]] == [0, 1]
    placed = found(run, "sensitivity", "sensitivity", season, "--targets", "1000:800")
    assert placed["placement"]["good"] == pytest.approx(1000, abs=30)
    assert "top 10" in run("skat", "sensitivity", season).out
    german = run("skat", "sensitivity", season, "--language", "de", "--targets", "1000:800").out
    for word in ("beste 10 %", "höchste", "Serien von 12 Spielern", "am nächsten an 1000:800", "0,02"):
        assert word in german


def test_a_model_is_fitted_written_and_used(run: Run, archive: Path, tmp_path: Path) -> None:
    out, plot = tmp_path / "model.json", tmp_path / "plot.svg"
    document = found(run, "fit", "fit", archive, "--out", out, "--plot", plot, "--ridge", 50)
    model = WinningModel.load(out)
    assert sum(document["games"].values()) == sum(model.games.values()) > 180
    assert document["parts"]["suit"] is not None
    assert 0 < document["held_out"] < 60
    assert plot.read_text().startswith("<svg")
    ours, own = (
        found(run, "rate", "rate", archive, "--chance", "i1", *words)["updates"] for words in ((), ("--model", out))
    )
    assert [row["score"] for row in ours] != [row["score"] for row in own]
    assert "log loss" in run("skat", "fit", archive, "--out", out, "--ridge", 50).out
    assert "Farbspiele" in run("skat", "fit", archive, "--out", out, "--ridge", 50, "--language", "de").out


def test_the_report_is_one_page_without_network(run: Run, archive: Path, tmp_path: Path) -> None:
    for language, words in (("en", ("Rating list", "Season table")), ("de", ("Rangliste", "Saisontabelle"))):
        path = tmp_path / f"{language}.html"
        more = ("--folded", "--chance", "i2", "--sensitivity", "--language", language)
        done = run("skat", "rate", archive, *more, "--html", path)
        assert done.status == 0, done.err
        page = path.read_text(encoding="utf-8")
        for word in (*words, phrase("Sensitivity", language), phrase("Chance", language), "Emil"):  # type: ignore[arg-type]
            assert word in page
        assert page.count("<svg") == 8
        for outside in ("<script", "<link", 'src="http', "url(http"):
            assert outside not in page


def test_every_command_has_a_page_in_both_languages(run: Run, archive: Path, tmp_path: Path) -> None:
    pages = {
        "score": (("--short", "keep"), 2, ("How scores vary", "Wie die Leistungen streuen")),
        "sensitivity": ((), 2, ("Effect of K", "Einfluss von K")),
        "fit": (("--out", tmp_path / "m.json", "--ridge", 50), 2, ("Are the chances right?", "Stimmen die Chancen?")),
    }
    for command, (words, charts, said) in pages.items():
        for language, phrase_of_it in zip(("en", "de"), said, strict=True):
            path = tmp_path / f"{command}.{language}.html"
            done = run("skat", command, archive, *words, "--language", language, "--html", path)
            assert done.status == 0, done.err
            page = path.read_text(encoding="utf-8")
            assert page.count("<svg") == charts
            assert page.count("<figcaption>") == charts / 2
            assert phrase_of_it in page
            for outside in ("<script", "<link", 'src="http', "url(http"):
                assert outside not in page


def test_lines_end_in_their_names_instead_of_a_legend(run: Run, season: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    assert run("skat", "rate", season, "--html", path, "--draw", "Spieler-00,Spieler-11").status == 0
    page = path.read_text(encoding="utf-8")
    assert "role-legend" not in page
    for name in ("Spieler-00", "Spieler-11"):
        # both views, each wide and narrow
        assert len(re.findall(rf"<text[^>]*>{name} \d+</text>", page)) == 4


def test_series_of_any_game_lose_the_luck_of_their_start(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = ["match,name,score,position"]
    for number in range(60):
        for player in rng.permutation(6)[:4]:
            start = rng.normal(0, 100)
            rows.append(f"{number},Dicer {player},{500 + 20 * player + 2 * start + rng.normal(0, 40):.1f},{start:.2f}")
    path = tmp_path / "dice.csv"
    path.write_text("\n".join(rows) + "\n")
    plain, clean = (found(run, "rate", "rate", path, *words) for words in ((), ("--chance", "position")))
    assert plain["chance"] is None
    assert clean["chance"]["factors"] == ["position"]
    assert clean["chance"]["score_sd_after"] < 0.3 * clean["chance"]["score_sd_before"]
    assert clean["score_sd"] < 0.4 * plain["score_sd"]
    done = run("skat", "rate", path, "--chance", "position")
    assert "Scores are corrected for the starting position" in done.out
    assert run("skat", "rate", path, "--chance", "position:root").status == 2
    path.write_text("series,player,score\n1,A,9\n1,B,8\n")
    assert "no column position" in run("skat", "rate", path, "--chance", "position").err


def test_copies_of_a_program_are_one_player_or_each_by_itself(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    path = tmp_path / "bots.sgf"
    path.write_text("\n".join(write_record(rng, number, ("xskat:2", "Ann", "Ben")) for number in range(50)) + "\n")
    names = {row["player"] for row in found(run, "rate", "rate", path, "--folded")["players"]}
    assert names == {"xskat", "Ann", "Ben"}
    names = {row["player"] for row in found(run, "rate", "rate", path, "--folded", "--copies", "keep")["players"]}
    assert names == {"xskat:2", "Ann", "Ben"}


def test_the_number_of_threads_changes_nothing(run: Run, archive: Path) -> None:
    one, two = (run("skat", "score", archive, "--json", "-", "--jobs", jobs).out for jobs in (1, 2))
    assert one == two


def test_names_cannot_become_markup(run: Run, tmp_path: Path) -> None:
    path, html = tmp_path / "s.csv", tmp_path / "r.html"
    path.write_text("series,player,score\n1,<script>x</script>,900\n1,B,800\n1,C,700\n")
    assert run("skat", "rate", path, "--html", html).status == 0
    assert "<script>" not in html.read_text()


def test_a_real_archive_is_read_and_two_games_are_flagged(run: Run, shared_data: Path) -> None:
    document = found(run, "score", "score", shared_data / "skat" / "iss_games.sgf", "--short", "keep")
    assert document["data"]["games"] == 37
    assert (document["data"]["as_recorded"], document["data"]["flagged"]) == (35, 2)
    (flags, points) = document["differences"]
    assert (flags["written"], flags["by_rules"]) == (-192, -192)
    assert flags["reason"].startswith("the points agree, but schneider or schwarz does not match")
    assert (points["written"], points["by_rules"]) == (-288, -96)
    assert points["reason"].startswith("scored before the discard")
    english, german = (
        "35 games are recorded as the rules say, 2 are not",
        "35 Spiele sind regelgerecht notiert, 2 nicht",
    )
    for language, said in (("en", english), ("de", german)):
        shown = run("skat", "score", shared_data / "skat" / "iss_games.sgf", "--language", language).out
        assert said in shown
    assert "vor dem Drücken gewertet" in shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("series,player,score\n1,A,900\n1,B,x\n1,C,3\n", "row 2: score is 'x', not a number"),
        ("series,player,score\n1,A,900\n1,,5\n", "row 2: no player"),
        ("series,player,score\n1,A,900\n1,A,5\n1,B,7\n", "rows 1 and 2: A appears twice in series 1"),
        ("series,player\n1,A\n", "score (or points, won and lost)"),
        ("series,player,score\n1,A,900\n", "one player only"),
        ("series,player,score\n", "there are no rows"),
        ("player,score\nA,900\n", "no column holds series"),
        ("series,date,player,score\n1,soon,A,9\n1,soon,B,8\n", "date such as"),
    ],
)
def test_bad_series_are_one_message_with_the_row(run: Run, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    done = run("skat", "rate", path)
    assert done.status == 2
    assert said in done.err
    assert done.err.count("Error:") == 1
    assert "Traceback" not in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--titles", "Meister"), "1100=Meister"),
        (("--start", "high"), "--start high: write a number, mean, or first:N, such as 800 or first:10"),
        (("--start", "first:0"), "--start first:0: write a number, mean, or first:N"),
        (("--start", "nan"), "--start nan: write a number, mean, or first:N"),
        (("--k", "nan"), "--k nan: write a number from 0 up, such as 0.02"),
        (("--floor", "inf"), "--floor inf: write a rating, such as 500"),
        (("--chance", "i1"), "chance factors need game records"),
        (("--chance", "i9"), "--chance i9: choose from i1 (hand)"),
        (("--since", "2031-01-01"), "no series from 2031-01-01 on"),
        (("--teams", "nowhere.csv"), "no such file"),
        (("--matches", "m.txt"), "write to a file that ends in"),
        (("--house-rules", "poker"), "--house-rules poker: choose from kontra, bock, ramsch"),
        (("--model", "missing.json"), "missing.json: no such file"),
        (("--chance", "position:sum"), "--chance position:sum: write position, position:difference or"),
        (("--draw", "Nobody"), "nobody called 'Nobody'"),
        (("--explain", "Nobody"), "nobody called 'Nobody'"),
    ],
)
def test_bad_options_are_one_message(run: Run, season: Path, words: tuple[str, str], said: str) -> None:
    for source in (season, write_list(season)) if words[0] == "--house-rules" else (season,):
        done = run("skat", "rate", source, *words)
        assert done.status == 2
        assert said in done.err
        assert done.out == ""
        assert "Traceback" not in done.err


def test_wrong_factors_and_endings_are_told_before_anything_is_read(run: Run, tmp_path: Path) -> None:
    odd = run("skat", "sensitivity", "nowhere.csv", "--factors", "i2,foo")
    assert odd.err == "Error: --factors foo: choose from i1, i2, i3\n"
    for words in (("--k", "0.01,x"), ("--k", "0.01,nan"), ("--k", "0.01,-1"), ("--start", "nan")):
        done = run("skat", "sensitivity", "nowhere.csv", *words)
        assert done.err.startswith(f"Error: {words[0]} {words[1]}: write ")
    steep = run("skat", "fit", "nowhere.sgf", "--out", tmp_path / "model.json", "--ridge", "nan")
    assert steep.err == "Error: --ridge nan: write a number from 0 up, such as 1\n"
    ending = run("skat", "fit", "nowhere.sgf", "--out", tmp_path / "model.txt")
    assert ending.err.endswith("model.txt: write to a file that ends in .json\n")


def test_a_cut_list_says_how_to_see_all(run: Run, season: Path) -> None:
    assert "more (--top 12 shows all)" in run("skat", "rate", season, "--top", 1).out
    assert "weitere (--top 12 zeigt alle)" in run("skat", "rate", season, "--top", 1, "--language", "de").out


def write_list(beside: Path) -> Path:
    path = beside.with_name("list.csv")
    path.write_text(LIST)
    return path


def test_bad_games_are_one_message(run: Run, archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(LIST.replace("36\n", "many\n"))
    done = run("skat", "score", path)
    assert done.status == 2
    assert "row 2: 'many' is not a whole number of points" in done.err
    damaged = tmp_path / "damaged.sgf"
    damaged.write_bytes(bz2.decompress(archive.read_bytes()) + b"\n(;GM[Skat]PC[x\n")
    done = run("skat", "score", damaged)
    assert done.status == 2
    assert "241" in done.err
    document = found(run, "score", "score", damaged, "--skip-damaged")
    assert [row["line"] for row in document["damaged"]] == [241]
    assert run("skat", "score", tmp_path / "none.sgf").status == 2
    for words in (("fit", path.with_name("four.csv"), "--out", tmp_path / "m.json"),):
        path.with_name("four.csv").write_text(FOUR)
        done = run("skat", *words)
        assert done.status == 2
        assert "needs game records with cards" in done.err


def test_the_file_that_is_read_is_never_written(run: Run, season: Path) -> None:
    before = season.read_bytes()
    for words in (
        ("rate", season, "--json", season),
        ("rate", season, "--matches", season),
        ("score", season, "--out", season),
    ):
        assert run("skat", *words).status == 2
    assert season.read_bytes() == before


def test_the_same_command_gives_the_same_bytes(run: Run, archive: Path) -> None:
    words = ("skat", "rate", archive, "--chance", "i1,i2,i3", "--json", "-")
    assert run(*words).out == run(*words).out


def test_every_phrase_is_there_in_both_languages() -> None:
    for english, german in PHRASES.values():
        assert english
        assert german
        assert {part.partition("}")[0] for part in english.split("{")[1:]} == {
            part.partition("}")[0] for part in german.split("{")[1:]
        }


def test_a_record_keeps_what_the_file_says(season: Path) -> None:
    from ludometer.skat.reading.series_tables import read_series

    record = read_series(str(season))
    assert isinstance(record, Matches)
    assert str(record.time[0]) == "2024-01-01"  # type: ignore[index]
    assert set(seat_column(record, "games").tolist()) == {36.0, 48.0}
