"""Makes the bundled club league: simulated matches between players with invented names, whose true skills are known."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import polars as pl

from ludometer.games import StrengthGame

NAMES = (
    "Ada", "Bela", "Carlos", "Dina", "Emil", "Fatou", "Goran", "Hana", "Ivo", "Jun", "Katja", "Lars",
    "Mina", "Noor", "Olga", "Pavel", "Quentin", "Rosa", "Sven", "Tara", "Ugo", "Vera", "Wim", "Yara",
)  # fmt: skip
OUT = Path(__file__).parents[1] / "src" / "ludometer" / "demo" / "club.csv"


def main() -> None:
    """Write the file; the same bytes each time."""
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
    ).write_csv(OUT)
    ranked = sorted(zip(game.skill, NAMES, strict=True), reverse=True)
    print("true order:", ", ".join(f"{name} {skill:+.0f}" for skill, name in ranked))


if __name__ == "__main__":
    main()
