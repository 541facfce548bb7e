"""Options that the commands of chess and backgammon share, and short forms of common kinds of options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.declared import Number, option
from ludometer.cli.shared import SeedOption

if TYPE_CHECKING:
    from ludometer.moves.uncertainty import Intervals


def count(flag: str, help: str, default: int | None = None, *, least: int = 1, most: int | None = None) -> Any:
    """A whole number."""
    kind = click.IntRange(least, most)
    return option(flag, type=kind, default=default, metavar="N", help=help)


def choice(flag: str, values: Sequence[str], help: str, default: str | None = None) -> Any:
    """One of several words."""
    return option(flag, type=click.Choice(values), default=default, help=help)


def seconds(flag: str, help: str, default: float) -> Any:
    """A time above 0."""
    kind = Number(0, min_open=True)
    return option(flag, type=kind, default=default, metavar="SECONDS", help=help)


@dataclass(frozen=True)
class IntervalOptions(SeedOption):
    """How intervals are made."""

    level: float = option(
        "--level", type=Number(0, 1, min_open=True, max_open=True), default=0.95, metavar="SHARE",
        help="Confidence level of the intervals.",
    )  # fmt: skip
    min_games: int = count("--min-games", "Fewest games for an interval.", 4, least=2)

    @property
    def intervals(self) -> Intervals:
        """How intervals are made."""
        from ludometer.moves.uncertainty import Intervals

        return Intervals(level=self.level, min_games=self.min_games, seed=self.seed)


def replicates_option() -> Any:
    """Replicates of the bootstrap."""
    return count("--replicates", "Bootstrap replicates for the intervals.", 1000, least=2)
