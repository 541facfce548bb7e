"""Published tables made again: how cells are judged, that none is left out, that what is stored is what comes out."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from reproductions import duersch, ferreira, gilbert_wells
from reproductions.__main__ import all_tables, main
from reproductions.cells import Cell, Outcome, Table
from reproductions.page import render
from reproductions.published import FOLDERS, ROOT, load
from reproductions.results import PAGE, RESULTS, load_results
from reproductions.sources import Sources

from ludometer.measurement.as_printed import measure_mixed_persistence
from ludometer.measurement.spread import measure_persistence
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.simulate import mix, simulate_deterministic, simulate_strengths

NOWHERE = Path("no-such-folder")
WITHOUT_DATA = (
    "edelkamp-2",
    "edelkamp-8",
    "edelkamp-examples",
    "ferreira-1",
    "ferreira-3",
    "ferreira-4",
    "smith-learning",
    "smith-numbers",
)


def cell(printed: float, ours: float | None, decimals: int = 1, **more: object) -> Cell:
    return Cell("row", "column", printed, decimals, "file.csv", ours, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def stored() -> dict[str, Table]:
    return {table.name: table for table in load_results()}


@pytest.mark.parametrize(
    ("judged", "outcome"),
    [
        (cell(218.8, 218.849), "rounding"),
        (cell(218.8, 218.85), "rounding"),
        (cell(218.8, 218.851), "percent"),
        (cell(218.8, 217.93), "percent"),
        (cell(218.8, 216.6), "further"),
        (cell(100.0, 101.0), "percent"),
        (cell(100.0, 101.1), "further"),
        (cell(-100.0, -99.0), "percent"),
        (cell(2.675, 2.67, decimals=2), "rounding"),
        (cell(165, 167, decimals=0, span=(165.0, 169.0)), "rounding"),
        (cell(163, 167, decimals=0, span=(165.0, 169.0)), "further"),
        (cell(91.9, 88.5, sd=2.2), "chance"),
        (cell(91.9, 88.5, sd=1.6), "further"),
        (cell(91.9, 91.5, sd=1.6), "percent"),
        (cell(0.3, 0.25, bound=True), "rounding"),
        (cell(0.3, 0.3, bound=True), "further"),
        (cell(1295, 1245, decimals=0, misprint="1245"), "misprint"),
        (cell(7138, None, decimals=0, misprint="those of chess"), "misprint"),
        (cell(24.5, None, note="not public"), "absent"),
        (cell(2800, None, decimals=0, given=True), "given"),
        (cell(0.0, 0.0, decimals=0), "rounding"),
    ],
)  # fmt: skip
def test_a_cell_is_judged_by_the_digits_of_its_print(judged: Cell, outcome: Outcome) -> None:
    assert judged.outcome == outcome


def test_a_table_shows_printed_above_ours_and_comes_back_from_its_stored_form() -> None:
    cells = (
        Cell("Tennis", "sd", 218.8, 1, "f.csv", 217.932, "later"),
        Cell("Tennis", "rep", 12637, 0, "f.csv", 10381, "paper", misprint="10,381"),
        Cell("Go", "sd", 278.9, 1, "f.csv", note="needs the games"),
        Cell("Go", "rep", 1, 0, "f.csv", 1, "paper", span=(1, 1)),
    )
    table = Table("t", "A table", cells, ("a note",))
    assert table.to_text().splitlines() == [
        "                    sd       rep",
        "Tennis  printed  218.8    12,637",
        "        ours     217.9 ~  10,381 !",
        "Go      printed  278.9         1",
        "        ours           .       1 =",
    ]
    assert table.remarks() == ["Tennis (rep): misprint: 10,381", "Go (sd): needs the games"]
    again = Table.of_dict(table.to_dict())
    assert (again.to_text(), again.counts(), again.notes) == (table.to_text(), table.counts(), table.notes)
    assert "| t | 4 | 1 | 1 |  |  | 1 | 1 |  |" in render([table])


def test_every_published_number_is_in_one_cell_and_no_cell_is_without_one(stored: dict[str, Table]) -> None:
    files = [path for folder in FOLDERS for path in sorted(folder.glob("*.csv"))]
    assert len({path.name for path in files}) == len(files) == 25
    printed = {
        (path.name, row.name, column): row[column] for path in files for row in load(path.name) for column in row.texts
    }
    cells = Counter((cell.file, cell.row, cell.column) for table in stored.values() for cell in table.cells)
    assert set(cells) == set(printed)
    assert set(cells.values()) == {1}
    for table in stored.values():
        for cell in table.cells:
            assert cell.printed == printed[cell.file, cell.row, cell.column]
    assert len(printed) > 1_600


def test_copies_of_published_numbers_are_those_of_the_reference_folder(shared_data: Path) -> None:
    compared = 0
    for path in sorted(FOLDERS[0].glob("*.csv")):
        source = shared_data.parent / "reference" / path.name
        if source.exists():
            assert path.read_text(encoding="utf-8").split() == source.read_text(encoding="utf-8").split()
            compared += 1
    assert compared == 7


def test_every_cell_says_where_ours_is_from_or_why_there_is_none(stored: dict[str, Table]) -> None:
    assert list(stored) == list(all_tables())
    for table in stored.values():
        for cell in table.cells:
            if cell.outcome == "absent":
                assert cell.note, (table.name, cell)
            elif cell.ours is not None:
                assert cell.basis or cell.given, (table.name, cell)
            if cell.misprint and cell.ours is not None:
                assert abs(cell.ours - cell.printed) > 0.5 * 10**-cell.decimals, (table.name, cell)


def test_the_page_is_what_the_stored_results_give(stored: dict[str, Table]) -> None:
    assert PAGE.read_text(encoding="utf-8") == render(list(stored.values()))


@pytest.mark.parametrize("name", WITHOUT_DATA)
def test_tables_that_need_no_data_come_out_as_stored(stored: dict[str, Table], name: str) -> None:
    made = all_tables()[name](Sources(shared=NOWHERE))
    assert made == stored[name]


def test_what_has_to_agree_agrees(stored: dict[str, Table]) -> None:
    counts = {name: table.counts() for name, table in stored.items()}
    assert counts["edelkamp-2"] == {"rounding": 60, "given": 30}
    assert counts["gilbert-wells-2"] == {"rounding": 40, "absent": 4}
    assert counts["ferreira-figure-1"] == {"rounding": 11, "misprint": 1}
    assert counts["ferreira-1-scores"] == {"rounding": 99}
    for name in ("duersch-2", "duersch-3", "duersch-4", "duersch-5", "duersch-6", "duersch-7"):
        computed = Counter(cell.outcome for cell in stored[name].cells if cell.basis == "paper")
        assert set(computed) <= {"rounding", "misprint"}, name
    slips = [
        (cell.printed, cell.ours) for name in ("duersch-2", "duersch-5") for cell in stored[name].cells if cell.misprint
    ]
    assert slips == [(12_637, 10_381), (56_868, 112_075)]


def test_without_data_what_follows_from_the_print_is_left_and_the_rest_says_what_it_needs() -> None:
    table = duersch.differences(Sources(shared=NOWHERE))
    assert table.counts() == {"rounding": 24, "absent": 12}
    tennis = next(cell for cell in table.cells if cell.row == "Tennis" and cell.outcome == "absent")
    assert "tennis_atp_1968_2017.parquet" in tennis.note
    assert gilbert_wells.penalised(Sources(shared=NOWHERE)).counts() == {"absent": 44}
    assert ferreira.century(Sources(shared=NOWHERE)).counts() == {"absent": 12}


@pytest.mark.parametrize("name", ["gilbert-wells-2", "ferreira-1-scores", "ferreira-figure-1"])
def test_tables_of_real_data_come_out_as_stored(shared_data: Path, stored: dict[str, Table], name: str) -> None:
    made = all_tables()[name](Sources(shared=shared_data.parent))
    assert made.counts() == stored[name].counts()
    assert made.to_text() == stored[name].to_text()


def test_a_row_is_measured_from_the_users_own_file(tmp_path: Path) -> None:
    game = simulate_strengths(200, 8_000, sd=150, seed=1).pairs
    path = tmp_path / "go.csv"
    pl.DataFrame({"white": game.first, "black": game.second, "result": game.score}).write_csv(path)
    sources = Sources(shared=NOWHERE, files={"Go": str(path)})
    table = duersch.spreads(2, sources)
    go = {cell.column: cell for cell in table.cells if cell.row == "Go"}
    assert {cell.basis for cell in go.values()} == {"data"}
    assert go["sd"].ours == pytest.approx(150, abs=25)
    assert duersch.steps(sources).counts()["absent"] == duersch.steps(Sources(shared=NOWHERE)).counts()["absent"] - 2


def test_differences_are_measured_from_the_users_own_evaluations(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    names = [row.name for row in load("ferreira_table1_4.csv")]
    rows = []
    for number, (i, j) in enumerate(zip(*np.triu_indices(9, 1), strict=True)):
        values = np.round(np.cumsum(rng.normal(0, 0.3, 41)), 2)
        for ply, value in enumerate(values):
            player = "" if ply == 0 else f"{names[i if ply % 2 else j]},X"
            rows.append((number, ply, player, value))
    path = tmp_path / "london.csv"
    pl.DataFrame(rows, schema=["game", "ply", "player", "evaluation"], orient="row").write_csv(path)
    sources = Sources(shared=NOWHERE, files={ferreira.LONDON: str(path)})
    found = {(cell.row, cell.column): cell for cell in ferreira.strengths(sources).cells if cell.basis == "data"}
    assert len(found) == 72
    for (row, column), made in found.items():
        mirror = found[column.removeprefix("d_"), f"d_{row}"].ours
        assert made.ours is not None
        assert mirror == pytest.approx(-made.ours)
    assert ferreira.engine(sources).counts()["absent"] == 0


def test_the_command_names_tables_shows_them_and_refuses_what_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    run = CliRunner().invoke
    assert run(main, ["--list"]).output.split() == list(all_tables())
    shown = run(main, ["edelkamp-2"])
    assert shown.exit_code == 0
    assert "60 within rounding, 30 input" in shown.output
    for words in (["duersch-10"], ["--data", "Go"], ["--data", "Go=x.csv", "--write"]):
        assert run(main, words).exit_code == 2
    assert RESULTS.exists()


def test_the_benchmark_depends_on_how_much_is_played() -> None:
    # Duersch et al. 2020 take the SD of x%-deterministic as independent of the number of matches
    sd = []
    for n_matches in (12_500, 50_000, 500_000):
        games = (simulate_deterministic(1_000, n_matches, x=10, seed=seed) for seed in range(3))
        sd.append(np.mean([fit_best_elo(game).rating.std(ddof=1) for game in games]))
    assert sd[0] < sd[1] < sd[2]
    assert sd[2] > 1.5 * sd[1]


def test_averages_of_halves_persist_more_than_averages_of_what_was_scored() -> None:
    # Duersch et al. 2020, Table 4, 50%-chess
    chess = simulate_strengths(300, 30_000, sd=170, draws=0.3, seed=1)
    printed, plain = (
        measure_mixed_persistence(chess, 50, seed=1).slope,
        measure_persistence(mix(chess, 50, seed=1)).slope,
    )
    assert printed is not None
    assert plain is not None
    assert printed > 1.2 * plain


def test_the_page_of_errors_names_tests_and_tables_that_exist() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", page)
    assert len(named) > 35
    for path, test in named:
        assert re.search(rf"^def {test}\(", (ROOT / path).read_text(encoding="utf-8"), re.M), f"{path}::{test}"
    tables = set(re.findall(r"`python -m reproductions ([\w-]+)`", page))
    assert tables <= set(all_tables())
    assert len(tables) > 10
