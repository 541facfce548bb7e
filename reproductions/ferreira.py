"""Ferreira, Determining the strength of chess players based on actual play (2012): Tables 1, 3, 4 and Figure 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.chess.record.tables import read_evaluations
from ludometer.chess.strength.gains import measure_gains
from ludometer.chess.strength.strengths import engine_strength, iterate_as_printed, measure_strengths, solve_strengths
from ludometer.chess.strength.trajectory import follow_player
from ludometer.moves.gains import Gains, expected_score, rating_difference
from ludometer.read import read_matches
from reproductions.cells import Basis, Cell, Table
from reproductions.published import Row, load
from reproductions.sources import Sources

LONDON, CANDIDATES = "London Classic 2011", "Candidates 2011"
_ENGINE = 2860.0
_HOUDINI = "needs evaluations by Houdini 1.5a (64 bit, depth 20), a closed engine; they are not published"
_MAIN, _SCORES = "ferreira_table1_4.csv", "ferreira_table1_scores.csv"
_THIRD, _PAIRS = "ferreira_table3.csv", "ferreira_table3_pairs.csv"


def tables() -> dict[str, Callable[[Sources], Table]]:
    """Name → what makes the table."""
    return {
        "ferreira-1": strengths,
        "ferreira-1-scores": scores,
        "ferreira-3": candidates,
        "ferreira-4": engine,
        "ferreira-figure-1": century,
    }


def strengths(sources: Sources) -> Table:
    """Table 1: rating differences and the strengths that follow."""
    rows = load(_MAIN)
    names, gains = [row.name for row in rows], _own_gains(LONDON, sources)
    printed = iterate_as_printed(*_london(rows), np.array([row["elo"] for row in rows]))
    cells: list[Cell] = []
    for number, row in enumerate(rows):
        cells.append(_cell(_MAIN, row, "elo", given=True))
        for other, name in enumerate(names):
            column = f"d_{name}"
            if other == number:
                cells.append(_cell(_MAIN, row, column, given=True))
            elif gains is not None:
                score = expected_score(_of(gains, row.name), _of(gains, name))
                cells.append(_cell(_MAIN, row, column, float(rating_difference(score)), "data"))
            elif other < number:
                cells.append(_cell(_MAIN, row, column, -rows[other][f"d_{row.name}"], "paper"))
            else:
                cells.append(_cell(_MAIN, row, column, note=_HOUDINI))
        cells.append(_cell(_MAIN, row, "strength", float(printed[number]), "paper"))
    about = (
        "On the diagonal nothing is printed; below it stands the other side's difference with its sign changed. "
        "Strengths are from the printed differences by the paper's iteration with whole numbers at every step; exact "
        "least squares, ludometer's default, has three of them one point lower."
    )
    return Table(
        "ferreira-1", "Ferreira, Table 1: rating differences and strengths, London 2011", tuple(cells), (about,)
    )


def scores(sources: Sources) -> Table:
    """Table 1: expected scores, points and changes."""
    main, rows = {row.name: row for row in load(_MAIN)}, load(_SCORES)
    points = _points(sources)
    cells: list[Cell] = []
    for row in rows:
        others = [name for name in main if name != row.name]
        won = {name: _score(main[row.name][f"d_{name}"]) for name in others}
        spans = {name: _around(main[row.name][f"d_{name}"]) for name in others}
        cells += [_cell(_SCORES, row, f"p_{name}", won[name], "paper", decimals=2, span=spans[name]) for name in others]
        if points is None:
            cells.append(_cell(_SCORES, row, "points", note="needs london_classic_2011.pgn", decimals=1))
        else:
            cells.append(_cell(_SCORES, row, "points", points[row.name], "data", decimals=1))
        # the printed total is of scores with two digits, or of more
        total, half = sum(row[f"p_{name}"] for name in others), 0.005 * len(others)
        cells.append(
            _cell(_SCORES, row, "expected", sum(won.values()), "paper", decimals=2, span=(total - half, total + half))
        )
        change = main[row.name]["strength"] - main[row.name]["elo"]
        cells.append(_cell(_SCORES, row, "change", change, "paper"))
    about = "Expected scores from the printed differences, p = Φ(d / (200 √2)); points from the games."
    columns = (*(f"p_{name}" for name in main), "points", "expected", "change")
    return Table("ferreira-1-scores", "Ferreira, Table 1: expected scores and points", tuple(cells), (about,), columns)


def candidates(sources: Sources) -> Table:
    """Table 3: a knockout."""
    rows, pairs = load(_THIRD), load(_PAIRS)
    names = [row.name for row in rows]
    met = [pair.name.split() for pair in pairs]
    first, second = (np.array([names.index(pair[side]) for pair in met], np.int32) for side in (0, 1))
    elo = np.array([row["elo"] for row in rows])
    exact = solve_strengths(first, second, np.array([pair["d"] for pair in pairs]), len(rows)) + elo.mean()
    gains, cells = _own_gains(CANDIDATES, sources), []
    for row, strength in zip(rows, exact, strict=True):
        cells += [_cell(_THIRD, row, "elo", given=True)]
        cells += [_cell(_THIRD, row, "strength_printed", float(strength), "paper")]
    for pair, (one, other) in zip(pairs, met, strict=True):
        if gains is None:
            cells.append(_cell(_PAIRS, pair, "d", note=_HOUDINI))
        else:
            d = float(rating_difference(_score_of_match(gains, one, other)))
            cells.append(_cell(_PAIRS, pair, "d", d, "data"))
    about = (
        "Strengths by exact least squares from the printed differences; the printed iteration had not converged and is "
        "1 or 2 points off. (1% of such a rating is 28 points: the mark ~ says little here.)"
    )
    return Table("ferreira-3", "Ferreira, Table 3: Candidates 2011", tuple(cells), (about,))


def engine(sources: Sources) -> Table:
    """Table 4: the strength of the engine."""
    rows, gains = load(_MAIN), _own_gains(LONDON, sources)
    cells: list[Cell] = []
    for row in rows:
        if gains is None:
            cells.append(_cell(_MAIN, row, "p_engine", note=_HOUDINI, decimals=3))
        else:
            score = expected_score(_of(gains, row.name), np.zeros(1))
            cells.append(_cell(_MAIN, row, "p_engine", score, "data", decimals=3))
        low, middle, high = (float(rating_difference(row["p_engine"] + step)) for step in (-0.0005, 0, 0.0005))
        cells.append(_cell(_MAIN, row, "d_engine", middle, "paper", span=(low, high)))
    file, by_name = "ferreira_table4_engine.csv", {row.name: row for row in rows}
    columns = {name: np.array([row[name] for row in rows]) for name in ("elo", "strength", "d_engine")}
    mean = engine_strength(columns["elo"], columns["d_engine"], columns["strength"])
    assert mean.by_rating is not None
    assert mean.by_strength is not None
    for row in load(file):
        ours = (mean.by_rating, mean.by_strength)
        if row.name != "Average":
            player = by_name[row.name]
            ours = player["elo"] - player["d_engine"], player["strength"] - player["d_engine"]
        cells += [_cell(file, row, name, value, "paper") for name, value in zip(row.texts, ours, strict=True)]
    return Table("ferreira-4", "Ferreira, Table 4: strength of the engine", tuple(cells))


def century(sources: Sources) -> Table:
    """Figure 1 and what is said of it: Byrne against Fischer, 1956."""
    file, rows = "ferreira_figure1.csv", load("ferreira_figure1.csv")
    path = sources.path("chess/byrne_fischer_1956_houdini15a_d20.csv")
    found = {} if path is None else _century(str(path))
    note = "" if found else "needs byrne_fischer_1956_houdini15a_d20.csv of the shared data"
    wrong = {"Fischer: mean gain": "0.10 should be 0.09: the mean of the printed gains is 0.094"}
    cells = tuple(
        Cell(
            row.name, "printed", row["printed"], row.digits("printed"), file, found.get(row.name),
            "data" if found else None, misprint=wrong.get(row.name, "") if found else "", note=note,
        )
        for row in rows
    )  # fmt: skip
    about = "All from the printed evaluations; the engine counts as 2860."
    return Table("ferreira-figure-1", "Ferreira, Figure 1 and sections 3, 4, 7: Byrne - Fischer 1956", cells, (about,))


def _century(path: str) -> dict[str, float]:
    import polars as pl

    evaluations = read_evaluations(path).evaluations
    gains = measure_gains(evaluations)
    byrne, fischer = gains.of("Byrne"), gains.of("Fischer")
    against = measure_strengths(evaluations, method="engine", engine=_ENGINE)
    printed = pl.read_csv(path).filter(pl.col("ply") > 0)["gain"].to_numpy()
    follows = np.abs(100 * printed - gains.value) < 0.5
    score = expected_score(fischer, byrne)
    return {
        "moves whose gain follows from the evaluations": float(follows.sum()),
        "Byrne: mean gain": float(byrne.mean()) / 100,
        "Fischer: mean gain": float(fischer.mean()) / 100,
        "Byrne: expected score against Fischer": 1 - score,
        "Fischer: expected score against Byrne": score,
        "rating difference": float(rating_difference(score)),
        "Byrne: difference from the engine": float(against.against_engine.difference[0]),
        "Fischer: difference from the engine": float(against.against_engine.difference[1]),
        "Byrne: moves before the first estimate": float(follow_player(gains, "Byrne", engine=_ENGINE).n_without),
        "Byrne: strength": float(against.strength[0]),
        "Fischer: strength": float(against.strength[1]),
        "difference by way of the engine": float(np.diff(against.strength)[0]),
    }


def _london(rows: tuple[Row, ...]) -> tuple[Codes, Codes, Floats]:
    first, second = (codes.astype(np.int32) for codes in np.triu_indices(len(rows), 1))
    d = [rows[i][f"d_{rows[j].name}"] for i, j in zip(first, second, strict=True)]
    return first, second, np.array(d)


def _points(sources: Sources) -> dict[str, float] | None:
    path = sources.path("chess/london_classic_2011.pgn")
    if path is None:
        return None
    matches = read_matches(path)
    pairs, n = matches.pairs, len(matches.players)
    total = np.bincount(pairs.first, pairs.score, n) + np.bincount(pairs.second, 1 - pairs.score, n)
    return {name.partition(",")[0]: float(value) for name, value in zip(matches.players.names, total, strict=True)}


def _own_gains(event: str, sources: Sources) -> Gains | None:
    """The gains of an event whose evaluations the user has."""
    if event not in sources.files:
        return None
    return sources.once(event, lambda: measure_gains(read_evaluations(sources.files[event]).evaluations))


def _of(gains: Gains, surname: str) -> Codes:
    (name,) = (name for name in gains.players.names if name.partition(",")[0] == surname)
    return gains.of(name)


def _score_of_match(gains: Gains, one: str, other: str) -> float:
    """Of two players in the games that they played against each other."""
    codes = [
        next(code for code, name in enumerate(gains.players.names) if name.partition(",")[0] == surname)
        for surname in (one, other)
    ]
    common = np.intersect1d(*(gains.game[gains.player == code] for code in codes))
    own, theirs = (gains.value[(gains.player == code) & np.isin(gains.game, common)] for code in codes)
    return expected_score(own, theirs)


def _score(difference: float) -> float:
    from scipy.special import ndtr

    return float(ndtr(difference / (200 * np.sqrt(2))))


def _around(difference: float) -> tuple[float, float]:
    return _score(difference - 0.5), _score(difference + 0.5)


def _cell(
    file: str,
    row: Row,
    name: str,
    ours: float | None = None,
    basis: Basis | None = None,
    *,
    decimals: int = 0,
    span: tuple[float, float] | None = None,
    given: bool = False,
    note: str = "",
) -> Cell:
    return Cell(row.name, name, row[name], decimals, file, ours, basis, span, given=given, note=note)
