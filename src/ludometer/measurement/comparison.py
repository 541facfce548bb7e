"""Several games side by side: their order, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.measurement.measurement import Measurement
from ludometer.result import Provenance, Shown
from ludometer.wording import percent

if TYPE_CHECKING:
    import polars as pl

Game = tuple[str, Measurement]


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
    """Games from most skill to least, and for each two the confidence that one shows more than the other.

    Skill is compared by the SD of normal skills that would spread like each record on its own schedule, which does not
    depend on how long the records are. The confidence is the share of pairs of simulated solutions in that order: it
    comes from an inversion, as a p-value does, and is not a posterior probability.
    """

    games: tuple[Game, ...]
    """Most skill first."""
    more_skill: Floats
    """(games, games): row shows more skill than column; NaN where one has no yardstick, or a refused verdict."""
    given: tuple[str, ...] = ()
    """The names in the order in which the games were given."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Games that cannot be measured, and why."""

    @property
    def names(self) -> tuple[str, ...]:
        """Most skill first."""
        return tuple(name for name, _ in self.games)

    @property
    def sd_of_skills(self) -> tuple[float | None, ...]:
        """The SD by which the games are compared, most skill first."""
        return tuple(_skill(game) for _, game in self.games)

    @property
    def is_matched(self) -> bool:
        """Whether the order is by the SD of skills; else it is by the SD of ratings."""
        return all(game.main.sd is None or _skill(game) is not None for _, game in self.games)

    @property
    def provenance(self) -> Provenance:
        """That of all games; their fingerprints are in the order in which they were given."""
        origins = {name: game.provenance for name, game in self.games}
        data = ",".join(str(origins[name].data) for name in self.given)
        return Provenance("compare", {}, data, origins[self.given[0]].seed)

    def to_frame(self) -> pl.DataFrame:
        """One row per game, most skill first."""
        import polars as pl

        rows = [
            {
                "game": name,
                "sd": game.main.sd,
                "sd_of_skills": _skill(game),
                "verdict": game.verdict.answer if game.verdict else None,
                "matches": game.data.n_matches,
                "players": game.main.n,
            }
            for name, game in self.games
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def summary(self) -> str:
        """A table of the games, and what can be said about neighbours in it."""
        from ludometer.wording import format_table

        rows = []
        for name, game in self.games:
            shares = (str(share) for share in game.shares) if game.shares else ("-", "-")
            sd = "-" if game.main.sd is None else f"{game.main.sd:.1f}"
            answer = game.verdict.answer if game.verdict else "-"
            rows.append([name, sd, *shares, answer, f"{game.data.n_matches:,}"])
        reference = f"{self.games[0][1].reference_name} share"
        headers = ["game, most skill first", "SD of ratings", "skill share", reference, "verdict", "matches"]
        lines = self.lines()
        return format_table(headers, rows) + ("\n\n" + "\n".join(lines) if lines else "")

    def lines(self) -> list[str]:
        """How sure the order of neighbours is."""
        sentences = []
        for place in range(len(self.games) - 1):
            confidence = self.more_skill[place, place + 1]
            if np.isfinite(confidence):
                sure = "more than 99%" if confidence > 0.99 else percent(confidence, 0)
                one, other = self.names[place : place + 2]
                sentences.append(f"{one} shows more skill than {other}: {sure} confidence")
        return sentences

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """All games on one scale, and where there are any the two yardsticks."""
        from ludometer.measurement.charts import draw_comparison

        return draw_comparison(self.games, narrow=narrow)

    def document(self) -> dict[str, Any]:
        """All games as they were given, their order, and the confidence in each pair of it."""
        names, measured = self.names, dict(self.games)
        return {
            "games": [{"name": name} | measured[name].document() for name in self.given],
            "comparison": {
                "order": list(names),
                "sd_of_skills": {name: sd for name, sd in zip(names, self.sd_of_skills, strict=True) if sd is not None},
                "more_skill": [
                    {"game": names[row], "than": names[column], "confidence": float(self.more_skill[row, column])}
                    for row in range(len(names))
                    for column in range(row + 1, len(names))
                    if np.isfinite(self.more_skill[row, column])
                ],
            },
            "absent": {f"games.{name}": reason for name, reason in self.refused.items()},
        }


def compare_games(games: Sequence[Game], *, refused: Mapping[str, str] | None = None) -> Comparison:
    """Order the games, and find how sure the order of each two is."""
    matched = all(game.main.sd is None or _skill(game) is not None for _, game in games)

    def height(game: Measurement) -> float:
        if game.main.sd is None:
            return -1.0
        return (_skill(game) or 0.0) if matched else game.main.sd

    ordered = sorted(games, key=lambda game: -height(game[1]))
    solutions = [_solutions(game) for _, game in ordered]
    more = np.full((len(ordered), len(ordered)), np.nan)
    for row, one in enumerate(solutions):
        for column, other in enumerate(solutions):
            if one is not None and other is not None and row != column:
                below = np.searchsorted(other, one, side="left") + np.searchsorted(other, one, side="right")
                more[row, column] = below.sum() / (2 * len(one) * len(other))
    return Comparison(tuple(ordered), more, tuple(name for name, _ in games), refused or {})


def _solutions(game: Measurement) -> Floats | None:
    matched = game.yardstick
    return None if matched is None or matched.skill is None or game.is_refused else matched.skill.solutions


def _skill(game: Measurement) -> float | None:
    matched = game.yardstick
    if matched is None or matched.skill is None or not np.isfinite(matched.skill.estimate):
        return None
    return matched.skill.estimate
