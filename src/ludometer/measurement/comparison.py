"""Several games side by side: their order, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.measurement.measurement import Measurement
from ludometer.result import Provenance, Shown
from ludometer.wording import percent

if TYPE_CHECKING:
    import polars as pl

Game = tuple[str, Measurement]


MEASURE, MEASURE_IN_WORDS = "sd_of_skills", "SD of skills"
"""What order and confidence go by, in JSON and for readers."""

UNRANKED = "none"
"""In JSON, where nothing could be ranked."""


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
    """Games from most skill to least, and for each two the confidence that one shows more than the other.

    Order and confidence go by one measure: the SD of normal skills that would spread like each record on its own
    schedule, which does not depend on how long the records are. Games without it, because nothing was simulated or the
    verdict is refused, are not ranked: they come last, by the SD of their ratings. The confidence is the share of pairs
    of simulated solutions in that order: it comes from an inversion, as a p-value does, and is not a posterior
    probability. There is none where both yardsticks say the opposite.
    """

    games: tuple[Game, ...]
    """Most skill first, then those that are not ranked."""
    more_skill: Floats
    """(games, games): row shows more skill than column; NaN where one is not ranked, or both yardsticks disagree."""
    given: tuple[str, ...] = ()
    """The names in the order in which the games were given."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Games that cannot be measured, and why."""

    @property
    def names(self) -> tuple[str, ...]:
        """Most skill first."""
        return tuple(name for name, _ in self.games)

    @property
    def ranked(self) -> tuple[Game, ...]:
        """Those with an SD of skills that the verdict trusts, most skill first."""
        return tuple((name, game) for name, game in self.games if _solutions(game) is not None)

    @property
    def sd_of_skills(self) -> tuple[float | None, ...]:
        """The SD by which the games are compared, most skill first."""
        return tuple(_skill(game) for _, game in self.games)

    @property
    def against_yardsticks(self) -> tuple[tuple[str, str], ...]:
        """Pairs of ranked games whose order both yardsticks contradict."""
        return tuple(
            (one[0], other[0])
            for place, one in enumerate(self.ranked)
            for other in self.ranked[place + 1 :]
            if _is_against_both(one[1], other[1])
        )

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
            rows.append([name, describe_skills(game), sd, *shares, answer, f"{game.data.n_matches:,}"])
        reference = f"{self.games[0][1].reference_name} share"
        first = "game, most skill first" if self.ranked else "game (not ranked)"
        headers = [first, MEASURE_IN_WORDS, "SD of ratings", "skill share", reference, "verdict", "matches"]
        return "\n\n".join([format_table(headers, rows), "\n".join(self.lines())])

    def lines(self) -> list[str]:
        """What the order goes by, and how sure that of neighbours is."""
        sentences = [self.describe_order()]
        contradicted = set(self.against_yardsticks)
        for place, (one, other) in enumerate(pairwise(name for name, _ in self.ranked)):
            confidence = self.more_skill[place, place + 1]
            if (one, other) in contradicted:
                sentences.append(f"{one} and {other}: no confidence, because both yardsticks say the opposite")
            elif np.isfinite(confidence):
                sure = "more than 99%" if confidence > 0.99 else percent(confidence, 0)
                sentences.append(f"{one} shows more skill than {other}: {sure} confidence")
        return sentences

    def describe_order(self) -> str:
        """By which measure games are ordered, and which are not ranked."""
        if not self.ranked:
            return (
                f"The games are not ranked, only listed by the SD of ratings: ranks go by the {MEASURE_IN_WORDS}, "
                "which needs simulations (left out by --quick, or refused). The SD of ratings does not compare records "
                "of different lengths."
            )
        others = self.names[len(self.ranked) :]
        last = f"; not ranked, because none can be trusted: {', '.join(others)}" if others else ""
        return f"Order and confidence go by the {MEASURE_IN_WORDS}, each matched on its own schedule{last}."

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
                "measure": MEASURE if self.ranked else UNRANKED,
                "order": list(names),
                "unranked": list(names[len(self.ranked) :]),
                "sd_of_skills": {name: sd for name, sd in zip(names, self.sd_of_skills, strict=True) if sd is not None},
                "more_skill": [
                    {"game": names[row], "than": names[column], "confidence": float(self.more_skill[row, column])}
                    for row in range(len(names))
                    for column in range(row + 1, len(names))
                    if np.isfinite(self.more_skill[row, column])
                ],
                "against_yardsticks": [{"game": one, "than": other} for one, other in self.against_yardsticks],
            },
            "absent": {f"games.{name}": reason for name, reason in self.refused.items()},
        }


def compare_games(games: Sequence[Game], *, refused: Mapping[str, str] | None = None) -> Comparison:
    """Order the games, and find how sure the order of each two is."""

    def height(game: Measurement) -> tuple[bool, float]:
        is_ranked = _solutions(game) is not None
        return is_ranked, _estimate(game) if is_ranked else -1.0 if game.main.sd is None else game.main.sd

    ordered = sorted(games, key=lambda game: height(game[1]), reverse=True)
    solutions = [_solutions(game) for _, game in ordered]
    more = np.full((len(ordered), len(ordered)), np.nan)
    for row, one in enumerate(solutions):
        for column, other in enumerate(solutions):
            if one is not None and other is not None and row != column:
                below = np.searchsorted(other, one, side="left") + np.searchsorted(other, one, side="right")
                more[row, column] = below.sum() / (2 * len(one) * len(other))
                if _is_against_both(*(ordered[place][1] for place in sorted((row, column)))):
                    more[row, column] = np.nan
    return Comparison(tuple(ordered), more, tuple(name for name, _ in games), refused or {})


def describe_skills(game: Measurement) -> str:
    """The SD of skills with its interval, as in a table; a dash where it is not known or not trusted."""
    if _solutions(game) is None or game.yardstick is None or game.yardstick.skill is None:
        return "-"
    skill = game.yardstick.skill
    estimate, low, high = (
        f"{value:,.0f}" if np.isfinite(value) else "-" for value in (skill.estimate, *skill.interval)
    )
    return f"{estimate} [{low}, {high}]"


def _is_against_both(more: Measurement, less: Measurement) -> bool:
    """Whether by both yardsticks the second shows more skill than the first."""
    if more.shares is None or less.shares is None:
        return False
    return all(one.x < other.x for one, other in zip(more.shares, less.shares, strict=True))


def _solutions(game: Measurement) -> Floats | None:
    matched = game.yardstick
    return None if matched is None or matched.skill is None or game.is_refused else matched.skill.solutions


def _estimate(game: Measurement) -> float:
    assert game.yardstick is not None
    assert game.yardstick.skill is not None
    return game.yardstick.skill.estimate


def _skill(game: Measurement) -> float | None:
    """Finite, and trusted."""
    if _solutions(game) is None:
        return None
    found = _estimate(game)
    return found if np.isfinite(found) else None
