"""Table 2 of Gilbert and Wells from real records: penalised skills, l2 as printed and L within 0.001."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ludometer.matches import Matches
from ludometer.measurement.luck.entropy import measure_entropy_luck, measure_season_luck
from ludometer.measurement.luck.older import measure_variance_ratio
from ludometer.strength.comparisons import gather
from ludometer.strength.pairwise import fit_skills

LEAGUES = ["NFL", "NHL", "NBA", "MLB"]


def season(folder: Path, league: str, year: int) -> Matches:
    """Regular season; the NBA with play-offs, as the paper has it."""
    rows = pl.read_parquet(folder / f"us_{league.lower()}.parquet").filter(pl.col("season") == year)
    if league != "NBA":
        rows = rows.filter(~pl.col("playoff"))
    names = sorted({*rows["player_1"], *rows["player_2"]})
    code = {name: k for k, name in enumerate(names)}
    first, second = ([code[name] for name in rows[column]] for column in ("player_1", "player_2"))
    return Matches.of_pairs(first, second, rows["score_1"].to_numpy())


def table2(folder: Path) -> list[dict[str, str]]:
    with (folder.parent / "reference" / "gilbert_wells_table2.csv").open() as file:
        return list(csv.DictReader(file))


def test_table_2_comes_out_as_printed(shared_data: Path) -> None:
    compared = 0
    for row in table2(shared_data):
        league, year = row["league"], int(row["season"])
        matches = season(shared_data, league, year)
        fit = fit_skills(matches)
        assert fit.converged
        if (league, year) == ("NFL", 2016):
            # printed with 33 teams and 336 matches: not a regular season
            continue
        assert f"{fit.l2():.3f}" == f"{float(row['l2']):.3f}", row
        assert measure_entropy_luck(fit).luck == pytest.approx(float(row["L"]), abs=0.001)
        assert (fit.n_players, len(matches)) == (int(row["teams"]), int(row["matches"]) + (row["matches"] == "2427"))
        compared += 1
    assert compared == 10


@pytest.mark.parametrize(("league", "n_ties"), [("NFL", 2), ("MLB", 1)])
def test_one_or_two_ties_do_not_make_the_fit_diverge(shared_data: Path, league: str, n_ties: int) -> None:
    matches = season(shared_data, league, 2016)
    assert matches.n_draws == n_ties
    for link in ("probit", "logit"):
        for advantage in (False, True):
            fit = fit_skills(matches, link=link, advantage=advantage)
            assert fit.converged
            assert 0 < fit.threshold < 0.1
            assert np.abs(fit.skill).max() < 4


def test_by_the_season_leagues_rank_otherwise_than_by_the_match(shared_data: Path) -> None:
    # Gilbert and Wells, section 4.1: Mauboussin finds the NFL, with its short season, high in luck
    records = {league: season(shared_data, league, 2015) for league in LEAGUES}
    fits = {league: fit_skills(matches) for league, matches in records.items()}
    match = {league: measure_entropy_luck(fit).luck for league, fit in fits.items()}
    whole = {
        league: measure_season_luck(fit, round(2 * len(records[league]) / fit.n_players)).continuous
        for league, fit in fits.items()
    }
    ratio = {league: measure_variance_ratio(matches).luck for league, matches in records.items()}
    assert sorted(match, key=match.__getitem__) == ["NFL", "NBA", "NHL", "MLB"]
    by_season = ["NBA", "MLB", "NFL", "NHL"]
    assert sorted(whole, key=whole.__getitem__) == sorted(ratio, key=ratio.__getitem__) == by_season


def test_chess_of_many_players_fits_without_a_square_matrix(shared_data: Path) -> None:
    rows = pl.read_parquet(shared_data / "chess_twic.parquet", columns=["player_1", "player_2", "score_1"])
    names = pl.concat([rows["player_1"], rows["player_2"]]).unique(maintain_order=True)
    code = dict(zip(names, range(len(names)), strict=True))
    first, second = (rows[column].replace_strict(code, return_dtype=pl.Int32).to_numpy() for column in rows.columns[:2])
    real = first != second
    matches = Matches.of_pairs(first[real], second[real], rows["score_1"].to_numpy()[real])
    assert len(gather(matches)) > 1_000_000
    fit = fit_skills(matches, advantage=True)
    assert fit.converged
    assert fit.n_players > 133_000
    assert fit.advantage is not None
    assert 0 < fit.advantage < 0.5
    assert 0 < measure_entropy_luck(fit).luck < 1
