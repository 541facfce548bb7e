"""The report on measured games, one self-contained HTML page: its words are in the templates, its numbers here."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.measurement.benchmarks.published import describe_place, reference_games
from ludometer.measurement.benchmarks.yardstick import confidence, replicates_for
from ludometer.measurement.charts import MULTIVERSE
from ludometer.measurement.comparison import MEASURE_IN_WORDS, Comparison, Game, compare_games, describe_skills
from ludometer.measurement.summary import describe_games_needed
from ludometer.measurement.verdict.wording import describe_p_values, describe_range_over_checks
from ludometer.report.legal import LegalView
from ludometer.report.luck import explain_differences, list_measures
from ludometer.report.templates import NOTHING, Figure, count, figures, interval, number, percent, render

if TYPE_CHECKING:
    import polars as pl

    from ludometer.measurement import Measurement
    from ludometer.measurement.verdict.checks import Check

_TOP = 25
"""Players in the list of the highest ratings; the table to download has them all."""

_MOST_ROWS = 10_000
_PACKAGES = ("numpy", "polars", "numba", "altair")
_LESS_EXPERIENCED = "the less experienced has "


def render_page(
    games: Sequence[Game],
    *,
    command: str,
    remarks: Mapping[str, Sequence[str]] | None = None,
    template: str = "comparison.html",
    **values: Any,
) -> str:
    """The report as HTML text; `remarks` are the notes made while the file of each game was read.

    A single game has a page of its own; more games are compared by a template that `values` are passed on to.
    """
    compared = compare_games(games)
    views = [GameView(name, game, tuple((remarks or {}).get(name, ()))) for name, game in compared.games]
    values |= {"views": views, "method": _describe_method(compared, command)}
    if len(views) == 1:
        values["legal"] = LegalView(views[0].game)
        return render("measurement.html", title=f"{views[0].name}: how much skill?", **values)
    values |= {"comparison": ComparisonView(compared), "figures": figures(compared)}
    return render(template, title=f"{len(views)} games: how much skill?", **values)


@dataclass(frozen=True)
class CheckTable:
    """Checks of one kind, below the primary analysis."""

    rows: list[list[str]]
    n_checks: int
    n_agree: int
    too_few: str
    """Names of the checks without an answer."""


@dataclass(frozen=True, eq=False)
class GameView:
    """A measured game, and what its sections show."""

    name: str
    game: Measurement
    remarks: tuple[str, ...] = ()
    """What was noted when the file was read."""

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """Its charts."""
        return figures(self.game)

    @property
    def place(self) -> str:
        """Where it stands among the published games."""
        return describe_place(self.game.main.sd or 0.0)

    @property
    def is_beyond(self) -> bool:
        """Whether the record spreads, or may spread, more than a whole benchmark."""
        return self.game.shares is not None and any(np.isinf(share.high) for share in self.game.shares)

    @property
    def games_needed(self) -> str:
        """The interval of the number of games that show who is better."""
        better = self.game.one_better
        if better is None or better.rep_interval is None:
            return ""
        fewest, most = better.rep_interval
        if fewest is None:
            return "[no number is enough]"
        return f"[{fewest:,} to {'no limit' if most is None else count(most)}]"

    @property
    def worth(self) -> str:
        """In how many games a player one SD better is ahead."""
        better = self.game.one_better
        return describe_games_needed(None if better is None else better.rep)

    @property
    def p_values(self) -> str | None:
        """As in the terminal."""
        return describe_p_values(self.game)

    @property
    def range_over_checks(self) -> str | None:
        """As in the terminal."""
        return describe_range_over_checks(self.game)

    @property
    def check_confidence(self) -> tuple[int, int]:
        """Percent between the ends of the intervals of checks, and how many simulated games they come from."""
        replicates = replicates_for(self.game.data.n_matches)[1]
        return confidence(replicates), replicates

    @property
    def choices(self) -> str:
        """What the primary analysis chose, in words."""
        parameters = sorted(self.game.provenance.parameters.items())
        values = (
            (name, ", ".join(map(str, value)) if isinstance(value, list | tuple) else value)
            for name, value in parameters
            if value is not None
        )
        return "; ".join(f"{name.replace('_', ' ')} {value}" for name, value in values)

    @property
    def check_headers(self) -> list[str]:
        """Columns of the tables of checks, after the first and before the last."""
        return ["Matches", "Players", "SD", "Skill share", _name_share(self.game), "Answer"]

    @property
    def multiverse(self) -> CheckTable:
        """Checks that change one choice of the analysis."""
        return self._tabulate("primary analysis", *MULTIVERSE)

    @property
    def parts(self) -> CheckTable:
        """Parts of the record: by experience, by period."""
        return self._tabulate("all matches", "experience", "period")

    @property
    def units(self) -> CheckTable:
        """Series of games as one unit of play; whether they agree does not matter."""
        found = self._tabulate("1 game, as recorded", "unit")
        return replace(found, rows=[row[:-1] for row in found.rows])

    def _tabulate(self, first: str, *kinds: str) -> CheckTable:
        game = self.game
        checks = [check for check in game.verdict.checks if check.kind in kinds] if game.verdict else []
        answered = [check for check in checks if check.answer is not None]
        primary = [
            first,
            f"{game.data.n_matches:,}",
            f"{game.main.n:,}",
            number(game.main.sd),
            *(map(str, game.shares) if game.shares else (NOTHING, NOTHING)),
            game.verdict.answer if game.verdict else NOTHING,
            "primary",
        ]
        return CheckTable(
            [primary, *(self._check_row(check) for check in answered)],
            len(checks),
            sum(bool(check.agrees) for check in answered),
            "; ".join(_plain_name(check) for check in checks if check.answer is None),
        )

    def _check_row(self, check: Check) -> list[str]:
        return [
            _plain_name(check),
            f"{check.matches:,}",
            f"{check.counted:,}",
            number(self._sd(check)),
            *(map(str, check.shares) if check.shares else (NOTHING, NOTHING)),
            check.answer or NOTHING,
            NOTHING if check.agrees is None else "yes" if check.agrees else "no",
        ]

    def _sd(self, check: Check) -> float | None:
        """On the scale of the measurement: checks are on Elo's."""
        return None if check.sd is None else check.sd * self.game.scale_factor

    @property
    def cutoffs(self) -> tuple[list[str], list[list[str]]]:
        """The spread of the ratings of those who have at least so many matches: headers and rows."""
        headers = ["Players with at least", "Players", "SD of ratings", "95% interval", "Lowest", "1% quantile"]
        headers += ["99% quantile", "Highest", "One SD of ratings better scores", "Best-of (published formula)"]
        rows = [
            [
                f"{spread.min_matches} match{'es' * (spread.min_matches > 1)}",
                f"{spread.n:,}",
                number(spread.sd),
                interval(spread.sd_interval) or NOTHING,
                *(number(value) for value in (spread.min, spread.q01, spread.q99, spread.max)),
                percent(spread.p_sd),
                count(spread.rep),
            ]
            for spread in self.game.spread
        ]
        if all(spread.sd_interval is None for spread in self.game.spread):
            headers, *rows = ([*row[:3], *row[4:]] for row in (headers, *rows))
        return headers, rows

    @property
    def n_rated(self) -> int:
        """How many players have a rating that counts."""
        return len(self.ratings)

    @property
    def ratings(self) -> pl.DataFrame:
        """Of those who count, best first."""
        return self.game.ratings_frame().head(_MOST_ROWS)

    @property
    def top(self) -> list[list[str]]:
        """The highest ratings: place, player, rating, matches."""
        best = self.ratings.head(_TOP).iter_rows(named=True)
        return [[f"{n}", row["player"], f"{row['rating']:.0f}", f"{row['matches']:,}"] for n, row in enumerate(best, 1)]

    @property
    def forecasts(self) -> list[list[str]]:
        """How good forecasts are: log loss, Brier score, and how often the favourite won."""
        rival = "coin flip" if self.game.data.is_two_player else "all players equal"
        scores = {"best-fit Elo": self.game.forecasts.elo, rival: self.game.forecasts.coin}
        return [
            [name, f"{score.log_loss:.4f}", f"{score.brier:.4f}", percent(score.accuracy)]
            for name, score in scores.items()
        ]

    @property
    def luck_measures(self) -> list[list[str]]:
        """Luck by other definitions: measure, value, meaning. Empty where luck was not measured."""
        return list_measures(self.game)

    @property
    def luck_differences(self) -> list[str]:
        """Where these measures disagree, and why."""
        return explain_differences(self.game)

    @property
    def checks_frame(self) -> pl.DataFrame:
        """All checks, as a table to download."""
        import polars as pl

        text, whole, real = pl.String, pl.Int64, pl.Float64
        schema = {"kind": text, "name": text, "matches": whole, "counted": whole, "sd": real}
        for yardstick in ("x_deterministic", "x_chess"):
            schema |= {yardstick: real, f"{yardstick}_low": real, f"{yardstick}_high": real}
        rows = [
            (
                *(check.kind, check.name, check.matches, check.counted, self._sd(check)),
                *(check.x_deterministic, *(check.x_deterministic_interval or (None, None))),
                *(check.x_chess, *(check.x_chess_interval or (None, None))),
                *(check.answer, check.agrees),
            )
            for check in (self.game.verdict.checks if self.game.verdict else ())
        ]
        return pl.DataFrame(rows, schema=schema | {"answer": text, "agrees": pl.Boolean}, orient="row")


def _name_share(game: Measurement) -> str:
    name = game.reference_name
    return f"{name[:1].upper()}{name[1:]} share"


def _plain_name(check: Check) -> str:
    """Without what the heading of its table says already."""
    name = check.name.removesuffix(" (model)")
    return name.removeprefix(_LESS_EXPERIENCED) if check.kind == "experience" else name


@dataclass(frozen=True, eq=False)
class ComparisonView:
    """Games side by side."""

    found: Comparison

    @property
    def measured(self) -> list[Game]:
        """Those whose ratings spread can be measured."""
        return [(name, game) for name, game in self.found.games if game.main.sd is not None]

    @property
    def ranked(self) -> list[list[str]]:
        """Name and SD of skills of those that are ranked, most skill first."""
        return [[name, describe_skills(game)] for name, game in self.found.ranked]

    @property
    def verdicts(self) -> dict[str, list[str]]:
        """The names of the games with each answer."""
        answers: dict[str, list[str]] = {}
        for name, game in self.found.games:
            if game.verdict:
                answers.setdefault(game.verdict.answer, []).append(name)
        return answers

    @property
    def confidences(self) -> str:
        """Percent between the ends of the intervals of shares."""
        levels = {game.yardstick.confidence for _, game in self.found.games if game.yardstick}
        return " or ".join(map(str, sorted(levels))) or "95"

    @property
    def table(self) -> tuple[list[str], list[list[str]]]:
        """The games, most skill first: headers and rows."""
        headers = ["Game", "SD of ratings", MEASURE_IN_WORDS, "Skill share", _name_share(self.found.games[0][1])]
        headers += ["Verdict", "Matches", "Players"]
        rows = [
            [
                name,
                f"{number(game.main.sd)} {interval(game.main.sd_interval)}".strip(),
                describe_skills(game),
                *(map(str, game.shares) if game.shares else (NOTHING, NOTHING)),
                game.verdict.answer if game.verdict else NOTHING,
                f"{game.data.n_matches:,}",
                f"{game.main.n:,}",
            ]
            for name, game in self.found.games
        ]
        if not self.verdicts:
            headers, *rows = ([*row[:2], *row[6:]] for row in (headers, *rows))
        return headers, rows

    @property
    def order(self) -> list[list[str]]:
        """The confidence that the game in a row shows more skill than that in a column; empty if there is none."""
        n_ranked = len(self.found.ranked)
        confidences = self.found.more_skill[:n_ranked, :n_ranked]
        if not np.isfinite(confidences).any():
            return []
        rows = [
            [f"{n}. {name}", *map(_describe_confidence, confidences[n - 1])]
            for n, (name, _) in enumerate(self.found.ranked, 1)
        ]
        for place, row in enumerate(rows, 1):
            row[place] = ""
        return rows


def _describe_confidence(value: float) -> str:
    if not np.isfinite(value):
        return NOTHING
    return "> 99%" if value > 0.99 else "< 1%" if value < 0.01 else percent(value, 0)


def _describe_reference(compared: Comparison) -> str:
    """The SD of the reference's players as it was used for each game: it depends on how the record is paired."""
    used: dict[str, list[str]] = {}
    for name, game in compared.games:
        if game.yardstick is not None:
            used.setdefault(number(game.yardstick.reference.sd, 0), []).append(name)
    if len(used) <= 1:
        return "".join(used)
    return ", ".join(f"{sd} (for {', '.join(names)})" for sd, names in used.items())


def _describe_method(compared: Comparison, command: str) -> dict[str, Any]:
    """What the section at the end needs, for all games."""
    games = [game for _, game in compared.games]
    return {
        "min_matches": games[0].main.min_matches,
        "multiplayer": next((game for game in games if not game.data.is_two_player), None),
        "yardstick": next((game.yardstick for game in games if game.yardstick), None),
        "reference_sd": _describe_reference(compared),
        "is_printed": any(game.base == "e" for game in games),
        "published": [
            [game.label, f"{game.sd:.1f}", percent(game.p_sd), f"{game.rep:,}"] for game in reference_games()
        ],
        "command": command,
        "version": games[0].provenance.version,
        "python": platform.python_version(),
        "packages": ", ".join(f"{name} {version(name)}" for name in _PACKAGES),
        "seed": games[0].provenance.seed,
    }
