"""Gilbert, Wells, Ludometrics: luck of leagues (Tables 2, 3) and of games (Tables 4, 5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ludometer.matches import Matches
from ludometer.measurement.luck.entropy import measure_entropy_luck
from ludometer.measurement.luck.population import PopulationLuck, measure_population
from ludometer.read import read_matches
from ludometer.selection import keep_connected
from ludometer.strength.pairwise import fit_skills
from reproductions.cells import Basis, Cell, Table
from reproductions.published import Row, load
from reproductions.sources import Sources

_PRIOR = "invgamma:2,1"
_ESS, _ESS_OF_CHESS, _BUDGET = 5_000, 1_000, 100_000
_PAPERS_DRAWS = 250
_FEWEST = 5
"""Players of a component; without smaller ones the printed numbers of chess come out."""

DECIMALS = {"teams": 0, "players": 0, "matches": 0, "L": 3, "l2": 3, "l2_sd": 3, "t": 3, "t_sd": 4}
_NFL = (
    "printed with 33 teams and 336 matches; the league has 32 teams and its regular season 256 matches (267 with "
    "play-offs), so which matches these are cannot be told"
)
_SEASONS = "these are the counts of chess in Table 4; those of Seasons are printed nowhere"
_ARENA = "needs the games of boardgamearena.com, which its authors were given and which are not public"
_GO = (
    "needs pro2000+.zip of github.com/yenw/computer-go-dataset (42,302 professional games since 2000), not at hand here"
)


def tables() -> dict[str, Callable[[Sources], Table]]:
    """Name → what makes the table."""
    return {
        "gilbert-wells-2": penalised,
        "gilbert-wells-3": population,
        "gilbert-wells-4": _four,
        "gilbert-wells-5": _five,
    }


def penalised(sources: Sources) -> Table:
    """Table 2: penalised skills."""
    file, cells = "gilbert_wells_table2.csv", []
    for row in load(file):
        matches = read_season(row, sources)
        if matches is None:
            cells += _absent(file, row)
            continue
        fit = fit_skills(matches)
        luck = measure_entropy_luck(fit).luck
        ours = {"teams": float(fit.n_players), "matches": float(len(matches)), "L": luck, "l2": fit.l2()}
        cells += [_cell(file, row, name, ours[name], "data") for name in row.texts]
    return Table("gilbert-wells-2", "Gilbert and Wells, Table 2: penalised skills", tuple(cells), (_RIDGE, _LEAGUES))


def population(sources: Sources) -> Table:
    """Table 3: the spread of the population, by the printed sampler with the printed prior."""
    file, cells, corrected = "gilbert_wells_table3.csv", [], []
    for row in load(file):
        matches = read_season(row, sources)
        if matches is None:
            cells += _absent(file, row)
            continue
        luck = _sample(matches, _ESS)
        right = measure_population(matches, prior=_PRIOR, ess=_ESS, budget=_BUDGET, compare_prior=False)
        flat = measure_population(matches, ess=_ESS, budget=_BUDGET, compare_prior=False)
        corrected.append(f"{row.name} {right.l2:.3f}, {flat.l2:.3f}")
        found = _Posterior.of(luck, len(matches))
        cells += [_cell(file, row, name, found.ours[name], "data", sd=found.chance.get(name)) for name in row.texts]
    notes = [_SAMPLER, _LEAGUES]
    if corrected:
        notes.append("ℓ² by the right sampler, with the printed prior and with a flat one: " + "; ".join(corrected))
    return Table("gilbert-wells-3", "Gilbert and Wells, Table 3: population", tuple(cells), tuple(notes))


def _four(sources: Sources) -> Table:
    cells: list[Cell] = []
    notes = [_SAMPLER]
    for row in _games("Go", "Chess"):
        matches = _read_game(row.name, sources)
        cells += _game_row(row, matches, _GO if row.name == "Go" else "needs chess_kaggle2010.parquet")
    return Table("gilbert-wells-4", "Gilbert and Wells, Table 4: Go and chess", tuple(cells), tuple(notes))


def _five(sources: Sources) -> Table:
    cells: list[Cell] = []
    for row in _games("Race for the Galaxy", "Seasons"):
        cells += _game_row(row, _read_game(row.name, sources), _ARENA)
    return Table("gilbert-wells-5", "Gilbert and Wells, Table 5: games of boardgamearena.com", tuple(cells), (_RACE,))


def read_season(row: Row, sources: Sources) -> Matches | None:
    """The matches of a league in a season, as the paper has them; None for the NFL of 2016."""
    league, season = row.name.split()
    if (league, season) == ("NFL", "2016"):
        return None
    where = f"season = {season}" + ("" if league == "NBA" else " and not playoff")
    if (league, season) == ("MLB", "2016"):
        # 2,428 were played, one of them a tie, which the printed number leaves out
        where += " and score_1 != 0.5"
    return sources.record(f"us_{league.lower()}.parquet", where)


@dataclass(frozen=True)
class _Posterior:
    ours: dict[str, float]
    chance: dict[str, float]

    @classmethod
    def of(cls, luck: PopulationLuck, n_matches: int) -> _Posterior:
        """Means and SDs, and how far 250 draws of such a chain lie from them."""
        draws = _PAPERS_DRAWS * min(1.0, luck.ess / luck.sample.sigma.size)
        ours = {
            "l2": luck.l2,
            "l2_sd": luck.l2_sd,
            "t": luck.t,
            "t_sd": luck.posterior("t").sd,
            "matches": float(n_matches),
        }
        ours |= dict.fromkeys(("teams", "players"), float(len(luck.players)))
        chance = {name: ours[f"{name}_sd"] / math.sqrt(draws) for name in ("l2", "t")}
        chance |= {f"{name}_sd": ours[f"{name}_sd"] / math.sqrt(2 * draws) for name in ("l2", "t")}
        return cls(ours, chance)


def _sample(matches: Matches, ess: float) -> PopulationLuck:
    return measure_population(
        matches, prior=_PRIOR, sampler="printed", ess=ess, budget=_BUDGET, compare_prior=False
    )  # fmt: skip


def _games(*names: str) -> list[Row]:
    return [row for row in load("gilbert_wells_table4_5.csv") if row.name in names]


def _read_game(name: str, sources: Sources) -> Matches | None:
    if name in sources.files:
        return keep_connected(read_matches(sources.files[name]), min_players=_FEWEST).matches
    return sources.matches("chess_kaggle2010.parquet", min_players=_FEWEST) if name == "Chess" else None


def _game_row(row: Row, matches: Matches | None, why: str) -> list[Cell]:
    file = "gilbert_wells_table4_5.csv"
    digits = _DIGITS[row.name]
    if matches is not None:
        found = _Posterior.of(_sample(matches, _ESS_OF_CHESS), len(matches))
        return [
            _cell(file, row, name, found.ours[name], "data", sd=found.chance.get(name), decimals=digits.get(name))
            for name in row.texts
        ]
    cells = []
    for name in row.texts:
        if row.name == "Go" and name in ("t", "t_sd"):
            cells.append(_cell(file, row, name, 0.0, "paper", decimals=0, note="Go has no ties"))
            continue
        wrong = _SEASONS if row.name == "Seasons" and name in ("players", "matches") else ""
        cells.append(_cell(file, row, name, None, note=why, decimals=digits.get(name), misprint=wrong))
    return cells


def _absent(file: str, row: Row) -> list[Cell]:
    league = row.name.split()[0].lower()
    why = _NFL if row.name == "NFL 2016" else f"needs us_{league}.parquet of the shared data"
    return [_cell(file, row, name, None, note=why) for name in row.texts]


def _cell(
    file: str,
    row: Row,
    name: str,
    ours: float | None,
    basis: Basis | None = None,
    *,
    sd: float | None = None,
    note: str = "",
    decimals: int | None = None,
    misprint: str = "",
) -> Cell:
    digits = DECIMALS[name] if decimals is None else decimals
    return Cell(row.name, name, row[name], digits, file, ours, basis, sd=sd, misprint=misprint, note=note)


_DIGITS = {
    "Go": {"t": 0, "t_sd": 0},
    "Chess": {"t": 2, "t_sd": 3},
    "Race for the Galaxy": {"l2_sd": 5},
    "Seasons": {},
}
"""Where a row of Tables 4 and 5 is printed with other digits."""

_RIDGE = "λ = 0.25 and the sample variance of skills; the caption's λ = 0.3 gives other numbers (docs/luck.md)."
_LEAGUES = (
    "Regular seasons, the NBA with play-offs. MLB 2016 without its one tied match, which makes the printed 2,427. "
    "Baseball: the information used here was obtained free of charge from and is copyrighted by Retrosheet. Interested "
    "parties may contact Retrosheet at www.retrosheet.org."
)
_SAMPLER = (
    "The sampler and the prior as printed, of which the first is wrong (docs/errors.md). The paper took 250 draws "
    "after 100, so its numbers are off by chance: at least by the SD over the root of the effective ones among 250."
)
_RACE = (
    "The shared data have Race for the Galaxy of two other sites, with other players; that is no reproduction and is "
    "not counted."
)
