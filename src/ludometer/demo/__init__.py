"""The bundled match files, all simulated by scripts/make_demo_data.py."""

from __future__ import annotations

from pathlib import Path

CLUB = Path(__file__).parent / "club.csv"
"""Three seasons of a club league: 24 players, 1,500 matches, a tenth of them drawn."""

GAMES = {
    "a game of skill": Path(__file__).parent / "skill.csv.gz",
    "a mixed game": Path(__file__).parent / "mixed.csv.gz",
    "a coin flip": Path(__file__).parent / "coin.csv.gz",
}
"""Three games of 300 players and 15,000 matches: true skills with SDs of 250, 60 and 0 Elo points."""
