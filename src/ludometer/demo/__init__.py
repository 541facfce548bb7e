"""The bundled match file, made by scripts/make_demo_data.py."""

from __future__ import annotations

from pathlib import Path

CLUB = Path(__file__).parent / "club.csv"
"""Three seasons of a club league that was simulated: 24 players, 1,500 matches, a tenth of them drawn."""
