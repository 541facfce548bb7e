"""All tests from the literature on one record; none of them is the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.matches import Matches
from ludometer.measurement.legal.average import judge_average
from ludometer.measurement.legal.chance import exchange_results
from ludometer.measurement.legal.deciles import follow_deciles
from ludometer.measurement.legal.entry import LegalTest
from ludometer.measurement.legal.expectation import Expectations, estimate_expectations
from ludometer.measurement.legal.experience import measure_experience
from ludometer.measurement.legal.experts import check_experts, compare_experts, find_experts
from ludometer.measurement.legal.halves import split_halves
from ludometer.measurement.legal.outcomes import MOST_SEATS, Basis, SeatValues, collect_values
from ludometer.measurement.legal.relative import explain_relative_skill
from ludometer.measurement.legal.repetition import find_critical_repetitions, player_repetitions
from ludometer.players import Players
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.result import Provenance, Shown
from ludometer.wording import format_table

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class LegalTests(Shown):
    """Tests that courts and regulators have used, with their figures for one record."""

    tests: tuple[LegalTest, ...]
    basis: Basis
    """What results were counted in."""
    first_seat: float | None
    """What the first seat got above the mean of its table, before it was taken out; None where seats are no seats."""
    has_sessions: bool
    n_players: int
    """Players whose results were used."""
    sampled: bool
    """Whether they are a sample, because the record is long."""
    expectations: Expectations
    players: Players
    provenance: Provenance
    n_thinned: int = 0
    """Matches that were left out because an earlier one of their session tells the same."""

    def by_name(self) -> dict[str, LegalTest]:
        """The tests by their names."""
        return {entry.test: entry for entry in self.tests}

    def remarks(self) -> list[str]:
        """What the figures rest on, in words."""
        counted = {
            "money": "Results are counted in money won above the mean of the table.",
            "points": "Results are counted in points above the mean of the table.",
            "wins": "Results are counted in wins: the record was read without money or points.",
        }
        lines = [counted[self.basis]]
        if self.first_seat is not None and abs(self.first_seat) > 0:
            lines.append("What the seat itself is worth (first or second, home or away) is taken out.")
        if self.has_sessions:
            lines.append("The results of a session are exchanged together.")
        if self.n_thinned:
            lines.append(
                f"Results within sessions depend on each other: only the first match of each session counts, and "
                f"{self.n_thinned:,} others are left out."
            )
        if self.sampled:
            lines.append(f"The record is long: these figures rest on all matches of {self.n_players:,} random players.")
        return lines

    def to_frame(self) -> pl.DataFrame:
        """One row per test."""
        import polars as pl

        rows = []
        for entry in self.tests:
            low, high = entry.interval or (None, None)
            rows.append((entry.test, entry.figure, low, high, entry.chance, entry.says, entry.literature.source))
        real = pl.Float64
        schema = {"test": pl.String, "figure": real, "low": real, "high": real, "chance": real}
        return pl.DataFrame(rows, schema=schema | {"says": pl.String, "source": pl.String}, orient="row")

    def players_frame(self) -> pl.DataFrame:
        """Each player's mean result, what is left of it without luck, and their critical repetition frequency."""
        import polars as pl

        found = self.expectations
        needed = player_repetitions(found)
        columns = {
            "player": self.players.names,
            "matches": found.played,
            "mean": found.mean,
            "expected": found.shrunken,
            "critical_repetitions": np.where(np.isfinite(needed), needed, np.nan),
        }
        return pl.DataFrame(columns).fill_nan(None).sort("expected", "player", descending=[True, False])

    def summary(self) -> str:
        """The tests in a table."""
        return format_table(["test", "figure"], [[entry.test, entry.in_words] for entry in self.tests], left=(0, 1))

    def document(self) -> dict[str, Any]:
        """The tests, and why some have no figure."""
        return {"legal": [entry.document() for entry in self.tests], "absent": self.absent()}

    def absent(self) -> dict[str, str]:
        """Why parts of the entries are null."""
        reasons: dict[str, str] = {}
        for place, entry in enumerate(self.tests):
            reasons |= entry.absent(f"legal.{place}")
        return reasons


def apply_legal_tests(
    matches: Matches,
    *,
    k: float = 16.0,
    min_matches: int = 25,
    prizes: Prizes = WINNER,
    experts: Sequence[str] | None = None,
    seed: int = 0,
    most_seats: int = MOST_SEATS,
) -> LegalTests:
    """Apply the tests that courts and regulators have used to the players with at least `min_matches` matches.

    Where money (`prize`) or points (`score`) are recorded they are used, else wins. k is that of the Elo ratings which
    tell how strong opponents were. `experts` are names of players who were called skilled before the record began.

    >>> from ludometer.simulate import simulate_coin, simulate_strengths
    >>> games = simulate_strengths(100, 5_000, sd=200), simulate_coin(100, 5_000)
    >>> skill, coin = (apply_legal_tests(game).by_name()["pure chance"].figure for game in games)
    >>> skill < 0.01 < coin
    True
    """
    named = None if experts is None else find_experts(matches.players, check_experts(matches.players, experts))
    values = collect_values(matches, k=k, min_matches=min_matches, prizes=prizes, seed=[seed], most=most_seats)
    found = estimate_expectations(values)
    return LegalTests(
        tests=_run(values, found, named, [seed]),
        basis=values.basis,
        first_seat=values.first_seat,
        has_sessions=values.has_sessions,
        n_players=values.n_players,
        sampled=values.sampled,
        expectations=found,
        players=matches.players.take(np.isin(np.arange(len(matches.players)), values.codes)),
        provenance=Provenance("legal", {"k": k, "min_matches": min_matches}, matches.fingerprint, seed),
    )


def _run(
    values: SeatValues, found: Expectations, experts: Sequence[int] | None, seed: Sequence[int]
) -> tuple[LegalTest, ...]:
    return (
        exchange_results(values, seed),
        find_critical_repetitions(found),
        follow_deciles(values, found, seed),
        split_halves(values),
        compare_experts(values, experts),
        measure_experience(values),
        judge_average(values, found),
        explain_relative_skill(),
    )
