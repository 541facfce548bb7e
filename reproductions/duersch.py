"""Duersch, Lambrecht, Oechssler, Measuring skill and chance in games (2020): Tables 1 to 9 and numbers of the text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ludometer.measurement.spread import repetitions
from ludometer.scale import expected_score
from reproductions.cells import Basis, Cell, Table
from reproductions.duersch_games import (
    SEEDS,
    Measured,
    Simulated,
    chess_basis,
    measure_bounded,
    measure_game,
    measure_quarter,
    missing,
    simulate_chance,
    simulate_share,
)
from reproductions.published import Row, by_name, load
from reproductions.sources import Sources

SPREADS = {
    2: ("duersch2020_table2_regulars.csv", 25, "regulars, at least 25 matches"),
    5: ("duersch2020_table5_all.csv", 1, "all players"),
    6: ("duersch2020_table6_100plus.csv", 100, "at least 100 matches"),
}
"""Table → its file, its cutoff and whom it is about."""

DETERMINISTIC = "50% Determ."
HALF_CHESS = "50% Chess"
DECIMALS = {"rep": 0, "obs": 0}
"""Other columns of rating distributions have one."""

_SLIPS = {
    ("Crazy 8s (3p)", 12_637.0): "an SD of 2.3 needs 10,381 games (9,945 to 10,849 within its rounding); "
    "12,637 is the number for a p_sd rounded to 50.3%",
    ("Crazy 8s (3p)", 56_868.0): "an SD of 0.7 needs 112,075 games; 56,868 is even, so it is no smallest odd number",
}
_HALF = 0.05
"""Of the last digit of SDs and ratings."""


def tables() -> dict[str, Callable[[Sources], Table]]:
    """Name → what makes the table."""
    made: dict[str, Callable[[Sources], Table]] = {"duersch-1": sizes}
    made |= {f"duersch-{number}": _spread_maker(number) for number in SPREADS}
    made |= {
        "duersch-3": differences,
        "duersch-4": persistence,
        "duersch-7": steps,
        "duersch-8": pure_chance,
        "duersch-9": mixed_games,
        "duersch-text": text,
    }
    return dict(sorted(made.items()))


def sizes(sources: Sources) -> Table:
    """Table 1: how large the records are."""
    file, cells = "duersch2020_table1.csv", []
    for row in load(file):
        measured = measure_game(row.name, sources)
        ours = {} if measured is None else {name: float(getattr(measured, name)) for name in row.texts}
        cells += _row(file, row, ours, measured, decimals=dict.fromkeys(row.texts, 0))
    return Table("duersch-1", "Duersch et al., Table 1: players, regulars and matches", tuple(cells), _WHICH)


def _spread_maker(number: int) -> Callable[[Sources], Table]:
    def make(sources: Sources) -> Table:
        return spreads(number, sources)

    return make


def spreads(number: int, sources: Sources) -> Table:
    """Tables 2, 5 and 6: how ratings spread."""
    file, cutoff, whom = SPREADS[number]
    cells: list[Cell] = []
    for row in load(file):
        if row.name == DETERMINISTIC:
            cells += _simulated_row(file, row, simulate_share(50, sources))
            continue
        measured = measure_game(row.name, sources)
        if measured is not None:
            cells += _row(file, row, _of_spread(measured, cutoff), measured)
            continue
        known = _computed(file, row)
        if "obs" in row.texts and number == 5:
            known |= {"obs": _cell(file, row, "obs", _players(row.name), "paper", note="the players of Table 1")}
        cells += [known.get(name) or _missing(file, row, name) for name in row.texts]
    title = f"Duersch et al., Table {number}: best-fit ratings, {whom}"
    return Table(f"duersch-{number}", title, tuple(cells), (*_WHICH, _HOW))


def differences(sources: Sources) -> Table:
    """Table 3: how far apart those who met were rated."""
    file, regulars = "duersch2020_table3.csv", by_name(SPREADS[2][0])
    cells: list[Cell] = []
    for row in load(file):
        measured = measure_game(row.name, sources)
        if measured is not None:
            sd = _of_spread(measured, 25)["sd"]
            ours = {"avg_rating_diff": measured.difference, "sd": sd, "ratio": measured.difference / sd}
            cells += _row(file, row, ours, measured, decimals={"ratio": 2})
            continue
        low, high = (row["avg_rating_diff"] - _HALF, row["avg_rating_diff"] + _HALF)
        span = low / (row["sd"] + _HALF), high / (row["sd"] - _HALF)
        ratio = row["avg_rating_diff"] / row["sd"]
        cells += [
            _missing(file, row, "avg_rating_diff"),
            _cell(file, row, "sd", regulars[row.name]["sd"], "paper", note="the SD of Table 2"),
            _cell(file, row, "ratio", ratio, "paper", decimals=2, span=span),
        ]
    return Table("duersch-3", "Duersch et al., Table 3: differences of players who met", tuple(cells), _WHICH)


def persistence(sources: Sources) -> Table:
    """Table 4: whether success goes on."""
    file, cells = "duersch2020_table4.csv", []
    decimals = {"observations": 0, "slope": 3, "std_error": 3, "t": 2, "r2": 3}
    for row in load(file):
        measured = measure_game(row.name, sources)
        if measured is not None:
            found = measured.persistence
            cells += _row(file, row, {name: float(getattr(found, name)) for name in decimals}, measured, decimals)
            continue
        half = 0.0005
        span = (row["slope"] - half) / (row["std_error"] + half), (row["slope"] + half) / (row["std_error"] - half)
        for name in row.texts:
            if name == "t":
                ours = row["slope"] / row["std_error"]
                cells.append(_cell(file, row, "t", ours, "paper", decimals=2, span=span))
            else:
                cells.append(_missing(file, row, name, decimals=decimals[name]))
    return Table("duersch-4", "Duersch et al., Table 4: regression on past averages", tuple(cells), _WHICH)


def steps(sources: Sources) -> Table:
    """Table 7: best steps and losses."""
    file, cells = "duersch2020_table7.csv", []
    decimals = {"loss_0": 3, "loss_k": 3, "k": 1}
    for row in load(file):
        measured = measure_game(row.name, sources)
        if measured is not None:
            ours = {"loss_0": measured.loss_at_zero, "loss_k": measured.loss, "k": measured.k}
            cells += _row(file, row, ours, measured, decimals)
            continue
        if row["loss_0"] == 0.5:
            note = "both players miss by a half where nothing is drawn"
            cells.append(_cell(file, row, "loss_0", 0.5, "paper", decimals=3, note=note))
        else:
            cells.append(_missing(file, row, "loss_0", decimals=3))
        cells += [_missing(file, row, name, decimals=decimals[name]) for name in ("loss_k", "k")]
    return Table("duersch-7", "Duersch et al., Table 7: best steps and losses", tuple(cells), _WHICH)


def pure_chance(sources: Sources) -> Table:
    """Table 8: coins on schedules of the printed sizes."""
    file, cells, known = "duersch2020_table8.csv", [], by_name("duersch2020_table1.csv")
    notes = []
    for row in load(file):
        for name in ("players", "regulars", "matches"):
            cells.append(_cell(file, row, name, known[row.name][name], "paper", decimals=0, note="as in Table 1"))
        sizes = int(row["players"]), int(row["regulars"]), int(row["matches"])
        coins = sources.once(f"coins {row.name}", partial(simulate_chance, *sizes))
        for name in ("sd_all", "sd_regulars"):
            found = coins[name]
            cells.append(
                Cell(
                    row.name, name, row[name], row.digits(name), file, float(np.median(found)), "simulated",
                    sd=float(np.std(found, ddof=1)), bound=True,
                )
            )  # fmt: skip
        below = sum(value < row["sd_all"] for value in coins["sd_all"])
        top = max(coins["sd_all"])
        notes.append(f"{row.name}: {below} of {SEEDS} schedules below the printed bound, the widest has SD {top:.2f}")
    about = (
        f"Medians over {SEEDS} simulated schedules with the printed numbers of players, regulars and matches (activity "
        "log-normal), since the real ones are not public. The best k of a record of coins is 0 in many runs and small "
        "in the others; the paper has one run each, so its bounds are those of three runs, not of the method."
    )
    return Table("duersch-8", "Duersch et al., Table 8: pure chance", tuple(cells), (about, *notes))


def mixed_games(sources: Sources) -> Table:
    """Table 9: games that are x % deterministic."""
    file = "duersch2020_table9.csv"
    cells = [
        cell
        for row in load(file)
        for cell in _simulated_row(file, row, simulate_share(int(row.name.partition("%")[0]), sources))
    ]
    about = (
        f"Means over {SEEDS} simulated games of 1,000 players with 50,000 matches; the paper does not print its number "
        "of matches and has one game each. How far one game lies from the next is the chance that marks refer to."
    )
    return Table("duersch-9", "Duersch et al., Table 9: x % deterministic", tuple(cells), (about,))


def text(sources: Sources) -> Table:
    """Numbers of the text and of footnote 34."""
    file, fifteen = "duersch2020_text.csv", simulate_share(15, sources)
    bounded, quarter = measure_bounded(sources), measure_quarter(sources)
    basis = chess_basis(sources)
    found: dict[str, tuple[float | None, Basis]] = {
        "50%-chess, bounded expectation: p_sd": (None if bounded is None else bounded["p_sd"], basis),
        "50%-chess, bounded expectation: p_1_99": (None if bounded is None else bounded["p_1_99"], basis),
        "25%-chess: SD, said to be that of poker": (quarter, basis),
        "15%-deterministic: SD, said to be that of poker": (fifteen.mean["sd"], "simulated"),
        "100 points ahead: expected score": (float(expected_score(np.array(100.0))), "paper"),
    }
    cells = []
    for row in load(file):
        ours, source = found[row.name]
        spread = fifteen.sd["sd"] if source == "simulated" else None
        note = missing("Chess") if ours is None else _CHESS if source == "other" else ""
        decimals = row.digits("printed")
        known = None if ours is None else source
        cells.append(
            Cell(row.name, "printed", row["printed"], decimals, file, ours, known, sd=spread, note=note)
        )  # fmt: skip
    return Table("duersch-text", "Duersch et al., footnote 34 and section 4", tuple(cells))


_CHESS = "The Week in Chess instead of ChessBase"
_WHICH = (
    "Tennis: the source of the paper as of 2024, matches of 1968 to 2017; which of them the paper took is not told. "
    "Chess: The Week in Chess, slow games of 2000 to 2016, two fifths of the size of the paper's ChessBase collection, "
    "with draws more often; 50% Chess is made from it.",
)
_HOW = (
    "Where there is no record, p_sd, p_1_99 and rep are computed from the SD and quantiles of the same row; within "
    "rounding then means within what the rounding of these allows."
)


def _of_spread(measured: Measured, cutoff: int) -> dict[str, float]:
    spread = measured.spread[cutoff]
    return spread | {"obs": spread["n"]}


def _row(
    file: str, row: Row, ours: dict[str, float], measured: Measured | None, decimals: dict[str, int] | None = None
) -> list[Cell]:
    """All cells of a row from one record, or none of them."""
    digits = decimals or {}
    if measured is None:
        return [_missing(file, row, name, decimals=digits.get(name)) for name in row.texts]
    return [_cell(file, row, name, ours[name], measured.basis, decimals=digits.get(name)) for name in row.texts]


def _simulated_row(file: str, row: Row, games: Simulated) -> list[Cell]:
    return [
        _cell(file, row, name, 1000.0, given=True, note="")
        if name == "obs"
        else _cell(file, row, name, games.mean[name], "simulated", sd=games.sd[name])
        for name in row.texts
    ]


def _computed(file: str, row: Row) -> dict[str, Cell]:
    """What follows from the SD and the quantiles of the same row."""
    sd, width = row["sd"], row["q99"] - row["q01"]
    p_sd, p_width = _percent(sd), _percent(width)
    spans = _percent(sd - _HALF), _percent(sd + _HALF)
    wide = _percent(width - 2 * _HALF), _percent(width + 2 * _HALF)
    needed = tuple(float(_needed(value)) for value in (sd + _HALF, sd - _HALF))
    return {
        "p_sd": _cell(file, row, "p_sd", p_sd, "paper", span=spans),
        "p_1_99": _cell(file, row, "p_1_99", p_width, "paper", span=wide),
        "rep": _cell(
            file, row, "rep", float(_needed(sd)), "paper", decimals=0, span=(needed[0], needed[1]),
            misprint=_SLIPS.get((row.name, row["rep"]), ""),
        ),
    }  # fmt: skip


def _percent(difference: float) -> float:
    return 100 * float(expected_score(np.array(difference)))


def _needed(sd: float) -> int:
    games = repetitions(float(expected_score(np.array(sd))))
    assert games is not None
    return games


def _players(game: str) -> float | None:
    rows = by_name("duersch2020_table1.csv")
    return rows["Chess" if game == HALF_CHESS else game]["players"]


def _missing(file: str, row: Row, name: str, *, decimals: int | None = None) -> Cell:
    return _cell(file, row, name, None, decimals=decimals, note=missing(row.name))


def _cell(
    file: str,
    row: Row,
    name: str,
    ours: float | None,
    basis: Basis | None = None,
    *,
    decimals: int | None = None,
    span: tuple[float, float] | None = None,
    sd: float | None = None,
    given: bool = False,
    misprint: str = "",
    note: str = "",
) -> Cell:
    digits = DECIMALS.get(name, 1) if decimals is None else decimals
    return Cell(row.name, name, row[name], digits, file, ours, basis, span, sd, False, given, misprint, note)
