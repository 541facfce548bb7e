"""Makes the bundled match files, all simulated: a club league with names, and three games from skill to coin."""

from __future__ import annotations

import gzip
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from ludometer.games import StrengthGame

NAMES = (
    "Ada", "Bela", "Carlos", "Dina", "Emil", "Fatou", "Goran", "Hana", "Ivo", "Jun", "Katja", "Lars",
    "Mina", "Noor", "Olga", "Pavel", "Quentin", "Rosa", "Sven", "Tara", "Ugo", "Vera", "Wim", "Yara",
)  # fmt: skip
OUT = Path(__file__).parents[1] / "src" / "ludometer" / "demo"
GAMES = {"skill": 250.0, "mixed": 60.0, "coin": 0.0}
"""Name of a game → SD of the true skills in Elo points."""


def main() -> None:
    """Write the files; the same bytes each time."""
    write_club()
    for name, sd in GAMES.items():
        (batch,) = StrengthGame(300, sd=sd, activity=0.5, seed=11).batches(15_000)
        won = batch.pairs.halves == 2
        rows = zip(
            np.where(won, batch.pairs.first, batch.pairs.second),
            np.where(won, batch.pairs.second, batch.pairs.first),
            strict=True,
        )
        text = "winner,loser\n" + "".join(f"{winner},{loser}\n" for winner, loser in rows)
        (OUT / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def write_club() -> None:
    """A league with names and dates."""
    game = StrengthGame(len(NAMES), sd=200, draws=0.1, activity=0.4, seed=7)
    (batch,) = game.batches(1_500)
    pairs = batch.pairs
    days = [date(2023, 9, 4) + timedelta(days=7 * (match // 12)) for match in range(len(batch))]
    pl.DataFrame(
        {
            "date": days,
            "player_1": [NAMES[code] for code in pairs.first],
            "player_2": [NAMES[code] for code in pairs.second],
            "score_1": pl.Series(pairs.score).cast(pl.String).str.replace(".0", "", literal=True),
        }
    ).write_csv(OUT / "club.csv")
    ranked = sorted(zip(game.skill, NAMES, strict=True), reverse=True)
    print("true order:", ", ".join(f"{name} {skill:+.0f}" for skill, name in ranked))


if __name__ == "__main__":
    main()
