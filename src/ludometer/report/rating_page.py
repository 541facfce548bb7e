"""The page of `rate`: the list of players, how ratings spread, how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ludometer.report.templates import Figure, figures, render
from ludometer.wording import describe_parameters

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings import Ratings

_LISTED = 200
"""Players on the page; the table to download has all."""


@dataclass(frozen=True, eq=False)
class RatedGroup:
    """A whole file, or one value of --by, with the rows that are listed."""

    value: str | None
    ratings: Ratings
    rows: pl.DataFrame

    @property
    def facts(self) -> str:
        """What the list rests on."""
        told = self.ratings.provenance
        words = describe_parameters(told.parameters)
        count = f"{self.ratings.n_matches:,} matches of {self.ratings.n_players:,} players, rated by {told.method}"
        return f"{count} ({words})." if words else f"{count}."

    @property
    def table(self) -> tuple[list[str], list[list[str]]]:
        """Headers and rows, the best first."""
        shown = self.rows.head(_LISTED)
        columns = self.ratings.describe(shown)
        numbers = [str(place) for place in range(1, len(shown) + 1)]
        return ["", *columns], [list(row) for row in zip(numbers, *columns.values(), strict=True)]

    @property
    def n_more(self) -> int:
        """Players who are only in the table to download."""
        return max(len(self.rows) - _LISTED, 0)

    @property
    def provisional_rule(self) -> str | None:
        """When a rating is marked as provisional, if one is."""
        return self.ratings.provisional.rule if self.rows.head(_LISTED)["provisional"].any() else None

    @property
    def figures(self) -> dict[str, Figure]:
        """Its charts."""
        return figures(self.ratings)

    @property
    def file_name(self) -> str:
        """Of the table to download."""
        return "ratings.csv" if self.value is None else f"ratings-{self.value}.csv"


def render_ratings(groups: Sequence[RatedGroup], *, by: str | None, command: str) -> str:
    """The page as HTML text."""
    return render(
        "ratings.html",
        title="Ratings",
        groups=groups,
        by=by,
        command=command,
        version=groups[0].ratings.provenance.version,
    )
