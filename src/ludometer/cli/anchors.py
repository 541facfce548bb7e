"""Options that give players a rating: --anchor NAME=RATING."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ludometer.cli.declared import option
from ludometer.errors import LudometerError


@dataclass(frozen=True)
class AnchorOption:
    """Players whose rating is given; the others are rated against them."""

    anchor: tuple[str, ...] = option(
        "--anchor",
        multiple=True,
        metavar="NAME=RATING",
        help="Fix the rating of this player; may be repeated. Without it the mean of all players is fixed.",
    )

    @property
    def anchors(self) -> dict[str, float]:
        """Ratings by name."""
        found: dict[str, float] = {}
        for entry in self.anchor:
            # names may hold a sign of equality, ratings do not
            name, _, text = entry.rpartition("=")
            try:
                rating = float(text)
            except ValueError:
                rating = math.nan
            if not name.strip() or not math.isfinite(rating):
                raise LudometerError(f"--anchor {entry}: write a name and its rating, such as Stockfish=3600")
            if name.strip() in found:
                raise LudometerError(f"--anchor {entry}: {name.strip()!r} is given twice")
            found[name.strip()] = rating
        return found
