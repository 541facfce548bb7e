"""Makes the bundled match files again, byte for byte: a simulated club league, and the games that programs play.

    python scripts/make_demo_data.py                     # all of them
    python scripts/make_demo_data.py pig chess --jobs 2  # some of them
    python scripts/make_demo_data.py chess --first 20 --folder trial

Chess needs Stockfish and `pip install '.[chess]'`, backgammon needs GNU Backgammon, Skat needs xskat
(scripts/system-programs.sh installs them on Debian). Chess and backgammon take about ten minutes of one processor each,
the others less than three. Another version of a program may play otherwise: the files were made with Stockfish 15.1,
GNU Backgammon 1.07.001 and xskat 4.0. The club and the coin need nothing.
"""

from __future__ import annotations

import argparse
import sys
from datetime import date, timedelta
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "games"))

GAMES = ("chess", "backgammon", "skat", "pig", "tricks", "coin")
NAMES = (
    "Ada", "Bela", "Carlos", "Dina", "Emil", "Fatou", "Goran", "Hana", "Ivo", "Jun", "Katja", "Lars",
    "Mina", "Noor", "Olga", "Pavel", "Quentin", "Rosa", "Sven", "Tara", "Ugo", "Vera", "Wim", "Yara",
)  # fmt: skip


def main() -> None:
    """Write the files that were asked for."""
    parser = argparse.ArgumentParser(description="Makes the bundled match files again.")
    parser.add_argument("name", nargs="*", help=f"of {', '.join(('club', *GAMES))}; all if none is named")
    parser.add_argument("--first", type=int, metavar="N", help="only the first matches of a game")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--folder", type=Path, default=ROOT / "src" / "ludometer" / "demo", help="where they go")
    chosen = parser.parse_args()
    if unknown := set(chosen.name) - {"club", *GAMES}:
        parser.error(f"no file is called {', '.join(sorted(unknown))}")
    for name in chosen.name or ("club", *GAMES):
        if name == "club":
            write_club(chosen.folder / "club.csv")
        else:
            write_game(name, chosen.folder / f"{name}.csv.gz", chosen.first, chosen.jobs)


def write_game(name: str, path: Path, first: int | None, jobs: int) -> None:
    """Play the matches of a game, or the first of them."""
    from ladder import write

    ladder = import_module(f"play_{name}").LADDER
    write(ladder.lines(first, jobs=jobs), path)
    print(f"{path}: {first or ladder.matches:,} matches")


def write_club(path: Path) -> None:
    """A league with names and dates."""
    import polars as pl

    from ludometer.simulate import StrengthGame

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
    ).write_csv(path)
    ranked = sorted(zip(game.skill, NAMES, strict=True), reverse=True)
    print("true order:", ", ".join(f"{name} {skill:+.0f}" for skill, name in ranked))


if __name__ == "__main__":
    main()
