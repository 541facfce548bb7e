"""Smith, Rating systems for gameplayers, and learning (1994): section 7, noise and learning on a chess server."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludometer.learning.bins import bin_counts
from ludometer.ratings.as_printed import measure_printed_noise
from ludometer.scale import ELO
from reproductions.cells import Cell, Table
from reproductions.published import by_name, load
from reproductions.sources import Sources

_SERVER = "needs the rating lists of the internet chess server, June to August 1993, which are not public"
_SD, _GAMES, _STEP = 324, 35, 64
_STATED = "points gained, 136 players"
"""An input: of the table by class one number is damaged in the scan, and this mean is what tells it."""


def tables() -> dict[str, Callable[[Sources], Table]]:
    """Name → what makes the table."""
    return {"smith-learning": learning, "smith-numbers": numbers}


def numbers(_: Sources) -> Table:
    """What section 7 says of noise and of learning."""
    file, found = "smith_numbers.csv", _noise() | _gains()
    wrong = {
        "death rate, 77 days": "4.06 should be 4.04 by its own 20.1 / 4.98, or 4.24 with the 21.1 above",
        "points gained, 1200-2499": "20.1 should be 21.1: all 136 players are in these classes, and the text has 21.1",
    }
    cells = tuple(
        Cell(
            row.name, "printed", row["printed"], _digits(row.texts["printed"]), file, found.get(row.name),
            "paper" if row.name in found else None, misprint=wrong.get(row.name, ""),
            given=row.name == _STATED, note="" if row.name in found else _SERVER,
        )
        for row in load(file)
    )  # fmt: skip
    about = (
        "Noise by the printed formulas, with σ 324, 35 games a lifetime and h 64. They are wrong (docs/errors.md): the "
        "fluctuation is 52.7 and the best step 308."
    )
    return Table("smith-numbers", "Smith, section 7: noise and learning", cells, (about,))


def learning(_: Sources) -> Table:
    """L / D by class, from the printed populations, and the players who were followed."""
    file, rows = "smith_learning.csv", load("smith_learning.csv")
    bins = bin_counts([int(row["players"]) for row in rows], low=900)
    found = {
        "ratio": bins.ratio,
        "ratio_error": bins.error,
        "log_ratio": np.log(bins.ratio),
        "log_error": bins.log_error,
    }
    last = "0.50 from the printed populations; 0.83 needs players above the class whom no other row counts"
    cells: list[Cell] = []
    for number, row in enumerate(rows):
        top = number == len(rows) - 1
        for name in row.texts:
            wrong = last if top and name in ("ratio", "log_ratio") else ""
            ours = None if name == "players" else float(found[name][number])
            cells.append(
                Cell(
                    row.name, name, row[name], row.digits(name), file, ours, "paper" if ours is not None else None,
                    given=name == "players", misprint=wrong,
                )
            )  # fmt: skip
    followed = "smith_tracking.csv"
    cells += [
        Cell(row.name, name, row[name], row.digits(name), followed, given=True)
        for row in load(followed)
        for name in row.texts
    ]
    about = (
        "Errors by √(1/n + 2/(A + n/2)) for the logarithm; the paper does not print its formula, which gives somewhat "
        "more in small classes.",
        "The gain of 2000-2099 is damaged in the scan (563.9); 53.9 is what gives the printed mean of 21.1.",
    )
    return Table("smith-learning", "Smith, section 7: learning over death rate by class", tuple(cells), about)


def _noise() -> dict[str, float]:
    printed = measure_printed_noise(sd=_SD, games=_GAMES, step=_STEP)
    best = measure_printed_noise(sd=_SD, games=_GAMES, step=printed.optimal_step)
    return {
        "bound on the step": printed.bound,
        "best step": printed.optimal_step,
        "best step, equal opponents": printed.equal.optimal_step,
        "noise, not converged": printed.converging,
        "noise, fluctuation": printed.fluctuation,
        "noise, total": printed.total,
        "noise at the best step": best.total,
        "noise, fluctuation, equal opponents": printed.equal.fluctuation,
        "noise, total, equal opponents": printed.equal.total,
        "points that slow learning by e": ELO,
        "players a newcomer, days": 2300 / 6.6,
    }


def _gains() -> dict[str, float]:
    classes, stated = load("smith_learning.csv"), by_name("smith_numbers.csv")[_STATED]["printed"]
    ratio = bin_counts([int(row["players"]) for row in classes], low=900).ratio
    inside = slice(3, 16)
    count = np.array([row["players"] for row in classes])[inside]
    return {
        _STATED: stated,
        "points gained, 1200-2499": stated,
        "L / D, mean of 1200-2499": float((count * ratio[inside]).sum() / count.sum()),
        "death rate, 77 days": 20.1 / 4.98,
        "death rate, days": 77 / 4.06,
    }


def _digits(text: str) -> int:
    """Decimals of the print; 1390 and 350 end in zeros that may be rounded away, but are taken at their word."""
    return len(text.partition(".")[2])
